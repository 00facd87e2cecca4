"""The same table gives the same reading however the picture is turned, tagged, or shrunk."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import cv2
import numpy as np
import pytest
from PIL import Image

from tests.accuracy.test_samples import SAMPLES
from vision.intake import read_photo
from vision.look import Eyes
from web.examine import tile_code

NAMES = ("02_illegal_gap", "04_legal_jokers", "05_upside_down_rows", "13_four_sides")
EXIF_ORIENTATION = 0x0112
# What a viewer does to the stored picture for each EXIF orientation, undone: how to store it.
STORED = {
    1: None,
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_90,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_270,
}


def codes_and_rows(eyes: Eyes, image: np.ndarray) -> tuple[Counter[str], Counter[tuple[str, ...]]]:
    observation = eyes.look(image).observation
    codes = [tile_code(tile) for tile in observation.tiles]
    return Counter(codes), Counter(tuple(codes[i] for i in row.tiles) for row in observation.rows)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("quarter", [1, 2, 3])
def test_quarter_turns(name: str, quarter: int, real_eyes: Eyes) -> None:
    image = read_photo(SAMPLES / "photos" / f"{name}.jpg").image
    turned = np.ascontiguousarray(np.rot90(image, quarter))
    assert codes_and_rows(real_eyes, turned) == codes_and_rows(real_eyes, image)


@pytest.mark.parametrize("name", NAMES)
def test_half_the_size(name: str, real_eyes: Eyes) -> None:
    image = read_photo(SAMPLES / "photos" / f"{name}.jpg").image
    half = cv2.resize(image, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
    truth = json.loads((SAMPLES / "truth" / f"{name}.json").read_text(encoding="utf-8"))
    heights = [np.hypot(q[0][0] - q[3][0], q[0][1] - q[3][1]) / 2 for q in (tile["quad"] for tile in truth["tiles"])]
    assert min(heights) >= 30, "the promise is for tiles of about 40 pixels and more"
    assert codes_and_rows(real_eyes, np.asarray(half)) == codes_and_rows(real_eyes, image)


def test_a_picture_of_four_times_as_many_pixels(real_eyes: Eyes) -> None:
    """Large pictures are halved on their way to the networks."""
    image = read_photo(SAMPLES / "photos" / "06_club_evening.jpg").image
    large = np.asarray(cv2.resize(image, None, fx=2, fy=2, interpolation=cv2.INTER_CUBIC), np.uint8)
    assert codes_and_rows(real_eyes, large) == codes_and_rows(real_eyes, image)


@pytest.mark.parametrize("orientation", STORED)
def test_exif_orientations(orientation: int, real_eyes: Eyes, tmp_path: Path) -> None:
    with Image.open(SAMPLES / "photos" / "04_legal_jokers.jpg") as upright:
        transpose = STORED[orientation]
        stored = upright if transpose is None else upright.transpose(transpose)
        exif = Image.Exif()
        exif[EXIF_ORIENTATION] = orientation
        stored.save(tmp_path / "turned.jpg", quality=95, exif=exif)
        upright.save(tmp_path / "upright.jpg", quality=95)
    turned, upright_image = (read_photo(tmp_path / name).image for name in ("turned.jpg", "upright.jpg"))
    assert turned.shape == upright_image.shape
    assert codes_and_rows(real_eyes, turned) == codes_and_rows(real_eyes, upright_image)


def test_the_same_photo_twice_gives_the_same_observation(real_eyes: Eyes) -> None:
    image = read_photo(SAMPLES / "photos" / "06_club_evening.jpg").image
    assert real_eyes.look(image).observation == real_eyes.look(image).observation
