"""A collage instead of a photo: tiles cut out of pictures in every light, in a grid on plain ground, many places empty."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from vision.rectify import rectify
from vision.render.faces import judge_box
from vision.render.scene import random_lighting
from vision.render.surfaces import TRAINING_SURFACES
from vision.render.table import Shot, TableSpec, render_table
from vision.taught.asked import Asked
from vision.taught.teacher import Teacher

CROP_WH, CELL_WH = (56, 76), (70, 92)


@pytest.fixture(scope="module")
def collage() -> tuple[NDArray[np.uint8], dict[tuple[int, int], str]]:
    """The picture, and the code at each column and row of its grid."""
    rng = np.random.default_rng(4)
    box = judge_box(rng)
    page = np.full((5 * CELL_WH[1] + 40, 13 * CELL_WH[0] + 40, 3), (120, 130, 125), np.uint8)
    there: dict[tuple[int, int], str] = {}
    for k in range(3):  # three pictures, each in another light, give about a third of the box each
        codes = tuple(f"{colour}{number}" for colour in "RBKO" for number in range(1 + k, 14, 4)) + ("J",)
        shot = Shot((1000, 750), tilt_deg=float(rng.uniform(0, 35)), roll_deg=float(rng.uniform(0, 360)))
        lighting = replace(random_lighting(rng), glare=0)
        table = render_table(rng, box, TableSpec((), codes), shot, TRAINING_SURFACES[k], lighting)
        quads = np.array([tile.quad for tile in table.scene.tiles], np.float32)
        for tile, crop in zip(table.scene.tiles, rectify(table.scene.image, quads, *CROP_WH), strict=True):
            joker = tile.code == "J"
            column, row = (k, 4) if joker else (int(tile.code[1:]) - 1, "RBKO".index(tile.code[0]))
            x, y = 20 + column * CELL_WH[0], 20 + row * CELL_WH[1]
            page[y : y + CROP_WH[1], x : x + CROP_WH[0]] = crop
            there[column, row] = tile.code
    return page, there


@pytest.mark.parametrize("quarter_turns", [0, 1, 2])
def test_a_collage_teaches_what_it_shows(
    collage: tuple[NDArray[np.uint8], dict[tuple[int, int], str]], quarter_turns: int
) -> None:
    page, there = collage
    laid = Teacher.load(threads=1).lay_out(np.ascontiguousarray(np.rot90(page, quarter_turns)), Asked())
    wrong = []
    for tile in laid.settled:
        x, y = _turned_back(tile.quad.mean(axis=0), page.shape[1], page.shape[0], quarter_turns)
        code = there.get((int((x - 20) // CELL_WH[0]), int((y - 20) // CELL_WH[1])))
        wrong += [] if code == str(tile.tile) else [(str(tile.tile), code)]
    assert wrong == []
    assert len(laid.settled) >= 0.9 * len(there)


def _turned_back(point: NDArray[np.floating], width: int, height: int, quarter_turns: int) -> tuple[float, float]:
    """Where a point of the page turned anticlockwise lies in the page itself."""
    x, y = float(point[0]), float(point[1])
    return {0: (x, y), 1: (width - 1 - y, x), 2: (width - 1 - x, height - 1 - y)}[quarter_turns]
