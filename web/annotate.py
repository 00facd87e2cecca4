"""The ruling drawn on the photo: outlines, codes, set numbers, verdict.

Pictures are uint8 (H, W, 3) BGR.  Colours are never alone: each set's badge says ``ok``, ``X`` or ``?`` too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from referee.findings import Severity
from referee.observation import Kind, Quad
from referee.ruling import JudgedSet, Verdict
from web.examine import Examined
from web.lines import VERDICT_WORDS
from web.messages import gathered, message

Pixels = npt.NDArray[np.uint8]
Points = npt.NDArray[np.float64]
Colour = tuple[int, int, int]

GREEN: Colour = (60, 170, 30)
RED: Colour = (40, 40, 225)
AMBER: Colour = (0, 165, 250)
GREY: Colour = (140, 140, 140)
WHITE: Colour = (255, 255, 255)
BLACK: Colour = (0, 0, 0)

SHORTEST_LONG_SIDE_PX = 1000
"""Smaller pictures are enlarged to this: the codes need room."""
LONGEST_LONG_SIDE_PX = 1600
"""Larger ones are shrunk to this: enough for a screen, quick to send."""

_FONT = cv2.FONT_HERSHEY_SIMPLEX
_FONT_CAP_PX = 21.0
"""Height in pixels of a capital of this font at scale 1."""
_SMALLEST_SCALE = 0.38
"""Smaller letters of this font cannot be read."""
_BADGES = {True: "ok", False: "X", None: "?"}
_LEGAL_COLOURS = {True: GREEN, False: RED, None: AMBER}
_VERDICT_COLOURS = {Verdict.LEGAL: GREEN, Verdict.ILLEGAL: RED, Verdict.CANNOT_TELL: AMBER}

_NUMERAL_BOX = ((0.12, 0.08), (0.88, 0.08), (0.88, 0.62), (0.12, 0.62))
"""Where a face carries its numeral, in shares of its width and height; labels keep off it where they can."""
_CODE_SPOTS = ((0.5, 0.83), (0.5, 1.14), (0.5, -0.14), (1.0, 0.83), (0.0, 0.83))
"""Where a tile's code may stand, best first, in shares of the tile's width and height."""
_BADGE_SPOTS = ((-0.55, 0.5), (-0.55, 1.0), (-0.55, 0.0), (0.5, -0.3), (0.5, 1.3))
"""Where a set's badge may stand beside its first tile, best first."""


@dataclass(frozen=True, slots=True)
class _Label:
    """A text in a box: its corner (top-left) and size in pixels."""

    text: str
    scale: float
    left: int
    top: int
    width: int
    height: int

    @property
    def area(self) -> tuple[slice, slice]:
        return slice(self.top, self.top + self.height), slice(self.left, self.left + self.width)


class _Canvas:
    """The picture being drawn on, and which of its pixels are taken by numerals and labels."""

    def __init__(self, picture: Pixels) -> None:
        self.picture = picture
        self.taken: Pixels = np.zeros(picture.shape[:2], np.uint8)
        self.line_px = max(2, round(max(picture.shape[:2]) / 500))

    def keep_free(self, polygon: Points) -> None:
        cv2.fillPoly(self.taken, [_rounded(polygon)], 1)

    def outline(self, polygon: Points, colour: Colour, thick: bool = False) -> None:
        width = self.line_px * 2 if thick else self.line_px
        cv2.polylines(self.picture, [_rounded(polygon)], True, BLACK, width + 2, cv2.LINE_AA)
        cv2.polylines(self.picture, [_rounded(polygon)], True, colour, width, cv2.LINE_AA)

    def hatch(self, polygon: Points, colour: Colour) -> None:
        """Slanting lines inside a polygon."""
        mask = np.zeros(self.taken.shape, np.uint8)
        cv2.fillPoly(mask, [_rounded(polygon)], 1)
        rows, columns = np.nonzero(mask)
        period = 4 * self.line_px
        striped = (rows + columns) % period < self.line_px
        self.picture[rows[striped], columns[striped]] = colour

    def label(self, text: str, spots: Points, scale: float, colour: Colour) -> None:
        """Write on the first of ``spots`` (N, 2) that hides nothing, else where least is hidden."""
        candidates = [self._fitted(text, spot, scale) for spot in spots]
        best = min(candidates, key=lambda label: int(np.count_nonzero(self.taken[label.area])))
        self.taken[best.area] = 1
        corner, far = (best.left, best.top), (best.left + best.width - 1, best.top + best.height - 1)
        cv2.rectangle(self.picture, corner, far, colour, cv2.FILLED)
        ink = BLACK if sum(colour) > 380 else WHITE
        margin = (best.height - round(_FONT_CAP_PX * scale)) // 2
        thickness = 2 if scale > 0.75 else 1
        at = (best.left + margin, best.top + best.height - margin - 1)
        cv2.putText(self.picture, text, at, _FONT, scale, ink, thickness, cv2.LINE_AA)

    def _fitted(self, text: str, centre: npt.NDArray[np.float64], scale: float) -> _Label:
        (text_width, _), _ = cv2.getTextSize(text, _FONT, scale, 2 if scale > 0.75 else 1)
        margin = max(2, round(5 * scale))
        width, height = text_width + 2 * margin, round(_FONT_CAP_PX * scale) + 2 * margin
        rows, columns = self.taken.shape
        left = int(np.clip(round(centre[0] - width / 2), 0, max(0, columns - width)))
        top = int(np.clip(round(centre[1] - height / 2), 0, max(0, rows - height)))
        return _Label(text, scale, left, top, min(width, columns), min(height, rows))


def annotate(examined: Examined) -> Pixels:
    """Draw a ruling: uint8 (H, W, 3) BGR, long side 1000 to 1600 pixels, with a banner above the photo."""
    height, width = examined.image.shape[:2]
    long_side = max(height, width)
    factor = float(np.clip(long_side, SHORTEST_LONG_SIDE_PX, LONGEST_LONG_SIDE_PX)) / long_side
    size = (max(1, round(width * factor)), max(1, round(height * factor)))
    smooth = cv2.INTER_AREA if factor < 1 else cv2.INTER_CUBIC
    canvas = _Canvas(np.ascontiguousarray(cv2.resize(examined.image, size, interpolation=smooth), dtype=np.uint8))
    quads = [_scaled(tile.quad, factor) for tile in examined.observation.tiles]
    _draw_unread(canvas, examined, factor)
    _draw_outlines(canvas, examined, quads)
    _draw_codes(canvas, examined, quads)
    _draw_badges(canvas, examined, quads)
    return np.vstack([_banner(examined, canvas.picture.shape[1]), canvas.picture])


def _draw_unread(canvas: _Canvas, examined: Examined, factor: float) -> None:
    for quad in examined.observation.unread:
        polygon = _scaled(quad, factor)
        canvas.hatch(polygon, AMBER)
        canvas.outline(polygon, AMBER)


def _draw_outlines(canvas: _Canvas, examined: Examined, quads: Sequence[Points]) -> None:
    colours = _tile_colours(examined)
    blamed = {
        index
        for finding in examined.ruling.all_findings
        if finding.severity is Severity.FAULT
        for index in finding.tiles
        if len(finding.tiles) < 3
    }
    # The blamed ones last, so that no neighbour's outline hides theirs.
    for index in sorted(range(len(quads)), key=lambda i: i in blamed):
        canvas.outline(quads[index], colours[index], thick=index in blamed)
    for tile, quad in zip(examined.observation.tiles, quads, strict=True):
        if tile.kind is Kind.FACE:
            canvas.keep_free(_inside(quad, _NUMERAL_BOX))


def _draw_codes(canvas: _Canvas, examined: Examined, quads: Sequence[Points]) -> None:
    colours = _tile_colours(examined)
    for index, (tile, quad) in enumerate(zip(examined.observation.tiles, quads, strict=True)):
        code = examined.codes[index]
        text = f"{code}?" if tile.doubtful and tile.kind is Kind.FACE else code
        spots = _CODE_SPOTS if tile.kind is Kind.FACE else ((0.5, 0.5),)
        colour = AMBER if tile.doubtful else colours[index]
        canvas.label(text, _inside(quad, spots), _text_scale(quad), colour)


def _draw_badges(canvas: _Canvas, examined: Examined, quads: Sequence[Points]) -> None:
    for number, judged in enumerate(examined.ruling.sets, start=1):
        first, last = quads[judged.tiles[0]], quads[judged.tiles[-1]]
        spots = np.vstack([_inside(first, _BADGE_SPOTS), _inside(last, ((1.55, 0.5), (1.55, 0.0), (1.55, 1.0)))])
        scale = min(1.2, _text_scale(first) * 1.3)
        canvas.label(f"{number} {_BADGES[judged.legal]}", spots, scale, _LEGAL_COLOURS[judged.legal])


def _tile_colours(examined: Examined) -> list[Colour]:
    """Each tile's outline: its set's verdict, grey for a face-down tile, its own finding's weight for a loose one."""
    colours = [GREY if tile.kind is Kind.BACK else AMBER for tile in examined.observation.tiles]
    for finding in examined.ruling.findings:
        if finding.severity is Severity.FAULT:
            for index in finding.tiles:
                colours[index] = RED
    for judged in examined.ruling.sets:
        for index in judged.tiles:
            if examined.observation.tiles[index].kind is Kind.FACE:
                colours[index] = _LEGAL_COLOURS[judged.legal]
    return colours


def _banner(examined: Examined, width: int) -> Pixels:
    """A strip of the verdict's colour with the verdict and the first reason, as much as fits."""
    verdict = examined.ruling.verdict
    height = max(40, round(width * 0.045))
    strip = np.full((height, width, 3), _VERDICT_COLOURS[verdict], np.uint8)
    ink = BLACK if verdict is Verdict.CANNOT_TELL else WHITE
    word_scale, text_scale = height / 45, height / 75
    baseline = round(height * 0.72)
    margin = round(height * 0.3)
    word = VERDICT_WORDS[verdict]
    (word_width, _), _ = cv2.getTextSize(word, _FONT, word_scale, 2)
    cv2.putText(strip, word, (margin, baseline), _FONT, word_scale, ink, 2, cv2.LINE_AA)
    start = margin * 3 + word_width
    text = _shortened(_reason(examined), width - start - margin, text_scale)
    cv2.putText(strip, text, (start, baseline), _FONT, text_scale, ink, 1, cv2.LINE_AA)
    return strip


def _reason(examined: Examined) -> str:
    ruling = examined.ruling
    if ruling.verdict is Verdict.LEGAL:
        return f"{len(ruling.sets)} sets, {len(examined.observation.tiles)} tiles"
    illegal = ruling.verdict is Verdict.ILLEGAL
    severity = Severity.FAULT if illegal else Severity.DOUBT
    reasons = [
        f"Set {number}: {_first_message(judged, severity, examined)}"
        for number, judged in enumerate(ruling.sets, start=1)
        if judged.legal is (False if illegal else None)
    ]
    reasons += [text for weight, text in gathered(ruling.findings, examined.codes) if weight is severity]
    return " ".join(reasons)


def _first_message(judged: JudgedSet, severity: Severity, examined: Examined) -> str:
    weighty = [finding for finding in judged.findings if finding.severity is severity] or list(judged.findings)
    return message(weighty[0], examined.codes) if weighty else ""


def _shortened(text: str, room_px: int, scale: float) -> str:
    def fits(part: str) -> bool:
        return cv2.getTextSize(part, _FONT, scale, 1)[0][0] <= room_px

    if fits(text):
        return text
    words = text.split(" ")
    while words and not fits(" ".join(words) + " ..."):
        words.pop()
    return " ".join(words) + " ..." if words else ""


def _text_scale(quad: Points) -> float:
    """Letters that fit into the free foot of a tile, but never too small to read."""
    width = float(np.linalg.norm(quad[1] - quad[0]))
    return float(np.clip(0.011 * width, _SMALLEST_SCALE, 1.1))


def _inside(quad: Points, shares: Sequence[tuple[float, float]]) -> Points:
    """Points at the given shares of a quad's width and height (N, 2); shares beyond 0 to 1 lie outside."""
    top_left, top_right, bottom_right, bottom_left = quad
    across, down = np.array(shares, dtype=np.float64).T[:, :, None]
    top = top_left + across * (top_right - top_left)
    bottom = bottom_left + across * (bottom_right - bottom_left)
    points: Points = top + down * (bottom - top)
    return points


def _scaled(quad: Quad, factor: float) -> Points:
    return np.array(quad, dtype=np.float64) * factor


def _rounded(polygon: Points) -> npt.NDArray[np.int32]:
    return np.rint(polygon).astype(np.int32)
