"""What the detector's maps should be for a picture with known tiles, and how far they are from it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from vision.detect import (
    HALF_AXIS_UNIT_PX,
    HEAT,
    LOG_RIGHT,
    LOG_UP,
    OFFSET,
    OUTPUT_CHANNELS,
    RIGHT_AXIS,
    STRIDE,
    UP_AXIS,
    UP_VECTOR,
)

Floats = NDArray[np.float32]

MIN_HEIGHT_PX, MAX_HEIGHT_PX = 12.0, 74.0
"""Tiles of these heights must be found ..."""
HUGE_HEIGHT_PX = 90.0
"""... above this they must not (another look at another scale finds them); in between, either is right."""
SEEN_ENOUGH = 0.25
HEAT_SPREAD = 0.27
"""Standard deviation of the heat hill, in half-axes."""

WEIGHT = OUTPUT_CHANNELS
UP_WEIGHT = OUTPUT_CHANNELS + 1
HEAT_WEIGHT = OUTPUT_CHANNELS + 2
TARGET_CHANNELS = OUTPUT_CHANNELS + 3


@dataclass(frozen=True, slots=True)
class TileLabels:
    """Tiles of one picture: ``quads`` (N, 4, 2) px, ``visible`` (N,), ``is_back`` (N,) bool."""

    quads: Floats
    visible: Floats
    is_back: NDArray[np.bool_]


def target_maps(size: int, labels: TileLabels) -> Floats:
    """Targets (TARGET_CHANNELS, size/4, size/4): the output channels, then the weights of geometry, up vector, heat."""
    cells = size // STRIDE
    maps = np.zeros((TARGET_CHANNELS, cells, cells), np.float32)
    maps[HEAT_WEIGHT] = 1
    if not len(labels.quads):
        return maps
    quads = labels.quads.astype(np.float64)
    up = ((quads[:, 0] - quads[:, 3]) + (quads[:, 1] - quads[:, 2])) / 4
    right = ((quads[:, 1] - quads[:, 0]) + (quads[:, 2] - quads[:, 3])) / 4
    middle = quads.mean(axis=1)
    up_length, right_length = np.linalg.norm(up, axis=1), np.linalg.norm(right, axis=1)
    area = right[:, 0] * up[:, 1] - right[:, 1] * up[:, 0]
    heights = 2 * up_length
    axis = (np.arange(cells) * STRIDE + (STRIDE - 1) / 2).astype(np.float32)
    gx, gy = axis[None, None, :], axis[None, :, None]
    safe = np.where(np.abs(area) < 1e-6, -1e-6, area)
    dx, dy = gx - middle[:, 0, None, None].astype(np.float32), gy - middle[:, 1, None, None].astype(np.float32)
    u = (dx * (up[:, 1] / safe)[:, None, None] - dy * (up[:, 0] / safe)[:, None, None]).astype(np.float32)
    v = (dy * (right[:, 0] / safe)[:, None, None] - dx * (right[:, 1] / safe)[:, None, None]).astype(np.float32)
    found = (
        (labels.visible >= SEEN_ENOUGH)
        & (heights >= MIN_HEIGHT_PX)
        & (heights <= MAX_HEIGHT_PX)
        & (area < 0)
        & (right_length > 4)
        & (np.abs(area) > 0.2 * up_length * right_length)
    )
    far = 2 * np.maximum(up_length, right_length) > HUGE_HEIGHT_PX
    hills = np.exp(-(u * u + v * v) / np.float32(2 * HEAT_SPREAD**2))
    inside = np.maximum(np.abs(u), np.abs(v)) < 0.75
    open_question = ~found & ~(far & (labels.visible >= SEEN_ENOUGH))
    if open_question.any():
        maps[HEAT_WEIGHT][inside[open_question].any(axis=0)] = 0
    nearest = np.full((cells, cells), np.inf, np.float32)
    for i in np.flatnonzero(found):
        cx, cy = (middle[i] - (STRIDE - 1) / 2) / STRIDE
        column, row = round(float(cx)), round(float(cy))
        np.maximum(maps[HEAT], hills[i], out=maps[HEAT])
        if not (0 <= row < cells and 0 <= column < cells):
            continue
        maps[HEAT][row, column] = 1
        maps[HEAT_WEIGHT][row, column] = 1
        up_direction, right_direction = up[i] / up_length[i], right[i] / right_length[i]
        for r in range(max(row - 1, 0), min(row + 2, cells)):
            for c in range(max(column - 1, 0), min(column + 2, cells)):
                distance = (r - cy) ** 2 + (c - cx) ** 2
                if distance >= nearest[r, c]:
                    continue
                nearest[r, c] = distance
                cell = maps[:, r, c]
                cell[OFFSET : OFFSET + 2] = cx - c, cy - r
                cell[LOG_UP] = np.log(up_length[i] / HALF_AXIS_UNIT_PX)
                cell[LOG_RIGHT] = np.log(right_length[i] / HALF_AXIS_UNIT_PX)
                cell[UP_AXIS : UP_AXIS + 2] = double_angle(up_direction)
                cell[RIGHT_AXIS : RIGHT_AXIS + 2] = double_angle(right_direction)
                cell[UP_VECTOR : UP_VECTOR + 2] = up_direction
                cell[WEIGHT] = 1
                cell[UP_WEIGHT] = 0 if labels.is_back[i] else 1
    return maps


def double_angle(direction: NDArray[np.float64]) -> tuple[float, float]:
    """(cos 2a, sin 2a) of a unit vector with angle a."""
    x, y = direction
    return float(x * x - y * y), float(2 * x * y)


def detector_loss(raw: Tensor, target: Tensor) -> tuple[Tensor, dict[str, float]]:
    """Total loss of raw maps (B, OUTPUT_CHANNELS, h, w) against targets, and its parts for the log."""
    raw = raw.float()
    heat = target[:, HEAT]
    logit = raw[:, HEAT]
    p = torch.sigmoid(logit).clamp(1e-4, 1 - 1e-4)
    peak = (heat >= 0.999).float()
    count = peak.sum().clamp(min=1)
    hit = -peak * (1 - p) ** 2 * torch.log(p)
    miss = -(1 - peak) * (1 - heat) ** 4 * p**2 * torch.log(1 - p)
    heat_loss = ((hit + miss) * target[:, HEAT_WEIGHT]).sum() / count
    weight = target[:, WEIGHT]
    total = weight.sum().clamp(min=1)

    def distance(first: int, channels: int, mask: Tensor) -> Tensor:
        part = slice(first, first + channels)
        difference = functional.smooth_l1_loss(raw[:, part], target[:, part], reduction="none", beta=0.05)
        return (difference.sum(dim=1) * mask).sum() / total

    offset = distance(OFFSET, 2, weight)
    size = distance(LOG_UP, 2, weight)
    axes = distance(UP_AXIS, 4, weight)
    up = distance(UP_VECTOR, 2, target[:, UP_WEIGHT])
    loss = heat_loss + offset + 2 * size + axes + 0.5 * up
    parts = {"heat": heat_loss, "offset": offset, "size": size, "axes": axes, "up": up}
    return loss, {name: float(value.detach()) for name, value in parts.items()}
