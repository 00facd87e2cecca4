"""The tilt of a table from the shapes of its tiles."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from vision.render.camera import look_at_table
from vision.render.compose import lying
from vision.tilt import tilt_of


def quads_at(
    tilt_deg: float, turns: tuple[float, ...], aspect: float = 1 / 1.42, roll: float = 0
) -> NDArray[np.float64]:
    camera = look_at_table(1600, 1200, 60.0, tilt_deg, roll, 40.0)
    spots = [(x, y) for y in (-2.5, 0.0, 2.5) for x in (-3.0, 0.0, 3.0)]
    tiles = [lying("R1", x, y, turns[k % len(turns)]) for k, (x, y) in enumerate(spots)]
    return np.array([camera.project(tile.corners(aspect, 0.2)) for tile in tiles])


@pytest.mark.parametrize("tilt", [0, 20, 40, 60, 70])
@pytest.mark.parametrize("turns", [(0.0,), (90.0,), (0.0, 90.0, 137.0)])
@pytest.mark.parametrize("roll", [0, 35])
def test_the_cameras_tilt_is_found(tilt: float, turns: tuple[float, ...], roll: float) -> None:
    assert tilt_of(quads_at(tilt, turns, roll=roll)) == pytest.approx(tilt, abs=6)


def test_a_box_of_other_proportions_is_seen_through_where_tiles_lie_both_ways() -> None:
    for aspect in (1 / 1.25, 1 / 1.6):
        assert tilt_of(quads_at(0, (0.0, 90.0), aspect)) < 14
        assert tilt_of(quads_at(60, (0.0, 90.0), aspect)) == pytest.approx(60, abs=5)
        assert tilt_of(quads_at(60, (0.0,), aspect)) == pytest.approx(60, abs=10)


def test_without_tiles_there_is_no_tilt() -> None:
    assert tilt_of(np.zeros((0, 4, 2))) == 0.0
    assert tilt_of(np.zeros((2, 4, 2))) == 0.0


def test_one_tile_is_enough() -> None:
    assert tilt_of(quads_at(50, (0.0,))[4:5]) == pytest.approx(50, abs=6)
