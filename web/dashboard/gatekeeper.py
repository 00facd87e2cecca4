"""A new game at a camera's table begins once the picture is good enough to rule on, or by the referee's choice."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from referee.told import telling
from web.live.gate import FRAMES, PATIENCE_S, inspected

if TYPE_CHECKING:
    from web.play_region import Image, Look

AGAIN_S = 3.0
"""A picture that was not good enough is inspected again after so long."""
NOT_GOOD = telling(
    "The picture is not good enough to rule on: the set-up page says what helps, and begins the game all the same."
)


class Gatekeeper:
    """Judges the first frames of a camera; ``look`` are the eyes, ``clock`` never goes back."""

    def __init__(self, look: Look, clock: Callable[[], float] = time.monotonic) -> None:
        self._look, self._clock = look, clock
        self._images: list[Image] = []
        self._opened_at = clock()
        self._not_before = float("-inf")

    def note(self, image: Image) -> None:
        """One more frame, uint8 (H, W, 3) BGR."""
        if not self._images:
            self._opened_at = self._clock()
        self._images = [*self._images, image][-FRAMES:]

    def opens(self, *, ended: bool = False) -> bool | None:
        """Whether the game may begin; None: it is not known yet.  ``ended``: no more frames come.

        A camera that gives nothing keeps no game waiting: what is wrong with it is told by itself.
        """
        now = self._clock()
        waited = ended or now - self._opened_at >= PATIENCE_S
        if not self._images:
            return True if waited else None
        if now < self._not_before or not (waited or len(self._images) >= FRAMES):
            return None
        last = self._images[-1]
        same = [image for image in self._images if image.shape == last.shape]
        self._not_before = now + AGAIN_S
        return inspected(same, self._look(last)).go
