"""The eyes for playing cards: one picture in, one observation out, with a deck that was taught.

No network is asked.  ``CardEyes.look`` reads as the list of stages: print, indices, cards, what stays unread, rows.

Limits: a card shows itself by its index or, lying whole and apart, by its outline.  A card that lies under others with
no index in sight, and a face-down card without a light rim, leave nothing that could be found.  A joker that has a
single picture in its corner instead of letters is read only when it lies whole and apart from others.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass
from statistics import median_low

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.observation import Kind, Observation, Quad, Reading, Row, Scene, SeenTile
from referee.tiles import Colour, Joker, Tile
from vision.assemble import MOST_READINGS, SMALLEST_READING
from vision.cards.assemble import Cards, assemble, table_plane
from vision.cards.corner import CORNER_TALL, CORNER_WIDE, corner_quads
from vision.cards.deck import Deck
from vision.cards.ground import bare_ground, unread_blocks
from vision.cards.index import FACES, JOKER_FACE, Indices, find_indices, no_indices
from vision.cards.ink import LARGEST_PRINT, print_of
from vision.cards.outline import find_blocks, find_outlines
from vision.cards.rows import Line, lines_of
from vision.look import Sight, all_doubted_where_many_are
from vision.read import COLOUR_CLASSES
from vision.rectify import rectify
from vision.taught.examples import EXAMPLE_HEIGHT, EXAMPLE_PAD, EXAMPLE_WIDTH

Image = NDArray[np.uint8]
Floats = NDArray[np.float64]

BOX_NOT_SEEN = "box_not_seen"
SURE_LOOK = 0.0
"""The first look, with the tilt unknown, takes only indices that fall so little short of the usual likeness."""
WIDEST_LOOK = 0.16
DOUBTFUL_BELOW = 0.9
UNREAD_BELOW = 0.5
"""A thing less likely than this to be an index is no reading; it is an unread card when it is where one would be."""
LEAST_UNREAD = 0.03
OUTLINE_LIKE = (0.5, 2.0)
"""Area of an outline over that of the nearest card read, for it to be a card."""
INDEX_SPOT = (0.14, 0.12)
"""A place on a card that its index surely covers or is next to."""
BESIDE = 0.12
"""An unread card touches a line within this part of a card's sides."""
SMALLEST_CARD = 0.2
"""Least area of a card over that of a light rectangle in which it lies: even a whole row may look like one."""
BACK_DARKER, BACK_SHARE = 0.72, 0.25
"""A card's side is patterned when this share of it is darker than so much of the card's white."""
OVERLAPPING, LONG_STEP = 0.8, 1.65
"""Cards that lie closer than this overlap; a step in their line longer than this many usual ones may hide a card."""
LARGEST_SIDE = 2400
"""Larger pictures are looked at smaller: an index is large enough."""
SMALLEST_SIDE = 240

FACE_TILES: tuple[Tile, ...] = (
    *(Tile(colour=Colour(letter), number=rank + 1) for rank in range(13) for letter in COLOUR_CLASSES),
    Tile(joker=Joker.REGULAR),
)
"""The faces in the order of their probabilities."""


class CardEyes:
    """A taught deck, ready to look at pictures; the same to the front desk as the eyes for tiles."""

    def __init__(self, deck: Deck, models: Mapping[str, str]) -> None:
        self._deck = deck
        self.models = dict(models)

    def look(self, image: Image, second_reader: bool = True) -> Sight:
        """See one upright picture, uint8 (H, W, 3) BGR.  There is no second reader for cards."""
        del second_reader
        timing: dict[str, float] = {}
        began = time.perf_counter()
        first = first_look(image, self._deck)
        small, shrink = first.image, first.shrink
        cards = see_cards(first, self._deck)
        timing["read"] = _since(began)
        began = time.perf_counter()
        cards, unexplained = with_outlines(small, cards, find_outlines(small), self._deck)
        likely = cards.take(cards.present >= UNREAD_BELOW)
        sure = likely.take(likely.present * likely.face_p.max(axis=1, initial=0) >= DOUBTFUL_BELOW)
        blocks = unread_blocks(find_blocks(small), sure, unexplained, (small.shape[1], small.shape[0]))
        unexplained = np.concatenate([unexplained, bare_ground(small, likely), blocks])
        timing["detect"] = _since(began)
        began = time.perf_counter()
        observation = observe(image.shape[1], image.shape[0], _scaled(cards, 1 / shrink), unexplained / shrink)
        timing["layout"] = _since(began)
        return Sight(observation, timing)


@dataclass(frozen=True, slots=True)
class FirstLook:
    """A picture at ``shrink`` of its size, the ``reach`` of print in it, and the indices that are ``sure`` already."""

    shrink: float
    image: Image
    reach: float
    sure: Indices


def first_look(image: Image, deck: Deck) -> FirstLook:
    """The picture in the size in which most indices are sure with the tilt unknown.

    Print is what is narrow in the picture, so that cards seen from near by show theirs only in a smaller picture.
    """
    largest = min(1.0, LARGEST_SIDE / max(image.shape[:2]))
    # the same in pixels for all sizes, and so twice as much of a smaller picture
    reach = LARGEST_PRINT * largest * max(image.shape[:2])
    best = FirstLook(largest, image, reach, no_indices())
    for shrink in (largest, largest / 2, largest / 4):
        if shrink < largest and shrink * max(image.shape[:2]) < SMALLEST_SIDE:
            break
        size = (max(1, round(image.shape[1] * shrink)), max(1, round(image.shape[0] * shrink)))
        small = image if shrink == 1 else np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8)
        found = find_indices(print_of(small, reach), deck)
        found = found.take(found.shortfall <= SURE_LOOK)
        if shrink == largest or len(found) > len(best.sure):
            best = FirstLook(shrink, small, reach, found)
    return best


def see_cards(look: FirstLook, deck: Deck) -> Cards:
    """All cards with an index in sight: the first look gives whole cards and the tilt, a second one all others."""
    first = look.sure
    cards = assemble(first, deck)
    whole = cards.take(cards.whole)
    on_whole = ((whole.places_of(first.middle) > 0) & (whole.places_of(first.middle) < 1)).all(axis=2).any(axis=0)
    again = find_indices(print_of(look.image, look.reach), deck, table_plane(whole), first.middle[on_whole])
    return assemble(again.take(again.shortfall <= WIDEST_LOOK), deck, whole)


def with_outlines(
    image: Image, cards: Cards, outlines: NDArray[np.float32], deck: Deck
) -> tuple[Cards, NDArray[np.float32]]:
    """The cards with jokers that have a picture in their corners, and the outlines (M, 4, 2) of unread cards.

    An outline is explained when the index of a card lies in it.
    """
    whole = cards.take(cards.whole & (cards.present >= UNREAD_BELOW))
    faces = [_is_one_of(whole, quad) or _is_row_of(whole, quad) for quad in outlines]
    backs = shows_back(image, outlines) & ~np.array(faces, np.bool_)
    cards = cards.take(~_printed_on(cards, outlines, backs))
    likely = cards.take(cards.present >= UNREAD_BELOW)
    index = likely.at(*INDEX_SPOT)
    left = [
        quad
        for quad, back in zip(outlines, backs, strict=True)
        if back
        or (
            not any(cv2.pointPolygonTest(quad, (float(x), float(y)), False) >= 0 for x, y in index)
            and _card_sized(quad, likely)
        )
    ]
    quads = np.array(left, np.float32).reshape(-1, 4, 2)
    if not len(quads):
        return cards, quads
    corners = corner_quads(quads).reshape(-1, 4, 2)
    crops = rectify(image, corners, EXAMPLE_WIDTH, EXAMPLE_HEIGHT, EXAMPLE_PAD)
    is_joker = deck.shows_joker(crops).reshape(-1, 2).all(axis=1)
    jokers = _jokers(quads[is_joker])
    return cards.joined(jokers), quads[~is_joker]


def _is_one_of(whole: Cards, quad: NDArray[np.float32]) -> bool:
    """Whether an outline is that of a card of which both indices were read."""
    apart = np.linalg.norm(whole.centre - quad.mean(axis=0), axis=1)
    ratio = np.abs(np.linalg.det(whole.axes)) / max(cv2.contourArea(quad), 1.0)
    return bool(((apart < 0.1 * whole.height) & (ratio > OUTLINE_LIKE[0]) & (ratio < OUTLINE_LIKE[1])).any())


def _is_row_of(whole: Cards, quad: NDArray[np.float32]) -> bool:
    """Whether an outline is that of a whole row: a card read at both its corners lies at one end of it.

    What a back's pattern may feign of a card lies about its middle, since it looks the same from both sides.
    """
    area = max(cv2.contourArea(quad), 1.0)
    size = np.abs(np.linalg.det(whole.axes))
    aside = np.linalg.norm(whole.centre - quad.mean(axis=0), axis=1) > 0.1 * whole.height
    fits = aside & (whole.present >= DOUBTFUL_BELOW) & (size > SMALLEST_CARD * area) & (size < area)
    return any(cv2.pointPolygonTest(quad, (float(x), float(y)), False) >= 0 for x, y in whole.centre[fits])


def _printed_on(cards: Cards, outlines: NDArray[np.float32], backs: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which cards (N,) are but print of a light rectangle in which they lie: of a back, or far too small for cards."""
    within = np.zeros(len(cards), np.bool_)
    size, index = np.abs(np.linalg.det(cards.axes)), cards.at(*INDEX_SPOT)
    for quad, back in zip(outlines, backs, strict=True):
        for k in np.flatnonzero(size < (1.0 if back else SMALLEST_CARD) * cv2.contourArea(quad)):
            x, y = index[k].tolist()
            within[k] |= cv2.pointPolygonTest(quad, (x, y), False) >= 0
    return within


def shows_back(image: Image, quads: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Which whole cards (N, 4, 2) are patterned beside the middle of their long sides, where every face is bare."""
    crops = rectify(image, quads, 70, 100, 0.0).min(axis=3).astype(np.float64)
    white = np.percentile(crops.reshape(len(quads), 7000), 97, axis=1)[:, None, None]
    sides = (crops[:, 38:62, 4:9], crops[:, 38:62, -9:-4])
    dark = np.stack([(side < BACK_DARKER * white).mean(axis=(1, 2)) for side in sides])
    return np.asarray((dark > BACK_SHARE).all(axis=0), np.bool_)


def _card_sized(quad: NDArray[np.float32], cards: Cards) -> bool:
    """Whether an outline is as large as the cards near it; with no card read there is nothing to compare with."""
    if not len(cards):
        return True
    nearest = int(np.linalg.norm(cards.centre - quad.mean(axis=0), axis=1).argmin())
    ratio = cv2.contourArea(quad) / abs(float(np.linalg.det(cards.axes[nearest])))
    return OUTLINE_LIKE[0] < ratio < OUTLINE_LIKE[1]


def _jokers(quads: NDArray[np.float32]) -> Cards:
    """Whole cards at these quads that are surely jokers."""
    corner = quads[:, 0].astype(np.float64)
    right = (quads[:, 1] - quads[:, 0] + quads[:, 2] - quads[:, 3]).astype(np.float64) / 2
    down = (quads[:, 3] - quads[:, 0] + quads[:, 2] - quads[:, 1]).astype(np.float64) / 2
    face_p = np.full((len(quads), FACES), 0.02 / JOKER_FACE)
    face_p[:, JOKER_FACE] = 0.98
    return Cards(corner, np.stack([right, down], axis=2), face_p, np.ones(len(quads)), np.ones(len(quads), np.bool_))


def observe(width: int, height: int, cards: Cards, outlines: NDArray[np.float32]) -> Observation:
    """Tell readings from what stays unread, and lay the cards out in rows.

    ``outlines`` (M, 4, 2) are whole cards whose index nobody could read.
    """
    weak = (cards.present < UNREAD_BELOW) & (cards.present >= LEAST_UNREAD)
    likely = cards.take(cards.present >= UNREAD_BELOW)
    likely = likely.take(_reading_order(likely))
    lines, loose = lines_of(likely)
    shown = _shown_parts(likely, lines)
    unread = [_quad(quad) for quad in outlines] + _hidden(cards.take(weak), likely)
    unread += [_quad(quad) for line in lines for quad in skipped(likely, line, usual_step(line, lines))]
    tiles = all_doubted_where_many_are(tuple(_seen_card(likely, k, shown[k]) for k in range(len(likely))))
    rows = tuple(_touched(line, likely, unread) for line in lines)
    scene = Scene.TABLE if tiles or unread else Scene.EMPTY
    notes = (BOX_NOT_SEEN,) if unread and not tiles else ()
    return Observation(width, height, scene, tiles, rows, loose, tuple(unread), notes=notes)


def _seen_card(cards: Cards, k: int, shown: NDArray[np.float64]) -> SeenTile:
    order = np.argsort(-cards.face_p[k], kind="stable")[:MOST_READINGS]
    readings = tuple(
        Reading(FACE_TILES[face], round(float(cards.face_p[k, face]), 4))
        for n, face in enumerate(order.tolist())
        if not n or cards.face_p[k, face] > SMALLEST_READING
    )
    confidence = round(float(cards.face_p[k].max() * cards.present[k]), 4)
    return SeenTile(_quad(shown), Kind.FACE, readings, confidence, confidence < DOUBTFUL_BELOW)


def _shown_parts(cards: Cards, lines: tuple[Line, ...]) -> Floats:
    """The part of each card that is in sight, as quads (N, 4, 2): all of a whole one, of a covered one the strip up to
    the card upon it, or no more than its corner where it is not known what covers it."""
    part = np.tile([CORNER_WIDE, CORNER_TALL], (len(cards), 1))
    part[cards.whole] = 1.0
    away = cards.places_of(cards.centre) - 0.5
    for line in lines:
        along = int(line.column)
        usual = usual_step(line, lines)
        for one, other in zip(line.cards, line.cards[1:], strict=False):
            for card, upon in ((one, other), (other, one)):
                step = float(away[card, upon, along])
                if step > LONG_STEP * usual:  # another card may lie between the two
                    step = usual
                if not cards.whole[card] and 0 < step < 1:
                    part[card, along], part[card, 1 - along] = step, 1.0
    x, y = part[:, 0], part[:, 1]
    zero = np.zeros(len(cards))
    unit = np.stack([np.stack(point, axis=1) for point in ((zero, zero), (x, zero), (x, y), (zero, y))], axis=1)
    return np.asarray(cards.corner[:, None] + np.einsum("nij,nkj->nki", cards.axes, unit), np.float64)


def _hidden(weak: Cards, likely: Cards) -> list[Quad]:
    """Corners of cards whose index cannot be read: only where a neighbour of a card that was read would have its own.

    Elsewhere what looks a little like an index is a pair of pips, a fold of a court figure, or grain of the table.
    """
    if not len(weak) or not len(likely):
        return []
    corner = Cards(weak.corner, weak.axes * np.array([CORNER_WIDE, CORNER_TALL]), *_rest(weak))
    kept = [k for k in range(len(weak)) if _may_be_neighbour(weak, k, likely)]
    return [_quad(np.stack([corner.at(x, y)[k] for x, y in ((0, 0), (1, 0), (1, 1), (0, 1))])) for k in kept]


def skipped(cards: Cards, line: Line, usual: float) -> list[Floats]:
    """Where an overlapping line leaves room for a card without an index in sight: quads (4, 2) between its neighbours.

    People lay cards about evenly; a step nearly twice as long as the ``usual`` one may hide a card.
    """
    quads = []
    for one, other, step in zip(line.cards, line.cards[1:], line.steps, strict=False):
        if step > LONG_STEP * usual:
            middle = (cards.corner[one] + cards.corner[other]) / 2
            unit = np.array([[0, 0], [CORNER_WIDE, 0], [CORNER_WIDE, CORNER_TALL], [0, CORNER_TALL]])
            quads.append(middle + unit @ cards.axes[one].T)
    return quads


def usual_step(line: Line, lines: tuple[Line, ...]) -> float:
    """The step between cards of an overlapping line, infinite where none overlap.

    That of its own cards or, if shorter, of all such lines on the table: a line of two has but one step to go by, and
    between two cards of three that are read lies the step of both.
    """
    own = _overlapping(line)
    if not own:
        return math.inf
    others = [step for other in lines if other.column == line.column for step in _overlapping(other)]
    return min(median_low(own), median_low(others) if others else math.inf)


def _overlapping(line: Line) -> list[float]:
    return [step for step in line.steps if step < OVERLAPPING]


def _rest(cards: Cards) -> tuple[Floats, Floats, NDArray[np.bool_]]:
    return cards.face_p, cards.present, cards.whole


def _may_be_neighbour(weak: Cards, k: int, likely: Cards) -> bool:
    """Whether a card that hardly shows would lie in a line with one that was read."""
    lines, _ = lines_of(likely.joined(weak.take(np.array([k]))))
    return any(len(likely) in line.cards for line in lines)


def _touched(line: Line, cards: Cards, unread: list[Quad]) -> Row:
    """The line as a row, with the unread cards that lie on its cards or beside them."""
    row, low, high = line.row, -BESIDE, 1 + BESIDE
    around = np.stack([cards.at(x, y) for x, y in ((low, low), (high, low), (high, high), (low, high))], axis=1)
    touching = tuple(
        k for k, quad in enumerate(unread) if any(_common(np.array(quad), around[card]) > 0 for card in line.cards)
    )
    return Row(row.tiles, row.gaps, touching)


def _common(a: Floats, b: Floats) -> float:
    first, second = cv2.convexHull(a.astype(np.float32)), cv2.convexHull(b.astype(np.float32))
    return float(cv2.intersectConvexConvex(first, second)[0])


def _reading_order(cards: Cards) -> NDArray[np.intp]:
    """From top to bottom, then from left to right."""
    return np.lexsort((cards.centre[:, 0], cards.centre[:, 1]))


def _scaled(cards: Cards, factor: float) -> Cards:
    corner = (cards.corner + 0.5) * factor - 0.5
    return Cards(corner, cards.axes * factor, *_rest(cards))


def _quad(corners: NDArray[np.floating]) -> Quad:
    a, b, c, d = ((round(float(x), 1), round(float(y), 1)) for x, y in corners)
    return a, b, c, d


def _since(began: float) -> float:
    return round(1000 * (time.perf_counter() - began), 2)
