"""Large pictures halved on their way to a smaller size: means of 2 × 2 pixels cost a tenth of means over parts of them.

Pictures that are not large stay as they are.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

LARGE_PX = 2500
"""Pictures with a longer side than this are large."""


def halved(image: NDArray[np.uint8], factor: float) -> tuple[NDArray[np.uint8], float]:
    """A picture uint8 (H, W, 3) BGR that will be shrunk by ``factor``, and the factor that is left to shrink it by.

    Only even sides are halved, so that no pixel moves.
    """
    while factor <= 0.5 and max(image.shape[:2]) > LARGE_PX and not image.shape[0] % 2 and not image.shape[1] % 2:
        half = (image.shape[1] // 2, image.shape[0] // 2)
        image, factor = np.asarray(cv2.resize(image, half, interpolation=cv2.INTER_AREA), np.uint8), 2 * factor
    return image, factor
