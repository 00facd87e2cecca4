"""Turns in which a set with doubtful tiles looks the same before and after: it is taken for one and the same set.

Whatever a doubtful tile of such a set is, it is that in both pictures, so it cannot have been exchanged.  This ties
the two readings of one tile to each other and settles neither: the verdict stands only where every reading gives it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product
from math import prod

from referee.findings import Finding, FindingCode, Severity
from referee.notation import NotedTable, Place, Places
from referee.ruleset import RuleSet
from referee.ruling import Verdict
from referee.tiles import Tile
from referee.turn import MOST_READINGS, Player, TurnRuling, judge_turn
from web.given import over_held

Readings = tuple[Tile, ...]


def judge_alike(before: NotedTable, after: NotedTable, player: Player, ruleset: RuleSet, *, drew: bool) -> TurnRuling:
    """``judge_turn``, sets that look the same on both tables being the same."""
    pairs = list(_pairs(before, after))
    choices = [[*product(*(place.readings for place in before[one]))] for one, _ in pairs]
    if not pairs or prod(len(choice) for choice in choices) > MOST_READINGS:
        return judge_turn(before, after, player, ruleset, drew=drew)
    tables = [_settled(before, after, pairs, chosen) for chosen in product(*choices)]
    possible = [both for both in tables if not over_held(_places(both[1]), ruleset)] or tables
    rulings = [judge_turn(one, other, player, ruleset, drew=drew) for one, other in possible]
    if len({ruling.verdict for ruling in rulings}) == 1:
        return rulings[0]
    return replace(rulings[0], verdict=Verdict.CANNOT_TELL, findings=tuple(_doubts(after, pairs)), opening=None)


def _pairs(before: NotedTable, after: NotedTable) -> Iterator[tuple[int, int]]:
    """The sets with doubtful tiles, but no hidden ones, that look the same: their places on the two tables."""
    waiting: defaultdict[object, list[int]] = defaultdict(list)
    for index, places in enumerate(after):
        waiting[_look(places)].append(index)
    for index, places in enumerate(before):
        doubtful = all(place.readings for place in places) and any(len(place.readings) > 1 for place in places)
        if doubtful and waiting[_look(places)]:
            yield index, waiting[_look(places)].pop(0)


def _look(places: Places) -> frozenset[object]:
    return frozenset(Counter((place.readings, place.meaning) for place in places).items())


def _settled(
    before: NotedTable, after: NotedTable, pairs: Sequence[tuple[int, int]], chosen: Sequence[Readings]
) -> tuple[NotedTable, NotedTable]:
    """Both tables with the tiles chosen for each pair of sets."""
    earlier, later = list(before), list(after)
    for (one, other), tiles in zip(pairs, chosen, strict=True):
        taken: defaultdict[Readings, list[Tile]] = defaultdict(list)
        for place, tile in zip(before[one], tiles, strict=True):
            taken[place.readings].append(tile)
        earlier[one] = tuple(Place((tile,), place.meaning) for place, tile in zip(before[one], tiles, strict=True))
        later[other] = tuple(Place((taken[place.readings].pop(0),), place.meaning) for place in after[other])
    return tuple(earlier), tuple(later)


def _doubts(after: NotedTable, pairs: Sequence[tuple[int, int]]) -> Iterator[Finding]:
    for _, index in pairs:
        start = sum(len(places) for places in after[:index])
        for at, place in enumerate(after[index], start):
            if len(place.readings) > 1:
                readings = tuple(str(tile) for tile in place.readings)
                yield Finding(FindingCode.DOUBTFUL_TILE, (at,), (("readings", readings),), Severity.DOUBT)


def _places(table: NotedTable) -> Places:
    return tuple(place for places in table for place in places)
