"""Digits drawn with a pen: all ten differ, 6 and 9 are one shape turned round, and every choice of the pen shows."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from vision.render.fonts import GLYPH_HEIGHT, NumeralShape, numeral_mask
from vision.render.strokes import Pen, digit_mask, random_pen

DIGITS = "0123456789"
PENS = [Pen(), *(random_pen(np.random.default_rng(seed)) for seed in range(12))]


def fitted(pen: Pen, digit: str) -> NDArray[np.float64]:
    return np.asarray(cv2.resize(digit_mask(pen, digit), (48, 64)), np.float64) / 255


@pytest.mark.parametrize("pen", PENS, ids=range(len(PENS)))
def test_the_ten_digits_differ(pen: Pen) -> None:
    for one, other in combinations(DIGITS, 2):
        assert np.abs(fitted(pen, one) - fitted(pen, other)).mean() > 0.03, (one, other)


@pytest.mark.parametrize("pen", PENS, ids=range(len(PENS)))
def test_a_nine_is_a_six_turned_round(pen: Pen) -> None:
    turned = fitted(pen, "6")[::-1, ::-1]
    assert np.abs(turned - fitted(pen, "9")).mean() < 0.02


@pytest.mark.parametrize("pen", PENS, ids=range(len(PENS)))
def test_a_digit_is_cut_tight_and_in_proportion(pen: Pen) -> None:
    for digit in DIGITS:
        mask = digit_mask(pen, digit)
        assert mask.dtype == np.uint8
        assert mask.max() == 255
        for side in (mask[0], mask[-1], mask[:, 0], mask[:, -1]):
            assert side.max() > 40
        assert mask.shape[0] == pytest.approx(150, abs=6)
        if digit != "1":
            assert mask.shape[1] / mask.shape[0] == pytest.approx(pen.width, abs=0.12)


def test_thicker_strokes_hold_more_ink() -> None:
    shares = [(digit_mask(Pen(stroke=stroke), "5") > 127).mean() for stroke in (0.08, 0.14, 0.22)]
    assert shares[0] < 0.7 * shares[1] < 0.7 * shares[2]


def test_higher_exponents_fill_the_corners() -> None:
    corner = [fitted(Pen(corner=exponent), "0")[:9, :9].mean() for exponent in (1.8, 3.0, 8.0)]
    assert corner[0] < corner[1] < corner[2]


@pytest.mark.parametrize(
    ("change", "digits"),
    [
        ({"one_flag": False}, "1"), ({"one_foot": True}, "1"), ({"flat_three": True}, "3"), ({"open_four": True}, "4"),
        ({"crossed_seven": True}, "7"), ({"straight_tail": True}, "69"), ({"waist": 0.42}, "35689"),
    ],
    ids=str,
)  # fmt: skip
def test_a_choice_changes_its_digits_and_no_other(change: dict[str, float], digits: str) -> None:
    pen = replace(Pen(), **change)  # type: ignore[arg-type]
    changed = {digit for digit in DIGITS if not np.array_equal(digit_mask(pen, digit), digit_mask(Pen(), digit))}
    assert changed == set(digits)


def test_numerals_of_a_pen_stand_apart_at_full_height() -> None:
    mask = numeral_mask(NumeralShape(None, tracking=0.1, pen=Pen(one_flag=False)), "11")
    columns = (mask > 0.5).any(axis=0)
    assert np.count_nonzero(np.diff(columns.astype(int)) == 1) == 2, "an 11 is two strokes"
    rows = np.flatnonzero(mask.max(axis=1) > 0.3)
    assert (rows[0], rows[-1]) == (8, GLYPH_HEIGHT + 7)


def test_hands_are_drawn_from_their_seed_and_differ() -> None:
    assert random_pen(np.random.default_rng(3)) == random_pen(np.random.default_rng(3))
    assert len({random_pen(np.random.default_rng(seed)) for seed in range(30)}) == 30
