"""Time every stage of looking at a 1920×1080 photo with 81 tiles, beside tesseract reading every tile.

Times are medians; memory is the peak of a fresh process that looks at the photo.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from tests.bench.measures import own_peak_mb, peak_mb_of
from vision.intake import read_photo
from vision.look import Eyes
from vision.rectify import rectify
from vision.second_reader import SecondReader

PHOTO = Path(__file__).resolve().parents[2] / "sample_images" / "photos" / "06_club_evening.jpg"
LOOK = (
    "from pathlib import Path\n"
    "from vision.intake import read_photo\nfrom vision.look import Eyes\n"
    f"Eyes.load().look(read_photo(Path({str(PHOTO)!r})).image)"
)
"""What a fresh process does whose memory is measured."""


def median_ms(work: Callable[[], object], rounds: int) -> float:
    """Median wall time in milliseconds; the first round warms up and does not count."""
    work()
    times = []
    for _ in range(rounds):
        began = time.perf_counter()
        work()
        times.append(1000 * (time.perf_counter() - began))
    return float(np.median(times))


def stage_times(rounds: int, threads: int) -> dict[str, float]:
    """Medians of each stage of ``Eyes.look`` and of the whole, in milliseconds."""
    eyes = Eyes.load(threads=threads)
    image = read_photo(PHOTO).image
    sights = [eyes.look(image) for _ in range(rounds + 1)][1:]
    stages = {name: float(np.median([sight.timing_ms[name] for sight in sights])) for name in sights[0].timing_ms}
    stages["decode the JPEG"] = median_ms(lambda: read_photo(PHOTO), rounds)
    stages["look, all stages"] = median_ms(lambda: eyes.look(image), rounds)
    return stages


def tesseract_on_every_tile(rounds: int) -> tuple[float, float] | None:
    """Median milliseconds and the share of numbers right when tesseract reads every tile; None without tesseract."""
    second = SecondReader.find()
    if second is None:
        return None
    truth = json.loads((PHOTO.parents[1] / "truth" / f"{PHOTO.stem}.json").read_text(encoding="utf-8"))
    tiles = [tile for tile in truth["tiles"] if tile["tile"][0] in "RBKO"]
    quads = np.array([tile["quad"] for tile in tiles], np.float32)
    image = read_photo(PHOTO).image
    crops = list(rectify(image, quads, 72, 96))
    opinions = second.read(crops)
    right = sum(opinion == int(tile["tile"][1:]) for opinion, tile in zip(opinions, tiles, strict=True))
    return median_ms(lambda: second.read(crops), rounds), right / len(tiles)


def start_up_ms(rounds: int) -> float:
    """Median time of ``tileref --version`` in a fresh process."""
    command = [sys.executable, "-c", "from web.cli import main; main()", "--version"]
    return median_ms(lambda: subprocess.run(command, check=True, capture_output=True), rounds)


def one_photo_ms(rounds: int) -> float:
    """Median time of ``tileref check`` on the photo in a fresh process, start-up and loading included."""
    command = [sys.executable, "-c", "from web.cli import main; main()", "check", "--json", str(PHOTO)]
    return median_ms(lambda: subprocess.run(command, check=False, capture_output=True), rounds)


def report(rounds: int, threads: int, most_ms: float | None) -> bool:
    """Print the table; whether the whole look took no longer than that."""
    stages = stage_times(rounds, threads)
    print(f"{PHOTO.name}, {threads} threads on {os.cpu_count()} cores, median of {rounds} rounds\n")
    print("| stage | ms |\n|---|---|")
    for name, value in stages.items():
        print(f"| {name} | {value:.1f} |")
    second = tesseract_on_every_tile(max(1, rounds // 5))
    if second is None:
        print("| tesseract on every tile | not installed |")
    else:
        took_ms, right = second
        print(f"| tesseract on every tile, true quads given ({right:.1%} of the numbers, no colours) | {took_ms:.1f} |")
    print(f"| start-up of the command (`tileref --version`) | {start_up_ms(max(3, rounds // 3)):.0f} |")
    print(f"| `tileref check` on this photo, start-up included | {one_photo_ms(max(3, rounds // 3)):.0f} |")
    print(f"\npeak memory: {peak_mb_of(LOOK):.0f} MB (this process: {own_peak_mb():.0f} MB)")
    return most_ms is None or stages["look, all stages"] <= most_ms
