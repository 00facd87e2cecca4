"""``tileref simulate``: its options, and what they mean together."""

from __future__ import annotations

from pathlib import Path

import click

from web.command import BadInput, FilePath, rules_option


@click.command()
@click.option("--games", default=1, show_default=True, type=click.IntRange(1, 10_000), help="So many games.")
@click.option(
    "--seed", default=1, show_default=True, type=click.IntRange(0), help="Of the first game; each next one more."
)
@click.option(
    "--players", "seats", type=click.IntRange(2, 4), help="How many play; 2, 3 and 4 in turn where not given."
)
@click.option("--turns", type=click.IntRange(1), help="At most so many turns a game.")
@rules_option
@click.option("--quiet-table", is_flag=True, help="Nobody errs, and nothing is bumped or flickers.")
@click.option("--dry", is_flag=True, help="Print what is true of every turn; nobody looks at the frames.")
@click.option("--video", metavar="FILE", type=FilePath(), help="Write the first game as a film (.mp4 or .avi).")
@click.option("--stills", metavar="DIR", type=FilePath(), help="Write the first game as a folder of stills.")
@click.option("--cpu-time", is_flag=True, help="Count processor time, not the clock's: for a busy machine.")
@click.option(
    "--output",
    metavar="FILE",
    type=FilePath(),
    help="Append a JSON line a game to this file; games that it has are not played again.",
)
@click.option("--tell", is_flag=True, help="Print everything that the referee says.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a game (with --dry: a turn).")
@click.pass_context
def simulate(  # noqa: PLR0913, PLR0917  its options
    ctx: click.Context,
    games: int,
    seed: int,
    seats: int | None,
    turns: int | None,
    preset: str | None,
    quiet_table: bool,
    dry: bool,
    video: Path | None,
    stills: Path | None,
    cpu_time: bool,
    output: Path | None,
    tell: bool,
    as_json: bool,
) -> None:
    """Referee games at a simulated table, and hold every ruling against the truth.

    Players led by the solver move rendered tiles under a rendered camera; the real eyes look.  Without --rules the
    presets take turns, a seed each.

    Exit status: 0 every ruling was right, 1 one was not, 2 bad usage.
    """
    from web.simulate_book import Book, BookError  # noqa: PLC0415
    from web.simulate_desk import Asked, simulate_games  # noqa: PLC0415

    if sum((dry, video is not None, stills is not None)) > 1:
        raise click.UsageError("--dry, --video and --stills exclude each other.")
    if output is not None and (turns is not None or dry or video is not None or stills is not None):
        raise click.UsageError("--output gathers whole games that are refereed: it goes with none of --turns, --dry, "
                               "--video and --stills.")  # fmt: skip
    book = None if output is None else Book(output)
    asked = Asked(games, seed, seats, turns, preset, quiet_table, cpu_time, tell, as_json, book)
    try:
        status = simulate_games(asked, ctx.obj, dry=dry, video=video, stills=stills)
    except BookError as error:
        raise BadInput(str(error)) from error
    ctx.exit(status)
