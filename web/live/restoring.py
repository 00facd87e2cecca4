"""Putting a table back: what goes where is ticked off as it is seen, until the table lies as it must."""

from __future__ import annotations

from dataclasses import replace

from referee import protocol
from referee.game import commands
from referee.game.decide import GameError
from referee.notation import parse_table
from referee.protocol import Stage
from referee.restore import restore_steps, ticked
from web.evidence.turn import Occasion
from web.live import acts
from web.live.course import begin
from web.live.game import LiveGame
from web.live.notices import NoticeCode
from web.live.reading import Reading


def watch_restoring(game: LiveGame, reading: Reading) -> None:
    """Tick off what lies where it belongs; a table that lies as it must is put back."""
    wanted = parse_table(game.state.table)
    steps = restore_steps(wanted, reading.seen.table)
    first = game.notes.first_steps
    if first is None:
        first = ticked(steps, steps)
    game.notes = replace(game.notes, first_steps=first, steps=ticked([one.step for one in first], steps))
    if protocol.lies_as(wanted, reading.seen.table) and not reading.observation.unread:
        _put_back(game, reading)


def restored(game: LiveGame, act: acts.Restored) -> None:
    """The table was put back, says a human.  Raises ``GameError``."""
    if game.turn.stage is not Stage.RESTORE:
        raise GameError("no table waits to be put back")
    if act.trust:
        game.memory = game.memory.unplaced()
        _put_back(game, None)
        return
    reading = game.lying()
    before = game.state
    told = commands.RestoreTable(reading.seen.table, act.remembered)
    events = game.carry(told)
    if not events:
        _put_back(game, reading)
        return
    game.keep(Occasion.CORRECTION, told, events, reading)
    to_rack = sum(game.state.racks) - sum(before.racks)
    to_pool = game.state.pool - before.pool
    game.say(NoticeCode.CORRECTED, text=game.state.table)
    if protocol.lies_as(parse_table(game.state.table), reading.seen.table):
        _put_back(game, reading, (max(0, to_pool), max(0, to_rack)))
    else:
        game.forget_turn()
        game.say(NoticeCode.RESTORE, seat=game.state.seat, text=game.state.table)


def _put_back(game: LiveGame, reading: Reading | None, numbers: tuple[int, int] = (0, 0)) -> None:
    game.forget_turn()
    if reading is not None:
        game.accept(reading)
    game.say(NoticeCode.RESTORED, numbers=numbers)
    begin(game, restored=True)
