"""A pinhole camera over a table. Lengths are tile heights; the table is the plane z = 0, z points at the camera."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Points = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Camera:
    """Projection matrix (3, 4) from table coordinates to pixels."""

    matrix: Points

    def project(self, points: Points) -> Points:
        """Pixels (..., 2) of table points (..., 3)."""
        homogeneous = points @ self.matrix[:, :3].T + self.matrix[:, 3]
        return homogeneous[..., :2] / homogeneous[..., 2:3]

    def depth(self, points: Points) -> Points:
        """Distance along the optical axis (...,) of table points (..., 3); not positive means behind the camera."""
        return np.asarray(points @ self.matrix[2, :3] + self.matrix[2, 3])

    def distance(self, points: Points) -> Points:
        """Distance from the camera's centre (...,) of table points (..., 3), in tile heights."""
        eye = -np.linalg.solve(self.matrix[:, :3], self.matrix[:, 3])
        return np.asarray(np.linalg.norm(points - eye, axis=-1))

    def plane_homography(self) -> Points:
        """(3, 3) from table (x, y) to pixels."""
        return self.matrix[:, [0, 1, 3]]


def look_at_table(
    width: int,
    height: int,
    tile_px: float,
    tilt_deg: float,
    roll_deg: float,
    view_deg: float,
    shift_px: tuple[float, float] = (0.0, 0.0),
) -> Camera:
    """A camera whose optical axis meets the table's origin, where a tile is ``tile_px`` high seen from above.

    ``tilt_deg`` 0 looks straight down; ``roll_deg`` turns the picture; ``view_deg`` is the field of view along the
    longer side (small: long lens, weak perspective).  ``shift_px`` moves the whole picture, as cropping would.
    """
    focal = max(width, height) / 2 / np.tan(np.radians(view_deg) / 2)
    distance = focal / tile_px
    # Negative: the camera leans back towards the viewer's side (+y), so that near things are low in the picture.
    tilt, roll = -np.radians(tilt_deg), np.radians(roll_deg)
    around_x = np.array([[1, 0, 0], [0, np.cos(tilt), -np.sin(tilt)], [0, np.sin(tilt), np.cos(tilt)]])
    around_z = np.array([[np.cos(roll), -np.sin(roll), 0], [np.sin(roll), np.cos(roll), 0], [0, 0, 1]])
    # Table axes: x right, y down (towards the viewer), z up out of the table; the camera looks along −z.
    to_camera = around_x @ np.diag([1.0, 1.0, -1.0]) @ around_z
    intrinsics = np.array([[focal, 0, width / 2 + shift_px[0]], [0, focal, height / 2 + shift_px[1]], [0, 0, 1]])
    extrinsics = np.hstack([to_camera, np.array([[0.0], [0.0], [distance]])])
    return Camera(intrinsics @ extrinsics)
