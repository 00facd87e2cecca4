"""One tile of a club's own box, as a photo showed it: what a taught box is made of."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from referee.tiles import Tile
from vision.rectify import CROP_HEIGHT, CROP_PAD, CROP_WIDTH, rectify

EXAMPLE_HEIGHT, EXAMPLE_WIDTH = 2 * CROP_HEIGHT, 2 * CROP_WIDTH
"""Twice the reader's own size: an example can be cut out anew, a little shifted, turned or resized."""
EXAMPLE_PAD = 2 * CROP_PAD
"""Table around the face on each side, as a share of the whole crop."""


@dataclass(frozen=True, slots=True)
class Example:
    """A tile and how it looks.

    ``crop`` is uint8 (128, 96, 3) BGR: the numeral upright, ``EXAMPLE_PAD`` of the crop's size on each side of the
    face is table.
    """

    tile: Tile
    crop: NDArray[np.uint8]


def examples_of(image: NDArray[np.uint8], quads: NDArray[np.floating], tiles: tuple[Tile, ...]) -> tuple[Example, ...]:
    """Examples cut from a picture uint8 (H, W, 3) BGR at upright ``quads`` (N, 4, 2) in pixels; N tiles."""
    crops = rectify(image, np.asarray(quads, np.float32), EXAMPLE_WIDTH, EXAMPLE_HEIGHT, EXAMPLE_PAD)
    return tuple(Example(tile, crop) for tile, crop in zip(tiles, crops, strict=True))
