"""What else could read a table, timed on the same picture in the same run: tesseract, RapidOCR, a small detector.

Each gives its lines of the table, or says that it is not installed.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.model_store import OnnxModel
from vision.rectify import rectify
from vision.second_reader import SecondReader, TooSlowError

Image = NDArray[np.uint8]
Clock = Callable[[Callable[[], object]], float]
"""Median milliseconds of a piece of work."""


@dataclass(frozen=True, slots=True)
class Truth:
    """The number tiles of a picture: numbers (N,) and true quads (N, 4, 2)."""

    numbers: tuple[int, ...]
    quads: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Yardstick:
    """What was timed, and for how long; None where it is not installed."""

    what: str
    ms: float | None


def tesseract(image: Image, truth: Truth, clock: Clock) -> Yardstick:
    """Every tile, cut out at its true quad, in one call."""
    second = SecondReader.find()
    if second is None:
        return Yardstick("tesseract on every tile", None)
    crops = list(rectify(image, truth.quads, 72, 96))
    try:
        opinions = second.read(crops)
        took = clock(lambda: second.read(crops))
    except TooSlowError:
        return Yardstick("tesseract on every tile, stopped after ten seconds", 10_000.0)
    right = sum(opinion == number for opinion, number in zip(opinions, truth.numbers, strict=True))
    return Yardstick(
        f"tesseract on every tile, true quads given ({right / len(crops):.0%} of the numbers, no colours)",
        took,
    )


def rapid_ocr(image: Image, truth: Truth, threads: int, clock: Clock) -> Yardstick:
    """The whole picture."""
    try:
        engine = import_module("rapidocr_onnxruntime").RapidOCR(intra_op_num_threads=threads, inter_op_num_threads=1)
        name = f"RapidOCR {version('rapidocr-onnxruntime')}"
    except (ImportError, PackageNotFoundError):
        return Yardstick("RapidOCR on the whole picture", None)
    logging.getLogger("RapidOCR").setLevel(logging.ERROR)
    read, _ = engine(image)
    words = [(text, np.mean(box, axis=0)) for box, text, _ in read or ()]
    right = numbers_found(words, truth) / len(truth.numbers)
    return Yardstick(
        f"{name} on the whole picture ({right:.0%} of the numbers, no colours)", clock(lambda: engine(image))
    )


def numbers_found(words: Sequence[tuple[str, NDArray[np.floating]]], truth: Truth) -> int:
    """How many tiles have their number read within their quad; a word is its text and the middle of its box."""
    return sum(
        any(
            text.strip() == str(number) and cv2.pointPolygonTest(quad, (float(middle[0]), float(middle[1])), False) >= 0
            for text, middle in words
        )
        for number, quad in zip(truth.numbers, truth.quads.astype(np.float32), strict=True)
    )


def nano(image: Image, threads: int, clock: Clock) -> Yardstick:
    """A detector of YOLOv8-nano's layer plan on the picture shrunk to 640 pixels; it knows no numbers or colours."""
    what = "a detector of YOLOv8-nano's layer plan at 640 px, random weights, without decoding"
    try:
        plan = import_module("tests.bench.nano")
    except ImportError:
        return Yardstick(f"{what} (needs onnx)", None)
    model = OnnxModel(plan.nano_detector(), threads)

    def look() -> object:
        square = np.zeros((plan.SIDE_PX, plan.SIDE_PX, 3), np.uint8)
        factor = plan.SIDE_PX / max(image.shape[:2])
        small = cv2.resize(image, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA)
        square[: small.shape[0], : small.shape[1]] = small
        return model.run(np.ascontiguousarray(square.transpose(2, 0, 1)[None], np.float32) / 255)

    return Yardstick(what, clock(look))
