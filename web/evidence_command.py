"""``tileref replay``, ``export`` and ``verify``: what was kept of games, and rulings looked at again."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from web.command import BadInput, Command, FilePath, box_option, rules_option, ruleset_asked, wiring_for
from web.wiring import Wiring


def _store_option(command: Command) -> Command:
    return click.option(
        "--store", metavar="URL", help="The database of the games, where it is not this computer's own."
    )(command)


@click.command()
@click.argument("game")
@rules_option
@click.option("--read-again", is_flag=True, help="Read the kept pictures with the present networks.")
@box_option
@_store_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.pass_context
def replay(
    ctx: click.Context,
    game: str,
    preset: str | None,
    read_again: bool,
    box: str | None,
    store: str | None,
    as_json: bool,
) -> None:
    """Rule again on every turn of GAME (its name, or an exported .zip file), and list what is ruled otherwise.

    Without --rules each turn is ruled by the rules of the game.  The evidence is looked through first.

    Exit status: 0 every ruling stands, 1 a turn is ruled otherwise or the evidence was changed, 2 bad usage or an
    unreadable input, 3 a turn cannot be ruled on again.
    """
    if box is not None and not read_again:
        raise click.UsageError("--box is for pictures: it takes --read-again too.")
    ruleset = None if preset is None else ruleset_asked(preset)
    wiring: Wiring = wiring_for(ctx.obj, box)

    from web.evidence import desk  # noqa: PLC0415  the store's library

    with _bad_evidence():
        eyes = wiring.load_eyes if read_again else None
        ctx.exit(desk.replay(game, store, ruleset, eyes, as_json=as_json))


@click.command()
@click.argument("game")
@click.argument("file", type=FilePath())
@_store_option
@click.option("--replace", "replacing", is_flag=True, help="Replace the file.")
@click.pass_context
def export(ctx: click.Context, game: str, file: Path, store: str | None, replacing: bool) -> None:
    """Pack everything that was kept of GAME into FILE, a .zip file, for whoever looks at a ruling again.

    Exit status: 0 packed as it was written, 1 packed and changed, 2 not packed, 3 packed and not complete.
    """
    if file.suffix.lower() != ".zip":
        raise click.UsageError("FILE is a zip file: its name ends in .zip.")

    from web.evidence import desk  # noqa: PLC0415  as above

    with _bad_evidence():
        ctx.exit(desk.export(game, file, store, replacing=replacing))


@click.command()
@click.argument("game")
@click.option("--seal", metavar="HASH", help="The seal that was noted at the end of the game, or how it begins.")
@_store_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.pass_context
def verify(ctx: click.Context, game: str, seal: str | None, store: str | None, as_json: bool) -> None:
    """Look through what was kept of GAME (its name, or an exported .zip file): is it as it was written?

    Exit status: 0 as it was written, 1 changed, 2 bad usage or an unreadable input, 3 not complete.
    """
    if seal is not None and len(seal.strip()) < 8:
        raise click.UsageError("--seal takes at least 8 characters of the hash.")

    from web.evidence import desk  # noqa: PLC0415  as above

    with _bad_evidence():
        ctx.exit(desk.verify(game, store, None if seal is None else seal.strip(), as_json=as_json))


@contextmanager
def _bad_evidence() -> Iterator[None]:
    """Turn what cannot be done into what ends the command with its sentence."""
    from web.evidence.desk import EvidenceError  # noqa: PLC0415  as above
    from web.home import HomeError  # noqa: PLC0415

    try:
        yield
    except (EvidenceError, HomeError) as error:
        raise BadInput(str(error)) from error
