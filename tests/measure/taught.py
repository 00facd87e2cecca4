"""How much teaching a box helps, and whether it harms any other: hard boxes are laid out, learned and read elsewhere.

    python -m tests.measure.taught [--pictures 3] [--seed 1] [--models FOLDER] [--only TEXT] [--no-foreign]

Every box is taught from one rendered picture of all its tiles in order, seen at quads that are a little wrong, and then
read in other pictures: legal sets facing any way, on another table, under another lamp, aslant, or on racks.  One line
before and one after teaching: of the legible tiles how many were read rightly, silently wrong, and flagged.  Then the
same for pictures of ordinary boxes that are read with the wrong box in mind: they must not be read worse.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

import click
import cv2
import numpy as np
from numpy.typing import NDArray

from referee.tiles import parse_tile
from tests.measure.families import MAGENTA, Tally, compared, okey
from tests.measure.judge_tables import random_legal_rows
from vision.look import Eyes
from vision.model_store import DEFAULT_THREADS, load_model, models_folder, read_manifest
from vision.render import effects
from vision.render.club import judge_look
from vision.render.compose import Lighting, RenderedScene, lying
from vision.render.faces import Box, SixNineMark, StyledBox, Symbol
from vision.render.fonts import NumeralShape
from vision.render.jokers import JokerFace
from vision.render.palettes import Bgr, Palette, from_hsv
from vision.render.scene import random_rack
from vision.render.strokes import Pen
from vision.render.surfaces import JUDGE_SURFACES
from vision.render.table import Shot, TableSpec, photograph, render_table
from vision.taught.box import TaughtBox
from vision.taught.examples import Example, examples_of
from vision.taught.learn import teach

Image = NDArray[np.uint8]
REGULAR = ("J", "J")
TWIST = ("J", "J", "JD", "JD", "JC", "JC", "JM", "JM")
WORN_OUT = Palette(
    red=from_hsv(330, 0.6, 0.95),
    blue=from_hsv(178, 0.8, 0.55),
    black=from_hsv(250, 0.3, 0.25),
    orange=from_hsv(54, 0.95, 0.93),
    body=(225.0, 238.0, 243.0),
)
"""Pink, teal, violet-black and yellow."""


@dataclass(frozen=True)
class SpecialBox:
    """A box whose special jokers have faces of their own: ``specials`` lends each its joker."""

    base: StyledBox
    specials: dict[str, StyledBox] = field(default_factory=dict)

    @property
    def aspect(self) -> float:
        return self.base.aspect

    @property
    def thickness(self) -> float:
        return self.base.thickness

    @property
    def side(self) -> Bgr:
        return self.base.side

    def face(
        self, code: str, height_px: int, rng: np.random.Generator, light: tuple[float, float] = (0.0, 0.0)
    ) -> tuple[Image, Image]:
        box = self.specials.get(code, self.base)
        return box.face("J" if code in self.specials else code, height_px, rng, light)

    def numeral_area(self, code: str) -> tuple[float, float, float, float]:
        return self.specials.get(code, self.base).numeral_area("J" if code in self.specials else code)


@dataclass(frozen=True, slots=True)
class Club:
    """A box to teach: how it looks, its jokers, and whether it is met on racks."""

    name: str
    dress: Callable[[StyledBox], Box]
    jokers: tuple[str, ...] = REGULAR
    rack: bool = False

    def box(self, seed: int) -> Box:
        """The box, the same for the same seed."""
        return self.dress(judge_look(np.random.default_rng([seed, zlib.crc32(self.name.encode())])))


def tiny_pen(box: StyledBox) -> StyledBox:
    """Tiny square numerals in pink, teal and yellow, and a crown for a joker."""
    pen = Pen(corner=7.0, stroke=0.1, width=0.55, straight_tail=True, open_four=True, flat_three=True, one_flag=False)
    return replace(
        box, numerals=NumeralShape(box.numerals.font, squeeze=0.8, tracking=0.1, pen=pen), numeral_height=0.17,
        numeral_y=0.24, imprint="", joker_size=0.5, joker_face=JokerFace.CROWN, mark=SixNineMark.NONE, palette=WORN_OUT,
    )  # fmt: skip


def leaning(box: StyledBox) -> StyledBox:
    """Narrow numerals that lean to the left, cut into the tile and half rubbed out."""
    return replace(
        box, numerals=NumeralShape("YanoneKaffeesatz-Bold", squeeze=0.6, slant=-0.35, tracking=0.12), engraved=1.2,
        ink_strength=0.65, numeral_height=0.27, numeral_y=0.32, palette=WORN_OUT, joker_face=JokerFace.MIRROR,
        mark=SixNineMark.NONE,
    )  # fmt: skip


def scrawled(box: StyledBox) -> StyledBox:
    """Wide angular digits written by hand with a thin pen, in magenta and yellow."""
    pen = Pen(corner=1.25, stroke=0.09, width=0.8, open_four=True, one_foot=True, flat_three=True, crossed_seven=True)
    return replace(
        box, numerals=NumeralShape(box.numerals.font, slant=0.25, tracking=0.14, pen=pen), ink_strength=0.8,
        palette=replace(WORN_OUT, red=MAGENTA), numeral_height=0.25, numeral_y=0.3, joker_face=JokerFace.STAR,
        mark=SixNineMark.NONE,
    )  # fmt: skip


def twisted(box: StyledBox) -> SpecialBox:
    """An ordinary box with the four kinds of joker."""
    faces = {"JD": JokerFace.DOUBLE, "JC": JokerFace.CHANGE, "JM": JokerFace.MIRROR}
    base = replace(box, joker_face=JokerFace.SMILE)
    return SpecialBox(base, {code: replace(base, joker_face=face) for code, face in faces.items()})


CLUBS = (
    Club("tiny square pen", tiny_pen),
    Club("leaning, engraved", leaning),
    Club("scrawled", scrawled),
    Club("Twist", twisted, TWIST),
    Club("Okey on racks", okey(Symbol.HEART, dimple=0.1, engraved=0.9), rack=True),
    Club("ordinary", lambda box: box),
)


def laid_out(club: Club, seed: int, size_wh: tuple[int, int] = (2400, 1800)) -> RenderedScene:
    """All tiles of a club's box in order, as they are taught: rows of one colour, second copies below, jokers last."""
    rng = np.random.default_rng([seed, 7])
    box = club.box(seed)
    rows = [tuple(f"{colour}{number}" for number in range(1, 14)) for colour in "RBKO" for _ in range(2)]
    rows.append(club.jokers)
    placed = [
        lying(
            code,
            (k - 6) * box.aspect * 1.12 + rng.normal(0, 0.015),
            (r - 4) * 1.18 + rng.normal(0, 0.015),
            rng.normal(0, 1.5),
        )
        for r, row in enumerate(rows)
        for k, code in enumerate(row)
    ]
    shot = Shot(size_wh, 12.0, 0.0, 50.0, noise=0.4)
    surface = JUDGE_SURFACES[seed % len(JUDGE_SURFACES)]
    return photograph(rng, box, placed, [len(row) for row in rows], len(rows), shot, surface, lamp(rng, 0.05)).scene


def in_play(club: Club, seed: int, number: int) -> RenderedScene:
    """Picture ``number`` of a club's box in use: another table, lamp and view."""
    rng = np.random.default_rng([seed, number, 11])
    box = club.box(seed)
    shot = Shot((1600, 1200), float(rng.uniform(5, 40)), 0.0, 50.0, noise=float(rng.uniform(0.3, 0.6)))
    surface = JUDGE_SURFACES[int(rng.integers(len(JUDGE_SURFACES)))]
    if club.rack:
        placed, boards = random_rack(rng, box, 8.0)
        shot = replace(shot, tilt_deg=25.0, size_wh=(1280, 960))
        return photograph(rng, box, placed, [len(placed)], 1, shot, surface, lamp(rng, 0.12), boards).scene
    rows = [list(row) for row in random_legal_rows(rng, 8)]
    for joker in club.jokers:
        row = rows[int(rng.integers(len(rows)))]
        row[int(rng.integers(len(row)))] = joker
    facings = tuple(float(rng.choice([0, 0, 180, 90, rng.uniform(0, 360)])) for _ in range(5))
    spec = TableSpec(tuple(tuple(row) for row in rows), facings=facings, messy=0.6)
    return render_table(rng, box, spec, shot, surface, lamp(rng, 0.12)).scene


def lamp(rng: np.random.Generator, tint: float) -> Lighting:
    """A lamp as people read by: from anywhere, brighter or dimmer, tinted by about ``tint``."""
    angle, raking = rng.uniform(0, 2 * np.pi), rng.uniform(0.2, 0.8)
    blue, green, red = np.exp(rng.normal(0, tint, 3)).tolist()
    return Lighting(
        towards=(float(raking * np.cos(angle)), float(raking * np.sin(angle))),
        shadow=0.5,
        softness=0.1,
        contrast=float(rng.uniform(0.1, 0.4)),
        gain=float(rng.uniform(0.55, 1.05)),
        cast=(blue, green, red),
    )


def examples_in(scene: RenderedScene, seed: int) -> tuple[Example, ...]:
    """Examples at quads that are as wrong as a reader's."""
    quads = np.stack([tile.quad for tile in scene.tiles])
    heights = np.linalg.norm(quads[:, 0] - quads[:, 3], axis=1)
    quads = quads + 0.012 * heights[:, None, None] * np.random.default_rng(seed).normal(size=quads.shape)
    return examples_of(effects.jpeg(scene.image, 88), quads, tuple(parse_tile(tile.code) for tile in scene.tiles))


def taught(club: Club, seed: int, models: Path) -> TaughtBox:
    """A club's box, learned from one picture of it laid out."""
    manifest = read_manifest(models)
    reader = load_model("reader", manifest, models, threads=DEFAULT_THREADS)
    return teach(club.name, examples_in(laid_out(club, seed), seed), reader, manifest.models["reader"].sha256)


def tallied(eyes: Eyes, scenes: list[RenderedScene], kinds: bool) -> Tally:
    """What these eyes make of some pictures, after JPEG."""
    tally = Tally()
    for scene in scenes:
        tally.add(compared(scene.tiles, eyes.look(effects.jpeg(scene.image, 85)).observation, joker_kinds=kinds))
    return tally


@click.command()
@click.option("--pictures", default=3, show_default=True, help="So many pictures of each box in use.")
@click.option("--seed", default=1, show_default=True)
@click.option("--models", type=click.Path(path_type=Path), help="Another folder of networks.")
@click.option("--only", default="", help="Only boxes whose name contains this.")
@click.option("--foreign/--no-foreign", default=True, help="Read ordinary boxes with each box in mind, too.")
def main(pictures: int, seed: int, models: Path | None, only: str, foreign: bool) -> None:
    """Print the table of boxes."""
    cv2.setNumThreads(1)
    folder = models or models_folder()
    plain = Eyes.load(folder)
    others = [in_play(Club(f"foreign {k}", lambda box: box), seed + 50 + k, k) for k in range(pictures)]
    if foreign:
        click.echo(tallied(plain, others, kinds=False).line("others, untaught"))
    for club in CLUBS:
        if only not in club.name:
            continue
        scenes = [in_play(club, seed, number) for number in range(pictures)]
        box = taught(club, seed, folder)
        eyes = Eyes.load(folder, box=box)
        click.echo(tallied(plain, scenes, kinds=True).line(club.name))
        click.echo(tallied(eyes, scenes, kinds=True).line("  taught"))
        if foreign:
            click.echo(tallied(eyes, others, kinds=False).line("  others read with it"))


if __name__ == "__main__":
    main()
