"""A camera with somebody who watches its picture: the faults of both, and the way back after a move."""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np

from vision.camera_health import CameraHealth
from vision.frames import CameraFault, Frame, FrameFeed
from vision.mailbox import now
from vision.markers import MARKER_IDS, region_from_markers
from vision.region import FoundBy, RegionError, TableRegion
from vision.registration import Registration


class WatchedFeed:
    """A ``FrameFeed`` whose ``fault`` also knows what is wrong with the picture; for cameras, not for stills.

    A ``region`` of the table follows the camera: after ``MOVED``, ``follow`` says how the picture lies now over the one
    in which all was set up, and goes on from there.
    """

    def __init__(self, feed: FrameFeed, region: TableRegion | None = None, clock: Callable[[], float] = now) -> None:
        self._feed, self._clock = feed, clock
        self._health = CameraHealth(None if region is None else (region.width, region.height))
        self._last: Frame | None = None
        self.region = region

    @property
    def name(self) -> str:
        """The camera's name as it may be printed."""
        return self._feed.name

    @property
    def dropped(self) -> int:
        """Frames never looked at, over all."""
        return self._feed.dropped

    @property
    def fault(self) -> CameraFault | None:
        """Why there is no usable frame just now."""
        return self._feed.fault or self._health.fault

    @property
    def size_wanted(self) -> tuple[int, int] | None:
        """Width and height that the frames must have."""
        return self._health.size

    def newest(self, after: float, timeout_s: float) -> Frame | None:
        """The newest frame taken after that time; None: none in time.  Raises ``EndOfFrames``."""
        frame = self._feed.newest(after, timeout_s)
        if frame is not None:
            self._last = frame
            self._health.look(frame, self._clock())
        return frame

    def follow(self, move: Registration | None = None) -> Registration | None:
        """Go on from where the camera stands now, and say how its picture moved; None while that is not sure.

        ``move`` comes from the tiles (``register_tiles``) where the picture's features do not tell.  Everything that
        was noted in pixels must be moved likewise.
        """
        move = move or self._by_markers() or self._health.move
        if move is None or self._last is None:
            return None
        try:
            region = None if self.region is None else self.region.moved(move.homography)
        except RegionError:  # so far away that the table is no longer seen
            return None
        self.region = region
        self._health.accept(self._last)
        return move

    def _by_markers(self) -> Registration | None:
        if self._last is None or self.region is None or self.region.found_by is not FoundBy.MARKERS:
            return None
        try:
            found = region_from_markers(self._last.image)
        except RegionError:
            return None
        homography = np.asarray(cv2.getPerspectiveTransform(self.region.corners, found.corners), np.float64)
        shift = np.linalg.norm(found.corners - self.region.corners, axis=1)
        return Registration(homography, len(MARKER_IDS), 1.0, float(np.median(shift)))

    def set_region(self, region: TableRegion | None) -> None:
        """The table was set up anew, as the camera stands now."""
        self.region = region
        if self._last is not None:
            self._health.accept(self._last)

    def close(self) -> None:
        """Let the camera go."""
        self._feed.close()
