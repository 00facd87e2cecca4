"""Where the tiles lie: one network over the picture at a scale that it finds by itself.

Where that scale is not clear (a tiled floor looks like tiles at another one, and towards the horizon tiles shrink), a
reader's word on what it can read decides between scales.

The network gives, for each cell of 4 x 4 pixels, how surely a tile's centre lies there, and the tile's two half-axes.
Both axes come as double angles (an axis has no sign, so nothing jumps when a tile turns by 180°); a separate up vector
chooses the sign.  Quads are parallelograms; the reader moves their corners into perspective.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.model_store import Model
from vision.shrink import halved

Image = NDArray[np.uint8]
Floats = NDArray[np.float32]
Legible = Callable[[Image, Floats], NDArray[np.bool_]]

STRIDE = 4
PADDING_MULTIPLE = 16
BEYOND_PX = 16
"""So far beyond the picture's edge, in pixels that the network sees, a tile's centre may lie: of a tile that is cut
lengthwise, less than half is in view."""
OUTSIDE_BGR = (255, 0, 255)
"""What the network is shown there: a colour that no table has, so that it knows that the picture ends."""
HALF_AXIS_UNIT_PX = 16.0

HEAT, OFFSET, LOG_UP, LOG_RIGHT, UP_AXIS, RIGHT_AXIS, UP_VECTOR = 0, 1, 3, 4, 5, 7, 9
OUTPUT_CHANNELS = 11
CHANNEL_NAMES = (
    "heat", "offset_x", "offset_y", "log_half_up", "log_half_right", "up_cos2", "up_sin2", "right_cos2", "right_sin2",
    "up_x", "up_y",
)  # fmt: skip

COARSE_SIDES_PX = (160, 256, 416, 672, 1088)
"""Long sides of the first looks; each finds tiles of about 17 to 70 px, together 1 % to 45 % of the picture."""
ENOUGH_TILES, ENOUGH_SCORE, ENOUGH_HEIGHT_PX = 8, 0.6, 26.0
"""A look that shows so many sure tiles of this median height is the last of the first looks: larger is no better."""
FINAL_TILE_HEIGHT_PX = 44.0
FINAL_SIDE_LIMIT_PX = 1800
DEFAULT_THRESHOLD = 0.3
NO_SCORE_BELOW = 0.3
"""Woven cloth scatters scores up to 0.5 over a fine look: only what exceeds this speaks for a scale."""
OTHER_SCALE_SCORE = 0.5
OTHER_SCALE_RATIO = 1.5
"""A tile that only a look at another scale saw is kept when it is this sure and this much larger or smaller."""
CLEAR_SCORE, CLEAR_SPREAD = 0.8, 1.6
"""A look is clear where half of its tiles have this score, and the tall ones (9 of 10 are lower) are no more than so
many times as high as the low ones (1 of 10 is lower)."""
OTHER_SCALE = 1.3
"""Looks whose scales differ by less show the same."""
MOST_LOOKS = 3
"""So many scales are tried at most where the scale is not clear."""
FAR_MORE, FEW_MORE = 1.3, 2
"""A look takes the place of one that the first looks agree on more where so many times as many tiles can be read in it,
and so many more: half of an 11 reads as a 1, and among a thousand threads of wool one reads as a 7."""
MOST_READ = 160
"""So many detections of a look are shown to the reader, the best first."""
SAME_TILE_HALF_AXES = 0.8
"""Two centres closer than this, in half-axes along both axes, are one tile: real neighbours overlap by less."""


@dataclass(frozen=True, slots=True)
class Detections:
    """Tiles found, best first.

    ``quads`` (N, 4, 2) float32, pixels of the given picture (centres at whole numbers), corners top-left, top-right,
    bottom-right, bottom-left of the upright numeral as far as the detector knows; ``score`` (N,) float32 in 0–1;
    ``scale`` the size of the picture that the network saw over the given one.  ``one_look``: a look at that scale alone
    finds them all.
    """

    quads: Floats
    score: Floats
    scale: float
    one_look: bool = True

    def __len__(self) -> int:
        return len(self.score)

    def take(self, index: NDArray[np.intp] | NDArray[np.bool_]) -> Detections:
        """The chosen tiles in the chosen order."""
        return Detections(self.quads[index], self.score[index], self.scale, self.one_look)


def tile_heights(quads: Floats) -> Floats:
    """Mean length of each quad's two upright sides, (N,)."""
    left, right = quads[:, 3] - quads[:, 0], quads[:, 2] - quads[:, 1]
    return np.asarray((np.linalg.norm(left, axis=1) + np.linalg.norm(right, axis=1)) / 2, np.float32)


def tile_areas(quads: Floats) -> Floats:
    """Area of each quad, (N,), by its diagonals."""
    a, b = quads[:, 2] - quads[:, 0], quads[:, 3] - quads[:, 1]
    return np.asarray(np.abs(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]) / 2, np.float32)


def decode(maps: Floats, threshold: float) -> Detections:
    """Read one picture's maps (OUTPUT_CHANNELS, h, w): a tile wherever heat has a peak of at least ``threshold``."""
    heat = np.ascontiguousarray(maps[HEAT])
    peaks = (heat >= threshold) & (heat >= cv2.dilate(heat, np.ones((3, 3), np.uint8)))
    rows, columns = np.nonzero(peaks)
    values = maps[:, rows, columns]
    centre = np.stack([columns + values[OFFSET], rows + values[OFFSET + 1]], axis=1) * STRIDE + (STRIDE - 1) / 2
    up_angle = np.arctan2(values[UP_AXIS + 1], values[UP_AXIS]) / 2
    up = np.stack([np.cos(up_angle), np.sin(up_angle)], axis=1)
    along = (up * values[UP_VECTOR : UP_VECTOR + 2].T).sum(axis=1)
    up *= np.where(along < 0, -1.0, 1.0)[:, None]
    right_angle = np.arctan2(values[RIGHT_AXIS + 1], values[RIGHT_AXIS]) / 2
    right = np.stack([np.cos(right_angle), np.sin(right_angle)], axis=1)
    turn = up[:, 0] * right[:, 1] - up[:, 1] * right[:, 0]
    right *= np.where(turn < 0, -1.0, 1.0)[:, None]
    up *= HALF_AXIS_UNIT_PX * np.exp(np.clip(values[LOG_UP], -4, 4))[:, None]
    right *= HALF_AXIS_UNIT_PX * np.exp(np.clip(values[LOG_RIGHT], -4, 4))[:, None]
    quads = np.stack([centre + up - right, centre + up + right, centre - up + right, centre - up - right], axis=1)
    # axes that have all but fallen together are no tile
    sound = np.abs(turn) > 0.15
    found = Detections(
        quads=quads.astype(np.float32),
        score=values[HEAT].astype(np.float32),
        scale=1.0,
    ).take(np.flatnonzero(sound))
    return drop_doubles(found.take(np.argsort(-found.score, kind="stable")))


def drop_doubles(found: Detections) -> Detections:
    """Keep the better one of two detections that mean the same tile; ``found`` is sorted by falling score."""
    count = len(found)
    if count < 2:
        return found
    centres = found.quads.mean(axis=1)
    up = (found.quads[:, 0] + found.quads[:, 1]) / 2 - centres
    right = (found.quads[:, 1] + found.quads[:, 2]) / 2 - centres
    away = centres[None, :] - centres[:, None]
    area = right[:, 0] * up[:, 1] - right[:, 1] * up[:, 0]
    area = np.where(np.abs(area) < 1e-6, 1e-6, area)[:, None]
    along_right = (away[..., 0] * up[:, None, 1] - away[..., 1] * up[:, None, 0]) / area
    along_up = (right[:, None, 0] * away[..., 1] - right[:, None, 1] * away[..., 0]) / area
    same = np.maximum(np.abs(along_right), np.abs(along_up)) < SAME_TILE_HALF_AXES
    kept = np.ones(count, np.bool_)
    for i in range(count):
        if kept[i]:
            kept[i + 1 :] &= ~same[i, i + 1 :]
    return found.take(kept)


def agreement(found: Detections) -> float:
    """How good a look was, for choosing among scales: Σ w · √(Σ w · area) with w = (score - NO_SCORE_BELOW)²."""
    weight = np.maximum(found.score.astype(np.float64) - NO_SCORE_BELOW, 0) ** 2
    return float(weight.sum() * math.sqrt(float((weight * tile_areas(found.quads)).sum())))


def shows_enough(look: Detections) -> bool:
    """Whether a first look shows many tiles that a larger one could not show better."""
    sure = tile_heights(look.quads[look.score >= ENOUGH_SCORE]) * look.scale
    return len(sure) >= ENOUGH_TILES and float(np.median(sure)) >= ENOUGH_HEIGHT_PX


def final_scale(look: Detections, longest_px: int) -> float:
    """The scale at which the network reads best what a first look shows; the picture's long side has ``longest_px``."""
    sure = look.score >= min(0.5, float(look.score.max()))
    height = float(np.median(tile_heights(look.quads[sure])))
    return min(FINAL_TILE_HEIGHT_PX / height, FINAL_SIDE_LIMIT_PX / longest_px)


def _alike(scale: float, other: float) -> bool:
    return 1 / OTHER_SCALE < scale / other < OTHER_SCALE


def with_other_scales(found: Detections, others: list[Detections]) -> Detections:
    """Add the tiles that are too large or too small for the last look, and that a first look was sure of."""
    if not len(found):
        return found
    usual = float(np.median(tile_heights(found.quads)))
    for other in others:
        heights = tile_heights(other.quads)
        unusual = (heights > OTHER_SCALE_RATIO * usual) | (heights < usual / OTHER_SCALE_RATIO)
        found = with_extra(found, other.take((other.score >= OTHER_SCALE_SCORE) & unusual))
    return found


def with_extra(found: Detections, extra: Detections) -> Detections:
    """The detections and those of another look that mean none of the same tiles, best first."""
    together = Detections(
        quads=np.concatenate([found.quads, extra.quads]),
        score=np.concatenate([found.score, extra.score]),
        scale=found.scale,
    )
    kept = drop_doubles(together)
    kept = kept.take(np.argsort(-kept.score, kind="stable"))
    return replace(kept, one_look=found.one_look and len(kept) == len(found))


def is_clear(found: Detections) -> bool:
    """Whether a look leaves no doubt that it was taken at the right scale, and that one scale is enough."""
    if not len(found):
        return False
    low, high = np.quantile(tile_heights(found.quads), [0.1, 0.9])
    return bool(np.median(found.score) >= CLEAR_SCORE and high <= CLEAR_SPREAD * low)


class Detector:
    """Finds tiles with the detector network.

    ``legible`` says of quads (N, 4, 2) in a picture which of them (N,) show a face that can be read; without it the
    detector decides on the scale alone.
    """

    def __init__(self, model: Model, threshold: float = DEFAULT_THRESHOLD, legible: Legible | None = None) -> None:
        self._model = model
        self._threshold = threshold
        self._legible = legible

    def find(self, image: Image) -> Detections:
        """All tiles of a picture uint8 (H, W, 3) BGR, faces and backs.

        First looks at several sizes find how large the tiles are; one look at the size that the network reads best
        gives the tiles.  Where that is not clear, several are taken, and the reader says which.
        """
        if image.ndim != 3 or image.shape[2] != 3 or image.dtype != np.uint8 or image.size == 0:
            raise ValueError(f"a picture is uint8 (H, W, 3), not {image.dtype} {image.shape}")
        looks = self._first_looks(image)
        first = []
        for look in looks:
            first.append(look)
            if shows_enough(look):
                break
        taken, best = self._best(image, first)
        if self._legible is None or is_clear(best):
            return best
        first += looks
        return self._read_best(image, first, taken, self._legible) if any(len(look) for look in first) else best

    def _best(self, image: Image, first: list[Detections]) -> tuple[Detections | None, Detections]:
        """The look at the scale that the first looks agree on, and the tiles that are found so."""
        chosen = max(range(len(first)), key=lambda i: agreement(first[i]))
        if not len(first[chosen]):
            return None, first[chosen]
        look = self.look(image, final_scale(first[chosen], max(image.shape[:2])))
        return look, with_other_scales(look, first[max(chosen - 1, 0) : chosen + 2])

    def _read_best(
        self, image: Image, first: list[Detections], taken: Detections | None, legible: Legible
    ) -> Detections:
        """The tiles at the scale at which most can be read, with those that can be read at other scales alone.

        ``taken`` is a look that was taken already, at its own scale.
        """
        looks: list[tuple[Detections, Detections]] = []
        tried: list[float] = []
        for look in sorted(first, key=agreement, reverse=True):
            scale = final_scale(look, max(image.shape[:2])) if len(look) else 0.0
            if not len(look) or len(tried) >= MOST_LOOKS or any(_alike(scale, other) for other in tried):
                continue
            tried.append(scale)
            found = taken if taken is not None and taken.scale == scale else self.look(image, scale)
            best = found.take(np.arange(min(MOST_READ, len(found))))
            looks.append((found, best.take(legible(image, best.quads))))
        found, read = looks[0]
        for other, other_read in looks[1:]:
            if len(other_read) > max(FAR_MORE * len(read), len(read) + FEW_MORE):
                found, read = other, other_read
        for _, other_read in looks:
            found = with_extra(found, other_read.take(other_read.score >= OTHER_SCALE_SCORE))
        return found

    def _first_looks(self, image: Image) -> Iterator[Detections]:
        """Looks at growing sizes."""
        longest = max(image.shape[:2])
        shrink = min(1.0, COARSE_SIDES_PX[-1] / longest)
        near, shrink = halved(image, shrink)
        small = np.asarray(cv2.resize(near, None, fx=shrink, fy=shrink, interpolation=cv2.INTER_AREA), np.uint8)
        back = np.array([image.shape[1] / small.shape[1], image.shape[0] / small.shape[0]], np.float32)
        for side in COARSE_SIDES_PX:
            if side > 1.3 * longest and side != COARSE_SIDES_PX[0]:
                return
            found = self.look(small, side / max(small.shape[:2]))
            yield replace(found, quads=((found.quads + 0.5) * back - 0.5).astype(np.float32), scale=side / longest)

    def look(self, image: Image, scale: float) -> Detections:
        """Tiles found in one look at the picture resized by ``scale``; quads in pixels of ``image``."""
        height, width = image.shape[:2]
        seen = (max(8, round(width * scale)), max(8, round(height * scale)))
        small, _ = halved(image, scale)
        if small.shape[1::-1] != seen:
            small = np.asarray(
                cv2.resize(small, seen, interpolation=cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR), np.uint8
            )
        padded = cv2.copyMakeBorder(
            small,
            BEYOND_PX,
            BEYOND_PX + -seen[1] % PADDING_MULTIPLE,
            BEYOND_PX,
            BEYOND_PX + -seen[0] % PADDING_MULTIPLE,
            cv2.BORDER_CONSTANT,
            value=OUTSIDE_BGR,
        )
        found = decode(self._model.run(np.asarray(padded)[None])[0][0], self._threshold)
        factor = np.array([width / seen[0], height / seen[1]], np.float32)
        quads = found.quads - BEYOND_PX
        centres = quads.mean(axis=1)
        beyond = np.maximum(-centres, centres - seen).max(axis=1)
        near = beyond < BEYOND_PX
        kept = found.take(near)
        return Detections(
            quads=((quads[near] + 0.5) * factor - 0.5).astype(np.float32),
            score=kept.score,
            scale=scale,
        )
