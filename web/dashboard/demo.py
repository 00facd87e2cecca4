"""Simulated games at a table of the dashboard: the real eyes and the real referee, one game after the other.

Time passes as it does for people, or slower where the machine is too slow to draw and look in time; while the game is
paused it stands still.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from random import Random

from referee.ending import TurnEnd
from referee.game.decide import GameError
from referee.ruleset import RuleSet
from referee.ruling import Verdict
from referee.store import open_store
from referee.told import NOTHING, telling
from web.dashboard.hall import Hall
from web.dashboard.running import Drive, RunningTable
from web.evidence.background import BackgroundKeeper
from web.evidence.keeper import EvidenceKeeper
from web.live.acts import Act
from web.live.notices import Notice
from web.live.sight import Watch
from web.simulation.camera import VirtualClock
from web.simulation.drive import Driver, Joined, simulated
from web.simulation.players import Rates
from web.simulation.round import SimulationError, TrueRound
from web.simulation.table import SimulatedTable

SIZE_WH = (1920, 1080)
SEATS = 3
STEP_S = 0.1
SHEET_S = 45.0
"""The score sheet stays so long before the next game begins."""
LIVELY_TURNS = 6
"""In so many first turns something is to be seen: openings, and something illegal."""
MOST_SEEDS = 60


class DemoClock(VirtualClock):
    """The simulated table's time, held back so that no second of it is shorter than one of the world.

    ``pace`` is how many of its seconds pass in one of the world's; None: it waits for nobody.
    """

    def __init__(
        self, start: float, wait: Callable[[float], None], pace: float | None = 1.0,
        stopwatch: Callable[[], float] = time.perf_counter,
    ) -> None:  # fmt: skip
        super().__init__(start, stopwatch=stopwatch)
        self._wait, self._rate, self._world = wait, pace, stopwatch
        self._owed_from = stopwatch()

    def until(self, t: float) -> None:
        """Wait; a time that has passed changes nothing."""
        while (left := t - self()) > 0:
            step = min(left, STEP_S) if self._rate is not None else left
            super().until(self() + step)
            if self._rate is None:
                continue
            due = self._owed_from + step / self._rate
            self._wait(max(0.0, due - self._world()))
            self._owed_from = max(due, self._world() - STEP_S)

    @contextmanager
    def measured(self) -> Iterator[None]:
        """The time that the work inside takes passes here too."""
        with super().measured():
            yield
        self._owed_from = self._world()


class DemoDriver(Driver):
    """Plays one game; what people ask at the desk is carried out in between, and a pause stops the players too."""

    def __init__(
        self, table: SimulatedTable, joined: Joined, clock: VirtualClock, game: str, running: RunningTable
    ) -> None:
        super().__init__(table, joined, clock, game)
        self._running = running
        running.play(self.live, table.rules)

    @property
    def is_followed(self) -> bool:
        """Whether the game of the log is still the one that the simulated players play."""
        live, true = self.live.state, self.table.round.state
        return (live.seat, live.racks, live.round) == (true.seat, true.racks, true.round)

    def _play_turn(self) -> None:
        if not self.is_followed:
            raise GameError("people at the desk have led the game elsewhere")
        super()._play_turn()

    def _do(self, act: Act) -> tuple[Notice, ...]:
        self._rest()
        return super()._do(act)

    def _look(self) -> tuple[Notice, ...]:
        self._running.wait(0)
        self._rest()
        self._running.count(self.camera.dropped)
        return super()._look()

    def _told(self, notices: tuple[Notice, ...]) -> tuple[Notice, ...]:
        self._running.publish(notices)
        return super()._told(notices)

    def _rest(self) -> None:
        """Stand still while people at the desk have paused the game."""
        while self.live.turn.paused and not self.holds_clock:
            self._running.wait(STEP_S)


Onlooker = Callable[[SimulatedTable], Watch]
"""Makes what watches a simulated table."""


def demo(
    hall: Hall, seed: int = 1, *, pace: float | None = 1.0, seats: int = SEATS, onlooker: Onlooker | None = None,
    size_wh: tuple[int, int] = SIZE_WH,
) -> Drive:  # fmt: skip
    """What drives a table of simulated games, one after the other until it is closed.

    ``onlooker`` takes the place of the real eyes; ``size_wh`` are the camera's pixels.
    """

    def looked_at(table: SimulatedTable) -> Watch:
        return hall.wiring.watch(hall.eyes(), None, False) if onlooker is None else onlooker(table)

    def drive(running: RunningTable) -> None:
        running.tell_trouble(telling("The referee is getting ready."))
        models = hall.eyes().models
        number = seed
        while True:
            number = lively_seed(hall.ruleset, seats, number)
            game = f"demo-{number}-{int(hall.wall())}"
            store = open_store(hall.database)
            try:
                keeper = EvidenceKeeper(hall.evidence, game, store, hall.wall, running.tell_trouble)
                with BackgroundKeeper(keeper) as evidence:
                    table = simulated(hall.ruleset, seats, number, Rates(), hall.wall(), size_wh)
                    clock = DemoClock(hall.wall(), running.wait, pace)
                    joined = Joined(looked_at(table), store, evidence, models)
                    running.tell_trouble(NOTHING)
                    _play(DemoDriver(table, joined, clock, game, running), running)
            finally:
                store.close()
            running.wait(SHEET_S if pace is not None else 0.5)
            number += 1

    return drive


def _play(driver: DemoDriver, running: RunningTable) -> None:
    """One game, to its score sheet or until the people at the desk lead it elsewhere."""
    try:
        driver.play()
    except (GameError, SimulationError):
        running.publish(())


def lively_seed(ruleset: RuleSet, seats: int, seed: int) -> int:
    """The first seed from this one on whose game shows something within its first turns."""
    for number in range(seed, seed + MOST_SEEDS):
        true = TrueRound(ruleset, seats, Random(number * 7 + 1), Rates())
        turns = [true.play_turn() for _ in range(LIVELY_TURNS) if not true.is_over]
        laid = sum(turn.last.how is TurnEnd.PLAYED and turn.last.verdict == Verdict.LEGAL for turn in turns)
        wrong = any(attempt.verdict == Verdict.ILLEGAL for turn in turns for attempt in turn.attempts)
        if laid >= 2 and wrong:
            return number
    return seed


