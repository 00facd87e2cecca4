"""Joker faces, drawn from lines: a smile, sun, clown, star, the bare word, a crown, and the special jokers of Twist."""

from __future__ import annotations

from enum import StrEnum
from functools import lru_cache

import cv2
import numpy as np
import numpy.typing as npt

from vision.render.fonts import word_mask

SIZE = 160
Mask = npt.NDArray[np.float32]
_CENTRE = SIZE // 2


class JokerFace(StrEnum):
    """Which drawing a box puts on its jokers."""

    SMILE = "smile"
    SUN = "sun"
    CLOWN = "clown"
    STAR = "star"
    WORD = "word"
    CROWN = "crown"
    DOUBLE = "double"
    """Stands for two tiles: two faces, or a face with a 2."""
    CHANGE = "change"
    """Joins two colours: arrows in a circle, or a face of two halves."""
    MIRROR = "mirror"
    """Two profiles or arrows that look at each other across a line."""


@lru_cache(maxsize=512)
def joker_mask(face: JokerFace, seed: int) -> Mask:
    """One joker drawing as float32 mask (SIZE, SIZE), 0 to 1; ``seed`` varies strokes and features."""
    rng = np.random.default_rng(seed)
    canvas = np.zeros((SIZE, SIZE), np.uint8)
    stroke = int(rng.integers(4, 10))
    if face is JokerFace.WORD:
        word = word_mask(None, str(rng.choice(["JOKER", "Joker", "JOLLY", "joker"])))
        fitted = cv2.resize(word, (SIZE - 16, int(rng.integers(46, 96))), interpolation=cv2.INTER_AREA)
        result = np.zeros((SIZE, SIZE), np.float32)
        top = (SIZE - fitted.shape[0]) // 2
        result[top : top + fitted.shape[0], 8 : SIZE - 8] = fitted
        return result
    if face is JokerFace.STAR:
        _star(canvas, int(rng.integers(5, 9)), 74, int(rng.integers(26, 46)), -1 if rng.random() < 0.6 else stroke)
        return canvas.astype(np.float32) / 255.0
    if face in _SPECIAL:
        _SPECIAL[face](canvas, rng, stroke)
        return canvas.astype(np.float32) / 255.0
    radius = 72 if face is JokerFace.SMILE else 50
    centre = (_CENTRE, _CENTRE + (16 if face is JokerFace.CLOWN else 0))
    if face is JokerFace.SUN:
        _rays(canvas, rng, stroke)
    if face is JokerFace.CLOWN:
        _jester_hat(canvas, rng, stroke)
    filled = rng.random() < 0.18
    cv2.circle(canvas, centre, radius, 255, -1 if filled else stroke, cv2.LINE_AA)
    features = np.zeros_like(canvas)
    _features(features, rng, centre, radius, max(3, stroke - 2))
    drawn = cv2.subtract(canvas, features) if filled else cv2.max(canvas, features)
    return drawn.astype(np.float32) / 255.0


@lru_cache(maxsize=64)
def second_ink_area(seed: int) -> Mask:
    """Where a joker of two inks wears the second, float32 mask (SIZE, SIZE): a half, the middle, or the rim."""
    rows, columns = np.mgrid[0:SIZE, 0:SIZE].astype(np.float32) - _CENTRE
    distance = np.hypot(rows, columns)
    areas = (columns > 0, rows > 0, distance < 46, distance > 58, rows + columns > 0)
    return np.asarray(areas[seed % len(areas)], np.float32)


def _crown(canvas: npt.NDArray[np.uint8], rng: np.random.Generator, stroke: int) -> None:
    points = int(rng.integers(3, 6))
    top, dip, base = int(rng.integers(18, 40)), int(rng.integers(74, 96)), 138
    xs = np.linspace(14, 146, 2 * points - 1)
    crest = [(int(x), top if k % 2 == 0 else dip) for k, x in enumerate(xs)]
    outline = np.array([(14, base), *crest, (146, base)], np.int32)
    if rng.random() < 0.5:
        cv2.fillPoly(canvas, [outline], 255, cv2.LINE_AA)
    else:
        cv2.polylines(canvas, [outline], True, 255, stroke, cv2.LINE_AA)
    for x, y in crest[::2]:
        cv2.circle(canvas, (x, y), 8, 255, -1, cv2.LINE_AA)


def _double(canvas: npt.NDArray[np.uint8], rng: np.random.Generator, stroke: int) -> None:
    thin = max(3, stroke - 3)
    if rng.random() < 0.5:
        for x, y in ((48, 58), (112, 102)) if rng.random() < 0.5 else ((46, 80), (114, 80)):
            cv2.circle(canvas, (x, y), 40, 0, -1)
            cv2.circle(canvas, (x, y), 40, 255, thin, cv2.LINE_AA)
            _features(canvas, rng, (x, y), 40, thin)
        return
    cv2.circle(canvas, (_CENTRE, 62), 48, 255, thin, cv2.LINE_AA)
    _features(canvas, rng, (_CENTRE, 62), 48, thin)
    _word_at(canvas, str(rng.choice(["x2", "2", "2x", "1+1"])), 114, 154)


def _word_at(canvas: npt.NDArray[np.uint8], text: str, top: int, bottom: int) -> None:
    word = word_mask(None, text)
    width = min(SIZE - 20, round(word.shape[1] * (bottom - top) / word.shape[0]))
    fitted = cv2.resize(word, (width, bottom - top), interpolation=cv2.INTER_AREA)
    left = (SIZE - width) // 2
    canvas[top:bottom, left : left + width] = np.maximum(
        canvas[top:bottom, left : left + width], (fitted * 255).astype(np.uint8)
    )


def _change(canvas: npt.NDArray[np.uint8], rng: np.random.Generator, stroke: int) -> None:
    if rng.random() < 0.4:
        cv2.circle(canvas, (_CENTRE, _CENTRE), 70, 255, stroke, cv2.LINE_AA)
        features = np.zeros_like(canvas)
        _features(features, rng, (_CENTRE, _CENTRE), 70, stroke)
        half = np.zeros_like(canvas)
        cv2.ellipse(half, (_CENTRE, _CENTRE), (70, 70), 90, 0, 180, 255, -1)
        canvas[:] = np.where(half > 0, cv2.subtract(np.full_like(canvas, 255), features), cv2.max(canvas, features))
        return
    arrows = int(rng.integers(2, 5))
    radius, span = int(rng.integers(48, 60)), 360 / arrows
    for k in range(arrows):
        start = k * span + 20
        cv2.ellipse(canvas, (_CENTRE, _CENTRE), (radius, radius), 0, start, start + span - 50, 255, stroke, cv2.LINE_AA)
        end = np.radians(start + span - 50)
        tip = np.radians(start + span - 22)
        corners = [(radius + 17) * _unit(end), (radius - 17) * _unit(end), radius * _unit(tip)]
        cv2.fillPoly(canvas, [np.round(np.array(corners) + _CENTRE).astype(np.int32)], 255, cv2.LINE_AA)
    if rng.random() < 0.5:
        _features(canvas, rng, (_CENTRE, _CENTRE), radius - 14, max(3, stroke - 3))


def _mirror(canvas: npt.NDArray[np.uint8], rng: np.random.Generator, stroke: int) -> None:
    left = np.zeros_like(canvas)
    kind = rng.random()
    if kind < 0.4:  # profiles
        cv2.ellipse(left, (4, _CENTRE), (46, 66), 0, -90, 90, 255, stroke, cv2.LINE_AA)
        nose = np.array([(48, 68), (62, 88), (46, 92)], np.int32)
        cv2.polylines(left, [nose], False, 255, stroke, cv2.LINE_AA)
        cv2.circle(left, (28, 62), 6, 255, -1, cv2.LINE_AA)
        cv2.ellipse(left, (40, 112), (16, 8), 0, 90, 200, 255, max(3, stroke - 2), cv2.LINE_AA)
    elif kind < 0.7:  # arrows
        cv2.arrowedLine(left, (10, 80), (64, 80), 255, stroke, cv2.LINE_AA, tipLength=0.5)
    else:
        corners = np.array([(10, 28), (64, 80), (10, 132)], np.int32)
        cv2.fillPoly(left, [corners], 255, cv2.LINE_AA)
    cv2.max(left, left[:, ::-1].copy(), dst=canvas)
    if rng.random() < 0.7:
        cv2.line(canvas, (_CENTRE, 12), (_CENTRE, 148), 255, max(3, stroke - 2), cv2.LINE_AA)


def _unit(angle: float) -> npt.NDArray[np.float64]:
    return np.array([np.cos(angle), np.sin(angle)])


_SPECIAL = {
    JokerFace.CROWN: _crown,
    JokerFace.DOUBLE: _double,
    JokerFace.CHANGE: _change,
    JokerFace.MIRROR: _mirror,
}


def _star(canvas: npt.NDArray[np.uint8], points: int, outer: int, inner: int, stroke: int) -> None:
    angles = np.pi * np.arange(2 * points) / points - np.pi / 2
    radii = np.where(np.arange(2 * points) % 2 == 0, outer, inner)
    corners = np.stack([_CENTRE + radii * np.cos(angles), _CENTRE + radii * np.sin(angles)], 1).astype(np.int32)
    if stroke < 0:
        cv2.fillPoly(canvas, [corners], 255, cv2.LINE_AA)
    else:
        cv2.polylines(canvas, [corners], True, 255, stroke, cv2.LINE_AA)


def _rays(canvas: npt.NDArray[np.uint8], rng: np.random.Generator, stroke: int) -> None:
    count = int(rng.integers(8, 17))
    for angle in 2 * np.pi * np.arange(count) / count:
        near, far = 56, int(rng.integers(68, 78))
        start = (int(_CENTRE + near * np.cos(angle)), int(_CENTRE + near * np.sin(angle)))
        end = (int(_CENTRE + far * np.cos(angle)), int(_CENTRE + far * np.sin(angle)))
        cv2.line(canvas, start, end, 255, stroke, cv2.LINE_AA)


def _jester_hat(canvas: npt.NDArray[np.uint8], rng: np.random.Generator, stroke: int) -> None:
    tips = [(int(x), int(rng.integers(6, 28))) for x in (18, 80, 142)]
    base = [(36, 62), (66, 48), (94, 48), (124, 62)]
    outline = np.array([base[0], tips[0], base[1], tips[1], base[2], tips[2], base[3]], np.int32)
    if rng.random() < 0.5:
        cv2.fillPoly(canvas, [outline], 255, cv2.LINE_AA)
    else:
        cv2.polylines(canvas, [outline], True, 255, stroke, cv2.LINE_AA)
    for tip in tips:
        cv2.circle(canvas, tip, 7, 255, -1, cv2.LINE_AA)


def _features(
    canvas: npt.NDArray[np.uint8], rng: np.random.Generator, centre: tuple[int, int], radius: int, stroke: int
) -> None:
    """Eyes, brows, nose and mouth inside a circle."""
    x, y = centre
    eye_dx, eye_y = int(radius * rng.uniform(0.30, 0.42)), y - int(radius * rng.uniform(0.12, 0.30))
    for side in (-1, 1):
        if rng.random() < 0.5:
            cv2.circle(canvas, (x + side * eye_dx, eye_y), max(3, int(radius * 0.10)), 255, -1, cv2.LINE_AA)
        else:
            axes = (int(radius * 0.19), int(radius * 0.11))
            cv2.ellipse(canvas, (x + side * eye_dx, eye_y), axes, 0, 0, 360, 255, max(2, stroke - 1), cv2.LINE_AA)
            cv2.circle(canvas, (x + side * eye_dx, eye_y), max(2, int(radius * 0.06)), 255, -1, cv2.LINE_AA)
        brow = (int(radius * 0.24), int(radius * 0.14))
        cv2.ellipse(
            canvas, (x + side * eye_dx, eye_y - int(radius * 0.16)), brow, 0, 200, 340, 255, stroke, cv2.LINE_AA
        )
    nose = rng.random()
    if nose < 0.4:
        cv2.circle(canvas, (x, y + int(radius * 0.08)), max(3, int(radius * 0.11)), 255, -1, cv2.LINE_AA)
    elif nose < 0.8:
        points = np.array([(x, y - 8), (x - int(radius * 0.1), y + 14), (x + int(radius * 0.1), y + 14)], np.int32)
        cv2.polylines(canvas, [points], bool(rng.random() < 0.5), 255, max(2, stroke - 1), cv2.LINE_AA)
    mouth = (int(radius * rng.uniform(0.40, 0.62)), int(radius * rng.uniform(0.22, 0.42)))
    cv2.ellipse(canvas, (x, y + int(radius * 0.26)), mouth, 0, 15, 165, 255, stroke, cv2.LINE_AA)
    if rng.random() < 0.6:
        lip = (mouth[0], max(3, mouth[1] // 2))
        cv2.ellipse(canvas, (x, y + int(radius * 0.26)), lip, 0, 15, 165, 255, max(2, stroke - 1), cv2.LINE_AA)
