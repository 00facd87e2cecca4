"""Finding the tiles of a box laid out: more than in play may be believed, for all lie the same way and in rows."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from vision.assemble import usual_size, without_doubles
from vision.detect import Detector, tile_areas
from vision.read import BACK, JOKER, NOTHING, Reader, Readings
from vision.rectify import inner, rectify
from vision.taught.rows import Rows, unlike_the_others, upright_together

Image = NDArray[np.uint8]
Floats = NDArray[np.float64]

FINDING_THRESHOLD = 0.08
"""Detector score from which something may be a tile, if it lies where one should."""
MOST_FOUND = 500
_SURE_SCORE, _WELL_FOUND = 0.3, 0.6
"""Detector scores from which something is taken for a tile, and from which only the reader can doubt it."""
_LEAST_BOTH = 0.15
"""Least product of the detector's and the reader's belief below ``_SURE_SCORE``."""
_SMALLEST, _LARGEST = 0.62, 1.6
"""Square root of a tile's area over the usual one at its place."""
_UNLIKE = 0.45
"""A tile's sides differ from those of its neighbours by less than this part of them."""
_AT_PLACE = 0.4
"""A weak detection fills a place when its centre is nearer than this, in tile heights."""
_CLEARLY_READ = 0.97
_FIRM = 0.85
"""What is less solid must also have a body like the tiles around it, which ``_BODY_RATIO`` allows to differ."""
_BODY_RATIO, _COMPARED = 1.25, 4
_FACE_EDGE = 0.12
_WIDE_GAP, _WIDEST_GAP = 1.6, 13
"""Steps in columns between which places seem empty."""


@dataclass(frozen=True, slots=True)
class Seen:
    """Tiles as found and read, one row per tile: ``quads`` (N, 4, 2) float32 in pixels, the reader's ``number_p``
    (N, 17) and ``colour_p`` (N, 4), how surely the ``facing`` is known and how ``solid`` it is, a tile at all (N,)."""

    quads: NDArray[np.float32]
    number_p: Floats
    colour_p: Floats
    facing: Floats
    solid: Floats

    def __len__(self) -> int:
        return len(self.quads)

    def take(self, index: NDArray[np.intp]) -> Seen:
        """The chosen tiles."""
        return Seen(*(getattr(self, entry.name)[index] for entry in fields(self)))

    def joined(self, other: Seen) -> Seen:
        """These tiles and others."""
        return Seen(
            *(np.concatenate([getattr(self, entry.name), getattr(other, entry.name)]) for entry in fields(self))
        )


def find_tiles(image: Image, detector: Detector, reader: Reader) -> tuple[Seen, NDArray[np.float32]]:
    """What is most likely a tile, and the centres (M, 2) of what may be one if it lies where one should.

    ``image`` is uint8 (H, W, 3) BGR, ``detector`` one of ``FINDING_THRESHOLD``.
    """
    found = detector.find(image)
    found = found.take(np.arange(min(len(found), MOST_FOUND)))
    readings = reader.read(image, found.quads)
    seen = _seen(readings, found.score)
    tile = 1 - readings.number_p[:, NOTHING]
    likely = (found.score >= _SURE_SCORE) | (tile * found.score > _LEAST_BOTH)
    fits = np.ones(len(seen), np.bool_)
    sure = np.flatnonzero((found.score >= _SURE_SCORE) & (tile > 0.5))
    if len(sure) > 2:
        size = np.sqrt(tile_areas(seen.quads).astype(np.float64))
        ratio = size / usual_size(seen.quads.mean(axis=1).astype(np.float64), size, sure)
        fits = (ratio > _SMALLEST) & (ratio < _LARGEST)
    kept = np.flatnonzero(likely & fits)
    kept = kept[without_doubles(seen.quads[kept], (tile * found.score)[kept].astype(np.float64))]
    # what is turned or of another shape than the rest is no tile of the layout
    standing = upright_together(seen.quads[kept].astype(np.float64), seen.facing[kept])
    kept = kept[unlike_the_others(standing) < _UNLIKE]
    believed = seen.take(kept)
    firm = believed.solid >= _FIRM
    firm |= _bodies_alike(image, believed.quads, believed.quads[firm])
    return believed.take(np.flatnonzero(firm)), seen.quads[fits & ~likely].mean(axis=1)


def look_again(image: Image, reader: Reader, seen: Seen, rows: Rows, step: float, weak: NDArray[np.float32]) -> Seen:
    """Tiles at places of the layout where nothing was found, but something lies.

    ``step`` goes from one column to the next in tile widths; ``weak`` (M, 2) are centres of weak detections.
    """
    quads = [quad for row in rows.rows for quad in _open_places(row, rows, step)]
    if not quads:
        return seen.take(np.zeros(0, np.intp))
    places = np.array(quads, np.float32)
    readings = reader.read(image, places)
    centres = readings.quads.mean(axis=1)
    height = np.linalg.norm(places[:, 3] - places[:, 0], axis=1)
    taken = _nearest(centres, seen.quads.mean(axis=1)) < 0.5 * height
    inside = ((centres >= 0) & (centres < (image.shape[1], image.shape[0]))).all(axis=1)
    near = (_nearest(centres, weak) < _AT_PLACE * height) & (readings.number_p[:, : JOKER + 1].sum(axis=1) > 0.5)
    legible = readings.number_p[:, : JOKER + 1].max(axis=1) >= _CLEARLY_READ
    alike = _bodies_alike(image, readings.quads, seen.quads)
    kept = np.flatnonzero(~taken & inside & alike & (near | legible))
    again = _seen(readings, near * _SURE_SCORE).take(kept)
    return again.take(without_doubles(again.quads, again.number_p[:, : BACK + 1].max(axis=1)))


def _seen(readings: Readings, score: NDArray[np.floating]) -> Seen:
    found = np.asarray(score, np.float64)
    tile = 1 - readings.number_p[:, NOTHING].astype(np.float64) * (1 - found)
    return Seen(
        readings.quads,
        readings.number_p.astype(np.float64),
        readings.colour_p.astype(np.float64),
        readings.upside_margin.astype(np.float64),
        np.minimum(found / _WELL_FOUND, 1) * tile,
    )


def _bodies_alike(image: Image, quads: NDArray[np.float32], sure: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Whether what lies at each quad (N,) has the colour and brightness of the bodies of the ``sure`` tiles nearest."""
    if len(sure) < _COMPARED or not len(quads):
        return np.ones(len(quads), np.bool_)
    apart = np.linalg.norm(quads.mean(axis=1)[:, None] - sure.mean(axis=1)[None], axis=2)
    nearest = np.argsort(apart, axis=1, kind="stable")[:, :_COMPARED]
    usual = np.median(_bodies(image, sure)[nearest], axis=1)
    ratio = _bodies(image, quads) / usual
    return np.asarray((np.maximum(ratio, 1 / ratio) < _BODY_RATIO).all(axis=1), np.bool_)


def _bodies(image: Image, quads: NDArray[np.float32]) -> Floats:
    """Levels (N, 3) BGR of the tiles' bodies, at least 1."""
    crops = rectify(image, quads)
    faces = inner(crops, _FACE_EDGE).reshape(len(crops), -1, 3)
    return np.asarray(np.maximum(np.median(faces, axis=1), 1.0), np.float64)


def _nearest(points: NDArray[np.floating], others: NDArray[np.floating]) -> Floats:
    """Distance (N,) from each point to the nearest of the others."""
    if not len(others):
        return np.full(len(points), np.inf)
    return np.asarray(np.linalg.norm(points[:, None] - others[None], axis=2).min(axis=1), np.float64)


def _open_places(row: tuple[int, ...], rows: Rows, step: float) -> list[Floats]:
    """Quads of the columns between two tiles of a row, and of one column before and behind it, that seem empty."""
    quads = rows.quads
    columns = (rows.steps(row) / step).tolist()
    found: list[Floats] = []
    for k, wide in enumerate(columns):
        if _WIDE_GAP <= wide <= _WIDEST_GAP:
            one, other = quads[row[k]], quads[row[k + 1]]
            found += [one + (other - one) * (m / round(wide)) for m in range(1, round(wide))]
    near = [k for k, wide in enumerate(columns) if wide < _WIDE_GAP]
    if near:
        for end, at, sign in ((row[0], near[0], -1), (row[-1], near[-1], 1)):
            found.append(quads[end] + sign * (quads[row[at + 1]] - quads[row[at]]))
    return found
