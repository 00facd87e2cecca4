"""A network's twin in whole numbers sees what its original sees, and is used only where it does."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from vision.detect import OUTPUT_CHANNELS, UP_VECTOR
from vision.model_store import Manifest, OnnxModel, load_model, models_folder, read_manifest
from vision.read import NUMBER_CLASSES, white_balanced
from vision.training.samples import DETECTOR_SAMPLE, READER_SAMPLE, reader_samples

onnx = pytest.importorskip("onnx", reason="onnx comes with the training tools only")

from vision.training import quantise  # noqa: E402  after the check for onnx
from vision.training.quantise import Comparison, compare, quantise_models, quantised  # noqa: E402

MOST_WEIGHT = 64
"""Two products of such a weight and an activation up to 255 still fit into sixteen bits."""


def whole_weights(data: bytes) -> list[NDArray[np.int8]]:
    """The weights in eight bits of an ONNX file, one array for each layer."""
    arrays = (onnx.numpy_helper.to_array(entry) for entry in onnx.load_model_from_string(data).graph.initializer)
    return [array for array in arrays if array.dtype == np.int8 and array.ndim == 4]


@pytest.fixture
def crops(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Rendered crops, as training draws them where there are no photos."""
    monkeypatch.setattr("vision.training.samples.load_fitting_photos", lambda **_: [])
    return list(islice(reader_samples(np.random.default_rng(5)), 96))


@pytest.fixture
def models(tmp_path: Path) -> Path:
    """A folder with the bundled networks."""
    for path in models_folder().iterdir():
        if path.suffix in {".onnx", ".toml"}:
            shutil.copy(path, tmp_path)
    return tmp_path


def original(name: str) -> bytes:
    manifest = read_manifest(models_folder()).precise()
    return (models_folder() / manifest.models[name].file).read_bytes()


def test_a_readers_twin_is_small_safe_and_of_the_same_opinion(crops: list[Any]) -> None:
    data = original("reader")
    twin = quantised("reader", data, crops[:64])
    assert len(twin) < 0.7 * len(data)
    weights = whole_weights(twin)
    assert len(weights) >= 8
    assert max(np.abs(layer).max() for layer in weights) <= MOST_WEIGHT
    before, after = OnnxModel(data, 1), OnnxModel(twin, 1)
    assert after.metadata == before.metadata | {"precision": "int8"}
    batch = white_balanced(np.stack([crop["crop"] for crop in crops[64:]]))
    outputs = list(zip(before.run(batch), after.run(batch), strict=True))
    assert [one.shape for one, _ in outputs] == [other.shape for _, other in outputs]
    sure = np.sort(outputs[0][0], axis=1)[:, -1] - np.sort(outputs[0][0], axis=1)[:, -2] > 2
    assert (outputs[0][0].argmax(axis=1) == outputs[0][1].argmax(axis=1))[sure].all()
    assert np.abs(outputs[3][0] - outputs[3][1]).max() < 0.03, "corners stay where they were"
    features = outputs[4]
    assert np.corrcoef(features[0].ravel(), features[1].ravel())[0, 1] > 0.995


def test_bundled_twins_come_from_the_bundled_originals_and_never_overflow() -> None:
    manifest = read_manifest(models_folder())
    for name, entry in manifest.full_precision.items():
        twin, first = load_model(name, manifest, threads=1), load_model(name, manifest.precise(), threads=1)
        assert (twin.metadata["precision"], twin.metadata["version"]) == ("int8", entry.version)
        assert "precision" not in first.metadata
        data = (models_folder() / manifest.models[name].file).read_bytes()
        assert max(np.abs(layer).max() for layer in whole_weights(data)) <= MOST_WEIGHT


class Answers:
    """A network that gives these outputs, one after the other."""

    def __init__(self, *outputs: list[NDArray[np.float32]]) -> None:
        self._outputs = iter(outputs)

    def run(self, batch: NDArray[Any]) -> list[NDArray[np.float32]]:
        del batch
        return next(self._outputs)


def read_as(*numbers: int, colour: int = 1) -> Answers:
    logits, colours = np.zeros((len(numbers), len(NUMBER_CLASSES)), np.float32), np.zeros((len(numbers), 4), np.float32)
    logits[np.arange(len(numbers)), numbers] = 5
    colours[:, colour] = 5
    return Answers([logits, colours])


def labelled(*numbers: int) -> list[Any]:
    records = np.zeros(len(numbers), READER_SAMPLE)
    records["number"] = numbers
    records["colour"] = [1 if number < 13 else -1 for number in numbers]
    return list(records)


def test_readers_are_compared_by_what_they_read_rightly() -> None:
    truth = labelled(3, 5, 7, 13)
    assert compare("reader", read_as(3, 5, 7, 13), read_as(3, 5, 8, 13), truth) == Comparison(1.0, 0.75, 0.75)
    assert compare("reader", read_as(3, 5, 7, 13), read_as(3, 5, 7, 13, colour=2), truth) == Comparison(1.0, 0.25, 0.25)


def maps_with(*cells: tuple[int, int]) -> list[NDArray[np.float32]]:
    """Detector maps with upright tiles at these cells (row, column)."""
    maps = np.zeros((1, OUTPUT_CHANNELS, 64, 64), np.float32)
    maps[0, 5], maps[0, 7], maps[0, UP_VECTOR + 1] = -1, 1, -1
    for row, column in cells:
        maps[0, 0, row, column] = 0.9
    return [maps]


def test_detectors_are_compared_by_tiles_found_and_false_alarms() -> None:
    record = np.zeros((), DETECTOR_SAMPLE)
    record["count"] = 2
    for i, (row, column) in enumerate(((10, 10), (30, 40))):
        x, y = 4 * column + 1.5, 4 * row + 1.5
        record["quads"][i] = [(x - 11, y - 16), (x + 11, y - 16), (x + 11, y + 16), (x - 11, y + 16)]
    record["visible"][:2] = 1.0
    both, one, ghost = maps_with((10, 10), (30, 40)), maps_with((30, 40)), maps_with((10, 10), (30, 40), (50, 5))
    assert compare("detector", Answers(both), Answers(one), [record]) == Comparison(1.0, 0.5, 0.5)
    assert compare("detector", Answers(both), Answers(ghost), [record]) == Comparison(1.0, 2 / 3, 1.0)


def test_little_is_lost_or_the_twin_is_not_used() -> None:
    assert Comparison(0.9, 0.9 - quantise.MOST_LOST / 2, 0.99).acceptable
    assert not Comparison(0.9, 0.9 - 2 * quantise.MOST_LOST, 0.99).acceptable


@pytest.mark.parametrize("good", [True, False], ids=["as good", "worse"])
def test_a_twin_is_used_where_it_is_as_good(good: bool, models: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The twin is played by the original, or by one whose verdicts were measured to be worse."""

    def samples(name: str, seed: int) -> Iterator[Any]:
        del name, seed
        return iter(labelled(*[3] * 4000))

    monkeypatch.setattr(quantise, "source", samples)
    monkeypatch.setattr(quantise, "quantised", lambda _name, data, _samples: data)
    monkeypatch.setattr(quantise, "compare", lambda *_: Comparison(0.9, 0.9 if good else 0.8, 0.9))
    before = read_manifest(models).precise()
    lines = list(quantise_models(models, keep=["detector"]))
    after = read_manifest(models)
    assert after.precise() == before
    assert after.models["detector"] == before.models["detector"]
    assert not (models / "detector.int8.onnx").exists()
    assert (models / "reader.int8.onnx").exists() == good
    assert after.models["reader"].file == ("reader.int8.onnx" if good else "reader.onnx")
    assert ("not as good" in lines[-1]) != good
    for name in ("detector", "reader"):
        load_model(name, after, models, threads=1)


def test_a_manifest_without_twins_is_its_own_original() -> None:
    manifest = Manifest({}, {"present_from": 0.5})
    assert manifest.precise() == manifest
