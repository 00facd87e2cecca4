"""A taught box as a file: a zip of plain JSON, one JPEG and raw numbers, checked through and through when it is read.

Members: ``box.json`` (what the box is called and holds, and the head's lens, kinds, temperatures and network),
``examples.jpg`` (the strip), ``head.bin`` (the head's arrays one after the other, little-endian float32).
"""

from __future__ import annotations

import io
import json
import zipfile
import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from referee.tiles import Joker, NotationError, parse_tile
from vision.colour import InkPrior
from vision.read import COLOUR_CLASSES, FEATURES, NUMBER_CLASSES
from vision.taught.box import BoxHead, Faces, TaughtBox
from vision.taught.drawing import INPUTS as DRAWING
from vision.taught.lens import WHOLE_FACE, Lens

Floats = NDArray[np.float64]

FORMAT = 2
_ALSO_READ = 1
"""The format before: its head knew the lens' view alone, and is learned anew from the examples."""
LARGEST_FILE = 4_000_000
"""Bytes; a box of 112 tiles takes less than half a million."""
MOST_EXAMPLES = 1000
_MEMBERS = {"box.json": 200_000, "examples.jpg": LARGEST_FILE, "head.bin": 200_000}
"""Every member with the most bytes that it may unpack to."""
_MADE_AT = (1980, 1, 1, 0, 0, 0)
"""The same box gives the same bytes."""


class BoxFileError(ValueError):
    """A file is not a usable taught box; the message is one sentence on what is wrong with it."""


def to_bytes(box: TaughtBox) -> bytes:
    """The box as a file; ``from_bytes`` reads an equal one from it, but for numbers rounded to float32."""
    described: dict[str, object] = {
        "format": FORMAT,
        "name": box.name,
        "faces": box.faces.value,
        "tiles": [str(tile) for tile in box.tiles],
        "reader": box.reader,
        "head": None,
    }
    numbers = b""
    if box.head is not None:
        head, lens = box.head, box.head.lens
        described["head"] = {
            "lens": [lens.centre_y, lens.zoom, lens.stretch, lens.slant],
            "kinds": [kind.value for kind in head.kinds],
            "temperatures": [head.number_temperature, head.colour_temperature, head.joker_temperature],
        }
        arrays = (head.numbers, head.colours, head.jokers, head.mistaken_numbers, head.mistaken_colours,
                  head.inks.mean, head.inks.spread)  # fmt: skip
        numbers = b"".join(array.astype("<f4").tobytes() for array in arrays)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in (
            ("box.json", json.dumps(described, indent=1).encode()),
            ("examples.jpg", box.strip),
            ("head.bin", numbers),
        ):
            archive.writestr(zipfile.ZipInfo(name, _MADE_AT), data, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def from_bytes(data: bytes) -> TaughtBox:
    """Read a box.  Raises ``BoxFileError`` for anything that is not one, whole and of a format known here."""
    members = _unpacked(data)
    try:
        described = json.loads(members["box.json"])
    except (UnicodeDecodeError, ValueError, RecursionError):
        raise BoxFileError("It is no taught box: its description cannot be read.") from None
    if not isinstance(described, dict) or not isinstance(described.get("format"), int):
        raise BoxFileError("It is no taught box: its description names no format.")
    if described["format"] not in (_ALSO_READ, FORMAT):
        raise BoxFileError(
            f"It is a taught box of format {described['format']}, and this version reads formats {_ALSO_READ} and"
            f" {FORMAT} alone."
        )
    try:
        box = _box(described, members["examples.jpg"], members["head.bin"])
    except (KeyError, TypeError, ValueError, NotationError, OverflowError):
        raise BoxFileError("It is a taught box, but damaged: its parts do not fit together.") from None
    return box


def _unpacked(data: bytes) -> Mapping[str, bytes]:
    """The members of the archive, none larger than it may be."""
    if len(data) > LARGEST_FILE:
        raise BoxFileError("It is too large to be a taught box.")
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = {entry.filename: entry for entry in archive.infolist()}
            if set(entries) != set(_MEMBERS) or len(archive.infolist()) != len(_MEMBERS):
                raise BoxFileError("It is no taught box: it holds other files.")
            if any(entries[name].file_size > most for name, most in _MEMBERS.items()):
                raise BoxFileError("It is too large to be a taught box.")
            return {name: _member(archive, name, most) for name, most in _MEMBERS.items()}
    except BoxFileError:
        raise
    except (zipfile.BadZipFile, zipfile.LargeZipFile, OSError, EOFError, RuntimeError, NotImplementedError,
            ValueError, zlib.error):  # fmt: skip
        raise BoxFileError("It is no taught box, or not a whole one: it cannot be unpacked.") from None


def _member(archive: zipfile.ZipFile, name: str, most: int) -> bytes:
    """One member, read no further than it may be long, whatever its header promises."""
    with archive.open(name) as file:
        data = file.read(most + 1)
    if len(data) > most:
        raise BoxFileError("It is too large to be a taught box.")
    return data


def _box(described: Mapping[str, Any], strip: bytes, numbers: bytes) -> TaughtBox:
    tiles = described["tiles"]
    if not isinstance(tiles, list) or len(tiles) > MOST_EXAMPLES:
        raise ValueError("tiles are a list")
    reader = described["reader"]
    name = described["name"]
    if not isinstance(reader, str) or not isinstance(name, str) or not name:
        raise TypeError("names are texts")
    known = described["head"] is not None and described["format"] == FORMAT
    head = _head(described["head"], numbers) if known else None
    box = TaughtBox(name, tuple(parse_tile(code) for code in tiles), strip, Faces(described["faces"]), reader, head)
    box.examples  # noqa: B018  a strip that cannot be unrolled is noticed here
    return box


def _head(described: Mapping[str, Any], data: bytes) -> BoxHead:
    kinds = tuple(Joker(kind) for kind in described["kinds"])
    if not kinds or len(set(kinds)) != len(kinds):
        raise ValueError("kinds of joker are given once each")
    centre_y, zoom, stretch, slant = (_within(value, -4, 8) for value in described["lens"])
    lens = Lens(centre_y, _within(zoom, 0.25, 8), _within(stretch, 0.25, 8), _within(slant, -2, 2))
    number_t, colour_t, joker_t = (_within(value, 0.1, 20) for value in described["temperatures"])
    numbers_k, colours_k = len(NUMBER_CLASSES), len(COLOUR_CLASSES)
    inputs = FEATURES + 1 if lens == WHOLE_FACE else 2 * FEATURES + 1
    shapes = ((inputs, numbers_k), (inputs, colours_k), (DRAWING, len(kinds) + 1), (numbers_k, numbers_k),
              (colours_k, colours_k), (colours_k, 3), (colours_k, 3))  # fmt: skip
    flat = np.frombuffer(data, "<f4").astype(np.float64)
    sizes = [rows * columns for rows, columns in shapes]
    if len(flat) != sum(sizes) or not np.isfinite(flat).all():
        raise ValueError("the head has other numbers")
    parts = np.split(flat, np.cumsum(sizes)[:-1])
    numbers_w, colours_w, jokers_w, mistaken, mistinted, mean, spread = (
        part.reshape(shape) for part, shape in zip(parts, shapes, strict=True)
    )
    if (mistaken <= 0).any() or (mistinted <= 0).any() or (spread <= 0).any():
        raise ValueError("shares and spreads are above nought")
    return BoxHead(
        lens=lens,
        kinds=kinds,
        numbers=numbers_w,
        colours=colours_w,
        jokers=jokers_w,
        number_temperature=number_t,
        colour_temperature=colour_t,
        joker_temperature=joker_t,
        mistaken_numbers=mistaken,
        mistaken_colours=mistinted,
        inks=InkPrior(mean, spread),
    )


def _within(value: object, least: float, most: float) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:
        raise ValueError(f"{value!r} is no number from {least} to {most}")
    return float(value)
