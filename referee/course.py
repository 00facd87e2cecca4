"""Two tables of sure tiles as sets, and what differs between them: the course of one turn, as far as it shows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations

from referee.findings import Finding, FindingCode
from referee.notation import NotedTable, Places
from referee.ruleset import RuleSet
from referee.set_ruling import SetKind
from referee.sets import judge_set
from referee.tiles import Joker, Tile

MOST_JOKERS_MATCHED = 5
"""In a set with more jokers than this, only the order as laid and its mirror image are compared."""


@dataclass(frozen=True, slots=True)
class JokerPlace:
    """A joker on a table: its place among all tiles, its kind, what it may stand for (see ``JokerMeaning``)."""

    place: int
    kind: Joker
    possible: tuple[Tile, ...]


@dataclass(frozen=True, eq=False)
class TableSet:
    """A set on a table of sure tiles: where it starts among all tiles, what it is, and its jokers."""

    start: int
    tiles: tuple[Tile, ...]
    kind: SetKind
    value: int | None
    findings: tuple[Finding, ...]
    jokers: tuple[JokerPlace, ...]

    @cached_property
    def content(self) -> Counter[Tile]:
        """How many of each tile there are; counted only for sets that the turn changed."""
        return Counter(self.tiles)

    @property
    def key(self) -> frozenset[object]:
        """The same for two sets of the same tiles, whatever their order."""
        alike = frozenset[object](self.tiles)
        return alike if len(alike) == len(self.tiles) else frozenset(self.content.items())


class Course:
    """Two tables of sure tiles, and what differs: made once for each turn."""

    def __init__(self, before: NotedTable, after: NotedTable, ruleset: RuleSet) -> None:
        self.ruleset = ruleset
        self.before = _read_table(before, ruleset)
        self.after = _read_table(after, ruleset)
        table_before = Counter([tile for one in self.before for tile in one.tiles])
        self.table_after = Counter([tile for one in self.after for tile in one.tiles])
        self.played = self.table_after - table_before
        self.taken = table_before - self.table_after
        self.changed, self.new = _unmatched(self.before, self.after)

    def tile_after(self, place: int) -> Tile:
        """The tile at a place of the table after."""
        one = next(one for one in reversed(self.after) if one.start <= place)
        return one.tiles[place - one.start]

    @property
    def moved(self) -> tuple[Tile, ...]:
        """The tiles of changed sets that are not together with the rest of their set any more."""
        company: dict[Tile, list[TableSet]] = {}
        for other in self.new:
            for tile in other.content:
                company.setdefault(tile, []).append(other)
        gone = Counter(self.taken)
        moved = []
        for one in self.changed:
            shared = Counter([other for tile in one.tiles for other in company.get(tile, ())])
            room = Counter(shared.most_common(1)[0][0].content) if shared else Counter[Tile]()
            for tile in one.tiles:
                if room[tile]:
                    room[tile] -= 1
                elif gone[tile]:
                    gone[tile] -= 1
                else:
                    moved.append(tile)
        return tuple(moved)


def _read_table(table: NotedTable, ruleset: RuleSet) -> list[TableSet]:
    sets = []
    start = 0
    exhausted = frozenset[Tile]() if ruleset.joker_for_exhausted_tile else _exhausted(table, ruleset)
    for places in table:
        sets.append(read_set(places, start, ruleset, exhausted))
        start += len(places)
    return sets


def _exhausted(table: NotedTable, ruleset: RuleSet) -> frozenset[Tile]:
    """The tiles all copies of which lie on a table of sure tiles."""
    lying = Counter([place.readings[0] for places in table for place in places])
    return frozenset(tile for tile, count in lying.items() if not tile.is_joker and count >= ruleset.held(tile))


def read_set(places: Places, start: int, ruleset: RuleSet, exhausted: frozenset[Tile]) -> TableSet:
    """A set of sure tiles that begins at a place of its table; for ``exhausted`` tiles no joker may stand."""
    tiles = tuple([place.readings[0] for place in places])
    ruling = judge_set(tiles, ruleset, exhausted)
    value, findings = ruling.value, ruling.findings
    if not ruling.meanings and not any(tile.joker for tile in tiles):
        return TableSet(start, tiles, ruling.kind, value, findings, ())
    written = {i: place.meaning for i, place in enumerate(places) if place.meaning is not None}
    if written:
        meant = judge_set([written.get(i, tile) for i, tile in enumerate(tiles)], ruleset)
        if ruling.legal and not meant.legal:
            findings = meant.findings
        value = meant.value
        if gone := {str(tile): i for i, tile in written.items() if tile in exhausted}:
            params = (("exhausted", tuple(sorted(gone))),)
            findings = (*findings, Finding(FindingCode.JOKER_FOR_EXHAUSTED_TILE, tuple(gone.values()), params))
    jokers = []
    meanings = {meaning.place: meaning for meaning in ruling.meanings}
    for i, tile in enumerate(tiles):
        if tile.joker is not None:
            known = meanings.get(i)
            possible = (written[i],) if i in written else known.possible if known else ()
            jokers.append(JokerPlace(start + i, tile.joker, possible))
    return TableSet(start, tiles, ruling.kind, value, findings, tuple(jokers))


def _unmatched(before: Sequence[TableSet], after: Sequence[TableSet]) -> tuple[list[TableSet], list[TableSet]]:
    """The sets that are not one and the same on both tables: the same tiles, and jokers that may mean the same.

    As many as possible are the same; of several that one may be, the dearest is left over: it may be an opening.
    """
    twins: dict[frozenset[object], list[TableSet]] = {}
    for one in sorted(after, key=lambda one: one.value or 0):
        twins.setdefault(one.key, []).append(one)
    partners: dict[TableSet, TableSet] = {}
    changed = [one for one in before if not _paired(one, twins.get(one.key, ()), partners, set())]
    return changed, [one for one in after if one not in partners]


def _paired(one: TableSet, twins: Sequence[TableSet], partners: dict[TableSet, TableSet], asked: set[TableSet]) -> bool:
    """Find a twin for a set, if need be by finding another one for the set that has it; ``partners`` are by twin."""
    for other in twins:
        if other in asked or not _same_meanings(one, other):
            continue
        asked.add(other)
        if other not in partners or _paired(partners[other], twins, partners, asked):
            partners[other] = one
            return True
    return False


def _same_meanings(one: TableSet, other: TableSet) -> bool:
    if not one.jokers:
        return True
    few = len(other.jokers) <= MOST_JOKERS_MATCHED
    orders = permutations(other.jokers) if few else (other.jokers, other.jokers[::-1])
    return any(
        all(_may_be_the_same(ours, theirs) for ours, theirs in zip(one.jokers, order, strict=True)) for order in orders
    )


def _may_be_the_same(ours: JokerPlace, theirs: JokerPlace) -> bool:
    if ours.kind is not theirs.kind:
        return False
    return not (ours.possible and theirs.possible) or bool(set(ours.possible) & set(theirs.possible))
