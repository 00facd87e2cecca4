"""Where the tiles lie: one network over the picture at a scale that it finds by itself.

The network gives, for each cell of 4 x 4 pixels, how surely a tile's centre lies there, and the tile's two half-axes.
Both axes come as double angles (an axis has no sign, so nothing jumps when a tile turns by 180°); a separate up vector
chooses the sign.  Quads are parallelograms; the reader moves their corners into perspective.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.model_store import Model
from vision.shrink import halved

Image = NDArray[np.uint8]
Floats = NDArray[np.float32]

STRIDE = 4
PADDING_MULTIPLE = 16
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
SAME_TILE_HALF_AXES = 0.8
"""Two centres closer than this, in half-axes along both axes, are one tile: real neighbours overlap by less."""


@dataclass(frozen=True, slots=True)
class Detections:
    """Tiles found, best first.

    ``quads`` (N, 4, 2) float32, pixels of the given picture (centres at whole numbers), corners top-left, top-right,
    bottom-right, bottom-left of the upright numeral as far as the detector knows; ``score`` (N,) float32 in 0–1;
    ``scale`` the size of the picture that the network saw over the given one.
    """

    quads: Floats
    score: Floats
    scale: float

    def __len__(self) -> int:
        return len(self.score)

    def take(self, index: NDArray[np.intp] | NDArray[np.bool_]) -> Detections:
        """The chosen tiles in the chosen order."""
        return Detections(self.quads[index], self.score[index], self.scale)


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


def with_other_scales(found: Detections, others: list[Detections]) -> Detections:
    """Add the tiles that are too large or too small for the last look, and that a first look was sure of."""
    if not len(found):
        return found
    usual = float(np.median(tile_heights(found.quads)))
    for other in others:
        heights = tile_heights(other.quads)
        unusual = (heights > OTHER_SCALE_RATIO * usual) | (heights < usual / OTHER_SCALE_RATIO)
        extra = other.take((other.score >= OTHER_SCALE_SCORE) & unusual)
        together = Detections(
            quads=np.concatenate([found.quads, extra.quads]),
            score=np.concatenate([found.score, extra.score]),
            scale=found.scale,
        )
        found = drop_doubles(together)
    return found.take(np.argsort(-found.score, kind="stable"))


class Detector:
    """Finds tiles with the detector network."""

    def __init__(self, model: Model, threshold: float = DEFAULT_THRESHOLD) -> None:
        self._model = model
        self._threshold = threshold

    def find(self, image: Image) -> Detections:
        """All tiles of a picture uint8 (H, W, 3) BGR, faces and backs.

        First looks at several sizes find how large the tiles are; one look at the size that the network reads best
        gives the tiles.
        """
        if image.ndim != 3 or image.shape[2] != 3 or image.dtype != np.uint8 or image.size == 0:
            raise ValueError(f"a picture is uint8 (H, W, 3), not {image.dtype} {image.shape}")
        longest = max(image.shape[:2])
        looks = list(self._first_looks(image))
        chosen = max(range(len(looks)), key=lambda i: agreement(looks[i]))
        best = looks[chosen]
        if not len(best):
            return best
        sure = best.score >= min(0.5, float(best.score.max()))
        height = float(np.median(tile_heights(best.quads[sure])))
        scale = min(FINAL_TILE_HEIGHT_PX / height, FINAL_SIDE_LIMIT_PX / longest)
        return with_other_scales(self.look(image, scale), looks[max(chosen - 1, 0) : chosen + 2])

    def _first_looks(self, image: Image) -> Iterator[Detections]:
        """Looks at growing sizes, until one shows many tiles that a larger one could not show better."""
        longest = max(image.shape[:2])
        shrink = min(1.0, COARSE_SIDES_PX[-1] / longest)
        near, shrink = halved(image, shrink)
        small = np.asarray(cv2.resize(near, None, fx=shrink, fy=shrink, interpolation=cv2.INTER_AREA), np.uint8)
        back = np.array([image.shape[1] / small.shape[1], image.shape[0] / small.shape[0]], np.float32)
        for side in COARSE_SIDES_PX:
            if side > 1.3 * longest and side != COARSE_SIDES_PX[0]:
                return
            found = self.look(small, side / max(small.shape[:2]))
            sure = tile_heights(found.quads[found.score >= ENOUGH_SCORE]) * found.scale
            yield replace(found, quads=((found.quads + 0.5) * back - 0.5).astype(np.float32), scale=side / longest)
            if len(sure) >= ENOUGH_TILES and float(np.median(sure)) >= ENOUGH_HEIGHT_PX:
                return

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
            0,
            -seen[1] % PADDING_MULTIPLE,
            0,
            -seen[0] % PADDING_MULTIPLE,
            cv2.BORDER_REPLICATE,
        )
        found = decode(self._model.run(np.asarray(padded)[None])[0][0], self._threshold)
        factor = np.array([width / seen[0], height / seen[1]], np.float32)
        inside = found.quads.mean(axis=1)
        kept = found.take((inside[:, 0] < seen[0]) & (inside[:, 1] < seen[1]))
        return Detections(
            quads=((kept.quads + 0.5) * factor - 0.5).astype(np.float32),
            score=kept.score,
            scale=scale,
        )
