"""What can be laid: all tiles into sets, the best play from table and rack, the best opening.

Exact for regular jokers under every rule of sets; who asks for a special joker is refused.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from referee.ruleset import RuleSet
from referee.solver.build import FACES, build_sets
from referee.solver.groups import GroupRules
from referee.solver.runs import runs_of
from referee.solver.search import Search, Task
from referee.tiles import HIGHEST_NUMBER, Joker, Tile

__all__ = ["Aim", "Opening", "Play", "SpecialJokersError", "arrange", "best_opening", "best_play"]

LAYERS = HIGHEST_NUMBER


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
    cells, jokers = _counted(tiles)
    nothing = (0,) * (LAYERS + 1)
    task = Task(cells, cells, nothing, jokers, jokers, nothing, 0, 1, 0)
    found = _solve(task, ruleset)
    return None if found is None else found[1]


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
    lying, jokers_lying = _counted([tile for one in table for tile in one])
    held, jokers_held = _counted(rack)
    by_value = aim is Aim.VALUE
    worth = _NUMBERS if by_value else _ONES
    joker_worth = joker_value if by_value else 1
    task = Task(
        must=lying,
        may=[tuple([a + b for a, b in zip(*rows, strict=True)]) for rows in zip(lying, held, strict=True)],
        leaving=worth,
        jokers_must=jokers_lying,
        jokers_may=jokers_lying + jokers_held,
        joker_costs=(0,) * (LAYERS + 1),
        joker_leaving=joker_worth,
        joker_price=PRICE_VALUE if by_value else PRICE_TILES,
        most_cost=sum(number * sum(row) for number, row in zip(worth, held, strict=True)) + joker_worth * jokers_held,
    )
    found = _solve(task, ruleset)
    if found is None:
        return None
    sets = found[1]
    left = Counter([tile for one in sets for tile in one])
    left.subtract([tile for one in table for tile in one])
    tiles = tuple(sorted(left.elements(), key=_order))
    return Play(sets, tiles, sum([joker_value if tile.number is None else tile.number for tile in tiles]))


def best_opening(rack: Sequence[Tile], ruleset: RuleSet) -> Opening:
    """The sets of the highest value that these tiles alone make.

    Raises ``SpecialJokersError`` for a special joker.
    """
    held, jokers = _counted(rack)
    if not ruleset.open_joker_allowed:
        jokers = 0
    most = sum([number * sum(row) for number, row in enumerate(held)]) + HIGHEST_NUMBER * jokers
    below = tuple([HIGHEST_NUMBER - number for number in range(LAYERS + 1)])
    task = Task(_NONE, held, _NUMBERS, 0, jokers, below, HIGHEST_NUMBER, PRICE_OPEN, most)
    found = _solve(task, ruleset)
    return Opening((), 0) if found is None else Opening(found[1], most - found[0])


_NUMBERS = tuple(range(LAYERS + 1))
_ONES = (1,) * (LAYERS + 1)
_NONE = ((0,) * 4,) * (LAYERS + 1)
PRICE_VALUE = 10
PRICE_TILES = 1
PRICE_OPEN = 5


def _solve(task: Task, ruleset: RuleSet):
    shortest = ruleset.min_set_length
    groups = GroupRules(shortest, ruleset.jokers_per_set_max)
    most = max([max(row) for row in task.may]) + task.jokers_may
    found = Search(task, runs_of(shortest, max(2, most)), groups).run()
    return None if found is None else (found[0], build_sets(found[1], shortest, groups))


def _counted(tiles):
    cells = [0] * (4 * (LAYERS + 1))
    jokers = 0
    for tile in tiles:
        place = _PLACES.get(tile)
        if place is None:
            if tile.joker is not Joker.REGULAR:
                raise SpecialJokersError(f"{tile} is a special joker: the solver knows regular jokers alone")
            jokers += 1
        else:
            cells[place] += 1
    return [tuple(cells[i : i + 4]) for i in range(0, len(cells), 4)], jokers

_PLACES = {tile: 4 * number + colour for number, row in enumerate(FACES, start=1) for colour, tile in enumerate(row)}


def _order(tile: Tile) -> tuple[bool, str, int]:
    return tile.is_joker, str(tile.colour), tile.number or 0
