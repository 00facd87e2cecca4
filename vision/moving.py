"""What moved over a table, told from small pictures: nothing, only the light, something, the camera; and what reaches
in from the rim.

Everything works on pictures ``vision.change.in_small``, and lengths are in their pixels.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.observation import Quad
from vision.assemble import USUAL_ASPECT
from vision.change import LEAST_CHANGE_OF_PICTURE, picture_apart

Floats = NDArray[np.float32]
Mask = NDArray[np.uint8]

BLOCK = 16
"""Side of the blocks in which structure is compared."""
TEXTURED = 2.5
"""Standard deviation in grey levels, without the slow gradients, from which a block has a structure to compare."""
SAME_STRUCTURE = 0.8
"""Correlation from which two blocks show the same under whatever light."""
MOSTLY = 0.85
"""With the same structure in this share of the changed blocks only the light changed."""
LEAST_BLOCKS = 6
"""With fewer blocks to compare, structure tells nothing."""
BROAD = 0.5
"""A change of more of the picture than this is the camera's or the lamp's."""
SLOW = 15
"""Gradients over more pixels than this are light, not structure."""
LEAST_SHIFTED = 0.01
"""A camera that moved changes more of the picture than this."""
MOVED_PX = 0.4
"""A picture that fits the former one when shifted by so much was taken by a camera that moved."""
FITS_SHIFTED = 0.35
"""Peak of the phase correlation from which a shift is believed."""
ANOTHER_LIGHT = 0.1
"""Logarithm of the factor between the middle levels of two pictures from which they show another light."""
DARK = 40.0
"""Where hardly a pixel is lighter than this, it is too dark to tell anything."""
BRIGHT = 250.0
"""Where most pixels are lighter than this, it is too bright to tell anything."""
LEAST_FOREIGN = 0.07
"""What differs from the bare table by this share of white may be something over it."""
NOISE = 7.0
"""The quietest quarter of a picture differs by the camera's noise alone; nothing below so many times as much counts."""
LEAST_HAND = 0.5
"""Something that reaches in from the rim is no hand below so many tile areas; where skin looks like the table, only a
part of a hand shows ..."""
LEAST_HAND_SHARE = 0.004
"""... or, where no tile was seen yet, below this share of the picture."""
LEAST_REACH = 1.2
"""... nor where it reaches in by less than so many tile heights: racks stand at the rim, tiles come and go there."""
LEAST_THING = 3.0
"""Something that does not reach the rim is nothing to wait for below so many tile areas."""
LEAST_EDGE = 1.0
"""The outline of something that lies over the table is steeper than the table was there, by grey levels a pixel ..."""
STEEP, LEAST_STEEP = 2.0, 0.25
"""... and by so many in this share of the outline, which no light makes."""
RIM = 2.5
"""What is nearer to the rim than this touches it."""
AROUND_TILE = 1.35
"""Tiles are left out with what is around them, their walls and shadows: so many times their size."""


class Motion(StrEnum):
    """What happened between two pictures."""

    NONE = "none"
    LIGHT = "light"
    MOVING = "moving"
    CAMERA = "camera"


def motion(before: Floats, after: Floats, within: Mask | None = None) -> Motion:
    """What changed between two pictures ``in_small`` of one size, in the region ``within`` (h, w), 0 outside of it."""
    apart = picture_apart(before, after)
    least = max(LEAST_CHANGE_OF_PICTURE, NOISE * _quiet(apart))
    if within is not None:
        apart[within == 0] = 0
    changed = apart > least
    if not changed.any():
        return Motion.NONE
    if _same_structure(before, after, changed):
        return Motion.LIGHT
    share = changed.mean() / (1.0 if within is None else max((within > 0).mean(), 1e-6))
    if share > BROAD:
        return Motion.CAMERA
    return Motion.CAMERA if share > LEAST_SHIFTED and _shifted(before, after) else Motion.MOVING


def too_dark_or_bright(picture: Floats) -> bool:
    """Whether a picture ``in_small`` shows too little to see a hand in it."""
    some = picture[::4, ::4]
    return bool(np.percentile(some, 99) < DARK or np.median(some) > BRIGHT)


def same_light(one: Floats, other: Floats) -> bool:
    """Whether two pictures ``in_small`` of one table were taken in about the same light."""
    levels = [np.median(picture[::4, ::4], axis=(0, 1)) for picture in (one, other)]
    return bool((np.abs(np.log((levels[0] + 1) / (levels[1] + 1))) < ANOTHER_LIGHT).all())


class Over(StrEnum):
    """What lies over a table that was bare."""

    NOTHING = "nothing"
    THING = "thing"
    """Something that does not reach the rim: a cup, or a hand in a sleeve of the table's own colour."""
    HAND = "hand"
    """Something that reaches in from the rim."""


def lies_over(bare: Floats, now: Floats, tiles: Sequence[Quad], scale: float, within: Mask | None = None) -> Over:
    """What lies over the table and was not there on the ``bare`` one; both are pictures ``in_small``, of one size.

    ``tiles`` are what was seen now, in pixels of the frame, of which ``scale`` gives those of the small pictures;
    ``within`` is the region of the table, 0 outside.
    """
    apart = picture_apart(bare, now)
    foreign = (apart > max(LEAST_FOREIGN, NOISE * _quiet(apart))).astype(np.uint8)
    if within is not None:
        foreign[within == 0] = 0
    if not foreign.any():
        return Over.NOTHING
    area = _without_tiles(foreign, tiles, scale)
    least = LEAST_HAND * area if area else LEAST_HAND_SHARE * foreign.size
    foreign = np.asarray(cv2.morphologyEx(foreign, cv2.MORPH_CLOSE, np.ones((5, 5), np.uint8)), np.uint8)
    count, parts, stats, _ = cv2.connectedComponentsWithStats(foreign)
    large = [part for part in range(1, count) if stats[part, cv2.CC_STAT_AREA] >= least]
    if not large:
        return Over.NOTHING
    inward = _inward(foreign.shape, within)
    reach = LEAST_REACH * np.sqrt(area / USUAL_ASPECT)
    steeper = _steepness(now) - _steepness(bare)
    shapes = [parts == part for part in large]
    over = [shape for shape in shapes if inward[shape].max() >= reach and _outlined(shape, steeper)]
    if any(inward[shape].min() <= RIM for shape in over):
        return Over.HAND
    return Over.THING if any(shape.sum() >= LEAST_THING / LEAST_HAND * least for shape in over) else Over.NOTHING


def _quiet(apart: Floats) -> float:
    """By how much the quietest quarter of a picture differs at most."""
    return float(np.percentile(apart[::4, ::4], 25))


def _same_structure(before: Floats, after: Floats, changed: NDArray[np.bool_]) -> bool:
    """Whether what changed shows the same under another light, and enough of it to tell."""
    one, other = _structure(before), _structure(after)
    rows, columns = (length // BLOCK * BLOCK for length in one.shape)
    blocks = [_blocks(picture[:rows, :columns]) for picture in (one, other)]
    touched = _blocks(changed[:rows, :columns].astype(np.float32)).mean(axis=1) > 0.1
    deviations = [np.sqrt((block**2).mean(axis=1)) for block in blocks]
    told = touched & ((deviations[0] > TEXTURED) | (deviations[1] > TEXTURED))
    if told.sum() < LEAST_BLOCKS:
        return False
    common = (blocks[0] * blocks[1]).mean(axis=1) / np.maximum(deviations[0] * deviations[1], 1e-3)
    return bool((common[told] > SAME_STRUCTURE).mean() >= MOSTLY)


def _structure(picture: Floats) -> Floats:
    """Grey (h, w) without its slow gradients."""
    grey = picture.mean(axis=2, dtype=np.float32)
    return np.asarray(grey - cv2.blur(grey, (SLOW, SLOW)), np.float32)


def _blocks(picture: Floats) -> Floats:
    """(B, BLOCK²) of a picture whose sides are whole blocks; each block about zero where the picture is."""
    rows, columns = picture.shape[0] // BLOCK, picture.shape[1] // BLOCK
    cut = picture.reshape(rows, BLOCK, columns, BLOCK).swapaxes(1, 2)
    return np.asarray(cut.reshape(rows * columns, BLOCK * BLOCK), np.float32)


def _shifted(before: Floats, after: Floats) -> bool:
    """Whether the second picture is the first one moved."""
    one, other = _structure(before), _structure(after)
    window = cv2.createHanningWindow((one.shape[1], one.shape[0]), cv2.CV_32F)
    (x, y), fits = cv2.phaseCorrelate(one, other, window)
    return fits > FITS_SHIFTED and float(np.hypot(x, y)) > MOVED_PX


def _inward(shape: tuple[int, ...], within: Mask | None) -> Floats:
    """How far each pixel lies from the rim of the region, or of the picture, float32."""
    inside = np.ones(shape, np.uint8) if within is None else (within > 0).astype(np.uint8)
    inside[[0, -1]] = 0
    inside[:, [0, -1]] = 0
    return np.asarray(cv2.distanceTransform(inside, cv2.DIST_L2, 3), np.float32)


def _without_tiles(foreign: Mask, tiles: Sequence[Quad], scale: float) -> float:
    """Take the tiles out of a mask, in place; returns the median area of one, 0 without any."""
    if not tiles:
        return 0.0
    quads = (np.array(tiles, np.float64) + 0.5) * scale - 0.5
    centres = quads.mean(axis=1, keepdims=True)
    for quad in centres + AROUND_TILE * (quads - centres):
        cv2.fillConvexPoly(foreign, np.round(quad).astype(np.int32), 0)
    a, b = quads[:, 2] - quads[:, 0], quads[:, 3] - quads[:, 1]
    return float(np.median(np.abs(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0])) / 2)


def _outlined(shape: NDArray[np.bool_], steeper: Floats) -> bool:
    """Whether a difference is something that came, not something that went, or a light: it has an outline now.

    ``steeper`` (h, w): by how much the picture is steeper now.
    """
    outline = np.asarray(cv2.morphologyEx(shape.astype(np.uint8), cv2.MORPH_GRADIENT, np.ones((3, 3), np.uint8)))
    outline[[0, -1]] = 0
    outline[:, [0, -1]] = 0
    where = outline > 0
    if not where.any():
        return True  # it fills the picture
    along = steeper[where]
    return float(along.mean()) > LEAST_EDGE and float((along > STEEP).mean()) > LEAST_STEEP


def _steepness(picture: Floats) -> Floats:
    """The strongest gradient of any channel (h, w) in grey levels a pixel."""
    channels = (
        cv2.magnitude(
            cv2.Sobel(channel, cv2.CV_32F, 1, 0, scale=1 / 8), cv2.Sobel(channel, cv2.CV_32F, 0, 1, scale=1 / 8)
        )
        for channel in cv2.split(picture)
    )
    one, two, three = channels
    return np.asarray(cv2.max(cv2.max(one, two), three), np.float32)
