"""Racks are told from tables."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from vision.rack import shows_rack

SAMPLES = Path(__file__).resolve().parents[2] / "sample_images"


def scene_and_guess(folder: Path, name: str) -> tuple[str, bool]:
    truth = json.loads((folder / "truth" / f"{name}.json").read_text(encoding="utf-8"))
    image = cv2.imread(str(folder / "photos" / truth["photo"]))
    assert image is not None
    quads = np.array([tile["quad"] for tile in truth["tiles"]], np.float32).reshape(-1, 4, 2)
    return truth["scene"], shows_rack(np.asarray(image, np.uint8), quads)


@pytest.mark.parametrize("name", sorted(path.stem for path in (SAMPLES / "truth").glob("*.json")))
def test_samples(name: str) -> None:
    scene, guess = scene_and_guess(SAMPLES, name)
    assert guess == (scene == "rack")


def test_shared_photos(shared_photos: Path) -> None:
    names = [name for part in json.loads((shared_photos / "split.json").read_text()).values() for name in part]
    wrong = []
    for name in names:
        scene, guess = scene_and_guess(shared_photos, name)
        if guess != (scene == "rack"):
            wrong.append(name)
    assert not wrong


def test_no_tiles_are_no_rack() -> None:
    assert not shows_rack(np.zeros((100, 100, 3), np.uint8), np.zeros((0, 4, 2)))


def test_a_dark_row_on_a_table_of_one_tone_is_no_rack() -> None:
    image = np.full((600, 800, 3), 40, np.uint8)
    quads = np.array([[[x, 300], [x + 40, 300], [x + 40, 360], [x, 360]] for x in range(200, 500, 42)], np.float32)
    for quad in quads:
        cv2.fillConvexPoly(image, quad.astype(np.int32), (230, 240, 240))
    assert not shows_rack(image, quads)
    board = image.copy()
    board[:] = 220
    board[280:380, 150:550] = 30
    for quad in quads:
        cv2.fillConvexPoly(board, quad.astype(np.int32), (230, 240, 240))
    assert shows_rack(board, quads)


@pytest.mark.parametrize(("uneven", "rack"), [(0.0, True), (25.0, False)])
def test_on_a_rack_seen_from_near_the_tiles_fan_out_evenly(uneven: float, rack: bool) -> None:
    image = np.full((600, 800, 3), 220, np.uint8)
    cv2.fillConvexPoly(image, np.array([[120, 265], [680, 265], [640, 395], [160, 395]], np.int32), (30, 30, 30))
    quads = []
    for k, x in enumerate(range(200, 640, 50)):
        turn = np.radians((400 - x) * 0.07 + (uneven if k == 3 else 0))
        right, down = np.array([np.cos(turn), -np.sin(turn)]), np.array([np.sin(turn), np.cos(turn)])
        quads.append([(x, 330) + 20 * s * right + 30 * t * down for s, t in ((-1, -1), (1, -1), (1, 1), (-1, 1))])
    for quad in quads:
        cv2.fillConvexPoly(image, np.array(quad).astype(np.int32), (230, 240, 240))
    assert shows_rack(image, np.array(quads, np.float32)) is rack
