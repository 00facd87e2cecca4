"""The mean of two trainings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="training needs torch (pip install tileref[train])")
pytest.importorskip("onnx", reason="training needs onnx (pip install tileref[train])")

from vision.model_store import OnnxModel, load_model, read_manifest  # noqa: E402
from vision.training.average import average_models, averaged  # noqa: E402
from vision.training.detector_net import DetectorNet  # noqa: E402
from vision.training.export import export_models, onnx_of  # noqa: E402
from vision.training.reader_net import ReaderNet  # noqa: E402


def reader(seed: int, scale: float = 1.0) -> dict[str, Any]:
    torch.manual_seed(seed)
    weights = ReaderNet().eval().state_dict()
    return {name: value * scale if "heads" in name else value for name, value in weights.items()}


def test_the_mean_of_a_network_and_itself_is_that_network() -> None:
    data = onnx_of("reader", reader(1), {})
    crops = np.random.default_rng(1).normal(0, 1, (4, 3, 64, 48)).astype(np.float32)
    for one, other in zip(OnnxModel(data).run(crops), OnnxModel(averaged(data, data)).run(crops), strict=True):
        np.testing.assert_allclose(one, other, atol=1e-4)


def test_last_layers_are_averaged() -> None:
    once, thrice = onnx_of("reader", reader(1), {}), onnx_of("reader", reader(1, 3.0), {})
    crops = np.random.default_rng(2).normal(0, 1, (4, 3, 64, 48)).astype(np.float32)
    single, mean = OnnxModel(once).run(crops)[0], OnnxModel(averaged(once, thrice)).run(crops)[0]
    np.testing.assert_allclose(mean, 2 * single, rtol=1e-3, atol=1e-4)


def test_networks_with_other_layers_are_refused() -> None:

    with pytest.raises(ValueError, match="differ in their layers"):
        averaged(onnx_of("reader", reader(1), {}), onnx_of("detector", DetectorNet().eval().state_dict(), {}))


def test_the_manifest_knows_the_means(tmp_path: Path) -> None:
    for k, folder in enumerate(("here", "there")):
        (tmp_path / folder).mkdir()
        torch.save({"averaged": reader(k), "steps": k}, tmp_path / folder / "reader.pt")
        export_models(tmp_path / folder, tmp_path / folder)
    before = read_manifest(tmp_path / "here").models["reader"]
    lines = list(average_models(tmp_path / "there", tmp_path / "here"))
    assert len(lines) == 1
    assert read_manifest(tmp_path / "here").models["reader"].sha256 != before.sha256
    load_model("reader", read_manifest(tmp_path / "here"), tmp_path / "here")  # refused where the checksum is wrong
