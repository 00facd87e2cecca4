"""Four printed markers at the table's corners: drawn here, and found again in a camera's picture."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.region import FoundBy, RegionError, TableRegion

Image = NDArray[np.uint8]

MARKER_IDS = (10, 11, 12, 13)
MARKER_CELLS = 6
"""A marker is so many cells wide, its black frame included."""
_KINDS = cv2.aruco.DICT_4X4_50
_MOST_CORRECTED = 0.3
"""Of the bits that a marker's code could repair only so many are: a stray pattern is no marker."""


def marker(index: int, side_px: int) -> Image:
    """The marker of a corner, 0 to 3, uint8 (side_px, side_px), black on white, without a margin."""
    kinds = cv2.aruco.getPredefinedDictionary(_KINDS)
    return np.asarray(cv2.aruco.generateImageMarker(kinds, MARKER_IDS[index], side_px), np.uint8)


def find_markers(image: Image) -> dict[int, NDArray[np.float32]]:
    """The markers in a picture uint8 (H, W, 3) BGR: their numbers 0 to 3, and the corners (4, 2) of each in pixels.

    One that is seen twice is none.
    """
    parameters = cv2.aruco.DetectorParameters()
    parameters.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
    parameters.errorCorrectionRate = _MOST_CORRECTED
    detector = cv2.aruco.ArucoDetector(cv2.aruco.getPredefinedDictionary(_KINDS), parameters)
    grey = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    corners, ids, _ = detector.detectMarkers(grey)
    seen = [int(one) for one in np.asarray(ids).ravel()] if len(corners) else []
    return {
        MARKER_IDS.index(number): np.asarray(quad, np.float32).reshape(4, 2)
        for number, quad in zip(seen, corners, strict=True)
        if number in MARKER_IDS and seen.count(number) == 1
    }


def region_from_markers(image: Image) -> TableRegion:
    """The table between the four markers, up to their outer corners.

    Which marker lies at which corner, and how it is turned, does not matter.  Raises ``RegionError``.
    """
    found = find_markers(image)
    missing = [str(index + 1) for index in range(len(MARKER_IDS)) if index not in found]
    if len(missing) == len(MARKER_IDS):
        raise RegionError("None of the four markers is seen.")
    if len(missing) == 1:
        raise RegionError(
            "Marker {number} is not seen, or seen twice: lay all four flat, each once, with light on them.",
            number=missing[0],
        )
    if missing:
        raise RegionError(
            "Markers {numbers} are not seen, or seen twice: lay all four flat, each once, with light on them.",
            numbers=", ".join(missing),
        )
    quads = np.stack([found[index] for index in range(len(MARKER_IDS))]).astype(np.float64)
    middle = quads.mean(axis=(0, 1))
    outermost = np.linalg.norm(quads - middle, axis=2).argmax(axis=1)
    outer = quads[np.arange(len(quads)), outermost]
    return TableRegion.from_points(outer.tolist(), image.shape[1], image.shape[0], FoundBy.MARKERS)
