"""What a person says of the camera's reading, one frozen value a tap.

Tiles and unread places are named by numbers that no edit changes: those of the camera's reading count from 0, and each
tile that a person added gets the next one.  Coordinates are pixels of the kept picture.
"""

from __future__ import annotations

from dataclasses import dataclass

from referee.observation import Point
from referee.tiles import Tile
from referee.told import ToldError


class EditError(ToldError):
    """What was said does not fit what lies there; one sentence."""


@dataclass(frozen=True, slots=True)
class Name:
    """The tile is this one; ``face`` None: it lies face-down."""

    tile: int
    face: Tile | None


@dataclass(frozen=True, slots=True)
class Remove:
    """No tile lies there."""

    tile: int


@dataclass(frozen=True, slots=True)
class Add:
    """A tile lies there that was not seen, its centre ``at``; it joins the set beside which it lies."""

    at: Point
    face: Tile | None


@dataclass(frozen=True, slots=True)
class Move:
    """The tile belongs beside another, ``after`` or before it in reading order; ``beside`` None: it lies alone."""

    tile: int
    beside: int | None
    after: bool = True


@dataclass(frozen=True, slots=True)
class Cut:
    """Another set begins with this tile."""

    tile: int


@dataclass(frozen=True, slots=True)
class Uncover:
    """A covered or cut tile is this one; ``face`` None: it lies face-down."""

    region: int
    face: Tile | None


@dataclass(frozen=True, slots=True)
class Clear:
    """What was taken for a covered or cut tile is none."""

    region: int


@dataclass(frozen=True, slots=True)
class SayTable:
    """The picture shows a table of number tiles, whatever it was taken for."""


Edit = Name | Remove | Add | Move | Cut | Uncover | Clear | SayTable
