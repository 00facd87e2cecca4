"""How well rows are made: one kind of lay-out after another, from known quads and through the eyes.

    python -m tests.measure.rows [--tables 40] [--pictures 4] [--seed 1] [--only TEXT] [--sigma 0.02]

One line a kind: of how many tables all rows are right, in reading order, when the layout gets the true quads with
their corners moved a little (``--sigma``, in tile sizes), and when the eyes look at a rendered photo; then what was
wrong.  A row is told as by the labels of real photos: neighbours with a gap up to 0.3 tile widths, an offset up to 0.45
and a turn up to 10.5 degrees.  The kinds keep off these limits by as much as corners move.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

import click
import cv2
import numpy as np
from numpy.typing import NDArray

from referee.observation import Observation
from tests.measure.families import FAIR_LIGHT
from vision.layout import arrange
from vision.look import Eyes
from vision.model_store import models_folder
from vision.render.camera import look_at_table
from vision.render.club import judge_look
from vision.render.compose import Board, Placed, RenderedScene, RenderedTile, lying
from vision.render.faces import BACK, StyledBox
from vision.render.fonts import JUDGE_FONTS, available_fonts
from vision.render.scene import random_code, random_rack
from vision.render.surfaces import JUDGE_SURFACES
from vision.render.table import RenderedTable, Shot, photograph

Floats = NDArray[np.float64]
Rows = list[tuple[int, ...]]

HEIGHT = 1.42
"""Of a tile, in tile widths."""
PICTURE = (1200, 900)
SIGMA = 0.02
"""How far corners are moved each way, in tile sizes.

The eyes' corners are off by less: on rendered pictures by 0.011 in the median and 0.044 in the 99th percentile."""


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a tile lies on the table: its centre in tile widths, and its turn in degrees, clockwise."""

    x: float
    y: float
    degrees: float = 0.0


Plan = list[list[Spot]]
"""Rows of a table, each in reading order; a row of one tile is a tile lying alone."""


@dataclass(frozen=True, slots=True)
class Kind:
    """One way in which tiles lie; ``tilt`` are the least and the largest angle of the camera."""

    name: str
    lay: Callable[[np.random.Generator], Plan] | None
    """None: on a rack, whose ledges the renderer fills."""
    tilt: tuple[float, float] = (0.0, 35.0)
    lens: float = 0.0
    """How far the lens moves the picture's corners outwards, as a share of their distance from the middle."""

    @property
    def rack(self) -> bool:
        return self.lay is None


def chain(
    start: Spot, turns: Sequence[float], gaps: Sequence[float], facings: Sequence[float] | None = None
) -> list[Spot]:
    """A row that begins at ``start``: neighbours ``gaps`` apart (in the middle of their sides), turned by ``turns``."""
    place, degrees = np.array([start.x, start.y]), start.degrees
    spots = [start]
    for turn, gap in zip(turns, gaps, strict=True):
        for angle in np.radians([degrees, degrees + turn]):
            place = place + (0.5 + gap / 2) * np.array([np.cos(angle), np.sin(angle)])
        degrees += turn
        spots.append(Spot(float(place[0]), float(place[1]), degrees))
    if facings is None:
        return spots
    return [Spot(spot.x, spot.y, spot.degrees + facing) for spot, facing in zip(spots, facings, strict=True)]


def straight(start: Spot, count: int, rng: np.random.Generator, gaps: tuple[float, float] = (0.0, 0.06)) -> list[Spot]:
    """A row as people lay it: nearly straight, its tiles nearly touching."""
    turns = np.clip(rng.normal(0, 0.8, count - 1), -2, 2)
    return chain(start, turns.tolist(), rng.uniform(*gaps, count - 1).tolist())


def length(rng: np.random.Generator, least: int = 3) -> int:
    """How many tiles a set has."""
    return max(least, int(rng.choice([3, 3, 4, 4, 5, 6, 8, 10])))


def bent(turn: float) -> Callable[[np.random.Generator], Plan]:
    """Arcs that turn by so many degrees from tile to tile, about as much at each."""

    def lay(rng: np.random.Generator) -> Plan:
        plan = []
        for number in range(3):
            steps = length(rng, 5) - 1
            turns = float(rng.choice([-1, 1])) * turn * rng.uniform(0.9, 1.05, steps)
            plan.append(chain(Spot(0, 9.0 * number), turns.tolist(), rng.uniform(0.0, 0.12, steps).tolist()))
        return apart(plan)

    return lay


def winding(rng: np.random.Generator) -> Plan:
    """Rows that bend one way and then the other."""
    plan = []
    for number in range(3):
        steps = length(rng, 8) - 1
        turns = 7.5 * np.sin(np.linspace(0, 2 * np.pi, steps) + rng.uniform(0, 6))
        plan.append(chain(Spot(0, 9.0 * number), turns.tolist(), rng.uniform(0.0, 0.1, steps).tolist()))
    return apart(plan)


def apart(plan: Plan) -> Plan:
    """The same rows moved one below the other with room between them."""
    moved, top = [], 0.0
    for row in plan:
        low = min(spot.y for spot in row)
        high = max(spot.y for spot in row)
        moved.append([Spot(spot.x, spot.y - low + top, spot.degrees) for spot in row])
        top += high - low + 2.3
    return moved


def any_angle(rng: np.random.Generator) -> Plan:
    """Sets facing any way, near one another but not touching."""
    plan: Plan = []
    taken: list[Floats] = []
    for _ in range(200):
        if len(plan) == 7:
            break
        angle = float(rng.uniform(0, 360))
        row = straight(Spot(float(rng.uniform(-7, 7)), float(rng.uniform(-7, 7)), angle), length(rng), rng)
        points = np.array([(spot.x, spot.y) for spot in row])
        if all(np.linalg.norm(points[:, None] - other[None], axis=2).min() > 2.1 for other in taken):
            plan.append(row)
            taken.append(points)
    return plan


def at_corners(rng: np.random.Generator) -> Plan:
    """A stair of rows, each touching the one before at a corner only, some turned by a quarter."""
    plan: Plan = []
    x = y = 0.0
    for _ in range(4):
        count = length(rng)
        row = straight(Spot(x, y, float(rng.normal(0, 0.7))), count, rng, (0.0, 0.03))
        if rng.random() < 0.5:
            row = [Spot(spot.x, spot.y, spot.degrees + 180) for spot in reversed(row)]
        plan.append(row)
        right = max(row, key=lambda spot: spot.x)
        slack = rng.uniform(-0.1, 0.04)
        if rng.random() < 0.5:
            x, y = right.x + 1 + slack, right.y + HEIGHT + rng.uniform(0, 0.04)
        else:  # a row going down from the corner, then on from there
            down = Spot(right.x + 0.5 + HEIGHT / 2 + 0.02, right.y + HEIGHT / 2 + 0.5 + rng.uniform(0.0, 0.04), 90)
            upright = straight(down, 3, rng, (0.0, 0.03))
            plan.append(upright)
            x, y = down.x + HEIGHT / 2 + 0.52, upright[-1].y + 0.52 + HEIGHT / 2
    return plan


def stacked(least_gap: float, most_gap: float) -> Callable[[np.random.Generator], Plan]:
    """Rows right under one another, tiles of a row so far apart, their columns in step or out of it."""

    def lay(rng: np.random.Generator) -> Plan:
        gap = float(rng.uniform(least_gap, most_gap))
        plan = []
        for line in range(int(rng.integers(2, 5))):
            start = Spot(float(rng.uniform(0, 1.0)), line * (HEIGHT + float(rng.uniform(0.0, 0.03))))
            count = length(rng)
            gaps = np.clip(gap + rng.normal(0, 0.02, count - 1), -0.02, 0.26).tolist()
            plan.append(chain(start, [0.0] * (count - 1), gaps))
        return plan

    return lay


def columns(rng: np.random.Generator) -> Plan:
    """Rows right under one another, in step, their tiles too far apart for rows: all lie alone."""
    gap = float(rng.uniform(0.38, 0.6))
    return [[Spot(k * (1 + gap), line * (HEIGHT + 0.02))] for line in range(3) for k in range(5)]


def in_one_line(least: float, most: float, joined: bool) -> Callable[[np.random.Generator], Plan]:
    """Two sets in one line with such a gap between them."""

    def lay(rng: np.random.Generator) -> Plan:
        plan: Plan = []
        for line in range(4):
            first = straight(Spot(0, 2.2 * line, float(rng.normal(0, 2))), length(rng), rng)
            gap = float(rng.uniform(least, most))
            second = chain(first[-1], [0.0], [gap])[-1:]
            second += straight(second[0], length(rng), rng)[1:]
            plan += [first + second] if joined else [first, second]
        return plan

    return lay


def mixed_facing(rng: np.random.Generator) -> Plan:
    """Rows in which less than half of the tiles lie upside down, as seen from the other side of the table."""
    plan = []
    for line in range(4):
        count = length(rng, 4)
        facings = np.zeros(count)
        facings[rng.permutation(count)[: int(rng.integers(1, (count - 1) // 2 + 1))]] = 180
        turns, gaps = rng.normal(0, 0.6, count - 1), rng.uniform(0, 0.06, count - 1)
        plan.append(chain(Spot(0, 2.2 * line), turns.tolist(), gaps.tolist(), facings.tolist()))
    return plan


def overlapping(rng: np.random.Generator) -> Plan:
    """Rows whose tiles lie partly on one another."""
    plan = []
    for line in range(3):
        count = length(rng)
        gaps = np.where(rng.random(count - 1) < 0.6, rng.uniform(-0.28, -0.05, count - 1), 0.02)
        turns = np.clip(rng.normal(0, 1.5, count - 1), -4, 4)
        plan.append(chain(Spot(0, 2.4 * line), turns.tolist(), gaps.tolist()))
    return plan


def strays(rng: np.random.Generator) -> Plan:
    """Tiles lying near a row, but beside it too far off, too far up or turned too much, or right above it."""
    plan: Plan = []
    for line in range(3):
        row = straight(Spot(0, 5.2 * line), length(rng), rng)
        last, top = row[-1], row[int(rng.integers(len(row)))]
        way = int(rng.integers(4))
        if way == 0:
            stray = Spot(last.x + 1 + float(rng.uniform(0.36, 0.6)), last.y, float(rng.normal(0, 4)))
        elif way == 1:
            stray = Spot(last.x + 1.06, last.y + float(rng.choice([-1, 1]) * rng.uniform(0.55, 0.9)))
        elif way == 2:
            stray = Spot(last.x + 1.3, last.y, float(rng.choice([-1, 1]) * rng.uniform(15, 75)))
        else:
            stray = Spot(top.x + float(rng.uniform(-0.5, 0.5)), top.y - HEIGHT - 0.03, float(rng.normal(0, 2)))
        plan += [row, [stray]]
    return plan


def crossing(rng: np.random.Generator) -> Plan:
    """Rows that meet in a T or an L: one ends at the foot, the top or the end of another."""
    plan: Plan = []
    for number in range(3):
        x = 14.0 * number
        row = straight(Spot(x, 0), length(rng, 4), rng)
        other = length(rng)
        way = int(rng.integers(3))
        if way == 0:  # T: down from the foot of a tile
            top = row[int(rng.integers(1, len(row) - 1))]
            start = Spot(top.x + float(rng.uniform(-0.3, 0.3)), top.y + HEIGHT / 2 + 0.52, 90)
        elif way == 1:  # L: down from beside the last tile
            start = Spot(row[-1].x + 0.5 + HEIGHT / 2 + 0.02, row[-1].y + float(rng.uniform(-0.15, 0.15)), 90)
        else:  # T lying: a row that runs into the end of another one
            start = Spot(row[-1].x + 0.52 + HEIGHT / 2, row[-1].y - float(rng.uniform(0.8, 1.2)), 90)
        plan += [row, straight(start, other, rng)]
    return plan


def few(rng: np.random.Generator) -> Plan:
    """One or two short rows: there is little to tell the lie of the table by."""
    return [straight(Spot(0, 2.4 * line), length(rng), rng, (0.0, 0.2)) for line in range(int(rng.integers(1, 3)))]


def full_table(rng: np.random.Generator) -> Plan:
    """Many sets in several columns, at the distances that a full table leaves."""
    plan: Plan = []
    for line in range(6):
        x = 0.0
        for _ in range(3):
            row = straight(Spot(x, 1.75 * line, float(rng.normal(0, 1.5))), length(rng), rng)
            plan.append(row)
            x = row[-1].x + 1 + float(rng.uniform(0.5, 1.2))
    return plan


KINDS: tuple[Kind, ...] = (
    *(Kind(f"bent {turn} a tile", bent(turn)) for turn in (3.0, 6.0, 8.5)),
    Kind("winding", winding),
    Kind("any angle", any_angle),
    Kind("corners touch", at_corners),
    Kind("stacked", stacked(0.0, 0.05)),
    Kind("stacked, tiles apart", stacked(0.12, 0.24)),
    Kind("columns of single tiles", columns),
    Kind("one line, gap to 0.25", in_one_line(0.0, 0.25, joined=True)),
    Kind("one line, gap from 0.36", in_one_line(0.36, 0.5, joined=False)),
    Kind("mixed facing", mixed_facing),
    Kind("overlapping", overlapping),
    Kind("strays", strays),
    Kind("T and L", crossing),
    Kind("few tiles", few),
    Kind("few tiles, 45 to 60", few, (45, 60)),
    Kind("full table", full_table),
    Kind("full table, 45 to 60", full_table, (45, 60)),
    Kind("any angle, 45 to 60", any_angle, (45, 60)),
    Kind("bent 6 a tile, 45 to 60", bent(6.0), (45, 60)),
    Kind("stacked, 45 to 60", stacked(0.0, 0.2), (45, 60)),
    Kind("full table, webcam lens", full_table, lens=-0.14),
    Kind("stacked, webcam lens", stacked(0.0, 0.2), lens=-0.14),
    Kind("rack", None, (10, 45)),
)


@dataclass(frozen=True, slots=True)
class Laid:
    """A table before its photo: the tiles of each row and then those that lie alone, and the camera's place."""

    kind: Kind
    box: StyledBox
    groups: tuple[tuple[Placed, ...], ...]
    tilt: float
    view: float
    boards: tuple[Board, ...] = ()

    @property
    def tiles(self) -> list[Placed]:
        return [tile for group in self.groups for tile in group]

    @property
    def rows(self) -> Rows:
        """The rows as indices into ``tiles``."""
        rows, start = [], 0
        for group in self.groups:
            rows.append(tuple(range(start, start + len(group))))
            start += len(group)
        return [row for row in rows if len(row) > 1]


def laid(kind: Kind, number: int, seed: int) -> Laid:
    """Table ``number`` of a kind, in a box that training never saw, its tiles of the usual shape."""
    rng = np.random.default_rng([seed, zlib.crc32(kind.name.encode()), number])
    box = replace(judge_look(rng), aspect=1 / HEIGHT)
    tilt, view = float(rng.uniform(*kind.tilt)), float(rng.uniform(35, 65))
    if kind.lay is None:
        groups, boards = on_ledges(rng, box)
        return Laid(kind, box, groups, tilt, view, boards)
    plan = sorted(kind.lay(rng), key=lambda row: len(row) == 1)
    return Laid(kind, box, turned(plan, float(rng.uniform(0, 360)), rng), tilt, view)


def turned(plan: Plan, spin: float, rng: np.random.Generator) -> tuple[tuple[Placed, ...], ...]:
    """The plan on the table, turned by ``spin`` degrees about its middle; random tiles."""
    points = np.array([(spot.x, spot.y) for row in plan for spot in row])
    middle = (points.min(axis=0) + points.max(axis=0)) / 2
    cosine, sine = np.cos(np.radians(spin)), np.sin(np.radians(spin))

    def placed(spot: Spot) -> Placed:
        x, y = (spot.x - middle[0]) / HEIGHT, (spot.y - middle[1]) / HEIGHT
        code = random_code(rng, backs=0, jokers=0.03)
        return lying(code, x * cosine - y * sine, x * sine + y * cosine, spot.degrees + spin)

    return tuple(tuple(placed(spot) for spot in row) for row in plan)


def on_ledges(rng: np.random.Generator, box: StyledBox) -> tuple[tuple[tuple[Placed, ...], ...], tuple[Board, ...]]:
    """A rack with one or two ledges, its tiles touching or clearly apart; they are told bunch by bunch."""
    while True:
        tiles, boards = random_rack(rng, box, 8.0)
        ledges: dict[float, list[Placed]] = {round(float(tile.centre[2]), 3): [] for tile in tiles}
        for tile in tiles:
            ledges[round(float(tile.centre[2]), 3)].append(tile)
        gaps = [
            float(b.centre[0] - a.centre[0]) / box.aspect - 1 for ledge in ledges.values() for a, b in pairwise(ledge)
        ]
        if tiles and not any(0.07 < gap < 0.15 for gap in gaps) and all(tile.code != BACK for tile in tiles):
            break
    groups: list[list[Placed]] = []
    for ledge in ledges.values():
        for k, tile in enumerate(ledge):
            if k and float(tile.centre[0] - ledge[k - 1].centre[0]) / box.aspect < 1.1:
                groups[-1].append(tile)
            else:
                groups.append([tile])
    ordered = sorted(groups, key=lambda group: len(group) == 1)
    return tuple(tuple(group) for group in ordered), boards


def true_quads(table: Laid) -> Floats:
    """The quads (N, 4, 2) as a perfect camera sees them, in the order of ``table.tiles``."""
    corners = np.array([tile.corners(table.box.aspect, table.box.thickness) for tile in table.tiles])
    extent = float(np.ptp(corners.reshape(-1, 3), axis=0).max())
    camera = look_at_table(*PICTURE, 0.75 * PICTURE[0] / max(extent, 4.0), table.tilt, 0.0, table.view)
    return through_lens(camera.project(corners), table.kind.lens)


def through_lens(points: Floats, lens: float) -> Floats:
    """Where a lens shows the points (..., 2) of a picture."""
    middle = np.array(PICTURE) / 2
    away = (points - middle) / np.linalg.norm(middle)
    farther = 1 + lens * np.square(away).sum(axis=-1, keepdims=True)
    return np.asarray(middle + np.linalg.norm(middle) * away * farther, np.float64)


def moved(quads: Floats, sigma: float, rng: np.random.Generator) -> Floats:
    """Corners moved by ``sigma`` tile sizes, each by itself."""
    across, along = quads[:, 2] - quads[:, 0], quads[:, 3] - quads[:, 1]
    size = np.sqrt(np.abs(across[:, 0] * along[:, 1] - across[:, 1] * along[:, 0]) / 2)
    return quads + rng.normal(size=quads.shape) * sigma * size[:, None, None]


def rows_by_layout(table: Laid, sigma: float, number: int) -> Rows:
    """The rows that the layout makes of the true quads with their corners moved."""
    quads = moved(true_quads(table), sigma, np.random.default_rng([7, number]))
    layout = arrange(quads, np.ones(len(quads), bool), np.full(len(quads), table.kind.rack))
    return [row.tiles for row in layout.rows]


def photo_of(table: Laid, number: int) -> RenderedTable:
    """The table in a picture on a surface that training never saw."""
    rng = np.random.default_rng([3, number])
    shot = Shot(PICTURE, table.tilt, 0.0, table.view, noise=0.3)
    surface = JUDGE_SURFACES[int(rng.integers(len(JUDGE_SURFACES)))]
    sizes = [len(group) for group in table.groups]
    taken = photograph(rng, table.box, table.tiles, sizes, len(table.rows), shot, surface, FAIR_LIGHT, table.boards)
    lens = table.kind.lens
    if not lens:
        return taken
    seen = np.stack(np.meshgrid(*(np.arange(side, dtype=np.float64) for side in PICTURE)), axis=-1)
    source = seen
    for _ in range(8):  # where a pixel comes from: the lens undone step by step
        source = source + seen - through_lens(source, lens)
    columns, lines = source[..., 0].astype(np.float32), source[..., 1].astype(np.float32)
    image = np.asarray(cv2.remap(taken.scene.image, columns, lines, cv2.INTER_LINEAR), np.uint8)
    tiles = tuple(
        replace(tile, quad=through_lens(tile.quad.astype(np.float64), lens).astype(np.float32))
        for tile in taken.scene.tiles
    )
    return replace(taken, scene=RenderedScene(image, tiles))


def rows_seen(truth: Sequence[RenderedTile], seen: Observation) -> tuple[Rows, int]:
    """The rows of an observation as indices into the true tiles, and how many tiles were missed or invented.

    A tile that lies on no true one has the index -1.
    """
    centres = [np.mean(tile.quad, axis=0) for tile in seen.tiles]
    index = [next((k for k, tile in enumerate(truth) if _lies_in(spot, tile.quad)), -1) for spot in centres]
    missed = len(truth) - len({k for k in index if k >= 0})
    return [tuple(index[i] for i in row.tiles) for row in seen.rows], missed + index.count(-1)


def _lies_in(spot: Floats, quad: NDArray[np.float32]) -> bool:
    return cv2.pointPolygonTest(quad.astype(np.float32), (float(spot[0]), float(spot[1])), False) >= 0


def faults(want: Rows, have: Rows) -> Counter[str]:
    """What is wrong with rows: links that should not be or that are missing, and rows read from the wrong side."""

    def links(rows: Rows) -> set[frozenset[int]]:
        return {frozenset(pair) for row in rows for pair in pairwise(row)}

    found = Counter(joined=len(links(have) - links(want)), parted=len(links(want) - links(have)))
    found["reversed"] = len({row[::-1] for row in have} & set(want) - set(have))
    return +found


@click.command()
@click.option("--tables", default=40, show_default=True, help="So many tables of each kind from known quads.")
@click.option("--pictures", default=4, show_default=True, help="So many pictures of each kind for the eyes.")
@click.option("--seed", default=1, show_default=True)
@click.option("--sigma", default=SIGMA, show_default=True, help="How far corners are moved, in tile sizes.")
@click.option("--only", default="", help="Only kinds whose name contains this.")
@click.option("--keep", type=click.Path(path_type=Path), help="Keep the pictures in this folder.")
def main(tables: int, pictures: int, seed: int, sigma: float, only: str, keep: Path | None) -> None:
    """Print the table of kinds."""
    cv2.setNumThreads(1)
    missing = set(JUDGE_FONTS) - set(available_fonts(JUDGE_FONTS))
    if missing:
        raise click.ClickException(f"these fonts are not installed: {', '.join(sorted(missing))} (make fonts)")
    eyes = Eyes.load(models_folder()) if pictures else None
    for kind in KINDS:
        if only not in kind.name:
            continue
        by_layout, by_eyes = Counter[str](), Counter[str]()
        right, seen_right = 0, 0
        for number in range(tables):
            table = laid(kind, number, seed)
            wrong = faults(table.rows, rows_by_layout(table, sigma, number))
            right += not wrong
            by_layout += wrong
        for number in range(pictures):
            rendered = photo_of(laid(kind, number, seed), number)
            if keep is not None:
                keep.mkdir(parents=True, exist_ok=True)
                cv2.imwrite(str(keep / f"{kind.name.replace(' ', '_')}_{number}.jpg"), rendered.scene.image)
            assert eyes is not None
            rows, missed = rows_seen(rendered.scene.tiles, eyes.look(rendered.scene.image).observation)
            wrong = faults(list(rendered.rows), rows)
            seen_right += not wrong
            by_eyes += wrong + Counter({"missed or invented": missed})
        from_quads = f"quads {right:3d}/{tables} {_told(by_layout):34s}"
        click.echo(f"{kind.name:26s} {from_quads} eyes {seen_right:3d}/{pictures} {_told(by_eyes)}")


def _told(found: Counter[str]) -> str:
    return ", ".join(f"{what} {count}" for what, count in found.items() if count)


if __name__ == "__main__":
    main()
