"""What can be laid: all tiles into sets, the best play from table and rack, the best opening.

Exact for regular jokers under every rule of sets; who asks for a special joker is refused.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from referee.ruleset import RuleSet
from referee.solver.build import build_sets
from referee.solver.search import LAYERS, Task, solve
from referee.tiles import HIGHEST_NUMBER, Colour, Joker, Tile

__all__ = ["Aim", "Opening", "Play", "SpecialJokersError", "arrange", "best_opening", "best_play"]

_JOKER = Tile(joker=Joker.REGULAR)


class SpecialJokersError(ValueError):
    """The tiles hold a special joker: the solver knows regular jokers alone."""


class Aim(StrEnum):
    """What a best play lays most of."""

    TILES = "tiles"
    VALUE = "value"


@dataclass(frozen=True, slots=True)
class Play:
    """A play: the whole table afterwards, the rack tiles laid, and their face value."""

    sets: tuple[tuple[Tile, ...], ...]
    laid: tuple[Tile, ...]
    value: int


@dataclass(frozen=True, slots=True)
class Opening:
    """Sets laid from a rack alone, and their value; a joker counts as the tile that it stands for."""

    sets: tuple[tuple[Tile, ...], ...]
    value: int


def arrange(tiles: Sequence[Tile], ruleset: RuleSet) -> tuple[tuple[Tile, ...], ...] | None:
    """All these tiles in legal sets; None where that is impossible.

    Raises ``SpecialJokersError`` for a special joker.
    """
    counts = _counted(tiles)
    jokers = counts[_JOKER]
    cells = _cells(counts)
    task = Task(cells, cells, (0,) * LAYERS, jokers, jokers, (0,) * LAYERS, 0, ruleset)
    found = solve(task)
    return None if found is None else build_sets(task, *found[1])


def best_play(
    table: Sequence[Sequence[Tile]],
    rack: Sequence[Tile],
    ruleset: RuleSet,
    aim: Aim = Aim.TILES,
    joker_value: int = 0,
) -> Play | None:
    """The play that lays most rack tiles, or most face value, where the table may be rearranged freely.

    Every tile of the table stays.  None where the table's own tiles cannot be kept in legal sets whatever is added.
    Raises ``SpecialJokersError`` for a special joker.
    """
    lying = _counted([tile for one in table for tile in one])
    together = lying + _counted(rack)
    by_value = aim is Aim.VALUE
    task = Task(
        _cells(lying),
        _cells(together),
        tuple(range(1, LAYERS + 1)) if by_value else (1,) * LAYERS,
        lying[_JOKER],
        together[_JOKER],
        (0,) * LAYERS,
        joker_value if by_value else 1,
        ruleset,
    )
    found = solve(task)
    if found is None:
        return None
    sets = build_sets(task, *found[1])
    laid = Counter(tile for one in sets for tile in one) - lying
    tiles = tuple(sorted(laid.elements(), key=_order))
    return Play(sets, tiles, sum(joker_value if tile.number is None else tile.number for tile in tiles))


def best_opening(rack: Sequence[Tile], ruleset: RuleSet) -> Opening:
    """The sets of the highest value that these tiles alone make.

    Raises ``SpecialJokersError`` for a special joker.
    """
    counts = _counted(rack)
    jokers = counts[_JOKER] if ruleset.open_joker_allowed else 0
    cells = _cells(counts)
    worth = range(1, LAYERS + 1)
    below = tuple(HIGHEST_NUMBER - number for number in worth)
    none = ((0,) * len(Colour),) * LAYERS
    task = Task(none, cells, tuple(worth), 0, jokers, below, HIGHEST_NUMBER, ruleset)
    found = solve(task)
    if found is None:
        return Opening((), 0)
    most = sum(number * sum(row) for number, row in zip(worth, cells, strict=True)) + HIGHEST_NUMBER * jokers
    return Opening(build_sets(task, *found[1]), most - found[0])


def _counted(tiles: Sequence[Tile]) -> Counter[Tile]:
    counts = Counter(tiles)
    special = sorted(str(tile) for tile in counts if tile.joker not in {None, Joker.REGULAR})
    if special:
        raise SpecialJokersError(f"{special[0]} is a special joker: the solver knows regular jokers alone")
    return counts


def _cells(counts: Counter[Tile]) -> tuple[tuple[int, ...], ...]:
    return tuple(
        tuple(counts[Tile(colour=colour, number=number)] for colour in Colour) for number in range(1, LAYERS + 1)
    )


def _order(tile: Tile) -> tuple[bool, str, int]:
    return tile.is_joker, str(tile.colour), tile.number or 0
