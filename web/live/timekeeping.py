"""The clock of the turn: it rings, stands still while the referee says so, and is extended."""

from __future__ import annotations

from dataclasses import replace

from referee import protocol
from referee.game.state import Phase
from referee.protocol import Stage
from web.live.game import LiveGame
from web.live.notices import NoticeCode
from web.live.reading import Reading


def tick(game: LiveGame) -> None:
    """Time has gone by: the bell may ring."""
    if game.state.phase is not Phase.PLAY or not game.log.is_written:
        return
    was, game.turn = game.turn, protocol.tick(game.turn, game.state, game.ruleset, game.now())
    if game.turn.stage is not was.stage and game.turn.stage is Stage.BELL:
        game.notes = replace(game.notes, ruling=None)
        game.say(NoticeCode.BELL, seat=game.state.seat)


def start_clock(game: LiveGame) -> None:
    """Somebody starts the clock of the turn.  Raises ``GameError``."""
    game.turn = protocol.start_clock(game.turn, game.now())


def pause(game: LiveGame) -> None:
    """The clock stands still.  Raises ``GameError``."""
    game.turn = protocol.pause(game.turn, game.now())
    game.paused_at = game.now()
    game.notes = replace(game.notes, paused_table=None)
    game.say(NoticeCode.PAUSED)


def resume(game: LiveGame) -> None:
    """The clock goes on.  Raises ``GameError``."""
    game.turn = protocol.resume(game.turn, game.now(), game.paused_at)
    game.say(NoticeCode.RESUMED)


def extend(game: LiveGame) -> None:
    """The extension is granted.  Raises ``GameError``."""
    game.turn = protocol.extend(game.turn, game.state, game.ruleset)
    game.say(NoticeCode.EXTENDED, seconds=float(game.ruleset.extension_s))


def watch_pause(game: LiveGame, reading: Reading) -> None:
    """Say so where the table changes while the clock stands still."""
    was, now = game.notes.paused_table, reading.seen.table
    if was is not None and protocol.lies_as(was, now):
        return
    game.notes = replace(game.notes, paused_table=now)
    if was is not None:
        game.say(NoticeCode.CHANGED_IN_PAUSE)
