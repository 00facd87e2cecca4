"""The camera while a game is on: what is wrong with its picture, and a table that lies elsewhere in it than before."""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np
import numpy.typing as npt

from referee.observation import Quad
from vision.camera_health import CameraHealth
from vision.frames import CameraFault, Frame
from vision.markers import MARKER_IDS, region_from_markers
from vision.region import FoundBy, RegionError, TableRegion
from vision.registration import Landmarks, Registration
from web.live.sight import Watch
from web.live.table import LiveTable

BLIND = frozenset({CameraFault.FROZEN, CameraFault.BLACK, CameraFault.WRONG_SIZE, CameraFault.LATE})
"""A frame with such a fault shows nothing of the table as it lies now."""
_SAMPLED = 8
"""One pixel in so many each way is compared: noise makes every frame of a camera different there too."""
STAYS_S = 3.0
"""A new size, or a place nobody knows, that lasts so long is how the camera sees from now on."""


class CameraCare:
    """Judges each frame before it is looked at, and follows a camera that was moved.

    With the ``known`` landmarks of a former set-up, a camera that was moved meanwhile has moved.
    """

    def __init__(
        self,
        live: LiveTable,
        region: TableRegion | None,
        watch: Callable[[TableRegion | None], Watch],
        known: Landmarks | None = None,
    ) -> None:
        self._live, self._region, self._watch = live, region, watch
        self._health = CameraHealth(None if region is None else (region.width, region.height), known)
        self._since: tuple[CameraFault, float] | None = None
        self._last: npt.NDArray[np.uint8] | None = None
        self._gave_up = False

    @property
    def gave_up(self) -> bool:
        """Whether the table's place was known and is not any more: the picture shows another place, or shape."""
        return self._gave_up

    @property
    def region(self) -> TableRegion | None:
        """Where the table lies in the picture now."""
        return self._region

    @property
    def known(self) -> Landmarks | None:
        """By what it is known how the camera stands: kept with the region, it outlives a restart."""
        return self._health.known

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
        move = self._move_in(frame) if fault is CameraFault.MOVED else None
        if move is not None:
            self._follow(frame, move)
        elif at - self._since[1] >= STAYS_S:
            self._begin_anew(frame, fault)
        return fault

    def place(self, region: TableRegion | None, frame: Frame) -> None:
        """The table lies there from now on (None: all of the picture), as somebody said of this frame."""
        self._region, self._gave_up = region, False
        self._accept(frame)

    def _move_in(self, frame: Frame) -> Registration | None:
        """How the picture lies over the one before the camera moved; markers tell it best."""
        return _by_markers(frame, self._region) or self._health.move

    def _follow(self, frame: Frame, move: Registration) -> None:
        """Take everything that is known along to where it lies now."""
        region = self._region
        try:
            self._region = None if region is None else region.moved(move.homography)
        except RegionError:
            self._give_up()
        self._live.shift(lambda quad: _moved(quad, move))
        self._accept(frame)

    def _begin_anew(self, frame: Frame, fault: CameraFault) -> None:
        """The table is looked for by its sets, in another picture than before: where it lay tells nothing of a place
        that nobody knows, nor of a picture of another shape."""
        height, width = frame.image.shape[:2]
        if fault is CameraFault.MOVED:
            self._give_up()
        elif self._region is not None:
            try:
                self._region = self._region.scaled_to(width, height)
            except RegionError:
                self._give_up()
        self._live.shift(None)
        self._accept(frame)

    def _give_up(self) -> None:
        self._gave_up = self._gave_up or self._region is not None
        self._region = None

    def _accept(self, frame: Frame) -> None:
        self._health.accept(frame)
        self._since = None
        corners = None if self._region is None else self._region.corners
        self._live.look_with(self._watch(self._region), corners)


def _by_markers(frame: Frame, region: TableRegion | None) -> Registration | None:
    if region is None or region.found_by is not FoundBy.MARKERS:
        return None
    try:
        found = region_from_markers(frame.image)
    except RegionError:
        return None
    homography = np.asarray(cv2.getPerspectiveTransform(region.corners, found.corners), np.float64)
    shift = np.linalg.norm(found.corners - region.corners, axis=1)
    return Registration(homography, len(MARKER_IDS), 1.0, float(np.median(shift)))


def _moved(quad: Quad, move: Registration) -> Quad:
    one, two, three, four = move.moved(np.array(quad, np.float64)).tolist()
    return (one[0], one[1]), (two[0], two[1]), (three[0], three[1]), (four[0], four[1])
