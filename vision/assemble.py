"""From detections and readings to tiles with calibrated doubt: which are faces, backs, unread, or nothing at all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.observation import Reading
from referee.tiles import Colour, Joker, Tile
from vision.detect import tile_areas, tile_heights
from vision.read import COLOUR_CLASSES, JOKER, NOTHING

Floats = NDArray[np.float64]

NUMBERS = JOKER
"""Number classes before the joker: 1 to 13."""
SMALLEST_READING = 0.002
"""Readings less probable than this are not listed."""
MOST_READINGS = 8


@dataclass(frozen=True, slots=True)
class Calibration:
    """Numbers that calibration fits on renders and on degraded held-out photos; see models/reader.md.

    The temperatures divide the networks' logits.  ``presence_*`` is a logistic model of "there is a tile here" over
    the detector's score and the reader's evidence.  A reading is doubtful below the confidence ``doubtful_below``.
    """

    number_temperature: float = 1.0
    colour_temperature: float = 1.0
    presence_bias: float = 0.0
    presence_detector: float = 0.5
    presence_reader: float = 1.0
    present_from: float = 0.3
    doubtful_below: float = 0.9
    smallest_to_median: float = 0.5
    largest_to_median: float = 1.9

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
    nothing = number_p[:, NOTHING].astype(np.float64)
    evidence = (
        calibration.presence_bias
        + calibration.presence_detector * _logit(detector_score.astype(np.float64))
        + calibration.presence_reader * -_logit(nothing)
    )
    return np.asarray(1 / (1 + np.exp(-evidence)), np.float64)


def plausible_sizes(quads: NDArray[np.floating], present: Floats, calibration: Calibration) -> NDArray[np.bool_]:
    """Whether each tile (N,) has a size that fits its surroundings: all tiles of a box are equal.

    Perspective makes near tiles larger, so a tile is compared with its eight nearest neighbours rather than with the
    whole picture; only sure tiles are the measure.
    """
    sure = np.flatnonzero(present > 0.6)
    if len(sure) < 3:
        return np.ones(len(quads), np.bool_)
    size = np.sqrt(tile_areas(np.asarray(quads, np.float32)).astype(np.float64))
    centre = quads.mean(axis=1)
    apart = np.linalg.norm(centre[:, None] - centre[None, sure], axis=2)
    nearest = np.argsort(apart, axis=1)[:, :8]
    usual = np.median(size[sure][nearest], axis=1)
    ratio = size / np.maximum(usual, 1e-6)
    return np.asarray((ratio > calibration.smallest_to_median) & (ratio < calibration.largest_to_median))


def without_doubles(quads: NDArray[np.floating], present: Floats) -> NDArray[np.intp]:
    """Indices to keep so that no two quads cover each other by more than 40 %; the surer one stays, in given order."""
    order = np.argsort(-present, kind="stable")
    corners = np.asarray(quads, np.float32)
    areas = tile_areas(corners)
    centres = corners.mean(axis=1)
    reach = tile_heights(corners)
    kept: list[int] = []
    for i in order.tolist():
        near = [k for k in kept if np.linalg.norm(centres[i] - centres[k]) < max(reach[i], reach[k])]
        if all(_common_area(corners[i], corners[k]) < 0.4 * min(areas[i], areas[k]) for k in near):
            kept.append(i)
    return np.array(sorted(kept), np.intp)


def inside_share(quads: NDArray[np.floating], width: int, height: int) -> Floats:
    """Share of each quad's area (N,) that lies inside a picture of ``width`` × ``height`` pixels."""
    corners = np.asarray(quads, np.float32)
    frame = np.array([[-0.5, -0.5], [width - 0.5, -0.5], [width - 0.5, height - 0.5], [-0.5, height - 0.5]], np.float32)
    shares = np.ones(len(corners))
    outside = (corners < -0.5).any(axis=(1, 2)) | (corners > (width - 0.5, height - 0.5)).any(axis=(1, 2))
    areas = tile_areas(corners)
    for i in np.flatnonzero(outside):
        shares[i] = _common_area(corners[i], frame) / max(float(areas[i]), 1e-6)
    return shares


def read_face(number_p: Floats, colour_p: Floats, present: float, calibration: Calibration) -> FaceReading:
    """Readings of one face from number classes (17,) and colours (4,), with the confidence in the first."""
    candidates = [
        (Tile(colour=Colour(letter), number=number + 1), float(number_p[number] * colour_p[k]))
        for number in range(NUMBERS)
        for k, letter in enumerate(COLOUR_CLASSES)
    ]
    candidates.append((Tile(joker=Joker.REGULAR), float(number_p[JOKER])))
    candidates.sort(key=lambda item: (-item[1], str(item[0])))
    readings = tuple(
        Reading(tile, round(p, 4)) for k, (tile, p) in enumerate(candidates[:MOST_READINGS]) if not k or p > SMALLEST_READING
    )
    confidence = round(candidates[0][1] * present, 4)
    return FaceReading(readings, confidence, confidence < calibration.doubtful_below)


def _common_area(a: NDArray[np.float32], b: NDArray[np.float32]) -> float:
    return float(cv2.intersectConvexConvex(cv2.convexHull(a), cv2.convexHull(b))[0])


def _logit(p: Floats) -> Floats:
    clipped = np.clip(p, 1e-4, 1 - 1e-4)
    return np.asarray(np.log(clipped / (1 - clipped)), np.float64)
