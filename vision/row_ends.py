"""What goes on beyond the end of a row: tiles that nobody saw, for something lies over them.

A tile of which a hand, a card or a sheet hides a half may be seen by nobody, and what is left of its set then looks too
short, or legal.  But where the row ends its other half goes on, or what lies over it: the place of the next tile shows
something else than the table does around all tiles.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.observation import Kind, Observation, Quad, Scene
from vision.layout import touching_unread
from vision.rulers import TYPICAL_ASPECT, Rulers, own_rulers

Image = NDArray[np.uint8]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Indices = NDArray[np.intp]

LEAST_STRANGE, LEAST_AT_END = 0.5, 0.8
"""So much of the next tile's place, and of the strip of it beside the row's end, is not the table where a tile may lie
there unseen: a thing that lies apart from the row leaves table between them."""
_LEAST_FREE = 0.35
"""With less of the place free of known tiles nothing is told."""
_USUAL, _USUAL_AT_ENDS = 0.03, 0.35
"""A colour is the table's where so many of the places above and below tiles show it, or of those at ends of rows."""
_BIN = 8.0
"""Colours in L* a* b* that fall into neighbouring cells of this size are alike."""
_POINTS = 3
"""A place shows a colour at so many points: tips of a cover reach far."""
_NEAR = 2.3
"""Widths between the middles of places that one cover may reach."""
_AWAY = 1.04
"""Widths from one tile of a row to the next."""
_ABOVE = TYPICAL_ASPECT + 0.2
"""Widths from a tile to the place above or below it."""
_SIDES = 0.2
"""Widths around a known tile in which its own sides and its shadow show."""
_STRIP = 1.0
"""Widths from the middle of the last tile up to which the strip beside it goes."""
_ACROSS, _DOWN = 9, 7
"""So many points of a place are looked at."""
_LEAST_TILES = 4
_LEAST_SEEN = 4
"""So many places elsewhere must be in view, and free of tiles, to tell what the table looks like."""
_MOST_ASKED = 40
"""The table is known well enough from the places above and below so many tiles; of more, every second or third."""


@dataclass(frozen=True, slots=True)
class _Places:
    """Places of the size of one tile, each with its ``middle`` (P, 2) and the ``size`` of its tile (P,) in pixels, the
    ``cell`` of colour of each of its points (P, G, 3), and which of them are ``free`` (P, G)."""

    middle: Floats
    size: Floats
    cell: Indices
    free: Flags


def with_covered_ends(image: Image, observation: Observation) -> Observation:
    """The same, with an unread tile wherever a row, or a tile that lies alone, seems to go on unseen.

    ``image`` uint8 (H, W, 3) BGR is the picture that the observation was made from.
    """
    faces = np.array([i for i, tile in enumerate(observation.tiles) if tile.kind is Kind.FACE], np.intp)
    if observation.scene is not Scene.TABLE or len(faces) < _LEAST_TILES:
        return observation
    quads = np.array([tile.quad for tile in observation.tiles], np.float64)
    ends = _ends(observation, quads)
    if not ends:
        return observation
    rulers = own_rulers(quads, TYPICAL_ASPECT)
    known = _known(image, rulers, np.array([not tile.doubtful for tile in observation.tiles], np.bool_))
    tile = np.array([i for i, _ in ends], np.intp)
    shift = np.array([(way * _AWAY, 0.0) for _, way in ends]).reshape(-1, 2)
    grid = _grid()
    beyond = _places(image, known, rulers, tile, grid + shift[:, None])
    asked = faces[:: 1 + len(faces) // _MOST_ASKED]
    around = _places(image, known, rulers, np.tile(asked, 2), grid + _up_and_down(len(asked))[:, None])
    strange = beyond.free & ~_usual(beyond, around)
    strip = beyond.free & (np.abs(grid[:, 0] + shift[:, None, 0]) <= _STRIP)
    found = (beyond.free.mean(axis=1) >= _LEAST_FREE) & strip.any(axis=1)
    found &= strange.sum(axis=1) >= LEAST_STRANGE * beyond.free.sum(axis=1)
    found &= (strange & strip).sum(axis=1) >= LEAST_AT_END * strip.sum(axis=1)
    if not found.any():
        return observation
    return _with_unread(observation, [_moved(quads[tile[k]], shift[k]) for k in np.flatnonzero(found).tolist()])


def _with_unread(observation: Observation, places: list[Quad]) -> Observation:
    """The same with an unread tile in each place; where one is known already, it touches what the place touches."""
    unread = list(observation.unread)
    which = list(range(len(unread)))
    for place in places:
        same = [m for m, other in enumerate(unread) if _same_place(place, other)]
        which.append(same[0] if same else len(unread))
        unread += [] if same else [place]
    quads = np.array([tile.quad for tile in observation.tiles], np.float64)
    reaching = np.array([*observation.unread, *places], np.float64)
    rows = tuple(
        replace(row, unread_touching=tuple(sorted({which[m] for m in row.unread_touching})))
        for row in touching_unread(observation.rows, quads, reaching)
    )
    return replace(observation, unread=tuple(unread), rows=rows)


def _ends(observation: Observation, quads: Floats) -> list[tuple[int, int]]:
    """Faces with a free side, and that side: -1 left, 1 right of the upright numeral; ``quads`` (N, 4, 2) of all."""
    middle, right = quads.mean(axis=1), quads[:, 1] - quads[:, 0] + quads[:, 2] - quads[:, 3]
    ends = [(i, way) for i in observation.loose for way in (-1, 1)]
    for row in observation.rows:
        for end, before in ((row.tiles[0], row.tiles[1]), (row.tiles[-1], row.tiles[-2])):
            ends.append((end, -1 if float((middle[before] - middle[end]) @ right[end]) > 0 else 1))
    return [(i, way) for i, way in ends if observation.tiles[i].kind is Kind.FACE]


def _grid() -> Floats:
    """Points (G, 2) of a face, in tile widths from its middle."""
    x, y = ((np.arange(count) + 0.5) / count - 0.5 for count in (_ACROSS, _DOWN))
    return np.stack(np.meshgrid(x, y * TYPICAL_ASPECT), axis=-1).reshape(-1, 2)


def _up_and_down(count: int) -> Floats:
    """The ways (2 · count, 2) from tiles to the places above them, then to those below."""
    return np.repeat(np.array([[0.0, -_ABOVE], [0.0, _ABOVE]]), count, axis=0)


def _known(image: Image, rulers: Rulers, sure: Flags) -> Image:
    """A mask of the picture (H, W), not 0 where the sure tiles lie, and around them."""
    half = np.array([0.5, TYPICAL_ASPECT / 2]) + _SIDES
    corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * half
    mask = np.zeros(image.shape[:2], np.uint8)
    for centre, right, down in zip(rulers.centre[sure], rulers.right[sure], rulers.down[sure], strict=True):
        quad = centre + corners[:, :1] * right + corners[:, 1:] * down
        cv2.fillConvexPoly(mask, np.round(quad).astype(np.int32), 1)
    return mask


def _places(image: Image, known: Image, rulers: Rulers, tile: Indices, where: Floats) -> _Places:
    """The points ``where`` (P, G, 2), in widths from the middle of a ``tile`` (P,) each; those out of the picture, and
    those on ``known`` tiles, are not free."""
    points = rulers.centre[tile, None] + where[..., :1] * rulers.right[tile, None]
    points = np.round(points + where[..., 1:] * rulers.down[tile, None]).astype(np.intp)
    height, width = image.shape[:2]
    x, y = np.clip(points[..., 0], 0, width - 1), np.clip(points[..., 1], 0, height - 1)
    pixels = image[y, x].reshape(1, -1, 3).astype(np.float32) / np.float32(255)
    lab = cv2.cvtColor(pixels, cv2.COLOR_BGR2Lab).reshape(*x.shape, 3) + np.array([0.0, 128.0, 128.0])
    free = (points[..., 0] == x) & (points[..., 1] == y) & (known[y, x] == 0)
    size = np.linalg.norm(rulers.right[tile], axis=1)
    return _Places(points.mean(axis=1), size, (lab / _BIN).astype(np.intp), free)


def _usual(beyond: _Places, around: _Places) -> Flags:
    """Which points (P, G) of the places ``beyond`` have a colour that the table shows at other places too.

    Those near by do not count: what lies over one tile reaches into the places around it.  Where too few others are in
    view nobody knows what the table looks like, and nothing is told.
    """
    lowest = np.minimum(beyond.cell.min(axis=(0, 1)), around.cell.min(axis=(0, 1)))
    sides = np.maximum(beyond.cell.max(axis=(0, 1)), around.cell.max(axis=(0, 1))) - lowest + 1
    asked, which = np.unique(_numbered(beyond.cell - lowest, sides), return_inverse=True)
    usual = np.zeros((len(beyond.cell), len(asked)), np.bool_)
    seen = np.zeros(len(beyond.cell), np.float32)
    for places, part in ((around, _USUAL), (beyond, _USUAL_AT_ENDS)):
        shown = _shown(places, lowest, sides)[:, asked].astype(np.float32)
        apart = np.linalg.norm(beyond.middle[:, None] - places.middle[None], axis=2)
        far = (apart > _NEAR * beyond.size[:, None]).astype(np.float32)
        usual |= far @ shown >= np.maximum(2, part * far.sum(axis=1, keepdims=True))
        free = (places.free.mean(axis=1) >= _LEAST_FREE).astype(np.float32)
        seen += far @ free
    usual[seen < _LEAST_SEEN] = True
    return np.asarray(usual[np.arange(len(usual))[:, None], which.reshape(beyond.free.shape)], np.bool_)


def _numbered(cell: Indices, sides: Indices) -> Indices:
    """One number for each cell (…, 3) of a block of cells with these sides."""
    return np.asarray((cell[..., 0] * sides[1] + cell[..., 1]) * sides[2] + cell[..., 2], np.intp)


def _shown(places: _Places, lowest: Indices, sides: Indices) -> Flags:
    """Whether each place shows each cell of a block, with those beside it, at more than a point or two, (P, cells)."""
    count, cells = len(places.cell), int(sides.prod())
    place = np.broadcast_to(np.arange(count)[:, None], places.free.shape)
    shown = (place * cells + _numbered(places.cell - lowest, sides))[places.free]
    block = np.bincount(shown, minlength=count * cells).astype(np.uint8).reshape(count, *sides.tolist())
    for axis in (1, 2, 3):
        alike = block.copy()
        along, with_along = np.moveaxis(block, axis, 0), np.moveaxis(alike, axis, 0)
        with_along[1:] += along[:-1]
        with_along[:-1] += along[1:]
        block = alike
    return np.asarray(block.reshape(count, -1) >= _POINTS, np.bool_)


def _moved(quad: Floats, shift: Floats) -> Quad:
    """The place ``shift`` (2,) widths away from a tile's quad (4, 2)."""
    moved = quad + own_rulers(quad[None], TYPICAL_ASPECT).right[0] * shift[0]
    a, b, c, d = ((round(x, 1), round(y, 1)) for x, y in moved.tolist())
    return a, b, c, d


def _same_place(quad: Quad, other: Quad) -> bool:
    """Whether two quads have their centres nearer to each other than half a tile."""
    one, two = np.array(quad), np.array(other)
    return bool(np.linalg.norm(one.mean(axis=0) - two.mean(axis=0)) < 0.5 * np.linalg.norm(one[1] - one[0]))
