"""A box without print, a table without light, and the exact shape of a quad: what the renderer's tests measure with."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.render.camera import Camera, look_at_table
from vision.render.compose import Lighting, Placed, RenderedScene, compose
from vision.render.faces import Box
from vision.render.palettes import Bgr

Image = NDArray[np.uint8]
Floats = NDArray[np.float64]

EVEN_LIGHT = Lighting(towards=(0.0, 0.0), shadow=0.0, contrast=0.0)
BLACK: Bgr = (0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class PlainBox:
    """Green faces with square corners and black walls; the numeral is said to stand in the upper half."""

    aspect: float = 0.7
    thickness: float = 0.2
    side: Bgr = BLACK

    def face(
        self, code: str, height_px: int, rng: np.random.Generator, light: tuple[float, float] = (0.0, 0.0)
    ) -> tuple[Image, Image]:
        del code, rng, light
        size = (height_px, round(height_px * self.aspect))
        return np.full((*size, 3), (0, 200, 0), np.uint8), np.full(size, 255, np.uint8)

    def numeral_area(self, code: str) -> tuple[float, float, float, float]:
        del code
        return 0.25, 0.1, 0.75, 0.5


def black_table(rng: np.random.Generator, side: int) -> Image:
    """A surface that shows nothing."""
    del rng
    return np.zeros((side, side, 3), np.uint8)


def camera_over(
    size: int, tile_px: float, tilt_deg: float = 0.0, roll_deg: float = 0.0, shift_px: tuple[float, float] = (0.0, 0.0)
) -> Camera:
    """A camera over a square picture of ``size`` pixels."""
    return look_at_table(size, size, tile_px, tilt_deg, roll_deg, 40.0, shift_px)


def drawn(
    placed: list[Placed],
    camera: Camera,
    size: int = 240,
    box: Box | None = None,
    lighting: Lighting = EVEN_LIGHT,
    hands: tuple[tuple[float, float], ...] = (),
    seed: int = 1,
) -> RenderedScene:
    """The tiles on a black table, in a square picture."""
    rng = np.random.default_rng(seed)
    nothing = black_table(rng, 8)
    return compose(rng, (size, size), camera, box or PlainBox(), placed, nothing, 8.0, lighting, hands=hands)


def coverage(quad: NDArray[np.floating], height: int, width: int) -> Floats:
    """How much of each pixel (height, width) a convex quad (4, 2) covers, 0 to 1, from 5 × 5 points in it."""
    steps = (np.arange(5) + 0.5) / 5 - 0.5
    x = (np.arange(width)[:, None] + steps).ravel()[None, :]
    y = (np.arange(height)[:, None] + steps).ravel()[:, None]
    inside = np.ones((y.size, x.size), np.bool_)
    for (ax, ay), (bx, by) in zip(quad, np.roll(quad, -1, axis=0), strict=True):
        inside &= (bx - ax) * (y - ay) - (by - ay) * (x - ax) >= 0
    return np.asarray(inside.reshape(height, 5, width, 5).mean(axis=(1, 3)), np.float64)


def perimeter(quad: NDArray[np.floating]) -> float:
    """Length of a quad's four sides."""
    return float(np.linalg.norm(np.roll(quad, -1, axis=0) - quad, axis=1).sum())
