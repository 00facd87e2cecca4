"""Tiles are found where they lie, at any size and turn, and each of them once."""

from __future__ import annotations

import importlib
import math
from types import ModuleType
from typing import Any

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from vision import detect
from vision.detect import Detections, Detector, agreement, decode, drop_doubles, tile_areas, tile_heights
from vision.model_store import load_model, models_folder, read_manifest

Floats = NDArray[np.float32]


def quad_at(x: float, y: float, height: float, angle_deg: float, aspect: float = 0.7) -> Floats:
    """An upright tile turned clockwise about its centre."""
    angle = math.radians(angle_deg)
    turn = np.array([[math.cos(angle), math.sin(angle)], [-math.sin(angle), math.cos(angle)]])
    corners = np.array([[-aspect, -1], [aspect, -1], [aspect, 1], [-aspect, 1]]) * height / 2
    return np.asarray(corners @ turn + [x, y], np.float32)


def maps_for(quads: Floats, height: int, width: int, scores: list[float] | None = None) -> Floats:
    """What a perfect network would answer for a picture of this size: written from the channels' meaning alone."""
    maps = np.zeros((detect.OUTPUT_CHANNELS, height // 4, width // 4), np.float32)
    for i, quad in enumerate(quads):
        centre = quad.mean(axis=0)
        up = (quad[0] + quad[1] - quad[2] - quad[3]) / 4
        right = (quad[1] + quad[2] - quad[0] - quad[3]) / 4
        column, row = round((float(centre[0]) - 1.5) / 4), round((float(centre[1]) - 1.5) / 4)
        up_angle, right_angle = math.atan2(up[1], up[0]), math.atan2(right[1], right[0])
        maps[:, row, column] = [
            scores[i] if scores else 0.9,
            (centre[0] - 1.5) / 4 - column,
            (centre[1] - 1.5) / 4 - row,
            math.log(math.hypot(*up) / 16),
            math.log(math.hypot(*right) / 16),
            math.cos(2 * up_angle),
            math.sin(2 * up_angle),
            math.cos(2 * right_angle),
            math.sin(2 * right_angle),
            math.cos(up_angle),
            math.sin(up_angle),
        ]
    return maps


@pytest.mark.parametrize("angle", [0, 30, 89, 90, 91, 135, 180, 225, 270, 359])
def test_decoding_gives_back_the_quad_at_every_turn(angle: float) -> None:
    quad = quad_at(61.3, 50.8, 36, angle)
    found = decode(maps_for(quad[None], 96, 128), 0.3)
    assert len(found) == 1
    np.testing.assert_allclose(found.quads[0], quad, atol=0.02)
    assert found.score[0] == pytest.approx(0.9)


def test_decoding_gives_back_a_slanted_quad() -> None:
    quad = np.array([[40, 30], [62, 38], [54, 74], [32, 66]], np.float32)
    np.testing.assert_allclose(decode(maps_for(quad[None], 96, 96), 0.3).quads[0], quad, atol=0.02)


def test_decoding_sorts_by_score_and_keeps_to_the_threshold() -> None:
    quads = np.stack([quad_at(x, 40, 30, 0) for x in (30, 60, 90)])
    found = decode(maps_for(quads, 96, 128, [0.5, 0.2, 0.8]), 0.3)
    np.testing.assert_allclose(found.score, [0.8, 0.5])
    assert len(decode(maps_for(quads, 96, 128, [0.5, 0.2, 0.8]), 0.1)) == 3


def test_empty_maps_have_no_tiles() -> None:
    found = decode(np.zeros((detect.OUTPUT_CHANNELS, 8, 8), np.float32), 0.3)
    assert len(found) == 0
    assert found.quads.shape == (0, 4, 2)


def detections(quads: list[Floats], scores: list[float]) -> Detections:
    score = np.array(scores, np.float32)
    return Detections(np.stack(quads), score, 1.0)


def test_a_tile_seen_twice_is_kept_once_with_the_better_score() -> None:
    kept = drop_doubles(detections([quad_at(50, 50, 40, 20), quad_at(53, 52, 44, 200)], [0.9, 0.6]))
    np.testing.assert_allclose(kept.score, [0.9])


@pytest.mark.parametrize("step", [1.0, 0.75])
def test_touching_and_overlapping_neighbours_are_all_kept(step: float) -> None:
    width = 40 * 0.7
    angle = math.radians(25)
    quads = [quad_at(30 + i * step * width * math.cos(angle), 30 + i * step * width * math.sin(angle), 40, 25)
             for i in range(4)]  # fmt: skip
    assert len(drop_doubles(detections(quads, [0.9, 0.8, 0.7, 0.6]))) == 4


def test_heights_and_areas_are_those_of_the_tiles() -> None:
    quads = np.stack([quad_at(50, 50, 40, 33), quad_at(90, 20, 10, 200)])
    np.testing.assert_allclose(tile_heights(quads), [40, 10], rtol=1e-4)
    np.testing.assert_allclose(tile_areas(quads), [40 * 28, 10 * 7], rtol=1e-4)


def test_agreement_prefers_more_surer_and_larger_tiles() -> None:
    one = detections([quad_at(50, 50, 40, 0)], [0.9])
    assert agreement(one.take(np.zeros(0, np.intp))) == 0
    assert agreement(one) < agreement(detections([quad_at(50, 50, 40, 0), quad_at(90, 50, 40, 0)], [0.9, 0.9]))
    assert agreement(detections([quad_at(50, 50, 40, 0)], [0.5])) < agreement(one)
    assert agreement(detections([quad_at(50, 50, 20, 0)], [0.9])) < agreement(one)


class KeenEye:
    """Stands for the network: knows the tiles, but sees only those that are 17 to 70 px high in the picture it gets."""

    def __init__(self, quads: Floats, width: int, height: int) -> None:
        self.quads, self.width, self.height = quads, width, height
        self.seen_widths: list[int] = []

    def run(self, batch: NDArray[Any]) -> list[Floats]:
        rows, columns = batch.shape[1:3]
        assert batch.dtype == np.uint8
        assert rows % 16 == 0
        assert columns % 16 == 0
        quads = self.shown(batch)
        heights = tile_heights(quads)
        return [maps_for(quads[(heights >= 17) & (heights <= 70)], rows, columns)[None]]

    def shown(self, batch: NDArray[Any]) -> Floats:
        """The quads of all tiles in the picture that it gets, which lies in the midst of what lies beyond it."""
        rows, columns = (batch[0] != detect.OUTSIDE_BGR).any(axis=2).nonzero()
        top, left = int(rows.min()), int(columns.min())
        size = np.array([columns.max() - left + 1, rows.max() - top + 1])
        self.seen_widths.append(int(size[0]))
        scale = (size / [self.width, self.height]).astype(np.float32)
        return np.asarray((self.quads + 0.5) * scale - 0.5 + [left, top], np.float32)


@pytest.mark.parametrize("tile_height", [40, 90, 220, 480])
def test_the_scale_is_found_whatever_the_size_of_the_tiles(tile_height: int) -> None:
    width, height = 1600, 1216
    step = tile_height * 0.8
    quads = np.stack([quad_at(300 + i * step, 500 + 3 * i, tile_height, 4 * i) for i in range(3)])
    eye = KeenEye(quads, width, height)
    found = Detector(eye).find(np.zeros((height, width, 3), np.uint8))
    assert len(found) == 3
    order = np.argsort(found.quads[:, :, 0].mean(axis=1))
    np.testing.assert_allclose(found.quads[order], quads, atol=0.2)
    assert found.scale * tile_height == pytest.approx(detect.FINAL_TILE_HEIGHT_PX, rel=0.15)


def test_a_picture_without_tiles_has_none() -> None:
    eye = KeenEye(np.zeros((0, 4, 2), np.float32), 320, 240)
    assert len(Detector(eye).find(np.zeros((240, 320, 3), np.uint8))) == 0


def test_the_last_look_keeps_to_its_limit() -> None:
    quads = np.stack([quad_at(200 + 30 * i, 500, 18, 0) for i in range(5)])
    eye = KeenEye(quads, 1920, 1088)
    Detector(eye).find(np.zeros((1088, 1920, 3), np.uint8))
    assert max(eye.seen_widths) <= detect.FINAL_SIDE_LIMIT_PX


def test_one_look_maps_back_to_the_picture() -> None:
    quads = np.stack([quad_at(100, 90, 40, 10), quad_at(200, 60, 40, 300)])
    found = Detector(KeenEye(quads, 320, 160)).look(np.zeros((160, 320, 3), np.uint8), 1.5)
    order = np.argsort(found.quads[:, 0, 0])
    np.testing.assert_allclose(found.quads[order], quads, atol=0.05)
    assert found.scale == 1.5


@pytest.mark.parametrize("scale", [0.5, 1.0, 1.5])
def test_a_tile_is_found_whose_centre_lies_beyond_the_edge(scale: float) -> None:
    far = 0.8 * detect.BEYOND_PX / scale
    quads = np.stack([quad_at(x, y, 40, 20) for x, y in ((-far, 90), (319 + far, 60), (150, -far), (90, 159 + far))])
    found = Detector(KeenEye(quads, 320, 160)).look(np.zeros((160, 320, 3), np.uint8), scale)
    assert len(found) == 4
    away = np.abs(found.quads[:, None] - quads[None]).max(axis=(2, 3))
    assert away.min(axis=0).max() < 0.1


def test_what_the_network_sees_far_beyond_the_edge_is_no_tile() -> None:
    """The padding to sixteens may show more of the outside than tiles can reach."""
    quads = np.stack([quad_at(100, 162 + detect.BEYOND_PX + 4, 40, 0), quad_at(60, 80, 40, 0)])
    found = Detector(KeenEye(quads, 320, 162)).look(np.zeros((162, 320, 3), np.uint8), 1.0)
    assert len(found) == 1


class FloorEye(KeenEye):
    """Also takes the large squares of a floor for tiles, though less surely."""

    def __init__(self, quads: Floats, floor: Floats, width: int, height: int) -> None:
        super().__init__(np.concatenate([quads, floor]), width, height)
        self.real = len(quads)

    def run(self, batch: NDArray[Any]) -> list[Floats]:
        quads = self.shown(batch)
        seen = np.flatnonzero((tile_heights(quads) >= 17) & (tile_heights(quads) <= 70))
        scores = [0.7 if i < self.real else 0.65 for i in seen.tolist()]
        return [maps_for(quads[seen], batch.shape[1], batch.shape[2], scores)[None]]


FLOOR = np.stack([quad_at(200 + 180 * i, 200 + 200 * k, 170, 0) for i in range(8) for k in range(3)])


def reads_only(real: Floats) -> detect.Legible:
    """A reader that can read what lies on a real tile and has about its size."""

    def legible(image: NDArray[np.uint8], quads: Floats) -> NDArray[np.bool_]:
        del image
        centres, heights = quads.mean(axis=1), tile_heights(quads)
        away = np.linalg.norm(centres[:, None] - real.mean(axis=1)[None], axis=2)
        nearest = tile_heights(real)[away.argmin(axis=1)]
        return np.asarray((away.min(axis=1) < 0.3 * nearest) & (np.abs(heights / nearest - 1) < 0.4), np.bool_)

    return legible


def on_tiles(found: Detections, quads: Floats) -> int:
    """How many of the tiles were found, each with about its height."""
    away = np.linalg.norm(found.quads.mean(axis=1)[:, None] - quads.mean(axis=1)[None], axis=2)
    heights = tile_heights(found.quads)[:, None] / tile_heights(quads)[None]
    near = away < 0.2 * tile_heights(quads)[None]
    return int((near & (np.abs(heights - 1) < 0.2)).any(axis=0).sum())


def test_the_squares_of_a_floor_do_not_hide_the_tiles_that_can_be_read() -> None:
    quads = np.stack([quad_at(500 + 26 * i, 520, 30, 0) for i in range(6)])
    dark = np.zeros((1216, 1600, 3), np.uint8)
    misled = Detector(FloorEye(quads, FLOOR, 1600, 1216)).find(dark)
    assert on_tiles(misled, quads) == 0, "the trap does not trap"
    found = Detector(FloorEye(quads, FLOOR, 1600, 1216), legible=reads_only(quads)).find(dark)
    assert on_tiles(found, quads) == 6


def test_tiles_near_and_far_are_found_at_their_own_scales() -> None:
    rows = [(150, 900), (86, 650), (48, 400), (27, 200)]  # towards the horizon
    every = np.stack([quad_at(400 + 0.85 * height * i, y, height, 0) for height, y in rows for i in range(6)])
    found = Detector(KeenEye(every, 1600, 1216), legible=reads_only(every)).find(np.zeros((1216, 1600, 3), np.uint8))
    assert on_tiles(found, every) == 24
    assert not found.one_look


def test_where_the_scale_is_clear_no_further_look_is_taken() -> None:
    quads = np.stack([quad_at(200 + 75 * i, 500, 90, 0) for i in range(10)])

    def never(image: NDArray[np.uint8], asked: Floats) -> NDArray[np.bool_]:
        raise AssertionError(f"asked about {len(asked)} quads of {image.shape}")

    plain, reading = (KeenEye(quads, 1600, 1216) for _ in range(2))
    dark = np.zeros((1216, 1600, 3), np.uint8)
    found = Detector(reading, legible=never).find(dark)
    np.testing.assert_allclose(found.quads, Detector(plain).find(dark).quads)
    assert reading.seen_widths == plain.seen_widths
    assert found.one_look


@pytest.mark.parametrize(
    "picture", [np.zeros((10, 10), np.uint8), np.zeros((10, 10, 3), np.float32), np.zeros((0, 10, 3), np.uint8)]
)
def test_what_is_no_picture_is_refused(picture: NDArray[Any]) -> None:
    with pytest.raises(ValueError, match="picture"):
        Detector(KeenEye(np.zeros((0, 4, 2), np.float32), 10, 10)).find(picture)


def detector_targets() -> ModuleType:
    """The training's idea of the maps; the test is skipped where torch is not installed."""
    pytest.importorskip("torch", reason="training needs torch")
    return importlib.import_module("vision.training.detector_targets")


def test_training_targets_decode_to_their_own_tiles() -> None:
    targets = detector_targets()
    rng = np.random.default_rng(3)
    quads = np.stack(
        [quad_at(30 + 48 * (i % 5), 40 + 60 * (i // 5), 30 + 2 * i, rng.uniform(0, 360)) for i in range(15)]
    )
    labels = targets.TileLabels(quads, np.ones(15, np.float32), np.zeros(15, np.bool_))
    found = decode(targets.target_maps(256, labels)[: detect.OUTPUT_CHANNELS], 0.9)
    assert len(found) == 15
    away = np.abs(found.quads[:, None] - quads[None]).max(axis=(2, 3))
    assert away.min(axis=0).max() < 0.05


def test_training_asks_nothing_about_hidden_tiles_and_forbids_huge_ones() -> None:
    targets = detector_targets()
    quads = np.stack([quad_at(60, 60, 40, 0), quad_at(170, 170, 140, 0)])
    labels = targets.TileLabels(quads, np.array([0.2, 1.0], np.float32), np.zeros(2, np.bool_))
    maps = targets.target_maps(256, labels)
    assert maps[detect.HEAT].max() == 0
    assert maps[targets.HEAT_WEIGHT, 15, 15] == 0
    assert maps[targets.HEAT_WEIGHT, 42, 42] == 1


def drawn_table() -> tuple[NDArray[np.uint8], Floats]:
    """Plain white tiles with printed numerals on brown, no renderer needed."""
    picture = np.full((480, 640, 3), (40, 70, 110), np.uint8)
    quads = []
    for i in range(6):
        quad = quad_at(120 + 80 * i, 200 + 6 * i, 84, 3)
        face = np.full((120, 84, 3), 235, np.uint8)
        cv2.putText(face, str(i + 2), (22, 62), cv2.FONT_HERSHEY_SIMPLEX, 1.9, (20, 20, 190), 6, cv2.LINE_AA)
        target = cv2.getPerspectiveTransform(
            np.array([[0, 0], [84, 0], [84, 120], [0, 120]], np.float32) - np.float32(0.5), quad
        )
        cv2.warpPerspective(face, target, (640, 480), dst=picture, borderMode=cv2.BORDER_TRANSPARENT)
        quads.append(quad)
    return cv2.GaussianBlur(picture, (0, 0), 0.8).astype(np.uint8), np.stack(quads)


@pytest.mark.parametrize("quarters", range(4))
def test_the_bundled_network_finds_plain_tiles_at_every_quarter_turn(quarters: int) -> None:
    picture, quads = drawn_table()
    for _ in range(quarters):
        width = picture.shape[1]
        picture = np.ascontiguousarray(np.rot90(picture))
        quads = np.stack([quads[..., 1], width - 1 - quads[..., 0]], axis=-1)
    found = Detector(load_model("detector", read_manifest(models_folder()), threads=1)).find(picture)
    sure = found.take(found.score > 0.3)
    away = np.linalg.norm(sure.quads.mean(axis=1)[:, None] - quads.mean(axis=1)[None], axis=2)
    assert (away.min(axis=0) < 10).all()
