"""``tileref serve``: its options, and what they are joined to."""

from __future__ import annotations

import click

from web.command import box_option, rules_option, ruleset_asked, wiring_for


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="Where it listens; 0.0.0.0: for everybody near.")
@click.option("--port", default=8765, show_default=True, type=click.IntRange(0, 65535), help="0: any that is free.")
@click.option("--demo", is_flag=True, help="A simulated table, whose games begin by themselves.")
@click.option("--minutes", type=click.FloatRange(0.05, 100_000), help="End by itself after so long.")
@click.option("--pin", help="The referee's PIN from now on; the first start makes one and shows it once.")
@box_option
@rules_option
@click.pass_context
def serve(
    ctx: click.Context,
    host: str,
    port: int,
    demo: bool,
    minutes: float | None,
    pin: str | None,
    box: str | None,
    preset: str | None,
) -> None:
    """Serve the dashboard: the referee's desk, the players' phones, the spectators' screen.

    Exit status: 0 it was ended in order, 2 bad usage or a port that is not to be had.
    """
    ruleset = ruleset_asked(preset)
    wiring = wiring_for(ctx.obj, box)

    from web.serve_desk import Asked, serve_dashboard  # noqa: PLC0415

    asked = Asked(host=host, port=port, demo=demo, minutes=minutes, pin=pin)
    ctx.exit(serve_dashboard(asked, ruleset, wiring))
