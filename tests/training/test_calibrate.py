"""Calibration finds the numbers that simulated evidence was made with."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from vision.assemble import Calibration, presence, presence_features
from vision.read import BACK, JOKER, NOTHING, NUMBER_CLASSES, UNREAD
from vision.render.compose import RenderedTile
from vision.training import calibrate
from vision.training.calibrate import (
    HIGHEST_THRESHOLD,
    LOWEST_THRESHOLD,
    SILENT_SHARE,
    Evidence,
    Outcome,
    Picture,
    fit,
    labels,
    outcomes,
    reliability,
    tempered,
)

Floats = NDArray[np.float64]
INKS = np.array([[50.0, 55.0, 28.0], [48.0, 2.0, -40.0], [20.0, 1.0, 1.0], [68.0, 24.0, 50.0]])
"""L* a* b* of red, blue, black and orange."""


def softmax(logits: Floats) -> Floats:
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True), np.float64)


def drawn(rng: np.random.Generator, p: Floats) -> NDArray[np.int64]:
    """One class for each row of probabilities."""
    return np.asarray((rng.random((len(p), 1)) > p.cumsum(axis=1)).sum(axis=1), np.int64)


def quad_at(x: float) -> NDArray[np.float32]:
    return np.array([[x, 10], [x + 20, 10], [x + 20, 40], [x, 40]], np.float32)


def spread_out(count: int, apart: float = 200.0) -> NDArray[np.float32]:
    """Tiles of one size, none beside another."""
    return np.stack([quad_at(apart * k) for k in range(count)])


def simulated(count: int, number_t: float, colour_t: float, seed: int = 1) -> Evidence:
    """Tiles whose networks are too sure by these temperatures, eight to a picture."""
    rng = np.random.default_rng(seed)
    numbers = np.full((count, len(NUMBER_CLASSES)), -18.0)
    numbers[:, : JOKER + 1] = rng.normal(0, 3, (count, JOKER + 1))
    colours = rng.normal(0, 3, (count, 4))
    number, colour = drawn(rng, softmax(numbers)), drawn(rng, softmax(colours))
    colour[number == JOKER] = -1
    return Evidence(
        quads=spread_out(count),
        score=rng.uniform(0.6, 0.99, count),
        number_p=softmax(numbers * number_t),
        colour_p=softmax(colours * colour_t),
        facing_logit=np.full(count, 9.0),
        number=number,
        colour=colour,
        facing=np.where(number == JOKER, -1, 1),
        ink_lab=INKS[np.maximum(colour, 0)] + rng.normal(0, 2, (count, 3)),
        ink_share=np.full(count, 0.1),
        picture=np.arange(count) // 8,
    )


@pytest.mark.parametrize(("number_t", "colour_t"), [(1.8, 0.7), (1.0, 1.0), (0.6, 2.5)])
def test_temperatures_are_found_again(number_t: float, colour_t: float) -> None:
    evidence = simulated(3000, number_t, colour_t)
    fitted = fit(evidence, evidence)
    assert fitted.number_temperature == pytest.approx(number_t, rel=0.08)
    assert fitted.colour_temperature == pytest.approx(colour_t, rel=0.08)


@pytest.mark.parametrize("true", [(-0.6, 0.9, 0.7, 0.5), (0.8, 0.3, 1.2, 0.2)])
def test_presence_is_found_again(true: tuple[float, ...]) -> None:
    rng = np.random.default_rng(3)
    count = 12_000
    # three independent opinions: the detector's score, "nothing", and how clear the best reading is
    score, nothing = rng.beta(0.8, 0.8, count), rng.beta(0.8, 0.8, count)
    clear = (1 - nothing) * rng.uniform(0.3, 0.95, count)
    number_p = np.zeros((count, len(NUMBER_CLASSES)))
    number_p[:, : JOKER + 1] = ((1 - nothing - clear) / JOKER)[:, None]
    number_p[:, 4], number_p[:, NOTHING] = clear, nothing
    evidence_for = true[0] + presence_features(score, number_p) @ np.array(true[1:])
    there = rng.random(count) < 1 / (1 + np.exp(-evidence_for))
    base = simulated(count, 1.0, 1.0)
    evidence = replace(
        base, score=score, number_p=number_p, number=np.where(there, 4, NOTHING), colour=np.where(there, 0, -1)
    )
    found = np.asarray(calibrate._presence_weights(evidence, 1.0))
    np.testing.assert_allclose(found, true, atol=0.12)
    fitted = Calibration(
        presence_bias=found[0], presence_detector=found[1], presence_reader=found[2], presence_clarity=found[3]
    )
    np.testing.assert_allclose(presence(score, number_p, fitted), 1 / (1 + np.exp(-evidence_for)), atol=0.05)


def test_the_threshold_is_the_lowest_that_lets_hardly_any_mistake_pass() -> None:
    """Sure tiles are right; of the less sure ones, with up to 0.85, half are wrong."""
    rng = np.random.default_rng(5)
    count = 3000
    base = simulated(count, 1.0, 1.0)
    unsure = rng.random(count) < 0.05
    p = np.where(unsure, rng.uniform(0.55, 0.85, count), 0.9995)
    number_p = np.full((count, len(NUMBER_CLASSES)), 1e-9)
    number_p[:, 2], number_p[:, 7] = p, 1 - p
    number = np.where(unsure & (rng.random(count) < 0.5), 7, 2)
    colour = np.zeros(count, np.int64)
    colour_p = np.tile([0.9997, 0.0001, 0.0001, 0.0001], (count, 1))
    evidence = replace(
        base, number_p=number_p, number=number, colour=colour, colour_p=colour_p,
        ink_lab=INKS[colour], score=np.full(count, 0.99),
    )  # fmt: skip
    fitted = fit(evidence, evidence)
    tile = outcomes(evidence, fitted).tile

    def silent(threshold: float) -> float:
        return float(((tile.claimed >= threshold) & ~tile.true).mean())

    assert LOWEST_THRESHOLD < fitted.doubtful_below < HIGHEST_THRESHOLD
    assert silent(fitted.doubtful_below) <= SILENT_SHARE < silent(fitted.doubtful_below - 0.006)


@pytest.mark.parametrize("true", [1.3, 2.0])
def test_the_facing_is_calibrated_too(true: float) -> None:
    rng = np.random.default_rng(9)
    count = 6000
    logit = np.abs(rng.normal(0, 3, count))
    right = rng.random(count) < 1 / (1 + np.exp(-logit / true))
    base = simulated(count, 1.0, 1.0)
    evidence = replace(base, facing_logit=logit, facing=np.where(base.number == JOKER, -1, right))
    fitted = fit(evidence, evidence)
    assert fitted.facing_temperature == pytest.approx(true, rel=0.12)
    facing = outcomes(evidence, fitted).facing
    assert facing.claimed.mean() == pytest.approx(facing.true.mean(), abs=0.02)


def sure_tiles(count: int) -> Evidence:
    """Threes in red, all read rightly and surely."""
    number_p = np.full((count, len(NUMBER_CLASSES)), 1e-6)
    number_p[:, 2] = 0.9995
    return replace(
        simulated(count, 1.0, 1.0), number_p=number_p, number=np.full(count, 2), colour=np.zeros(count, np.int64),
        colour_p=np.tile([0.9997, 0.0001, 0.0001, 0.0001], (count, 1)), ink_lab=np.tile(INKS[0], (count, 1)),
        picture=np.zeros(count, np.int64), facing=np.ones(count, np.int64), score=np.full(count, 0.99),
    )  # fmt: skip


def test_a_facing_that_is_always_right_is_not_made_surer() -> None:
    evidence = simulated(500, 1.0, 1.0)
    assert fit(evidence, evidence).facing_temperature == pytest.approx(1, abs=0.04)


SEES = Calibration(presence_detector=2.0, presence_reader=1.0, presence_clarity=0.2, presence_bias=-3.0)


def test_a_clear_face_counts_beside_a_sure_one_as_it_does_for_the_eyes() -> None:
    score = np.array([0.99, 0.99, 0.99, 0.05])
    alone = replace(sure_tiles(4), score=score)
    beside = replace(alone, quads=spread_out(4, apart=22))
    assert outcomes(alone, SEES).tile.claimed[-1] < 0.98 < outcomes(beside, SEES).tile.claimed[-1]


def test_a_six_is_claimed_no_more_surely_than_its_facing() -> None:
    evidence = replace(sure_tiles(4), facing_logit=np.array([9.0, 9.0, 9.0, 1.0]))
    assert outcomes(evidence, SEES).number.claimed.min() > 0.99
    number_p = evidence.number_p[:, [0, 1, 5, 3, 4, 2, *range(6, len(NUMBER_CLASSES))]]
    sixes = replace(evidence, number_p=number_p, number=np.full(4, 5))
    claimed = outcomes(sixes, SEES).number.claimed
    assert claimed[:3].min() > 0.99
    assert claimed[3] == pytest.approx(1 / (1 + np.exp(-1.6)), abs=0.01)  # three others are told
    np.testing.assert_allclose(outcomes(sixes, SEES).facing.claimed[3], 1 / (1 + np.exp(-1)), atol=1e-6)


def test_tempering_divides_the_logits() -> None:
    logits = np.random.default_rng(2).normal(0, 2, (5, 4))
    np.testing.assert_allclose(tempered(softmax(logits), 2.5), softmax(logits / 2.5), rtol=1e-6)
    np.testing.assert_allclose(tempered(np.array([[1.0, 0.0]]), 1.0), [[1, 0]], atol=1e-9)


def test_reliability_counts_what_was_promised_and_kept() -> None:
    lines = list(reliability(Outcome(np.array([0.96, 0.97, 0.6]), np.array([True, False, True]))))
    assert [line.split() for line in lines] == [
        ["0.500–0.700:", "1,", "0.6000,", "1.0000"],
        ["0.950–0.980:", "2,", "0.9650,", "0.5000"],
    ]


def test_detections_are_labelled_by_the_tile_that_they_lie_on() -> None:
    def tile(code: str, x: float, visible: float = 1.0, legible: bool = True) -> RenderedTile:
        return RenderedTile(code, quad_at(x), visible, legible)

    tiles = (tile("K13", 0), tile("?", 30), tile("J", 60), tile("R2", 90, 0.95, legible=False), tile("-", 120),
             tile("B4", 150, 0.5), tile("O1", 180))  # fmt: skip
    picture = Picture(np.zeros((60, 400, 3), np.uint8), tiles, (quad_at(300),))
    places = [3, 30, 60, 90, 120, 150, 181, 184, 250, 300]
    quads = np.stack([quad_at(x) for x in places])
    quads[6] = np.roll(quads[6], 2, axis=0)
    number, colour, facing = labels(quads, picture)
    assert facing.tolist() == [1, -1, -1, -1, -1, -1, 0, -1, -1, -1]
    assert number.tolist() == [12, BACK, JOKER, UNREAD, -1, -1, 0, -1, NOTHING, -1]
    assert colour.tolist() == [2, -1, -1, -1, -1, -1, 3, -1, -1, -1]


def test_calibration_needs_no_torch(repository: Path) -> None:
    code = "import sys\nsys.modules['torch'] = sys.modules['onnx'] = None\nimport vision.training.calibrate\n"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=repository, timeout=120)
