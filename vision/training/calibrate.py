"""Fit the numbers of ``vision.assemble.Calibration``: temperatures, presence, and the threshold of doubt.

They are fitted on rendered tables and on degraded views of the photos that no network was trained on; never on the
photos of the ``valid`` part, which only report.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields, replace
from itertools import pairwise
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.assemble import (
    Calibration,
    believable,
    neighbours,
    plausible_sizes,
    presence,
    presence_features,
    supported,
)
from vision.colour import Ink, ink_of, judge_jointly
from vision.detect import Detector, tile_heights
from vision.facing import facing_logit, six_or_nine
from vision.model_store import MANIFEST_NAME, load_model, manifest_text, read_manifest, write_atomically
from vision.read import BACK, COLOUR_CLASSES, JOKER, NOTHING, UNREAD, Reader
from vision.rectify import rectify
from vision.render import effects
from vision.render.compose import Lighting, RenderedTile, lying
from vision.render.faces import Box, SixNineMark, Symbol, judge_box, random_box
from vision.render.scene import harsh, random_code, random_lighting
from vision.render.surfaces import JUDGE_SURFACES, TRAINING_SURFACES, Surface
from vision.render.table import Shot, TableSpec, photograph, render_table
from vision.training.photo_data import calibration_names, group_of, load_photo, photos_folder, train_names

Floats = NDArray[np.float64]
Image = NDArray[np.uint8]

RENDERED_TABLES = 150
TURNABLE_TABLES = 32
VIEWS_OF_A_PHOTO = 7
MOST_NOTHINGS = 10
"""So many false detections of one picture count, for those of one texture are all alike."""
SILENT_SHARE = 0.001
"""The threshold of doubt is the lowest at which at most this share of the tiles is wrong and not flagged."""
LOWEST_THRESHOLD, HIGHEST_THRESHOLD = 0.60, 0.97
CONFIDENCE_EDGES = (0.0, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 1.0001)


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture with its truth: codes (``-`` for a tile to leave out), quads, and whether each is legible."""

    image: Image
    tiles: tuple[RenderedTile, ...]
    ignore: tuple[NDArray[np.float32], ...] = ()


@dataclass(frozen=True, slots=True)
class Outcome:
    """What was claimed of N things, as probabilities, and whether it came true."""

    claimed: Floats
    true: NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Outcomes:
    """What the product says of the faces that it reports: each part of a reading, and the tile as a whole.

    ``number`` and ``tile`` are about all faces, ``colour`` and ``facing`` about those that have one.
    """

    number: Outcome
    colour: Outcome
    facing: Outcome
    tile: Outcome


@dataclass(frozen=True, slots=True)
class Evidence:
    """Detections of many pictures, one row each, with the truth: number class (N,), colour (N,) or −1, and whether the
    facing (N,) is right, 1 or 0, or −1 for what has none."""

    quads: NDArray[np.float32]
    score: Floats
    number_p: Floats
    colour_p: Floats
    facing_logit: Floats
    number: NDArray[np.int64]
    colour: NDArray[np.int64]
    facing: NDArray[np.int64]
    ink_lab: Floats
    ink_share: Floats
    picture: NDArray[np.int64]


def calibrate(models: Path, seed: int, without: str = "") -> Iterator[str]:
    """Fit everything, write it into the manifest; yields the figures as text. ``without``: a group of photos."""
    manifest = read_manifest(models)
    detector = Detector(load_model("detector", manifest, models))
    reader = Reader(load_model("reader", manifest, models))
    evidence = gather(detector, reader, pictures(np.random.default_rng(seed), without))
    counted = np.unique(evidence.picture).size
    yield f"{len(evidence.number)} detections in {counted} pictures"
    fitted = fit(evidence, gather(detector, reader, turnable_pictures(np.random.default_rng([seed, 69]))))
    for name, value in asdict(fitted).items():
        yield f"{name} = {value:.4f}"
    tile = outcomes(evidence, fitted).tile
    yield "threshold: flagged, silent per 1000 (risk against coverage)"
    for threshold in (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, fitted.doubtful_below):
        sure = tile.claimed >= threshold
        yield f"  {threshold:.3f}: {1 - sure.mean():.2%}, {1000 * (sure & ~tile.true).mean():.2f}"
    yield "confidence: tiles, mean confidence, right"
    yield from reliability(tile)
    fresh = replace(manifest, reading={name: round(value, 4) for name, value in asdict(fitted).items()})
    write_atomically(models / MANIFEST_NAME, manifest_text(fresh).encode("utf-8"))


def pictures(rng: np.random.Generator, without: str = "") -> Iterator[Picture]:
    """Rendered tables in training looks, then degraded views of the held-out photos, where there are photos (of other
    groups than ``without``)."""
    for _ in range(RENDERED_TABLES):
        yield rendered(rng)
    folder = photos_folder()
    if (folder / "split.json").exists():
        for name in calibration_names(train_names(folder)):
            if group_of(name) == without:
                continue
            picture = photo_picture(folder, name)
            for _ in range(VIEWS_OF_A_PHOTO):
                yield degraded(rng, picture)


def turnable_pictures(rng: np.random.Generator) -> Iterator[Picture]:
    """Rows of 6s and 9s lying either way round, in training looks whose numerals stand about the middle of the face,
    with and without marks."""
    for k in range(TURNABLE_TABLES):
        box = replace(
            random_box(rng), numeral_y=float(rng.uniform(0.4, 0.5)), mark=list(SixNineMark)[k % len(SixNineMark)],
            imprint="", symbol=Symbol.NONE, dimple=0.0, dish_radius=0.0,
        )  # fmt: skip
        placed = [
            lying(f"{rng.choice(list('RBKO'))}{rng.choice([6, 9])}", 0.75 * x, 1.5 * y, 180.0 * int(rng.integers(2)))
            for y in range(4) for x in range(6)
        ]  # fmt: skip
        shot = Shot((500, 500), float(rng.uniform(0, 45)), noise=0.6)
        surface = TRAINING_SURFACES[int(rng.integers(len(TRAINING_SURFACES)))]
        scene = photograph(rng, box, placed, [6] * 4, 4, shot, surface, random_lighting(rng)).scene
        yield Picture(scene.image, scene.tiles)


def photo_picture(folder: Path, name: str) -> Picture:
    """A labelled photo as it is."""
    photo = load_photo(folder, name, kept_height=float("inf"))
    tiles = tuple(
        RenderedTile("-" if cut else code, quad, 1.0, True)
        for code, quad, cut in zip(photo.codes, photo.quads, photo.cut, strict=True)
    )
    return Picture(photo.pyramid[0], tiles, photo.ignore)


def resized(picture: Picture, factor: float) -> Picture:
    """The same picture at ``factor`` of its size."""
    if factor == 1.0:
        return picture
    image = cv2.resize(picture.image, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA)
    tiles = tuple(replace(tile, quad=(tile.quad + 0.5) * factor - 0.5) for tile in picture.tiles)
    return Picture(np.asarray(image, np.uint8), tiles, tuple(polygon * factor for polygon in picture.ignore))


def rendered(rng: np.random.Generator) -> Picture:
    """A random table of random rows in a training look, as a photo of a size that people take."""
    surface = TRAINING_SURFACES[int(rng.integers(len(TRAINING_SURFACES)))]
    return _photographed(rng, random_box(rng), surface, random_lighting(rng), noise=0.8)


def hard_render(rng: np.random.Generator) -> Picture:
    """The same in a look that training never sees, mostly in harsh light, by a poor camera; for measuring alone."""
    surface = JUDGE_SURFACES[int(rng.integers(len(JUDGE_SURFACES)))]
    lighting = random_lighting(rng)
    if rng.random() < 0.7:
        lighting = harsh(rng, lighting)
    return degraded(rng, _photographed(rng, judge_box(rng), surface, lighting, noise=0.3), poor=True)


def _photographed(rng: np.random.Generator, box: Box, surface: Surface, lighting: Lighting, noise: float) -> Picture:
    """Random rows and loose tiles of a box; ``noise`` is the most that the camera adds."""
    rows = tuple(
        tuple(random_code(rng, backs=0.02) for _ in range(int(rng.choice([3, 3, 4, 5, 7, 11]))))
        for _ in range(int(rng.integers(1, 13)))
    )
    loose = tuple(random_code(rng, backs=0.15) for _ in range(int(rng.integers(0, 5))))
    shot = Shot(
        size_wh=(int(rng.integers(700, 2000)), int(rng.integers(600, 1500))),
        tilt_deg=float(rng.uniform(0, 58)),
        fill=float(rng.uniform(0.6, 1)),
        noise=float(rng.uniform(0.2, noise)),
        view_deg=float(rng.uniform(30, 65)),
    )
    facings = tuple(float(rng.uniform(0, 360)) for _ in range(4))
    hands = tuple((float(rng.random()), float(rng.random())) for _ in range(int(rng.random() < 0.2)))
    table = render_table(rng, box, TableSpec(rows, loose, facings), shot, surface, lighting, hands=hands)
    return Picture(table.scene.image, table.scene.tiles)


def degraded(rng: np.random.Generator, picture: Picture, poor: bool = False) -> Picture:
    """The same picture smaller, in other light and through a worse camera; ``poor``: through the worst, from afar."""
    smallest, largest, dimmest, tint = (14, 44, 0.3, 0.4) if poor else (28, 110, 0.5, 0.25)
    heights = tile_heights(np.array([tile.quad for tile in picture.tiles], np.float32).reshape(-1, 4, 2))
    height = float(np.median(heights)) if len(heights) else 100.0
    factor = min(1.0, float(np.exp(rng.uniform(np.log(smallest), np.log(largest)))) / height)
    smaller = resized(picture, factor)
    small = smaller.image
    light = effects.light_field(rng, small.shape[0], small.shape[1], rng.uniform(0, 0.6)) * rng.uniform(dimmest, 1.1)
    cast = effects.colour_cast(rng, rng.uniform(0, tint))
    lit = np.clip(small * light[..., None] * cast, 0, 255).astype(np.uint8)
    worse = effects.camera_look(lit, rng, height * factor, float(rng.uniform(0.2, 0.8)))
    return replace(smaller, image=effects.poor_camera(worse, rng, height * factor) if poor else worse)


def gather(detector: Detector, reader: Reader, source: Iterator[Picture]) -> Evidence:
    """Detect and read everything, and find the truth of each detection."""
    parts: list[Evidence] = []
    for index, picture in enumerate(source):
        found = detector.find(picture.image)
        if not len(found):
            continue
        readings = reader.read(picture.image, found.quads)
        number, colour, facing = labels(readings.quads, picture)
        ink = ink_of(rectify(picture.image, readings.quads))
        kept = number >= 0
        parts.append(
            Evidence(
                quads=readings.quads[kept],
                score=found.score[kept].astype(np.float64),
                number_p=readings.number_p[kept].astype(np.float64),
                colour_p=readings.colour_p[kept].astype(np.float64),
                facing_logit=facing_logit(readings.upside_margin[kept]),
                number=number[kept],
                colour=colour[kept],
                facing=facing[kept],
                ink_lab=ink.lab[kept],
                ink_share=ink.share[kept],
                picture=np.full(np.count_nonzero(kept), index),
            )
        )
    columns = {entry.name: np.concatenate([getattr(part, entry.name) for part in parts]) for entry in fields(Evidence)}
    return Evidence(**columns)


def labels(
    quads: NDArray[np.float32], picture: Picture
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Number class and colour of each detection by the tile that its centre lies in, and whether it faces as that tile
    does (1, 0, or −1 without a numeral); number −1: leave it out."""
    number, colour = np.full(len(quads), NOTHING), np.full(len(quads), -1)
    facing = np.full(len(quads), -1)
    taken: set[int] = set()
    for j, quad in enumerate(quads):
        centre = (float(quad[:, 0].mean()), float(quad[:, 1].mean()))
        if any(cv2.pointPolygonTest(polygon, centre, False) >= 0 for polygon in picture.ignore):
            number[j] = -1
        for i, tile in enumerate(picture.tiles):
            if cv2.pointPolygonTest(np.asarray(tile.quad, np.float32), centre, False) < 0:
                continue
            if tile.code == "-" or tile.visible < 0.9 or i in taken:
                number[j] = -1  # cut, half covered, or a second one: other rules than confidence decide
            elif not tile.legible:
                number[j] = UNREAD
            elif tile.code == "?":
                number[j] = BACK
            elif tile.code == "J":
                number[j] = JOKER
            else:
                number[j], colour[j] = int(tile.code[1:]) - 1, COLOUR_CLASSES.index(tile.code[0])
                facing[j] = _apart(quad, tile.quad) <= _apart(np.roll(quad, 2, axis=0), tile.quad)
            taken.add(i)
    return number, colour, facing


def _apart(quad: NDArray[np.float32], other: NDArray[np.float32]) -> float:
    """Mean distance of two quads' corners, in pixels."""
    return float(np.linalg.norm(quad - other, axis=1).mean())


def fit(evidence: Evidence, turnable: Evidence) -> Calibration:
    """All numbers, one after the other: each step uses the ones before.  ``turnable`` are tiles whose facing is in
    question; everywhere else it is hardly ever wrong, and would be taken for sure where it is a guess."""
    tile = evidence.number != NOTHING
    number_t = _temperature(evidence.number_p[tile], evidence.number[tile])
    inked = evidence.colour >= 0
    colour_t = _temperature(evidence.colour_p[inked], evidence.colour[inked])
    facing_t = _facing_temperature(turnable)
    start = Calibration(number_temperature=number_t, colour_temperature=colour_t, facing_temperature=facing_t)
    bias, detector_weight, reader_weight, clarity = (float(weight) for weight in _presence_weights(evidence, number_t))
    start = replace(
        start,
        presence_bias=bias,
        presence_detector=detector_weight,
        presence_reader=reader_weight,
        presence_clarity=clarity,
    )
    tile = outcomes(evidence, start).tile
    threshold = HIGHEST_THRESHOLD
    for candidate in np.arange(HIGHEST_THRESHOLD, LOWEST_THRESHOLD, -0.005):
        if ((tile.claimed >= candidate) & ~tile.true).mean() > SILENT_SHARE:
            break
        threshold = float(candidate)
    return replace(start, doubtful_below=threshold)


def outcomes(evidence: Evidence, calibration: Calibration) -> Outcomes:
    """What becomes of every detection that the product reports as a face (unread and backs make no reading).

    Confidence is the product's own, after the looks at neighbours, inks and facings.  What only adds doubt is left out:
    things lying over a tile, pictures that are bad as a whole, and the second reader.
    """
    numbers = tempered(evidence.number_p, calibration.number_temperature)
    colours = tempered(evidence.colour_p, calibration.colour_temperature)
    facing_margin = np.tanh(evidence.facing_logit / (2 * calibration.facing_temperature))
    present = presence(evidence.score, numbers, calibration)
    reported = np.zeros(len(numbers), np.bool_)
    for index in np.unique(evidence.picture):
        rows = np.flatnonzero(evidence.picture == index)
        near = neighbours(evidence.quads[rows])
        kept = np.flatnonzero(believable(near, evidence.score[rows], numbers[rows], present[rows], calibration))
        some = rows[kept]
        kept = kept[plausible_sizes(evidence.quads[some], numbers[some], present[some], calibration)]
        rows, near = rows[kept], near[np.ix_(kept, kept)]
        reported[rows] = True
        present[rows] = supported(near, numbers[rows], present[rows])
        ink = Ink(evidence.ink_lab[rows], evidence.ink_share[rows])
        colours[rows] = judge_jointly(colours[rows], ink, numbers[rows].argmax(axis=1) < JOKER)
        numbers[rows] = six_or_nine(numbers[rows], facing_margin[rows])
    first, shade = numbers[:, :NOTHING].argmax(axis=1), colours.argmax(axis=1)
    faces, inked = reported & (first <= JOKER), reported & (first < JOKER)
    number_p, colour_p = numbers[np.arange(len(first)), first], np.where(inked, colours.max(axis=1), 1.0)
    number_right, colour_right = first == evidence.number, shade == evidence.colour
    confidence = number_p * colour_p * present
    coloured, faced = inked & (evidence.colour >= 0), inked & (evidence.facing >= 0)
    return Outcomes(
        number=Outcome(number_p[faces], number_right[faces]),
        colour=Outcome(colour_p[coloured], colour_right[coloured]),
        facing=Outcome((1 + facing_margin[faced]) / 2, evidence.facing[faced] == 1),
        tile=Outcome(confidence[faces], (number_right & (~inked | colour_right))[faces]),
    )


def reliability(outcome: Outcome) -> Iterator[str]:
    """One line for each bin of confidence that holds tiles: how many, what was claimed, what came true."""
    for low, high in pairwise(CONFIDENCE_EDGES):
        inside = (outcome.claimed >= low) & (outcome.claimed < high)
        if inside.any():
            promised, kept = outcome.claimed[inside].mean(), outcome.true[inside].mean()
            yield f"  {low:.3f}–{min(high, 1):.3f}: {inside.sum():5d}, {promised:.4f}, {kept:.4f}"


def tempered(probabilities: NDArray[np.floating], temperature: float) -> Floats:
    """Rows of probabilities after dividing their logits by a temperature."""
    logs = np.log(np.maximum(probabilities.astype(np.float64), 1e-12)) / temperature
    powers = np.exp(logs - logs.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True), np.float64)


def _temperature(probabilities: NDArray[np.floating], truth: NDArray[np.int64]) -> float:
    """The temperature of least negative log likelihood."""
    candidates = _temperatures()
    rows = np.arange(len(truth))
    losses = [-np.log(np.maximum(tempered(probabilities, t)[rows, truth], 1e-9)).mean() for t in candidates]
    return float(candidates[int(np.argmin(losses))])


def _temperatures() -> Floats:
    return np.asarray(np.exp(np.linspace(np.log(0.4), np.log(4), 80)), np.float64)


def _facing_temperature(evidence: Evidence) -> float:
    """The temperature of least negative log likelihood for the facing of what has a numeral."""
    known = evidence.facing >= 0
    signed = np.where(evidence.facing[known] == 1, 1, -1) * evidence.facing_logit[known]
    candidates = _temperatures()
    candidates = candidates[candidates >= 1]  # never surer than the network
    losses = [np.logaddexp(0, -signed / t).mean() for t in candidates]
    return float(candidates[int(np.argmin(losses))])


def _presence_weights(evidence: Evidence, number_t: float) -> Floats:
    """Bias and weights (4,) of "there is a tile": logistic regression by damped Newton steps with a small ridge.

    Only what reads as a face counts: a wall of bricks is full of face-down tiles, all sure and all alike.
    """
    numbers = tempered(evidence.number_p, number_t)
    rows = _some_of_each_picture(evidence, numbers[:, :NOTHING].argmax(axis=1) <= JOKER)
    features = presence_features(evidence.score[rows], numbers[rows])
    terms = np.column_stack([np.ones(len(features)), features])
    wanted = (evidence.number[rows] != NOTHING).astype(np.float64)
    start = np.array([0.0, 0.5, 1.0, 0.5])
    ridge = np.diag([0.1, 2.0, 2.0, 2.0])

    def loss(weights: Floats) -> float:
        evidence_for = terms @ weights
        away = weights - start
        return float((np.logaddexp(0, evidence_for) - wanted * evidence_for).sum() + away @ ridge @ away / 2)

    weights = start
    for _ in range(50):
        p = 1 / (1 + np.exp(-np.clip(terms @ weights, -30, 30)))
        slope = terms.T @ (wanted - p) - ridge @ (weights - start)
        curve = (terms * (p * (1 - p))[:, None]).T @ terms + ridge
        step = np.linalg.solve(curve, slope)
        size = 1.0
        while size > 1e-6 and loss(weights + size * step) > loss(weights):
            size /= 2  # far from the optimum a whole step overshoots
        weights = weights + size * step
        if np.abs(size * step).max() < 1e-6:
            break
    return np.asarray(weights, np.float64)


def _some_of_each_picture(evidence: Evidence, among: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Rows among the given ones: all tiles, but of what is no tile a few of each picture, for they are much alike."""
    rows: list[int] = []
    for index in np.unique(evidence.picture):
        here = np.flatnonzero(among & (evidence.picture == index))
        nothing = evidence.number[here] == NOTHING
        rows += [*here[~nothing], *here[nothing][:MOST_NOTHINGS]]
    return np.array(rows, np.intp)
