"""The frame of an index: from the middle of the rank straight down to the middle of the suit sign below it.

All indices are looked at in patches in which these two points always lie at the same places, whatever the card's turn,
size and tilt.
"""

from __future__ import annotations

from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

Image = NDArray[np.uint8]
Floats = NDArray[np.float64]
Patches = NDArray[np.float32]

CARD_ASPECT = 0.70
"""Width over height of a card; those on sale have 0.65 to 0.72, and the patches are learned with such a stretch."""
PATCH_WIDTH, PATCH_HEIGHT = 28, 50
TOP_POINT, BOTTOM_POINT = (13.5, 14.0), (13.5, 36.0)
"""Where the middles of rank and suit sign lie in a patch."""
TOP_ROWS, BOTTOM_ROWS = slice(0, 28), slice(22, 50)
"""Rows of a patch that show the rank, and those that show the sign."""
_UNIT_PX = BOTTOM_POINT[1] - TOP_POINT[1]
_COARSEST = 1.4
"""A patch pixel that would step over more picture pixels than this is taken from a smaller picture."""


def frames_of(top: Floats, bottom: Floats, plane: Floats | None = None) -> Floats:
    """Affine maps (M, 2, 3) from patch pixels to picture pixels for M pairs of points (M, 2) in pixels.

    ``plane`` (M, 2, 2) takes directions on the table to directions in the picture where each pair lies; without it the
    picture is taken to be seen from straight above.
    """
    count = len(top)
    tilt = np.broadcast_to(np.eye(2), (count, 2, 2)) if plane is None else plane
    down = np.linalg.solve(tilt, (bottom - top)[..., None])[..., 0] / _UNIT_PX
    right = np.stack([down[:, 1], -down[:, 0]], axis=1)
    axes = tilt @ np.stack([right, down], axis=2)
    origin = top - axes @ np.array(TOP_POINT)
    return np.concatenate([axes, origin[..., None]], axis=2)


def plane_of_card(axes: Floats) -> Floats:
    """Directions on the table to directions in the picture (…, 2, 2), from a card's own axes (…, 2, 2).

    The columns of ``axes`` are the card's upper and left side in pixels; the unit on the table is a card's height.
    """
    return np.asarray(axes / np.array([CARD_ASPECT, 1.0]), np.float64)


class Layers:
    """A picture in ever smaller copies, from which patches are cut without losing thin strokes."""

    def __init__(self, picture: Image) -> None:
        self._copies = [picture]

    def cut(self, frames: Floats) -> Image:
        """Patches uint8 (M, 50, 28[, channels]) of the picture at M frames (M, 2, 3)."""
        tail = self._copies[0].shape[2:]
        patches = np.empty((len(frames), PATCH_HEIGHT, PATCH_WIDTH, *tail), np.uint8)
        step = np.sqrt(np.abs(np.linalg.det(frames[:, :, :2]))) if len(frames) else np.zeros(0)
        level = np.clip(np.ceil(np.log2(np.maximum(step, 1e-3) / _COARSEST)), 0, 5).astype(int)
        for k, frame in enumerate(frames):
            shrink = 2.0 ** int(level[k])
            to_copy = np.array([[1 / shrink, 0, 0.5 / shrink - 0.5], [0, 1 / shrink, 0.5 / shrink - 0.5], [0, 0, 1]])
            whole = to_copy @ np.vstack([frame, (0, 0, 1)])
            cv2.warpAffine(
                self._copy(int(level[k])),
                whole[:2],
                (PATCH_WIDTH, PATCH_HEIGHT),
                dst=patches[k],
                flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
                borderMode=cv2.BORDER_REPLICATE,
            )
        return patches

    def _copy(self, level: int) -> Image:
        while len(self._copies) <= level:
            last = self._copies[-1]
            size = (max(1, last.shape[1] // 2), max(1, last.shape[0] // 2))
            self._copies.append(np.asarray(cv2.resize(last, size, interpolation=cv2.INTER_AREA), np.uint8))
        return self._copies[level]


def glyphs_of(patches: Image) -> tuple[Patches, Patches]:
    """The rank and the sign of ink patches uint8 (M, 50, 28), as rows of mean 0 and length 1 to be correlated.

    Float32 (M, 784) each.  Print near a patch's sides counts less: it may be another card's.
    """
    weighed = _softened(patches)
    return _unit_rows(weighed[:, TOP_ROWS]), _unit_rows(weighed[:, BOTTOM_ROWS])


def _softened(patches: Image) -> Patches:
    """Patches a little blurred, so that strokes need not meet to the pixel."""
    soft = np.empty(patches.shape, np.float32)
    for k, patch in enumerate(patches):
        soft[k] = cv2.GaussianBlur(patch.astype(np.float32), (0, 0), 1.0)
    return soft


@lru_cache(maxsize=1)
def _window() -> Patches:
    """Weight of each pixel of a half patch (28, 28)."""
    across = np.clip((PATCH_WIDTH / 2 - np.abs(np.arange(PATCH_WIDTH) - TOP_POINT[0])) / 3.5, 0.15, 1.0)
    along = np.clip((14.5 - np.abs(np.arange(28) - 13.5)) / 4.0, 0.25, 1.0)
    return np.asarray(along[:, None] * across[None], np.float32)


def _unit_rows(half: Patches) -> Patches:
    weight = _window()
    mean = (half * weight).sum(axis=(1, 2), keepdims=True) / weight.sum()
    rows = ((half - mean) * np.sqrt(weight)).reshape(len(half), weight.size)
    return np.asarray(rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-3), np.float32)
