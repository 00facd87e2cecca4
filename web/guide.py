"""The printed guide: one page that shows how to lay a box out for ``tileref teach``."""

from __future__ import annotations

import io
import textwrap
from collections.abc import Mapping, Sequence

from PIL import Image, ImageDraw, ImageFont

from referee.switches import Faces
from referee.tiles import Colour
from web.messages import COLOUR_NAMES

FORMATS: Mapping[str, str] = {".pdf": "PDF", ".png": "PNG"}

_DPI = 150
_PAGE = (1754, 1240)
"""A4 lying on its side, in pixels."""
_INKS = {Colour.RED: "#c62828", Colour.BLUE: "#1565c0", Colour.BLACK: "#212121", Colour.ORANGE: "#ef8a00"}
_BODY, _RIM, _TEXT = "#fdf8ec", "#b8b0a0", "#222222"
_LEFT, _TOP, _STEP_X, _STEP_Y, _TILE = 220, 235, 76, 106, (64, 90)
_TEXT_LEFT, _LETTERS_A_LINE = 1250, 44
_STEPS = (
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


def guide(order: Sequence[Colour], kind: str) -> bytes:
    """The page as a file of ``kind``, PDF or PNG, the colours in their order."""
    page = Image.new("RGB", _PAGE, "white")
    draw = ImageDraw.Draw(page)
    draw.text((80, 50), "How to lay out a box, so that tileref learns it", _TEXT, _font(44))
    draw.text((80, 125), "One row for each colour, every row from 1 on the left to 13 on the right.", _TEXT, _font(26))
    rows = [*order, *order]
    for row, colour in enumerate(rows):
        draw.text((80, _TOP + row * _STEP_Y + 24), COLOUR_NAMES[Faces.TILES][str(colour)], _INKS[colour], _font(28))
        for column in range(13):
            _tile(draw, row, column, str(column + 1), _INKS[colour])
    draw.text((80, _TOP + len(rows) * _STEP_Y + 24), "jokers", _TEXT, _font(28))
    for column, colour in enumerate((Colour.RED, Colour.BLACK)):
        _joker(draw, len(rows), column, _INKS[colour])
    lines = [line for step in _STEPS for line in (*textwrap.wrap(step, _LETTERS_A_LINE, break_on_hyphens=False), "")]
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


def _tile(draw: ImageDraw.ImageDraw, row: int, column: int, numeral: str, ink: str) -> None:
    left, top, right, bottom = _place(row, column)
    draw.rounded_rectangle((left, top, right, bottom), 8, _BODY, _RIM, 2)
    draw.text(((left + right) / 2, top + 32), numeral, ink, _font(34), anchor="mm")


def _joker(draw: ImageDraw.ImageDraw, row: int, column: int, ink: str) -> None:
    left, top, right, bottom = _place(row, column)
    draw.rounded_rectangle((left, top, right, bottom), 8, _BODY, _RIM, 2)
    middle, centre = (left + right) / 2, top + 36
    draw.ellipse((middle - 20, centre - 20, middle + 20, centre + 20), outline=ink, width=3)
    for side in (-7, 7):
        draw.ellipse((middle + side - 3, centre - 9, middle + side + 3, centre - 3), fill=ink)
    draw.arc((middle - 11, centre - 8, middle + 11, centre + 12), 20, 160, fill=ink, width=3)
