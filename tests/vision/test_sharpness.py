"""Sharpness in tile heights: it grows as the lens blurs, and knows a direction of the picture, not of the tile."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from vision.rectify import CROP_HEIGHT, CROP_PAD, CROP_WIDTH, rectify
from vision.render import effects
from vision.sharpness import blur_of, motion_of

Image = NDArray[np.uint8]
TALL, WIDE = 120, 84


def table(turns_deg: tuple[float, ...]) -> tuple[Image, NDArray[np.float64]]:
    """Tiles with a number on them, turned clockwise so, and their quads."""
    face = np.full((TALL, WIDE, 3), (215, 232, 240), np.uint8)
    cv2.putText(face, "8", (14, 84), cv2.FONT_HERSHEY_SIMPLEX, 2.4, (30, 30, 30), 9, cv2.LINE_AA)
    picture = np.full((200, 200 * len(turns_deg), 3), (60, 90, 120), np.uint8)
    quads = []
    for k, turn in enumerate(turns_deg):
        matrix = cv2.getRotationMatrix2D((WIDE / 2, TALL / 2), -turn, 1.0)
        matrix[:, 2] += np.array([200 * k + 100 - WIDE / 2, 100 - TALL / 2])
        cv2.warpAffine(face, matrix, picture.shape[1::-1], dst=picture, borderMode=cv2.BORDER_TRANSPARENT)
        corners = np.array([[0, 0], [WIDE, 0], [WIDE, TALL], [0, TALL]], np.float64) - 0.5
        quads.append(corners @ matrix[:, :2].T + matrix[:, 2])
    return picture, np.array(quads)


def test_blur_is_that_of_the_lens_in_tile_heights() -> None:
    picture, quads = table((0, 90, 200))
    for sigma in (0.04, 0.06, 0.08):
        blurred = np.asarray(cv2.GaussianBlur(picture, (0, 0), sigma * TALL), np.uint8)
        assert blur_of(rectify(blurred, quads)) == pytest.approx(sigma, rel=0.3)


def test_a_sharp_tile_is_sharp_at_every_size() -> None:
    picture, quads = table((0, 30, 180))
    for factor in (1.0, 0.7, 3.0):
        resized = np.asarray(cv2.resize(picture, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA), np.uint8)
        assert blur_of(rectify(resized, quads * factor)) < 0.025


def test_a_tiny_tile_is_as_unsharp_as_its_pixels_are_large() -> None:
    picture, quads = table((0, 30, 180))
    tiny = np.asarray(cv2.resize(picture, None, fx=0.09, fy=0.09, interpolation=cv2.INTER_AREA), np.uint8)
    assert blur_of(rectify(tiny, quads * 0.09)) > 0.035


@pytest.mark.parametrize("turns", [(0.0, 0.0, 0.0), (0.0, 90.0, 180.0), (20.0, 130.0, 250.0)])
@pytest.mark.parametrize("direction", [0, 45, 90, 135])
def test_motion_is_found_in_the_picture_whichever_way_tiles_lie(turns: tuple[float, ...], direction: float) -> None:
    picture, quads = table(turns)
    radians = np.radians(turns)
    moved = effects.motion_blur(picture, 0.16 * TALL, direction)
    defocused = np.asarray(cv2.GaussianBlur(picture, (0, 0), 0.05 * TALL), np.uint8)
    along = motion_of(rectify(moved, quads), radians)
    assert along > 1.7
    assert motion_of(rectify(picture, quads), radians) < 1.6
    assert motion_of(rectify(defocused, quads), radians) < 1.6 < along


def test_what_has_no_print_has_no_sharpness() -> None:
    blank = np.full((3, CROP_HEIGHT, CROP_WIDTH, 3), 220, np.uint8)
    for crops in (blank, blank[:0]):
        assert blur_of(crops) == 0.0
        assert motion_of(crops, np.zeros(len(crops))) == 1.0
    assert 0 < CROP_PAD < 0.5
