"""Fit the numbers of ``vision.assemble.Calibration``: temperatures, presence, and the threshold of doubt.

They are fitted on rendered tables and on degraded views of the photos that no network was trained on; never on the
photos of the ``valid`` part, which only report.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.assemble import Calibration, presence
from vision.colour import Ink, ink_of, judge_jointly
from vision.detect import Detector
from vision.model_store import MANIFEST_NAME, Manifest, load_model, manifest_text, read_manifest
from vision.read import BACK, COLOUR_CLASSES, JOKER, NOTHING, UNREAD, Reader
from vision.rectify import rectify
from vision.render import effects
from vision.render.compose import RenderedTile
from vision.render.faces import random_box
from vision.render.scene import random_code, random_lighting
from vision.render.surfaces import TRAINING_SURFACES
from vision.render.table import Shot, TableSpec, render_table
from vision.training.export import write_atomically
from vision.training.photo_data import calibration_names, load_photo, photos_folder, tile_heights, train_names

Floats = NDArray[np.float64]
Image = NDArray[np.uint8]

RENDERED_TABLES = 150
VIEWS_OF_A_PHOTO = 7
SILENT_SHARE = 0.0005
"""The threshold of doubt is the lowest at which at most this share of the tiles is wrong and not flagged."""
LOWEST_THRESHOLD, HIGHEST_THRESHOLD = 0.60, 0.97


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture with its truth: codes (``-`` for a tile to leave out), quads, and whether each is legible."""

    image: Image
    tiles: tuple[RenderedTile, ...]
    ignore: tuple[NDArray[np.float32], ...] = ()


@dataclass(frozen=True, slots=True)
class Evidence:
    """Detections of many pictures, one row each, with the truth: number class (N,), colour (N,) or −1."""

    score: Floats
    number_p: Floats
    colour_p: Floats
    number: NDArray[np.int64]
    colour: NDArray[np.int64]
    ink_lab: Floats
    ink_share: Floats
    picture: NDArray[np.int64]


def calibrate(models: Path, seed: int) -> Iterator[str]:
    """Fit everything, write it into the manifest; yields the figures as text."""
    manifest = read_manifest(models)
    detector = Detector(load_model("detector", manifest, models))
    reader = Reader(load_model("reader", manifest, models))
    evidence = gather(detector, reader, pictures(np.random.default_rng(seed)))
    counted = np.unique(evidence.picture).size
    yield f"{len(evidence.number)} detections in {counted} pictures"
    fitted = fit(evidence)
    for name, value in asdict(fitted).items():
        yield f"{name} = {value:.4f}"
    confidence, right = outcomes(evidence, fitted)
    yield "threshold: flagged, silent per 1000 (risk against coverage)"
    for threshold in (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, fitted.doubtful_below):
        sure = confidence >= threshold
        yield f"  {threshold:.3f}: {1 - sure.mean():.2%}, {1000 * (sure & ~right).mean():.2f}"
    yield "confidence: tiles, mean confidence, right"
    yield from reliability(confidence, right)
    fresh = Manifest(manifest.models, {name: round(value, 4) for name, value in asdict(fitted).items()})
    write_atomically(models / MANIFEST_NAME, manifest_text(fresh).encode("utf-8"))


def pictures(rng: np.random.Generator) -> Iterator[Picture]:
    """Rendered tables in training looks, then degraded views of the held-out photos, where there are photos."""
    for _ in range(RENDERED_TABLES):
        yield rendered(rng)
    folder = photos_folder()
    if (folder / "split.json").exists():
        for name in calibration_names(train_names(folder)):
            photo = load_photo(folder, name, kept_height=float("inf"))
            tiles = tuple(
                RenderedTile("-" if cut else code, quad, 1.0, True, photo.on_rack)
                for code, quad, cut in zip(photo.codes, photo.quads, photo.cut, strict=True)
            )
            for _ in range(VIEWS_OF_A_PHOTO):
                yield degraded(rng, Picture(photo.pyramid[0], tiles, photo.ignore))


def rendered(rng: np.random.Generator) -> Picture:
    """A random table of random rows, as a photo of a size that people take."""
    rows = tuple(
        tuple(random_code(rng, backs=0.02) for _ in range(int(rng.choice([3, 3, 4, 5, 7, 11]))))
        for _ in range(int(rng.integers(1, 13)))
    )
    loose = tuple(random_code(rng, backs=0.15) for _ in range(int(rng.integers(0, 5))))
    shot = Shot(
        size_wh=(int(rng.integers(700, 2000)), int(rng.integers(600, 1500))),
        tilt_deg=float(rng.uniform(0, 58)),
        fill=float(rng.uniform(0.5, 1)),
        noise=float(rng.uniform(0.2, 1)),
        view_deg=float(rng.uniform(30, 65)),
    )
    facings = tuple(float(rng.uniform(0, 360)) for _ in range(4))
    surface = TRAINING_SURFACES[int(rng.integers(len(TRAINING_SURFACES)))]
    hands = tuple((float(rng.random()), float(rng.random())) for _ in range(int(rng.random() < 0.2)))
    spec = TableSpec(rows, loose, facings)
    table = render_table(rng, random_box(rng), spec, shot, surface, random_lighting(rng), hands=hands)
    return Picture(table.scene.image, table.scene.tiles)


def degraded(rng: np.random.Generator, picture: Picture) -> Picture:
    """The same picture smaller, in other light and through a worse camera."""
    image = picture.image
    heights = tile_heights(np.array([tile.quad for tile in picture.tiles], np.float32).reshape(-1, 4, 2))
    height = float(np.median(heights)) if len(heights) else 100.0
    factor = min(1.0, float(np.exp(rng.uniform(np.log(22), np.log(110)))) / height)
    small = np.asarray(cv2.resize(image, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA), np.uint8)
    light = effects.light_field(rng, *small.shape[:2], contrast=rng.uniform(0, 0.6)) * rng.uniform(0.4, 1.1)
    cast = effects.colour_cast(rng, rng.uniform(0, 0.25))
    lit = np.clip(small * light[..., None] * cast, 0, 255).astype(np.uint8)
    worse = effects.camera_look(lit, rng, height * factor, float(rng.uniform(0.2, 1.0)))
    tiles = tuple(replace(tile, quad=(tile.quad + 0.5) * factor - 0.5) for tile in picture.tiles)
    return Picture(worse, tiles, tuple(polygon * factor for polygon in picture.ignore))


def gather(detector: Detector, reader: Reader, source: Iterator[Picture]) -> Evidence:
    """Detect and read everything, and find the truth of each detection."""
    rows: list[tuple[Floats, ...]] = []
    for index, picture in enumerate(source):
        found = detector.find(picture.image)
        if not len(found):
            continue
        readings = reader.read(picture.image, found.quads)
        number, colour = labels(readings.quads, picture)
        ink = ink_of(rectify(picture.image, readings.quads))
        kept = number >= 0
        place = np.full(len(number), index)
        columns = (found.score, readings.number_p, readings.colour_p, number, colour, ink.lab, ink.share, place)
        rows.append(tuple(column[kept] for column in columns))
    return Evidence(*(np.concatenate(column) for column in zip(*rows, strict=True)))  # type: ignore[arg-type]


def labels(quads: NDArray[np.float32], picture: Picture) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Number class and colour of each detection by the tile that its centre lies in; −1, −1: leave it out."""
    number, colour = np.full(len(quads), NOTHING), np.full(len(quads), -1)
    taken: set[int] = set()
    for j, quad in enumerate(quads):
        centre = (float(quad[:, 0].mean()), float(quad[:, 1].mean()))
        if any(cv2.pointPolygonTest(polygon, centre, False) >= 0 for polygon in picture.ignore):
            number[j] = -1
        for i, tile in enumerate(picture.tiles):
            if cv2.pointPolygonTest(np.asarray(tile.quad, np.float32), centre, False) < 0:
                continue
            if tile.code == "-" or 0.1 < tile.visible < 0.9 or i in taken:
                number[j] = -1  # cut, half covered, or a second one: other rules than confidence decide
            elif not tile.legible or tile.visible <= 0.1:
                number[j] = UNREAD
            elif tile.code == "?":
                number[j] = BACK
            elif tile.code == "J":
                number[j] = JOKER
            else:
                number[j], colour[j] = int(tile.code[1:]) - 1, COLOUR_CLASSES.index(tile.code[0])
            taken.add(i)
    return number, colour


def fit(evidence: Evidence) -> Calibration:
    """All numbers, one after the other: each step uses the ones before."""
    tile = evidence.number != NOTHING
    number_t = _temperature(evidence.number_p[tile], evidence.number[tile])
    inked = evidence.colour >= 0
    colour_t = _temperature(evidence.colour_p[inked], evidence.colour[inked])
    start = Calibration(number_temperature=number_t, colour_temperature=colour_t)
    bias, detector_weight, reader_weight = _presence_weights(evidence, number_t)
    start = replace(start, presence_bias=bias, presence_detector=detector_weight, presence_reader=reader_weight)
    confidence, right = outcomes(evidence, start)
    threshold = HIGHEST_THRESHOLD
    for candidate in np.arange(HIGHEST_THRESHOLD, LOWEST_THRESHOLD, -0.005):
        if ((confidence >= candidate) & ~right).mean() > SILENT_SHARE:
            break
        threshold = float(candidate)
    return replace(start, doubtful_below=threshold)


def outcomes(evidence: Evidence, calibration: Calibration) -> tuple[Floats, NDArray[np.bool_]]:
    """Confidence and rightness of every detection that counts as a face (unread and backs make no reading)."""
    numbers = tempered(evidence.number_p, calibration.number_temperature)
    colours = tempered(evidence.colour_p, calibration.colour_temperature)
    present = presence(evidence.score, numbers, calibration)
    first = numbers[:, :NOTHING].argmax(axis=1)
    joint = colours.copy()
    for index in np.unique(evidence.picture):
        rows = np.flatnonzero(evidence.picture == index)
        ink = Ink(evidence.ink_lab[rows], evidence.ink_share[rows])
        joint[rows] = judge_jointly(colours[rows], ink, first[rows] < JOKER)
    shade = joint.argmax(axis=1)
    has_ink = first < JOKER
    confidence = numbers[np.arange(len(first)), first] * np.where(has_ink, joint.max(axis=1), 1.0) * present
    right = (first == evidence.number) & (~has_ink | (shade == evidence.colour))
    counted = (first <= JOKER) & (present >= calibration.present_from)
    return confidence[counted], right[counted]


def reliability(confidence: Floats, right: NDArray[np.bool_]) -> Iterator[str]:
    """One line for each bin of confidence that holds tiles: how many, what was claimed, what came true."""
    edges = np.array([0.0, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 1.0001])
    for low, high in zip(edges[:-1], edges[1:], strict=True):
        inside = (confidence >= low) & (confidence < high)
        if inside.any():
            yield f"  {low:.3f}–{min(high, 1):.3f}: {inside.sum():5d}, {confidence[inside].mean():.4f}, {right[inside].mean():.4f}"


def tempered(probabilities: NDArray[np.floating], temperature: float) -> Floats:
    """Rows of probabilities after dividing their logits by a temperature."""
    logs = np.log(np.maximum(probabilities.astype(np.float64), 1e-12)) / temperature
    powers = np.exp(logs - logs.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True), np.float64)


def _temperature(probabilities: NDArray[np.floating], truth: NDArray[np.int64]) -> float:
    """The temperature of least negative log likelihood."""
    candidates = np.exp(np.linspace(np.log(0.4), np.log(4), 80))
    rows = np.arange(len(truth))
    losses = [-np.log(np.maximum(tempered(probabilities, t)[rows, truth], 1e-9)).mean() for t in candidates]
    return float(candidates[int(np.argmin(losses))])


def _presence_weights(evidence: Evidence, number_t: float) -> tuple[float, float, float]:
    """Logistic regression of "there is a tile" on detector and reader, by Newton's method with a small ridge."""

    def logit(p: Floats) -> Floats:
        clipped = np.clip(p, 1e-4, 1 - 1e-4)
        return np.asarray(np.log(clipped / (1 - clipped)), np.float64)

    nothing = tempered(evidence.number_p, number_t)[:, NOTHING]
    terms = np.column_stack([np.ones(len(nothing)), logit(evidence.score.astype(np.float64)), -logit(nothing)])
    wanted = (evidence.number != NOTHING).astype(np.float64)
    weights = np.array([0.0, 0.5, 1.0])
    ridge = np.diag([0.01, 1.0, 1.0])
    for _ in range(50):
        p = 1 / (1 + np.exp(-np.clip(terms @ weights, -30, 30)))
        slope = terms.T @ (wanted - p) - ridge @ (weights - [0.0, 0.5, 1.0])
        curve = (terms * (p * (1 - p))[:, None]).T @ terms + ridge
        step = np.linalg.solve(curve, slope)
        weights = weights + step
        if np.abs(step).max() < 1e-6:
            break
    return float(weights[0]), float(weights[1]), float(weights[2])
