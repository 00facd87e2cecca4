"""Jokers that left their place: was each of them freed as the rules demand, and laid again where they allow?

Jokers of one kind are alike, so every way to say which joker of the table before is which of the table after is
tried; the change is lawful when one of them breaks no rule, else the way that breaks fewest is told.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from referee.findings import Finding, FindingCode, Param
from referee.ruleset import RuleSet
from referee.set_ruling import SetKind
from referee.switches import FreedBy, FreedUse, GroupOfThree, JokerMeaning, JokerSet, ReplaceFrom
from referee.tiles import Joker, Tile


@dataclass(frozen=True, slots=True)
class JokerPlace:
    """A joker on a table: its place among all tiles, its kind, what it may stand for (see ``JokerMeaning``)."""

    place: int
    kind: Joker
    possible: tuple[Tile, ...]
    beside: Tile | None = None


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


@dataclass(frozen=True, slots=True)
class _Moves:
    """What all jokers share: the changed sets before and after, the tiles on the table, the tiles laid, the rules."""

    before: Sequence[TableSet]
    after: Sequence[TableSet]
    on_table: Counter[Tile]
    played: Counter[Tile]
    rules: RuleSet


@dataclass(frozen=True, slots=True)
class _Step:
    """One way in which a joker came to its new place: the rack tiles used up for it, and the rules it breaks."""

    used: tuple[Tile, ...] = ()
    broken: tuple[Finding, ...] = ()


def explain_jokers(
    before: Sequence[TableSet],
    after: Sequence[TableSet],
    on_table: Counter[Tile],
    played: Counter[Tile],
    rules: RuleSet,
) -> tuple[Finding, ...]:
    """What is wrong with the jokers of the changed sets ``before``, given the changed and new sets ``after``.

    ``on_table`` are all tiles of the table before, ``played`` those that the turn added.  A joker that is no longer
    on the table is not spoken of here: it was taken.
    """
    sources = [(home, joker) for home in before for joker in home.jokers]
    if not sources:
        return ()
    targets = [(home, joker) for home in after for joker in home.jokers]
    best = _assign(_Moves(before, after, on_table, played, rules), sources, targets, Counter())
    return best or ()


def _assign(
    moves: _Moves,
    sources: Sequence[tuple[TableSet, JokerPlace]],
    targets: Sequence[tuple[TableSet, JokerPlace]],
    used: Counter[Tile],
) -> tuple[Finding, ...]:
    """The fewest broken rules over every way to match the remaining jokers; ``used`` are rack tiles used up."""
    if not sources:
        return ()
    (home, joker), *others = sources
    best: tuple[Finding, ...] | None = None
    for k, (target, landed) in enumerate(targets):
        if landed.kind is not joker.kind:
            continue
        rest = (*targets[:k], *targets[k + 1 :])
        for step in _steps(moves, home, joker, target, landed, used):
            if best is not None and len(step.broken) >= len(best):
                continue
            found = (*step.broken, *_assign(moves, others, rest, used + Counter(step.used)))
            if not found:
                return ()
            if best is None or len(found) < len(best):
                best = found
    return best if best is not None else _assign(moves, others, targets, used)


def _steps(
    moves: _Moves,
    home: TableSet,
    joker: JokerPlace,
    target: TableSet,
    landed: JokerPlace,
    used: Counter[Tile],
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
    for freed in _freed(moves, home, joker, used):
        laid = _laid_again(moves, home, joker, target, used + Counter(freed.used))
        yield _Step(freed.used, (*freed.broken, *laid))


def _freed(moves: _Moves, home: TableSet, joker: JokerPlace, used: Counter[Tile]) -> Iterator[_Step]:
    """Every way to free a joker, and, where there is none, the rule that stands in the way."""
    rules = moves.rules
    keys = _keys(home, joker, rules)
    blocked = (
        FindingCode.JOKER_NOT_FREED,
        "joker_freed_by" if joker.kind is Joker.REGULAR else "special_freed_by_rebuild",
    )
    free = False
    for needed in keys:
        on_rack, on_table = _available(needed, moves, used)
        if on_rack is not None:
            free = True
            yield _Step(on_rack)
        elif on_table and rules.joker_replace_from is ReplaceFrom.RACK:
            blocked = FindingCode.JOKER_REPLACED_FROM_TABLE, "joker_replace_from"
        elif len(needed) > 1 and any(_available((tile,), moves, used)[0] is not None for tile in needed):
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
            if not rules.double_freed_by_tiles or not joker.possible or joker.beside is None:
                return []
            return [(joker.possible[0], joker.beside)]
        case Joker.COLOUR_CHANGE:
            return [(tile,) for tile in joker.possible] if rules.colour_change_freed_by_tile else []
        case Joker.REGULAR:
            group_of_three = home.kind is SetKind.GROUP and len(home.tiles) == 3 and len(joker.possible) == 2
            if group_of_three and rules.joker_group3 is GroupOfThree.BOTH:
                return [joker.possible]
            return [(tile,) for tile in joker.possible]


def _available(needed: Sequence[Tile], moves: _Moves, used: Counter[Tile]) -> tuple[tuple[Tile, ...] | None, bool]:
    """The rack tiles to use up where all needed tiles are at hand (else None), and whether the table alone has them."""
    rack = moves.played - used
    from_rack: list[Tile] = []
    for tile in needed:
        if rack[tile] > from_rack.count(tile):
            from_rack.append(tile)
        elif moves.rules.joker_replace_from is ReplaceFrom.RACK or not moves.on_table[tile]:
            return None, all(moves.on_table[one] or rack[one] for one in needed)
    return tuple(from_rack), True


def _freed_by_rebuild(kind: Joker, rules: RuleSet) -> bool:
    if kind is Joker.REGULAR:
        return rules.joker_freed_by is FreedBy.TILE_OR_REBUILD
    return rules.special_freed_by_rebuild


def _laid_again(
    moves: _Moves, home: TableSet, joker: JokerPlace, target: TableSet, used: Counter[Tile]
) -> Iterator[Finding]:
    """What is wrong with the set that a freed joker lies in now."""
    rules = moves.rules
    rest = home.content - Counter({Tile(joker=joker.kind): 1})
    same_set = not rest - target.content
    old_set = same_set or any(not one.content - target.content for one in moves.before if one is not home)
    if (rules.joker_freed_use is FreedUse.OTHER_SET and same_set) or (
        rules.joker_freed_use is FreedUse.NEW_SET and old_set
    ):
        yield _finding(FindingCode.JOKER_IN_OLD_SET, joker, "joker_freed_use")
    if rules.joker_freed_rack_tiles:
        laid = (target.content & (moves.played - used)).total()
        if laid < rules.joker_freed_rack_tiles:
            numbers = (("laid", laid), ("least", rules.joker_freed_rack_tiles))
            yield _finding(FindingCode.JOKER_RACK_TILES, joker, "joker_freed_rack_tiles", *numbers)


def _told(code: FindingCode, joker: JokerPlace, switch: str) -> Finding:
    return _finding(code, joker, switch, ("meanings", tuple(str(tile) for tile in joker.possible)))


def _finding(code: FindingCode, joker: JokerPlace, switch: str, *params: tuple[str, Param]) -> Finding:
    return Finding(code, (joker.place,), (*params, ("switch", switch)))
