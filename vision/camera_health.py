"""What is wrong with a camera's picture, from its frames alone: no clock is read and nothing is opened here.

A hand, a sleeve or moved tiles are none of it: each measure is taken in many parts of the picture, and what counts is
what most of them say.
"""

from __future__ import annotations

from collections import deque

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frames import CameraFault, Frame
from vision.grabbers import Size
from vision.registration import Landmarks, Registration, landmarks, register
from vision.sources import BLACK, is_black

Image = NDArray[np.uint8]
Floats = NDArray[np.float32]

FROZEN_S = 1.2
"""A camera's noise makes every frame different; so long without any difference, and the picture stands still ..."""
_FROZEN_FRAMES = 4
"""... if it was seen in so many frames."""
LATE_S = 1.5
"""Frames that are older when they come are late."""
FLICKER_S, MOST_FLICKER = 1.0, 1.10
"""The brightness of the whole picture changed within so many seconds by more than this factor."""
BLURRED = 0.6
"""Most of the picture has less than this part of the fine detail that it had."""
_BLURRED_FRAMES = 2
_RELEARN_S = 15.0
"""A picture that stays so long as it is is not hunting for its focus: that is how it looks now."""
MOVED_SHARE = 0.0025
"""Moved by more than this part of the picture's long side: five pixels of 1920, three millimetres of a table."""
_MOVED_LOOKS = 2
_LOST_LOOKS, _LEAST_LIKENESS = 2, 0.5
"""A picture at rest that so often had nothing in common with what was seen, coarsely either, is of another place."""
MOVE_EVERY_S, SHARP_EVERY_S = 0.4, 0.09
"""How often the costlier measures are taken."""

_THUMB = (64, 36)
_BANDS = 9
"""Lamps on alternating current darken bands of the picture, not all of it."""
_GRID = (16, 9)
_LARGEST_SHARP_PX = 1400
_LEAST_DETAIL = 2.0
"""Mean contrast, in grey levels, of a part of the picture in which anything can be sharp or not."""
_LEAST_FINENESS = 0.02
_LEAST_PARTS = 4
_FLOW_SIDE_PX = 640
_FLOW_POINTS = 160
_LEAST_FLOW_SHARE = 0.5


class CameraHealth:
    """Judges the frames of one camera, one after the other.

    ``size`` (width, height) is what its frames must have, that of the first where none is given.  How the camera
    stands is learned from the first good frame, and anew from one that is given to ``accept``.
    """

    def __init__(self, size: Size | None = None) -> None:
        self._size = size
        self._stillness = _Stillness()
        self._late = 0
        self._brightness = _Brightness()
        self._sharpness = _Sharpness()
        self._stand = _Stand()
        self._number = 0
        self.fault: CameraFault | None = None

    def look(self, frame: Frame, at: float) -> CameraFault | None:
        """What is wrong as of this frame, which was handed out ``at`` that time, in the clock of ``taken_at``."""
        if frame.number <= self._number:
            return self.fault
        self._number = frame.number
        self.fault = self._judged(frame, at)
        return self.fault

    def accept(self, frame: Frame) -> None:
        """The camera stands and sees from now on as in this frame."""
        self._size = frame.image.shape[1], frame.image.shape[0]
        self._stand.learn(frame.image)
        self._sharpness = _Sharpness()
        self.fault = None

    @property
    def size(self) -> Size | None:
        """Width and height that frames must have."""
        return self._size

    @property
    def move(self) -> Registration | None:
        """How the picture lies over the one in which the camera's stand was learned; None while it did not move."""
        return self._stand.move

    def _judged(self, frame: Frame, at: float) -> CameraFault | None:
        image, size = frame.image, (frame.image.shape[1], frame.image.shape[0])
        self._size = self._size or size
        if size != self._size:
            return CameraFault.WRONG_SIZE
        if self._stillness.lasts(frame):
            return CameraFault.FROZEN
        if not _shows_light(image) and is_black(image):
            return CameraFault.BLACK
        self._late = self._late + 1 if at - frame.taken_at > LATE_S else 0
        if self._late > 1:
            return CameraFault.LATE
        grey = np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), np.uint8)
        flickers = self._brightness.flickers(grey, frame.taken_at)
        hunts = self._sharpness.hunts(grey, frame.taken_at)
        moved = not hunts and self._stand.moved(image, grey, frame.taken_at)
        if flickers:
            return CameraFault.FLICKERING
        if hunts:
            return CameraFault.REFOCUSING
        return CameraFault.MOVED if moved else None


def _shows_light(image: Image) -> bool:
    """Whether a few pixels are enough to tell that a picture is not black."""
    return bool(np.percentile(image[::16, ::16], 97) > 2 * BLACK)


class _Stillness:
    """Whether frames come that do not differ in anything, not even in noise."""

    def __init__(self) -> None:
        self._sample: Image | None = None
        self._since = 0.0
        self._frames = 0

    def lasts(self, frame: Frame) -> bool:
        sample = frame.image[::6, ::6]  # noise is everywhere
        if self._sample is not None and np.array_equal(sample, self._sample):
            self._frames += 1
            return self._frames >= _FROZEN_FRAMES and frame.taken_at - self._since >= FROZEN_S
        self._sample, self._since, self._frames = sample.copy(), frame.taken_at, 1
        return False


class _Brightness:
    """Whether the light of the picture as a whole wavers or jumps."""

    def __init__(self) -> None:
        self._past: deque[tuple[float, Floats]] = deque()

    def flickers(self, grey: Image, taken_at: float) -> bool:
        step = max(1, grey.shape[1] // 640)
        small = np.asarray(grey[::step, ::step], np.float32)
        thumb = np.log(np.asarray(cv2.resize(small, _THUMB, interpolation=cv2.INTER_AREA), np.float32) + 8)
        while self._past and (taken_at - self._past[0][0] > FLICKER_S or self._past[0][0] >= taken_at):
            self._past.popleft()
        self._past.append((taken_at, thumb))
        if len(self._past) < 3:
            return False
        levels = np.stack([past for _, past in self._past])
        # against the middle one, so that what lies there does not count
        levels -= np.median(levels, axis=0)
        bands = np.median(levels.reshape(len(levels), _BANDS, -1), axis=2)
        return bool(np.median(np.ptp(bands, axis=0)) > np.log(MOST_FLICKER))


class _Sharpness:
    """Whether the picture as a whole has lost its fine detail."""

    def __init__(self) -> None:
        self._usual: Floats | None = None
        self._looked_at = -np.inf
        self._blurred = 0
        self._blurred_since = 0.0

    def hunts(self, grey: Image, taken_at: float) -> bool:
        if 0 <= taken_at - self._looked_at < SHARP_EVERY_S:
            return self._blurred >= _BLURRED_FRAMES
        self._looked_at = taken_at
        fineness = fineness_of(grey)
        if self._usual is None:
            self._usual = fineness
            return False
        both = np.isfinite(fineness) & np.isfinite(self._usual) & (np.nan_to_num(self._usual) > _LEAST_FINENESS)
        if both.sum() < _LEAST_PARTS:
            self._learn(fineness, 1.0)
            self._blurred = 0
            return False
        ratio = float(np.median(fineness[both] / self._usual[both]))
        if ratio >= BLURRED:
            self._blurred = 0
            self._learn(fineness, 1.0 if ratio > 1.1 else 0.1 if ratio > 0.85 else 0.0)
            return False
        if not self._blurred:
            self._blurred_since = taken_at
        self._blurred += 1
        if taken_at - self._blurred_since > _RELEARN_S:
            self._usual, self._blurred = fineness, 0
        return self._blurred >= _BLURRED_FRAMES

    def _learn(self, fineness: Floats, weight: float) -> None:
        usual = fineness if self._usual is None else self._usual
        known = np.where(np.isfinite(usual), usual + weight * (fineness - usual), fineness)
        self._usual = np.asarray(np.where(np.isfinite(fineness), known, usual), np.float32)


def fineness_of(grey: Image) -> Floats:
    """Fine over coarse contrast in the parts of a picture uint8 (H, W); nan where there is too little of either.

    The weakest parts tell how much of the fine contrast is noise.  Returns float32 (9, 16).
    """
    if max(grey.shape) > _LARGEST_SHARP_PX:
        scale = 1 / np.ceil(max(grey.shape) / _LARGEST_SHARP_PX)  # whole steps are quick
        grey = np.asarray(cv2.resize(grey, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), np.uint8)
    near, far, farther = (cv2.blur(grey, (side, side)) for side in (3, 9, 27))
    fine = _means(np.asarray(cv2.absdiff(grey, near), np.uint8))
    coarse = _means(np.asarray(cv2.absdiff(far, farther), np.uint8))
    noise = float(np.percentile(fine, 10))
    signal = np.sqrt(np.maximum(fine**2 - noise**2, 0.0))
    return np.asarray(np.where(coarse >= _LEAST_DETAIL, signal / np.maximum(coarse, 1e-3), np.nan), np.float32)


def _means(values: Image) -> Floats:
    """Means of the parts of uint8 (H, W), float32 (9, 16)."""
    sums = np.asarray(cv2.integral(values), np.float64)
    columns = np.linspace(0, values.shape[1], _GRID[0] + 1).astype(np.int64)
    rows = np.linspace(0, values.shape[0], _GRID[1] + 1).astype(np.int64)
    corners = sums[np.ix_(rows, columns)]
    totals = corners[1:, 1:] - corners[:-1, 1:] - corners[1:, :-1] + corners[:-1, :-1]
    return np.asarray(totals / np.maximum(np.outer(np.diff(rows), np.diff(columns)), 1), np.float32)


class _Stand:
    """Whether the camera stands where it stood."""

    def __init__(self) -> None:
        self._known: Landmarks | None = None
        self._small: Image | None = None
        self._points: Floats = np.zeros((0, 1, 2), np.float32)
        self._crept = np.zeros(2)
        """What was put up with when the landmarks were learned anew, pixels."""
        self._looked_at = -np.inf
        self._said = False
        self._moved = 0
        self._lost = 0
        self._strange: Landmarks | None = None
        self.move: Registration | None = None

    def learn(self, image: Image) -> None:
        """This is how it stands."""
        self._crept, self._said, self._moved, self._lost, self.move = np.zeros(2), False, 0, 0, None
        self._remember(image, landmarks(image))

    def moved(self, image: Image, grey: Image, taken_at: float) -> bool:
        if not 0 <= taken_at - self._looked_at < MOVE_EVERY_S:
            self._looked_at = taken_at
            self._said = self._compared(image, grey)
        return self._said

    def _compared(self, image: Image, grey: Image) -> bool:
        if self._known is None:
            self.learn(image)
            return False
        limit_px = MOVED_SHARE * max(image.shape[:2])
        if self._stays(grey, limit_px):
            self._moved, self._lost, self.move = 0, 0, None
            return False
        seen = landmarks(image)
        found = register(self._known, seen)
        if found is None:
            return self._moved >= _MOVED_LOOKS or self._elsewhere(seen, grey)
        self._lost = 0
        shift = shift_of(found, self._known)
        if np.linalg.norm(self._crept + shift) > limit_px or found.shift_px > limit_px:
            self._moved, self.move = self._moved + 1, found
            return self._moved >= _MOVED_LOOKS
        self._moved, self.move = 0, None
        if np.linalg.norm(shift) < limit_px / 2:  # other tiles lie there now: they shall be known the next time
            self._crept = self._crept + shift
            self._remember(image, seen)
        return False

    def _elsewhere(self, seen: Landmarks, grey: Image) -> bool:
        """Whether the camera looks at another place by now; a hand before the lens does not rest so long."""
        rests = self._strange is not None and register(self._strange, seen) is not None
        unlike = self._small is not None and likeness(self._small, _shrunk(grey)) < _LEAST_LIKENESS
        self._strange = seen
        self._lost = self._lost + 1 if rests and unlike else 0
        return self._lost >= _LOST_LOOKS

    def _remember(self, image: Image, seen: Landmarks) -> None:
        self._known = seen
        self._small = _shrunk(np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), np.uint8))
        order = np.random.default_rng(0).permutation(len(seen))[:_FLOW_POINTS]
        self._points = (seen.points[order] * _flow_scale(image)).astype(np.float32).reshape(-1, 1, 2)

    def _stays(self, grey: Image, limit_px: float) -> bool:
        """Whether most of the features are surely where they were; a quick look that may say no for no reason."""
        if self._small is None or len(self._points) < _LEAST_FLOW_SHARE * _FLOW_POINTS:
            return False
        ends, there, _ = cv2.calcOpticalFlowPyrLK(
            self._small, _shrunk(grey), self._points, np.zeros_like(self._points), winSize=(15, 15), maxLevel=2
        )
        away = np.linalg.norm((ends - self._points).reshape(-1, 2), axis=1)
        near = (there.ravel() > 0) & (away < 0.4 * limit_px * _flow_scale(grey))
        return bool(near.mean() > _LEAST_FLOW_SHARE)


def shift_of(found: Registration, known: Landmarks) -> NDArray[np.float64]:
    """The shift (2,) of the picture's middle, where the features are."""
    middle = np.median(known.points.astype(np.float64), axis=0)
    return np.asarray(found.moved(middle[None])[0] - middle, np.float64)


def likeness(one: Image, other: Image) -> float:
    """How alike two pictures uint8 (H, W) of one size are, coarsely: 1 the same, 0 nothing in common."""
    a, b = (
        np.asarray(cv2.resize(image, _THUMB, interpolation=cv2.INTER_AREA), np.float64).ravel()
        for image in (one, other)
    )
    a, b = a - a.mean(), b - b.mean()
    return float(a @ b / max(float(np.linalg.norm(a) * np.linalg.norm(b)), 1e-9))


def _flow_scale(image: Image) -> float:
    return float(min(1.0, _FLOW_SIDE_PX / max(image.shape[:2])))


def _shrunk(grey: Image) -> Image:
    scale = _flow_scale(grey)
    return np.asarray(cv2.resize(grey, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), np.uint8)
