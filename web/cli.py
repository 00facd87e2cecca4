"""The command ``tileref``: options in, exit status out; the work is done at the desk (``web.desk``).

Heavy libraries are imported inside the commands, so that ``--help`` and bad usage answer at once.
"""

from __future__ import annotations

import contextlib
import io
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

import click

from web.box_command import box
from web.command import BadInput, Command, FilePath, box_option, make_folder, rules_option, ruleset_asked, wiring_for
from web.evidence_command import export, replay, verify
from web.exit_status import BAD_INPUT, INTERRUPTED, OK
from web.inspect_command import inspect
from web.judge_command import judge
from web.markers_command import markers
from web.output import given_up, print_result, print_trouble
from web.play_command import play
from web.serve_command import serve
from web.simulate_command import simulate
from web.solve_command import solve
from web.teach_command import teach
from web.version import VERSION
from web.wiring import EyesError, Wiring, product_wiring

_CONTEXT = {"help_option_names": ["-h", "--help"]}


def _shared_options(command: Command) -> Command:
    """The arguments of every command that looks at photos."""
    photos = click.argument("photos", nargs=-1, type=FilePath())
    as_json = click.option("--json", "as_json", is_flag=True, help="Print one JSON object a line and photo.")
    return photos(rules_option(box_option(as_json(command))))


@click.group(context_settings=_CONTEXT)
@click.version_option(VERSION, prog_name="tileref")
def cli() -> None:
    """A camera referee for tile-rummy games: reads a photo of the table and rules on it."""


@cli.command()
@_shared_options
@click.option(
    "--annotate", "album_folder", metavar="DIR", type=FilePath(),
    help="Write each photo with the ruling drawn on it into DIR, as NAME.ruling.jpg.",
)  # fmt: skip
@click.option("--before", metavar="PHOTO", type=FilePath(), help="The earlier of two photos.")
@click.option("--after", metavar="PHOTO", type=FilePath(), help="The later of two photos.")
@click.pass_context
def check(
    ctx: click.Context,
    photos: tuple[Path, ...],
    preset: str | None,
    box: str | None,
    as_json: bool,
    album_folder: Path | None,
    before: Path | None,
    after: Path | None,
) -> None:
    """Rule on the tables in PHOTOS (files or folders): legal, illegal or cannot tell.

    With --before and --after instead: rule on both photos and say what was added, moved and taken between them.

    Exit status: 0 all legal, 1 an illegal table, 2 bad usage or an unreadable photo, 3 cannot tell.
    """
    if (before is None) != (after is None) or (before is not None and photos):
        raise click.UsageError("A comparison takes --before and --after, and no other photos.")
    if before is None and not photos:
        raise click.UsageError("Name at least one photo or folder.")
    ruleset = ruleset_asked(preset)
    wiring = wiring_for(ctx.obj, box)
    if album_folder is not None:
        make_folder(album_folder)

    from web.desk import Desk  # noqa: PLC0415

    desk = Desk(wiring, ruleset, as_json=as_json, album_folder=album_folder)
    if before is not None and after is not None:
        desk.compare(before, after)
    else:
        desk.check(photos)
    ctx.exit(desk.status)


@cli.command()
@_shared_options
@click.pass_context
def count(ctx: click.Context, photos: tuple[Path, ...], preset: str | None, box: str | None, as_json: bool) -> None:
    """Count the box laid out in each of PHOTOS: which tiles are missing, which are too many.

    Exit status: 0 complete, 1 tiles missing or too many, 2 bad usage or an unreadable photo, 3 cannot tell.
    """
    if not photos:
        raise click.UsageError("Name at least one photo or folder.")
    ruleset = ruleset_asked(preset)
    wiring = wiring_for(ctx.obj, box)

    from web.desk import Desk  # noqa: PLC0415

    desk = Desk(wiring, ruleset, as_json=as_json)
    desk.count(photos)
    ctx.exit(desk.status)


cli.add_command(inspect)
cli.add_command(judge)
cli.add_command(play)
cli.add_command(markers)
cli.add_command(serve)
cli.add_command(simulate)
cli.add_command(solve)
cli.add_command(teach)
cli.add_command(box)
cli.add_command(replay)
cli.add_command(export)
cli.add_command(verify)


@cli.group()
def rules() -> None:
    """The rule presets."""


@rules.command("list")
def list_rules() -> None:
    """Print the names of the presets, one a line."""
    from referee.preset_files import preset_names  # noqa: PLC0415

    print_result("\n".join(preset_names()))


@rules.command("show")
@click.argument("name")
def show_rules(name: str) -> None:
    """Print every switch of the preset NAME (or of a .toml file), with what it decides."""
    from web.rules_text import rules_text  # noqa: PLC0415

    print_result(rules_text(ruleset_asked(name)))


@rules.command("diff")
@click.argument("first")
@click.argument("second")
def diff_rules(first: str, second: str) -> None:
    """Print the switches in which two presets (or .toml files) differ."""
    from web.rules_text import differences_text  # noqa: PLC0415

    print_result(differences_text(ruleset_asked(first), ruleset_asked(second)))


@rules.command("check")
@click.argument("file", type=FilePath())
def check_rules(file: Path) -> None:
    """Check a preset FILE of your own.

    Exit status: 0 in order, 2 not (one sentence names the file, the key and the allowed values).
    """
    from web.rules_text import checked_text  # noqa: PLC0415

    if file.suffix.lower() != ".toml":
        raise BadInput(f"{file} is not a preset file: expected a file whose name ends in .toml.")
    print_result(checked_text(ruleset_asked(str(file)), ruleset_asked(None)))


def run(arguments: Sequence[str] | None = None, wiring: Wiring | None = None) -> int:
    """Carry out one command line and return its exit status; every expected trouble is one sentence on stderr."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a terminal that lacks a letter gets its code, not a traceback
            stream.reconfigure(errors="backslashreplace")
    try:
        outcome = cli.main(
            args=None if arguments is None else list(arguments),
            prog_name="tileref",
            standalone_mode=False,
            obj=product_wiring() if wiring is None else wiring,
        )
    except click.UsageError as error:
        with contextlib.suppress(OSError):  # standard error takes no more
            error.show()
        return BAD_INPUT
    except (click.ClickException, EyesError) as error:
        print_trouble(error.message if isinstance(error, click.ClickException) else str(error))
        return BAD_INPUT
    except click.Abort:
        print_trouble("Stopped.")
        return INTERRUPTED
    except (OSError, SystemExit) as error:  # help and version are printed by click, which leaves a broken pipe at once
        print_trouble(given_up(error if isinstance(error, OSError) else BrokenPipeError()).message)
        return BAD_INPUT
    return outcome if isinstance(outcome, int) else OK


def main() -> NoReturn:
    """Carry out this process's command line and leave with its exit status; ``KeyboardInterrupt`` is let through."""
    try:
        status = run()
    except Exception as error:
        if _stopped(error):
            raise KeyboardInterrupt from error
        traceback.print_exc()
        status = BAD_INPUT
    sys.exit(status)


def _stopped(error: BaseException | None) -> bool:
    """Whether the keyboard is behind an error: compiled libraries that are stopped while they load say ImportError."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__ or error.__context__
    return error is not None
