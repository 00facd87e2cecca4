"""What a live table asks of the eyes that watch it."""

from __future__ import annotations

from typing import Protocol

from referee.observation import Observation
from vision.frames import Frame

STILL = "still"
"""The stage of a sight (``vision.steady.Stage``) in which the table may be ruled on."""
FUTURE_S = 1.0
"""A frame that says it was taken later than now has a clock that jumped: it is no witness."""


class TableSight(Protocol):
    """What one frame shows (``vision.steady.LiveSight``)."""

    @property
    def stage(self) -> str: ...
    @property
    def why(self) -> str: ...
    @property
    def frame(self) -> Frame: ...
    @property
    def observation(self) -> Observation | None: ...
    @property
    def still_since(self) -> float | None: ...
    @property
    def looks(self) -> int: ...


class Watch(Protocol):
    """Looks at frames, one after the other (``vision.steady.TableWatch``)."""

    def look(self, frame: Frame) -> TableSight: ...

    def forget(self) -> None: ...
