"""The former table beside the present one, with what goes back where."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
import numpy.typing as npt

from referee.observation import Quad
from web.live.view import RestoreView

Pixels = npt.NDArray[np.uint8]

TALLEST_PX = 1080
GAP_PX = 12
_LIES, _HOME = (60, 60, 230), (70, 190, 70)
"""BGR: where a tile lies that must go, and where it belongs."""


def restore_picture(former: Pixels, now: Pixels, steps: Sequence[RestoreView]) -> Pixels:
    """Both pictures side by side, uint8 (H, W, 3) BGR: homes marked on the left, tiles to move on the right.

    Each step that is not done has its number on both sides.
    """
    before, after = former.copy(), now.copy()
    for number, step in enumerate((step for step in steps if not step.done), 1):
        if step.home is not None:
            _mark(before, step.home, number, _HOME)
        if step.lies is not None:
            _mark(after, step.lies, number, _LIES)
    height = min(TALLEST_PX, before.shape[0], after.shape[0])
    parts = [_scaled(before, height), np.full((height, GAP_PX, 3), 255, np.uint8), _scaled(after, height)]
    return np.asarray(np.hstack(parts), np.uint8)


def _scaled(picture: Pixels, height: int) -> Pixels:
    width = max(1, round(picture.shape[1] * height / picture.shape[0]))
    return np.asarray(cv2.resize(picture, (width, height), interpolation=cv2.INTER_AREA), np.uint8)


def _mark(picture: Pixels, quad: Quad, number: int, colour: tuple[int, int, int]) -> None:
    corners = np.round(np.array(quad)).astype(np.int32)
    thick = max(2, round(picture.shape[0] / 400))
    cv2.polylines(picture, [corners], isClosed=True, color=colour, thickness=thick)
    x, y = corners.min(axis=0)
    at = (int(x), max(20, int(y) - 4))
    cv2.putText(picture, str(number), at, cv2.FONT_HERSHEY_SIMPLEX, 0.4 * thick, colour, thick)
