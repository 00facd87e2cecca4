"""A table as a camera films it: a still with noise, and everything that can go wrong with a camera laid over it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frames import Frame

Image = NDArray[np.uint8]
Effect = Callable[[Image, float], Image]
"""Does something to a picture uint8 (H, W, 3) BGR at a time in seconds."""
SAMPLES = Path(__file__).parents[2] / "sample_images" / "photos"
_FIELDS = 6


@lru_cache(maxsize=4)
def still(name: str, width: int = 960) -> Image:
    """A sample picture, so wide."""
    image = cv2.imread(str(SAMPLES / f"{name}.jpg"))
    assert image is not None
    scale = width / image.shape[1]
    return np.asarray(cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), np.uint8)


@lru_cache(maxsize=4)
def _noise_fields(height: int, width: int, sigma: float) -> NDArray[np.int16]:
    rng = np.random.default_rng(7)
    return np.asarray(rng.normal(0, sigma, (_FIELDS, height, width, 3)).round(), np.int16)


def as_it_is(image: Image, _t: float) -> Image:
    """Nothing happens."""
    return image


@dataclass
class Filmed:
    """Frames of a table at ``rate`` a second; after each ``run`` time has gone on."""

    image: Image
    rate: float = 15.0
    sigma: float = 2.0
    t: float = 1000.0
    number: int = 0
    rng: np.random.Generator = field(default_factory=lambda: np.random.default_rng(3))

    def run(self, seconds: float, effect: Effect = as_it_is, noisy: bool = True) -> Iterator[Frame]:
        """The frames of so many seconds under an effect, which sees the time since the run began."""
        for k in range(round(seconds * self.rate)):
            picture = effect(self.image, k / self.rate)
            self.t += 1 / self.rate
            self.number += 1
            yield Frame(self._noisy(picture) if noisy else picture, self.t, self.number)

    def _noisy(self, picture: Image) -> Image:
        fields = _noise_fields(*picture.shape[:2], self.sigma)
        noise = fields[self.rng.integers(_FIELDS)]
        noise = np.roll(noise, tuple(self.rng.integers(0, 97, 2)), axis=(0, 1))
        return np.asarray(np.clip(picture.astype(np.int16) + noise, 0, 255), np.uint8)


def shifted(image: Image, across: float, down: float, turn_deg: float = 0.0, grown: float = 1.0) -> Image:
    """The picture after a nudge of the camera: it sees a little more on one side."""
    height, width = image.shape[:2]
    move = cv2.getRotationMatrix2D((width / 2, height / 2), turn_deg, grown)
    move[:, 2] += np.array([across, down])
    return np.asarray(cv2.warpAffine(image, move, (width, height), borderMode=cv2.BORDER_REFLECT_101), np.uint8)


def hand_passes(image: Image, t: float) -> Image:
    """A hand with a sleeve comes from below, moves about and stays a while."""
    height, width = image.shape[:2]
    x = width * (0.35 + 0.3 * np.sin(1.3 * t))
    y = height * (1.0 - 0.55 * min(1.0, t))
    picture = image.copy()
    elbow, wrist = (int(x + 0.18 * width), int(height * 1.2)), (int(x + 0.06 * width), int(y + 0.15 * height))
    cv2.line(picture, elbow, wrist, (150, 70, 40), round(0.13 * width), cv2.LINE_AA)
    cv2.circle(picture, (int(x + 0.05 * width), int(y + 0.1 * height)), round(0.055 * width), (140, 170, 215), -1)
    for k in range(4):
        tip = int(x + (k - 1.5) * 0.03 * width), int(y)
        cv2.line(picture, tip, (int(x + 0.05 * width), int(y + 0.1 * height)), (135, 165, 210), round(0.022 * width))
    small, coarse = 8, (width // 8, height // 8)
    shade = np.full(coarse[::-1], 255, np.uint8)
    away = round(0.05 * width)
    ends = [((px + away) // small, (py + away) // small) for px, py in (elbow, wrist)]
    cv2.line(shade, ends[0], ends[1], (180,), round(0.15 * width / small))
    shade = np.asarray(cv2.GaussianBlur(shade, (0, 0), 0.03 * width / small), np.uint8)
    soft = np.asarray(cv2.resize(shade, (width, height)), np.uint16)
    return np.asarray(picture * soft[..., None] // 255, np.uint8)
