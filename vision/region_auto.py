"""Where the table ends, from what lies on it: the surface around the tiles, as far as it surely goes on.

What would be cut off wrongly is lost to the referee, so a region is rather too large: at least the tiles with room
around them, and the whole picture where the surface does not end within it.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.detect import tile_heights
from vision.region import FoundBy, RegionError, TableRegion
from vision.registration import Floats

Image = NDArray[np.uint8]

_WORK_SIDE_PX = 480
_ROOM_TILES = 2.5
"""So much room around the tiles belongs to the table in any case, in tile heights."""
_RING_TILES = 1.5
"""The surface is learned from a ring of this width around the tiles."""
_MARGIN = 0.02
"""What is found is made larger by this part of the picture's long side."""
_SPREADS = 5.0
_LEAST_SPREAD = np.array([9.0, 4.0, 4.0])
"""A colour (L, a, b) is the surface's own when it is nearer to a common one than so many spreads."""
_NEARLY_ALL = 0.8
"""A region that covers so much of the picture is the whole picture."""


def region_around(image: Image, quads: NDArray[np.floating]) -> TableRegion:
    """The table under the tiles at ``quads`` (N, 4, 2) of a picture uint8 (H, W, 3) BGR.

    Raises ``RegionError`` without tiles: then nothing says what of the picture is the table.
    """
    height, width = image.shape[:2]
    if not len(quads):
        raise RegionError("No tiles are seen: lay out some, or click the table's four corners.")
    scale = min(1.0, _WORK_SIDE_PX / max(height, width))
    small = np.asarray(cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), np.uint8)
    corners = np.asarray(quads, np.float32).reshape(-1, 4, 2) * scale
    tile_px = max(2.0, float(np.median(tile_heights(corners))))
    tiles = np.zeros(small.shape[:2], np.uint8)
    cv2.fillPoly(tiles, list(np.round(corners).astype(np.int32)), 255)
    hull = np.asarray(cv2.convexHull(np.round(corners.reshape(-1, 2)).astype(np.int32)))
    around = np.asarray(cv2.fillConvexPoly(np.zeros_like(tiles), hull, 255), np.uint8)
    room = _grown(around, _ROOM_TILES * tile_px)
    ring = (_grown(tiles, _RING_TILES * tile_px) > 0) & (_grown(tiles, 0.25 * tile_px) == 0)
    surface = room if ring.sum() < 50 else np.maximum(room, _surface(small, ring, room, tile_px))
    surface = _grown(np.asarray(surface, np.uint8), _MARGIN * max(small.shape[:2]))
    outline = np.concatenate(cv2.findContours(surface, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)[0])
    quad = enclosing_quad(cv2.convexHull(outline).reshape(-1, 2).astype(np.float64))
    if quad is None or (surface > 0).mean() > _NEARLY_ALL:
        return TableRegion.whole(width, height)
    found = TableRegion.whole(width, height)
    try:
        found = TableRegion.from_points(((quad + 0.5) / scale - 0.5).tolist(), width, height, FoundBy.TILES)
    except RegionError:
        return TableRegion.whole(width, height)
    every = np.asarray(quads, np.float64).reshape(-1, 2)
    return found if found.contains(every).all() else TableRegion.whole(width, height)


def _grown(mask: Image, by_px: float) -> Image:
    side = 2 * max(1, round(by_px)) + 1
    return np.asarray(cv2.dilate(mask, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (side, side))), np.uint8)


def _surface(small: Image, ring: NDArray[np.bool_], room: Image, tile_px: float) -> Image:
    """uint8 (h, w): 255 where the surface of the ring goes on, connected with the room around the tiles."""
    lab = cv2.cvtColor(cv2.GaussianBlur(small, (0, 0), max(1.0, tile_px / 12)), cv2.COLOR_BGR2LAB).astype(np.float32)
    sample = lab[ring]
    cv2.setRNGSeed(0)
    stop = (cv2.TERM_CRITERIA_EPS + cv2.TERM_CRITERIA_MAX_ITER, 20, 0.5)
    # a striped cloth has several colours
    _, labels, centres = cv2.kmeans(sample, 3, np.empty(0, np.int32), stop, 1, cv2.KMEANS_PP_CENTERS)
    alike = np.zeros(small.shape[:2], np.bool_)
    for k, centre in enumerate(centres):
        own = sample[labels.ravel() == k]
        if len(own) < 0.1 * len(sample):
            continue
        spread = np.maximum(1.4826 * np.median(np.abs(own - centre), axis=0), _LEAST_SPREAD)
        alike |= (np.abs(lab - centre) / spread < _SPREADS).all(axis=2)
    mask = np.where(alike, np.uint8(255), np.uint8(0))
    side = 2 * max(1, round(tile_px / 4)) + 1
    mask = np.maximum(cv2.morphologyEx(mask, cv2.MORPH_OPEN, np.ones((side, side), np.uint8)), room)
    _, parts = cv2.connectedComponents(mask)
    inside = np.unique(parts[room > 0])
    return np.where(np.isin(parts, inside[inside > 0]), np.uint8(255), np.uint8(0))


def enclosing_quad(hull: Floats) -> Floats | None:
    """Four corners (4, 2) around a convex outline (N, 2): sides go, the one whose loss adds least area first.

    None where the outline has fewer than four corners or no such quad exists.
    """
    ring = list(hull)
    if _signed_area(np.array(ring)) < 0:
        ring.reverse()
    while len(ring) > 4:
        best: tuple[float, int, Floats] | None = None
        for i in range(len(ring)):
            a, b, c, d = (ring[(i + k) % len(ring)] for k in range(4))
            meeting = _meeting(a, b, d, c)
            if meeting is None:
                continue
            added = abs(_signed_area(np.array([b, meeting, c])))
            if best is None or added < best[0]:
                best = added, i, meeting
        if best is None:
            return None
        _, i, meeting = best
        first, second = (i + 1) % len(ring), (i + 2) % len(ring)
        ring[first] = meeting
        del ring[second]
    return np.array(ring) if len(ring) == 4 else None


def _meeting(a: Floats, b: Floats, d: Floats, c: Floats) -> Floats | None:
    """Where the line from a through b meets the one from d through c, beyond b and c; None where they do not."""
    one, other = b - a, c - d
    turn = one[0] * other[1] - one[1] * other[0]
    if abs(turn) < 1e-9:
        return None
    t = ((d - a)[0] * other[1] - (d - a)[1] * other[0]) / turn
    u = ((d - a)[0] * one[1] - (d - a)[1] * one[0]) / turn
    return np.asarray(a + t * one, np.float64) if t >= 1 and u >= 1 else None


def _signed_area(ring: Floats) -> float:
    x, y = ring[:, 0], ring[:, 1]
    return float(np.sum(x * np.roll(y, -1) - y * np.roll(x, -1)) / 2)
