"""The camera shows the table where its words say."""

from __future__ import annotations

import numpy as np
import pytest

from tests.vision.render.plain import camera_over
from vision.render.camera import Camera, look_at_table

ORIGIN, RIGHT, NEAR, UP = np.eye(4, 3, k=-1)
"""Points one tile height from the table's origin: to the right, towards the viewer, above the table."""


def seen(camera: Camera, point: np.ndarray) -> np.ndarray:
    return np.asarray(camera.project(point))


def test_from_above_a_tile_height_has_the_wanted_pixels() -> None:
    camera = look_at_table(400, 300, 50, 0, 0, 60)
    np.testing.assert_allclose(seen(camera, ORIGIN), (200, 150))
    np.testing.assert_allclose(seen(camera, RIGHT), (250, 150))
    np.testing.assert_allclose(seen(camera, NEAR), (200, 200))


def test_things_above_the_table_look_larger() -> None:
    camera = camera_over(200, 20)
    on_table = np.linalg.norm(seen(camera, RIGHT) - seen(camera, ORIGIN))
    above = np.linalg.norm(seen(camera, RIGHT + UP) - seen(camera, UP))
    assert above > on_table
    assert camera.depth(UP) < camera.depth(ORIGIN)


@pytest.mark.parametrize("tilt", [10, 35, 60])
def test_a_tilted_camera_has_the_near_side_low_and_large(tilt: float) -> None:
    camera = camera_over(200, 20, tilt)
    near, far = seen(camera, NEAR), seen(camera, -NEAR)
    assert near[1] > 100 > far[1]
    assert near[1] - 100 > 100 - far[1]
    assert camera.depth(NEAR) < camera.depth(-NEAR)
    # at the origin itself lengths across shrink by nothing, lengths along by the cosine of the tilt
    across, along = seen(camera, 0.01 * RIGHT) - 100, seen(camera, 0.01 * NEAR) - 100
    assert across[0] == pytest.approx(0.2, rel=0.01)
    assert along[1] == pytest.approx(0.2 * np.cos(np.radians(tilt)), rel=0.01)


def test_what_stands_up_points_up_in_a_tilted_picture() -> None:
    camera = camera_over(200, 20, 45)
    assert seen(camera, UP)[1] < seen(camera, ORIGIN)[1]


@pytest.mark.parametrize(("roll", "place"), [(90, (100, 120)), (180, (80, 100)), (270, (100, 80))])
def test_roll_turns_the_picture_clockwise(roll: float, place: tuple[float, float]) -> None:
    np.testing.assert_allclose(seen(camera_over(200, 20, 0, roll), RIGHT), place, atol=1e-6)


def test_a_shift_moves_the_whole_picture() -> None:
    points = np.random.default_rng(3).uniform(-2, 2, (20, 3))
    straight, shifted = camera_over(200, 20, 40, 70), camera_over(200, 20, 40, 70, (13, -8))
    np.testing.assert_allclose(shifted.project(points), straight.project(points) + (13, -8), atol=1e-9)


def test_a_long_lens_has_weak_perspective() -> None:
    def growth(view: float) -> float:
        camera = look_at_table(200, 200, 20, 50, 0, view)
        return float(camera.depth(-NEAR) / camera.depth(NEAR))

    assert 1 < growth(10) < growth(30) < growth(70)


def test_the_plane_homography_is_the_camera_on_the_table() -> None:
    camera = camera_over(200, 20, 33, 200, (5, 6))
    points = np.random.default_rng(4).uniform(-3, 3, (20, 2))
    rows = np.column_stack([points, np.ones(20)]) @ camera.plane_homography().T
    np.testing.assert_allclose(rows[:, :2] / rows[:, 2:], camera.project(np.column_stack([points, np.zeros(20)])))
