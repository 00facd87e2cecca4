"""What a camera gives, whatever kind it is: frames with the time at which they were taken."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Frame:
    """One picture of a camera.

    ``image`` uint8 (H, W, 3) BGR, upright; ``taken_at`` seconds since the epoch, when it was captured; ``number``
    counts the camera's frames from 1; ``dropped`` frames came between the last one handed out and this one and were
    never looked at.
    """

    image: NDArray[np.uint8]
    taken_at: float
    number: int
    dropped: int = 0


class CameraFault(StrEnum):
    """What is wrong with a camera's picture."""

    UNPLUGGED = "unplugged"
    FROZEN = "frozen"
    BLACK = "black"
    WRONG_SIZE = "wrong_size"
    MOVED = "moved"
    REFOCUSING = "refocusing"
    FLICKERING = "flickering"
    LATE = "late"


class EndOfFrames(Exception):  # noqa: N818 - no error: a file or folder simply ends
    """A file or folder has no more frames."""


class FrameFeed(Protocol):
    """A source of frames of which only the newest counts."""

    @property
    def name(self) -> str:
        """The feed's name as it may be printed."""

    @property
    def fault(self) -> CameraFault | None:
        """Why there is no usable frame just now."""

    @property
    def dropped(self) -> int:
        """Frames never looked at, over all."""

    def newest(self, after: float, timeout_s: float) -> Frame | None:
        """The newest frame captured after that time; None: none in time.  Raises ``EndOfFrames``."""

    def close(self) -> None:
        """Let the source go."""
