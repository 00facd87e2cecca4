"""What the light does to the tiles: how bright their bodies are, burnt, glaring, shaded, tinted.

Everything is measured on rectified crops, uint8 (N, H, W, 3) BGR as ``rectify`` cuts them: what the table top looks
like is nobody's business.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.colour import LEAST_PEAK, deviation

Image = NDArray[np.uint8]
Floats = NDArray[np.float64]

_EDGE = 0.17
"""Part of the crop left out on each side: padding, rim and bevel."""
_BODY_PERCENTILE = 85
_CLIPPED = 252
"""From this level of 255 on a channel has reached its end."""
_HIGHLIGHT, _TOWARDS_WHITE = 225, 0.5
"""A highlight is nearly white, and has brought its face's body at least half of the way there."""
_LEAST_LIFT = 10
"""On a body that is nearly white itself no highlight can be told by its level: its noise reaches as far …"""
_INK_PERCENTILE = 2
_VEILED, _BRIGHTENED = 0.4, 0.25
"""… but its ink tells: every ink is dark in one channel, and what has brought a face's darkest parts so far from the
table's usual ones towards white, and its body from the usual one, is a highlight over it.  Without glare the ink comes
0.29 of the way at most on the shared photos, and a joker drawn with a thin pen 0.47, whose body is as all others'."""
_BURNT_OUT, _BEYOND_OTHERS = 250, 1.04
"""A blank face at this level, so much brighter than the others, may have a numeral that no one can see."""
_BRIGHTEST_BODY = 1.15
"""Bodies differ by so much under an even lamp; one that is still brighter lies under a highlight as a whole."""
_GLARING_SHARE = 0.12
"""A face with so much of it under a highlight has glare on it."""
_WASHED = 0.6
"""A numeral is washed out when its contrast is less than this part of the usual one on the table."""
_RIM_FROM, _RIM_TO = 0.13, 0.2
"""The blank strip along a face's edges, in parts of the crop: shadows are looked for where nothing is printed."""
_RIM_BLOCKS = 4
_LUMA = np.array([0.114, 0.587, 0.299])


@dataclass(frozen=True, slots=True)
class Light:
    """How the faces are lit."""

    brightness: float
    """level of the bodies, 0 to 255, the median over the tiles"""
    burnt: float
    """share of the faces' area in which all three channels have reached their end, 0 to 1"""
    uneven: float
    """the brightest tiles' bodies over the darkest ones'"""
    shaded: float
    """share of the faces with the edge of a hard shadow across them, 0 to 1"""
    cast: float
    """the strongest channel of the bodies over the weakest: 1 is grey, cream bodies reach 1.3"""


def light_on(crops: Image) -> Light:
    """Measure the light on faces; at least one."""
    faces = _inner(crops)
    pixels = faces.reshape(len(faces), -1, 3)
    bodies = np.percentile(pixels, _BODY_PERCENTILE, axis=1).astype(np.float64)
    luma = np.maximum(bodies @ _LUMA, 1.0)
    usual = np.maximum(np.median(bodies, axis=0), 1.0)
    return Light(
        brightness=float(np.median(luma)),
        burnt=float((pixels.min(axis=2) >= _CLIPPED).mean()),
        uneven=float(np.percentile(luma, 95) / np.percentile(luma, 5)),
        shaded=float((rim_contrast(crops) > HARD_SHADOW).mean()),
        cast=float(usual.max() / usual.min()),
    )


def glare_on(crops: Image) -> tuple[float, int]:
    """The share of the tiles with a highlight on them, 0 to 1, and on how many of these no numeral is left.

    A numeral that is wholly washed out looks like a face-down tile, so these belong into the question too.
    """
    if not len(crops):
        return 0.0, 0
    faces = _inner(crops)
    weakest = faces.reshape(len(faces), -1, 3).min(axis=2)
    # ink and highlights leave half of a face alone, so that its median is its body's own level
    level = np.minimum(np.median(weakest, axis=1), _BRIGHTEST_BODY * float(np.median(weakest)))
    lifted = level + _TOWARDS_WHITE * (255 - level)
    least = np.maximum(np.maximum(lifted, level + _LEAST_LIFT), _HIGHLIGHT)
    highlight = (weakest >= least[:, None]).mean(axis=1)
    peak = deviation(faces).peak
    glaring = (highlight >= _GLARING_SHARE) | _glaring_white(weakest, peak)
    faint = peak < max(_WASHED * float(np.median(peak)), LEAST_PEAK)
    return float(glaring.mean()), int((glaring & faint).sum())


def _glaring_white(weakest: NDArray[np.uint8], peak: NDArray[np.floating]) -> NDArray[np.bool_]:
    """Which bright faces (N,) lie under a highlight by what it does to their ink; ``weakest`` (N, P) is the lowest
    channel of each pixel, ``peak`` (N,) the strength of the print."""
    body = np.median(weakest, axis=1)
    printed = peak >= LEAST_PEAK
    dark = np.percentile(weakest, _INK_PERCENTILE, axis=1)
    usual = float(np.median(dark[printed])) if printed.any() else 255.0
    others = float(np.median(body))
    bright = body >= max(_HIGHLIGHT, others + _BRIGHTENED * (255 - others))
    veiled = printed & bright & (dark >= usual + _VEILED * (255 - usual))
    burnt_out = ~printed & (body >= max(_BURNT_OUT, _BEYOND_OTHERS * others))
    return np.asarray(veiled | burnt_out, np.bool_)


HARD_SHADOW = 1.5
"""A rim so much brighter in one place than elsewhere has a shadow's edge across it; shared photos have 1.3 at most."""


def rim_contrast(crops: Image) -> Floats:
    """How unevenly the blank rim of each face is lit (N,): the second brightest of its parts over the second darkest.

    The outermost ones are left out, so that a digit that reaches into the rim is no shadow.
    """
    luma = crops.astype(np.float64) @ _LUMA
    height, width = luma.shape[1:]
    (top, low), (left, in_left) = [(round(_RIM_FROM * side), round(_RIM_TO * side)) for side in (height, width)]
    strips = (
        luma[:, top:low, left : width - left],
        luma[:, height - low : height - top, left : width - left],
        luma[:, top : height - top, left:in_left].transpose(0, 2, 1),
        luma[:, top : height - top, width - in_left : width - left].transpose(0, 2, 1),
    )
    blocks = [np.median(block, axis=(1, 2)) for strip in strips for block in np.array_split(strip, _RIM_BLOCKS, axis=2)]
    levels = np.sort(np.stack(blocks, axis=1), axis=1)
    return np.asarray(levels[:, -2] / np.maximum(levels[:, 1], 1.0), np.float64)


def picture_exposure(image: Image) -> tuple[float, float]:
    """How bright a picture uint8 (H, W, 3) BGR is as a whole, and how much of it is burnt out.

    The first is the level, 0 to 255, that a twentieth of it exceeds, the second a share, 0 to 1.
    """
    step = max(1, max(image.shape[:2]) // 400)
    some = image[::step, ::step]
    return float(np.percentile(some @ _LUMA, 95)), float((some.min(axis=2) >= _CLIPPED).mean())


def _inner(crops: Image) -> Image:
    height, width = crops.shape[1:3]
    top, left = round(_EDGE * height), round(_EDGE * width)
    return np.ascontiguousarray(crops[:, top : height - top, left : width - left])
