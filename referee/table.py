"""What of an observation is a set, what lies alone, and what a doubtful tile may be."""

from __future__ import annotations

from dataclasses import dataclass

from referee.observation import Kind, Observation, Reading, Row, SeenTile
from referee.tiles import Tile

PLAUSIBLE_P = 0.01
"""A reading of a doubtful tile counts as plausible from this probability on."""

UNLISTED_P = 0.05
"""When the listed readings of a doubtful tile leave more than this probability open, it may be any tile."""


@dataclass(frozen=True, slots=True)
class Plausible:
    """What a tile may be: ``tiles`` by falling probability, and any other tile too when ``anything``."""

    tiles: tuple[Tile, ...]
    anything: bool = False

    @property
    def is_joker(self) -> bool:
        """Whether this is surely a joker, of whatever kind."""
        return not self.anything and all(tile.is_joker for tile in self.tiles)

    def allows(self, tile: Tile) -> bool:
        return self.anything or tile in self.tiles


def plausible(seen: SeenTile) -> Plausible:
    """What a face may be.  A tile that is not doubtful is its first reading.

    A joker whose kind is open is any of its joker readings.  Any other doubtful tile is any of its readings from
    ``PLAUSIBLE_P`` on, the first in any case; where that leaves a single one, all listed readings count, because
    something made the tile doubtful.  It may be any tile when a single reading is listed or the listed ones leave more
    than ``UNLISTED_P`` open.

    Raises ``ValueError`` for a face-down tile.
    """
    if seen.kind is Kind.BACK:
        raise ValueError("a face-down tile has no readings")
    first, *others = seen.readings
    if not seen.doubtful:
        return Plausible((first.tile,))
    if seen.joker_open:
        return Plausible(tuple(reading.tile for reading in seen.readings if reading.tile.is_joker))
    likely = [reading.tile for reading in others if face_p(seen, reading) >= PLAUSIBLE_P]
    tiles = (first.tile, *(likely or [reading.tile for reading in others]))
    return Plausible(tiles, len(tiles) == 1 or sum(reading.p for reading in seen.readings) < 1 - UNLISTED_P)


def face_p(seen: SeenTile, reading: Reading) -> float:
    """The probability that the tile shows this reading's face: all kinds of joker have one."""
    if not reading.tile.is_joker:
        return reading.p
    return sum(other.p for other in seen.readings if other.tile.is_joker)


def first_reading(seen: SeenTile) -> Tile:
    """What the pixels say first; raises ``ValueError`` for a face-down tile."""
    return plausible(seen).tiles[0]


def split_table(observation: Observation) -> tuple[tuple[Row, ...], tuple[int, ...]]:
    """The rows that are sets (they show at least one face), and the indices of all other tiles in rising order.

    A row of nothing but face-down tiles is a stack of the pool, not a set.
    """
    rows = tuple(row for row in observation.rows if any(_is_face(observation, i) for i in row.tiles))
    placed = {i for row in rows for i in row.tiles}
    return rows, tuple(i for i in range(len(observation.tiles)) if i not in placed)


def _is_face(observation: Observation, index: int) -> bool:
    return observation.tiles[index].kind is Kind.FACE
