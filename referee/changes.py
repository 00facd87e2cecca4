"""What was added, moved and taken between two photos of one table.

The photos may be taken from different sides, so nothing is matched by pixels: a set is the same set when it holds
the same tiles, and among the others each goes with the one that shares most tiles with it.  Twin tiles are
interchangeable, so where only one of two twins moved, either may be named.  Face-down tiles of the pool are left out.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from referee.findings import Finding, FindingCode, Severity
from referee.observation import Kind, Observation
from referee.table import Plausible, plausible, split_table
from referee.tiles import Tile


class ChangeKind(StrEnum):
    """What happened to one tile."""

    ADDED = "added"
    MOVED = "moved"
    TAKEN = "taken"


@dataclass(frozen=True, slots=True)
class Change:
    """One tile that is not where it was.

    ``before`` and ``after`` are its indices into the tiles of the two observations (None: not there);
    ``before_set`` and ``after_set`` are the indices of its sets as the table's ruling counts them (None: loose or
    not there).  ``doubtful`` says that another plausible reading, or a hidden tile, may explain the change away;
    ``joker_kinds`` are what a joker may be whose kind the picture does not tell (else empty).
    """

    kind: ChangeKind
    tile: Tile
    before: int | None
    after: int | None
    before_set: int | None
    after_set: int | None
    doubtful: bool
    joker_kinds: tuple[Tile, ...] = ()

    @property
    def named(self) -> str:
        """The tile in notation, a joker of an open kind as all that it may be."""
        return "/".join(str(tile) for tile in self.joker_kinds or (self.tile,))


@dataclass(frozen=True, slots=True)
class TableChanges:
    """Everything that changed, and how many tiles stayed in their sets.

    ``set_pairs`` are the sets that are one and the same in both photos: (index before, index after).
    ``findings`` point into the tiles of the earlier observation.
    """

    changes: tuple[Change, ...]
    kept: int
    set_pairs: tuple[tuple[int, int], ...]
    findings: tuple[Finding, ...]

    @property
    def added(self) -> tuple[Change, ...]:
        return tuple(change for change in self.changes if change.kind is ChangeKind.ADDED)

    @property
    def moved(self) -> tuple[Change, ...]:
        return tuple(change for change in self.changes if change.kind is ChangeKind.MOVED)

    @property
    def taken(self) -> tuple[Change, ...]:
        return tuple(change for change in self.changes if change.kind is ChangeKind.TAKEN)


@dataclass(frozen=True, slots=True)
class _Placed:
    """One face on a table: its index, its set (None: loose) and what it may be."""

    index: int
    in_set: int | None
    reading: Plausible

    @property
    def tile(self) -> Tile:
        return self.reading.tiles[0]

    @property
    def joker_kinds(self) -> tuple[Tile, ...]:
        return self.reading.tiles if self.reading.is_joker and len(self.reading.tiles) > 1 else ()

    @property
    def doubtful(self) -> bool:
        return not self.joker_kinds and (self.reading.anything or len(self.reading.tiles) > 1)


@dataclass(frozen=True, slots=True)
class _Table:
    """The faces of one photo by set, the loose ones, and whether hidden tiles may hold any others."""

    sets: tuple[tuple[_Placed, ...], ...]
    loose: tuple[_Placed, ...]
    hides: bool


def compare_tables(before: Observation, after: Observation) -> TableChanges:
    """Compare two photos of one table by the content of their sets, not by where they lie in the picture.

    A change is doubtful when its tile is, when a doubtful tile that also changed may be the same tile, or when the
    other photo has unread or face-down tiles among its sets that may be it.
    """
    earlier, later = _table(before), _table(after)
    pairs = _pair_sets(earlier, later)
    gone, come, kept = _leftovers(earlier, later, pairs)
    moves = _pair_tiles(gone, come)
    moved_from, moved_to = {a.index for a, _ in moves}, {b.index for _, b in moves}
    taken = [placed for placed in gone if placed.index not in moved_from]
    added = [placed for placed in come if placed.index not in moved_to]
    changes = (
        *(_added(placed, taken, earlier.hides) for placed in added),
        *(_moved(a, b) for a, b in moves),
        *(_taken(placed, added, later.hides) for placed in taken),
    )
    identical = tuple((a, b) for a, b in pairs if _faces(earlier.sets[a]) == _faces(later.sets[b]))
    return TableChanges(changes, kept, identical, tuple(_findings(changes)))


def _table(observation: Observation) -> _Table:
    rows, loose = split_table(observation)
    seen = observation.tiles

    def placed(indices: Sequence[int], in_set: int | None) -> tuple[_Placed, ...]:
        return tuple(_Placed(i, in_set, plausible(seen[i])) for i in indices if seen[i].kind is Kind.FACE)

    hidden = any(seen[i].kind is Kind.BACK for row in rows for i in row.tiles)
    return _Table(
        sets=tuple(placed(row.tiles, number) for number, row in enumerate(rows)),
        loose=placed(loose, None),
        hides=hidden or bool(observation.unread),
    )


def _faces(placed: Sequence[_Placed]) -> Counter[Tile]:
    return Counter(one.tile for one in placed)


def _pair_sets(earlier: _Table, later: _Table) -> list[tuple[int, int]]:
    """Which set before is which set after: those that share most tiles first, and of these the most alike.

    Two equal sets thus always find each other: nothing shares more tiles with either.
    """
    before, after = [_faces(one) for one in earlier.sets], [_faces(one) for one in later.sets]
    candidates = []
    for a, tiles_before in enumerate(before):
        for b, tiles_after in enumerate(after):
            shared = (tiles_before & tiles_after).total()
            if shared:
                candidates.append((-shared, (tiles_before | tiles_after).total(), a, b))
    pairs: list[tuple[int, int]] = []
    used_before: set[int] = set()
    used_after: set[int] = set()
    for *_, a, b in sorted(candidates):
        if a not in used_before and b not in used_after:
            pairs.append((a, b))
            used_before.add(a)
            used_after.add(b)
    return sorted(pairs)


def _leftovers(
    earlier: _Table, later: _Table, pairs: Sequence[tuple[int, int]]
) -> tuple[list[_Placed], list[_Placed], int]:
    """The tiles before and after that did not stay where they were, and how many stayed."""
    partners = [(earlier.sets[a], later.sets[b]) for a, b in pairs]
    stayed = [pair for a, b in (*partners, (earlier.loose, later.loose)) for pair in _pair_tiles(a, b)]
    stayed_before, stayed_after = {a.index for a, _ in stayed}, {b.index for _, b in stayed}
    everything_before = [one for placed in (*earlier.sets, earlier.loose) for one in placed]
    everything_after = [one for placed in (*later.sets, later.loose) for one in placed]
    gone = [one for one in everything_before if one.index not in stayed_before]
    come = [one for one in everything_after if one.index not in stayed_after]
    return gone, come, len(stayed)


def _pair_tiles(before: Sequence[_Placed], after: Sequence[_Placed]) -> list[tuple[_Placed, _Placed]]:
    """Tiles of the same face, in their order."""
    waiting: defaultdict[Tile, deque[_Placed]] = defaultdict(deque)
    for placed in after:
        waiting[placed.tile].append(placed)
    return [(placed, waiting[placed.tile].popleft()) for placed in before if waiting[placed.tile]]


def _may_be_among(placed: _Placed, others: Sequence[_Placed]) -> bool:
    """Whether one of the other photo's changed tiles is doubtful and may be this one."""
    return any(other.doubtful and other.reading.allows(placed.tile) for other in others)


def _added(placed: _Placed, taken: Sequence[_Placed], hidden_before: bool) -> Change:
    doubtful = placed.doubtful or hidden_before or _may_be_among(placed, taken)
    return Change(ChangeKind.ADDED, placed.tile, None, placed.index, None, placed.in_set, doubtful, placed.joker_kinds)


def _moved(before: _Placed, after: _Placed) -> Change:
    kinds = before.joker_kinds or after.joker_kinds
    doubtful = bool(kinds) or before.doubtful or after.doubtful  # one joker may have gone and another one come
    return Change(
        ChangeKind.MOVED, before.tile, before.index, after.index, before.in_set, after.in_set, doubtful, kinds
    )


def _taken(placed: _Placed, added: Sequence[_Placed], hidden_after: bool) -> Change:
    doubtful = placed.doubtful or hidden_after or _may_be_among(placed, added)
    return Change(ChangeKind.TAKEN, placed.tile, placed.index, None, placed.in_set, None, doubtful, placed.joker_kinds)


def _findings(changes: Sequence[Change]) -> Iterator[Finding]:
    for change in changes:
        if change.kind is ChangeKind.TAKEN and change.before is not None:
            severity = Severity.DOUBT if change.doubtful else Severity.FAULT
            params = (("tile", change.named),)
            yield Finding(FindingCode.TABLE_TILE_TAKEN, (change.before,), params, severity)
