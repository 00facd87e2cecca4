"""The end of a turn: it is called, ruled on as soon as the table is still, asked about where that is needed."""

from __future__ import annotations

from dataclasses import replace

from referee import protocol
from referee.game.decide import GameError
from referee.game.events import TurnEnded
from referee.protocol import Next, Ruled, Stage, Turn
from referee.ruling import Verdict
from referee.told import Seat
from web.evidence.turn import Occasion
from web.live import acts
from web.live.course import turn_over
from web.live.game import LiveGame
from web.live.notices import LiveRuling, NoticeCode, QuestionKind, TileQuestion
from web.live.reading import Reading
from web.live.rulings import shown_ruling

SAME_PX = 8.0
"""A question about a tile within so many pixels is the same question."""


def call(game: LiveGame, act: acts.CallTurnEnd) -> None:
    """The turn's end is called.  Raises ``GameError``."""
    if game.turn.stage is Stage.RESTORE:
        game.say(NoticeCode.NOT_RESTORED, text=game.state.table)
        return
    if game.shows_last_round:
        raise GameError("this picture is of the last round: go on to the next one first")
    need_turn_of(game, act.seat)
    now = game.now()
    at = now if act.called_at is None else min(act.called_at, now)
    was = game.turn
    game.turn = protocol.call(was, game.state, game.ruleset, at, passes=act.passes, won=act.won)
    game.forget_asked()
    if game.turn.stage is Stage.BELL and was.stage is not Stage.BELL:
        game.say(NoticeCode.BELL, seat=game.state.seat)
    elif game.turn is not was:
        game.notes = replace(game.notes, ruling=None)
        ago_s = None if act.called_at is None else now - at
        game.say(NoticeCode.CALLED, seat=game.state.seat, seconds=ago_s)


def need_turn_of(game: LiveGame, seat: int | None) -> None:
    """Raises ``GameError`` where it is the turn of another seat than the one that is meant."""
    if seat is not None and seat != game.state.seat:
        raise GameError("it is the turn of {seat}, not of {other}", seat=Seat(game.state.seat), other=Seat(seat))


def take_back(game: LiveGame) -> None:
    """The call was a mistake.  Raises ``GameError``."""
    game.turn = protocol.take_back(game.turn, game.now())
    game.notes = replace(game.notes, asked=(), asked_key=None, ruling=None)
    game.say(NoticeCode.CALL_TAKEN_BACK, seat=game.state.seat)


def conclude(game: LiveGame) -> None:
    """Nobody mends the table any more.  Raises ``GameError``."""
    if game.turn.stage is Stage.TIDY:
        call(game, acts.CallTurnEnd())
        return
    ruled = protocol.conclude(game.turn)
    if ruled is not None:
        _record(game, ruled, game.memory.reading)


def judge(game: LiveGame, reading: Reading) -> None:
    """Rule on a still table that was called."""
    try:
        looked = protocol.look(game.turn, game.state, game.ruleset, reading.seen, game.now())
    except GameError as error:
        game.turn = replace(game.turn, asked=reading.seen)
        game.say_once(("refused", str(error)), NoticeCode.REFUSED, text=error.told)
        return
    if looked.next is Next.WAIT:
        return
    game.turn = looked.turn
    if looked.next is Next.ASK:
        _ask(game, reading, looked.ruled)
    elif looked.ruled is not None:
        game.forget_asked()
        settle(game, looked.next, looked.ruled, reading)


def settle(game: LiveGame, then: Next, ruled: Ruled, reading: Reading | None) -> None:
    """What a ruling leads to; ``reading`` None: the referee told the table."""
    if then is Next.RECORD:
        _record(game, ruled, reading)
        return
    ruling = shown(game, ruled, reading)
    game.notes = replace(game.notes, ruling=ruling)
    if then is Next.FIX:
        left = protocol.left_s(game.turn, game.state, game.ruleset, game.now())
        game.say(NoticeCode.FIX, seat=game.state.seat, ruling=ruling, seconds=left)
    else:
        tidy = float(game.ruleset.tidy_s) if game.ruleset.tidy_s else None
        game.say(NoticeCode.TIDY, seat=game.state.seat, ruling=ruling, seconds=tidy)
    game.keep(Occasion.OTHER, ruled.command, (), reading)


def shown(game: LiveGame, ruled: Ruled, reading: Reading | None, *, final: bool = False) -> LiveRuling:
    """A ruling that is not in the log yet, as a screen shows it."""
    home = game.memory.home
    homes = home.quads if home else ()
    quads = () if reading is None else reading.quads
    doubts = () if ruled.seen.untouched else ruled.seen.doubts
    return shown_ruling(ruled, game.state.table, game.ruleset, (homes, quads), doubts, final=final)


def _ask(game: LiveGame, reading: Reading, ruled: Ruled | None) -> None:
    asked = reading.asked
    ruling = None if ruled is None else shown(game, ruled, reading)
    game.notes = replace(game.notes, asked=asked, ruling=ruling)
    if asked:
        key = tuple((_about(one), one.choices, one.kind) for one in asked)
        game.say_once(key, NoticeCode.ASK, questions=asked, ruling=ruling)
    else:
        doubts = tuple((finding.code, finding.params) for finding in reading.seen.doubts)
        text = "another_table" if reading.reconciled.another_table else ""
        game.say_once((doubts, text), NoticeCode.DOUBT, ruling=ruling, text=text)


def _record(game: LiveGame, ruled: Ruled, reading: Reading | None) -> None:
    """The turn is over."""
    ruling = None if reading is None else shown(game, ruled, reading, final=True)
    seat, won = game.state.seat, game.turn.won
    events = game.carry(ruled.command)
    last = events[-1]
    if not isinstance(last, TurnEnded):
        game.turn = Turn(Stage.QUESTION)
        game.notes = replace(game.notes, ruling=ruling)
        game.keep(Occasion.TURN, ruled.command, events, reading)
        game.say(NoticeCode.DOUBT, seat=seat, ruling=ruling)
        return
    turn_over(game, last, ruled.command, events, ruling, reading)
    if won and last.verdict == Verdict.LEGAL.value and game.state.racks[seat]:
        game.say(NoticeCode.WIN_DOUBTED, seat=seat, numbers=(game.state.racks[seat],))


def _about(question: TileQuestion) -> tuple[int, int] | None:
    """The place of a question, roughly; none for a tile without a face: a sleeve over a set moves a little."""
    if question.kind is QuestionKind.HIDDEN:
        return None
    x, y = question.quad[0]
    return round(x / SAME_PX), round(y / SAME_PX)
