"""Readings do not hang on which way up a tile was found, on the lamp, or on a badly framed quad."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from vision.read import (
    COLOUR_CLASSES,
    FEATURES,
    NOTHING,
    NUMBER_CLASSES,
    UNIT_CORNERS,
    Reader,
    move_corners,
    softmax,
    turned,
    turned_corners,
    white_balanced,
)

Floats = NDArray[np.float32]
QUAD = np.array([[[40, 30], [82, 30], [82, 90], [40, 90]]], np.float32)


def random_crops(count: int, seed: int = 4) -> NDArray[np.uint8]:
    return np.random.default_rng(seed).integers(60, 200, (count, 64, 48, 3)).astype(np.uint8)


def test_white_balance_removes_tint_and_exposure() -> None:
    crops = random_crops(3)
    tinted = np.round(crops * np.array([0.6, 0.9, 1.2])).astype(np.uint8)
    np.testing.assert_allclose(white_balanced(tinted), white_balanced(crops), atol=0.06)


def test_white_balance_keeps_the_difference_between_inks() -> None:
    crops = np.full((2, 64, 48, 3), 230, np.uint8)
    crops[0, 20:35, 18:30] = (30, 30, 200)
    crops[1, 20:35, 18:30] = (180, 90, 20)
    red, blue = white_balanced(crops)[:, :, 25, 24]
    assert red.argmax() == 2
    assert blue.argmax() == 0


def test_white_balance_bears_black_and_empty_input() -> None:
    assert np.isfinite(white_balanced(np.zeros((1, 64, 48, 3), np.uint8))).all()
    assert white_balanced(np.zeros((0, 64, 48, 3), np.uint8)).shape == (0, 3, 64, 48)


def test_turning_twice_changes_nothing() -> None:
    corners = np.random.default_rng(1).normal(size=(5, 8)).astype(np.float32)
    np.testing.assert_array_equal(turned_corners(turned_corners(corners)), corners)
    np.testing.assert_array_equal(turned(turned(QUAD)), QUAD)


def test_corrections_of_a_turned_crop_move_the_same_corners() -> None:
    corners = np.random.default_rng(2).uniform(-0.1, 0.1, (1, 8)).astype(np.float32)
    straight = move_corners(QUAD, corners)
    other_way = move_corners(np.asarray(turned(QUAD), np.float32), turned_corners(corners))
    np.testing.assert_allclose(turned(other_way), straight, atol=1e-4)


def test_corners_move_in_units_of_the_face() -> None:
    corners = np.zeros((1, 4, 2), np.float32)
    corners[0, 1] = (0.1, -0.2)
    moved = move_corners(QUAD, corners.reshape(1, 8))
    np.testing.assert_allclose(moved[0, 1], [82 + 4.2, 30 - 12], atol=1e-3)
    np.testing.assert_allclose(moved[0, [0, 2, 3]], QUAD[0, [0, 2, 3]], atol=1e-4)


def test_softmax_rows_sum_to_one_and_cool_down() -> None:
    logits = np.array([[1000.0, 999.0, 0.0], [0.0, 0.0, 0.0]], np.float32)
    p = softmax(logits, 1.0)
    np.testing.assert_allclose(p.sum(axis=1), 1, rtol=1e-5)
    np.testing.assert_allclose(p[1], 1 / 3, rtol=1e-5)
    assert softmax(logits, 4.0)[0, 0] < p[0, 0]


class Surveyor:
    """Stands for the network: measures the bright rectangle in each crop, and tells up from the red band at its top."""

    def __init__(self, number: int = 6) -> None:
        self.number = number
        self.crops = 0

    def run(self, batch: NDArray[Any]) -> list[Floats]:
        count = len(batch)
        self.crops += count
        numbers, colours = np.zeros((count, 17), np.float32), np.zeros((count, 4), np.float32)
        upside, corners = np.zeros((count, 1), np.float32), np.zeros((count, 8), np.float32)
        numbers[:, self.number] = 9
        colours[:, 1] = 5
        for i, crop in enumerate(batch):
            bright = crop.max(axis=0) > 0
            columns, rows = np.flatnonzero(bright.any(axis=0)), np.flatnonzero(bright.any(axis=1))
            left, right = columns[0] - 0.5, columns[-1] + 0.5
            top, bottom = rows[0] - 0.5, rows[-1] + 0.5
            box = np.array([[left, top], [right, top], [right, bottom], [left, bottom]])
            place = (box + 0.5 - [0.08 * 48, 0.08 * 64]) / [0.84 * 48, 0.84 * 64]
            corners[i] = (place - UNIT_CORNERS).reshape(-1)
            red = (crop[2] - crop[0])[bright.any(axis=1)]
            upper, lower = np.split(red, [len(red) // 2])
            upside[i] = 8 if lower.sum() > upper.sum() else -8
        return [numbers, colours, upside, corners, np.zeros((count, FEATURES), np.float32)]


def picture_with_tile() -> NDArray[np.uint8]:
    """A white tile with a red band near its upper edge at ``QUAD``, on black."""
    picture = np.zeros((140, 140, 3), np.uint8)
    picture[30:90, 40:82] = 230
    picture[38:50, 45:77] = (40, 40, 220)
    return picture


def test_a_badly_framed_quad_is_put_right() -> None:
    rough = QUAD + np.array([[[4, 3], [6, 3], [6, 5], [4, 5]]], np.float32)
    readings = Reader(Surveyor()).read(picture_with_tile(), rough)
    assert np.abs(readings.quads - (QUAD - 0.5)).max() < 1.2
    assert not readings.upside[0]


def test_the_quad_comes_back_upright_whichever_way_it_was_given() -> None:
    reader = Reader(Surveyor())
    straight = reader.read(picture_with_tile(), QUAD)
    over = reader.read(picture_with_tile(), turned(QUAD))
    assert not straight.upside[0]
    assert over.upside[0]
    np.testing.assert_allclose(over.quads, straight.quads, atol=0.6)
    np.testing.assert_allclose(over.number_p, straight.number_p)
    assert straight.upside_margin[0] > 0.99


def test_probabilities_belong_to_the_named_classes() -> None:
    readings = Reader(Surveyor(number=6)).read(picture_with_tile(), np.repeat(QUAD, 3, axis=0))
    assert len(readings) == 3
    assert [NUMBER_CLASSES[i] for i in readings.number_p.argmax(axis=1)] == ["7"] * 3
    assert [COLOUR_CLASSES[i] for i in readings.colour_p.argmax(axis=1)] == ["B"] * 3
    np.testing.assert_allclose(readings.number_p.sum(axis=1), 1, rtol=1e-5)


def test_temperature_lowers_confidence_but_changes_no_reading() -> None:
    sure = Reader(Surveyor()).read(picture_with_tile(), QUAD)
    calm = Reader(Surveyor(), number_temperature=3.0, colour_temperature=2.0).read(picture_with_tile(), QUAD)
    assert calm.number_p.max() < sure.number_p.max()
    assert calm.colour_p.max() < sure.colour_p.max()
    assert calm.number_p.argmax() == sure.number_p.argmax()
    facing = Reader(Surveyor(), facing_temperature=2.0).read(picture_with_tile(), QUAD)
    odds = [np.arctanh(np.minimum(told.upside_margin.astype(np.float64), 1 - 1e-7))[0] for told in (sure, facing)]
    assert odds[0] == pytest.approx(2 * odds[1], rel=0.02)


def test_what_is_no_tile_keeps_its_quad_and_is_not_looked_at_again() -> None:
    network = Surveyor(number=NOTHING)
    rough = QUAD + np.float32(6)
    readings = Reader(network).read(picture_with_tile(), rough)
    np.testing.assert_allclose(readings.quads, rough)
    assert network.crops == 2


def test_no_tiles_no_readings() -> None:
    readings = Reader(Surveyor()).read(picture_with_tile(), np.zeros((0, 4, 2), np.float32))
    assert len(readings) == 0
    assert readings.quads.shape == (0, 4, 2)
    assert readings.colour_p.shape == (0, 4)


@pytest.mark.parametrize("count", [1, 64, 65, 130])
def test_batches_keep_the_order(count: int) -> None:
    quads = np.repeat(QUAD, count, axis=0)
    quads[count // 2] = np.asarray(turned(QUAD))[0]
    readings = Reader(Surveyor()).read(picture_with_tile(), quads)
    assert np.flatnonzero(readings.upside).tolist() == [count // 2]
