"""``tileref play``: its options, and what they are joined to."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from web.command import BadInput, FilePath, bad_boxes, box_option, rules_option, ruleset_asked, wiring_for

if TYPE_CHECKING:
    from referee.ruleset import RuleSet


@click.command()
@click.option("--camera", "source", metavar="SOURCE", required=True,
              help="A camera's number, a device, a stream's address, a video file or a folder of stills.")  # fmt: skip
@click.option("--players", "count", type=click.IntRange(1, 8), help="How many play (of a new game).")
@click.option("--names", metavar="A,B,...", help="Their names, clockwise.")
@click.option("--starter", metavar="NAME", help="Who starts; the first one where nobody is named.  'draw': tiles.")
@click.option("--game", metavar="NAME", help="The game's name; one that was begun goes on.")
@click.option("--store", "url", metavar="URL",
              help="The database: sqlite:///FILE, or postgresql+psycopg://... (needs psycopg).")  # fmt: skip
@click.option("--calls", metavar="FILE", type=FilePath(), help="Orders, one a line, instead of keys.")
@click.option("--region", metavar="WHERE",
              help="Where the table lies: 'x,y x,y x,y x,y', markers, tiles, whole or a file; it is kept.")  # fmt: skip
@click.option("--camera-delay", "delay_s", metavar="SECONDS", type=click.FloatRange(0, 30),
              help="So old is a network camera's picture when it arrives (0.3 where nothing is said).")  # fmt: skip
@click.option("--anyway", is_flag=True, help="Begin though the picture is not good enough to rule on.")
@click.option("--no-evidence", is_flag=True, help="Keep no pictures and readings of the turns.")
@box_option
@rules_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object for everything that is said.")
@click.pass_context
def play(  # noqa: PLR0913, PLR0917  its options
    ctx: click.Context,
    source: str,
    count: int | None,
    names: str | None,
    starter: str | None,
    game: str | None,
    url: str | None,
    calls: Path | None,
    region: str | None,
    delay_s: float | None,
    anyway: bool,
    no_evidence: bool,
    box: str | None,
    preset: str | None,
    as_json: bool,
) -> None:
    """Referee a game from the first tile to the score sheet.

    On a terminal single keys are orders (? lists them); else orders are lines of --calls FILE or of standard input.
    A folder of stills holds one or more of each turn (turn1a.jpg, turn1b.jpg, turn2.jpg); without orders the last
    still of each turn ends it.

    Exit status: 0 the game was left in order, 1 the picture is not good enough to begin, 2 bad usage or an order that
    could not be obeyed, 3 nobody answered a question.
    """
    ruleset = ruleset_asked(preset)
    _same_faces(box, ruleset)
    wiring = wiring_for(ctx.obj, box)
    players = _players(count, names)

    from web.play_desk import Asked, play_game  # noqa: PLC0415

    asked = Asked(
        source=source, players=players, starter=starter, game=game, url=url, calls=calls, region=region,
        delay_s=delay_s, evidence=not no_evidence, anyway=anyway, as_json=as_json,
    )  # fmt: skip
    ctx.exit(play_game(asked, ruleset, wiring))


def _same_faces(box: str | None, ruleset: RuleSet) -> None:
    """Refuse tiles by the rules of cards, and cards by the rules of tiles.  Raises ``BadInput``."""
    from referee.switches import Faces  # noqa: PLC0415
    from web.box_store import load  # noqa: PLC0415

    with bad_boxes():
        shown = Faces.TILES if box is None else Faces(load(box).faces.value)
    if shown is ruleset.faces:
        return
    if ruleset.faces is Faces.CARDS:
        raise BadInput(f"The rules {ruleset.name} are for cards: name their deck by --box ('teach --faces cards').")
    raise BadInput(f'The box {box} is a deck of cards: its rules need faces = "cards", and {ruleset.name} has tiles.')


def _players(count: int | None, names: str | None) -> tuple[str, ...]:
    """The players' names; none where a game goes on."""
    told = tuple(name.strip() for name in names.split(",")) if names else ()
    if any(not name for name in told):
        raise click.UsageError("--names holds an empty name.")
    if told and count is not None and count != len(told):
        raise click.UsageError(f"--players says {count}, and --names has {len(told)}.")
    return told or tuple(f"Player {k + 1}" for k in range(count or 0))
