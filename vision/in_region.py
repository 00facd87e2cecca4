"""What of a sight lies on the table: tiles on it, tiles beside it, and tiles of which nobody can tell."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.observation import Kind, Observation, Quad, Row
from vision.assemble import share_inside

ASTRIDE = 1 / 3
"""With so much of its face in the region a tile lies on its edge, if its middle lies outside; with less, outside."""


def within(observation: Observation, corners: NDArray[np.floating]) -> Observation:
    """What has its middle in a convex region (4, 2) of the picture; rows are left with what lies in it.

    A face astride the region's edge is told as an unread tile, at its row where that goes on inside: nobody can tell
    whether it is meant, and a set is not short because its last tile was pushed over the edge.  What lies mostly
    outside is a rack's, and face-down tiles count for nothing.
    """
    quads = [seen.quad for seen in observation.tiles]
    kept = [i for i, quad in enumerate(quads) if _lies_in(quad, corners)]
    shares = share_inside(quads, corners)
    others = np.setdiff1d(np.flatnonzero(shares >= ASTRIDE), kept).tolist()
    astride = [i for i in others if observation.tiles[i].kind is Kind.FACE]
    unread = share_inside(observation.unread, corners)
    regions = [i for i, quad in enumerate(observation.unread) if unread[i] >= ASTRIDE or _lies_in(quad, corners)]
    if len(kept) == len(observation.tiles) and len(regions) == len(observation.unread):
        return observation
    told = _Places(kept, astride, regions)
    rows = tuple(told.rows(observation.rows))
    placed = {i for row in rows for i in row.tiles}
    return replace(
        observation,
        tiles=tuple(observation.tiles[i] for i in kept),
        rows=rows,
        loose=tuple(i for i in range(len(kept)) if i not in placed),
        unread=(*(observation.unread[i] for i in regions), *(observation.tiles[i].quad for i in astride)),
    )


def _lies_in(quad: Quad, corners: NDArray[np.floating]) -> bool:
    """Whether the middle of a tile lies in a region (4, 2), its edge included."""
    x, y = np.mean(quad, axis=0)
    outline = np.asarray(corners, np.float32).reshape(-1, 1, 2)
    return cv2.pointPolygonTest(outline, (float(x), float(y)), False) >= 0


class _Places:
    """Where in the new observation stands what is ``kept``, ``astride`` (tiles) and in ``regions`` (unread)."""

    def __init__(self, kept: Sequence[int], astride: Sequence[int], regions: Sequence[int]) -> None:
        self._tiles = {old: new for new, old in enumerate(kept)}
        self._regions = {old: new for new, old in enumerate(regions)}
        self._astride = {old: len(regions) + new for new, old in enumerate(astride)}

    def rows(self, rows: Sequence[Row]) -> Iterator[Row]:
        """What is left of rows, where that is still one piece; what lies astride touches it."""
        for row in rows:
            places = [k for k, i in enumerate(row.tiles) if i in self._tiles]
            if len(places) > 1 and places == list(range(places[0], places[-1] + 1)):
                touching = [self._regions[i] for i in row.unread_touching if i in self._regions]
                beside = (*row.tiles[: places[0]][-1:], *row.tiles[places[-1] + 1 :][:1])
                touching += [self._astride[i] for i in beside if i in self._astride]
                tiles = tuple(self._tiles[row.tiles[k]] for k in places)
                yield Row(tiles, row.gaps[places[0] : places[-1]], tuple(touching))
