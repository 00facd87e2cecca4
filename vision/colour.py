"""Colours judged over the whole table: a box prints four inks, so tiles of one colour look alike under one lamp.

The network judges each tile alone.  Here its answers are the seeds of four ink clusters, each measured against the
tile's own white, and a tile whose ink lies in another colour's cluster is no longer believed without a question.
Columns of all colour probabilities are in the order of ``COLOURS``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.tiles import Colour
from vision.levels import levels_at
from vision.rectify import inner
from vision.shrink import halved

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

COLOURS = (Colour.RED, Colour.BLUE, Colour.BLACK, Colour.ORANGE)

_BODY_PERCENTILE = 85
"""The body covers most of a face, and highlights less than a seventh of it: this level is the body's own white."""
_BODY_WHITE = 235.0
"""Where the body is lifted to, leaving room above it for highlights."""
_DARKEST_BODY = 20
"""A body darker than this level of 255 is not lifted further: only noise would grow."""
_BODY_LIGHTNESS = 93.0
"""L* of ``_BODY_WHITE``."""
_EDGE = 0.17
"""Part of the crop left out on each side: padding, rim and bevel."""
_PEAK_PERCENTILE = 97
"""An ink covers at least a twentieth of the inner face; this quantile of the deviation lies well inside it."""
_CORE = 0.7
"""Ink pixels from this part of the peak deviation on are the stroke's core, free of the blurred rim."""
LEAST_PEAK = 15.0
"""Deviation from the body (in L*a*b* units) below which a face is blank."""

_PRIOR_MEAN = np.array([[50.0, 55.0, 28.0], [48.0, 2.0, -40.0], [20.0, 1.0, 1.0], [68.0, 24.0, 50.0]])
_PRIOR_SPREAD = np.array([[10.0, 12.0, 16.0], [13.0, 16.0, 18.0], [14.0, 5.0, 7.0], [9.0, 13.0, 15.0]])
"""What boxes print: crimson to pink, navy to teal and cyan, black to washed-out grey, yellow to dark orange."""
_TAUGHT_SPREAD = np.array([8.0, 7.0, 9.0])
"""How far a known box's ink may lie from where its own photo showed it: another lamp, another camera."""
_LEAST_SPREAD = np.array([5.0, 4.0, 5.0])
"""Spread of one ink over one table that is always allowed for: shading, focus, white balance of each tile."""
_TAIL = 5.0
"""Degrees of freedom of the clusters' t-distributions: glare makes outliers that are no other colour."""
_ROUNDS = 3
_LEAST_SEED = 0.05
"""However sure the network is, ink that is twenty times likelier moves a tile to another cluster."""
_CONFLICT = 0.1
"""The ink contradicts the network when it gives the network's colour less than this."""
_NETWORK_SHARE = 0.55
"""On a contradiction the network keeps this share of the opinion: it stays first, but is far from sure."""
_NETWORK_SHARE_TAUGHT = 0.3
"""… and less where the box's own inks are known: then the ink comes first, and the tile is in doubt all the same."""
_RED, _BLUE, _BLACK, _ORANGE = range(4)
_RIVALS = ((_RED, _ORANGE), (_BLUE, _BLACK))
"""Red and orange, blue and black: the inks that lamps and cameras bring together."""
_SWAPS = {(_RED, _ORANGE): [3, 1, 2, 0], (_BLUE, _BLACK): [0, 2, 1, 3]}
_LEAST_APART = 16.0
"""Two inks nearer than this, in L* a* b* units, cannot be told apart; on the shared photos they are 32 apart."""
_LEAST_SPREADS_APART = 3.2
"""… and never nearer than so many times the spread of their own tiles: noise and focus make every ink wide."""
_LEAST_TO_COMPARE = 2
_COLOUR_SHOWN, _COLOUR_LOST = 0.55, 0.4
"""Share of a print's usual chroma that a picture still shows: with more navy is no black, with less it may well be.

On the shared photos it is 0.8 and more; small tiles in weak light after strong JPEG compression show 0.2 to 0.5, and
navy ink lies among the black there."""
_WASHED_OUT = 30.0
"""L* from which a black is so blurred that, with no coloured ink beside it, nobody can say it was black."""
_OPEN_SHARE = 0.25
"""So much of the probability goes to the other ink then: enough for doubt, too little to flip."""
_LEAST_CHROMA = 15.0
"""A picture whose strongest colours (99.5th percentile) have less chroma, in L* a* b* units, is grey or nearly so.

Of the shared photos with tiles the palest has 20; grey copies have 0, copies with 15 % of the saturation 6 to 13."""
_LEAST_INK_CHROMA = 18.0
"""Chroma from which an ink, against its own white, is no grey."""
_INK_POWER = 0.5
"""Weight of the ink's evidence when both agree: the network has seen the same pixels."""


def left_open(network_p: NDArray[np.floating]) -> Floats:
    """Colour probabilities (N, 4) of a picture that does not show colours: half of each opinion, the rest even."""
    return np.asarray(network_p, np.float64) / 2 + 1 / 8


@dataclass(frozen=True, slots=True)
class Ink:
    """What is printed on N tiles, as seen against each tile's own body."""

    lab: Floats
    """(N, 3) CIE L* a* b* of the ink after the body was made white"""
    share: Floats
    """(N,) part of the inner face that is ink, 0 to 1; 0 where nothing is printed"""


@dataclass(frozen=True, slots=True)
class InkPrior:
    """What is known of the four inks before the table is looked at: ``mean`` and ``spread`` (4, 3), L* a* b*."""

    mean: Floats
    spread: Floats


ANY_BOX = InkPrior(_PRIOR_MEAN, _PRIOR_SPREAD)
"""What boxes print in general."""


def ink_prior(ink: Ink, colours: NDArray[np.intp]) -> InkPrior:
    """The inks of one box from tiles of known colours (N,), places in ``COLOURS``, −1 to leave a tile out.

    An ink that no tile shows may be what any box prints.
    """
    mean, spread = _PRIOR_MEAN.copy(), _PRIOR_SPREAD.copy()
    for k in range(4):
        seen = ink.lab[colours == k]
        if len(seen):
            mean[k] = np.median(seen, axis=0)
            away = 1.4826 * np.median(np.abs(seen - mean[k]), axis=0)
            spread[k] = np.maximum(_TAUGHT_SPREAD, away)
    return InkPrior(mean, spread)


def shows_colours(image: NDArray[np.uint8], ink: Ink) -> bool:
    """Whether a picture uint8 (H, W, 3) BGR has enough colour to tell inks by it: a grey photo has none.

    One coloured ink is enough, and so is anything else that is coloured where all inks are black.
    """
    printed = ink.lab[ink.share > 0]
    if len(printed) and np.hypot(printed[:, 1], printed[:, 2]).max() >= _LEAST_INK_CHROMA:
        return True
    factor = min(1.0, 500 / max(image.shape[:2]))
    image, factor = halved(image, factor)
    small = cv2.resize(image, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA)
    # a dim picture has little chroma only because it is dim
    exposed = np.minimum(small / np.float32(max(float(np.quantile(small, 0.99)), _DARKEST_BODY)), 1).astype(np.float32)
    lab = np.asarray(cv2.cvtColor(exposed, cv2.COLOR_BGR2Lab), np.float32)
    return bool(np.quantile(np.hypot(lab[..., 1], lab[..., 2]), 0.995) >= _LEAST_CHROMA)


def ink_of(crops: NDArray[np.uint8]) -> Ink:
    """Measure the ink of upright tile crops, uint8 (N, H, W, 3) BGR as ``rectify`` cuts them.

    Each crop is white-balanced by its own body; the ink's colour is the median over the core of what differs from
    that body.  Raises ``ValueError`` for another shape or type.
    """
    if crops.ndim != 4 or crops.shape[3] != 3 or crops.dtype != np.uint8:
        raise ValueError(f"crops are uint8 (N, H, W, 3), not {crops.dtype} {crops.shape}")
    if not len(crops):
        return Ink(np.zeros((0, 3)), np.zeros(0))
    printed = deviation(inner(crops, _EDGE))
    core = printed.strength >= _CORE
    colour = [_median(pixels[inside]) for pixels, inside in zip(printed.lab, core, strict=True)]
    share = np.where(printed.peak < LEAST_PEAK, 0.0, (printed.strength >= 0.5).mean(axis=(1, 2)))
    return Ink(np.array(colour, np.float64), share)


def _median(pixels: NDArray[np.float32]) -> NDArray[np.float32]:
    """Median (3,) of pixels (P, 3), as ``np.median`` has it, which takes five times as long for one small tile."""
    ranked = np.sort(pixels, axis=0)
    middle = len(ranked) // 2
    of_two = (ranked[middle - 1 + len(ranked) % 2] + ranked[middle]) / np.float32(2)
    return np.asarray(of_two, np.float32)


@dataclass(frozen=True, slots=True)
class Deviation:
    """How far each pixel of N faces is from the body of its own face."""

    lab: NDArray[np.float32]
    """(N, H, W, 3) CIE L* a* b* after the body was made white"""
    strength: NDArray[np.float32]
    """(N, H, W) distance from the body's colour over ``peak``: about 1 within the ink, 0 on the body"""
    peak: NDArray[np.float32]
    """(N,) distance of the ink from the body, in L* a* b* units; under ``LEAST_PEAK`` the face is blank"""


def deviation(faces: NDArray[np.uint8]) -> Deviation:
    """Compare faces, uint8 (N, H, W, 3) BGR without what surrounds them, with their own bodies."""
    count, height, width = faces.shape[:3]
    lab, distance = _from_body(faces, _gain(faces))
    level = height * width * _PEAK_PERCENTILE // 100
    peak = np.maximum(np.partition(distance, level, axis=1)[:, level], np.float32(1e-3))
    strength = np.asarray(distance / peak[:, None], np.float32).reshape(count, height, width)
    return Deviation(lab.reshape(count, height, width, 3), strength, peak)


def distance_from_body(faces: NDArray[np.uint8], pictures: NDArray[np.uint8]) -> NDArray[np.float32]:
    """How far (N, h, w), in L* a* b*, pictures of tiles, uint8 (N, h, w, 3) BGR, are from the bodies of their faces,
    uint8 (N, H, W, 3) BGR without what surrounds them."""
    return _from_body(pictures, _gain(faces))[1].reshape(pictures.shape[:3])


def _gain(faces: NDArray[np.uint8]) -> NDArray[np.float32]:
    """What makes the body of each face white, (N, 3)."""
    count, height, width = faces.shape[:3]
    level = height * width * _BODY_PERCENTILE // 100
    body = levels_at(faces.reshape(count, height * width, 3), level)
    return np.asarray(_BODY_WHITE / 255 / np.maximum(body, _DARKEST_BODY).astype(np.float32), np.float32)


def _from_body(
    pictures: NDArray[np.uint8], gain: NDArray[np.float32]
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """L* a* b* (N, P, 3) of the pixels of (N, h, w, 3) after the body was made white, and their distances (N, P)."""
    count, pixels = len(pictures), pictures.shape[1] * pictures.shape[2]
    # whole rows and planes, in place: steps over the three channels of single pixels take several times as long
    balanced = pictures.reshape(count, -1).astype(np.float32)
    balanced *= np.tile(gain, (1, pixels))
    np.minimum(balanced, np.float32(1), out=balanced)
    lab = np.asarray(cv2.cvtColor(balanced.reshape(count, pixels, 3), cv2.COLOR_BGR2Lab), np.float32)
    lightness, a, b = cv2.split(lab)
    lightness -= np.float32(_BODY_LIGHTNESS)
    return lab, np.asarray(np.sqrt(lightness * lightness + a * a + b * b), np.float32)


def judge_jointly(network_p: NDArray[np.floating], ink: Ink, has_ink: Flags, prior: InkPrior = ANY_BOX) -> Floats:
    """Colour probabilities (N, 4) after all tiles of the table were looked at together.

    ``network_p`` (N, 4) are the network's probabilities for each tile; ``has_ink`` (N,) marks number tiles, the others
    (jokers, backs) neither count as evidence nor change.

    A tile whose ink fits the network's colour becomes surer.  One whose ink lies in another colour's cluster becomes
    doubtful, both colours near one half, whatever the network's confidence; it is never flipped to a sure reading of
    the other colour.  With no or few tiles of a colour on the table its cluster is what boxes print in general, which
    is wide and contradicts the network only when another colour's cluster holds the ink clearly.  ``prior`` is what is
    known of the box.

    Raises ``ValueError`` when the shapes disagree.
    """
    count = len(network_p)
    if network_p.shape != (count, 4) or ink.lab.shape != (count, 3) or has_ink.shape != (count,):
        raise ValueError(f"expected (N, 4), (N, 3), (N,), not {network_p.shape}, {ink.lab.shape}, {has_ink.shape}")
    judged = network_p.astype(np.float64)
    inked = np.flatnonzero(has_ink & (ink.share > 0))
    if len(inked) == 0:
        return judged
    network = np.maximum(judged[inked], 1e-6)
    network /= network.sum(axis=1, keepdims=True)
    by_ink = _by_ink(network, ink.lab[inked], prior)
    first = np.argmax(network, axis=1)
    pooled = _normalised(network * np.maximum(by_ink, 1e-4) ** _INK_POWER)
    share = _NETWORK_SHARE if prior is ANY_BOX else _NETWORK_SHARE_TAUGHT
    torn = share * network + (1 - share) * by_ink
    contradicted = by_ink[np.arange(len(inked)), first] < _CONFLICT
    # where ink and network lean to different sides without a clear contradiction, the network alone is heard
    flipped = np.argmax(pooled, axis=1) != first
    judged[inked] = _told_apart(np.where((contradicted | flipped)[:, None], torn, pooled), ink.lab[inked])
    return judged


def inks_alike(judged: NDArray[np.floating], ink: Ink, has_ink: Flags) -> tuple[tuple[Colour, Colour], ...]:
    """The pairs of inks that cannot be told apart on this table; ``judged`` (N, 4) is what ``judge_jointly`` gave."""
    inked = np.flatnonzero(has_ink & (ink.share > 0))
    first = np.argmax(judged[inked], axis=1)
    return tuple((COLOURS[one], COLOURS[other]) for (one, other), _, _ in _doubts(first, ink.lab[inked]))


def _told_apart(judged: Floats, lab: Floats) -> Floats:
    """The same probabilities (N, 4), but open between two inks that hardly differ in this picture.

    A lamp or a bad camera can make navy black, or red orange, on every tile alike: then the network may be sure of
    what nobody can see.
    """
    first = np.argmax(judged, axis=1)
    result = judged.copy()
    for (one, other), doubted, share in _doubts(first, lab):
        swapped = judged[doubted][:, _SWAPS[(one, other)]]
        result[doubted] = (1 - share) * judged[doubted] + share * swapped
    return result


def _doubts(first: NDArray[np.intp], lab: Floats) -> Iterator[tuple[tuple[int, int], Flags, float]]:
    """The rival inks that cannot be told apart, for which of the tiles (N,), and the share that goes to the other.

    ``first`` (N,) are the tiles' first colours.  Where both inks lie on the table they are compared.  A black with no
    blue to compare it with is believed as far as the picture shows colours.
    """
    centre = np.zeros((len(COLOURS), 3))
    for k in np.unique(first):
        centre[k] = np.median(lab[first == k], axis=0)
    away = lab - centre[first]
    for one, other in _RIVALS:
        members, others = first == one, first == other
        if min(members.sum(), others.sum()) >= _LEAST_TO_COMPARE and _too_close(centre[one] - centre[other], away):
            yield (one, other), members | others, _OPEN_SHARE
    blue, black = first == _BLUE, first == _BLACK
    if blue.sum() < _LEAST_TO_COMPARE and black.any():
        share = _OPEN_SHARE * _colour_lost(first, lab)
        if share > 0:
            yield (_BLUE, _BLACK), black, share


def _too_close(between: Floats, away: Floats) -> bool:
    """Whether two inks hardly differ, or by little more than tiles of one ink do: ``between`` (3,) their middles, and
    from each tile to the middle of its own ink ``away`` (N, 3)."""
    apart = float(np.linalg.norm(between))
    spread = 1.4826 * float(np.median(np.abs(away @ (between / max(apart, 1e-6)))))
    return apart < max(_LEAST_APART, _LEAST_SPREADS_APART * spread)


def _colour_lost(first: NDArray[np.intp], lab: Floats) -> float:
    """How far, 0 to 1, the picture fails to show colours, by the chroma that is left of its palest coloured ink."""
    chroma = np.hypot(lab[:, 1], lab[:, 2])
    usual = np.hypot(_PRIOR_MEAN[:, 1], _PRIOR_MEAN[:, 2])
    shown = [float(np.median(chroma[first == k])) / usual[k] for k in (_RED, _ORANGE) if (first == k).any()]
    if shown:
        return float(np.clip((_COLOUR_SHOWN - min(shown)) / (_COLOUR_SHOWN - _COLOUR_LOST), 0, 1))
    return float(np.median(lab[first == _BLACK, 0]) > _WASHED_OUT)


def _by_ink(network: Floats, lab: Floats, prior: InkPrior) -> Floats:
    """Colour probabilities (N, 4) by ink alone; each tile is judged by the clusters of all others."""
    by_ink = _normalised(_likelihood(np.zeros_like(network), lab, prior))
    for _ in range(_ROUNDS):
        by_ink = _normalised(_likelihood(_normalised(np.maximum(network, _LEAST_SEED) * by_ink), lab, prior))
    return by_ink


def _likelihood(seeds: Floats, lab: Floats, prior: InkPrior) -> Floats:
    """Density (N, 4) of each tile's ink under each colour's cluster as the other tiles draw it."""
    centre = np.stack([_weighted_median(lab, seeds[:, k]) for k in range(4)])
    away = lab[:, None] - centre[None]
    spread = _spread(away, seeds)
    # soft rejection of outliers, so that a misread tile does not drag the cluster it was put into
    trust = seeds * (_TAIL + 3) / (_TAIL + np.sum((away / spread) ** 2, axis=2))
    weight = trust.sum(axis=0)[None] - trust
    total = (trust[:, :, None] * lab[:, None]).sum(axis=0)[None] - trust[:, :, None] * lab[:, None]
    precision = weight[..., None] / spread**2 + 1 / prior.spread**2
    mean = (total / spread**2 + prior.mean / prior.spread**2) / precision
    variance = spread**2 + 1 / precision
    distance = np.sum((lab[:, None] - mean) ** 2 / variance, axis=2)
    log_density = -0.5 * (_TAIL + 3) * np.log1p(distance / _TAIL) - 0.5 * np.log(variance).sum(axis=2)
    return np.asarray(np.exp(log_density - log_density.max(axis=1, keepdims=True)), np.float64)


def _weighted_median(values: Floats, weights: Floats) -> Floats:
    """Median (3,) of each column of (N, 3) under one weight per row."""
    order = np.argsort(values, axis=0, kind="stable")
    reached = np.cumsum(weights[order], axis=0)
    middle = np.argmax(reached >= reached[-1] / 2, axis=0)
    picked = np.take_along_axis(order, middle[None], axis=0)
    return np.asarray(np.take_along_axis(values, picked, axis=0)[0], np.float64)


def _spread(away: Floats, seeds: Floats) -> Floats:
    """Spread (3,) of one ink over this table, the same for all four; a median, so misread tiles do not widen it."""
    own = np.argmax(seeds, axis=1)
    residual = np.abs(away[np.arange(len(own)), own])
    return np.asarray(np.maximum(1.4826 * np.median(residual, axis=0), _LEAST_SPREAD), np.float64)


def _normalised(weights: Floats) -> Floats:
    return np.asarray(weights / weights.sum(axis=1, keepdims=True), np.float64)
