"""Rows of neighbouring tiles, in reading order, from the tiles' quads alone.

Everything is measured in the table plane, in tile widths (``vision.rulers``).  No numeral and no rule of the game is
looked at.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.observation import Row
from vision.rulers import TYPICAL_ASPECT, Rulers, measured_by, own_rulers, rulers_of

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
MAX_BEND = 13.0
"""Largest turn, in degrees, in the bend of a row, which the next tiles carry on: corners are seen within 2 degrees."""
LEAST_BEND = 5.0
"""Turn between neighbours, in degrees, from which a row bends there."""
_UNREAD_OVERLAP = 0.25
"""An unread tile touches a row when it lies beside a tile over this part of the tile's height."""


@dataclass(frozen=True, slots=True)
class Layout:
    """How the tiles lie: ``rows`` and ``loose`` together hold each tile index exactly once."""

    rows: tuple[Row, ...]
    loose: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Links:
    """Pairs of tiles that may be neighbours: tile ``a``'s side ``side_a`` lies at tile ``b``'s side ``side_b``."""

    a: Indices
    b: Indices
    side_a: Indices
    """0 left, 1 right of the upright numeral"""
    side_b: Indices
    gap: Floats
    turn: Floats
    """Of tile ``b`` as tile ``a`` sees it, in degrees"""
    cost: Floats

    def take(self, chosen: Indices | Flags) -> _Links:
        """The chosen links."""
        return _Links(*(getattr(self, entry.name)[chosen] for entry in fields(self)))


def arrange(quads: NDArray[np.floating], up_sure: Flags, on_rack: Flags) -> Layout:
    """Group tiles into rows and put each row in reading order.

    ``quads`` is (N, 4, 2) in pixels, corners top-left, top-right, bottom-right, bottom-left of the upright numeral;
    ``up_sure`` (N,) is false where the tile's facing may be wrong by 180° (blank backs, some jokers) and then has no
    say in the row's reading direction; ``on_rack`` (N,) marks tiles that stand on a rack.

    Two tiles are neighbours when their left or right sides face each other with a gap of ``MIN_GAP`` to ``MAX_GAP``
    (``MAX_RACK_GAP`` on racks), an offset up to ``MAX_OFFSET`` and a turn up to ``MAX_TURN``, or up to ``MAX_BEND``
    where a row goes on bending the same way; each side has at most one neighbour, the nearest.  A row is read from the
    side that most of its numerals face.  Rows come in the order of their lowest tile index, so that the result depends
    on nothing but the input.

    Raises ``ValueError`` when the shapes disagree or a quad has no area.
    """
    count = len(quads)
    if quads.shape != (count, 4, 2) or up_sure.shape != (count,) or on_rack.shape != (count,):
        raise ValueError(f"expected (N, 4, 2), (N,), (N,), not {quads.shape}, {up_sure.shape}, {on_rack.shape}")
    if count == 0:
        return Layout((), ())
    corners = quads.astype(np.float64)
    links = _chosen(_possible_links(rulers_of(corners, on_rack), on_rack), count)
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
    rulers = own_rulers(quads.astype(np.float64), TYPICAL_ASPECT)
    touched = [_touched_by(rulers, quad) for quad in unread.astype(np.float64)]
    return tuple(
        replace(row, unread_touching=tuple(m for m, tiles in enumerate(touched) if not tiles.isdisjoint(row.tiles)))
        for row in rows
    )


def _touched_by(rulers: Rulers, unread: Floats) -> set[int]:
    """Tiles whose face, or the gap left or right of it, the unread quad (4, 2) reaches into."""
    count = len(rulers.centre)
    seen = measured_by(rulers, np.arange(count), np.broadcast_to(unread, (count, 4, 2)))
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


# --- neighbours -------------------------------------------------------------------------------------------------


def _possible_links(rulers: Rulers, on_rack: Flags) -> _Links:
    """All pairs that keep the neighbour rule; measured in both tiles' rulers and averaged, so a slant cancels."""
    # neighbours' centres are at most 1.3 widths across and 0.45 along apart; doubled for slanted rulers
    reach = 2 * np.maximum(np.linalg.norm(rulers.right, axis=1), np.linalg.norm(rulers.down, axis=1))
    apart = np.linalg.norm(rulers.centre[:, None] - rulers.centre[None], axis=2)
    near = np.triu(apart < np.maximum(reach[:, None], reach[None]), 1) & (on_rack[:, None] == on_rack[None])
    a, b = np.nonzero(near)
    from_a, side_a = _seen_from(rulers, a, b)
    from_b, side_b = _seen_from(rulers, b, a)
    gap = (from_a[:, 0] + from_b[:, 0]) / 2
    offset = (np.abs(from_a[:, 1]) + np.abs(from_b[:, 1])) / 2
    turn = (from_a[:, 2] - from_b[:, 2]) / 2
    widest = np.where(on_rack[a], MAX_RACK_GAP, MAX_GAP)
    kept = (gap >= MIN_GAP) & (gap <= widest) & (offset <= MAX_OFFSET) & (np.abs(turn) <= MAX_BEND)
    cost = ((gap - MIN_GAP) / (MAX_GAP - MIN_GAP)) ** 2 + (offset / MAX_OFFSET) ** 2 + (turn / MAX_TURN) ** 2
    return _Links(a, b, side_a, side_b, gap, turn, cost).take(kept)


def _seen_from(rulers: Rulers, own: Indices, other: Indices) -> tuple[Floats, Indices]:
    """For M pairs gap, offset and turn in degrees (M, 3) as ``own`` sees them, and its side (M,) towards the other."""
    centre = rulers.centre[other]
    to_other = measured_by(rulers, own, centre)[:, 0]
    to_own = measured_by(rulers, other, rulers.centre[own])[:, 0]
    # the middle of the other tile's side that faces this one
    facing = centre + np.where(to_own < 0, -0.5, 0.5)[:, None] * rulers.right[other]
    point = measured_by(rulers, own, facing)
    sign = np.where(to_other < 0, -1.0, 1.0)
    tip = measured_by(rulers, own, rulers.centre[own] + rulers.right[other])
    turn = np.degrees(np.arctan2(tip[:, 1], tip[:, 0]))
    turn = (turn + 90) % 180 - 90
    return np.column_stack([point[:, 0] * sign - 0.5, point[:, 1], turn]), (to_other >= 0).astype(np.int64)


def _chosen(links: _Links, count: int) -> _Links:
    """The cheapest links such that each side of a tile has one neighbour at most and no row closes to a ring.

    Links that turn more than ``MAX_TURN`` come last, and only where they carry on the bend of a row.
    """
    beside: list[list[int | None]] = [[None, None] for _ in range(count)]
    chain = list(range(count))

    def head(tile: int) -> int:
        while chain[tile] != tile:
            chain[tile] = chain[chain[tile]]
            tile = chain[tile]
        return tile

    def bends_on(k: int) -> bool:
        ends = ((int(links.a[k]), int(links.side_a[k])), (int(links.b[k]), int(links.side_b[k])))
        for tile, side in ends:
            other = beside[tile][1 - side]
            if other is None:
                continue
            # both turns as seen along the row: one link ends at this tile where the other begins
            onwards = 1 if (links.a[other] == tile) != (links.a[k] == tile) else -1
            if onwards * links.turn[other] * np.sign(links.turn[k]) >= LEAST_BEND:
                return True
        return False

    kept = []
    beyond = np.abs(links.turn) > MAX_TURN
    for k in np.lexsort((links.b, links.a, links.cost, beyond)).tolist():
        a, b = int(links.a[k]), int(links.b[k])
        side_a, side_b = int(links.side_a[k]), int(links.side_b[k])
        if beside[a][side_a] is not None or beside[b][side_b] is not None or head(a) == head(b):
            continue
        if beyond[k] and not bends_on(k):
            continue
        beside[a][side_a] = beside[b][side_b] = k
        chain[head(a)] = head(b)
        kept.append(k)
    return links.take(np.array(kept, np.int64))


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
