"""The table's place in the camera's picture: four corners, from clicks or found by ``vision.markers`` and others."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Self

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.registration import Floats, transformed
from vision.saying import SeeingError

Image = NDArray[np.uint8]

LEAST_SHARE = 0.02
"""A table covers at least this share of the picture."""
MOST_OUTSIDE = 0.5
"""Corners may lie outside the picture by so much of its sides."""
LARGEST_FLAT_PX = 2000
_SAME_SHAPE = 0.02
"""Pictures whose proportions differ by less show the same."""


class RegionError(SeeingError):
    """No table region can be had from this; the text is one sentence that says why."""


class FoundBy(StrEnum):
    """How a region was found."""

    CLICKS = "clicks"
    MARKERS = "markers"
    TILES = "tiles"
    WHOLE = "whole"
    """Nothing showed where the table ends: it is the whole picture."""


@dataclass(frozen=True, slots=True, eq=False)
class TableRegion:
    """The table in pictures of ``width`` × ``height`` pixels.

    ``corners`` float32 (4, 2) in pixels, clockwise as seen, from the one at the top left.  Raises ``RegionError``.
    """

    corners: NDArray[np.float32]
    width: int
    height: int
    found_by: FoundBy = FoundBy.CLICKS

    def __post_init__(self) -> None:
        if self.corners.shape != (4, 2) or not np.isfinite(self.corners).all():
            raise RegionError("A table region has four corners, each with two numbers.")
        if min(self.width, self.height) < 1:
            raise RegionError("A table region belongs to a picture with a size.")
        size = np.array([self.width, self.height])
        if (self.corners < -MOST_OUTSIDE * size).any() or (self.corners > (1 + MOST_OUTSIDE) * size).any():
            raise RegionError("A corner of the table lies far outside the picture.")
        if not _convex(self.corners.astype(np.float64)):
            raise RegionError("The four corners enclose no table: give each of them once.")
        if cv2.contourArea(self.corners) < LEAST_SHARE * self.width * self.height:
            raise RegionError("The four corners enclose too small a part of the picture to be the table.")

    @classmethod
    def whole(cls, width: int, height: int) -> Self:
        """The whole picture."""
        right, bottom = width - 1, height - 1
        corners = np.array([[0, 0], [right, 0], [right, bottom], [0, bottom]], np.float32)
        return cls(corners, width, height, FoundBy.WHOLE)

    @classmethod
    def from_points(
        cls, points: Sequence[Sequence[float]], width: int, height: int, found_by: FoundBy = FoundBy.CLICKS
    ) -> Self:
        """The region of four points (x, y) in any order.  Raises ``RegionError``."""
        if len(points) != 4 or any(len(point) != 2 for point in points):
            raise RegionError("A table has four corners, not {points}.", points=len(points))
        return cls(in_order(np.array(points, np.float64)).astype(np.float32), width, height, found_by)

    @property
    def flat_size(self) -> tuple[int, int]:
        """Width and height in pixels of the table seen from above."""
        top, right, bottom, left = np.linalg.norm(np.roll(self.corners, -1, axis=0) - self.corners, axis=1)
        wide, high = max(float(top), float(bottom), 1.0), max(float(left), float(right), 1.0)
        scale = min(1.0, LARGEST_FLAT_PX / max(wide, high))
        return max(1, round(wide * scale)), max(1, round(high * scale))

    def flattening(self) -> Floats:
        """The homography (3, 3) from the picture's pixels to those of the flat table."""
        width, height = self.flat_size
        flat = np.array([[0, 0], [width - 1, 0], [width - 1, height - 1], [0, height - 1]], np.float32)
        return np.asarray(cv2.getPerspectiveTransform(self.corners, flat), np.float64)

    def flatten(self, image: Image) -> Image:
        """The table seen from above, uint8 (h, w, 3) BGR of ``flat_size``, from a picture uint8 (H, W, 3) BGR."""
        self._check(image)
        return np.asarray(cv2.warpPerspective(image, self.flattening(), self.flat_size), np.uint8)

    def mask(self) -> Image:
        """uint8 (H, W): 255 on the table, 0 outside."""
        inside = np.zeros((self.height, self.width), np.uint8)
        return np.asarray(cv2.fillConvexPoly(inside, np.round(self.corners).astype(np.int32), 255), np.uint8)

    def masked(self, image: Image) -> Image:
        """A copy of a picture uint8 (H, W, 3) BGR that is black outside the table."""
        self._check(image)
        return np.asarray(cv2.bitwise_and(image, image, mask=self.mask()), np.uint8)

    def contains(self, points: NDArray[np.floating]) -> NDArray[np.bool_]:
        """Which points (N, 2) lie on the table, its edge included."""
        sides = np.roll(self.corners, -1, axis=0) - self.corners
        away = np.asarray(points, np.float64).reshape(-1, 1, 2) - self.corners[None]
        return np.asarray((sides[:, 0] * away[..., 1] - sides[:, 1] * away[..., 0] >= -1e-6).all(axis=1), np.bool_)

    def moved(self, homography: Floats) -> Self:
        """The region after a move of the camera (``Registration.homography``).  Raises ``RegionError``."""
        corners = in_order(transformed(self.corners, homography)).astype(np.float32)
        return type(self)(corners, self.width, self.height, self.found_by)

    def scaled_to(self, width: int, height: int) -> Self:
        """The region in the same picture at another size.  Raises ``RegionError`` where it shows something else."""
        across, down = width / self.width, height / self.height
        if abs(across / down - 1) > _SAME_SHAPE:
            raise self._does_not_fit(width, height)
        corners = (self.corners + 0.5) * np.array([across, down]) - 0.5
        return type(self)(corners.astype(np.float32), width, height, self.found_by)

    def to_json(self) -> str:
        """The region as one line of text."""
        corners = [[round(float(x), 2), round(float(y), 2)] for x, y in self.corners]
        return json.dumps(
            {"width": self.width, "height": self.height, "corners": corners, "found_by": self.found_by.value}
        )

    @classmethod
    def from_json(cls, text: str) -> Self:
        """A region from its text.  Raises ``RegionError``."""
        try:
            given = json.loads(text)
        except ValueError as error:
            raise RegionError("This is no table region: the text is damaged.") from error
        if not isinstance(given, dict):
            raise RegionError("This is no table region: it must name width, height and corners.")
        missing = [key for key in ("width", "height", "corners") if key not in given]
        if missing:
            raise RegionError("This is no table region: {field} is missing.", field=missing[0])
        width, height, found_by = given["width"], given["height"], given.get("found_by", FoundBy.CLICKS.value)
        if not all(isinstance(side, int) and not isinstance(side, bool) for side in (width, height)):
            raise RegionError("width and height of a table region are whole numbers.")
        if found_by not in list(FoundBy):
            raise RegionError("found_by of a table region is one of {known}.", known=", ".join(FoundBy))
        try:
            corners = np.array(given["corners"], np.float32)
        except (TypeError, ValueError) as error:
            raise RegionError("A table region has four corners, each with two numbers.") from error
        return cls(corners, width, height, FoundBy(found_by))

    def _check(self, image: Image) -> None:
        if image.shape[:2] != (self.height, self.width):
            raise self._does_not_fit(image.shape[1], image.shape[0])

    def _does_not_fit(self, width: int, height: int) -> RegionError:
        return RegionError(
            "The table region was set in a picture of {width} × {height} pixels and does not fit one of "
            "{other_width} × {other_height}.",
            width=self.width,
            height=self.height,
            other_width=width,
            other_height=height,
        )


def in_order(points: Floats) -> Floats:
    """Four points (4, 2) clockwise as seen, from the one at the top left."""
    away = points - points.mean(axis=0)
    ring = points[np.argsort(np.arctan2(away[:, 1], away[:, 0]), kind="stable")]
    return np.asarray(np.roll(ring, -int(ring.sum(axis=1).argmin()), axis=0), np.float64)


def _convex(corners: Floats) -> bool:
    """Whether four corners go round clockwise, each a real corner."""
    sides = np.roll(corners, -1, axis=0) - corners
    lengths = np.linalg.norm(sides, axis=1)
    following = np.roll(sides, -1, axis=0)
    turns = sides[:, 0] * following[:, 1] - sides[:, 1] * following[:, 0]
    return bool((lengths > 1).all() and (turns > 0.02 * lengths * np.roll(lengths, -1)).all())
