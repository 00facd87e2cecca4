"""What was learned, for people: how much of the box, what is missing, every question, and what it changes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from referee.cards import RANKS, face_code
from referee.switches import Faces
from referee.tiles import HIGHEST_NUMBER, LOWEST_NUMBER, Colour, Joker, Tile
from web.lines import labelled
from web.messages import COLOUR_NAMES, listed
from web.output import printable

if TYPE_CHECKING:
    from vision.taught.box import TaughtBox
    from vision.taught.laid_out import LaidTile, RowCount
    from vision.taught.outlook import Outlook
    from web.teach_desk import Reading, Taught

_DOUBTS = {
    "open": "it may be {candidates}: its place and its print leave that open.",
    "blank": "no print is to be seen: turn it over, or move the light.",
    "other_colour": "it looks like {first}, and in this row it should be {second}.",
    "row_colour": "which colour its row has is open, so it may be {candidates}: --colours names the order.",
    "out_of_order": "it does not fit where it lies{perhaps}.",
    "row_count": "its row is none of those in --tiles.",
    "joker_kind": "the photos show another number of jokers than --jokers names.",
}
_FEW_ASKED, _MANY_ASKED = 3, 15
"""Tiles in doubt, of 100, up to which a box is read well, and fairly well."""
_OFTEN_ASKED, _MOST_NAMED = 0.1, 8
"""Part of its views in which a tile that is named is in doubt, and how many are named."""
_REFUSALS = {
    "no_tiles": "{photo} shows no box laid out: {found}.",
    "not_in_order": (
        "{photo} does not show a box laid out in order: {found}, but not in rows of one colour from 1"
        " to 13 (tileref teach --guide guide.pdf shows how; --tiles says what lies where)."
    ),
    "rows_told": "{photo} shows {seen} rows, and none of the {told} rows in --tiles is among them.",
    "not_as_told": "{photo} does not show what --tiles says: most of its {seen} tiles are surely others.",
    "nothing_settled": "Nothing can be learned from {photo}: which tile is which stays open for all of them.",
}


def refusal(code: str, photo: str, seen: int = 0, told: int = 0) -> str:
    """Why nothing can be learned, in one sentence."""
    found = "1 tile was found" if seen == 1 else f"{seen or 'no'} tiles were found"
    return _REFUSALS[code].format(photo=printable(photo), seen=seen or "no", found=found, told=told)


def same_photo_twice(one: str, other: str) -> str:
    """That two photos are one, in one sentence."""
    if one == other:
        return f"{printable(one)} was given twice: a second photo teaches something only if it is another one."
    return (
        f"{printable(one)} and {printable(other)} are the same picture:"
        " a second photo teaches something only if it is another one."
    )


def incomplete_deck(missing: Sequence[int | Colour]) -> str:
    """That a deck cannot be read because these ranks and suits were not learned at all."""
    names = [COLOUR_NAMES[Faces.CARDS][str(one)] if isinstance(one, Colour) else RANKS[one - 1] for one in missing]
    return f"This deck cannot be learned: no card with {listed(names, last='or')} was settled."


def taught_text(taught: Taught, pictures: Sequence[Path]) -> str:
    """The outcome of a lesson."""
    learned = taught.learned
    copies = copies_of(learned)
    numbers = _numbers(taught.order)
    jokers = sum(count for tile, count in learned.items() if tile.is_joker)
    held = max(copies * len(numbers), sum(learned[tile] for tile in numbers))
    word = click.style("LEARNED", fg="yellow" if taught.has_questions else "green", bold=True)
    found = sum(learned[tile] for tile in numbers)
    what = "cards" if taught.faces is Faces.CARDS else "tiles"
    lines = [f"{taught.name}: {word}, {found} of {held} {what} with a number, and {jokers} joker{'s'[: jokers != 1]}"]
    lines += [labelled(*line) for line in _contents(learned, taught.order, taught.faces)]
    for page in taught.pages:
        lines += [labelled("question", f"{printable(str(page.path))}, {_counted(row)}") for row in page.laid.miscounted]
        lines += [
            labelled("question", f"{printable(str(page.path))}, {_question(tile, taught.faces)}")
            for tile in page.laid.questions
        ]
    if taught.before is not None:
        lines.append(labelled("before", _reading(taught.before)))
    lines.append(labelled("with the box", _reading(taught.after)))
    lines += [labelled(*line) for line in _promised(taught.outlook, taught.faces)]
    lines.append(labelled("file", f"{printable(str(taught.file))} ({max(1, round(taught.bytes / 1000))} kB)"))
    lines += [labelled("picture", printable(str(picture))) for picture in pictures]
    return "\n".join(lines)


def box_text(box: TaughtBox, path: Path, size: int) -> str:
    """What a taught box holds."""
    learned = Counter(box.tiles)
    faces = Faces(box.faces.value)
    count = f"{len(box.tiles)} examples of {len(learned)} faces"
    lines = [f"{box.name}: {count} ({'playing cards' if faces is Faces.CARDS else 'tiles'})"]
    lines += [labelled(*line) for line in _contents(learned, tuple(Colour), faces)]
    lines.append(labelled("fingerprint", box.fingerprint))
    lines.append(labelled("file", f"{printable(str(path))} ({max(1, round(size / 1000))} kB)"))
    return "\n".join(lines)


def copies_of(learned: Counter[Tile]) -> int:
    """How often the box seems to hold each tile: as often as most of those that were seen."""
    counts = Counter(count for tile, count in learned.items() if not tile.is_joker)
    return counts.most_common(1)[0][0] if counts else 1


def _numbers(order: Sequence[Colour]) -> list[Tile]:
    span = range(LOWEST_NUMBER, HIGHEST_NUMBER + 1)
    return [Tile(colour=colour, number=number) for colour in order for number in span]


def _contents(learned: Counter[Tile], order: Sequence[Colour], faces: Faces) -> Iterator[tuple[str, str]]:
    """A line for each colour, with what is missing of it, and one for the jokers."""
    copies = copies_of(learned)
    for colour in order:
        tiles = _numbers([colour])
        missing = [
            face_code(tile, faces) + (f"×{gone}" if gone > 1 else "")
            for tile in tiles
            if (gone := copies - learned[tile]) > 0
        ]
        text = f"{sum(learned[tile] for tile in tiles)}" + (f", not seen: {' '.join(missing)}" if missing else "")
        yield COLOUR_NAMES[faces][str(colour)], text
    kinds = [f"{learned[tile]} {tile}" for tile in (Tile(joker=kind) for kind in Joker) if learned[tile]]
    yield "jokers", ", ".join(kinds) or "none seen"


def _counted(row: RowCount) -> str:
    if not row.seen:
        return f"row {row.row + 1} of --tiles is not to be seen."
    if not row.told:
        return f"row {row.row + 1} is none of those in --tiles: {_tiles(row.seen)}."
    return f"row {row.row + 1} holds {_tiles(row.seen)}, and --tiles names {row.told}."


def _tiles(count: int) -> str:
    return f"{count} tile{'s'[: count != 1]}"


def _question(tile: LaidTile, faces: Faces) -> str:
    names = [face_code(candidate, faces) for candidate in tile.candidates]
    sentence = _DOUBTS[str(tile.doubt)].format(
        candidates=listed(names, last="or") if names else "any",
        first=names[0] if names else "another",
        second=names[-1] if names else "another",
        perhaps=f": it looks like {names[0]}" if names else "",
    )
    return f"row {tile.row + 1}, place {tile.place + 1}: {sentence}"


def _reading(reading: Reading) -> str:
    return (
        f"{reading.right} of these read rightly, {reading.doubtful} in doubt, {reading.silent} wrongly,"
        f" {reading.missed} not found"
    )


def _promised(outlook: Outlook, faces: Faces) -> Iterator[tuple[str, str]]:
    """How well the box will be read in play, and which of its tiles will be asked about."""
    if not outlook.faces:
        return
    right, asked = round(100 * outlook.right), round(100 * outlook.asked)
    word = "well" if asked <= _FEW_ASKED else "fairly well" if asked <= _MANY_ASKED else "badly"
    advice = ": a sharper photo, nearer to the tiles, would teach more" if asked > _MANY_ASKED else ""
    often = f"about {asked} of 100" if asked else "hardly any"
    yield "in play", f"it will be read {word}, about {right} of 100 tiles rightly, {often} in doubt{advice}"
    doubted = sorted((one for one in outlook.faces if one.asked >= _OFTEN_ASKED), key=lambda one: -one.asked)
    if doubted:
        names = [face_code(one.tile, faces) for one in doubted[:_MOST_NAMED]]
        rest = len(doubted) - len(names)
        yield "asked about", listed([*names, f"{rest} other{'s'[: rest != 1]}"] if rest else names)
