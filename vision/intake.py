"""Reading photo files: any picture a phone or a scanner makes → one upright BGR array, or one sentence why not.

Nothing is scaled here and no tile is looked for.
"""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import cv2
import numpy as np
import numpy.typing as npt
from PIL import ExifTags, ImageOps, UnidentifiedImageError
from PIL import Image as PilImage

from vision.saying import SeeingError

PHOTO_SUFFIXES = frozenset({".jpg", ".jpeg", ".png", ".webp", ".bmp", ".tif", ".tiff", ".heic", ".heif"})
"""Names that count as photos when a folder is given; a file named outright may have any name."""

RULING_MARK = ".ruling"
"""Annotated pictures are called ``NAME.ruling.jpg``; a folder's own rulings are not photos to rule on."""

SMALLEST_SIDE_PX = 32
"""No tile can be read in a picture with a shorter side."""

LARGEST_AREA_PX = 50_000_000
"""More is no phone photo of a table (48 megapixels are); refused before it is decoded."""

_FORMATS: tuple[str, ...] = ("JPEG", "PNG", "WEBP", "BMP", "TIFF", "GIF")
_MAIN_PICTURE_FIRST = frozenset({"MPO", "HEIF"})
"""Phones put a preview, a depth map or a burst behind the photo in these; the first picture is the one they show."""

_HEIC_BRANDS = frozenset({b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"mif1", b"msf1", b"heif"})
_MID_GREY = 128


class PhotoError(SeeingError):
    """A photo cannot be used; one sentence that names the file (``path``) and the cause."""


@dataclass(frozen=True, slots=True)
class Photo:
    """A photo as a person sees it: ``image`` is uint8 (H, W, 3) BGR, turned upright by its EXIF orientation."""

    path: Path
    image: npt.NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Found:
    """Photos in the order asked for, and what was asked for but holds none."""

    photos: tuple[Path, ...]
    failures: tuple[PhotoError, ...]


def find_photos(paths: Iterable[Path]) -> Found:
    """Replace each folder by the photos in it, sorted by name; keep files as they are, missing ones too.

    Hidden files, sub-folders and our own annotated pictures are left out of a folder.
    """
    photos: list[Path] = []
    failures: list[PhotoError] = []
    for path in paths:
        if not path.is_dir():
            photos.append(path)
            continue
        try:
            inside = sorted(entry for entry in path.iterdir() if _is_photo_name(entry) and entry.is_file())
        except OSError as error:
            failures.append(PhotoError("{path} cannot be opened: {cause}.", path=str(path), cause=_reason(error)))
            continue
        if not inside:
            failures.append(PhotoError("{path} is a folder without pictures.", path=str(path)))
        photos.extend(inside)
    return Found(tuple(photos), tuple(failures))


def read_photo(path: Path) -> Photo:
    """Decode one photo file.

    Sixteen-bit grey is scaled to eight bits, CMYK and palettes become colours, see-through parts lie on mid-grey.
    Animations are refused: which of their pictures shows the table is anybody's guess.  Raises ``PhotoError``.
    """
    with _opened(path) as file, _quiet():
        try:
            image = _recognised(path, file)
            _check_shape(path, image)
            image.load()
            return Photo(path, _to_bgr(path, _upright(image)))
        except PhotoError:
            raise
        except Exception as error:  # on damaged bytes Pillow's plugins raise whatever they stumble on
            raise _damage(path, error) from error


def check_photo(path: Path) -> None:
    """Refuse what is no photo by its header alone, before it is decoded.  Raises ``PhotoError``."""
    with _opened(path) as file, _quiet():
        try:
            _check_shape(path, _recognised(path, file))
        except PhotoError:
            raise
        except Exception as error:  # as in read_photo
            raise _damage(path, error) from error


def _is_photo_name(entry: Path) -> bool:
    hidden = entry.name.startswith(".")
    return entry.suffix.lower() in PHOTO_SUFFIXES and not hidden and not entry.stem.endswith(RULING_MARK)


def _opened(path: Path) -> IO[bytes]:
    """The file, not yet read: what is no photo may be a film of ten gigabytes."""
    try:
        if path.is_dir():
            raise PhotoError("{path} is a folder, not a photo.", path=str(path))
        if path.exists() and not path.is_file():
            raise PhotoError("{path} is not an ordinary file.", path=str(path))
        if path.stat().st_size == 0:
            raise PhotoError("{path} is empty.", path=str(path))
        return path.open("rb")
    except PhotoError:
        raise
    except FileNotFoundError as error:
        raise PhotoError("{path} does not exist.", path=str(path)) from error
    except (OSError, ValueError) as error:  # ValueError: a null byte in the name
        raise PhotoError("{path} cannot be opened: {cause}.", path=str(path), cause=_reason(error)) from error


def _recognised(path: Path, file: IO[bytes]) -> PilImage.Image:
    """The picture with its header read."""
    formats = _FORMATS
    head = file.read(12)
    file.seek(0)
    if head[4:8] == b"ftyp" and head[8:12] in _HEIC_BRANDS:
        _register_heic(path)
        formats = ("HEIF",)
    try:
        return PilImage.open(file, formats=formats)
    except PilImage.DecompressionBombError as error:
        raise PhotoError(
            "{path} has far more than {most} megapixels.", path=str(path), most=LARGEST_AREA_PX // 1_000_000
        ) from error
    except UnidentifiedImageError as error:
        raise PhotoError(
            "{path} is damaged or no picture: JPEG, PNG, WebP, BMP, TIFF and HEIC are read.", path=str(path)
        ) from error


def _register_heic(path: Path) -> None:
    try:
        from pillow_heif import register_heif_opener  # noqa: PLC0415  an extra: only HEIC photos need it
    except ImportError as error:
        raise PhotoError(
            "{path} is a HEIC photo, which needs the Python package pillow-heif: pip install pillow-heif.",
            path=str(path),
        ) from error
    register_heif_opener()


def _check_shape(path: Path, image: PilImage.Image) -> None:
    width, height = image.size
    if width * height > LARGEST_AREA_PX:
        limit = LARGEST_AREA_PX // 1_000_000
        raise PhotoError(
            "{path} has {megapixels} megapixels, more than the {most} that are read.",
            path=str(path),
            megapixels=round(width * height / 1e6),
            most=limit,
        )
    if min(width, height) < SMALLEST_SIDE_PX:
        raise PhotoError("{path} is too small: {width} × {height} pixels.", path=str(path), width=width, height=height)
    frames = getattr(image, "n_frames", 1)
    if frames > 1 and image.format not in _MAIN_PICTURE_FIRST:
        if image.format == "TIFF":
            raise PhotoError(
                "{path} is a file of {pictures} pictures: save the one that shows the table.",
                path=str(path),
                pictures=frames,
            )
        raise PhotoError(
            "{path} is an animation of {pictures} pictures: save the one that shows the table.",
            path=str(path),
            pictures=frames,
        )


def _upright(image: PilImage.Image) -> PilImage.Image:
    try:
        # upright already: turning it would copy it
        stored_upright = image.getexif().get(ExifTags.Base.Orientation, 1) == 1
        return image if stored_upright else ImageOps.exif_transpose(image)
    except Exception:  # noqa: BLE001  a damaged EXIF block, in whatever way, says nothing about the pixels
        return image


def _to_bgr(path: Path, image: PilImage.Image) -> npt.NDArray[np.uint8]:
    if image.mode == "F":
        raise PhotoError("{path} holds measured values instead of colours.", path=str(path))
    if image.mode.startswith("I"):
        grey = _eight_bits(np.asarray(image))
        return np.ascontiguousarray(np.repeat(grey[:, :, None], 3, axis=2))
    if image.has_transparency_data:
        layer = image.convert("RGBA")
        ground = PilImage.new("RGBA", layer.size, (_MID_GREY, _MID_GREY, _MID_GREY, 255))
        image = PilImage.alpha_composite(ground, layer)
    rgb = np.asarray(image if image.mode == "RGB" else image.convert("RGB"), dtype=np.uint8)
    return np.asarray(cv2.cvtColor(rgb, cv2.COLOR_RGB2BGR), np.uint8)


def _eight_bits(grey: npt.NDArray[np.generic]) -> npt.NDArray[np.uint8]:
    """Sixteen-bit (or wider) grey (H, W) to eight bits: 65535 is white, or the brightest value where it is higher."""
    values = grey.astype(np.float64).clip(0)
    white = max(65535.0, float(values.max()))
    return np.rint(values * (255 / white)).astype(np.uint8)


def _damage(path: Path, error: BaseException) -> PhotoError:
    text = str(error).lower()
    if any(word in text for word in ("truncated", "end of", "premature", "eof", "incomplete", "too small")):
        return PhotoError("{path} ends too early: it was cut off or not copied completely.", path=str(path))
    return PhotoError("{path} is damaged and cannot be decoded.", path=str(path))


def _reason(error: BaseException) -> str:
    strerror = getattr(error, "strerror", None)
    return (strerror or str(error)).lower().rstrip(".")


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Pillow warns of odd metadata and large pictures; we judge both ourselves."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
