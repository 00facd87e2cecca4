"""The simulated table as a camera gives it: a feed of frames on a clock that moves when somebody works or waits."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from vision.frames import CameraFault, Frame
from web.simulation.table import FPS, SimulatedTable


class VirtualClock:
    """Seconds that pass by being told to, or while something is measured; call it for the time.

    ``pace`` is how many virtual seconds a measured one lasts: 0 is a program that needs no time.
    """

    def __init__(self, start: float = 0.0, pace: float = 1.0, stopwatch: Callable[[], float] = time.perf_counter):
        self._now, self._pace, self._stopwatch = start, pace, stopwatch

    def __call__(self) -> float:
        return self._now

    def until(self, t: float) -> None:
        """Wait; a time that has passed changes nothing."""
        self._now = max(self._now, t)

    @contextmanager
    def measured(self) -> Iterator[None]:
        """The time that the work inside takes passes here too."""
        began = self._stopwatch()
        try:
            yield
        finally:
            self._now += self._pace * (self._stopwatch() - began)


class SimulatedCamera:
    """A feed of the simulated table's frames, thirty a second; drawing them takes none of the clock's time."""

    def __init__(self, table: SimulatedTable, clock: VirtualClock) -> None:
        self._table, self._clock = table, clock
        self._last = 0
        self._dropped = 0
        self.name = f"simulated table {table.seed}"
        self.fault: CameraFault | None = None

    @property
    def dropped(self) -> int:
        """Frames never looked at, over all."""
        return self._dropped

    def newest(self, after: float, timeout_s: float) -> Frame | None:
        """The newest frame captured after that time; the clock moves on to it where it is still to come."""
        start = self._table.started_at
        number = int((self._clock() - start) * FPS + 1e-6)
        number = max(number, int((after - start) * FPS + 1e-6) + 1, self._last + 1)
        at = start + number / FPS
        if at > self._clock() + timeout_s:
            self._clock.until(self._clock() + timeout_s)
            return None
        self._clock.until(at)
        frame = self._table.frame_at(at)
        between, self._last = max(0, number - self._last - 1), number
        self._dropped += between
        return Frame(frame.image, at, number, between)

    def close(self) -> None:
        """Nothing is open."""
