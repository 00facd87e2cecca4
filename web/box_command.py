"""``tileref box``: the boxes that were taught on this computer."""

from __future__ import annotations

from pathlib import Path

import click

from web.command import FilePath, bad_boxes
from web.output import print_result, printable


@click.group()
def box() -> None:
    """The boxes that were taught (see 'tileref teach')."""


@box.command("list")
def list_boxes() -> None:
    """Print the names of the boxes, one a line."""
    from web.box_store import names  # noqa: PLC0415

    with bad_boxes():
        found = names()
    if found:
        print_result("\n".join(found))


@box.command("show")
@click.argument("name")
def show(name: str) -> None:
    """Print what the box NAME (or a .tilebox file) holds."""
    from web.box_store import load, located  # noqa: PLC0415
    from web.teach_text import box_text  # noqa: PLC0415

    with bad_boxes():
        known = load(name)
        path = located(name)
    print_result(box_text(known, path, path.stat().st_size))


@box.command("export")
@click.argument("name")
@click.argument("file", type=FilePath())
@click.option("--replace", "replacing", is_flag=True, help="Replace the file.")
def export_box(name: str, file: Path, replacing: bool) -> None:
    """Copy the box NAME into FILE, to take it to another computer."""
    from web.box_store import export  # noqa: PLC0415

    with bad_boxes():
        target = export(name, file, replacing=replacing)
    print_result(f"{name} is in {printable(str(target))}.")


@box.command("import")
@click.argument("file", type=FilePath())
@click.option("--name", metavar="NAME", help="Call the box so, instead of by its own name.")
@click.option("--replace", "replacing", is_flag=True, help="Replace the box of that name.")
def import_box(file: Path, name: str | None, replacing: bool) -> None:
    """Keep the box in FILE, which was exported elsewhere."""
    from web.box_store import take_in  # noqa: PLC0415

    with bad_boxes():
        kept = take_in(file, name, replacing=replacing)
    print_result(f"{kept.stem} is kept in {printable(str(kept))}.")


@box.command("remove")
@click.argument("name")
def remove_box(name: str) -> None:
    """Forget the box NAME."""
    from web.box_store import remove  # noqa: PLC0415

    with bad_boxes():
        remove(name)
    print_result(f"{name} is removed.")
