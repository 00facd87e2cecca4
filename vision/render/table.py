"""Photo-sized pictures of a given table: these rows, these loose tiles, this box, seen by this camera."""

from __future__ import annotations

from dataclasses import dataclass, field

import cv2
import numpy as np
import numpy.typing as npt

from vision.render import effects
from vision.render.camera import Camera, look_at_table
from vision.render.compose import Board, Lighting, Placed, RenderedScene, RenderedTile, Thing, compose, lying
from vision.render.faces import Box
from vision.render.surfaces import Surface

Points = npt.NDArray[np.float64]

_SET_CLEARANCE = 0.55
"""Room around every row in tile heights: more than the 0.3 tile widths that would make neighbours of two rows."""
_PICTURE_MARGIN = 0.03


@dataclass(frozen=True, slots=True)
class TableSpec:
    """What lies on the table. A row is a list of codes from left to right as its numerals are read.

    ``facings`` are the turns of the rows in degrees (clockwise; 0 reads from the bottom of the picture), cycled;
    ``messy`` scales the small shifts and turns of every tile.
    """

    rows: tuple[tuple[str, ...], ...]
    loose: tuple[str, ...] = ()
    facings: tuple[float, ...] = (0.0,)
    messy: float = 1.0


@dataclass(frozen=True, slots=True)
class Shot:
    """How the picture is taken. ``noise`` scales the camera's faults, 0 is a perfect camera."""

    size_wh: tuple[int, int] = (1600, 1200)
    tilt_deg: float = 20.0
    roll_deg: float = 0.0
    view_deg: float = 55.0
    fill: float = 1.0
    """1 fills the picture with the tiles, 0.5 shows them at half the size."""
    noise: float = 0.6
    jpeg_quality: int = 90


@dataclass(frozen=True, slots=True)
class RenderedTable:
    """A scene with the rows and loose tiles as indices into ``scene.tiles``."""

    scene: RenderedScene
    rows: tuple[tuple[int, ...], ...]
    loose: tuple[int, ...]


@dataclass(slots=True)
class _Shelf:
    """Rows packed like words on lines."""

    x: float = 0.0
    y: float = 0.0
    height: float = 0.0
    line: list[int] = field(default_factory=list)


def render_table(
    rng: np.random.Generator,
    box: Box,
    spec: TableSpec,
    shot: Shot,
    surface: Surface,
    lighting: Lighting,
    things: tuple[Thing, ...] = (),
    hands: tuple[tuple[float, float], ...] = (),
) -> RenderedTable:
    """Lay the table out, photograph it and say where everything is; ``hands``: finger tips in shares of the picture."""
    groups = [*spec.rows, *((code,) for code in spec.loose)]
    placed = lay_out(rng, box, groups, spec, shot.size_wh[0] / shot.size_wh[1])
    flat = [tile for group in placed for tile in group]
    return photograph(rng, box, flat, [len(group) for group in placed], len(spec.rows), shot, surface, lighting,
                      things=things, hands=hands)  # fmt: skip


def photograph(
    rng: np.random.Generator,
    box: Box,
    placed: list[Placed],
    group_sizes: list[int],
    row_count: int,
    shot: Shot,
    surface: Surface,
    lighting: Lighting,
    boards: tuple[Board, ...] = (),
    things: tuple[Thing, ...] = (),
    hands: tuple[tuple[float, float], ...] = (),
) -> RenderedTable:
    """Frame ``placed`` (consecutive groups of ``group_sizes``, the first ``row_count`` of them rows) and render it."""
    camera, tile_px = _frame(box, placed, boards, shot)
    width, height = shot.size_wh
    side = 1024
    surface_tiles = float(max(width, height) / tile_px * rng.uniform(0.8, 1.5))
    fingers = tuple((x * width, y * height) for x, y in hands)
    # Codes carry their index through the depth sorting of the renderer.
    scene = compose(
        rng, shot.size_wh, camera, box, placed, surface(rng, side), surface_tiles, lighting, boards, things, fingers
    )
    image = effects.camera_look(scene.image, rng, tile_px, shot.noise) if shot.noise > 0 else scene.image
    order = _match(camera, box, placed, scene.tiles)
    rows: list[tuple[int, ...]] = []
    loose: list[int] = []
    start = 0
    for number, size in enumerate(group_sizes):
        members = tuple(order[start : start + size])
        start += size
        if number < row_count and size > 1:
            rows.append(members)
        else:
            loose.extend(members)
    return RenderedTable(RenderedScene(image, scene.tiles), tuple(rows), tuple(loose))


def _match(camera: Camera, box: Box, placed: list[Placed], tiles: tuple[RenderedTile, ...]) -> list[int]:
    """Index in ``tiles`` of each placed tile (the renderer sorts them by depth)."""
    centres = np.array([tile.quad.mean(0) for tile in tiles])
    wanted = [camera.project(tile.corners(box.aspect, box.thickness)).mean(0) for tile in placed]
    return [int(np.argmin(np.linalg.norm(centres - centre, axis=1))) for centre in wanted]


def lay_out(
    rng: np.random.Generator, box: Box, groups: list[tuple[str, ...]], spec: TableSpec, picture_aspect: float
) -> list[list[Placed]]:
    """Place every group as a row without touching another, centred on the table's origin."""
    extents = []
    for number, group in enumerate(groups):
        turn = spec.facings[number % len(spec.facings)]
        length, depth = box.aspect * len(group) * 1.04, 1.12
        cosine, sine = abs(np.cos(np.radians(turn))), abs(np.sin(np.radians(turn)))
        extents.append((length * cosine + depth * sine, length * sine + depth * cosine, turn))
    area = sum((w + _SET_CLEARANCE) * (h + _SET_CLEARANCE) for w, h, _ in extents)
    widest = max(w for w, _, _ in extents)
    line_width = max(widest, 1.08 * float(np.sqrt(area * picture_aspect)))
    shelf, centres = _Shelf(), np.zeros((len(groups), 2))
    for number in rng.permutation(len(groups)):
        width, height, _ = extents[number]
        if shelf.line and shelf.x + width > line_width:
            shelf = _Shelf(y=shelf.y + shelf.height + _SET_CLEARANCE * rng.uniform(0.8, 1.2))
        centres[number] = (shelf.x + width / 2, shelf.y + height / 2)
        shelf.x += width + _SET_CLEARANCE * rng.uniform(1.0, 1.8)
        shelf.height = max(shelf.height, height)
        shelf.line.append(int(number))
    centres -= (centres.min(0) + centres.max(0)) / 2
    return [_row(rng, box, group, centres[k], extents[k][2], spec.messy) for k, group in enumerate(groups)]


def _row(
    rng: np.random.Generator, box: Box, codes: tuple[str, ...], centre: Points, turn_deg: float, messy: float
) -> list[Placed]:
    turn = turn_deg + messy * float(np.clip(rng.normal(0, 1.5), -3, 3))
    along = np.array([np.cos(np.radians(turn)), np.sin(np.radians(turn))])
    across = np.array([-along[1], along[0]])
    step = box.aspect * (1 + 0.03 * messy * abs(rng.normal()))
    placed = []
    for k, code in enumerate(codes):
        shift = messy * float(np.clip(rng.normal(0, 0.025), -0.06, 0.06))
        spot = centre + along * step * (k - (len(codes) - 1) / 2) + across * shift
        placed.append(
            lying(code, float(spot[0]), float(spot[1]), turn + messy * float(np.clip(rng.normal(0, 0.8), -2, 2)))
        )
    return placed


def _frame(box: Box, placed: list[Placed], boards: tuple[Board, ...], shot: Shot) -> tuple[Camera, float]:
    """The camera that just shows every tile, centred, and a tile's height in pixels."""
    width, height = shot.size_wh
    points = np.concatenate([tile.corners(box.aspect, lift) for tile in placed for lift in (0.0, box.thickness)]
                            + [board.corners for board in boards])  # fmt: skip
    room = np.array([width, height]) * (1 - 2 * _PICTURE_MARGIN)

    def extent(tile_px: float) -> tuple[Points, Points] | None:
        camera = look_at_table(width, height, tile_px, shot.tilt_deg, shot.roll_deg, shot.view_deg)
        if camera.depth(points).min() < 0.5:
            return None
        pixels = camera.project(points)
        return pixels.min(0), pixels.max(0)

    low, high = 4.0, float(min(shot.size_wh))
    for _ in range(30):
        middle = (low + high) / 2
        seen = extent(middle)
        fits = seen is not None and bool((seen[1] - seen[0] <= room).all())
        low, high = (middle, high) if fits else (low, middle)
    tile_px = low * shot.fill
    seen = extent(tile_px)
    if seen is None:
        raise ValueError("no camera of this view and tilt can be far enough away to show these tiles")
    shift = np.array([width, height]) / 2 - (seen[0] + seen[1]) / 2
    centred = (float(shift[0]), float(shift[1]))
    return look_at_table(width, height, tile_px, shot.tilt_deg, shot.roll_deg, shot.view_deg, centred), tile_px


def encode(table: RenderedTable, shot: Shot) -> bytes:
    """The picture as JPEG bytes."""
    done, data = cv2.imencode(".jpg", table.scene.image, [cv2.IMWRITE_JPEG_QUALITY, shot.jpeg_quality])
    if not done:
        raise ValueError("the picture cannot be encoded as JPEG")
    return data.tobytes()


def truth_of(table: RenderedTable, photo: str, scene: str, notes: str) -> dict[str, object]:
    """Truth in the format of the shared photos: tiles with quads, sets, loose, and what cannot be read."""
    height, width = table.scene.image.shape[:2]
    tiles: list[dict[str, object]] = []
    for tile in table.scene.tiles:
        entry: dict[str, object] = {
            "tile": tile.code,
            "quad": [[round(float(x), 1), round(float(y), 1)] for x, y in tile.quad],
        }
        if tile.visible < 0.9:
            entry["cut"] = True
        if not tile.legible:
            entry["legible"] = False
        tiles.append(entry)
    return {
        "photo": photo, "width": width, "height": height, "scene": scene, "tiles": tiles,
        "sets": [list(row) for row in table.rows], "loose": list(table.loose), "notes": notes,
    }  # fmt: skip
