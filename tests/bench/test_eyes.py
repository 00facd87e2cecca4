"""The bench of the eyes measures what it says: its frames change as told, its yardsticks count rightly.

Nothing is timed here.
"""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import cv2
import numpy as np
import pytest

from tests.bench import yardsticks
from tests.bench.eyes import PHOTO, TARGET_MB, TARGET_MS, median_ms, missed, noisy, truth_of, with_a_tile_exchanged
from tests.bench.yardsticks import Truth, numbers_found
from vision.change import changed, swatches
from vision.intake import read_photo
from vision.second_reader import SecondReader

SQUARE = np.array([[0, 0], [20, 0], [20, 30], [0, 30]], np.float32)


def once(work: Callable[[], object]) -> float:
    work()
    return 12.0


def test_the_median_does_not_count_the_first_round() -> None:
    calls: list[int] = []
    assert median_ms(lambda: calls.append(1), 4) >= 0
    assert len(calls) == 5


def test_one_tile_is_exchanged_for_one_of_another_number() -> None:
    image, truth = read_photo(PHOTO).image, truth_of(PHOTO)
    assert len(truth.numbers) == len(truth.quads) > 75
    after = with_a_tile_exchanged(image, truth)
    there = changed(swatches(image, truth.quads), swatches(after, truth.quads))
    assert there[0]
    assert there.sum() <= 3, "a neighbour in the row may show a part of the edge"


def test_frames_of_a_still_table_differ_by_noise_alone() -> None:
    image = np.full((60, 80, 3), 120, np.uint8)
    frames = noisy(image, 3)
    first, second, third, again = (next(frames) for _ in range(4))
    assert again is first
    assert not np.array_equal(first, second)
    assert np.abs(third.astype(int) - image).max() < 20


def test_a_number_counts_where_it_was_read_on_its_tile() -> None:
    truth = Truth((7, 12), np.stack([SQUARE, SQUARE + [50, 0]]))
    at_seven, at_twelve = np.array([10.0, 9.0]), np.array([60.0, 9.0])
    assert numbers_found([("7", at_seven), ("12 ", at_twelve)], truth) == 2
    assert numbers_found([("12", at_seven), ("7", at_twelve)], truth) == 0
    assert numbers_found([("1", at_twelve), ("7", np.array([200.0, 9.0]))], truth) == 0


def test_a_yardstick_that_is_not_installed_is_said_to_be_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: str, *_: Any) -> ModuleType:
        raise ModuleNotFoundError(name)

    monkeypatch.setattr(yardsticks, "import_module", absent)
    monkeypatch.setattr(SecondReader, "find", lambda: None)
    image, truth = np.zeros((40, 40, 3), np.uint8), Truth((7,), SQUARE[None])
    for one in (
        yardsticks.rapid_ocr(image, truth, 1, once),
        yardsticks.tesseract(image, truth, once),
        yardsticks.nano(image, 1, once),
    ):
        assert one.ms is None


def test_the_nano_detector_has_the_size_and_work_of_its_model() -> None:
    """YOLOv8-nano: 3.2 million parameters, 8.7 thousand million operations on 640 × 640 pixels."""
    onnx = pytest.importorskip("onnx", reason="onnx comes with the bench's extra only")
    from tests.bench.nano import nano_detector  # noqa: PLC0415  needs onnx

    data = nano_detector()
    model = onnx.shape_inference.infer_shapes(onnx.load_model_from_string(data))
    sizes = {entry.name: tuple(entry.dims) for entry in model.graph.initializer}
    assert sum(int(np.prod(size)) for size in sizes.values()) == pytest.approx(3.15e6, rel=0.01)
    shapes = {
        value.name: [axis.dim_value for axis in value.type.tensor_type.shape.dim]
        for value in (*model.graph.value_info, *model.graph.output)
    }
    convolutions = [node for node in model.graph.node if node.op_type == "Conv"]
    work = sum(2 * np.prod(sizes[node.input[1]]) * np.prod(shapes[node.output[0]][2:]) for node in convolutions)
    assert float(work) == pytest.approx(8.7e9, rel=0.02)
    picture = np.asarray(cv2.resize(np.eye(8, dtype=np.uint8), (64, 36)), np.uint8)
    assert yardsticks.nano(np.dstack([picture] * 3), 1, once).ms == 12.0


def test_targets_that_are_missed_are_named() -> None:
    reached = dict.fromkeys(TARGET_MS, 5.0)
    assert missed(reached, {"one photo": TARGET_MB - 1}) == []
    slow = reached | {"a frame in which nothing changed": 31.0}
    assert missed(slow, {"one photo": TARGET_MB + 1}) == [
        "a frame in which nothing changed: 31 ms, not 30",
        f"one photo: {TARGET_MB + 1:.0f} MB, not {TARGET_MB:.0f}",
    ]
