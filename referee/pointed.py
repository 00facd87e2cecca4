"""What a human says of the picture by pointing into it: no tile lies here, one lies there, this one is of that set.

A tile's name is no such word but a ``HumanAnswer``.  Each word is held by its place, not by the number of a tile, so it
holds from look to look.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from referee.observation import Quad
from referee.tiles import Tile


class Deed(StrEnum):
    """What is done with the place that is pointed at."""

    REMOVED = "removed"
    """No tile lies there."""
    ADDED = "added"
    """A tile lies there that was not seen."""
    MOVED = "moved"
    """The tile belongs to another set."""
    CUT = "cut"
    """Another set begins with the tile."""
    UNCOVERED = "uncovered"
    """The covered or cut tile is known."""
    CLEARED = "cleared"
    """What was taken for a covered or cut tile is none."""


OUTLASTING = frozenset({Deed.REMOVED, Deed.CLEARED})
"""What outlasts a turn: a place that the eyes take for a tile, or a covered one, and that is none."""


@dataclass(frozen=True, slots=True)
class Pointed:
    """One word.  ``quad`` is the place in the picture; ``tile`` what was added or uncovered (None: face-down);
    ``beside`` the neighbour of a moved tile (None: it lies alone), ``after`` or before it; ``read_as`` what the eyes
    read in the place when it was said.
    """

    deed: Deed
    quad: Quad
    tile: Tile | None = None
    beside: Quad | None = None
    after: bool = True
    read_as: Tile | None = None
