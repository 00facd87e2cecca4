"""What the light does to tiles, on crops painted by hand."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from vision.light import glare_on, light_on, picture_exposure
from vision.rectify import CROP_HEIGHT, CROP_WIDTH

Image = NDArray[np.uint8]
BODY, INK = (205, 228, 236), (30, 30, 190)


def crops(count: int = 6, body: tuple[int, int, int] = BODY) -> Image:
    """Tiles with a number, well lit."""
    face = np.full((CROP_HEIGHT, CROP_WIDTH, 3), body, np.uint8)
    cv2.putText(face, "5", (13, 38), cv2.FONT_HERSHEY_SIMPLEX, 1.0, INK, 4, cv2.LINE_AA)
    return np.repeat(face[None], count, axis=0)


def highlight(face: Image, y: int, size: int) -> None:
    veil = np.zeros(face.shape[:2], np.float32)
    cv2.circle(veil, (CROP_WIDTH // 2, y), size, 1.0, -1)
    veil = np.asarray(cv2.GaussianBlur(veil, (0, 0), 2), np.float32)
    face[:] = face + (255 - face) * veil[..., None]


def test_well_lit_tiles() -> None:
    light = light_on(crops())
    assert light.brightness == pytest.approx(228, abs=6)
    assert (light.burnt, light.shaded) == (0, 0)
    assert light.uneven == pytest.approx(1)
    assert light.cast == pytest.approx(236 / 205, rel=0.01)
    assert glare_on(crops()) == (0, 0)


def test_without_tiles_there_is_no_glare() -> None:
    assert glare_on(crops()[:0]) == (0, 0)


def test_darkness_and_fall_off() -> None:
    dim = (crops() * 0.2).astype(np.uint8)
    assert light_on(dim).brightness == pytest.approx(45, abs=4)
    falling = np.stack(
        [(face * share).astype(np.uint8) for face, share in zip(crops(), np.linspace(1, 0.25, 6), strict=True)]
    )
    assert light_on(falling).uneven > 3
    assert glare_on(falling)[0] == 0


def test_highlights_are_told_from_burnt_tiles_and_from_white_ones() -> None:
    beside, over = crops(), crops()
    highlight(beside[0], 47, 9)
    highlight(over[0], 28, 16)
    highlight(over[1], 28, 16)
    assert glare_on(beside) == pytest.approx((1 / 6, 0))
    assert glare_on(over) == pytest.approx((2 / 6, 2))
    white = crops(body=(246, 247, 248))
    assert (glare_on(white)[0], light_on(white).burnt) == (0, 0)
    burnt = np.clip(crops() * 1.5, 0, 255).astype(np.uint8)
    assert light_on(burnt).burnt > 0.5
    assert glare_on(burnt) == (0, 0)


def test_highlights_on_nearly_white_tiles_show_on_their_ink() -> None:
    white = crops(body=(238, 241, 242))
    noise = np.random.default_rng(1).normal(0, 2, white.shape)
    white = np.clip(white + noise, 0, 255).astype(np.uint8)
    assert glare_on(white) == (0, 0)
    veiled, washed = white.copy(), white.copy()
    veiled[0] = veiled[0] + 0.45 * (255.0 - veiled[0])
    assert glare_on(veiled) == pytest.approx((1 / 6, 1)), "little is left of its print"
    thin = white.copy()
    thin[0] = np.where(thin[0] < 200, 0.5 * thin[0] + 120, thin[0])
    assert glare_on(thin) == (0, 0), "pale ink on a body like all others"
    washed[:2] = washed[:2] + 0.97 * (255.0 - washed[:2])
    assert glare_on(washed) == pytest.approx((2 / 6, 2))


def test_face_down_tiles_on_a_white_table_are_not_washed_out() -> None:
    white = crops(body=(238, 241, 242))
    white[:3] = (240, 243, 244)
    assert glare_on(white) == (0, 0)
    burnt = np.full_like(white, 254)
    burnt[3:] = np.clip(white[3:] * 1.1, 0, 255)
    assert glare_on(burnt) == (0, 0), "all are too bright, which is another fault"


def test_a_hard_shadow_across_a_tile_is_no_digit_and_no_soft_light() -> None:
    shaded = crops()
    shaded[:2, :, 20:] = shaded[:2, :, 20:] * 0.55
    assert light_on(shaded).shaded == pytest.approx(2 / 6)
    soft = (crops() * np.linspace(1, 0.85, CROP_WIDTH)[None, None, :, None]).astype(np.uint8)
    assert light_on(soft).shaded == 0
    dark = (crops() * 0.5).astype(np.uint8)
    assert light_on(dark).shaded == 0


def test_a_coloured_lamp_tints_the_bodies() -> None:
    warm = (crops() * np.array([0.3, 0.75, 1.0])).astype(np.uint8)
    assert light_on(warm).cast > 3


def test_exposure_of_a_picture_without_tiles() -> None:
    assert picture_exposure(np.zeros((90, 120, 3), np.uint8)) == (0.0, 0.0)
    assert picture_exposure(np.full((90, 120, 3), 255, np.uint8)) == pytest.approx((255, 1.0))
    half = np.full((90, 120, 3), 90, np.uint8)
    half[:45] = 255
    assert picture_exposure(half)[1] == pytest.approx(0.5)
