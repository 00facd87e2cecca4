"""Tables staged for one hard case each: rendered with their truth, and compared with what the eyes say of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.observation import Observation
from tests.measure.families import FAIR_LIGHT, Tally, compared
from vision.look import Eyes
from vision.render import effects
from vision.render.club import judge_look
from vision.render.compose import Lighting, Placed, RenderedTile, lying
from vision.render.faces import StyledBox
from vision.render.fonts import NumeralShape
from vision.render.palettes import JUDGE_PALETTES, Palette
from vision.render.surfaces import Surface, damask
from vision.render.table import Shot, TableSpec, photograph, render_table
from web.examine import tile_code

Image = NDArray[np.uint8]
ROWS = ("R5 R6 R7 R8", "B1 K1 O1", "K9 K10 K11 K12", "O6 O7 O8 O9", "B11 B12 B13", "R2 B2 O2")
"""All colours, all kinds of numeral, 21 tiles."""
SHOT = Shot((720, 560), tilt_deg=15.0, noise=0.0)


@dataclass(frozen=True, slots=True)
class Staged:
    """A picture, uint8 (H, W, 3) BGR, with the truth of its tiles."""

    image: Image
    tiles: tuple[RenderedTile, ...]

    def changed(self, change: Callable[[Image], Image]) -> Staged:
        """The same table in a changed picture of the same size."""
        return replace(self, image=np.ascontiguousarray(change(self.image)))


def plain_box(palette: Palette = JUDGE_PALETTES[1], seed: int = 3) -> StyledBox:
    """A box of ordinary size and print in a font that no network saw."""
    box = judge_look(np.random.default_rng(seed))
    return replace(
        box, palette=palette, numerals=NumeralShape("Lato-Bold"), numeral_height=0.36, numeral_y=0.33, aspect=0.7,
        thickness=0.2, imprint="", engraved=0.0, ink_strength=1.0, patchy=0.0, dish_radius=0.0, gloss=0.03,
    )  # fmt: skip


def staged(
    rows: Sequence[str] = ROWS,
    box: StyledBox | None = None,
    *,
    loose: str = "",
    shot: Shot = SHOT,
    surface: Surface = damask,
    lighting: Lighting = FAIR_LIGHT,
    facings: tuple[float, ...] = (0.0,),
    hands: tuple[tuple[float, float], ...] = (),
    messy: float = 0.5,
    jpeg: int = 88,
    seed: int = 1,
) -> Staged:
    """Rows of tiles laid out without touching each other, as a photo."""
    rng = np.random.default_rng(seed)
    spec = TableSpec(tuple(tuple(row.split()) for row in rows), tuple(loose.split()), facings, messy)
    scene = render_table(rng, box or plain_box(), spec, shot, surface, lighting, hands=hands).scene
    return Staged(effects.jpeg(scene.image, jpeg), scene.tiles)


def laid(
    placed: Sequence[tuple[str, float, float, float]],
    box: StyledBox | None = None,
    *,
    shot: Shot = SHOT,
    surface: Surface = damask,
    lighting: Lighting = FAIR_LIGHT,
    seed: int = 1,
) -> Staged:
    """Tiles laid by hand: code, x and y in tile heights, and the turn in degrees."""
    rng = np.random.default_rng(seed)
    tiles: list[Placed] = [lying(*one) for one in placed]
    scene = photograph(
        rng, box or plain_box(), tiles, [len(tiles)], 1, shot, surface, lighting
    ).scene  # fmt: skip
    return Staged(effects.jpeg(scene.image, 88), scene.tiles)


def row_of(
    codes: str, x: float, y: float, turn: float = 0.0, step: float = 0.71
) -> list[tuple[str, float, float, float]]:
    """A row beginning at (x, y) that runs along its own turn."""
    way = np.array([np.cos(np.radians(turn)), np.sin(np.radians(turn))])
    return [
        (code, float(x + k * step * way[0]), float(y + k * step * way[1]), turn) for k, code in enumerate(codes.split())
    ]


def looked(eyes: Eyes, table: Staged) -> tuple[Tally, Observation]:
    """What the eyes say of a table, counted against its truth, and the observation itself."""
    observation = eyes.look(table.image).observation
    return compared(table.tiles, observation), observation


def rows_seen(observation: Observation) -> list[str]:
    """The rows in reading order, in the notation."""
    codes = [tile_code(tile) for tile in observation.tiles]
    return sorted(" ".join(codes[i] for i in row.tiles) for row in observation.rows)


def covered(table: Staged, index: int, part: tuple[float, float, float, float], colour: tuple[int, int, int]) -> Staged:
    """The same table with something opaque over a part of one face: left, top, right, bottom in shares of the face."""
    left, top, right, bottom = part
    unit = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)
    homography = cv2.getPerspectiveTransform(unit, table.tiles[index].quad.astype(np.float32))
    corners = np.array([[[left, top], [right, top], [right, bottom], [left, bottom]]], np.float32)
    polygon = cv2.perspectiveTransform(corners, homography)[0]
    image = table.image.copy()
    cv2.fillConvexPoly(image, np.round(polygon * 16).astype(np.int32), colour, cv2.LINE_AA, 4)
    return replace(table, image=image)
