"""Inks and bodies of tile boxes: navy to teal, red to pink, orange to yellow, cream to cold white."""

from __future__ import annotations

import colorsys
from dataclasses import dataclass

import numpy as np

Bgr = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class Palette:
    """The four inks and the plastic of one box, as BGR 0–255 under white light."""

    red: Bgr
    blue: Bgr
    black: Bgr
    orange: Bgr
    body: Bgr

    def ink(self, letter: str) -> Bgr:
        """The ink of a colour letter R, B, K or O."""
        return {"R": self.red, "B": self.blue, "K": self.black, "O": self.orange}[letter]


def from_hsv(hue_deg: float, saturation: float, value: float) -> Bgr:
    """BGR 0–255 of a hue in degrees, saturation and value 0–1."""
    red, green, blue = colorsys.hsv_to_rgb((hue_deg % 360) / 360, saturation, value)
    return blue * 255, green * 255, red * 255


def hue_of(ink: Bgr) -> float:
    """Hue in degrees, −180 to 180 (so that reds lie around 0)."""
    blue, green, red = (channel / 255 for channel in ink)
    hue = colorsys.rgb_to_hsv(red, green, blue)[0] * 360
    return hue - 360 if hue > 180 else hue


JUDGE_PALETTES: tuple[Palette, ...] = (
    Palette(from_hsv(352, 0.86, 0.80), from_hsv(198, 0.85, 0.70), from_hsv(0, 0.0, 0.11), from_hsv(38, 0.92, 0.93),
            (214.0, 236.0, 243.0)),
    Palette(from_hsv(4, 0.88, 0.74), from_hsv(224, 0.84, 0.52), from_hsv(210, 0.3, 0.14), from_hsv(29, 0.90, 0.95),
            (238.0, 241.0, 242.0)),
    Palette(from_hsv(338, 0.74, 0.88), from_hsv(189, 0.88, 0.62), from_hsv(20, 0.2, 0.10), from_hsv(48, 0.94, 0.95),
            (200.0, 228.0, 240.0)),
    Palette(from_hsv(358, 0.92, 0.66), from_hsv(211, 0.92, 0.78), from_hsv(0, 0.0, 0.06), from_hsv(24, 0.94, 0.92),
            (226.0, 232.0, 232.0)),
)  # fmt: skip
"""Never used in training (``random_palette`` keeps clear of them): the tables that judge us wear these."""

_CLEAR_OF_JUDGE_DEG = 4.0


def _near_judge(palette: Palette) -> bool:
    """Whether all three coloured inks have nearly the hues of one judging palette."""
    return any(
        all(
            abs(hue_of(palette.ink(letter)) - hue_of(judge.ink(letter))) < _CLEAR_OF_JUDGE_DEG
            for letter in ("R", "B", "O")
        )
        for judge in JUDGE_PALETTES
    )


def random_palette(rng: np.random.Generator) -> Palette:
    """Draw a training palette; red and orange keep at least 14° of hue apart, as printed boxes do."""
    while True:
        if rng.random() < 0.22:  # pink to crimson sets
            red_hue, red = rng.uniform(325, 348), (rng.uniform(0.55, 0.95), rng.uniform(0.65, 0.98))
        else:
            red_hue, red = rng.uniform(346, 369), (rng.uniform(0.70, 1.0), rng.uniform(0.55, 0.98))
        wrapped = red_hue - 360
        orange_hue = rng.uniform(44, 58) if rng.random() < 0.2 else rng.uniform(max(18, wrapped + 14), 50)
        dark = rng.random()
        if dark < 0.28:  # navy
            blue = from_hsv(rng.uniform(208, 240), rng.uniform(0.65, 1.0), rng.uniform(0.30, 0.60))
        elif dark < 0.32:  # violet
            blue = from_hsv(rng.uniform(238, 256), rng.uniform(0.45, 0.9), rng.uniform(0.40, 0.85))
        elif dark < 0.6:  # teal and cyan, now and then the green that some Okey boxes print instead of blue
            blue = from_hsv(
                rng.uniform(135, 176) if rng.random() < 0.14 else rng.uniform(176, 202),
                rng.uniform(0.50, 1.0),
                rng.uniform(0.38, 0.88),
            )
        else:
            blue = from_hsv(rng.uniform(196, 232), rng.uniform(0.60, 1.0), rng.uniform(0.50, 0.95))
        palette = Palette(
            red=from_hsv(red_hue, *red),
            blue=blue,
            black=from_hsv(rng.uniform(0, 360), rng.uniform(0, 0.45), rng.uniform(0.02, 0.22)),
            orange=from_hsv(orange_hue, rng.uniform(0.72, 1.0), rng.uniform(0.78, 1.0)),
            body=random_body(rng),
        )
        if not _near_judge(palette):
            return palette


def random_body(rng: np.random.Generator) -> Bgr:
    """Plastic from cold white over ivory to a yellowed cream."""
    kind = rng.random()
    if kind < 0.35:
        return from_hsv(rng.uniform(180, 240), rng.uniform(0.0, 0.06), rng.uniform(0.88, 1.0))
    if kind < 0.85:
        return from_hsv(rng.uniform(34, 56), rng.uniform(0.04, 0.20), rng.uniform(0.86, 1.0))
    return from_hsv(rng.uniform(32, 50), rng.uniform(0.18, 0.36), rng.uniform(0.76, 0.94))
