"""The ruling on a turn: was the step from one table to the next one that the rules permit?

Only the two tables are seen, and twin tiles are alike, so several courses of play may lead from one to the other.  A
change is lawful when some course that the rules permit explains it.  What was not told is not ruled on: without the
rack, nobody says that a tile was not on it.  Doubt never helps a player and never hurts one: the verdict stands only
where every reading of the doubtful tiles gives it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import prod

from referee.course import Course, TableSet, read_set
from referee.endgame import must_play
from referee.findings import Finding, FindingCode, Severity
from referee.joker_moves import explain_jokers
from referee.notation import NotedTable, Place, Places
from referee.ruleset import RuleSet
from referee.ruling import Verdict
from referee.solver.special import best_opening_of_any
from referee.switches import OpenRelax, TablePlay, TablePlayFrom
from referee.tiles import Tile

MOST_READINGS = 256
"""A turn with more combinations of doubtful readings than this cannot be told, unless a sure set is illegal."""

MOST_DEAD_ENDS = 500
"""After this many dead ends nobody can tell whether sets were only added to: no box of one or two comes near."""


@dataclass(frozen=True, slots=True)
class Player:
    """What the referee knows of the player whose turn it is.

    ``rack`` is the rack before the turn, None where nobody has seen it; ``others_opened`` whether all others have
    opened; ``could_play`` whether the rack could have been played from, None where that is not known; ``pool_empty``
    whether there is nothing left to draw.
    """

    opened: bool
    rack: Places | None = None
    others_opened: bool = False
    could_play: bool | None = None
    pool_empty: bool = False


@dataclass(frozen=True, slots=True)
class TurnRuling:
    """The ruling on one turn.

    ``played`` are the tiles that came to the table and ``taken`` those that left it; ``moved`` are the tiles of
    former sets that changed their company.  ``opening`` is the value of the sets with which an unopened player
    opened, None for a player who had opened.  ``opened`` is whether the player has opened once the turn stands.
    """

    verdict: Verdict
    findings: tuple[Finding, ...]
    played: tuple[Tile, ...]
    taken: tuple[Tile, ...]
    moved: tuple[Tile, ...]
    opening: int | None
    opened: bool
    rules: str
    fingerprint: str

    @property
    def faults(self) -> frozenset[FindingCode]:
        """The codes of what makes the turn illegal."""
        return frozenset(finding.code for finding in self.findings if finding.severity is Severity.FAULT)


def judge_turn(
    before: NotedTable, after: NotedTable, player: Player, ruleset: RuleSet, *, drew: bool = False
) -> TurnRuling:
    """Rule on the step from the table ``before`` to the table ``after``; ``drew`` says that the player drew a tile.

    A place without readings (``?``) may be any tile: such a turn is never legal.
    """
    tables = (before, after, (player.rack,) if player.rack is not None else ())
    if all(len(place.readings) == 1 for table in tables for places in table for place in places):
        return _judge_sure(before, after, player, ruleset, drew)
    return _judge_doubtful(before, after, player, ruleset, drew)


def _judge_doubtful(
    before: NotedTable,
    after: NotedTable,
    player: Player,
    ruleset: RuleSet,
    drew: bool,
) -> TurnRuling:
    """The ruling where some tiles are doubtful or hidden: that of every reading, or "cannot tell"."""
    first = _judge_sure(_first(before), _first(after), _first_player(player), ruleset, drew)
    doubts = tuple(_doubts(after))
    rack = () if player.rack is None else (player.rack,)
    whole = (*before, *after, *rack)
    numbers, options = _choices(before, after, rack)
    hidden = any(not choice for choice in options)
    if hidden or prod(len(choice) for choice in options) > MOST_READINGS:
        sure_faults = tuple(_sure_set_faults(before, after, ruleset))
        if not hidden:
            doubts = (*doubts, Finding(FindingCode.TOO_MANY_READINGS, severity=Severity.DOUBT))
        verdict = Verdict.ILLEGAL if sure_faults else Verdict.CANNOT_TELL
        return replace(first, verdict=verdict, findings=(*sure_faults, *doubts), opening=None)
    rulings = []
    for chosen in _possible(before, after, numbers, options, ruleset):
        read = _chosen(whole, [chosen[number] for number in numbers])
        earlier, later = read[: len(before)], read[len(before) : len(before) + len(after)]
        known = replace(player, rack=read[-1] if rack else None)
        rulings.append(_judge_sure(earlier, later, known, ruleset, drew))
    if len({ruling.verdict for ruling in rulings}) > 1:
        return replace(
            first, verdict=Verdict.CANNOT_TELL, findings=doubts or (_unseen_doubt((*before, *rack)),), opening=None
        )
    notes = tuple(replace(doubt, severity=Severity.NOTE) for doubt in doubts)
    return replace(rulings[0], findings=(*rulings[0].findings, *notes))


def _unseen_doubt(unseen: NotedTable) -> Finding:
    """A doubt about the table before or the rack: which tiles they are is not shown on the table after."""
    doubtful = (place for places in unseen for place in places if len(place.readings) > 1)
    readings = tuple(str(tile) for place in doubtful for tile in place.readings)
    return Finding(FindingCode.DOUBTFUL_TILE, (), (("readings", readings),), Severity.DOUBT)


def _first(table: NotedTable) -> NotedTable:
    """The likeliest reading of a table; what is hidden is left out."""
    sets = (tuple(Place(place.readings[:1], place.meaning) for place in places if place.readings) for places in table)
    return tuple(places for places in sets if places)


def _first_player(player: Player) -> Player:
    if player.rack is None:
        return player
    rack = tuple(Place(place.readings[:1]) for place in player.rack if place.readings)
    return replace(player, rack=rack)


def _choices(before: NotedTable, after: NotedTable, rack: NotedTable) -> tuple[list[int], list[tuple[Tile, ...]]]:
    """What every place of both tables and the rack may be: the number of its choice, and the readings of each choice.

    Places of a set that shows the same readings on both tables are one choice: the set was not touched.
    """
    numbers: list[int] = []
    options: list[tuple[Tile, ...]] = []
    untouched: dict[frozenset[tuple[tuple[Tile, ...], int]], list[list[int]]] = {}
    for at, places in enumerate((*before, *after, *rack)):
        content = frozenset(Counter(place.readings for place in places).items())
        twins = untouched.get(content) if len(before) <= at < len(before) + len(after) else None
        waiting = twins.pop() if twins else []
        own = []
        for place in places:
            same = next((number for number in waiting if options[number] == place.readings), None)
            if same is None:
                same = len(options)
                options.append(place.readings)
            else:
                waiting.remove(same)
            own.append(same)
        numbers += own
        if at < len(before):
            untouched.setdefault(content, []).append(own)
    return numbers, options


def _possible(
    before: NotedTable,
    after: NotedTable,
    numbers: Sequence[int],
    options: Sequence[tuple[Tile, ...]],
    ruleset: RuleSet,
) -> list[tuple[Tile, ...]]:
    """Every reading; one in which untouched sets hold more of a tile than the box only where all others do too.

    What a set that the turn did not touch may be is no question of this turn, so the box may settle it.
    """
    first, last = sum(map(len, before)), sum(map(len, (*before, *after)))
    untouched = set(numbers[:first])
    known = [number for number in numbers[first:last] if number in untouched or len(options[number]) == 1]
    readings = list(product(*options))
    within = [
        chosen
        for chosen in readings
        if all(count <= ruleset.held(tile) for tile, count in Counter([chosen[number] for number in known]).items())
    ]
    return within or readings


def _chosen(table: NotedTable, tiles: Sequence[Tile]) -> NotedTable:
    waiting = iter(tiles)
    return tuple(tuple(Place((next(waiting),), place.meaning) for place in places) for places in table)


def _doubts(after: NotedTable) -> Iterator[Finding]:
    for at, place in enumerate(place for places in after for place in places):
        if not place.readings:
            yield Finding(FindingCode.HIDDEN_TILE_IN_SET, (at,), severity=Severity.DOUBT)
        elif len(place.readings) > 1:
            readings = tuple(str(tile) for tile in place.readings)
            yield Finding(FindingCode.DOUBTFUL_TILE, (at,), (("readings", readings),), Severity.DOUBT)


def _sure_set_faults(before: NotedTable, after: NotedTable, ruleset: RuleSet) -> Iterator[Finding]:
    """The faults of sets that were laid or changed and read without doubt: illegal whatever the others are."""
    lay = [Counter(place.readings for place in places) for places in before]
    start = 0
    for places in after:
        sure_set = all(len(place.readings) == 1 for place in places) and len(places) > 1
        if sure_set and Counter(place.readings for place in places) not in lay:
            found = _set_faults(read_set(places, start, ruleset, frozenset()))
            yield from (finding for finding in found if finding.severity is Severity.FAULT)
        start += len(places)


# --- a turn of sure tiles ---------------------------------------------------------------------------------------


def _judge_sure(before: NotedTable, after: NotedTable, player: Player, ruleset: RuleSet, drew: bool) -> TurnRuling:
    course = Course(before, after, ruleset)
    findings = [*_faults_of_sets(course, drew), *_taken(course), *_copies(course, drew)]
    if drew:
        findings += _drawn(course, player)
    elif course.played.total() < ruleset.must_play_tiles:
        numbers = (("laid", course.played.total()), ("least", ruleset.must_play_tiles))
        findings.append(Finding(FindingCode.NOTHING_LAID, (), (*numbers, ("switch", "must_play_tiles"))))
    if player.rack is not None:
        findings += _not_from_rack(course, player.rack)
    opening = None
    if not player.opened and course.played:
        opening, found = _opening(course, player)
        findings += found
    elif not player.opened and course.changed and not drew:
        findings.append(_before_opening(course))
    opened_now = player.opened or (opening is not None and ruleset.open_same_turn_manipulation)
    if opened_now and not drew:
        findings += _table_play(course, player)
    severities = {finding.severity for finding in findings}
    verdict = Verdict.LEGAL
    if severities & {Severity.FAULT, Severity.DOUBT}:
        verdict = Verdict.ILLEGAL if Severity.FAULT in severities else Verdict.CANNOT_TELL
    return TurnRuling(
        verdict=verdict,
        findings=tuple(findings),
        played=tuple(course.played.elements()),
        taken=tuple(course.taken.elements()),
        moved=course.moved,
        opening=opening,
        opened=player.opened or (opening is not None and verdict is Verdict.LEGAL),
        rules=ruleset.name,
        fingerprint=ruleset.fingerprint,
    )


def _faults_of_sets(course: Course, drew: bool) -> Iterator[Finding]:
    """What is wrong with the sets on the table.

    An illegal set that the turn did not touch is not this player's fault: that it lies there was ruled on before.  It
    keeps the table from being called legal all the same, but for a player who only drew.
    """
    touched = {one.start for one in course.new}
    for one in course.after:
        for finding in _set_faults(one):
            if one.start in touched or finding.severity is not Severity.FAULT:
                yield finding
            else:
                yield replace(finding, severity=Severity.NOTE if drew else Severity.DOUBT)


def _set_faults(one: TableSet) -> Iterator[Finding]:
    if len(one.tiles) == 1:
        yield Finding(FindingCode.LOOSE_TILE, (one.start,), (("tile", str(one.tiles[0])),))
        return
    for finding in one.findings:
        yield replace(finding, tiles=tuple(one.start + i for i in finding.tiles))


# --- what every turn must keep ----------------------------------------------------------------------------------


def _taken(course: Course) -> Iterator[Finding]:
    """One finding for each tile that left the table."""
    missing = Counter(course.taken)
    for one in reversed(course.before):
        for i in reversed(range(len(one.tiles))):
            tile = one.tiles[i]
            if missing[tile]:
                missing[tile] -= 1
                yield Finding(FindingCode.TABLE_TILE_TAKEN, (one.start + i,), (("tile", str(tile)),))


def _copies(course: Course, drew: bool) -> Iterator[Finding]:
    severity = Severity.NOTE if drew and not course.new else Severity.DOUBT
    for tile, count in course.table_after.items():
        held = course.ruleset.held(tile)
        if count > held:
            places = tuple(one.start + i for one in course.after for i, t in enumerate(one.tiles) if t == tile)
            params = (("tile", str(tile)), ("count", count), ("held", held), ("doubtful", 0))
            yield Finding(FindingCode.TOO_MANY_COPIES, places, params, severity)


def _drawn(course: Course, player: Player) -> Iterator[Finding]:
    if course.changed or course.new:
        yield Finding(FindingCode.DREW_AND_PLAYED)
    elif player.opened and player.could_play and must_play(player.pool_empty, course.ruleset):
        switch = "pool_must_play" if player.pool_empty else "draw_voluntary"
        yield Finding(FindingCode.COULD_HAVE_PLAYED, (), (("switch", switch),))


def _not_from_rack(course: Course, rack: Places) -> Iterator[Finding]:
    strange = course.played - Counter([place.readings[0] for place in rack])
    places = _places_of(course.new, strange)
    for tile in strange:
        own = tuple(place for place in places if course.tile_after(place) == tile)
        yield Finding(FindingCode.NOT_FROM_RACK, own, (("tile", str(tile)),))


def _places_of(sets: Sequence[TableSet], wanted: Counter[Tile]) -> tuple[int, ...]:
    """The places of these tiles, the last ones first taken: new tiles lie at the end more often than not."""
    left = Counter(wanted)
    places: list[int] = []
    if not left:
        return ()
    for one in reversed(sets):
        for i in reversed(range(len(one.tiles))):
            if left[one.tiles[i]]:
                left[one.tiles[i]] -= 1
                places.append(one.start + i)
    return tuple(sorted(places))


# --- the opening ------------------------------------------------------------------------------------------------


def _opening(course: Course, player: Player) -> tuple[int, list[Finding]]:
    """The value of an unopened player's own sets, and what is wrong with opening like this."""
    rules = course.ruleset
    own = _most_valuable([one for one in course.new if not one.content - course.played], course.played)
    value = sum(one.value or 0 for one in own)
    sets = sum(one.value is not None for one in own)
    certain = True
    if rules.open_same_turn_manipulation and course.changed and value < rules.open_points:
        # The own sets were rebuilt in the same turn: some opening must have been among the tiles laid.
        opening = best_opening_of_any(tuple(course.played.elements()), rules)
        certain = opening is not None
        value = max(value, opening.value if opening is not None else 0)
    findings = []
    relaxed = rules.open_relax is OpenRelax.OTSU and player.others_opened and sets >= 2
    if value < rules.open_points and not relaxed:
        places = tuple(one.start + i for one in course.new for i in range(len(one.tiles)))
        params = (("value", value), ("needed", rules.open_points), ("switch", "open_points"))
        severity = Severity.FAULT if certain else Severity.DOUBT
        findings.append(Finding(FindingCode.OPENING_LOW, places, params, severity))
    jokers = Counter({tile: count for tile, count in course.played.items() if tile.is_joker})
    if jokers and not rules.open_joker_allowed:
        places = _places_of(course.new, jokers)
        findings.append(Finding(FindingCode.OPENING_JOKER, places, (("switch", "open_joker_allowed"),)))
    if course.changed and not rules.open_same_turn_manipulation:
        findings.append(_before_opening(course))
    return value, findings


def _most_valuable(sets: Sequence[TableSet], played: Counter[Tile]) -> list[TableSet]:
    """The sets worth most that the tiles laid can fill together: a twin of the table may lie in one of the others."""
    if not sum((one.content for one in sets), Counter[Tile]()) - played:
        return list(sets)
    first, *others = sets
    without = _most_valuable(others, played)
    if first.content - played:
        return without
    with_first = [first, *_most_valuable(others, played - first.content)]
    return max(with_first, without, key=lambda chosen: sum(one.value or 0 for one in chosen))


def _before_opening(course: Course) -> Finding:
    return Finding(
        FindingCode.TABLE_BEFORE_OPENING,
        tuple(one.start + i for one in course.changed for i in range(len(one.tiles))),
        (("switch", "open_same_turn_manipulation"),),
    )


# --- play on the table ------------------------------------------------------------------------------------------


def _table_play(course: Course, player: Player) -> Iterator[Finding]:
    rules = course.ruleset
    if not course.changed:
        return
    everything = tuple(one.start + i for one in course.changed for i in range(len(one.tiles)))
    if rules.table_play_from is TablePlayFrom.ALL_OPENED and not player.others_opened:
        yield Finding(FindingCode.TABLE_TOO_EARLY, everything, (("switch", "table_play_from"),))
    if rules.table_play is TablePlay.ADD_ONLY:
        yield from _not_kept(course)
    yield from explain_jokers(course.changed, course.new, course.played, rules)


def _not_kept(course: Course) -> Iterator[Finding]:
    """Where tiles may only be added, each former set lies whole in one new set; two may lie in the same one."""
    lost = [one for one in course.changed if not any(not one.content - other.content for other in course.new)]
    if not lost:
        try:
            if _Homes(course.changed).found([one.content for one in course.new]):
                return
        except _GivenUpError:
            yield Finding(FindingCode.TOO_MANY_READINGS, severity=Severity.DOUBT)
            return
    for one in lost or course.changed:
        places = tuple(one.start + i for i in range(len(one.tiles)))
        yield Finding(FindingCode.SET_NOT_KEPT, places, (("switch", "table_play"),))


class _GivenUpError(Exception):
    """There were more ways than can be gone through."""


class _Homes:
    """The search for a new set around each former set, with room for all of them; one object for one question."""

    def __init__(self, sets: Sequence[TableSet]) -> None:
        self._sets = sets
        self._dead: set[object] = set()

    def found(self, room: list[Counter[Tile]], at: int = 0) -> bool:
        """Whether the sets from ``at`` on find their places; ``room`` is what the new sets can still hold.

        Raises ``_GivenUpError`` after ``MOST_DEAD_ENDS``.
        """
        if at == len(self._sets):
            return True
        state = (at, frozenset(Counter(frozenset(left.items()) for left in room).items()))
        if state in self._dead:
            return False
        if len(self._dead) >= MOST_DEAD_ENDS:
            raise _GivenUpError
        content = self._sets[at].content
        tried: list[Counter[Tile]] = []
        for k, left in enumerate(room):
            if left in tried or content - left:
                continue
            tried.append(left)
            if self.found([*room[:k], left - content, *room[k + 1 :]], at + 1):
                return True
        self._dead.add(state)
        return False
