"""Levels by counting are those by sorting."""

from __future__ import annotations

import numpy as np
import pytest

from vision.levels import levels_at


@pytest.mark.parametrize("pixels", [1, 2, 7, 672])
def test_counting_gives_what_sorting_gives(pixels: int) -> None:
    rng = np.random.default_rng(pixels)
    for spread in (0, 3, 120):
        many = np.clip(rng.normal(128, spread, (9, pixels, 3)), 0, 255).astype(np.uint8)
        many[0], many[1] = 0, 255
        for rank in {0, pixels * 85 // 100, pixels - 1}:
            np.testing.assert_array_equal(levels_at(many, rank), np.sort(many, axis=1)[:, rank])


def test_no_picture_has_no_level() -> None:
    assert levels_at(np.zeros((0, 12, 3), np.uint8), 4).shape == (0, 3)
