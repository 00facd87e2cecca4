"""What can be laid: all tiles in sets, the best play from table and rack, the best opening.

Exact under every rule of sets.  Special jokers are refused: their sets are ``referee.solver.special``'s.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from operator import add

from referee.ruleset import RuleSet
from referee.solver.build import FACES, JOKER, free_runs, group_sets, limited_runs
from referee.solver.columns import FreeColumns, LimitedColumns
from referee.solver.groups import WIDTH, Counts, GroupRules
from referee.solver.runs import LimitedRuns, RunRules, runs_of
from referee.solver.search import Search
from referee.solver.task import Task
from referee.tiles import HIGHEST_NUMBER, Tile

__all__ = ["Aim", "Opening", "Play", "SpecialJokersError", "arrange", "best_opening", "best_play"]

_ROWS = HIGHEST_NUMBER + 1
_NUMBERS = tuple(range(_ROWS))
_ONES = (1,) * _ROWS
_ZEROS = (0,) * _ROWS
_EMPTY = ((0,) * WIDTH,) * _ROWS
_BELOW_HIGHEST = tuple(HIGHEST_NUMBER - number for number in _NUMBERS)
_PLACES = {tile: WIDTH * number + colour for number, row in enumerate(FACES, start=1) for colour, tile in enumerate(row)}
_FACE_ORDER = {tile: place for place, tile in enumerate((*_PLACES, JOKER))}

# What a joker is thought to be worth; measured on the bench, wrong values cost time only.
_PRICE_OF_TILES = 3
_PRICE_OF_VALUE = 20
_PRICE_OF_OPENING = 5

_Sets = tuple[tuple[Tile, ...], ...]


class SpecialJokersError(ValueError):
    """The tiles hold a special joker, and the solver knows regular jokers alone."""


class Aim(StrEnum):
    """What a best play lays most of."""

    TILES = "tiles"
    VALUE = "value"


@dataclass(frozen=True, slots=True)
class Play:
    """A play: the sets of the whole table afterwards, the rack tiles laid, and their face value."""

    sets: _Sets
    laid: tuple[Tile, ...]
    value: int


@dataclass(frozen=True, slots=True)
class Opening:
    """Sets laid from a rack alone, and their value; a joker counts as the tile that it stands for."""

    sets: _Sets
    value: int


def arrange(tiles: Sequence[Tile], ruleset: RuleSet) -> _Sets | None:
    """All these tiles in legal sets; None where that is impossible.

    Raises ``SpecialJokersError`` for a special joker.
    """
    cells, jokers = _counted(tiles)
    task = Task(
        must=cells,
        may=cells,
        leaving=_ZEROS,
        jokers_must=jokers,
        jokers_may=jokers,
        joker_costs=_ZEROS,
        joker_leaving=0,
        joker_price=1,
        most_cost=0,
    )
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
    lying = [tile for one in table for tile in one]
    must, jokers_lying = _counted(lying)
    held, jokers_held = _counted(rack)
    by_value = aim is Aim.VALUE
    worth = _NUMBERS if by_value else _ONES
    joker_worth = joker_value if by_value else 1
    task = Task(
        must=must,
        may=[tuple(map(add, ours, theirs)) for ours, theirs in zip(must, held, strict=True)],
        leaving=worth,
        jokers_must=jokers_lying,
        jokers_may=jokers_lying + jokers_held,
        joker_costs=_ZEROS,
        joker_leaving=joker_worth,
        joker_price=_PRICE_OF_VALUE if by_value else _PRICE_OF_TILES,
        most_cost=sum([number * sum(row) for number, row in zip(worth, held, strict=True)]) + joker_worth * jokers_held,
    )
    found = _solve(task, ruleset)
    if found is None:
        return None
    _, sets = found
    laid = _laid(sets, lying)
    return Play(sets, laid, sum([joker_value if tile.number is None else tile.number for tile in laid]))


def best_opening(rack: Sequence[Tile], ruleset: RuleSet) -> Opening:
    """The sets of the highest value that these tiles alone make; no sets and 0 where they make none.

    Where no joker may stand for a tile of which all copies are in sight, only the opening itself is in sight.
    Raises ``SpecialJokersError`` for a special joker.
    """
    held, jokers = _counted(rack)
    if not ruleset.open_joker_allowed:
        jokers = 0
    most = sum([number * sum(row) for number, row in enumerate(held)]) + HIGHEST_NUMBER * jokers
    task = Task(
        must=_EMPTY,
        may=held,
        leaving=_NUMBERS,
        jokers_must=0,
        jokers_may=jokers,
        joker_costs=_BELOW_HIGHEST,
        joker_leaving=HIGHEST_NUMBER,
        joker_price=_PRICE_OF_OPENING,
        most_cost=most,
    )
    found = _solve(task, ruleset)
    return Opening((), 0) if found is None else Opening(found[1], most - found[0])


def _solve(task: Task, ruleset: RuleSet) -> tuple[int, _Sets] | None:
    """The least cost and the sets."""
    jokers = task.jokers_may
    groups = GroupRules(ruleset.min_set_length, ruleset.jokers_per_set_max)
    limit = ruleset.jokers_per_set_max if jokers > ruleset.jokers_per_set_max else None
    adjacent = ruleset.jokers_adjacent or jokers < 2
    if ruleset.joker_for_exhausted_tile or not jokers:
        if limit is None and adjacent and not ruleset.wrap_13_1:
            runs = runs_of(ruleset.min_set_length, max([max(row) for row in task.may]) + jokers)
            found = Search(task, FreeColumns(task, groups, runs), groups).run()
            if found is None:
                return None
            cost, layers = found
            return cost, (*free_runs(layers, FACES), *group_sets(task, layers, FACES, groups))
    else:
        task = replace(task, full=_full(ruleset))
    return _solve_limited(task, groups, RunRules(ruleset.min_set_length, limit, adjacent, ruleset.wrap_13_1))


def _solve_limited(task: Task, groups: GroupRules, rules: RunRules) -> tuple[int, _Sets] | None:
    """The same where runs need to be told apart; the circle of numbers is cut where fewest runs can cross."""
    faces: Sequence[Sequence[Tile]] = FACES
    if rules.wrap:
        cut = min(range(1, _ROWS), key=lambda number: sum(task.may[number]))
        task, faces = _turned(task, cut), (*FACES[cut:], *FACES[:cut])
    runs = LimitedRuns(rules)
    found = Search(task, LimitedColumns(task, groups, runs), groups).run()
    if found is None:
        return None
    cost, layers = found
    return cost, (*limited_runs(layers, faces, runs), *group_sets(task, layers[1:], faces, groups))


def _turned(task: Task, cut: int) -> Task:
    """The same task with the number after ``cut`` as the first, ``cut`` as the last."""
    order = (0, *range(cut + 1, _ROWS), *range(1, cut + 1))
    return replace(
        task,
        must=[task.must[number] for number in order],
        may=[task.may[number] for number in order],
        leaving=[task.leaving[number] for number in order],
        joker_costs=[task.joker_costs[number] for number in order],
        full=None if task.full is None else [task.full[number] for number in order],
    )


def _full(ruleset: RuleSet) -> list[Counts]:
    """How many copies of each tile the boxes hold."""
    return [(0,) * WIDTH, *(tuple(ruleset.held(tile) for tile in row) for row in FACES)]


def _counted(tiles: Sequence[Tile]) -> tuple[list[Counts], int]:
    """How many plain tiles there are, by number and colour, and how many jokers."""
    cells = [0] * (WIDTH * _ROWS)
    jokers = 0
    for tile in tiles:
        if tile in _PLACES:
            cells[_PLACES[tile]] += 1
        elif tile == JOKER:
            jokers += 1
        else:
            raise SpecialJokersError(f"{tile} is a special joker, and the solver knows regular jokers alone")
    return [tuple(cells[i : i + WIDTH]) for i in range(0, len(cells), WIDTH)], jokers


def _laid(sets: _Sets, lying: Sequence[Tile]) -> tuple[Tile, ...]:
    """The tiles that came to the table, by number and colour, jokers last."""
    counts = Counter([tile for one in sets for tile in one])
    counts.subtract(lying)
    return tuple(sorted(counts.elements(), key=_FACE_ORDER.__getitem__))
