"""What a program holds while it soaks, and what is said of it in the end."""

from __future__ import annotations

import ctypes
import gc
import os
import threading
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

WARM_UP = 0.25
"""So much of the time memory may still grow: caches fill, arenas come."""
MOST_GROWTH_MB_H = 30.0
"""Memory that grows faster is not flat ..."""
NOISE_MB = 64.0
"""... unless all of it is less than what one game takes more than another and gives back."""
REST_NOISE_MB = 16.0
"""The same for what is held between games."""
NAMED_WITHIN_S = 2.0
WANTED_SPEED = 4.5
"""Three hours of game time in forty minutes."""


@dataclass(frozen=True, slots=True)
class Handles:
    """What is open: files of any kind, of them sockets and databases; threads of Python and of the whole process."""

    files: int
    sockets: int
    databases: int
    threads: int
    tasks: int

    def over(self, other: Handles) -> list[str]:
        """What there is more of than in another."""
        mine, others = asdict(self), asdict(other)
        return [f"{name}: {others[name]} → {mine[name]}" for name in mine if mine[name] > others[name]]


@dataclass(frozen=True, slots=True)
class Sample:
    """One moment of the soak; times in seconds since it began, memory in MB."""

    wall_s: float
    game_s: float
    breaks_s: float
    rss_mb: float
    peak_mb: float
    files: int
    sockets: int
    databases: int
    threads: int
    tasks: int
    disk_mb: float
    games: int
    sittings: int
    turns: int
    rulings: int
    frames_looked_at: int
    frames_dropped: int
    frames_shown: int
    connections: int
    faults: int


def handles() -> Handles:
    """What this process has open just now (Linux)."""
    files = sockets = databases = 0
    for entry in Path("/proc/self/fd").iterdir():
        try:
            target = os.readlink(entry)  # noqa: PTH115 - the text is wanted, whatever it names
        except OSError:  # the folder that is being read
            continue
        files += 1
        sockets += target.startswith("socket:")
        databases += "games.db" in target
    tasks = sum(1 for _ in Path("/proc/self/task").iterdir())
    return Handles(files, sockets, databases, threading.active_count(), tasks)


def memory_mb() -> tuple[float, float]:
    """Memory that this process has now, and the most that it had (Linux)."""
    told = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines())
    return int(told["VmRSS"].split()[0]) / 1024, int(told["VmHWM"].split()[0]) / 1024


def give_back() -> None:
    """Let go of what nobody refers to, and of what the allocator keeps for later (glibc)."""
    gc.collect()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)


def size_mb(folder: Path) -> float:
    """What a folder takes."""
    total = 0
    for path in folder.rglob("*"):
        try:
            total += path.stat().st_size
        except OSError:  # gone meanwhile
            continue
    return total / 1e6


def slope_per_h(times_s: Sequence[float], values: Sequence[float]) -> float:
    """The median of the slopes between any two samples (Theil and Sen): a spike moves it little."""
    t, v = np.asarray(times_s, np.float64), np.asarray(values, np.float64)
    one, other = np.triu_indices(len(t), 1)
    apart = t[other] - t[one]
    slopes = (v[other] - v[one])[apart > 0] / apart[apart > 0]
    return 3600 * float(np.median(slopes)) if len(slopes) else 0.0


@dataclass(frozen=True, slots=True)
class Named:
    """A fault of the camera: after how many seconds it was named, None where never, and whether it was over then."""

    fault: str
    after_s: float | None
    well_again: bool


@dataclass(frozen=True, slots=True)
class Soaked:
    """All that a soak showed; ``rested`` is what was open after each sitting, when all of it was closed."""

    samples: tuple[Sample, ...]
    rested: tuple[Handles, ...]
    at_rest: tuple[tuple[float, float], ...]
    """After each game, when its simulated table is gone too: seconds since the beginning, and the memory still held."""
    named: tuple[Named, ...]
    troubles: tuple[str, ...]
    """What was lost or not as it was written; there must be none."""

    @property
    def settled(self) -> tuple[Sample, ...]:
        """The samples after the warm-up."""
        end = self.samples[-1].wall_s if self.samples else 0.0
        return tuple(one for one in self.samples if one.wall_s >= WARM_UP * end)

    @property
    def growth_mb_h(self) -> float:
        """How fast memory grew after the warm-up."""
        return slope_per_h([one.wall_s for one in self.settled], [one.rss_mb for one in self.settled])

    @property
    def growth_at_rest_mb_h(self) -> float:
        """How fast that grew which is held between games, after the warm-up and after the first one.

        The players' solver keeps tens of thousands of tables that it has seen, which takes some games to fill.
        """
        begun = WARM_UP * (self.at_rest[-1][0] if self.at_rest else 0.0)
        settled = [one for one in self.at_rest[1:] if one[0] >= begun]
        return slope_per_h([at for at, _ in settled], [mb for _, mb in settled])

    def faults(self) -> list[str]:
        """Everything that fails the soak, a line each; none: it passed."""
        found = list(self.troubles)
        if len(self.settled) < 3 or len(self.rested) < 2:
            return [*found, "too short to tell: it takes three samples after the warm-up, and two sittings"]
        first, last = self.settled[0], self.settled[-1]
        growth = self.growth_mb_h
        if growth > MOST_GROWTH_MB_H and growth * (last.wall_s - first.wall_s) / 3600 > NOISE_MB:
            found.append(f"memory grows by {growth:.0f} MB an hour")
        growth = self.growth_at_rest_mb_h
        hours = (self.at_rest[-1][0] - self.at_rest[0][0]) / 3600 if self.at_rest else 0.0
        if growth > MOST_GROWTH_MB_H and growth * hours > REST_NOISE_MB:
            found.append(f"memory held between games grows by {growth:.0f} MB an hour")
        found += [f"left open after the last sitting, {more}" for more in self.rested[-1].over(self.rested[0])]
        if last.game_s < WANTED_SPEED * last.wall_s:
            found.append(f"only {last.game_s / 60:.0f} minutes of game time in {last.wall_s / 60:.0f}")
        for one in self.named:
            if one.after_s is None:
                found.append(f"a camera that was {one.fault} was never named")
            elif not one.well_again:
                found.append(f"a camera that was {one.fault} never came back")
        return found

    def lines(self) -> list[str]:
        """What it showed, for people."""
        if not self.samples:
            return ["nothing was measured"]
        last = self.samples[-1]
        waits = [one.after_s for one in self.named if one.after_s is not None]
        late = sum(wait > NAMED_WITHIN_S for wait in waits)
        open_then = ", ".join(f"{one.files}/{one.tasks}" for one in self.rested)
        played = f"{last.games} games in {last.sittings} sittings, {last.turns} turns, {last.rulings} rulings"
        hours = f"{last.game_s / 3600:.2f} hours of game time, {last.breaks_s / 3600:.2f} of them breaks"
        grown = f"{self.growth_mb_h:+.1f} MB an hour after the warm-up"
        held = ", ".join(f"{mb:.0f}" for _, mb in self.at_rest) + " MB"
        named = f"{len(waits)} named, after {max(waits, default=0):.1f} s at most, {late} later than {NAMED_WITHIN_S} s"
        return [
            f"{last.wall_s / 60:.1f} minutes, {hours}: {played}",
            f"frames: {last.frames_shown} shown, {last.frames_looked_at} looked at, {last.frames_dropped} dropped",
            f"memory: {last.rss_mb:.0f} MB, at most {last.peak_mb:.0f} MB, {grown}",
            f"held between games: {held}; {self.growth_at_rest_mb_h:+.1f} MB an hour after the warm-up",
            f"open between sittings: {open_then} (files/threads)",
            f"disk: {last.disk_mb:.0f} MB",
            f"camera: {len(self.named)} faults, {named}; opened {last.connections} times",
        ]
