"""Indices in a picture: pairs of printed blobs that look like a rank above a suit sign of the taught deck.

Each pair says by itself which way its card is turned and how large it is, so no card needs to be found first.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from vision.cards.deck import JOKER_BOTTOM, JOKER_TOP, RANKS, Deck, ink_share
from vision.cards.frame import Layers, frames_of, glyphs_of
from vision.cards.ink import Blobs, Print, blobs_of

Floats = NDArray[np.float64]

SMALLEST_WAY = 7.0
"""Least way from rank to sign in pixels: smaller indices are not looked at."""
LOOSE_SIZE, TIGHT_SIZE = 1.4, 1.25
"""A blob may be so much smaller or larger than the deck's, over the way between rank and sign: a tilt unknown or known
shortens it."""
MOST_BLOBS = 3000
CHUNK = 4096
WORST = 0.25
"""A pair is worth keeping when rank and sign fall short of their usual likeness by no more than this."""
SAME_INDEX = 0.45
"""Two pairs whose middles are closer than this, in ways from rank to sign, are one index; the likelier pair counts."""
SAME_PRINT = 0.2
"""… and so are two that share a piece of print, one's rank being the other's sign."""
OTHER_INK = 0.15
"""What an index falls short besides when it has not the ink of its sign."""
COLOURS = JOKER_BOTTOM
FACES = RANKS * COLOURS + 1
"""Faces in the order of their probabilities: rank by rank with its four suits, then the joker."""
JOKER_FACE = FACES - 1
_INK_FLOOR = -8.0


@dataclass(frozen=True, slots=True)
class Indices:
    """N indices: ``top`` and ``bottom`` (N, 2) middles of rank and sign in pixels, ``shortfall`` (N,) of
    their likeness to the deck, ``face_p`` (N, 53) probabilities of the faces, ``ink`` (N, 3) as ``ink_share``
    measures it."""

    top: Floats
    bottom: Floats
    shortfall: Floats
    face_p: Floats
    ink: Floats

    def __len__(self) -> int:
        return len(self.shortfall)

    def take(self, index: NDArray[np.intp] | NDArray[np.bool_]) -> Indices:
        """The chosen ones in the chosen order."""
        return Indices(*(getattr(self, entry.name)[index] for entry in fields(self)))

    @property
    def middle(self) -> Floats:
        """Half way between rank and sign (N, 2), in pixels."""
        return (self.top + self.bottom) / 2

    @property
    def down(self) -> Floats:
        """From rank to sign (N, 2), in pixels."""
        return self.bottom - self.top


def no_indices() -> Indices:
    """None at all."""
    return Indices(np.zeros((0, 2)), np.zeros((0, 2)), np.zeros(0), np.zeros((0, FACES)), np.zeros((0, 3)))


def find_indices(seen: Print, deck: Deck, plane: Floats | None = None, sure: Floats | None = None) -> Indices:
    """All that looks like an index of the deck, best first, each once.

    ``plane`` (2, 2) takes directions on the table to directions in the picture, where that is known; ``sure`` (K, 2)
    are middles of indices known from an earlier look, whose print is nobody else's.
    """
    blobs = blobs_of(seen)
    if len(blobs) > MOST_BLOBS:
        chosen = np.argsort(-blobs.mass, kind="stable")[:MOST_BLOBS]
        blobs = Blobs(blobs.centre[chosen], blobs.radius[chosen], blobs.mass[chosen])
    top, bottom = _pairs(blobs, deck, plane)
    ink, taken = Layers(seen.ink), Layers(seen.taken)
    parts = [
        read_at(ink, taken, deck, top[i : i + CHUNK], bottom[i : i + CHUNK], plane) for i in range(0, len(top), CHUNK)
    ]
    if not parts:
        return no_indices()
    found = Indices(*(np.concatenate([getattr(part, entry.name) for part in parts]) for entry in fields(Indices)))
    return found.take(_each_once(found, np.zeros((0, 2)) if sure is None else sure))


def read_at(
    ink: Layers, taken: Layers, deck: Deck, top: Floats, bottom: Floats, plane: Floats | None = None
) -> Indices:
    """Read those of the pairs at ``top`` and ``bottom`` (M, 2) that look like an index at all."""
    tilt = None if plane is None else np.broadcast_to(plane, (len(top), 2, 2))
    frames = frames_of(top, bottom, tilt)
    patches = ink.cut(frames)
    tops, bottoms = glyphs_of(patches)
    shortfall = deck.shortfall(tops, bottoms)
    worth = np.flatnonzero(shortfall <= WORST)
    ranks, signs = deck.ranks.log_p(tops[worth]), deck.signs.log_p(bottoms[worth])
    share = ink_share(taken.cut(frames[worth]), patches[worth])
    by_ink = -0.5 * (((share[:, None] - deck.inks[None]) / deck.ink_spread) ** 2).sum(axis=2)
    by_ink = np.maximum(by_ink - by_ink.max(axis=1, keepdims=True, initial=-1e9), _INK_FLOOR)
    suits = signs[:, :COLOURS] + by_ink
    pairs = (ranks[:, :RANKS, None] + suits[:, None]).reshape(len(worth), JOKER_FACE)
    evidence = np.column_stack([pairs, ranks[:, JOKER_TOP] + signs[:, JOKER_BOTTOM]])
    powers = np.exp(evidence - evidence.max(axis=1, keepdims=True, initial=-1e9))
    face_p = powers / powers.sum(axis=1, keepdims=True)
    first = face_p[:, :JOKER_FACE].reshape(len(worth), RANKS, COLOURS).sum(axis=1).argmax(axis=1, keepdims=True)
    contradicted = (np.take_along_axis(by_ink, first, 1)[:, 0] <= _INK_FLOOR) & (face_p[:, JOKER_FACE] < 0.5)
    short = shortfall[worth] + OTHER_INK * contradicted
    return Indices(top[worth], bottom[worth], short, face_p, share)


def _pairs(blobs: Blobs, deck: Deck, plane: Floats | None) -> tuple[Floats, Floats]:
    """Blobs whose sizes and distance are those of a rank and a sign."""
    slack = LOOSE_SIZE if plane is None else TIGHT_SIZE
    on_table = blobs.centre if plane is None else np.linalg.solve(plane, blobs.centre.T).T
    unit = 1.0 if plane is None else float(np.sqrt(abs(np.linalg.det(plane))))
    way = unit * np.linalg.norm(on_table[:, None] - on_table[None], axis=2)
    rank, sign = blobs.radius[:, None], blobs.radius[None]
    (least_rank, most_rank), (least_sign, most_sign) = deck.sizes.tolist()
    fits = (way >= SMALLEST_WAY) & (rank > way * (least_rank / slack)) & (rank < way * (most_rank * slack))
    fits &= (sign > way * (least_sign / slack)) & (sign < way * (most_sign * slack))
    a, b = np.nonzero(fits)
    return blobs.centre[a], blobs.centre[b]


def _each_once(found: Indices, sure: Floats) -> NDArray[np.intp]:
    """The best of all pairs that lie on each other or share a piece of print: known ones first, then the likeliest."""
    ends = np.stack([found.top, found.bottom], axis=1)
    middle = ends.mean(axis=1)
    way = np.linalg.norm(found.down, axis=1)
    from_sure = np.linalg.norm(middle[:, None] - sure[None], axis=2).min(axis=1, initial=np.inf)
    order = np.lexsort((found.shortfall, from_sure >= SAME_PRINT * way))
    kept: list[int] = []
    for i in order.tolist():
        others = np.array(kept, np.intp)
        apart = np.linalg.norm(middle[others] - middle[i], axis=1)
        shared = np.linalg.norm(ends[others][:, :, None] - ends[i][None, None], axis=3).min(axis=(1, 2), initial=np.inf)
        longer = np.maximum(way[others], way[i])
        if not ((apart < SAME_INDEX * longer) | (shared < SAME_PRINT * longer)).any():
            kept.append(i)
    return np.array(kept, np.intp)
