"""What a program holds while it soaks, and what is said of it in the end."""

from __future__ import annotations

import ctypes
import gc
import os
import sys
import tempfile
import threading
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np

WARM_UP = 0.25
"""So much of the time memory may still grow: caches fill, arenas come."""
MOST_GROWTH_MB_H = 30.0
"""Memory that grows faster is not flat ..."""
NOISE_MB = 64.0
"""... unless all of it is less than what one game takes more than another and gives back."""
LIVE_NOISE_MB = 8.0
"""The same for what somebody holds between games, without what the allocator keeps for later."""
BLOCK_BYTES = 64
"""About what a small object of Python takes."""
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


def live_mb() -> float:
    """Memory that somebody holds just now, by the books of the allocators (glibc, and Python for small objects).

    The process has more: a page on which one small thing lies is kept whole, which differs by tens of MB from one rest
    to the next though nothing is held.
    """
    libc = ctypes.CDLL(None)
    libc.fopen.restype = ctypes.c_void_p
    with tempfile.NamedTemporaryFile() as told:
        file = ctypes.c_void_p(libc.fopen(told.name.encode(), b"w"))
        libc.malloc_info(0, file)
        libc.fclose(file)
        books = ET.parse(told.name).getroot()  # noqa: S314  the allocator wrote it
    size = {(one.tag, one.get("type")): int(one.get("size", "0")) for one in books if one.tag in {"total", "system"}}
    free = size["total", "fast"] + size["total", "rest"]
    held = size["system", "current"] - free + size["total", "mmap"]
    return (held + BLOCK_BYTES * sys.getallocatedblocks()) / 2**20


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
class Rest:
    """After a game, when its simulated table is gone too: seconds since the beginning, memory of the process (MB), and
    what of it somebody holds."""

    wall_s: float
    rss_mb: float
    live_mb: float


@dataclass(frozen=True, slots=True)
class Soaked:
    """All that a soak showed; ``rested`` is what was open after each sitting, when all of it was closed."""

    samples: tuple[Sample, ...]
    rested: tuple[Handles, ...]
    at_rest: tuple[Rest, ...]
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
    def settled_rests(self) -> tuple[Rest, ...]:
        """The rests after the warm-up and after the first game."""
        begun = WARM_UP * (self.at_rest[-1].wall_s if self.at_rest else 0.0)
        return tuple(one for one in self.at_rest[1:] if one.wall_s >= begun)

    @property
    def growth_at_rest_mb_h(self) -> float:
        """How fast the process grew from one rest to the next."""
        return slope_per_h([one.wall_s for one in self.settled_rests], [one.rss_mb for one in self.settled_rests])

    @property
    def growth_live_mb_h(self) -> float:
        """How fast that grew which somebody holds between games."""
        return slope_per_h([one.wall_s for one in self.settled_rests], [one.live_mb for one in self.settled_rests])

    def faults(self) -> list[str]:
        """Everything that fails the soak, a line each; none: it passed."""
        found = list(self.troubles)
        if len(self.settled) < 3 or len(self.rested) < 2:
            return [*found, "too short to tell: it takes three samples after the warm-up, and two sittings"]
        first, last = self.settled[0], self.settled[-1]
        growth = self.growth_mb_h
        if growth > MOST_GROWTH_MB_H and growth * (last.wall_s - first.wall_s) / 3600 > NOISE_MB:
            found.append(f"memory grows by {growth:.0f} MB an hour")
        hours = (self.at_rest[-1].wall_s - self.at_rest[0].wall_s) / 3600 if self.at_rest else 0.0
        growth = self.growth_at_rest_mb_h
        if growth > MOST_GROWTH_MB_H and growth * hours > NOISE_MB:
            found.append(f"memory between games grows by {growth:.0f} MB an hour")
        growth = self.growth_live_mb_h
        if growth * hours > LIVE_NOISE_MB:
            found.append(f"what is held between games grows by {growth:.0f} MB an hour")
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
        rests = ", ".join(f"{one.rss_mb:.0f}" for one in self.at_rest)
        held = ", ".join(f"{one.live_mb:.1f}" for one in self.at_rest)
        named = f"{len(waits)} named, after {max(waits, default=0):.1f} s at most, {late} later than {NAMED_WITHIN_S} s"
        return [
            f"{last.wall_s / 60:.1f} minutes, {hours}: {played}",
            f"frames: {last.frames_shown} shown, {last.frames_looked_at} looked at, {last.frames_dropped} dropped",
            f"memory: {last.rss_mb:.0f} MB, at most {last.peak_mb:.0f} MB, {grown}",
            f"between games: {rests} MB; {self.growth_at_rest_mb_h:+.1f} MB an hour after the warm-up",
            f"of it held by anybody: {held} MB; {self.growth_live_mb_h:+.1f} MB an hour after the warm-up",
            f"open between sittings: {open_then} (files/threads)",
            f"disk: {last.disk_mb:.0f} MB",
            f"camera: {len(self.named)} faults, {named}; opened {last.connections} times",
        ]
