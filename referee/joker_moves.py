"""Jokers that left their place: was each of them freed as the rules demand, and laid again where they allow?

Jokers of one kind are alike, so every way to say which joker of the table before is which of the table after is
tried; the change is lawful when one of them breaks no rule, else the way that breaks fewest is told.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import combinations, product

from referee.course import JokerPlace, TableSet
from referee.findings import Finding, FindingCode, Param, Severity
from referee.ruleset import RuleSet
from referee.set_ruling import SetKind
from referee.switches import FreedBy, FreedUse, GroupOfThree, JokerMeaning, JokerSet, ReplaceFrom
from referee.tiles import Joker, Tile

MOST_STEPS = 5_000
"""After this many steps of the search it gives up: such a turn moves more jokers than any box of two or three holds."""


@dataclass(frozen=True, slots=True)
class _Moves:
    """What all jokers share: the changed sets before and after, the tiles laid, the rules.

    ``lent`` are the tiles of the changed sets before: a set that lies as it lay lent no tile to a joker's place.
    """

    before: Sequence[TableSet]
    after: Sequence[TableSet]
    played: Counter[Tile]
    lent: Counter[Tile]
    rules: RuleSet


@dataclass(frozen=True, slots=True)
class _Spent:
    """What the jokers explained so far have used up: tiles of the rack and of the table, each for one purpose.

    ``filled`` are the starts of the sets that have the rack tiles which a freed joker asks for.
    """

    rack: Counter[Tile] = field(default_factory=Counter)
    table: Counter[Tile] = field(default_factory=Counter)
    filled: frozenset[int] = frozenset()

    def and_also(self, step: _Step, target: TableSet) -> _Spent:
        if not step.rack and not step.table:
            return self
        filled = self.filled | {target.start} if step.fills else self.filled
        return _Spent(self.rack + Counter(step.rack), self.table + Counter(step.table), filled)


@dataclass(frozen=True, slots=True)
class _Step:
    """One way in which a joker came to its new place: the tiles used up for it, and the rules it breaks.

    ``fills``: some of the rack tiles are those that the set of a freed joker needs.
    """

    rack: tuple[Tile, ...] = ()
    table: tuple[Tile, ...] = ()
    broken: tuple[Finding, ...] = ()
    fills: bool = False


_Jokers = Sequence[tuple[TableSet, JokerPlace]]


class _GivenUpError(Exception):
    """The search went on for too long."""


def explain_jokers(
    before: Sequence[TableSet], after: Sequence[TableSet], played: Counter[Tile], rules: RuleSet
) -> tuple[Finding, ...]:
    """What is wrong with the jokers of the changed sets ``before``, given the changed and new sets ``after``.

    ``played`` are the tiles that the turn added.  A joker that is no longer on the table is not spoken of here: it
    was taken.  Where more jokers moved than can be gone through, that is told as a doubt.
    """
    sources = _jokers_of(before)
    if not sources:
        return ()
    targets = _jokers_of(after)
    lent = Counter([tile for one in before for tile in one.tiles])
    moves = _Moves(before, after, played, lent, rules)
    try:
        if _Search(moves).within(sources, targets, _Spent(), 0) is not None:
            return ()
    except _GivenUpError:
        return (Finding(FindingCode.TOO_MANY_READINGS, severity=Severity.DOUBT),)
    # No lawful way: what remains is to tell the one that breaks least, or, where that takes too long, any.
    most = 3 * len(sources)
    with suppress(_GivenUpError):
        search = _Search(moves)
        for allowed in range(1, most):
            found = search.within(sources, targets, _Spent(), allowed)
            if found is not None:
                return found
    return _Search(moves).within(sources, targets, _Spent(), most) or ()


def _jokers_of(sets: Sequence[TableSet]) -> _Jokers:
    """The jokers of some sets, in an order that is the same however the sets lie: so what is told is the same, too."""

    def by_content(pair: tuple[TableSet, JokerPlace]) -> tuple[list[str], Joker, list[str], list[list[str]]]:
        home, joker = pair
        company = sorted(sorted(map(str, other.possible)) for other in home.jokers)
        return sorted(map(str, home.tiles)), joker.kind, sorted(map(str, joker.possible)), company

    return sorted(((home, joker) for home in sets for joker in home.jokers), key=by_content)


class _Search:
    """The search over every way to match jokers with their new places; one object for one question."""

    def __init__(self, moves: _Moves) -> None:
        self._moves = moves
        self._steps_left = MOST_STEPS

    def within(self, sources: _Jokers, targets: _Jokers, spent: _Spent, allowed: int) -> tuple[Finding, ...] | None:
        """A way that breaks at most ``allowed`` rules, told by the rules broken; None where there is none.

        Raises ``_GivenUpError`` after ``MOST_STEPS`` steps.
        """
        if not sources:
            return ()
        (home, joker), *others = sources
        tried: set[tuple[int, tuple[Tile, ...]]] = set()
        for k, (target, landed) in enumerate(targets):
            alike = (target.start, landed.possible)
            if landed.kind is not joker.kind or alike in tried:
                continue
            tried.add(alike)
            rest = (*targets[:k], *targets[k + 1 :])
            for step in _steps(self._moves, home, joker, target, landed, spent):
                self._steps_left -= 1
                if self._steps_left < 0:
                    raise _GivenUpError
                left = allowed - len(step.broken)
                if left < 0:
                    continue
                found = self.within(others, rest, spent.and_also(step, target), left)
                if found is not None:
                    return (*step.broken, *found)
        if _of_kind(sources, joker.kind) > _of_kind(targets, joker.kind):  # one of them was taken: this one, say
            return self.within(others, targets, spent, allowed)
        return None


def _of_kind(jokers: _Jokers, kind: Joker) -> int:
    return sum(joker.kind is kind for _, joker in jokers)


def _steps(
    moves: _Moves,
    home: TableSet,
    joker: JokerPlace,
    target: TableSet,
    landed: JokerPlace,
    spent: _Spent,
) -> Iterator[_Step]:
    """Every way for a joker to come from its set to its new one, the likelier first."""
    rules = moves.rules
    whole = not home.content - target.content
    if joker.kind is Joker.MIRROR:  # it means its set alone, which may grow or shrink around it
        same = whole or not target.content - home.content
    else:
        same = bool(set(joker.possible) & set(landed.possible)) or not (joker.possible and landed.possible)
    if same or (whole and rules.joker_meaning is JokerMeaning.REREADABLE):
        frozen = rules.joker_set_mutable is JokerSet.ADD_ONLY and not whole
        yield _Step(broken=(_finding(FindingCode.JOKER_SET_FROZEN, joker, "joker_set_mutable"),) if frozen else ())
    elif whole:
        yield _Step(broken=(_told(FindingCode.JOKER_MEANING_CHANGED, joker, "joker_meaning"),))
    for freed in _freed(moves, home, joker, spent):
        yield from _laid_again(moves, home, joker, target, spent, freed)


def _freed(moves: _Moves, home: TableSet, joker: JokerPlace, spent: _Spent) -> Iterator[_Step]:
    """Every way to free a joker, and, where there is none, the rule that stands in the way."""
    rules = moves.rules
    blocked = (
        FindingCode.JOKER_NOT_FREED,
        "joker_freed_by" if joker.kind is Joker.REGULAR else "special_freed_by_rebuild",
    )
    free = False
    for needed in _keys(home, joker, rules):
        ways = list(_brought(needed, moves, spent))
        permitted = [way for way in ways if not way.table or rules.joker_replace_from is ReplaceFrom.RACK_OR_TABLE]
        free = free or bool(permitted)
        yield from permitted
        if ways and not permitted:
            blocked = FindingCode.JOKER_REPLACED_FROM_TABLE, "joker_replace_from"
        elif not ways and len(needed) > 1 and any(any(_brought((tile,), moves, spent)) for tile in needed):
            blocked = FindingCode.JOKER_NEEDS_BOTH, "joker_group3"
    if _freed_by_rebuild(joker.kind, rules):
        if rules.joker_set_mutable is JokerSet.FREE:
            free = True
            yield _Step()
        else:
            blocked = FindingCode.JOKER_SET_FROZEN, "joker_set_mutable"
    if not free:
        yield _Step(broken=(_told(blocked[0], joker, blocked[1]),))


def _keys(home: TableSet, joker: JokerPlace, rules: RuleSet) -> list[tuple[Tile, ...]]:
    """The tiles that free a joker: any one of these lists, all of its tiles."""
    match joker.kind:
        case Joker.MIRROR:
            return []
        case Joker.DOUBLE:
            return _pairs(joker.possible) if rules.double_freed_by_tiles else []
        case Joker.COLOUR_CHANGE:
            return [(tile,) for tile in joker.possible] if rules.colour_change_freed_by_tile else []
        case Joker.REGULAR:
            group_of_three = home.kind is SetKind.GROUP and len(home.tiles) == 3 and len(joker.possible) == 2
            if group_of_three and rules.joker_group3 is GroupOfThree.BOTH:
                return [joker.possible]
            return [(tile,) for tile in joker.possible]


def _pairs(possible: Sequence[Tile]) -> list[tuple[Tile, ...]]:
    """The pairs that a double may stand for: two neighbours of one colour, or two colours of one number."""
    return [
        pair
        for pair in combinations(possible, 2)
        if pair[0].number == pair[1].number
        or (pair[0].colour is pair[1].colour and abs((pair[0].number or 0) - (pair[1].number or 0)) == 1)
    ]


def _brought(needed: Sequence[Tile], moves: _Moves, spent: _Spent) -> Iterator[_Step]:
    """Every way to bring all of these tiles, each from the rack or from a set of the table that changed."""
    for sources in product((True, False), repeat=len(needed)):
        rack = tuple(tile for tile, own in zip(needed, sources, strict=True) if own)
        table = tuple(tile for tile, own in zip(needed, sources, strict=True) if not own)
        if not (spent.rack + Counter(rack)) - moves.played and not (spent.table + Counter(table)) - moves.lent:
            yield _Step(rack, table)


def _freed_by_rebuild(kind: Joker, rules: RuleSet) -> bool:
    if kind is Joker.REGULAR:
        return rules.joker_freed_by is FreedBy.TILE_OR_REBUILD
    return rules.special_freed_by_rebuild


def _laid_again(
    moves: _Moves, home: TableSet, joker: JokerPlace, target: TableSet, spent: _Spent, freed: _Step
) -> Iterator[_Step]:
    """The ways to free a joker, each with what is wrong with the set that it lies in now."""
    rules = moves.rules
    broken = freed.broken
    rest = home.content - Counter({Tile(joker=joker.kind): 1})
    same_set = _lies_in(rest, target, moves)
    old_set = same_set or any(_lies_in(one.content, target, moves) for one in moves.before if one is not home)
    if (rules.joker_freed_use is FreedUse.OTHER_SET and same_set) or (
        rules.joker_freed_use is FreedUse.NEW_SET and old_set
    ):
        broken = (*broken, _finding(FindingCode.JOKER_IN_OLD_SET, joker, "joker_freed_use"))
    least = rules.joker_freed_rack_tiles
    if not least or target.start in spent.filled:
        yield replace(freed, broken=broken)
        return
    own = tuple(sorted((target.content & (moves.played - spent.rack - Counter(freed.rack))).elements(), key=str))
    if len(own) < least:
        numbers = (("laid", len(own)), ("least", least))
        few = _finding(FindingCode.JOKER_RACK_TILES, joker, "joker_freed_rack_tiles", *numbers)
        yield replace(freed, broken=(*broken, few))
    for chosen in dict.fromkeys(combinations(own, least)):
        yield replace(freed, rack=(*freed.rack, *chosen), broken=broken, fills=True)


def _lies_in(former: Counter[Tile], target: TableSet, moves: _Moves) -> bool:
    """Whether a former set lies in the target: its tiles do, and no other set could be where it went instead."""
    if former - target.content:
        return False
    twins = sum(one.content == former for one in moves.before)
    elsewhere = sum(not former - other.content for other in moves.after if other is not target)
    return elsewhere < max(1, twins)


def _told(code: FindingCode, joker: JokerPlace, switch: str) -> Finding:
    return _finding(code, joker, switch, ("meanings", tuple(str(tile) for tile in joker.possible)))


def _finding(code: FindingCode, joker: JokerPlace, switch: str, *params: tuple[str, Param]) -> Finding:
    return Finding(code, (joker.place,), (*params, ("switch", switch)))
