"""``tileref serve``: its options, and what they are joined to."""

from __future__ import annotations

from pathlib import Path

import click

from web.command import FilePath, box_option, rules_option, ruleset_asked, wiring_for


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="Where it listens; 0.0.0.0: for everybody near.")
@click.option("--port", default=8765, show_default=True, type=click.IntRange(0, 65535), help="0: any that is free.")
@click.option("--demo", is_flag=True, help="A simulated table, whose games begin by themselves.")
@click.option("--camera", "sources", metavar="SOURCE", multiple=True,
              help="A table's camera, as for play; once for each table.  None: the tables of the last time.")
@click.option("--names", metavar="A,B,...", help="Who plays at the first table, clockwise; else the set-up asks.")
@click.option("--game", metavar="NAME", help="The first table's game; one that was begun goes on.")
@click.option("--minutes", type=click.FloatRange(0.05, 100_000), help="End by itself after so long.")
@click.option("--pin", help="The referee's PIN from now on; the first start makes one and shows it once.")
@click.option("--tls", is_flag=True,
              help="By HTTPS, with a certificate of this computer's own: a phone as camera needs it.")
@click.option("--certificate", metavar="FILE", type=FilePath(), help="By HTTPS with this certificate (PEM) ...")
@click.option("--key", metavar="FILE", type=FilePath(), help="... and its key.")
@click.option("--webhook", metavar="URL", help="Send what tables say to this address, as JSON.")
@box_option
@rules_option
@click.pass_context
def serve(  # noqa: PLR0913, PLR0917  its options
    ctx: click.Context,
    host: str,
    port: int,
    demo: bool,
    sources: tuple[str, ...],
    names: str | None,
    game: str | None,
    minutes: float | None,
    pin: str | None,
    tls: bool,
    certificate: Path | None,
    key: Path | None,
    webhook: str | None,
    box: str | None,
    preset: str | None,
) -> None:
    """Serve the dashboard: the referee's desk, the players' phones, the spectators' screen.

    A table under a camera goes on with its last game.

    Exit status: 0 it was ended in order, 2 bad usage or a port that is not to be had.
    """
    if (names or game) and (demo or len(sources) != 1):
        raise click.UsageError("--names and --game go with one --camera.")
    if (certificate is None) != (key is None):
        raise click.UsageError("--certificate and --key go together.")
    ruleset = ruleset_asked(preset)
    players = tuple(name.strip() for name in names.split(",")) if names else ()
    if any(not name for name in players):
        raise click.UsageError("--names holds an empty name.")
    wiring = wiring_for(ctx.obj, box)

    from web.serve_desk import Asked, serve_dashboard  # noqa: PLC0415

    asked = Asked(
        host=host, port=port, demo=demo, sources=sources, players=players, game=game, minutes=minutes, pin=pin,
        rules=preset or "", tls=tls, certificate=None if certificate is None or key is None else (certificate, key),
        webhook=webhook,
    )  # fmt: skip
    ctx.exit(serve_dashboard(asked, ruleset, wiring))
