"""The networks on disk: a manifest with checksums, and sessions that run them.

``models/manifest.toml`` names each network's file, its SHA-256 and version, and holds the ``[reading]`` table of
calibrated temperatures and thresholds.  Where the network that is used is a smaller twin in whole numbers, its original
in floating point stands under ``[full_precision]``: training goes on from it, and the bench compares with it.  A file
that is missing or is not the one of the manifest is refused.
"""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import onnxruntime
from numpy.typing import NDArray

MANIFEST_NAME = "manifest.toml"
DEFAULT_THREADS = 2


class ModelError(RuntimeError):
    """A network cannot be used; the message is one sentence that names the file and the cause."""


class Model(Protocol):
    """A network: one input array in, its output arrays out."""

    def run(self, batch: NDArray[Any]) -> list[NDArray[np.float32]]:
        """Outputs in the network's own order; the first axis of all arrays is the batch."""


@dataclass(frozen=True, slots=True)
class ModelEntry:
    """One network of the manifest: its file name within the folder, checksum and version."""

    file: str
    sha256: str
    version: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """The networks by name, the numbers that calibration fitted to them, and originals of those in whole numbers."""

    models: Mapping[str, ModelEntry]
    reading: Mapping[str, float] = field(default_factory=dict)
    full_precision: Mapping[str, ModelEntry] = field(default_factory=dict)

    def precise(self) -> Manifest:
        """The same with every network in floating point."""
        return replace(self, models={**self.models, **self.full_precision}, full_precision={})


def models_folder() -> Path:
    """The folder ``models`` beside the packages."""
    return Path(__file__).resolve().parents[1] / "models"


def read_manifest(folder: Path) -> Manifest:
    """Read ``manifest.toml`` of a folder; ``ModelError`` when it is missing or not understood."""
    path = folder / MANIFEST_NAME
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ModelError(f"{path} is missing, so no network can be loaded.") from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ModelError(f"{path} cannot be read: {error}.") from None
    try:
        models, originals = (
            {
                name: ModelEntry(file=str(row["file"]), sha256=str(row["sha256"]), version=str(row["version"]))
                for name, row in rows.items()
            }
            for rows in (table["models"], table.get("full_precision", {}))
        )
        reading = {name: float(value) for name, value in table.get("reading", {}).items()}
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ModelError(f"{path} is not a manifest of models: {error!r}.") from None
    return Manifest(models=models, reading=reading, full_precision=originals)


def manifest_text(manifest: Manifest) -> str:
    """The manifest as TOML; ``read_manifest`` reads it back to an equal one."""
    lines = ["# Written by `python -m vision.training export`; checked whenever a network is loaded."]
    for table, entries in (("models", manifest.models), ("full_precision", manifest.full_precision)):
        for name, entry in entries.items():
            lines += [
                "",
                f"[{table}.{name}]",
                f'file = "{entry.file}"',
                f'sha256 = "{entry.sha256}"',
                f'version = "{entry.version}"',
            ]
    lines += ["", "[reading]"] + [f"{name} = {value!r}" for name, value in manifest.reading.items()]
    return "\n".join(lines) + "\n"


def write_atomically(path: Path, data: bytes) -> None:
    """Write a model or its manifest so that a crash leaves the old one whole."""
    partial = path.with_name(path.name + ".part")
    partial.write_bytes(data)
    partial.replace(path)


class OnnxModel:
    """A network run by onnxruntime on the CPU."""

    def __init__(self, data: bytes, threads: int = DEFAULT_THREADS, abreast: bool = False) -> None:
        """With ``abreast`` the ``threads`` do one batch each (see ``run_all``), without it they share each batch."""
        self.pool = ThreadPoolExecutor(threads, "network") if abreast and threads > 1 else None
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1 if abreast else threads
        options.inter_op_num_threads = 1
        # its own store of memory never shrinks and grows with every new size of picture: a club evening long
        options.enable_cpu_mem_arena = False
        # threads that wait for work by spinning take the cores from everything else, and from the next network
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        self._session = onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])
        self._input = self._session.get_inputs()[0].name

    @property
    def metadata(self) -> dict[str, str]:
        """What the file says about itself: classes, input size, padding, version."""
        return dict(self._session.get_modelmeta().custom_metadata_map)

    def run(self, batch: NDArray[Any]) -> list[NDArray[np.float32]]:
        """All outputs for one input batch."""
        return [np.asarray(output, np.float32) for output in self._session.run(None, {self._input: batch})]


def run_all(model: Model, batches: Sequence[Callable[[], NDArray[Any]]]) -> list[list[NDArray[np.float32]]]:
    """The network's outputs for each batch; a batch is made by the thread that runs it."""
    pool = model.pool if isinstance(model, OnnxModel) else None
    return list((map if pool is None else pool.map)(lambda batch: model.run(batch()), batches))


def load_model(
    name: str,
    manifest: Manifest,
    folder: Path | None = None,
    classes: Sequence[str] | None = None,
    threads: int = DEFAULT_THREADS,
    abreast: bool = False,
) -> OnnxModel:
    """Load one network of the manifest after checking its SHA-256 and, where given, the class list in its metadata.

    ``abreast`` is for a network that is run on many small inputs: each thread then takes some of them.
    ``ModelError`` when one of them is wrong.
    """
    entry = manifest.models.get(name)
    where = folder or models_folder()
    if entry is None:
        raise ModelError(f"{where / MANIFEST_NAME} names no model called {name}.")
    path = where / entry.file
    try:
        data = path.read_bytes()
    except OSError:
        raise ModelError(f"The model {path} is missing or cannot be read.") from None
    if hashlib.sha256(data).hexdigest() != entry.sha256:
        raise ModelError(f"The model {path} is not the file that {MANIFEST_NAME} describes (SHA-256 differs).")
    try:
        model = OnnxModel(data, threads, abreast)
    except Exception as error:  # noqa: BLE001 - onnxruntime raises many unrelated types for a file it cannot use
        raise ModelError(f"The model {path} cannot be loaded: {str(error).splitlines()[0].rstrip('.')}.") from None
    if classes is not None and model.metadata.get("classes") != ",".join(classes):
        raise ModelError(f"The model {path} is of another kind: its classes are not those of the {name}.")
    return model
