"""Inks and surfaces of training stay clear of those that judge."""

from __future__ import annotations

import colorsys

import numpy as np
import pytest

from vision.render import scene
from vision.render.faces import judge_box, random_box
from vision.render.palettes import JUDGE_PALETTES, Bgr, Palette, from_hsv, hue_of, random_body, random_palette
from vision.render.surfaces import JUDGE_SURFACES, TRAINING_SURFACES, Image, Surface

CLEAR_OF_JUDGE_DEG = 4.0


def hue(ink: Bgr) -> float:
    """Hue in degrees, 0 to 360, by our own reckoning."""
    blue, green, red = ink
    return colorsys.rgb_to_hsv(red / 255, green / 255, blue / 255)[0] * 360


def apart(one: Bgr, other: Bgr) -> float:
    """Degrees between two hues, the short way round."""
    difference = abs(hue(one) - hue(other)) % 360
    return min(difference, 360 - difference)


@pytest.fixture(scope="module")
def palettes() -> list[Palette]:
    rng = np.random.default_rng(11)
    return [random_palette(rng) for _ in range(500)]


def test_training_palettes_keep_clear_of_the_judging_ones(palettes: list[Palette]) -> None:
    for palette in palettes:
        for judge in JUDGE_PALETTES:
            inks = ((palette.red, judge.red), (palette.blue, judge.blue), (palette.orange, judge.orange))
            assert max(apart(own, kept) for own, kept in inks) >= CLEAR_OF_JUDGE_DEG


def test_red_and_orange_can_be_told_apart(palettes: list[Palette]) -> None:
    assert min(apart(palette.red, palette.orange) for palette in palettes) >= 14 - 1e-6


def test_inks_are_what_their_letters_say(palettes: list[Palette]) -> None:
    for palette in (*palettes, *JUDGE_PALETTES):
        assert apart(palette.ink("R"), (0, 0, 255)) <= 35
        assert apart(palette.ink("O"), from_hsv(38, 1, 1)) <= 21
        assert apart(palette.ink("B"), from_hsv(195, 1, 1)) <= 62  # from green, which some Okey boxes print, to violet
        assert max(palette.ink("K")) <= 0.22 * 255 + 1e-6
        assert min(palette.body) >= 0.45 * 255
        for ink in (palette.red, palette.blue, palette.black, palette.orange, palette.body):
            assert all(0 <= channel <= 255 for channel in ink)


def test_a_body_is_lighter_than_its_inks() -> None:
    rng = np.random.default_rng(2)
    assert min(max(random_body(rng)) for _ in range(200)) >= 0.76 * 255


def test_judging_boxes_wear_judging_palettes_and_training_boxes_never() -> None:
    judged = {judge_box(np.random.default_rng(seed)).palette for seed in range(60)}
    assert judged == set(JUDGE_PALETTES)
    assert {random_box(np.random.default_rng(seed)).palette for seed in range(60)}.isdisjoint(JUDGE_PALETTES)


def test_judging_surfaces_are_kept_out_of_training(monkeypatch: pytest.MonkeyPatch) -> None:
    assert set(JUDGE_SURFACES).isdisjoint(TRAINING_SURFACES)
    assert len(JUDGE_SURFACES) >= 3
    laid: set[Surface] = set()

    def watched(_: np.random.Generator, surfaces: tuple[Surface, ...]) -> Image:
        laid.update(surfaces)
        return np.full((32, 32, 3), 90, np.uint8)

    monkeypatch.setattr(scene, "_surface", watched)
    scene.training_scene(np.random.default_rng(1), 64)
    assert laid
    assert laid.isdisjoint(JUDGE_SURFACES)


@pytest.mark.parametrize(
    "surface", dict.fromkeys((*TRAINING_SURFACES, *JUDGE_SURFACES)), ids=lambda surface: surface.__name__
)
def test_a_surface_is_a_square_picture_from_its_seed(surface: Surface) -> None:
    one, same, other = (surface(np.random.default_rng(seed), 96) for seed in (4, 4, 5))
    assert one.shape == (96, 96, 3)
    assert one.dtype == np.uint8
    np.testing.assert_array_equal(one, same)
    assert (one != other).any()


@pytest.mark.parametrize("degrees", [0.0, 40.0, 179.0, 200.0, 359.0])
def test_hues_come_back(degrees: float) -> None:
    assert hue_of(from_hsv(degrees, 0.8, 0.7)) % 360 == pytest.approx(degrees, abs=1e-6)
