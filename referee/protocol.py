"""The turn protocol: what a table waits for between the start of a turn and its ruling.

The log (``referee.game``) knows turns that are over.  This is what lies between them: a clock that runs, pauses and
rings, a call that waits for a still table, an illegal table that may still be mended, a table that is put back.  A
``Turn`` is a value and each step gives the next one; seconds come in as numbers of one clock that never goes back.

A ruling rests only on a table that was seen after the call, or after the bell.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from enum import StrEnum

from referee.clock import MoveTime, first_reserve, is_timed, starts_the_clock, time_move
from referee.ending import EndedTurn, Ending, TurnEnd, alike
from referee.findings import Finding
from referee.game.commands import EndTurn
from referee.game.decide import GameError, is_over, judge_end
from referee.game.state import Phase, State, following
from referee.notation import NotedTable, Places, parse_table
from referee.ruleset import RuleSet
from referee.ruling import Verdict
from referee.switches import Clock, LateTidy
from referee.told import marked

HANDS_OFF_S = 2.0
"""A hand may take so long to leave the table after the bell, or after the time for tidying."""


class Stage(StrEnum):
    """What the table waits for."""

    SETUP = "setup"
    """Players, starter or deal."""
    READY = "ready"
    """Somebody who starts the clock."""
    PLAY = "play"
    """A player who moves."""
    CALLED = "called"
    """The turn's end was called: a still table, or answers about it."""
    FIX = "fix"
    """The table is illegal, and its player may mend it while he has time."""
    BELL = "bell"
    """The time was over: a still table, or answers about it."""
    TIDY = "tidy"
    """After the bell the table may be tidied, and nothing more is laid."""
    TIDIED = "tidied"
    """Tidying is over: a still table, or answers about it."""
    RESTORE = "restore"
    """A table that must be put back."""
    QUESTION = "question"
    """The referee, on a turn that nobody could tell."""
    COUNT = "count"
    """The racks."""
    BETWEEN = "between"
    """The next round."""


RULING = frozenset({Stage.CALLED, Stage.BELL, Stage.TIDIED})
"""A still table seen in these stages is ruled on."""
OPEN = frozenset({Stage.READY, Stage.PLAY, Stage.FIX, Stage.TIDY, *RULING})
"""A turn is going on."""


@dataclass(frozen=True, slots=True)
class TurnClock:
    """The clock of one turn: when it was started (None: not yet), and since when it stands still (None: it runs)."""

    started_at: float | None = None
    stopped_at: float | None = None
    paused_s: float = 0.0
    extended: bool = False

    def stopped(self, now: float) -> TurnClock:
        """The clock standing still; one that does already stays as it is."""
        return self if self.started_at is None or self.stopped_at is not None else replace(self, stopped_at=now)

    def going_on(self, now: float) -> TurnClock:
        """The clock running again; the time that it stood still does not count."""
        if self.stopped_at is None:
            return self
        return replace(self, stopped_at=None, paused_s=self.paused_s + max(0.0, now - self.stopped_at))

    def measured(self, now: float) -> MoveTime | None:
        """What it shows; None where nobody started it."""
        if self.started_at is None:
            return None
        until = now if self.stopped_at is None else self.stopped_at
        elapsed = max(0.0, until - self.started_at)
        return MoveTime(elapsed, min(self.paused_s, elapsed), self.extended)


@dataclass(frozen=True, slots=True)
class SeenTable:
    """A still table as it was read and reconciled.

    ``captured_at`` is when its last frame was taken and ``still_since`` the first one since which nothing moved, on
    the clock of the turn.  ``untouched``: every tile lies where it lay when the turn began.  ``must_ask``: some tile
    is in doubt that no ruling may pass over, such as one that lay there and is not seen; ``may_ask``: some tile is
    that matters only where it changes the ruling.  ``doubts`` are about the table, and no ruling passes over
    them: rows that may be several sets, covered tiles.
    """

    table: NotedTable
    captured_at: float
    still_since: float
    untouched: bool = False
    must_ask: bool = False
    may_ask: bool = False
    doubts: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True)
class Ruled:
    """A ruling on a turn's end that is not in the log yet: what was seen, the command that would end it, the ruling."""

    seen: SeenTable
    command: EndTurn
    ended: EndedTurn


@dataclass(frozen=True, slots=True)
class Turn:
    """Where a turn stands.

    ``since``: what was captured after this counts for the ruling that is due.  ``how`` and ``won`` are what the
    caller said.  ``asked`` is the table that waits for answers.  ``ruled`` is the illegal ruling while it may be
    mended (at the bell: that on the table then).  ``tidy_from`` is when tidying began.  ``paused``: by the referee.
    """

    stage: Stage
    clock: TurnClock = TurnClock()
    since: float = 0.0
    how: TurnEnd = TurnEnd.PLAYED
    won: bool = False
    asked: SeenTable | None = None
    ruled: Ruled | None = None
    tidy_from: float | None = None
    paused: bool = False


class Next(StrEnum):
    """What a look at a still table leads to."""

    WAIT = "wait"
    """Nothing: nothing was called, or the look is older than the call."""
    ASK = "ask"
    """Somebody must settle a tile, or a doubt."""
    FIX = "fix"
    """The table is illegal, and may be mended."""
    TIDY = "tidy"
    """The table was illegal at the bell, and may be tidied."""
    RECORD = "record"
    """The turn is over: ``Turn.ruled`` holds the command for the log."""


@dataclass(frozen=True, slots=True)
class Looked:
    """The next turn, and what it means."""

    turn: Turn
    next: Next
    ruled: Ruled | None = None


# --- from the log to the table --------------------------------------------------------------------------------------


def begin(game: State, ruleset: RuleSet, now: float, *, restored: bool = False) -> Turn:
    """What the table waits for, as far as the log tells: a turn begins, or the game is not at a turn.

    ``restored``: the table lies as the log has it, or nobody asks any more.
    """
    match game.phase:
        case Phase.NEW | Phase.STARTER | Phase.DEAL:
            return Turn(Stage.SETUP)
        case Phase.QUESTION:
            return Turn(Stage.QUESTION)
        case Phase.BETWEEN:
            return Turn(Stage.BETWEEN)
        case Phase.PLAY | Phase.COUNT:
            if is_over(game, ruleset):
                return Turn(Stage.COUNT)
            if not restored and must_restore(game):
                return Turn(Stage.RESTORE)
            waits = ruleset.clock is not Clock.NONE and clock_starter(game, ruleset) is not None
            return Turn(Stage.READY, since=now) if waits else Turn(Stage.PLAY, TurnClock(now), since=now)


def must_restore(game: State) -> bool:
    """Whether the table as the last turn showed it is not the one that stands."""
    last = game.last_turn
    return last is not None and not alike(parse_table(last.shown), parse_table(game.table))


def clock_starter(game: State, ruleset: RuleSet) -> int | None:
    """The seat that starts the clock of this turn; None: the referee, who is this program."""
    return starts_the_clock(game.seat, following(game, game.seat), ruleset)


# --- the clock ------------------------------------------------------------------------------------------------------


def limit_s(turn: Turn, game: State, ruleset: RuleSet) -> float | None:
    """The seconds of this turn; None where it has no limit."""
    if not game.opened or not is_timed(game.opened[game.seat], ruleset):
        return None
    if ruleset.clock is Clock.PER_TURN:
        return float(ruleset.time_s + (ruleset.extension_s if turn.clock.extended else 0))
    reserve = game.reserves[game.seat]
    return float((first_reserve(ruleset) or 0.0) if reserve is None else reserve) + ruleset.increment_s


def left_s(turn: Turn, game: State, ruleset: RuleSet, now: float) -> float | None:
    """The seconds that are left, never below zero; None where the turn has no limit."""
    limit = limit_s(turn, game, ruleset)
    if limit is None:
        return None
    time = turn.clock.measured(now)
    return limit if time is None else max(0.0, limit - time.used_s)


def is_time_up(turn: Turn, game: State, ruleset: RuleSet, now: float) -> bool:
    """Whether the clock of a turn has run out."""
    time = turn.clock.measured(now)
    if time is None or ruleset.clock is Clock.NONE:
        return False
    reserve = game.reserves[game.seat]
    reserve = first_reserve(ruleset) if reserve is None else reserve
    return time_move(time, ruleset, opened=game.opened[game.seat], reserve_s=reserve).over


def tick(turn: Turn, game: State, ruleset: RuleSet, now: float) -> Turn:
    """The turn when so much time has gone: the bell rings, or the time for tidying is over."""
    if turn.stage in {Stage.PLAY, Stage.FIX} and is_time_up(turn, game, ruleset, now):
        return replace(turn, stage=Stage.BELL, clock=turn.clock.stopped(now), since=now, asked=None, ruled=None)
    over = turn.stage is Stage.TIDY and ruleset.tidy_s and not turn.paused and now >= tidy_until(turn, ruleset)
    return replace(turn, stage=Stage.TIDIED, since=now) if over else turn


def tidy_until(turn: Turn, ruleset: RuleSet) -> float:
    """When tidying is over; ``inf`` where the rules set no limit."""
    began = turn.since if turn.tidy_from is None else turn.tidy_from
    return began + ruleset.tidy_s if ruleset.tidy_s else float("inf")


def start_clock(turn: Turn, now: float) -> Turn:
    """Raises ``GameError`` where no clock waits."""
    if turn.stage is not Stage.READY:
        raise GameError("no clock waits to be started")
    return replace(turn, stage=Stage.PLAY, clock=TurnClock(now))


def pause(turn: Turn, now: float) -> Turn:
    """Raises ``GameError`` where no clock runs."""
    if turn.paused or turn.stage not in {Stage.PLAY, Stage.FIX, Stage.TIDY}:
        raise GameError("no clock runs that could be stopped")
    return replace(turn, paused=True, clock=turn.clock.stopped(now))


def resume(turn: Turn, now: float, paused_at: float) -> Turn:
    """Go on after a pause that began at ``paused_at``.  Raises ``GameError`` where there is none."""
    if not turn.paused:
        raise GameError("the clock was not stopped")
    if turn.stage is Stage.TIDY:  # the clock of the turn has rung; what goes on is the time for tidying
        began = (turn.since if turn.tidy_from is None else turn.tidy_from) + max(0.0, now - paused_at)
        return replace(turn, paused=False, tidy_from=began)
    return replace(turn, paused=False, clock=turn.clock.going_on(now))


def extend(turn: Turn, game: State, ruleset: RuleSet) -> Turn:
    """Grant the extension.  Raises ``GameError`` where the rules know none, or it was granted."""
    if not ruleset.extension_s or ruleset.clock is not Clock.PER_TURN or limit_s(turn, game, ruleset) is None:
        raise GameError("these rules grant no extension")
    if turn.stage not in {Stage.READY, Stage.PLAY, Stage.FIX, Stage.CALLED}:
        raise GameError("no turn runs that could be extended")
    if turn.clock.extended:
        raise GameError("the extension of this turn was granted already")
    return replace(turn, clock=replace(turn.clock, extended=True))


# --- the call -------------------------------------------------------------------------------------------------------


def call(
    turn: Turn, game: State, ruleset: RuleSet, now: float, *, passes: bool = False, won: bool = False
) -> Turn:
    """The turn's end is called.  One that comes after the bell is the bell's; one while tidying ends that.

    Raises ``GameError`` where no turn goes on, or its end was called already.
    """
    turn = tick(turn, game, ruleset, now)
    match turn.stage:
        case Stage.READY | Stage.PLAY | Stage.FIX:
            how = TurnEnd.PASSED if passes else TurnEnd.PLAYED
            clock = turn.clock if turn.stage is Stage.READY else turn.clock.stopped(now)
            return replace(
                turn, stage=Stage.CALLED, clock=clock, since=now, how=how, won=won, asked=None, ruled=None, paused=False
            )
        case Stage.TIDY:
            return replace(turn, stage=Stage.TIDIED, since=now, asked=None, paused=False)
        case Stage.BELL | Stage.TIDIED:
            return turn
        case Stage.CALLED:
            raise GameError("the end of this turn was called already")
        case _:
            raise GameError(_NO_CALL[turn.stage])


_NO_CALL = {
    Stage.SETUP: marked("no turn goes on that could be called over: the tiles are dealt first"),
    Stage.RESTORE: marked("no turn goes on that could be called over: the table is put back first"),
    Stage.QUESTION: marked("no turn goes on that could be called over: the referee rules on the last one first"),
    Stage.COUNT: marked("no turn goes on that could be called over: the racks are shown first"),
    Stage.BETWEEN: marked("no turn goes on that could be called over: the next round begins first"),
}


def take_back(turn: Turn, now: float) -> Turn:
    """The call was a mistake.  Raises ``GameError`` where nothing was called."""
    if turn.stage is not Stage.CALLED:
        raise GameError("nothing was called that could be taken back")
    stage = Stage.READY if turn.clock.started_at is None else Stage.PLAY
    return replace(turn, stage=stage, clock=turn.clock.going_on(now), asked=None)


def look(turn: Turn, game: State, ruleset: RuleSet, seen: SeenTable, now: float) -> Looked:
    """What a still table leads to.  Raises ``GameError`` where the log cannot take such a turn."""
    if turn.stage not in RULING or seen.captured_at <= turn.since:
        return Looked(turn, Next.WAIT)
    waiting = Looked(replace(turn, asked=seen), Next.ASK)
    if seen.must_ask:
        return waiting
    ruled = rule(turn, game, ruleset, seen, now)
    verdict = ruled.ended.verdict
    if verdict is not Verdict.ILLEGAL and seen.doubts and not seen.untouched:
        return replace(waiting, ruled=ruled)
    if verdict is Verdict.CANNOT_TELL and seen.may_ask:
        return replace(waiting, ruled=ruled)
    settled = replace(turn, asked=None)
    if verdict is Verdict.ILLEGAL and turn.stage is Stage.CALLED and turn.how is not TurnEnd.PASSED:
        left = left_s(turn, game, ruleset, now)
        if left is None or left > 0:
            going = turn.clock.going_on(now)
            return Looked(replace(settled, stage=Stage.FIX, clock=going, ruled=ruled), Next.FIX, ruled)
    if verdict is Verdict.ILLEGAL and turn.stage is Stage.BELL and ruleset.late_tidy is not LateTidy.NONE:
        return Looked(replace(settled, stage=Stage.TIDY, ruled=ruled, tidy_from=now), Next.TIDY, ruled)
    return Looked(replace(settled, ruled=ruled), Next.RECORD, ruled)


def conclude(turn: Turn) -> Ruled | None:
    """The ruling that stands because nobody mends the table; None where a last look is due (after ``call``).

    Raises ``GameError`` where nothing can be concluded.
    """
    if turn.stage is Stage.TIDY:
        return None
    if turn.stage is not Stage.FIX or turn.ruled is None:
        raise GameError("there is no illegal table whose ruling waits")
    return turn.ruled


def rule(turn: Turn, game: State, ruleset: RuleSet, seen: SeenTable, now: float) -> Ruled:
    """The ruling on a turn that is over with this table.  Raises ``GameError`` as ``decide`` does."""
    told = end_command(turn, game, seen, now)
    command, ended = judge_end(game, told, ruleset)
    return Ruled(seen, command, ended)


def end_command(turn: Turn, game: State, seen: SeenTable, now: float) -> EndTurn:
    """The command that ends this turn with this table."""
    before = parse_table(game.table)
    # what lies untouched is told as the log has it: the same table is never read in two ways
    table = before if seen.untouched else seen.table
    time = turn.clock.measured(now)
    if turn.stage is Stage.BELL:
        return EndTurn(game.seat, table, Ending(TurnEnd.TIME_UP, at_bell=table), time=time)
    if turn.stage is Stage.TIDIED and turn.ruled is not None:
        at_bell = turn.ruled.command.table
        began = turn.since if turn.tidy_from is None else turn.tidy_from
        took = max(0.0, seen.still_since - began)
        if seen.still_since <= turn.since + HANDS_OFF_S:  # a hand that leaves is no tidying
            took = min(took, max(0.0, turn.since - began))
        return EndTurn(game.seat, table, Ending(TurnEnd.TIME_UP, at_bell=at_bell, tidy_s=took), time=time)
    how = turn.how
    if alike(before, table):
        pool = game.pool and not game.banking
        how = TurnEnd.DREW if pool and how is not TurnEnd.PASSED else TurnEnd.PASSED
    return EndTurn(game.seat, table, Ending(how), time=time)


# --- the table that must lie there ----------------------------------------------------------------------------------


def lies_as(wanted: NotedTable, seen: NotedTable) -> bool:
    """Whether a table as seen can be the one that is wanted: the same sets, each doubtful tile one that fits.

    What must lie there is known; a look that leaves a tile open does not contradict it.
    """
    if alike(wanted, seen):
        return True
    waiting = list(wanted)
    for places in sorted(seen, key=_openness):
        home = next((one for one in waiting if _may_be(one, places)), None)
        if home is None:
            return False
        waiting.remove(home)
    return not waiting


def _openness(places: Places) -> int:
    return sum(len(place.readings) != 1 for place in places)


def _may_be(wanted: Places, seen: Places) -> bool:
    """Whether the tiles of one set may be those of another, in any order."""
    if len(wanted) != len(seen):
        return False
    left = Counter(place.tile for place in wanted)
    for place in sorted(seen, key=lambda one: len(one.readings) or 99):
        fitting = next((tile for tile in place.readings if left[tile]), None)
        if fitting is None:
            return False
        left[fitting] -= 1
    return True
