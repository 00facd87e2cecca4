"""The bundled sample pictures, rendered from seeds: ``python -m vision.render.samples [FOLDER]``.

Each has its truth beside it in the format of the shared photos.  Samples wear the fonts, palettes and surfaces that
training never sees, where the fonts are installed.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from vision.render import surfaces
from vision.render.clutter import keyboard, paper
from vision.render.compose import Lighting, Placed, Thing
from vision.render.faces import SixNineMark, StyledBox, Symbol, judge_box
from vision.render.fonts import NumeralShape
from vision.render.palettes import JUDGE_PALETTES
from vision.render.scene import random_rack
from vision.render.table import RenderedTable, Shot, TableSpec, encode, photograph, render_table, truth_of


def run(colour: str, first: int, last: int) -> tuple[str, ...]:
    """The tiles of one colour from ``first`` to ``last``, descending when ``last`` is lower."""
    step = 1 if last >= first else -1
    return tuple(f"{colour}{number}" for number in range(first, last + step, step))


def group(number: int, colours: str) -> tuple[str, ...]:
    """The tiles of one number in the given colours."""
    return tuple(f"{colour}{number}" for colour in colours)


@dataclass(frozen=True, slots=True)
class Sample:
    """One bundled picture: what lies there and how it is photographed."""

    name: str
    notes: str
    spec: TableSpec
    shot: Shot = field(default_factory=Shot)
    surface: surfaces.Surface = surfaces.herringbone
    lighting: Lighting = field(default_factory=Lighting)
    dress: Callable[[StyledBox], StyledBox] = lambda box: box
    things: Callable[[np.random.Generator], tuple[Thing, ...]] | None = None
    hands: tuple[tuple[float, float], ...] = ()
    rack: bool = False


def _white(rng: np.random.Generator, side: int) -> npt.NDArray[np.uint8]:
    """A white table cloth."""
    axis = np.arange(side, dtype=np.float32)
    weave = 4 * np.sin(axis[None, :] * 1.1) * np.sin(axis[:, None] * 1.1)
    cloth = np.array([236.0, 240.0, 241.0]) + weave[..., None] + rng.normal(0, 1.5, (side, side, 1))
    return np.asarray(np.clip(cloth, 0, 255), np.uint8)


def _white_box(box: StyledBox) -> StyledBox:
    return replace(box, palette=replace(JUDGE_PALETTES[1], body=(243.0, 245.0, 246.0)))


def _plain_numerals(box: StyledBox) -> StyledBox:
    """Nothing but the layout tells a 6 from a 9."""
    return replace(box, mark=SixNineMark.NONE, numerals=NumeralShape("Lato-Bold"))


def _clutter(rng: np.random.Generator) -> tuple[Thing, ...]:
    corners = np.array([[-2.6, -0.9], [2.6, -0.9], [2.6, 0.9], [-2.6, 0.9]])
    page = np.array([[-1.2, -1.5], [1.2, -1.5], [1.2, 1.5], [-1.2, 1.5]])
    return Thing(keyboard(rng), corners + (0.5, -4.4)), Thing(paper(rng), page + (-5.6, 3.4))


_CLUB_EVENING = (
    run("R", 1, 5), run("B", 3, 9), run("K", 1, 13), run("O", 5, 8), group(1, "BKO"), group(2, "RBKO"), run("R", 6, 13),
    group(10, "BKO"), run("B", 10, 13), run("O", 9, 13), group(3, "RKO"), group(4, "BKO"), run("B", 1, 3),
    group(11, "RBO"), group(13, "RBO"), run("R", 7, 9), run("K", 5, 8), group(12, "RBO"),
)  # fmt: skip

SAMPLES: tuple[Sample, ...] = (
    Sample("01_legal_small", "Three legal sets.", TableSpec((run("R", 3, 6), group(9, "RBK"), run("O", 10, 13)))),
    Sample("02_illegal_gap", "A run with a gap: 4 5 7.",
           TableSpec((run("B", 1, 4), ("K4", "K5", "K7"), group(8, "RKO")), facings=(0, 180, 12)), Shot(tilt_deg=30)),
    Sample("03_illegal_repeated_colour", "A group with red twice.",
           TableSpec((("R7", "B7", "R7"), run("O", 2, 5)), facings=(5, 0)), surface=surfaces.damask),
    Sample("04_legal_jokers", "Jokers in a run and in a group.",
           TableSpec((("R5", "J", "R7", "R8"), ("K11", "O11", "J"), run("B", 6, 10)), facings=(0, 180)),
           Shot(tilt_deg=25)),
    Sample("05_upside_down_rows", "Rows read from the far side, with 6 and 9.",
           TableSpec((run("K", 6, 9), run("R", 9, 6), group(6, "RBO"), group(9, "BKO")), facings=(180, 0, 180, 90)),
           surface=surfaces.ceramic, dress=_plain_numerals),
    Sample("06_club_evening", "A whole table, over 80 tiles, all legal.",
           TableSpec(_CLUB_EVENING, facings=(0, 0, 0, 180)), Shot(size_wh=(1920, 1080), tilt_deg=15)),
    Sample("07_white_on_white", "White tiles on a white cloth.",
           TableSpec((run("B", 3, 7), group(5, "RBKO"), run("R", 10, 12)), facings=(0, 350)),
           Shot(noise=0.3, tilt_deg=10), surface=_white, dress=_white_box),
    Sample("08_glare", "A lamp's highlights over the tiles; one whitens a numeral.",
           TableSpec((run("O", 3, 8), run("K", 8, 12), group(7, "RBK")), facings=(0, 8)),
           lighting=Lighting(glare=5, contrast=0.4)),
    Sample("09_rack", "A player's rack: no table to rule on.",
           TableSpec((("R2", "R3", "B9"), ("K12", "J", "O4", "O5"))), Shot(tilt_deg=40),
           surface=surfaces.damask, rack=True),
    Sample("10_covered_tile", "A hand covers a tile.",
           TableSpec((run("R", 4, 9), group(3, "RBK")), facings=(0,)), hands=((0.52, 0.36),)),
    Sample("11_face_down", "Two tiles lie face down beside legal sets.",
           TableSpec((run("K", 2, 5), group(13, "RBKO")), loose=("?", "?"))),
    Sample("12_loose_tile", "One tile belongs to no set.",
           TableSpec((run("B", 7, 9), run("O", 1, 4)), loose=("R11",), facings=(0, 90, 200))),
    Sample("13_four_sides", "Sets on all four sides of the table.",
           TableSpec((run("R", 1, 4), run("K", 9, 12), group(5, "BKO"), run("O", 6, 9)), facings=(0, 90, 180, 270)),
           Shot(size_wh=(1200, 1200), tilt_deg=10)),
    Sample("14_oblique", "Seen from a chair, 50 degrees off the vertical.",
           TableSpec((run("B", 4, 8), group(12, "RBK"), run("R", 2, 5), group(1, "RBKO"))),
           Shot(tilt_deg=50, view_deg=40)),
    Sample("15_lamp_light", "A warm, dim lamp from one side.",
           TableSpec((run("R", 8, 12), run("O", 8, 12), group(4, "BKO")), facings=(0, 185)),
           lighting=Lighting((0.8, -0.3), shadow=0.6, contrast=0.5, gain=0.6, cast=(0.72, 0.95, 1.15), blobs=1)),
    Sample("16_clutter", "A keyboard and a score pad beside the sets.",
           TableSpec((run("K", 3, 6), group(10, "RBO"), run("B", 11, 13)), facings=(0, 20)), Shot(fill=0.7),
           things=_clutter),
    Sample("17_mixed_run", "A run of two colours.",
           TableSpec((("B4", "B5", "K6", "B7"), group(2, "RKO"), run("O", 9, 11)), facings=(0, 180)),
           surface=surfaces.ceramic),
    Sample("18_macro", "Ten tiles close up.", TableSpec((run("R", 10, 13), group(6, "BKO"), ("O2", "J", "O4"))),
           Shot(size_wh=(1500, 1100), tilt_deg=12), dress=lambda box: replace(box, symbol=Symbol.NONE)),
)  # fmt: skip


def render_sample(sample: Sample) -> RenderedTable:
    """Render one sample; the seed is its name."""
    rng = np.random.default_rng(list(sample.name.encode()))
    box = sample.dress(replace(judge_box(rng), symbol=Symbol.NONE))
    if sample.rack:
        return _render_rack(rng, box, sample)
    things = sample.things(rng) if sample.things else ()
    return render_table(rng, box, sample.spec, sample.shot, sample.surface, sample.lighting, things, sample.hands)


def _render_rack(rng: np.random.Generator, box: StyledBox, sample: Sample) -> RenderedTable:
    """The sample's rows stand on the ledges of a rack, touching."""
    rows = sample.spec.rows
    feet: list[Placed] = []
    while len(feet) < len(rows):  # some racks have one ledge, none has more than two
        standing, boards = random_rack(rng, box, 10.0)
        by_height = {round(float(tile.centre[2]), 6): tile for tile in standing}
        feet = [by_height[height] for height in sorted(by_height, reverse=True)]
    placed, sizes = [], []
    for model, row in zip(feet, rows, strict=False):
        middle = model.centre * (0, 1, 1) + boards[0].corners[:2].mean(0) * (1, 0, 0)
        for k, code in enumerate(row):
            placed.append(
                replace(model, code=code, centre=middle + model.right * box.aspect * 1.01 * (k - len(row) / 2))
            )
        sizes.append(len(row))
    return photograph(rng, box, placed, sizes, len(sizes), sample.shot, sample.surface, sample.lighting, boards)


def write_samples(folder: Path) -> None:
    """Write ``photos/NAME.jpg`` and ``truth/NAME.json`` for every sample."""
    for part in ("photos", "truth"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    for sample in SAMPLES:
        table = render_sample(sample)
        photo = f"{sample.name}.jpg"
        (folder / "photos" / photo).write_bytes(encode(table, sample.shot))
        truth = truth_of(table, photo, "rack" if sample.rack else "table", sample.notes)
        (folder / "truth" / f"{sample.name}.json").write_text(json.dumps(truth, indent=1) + "\n")
        print(f"{photo}: {len(table.scene.tiles)} tiles")


if __name__ == "__main__":
    write_samples(Path(sys.argv[1] if len(sys.argv) > 1 else "sample_images"))
