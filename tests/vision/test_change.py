"""A change of print is seen, a change of light is not, and where noise could hide a change there is one."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from vision.change import PICTURE_SIDE_PX, SWATCH_HEIGHT, SWATCH_WIDTH, changed, in_small, picture_changed, swatches

Image = NDArray[np.uint8]
PLACES = [(120 + 60 * k, 200) for k in range(6)]
QUADS = np.array([[[x, y], [x + 32, y], [x + 32, y + 46], [x, y + 46]] for x, y in PLACES], np.float32)


def table(inks: dict[int, int] | None = None, without: int | None = None) -> Image:
    """Six cream tiles on wood, each with a blot of ink; ``inks`` gives some of them another grey."""
    picture = np.full((540, 960, 3), (60, 95, 130), np.uint8)
    picture[::7] = (50, 85, 120)
    for k, (x, y) in enumerate(PLACES):
        if k != without:
            picture[y : y + 46, x : x + 32] = (200, 215, 220)
            picture[y + 8 : y + 26, x + 10 : x + 22] = (inks or {}).get(k, 60)
    return picture


def taken(picture: Image, seed: int, gain: float | tuple[float, float, float] = 1.0, noise: float = 2.0) -> Image:
    """The picture as a camera takes it."""
    rng = np.random.default_rng(seed)
    lit = picture * np.asarray(gain) + noise * rng.standard_normal(picture.shape)
    return np.asarray(np.clip(np.round(lit), 0, 255), np.uint8)


def both_changed(before: Image, after: Image) -> tuple[list[int], bool]:
    """Which tiles changed, and whether the whole picture did."""
    tiles = changed(swatches(before, QUADS), swatches(after, QUADS))
    return np.flatnonzero(tiles).tolist(), picture_changed(in_small(before), in_small(after))


@pytest.mark.parametrize("gain", [1.0, 0.6, 1.12, (0.9, 1.0, 1.1)], ids=["same", "dimmed", "opened", "warmer"])
def test_light_and_noise_change_nothing(gain: float | tuple[float, float, float]) -> None:
    for seed in range(5):
        assert both_changed(taken(table(), 10 + seed), taken(table(), 20 + seed, gain)) == ([], False)


@pytest.mark.parametrize("gain", [1.0, 0.7])
@pytest.mark.parametrize("ink", [90, 30])
def test_another_ink_on_one_tile_is_seen_whatever_the_light(ink: int, gain: float) -> None:
    assert both_changed(taken(table(), 1), taken(table({3: ink}), 2, gain))[0] == [3]


def test_ink_of_the_same_brightness_but_another_colour_is_seen() -> None:
    after = table()
    x, y = PLACES[2]
    after[y + 8 : y + 26, x + 10 : x + 22] = (90, 60, 30)
    assert both_changed(taken(table(), 1), taken(after, 2))[0] == [2]


def test_a_tile_that_moved_by_a_tenth_of_its_width_is_seen() -> None:
    assert both_changed(table(), np.roll(table(), 3, axis=1))[0] == list(range(6))


def test_a_tile_that_was_taken_or_laid_changes_the_picture() -> None:
    for before, after in ((table(), table(without=4)), (table(without=4), table())):
        tiles, picture = both_changed(taken(before, 1), taken(after, 2, 0.9))
        assert (tiles, picture) == ([4], True)


def test_a_small_thing_laid_beside_the_tiles_changes_the_picture_alone() -> None:
    after = table()
    after[400:418, 700:713] = (120, 150, 180)
    assert both_changed(taken(table(), 1), taken(after, 2)) == ([], True)


def test_what_noise_could_hide_counts_as_changed() -> None:
    before, after = (taken(table(), seed, 0.2, noise=12.0) for seed in (1, 2))
    assert both_changed(before, after) == (list(range(6)), True)


def test_swatches_hold_shares_of_each_bodys_white() -> None:
    seen = swatches(table(), QUADS)
    assert seen.shape == (6, SWATCH_HEIGHT, SWATCH_WIDTH, 3)
    assert seen.dtype == np.float32
    assert np.median(seen) == pytest.approx(1.0)
    assert seen[0, 10, 12] == pytest.approx(60 / np.array([200, 215, 220]), abs=0.02)


def test_nothing_to_compare_is_no_change() -> None:
    none = swatches(table(), np.zeros((0, 4, 2), np.float32))
    assert changed(none, none).tolist() == []


@pytest.mark.parametrize(
    ("size", "expected"), [((1080, 1920), (270, 480)), ((3000, 40), (480, 6)), ((9, 9), (480, 480))]
)
def test_pictures_are_shrunk_to_one_long_side(size: tuple[int, int], expected: tuple[int, int]) -> None:
    assert in_small(np.zeros((*size, 3), np.uint8)).shape == (*expected, 3)
    assert max(expected) == PICTURE_SIDE_PX
