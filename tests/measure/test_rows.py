"""The table of rows: every kind is laid as its name says, and the layout finds all its rows again."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from referee.observation import Kind as Side
from referee.observation import Observation, Quad, Reading, Row, Scene, SeenTile
from referee.tiles import parse_tile
from tests.measure.rows import KINDS, Kind, faults, laid, photo_of, rows_by_layout, rows_seen, through_lens, true_quads
from vision.render.compose import RenderedTile

BY_NAME = {kind.name: kind for kind in KINDS}
AS_SEEN = 0.012
"""How far the eyes' corners are off each way, in tile sizes."""


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
@pytest.mark.parametrize("sigma", [0.0, AS_SEEN])
def test_the_layout_finds_all_rows_of_every_kind(kind: Kind, sigma: float) -> None:
    tables = [laid(kind, number, 3) for number in range(8)]
    wrong = [faults(table.rows, rows_by_layout(table, sigma, number)) for number, table in enumerate(tables)]
    assert sum(wrong, Counter[str]()) == {}


def test_names_are_of_one_kind_each() -> None:
    assert len(BY_NAME) == len(KINDS) >= 20


@pytest.mark.parametrize(
    ("name", "rows", "alone"),
    [("columns of single tiles", 0, 15), ("one line, gap to 0.25", 4, 0), ("one line, gap from 0.36", 8, 0)],
)
def test_a_plan_tells_its_rows(name: str, rows: int, alone: int) -> None:
    table = laid(BY_NAME[name], 0, 1)
    assert len(table.rows) == rows
    assert len(table.tiles) - sum(len(row) for row in table.rows) == alone


def test_what_is_wrong_with_rows_is_counted() -> None:
    want = [(0, 1, 2), (3, 4, 5), (6, 7)]
    assert faults(want, want) == {}
    assert faults(want, [(0, 1, 2, 3, 4, 5), (6, 7)]) == {"joined": 1}
    assert faults(want, [(0, 1), (5, 4, 3), (6, 7)]) == {"parted": 1, "reversed": 1}
    assert faults(want, [(0, 1, 2), (3, 4, 5)]) == {"parted": 1}


def quad_at(column: int) -> Quad:
    left = 75.0 * column
    return ((left, 0.0), (left + 70, 0.0), (left + 70, 100.0), (left, 100.0))


def test_seen_rows_speak_of_the_true_tiles() -> None:
    quads = [quad_at(column) for column in (0, 1, 2, 9)]
    truth = [RenderedTile("R1", np.array(quad, np.float32), 1.0, legible=True) for quad in quads]
    reading = Reading(parse_tile("R1"), 0.9)
    seen = [SeenTile(quads[k], Side.FACE, (reading,), 0.9, doubtful=False) for k in (2, 1, 0)]
    observation = Observation(1000, 200, Scene.TABLE, tuple(seen), (Row((2, 1, 0), (0.07, 0.07)),))
    assert rows_seen(truth, observation) == ([(0, 1, 2)], 1)
    assert rows_seen(truth[1:], observation) == ([(-1, 0, 1)], 2)


def test_a_barrel_moves_corners_inwards_and_leaves_the_middle() -> None:
    moved = through_lens(np.array([[600.0, 450.0], [0.0, 0.0]]), -0.1)
    assert moved == pytest.approx(np.array([[600.0, 450.0], [60.0, 45.0]]))


@pytest.mark.parametrize("name", ["few tiles", "stacked, webcam lens"])
def test_a_photo_shows_the_tiles_where_its_truth_says(name: str) -> None:
    """Faces are bright, whatever lies around them: the middle of every foot, where nothing is printed, shows it."""
    table = laid(BY_NAME[name], 0, 1)
    photo = photo_of(table, 0)
    assert len(photo.scene.tiles) == len(table.tiles) == len(true_quads(table))
    assert [len(row) for row in photo.rows] == [len(row) for row in table.rows]
    whole = photo.scene.image.mean()
    feet = [tile.quad[2:].mean(axis=0) * 0.9 + tile.quad[:2].mean(axis=0) * 0.1 for tile in photo.scene.tiles]
    shown = [photo.scene.image[int(y), int(x)].mean() for x, y in feet]
    assert np.median(shown) > whole
