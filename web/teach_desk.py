"""The work of ``tileref teach``: read the photos, learn the box, try it on them, keep it, and say all that."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from referee.observation import Kind, Observation
from referee.switches import Faces
from referee.tiles import Colour, Tile
from web.box_store import save
from web.exit_status import CANNOT_TELL, OK
from web.files import cause, write_whole
from web.given import InputError
from web.output import print_result, print_trouble
from web.teach_text import incomplete_deck, refusal, same_photo_twice, taught_text
from web.wiring import Eyes, Teacher, Wiring

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from vision.taught.asked import Asked
    from vision.taught.laid_out import LaidOut, LaidTile
    from vision.taught.outlook import Outlook

_SAME_TILE = 0.5
"""A tile seen lies where one was learned when their centres are nearer than this part of its height."""


@dataclass(frozen=True, slots=True)
class Lesson:
    """What is to be learned: each photo with the rows told of it (None: it lies in order), and the jokers' kinds."""

    name: str
    photos: tuple[tuple[Path, tuple[tuple[Tile, ...], ...] | None], ...]
    order: tuple[Colour, ...]
    jokers: tuple[Tile, ...] | None
    faces: Faces


@dataclass(frozen=True, slots=True)
class Page:
    """One photo of the lesson, uint8 (H, W, 3) BGR, and what lies where in it."""

    path: Path
    image: npt.NDArray[np.uint8]
    laid: LaidOut


@dataclass(frozen=True, slots=True)
class Reading:
    """How tiles that are known were read: ``silent`` ones wrongly without a doubt, ``missed`` ones not at all."""

    right: int
    doubtful: int
    silent: int
    missed: int


@dataclass(frozen=True, slots=True)
class Taught:
    """A lesson's outcome."""

    name: str
    faces: Faces
    order: tuple[Colour, ...]
    pages: tuple[Page, ...]
    jokers_told: int | None
    before: Reading | None
    """None where nothing reads such a box untaught."""
    after: Reading
    outlook: Outlook
    file: Path
    bytes: int

    @property
    def learned(self) -> Counter[Tile]:
        """How many examples of each tile were learned."""
        return Counter(tile.tile for page in self.pages for tile in page.laid.settled if tile.tile is not None)

    @property
    def has_questions(self) -> bool:
        """Whether something that lies there was not learned."""
        return any(page.laid.questions or page.laid.miscounted for page in self.pages)


def teach_box(lesson: Lesson, wiring: Wiring, *, replacing: bool, album_folder: Path | None) -> int:
    """Learn a box, keep it, print what was learned and return the exit status.

    A box that cannot be kept is not tried either.  Raises ``InputError`` and ``BoxStoreError`` when nothing can be
    learned or kept, ``EyesError`` and ``OutputError``.
    """
    from vision.cards.deck import DeckError  # noqa: PLC0415  numpy and OpenCV
    from vision.taught.asked import Asked  # noqa: PLC0415
    from vision.taught.laid_out import with_joker_kinds  # noqa: PLC0415

    images = [_picture(path) for path, _ in lesson.photos]
    _check_different(lesson, images)
    teacher = wiring.load_teacher(lesson.faces)
    pages = [
        _page(path, image, Asked(lesson.order, told), teacher)
        for (path, told), image in zip(lesson.photos, images, strict=True)
    ]
    if lesson.jokers is not None:
        laid = with_joker_kinds([page.laid for page in pages], lesson.jokers)
        pages = [Page(page.path, page.image, one) for page, one in zip(pages, laid, strict=True)]
    if not any(page.laid.settled for page in pages):
        raise InputError(refusal("nothing_settled", " and ".join(str(page.path) for page in pages)))
    try:
        box = teacher.learn(lesson.name, [(page.image, page.laid) for page in pages])
    except DeckError as error:
        raise InputError(incomplete_deck(error.missing)) from error
    file = save(box, replacing=replacing)
    before = _tried(wiring.load_eyes(), pages) if lesson.faces is Faces.TILES else None
    after = _tried(wiring.load_eyes_for(box), pages)
    jokers_told = None if lesson.jokers is None else len(lesson.jokers)
    taught = Taught(
        lesson.name,
        lesson.faces,
        lesson.order,
        tuple(pages),
        jokers_told,
        before,
        after,
        teacher.outlook(box),
        file,
        file.stat().st_size,
    )
    pictures = [] if album_folder is None else _drawn(taught.pages, album_folder, lesson.faces)
    print_result(taught_text(taught, pictures))
    return CANNOT_TELL if taught.has_questions else OK


def _picture(path: Path) -> npt.NDArray[np.uint8]:
    from vision.intake import PhotoError, read_photo  # noqa: PLC0415  numpy and Pillow

    try:
        return read_photo(path).image
    except PhotoError as error:
        raise InputError(str(error)) from error


def _check_different(lesson: Lesson, images: Sequence[npt.NDArray[np.uint8]]) -> None:
    """Raises ``InputError`` when the same picture was given twice: learned twice, every tile would seem to be there
    twice, and no tile would be tried on a photo that it was not learned from."""
    from vision.taught.same_picture import same_picture  # noqa: PLC0415  OpenCV

    if len(images) > 1 and same_picture(images[0], images[1]):
        raise InputError(same_photo_twice(*(str(path) for path, _ in lesson.photos)))


def _page(path: Path, image: npt.NDArray[np.uint8], asked: Asked, teacher: Teacher) -> Page:
    from vision.taught.laid_out import NotLaidOutError  # noqa: PLC0415  numpy and OpenCV

    try:
        return Page(path, image, teacher.lay_out(image, asked))
    except NotLaidOutError as error:
        raise InputError(refusal(error.code, str(path), error.seen, len(asked.told or ()))) from error


def _tried(eyes: Eyes, pages: Sequence[Page]) -> Reading:
    """How these eyes read the tiles that were learned."""
    counts: Counter[str] = Counter()
    for page in pages:
        observation = eyes.look(page.image).observation
        counts.update(_read_as(tile, observation) for tile in page.laid.settled)
    return Reading(counts["right"], counts["doubtful"], counts["silent"], counts["missed"])


def _read_as(tile: LaidTile, observation: Observation) -> str:
    x, y = tile.quad.mean(axis=0).tolist()
    height = float(((tile.quad[3] - tile.quad[0]) ** 2).sum() ** 0.5)

    def away(quad: Sequence[tuple[float, float]]) -> float:
        middle = sum(point[0] for point in quad) / 4, sum(point[1] for point in quad) / 4
        return float(((middle[0] - x) ** 2 + (middle[1] - y) ** 2) ** 0.5)

    nearest = min(observation.tiles, key=lambda seen: away(seen.quad), default=None)
    if nearest is None or away(nearest.quad) > _SAME_TILE * height:
        return "missed"
    if nearest.doubtful:
        return "doubtful"
    return "right" if nearest.kind is Kind.FACE and nearest.readings[0].tile == tile.tile else "silent"


def _drawn(pages: Sequence[Page], folder: Path, faces: Faces) -> list[Path]:
    """Draw what was learned on each photo and write the pictures; returns those that could be written."""
    from web.annotate_taught import picture_of  # noqa: PLC0415  OpenCV: only when pictures are drawn

    written: list[Path] = []
    for number, page in enumerate(pages, start=1):
        again = "" if page.path.stem not in {one.path.stem for one in pages[: number - 1]} else f"-{number}"
        path = folder / f"{page.path.stem}{again}.taught.jpg"
        try:
            write_whole(path, picture_of(page.image, page.laid, faces))
        except OSError as error:
            print_trouble(f"{path} cannot be written: {cause(error)}.")
        else:
            written.append(path)
    return written
