"""Screens of number-tile games, as screenshots and as photos of a screen, drawn by seed.

No app is copied: each screen is put together from what apps of this kind share.  Tiles are flat, graded from top to
bottom or bevelled, have round corners and a drop shadow, and lie on a flat, graded, vignetted or textured table under
a bar with names and buttons.  A screenshot is compressed, and often scaled on its way through a messenger; a photo of
a screen adds the screen's stripes of red, green and blue, its glow and bezel, a lens and a sensor.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image as PilImage
from PIL import ImageDraw, ImageFilter, ImageFont

from vision.render import effects, surfaces
from vision.render.fonts import JUDGE_FONTS, TRAINING_FONTS, available_fonts, font_file

Image = NDArray[np.uint8]
Rgb = tuple[int, int, int]

LETTERS = "RBKO"
FINE = 2
"""Everything is drawn so many times as large and then made smaller, as a graphics card smooths edges."""


@dataclass(frozen=True, slots=True)
class Theme:
    """How one app looks; colours are RGB, lengths in tile heights."""

    body: Rgb
    body_low: Rgb
    inks: tuple[Rgb, Rgb, Rgb, Rgb]
    corner: float
    aspect: float
    numeral: float
    bevel: bool
    shadow: bool
    mark: str
    """what is below the numeral: "ring", "dot", "suit", or nothing"""
    table: str
    """"flat", "graded", "vignette" or "textured\""""
    table_hue: float


def random_theme(rng: np.random.Generator) -> Theme:
    """An app's look."""
    light = rng.uniform(225, 250)
    body = tuple(int(v) for v in np.clip(light - np.array([0, rng.uniform(0, 10), rng.uniform(0, 40)]), 0, 250))
    graded = rng.random() < 0.6
    low = tuple(int(v - (rng.uniform(6, 30) if graded else 0)) for v in body)
    inks = tuple(
        tuple(int(v) for v in np.clip(np.array(ink) + rng.normal(0, 12, 3), 0, 255))
        for ink in ((205, 30, 40), (25, 90, 190), (30, 30, 34), (240, 150, 20))
    )
    return Theme(
        body=body, body_low=low, inks=inks, corner=float(rng.uniform(0.04, 0.16)),  # type: ignore[arg-type]
        aspect=float(rng.uniform(0.66, 0.82)), numeral=float(rng.uniform(0.36, 0.55)),
        bevel=bool(rng.random() < 0.4), shadow=bool(rng.random() < 0.7),
        mark=str(rng.choice(["ring", "dot", "suit", ""])),
        table=str(rng.choice(["flat", "graded", "vignette", "textured"])), table_hue=float(rng.uniform(0, 360)),
    )  # fmt: skip


def drawn_tile(theme: Theme, letter: str, number: int, high: int, font: ImageFont.FreeTypeFont | Any) -> PilImage.Image:
    """One tile as RGBA, ``high`` pixels high."""
    wide = round(high * theme.aspect)
    ramp = np.linspace(0, 1, high)[:, None, None]
    body = np.asarray(theme.body) * (1 - ramp) + np.asarray(theme.body_low) * ramp
    face = PilImage.fromarray(np.broadcast_to(np.round(body), (high, wide, 3)).astype(np.uint8))
    draw = ImageDraw.Draw(face)
    if theme.bevel:
        edge = max(2, high // 24)
        draw.rectangle((0, high - edge, wide, high), fill=tuple(int(0.8 * v) for v in theme.body_low))
        draw.rectangle((0, 0, wide, edge), fill=(255, 255, 255))
    ink = theme.inks[LETTERS.index(letter)]
    draw.text((wide / 2, high * 0.36), str(number), font=font, fill=ink, anchor="mm")
    x, y, r = wide / 2, high * 0.76, high * 0.09
    if theme.mark == "ring":
        draw.ellipse((x - r, y - r, x + r, y + r), outline=ink, width=max(2, high // 30))
    elif theme.mark == "dot":
        draw.ellipse((x - r / 2, y - r / 2, x + r / 2, y + r / 2), fill=ink)
    elif theme.mark == "suit":
        draw.polygon(((x, y - r), (x + r, y), (x, y + r), (x - r, y)), fill=ink)
    mask = PilImage.new("L", (wide, high), 0)
    ImageDraw.Draw(mask).rounded_rectangle((0, 0, wide - 1, high - 1), theme.corner * high, fill=255)
    face.putalpha(mask)
    return face


def table_of(theme: Theme, rng: np.random.Generator, width: int, height: int) -> PilImage.Image:
    """The ground of an app."""
    hue = PilImage.new("HSV", (1, 1), (round(theme.table_hue * 255 / 360), int(rng.integers(60, 200)),
                                       int(rng.integers(50, 170)))).convert("RGB").getpixel((0, 0))  # fmt: skip
    flat: NDArray[Any] = np.broadcast_to(np.asarray(hue, np.float64), (height, width, 3))
    x, y = np.meshgrid(np.linspace(-1, 1, width), np.linspace(-1, 1, height))
    if theme.table == "graded":
        flat = flat * (1.15 - 0.3 * (y[..., None] + 1) / 2)
    elif theme.table == "vignette":
        flat = flat * (1.2 - 0.45 * np.hypot(x, y)[..., None])
    elif theme.table == "textured":
        kinds = surfaces.TRAINING_SURFACES
        side = max(width, height)
        texture = kinds[int(rng.integers(len(kinds)))](rng, 700)[..., ::-1]
        flat = np.asarray(cv2.resize(np.ascontiguousarray(texture), (side, side)))[:height, :width]
    return PilImage.fromarray(np.clip(flat, 0, 255).astype(np.uint8))


def app_screen(rng: np.random.Generator) -> Image:
    """A game's screen pixel by pixel, uint8 (H, W, 3) BGR."""
    width, height = ((1280, 720), (1080, 1300), (1600, 900), (1024, 768))[int(rng.integers(4))]
    theme, high = random_theme(rng), int(rng.integers(56, 110)) * FINE
    installed = available_fonts(JUDGE_FONTS + TRAINING_FONTS)
    name = str(rng.choice(list(installed))) if installed else None
    font, words = (
        ImageFont.truetype(str(font_file(name)), size) if name else ImageFont.load_default(size)
        for size in (round(theme.numeral * high), 26 * FINE)
    )
    screen = table_of(theme, rng, width * FINE, height * FINE)
    draw = ImageDraw.Draw(screen)
    draw.rectangle((0, 0, width * FINE, 70 * FINE), fill=(30, 34, 44))
    draw.text((30 * FINE, 20 * FINE), f"Lena  {rng.integers(99)}", font=words, fill=(240, 240, 240))
    draw.text((width * FINE - 260 * FINE, 20 * FINE), f"Round {rng.integers(9)}  0:{rng.integers(10, 59)}",
              font=words, fill=(250, 210, 80))  # fmt: skip
    draw.rounded_rectangle(((width - 190) * FINE, (height - 80) * FINE, (width - 20) * FINE, (height - 20) * FINE),
                           14 * FINE, fill=(46, 160, 90))  # fmt: skip
    draw.text(((width - 105) * FINE, (height - 50) * FINE), "Draw", font=words, fill=(255, 255, 255), anchor="mm")
    wide, gap = round(high * theme.aspect), round(high * rng.uniform(0.0, 0.06))
    y = 100 * FINE
    while y + high < (height - 90) * FINE:
        x = int(rng.integers(30, 120)) * FINE
        while x + 5 * wide < width * FINE:
            x = _drawn_set(screen, theme, rng, (x, y, high, gap), font) + round(0.8 * wide)
            if rng.random() < 0.2:
                break
        y += round(1.35 * high)
    fine = np.asarray(screen.convert("RGB"))[..., ::-1]
    return np.asarray(cv2.resize(np.ascontiguousarray(fine), (width, height), interpolation=cv2.INTER_AREA), np.uint8)


def _drawn_set(
    screen: PilImage.Image, theme: Theme, rng: np.random.Generator, place: tuple[int, int, int, int],
    font: ImageFont.FreeTypeFont | Any,
) -> int:  # fmt: skip
    """Draw a run or a group at ``place`` (x, y, tile height, gap) and return where it ends."""
    x, y, high, gap = place
    if rng.random() < 0.6:
        first, letter = int(rng.integers(1, 11)), str(rng.choice(list(LETTERS)))
        faces = [(letter, first + k) for k in range(int(rng.integers(3, min(6, 15 - first))))]
    else:
        number = int(rng.integers(1, 14))
        faces = [(letter, number) for letter in LETTERS[: int(rng.integers(3, 5))]]
    for letter, number in faces:
        tile = drawn_tile(theme, letter, number, high, font)
        if x + tile.width > screen.width:
            break
        if theme.shadow:
            dark = PilImage.new("RGBA", (tile.width + 24, high + 24), (0, 0, 0, 0))
            dark.paste((0, 0, 0, 110), (12, 12), tile.getchannel("A"))
            soft = dark.filter(ImageFilter.GaussianBlur(5))
            screen.paste(soft, (x - 8, y - 6), soft)
        screen.paste(tile, (x, y), tile)
        x += tile.width + gap
    return x


def screenshot(rng: np.random.Generator) -> Image:
    """A screen saved as JPEG, half of the time scaled on its way."""
    screen = app_screen(rng)
    if rng.random() < 0.5:
        factor = float(rng.uniform(0.55, 1.4))
        how = cv2.INTER_AREA if factor < 1 else cv2.INTER_CUBIC
        screen = np.asarray(cv2.resize(screen, None, fx=factor, fy=factor, interpolation=how), np.uint8)
    if rng.random() < 0.3:  # saved, sent on, and saved again
        screen = effects.jpeg(screen, int(rng.integers(50, 96)))
    return effects.jpeg(screen, int(rng.integers(50, 96)))


def photographed_screen(rng: np.random.Generator, screen: Image | None = None) -> Image:
    """A screen in its bezel, photographed by hand: its pixels are stripes of red, green and blue, and it glows."""
    shown = app_screen(rng) if screen is None else screen
    height, width = shown.shape[:2]
    fine = 3
    large: NDArray[np.floating] = np.asarray(
        cv2.resize(shown, (fine * width, fine * height), interpolation=cv2.INTER_NEAREST), np.float32
    )
    large = 255 * (large / 255) ** 2.2  # light, as the screen gives it off
    stripes = np.full((1, fine * width, 3), 0.15, np.float32)
    for channel in range(3):
        stripes[:, 2 - channel :: fine, channel] = 2.6
    large *= stripes
    large[fine - 1 :: fine] *= float(rng.uniform(0.3, 0.8))
    bezel = round(0.05 * fine * width)
    framed = np.pad(large, ((bezel, bezel), (bezel, bezel), (0, 0)), constant_values=2.0)
    size = np.array(framed.shape[1::-1], np.float64)
    out = np.round(size / fine * rng.uniform(0.7, 1.5)).astype(int)
    corners = np.array([[0, 0], [1, 0], [1, 1], [0, 1]])
    to = (corners * 0.9 + 0.05 + rng.normal(0, 0.018, (4, 2))) * out
    homography = cv2.getPerspectiveTransform((corners * size).astype(np.float32), to.astype(np.float32))
    # a sensor's pixel gathers the light of its whole area: sampled finely, then put together
    finer = 3
    scale = np.diag([finer, finer, 1.0])
    taken = cv2.warpPerspective(framed, scale @ homography, tuple(int(v) for v in finer * out), flags=cv2.INTER_LINEAR,
                                borderValue=(9, 10, 11))  # fmt: skip
    light = cv2.resize(taken, tuple(int(v) for v in out), interpolation=cv2.INTER_AREA)
    light = cv2.GaussianBlur(light, (0, 0), float(rng.uniform(0.3, 0.7)))
    glow = cv2.GaussianBlur(cv2.resize(light, None, fx=0.125, fy=0.125), (0, 0), 6)
    light = light + 0.04 * cv2.resize(glow, light.shape[1::-1])
    field = effects.light_field(rng, light.shape[0], light.shape[1], 0.15)[..., None]
    exposed = np.clip(light * field * rng.uniform(0.75, 0.95), 0, 255) / 255
    photo = np.clip(255 * exposed ** (1 / 2.2), 0, 255).astype(np.uint8)
    noisy = effects.sensor_noise(photo, rng, float(rng.uniform(0.5, 3)), bool(rng.random() < 0.5))
    return effects.jpeg(noisy, int(rng.integers(70, 96)))


SCREENS: dict[str, Callable[[np.random.Generator], Image]] = {
    "screenshot of a game": screenshot, "photo of a game's screen": photographed_screen,
}  # fmt: skip
