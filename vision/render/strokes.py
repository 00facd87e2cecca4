"""Digits drawn with a pen: squarish, round, stencilled thin or fat, in hands that no installed font has."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
import numpy.typing as npt

Image = npt.NDArray[np.uint8]
Line = npt.NDArray[np.float64]
"""Points (n, 2) of one stroke in a box 1 wide and 1 high, y down."""

_HEIGHT = 150
_MARGIN = 30


@dataclass(frozen=True, slots=True)
class Pen:
    """How digits are written.

    ``corner`` is the exponent of the curves: 2 draws ellipses, 6 nearly squares, 1.5 nearly diamonds.  ``stroke`` and
    ``width`` (of a digit) are shares of its height.  ``waist`` is where 3, 8, 6 and 9 are narrow, as a share of it.
    """

    corner: float = 2.0
    stroke: float = 0.14
    width: float = 0.6
    waist: float = 0.48
    one_flag: bool = True
    one_foot: bool = False
    flat_three: bool = False
    open_four: bool = False
    crossed_seven: bool = False
    straight_tail: bool = False
    """The tail of 6 and 9 is a straight line instead of a bow."""


def _bow(pen: Pen, left: float, top: float, right: float, bottom: float, start_deg: float, end_deg: float) -> Line:
    """A part of the closed curve that fills a frame; degrees run clockwise from the right."""
    turns = np.radians(np.linspace(start_deg, end_deg, 48))
    cosine, sine = np.cos(turns), np.sin(turns)
    across = np.sign(cosine) * np.abs(cosine) ** (2 / pen.corner)
    down = np.sign(sine) * np.abs(sine) ** (2 / pen.corner)
    x = (left + right) / 2 + (right - left) / 2 * across
    y = (top + bottom) / 2 + (bottom - top) / 2 * down
    return np.stack([x, y], axis=1)


def _line(*points: tuple[float, float]) -> Line:
    return np.array(points, np.float64)


def _one(pen: Pen) -> list[Line]:
    lines = [_line((0.5, 0), (0.5, 1))]
    if pen.one_flag:
        lines.append(_line((0.5, 0), (0.16, 0.24)))
    if pen.one_foot:
        lines.append(_line((0.12, 1), (0.88, 1)))
    return lines


def _three(pen: Pen) -> list[Line]:
    waist = pen.waist
    lower = _bow(pen, 0, waist - 0.04, 1, 1, -100, 155)
    if pen.flat_three:
        return [_line((0.05, 0), (0.95, 0), (0.42, waist - 0.04)), lower]
    return [_bow(pen, 0.06, 0, 0.94, waist, -155, 90), lower]


def _four(pen: Pen) -> list[Line]:
    if pen.open_four:
        return [_line((0.18, 0), (0.06, 0.62), (1, 0.62)), _line((0.74, 0.25), (0.74, 1))]
    return [_line((0.72, 1), (0.72, 0), (0, 0.70), (1, 0.70))]


def _six(pen: Pen) -> list[Line]:
    bowl = _bow(pen, 0, pen.waist - 0.08, 1, 1, 0, 360)
    if pen.straight_tail:
        return [bowl, _line((0.72, 0), (0.04, pen.waist + 0.16))]
    return [bowl, _bow(pen, 0, 0, 1, 1, 180, 318)]


def _lines(pen: Pen, digit: str) -> list[Line]:
    """The strokes of one digit."""
    waist = pen.waist
    if digit == "0":
        return [_bow(pen, 0, 0, 1, 1, 0, 360)]
    if digit == "1":
        return _one(pen)
    if digit == "2":
        bow = _bow(pen, 0.02, 0, 0.98, 0.58, -165, 35)
        return [np.concatenate([bow, _line((0, 1), (1, 1))])]
    if digit == "3":
        return _three(pen)
    if digit == "4":
        return _four(pen)
    if digit == "5":
        return [_line((0.9, 0), (0.16, 0), (0.08, waist + 0.02)), _bow(pen, 0, waist - 0.12, 1, 1, -155, 155)]
    if digit == "6":
        return _six(pen)
    if digit == "7":
        crossing = [_line((0.25, 0.52), (0.88, 0.52))] if pen.crossed_seven else []
        return [_line((0, 0), (1, 0), (0.34, 1)), *crossing]
    if digit == "8":
        return [_bow(pen, 0.06, 0, 0.94, waist, 0, 360), _bow(pen, 0, waist, 1, 1, 0, 360)]
    return [1.0 - stroke for stroke in _six(pen)]


@lru_cache(maxsize=2048)
def digit_mask(pen: Pen, digit: str) -> Image:
    """One digit as tight uint8 mask (h, w), ink 255."""
    thick = max(3, round(pen.stroke * _HEIGHT))
    canvas = np.zeros((_HEIGHT + 2 * _MARGIN, _HEIGHT + 2 * _MARGIN), np.uint8)
    reach = np.array([pen.width * _HEIGHT, _HEIGHT]) - thick
    for line in _lines(pen, digit):
        points = np.round((line * reach + _MARGIN + thick / 2) * 16).astype(np.int32)
        cv2.polylines(canvas, [points], False, 255, thick, cv2.LINE_AA, 4)
    ys, xs = np.nonzero(canvas > 40)
    return np.ascontiguousarray(canvas[ys.min() : ys.max() + 1, xs.min() : xs.max() + 1])


def random_pen(rng: np.random.Generator) -> Pen:
    """Any hand."""
    return Pen(
        corner=float(np.round(rng.choice([rng.uniform(1.7, 2.3), rng.uniform(2.3, 4.0), rng.uniform(4.0, 9.0)]), 1)),
        stroke=float(np.round(rng.uniform(0.08, 0.22), 2)),
        width=float(np.round(rng.uniform(0.46, 0.82), 2)),
        waist=float(np.round(rng.uniform(0.40, 0.54), 2)),
        one_flag=bool(rng.random() < 0.75),
        one_foot=bool(rng.random() < 0.25),
        flat_three=bool(rng.random() < 0.25),
        open_four=bool(rng.random() < 0.3),
        crossed_seven=bool(rng.random() < 0.2),
        straight_tail=bool(rng.random() < 0.35),
    )
