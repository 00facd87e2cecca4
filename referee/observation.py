"""What was seen on a table, before any rule was applied (vision → referee).

Coordinates are pixels of the upright picture, x to the right, y down.  No judgement lives here: a row is
geometry, a reading is a probability.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from referee.tiles import Tile

JOKER_KINDS_READ = "joker_kinds_read"
"""Note on a picture whose jokers are read by kind, for the box was taught with its kinds."""

Point = tuple[float, float]
Quad = tuple[Point, Point, Point, Point]
"""Corners of a tile's face: top-left, top-right, bottom-right, bottom-left of the upright numeral."""


UNLIKE_TILES = "unlike_tiles"
"""A note: what lies here does not read as tiles with numbers."""
DRAWN = "drawn"
"""A note: a drawing, a screenshot or a photo of a screen, no photo of a table."""


class Scene(StrEnum):
    """What the picture shows as a whole."""

    TABLE = "table"
    RACK = "rack"
    EMPTY = "empty"


class Kind(StrEnum):
    """Which side of a tile is up."""

    FACE = "face"
    BACK = "back"


@dataclass(frozen=True, slots=True)
class Reading:
    """One candidate for a tile with its calibrated probability, 0 to 1."""

    tile: Tile
    p: float


@dataclass(frozen=True, slots=True)
class SeenTile:
    """One tile in the picture.

    ``readings`` are sorted by falling probability; a face has at least one, a back has none.  ``confidence`` is the
    calibrated probability that the first reading is right (for a back: that it is a face-down tile).  ``joker_open``:
    this is surely a joker, of a kind that the picture does not tell; its joker readings come first.  ``facing`` is the
    calibrated probability that ``quad`` begins at the top of an upright numeral; None where nobody asked for it.
    """

    quad: Quad
    kind: Kind
    readings: tuple[Reading, ...]
    confidence: float
    doubtful: bool
    joker_open: bool = False
    facing: float | None = None

    def __post_init__(self) -> None:
        if (self.kind is Kind.FACE) != bool(self.readings):
            raise ValueError("a face needs at least one reading, a face-down tile has none")


@dataclass(frozen=True, slots=True)
class Row:
    """Neighbouring tiles in reading order: indices into ``Observation.tiles``, at least two.

    ``gaps`` lie between neighbours, in tile widths (negative: overlapping); there are none where a set was written down
    and not seen.  ``unread_touching`` are indices into
    ``Observation.unread`` of covered or cut tiles that touch the row.
    """

    tiles: tuple[int, ...]
    gaps: tuple[float, ...]
    unread_touching: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Observation:
    """Everything seen in one frame. ``rows`` and ``loose`` together hold each tile index exactly once."""

    width: int
    height: int
    scene: Scene
    tiles: tuple[SeenTile, ...] = ()
    rows: tuple[Row, ...] = ()
    loose: tuple[int, ...] = ()
    unread: tuple[Quad, ...] = ()
    taken_at: float | None = None
    """Seconds since the epoch when the frame was captured; None for a photo of unknown time."""
    notes: tuple[str, ...] = field(default=())
    """Codes of what was odd about the picture as a whole, such as ``second_reader_absent`` or ``UNLIKE_TILES``."""

    def __post_init__(self) -> None:
        placed = sorted([i for row in self.rows for i in row.tiles] + list(self.loose))
        if placed != list(range(len(self.tiles))):
            raise ValueError("rows and loose tiles must hold every tile index exactly once")
