"""Risk against coverage counts what it says, and both pictures show what was measured."""

from __future__ import annotations

import numpy as np
import pytest
from PIL.Image import Image

from vision.training.calibrate import Outcome, Outcomes
from vision.training.plots import COLOURS, linear, log_odds, logarithmic
from vision.training.reliability import reliability_picture, risk_curve, risk_picture, silent_per_1000

EXAMPLE = Outcome(np.array([0.9, 0.99, 0.6, 0.9, 0.7]), np.array([False, True, False, True, True]))


def measured(seed: int, count: int = 400) -> Outcomes:
    """Outcomes that come true as often as they claim."""
    rng = np.random.default_rng(seed)
    claimed = 1 - rng.uniform(0, 0.7, count) ** 3
    one = Outcome(claimed, rng.random(count) < claimed)
    return Outcomes(one, one, one, one)


def test_each_threshold_has_its_coverage_and_its_silent_errors() -> None:
    assert risk_curve(EXAMPLE) == ((0.2, 0.0), (0.6, 200.0), (0.8, 200.0), (1.0, 400.0))
    assert risk_curve(Outcome(np.zeros(0), np.zeros(0, np.bool_))) == ()


@pytest.mark.parametrize(("threshold", "silent"), [(0.95, 0.0), (0.9, 200.0), (0.5, 400.0)])
def test_silent_errors_of_one_threshold(threshold: float, silent: float) -> None:
    assert silent_per_1000(EXAMPLE, threshold) == silent


def test_the_scales_place_ends_and_middles() -> None:
    for scale, low, middle, high in (
        (linear(0, 1), 0, 0.5, 1), (logarithmic(0.1, 1000), 0.1, 10, 1000), (log_odds(0.1, 0.9), 0.1, 0.5, 0.9),
    ):  # fmt: skip
        assert [scale(value) for value in (low, middle, high)] == pytest.approx([0, 0.5, 1])
    assert logarithmic(0.1, 1000)(0) == 0
    assert log_odds(0.1, 0.9)(1) == pytest.approx(1)


def pixels_of(picture: Image, colour: tuple[int, int, int]) -> int:
    return int((np.abs(np.asarray(picture, np.int64) - colour).max(axis=2) < 12).sum())


@pytest.mark.parametrize("draw", [reliability_picture, lambda all_of_them: risk_picture(all_of_them, 0.9)])
def test_every_source_has_its_curve_in_the_picture(draw: object) -> None:
    two, three = ({f"source {k}": measured(k) for k in range(count)} for count in (2, 3))
    assert callable(draw)
    first, second = draw(two), draw(three)
    assert first.size == second.size
    assert min(pixels_of(second, colour) for colour in COLOURS[:3]) > 150
    assert pixels_of(first, COLOURS[2]) == 0
