"""What changed between two looks at the same place, told apart from the camera's noise and from a change of light.

Pictures and tiles are compared in shares of their own white, so that a lamp that dims and a camera that opens change
nothing.  The noise is averaged away over small squares.  Where it is stronger than that, everything counts as changed:
looking again costs time, overlooking costs the ruling.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.levels import levels_at
from vision.rectify import CROP_PAD, rectify
from vision.shrink import halved

Image = NDArray[np.uint8]
Floats = NDArray[np.float32]
Flags = NDArray[np.bool_]

SWATCH_WIDTH, SWATCH_HEIGHT = 24, 32
"""Size in pixels of the small crops by which tiles are compared."""
PICTURE_SIDE_PX = 480
"""Long side to which whole pictures are shrunk to be compared."""
LEAST_CHANGE = 0.04
"""A tile changed where 3 × 3 pixels of its swatch differ by this share of white.

On rendered tiles 32 to 76 px high another digit or ink made 0.05 and more, even in faint print.  Noise of 2 grey levels
made 0.007 to 0.02, of 4 (coarse, and JPEG quality 85) 0.025 to 0.046 in fair light, 0.07 in a dim room.
"""
LEAST_CHANGE_OF_PICTURE = 0.06
"""The same for whole pictures: a tile that is laid or taken, or a hand, changes more than a digit does."""
_AXES = np.array([[1 / 3, 1 / 3, 1 / 3], [1 / 2, 0, -1 / 2], [-1 / 4, 1 / 2, -1 / 4]], np.float32)
"""Brightness, blue against red, green against both: brightness, in which most print differs, is the least noisy."""
_WHITE_PERCENTILE = 85
_DARKEST_WHITE = 12.0
_PICTURE_WHITE_PERCENTILE = 99
_DARKEST_PICTURE_WHITE = 64.0


def swatches(image: Image, quads: NDArray[np.floating]) -> Floats:
    """Small crops of the tiles at ``quads`` (N, 4, 2) of a picture uint8 (H, W, 3) BGR, in shares of each body's white.

    Returns float32 (N, SWATCH_HEIGHT, SWATCH_WIDTH, 3) BGR.
    """
    return in_shares_of_white(rectify(image, np.asarray(quads, np.float32), SWATCH_WIDTH, SWATCH_HEIGHT))


def in_shares_of_white(crops: Image) -> Floats:
    """Upright crops uint8 (N, h, w, 3) over the 85th percentile of each face and channel, at most 1.5, float32."""
    count, height, width = crops.shape[:3]
    top, left = round(CROP_PAD * height), round(CROP_PAD * width)
    face = crops[:, top : height - top, left : width - left]
    face = face.reshape(count, face.shape[1] * face.shape[2], 3)
    rank = face.shape[1] * _WHITE_PERCENTILE // 100
    white = np.maximum(levels_at(face, rank).astype(np.float32), np.float32(_DARKEST_WHITE))
    return np.asarray(np.minimum(crops / white[:, None, None], np.float32(1.5)), np.float32)


def changed(before: Floats, after: Floats) -> Flags:
    """Which tiles (N,) do not show what they showed before, by their ``swatches`` then and now."""
    count, height, width = before.shape[:3]
    if not count:
        return np.zeros(0, np.bool_)
    rows = np.asarray(cv2.transform((after - before).reshape(count * height, width, 3), _AXES), np.float32)
    apart = _smooth(rows).reshape(before.shape)
    # the outer rows were averaged with those of another tile
    return np.asarray(np.abs(apart[:, 1:-1]).max(axis=(1, 2, 3)) > LEAST_CHANGE, np.bool_)


def in_small(image: Image) -> Floats:
    """A picture uint8 (H, W, 3) BGR with its long side at ``PICTURE_SIDE_PX``, float32."""
    height, width = image.shape[:2]
    factor = PICTURE_SIDE_PX / max(height, width)
    size = (max(1, round(width * factor)), max(1, round(height * factor)))
    return np.asarray(cv2.resize(halved(image, factor)[0], size, interpolation=cv2.INTER_AREA), np.float32)


def picture_changed(before: Floats, after: Floats) -> bool:
    """Whether anything in a picture changed but its light; both are pictures ``in_small`` of one size."""
    return bool(picture_apart(before, after).max() > LEAST_CHANGE_OF_PICTURE)


def picture_apart(before: Floats, after: Floats) -> Floats:
    """How far each place (h, w) of two ``shrunk`` pictures is apart but for the light, in shares of white, float32."""
    some, same = before[::4, ::4], after[::4, ::4]
    # what most of the picture did is the lamp's or the camera's doing
    gain = np.median((some + 1) / (same + 1), axis=(0, 1))
    white = np.maximum(np.percentile(some, _PICTURE_WHITE_PERCENTILE, axis=(0, 1)), _DARKEST_PICTURE_WHITE)
    axes = _AXES / white
    apart = _smooth(np.asarray(cv2.transform(after, axes * gain) - cv2.transform(before, axes), np.float32))
    one, two, three = cv2.split(np.abs(apart, out=apart))
    return np.asarray(cv2.max(cv2.max(one, two), three), np.float32)


def _smooth(apart: Floats) -> Floats:
    """Differences (h, w, 3) averaged over 3 × 3 pixels."""
    return np.asarray(cv2.blur(apart, (3, 3), borderType=cv2.BORDER_REPLICATE), np.float32)
