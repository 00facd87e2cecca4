"""Tiles of other boxes, drawn: what a taught box must leave as it is."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.render.faces import random_box
from vision.render.scene import random_code
from vision.taught.examples import EXAMPLE_HEIGHT, EXAMPLE_PAD, EXAMPLE_WIDTH

_TILES_A_BOX = 4
_LIGHT_SPREAD = 0.4


def tiles_of_others(count: int, rng: np.random.Generator, code: str | None = None) -> NDArray[np.uint8]:
    """Tiles of many random boxes on plain grounds, uint8 (count, 128, 96, 3) BGR like examples.

    All show ``code``, or else any number, joker or back.
    """
    top, left = round(EXAMPLE_PAD * EXAMPLE_HEIGHT), round(EXAMPLE_PAD * EXAMPLE_WIDTH)
    height, width = EXAMPLE_HEIGHT - 2 * top, EXAMPLE_WIDTH - 2 * left
    crops = np.empty((count, EXAMPLE_HEIGHT, EXAMPLE_WIDTH, 3), np.uint8)
    for k in range(count):
        if k % _TILES_A_BOX == 0:
            box = random_box(rng)
        light = (float(rng.normal(0, _LIGHT_SPREAD)), float(rng.normal(0, _LIGHT_SPREAD)))
        face, opacity = box.face(code or random_code(rng), height, rng, light)
        share = cv2.resize(opacity, (width, height), interpolation=cv2.INTER_AREA)[..., None] / 255
        crops[k] = rng.uniform(20, 230, 3)
        inner = crops[k, top : top + height, left : left + width]
        shown = cv2.resize(face, (width, height), interpolation=cv2.INTER_AREA)
        inner[:] = inner + (shown - inner.astype(np.float64)) * share
    return crops
