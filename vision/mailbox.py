"""Where a camera's thread leaves its newest frame, and whoever looks takes it; frames nobody looked at are counted."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.frames import EndOfFrames, Frame

Image = NDArray[np.uint8]
Load = Callable[[], Image | None]
"""Gives the picture, uint8 (H, W, 3) BGR, or None where it is damaged.  A picture nobody looks at is never decoded."""

_ANCHOR = time.time() - time.monotonic()


def now() -> float:
    """Seconds since the epoch that never jump: the computer's clock was read once, and may be set meanwhile."""
    return _ANCHOR + time.monotonic()


@dataclass(frozen=True, slots=True)
class _Arrived:
    load: Load
    taken_at: float
    number: int


class Mailbox:
    """Room for one frame, the newest, on the way from one thread to others."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._waiting: _Arrived | None = None
        self._last: Frame | None = None
        self._arrived = 0
        self._dropped = 0
        self._dropped_before_last = 0
        self._closed = False

    def put(self, load: Load, taken_at: float, skipped: int = 0) -> None:
        """A frame has come, and ``skipped`` ones before it that could not even be fetched."""
        with self._changed:
            self._dropped += skipped + (self._waiting is not None)
            self._arrived += 1 + skipped
            self._waiting = _Arrived(load, taken_at, self._arrived)
            self._changed.notify_all()

    @property
    def arrived(self) -> int:
        """Frames that have come, over all."""
        return self._arrived

    @property
    def dropped(self) -> int:
        """Frames never looked at, over all."""
        return self._dropped

    def newest(self, after: float, timeout_s: float) -> Frame | None:
        """The newest frame taken after that time, at once where it is there; None where none comes in time.

        Whoever asks twice with the same time may get the same frame twice.  Raises ``EndOfFrames`` once closed.
        """
        ends_at = time.monotonic() + timeout_s
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._answers(after), max(0.0, ends_at - time.monotonic()))
                if self._closed:
                    raise EndOfFrames
                if self._waiting is None or self._waiting.taken_at <= after:
                    return self._last if self._last is not None and self._last.taken_at > after else None
                taken, self._waiting = self._waiting, None
            image = taken.load()
            with self._changed:
                if image is not None:
                    return self._hand_out(taken, image)
                self._dropped += 1

    def close(self) -> None:
        """Nobody waits any longer."""
        with self._changed:
            self._closed = True
            self._waiting = None
            self._changed.notify_all()

    def _answers(self, after: float) -> bool:
        return (
            self._closed
            or (self._waiting is not None and self._waiting.taken_at > after)
            or (self._last is not None and self._last.taken_at > after)
        )

    def _hand_out(self, taken: _Arrived, image: Image) -> Frame:
        frame = Frame(image, taken.taken_at, taken.number, self._dropped - self._dropped_before_last)
        if self._last is None or frame.number > self._last.number:  # two may look at once
            self._last, self._dropped_before_last = frame, self._dropped
        return frame
