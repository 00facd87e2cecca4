"""What reads like a tile and has another body than all tiles is none."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from vision.body import body_hues, of_another_box
from vision.read import NUMBER_CLASSES
from vision.rectify import CROP_HEIGHT, CROP_WIDTH

CREAM, BROWN = (205, 222, 232), (40, 70, 115)
FIVE = 4


def crop_of(body: tuple[int, int, int], light: float = 1.0, seed: int = 0) -> NDArray[np.uint8]:
    """A face with something printed on it, noisy, under so much light."""
    picture = np.full((CROP_HEIGHT, CROP_WIDTH, 3), body, np.float64)
    picture[16:34, 18:30] = (30, 30, 160)
    picture += np.random.default_rng(seed).normal(0, 3, picture.shape)
    return np.clip(picture * light, 0, 255).astype(np.uint8)


def table(*last: NDArray[np.uint8], faces: int = 4) -> NDArray[np.uint8]:
    return np.stack([crop_of(CREAM, 0.9 + 0.05 * k, k) for k in range(faces)] + list(last))


def all_fives(count: int) -> NDArray[np.float64]:
    result = np.full((count, len(NUMBER_CLASSES)), 0.01)
    result[:, FIVE] = 1 - 0.01 * (len(NUMBER_CLASSES) - 1)
    return result


@pytest.mark.parametrize(
    ("body", "light", "present", "none_of_ours"),
    [
        (BROWN, 1.0, 0.89, True),
        (BROWN, 1.0, 0.97, False),
        (CREAM, 0.3, 0.6, False),
        (CREAM, 1.0, 0.6, False),
        ((232, 222, 205), 1.0, 0.6, False),
    ],
    ids=["a knot of wood", "surely there", "a tile in the shadow", "a tile", "a tile in a cold light of its own"],
)
def test_only_what_is_unsure_and_of_another_hue_is_none_of_the_box(
    body: tuple[int, int, int], light: float, present: float, none_of_ours: bool
) -> None:
    crops = table(crop_of(body, light, 9))
    there = np.array([0.99] * 4 + [present])
    assert of_another_box(crops, all_fives(5), there).tolist() == [False] * 4 + [none_of_ours]


def test_with_too_few_sure_faces_nothing_is_said() -> None:
    crops = table(crop_of(BROWN), faces=2)
    assert not of_another_box(crops, all_fives(3), np.array([0.99, 0.99, 0.5])).any()
    assert not of_another_box(crops[:0], all_fives(0), np.zeros(0)).any()


def test_a_lamp_s_tint_moves_all_bodies_alike() -> None:
    warm = np.clip(table(crop_of(CREAM, 0.5, 7)) * np.array([0.6, 0.95, 1.05]), 0, 255).astype(np.uint8)
    hues = body_hues(warm)
    assert np.ptp(hues, axis=0).max() < 0.1
    assert not of_another_box(warm, all_fives(5), np.array([0.99] * 4 + [0.6])).any()
