"""A second pair of eyes for doubtful numerals: tesseract, asked once for all of them.

It knows nothing of tiles and was not trained on any, so its mistakes are not the network's mistakes.  That is its
whole worth: it can confirm a doubtful reading or make it more doubtful, never replace it.
"""

from __future__ import annotations

import shutil
import subprocess  # its errors only: pytesseract lets them through
import time
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
import pytesseract
from numpy.typing import NDArray

from referee.tiles import HIGHEST_NUMBER, LOWEST_NUMBER
from vision.colour import LEAST_PEAK, deviation
from vision.rectify import inner

_NUMBERS = HIGHEST_NUMBER - LOWEST_NUMBER + 1

_EDGE = 0.12
"""Part of the crop left out on each side: padding and rim."""
_ENLARGE_TO = 256
"""Crops are enlarged to about this height before they are cut into ink and body, so that edges stay smooth."""
_INK = 0.7
"""Deviation from which a pixel is ink, as part of the ink's own; high, so that neighbouring digits stay apart."""
_DIGIT_HEIGHT = 40
"""Height of the digits shown to tesseract, in pixels; its line model works at 36."""
_MARGIN = 24
"""White space around each numeral, in pixels."""
_SOFTEN = 1.0
"""Blur of the binarised strip, in pixels: the line model was trained on scans, not on stairs."""
_LEAST_DIGIT = 0.15
"""A digit is at least this part of the crop high, else nothing is asked."""
_DIGIT_RATIO = 0.6
"""Blots lower than this part of the tallest are dots, bars under 6 and 9, or imprint."""

_WIDEST_DIGIT = 0.9
"""One digit is at most this wide for its height; blurred, tesseract swallows the 1 of 11, 12 and 13."""
_NARROWEST_PAIR = 0.5
"""Two digits are at least this wide for their height."""

_TIMEOUT_S = 10.0
_FAILURES = (
    pytesseract.TesseractError, subprocess.SubprocessError, OSError, RuntimeError, SystemExit, UnicodeDecodeError,
)  # fmt: skip
"""What pytesseract raises when the binary is absent, fails, takes too long, speaks no UTF-8 or (SystemExit) is old."""
_PROBE_TIMEOUT_S = 5.0
_CONFIG = "--psm 6 --dpi 150 -c tessedit_char_whitelist=0123456789"


class TooSlowError(RuntimeError):
    """Tesseract did not answer in time."""


@dataclass(frozen=True, slots=True)
class SecondReader:
    """Reads numerals with the tesseract binary; ``find`` says whether there is one."""

    @classmethod
    def find(cls) -> SecondReader | None:
        """The second reader, or None where the tesseract binary is absent or does not answer."""
        binary = shutil.which(pytesseract.pytesseract.tesseract_cmd)
        if binary is None:
            return None
        try:
            # pytesseract asks for the version without a timeout, so a binary that hangs is found out here
            done = subprocess.run([binary, "--version"], capture_output=True, timeout=_PROBE_TIMEOUT_S, check=False)  # noqa: S603
        except (OSError, subprocess.SubprocessError):
            return None
        return cls() if done.returncode == 0 else None

    def read(self, crops: Sequence[NDArray[np.uint8]]) -> list[int | None]:
        """Numbers 1 to 13 on upright tile crops, uint8 (H, W, 3) BGR of any size, in one call of tesseract.

        None is no opinion: nothing printed, something else than 1 to 13 read, or tesseract failed.

        Raises ``TooSlowError`` when tesseract takes longer than ten seconds.
        """
        numerals = [_numeral(crop) for crop in crops]
        shown = [numeral for numeral in numerals if numeral is not None]
        opinions = iter(self._read_strip(shown) if shown else [])
        return [None if numeral is None else next(opinions) for numeral in numerals]

    def _read_strip(self, numerals: list[NDArray[np.uint8]]) -> list[int | None]:
        """One numeral to a line: tesseract's places along a line are guesses, but lines it keeps apart."""
        pitch = _DIGIT_HEIGHT + 2 * _MARGIN
        strip = np.full((pitch * len(numerals), max(n.shape[1] for n in numerals) + 2 * _MARGIN), 255, np.uint8)
        for line, numeral in enumerate(numerals):
            top = line * pitch + _MARGIN
            strip[top : top + _DIGIT_HEIGHT, _MARGIN : _MARGIN + numeral.shape[1]] = numeral
        began = time.monotonic()
        try:
            words = pytesseract.image_to_data(
                cv2.GaussianBlur(strip, (0, 0), _SOFTEN),
                config=_CONFIG,
                output_type=pytesseract.Output.DICT,
                timeout=_TIMEOUT_S,
            )
        except _FAILURES as error:
            if time.monotonic() - began >= _TIMEOUT_S:  # pytesseract has no exception of its own for it
                raise TooSlowError from error
            return [None] * len(numerals)  # a missing opinion costs nothing but certainty
        texts = [""] * len(numerals)
        for text, top, height in zip(words.get("text", ()), words.get("top", ()), words.get("height", ()), strict=True):
            line = int(top + height / 2) // pitch
            if text.strip() and 0 <= line < len(texts):
                texts[line] += text.strip()
        return [_as_number(text, numeral.shape[1]) for text, numeral in zip(texts, numerals, strict=True)]


_TURNABLE = (6, 9)
_RIGHT = 0.9
"""How often an opinion on a doubtful crop is right; see ``weigh``."""


def weigh(number_probabilities: NDArray[np.floating], opinion: int | None) -> NDArray[np.float64]:
    """Probabilities (13,) of the numbers 1 to 13 after the second reader's opinion; their sum stays what it was.

    An opinion is right with 0.9 and else any of the twelve other numbers: the likelihood ratio of the number that
    was read is 108.  Measured on 300 tiles of the shared photos' training part, cut out at their true quads as 48 × 64
    crops: as they are, 299 right, none wrong, one without opinion; shifted by 10 % of the tile 272 right, 2 wrong;
    dark and noisy 247 and 9; blurred by 1.5 pixels 217 and 6; taken at 20 pixels tile height 184 and 14, at 16 pixels
    111 and 32; with glare over the numeral 100 and 64.  Together 1131 of the 1258 opinions on the spoilt crops, and
    it is spoilt crops that are doubtful.

    Agreement makes the first reading surer, disagreement more doubtful up to a draw with the number that was read,
    and no opinion changes nothing.  The first reading stays the first.  A 6 and a 9 are one shape turned round, and the
    crop was turned as the first reading took it to lie: either opinion speaks for both, and for neither over the other.

    Raises ``ValueError`` for another shape or an opinion outside 1 to 13.
    """
    if number_probabilities.shape != (_NUMBERS,):
        raise ValueError(f"expected ({_NUMBERS},), not {number_probabilities.shape}")
    if opinion is not None and not LOWEST_NUMBER <= opinion <= HIGHEST_NUMBER:
        raise ValueError(f"an opinion is a number from {LOWEST_NUMBER} to {HIGHEST_NUMBER}, not {opinion}")
    before = number_probabilities.astype(np.float64)
    if opinion is None or before.sum() <= 0:
        return before
    likelihood = np.full(_NUMBERS, (1 - _RIGHT) / (_NUMBERS - 1))
    likelihood[[number - LOWEST_NUMBER for number in (_TURNABLE if opinion in _TURNABLE else (opinion,))]] = _RIGHT
    after = before * likelihood
    first, rival = int(np.argmax(before)), int(np.argmax(after))
    if rival != first:
        # the opinion may make the first reading as doubtful as can be, but not replace it
        level = (after[first] + after[rival]) / 2
        after = np.minimum(after, level)
        after[first] = level * (1 + 1e-6)
    return np.asarray(after * (before.sum() / after.sum()), np.float64)


def _as_number(text: str, width_px: int) -> int | None:
    """The number that was read, or None when it is none of a tile or does not fit the numeral's width."""
    if not text.isascii() or not text.isdigit() or text.startswith("0"):
        return None
    number = int(text)
    if not LOWEST_NUMBER <= number <= HIGHEST_NUMBER:
        return None
    swallowed = number < 10 and width_px > _WIDEST_DIGIT * _DIGIT_HEIGHT
    invented = number >= 10 and width_px < _NARROWEST_PAIR * _DIGIT_HEIGHT
    return None if swallowed or invented else number


def _numeral(crop: NDArray[np.uint8]) -> NDArray[np.uint8] | None:
    """The numeral alone, black on white, uint8 (_DIGIT_HEIGHT, W), or None where there is none."""
    face = inner(crop[None], _EDGE)
    if face.size == 0:
        return None
    printed = deviation(face)
    if printed.peak[0] < LEAST_PEAK:
        return None
    scale = _ENLARGE_TO / crop.shape[0]
    smooth = cv2.resize(printed.strength[0], None, fx=scale, fy=scale, interpolation=cv2.INTER_CUBIC)
    ink = (smooth >= _INK).astype(np.uint8)
    _, blots, stats, _ = cv2.connectedComponentsWithStats(ink, connectivity=8)
    heights = stats[1:, cv2.CC_STAT_HEIGHT].copy()
    # what reaches the frame is the table or the neighbour, seen past a quad that sits askew
    framed = np.unique(np.concatenate([blots[0], blots[-1], blots[:, 0], blots[:, -1]]))
    heights[framed[framed > 0] - 1] = 0
    if not len(heights) or heights.max() < _LEAST_DIGIT * _ENLARGE_TO:
        return None
    digits = np.isin(blots, 1 + np.flatnonzero(heights >= _DIGIT_RATIO * heights.max()))
    rows, columns = np.flatnonzero(digits.any(axis=1)), np.flatnonzero(digits.any(axis=0))
    cut = np.where(digits[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1], 0, 255).astype(np.uint8)
    wide = max(1, round(cut.shape[1] * _DIGIT_HEIGHT / cut.shape[0]))
    return np.asarray(cv2.resize(cut, (wide, _DIGIT_HEIGHT), interpolation=cv2.INTER_AREA), np.uint8)
