"""Whole cards that lie apart: light rounded rectangles on a darker or other-coloured table, in perspective.

No index is looked at; what is found may lie either way up, since a card looks the same from both sides.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

Image = NDArray[np.uint8]
Quads = NDArray[np.float32]

WORK_SIDE = 1400
"""Outlines are looked for in a picture of at most this many pixels along its longer side."""
LEVELS = 10
"""So many thresholds of lightness are tried; each card is kept at the one where it is most like a rectangle."""
SMALLEST, LARGEST = 0.0008, 0.25
"""Area of a card in shares of the picture."""
NARROWEST, WIDEST = 0.42, 0.95
"""Width over height of a card as it is seen, tilted by up to 50°."""
LEAST_LIGHT = 0.6
"""Lightness over the median one: a gap between cards is no card."""
FULLEST_MISS = 0.10
"""Share of the quad that the light region may lack (its rounded corners) or exceed."""
BLOCK_SIDE = 1000
BLOCK_SOLID, BLOCK_FILL = 0.93, 0.78
"""Area of a block of cards over that of its hull and of the smallest rectangle around it, seen askew."""
BLOCK_DARKER = 0.8
"""Lightness of the table around a block of cards over the cards'."""
BLOCK_COMMON = 0.2
USUAL_SIZE = (0.45, 2.2)
"""Area over the median one: all cards of a deck are equal, and nearer ones look larger."""


def find_outlines(image: Image) -> Quads:
    """Quads float32 (N, 4, 2) of whole cards in a picture uint8 (H, W, 3) BGR, in its pixels.

    Corners clockwise: top-left, top-right, bottom-right, bottom-left of the card standing upright, its long sides up;
    of the two ways up the one nearer to the picture's.
    """
    scale = min(1.0, WORK_SIDE / max(image.shape[:2]))
    small = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA) if scale < 1 else image
    found: list[tuple[float, NDArray[np.float32]]] = []
    for channel in _lightness(np.asarray(small, np.uint8)):
        low, high = np.percentile(channel, (5, 99.5))
        for level in np.linspace(low, high, LEVELS + 2)[1:-1]:
            found.extend(_rectangles((channel > level).astype(np.uint8)))
    found.sort(key=lambda one: one[0])
    kept: list[NDArray[np.float32]] = []
    for _, quad in found:
        if not any(_overlap(quad, other) > 0.3 for other in kept):
            kept.append(quad)
    quads = np.array(kept, np.float32).reshape(-1, 4, 2)
    if len(quads):
        areas = np.array([cv2.contourArea(quad) for quad in quads])
        ratio = areas / np.median(areas)
        quads = quads[(ratio > USUAL_SIZE[0]) & (ratio < USUAL_SIZE[1])]
        light = _lightness_inside(np.asarray(small, np.uint8), quads)
        quads = quads[light > LEAST_LIGHT * np.median(light)]
    return np.asarray((quads + 0.5) / scale - 0.5, np.float32)


def find_blocks(image: Image) -> list[NDArray[np.float32]]:
    """Light blocks with straight sides in a picture uint8 (H, W, 3) BGR, such as rows of cards that lie on each other.

    Outlines float32 (K, 2) in its pixels, none upon another.  Whether they are cards has to be told by other means.
    """
    scale = min(1.0, BLOCK_SIDE / max(image.shape[:2]))
    small = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA) if scale < 1 else image
    whole = small.shape[0] * small.shape[1]
    found: list[tuple[float, NDArray[np.int32]]] = []
    for channel in _lightness(np.asarray(small, np.uint8)):
        low, high = np.percentile(channel, (5, 99.5))
        for level in np.linspace(low, high, LEVELS + 2)[1:-1]:
            contours, _ = cv2.findContours((channel > level).astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
            for contour in contours:
                area = cv2.contourArea(contour)
                x, y, wide, tall = cv2.boundingRect(contour)
                cut = min(x, y, small.shape[1] - x - wide, small.shape[0] - y - tall) <= 0
                if cut or not SMALLEST * whole < area < LARGEST * whole:
                    continue
                sides = cv2.minAreaRect(contour)[1]
                fill = area / max(sides[0] * sides[1], 1.0)
                solid = area / max(cv2.contourArea(cv2.convexHull(contour)), 1.0)
                if solid > BLOCK_SOLID and fill > BLOCK_FILL and _stands_out(channel, np.asarray(contour, np.int32)):
                    found.append((solid + fill, np.asarray(contour, np.int32)))
    found.sort(key=lambda one: -one[0])
    taken = np.zeros(small.shape[:2], np.uint8)
    kept: list[NDArray[np.float32]] = []
    for _, contour in found:
        own = np.zeros_like(taken)
        cv2.drawContours(own, [contour], 0, 255, -1)
        if cv2.countNonZero(cv2.bitwise_and(own, taken)) < BLOCK_COMMON * cv2.countNonZero(own):
            taken |= own
            kept.append(np.asarray((contour[:, 0] + 0.5) / scale - 0.5, np.float32))
    return kept


def _stands_out(channel: Image, contour: NDArray[np.int32]) -> bool:
    """Whether a block is clearly lighter than a band around it, on all sides: a lit patch of the table fades away."""
    x, y, wide, tall = cv2.boundingRect(contour)
    band = max(4, round(0.06 * min(wide, tall)))
    left, top = max(0, x - 2 * band), max(0, y - 2 * band)
    window = channel[top : y + tall + 2 * band, left : x + wide + 2 * band]
    inside = np.zeros(window.shape, np.uint8)
    cv2.drawContours(inside, [contour - np.array([left, top], np.int32)], 0, 255, -1)
    kernel = np.ones((3, 3), np.uint8)
    near = cv2.dilate(inside, kernel, iterations=2)
    around = cv2.bitwise_and(cv2.dilate(near, kernel, iterations=band), cv2.bitwise_not(near))
    within = cv2.bitwise_and(
        cv2.erode(inside, kernel, iterations=2), 255 - cv2.erode(inside, kernel, iterations=2 + band)
    )
    if not around.any() or not within.any():
        return False
    # print darkens a part of a card, and another card may lie next to it: neither is what is usual
    light = np.percentile(window[within > 0], 40)
    return bool(np.percentile(window[around > 0], 85) < BLOCK_DARKER * light)


def _lightness(image: Image) -> tuple[Image, ...]:
    """Two views in which a card stands out: the least channel (colour of the table), and that over its surroundings."""
    least = np.ascontiguousarray(image.min(axis=2))
    filled = cv2.morphologyEx(least, cv2.MORPH_CLOSE, np.ones((5, 5), np.uint8))  # thin print does not cut a card
    surrounding = cv2.blur(filled, (max(3, max(image.shape[:2]) // 3) | 1,) * 2)
    even = cv2.divide(filled, np.maximum(surrounding, 16), scale=120)
    return np.asarray(filled, np.uint8), np.asarray(even, np.uint8)


def _lightness_inside(image: Image, quads: Quads) -> NDArray[np.float64]:
    """Median over each quad (N,) of its pixels' least channel."""
    least = image.min(axis=2)
    light = np.zeros(len(quads))
    for k, quad in enumerate(quads):
        mask = np.zeros(least.shape, np.uint8)
        cv2.fillConvexPoly(mask, np.round(quad).astype(np.int32), 1)
        light[k] = np.median(least[mask > 0]) if mask.any() else 0
    return light


def _rectangles(mask: Image) -> list[tuple[float, NDArray[np.float32]]]:
    """Card-like outlines of a mask with how unlike a rectangle each is."""
    contours, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    whole = mask.shape[0] * mask.shape[1]
    found = []
    for contour in contours:
        area = cv2.contourArea(contour)
        x, y, wide, tall = cv2.boundingRect(contour)
        cut = min(x, y, mask.shape[1] - x - wide, mask.shape[0] - y - tall) <= 0
        if cut or not SMALLEST * whole < area < LARGEST * whole:
            continue
        quad = _four_sides(np.asarray(contour, np.int32))
        if quad is None:
            continue
        quad_area = cv2.contourArea(quad)
        miss = abs(1 - area / max(quad_area, 1.0)) + abs(1 - quad_area / cv2.contourArea(cv2.convexHull(contour)))
        if miss < FULLEST_MISS and NARROWEST < _slimness(quad) < WIDEST:
            found.append((miss, _upright(quad)))
    return found


def _four_sides(contour: NDArray[np.int32]) -> NDArray[np.float32] | None:
    """The corners where lines along the middle of a contour's four sides meet, or None if it has not four sides."""
    hull = cv2.convexHull(contour)
    length = cv2.arcLength(hull, True)
    for tolerance in (0.03, 0.05, 0.07):
        rough = cv2.approxPolyDP(hull, tolerance * length, True)
        if len(rough) == 4:
            break
    else:
        return None
    corners = rough[:, 0].astype(np.float64)
    points = contour[:, 0].astype(np.float64)
    lines = []
    for start, end in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        way = end - start
        reach = float(np.hypot(*way))
        if reach < 6:
            return None
        along = (points - start) @ way / reach**2
        off = np.abs((points - start) @ np.array([-way[1], way[0]])) / reach
        side = points[(along > 0.2) & (along < 0.8) & (off < max(2.0, 0.06 * reach))]
        if len(side) < 4:
            return None
        vx, vy, x, y = (float(v) for v in cv2.fitLine(side.astype(np.float32), cv2.DIST_HUBER, 0, 0.01, 0.01).ravel())
        lines.append(np.array([-vy, vx, vy * x - vx * y]))
    crossings = [np.cross(before, line) for before, line in zip(np.roll(lines, 1, axis=0), lines, strict=True)]
    if any(abs(point[2]) < 1e-9 for point in crossings):
        return None
    quad = np.array([point[:2] / point[2] for point in crossings], np.float32)
    return quad if cv2.isContourConvex(quad) else None


def _slimness(quad: NDArray[np.float32]) -> float:
    """Shorter over longer side."""
    sides = np.linalg.norm(np.roll(quad, -1, axis=0) - quad, axis=1)
    one, other = sides[0] + sides[2], sides[1] + sides[3]
    return float(min(one, other) / max(one, other))


def _upright(quad: NDArray[np.float32]) -> NDArray[np.float32]:
    """The quad clockwise from its top-left corner, long sides upright, of both ways the one nearer to the picture's."""
    if cv2.contourArea(quad, oriented=True) < 0:
        quad = quad[::-1]
    sides = np.linalg.norm(np.roll(quad, -1, axis=0) - quad, axis=1)
    if sides[0] + sides[2] > sides[1] + sides[3]:
        quad = np.roll(quad, 1, axis=0)
    down = quad[3] - quad[0] + quad[2] - quad[1]
    if (down[1], down[0]) < (0, 0):
        quad = np.roll(quad, 2, axis=0)
    return np.ascontiguousarray(quad)


def _overlap(a: NDArray[np.float32], b: NDArray[np.float32]) -> float:
    """Common area over the smaller one."""
    if np.linalg.norm(a.mean(0) - b.mean(0)) > np.linalg.norm(a[0] - a[2]):
        return 0.0
    common = cv2.intersectConvexConvex(a, b)[0]
    return float(common / max(min(cv2.contourArea(a), cv2.contourArea(b)), 1e-6))
