"""The one place where the front desk is joined to the eyes; tests hand in eyes made by hand.

The networks and their libraries are imported only when a command needs them, so that the command starts at once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from referee.observation import Observation


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


class EyesError(RuntimeError):
    """The networks cannot be loaded; the text is one sentence."""


@dataclass(frozen=True, slots=True)
class Wiring:
    """What the commands need from outside."""

    load_eyes: Callable[[], Eyes]
    """Raises ``EyesError``."""


def product_wiring() -> Wiring:
    """The real eyes."""
    return Wiring(load_eyes=_load_real_eyes)


def _load_real_eyes() -> Eyes:
    from vision.look import Eyes as RealEyes  # noqa: PLC0415  onnxruntime and OpenCV: only when a photo is looked at
    from vision.model_store import ModelError  # noqa: PLC0415

    try:
        return RealEyes.load()
    except ModelError as error:
        raise EyesError(str(error)) from error
