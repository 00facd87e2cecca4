"""A network that starts from released weights computes what the released file does, and can be trained on."""

from __future__ import annotations

import numpy as np
import pytest

from vision.model_store import load_model, models_folder, read_manifest

torch = pytest.importorskip("torch", reason="torch comes with the training tools only")
pytest.importorskip("onnx", reason="onnx comes with the training tools only")

from vision.training.detector_net import DetectorGraph, DetectorNet  # noqa: E402  after the check for torch
from vision.training.reader_net import ReaderNet  # noqa: E402
from vision.training.warm_start import start_from_release  # noqa: E402

CLOSE = 2e-3
"""Outputs reach 20; they differ by the rounding of other kernels only."""


def test_a_reader_starts_as_the_released_one() -> None:
    torch.manual_seed(1)
    crops = torch.randn(64, 3, 64, 48)
    net = ReaderNet()
    start_from_release(net, "reader", models_folder(), crops)
    assert net.training
    with torch.no_grad():
        fresh, started, training = ReaderNet().eval()(crops), net.eval()(crops), net.train()(crops)
    released = load_model("reader", read_manifest(models_folder()).precise()).run(crops.numpy())
    for mine, unlike, wanted in zip(started, fresh, released[:4], strict=True):
        np.testing.assert_allclose(mine.numpy(), wanted, atol=CLOSE)
        assert np.abs(unlike.numpy() - wanted).max() > 20 * CLOSE
    moved = (training[0].argmax(1) != started[0].argmax(1)).float().mean()
    assert moved < 0.15, "the first training steps start from much the same opinions"


def test_a_detector_starts_as_the_released_one() -> None:
    torch.manual_seed(1)
    pictures = torch.randint(0, 255, (6, 64, 96, 3), dtype=torch.uint8)
    net = DetectorNet()
    start_from_release(net, "detector", models_folder(), pictures.permute(0, 3, 1, 2).float())
    with torch.no_grad():
        started = DetectorGraph(net).eval()(pictures)
    released = load_model("detector", read_manifest(models_folder()).precise()).run(pictures.numpy())[0]
    np.testing.assert_allclose(started.numpy(), released, atol=CLOSE)


def test_a_file_of_another_network_is_refused() -> None:
    with pytest.raises(ValueError, match=r"the file has 1\d layers"):
        start_from_release(DetectorNet(), "reader", models_folder(), torch.zeros(1, 3, 64, 64))
