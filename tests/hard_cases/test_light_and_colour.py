"""Hard cases of seeing 1 to 3: inks under lamps, brightness, glare and shadow."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from referee.preset_files import load_ruleset
from tests.hard_cases.staged import ROWS, Staged, laid, looked, plain_box, row_of, rows_seen, staged
from tests.measure.families import FAIR_LIGHT
from vision.look import Eyes
from vision.render import effects
from vision.render.palettes import from_hsv
from vision.render.table import Shot
from web.examine import examine
from web.report_json import ruling_line

TINTS = {"warm": (0.6, 0.97, 1.3), "cold": (1.3, 1.02, 0.66), "green": (0.85, 1.15, 0.9)}


@pytest.mark.parametrize("lamp", TINTS)
def test_1_a_tinted_lamp_swaps_no_colours(lamp: str, real_eyes: Eyes) -> None:
    tally, _ = looked(real_eyes, staged(lighting=replace(FAIR_LIGHT, cast=TINTS[lamp], gain=0.8)))
    assert tally.silent == 0, tally.errors
    assert tally.right >= 20


def dark_navy(seed: int) -> Staged:
    """Navy and black ink on small tiles in weak light, after strong compression."""
    palette = replace(plain_box().palette, blue=from_hsv(228, 0.85, 0.3), black=from_hsv(220, 0.3, 0.1))
    light = replace(FAIR_LIGHT, gain=0.4)
    shot = Shot((380, 300), tilt_deg=35.0, noise=0.0)
    rows = ("B5 B6 B7 B8", "B1 K1 O1", "K9 K10 K11 K12", "O6 O7 O8 O9", "B11 B12 B13", "R2 B2 O2")
    dark = staged(rows, plain_box(palette), shot=shot, lighting=light, seed=seed)
    rng = np.random.default_rng(seed)
    return dark.changed(lambda image: effects.jpeg(effects.sensor_noise(image, rng, 5.0, coarse=True), 30))


@pytest.mark.parametrize("seed", [1, 2])
def test_1_navy_and_black_in_the_dark_are_marked_not_flipped(seed: int, real_eyes: Eyes) -> None:
    tally, seen = looked(real_eyes, dark_navy(seed))
    assert not {error for error in tally.errors if error[0] in "BK" and ">" in error and "missed" not in error}
    assert any(tile.doubtful for tile in seen.tiles)


def red_near_orange() -> Staged:
    """A box whose red and orange are nearly one ink."""
    palette = replace(plain_box().palette, red=from_hsv(10, 0.9, 0.9), orange=from_hsv(14, 0.9, 0.93))
    return staged(("R5 R6 R7 R8", "O6 O7 O8 O9", "R2 B2 O2", "K9 K10 K11"), plain_box(palette))


@pytest.mark.parametrize(
    ("note", "pair", "table"), [("red_like_orange", "RO", red_near_orange()), ("blue_like_black", "BK", dark_navy(2))]
)
def test_1_the_json_says_which_inks_are_too_close(
    note: str, pair: str, table: Staged, real_eyes: Eyes, tmp_path: Path
) -> None:
    cv2.imwrite(str(tmp_path / "table.png"), table.image)
    line = json.loads(ruling_line(examine(tmp_path / "table.png", real_eyes, load_ruleset("international"))))
    assert note in [one["code"] for one in line["notes"]]
    assert line["verdict"] != "legal"
    told = [tile for tile in line["tiles"] if tile["tile"][0] in pair]
    assert len(told) >= 7
    assert all(tile["doubtful"] for tile in told)


def test_1_a_picture_without_colours_doubts_every_colour(real_eyes: Eyes) -> None:
    grey = staged().changed(lambda image: np.repeat(image.mean(axis=2, keepdims=True), 3, axis=2).astype(np.uint8))
    tally, seen = looked(real_eyes, grey)
    assert "colours_too_faint" in seen.notes
    assert tally.silent == 0
    assert all(tile.doubtful for tile in seen.tiles)


def test_2_the_same_table_from_dim_to_three_times_as_bright(real_eyes: Eyes) -> None:
    readings = []
    for gain in (0.36, 0.6, 1.08):
        tally, seen = looked(real_eyes, staged(lighting=replace(FAIR_LIGHT, gain=gain)))
        assert tally.silent == 0, (gain, tally.errors)
        readings.append(rows_seen(seen))
    assert readings[0] == readings[1] == readings[2] == sorted(ROWS)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_3_a_highlight_over_a_numeral_is_no_other_numeral(seed: int, real_eyes: Eyes) -> None:
    tally, _ = looked(real_eyes, staged(lighting=replace(FAIR_LIGHT, glare=7), seed=seed))
    assert tally.silent == 0, tally.errors
    assert tally.right >= 0.8 * tally.tiles


def test_3_raking_light_on_touching_tiles_merges_none(real_eyes: Eyes) -> None:
    light = replace(FAIR_LIGHT, towards=(0.95, 0.25), shadow=0.85, softness=0.02, contrast=0.5)
    touching = [*row_of("R5 R6 R7 R8", 0, 0, step=0.7), *row_of("B10 B11 B12 B13", 0, 1.5, step=0.7),
                *row_of("K3 O3 R3", 0, 3, step=0.7)]  # fmt: skip
    tally, seen = looked(real_eyes, laid(touching, lighting=light))
    assert (tally.silent, tally.right) == (0, 11), tally.errors
    assert rows_seen(seen) == ["B10 B11 B12 B13", "K3 O3 R3", "R5 R6 R7 R8"]
