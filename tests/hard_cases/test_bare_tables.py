"""A game begins on a bare table: what its surface looks like must not hide the first tiles from who watches it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.hard_cases.staged import plain_box
from vision.look import Eyes
from vision.render.club import club_look
from vision.render.stage import Moment, Stage, StageTile
from vision.render.surfaces import Surface, bricks, ceramic, checks, herringbone, stripes
from vision.watch import Watcher
from web.examine import tile_code

TEXTURE_PX = 1400
FIRST_SETS = (("R5", "R6", "R7"), ("B9", "K9", "O9"))
TILES = tuple(
    StageTile(3 * row + place, code, -6.0 + 7.0 * row + 0.71 * place, -3.0 + 4.0 * row, 0.0)
    for row, codes in enumerate(FIRST_SETS)
    for place, code in enumerate(codes)
)


SURFACES: tuple[tuple[Surface, int], ...] = (
    (ceramic, 3), (ceramic, 8), (ceramic, 18), (checks, 5), (checks, 9), (checks, 10), (checks, 13), (checks, 20),
    (bricks, 2), (bricks, 13), (herringbone, 1), (stripes, 1),
)  # fmt: skip
"""With the seed of each; on most of them a bare table seems full of large tiles or of small ones."""


@pytest.mark.parametrize(("surface", "seed"), SURFACES, ids=[f"{one.__name__}-{seed}" for one, seed in SURFACES])
def test_the_first_tiles_are_seen_on_whatever_was_bare(surface: Surface, seed: int, real_eyes: Eyes) -> None:
    rng = np.random.default_rng([seed, 26])
    look = replace(club_look(rng, (1280, 720)), surface=surface(rng, TEXTURE_PX), box=plain_box())
    stage = Stage(look, seed)
    watcher = Watcher(real_eyes)
    for number in range(2):
        watcher.look(stage.frame(Moment(()), number).image)
    laid = stage.frame(Moment(TILES), 2).image
    seen, alone = watcher.look(laid).observation, real_eyes.look(laid).observation
    assert sorted(map(tile_code, seen.tiles)) == sorted(map(tile_code, alone.tiles))
    assert {tile.code for tile in TILES} <= set(map(tile_code, seen.tiles))
