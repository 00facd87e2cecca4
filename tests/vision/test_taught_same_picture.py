"""The same picture is known however it was saved; another tile on the same table makes another picture."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.render import effects
from vision.taught.same_picture import same_picture

Image = NDArray[np.uint8]


def table(numerals: str) -> Image:
    """A table with tiles at the same places, whatever they show."""
    image = cv2.resize(np.random.default_rng(3).integers(60, 90, (30, 40, 3)).astype(np.uint8), (1200, 900))
    for k, numeral in enumerate(numerals):
        x, y = 80 + 180 * (k % 6), 120 + 260 * (k // 6)
        cv2.rectangle(image, (x, y), (x + 110, y + 150), (225, 238, 243), -1)
        cv2.putText(image, numeral, (x + 30, y + 75), cv2.FONT_HERSHEY_SIMPLEX, 2.2, (40, 30, 200), 6)
    return np.asarray(image, np.uint8)


def test_a_picture_saved_again_is_the_same() -> None:
    image = table("123456789123")
    assert same_picture(image, image)
    assert same_picture(image, effects.jpeg(image, 60))
    assert same_picture(image, np.asarray(cv2.resize(image, (800, 600), interpolation=cv2.INTER_AREA), np.uint8))


def test_one_other_tile_makes_another_picture() -> None:
    assert not same_picture(table("123456789123"), table("123456189123"))
    assert not same_picture(table("123456789123"), effects.jpeg(table("123456789183"), 85))


def test_a_picture_turned_or_cut_is_another() -> None:
    image = table("123456789123")
    assert not same_picture(image, np.ascontiguousarray(image[::-1, ::-1]))
    assert not same_picture(image, np.ascontiguousarray(np.rot90(image)))
    assert not same_picture(image, image[:, 100:])
