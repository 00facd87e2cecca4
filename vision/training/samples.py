"""Endless training samples for both networks, from rendered scenes and augmented photos."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.assemble import inside_share
from vision.detect import OUTSIDE_BGR, tile_heights
from vision.read import BACK, COLOUR_CLASSES, JOKER, NOTHING, UNIT_CORNERS, UNREAD
from vision.rectify import CROP_HEIGHT, CROP_WIDTH, rectify, square_to_quad
from vision.render.scene import RenderedScene, RenderedTile, training_scene
from vision.training.photo_data import load_fitting_photos, map_points, photo_box_source, photo_scene

Floats = NDArray[np.float32]

SCENE_SIZE_PX = 256
MOST_TILES = 80

DETECTOR_SAMPLE = np.dtype(
    [
        ("image", np.uint8, (SCENE_SIZE_PX, SCENE_SIZE_PX, 3)),
        ("count", np.int32),
        ("quads", np.float32, (MOST_TILES, 4, 2)),
        ("visible", np.float32, (MOST_TILES,)),
        ("is_back", np.bool_, (MOST_TILES,)),
    ]
)
READER_SAMPLE = np.dtype(
    [
        ("crop", np.uint8, (CROP_HEIGHT, CROP_WIDTH, 3)),
        ("number", np.int64),
        ("colour", np.int64),
        ("upside", np.float32),
        ("upside_known", np.bool_),
        ("corners", np.float32, (8,)),
        ("corners_known", np.bool_),
    ]
)
NO_COLOUR = -1

PHOTO_SHARE_DETECTOR = 0.26
PHOTO_SHARE_READER = 0.32
PHOTO_BOX_SHARE = 0.28
MACRO_TILE_HEIGHT_PX = 330
ENLARGED = 1.6
"""The reader reads tiles at the photo's own size, mostly larger than those that the detector looks for."""
CROPS_PER_SCENE = 14
SLIVER_SHARE = 0.35
"""Of the tiles that are all but hidden or out of the picture, so many are shown to the reader."""

CUT_SHARE = 0.4
"""So many of the detector's pictures end at one edge or two inside the sample: beyond lies what lies beyond a photo."""
NARROWEST_CUT_PX, WIDEST_CUT_PX = 4, 72
LEAST_LEFT = 0.05
"""A tile of which less is left is not spoken of."""

FAINTEST_INK = 0.12


def detector_samples(rng: np.random.Generator, without: str = "") -> Iterator[Any]:
    """Pictures with all their tiles, as ``DETECTOR_SAMPLE`` records; ``without`` a group of photos."""
    for whole in scenes(rng, PHOTO_SHARE_DETECTOR, huge_share=0.15, enlarged_share=0.0, without=without):
        scene = cut_off(whole, rng) if rng.random() < CUT_SHARE else whole
        record = np.zeros((), DETECTOR_SAMPLE)
        tiles = scene.tiles[:MOST_TILES]
        record["image"] = scene.image
        record["count"] = len(tiles)
        for i, tile in enumerate(tiles):
            record["quads"][i] = tile.quad
            record["visible"][i] = tile.visible
            record["is_back"][i] = tile.code == "?"
        yield record


def cut_off(scene: RenderedScene, rng: np.random.Generator) -> RenderedScene:
    """The scene as a photo shows it that ends before the scene does, with what the detector is shown beyond."""
    size = scene.image.shape[0]
    image = scene.image.copy()
    low, high = [0, 0], [size, size]
    """Where the photo begins and ends: x, y"""
    for axis in rng.permutation(2)[: int(rng.integers(1, 3))]:
        width = int(rng.integers(NARROWEST_CUT_PX, WIDEST_CUT_PX))
        if rng.random() < 0.5:
            low[axis] = width
        else:
            high[axis] = size - width
    photo = image[low[1] : high[1], low[0] : high[0]].copy()
    image[:] = OUTSIDE_BGR
    image[low[1] : high[1], low[0] : high[0]] = photo
    if not scene.tiles:
        return replace(scene, image=image)
    quads = np.stack([tile.quad for tile in scene.tiles]) - np.array(low, np.float32)
    inside = inside_share(quads, high[0] - low[0], high[1] - low[1])
    tiles = [replace(tile, visible=tile.visible * share) for tile, share in zip(scene.tiles, inside, strict=True)]
    return replace(scene, image=image, tiles=tuple(tile for tile in tiles if tile.visible > LEAST_LEFT))


def reader_samples(rng: np.random.Generator, without: str = "") -> Iterator[Any]:
    """Crops of tiles, badly framed on purpose, and of what is no tile, as ``READER_SAMPLE`` records."""
    for scene in scenes(rng, PHOTO_SHARE_READER, huge_share=0.2, enlarged_share=0.5, without=without):
        yield from crops_of(scene, rng)


def scenes(
    rng: np.random.Generator, photo_share: float, huge_share: float, enlarged_share: float, without: str
) -> Iterator[RenderedScene]:
    """Rendered scenes mixed with views of real photos, where there are photos (of other groups than ``without``)."""
    photos = load_fitting_photos(without=without)
    boxes = photo_box_source(photos) if photos else None
    while True:
        if photos and rng.random() < photo_share:
            if rng.random() < huge_share:
                height = math.exp(rng.uniform(math.log(75), math.log(MACRO_TILE_HEIGHT_PX)))
            else:
                height = math.exp(rng.uniform(math.log(15), math.log(74)))
            yield photo_scene(rng, SCENE_SIZE_PX, photos, height * (ENLARGED if rng.random() < enlarged_share else 1.0))
        else:
            size = round(SCENE_SIZE_PX * (ENLARGED if rng.random() < enlarged_share else 1.0))
            yield training_scene(rng, size, boxes if rng.random() < PHOTO_BOX_SHARE else None)


def crops_of(scene: RenderedScene, rng: np.random.Generator) -> list[Any]:
    """At most about ``CROPS_PER_SCENE`` records cut from one scene, negatives included."""
    order = rng.permutation(len(scene.tiles))
    chosen = [
        scene.tiles[i]
        for i in order
        if readable(scene.tiles[i]) and (scene.tiles[i].visible > 0.4 or rng.random() < SLIVER_SHARE)
    ][:CROPS_PER_SCENE]
    cuts: list[tuple[Floats, RenderedTile | None, bool]] = []
    for tile in chosen:
        upside = bool(rng.random() < 0.5)
        quad = np.roll(tile.quad, 2, axis=0) if upside else tile.quad
        cuts.append((jittered(quad.astype(np.float32), rng), tile, upside))
    for _ in range(1 + len(chosen) // 5):
        negative = not_a_tile(scene, chosen, rng)
        if negative is not None:
            cuts.append((negative, None, False))
    cuts = [cut for cut in cuts if sound(cut[0])]
    if not cuts:
        return []
    crops = rectify(scene.image, np.stack([cut[0] for cut in cuts]))
    return [labelled(crop, *cut) for crop, cut in zip(crops, cuts, strict=True)]


def readable(tile: RenderedTile) -> bool:
    """Whether a tile is worth a crop: large enough, and either well seen or clearly unread."""
    height = float(tile_heights(tile.quad[None])[0])
    if not 11 <= height <= 200 or not sound(tile.quad):
        return False
    return tile.visible > 0.15


def sound(quad: Floats) -> bool:
    """Whether a quad is convex, clockwise and not a sliver."""
    sides = np.roll(quad, -1, axis=0) - quad
    following = np.roll(sides, -1, axis=0)
    turns = sides[:, 0] * following[:, 1] - sides[:, 1] * following[:, 0]
    return bool((turns > 6).all())


def jittered(quad: Floats, rng: np.random.Generator) -> Floats:
    """A quad as a detector might have found it: shifted, resized, turned, its corners apart."""
    rough = rng.random() < 0.5
    shift, growth, turn, apart = (0.065, 0.075, 4.0, 0.035) if rough else (0.025, 0.03, 1.5, 0.015)
    if rng.random() < 0.35:  # the detector gives parallelograms
        centre = quad.mean(axis=0)
        up, right = (quad[0] + quad[1] - quad[2] - quad[3]) / 4, (quad[1] + quad[2] - quad[0] - quad[3]) / 4
        quad = np.stack([centre + up - right, centre + up + right, centre - up + right, centre - up - right])
    along, down = (quad[1] - quad[0] + quad[2] - quad[3]) / 2, (quad[3] - quad[0] + quad[2] - quad[1]) / 2
    centre = quad.mean(axis=0)
    moved = quad - centre
    angle = math.radians(float(np.clip(rng.normal(0, turn), -8, 8)))
    rotation = np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])
    moved = (moved @ rotation.T) * np.clip(1 + rng.normal(0, growth), 0.82, 1.18)
    slide = np.clip(rng.normal(0, shift, 2), -0.15, 0.15)
    corners = np.clip(rng.normal(0, apart, (4, 2)), -0.1, 0.1)
    moved = moved + centre + slide[0] * along + slide[1] * down
    return np.asarray(moved + corners[:, :1] * along + corners[:, 1:] * down, np.float32)


def not_a_tile(scene: RenderedScene, chosen: list[RenderedTile], rng: np.random.Generator) -> Floats | None:
    """A quad that frames no tile: between two tiles, over parts of one, or on the background."""
    size = scene.image.shape[0]
    kind = rng.random()
    if chosen and kind < 0.55:
        tile = chosen[int(rng.integers(len(chosen)))]
        quad = tile.quad
        along, down = quad[1] - quad[0], quad[3] - quad[0]
        if kind < 0.35:
            step = rng.uniform(0.4, 0.6, 2) * rng.choice([-1, 1], 2)
            step *= [(1, 0), (0, 1), (1, 1)][int(rng.integers(3))]
            quad = quad + step[0] * along + step[1] * down
            others = [other for other in scene.tiles if other is not tile]
            if any(np.abs(_face_place(other.quad, quad.mean(axis=0)) - 0.5).max() < 0.34 for other in others):
                return None
        elif kind < 0.45:
            quad = quad.mean(axis=0) + rng.uniform(1.75, 3) * (quad - quad.mean(axis=0))
        else:
            middle = quad[0] + rng.uniform(0.3, 0.7) * along + rng.uniform(0.2, 0.8) * down
            quad = middle + rng.uniform(0.25, 0.5) * (quad - quad.mean(axis=0))
        return np.asarray(np.roll(quad, 2 * int(rng.integers(2)), axis=0) + rng.normal(0, 0.5, (4, 2)), np.float32)
    centre = rng.uniform(0.05, 0.95, 2) * size
    for tile in scene.tiles:
        if np.abs(_face_place(tile.quad, centre) - 0.5).max() < 0.9:
            return None
    height = math.exp(rng.uniform(math.log(14), math.log(80)))
    width = height * rng.uniform(0.6, 0.85)
    angle = rng.uniform(0, 2 * math.pi)
    rotation = np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])
    box = (UNIT_CORNERS - 0.5) * [width, height]
    return np.asarray(box @ rotation.T + centre, np.float32)


def _face_place(quad: Floats, point: NDArray[np.floating]) -> NDArray[np.float64]:
    """A picture point in face units of a quad, taken as a parallelogram."""
    along, down = (quad[1] - quad[0] + quad[2] - quad[3]) / 2, (quad[3] - quad[0] + quad[2] - quad[1]) / 2
    away = point - quad.mean(axis=0)
    area = along[0] * down[1] - along[1] * down[0]
    if abs(area) < 1e-6:
        return np.array([np.inf, np.inf])
    place = np.array([away[0] * down[1] - away[1] * down[0], along[0] * away[1] - along[1] * away[0]]) / area
    return np.asarray(place + 0.5, np.float64)


def faint(crop: NDArray[np.uint8]) -> bool:
    """Whether no part of the face differs from its body by more than ``FAINTEST_INK`` of it: nothing to read there."""
    face = cv2.blur(crop, (3, 3))[CROP_HEIGHT // 8 : -(CROP_HEIGHT // 8), CROP_WIDTH // 5 : -(CROP_WIDTH // 5)]
    values = face.reshape(-1, 3).astype(np.float32)
    body, ink = np.percentile(values, 85, axis=0), np.percentile(values, 0.4, axis=0)
    return bool(((body - ink) / np.maximum(body, 12)).max() < FAINTEST_INK)


def labelled(crop: NDArray[np.uint8], framed: Floats, tile: RenderedTile | None, upside: bool) -> Any:
    """One record: what the crop framed by a quad shows."""
    record = np.zeros((), READER_SAMPLE)
    record["crop"] = crop
    record["colour"] = NO_COLOUR
    if tile is None:
        record["number"] = NOTHING
        return record
    true = np.roll(tile.quad, 2, axis=0) if upside else tile.quad
    inverse = np.linalg.inv(square_to_quad(framed[None].astype(np.float64))[0])
    record["corners"] = (map_points(inverse, true)[0] - UNIT_CORNERS).reshape(-1)
    record["corners_known"] = bool(np.abs(record["corners"]).max() < 0.5) and tile.visible > 0.6
    if tile.code == "?":
        record["number"] = BACK if tile.visible > 0.6 else UNREAD
    elif not tile.legible or tile.visible < 0.35 or faint(crop):
        record["number"] = UNREAD
    elif tile.code.startswith("J"):
        record["number"] = JOKER
    else:
        record["number"] = int(tile.code[1:]) - 1
        record["colour"] = COLOUR_CLASSES.index(tile.code[0])
    record["upside"] = float(upside)
    record["upside_known"] = record["number"] <= JOKER
    return record
