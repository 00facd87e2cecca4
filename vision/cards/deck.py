"""A deck that was taught: how its ranks and signs look, where they stand on a card, and which inks they wear.

Ranks and signs are learned apart, so that a card missing from the photo is read all the same: its rank is known from
the other suits, its sign from the other ranks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.tiles import Colour, Tile
from vision.cards.corner import CORNER_PLANE, Piece, index_in, to_card
from vision.cards.discriminant import Discriminant
from vision.cards.frame import Layers, Patches, frames_of, glyphs_of
from vision.cards.ink import print_of
from vision.read import COLOUR_CLASSES
from vision.taught.examples import EXAMPLE_HEIGHT, EXAMPLE_PAD, EXAMPLE_WIDTH, Example

Image = NDArray[np.uint8]
Floats = NDArray[np.float64]
Indices = NDArray[np.int64]

RANKS = 13
JOKER_TOP, JOKER_BOTTOM = 13, 4
"""Classes of the upper piece, 0–12 ranks and 13 the joker's; of the lower, 0–3 as ``COLOUR_CLASSES``, 4 the joker's."""
TOPS, BOTTOMS = JOKER_TOP + 1, JOKER_BOTTOM + 1
VIEWS = 8
_SMALLEST_VIEW, _LARGEST_VIEW = 0.34, 0.95
_SEED = 20
JOKER_LIKE, JOKER_MARGIN = 0.75, 0.12
"""Least likeness of a corner to a joker's, and how much less it must look like any other card's."""
_LOOK_WIDTH, _LOOK_HEIGHT = 24, 32
_OUTLIER = 0.35
_LEAST_INK_SPREAD = 0.08


class DeckError(ValueError):
    """These examples are no deck to read with; ``missing`` names ranks (1 to 13) and suits (colours) never seen."""

    def __init__(self, missing: tuple[int | Colour, ...]) -> None:
        super().__init__("some ranks or suits are on none of the cards")
        self.missing = missing


@dataclass(frozen=True, slots=True)
class Deck:
    """What is needed to read cards.

    ``tops`` (N, D) and ``bottoms`` (N, D) float32 are rows of ``glyphs_of``; what looks like none of them is no index,
    and ``usual`` (2,) are the likenesses that one rank, one sign in fifty of the deck falls short of.  ``ranks`` and
    ``signs`` tell the classes apart.  ``top_place`` (14, 2) and ``bottom_place`` (5, 2) say where the middles of rank
    and sign stand, in shares of a card's width and height, NaN where the deck has none.  ``sizes`` (2, 2): smallest and
    largest RMS radius of ranks and of signs over the way between the two.  ``inks`` (4, 3) are the shares of B, G, R
    that each suit's ink takes away over the largest of them, ``ink_spread`` their deviation.  ``joker_corners`` and
    ``other_corners`` (…, D) are whole corners as ``shows_joker`` compares them.
    """

    tops: Patches
    bottoms: Patches
    usual: Floats
    ranks: Discriminant
    signs: Discriminant
    top_place: Floats
    bottom_place: Floats
    sizes: Floats
    inks: Floats
    ink_spread: float
    joker_corners: Patches
    other_corners: Patches

    def shows_joker(self, crops: Image) -> NDArray[np.bool_]:
        """Which corners of whole cards, crops uint8 (M, 128, 96, 3) as examples are, are surely a joker's.

        For jokers with a picture in the corner, in which no rank and no sign could be found.
        """
        if not len(self.joker_corners) or not len(crops):
            return np.zeros(len(crops), np.bool_)
        looks = _corner_looks(crops)
        joker, other = ((looks @ known.T).max(axis=1, initial=-1) for known in (self.joker_corners, self.other_corners))
        return np.asarray((joker >= JOKER_LIKE) & (joker >= other + JOKER_MARGIN), np.bool_)

    def shortfall(self, tops: Patches, bottoms: Patches) -> Floats:
        """How much less than usual (M,) the rank or the sign of M pairs, whichever is worse, looks like the deck's."""
        likeness = np.stack([(tops @ self.tops.T).max(axis=1), (bottoms @ self.bottoms.T).max(axis=1)], axis=1)
        return np.asarray((self.usual - likeness).max(axis=1), np.float64)


@dataclass(frozen=True, slots=True)
class _Seen:
    """One example whose index was found."""

    top: int
    bottom: int
    rank: Piece
    sign: Piece
    crop: Image


def classes_of(tile: Tile) -> tuple[int, int]:
    """Classes of a card's rank and sign."""
    if tile.number is None or tile.colour is None:
        return JOKER_TOP, JOKER_BOTTOM
    return tile.number - 1, COLOUR_CLASSES.index(tile.colour.value)


def learn(examples: Sequence[Example]) -> Deck:
    """The deck of these examples of card corners (``corner_quads`` says which part of a card they show).

    Examples whose index stands elsewhere than the others', such as one under a thumb, are left out.  Raises
    ``DeckError`` where a rank or a suit is on no card at all: it could not be told from the others.
    """
    seen = _fitting([one for one in map(_look_at, examples) if one is not None])
    missing: list[int | Colour] = [n + 1 for n in range(RANKS) if not any(one.top == n for one in seen)]
    missing += [Colour(c) for k, c in enumerate(COLOUR_CLASSES) if not any(one.bottom == k for one in seen)]
    if missing:
        raise DeckError(tuple(missing))
    rng = np.random.default_rng(_SEED)
    views = [_views(one, rng) for one in seen]
    tops = np.concatenate([top for top, _ in views])
    bottoms = np.concatenate([bottom for _, bottom in views])
    top_class = np.repeat([one.top for one in seen], VIEWS)
    bottom_class = np.repeat([one.bottom for one in seen], VIEWS)
    inks, spread = _inks(seen)
    return Deck(
        tops=tops,
        bottoms=bottoms,
        usual=np.array([_usual(tops, top_class, bottom_class), _usual(bottoms, bottom_class, top_class)]),
        ranks=Discriminant.fit(tops, top_class, TOPS, bottom_class),
        signs=Discriminant.fit(bottoms, bottom_class, BOTTOMS, top_class),
        top_place=_places([one.top for one in seen], [one.rank for one in seen], TOPS),
        bottom_place=_places([one.bottom for one in seen], [one.sign for one in seen], BOTTOMS),
        sizes=_sizes(seen),
        inks=inks,
        ink_spread=spread,
        joker_corners=_corner_looks([one.crop for one in examples if one.tile.is_joker]),
        other_corners=_corner_looks([one.crop for one in examples if not one.tile.is_joker]),
    )


def _look_at(example: Example) -> _Seen | None:
    top, bottom = classes_of(example.tile)
    pieces = index_in(example.crop, example.tile.number)
    return None if pieces is None else _Seen(top, bottom, *pieces, example.crop)


def _fitting(seen: list[_Seen]) -> list[_Seen]:
    """Without examples whose rank or sign stands or measures other than the deck's; jokers have their own place."""
    kept: list[_Seen] = []
    for group in ([one for one in seen if one.top < RANKS], [one for one in seen if one.top == JOKER_TOP]):
        if not group:
            continue
        facts = np.array([[*one.rank.centre, *one.sign.centre, one.sign.radius] for one in group])
        middle = np.median(facts, axis=0)
        way = float(np.hypot(*(middle[2:4] - middle[:2])))
        fits = (np.abs(facts - middle) < _OUTLIER * way).all(axis=1)
        kept.extend(one for one, fit in zip(group, fits, strict=True) if fit)
    return kept


def _places(classes: list[int], pieces: list[Piece], count: int) -> Floats:
    """Median place (count, 2) of each class on the card, NaN for a class that is not there."""
    where = np.full((count, 2), np.nan)
    for k in range(count):
        spots = [piece.centre for one, piece in zip(classes, pieces, strict=True) if one == k]
        if spots:
            where[k] = to_card(np.median(spots, axis=0))
    return where


def _way(one: _Seen) -> float:
    """From rank to sign in card heights."""
    return float(np.linalg.norm(np.linalg.solve(CORNER_PLANE, one.sign.centre - one.rank.centre)))


def _sizes(seen: list[_Seen]) -> Floats:
    """Smallest and largest RMS radius of ranks and of signs (2, 2), over the way between them."""
    pixel = float(np.sqrt(abs(np.linalg.det(CORNER_PLANE))))
    ratios = np.array([[one.rank.radius, one.sign.radius] for one in seen]) / pixel
    ratios /= np.array([_way(one) for one in seen])[:, None]
    return np.stack([ratios.min(axis=0), ratios.max(axis=0)], axis=1)


# --- views ------------------------------------------------------------------------------------------------------


def _views(one: _Seen, rng: np.random.Generator) -> tuple[Patches, Patches]:
    """Rank and sign as ``VIEWS`` other photos would show them: smaller, blurred, noisy, tilted, not quite in place."""
    patches = []
    for k in range(VIEWS):
        scale = float(np.exp(rng.uniform(np.log(_SMALLEST_VIEW), np.log(_LARGEST_VIEW)))) if k else 1.0
        crop = one.crop
        if k:
            crop = np.asarray(cv2.resize(crop, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), np.uint8)
            crop = np.asarray(cv2.GaussianBlur(crop, (0, 0), float(rng.uniform(0.3, 0.9))), np.uint8)
            crop = np.clip(crop + rng.normal(0, 3, crop.shape), 0, 255).astype(np.uint8)
        way = float(np.linalg.norm(one.sign.centre - one.rank.centre))
        shake = rng.normal(0, 0.025 * way, (2, 2)) if k else np.zeros((2, 2))
        points = (np.stack([one.rank.centre, one.sign.centre]) + shake + 0.5) * scale - 0.5
        plane = CORNER_PLANE @ _tilt(rng) if k else CORNER_PLANE
        frame = frames_of(points[:1], points[1:], plane[None] * scale)
        patches.append(Layers(print_of(crop, 42 * scale).ink).cut(frame)[0])
    return glyphs_of(np.stack(patches))


def _tilt(rng: np.random.Generator) -> Floats:
    """How a tilt unknown to the reader shortens one direction on the table (2, 2), by up to a fifth."""
    turn = rng.uniform(0, np.pi)
    axes = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    return np.asarray(axes @ np.diag([1.0, rng.uniform(0.8, 1.0)]) @ axes.T, np.float64)


def _usual(glyphs: Patches, own: Indices, other: Indices) -> float:
    """Likeness that one glyph in fifty falls short of, each compared with its own class on other cards."""
    likeness = glyphs @ glyphs.T
    likeness[(own[:, None] != own[None]) | (other[:, None] == other[None])] = -1
    greatest = likeness.max(axis=1)
    return float(np.quantile(greatest[greatest > -1], 0.02)) if (greatest > -1).any() else 0.6


def _corner_looks(crops: Image | Sequence[Image]) -> Patches:
    """The print of whole corners, small, as rows of mean 0 and length 1, float32 (M, 672)."""
    left, top = round(EXAMPLE_PAD * EXAMPLE_WIDTH) + 2, round(EXAMPLE_PAD * EXAMPLE_HEIGHT) + 2
    rows = np.zeros((len(crops), (_LOOK_HEIGHT - 4) * _LOOK_WIDTH), np.float32)
    for k, crop in enumerate(crops):
        ink = print_of(np.ascontiguousarray(crop[top:, left:]), 42).ink
        small = cv2.GaussianBlur(
            cv2.resize(ink, (_LOOK_WIDTH, _LOOK_HEIGHT - 4), interpolation=cv2.INTER_AREA), (0, 0), 1
        )
        row = small.astype(np.float32).ravel()
        row -= row.mean()
        rows[k] = row / max(float(np.linalg.norm(row)), 1e-3)
    return rows


# --- inks -------------------------------------------------------------------------------------------------------


def ink_share(taken: Image, ink: Image) -> Floats:
    """What an index's ink takes of B, G, R over the most of the three (M, 3), from patches (M, 50, 28, 3) and ink."""
    weight = np.where(ink > 0.6 * ink.max(axis=(1, 2), keepdims=True, initial=1), ink, 0).astype(np.float64)[..., None]
    mean = (taken * weight).sum(axis=(1, 2)) / np.maximum(weight.sum(axis=(1, 2)), 1e-9)
    return np.asarray(mean / np.maximum(mean.max(axis=1, keepdims=True), 1e-9), np.float64)


def _inks(seen: list[_Seen]) -> tuple[Floats, float]:
    """Median ink (4, 3) of each suit and the deviation from it."""
    shares = []
    for one in seen:
        frame = frames_of(one.rank.centre[None], one.sign.centre[None], CORNER_PLANE[None])
        taken = Layers(print_of(one.crop, 42).taken).cut(frame)
        shares.append(ink_share(taken, np.ascontiguousarray(taken.max(axis=3)))[0])
    share, suit = np.array(shares), np.array([one.bottom for one in seen])
    inks = np.array([np.median(share[suit == k], axis=0) for k in range(JOKER_BOTTOM)])
    numbers = suit < JOKER_BOTTOM
    away = np.abs(share[numbers] - inks[suit[numbers]])
    return inks, max(_LEAST_INK_SPREAD, 2 * 1.4826 * float(np.median(away.max(axis=1))))
