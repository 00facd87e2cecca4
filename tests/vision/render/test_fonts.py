"""Numeral shapes, the wall between training and judging fonts, and drawing without any font installed."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from itertools import combinations

import cv2
import numpy as np
import pytest

from vision.render import fonts
from vision.render.faces import StyledBox, judge_box, random_box
from vision.render.fonts import (
    GLYPH_HEIGHT,
    JUDGE_FONTS,
    TRAINING_FONTS,
    WIDER_FONTS,
    NumeralShape,
    numeral_mask,
    word_mask,
)

NUMBERS = [str(number) for number in range(1, 14)]


@pytest.fixture
def no_fonts(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without a single font file."""
    monkeypatch.setattr(fonts, "_installed", dict)


def test_judging_fonts_are_kept_out_of_training() -> None:
    assert set(JUDGE_FONTS).isdisjoint(TRAINING_FONTS + WIDER_FONTS)
    assert set(WIDER_FONTS).isdisjoint(TRAINING_FONTS)
    assert len(set(JUDGE_FONTS)) == len(JUDGE_FONTS) >= 5
    assert len(set(TRAINING_FONTS)) == len(TRAINING_FONTS) >= 50


def test_no_judging_font_is_a_training_font_under_another_name() -> None:
    installed = fonts._installed()

    def prints(names: tuple[str, ...]) -> set[str]:
        return {hashlib.sha256(installed[name].read_bytes()).hexdigest() for name in names if name in installed}

    assert prints(JUDGE_FONTS).isdisjoint(prints(TRAINING_FONTS + WIDER_FONTS))


@pytest.mark.parametrize(
    ("source", "allowed"),
    [(random_box, TRAINING_FONTS + WIDER_FONTS), (judge_box, JUDGE_FONTS)],
    ids=["training", "judging"],
)
def test_boxes_wear_only_their_own_fonts(
    source: Callable[[np.random.Generator], StyledBox], allowed: tuple[str, ...]
) -> None:
    worn = {source(np.random.default_rng(seed)).numerals.font for seed in range(100)}
    available = set(fonts.available_fonts(allowed))
    assert worn <= available if available else worn == {None}
    assert len(worn) >= min(len(available), 5)


def test_available_fonts_keep_the_given_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fonts, "_installed", lambda: dict.fromkeys(["B", "A", "Z"]))
    assert fonts.available_fonts(("A", "missing", "B")) == ("A", "B")


@pytest.mark.usefixtures("no_fonts")
def test_without_fonts_the_embedded_one_serves() -> None:
    assert fonts.available_fonts(TRAINING_FONTS + WIDER_FONTS) == ()
    box = random_box(np.random.default_rng(5))
    assert box.numerals.font is None
    blank = np.asarray(box.palette.body)
    for number in NUMBERS:
        face, _ = box.face(f"K{number}", 120, np.random.default_rng(0))
        middle = face[: int(120 * 0.75), 20:-20].reshape(-1, 3)
        assert (np.abs(middle - blank).max(axis=1) > 90).mean() > 0.02, number


def test_the_numbers_differ_from_each_other() -> None:
    masks = {number: cv2.resize(numeral_mask(NumeralShape(None), number), (60, 60)) for number in NUMBERS}
    for one, other in combinations(NUMBERS, 2):
        assert np.abs(masks[one] - masks[other]).mean() > 0.05, (one, other)


def test_a_numeral_fills_its_height_between_margins() -> None:
    for number in NUMBERS:
        mask = numeral_mask(NumeralShape(None), number)
        rows = np.flatnonzero(mask.max(axis=1) > 0.3)
        assert mask.shape[0] == GLYPH_HEIGHT + 16
        assert (rows[0], rows[-1]) == (8, GLYPH_HEIGHT + 7)
        assert 0 <= mask.min() <= mask.max() <= 1


def test_a_six_turned_round_is_a_nine() -> None:
    """Turned by half a turn, 6 is nearer to 9 than to 6: the drawing is upright and not mirrored."""
    six, nine = (cv2.resize(numeral_mask(NumeralShape(None), number), (60, 80)) for number in "69")
    turned = six[::-1, ::-1]
    assert np.abs(turned - nine).mean() < 0.5 * np.abs(turned - six).mean()


def test_shapes_do_what_they_are_called() -> None:
    plain = numeral_mask(NumeralShape(None), "12")
    ink = float(plain.mean() * plain.size)

    def inked(shape: NumeralShape) -> float:
        mask = numeral_mask(shape, "12")
        return float(mask.mean() * mask.size)

    assert numeral_mask(NumeralShape(None, squeeze=0.75), "12").shape[1] < 0.85 * plain.shape[1]
    assert inked(NumeralShape(None, thicken=2)) > 1.1 * ink > 0.9 * ink > inked(NumeralShape(None, thicken=-1)) * 0.95
    close, spread = (numeral_mask(NumeralShape(None, tracking=share), "12") for share in (0.1, 0.3))
    assert spread.shape[1] == close.shape[1] + round(0.2 * GLYPH_HEIGHT)
    assert close.shape[0] == plain.shape[0]
    leaning = numeral_mask(NumeralShape(None, slant=0.2), "1")
    tops, feet = (np.flatnonzero(leaning[rows].max(axis=0) > 0.5).mean() for rows in (slice(8, 20), slice(-20, -8)))
    assert tops > feet + 10


def test_words_are_tight() -> None:
    mask = word_mask(None, "Joker")
    assert mask.shape[1] > 2 * mask.shape[0]
    for side in (mask[0], mask[-1], mask[:, 0], mask[:, -1]):
        assert side.max() > 0.1
