"""From turn to turn: one is over, what comes next begins and is announced."""

from __future__ import annotations

from referee import protocol
from referee.game.commands import Command
from referee.game.events import Event, TurnEnded
from referee.game.state import Phase
from referee.notation import parse_table
from referee.protocol import Stage, Turn
from web.evidence.turn import HumanWord, Occasion
from web.live.game import LiveGame
from web.live.notices import LiveRuling, NoticeCode
from web.live.reading import Reading
from web.live.rulings import logged_ruling


def begin(game: LiveGame, *, restored: bool = False) -> None:
    """What the log says comes next begins; ``restored``: the table lies as it must, or nobody asks any more."""
    game.turn = protocol.begin(game.state, game.ruleset, game.now(), restored=restored)
    if not restored and game.state.phase is Phase.PLAY and game.turn.stage in {Stage.PLAY, Stage.READY}:
        lying = game.memory.reading
        standing = parse_table(game.state.table)
        if lying is not None and not protocol.lies_as(standing, lying.seen.table) and not lying.seen.untouched:
            game.turn = Turn(Stage.RESTORE)
    announce(game)


def announce(game: LiveGame) -> None:
    """Say what the table waits for now."""
    state = game.state
    match game.turn.stage:
        case Stage.PLAY | Stage.READY:
            left = protocol.left_s(game.turn, state, game.ruleset, game.now())
            starter = protocol.clock_starter(state, game.ruleset) if game.turn.stage is Stage.READY else None
            numbers = () if starter is None else (starter,)
            game.say(NoticeCode.TURN, seat=state.seat, seconds=left, numbers=numbers)
        case Stage.RESTORE:
            seat = state.last_turn.seats[0] if state.last_turn else state.seat
            game.say(NoticeCode.RESTORE, seat=seat, text=state.table)
        case Stage.QUESTION if state.question is not None:
            game.say(NoticeCode.DOUBT, seat=state.question.seat, ruling=game.notes.ruling)
        case Stage.COUNT:
            game.racks = {seat: () for seat in range(len(state.players)) if not state.racks[seat]}
            winner = next((seat for seat in state.active if not state.racks[seat]), None)
            game.say(NoticeCode.ROUND_OVER, seat=winner, numbers=state.racks)
        case _:
            pass


def turn_over(
    game: LiveGame, last: TurnEnded, told: Command, events: tuple[Event, ...], ruling: LiveRuling | None,
    reading: Reading | None, occasion: Occasion = Occasion.TURN,
) -> None:  # fmt: skip
    """Say what was ruled, take the table that stands as accepted, and go on to what comes next."""
    shown = logged_ruling(last, game.ruleset, ruling)
    pointed = [HumanWord(said.quad, said.tile, pointed=said) for said in game.memory.pointed]
    words = (*pointed, *(HumanWord(answer.quad, answer.tile) for answer in game.memory.answers))
    game.keep(occasion, told, events, reading, words=words)
    code = NoticeCode.RULED if occasion is Occasion.TURN else NoticeCode.OVERRULED
    game.say(code, seat=last.seats[0], ruling=shown)
    game.memory = game.memory.turned()
    game.forget_turn(shown)
    lies = reading is None or protocol.lies_as(parse_table(game.state.table), reading.seen.table)
    if reading is not None and (lies or reading.seen.untouched):
        game.accept(reading)
    begin(game, restored=lies)


def gone_on(game: LiveGame) -> None:
    """Another program has written to this game: go on from there."""
    game.say(NoticeCode.GONE_ON_ELSEWHERE)
    game.forget_turn()
    game.memory = game.memory.unplaced()
    game.recall()
    begin(game)
