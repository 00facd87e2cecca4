"""From placed tiles to a picture with truth: surface, shadows, walls, faces, hands, light."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from vision.render import effects
from vision.render.camera import Camera
from vision.render.clutter import hand
from vision.render.faces import BACK, Box

Image = npt.NDArray[np.uint8]
Points = npt.NDArray[np.float64]

LEGIBLE_SHARE = 0.93
"""A numeral is legible when at least this share of it is uncovered and inside the picture."""
GLARE_LIMIT = 0.62
"""… and when no highlight whitens either half of it more than this on average."""
_UNIT_FACE = np.array([[-0.5, 0.5], [0.5, 0.5], [0.5, -0.5], [-0.5, -0.5]])
_DRAW_SCALE = 1.5


@dataclass(frozen=True, slots=True)
class Placed:
    """A tile over the table: ``centre`` of its underside, unit ``right`` and ``up``; all (3,), in tile heights.

    ``layer``: what lies on others, as cards do, is of a higher layer.
    """

    code: str
    centre: Points
    right: Points
    up: Points
    layer: int = 0

    @property
    def normal(self) -> Points:
        """Out of the face. The table's axes are x right, y down, z out, so the order is up × right."""
        (a, b, c), (d, e, f) = self.up.tolist(), self.right.tolist()
        return np.array([b * f - c * e, c * d - a * f, a * e - b * d])

    def corners(self, aspect: float, lift: float) -> Points:
        """(4, 3): top-left, top-right, bottom-right, bottom-left, ``lift`` above the underside."""
        sides = _UNIT_FACE[:, :1] * aspect * self.right + _UNIT_FACE[:, 1:] * self.up
        return np.asarray(self.centre + lift * self.normal + sides)


def lying(code: str, x: float, y: float, angle_deg: float) -> Placed:
    """A tile flat on the table, turned clockwise by ``angle_deg``."""
    cosine, sine = np.cos(np.radians(angle_deg)), np.sin(np.radians(angle_deg))
    return Placed(code, np.array([x, y, 0.0]), np.array([cosine, sine, 0.0]), np.array([sine, -cosine, 0.0]))


@dataclass(frozen=True, slots=True)
class Board:
    """A flat coloured polygon (4, 3) that is drawn before the tiles: a part of a rack."""

    corners: Points
    colour: tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class Thing:
    """A flat picture lying on the table at ``corners`` (4, 2), texture order top-left … bottom-left."""

    texture: Image
    corners: Points


@dataclass(frozen=True, slots=True)
class Lighting:
    """The lamp. ``towards`` points along the table to it, length 0 (overhead) to 1 (raking).

    ``gain``, ``cast`` (B, G, R) and ``contrast`` are factors; ``softness`` is in tile heights.
    """

    towards: tuple[float, float] = (-0.4, -0.5)
    shadow: float = 0.45
    softness: float = 0.08
    contrast: float = 0.2
    gain: float = 1.0
    cast: tuple[float, float, float] = (1.0, 1.0, 1.0)
    blobs: int = 0
    """Large soft shadows of people and lamps."""
    glare: int = 0
    """Highlights."""


@dataclass(frozen=True, slots=True)
class RenderedTile:
    """Truth of one tile.

    ``quad`` float32 (4, 2): TL, TR, BR, BL of the upright numeral in pixels (a back: any side up).
    ``visible`` is the share of the face that is inside the picture and uncovered; ``legible`` says whether the numeral
    can be read (neither covered, cut nor whitened by glare).
    """

    code: str
    quad: npt.NDArray[np.float32]
    visible: float
    legible: bool


@dataclass(frozen=True, slots=True)
class RenderedScene:
    """A picture, uint8 BGR (h, w, 3), and its tiles, far ones first."""

    image: Image
    tiles: tuple[RenderedTile, ...]


def compose(
    rng: np.random.Generator,
    size_wh: tuple[int, int],
    camera: Camera,
    box: Box,
    placed: list[Placed],
    surface: Image,
    surface_tiles: float,
    lighting: Lighting,
    boards: tuple[Board, ...] = (),
    things: tuple[Thing, ...] = (),
    hands: tuple[tuple[float, float], ...] = (),
) -> RenderedScene:
    """Render everything but the camera's own faults (see ``effects.camera_look``).

    ``surface_tiles`` is the side of the surface texture in tile heights; ``hands`` are finger tips in pixels.
    """
    width, height = size_wh
    picture = table_top(camera, surface, surface_tiles, width, height)
    for thing in things:
        _lay(picture, camera, thing)
    # by distance, not by depth along the optical axis: else walls of outer tiles hide the faces of their neighbours
    placed = sorted(
        (tile for tile in placed if faces_camera(camera, tile)),
        key=lambda t: (t.layer, -float(camera.distance(t.centre))),
    )
    tops = [camera.project(tile.corners(box.aspect, box.thickness)) for tile in placed]
    bases = [camera.project(tile.corners(box.aspect, 0.0)) for tile in placed]
    tile_px = float(np.median([np.linalg.norm(top[0] - top[3]) for top in tops])) if tops else width / 12
    cast_shadows(picture, camera, box, placed, lighting, tile_px)
    for board in boards:
        corners = np.round(camera.project(board.corners) * 16).astype(np.int32)
        cv2.fillConvexPoly(picture, corners, board.colour, cv2.LINE_AA, 4)
    owner = np.full((height, width), -1, np.int16)
    for index, tile in enumerate(placed):
        draw_tile(picture, owner, index, tile, box, tops[index], bases[index], lighting, rng)
    glare = _light(picture, rng, lighting, tile_px)
    for reach in hands:
        skin, alpha = hand(rng, height, width, reach, tile_px)
        share = alpha[..., None].astype(np.float32) / 255
        picture[:] = (picture + (skin - picture.astype(np.float32)) * share).astype(np.uint8)
        owner[alpha > 127] = -1
    tiles = tuple(_truth(index, tile, box, tops[index], owner, glare) for index, tile in enumerate(placed))
    return RenderedScene(picture, tiles)


def faces_camera(camera: Camera, tile: Placed) -> bool:
    corners = tile.corners(1.0, 0.0)
    if camera.depth(corners).min() <= 0.1:
        return False
    return _turn(camera.project(corners)) > 0


def _turn(quad: Points) -> float:
    """Signed area in pixels: positive when the corners run clockwise on screen."""
    return float(cv2.contourArea(quad.astype(np.float32), oriented=True))


def table_top(camera: Camera, surface: Image, surface_tiles: float, width: int, height: int) -> Image:
    side = surface.shape[0]
    scale = surface_tiles / side
    to_table = np.array([[scale, 0, -surface_tiles / 2], [0, scale, -surface_tiles / 2], [0, 0, 1.0]])
    homography = camera.plane_homography() @ to_table
    return np.asarray(
        cv2.warpPerspective(
            surface, homography, (width, height), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT
        ),
        np.uint8,
    )


def _lay(picture: Image, camera: Camera, thing: Thing) -> None:
    corners = np.concatenate([thing.corners, np.zeros((4, 1))], 1)
    if camera.depth(corners).min() <= 0.1:
        return
    alpha = np.full(thing.texture.shape[:2], 255, np.uint8)
    _blend(picture, thing.texture, alpha, camera.project(corners))


def _blend(picture: Image, face: Image, alpha: Image, quad: Points) -> tuple[slice, slice, Image] | None:
    """Warp ``face`` onto ``quad`` (4, 2); returns the touched window and its alpha, or None when outside."""
    height, width = picture.shape[:2]
    x0, y0 = np.maximum(np.floor(quad.min(0)).astype(int) - 1, 0)
    x1, y1 = np.ceil(quad.max(0)).astype(int) + 2
    x1, y1 = min(int(x1), width), min(int(y1), height)
    if x1 - x0 < 2 or y1 - y0 < 2:
        return None
    face_h, face_w = face.shape[:2]
    source = np.array([[0, 0], [face_w, 0], [face_w, face_h], [0, face_h]], np.float32) - 0.5
    target = (quad - (x0, y0) - 0.5).astype(np.float32)
    homography = cv2.getPerspectiveTransform(source, target)
    window = (int(x1 - x0), int(y1 - y0))
    warped = cv2.warpPerspective(face, homography, window, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    opacity = np.asarray(cv2.warpPerspective(alpha, homography, window, flags=cv2.INTER_LINEAR), np.uint8)
    share = opacity[..., None].astype(np.float32) / 255
    patch = picture[y0:y1, x0:x1]
    patch[:] = (patch + (warped.astype(np.float32) - patch) * share).astype(np.uint8)
    return slice(int(y0), y1), slice(int(x0), x1), opacity


def cast_shadows(
    picture: Image, camera: Camera, box: Box, placed: list[Placed], lighting: Lighting, tile_px: float
) -> None:
    """Darken the table: a hard core under each tile, a softer shadow away from the light."""
    if not placed or lighting.shadow <= 0:
        return
    height, width = picture.shape[:2]
    mask = np.zeros((height, width), np.uint8)
    offset = np.array([-lighting.towards[0], -lighting.towards[1], 0.0]) * box.thickness
    for tile in placed:
        base = tile.corners(box.aspect * 1.03, 0.0)
        away = tile.corners(box.aspect, 0.0) + offset
        hull = cv2.convexHull(camera.project(np.concatenate([base, away])).astype(np.float32))
        cv2.fillConvexPoly(mask, np.round(hull * 16).astype(np.int32), 255, cv2.LINE_AA, 4)
    soft = cv2.GaussianBlur(mask, (0, 0), max(0.5, lighting.softness * tile_px))
    picture[:] = (picture * (1 - lighting.shadow * (soft.astype(np.float32) / 255))[..., None]).astype(np.uint8)


def draw_tile(
    picture: Image,
    owner: npt.NDArray[np.int16],
    index: int,
    tile: Placed,
    box: Box,
    top: Points,
    base: Points,
    lighting: Lighting,
    rng: np.random.Generator,
) -> None:
    side = np.asarray(box.side, np.float32)
    light = np.array([lighting.towards[0], lighting.towards[1], 0.0])
    outward = (tile.up, tile.right, -tile.up, -tile.right)
    for k in range(4):
        wall = np.array([top[k], top[(k + 1) % 4], base[(k + 1) % 4], base[k]])
        if _turn(wall) >= 0:
            continue  # turned away from the camera
        brightness = 0.72 + 0.22 * float(np.dot(outward[k], light))
        corners = np.round(wall * 16).astype(np.int32)
        cv2.fillConvexPoly(picture, corners, (side * brightness).tolist(), cv2.LINE_AA, 4)
        cv2.fillConvexPoly(owner, np.round(wall).astype(np.int32), -1)
    drawn_height = int(
        np.clip(max(np.linalg.norm(top[0] - top[3]), np.linalg.norm(top[1] - top[2])) * _DRAW_SCALE, 20, 640)
    )
    in_tile = (float(np.dot(light, tile.right)), float(-np.dot(light, tile.up)))
    face, alpha = box.face(tile.code, drawn_height, rng, in_tile)
    exposure = float(1 + rng.normal(0, 0.02))
    touched = _blend(picture, np.asarray(cv2.convertScaleAbs(face, alpha=exposure), np.uint8), alpha, top)
    if touched is not None:
        rows, columns, opacity = touched
        owner[rows, columns][opacity > 127] = index


def brightness_of(
    rng: np.random.Generator, height: int, width: int, lighting: Lighting, tile_px: float
) -> npt.NDArray[np.float32]:
    """How bright the lamp makes each pixel (h, w), with the large soft shadows of people."""
    brightness = effects.light_field(rng, height, width, lighting.contrast) * lighting.gain
    for _ in range(lighting.blobs):
        size = rng.uniform(1.5, 8) * tile_px
        shade = effects.soft_blob(rng, height, width, size, rng.uniform(0.05, 1.2) * tile_px)
        brightness *= 1 - rng.uniform(0.15, 0.6) * shade
    return np.asarray(brightness, np.float32)


def _light(
    picture: Image, rng: np.random.Generator, lighting: Lighting, tile_px: float
) -> npt.NDArray[np.float32] | None:
    """Apply the lamp in place; returns the highlights' strength (h, w) or None without any."""
    height, width = picture.shape[:2]
    brightness = brightness_of(rng, height, width, lighting, tile_px)
    lit = picture.astype(np.float32) * (brightness[..., None] * np.asarray(lighting.cast, np.float32))
    glare: npt.NDArray[np.float32] | None = None
    for _ in range(lighting.glare):
        size = rng.uniform(0.3, 1.6) * tile_px
        veil = rng.random() < 0.4  # a lamp mirrored in matt plastic is wide and soft
        softness = rng.uniform(0.4, 1.2) if veil else rng.uniform(0.08, 0.4)
        strength = rng.uniform(0.2, 0.8) if veil else rng.uniform(0.3, 1.0)
        spot = strength * effects.soft_blob(rng, height, width, size * (1.6 if veil else 1.0), softness * tile_px)
        glare = spot if glare is None else np.maximum(glare, spot)
    if glare is not None:
        lit += (255 - lit) * glare[..., None]
    np.clip(lit, 0, 255, out=lit)
    picture[:] = lit.astype(np.uint8)
    return glare


def _truth(
    index: int,
    tile: Placed,
    box: Box,
    top: Points,
    owner: npt.NDArray[np.int16],
    glare: npt.NDArray[np.float32] | None,
) -> RenderedTile:
    quad = top.astype(np.float32)
    visible = shown_share(owner, index, quad)
    legible = True
    if tile.code != BACK:
        left, upper, right, lower = box.numeral_area(tile.code)
        numeral = _inner_quad(quad, left, upper, right, lower)
        if visible < 0.985:
            legible = visible > 0.2 and shown_share(owner, index, numeral) >= LEGIBLE_SHARE
        if glare is not None and legible:
            middle = (left + right) / 2  # a highlight over one digit makes an 11 a 1
            halves = ((left, middle), (middle, right))
            legible = all(
                _mean_over(glare, _inner_quad(quad, start, upper, end, lower)) < GLARE_LIMIT for start, end in halves
            )
    # projected corners count from the picture's edge; truth counts from the first pixel's centre, as photos' truth does
    return RenderedTile(tile.code, quad - np.float32(0.5), visible, legible)


def _inner_quad(
    quad: npt.NDArray[np.float32], left: float, upper: float, right: float, lower: float
) -> npt.NDArray[np.float32]:
    """A part of a face, given in shares of it, as pixels (4, 2)."""
    unit = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)
    homography = cv2.getPerspectiveTransform(unit, quad)
    part = np.array([[[left, upper], [right, upper], [right, lower], [left, lower]]], np.float32)
    return np.asarray(cv2.perspectiveTransform(part, homography)[0], np.float32)


def _window(shape: tuple[int, ...], quad: npt.NDArray[np.float32]) -> tuple[slice, slice, Image] | None:
    x0, y0 = np.maximum(np.floor(quad.min(0)).astype(int), 0)
    x1, y1 = np.minimum(np.ceil(quad.max(0)).astype(int) + 1, (shape[1], shape[0]))
    if x1 <= x0 or y1 <= y0:
        return None
    # pixels whose centre lies inside; filling a polygon would count its whole rim, a tenth of a small tile
    x, y = np.arange(x0, x1)[None, :] + 0.5, np.arange(y0, y1)[:, None] + 0.5
    inside = np.ones((int(y1 - y0), int(x1 - x0)), np.bool_)
    for (ax, ay), (bx, by) in zip(quad, np.roll(quad, -1, axis=0), strict=True):
        inside &= (bx - ax) * (y - ay) - (by - ay) * (x - ax) >= 0
    return slice(int(y0), int(y1)), slice(int(x0), int(x1)), inside.astype(np.uint8)


def shown_share(owner: npt.NDArray[np.int16], index: int, quad: npt.NDArray[np.float32]) -> float:
    """Share of the quad's whole area (also outside the picture) that tile ``index`` shows."""
    window = _window(owner.shape, quad)
    area = cv2.contourArea(quad)
    if window is None or area < 1:
        return 0.0
    rows, columns, mask = window
    seen = int(np.count_nonzero((owner[rows, columns] == index) & (mask > 0)))
    inside = max(int(np.count_nonzero(mask)), 1)
    # Counting pixels overestimates small areas by their rim; where nothing is cut, compare pixels with pixels.
    x0, y0 = quad.min(0)
    x1, y1 = quad.max(0)
    cut = x0 < 0 or y0 < 0 or x1 > owner.shape[1] or y1 > owner.shape[0]
    return min(1.0, seen / (max(area, inside) if cut else inside))


def _mean_over(values: npt.NDArray[np.float32], quad: npt.NDArray[np.float32]) -> float:
    window = _window(values.shape, quad)
    if window is None or not window[2].any():
        return 0.0
    rows, columns, mask = window
    return float(values[rows, columns][mask > 0].mean())
