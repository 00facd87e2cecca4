"""A camera that is watched for hours: only its newest frame counts, and it comes back by itself when it was away.

Each camera lives on a thread of its own, which reads as fast as frames come, so that none waits in a driver's queue and
grows old there.  A thread that hangs in a driver is left behind and replaced.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator

from vision.frames import CameraFault, Frame
from vision.grabbers import Grab, Grabber, OpenGrabber, Size, open_grabber
from vision.mailbox import Mailbox, now
from vision.sources import OPEN_S, SourceError, shown_name
from vision.stream_times import MOST_LAG_S, StreamTimes

SILENT_S = 1.5
"""A camera that gave no frame for so long is gone."""
HANG_S = 10.0
"""A driver that has not come back by then is given up."""
FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.25, 4.0
"""Between two tries to open a camera: it doubles from the first to the longest."""
NETWORK_DELAY_S = 0.3
"""A network camera's frame was taken at least so long before it arrived."""
_MOST_HANGING = 2
"""So many threads may hang in a driver; then it is waited for."""
_MOST_FAILURES_WITH_SIZE = 2
"""A driver that gives no frame in the size asked for, tried so often, is asked for none."""


def pauses() -> Iterator[float]:
    """Seconds to wait between tries, growing."""
    pause = FIRST_PAUSE_S
    while True:
        yield pause
        pause = min(2 * pause, LONGEST_PAUSE_S)


class _Reader(threading.Thread):
    """One thread and what it reads from."""

    def __init__(self, name: str, work: Callable[[_Reader], None]) -> None:
        super().__init__(name=f"frames of {name}", daemon=True)
        self._work = work
        self.busy_since = time.monotonic()
        self.given_up = threading.Event()
        self.grabber: Grabber | None = None

    def run(self) -> None:
        """Work until there is no more to do."""
        self._work(self)

    def give_up(self) -> None:
        """Tell it to stop as soon as it comes back from its driver."""
        self.given_up.set()
        grabber = self.grabber
        if grabber is not None:
            grabber.interrupt()


class LiveCamera:
    """A webcam by its number, a device or a stream's address, as a ``FrameFeed``.

    ``asked`` is the size (width, height) that a webcam is asked for; ``got`` is what its frames have.  Where the driver
    gives no frames in that size, it is asked for none, and ``refused`` says so.
    """

    def __init__(
        self,
        name: str,
        asked: Size | None = None,
        delay_s: float | None = None,
        opened_by: OpenGrabber = open_grabber,
        clock: Callable[[], float] = now,
    ) -> None:
        self._name, self._source, self._clock, self._open = shown_name(name), name, clock, opened_by
        self._delay_s = delay_s if delay_s is not None else NETWORK_DELAY_S if "://" in name else 0.0
        self.asked = asked
        self.got: Size | None = None
        self.refused = False
        self.why: SourceError | None = None
        """What was last in the way of opening it, as a sentence; None while it gives frames."""
        self.connections = 0
        """How often it was opened."""
        self._box = Mailbox()
        self._closing = threading.Event()
        self._lost = False
        self._heard_at = time.monotonic() + OPEN_S - SILENT_S  # while it opens it is not missed
        self._without_size = False
        self._lock = threading.Lock()
        self._hanging: list[_Reader] = []
        self._reader = self._started()

    @property
    def name(self) -> str:
        """The camera's name as it may be printed."""
        return self._name

    @property
    def dropped(self) -> int:
        """Frames never looked at, over all."""
        return self._box.dropped

    @property
    def fault(self) -> CameraFault | None:
        """``UNPLUGGED`` while no frames come."""
        silent = time.monotonic() - self._heard_at > SILENT_S
        return CameraFault.UNPLUGGED if self._lost or silent else None

    def newest(self, after: float, timeout_s: float) -> Frame | None:
        """The newest frame taken after that time; None: none in time.  Raises ``EndOfFrames`` once closed."""
        self._replace_hanging()
        frame = self._box.newest(after, timeout_s)
        if frame is not None:
            self.got = frame.image.shape[1], frame.image.shape[0]
            self.refused = self.asked is not None and self.got != self.asked
        return frame

    def close(self) -> None:
        """Let the camera go, without waiting for a driver that hangs."""
        self._closing.set()
        self._box.close()
        for reader in (self._reader, *self._hanging):
            reader.give_up()
        for reader in (self._reader, *self._hanging):
            reader.join(timeout=1.0)

    def _started(self) -> _Reader:
        reader = _Reader(self._name, self._run)
        reader.start()
        return reader

    def _replace_hanging(self) -> None:
        """Leave a thread behind that hangs in its driver; two at most, for a driver may never come back."""
        with self._lock:
            self._hanging = [one for one in self._hanging if one.is_alive()]
            hangs = time.monotonic() - self._reader.busy_since > HANG_S
            if not hangs or len(self._hanging) >= _MOST_HANGING or self._closing.is_set():
                return
            self._reader.give_up()
            self._lost = True
            self.why = SourceError("{camera} hangs: its driver gives no answer.", camera=self._name)
            self._hanging.append(self._reader)
            self._reader = self._started()

    def _run(self, reader: _Reader) -> None:
        """Open, read until it stops, wait, open again; until nobody wants frames any more."""
        waits, fruitless = pauses(), 0
        while not self._stopped(reader):
            reader.busy_since = time.monotonic()
            frames = 0
            try:
                frames = self._read_through(reader)
            except SourceError as error:
                self.why = error
            if self._stopped(reader):
                return
            self._lost = True
            if frames:
                waits, fruitless = pauses(), 0
                self.why = SourceError(
                    "{source} has stopped giving pictures: is the cable in, and the network up?", source=self._name
                )
            else:
                fruitless += 1
                self._without_size = self._without_size or fruitless >= _MOST_FAILURES_WITH_SIZE
            reader.busy_since = float("inf")  # resting is no hanging
            reader.given_up.wait(next(waits))

    def _read_through(self, reader: _Reader) -> int:
        """Read one connection to its end; how many frames it gave.  Raises ``SourceError``."""
        grabber = self._open(self._source, None if self._without_size else self.asked)
        reader.grabber = grabber
        times, frames = StreamTimes(self._delay_s), 0
        try:
            while not self._stopped(reader) and (grab := grabber.grab()) is not None:
                reader.busy_since = time.monotonic()
                if self._stopped(reader):
                    break
                if not frames:
                    self.connections += 1
                frames += 1
                if not self._arrived(grab, times):
                    break
        finally:
            reader.grabber = None
            with contextlib.suppress(OSError):
                grabber.release()
        return frames

    def _arrived(self, grab: Grab, times: StreamTimes) -> bool:
        """Put a frame where it is looked for; False where the stream had better be opened anew."""
        arrived = self._clock()
        taken_at = times.taken_at(arrived, grab.stream_s)
        if grab.asked_at is not None:
            taken_at = min(taken_at, arrived - (time.monotonic() - grab.asked_at))
        self._box.put(grab.load, taken_at)
        self._heard_at, self._lost, self.why = time.monotonic(), False, None
        return times.lag(arrived, taken_at) < MOST_LAG_S

    def _stopped(self, reader: _Reader) -> bool:
        return reader.given_up.is_set() or self._closing.is_set()
