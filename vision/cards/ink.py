"""Print on card ground: how much light it takes away, and the blobs it makes.

Everything is measured against the ground right around it, so that neither the lamp's tint nor a shadow counts.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

Image = NDArray[np.uint8]
Floats = NDArray[np.float64]

LARGEST_PRINT = 0.018
"""Widest stroke or sign in shares of the picture's longer side: what is wider is no longer seen against its ground."""
THRESHOLDS = (70, 130)
"""Ink, 0 to 255, from which a pixel is print: one keeps thin strokes whole, the other parts what nearly touches."""
SMALLEST_BLOB, LARGEST_BLOB = 2.0, 1.1
"""RMS radius of a blob in pixels, and over the reach of the print."""


@dataclass(frozen=True, slots=True)
class Print:
    """A picture against its ground.

    ``ink`` uint8 (H, W): the share of light taken away in the channel that loses most, 255 all of it.  ``taken`` uint8
    (H, W, 3) BGR: the same of each channel, in which black ink is grey and red ink takes blue and green.  Only what is
    narrower than ``reach`` pixels is seen as print.
    """

    ink: Image
    taken: Image
    reach: float


@dataclass(frozen=True, slots=True)
class Blobs:
    """N connected pieces of print: ``centre`` (N, 2) in pixels, RMS ``radius`` (N,) and ink-weighted ``mass`` (N,)."""

    centre: Floats
    radius: Floats
    mass: Floats

    def __len__(self) -> int:
        return len(self.mass)


def print_of(image: Image, reach_px: float | None = None) -> Print:
    """The print of a picture uint8 (H, W, 3) BGR; what is narrower than ``reach_px`` pixels is seen as print."""
    reach = LARGEST_PRINT * max(image.shape[:2]) if reach_px is None else reach_px
    kernel = np.ones((max(5, round(reach)) | 1,) * 2, np.uint8)
    ground = cv2.GaussianBlur(cv2.morphologyEx(image, cv2.MORPH_CLOSE, kernel), (0, 0), max(0.8, reach / 8))
    lit = cv2.divide(image, np.maximum(ground, 24), scale=255)
    taken = np.asarray(255 - np.minimum(lit, 255), np.uint8)
    return Print(np.ascontiguousarray(taken.max(axis=2)), taken, reach)


def blobs_of(seen: Print) -> Blobs:
    """Pieces of print at both thresholds; a piece that both find alike is told once."""
    found = [_pieces(seen.ink, threshold, LARGEST_BLOB * seen.reach) for threshold in THRESHOLDS]
    first, second = found
    if len(first) and len(second):
        apart = np.linalg.norm(second.centre[:, None] - first.centre[None], axis=2)
        alike = (apart < 0.15 * first.radius) & (second.radius[:, None] > 0.85 * first.radius)
        second = _take(second, ~alike.any(axis=1))
    both = Blobs(*(np.concatenate([getattr(first, n), getattr(second, n)]) for n in ("centre", "radius", "mass")))
    return _joined(both)


def _pieces(ink: Image, threshold: int, largest: float) -> Blobs:
    """Connected pieces above one threshold."""
    count, labels = cv2.connectedComponents((ink > threshold).astype(np.uint8), connectivity=8)
    ys, xs = np.nonzero(labels)
    label, weight = labels[ys, xs], ink[ys, xs].astype(np.float64)
    mass = np.bincount(label, weight, count)
    whole = np.maximum(mass, 1e-9)
    centre = np.stack([np.bincount(label, weight * axis, count) / whole for axis in (xs, ys)], axis=1)
    square = np.bincount(label, weight * (xs.astype(np.float64) ** 2 + ys.astype(np.float64) ** 2), count) / whole
    radius = np.sqrt(np.maximum(square - (centre**2).sum(axis=1), 0))
    kept = (radius >= SMALLEST_BLOB) & (radius <= largest)
    return Blobs(centre[kept], radius[kept], mass[kept])


def _take(blobs: Blobs, kept: NDArray[np.bool_]) -> Blobs:
    return Blobs(blobs.centre[kept], blobs.radius[kept], blobs.mass[kept])


def _joined(blobs: Blobs) -> Blobs:
    """All blobs, and each two of like size side by side as one more: a 10 has two digits."""
    apart = np.linalg.norm(blobs.centre[:, None] - blobs.centre[None], axis=2)
    size = blobs.radius[:, None] + blobs.radius[None]
    ratio = np.maximum(blobs.radius[:, None], blobs.radius[None]) / np.minimum(
        blobs.radius[:, None], blobs.radius[None]
    )
    near = np.triu((apart > 0.45 * size) & (apart < 1.3 * size) & (ratio < 1.5), 1)
    a, b = np.nonzero(near)
    mass = blobs.mass[a] + blobs.mass[b]
    share = (blobs.mass[a] / mass)[:, None]
    centre = share * blobs.centre[a] + (1 - share) * blobs.centre[b]
    spread = share[:, 0] * blobs.radius[a] ** 2 + (1 - share[:, 0]) * blobs.radius[b] ** 2
    spread += share[:, 0] * (1 - share[:, 0]) * apart[a, b] ** 2
    return Blobs(
        np.concatenate([blobs.centre, centre]),
        np.concatenate([blobs.radius, np.sqrt(spread)]),
        np.concatenate([blobs.mass, mass]),
    )
