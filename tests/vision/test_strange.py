"""Pictures of other things: told by what faces say and how a computer draws; the real eyes on other games."""

from __future__ import annotations

from functools import cache

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from referee.observation import DRAWN, UNLIKE_TILES, Kind, Observation, Scene
from tests.measure.families import Family, photo_of
from tests.measure.other_pictures import KINDS
from tests.measure.screens import SCREENS
from vision.look import Eyes
from vision.read import NUMBER_CLASSES
from vision.rectify import CROP_HEIGHT, CROP_WIDTH, rectify
from vision.render import effects
from vision.strange import (
    DRAWN_SHARE,
    FEWEST_OPEN,
    LARGE_ENOUGH_PX,
    MOST_OPEN,
    SHARP_ENOUGH,
    drawn,
    few_colours,
    may_have_few_colours,
    unlike_tiles,
)

Image = NDArray[np.uint8]
TILE_PX = 60.0


def says(p: float, count: int) -> NDArray[np.float64]:
    """Readings (N, 17) of faces that say "7" with a probability, and one other thing else."""
    number_p = np.zeros((count, len(NUMBER_CLASSES)))
    number_p[:, 6], number_p[:, 0] = p, 1 - p
    return number_p


def crops(count: int, blur: float = 0.0) -> Image:
    face = np.full((CROP_HEIGHT, CROP_WIDTH, 3), 225, np.uint8)
    face[18:44, 16:32] = 40
    if blur:
        face = np.asarray(cv2.GaussianBlur(face, (0, 0), blur * CROP_HEIGHT), np.uint8)
    return np.repeat(face[None], count, axis=0)


def said(picture: Image, quads: NDArray[np.float32]) -> bool:
    """Whether the tiles there count as drawn."""
    return drawn(picture, quads, rectify(picture, quads))


def test_sharp_things_that_say_many_numbers_are_no_number_tiles() -> None:
    assert unlike_tiles(says(0.5, 9), crops(9), TILE_PX)
    assert not unlike_tiles(says(0.99, 9), crops(9), TILE_PX)


def test_a_blurred_table_is_given_the_benefit() -> None:
    assert not unlike_tiles(says(0.5, 9), crops(9, blur=2 * SHARP_ENOUGH), TILE_PX)


def test_small_tiles_are_given_the_benefit() -> None:
    assert unlike_tiles(says(0.5, 9), crops(9), LARGE_ENOUGH_PX)
    assert not unlike_tiles(says(0.5, 9), crops(9), LARGE_ENOUGH_PX - 1)


def test_a_few_open_faces_do_not_condemn_a_table() -> None:
    few = FEWEST_OPEN - 1
    for clear in (0, 1, 40):
        assert not unlike_tiles(np.concatenate([says(0.5, few), says(0.99, clear)]), crops(few + clear), TILE_PX)
    assert unlike_tiles(says(0.5, few + 1), crops(few + 1), TILE_PX)
    enough = int((few + 1) / MOST_OPEN) - few - 1
    for clear, unlike in ((enough - 1, True), (enough + 1, False)):
        number_p = np.concatenate([says(0.5, few + 1), says(0.99, clear)])
        assert unlike_tiles(number_p, crops(len(number_p)), TILE_PX) is unlike


def test_a_drawing_has_few_exact_colours_a_photo_has_many() -> None:
    picture = np.full((200, 300, 3), (60, 120, 60), np.uint8)
    picture[60:140, 60:240] = (210, 230, 240)
    picture[80:110, 100:120] = (30, 30, 200)
    quads = np.array([[[60, 60], [240, 60], [240, 140], [60, 140]]], np.float32)
    assert few_colours(picture, quads) == pytest.approx(1.0)
    assert said(picture, quads)
    lit = (picture * np.linspace(0.85, 1.0, 300)[None, :, None]).astype(np.uint8)
    noisy = effects.sensor_noise(lit, np.random.default_rng(1), 2.0, coarse=True)
    for photo in (noisy, effects.jpeg(noisy, 30)):
        assert not said(photo, quads)
    assert not said(picture, quads[:0])
    burnt = picture.copy()
    burnt[60:140, 60:240] = 255
    assert not said(burnt, quads)


@pytest.mark.parametrize("levels", [2, 4, 6, 8, 12, 200])
@pytest.mark.parametrize("burnt", [0.0, 0.3, 0.97])
def test_green_alone_never_denies_few_colours(levels: int, burnt: float) -> None:
    rng = np.random.default_rng(levels)
    palette = rng.integers(70, 256, (levels, 3)).astype(np.uint8)
    picture = palette[rng.integers(0, levels, (200, 300))]
    picture[rng.random((200, 300)) < burnt] = 255
    quads = np.array([[[60, 60], [240, 60], [240, 140], [60, 140]]], np.float32)
    assert may_have_few_colours(picture, quads) or few_colours(picture, quads) < DRAWN_SHARE
    assert levels < 200 or burnt > 0.5 or not may_have_few_colours(picture, quads), "else it would save nothing"


def test_a_photo_in_the_dark_is_no_drawing_though_few_levels_are_left() -> None:
    rng = np.random.default_rng(2)
    picture = np.full((200, 300, 3), (210, 230, 240), np.uint8)
    picture[80:110, 100:120] = (30, 30, 200)
    photo = effects.sensor_noise(picture, rng, 4.0, coarse=True)
    quads = np.array([[[60, 60], [240, 60], [240, 140], [60, 140]]], np.float32)
    for light in (0.03, 0.08, 0.15):
        assert not said((photo * light).astype(np.uint8), quads)
    assert said((picture * 0.5).astype(np.uint8), quads)


# --- the real eyes ----------------------------------------------------------------------------------------------


@cache
def eyes() -> Eyes:
    return Eyes.load()


def seen(image: Image) -> Observation:
    return eyes().look(image, second_reader=False).observation


def faces_of(observation: Observation) -> list[bool]:
    """Whether each face is doubtful."""
    return [tile.doubtful for tile in observation.tiles if tile.kind is Kind.FACE]


@pytest.mark.parametrize("kind", ["dominoes", "playing cards", "letter tiles", "mahjong", "calendar"])
def test_another_game_is_named_and_nothing_is_surely_read(kind: str) -> None:
    observation = seen(KINDS[kind](np.random.default_rng([7, 0])))
    assert UNLIKE_TILES in observation.notes
    assert all(faces_of(observation))


def test_a_screenshot_of_the_game_itself_is_named() -> None:
    observation = seen(KINDS["screen of the game"](np.random.default_rng([7, 1])))
    assert DRAWN in observation.notes
    assert all(faces_of(observation))


@pytest.mark.parametrize("kind", SCREENS)
@pytest.mark.parametrize("seed", [0, 6])
def test_a_compressed_screenshot_and_a_photo_of_a_screen_are_named(kind: str, seed: int) -> None:
    observation = seen(SCREENS[kind](np.random.default_rng([1, seed])))
    assert len(faces_of(observation)) > 20
    assert DRAWN in observation.notes
    assert all(faces_of(observation))


@pytest.mark.parametrize("kind", ["bare table", "bare room"])
def test_a_bare_picture_shows_no_face(kind: str) -> None:
    observation = seen(KINDS[kind](np.random.default_rng([7, 3])))
    assert not faces_of(observation)
    assert observation.scene is Scene.EMPTY or not any(tile.kind is Kind.FACE for tile in observation.tiles)


@pytest.mark.parametrize("sets", [1, 4])
def test_a_table_is_a_table(sets: int) -> None:
    image, _ = photo_of(Family("strange test", sets=sets), 0, 5)
    observation = seen(image)
    assert faces_of(observation)
    assert {UNLIKE_TILES, DRAWN}.isdisjoint(observation.notes)
