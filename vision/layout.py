"""Rows of neighbouring tiles, in reading order, from the tiles' quads alone.

Everything is measured in the table plane, in tile widths.  All tiles of a box have one size, so the tiles
themselves show how the table lies: with enough of them one plane is fitted to the whole table, otherwise each
tile's own quad is the ruler for its neighbourhood.  No numeral and no rule of the game is looked at.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.observation import Row

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Indices = NDArray[np.int64]

MAX_GAP = 0.3
"""Widest gap between neighbours on a table, in tile widths."""
MAX_RACK_GAP = 0.11
"""On a rack tiles stand side by side whether they belong together or not: only touching ones form a row.

On the shared racks touching tiles have gaps up to 0.10, the closest apart ones 0.12."""
MIN_GAP = -0.35
"""Deepest overlap that is still two tiles side by side, in tile widths."""
MAX_OFFSET = 0.45
"""Largest shift of neighbours along their touching sides, in tile widths."""
MAX_TURN = 10.5
"""Largest turn between neighbours, in degrees (modulo 180: a tile may lie upside down in its row)."""

TYPICAL_ASPECT = 1.42
"""Height over width of a tile; the shared photos' boxes lie between 1.40 and 1.46."""
_ASPECT_WEIGHT = 2.0
"""How many tiles' worth of evidence the typical aspect is: it decides only when all tiles lie the same way."""
_PLANE_TILES = 6
"""From so many tiles on, one plane for the table is steadier than each tile's own quad."""
_PLANE_MISFIT = 0.12
"""A plane is believed when half of the tiles have sides within this part of the common size."""
_UNREAD_OVERLAP = 0.25
"""An unread tile touches a row when it lies beside a tile over this part of the tile's height."""


@dataclass(frozen=True, slots=True)
class Layout:
    """How the tiles lie: ``rows`` and ``loose`` together hold each tile index exactly once."""

    rows: tuple[Row, ...]
    loose: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Frames:
    """One ruler per tile: a point is centre + x · right + y · down, x and y in tile widths."""

    centre: Floats
    """(N, 2)"""
    right: Floats
    """(N, 2), one tile width long"""
    down: Floats
    """(N, 2), one tile width long too, towards the numeral's foot"""


@dataclass(frozen=True, slots=True)
class _Links:
    """Pairs of tiles that may be neighbours: tile ``a``'s side ``side_a`` lies at tile ``b``'s side ``side_b``."""

    a: Indices
    b: Indices
    side_a: Indices
    """0 left, 1 right of the upright numeral"""
    side_b: Indices
    gap: Floats
    cost: Floats


def arrange(quads: NDArray[np.floating], up_sure: Flags, on_rack: Flags) -> Layout:
    """Group tiles into rows and put each row in reading order.

    ``quads`` is (N, 4, 2) in pixels, corners top-left, top-right, bottom-right, bottom-left of the upright numeral;
    ``up_sure`` (N,) is false where the tile's facing may be wrong by 180° (blank backs, some jokers) and then has no
    say in the row's reading direction; ``on_rack`` (N,) marks tiles that stand on a rack.

    Two tiles are neighbours when their left or right sides face each other with a gap of ``MIN_GAP`` to ``MAX_GAP``
    (``MAX_RACK_GAP`` on racks), an offset up to ``MAX_OFFSET`` and a turn up to ``MAX_TURN``; each side has at most
    one neighbour, the nearest.  A row is read from the side that most of its numerals face.  Rows come in the order
    of their lowest tile index, so that the result depends on nothing but the input.

    Raises ``ValueError`` when the shapes disagree or a quad has no area.
    """
    count = len(quads)
    if quads.shape != (count, 4, 2) or up_sure.shape != (count,) or on_rack.shape != (count,):
        raise ValueError(f"expected (N, 4, 2), (N,), (N,), not {quads.shape}, {up_sure.shape}, {on_rack.shape}")
    if count == 0:
        return Layout((), ())
    corners = quads.astype(np.float64)
    links = _choose(_possible_links(_frames(corners, on_rack), on_rack), count)
    rows, loose = _chains(links, count)
    middle = corners.mean(axis=1)
    return Layout(tuple(_in_reading_order(row, up_sure, middle) for row in rows), tuple(loose))


def touching_unread(
    rows: tuple[Row, ...], quads: NDArray[np.floating], unread: NDArray[np.floating]
) -> tuple[Row, ...]:
    """The same rows with ``unread_touching`` filled in.

    ``quads`` (N, 4, 2) are the tiles that the rows speak of, ``unread`` (M, 4, 2) the covered or cut tiles, both in
    pixels.  An unread tile touches a row when it lies on one of its tiles or beside one, within ``MAX_GAP`` of the
    left or right side; one that lies wholly above or below belongs to another line of tiles.
    """
    if not len(unread) or not rows:
        return rows
    frames = _own_frames(quads.astype(np.float64), TYPICAL_ASPECT)
    touched = [_touched_by(frames, quad) for quad in unread.astype(np.float64)]
    return tuple(
        replace(row, unread_touching=tuple(m for m, tiles in enumerate(touched) if not tiles.isdisjoint(row.tiles)))
        for row in rows
    )


def _touched_by(frames: _Frames, unread: Floats) -> set[int]:
    """Tiles whose face, or the gap left or right of it, the unread quad (4, 2) reaches into."""
    count = len(frames.centre)
    seen = _in_frame(frames, np.arange(count), np.broadcast_to(unread, (count, 4, 2)))
    half = np.array([0.5 + MAX_GAP, TYPICAL_ASPECT / 2])
    near = np.all((seen.min(axis=1) <= half) & (seen.max(axis=1) >= -half), axis=1)
    zone = (np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * half).astype(np.float32)
    touched = set()
    for tile in np.flatnonzero(near).tolist():
        hull = cv2.convexHull(seen[tile].astype(np.float32))
        area, common = cv2.intersectConvexConvex(hull, zone)
        if area > 0 and np.ptp(np.asarray(common).reshape(-1, 2)[:, 1]) >= _UNREAD_OVERLAP * TYPICAL_ASPECT:
            touched.add(tile)
    return touched


# --- rulers -----------------------------------------------------------------------------------------------------


def _frames(quads: Floats, on_rack: Flags) -> _Frames:
    """Rulers for all tiles: a common plane for the table and one for the rack where it fits, else each tile's own quad.

    The two planes need no common scale, since a tile on a rack is never the neighbour of one on the table.
    """
    own = _own_frames(quads, TYPICAL_ASPECT)
    centre, right, down = own.centre.copy(), own.right.copy(), own.down.copy()
    for members in (np.flatnonzero(~on_rack), np.flatnonzero(on_rack)):
        plane = _plane_frames(quads[members]) if len(members) >= _PLANE_TILES else None
        if plane is not None:
            centre[members], right[members], down[members] = plane.centre, plane.right, plane.down
    return _Frames(centre, right, down)


def _own_frames(quads: Floats, aspect: float) -> _Frames:
    """Each quad as a parallelogram that is ``aspect`` times as high as wide."""
    right = (quads[:, 1] - quads[:, 0] + quads[:, 2] - quads[:, 3]) / 2
    down = (quads[:, 3] - quads[:, 0] + quads[:, 2] - quads[:, 1]) / 2
    if not np.all(np.isfinite(quads)) or np.any(np.abs(_cross(right, down)) < 1e-6):
        raise ValueError("a tile's quad must be finite and have an area")
    return _Frames(quads.mean(axis=1), right, down / aspect)


def _plane_frames(quads: Floats) -> _Frames | None:
    """Rulers from one plane in which all tiles are equal rectangles, or None when the tiles do not agree on one.

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
    own = _own_frames(plane, aspect)
    sides = np.stack([np.linalg.norm(own.right, axis=1), np.linalg.norm(own.down, axis=1)])
    if np.median(np.abs(sides - 1).max(axis=0)) > _PLANE_MISFIT:
        return None
    # every tile is the same rectangle, so its place and its turn are all that is left to estimate
    turned = own.right + aspect**2 * np.stack([own.down[:, 1], -own.down[:, 0]], axis=1)
    right = turned / np.linalg.norm(turned, axis=1, keepdims=True)
    return _Frames(own.centre, right, np.stack([-right[:, 1], right[:, 0]], axis=1))


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
    """Metric (2, 2) in which all tiles of an affine view are 1 wide and ``aspect`` high, or None if there is none."""
    own = _own_frames(flat, 1.0)
    size = np.sqrt(np.median(np.abs(_cross(own.right, own.down))))
    u, v = own.right / size, own.down / size
    square = TYPICAL_ASPECT**2

    def products(p: Floats, q: Floats) -> Floats:
        return np.column_stack([p[:, 0] * q[:, 0], p[:, 0] * q[:, 1] + p[:, 1] * q[:, 0], p[:, 1] * q[:, 1]])

    count = len(flat)
    none, one = np.zeros((count, 1)), np.ones((count, 1))
    # unknowns: the metric's three entries and the squared aspect; heights are scaled down to weigh like widths
    terms = np.vstack(
        [
            np.hstack([products(u, u), none]),
            np.hstack([products(v, v), -one]) / square,
            np.hstack([products(u, v), none]) / TYPICAL_ASPECT,
            np.array([[0.0, 0.0, 0.0, _ASPECT_WEIGHT / square]]),
        ]
    )
    wanted = np.concatenate([np.ones(count), np.zeros(2 * count), [_ASPECT_WEIGHT]])
    xx, xy, yy, squared_aspect = np.linalg.lstsq(terms, wanted, rcond=None)[0]
    if xx <= 0 or xx * yy - xy * xy <= 1e-6 or not 1.0 < squared_aspect < 4.0:
        return None
    return np.array([[xx, xy], [xy, yy]]) / size**2, float(np.sqrt(squared_aspect))


def _in_frame(frames: _Frames, tiles: Indices, points: Floats) -> Floats:
    """Points (M, …, 2) in the rulers of M tiles, x right and y down in tile widths."""
    right, down = frames.right[tiles], frames.down[tiles]
    extra = (1,) * (points.ndim - 2)
    away = points - frames.centre[tiles].reshape(-1, *extra, 2)
    area = _cross(right, down).reshape(-1, *extra)
    right, down = right.reshape(-1, *extra, 2), down.reshape(-1, *extra, 2)
    return np.stack([_cross(away, down) / area, _cross(right, away) / area], axis=-1)


def _cross(a: Floats, b: Floats) -> Floats:
    return np.asarray(a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0], np.float64)


# --- neighbours -------------------------------------------------------------------------------------------------


def _possible_links(frames: _Frames, on_rack: Flags) -> _Links:
    """All pairs that keep the neighbour rule; measured in both tiles' rulers and averaged, so a slant cancels."""
    # neighbours' centres are at most 1.3 widths across and 0.45 along apart; doubled for slanted rulers
    reach = 2 * np.maximum(np.linalg.norm(frames.right, axis=1), np.linalg.norm(frames.down, axis=1))
    apart = np.linalg.norm(frames.centre[:, None] - frames.centre[None], axis=2)
    near = np.triu(apart < np.maximum(reach[:, None], reach[None]), 1) & (on_rack[:, None] == on_rack[None])
    a, b = np.nonzero(near)
    from_a, side_a = _seen_from(frames, a, b)
    from_b, side_b = _seen_from(frames, b, a)
    gap = (from_a[:, 0] + from_b[:, 0]) / 2
    offset = (np.abs(from_a[:, 1]) + np.abs(from_b[:, 1])) / 2
    turn = np.abs(from_a[:, 2] - from_b[:, 2]) / 2
    widest = np.where(on_rack[a], MAX_RACK_GAP, MAX_GAP)
    kept = (gap >= MIN_GAP) & (gap <= widest) & (offset <= MAX_OFFSET) & (turn <= MAX_TURN)
    cost = ((gap - MIN_GAP) / (MAX_GAP - MIN_GAP)) ** 2 + (offset / MAX_OFFSET) ** 2 + (turn / MAX_TURN) ** 2
    return _Links(a[kept], b[kept], side_a[kept], side_b[kept], gap[kept], cost[kept])


def _seen_from(frames: _Frames, own: Indices, other: Indices) -> tuple[Floats, Indices]:
    """For M pairs gap, offset and turn in degrees (M, 3) as ``own`` sees them, and its side (M,) towards the other."""
    centre = frames.centre[other]
    to_other = _in_frame(frames, own, centre)[:, 0]
    to_own = _in_frame(frames, other, frames.centre[own])[:, 0]
    # the middle of the other tile's side that faces this one
    facing = centre + np.where(to_own < 0, -0.5, 0.5)[:, None] * frames.right[other]
    point = _in_frame(frames, own, facing)
    sign = np.where(to_other < 0, -1.0, 1.0)
    tip = _in_frame(frames, own, frames.centre[own] + frames.right[other])
    turn = np.degrees(np.arctan2(tip[:, 1], tip[:, 0]))
    turn = (turn + 90) % 180 - 90
    return np.column_stack([point[:, 0] * sign - 0.5, point[:, 1], turn]), (to_other >= 0).astype(np.int64)


def _choose(links: _Links, count: int) -> _Links:
    """The cheapest links such that each side of a tile has one neighbour at most and no row closes to a ring."""
    taken = [[False, False] for _ in range(count)]
    chain = list(range(count))

    def head(tile: int) -> int:
        while chain[tile] != tile:
            chain[tile] = chain[chain[tile]]
            tile = chain[tile]
        return tile

    kept = []
    for k in np.lexsort((links.b, links.a, links.cost)).tolist():
        a, b = int(links.a[k]), int(links.b[k])
        side_a, side_b = int(links.side_a[k]), int(links.side_b[k])
        if taken[a][side_a] or taken[b][side_b] or head(a) == head(b):
            continue
        taken[a][side_a] = taken[b][side_b] = True
        chain[head(a)] = head(b)
        kept.append(k)
    return _Links(*(getattr(links, name)[kept] for name in ("a", "b", "side_a", "side_b", "gap", "cost")))


@dataclass(frozen=True, slots=True)
class _Chain:
    """A row in one of its two directions; ``along`` is +1 where the tile's right axis points forward, else −1."""

    tiles: tuple[int, ...]
    gaps: tuple[float, ...]
    along: tuple[int, ...]


def _chains(links: _Links, count: int) -> tuple[list[_Chain], list[int]]:
    """Rows and loose tiles, in the order of their lowest tile index."""
    beside: list[list[tuple[int, int, float] | None]] = [[None, None] for _ in range(count)]
    for a, b, side_a, side_b, gap in zip(
        links.a.tolist(),
        links.b.tolist(),
        links.side_a.tolist(),
        links.side_b.tolist(),
        links.gap.tolist(),
        strict=True,
    ):
        beside[a][side_a] = (b, side_b, gap)
        beside[b][side_b] = (a, side_a, gap)
    ends = [i for i in range(count) if (beside[i][0] is None) != (beside[i][1] is None)]
    loose = [i for i in range(count) if beside[i][0] is None and beside[i][1] is None]
    chains: list[_Chain] = []
    seen: set[int] = set()
    for end in ends:
        if end in seen:
            continue
        tile, leave = end, 0 if beside[end][0] is not None else 1
        tiles, gaps, along = [tile], [], [1 if leave else -1]
        while (step := beside[tile][leave]) is not None:
            tile, entered, gap = step
            leave = 1 - entered
            tiles.append(tile)
            gaps.append(gap)
            along.append(1 if leave else -1)
        seen.update((end, tile))
        chains.append(_Chain(tuple(tiles), tuple(gaps), tuple(along)))
    return sorted(chains, key=lambda chain: min(chain.tiles)), loose


def _in_reading_order(chain: _Chain, up_sure: Flags, middle: Floats) -> Row:
    """Turn the row so that most numerals face its reader; a tie is read to the right, then downwards."""
    sure = sum(way for tile, way in zip(chain.tiles, chain.along, strict=True) if up_sure[tile])
    x, y = (middle[chain.tiles[-1]] - middle[chain.tiles[0]]).tolist()
    ways = [float(sure), float(sum(chain.along)), x, y]
    if next((way for way in ways if way), 0.0) < 0:
        return Row(chain.tiles[::-1], chain.gaps[::-1])
    return Row(chain.tiles, chain.gaps)
