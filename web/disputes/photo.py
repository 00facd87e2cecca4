"""A photo from a phone: checked, looked at, and kept as a picture that every browser shows.

Pictures are uint8 (H, W, 3) BGR, upright.  What is kept holds no metadata: a phone writes into them where it was.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from referee.observation import Observation
from referee.ruling import TableRuling
from referee.told import ToldError
from vision.intake import PhotoError, check_photo, read_photo
from web.annotate import annotate
from web.disputes.case import Case, scaled
from web.evidence.picture import pixels_of
from web.examine import Examined
from web.tongue import ENGLISH, spoken
from web.wiring import Eyes

Pixels = npt.NDArray[np.uint8]

LONGEST_KEPT_PX = 2400
"""Enough to read the smallest tile by eye; a photo of 48 megapixels would take a phone's whole memory."""
_KEPT_QUALITY, _RULING_QUALITY = 90, 88
NAMELESS = "photo"
"""What a photo without a name is called in a sentence of any language: as a file might be."""
MOST_NAME = 80
"""Letters of a file's name that a sentence shows."""


class UnusableError(ToldError):
    """A photo cannot be used; one sentence that begins with the name its owner knows it by."""


@dataclass(frozen=True, slots=True)
class LookedAt:
    """A reading, in pixels of the picture that is kept, and that picture as JPEG."""

    reading: Observation
    picture: bytes
    models: Mapping[str, str]


def shown_name(name: str) -> str:
    """The name of an uploaded file as a sentence may show it."""
    last = name.replace("\\", "/").rpartition("/")[2]
    plain = "".join(letter for letter in last if letter.isprintable()).strip()
    return plain if 0 < len(plain) <= MOST_NAME else (plain[:MOST_NAME] + "…" if plain else NAMELESS)


def check_upload(path: Path, name: str) -> None:
    """Refuse what is no photo by its first bytes, before anybody waits for it.  Raises ``UnusableError``."""
    try:
        check_photo(path)
    except PhotoError as error:
        raise _of_owner(error, name) from error


def look_at(path: Path, name: str, eyes: Eyes) -> LookedAt:
    """Read and see an uploaded photo.  Raises ``UnusableError``."""
    try:
        image = read_photo(path).image
    except PhotoError as error:
        raise _of_owner(error, name) from error
    reading = eyes.look(image).observation
    kept = _kept(image)
    return LookedAt(scaled(reading, kept.shape[1], kept.shape[0]), _jpeg(kept, _KEPT_QUALITY), eyes.models)


def annotated(picture: bytes, case: Case, seen: Observation, ruling: TableRuling) -> bytes:
    """The kept picture with its ruling drawn on it, as JPEG; in English, for its font has no other letters."""
    examined = Examined(Path(case.photo), pixels_of(picture), seen, ruling, {}, case.models)
    with spoken(ENGLISH):
        return _jpeg(annotate(examined), _RULING_QUALITY)


def _of_owner(error: PhotoError, name: str) -> UnusableError:
    """The same with the name that the owner knows instead of where the file lies here."""
    return UnusableError(error.template, **{**error.values, "path": name})


def _kept(image: Pixels) -> Pixels:
    height, width = image.shape[:2]
    factor = min(1.0, LONGEST_KEPT_PX / max(height, width))
    size = (max(1, round(width * factor)), max(1, round(height * factor)))
    return image if factor == 1.0 else np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8)


def _jpeg(image: Pixels, quality: int) -> bytes:
    encoded, data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, quality])
    if not encoded:
        raise ValueError("a picture cannot be written as JPEG")
    return data.tobytes()
