"""How well the eyes read one kind of box, view, lamp or table after another: the worst kinds are found here.

    python -m tests.measure.families [--pictures 4] [--seed 1] [--models FOLDER] [--only TEXT] [--hard]

Every kind changes one thing of an ordinary table; with ``--hard``, of a table with small tiles, weak light and a weak
camera.  Fonts, palettes and surfaces are those that training never sees, unless the kind itself names another.  One
line a kind: of its legible tiles how many were read rightly, how many were read wrongly, missed or invented without a
flag (silent), and how many were flagged; then the commonest silent errors.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

import click
import cv2
import numpy as np
from numpy.typing import NDArray

from referee.observation import Observation
from tests.measure.judge_tables import random_legal_rows
from vision.look import Eyes
from vision.model_store import models_folder
from vision.render import effects, surfaces
from vision.render.club import judge_look
from vision.render.compose import Lighting, RenderedTile
from vision.render.faces import SixNineMark, StyledBox, Symbol
from vision.render.fonts import JUDGE_FONTS, NumeralShape, available_fonts
from vision.render.jokers import JokerFace
from vision.render.palettes import Bgr, from_hsv
from vision.render.scene import random_rack
from vision.render.strokes import Pen
from vision.render.surfaces import JUDGE_SURFACES, Surface
from vision.render.table import RenderedTable, Shot, TableSpec, photograph, render_table
from web.examine import FACE_DOWN_CODE, tile_code

Image = NDArray[np.uint8]
Dress = Callable[[StyledBox], StyledBox]
Spoil = Callable[[Image, np.random.Generator, float], Image]

LEAST_VISIBLE = 0.9
TILE_PX = 46.0
"""Tile height of an ordinary picture: a phone held over a table."""
FAIR_LIGHT = Lighting(towards=(-0.3, -0.4), shadow=0.4, softness=0.1, contrast=0.2, gain=0.95)


@dataclass(frozen=True, slots=True)
class Family:
    """One kind of table: what is unlike an ordinary one. ``tile_px`` is the tiles' median height in the picture."""

    name: str
    dress: Dress = lambda box: box
    tile_px: float = TILE_PX
    tilt_deg: float = 18.0
    lighting: Lighting = FAIR_LIGHT
    surface: Surface | None = None
    spoil: Spoil | None = None
    sets: int = 6
    jokers: int = 0
    """So many tiles are jokers, besides those that lie there by chance."""
    rack: bool = False
    noise: float = 0.3
    jpeg_quality: int = 85


@dataclass(slots=True)
class Tally:
    """Counts of one kind."""

    tiles: int = 0
    right: int = 0
    silent: int = 0
    flagged: int = 0
    errors: Counter[str] = field(default_factory=Counter)

    def add(self, other: Tally) -> None:
        """Count another tally in."""
        self.tiles += other.tiles
        self.right += other.right
        self.silent += other.silent
        self.flagged += other.flagged
        self.errors += other.errors

    def line(self, name: str) -> str:
        """One line of the table."""
        tiles = max(self.tiles, 1)
        errors = ", ".join(f"{error} ×{count}" for error, count in self.errors.most_common(4))
        return (
            f"{name:24s} {self.tiles:5d} tiles  right {self.right / tiles:7.2%}  silent {self.silent:3d}  "
            f"flagged {self.flagged / tiles:6.1%}  {errors}"
        )


def dressed(**changes: object) -> Dress:
    """A box with these fields changed."""
    return lambda box: replace(box, **changes)  # type: ignore[arg-type]


def inked(**inks: Bgr) -> Dress:
    """A box with these inks or this body."""
    return lambda box: replace(box, palette=replace(box.palette, **inks))


def shaped(**changes: object) -> Dress:
    """A box whose numerals are shaped so."""
    return lambda box: replace(box, numerals=replace(box.numerals, **changes))  # type: ignore[arg-type]


def penned(pen: Pen) -> Dress:
    """A box whose numerals are drawn with a pen."""
    return lambda box: replace(box, numerals=NumeralShape(box.numerals.font, tracking=0.1, pen=pen))


def okey(symbol: Symbol, dimple: float = 0.0, engraved: float = 0.0) -> Dress:
    """A box with large numerals over a symbol or a hollow."""
    return dressed(
        numeral_height=0.42, numeral_y=0.32, imprint="", dish_radius=0.0, symbol=symbol, dimple=dimple,
        imprint_y=0.78, engraved=engraved, mark=SixNineMark.NONE,
    )  # fmt: skip


def white_cloth(rng: np.random.Generator, side: int) -> Image:
    """A white table cloth."""
    return np.clip(238 + rng.normal(0, 2, (side, side, 1)) + np.zeros(3), 0, 255).astype(np.uint8)


def noisy(image: Image, rng: np.random.Generator, tile_px: float) -> Image:
    """Low light: strong coarse noise."""
    del tile_px
    return effects.sensor_noise(image, rng, 13.0, coarse=True)


def moved(image: Image, rng: np.random.Generator, tile_px: float) -> Image:
    """A moved camera."""
    return effects.motion_blur(image, max(1.5, 0.09 * tile_px), rng.uniform(0, 180))


def defocused(image: Image, rng: np.random.Generator, tile_px: float) -> Image:
    """A camera out of focus."""
    del rng
    return np.asarray(cv2.GaussianBlur(image, (0, 0), 0.035 * tile_px), np.uint8)


MAGENTA, TEAL = from_hsv(335, 0.75, 0.9), from_hsv(182, 0.85, 0.5)
FAMILIES: tuple[Family, ...] = (
    Family("ordinary"),
    *(Family(f"font {name}", shaped(font=name)) for name in JUDGE_FONTS),
    Family("pen square", penned(Pen(corner=7.0, stroke=0.13, width=0.6))),
    Family("pen square, straight 6", penned(Pen(corner=5.0, straight_tail=True, open_four=True))),
    Family("pen round thin", penned(Pen(corner=2.0, stroke=0.09, width=0.55))),
    Family("pen bare 1", penned(Pen(corner=3.0, stroke=0.12, one_flag=False, flat_three=True, crossed_seven=True))),
    Family("condensed", shaped(squeeze=0.6, tracking=0.06)),
    Family("slanted", shaped(slant=0.2)),
    Family("engraved", dressed(engraved=1.2, ink_strength=0.8)),
    Family("numeral 20 % high", dressed(numeral_height=0.20, numeral_y=0.24, imprint="", joker_size=0.5)),
    Family("numeral 13 % high", dressed(numeral_height=0.13, numeral_y=0.22, imprint="", joker_size=0.4)),
    Family("ink crimson", inked(red=from_hsv(348, 0.95, 0.62))),
    Family("ink pink and yellow", inked(red=MAGENTA, orange=from_hsv(52, 0.95, 0.93))),
    Family("ink teal", inked(blue=TEAL)),
    Family("ink cyan", inked(blue=from_hsv(190, 0.8, 0.85))),
    Family("ink navy", inked(blue=from_hsv(228, 0.85, 0.38))),
    Family("print faded", dressed(ink_strength=0.5)),
    Family("print rubbed off", dressed(patchy=0.35)),
    Family("body cream", inked(body=from_hsv(42, 0.3, 0.88))),
    Family("body cold", inked(body=from_hsv(215, 0.07, 0.97))),
    Family("6 and 9 unmarked", dressed(mark=SixNineMark.NONE, numeral_y=0.31, numeral_height=0.36, imprint="Kasimir")),
    Family("6 and 9 dotted", dressed(mark=SixNineMark.DOT)),
    Family("6 and 9 full stop", dressed(mark=SixNineMark.STOP)),
    *(Family(f"okey {symbol.value}", okey(symbol)) for symbol in Symbol if symbol is not Symbol.NONE),
    Family("okey hollow", okey(Symbol.NONE, dimple=0.1, engraved=0.8)),
    *(Family(f"joker {face.value}", dressed(joker_face=face), jokers=6) for face in JokerFace),
    Family("joker of two inks", dressed(joker_inks=("R", "B"), joker_two_inks=True), jokers=6),
    Family("thin tiles at 45°", dressed(thickness=0.06), tilt_deg=45),
    Family("thick tiles at 45°", dressed(thickness=0.42), tilt_deg=45),
    *(Family(f"view at {tilt}°", tilt_deg=tilt) for tilt in (0, 40, 50, 60, 66, 70)),
    *(Family(f"tile {size} px", tile_px=size, sets=2 if size > 100 else 6) for size in (18, 22, 28, 90, 200, 400)),
    Family("light dim", lighting=replace(FAIR_LIGHT, gain=0.33), noise=0.6),
    Family("light warm", lighting=replace(FAIR_LIGHT, cast=(0.62, 0.97, 1.3), gain=0.85)),
    Family("light cold", lighting=replace(FAIR_LIGHT, cast=(1.3, 1.02, 0.68), gain=0.85)),
    Family("hard shadows", lighting=replace(FAIR_LIGHT, shadow=0.85, softness=0.015, blobs=4, contrast=0.5)),
    Family("glare", lighting=replace(FAIR_LIGHT, glare=6)),
    Family("camera noisy", spoil=noisy),
    Family("camera moved", spoil=moved),
    Family("camera out of focus", spoil=defocused),
    Family("JPEG quality 30", jpeg_quality=30),
    Family("on marble", surface=surfaces.marble),
    Family("on stripes", surface=surfaces.stripes),
    Family("on a knitted blanket", surface=surfaces.knitted),
    Family("on printed oilcloth", surface=surfaces.printed),
    Family("white on white", inked(body=(243.0, 245.0, 246.0)), surface=white_cloth),
    Family("rack", rack=True, tilt_deg=25.0),
    Family("rack, okey heart", okey(Symbol.HEART, engraved=0.6), rack=True, tilt_deg=25.0),
)  # fmt: skip


def hardened(family: Family) -> Family:
    """The same kind in a picture that is hard already: small tiles seen aslant in weak light by a weak camera."""
    return replace(
        family,
        tile_px=28.0 if family.tile_px == TILE_PX else family.tile_px,
        tilt_deg=max(family.tilt_deg, 38.0),
        lighting=replace(family.lighting, gain=min(family.lighting.gain, 0.6), contrast=0.5),
        noise=max(family.noise, 0.8),
        jpeg_quality=min(family.jpeg_quality, 60),
    )


def spec_of(family: Family, rng: np.random.Generator) -> TableSpec:
    """Legal sets, some facing another way, with the jokers that the kind asks for."""
    rows = [list(row) for row in random_legal_rows(rng, family.sets)]
    for _ in range(family.jokers):
        row = rows[int(rng.integers(len(rows)))]
        row[int(rng.integers(len(row)))] = "J"
    facings = tuple(float(rng.choice([0, 0, 180, 90, rng.uniform(0, 360)])) for _ in range(5))
    return TableSpec(tuple(tuple(row) for row in rows), facings=facings, messy=0.6)


def photo_of(family: Family, number: int, seed: int) -> tuple[Image, tuple[RenderedTile, ...]]:
    """Picture ``number`` of a kind, uint8 (H, W, 3) BGR after JPEG, with its truth."""
    shot = Shot((900, 700), family.tilt_deg, 0.0, 45.0, noise=0.0)
    growth = 1.0
    for _ in range(2):  # farther away perspective is weaker, so that one step is not enough
        growth *= family.tile_px / median_height(_shown(family, number, seed, shot).scene.tiles)
        width, height = max(900, round(900 * growth)), max(700, round(700 * growth))
        shot = replace(shot, fill=min(1.0, growth), size_wh=(width, height))
    table = _shown(family, number, seed, replace(shot, noise=family.noise))
    rng = np.random.default_rng([seed, number])
    image = family.spoil(table.scene.image, rng, family.tile_px) if family.spoil else table.scene.image
    return effects.jpeg(image, family.jpeg_quality), table.scene.tiles


def _shown(family: Family, number: int, seed: int, shot: Shot) -> RenderedTable:
    """The table of a kind as this shot shows it; the same table for every shot."""
    rng = np.random.default_rng([seed, zlib.crc32(family.name.encode()), number])
    box = family.dress(judge_look(rng))
    if box.numeral_y < box.numeral_height / 2 + 0.06:
        box = replace(box, numeral_y=box.numeral_height / 2 + 0.06)
    surface = family.surface or JUDGE_SURFACES[int(rng.integers(len(JUDGE_SURFACES)))]
    if family.rack:
        placed, boards = random_rack(rng, box, 8.0)
        return photograph(rng, box, placed, [len(placed)], 1, shot, surface, family.lighting, boards)
    return render_table(rng, box, spec_of(family, rng), shot, surface, family.lighting)


def median_height(tiles: tuple[RenderedTile, ...]) -> float:
    """In pixels."""
    return float(
        np.median([np.linalg.norm(tile.quad[0] + tile.quad[1] - tile.quad[2] - tile.quad[3]) / 2 for tile in tiles])
    )


def compared(tiles: tuple[RenderedTile, ...], seen: Observation, joker_kinds: bool = False) -> Tally:
    """What was seen against the truth; tiles that nobody could read count only where they are surely misread.

    ``joker_kinds``: a joker of another kind is no right reading.
    """
    tally = Tally()
    centres = [np.mean(tile.quad, axis=0) for tile in seen.tiles]
    codes = [tile_code(tile) for tile in seen.tiles]
    if not joker_kinds:
        codes = ["J" if code.startswith("J") else code for code in codes]
    unread = [np.mean(quad, axis=0) for quad in seen.unread]
    loose = set(range(len(codes)))
    for tile in tiles:
        on_it = [k for k in sorted(loose) if _lies_in(centres[k], tile.quad)]
        loose -= set(on_it)
        excused = any(seen.tiles[k].doubtful for k in on_it) or any(_lies_in(spot, tile.quad) for spot in unread)
        right = [codes[k] for k in on_it] == [tile.code]
        if tile.visible < LEAST_VISIBLE or not tile.legible or tile.code == FACE_DOWN_CODE:
            surely_wrong = bool(on_it) and not right and not excused and codes[on_it[0]] != FACE_DOWN_CODE
            if surely_wrong and tile.visible >= LEAST_VISIBLE:
                tally.silent += 1
                tally.errors[f"hidden {tile.code}>{codes[on_it[0]]}"] += 1
            continue
        tally.tiles += 1
        tally.right += right
        tally.flagged += excused
        if not right and not excused:
            tally.silent += 1
            tally.errors[f"{tile.code}>{'+'.join(codes[k] for k in on_it) or 'missed'}"] += 1
    for k in loose:
        if not seen.tiles[k].doubtful and codes[k] != FACE_DOWN_CODE:
            tally.silent += 1
            tally.errors[f"nothing>{codes[k]}"] += 1
    return tally


def _lies_in(spot: NDArray[np.floating], quad: NDArray[np.float32]) -> bool:
    return cv2.pointPolygonTest(quad.astype(np.float32), (float(spot[0]), float(spot[1])), False) >= 0


@click.command()
@click.option("--pictures", default=4, show_default=True, help="So many pictures of each kind.")
@click.option("--seed", default=1, show_default=True)
@click.option("--models", type=click.Path(path_type=Path), help="Another folder of networks.")
@click.option("--only", default="", help="Only kinds whose name contains this.")
@click.option("--hard", is_flag=True, help="Each kind in pictures that are hard already.")
@click.option("--keep", type=click.Path(path_type=Path), help="Keep the pictures in this folder.")
def main(pictures: int, seed: int, models: Path | None, only: str, hard: bool, keep: Path | None) -> None:
    """Print the table of kinds."""
    cv2.setNumThreads(1)
    missing = set(JUDGE_FONTS) - set(available_fonts(JUDGE_FONTS))
    if missing:
        raise click.ClickException(f"these fonts are not installed: {', '.join(sorted(missing))} (make fonts)")
    eyes = Eyes.load(models or models_folder())
    total = Tally()
    for family in FAMILIES:
        if only not in family.name:
            continue
        tally = Tally()
        for number in range(pictures):
            image, tiles = photo_of(hardened(family) if hard else family, number, seed)
            if keep is not None:
                keep.mkdir(parents=True, exist_ok=True)
                cv2.imwrite(str(keep / f"{family.name.replace(' ', '_')}_{number}.jpg"), image)
            tally.add(compared(tiles, eyes.look(image).observation))
        click.echo(tally.line(family.name))
        total.add(tally)
    click.echo(total.line("all"))


if __name__ == "__main__":
    main()
