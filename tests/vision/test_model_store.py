"""A network is loaded only when it is the file that the manifest describes."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.conftest import REPOSITORY
from vision.detect import CHANNEL_NAMES, OUTPUT_CHANNELS
from vision.model_store import (
    MANIFEST_NAME,
    Manifest,
    ModelEntry,
    ModelError,
    load_model,
    manifest_text,
    models_folder,
    read_manifest,
)
from vision.read import COLOUR_CLASSES, NUMBER_CLASSES, in_parts, white_balanced


def entry_for(data: bytes) -> ModelEntry:
    return ModelEntry("net.onnx", hashlib.sha256(data).hexdigest(), "1")


def test_manifest_reads_back_as_written(tmp_path: Path) -> None:
    manifest = Manifest(
        models={"detector": ModelEntry("d.onnx", "ab" * 32, "3"), "reader": ModelEntry("r.onnx", "cd" * 32, "1")},
        reading={"number_temperature": 1.25, "doubt_below": 1e-05},
        full_precision={"reader": ModelEntry("float.onnx", "ef" * 32, "1")},
    )
    (tmp_path / MANIFEST_NAME).write_text(manifest_text(manifest), encoding="utf-8")
    assert read_manifest(tmp_path) == manifest


def test_the_precise_networks_stand_in_for_their_twins() -> None:
    detector, twin, reader = (ModelEntry(f"{name}.onnx", "ab" * 32, "1") for name in ("d", "r8", "r"))
    manifest = Manifest({"detector": detector, "reader": twin}, {"present_from": 0.5}, {"reader": reader})
    assert manifest.precise() == Manifest({"detector": detector, "reader": reader}, {"present_from": 0.5})


def test_missing_manifest_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"manifest\.toml is missing"):
        read_manifest(tmp_path)


@pytest.mark.parametrize(
    "text", ["models = [", "[reading]\nx = 1\n", "[models.detector]\nfile = 'a'\n", "models = 3\n"]
)
def test_broken_manifest_is_one_sentence(tmp_path: Path, text: str) -> None:
    (tmp_path / MANIFEST_NAME).write_text(text, encoding="utf-8")
    with pytest.raises(ModelError) as caught:
        read_manifest(tmp_path)
    assert str(tmp_path / MANIFEST_NAME) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_missing_model_file_is_named(tmp_path: Path) -> None:
    manifest = Manifest({"reader": entry_for(b"")})
    with pytest.raises(ModelError, match=r"net\.onnx is missing"):
        load_model("reader", manifest, tmp_path)


def test_unknown_name_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="no model called reader"):
        load_model("reader", Manifest({}), tmp_path)


def test_changed_model_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "net.onnx").write_bytes(b"other weights")
    with pytest.raises(ModelError, match="SHA-256"):
        load_model("reader", Manifest({"reader": entry_for(b"weights")}), tmp_path)


def test_file_that_is_no_network_is_refused(tmp_path: Path) -> None:
    (tmp_path / "net.onnx").write_bytes(b"not a network")
    with pytest.raises(ModelError, match="cannot be loaded") as caught:
        load_model("reader", Manifest({"reader": entry_for(b"not a network")}), tmp_path)
    assert "\n" not in str(caught.value)


def test_bundled_networks_are_the_manifests_and_small() -> None:
    folder = models_folder()
    manifest = read_manifest(folder)
    assert set(manifest.models) == {"detector", "reader"}
    sizes = [(folder / entry.file).stat().st_size for entry in manifest.models.values()]
    assert sum(sizes) < 12e6
    for name, entry in manifest.models.items():
        assert load_model(name, manifest, threads=1).metadata["version"] == entry.version


def test_bundled_reader_names_the_classes_that_the_code_uses() -> None:
    model = load_model("reader", read_manifest(models_folder()), threads=1)
    assert tuple(model.metadata["classes"].split(",")) == NUMBER_CLASSES
    assert tuple(model.metadata["colours"].split(",")) == COLOUR_CLASSES
    outputs = model.run(np.zeros((3, 3, 64, 48), np.float32))
    assert [output.shape for output in outputs] == [(3, 17), (3, 4), (3, 1), (3, 8), (3, 192)]


@pytest.mark.parametrize("count", [1, 2, 5, 49, 81])
def test_crops_read_by_several_threads_say_what_one_reads(count: int) -> None:
    manifest = read_manifest(models_folder())
    crops = np.random.default_rng(count).integers(0, 256, (count, 64, 48, 3)).astype(np.uint8)
    one, three = (load_model("reader", manifest, threads=threads, abreast=True) for threads in (1, 3))
    alone, shared = (in_parts(model, count, lambda part: white_balanced(crops[part])) for model in (one, three))
    for ours, theirs in zip(alone, shared, strict=True):
        np.testing.assert_array_equal(ours, theirs)
    for k in {0, count // 2, count - 1}:
        for each, among in zip(one.run(white_balanced(crops[k : k + 1])), shared, strict=True):
            np.testing.assert_allclose(each[0], among[k], atol=1e-4)


def test_bundled_detector_takes_pictures_of_any_padded_size() -> None:
    model = load_model("detector", read_manifest(models_folder()), threads=1)
    assert tuple(model.metadata["classes"].split(",")) == CHANNEL_NAMES
    for height, width in ((64, 96), (160, 32)):
        maps = model.run(np.zeros((1, height, width, 3), np.uint8))[0]
        assert maps.shape == (1, OUTPUT_CHANNELS, height // 4, width // 4)


def test_networks_tell_nobody_that_they_run(tmp_path: Path) -> None:
    """What onnxruntime would send it first writes under the home folder, but for programs that it takes for tests."""
    told = {"CI", "ORT_DISABLE_TELEMETRY", "ORT_RUNNING_UNIT_TESTS"} | {"XDG_CACHE_HOME", "XDG_DATA_HOME"}
    around = {name: value for name, value in os.environ.items() if name not in told} | {"HOME": str(tmp_path)}
    script = "from vision import model_store as m; m.load_model('reader', m.read_manifest(m.models_folder()))"
    subprocess.run([sys.executable, "-c", script], cwd=REPOSITORY, env=around, check=True, timeout=120)
    assert list(tmp_path.rglob("*")) == []
