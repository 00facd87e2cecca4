"""From indices to cards: the two indices of a whole card belong together, all others stand for a covered card each.

A whole card also shows how the table is tilted where it lies, which makes its covered neighbours' places exact.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from vision.cards.deck import JOKER_BOTTOM, JOKER_TOP, Deck
from vision.cards.frame import CARD_ASPECT, plane_of_card
from vision.cards.index import COLOURS, FACES, JOKER_FACE, Indices

Floats = NDArray[np.float64]

NEAR, NEAR_UNLIKE = 0.25, 0.08
"""Two indices of one card agree on its middle within this part of its height; where they are read differently, closely
and only when the tilt of the table is known."""
LEAST_OPPOSITE = 0.85
"""Cosine of the turn between two indices of one card, one of which stands on its head."""
LIKE_SIZE, LIKE_SIZE_SURE, LIKE_SIZE_OPPOSITE = 1.2, 1.6, 1.35
"""A card may seem so much larger or smaller than the whole card next to it, one with a sure index even more, since
nearer cards look larger; and one index of a card than the other."""
SURE_INDEX = 0.0
"""Shortfall of an index that nothing but an index has."""
HARDLY_PIPS, DOUBTED = 0.02, 0.4
"""Shortfall of a pair of pips that is too like an index to be sure of, and the probability that there is one."""
SAME_MIDDLE = 0.17
"""Two whole cards with both indices in sight lie farther apart than this, in card heights."""
SMALLEST_SLIP = 0.07
"""A card may lie so much out of line with the one below it, in card heights, besides what their turn makes."""
OWN_TURN, OTHER_TURN = 0.12, 0.45
"""Sine of the largest turn between a card and its own pips, as they are measured, and of the least between pips that
stand askew and the card: more than from card to card in a fan."""
PRESENT_AT, PRESENT_WITHIN = 0.075, 0.02
"""Shortfall at which an index is as likely as not, and how quickly that changes."""


@dataclass(frozen=True, slots=True)
class Cards:
    """N cards as they were found.

    ``corner`` (N, 2) is the upper left corner in pixels, ``axes`` (N, 2, 2) has the upper and the left side as columns:
    a place (x, y) in shares of width and height lies at ``corner + axes @ (x, y)``.  ``face_p`` (N, 53) are the
    probabilities of the faces, ``present`` (N,) that there is a card, ``whole`` (N,) whether both indices were seen.
    """

    corner: Floats
    axes: Floats
    face_p: Floats
    present: Floats
    whole: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.present)

    def take(self, index: NDArray[np.intp] | NDArray[np.bool_]) -> Cards:
        """The chosen cards in the chosen order."""
        return Cards(*(getattr(self, entry.name)[index] for entry in fields(self)))

    def joined(self, others: Cards) -> Cards:
        """These cards and others behind them."""
        both = (np.concatenate([getattr(self, entry.name), getattr(others, entry.name)]) for entry in fields(self))
        return Cards(*both)

    def at(self, x: float, y: float) -> Floats:
        """A place of every card (N, 2), in pixels."""
        return np.asarray(self.corner + self.axes @ np.array([x, y]), np.float64)

    @property
    def centre(self) -> Floats:
        """Middles (N, 2) in pixels."""
        return self.at(0.5, 0.5)

    @property
    def height(self) -> Floats:
        """Lengths of the left sides (N,) in pixels."""
        return np.asarray(np.linalg.norm(self.axes[:, :, 1], axis=1), np.float64)

    def places_of(self, points: Floats) -> Floats:
        """Where each of M points (M, 2) in pixels lies on each card (N, M, 2), in shares of width and height."""
        away = points[None] - self.corner[:, None]
        return np.asarray(np.linalg.solve(self.axes[:, None], away[..., None])[..., 0], np.float64)


def assemble(found: Indices, deck: Deck, known: Cards | None = None) -> Cards:
    """The cards of these indices, whole ones first.

    ``known`` are whole cards seen at an earlier look, whose tilt is that of the cards around them.  Print inside a
    whole card is its own: pairs of pips there are dropped, and so are indices much smaller or larger than the nearest
    whole card's would be.
    """
    places = _places(found, deck)
    singles = _one_each(found, places, _tilt_around(found, known))
    pairs = _one_card_each(_opposites(singles, known is not None and len(known) > 0), singles, found.shortfall)
    whole = _whole(found, places, pairs)
    rest = np.setdiff1d(np.arange(len(found)), np.array(pairs, np.intp).ravel())
    found, places = found.take(rest), places[:, rest]
    covered = _one_each(found, places, _tilt_around(found, whole if len(whole) else known))
    if len(whole):
        ratio = covered.height / whole.height[_nearest(covered.centre, whole)]
        on_whole = whole.places_of(found.middle)
        inside = ((on_whole > 0.02) & (on_whole < 0.98)).all(axis=2).any(axis=0)
        most = np.where(found.shortfall < SURE_INDEX, LIKE_SIZE_SURE, LIKE_SIZE)
        kept = (ratio < most) & (ratio > 1 / most) & ~inside
        covered, found, places = covered.take(kept), found.take(kept), places[:, kept]
    own = _own_print(covered, found, places, deck)
    # what is as like as this to an index may be one after all, of a card not laid as the others: it is not passed over
    present = np.where(own, np.minimum(covered.present, DOUBTED), covered.present)
    covered = Cards(covered.corner, covered.axes, covered.face_p, present, covered.whole)
    return whole.joined(covered.take(~own | (found.shortfall < HARDLY_PIPS)))


def _own_print(covered: Cards, found: Indices, places: Floats, deck: Deck) -> NDArray[np.bool_]:
    """Which covered cards (N,) are but pips of another covered card: in its ink, as it stands, out of line with it.

    A card that is laid upon another has its index beside or below the other's.
    """
    count = len(covered)
    middle = found.middle
    own = places.mean(axis=0)
    on = covered.places_of(middle)  # (card, index, 2)
    down = covered.axes[:, :, 1] / covered.height[:, None]
    across = np.abs(down[:, None, 0] * down[None, :, 1] - down[:, None, 1] * down[None, :, 0])
    slip = SMALLEST_SLIP + across
    face = covered.face_p.argmax(axis=1)
    same_ink = (np.abs(found.ink[:, None] - found.ink[None]).max(axis=2) < 3 * deck.ink_spread) & (face != JOKER_FACE)[
        :, None
    ]
    upon = ((on > 0) & (on < 1)).all(axis=2)
    # the index of a card that lies the other way round stands on its head, and so does its place
    same_way = (down @ down.T > 0)[..., None]
    apart = np.abs(on - np.where(same_way, own[:, None], 1 - own[:, None]))
    in_line = (apart[..., 1] < slip) | (apart[..., 0] * CARD_ASPECT < slip)
    print_of_other = upon & same_ink & ((~in_line & (across < OWN_TURN)) | (across > OTHER_TURN))
    print_of_other &= found.shortfall[:, None] < found.shortfall[None]
    np.fill_diagonal(print_of_other, False)
    # only what is itself a card can have pips: the best first
    dropped = np.zeros(count, np.bool_)
    for k in np.argsort(found.shortfall, kind="stable").tolist():
        if not dropped[k]:
            dropped |= print_of_other[k]
    return dropped


def _nearest(points: Floats, cards: Cards) -> NDArray[np.intp]:
    """The card (M,) whose middle is nearest to each point (M, 2)."""
    apart = np.linalg.norm(points[:, None] - cards.centre[None], axis=2)
    return np.asarray(apart.argmin(axis=1), np.intp)


def _tilt_around(found: Indices, known: Cards | None) -> Floats | None:
    """Directions on the table to those in the picture (N, 2, 2) where each index lies: the nearest known card's."""
    if known is None or not len(known):
        return None
    return plane_of_card(known.axes[_nearest(found.top, known)])


def presence(shortfall: Floats) -> Floats:
    """Probability that there is an index, from how much less than usual it looks like one."""
    return np.asarray(1 / (1 + np.exp(np.clip((shortfall - PRESENT_AT) / PRESENT_WITHIN, -30, 30))), np.float64)


def table_plane(cards: Cards) -> Floats | None:
    """Directions on the table to those in the picture (2, 2) in the middle of the whole cards; None without any."""
    if not cards.whole.any():
        return None
    planes = plane_of_card(cards.axes[cards.whole])
    # cards lie turned any way: what they share is the metric, not the turn
    metric = np.median(planes @ planes.transpose(0, 2, 1), axis=0)
    return np.asarray(np.linalg.cholesky(metric), np.float64)


def _places(found: Indices, deck: Deck) -> Floats:
    """Where rank and sign of each index stand on its card (2, N, 2)."""
    face = found.face_p.argmax(axis=1)
    joker = face == JOKER_FACE
    top = np.where(joker, JOKER_TOP, face // COLOURS)
    bottom = np.where(joker, JOKER_BOTTOM, face % COLOURS)
    return np.stack([deck.top_place[top], deck.bottom_place[bottom]])


def _one_each(found: Indices, places: Floats, plane: Floats | None) -> Cards:
    """A card for each index, as large and as turned as the way from its rank to its sign says."""
    count = len(found)
    tilt = np.broadcast_to(np.eye(2), (count, 2, 2)) if plane is None else np.broadcast_to(plane, (count, 2, 2))
    seen = np.linalg.solve(tilt, found.down[..., None])[..., 0]
    wanted = (places[1] - places[0]) * (CARD_ASPECT, 1.0)
    ratio = (seen[:, 0] + 1j * seen[:, 1]) / (wanted[:, 0] + 1j * wanted[:, 1])
    turn = np.stack([np.stack([ratio.real, -ratio.imag], 1), np.stack([ratio.imag, ratio.real], 1)], axis=1)
    axes = tilt @ turn * np.array([CARD_ASPECT, 1.0])
    corner = found.top - (axes @ places[0][..., None])[..., 0]
    return Cards(corner, axes, found.face_p, presence(found.shortfall), np.zeros(count, np.bool_))


def _opposites(singles: Cards, tilt_known: bool) -> list[tuple[int, int]]:
    """Pairs of indices that are one card's, nearest first."""
    if not len(singles):
        return []
    centre, down, height = singles.centre, singles.axes[:, :, 1], singles.height
    apart = np.linalg.norm(centre[:, None] - centre[None], axis=2) / np.minimum(height[:, None], height[None])
    unit = down / height[:, None]
    face = singles.face_p.argmax(axis=1)
    unlike = face[:, None] != face[None]
    fits = (unit @ unit.T < -LEAST_OPPOSITE) & (apart < np.where(unlike, NEAR_UNLIKE * tilt_known, NEAR))
    ratio = height[:, None] / height[None]
    fits &= (ratio < LIKE_SIZE_OPPOSITE) & (ratio > 1 / LIKE_SIZE_OPPOSITE)
    a, b = np.nonzero(np.triu(fits, 1))
    taken: set[int] = set()
    pairs = []
    for k in np.lexsort((b, a, apart[a, b] + NEAR * unlike[a, b])).tolist():
        i, j = int(a[k]), int(b[k])
        if i not in taken and j not in taken:
            taken |= {i, j}
            pairs.append((i, j))
    return pairs


def _one_card_each(pairs: list[tuple[int, int]], singles: Cards, shortfall: Floats) -> list[tuple[int, int]]:
    """The pairs without those that are pips, which are as symmetric as indices about the middle of the same card."""
    kept: list[tuple[int, int]] = []
    middles: list[Floats] = []
    for i, j in sorted(pairs, key=lambda pair: float(max(shortfall[pair[0]], shortfall[pair[1]]))):
        middle = (singles.centre[i] + singles.centre[j]) / 2
        if all(np.linalg.norm(middle - other) > SAME_MIDDLE * singles.height[i] for other in middles):
            kept.append((i, j))
            middles.append(middle)
    return kept


def _whole(found: Indices, places: Floats, pairs: list[tuple[int, int]]) -> Cards:
    """Cards through both their indices: rank and sign above left, and turned round below right."""
    corners, axes = np.zeros((len(pairs), 2)), np.zeros((len(pairs), 2, 2))
    face_p, present = np.zeros((len(pairs), FACES)), np.zeros(len(pairs))
    there = presence(found.shortfall)
    for k, (i, j) in enumerate(pairs):
        if found.down[i][1] < 0:
            i, j = j, i  # noqa: PLW2901  of the two ways up the one nearer to the picture's
        where = np.stack([places[0, i], places[1, i], 1 - places[0, j], 1 - places[1, j]])
        seen = np.stack([found.top[i], found.bottom[i], found.top[j], found.bottom[j]])
        solved = np.linalg.lstsq(np.column_stack([where, np.ones(4)]), seen, rcond=None)[0]
        axes[k], corners[k] = solved[:2].T, solved[2]
        # each index was wrong on its own account, so that two which agree are surer than one
        both = found.face_p[i] * found.face_p[j] + 1e-9
        torn = (found.face_p[i] + found.face_p[j]) / 2
        agree = found.face_p[i].argmax() == found.face_p[j].argmax()
        face_p[k] = both / both.sum() if agree else torn
        present[k] = 1 - (1 - there[i]) * (1 - there[j])
    return Cards(corners, axes, face_p, present, np.ones(len(pairs), np.bool_))
