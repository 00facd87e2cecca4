"""Train, export and measure the networks.

    python -m vision.training detector|reader [--minutes M] [--seed S] [--resume]
    python -m vision.training all [--minutes M]      both at once, then export
    … [--from-release]                               start from the released weights in models/, not from scratch
    python -m vision.training export                 checkpoints to models/*.onnx and models/manifest.toml
    python -m vision.training calibrate              temperatures and the threshold of doubt into the manifest
    python -m vision.training evaluate               figures on the held-out calibration fold

Checkpoints go to training_output/ and training goes on from them with --resume.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import click

OUTPUT = Path("training_output")
DETECTOR_MINUTES, READER_MINUTES = 95.0, 95.0
# large blocks go back to the system and come again at every step otherwise: a third of the time
ALLOCATOR = {"MALLOC_MMAP_MAX_": "0", "MALLOC_TRIM_THRESHOLD_": "100000000000", "OMP_NUM_THREADS": "1"}


def with_allocator_settings() -> None:
    """Start this program again with the allocator settings, which are read once at its start."""
    if any(os.environ.get(name) != value for name, value in ALLOCATOR.items()):
        os.execve(sys.executable, [sys.executable, "-m", "vision.training", *sys.argv[1:]], os.environ | ALLOCATOR)


minutes_option = click.option("--minutes", type=click.FloatRange(min=0), help="Time box; the schedule follows it.")
seed_option = click.option("--seed", type=int, default=1, show_default=True)
resume_option = click.option("--resume", is_flag=True, help="Go on from the last checkpoint.")
release_option = click.option("--from-release", is_flag=True, help="Start from the released weights, more gently.")
RELEASE = Path("models")
generators_option = click.option("--generators", type=click.IntRange(min=1), default=1, show_default=True)


@click.group()
def main() -> None:
    """Train, export and measure the tile detector and the tile reader."""


@main.command()
@minutes_option
@seed_option
@resume_option
@release_option
@generators_option
def detector(minutes: float | None, seed: int, resume: bool, from_release: bool, generators: int) -> None:
    """Train the detector."""
    with_allocator_settings()
    from vision.training.train import train_detector

    release = RELEASE if from_release else None
    train_detector(OUTPUT, DETECTOR_MINUTES if minutes is None else minutes, seed, resume, generators, release)


@main.command()
@minutes_option
@seed_option
@resume_option
@release_option
@generators_option
def reader(minutes: float | None, seed: int, resume: bool, from_release: bool, generators: int) -> None:
    """Train the reader."""
    with_allocator_settings()
    from vision.training.train import train_reader

    release = RELEASE if from_release else None
    train_reader(OUTPUT, READER_MINUTES if minutes is None else minutes, seed, resume, generators, release)


@main.command()
@click.option("--models", type=click.Path(path_type=Path), default=Path("models"), show_default=True)
def export(models: Path) -> None:
    """Write the averaged weights as ONNX, with the manifest."""
    from vision.training.export import export_models

    for line in export_models(OUTPUT, models):
        click.echo(line)


@main.command()
@click.option("--models", type=click.Path(path_type=Path), default=Path("models"), show_default=True)
def evaluate(models: Path) -> None:
    """Measure the exported networks on the calibration fold of the shared photos."""
    from vision.training.evaluate import evaluate_photos

    for line in evaluate_photos(models):
        click.echo(line)


@main.command()
@click.option("--models", type=click.Path(path_type=Path), default=Path("models"), show_default=True)
@click.option("--seed", type=int, default=1, show_default=True)
def calibrate(models: Path, seed: int) -> None:
    """Fit temperatures, presence and the threshold of doubt; write them into the manifest."""
    from vision.training.calibrate import calibrate as fit_calibration

    for line in fit_calibration(models, seed):
        click.echo(line)


@main.command()
@click.option("--models", type=click.Path(path_type=Path), default=Path("models"), show_default=True)
def reliability(models: Path) -> None:
    """Print what the confidence promises and what comes true on the photos of ``valid`` (fits nothing)."""
    from vision.training.calibrate import report_reliability

    for line in report_reliability(models):
        click.echo(line)


@main.command(name="all")
@click.option("--minutes", type=click.FloatRange(min=0), help="Time box of the detector; the reader has 3/4 of it.")
@seed_option
@resume_option
@release_option
@click.pass_context
def everything(context: click.Context, minutes: float | None, seed: int, resume: bool, from_release: bool) -> None:
    """Train both networks side by side, then export and calibrate them."""
    box = DETECTOR_MINUTES if minutes is None else minutes
    plan = {"detector": box, "reader": box * READER_MINUTES / DETECTOR_MINUTES}
    running = [
        subprocess.Popen(
            [sys.executable, "-m", "vision.training", name, "--minutes", str(span), "--seed", str(seed)]
            + ["--resume"] * resume
            + ["--from-release"] * from_release
        )
        for name, span in plan.items()
    ]
    codes = [process.wait() for process in running]
    if any(codes):
        raise click.ClickException("a training ended with an error")
    context.invoke(export)
    context.invoke(calibrate, models=Path("models"), seed=seed)


if __name__ == "__main__":
    main()
