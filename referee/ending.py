"""How a turn ended, and what that costs: the bell, a broken table, a pass, a draw, tiles laid too late.

The ruling on the step from table to table is ``referee.turn``'s; here it meets the clock and the penalties.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from enum import StrEnum

from referee.clock import check_seconds, is_timed
from referee.findings import Finding, FindingCode, Param, Severity
from referee.notation import NotedTable
from referee.ruleset import RuleSet
from referee.ruling import Verdict
from referee.sets import judge_set
from referee.switches import LateTidy, Leftovers, Overrun, Unfinished
from referee.tiles import Tile
from referee.told import ToldError
from referee.turn import Player, TurnRuling, judge_turn


class TurnEnd(StrEnum):
    """How a player ended his turn, or how it was ended for him."""

    PLAYED = "played"
    DREW = "drew"
    PASSED = "passed"
    TIME_UP = "time_up"


@dataclass(frozen=True, slots=True)
class Ending:
    """How a turn ended.

    ``at_bell`` is the table when the time was up (only then); ``tidy_s`` how many seconds later the table was as it
    is now, None where nobody measured; ``helped`` whether other players helped to put it in order; ``overruns`` how
    often this player was over time before, in this round.
    """

    how: TurnEnd
    at_bell: NotedTable | None = None
    tidy_s: float | None = None
    helped: bool = False
    overruns: int = 0


@dataclass(frozen=True, slots=True)
class Consequence:
    """What follows from a turn.

    ``restore``: the table goes back to what it was before the turn and the player takes back what he laid.
    ``take_broken``: tiles of broken sets that go to the player's rack instead.  ``take_back``: tiles laid after the
    bell that go back.  ``draw``: tiles from the pool, as many as it has.  ``points``: lost at the end of the round.
    ``reason``: the finding that costs, None for an ordinary draw or a turn that stands.
    """

    restore: bool = False
    take_broken: tuple[Tile, ...] = ()
    take_back: tuple[Tile, ...] = ()
    draw: int = 0
    points: int = 0
    reason: FindingCode | None = None


@dataclass(frozen=True, slots=True)
class EndedTurn:
    """The ruling on a whole turn: the step that counts, all findings, the table that stands and what follows.

    ``consequence`` is None where nobody can tell; ``stands`` is then the table that is asked about.
    """

    turn: TurnRuling
    verdict: Verdict
    findings: tuple[Finding, ...]
    stands: NotedTable
    consequence: Consequence | None = None


def judge_ending(before: NotedTable, after: NotedTable, player: Player, ending: Ending, ruleset: RuleSet) -> EndedTurn:
    """Rule on a turn from the table ``before`` to the table ``after`` and the way it ended.

    Raises ``ValueError`` for seconds that nobody can have measured, or a bell without the table at the bell.
    """
    if ending.tidy_s is not None:
        check_seconds(ending.tidy_s)
    if ending.how is TurnEnd.TIME_UP:
        if ending.at_bell is None:
            raise ToldError("the table at the bell is missing")
        if is_timed(player.opened, ruleset):
            return _at_the_bell(before, ending.at_bell, after, player, ending, ruleset)
    if ending.how is TurnEnd.DREW or (ending.how is TurnEnd.PASSED and alike(before, after)):
        turn = judge_turn(before, after, player, ruleset, drew=True)
        if turn.verdict is Verdict.CANNOT_TELL:
            return EndedTurn(turn, turn.verdict, turn.findings, after)
        illegal = turn.verdict is Verdict.ILLEGAL
        return EndedTurn(turn, turn.verdict, turn.findings, before, Consequence(restore=illegal, draw=1))
    turn = judge_turn(before, after, player, ruleset)
    if turn.verdict is Verdict.CANNOT_TELL:
        return EndedTurn(turn, turn.verdict, turn.findings, after)
    if turn.verdict is Verdict.LEGAL:  # where he passed, what he laid stands all the same
        return EndedTurn(turn, turn.verdict, turn.findings, after, Consequence())
    return _broken(turn, before, after, player, ending, ruleset)


def _broken(
    turn: TurnRuling, before: NotedTable, after: NotedTable, player: Player, ending: Ending, ruleset: RuleSet
) -> EndedTurn:
    """A turn that its player ended before time with the table broken or a rule broken."""
    costs = ruleset.broken_draw
    switch = "broken_draw"
    if not player.opened and not ruleset.illegal_opening_penalty:
        costs, switch = 1, "illegal_opening_penalty"
    elif ending.how is TurnEnd.PASSED and not ruleset.pass_broken_penalty:
        costs, switch = 1, "pass_broken_penalty"
    findings = (*turn.findings, _said(FindingCode.UNFINISHED, switch))
    taken = _taken_instead(after, player, ruleset)
    stands = legal_sets(after, ruleset) if taken else before
    consequence = Consequence(restore=not taken, take_broken=taken, draw=costs, reason=FindingCode.UNFINISHED)
    return EndedTurn(turn, Verdict.ILLEGAL, findings, stands, consequence)


def _at_the_bell(
    before: NotedTable, at_bell: NotedTable, after: NotedTable, player: Player, ending: Ending, ruleset: RuleSet
) -> EndedTurn:
    """The time was up: what lay there then counts; what was laid later goes back."""
    over = Consequence(
        draw=0 if ending.overruns and not ruleset.draw_each else ruleset.overrun_draw,
        points=ruleset.overrun_points,
        reason=FindingCode.OVERRUN,
    )
    always = ruleset.overrun is Overrun.ALWAYS
    said: tuple[Finding, ...] = (_said(FindingCode.OVERRUN, "overrun", Severity.FAULT if always else Severity.NOTE),)
    late = tuple((_tiles(after) - _tiles(at_bell)).elements())
    if late:
        said = (*said, _late(after, late))
    if alike(before, at_bell):
        # Nothing was begun, so nothing is unfinished: he draws as anybody who does not play.
        turn = judge_turn(before, at_bell, player, ruleset, drew=True)
        if turn.verdict is Verdict.CANNOT_TELL:
            return EndedTurn(turn, turn.verdict, (*turn.findings, *said), at_bell)
        cost = replace(over, draw=max(1, over.draw)) if always else Consequence(draw=1)
        return EndedTurn(turn, turn.verdict, (*turn.findings, *said), before, replace(cost, take_back=late))
    turn = judge_turn(before, at_bell, player, ruleset)
    if turn.verdict is Verdict.CANNOT_TELL:
        return EndedTurn(turn, turn.verdict, (*turn.findings, *said), at_bell)
    if turn.verdict is Verdict.LEGAL:  # whatever was done with the table after the bell
        cost = replace(over if always else Consequence(), take_back=late)
        return EndedTurn(turn, turn.verdict, (*turn.findings, *said), at_bell, cost)
    mended = None if late else judge_turn(before, after, player, ruleset)
    if mended is not None and mended.verdict is Verdict.LEGAL and _may_tidy(at_bell, after, ending, ruleset):
        if not ruleset.tidy_penalised:
            return EndedTurn(
                mended,
                Verdict.LEGAL,
                (*said, _said(FindingCode.TIDIED_LATE, "late_tidy", Severity.NOTE)),
                after,
                over if always else Consequence(),
            )
        late_fix = _said(FindingCode.TIDIED_LATE, "tidy_penalised")
        cost = replace(over, reason=FindingCode.TIDIED_LATE)
        return EndedTurn(mended, Verdict.LEGAL, (*said, late_fix), after, cost)
    taken = _taken_instead(at_bell, player, ruleset)
    stands = legal_sets(at_bell, ruleset) if taken else before
    consequence = replace(
        over,
        restore=not taken,
        take_broken=taken,
        take_back=late if taken else (),
        reason=FindingCode.UNFINISHED,
    )
    findings = (*turn.findings, *said, _said(FindingCode.UNFINISHED, "unfinished"))
    return EndedTurn(turn, Verdict.ILLEGAL, findings, stands, consequence)


def _said(code: FindingCode, switch: str, severity: Severity = Severity.FAULT) -> Finding:
    return Finding(code, (), (("switch", switch),), severity)


def _late(after: NotedTable, late: tuple[Tile, ...]) -> Finding:
    waiting = Counter(late)
    places = []
    for at, place in enumerate(place for places in after for place in places):
        if place.tile is not None and waiting[place.tile]:
            waiting[place.tile] -= 1
            places.append(at)
    params: tuple[tuple[str, Param], ...] = (("switch", "late_tidy"),)
    return Finding(FindingCode.LATE_TILE, tuple(places), params)


def _may_tidy(at_bell: NotedTable, after: NotedTable, ending: Ending, ruleset: RuleSet) -> bool:
    """Whether the table may still be put in order after the bell, as it was."""
    if ruleset.tidy_s and ending.tidy_s is not None and ending.tidy_s > ruleset.tidy_s:
        return False
    if ending.helped and not ruleset.tidy_help:
        return False
    match ruleset.late_tidy:
        case LateTidy.NONE:
            return False
        case LateTidy.ALLOWED:
            return True
        case LateTidy.ONE_MOVE:
            return _moves(at_bell, after) <= 1


def _moves(before: NotedTable, after: NotedTable) -> int:
    """How many tiles must go to another set to make one table out of the other, sets matched greedily."""
    homes = [_tiles((places,)) for places in before]
    kept = 0
    for places in sorted(after, key=len, reverse=True):
        content = _tiles((places,))
        best = max(homes, key=lambda home: (home & content).total(), default=None)
        if best is not None:
            kept += (best & content).total()
            homes.remove(best)
    return _tiles(after).total() - kept


def _tiles(table: NotedTable) -> Counter[Tile]:
    return Counter([place.readings[0] for places in table for place in places if place.readings])


def alike(before: NotedTable, after: NotedTable) -> bool:
    """Whether both tables hold the same sets, whatever their order."""

    def content(table: NotedTable) -> Counter[frozenset[tuple[Tile, int]]]:
        return Counter(frozenset(_tiles((places,)).items()) for places in table)

    return content(before) == content(after)


def _taken_instead(table: NotedTable, player: Player, ruleset: RuleSet) -> tuple[Tile, ...]:
    """The tiles that the player takes where the table is not put back: none where no set is broken.

    Before his opening nothing of a player's turn can stay, so the table is put back then.
    """
    if ruleset.unfinished is Unfinished.RESTORE or not player.opened:
        return ()
    whole = legal_sets(table, ruleset)
    return tuple((_tiles(table) - _tiles(whole)).elements())


def legal_sets(table: NotedTable, ruleset: RuleSet) -> NotedTable:
    """The sets of a table that are legal by their likeliest readings."""
    return tuple(
        places
        for places in table
        if all(place.readings for place in places) and judge_set([place.readings[0] for place in places], ruleset).legal
    )


# --- putting the table back -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Restored:
    """Whether a table was put back, and what becomes of tiles whose place nobody remembers.

    ``to_pool`` and ``to_rack`` are those tiles, ``draw`` how many more the player draws for them.
    """

    complete: bool
    findings: tuple[Finding, ...]
    to_pool: tuple[Tile, ...] = ()
    to_rack: tuple[Tile, ...] = ()
    draw: int = 0


def judge_restoration(
    before: NotedTable, restored: NotedTable, ruleset: RuleSet, *, remembered: bool = True
) -> Restored:
    """Rule on a table that was to be put back: the sets of ``before``, or, of what nobody remembers, legal sets.

    ``remembered`` is False when nobody can say where the tiles that lie in no legal set belong: they leave the table,
    as the switch ``leftovers`` says.  Tiles that were not on the table before never stay there: they are the player's.
    """
    if alike(before, restored):
        return Restored(complete=True, findings=())
    kept = legal_sets(restored, ruleset)
    strange = bool(_tiles(restored) - _tiles(before))
    if remembered or strange:
        kept = tuple(places for places in restored if any(_tiles((places,)) == _tiles((one,)) for one in before))
    lost = _tiles(before) - _tiles(kept)
    waiting = Counter(lost)
    places = []
    for at, place in enumerate(place for own in before for place in own):
        if place.tile is not None and waiting[place.tile]:
            waiting[place.tile] -= 1
            places.append(at)
    finding = Finding(FindingCode.NOT_RESTORED, tuple(places))
    if remembered or strange:
        return Restored(complete=False, findings=(finding,))
    tiles = tuple(lost.elements())
    match ruleset.leftovers:
        case Leftovers.RACK:
            return Restored(complete=True, findings=(finding,), to_rack=tiles)
        case Leftovers.POOL:
            return Restored(complete=True, findings=(finding,), to_pool=tiles)
        case Leftovers.POOL_AND_DRAW:
            return Restored(complete=True, findings=(finding,), to_pool=tiles, draw=len(tiles))
