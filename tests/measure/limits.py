"""Where the eyes begin to fail: one fault after another on rendered tables, at growing strength.

    python -m tests.measure.limits [--tables 2] [--seed 3] [--only TEXT]

One line a strength: what `tileref inspect` measures of it, its grade, and how many of the legible tiles the eyes read
rightly and surely.  The limits in ``vision/inspection.py`` are chosen from this table: poor where tiles begin to be
doubtful, bad where about a tenth of them is no longer surely right.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache

import click
import cv2
import numpy as np
from numpy.typing import NDArray

from tests.measure.families import Family, Tally, compared, photo_of, white_cloth
from vision.inspection import Cause, Inspection, inspect_frames
from vision.look import Eyes
from vision.render import effects
from vision.render.compose import RenderedTile

Image = NDArray[np.uint8]
Tiles = tuple[RenderedTile, ...]
Shown = tuple[Image, Tiles]
TILE_PX = 60.0


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that spoils a picture; ``show`` draws table ``number`` of a seed with the fault at a strength."""

    cause: Cause
    strengths: tuple[float, ...]
    show: Callable[[float, int, int], Shown]


@cache
def fair(number: int, seed: int, **changes: object) -> Shown:
    """An ordinary table without faults of the camera."""
    family = Family("limits", tile_px=TILE_PX, sets=4, noise=0.0, jpeg_quality=92, surface=white_cloth)
    return photo_of(replace(family, **changes), number, seed)  # type: ignore[arg-type]


def rendered(name: str) -> Callable[[float, int, int], Shown]:
    """A fault that is a field of ``Family`` itself."""
    return lambda strength, number, seed: fair(number, seed, **{name: strength})


def glaring(share: float, number: int, seed: int) -> Shown:
    """A lamp's reflection on the numerals of this share of the tiles."""
    image, tiles = fair(number, seed)
    veil = np.zeros(image.shape[:2], np.float32)
    for tile in tiles[: round(share * len(tiles))]:
        x, y = 0.65 * tile.quad[:2].mean(axis=0) + 0.35 * tile.quad[2:].mean(axis=0)
        cv2.ellipse(veil, (round(float(x)), round(float(y))), (22, 16), 30, 0, 360, 1.0, -1)
    veil = 0.96 * np.asarray(cv2.GaussianBlur(veil, (0, 0), 4))[..., None]
    return (image + (255 - image) * veil).astype(np.uint8), tiles


def spoilt(spoil: Callable[[Image, float], Image]) -> Callable[[float, int, int], Shown]:
    """A fault that comes after the lens."""

    def show(strength: float, number: int, seed: int) -> Shown:
        image, tiles = fair(number, seed)
        return spoil(image, strength), tiles

    return show


def defocused(image: Image, sigma: float) -> Image:
    """``sigma`` in tile heights."""
    return np.asarray(cv2.GaussianBlur(image, (0, 0), sigma * TILE_PX), np.uint8) if sigma else image


def moved(image: Image, length: float) -> Image:
    """``length`` in tile heights."""
    return effects.motion_blur(image, length * TILE_PX, 20) if length else image


def exposed(image: Image, gain: float) -> Image:
    """A longer or a shorter exposure, with the noise of a sensor."""
    return effects.sensor_noise(
        np.clip(image * gain, 0, 255).astype(np.uint8), np.random.default_rng(0), 3.0, coarse=False
    )


def tinted(image: Image, strength: float) -> Image:
    """A warm lamp that the camera does not balance: red stays, green and blue fall."""
    return np.asarray(np.clip(image * np.array([1 - strength, 1 - 0.35 * strength, 1.0]), 0, 255), np.uint8)


def greyed(image: Image, strength: float) -> Image:
    """A camera that loses colour."""
    grey = image.mean(axis=2, keepdims=True)
    return np.asarray(np.clip(image + strength * (grey - image), 0, 255), np.uint8)


def shaded(image: Image, depth: float) -> Image:
    """Hard stripes of shadow, as a blind throws them."""
    x, y = np.meshgrid(np.arange(image.shape[1]), np.arange(image.shape[0]))
    dark = ((x + 0.4 * y) // (0.9 * TILE_PX)).astype(int) % 3 == 0
    return (image * np.where(dark, 1 - depth, 1.0)[..., None]).astype(np.uint8)


def uneven(image: Image, share: float) -> Image:
    """Light that falls off to one side until ``share`` of it is left."""
    return (image * np.geomspace(1, share, image.shape[1])[None, :, None]).astype(np.uint8)


def noisy(image: Image, sigma: float, seed: int = 0) -> Image:
    """A sensor's noise."""
    return effects.sensor_noise(image, np.random.default_rng(seed), sigma, coarse=False)


FAULTS: tuple[Fault, ...] = (
    Fault(Cause.BLURRED, (0, 0.02, 0.04, 0.06, 0.08, 0.1), spoilt(defocused)),
    Fault(Cause.MOVED, (0, 0.06, 0.1, 0.15, 0.2), spoilt(moved)),
    Fault(Cause.SMALL, (40, 24, 18, 15, 12), rendered("tile_px")),
    Fault(Cause.DARK, (1, 0.4, 0.2, 0.12, 0.08, 0.05), spoilt(exposed)),
    Fault(Cause.BURNT, (1.1, 1.2, 1.3, 1.4, 1.8), spoilt(exposed)),
    Fault(Cause.GLARE, (0, 0.05, 0.15, 0.4), glaring),
    Fault(Cause.NOISY, (0, 12, 24, 36, 48), spoilt(noisy)),
    Fault(Cause.UNEVEN, (1, 0.2, 0.06), spoilt(uneven)),
    Fault(Cause.SHADOWS, (0, 0.15, 0.3, 0.5, 0.7), spoilt(shaded)),
    Fault(Cause.CAST, (0, 0.3, 0.5, 0.65, 0.8), spoilt(tinted)),
    Fault(Cause.INKS, (0, 0.4, 0.6, 0.75, 0.85), spoilt(greyed)),
    Fault(Cause.STEEP, (0, 30, 55, 62, 68, 72), rendered("tilt_deg")),
)


def value_of(inspection: Inspection, cause: Cause) -> float:
    """What was measured of a cause; NaN where nothing was."""
    return next((one.value for one in inspection.measurements if one.cause is cause), float("nan"))


def line(fault: Fault, strength: float, looked: list[tuple[Inspection, Tally]]) -> str:
    """One line of the table."""
    tally = Tally()
    for _, one in looked:
        tally.add(one)
    value = float(np.mean([value_of(inspection, fault.cause) for inspection, _ in looked]))
    others = {
        one.cause.value: one.grade.value
        for inspection, _ in looked
        for one in inspection.measurements
        if one.grade != "fine"
    }
    go = "/".join("go" if inspection.go else "no" for inspection, _ in looked)
    tiles = max(tally.tiles, 1)
    sure = (tally.tiles - tally.flagged - tally.silent) / tiles
    return (
        f"{fault.cause.value:9s} {strength:6.2f}  measured {value:7.2f}  {go:8s} {tally.tiles:3d} tiles  "
        f"right {tally.right / tiles:6.1%}  surely right {sure:6.1%}  silent {tally.silent:2d}  {others}"
    )


@click.command()
@click.option("--tables", default=2, show_default=True, help="So many tables at each strength.")
@click.option("--seed", default=3, show_default=True)
@click.option("--only", default="", help="Only causes whose name contains this.")
def main(tables: int, seed: int, only: str) -> None:
    """Print the table of faults."""
    cv2.setNumThreads(1)
    eyes = Eyes.load()
    for fault in FAULTS:
        if only not in fault.cause.value:
            continue
        for strength in fault.strengths:
            looked = []
            for number in range(tables):
                image, tiles = fault.show(strength, number, seed)
                observation = eyes.look(image, second_reader=False).observation
                frames = (
                    [noisy(fair(number, seed)[0], strength, seed=1), image] if fault.cause is Cause.NOISY else [image]
                )
                looked.append((inspect_frames(frames, observation), compared(tiles, observation)))
            click.echo(line(fault, strength, looked))


if __name__ == "__main__":
    main()
