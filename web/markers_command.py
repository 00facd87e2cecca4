"""``tileref markers``: the printed sheet of markers."""

from __future__ import annotations

from pathlib import Path

import click

from web.command import BadInput, FilePath


@click.command()
@click.argument("file", type=FilePath())
@click.option("--replace", "replacing", is_flag=True, help="Replace the file of that name.")
def markers(file: Path, replacing: bool) -> None:
    """Write the page of four markers for the table's corners into FILE (.pdf or .png).

    Exit status: 0 written, 2 bad usage, or FILE cannot be written.
    """
    from web.files import cause, write_whole  # noqa: PLC0415
    from web.marker_sheet import FORMATS, marker_sheet  # noqa: PLC0415
    from web.output import print_result, printable  # noqa: PLC0415

    kind = FORMATS.get(file.suffix.lower())
    if kind is None:
        raise BadInput(f"{file} cannot be the page of markers: its name must end in {' or '.join(FORMATS)}.")
    try:
        if file.exists() and not replacing:
            raise BadInput(f"{file} exists already: choose another file, or add --replace.")
        write_whole(file, marker_sheet(kind))
    except (OSError, ValueError) as error:
        raise BadInput(f"{file} cannot be written: {cause(error)}.") from error
    print_result(f"The markers are in {printable(str(file))}: print the page in its own size.")
