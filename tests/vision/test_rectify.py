"""Tiles are cut out upright, undistorted and sharp, wherever they lie."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from vision.rectify import rectify, square_to_quad

QUARTERS = np.array([[40, 80, 200], [200, 60, 40], [60, 200, 60], [30, 190, 220]], np.uint8)
"""BGR of a test tile's top-left, top-right, bottom-left and bottom-right quarter."""


def picture_with_tile(quad: NDArray[np.float64], width: int = 400, height: int = 300) -> NDArray[np.uint8]:
    """A grey picture with one tile of four coloured quarters at ``quad``."""
    face = np.zeros((560, 400, 3), np.uint8)
    face[:280, :200], face[:280, 200:], face[280:, :200], face[280:, 200:] = QUARTERS
    corners = np.array([[0, 0], [400, 0], [400, 560], [0, 560]], np.float32) - 0.5
    matrix = cv2.getPerspectiveTransform(corners, quad.astype(np.float32))
    picture = np.full((height, width, 3), 120, np.uint8)
    cv2.warpPerspective(face, matrix, (width, height), dst=picture, borderMode=cv2.BORDER_TRANSPARENT)
    return picture


QUADS = {
    "upright": [[100, 80], [140, 80], [140, 136], [100, 136]],
    "upside down": [[140, 136], [100, 136], [100, 80], [140, 80]],
    "slanted": [[150, 60], [205, 95], [160, 165], [105, 120]],
    "in perspective": [[130, 50], [190, 60], [220, 160], [110, 150]],
    "large": [[60, 20], [250, 30], [245, 280], [55, 275]],
}


@pytest.mark.parametrize("name", QUADS)
def test_each_quarter_of_the_face_lands_in_its_quarter_of_the_crop(name: str) -> None:
    quad = np.array(QUADS[name], np.float64)
    crop = rectify(picture_with_tile(quad), quad[None])[0].astype(np.int64)
    seen = [crop[y, x] for y, x in ((18, 12), (18, 36), (46, 12), (46, 36))]
    assert np.abs(np.array(seen) - QUARTERS).max() <= 6


@pytest.mark.parametrize("scale", [1, 4, 16])
def test_the_face_fills_the_crop_but_for_the_padding(scale: int) -> None:
    picture = np.zeros((60 * scale, 100 * scale, 3), np.uint8)
    picture[2 * scale : 50 * scale, 20 * scale : 60 * scale] = 255
    edges = np.array([[20, 2], [60, 2], [60, 50], [20, 50]], np.float64) * scale
    crop = rectify(picture, edges[None] - 0.5, width=50, height=60, pad=0.1)[0, :, :, 0] / 255.0
    across, down = crop[30], crop[:, 25]
    assert (across.sum(), down.sum()) == pytest.approx((40, 48), abs=0.1)
    middle = (across @ np.arange(50) / across.sum(), down @ np.arange(60) / down.sum())
    assert middle == pytest.approx((24.5, 29.5), abs=0.1)


def test_thin_strokes_of_a_large_tile_keep_their_ink() -> None:
    """Every eighth row is black: taken pixel by pixel the crop would be striped, taken by area it is even."""
    picture = np.full((1200, 900, 3), 240, np.uint8)
    picture[::8] = 0
    quad = np.array([[50, 50], [800, 50], [800, 1100], [50, 1100]], np.float64)
    crop = rectify(picture, quad[None])[0]
    assert np.abs(crop.astype(np.int64) - 210).max() <= 6


def test_small_and_large_tiles_agree() -> None:
    rng = np.random.default_rng(3)
    texture = np.asarray(cv2.GaussianBlur(rng.integers(0, 256, (300, 400, 3), np.uint8), (0, 0), 6), np.uint8)
    quad = np.array([[100, 80], [150, 90], [140, 160], [90, 150]], np.float64)
    small = rectify(texture, quad[None])[0]
    doubled = cv2.resize(texture, None, fx=6, fy=6, interpolation=cv2.INTER_CUBIC)
    large = rectify(np.asarray(doubled, np.uint8), (quad[None] + 0.5) * 6 - 0.5)[0]
    assert np.abs(small.astype(np.int64) - large).mean() < 1.0


@pytest.mark.parametrize("width", [48, 24])
def test_a_crop_is_the_same_whatever_is_cut_out_with_it(width: int) -> None:
    """A tile that is read alone is compared with how it looked among all others."""
    picture = np.random.default_rng(1).integers(0, 255, (600, 800, 3), np.uint8)
    shape = np.array([[0, 0], [130, 3], [128, 190], [2, 185]], np.float64)
    quads = np.stack([shape + (x, y) for x, y in ((31, 40), (244, 121), (411, 302))])
    together = rectify(picture, quads, width, 4 * width // 3)
    for i in range(len(quads)):
        alone = rectify(picture, quads[i : i + 1], width, 4 * width // 3)[0]
        np.testing.assert_allclose(alone.astype(int), together[i], atol=1)


def test_beyond_the_picture_its_border_is_repeated() -> None:
    picture = np.full((60, 60, 3), 90, np.uint8)
    outside = np.array([[[-80, -90], [-40, -90], [-40, -30], [-80, -30]]], np.float64)
    huge = np.array([[[-3000, -4000], [3000, -4000], [3000, 4000], [-3000, 4000]]], np.float64)
    assert np.all(rectify(picture, np.concatenate([outside, huge])) == 90)


def test_no_tiles_make_no_crops() -> None:
    assert rectify(np.zeros((5, 5, 3), np.uint8), np.zeros((0, 4, 2))).shape == (0, 64, 48, 3)


@pytest.mark.parametrize(
    "quad",
    [
        [[0, 0], [10, 0], [20, 0], [30, 0]],
        [[0, 0], [10, 0], [10, np.nan], [0, 10]],
        [[5, 5], [5, 5], [5, 5], [5, 5]],
    ],
)
def test_a_quad_without_area_is_refused(quad: list[list[float]]) -> None:
    with pytest.raises(ValueError, match="area"):
        rectify(np.zeros((50, 50, 3), np.uint8), np.array([quad]))


@pytest.mark.parametrize("shape", [(50, 50), (50, 50, 4), (0, 50, 3)])
def test_other_pictures_are_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="picture"):
        rectify(np.zeros(shape, np.uint8), np.zeros((1, 4, 2)))


def test_closed_form_homography_takes_the_unit_square_to_the_quad() -> None:
    quad = np.array(QUADS["in perspective"], np.float64)
    square = np.array([[0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]], np.float64)
    mapped = square @ square_to_quad(quad[None])[0].T
    assert mapped[:, :2] / mapped[:, 2:] == pytest.approx(quad)
