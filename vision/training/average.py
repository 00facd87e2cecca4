"""The mean of two trainings of the same networks.

Weights that a further training has moved and those that it started from make different mistakes; half way between them
lies a network that makes fewer (Wortsman et al., "Model soups", 2022).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import onnx
from onnx import numpy_helper

from vision.model_store import MANIFEST_NAME, manifest_text, read_manifest, write_atomically


def averaged(first: bytes, second: bytes) -> bytes:
    """An ONNX file with the mean weights of two, which must have the same layers; all else is the second's.

    Raises ``ValueError`` where the layers differ.
    """
    theirs, result = onnx.load_model_from_string(first), onnx.load_model_from_string(second)
    here, there = _weights(result), _weights(theirs)
    shapes = [[list(tensor.dims) for tensor in tensors] for tensors in (here, there)]
    if shapes[0] != shapes[1]:
        raise ValueError("the two networks differ in their layers")
    for mine, other in zip(here, there, strict=True):
        mean = (numpy_helper.to_array(mine) + numpy_helper.to_array(other)) / 2
        mine.CopyFrom(numpy_helper.from_array(mean.astype(np.float32), mine.name))
    return bytes(result.SerializeToString())


def _weights(model: onnx.ModelProto) -> list[onnx.TensorProto]:
    """Weights and biases of the layers, in the order in which they are used."""
    known = {tensor.name: tensor for tensor in model.graph.initializer}
    layers = [node for node in model.graph.node if node.op_type in {"Conv", "Gemm"}]
    return [known[name] for layer in layers for name in layer.input if name in known]


def average_models(others: Path, models: Path) -> Iterator[str]:
    """Replace the networks in the folder ``models`` by their means with those in ``others``; a line for each."""
    manifest, elsewhere = read_manifest(models).precise(), read_manifest(others).precise()
    entries = dict(manifest.models)
    for name, entry in manifest.models.items():
        first, second = (others / elsewhere.models[name].file).read_bytes(), (models / entry.file).read_bytes()
        data = averaged(first, second)
        write_atomically(models / entry.file, data)
        entries[name] = replace(entry, sha256=hashlib.sha256(data).hexdigest())
        yield f"{name}: the mean of {others / elsewhere.models[name].file} and what was in {models}"
    write_atomically(models / MANIFEST_NAME, manifest_text(replace(manifest, models=entries)).encode("utf-8"))
