"""The time-boxed training loop that both networks share: averaged weights, checkpoints, a line a minute."""

from __future__ import annotations

import copy
import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from vision.training.pool import SamplePool

CHECKPOINT_EVERY_S = 180.0
LOG_EVERY_S = 60.0
AVERAGING = 0.999
WARM_UP_SHARE = 0.04

Step = Callable[[nn.Module, NDArray[Any], np.random.Generator], tuple[Tensor, dict[str, float]]]
"""Loss of one batch of records, and its parts for the log."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """How long and how fast one network is trained."""

    name: str
    minutes: float
    seed: int
    batch: int
    peak_rate: float
    weight_decay: float
    first_samples: int


def learning_rate(recipe: Recipe, share: float) -> float:
    """One cycle over the time box: a short linear rise, then a cosine to 1 % of the peak. ``share`` in 0–1."""
    if share < WARM_UP_SHARE:
        return recipe.peak_rate * (0.1 + 0.9 * share / WARM_UP_SHARE)
    fall = min(1.0, (share - WARM_UP_SHARE) / (1 - WARM_UP_SHARE))
    return recipe.peak_rate * (0.01 + 0.99 * (1 + math.cos(math.pi * fall)) / 2)


def checkpoint_path(folder: Path, name: str) -> Path:
    """Where a network's training state lies."""
    return folder / f"{name}.pt"


def train(net: nn.Module, pool: SamplePool, step: Step, recipe: Recipe, folder: Path, resume: bool) -> None:
    """Train ``net`` for ``recipe.minutes`` (those before a resumed checkpoint count) and leave a checkpoint."""
    folder.mkdir(parents=True, exist_ok=True)
    path = checkpoint_path(folder, recipe.name)
    net = net.to(memory_format=torch.channels_last)
    averaged = copy.deepcopy(net)
    optimiser = torch.optim.AdamW(net.parameters(), lr=recipe.peak_rate, weight_decay=recipe.weight_decay)
    spent, steps = 0.0, 0
    if resume and path.exists():
        state = torch.load(path, weights_only=True)
        net.load_state_dict(state["net"])
        averaged.load_state_dict(state["averaged"])
        optimiser.load_state_dict(state["optimiser"])
        spent, steps = float(state["spent_s"]), int(state["steps"])
    rng = np.random.default_rng([recipe.seed, steps])
    pool.draw(1, rng, recipe.first_samples)
    net.train()
    budget = recipe.minutes * 60
    sums: dict[str, float] = {}
    since = 0
    logged = saved = last = time.monotonic()
    while spent < budget:
        rate = learning_rate(recipe, spent / budget)
        for group in optimiser.param_groups:
            group["lr"] = rate
        records = pool.draw(recipe.batch, rng, recipe.first_samples)
        loss, parts = step(net, records, rng)
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        optimiser.step()
        steps += 1
        average_in(averaged, net, min(AVERAGING, (1 + steps) / (10 + steps)))
        for name, value in parts.items():
            sums[name] = sums.get(name, 0.0) + value
        since += 1
        now = time.monotonic()
        spent += now - last
        last = now
        if now - logged >= LOG_EVERY_S or spent >= budget:
            shown = " ".join(f"{name} {value / since:.4f}" for name, value in sums.items())
            pace = (now - logged) / since * 1000
            print(
                f"{recipe.name} {spent / 60:.1f}/{recipe.minutes:g} min  step {steps}  {pace:.0f} ms/step  "
                f"rate {rate:.1e}  samples {pool.written}  {shown}",
                flush=True,
            )
            sums, since, logged = {}, 0, now
        if now - saved >= CHECKPOINT_EVERY_S or spent >= budget:
            save_atomically(
                {
                    "net": net.state_dict(),
                    "averaged": averaged.state_dict(),
                    "optimiser": optimiser.state_dict(),
                    "spent_s": spent,
                    "steps": steps,
                    "seed": recipe.seed,
                },
                path,
            )
            saved = now


def average_in(averaged: nn.Module, net: nn.Module, keep: float) -> None:
    """Move the averaged weights and statistics a little towards the current ones, in place."""
    with torch.no_grad():
        current = net.state_dict()
        for name, value in averaged.state_dict().items():
            if value.dtype.is_floating_point:
                value.lerp_(current[name], 1 - keep)
            else:
                value.copy_(current[name])


def save_atomically(state: dict[str, Any], path: Path) -> None:
    """Write a checkpoint so that a crash leaves the old one whole."""
    partial = path.with_suffix(".part")
    torch.save(state, partial)
    partial.replace(path)
