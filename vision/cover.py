"""What lies over a tile: a finger, a sleeve, another tile.

A numeral stands free on its body, so what is not body and reaches in from the rim of the face is no print; a face that
is cut short by something of the table's colour is smaller than its place in the picture asks for; and what has the
body's own colour shows by what it hides: the face's edge round one of its corners.  What is left of such a numeral may
look like another one, so it is never read without a doubt.
"""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.assemble import usual_size
from vision.colour import LEAST_PEAK, deviation, distance_from_body
from vision.detect import tile_areas
from vision.read import JOKER, UNREAD
from vision.rectify import CROP_PAD, inner

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

_EDGE = 0.115
"""Part of the crop left out on each side: its padding, and a rim of 4 % of the face for a quad that sits askew."""
_BEYOND = CROP_PAD / 2
"""Part of the crop left out where what goes on beyond the face's edge is looked for: half of its padding."""
_NOT_BODY = 0.5
"""Deviation from the body, as part of the strongest, from which a pixel is no body …"""
_NO_SHADE = 38.0
"""… if it deviates by so much in L* a* b*: a lamp's gradient over a face mostly stays below this."""
_NARROW = 0.2
"""What reaches in over no more than this part of the face's height is the tip of a stroke: 6 mm, a pen is wider."""
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

_ALONG, _DOWN = 10, 14
"""The edge is looked at in so many places along the upper and lower sides, and along the others."""
_REACH = 4
"""Crop pixels inside and outside the edge between which it must show."""
_NO_EDGE, _NO_EDGE_LEVELS, _NO_EDGE_THERE = 0.2, 6, 0.35
"""An edge is gone where it shows less than this part of the table's usual one, or less than so many levels, and less
than a part of what the same edge of the other tiles shows: towards the lamp white tiles on white show none …"""
ROUND_A_CORNER = ((3, 3), (2, 5))
"""… and something lies over it where it is gone in so many places on both sides of a corner, along the shorter side
and down the longer one, or all along a side and round both of its corners.  Beside a touching neighbour an edge may be
gone up to the corner, not round it: none was hidden so of 2038 faces of shared photos, and one, under a hand, of 2330
rendered ones."""


def framed_share(crops: NDArray[np.uint8]) -> Floats:
    """Part (N,) of each face that is no body and reaches in from beyond its edge; crops uint8 (N, H, W, 3) BGR as
    ``rectify`` cuts them.  0 for blank faces.

    A numeral that is printed up to the rim ends before the edge, with body between them; where blur joins its tip with
    the table, the way in is narrow.
    """
    share = np.zeros(len(crops))
    if not len(crops):
        return share
    faces = inner(crops, _EDGE)
    seen = deviation(faces)
    least = np.maximum(_NOT_BODY, _NO_SHADE / seen.peak).astype(np.float32)
    at_rim = _at_rim(seen.strength >= least[:, None, None]).any(axis=1)
    asked = np.flatnonzero((seen.peak >= LEAST_PEAK) & at_rim)
    if not len(asked):
        return share
    wide = inner(crops[asked], _BEYOND)
    least = (least * seen.peak)[asked, None, None]
    strange = (distance_from_body(faces[asked], wide) >= least).astype(np.uint8)
    top, left = ((whole - part) // 2 for whole, part in zip(wide.shape[1:3], faces.shape[1:3], strict=True))
    for i, picture in zip(asked.tolist(), strange, strict=True):
        count, blots = cv2.connectedComponents(picture)
        beyond = np.bincount(_at_rim(blots[None])[0], minlength=count) > 0
        within = blots[top : top + faces.shape[1], left : left + faces.shape[2]]
        # a quad one pixel askew has the table all along its rim
        way_in = np.bincount(_at_rim(within[None, 1:-1, 1:-1])[0], minlength=count)
        reaching = beyond & (way_in > _NARROW * faces.shape[1])
        reaching[0] = False  # the body
        share[i] = reaching[within].mean()
    return share


def _at_rim(faces: NDArray[Any]) -> NDArray[Any]:
    """The outermost pixels (N, P) of faces (N, H, W)."""
    return np.concatenate([faces[:, 0], faces[:, -1], faces[:, :, 0], faces[:, :, -1]], axis=1)


def edge_hidden(crops: NDArray[np.uint8]) -> Flags:
    """Whether the edge of each face (N,) is gone round a corner of it; crops uint8 (N, H, W, 3) BGR as ``rectify`` cuts
    them.  Where the table shows no edges at all, or has but one tile, none is."""
    if not len(crops):
        return np.zeros(0, np.bool_)
    count, height, width = crops.shape[:3]
    smooth = cv2.blur(crops.reshape(count * height, width, 3), (3, 3)).reshape(crops.shape)
    places, outwards = _edge_places(height, width)
    x, y = np.moveaxis(np.round(places[:, None] + outwards[:, None] * np.arange(-_REACH, _REACH + 1)[:, None]), 2, 0)
    profile = smooth[:, y.clip(0, height - 1).astype(int), x.clip(0, width - 1).astype(int)]
    contrast = (profile.max(axis=2) - profile.min(axis=2)).max(axis=2)
    gone = contrast < max(_NO_EDGE * float(np.median(contrast)), _NO_EDGE_LEVELS)
    gone &= contrast < _NO_EDGE_THERE * np.median(contrast, axis=0)
    covered = [gone[:, part % len(places)].all(axis=1) for part in _round_corners()]
    return np.asarray(np.any(covered, axis=0), np.bool_)


def _round_corners() -> list[NDArray[np.intp]]:
    """The places, by their numbers, of which all are gone where something lies over a corner or a side."""
    ends = np.cumsum((_ALONG, _DOWN, _ALONG, _DOWN)).tolist()
    parts = []
    for along, down in ROUND_A_CORNER:
        for k, end in enumerate(ends):
            before, after = (along, down) if k % 2 == 0 else (down, along)
            parts.append(np.arange(end - before, end + after))
    parts += [np.arange(start - 1, end + 1) for start, end in zip([0, *ends], ends, strict=False)]
    return parts


def _edge_places(height: int, width: int) -> tuple[Floats, Floats]:
    """Places (P, 2) on a face's edge in a crop, x and y in pixels, clockwise from the upper left corner, and the
    directions (P, 2) outwards."""
    left, top = CROP_PAD * width - 0.5, CROP_PAD * height - 0.5
    corners = np.array([[left, top], [width - 1 - left, top], [width - 1 - left, height - 1 - top],
                        [left, height - 1 - top]])  # fmt: skip
    places, outwards = [], []
    for k, (steps, way) in enumerate(zip((_ALONG, _DOWN, _ALONG, _DOWN), ((0, -1), (1, 0), (0, 1), (-1, 0)),
                                         strict=True)):  # fmt: skip
        share = (np.arange(steps)[:, None] + 0.5) / steps
        places.append(corners[k] + share * (corners[(k + 1) % 4] - corners[k]))
        outwards.append(np.tile(way, (steps, 1)))
    return np.concatenate(places), np.concatenate(outwards).astype(np.float64)


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


def partly_unread(number_p: Floats, hidden: Flags, edgeless: Flags) -> Floats:
    """Number probabilities (N, 17) in which numerals with something over them (N,) are partly unread.

    A joker's drawing may reach the rim, and what is left of it looks like no number; but what is ``edgeless`` (N,) and
    looks like a joker may be a part of a numeral.
    """
    doubted = number_p.copy()
    first = number_p.argmax(axis=1)
    hidden = (hidden & (first < JOKER)) | (edgeless & (first <= JOKER))
    doubted[hidden] *= 1 - HIDDEN_SHARE
    doubted[hidden, UNREAD] += HIDDEN_SHARE
    return doubted
