"""Card ground that no card explains: the end of a row whose last card shows no index that could be read.

A card's ground is known from the cards that were read; where the table looks just like it, nothing can be said.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.cards.assemble import Cards
from vision.cards.frame import CARD_ASPECT

Image = NDArray[np.uint8]
Floats = NDArray[np.float64]

WORK_SIDE = 900
LEAST_STRIP, MOST_CARDS = 0.14, 1.6
"""Area of unexplained ground in card areas: less is a shadow or a rim, more is the table."""
SLACK = 0.07
"""Part of a card's sides by which its place may be wrong."""
NARROWEST = 0.10
"""Least width of unexplained ground, in card heights."""
SLIMMEST_BLOCK, BROADEST_BLOCK = 0.45, 1.7
"""Breadth of a row or column of cards over the height of a card, as it is seen from one side and askew."""
LEAST_BLOCK = 0.25
"""Area of what no card explains of such a row, in card areas."""
ALIKE = 16.0
"""Largest difference to the ground of the nearest card, 0 to 255, in lightness and in colour."""


def bare_ground(image: Image, cards: Cards) -> NDArray[np.float32]:
    """Quads float32 (M, 4, 2) of ground in a picture uint8 (H, W, 3) BGR that looks like the cards' and lies on none.

    Pixels of the picture, corners clockwise.  Empty where no card was read.
    """
    if not len(cards):
        return np.zeros((0, 4, 2), np.float32)
    scale = min(1.0, WORK_SIDE / max(image.shape[:2]))
    size = (round(image.shape[1] * scale), round(image.shape[0] * scale))
    height_px = float(np.median(cards.height)) * scale
    small = cv2.resize(image, size, interpolation=cv2.INTER_AREA)
    filled = cv2.morphologyEx(small, cv2.MORPH_CLOSE, np.ones((max(3, round(height_px / 14)) | 1,) * 2, np.uint8))
    lab = cv2.cvtColor(filled, cv2.COLOR_BGR2LAB).astype(np.float32)
    explained = np.zeros(size[::-1], np.uint8)
    for x in _full_quads(cards):
        cv2.fillConvexPoly(explained, np.round((x + 0.5) * scale - 0.5).astype(np.int32), 255)
    ground = _like_cards(lab, cards, scale)
    open_ground = cv2.bitwise_and(ground, cv2.bitwise_not(explained))
    kernel = np.ones((max(3, round(NARROWEST * height_px)),) * 2, np.uint8)
    open_ground = cv2.morphologyEx(open_ground, cv2.MORPH_OPEN, kernel)
    card_area = float(np.median(np.abs(np.linalg.det(cards.axes)))) * scale**2
    near = cv2.dilate(explained, np.ones((max(3, round(0.06 * height_px)) | 1,) * 2, np.uint8))
    contours, _ = cv2.findContours(open_ground, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    quads = []
    for contour in contours:
        share = cv2.contourArea(contour) / card_area
        x, y, wide, tall = cv2.boundingRect(contour)
        rim = len(kernel)
        at_rim = min(x, y, size[0] - x - wide, size[1] - y - tall) < rim
        beside = near[contour[:, 0, 1], contour[:, 0, 0]].any()
        if LEAST_STRIP < share < MOST_CARDS and beside and not at_rim:
            quads.append((cv2.boxPoints(cv2.minAreaRect(contour)) + 0.5) / scale - 0.5)
    return np.asarray(quads, np.float32).reshape(-1, 4, 2)


def unread_blocks(
    blocks: Sequence[NDArray[np.float32]], cards: Cards, outlines: NDArray[np.float32], size: tuple[int, int]
) -> NDArray[np.float32]:
    """Quads float32 (M, 4, 2) around what no card explains of light blocks (K, 2) that are as broad as cards.

    ``outlines`` (N, 4, 2) are told as unread already; ``size`` is the picture's width and height in pixels.  Where no
    card was read at all, every block counts: with a deck taught, what looks like a row of cards is not nothing.
    """
    scale = min(1.0, WORK_SIDE / max(size))
    explained = np.zeros((round(size[1] * scale), round(size[0] * scale)), np.uint8)
    for quad in (*_full_quads(cards), *outlines):
        cv2.fillConvexPoly(explained, np.round((quad + 0.5) * scale - 0.5).astype(np.int32), 255)
    quads = []
    for block in blocks:
        own = np.zeros_like(explained)
        cv2.drawContours(own, [np.round((block + 0.5) * scale - 0.5).astype(np.int32)[:, None]], 0, 255, -1)
        across = min(cv2.minAreaRect(block)[1]) * scale
        tall = float(cards.height[_nearest_to(block.mean(axis=0), cards)]) * scale if len(cards) else across
        if not SLIMMEST_BLOCK * tall < across < BROADEST_BLOCK * tall:
            continue
        kernel = np.ones((max(3, round(NARROWEST * tall)),) * 2, np.uint8)
        left = cv2.morphologyEx(cv2.bitwise_and(own, cv2.bitwise_not(explained)), cv2.MORPH_OPEN, kernel)
        contours, _ = cv2.findContours(left, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
        quads += [
            (cv2.boxPoints(cv2.minAreaRect(contour)) + 0.5) / scale - 0.5
            for contour in contours
            if cv2.contourArea(contour) > LEAST_BLOCK * CARD_ASPECT * tall**2
        ]
    return np.asarray(quads, np.float32).reshape(-1, 4, 2)


def _nearest_to(point: NDArray[np.floating], cards: Cards) -> int:
    return int(np.linalg.norm(cards.centre - point, axis=1).argmin())


def _full_quads(cards: Cards) -> Floats:
    """Every card with its covered part (N, 4, 2), a little larger than it was measured."""
    low, high = -SLACK, 1 + SLACK
    return np.stack([cards.at(x, y) for x, y in ((low, low), (high, low), (high, high), (low, high))], axis=1)


def _like_cards(lab: NDArray[np.float32], cards: Cards, scale: float) -> Image:
    """Where the picture (H, W, 3) looks like the ground of a card near by, as a mask uint8 (H, W)."""
    height, width = lab.shape[:2]
    alike = np.zeros((height, width), np.uint8)
    spots = np.round((cards.at(0.07, 0.35) + 0.5) * scale - 0.5).astype(int)
    for (x, y), tall in zip(spots, cards.height * scale, strict=True):
        if not (0 <= x < width and 0 <= y < height):
            continue
        reach = round(1.8 * tall)
        window = slice(max(0, y - reach), y + reach), slice(max(0, x - reach), x + reach)
        away = np.abs(lab[window] - lab[y, x])
        alike[window] |= ((away[..., 0] < ALIKE) & (away[..., 1:].max(axis=2) < ALIKE / 2)).astype(np.uint8) * 255
    return alike
