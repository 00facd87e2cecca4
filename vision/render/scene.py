"""Random scenes for training: tiles as people leave them, on any table, under any lamp, through any camera."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import numpy.typing as npt

from vision.render import effects
from vision.render.camera import Camera, look_at_table
from vision.render.clutter import FLAT_THINGS
from vision.render.compose import Board, Lighting, Placed, RenderedScene, RenderedTile, Thing, compose, lying
from vision.render.faces import BACK, Box, BoxSource, okey_box, random_box
from vision.render.palettes import from_hsv
from vision.render.surfaces import TRAINING_SURFACES, Surface

__all__ = ["RenderedScene", "RenderedTile", "random_lighting", "random_rack", "training_scene"]

Points = npt.NDArray[np.float64]
COLOURS = "RBKO"
SURFACE_PX = 384
SMALLEST_TILE, LARGEST_TILE = 17, 70
"""Tile heights in a 256-pixel picture."""
SMALLEST_NUMERAL_PX = 5.0
"""Tiles with tiny numerals are shown so large that the numerals are at least so high: nobody reads smaller ones."""
ORDINARY_NUMERAL = 0.27
"""Height of a numeral in tile heights that stands the usual blur."""
FAR_SHARE, FARTHEST_TILE = 0.2, 14
"""So many pictures are enlarged ones in which a tile was but ``FARTHEST_TILE`` to 26 pixels high."""
OKEY_RACK_SHARE = 0.4
"""Okey is played from racks: so many of them hold tiles with its marks."""
HARSH_SHARE, POOR_CAMERA_SHARE = 0.15, 0.14


NUMBERS = (*range(1, 14), *range(1, 14), *(1, 7, 11), *(6, 6, 6, 9, 9, 9))
"""Numbers as often as they are drawn: more of those that are taken for each other when turned round or narrow."""


def random_code(rng: np.random.Generator, backs: float = 0.04, jokers: float = 0.07) -> str:
    """Any tile of a box, a joker or a back, with the given shares."""
    kind = rng.random()
    if kind < backs:
        return BACK
    if kind < backs + jokers:
        return "J"
    return f"{COLOURS[int(rng.integers(4))]}{NUMBERS[int(rng.integers(len(NUMBERS)))]}"


def random_lighting(rng: np.random.Generator) -> Lighting:
    """Day or lamp light, soft or hard, sometimes tinted, dark, or glaring."""
    angle, raking = rng.uniform(0, 2 * np.pi), rng.uniform(0, 1)
    strength = rng.uniform(0, 0.12) if rng.random() < 0.6 else rng.uniform(0.1, 0.38)
    gains = effects.colour_cast(rng, float(strength))
    return Lighting(
        towards=(float(raking * np.cos(angle)), float(raking * np.sin(angle))),
        shadow=float(rng.uniform(0.1, 0.75)),
        softness=float(rng.uniform(0.02, 0.3)),
        contrast=float(rng.uniform(0.0, 0.5)),
        gain=float(rng.uniform(0.35, 0.7) if rng.random() < 0.2 else rng.uniform(0.7, 1.12)),
        cast=(float(gains[0]), float(gains[1]), float(gains[2])),
        blobs=int(rng.integers(1, 4)) if rng.random() < 0.35 else 0,
        glare=int(rng.integers(1, 5)) if rng.random() < 0.2 else 0,
    )


def harsh(rng: np.random.Generator, lighting: Lighting) -> Lighting:
    """The same lamp at its worst: dim, tinted, hard, or glaring."""
    kind = rng.random()
    if kind < 0.3:
        return replace(lighting, gain=float(rng.uniform(0.26, 0.42)))
    if kind < 0.55:
        blue, green, red = effects.colour_cast(rng, float(rng.uniform(0.3, 0.48))).tolist()
        return replace(lighting, cast=(blue, green, red), gain=min(lighting.gain, 0.9))
    if kind < 0.8:
        return replace(lighting, shadow=0.85, softness=0.015, blobs=int(rng.integers(2, 5)), contrast=0.7)
    return replace(lighting, glare=int(rng.integers(4, 9)))


def training_scene(rng: np.random.Generator, size: int, boxes: BoxSource | None = None) -> RenderedScene:
    """One square picture of ``size`` pixels with its truth.

    ``boxes`` gives the box to draw from (default: procedural training boxes).  About one scene in fourteen is empty
    and one in sixteen shows tiles far larger than ``LARGEST_TILE``.
    """
    kind = rng.random()
    on_rack = 0.06 <= kind < 0.22
    okey = on_rack and rng.random() < OKEY_RACK_SHARE
    box = okey_box(rng) if okey else (boxes or random_box)(rng)
    smallest, largest = SMALLEST_TILE * size / 256, LARGEST_TILE * size / 256
    _, top, _, bottom = box.numeral_area("K8")
    numeral = bottom - top
    smallest = min(max(smallest, SMALLEST_NUMERAL_PX / numeral), largest)
    tile_px = float(np.exp(rng.uniform(np.log(smallest), np.log(largest))))
    if kind < 0.06:
        tile_px = float(rng.uniform(90, 220) * size / 256)
    spread = rng.random()
    tilt = rng.uniform(0, 35) if spread < 0.46 else rng.uniform(35, 55) if spread < 0.71 else rng.uniform(55, 71)
    if on_rack:
        tilt = rng.uniform(15, 68)
    tile_px /= max(0.5, float(np.cos(np.radians(tilt))) ** 0.5)  # keep foreshortened tiles readable
    roll = float(rng.normal(0, 12)) if on_rack else float(rng.uniform(0, 360))
    camera = look_at_table(size, size, tile_px, float(tilt), roll, float(rng.uniform(15, 68)))
    placed: list[Placed] = []
    boards: tuple[Board, ...] = ()
    if on_rack:
        placed, boards = random_rack(rng, box, size / tile_px)
    elif kind > 0.25:
        placed = random_table(rng, box, size, tile_px)
    placed = [tile for tile in placed if _in_view(camera, tile, size)]
    surface = _surface(rng, TRAINING_SURFACES)
    surface_tiles = float(SURFACE_PX / tile_px * rng.uniform(0.5, 1.6))
    clutter = rng.random() < (0.25 if placed else 0.75)
    lighting = random_lighting(rng)
    if rng.random() < HARSH_SHARE:
        lighting = harsh(rng, lighting)
    scene = compose(
        rng,
        (size, size),
        camera,
        box,
        placed,
        surface,
        surface_tiles,
        lighting,
        boards,
        random_things(rng, size / tile_px) if clutter else (),
        _fingers(rng, size) if rng.random() < 0.14 else (),
    )
    sharp_px = tile_px * min(1.0, numeral / ORDINARY_NUMERAL)  # blur that spares large print would wipe tiny print out
    far_px = float(rng.uniform(FARTHEST_TILE, 26) * ORDINARY_NUMERAL / min(numeral, ORDINARY_NUMERAL))
    if rng.random() < FAR_SHARE and 0.3 * tile_px < far_px < tile_px:
        return RenderedScene(_from_afar(scene.image, rng, far_px / tile_px, far_px * sharp_px / tile_px), scene.tiles)
    image = effects.camera_look(scene.image, rng, sharp_px)
    if rng.random() < POOR_CAMERA_SHARE:
        image = effects.poor_camera(image, rng, sharp_px)
    return RenderedScene(image, scene.tiles)


def _from_afar(
    image: npt.NDArray[np.uint8], rng: np.random.Generator, share: float, sharp_px: float
) -> npt.NDArray[np.uint8]:
    """The picture as a camera with fewer pixels takes it, enlarged again: the eyes look at small tiles enlarged."""
    small = cv2.resize(image, None, fx=share, fy=share, interpolation=cv2.INTER_AREA)
    taken = effects.camera_look(np.asarray(small, np.uint8), rng, sharp_px)
    return np.asarray(cv2.resize(taken, image.shape[1::-1], interpolation=cv2.INTER_LINEAR), np.uint8)


def _surface(rng: np.random.Generator, surfaces: tuple[Surface, ...]) -> npt.NDArray[np.uint8]:
    return surfaces[int(rng.integers(len(surfaces)))](rng, SURFACE_PX)


def _in_view(camera: Camera, tile: Placed, size: int) -> bool:
    if float(camera.depth(tile.centre)) <= 0.2:
        return False
    x, y = camera.project(tile.centre)
    return bool(-0.12 * size < x < 1.12 * size and -0.12 * size < y < 1.12 * size)


def _fingers(rng: np.random.Generator, size: int) -> tuple[tuple[float, float], ...]:
    return tuple((float(rng.uniform(0, size)), float(rng.uniform(0, size))) for _ in range(int(rng.integers(1, 3))))


def random_things(rng: np.random.Generator, extent: float) -> tuple[Thing, ...]:
    """Flat clutter somewhere within ``extent`` tile heights of the middle."""
    things = []
    for _ in range(int(rng.integers(1, 4))):
        texture = FLAT_THINGS[int(rng.integers(len(FLAT_THINGS)))](rng)
        height = rng.uniform(0.7, 5)
        width = height * texture.shape[1] / texture.shape[0]
        corners = np.array([[-width, -height], [width, -height], [width, height], [-width, height]]) / 2
        angle = rng.uniform(0, 2 * np.pi)
        turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
        things.append(Thing(texture, corners @ turn + rng.uniform(-extent / 2, extent / 2, 2)))
    return tuple(things)


def random_table(rng: np.random.Generator, box: Box, size: int, tile_px: float) -> list[Placed]:
    """Tiles on a table in one of the ways they are met: rows, a grid, scattered, stacked blocks, a face-down pool."""
    half = 0.62 * size / tile_px + 0.5
    backs = 0.9 if rng.random() < 0.04 else 0.04
    style = rng.random()
    if style < 0.48:
        return _rows(rng, box, half, backs)
    if style < 0.60:
        return _blocks(rng, box, half, backs)
    if style < 0.76:
        return _sets_anywhere(rng, box, half, backs)
    return _scatter(rng, half, backs)


def _rows(rng: np.random.Generator, box: Box, half: float, backs: float) -> list[Placed]:
    """Sets in lines, all facing about one way; rows bend, touch and shift a little."""
    placed = []
    pitch = rng.uniform(1.03, 2.0)
    wobble = rng.uniform(0, 0.06)
    y = -half + rng.uniform(0, pitch)
    while y < half:
        x = -half + rng.uniform(0, 3)
        turned = 180.0 if rng.random() < 0.12 else 0.0
        while x < half:
            bend, angle = rng.normal(0, 0.8), rng.normal(0, 2.5)
            drift = 0.0
            for _ in range(int(rng.choice([1, 2, 3, 3, 3, 4, 4, 5, 7, 10, 13]))):
                placed.append(lying(random_code(rng, backs), x, y + drift + rng.normal(0, wobble), turned + angle))
                gap = abs(rng.normal(0, 0.03)) if rng.random() < 0.9 else rng.uniform(-0.12, 0.25)
                step = box.aspect * (1 + gap)
                x += step
                angle += bend + rng.normal(0, 0.8)
                drift += step * np.sin(np.radians(angle)) * 0.8
            x += box.aspect * rng.uniform(0.3, 2.5)
        y += pitch * rng.uniform(0.97, 1.3)
    return placed


def _blocks(rng: np.random.Generator, box: Box, half: float, backs: float) -> list[Placed]:
    """Rows stacked without a gap, or a wide-spaced grid."""
    loose = rng.random() < 0.4
    step_x = box.aspect * (rng.uniform(1.2, 2.2) if loose else 1.01)
    step_y = rng.uniform(1.2, 2.0) if loose else 1.01
    jitter, turn = (0.08, 5.0) if loose else (0.012, 0.8)
    placed = []
    for y in np.arange(-half, half, step_y):
        for x in np.arange(-half + rng.uniform(0, 0.4), half, step_x):
            if rng.random() < 0.85:
                shift_x, shift_y = rng.normal(0, jitter, 2)
                code = random_code(rng, backs)
                placed.append(lying(code, x + shift_x, y + shift_y, float(rng.normal(0, turn))))
    return placed


def _sets_anywhere(rng: np.random.Generator, box: Box, half: float, backs: float) -> list[Placed]:
    """Sets facing any way, some touching at corners."""
    placed: list[Placed] = []
    clearance = rng.uniform(0.80, 1.25)
    for _ in range(40):
        centre, angle = rng.uniform(-half, half, 2), float(rng.uniform(0, 360))
        if rng.random() < 0.5:
            angle = float(90 * rng.integers(4) + rng.normal(0, 4))
        along = np.array([np.cos(np.radians(angle)), np.sin(np.radians(angle))])
        count = int(rng.integers(1, 7))
        gap = abs(rng.normal(0, 0.03))
        spots = [centre + along * box.aspect * (1 + gap) * (k - count / 2) for k in range(count)]
        taken = np.array([tile.centre[:2] for tile in placed]).reshape(-1, 2)
        if len(taken) and min(np.linalg.norm(taken - spot, axis=1).min() for spot in spots) < clearance:
            continue
        placed += [lying(random_code(rng, backs), x, y, angle + float(rng.normal(0, 1.5))) for x, y in spots]
    return placed


def _scatter(rng: np.random.Generator, half: float, backs: float) -> list[Placed]:
    """Single tiles at any angle, a few overlapping."""
    placed: list[Placed] = []
    clearance = rng.uniform(0.66, 1.3)
    for _ in range(int(rng.integers(4, 90))):
        spot = rng.uniform(-half, half, 2)
        if all(np.linalg.norm(tile.centre[:2] - spot) > clearance for tile in placed):
            placed.append(lying(random_code(rng, backs), spot[0], spot[1], float(rng.uniform(0, 360))))
    return placed


def random_rack(rng: np.random.Generator, box: Box, extent: float) -> tuple[list[Placed], tuple[Board, ...]]:
    """A leaning rack with one or two ledges around the origin; ``extent`` is the picture's side in tile heights."""
    lean = np.radians(rng.uniform(45, 80))
    right, back = np.array([1.0, 0.0, 0.0]), np.array([0.0, -1.0, 0.0])
    up = np.cos(lean) * back + np.array([0.0, 0.0, np.sin(lean)])
    out = np.cross(up, right)
    tone = rng.random()
    if tone < 0.38:
        colour = from_hsv(rng.uniform(0, 360), rng.uniform(0, 0.4), rng.uniform(0.04, 0.25))
    elif tone < 0.74:  # wood
        colour = from_hsv(rng.uniform(12, 38), rng.uniform(0.25, 0.8), rng.uniform(0.2, 0.92))
    elif tone < 0.84:  # plastic as pale as the tiles
        colour = from_hsv(rng.uniform(20, 60), rng.uniform(0.0, 0.25), rng.uniform(0.8, 1.0))
    else:
        colour = from_hsv(rng.uniform(0, 360), rng.uniform(0, 0.9), rng.uniform(0.3, 1.0))
    darker = (colour[0] * 0.7, colour[1] * 0.7, colour[2] * 0.7)
    ledges = int(rng.integers(1, 3))
    width = rng.uniform(5, 16) * box.aspect
    lone = float(rng.choice([0.08, 0.25, 0.5]))
    """Share of tiles that stand apart from the next one: full racks have few."""
    middle = np.array([rng.uniform(-0.2, 0.2) * extent, rng.uniform(-0.2, 0.3) * extent, 0.0])
    placed: list[Placed] = []
    boards: list[Board] = []
    step = rng.uniform(1.0, 1.25)
    for ledge in range(ledges - 1, -1, -1):
        foot = middle + up * (0.15 + ledge * step) + back * 0.35 * ledge
        boards.append(_board(foot, right, up, -out * 0.02, width, -0.12, 1.1, colour))
        boards.append(_board(foot, right, up, out * (box.thickness + 0.05), width, -0.14, -0.02, darker))
        x = -width / 2 + box.aspect * rng.uniform(0.5, 2)
        while x < width / 2 - box.aspect * 0.5:
            code = random_code(rng, 0.02, 0.08)
            placed.append(Placed(code, foot + right * x + up * 0.5, right, up))
            spaced = rng.random() < lone
            x += box.aspect * (1 + (rng.uniform(0.1, 2.0) if spaced else abs(rng.normal(0, 0.015))))
    return placed, tuple(boards)


def _board(
    foot: Points,
    right: Points,
    up: Points,
    shift: Points,
    width: float,
    low: float,
    high: float,
    colour: tuple[float, float, float],
) -> Board:
    half = right * (width / 2 + 0.2)
    base = foot + shift
    return Board(
        np.array([base - half + up * high, base + half + up * high, base + half + up * low, base - half + up * low]),
        colour,
    )
