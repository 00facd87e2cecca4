"""The true game: who holds which tile, what each turn does to the table, and what the rule book says of it.

Nothing is seen here and nothing moves: this is what the referee at the camera is measured against.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from random import Random

from referee.endgame import must_play
from referee.ending import Ending, TurnEnd, alike
from referee.game.commands import (
    Command,
    CorrectTable,
    Deal,
    EndTurn,
    NameStarter,
    RecordAsOne,
    Score,
    StartGame,
)
from referee.game.decide import GameError, decide, is_over
from referee.game.events import Event, RoundScored, TurnEnded
from referee.game.state import State, replay
from referee.notation import NotedTable, format_table, parse_table, sure
from referee.ruleset import RuleSet, box_faces
from referee.ruling import Verdict
from referee.solver.lawful import lawful_play
from referee.switches import Clock, LateTidy
from referee.tiles import Tile
from referee.turn import Player
from web.simulation.layout import KeyedSet, keyed
from web.simulation.players import (
    OFTEN_WRONG,
    STRATEGIES,
    Incident,
    Rates,
    Sets,
    half_moved,
    lying,
    one_more,
    split_set,
    wrong_table,
)

NAMES = ("Ala", "Bo", "Cy", "Dee")
MOST_TRIES = 3
TIDIES = 0.6
"""So many broken tables are put in order after the bell, or laid on, where the rules allow tidying."""


class SimulationError(RuntimeError):
    """The simulated game came to what cannot be: a fault of the simulation."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """A table that is called, or that lies there at the bell, and what the rules say of it.

    ``sets`` carry on the sets of the table before the turn, or of the attempt before this one.  ``at_bell`` is the
    table that lay there at the bell, None where none rang.
    """

    sets: tuple[KeyedSet, ...]
    shown: NotedTable
    how: TurnEnd
    verdict: str
    codes: tuple[str, ...]
    at_bell: NotedTable | None = None

    @property
    def ending(self) -> Ending:
        """How the turn ends with it."""
        return Ending(self.how, at_bell=self.at_bell)


@dataclass(frozen=True, slots=True)
class Uncalled:
    """What a player did whose turn nobody called: the seat that moved after him, and how many tiles each laid."""

    attempt: Attempt
    next_seat: int
    played: tuple[int, int]


@dataclass(frozen=True, slots=True)
class PlannedTurn:
    """What happens in a turn, and what is true of it.

    The last of ``attempts`` is the one that counts; those before it were illegal and mended in time, or tidied after
    the bell.  ``after`` is the table that stands, ``put_back`` its sets where it is not the one that was called (None:
    it is); ``drew`` is how many tiles came from the pool.  ``uncalled`` is a turn of ``seat`` that nobody called: then
    ``attempts`` are the next seat's.
    """

    number: int
    seat: int
    incident: Incident
    opened: bool
    before: NotedTable
    attempts: tuple[Attempt, ...]
    after: NotedTable
    put_back: tuple[KeyedSet, ...] | None
    drew: int
    event: TurnEnded
    uncalled: Uncalled | None = None

    @property
    def last(self) -> Attempt:
        return self.attempts[-1]

    @property
    def moves(self) -> int:
        """The seat that moved last."""
        return self.seat if self.uncalled is None else self.uncalled.next_seat

    @property
    def turns(self) -> int:
        """So many turns are over with it."""
        return 1 if self.uncalled is None else 2


@dataclass
class TrueRound:
    """One round; ``play_turn`` plays one turn after the other until it is over."""

    rules: RuleSet
    seats: int
    rng: Random
    rates: Rates = field(default_factory=Rates)
    state: State = field(init=False)
    tile_of: tuple[Tile, ...] = field(init=False)
    """The tile of each key."""
    racks: list[list[int]] = field(init=False)
    pool: list[int] = field(init=False)
    on_table: list[tuple[int, ...]] = field(init=False)
    """Keys of the tiles of each set of the table."""

    def __post_init__(self) -> None:
        self.tile_of = tuple(tile for tile in box_faces() for _ in range(self.rules.held(tile)))
        self.pool = list(range(len(self.tile_of)))
        self.rng.shuffle(self.pool)
        self.on_table = []
        self.state = State()
        self.players = NAMES[: self.seats]
        self.starter = self.rng.randrange(self.seats)
        self.tell(StartGame(self.players))
        self.tell(NameStarter(self.starter))
        self.tell(Deal())
        self.racks = [[self.pool.pop() for _ in range(self.rules.deal_tiles)] for _ in self.players]
        self.strategies = [STRATEGIES[self.rng.randrange(len(STRATEGIES))] for _ in self.players]

    def tell(self, command: Command) -> tuple[Event, ...]:
        """Carry out one command on the true game."""
        events = decide(self.state, command, self.rules)
        self.state = replay(events, self.state)
        return events

    @property
    def is_over(self) -> bool:
        return is_over(self.state, self.rules)

    def tiles(self, keys: Sequence[int]) -> tuple[Tile, ...]:
        """The tiles of some keys."""
        return tuple(self.tile_of[key] for key in keys)

    def play_turn(self) -> PlannedTurn:
        """Decide on the next turn and play it; where nobody calls it, the next one as well."""
        stood, first = self.state, self._play_one(missed=self.rng.random() < self.rates.missed_call)
        if first.incident is not Incident.MISSED_CALL:
            return first
        second = self._play_one(calm=True)
        seats, played = (first.seat, second.seat), (first.event.played, second.event.played)
        as_called, self.state = self.state, stood
        self.tell(RecordAsOne(seats, second.after, played))
        if self.state.opened != as_called.opened:
            raise SimulationError(f"turns recorded as one came out otherwise: {self.state} for {as_called}")
        self._count()
        return replace(
            second, number=self.state.turn, seat=first.seat, incident=Incident.MISSED_CALL,
            before=first.before, uncalled=Uncalled(first.last, second.seat, played),
        )  # fmt: skip

    def add_tile(self) -> tuple[KeyedSet, ...] | None:
        """The player who moved last lays one more tile, which the referee lets lie; None where nobody does, or can."""
        last = self.state.last_turn
        if self.rng.random() >= self.rates.added or last is None or self.is_over:
            return None
        seat = last.seats[-1]
        if last.verdict != Verdict.LEGAL or not self.state.opened[seat] or len(self.racks[seat]) < 2:
            return None
        sets = lying(parse_table(self.state.table))
        grown = one_more(sets, self.tiles(self.racks[seat]), self.rules, self.rng)
        if grown is None:
            return None
        wanted, _ = keyed(self.on_table, grown, self._at_hand(seat, self.on_table), self.tile_of)
        self.tell(CorrectTable(tuple(sure(*self.tiles(one.keys)) for one in wanted), "as it lies"))
        self._lay(seat, wanted)
        self._count()
        return tuple(wanted)

    def _play_one(self, *, missed: bool = False, calm: bool = False) -> PlannedTurn:
        """One turn; one that is ``missed``, or ``calm``, is legal and ends before the bell."""
        seat = self.state.seat
        before = parse_table(self.state.table)
        incident, attempts = self._decided(seat, before, calm=missed or calm)
        last = attempts[-1]
        (event,) = self.tell(EndTurn(seat, last.shown, last.ending))
        if not isinstance(event, TurnEnded):
            raise SimulationError(
                f"nobody can tell of {format_table(last.shown)} after {format_table(before)}: {event}"
            )
        after = parse_table(self.state.table)
        put_back = self._put_back(seat, last, after)
        self._move_tiles(seat, last.sets if put_back is None else put_back, event)
        if missed and event.played and not self.is_over:
            incident = Incident.MISSED_CALL
        return PlannedTurn(
            number=self.state.turn,
            seat=seat,
            incident=incident,
            opened=event.opened,
            before=before,
            attempts=attempts,
            after=after,
            put_back=put_back,
            drew=event.drew,
            event=event,
        )

    def score(self) -> RoundScored:
        """The racks are shown, and the round is scored."""
        (scored,) = self.tell(Score(tuple(self.tiles(rack) for rack in self.racks)))
        if not isinstance(scored, RoundScored):
            raise SimulationError(str(scored))
        return scored

    # --- what a player does -----------------------------------------------------------------------------------------

    def _player(self, seat: int) -> Player:
        others = all(self.state.opened[one] for one in self.state.active if one != seat)
        return Player(opened=self.state.opened[seat], others_opened=others)

    def _decided(self, seat: int, before: NotedTable, *, calm: bool) -> tuple[Incident, tuple[Attempt, ...]]:
        rack, player = self.tiles(self.racks[seat]), self._player(seat)
        play = self.strategies[seat](before, rack, player, self.rules, self.rng)
        if play is None and player.opened and must_play(self.state.pool == 0 or self.state.banking, self.rules):
            found = lawful_play(before, rack, player, self.rules)
            play = None if found is None else found.sets
        lies = lying(before)
        right = play if play is not None else lies
        kind = Incident.NONE if calm else self._incident(seat, before, right)
        if kind is Incident.TIME_UP:
            return kind, (self._attempt(seat, lies, self.on_table, bell=True),)
        if kind is Incident.BROKEN_AT_BELL:
            return self._broken_at_bell(seat, lies, right)
        for _ in range(MOST_TRIES if kind is not Incident.NONE else 0):
            wrong = wrong_table(kind, before, rack, player, self.rules, self.rng)
            attempt = None if wrong is None else self._attempt(seat, wrong, self.on_table)
            if attempt is not None and attempt.verdict == Verdict.ILLEGAL:
                if self.rng.random() < self.rates.mended:
                    lay = [one.keys for one in attempt.sets]
                    return Incident.MENDED, (attempt, self._attempt(seat, right, lay))
                return kind, (attempt,)
        return Incident.NONE, (self._attempt(seat, right, self.on_table),)

    def _broken_at_bell(self, seat: int, lies: Sets, right: Sets) -> tuple[Incident, tuple[Attempt, ...]]:
        """The bell rings over a play that was begun; where the rules allow it, it is tidied then, or laid on."""
        tidies = self.rules.late_tidy is not LateTidy.NONE and self.rng.random() < TIDIES
        lays = self.rng.random() < 0.5
        broken = split_set(lies, right, self.rules, self.rng) if tidies and not lays else None
        broken = broken or half_moved(lies, right, self.rng)
        if broken is None:
            return Incident.TIME_UP, (self._attempt(seat, lies, self.on_table, bell=True),)
        bell = self._attempt(seat, broken, self.on_table, bell=True)
        if not tidies or bell.verdict != Verdict.ILLEGAL:
            return Incident.BROKEN_AT_BELL, (bell,)
        then = self._attempt(seat, right, [one.keys for one in bell.sets], at_bell=bell.shown)
        if alike(bell.shown, then.shown):
            return Incident.BROKEN_AT_BELL, (bell,)
        late = sum(map(len, then.shown)) > sum(map(len, bell.shown))
        return Incident.LAID_LATE if late else Incident.TIDIED, (bell, then)

    def _incident(self, seat: int, before: NotedTable, right: Sets) -> Incident:
        chance = self.rng.random()
        timed = self.rules.clock is Clock.PER_TURN and (self.state.opened[seat] or self.rules.time_unopened)
        if timed and chance < self.rates.time_up:
            return Incident.TIME_UP
        chance -= self.rates.time_up
        if timed and 0 <= chance < self.rates.broken_at_bell:
            return Incident.BROKEN_AT_BELL
        chance -= self.rates.broken_at_bell
        # nobody goes wrong with his last tiles: the round would end in a way that no club knows
        laid = sum(map(len, right)) - sum(map(len, before))
        if 0 <= chance < self.rates.wrong and laid < len(self.racks[seat]):
            taken = self.rng.random() < self.rates.taken
            return Incident.TILE_TAKEN if taken else self.rng.choice(OFTEN_WRONG)
        return Incident.NONE

    def _attempt(
        self, seat: int, sets: Sets, lay: Sequence[tuple[int, ...]], *, bell: bool = False,
        at_bell: NotedTable | None = None,
    ) -> Attempt:  # fmt: skip
        """The table of these sets made out of one that lay so, and what the rule book says of it.

        Nothing played is a draw, or a pass where there is nothing to draw.  ``bell``: it lies there when the bell
        rings; ``at_bell``: another one did, and this is what was made of it since.
        """
        wanted, _ = keyed(lay, sets, self._at_hand(seat, lay), self.tile_of)
        shown = tuple(sure(*self.tiles(one.keys)) for one in wanted)
        at_bell = shown if bell else at_bell
        how = TurnEnd.PLAYED if at_bell is None else TurnEnd.TIME_UP
        if at_bell is None and alike(parse_table(self.state.table), shown):
            how = TurnEnd.DREW if self.state.pool and not self.state.banking else TurnEnd.PASSED
        try:
            (event,) = decide(self.state, EndTurn(seat, shown, Ending(how, at_bell=at_bell)), self.rules)
        except GameError as error:
            raise SimulationError(str(error)) from error
        if isinstance(event, TurnEnded):
            return Attempt(tuple(wanted), shown, how, event.verdict, event.codes, at_bell)
        return Attempt(tuple(wanted), shown, how, Verdict.CANNOT_TELL.value, (), at_bell)

    def _at_hand(self, seat: int, lay: Sequence[tuple[int, ...]]) -> list[int]:
        """The tiles that a player can take besides those that lie there: his rack's, and those he took to it."""
        lying_now = {key for keys in lay for key in keys}
        lay_before = (key for keys in self.on_table for key in keys)
        return [key for key in (*self.racks[seat], *lay_before) if key not in lying_now]

    def _put_back(self, seat: int, last: Attempt, after: NotedTable) -> tuple[KeyedSet, ...] | None:
        if alike(last.shown, after):
            return None
        lay = [one.keys for one in last.sets]
        wanted, _ = keyed(lay, lying(after), self._at_hand(seat, lay), self.tile_of)
        return tuple(wanted)

    def _move_tiles(self, seat: int, sets: Sequence[KeyedSet], event: TurnEnded) -> None:
        """Racks, table and pool after a turn."""
        self._lay(seat, sets)
        self.racks[seat] += [self.pool.pop() for _ in range(event.drew)]
        if event.to_pool:
            self.pool.insert(0, self.racks[seat].pop())
        self._count()

    def _lay(self, seat: int, sets: Sequence[KeyedSet]) -> None:
        """These sets lie there now: what came to the table left this rack, and the other way round."""
        here = [*self.racks[seat], *(key for keys in self.on_table for key in keys)]
        self.on_table = [one.keys for one in sets]
        lying_now = {key for keys in self.on_table for key in keys}
        self.racks[seat] = [key for key in here if key not in lying_now]

    def _count(self) -> None:
        """Raises ``SimulationError`` where the tiles do not add up to what the true game counts."""
        counts = tuple(map(len, self.racks))
        if counts != self.state.racks or len(self.pool) != self.state.pool:
            raise SimulationError(f"tiles got lost: {counts} and {len(self.pool)}, counted {self.state.racks}")
