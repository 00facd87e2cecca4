"""Speed and memory, with tables in Markdown; exit status 1 where a target is missed or an answer wrong.

    python -m tests.bench           the eyes, then the rule book
    python -m tests.bench eyes      [--rounds 15] [--threads 2] [--most-ms MS]
    python -m tests.bench rules     [--rounds 3] [--generated] [--seed 1]

The eyes are timed on a sample picture; the rule book on the instances in the folder that TILEREF_BENCH names, or in
shared/bench beside the repository, else on generated ones.
"""

from __future__ import annotations

import os
import sys

import click

from tests.bench import instances, rules
from tests.bench.generator import generate


@click.group(invoke_without_command=True, help=__doc__)
@click.pass_context
def main(context: click.Context) -> None:
    """Both halves, where neither is named."""
    if context.invoked_subcommand is None:
        context.invoke(time_eyes)
        print()
        context.invoke(time_rules)


@main.command("eyes")
@click.option("--rounds", default=15, show_default=True, type=click.IntRange(1))
@click.option("--threads", default=2, show_default=True, type=click.IntRange(1))
@click.option("--most-ms", type=float, help="Exit with 1 when the whole look takes longer.")
def time_eyes(rounds: int, threads: int, most_ms: float | None) -> None:
    """Each stage of looking at a photo."""
    from tests.bench import eyes  # noqa: PLC0415  onnxruntime and OpenCV: not for the rule book

    if not eyes.report(rounds, threads, most_ms):
        sys.exit(1)


@main.command("rules")
@click.option("--rounds", default=3, show_default=True, type=click.IntRange(1))
@click.option("--generated", is_flag=True, help="Take generated instances even where verified ones are at hand.")
@click.option("--seed", default=1, show_default=True, help="Draws the generated instances.")
def time_rules(rounds: int, generated: bool, seed: int) -> None:
    """Judging a turn and the solver, beside rummikub-solver."""
    there = instances.FILE.is_file()
    if "TILEREF_BENCH" in os.environ and not there:
        raise click.UsageError(f"TILEREF_BENCH names a folder without {instances.FILE.name}: {instances.FOLDER}.")
    drawn = generated or not there
    if not rules.report(generate(seed) if drawn else instances.read(instances.FILE), rounds):
        sys.exit(1)


if __name__ == "__main__":
    main()
