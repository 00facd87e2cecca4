"""Train, export and measure the networks.

    python -m vision.training all [--minutes M] [--seed S] [--resume]     both at once, then export and calibrate
    python -m vision.training detector|reader ...                         one of them
    ... --from-release                    start from the released weights, not from scratch
    ... --without GROUP --output FOLDER   keep a group of photos out, to be measured on: make holdout
    python -m vision.training export      checkpoints to models/*.onnx and models/manifest.toml, then their twins:
    python -m vision.training average OTHERS  the mean of this training and another one, network by network
    python -m vision.training quantise    networks in whole numbers, used where they see as well as their originals
    python -m vision.training calibrate   temperatures and the threshold of doubt into the manifest
    python -m vision.training evaluate    figures on the held-out calibration fold
    python -m vision.training reliability what confidence promises and what comes true; draws it into models/*.png

Checkpoints go to training_output/ and training goes on from them with --resume.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from vision.training.train import Plan

RELEASE = Path("models")
MINUTES = 95.0
# large blocks go back to the system and come again at every step otherwise: a third of the time
ALLOCATOR = {"MALLOC_MMAP_MAX_": "0", "MALLOC_TRIM_THRESHOLD_": "100000000000", "OMP_NUM_THREADS": "1"}


def with_allocator_settings() -> None:
    """Start this program again with the allocator settings, which are read once at its start."""
    if any(os.environ.get(name) != value for name, value in ALLOCATOR.items()):
        os.execve(sys.executable, [sys.executable, "-m", "vision.training", *sys.argv[1:]], os.environ | ALLOCATOR)


minutes_option = click.option("--minutes", type=click.FloatRange(min=0), help="Time box; the schedule follows it.")
seed_option = click.option("--seed", type=int, default=1, show_default=True)
resume_option = click.option("--resume", is_flag=True, help="Go on from the last checkpoint.")
release_option = click.option("--from-release", is_flag=True, help="Start from the weights in models/, more gently.")
without_option = click.option("--without", default="", help="Keep this group of photos out, to be tested on.")
output_option = click.option(
    "--output", type=click.Path(path_type=Path), default=Path("training_output"), show_default=True
)
generators_option = click.option("--generators", type=click.IntRange(min=1), default=1, show_default=True)
models_option = click.option("--models", type=click.Path(path_type=Path), default=RELEASE, show_default=True)

keep_option = click.option(
    "--keep-float",
    type=click.Choice(["detector", "reader"]),
    multiple=True,
    help="Use this network in floating point, however good its twin is.",
)


def training_options(command: Callable[..., None]) -> Callable[..., None]:
    """What both trainings take."""
    options = (
        minutes_option, seed_option, resume_option, release_option, without_option, output_option, generators_option,
    )  # fmt: skip
    for option in reversed(options):
        command = option(command)
    return command


def plan_of(minutes: float | None, from_release: bool, **others: Any) -> Plan:
    """The plan that the options ask for."""
    from vision.training.train import Plan

    if from_release and others["without"]:
        raise click.UsageError(
            "released weights have seen every group: --without goes with a training from scratch only"
        )
    release = RELEASE if from_release else None
    return Plan(minutes=MINUTES if minutes is None else minutes, release=release, **others)


@click.group()
def main() -> None:
    """Train, export and measure the tile detector and the tile reader."""


@main.command()
@training_options
def detector(**options: Any) -> None:
    """Train the detector."""
    with_allocator_settings()
    from vision.training.train import train_detector

    train_detector(plan_of(**options))


@main.command()
@training_options
def reader(**options: Any) -> None:
    """Train the reader."""
    with_allocator_settings()
    from vision.training.train import train_reader

    train_reader(plan_of(**options))


@main.command()
@output_option
@models_option
@keep_option
def export(output: Path, models: Path, keep_float: tuple[str, ...]) -> None:
    """Write the averaged weights as ONNX with the manifest, then make their twins in whole numbers."""
    from vision.training.export import export_models
    from vision.training.quantise import quantise_models

    for line in export_models(output, models):
        click.echo(line)
    for line in quantise_models(models, keep_float):
        click.echo(line)


@main.command()
@click.argument("others", type=click.Path(path_type=Path, exists=True, file_okay=False))
@models_option
@keep_option
def average(others: Path, models: Path, keep_float: tuple[str, ...]) -> None:
    """Replace the networks by their means with those of another training, and make the twins anew."""
    from vision.training.average import average_models
    from vision.training.quantise import quantise_models

    for line in average_models(others, models):
        click.echo(line)
    for line in quantise_models(models, keep_float):
        click.echo(line)


@main.command()
@models_option
@keep_option
def quantise(models: Path, keep_float: tuple[str, ...]) -> None:
    """Make twins of the exported networks in whole numbers, and use each that sees as well as its original."""
    from vision.training.quantise import quantise_models

    for line in quantise_models(models, keep_float):
        click.echo(line)


@main.command()
@models_option
@click.option("--full-precision", is_flag=True, help="The networks in floating point, not their twins.")
def evaluate(models: Path, full_precision: bool) -> None:
    """Measure the exported networks on the calibration fold of the shared photos."""
    from vision.training.evaluate import evaluate_photos

    for line in evaluate_photos(models, full_precision):
        click.echo(line)


@main.command()
@models_option
@seed_option
@without_option
def calibrate(models: Path, seed: int, without: str) -> None:
    """Fit temperatures, presence and the threshold of doubt; write them into the manifest."""
    from vision.training.calibrate import calibrate as fit_calibration

    for line in fit_calibration(models, seed, without):
        click.echo(line)


@main.command()
@models_option
@click.option(
    "--pictures", type=click.Path(path_type=Path), help="Folder for the pictures; the networks' own by default."
)
def reliability(models: Path, pictures: Path | None) -> None:
    """Print and draw what confidence promises and what comes true, and risk against coverage (fits nothing)."""
    from vision.training.reliability import report_reliability

    for line in report_reliability(models, pictures or models):
        click.echo(line)


@main.command(name="all")
@minutes_option
@seed_option
@resume_option
@release_option
@without_option
@output_option
@models_option
@click.pass_context
def everything(
    context: click.Context,
    minutes: float | None,
    seed: int,
    resume: bool,
    from_release: bool,
    without: str,
    output: Path,
    models: Path,
) -> None:
    """Train both networks side by side, then export and calibrate them."""
    box = MINUTES if minutes is None else minutes
    asked = ["--minutes", str(box), "--seed", str(seed), "--without", without, "--output", str(output)]
    asked += ["--resume"] * resume + ["--from-release"] * from_release
    running = [
        subprocess.Popen([sys.executable, "-m", "vision.training", name, *asked]) for name in ("detector", "reader")
    ]
    codes = [process.wait() for process in running]
    if any(codes):
        raise click.ClickException("a training ended with an error")
    context.invoke(export, output=output, models=models)
    context.invoke(calibrate, models=models, seed=seed, without=without)


if __name__ == "__main__":
    main()
