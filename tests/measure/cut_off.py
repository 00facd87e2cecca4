"""Tiles that the picture's edge cuts: how many are told, by how much of them is in view, and what is ruled then.

    python -m tests.measure.cut_off [--tables 8] [--seed 1] [--models FOLDER]

Rendered tables in looks that training never saw, each cropped at a tile of its own, from every side, so that a part of
that tile is left in view: of one row lying along the edge often all tiles are cut.  A tile is told where the eyes give
a face, a back or an unread region on it.  A table is never legal while a tile with at least ``LEAST_FRAGMENT`` of its
face in view is cut.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import click
import cv2
import numpy as np
from numpy.typing import NDArray

from referee.observation import Observation
from referee.preset_files import load_ruleset
from referee.ruling import Verdict, judge_table
from tests.measure.families import FAMILIES, hardened, photo_of
from vision.assemble import inside_share
from vision.look import LEAST_FRAGMENT, LEAST_VISIBLE, Eyes
from vision.model_store import models_folder

Image = NDArray[np.uint8]
Quads = NDArray[np.float32]
BANDS = ((0.2, 0.4), (0.4, 0.6), (0.6, 0.9))
SHARES = (0.3, 0.5, 0.8)
"""Of the tile at which a picture is cropped, so much is left in view, measured along the picture's side."""


@dataclass(frozen=True, slots=True)
class Crop:
    """A picture uint8 (H, W, 3) BGR that ends early; ``quads`` (N, 4, 2) px of all tiles, ``inside`` (N,) in view."""

    image: Image
    quads: Quads
    inside: NDArray[np.float64]


def cropped(image: Image, quads: Quads, tile: int, side: int, share: float) -> Crop:
    """The picture cut off at one of its four sides (0 left, 1 top, 2 right, 3 bottom) through a tile."""
    axis = side % 2
    low, high = float(quads[tile, :, axis].min()), float(quads[tile, :, axis].max())
    bounds = [0, 0, image.shape[1], image.shape[0]]
    bounds[side] = round(high - share * (high - low)) if side < 2 else round(low + share * (high - low))
    left, top, right, bottom = bounds
    shown = np.ascontiguousarray(image[top:bottom, left:right])
    moved = (quads - np.array([left, top], np.float32)).astype(np.float32)
    return Crop(shown, moved, inside_share(moved, shown.shape[1], shown.shape[0]))


def told(quad: Quads, seen: Observation) -> bool:
    """Whether the eyes say anything of the tile at a quad (4, 2)."""
    everything = [tile.quad for tile in seen.tiles] + list(seen.unread)
    wide = quad.mean(axis=0) + 1.1 * (quad - quad.mean(axis=0))
    centres = [np.mean(other, axis=0) for other in everything]
    return any(cv2.pointPolygonTest(wide, (float(x), float(y)), False) >= 0 for x, y in centres)


@click.command()
@click.option("--tables", default=8, show_default=True, help="So many tables; each gives twelve pictures.")
@click.option("--seed", default=1, show_default=True)
@click.option("--models", type=click.Path(path_type=Path), help="Another folder of networks.")
@click.option("--hard", is_flag=True, help="Small tiles seen aslant in weak light by a weak camera.")
def main(tables: int, seed: int, models: Path | None, hard: bool) -> None:
    """Print how many cut tiles were missed, and how many tables were ruled as if none were cut."""
    cv2.setNumThreads(1)
    eyes = Eyes.load(models or models_folder())
    ruleset = load_ruleset("international")
    family = hardened(FAMILIES[0]) if hard else FAMILIES[0]
    cut: Counter[tuple[float, float]] = Counter()
    missed: Counter[tuple[float, float]] = Counter()
    verdicts: Counter[Verdict] = Counter()
    for number in range(tables):
        image, truth = photo_of(family, number, seed)
        quads = np.stack([tile.quad for tile in truth])
        rng = np.random.default_rng([seed, number])
        for side in range(4):
            outermost = np.argsort(quads.mean(axis=1)[:, side % 2] * (1 if side < 2 else -1))[:6]
            for share in SHARES:
                crop = cropped(image, quads, int(rng.choice(outermost)), side, share)
                seen = eyes.look(crop.image).observation
                for band in BANDS:
                    of_band = np.flatnonzero((crop.inside >= band[0]) & (crop.inside < band[1]))
                    cut[band] += len(of_band)
                    missed[band] += sum(not told(crop.quads[k], seen) for k in of_band)
                if ((crop.inside >= LEAST_FRAGMENT) & (crop.inside < LEAST_VISIBLE)).any():
                    verdicts[judge_table(seen, ruleset).verdict] += 1
    for low, high in BANDS:
        click.echo(f"{low:.0%} to {high:.0%} in view: {missed[low, high]} of {cut[low, high]} cut tiles missed")
    click.echo(", ".join(f"{verdicts[verdict]} {verdict.name.lower()}" for verdict in Verdict))


if __name__ == "__main__":
    main()
