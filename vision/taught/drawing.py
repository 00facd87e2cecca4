"""What is drawn on a face, as a plan of its ink: by this the kinds of joker are told apart.

The reader network makes no difference between jokers, whatever is drawn on them; their drawings differ plainly.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.colour import deviation
from vision.rectify import inner
from vision.taught.fit import with_one

Floats = NDArray[np.float64]

_COLUMNS, _ROWS = 12, 16
INPUTS = _COLUMNS * _ROWS + 1
_EDGE = 0.13
"""Part of the crop left out on each side: padding and rim."""
_MOST = 1.2
_LENGTH = 8.0
"""Every plan has this length, so that neither the lamp nor faded ink counts."""


def drawings(crops: NDArray[np.uint8]) -> Floats:
    """Plans (N, 193) of upright faces uint8 (N, 64, 48, 3) BGR, each with a one behind it; N may be 0."""
    if not len(crops):
        return np.zeros((0, INPUTS))
    strength = np.minimum(deviation(inner(crops, _EDGE)).strength, _MOST)
    small = [cv2.resize(face, (_COLUMNS, _ROWS), interpolation=cv2.INTER_AREA) for face in strength]
    plans = np.stack(small).reshape(len(crops), -1).astype(np.float64)
    plans -= plans.mean(axis=1, keepdims=True)
    return with_one(_LENGTH * plans / np.maximum(np.linalg.norm(plans, axis=1, keepdims=True), 1e-6))
