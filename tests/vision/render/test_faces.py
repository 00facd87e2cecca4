"""Faces: print where the box says, in the box's ink, and the same from the same seed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import cv2
import numpy as np
import pytest

from vision.render.faces import BACK, SixNineMark, StyledBox, Symbol, judge_box, random_box
from vision.render.fonts import NumeralShape
from vision.render.jokers import SIZE, JokerFace, joker_mask
from vision.render.palettes import JUDGE_PALETTES

PLAIN = StyledBox(JUDGE_PALETTES[1], NumeralShape(None))
HEIGHT = 200
SAMPLE_CODES = ("R1", "B8", "K10", "O13", "J")


def face(box: StyledBox, code: str, height: int = HEIGHT, light: tuple[float, float] = (0.0, 0.0)) -> np.ndarray:
    return box.face(code, height, np.random.default_rng(7), light)[0].astype(np.float64)


def ink_of(box: StyledBox, code: str) -> np.ndarray:
    """Where a face differs from one without print, (h, w) bool: the light lies evenly on both."""
    return np.asarray(np.abs(face(box, code) - face(replace(box, ink_strength=0.0), code)).max(axis=2) > 20)


@pytest.mark.parametrize("height", [12, 64, 200])
def test_a_face_has_the_boxs_proportions_and_round_corners(height: int) -> None:
    picture, alpha = PLAIN.face("R5", height, np.random.default_rng(1))
    assert picture.shape == (height, max(8, round(0.7 * height)), 3)
    assert alpha.shape == picture.shape[:2]
    assert picture.dtype == alpha.dtype == np.uint8
    assert alpha[height // 2, alpha.shape[1] // 2] == 255
    assert alpha[0, 0] < alpha[0, alpha.shape[1] // 2]


@pytest.mark.parametrize("code", SAMPLE_CODES)
@pytest.mark.parametrize("seed", range(4))
def test_the_print_lies_in_the_numeral_area_and_fills_it(code: str, seed: int) -> None:
    box = replace(random_box(np.random.default_rng(seed)), mark=SixNineMark.NONE, symbol=Symbol.NONE, ink_strength=1)
    ys, xs = np.nonzero(ink_of(box, code))
    height, width = face(box, code).shape[:2]
    left, top, right, bottom = box.numeral_area(code)
    assert xs.min() >= left * width - 2
    assert xs.max() <= right * width + 2
    assert ys.min() >= top * height - 2
    assert ys.max() <= bottom * height + 2
    assert np.ptp(ys) > 0.6 * (bottom - top) * height


@pytest.mark.parametrize("letter", "RBKO")
def test_the_ink_is_the_palettes(letter: str) -> None:
    picture, inked = face(PLAIN, f"{letter}8"), ink_of(PLAIN, f"{letter}8")
    core = cv2.erode(inked.astype(np.uint8), np.ones((7, 7), np.uint8)) > 0
    np.testing.assert_allclose(np.median(picture[core], axis=0), PLAIN.palette.ink(letter), atol=6)
    assert np.abs(np.median(picture[~inked], axis=0) - PLAIN.palette.body).max() < 6


def test_a_back_has_no_print() -> None:
    assert not ink_of(PLAIN, BACK).any()
    assert face(PLAIN, BACK)[20:-20, 20:-20].std(axis=(0, 1)).max() < 3


def test_a_back_may_have_a_body_of_its_own() -> None:
    navy = replace(PLAIN, back_body=(120.0, 40.0, 20.0))
    np.testing.assert_allclose(np.median(face(navy, BACK), axis=(0, 1)), (120, 40, 20), atol=2)


def test_marks_tell_six_from_nine() -> None:
    for mark in (SixNineMark.DOT, SixNineMark.BAR):
        marked = replace(PLAIN, mark=mark)
        _, _, _, bottom = marked.numeral_area("K6")
        for code in ("K6", "K9"):
            added = np.abs(face(marked, code) - face(PLAIN, code)).max(axis=2) > 20
            assert added.sum() > 50, (mark, code)
            assert np.flatnonzero(added.any(axis=1)).min() >= bottom * HEIGHT - 6
        np.testing.assert_array_equal(face(marked, "K8"), face(PLAIN, "K8"))


def test_a_full_stop_stands_at_the_foot_of_six_and_nine() -> None:
    marked = replace(PLAIN, mark=SixNineMark.STOP)
    left, _, right, bottom = marked.numeral_area("K6")
    added = np.abs(face(marked, "K6") - face(PLAIN, "K6")).max(axis=2) > 20
    ys, xs = np.nonzero(added)
    assert len(xs) > 30
    assert xs.min() > (left + right) / 2 * HEIGHT * PLAIN.aspect
    assert ys.min() > 0.6 * bottom * HEIGHT
    np.testing.assert_array_equal(face(marked, "K8"), face(PLAIN, "K8"))


@pytest.mark.parametrize("symbol", [symbol for symbol in Symbol if symbol is not Symbol.NONE])
def test_symbols_stand_under_the_numeral_in_its_ink(symbol: Symbol) -> None:
    added = np.abs(face(replace(PLAIN, symbol=symbol), "R5") - face(PLAIN, "R5")).max(axis=2) > 20
    ys, xs = np.nonzero(added)
    assert len(xs) > 100
    assert ys.min() > PLAIN.numeral_area("R5")[3] * HEIGHT - 6
    assert abs(xs.mean() - 0.5 * HEIGHT * PLAIN.aspect) < 3


def test_worn_print_is_paler() -> None:
    def contrast(strength: float) -> float:
        return float(face(PLAIN, "K8").max() - face(replace(PLAIN, ink_strength=strength), "K8").min())

    assert contrast(0.55) < 0.7 * contrast(1.0)


def test_rubbed_off_print_loses_ink_in_patches_only() -> None:
    rubbed, whole = replace(PLAIN, patchy=0.4), ink_of(PLAIN, "K8")
    lost = np.abs(face(rubbed, "K8") - face(PLAIN, "K8")).max(axis=2) > 40
    assert 0.1 < lost[whole].mean() < 0.7
    assert not lost[~whole].any()


def test_a_joker_of_two_inks_wears_both() -> None:
    box = replace(PLAIN, joker_face=JokerFace.STAR, joker_inks=("R", "B"), joker_two_inks=True)
    for seed in range(5):
        shown = face(replace(box, joker_seed=seed), "J")
        for letter in "RB":
            assert (np.abs(shown - PLAIN.palette.ink(letter)).max(axis=2) < 40).sum() > 60, (seed, letter)


def test_relief_catches_the_light_from_its_side() -> None:
    box = replace(PLAIN, bevel=0.06, bevel_depth=1.2)
    from_left, from_right = face(box, BACK, light=(-1, 0)), face(box, BACK, light=(1, 0))
    assert from_left[50:150, :10].mean() > from_left[50:150, -10:].mean() + 10
    np.testing.assert_allclose(from_left, from_right[:, ::-1], atol=3)
    assert np.ptp(face(box, BACK, light=(0, 0))[..., 0]) <= 1


def test_imprint_and_dish_are_seen_under_raking_light_only() -> None:
    for box in (replace(PLAIN, imprint="Kasimir"), replace(PLAIN, dish_radius=0.3, dish_depth=0.5),
                replace(PLAIN, dimple=0.1)):  # fmt: skip
        lit = np.abs(face(box, BACK.replace("?", "R1"), light=(0.7, 0.5)) - face(PLAIN, "R1", light=(0.7, 0.5)))
        assert (lit.max(axis=2) > 8).mean() > 0.005
        np.testing.assert_allclose(face(box, "R1"), face(PLAIN, "R1"), atol=1)


@pytest.mark.parametrize("source", [random_box, judge_box])
def test_the_same_seed_gives_the_same_box_and_face(source: Callable[[np.random.Generator], StyledBox]) -> None:
    for seed in range(3):
        one, same, other = (source(np.random.default_rng(number)) for number in (seed, seed, seed + 100))
        assert one == same
        assert one != other
        for code in (*SAMPLE_CODES, BACK):
            np.testing.assert_array_equal(face(one, code, light=(0.3, 0.4)), face(same, code, light=(0.3, 0.4)))


def test_training_boxes_are_of_every_kind() -> None:
    boxes = [random_box(np.random.default_rng(seed)) for seed in range(300)]
    assert {box.joker_face for box in boxes} == set(JokerFace)
    assert {box.symbol for box in boxes} == set(Symbol)
    assert {box.mark for box in boxes} == set(SixNineMark)
    kinds = {
        "drawn with a pen": sum(box.numerals.pen is not None for box in boxes),
        "condensed": sum(box.numerals.squeeze < 0.7 for box in boxes),
        "tiny": sum(box.numeral_height < 0.2 for box in boxes),
        "hollow": sum(box.dimple > 0 for box in boxes),
        "faded": sum(box.ink_strength < 0.7 for box in boxes),
        "rubbed off": sum(box.patchy > 0 for box in boxes),
        "engraved": sum(box.engraved > 0 for box in boxes),
        "two inks": sum(box.joker_two_inks for box in boxes),
        "thin": sum(box.thickness < 0.08 for box in boxes),
        "thick": sum(box.thickness > 0.36 for box in boxes),
    }
    assert min(kinds.values()) >= 3, kinds
    plain = [box for box in boxes if box.numerals.pen is None and box.symbol is Symbol.NONE]
    assert len(plain) > 0.4 * len(boxes), "ordinary boxes stay the rule"


def test_judging_boxes_stay_as_they_were() -> None:
    """Figures of judging are compared over time, so its boxes must not drift when training's world grows."""
    boxes = [judge_box(np.random.default_rng(seed)) for seed in range(200)]
    assert {box.joker_face for box in boxes} <= {
        JokerFace.SMILE, JokerFace.SUN, JokerFace.CLOWN, JokerFace.STAR, JokerFace.WORD,
    }  # fmt: skip
    assert not any(box.numerals.pen or box.patchy or box.dimple or box.joker_two_inks for box in boxes)


@pytest.mark.parametrize("kind", list(JokerFace))
def test_joker_drawings_are_bold_centred_and_their_own(kind: JokerFace) -> None:
    for seed in range(6):
        mask = joker_mask(kind, seed)
        assert mask.shape == (SIZE, SIZE)
        assert 0.02 < mask.mean() < 0.75
        assert 0 <= mask.min() <= mask.max() <= 1 + 1e-6
        columns = np.flatnonzero((mask > 0.5).any(axis=0))
        assert abs((columns[0] + columns[-1]) / 2 - SIZE / 2) < 0.1 * SIZE
        for other in set(JokerFace) - {kind}:
            assert np.abs(joker_mask(other, seed) - mask).mean() > 0.02, other
