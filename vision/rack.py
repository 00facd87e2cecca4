"""Does the picture show a rack instead of a table?

On a rack all tiles stand upright in one or two straight lines, on a board that ends right above or below them.
Measured on the shared photos of the ``train`` part: across that edge the tone changes by 71 L* a* b* units or more on
all 19 racks; above and below the tiles of tables with at most two lines it changes by at most 23.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

Image = NDArray[np.uint8]
Floats = NDArray[np.float64]

MOST_LINES = 2
MOST_TURN_DEG = 8.0
"""Tiles on one rack are parallel up to perspective, which fans them out evenly, and the play of a ledge."""
MOST_FAN_DEG = 45.0
"""How much the outermost tiles of a rack may be turned to each other by perspective."""
LEAST_CONTRAST = 36.0
"""Change of tone across the board's edge, in L* a* b* units."""

_LOOK_PX = 400
_BESIDE = 0.8
"""How far the board is looked at beyond the outer tiles, in tile widths."""
_EDGE_FROM, _EDGE_TO = 0.35, 1.3
"""Where what lies above and below the board is looked at, in tile heights from the outer tiles."""
_LEAST_PIXELS = 30


def shows_rack(image: Image, quads: NDArray[np.floating]) -> bool:
    """Whether the tiles at ``quads`` (N, 4, 2; upright order) of a picture uint8 (H, W, 3) BGR stand on a rack.

    False where too little of the board or of what is around it is in view to tell.
    """
    if not len(quads):
        return False
    corners = quads.astype(np.float64)
    up = (corners[:, 0] + corners[:, 1] - corners[:, 2] - corners[:, 3]) / 2
    right = (corners[:, 1] + corners[:, 2] - corners[:, 0] - corners[:, 3]) / 2
    # rows on a rack may run at a slant to the tiles' widths in perspective, so axes are the tiles' own
    along = right.mean(axis=0) / max(float(np.linalg.norm(right.mean(axis=0))), 1e-9)
    if not _stand_in_a_fan(up, corners.mean(axis=1) @ along):
        return False
    down = np.array([-along[1], along[0]]) * (1 if np.dot(up.mean(axis=0), [-along[1], along[0]]) < 0 else -1)
    height, width = (float(np.median(np.linalg.norm(axis, axis=1))) for axis in (up, right))
    steps = np.diff(np.sort(corners.mean(axis=1) @ down)) / height
    if int(1 + (steps > 0.5).sum()) > MOST_LINES:
        return False
    return _edge_contrast(image, corners, np.stack([along, down]), width, height) >= LEAST_CONTRAST


def _stand_in_a_fan(up: Floats, place: Floats) -> bool:
    """Whether tiles that point ``up`` (N, 2) are parallel, or turn evenly with their ``place`` (N,) along the rack."""
    facing = np.arctan2(up[:, 1], up[:, 0])
    turn = np.degrees(np.angle(np.exp(1j * (facing - np.angle(np.exp(1j * facing).mean())))))
    away = place - place.mean()
    slope = float(away @ turn / max(float(away @ away), 1e-9))
    uneven = turn - turn.mean() - slope * away
    return bool(np.abs(uneven).max() <= MOST_TURN_DEG and abs(slope) * np.ptp(place) <= MOST_FAN_DEG)


def _edge_contrast(image: Image, corners: Floats, axes: Floats, width: float, height: float) -> float:
    """The larger change of tone from between the tiles to above or below them; 0 where these are not in view.

    ``axes`` (2, 2) are unit vectors along the tiles' widths and down; ``width`` and ``height`` those of a tile in px.
    """
    factor = min(1.0, _LOOK_PX / max(image.shape[:2]))
    small = cv2.resize(image, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA)
    lab = np.asarray(cv2.cvtColor(small.astype(np.float32) / 255, cv2.COLOR_BGR2Lab), np.float32)
    tiles = np.zeros(lab.shape[:2], np.uint8)
    for quad in corners:
        rimmed = quad.mean(axis=0) + 1.13 * (quad - quad.mean(axis=0))
        cv2.fillConvexPoly(tiles, np.round(rimmed * factor).astype(np.int32), 1)
    rows, columns = np.mgrid[: lab.shape[0], : lab.shape[1]] / factor
    across, down = (columns * axis[0] + rows * axis[1] for axis in axes)
    (left, top), (right, bottom) = (
        (corners.reshape(-1, 2) @ axes.T).min(axis=0),
        (corners.reshape(-1, 2) @ axes.T).max(axis=0),
    )
    reach, inset = _BESIDE * width, 0.1 * height
    board = (across > left - reach) & (across < right + reach) & (down > top + inset) & (down < bottom - inset)
    over = (across > left) & (across < right)
    above = over & (down < top - _EDGE_FROM * height) & (down > top - _EDGE_TO * height)
    below = over & (down > bottom + _EDGE_FROM * height) & (down < bottom + _EDGE_TO * height)
    tone = _tone(lab, board & (tiles == 0))
    outside = [other for other in (_tone(lab, above), _tone(lab, below)) if other is not None]
    if tone is None:
        return 0.0
    return max((float(np.linalg.norm(other - tone)) for other in outside), default=0.0)


def _tone(lab: NDArray[np.float32], where: NDArray[np.bool_]) -> Floats | None:
    """The median L* a* b* (3,) of the marked pixels, None for too few."""
    return np.asarray(np.median(lab[where], axis=0), np.float64) if where.sum() >= _LEAST_PIXELS else None
