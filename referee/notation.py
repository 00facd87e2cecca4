"""The text notation for sets, tables and racks (logs, tests, labels, addresses, bug reports).

A set is its tiles in reading order, parted by blanks: ``R5 J R7``.  Four things may stand at a place:

==========  ====================================================================
``R5``      a tile, or a joker: ``J``, ``JD``, ``JC``, ``JM``
``J=R6``    a joker and the tile that it stands for
``R6/R9``   a doubtful tile: its readings, the likeliest first
``?``       a face-down or unreadable tile
==========  ====================================================================

A run may be shortened: ``R5-9`` is R5 R6 R7 R8 R9, ``R9-5`` the same from the other side.  Sets are parted by ``|``;
a set of one place is a tile lying alone; a rack is a list of places.  ``parse_x(format_x(x)) == x``.

A box of playing cards has its own codes in the same grammar (``referee.cards``): ``HA-4 | S7 J D7``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from referee.cards import RANKS, face_code, parse_face
from referee.switches import Faces
from referee.tiles import NotationError, Tile
from referee.told import Value, marked

HIDDEN = "?"
SHORTEST_SPAN = 3
"""A shortened run stands for at least this many tiles when it is written; two are as short in full."""

_WORD = re.compile(r"\S+")
_SPANS = {
    Faces.TILES: re.compile(r"([A-Za-z]\d+)-(\d+)"),
    Faces.CARDS: re.compile(r"([A-Za-z](?:\d+|[AJQK]))-(\d+|[AJQK])", re.IGNORECASE),
}


class LocatedNotationError(NotationError):
    """What is wrong in a text of several tiles, and where.

    ``text`` is the whole text, ``position`` the index of the first character that is at fault: the template says them
    as ``{text!r}`` and, counted from 1, as ``{at}``.
    """

    def __init__(self, template: str, text: str, position: int, **values: Value) -> None:
        super().__init__(template, text=text, at=position + 1, **values)
        self.text = text
        self.position = position


class UnreadableNotationError(LocatedNotationError):
    """A word is not in the notation."""


class MisplacedNotationError(LocatedNotationError):
    """A word is in the notation, yet it must not stand here."""


class AmbiguousNotationError(LocatedNotationError):
    """A word may mean more than one thing."""


@dataclass(frozen=True, slots=True)
class Place:
    """What stands at one place of a set or rack.

    ``readings`` are the tile's candidates, the likeliest first: one for a sure tile, several for a doubtful one, none
    for a face-down or unreadable tile.  ``meaning`` is what a sure joker stands for, where that is written.

    Raises ``ValueError`` for a repeated reading, or a meaning of anything but one joker and one plain tile.
    """

    readings: tuple[Tile, ...] = ()
    meaning: Tile | None = None

    def __post_init__(self) -> None:
        if len(set(self.readings)) < len(self.readings):
            raise ValueError("the readings of a tile differ from each other")
        if self.meaning is None:
            return
        if len(self.readings) != 1 or not self.readings[0].is_joker:
            raise ValueError("only a joker that was surely read has a meaning")
        if self.meaning.is_joker:
            raise ValueError("a joker stands for a tile with a number")

    @property
    def tile(self) -> Tile | None:
        """The likeliest reading; None for a face-down or unreadable tile."""
        return self.readings[0] if self.readings else None

    def __str__(self) -> str:
        return _written(self, Faces.TILES)


Places = tuple[Place, ...]
"""A set in reading order, or a rack."""

NotedTable = tuple[Places, ...]
"""The sets of a table."""


def sure(*tiles: Tile) -> Places:
    """The places of tiles that were all surely read."""
    return tuple(Place((tile,)) for tile in tiles)


def parse_set(text: str, faces: Faces = Faces.TILES) -> Places:
    """Read one set such as ``R5 J=R6 R7`` or ``R5-9``; case and the number of blanks are ignored.

    Raises a ``LocatedNotationError`` that names the word, its position and the text, also for a text without tiles.
    """
    return _parse_set(text, 0, text, faces)


def parse_rack(text: str, faces: Faces = Faces.TILES) -> Places:
    """Read a rack: like a set, but it may be empty."""
    return _parse_places(text, 0, text, faces)


def parse_table(text: str, faces: Faces = Faces.TILES) -> NotedTable:
    """Read the sets of a table, parted by ``|``; a blank text is an empty table.

    Raises a ``LocatedNotationError`` as ``parse_set`` does.
    """
    if not text.strip():
        return ()
    sets: list[Places] = []
    start = 0
    for part in text.split("|"):
        sets.append(_parse_set(part, start, text, faces))
        start += len(part) + 1
    return tuple(sets)


def format_set(places: Sequence[Place], *, shorten: bool = False, faces: Faces = Faces.TILES) -> str:
    """Write one set or rack; ``shorten`` writes three or more neighbours of a run as ``R5-9``."""
    return " ".join(_shortened(places, faces) if shorten else (_written(place, faces) for place in places))


def format_rack(places: Sequence[Place], *, shorten: bool = False, faces: Faces = Faces.TILES) -> str:
    """Write a rack: the same as a set."""
    return format_set(places, shorten=shorten, faces=faces)


def format_table(sets: Sequence[Sequence[Place]], *, shorten: bool = False, faces: Faces = Faces.TILES) -> str:
    """Write the sets of a table, parted by ``|``."""
    return " | ".join(format_set(places, shorten=shorten, faces=faces) for places in sets)


def _written(place: Place, faces: Faces) -> str:
    if not place.readings:
        return HIDDEN
    written = "/".join(face_code(tile, faces) for tile in place.readings)
    return written if place.meaning is None else f"{written}={face_code(place.meaning, faces)}"


def _parse_set(part: str, start: int, text: str, faces: Faces) -> Places:
    places = _parse_places(part, start, text, faces)
    if not places:
        raise MisplacedNotationError("a set without tiles (character {at} of {text!r})", text, start)
    return places


def _parse_places(part: str, start: int, text: str, faces: Faces) -> Places:
    return tuple(
        place for word in _WORD.finditer(part) for place in _parse_word(word.group(), start + word.start(), text, faces)
    )


def _parse_word(word: str, position: int, text: str, faces: Faces) -> Iterator[Place]:
    if "|" in word:
        raise MisplacedNotationError(
            "a bar parts the sets of a table and must not stand here (character {at} of {text!r})", text, position
        )
    span = _SPANS[faces].fullmatch(word)
    if span:
        yield from _parse_span(span[1], span[2], position, text, faces)
    elif word == HIDDEN:
        yield Place()
    elif "/" in word and "=" in word:
        raise AmbiguousNotationError(
            "{word!r} may be a doubtful joker or a joker of a doubtful meaning: write one of them "
            "(character {at} of {text!r})",
            text,
            position,
            word=word,
        )
    elif "=" in word:
        joker, _, meaning = word.partition("=")
        yield _parse_meaning(joker, meaning, position, text, faces)
    else:
        readings = []
        for code in word.split("/"):
            readings.append(_parse_code(code, position, text, faces))
            if len(set(readings)) < len(readings):
                raise MisplacedNotationError(
                    "{code!r} stands twice in {word!r} (character {at} of {text!r})",
                    text,
                    position,
                    code=code,
                    word=word,
                )
            position += len(code) + 1
        yield Place(tuple(readings))


def _parse_code(code: str, position: int, text: str, faces: Faces) -> Tile:
    try:
        return parse_face(code, faces)
    except NotationError:
        raise UnreadableNotationError(_NO_FACE[faces], text, position, code=code) from None


_NO_FACE = {
    Faces.TILES: marked(
        "{code!r} is not a tile: expected R, B, K or O with 1 to 13, or J, JD, JC, JM (character {at} of {text!r})"
    ),
    Faces.CARDS: marked(
        "{code!r} is not a card: expected H, D, S or C with A, 2 to 10, J, Q, K, or the joker J "
        "(character {at} of {text!r})"
    ),
}


def _parse_meaning(joker: str, meaning: str, position: int, text: str, faces: Faces) -> Place:
    tile = _parse_code(joker, position, text, faces)
    if not tile.is_joker:
        raise MisplacedNotationError(
            "{code!r} is no joker, so it has no meaning (character {at} of {text!r})", text, position, code=joker
        )
    position += len(joker) + 1
    stands_for = _parse_code(meaning, position, text, faces)
    if stands_for.is_joker:
        raise MisplacedNotationError(
            "a joker stands for a tile with a number, not for {code!r} (character {at} of {text!r})",
            text,
            position,
            code=meaning,
        )
    return Place((tile,), stands_for)


def _parse_span(first: str, last: str, position: int, text: str, faces: Faces) -> Iterator[Place]:
    low = _parse_code(first, position, text, faces)
    high = _parse_code(f"{first[0]}{last}", position, text, faces)
    if low.number is None or high.number is None or low.number == high.number:
        raise MisplacedNotationError(
            "'{first}-{last}' is no run from one number to another (character {at} of {text!r})",
            text,
            position,
            first=first,
            last=last,
        )
    step = 1 if low.number < high.number else -1
    for number in range(low.number, high.number + step, step):
        yield Place((Tile(colour=low.colour, number=number),))


def _shortened(places: Sequence[Place], faces: Faces) -> Iterator[str]:
    """The words of a set, stretches of a run written as spans."""
    i = 0
    while i < len(places):
        step, end = _stretch(places, i)
        if end - i + 1 >= SHORTEST_SPAN and step:
            last = places[end].tile
            yield f"{_written(places[i], faces)}-{_number(last, faces)}"
        else:
            yield from (_written(place, faces) for place in places[i : end + 1])
        i = end + 1


def _number(tile: Tile | None, faces: Faces) -> str:
    number = tile.number if tile and tile.number else 0
    return RANKS[number - 1] if faces is Faces.CARDS else str(number)


def _stretch(places: Sequence[Place], start: int) -> tuple[int, int]:
    """The longest stretch of a run from ``start`` on: its step and its last index."""
    best = (0, start)
    for step in (1, -1):
        end = start
        while end + 1 < len(places) and _follows(places[end], places[end + 1], step):
            end += 1
        if end > best[1]:
            best = (step, end)
    return best


def _follows(place: Place, following: Place, step: int) -> bool:
    """Whether two sure tiles neighbour each other in a run."""
    if len(place.readings) != 1 or len(following.readings) != 1:
        return False
    one, other = place.readings[0], following.readings[0]
    if one.number is None or other.number is None:
        return False
    return one.colour is other.colour and other.number == one.number + step
