"""A play that the rules at the table permit, and whether there is one.

The plain solver knows what sets are legal, not what a player may do with those of the table.  So plays are proposed
from free to restricted (any rearrangement; jokers that keep their meaning; sets with jokers left as they are; tiles
only added; own sets alone), and ``referee.turn.judge_turn`` rules on each: nothing is returned that it does not call
legal.  Sets with special jokers stay on the table and may be added to; special jokers of the rack are laid in sets of
rack tiles, or added.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations, islice, product

from referee.findings import FindingCode
from referee.notation import NotedTable, sure
from referee.ruleset import RuleSet
from referee.ruling import Verdict
from referee.sets import can_be_completed, judge_set
from referee.solver.build import JOKER
from referee.solver.plays import FACE_ORDER, Aim, Play, best_play, gentle_play, play_to, without_special
from referee.solver.special import MIRROR, arrange_one_set, best_opening_of_any, sets_with_special_jokers
from referee.switches import FreedUse, JokerMeaning, OpenRelax, TablePlay, TablePlayFrom
from referee.tiles import Tile
from referee.turn import Player, judge_turn

MOST_MEANINGS = 16
"""So many ways to hold the table's jokers to a meaning are tried."""

MOST_SPECIAL_SETS = 6
"""So many sets with special jokers of the rack are tried, the longest first."""

_Set = tuple[Tile, ...]


def lawful_play(
    before: NotedTable,
    rack: Sequence[Tile],
    player: Player,
    ruleset: RuleSet,
    aim: Aim = Aim.TILES,
    joker_value: int = 0,
) -> Play | None:
    """The best play found that ``judge_turn`` rules legal for this player; None where none was found.

    It is the best of all wherever it lays as much as free rearrangement could.  ``player.rack`` is not looked at: the
    rack is ``rack``.  The sets that the play leaves alone lie as before.

    Raises ``ValueError`` for a table with doubtful or hidden tiles.
    """
    turn = _Turn(before, rack, player, ruleset, aim, joker_value)
    best: Play | None = None
    for after in turn.proposals():
        play = turn.ruled(after)
        if play is not None and (best is None or turn.worth(play) > turn.worth(best)):
            best = play
        if best is not None and turn.most is not None and turn.worth(best) >= turn.most:
            break
    return best


def can_play(
    table: NotedTable, rack: Sequence[Tile], opened: bool, ruleset: RuleSet, *, others_opened: bool = False
) -> bool | None:
    """Whether a player could lay a tile lawfully: True only with a play that is ruled legal, False only where proved.

    None: not decided, as for a table with doubtful tiles.
    """
    if any(len(place.readings) != 1 for places in table for place in places):
        return None
    turn = _Turn(table, rack, Player(opened=opened, others_opened=others_opened), ruleset, Aim.TILES, 0)
    if turn.nothing_can_be_laid():
        return False
    if any(turn.ruled(after) for after in turn.quick_proposals()):
        return True
    if any(turn.ruled(after) for after in turn.proposals()):
        return True
    return None


def can_anyone_play(
    table: NotedTable, racks: Sequence[Sequence[Tile]], opened: Sequence[bool], ruleset: RuleSet
) -> bool | None:
    """Whether any of the players could still lay a tile, whosever turn it is; None: not decided."""
    answers = [
        can_play(table, rack, opened[seat], ruleset, others_opened=all((*opened[:seat], *opened[seat + 1 :])))
        for seat, rack in enumerate(racks)
    ]
    return True if True in answers else None if None in answers else False


class _Turn:
    """A table of sure tiles, a rack, and the player who is to play."""

    def __init__(
        self,
        before: NotedTable,
        rack: Sequence[Tile],
        player: Player,
        ruleset: RuleSet,
        aim: Aim,
        joker_value: int,
    ) -> None:
        if any(len(place.readings) != 1 for places in before for place in places):
            raise ValueError("a play is found for a table of tiles that were all surely read")
        self._before = before
        self._sets: list[_Set] = [tuple(place.readings[0] for place in places) for places in before]
        self._rack = tuple(rack)
        self._player = replace(player, rack=sure(*rack))
        self._rules = ruleset
        self._aim = aim
        self._joker_value = joker_value
        self._held = Counter(self._rack)
        self._lying = Counter(tile for one in self._sets for tile in one)
        self._special = [one for one in self._sets if any(tile.is_special for tile in one)]
        self._regular = [one for one in self._sets if one not in self._special]
        self.most: int | None = None
        """What free rearrangement could lay, where the solver can say."""

    # --- the ruling ---------------------------------------------------------------------------------------------

    def ruled(self, after: Sequence[_Set]) -> Play | None:
        """The play that leads to this table, if it is legal."""
        if not Counter(tile for one in after for tile in one) - self._lying:
            return None
        table = self._as_it_lies(after)
        if judge_turn(self._before, table, self._player, self._rules).verdict is not Verdict.LEGAL:
            return None
        sets = tuple(tuple(place.readings[0] for place in places) for places in table)
        return play_to(sets, tuple(self._lying.elements()), self._joker_value)

    def worth(self, play: Play) -> int:
        return len(play.laid) if self._aim is Aim.TILES else play.value

    def _as_it_lies(self, after: Sequence[_Set]) -> NotedTable:
        """The table; sets that stayed come first and lie as before, with the meanings that were written."""
        waiting = {k: Counter(one) for k, one in enumerate(self._sets)}
        stayed, new = [], []
        for one in after:
            content = Counter(one)
            same = next((k for k, tiles in waiting.items() if tiles == content), None)
            if same is None:
                new.append(sure(*one))
            else:
                stayed.append(same)
                del waiting[same]
        return (*(self._before[k] for k in sorted(stayed)), *new)

    def _permits(self, after: Sequence[_Set]) -> bool:
        """Whether nothing is wrong with a table on the way to a play, but that too little may be laid so far."""
        ruling = judge_turn(self._before, self._as_it_lies(after), self._player, self._rules)
        return ruling.faults <= {FindingCode.NOTHING_LAID} and ruling.verdict is not Verdict.CANNOT_TELL

    # --- proposals ----------------------------------------------------------------------------------------------

    def proposals(self) -> Iterator[list[_Set]]:
        """Tables that the player might leave, from the freest to the most restricted."""
        if not self._player.opened:
            yield from self._openings()
            return
        for own in self._special_sets():
            left = self._held - Counter(own)
            laid = [own] if own else []
            for kept, solved in self._rearranged(without_special(left.elements())):
                yield self._added([*self._special, *kept, *solved, *laid])
            yield self._added([*self._sets, *laid, *self._own_sets(left)])
            yield from self._added_first([*self._sets, *laid])

    def quick_proposals(self) -> Iterator[list[_Set]]:
        """The plays that are found soonest: one tile added, or one's own sets laid."""
        if self._player.opened:
            yield self._added(self._sets, most=1)
            yield [*self._sets, *self._own_sets(self._held)]

    def _special_sets(self) -> Iterator[_Set]:
        """No set, then sets of rack tiles that hold special jokers."""
        yield ()
        if any(tile.is_special for tile in self._rack):
            found = sorted(sets_with_special_jokers(self._rack, self._rules), key=lambda one: -len(one.tiles))
            yield from (one.tiles for one in islice(found, MOST_SPECIAL_SETS))

    def _rearranged(self, rack: Sequence[Tile]) -> Iterator[tuple[list[_Set], Sequence[_Set]]]:
        """Sets left as they are, and the best that can be made of all other regular ones and the rack."""
        gentle = gentle_play(self._regular, rack, self._rules, self._aim, self._joker_value)
        if gentle is None:
            return
        if not self._special and len(rack) == len(self._rack):
            self.most = self.worth(gentle.play)
        yield [], gentle.play.sets
        if self._rules.table_play is TablePlay.ADD_ONLY:  # it may have added only; the others surely do more
            return
        for other in self._jokers_elsewhere(gentle.play.sets):
            yield [], other
        jokers = [one for one in self._regular if any(tile.is_joker for tile in one)]
        if not jokers:
            return
        for meanings in islice(self._meanings(jokers), MOST_MEANINGS):
            held = self._with_meanings(meanings)
            solved = self._solved([tiles for tiles, _ in held], rack)
            if solved is not None:
                yield [], _jokers_back(solved.sets, held)
        solved = self._solved([one for one in self._regular if one not in jokers], rack)
        if solved is not None:
            yield jokers, solved.sets

    def _jokers_elsewhere(self, sets: Sequence[_Set]) -> Iterator[list[_Set]]:
        """The same sets with one joker, where it can be spared, in another set: it may be lawful there only."""
        if not self._lying[JOKER]:
            return
        for source, one in enumerate(sets):
            if JOKER not in one:
                continue
            rest = [*one]
            rest.remove(JOKER)
            shorter = arrange_one_set(rest, self._rules)
            for target, other in enumerate(sets):
                longer = arrange_one_set((*other, JOKER), self._rules) if shorter and target != source else None
                if shorter is not None and longer is not None:
                    changed = {source: shorter, target: longer}
                    yield [changed.get(k, same) for k, same in enumerate(sets)]

    def _solved(self, table: Sequence[_Set], rack: Sequence[Tile]) -> Play | None:
        return best_play(table, rack, self._rules, self._aim, self._joker_value)

    def _own_sets(self, held: Counter[Tile]) -> Sequence[_Set]:
        solved = self._solved([], without_special(held.elements()))
        return solved.sets if solved is not None else ()

    # --- jokers that keep their meaning -------------------------------------------------------------------------

    def _meanings(self, sets: Sequence[_Set]) -> Iterator[dict[tuple[_Set, int], Tile]]:
        """What jokers of the table stand for: all of them held to a meaning first, then some of them free."""
        choices: list[list[tuple[tuple[_Set, int], Tile] | None]] = []
        for one in dict.fromkeys(sets):
            for place, possible in self._possible(one):
                choices.append([*(((one, place), tile) for tile in possible), None])
        for chosen in product(*choices):
            held = dict(choice for choice in chosen if choice is not None)
            if held:
                yield held

    def _possible(self, one: _Set) -> Iterator[tuple[int, tuple[Tile, ...]]]:
        """The places of a set's jokers, and what each may stand for: what was written, if anything."""
        written = self._before[self._sets.index(one)] if one in self._sets else sure(*one)
        for meaning in judge_set(one, self._rules).meanings:
            told = written[meaning.place].meaning
            yield meaning.place, (told,) if told is not None else meaning.possible

    def _with_meanings(self, meanings: dict[tuple[_Set, int], Tile]) -> list[tuple[_Set, list[Tile]]]:
        """The regular sets with tiles in the place of their jokers, and which tiles these are."""
        held: list[tuple[_Set, list[Tile]]] = []
        for one in self._regular:
            tiles = tuple(meanings.get((one, i), tile) for i, tile in enumerate(one))
            held.append((tiles, [meanings[one, i] for i in range(len(one)) if (one, i) in meanings]))
        return held

    # --- tiles only added ---------------------------------------------------------------------------------------

    def _added(self, table: Sequence[_Set], most: int | None = None) -> list[_Set]:
        """The table with further rack tiles added to its sets wherever the rules permit it, jokers last."""
        sets = list(table)
        left = self._held - (Counter(tile for one in table for tile in one) - self._lying)
        added = 0
        while left and self._permits(sets) and (most is None or added < most):
            step = next(self._longer_by_one(sets, left), None)
            if step is None:
                break
            at, longer, tiles = step
            sets[at] = longer
            left -= Counter(tiles)
            added += len(tiles)
        return sets

    def _added_first(self, table: Sequence[_Set]) -> Iterator[list[_Set]]:
        """Tiles added before own sets are thought of."""
        sets = self._added(table)
        left = self._held - (Counter(tile for one in sets for tile in one) - self._lying)
        if left and self._held.total() > left.total():
            yield [*sets, *self._own_sets(left)]

    def _longer_by_one(self, sets: list[_Set], left: Counter[Tile]) -> Iterator[tuple[int, _Set, _Set]]:
        """Each set that may take one more tile (a mirrored one also two), and how it lies then."""
        single = sorted(left, key=FACE_ORDER.__getitem__)
        for at, one in enumerate(sets):
            choices: Iterable[_Set] = ((tile,) for tile in single)
            if MIRROR in one:
                choices = (*choices, *combinations(sorted(left.elements(), key=FACE_ORDER.__getitem__), 2))
            for tiles in choices:
                if not can_be_completed((*one, *tiles), self._rules, further=()):
                    continue
                for longer in self._orders(one, tiles):
                    if self._permits([*sets[:at], longer, *sets[at + 1 :]]):
                        yield at, longer, tiles

    def _orders(self, one: _Set, more: _Set) -> Iterator[_Set]:
        """How a set may lie with further tiles in it: with jokers that keep their meaning, then in any order."""
        yield from self._orders_that_keep(one, more)
        longer = arrange_one_set((*one, *more), self._rules)
        if longer is not None:
            yield longer

    def _orders_that_keep(self, one: _Set, more: _Set) -> Iterator[_Set]:
        """How a set may lie with further tiles in it, its jokers standing for what they stood for."""
        jokers = () if any(tile.is_special for tile in one) else tuple(self._possible(one))
        for meant in islice(product(*(possible for _, possible in jokers)), MOST_MEANINGS):
            standing = dict(zip((place for place, _ in jokers), meant, strict=True))
            tiles = tuple(standing.get(i, tile) for i, tile in enumerate(one))
            longer = arrange_one_set((*tiles, *more), self._rules)
            if longer is not None:
                (back,) = _jokers_back([longer], [(tiles, list(meant))])
                yield back

    # --- the opening --------------------------------------------------------------------------------------------

    def _openings(self) -> Iterator[list[_Set]]:
        """Own sets that may open; where the rules permit it the table is played on in the same turn."""
        held = self._held
        if not self._rules.open_joker_allowed:
            held = Counter({tile: count for tile, count in held.items() if not tile.is_joker})
        if self._rules.open_same_turn_manipulation:
            free = self._solved(self._regular, without_special(held.elements()))
            if free is not None:
                yield [*self._special, *free.sets]
        yield [*self._sets, *self._own_sets(held)]
        opening = best_opening_of_any(tuple(held.elements()), self._rules)
        if opening is None:
            return
        left = held - Counter(tile for one in opening.sets for tile in one)
        if self._rules.open_same_turn_manipulation:
            free = self._solved(self._regular, without_special(left.elements()))
            if free is not None:
                yield [*self._special, *opening.sets, *free.sets]
            yield self._added([*self._sets, *opening.sets, *self._own_sets(left)])
        yield [*self._sets, *opening.sets, *self._own_sets(left)]

    # --- what is impossible -------------------------------------------------------------------------------------

    def nothing_can_be_laid(self) -> bool:
        """Whether it is proved that no lawful play exists."""
        if len(self._rack) < self._rules.must_play_tiles or (not self._player.opened and self._cannot_open()):
            return True
        if self._special or any(tile.is_special for tile in self._rack):
            return False
        free = best_play(self._sets, self._rack, self._rules)
        if free is None or len(free.laid) < self._rules.must_play_tiles:
            return True
        if not self._player.opened:
            return False
        closed = self._rules.table_play_from is TablePlayFrom.ALL_OPENED and not self._player.others_opened
        added_only = self._rules.table_play is TablePlay.ADD_ONLY and self._jokers_stay()
        if not (closed or added_only) or self._own_sets(self._held):
            return False
        # Whoever adds lays a tile next to a former set, whose jokers keep their places: that tile alone would do.
        return closed or not any(
            next(self._orders_that_keep(one, (tile,)), None) is not None for one in self._sets for tile in self._held
        )

    def _jokers_stay(self) -> bool:
        """Whether a joker of the table that is only added to surely means what it meant."""
        if not self._lying[JOKER]:
            return True
        return self._rules.joker_meaning is JokerMeaning.FIXED and self._rules.joker_freed_use is not FreedUse.ANY_SET

    def _cannot_open(self) -> bool:
        if self._rules.open_relax is OpenRelax.OTSU and self._player.others_opened:
            return False
        opening = best_opening_of_any(self._rack, self._rules, enough=self._rules.open_points)
        needs_a_set = self._rules.open_points > 0 or not self._rules.open_same_turn_manipulation
        return opening is not None and (opening.value < self._rules.open_points or (needs_a_set and not opening.sets))


def _jokers_back(sets: Sequence[_Set], held: Sequence[tuple[_Set, list[Tile]]]) -> list[_Set]:
    """The sets with each joker back in the place of its tile, in the set that shares most with its former one."""
    back = [list(one) for one in sets]
    for home, meant in held:
        for tile in meant:
            at = max(
                (k for k, one in enumerate(back) if tile in one),
                key=lambda k: (Counter(back[k]) & Counter(home)).total(),
            )
            back[at][back[at].index(tile)] = JOKER
    return [tuple(one) for one in back]
