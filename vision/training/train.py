"""The two recipes: which network learns from which samples, how fast and how long."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from vision.read import white_balanced
from vision.training.detector_net import DetectorNet
from vision.training.loop import Recipe, checkpoint_path, train
from vision.training.pool import SamplePool
from vision.training.reader_net import ReaderNet
from vision.training.samples import DETECTOR_SAMPLE, READER_SAMPLE, detector_samples, reader_samples
from vision.training.steps import detector_step, reader_step
from vision.training.warm_start import start_from_release

DETECTOR_POOL, READER_POOL = 4_000, 60_000
MOST_USES, LEAST_USES = 4.0, 1.5
WARM_RATE = 0.35
"""Weights that are good already are changed more gently: this share of the recipe's rate."""
TYPICAL_DETECTOR, TYPICAL_READER = 64, 768
"""Samples on which the statistics of released weights are measured."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How one network is trained."""

    output: Path
    minutes: float
    seed: int = 1
    resume: bool = False
    """Go on from the checkpoint in ``output``, if there is one."""
    generators: int = 1
    release: Path | None = None
    """A folder of released networks to start from; None: from scratch."""
    without: str = ""
    """A group of photos that is kept out, to be tested on."""

    def resumed(self, name: str) -> Path | None:
        """The checkpoint from which a network's training goes on."""
        return checkpoint_path(self.output, name) if self.resume else None


def generator_seeds(resumed: Path | None, seed: int, generators: int) -> list[int]:
    """A seed for each generator process; a resumed training goes on with samples it has not seen."""
    steps = int(torch.load(resumed, weights_only=True)["steps"]) if resumed and resumed.exists() else 0
    return [1_000_000 * seed + 100 * steps + i for i in range(generators)]


def train_detector(plan: Plan) -> None:
    """Train the detector for a time box; leaves ``detector.pt`` in the plan's output."""
    torch.set_num_threads(1)
    torch.manual_seed(plan.seed)
    rate = 3e-3 * (WARM_RATE if plan.release else 1.0)
    recipe = Recipe("detector", plan.minutes, plan.seed, batch=16, peak_rate=rate, weight_decay=0.02, first_samples=400)
    pool = SamplePool(DETECTOR_SAMPLE, DETECTOR_POOL, MOST_USES, LEAST_USES)
    try:
        source = partial(detector_samples, without=plan.without)
        pool.start(source, generator_seeds(plan.resumed("detector"), plan.seed, plan.generators))
        net = DetectorNet()
        if plan.release:
            start_from_release(net, "detector", plan.release, _typical_pictures(pool, recipe))
        train(net, pool, detector_step, recipe, plan.output, plan.resume)
    finally:
        pool.close()


def train_reader(plan: Plan) -> None:
    """Train the reader for a time box; leaves ``reader.pt`` in the plan's output."""
    torch.set_num_threads(1)
    torch.manual_seed(plan.seed)
    rate = 2.5e-3 * (WARM_RATE if plan.release else 1.0)
    recipe = Recipe("reader", plan.minutes, plan.seed, batch=96, peak_rate=rate, weight_decay=0.03, first_samples=4_000)
    pool = SamplePool(READER_SAMPLE, READER_POOL, MOST_USES, LEAST_USES)
    try:
        source = partial(reader_samples, without=plan.without)
        pool.start(source, generator_seeds(plan.resumed("reader"), plan.seed + 500, plan.generators))
        net = ReaderNet()
        if plan.release:
            start_from_release(net, "reader", plan.release, _typical_crops(pool, recipe))
        train(net, pool, reader_step, recipe, plan.output, plan.resume)
    finally:
        pool.close()


def _typical_pictures(pool: SamplePool, recipe: Recipe) -> Tensor:
    drawn = pool.draw(TYPICAL_DETECTOR, np.random.default_rng(recipe.seed), recipe.first_samples)
    return torch.from_numpy(drawn["image"].copy()).permute(0, 3, 1, 2).float()


def _typical_crops(pool: SamplePool, recipe: Recipe) -> Tensor:
    drawn = pool.draw(TYPICAL_READER, np.random.default_rng(recipe.seed), recipe.first_samples)
    return torch.from_numpy(white_balanced(drawn["crop"].copy()))
