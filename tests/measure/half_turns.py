"""What the eyes make of tiles that lie either way round in one row: 6 and 9 above all, then 1, 7, 8, 11, 12 and 13.

    python -m tests.measure.half_turns [--pictures 3] [--seed 1] [--models FOLDER] [--hard]

Boxes differ in what tells a 6 from a 9: where the numeral stands on the face, an imprint, a dot, a bar, a full stop.
Where nothing does, no reading of a 6 or a 9 is right but a doubtful one.  One line a kind of box: of its tiles how many
were read rightly, how many surely wrong (silent), how many in doubt; then the same of its 6s and 9s alone.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import click
import cv2
import numpy as np
from numpy.typing import NDArray

from tests.measure.families import FAIR_LIGHT, Tally, compared
from vision.look import Eyes
from vision.model_store import models_folder
from vision.render import effects
from vision.render.club import judge_look
from vision.render.compose import Lighting, RenderedTile, lying
from vision.render.faces import SixNineMark, StyledBox, Symbol
from vision.render.surfaces import JUDGE_SURFACES
from vision.render.table import Shot, photograph

Image = NDArray[np.uint8]
NUMBERS = (6, 9, 6, 9, 1, 7, 8, 11, 12, 13)
ROWS, LONGEST = 5, 8
HARD_LIGHT = replace(FAIR_LIGHT, gain=0.6, contrast=0.5)


@dataclass(frozen=True, slots=True)
class Print:
    """Where a box prints its numerals, and what else tells which way up a tile lies."""

    name: str
    mark: SixNineMark
    numeral_y: float
    imprint: str = ""

    def dressed(self, box: StyledBox) -> StyledBox:
        """The same box printed so."""
        return replace(
            box, mark=self.mark, numeral_y=self.numeral_y, imprint=self.imprint, dish_radius=0.0,
            symbol=Symbol.NONE, numeral_height=min(box.numeral_height, 0.4),
        )  # fmt: skip


PRINTS = (
    Print("centred, unmarked", SixNineMark.NONE, 0.5),
    Print("a little high, unmarked", SixNineMark.NONE, 0.47),
    Print("high, unmarked", SixNineMark.NONE, 0.42),
    Print("upper half, unmarked", SixNineMark.NONE, 0.34),
    Print("upper half, imprint", SixNineMark.NONE, 0.34, "Kasimir"),
    Print("centred, dot", SixNineMark.DOT, 0.5),
    Print("centred, bar", SixNineMark.BAR, 0.5),
    Print("centred, full stop", SixNineMark.STOP, 0.5),
)


def mixed_rows(
    rng: np.random.Generator, kind: Print, hard: bool, turned_share: float = 0.4
) -> tuple[Image, tuple[RenderedTile, ...]]:
    """Rows whose tiles lie either way round, uint8 (H, W, 3) BGR after JPEG, with their truth."""
    box = kind.dressed(judge_look(rng))
    placed, sizes = [], []
    for row in range(ROWS):
        length = int(rng.integers(4, LONGEST + 1))
        sizes.append(length)
        for k in range(length):
            code = f"{'RBKO'[int(rng.integers(4))]}{int(rng.choice(NUMBERS))}"
            turn = 180.0 * (rng.random() < turned_share) + float(np.clip(rng.normal(0, 0.8), -2, 2))
            placed.append(lying(code, (k - length / 2) * box.aspect * 1.03, row * 1.6, turn))
    tile_px = 28 if hard else 46
    shot = Shot((round(1.3 * LONGEST * tile_px), round(1.7 * ROWS * tile_px)), 38.0 if hard else 15.0,
                noise=0.8 if hard else 0.3)  # fmt: skip
    light: Lighting = HARD_LIGHT if hard else FAIR_LIGHT
    surface = JUDGE_SURFACES[int(rng.integers(len(JUDGE_SURFACES)))]
    scene = photograph(rng, box, placed, sizes, ROWS, shot, surface, light).scene
    return effects.jpeg(scene.image, 60 if hard else 85), scene.tiles


@click.command()
@click.option("--pictures", default=3, show_default=True, help="So many pictures of each kind.")
@click.option("--seed", default=1, show_default=True)
@click.option("--models", type=click.Path(path_type=Path), help="Another folder of networks.")
@click.option("--hard", is_flag=True, help="Small tiles seen aslant in weak light by a weak camera.")
def main(pictures: int, seed: int, models: Path | None, hard: bool) -> None:
    """Print the table of kinds."""
    cv2.setNumThreads(1)
    eyes = Eyes.load(models or models_folder())
    for number, kind in enumerate(PRINTS):
        every, turnable = Tally(), Tally()
        for picture in range(pictures):
            image, tiles = mixed_rows(np.random.default_rng([seed, number, picture]), kind, hard)
            seen = eyes.look(image).observation
            every.add(compared(tiles, seen))
            turnable.add(compared(tuple(tile for tile in tiles if tile.code[1:] in {"6", "9"}), seen))
        click.echo(every.line(kind.name))
        turnable.errors = type(turnable.errors)({e: n for e, n in turnable.errors.items() if not e.startswith("noth")})
        turnable.silent = turnable.errors.total()
        click.echo(turnable.line("    6 and 9"))


if __name__ == "__main__":
    main()
