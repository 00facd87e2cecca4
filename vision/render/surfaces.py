"""Table tops: wood, cloth, marble, stripes, carpet, stone, plain lacquer; and the ones kept for judging."""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np
import numpy.typing as npt

from vision.render.palettes import Bgr, from_hsv

Image = npt.NDArray[np.uint8]
Field = npt.NDArray[np.float32]
Surface = Callable[[np.random.Generator, int], Image]
"""Draws a square BGR uint8 texture of the given side."""


def _noise(rng: np.random.Generator, side: int, cells_x: float, cells_y: float) -> Field:
    """Smooth noise, 0 to 1, with about that many features across."""
    small = rng.random((max(2, int(cells_y)), max(2, int(cells_x))), dtype=np.float32)
    return np.asarray(np.clip(cv2.resize(small, (side, side), interpolation=cv2.INTER_CUBIC), 0, 1), np.float32)


def _mix(low: Bgr, high: Bgr, share: Field) -> Image:
    low_colour, high_colour = np.asarray(low, np.float32), np.asarray(high, np.float32)
    return np.clip(low_colour + (high_colour - low_colour) * share[..., None], 0, 255).astype(np.uint8)


def _wood_tone(rng: np.random.Generator) -> tuple[Bgr, Bgr]:
    hue, value = rng.uniform(8, 34), rng.uniform(0.18, 0.92)
    saturation = rng.uniform(0.25, 0.75) if value < 0.7 else rng.uniform(0.08, 0.45)
    spread = rng.uniform(0.55, 0.9)
    dark = from_hsv(hue, min(1, saturation * 1.15), value * spread)
    return dark, from_hsv(hue + rng.uniform(-4, 6), saturation, value)


def wood(rng: np.random.Generator, side: int) -> Image:
    """Planks with grain and a few knots."""
    grain = 0.5 * _noise(rng, side, rng.uniform(2, 6), rng.uniform(30, 110)) + 0.3 * _noise(rng, side, 12, 200)
    rings = 0.5 + 0.5 * np.sin(_noise(rng, side, 3, rng.uniform(5, 12)) * rng.uniform(20, 70))
    share = 0.65 * grain + rng.uniform(0.1, 0.35) * rings
    if rng.random() < 0.5:  # seams between planks
        for seam in rng.integers(0, side, int(rng.integers(1, 5))):
            share[max(0, seam - 1) : seam + 1, :] *= 0.3
    return _mix(*_wood_tone(rng), share.astype(np.float32))


def cloth(rng: np.random.Generator, side: int) -> Image:
    """Plain weave in any colour."""
    pitch = rng.uniform(2.5, 9)
    axis = np.arange(side, dtype=np.float32)
    weave = np.sin(axis[None, :] * 2 * np.pi / pitch) * np.sin(axis[:, None] * 2 * np.pi / pitch)
    base = from_hsv(rng.uniform(0, 360), rng.uniform(0, 0.8) ** 1.5, rng.uniform(0.12, 0.97))
    share = 0.5 + rng.uniform(0.1, 0.5) * 0.5 * weave + 0.25 * (_noise(rng, side, 9, 9) - 0.5)
    dark: Bgr = (base[0] * 0.7, base[1] * 0.7, base[2] * 0.7)
    return _mix(dark, base, share.astype(np.float32))


def marble(rng: np.random.Generator, side: int) -> Image:
    """Pale or dark stone with veins."""
    warp = _noise(rng, side, 4, 4) + 0.5 * _noise(rng, side, 11, 11) + 0.2 * _noise(rng, side, 40, 40)
    veins = np.abs(np.sin(warp * rng.uniform(5, 11) + rng.uniform(0, 6)))
    share = np.clip(1.0 - np.exp(-veins * rng.uniform(6, 26)), 0, 1) * 0.9 + 0.1 * _noise(rng, side, 6, 6)
    pale = rng.random() < 0.75
    stone = from_hsv(
        rng.uniform(20, 230), rng.uniform(0, 0.12), rng.uniform(0.75, 0.99) if pale else rng.uniform(0.1, 0.4)
    )
    vein = from_hsv(rng.uniform(15, 230), rng.uniform(0, 0.3), rng.uniform(0.3, 0.7))
    return _mix(vein, stone, share.astype(np.float32))


def stripes(rng: np.random.Generator, side: int) -> Image:
    """A striped or plaid blanket."""
    colours = np.array([from_hsv(rng.uniform(0, 360), rng.uniform(0, 0.9), rng.uniform(0.1, 1)) for _ in range(5)])
    edges = np.sort(rng.integers(0, side, int(rng.integers(4, 26))))
    picture = colours[np.searchsorted(edges, np.arange(side)) % 5][None, :, :].repeat(side, 0)
    if rng.random() < 0.4:
        picture = 0.5 * picture + 0.5 * picture.transpose(1, 0, 2)
    picture = picture * (0.8 + 0.4 * _noise(rng, side, side / 3, side / 3))[..., None]
    return np.asarray(np.clip(picture, 0, 255), np.uint8)


def carpet(rng: np.random.Generator, side: int) -> Image:
    """Coarse yarn in two or three tones, like a woven rug."""
    rough = _noise(rng, side, rng.uniform(20, 80), side / rng.uniform(3, 9))
    tone = _noise(rng, side, rng.uniform(3, 25), rng.uniform(20, 70))
    share = np.clip(
        0.55 * rough + 0.6 * (tone > rng.uniform(0.35, 0.65)) + 0.1 * rng.standard_normal((side, side)), 0, 1
    )
    dark = from_hsv(rng.uniform(0, 360), rng.uniform(0, 0.5), rng.uniform(0.05, 0.4))
    return _mix(dark, from_hsv(rng.uniform(0, 360), rng.uniform(0, 0.3), rng.uniform(0.5, 1)), share.astype(np.float32))


def stone(rng: np.random.Generator, side: int) -> Image:
    """Speckled granite or terrazzo."""
    share = _noise(rng, side, side / rng.uniform(2, 8), side / rng.uniform(2, 8)) ** rng.uniform(0.5, 2)
    dark = from_hsv(rng.uniform(0, 360), rng.uniform(0, 0.4), rng.uniform(0.05, 0.6))
    return _mix(dark, from_hsv(rng.uniform(0, 360), rng.uniform(0, 0.2), rng.uniform(0.4, 1)), share.astype(np.float32))


def plain(rng: np.random.Generator, side: int) -> Image:
    """Lacquer or plastic: one tone, hardly any structure; often white."""
    if rng.random() < 0.45:
        base = from_hsv(rng.uniform(0, 360), rng.uniform(0, 0.10), rng.uniform(0.75, 1.0))
    else:
        base = from_hsv(rng.uniform(0, 360), rng.uniform(0, 0.9), rng.uniform(0.05, 0.9))
    darker: Bgr = (base[0] * 0.85, base[1] * 0.85, base[2] * 0.85)
    return _mix(darker, base, _noise(rng, side, 3, 3))


def brushed(rng: np.random.Generator, side: int) -> Image:
    """Brushed metal or a dark laminate with fine scratches."""
    share = np.clip(0.4 * _noise(rng, side, 3, side / 2) + 0.6 * _noise(rng, side, 2, 4), 0, 1)
    base = from_hsv(rng.uniform(0, 360), rng.uniform(0, 0.5), rng.uniform(0.12, 0.85))
    darker: Bgr = (base[0] * 0.6, base[1] * 0.6, base[2] * 0.6)
    return _mix(darker, base, share.astype(np.float32))


def bricks(rng: np.random.Generator, side: int) -> Image:
    """Blocks in staggered rows with joints: brick, parquet blocks, woven mats; about as oblong as tiles are."""
    high = side / rng.uniform(4, 22)
    wide = high * rng.uniform(0.6, 3.5)
    axis = np.arange(side, dtype=np.float32)
    row = np.floor(axis / high)
    across = axis[None, :] + (row % 2 * rng.choice([0.33, 0.5]) * wide)[:, None]
    column = np.floor(across / wide)
    block = (row[:, None] * 31 + column * 17).astype(np.int64) % 97
    tone = rng.random(97, dtype=np.float32)[block]
    share = 0.5 * tone * rng.uniform(0.1, 1) + 0.5 * _noise(rng, side, 70, rng.choice([10, 70]))
    joint = max(1.0, high * rng.uniform(0.01, 0.08))
    on_joint = ((axis % high) < joint)[:, None] | ((across % wide) < joint)
    low, high_tone = _wood_tone(rng) if rng.random() < 0.5 else _any_tones(rng)
    picture = _mix(low, high_tone, share.astype(np.float32))
    picture[on_joint] = np.clip(picture[on_joint] * rng.uniform(0.3, 1.7), 0, 255).astype(np.uint8)
    return picture


def checks(rng: np.random.Generator, side: int) -> Image:
    """Checkerboards, gingham and argyle, upright or on the point, square or oblong."""
    pitch_x = side / rng.uniform(4, 26)
    pitch_y = pitch_x * rng.uniform(0.6, 1.7)
    axis = np.arange(side, dtype=np.float32)
    x, y = axis[None, :] / pitch_x, axis[:, None] / pitch_y
    if rng.random() < 0.5:
        x, y = (x + y) / 2, (x - y) / 2
    first, second = np.floor(x) % 2, np.floor(y) % 2
    share = (first + second) / 2 if rng.random() < 0.4 else np.abs(first - second)
    line = (x % 1 < 0.03) | (y % 1 < 0.03)
    share = np.where(line & (rng.random() < 0.4), 1 - share, share) * 0.85 + 0.15 * _noise(rng, side, 80, 80)
    return _mix(*_any_tones(rng), np.asarray(share, np.float32))


def printed(rng: np.random.Generator, side: int) -> Image:
    """Oilcloth: dots, leaves or little squares strewn over one tone, some as large as a tile."""
    ground, other = _any_tones(rng)
    if rng.random() < 0.4:
        ground = from_hsv(rng.uniform(0, 360), rng.uniform(0, 0.12), rng.uniform(0.85, 1.0))
    picture = _mix((ground[0] * 0.92, ground[1] * 0.92, ground[2] * 0.92), ground, _noise(rng, side, 5, 5))
    inks = (other, from_hsv(rng.uniform(0, 360), rng.uniform(0, 0.9), rng.uniform(0.2, 1.0)))
    pitch = side / rng.uniform(5, 22)
    size, jitter = pitch * rng.uniform(0.12, 0.4), pitch * rng.choice([0.0, 0.35])
    kind = int(rng.integers(3))
    for row, y in enumerate(np.arange(pitch / 2, side, pitch)):
        for x in np.arange(pitch / 2 * (1 + row % 2), side, pitch):
            spot = np.array([x, y]) + jitter * rng.uniform(-1, 1, 2)
            ink = inks[int(rng.random() < 0.4)]
            centre = (int(spot[0] * 16), int(spot[1] * 16))
            if kind == 0:
                cv2.circle(picture, centre, int(size * 16), ink, -1, cv2.LINE_AA, 4)
            elif kind == 1:
                axes = (int(size * 16), int(size * 16 * 0.45))
                cv2.ellipse(picture, centre, axes, float(rng.uniform(0, 360)), 0, 360, ink, -1, cv2.LINE_AA, 4)
            else:
                corners = cv2.boxPoints((tuple(map(float, spot)), (2 * size, 2.6 * size), float(rng.uniform(0, 90))))
                cv2.fillConvexPoly(picture, np.round(corners * 16).astype(np.int32), ink, cv2.LINE_AA, 4)
    return picture


def knitted(rng: np.random.Generator, side: int) -> Image:
    """A knitted or waffled blanket: rows of stitches, each with a lit and a shaded side."""
    wide = side / rng.uniform(14, 60)
    high = wide * rng.uniform(0.7, 1.4)
    axis = np.arange(side, dtype=np.float32)
    lean = np.abs((axis / wide) % 1 - 0.5) * 2
    phase = (axis[:, None] / high + rng.uniform(0, 0.9) * lean[None, :]) % 1
    stitch = np.sin(np.pi * phase) * np.sqrt(np.sin(np.pi * ((axis / wide) % 1)))[None, :]
    share = 0.25 + rng.uniform(0.3, 0.75) * stitch + 0.2 * (_noise(rng, side, 8, 8) - 0.5)
    return _mix(*_any_tones(rng), np.asarray(np.clip(share, 0, 1), np.float32))


def _any_tones(rng: np.random.Generator) -> tuple[Bgr, Bgr]:
    hue = rng.uniform(0, 360)
    value = rng.uniform(0.15, 1.0)
    far = hue + rng.choice([0, 0, 30, 120, 180])
    dark = from_hsv(hue, rng.uniform(0, 0.8), value * rng.uniform(0.3, 0.92))
    return dark, from_hsv(far, rng.uniform(0, 0.6), value)


def ceramic(rng: np.random.Generator, side: int) -> Image:
    """Square floor tiles with joints (judging only)."""
    pitch = int(rng.integers(side // 7, side // 3))
    picture = plain(rng, side).astype(np.float32) * (0.9 + 0.2 * _noise(rng, side, 30, 30))[..., None]
    joint = np.asarray(from_hsv(30, 0.1, rng.uniform(0.3, 0.8)), np.float32)
    axis = np.arange(side) % pitch < max(2, side // 160)
    picture[axis, :] = joint
    picture[:, axis] = joint
    return np.clip(picture, 0, 255).astype(np.uint8)


def herringbone(rng: np.random.Generator, side: int) -> Image:
    """Parquet in zigzag (judging only)."""
    pitch = side / rng.uniform(6, 14)
    axis = np.arange(side, dtype=np.float32)
    zigzag = np.abs((axis[:, None] % (2 * pitch)) - pitch)
    band = (axis[None, :] + zigzag) % pitch
    plank = np.floor((axis[None, :] + zigzag) / pitch)
    share = 0.35 + 0.3 * ((plank * 7 % 5) / 5) + 0.35 * _noise(rng, side, 60, 8)
    share = np.where(band < max(1.5, pitch * 0.04), share * 0.35, share)
    return _mix(*_wood_tone(rng), share.astype(np.float32))


def damask(rng: np.random.Generator, side: int) -> Image:
    """A tablecloth woven in a repeating ornament (judging only)."""
    axis = np.arange(side, dtype=np.float32) * 2 * np.pi / (side / rng.uniform(4, 9))
    ornament = np.sin(axis[None, :] + 1.3 * np.sin(2 * axis[:, None])) * np.cos(
        axis[:, None] + np.sin(3 * axis[None, :])
    )
    base = from_hsv(rng.uniform(0, 360), rng.uniform(0, 0.6), rng.uniform(0.3, 1.0))
    darker: Bgr = (base[0] * 0.82, base[1] * 0.82, base[2] * 0.82)
    share = 0.5 + 0.5 * np.tanh(4 * ornament) * 0.8 + 0.1 * (_noise(rng, side, 90, 90) - 0.5)
    return _mix(darker, base, share.astype(np.float32))


TRAINING_SURFACES: tuple[Surface, ...] = (
    wood, wood, cloth, marble, stripes, carpet, stone, plain, plain, brushed, bricks, checks, printed, knitted,
)  # fmt: skip
JUDGE_SURFACES: tuple[Surface, ...] = (ceramic, herringbone, damask)
"""Never used in training."""
