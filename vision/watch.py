"""A table watched over many frames: what has not changed is not read again, and nothing that changed is missed.

The scale of the tiles is tracked, readings of unchanged tiles are kept, tesseract is asked once about each doubtful
numeral and only when the table rests.  A frame in which nothing changed gives the former sight.  Everything is compared
with the frame in which it was last seen with fresh eyes, never with the frame before, so slow changes add up until they
show.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.change import SWATCH_HEIGHT, SWATCH_WIDTH, changed, in_shares_of_white, picture_changed, shrunk, swatches
from vision.detect import OTHER_SCALE_RATIO, Detections, tile_heights
from vision.look import Eyes, Finder, NumeralReader, Parts, Sight, TileReader
from vision.read import Readings

Image = NDArray[np.uint8]
Floats = NDArray[np.float32]

SURE_SCORE = 0.5
"""Detections from this score on tell whether the tracked scale still fits."""
SIZE_DRIFT = 1.15
"""The scale is searched for again when the tiles grew or shrank by more than this ..."""
LEAST_LEFT = 0.7
"""... or when fewer than this share of the tiles of the last search are found ..."""
LOOKS_BETWEEN_SEARCHES = 30
"""... and after so many looks in any case."""
SAME_PLACE = 0.15
"""A detection is that of a tile seen before when their centres are nearer than this, in tile heights."""
MOST_OPINIONS = 64
"""So many of tesseract's opinions are kept, the newest."""


class TrackingFinder:
    """Finds tiles at the scale that a search found last, and searches again when the scale may have changed."""

    def __init__(self, finder: Finder) -> None:
        self._finder = finder
        self._scale: float | None = None
        self._size = (0, 0)
        self._height = 0.0
        self._count = 0
        self._looks = 0

    def find(self, image: Image) -> Detections:
        """All tiles of a picture uint8 (H, W, 3) BGR."""
        found = None if self._scale is None else self._at_known_scale(image, self._scale)
        return self._search(image) if found is None else found

    def look(self, image: Image, scale: float) -> Detections:
        """One look at the picture resized by ``scale``."""
        return self._finder.look(image, scale)

    def _at_known_scale(self, image: Image, scale: float) -> Detections | None:
        """The tiles, or None where the known scale is not to be relied on."""
        self._looks += 1
        if image.shape[:2] != self._size or self._looks > LOOKS_BETWEEN_SEARCHES:
            return None
        found = self._finder.look(image, scale)
        heights = tile_heights(found.quads[found.score >= SURE_SCORE])
        if not len(heights) or len(heights) < LEAST_LEFT * self._count:
            return None
        grown = float(np.median(heights)) / self._height
        return found if 1 / SIZE_DRIFT <= grown <= SIZE_DRIFT else None

    def _search(self, image: Image) -> Detections:
        found = self._finder.find(image)
        heights = tile_heights(found.quads[found.score >= SURE_SCORE])
        self._scale, self._looks, self._size = None, 0, image.shape[:2]
        if len(heights):
            self._height, self._count = float(np.median(heights)), len(heights)
            # tiles of very different sizes need more than one look, so there the scale is searched for every time
            every = tile_heights(found.quads) / self._height
            if found.one_look and every.max() <= OTHER_SCALE_RATIO and every.min() >= 1 / OTHER_SCALE_RATIO:
                self._scale = found.scale
        return found


@dataclass(frozen=True, slots=True)
class _Known:
    """Tiles as they were read, with what they looked like then; one row per tile."""

    centres: Floats
    """(N, 2) of the detections"""
    readings: Readings
    swatches: Floats


class RememberingReader:
    """Reads tiles that were not read before or that changed since; of the others it remembers the reading."""

    def __init__(self, reader: TileReader) -> None:
        self._reader = reader
        self._known: _Known | None = None
        self._compared: tuple[Image, NDArray[np.bool_]] | None = None

    def unchanged(self, image: Image) -> bool:
        """Whether all tiles of the last picture look the same in this one."""
        self._compared = None  # a camera may fill the same array with the next frame
        return self._known is not None and bool(self._same(image).all())

    def read(self, image: Image, quads: NDArray[np.floating]) -> Readings:
        """Read the tiles at ``quads`` (N, 4, 2) of a picture uint8 (H, W, 3) BGR; N may be 0."""
        corners = np.asarray(quads, np.float32).reshape(-1, 4, 2)
        before = self._before(image, corners)
        unread = np.flatnonzero(before < 0)
        readings = self._reader.read(image, corners[unread])
        seen = swatches(image, readings.quads)
        if self._known is not None:
            kept = before[before >= 0]
            # both lists are put one behind the other and then into the order of the quads
            order = np.argsort(np.concatenate([unread, np.flatnonzero(before >= 0)]), kind="stable")
            readings = _joined(readings, self._known.readings, kept, order)
            seen = np.concatenate([seen, self._known.swatches[kept]])[order]
        self._known = _Known(corners.mean(axis=1), readings, seen)
        self._compared = None
        return readings

    def _before(self, image: Image, corners: Floats) -> NDArray[np.int64]:
        """Which known and unchanged tile each quad (N, 4, 2) is, (N,), −1 for none."""
        before = np.full(len(corners), -1, np.int64)
        if self._known is None or not len(corners):
            return before
        same = np.flatnonzero(self._same(image))
        if not len(same):
            return before
        apart = np.linalg.norm(corners.mean(axis=1)[:, None] - self._known.centres[same][None], axis=2)
        nearest = apart.argmin(axis=1)
        near = apart[np.arange(len(corners)), nearest] < SAME_PLACE * tile_heights(corners)
        # two detections of one tile are read for themselves
        near &= np.bincount(nearest[near], minlength=len(same))[nearest] == 1
        before[near] = same[nearest[near]]
        return before

    def _same(self, image: Image) -> NDArray[np.bool_]:
        """Which known tiles look as they did when they were read."""
        if self._known is None:
            return np.zeros(0, np.bool_)
        if self._compared is None or self._compared[0] is not image:
            now = swatches(image, self._known.readings.quads)
            self._compared = image, ~changed(self._known.swatches, now)
        return self._compared[1]


def _joined(fresh: Readings, known: Readings, kept: NDArray[np.int64], order: NDArray[np.intp]) -> Readings:
    """Fresh readings and the kept ones of the known, in the given order."""
    columns = {
        entry.name: np.concatenate([getattr(fresh, entry.name), getattr(known, entry.name)[kept]])[order]
        for entry in fields(Readings)
    }
    return Readings(**columns)


class RememberingNumeralReader:
    """Asks the second reader once about each crop, and only while it ``may_ask``."""

    def __init__(self, reader: NumeralReader) -> None:
        self._reader = reader
        self._seen: Floats = np.zeros((0, SWATCH_HEIGHT, SWATCH_WIDTH, 3), np.float32)
        self._opinions: list[int | None] = []
        self.may_ask = True
        self.left_unasked = False
        """Whether the last picture held a numeral that was not asked about."""

    def read(self, crops: Sequence[Image]) -> list[int | None]:
        """Opinions on upright crops uint8 (H, W, 3) BGR, remembered or new; None is no opinion, or none yet."""
        small = np.stack(
            [cv2.resize(crop, (SWATCH_WIDTH, SWATCH_HEIGHT), interpolation=cv2.INTER_AREA) for crop in crops]
        )
        seen = in_shares_of_white(np.asarray(small, np.uint8))
        known = [self._known(one) for one in seen]
        new = [i for i, index in enumerate(known) if index is None]
        self.left_unasked = bool(new) and not self.may_ask
        opinions = [None if index is None else self._opinions[index] for index in known]
        if new and self.may_ask:
            answers = self._reader.read([crops[i] for i in new])
            for i, answer in zip(new, answers, strict=True):
                opinions[i] = answer
            self._seen = np.concatenate([self._seen, seen[new]])[-MOST_OPINIONS:]
            self._opinions = [*self._opinions, *answers][-MOST_OPINIONS:]
        return opinions

    def _known(self, swatch: Floats) -> int | None:
        """The index of the same crop among those asked about."""
        if not self._opinions:
            return None
        nearest = int(np.abs(self._seen - swatch).mean(axis=(1, 2, 3)).argmin())
        return None if changed(self._seen[nearest][None], swatch[None])[0] else nearest


@dataclass(frozen=True, slots=True)
class _Last:
    """The last frame that was looked at, as it is compared with, and what was seen."""

    size: tuple[int, int]
    small: Floats
    sight: Sight
    settled: bool
    """Whether no question was put off until the table rests."""


class Watcher:
    """Looks at the frames of one camera, one after the other.

    ``look`` gives what ``Eyes.look`` would; it only takes less time where it can know the answer.  The first frame in
    which a numeral is in doubt is answered without tesseract; the next one that shows the same has its opinion.
    """

    def __init__(self, eyes: Eyes) -> None:
        self._fresh_eyes = eyes
        self.forget()

    def forget(self) -> None:
        """Look at the next frame with fresh eyes, as at the first."""
        parts = self._fresh_eyes.parts
        self._reader = RememberingReader(parts.reader)
        self._numerals = None if parts.second is None else RememberingNumeralReader(parts.second)
        self._eyes = self._fresh_eyes.with_parts(Parts(TrackingFinder(parts.detector), self._reader, self._numerals))
        self._last: _Last | None = None

    def look(self, frame: Image) -> Sight:
        """See one upright frame, uint8 (H, W, 3) BGR; ``ValueError`` for another shape or type.

        ``timing_ms`` of a frame that shows nothing new holds ``compare`` alone.
        """
        if frame.ndim != 3 or frame.shape[2] != 3 or frame.dtype != np.uint8 or frame.size == 0:
            raise ValueError(f"a frame is uint8 (H, W, 3), not {frame.dtype} {frame.shape}")
        if self._last is not None and self._last.size != frame.shape[:2]:
            self.forget()
        began = time.perf_counter()
        small = shrunk(frame)
        last = self._last
        still = last is not None and self._reader.unchanged(frame) and not picture_changed(last.small, small)
        compared = {"compare": round(1000 * (time.perf_counter() - began), 2)}
        if last is not None and still and last.settled:
            return replace(last.sight, timing_ms=compared)
        if self._numerals is not None:
            self._numerals.may_ask, self._numerals.left_unasked = still, False
        sight = self._eyes.look(frame)
        settled = self._numerals is None or not self._numerals.left_unasked
        self._last = _Last(frame.shape[:2], small, sight, settled)
        return replace(sight, timing_ms=compared | sight.timing_ms)
