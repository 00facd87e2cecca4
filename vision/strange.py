"""Is this a table of number tiles at all?  Two signs that it is not, each measured where tiles were found.

Another game's pieces, print and keys read a little like many numbers; a drawing or a screenshot has a handful of exact
colours, which no lens gives.  ``python -m tests.measure.strange`` tries both on other games, screens and tables.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.detect import tile_areas
from vision.sharpness import blur_of

Image = NDArray[np.uint8]

CLEAR = 0.9
"""A face that says one thing with this probability is clear, another is open."""
MOST_OPEN = 0.22
"""A larger share of open faces than this are not number tiles.

On the shared photos of the part ``train`` no face is open; of rendered tables up to 0.14, at a view of 70°, but 0.68
where numerals are an eighth of the tile high.  On cards, dominoes, dice, letters, mahjong and keys it is 0.24 to 1."""
FEWEST_OPEN = 3
"""Fewer open faces say nothing about the picture as a whole: each is doubted for itself."""
SHARP_ENOUGH = 0.04
"""Blur in tile heights up to which the picture is not to blame for what cannot be read."""

LARGE_ENOUGH_PX = 32
"""Height from which even the small numerals that some boxes print can be read."""

DRAWN_COLOURS = 6
DRAWN_SHARE = 0.75
"""So much of the tiles' area has one of ``DRAWN_COLOURS`` exact colours in a drawing.

Screenshots of games have 0.93 and more; shared photos of the part ``train`` have 0.14 at most, saved again as JPEG of
quality 30 up to 0.38.  A screenshot that was saved as JPEG has no more than a photo and is not known by this."""
_CLIPPED = 250
"""Pixels brighter than this in all channels are burnt out in photos too, and count for nothing."""
_LIT = 64
"""Tiles whose brightest parts stay below this level have few colours in photos too: the dark leaves few levels."""
_LEAST_PIXELS = 400
_SAMPLE = 40_000


def unlike_tiles(number_p: NDArray[np.floating], crops: Image, tile_px: float) -> bool:
    """Whether faces of a good picture do not read as number tiles.

    ``number_p`` (N, 17) is what the reader makes of the faces, ``crops`` uint8 (N, H, W, 3) BGR as ``rectify`` cuts
    them, ``tile_px`` their median height in the picture.  False for a blurred picture and for small tiles: then real
    tiles read no better.
    """
    open_faces = number_p.max(axis=1, initial=0) < CLEAR
    if open_faces.sum() < FEWEST_OPEN or open_faces.mean() <= MOST_OPEN:
        return False
    return tile_px >= LARGE_ENOUGH_PX and blur_of(crops) <= SHARP_ENOUGH


def drawn(image: Image, quads: NDArray[np.floating]) -> bool:
    """Whether the tiles at ``quads`` (N, 4, 2) of a picture uint8 (H, W, 3) BGR were drawn by a computer."""
    return few_colours(image, quads) >= DRAWN_SHARE


def few_colours(image: Image, quads: NDArray[np.floating]) -> float:
    """Share of the tiles' pixels, 0 to 1, that have one of the ``DRAWN_COLOURS`` commonest exact colours."""
    area = float(tile_areas(np.asarray(quads, np.float32)).sum())
    step = max(1, int(np.sqrt(area / _SAMPLE)))
    some = image[::step, ::step]  # pixels as they are: a mean of two would be a colour that was never there
    inside = np.zeros(some.shape[:2], np.uint8)
    for quad in quads:
        middle = quad.mean(axis=0)
        cv2.fillConvexPoly(inside, np.round((middle + 0.9 * (quad - middle)) / step).astype(np.int32), 1)
    planes = np.ascontiguousarray(some[inside > 0].T)
    planes = planes[:, planes.min(axis=0) < _CLIPPED]
    if planes.shape[1] < _LEAST_PIXELS or np.quantile(planes.max(axis=0), 0.95) < _LIT:
        return 0.0
    blue, green, red = planes.astype(np.int32)
    counts = np.sort(np.unique(blue + 256 * green + 65536 * red, return_counts=True)[1])
    return float(counts[-DRAWN_COLOURS:].sum() / planes.shape[1])
