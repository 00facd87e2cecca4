"""What a screen shows of a game, made anew whenever somebody asks."""

from __future__ import annotations

from collections.abc import Sequence

from referee import protocol
from referee.game.state import State, following
from referee.notation import format_table
from referee.observation import Quad
from referee.protocol import OPEN, RULING, Stage
from vision.frames import CameraFault
from web.live.answering import open_questions
from web.live.game import LiveGame
from web.live.reading import Reading
from web.live.view import LiveView, ReadView, RestoreView, SeatView


def view_of(game: LiveGame, fault: CameraFault | None) -> LiveView:
    """Everything that a screen shows, as it is now; ``fault`` is what is wrong with the camera."""
    state, turn, sight, reading = game.state, game.turn, game.sight, game.memory.reading
    return LiveView(
        game=game.log.game,
        rules=game.ruleset.name,
        phase=state.phase,
        stage=turn.stage,
        round=state.round,
        turn=state.turn,
        seat=state.seat,
        seats=_seats(game),
        pool=state.pool,
        table=state.table,
        lying=None if reading is None else format_table(reading.seen.table),
        read=None if reading is None else _read(reading, len(game.memory.pointed)),
        sees="" if sight is None else str(sight.stage),
        why="" if sight is None else sight.why,
        called=turn.stage in RULING,
        paused=turn.paused,
        left_s=protocol.left_s(turn, state, game.ruleset, game.now()) if turn.stage in OPEN else None,
        tidy_left_s=_tidy_left_s(game),
        clock_starter=protocol.clock_starter(state, game.ruleset) if turn.stage is Stage.READY else None,
        ruling=game.notes.ruling,
        questions=open_questions(game),
        restoring=_restoring(game),
        leftovers=game.ruleset.leftovers,
        fault="" if fault is None else fault.value,
        trouble=game.log.trouble,
        points=tuple(played.points for played in state.rounds),
        drawing=state.drawing,
        confirmed=tuple(sorted(state.confirmed)),
        order=_order(state),
    )


def _order(state: State) -> tuple[int, ...]:
    """Who still plays, as they follow each other from the one whose turn it is."""
    if not state.active:
        return ()
    seat = state.seat if state.seat in state.active else following(state, state.seat)
    order = [seat]
    while (seat := following(state, seat)) != order[0]:
        order.append(seat)
    return tuple(order)


def _read(reading: Reading, corrections: int) -> ReadView:
    seen, eyes = reading.observation, reading.eyes.tiles
    asked = {question.index: question.choices for question in reading.questions}
    choices = tuple(
        asked.get(index) or tuple(one.tile for one in (eyes[index] if index < len(eyes) else tile).readings)
        for index, tile in enumerate(seen.tiles)
    )
    return ReadView(seen, reading.ruling, choices, corrections)


def _tidy_left_s(game: LiveGame) -> float | None:
    if game.turn.stage is not Stage.TIDY or not game.ruleset.tidy_s:
        return None
    at = game.paused_at if game.turn.paused else game.now()
    return max(0.0, protocol.tidy_until(game.turn, game.ruleset) - at)


def _seats(game: LiveGame) -> tuple[SeatView, ...]:
    state = game.state
    return tuple(
        SeatView(
            name=name,
            rack=state.racks[seat],
            opened=bool(state.opened) and state.opened[seat],
            active=seat in state.active,
            total=sum(played.points[seat] for played in state.rounds),
            shown=game.racks.get(seat) if game.turn.stage is Stage.COUNT else None,
        )
        for seat, name in enumerate(state.players)
    )


def _restoring(game: LiveGame) -> tuple[RestoreView, ...]:
    reading, home = game.memory.reading, game.memory.home
    lies = () if reading is None else reading.quads
    homes = () if home is None else home.quads
    return tuple(
        RestoreView(
            step.step.kind,
            step.step.tile,
            step.done,
            None if step.done else _place(lies, step.step.lies_at),
            _place(homes, step.step.home_at),
            step.step.home_set,
        )
        for step in game.notes.steps
    )


def _place(quads: Sequence[Quad | None], at: int | None) -> Quad | None:
    """The quad of a place; None where it has none, or lies on no table."""
    return None if at is None or at >= len(quads) else quads[at]
