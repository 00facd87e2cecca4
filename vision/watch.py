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

from referee.observation import Kind, Observation
from vision.change import SWATCH_HEIGHT, SWATCH_WIDTH, changed, in_shares_of_white, in_small, picture_changed, swatches
from vision.detect import OTHER_SCALE_RATIO, Detections, tile_heights
from vision.look import Eyes, Finder, NumeralReader, Parts, Sight, TileReader
from vision.read import Readings
from vision.taught.reader import BoxReader, Look

Image = NDArray[np.uint8]
Floats = NDArray[np.float32]

SURE_SCORE = 0.5
"""Detections from this score on tell whether the tracked scale still fits."""
SIZE_DRIFT = 1.15
"""The scale is searched for again when the tiles grew or shrank by more than this ..."""
LEAST_LEFT = 0.7
"""... or when fewer than this share of the tiles of the last search are found ..."""
FEWEST_TRACKED = 4
"""Fewer tiles than this do not tell the scale (one of them may be a hand): then it is searched for every time ..."""
FEWEST_FACES = 3
"""... or when fewer faces have the size that the scale was chosen for ..."""
EDGE_PX = 4.0
LOOKS_BETWEEN_SEARCHES = 30
"""... and after so many looks in any case."""
SAME_PLACE = 0.15
"""A detection is that of a tile seen before when their centres are nearer than this, in tile heights."""
SAME_WAY = 0.7
"""… and when they stand upright the same way or turned by 180°, with at least this cosine between them."""
MOST_LOOKS = 512
"""So many looks through a taught box's lens are kept, the latest used."""
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

    def believed(self, observation: Observation) -> None:
        """Hear what the tiles found last turned out to be: a scale is kept only where faces have its size.

        The flags of a bare floor and the squares of a cloth are found too, some as surely as tiles are, and would hide
        whatever is laid on them.
        """
        if self._scale is None:
            return
        faces = [seen.quad for seen in observation.tiles if seen.kind is Kind.FACE and seen.confidence >= SURE_SCORE]
        heights = tile_heights(np.array(faces, np.float32).reshape(-1, 4, 2))
        if len(heights) < FEWEST_FACES or not _alike(float(np.median(heights)), self._height):
            self._scale = None

    def _at_known_scale(self, image: Image, scale: float) -> Detections | None:
        """The tiles, or None where the known scale is not to be relied on."""
        self._looks += 1
        if image.shape[:2] != self._size or self._looks > LOOKS_BETWEEN_SEARCHES:
            return None
        found = self._finder.look(image, scale)
        sure, whole = _sure(found, image)
        if not len(whole) or sure < LEAST_LEFT * self._count:
            return None
        return found if _alike(float(np.median(whole)), self._height) else None

    def _search(self, image: Image) -> Detections:
        found = self._finder.find(image)
        sure, whole = _sure(found, image)
        self._scale, self._looks, self._size = None, 0, image.shape[:2]
        if len(whole) >= FEWEST_TRACKED:
            self._height, self._count = float(np.median(whole)), sure
            # tiles of very different sizes need more than one look, so there the scale is searched for every time
            every = whole / self._height
            if found.one_look and every.max() <= OTHER_SCALE_RATIO and every.min() >= 1 / OTHER_SCALE_RATIO:
                self._scale = found.scale
        return found


def _sure(found: Detections, image: Image) -> tuple[int, Floats]:
    """How many surely found tiles there are, and the heights (N,) of those that the picture's edge does not cut.

    What it cuts seems smaller than it is.
    """
    quads = found.quads[found.score >= SURE_SCORE]
    height, width = image.shape[:2]
    inside = (quads > EDGE_PX) & (quads < np.array([width, height]) - 1 - EDGE_PX)
    return len(quads), tile_heights(quads[inside.all(axis=(1, 2))])


def _alike(height: float, other: float) -> bool:
    return 1 / SIZE_DRIFT <= height / other <= SIZE_DRIFT


@dataclass(frozen=True, slots=True)
class _Known:
    """Tiles as they were read, with what they looked like then; one row per tile."""

    centres: Floats
    """(N, 2) of the detections"""
    up: Floats
    """(N, 2) unit vectors along which the detections stood upright"""
    readings: Readings
    swatches: Floats

    def with_more(self, more: _Known) -> _Known:
        """These tiles and more of them."""
        readings = _joined(self.readings, more.readings)
        centres, up = np.concatenate([self.centres, more.centres]), np.concatenate([self.up, more.up])
        return _Known(centres, up, readings, np.concatenate([self.swatches, more.swatches]))


class RememberingReader:
    """Reads tiles that were not read before or that changed since; of the others it remembers the reading.

    ``unchanged`` begins a picture.  All that is read in one picture is remembered for the next.
    """

    def __init__(self, reader: TileReader) -> None:
        self._reader = reader
        self._known: _Known | None = None
        """Of the pictures before"""
        self._fresh: _Known | None = None
        """Of this picture"""
        self._same: NDArray[np.bool_] | None = None
        """Which of the known tiles look in this picture as they did when they were read"""

    def unchanged(self, image: Image) -> bool:
        """Whether all tiles of the last picture look the same in this one, which is looked at from now on."""
        if self._fresh is not None:
            self._known, self._fresh = self._fresh, None
        self._same = None if self._known is None else _looks_the_same(self._known, image)
        return self._same is not None and bool(self._same.all())

    def read(self, image: Image, quads: NDArray[np.floating]) -> Readings:
        """Read the tiles at ``quads`` (N, 4, 2) of a picture uint8 (H, W, 3) BGR; N may be 0."""
        corners = np.asarray(quads, np.float32).reshape(-1, 4, 2)
        before = self._before(corners)
        unread = np.flatnonzero(before < 0)
        readings = self._reader.read(image, corners[unread])
        seen = swatches(image, readings.quads)
        if self._known is not None:
            kept = before[before >= 0]
            # both lists are put one behind the other and then into the order of the quads
            order = np.argsort(np.concatenate([unread, np.flatnonzero(before >= 0)]), kind="stable")
            readings = _joined(readings, self._known.readings.take(kept)).take(order)
            seen = np.concatenate([seen, self._known.swatches[kept]])[order]
        fresh = _Known(corners.mean(axis=1), _upwards(corners), readings, seen)
        self._fresh = fresh if self._fresh is None else self._fresh.with_more(fresh)
        return readings

    def _before(self, corners: Floats) -> NDArray[np.int64]:
        """Which known and unchanged tile each quad (N, 4, 2) is, (N,), −1 for none."""
        before = np.full(len(corners), -1, np.int64)
        if self._known is None or self._same is None or not len(corners):
            return before
        same = np.flatnonzero(self._same)
        if not len(same):
            return before
        apart = np.linalg.norm(corners.mean(axis=1)[:, None] - self._known.centres[same][None], axis=2)
        # a quad that names another side of the tile its top is another question
        apart[np.abs(_upwards(corners) @ self._known.up[same].T) < SAME_WAY] = np.inf
        nearest = apart.argmin(axis=1)
        near = apart[np.arange(len(corners)), nearest] < SAME_PLACE * tile_heights(corners)
        # two detections of one tile are read for themselves
        near &= np.bincount(nearest[near], minlength=len(same))[nearest] == 1
        before[near] = same[nearest[near]]
        return before


class RememberingBoxReader(BoxReader):
    """Reads as a taught box's reader does, and looks through its lens only at tiles that changed or lie elsewhere."""

    def __init__(self, reader: BoxReader) -> None:
        super().__init__(reader.model, reader.head)
        self._seen: dict[bytes, _TaughtLook] = {}
        """By the quads themselves, the latest used last: a reading that is remembered has the same quad as before."""

    def look(self, image: Image, quads: NDArray[np.floating]) -> Look:
        """Look at upright quads (N, 4, 2) through the box's lens."""
        now = swatches(image, quads)
        keys = [quad.tobytes() for quad in quads]
        known = [self._seen.pop(key, None) for key in keys]
        then = np.stack([now[i] if one is None else one.swatch for i, one in enumerate(known)]) if known else now
        fresh = np.array([one is None for one in known], np.bool_) | changed(then, now)
        asked = np.flatnonzero(fresh)
        told = super().look(image, quads[asked])
        if len(asked) == len(quads) == 0:
            return told
        for k, i in enumerate(asked.tolist()):
            known[i] = _TaughtLook(now[i], told.numbers[k], told.colours[k])
        looks = [one for one in known if one is not None]
        self._seen.update(zip(keys, looks, strict=True))
        for key in list(self._seen)[: max(0, len(self._seen) - MOST_LOOKS)]:
            del self._seen[key]
        return Look(np.stack([one.numbers for one in looks]), np.stack([one.colours for one in looks]))


@dataclass(frozen=True, slots=True)
class _TaughtLook:
    """What was seen of one tile through a box's lens, (17,) and (4,), and what the tile looked like."""

    swatch: Floats
    numbers: NDArray[np.float64]
    colours: NDArray[np.float64]


def _upwards(corners: Floats) -> Floats:
    """Unit vectors (N, 2) along which quads (N, 4, 2) stand upright."""
    up = corners[:, 0] + corners[:, 1] - corners[:, 2] - corners[:, 3]
    return np.asarray(up / np.maximum(np.linalg.norm(up, axis=1, keepdims=True), 1e-6), np.float32)


def _looks_the_same(known: _Known, image: Image) -> NDArray[np.bool_]:
    """Which known tiles (N,) look as they did when they were read."""
    return np.asarray(~changed(known.swatches, swatches(image, known.readings.quads)), np.bool_)


def _joined(first: Readings, then: Readings) -> Readings:
    """All readings of both."""
    columns = {
        entry.name: np.concatenate([getattr(first, entry.name), getattr(then, entry.name)])
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
        box = None if parts.box is None else RememberingBoxReader(parts.box)
        # one that the eyes share already is used as it is
        self._finder = parts.detector if isinstance(parts.detector, TrackingFinder) else TrackingFinder(parts.detector)
        self._eyes = self._fresh_eyes.with_parts(Parts(self._finder, self._reader, self._numerals, box))
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
        small = in_small(frame)
        last = self._last
        still = last is not None and self._reader.unchanged(frame) and not picture_changed(last.small, small)
        compared = {"compare": round(1000 * (time.perf_counter() - began), 2)}
        if last is not None and still and last.settled:
            return replace(last.sight, timing_ms=compared)
        if self._numerals is not None:
            self._numerals.may_ask, self._numerals.left_unasked = still, False
        sight = self._eyes.look(frame)
        self._finder.believed(sight.observation)
        settled = self._numerals is None or not self._numerals.left_unasked
        self._last = _Last(frame.shape[:2], small, sight, settled)
        return replace(sight, timing_ms=compared | sight.timing_ms)
