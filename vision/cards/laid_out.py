"""A photo of a deck laid out by suit → which card lies where, without knowing a single rank or sign yet.

The layout says what should lie where: a row for each suit, ace to king, a second deck likewise, the jokers last.  The
cards themselves are the check: the ranks of a column look alike in all rows, the digits of the tens stand in column
ten, red suits are red.  What does not agree is a question, and is not learned.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from referee.tiles import Colour, Joker, Tile
from vision.cards.corner import CORNER_PLANE, TEN, corner_quads, index_in
from vision.cards.deck import RANKS, ink_share
from vision.cards.frame import Layers, Patches, frames_of, glyphs_of
from vision.cards.ink import print_of
from vision.cards.outline import find_outlines
from vision.rectify import rectify
from vision.taught.asked import Asked
from vision.taught.examples import EXAMPLE_HEIGHT, EXAMPLE_PAD, EXAMPLE_WIDTH, Example
from vision.taught.laid_out import Doubt, LaidOut, LaidTile, NotLaidOutError, RowCount

Image = NDArray[np.uint8]
Floats = NDArray[np.float64]

LEAST_CARDS = 2 * RANKS
MOST_JOKERS = 6
SAME_ROW = 0.45
"""Neighbours in a row differ in height by less than this part of a card's height."""
WIDEST_STEP = 3.5
"""Way to the next card of a row, in card widths: places may be empty."""
LEAST_ALIKE, OTHER_RANK = 0.55, 0.04
"""Least correlation of a rank with its column's, and how much more another column's may be before it is a question."""
MISSING_COST = 0.15
_RED_BELOW, _BLACK_ABOVE = 0.62, 0.72
"""Share of red light that an ink takes away, of what it takes of the others."""
_PRINT_REACH = 42.0


@dataclass(frozen=True, slots=True)
class _Look:
    """What a card's corners show: ranks (2, D), NaN where none was found, whether of two digits, red light taken."""

    ranks: Patches
    two_digits: bool
    red: float


@dataclass(frozen=True, slots=True)
class _Column:
    """The ranks (M, D) of one column in all full rows, and whose cards' they are (M,)."""

    owners: NDArray[np.intp]
    ranks: Patches


def corner_crops(image: Image, quads: NDArray[np.floating]) -> Image:
    """Both corners of N whole cards (N, 4, 2) as examples are: uint8 (N, 2, 128, 96, 3) BGR."""
    corners = corner_quads(quads).reshape(-1, 4, 2)
    crops = rectify(image, corners, EXAMPLE_WIDTH, EXAMPLE_HEIGHT, EXAMPLE_PAD)
    return crops.reshape(-1, 2, EXAMPLE_HEIGHT, EXAMPLE_WIDTH, 3)


def read_laid_out(image: Image, asked: Asked | None = None) -> LaidOut:
    """Find and label the cards of a picture uint8 (H, W, 3) BGR that shows one or two decks laid out.

    ``asked`` says which suits the first four rows are, hearts, clubs, spades, diamonds if nothing else is said, or
    instead which cards lie in each row.  The picture may be turned any way.  Raises ``NotLaidOutError`` when no row of
    ace to king is whole enough to say what the columns are.
    """
    asked = asked or Asked()
    quads = find_outlines(image)
    if len(quads) < (LEAST_CARDS if asked.told is None else 1):
        raise NotLaidOutError("no_tiles", len(quads))
    looks = [_look(both) for both in corner_crops(image, quads)]
    rows = _turned_to_read(_rows(quads), looks)
    if asked.told is not None:
        return _as_told(quads, rows, asked.told)
    jokers = rows.pop() if len(rows) % 4 == 1 and len(rows[-1]) <= MOST_JOKERS else []
    columns = _columns(rows, looks)
    if columns is None:
        raise NotLaidOutError("not_in_order", len(quads))
    cards: list[LaidTile] = []
    for number, row in enumerate(rows):
        suit = asked.order[number % 4] if number // 4 < 2 and len(asked.order) == 4 else None
        for place, (card, rank) in enumerate(zip(row, _ranks_along(row, looks, columns), strict=True)):
            tile, doubt = _settled(_likeness(card, looks[card], columns), looks[card].red, rank, suit)
            cards.append(LaidTile(quads[card], number, place, tile, doubt=doubt))
    joker = Tile(joker=Joker.REGULAR)
    cards += [LaidTile(quads[card], len(rows), place, joker) for place, card in enumerate(jokers)]
    return LaidOut(tuple(cards), len(rows) + bool(jokers))


def corner_examples(image: Image, laid: LaidOut) -> tuple[Example, ...]:
    """Both corners of every settled card, cut from the picture uint8 (H, W, 3) BGR that was read."""
    settled = [(card.tile, card.quad) for card in laid.settled if card.tile is not None]
    if not settled:
        return ()
    crops = corner_crops(image, np.stack([quad for _, quad in settled]))
    return tuple(Example(tile, crop) for (tile, _), both in zip(settled, crops, strict=True) for crop in both)


def _as_told(quads: NDArray[np.float32], rows: list[list[int]], told: tuple[tuple[Tile, ...], ...]) -> LaidOut:
    """Every row as it was told; nothing of a row that holds another number of cards."""
    cards: list[LaidTile] = []
    miscounted: list[RowCount] = []
    for number in range(max(len(rows), len(told))):
        row = rows[number] if number < len(rows) else []
        tiles = told[number] if number < len(told) else ()
        if len(row) != len(tiles):
            miscounted.append(RowCount(number, len(tiles), len(row)))
        for place, card in enumerate(row):
            known = tiles[place] if len(row) == len(tiles) else None
            cards.append(LaidTile(quads[card], number, place, known, doubt=None if known else Doubt.ROW_COUNT))
    return LaidOut(tuple(cards), len(rows), tuple(miscounted))


def _look(both: Image) -> _Look:
    """What a card's two corners (2, 128, 96, 3) show."""
    ranks, digits, red = np.full((2, 784), np.nan, np.float32), [], []
    for k, crop in enumerate(both):
        pieces = index_in(crop, TEN)  # it may be one
        if pieces is None:
            continue
        seen = print_of(crop, _PRINT_REACH)
        frame = frames_of(pieces[0].centre[None], pieces[1].centre[None], CORNER_PLANE[None])
        patch = Layers(seen.ink).cut(frame)
        ranks[k] = glyphs_of(patch)[0][0]
        digits.append(pieces[0].parts > 1)
        red.append(float(ink_share(Layers(seen.taken).cut(frame), patch)[0, 2]))
    return _Look(ranks, all(digits) and bool(digits), float(np.mean(red)) if red else float("nan"))


# --- rows -------------------------------------------------------------------------------------------------------


def _rows(quads: NDArray[np.float32]) -> list[list[int]]:
    """Cards in rows from top to bottom, each from left to right, as the cards themselves stand."""
    corners = quads.astype(np.float64)
    right = (corners[:, 1] - corners[:, 0] + corners[:, 2] - corners[:, 3]) / 2
    down = (corners[:, 3] - corners[:, 0] + corners[:, 2] - corners[:, 1]) / 2
    usual = np.median(down, axis=0)
    turned = (down @ usual) < 0
    right[turned], down[turned] = -right[turned], -down[turned]
    centre = corners.mean(axis=1)
    away = centre[None] - centre[:, None]  # (own, other, 2)
    place = np.linalg.solve(np.stack([right, down], axis=2)[:, None], away[..., None])[..., 0]
    fits = (place[..., 0] > 0.5) & (place[..., 0] < WIDEST_STEP) & (np.abs(place[..., 1]) < SAME_ROW)
    following: dict[int, int] = {}
    for a, b in sorted(np.argwhere(fits).tolist(), key=lambda pair: float(place[pair[0], pair[1], 0])):
        if a not in following and b not in following.values():
            following[a] = b
    starts = [k for k in range(len(quads)) if k not in following.values()]
    rows = []
    for start in starts:
        row = [start]
        while row[-1] in following:
            row.append(following[row[-1]])
        rows.append(row)
    across = np.array([-usual[1], usual[0]])
    across = across if across @ np.median(right, axis=0) > 0 else -across
    unit = np.linalg.solve(np.stack([np.median(right, axis=0), usual], axis=1), centre.T).T
    rows.sort(key=lambda row: float(np.median(unit[row, 1])))
    return rows


def _turned_to_read(rows: list[list[int]], looks: Sequence[_Look]) -> list[list[int]]:
    """The rows the right way up: a card says nothing of it, but tens are the tenth from the left."""
    full = [row for row in rows if len(row) == RANKS]
    forward = sum(looks[row[TEN - 1]].two_digits for row in full)
    backward = sum(looks[row[RANKS - TEN]].two_digits for row in full)
    return [row[::-1] for row in reversed(rows)] if backward > forward else rows


# --- ranks ------------------------------------------------------------------------------------------------------


def _columns(rows: Sequence[Sequence[int]], looks: Sequence[_Look]) -> list[_Column] | None:
    """The looks of each rank in the rows that have all thirteen; None when there are none, or they disagree."""
    full = [row for row in rows if len(row) == RANKS]
    if len(full) < 2:
        return None
    columns = []
    for k in range(RANKS):
        owners = np.repeat([row[k] for row in full], 2)
        ranks = np.concatenate([looks[row[k]].ranks for row in full])
        shown = ~np.isnan(ranks[:, 0])
        columns.append(_Column(owners[shown], ranks[shown]))
    alike = [_likeness(card, looks[card], columns)[k] for row in full for k, card in enumerate(row)]
    return columns if np.median(alike) >= LEAST_ALIKE else None


def _likeness(card: int, look: _Look, columns: Sequence[_Column]) -> Floats:
    """How much a card's rank looks like those of each column's other cards (13,); −1 where it shows none."""
    ranks = look.ranks[~np.isnan(look.ranks[:, 0])]
    likeness = np.full(RANKS, -1.0)
    for k, column in enumerate(columns):
        others = column.ranks[column.owners != card]
        if len(ranks) and len(others):
            likeness[k] = float((ranks @ others.T).max(axis=1).mean())
    return likeness


def _ranks_along(row: Sequence[int], looks: Sequence[_Look], columns: Sequence[_Column]) -> list[int | None]:
    """The rank (0 to 12) of each card of a row; None where the row leaves it open.

    A row of thirteen is ace to king.  From a shorter one cards are missing: of all increasing ranks those are taken
    that look most like the columns; a longer one is two decks side by side when it has twice as many.
    """
    if len(row) % RANKS == 0:
        return [k % RANKS for k in range(len(row))]
    if len(row) > RANKS:
        return [None] * len(row)
    likeness = np.stack([_likeness(card, looks[card], columns) for card in row])
    best = np.full((len(row) + 1, RANKS + 1), -np.inf)
    best[0] = 0
    for i in range(1, len(row) + 1):
        for k in range(i, RANKS + 1):
            best[i, k] = max(best[i, k - 1], best[i - 1, k - 1] + likeness[i - 1, k - 1])
    ranks: list[int | None] = []
    k = RANKS
    for i in range(len(row), 0, -1):
        while k > i and best[i, k] == best[i, k - 1]:
            k -= 1
        ranks.append(k - 1)
        k -= 1
    return ranks[::-1]


def _settled(likeness: Floats, red: float, rank: int | None, suit: Colour | None) -> tuple[Tile | None, Doubt | None]:
    """The card at a place, or why it is not settled."""
    if rank is None or suit is None or likeness.max() < LEAST_ALIKE:
        return None, Doubt.OPEN
    if likeness.max() > likeness[rank] + OTHER_RANK:
        return None, Doubt.OUT_OF_ORDER
    # where a deck has four inks diamonds are blue or orange and clubs green; hearts are red and no black suit is
    if red > _BLACK_ABOVE if suit is Colour.RED else red < _RED_BELOW and suit is not Colour.ORANGE:
        return None, Doubt.OTHER_COLOUR
    return Tile(colour=suit, number=rank + 1), None
