"""Numeral shapes: which installed fonts the renderer may use, and which are kept out of training.

Fonts come from installed packages (Debian's ``fonts-*``, the ``font-*`` packages of PyPI); none is part of the project.
Where none of them is installed, Pillow's own embedded font serves, so that rendering works anywhere.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw, ImageFont

from vision.render.strokes import Pen, digit_mask

GLYPH_HEIGHT = 120
"""Height in pixels at which numerals are drawn once and cached."""

TRAINING_FONTS: tuple[str, ...] = (
    "AerialBd", "AveriaSansGWF-Bold", "B612-Bold", "BebasNeue-Bold", "BebasNeue-Regular", "C059-Bold",
    "Cantarell-Bold", "Cantarell-ExtraBold", "Carlito-Bold", "ClearSans-Bold", "ClearSans-Medium", "Comfortaa-Bold",
    "ComicNeue-Bold", "DejaVuSans", "DejaVuSans-Bold", "DejaVuSansCondensed-Bold", "DejaVuSerif-Bold",
    "DejaVuSerifCondensed-Bold", "Dosis-Bold", "Dosis-ExtraBold", "FiraCode-Bold", "FreeSansBold", "FreeSerifBold",
    "GFSNeohellenicBold", "GilliusADF-Bold", "GilliusADF-BoldCond", "Inter-Black", "Inter-Bold", "Inter-Medium",
    "InterDisplay-ExtraBold", "Jura-Bold", "Karla-Bold", "Karla-ExtraBold", "LeagueSpartan-Bold",
    "LeagueSpartan-ExtraBold", "LiberationSans-Bold", "LiberationSansNarrow-Bold", "LiberationSerif-Bold",
    "LibrisADFStd-Bold", "MekanusADFStd-Bold", "NanumBarunGothicBold", "NanumGothicBold", "NimbusRoman-Bold",
    "NimbusSans-Bold", "NimbusSans-Regular", "NimbusSansNarrow-Bold", "OpenSans-Bold", "OpenSans-CondBold",
    "OpenSans-ExtraBold", "OpenSans-Semibold", "Quicksand-Bold", "Quicksand-Medium", "Roboto-Black", "Roboto-Bold",
    "Roboto-Medium", "Sora-Bold", "Sora-ExtraBold", "SwitzeraADF-Bold", "SwitzeraADF-BoldCond", "SwitzeraADF-BoldExt",
    "SwitzeraADF-ExtraBold", "TribunADFStd-Bold", "TribunADFStd-ExtraBold", "URWBookman-Demi", "URWGothic-Demi",
    "UniversalisADFStd-Bold", "UniversalisADFStd-BoldCond", "Verana-Bold", "VeranaSans-Bold",
    "VeranaSansDemi-Regular", "allerta_medium", "tiresias_infofont_bold", "tiresias_pcfont_bold",
    "tiresias_signfont_bold", "SourceSansPro-Bold", "SourceSansPro-Black", "FredokaOne-Regular",
)  # fmt: skip

WIDER_FONTS: tuple[str, ...] = (
    "Aerial", "AerialMonoBd", "AveriaSansGWF-Regular", "B612-Regular", "B612Mono-Bold", "BebasNeue-Light",
    "C059-BdIta", "Cantarell-Regular", "Carlito-Regular", "Comfortaa-Regular", "ComicNeue-BoldItalic",
    "DejaVuSansCondensed", "DejaVuSansMono-Bold", "Dosis-Medium", "FiraCode-Medium", "FreeMonoBold",
    "FreeSansBoldOblique", "FreeSerifBoldItalic", "GilliusADF-Cond", "GilliusADFNo2-BoldCond", "InterDisplay-Black",
    "Jura-SemiBold", "LeagueSpartan-Black", "LeagueSpartan-Medium", "LiberationMono-Bold", "LiberationSans-Regular",
    "LiberationSansNarrow-Regular", "LibrisADFStd-Regular", "MekanusADFTitlingStd-Bold", "NanumMyeongjoBold",
    "NimbusMonoPS-Bold", "NimbusSansNarrow-Regular", "OpenSans-Regular", "Roboto-BlackItalic", "Roboto-Regular",
    "Sora-SemiBold", "SourceSansPro-Semibold", "SwitzeraADF-Cond", "SwitzeraADF-Ext", "TribunADFStd-BoldCond",
    "Tymes", "TymesBd", "URWBookman-Light", "URWGothic-Book", "UniversalisADFStd-BoldCondIt", "Verana-Regular",
    "VerandaBd", "Z003-MediumItalic", "allerta_stencil", "tiresias_infofontz_bold",
)  # fmt: skip
"""More fonts for training boxes only: thin, wide, narrow, slanted, written, stencilled, with feet."""

JUDGE_FONTS: tuple[str, ...] = (
    "Cabin-Bold", "Lato-Black", "Lato-Bold", "Manrope-ExtraBold", "NanumSquareRoundB", "P052-Bold", "Play-Bold",
    "RobotoCondensed-Bold", "YanoneKaffeesatz-Bold",
)  # fmt: skip
"""Never used in training: the tables that judge us are drawn with these."""

_FONT_FOLDERS = (Path("/usr/share/fonts"), Path("/usr/local/share/fonts"), Path("/Library/Fonts"))

Mask = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class NumeralShape:
    """How a box draws its numerals: a font or a pen, squeezed, thickened, slanted, rounded.

    ``squeeze`` scales the width; ``thicken`` is a dilation in glyph pixels (negative: erosion); ``slant`` is the
    horizontal shift per unit of height; ``tracking`` moves the two digits apart, in glyph heights.  ``pen`` draws the
    digits instead of the font (which then serves for words alone).
    """

    font: str | None
    squeeze: float = 1.0
    thicken: int = 0
    slant: float = 0.0
    tracking: float = 0.0
    pen: Pen | None = None


@lru_cache(maxsize=1)
def _installed() -> dict[str, Path]:
    """Font files by stem, from system folders and from ``font_*`` packages beside this interpreter's packages."""
    folders = list(_FONT_FOLDERS)
    for entry in sys.path:
        folders.extend(sorted(Path(entry).glob("font_*")) if entry else [])
    found: dict[str, Path] = {}
    for folder in folders:
        if folder.is_dir():
            for path in sorted(folder.rglob("*.[to]tf")):
                found.setdefault(path.stem, path)
    return found


def available_fonts(names: tuple[str, ...]) -> tuple[str, ...]:
    """Those of ``names`` (file stems) that are installed, in the given order; may be empty."""
    installed = _installed()
    return tuple(name for name in names if name in installed)


def font_file(name: str) -> Path:
    """The file of one of the ``available_fonts``."""
    return _installed()[name]


@lru_cache(maxsize=256)
def _font(name: str | None) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    if name is None:
        return ImageFont.load_default(GLYPH_HEIGHT * 1.35)
    return ImageFont.truetype(str(font_file(name)), int(GLYPH_HEIGHT * 1.4))


@lru_cache(maxsize=4096)
def _text_mask(font: str | None, text: str) -> npt.NDArray[np.uint8]:
    """``text`` as a tight uint8 mask (h, w), ink 255."""
    face = _font(font)
    left, top, right, bottom = face.getbbox(text)
    canvas = Image.new("L", (int(right - left) + 8, int(bottom - top) + 8), 0)
    ImageDraw.Draw(canvas).text((4 - left, 4 - top), text, font=face, fill=255)
    mask = np.asarray(canvas)
    ys, xs = np.nonzero(mask > 40)
    return np.ascontiguousarray(mask[ys.min() : ys.max() + 1, xs.min() : xs.max() + 1])


@lru_cache(maxsize=4096)
def numeral_mask(shape: NumeralShape, text: str) -> Mask:
    """A numeral as float32 mask (GLYPH_HEIGHT + 16, w), 0 to 1, with 8 pixels of margin on every side."""
    parts = []
    for character in text if shape.tracking or shape.pen else [text]:
        mask = digit_mask(shape.pen, character) if shape.pen else _text_mask(shape.font, character)
        scale = GLYPH_HEIGHT / mask.shape[0]
        width = max(4, round(mask.shape[1] * scale * shape.squeeze))
        parts.append(cv2.resize(mask, (width, GLYPH_HEIGHT), interpolation=cv2.INTER_AREA))
        parts.append(np.zeros((GLYPH_HEIGHT, max(1, round(shape.tracking * GLYPH_HEIGHT))), np.uint8))
    joined = np.pad(np.hstack(parts[:-1]), 8)
    if shape.thicken:
        kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * abs(shape.thicken) + 1,) * 2)
        joined = cv2.dilate(joined, kernel) if shape.thicken > 0 else cv2.erode(joined, kernel)
    if shape.slant:
        height, width = joined.shape
        shift = abs(shape.slant) * height
        lean = np.array([[1, -shape.slant, max(0.0, shape.slant) * height], [0, 1, 0]], np.float32)
        joined = cv2.warpAffine(joined, lean, (int(width + shift), height))
    return np.asarray(joined, np.float32) / 255.0


@lru_cache(maxsize=512)
def word_mask(font: str | None, text: str) -> Mask:
    """A word as tight float32 mask, 0 to 1 (imprints, printed distractors)."""
    return np.asarray(_text_mask(font, text), np.float32) / 255.0
