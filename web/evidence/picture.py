"""Frames as they are kept: JPEG, everything outside the table painted over."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from web.evidence.turn import Shot
from web.report_json import Json

QUALITY = 92
"""JPEG quality, colours at full resolution: the networks read such a picture as they read the frame."""

_PARAMS = (
    cv2.IMWRITE_JPEG_QUALITY, QUALITY,
    cv2.IMWRITE_JPEG_SAMPLING_FACTOR, cv2.IMWRITE_JPEG_SAMPLING_FACTOR_444,
)  # fmt: skip

Pixels = npt.NDArray[np.uint8]


class PictureError(ValueError):
    """A frame cannot be kept as a picture; one sentence's end."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A frame as a file: its bytes, their SHA-256 and size in pixels, the table's corners where it was masked."""

    data: bytes
    digest: str
    width: int
    height: int
    corners: tuple[tuple[float, float], ...] | None

    def fields(self, shot: Shot) -> Json:
        """What a record says of it."""
        return {
            "sha256": self.digest,
            "bytes": len(self.data),
            "width": self.width,
            "height": self.height,
            "format": "JPEG",
            "quality": QUALITY,
            "table": None if self.corners is None else [list(corner) for corner in self.corners],
            "taken_at": shot.taken_at,
            "number": shot.number,
            "looks": shot.looks,
            "kept": True,
            "why": None,
        }


def picture_of(shot: Shot) -> Picture:
    """The picture of a shot.  Raises ``PictureError`` for what is no frame, or too large for a JPEG."""
    image = shot.image
    if image.ndim != 3 or image.shape[2] != 3 or image.dtype != np.uint8 or not image.size:
        raise PictureError("it is no picture of three colours")
    corners = None if shot.corners is None else _rounded(shot.corners)
    try:
        kept = image if corners is None else masked(image, corners)
        encoded, data = cv2.imencode(".jpg", kept, _PARAMS)
    except cv2.error as error:
        raise PictureError("it cannot be written as a JPEG") from error
    if not encoded:
        raise PictureError("it cannot be written as a JPEG")
    whole = data.tobytes()
    return Picture(whole, hashlib.sha256(whole).hexdigest(), image.shape[1], image.shape[0], corners)


def masked(image: Pixels, corners: tuple[tuple[float, float], ...]) -> Pixels:
    """A picture, uint8 (H, W, 3) BGR, in which everything outside the four corners (x, y) has the table's mean colour.

    A black surround would make an edge, which eyes that look again might take for something.
    """
    inside = np.zeros(image.shape[:2], np.uint8)
    cv2.fillPoly(inside, [np.round(np.array(corners)).astype(np.int32)], 255)
    kept = np.empty_like(image)
    kept[:] = np.array(cv2.mean(image, mask=inside)[:3]).round().astype(np.uint8)
    cv2.copyTo(image, inside, kept)
    return kept


def pixels_of(data: bytes) -> Pixels:
    """A kept picture as uint8 (H, W, 3) BGR.  Raises ``PictureError``."""
    try:
        image = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    except cv2.error as error:
        raise PictureError("it cannot be opened") from error
    if image is None:
        raise PictureError("it cannot be opened")
    return image.astype(np.uint8, copy=False)


def _rounded(corners: npt.NDArray[np.float32]) -> tuple[tuple[float, float], ...]:
    if corners.shape != (4, 2) or not np.isfinite(corners).all() or np.abs(corners).max() > 1e6:
        raise PictureError("its table has no four corners")
    return tuple((round(float(x), 1), round(float(y), 1)) for x, y in corners)
