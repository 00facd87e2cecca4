"""A network that starts from released weights computes what the released file does, and can be trained on."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import numpy as np, torch
from pathlib import Path
from vision.model_store import load_model, models_folder, read_manifest
from vision.training.{name}_net import {kind}
from vision.training.warm_start import start_from_release

torch.set_num_threads(1)
torch.manual_seed(1)
folder = models_folder()
net = {kind}()
batch = {batch}
start_from_release(net, "{name}", folder, batch)
assert net.training
with torch.no_grad():
    started = {outputs}
file = load_model("{name}", read_manifest(folder), folder)
for mine, released in zip(started, file.run(None, {{file.get_inputs()[0].name: {fed}}}), strict=True):
    np.testing.assert_allclose(mine.numpy(), released, atol=2e-3)
net.train()
with torch.no_grad():
    training = net(batch)
apart = {apart}
assert apart < 0.05, apart
"""
READER = {
    "name": "reader",
    "kind": "ReaderNet",
    "batch": "torch.randn(64, 3, 64, 48)",
    "outputs": "net.eval()(batch)",
    "fed": "batch.numpy()",
    "apart": "float((training[0].argmax(1) != started[0].argmax(1)).float().mean())",
}
DETECTOR = {
    "name": "detector",
    "kind": "DetectorNet",
    "batch": "torch.randint(0, 255, (8, 3, 64, 96)).float()",
    "outputs": ("[torch.cat([torch.sigmoid(raw[:, :1]), raw[:, 1:]], dim=1) for raw in [net.eval()(batch)]]"),
    "fed": "batch.permute(0, 2, 3, 1).numpy().astype(np.uint8)",
    "apart": "float((torch.sigmoid(training[:, :1]) - started[0][:, :1]).abs().mean())",
}


@pytest.mark.parametrize("case", [READER, DETECTOR], ids=["reader", "detector"])
def test_the_start_computes_what_the_release_does(case: dict[str, str]) -> None:
    pytest.importorskip("torch", reason="torch comes with the training tools only")
    program = PROGRAM.format(**case)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False,
                          cwd=Path(__file__).parents[2])  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]


def test_a_file_of_another_shape_is_refused() -> None:
    pytest.importorskip("torch", reason="torch comes with the training tools only")
    program = (
        "import torch\n"
        "from vision.model_store import models_folder\n"
        "from vision.training.detector_net import DetectorNet\n"
        "from vision.training.warm_start import start_from_release\n"
        "start_from_release(DetectorNet(), 'reader', models_folder(), torch.zeros(1, 3, 64, 64))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False,
                          cwd=Path(__file__).parents[2])  # fmt: skip
    assert "ValueError: the file has" in done.stderr
