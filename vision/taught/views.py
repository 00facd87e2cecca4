"""The same tile as other cameras and lamps would show it: examples cut anew, so that a box is learned, not a photo."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.read import BODY_PERCENTILE, UNIT_CORNERS
from vision.rectify import CROP_HEIGHT, CROP_PAD, CROP_WIDTH, inner
from vision.taught.examples import EXAMPLE_HEIGHT, EXAMPLE_PAD, EXAMPLE_WIDTH
from vision.taught.lens import Lens

Image = NDArray[np.uint8]
Picture = NDArray[np.float32]

_CORNER_SPREAD, _SHIFT, _STRETCH = 0.022, 0.03, 0.05
"""How far the reader's corners lie from the true ones, in face widths and heights: each, all together, and by size."""
_FEWEST_PX, _MOST_PX = 13.0, 64.0
"""Heights in the picture of what the lens shows; less could not be read, and numerals are alike to every lens."""
_LEAST_TAKEN = 0.15
"""Share of the light of each colour that every ink takes at least, to be scaled so that it takes all of one."""
_FULL_PX = CROP_HEIGHT * (1 - 2 * CROP_PAD)


def plain_views(crops: Image, lens: Lens) -> Image:
    """Examples uint8 (N, 128, 96, 3) BGR as the reader sees them through a lens: uint8 (N, 64, 48, 3) BGR."""
    return np.stack([_cut(crop, lens.corners) for crop in crops]) if len(crops) else _no_views()


def changed_views(crops: Image, lens: Lens, rng: np.random.Generator, nearness: float = 1.0) -> Image:
    """One other view of each example, uint8 (N, 128, 96, 3) BGR, through a lens: uint8 (N, 64, 48, 3) BGR.

    A view is framed a little wrongly, seen from farther away or at a slant, blurred, moved, lit and tinted otherwise,
    and noisy.  ``nearness`` is that of the camera: in the pictures that a lens needs, it is the lens' zoom for others.
    """
    views = [_spoilt(_cut(crop, lens.quads(_framed(rng)[None])[0]), rng, nearness) for crop in crops]
    return np.stack(views) if views else _no_views()


def in_any_ink(crops: Image, rng: np.random.Generator) -> Image:
    """Examples uint8 (N, 128, 96, 3) BGR, their faces printed with inks of random colours, paler or darker."""
    printed = crops.copy()
    for crop in printed:
        taken, strength = rng.uniform(_LEAST_TAKEN, 1, 3), rng.uniform(0.9, 1.6)
        face = inner(crop[None], EXAMPLE_PAD)[0]
        body = np.maximum(np.percentile(face, BODY_PERCENTILE, axis=(0, 1)), 1)
        dark = strength * (1 - np.minimum(face / body, 1.2).min(axis=2, keepdims=True))
        face[:] = np.clip(body * (1 - np.minimum(dark, 0.95) * taken / taken.max()), 0, 255).astype(np.uint8)
    return printed


def _no_views() -> Image:
    return np.zeros((0, CROP_HEIGHT, CROP_WIDTH, 3), np.uint8)


def _framed(rng: np.random.Generator) -> Picture:
    """Corners (4, 2) of a face as a reader may take them to be, in shares of the true face."""
    corners = (UNIT_CORNERS - 0.5) * (1 + rng.normal(0, _STRETCH, 2)) + 0.5
    return np.asarray(corners + rng.normal(0, _SHIFT, 2) + rng.normal(0, _CORNER_SPREAD, (4, 2)), np.float32)


def _cut(crop: Image, corners: Picture) -> Image:
    """The reader's crop (64, 48, 3) of the part of an example with these corners (4, 2), in shares of its face."""
    source = (EXAMPLE_PAD + (1 - 2 * EXAMPLE_PAD) * corners) * np.array([EXAMPLE_WIDTH, EXAMPLE_HEIGHT], np.float32)
    target = (CROP_PAD + (1 - 2 * CROP_PAD) * UNIT_CORNERS) * np.array([CROP_WIDTH, CROP_HEIGHT], np.float32)
    # halved by area first, as ``rectify`` does, so that thin strokes survive
    halve = np.linalg.norm(source[0] - source[3]) > 1.4 * _FULL_PX
    factor = 0.5 if halve else 1.0
    seen = cv2.resize(crop, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA) if halve else crop
    matrix = cv2.getPerspectiveTransform(
        np.asarray(source * factor - 0.5, np.float32), np.asarray(target - 0.5, np.float32)
    )
    return np.asarray(
        cv2.warpPerspective(seen, matrix, (CROP_WIDTH, CROP_HEIGHT), borderMode=cv2.BORDER_REPLICATE), np.uint8
    )


def _spoilt(view: Image, rng: np.random.Generator, nearness: float) -> Image:
    """A view (64, 48, 3) through another camera, under another lamp."""
    picture = _from_afar(view.astype(np.float32), rng, nearness)
    if rng.random() < 0.5:
        picture = np.asarray(cv2.GaussianBlur(picture, (0, 0), rng.uniform(0.3, 1.4)), np.float32)
    if rng.random() < 0.2:
        picture = np.asarray(cv2.filter2D(picture, -1, _streak(rng)), np.float32)
    rows, columns = np.mgrid[-1 : 1 : CROP_HEIGHT * 1j, -1 : 1 : CROP_WIDTH * 1j].astype(np.float32)
    slope = rng.normal(0, 0.07, 2).astype(np.float32)
    lamp = rng.uniform(0.35, 1.15) * np.exp(rng.normal(0, 0.12, 3))
    picture *= (1 + slope[0] * rows + slope[1] * columns)[..., None] * lamp.astype(np.float32)
    # a camera's own contrast, and light scattered over everything
    picture = 255 * np.power(np.clip(picture / 255, 0, 1), np.float32(rng.uniform(0.8, 1.25)))
    picture += np.float32(rng.uniform(0, 14))
    picture += rng.standard_normal(picture.shape, np.float32) * np.float32(rng.choice([1.0, 2.5, 6.0]))
    return np.clip(picture, 0, 255).astype(np.uint8)


def _from_afar(picture: Picture, rng: np.random.Generator, nearness: float) -> Picture:
    """The picture as fewer pixels show it, down and across by different shares, as a slanting view does."""
    share = nearness * float(np.exp(rng.uniform(np.log(_FEWEST_PX), np.log(_MOST_PX)))) / _FULL_PX
    across = min(1.0, share * float(np.exp(rng.normal(0, 0.15))))
    down = min(1.0, share * float(np.exp(-abs(rng.normal(0, 0.25)))))
    small = cv2.resize(picture, None, fx=across, fy=down, interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.resize(small, (CROP_WIDTH, CROP_HEIGHT), interpolation=cv2.INTER_LINEAR), np.float32)


def _streak(rng: np.random.Generator) -> Picture:
    """Kernel (7, 7) of a short straight movement, sum 1."""
    angle, reach = rng.uniform(0, np.pi), rng.uniform(1, 2.5)
    kernel = np.zeros((7, 7), np.float32)
    for step in np.linspace(-reach, reach, 21):
        kernel[round(3 + step * np.sin(angle)), round(3 + step * np.cos(angle))] += 1
    return np.asarray(kernel / kernel.sum(), np.float32)
