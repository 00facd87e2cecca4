"""How a picture lies over an earlier one of the same table: has the camera moved, and by how much.

Two independent witnesses: small features anywhere in the picture (``register``), and the tiles that were read in both
(``register_tiles``).  Tiles are moved by players and hands pass, so only what most of them agree on counts; where they
do not agree there is no answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.observation import Kind, SeenTile
from vision.detect import tile_heights

Image = NDArray[np.uint8]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

WORK_SIDE_PX = 960
"""Long side at which features are looked for."""
_FEATURES, _COLUMNS, _ROWS, _IN_A_CELL = 3000, 12, 8, 14
"""The strongest features of each part of the picture: the tiles' numerals would else leave no room for the table."""
_FAST_THRESHOLD = 8
_CLEARLY_NEARER = 0.9
"""A feature's best match is nearer than this part of the next best, so that one 7 is not taken for another."""
_SAME_PLACE_PX = 2.5
"""Features agree with a move that brings them so near, at ``WORK_SIDE_PX``."""
LEAST_FEATURES, LEAST_SHARE, LEAST_SPREAD = 24, 0.4, 0.04
"""A move is sure when so many features agree, so large a share of those matched, over such a part of the picture."""
LEAST_TILES, LEAST_TILE_SHARE = 4, 0.6
"""The same for tiles."""
_SAME_TILE = 0.4
"""A tile lies where a move brings it when it is nearer than this, in tile heights."""
_MOST_RIVAL = 0.67
"""Another move to which more than this part of the best one's tiles agree makes the best one unsure."""
_MOST_GUESSES = 600
_LEAST_SCALE, _MOST_SCALE = 0.5, 2.0


@dataclass(frozen=True, slots=True, eq=False)
class Landmarks:
    """Features of a picture: where they are (N, 2) float32 in its pixels, what they look like (N, 32) uint8."""

    points: NDArray[np.float32]
    looks: NDArray[np.uint8]
    width: int
    height: int

    def __len__(self) -> int:
        return len(self.points)


@dataclass(frozen=True, slots=True, eq=False)
class Registration:
    """A sure answer.  ``homography`` (3, 3) takes a pixel of the earlier picture to where it is in the later one."""

    homography: Floats
    support: int
    """Features or tiles that agree."""
    share: float
    """Their share of those that could be compared."""
    shift_px: float
    """How far they moved, the median."""

    def moved(self, points: NDArray[np.floating]) -> Floats:
        """Points (..., 2) of the earlier picture as they lie in the later one."""
        return transformed(points, self.homography)


def transformed(points: NDArray[np.floating], homography: Floats) -> Floats:
    """Points (..., 2) taken through a homography (3, 3)."""
    flat = np.asarray(points, np.float64).reshape(-1, 2)
    ends = np.hstack([flat, np.ones((len(flat), 1))]) @ homography.T
    return np.asarray(ends[:, :2] / ends[:, 2:], np.float64).reshape(points.shape)


def landmarks(image: Image) -> Landmarks:
    """The features of a picture uint8 (H, W, 3) BGR, spread over it."""
    height, width = image.shape[:2]
    scale = min(1.0, WORK_SIDE_PX / max(height, width))
    grey = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    if scale < 1:
        grey = cv2.resize(grey, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    finder = cv2.ORB.create(nfeatures=_FEATURES, fastThreshold=_FAST_THRESHOLD, edgeThreshold=16, patchSize=31)
    found = list(finder.detect(grey))
    spread = [found[i] for i in _spread(found, grey.shape[1], grey.shape[0])]
    kept, looks = finder.compute(grey, spread) if spread else ([], np.zeros((0, 32), np.uint8))
    if not len(kept):
        return Landmarks(np.zeros((0, 2), np.float32), np.zeros((0, 32), np.uint8), width, height)
    # centres of pixels are whole numbers in both pictures
    points = (np.array([one.pt for one in kept], np.float64) + 0.5) / scale - 0.5
    return Landmarks(points.astype(np.float32), np.asarray(looks, np.uint8), width, height)


def _spread(found: Sequence[cv2.KeyPoint], width: int, height: int) -> list[int]:
    """Indices of the strongest features of each cell."""
    order = sorted(range(len(found)), key=lambda i: -found[i].response)
    room: dict[tuple[int, int], int] = {}
    kept = []
    for i in order:
        x, y = found[i].pt
        cell = int(x * _COLUMNS / width), int(y * _ROWS / height)
        room[cell] = room.get(cell, _IN_A_CELL) - 1
        if room[cell] >= 0:
            kept.append(i)
    return kept


def register(before: Landmarks, after: Landmarks) -> Registration | None:
    """How the later picture lies over the earlier one; None when that is not sure."""
    if (before.width, before.height) != (after.width, after.height):
        return None
    if min(len(before), len(after)) < LEAST_FEATURES:
        return None
    pairs = _matches(before.looks, after.looks)
    if len(pairs) < LEAST_FEATURES:
        return None
    old, new = before.points[pairs[:, 0]], after.points[pairs[:, 1]]
    near_px = _SAME_PLACE_PX * max(1.0, max(before.width, before.height) / WORK_SIDE_PX)
    cv2.setRNGSeed(0)  # the same pictures give the same answer
    homography, inliers = cv2.findHomography(old, new, cv2.RANSAC, near_px, maxIters=2000, confidence=0.999)
    if homography is None:
        return None
    agree = inliers.ravel().astype(np.bool_)
    support, share = int(agree.sum()), float(agree.mean())
    spread = cv2.contourArea(cv2.convexHull(old[agree])) / (before.width * before.height) if support > 2 else 0.0
    if support < LEAST_FEATURES or share < LEAST_SHARE or spread < LEAST_SPREAD:
        return None
    found = np.asarray(homography, np.float64)
    if not plausible(found, before.width, before.height):
        return None
    shift = np.linalg.norm(new[agree] - old[agree], axis=1)
    return Registration(found, support, share, float(np.median(shift)))


def _matches(before: NDArray[np.uint8], after: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Pairs (M, 2) of features that look alike, each the other's best, and clearly better than the next."""
    matcher = cv2.BFMatcher(cv2.NORM_HAMMING)
    back = {one.queryIdx: one.trainIdx for one in matcher.match(after, before)}
    pairs = [
        (best.queryIdx, best.trainIdx)
        for best, other in (two for two in matcher.knnMatch(before, after, k=2) if len(two) == 2)
        if best.distance < _CLEARLY_NEARER * other.distance and back.get(best.trainIdx) == best.queryIdx
    ]
    return np.array(pairs, np.int64).reshape(-1, 2)


def plausible(homography: Floats, width: int, height: int) -> bool:
    """Whether a camera that still sees the same table can have moved so: no mirror, no fold, no far zoom."""
    corners = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float64)
    depth = np.hstack([corners, np.ones((4, 1))]) @ homography[2]
    if not np.isfinite(homography).all() or depth.min() <= 1e-6:
        return False
    moved = transformed(corners, homography)
    sides = np.roll(moved, -1, axis=0) - moved
    turns = sides[:, 0] * np.roll(sides, -1, axis=0)[:, 1] - sides[:, 1] * np.roll(sides, -1, axis=0)[:, 0]
    scales = np.linalg.norm(sides, axis=1) / np.array([width, height, width, height])
    return bool((turns > 0).all() and scales.min() > _LEAST_SCALE and scales.max() < _MOST_SCALE)


def register_tiles(before: Sequence[SeenTile], after: Sequence[SeenTile]) -> Registration | None:
    """The same from tiles read in both pictures; None when it is not sure which of them did not move on the table."""
    old, new, same = _comparable(before, after)
    comparable = min(len(np.unique(same[:, 0])), len(np.unique(same[:, 1]))) if len(same) else 0
    if comparable < LEAST_TILES:
        return None
    reach = _SAME_TILE * float(np.median(tile_heights(new.astype(np.float32))))
    centres, ends = old.mean(axis=1), new.mean(axis=1)
    guesses = _guesses(centres[same[:, 0]], ends[same[:, 1]])
    if not len(guesses):
        return None
    # each guess is complex a, b: z → a z + b
    start, end = _complex(centres[same[:, 0]]), _complex(ends[same[:, 1]])
    apart = np.abs(guesses[:, :1] * start[None] + guesses[:, 1:] - end[None])
    votes = np.array([_one_each(row < reach, same) for row in apart])
    best = int(votes.argmax())
    # a guess that brings the tiles elsewhere, and to which nearly as many agree
    away = np.abs((guesses[:, :1] - guesses[best, 0]) * start[None] + guesses[:, 1:] - guesses[best, 1])
    rivals = votes[np.median(away, axis=1) > reach]
    if len(rivals) and rivals.max() > _MOST_RIVAL * votes[best]:
        return None
    if votes[best] < LEAST_TILES or votes[best] < LEAST_TILE_SHARE * comparable:
        return None
    return _refined(old, new, same[_nearest_each(apart[best], same, reach)], comparable)


def _comparable(before: Sequence[SeenTile], after: Sequence[SeenTile]) -> tuple[Floats, Floats, NDArray[np.int64]]:
    """Quads of both pictures' surely read tiles, and the pairs (M, 2) that read the same."""
    sure = [[tile for tile in tiles if tile.kind is Kind.FACE and not tile.doubtful] for tiles in (before, after)]
    names = [[str(tile.readings[0].tile) for tile in tiles] for tiles in sure]
    pairs = [(i, j) for i, a in enumerate(names[0]) for j, b in enumerate(names[1]) if a == b]
    old, new = (np.array([tile.quad for tile in tiles], np.float64).reshape(-1, 4, 2) for tiles in sure)
    return old, new, np.array(pairs, np.int64).reshape(-1, 2)


def _complex(points: Floats) -> NDArray[np.complex128]:
    return np.asarray(points[:, 0] + 1j * points[:, 1], np.complex128)


def _guesses(start: Floats, end: Floats) -> NDArray[np.complex128]:
    """Moves (G, 2), turn with scale and shift, each of which takes two tiles to where tiles of their names lie."""
    one, other = np.triu_indices(len(start), 1)
    if len(one) > _MOST_GUESSES:
        chosen = np.random.default_rng(0).choice(len(one), _MOST_GUESSES, replace=False)
        one, other = one[chosen], other[chosen]
    a, b = _complex(start), _complex(end)
    apart = np.abs(a[other] - a[one]) > 1e-6
    one, other = one[apart], other[apart]
    turn = (b[other] - b[one]) / (a[other] - a[one])
    likely = (np.abs(turn) > _LEAST_SCALE) & (np.abs(turn) < _MOST_SCALE) & (np.abs(np.angle(turn)) < np.pi / 3)
    return np.stack([turn, b[one] - turn * a[one]], axis=1)[likely]


def _one_each(near: Flags, same: NDArray[np.int64]) -> int:
    """How many tiles lie where a guess brings them, each counted once."""
    pairs = same[near]
    return min(len(np.unique(pairs[:, 0])), len(np.unique(pairs[:, 1]))) if len(pairs) else 0


def _nearest_each(apart: Floats, same: NDArray[np.int64], reach: float) -> NDArray[np.int64]:
    """Rows of ``same`` that pair each tile with the one that lies where it is brought, no tile twice."""
    kept: list[int] = []
    for k in np.argsort(apart, kind="stable"):
        if apart[k] >= reach:
            break
        if not any(same[k, 0] == same[i, 0] or same[k, 1] == same[i, 1] for i in kept):
            kept.append(int(k))
    return np.array(sorted(kept), np.int64)


def _refined(old: Floats, new: Floats, pairs: NDArray[np.int64], comparable: int) -> Registration | None:
    """The move in perspective, from all corners of the tiles that agree."""
    start, end = old[pairs[:, 0]].reshape(-1, 2), new[pairs[:, 1]].reshape(-1, 2)
    height = float(np.median(tile_heights(new.astype(np.float32))))
    cv2.setRNGSeed(0)
    homography, inliers = cv2.findHomography(start, end, cv2.RANSAC, 0.15 * height, maxIters=2000)
    if homography is None:
        return None
    agree = inliers.reshape(-1, 4).mean(axis=1) >= 0.75
    support = int(agree.sum())
    if support < LEAST_TILES or support < LEAST_TILE_SHARE * comparable:
        return None
    shift = np.linalg.norm((end - start).reshape(-1, 4, 2)[agree].mean(axis=1), axis=1)
    return Registration(np.asarray(homography, np.float64), support, support / comparable, float(np.median(shift)))
