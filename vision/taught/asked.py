"""How somebody said that a box lies."""

from __future__ import annotations

from dataclasses import dataclass

from referee.tiles import Colour, Tile

USUAL_ORDER = (Colour.RED, Colour.BLUE, Colour.BLACK, Colour.ORANGE)


@dataclass(frozen=True, slots=True)
class Asked:
    """The colours' order from top to bottom, or instead the tiles of each row from left to right."""

    order: tuple[Colour, ...] = USUAL_ORDER
    told: tuple[tuple[Tile, ...], ...] | None = None
