"""Time every stage of the eyes on a picture of 1920 × 1080 pixels with 81 tiles, beside what else could read it.

Each way of looking is timed with the networks as they are used and, beside it, with their originals in floating point.
Times are medians; memory is the peak of a fresh process.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import cycle
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from tests.bench import yardsticks
from tests.bench.measures import own_peak_mb, peak_mb_of
from tests.bench.yardsticks import Truth, Yardstick
from vision.intake import read_photo
from vision.look import Eyes, Sight
from vision.model_store import models_folder, read_manifest
from vision.render.effects import sensor_noise
from vision.watch import TrackingFinder, Watcher

Image = NDArray[np.uint8]

PHOTO = Path(__file__).resolve().parents[2] / "sample_images" / "photos" / "06_club_evening.jpg"
TARGET_MS = {
    "a photo, its scale searched for": 300.0,
    "a frame, scale tracked, all tiles read": 100.0,
    "a frame in which nothing changed": 30.0,
    "a photo of 3840 × 2160 pixels": 300.0,
}
"""Ways of looking that must not take longer than this with the networks as they are used."""
TARGET_MB = 500.0
STAGES = ("detect", "read", "colour", "second_reader", "layout")
NOISE = 2.0
"""Noise of the frames, in grey levels."""
LOOK = (
    "from pathlib import Path\nimport cv2\n"
    "from vision.intake import read_photo\nfrom vision.look import Eyes\nfrom vision.watch import Watcher\n"
    f"image = read_photo(Path({str(PHOTO)!r})).image\n"
)
IN_A_FRESH_PROCESS = {
    "one photo": LOOK + "Eyes.load().look(image)",
    "frames": LOOK + "watcher = Watcher(Eyes.load())\nfor _ in range(5): watcher.look(image.copy())",
    "a photo of 3840 × 2160 pixels": LOOK + "Eyes.load().look(cv2.resize(image, (3840, 2160)))",
}
"""What processes do whose memory is measured."""


def median_ms(work: Callable[[], object], rounds: int) -> float:
    """Median wall time in milliseconds; the first round warms up and does not count."""
    work()
    times = []
    for _ in range(rounds):
        began = time.perf_counter()
        work()
        times.append(1000 * (time.perf_counter() - began))
    return float(np.median(times))


def truth_of(photo: Path) -> Truth:
    """The number tiles of a sample picture."""
    told = json.loads((photo.parents[1] / "truth" / f"{photo.stem}.json").read_text(encoding="utf-8"))
    tiles = [tile for tile in told["tiles"] if tile["tile"][0] in "RBKO"]
    numbers = tuple(int(tile["tile"][1:]) for tile in tiles)
    return Truth(numbers, np.array([tile["quad"] for tile in tiles], np.float32))


def noisy(image: Image, count: int = 4) -> Iterator[Image]:
    """Frames of a still table, endlessly: ``count`` of them, over and over."""
    rng = np.random.default_rng(1)
    return cycle([sensor_noise(image, rng, NOISE, coarse=True) for _ in range(count)])


def with_a_tile_exchanged(image: Image, truth: Truth) -> Image:
    """The picture with the first tile looking like the one next in the list whose number is another."""
    other = next(k for k, number in enumerate(truth.numbers) if number != truth.numbers[0])
    there, from_there = truth.quads[0], truth.quads[other]
    matrix = cv2.getPerspectiveTransform(from_there, there)
    moved = cv2.warpPerspective(image, matrix, (image.shape[1], image.shape[0]))
    mask = np.zeros(image.shape[:2], np.uint8)
    cv2.fillConvexPoly(mask, np.round(there).astype(np.int32), 1)
    return np.where(mask[..., None] > 0, moved, image).astype(np.uint8)


def ways_of_looking(eyes: Eyes, image: Image, truth: Truth) -> dict[str, Callable[[], Sight]]:
    """What is timed, by name."""
    tracked = eyes.with_parts(replace(eyes.parts, detector=TrackingFinder(eyes.parts.detector), second=None))
    still, changing = Watcher(eyes), Watcher(eyes)
    frames = noisy(image)
    both = cycle([image, with_a_tile_exchanged(image, truth)])
    large = np.asarray(cv2.resize(image, (3840, 2160), interpolation=cv2.INTER_CUBIC), np.uint8)
    for watcher in (still, changing):
        for _ in range(3):
            watcher.look(image)  # a doubtful tile is asked about in the second frame
    return {
        "a photo, its scale searched for": partial(eyes.look, image),
        "a frame, scale tracked, all tiles read": partial(tracked.look, image),
        "a frame in which one tile changed": lambda: changing.look(next(both)),
        "a frame in which nothing changed": lambda: still.look(next(frames)),
        "a photo of 3840 × 2160 pixels": partial(eyes.look, large),
    }


def stage_times(look: Callable[[], Sight], rounds: int) -> dict[str, float]:
    """Medians of the stages of a look, in milliseconds."""
    sights = [look() for _ in range(rounds + 1)][1:]
    return {stage: float(np.median([sight.timing_ms[stage] for sight in sights])) for stage in STAGES}


def start_up_ms(rounds: int) -> float:
    """Median time of ``tileref --version`` in a fresh process."""
    command = [sys.executable, "-c", "from web.cli import main; main()", "--version"]
    return median_ms(lambda: subprocess.run(command, check=True, capture_output=True), rounds)


def one_photo_ms(rounds: int) -> float:
    """Median time of ``tileref check`` on the photo in a fresh process, start-up and loading included."""
    command = [sys.executable, "-c", "from web.cli import main; main()", "check", "--json", str(PHOTO)]
    return median_ms(lambda: subprocess.run(command, check=False, capture_output=True), rounds)


def yardstick_lines(image: Image, truth: Truth, threads: int, rounds: int) -> Iterator[str]:
    """A line of the table for each yardstick; the slow ones get few rounds."""
    few = partial(median_ms, rounds=max(1, rounds // 5))
    measured: tuple[Yardstick, ...] = (
        yardsticks.tesseract(image, truth, few),
        yardsticks.rapid_ocr(image, truth, threads, few),
        yardsticks.nano(image, threads, partial(median_ms, rounds=rounds)),
    )
    for one in measured:
        yield f"| {one.what} | {'not installed' if one.ms is None else f'{one.ms:.0f}'} | | |"


def missed(times: dict[str, float], megabytes: dict[str, float]) -> list[str]:
    """A sentence for each target that was missed."""
    slow = [f"{name}: {times[name]:.0f} ms, not {most:.0f}" for name, most in TARGET_MS.items() if times[name] > most]
    return slow + [
        f"{name}: {used:.0f} MB, not {TARGET_MB:.0f}" for name, used in megabytes.items() if used > TARGET_MB
    ]


def report(rounds: int, threads: int, most_ms: float | None) -> bool:
    """Print the tables; whether all targets were reached and a photo took no longer than ``most_ms``."""
    image, truth = read_photo(PHOTO).image, truth_of(PHOTO)
    twins = ", ".join(read_manifest(models_folder()).full_precision) or "none"
    print(f"{PHOTO.name}, {threads} threads on {os.cpu_count()} cores, median of {rounds} rounds; ms")
    print(f"networks used in whole numbers: {twins}\n")
    used, floating = (
        ways_of_looking(Eyes.load(threads=threads, full_precision=full), image, truth) for full in (False, True)
    )
    times: dict[str, float] = {}
    print("| | as used | floating point | target |\n|---|---|---|---|")
    for name, look in used.items():
        times[name] = median_ms(look, rounds)
        target = f"{TARGET_MS[name]:.0f}" if name in TARGET_MS else ""
        print(f"| {name} | {times[name]:.1f} | {median_ms(floating[name], rounds):.1f} | {target} |", flush=True)
    for name in list(used)[:2]:
        stages, beside = stage_times(used[name], rounds), stage_times(floating[name], rounds)
        for stage in STAGES:
            print(f"| {name}: {stage} | {stages[stage]:.1f} | {beside[stage]:.1f} | |")
    print(f"| decode the JPEG | {median_ms(lambda: read_photo(PHOTO), rounds):.1f} | | |", flush=True)
    for line in yardstick_lines(image, truth, threads, rounds):
        print(line, flush=True)
    print(f"| start-up of the command (`tileref --version`) | {start_up_ms(max(3, rounds // 3)):.0f} | | |")
    print(f"| `tileref check` on this photo, start-up included | {one_photo_ms(max(3, rounds // 3)):.0f} | | |")
    megabytes = {name: peak_mb_of(code) for name, code in IN_A_FRESH_PROCESS.items()}
    told = ", ".join(f"{name} {used_mb:.0f} MB" for name, used_mb in megabytes.items())
    print(f"\npeak memory of a fresh process: {told} (target {TARGET_MB:.0f}); of this one: {own_peak_mb():.0f} MB")
    faults = missed(times, megabytes)
    if most_ms is not None and times["a photo, its scale searched for"] > most_ms:
        faults.append(f"a photo: {times['a photo, its scale searched for']:.0f} ms, not {most_ms:.0f}")
    for fault in faults:
        print(f"missed: {fault}")
    return not faults
