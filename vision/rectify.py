"""Cut tiles out of the picture, each turned upright and seen from straight above.

Every later reader (network, joint colour, second reader) looks at these crops, never at the picture itself.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

CROP_WIDTH = 48
CROP_HEIGHT = 64
CROP_PAD = 0.08

_LEVEL_BIAS = 0.3
"""Halve the picture once more when a crop pixel would still step over 2 ** (1 - 0.3) = 1.6 picture pixels."""


def rectify(
    image: NDArray[np.uint8],
    quads: NDArray[np.floating],
    width: int = CROP_WIDTH,
    height: int = CROP_HEIGHT,
    pad: float = CROP_PAD,
) -> NDArray[np.uint8]:
    """Warp each tile upright into a crop of its own.

    ``image`` is uint8 (H, W, 3) BGR; ``quads`` is (N, 4, 2) in its pixels (pixel centres at whole numbers), corners
    top-left, top-right, bottom-right, bottom-left of the upright numeral, and may reach outside the picture (its
    border is repeated there).  Returns uint8 (N, height, width, 3) BGR, in which the face leaves ``pad`` of the
    crop's width free left and right and ``pad`` of its height above and below.  Tiles larger than the crop are taken
    from a picture that was shrunk by area first, so that thin strokes survive.

    Raises ``ValueError`` for wrong shapes and for quads that are not finite or have no area.
    """
    return Cuts(image, quads, width, height, pad).crops(np.arange(len(quads)))


class Cuts:
    """Tiles that are about to be cut out, as ``rectify`` does; several threads may each take some of them."""

    def __init__(
        self,
        image: NDArray[np.uint8],
        quads: NDArray[np.floating],
        width: int = CROP_WIDTH,
        height: int = CROP_HEIGHT,
        pad: float = CROP_PAD,
    ) -> None:
        _check(image, quads)
        self._size = (width, height)
        self._sources = [image] * len(quads)
        self._matrices = np.zeros((len(quads), 3, 3))
        if not len(quads):
            return
        corners = quads.astype(np.float64)
        matrices = _crop_to_picture(corners, width, height, pad)
        levels = _levels(corners, width, height, pad)
        for level in np.unique(levels):
            members = np.flatnonzero(levels == level)
            source, shift = _shrunk(image, corners[members], int(level), pad)
            self._matrices[members] = _picture_to_shrunk(int(level), shift) @ matrices[members]
            for i in members.tolist():
                self._sources[i] = source

    def __len__(self) -> int:
        return len(self._sources)

    def add(self, others: Cuts) -> None:
        """Put others of the same size behind these."""
        self._sources += others._sources
        self._matrices = np.concatenate([self._matrices, others._matrices])

    def crops(self, which: NDArray[np.intp]) -> NDArray[np.uint8]:
        """The crops uint8 (M, height, width, 3) BGR of the tiles at these places (M,)."""
        width, height = self._size
        crops = np.empty((len(which), height, width, 3), np.uint8)
        for crop, i in zip(crops, which.tolist(), strict=True):
            cv2.warpPerspective(
                self._sources[i],
                self._matrices[i],
                self._size,
                dst=crop,
                flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
                borderMode=cv2.BORDER_REPLICATE,
            )
        return crops


def _check(image: NDArray[np.uint8], quads: NDArray[np.floating]) -> None:
    if image.ndim != 3 or image.shape[2] != 3 or image.dtype != np.uint8 or image.size == 0:
        raise ValueError(f"a picture is uint8 (H, W, 3), not {image.dtype} {image.shape}")
    if quads.ndim != 3 or quads.shape[1:] != (4, 2):
        raise ValueError(f"quads are (N, 4, 2), not {quads.shape}")


def inner(crops: NDArray[np.uint8], edge: float) -> NDArray[np.uint8]:
    """Crops (N, H, W, 3) without ``edge`` of their height above and below and of their width left and right; a view."""
    height, width = crops.shape[1:3]
    top, left = round(edge * height), round(edge * width)
    return crops[:, top : height - top, left : width - left]


def square_to_quad(quads: NDArray[np.float64]) -> NDArray[np.float64]:
    """Homographies (N, 3, 3) that take the unit square (x right, y down) to each quad of (N, 4, 2), in closed form.

    Raises ``ValueError`` for quads that are not finite or have no area.
    """
    top_left, top_right, bottom_right, bottom_left = quads[:, 0], quads[:, 1], quads[:, 2], quads[:, 3]
    right, below = top_right - bottom_right, bottom_left - bottom_right
    rest = top_left - top_right + bottom_right - bottom_left
    area = _cross(right, below)
    if not np.all(np.isfinite(quads)) or np.any(np.abs(area) < 1e-6):
        raise ValueError("a tile's quad must be finite and have an area")
    g = _cross(rest, below) / area
    h = _cross(right, rest) / area
    matrices = np.empty((len(quads), 3, 3))
    matrices[:, :2, 0] = top_right - top_left + g[:, None] * top_right
    matrices[:, :2, 1] = bottom_left - top_left + h[:, None] * bottom_left
    matrices[:, :2, 2] = top_left
    matrices[:, 2, 0] = g
    matrices[:, 2, 1] = h
    matrices[:, 2, 2] = 1.0
    return matrices


def _cross(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0], np.float64)


def _crop_to_picture(quads: NDArray[np.float64], width: int, height: int, pad: float) -> NDArray[np.float64]:
    """Homographies (N, 3, 3) from crop pixels (centres at whole numbers) to picture pixels."""
    face_width, face_height = width * (1 - 2 * pad), height * (1 - 2 * pad)
    crop_to_square = np.array(
        [
            [1 / face_width, 0, (0.5 - pad * width) / face_width],
            [0, 1 / face_height, (0.5 - pad * height) / face_height],
            [0, 0, 1],
        ]
    )
    return np.asarray(square_to_quad(quads) @ crop_to_square, np.float64)


def _levels(quads: NDArray[np.float64], width: int, height: int, pad: float) -> NDArray[np.int64]:
    """How often the picture is halved before each tile is cut out, (N,)."""
    sides = np.linalg.norm(np.roll(quads, -1, axis=1) - quads, axis=2)
    across = np.maximum(sides[:, 0], sides[:, 2]) / (width * (1 - 2 * pad))
    down = np.maximum(sides[:, 1], sides[:, 3]) / (height * (1 - 2 * pad))
    # the smaller step decides: a tile seen at a slant must not be blurred along its short side
    step = np.maximum(np.minimum(across, down), 1e-3)
    return np.asarray(np.maximum(np.floor(np.log2(step) + _LEVEL_BIAS), 0), np.int64)


def _shrunk(
    image: NDArray[np.uint8], quads: NDArray[np.float64], level: int, pad: float
) -> tuple[NDArray[np.uint8], tuple[int, int]]:
    """The part of the picture around the quads, halved ``level`` times, and where that part began (x, y)."""
    if level == 0:
        return image, (0, 0)
    factor = 1 << level
    height, width = image.shape[:2]
    reach = (quads.max(axis=(0, 1)) - quads.min(axis=(0, 1))) * pad + 2 * factor
    low = np.clip(np.floor(quads.min(axis=(0, 1)) - reach), 0, None).astype(np.int64)
    high = np.ceil(quads.max(axis=(0, 1)) + reach).astype(np.int64)
    # cells begin at multiples of the factor, so that a crop is the same whatever others are cut out with it
    left, top = (min(int(start), side - 1) // factor * factor for start, side in zip(low, (width, height), strict=True))
    part = image[top : max(int(high[1]), top + 1), left : max(int(high[0]), left + 1)]
    # whole cells only, so that every shrunk pixel is the mean of factor × factor pixels at a known place
    part = part[: max(part.shape[0] // factor, 1) * factor, : max(part.shape[1] // factor, 1) * factor]
    size = (max(part.shape[1] // factor, 1), max(part.shape[0] // factor, 1))
    return np.asarray(cv2.resize(part, size, interpolation=cv2.INTER_AREA), np.uint8), (left, top)


def _picture_to_shrunk(level: int, shift: tuple[int, int]) -> NDArray[np.float64]:
    factor = float(1 << level)
    offset = 0.5 / factor - 0.5
    return np.array(
        [[1 / factor, 0, offset - shift[0] / factor], [0, 1 / factor, offset - shift[1] / factor], [0, 0, 1]]
    )
