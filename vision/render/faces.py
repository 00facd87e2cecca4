"""Tile faces: one box's style, and the picture of any of its tiles seen straight from above.

A face is lit through a small height field (bevel, dish, imprint), so that the same tile turned on the table catches
the light from another side.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from typing import Protocol

import cv2
import numpy as np
import numpy.typing as npt

from vision.render.fonts import (
    GLYPH_HEIGHT,
    JUDGE_FONTS,
    TRAINING_FONTS,
    WIDER_FONTS,
    NumeralShape,
    available_fonts,
    numeral_mask,
    word_mask,
)
from vision.render.jokers import JokerFace, joker_mask, second_ink_area
from vision.render.palettes import JUDGE_PALETTES, Bgr, Palette, random_body, random_palette
from vision.render.strokes import random_pen

Image = npt.NDArray[np.uint8]
Field = npt.NDArray[np.float32]
Light = tuple[float, float]
"""Where the light comes from in the tile's own frame (x right, y down), length 0 (overhead) to about 1 (raking)."""

BACK = "?"
_RELIEF_HEIGHT = 160
_NO_LIGHT: Light = (0.0, 0.0)


class Box(Protocol):
    """A set of tiles that belong together; ``aspect`` is width / height, ``thickness`` is in tile heights."""

    @property
    def aspect(self) -> float: ...

    @property
    def thickness(self) -> float: ...

    @property
    def side(self) -> Bgr: ...

    def face(
        self, code: str, height_px: int, rng: np.random.Generator, light: Light = _NO_LIGHT
    ) -> tuple[Image, Image]:
        """The top face of ``code`` as BGR uint8 (h, w, 3) with alpha uint8 (h, w); ``"?"`` is the back."""
        ...

    def numeral_area(self, code: str) -> tuple[float, float, float, float]:
        """Where the numeral or drawing stands: left, top, right, bottom as shares of the face."""
        ...


BoxSource = Callable[[np.random.Generator], Box]


class SixNineMark(StrEnum):
    """What tells a 6 from a 9 besides the layout."""

    NONE = "none"
    DOT = "dot"
    BAR = "bar"
    STOP = "stop"
    """A dot at the foot of the numeral, on its right."""


class Symbol(StrEnum):
    """A mark in the ink's colour under every numeral, as Okey boxes have it."""

    NONE = "none"
    DISC = "disc"
    HEART = "heart"
    RING = "ring"
    STAR = "star"
    CLOVER = "clover"


@dataclass(frozen=True)
class StyledBox:
    """A procedural box. Lengths are shares of the tile's height unless said otherwise."""

    palette: Palette
    numerals: NumeralShape
    aspect: float = 0.70
    thickness: float = 0.22
    corner_radius: float = 0.05
    numeral_height: float = 0.36
    numeral_y: float = 0.34
    bevel: float = 0.035
    bevel_depth: float = 1.0
    dish_radius: float = 0.0
    """0: flat tile."""
    dish_depth: float = 0.0
    imprint: str = ""
    """Letters embossed in the lower half; empty: plain."""
    imprint_depth: float = 0.5
    imprint_y: float = 0.78
    engraved: float = 0.0
    """How deep the numerals are cut, 0 for print."""
    ink_strength: float = 1.0
    """1 is fresh print, 0.6 is worn."""
    patchy: float = 0.0
    """Share of the ink that is rubbed off in patches."""
    mark: SixNineMark = SixNineMark.NONE
    symbol: Symbol = Symbol.NONE
    symbol_size: float = 0.11
    dimple: float = 0.0
    """Radius of a round hollow in the lower half, as Okey boxes have it; 0: none."""
    joker_face: JokerFace = JokerFace.SMILE
    joker_seed: int = 0
    joker_inks: tuple[str, ...] = ("R", "K")
    joker_two_inks: bool = False
    joker_size: float = 0.72
    """In tile widths."""
    back_imprint: str = ""
    back_body: Bgr | None = None
    gloss: float = 0.0
    _cache: dict[int, tuple[Field, Field]] = field(default_factory=dict, compare=False, repr=False)

    @property
    def side(self) -> Bgr:
        return self.palette.body

    def numeral_area(self, code: str) -> tuple[float, float, float, float]:
        if code == BACK:
            return 0.1, 0.1, 0.9, 0.9
        width, height = self._print_size(code)
        x, y = width / 2, height / 2
        return 0.5 - x, self.numeral_y - y, 0.5 + x, self.numeral_y + y

    def face(
        self, code: str, height_px: int, rng: np.random.Generator, light: Light = _NO_LIGHT
    ) -> tuple[Image, Image]:
        height = max(12, height_px)
        width = max(8, round(height * self.aspect))
        relief_x, relief_y, alpha = self._back_relief if code == BACK else self._front_relief
        body = np.asarray(self.back_body if code == BACK and self.back_body else self.palette.body, np.float32)
        gradient_x = cv2.resize(relief_x, (width, height), interpolation=cv2.INTER_AREA)
        gradient_y = cv2.resize(relief_y, (width, height), interpolation=cv2.INTER_AREA)
        shade = 1.0 + gradient_x * light[0] + gradient_y * light[1]
        if self.gloss:
            shade += self._sheen(height, width, light)
        picture = body[None, None, :] * shade[..., None]
        if code != BACK:
            ink, print_mask = self._print(code, height, width, rng)
            strength = print_mask * self.ink_strength
            if self.engraved:
                cut_x = cv2.Sobel(print_mask, cv2.CV_32F, 1, 0, scale=0.25)
                cut_y = cv2.Sobel(print_mask, cv2.CV_32F, 0, 1, scale=0.25)
                picture *= (1.0 - self.engraved * (cut_x * (light[0] + 0.2) + cut_y * (light[1] + 0.3)))[..., None]
            inked = ink * (0.45 + 0.55 * shade[..., None])
            picture += (inked - picture) * strength[..., None]
        opacity = np.asarray(cv2.resize(alpha, (width, height), interpolation=cv2.INTER_AREA), np.uint8)
        return np.clip(picture, 0, 255).astype(np.uint8), opacity

    def _sheen(self, height: int, width: int, light: Light) -> Field:
        ramp_x = np.linspace(-1, 1, width, dtype=np.float32)[None, :] * light[0]
        ramp_y = np.linspace(-1, 1, height, dtype=np.float32)[:, None] * light[1]
        return np.asarray(self.gloss * (ramp_x + ramp_y), np.float32)

    def _print_size(self, code: str) -> tuple[float, float]:
        """Width (in tile widths) and height (in tile heights) of what is printed for ``code``."""
        if code == "J":
            return self.joker_size, self.joker_size * self.aspect
        mask = numeral_mask(self.numerals, code[1:])
        height = self.numeral_height * mask.shape[0] / GLYPH_HEIGHT
        width = height * mask.shape[1] / mask.shape[0] / self.aspect
        return min(width, 0.90), height

    def _print(self, code: str, height: int, width: int, rng: np.random.Generator) -> tuple[Field, Field]:
        """Ink, (1, 1, 3) or (height, width, 3), and its mask (height, width)."""
        ink, mask = self._joker(height, width, rng) if code == "J" else self._numeral(code, height, width)
        if self.patchy:
            coarse = rng.random((16, 11), dtype=np.float32)
            worn = cv2.resize(coarse, (width, height), interpolation=cv2.INTER_CUBIC) < self.patchy
            mask = mask * (1.0 - 0.7 * cv2.GaussianBlur(worn.astype(np.float32), (0, 0), max(0.5, 0.012 * height)))
        return ink, np.asarray(mask, np.float32)

    def _joker(self, height: int, width: int, rng: np.random.Generator) -> tuple[Field, Field]:
        mask = np.zeros((height, width), np.float32)
        share_w, share_h = self._print_size("J")
        place = (0.5 * width, self.numeral_y * height, share_w * width, share_h * height)
        _paste(mask, joker_mask(self.joker_face, self.joker_seed), *place)
        if not self.joker_two_inks:
            return _flat(self.palette.ink(str(rng.choice(list(self.joker_inks))))), mask
        second = np.zeros((height, width), np.float32)
        _paste(second, second_ink_area(self.joker_seed), *place)
        inks = [_flat(self.palette.ink(self.joker_inks[k])) for k in (0, 1)]
        return inks[0] + (inks[1] - inks[0]) * second[..., None], mask

    def _numeral(self, code: str, height: int, width: int) -> tuple[Field, Field]:
        mask = np.zeros((height, width), np.float32)
        share_w, share_h = self._print_size(code)
        source = numeral_mask(self.numerals, code[1:])
        _paste(mask, source, 0.5 * width, self.numeral_y * height, share_w * width, share_h * height)
        below = (self.numeral_y + share_h / 2) * height
        if code[1:] in {"6", "9"} and self.mark is not SixNineMark.NONE:
            thick = max(1.0, 0.03 * height)
            y = below + 0.045 * height
            if self.mark is SixNineMark.DOT:
                _disc(mask, 0.5 * width, y, max(1.0, 0.028 * height))
            elif self.mark is SixNineMark.STOP:
                radius = max(1.0, 0.028 * height)
                _disc(mask, (0.5 + share_w / 2) * width + radius, below - 0.06 * self.numeral_height * height, radius)
            else:
                half = max(2.0, share_w * width * 0.45)
                _bar(mask, 0.5 * width - half, 0.5 * width + half, y, thick)
        if self.symbol is not Symbol.NONE:
            _symbol(mask, self.symbol, 0.5 * width, (0.5 * (below / height + 1.0) - 0.02) * height,
                    self.symbol_size * height)  # fmt: skip
        return _flat(self.palette.ink(code[0])), mask

    @cached_property
    def _front_relief(self) -> tuple[Field, Field, Image]:
        height, width = _RELIEF_HEIGHT, max(8, round(_RELIEF_HEIGHT * self.aspect))
        relief = self._bevel_relief(height, width)
        if self.dish_radius:
            xs = (np.arange(width, dtype=np.float32)[None, :] - width / 2) / height
            ys = np.arange(height, dtype=np.float32)[:, None] / height - self.numeral_y
            bowl = np.maximum(0, 1 - (xs**2 + ys**2) / self.dish_radius**2)
            relief -= self.dish_depth * 22 * np.sqrt(bowl)
        if self.dimple:
            xs = (np.arange(width, dtype=np.float32)[None, :] - width / 2) / height
            ys = np.arange(height, dtype=np.float32)[:, None] / height - self.imprint_y
            relief -= 30 * self.dimple * np.sqrt(np.maximum(0, 1 - (xs**2 + ys**2) / self.dimple**2))
        if self.imprint:
            word = word_mask(self.numerals.font, self.imprint)
            raised = np.zeros_like(relief)
            share_h = 0.78 * self.aspect * word.shape[0] / word.shape[1]
            _paste(raised, word, width / 2, self.imprint_y * height, 0.78 * width, min(0.22, share_h) * height)
            relief += self.imprint_depth * 4 * cv2.GaussianBlur(raised, (0, 0), 0.8)
        return (*_slopes(relief), self._opacity(height, width))

    @cached_property
    def _back_relief(self) -> tuple[Field, Field, Image]:
        height, width = _RELIEF_HEIGHT, max(8, round(_RELIEF_HEIGHT * self.aspect))
        relief = self._bevel_relief(height, width)
        if self.back_imprint:
            word = word_mask(self.numerals.font, self.back_imprint)
            raised = np.zeros_like(relief)
            _paste(raised, word, width / 2, height / 2, 0.7 * width, min(0.3 * height, 0.7 * width))
            relief += self.imprint_depth * 4 * cv2.GaussianBlur(raised, (0, 0), 0.8)
        return (*_slopes(relief), self._opacity(height, width))

    def _bevel_relief(self, height: int, width: int) -> Field:
        framed = np.pad(np.full((height, width), 255, np.uint8), 1)
        inside = cv2.distanceTransform(framed, cv2.DIST_L2, 3)
        rise = np.minimum(1.0, inside[1:-1, 1:-1] / max(1.0, self.bevel * height))
        return np.asarray(rise * self.bevel_depth * self.bevel * height, np.float32)

    def _opacity(self, height: int, width: int) -> Image:
        alpha = np.zeros((height, width), np.uint8)
        radius = max(1, round(self.corner_radius * height))
        cv2.rectangle(alpha, (radius, 0), (width - 1 - radius, height - 1), 255, -1)
        cv2.rectangle(alpha, (0, radius), (width - 1, height - 1 - radius), 255, -1)
        for x in (radius, width - 1 - radius):
            for y in (radius, height - 1 - radius):
                cv2.circle(alpha, (x, y), radius, 255, -1)
        return alpha


def _flat(ink: Bgr) -> Field:
    return np.asarray(ink, np.float32)[None, None, :]


def _slopes(relief: Field) -> tuple[Field, Field]:
    """Brightness change per unit of light in x and y: the relief's slopes, bounded as plastic bounds them."""
    gradient_x = cv2.Sobel(relief, cv2.CV_32F, 1, 0, scale=0.125)
    gradient_y = cv2.Sobel(relief, cv2.CV_32F, 0, 1, scale=0.125)
    return np.asarray(-0.34 * np.tanh(gradient_x), np.float32), np.asarray(-0.34 * np.tanh(gradient_y), np.float32)


def _paste(canvas: Field, mask: Field, x: float, y: float, width: float, height: float) -> None:
    """Place ``mask`` scaled to ``width`` × ``height`` pixels with its centre at (x, y), keeping sub-pixel positions."""
    scale_x, scale_y = width / mask.shape[1], height / mask.shape[0]
    source = mask
    if min(scale_x, scale_y) < 0.5:  # area-average first, or thin strokes would alias away
        small = cv2.resize(mask, None, fx=2 * scale_x, fy=2 * scale_y, interpolation=cv2.INTER_AREA)
        source = np.asarray(small, np.float32)
        scale_x, scale_y = width / source.shape[1], height / source.shape[0]
    place = np.array([[scale_x, 0, x - width / 2], [0, scale_y, y - height / 2]], np.float32)
    layer = cv2.warpAffine(source, place, (canvas.shape[1], canvas.shape[0]), flags=cv2.INTER_LINEAR)
    np.maximum(canvas, layer, out=canvas)


def _disc(mask: Field, x: float, y: float, radius: float) -> None:
    cv2.circle(mask, (round(x * 16), round(y * 16)), round(radius * 16), 1.0, -1, cv2.LINE_AA, 4)


def _bar(mask: Field, left: float, right: float, y: float, thick: float) -> None:
    cv2.rectangle(mask, (round(left), round(y - thick / 2)), (round(right), round(y + thick / 2)), 1.0, -1)


def _symbol(mask: Field, symbol: Symbol, x: float, y: float, size: float) -> None:
    if symbol is Symbol.DISC:
        _disc(mask, x, y, size * 0.6)
    elif symbol is Symbol.RING:
        cv2.circle(mask, (round(x), round(y)), max(1, round(size * 0.6)), 1.0, max(1, round(size * 0.2)), cv2.LINE_AA)
    elif symbol is Symbol.STAR:
        angles = np.pi * np.arange(10) / 5 - np.pi / 2
        radii = size * np.where(np.arange(10) % 2 == 0, 0.8, 0.34)
        corners = np.stack([x + radii * np.cos(angles), y + radii * np.sin(angles)], 1)
        cv2.fillPoly(mask, [np.round(corners * 16).astype(np.int32)], 1.0, cv2.LINE_AA, 4)
    elif symbol is Symbol.CLOVER:
        for angle in (-90, 30, 150):
            spot = 0.36 * size * np.array([np.cos(np.radians(angle)), np.sin(np.radians(angle))])
            _disc(mask, x + float(spot[0]), y + float(spot[1]), 0.36 * size)
    else:
        angles = np.linspace(0, 2 * np.pi, 40)
        heart_x = 16 * np.sin(angles) ** 3
        heart_y = -(13 * np.cos(angles) - 5 * np.cos(2 * angles) - 2 * np.cos(3 * angles) - np.cos(4 * angles))
        corners = np.stack([x + heart_x * size / 17, y + heart_y * size / 17], 1)
        cv2.fillPoly(mask, [np.round(corners * 16).astype(np.int32)], 1.0, cv2.LINE_AA, 4)


def _random_letters(rng: np.random.Generator) -> str:
    """A made-up word for imprints: no maker's name."""
    length = int(rng.integers(4, 10))
    letters = "".join(rng.choice(list("abcdeghiklmnorstuvz"), length))
    return letters.capitalize() if rng.random() < 0.7 else letters.upper()


def _pick(names: tuple[str, ...], rng: np.random.Generator) -> str | None:
    installed = available_fonts(names)
    return str(rng.choice(list(installed))) if installed else None


def random_box(rng: np.random.Generator) -> StyledBox:
    """Draw a training box: any look that does not use the judging fonts or palettes."""
    box = _random_look(rng, random_palette(rng), _pick(TRAINING_FONTS + WIDER_FONTS, rng))
    return _widened(box, rng) if rng.random() < WIDENED_SHARE else box


def okey_box(rng: np.random.Generator) -> StyledBox:
    """Draw a training box with the marks of Okey."""
    return _okey_look(random_box(rng), rng)


def judge_box(rng: np.random.Generator) -> StyledBox:
    """Draw a box for judging: fonts and palettes that training never sees."""
    palette = JUDGE_PALETTES[int(rng.integers(len(JUDGE_PALETTES)))]
    return _random_look(rng, palette, _pick(JUDGE_FONTS, rng))


WIDENED_SHARE = 0.55
_COMMON_JOKERS = (JokerFace.SMILE, JokerFace.SUN, JokerFace.CLOWN, JokerFace.STAR, JokerFace.WORD)


def _widened(box: StyledBox, rng: np.random.Generator) -> StyledBox:
    """A training box made rarer in one or more ways, each of which some box in the world has."""
    if rng.random() < 0.30:
        pen = random_pen(rng)
        tracking = float(np.round(rng.uniform(0.05, 0.18), 2))
        slant = float(np.round(rng.uniform(0, 0.28), 2)) if rng.random() < 0.25 else 0.0
        box = replace(box, numerals=NumeralShape(box.numerals.font, slant=slant, tracking=tracking, pen=pen))
    elif rng.random() < 0.25:  # condensed or extended
        squeeze = rng.uniform(0.55, 0.74) if rng.random() < 0.7 else rng.uniform(1.15, 1.35)
        tracking = float(np.round(rng.uniform(0.03, 0.10), 2))
        numerals = replace(box.numerals, squeeze=float(np.round(squeeze, 2)), tracking=tracking)
        box = replace(box, numerals=numerals)
    if rng.random() < 0.32:
        box = _okey_look(box, rng)
    elif rng.random() < 0.25:
        box = _tiny_print(box, rng)
    if rng.random() < 0.2:
        box = _told_by_a_mark(box, rng)
    box = _worn(box, rng)
    if box.mark is not SixNineMark.NONE and rng.random() < 0.3:
        box = replace(box, mark=SixNineMark.STOP)
    if rng.random() < 0.4:
        kinds = (JokerFace.CROWN, JokerFace.DOUBLE, JokerFace.CHANGE, JokerFace.MIRROR, JokerFace.SUN, JokerFace.CLOWN)
        box = replace(box, joker_face=kinds[int(rng.integers(len(kinds)))])
    if rng.random() < 0.3:
        first, second = rng.choice(list("RBKO"), 2, replace=False)
        box = replace(box, joker_inks=(str(first), str(second)), joker_two_inks=True)
    if rng.random() < 0.25:
        box = replace(box, thickness=float(rng.choice([rng.uniform(0.05, 0.10), rng.uniform(0.32, 0.45)])))
    return box


def _worn(box: StyledBox, rng: np.random.Generator) -> StyledBox:
    """Faded, rubbed off in places, deeply engraved, or as it was."""
    wear = rng.random()
    if wear < 0.22:  # faded
        return replace(box, ink_strength=float(rng.uniform(0.45, 0.75)))
    if wear < 0.36:  # rubbed off in places
        return replace(box, patchy=float(rng.uniform(0.15, 0.45)))
    if wear < 0.5:
        return replace(box, engraved=float(rng.uniform(0.6, 1.4)), ink_strength=float(rng.uniform(0.6, 1.0)))
    return box


def _tiny_print(box: StyledBox, rng: np.random.Generator) -> StyledBox:
    """Tiny numerals, anywhere in the upper half or in the middle."""
    height = float(rng.uniform(0.11, 0.20))
    box = replace(
        box,
        numeral_height=height,
        numeral_y=float(rng.uniform(height / 2 + 0.06, 0.5)),
        symbol=Symbol.NONE,
        imprint="",
        joker_size=float(rng.uniform(0.3, 0.8)),
    )
    return replace(box, mark=_six_nine_mark(rng, box.numeral_y))


def _told_by_a_mark(box: StyledBox, rng: np.random.Generator) -> StyledBox:
    """Numerals in the middle of the face, where a small mark alone tells a 6 from a 9."""
    marks = (SixNineMark.DOT, SixNineMark.STOP, SixNineMark.BAR)
    return replace(
        box,
        numeral_y=float(rng.uniform(0.42, 0.5)),
        mark=marks[int(rng.integers(3))],
        imprint="",
        symbol=Symbol.NONE,
        dimple=0.0,
    )


def _okey_look(box: StyledBox, rng: np.random.Generator) -> StyledBox:
    """Large numerals over a heart, disc or hollow, often engraved, often with a yellow ink."""
    kind = rng.random()
    symbols = (Symbol.DISC, Symbol.HEART, Symbol.HEART, Symbol.RING, Symbol.STAR, Symbol.CLOVER)
    height = float(rng.uniform(0.30, 0.52))
    return replace(
        box,
        numeral_height=height,
        numeral_y=float(max(rng.uniform(0.28, 0.36), height / 2 + 0.05)),
        imprint="",
        dish_radius=0.0,
        engraved=float(rng.uniform(0.4, 1.2)) if rng.random() < 0.6 else 0.0,
        symbol=symbols[int(rng.integers(len(symbols)))] if kind < 0.75 else Symbol.NONE,
        symbol_size=float(rng.uniform(0.06, 0.14)),
        dimple=float(rng.uniform(0.06, 0.13)) if kind > 0.55 else 0.0,
        imprint_y=float(rng.uniform(0.74, 0.82)),
        mark=SixNineMark.NONE if rng.random() < 0.6 else box.mark,
        joker_face=JokerFace.STAR if rng.random() < 0.3 else box.joker_face,
    )


def _six_nine_mark(rng: np.random.Generator, numeral_y: float) -> SixNineMark:
    """Boxes whose numerals stand in the middle mark their 6 and 9, for nothing else tells them apart."""
    marked = rng.random() < (0.9 if numeral_y > 0.42 else 0.42)
    return SixNineMark(str(rng.choice(["dot", "bar", "bar"]))) if marked else SixNineMark.NONE


def _random_look(rng: np.random.Generator, palette: Palette, font: str | None) -> StyledBox:
    dished = rng.random() < 0.5
    okey_like = rng.random() < 0.14
    small_print = rng.random() < 0.15
    numeral_height = rng.uniform(0.20, 0.28) if small_print else rng.uniform(0.27, 0.46)
    numeral_y = rng.uniform(0.27, 0.40) if dished or okey_like or rng.random() < 0.6 else rng.uniform(0.40, 0.5)
    numeral_y = max(numeral_y, numeral_height / 2 + 0.07)
    numerals = NumeralShape(
        font=font,
        squeeze=float(np.round(rng.uniform(0.72, 1.15), 2)),
        thicken=int(rng.choice([-1, 0, 0, 0, 1, 2, 3])),
        slant=float(np.round(rng.uniform(-0.06, 0.28), 2)) if rng.random() < 0.2 else 0.0,
        tracking=float(np.round(rng.uniform(0.03, 0.16), 2)) if rng.random() < 0.35 else 0.0,
    )
    imprint = _random_letters(rng) if rng.random() < 0.55 and numeral_y < 0.42 else ""
    return StyledBox(
        palette=palette,
        numerals=numerals,
        aspect=float(rng.uniform(0.62, 0.80)),
        thickness=float(rng.uniform(0.08, 0.34)),
        corner_radius=float(rng.uniform(0.01, 0.12)),
        numeral_height=float(numeral_height),
        numeral_y=float(numeral_y),
        bevel=float(rng.uniform(0.01, 0.07)),
        bevel_depth=float(rng.uniform(0.2, 1.2)),
        dish_radius=float(rng.uniform(0.23, 0.33)) if dished else 0.0,
        dish_depth=float(rng.uniform(0.10, 0.6)),
        imprint=imprint,
        imprint_depth=float(rng.uniform(0.2, 1.4)),
        imprint_y=float(rng.uniform(0.74, 0.84)),
        engraved=float(rng.uniform(0.3, 1.0)) if rng.random() < 0.2 else 0.0,
        ink_strength=float(rng.uniform(0.55, 0.85) if rng.random() < 0.15 else rng.uniform(0.88, 1.0)),
        mark=_six_nine_mark(rng, numeral_y),
        symbol=Symbol(str(rng.choice(["disc", "heart", "ring"]))) if okey_like and not imprint else Symbol.NONE,
        joker_face=JokerFace(str(rng.choice(list(_COMMON_JOKERS), p=[0.52, 0.14, 0.18, 0.08, 0.08]))),
        joker_seed=int(rng.integers(400)),
        joker_inks=tuple(rng.choice(list("RBKO"), 2, replace=False)) if rng.random() < 0.4 else ("R", "K"),
        joker_size=float(rng.uniform(0.55, 0.86)),
        back_imprint=_random_letters(rng) if rng.random() < 0.2 else "",
        back_body=random_body(rng) if rng.random() < 0.25 else None,
        gloss=float(rng.uniform(0.02, 0.10)) if rng.random() < 0.5 else 0.0,
    )
