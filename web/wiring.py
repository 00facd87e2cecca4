"""The one place where the front desk is joined to the eyes; tests hand in eyes made by hand.

The networks and their libraries are imported only when a command needs them, so that the command starts at once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from referee.switches import Faces
from referee.told import TellingError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from referee.observation import Observation
    from vision.region import TableRegion
    from vision.taught.asked import Asked
    from vision.taught.box import TaughtBox
    from vision.taught.laid_out import LaidOut
    from vision.taught.outlook import Outlook
    from web.live.sight import Watch


class Sight(Protocol):
    """What the eyes saw in one picture, and how long each stage took."""

    @property
    def observation(self) -> Observation: ...

    @property
    def timing_ms(self) -> Mapping[str, float]: ...


class Eyes(Protocol):
    """Loaded networks, ready to look at pictures."""

    @property
    def models(self) -> Mapping[str, str]:
        """Name of each network → its version and short SHA-256."""

    def look(self, image: npt.NDArray[np.uint8], second_reader: bool = True) -> Sight:
        """See one upright picture, uint8 (H, W, 3) BGR."""


class Teacher(Protocol):
    """Reads boxes laid out and learns what they look like."""

    def lay_out(self, image: npt.NDArray[np.uint8], asked: Asked) -> LaidOut:
        """What lies where; raises ``vision.taught.laid_out.NotLaidOutError``."""

    def learn(self, name: str, photos: Sequence[tuple[npt.NDArray[np.uint8], LaidOut]]) -> TaughtBox:
        """A box from the settled tiles of all photos; ``ValueError`` when there are none."""

    def outlook(self, box: TaughtBox) -> Outlook:
        """How well the box will be read, as far as its own tiles tell."""


class EyesError(TellingError):
    """The networks cannot be loaded; the text is one sentence."""


def _load_real_eyes(box: TaughtBox | None = None) -> Eyes:
    from vision.look import Eyes as RealEyes  # noqa: PLC0415  onnxruntime and OpenCV: only when a photo is looked at
    from vision.model_store import ModelError  # noqa: PLC0415

    if box is not None and box.faces.value == Faces.CARDS.value:
        return _load_card_eyes(box)
    try:
        return RealEyes.load(box=box)
    except ModelError as error:
        raise EyesError.of(error) from error


def _load_card_eyes(box: TaughtBox) -> Eyes:
    from vision.cards.box import card_eyes  # noqa: PLC0415  as above
    from vision.cards.deck import DeckError  # noqa: PLC0415

    try:
        return card_eyes(box)
    except DeckError as error:
        raise EyesError(
            "The box {box} does not hold enough of a deck of cards to read it.", box=box.name
        ) from error


def _load_real_teacher(faces: Faces) -> Teacher:
    from vision.model_store import ModelError  # noqa: PLC0415  as above
    from vision.taught.teacher import Teacher as RealTeacher  # noqa: PLC0415

    if faces is Faces.CARDS:
        from vision.cards.box import DeckTeacher  # noqa: PLC0415

        return DeckTeacher()
    try:
        return RealTeacher.load()
    except ModelError as error:
        raise EyesError.of(error) from error


def _real_watch(eyes: Eyes, region: TableRegion | None, stills: bool) -> Watch:
    from vision.look import Eyes as RealEyes  # noqa: PLC0415  as above
    from vision.photo_watch import PhotoWatch  # noqa: PLC0415
    from vision.steady import STILL_FRAMES, TableWatch  # noqa: PLC0415

    if not isinstance(eyes, RealEyes):
        if stills:
            return PhotoWatch(eyes, region)
        raise EyesError("Playing cards cannot be watched live yet: play from a folder of stills, one or more a turn.")
    return TableWatch(eyes, region, 1 if stills else STILL_FRAMES)


@dataclass(frozen=True, slots=True)
class Wiring:
    """What the commands need from outside; all of it raises ``EyesError``."""

    load_eyes: Callable[[], Eyes]
    load_eyes_for: Callable[[TaughtBox], Eyes] = _load_real_eyes
    """Eyes that know a taught box."""
    load_teacher: Callable[[Faces], Teacher] = _load_real_teacher
    watch: Callable[[Eyes, TableRegion | None, bool], Watch] = _real_watch
    """Eyes that watch a table; with its region, and whether they are shown a folder of stills."""

    def knowing(self, box: TaughtBox) -> Wiring:
        """The same wiring, its eyes knowing a box."""
        return replace(self, load_eyes=lambda: self.load_eyes_for(box))


def product_wiring() -> Wiring:
    """The real eyes."""
    return Wiring(load_eyes=_load_real_eyes)
