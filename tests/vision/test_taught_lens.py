"""A lens shows the part of a face where the print is; views show an example as other pictures would."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from referee.tiles import parse_tile
from vision.read import UNIT_CORNERS
from vision.rectify import rectify
from vision.taught.examples import EXAMPLE_HEIGHT, EXAMPLE_PAD, EXAMPLE_WIDTH, examples_of
from vision.taught.lens import WHOLE_FACE, Lens, find_lens
from vision.taught.others import tiles_of_others
from vision.taught.views import changed_views, in_any_ink, plain_views

Image = NDArray[np.uint8]
FACE = np.array([[[100, 40], [190, 52], [184, 170], [96, 160]]], np.float32)


def picture() -> Image:
    """A soft random pattern, so that a crop tells where it was cut."""
    rng = np.random.default_rng(8)
    coarse = rng.integers(30, 230, (26, 32, 3)).astype(np.uint8)
    return np.repeat(np.repeat(coarse, 8, axis=0), 8, axis=1)


def printed(centre_y: float, height: float) -> tuple[Image, NDArray[np.intp]]:
    """Examples of ten numbers, each with bars of its own within a band of the face, twice."""
    rng = np.random.default_rng(2)
    crops = np.full((20, EXAMPLE_HEIGHT, EXAMPLE_WIDTH, 3), 225, np.uint8)
    face = EXAMPLE_HEIGHT * (1 - 2 * EXAMPLE_PAD)
    middle = EXAMPLE_HEIGHT * EXAMPLE_PAD + centre_y * face
    top, bottom = round(middle - height * face / 2), round(middle + height * face / 2)
    for number in range(10):
        columns = rng.choice(np.arange(30, 66), 12, replace=False)
        rows = slice(top + int(rng.integers(0, 4)), bottom - int(rng.integers(0, 4)))
        for copy in (number, number + 10):
            crops[copy, rows, columns] = 30
            crops[copy, 92:98, 24:72] = 150  # the same on all: no numeral
    return crops, np.tile(np.arange(10), 2)


def test_the_whole_face_is_what_the_reader_sees_anyhow() -> None:
    np.testing.assert_allclose(WHOLE_FACE.corners, UNIT_CORNERS, atol=1e-6)
    np.testing.assert_allclose(WHOLE_FACE.quads(FACE), FACE, atol=1e-3)
    assert Lens(0.24, 2.4).quads(np.zeros((0, 4, 2))).shape == (0, 4, 2)


def test_a_lens_enlarges_around_the_print() -> None:
    square = np.array([[[0, 0], [100, 0], [100, 100], [0, 100]]], np.float32)
    window = Lens(centre_y=0.25, zoom=2.0, stretch=1.25).quads(square)[0]
    assert window[3, 1] - window[0, 1] == pytest.approx(50)
    assert window[1, 0] - window[0, 0] == pytest.approx(40)
    assert window[0, 1] + 0.36 * 50 == pytest.approx(25)
    leaning = Lens(centre_y=0.25, zoom=2.0, slant=0.4).quads(square)[0]
    assert leaning[0, 0] - leaning[3, 0] == pytest.approx(20)  # the window's top lies to the right of its foot


@pytest.mark.parametrize("lens", [WHOLE_FACE, Lens(0.3, 1.8, 1.3, -0.2), Lens(0.45, 1.2, 0.8, 0.3)])
def test_a_plain_view_of_an_example_is_what_the_reader_gets_from_the_picture(lens: Lens) -> None:
    image = picture()
    example = examples_of(image, FACE, (parse_tile("R5"),))[0].crop
    seen, wanted = plain_views(example[None], lens)[0], rectify(image, lens.quads(FACE))[0]
    apart = np.abs(seen.astype(np.int16) - wanted)[4:-4, 4:-4]
    assert apart.mean() < 12
    other = rectify(image, Lens(0.6, 1.8).quads(FACE))[0]
    assert np.abs(seen.astype(np.int16) - other)[4:-4, 4:-4].mean() > 2 * apart.mean()


def test_views_change_from_seed_to_seed_only() -> None:
    crops = tiles_of_others(6, np.random.default_rng(1))
    first, again, other = (changed_views(crops, WHOLE_FACE, np.random.default_rng(s)) for s in (5, 5, 6))
    np.testing.assert_array_equal(first, again)
    assert first.shape == (6, 64, 48, 3)
    assert (np.abs(first.astype(np.int16) - other).mean(axis=(1, 2, 3)) > 2).all()
    assert changed_views(crops[:0], WHOLE_FACE, np.random.default_rng(1)).shape == (0, 64, 48, 3)


def test_the_lens_looks_where_the_numbers_differ() -> None:
    crops, numbers = printed(centre_y=0.28, height=0.2)
    found = find_lens(
        crops, numbers, lambda lens: abs(lens.zoom - 1.8) + abs(lens.slant - 0.15) + abs(lens.stretch - 1)
    )
    assert (found.zoom, found.stretch, found.slant) == (1.8, 1.0, 0.15)
    assert found.centre_y == pytest.approx(0.28, abs=0.03)


def test_tiny_print_is_found_on_faces_that_are_lit_unequally() -> None:
    """Thin strokes on less than a hundredth of the face, and each number's column in a shade of its own."""
    rng = np.random.default_rng(6)
    crops = np.full((40, EXAMPLE_HEIGHT, EXAMPLE_WIDTH, 3), 225, np.uint8)
    shade = np.linspace(0, 1, EXAMPLE_HEIGHT)[:, None, None]
    numbers = np.tile(np.arange(10), 4)
    for crop, number in zip(crops, numbers, strict=True):
        crop[:] = np.clip(225 - 5 * number * shade + rng.normal(0, 1, crop.shape), 0, 255)
        stroke = np.random.default_rng(number)
        for _ in range(3):
            x, y = int(stroke.integers(42, 54)), int(stroke.integers(34, 40))
            crop[y : y + 8, x : x + 2] = 60
    found = find_lens(crops, numbers, lambda lens: abs(lens.zoom - 2.4))
    assert found.centre_y == pytest.approx((41 / EXAMPLE_HEIGHT - EXAMPLE_PAD) / (1 - 2 * EXAMPLE_PAD), abs=0.04)


def test_another_ink_changes_the_colour_and_neither_body_nor_drawing() -> None:
    crops = np.full((8, EXAMPLE_HEIGHT, EXAMPLE_WIDTH, 3), 40, np.uint8)
    face = np.s_[:, 20:108, 15:81]
    crops[face] = 220
    crops[:, 40:60, 30:60] = (150, 90, 210)
    printed = in_any_ink(crops, np.random.default_rng(2))
    np.testing.assert_array_equal(printed[:, :20], crops[:, :20])
    assert (np.abs(printed[:, 70:100, 20:76].astype(int) - 220) <= 1).all()
    ink = printed[:, 50, 45].astype(int)
    assert (ink.min(axis=1) < 150).all()
    assert len({int(one.argmin()) for one in ink}) == 3


def test_a_window_that_gains_nothing_is_not_looked_through() -> None:
    crops, numbers = printed(centre_y=0.28, height=0.2)
    assert find_lens(crops, numbers, lambda lens: 0.5 - 0.01 * lens.zoom) == WHOLE_FACE


def test_too_few_numbers_keep_the_whole_face() -> None:
    crops, numbers = printed(centre_y=0.28, height=0.2)
    few = np.flatnonzero(numbers < 3)
    assert find_lens(crops[few], numbers[few], lambda lens: -lens.zoom) == WHOLE_FACE
    assert find_lens(crops[:0], numbers[:0], lambda lens: -lens.zoom) == WHOLE_FACE
