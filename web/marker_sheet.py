"""The printed sheet of markers: four squares to cut out and lay at the corners of the table."""

from __future__ import annotations

import io
import textwrap
from collections.abc import Mapping

from PIL import Image, ImageDraw, ImageFont

from vision.markers import MARKER_CELLS, MARKER_IDS, marker

FORMATS: Mapping[str, str] = {".pdf": "PDF", ".png": "PNG"}

_DPI = 150
_PAGE = (1240, 1754)
"""A4 upright, in pixels."""
_SIDE = 354
"""A marker is 6 cm wide."""
_WHITE = _SIDE // MARKER_CELLS
"""A marker is found by the white around it: cut along the grey line, not closer."""
_PLACES = ((130, 250), (640, 250), (130, 800), (640, 800))
_TEXT, _CUT = "#222222", "#b0b0b0"
_STEPS = (
    "1. Print this page in its own size, in black on white, and cut the four squares out along the grey lines.",
    "2. Lay or stick one at each corner of the playing area, flat. Which lies where does not matter.",
    "3. The table then reaches from the outer corner of one to that of the next: nothing outside is looked at.",
)


def marker_sheet(kind: str) -> bytes:
    """The page as a file of ``kind``, PDF or PNG."""
    page = Image.new("RGB", _PAGE, "white")
    draw = ImageDraw.Draw(page)
    draw.text((100, 70), "tileref: markers for the table's corners", _TEXT, _font(44))
    draw.text((100, 140), "The camera finds the table by them, also after it was moved.", _TEXT, _font(26))
    for index, (left, top) in enumerate(_PLACES[: len(MARKER_IDS)]):
        edge = _SIDE + 2 * _WHITE
        draw.rectangle((left, top, left + edge, top + edge), outline=_CUT, width=2)
        page.paste(Image.fromarray(marker(index, _SIDE)).convert("RGB"), (left + _WHITE, top + _WHITE))
        draw.text((left + edge / 2, top + edge + 26), f"marker {index + 1}", _TEXT, _font(24), anchor="mm")
    lines = [line for step in _STEPS for line in (*textwrap.wrap(step, 88), "")]
    for number, line in enumerate(lines):
        draw.text((100, 1380 + 32 * number), line, _TEXT, _font(24))
    data = io.BytesIO()
    page.save(data, kind, **({"resolution": float(_DPI)} if kind == "PDF" else {"dpi": (_DPI, _DPI)}))
    return data.getvalue()


def _font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    """Pillow's own letters: the page looks the same on every computer."""
    return ImageFont.load_default(size)
