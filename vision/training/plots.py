"""Curves drawn as a picture: a few panels side by side, each with axes, ticks and one legend for all.

Only what reliability and risk–coverage need; drawn with Pillow, so that no plotting library is asked for.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from PIL import Image, ImageDraw, ImageFont

Point = tuple[float, float]
Scale = Callable[[float], float]
Font = ImageFont.FreeTypeFont | ImageFont.ImageFont

PANEL_W, PANEL_H = 440, 360
MARGIN_LEFT, MARGIN_RIGHT, MARGIN_TOP, MARGIN_BOTTOM = 74, 18, 40, 58
HEAD, FOOT = 46, 44
OVERSAMPLED = 2
"""Drawn so much larger and shrunk at the end: smooth lines without a drawing library."""
PAPER, INK, GRID, AXIS = (255, 255, 255), (40, 40, 40), (228, 228, 228), (120, 120, 120)
COLOURS = ((31, 90, 170), (214, 110, 20), (150, 30, 60), (40, 130, 70))


@dataclass(frozen=True, slots=True)
class Curve:
    """Points joined by a line; ``weights`` makes dots of that many pixels' radius, ``marked`` a ring with words."""

    name: str
    points: tuple[Point, ...]
    weights: tuple[float, ...] = ()
    marked: tuple[Point, str] | None = None


@dataclass(frozen=True, slots=True)
class Axis:
    """One axis: its words, its ticks with their labels, and where a value lies on it, 0 to 1."""

    label: str
    ticks: tuple[tuple[float, str], ...]
    place: Scale


@dataclass(frozen=True, slots=True)
class Panel:
    """One set of axes with its curves; ``guide`` is a thin dashed line."""

    title: str
    x: Axis
    y: Axis
    curves: tuple[Curve, ...]
    guide: tuple[Point, ...] = ()


def linear(low: float, high: float) -> Scale:
    """Places values between ``low`` and ``high`` evenly."""
    return lambda value: min(1.0, max(0.0, (value - low) / (high - low)))


def logarithmic(low: float, high: float) -> Scale:
    """Places values by their logarithm; what is below ``low`` lies on the axis."""
    return lambda value: min(1.0, math.log(max(value, low) / low) / math.log(high / low))


def log_odds(low: float, high: float) -> Scale:
    """Places probabilities by their log odds, so that 0.99 and 0.999 lie as far apart as 0.9 and 0.99."""

    def odds(p: float) -> float:
        return math.log(p / (1 - p))

    return lambda p: (odds(min(high, max(low, p))) - odds(low)) / (odds(high) - odds(low))


def draw_panels(title: str, panels: Sequence[Panel], columns: int = 2) -> Image.Image:
    """All panels in one RGB picture, with the legend of the first panel's curves below the title."""
    rows = math.ceil(len(panels) / columns)
    width, height = columns * PANEL_W, HEAD + rows * PANEL_H + FOOT
    canvas = Image.new("RGB", (OVERSAMPLED * width, OVERSAMPLED * height), PAPER)
    pen = _Pen.on(canvas, OVERSAMPLED)
    pen.text((width / 2, 24), title, 19, "mm")
    for number, panel in enumerate(panels):
        _draw_panel(pen, panel, (number % columns * PANEL_W, HEAD + number // columns * PANEL_H))
    names = [curve.name for curve in panels[0].curves]
    x = float(MARGIN_LEFT)
    for name, colour in zip(names, COLOURS, strict=False):
        pen.line([(x, height - FOOT / 2), (x + 26, height - FOOT / 2)], colour, 3)
        pen.text((x + 34, height - FOOT / 2), name, 14, "lm")
        x += 58 + pen.width_of(name, 14)
    return canvas.resize((width, height), Image.Resampling.LANCZOS)


def _draw_panel(pen: _Pen, panel: Panel, corner: tuple[float, float]) -> None:
    left, top = corner[0] + MARGIN_LEFT, corner[1] + MARGIN_TOP
    right, bottom = corner[0] + PANEL_W - MARGIN_RIGHT, corner[1] + PANEL_H - MARGIN_BOTTOM

    def at(point: Point) -> Point:
        return left + panel.x.place(point[0]) * (right - left), bottom - panel.y.place(point[1]) * (bottom - top)

    pen.text(((left + right) / 2, top - 18), panel.title, 15, "mm")
    for value, label in panel.x.ticks:
        x = left + panel.x.place(value) * (right - left)
        pen.line([(x, top), (x, bottom)], GRID, 1)
        pen.text((x, bottom + 12), label, 12, "mm")
    for value, label in panel.y.ticks:
        y = bottom - panel.y.place(value) * (bottom - top)
        pen.line([(left, y), (right, y)], GRID, 1)
        pen.text((left - 8, y), label, 12, "rm")
    pen.line([(left, top), (left, bottom), (right, bottom)], AXIS, 1.5)
    pen.text(((left + right) / 2, bottom + 34), panel.x.label, 13, "mm")
    pen.upwards((corner[0] + 16, (top + bottom) / 2), panel.y.label, 13)
    if panel.guide:
        pen.dashes([at(point) for point in panel.guide], AXIS, 1)
    for curve, colour in zip(panel.curves, COLOURS, strict=False):
        places = [at(point) for point in curve.points]
        pen.line(places, colour, 2)
        for place, radius in zip(places, curve.weights, strict=False):
            pen.dot(place, radius, colour)
    for curve, colour in zip(panel.curves, COLOURS, strict=False):
        if curve.marked is not None:
            spot, words = curve.marked
            pen.ring(at(spot), 6, colour)
            if words:
                x, y = at(spot)
                pen.text((x - 12, y - 12), words, 12, "rm", colour)


@dataclass(frozen=True, slots=True)
class _Pen:
    """Draws in pixels of the finished picture on the larger canvas."""

    picture: Image.Image
    canvas: ImageDraw.ImageDraw
    scale: int

    @classmethod
    def on(cls, picture: Image.Image, scale: int) -> _Pen:
        return cls(picture, ImageDraw.Draw(picture), scale)

    def line(self, points: Sequence[Point], colour: tuple[int, int, int], wide: float) -> None:
        if len(points) > 1:
            self.canvas.line([self._up(p) for p in points], colour, round(wide * self.scale), joint="curve")

    def dashes(self, points: Sequence[Point], colour: tuple[int, int, int], wide: float) -> None:
        for (ax, ay), (bx, by) in pairwise(points):
            count = max(1, round(math.hypot(bx - ax, by - ay) / 10))
            for k in range(count):
                a, b = k / count, (k + 0.5) / count
                ends = [(ax + a * (bx - ax), ay + a * (by - ay)), (ax + b * (bx - ax), ay + b * (by - ay))]
                self.line(ends, colour, wide)

    def dot(self, centre: Point, radius: float, colour: tuple[int, int, int]) -> None:
        self.canvas.ellipse(self._around(centre, radius), fill=colour)

    def ring(self, centre: Point, radius: float, colour: tuple[int, int, int]) -> None:
        self.canvas.ellipse(self._around(centre, radius), outline=colour, width=2 * self.scale)

    def text(self, place: Point, words: str, size: int, anchor: str, colour: tuple[int, int, int] = INK) -> None:
        self.canvas.text(self._up(place), words, fill=colour, font=self._font(size), anchor=anchor)

    def upwards(self, centre: Point, words: str, size: int) -> None:
        """Words that read from below."""
        length, tall = round(self.width_of(words, size)) + 4, size + 6
        strip = Image.new("RGB", (length * self.scale, tall * self.scale), PAPER)
        _Pen.on(strip, self.scale).text((length / 2, tall / 2), words, size, "mm")
        turned = strip.rotate(90, expand=True)
        x, y = self._up(centre)
        self.picture.paste(turned, (round(x - turned.width / 2), round(y - turned.height / 2)))

    def width_of(self, words: str, size: int) -> float:
        return self.canvas.textlength(words, font=self._font(size)) / self.scale

    def _font(self, size: int) -> Font:
        return ImageFont.load_default(size * self.scale)

    def _up(self, point: Point) -> Point:
        return point[0] * self.scale, point[1] * self.scale

    def _around(self, centre: Point, radius: float) -> tuple[float, float, float, float]:
        (x, y), r = self._up(centre), radius * self.scale
        return x - r, y - r, x + r, y + r
