"""Telling glyphs apart by what distinguishes them: linear discriminants with a calibrated temperature.

A club and a spade are alike in nine tenths of their ink; plain likeness would hardly tell them apart.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Rows = NDArray[np.float32]
Classes = NDArray[np.int64]

SHRINKAGE = 0.15
"""Share of the spread within a class that is taken to be the same in every direction."""
FOLDS = 4
NEVER = -60.0
"""Log probability of a class that was never seen."""
_TEMPERATURES = tuple(float(value) for value in np.geomspace(0.5, 60, 24))
_COOLEST = 2.0
"""Photos differ more than views of one photo do: the theory's 1 would promise too much."""


@dataclass(frozen=True, slots=True)
class Discriminant:
    """Scores ``rows @ weights + bias`` over ``temperature`` are log probabilities but for a constant.

    ``weights`` (D, K), ``bias`` (K,), ``known`` (K,): whether there was any example of the class.
    """

    weights: Floats
    bias: Floats
    known: NDArray[np.bool_]
    temperature: float

    @classmethod
    def fit(cls, rows: Rows, classes: Classes, count: int, groups: Classes) -> Discriminant:
        """Learn ``count`` classes from rows (N, D).

        The temperature comes from rows read by discriminants that saw no row of the same ``groups`` (N,) modulo
        ``FOLDS``: a rank is read with what the other suits taught.
        """
        scores, truth = [], []
        for fold in range(FOLDS):
            held = groups % FOLDS == fold
            if held.all() or not held.any():
                continue
            weights, bias, known = _solved(rows[~held], classes[~held], count)
            told = held & known[classes]
            scores.append(np.where(known, rows[told] @ weights + bias, -np.inf))
            truth.append(classes[told])
        weights, bias, known = _solved(rows, classes, count)
        temperature = _temperature(np.concatenate(scores), np.concatenate(truth)) if scores else _COOLEST
        return cls(weights, bias, known, temperature)

    def log_p(self, rows: Rows) -> Floats:
        """Log probabilities (M, K) of rows (M, D)."""
        return _log_softmax(np.where(self.known, rows @ self.weights + self.bias, -np.inf), self.temperature)


def _solved(rows: Rows, classes: Classes, count: int) -> tuple[Floats, Floats, NDArray[np.bool_]]:
    """Weights and bias of the discriminants: class means seen through the inverse of the spread within classes."""
    sizes = np.bincount(classes, minlength=count)
    means = np.zeros((count, rows.shape[1]))
    for k in np.flatnonzero(sizes):
        means[k] = rows[classes == k].mean(axis=0)
    away = rows - means[classes]
    spread = (away.T @ away).astype(np.float64) / max(len(rows) - int((sizes > 0).sum()), 1)
    level = float(np.trace(spread)) / len(spread) + 1e-6
    spread = (1 - SHRINKAGE) * spread + SHRINKAGE * level * np.eye(len(spread))
    weights = np.linalg.solve(spread, means.T)
    bias = np.asarray(-0.5 * (means.T * weights).sum(axis=0), np.float64)
    return np.asarray(weights, np.float64), bias, sizes > 0


def _temperature(scores: Floats, truth: Classes) -> float:
    """The temperature under which held-out rows are most probable, never cooler than ``_COOLEST``."""

    def loss(temperature: float) -> float:
        return -float(_log_softmax(scores, temperature)[np.arange(len(truth)), truth].mean())

    return max(_COOLEST, min(_TEMPERATURES, key=loss))


def _log_softmax(scores: Floats, temperature: float) -> Floats:
    scaled = scores / temperature
    scaled = scaled - scaled.max(axis=1, keepdims=True, initial=NEVER)
    return np.asarray(np.maximum(scaled - np.log(np.exp(scaled).sum(axis=1, keepdims=True)), NEVER), np.float64)
