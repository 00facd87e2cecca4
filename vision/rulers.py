"""Rulers for tiles: how long a tile width is, and which way it points, at every tile of a picture.

All tiles of a box have one size, so the tiles themselves show how the table lies: with enough of them one plane is
fitted to the whole table, otherwise each tile's own quad is the ruler for its neighbourhood.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Indices = NDArray[np.int64]

TYPICAL_ASPECT = 1.42
"""Height over width of a tile; the shared photos' boxes lie between 1.40 and 1.46."""
ASPECT_WEIGHT = 2.0
"""How many tiles' worth of evidence the typical aspect is: it decides only when all tiles lie the same way."""
_PLANE_TILES = 6
"""From so many tiles on, one plane for the table is steadier than each tile's own quad."""
_PLANE_MISFIT = 0.12
"""A plane is believed when half of the tiles have sides within this part of the common size."""

_LEAST_ASPECT = 0.85
"""A quad that is less high than so many widths in the plane is one of a tile turned by a quarter: no tile is so low."""
_NEAREST = 9
"""So many tiles, each one itself among them, say how large tiles are at its place in the plane."""


@dataclass(frozen=True, slots=True)
class Rulers:
    """One ruler per tile: a point is centre + x · right + y · down, x and y in tile widths."""

    centre: Floats
    """(N, 2)"""
    right: Floats
    """(N, 2), one tile width long"""
    down: Floats
    """(N, 2), one tile width long too, towards the numeral's foot"""


def rulers_of(quads: Floats, on_rack: Flags) -> Rulers:
    """Rulers for all tiles: a common plane for the table and one for the rack where it fits, else each tile's own quad.

    The two planes need no common scale, since a tile on a rack is never the neighbour of one on the table.
    """
    own = own_rulers(quads, TYPICAL_ASPECT)
    centre, right, down = own.centre.copy(), own.right.copy(), own.down.copy()
    for members in (np.flatnonzero(~on_rack), np.flatnonzero(on_rack)):
        plane = _plane_rulers(quads[members]) if len(members) >= _PLANE_TILES else None
        if plane is not None:
            centre[members], right[members], down[members] = plane.centre, plane.right, plane.down
    return Rulers(centre, right, down)


def own_rulers(quads: Floats, aspect: float) -> Rulers:
    """Each quad as a parallelogram that is ``aspect`` times as high as wide."""
    right = (quads[:, 1] - quads[:, 0] + quads[:, 2] - quads[:, 3]) / 2
    down = (quads[:, 3] - quads[:, 0] + quads[:, 2] - quads[:, 1]) / 2
    if not np.all(np.isfinite(quads)) or np.any(np.abs(_cross(right, down)) < 1e-6):
        raise ValueError("a tile's quad must be finite and have an area")
    return Rulers(quads.mean(axis=1), right, down / aspect)


def quarter_turned(quads: Floats) -> Flags:
    """Which quads (N, 4, 2) lie in the plane of all of them as if wider than high: they name the wrong sides top.

    Seen steeply a tile may look wider than high, and then its own shape does not tell which way it stands.  False for
    all where the tiles agree on no plane.
    """
    fitted = _plane(quads) if len(quads) >= _PLANE_TILES else None
    if fitted is None:
        return np.zeros(len(quads), np.bool_)
    own = own_rulers(fitted[0], 1.0)
    return np.asarray(np.linalg.norm(own.down, axis=1) < _LEAST_ASPECT * np.linalg.norm(own.right, axis=1), np.bool_)


def _plane_rulers(quads: Floats) -> Rulers | None:
    """Rulers from one plane in which all tiles are equal rectangles but for the lens; None when they agree on none."""
    fitted = _plane(quads)
    if fitted is None:
        return None
    plane, aspect = fitted
    own = own_rulers(plane, aspect)
    # every tile is the same rectangle, so its place and its turn are all that is left to estimate
    turned = own.right + aspect**2 * np.stack([own.down[:, 1], -own.down[:, 0]], axis=1)
    right = turned * (_size_around(own) / np.linalg.norm(turned, axis=1))[:, None]
    return Rulers(own.centre, right, np.stack([-right[:, 1], right[:, 0]], axis=1))


def _plane(quads: Floats) -> tuple[Floats, float] | None:
    """The tiles (N, 4, 2) laid out in their plane, one width wide, and their height; None when they agree on none.

    Two linear fits: first the horizon (the cube root of a tile's area shrinks linearly towards it), then the metric
    of the remaining affine view, in which every tile has width 1, the same height and square corners.
    """
    middle = quads.reshape(-1, 2).mean(axis=0)
    scale = max(float(np.ptp(quads.reshape(-1, 2), axis=0).max()), 1e-9)
    points = (quads - middle) / scale
    horizon = _horizon(points)
    depth = 1 + points @ horizon
    if depth.min() < 0.1:
        return None
    flat = points / depth[..., None]
    fitted = _metric(flat)
    if fitted is None:
        return None
    metric, aspect = fitted
    plane = flat @ np.linalg.cholesky(metric)
    own = own_rulers(plane, aspect)
    sides = np.stack([np.linalg.norm(own.right, axis=1), np.linalg.norm(own.down, axis=1)])
    if np.median(np.abs(sides - 1).max(axis=0)) > _PLANE_MISFIT:
        return None
    return plane, aspect


def _size_around(own: Rulers) -> Floats:
    """How large tiles are around each one (N,), from the ``_NEAREST`` tiles: a lens makes those at the edge smaller."""
    size = np.sqrt(np.abs(_cross(own.right, own.down)))
    apart = np.linalg.norm(own.centre[:, None] - own.centre[None], axis=2)
    nearest = np.argsort(apart, axis=1, kind="stable")[:, :_NEAREST]
    return np.asarray(np.median(size[nearest], axis=1), np.float64)


def _horizon(points: Floats) -> Floats:
    """The line at infinity as 1 + horizon · p = 0, from the tiles' areas; two rounds, the second without outliers."""
    area = np.abs(_cross(points[:, 2] - points[:, 0], points[:, 3] - points[:, 1])) / 2
    nearness = np.cbrt(np.maximum(area, 1e-12))
    nearness /= np.median(nearness)
    centre = points.mean(axis=1)
    terms = np.column_stack([np.ones(len(centre)), centre])
    # a ridge worth 0.1 % of the tiles' spread keeps the slope across a single straight row at zero
    ridge = np.diag([0.0, 1e-3, 1e-3]) * len(centre)
    weight = np.ones(len(centre))
    for _ in range(2):
        weighted = terms * weight[:, None]
        solved = np.linalg.solve(weighted.T @ terms + ridge, weighted.T @ nearness)
        misfit = np.abs(terms @ solved - nearness)
        weight = (misfit <= 3 * np.median(misfit) + 1e-9).astype(np.float64)
    return np.asarray(solved[1:] / solved[0], np.float64)


def _metric(flat: Floats) -> tuple[Floats, float] | None:
    """Metric (2, 2) in which all tiles of an affine view are 1 wide and ``aspect`` high, or None if there is none.

    Three rounds, the later ones without outliers: a quad may name the wrong sides, or be of no tile at all.
    """
    own = own_rulers(flat, 1.0)
    size = np.sqrt(np.median(np.abs(_cross(own.right, own.down))))
    u, v = own.right / size, own.down / size
    square = TYPICAL_ASPECT**2

    count = len(flat)
    none, one = np.zeros((count, 1)), np.ones((count, 1))
    # unknowns: the metric's three entries and the squared aspect; heights are scaled down to weigh like widths
    terms = np.vstack(
        [
            np.hstack([products(u, u), none]),
            np.hstack([products(v, v), -one]) / square,
            np.hstack([products(u, v), none]) / TYPICAL_ASPECT,
            np.array([[0.0, 0.0, 0.0, ASPECT_WEIGHT / square]]),
        ]
    )
    wanted = np.concatenate([np.ones(count), np.zeros(2 * count), [ASPECT_WEIGHT]])
    weight = np.ones(count)
    for _ in range(3):
        weights = np.append(np.tile(weight, 3), 1.0)
        solved = np.linalg.lstsq(terms * weights[:, None], wanted * weights, rcond=None)[0]
        misfit = np.abs(terms @ solved - wanted)[:-1].reshape(3, count).max(axis=0)
        weight = (misfit <= 3 * np.median(misfit) + 0.02).astype(np.float64)
    xx, xy, yy, squared_aspect = solved
    if xx <= 0 or xx * yy - xy * xy <= 1e-6 or not 1.0 < squared_aspect < 4.0:
        return None
    return np.array([[xx, xy], [xy, yy]]) / size**2, float(np.sqrt(squared_aspect))


def measured_by(rulers: Rulers, tiles: Indices, points: Floats) -> Floats:
    """Points (M, …, 2) in the rulers of M tiles, x right and y down in tile widths."""
    right, down = rulers.right[tiles], rulers.down[tiles]
    extra = (1,) * (points.ndim - 2)
    away = points - rulers.centre[tiles].reshape(-1, *extra, 2)
    area = _cross(right, down).reshape(-1, *extra)
    right, down = right.reshape(-1, *extra, 2), down.reshape(-1, *extra, 2)
    return np.stack([_cross(away, down) / area, _cross(right, away) / area], axis=-1)


def products(p: Floats, q: Floats) -> Floats:
    """What the three entries of a metric count (N, 3) in the products of vectors p and q, (N, 2) each."""
    return np.column_stack([p[:, 0] * q[:, 0], p[:, 0] * q[:, 1] + p[:, 1] * q[:, 0], p[:, 1] * q[:, 1]])


def _cross(a: Floats, b: Floats) -> Floats:
    return np.asarray(a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0], np.float64)
