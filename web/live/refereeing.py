"""What the referee says: he rules, takes back, tells the table, records what nobody called.  Nothing is a dead end."""

from __future__ import annotations

from dataclasses import replace

from referee import protocol
from referee.ending import Ending, TurnEnd
from referee.game import commands
from referee.game.commands import Command
from referee.game.decide import GameError, judge_end, parse_told_table
from referee.game.events import Event, TurnEnded
from referee.game.state import Phase
from referee.notation import NotedTable, parse_table
from referee.protocol import OPEN, RULING, Next, SeenTable, Stage
from referee.ruling import Verdict
from referee.told import Seat
from web.evidence.turn import Occasion
from web.live import acts
from web.live.course import begin, turn_over
from web.live.game import LiveGame
from web.live.judging import need_turn_of, settle
from web.live.notices import NoticeCode
from web.live.reading import Reading
from web.live.sight import FUTURE_S, STILL

# --- rulings ----------------------------------------------------------------------------------------------------------


def overrule(game: LiveGame, act: acts.Overrule) -> None:
    """Rule on the turn that is being ended or asked about, else on the last one.  Raises ``GameError``."""
    reading = game.memory.reading
    if game.turn.stage is Stage.QUESTION:
        told: Command = commands.Answer(act.legal)
        events = game.carry(told)
    elif game.turn.stage in RULING | {Stage.FIX, Stage.TIDY}:
        told, events = _rule_by_hand(game, act)
    else:
        told = _override(game, act)
        events = game.carry(told)
    _turn_ruled(game, told, events, reading)


def _rule_by_hand(game: LiveGame, act: acts.Overrule) -> tuple[Command, tuple[Event, ...]]:
    """End the turn as the referee says; what this program would have said is kept beside it."""
    seen = game.turn.ruled.seen if game.turn.ruled is not None else game.turn.asked
    if seen is None and act.legal:
        seen = game.lying().seen
        if seen.captured_at <= game.turn.since:
            raise GameError(
                "no still table was seen since the turn was called: wait until nothing moves over it, tell the table, "
                "or count it as a draw"
            )
    if seen is None:
        seen = SeenTable(parse_table(game.state.table), game.now(), game.now(), untouched=True)
    ruled = game.turn.ruled or protocol.rule(game.turn, game.state, game.ruleset, seen, game.now())
    events = game.carry(ruled.command)
    last = game.state.last_turn
    further: Command
    if game.state.phase is Phase.QUESTION:
        further = commands.Answer(act.legal)
    else:
        said = ruled.ended.verdict is Verdict.LEGAL and not seen.doubts
        if last is not None and said is act.legal and (act.draw is None or act.legal):
            return ruled.command, events
        further = _override(game, act)
    return further, (*events, *game.carry(further))


def _override(game: LiveGame, act: acts.Overrule) -> commands.Override:
    draw = game.ruleset.broken_draw if act.draw is None else act.draw
    return commands.Override(act.legal, act.reason, 0 if act.legal else draw)


def _turn_ruled(game: LiveGame, told: Command, events: tuple[Event, ...], reading: Reading | None) -> None:
    """The last turn of the log is over by the referee's word."""
    last = game.state.last_turn
    if last is not None:
        turn_over(game, last, told, events, None, reading, Occasion.OVERRIDE)


# --- turns that went otherwise ----------------------------------------------------------------------------------------


def undo(game: LiveGame, act: acts.Undo) -> None:
    """Take the last turn back.  Raises ``GameError``."""
    told = commands.Undo(act.reason)
    events = game.carry(told)
    game.keep(Occasion.UNDO, told, events)
    game.say(NoticeCode.UNDONE, seat=game.state.seat)
    game.forget_turn()
    game.memory = game.memory.turned_back()
    game.recall()
    begin(game, restored=True)  # what the player laid may lie there still: it is his turn again


def count_as_draw(game: LiveGame, act: acts.CountAsDraw) -> None:
    """The turn counts as one in which nothing was laid.  Raises ``GameError``."""
    need_turn_of(game, act.seat)
    if game.turn.stage is Stage.QUESTION:
        raise GameError("a turn waits for the referee's ruling: legal or illegal")
    state = game.state
    how = TurnEnd.DREW if state.pool and not state.banking else TurnEnd.PASSED
    time = game.turn.clock.measured(game.now())
    told = commands.EndTurn(state.seat, parse_table(state.table), Ending(how), time=time)
    events = game.carry(told)
    last = events[-1]
    if isinstance(last, TurnEnded):
        turn_over(game, last, told, events, None, game.memory.reading)


def played_instead(game: LiveGame, act: acts.PlayedInstead) -> None:
    """Record turns that nobody called as one.  Raises ``GameError``."""
    if game.turn.stage not in OPEN | {Stage.RESTORE}:
        raise GameError("no turn goes on that could have been missed")
    reading = _as_it_lies(game)
    told = commands.RecordAsOne(act.seats, reading.seen.table, act.played)
    events = game.carry(told)
    last = game.state.last_turn
    if last is not None:
        turn_over(game, last, told, events, None, reading)


def confirm_win(game: LiveGame, seat: int) -> None:
    """The rack of a seat is empty, whatever the log counts.  Raises ``GameError``."""
    if seat not in game.state.active:
        raise GameError("{seat} does not play in this game", seat=Seat(seat))
    racks = tuple(0 if k == seat else count for k, count in enumerate(game.state.racks))
    told = commands.CorrectTable(parse_table(game.state.table), "the rack is empty", racks)
    events = game.carry(told)
    game.keep(Occasion.CORRECTION, told, events)
    game.forget_turn()
    begin(game, restored=True)


# --- the table by the referee's word ----------------------------------------------------------------------------------


def accept_table(game: LiveGame, act: acts.AcceptTable) -> None:
    """What lies there now is the table.  Raises ``GameError``."""
    reading = _as_it_lies(game)
    _correct(game, reading.seen.table, act.reason, act.racks, reading)


def _as_it_lies(game: LiveGame) -> Reading:
    """The reading of the table as it lies now.  Raises ``GameError`` where the last one may be out of date."""
    reading = game.lying()
    if game.sight is None or game.sight.stage != STILL:
        raise GameError("the table is not still: wait until nothing moves over it, or tell the table")
    return reading


def tell_table(game: LiveGame, text: str) -> None:
    """A table that the referee tells: ruled on where a turn was called, else the table of the log.

    Raises ``GameError``.
    """
    table = parse_told_table(text, game.ruleset)
    if game.turn.stage is Stage.QUESTION:
        tell_of_question(game, table)
        return
    if game.turn.stage not in RULING:
        _correct(game, table, "told", None, None)
        return
    now = game.now()
    seen = SeenTable(table, captured_at=now + FUTURE_S, still_since=game.turn.since)
    looked = protocol.look(game.turn, game.state, game.ruleset, seen, now)
    game.turn = looked.turn
    if looked.ruled is None:
        return
    if looked.next is Next.ASK:
        game.say(NoticeCode.DOUBT, seat=game.state.seat)
        return
    if looked.next is Next.RECORD:
        game.memory = game.memory.unplaced()
    settle(game, looked.next, looked.ruled, None)


def tell_of_question(game: LiveGame, table: NotedTable) -> None:
    """Rule on a turn that nobody could tell, now that the referee has told its table."""
    question = game.state.question
    if question is None:
        raise GameError("no turn waits for an answer")
    how = TurnEnd(question.how)
    ending = Ending(how, at_bell=table if how is TurnEnd.TIME_UP else None)
    asked = replace(game.state, phase=Phase.PLAY, question=None)
    _, ended = judge_end(asked, commands.EndTurn(question.seat, table, ending), game.ruleset)
    if ended.verdict is Verdict.CANNOT_TELL:
        raise GameError("this table cannot be told either: rule on the turn, legal or illegal")
    told = commands.Answer(ended.verdict is Verdict.LEGAL, table)
    _turn_ruled(game, told, game.carry(told), game.memory.reading)


def _correct(
    game: LiveGame, table: NotedTable, reason: str, racks: tuple[int, ...] | None, reading: Reading | None
) -> None:
    told = commands.CorrectTable(table, reason, racks)
    events = game.carry(told)
    game.keep(Occasion.CORRECTION, told, events, reading)
    game.say(NoticeCode.CORRECTED, text=game.state.table)
    game.forget_turn()
    if reading is None:
        game.memory = game.memory.unplaced()
    else:
        game.accept(reading)
    begin(game, restored=True)
