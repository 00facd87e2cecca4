"""What goes on beyond the end of a row: bodies in which no tile was found.

A tile of which a card or a sheet hides a half may be seen by nobody, and what is left of its set then looks too short,
or legal.  Its other half still lies where the next tile of the row would lie, and has the tiles' own colour there, and
so has a cover of that colour.  Of a table that has the tiles' colour itself nothing can be told.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.observation import Kind, Observation, Quad, Scene
from vision.layout import touching_unread
from vision.rulers import TYPICAL_ASPECT, measured_by, own_rulers

Image = NDArray[np.uint8]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

LEAST_BODY = 0.5
"""So much of the next tile's place has the body's colour where one may lie there."""
MOST_TABLE = 0.3
"""Where more of the places above and below tiles look so, it is the table that has the body's colour."""
_LIKE_BODY = 14.0
"""Distance in L* a* b* up to which a pixel has the body's colour."""
_BODY_PERCENTILE = 60
"""Lightness of the body among a face's pixels: print is darker, highlights are brighter."""
_AWAY = 1.04
"""Widths from one tile of a row to the next."""
_ABOVE = TYPICAL_ASPECT + 0.15
"""Widths from a tile to the place above or below it."""
_SIDES = 0.12
"""Widths around a known tile in which its own sides show."""
_ACROSS, _DOWN = 7, 9
"""So many points of a tile's face are looked at."""
_LEAST_TILES = 3


@dataclass(frozen=True, slots=True)
class _Places:
    """Places of the size of one tile: ``points`` (P, G, 2) in pixels, the tile each belongs to, and how far it is like
    that one's body, (P, G)."""

    points: Floats
    tile: NDArray[np.intp]
    like: Flags

    def take(self, index: NDArray[np.intp]) -> _Places:
        """The chosen places."""
        return _Places(self.points[index], self.tile[index], self.like[index])


def with_covered_ends(image: Image, observation: Observation) -> Observation:
    """The same, with an unread tile wherever a row, or a tile that lies alone, seems to go on unseen.

    ``image`` uint8 (H, W, 3) BGR is the picture that the observation was made from.
    """
    faces = [i for i, tile in enumerate(observation.tiles) if tile.kind is Kind.FACE]
    if observation.scene is not Scene.TABLE or len(faces) < _LEAST_TILES:
        return observation
    ends = _ends(observation)
    quads = np.array([tile.quad for tile in observation.tiles], np.float64).reshape(-1, 4, 2)
    tile = np.array([i for i, _ in ends], np.intp)
    shift = np.array([(way * _AWAY, 0.0) for _, way in ends]).reshape(-1, 2)
    beyond = _places(image, quads, tile, shift)
    asked = np.flatnonzero(beyond.like.mean(axis=1) >= LEAST_BODY)
    if not len(asked):
        return observation
    known = [tile.quad for tile in observation.tiles if not tile.doubtful]
    found = asked[_unexplained(beyond.take(asked), known) >= LEAST_BODY]
    if not len(found) or _table_like_body(image, quads, np.array(faces, np.intp), known):
        return observation
    return _with_unread(observation, [_moved(quads[tile[k]], shift[k]) for k in found.tolist()])


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


def _ends(observation: Observation) -> list[tuple[int, int]]:
    """Faces with a free side, and that side: -1 left, 1 right of the upright numeral."""
    ends = [(i, way) for i in observation.loose for way in (-1, 1)]
    for row in observation.rows:
        for end, before in ((row.tiles[0], row.tiles[1]), (row.tiles[-1], row.tiles[-2])):
            a, b, c, d = np.array(observation.tiles[end].quad)
            towards = np.mean(observation.tiles[before].quad, axis=0) - (a + b + c + d) / 4
            ends.append((end, -1 if float(towards @ (b - a + c - d)) > 0 else 1))
    return [(i, way) for i, way in ends if observation.tiles[i].kind is Kind.FACE]


def _places(image: Image, quads: Floats, tile: NDArray[np.intp], shift: Floats) -> _Places:
    """The places that lie beside tiles of ``quads`` (N, 4, 2), moved by ``shift`` (P, 2) in widths, and that the
    picture shows wholly or in part; what is out of it has nobody's colour."""
    rulers = own_rulers(quads, TYPICAL_ASPECT)
    x, y = (np.arange(count) / count + 0.5 / count - 0.5 for count in (_ACROSS, _DOWN))
    grid = np.stack(np.meshgrid(x, y * TYPICAL_ASPECT), axis=-1).reshape(-1, 2)
    right, down, centre = rulers.right[tile, None], rulers.down[tile, None], rulers.centre[tile, None]

    def at(where: Floats) -> Floats:
        return np.asarray(centre + where[..., :1] * right + where[..., 1:] * down, np.float64)

    body = _lab(image, at(np.broadcast_to(grid * 0.8, (len(tile), *grid.shape))))
    lightest = np.argsort(body[..., 0], axis=1)[:, round(_BODY_PERCENTILE / 100 * (len(grid) - 1))]
    points = at(grid + shift[:, None])
    away = _lab(image, points) - body[np.arange(len(tile)), lightest][:, None]
    inside = np.all((points >= 0) & (points <= np.array(image.shape[1::-1]) - 1), axis=-1)
    return _Places(points, tile, np.asarray(inside & (np.linalg.norm(away, axis=-1) <= _LIKE_BODY), np.bool_))


def _lab(image: Image, points: Floats) -> Floats:
    """L* a* b* (…, 3) of the pixels nearest to points (…, 2)."""
    x, y = (np.clip(np.round(points[..., k]), 0, image.shape[1 - k] - 1).astype(np.intp) for k in (0, 1))
    pixels = image[y, x].reshape(1, -1, 3).astype(np.float32) / np.float32(255)
    return np.asarray(cv2.cvtColor(pixels, cv2.COLOR_BGR2Lab), np.float64).reshape(*points.shape[:-1], 3)


def _unexplained(places: _Places, known: list[Quad]) -> Floats:
    """Part (P,) of each place that has the body's colour and belongs to none of the known tiles."""
    like = places.like.copy()
    if known:
        rulers = own_rulers(np.array(known, np.float64), TYPICAL_ASPECT)
        half = np.array([0.5, TYPICAL_ASPECT / 2]) + _SIDES
        for k, points in enumerate(places.points):
            seen = measured_by(rulers, np.arange(len(known)), np.broadcast_to(points, (len(known), *points.shape)))
            like[k] &= ~np.all(np.abs(seen) <= half, axis=2).any(axis=0)
    return np.asarray(like.mean(axis=1), np.float64)


def _table_like_body(image: Image, quads: Floats, faces: NDArray[np.intp], known: list[Quad]) -> bool:
    """Whether the table around the faces has their bodies' colour."""
    shift = np.repeat([[0.0, -_ABOVE], [0.0, _ABOVE]], len(faces), axis=0)
    around = _places(image, quads, np.tile(faces, 2), shift)
    return bool((_unexplained(around, known) >= LEAST_BODY / 2).mean() > MOST_TABLE)


def _moved(quad: Floats, shift: Floats) -> Quad:
    """The place ``shift`` (2,) widths away from a tile's quad (4, 2)."""
    moved = quad + own_rulers(quad[None], TYPICAL_ASPECT).right[0] * shift[0]
    a, b, c, d = ((round(x, 1), round(y, 1)) for x, y in moved.tolist())
    return a, b, c, d


def _same_place(quad: Quad, other: Quad) -> bool:
    """Whether two quads have their centres nearer to each other than half a tile."""
    one, two = np.array(quad), np.array(other)
    return bool(np.linalg.norm(one.mean(axis=0) - two.mean(axis=0)) < 0.5 * np.linalg.norm(one[1] - one[0]))
