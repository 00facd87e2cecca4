"""The part of a tile through which the reader sees a box's numerals best: tiny, narrow and slanting print is put right.

The reader knows numerals of ordinary size in ordinary places.  A box that prints otherwise is looked at through a
window of its own, found on the examples by asking the network itself how well it reads them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.colour import deviation
from vision.read import UNIT_CORNERS
from vision.rectify import inner, square_to_quad
from vision.taught.examples import EXAMPLE_HEIGHT, EXAMPLE_PAD

Image = NDArray[np.uint8]
Floats = NDArray[np.float64]

_NUMERAL_Y = 0.36
"""Where a numeral's centre stands in a window, as on most boxes' faces."""
_ZOOMS, _ZOOM_STEPS = (1.0, 1.35, 1.8, 2.4), (0.85, 1.18)
_STRETCHES = (0.8, 1.25, 1.5)
_SLANTS = (-0.3, -0.15, 0.15, 0.3)
_ROUNDS = 2
_LEAST_GAIN = 0.05
"""What a window must gain over the whole face to be looked through, in nats a tile."""
_LEAST_CLASSES = 4
_RIM = 0.05
"""Part of the face left out on each side where print is looked for: its rim and bevel."""


@dataclass(frozen=True, slots=True)
class Lens:
    """A window in a face: ``centre_y`` of the numerals, in face heights, comes to stand where most boxes have it.

    ``zoom`` enlarges, ``stretch`` widens what is narrow, ``slant`` straightens what leans (left is positive).  A lens
    of ``WHOLE_FACE`` shows the tile as the reader always sees it.
    """

    centre_y: float = _NUMERAL_Y
    zoom: float = 1.0
    stretch: float = 1.0
    slant: float = 0.0

    @property
    def corners(self) -> NDArray[np.float32]:
        """The window's corners (4, 2) in shares of the face, top-left first and clockwise."""
        offset = (UNIT_CORNERS - (0.5, _NUMERAL_Y)) / (self.zoom * self.stretch, self.zoom)
        offset[:, 0] -= self.slant * offset[:, 1]
        return np.asarray(offset + (0.5, self.centre_y), np.float32)

    def quads(self, faces: NDArray[np.floating]) -> NDArray[np.float32]:
        """What the lens shows of each upright face (N, 4, 2) of a picture, as quads (N, 4, 2) in its pixels."""
        if not len(faces):
            return np.zeros((0, 4, 2), np.float32)
        rows = np.column_stack([self.corners, np.ones(4)])
        mapped = rows @ square_to_quad(np.asarray(faces, np.float64)).transpose(0, 2, 1)
        return np.asarray(mapped[..., :2] / mapped[..., 2:], np.float32)


WHOLE_FACE = Lens()


def find_lens(crops: Image, numbers: NDArray[np.intp], loss: Callable[[Lens], float]) -> Lens:
    """The lens with the least ``loss``, which asks the network how badly it reads the examples through a lens.

    ``crops`` uint8 (N, 128, 96, 3) BGR are the examples that show a number, ``numbers`` (N,) which.  The whole face
    stays unless a window is clearly better, and where there are too few numbers to find the print by.
    """
    if len(np.unique(numbers)) < _LEAST_CLASSES:
        return WHOLE_FACE
    centre_y = _print_centre(crops, numbers)
    known: dict[Lens, float] = {WHOLE_FACE: loss(WHOLE_FACE)}

    def cost(lens: Lens) -> float:
        if lens not in known:
            known[lens] = loss(lens)
        return known[lens]

    best = min((Lens(centre_y, zoom) for zoom in _ZOOMS), key=cost)
    for _ in range(_ROUNDS):
        z, w, s = best.zoom, best.stretch, best.slant
        best = min((best, *(Lens(centre_y, z, w, round(s + step, 2)) for step in _SLANTS)), key=cost)
        best = min((best, *(Lens(centre_y, z, w * step, best.slant) for step in _STRETCHES)), key=cost)
        best = min((best, *(Lens(centre_y, z * step, best.stretch, best.slant) for step in _ZOOM_STEPS)), key=cost)
    return best if cost(best) + _LEAST_GAIN < cost(WHOLE_FACE) else WHOLE_FACE


def _print_centre(crops: Image, numbers: NDArray[np.intp]) -> float:
    """How far down the face, in its heights, its numerals have their middle: there the faces differ by number."""
    inset = EXAMPLE_PAD + _RIM * (1 - 2 * EXAMPLE_PAD)
    top = round(inset * EXAMPLE_HEIGHT)
    strength = np.minimum(deviation(inner(crops, inset)).strength, 1.2)
    means = np.stack([strength[numbers == number].mean(axis=0) for number in np.unique(numbers)])
    differing = cv2.GaussianBlur(means.var(axis=0), (0, 0), 1.0)
    rows = np.where(differing > 0.3 * differing.max(), differing, 0).sum(axis=1)
    reached = np.cumsum(rows) / max(float(rows.sum()), 1e-9)
    middle = (np.searchsorted(reached, 0.03) + np.searchsorted(reached, 0.97)) / 2
    return round(float((middle + top) / EXAMPLE_HEIGHT - EXAMPLE_PAD) / (1 - 2 * EXAMPLE_PAD), 3)
