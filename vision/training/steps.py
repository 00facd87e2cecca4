"""One training step of each network: cheap extra augmentation of drawn records, then the loss."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from vision.facing import NINE, SIX
from vision.read import turned_corners, white_balanced
from vision.training.detector_targets import TileLabels, detector_loss, target_maps
from vision.training.samples import NO_COLOUR, SCENE_SIZE_PX

Floats = NDArray[np.float32]

HALF_PRECISION = torch.backends.cpu.get_cpu_capability() == "AVX512"
"""Processors without these instructions count in bfloat16 several times slower than in full precision."""
TURNABLE_WEIGHT = 5.0
"""A 6 or 9 turned round is another tile, so its facing counts for more than that of the others."""


def detector_step(net: nn.Module, records: NDArray[Any], rng: np.random.Generator) -> tuple[Tensor, dict[str, float]]:
    """Pictures turned by quarter turns, their colours moved; focal and distance losses."""
    pictures = np.empty((len(records), SCENE_SIZE_PX, SCENE_SIZE_PX, 3), np.uint8)
    targets = []
    for i, record in enumerate(records):
        quarter = int(rng.integers(4))
        count = int(record["count"])
        pictures[i] = np.rot90(record["image"], quarter)
        labels = TileLabels(
            quads=quarter_turned(record["quads"][:count], quarter, SCENE_SIZE_PX),
            visible=record["visible"][:count],
            is_back=record["is_back"][:count],
        )
        targets.append(target_maps(SCENE_SIZE_PX, labels))
    batch = torch.from_numpy(pictures).permute(0, 3, 1, 2).float()  # memory stays channels-last
    gains = torch.from_numpy(np.exp(rng.normal(0, 0.08, (len(records), 3, 1, 1))).astype(np.float32))
    shifts = torch.from_numpy(rng.normal(0, 8, (len(records), 1, 1, 1)).astype(np.float32))
    batch = (batch * gains + shifts).clamp_(0, 255)
    with torch.autocast("cpu", torch.bfloat16, enabled=HALF_PRECISION):
        raw = net(batch)
    return detector_loss(raw, torch.from_numpy(np.stack(targets)))


def quarter_turned(quads: Floats, quarters: int, size: int) -> Floats:
    """Quads of a square picture after ``np.rot90`` by so many quarter turns (anticlockwise); pixel centres whole."""
    result = quads.astype(np.float32)
    for _ in range(quarters):
        result = np.stack([result[..., 1], size - 1 - result[..., 0]], axis=-1)
    return result


def reader_step(net: nn.Module, records: NDArray[Any], rng: np.random.Generator) -> tuple[Tensor, dict[str, float]]:
    """Half of the crops turned by 180°, a little contrast and noise; a loss for each head where its label is known."""
    crops = records["crop"].copy()
    upside, corners = records["upside"].copy(), records["corners"].copy()
    turn = rng.random(len(records)) < 0.5
    crops[turn] = crops[turn][:, ::-1, ::-1]
    upside[turn] = 1 - upside[turn]
    corners[turn] = turned_corners(corners[turn])
    inputs = white_balanced(crops)
    inputs *= np.exp(rng.normal(0, 0.08, (len(records), 1, 1, 1))).astype(np.float32)
    inputs += rng.normal(0, 0.06, (len(records), 3, 1, 1)).astype(np.float32)
    batch = torch.from_numpy(inputs).contiguous(memory_format=torch.channels_last)
    with torch.autocast("cpu", torch.bfloat16, enabled=HALF_PRECISION):
        numbers, colours, upsides, moves = net(batch)
    number = torch.from_numpy(records["number"].copy())
    colour = torch.from_numpy(records["colour"].copy())
    upside_known = torch.from_numpy(records["upside_known"].astype(np.float32))
    corners_known = torch.from_numpy(records["corners_known"].astype(np.float32))
    number_loss = functional.cross_entropy(numbers.float(), number, label_smoothing=0.02)
    coloured = (colour != NO_COLOUR).sum().clamp(min=1)
    colour_loss = (
        functional.cross_entropy(colours.float(), colour, ignore_index=NO_COLOUR, label_smoothing=0.02, reduction="sum")
        / coloured
    )
    facing = functional.binary_cross_entropy_with_logits(
        upsides.float()[:, 0], torch.from_numpy(upside), reduction="none"
    )
    turnable = (number == SIX) | (number == NINE)
    weight = torch.where(turnable, TURNABLE_WEIGHT * upside_known, upside_known)
    upside_loss = (facing * weight).sum() / weight.sum().clamp(min=1)
    away = functional.smooth_l1_loss(moves.float(), torch.from_numpy(corners), reduction="none", beta=0.01).mean(dim=1)
    corner_loss = (away * corners_known).sum() / corners_known.sum().clamp(min=1)
    loss = number_loss + 0.6 * colour_loss + 0.45 * upside_loss + 8 * corner_loss
    right = (numbers.argmax(dim=1) == number).float().mean()
    colours_right = ((colours.argmax(dim=1) == colour) & (colour != NO_COLOUR)).sum() / coloured
    parts = {
        "number": number_loss,
        "colour": colour_loss,
        "upside": upside_loss,
        "corner": corner_loss,
        "right": right,
        "colours_right": colours_right,
    }
    return loss, {name: float(value.detach()) for name, value in parts.items()}
