"""A drawing is known by its shape, under any lamp and however worn."""

from __future__ import annotations

import cv2
import numpy as np

from vision.taught.drawing import INPUTS, drawings


def face(shape: str, ink: tuple[int, int, int] = (30, 30, 30)) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    crop = np.full((64, 48, 3), 225, np.uint8)
    if shape == "ring":
        cv2.circle(crop, (24, 26), 11, ink, 3, cv2.LINE_AA)
    else:
        cv2.line(crop, (12, 14), (36, 38), ink, 3, cv2.LINE_AA)
    return crop


def test_a_drawing_does_not_depend_on_ink_or_lamp() -> None:
    ring = face("ring")
    dim = (0.4 * ring * np.array([0.8, 1.0, 1.2])).astype(np.uint8)
    others = np.stack([ring, face("ring", (40, 40, 200)), dim, face("line")])
    plans = drawings(others)[:, :-1]
    alike = plans @ plans[0] / np.linalg.norm(plans, axis=1) / np.linalg.norm(plans[0])
    assert alike[1:3].min() > 0.95
    assert alike[3] < 0.7


def test_a_blank_face_and_no_face_have_plans_too() -> None:
    blank = drawings(np.full((1, 64, 48, 3), 200, np.uint8))
    assert np.isfinite(blank).all()
    assert blank[0, -1] == 1
    assert drawings(np.zeros((0, 64, 48, 3), np.uint8)).shape == (0, INPUTS)
