"""Observations written in the text notation: every set is a row, every set of one place lies loose.

Rows have no gaps, being the sets that the text says they are, unless a gap is given: then a camera saw them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from referee.notation import NotedTable, Place, parse_table
from referee.observation import Kind, Observation, Quad, Reading, Row, Scene, SeenTile

TILE_W, TILE_H = 40.0, 60.0
LINE_H = 200.0
MARGIN = 100.0
"""Between the table and the picture's edge: nothing is cut off."""
FAR_AWAY: Quad = ((9000.0, 9000.0), (9040.0, 9000.0), (9040.0, 9060.0), (9000.0, 9060.0))


@dataclass(frozen=True, slots=True)
class Covered:
    """Covered or cut tiles to put into a picture: at the sets of these numbers, beside these tiles, far away."""

    at_sets: tuple[int, ...] = ()
    beside_tiles: tuple[int, ...] = ()
    far: int = 0


def quad_at(column: float, line: int) -> Quad:
    x, y = MARGIN + column * TILE_W, MARGIN + line * LINE_H
    return ((x, y), (x + TILE_W, y), (x + TILE_W, y + TILE_H), (x, y + TILE_H))


def seen_tile(place: Place, quad: Quad, confidence: float = 0.6) -> SeenTile:
    """A sure tile, a doubtful one whose readings share all the probability, or a face-down tile."""
    if not place.readings:
        return SeenTile(quad, Kind.BACK, (), 0.99, doubtful=False)
    if len(place.readings) == 1:
        return SeenTile(quad, Kind.FACE, (Reading(place.readings[0], 0.999),), 0.999, doubtful=False)
    others = place.readings[1:]
    rest = (1 - confidence) / len(others)
    readings = (Reading(place.readings[0], confidence), *(Reading(tile, rest) for tile in others))
    return SeenTile(quad, Kind.FACE, readings, confidence, doubtful=True)


def observe(
    sets: Sequence[Sequence[Place]],
    scene: Scene = Scene.TABLE,
    covered: Covered = Covered(),
    gap: float | None = None,
) -> Observation:
    """The picture in which these sets lie, one below the other, neighbours ``gap`` tile widths apart."""
    tiles: list[SeenTile] = []
    rows: list[Row] = []
    loose: list[int] = []
    unread: list[Quad] = []
    for line, places in enumerate(sets):
        first = len(tiles)
        tiles += [seen_tile(place, quad_at(column, line)) for column, place in enumerate(places)]
        touching: tuple[int, ...] = ()
        if line in covered.at_sets:
            touching = (len(unread),)
            unread.append(quad_at(len(places), line))
        if len(places) > 1:
            gaps = () if gap is None else (gap,) * (len(places) - 1)
            rows.append(Row(tuple(range(first, len(tiles))), gaps, touching))
        else:
            loose.append(first)
    for i in covered.beside_tiles:
        (x, y), *_ = tiles[i].quad
        unread.append(quad_at((x - MARGIN) / TILE_W + 1.2, round((y - MARGIN) / LINE_H)))
    unread += [FAR_AWAY] * covered.far
    return Observation(10_000, 10_000, scene, tuple(tiles), tuple(rows), tuple(loose), tuple(unread))


def table(text: str, scene: Scene = Scene.TABLE, covered: Covered = Covered(), gap: float | None = None) -> Observation:
    """The picture of a table in the text notation."""
    noted: NotedTable = parse_table(text)
    return observe(noted, scene, covered, gap)
