"""A table on photos of its own, one at each turn's end: for eyes that cannot follow a table from frame to frame."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from referee.observation import Observation
from vision.frames import Frame
from vision.in_region import within
from vision.region import TableRegion
from vision.steady import LiveSight, Stage


class Seen(Protocol):
    """What eyes saw in one picture."""

    @property
    def observation(self) -> Observation: ...

    @property
    def timing_ms(self) -> Mapping[str, float]: ...


class PhotoEyes(Protocol):
    """Eyes that see one picture, uint8 (H, W, 3) BGR, by itself."""

    def look(self, image: NDArray[np.uint8]) -> Seen: ...


class PhotoWatch:
    """Every picture shows a still table; the same picture again is not looked at again."""

    def __init__(self, eyes: PhotoEyes, region: TableRegion | None) -> None:
        self._eyes, self._corners = eyes, None if region is None else region.corners
        self._last: LiveSight | None = None

    def look(self, frame: Frame) -> LiveSight:
        """What a frame shows."""
        last = self._last
        if last is not None and last.frame.image is frame.image:
            self._last = replace(last, frame=frame)
            return self._last
        seen = self._eyes.look(frame.image)
        observation = replace(seen.observation, taken_at=frame.taken_at)
        if self._corners is not None:
            observation = within(observation, self._corners)
        self._last = LiveSight(Stage.STILL, "", frame, observation, frame.taken_at, 1, seen.timing_ms)
        return self._last

    def forget(self) -> None:
        """Look anew also at the same picture."""
        self._last = None
