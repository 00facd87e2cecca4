"""Was this taken off a screen?  What real tiles under a real lamp have and tiles on a screen lack, and the reverse.

Real tiles are lit: the lamp falls off over the table, each tile lies a little askew and shines a little otherwise, so
that the same place of two bodies never has the same level; and hands lay them, each turned a little otherwise.  An
app draws every tile alike and straight, and neither JPEG nor scaling makes equal things different.  A photo of a screen
adds the smooth fall-off of its glow and lens over all tiles together, which can be taken out, and mixes the screen's
stripes of red, green and blue with the sensor's grid: coloured waves of a few pixels across the tiles' bodies, where
plastic is plain.

All is measured on the bodies, away from ink.  ``python -m tests.measure.strange`` tries it on screens.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.levels import levels_at
from vision.rectify import CROP_PAD, inner

Image = NDArray[np.uint8]
Floats = NDArray[np.float64]

_RIM = 0.1
"""Part of the face left out on each side: rims are bevelled and shaded, on screens too."""
_INK = 28
"""Levels from the body at which a pixel is no body any more."""
_BODY_PERCENTILE = 70
_INK_REACH = 5
"""Side in pixels of what is left out around ink: its blurred edge."""
_FINE = 3
_MOST_FACES = 48
"""More say nothing new."""
_PLACES = 3
"""Bodies are compared in so many places across and so many down."""
_LEAST_IN_PLACE = 10
_BURNT = 250
"""A place as bright as this in all channels is clipped, and so alike under any lamp."""
_USUAL_LEVEL = 230.0
_DARKEST = 64.0
"""Bodies darker than this have too few levels to be compared."""

ALIKE_FACES, ALIKE = 6, 2.2
"""From so many faces on, bodies that differ by less than this (levels of 255, four faces of five) were drawn.

Screenshots saved as JPEG of quality 50 to 95 have 0.2 to 1.9, one of 24 3.1; shared photos 4.1 at least."""
EVEN_FACES, EVEN = 20, 0.45
"""From so many faces on, bodies that differ by less than this (per cent, four faces of five) after the lamp's smooth
fall-off was taken out are on a screen: its photos have 0.15 to 0.4 without strong moiré; shared photos 0.8 at least,
and rendered tables 1.2."""

STRAIGHT, IN_LINE = 1.5, 0.65
"""Degrees by which four tiles of five are turned at most: on a screenshot from the picture's own sides (seen: 0.35 to
1.1), on a photo of a screen from what a slanting view makes of straight lines (seen: 0.3 to 0.55).  Rendered tables
have 0.7 to 30 and few less, which is why it is asked for besides: an even lamp alone is no screen."""


def off_a_screen(image: Image, quads: NDArray[np.floating], crops: Image) -> bool:
    """Whether the faces at ``quads`` (N, 4, 2) of a picture uint8 (H, W, 3) BGR were shown on a screen.

    ``crops`` uint8 (N, H, W, 3) BGR are theirs as ``rectify`` cuts them.
    """
    few = np.linspace(0, len(quads) - 1, min(len(quads), _MOST_FACES)).round().astype(int)
    if len(few) >= ALIKE_FACES and (_straight(quads[few]) or _in_line(quads[few])):  # as tiles laid by hand never are
        levels = body_levels(crops[few])
        if drawn_alike(levels, quads[few]) or even_but_for_the_lamp(levels, quads[few]):
            return True
    return shows_grid(image, quads)


def body_levels(crops: Image) -> Floats:
    """Mean body colour at each place of each face, (N, places, 3) BGR; NaN where a place is not body or burnt out.

    ``crops`` is uint8 (N, H, W, 3) BGR as ``rectify`` cuts them.
    """
    faces = inner(crops, CROP_PAD + _RIM)
    count, (high, wide) = len(faces), (side // _PLACES for side in faces.shape[1:3])
    faces = np.ascontiguousarray(faces[:, : _PLACES * high, : _PLACES * wide])
    if not count:
        return np.full((0, _PLACES * _PLACES, 3), np.nan)
    body = np.repeat(_is_body(faces)[..., None], 3, axis=3)
    members, sums = _in_places(body, high, wide), _in_places(faces * body, high, wide)
    levels = sums / np.maximum(members, 1)
    unknown = (members[..., :1] < _LEAST_IN_PLACE) | (levels.min(axis=2, keepdims=True) >= _BURNT)
    return np.where(unknown, np.nan, levels)


def _in_places(faces: NDArray[np.generic], high: int, wide: int) -> Floats:
    """Sums of each channel over places ``high`` × ``wide`` of faces (N, H, W, 3): (N, places, 3)."""
    count = len(faces)
    rows = faces.reshape(count, _PLACES, high, -1).sum(axis=2, dtype=np.int32)
    sums = rows.reshape(count, _PLACES, _PLACES, wide, 3).sum(axis=3)
    return np.asarray(sums.reshape(count, -1, 3), np.float64)


def _is_body(faces: Image) -> NDArray[np.bool_]:
    """Which pixels of faces uint8 (N, H, W, 3) are plain body, away from ink; a grid finer than ink is no ink."""
    count, height, width = faces.shape[:3]
    tower = faces.reshape(count * height, width, 3)
    smooth = np.asarray(cv2.blur(tower, (_FINE, _FINE)), np.uint8)
    rank = height * width * _BODY_PERCENTILE // 100
    body = levels_at(smooth.reshape(count, height * width, 3), rank)
    bodies = np.tile(body, (1, height * width)).reshape(tower.shape)
    one, two, three = cv2.split(cv2.absdiff(smooth, bodies))
    ink = (cv2.max(cv2.max(one, two), three) > _INK).astype(np.uint8)
    reach = np.ones((_INK_REACH, _INK_REACH), np.uint8)
    return np.asarray(cv2.dilate(ink, reach) == 0, np.bool_).reshape(faces.shape[:3])


def drawn_alike(levels: Floats, quads: NDArray[np.floating]) -> bool:
    """Whether the bodies (N, places, 3) at ``quads`` (N, 4, 2) are alike and straight as only drawn ones are."""
    seen = np.isfinite(levels[..., 0]).sum(axis=1) >= _PLACES
    if seen.sum() < ALIKE_FACES or not _straight(quads):
        return False
    usual = _middle(levels[seen], axis=0)
    level = _middle(usual, axis=0).max()
    if level < _DARKEST:
        return False
    apart = _middle(np.abs(levels[seen] - usual), axis=1).max(axis=1)
    return bool(np.quantile(apart, 0.8) * _USUAL_LEVEL / level < ALIKE)


def even_but_for_the_lamp(levels: Floats, quads: NDArray[np.floating]) -> bool:
    """Whether the bodies (N, places, 3) at ``quads`` (N, 4, 2) are alike once a smooth fall-off is taken out, and lie
    in line as only drawn ones do."""
    known = np.isfinite(levels[..., 0])
    if (known.sum(axis=1) >= _PLACES).sum() < EVEN_FACES or np.nanmax(levels) < _DARKEST or not _in_line(quads):
        return False
    face, place = np.nonzero(known)
    at = _places_of(quads)[face, place]
    at = (at - at.mean(axis=0)) / np.maximum(np.abs(at - at.mean(axis=0)).max(), 1e-6)
    x, y = at.T
    # each place of a face has a level of its own, since faces are graded; the lamp is a quadratic over the picture
    terms = np.column_stack([x, y, x * x, x * y, y * y, np.eye(_PLACES * _PLACES)[place]])
    wanted = np.log(np.maximum(levels[face, place], 1.0))
    rest = wanted - terms @ _fitted(terms, wanted)
    members = known.sum(axis=1)
    sums = np.stack([np.bincount(face, rest[:, channel], len(levels)) for channel in range(3)], axis=1)
    compared = members >= _PLACES
    apart = np.abs(sums[compared] / members[compared, None]).max(axis=1)
    return bool(100 * np.quantile(apart, 0.8) < EVEN)


def _turns(quads: NDArray[np.floating]) -> Floats:
    """How far each quad (N, 4, 2) is turned from the picture's own sides, −45 to 45 degrees (N,)."""
    right = quads[:, 1] - quads[:, 0] + quads[:, 2] - quads[:, 3]
    return np.asarray((np.degrees(np.arctan2(right[:, 1], right[:, 0])) + 45) % 90 - 45, np.float64)


def _straight(quads: NDArray[np.floating]) -> bool:
    """Whether quads (N, 4, 2) lie along the picture's own sides, as on a screenshot."""
    return bool(np.quantile(np.abs(_turns(quads)), 0.8) <= STRAIGHT)


def _in_line(quads: NDArray[np.floating]) -> bool:
    """Whether quads (N, 4, 2) lie as straight as a slanting view of things in line shows them."""
    turns = np.radians(_turns(quads))
    mean = np.angle(np.exp(4j * turns).mean()) / 4
    turns = np.degrees((turns - mean + np.pi / 4) % (np.pi / 2) - np.pi / 4)
    middle = quads.mean(axis=1).astype(np.float64)
    middle = (middle - middle.mean(axis=0)) / np.maximum(np.abs(middle - middle.mean(axis=0)).max(), 1e-6)
    terms = np.column_stack([np.ones(len(quads)), middle])
    return bool(np.quantile(np.abs(turns - (terms @ _fitted(terms, turns[:, None]))[:, 0]), 0.8) <= IN_LINE)


def _fitted(terms: Floats, wanted: Floats) -> Floats:
    """Coefficients (T, C) of ``terms`` (M, T) for ``wanted`` (M, C), in which outliers hardly count."""
    weight = np.ones((len(terms), 1))
    for _ in range(3):
        found = np.linalg.lstsq(terms * weight, wanted * weight, rcond=None)[0]
        away = np.abs(wanted - terms @ found).max(axis=1, keepdims=True)
        weight = 1 / np.maximum(1, away / max(2 * float(np.median(away)), 1e-6))
    return np.asarray(found, np.float64)


def _places_of(quads: NDArray[np.floating]) -> Floats:
    """Where the places of each quad (N, 4, 2) lie in the picture, (N, places, 2)."""
    steps = (np.arange(_PLACES) + 0.5) / _PLACES * (1 - 2 * _RIM) + _RIM
    v, u = (grid.ravel()[None, :, None] for grid in np.meshgrid(steps, steps, indexing="ij"))
    a, b, c, d = (quads[:, None, k] for k in range(4))
    return np.asarray((1 - v) * ((1 - u) * a + u * b) + v * ((1 - u) * d + u * c), np.float64)


def _middle(values: Floats, axis: int) -> Floats:
    """The median along an axis without NaN; NaN where nothing else is."""
    counted = np.isfinite(values).sum(axis=axis, keepdims=True)
    ordered = np.sort(values, axis=axis)  # NaN goes to the end
    low, high = np.maximum(counted - 1, 0) // 2, counted // 2
    high = np.where(counted > 0, np.minimum(high, np.maximum(counted - 1, 0)), 0)
    both = np.take_along_axis(ordered, low, axis) + np.take_along_axis(ordered, high, axis)
    return np.asarray(np.squeeze(both / 2, axis=axis), np.float64)


# --- the screen's own grid ---------------------------------------------------------------------------------------

_WINDOW, _LAG = 32, 14
"""Waves are looked for in windows of this side, and up to this distance from themselves; in picture pixels."""
_NEAREST_LAG = 5
"""Nearer than this everything resembles itself."""
_MOST_WINDOWS, _LEAST_WINDOWS = 8, 4
_LEAST_BODY, _LEAST_PAIRS = 150, 40
_SLOW = 4.0
"""Sigma in pixels of what counts as shading, not as waves."""
WAVES, WAVE_LEVELS = 0.7, 5.0
"""Colour that comes again like this (correlation) and this strongly (levels of 255) is a screen's grid."""


def shows_grid(image: Image, quads: NDArray[np.floating]) -> bool:
    """Whether coloured waves of a few pixels run over the bodies at ``quads`` (N, 4, 2) of a picture (H, W, 3) BGR."""
    seen = coloured_waves(image, quads, WAVE_LEVELS)
    return any(alike >= WAVES and strong >= WAVE_LEVELS for alike, strong in seen)


def coloured_waves(
    image: Image, quads: NDArray[np.floating], least: float = 0.0
) -> tuple[tuple[float, float], tuple[float, float]]:
    """For red against green and blue against green: how much waves resemble themselves some pixels on (0 to 1), and
    their strength in levels of 255; both the median over some of the faces, and 0 where there are no waves of
    ``least`` levels."""
    step = max(1, len(quads) // _MOST_WINDOWS)
    windows = [_body_window(image, quad) for quad in quads[::step][:_MOST_WINDOWS]]
    red, blue = (_coloured([window for window in windows if window is not None], one, least) for one in (2, 0))
    return red, blue


def _coloured(
    windows: list[tuple[NDArray[np.float32], NDArray[np.float32]]], one: int, least: float
) -> tuple[float, float]:
    """The same for the channel ``one`` against green, from pixels (h, w, 3) and masks (h, w) of bodies."""
    if len(windows) < _LEAST_WINDOWS:
        return 0.0, 0.0
    waves = [(_waves(pixels[..., one] - pixels[..., 1], mask), mask) for pixels, mask in windows]
    # waves are never stronger than all that varies, and that is known without comparing it with itself
    if np.median([np.sqrt((wave * wave).sum() / mask.sum()) for wave, mask in waves]) < least:
        return 0.0, 0.0
    alike, strong = np.median([_resemblance(wave, mask) for wave, mask in waves], axis=0).tolist()
    return alike, strong


def _body_window(image: Image, quad: NDArray[np.floating]) -> tuple[NDArray[np.float32], NDArray[np.float32]] | None:
    """The window of a face with the most body in it, float32 (h, w, 3), and a mask (h, w) of its body pixels."""
    middle = quad.mean(axis=0)
    low = np.maximum(np.maximum(np.floor(quad.min(axis=0)), np.round(middle) - _WINDOW), 0).astype(int)
    high = np.minimum(np.minimum(np.ceil(quad.max(axis=0)) + 1, np.round(middle) + _WINDOW), image.shape[1::-1])
    patch = np.ascontiguousarray(image[low[1] : int(high[1]), low[0] : int(high[0])])
    if min(patch.shape[:2]) < _WINDOW // 2:
        return None
    within = np.zeros(patch.shape[:2], np.uint8)
    cv2.fillConvexPoly(within, np.round(middle + (1 - 2 * _RIM) * (quad - middle) - low).astype(np.int32), 1)
    body = (_is_body(patch[None])[0] & (within > 0)).astype(np.float32)
    high_px, wide_px = (min(_WINDOW, side) for side in patch.shape[:2])
    filled = cv2.boxFilter(body, -1, (wide_px, high_px), anchor=(0, 0), normalize=False,
                           borderType=cv2.BORDER_CONSTANT)  # fmt: skip
    top, left = np.unravel_index(int(filled.argmax()), filled.shape)
    window = np.s_[top : top + high_px, left : left + wide_px]
    if body[window].sum() < _LEAST_BODY:
        return None
    return patch[window].astype(np.float32), body[window]


def _waves(values: NDArray[np.float32], mask: NDArray[np.float32]) -> NDArray[np.float32]:
    """What varies in ``values`` (h, w) on ``mask`` without slow changes; 0 beside it."""
    slow = cv2.GaussianBlur(values * mask, (0, 0), _SLOW) / np.maximum(cv2.GaussianBlur(mask, (0, 0), _SLOW), 1e-3)
    return np.asarray((values - slow) * mask, np.float32)


def _resemblance(waves: NDArray[np.float32], mask: NDArray[np.float32]) -> tuple[float, float]:
    """How much ``waves`` (h, w) on ``mask`` resemble themselves, or their negative, a few pixels on, and their
    strength.

    What JPEG leaves at the borders of its blocks, along the axes at multiples of 8, is not looked at.
    """
    pairs = _correlated(mask)
    covariance = _correlated(waves) / np.maximum(pairs, 1.0)
    variance = float(covariance[_LAG, _LAG])
    looked_at = _LOOKED_AT & (pairs >= _LEAST_PAIRS)
    if variance < 1e-3 or not looked_at.any():
        return 0.0, 0.0
    alike = float(np.abs(covariance[looked_at]).max()) / variance
    return alike, float(np.sqrt(variance * min(alike, 1.0)))


def _correlated(values: NDArray[np.floating]) -> Floats:
    """Sums of products of all pixels with those at each distance up to ``_LAG``, (2 · _LAG + 1, 2 · _LAG + 1)."""
    size = 2 * _WINDOW
    power = np.abs(np.fft.rfft2(values, (size, size))) ** 2
    shifted = np.fft.fftshift(np.fft.irfft2(power, (size, size)))
    near = slice(_WINDOW - _LAG, _WINDOW + _LAG + 1)
    return np.asarray(shifted[near, near], np.float64)


def _lags_looked_at() -> NDArray[np.bool_]:
    y, x = np.mgrid[-_LAG : _LAG + 1, -_LAG : _LAG + 1]
    away = np.hypot(x, y)
    along = ((np.abs(x) <= 1) & (np.abs((np.abs(y) + 4) % 8 - 4) <= 1)) | (
        (np.abs(y) <= 1) & (np.abs((np.abs(x) + 4) % 8 - 4) <= 1)
    )
    return np.asarray((away >= _NEAREST_LAG) & (away <= _LAG) & ~along, np.bool_)


_LOOKED_AT = _lags_looked_at()
