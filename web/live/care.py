"""The camera while a game is on: what is wrong with its picture, and a table that lies elsewhere in it than before."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from referee.observation import Quad
from vision.camera_health import CameraHealth
from vision.frames import CameraFault, Frame
from vision.region import RegionError, TableRegion
from vision.registration import Registration
from web.live.sight import Watch
from web.live.table import LiveTable

BLIND = frozenset({CameraFault.FROZEN, CameraFault.BLACK, CameraFault.WRONG_SIZE, CameraFault.LATE})
"""A frame with such a fault shows nothing of the table as it lies now."""
_SAMPLED = 8
"""One pixel in so many each way is compared: noise makes every frame of a camera different there too."""
STAYS_S = 3.0
"""A new size, or a place nobody knows, that lasts so long is how the camera sees from now on."""


class CameraCare:
    """Judges each frame before it is looked at, and follows a camera that was moved."""

    def __init__(
        self, live: LiveTable, region: TableRegion | None, watch: Callable[[TableRegion | None], Watch]
    ) -> None:
        self._live, self._region, self._watch = live, region, watch
        self._health = CameraHealth()
        self._since: tuple[CameraFault, float] | None = None
        self._last: npt.NDArray[np.uint8] | None = None

    def is_new(self, frame: Frame) -> bool:
        """Whether this is another picture than the last one: one that comes twice is no witness of anything since."""
        sample = frame.image[::_SAMPLED, ::_SAMPLED].copy()
        last, self._last = self._last, sample
        return last is None or not np.array_equal(last, sample)

    def judge(self, frame: Frame, at: float) -> CameraFault | None:
        """What is wrong as of this frame, handed out at that time (clock of the frames)."""
        fault = self._health.look(frame, at)
        if fault not in {CameraFault.MOVED, CameraFault.WRONG_SIZE}:
            self._since = None
            return fault
        if self._since is None or self._since[0] is not fault:
            self._since = fault, at
        move = self._health.move if fault is CameraFault.MOVED else None
        if move is not None:
            self._follow(frame, move)
        elif at - self._since[1] >= STAYS_S:
            self._begin_anew(frame)
        return fault

    def _follow(self, frame: Frame, move: Registration) -> None:
        """Take everything that is known along to where it lies now."""
        region = self._region
        try:
            self._region = None if region is None else region.moved(move.homography)
        except RegionError:
            self._region = None
        self._live.shift(lambda quad: _moved(quad, move))
        self._accept(frame)

    def _begin_anew(self, frame: Frame) -> None:
        """The table is looked for by its sets, in another picture than before."""
        height, width = frame.image.shape[:2]
        region = self._region
        try:
            self._region = None if region is None else region.scaled_to(width, height)
        except RegionError:
            self._region = None
        self._live.shift(None)
        self._accept(frame)

    def _accept(self, frame: Frame) -> None:
        self._health.accept(frame)
        self._since = None
        corners = None if self._region is None else self._region.corners
        self._live.look_with(self._watch(self._region), corners)


def _moved(quad: Quad, move: Registration) -> Quad:
    one, two, three, four = move.moved(np.array(quad, np.float64)).tolist()
    return (one[0], one[1]), (two[0], two[1]), (three[0], three[1]), (four[0], four[1])
