"""Is this a table of number tiles at all?  Signs that it is not, each measured where tiles were found.

Another game's pieces, print and keys read a little like many numbers; a drawing or a screenshot has a handful of exact
colours, which no lens gives, or, after compression and on a photo of a screen, what ``vision.screen`` looks for.
``python -m tests.measure.strange`` tries both on other games, screens and tables.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.detect import tile_areas
from vision.screen import off_a_screen
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
quality 30 up to 0.38.  A screenshot that was saved as JPEG has no more than a photo and is known by other signs."""
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


def drawn(image: Image, quads: NDArray[np.floating], crops: Image) -> bool:
    """Whether the tiles at ``quads`` (N, 4, 2) of a picture uint8 (H, W, 3) BGR were drawn by a computer.

    ``crops`` uint8 (N, H, W, 3) BGR are theirs as ``rectify`` cuts them.
    """
    few = may_have_few_colours(image, quads) and few_colours(image, quads) >= DRAWN_SHARE
    return few or off_a_screen(image, quads, crops)


def few_colours(image: Image, quads: NDArray[np.floating]) -> float:
    """Share of the tiles' pixels, 0 to 1, that have one of the ``DRAWN_COLOURS`` commonest exact colours."""
    some, inside = _some_pixels(image, quads)
    planes = np.ascontiguousarray(some[inside].T)
    planes = planes[:, planes.min(axis=0) < _CLIPPED]
    if planes.shape[1] < _LEAST_PIXELS or np.quantile(planes.max(axis=0), 0.95) < _LIT:
        return 0.0
    blue, green, red = planes.astype(np.int32)
    counts = np.unique(blue + 256 * green + 65536 * red, return_counts=True)[1]
    return float(_commonest(counts) / planes.shape[1])


def may_have_few_colours(image: Image, quads: NDArray[np.floating]) -> bool:
    """Whether ``few_colours`` can be as much as ``DRAWN_SHARE``, told from green alone, which takes a tenth as long.

    Of a colour there are no more pixels than of its green, and only what is burnt out in green may not count.
    """
    some, inside = _some_pixels(image, quads)
    counts = np.bincount(some[..., 1][inside], minlength=256)
    return bool(_commonest(counts) >= DRAWN_SHARE * counts[:_CLIPPED].sum())


def _some_pixels(image: Image, quads: NDArray[np.floating]) -> tuple[Image, NDArray[np.bool_]]:
    """Some of the picture's pixels (h, w, 3), and which of them (h, w) lie inside tiles."""
    area = float(tile_areas(np.asarray(quads, np.float32)).sum())
    step = max(1, int(np.sqrt(area / _SAMPLE)))
    some = image[::step, ::step]  # pixels as they are: a mean of two would be a colour that was never there
    middle = quads.mean(axis=1, keepdims=True)
    inside = np.zeros(some.shape[:2], np.uint8)
    for quad in np.round((middle + 0.9 * (quads - middle)) / step).astype(np.int32):
        cv2.fillConvexPoly(inside, quad, 1)
    return some, inside > 0


def _commonest(counts: NDArray[np.intp]) -> int:
    """The sum of the ``DRAWN_COLOURS`` largest of some counts."""
    return int(np.sort(counts)[-DRAWN_COLOURS:].sum())
