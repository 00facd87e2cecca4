"""The smallest repair of an illegal table: the fewest tiles to move so that every set is legal.

A move takes one tile from its set to another one, to a new one, or off the table, and no tile moves twice.  Numbers of
moves are tried upwards, so the first that works is the smallest.  Whatever the other moves are, one of them touches
the set that is looked at, an illegal one; how many moves the illegal sets need at least ends a search early.
"""

from __future__ import annotations

from bisect import insort
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from referee.ruleset import RuleSet, box_faces
from referee.sets import judge_set
from referee.solver.special import COLOUR_CHANGE, MIRROR, arrange_one_set
from referee.tiles import Tile

MOST_MOVES = 4
"""A repair of more moves than this is not looked for, unless asked."""

MOST_STEPS = 50_000
"""The search gives up after this many tables."""

_FACES = box_faces()
_FACE_OF = {tile: face for face, tile in enumerate(_FACES)}
_Content = tuple[int, ...]
"""The faces of a set, sorted."""
_Step = tuple[int, int, int | None]
"""The face that moves, its set, and the set it goes to (None: off the table)."""


@dataclass(frozen=True, slots=True)
class Move:
    """One tile that moves.

    ``place`` is its index among all tiles of the table, ``from_set`` the index of its set.  ``to_set`` is the set that
    it joins, numbered as before the repair; new sets are numbered on from there; None: off the table.
    """

    tile: Tile
    place: int
    from_set: int
    to_set: int | None


@dataclass(frozen=True, slots=True)
class Repair:
    """A repair: its moves, and the sets afterwards in reading order, new ones last.

    ``fewest`` says that no repair has fewer moves; where it is False nobody has shown that.
    """

    moves: tuple[Move, ...]
    table: tuple[tuple[Tile, ...], ...]
    fewest: bool


def repair(
    table: Sequence[Sequence[Tile]],
    ruleset: RuleSet,
    removable: Collection[Tile] | None = None,
    most_moves: int = MOST_MOVES,
) -> Repair | None:
    """The repair with the fewest moves, of these the fewest tiles off the table, then the fewest sets touched.

    Only tiles of ``removable`` may leave the table, each as often as it is listed (None: any tile).  Where nothing was
    found within ``most_moves`` moves and the search's own limit, the tiles of all broken sets leave the table, if they
    may: such a repair need not be the smallest, and says so.  None: nothing was found, and there may be a repair.
    """
    return _Search(table, ruleset, removable).repair(most_moves)


class _GaveUpError(Exception):
    """The search took more steps than it may."""


@dataclass(frozen=True, slots=True)
class _Need:
    """What a content still needs: at least so many tiles must leave it, at least so many moves must touch it."""

    leave: int
    touch: int


_NOTHING = _Need(0, 0)


class _Search:
    """A table with the moves made so far."""

    def __init__(self, table: Sequence[Sequence[Tile]], ruleset: RuleSet, removable: Collection[Tile] | None) -> None:
        self._rules = ruleset
        self._laid = [tuple(one) for one in table]
        self._sets = [_content(one) for one in self._laid]
        self._movable = [Counter(content) for content in self._sets]
        self._kept = [_content(one) if judge_set(one, ruleset).legal else None for one in self._laid]
        faces = [face for content in self._sets for face in content]
        self._may_go = Counter(faces) if removable is None else Counter(_FACE_OF[tile] for tile in removable)
        self._removable = Counter(self._may_go)
        self._freeing = {_FACE_OF[COLOUR_CHANGE], _FACE_OF[MIRROR]} & set(faces)
        self._needs: dict[_Content, _Need] = {}
        self._moves: list[_Step] = []
        self._seen: set[frozenset[tuple[_Step, int]]] = set()
        self._steps = 0
        self._best: tuple[int, int, int, list[_Step]] | None = None

    def repair(self, most_moves: int) -> Repair | None:
        for moves in range(most_moves + 1):
            self._seen.clear()
            try:
                self._search(moves, [self._need(k) for k in range(len(self._sets))])
            except _GaveUpError:
                if self._best is None:
                    break
            if self._best is not None:
                return self._told(self._best[-1], fewest=True)
        broken = [k for k, kept in enumerate(self._kept) if kept is None]
        away: list[_Step] = [(face, k, None) for k in broken for face in _content(self._laid[k])]
        if Counter(face for face, *_ in away) - self._may_go:
            return None
        return self._told(away, fewest=False)

    # --- the search ---------------------------------------------------------------------------------------------

    def _search(self, moves: int, needs: list[_Need]) -> None:
        broken = [k for k, need in enumerate(needs) if need.touch]
        if not broken:
            self._note()
            return
        if sum(need.leave for need in needs) > moves or sum(need.touch for need in needs) > 2 * moves:
            return
        made = frozenset(Counter(self._moves).items())
        if made in self._seen:
            return
        self._seen.add(made)
        at = max(broken, key=lambda k: needs[k].leave)
        others = broken if len(broken) == 2 * moves else None  # then every move must mend two sets
        for face, source, target in self._moves_at(at, others, leaving=needs[at].leave > 0):
            self._steps += 1
            if self._steps > MOST_STEPS:
                raise _GaveUpError
            self._make(face, source, target)
            after = [*needs, _NOTHING] if target is not None and target >= len(needs) else [*needs]
            after[source] = self._need(source)
            if target is not None:
                after[target] = self._need(target)
            self._search(moves - 1, after)
            self._unmake(face, source, target)

    def _moves_at(self, at: int, others: list[int] | None, *, leaving: bool) -> Iterator[_Step]:
        """The moves that touch one set; with ``others`` only those that touch one of them besides."""
        targets = [k for k in range(len(self._sets)) if k != at and self._sets[k] and (others is None or k in others)]
        for face in self._may_leave(at):
            for target in targets:
                yield face, at, target
            if others is None:
                yield face, at, len(self._sets)
                if self._removable[face]:
                    yield face, at, None
        if leaving:  # one of its tiles must go, so what comes can wait
            return
        for source in targets:
            for face in self._may_leave(source):
                yield face, source, at

    def _may_leave(self, k: int) -> list[int]:
        """The faces that may leave a set: what lies in a new set has moved already."""
        return [face for face, count in self._movable[k].items() if count] if k < len(self._laid) else []

    def _make(self, face: int, source: int, target: int | None) -> None:
        self._moves.append((face, source, target))
        self._movable[source][face] -= 1
        self._sets[source] = _without(self._sets[source], face)
        if target is None:
            self._removable[face] -= 1
        elif target == len(self._sets):
            self._sets.append((face,))
        else:
            self._sets[target] = _with(self._sets[target], face)

    def _unmake(self, face: int, source: int, target: int | None) -> None:
        self._moves.pop()
        self._movable[source][face] += 1
        self._sets[source] = _with(self._sets[source], face)
        if target is None:
            self._removable[face] += 1
        elif target >= len(self._laid) and len(self._sets[target]) == 1:
            self._sets.pop()
        else:
            self._sets[target] = _without(self._sets[target], face)

    def _note(self) -> None:
        """Keep the moves made if they are better than the best so far, of equally many."""
        off = sum(target is None for *_, target in self._moves)
        touched = {k for _, *both in self._moves for k in both if k is not None}
        rank = (off, len(touched), len(self._sets), [*self._moves])
        if self._best is None or rank[:3] < self._best[:3]:
            self._best = rank

    # --- what a set needs ---------------------------------------------------------------------------------------

    def _need(self, k: int) -> _Need:
        content = self._sets[k]
        if not content or (k < len(self._kept) and content == self._kept[k]):
            return _NOTHING
        if content not in self._needs:
            self._needs[content] = self._needed(content)
        need = self._needs[content]
        if need.touch > len(content) and k < len(self._laid):
            return _Need(need.leave, len(content))  # it may be taken apart
        return need

    def _needed(self, content: _Content) -> _Need:
        """What a content needs that is not to be taken apart."""
        excess = self._excess(content)
        if not excess and arrange_one_set([_FACES[face] for face in content], self._rules) is not None:
            return _NOTHING
        if self._freeing:
            return _Need(0, 1)
        short = self._rules.min_set_length - (len(content) - excess)
        return _Need(excess, max(1, excess + max(0, short)))

    def _excess(self, content: _Content) -> int:
        """How many tiles must leave a set of regular jokers and plain tiles before it can be legal, at least."""
        tiles = [_FACES[face] for face in content]
        if any(tile.is_special for tile in tiles):
            return 0
        plain = {tile for tile in tiles if not tile.is_joker}
        jokers = min(sum(tile.is_joker for tile in tiles), self._rules.jokers_per_set_max)
        run = max(Counter(tile.colour for tile in plain).values(), default=0)
        group = max(Counter(tile.number for tile in plain).values(), default=0)
        return len(tiles) - max(min(run + jokers, 13), min(group + jokers, self._rules.longest_group))

    # --- telling it ---------------------------------------------------------------------------------------------

    def _told(self, steps: Sequence[_Step], *, fewest: bool) -> Repair:
        new = {target for *_, target in steps if target is not None and target >= len(self._laid)}
        sets = [list(one) for one in self._laid] + [[] for _ in new]
        starts = [sum(len(one) for one in self._laid[:k]) for k in range(len(self._laid))]
        moves: list[Move] = []
        for face, source, target in sorted(steps, key=_in_order):
            tile = _FACES[face]
            taken = {move.place for move in moves}
            own = [starts[source] + i for i, one in enumerate(self._laid[source]) if one == tile]
            moves.append(Move(tile, max(place for place in own if place not in taken), source, target))
            sets[source].remove(tile)
            if target is not None:
                sets[target].append(tile)
        table = (self._in_reading_order(k, tuple(one)) for k, one in enumerate(sets) if one)
        return Repair(tuple(moves), tuple(table), fewest)

    def _in_reading_order(self, k: int, tiles: tuple[Tile, ...]) -> tuple[Tile, ...]:
        if k < len(self._laid) and _content(tiles) == self._kept[k]:
            return self._laid[k]
        return arrange_one_set(tiles, self._rules) or tiles


def _in_order(step: _Step) -> tuple[int, int, int]:
    """Moves by the set that they leave and the one that they go to, off the table last."""
    face, source, target = step
    return source, len(_FACES) if target is None else target, face


def _content(tiles: Sequence[Tile]) -> _Content:
    return tuple(sorted(_FACE_OF[tile] for tile in tiles))


def _with(content: _Content, face: int) -> _Content:
    faces = list(content)
    insort(faces, face)
    return tuple(faces)


def _without(content: _Content, face: int) -> _Content:
    at = content.index(face)
    return (*content[:at], *content[at + 1 :])
