"""Large pictures are halved without moving a pixel, others not at all."""

from __future__ import annotations

import numpy as np
import pytest

from vision.shrink import LARGE_PX, halved


@pytest.mark.parametrize(
    ("size", "factor", "left"),
    [
        ((2160, 3840), 0.4, 0.8),
        ((2160, 3840), 0.125, 0.25),
        ((2160, 3840), 0.6, 0.6),
        ((4000, 6000), 0.2, 0.8),
        ((2160, 3841), 0.2, 0.2),
        ((1080, 1920), 0.1, 0.1),
        ((6000, 40), 0.1, 0.4),
    ],
    ids=["once", "until it is not large", "not beyond the size asked for", "twice", "odd", "not large", "a strip"],
)
def test_only_large_pictures_are_halved(size: tuple[int, int], factor: float, left: float) -> None:
    image = np.zeros((*size, 3), np.uint8)
    near, rest = halved(image, factor)
    times = round(left / factor)
    assert rest == pytest.approx(left)
    assert near.shape == (size[0] // times, size[1] // times, 3)
    assert near is image or max(size) > LARGE_PX


def test_each_pixel_is_the_mean_of_the_four_that_it_covers() -> None:
    image = np.random.default_rng(1).integers(0, 256, (40, 2 * LARGE_PX, 3)).astype(np.uint8)
    near, _ = halved(image, 0.5)
    means = image.reshape(20, 2, LARGE_PX, 2, 3).astype(np.float64).mean(axis=(1, 3))
    assert np.abs(near - means).max() <= 0.5
