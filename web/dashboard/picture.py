"""The live picture as readers get it: encoded at most once, by the first who asks."""

from __future__ import annotations

import threading

import cv2
import numpy as np
import numpy.typing as npt

WIDEST_PX = 1600
"""A wider picture is made smaller for readers."""
QUALITY = 80


class Picture:
    """One frame, uint8 (H, W, 3) BGR, upright; ``number`` names it and never comes twice."""

    def __init__(self, number: int, image: npt.NDArray[np.uint8]) -> None:
        self.number = number
        self._image = image
        self._lock = threading.Lock()
        self._jpeg: bytes | None = None

    @property
    def size_wh(self) -> tuple[int, int]:
        """Width and height of the frame, in whose pixels quads are told; the JPEG may be smaller."""
        height, width = self._image.shape[:2]
        return width, height

    def jpeg(self) -> bytes:
        """The picture as a JPEG file."""
        with self._lock:
            if self._jpeg is None:
                self._jpeg = jpeg_of(self._image)
            return self._jpeg


def jpeg_of(image: npt.NDArray[np.uint8], widest: int = WIDEST_PX) -> bytes:
    """A picture, uint8 (H, W, 3) BGR, as a JPEG file that is at most so wide."""
    height, width = image.shape[:2]
    if width > widest:
        size = (widest, max(1, round(height * widest / width)))
        image = np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8)
    done, data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])
    if not done:
        raise ValueError("the picture cannot be encoded")
    return data.tobytes()
