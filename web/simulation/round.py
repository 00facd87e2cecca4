"""The true game: who holds which tile, what each turn does to the table, and what the rule book says of it.

Nothing is seen here and nothing moves: this is what the referee at the camera is measured against.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random

from referee.endgame import must_play
from referee.ending import Ending, TurnEnd, alike
from referee.game.commands import Command, Deal, EndTurn, NameStarter, Score, StartGame
from referee.game.decide import GameError, decide, is_over
from referee.game.events import Event, RoundScored, TurnEnded
from referee.game.state import State, replay
from referee.notation import NotedTable, format_table, parse_table, sure
from referee.ruleset import RuleSet, box_faces
from referee.ruling import Verdict
from referee.solver.lawful import lawful_play
from referee.switches import Clock
from referee.tiles import Tile
from referee.turn import Player
from web.simulation.layout import KeyedSet, keyed
from web.simulation.players import STRATEGIES, WRONG, Incident, Rates, Sets, half_moved, lying, wrong_table

NAMES = ("Ala", "Bo", "Cy", "Dee")
MOST_TRIES = 3


class SimulationError(RuntimeError):
    """The simulated game came to what cannot be: a fault of the simulation."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """A table that is called, or that lies there at the bell, and what the rules say of it.

    ``sets`` carry on the sets of the table before the turn, or of the attempt before this one.
    """

    sets: tuple[KeyedSet, ...]
    shown: NotedTable
    how: TurnEnd
    verdict: str
    codes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PlannedTurn:
    """What happens in a turn, and what is true of it.

    The last of ``attempts`` is the one that counts; those before it were illegal and mended in time.  ``after`` is the
    table that stands, ``put_back`` its sets where it is not the one that was called (None: it is); ``drew`` is how many
    tiles came from the pool.
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

    @property
    def last(self) -> Attempt:
        return self.attempts[-1]


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
        """Decide on the next turn and play it."""
        seat = self.state.seat
        before = parse_table(self.state.table)
        incident, attempts = self._decided(seat, before)
        last = attempts[-1]
        ending = Ending(last.how, at_bell=last.shown if last.how is TurnEnd.TIME_UP else None)
        (event,) = self.tell(EndTurn(seat, last.shown, ending))
        if not isinstance(event, TurnEnded):
            raise SimulationError(
                f"nobody can tell of {format_table(last.shown)} after {format_table(before)}: {event}"
            )
        after = parse_table(self.state.table)
        put_back = self._put_back(seat, last, after)
        self._move_tiles(seat, last.sets if put_back is None else put_back, event)
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

    def _decided(self, seat: int, before: NotedTable) -> tuple[Incident, tuple[Attempt, ...]]:
        rack, player = self.tiles(self.racks[seat]), self._player(seat)
        play = self.strategies[seat](before, rack, player, self.rules, self.rng)
        if play is None and player.opened and must_play(self.state.pool == 0 or self.state.banking, self.rules):
            found = lawful_play(before, rack, player, self.rules)
            play = None if found is None else found.sets
        lies = lying(before)
        right = play if play is not None else lies
        kind = self._incident(seat, before, right)
        if kind in {Incident.TIME_UP, Incident.BROKEN_AT_BELL}:
            broken = half_moved(lies, right, self.rng) if kind is Incident.BROKEN_AT_BELL else None
            kind = Incident.TIME_UP if broken is None else kind
            return kind, (self._attempt(seat, lies if broken is None else broken, self.on_table, bell=True),)
        for _ in range(MOST_TRIES if kind is not Incident.NONE else 0):
            wrong = wrong_table(kind, before, rack, player, self.rules, self.rng)
            attempt = None if wrong is None else self._attempt(seat, wrong, self.on_table)
            if attempt is not None and attempt.verdict == Verdict.ILLEGAL:
                if self.rng.random() < self.rates.mended:
                    lay = [one.keys for one in attempt.sets]
                    return Incident.MENDED, (attempt, self._attempt(seat, right, lay))
                return kind, (attempt,)
        return Incident.NONE, (self._attempt(seat, right, self.on_table),)

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
            return self.rng.choice(WRONG)
        return Incident.NONE

    def _attempt(self, seat: int, sets: Sets, lay: Sequence[tuple[int, ...]], *, bell: bool = False) -> Attempt:
        """The table of these sets made out of one that lay so, and what the rule book says of it.

        Nothing played is a draw, or a pass where there is nothing to draw.
        """
        wanted, _ = keyed(lay, sets, self._at_hand(seat, lay), self.tile_of)
        shown = tuple(sure(*self.tiles(one.keys)) for one in wanted)
        how = TurnEnd.TIME_UP if bell else TurnEnd.PLAYED
        if not bell and alike(parse_table(self.state.table), shown):
            how = TurnEnd.DREW if self.state.pool and not self.state.banking else TurnEnd.PASSED
        ending = Ending(how, at_bell=shown if bell else None)
        try:
            (event,) = decide(self.state, EndTurn(seat, shown, ending), self.rules)
        except GameError as error:
            raise SimulationError(str(error)) from error
        if isinstance(event, TurnEnded):
            return Attempt(tuple(wanted), shown, how, event.verdict, event.codes)
        return Attempt(tuple(wanted), shown, how, Verdict.CANNOT_TELL.value, ())

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
        """Racks, table and pool after a turn: what came to the table left this rack, and the other way round."""
        here = [*self.racks[seat], *(key for keys in self.on_table for key in keys)]
        self.on_table = [one.keys for one in sets]
        lying_now = {key for keys in self.on_table for key in keys}
        self.racks[seat] = [key for key in here if key not in lying_now]
        self.racks[seat] += [self.pool.pop() for _ in range(event.drew)]
        if event.to_pool:
            self.pool.insert(0, self.racks[seat].pop())
        counts = tuple(map(len, self.racks))
        if counts != self.state.racks or len(self.pool) != self.state.pool:
            raise SimulationError(f"tiles got lost: {counts} and {len(self.pool)}, counted {self.state.racks}")
