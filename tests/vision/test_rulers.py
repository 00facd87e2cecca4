"""Tiles that name the wrong sides their top are told by the plane in which all tiles lie."""

from __future__ import annotations

import numpy as np
import pytest

from tests.measure.rows import KINDS, laid, moved, true_quads
from tests.vision.test_layout import line, quads_of, seen
from vision.rulers import quarter_turned

STEEP = next(kind for kind in KINDS if kind.name == "any angle, 45 to 60")


@pytest.mark.parametrize("number", range(6))
def test_quads_turned_by_a_quarter_are_found(number: int) -> None:
    rng = np.random.default_rng(number)
    quads = moved(true_quads(laid(STEEP, number, 2)), 0.012, rng)
    turned = np.zeros(len(quads), bool)
    turned[rng.permutation(len(quads))[: len(quads) // 9]] = True
    quads[turned] = np.roll(quads[turned], 1, axis=1)
    assert quarter_turned(quads).tolist() == turned.tolist()


@pytest.mark.parametrize("number", range(6))
def test_of_tiles_named_rightly_none_is_found(number: int) -> None:
    quads = moved(true_quads(laid(STEEP, number, 2)), 0.02, np.random.default_rng(number))
    assert not quarter_turned(quads).any()


def test_half_turned_tiles_stand_upright_enough() -> None:
    quads = seen(quads_of(line(8)), tilt=60)
    quads[3] = np.roll(quads[3], 2, axis=0)
    assert not quarter_turned(quads).any()


def test_a_few_tiles_show_no_plane() -> None:
    quads = seen(quads_of(line(4)), tilt=60)
    quads[1] = np.roll(quads[1], 1, axis=0)
    assert not quarter_turned(quads).any()
    assert quarter_turned(np.zeros((0, 4, 2))).tolist() == []
