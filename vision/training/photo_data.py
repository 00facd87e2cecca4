"""Real photos as training material: the labelled photos, boxes cut from them, and augmented views of them.

Only the ``train`` part of the split is ever opened.  Of it, a calibration fold (``calibration_names``) is held out of
all training, so that temperatures and thresholds are fitted on photos that no network has seen.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.detect import tile_heights
from vision.render.palettes import Bgr, random_palette
from vision.render.scene import RenderedScene, RenderedTile

Image = NDArray[np.uint8]
Quads = NDArray[np.float32]

CALIBRATION_SHARE = 0.12
KEPT_TILE_HEIGHT_PX = 300
"""Photos are kept in memory with their median tile at most this high; no network sees larger ones."""

HUGE_TILE_SHARE = 0.35
"""A tile higher than this share of the view is a close-up."""
INK_NAMES = "RBKO"


def photos_folder() -> Path:
    """Where the shared photos lie: ``TILEREF_PHOTOS``, or ``../shared/photos`` beside the repository."""
    return Path(os.environ.get("TILEREF_PHOTOS", Path(__file__).resolve().parents[2].parent / "shared" / "photos"))


def group_of(name: str) -> str:
    """The series a photo belongs to (one box, one table): the name up to its number."""
    return name.partition("_" if "_" in name else "-")[0]


def train_names(folder: Path) -> list[str]:
    """All names of the ``train`` part, sorted."""
    names: list[str] = json.loads((folder / "split.json").read_text(encoding="utf-8"))["train"]
    return sorted(names)


def calibration_names(names: Sequence[str]) -> list[str]:
    """The held-out fold: of each group the photos whose hashed names come first, at least one a group."""
    groups: defaultdict[str, list[str]] = defaultdict(list)
    for name in names:
        groups[group_of(name)].append(name)
    held: list[str] = []
    for members in groups.values():
        members.sort(key=lambda name: hashlib.sha256(f"calibration:{name}".encode()).hexdigest())
        held += members[: max(1, round(CALIBRATION_SHARE * len(members)))]
    return sorted(held)


def fitting_names(folder: Path) -> list[str]:
    """Names of the photos that networks may be trained on."""
    names = train_names(folder)
    held = set(calibration_names(names))
    return [name for name in names if name not in held]


@dataclass(frozen=True, slots=True)
class Photo:
    """One labelled photo.

    ``pyramid`` holds the picture (uint8 HxWx3 BGR) and its halvings; ``quads`` (N, 4, 2) float32 are pixels of
    ``pyramid[0]``, ``codes`` the N tile codes, ``cut`` (N,) marks tiles that the picture's edge cuts, and ``ignore``
    are polygons over fragments.  ``factor`` is the size of ``pyramid[0]`` over that of the file.
    """

    name: str
    pyramid: tuple[Image, ...]
    quads: Quads
    codes: tuple[str, ...]
    cut: NDArray[np.bool_]
    ignore: tuple[NDArray[np.float32], ...]
    factor: float = 1.0


def load_photo(folder: Path, name: str, kept_height: float = KEPT_TILE_HEIGHT_PX) -> Photo:
    """Read one photo with its truth, shrunk so that its median tile is at most ``kept_height`` px high."""
    truth = json.loads((folder / "truth" / f"{name}.json").read_text(encoding="utf-8"))
    image = cv2.imread(str(folder / "photos" / truth["photo"]), cv2.IMREAD_COLOR)
    if image is None:
        raise FileNotFoundError(f"{folder / 'photos' / truth['photo']} cannot be read as a picture")
    quads = np.array([tile["quad"] for tile in truth["tiles"]], np.float32).reshape(-1, 4, 2)
    factor = 1.0
    limit = 1000.0 / max(image.shape[:2])
    if len(quads):
        limit = kept_height / float(np.median(tile_heights(quads)))
    if limit < 1:
        factor = limit
        image = cv2.resize(image, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA)
    pyramid = [np.asarray(image, np.uint8)]
    while len(pyramid) < 4:
        pyramid.append(np.asarray(cv2.resize(pyramid[-1], None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)))
    return Photo(
        name=name,
        pyramid=tuple(pyramid),
        quads=quads * np.float32(factor),
        codes=tuple(tile["tile"] for tile in truth["tiles"]),
        cut=np.array([bool(tile.get("cut")) for tile in truth["tiles"]], np.bool_),
        ignore=tuple(np.array(polygon, np.float32) * factor for polygon in truth.get("ignore", [])),
        factor=factor,
    )


def load_fitting_photos(folder: Path | None = None, without: str = "") -> list[Photo]:
    """All photos that may be trained on, but those of the group ``without``; empty when the folder is absent."""
    where = folder or photos_folder()
    if not (where / "split.json").exists():
        return []
    return [load_photo(where, name) for name in fitting_names(where) if group_of(name) != without]


def rounded_alpha(height: int, width: int, share: float) -> Image:
    """Opaque uint8 HxW mask of a rectangle whose corners are rounded by ``share`` of its width."""
    scale = 4
    radius = max(1, int(share * width * scale))
    mask = np.zeros((height * scale, width * scale), np.uint8)
    h, w = mask.shape
    cv2.rectangle(mask, (radius, 0), (w - radius, h), 255, -1)
    cv2.rectangle(mask, (0, radius), (w, h - radius), 255, -1)
    for x in (radius, w - radius - 1):
        for y in (radius, h - radius - 1):
            cv2.circle(mask, (x, y), radius, 255, -1)
    return np.asarray(cv2.resize(mask, (width, height), interpolation=cv2.INTER_AREA), np.uint8)


@dataclass(frozen=True, slots=True)
class PhotoBox:
    """A box whose faces are real tiles, cut from one photo and, for codes it lacks, from its neighbours.

    ``faces`` maps a code to (photo, index of the tile); every code has an entry but the back, which is a face
    smoothed until its print is gone.
    """

    faces: dict[str, tuple[tuple[Photo, int], ...]]
    aspect: float
    thickness: float
    side: Bgr

    def numeral_area(self, code: str) -> tuple[float, float, float, float]:
        """Where the numeral or drawing stands: left, top, right, bottom as shares of the face."""
        if code in ("?", "J"):
            return 0.12, 0.1, 0.88, 0.9
        half = 0.3 if len(code) > 2 else 0.2
        return 0.5 - half, 0.12, 0.5 + half, 0.56

    def face(
        self, code: str, height_px: int, rng: np.random.Generator, light: tuple[float, float] = (0.0, 0.0)
    ) -> tuple[Image, Image]:
        """The top face upright: uint8 HxWx3 BGR and its uint8 HxW alpha; the photo's own light stays on it."""
        del light
        width_px = max(4, round(height_px * self.aspect))
        choices = self.faces[code if code != "?" else sorted(self.faces)[int(rng.integers(len(self.faces)))]]
        photo, index = choices[int(rng.integers(len(choices)))]
        image = cut_face(photo, index, width_px, height_px)
        if code == "?":
            image = without_print(image)
        return image, rounded_alpha(height_px, width_px, 0.06)


def cut_face(photo: Photo, index: int, width_px: int, height_px: int) -> Image:
    """The face of one tile of a photo, upright, uint8 ``height_px`` x ``width_px`` x 3 BGR."""
    quad = photo.quads[index]
    own = float(tile_heights(quad[None])[0])
    level = int(np.clip(math.floor(math.log2(max(own / height_px, 1.0))), 0, len(photo.pyramid) - 1))
    target = np.array([[0, 0], [width_px, 0], [width_px, height_px], [0, height_px]], np.float32)
    matrix = cv2.getPerspectiveTransform((quad / 2**level).astype(np.float32), target)
    return np.asarray(
        cv2.warpPerspective(
            photo.pyramid[level], matrix, (width_px, height_px), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
        ),
        np.uint8,
    )


def without_print(face: Image) -> Image:
    """A blank tile from a printed one: its body colour, shaded as the face was from top to bottom."""
    body = np.percentile(face.reshape(-1, 3), 70, axis=0)
    rows = np.percentile(face, 75, axis=1)
    smooth = cv2.GaussianBlur(rows.astype(np.float32)[:, None, :], (1, 0), 0, sigmaY=max(1.0, face.shape[0] / 5))
    blank = 0.6 * smooth.reshape(-1, 1, 3) + 0.4 * body
    return np.asarray(np.clip(np.broadcast_to(blank, face.shape), 0, 255), np.uint8)


def photo_box_source(photos: Sequence[Photo]) -> Callable[[np.random.Generator], PhotoBox]:
    """A source of boxes cut from these photos, one photo a box."""
    everywhere: defaultdict[str, list[tuple[Photo, int]]] = defaultdict(list)
    by_group: defaultdict[str, defaultdict[str, list[tuple[Photo, int]]]] = defaultdict(lambda: defaultdict(list))
    for photo in photos:
        for index, code in enumerate(photo.codes):
            if not photo.cut[index]:
                everywhere[code].append((photo, index))
                by_group[group_of(photo.name)][code].append((photo, index))
    with_tiles = [photo for photo in photos if photo.codes]

    def draw(rng: np.random.Generator) -> PhotoBox:
        photo = with_tiles[int(rng.integers(len(with_tiles)))]
        group = by_group[group_of(photo.name)]
        own: defaultdict[str, list[tuple[Photo, int]]] = defaultdict(list)
        for index, code in enumerate(photo.codes):
            if not photo.cut[index]:
                own[code].append((photo, index))
        faces = {code: tuple(own.get(code) or group.get(code) or everywhere[code]) for code in everywhere}
        body = np.percentile(cut_face(photo, 0, 24, 32).reshape(-1, 3), 75, axis=0)
        return PhotoBox(
            faces=faces,
            aspect=float(rng.uniform(0.68, 0.78)),
            thickness=float(rng.uniform(0.12, 0.32)),
            side=(float(body[0]), float(body[1]), float(body[2])),
        )

    return draw


def recolour(image: Image, quad: NDArray[np.float32], ink_bgr: NDArray[np.float32]) -> None:
    """Print the numeral of one tile in another ink, in place: pixels move along the line from body to old ink."""
    height, width = image.shape[:2]
    low = np.maximum(np.floor(quad.min(axis=0)).astype(int), 0)
    high = np.minimum(np.ceil(quad.max(axis=0)).astype(int) + 1, (width, height))
    if (high - low).min() < 4:
        return
    patch = image[low[1] : high[1], low[0] : high[0]]
    inner = quad.mean(axis=0) + 0.88 * (quad - quad.mean(axis=0)) - low
    mask = np.zeros(patch.shape[:2], np.uint8)
    cv2.fillConvexPoly(mask, np.round(inner * 16).astype(np.int32), 255, cv2.LINE_AA, 4)
    inside = patch[mask > 200].astype(np.float32)
    if len(inside) < 30:
        return
    body = np.percentile(inside, 80, axis=0)
    distance = np.linalg.norm(inside - body, axis=1)
    strongest = inside[distance >= np.percentile(distance, 95)]
    old = strongest.mean(axis=0)
    line = old - body
    length = float(line @ line)
    if length < 45**2:
        return
    share = np.clip((patch.astype(np.float32) - body) @ line / length, 0, 1.2)
    share = np.clip((share - 0.12) / 0.88, 0, 1.2) * (mask.astype(np.float32) / 255)
    new = ink_bgr * (body / 240.0)
    patch[:] = np.clip(patch + share[..., None] * (new - old), 0, 255).astype(np.uint8)


def print_anew(image: Image, quads: Quads, codes: list[str], shown: Sequence[int], rng: np.random.Generator) -> None:
    """Print the tiles ``shown`` in the inks of another box, half the time in exchanged colours; all in place."""
    swap = dict(zip(INK_NAMES, rng.permutation(list(INK_NAMES)), strict=True)) if rng.random() < 0.5 else {}
    palette = random_palette(rng)
    for i in shown:
        if codes[i] != "J" and (swap or rng.random() < 0.9):
            ink = str(swap.get(codes[i][0], codes[i][0]))
            recolour(image, quads[i], np.array(palette.ink(ink), np.float32))
            codes[i] = ink + codes[i][1:]


def random_homography(
    rng: np.random.Generator, centre: NDArray[np.float32], scale: float, size: int
) -> NDArray[np.float64]:
    """A view of the plane: ``centre`` comes near the middle, scaled, turned by any angle, tilted by up to 60°."""
    angle = rng.uniform(0, 2 * math.pi)
    tilt = math.radians(rng.uniform(0, 60) if rng.random() < 0.35 else rng.uniform(0, 25))
    axis = rng.uniform(0, 2 * math.pi)
    cos, sin = math.cos(angle), math.sin(angle)
    turn = np.array([[scale * cos, -scale * sin, 0], [scale * sin, scale * cos, 0], [0, 0, 1]])
    move = np.array([[1, 0, -centre[0]], [0, 1, -centre[1]], [0, 0, 1]])
    direction = np.array([math.cos(axis), math.sin(axis)])
    squeeze = np.eye(3)
    squeeze[:2, :2] -= (1 - math.cos(tilt)) * np.outer(direction, direction)
    squeeze[2, :2] = math.sin(tilt) / (size * rng.uniform(1.3, 3.0)) * direction
    spot = rng.uniform(0.2, 0.8, 2) * size
    place = np.array([[1, 0, spot[0]], [0, 1, spot[1]], [0, 0, 1]])
    return np.asarray(place @ squeeze @ turn @ move)


def map_points(
    matrix: NDArray[np.float64], points: NDArray[np.float32]
) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """Points (..., 2) through a homography, and for each whether it lies in front of the horizon."""
    rows = np.concatenate([points.astype(np.float64), np.ones((*points.shape[:-1], 1))], axis=-1) @ matrix.T
    front = rows[..., 2] > 0.15
    return (rows[..., :2] / np.where(front, rows[..., 2], 1)[..., None]).astype(np.float32), front


def share_inside(quad: NDArray[np.float32], size: int) -> float:
    """Share of a quad's area that lies in the picture ``size`` x ``size``."""
    frame = np.array([[0, 0], [size, 0], [size, size], [0, size]], np.float32)
    whole = abs(float(cv2.contourArea(quad)))
    if whole < 1 or not cv2.isContourConvex(quad):
        return 0.0
    return float(min(1.0, cv2.intersectConvexConvex(quad, frame)[0] / whole))


def covered_share(cover: Image, quad: NDArray[np.float32], zone: tuple[float, float, float, float]) -> float:
    """Share of a zone (u0, v0, u1, v1 in face units) of a tile that the uint8 HxW mask ``cover`` hides."""
    u0, v0, u1, v1 = zone
    u, v = np.meshgrid(np.linspace(u0, u1, 9), np.linspace(v0, v1, 9))
    u, v = u[..., None], v[..., None]
    points = (1 - u) * (1 - v) * quad[0] + u * (1 - v) * quad[1] + u * v * quad[2] + (1 - u) * v * quad[3]
    height, width = cover.shape
    x, y = np.round(points[..., 0]).astype(int), np.round(points[..., 1]).astype(int)
    outside = (x < 0) | (y < 0) | (x >= width) | (y >= height)
    hidden = outside | (cover[np.clip(y, 0, height - 1), np.clip(x, 0, width - 1)] > 100)
    return float(hidden.mean())


def cover_up(image: Image, cover: Image, where: NDArray[np.float32], reach: float, rng: np.random.Generator) -> None:
    """Lay a finger, a card or a cloth over the picture, in place, near the point ``where``; mark it in ``cover``."""
    size = image.shape[0]
    mask = np.zeros_like(cover)
    kind = rng.random()
    if kind < 0.5:
        angle = rng.uniform(0, 2 * math.pi)
        tip = where + rng.normal(0, 0.35 * reach, 2)
        root = tip + 3 * size * np.array([math.cos(angle), math.sin(angle)])
        thick = max(3, int(reach * rng.uniform(0.25, 0.7)))
        cv2.line(mask, tuple(map(int, tip)), tuple(map(int, root)), 255, thick, cv2.LINE_AA)
        colour = np.array([rng.uniform(60, 170), rng.uniform(90, 190), rng.uniform(140, 240)])
    else:
        box = cv2.boxPoints(
            (
                tuple(map(float, where + rng.normal(0, 0.6 * reach, 2))),
                tuple(map(float, reach * rng.uniform(0.3, 1.6, 2))),
                float(rng.uniform(0, 180)),
            )
        )
        cv2.fillConvexPoly(mask, np.round(box).astype(np.int32), 255, cv2.LINE_AA)
        colour = rng.uniform(0, 255, 3)
    weight = mask[..., None].astype(np.float32) / 255
    shade = np.linspace(rng.uniform(0.7, 1), rng.uniform(0.7, 1), size)[None, :, None]
    grain = rng.normal(0, rng.uniform(0, 8), (size, size, 1))
    image[:] = np.clip(image * (1 - weight) + (colour * shade + grain) * weight, 0, 255).astype(np.uint8)
    np.maximum(cover, mask, out=cover)


def photo_scene(rng: np.random.Generator, size: int, photos: Sequence[Photo], tile_height_px: float) -> RenderedScene:
    """An augmented view of one real photo, ``size`` x ``size``, with its chosen tile about ``tile_height_px`` high.

    The photo is chosen by a tile code drawn evenly, so that rare faces are seen as often as common ones.
    """
    empty = [photo for photo in photos if not photo.codes]
    if empty and rng.random() < 0.10:
        photo = empty[int(rng.integers(len(empty)))]
        height, width = photo.pyramid[0].shape[:2]
        centre = np.array([rng.uniform(0.2, 0.8) * width, rng.uniform(0.2, 0.8) * height], np.float32)
        scale = size / max(height, width) * float(rng.uniform(0.5, 3.5))
    else:
        codes = sorted({code for photo in photos for code in photo.codes})
        code = codes[int(rng.integers(len(codes)))]
        holders = [(photo, i) for photo in photos for i, c in enumerate(photo.codes) if c == code]
        photo, index = holders[int(rng.integers(len(holders)))]
        height = float(tile_heights(photo.quads[index : index + 1])[0])
        centre = photo.quads[index].mean(axis=0)
        if tile_height_px > HUGE_TILE_SHARE * size:
            # what the table around a close-up looks like, enlarged: texture that is no tile
            centre = centre + rng.uniform(-1.3, 1.3, 2).astype(np.float32) * height
        scale = tile_height_px / height
    matrix = random_homography(rng, centre, scale, size)
    level = int(np.clip(math.floor(math.log2(max(1 / scale, 1.0))), 0, len(photo.pyramid) - 1))
    border = cv2.BORDER_REPLICATE if rng.random() < 0.4 else cv2.BORDER_CONSTANT
    image = np.asarray(
        cv2.warpPerspective(
            photo.pyramid[level],
            matrix @ np.diag([2.0**level, 2.0**level, 1.0]),
            (size, size),
            flags=cv2.INTER_LINEAR,
            borderMode=border,
            borderValue=tuple(map(float, rng.uniform(0, 255, 3))),
        ),
        np.uint8,
    )
    quads, front = map_points(matrix, photo.quads)
    shown = [i for i in range(len(quads)) if front[i].all() and share_inside(quads[i], size) > 0.02]
    codes_now = list(photo.codes)
    if rng.random() < 0.6:
        print_anew(image, quads, codes_now, shown, rng)
    cover = np.zeros((size, size), np.uint8)
    for polygon in photo.ignore:
        points, ahead = map_points(matrix, polygon)
        if ahead.all():
            cv2.fillPoly(cover, [np.round(points).astype(np.int32)], 60)
    if shown and rng.random() < 0.25:
        for _ in range(int(rng.integers(1, 3))):
            i = shown[int(rng.integers(len(shown)))]
            cover_up(image, cover, quads[i].mean(axis=0), float(tile_heights(quads[i : i + 1])[0]), rng)
    tiles = [
        RenderedTile(
            code=codes_now[i],
            quad=quads[i],
            visible=min(share_inside(quads[i], size), 1 - covered_share(cover, quads[i], (0, 0, 1, 1)))
            * (0.7 if photo.cut[i] else 1.0),
            legible=not photo.cut[i] and covered_share(cover, quads[i], (0.22, 0.08, 0.78, 0.58)) < 0.12,
        )
        for i in shown
    ]
    for polygon in photo.ignore:
        points, ahead = map_points(matrix, polygon)
        if ahead.all():
            box = cv2.boxPoints(cv2.minAreaRect(points))
            tiles.append(RenderedTile(code="?", quad=box.astype(np.float32), visible=0.2, legible=False))
    return RenderedScene(image=degrade(image, rng, min(1.0, tile_height_px / 36)), tiles=tuple(tiles))


def degrade(image: Image, rng: np.random.Generator, softness: float) -> Image:
    """The lamp and the camera: white balance, exposure, contrast, light gradient, blur, motion, noise, JPEG.

    ``softness`` in 0–1 scales the blur, so that small numerals stay readable.
    """
    size = image.shape[0]
    work: NDArray[np.float32] = image.astype(np.float32)
    if rng.random() < 0.75:
        warm = rng.normal(0, 0.13)
        gains = np.array([1 - warm, 1 + rng.normal(0, 0.04), 1 + warm], np.float32)
        work *= np.clip(gains, 0.6, 1.5) * float(np.exp(rng.normal(0, 0.2)))
    if rng.random() < 0.4:
        work = np.asarray(255 * np.clip(work / 255, 0, 1) ** np.exp(rng.normal(0, 0.2)), np.float32)
    if rng.random() < 0.35:
        angle = rng.uniform(0, 2 * math.pi)
        x = np.arange(size, dtype=np.float32) / size - 0.5
        ramp = math.cos(angle) * x[None, :] + math.sin(angle) * x[:, None]
        if rng.random() < 0.4:
            ramp = np.tanh((ramp - rng.uniform(-0.3, 0.3)) * rng.uniform(4, 60)) * 0.6
        work *= 1 + np.float32(rng.uniform(0.15, 0.6)) * ramp[..., None]
    if rng.random() < 0.12:
        spot = rng.uniform(0, size, 2)
        y, x = np.mgrid[0:size, 0:size].astype(np.float32)
        radius = size * rng.uniform(0.05, 0.3)
        glow = np.exp(-((x - spot[0]) ** 2 + (y - spot[1]) ** 2) / (2 * radius**2))
        work += (255 - work) * (rng.uniform(0.2, 0.65) * glow)[..., None].astype(np.float32)
    if rng.random() < 0.4:
        work = np.asarray(cv2.GaussianBlur(work, (0, 0), 0.2 + softness * float(rng.uniform(0.2, 1.2))), np.float32)
    if rng.random() < 0.12:
        length = 2 + int(rng.integers(1, 2 + round(5 * softness)))
        kernel = np.zeros((length, length), np.float32)
        angle = rng.uniform(0, math.pi)
        end = 0.5 * (length - 1) * np.array([math.cos(angle), math.sin(angle)])
        middle = (length - 1) / 2
        cv2.line(
            kernel,
            tuple(round(float(middle - v)) for v in end),
            tuple(round(float(middle + v)) for v in end),
            1.0,
        )
        work = np.asarray(cv2.filter2D(work, -1, kernel / max(kernel.sum(), 1)), np.float32)
    if rng.random() < 0.6:
        noise = rng.normal(0, rng.uniform(1, 4 + 6 * softness), work.shape[:2] + (1 if rng.random() < 0.5 else 3,))
        work = work + noise.astype(np.float32)
    result = np.clip(work, 0, 255).astype(np.uint8)
    if rng.random() < 0.4:
        _, data = cv2.imencode(".jpg", result, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(25, 90))])
        result = np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8)
    return result
