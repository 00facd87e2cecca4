"""Do two photos show the very same picture?  A second photo that is the first one again teaches nothing."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

Image = NDArray[np.uint8]

_SIZE_WH = (96, 72)
_MOST_APART = 18
"""Levels of 255 by which no part of a picture that was only saved again differs (11 at quality 50, or four fifths the
size); a 6 turned into a 9 in a whole box laid out makes 37."""


def same_picture(one: Image, other: Image) -> bool:
    """Whether two pictures uint8 (H, W, 3) BGR are one, perhaps saved again or in another size."""
    if abs(one.shape[0] * other.shape[1] - one.shape[1] * other.shape[0]) > 0.02 * one.shape[1] * other.shape[0]:
        return False
    small = [cv2.resize(picture, _SIZE_WH, interpolation=cv2.INTER_AREA).astype(np.int16) for picture in (one, other)]
    return bool(np.abs(small[0] - small[1]).max() <= _MOST_APART)
