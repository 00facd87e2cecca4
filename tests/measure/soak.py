"""Hours of play in one program: is memory flat, is everything closed again, are dropped frames counted?

    python -m tests.measure.soak [--minutes 40] [--seed 1] [--every 60] [--turns 24] [--output soak.jsonl]

Simulated games one after the other before the whole program: a network camera that serves JPEG over HTTP from a process
of its own, read by the camera's thread; the newest frame alone from its mailbox; the care of the camera; the real eyes;
the log in a database on the disk; the evidence behind the game's back.  Nobody waits while players think: the game's
clock is moved on then, everything else takes the time it takes.  On a machine so busy that the evening would last too
long, players take a break now and then, their clocks stopped.  Every few minutes the camera is unplugged, hangs up,
falls silent, freezes, goes black or changes its size, and in the midst of each game the program leaves it and goes on
with it, as after a restart.  Each game's evidence is verified, its log compared.

A line of JSON a minute; exit status 1 where something leaks, is lost or is not named.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from random import Random

import click

from referee.game.state import State
from referee.preset_files import load_ruleset, preset_names
from referee.protocol import Stage
from referee.store import load_state, open_store
from tests.measure.soak_camera import NAMED, Mood, SoakCamera
from tests.measure.soak_figures import (
    Handles,
    Named,
    Rest,
    Sample,
    Soaked,
    give_back,
    handles,
    live_mb,
    memory_mb,
    size_mb,
)
from vision.camera import LiveCamera
from vision.frames import CameraFault, Frame
from web.evidence.check import Grade, check
from web.evidence.desk import evidence_of
from web.evidence.shelf import FolderShelf, folder_name
from web.home import evidence_folder
from web.live import acts
from web.live.care import CameraCare
from web.live.keys import Lines
from web.live.notices import Notice, NoticeCode
from web.live.play import Play, Table
from web.live.table import LiveTable
from web.simulate_desk import region_of
from web.simulation.camera import VirtualClock
from web.simulation.drive import DEALT_S, Driver, Joined, simulated
from web.simulation.players import Rates
from web.simulation.round import NAMES
from web.simulation.table import SimulatedTable
from web.wiring import Eyes, Wiring, product_wiring

START_S = 1_800_000_000.0
CAMERA_DELAY_S = 0.1
TURNS_A_SITTING = 8
THINKS = (0.35, 0.6)
"""Players think for so much of their time, a minute at most, in steps of so many seconds."""
LONGEST_THOUGHT_S, THINKING_STEP_S = 60.0, 8.0
LOOKS_A_STEP = 2
SHORTEST_BREAK_S, LONGEST_BREAK_S, BREAK_STEP_S = 60.0, 240.0, 30.0
SPEED = 5.0
"""So much faster than the world's time the evening shall go by."""
FAULT_EVERY_S, FAULT_LASTS_S = 75.0, 3.5
BUSY_S = 40.0
WELL_WITHIN_S, ENDS_WITHIN_S = 20.0, 10.0
MOST_TURNS = 24
"""Of a game: so that there are enough of them to compare."""


class SkippingClock(VirtualClock):
    """The world's time from a date on, and what was skipped of it."""

    def __init__(self, start: float) -> None:
        super().__init__(start)
        self._offset = start - time.monotonic()

    def __call__(self) -> float:
        return time.monotonic() + self._offset

    def until(self, t: float) -> None:
        """Wait."""
        time.sleep(max(0.0, t - self()))

    def skip(self, seconds: float) -> None:
        """It is so much later now."""
        self._offset += seconds

    @contextlib.contextmanager
    def measured(self) -> Iterator[None]:
        """Work takes the time that it takes."""
        yield


class HeardTable(LiveTable):
    """A live table that remembers what it said."""

    heard: tuple[Notice, ...] = ()

    def drained(self) -> tuple[Notice, ...]:
        """What was said since somebody asked last."""
        said, self.heard = self.heard, ()
        return said

    def see(self, frame: Frame) -> tuple[Notice, ...]:
        return self._noted(super().see(frame))

    def tick(self) -> tuple[Notice, ...]:
        return self._noted(super().tick())

    def do(self, act: acts.Act) -> tuple[Notice, ...]:
        return self._noted(super().do(act))

    def camera(self, fault: CameraFault | None) -> tuple[Notice, ...]:
        return self._noted(super().camera(fault))

    def _noted(self, said: tuple[Notice, ...]) -> tuple[Notice, ...]:
        self.heard += said
        return said


class Sitting:
    """The program as it runs from its start to its end: opened on a game, new or begun, and closed again."""

    def __init__(self, soak: Soak, table: SimulatedTable, game: str) -> None:
        with contextlib.ExitStack() as stack:
            store = stack.enter_context(contextlib.closing(open_store(soak.url)))
            self.feed = LiveCamera(soak.camera.address, delay_s=CAMERA_DELAY_S, clock=soak.clock)
            stack.enter_context(contextlib.closing(self.feed))
            sink = stack.enter_context(evidence_of(game, store, soak.clock, soak.troubles.append))
            region = region_of(table)
            self.live = HeardTable(
                soak.wiring.watch(soak.eyes, region, False), store, game, table.rules, sink, soak.clock,
                models=soak.eyes.models, corners=None if region is None else region.corners,
            )  # fmt: skip
            care = CameraCare(self.live, region, lambda moved: soak.wiring.watch(soak.eyes, moved, False))
            joined = Table(self.live, self.feed, None, lambda: soak.eyes, care, sink.seal, wall=soak.clock)
            self.play = Play(joined, Lines([]), table.rules, as_json=True)
            self.seal = sink.seal
            self._stack = stack.pop_all()

    def close(self) -> str:
        """Leave; returns the seal of what was kept."""
        seal = self.seal()
        self._stack.close()
        return seal


class RealDriver(Driver):
    """Plays one simulated round before the program as it runs, sitting after sitting."""

    in_time_s = 20.0
    """A camera that fails just then holds a call up, and whoever comes too late once is late ever after."""

    def __init__(self, table: SimulatedTable, soak: Soak, game: str) -> None:
        with contextlib.closing(open_store("sqlite://")) as nothing:  # each sitting has a live table of its own
            watch = soak.wiring.watch(soak.eyes, region_of(table), False)
            super().__init__(table, Joined(watch, nothing), soak.clock, game)
        self.game, self._soak, self._dice = game, soak, Random(table.seed)
        self._sitting: Sitting | None = None

    def play_until(self, ends_at: float) -> str:
        """Play until the round is over or the time is (wall, monotonic); returns the seal of the evidence."""
        began, said = False, State()
        seal = ""
        while self._goes_on(ends_at):
            self._sitting = sitting = Sitting(self._soak, self.table, self.game)
            self.live = sitting.live
            if self.live.state != said and began:
                self._soak.troubles.append(f"{self.game} went on as another game than it was left")
            if not began:
                self._do(acts.StartGame(NAMES[: self.table.seats], self.table.round.starter))
                self._watch_until(self.clock() + DEALT_S, seldom=False)
                began = True
            turns = 0
            while turns < TURNS_A_SITTING and self._goes_on(ends_at):
                self._play_turn()
                turns += 1
            if self.table.is_over:
                self._count()
            self._until_well()
            said = self.live.state
            self._soak.leave(sitting)
            seal = sitting.close()
            self._soak.rest()
        return seal

    def _until_well(self) -> None:
        """Nobody leaves while something is wrong with the camera, nor before that is said."""
        gives_up = time.monotonic() + WELL_WITHIN_S
        while time.monotonic() < gives_up and (not self._soak.camera.is_well or self.live.view.fault):
            self._look(undisturbed=True)

    def _goes_on(self, ends_at: float) -> bool:
        return not self.table.is_over and self.figures.turns < self._soak.most_turns and time.monotonic() < ends_at

    def _play_turn(self) -> None:
        if self.live.turn.stage is Stage.READY:
            self._do(acts.StartClock())
        self._think()
        self._take_a_break()
        super()._play_turn()
        self._soak.turns += 1

    def _take_a_break(self) -> None:
        """Where the evening lags behind, the clock is stopped and everybody gets up for a while."""
        wants = self._soak.lag_s
        if wants < SHORTEST_BREAK_S or self.live.turn.stage is not Stage.PLAY:
            return
        self._do(acts.Pause())
        self._pass(min(wants, LONGEST_BREAK_S), BREAK_STEP_S)
        self._soak.breaks_s += min(wants, LONGEST_BREAK_S)
        self._do(acts.Resume())

    def _think(self) -> None:
        self._pass(self._dice.uniform(*THINKS) * min(LONGEST_THOUGHT_S, self.table.rules.time_s))

    def _pass(self, left: float, step: float = THINKING_STEP_S) -> None:
        """Time in which nobody does anything: a few looks, and it is over."""
        while left > 0:
            self._soak.clock.skip(min(left, step))
            left -= step
            for _ in range(LOOKS_A_STEP):
                self._look()

    def _look(self, *, undisturbed: bool = False) -> tuple[Notice, ...]:
        assert self._sitting is not None
        if not undisturbed:
            self._soak.disturb()
        self._sitting.live.drained()
        self._sitting.play.look()
        said = self._sitting.live.drained()
        frame = self.live.frame
        self._seen_at = self._seen_at if frame is None else frame.taken_at
        self._soak.looked(self._sitting, said)
        return said

    def _wait_for(self, *codes: NoticeCode, seconds: float = BUSY_S) -> Notice | None:
        """A busy machine is waited for: it is not speed that is measured here."""
        return super()._wait_for(*codes, seconds=max(seconds, BUSY_S))

    def _watch_until(self, t: float, *, seldom: bool = True, pause: float = 0.0) -> None:
        """Look at every frame until a time; where nobody does anything for long, time is skipped."""
        while self.clock() < t:
            if seldom and pause > 1:
                self._soak.clock.skip(min(pause, max(0.0, t - self.clock())))
            self._look()


class Soak:
    """Everything that lasts from the first game to the last."""

    def __init__(self, folder: Path, wiring: Wiring, most_turns: int) -> None:
        self.folder, self.wiring, self.most_turns = folder, wiring, most_turns
        self.url = f"sqlite:///{folder / 'games.db'}"
        self.eyes: Eyes = wiring.load_eyes()
        self.clock = SkippingClock(START_S)
        self.camera = SoakCamera(self.clock)
        self.troubles: list[str] = []
        self.remarks: list[str] = []
        """What was not as it should be at the simulated table: misread, asked in vain, late."""
        self.games = self.rulings = 0
        self.rested: list[Handles] = []
        self.at_rest: list[Rest] = []
        self.turns = self.sittings = self.frames = 0
        self.breaks_s = 0.0
        self._dropped = self._connections = 0
        self._sitting: Sitting | None = None
        self._numbers = -1
        self._heard: list[tuple[float, str]] = []
        self._faults = itertools.cycle(one for one in Mood if one is not Mood.WELL)
        self.began = time.monotonic()
        self._fault_at = self.began + FAULT_EVERY_S / 2

    @property
    def lag_s(self) -> float:
        """By how much the evening is behind."""
        return SPEED * (time.monotonic() - self.began) - (self.clock() - START_S)

    def play(self, seed: int, ends_at: float) -> None:
        """One game after the other until a time (monotonic)."""
        names = preset_names()
        while time.monotonic() < ends_at:
            number = self.games
            table = simulated(
                load_ruleset(names[number % len(names)]), 2 + number % 3, seed + number, Rates(), self.clock()
            )
            self.camera.point_at(table)
            driver = RealDriver(table, self, f"soaked-{number + 1}")
            seal = driver.play_until(ends_at)
            self.camera.point_at(None)
            self._verify(driver, seal)
            self.games, self.rulings = self.games + 1, self.rulings + driver.figures.rulings
            self.remarks += [f"{driver.game} ({table.rules.name}), {one}" for one in driver.figures.troubles]
            del driver, table
            give_back()
            self.at_rest.append(Rest(time.monotonic() - self.began, memory_mb()[0], live_mb()))

    def disturb(self) -> None:
        """The next fault of the camera, where it is time."""
        if time.monotonic() >= self._fault_at and self.camera.is_well:
            self._fault_at = time.monotonic() + FAULT_EVERY_S
            self.camera.be(next(self._faults), FAULT_LASTS_S)

    def looked(self, sitting: Sitting, said: tuple[Notice, ...]) -> None:
        """One look of the program, and what it said."""
        self._sitting = sitting
        number = sitting.live.frame.number if sitting.live.frame is not None else 0
        self.frames += number != self._numbers
        self._numbers = number
        for notice in said:
            if notice.code is NoticeCode.CAMERA_TROUBLE:
                self._heard.append((time.monotonic(), notice.text))
            elif notice.code is NoticeCode.CAMERA_WELL:
                self._heard.append((time.monotonic(), ""))

    def leave(self, sitting: Sitting) -> None:
        """A sitting is over: what it counted is kept."""
        self.sittings += 1
        self._dropped += sitting.feed.dropped
        self._connections += sitting.feed.connections
        self._sitting = None

    def rest(self) -> None:
        """Everything is closed: what is open still?  A thread that was told to end is given a while."""
        gives_up = time.monotonic() + ENDS_WITHIN_S
        while self.rested and handles().over(self.rested[0]) and time.monotonic() < gives_up:
            time.sleep(0.1)
        self.rested.append(handles())

    def named(self) -> Iterator[Named]:
        """Of each fault that the camera had, when it was named."""
        for mood in self.camera.moods:
            if mood.mood not in NAMED:
                continue
            wanted = NAMED[mood.mood].value
            said = next((at for at, text in self._heard if at >= mood.at and text == wanted), None)
            if said is not None and said - mood.at > FAULT_EVERY_S / 2:
                said = None
            well = said is not None and any(at > said and not text for at, text in self._heard)
            yield Named(mood.mood.value, None if said is None else said - mood.at, well)

    def sample(self) -> Sample:
        """The figures of this moment."""
        sitting, open_now, (rss, peak) = self._sitting, handles(), memory_mb()
        wall = time.monotonic() - self.began
        return Sample(
            wall_s=round(wall, 1), game_s=round(self.clock() - START_S, 1),
            breaks_s=round(self.breaks_s, 1), rss_mb=round(rss, 1),
            peak_mb=round(peak, 1), files=open_now.files, sockets=open_now.sockets, databases=open_now.databases,
            threads=open_now.threads, tasks=open_now.tasks, disk_mb=round(size_mb(self.folder), 1),
            games=self.games, sittings=self.sittings, turns=self.turns,
            rulings=self.rulings, frames_looked_at=self.frames,
            frames_dropped=self._dropped + (0 if sitting is None else sitting.feed.dropped),
            frames_shown=self.camera.shown,
            connections=self._connections + (0 if sitting is None else sitting.feed.connections),
            faults=len(self.camera.moods),
        )  # fmt: skip

    def close(self) -> None:
        """Let the camera go."""
        self.camera.close()

    def _verify(self, driver: RealDriver, seal: str) -> None:
        """The evidence must be whole, and the log what the game was."""
        with contextlib.closing(open_store(self.url)) as store:
            log, state = store.load(driver.game), load_state(store, driver.game)
        if not state.turn:
            return  # nothing was ruled on, and nothing is kept of it
        if state != driver.live.state:
            self.troubles.append(f"{driver.game}: the log holds another game than was played")
        checked = check(FolderShelf(evidence_folder() / folder_name(driver.game), driver.game), log, seal=seal)
        if checked.grade is not Grade.NOTE and checked.found:
            self.troubles.append(f"{driver.game}: {', '.join(one.code.value for one in checked.found)}")


class Recorder(threading.Thread):
    """Writes a sample a minute."""

    def __init__(self, soak: Soak, output: Path, every_s: float) -> None:
        super().__init__(name="samples", daemon=True)
        self._soak, self._output, self._every_s = soak, output, every_s
        self._over = threading.Event()
        self.samples: list[Sample] = []

    def run(self) -> None:
        """Sample until it is over, once more in the end."""
        with self._output.open("w", encoding="utf-8") as file:
            while True:
                over = self._over.wait(self._every_s)
                self.samples.append(sample := self._soak.sample())
                file.write(json.dumps(asdict(sample)) + "\n")
                file.flush()
                print(_told(sample), file=sys.stderr)
                if over:
                    return

    def close(self) -> None:
        """Take the last sample."""
        self._over.set()
        self.join()


def _told(sample: Sample) -> str:
    return (
        f"{sample.wall_s / 60:5.1f} min  {sample.game_s / 60:6.1f} min played  {sample.turns:4d} turns  "
        f"{sample.rss_mb:6.0f} MB  {sample.files} files  {sample.tasks} threads  {sample.frames_dropped} dropped  "
        f"{sample.faults} faults"
    )


@click.command()
@click.option("--minutes", default=40.0, show_default=True, type=click.FloatRange(0.1), help="So long.")
@click.option("--seed", default=1, show_default=True, help="Of the first game.")
@click.option("--every", "every_s", default=60.0, show_default=True, help="Seconds between two samples.")
@click.option("--turns", default=MOST_TURNS, show_default=True, help="At most so many a game.")
@click.option("--output", default="soak.jsonl", show_default=True, type=click.Path(path_type=Path))
def main(minutes: float, seed: int, every_s: float, turns: int, output: Path) -> None:
    """Play for so long, and say whether the program held."""
    with tempfile.TemporaryDirectory(prefix="tileref-soak-") as name:
        folder = Path(name)
        os.environ["TILEREF_HOME"] = name
        with (folder / "said.jsonl").open("w", encoding="utf-8") as said:
            soak = Soak(folder, product_wiring(), turns)
            recorder = Recorder(soak, output, every_s)
            recorder.start()
            with contextlib.redirect_stdout(said):
                soak.play(seed, soak.began + 60 * minutes)
            recorder.close()
            named = tuple(soak.named())
            soak.close()
    soaked = Soaked(tuple(recorder.samples), tuple(soak.rested), tuple(soak.at_rest), named, tuple(soak.troubles))
    for line in soaked.lines():
        print(line)
    for remark in soak.remarks:
        print(remark)
    faults = soaked.faults()
    for fault in faults:
        print(f"FAILED: {fault}")
    print("FAILED" if faults else "PASSED")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
