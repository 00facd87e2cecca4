"""``tileref solve``: its options, and what they mean together."""

from __future__ import annotations

from typing import TypedDict, Unpack

import click

from web.command import bad_inputs, box_option, rules_option, ruleset_asked, wiring_for


class PositionOptions(TypedDict):
    """What was told of a position."""

    table: str | None
    rack: str | None
    aim: str
    opening: bool
    others_opened: bool


_UNTOLD = PositionOptions(table=None, rack=None, aim="tiles", opening=False, others_opened=False)


@click.command()
@click.option("--table", metavar="TABLE", help="The table; an empty one, and an opening, where not given.")
@click.option("--rack", metavar="TILES", help="The player's rack.")
@click.option("--aim", type=click.Choice(["tiles", "value"]), default="tiles", help="Lay most tiles, or most value.")
@click.option("--opening", is_flag=True, help="The player has not opened yet.")
@click.option("--others-opened", is_flag=True, help="All others have opened, where the rules ask for that.")
@box_option
@rules_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option("--batch", metavar="FILE", help="Answer the instances of FILE (- for standard input), a line each.")
@click.pass_context
def solve(
    ctx: click.Context,
    preset: str | None,
    box: str | None,
    as_json: bool,
    batch: str | None,
    **told: Unpack[PositionOptions],
) -> None:
    """Show the best play from a table and a rack that the rules permit.

    TABLE and TILES are texts or photos: "R5-7 | K7 B7 J" or table.jpg.  In the value of a play a joker counts what it
    costs when it is left on a rack.

    Exit status: 0 there is a play, 1 nothing can be played, 2 bad usage or an unreadable input, 3 cannot tell.
    """
    if batch is not None and (as_json or box or told != _UNTOLD):
        raise click.UsageError("--batch takes --rules and nothing else: every instance brings its own tiles.")
    if batch is None and told["rack"] is None:
        raise click.UsageError("Give --rack, or --batch with a file of instances.")
    ruleset = ruleset_asked(preset)
    wiring = wiring_for(ctx.obj, box)

    from referee.solver.plays import Aim  # noqa: PLC0415
    from web.solve_desk import Position, solve_batch, solve_given  # noqa: PLC0415

    with bad_inputs():
        if batch is not None:
            ctx.exit(solve_batch(batch, ruleset))
        opened = told["table"] is not None and not told["opening"]
        position = Position(told["table"], told["rack"] or "", Aim(told["aim"]), opened, told["others_opened"])
        ctx.exit(solve_given(position, ruleset, wiring, as_json=as_json))
