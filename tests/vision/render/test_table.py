"""A given table is laid out, framed and told as it was given, and its rows are found again from the quads alone."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import cv2
import numpy as np
import pytest

from tests.vision.render.plain import EVEN_LIGHT, PlainBox, black_table
from vision.layout import arrange
from vision.render.compose import Placed, RenderedScene
from vision.render.faces import judge_box
from vision.render.scene import random_code
from vision.render.table import RenderedTable, Shot, TableSpec, encode, lay_out, render_table, truth_of

SMALL = Shot(size_wh=(480, 360), noise=0.0)
TWO_ROWS = TableSpec((("R1", "R2", "R3"), ("B7", "K7", "O7")), loose=("J",), facings=(0, 180, 90))


def rendered(spec: TableSpec, shot: Shot = SMALL, seed: int = 1, thickness: float = 0.2) -> RenderedTable:
    return render_table(np.random.default_rng(seed), PlainBox(thickness=thickness), spec, shot, black_table, EVEN_LIGHT)


def random_spec(rng: np.random.Generator) -> TableSpec:
    """Up to eight rows facing any way, and up to three loose tiles; codes may repeat."""
    rows = tuple(
        tuple(random_code(rng, backs=0) for _ in range(int(rng.choice([2, 3, 3, 4, 5, 8, 13]))))
        for _ in range(int(rng.integers(1, 9)))
    )
    loose = tuple(random_code(rng) for _ in range(int(rng.integers(0, 4))))
    facings = tuple(float(rng.choice([0, 90, 180, 270, rng.uniform(0, 360)])) for _ in range(5))
    return TableSpec(rows, loose, facings)


@pytest.mark.parametrize("seed", range(24))
def test_rows_and_loose_tiles_are_told_in_reading_order(seed: int) -> None:
    spec = random_spec(np.random.default_rng(seed))
    table = rendered(spec, replace(SMALL, tilt_deg=float(seed % 4 * 15), roll_deg=23.0 * seed), seed)
    codes = [tile.code for tile in table.scene.tiles]
    assert [tuple(codes[i] for i in row) for row in table.rows] == list(spec.rows)
    assert [codes[i] for i in table.loose] == list(spec.loose)
    assert sorted(i for row in (*table.rows, table.loose) for i in row) == list(range(len(codes)))


@pytest.mark.parametrize("seed", range(24))
def test_the_layout_finds_the_rows_again(seed: int) -> None:
    """Neighbours in a row are near, tiles of different rows are not, and every row reads from its own side."""
    spec = random_spec(np.random.default_rng(seed))
    table = rendered(spec, replace(SMALL, tilt_deg=float(seed % 4 * 15), roll_deg=23.0 * seed), seed)
    quads = np.array([tile.quad for tile in table.scene.tiles])
    layout = arrange(quads, np.ones(len(quads), bool), np.zeros(len(quads), bool))
    assert {row.tiles for row in layout.rows} == set(table.rows)
    assert set(layout.loose) == set(table.loose)


@pytest.mark.parametrize(("turn", "step"), [(0, (1, 0)), (90, (0, 1)), (180, (-1, 0)), (270, (0, -1))])
def test_a_facing_turns_the_row_clockwise(turn: float, step: tuple[int, int]) -> None:
    table = rendered(TableSpec((("R1", "R2", "R3"),), facings=(turn,)), replace(SMALL, tilt_deg=0))
    first, _, last = (table.scene.tiles[i].quad.mean(axis=0) for i in table.rows[0])
    along = (last - first) / np.linalg.norm(last - first)
    np.testing.assert_allclose(along, step, atol=0.15)


def test_a_tidy_table_has_straight_rows_without_gaps() -> None:
    spec = replace(TWO_ROWS, messy=0.0)
    table = rendered(spec, replace(SMALL, tilt_deg=0))
    quads = np.array([tile.quad for tile in table.scene.tiles])
    layout = arrange(quads, np.ones(len(quads), bool), np.zeros(len(quads), bool))
    assert [gap for row in layout.rows for gap in row.gaps] == pytest.approx([0, 0, 0, 0], abs=0.02)


def test_a_row_of_one_is_a_loose_tile() -> None:
    table = rendered(TableSpec((("R1", "R2"), ("B5",)), loose=("?",)))
    codes = [tile.code for tile in table.scene.tiles]
    assert [[codes[i] for i in row] for row in table.rows] == [["R1", "R2"]]
    assert [codes[i] for i in table.loose] == ["B5", "?"]


@pytest.mark.parametrize("tilt", [0, 30, 60])
@pytest.mark.parametrize("size", [(480, 360), (300, 300), (270, 480)])
def test_the_tiles_just_fill_the_picture(size: tuple[int, int], tilt: float) -> None:
    spec = random_spec(np.random.default_rng(3))
    table = rendered(spec, replace(SMALL, size_wh=size, tilt_deg=tilt), thickness=0.0)
    corners = np.concatenate([tile.quad for tile in table.scene.tiles])
    low, high = corners.min(axis=0), corners.max(axis=0)
    room = np.array(size) * 0.94
    assert (high - low <= room + 1).all()
    assert ((high - low) / room).max() > 0.97
    np.testing.assert_allclose((low + high) / 2, np.array(size) / 2, atol=1)
    assert min(tile.visible for tile in table.scene.tiles) > 0.6


def test_fill_shows_the_tiles_smaller() -> None:
    def height(fill: float) -> float:
        table = rendered(TWO_ROWS, replace(SMALL, fill=fill, tilt_deg=0))
        return float(np.mean([np.linalg.norm(tile.quad[0] - tile.quad[3]) for tile in table.scene.tiles]))

    assert height(0.5) == pytest.approx(height(1.0) / 2, rel=0.03)


def test_a_view_from_within_the_tiles_is_refused() -> None:
    with pytest.raises(ValueError, match="far enough"):
        rendered(TWO_ROWS, replace(SMALL, fill=1000.0, tilt_deg=60))


def test_hands_are_given_in_shares_of_the_picture() -> None:
    spec = TableSpec((("R1", "R2", "R3", "R4"),))
    rng, box = np.random.default_rng(3), PlainBox()
    table = render_table(rng, box, spec, SMALL, black_table, EVEN_LIGHT, hands=((0.1, 0.5), (0.1, 0.5), (0.1, 0.5)))
    first = table.scene.tiles[table.rows[0][0]]
    assert first.visible < 0.8


def test_groups_are_laid_without_touching() -> None:
    rng = np.random.default_rng(8)
    spec = random_spec(rng)
    groups: list[list[Placed]] = lay_out(rng, PlainBox(), list(spec.rows), spec, 1.5)
    assert [tuple(tile.code for tile in group) for group in groups] == list(spec.rows)
    for k, group in enumerate(groups):
        others = np.array([tile.centre for other in groups[:k] for tile in other]).reshape(-1, 3)
        for tile in group:
            assert np.linalg.norm(others - tile.centre, axis=1).min(initial=9) > 0.7 + 0.3 * 0.7


@pytest.mark.parametrize("noise", [0.0, 0.8])
def test_the_same_seed_gives_the_same_table(noise: float) -> None:
    def table(seed: int) -> RenderedTable:
        rng = np.random.default_rng(seed)
        return render_table(rng, judge_box(rng), TWO_ROWS, replace(SMALL, noise=noise), black_table, EVEN_LIGHT)

    one, same, other = table(5), table(5), table(6)
    np.testing.assert_array_equal(one.scene.image, same.scene.image)
    assert truth_of(one, "", "", "") == truth_of(same, "", "", "")
    assert (one.scene.image != other.scene.image).any()


def test_a_jpeg_of_the_picture_looks_like_it() -> None:
    table = rendered(TWO_ROWS)
    back = cv2.imdecode(np.frombuffer(encode(table, SMALL), np.uint8), cv2.IMREAD_COLOR)
    assert back is not None
    assert np.abs(back.astype(int) - table.scene.image.astype(int)).mean() < 3


def test_truth_names_what_is_cut_and_what_cannot_be_read() -> None:
    table = rendered(TWO_ROWS)
    tiles = list(table.scene.tiles)
    tiles[1] = replace(tiles[1], visible=0.7, legible=True)
    tiles[2] = replace(tiles[2], visible=1.0, legible=False)
    tiles[3] = replace(tiles[3], visible=0.95, quad=tiles[3].quad * 0 + np.float32(1.26))
    told = truth_of(replace(table, scene=RenderedScene(table.scene.image, tuple(tiles))), "a.jpg", "table", "words")
    entries = told.pop("tiles")
    assert isinstance(entries, list)
    assert told == {
        "photo": "a.jpg", "width": 480, "height": 360, "scene": "table", "notes": "words",
        "sets": [list(row) for row in table.rows], "loose": list(table.loose),
    }  # fmt: skip
    assert [entry["tile"] for entry in entries] == [tile.code for tile in tiles]
    assert [entry.get("cut") for entry in entries] == [None, True, None, None, None, None, None]
    assert [entry.get("legible") for entry in entries] == [None, None, False, None, None, None, None]
    assert entries[3]["quad"] == [[1.3, 1.3]] * 4


def test_rows_are_green_where_the_truth_says() -> None:
    """The truth is that of the picture after it was framed: every quad's middle shows a face."""
    table = rendered(random_spec(np.random.default_rng(6)), replace(SMALL, tilt_deg=40, roll_deg=33))
    seen = Counter[bool]()
    for tile in table.scene.tiles:
        x, y = np.floor(tile.quad.mean(axis=0) + 0.5).astype(int)
        seen[bool(table.scene.image[y, x, 1] > 150)] += 1
    assert seen == Counter({True: len(table.scene.tiles)})
