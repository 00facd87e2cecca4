"""The table of kinds counts what it says: right, silent, flagged, and it draws the kind that it names."""

from __future__ import annotations

import numpy as np
import pytest

from referee.observation import Kind, Observation, Quad, Reading, Scene, SeenTile
from referee.tiles import parse_tile
from tests.measure.families import FAMILIES, TILE_PX, Family, compared, hardened, median_height, photo_of
from vision.render.compose import RenderedTile


def quad_at(column: int) -> Quad:
    left = 100.0 * column
    return ((left, 0.0), (left + 70, 0.0), (left + 70, 100.0), (left, 100.0))


def true_tile(code: str, column: int, visible: float = 1.0, legible: bool = True) -> RenderedTile:
    return RenderedTile(code, np.array(quad_at(column), np.float32), visible, legible)


def seen_tile(code: str, column: int, doubtful: bool = False) -> SeenTile:
    return SeenTile(quad_at(column), Kind.FACE, (Reading(parse_tile(code), 0.9),), 0.9, doubtful)


def seen(*tiles: SeenTile, unread: tuple[Quad, ...] = ()) -> Observation:
    loose = tuple(range(len(tiles)))
    return Observation(1000, 100, Scene.TABLE, tiles, rows=(), loose=loose, unread=unread)


def test_right_wrong_missed_and_flagged_are_told_apart() -> None:
    truth = tuple(true_tile(code, k) for k, code in enumerate(("R1", "R2", "R3", "R4", "R5", "J")))
    looked = seen(
        seen_tile("R1", 0), seen_tile("B2", 1), seen_tile("R9", 2, doubtful=True), seen_tile("J", 5),
        unread=(quad_at(4),),
    )  # fmt: skip
    tally = compared(truth, looked)
    assert (tally.tiles, tally.right, tally.silent, tally.flagged) == (6, 2, 2, 2)
    assert tally.errors == {"R2>B2": 1, "R4>missed": 1}


def test_an_invented_tile_and_a_second_reading_are_silent_errors() -> None:
    tally = compared((true_tile("R1", 0),), seen(seen_tile("R1", 0), seen_tile("R1", 0), seen_tile("K4", 7)))
    assert (tally.right, tally.silent) == (0, 2)
    assert tally.errors == {"R1>R1+R1": 1, "nothing>K4": 1}


@pytest.mark.parametrize(
    ("looked", "silent"),
    [(seen(), 0), (seen(seen_tile("R1", 0)), 0), (seen(seen_tile("R7", 0)), 1), (seen(seen_tile("R7", 0, True)), 0)],
    ids=["unseen", "read all the same", "surely misread", "doubted"],
)
def test_an_illegible_tile_counts_only_where_it_is_surely_misread(looked: Observation, silent: int) -> None:
    tally = compared((true_tile("R1", 0, legible=False),), looked)
    assert (tally.tiles, tally.silent) == (0, silent)


def test_cut_tiles_count_nowhere() -> None:
    tally = compared((true_tile("R1", 0, visible=0.5),), seen(seen_tile("R7", 0)))
    assert (tally.tiles, tally.silent) == (0, 0)


def test_names_are_of_one_kind_each() -> None:
    names = [family.name for family in FAMILIES]
    assert len(set(names)) == len(names) >= 60


@pytest.mark.parametrize("tile_px", [20.0, 90.0])
def test_tiles_are_shown_at_the_size_asked_for(tile_px: float) -> None:
    image, tiles = photo_of(Family("small test", tile_px=tile_px, sets=2), 0, 1)
    assert image.dtype == np.uint8
    assert median_height(tiles) == pytest.approx(tile_px, rel=0.1)


def test_a_hard_picture_keeps_what_the_kind_is_about() -> None:
    small, steep = Family("a", tile_px=18), Family("b", tilt_deg=66)
    assert hardened(small).tile_px == 18
    assert hardened(steep).tilt_deg == 66
    assert hardened(steep).tile_px < TILE_PX
