"""How well pictures of other things are told from tables: the signs of ``vision.strange`` on both.

    python -m tests.measure.strange [--pictures 2] [--seed 7] [--tables 1] [--photos FOLDER --every 6]

One line a picture: how many faces were found and how many stayed sure, the share of the commonest colours, and what the
eyes say of the picture.  At the end, of the pictures of other things how many show
a sure tile or an empty scene or were named, and how many tables were called something else.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import click
import cv2
import numpy as np
from numpy.typing import NDArray

from referee.observation import DRAWN, UNLIKE_TILES, Kind, Observation
from tests.measure.families import FAMILIES, photo_of
from tests.measure.other_pictures import KINDS
from tests.measure.screens import SCREENS
from vision.intake import read_photo
from vision.look import Eyes
from vision.strange import few_colours

Image = NDArray[np.uint8]
Named = tuple[str, Image]


@dataclass(slots=True)
class Count:
    """Pictures of one kind."""

    pictures: int = 0
    named: int = 0
    """told to be no table of number tiles"""
    without_faces: int = 0
    surely_read: int = 0
    """not named, and with a tile that was surely read"""

    def add(self, observation: Observation) -> None:
        """Count one picture in."""
        faces = [tile for tile in observation.tiles if tile.kind is Kind.FACE]
        named = not {UNLIKE_TILES, DRAWN}.isdisjoint(observation.notes)
        self.pictures += 1
        self.named += named
        self.without_faces += not faces
        self.surely_read += not named and not all(tile.doubtful for tile in faces)


def others(pictures: int, seed: int) -> Iterator[Named]:
    """Pictures of other things."""
    for kind, draw in (KINDS | SCREENS).items():
        for number in range(pictures):
            yield kind, draw(np.random.default_rng([seed, number]))


def tables(each: int, seed: int) -> Iterator[Named]:
    """Rendered tables of all kinds."""
    for family in FAMILIES:
        for number in range(each):
            yield family.name, photo_of(family, number, seed)[0]


def photographed(folder: Path, every: int) -> Iterator[Named]:
    """Each so-manieth photo of the part ``train``."""
    for name in json.loads((folder / "split.json").read_text(encoding="utf-8"))["train"][::every]:
        yield name, read_photo(next((folder / "photos").glob(f"{name}.*"))).image


def counted(eyes: Eyes, pictures: Iterator[Named]) -> Count:
    """Look at each picture and print its line."""
    count = Count()
    for name, image in pictures:
        observation = eyes.look(image, second_reader=False).observation
        faces = [tile for tile in observation.tiles if tile.kind is Kind.FACE]
        sure = sum(not tile.doubtful for tile in faces)
        quads = np.array([tile.quad for tile in faces], np.float32).reshape(-1, 4, 2)
        click.echo(
            f"{name:26s} faces {len(faces):3d}  sure {sure:3d}  backs {len(observation.tiles) - len(faces):2d}  "
            f"few colours {few_colours(image, quads):.2f}  {' '.join(observation.notes)}"
        )
        count.add(observation)
    return count


@click.command()
@click.option("--pictures", default=2, show_default=True, help="So many pictures of each other thing.")
@click.option("--tables", "each", default=1, show_default=True, help="So many rendered tables of each kind.")
@click.option("--seed", default=7, show_default=True)
@click.option("--photos", type=click.Path(path_type=Path), help="Labelled photos to look at too.")
@click.option("--every", default=6, show_default=True, help="Each so-manieth of them.")
def main(pictures: int, each: int, seed: int, photos: Path | None, every: int) -> None:
    """Print the table."""
    cv2.setNumThreads(1)
    eyes = Eyes.load()
    results = {"other things": counted(eyes, others(pictures, seed)), "tables": counted(eyes, tables(each, seed))}
    if photos is not None:
        results["photos"] = counted(eyes, photographed(photos, every))
    for name, count in results.items():
        click.echo(
            f"{name}: {count.pictures}, named {count.named}, without faces {count.without_faces}, "
            f"others with a sure tile {count.surely_read}"
        )


if __name__ == "__main__":
    main()
