"""The rows of a box laid out: which tiles lie in one line, from their quads alone.

A table's view is unrolled first: every tile is a ruler for its neighbourhood, and neighbours agree on where they lie
to each other, so rows that bend and rows that run towards the horizon become straight.  Nothing is read here.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

MOST_SLIP, SLIP_BY_STEP, LEAST_SLIP = 0.5, 0.03, 0.3
"""How far, in tile heights, the next tile of a row may lie above or below: ``LEAST_SLIP``, and more across a gap."""
LEAST_STEP, LONGEST_STEP = 0.55, 20.0
"""How far along the row, in tile widths, the next tile's centre may be."""
_SLIP_WEIGHT = 3.0
_NEAR = 1.5
"""Tiles nearer than this, in tile heights, decide how a view is unrolled; farther ones keep its parts together."""


@dataclass(frozen=True, slots=True)
class Rows:
    """Tiles in rows from top to bottom, each from left to right.

    ``quads`` (N, 4, 2) are the quads given, each turned so that it stands upright in the layout; ``places`` (N, 2) are
    the centres in the unrolled layout, x in tile widths and y in tile heights; ``rows`` are indices.
    """

    quads: Floats
    places: Floats
    rows: tuple[tuple[int, ...], ...]

    def steps(self, row: tuple[int, ...]) -> Floats:
        """Distances (n - 1,) from each tile of a row to the next, in tile widths."""
        return np.diff(self.places[list(row), 0])


def rows_of(quads: NDArray[np.floating], facing: NDArray[np.floating]) -> Rows:
    """Find the rows of tiles that lie the same way up.

    ``quads`` (N, 4, 2) are in pixels, corners top-left, top-right, bottom-right, bottom-left of the upright numeral;
    ``facing`` (N,), 0 to 1, says how surely each is known to be upright: together they decide which way is up.
    """
    corners = upright_together(np.asarray(quads, np.float64), np.asarray(facing, np.float64))
    if not len(corners):
        return Rows(corners, np.zeros((0, 2)), ())
    places = unrolled(corners)
    rows = [tuple(row) for row in _chained(places)]
    rows.sort(key=lambda row: float(places[list(row), 1].mean()))
    return Rows(corners, places, tuple(rows))


def upright_together(quads: Floats, facing: Floats) -> Floats:
    """The same quads, those that stand on their head against most others turned by 180°."""
    right, _ = _sides(quads)
    length = np.maximum(np.hypot(right[:, 0], right[:, 1]), 1e-9)
    angle = np.arctan2(right[:, 1], right[:, 0])
    axis = np.angle(np.sum(length * np.exp(2j * angle))) / 2 if len(quads) else 0.0
    along = np.cos(angle - axis)
    sign = 1.0 if np.sum(np.sign(along) * (facing + 0.05)) >= 0 else -1.0
    flipped = along * sign < 0
    turned = quads.copy()
    turned[flipped] = np.roll(quads[flipped], 2, axis=1)
    return turned


def unlike_the_others(quads: Floats) -> Floats:
    """How far (N,) each upright quad's sides differ from what all together have at its place, in sides."""
    if not len(quads):
        return np.zeros(0)
    rulers = _rulers(quads, quads.mean(axis=1))
    sides = np.stack(_sides(quads), axis=2)
    return np.asarray((np.linalg.norm(sides - rulers, axis=1) / np.linalg.norm(rulers, axis=1)).max(axis=1), np.float64)


def unrolled(quads: Floats) -> Floats:
    """Centres (N, 2) of upright quads in a plane in which every tile is one wide and one high."""
    centres = quads.mean(axis=1)
    ruler = _rulers(quads, centres)
    mean = (ruler[:, None] + ruler[None]) / 2
    away = centres[None] - centres[:, None]
    step = np.linalg.solve(mean, away[..., None])[..., 0]
    weight = 1 / (1 + (np.hypot(step[..., 0], step[..., 1]) / _NEAR) ** 4)
    np.fill_diagonal(weight, 0)
    pull = np.diag(weight.sum(axis=1)) - weight
    wanted = np.einsum("ij,ijk->jk", weight, step)
    # the whole layout may be anywhere: its middle is put at the origin
    places = np.linalg.solve(pull + 1 / len(quads), wanted)
    return np.asarray(places - places.mean(axis=0), np.float64)


def _rulers(quads: Floats, centres: Floats) -> Floats:
    """(N, 2, 2) with one tile width to the right and one tile height down as columns: smooth over the picture.

    Single quads may be badly found, so both vectors are a linear function of the place, fitted twice, the second time
    without outliers.
    """
    right, down = _sides(quads)
    vectors = np.hstack([right, down])
    spread = max(float(np.ptp(centres, axis=0).max()), 1.0)
    terms = np.column_stack([np.ones(len(centres)), (centres - centres.mean(axis=0)) / spread])
    ridge = np.diag([1e-9, 0.5, 0.5])
    weight = np.ones(len(centres))
    fitted = np.broadcast_to(np.median(vectors, axis=0), vectors.shape)
    misfit = np.linalg.norm(vectors - fitted, axis=1)
    for _ in range(2):
        weight = (misfit <= 3 * np.median(misfit) + 1e-6).astype(np.float64)
        weighted = terms * weight[:, None]
        slope = np.linalg.solve(weighted.T @ terms + ridge, weighted.T @ vectors)
        fitted = terms @ slope
        misfit = np.linalg.norm(vectors - fitted, axis=1)
    return np.stack([fitted[:, :2], fitted[:, 2:]], axis=2)


def _sides(quads: Floats) -> tuple[Floats, Floats]:
    """Each quad's width to the right and height down, (N, 2) each."""
    right = (quads[:, 1] - quads[:, 0] + quads[:, 2] - quads[:, 3]) / 2
    down = (quads[:, 3] - quads[:, 0] + quads[:, 2] - quads[:, 1]) / 2
    return right, down


def _chained(places: Floats) -> list[list[int]]:
    """Rows by linking each tile to the next one to its right, the closest pairs first."""
    step = places[None, :, 0] - places[:, None, 0]
    slip = np.abs(places[None, :, 1] - places[:, None, 1])
    allowed = np.minimum(MOST_SLIP, LEAST_SLIP + SLIP_BY_STEP * step)
    a, b = np.nonzero((step >= LEAST_STEP) & (step <= LONGEST_STEP) & (slip <= allowed))
    cost = step[a, b] + _SLIP_WEIGHT * slip[a, b]
    following: dict[int, int] = {}
    followed: set[int] = set()
    for k in np.lexsort((b, a, cost)).tolist():
        one, other = int(a[k]), int(b[k])
        if one not in following and other not in followed:
            following[one] = other
            followed.add(other)
    rows = []
    for first in (i for i in range(len(places)) if i not in followed):
        row = [first]
        while row[-1] in following:
            row.append(following[row[-1]])
        rows.append(row)
    return rows
