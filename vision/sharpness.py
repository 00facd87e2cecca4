"""How sharp the tiles are, by the steepest edges of what is printed on them, in units of the tile's own height.

Measured on rectified crops, in which every tile has one size: a small tile that was enlarged and a large one out of
focus lose their numerals alike.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vision.colour import LEAST_PEAK, deviation
from vision.rectify import CROP_PAD, inner

Image = NDArray[np.uint8]
Floats = NDArray[np.float32]

_EDGE = 0.17
"""Part of the crop left out on each side: padding, rim and bevel."""
_STEEPEST = 99.0
"""Percentile of the slopes within a face that stands for its sharpest edges."""
_STEP = 0.3989
"""Steepest slope of a step of height 1 after a Gaussian blur of sigma 1."""
_SECTORS = 4
_SECTOR_PERCENTILE = 98.0
_LEAST_IN_SECTOR = 40


def blur_of(crops: Image) -> float:
    """The blur of a table, sigma in tile heights, as the median over its printed tiles; 0 without any.

    ``crops`` is uint8 (N, H, W, 3) BGR as ``rectify`` cuts them.  A perfectly sharp crop of 64 rows gives about 0.01.
    """
    slopes = _slopes(crops)
    if not len(slopes):
        return 0.0
    steepest = np.percentile(np.hypot(slopes[..., 0], slopes[..., 1]).reshape(len(slopes), -1), _STEEPEST, axis=1)
    return float(np.median(_STEP / np.maximum(steepest, 1e-6))) / _face_height(crops)


def motion_of(crops: Image, turns: NDArray[np.floating]) -> float:
    """How much more the picture is blurred along one direction than along another: 1 is evenly, 2 is clearly moved.

    ``turns`` (N,) are the tiles' turns in the picture in radians, clockwise, so that edges of tiles that face all ways
    are compared by their direction in the picture.
    """
    slopes, printed = _slopes(crops), _printed(crops)
    if not len(slopes):
        return 1.0
    steepness = np.hypot(slopes[..., 0], slopes[..., 1])
    direction = np.arctan2(slopes[..., 1], slopes[..., 0]) + turns[printed][:, None, None]
    sector = np.floor((direction / np.pi * _SECTORS + 0.5) % _SECTORS).astype(np.int64) % _SECTORS
    steepest = [
        float(np.percentile(values, _SECTOR_PERCENTILE))
        for values in (steepness[(sector == k) & (steepness > 0.02)] for k in range(_SECTORS))
        if len(values) >= _LEAST_IN_SECTOR
    ]
    return max(steepest) / max(min(steepest), 1e-6) if len(steepest) > 1 else 1.0


def _printed(crops: Image) -> NDArray[np.intp]:
    """Indices of the crops on which something is printed."""
    return np.flatnonzero(deviation(inner(crops, _EDGE)).peak >= LEAST_PEAK) if len(crops) else np.zeros(0, np.intp)


def _slopes(crops: Image) -> Floats:
    """Slopes (M, h, w, 2), x then y, per crop pixel, of the print's strength on the printed ones among the crops."""
    printed = _printed(crops)
    if not len(printed):
        return np.zeros((0, 1, 1, 2), np.float32)
    strength = np.minimum(deviation(inner(crops[printed], _EDGE)).strength, np.float32(1.2))
    down, across = np.gradient(strength, axis=(1, 2))
    return np.stack([across, down], axis=-1).astype(np.float32)


def _face_height(crops: Image) -> float:
    return float(crops.shape[1] * (1 - 2 * CROP_PAD))
