"""What the eyes' confidence promises and what comes true: figures, a reliability diagram, and risk against coverage.

Measured on the photos of ``valid`` at their own and at half size, on views of the photos that no network saw through
the worst of cameras, and on renders in fonts, palettes and surfaces that training never sees, taken as badly.  Nothing
is fitted here.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path

import numpy as np
from PIL.Image import Image

from vision.assemble import Calibration
from vision.detect import Detector
from vision.model_store import load_model, read_manifest
from vision.read import Reader
from vision.training.calibrate import (
    CONFIDENCE_EDGES,
    SILENT_SHARE,
    Outcome,
    Outcomes,
    Picture,
    degraded,
    gather,
    hard_render,
    outcomes,
    photo_picture,
    reliability,
    resized,
)
from vision.training.photo_data import calibration_names, photos_folder, train_names
from vision.training.plots import Axis, Curve, Panel, draw_panels, linear, log_odds, logarithmic

RELIABILITY_PNG, RISK_PNG = "reliability.png", "risk_coverage.png"
SEED = 77
"""Other pictures than those that the calibration fitted."""
VIEWS_OF_A_PHOTO = 3
HARD_RENDERS = 40
LEAST_IN_A_BIN = 10
"""Bins of fewer tiles say nothing and are not drawn."""
TITLES = {"number": "number", "colour": "colour", "facing": "which way up", "tile": "the whole tile"}

PROBABILITIES = (
    (0.3, "0.3"),
    (0.5, "0.5"),
    (0.8, "0.8"),
    (0.95, "0.95"),
    (0.99, "0.99"),
    (0.999, "0.999"),
    (0.9998, "1"),
)
CLAIMED = Axis("confidence claimed", PROBABILITIES, log_odds(0.2, 0.9998))
CAME_TRUE = Axis("share that came true", PROBABILITIES, log_odds(0.2, 0.9998))
LEAST_RISK, MOST_RISK = 0.1, 300.0
COVERAGE = Axis(
    "coverage: share read without doubt",
    tuple((k / 10, f"{10 * k} %") for k in range(11) if k % 2 == 0), linear(0, 1),
)  # fmt: skip
RISK = Axis(
    "silent errors per 1000",
    ((LEAST_RISK, "0"), (1, "1"), (10, "10"), (100, "100")), logarithmic(LEAST_RISK, MOST_RISK),
)  # fmt: skip


def report_reliability(models: Path, pictures_to: Path) -> Iterator[str]:
    """Yields the figures as text and writes both pictures into ``pictures_to``."""
    calibration, measured = Calibration.of(read_manifest(models).reading), {}
    for name, outcome in measure(models, calibration):
        measured[name] = outcome
        flagged = float((outcome.tile.claimed < calibration.doubtful_below).mean()) if len(outcome.tile.true) else 0.0
        silent = silent_per_1000(outcome.tile, calibration.doubtful_below)
        yield f"{name}: {len(outcome.tile.true)} faces, {flagged:.2%} flagged, {silent:.2f} silent per 1000"
        for part, title in TITLES.items():
            yield f"  {title}: confidence, tiles, mean confidence, share right"
            yield from reliability(getattr(outcome, part))
    pictures_to.mkdir(parents=True, exist_ok=True)
    reliability_picture(measured).save(pictures_to / RELIABILITY_PNG, optimize=True)
    risk_picture(measured, calibration.doubtful_below).save(pictures_to / RISK_PNG, optimize=True)
    yield f"drawn: {pictures_to / RELIABILITY_PNG}, {pictures_to / RISK_PNG}"


def measure(models: Path, calibration: Calibration) -> Iterator[tuple[str, Outcomes]]:
    """Name and outcomes of each source of pictures that is at hand."""
    manifest = read_manifest(models)
    detector = Detector(load_model("detector", manifest, models))
    reader = Reader(load_model("reader", manifest, models))
    for name, source in sources(photos_folder()).items():
        yield name, outcomes(gather(detector, reader, source), calibration)


def sources(photos: Path) -> Mapping[str, Iterator[Picture]]:
    """The pictures by what they are; only renders where there are no photos."""
    renders = (hard_render(np.random.default_rng([SEED, k])) for k in range(HARD_RENDERS))
    if not (photos / "split.json").exists():
        return {"hard renders": renders}
    names = json.loads((photos / "split.json").read_text(encoding="utf-8"))["valid"]
    return {
        "photos of valid": (resized(photo_picture(photos, name), factor) for name in names for factor in (1.0, 0.5)),
        "degraded photos": (
            degraded(np.random.default_rng([SEED, k, view]), photo_picture(photos, name), poor=True)
            for k, name in enumerate(calibration_names(train_names(photos)))
            for view in range(VIEWS_OF_A_PHOTO)
        ),
        "hard renders": renders,
    }


def reliability_picture(measured: Mapping[str, Outcomes]) -> Image:
    """Claimed confidence against the share that came true, one panel for each part of a reading."""
    panels = [
        Panel(
            title, CLAIMED, CAME_TRUE,
            tuple(_reliability_curve(name, getattr(outcome, part)) for name, outcome in measured.items()),
            guide=((0.2, 0.2), (0.9998, 0.9998)),
        )
        for part, title in TITLES.items()
    ]  # fmt: skip
    return draw_panels("What is claimed, and what comes true", panels)


def _reliability_curve(name: str, outcome: Outcome) -> Curve:
    points, weights = [], []
    for low, high in pairwise(CONFIDENCE_EDGES):
        inside = (outcome.claimed >= low) & (outcome.claimed < high)
        if inside.sum() >= LEAST_IN_A_BIN:
            points.append((float(outcome.claimed[inside].mean()), float(outcome.true[inside].mean())))
            weights.append(2 + 1.1 * float(np.log10(inside.sum())))
    return Curve(name, tuple(points), tuple(weights))


def risk_picture(measured: Mapping[str, Outcomes], threshold: float) -> Image:
    """Silent errors against coverage as the threshold of doubt moves; the chosen one is ringed on the whole tile."""
    panels = []
    for part, title in TITLES.items():
        curves = []
        for name, outcome in measured.items():
            one: Outcome = getattr(outcome, part)
            chosen = (
                (float((one.claimed >= threshold).mean()), silent_per_1000(one, threshold)) if len(one.true) else None
            )
            marked = (chosen, "") if part == "tile" and chosen else None
            curves.append(Curve(name, risk_curve(one), marked=marked))
        guide = ((0.0, 1000 * SILENT_SHARE), (1.0, 1000 * SILENT_SHARE))
        words = f"{title} (ringed: doubt below {threshold:g})" if part == "tile" else title
        panels.append(Panel(words, COVERAGE, RISK, tuple(curves), guide=guide))
    return draw_panels("Risk against coverage, as the threshold of doubt moves", panels)


def risk_curve(outcome: Outcome) -> tuple[tuple[float, float], ...]:
    """Coverage and silent errors per 1000 for every threshold of doubt, from the strictest on."""
    if not len(outcome.true):
        return ()
    order = np.argsort(-outcome.claimed, kind="stable")
    claimed, wrong = outcome.claimed[order], np.cumsum(~outcome.true[order])
    ends = np.flatnonzero(np.append(np.diff(claimed) != 0, True))  # equal claims fall together
    count = len(claimed)
    return tuple((float(k + 1) / count, 1000 * float(wrong[k]) / count) for k in ends)


def silent_per_1000(outcome: Outcome, threshold: float) -> float:
    """Wrong and not doubted, in 1000 of all."""
    return 1000 * float(((outcome.claimed >= threshold) & ~outcome.true).mean()) if len(outcome.true) else 0.0
