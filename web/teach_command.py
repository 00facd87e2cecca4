"""``tileref teach``: its options, and what they mean together."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, Unpack

import click

from web.command import BadInput, FilePath, bad_boxes, bad_inputs, make_folder

if TYPE_CHECKING:
    from referee.switches import Faces
    from referee.tiles import Colour, Tile
    from web.teach_desk import Lesson

MOST_PHOTOS = 2


class LessonOptions(TypedDict):
    """What was said of a lesson; None for what was not."""

    name: str | None
    colours: str | None
    told: tuple[str, ...]
    jokers: str | None
    faces: str
    replacing: bool
    album_folder: Path | None


_LETTERS = {"tiles": "RBKO", "cards": "HCSD"}
"""Colours, and suits, in the usual order."""


@click.command()
@click.argument("photos", nargs=-1, type=FilePath())
@click.option("--name", metavar="NAME", help="What the box is to be called.")
@click.option("--colours", metavar="ORDER", help="The order of the colours from top to bottom, RBKO where not given.")
@click.option(
    "--tiles", "told", metavar="TILES", multiple=True,
    help='What lies in each row of a photo instead, as "R1-13 | B1-7 B9-13 | J J"; once for each photo.',
)  # fmt: skip
@click.option("--jokers", metavar="TILES", help='The kinds of the jokers in reading order, as "J JD JC JM".')
@click.option("--faces", type=click.Choice(["tiles", "cards"]), default="tiles", help="What the box prints.")
@click.option("--replace", "replacing", is_flag=True, help="Replace the box or file of that name.")
@click.option(
    "--annotate", "album_folder", metavar="DIR", type=FilePath(),
    help="Write each photo with what was learned drawn on it into DIR, as NAME.taught.jpg.",
)  # fmt: skip
@click.option("--guide", metavar="FILE", type=FilePath(), help="Write the page that shows how to lay the box out.")
@click.pass_context
def teach(ctx: click.Context, photos: tuple[Path, ...], guide: Path | None, **said: Unpack[LessonOptions]) -> None:
    """Learn a box from one or two PHOTOS of all its tiles laid out in order.

    The order: a row for each colour, red, blue, black, orange, from 1 to 13; the second copies likewise below, or
    behind; the jokers in a last row.  Tiles may be missing.  tileref teach --guide guide.pdf writes a page that shows
    it.  A deck of cards (--faces cards) lies by suit, hearts, clubs, spades, diamonds, from ace to king.

    Exit status: 0 learned, 2 nothing could be learned, 3 learned, but for some tiles that are named.
    """
    if guide is not None:
        if photos or said["name"] or said["told"] or said["jokers"]:
            raise click.UsageError("--guide teaches nothing, it writes a page: it takes --colours, --faces, --replace.")
        _write_guide(guide, _order_asked(said["colours"], said["faces"]), said["faces"], said["replacing"])
        return
    lesson = _lesson_asked(photos, said)

    from web.box_store import check_free  # noqa: PLC0415
    from web.teach_desk import teach_box  # noqa: PLC0415

    album_folder = said["album_folder"]
    with bad_boxes(), bad_inputs():
        check_free(lesson.name, replacing=said["replacing"])
        if album_folder is not None:
            make_folder(album_folder)
        ctx.exit(teach_box(lesson, ctx.obj, replacing=said["replacing"], album_folder=album_folder))


def _lesson_asked(photos: tuple[Path, ...], said: LessonOptions) -> Lesson:
    from referee.switches import Faces  # noqa: PLC0415
    from web.teach_desk import Lesson  # noqa: PLC0415

    name, told, faces = said["name"], said["told"], Faces(said["faces"])
    if not photos or len(photos) > MOST_PHOTOS:
        raise click.UsageError("Name one or two photos of the box laid out.")
    if name is None:
        raise click.UsageError("Give the box a name: --name club-box.")
    if told and said["colours"]:
        raise click.UsageError("--tiles says what lies where, so --colours has nothing to add.")
    if told and len(told) != len(photos):
        raise click.UsageError("Give --tiles once for each photo, in their order.")
    order = _order_asked(said["colours"], faces.value)
    rows: list[tuple[tuple[Tile, ...], ...] | None] = [_rows_told(text, faces) for text in told]
    rows = rows or [None] * len(photos)
    kinds = None if said["jokers"] is None else _tiles_told("--jokers", said["jokers"], faces)
    if kinds is not None and not all(tile.is_joker for tile in kinds):
        raise BadInput("--jokers names jokers alone: J, JD, JC or JM.")
    return Lesson(name, tuple(zip(photos, rows, strict=True)), order, kinds, faces)


def _order_asked(text: str | None, faces: str) -> tuple[Colour, ...]:
    from referee.cards import parse_face  # noqa: PLC0415
    from referee.switches import Faces  # noqa: PLC0415
    from referee.tiles import Colour  # noqa: PLC0415

    letters = _LETTERS[faces]
    asked = (text or letters).upper()
    if sorted(asked) != sorted(letters):
        raise BadInput(f"--colours: {text!r} is no order of the four: it takes each of {', '.join(letters)} once.")
    tiles = [parse_face(f"{letter}2", Faces(faces)) for letter in asked]
    return tuple(tile.colour for tile in tiles if isinstance(tile.colour, Colour))


def _rows_told(text: str, faces: Faces) -> tuple[tuple[Tile, ...], ...]:
    if not text.strip():
        raise BadInput("--tiles: an empty text says nothing of what lies there.")
    return tuple(_tiles_told("--tiles", row, faces) for row in text.split("|"))


def _tiles_told(option: str, text: str, faces: Faces) -> tuple[Tile, ...]:
    """Tiles that were told, each of them sure.  Raises ``BadInput``."""
    from referee.notation import LocatedNotationError, parse_rack  # noqa: PLC0415

    try:
        places = parse_rack(text, faces)
    except LocatedNotationError as error:
        raise BadInput(f"{option}: {error}.") from error
    if not places:
        raise BadInput(f"{option}: a row without tiles says nothing of what lies there.")
    tiles = [place.readings[0] for place in places if len(place.readings) == 1 and place.meaning is None]
    if len(tiles) < len(places):
        raise BadInput(f"{option}: tiles that are told are sure, so '?', R6/R9 and J=R6 cannot stand there.")
    return tuple(tiles)


def _write_guide(file: Path, order: tuple[Colour, ...], faces: str, replacing: bool) -> None:
    from referee.switches import Faces  # noqa: PLC0415
    from web.files import cause, write_whole  # noqa: PLC0415
    from web.guide import FORMATS, guide  # noqa: PLC0415
    from web.output import print_result, printable  # noqa: PLC0415

    kind = FORMATS.get(file.suffix.lower())
    if kind is None:
        raise BadInput(f"{file} cannot be the guide: its name must end in {' or '.join(FORMATS)}.")
    try:
        if file.exists() and not replacing:
            raise BadInput(f"{file} exists already: choose another file, or add --replace.")
        write_whole(file, guide(order, kind, Faces(faces)))
    except (OSError, ValueError) as error:
        raise BadInput(f"{file} cannot be written: {cause(error)}.") from error
    print_result(f"The guide is in {printable(str(file))}.")
