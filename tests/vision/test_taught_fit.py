"""A correction learns what it is shown, leaves alone what it is not, and is held back where it is told to be."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from vision.taught.fit import fit_correction, probabilities, with_one

Floats = NDArray[np.float64]


def clouds(seed: int = 3, each: int = 40) -> tuple[Floats, NDArray[np.intp]]:
    """Three clouds of features (N, 7), six and a one, with their labels."""
    rng = np.random.default_rng(seed)
    labels = np.repeat(np.arange(3), each)
    return with_one(rng.normal(0, 0.5, (3 * each, 6)) + 2 * np.eye(6)[labels]), labels


def cross_entropy(logits: Floats, labels: NDArray[np.intp]) -> float:
    return float(-np.log(probabilities(logits)[np.arange(len(labels)), labels]).mean())


def test_a_wrong_opinion_is_put_right() -> None:
    inputs, labels = clouds()
    wrong = 3 * np.eye(3)[(labels + 1) % 3]
    weights = fit_correction(inputs, wrong, labels, np.ones(3, np.bool_), 1e-3 * np.eye(7))
    unseen, truth = clouds(seed=4)
    corrected = 3 * np.eye(3)[(truth + 1) % 3] + unseen @ weights
    assert (wrong.argmax(axis=1) != labels).all()
    assert (corrected.argmax(axis=1) == truth).mean() > 0.97


def test_classes_that_are_not_free_keep_their_logits() -> None:
    inputs, labels = clouds()
    weights = fit_correction(inputs, np.zeros((len(labels), 5)), labels, np.arange(5) < 3, 1e-3 * np.eye(7))
    assert np.abs(weights[:, :3]).max() > 0.1
    np.testing.assert_array_equal(weights[:, 3:], 0)


@pytest.mark.parametrize("scale", [0.01, 1.0, 100.0])
def test_the_loss_never_grows_whatever_the_scale_of_the_features(scale: float) -> None:
    inputs, labels = clouds()
    logits = np.random.default_rng(1).normal(0, 4, (len(labels), 3))
    weights = fit_correction(inputs * scale, logits, labels, np.ones(3, np.bool_), 1e-3 * np.eye(7))
    assert cross_entropy(logits + inputs * scale @ weights, labels) < cross_entropy(logits, labels)


def test_the_correction_keeps_away_from_what_is_held() -> None:
    inputs, labels = clouds()
    held = np.zeros((50, 7))
    held[:, 5] = np.random.default_rng(2).normal(0, 1, 50)
    held[:, 0] = 1.0
    logits = np.zeros((len(labels), 3))
    free = np.ones(3, np.bool_)
    loose = fit_correction(inputs, logits, labels, free, 1e-3 * np.eye(7))
    stiff = fit_correction(inputs, logits, labels, free, 1e-3 * np.eye(7) + held.T @ held)
    assert np.abs(held @ stiff).max() < 0.3 * np.abs(held @ loose).max()
    assert ((inputs @ stiff).argmax(axis=1) == labels).mean() > 0.9


def test_nothing_to_learn_corrects_nothing() -> None:
    none = np.zeros(0, np.intp)
    weights = fit_correction(np.zeros((0, 7)), np.zeros((0, 3)), none, np.ones(3, np.bool_), np.eye(7))
    np.testing.assert_array_equal(weights, np.zeros((7, 3)))
    inputs, labels = clouds()
    weights = fit_correction(inputs, np.zeros((len(labels), 3)), labels, np.zeros(3, np.bool_), np.eye(7))
    np.testing.assert_array_equal(weights, np.zeros((7, 3)))
