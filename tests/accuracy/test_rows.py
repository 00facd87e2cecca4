"""Rows through the eyes: one rendered photo of each hard way to lay tiles."""

from __future__ import annotations

import pytest

from referee.observation import Scene
from tests.measure.rows import KINDS, faults, laid, photo_of, rows_seen
from vision.look import Eyes

BY_NAME = {kind.name: kind for kind in KINDS}


@pytest.mark.parametrize(
    ("name", "number"),
    [
        ("bent 8.5 a tile", 0),
        ("corners touch", 0),
        ("stacked", 0),
        ("mixed facing", 0),
        ("overlapping", 0),
        ("T and L", 0),
        ("any angle, 45 to 60", 1),
        ("rack", 4),
    ],
)
def test_the_eyes_find_the_rows(name: str, number: int, real_eyes: Eyes) -> None:
    """A tile that newly trained networks miss may part one row, not more."""
    photo = photo_of(laid(BY_NAME[name], number, 1), number)
    observation = real_eyes.look(photo.scene.image, second_reader=False).observation
    rows, missed = rows_seen(photo.scene.tiles, observation)
    assert observation.scene is (Scene.RACK if name == "rack" else Scene.TABLE)
    assert missed <= 1
    assert faults(list(photo.rows), rows).total() <= 2 * missed
