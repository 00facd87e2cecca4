"""What screens show and tables do not: bodies all alike, tiles in line, a coloured grid; painted by hand."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from vision.rectify import rectify
from vision.render import effects
from vision.screen import (
    WAVE_LEVELS,
    body_levels,
    coloured_waves,
    drawn_alike,
    even_but_for_the_lamp,
    off_a_screen,
    shows_grid,
)

Image = NDArray[np.uint8]
Quads = NDArray[np.float32]
WIDE, HIGH = 42, 56
BODY, INK = np.array([215.0, 232.0, 240.0]), (40, 40, 190)


def tiles(
    columns: int = 8, rows: int = 4, differ: float = 0.0, graded: float = 0.0, turned: float = 0.0
) -> tuple[Image, Quads]:
    """Tiles on a green ground: bodies that ``differ`` by levels, ``graded`` downwards, ``turned`` by degrees."""
    rng = np.random.default_rng(5)
    picture = np.full((rows * 80 + 40, columns * 50 + 40, 3), (60, 110, 60), np.uint8)
    quads = []
    for k in range(columns * rows):
        tile = np.clip(BODY + rng.normal(0, differ, 1) - np.linspace(0, graded, HIGH)[:, None, None], 0, 255)
        tile = np.ascontiguousarray(np.broadcast_to(tile, (HIGH, WIDE, 3)).astype(np.uint8))
        cv2.putText(tile, str(k % 9 + 1), (10, 28), cv2.FONT_HERSHEY_SIMPLEX, 0.9, INK, 2, cv2.LINE_AA)
        x, y, turn = 25 + k % columns * 50, 30 + k // columns * 80, np.radians(rng.normal(0, turned))
        corners = np.array([[0, 0], [WIDE, 0], [WIDE, HIGH], [0, HIGH]]) - (WIDE / 2, HIGH / 2)
        way = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
        quad = (corners @ way + (x + WIDE / 2, y + HIGH / 2)).astype(np.float32)
        to = cv2.getPerspectiveTransform((corners + (WIDE / 2, HIGH / 2)).astype(np.float32), quad)
        cv2.warpPerspective(tile, to, picture.shape[1::-1], dst=picture, borderMode=cv2.BORDER_TRANSPARENT)
        quads.append(quad)
    return picture, np.array(quads, np.float32)


def told(picture: Image, quads: Quads) -> bool:
    return off_a_screen(picture, quads, rectify(picture, quads))


def glowing(picture: Image, depth: float = 0.2) -> Image:
    """Light that falls off smoothly to one side."""
    x, y = np.meshgrid(np.linspace(0, 1, picture.shape[1]), np.linspace(0, 1, picture.shape[0]))
    return (picture * (1 - depth * (x * x + 0.3 * y))[..., None]).astype(np.uint8)


@pytest.mark.parametrize("graded", [0.0, 25.0])
@pytest.mark.parametrize("quality", [50, 80, 95])
def test_drawn_tiles_are_alike_after_compression_too(quality: int, graded: float) -> None:
    picture, quads = tiles(graded=graded)
    assert told(effects.jpeg(picture, quality), quads)


def test_real_bodies_differ() -> None:
    picture, quads = tiles(differ=5.0)
    assert not told(effects.jpeg(picture, 85), quads)


def test_a_lamp_tells_a_table_from_a_screenshot() -> None:
    picture, quads = tiles(turned=1.5)
    lit = glowing(picture)
    assert not drawn_alike(body_levels(rectify(lit, quads)), quads)
    assert not told(lit, quads), "even bodies, but laid by hand"


def test_tiles_laid_by_hand_in_an_even_light_are_no_screenshot() -> None:
    picture, quads = tiles(turned=2.5)
    assert not told(picture, quads)


def test_a_screen_glows_evenly_over_all_its_tiles() -> None:
    picture, quads = tiles(graded=20.0)
    photo = effects.sensor_noise(glowing(picture), np.random.default_rng(1), 2.0, coarse=False)
    levels = body_levels(rectify(photo, quads))
    assert not drawn_alike(levels, quads)
    assert even_but_for_the_lamp(levels, quads)


def test_a_few_tiles_tell_nothing() -> None:
    picture, quads = tiles()
    assert not told(picture, quads[:5])
    assert not told(picture, quads[:0])
    assert body_levels(rectify(picture, quads[:0])).shape == (0, 9, 3)


def test_burnt_out_and_dark_tiles_are_alike_under_any_lamp() -> None:
    picture, quads = tiles()
    assert not told(np.maximum(picture, 0) * 0 + 254, quads)
    assert not told((picture * 0.15).astype(np.uint8), quads)


def test_coloured_waves_are_a_screen_grey_ones_are_not() -> None:
    picture, quads = tiles(differ=5.0)
    x, y = np.meshgrid(np.arange(picture.shape[1]), np.arange(picture.shape[0]))
    wave = 14 * np.sin(2 * np.pi * (x / 6.3 + y / 17))[..., None]
    for tint, grid in ((np.array([1.0, -1.0, 1.0]), True), (np.array([1.0, 1.0, 1.0]), False)):
        assert shows_grid(np.clip(picture + wave * tint, 0, 255).astype(np.uint8), quads) is grid
    assert shows_grid(picture, quads) is False
    noisy = effects.sensor_noise(picture, np.random.default_rng(2), 9.0, coarse=True)
    assert shows_grid(noisy, quads) is False
    assert max(coloured_waves(noisy, quads)) < (0.7, 0.0)


@pytest.mark.parametrize("strength", [0, 3, 6, 9, 14, 30])
def test_waves_are_left_uncompared_only_where_they_are_too_weak(strength: float) -> None:
    picture, quads = tiles(differ=5.0)
    x, y = np.meshgrid(np.arange(picture.shape[1]), np.arange(picture.shape[0]))
    wave = strength * np.sin(2 * np.pi * (x / 6.3 + y / 17))[..., None] * np.array([1.0, -1.0, 0.0])
    waved = np.clip(picture + wave, 0, 255).astype(np.uint8)
    for whole, quick in zip(coloured_waves(waved, quads), coloured_waves(waved, quads, WAVE_LEVELS), strict=True):
        assert quick in (whole, (0.0, 0.0))
        assert quick == whole or whole[1] < WAVE_LEVELS
