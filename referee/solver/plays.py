"""What can be laid: all tiles in sets, the best play from table and rack, the best opening.

Exact under every rule of sets.  Special jokers are refused: their sets are ``referee.solver.special``'s.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from operator import add

from referee.ruleset import RuleSet
from referee.sets import judge_set
from referee.solver.build import FACES, JOKER
from referee.solver.groups import WIDTH, Counts
from referee.solver.solve import Sets, solve
from referee.solver.task import ROWS, Task
from referee.tiles import HIGHEST_NUMBER, Joker, Tile

__all__ = [
    "FACE_ORDER",
    "Aim",
    "GentlePlay",
    "Opening",
    "Play",
    "SpecialJokersError",
    "arrange",
    "best_opening",
    "best_play",
    "gentle_play",
    "play_to",
    "without_special",
]

_NUMBERS = tuple(range(ROWS))
_ONES = (1,) * ROWS
_ZEROS = (0,) * ROWS
_EMPTY = ((0,) * WIDTH,) * ROWS
_BELOW_HIGHEST = tuple(HIGHEST_NUMBER - number for number in _NUMBERS)
_PLACES = {tile: place for place, tile in enumerate([tile for row in FACES for tile in row], start=WIDTH)}
"""Where each plain tile is counted; the row before the first is empty."""
FACE_ORDER = {tile: place for place, tile in enumerate((*_PLACES, *(Tile(joker=kind) for kind in Joker)))}
"""Tiles by number and colour, jokers last."""

# What a joker is thought to be worth; measured on the bench, wrong values cost time only.
_PRICE_OF_TILES = 3
_PRICE_OF_VALUE = 26
_PRICE_OF_OPENING = 5


class SpecialJokersError(ValueError):
    """The tiles hold a special joker, and the solver knows regular jokers alone."""


def without_special(tiles: Iterable[Tile]) -> tuple[Tile, ...]:
    """The tiles that the solver knows: what they can do is the least that all of them can."""
    return tuple(tile for tile in tiles if not tile.is_special)


class Aim(StrEnum):
    """What a best play lays most of."""

    TILES = "tiles"
    VALUE = "value"


@dataclass(frozen=True, slots=True)
class Play:
    """A play: the sets of the whole table afterwards, the rack tiles laid, and their face value."""

    sets: Sets
    laid: tuple[Tile, ...]
    value: int


@dataclass(frozen=True, slots=True)
class GentlePlay:
    """A best play, and which sets of the table (their places) lie on it as before; those come first in its sets."""

    play: Play
    untouched: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Opening:
    """Sets laid from a rack alone, and their value; a joker counts as the tile that it stands for."""

    sets: Sets
    value: int


def arrange(tiles: Sequence[Tile], ruleset: RuleSet) -> Sets | None:
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
    found = solve(task, ruleset)
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
    found = solve(_play_task(lying, rack, aim, joker_value), ruleset)
    return None if found is None else play_to(found[1], lying, joker_value)


def gentle_play(
    table: Sequence[Sequence[Tile]],
    rack: Sequence[Tile],
    ruleset: RuleSet,
    aim: Aim = Aim.TILES,
    joker_value: int = 0,
) -> GentlePlay | None:
    """A best play that leaves many sets of the table as they lie; None as for ``best_play``.

    The sets are fixed one by one where that costs nothing; that a few more could be left is possible.
    """
    lying = [tile for one in table for tile in one]
    found = solve(_play_task(lying, rack, aim, joker_value), ruleset)
    if found is None:
        return None
    cost, rest = found[0], list(found[1])
    good = [i for i, one in enumerate(table) if one and _lies_well(one, ruleset)]
    if not ruleset.joker_for_exhausted_tile and JOKER in (*lying, *rack):
        good = []  # what a joker may stand for depends on every set at once
    fixed = [i for i in good if _take(rest, table[i])]
    for i in good:
        if i in fixed:
            continue
        if not _take(rest, table[i]):
            free = [tile for k, one in enumerate(table) if k not in fixed and k != i for tile in one]
            found = solve(replace(_play_task(free, rack, aim, joker_value), most_cost=cost), ruleset)
            if found is None:
                continue
            rest = list(found[1])
        fixed.append(i)
    fixed.sort()
    return GentlePlay(play_to((*[tuple(table[i]) for i in fixed], *rest), lying, joker_value), tuple(fixed))


def _lies_well(one: Sequence[Tile], ruleset: RuleSet) -> bool:
    ruling = judge_set(one, ruleset)
    return bool(ruling.legal) and not ruling.findings


def _take(sets: list[tuple[Tile, ...]], one: Sequence[Tile]) -> bool:
    """Take a set of these tiles out of ``sets``, if there is one."""
    wanted = sorted(one, key=FACE_ORDER.__getitem__)
    for k, other in enumerate(sets):
        if len(other) == len(wanted) and sorted(other, key=FACE_ORDER.__getitem__) == wanted:
            del sets[k]
            return True
    return False


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
    found = solve(task, ruleset)
    return Opening((), 0) if found is None else Opening(found[1], most - found[0])


def _counted(tiles: Sequence[Tile]) -> tuple[list[Counts], int]:
    """How many plain tiles there are, by number and colour, and how many jokers."""
    cells = [0] * (WIDTH * ROWS)
    jokers = 0
    for tile in tiles:
        if tile in _PLACES:
            cells[_PLACES[tile]] += 1
        elif tile == JOKER:
            jokers += 1
        else:
            raise SpecialJokersError(f"{tile} is a special joker, and the solver knows regular jokers alone")
    return [tuple(cells[i : i + WIDTH]) for i in range(0, len(cells), WIDTH)], jokers


def _play_task(lying: Sequence[Tile], rack: Sequence[Tile], aim: Aim, joker_value: int) -> Task:
    must, jokers_lying = _counted(lying)
    held, jokers_held = _counted(rack)
    by_value = aim is Aim.VALUE
    worth = _NUMBERS if by_value else _ONES
    joker_worth = joker_value if by_value else 1
    return Task(
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


def play_to(sets: Sets, lying: Sequence[Tile], joker_value: int) -> Play:
    """The play from a table of these tiles to these sets, which hold them all."""
    counts = Counter([tile for one in sets for tile in one])
    counts.subtract(lying)
    laid = tuple(sorted(counts.elements(), key=FACE_ORDER.__getitem__))
    return Play(sets, laid, sum([joker_value if tile.number is None else tile.number for tile in laid]))
