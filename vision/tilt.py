"""How far the table leans away from the camera, from the tiles' shapes alone."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vision.rulers import ASPECT_WEIGHT, TYPICAL_ASPECT, products


def tilt_of(quads: NDArray[np.floating]) -> float:
    """Degrees between the line of sight and the table's normal: 0 from straight above, towards 90 along the table.

    ``quads`` (N, 4, 2) are the tiles in pixels, corners from the top-left one of the upright numeral.  One metric of
    the picture is fitted in which all tiles are rectangles of the usual proportions; the tilt is how much it shortens
    one direction against the other.  Where all tiles lie the same way, a box of unusual proportions shifts small tilts,
    hardly large ones.  0 without tiles, 90 where no such metric exists.
    """
    corners = np.asarray(quads, np.float64)
    right = (corners[:, 1] - corners[:, 0] + corners[:, 2] - corners[:, 3]) / 2
    down = (corners[:, 3] - corners[:, 0] + corners[:, 2] - corners[:, 1]) / 2
    area = np.abs(right[:, 0] * down[:, 1] - right[:, 1] * down[:, 0])
    sound = area > 1e-6
    if not sound.any():
        return 0.0
    # tiles far away are small, not otherwise shaped: each counts with the area of one
    size = np.sqrt(area[sound] / TYPICAL_ASPECT)[:, None]
    wide, high = right[sound] / size, down[sound] / size / TYPICAL_ASPECT
    # unknowns: the metric's three entries, and how the box's height squared compares with the usual one's
    none, one = np.zeros((len(wide), 1)), np.ones((len(wide), 1))
    terms = np.vstack([
        np.hstack([products(wide, wide), none]),
        np.hstack([products(high, high), -one]),
        np.hstack([products(wide, high), none]),
        [[0.0, 0.0, 0.0, ASPECT_WEIGHT]],
    ])  # fmt: skip
    wanted = np.concatenate([np.ones(len(wide)), np.zeros(2 * len(wide)), [ASPECT_WEIGHT]])
    xx, xy, yy, _ = np.linalg.lstsq(terms, wanted, rcond=None)[0]
    shorter, longer = np.linalg.eigvalsh(np.array([[xx, xy], [xy, yy]]))
    if shorter <= 0:
        return 90.0
    return float(np.degrees(np.arccos(np.sqrt(shorter / longer))))
