"""A card's corner as an example shows it: which part of the card it is, and where rank and suit sign stand in it."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.cards.frame import CARD_ASPECT
from vision.cards.ink import THRESHOLDS, print_of
from vision.rectify import square_to_quad
from vision.taught.examples import EXAMPLE_HEIGHT, EXAMPLE_PAD, EXAMPLE_WIDTH

Image = NDArray[np.uint8]
Floats = NDArray[np.float64]

CORNER_WIDE, CORNER_TALL = 0.46, 0.40
"""The part of a card that holds an index, in shares of its width and height: even a large one, or the word JOKER."""
TEN = 10

_LEFT, _TOP = EXAMPLE_PAD * EXAMPLE_WIDTH, EXAMPLE_PAD * EXAMPLE_HEIGHT
_PX_PER_CARD = np.array(
    [EXAMPLE_WIDTH * (1 - 2 * EXAMPLE_PAD) / CORNER_WIDE, EXAMPLE_HEIGHT * (1 - 2 * EXAMPLE_PAD) / CORNER_TALL]
)
"""Pixels of an example that a card's width and height would take."""
CORNER_PLANE = np.diag(_PX_PER_CARD / (CARD_ASPECT, 1.0))
"""Directions on a card (unit: its height) to directions in an example."""
_PRINT_REACH = 42.0
_SMALLEST_MASS = 1200.0
_RIM = 3


@dataclass(frozen=True, slots=True)
class Piece:
    """A rank or a sign in an example: ``centre`` (2,) and RMS ``radius`` in its pixels, in so many ``parts``."""

    centre: Floats
    radius: float
    parts: int


@dataclass(frozen=True, slots=True)
class _Part:
    """One connected piece of print with its box."""

    left: float
    top: float
    right: float
    bottom: float
    label: int


def corner_quads(quads: NDArray[np.floating]) -> NDArray[np.float32]:
    """Both corners that hold an index of each whole card (N, 4, 2): (N, 2, 4, 2), the second upside down in the card.

    Each is a quad top-left, top-right, bottom-right, bottom-left of its upright index.
    """
    unit = np.array([[0, 0, 1], [CORNER_WIDE, 0, 1], [CORNER_WIDE, CORNER_TALL, 1], [0, CORNER_TALL, 1]])
    both = np.stack([unit, np.column_stack([1 - unit[:, :2], unit[:, 2]])])
    maps = square_to_quad(np.asarray(quads, np.float64).reshape(-1, 4, 2))
    mapped = np.einsum("nij,ckj->ncki", maps, both)
    return np.asarray(mapped[..., :2] / mapped[..., 2:], np.float32)


def to_card(points: Floats) -> Floats:
    """Places in an example (…, 2) in pixels to places on the card, in shares of its width and height."""
    return np.asarray((points + 0.5 - (_LEFT, _TOP)) / _PX_PER_CARD, np.float64)


def index_in(crop: Image, number: int | None) -> tuple[Piece, Piece] | None:
    """Rank and sign of an example uint8 (128, 96, 3) BGR: the print nearest to the corner, and what stands below it.

    ``number`` is the card's rank (10 alone has two digits), None for a joker, whose first two letters are taken.  None
    when there are no two such pieces, as on a joker with a single picture.
    """
    left, top = round(_LEFT) + 1, round(_TOP) + 1
    ink = print_of(np.ascontiguousarray(crop[top:, left:]), _PRINT_REACH).ink
    count, joined, stats, _ = cv2.connectedComponentsWithStats((ink > THRESHOLDS[1]).astype(np.uint8))
    labels = np.asarray(joined, np.int32)
    weight = np.bincount(labels.ravel(), ink.ravel().astype(np.float64), count)
    parts = [
        _Part(float(x), float(y), float(x + w), float(y + h), label)
        for label, (x, y, w, h, _) in enumerate(stats.tolist())
        if label and x > _RIM - 2 and y > _RIM - 2 and weight[label] > _SMALLEST_MASS
    ]
    if not parts:
        return None
    rank = min(parts, key=lambda part: part.left + part.top)
    digits = [rank, *(part for part in parts if number == TEN and _beside(rank, part))]
    middle = (min(d.left for d in digits) + max(d.right for d in digits)) / 2
    wide = max(d.right for d in digits) - min(d.left for d in digits)
    bottom = max(d.bottom for d in digits)
    tall = bottom - min(d.top for d in digits)
    below = [
        part
        for part in parts
        if part not in digits
        and (part.top + part.bottom) / 2 > bottom
        and part.top < bottom + 0.6 * tall
        and abs((part.left + part.right) / 2 - middle) < 0.35 * max(wide, tall)
    ]
    if not below:
        return None
    sign = min(below, key=lambda part: part.top)
    offset = np.array([left, top], np.float64)
    return _piece(ink, labels, [d.label for d in digits], offset), _piece(ink, labels, [sign.label], offset)


def _beside(rank: _Part, other: _Part) -> bool:
    """Whether two digits make one number."""
    tall = rank.bottom - rank.top
    common = min(rank.bottom, other.bottom) - max(rank.top, other.top)
    gap = other.left - rank.right
    return other is not rank and common > 0.7 * tall and -0.1 * tall < gap < 0.3 * tall


def _piece(ink: Image, labels: NDArray[np.int32], chosen: list[int], offset: Floats) -> Piece:
    ys, xs = np.nonzero(np.isin(labels, chosen))
    weight = ink[ys, xs].astype(np.float64)
    centre = np.array([np.average(xs, weights=weight), np.average(ys, weights=weight)])
    square = np.average((xs - centre[0]) ** 2 + (ys - centre[1]) ** 2, weights=weight)
    return Piece(centre + offset, float(np.sqrt(square)), len(chosen))
