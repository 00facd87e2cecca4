"""Smaller, faster twins of the exported networks: whole numbers of eight bits in the convolutions.

The range of every layer is measured on pictures of the training renderer (and of labelled photos of the ``train`` part,
where there are photos).  The layers that give the answers stay in floating point, so that opinions, corners and the
reader's features keep their fine steps; so do sums, where a step lost is lost for all layers that follow.  Weights keep
to seven bits: processors without VNNI add two products in sixteen bits, which eight-bit weights overflow
(255 · 127 · 2 > 32767 ≥ 255 · 64 · 2).
"""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static
from onnxruntime.quantization.shape_inference import quant_pre_process

from vision.detect import DEFAULT_THRESHOLD, decode
from vision.model_store import (
    MANIFEST_NAME,
    Model,
    ModelEntry,
    OnnxModel,
    load_model,
    manifest_text,
    read_manifest,
    write_atomically,
)
from vision.read import JOKER, white_balanced
from vision.training.samples import detector_samples, reader_samples

NETWORKS = ("detector", "reader")
PRECISION = "precision"
"""Name of the metadata entry that tells a twin from its original."""
MEASURED_ON = {"detector": 400, "reader": 1000}
"""So many samples show how far the values of each layer reach."""
COMPARED_ON = {"detector": 300, "reader": 2000}
"""So many others show whether the twin is as good."""
BATCH = 64
MOST_LOST = 0.003
"""A twin that is right on this much less of the samples than its original is not used; chance alone moves 0.0013."""
_FIRST_LAYERS = 2
"""So many convolutions nearest to the picture stay in floating point: cheap ones, through which all others see."""
_WELL_IN_VIEW = 0.9
_SAME_PLACE = 0.3
"""A tile is found when a detection's centre lies within this many tile heights of its own."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Shares of samples on which a network and its twin are right, and on which their verdicts are the same."""

    original: float
    twin: float
    agreeing: float

    @property
    def acceptable(self) -> bool:
        """Whether nothing worth mentioning is lost."""
        return self.original - self.twin <= MOST_LOST


class _Inputs(CalibrationDataReader):
    """Hands the quantiser one input after the other."""

    def __init__(self, name: str, inputs: Sequence[NDArray[Any]]) -> None:
        self._left = iter({name: each} for each in inputs)

    def get_next(self) -> dict[str, NDArray[Any]] | None:
        return next(self._left, None)


def quantise_models(models: Path, keep: Sequence[str] = (), seed: int = 7) -> Iterator[str]:
    """Make the twins of the networks in the folder ``models`` and enter them into its manifest; a line for each.

    The networks named in ``keep``, and those whose twin sees less, stay the ones that are used.
    """
    manifest = read_manifest(models).precise()
    used, originals = dict(manifest.models), {}
    for name in NETWORKS:
        twin_path = models / f"{name}.int8.onnx"
        if name in keep:
            yield f"{name}: stays in floating point, as asked"
            continue
        data = (models / used[name].file).read_bytes()
        load_model(name, manifest, models)  # refuses a file that is not the one of the manifest
        samples = list(islice(source(name, seed), MEASURED_ON[name] + COMPARED_ON[name]))
        twin = quantised(name, data, samples[: MEASURED_ON[name]])
        result = compare(name, OnnxModel(data), OnnxModel(twin), samples[MEASURED_ON[name] :])
        yield (
            f"{name}: {len(data) / 1e6:.2f} MB to {len(twin) / 1e6:.2f} MB; right {result.original:.4f}, "
            f"twin {result.twin:.4f}, same verdict {result.agreeing:.4f}"
        )
        if not result.acceptable:
            yield f"{name}: the twin is not as good, so the network stays in floating point"
            continue
        write_atomically(twin_path, twin)
        originals[name] = used[name]
        used[name] = ModelEntry(twin_path.name, hashlib.sha256(twin).hexdigest(), used[name].version)
    fresh = replace(manifest, models=used, full_precision=originals)
    write_atomically(models / MANIFEST_NAME, manifest_text(fresh).encode("utf-8"))
    for name in set(NETWORKS) - set(originals):
        (models / f"{name}.int8.onnx").unlink(missing_ok=True)


def source(name: str, seed: int) -> Iterator[Any]:
    """Endless training samples of a network; their seed is none that training uses."""
    rng = np.random.default_rng([seed, 8])
    return detector_samples(rng) if name == "detector" else reader_samples(rng)


def quantised(name: str, data: bytes, samples: Sequence[Any]) -> bytes:
    """The twin of a network (an ONNX file); ``samples`` are typical inputs as training draws them."""
    model = onnx.load_model_from_string(data)
    first = [node.name for node in model.graph.node if node.op_type == "Conv"][:_FIRST_LAYERS]
    answers = [node.name for node in model.graph.node if node.op_type == "Gemm" or "heads" in node.name]
    with tempfile.TemporaryDirectory() as folder:
        original, prepared, twin = (Path(folder) / f"{step}.onnx" for step in ("original", "prepared", "twin"))
        original.write_bytes(data)
        quant_pre_process(original, prepared, skip_symbolic_shape=True)
        quantize_static(
            prepared,
            twin,
            _Inputs(model.graph.input[0].name, list(batches(name, samples))),
            quant_format=QuantFormat.QDQ,
            activation_type=QuantType.QUInt8,
            weight_type=QuantType.QInt8,
            per_channel=True,
            reduce_range=True,
            op_types_to_quantize=["Conv"],
            nodes_to_exclude=[*first, *answers],
        )
        result = onnx.load(twin)
    about = {entry.key: entry.value for entry in model.metadata_props} | {PRECISION: "int8"}
    onnx.helper.set_model_props(result, about)
    onnx.checker.check_model(result)
    return bytes(result.SerializeToString())


def batches(name: str, samples: Sequence[Any]) -> Iterator[NDArray[Any]]:
    """Samples as inputs of the network: pictures one by one, crops in batches."""
    if name == "detector":
        yield from (sample["image"][None] for sample in samples)
        return
    for start in range(0, len(samples), BATCH):
        yield white_balanced(np.stack([sample["crop"] for sample in samples[start : start + BATCH]]))


def compare(name: str, original: Model, twin: Model, samples: Sequence[Any]) -> Comparison:
    """How a network and its twin do on labelled samples."""
    if name == "detector":
        (seen, alarms), (seen_by_twin, alarms_of_twin) = (finds(model, samples) for model in (original, twin))
        return Comparison(
            float(seen.sum() / (len(seen) + alarms)),
            float(seen_by_twin.sum() / (len(seen) + alarms_of_twin)),
            float((seen == seen_by_twin).mean()),
        )
    read, read_by_twin = (reads(model, samples) for model in (original, twin))
    same = (read[0] == read_by_twin[0]) & ((read[1] == read_by_twin[1]) | (read[0] >= JOKER))
    return Comparison(
        float(rightly(read, samples).mean()), float(rightly(read_by_twin, samples).mean()), float(same.mean())
    )


def finds(detector: Model, samples: Sequence[Any]) -> tuple[NDArray[np.bool_], int]:
    """Whether each tile of the samples that is well in view was found, and how many detections lie on no tile."""
    found: list[NDArray[np.bool_]] = []
    alarms = 0
    for picture, sample in zip(batches("detector", samples), samples, strict=True):
        places = decode(detector.run(picture)[0][0], DEFAULT_THRESHOLD).quads.mean(axis=1)
        quads = sample["quads"][: sample["count"]]
        reach = np.linalg.norm(quads[:, 0] - quads[:, 3], axis=1) * _SAME_PLACE
        near = np.linalg.norm(quads.mean(axis=1)[:, None] - places[None], axis=2) < reach[:, None]
        found.append(near.any(axis=1)[sample["visible"][: sample["count"]] >= _WELL_IN_VIEW])
        alarms += int((~near.any(axis=0)).sum())
    return np.concatenate(found), alarms


def reads(reader: Model, samples: Sequence[Any]) -> NDArray[np.int64]:
    """The likeliest number and colour of each sample, (2, N)."""
    outputs = [reader.run(batch) for batch in batches("reader", samples)]
    return np.stack([np.concatenate([output[k] for output in outputs]).argmax(axis=1) for k in (0, 1)])


def rightly(read: NDArray[np.int64], samples: Sequence[Any]) -> NDArray[np.bool_]:
    """Whether number and colour (2, N) are the samples' own, (N,); a colour counts only where there is one."""
    number, colour = (np.array([sample[key] for sample in samples]) for key in ("number", "colour"))
    return np.asarray((read[0] == number) & ((read[1] == colour) | (colour < 0)), np.bool_)
