"""Hard cases of seeing 4 to 6: what the tiles lie on, how they are printed, and which way up they lie."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.hard_cases.staged import ROWS, Staged, looked, plain_box, rows_seen, staged
from tests.measure.families import white_cloth
from tests.measure.half_turns import PRINTS, mixed_rows
from vision.look import Eyes
from vision.render import surfaces
from vision.render.faces import SixNineMark, StyledBox
from vision.render.palettes import JUDGE_PALETTES, from_hsv
from vision.render.surfaces import Image, Surface


def light_oak(rng: np.random.Generator, side: int) -> Image:
    """Pale wood, hardly darker than a cream tile."""
    grain = surfaces.wood(rng, side).astype(np.float32)
    grey = grain.mean(axis=2, keepdims=True)
    pale = np.clip(np.array([165.0, 200.0, 222.0]) + 0.35 * (grey - grey.mean()), 0, 255)
    return np.asarray(pale, np.uint8)


def black_frame(rng: np.random.Generator, side: int) -> Image:
    """A dark table top."""
    del rng
    return np.full((side, side, 3), (26, 24, 28), np.uint8)


GROUNDS: dict[str, Surface] = {
    "white cloth": white_cloth, "light oak": light_oak, "marble": surfaces.marble, "stripes": surfaces.stripes,
    "printed cloth": surfaces.printed, "knitted blanket": surfaces.knitted, "black": black_frame,
}  # fmt: skip


@pytest.mark.parametrize("ground", GROUNDS)
def test_4_cream_tiles_are_read_on_any_table(ground: str, real_eyes: Eyes) -> None:
    cream = plain_box(replace(plain_box().palette, body=(205.0, 228.0, 240.0)))
    tally, seen = looked(real_eyes, staged(box=cream, surface=GROUNDS[ground]))
    assert (tally.silent, tally.right) == (0, 21), tally.errors
    assert rows_seen(seen) == sorted(ROWS)


INKS = {
    "teal": {"blue": from_hsv(182, 0.85, 0.5)},
    "cyan": {"blue": from_hsv(190, 0.8, 0.85)},
    "navy": {"blue": from_hsv(226, 0.85, 0.42)},
    "yellow": {"orange": from_hsv(50, 0.95, 0.93)},
    "pink": {"red": from_hsv(335, 0.72, 0.9)},
    "crimson": {"red": from_hsv(348, 0.95, 0.62)},
}
PRINTED: dict[str, StyledBox] = {
    "worn": replace(plain_box(), ink_strength=0.6),
    "logo": replace(plain_box(), imprint="Kasimir", imprint_depth=1.2),
    "dots": replace(plain_box(), mark=SixNineMark.DOT),
    "bars": replace(plain_box(), mark=SixNineMark.BAR),
    "other font": replace(plain_box(), numerals=replace(plain_box().numerals, font="P052-Bold")),
    "engraved": replace(plain_box(), engraved=1.0),
}


@pytest.mark.parametrize("ink", INKS)
def test_5_other_inks(ink: str, real_eyes: Eyes) -> None:
    tally, _ = looked(real_eyes, staged(box=plain_box(replace(JUDGE_PALETTES[1], **INKS[ink]))))
    assert tally.silent == 0, tally.errors
    assert tally.right == 21


@pytest.mark.parametrize("look", PRINTED)
def test_5_other_prints(look: str, real_eyes: Eyes) -> None:
    tally, _ = looked(real_eyes, staged(box=PRINTED[look]))
    assert tally.silent == 0, tally.errors
    assert tally.right >= 20


def either_way_round(kind: str, seed: int) -> Staged:
    print_of = {one.name: one for one in PRINTS}[kind]
    return Staged(*mixed_rows(np.random.default_rng(seed), print_of, hard=False))


@pytest.mark.parametrize("kind", [one.name for one in PRINTS])
def test_6_no_half_turn_is_surely_read_as_another_number(kind: str, real_eyes: Eyes) -> None:
    """6 and 9 above all, also 1, 7, 8, 11, 12 and 13, two of five tiles upside down in their rows."""
    tally, _ = looked(real_eyes, either_way_round(kind, seed=11))
    assert tally.silent == 0, tally.errors


def test_6_a_six_that_nothing_tells_from_a_nine_stays_six_or_nine(real_eyes: Eyes) -> None:
    _, seen = looked(real_eyes, either_way_round("centred, unmarked", seed=5))
    turnable = [tile for tile in seen.tiles if tile.readings and tile.readings[0].tile.number in {6, 9}]
    assert len(turnable) >= 8
    for tile in turnable:
        assert tile.doubtful
        likely = {reading.tile.number for reading in tile.readings if reading.p > 0.02}
        assert likely >= {6, 9}


@pytest.mark.parametrize("kind", ["upper half, unmarked", "upper half, imprint"])
def test_6_where_the_face_tells_which_way_up_it_lies_six_and_nine_are_sure(kind: str, real_eyes: Eyes) -> None:
    tally, seen = looked(real_eyes, either_way_round(kind, seed=11))
    turnable = [tile for tile in seen.tiles if tile.readings and tile.readings[0].tile.number in {6, 9}]
    assert sum(tile.doubtful for tile in turnable) <= 0.1 * len(turnable)
    assert tally.right >= 0.97 * tally.tiles
