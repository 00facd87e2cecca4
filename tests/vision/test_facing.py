"""A 6 is as sure as its facing: only the rest of the face tells it from a 9."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from vision.facing import NINE, SIX, facing_logit, six_or_nine
from vision.read import NUMBER_CLASSES

Floats = NDArray[np.float64]


def reading(number: int, p: float = 0.999) -> Floats:
    row = np.full(len(NUMBER_CLASSES), (1 - p) / (len(NUMBER_CLASSES) - 1))
    row[number - 1] = p
    return row


def margins(*logits: float) -> Floats:
    return np.tanh(np.array(logits) / 2)


def test_the_logit_undoes_the_margin() -> None:
    np.testing.assert_allclose(facing_logit(margins(0.0, 0.5, 4.0)), [0.0, 0.5, 4.0], atol=1e-9)
    assert np.isfinite(facing_logit(np.array([1.0])))[0]


@pytest.mark.parametrize("number", [6, 9])
@pytest.mark.parametrize("logit", [0.0, 1.0, 3.0])
def test_the_other_is_as_likely_as_that_the_facing_is_wrong(number: int, logit: float) -> None:
    told = six_or_nine(reading(number)[None], margins(logit))[0]
    assert told[15 - number - 1] == pytest.approx(1 / (1 + np.exp(logit)), abs=2e-3)
    assert told.argmax() == number - 1
    assert told.sum() == pytest.approx(1)


def test_a_sure_facing_changes_nothing() -> None:
    before = np.stack([reading(6), reading(9)])
    np.testing.assert_allclose(six_or_nine(before, margins(9.0, 9.0)), before, atol=2e-4)


def test_no_six_is_surer_than_the_others_of_its_box() -> None:
    """Where the numerals stand in the middle of the face, one that seems to face surely is a chance hit."""
    before = np.stack([reading(n) for n in (6, 9, 6, 9, 6)])
    alone = six_or_nine(before[:1], margins(5.0))[0, NINE]
    among = six_or_nine(before, margins(5.0, 0.3, 0.4, 0.2, 0.5))[0, NINE]
    assert alone < 0.01
    assert among > 0.3


def test_a_box_that_tells_its_sixes_from_its_nines_is_believed() -> None:
    """One facing alone must reckon with boxes of which nothing tells; three that are told say that this is none."""
    before = np.stack([reading(n) for n in (6, 9, 6)])
    two, three = six_or_nine(before[:2], margins(3.0, 3.0)), six_or_nine(before, margins(3.0, 3.0, 3.0))
    assert two[0, NINE] == pytest.approx(1 / (1 + np.exp(3.0)), abs=2e-3)
    assert three[0, NINE] < 0.012
    untold = six_or_nine(before, margins(1.5, 1.5, 1.5))
    assert untold[0, NINE] == pytest.approx(1 / (1 + np.exp(1.5)), abs=2e-3)


def test_a_facing_of_other_numerals_is_no_matter() -> None:
    before = np.stack([reading(n) for n in (1, 7, 8, 11, 13)])
    np.testing.assert_array_equal(six_or_nine(before, margins(0, 0, 0, 0, 0)), before)
    np.testing.assert_array_equal(six_or_nine(before[:0], margins()), before[:0])


@given(seed=st.integers(0, 9999), logits=st.lists(st.floats(0, 20), min_size=6, max_size=6))
def test_only_six_and_nine_share_anew_and_the_first_reading_stays(seed: int, logits: list[float]) -> None:
    before = np.random.default_rng(seed).dirichlet(np.full(len(NUMBER_CLASSES), 0.3), 6)
    before[:3, SIX] += 1
    before /= before.sum(axis=1, keepdims=True)
    after = six_or_nine(before, margins(*logits))
    np.testing.assert_array_equal(after.argmax(axis=1), before.argmax(axis=1))
    others = [k for k in range(len(NUMBER_CLASSES)) if k not in {SIX, NINE}]
    np.testing.assert_array_equal(after[:, others], before[:, others])
    np.testing.assert_allclose(after.sum(axis=1), 1)
    assert (after.max(axis=1) <= before.max(axis=1) + 1e-12).all()
