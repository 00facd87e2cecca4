"""A network camera over a simulated table, in a process of its own: what it draws weighs on nobody who looks.

A thread here tells it which moment to show when, and in which mood the camera is; frames come over HTTP as from a
phone.
"""

from __future__ import annotations

import multiprocessing
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from multiprocessing.connection import Connection

import cv2
import numpy as np

from tests.vision.net_camera import NetCamera, jpeg
from vision.frames import CameraFault
from vision.render.stage import Moment, Stage, StageLook
from web.simulation.table import SimulatedTable

LONGEST_STEP_S, SHORTEST_STEP_S = 0.6, 0.07
"""Between two frames; as short as drawing them allows."""
QUIET_TICK_S = 0.1


class Mood(StrEnum):
    """What the camera does."""

    WELL = "well"
    CABLE = "cable"
    """It is gone with all its connections, and comes back on the same port."""
    HANGS_UP = "hangs_up"
    """It ends the stream once; whoever asks again is served."""
    SILENT = "silent"
    """The stream stays open, and nothing comes."""
    BLACK = "black"
    FROZEN = "frozen"
    SMALL = "small"
    """Half the size."""


NAMED = {
    Mood.CABLE: CameraFault.UNPLUGGED, Mood.SILENT: CameraFault.UNPLUGGED, Mood.BLACK: CameraFault.BLACK,
    Mood.FROZEN: CameraFault.FROZEN, Mood.SMALL: CameraFault.WRONG_SIZE,
}  # fmt: skip
"""What the program must say of each mood; a stream that is opened again at once need not be missed."""


@dataclass(frozen=True, slots=True)
class Point:
    """Look at another table from now on."""

    look: StageLook
    seed: int


@dataclass(frozen=True, slots=True)
class Draw:
    """Draw a moment; it is shown when ``Show`` comes."""

    moment: Moment
    number: int
    mood: Mood


@dataclass(frozen=True, slots=True)
class Show:
    """Show what was drawn."""


@dataclass(frozen=True, slots=True)
class Mend:
    """Be in this mood; nothing is drawn."""

    mood: Mood


Order = Point | Draw | Show | Mend


class _Lens:
    """The camera's side: draws and serves.  It lives in its own process."""

    def __init__(self, net: NetCamera) -> None:
        self._net = net
        self._stage: Stage | None = None
        self._last = self._next = b""
        self._mood = Mood.WELL

    def obey(self, order: Order) -> None:
        match order:
            case Point():
                self._stage = Stage(order.look, order.seed)
                self._last = self._next = b""
            case Draw():
                self._be(order.mood)
                self._next = self._drawn(order)
            case Show():
                self._show()
            case Mend():
                self._be(order.mood)

    def _be(self, mood: Mood) -> None:
        before, self._mood = self._mood, mood
        if mood is before:
            return
        if mood is Mood.CABLE:
            self._net.go()
        elif before is Mood.CABLE:
            self._net.come()
        if mood is Mood.HANGS_UP:
            self._net.hang_up()

    def _drawn(self, order: Draw) -> bytes:
        assert self._stage is not None
        if self._mood is Mood.FROZEN and self._last:
            return self._last
        image = self._stage.frame(order.moment, order.number).image
        if self._mood is Mood.BLACK:
            noise = np.random.default_rng(order.number).integers(0, 6, image.shape, np.uint8)
            image = np.asarray(noise, np.uint8)
        elif self._mood is Mood.SMALL:
            image = np.asarray(cv2.resize(image, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA), np.uint8)
        self._last = jpeg(image, 92)
        return self._last

    def _show(self) -> None:
        if self._mood not in {Mood.CABLE, Mood.SILENT} and self._next:
            self._net.send(self._next)


def serve(orders: Connection) -> None:
    """The life of the camera's process: the port goes back first, then a word for each order."""
    cv2.setNumThreads(1)
    with NetCamera() as net:
        lens = _Lens(net)
        orders.send(net.port)
        while True:
            try:
                order: Order | None = orders.recv()
            except EOFError:
                return
            if order is None:
                return
            lens.obey(order)
            orders.send(None)


@dataclass(frozen=True, slots=True)
class Happened:
    """A camera's mood that began then, wall seconds (monotonic)."""

    mood: Mood
    at: float


class SoakCamera:
    """Shows a simulated table to whoever connects to ``address``, and is out of sorts now and then.

    ``clock`` is that of the simulated table.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        context = multiprocessing.get_context("spawn")
        self._pipe, far = context.Pipe()
        self._process = context.Process(target=serve, args=(far,), name="camera", daemon=True)
        self._process.start()
        far.close()
        self.address = f"http://127.0.0.1:{self._pipe.recv()}/video"
        self.shown = 0
        """Frames that were sent."""
        self.moods: list[Happened] = []
        self._table: SimulatedTable | None = None
        self._mood, self._ends_at = Mood.WELL, 0.0
        self._closing = threading.Event()
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._run, name="soak camera", daemon=True)
        self._thread.start()

    def point_at(self, table: SimulatedTable | None) -> None:
        """Look at this table from now on; None: show nothing."""
        with self._lock:
            self._table = None
            if table is not None and table.look is not None:
                self._tell(Point(table.look, table.seed))
                self._table = table

    def be(self, mood: Mood, seconds: float) -> None:
        """Be in a mood for so long."""
        with self._lock:
            self.moods.append(Happened(mood, time.monotonic()))
            self._mood, self._ends_at = mood, time.monotonic() + seconds

    @property
    def is_well(self) -> bool:
        """Whether nothing is wrong with it just now."""
        return self._mood is Mood.WELL

    def close(self) -> None:
        """End the thread and the process."""
        self._closing.set()
        self._thread.join()
        self._pipe.send(None)
        self._process.join(timeout=10)
        self._process.close()
        self._pipe.close()

    def _run(self) -> None:
        step, number = 0.2, 0
        while not self._closing.is_set():
            with self._lock:
                if self._mood is not Mood.WELL and time.monotonic() >= self._ends_at:
                    self._mood = Mood.WELL
                    self._tell(Mend(Mood.WELL))
                table, mood = self._table, self._mood
                if table is not None and mood is not Mood.CABLE:
                    number += 1
                    began, at = time.monotonic(), self._clock() + step
                    self._tell(Draw(table.moment_at(at), number, mood))
                    took = time.monotonic() - began
                elif mood is Mood.CABLE:
                    self._tell(Mend(mood))
            if table is None or mood is Mood.CABLE:
                self._closing.wait(QUIET_TICK_S)
                continue
            step = min(LONGEST_STEP_S, max(SHORTEST_STEP_S, 0.7 * step + 0.3 * 1.2 * took))
            self._closing.wait(max(0.0, at - self._clock()))
            with self._lock:
                self._tell(Show())
            self.shown += 1

    def _tell(self, order: Order) -> None:
        self._pipe.send(order)
        self._pipe.recv()
