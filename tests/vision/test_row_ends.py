"""A tile that nobody saw shows where its row ends: there the tiles' own colour goes on."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from referee.observation import Kind, Observation, Quad, Reading, Row, Scene, SeenTile
from referee.tiles import parse_tile
from vision.row_ends import with_covered_ends

Image = NDArray[np.uint8]
WIDE, HIGH = 40, 56
BODY, TABLE, INK = (205, 220, 228), (40, 70, 110), (40, 40, 190)
Place = tuple[float, float]


def corners(place: Place, turn: float = 0.0) -> NDArray[np.float64]:
    """The quad (4, 2) of a tile with its middle there, in tile widths, turned about the middle of the picture."""
    middle = np.array(place) * WIDE
    quad = middle + np.array([[-WIDE, -HIGH], [WIDE, -HIGH], [WIDE, HIGH], [-WIDE, HIGH]]) / 2
    c, s = np.cos(np.radians(turn)), np.sin(np.radians(turn))
    return np.asarray((quad - 200) @ np.array([[c, s], [-s, c]]) + 200, np.float64)


def painted(places: list[Place], table: tuple[int, int, int] = TABLE, turn: float = 0.0) -> Image:
    """Tiles with a numeral on a table, 400 pixels square."""
    image = np.full((400, 400, 3), table, np.uint8)
    for place in places:
        quad = corners(place, turn)
        cv2.fillConvexPoly(image, np.round(quad).astype(np.int32), BODY)
        top = quad[:2].mean(axis=0) * 0.6 + quad[2:].mean(axis=0) * 0.4
        cv2.circle(image, (round(top[0]), round(top[1])), 7, INK, 3)
    return image


def seen(rows: list[list[Place]], loose: tuple[Place, ...] = (), turn: float = 0.0) -> Observation:
    """What is seen of a table: rows of sure tiles, then those that lie alone."""
    tiles = tuple(
        SeenTile(as_quad(corners(place, turn)), Kind.FACE, (Reading(parse_tile("R5"), 1.0),), 1.0, doubtful=False)
        for place in [place for row in rows for place in row] + list(loose)
    )
    placed, first = [], 0
    for row in rows:
        placed.append(Row(tuple(range(first, first + len(row))), (0.0,) * (len(row) - 1)))
        first += len(row)
    return Observation(400, 400, Scene.TABLE, tiles, tuple(placed), tuple(range(first, len(tiles))))


def as_quad(quad: NDArray[np.float64]) -> Quad:
    a, b, c, d = ((float(x), float(y)) for x, y in quad)
    return a, b, c, d


def line(x: float, y: float, count: int = 3) -> list[Place]:
    return [(x + k * 1.03, y) for k in range(count)]


OTHERS = [line(2, 7), line(6, 7)]
"""Rows that show what the table looks like."""


@pytest.mark.parametrize("turn", [0.0, 25.0, 90.0, 180.0])
@pytest.mark.parametrize("missed", [0, 3])
def test_a_tile_that_nobody_saw_makes_its_row_open(missed: int, turn: float) -> None:
    row = line(3, 3, 4)
    image = painted([*row, *OTHERS[0], *OTHERS[1]], turn=turn)
    rest = [place for k, place in enumerate(row) if k != missed]
    told = with_covered_ends(image, seen([rest, *OTHERS], turn=turn))
    assert [one.unread_touching for one in told.rows] == [(0,), (), ()]
    assert len(told.unread) == 1
    np.testing.assert_allclose(np.mean(told.unread[0], axis=0), corners(row[missed], turn).mean(axis=0), atol=4)


def test_between_two_halves_of_a_row_it_is_one_tile() -> None:
    row = line(3, 3, 4)
    told = with_covered_ends(
        painted([*row, *OTHERS[0], *OTHERS[1]]), seen([[row[0], row[1]], *OTHERS], loose=(row[3],))
    )
    assert [one.unread_touching for one in told.rows] == [(0,), (), ()]
    assert len(told.unread) == 1


def test_half_of_it_under_a_card_is_enough() -> None:
    row = line(3, 3, 4)
    image = painted([*row, *OTHERS[0], *OTHERS[1]])
    card = corners((row[3][0] + 0.5, 3)).astype(np.int32)
    cv2.fillConvexPoly(image, card, BODY)
    assert len(with_covered_ends(image, seen([row[:3], *OTHERS])).unread) == 1


def test_what_was_seen_or_is_the_table_is_not_missed() -> None:
    row = line(3, 3, 4)
    apart = (3 + 4 * 1.03 + 0.4, 3.0)
    places = [*row, apart, *OTHERS[0], *OTHERS[1]]
    told = seen([row, *OTHERS], loose=(apart,))
    assert with_covered_ends(painted(places), told) == told


def test_a_table_of_the_tiles_own_colour_tells_nothing() -> None:
    row = line(3, 3)
    told = seen([row, *OTHERS])
    assert with_covered_ends(painted([*row, *OTHERS[0], *OTHERS[1]], table=BODY), told) == told


def test_beyond_the_picture_lies_nobody() -> None:
    row = [(0.5 + k * 1.03, 3.0) for k in range(3)]
    told = seen([row, *OTHERS])
    assert with_covered_ends(painted([*row, *OTHERS[0], *OTHERS[1]]), told) == told


@pytest.mark.parametrize("doubtful", [False, True])
def test_a_doubtful_blank_beside_a_row_may_be_its_cover(doubtful: bool) -> None:
    row = line(3, 3, 4)
    told = seen([row[:3], *OTHERS], loose=(row[3],))
    blank = SeenTile(told.tiles[-1].quad, Kind.BACK, (), 0.4 if doubtful else 0.99, doubtful)
    told = replace(told, tiles=(*told.tiles[:-1], blank))
    again = with_covered_ends(painted([*row, *OTHERS[0], *OTHERS[1]]), told)
    assert len(again.unread) == doubtful


def test_an_unread_tile_touches_the_row_that_it_goes_on_with() -> None:
    row = line(3, 3, 4)
    half = corners(row[3])
    half[[0, 3], 0] += 0.45 * WIDE
    told = replace(seen([row[:3], *OTHERS]), unread=(as_quad(half),))
    assert not told.rows[0].unread_touching
    again = with_covered_ends(painted([*row, *OTHERS[0], *OTHERS[1]]), told)
    assert again.unread == told.unread
    assert [one.unread_touching for one in again.rows] == [(0,), (), ()]


@pytest.mark.parametrize("scene", [Scene.RACK, Scene.EMPTY])
def test_only_on_a_table_do_rows_go_on(scene: Scene) -> None:
    row = line(3, 3, 4)
    told = replace(seen([row[:3], *OTHERS]), scene=scene)
    assert with_covered_ends(painted([*row, *OTHERS[0], *OTHERS[1]]), told) == told


@pytest.mark.parametrize("below", [8, 200])
def test_where_hardly_any_table_is_in_view_nothing_is_told(below: int) -> None:
    row = line(3, 0.8)
    image = painted([*row, (2, 0.8), *OTHERS[0], *OTHERS[1]])
    told = with_covered_ends(image, seen([row, *OTHERS]))
    assert len(told.unread) == 1
    strip = np.ascontiguousarray(painted([*row, (2, 0.8), (7, 0.8)])[: 60 + below])
    assert len(with_covered_ends(strip, seen([row], loose=((7, 0.8),))).unread) == (1 if below > HIGH else 0)


def test_rows_that_end_in_face_down_tiles_have_no_end_to_look_at() -> None:
    whole = seen([line(2.0, 2.0, 4), line(2.0, 6.0, 4)])
    ends = {whole.rows[0].tiles[0], whole.rows[0].tiles[-1], whole.rows[1].tiles[0], whole.rows[1].tiles[-1]}
    tiles = tuple(
        replace(tile, kind=Kind.BACK, readings=()) if i in ends else tile for i, tile in enumerate(whole.tiles)
    )
    observation = replace(whole, tiles=tiles)
    assert with_covered_ends(painted(line(2.0, 2.0, 4) + line(2.0, 6.0, 4)), observation) == observation
