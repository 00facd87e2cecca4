"""Hard cases of seeing 7 to 9: how tiles lie, how large they are, and what is cut or covered."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from referee.observation import Observation
from referee.preset_files import load_ruleset
from referee.ruling import Verdict, judge_table
from tests.hard_cases.staged import ROWS, SHOT, Staged, covered, laid, looked, plain_box, row_of, rows_seen, staged
from tests.measure.families import Family, photo_of
from vision.look import Eyes
from web.examine import tile_code

GLOVE, SKIN, SLEEVE = (200, 160, 60), (130, 160, 215), (45, 35, 40)


@pytest.mark.parametrize("facings", [(0, 90, 180, 270), (17, 133, 222, 305)], ids=["four sides", "any angle"])
def test_7_rows_are_read_from_the_side_that_they_face(facings: tuple[float, ...], real_eyes: Eyes) -> None:
    tally, seen = looked(real_eyes, staged(facings=facings))
    assert (tally.silent, tally.right) == (0, 21), tally.errors
    assert rows_seen(seen) == sorted(ROWS)


def test_7_a_bent_row_stays_one_row(real_eyes: Eyes) -> None:
    bent, x, y = [], 0.0, 0.0
    for k, code in enumerate("B3 B4 B5 B6 B7 B8 B9 B10".split()):
        turn = 4.0 * (k - 3.5)
        bent.append((code, x, y, turn))
        x, y = x + 0.73 * np.cos(np.radians(turn + 2)), y + 0.73 * np.sin(np.radians(turn + 2))
    tally, seen = looked(real_eyes, laid([*bent, *row_of("K1 R1 O1", 0.5, 2.2)]))
    assert tally.silent == 0, tally.errors
    assert rows_seen(seen) == sorted(["B3 B4 B5 B6 B7 B8 B9 B10", "K1 R1 O1"])


def test_7_sets_that_touch_at_a_corner_stay_two(real_eyes: Eyes) -> None:
    corner = [*row_of("R5 R6 R7", 0, 0), *row_of("K9 B9 O9", 2.27, 0.87, turn=90.0)]
    tally, seen = looked(real_eyes, laid(corner))
    assert (tally.silent, tally.right) == (0, 6), tally.errors
    assert rows_seen(seen) == ["K9 B9 O9", "R5 R6 R7"]


def test_7_two_sets_in_one_line_are_two(real_eyes: Eyes) -> None:
    line = [*row_of("R5 R6 R7", 0, 0), *row_of("O7 K7 B7", 3 * 0.71 + 0.35, 0)]
    tally, seen = looked(real_eyes, laid(line))
    assert (tally.silent, tally.right) == (0, 6), tally.errors
    assert rows_seen(seen) == ["O7 K7 B7", "R5 R6 R7"]


def test_7_overlapping_tiles_are_no_other_numbers(real_eyes: Eyes) -> None:
    tally, _ = looked(real_eyes, laid(row_of("K10 K11 K12 K13", 0, 0, step=0.6)))
    assert tally.silent == 0, tally.errors


@pytest.mark.parametrize(("tile_px", "least"), [(25, 0.9), (46, 1.0), (300, 1.0)], ids=["travel", "usual", "XXL"])
def test_8_near_and_far(tile_px: float, least: float, real_eyes: Eyes) -> None:
    family = Family("near and far", dress=lambda _: plain_box(), tile_px=tile_px, sets=2 if tile_px > 100 else 5)
    table = Staged(*photo_of(family, 0, 1))
    tally, _ = looked(real_eyes, table)
    assert tally.silent == 0, tally.errors
    assert tally.right >= least * tally.tiles


@pytest.mark.parametrize("inside", [0.8, 0.65, 0.5])
def test_9_a_tile_that_the_frame_cuts_forbids_a_ruling(inside: float, real_eyes: Eyes) -> None:
    whole = staged(("R5 R6 R7 R8", "K1 O1 B1"), shot=replace(SHOT, tilt_deg=0.0))
    first = next(tile for tile in whole.tiles if tile.code == "R5")
    left, right = float(first.quad[:, 0].min()), float(first.quad[:, 0].max())
    start = round(right - inside * (right - left))
    seen = real_eyes.look(np.ascontiguousarray(whole.image[:, start:])).observation
    assert 1 <= len(seen.unread) <= 2, "the other row may be cut too"
    assert judge_table(seen, load_ruleset("international")).verdict is Verdict.CANNOT_TELL


@pytest.mark.parametrize("inside", [0.0, 0.15, 0.3, 0.45, 0.6])
@pytest.mark.parametrize("tile", ["R7", "B1"])
def test_9_the_rest_of_a_set_beyond_the_frame_makes_it_not_illegal(inside: float, tile: str, real_eyes: Eyes) -> None:
    whole = staged(("R5 R6 R7", "K1 O1 B1"), shot=replace(SHOT, tilt_deg=0.0))
    last = next(one for one in whole.tiles if one.code == tile)
    left, right = float(last.quad[:, 0].min()), float(last.quad[:, 0].max())
    end = round(left + inside * (right - left))
    seen = real_eyes.look(np.ascontiguousarray(whole.image[:, :end])).observation
    assert judge_table(seen, load_ruleset("international")).verdict is Verdict.CANNOT_TELL


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_9_what_a_hand_covers_is_not_guessed(seed: int, real_eyes: Eyes) -> None:
    table = staged(hands=((0.4, 0.45),), seed=seed)
    hidden = [tile for tile in table.tiles if tile.visible < 0.9 or not tile.legible]
    assert hidden
    tally, seen = looked(real_eyes, table)
    assert tally.silent == 0, tally.errors
    assert judge_table(seen, load_ruleset("international")).verdict is not Verdict.LEGAL
    sure = {tile_code(tile): tile for tile in seen.tiles if not tile.doubtful and tile.readings}
    for tile in hidden:
        assert tile.code not in sure or tile.visible > 0.5


PARTS = {
    "left half": (-0.15, -0.05, 0.5, 1.05), "right half": (0.5, -0.05, 1.15, 1.05), "top": (-0.1, -0.1, 1.1, 0.33),
    "foot of the numeral": (-0.1, 0.36, 1.1, 1.1), "first digit": (-0.15, -0.05, 0.44, 1.05),
}  # fmt: skip


def never_silently_other(seen: Observation, table: Staged, hidden: list[int]) -> None:
    """Of hidden tiles none is surely taken for another one."""
    for k in hidden:
        low, high = table.tiles[k].quad.min(axis=0), table.tiles[k].quad.max(axis=0)
        for tile in seen.tiles:
            x, y = np.mean(tile.quad, axis=0)
            if low[0] < x < high[0] and low[1] < y < high[1] and tile.readings:
                assert tile.doubtful or tile_code(tile) == table.tiles[k].code, (table.tiles[k].code, tile_code(tile))


@pytest.mark.parametrize("colour", [GLOVE, SKIN, SLEEVE], ids=["glove", "skin", "sleeve"])
@pytest.mark.parametrize("part", PARTS)
def test_9_a_half_covered_numeral_is_never_surely_another(
    part: str, colour: tuple[int, int, int], real_eyes: Eyes
) -> None:
    table = staged(("R6 B9 K13 O12", "K11 K12 K13", "B8 R8 O8", "O10 O11 O12"))
    hidden = [k for k, tile in enumerate(table.tiles) if tile.code in {"R6", "B9", "O12", "K11", "B8"}]
    for k in hidden:
        table = covered(table, k, PARTS[part], colour)
    _, seen = looked(real_eyes, table)
    never_silently_other(seen, table, hidden)


OVER = {
    "left half": (-0.25, -0.3, 0.5, 1.3), "right half": (0.5, -0.3, 1.25, 1.3), "top": (-0.3, -0.3, 1.3, 0.33),
    "foot of the numeral": (-0.3, 0.36, 1.3, 1.3), "first digit": (-0.2, -0.3, 0.44, 1.3),
    "upper left corner": (-0.3, -0.3, 0.5, 0.45),
}  # fmt: skip


@pytest.mark.parametrize("part", OVER)
def test_9_a_card_of_the_tiles_own_colour_over_a_tile_is_never_silent(part: str, real_eyes: Eyes) -> None:
    table = staged(("R6 B9 K13 O12", "K11 K12 K13", "B8 R8 O8", "O10 O11 O12", "R3 R4 R5"))
    hidden = [k for k, tile in enumerate(table.tiles) if tile.code in {"R6", "B9", "O12", "K11", "B8", "R4"}]
    for k in hidden:
        x, y = np.round(0.45 * table.tiles[k].quad[2:].sum(axis=0) + 0.1 * table.tiles[k].quad.mean(axis=0)).astype(int)
        body = np.median(table.image[y - 3 : y + 3, x - 3 : x + 3].reshape(-1, 3), axis=0)
        table = covered(table, k, OVER[part], (int(body[0]), int(body[1]), int(body[2])))
    _, seen = looked(real_eyes, table)
    assert judge_table(seen, load_ruleset("international")).verdict is Verdict.CANNOT_TELL
    never_silently_other(seen, table, hidden)


@pytest.mark.parametrize("colour", [None, GLOVE, SLEEVE], ids=["own colour", "glove", "sleeve"])
@pytest.mark.parametrize("part", ["right half", "foot of the numeral"])
def test_9_a_tile_half_under_something_is_missed_wherever_it_lies(
    part: str, colour: tuple[int, int, int] | None, real_eyes: Eyes
) -> None:
    table = staged(("R6 R7 R8 R9", "K11 K12 K13", "B8 R8 O8", "O10 O11 O12", "R3 R4 R5"))
    for k in range(0, len(table.tiles), 2):
        tile = table.tiles[k]
        x, y = np.round(0.45 * tile.quad[2:].sum(axis=0) + 0.1 * tile.quad.mean(axis=0)).astype(int)
        body = np.median(table.image[y - 3 : y + 3, x - 3 : x + 3].reshape(-1, 3), axis=0)
        over = colour or (int(body[0]), int(body[1]), int(body[2]))
        seen = real_eyes.look(covered(table, k, OVER[part], over).image).observation
        assert judge_table(seen, load_ruleset("international")).verdict is Verdict.CANNOT_TELL, tile.code
