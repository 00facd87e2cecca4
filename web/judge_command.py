"""``tileref judge``: its options, and what they mean together."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict, Unpack

import click

from web.command import bad_inputs, box_option, rules_option, ruleset_asked, wiring_for

if TYPE_CHECKING:
    from web.judge_desk import Turn


class TurnOptions(TypedDict):
    """What was said about a turn; None for what was not."""

    before: str | None
    after: str | None
    rack: str | None
    opened: bool | None
    opening: bool
    others_opened: bool | None
    drew: bool


@click.command()
@click.option("--table", metavar="TABLE", help="A table by itself.")
@click.option("--before", metavar="TABLE", help="The table before the turn.")
@click.option("--after", metavar="TABLE", help="The table after the turn.")
@click.option("--rack", metavar="TILES", help="The player's rack before the turn.")
@click.option("--opened/--not-opened", default=None, help="Whether the player had opened before this turn.")
@click.option("--opening", is_flag=True, help="The turn is the player's opening: like --not-opened.")
@click.option("--others-opened/--others-not-opened", default=None, help="Whether all others have opened.")
@click.option("--drew", is_flag=True, help="The player drew a tile instead of playing.")
@box_option
@rules_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.pass_context
def judge(
    ctx: click.Context,
    preset: str | None,
    box: str | None,
    as_json: bool,
    table: str | None,
    **turn: Unpack[TurnOptions],
) -> None:
    """Rule on a table, or on the turn from one table to the next: legal, illegal or cannot tell.

    TABLE and TILES are texts or photos: "R5-7 | K7 B7 J" or table.jpg.  In a text sets are parted by |, R6/R9 is a
    doubtful tile and ? a face-down one.  With --opening the table before may be left out: it was empty.

    Exit status: 0 legal, 1 illegal, 2 bad usage or an unreadable input, 3 cannot tell.
    """
    asked = _turn_asked(turn) if table is None else _table_asked(table, turn)
    ruleset = ruleset_asked(preset)
    wiring = wiring_for(ctx.obj, box)

    from web.judge_desk import judge_given  # noqa: PLC0415

    with bad_inputs():
        ctx.exit(judge_given(asked, ruleset, wiring, as_json=as_json))


def _table_asked(table: str, turn: TurnOptions) -> str:
    nothing = dict.fromkeys(turn)
    if turn != {**nothing, "opening": False, "drew": False}:
        raise click.UsageError("--table is a table by itself: a turn takes --before and --after.")
    return table


def _turn_asked(said: TurnOptions) -> Turn:
    from web.judge_desk import Turn  # noqa: PLC0415

    if said["opening"] and said["opened"]:
        raise click.UsageError("--opening and --opened contradict each other.")
    if said["after"] is None:
        raise click.UsageError("Give --table, or --before and --after, or --after and --opening.")
    if said["before"] is None and not said["opening"]:
        raise click.UsageError("A turn takes --before too, unless it is an --opening on an empty table.")
    opened = False if said["opening"] else said["opened"]
    return Turn(said["before"], said["after"], said["rack"], opened, said["others_opened"], said["drew"])
