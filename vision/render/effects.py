"""What light, lens and sensor do to a picture. All take and return uint8 BGR unless said otherwise."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

Image = npt.NDArray[np.uint8]
Field = npt.NDArray[np.float32]


def light_field(rng: np.random.Generator, height: int, width: int, contrast: float) -> Field:
    """Smooth brightness factors (h, w) around 1: a lamp's gradient and its pool of light."""
    xs = np.linspace(-1, 1, width, dtype=np.float32)[None, :]
    ys = np.linspace(-1, 1, height, dtype=np.float32)[:, None]
    angle = rng.uniform(0, 2 * np.pi)
    ramp = np.cos(angle) * xs + np.sin(angle) * ys
    centre_x, centre_y = rng.uniform(-0.8, 0.8, 2)
    pool = np.exp(-((xs - centre_x) ** 2 + (ys - centre_y) ** 2) / rng.uniform(0.5, 2.5))
    return np.asarray(1 + contrast * (0.5 * ramp + rng.uniform(-0.2, 0.8) * (pool - 0.5)), np.float32)


def soft_blob(rng: np.random.Generator, height: int, width: int, size_px: float, softness_px: float) -> Field:
    """One random soft shape (h, w), 0 to 1: a shadow or a highlight."""
    points = int(rng.integers(4, 9))
    angles = np.sort(rng.uniform(0, 2 * np.pi, points))
    radii = size_px * rng.uniform(0.4, 1.0, points)
    centre = np.array([rng.uniform(0, width), rng.uniform(0, height)])
    corners = centre + np.stack([radii * np.cos(angles), radii * np.sin(angles)], 1)
    # Drawn at a quarter of the size: it is blurred anyway.
    small = np.zeros((max(2, height // 4), max(2, width // 4)), np.float32)
    cv2.fillPoly(small, [np.round(corners / 4).astype(np.int32)], 1.0)
    soft = cv2.GaussianBlur(small, (0, 0), max(0.6, softness_px / 4))
    return np.asarray(cv2.resize(soft, (width, height), interpolation=cv2.INTER_LINEAR), np.float32)


def motion_blur(image: Image, length_px: float, angle_deg: float) -> Image:
    """Blur along a straight line."""
    size = int(np.ceil(length_px)) | 1
    kernel = np.zeros((size, size), np.float32)
    half = length_px / 2
    offset = np.array([np.cos(np.radians(angle_deg)), np.sin(np.radians(angle_deg))]) * half
    centre = (size - 1) / 2
    start, end = np.round((centre - offset) * 16).astype(int), np.round((centre + offset) * 16).astype(int)
    cv2.line(kernel, (int(start[0]), int(start[1])), (int(end[0]), int(end[1])), 1.0, 1, cv2.LINE_AA, 4)
    return np.asarray(cv2.filter2D(image, -1, kernel / max(kernel.sum(), 1e-6)), np.uint8)


def sensor_noise(image: Image, rng: np.random.Generator, sigma: float, coarse: bool) -> Image:
    """Gaussian noise; coarse noise is correlated over a few pixels, as after a phone's denoising."""
    height, width = image.shape[:2]
    if coarse:
        small = rng.standard_normal(((height + 1) // 2, (width + 1) // 2, 3), dtype=np.float32)
        grain = np.asarray(cv2.resize(small, (width, height), interpolation=cv2.INTER_LINEAR), np.float32)
    else:
        grain = rng.standard_normal((height, width, 3), dtype=np.float32)
    return np.clip(image + sigma * grain, 0, 255).astype(np.uint8)


def jpeg(image: Image, quality: int) -> Image:
    """The picture after one JPEG round trip."""
    done, data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, quality])
    if not done:
        raise ValueError("the picture cannot be encoded as JPEG")
    return np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8)


def sharpen(image: Image, amount: float) -> Image:
    """Unsharp mask with the halo that phones leave."""
    return np.asarray(cv2.addWeighted(image, 1 + amount, cv2.GaussianBlur(image, (0, 0), 1.2), -amount, 0), np.uint8)


def camera_look(image: Image, rng: np.random.Generator, tile_px: float, strength: float = 1.0) -> Image:
    """A random chain of defocus, motion, noise, sharpening, gamma and JPEG; blur is scaled to the tile's height."""
    if rng.random() < 0.55 * strength:
        image = np.asarray(
            cv2.GaussianBlur(image, (0, 0), max(0.3, rng.uniform(0.004, 0.034) * tile_px * strength)), np.uint8
        )
    if rng.random() < 0.10 * strength:
        image = motion_blur(image, max(1.5, rng.uniform(0.03, 0.13) * tile_px * strength), rng.uniform(0, 180))
    if rng.random() < 0.35:
        gamma = rng.uniform(0.75, 1.35)
        table = np.clip(255 * (np.arange(256) / 255.0) ** gamma, 0, 255).astype(np.uint8)
        image = np.asarray(cv2.LUT(image, table), np.uint8)
    if rng.random() < 0.6:
        image = sensor_noise(image, rng, rng.uniform(0.5, 9.0) * strength, bool(rng.random() < 0.5))
    if rng.random() < 0.3:
        image = sharpen(image, rng.uniform(0.2, 1.0))
    if rng.random() < 0.6:
        image = jpeg(image, int(rng.integers(30, 95)))
    return image


def poor_camera(image: Image, rng: np.random.Generator, tile_px: float) -> Image:
    """What the cheapest camera, the dimmest room or an unsteady hand adds: one or two strong faults."""
    kind = rng.random()
    if kind < 0.35:
        image = sensor_noise(image, rng, rng.uniform(8.0, 18.0), bool(rng.random() < 0.7))
    elif kind < 0.6:
        image = motion_blur(image, max(1.5, rng.uniform(0.07, 0.14) * tile_px), rng.uniform(0, 180))
    elif kind < 0.75:
        image = np.asarray(cv2.GaussianBlur(image, (0, 0), max(0.5, rng.uniform(0.03, 0.05) * tile_px)), np.uint8)
    return jpeg(image, int(rng.integers(22, 45))) if kind > 0.55 or rng.random() < 0.4 else image


def colour_cast(rng: np.random.Generator, strength: float) -> Field:
    """Gains (3,) for B, G, R of a tinted lamp: mostly warm to cool, a little green to magenta."""
    warm = rng.uniform(-1, 1) * strength
    tint = rng.uniform(-0.35, 0.35) * strength
    return np.array([1 - warm, 1 + tint, 1 + warm], np.float32)
