"""``tileref inspect``: its options."""

from __future__ import annotations

import click

from web.command import box_option, wiring_for


@click.command()
@click.argument("names", metavar="PHOTO|CAMERA...", nargs=-1)
@box_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a line and input.")
@click.pass_context
def inspect(ctx: click.Context, names: tuple[str, ...], box: str | None, as_json: bool) -> None:
    """Say whether light, camera and view are good enough to rule on, and if not, why and what helps.

    PHOTO is a file or a folder; CAMERA a camera's number (0), a device, an address (rtsp://, http://) or a video file.

    Exit status: 0 go, 1 no-go, 2 bad usage, an unreadable photo or a camera without pictures.
    """
    if not names:
        raise click.UsageError("Name at least one photo or camera.")
    if not all(names):
        raise click.UsageError("An empty name is no photo and no camera.")

    from web.inspect_desk import inspect_given  # noqa: PLC0415

    ctx.exit(inspect_given(names, wiring_for(ctx.obj, box), as_json=as_json))
