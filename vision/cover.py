"""What lies over a tile: a finger, a sleeve, another tile.

A numeral stands free on its body, so what is not body and reaches in from the rim of the face is no print; and a face
that is cut short by something of the table's colour is smaller than its place in the picture asks for.  What is left
of such a numeral may look like another one, so it is never read without a doubt.
"""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.assemble import usual_size
from vision.colour import LEAST_PEAK, deviation
from vision.detect import tile_areas
from vision.read import JOKER, UNREAD
from vision.rectify import inner

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

_EDGE = 0.115
"""Part of the crop left out on each side: its padding, and a rim of 4 % of the face for a quad that sits askew."""
_NOT_BODY = 0.5
"""Deviation from the body, as part of the strongest, from which a pixel is no body …"""
_NO_SHADE = 38.0
"""… if it deviates by so much in L* a* b*: a lamp's gradient over a face mostly stays below this."""
MOST_FRAMED = 0.1
"""More of a face than this, reaching in from its rim, is something that lies over it; on 579 numerals of shared photos
it was 0.004 at most, on small tiles and in clutter up to 0.09."""
LEAST_OF_ITS_SIZE = 0.83
"""A face smaller than so much of its usual size (square root of its area) is cut short; on 615 numerals of shared
photos it was 0.946 at least, seen at 66° 0.825."""
_WHOLE = 0.87
"""A face larger than this is whole enough to say what size is usual."""
_LEAST_TO_COMPARE = 6
HIDDEN_SHARE = 0.3
"""So much of the belief in a reading goes to "unread" where something lies over the face: enough for doubt."""


def framed_share(crops: NDArray[np.uint8]) -> Floats:
    """Part (N,) of each face that is no body and reaches in from the rim; crops uint8 (N, H, W, 3) BGR as ``rectify``
    cuts them.  0 for blank faces."""
    share = np.zeros(len(crops))
    if not len(crops):
        return share
    seen = deviation(inner(crops, _EDGE))
    least = np.maximum(_NOT_BODY, _NO_SHADE / seen.peak).astype(np.float32)
    strange = (seen.strength >= least[:, None, None]).astype(np.uint8)
    for i in np.flatnonzero((seen.peak >= LEAST_PEAK) & _at_rim(strange).any(axis=1)):
        count, blots, stats, _ = cv2.connectedComponentsWithStats(strange[i])
        reaching = np.zeros(count, np.bool_)
        reaching[_at_rim(blots[None])[0]] = True
        share[i] = stats[1:, cv2.CC_STAT_AREA][reaching[1:]].sum() / blots.size
    return share


def _at_rim(faces: NDArray[Any]) -> NDArray[Any]:
    """The outermost pixels (N, P) of faces (N, H, W)."""
    return np.concatenate([faces[:, 0], faces[:, -1], faces[:, :, 0], faces[:, :, -1]], axis=1)


def cut_short(quads: NDArray[np.floating], number_p: Floats, present: Floats) -> Flags:
    """Whether each tile (N,) is too small for its place; quads (N, 4, 2).  With too few faces to tell, none is."""
    sure = np.flatnonzero((number_p[:, : JOKER + 1].sum(axis=1) > 0.5) & (present > 0.6))
    size = np.sqrt(tile_areas(np.asarray(quads, np.float32)).astype(np.float64))
    ratio = np.ones(len(quads))
    for _ in range(2):  # the second time without those that are small, so that they do not make each other usual
        sure = sure[ratio[sure] > _WHOLE]
        if len(sure) < _LEAST_TO_COMPARE:
            return np.zeros(len(quads), np.bool_)
        ratio = size / usual_size(quads.mean(axis=1).astype(np.float64), size, sure)
    return np.asarray(ratio < LEAST_OF_ITS_SIZE)


def partly_unread(number_p: Floats, hidden: Flags) -> Floats:
    """Number probabilities (N, 17) in which numerals with something over them (N,) are partly unread.

    A joker's drawing may reach the rim, and what is left of it looks like no number.
    """
    doubted = number_p.copy()
    hidden = hidden & (number_p.argmax(axis=1) < JOKER)
    doubted[hidden] *= 1 - HIDDEN_SHARE
    doubted[hidden, UNREAD] += HIDDEN_SHARE
    return doubted
