"""The printed guide: one page that shows how to lay a box out for ``tileref teach``."""

from __future__ import annotations

import io
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from PIL import Image, ImageDraw, ImageFont

from referee.cards import RANKS
from referee.switches import Faces
from referee.tiles import Colour
from web.messages import COLOUR_NAMES

FORMATS: Mapping[str, str] = {".pdf": "PDF", ".png": "PNG"}

_DPI = 150
_PAGE = (1754, 1240)
"""A4 lying on its side, in pixels."""
_INKS = {Colour.RED: "#c62828", Colour.BLUE: "#1565c0", Colour.BLACK: "#212121", Colour.ORANGE: "#ef8a00"}
_CARD_INKS = {suit: _INKS[Colour.RED if suit in {Colour.RED, Colour.ORANGE} else Colour.BLACK] for suit in Colour}
_BODY, _RIM, _TEXT = "#fdf8ec", "#b8b0a0", "#222222"
_LEFT, _TOP, _STEP_X, _STEP_Y, _TILE = 220, 235, 76, 106, (64, 90)
_TEXT_LEFT, _LETTERS_A_LINE = 1250, 44
_TILE_STEPS = (
    "1. Lay all tiles face up on a plain table, a little apart: one row for each colour, from 1 to 13.",
    "2. Lay the second copies in four more rows below, in the same order of colours, and the jokers in a last row.",
    "3. Is a tile missing? Leave its place empty.",
    "4. Take one photo from above with all tiles in it, in even light without glare; or two photos, each of a half.",
    "5. Type:",
    "  tileref teach photo.jpg --name club-box",
    "and from then on:",
    "  tileref check table.jpg --box club-box",
    "Jokers of several kinds: lay regular, double, colour-change and mirror in this order, and add:",
    '  --jokers "J JD JC JM"',
)
_CARD_STEPS = (
    "1. Lay the deck face up on a plain table that is darker than the cards: one row for each suit, from ace to king.",
    "2. Leave a gap around every card: whole cards are looked for, and none may lie on another.",
    "3. Lay a second deck, if there is one, in four more rows in the same order, and the jokers in a last row.",
    "4. Is a card missing? Leave its place empty.",
    "5. Take one photo from above with all cards in it, in even light without glare; or two photos, each of a half.",
    "6. Type:",
    "  tileref teach photo.jpg --faces cards --name club-deck",
    "and from then on:",
    "  tileref check table.jpg --box club-deck",
)


@dataclass(frozen=True, slots=True)
class _Sheet:
    """What differs from page to page: headings, how many rows of a colour there are, how one face and joker look, and
    what is to be done."""

    title: str
    heading: str
    copies: int
    face: Callable[[ImageDraw.ImageDraw, int, int, Colour], None]
    inks: Mapping[Colour, str]
    steps: tuple[str, ...]


def guide(order: Sequence[Colour], kind: str, faces: Faces = Faces.TILES) -> bytes:
    """The page as a file of ``kind``, PDF or PNG, the colours or suits in their order."""
    sheet = _SHEETS[faces]
    page = Image.new("RGB", _PAGE, "white")
    draw = ImageDraw.Draw(page)
    draw.text((80, 50), sheet.title, _TEXT, _font(44))
    draw.text((80, 125), sheet.heading, _TEXT, _font(26))
    rows = [*order] * sheet.copies
    for row, colour in enumerate(rows):
        draw.text((80, _TOP + row * _STEP_Y + 24), COLOUR_NAMES[faces][str(colour)], sheet.inks[colour], _font(28))
        for column in range(13):
            sheet.face(draw, row, column, colour)
    draw.text((80, _TOP + len(rows) * _STEP_Y + 24), "jokers", _TEXT, _font(28))
    for column, colour in enumerate((Colour.RED, Colour.BLACK)):
        _joker(draw, len(rows), column, _INKS[colour])
    lines = [
        line for step in sheet.steps for line in (*textwrap.wrap(step, _LETTERS_A_LINE, break_on_hyphens=False), "")
    ]
    for number, line in enumerate(lines):
        draw.text((_TEXT_LEFT, _TOP + 30 * number), line, _TEXT, _font(22))
    data = io.BytesIO()
    page.save(data, kind, **({"resolution": float(_DPI)} if kind == "PDF" else {"dpi": (_DPI, _DPI)}))
    return data.getvalue()


def _font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    """Pillow's own letters: the page looks the same on every computer."""
    return ImageFont.load_default(size)


def _place(row: int, column: int) -> tuple[int, int, int, int]:
    left, top = _LEFT + column * _STEP_X, _TOP + row * _STEP_Y
    return left, top, left + _TILE[0], top + _TILE[1]


def _blank(draw: ImageDraw.ImageDraw, row: int, column: int) -> tuple[float, int]:
    """Draw a face without print; returns the middle of its upper edge."""
    left, top, right, bottom = _place(row, column)
    draw.rounded_rectangle((left, top, right, bottom), 8, _BODY, _RIM, 2)
    return (left + right) / 2, top


def _tile(draw: ImageDraw.ImageDraw, row: int, column: int, colour: Colour) -> None:
    middle, top = _blank(draw, row, column)
    draw.text((middle, top + 32), str(column + 1), _INKS[colour], _font(34), anchor="mm")


def _card(draw: ImageDraw.ImageDraw, row: int, column: int, suit: Colour) -> None:
    middle, top = _blank(draw, row, column)
    draw.text((middle - 14, top + 20), RANKS[column], _CARD_INKS[suit], _font(24), anchor="mm")
    _sign(draw, middle - 14, top + 44, 7, suit)
    _sign(draw, middle + 6, top + 62, 13, suit)


def _sign(draw: ImageDraw.ImageDraw, x: float, y: float, reach: float, suit: Colour) -> None:
    """A suit's sign around a point, drawn: not every font has them."""
    ink = _CARD_INKS[suit]

    def disc(across: float, down: float, radius: float) -> None:
        left, top, size = x + across * reach, y + down * reach, radius * reach
        draw.ellipse((left - size, top - size, left + size, top + size), fill=ink)

    def area(*corners: tuple[float, float]) -> None:
        draw.polygon([(x + across * reach, y + down * reach) for across, down in corners], fill=ink)

    match suit:
        case Colour.ORANGE:  # diamonds
            area((0, -1), (0.75, 0), (0, 1), (-0.75, 0))
        case Colour.RED:  # hearts
            area((-0.93, -0.2), (0.93, -0.2), (0, 1))
            disc(-0.48, -0.4, 0.5)
            disc(0.48, -0.4, 0.5)
        case Colour.BLACK:  # spades
            area((-0.9, 0.15), (0.9, 0.15), (0, -1))
            disc(-0.45, 0.3, 0.48)
            disc(0.45, 0.3, 0.48)
            area((0, 0), (0.35, 1), (-0.35, 1))
        case Colour.BLUE:  # clubs
            disc(0, -0.5, 0.45)
            disc(-0.5, 0.2, 0.45)
            disc(0.5, 0.2, 0.45)
            area((0, -0.3), (0.35, 1), (-0.35, 1))


def _joker(draw: ImageDraw.ImageDraw, row: int, column: int, ink: str) -> None:
    middle, top = _blank(draw, row, column)
    centre = top + 36
    draw.ellipse((middle - 20, centre - 20, middle + 20, centre + 20), outline=ink, width=3)
    for side in (-7, 7):
        draw.ellipse((middle + side - 3, centre - 9, middle + side + 3, centre - 3), fill=ink)
    draw.arc((middle - 11, centre - 8, middle + 11, centre + 12), 20, 160, fill=ink, width=3)


_SHEETS = {
    Faces.TILES: _Sheet(
        title="How to lay out a box, so that tileref learns it",
        heading="One row for each colour, every row from 1 on the left to 13 on the right.",
        copies=2,
        face=_tile,
        inks=_INKS,
        steps=_TILE_STEPS,
    ),
    Faces.CARDS: _Sheet(
        title="How to lay out a deck of cards, so that tileref learns it",
        heading="One row for each suit, every row from the ace on the left to the king on the right.",
        copies=1,
        face=_card,
        inks=_CARD_INKS,
        steps=_CARD_STEPS,
    ),
}
