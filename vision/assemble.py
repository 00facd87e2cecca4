"""From detections and readings to tiles with calibrated doubt: which are faces, backs, unread, or nothing at all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.observation import Quad, Reading
from referee.tiles import Colour, Joker, Tile
from vision.detect import tile_areas, tile_heights
from vision.read import COLOUR_CLASSES, JOKER, LEGIBLE, NOTHING

Floats = NDArray[np.float64]

NUMBERS = JOKER
"""Number classes before the joker: 1 to 13."""
SMALLEST_READING = 0.002
"""Readings less probable than this are not listed."""
MOST_READINGS = 8
WELL_SEEN = 0.45
"""Detector score from which something beside a face is kept whatever the reader makes of it."""
CUT_PRESENT = 0.75
"""Presence from which what the picture's edge cuts is taken for a tile, if the detector saw it well: of 14 corners of
floors and shadows in 130 rendered tables one was."""
A_TABLE = 3
"""So many sure faces show how large a tile is at each place of the picture."""
HALF_A_TILE = 0.5
"""Centres nearer than this part of a tile's usual size (square root of its area) are no two tiles: neighbours that
overlap as far as rows allow are 0.54 apart."""
CLEAR, BESIDE_A_FACE = 0.95, 0.999
"""Probability of one face from which it is clear, and the least presence of a clear face beside a sure one."""
NEAR_A_FACE = 1.15
"""Centres nearer than this many tile heights belong to neighbours in a row, or to rows that touch."""
WIDER_THAN_HIGH, DOUBTED = 1.1, 0.9
"""A tile alone that looks so many times as wide as high is there with this probability at most."""
USUAL_ASPECT = 0.7
"""Width over height of a tile."""
_NO_AREA = 1e-9

_ALL_FACES = [
    *(Tile(colour=Colour(letter), number=number + 1) for number in range(NUMBERS) for letter in COLOUR_CLASSES),
    *(Tile(joker=kind) for kind in Joker),
]
_BY_NAME = sorted(range(len(_ALL_FACES)), key=lambda i: str(_ALL_FACES[i]))
_FACES = [_ALL_FACES[i] for i in _BY_NAME]
"""All that a face may show, in the order in which equally likely readings are listed."""
ONLY_REGULAR: Floats = np.array([1.0, 0.0, 0.0, 0.0])
"""Kinds of ``Joker`` in a box without special ones."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """Numbers that calibration fits on renders and on degraded held-out photos; see models/reader.md.

    The temperatures divide the networks' logits.  ``presence_*`` is a logistic model of "there is a tile here" over
    ``presence_features``.  A reading is doubtful below the confidence ``doubtful_below``.
    """

    number_temperature: float = 1.0
    colour_temperature: float = 1.0
    facing_temperature: float = 1.0
    presence_bias: float = 0.0
    presence_detector: float = 0.5
    presence_reader: float = 1.0
    presence_clarity: float = 0.5
    present_from: float = 0.5
    """Least presence of a face to be reported at all: it is a tile more likely than not."""
    blank_from: float = 0.9
    """Least presence of a face-down or unread tile far from all faces: it has no numeral to speak for it.

    Of 52 such detections between 0.6 and 0.8 on the pictures of the calibration none was a tile (parquet, blankets).
    """
    doubtful_below: float = 0.9
    smallest_face: float = 0.55
    """Square root of a face's area over the usual one at its place: smaller things are no tiles."""
    largest_face: float = 1.7
    smallest_blank: float = 0.78
    largest_blank: float = 1.28

    @classmethod
    def of(cls, values: Mapping[str, float]) -> Calibration:
        """From the manifest's ``[reading]`` table; unknown names are ignored, missing ones keep their default."""
        known = {entry.name for entry in fields(cls)}
        return cls(**{name: value for name, value in values.items() if name in known})


@dataclass(frozen=True, slots=True)
class FaceReading:
    """What a face says: its readings, the confidence in the first, and whether to doubt it."""

    readings: tuple[Reading, ...]
    confidence: float
    doubtful: bool


def presence(detector_score: NDArray[np.floating], number_p: NDArray[np.floating], calibration: Calibration) -> Floats:
    """Probability (N,) that there is a tile: detector score (N,) and number classes (N, 17) taken together."""
    weights = (calibration.presence_detector, calibration.presence_reader, calibration.presence_clarity)
    evidence = calibration.presence_bias + presence_features(detector_score, number_p) @ np.array(weights)
    return np.asarray(1 / (1 + np.exp(-np.clip(evidence, -30, 30))), np.float64)


def presence_features(detector_score: NDArray[np.floating], number_p: NDArray[np.floating]) -> Floats:
    """What speaks for a tile (N, 3), as logits: the detector's score, that the reader does not see "nothing", and how
    clearly it sees one thing: what is no tile looks a little like many."""
    clarity = number_p[:, :NOTHING].max(axis=1)
    columns = (detector_score, 1 - number_p[:, NOTHING].astype(np.float64), clarity)
    return np.column_stack([_logit(column.astype(np.float64)) for column in columns])


def plausible_sizes(
    quads: NDArray[np.floating], number_p: NDArray[np.floating], present: Floats, calibration: Calibration
) -> NDArray[np.bool_]:
    """Whether each tile (N,) has the size that its place in the picture asks for: all tiles of a box are equal.

    A blank or an unread region has nothing but its shape to speak for it, so it must fit closely; a numeral may lie on
    a quad that was found badly.  With fewer than three sure faces there is nothing to compare with.
    """
    clear = number_p[:, : JOKER + 1].max(axis=1) > 0.5
    face = (number_p[:, : JOKER + 1].sum(axis=1) > 0.5) & ((present >= calibration.present_from) | clear)
    sure = np.flatnonzero(face & (present > 0.6))
    if len(sure) < A_TABLE:
        return np.ones(len(quads), np.bool_)
    size = np.sqrt(tile_areas(np.asarray(quads, np.float32)).astype(np.float64))
    ratio = size / usual_size(quads.mean(axis=1).astype(np.float64), size, sure)
    least = np.where(face, calibration.smallest_face, calibration.smallest_blank)
    most = np.where(face, calibration.largest_face, calibration.largest_blank)
    return np.asarray((ratio > least) & (ratio < most))


def usual_size(centres: Floats, size: Floats, sure: NDArray[np.intp]) -> Floats:
    """The size (N,) that a tile has at each place (N, 2), from those of the ``sure`` tiles.

    In a view of a plane the cube root of a tile's area falls linearly towards the horizon; the line is fitted twice,
    the second time without outliers, and kept level where the tiles are few or close together.
    """
    middle, spread = centres[sure].mean(axis=0), max(float(np.ptp(centres[sure], axis=0).max()), 1.0)
    terms = np.column_stack([np.ones(len(centres)), (centres - middle) / spread])
    nearness = np.cbrt(size**2)
    level = float(np.median(nearness[sure]))
    weight = np.ones(len(sure))
    slope = np.array([level, 0.0, 0.0])
    for _ in range(2):
        weighted = terms[sure] * weight[:, None]
        ridge = np.diag([0.0, 0.3, 0.3])
        slope = np.linalg.solve(weighted.T @ terms[sure] + ridge, weighted.T @ nearness[sure])
        misfit = np.abs(terms[sure] @ slope - nearness[sure])
        weight = (misfit <= 3 * np.median(misfit) + 0.02 * level).astype(np.float64)
    fitted = np.clip(terms @ slope, 0.35 * level, 2.5 * level)
    return np.asarray(fitted**1.5, np.float64)


def believable(
    near: NDArray[np.bool_],
    score: NDArray[np.floating],
    number_p: NDArray[np.floating],
    present: Floats,
    calibration: Calibration,
    cut: NDArray[np.bool_] | None = None,
) -> NDArray[np.bool_]:
    """Which detections (N,) are reported at all, as sure or doubtful tiles; ``near`` (N, N) are their ``neighbours``.

    A face needs less presence than a face-down or unread tile, which has no numeral to speak for it.  Beside a sure
    face, and on in its row, nothing that the detector saw well is dropped, and on a table of faces nothing that also
    reads well: a tile must never go unnoticed.  (``plausible_sizes`` then drops what has not a tile's size there.)

    What the picture's edge has ``cut`` (None: nothing) has less to say for itself than a whole tile, but the detector
    must see it well: a corner of a floor or a shadow at the edge is no tile.
    """
    face = number_p[:, :NOTHING].argmax(axis=1) <= JOKER
    keep = present >= np.where(face, calibration.present_from, calibration.blank_from)
    sure = face & (present > 0.6)
    well_seen = score >= WELL_SEEN
    seen = well_seen & (number_p[:, NOTHING] < 0.5)
    reads_well = number_p[:, : JOKER + 1].max(axis=1) >= LEGIBLE
    keep |= near[:, sure].any(axis=1) & (present >= calibration.present_from)
    keep |= (sure.sum() >= A_TABLE) & reads_well & seen
    keep |= joined_to(near, sure, seen)
    if cut is not None:
        keep = np.where(cut, well_seen & (keep | (present >= CUT_PRESENT)), keep)
    return np.asarray(keep, np.bool_)


def joined_to(near: NDArray[np.bool_], sure: NDArray[np.bool_], seen: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which of the ``seen`` tiles (N,) are joined to a ``sure`` one by neighbours: rows of them hang together.

    ``near`` (N, N) are their ``neighbours``.
    """
    joined = sure.copy()
    while True:
        more = near[:, joined].any(axis=1) & seen & ~joined
        if not more.any():
            return joined & seen & ~sure
        joined |= more


def neighbours(quads: NDArray[np.floating]) -> NDArray[np.bool_]:
    """Which tile (N, N) has which other one within ``NEAR_A_FACE`` heights of it; quads (N, 4, 2).

    The second tile of each pair is the ruler, so that the way to a neighbour is as long in a slanting view as in one
    from above.
    """
    corners = quads.astype(np.float64)
    across = (corners[:, 1:3].mean(axis=1) - corners[:, ::3].mean(axis=1)) / USUAL_ASPECT
    down = corners[:, 2:].mean(axis=1) - corners[:, :2].mean(axis=1)
    area = across[:, 0] * down[:, 1] - across[:, 1] * down[:, 0]
    area[np.abs(area) < _NO_AREA] = _NO_AREA  # nothing is near by such a ruler
    middle = corners.mean(axis=1)
    x, y = (middle[:, None, axis] - middle[None, :, axis] for axis in (0, 1))
    apart = np.hypot(x * down[:, 1] - y * down[:, 0], y * across[:, 0] - x * across[:, 1]) / np.abs(area)
    np.fill_diagonal(apart, np.inf)
    return np.asarray(apart < NEAR_A_FACE, np.bool_)


def supported(near: NDArray[np.bool_], number_p: NDArray[np.floating], present: Floats) -> Floats:
    """Presence (N,) after a look at the neighbours: a clear face beside a sure one is there, however faint its edges.

    For detections of a fitting size; ``near`` (N, N) are their ``neighbours``.  On 296 rendered tables in training
    looks none of 9034 such faces was no tile.
    """
    clarity = number_p[:, : JOKER + 1].max(axis=1)
    sure = (clarity > 0.5) & (present > 0.6)
    clear = (clarity >= CLEAR) & near[:, sure].any(axis=1)
    return np.where(clear, np.maximum(present, BESIDE_A_FACE), present)


def doubted_alone(quads: NDArray[np.floating], number_p: NDArray[np.floating], present: Floats) -> Floats:
    """Presence (N,) after a look at the shapes, where too few sure numbers tell that this is a table, seen aslant.

    Tiles are higher than wide.  From a slant they may look wider than high, but where nothing shows that slant a wide
    face is doubted: print on sheets of paper was once surely jokers.
    """
    numeral = number_p[:, :NUMBERS].sum(axis=1) > 0.5
    if (numeral & (present > 0.6)).sum() >= A_TABLE or not len(quads):
        return present
    corners = np.asarray(quads, np.float64)
    across = np.linalg.norm(corners[:, 1] - corners[:, 0] + corners[:, 2] - corners[:, 3], axis=1)
    down = np.linalg.norm(corners[:, 3] - corners[:, 0] + corners[:, 2] - corners[:, 1], axis=1)
    return np.where(across > WIDER_THAN_HIGH * down, np.minimum(present, DOUBTED), present)


def without_doubles(quads: NDArray[np.floating], present: Floats) -> NDArray[np.intp]:
    """Indices to keep so that no two quads cover each other by more than 40 %; the surer one stays, in given order."""
    order = np.argsort(-present, kind="stable")
    corners = np.asarray(quads, np.float32)
    areas = tile_areas(corners)
    centres = corners.mean(axis=1)
    reach = tile_heights(corners)
    near = np.linalg.norm(centres[:, None] - centres[None], axis=2) < np.maximum(reach[:, None], reach[None])
    hulls = [_hull(quad) for quad in corners]
    kept = np.zeros(len(corners), np.bool_)
    for i in order.tolist():
        others = np.flatnonzero(kept & near[i]).tolist()
        kept[i] = all(_common_area(hulls[i], hulls[k]) < 0.4 * min(areas[i], areas[k]) for k in others)
    return np.flatnonzero(kept)


def halves_of_one(quads: NDArray[np.floating], number_p: NDArray[np.floating], present: Floats) -> NDArray[np.intp]:
    """Pairs (P, 2) of detections too near each other to be two tiles: the surer one first.

    A wide numeral was once found as two tiles, an 11 as two 1s side by side.  No quads of theirs overlap, but where all
    tiles are equal their centres are not half a tile apart.  With too few sure faces to tell, there are none.
    """
    face = number_p[:, : JOKER + 1].sum(axis=1) > 0.5
    sure = np.flatnonzero(face & (present > 0.6))
    if len(sure) < A_TABLE:
        return np.zeros((0, 2), np.intp)
    centres = quads.mean(axis=1).astype(np.float64)
    size = np.sqrt(tile_areas(np.asarray(quads, np.float32)).astype(np.float64))
    reach = HALF_A_TILE * usual_size(centres, size, sure)
    apart = np.linalg.norm(centres[:, None] - centres[None], axis=2)
    near = np.triu((apart < np.minimum(reach[:, None], reach[None])) & face[:, None] & face[None], 1)
    pairs = np.argwhere(near)
    weaker_first = present[pairs[:, 0]] < present[pairs[:, 1]]
    pairs[weaker_first] = pairs[weaker_first, ::-1]
    return np.asarray(pairs, np.intp)


def inside_share(quads: NDArray[np.floating], width: int, height: int) -> Floats:
    """Share of each quad's area (N,) that lies inside a picture of ``width`` × ``height`` pixels."""
    corners = np.asarray(quads, np.float32)
    right, bottom = width - 0.5, height - 0.5
    frame = np.array([[-0.5, -0.5], [right, -0.5], [right, bottom], [-0.5, bottom]], np.float32)
    shares = np.ones(len(corners))
    outside = (corners < -0.5).any(axis=(1, 2)) | (corners > (width - 0.5, height - 0.5)).any(axis=(1, 2))
    shares[outside] = share_inside(corners[outside], frame)
    return shares


def share_inside(quads: NDArray[np.floating] | Sequence[Quad], region: NDArray[np.floating]) -> Floats:
    """Share of the area of each of N quads that lies inside a convex region (4, 2) of the picture, (N,)."""
    corners = np.asarray(quads, np.float32).reshape(-1, 4, 2)
    outline = _hull(np.asarray(region, np.float32))
    areas = tile_areas(corners).tolist()
    common = [_common_area(_hull(quad), outline) for quad in corners]
    return np.array([shared / max(area, 1e-6) for shared, area in zip(common, areas, strict=True)], np.float64)


def read_faces(
    number_p: Floats, colour_p: Floats, present: Floats, calibration: Calibration, joker_p: Floats = ONLY_REGULAR
) -> list[FaceReading]:
    """Readings of N faces from number classes (N, 17), colours (N, 4) and presence (N,), with the confidence in the
    first.

    ``joker_p`` (N, 4) are the kinds of ``Joker`` that each may be if it is one; without it that is a regular one.
    """
    coloured = (number_p[:, :NUMBERS, None] * colour_p[:, None]).reshape(-1, NUMBERS * len(COLOUR_CLASSES))
    p = np.concatenate([coloured, number_p[:, JOKER, None] * joker_p], axis=1)[:, _BY_NAME]
    likeliest = np.argsort(-p, axis=1, kind="stable")[:, :MOST_READINGS]
    rows = zip(likeliest.tolist(), np.take_along_axis(p, likeliest, axis=1).tolist(), present.tolist(), strict=True)
    return [_read_face(faces, shares, there, calibration) for faces, shares, there in rows]


def _read_face(faces: list[int], shares: list[float], present: float, calibration: Calibration) -> FaceReading:
    """One face from its likeliest readings, places in ``_FACES`` by falling probability."""
    readings = tuple(
        Reading(_FACES[face], round(p, 4))
        for k, (face, p) in enumerate(zip(faces, shares, strict=True))
        if not k or p > SMALLEST_READING
    )
    confidence = round(shares[0] * present, 4)
    return FaceReading(readings, confidence, confidence < calibration.doubtful_below)


def _hull(quad: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.asarray(cv2.convexHull(quad), np.float32)


def _common_area(a: NDArray[np.float32], b: NDArray[np.float32]) -> float:
    """Area that two convex hulls share."""
    return float(cv2.intersectConvexConvex(a, b)[0])


def _logit(p: Floats) -> Floats:
    clipped = np.clip(p, 1e-4, 1 - 1e-4)
    return np.asarray(np.log(clipped / (1 - clipped)), np.float64)
