"""Where tiles lie: which quads are of one place, and a tile put into the row in which it lies.

Geometry of quads alone; nothing is judged.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from math import dist

from referee.observation import Observation, Point, Quad, Row, SeenTile

SAME_PLACE = 0.15
"""A tile lies where another lay when their centres are nearer than this, in tile heights: the eyes find one still tile
within 0.01 of where they found it, and neighbours lie 0.7 apart."""
SAME_QUESTION = 0.3
"""An answer is about the tile whose centre is nearer than this to the one that was asked about."""
NEXT_TO = 0.4
"""A tile that is put back into its row has its neighbours this near, in tile widths, to where they should be."""


def paired_places(quads: Sequence[Quad], places: Sequence[Quad]) -> dict[int, int]:
    """Index of each quad → index of the place that it lies on; each is used once, the nearest first."""
    centres = [centre(quad) for quad in quads]
    near = []
    for k, place in enumerate(places):
        here, height = centre(place), _height(place)
        for i, other in enumerate(centres):
            apart = dist(other, here)
            if apart < SAME_PLACE * height:
                near.append((apart / height, quads[i], place, i, k))
    near.sort()
    pairs: dict[int, int] = {}
    used: set[int] = set()
    for _, _, _, i, k in near:
        if i not in pairs and k not in used:
            pairs[i] = k
            used.add(k)
    return pairs


def nearest_place(quad: Quad, others: Sequence[Quad]) -> int | None:
    """The index of the quad at the same place, None where none is."""
    near = min(range(len(others)), key=lambda i: apart_in_heights(others[i], quad), default=None)
    return near if near is not None and apart_in_heights(others[near], quad) < SAME_QUESTION else None


def apart_in_heights(quad: Quad, place: Quad) -> float:
    """Distance of two tiles' centres in heights of the second."""
    height = _height(place)
    return dist(centre(quad), centre(place)) / height if height else float("inf")


def _height(quad: Quad) -> float:
    return (dist(quad[0], quad[3]) + dist(quad[1], quad[2])) / 2


def centre(quad: Quad) -> Point:
    """The mean of a quad's corners."""
    return sum(x for x, _ in quad) / 4, sum(y for _, y in quad) / 4


def boxes_meet(quad: Quad, region: Quad) -> bool:
    """Whether the boxes around two quads meet."""
    (left, right, top, bottom), (left2, right2, top2, bottom2) = (
        (min(x for x, _ in corners), max(x for x, _ in corners), min(y for _, y in corners), max(y for _, y in corners))
        for corners in (quad, region)
    )
    return left < right2 and left2 < right and top < bottom2 and top2 < bottom


def with_tile(observation: Observation, seen: SeenTile) -> Observation:
    """The picture with one more tile, put into the row in which it lies."""
    index = len(observation.tiles)
    tiles = (*observation.tiles, seen)
    before, after = _neighbour(observation, seen.quad, -1), _neighbour(observation, seen.quad, +1)
    ahead = _line(observation, before, last=True)
    behind = _line(observation, after, last=False)
    if ahead is not None and behind is not None and ahead is behind:
        behind = None
    members = (*(ahead.tiles if ahead else ()), index, *(behind.tiles if behind else ()))
    loose = tuple(i for i in observation.loose if i not in members)
    rows = tuple(row for row in observation.rows if row is not ahead and row is not behind)
    if len(members) == 1:
        return replace(observation, tiles=tiles, loose=(*loose, index))
    gaps = tuple(_gap(tiles[a].quad, tiles[b].quad) for a, b in pairwise(members))
    touching = tuple(sorted({i for row in (ahead, behind) if row for i in row.unread_touching}))
    return replace(observation, tiles=tiles, rows=(*rows, Row(members, gaps, touching)), loose=loose)


def _neighbour(observation: Observation, quad: Quad, side: int) -> int | None:
    """The tile that lies one tile width beside a quad, along its own reading direction; None where none does."""
    across = _across(quad)
    x, y = centre(quad)
    place = (x + side * across[0], y + side * across[1])
    reach = NEXT_TO * dist((0.0, 0.0), across)
    near = min(
        range(len(observation.tiles)), key=lambda i: dist(centre(observation.tiles[i].quad), place), default=None
    )
    return near if near is not None and dist(centre(observation.tiles[near].quad), place) < reach else None


def _line(observation: Observation, index: int | None, last: bool) -> Row | None:
    """The row that ends (or begins) with a tile, a tile lying alone as a row of one; None where it is in mid-row."""
    if index is None:
        return None
    row = next((row for row in observation.rows if index in row.tiles), Row((index,), ()))
    return row if row.tiles[-1 if last else 0] == index else None


def _across(quad: Quad) -> Point:
    """From the middle of a quad's left side to that of its right side."""
    (ax, ay), (bx, by), (cx, cy), (dx, dy) = quad
    return (bx + cx - ax - dx) / 2, (by + cy - ay - dy) / 2


def _gap(quad: Quad, following: Quad) -> float:
    """The gap between two neighbours in tile widths."""
    width = dist((0.0, 0.0), _across(quad))
    return dist(centre(quad), centre(following)) / width - 1 if width else 0.0
