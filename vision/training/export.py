"""From training checkpoints to the ONNX files that the product loads, with their manifest."""

from __future__ import annotations

import hashlib
import io
import warnings
from collections.abc import Mapping
from pathlib import Path

import onnx
import torch
from torch import nn

from vision import detect, read, rectify
from vision.model_store import (
    MANIFEST_NAME,
    Manifest,
    ModelEntry,
    ModelError,
    manifest_text,
    read_manifest,
    write_atomically,
)
from vision.training.detector_net import DetectorGraph, DetectorNet
from vision.training.loop import checkpoint_path
from vision.training.reader_net import ReaderGraph, ReaderNet

VERSION = "1"
OPSET = 17
UNCALIBRATED = {"number_temperature": 1.0, "colour_temperature": 1.0}

DETECTOR_METADATA = {
    "classes": ",".join(detect.CHANNEL_NAMES),
    "input": "uint8 (batch, height, width, 3) BGR",
    "stride": str(detect.STRIDE),
    "padding_multiple": str(detect.PADDING_MULTIPLE),
    "tile_height_px": str(detect.FINAL_TILE_HEIGHT_PX),
}
READER_METADATA = {
    "classes": ",".join(read.NUMBER_CLASSES),
    "colours": ",".join(read.COLOUR_CLASSES),
    "input": f"float32 (batch, 3, {rectify.CROP_HEIGHT}, {rectify.CROP_WIDTH}) BGR over the tile's own body",
    "padding": str(rectify.CROP_PAD),
}


def export_models(output: Path, models: Path) -> list[str]:
    """Export the networks whose checkpoints lie in ``output``; a line for each file written.

    A network without a checkpoint keeps its file and its manifest entry.  Calibrated numbers are kept as well, since
    only calibration knows better ones.
    """
    models.mkdir(parents=True, exist_ok=True)
    try:
        known = read_manifest(models)
    except ModelError:
        known = Manifest(models={}, reading=UNCALIBRATED)
    entries, originals = dict(known.models), dict(known.full_precision)
    lines = []
    for name in ("detector", "reader"):
        path = checkpoint_path(output, name)
        if not path.exists():
            lines.append(f"{name}: no checkpoint in {output}")
            continue
        state = torch.load(path, weights_only=True)
        data = onnx_of(name, state["averaged"], {"version": VERSION, "training_steps": str(state["steps"])})
        write_atomically(models / f"{name}.onnx", data)
        entries[name] = ModelEntry(f"{name}.onnx", hashlib.sha256(data).hexdigest(), VERSION)
        originals.pop(name, None)
        lines.append(f"{name}: {len(data) / 1e6:.2f} MB after {state['steps']} steps")
    manifest = Manifest(models=entries, reading=known.reading or UNCALIBRATED, full_precision=originals)
    write_atomically(models / MANIFEST_NAME, manifest_text(manifest).encode("utf-8"))
    return lines


def onnx_of(name: str, weights: Mapping[str, torch.Tensor], about: Mapping[str, str]) -> bytes:
    """One network as an ONNX file with its metadata. ``name`` is ``detector`` or ``reader``."""
    if name == "detector":
        net = DetectorNet()
        net.load_state_dict(weights)
        picture = torch.zeros(1, 64, 96, 3, dtype=torch.uint8)
        axes = {"pictures": {0: "batch", 1: "height", 2: "width"}, "maps": {0: "batch", 2: "rows", 3: "columns"}}
        data = traced(DetectorGraph(net), picture, ["pictures"], ["maps"], axes)
        return with_metadata(data, DETECTOR_METADATA | dict(about))
    reader = ReaderNet()
    reader.load_state_dict(weights)
    crops = torch.zeros(2, 3, rectify.CROP_HEIGHT, rectify.CROP_WIDTH)
    outputs = ["numbers", "colours", "upside", "corners", "features"]
    axes = {key: {0: "batch"} for key in ["crops", *outputs]}
    return with_metadata(traced(ReaderGraph(reader), crops, ["crops"], outputs, axes), READER_METADATA | dict(about))


def traced(
    net: nn.Module, example: torch.Tensor, inputs: list[str], outputs: list[str], axes: dict[str, dict[int, str]]
) -> bytes:
    """The network as ONNX, its batch norms folded into the convolutions."""
    buffer = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the tracing exporter announces its successor
        torch.onnx.export(
            net.eval(),
            (example,),
            buffer,
            input_names=inputs,
            output_names=outputs,
            dynamic_axes=axes,
            opset_version=OPSET,
            dynamo=False,
        )
    return buffer.getvalue()


def with_metadata(data: bytes, about: Mapping[str, str]) -> bytes:
    """An ONNX file with these properties in its metadata."""
    model = onnx.load_model_from_string(data)
    onnx.helper.set_model_props(model, dict(about))
    onnx.checker.check_model(model)
    return bytes(model.SerializeToString())
