"""Rows of a box laid out, from quads alone."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.vision.layouts import BOX, Lie
from vision.taught.rows import rows_of, unlike_the_others, upright_together


def found(lie: Lie, flipped: set[int] = frozenset()) -> list[list[str]]:  # type: ignore[assignment]
    """The codes row by row, some quads handed in upside down and all of them shuffled."""
    quads = lie.quads()
    for i in flipped:
        quads[i] = np.roll(quads[i], 2, axis=0)
    order = np.random.default_rng(lie.seed).permutation(len(quads))
    rows = rows_of(quads[order], np.full(len(quads), 0.8))
    return [[lie.codes[order[i]] for i in row] for row in rows.rows]


@settings(max_examples=15, deadline=None)
@given(
    bend=st.floats(-0.6, 0.6), turn=st.floats(0, 360), recede=st.floats(0, 0.4), gap=st.floats(0.0, 0.6),
    seed=st.integers(0, 99),
)  # fmt: skip
def test_rows_come_in_reading_order(bend: float, turn: float, recede: float, gap: float, seed: int) -> None:
    lie = Lie(BOX, bend=bend, turn_deg=turn, recede=recede, gap=gap, seed=seed)
    assert found(lie) == [list(row) for row in BOX]


def test_tiles_whose_facing_is_mistaken_are_turned_like_the_rest() -> None:
    assert found(Lie(BOX), {0, 7, 40, 41, 90}) == [list(row) for row in BOX]


def test_a_row_goes_on_behind_a_wide_gap() -> None:
    lie = Lie([["R1", "R2", *[""] * 8, "R11"], ["B1", "", "", "", "B5"], ["K1", "K2", "K3", "K4", "K5"]])
    assert found(lie) == [["R1", "R2", "R11"], ["B1", "B5"], ["K1", "K2", "K3", "K4", "K5"]]


def test_what_is_turned_or_of_another_size_is_unlike_the_others() -> None:
    quads = Lie(BOX).quads().astype(np.float64)
    middle = quads[30].mean(axis=0)
    quads[30] = (quads[30] - middle) @ np.array([[0, 1], [-1, 0]]) + middle
    quads[60] = (quads[60] - quads[60].mean(axis=0)) * 2 + quads[60].mean(axis=0)
    unlike = unlike_the_others(upright_together(quads, np.ones(len(quads))))
    assert sorted(np.flatnonzero(unlike > 0.45).tolist()) == [30, 60]


@pytest.mark.parametrize("count", [0, 1])
def test_hardly_any_tile(count: int) -> None:
    quads = Lie([["R1"]]).quads()[:count]
    assert len(rows_of(quads, np.ones(count)).rows) == count
