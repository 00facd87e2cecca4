"""Things on a table that are no tiles: keyboards, print, cards, cups, boxes, hands.

Flat things are textures laid on the table; hands are drawn over everything and cover what lies below.
"""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

from vision.render.fonts import TRAINING_FONTS, available_fonts, word_mask
from vision.render.palettes import from_hsv

Image = npt.NDArray[np.uint8]
Mask = npt.NDArray[np.uint8]

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"


def _font(rng: np.random.Generator) -> str | None:
    installed = available_fonts(TRAINING_FONTS)
    return str(rng.choice(list(installed))) if installed else None


def _print_word(picture: Image, text: str, font: str | None, x: int, y: int, height: int, ink: np.ndarray) -> None:
    mask = word_mask(font, text)
    width = max(2, round(mask.shape[1] * height / mask.shape[0]))
    small = cv2.resize(mask, (width, max(2, height)), interpolation=cv2.INTER_AREA)
    bottom, right = min(picture.shape[0], y + small.shape[0]), min(picture.shape[1], x + width)
    if bottom <= y or right <= x:
        return
    share = small[: bottom - y, : right - x, None]
    patch = picture[y:bottom, x:right]
    picture[y:bottom, x:right] = (patch + (ink - patch) * share).astype(np.uint8)


def keyboard(rng: np.random.Generator) -> Image:
    """A piece of a keyboard: keys are light or dark, with letters and digits."""
    rows, columns, key = int(rng.integers(2, 5)), int(rng.integers(3, 9)), 40
    light = rng.random() < 0.6
    base = np.asarray(from_hsv(rng.uniform(0, 360), 0.05, rng.uniform(0.1, 0.8)), np.float32)
    cap = np.asarray(from_hsv(rng.uniform(20, 240), rng.uniform(0, 0.12), rng.uniform(0.75, 1) if light else 0.15))
    ink = np.asarray((40.0, 40.0, 40.0) if light else (230.0, 230.0, 230.0))
    picture = np.empty((rows * key, columns * key, 3), np.uint8)
    picture[:] = base.astype(np.uint8)
    font = _font(rng)
    gap = int(rng.integers(2, 6))
    for row in range(rows):
        for column in range(columns):
            x, y = column * key, row * key
            cv2.rectangle(picture, (x + gap, y + gap), (x + key - gap, y + key - gap), cap.tolist(), -1)
            _print_word(picture, str(rng.choice(list(_LETTERS))), font, x + 9, y + 9, int(rng.integers(9, 18)), ink)
    return picture


def paper(rng: np.random.Generator) -> Image:
    """A score pad or booklet with lines of text, sometimes large numbers."""
    height, width = int(rng.integers(80, 220)), int(rng.integers(80, 220))
    picture = np.empty((height, width, 3), np.uint8)
    picture[:] = np.asarray(from_hsv(rng.uniform(20, 230), rng.uniform(0, 0.2), rng.uniform(0.7, 1))).astype(np.uint8)
    ink, font = np.asarray(from_hsv(rng.uniform(0, 360), rng.random(), rng.uniform(0, 0.6))), _font(rng)
    y = 6
    while y < height - 8:
        size = int(rng.choice([6, 8, 8, 12, 24, 40]))
        text = "".join(rng.choice(list(_LETTERS), int(rng.integers(2, 9))))
        _print_word(picture, text, font, int(rng.integers(2, 30)), y, size, ink)
        y += int(size * 1.6)
    return picture


def box_lid(rng: np.random.Generator) -> Image:
    """A printed lid: strong colours, one large coloured numeral or word without a tile's body around it."""
    height, width = int(rng.integers(90, 220)), int(rng.integers(90, 260))
    picture = np.empty((height, width, 3), np.uint8)
    picture[:] = np.asarray(from_hsv(rng.uniform(0, 360), rng.uniform(0.3, 1), rng.uniform(0.3, 0.95))).astype(np.uint8)
    for _ in range(int(rng.integers(1, 5))):
        text = str(rng.integers(1, 14)) if rng.random() < 0.6 else "".join(rng.choice(list(_LETTERS), 5))
        ink = np.asarray(from_hsv(rng.uniform(0, 360), rng.uniform(0, 1), rng.uniform(0.2, 1)))
        x, y = int(rng.integers(0, width - 20)), int(rng.integers(0, height - 20))
        _print_word(picture, text, _font(rng), x, y, int(rng.integers(20, 80)), ink)
    return picture


def blank_card(rng: np.random.Generator) -> Image:
    """A plain light rectangle that is much longer or wider than a tile: a card, an eraser, a slip."""
    picture = np.empty((60, int(rng.choice([24, 120, 160, 200])), 3), np.uint8)
    picture[:] = np.asarray(from_hsv(rng.uniform(0, 360), rng.uniform(0, 0.5), rng.uniform(0.5, 1))).astype(np.uint8)
    return picture


def domino(rng: np.random.Generator) -> Image:
    """A domino: two squares of pips on a light or black stone."""
    side = 48
    light = rng.random() < 0.6
    stone = from_hsv(rng.uniform(20, 60), rng.uniform(0, 0.2), rng.uniform(0.8, 1) if light else rng.uniform(0.05, 0.2))
    pips = (30.0, 30.0, 30.0) if light else (235.0, 235.0, 235.0)
    picture = np.empty((2 * side, side, 3), np.uint8)
    picture[:] = np.asarray(stone).astype(np.uint8)
    cv2.line(picture, (6, side), (side - 6, side), pips, 2, cv2.LINE_AA)
    places = [(0, 0), (1, 1), (-1, -1), (1, -1), (-1, 1), (-1, 0), (1, 0)]
    for half in (0, 1):
        count = int(rng.integers(0, 7))
        for x, y in places[1 - count % 2 :][:count]:
            centre = (side // 2 + 13 * x, half * side + side // 2 + 13 * y)
            cv2.circle(picture, centre, 5, pips, -1, cv2.LINE_AA)
    return picture


def playing_card(rng: np.random.Generator) -> Image:
    """A playing card: rank and sign in two corners, large signs in the middle."""
    width, height = 90, 130
    picture = np.empty((height, width, 3), np.uint8)
    picture[:] = np.asarray(from_hsv(45, rng.uniform(0, 0.08), rng.uniform(0.88, 1))).astype(np.uint8)
    ink = np.asarray(from_hsv(rng.uniform(350, 365), 0.85, 0.8) if rng.random() < 0.5 else (25.0, 25.0, 25.0))
    font, rank = _font(rng), str(rng.choice(["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"]))
    _print_word(picture, rank, font, 7, 7, 17, ink)
    cv2.circle(picture, (13, 33), 6, ink.tolist(), -1, cv2.LINE_AA)
    picture = np.ascontiguousarray(np.maximum(0, np.minimum(picture, picture[::-1, ::-1])))
    for _ in range(int(rng.integers(1, 11))):
        spot = (int(rng.choice([28, 45, 62])), int(rng.integers(28, 102)))
        cv2.circle(picture, spot, int(rng.integers(6, 12)), ink.tolist(), -1, cv2.LINE_AA)
    return picture


FLAT_THINGS = (keyboard, keyboard, paper, box_lid, blank_card, domino, playing_card)


def hand(
    rng: np.random.Generator, height: int, width: int, reach: tuple[float, float], scale_px: float
) -> tuple[Image, Mask]:
    """A hand with sleeve reaching from outside the picture to ``reach`` (x, y); ``scale_px`` is a tile's height.

    Returns BGR uint8 (h, w, 3) and its alpha uint8 (h, w).
    """
    skin = np.asarray(from_hsv(rng.uniform(8, 28), rng.uniform(0.2, 0.65), rng.uniform(0.3, 0.98)), np.float32)
    picture = np.empty((height, width, 3), np.uint8)
    picture[:] = skin.astype(np.uint8)
    alpha = np.zeros((height, width), np.uint8)
    angle = rng.uniform(0, 2 * np.pi)
    along = np.array([np.cos(angle), np.sin(angle)])
    across = np.array([-along[1], along[0]])
    tip = np.array(reach)
    finger = scale_px * rng.uniform(0.30, 0.5)
    palm = tip + along * scale_px * rng.uniform(1.4, 2.2)
    for k in range(int(rng.integers(1, 5))):
        start = tip + across * finger * (k - 1) * rng.uniform(0.8, 1.3) + along * rng.uniform(0, 0.7) * scale_px
        knuckle = palm + across * finger * (k - 1.5) * 0.9
        _capsule(alpha, start, knuckle, finger)
    _capsule(alpha, palm, palm + along * scale_px * 1.5, scale_px * 1.5)
    sleeve = np.zeros_like(alpha)
    _capsule(sleeve, palm + along * scale_px * 2.2, palm + along * 40 * scale_px, scale_px * 1.9)
    shade = cv2.GaussianBlur(alpha, (0, 0), max(0.8, finger * 0.25)).astype(np.float32) / 255
    picture = (picture * (0.55 + 0.45 * shade[..., None])).astype(np.uint8)
    cloth = np.asarray(from_hsv(rng.uniform(0, 360), rng.uniform(0, 0.9), rng.uniform(0.1, 0.95)), np.float32)
    picture[sleeve > 0] = cloth.astype(np.uint8)
    return picture, np.maximum(alpha, sleeve)


def _capsule(mask: Mask, start: npt.NDArray[np.float64], end: npt.NDArray[np.float64], thick: float) -> None:
    def clip(point: npt.NDArray[np.float64]) -> tuple[int, int]:
        return int(np.clip(point[0], -9999, 9999)), int(np.clip(point[1], -9999, 9999))

    cv2.line(mask, clip(start), clip(end), 255, max(1, round(thick)), cv2.LINE_AA)
    cv2.circle(mask, clip(start), max(1, round(thick / 2)), 255, -1, cv2.LINE_AA)
