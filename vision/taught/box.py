"""What is known of a taught box."""

from __future__ import annotations

import hashlib
import io
import warnings
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image

from referee.tiles import Joker, Tile
from vision.colour import InkPrior
from vision.taught.examples import EXAMPLE_HEIGHT, EXAMPLE_WIDTH, Example
from vision.taught.lens import Lens

Floats = NDArray[np.float64]

_STRIP_COLUMNS = 16
_STRIP_QUALITY = 92


class Faces(StrEnum):
    """What a box holds."""

    TILES = "tiles"
    CARDS = "cards"


@dataclass(frozen=True, slots=True)
class BoxHead:
    """How one reader network reads a taught box.

    The network looks through ``lens``.  Its features (N, 192) with a one behind them, times ``numbers`` (193, 17) and
    ``colours`` (193, 4), correct its own logits; behind a lens that does not show the whole face they follow on the
    192 features of the whole face, so that the weights have 385 rows.  The plan of a joker's drawing (193,), see
    ``drawing``, times ``jokers`` (193, J + 1) are the logits of the box's ``kinds`` of joker and of another box's
    joker.  All logits are divided by the temperatures.  ``mistaken_numbers`` (17, 17) and ``mistaken_colours`` (4, 4)
    are what the network says, untaught and of the whole tile, where a tile of that class lies: a row for each class.
    All arrays are float64.
    """

    lens: Lens
    kinds: tuple[Joker, ...]
    numbers: Floats
    colours: Floats
    jokers: Floats
    number_temperature: float
    colour_temperature: float
    joker_temperature: float
    mistaken_numbers: Floats
    mistaken_colours: Floats
    inks: InkPrior
    """Measured through the lens, too."""


@dataclass(frozen=True)
class TaughtBox:
    """A club's own box.

    ``strip`` is a JPEG of the examples, ``tiles`` what they show; ``reader`` the SHA-256 of the network that ``head``
    was fitted to.  A deck of cards has no head: cards are read by their own code.
    """

    name: str
    tiles: tuple[Tile, ...]
    strip: bytes
    faces: Faces = Faces.TILES
    reader: str = ""
    head: BoxHead | None = None

    @cached_property
    def examples(self) -> tuple[Example, ...]:
        """The tiles with their pictures.  Raises ``ValueError`` for a strip that does not hold so many."""
        crops = unrolled(self.strip, len(self.tiles))
        return tuple(Example(tile, crop) for tile, crop in zip(self.tiles, crops, strict=True))

    @property
    def fingerprint(self) -> str:
        """Twelve hexadecimal digits that tell this box's examples from any others."""
        codes = " ".join(str(tile) for tile in self.tiles)
        return hashlib.sha256(codes.encode() + b"\n" + self.strip).hexdigest()[:12]


def strip_of(examples: tuple[Example, ...]) -> bytes:
    """Examples side by side, in rows of 16, as one JPEG."""
    rows = -(-len(examples) // _STRIP_COLUMNS)
    sheet = np.zeros((rows * EXAMPLE_HEIGHT, _STRIP_COLUMNS * EXAMPLE_WIDTH, 3), np.uint8)
    for k, example in enumerate(examples):
        _cell(sheet, k)[:] = example.crop
    done, data = cv2.imencode(".jpg", sheet, [cv2.IMWRITE_JPEG_QUALITY, _STRIP_QUALITY])
    if not done:
        raise ValueError("the examples cannot be written as a JPEG")
    return data.tobytes()


def unrolled(strip: bytes, count: int) -> NDArray[np.uint8]:
    """The ``count`` examples of a strip, uint8 (count, 128, 96, 3) BGR.  ``ValueError`` when it does not hold them."""
    size = (_STRIP_COLUMNS * EXAMPLE_WIDTH, -(-count // _STRIP_COLUMNS) * EXAMPLE_HEIGHT)
    try:
        with warnings.catch_warnings(action="ignore"), Image.open(io.BytesIO(strip), formats=("JPEG",)) as picture:
            if picture.size != size:  # before it is unpacked
                raise ValueError(f"the strip does not hold {count} examples")
            sheet = np.asarray(picture.convert("RGB"))[..., ::-1]
    except (OSError, Image.DecompressionBombError, SyntaxError):
        raise ValueError(f"the strip does not hold {count} examples") from None
    return np.stack([_cell(sheet, k) for k in range(count)])


def _cell(sheet: NDArray[np.uint8], index: int) -> NDArray[np.uint8]:
    """The place of one example in a sheet, as a view."""
    row, column = divmod(index, _STRIP_COLUMNS)
    top, left = row * EXAMPLE_HEIGHT, column * EXAMPLE_WIDTH
    return sheet[top : top + EXAMPLE_HEIGHT, left : left + EXAMPLE_WIDTH]
