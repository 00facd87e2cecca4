"""How good a camera's picture is just now: measured when somebody asks, and never oftener than it is worth."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from vision.in_region import within
from web.live.gate import inspected

if TYPE_CHECKING:
    from vision.inspection import Inspection
    from vision.region import TableRegion
    from web.play_region import Image, Look

EVERY_S = 1.0
"""Between two measurements there is at least so much rest, and as much as the last one took."""
WATCHED_S = 10.0
"""Who asked so long ago looks no more: no pictures are kept for him."""
FRAMES = 4
"""So many of the last pictures show noise, flicker and whether the camera stands still."""


class LightMeter:
    """Measures the pictures of one camera; ``look`` are the eyes, ``clock`` never goes back.

    ``note`` is for the thread that looks at the camera, all else for anybody's.
    """

    def __init__(self, look: Look, clock: Callable[[], float] = time.monotonic) -> None:
        self._look, self._clock = look, clock
        self._images: tuple[Image, ...] = ()
        self._asked_at = float("-inf")
        self._not_before = float("-inf")
        self._last: Inspection | None = None
        self._measuring = threading.Lock()

    def note(self, image: Image) -> None:
        """One more picture, uint8 (H, W, 3) BGR; it is kept only while somebody asks."""
        watched = self._clock() - self._asked_at < WATCHED_S
        self._images = (*self._images, image)[-FRAMES:] if watched else ()

    def reading(self, image: Image, region: TableRegion | None, *, busy: bool = False) -> Inspection | None:
        """What the camera shows, or showed a moment ago; ``image`` is its present picture.

        While the table is ``busy`` or somebody else measures, it is what was known before; None: nothing yet.
        """
        self._asked_at = self._clock()
        if busy or self._asked_at < self._not_before or not self._measuring.acquire(blocking=False):
            return self._last
        try:
            return self._measured(image, region)
        finally:
            self._measuring.release()

    def judgement(self, image: Image, region: TableRegion | None) -> Inspection:
        """What the camera shows now, measured anew."""
        with self._measuring:
            return self._measured(image, region)

    def _measured(self, image: Image, region: TableRegion | None) -> Inspection:
        began = self._clock()
        images = [*(one for one in self._images if one.shape == image.shape and one is not image), image]
        seen = self._look(image)
        self._last = inspected(images, seen if region is None else within(seen, region.corners))
        ended = self._clock()
        self._not_before = ended + max(EVERY_S, ended - began)
        return self._last
