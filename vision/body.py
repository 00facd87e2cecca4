"""What is no tile of this box: its body is of another hue than every tile's.

The tiles of a box have one body, and a lamp tints all of them alike.  A knot of wood that reads as a 3 is brown among
cream tiles.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vision.assemble import A_TABLE
from vision.read import JOKER, NOTHING
from vision.rectify import CROP_PAD, inner

Floats = NDArray[np.float64]

BODY_PERCENTILE = 70
"""Print covers less than the darker part of a face."""
_RIM = CROP_PAD + 0.08
_DARKEST = 4.0
"""Grey levels below which noise makes hues: added to every channel."""
OTHER_HUE = 0.3
"""Bodies whose logarithms of blue over green and of red over green are so far apart are not of one box.

Of 1411 tiles of labelled photos (the part that training may see) each had another tile in its picture nearer than 0.09
but one (0.22, at the edge of a shadow), of 2080 rendered ones in weak and coloured light nearer than 0.05; knots of
wood were 0.5 and 0.7 away.
"""
SURELY_THERE = 0.95
"""What is a tile with this probability is one, whatever its colour."""


def body_hues(crops: NDArray[np.uint8]) -> Floats:
    """Hues (N, 2) of the bodies in upright crops uint8 (N, H, W, 3) BGR as ``rectify`` cuts them: log b/g and r/g."""
    faces = inner(crops, _RIM).reshape(len(crops), -1, 3)
    body = np.percentile(faces, BODY_PERCENTILE, axis=1) + _DARKEST
    return np.asarray(np.log(body[:, ::2] / body[:, 1:2]), np.float64)


def of_another_box(crops: NDArray[np.uint8], number_p: Floats, present: Floats) -> NDArray[np.bool_]:
    """Which faces (N,) are no tiles: not surely there, and in hue unlike every face that is.

    ``crops`` uint8 (N, H, W, 3) BGR, number classes (N, 17) and presence (N,).  With too few sure faces to compare
    with, none.
    """
    face = number_p[:, :NOTHING].argmax(axis=1) <= JOKER
    sure = face & (present >= SURELY_THERE)
    open_ = np.flatnonzero(face & ~sure)
    if sure.sum() < A_TABLE or not len(open_):
        return np.zeros(len(crops), np.bool_)
    hues = body_hues(crops)
    apart = np.linalg.norm(hues[open_, None] - hues[sure][None], axis=2).min(axis=1)
    result = np.zeros(len(crops), np.bool_)
    result[open_[apart > OTHER_HUE]] = True
    return result
