"""The state of a game, and how each event changes it: the game is a fold over its log."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TypeVar

from referee.game.events import (
    Dealt,
    Event,
    GameStarted,
    PenaltyGiven,
    PlacePointed,
    PlaceTakenBack,
    PlayerLeft,
    RedealRuled,
    RoundBegun,
    RoundScored,
    ScoreConfirmed,
    StarterDrawn,
    TableCorrected,
    TileAnswered,
    TurnEnded,
    TurnQuestioned,
    TurnUndone,
    VerdictOverridden,
)
from referee.pointed import OUTLASTING

T = TypeVar("T")
RECORDED_AS_ONE, UNDONE_AS_ONE = "recorded_as_one", "undone_as_one"
"""The codes of turns that nobody called, told together.  Old logs lack the second: there each is undone by itself."""


class Phase(StrEnum):
    """What the game waits for."""

    NEW = "new"
    STARTER = "starter"
    DEAL = "deal"
    PLAY = "play"
    QUESTION = "question"
    COUNT = "count"
    BETWEEN = "between"


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """A penalty: who, in which turn, how many tiles and points, and why."""

    seat: int
    turn: int
    tiles: int
    points: int
    reason: str


@dataclass(frozen=True, slots=True)
class State:
    """A game after some events.

    ``racks`` and ``pool`` count tiles; ``table`` is in the text notation.  ``active`` are the seats still playing.
    ``banking``: the pool ran out, and who lays nothing puts a tile into it.  ``passes`` counts the last turns, since
    the pool is empty, in which nobody laid a tile.
    ``draws`` are the draws for the start of this round, ``drawing`` the seats that must draw now.
    ``answers`` are what humans said of tiles since a turn stood last, ``settled`` what they said of this round's tiles
    before that; ``pointed`` is what they said of places.  ``confirmed`` are the seats that agree with the scores of
    ``rounds[-1]``.  ``before_turn`` is the state before the last turn (None: no turn to undo or override).
    """

    phase: Phase = Phase.NEW
    version: int = 0
    players: tuple[str, ...] = ()
    rules: str = ""
    fingerprint: str = ""
    box: int = 0
    direction_step: int = 1
    round: int = 1
    starter: int | None = None
    drawing: tuple[int, ...] = ()
    draws: tuple[StarterDrawn, ...] = ()
    seat: int = 0
    turn: int = 0
    table: str = ""
    racks: tuple[int, ...] = ()
    pool: int = 0
    opened: tuple[bool, ...] = ()
    active: tuple[int, ...] = ()
    overruns: tuple[int, ...] = ()
    turns_had: tuple[int, ...] = ()
    reserves: tuple[float | None, ...] = ()
    banking: bool = False
    turns_since_empty: int = 0
    passes: int = 0
    ledger: tuple[LedgerEntry, ...] = ()
    answers: tuple[TileAnswered, ...] = ()
    settled: tuple[TileAnswered, ...] = ()
    pointed: tuple[PlacePointed, ...] = ()
    confirmed: tuple[int, ...] = ()
    question: TurnQuestioned | None = None
    rounds: tuple[RoundScored, ...] = ()
    last_turn: TurnEnded | None = None
    before_turn: State | None = None

    @property
    def just_dealt(self) -> bool:
        """Whether the round was dealt, and nobody has had a turn in it yet."""
        return self.phase is Phase.PLAY and not self.table and not any(self.turns_had)

    @property
    def on_table(self) -> int:
        """How many tiles lie on the table, by the counts: the box less racks and pool."""
        return self.box - sum(self.racks) - self.pool

    def points_lost(self, seat: int) -> int:
        """What a seat has lost on the way, in this round."""
        return sum(entry.points for entry in self.ledger if entry.seat == seat)


def replay(events: Iterable[Event], start: State | None = None) -> State:
    """The state after these events."""
    state = start or State()
    for event in events:
        state = evolve(state, event)
    return state


def evolve(state: State, event: Event) -> State:
    """The state after one more event; never fails for an event that ``decide`` gave for this state."""
    return replace(_evolved(state, event), version=state.version + 1)


def _evolved(state: State, event: Event) -> State:  # noqa: C901, PLR0912  one case an event
    match event:
        case GameStarted():
            seats = len(event.players)
            return replace(
                state,
                phase=Phase.STARTER,
                players=event.players,
                rules=event.rules,
                fingerprint=event.fingerprint,
                box=event.box,
                direction_step=1 if event.clockwise else -1,
                drawing=tuple(range(seats)),
                active=tuple(range(seats)),
                pool=event.box,
                racks=(0,) * seats,
            )
        case StarterDrawn():
            if event.starter is None:
                return replace(state, drawing=event.again, draws=(*state.draws, event))
            return replace(state, phase=Phase.DEAL, starter=event.starter, drawing=(), draws=())
        case Dealt():
            return _dealt(state, event)
        case RedealRuled():
            if event.why:
                return state
            bare = replace(state, answers=(), settled=(), pointed=())
            return replace(bare, phase=Phase.DEAL, racks=(0,) * len(state.players), pool=state.box, table="")
        case TileAnswered():
            return replace(state, answers=(*state.answers, event))
        case PlacePointed():
            return replace(state, pointed=(*state.pointed, event))
        case PlaceTakenBack():
            return replace(state, pointed=_without(state.pointed, event))
        case TurnQuestioned():
            return replace(state, phase=Phase.QUESTION, question=event)
        case TurnEnded():
            return _turned(state, event)
        case VerdictOverridden():
            return _turned(state.before_turn or state, event.turn)
        case TurnUndone():
            return state.before_turn or state
        case TableCorrected():
            corrected = replace(
                state, table=event.table, racks=event.racks, pool=event.pool, before_turn=None,
                answers=(), settled=(*state.settled, *state.answers),
            )  # fmt: skip
            return replace(corrected, phase=_going_on(corrected))
        case PenaltyGiven():
            entry = LedgerEntry(event.seat, state.turn, event.tiles, event.points, event.reason)
            racks = _added(state.racks, event.seat, event.tiles)
            # A turn whose tile in the pool is now on a rack cannot be undone.
            before = state.before_turn
            earlier = _evolved(before, event) if before is not None and before.pool >= event.tiles else None
            ledger = (*state.ledger, entry)
            return replace(state, racks=racks, pool=state.pool - event.tiles, ledger=ledger, before_turn=earlier)
        case PlayerLeft():
            return _left(state, event)
        case RoundScored():
            rounds = (*state.rounds, event)
            return replace(state, phase=Phase.BETWEEN, rounds=rounds, confirmed=(), before_turn=None)
        case ScoreConfirmed():
            return replace(state, confirmed=(*state.confirmed, event.seat))
        case RoundBegun():
            return _begun(state, event)


def _dealt(state: State, event: Dealt) -> State:
    seats = len(state.players)
    return replace(
        state,
        phase=Phase.PLAY,
        seat=state.starter if state.starter in state.active and state.starter is not None else state.active[0],
        racks=event.counts,
        pool=state.box - sum(event.counts),
        table="",
        opened=(False,) * seats,
        overruns=(0,) * seats,
        turns_had=(0,) * seats,
        reserves=(None,) * seats,
        banking=False,
        turns_since_empty=0,
        passes=0,
        ledger=(),
        last_turn=None,
        before_turn=None,
    )


def _turned(state: State, event: TurnEnded) -> State:
    seat = event.seats[0]
    racks = _added(state.racks, seat, event.drew + event.took - event.played - event.to_pool)
    pool = state.pool - event.drew + event.to_pool
    stands = event.shown == event.after
    entry = LedgerEntry(seat, state.turn, event.drew, event.points, ",".join(event.codes))
    costs = event.points or (event.verdict == "illegal" and event.drew)
    was_empty = state.pool == 0
    over = 0 in {racks[one] for one in event.seats}
    last = state.last_turn
    within = last is not None and is_one_of_several(last) and last.shown != last.after
    before = state.before_turn if within else replace(state, phase=Phase.PLAY, question=None, before_turn=None)
    return replace(
        state,
        phase=Phase.COUNT if over else Phase.PLAY,
        seat=following(state, event.seats[-1]),
        turn=state.turn + 1,
        table=event.after,
        racks=racks,
        pool=pool,
        opened=_set(state.opened, seat, event.opened),
        overruns=_set(state.overruns, seat, state.overruns[seat] + event.overrun),
        turns_had=_set(state.turns_had, seat, state.turns_had[seat] + 1),
        reserves=_set(state.reserves, seat, event.reserve_s),
        banking=state.banking or event.to_pool > 0,
        turns_since_empty=state.turns_since_empty + 1 if was_empty else 0,
        passes=state.passes + 1 if was_empty and not event.played else 0,
        ledger=(*state.ledger, entry) if costs else state.ledger,
        answers=() if stands else state.answers,
        settled=(*state.settled, *state.answers) if stands else state.settled,
        pointed=tuple(one for one in state.pointed if one.deed in OUTLASTING) if stands else state.pointed,
        question=None,
        last_turn=event,
        before_turn=before,
    )


def is_one_of_several(turn: TurnEnded) -> bool:
    """Whether the turn was recorded as one with others: they are undone together, as the table shows them together."""
    return UNDONE_AS_ONE in turn.codes


def _going_on(state: State) -> Phase:
    """What the game waits for once racks have been counted anew: an empty rack ends the round, tiles on it do not."""
    if state.phase not in {Phase.PLAY, Phase.COUNT}:
        return state.phase
    over = len(state.active) == 1 or any(state.racks[seat] == 0 for seat in state.active)
    return Phase.COUNT if over else Phase.PLAY


def _left(state: State, event: PlayerLeft) -> State:
    active = tuple(seat for seat in state.active if seat != event.seat)
    racks = _set(state.racks, event.seat, 0)
    seat = following(state, event.seat) if state.seat == event.seat else state.seat
    phase = Phase.COUNT if len(active) == 1 and state.phase is Phase.PLAY else state.phase
    drawing = tuple(one for one in state.drawing if one != event.seat)
    changed = replace(state, active=active, racks=racks, pool=state.pool + event.to_pool, seat=seat, before_turn=None)
    return replace(changed, phase=phase, drawing=drawing)


def _begun(state: State, event: RoundBegun) -> State:
    drawn_for = event.starter is None
    return replace(
        state,
        phase=Phase.STARTER if drawn_for else Phase.DEAL,
        round=event.number,
        starter=event.starter,
        drawing=state.active if drawn_for else (),
        draws=(),
        racks=(0,) * len(state.players),
        pool=state.box,
        table="",
        answers=(),
        settled=(),
        pointed=(),
        confirmed=(),
        ledger=(),
        last_turn=None,
    )


def _without(pointed: tuple[PlacePointed, ...], back: PlaceTakenBack) -> tuple[PlacePointed, ...]:
    """The words without the last one that says this; a place may have moved with the camera since."""
    at = next((k for k in reversed(range(len(pointed))) if says(pointed[k]) == says(back)), None)
    return pointed if at is None else (*pointed[:at], *pointed[at + 1 :])


def says(word: PlacePointed | PlaceTakenBack) -> tuple[str, str | None, str | None]:
    """What a word says, wherever."""
    return word.deed, word.tile, word.read_as


def following(state: State, seat: int) -> int:
    """The next seat that still plays."""
    seats = len(state.players)
    for _ in range(seats):
        seat = (seat + state.direction_step) % seats
        if seat in state.active:
            return seat
    return seat


def _added(values: tuple[int, ...], at: int, more: int) -> tuple[int, ...]:
    return (*values[:at], values[at] + more, *values[at + 1 :])


def _set(values: tuple[T, ...], at: int, value: T) -> tuple[T, ...]:
    return (*values[:at], value, *values[at + 1 :])
