"""A linear correction to a network's opinion, fitted to a few examples and held back where it has no business."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_ROUNDS = 150


def with_one(features: NDArray[np.floating]) -> Floats:
    """Features (N, F) with a column of ones behind them."""
    return np.column_stack([features, np.ones(len(features))]).astype(np.float64)


def fit_correction(
    inputs: Floats, logits: Floats, labels: NDArray[np.intp], free: NDArray[np.bool_], stiffness: Floats
) -> Floats:
    """Weights W (F, K) so that ``logits + inputs @ W`` tell the labels of N examples.

    ``inputs`` (N, F), ``logits`` (N, K) of the network, ``labels`` (N,) columns.  Only the columns ``free`` (K,) are
    corrected.  The mean cross-entropy is minimised together with the penalty ``sum(W * (stiffness @ W)) / 2``, where
    ``stiffness`` (F, F) is positive definite.  Every step minimises a quadratic bound of the loss (Böhning's), so that
    it never grows, whatever the data, and no step length needs to be chosen.
    """
    count, classes = logits.shape
    weights = np.zeros((inputs.shape[1], classes))
    columns = np.flatnonzero(free)
    if not count or not len(columns):
        return weights
    target = np.eye(classes)[labels]
    inverse = np.linalg.inv(inputs.T @ inputs / (2 * count) + stiffness)
    for _ in range(_ROUNDS):
        miss = probabilities(logits + inputs @ weights) - target
        slope = inputs.T @ miss / count + stiffness @ weights
        weights[:, columns] -= inverse @ slope[:, columns]
    return weights


def probabilities(logits: Floats) -> Floats:
    """Rows of logits (N, K) to probabilities."""
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True), np.float64)
