"""How well the exported networks see the calibration fold: real photos that none of them was trained on."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.detect import Detector, tile_heights
from vision.model_store import load_model, read_manifest
from vision.read import COLOUR_CLASSES, NOTHING, NUMBER_CLASSES, Reader, Readings
from vision.training.photo_data import (
    Photo,
    calibration_names,
    group_of,
    load_photo,
    photos_folder,
    train_names,
)

Floats = NDArray[np.float32]


@dataclass(slots=True)
class Tally:
    """Counts of one photo group; corner errors are in tile heights."""

    photos: int = 0
    tiles: int = 0
    found: int = 0
    extra: int = 0
    read: int = 0
    numbers: int = 0
    colours: int = 0
    coloured: int = 0
    facing: int = 0
    end_to_end: int = 0
    claimed_extra: int = 0
    corner_error: float = 0.0
    refined_error: float = 0.0


def evaluate_photos(models: Path, full_precision: bool = False) -> Iterator[str]:
    """A header, then a line for each photo group and one for all; a line with the mistakes of each photo before it.

    With ``full_precision`` the networks in floating point are measured, where twins in whole numbers stand for them.
    """
    folder = photos_folder()
    if not (folder / "split.json").exists():
        yield f"no labelled photos in {folder}"
        return
    manifest = read_manifest(models)
    manifest = manifest.precise() if full_precision else manifest
    detector = Detector(load_model("detector", manifest, models))
    reader = Reader(load_model("reader", manifest, models))
    tallies: defaultdict[str, Tally] = defaultdict(Tally)
    for name in calibration_names(train_names(folder)):
        photo = load_photo(folder, name, kept_height=float("inf"))
        mistakes = measure(photo, detector, reader, [tallies[group_of(name)], tallies["all"]])
        if mistakes:
            yield f"{name}: {' '.join(mistakes)}"
    yield (
        "group  photos tiles | detector: recall precision corner-error | reader on true quads: number colour facing | "
        "together: right extra corner-error"
    )
    for name, tally in tallies.items():
        yield summary(name, tally)


def summary(group: str, tally: Tally) -> str:
    """One line of figures."""
    tiles, found = max(tally.tiles, 1), max(tally.found, 1)
    return (
        f"{group:16s} {tally.photos:3d} {tally.tiles:4d} | {tally.found / tiles:.4f} "
        f"{tally.found / max(tally.found + tally.extra, 1):.4f} {tally.corner_error / found:.4f} | "
        f"{tally.numbers / tiles:.4f} {tally.colours / max(tally.coloured, 1):.4f} {tally.facing / tiles:.4f} | "
        f"{tally.end_to_end / tiles:.4f} {tally.claimed_extra} {tally.refined_error / found:.4f}"
    )


def code_of(readings: Readings, index: int) -> str:
    """The likeliest reading of one tile in the tile notation; ``?`` back, ``~`` unread, ``-`` nothing."""
    number = int(readings.number_p[index].argmax())
    if number >= len(NUMBER_CLASSES) - 4:
        return "J?~-"[number - (len(NUMBER_CLASSES) - 4)]
    return COLOUR_CLASSES[int(readings.colour_p[index].argmax())] + NUMBER_CLASSES[number]


def measure(photo: Photo, detector: Detector, reader: Reader, tallies: list[Tally]) -> list[str]:
    """Add one photo to the tallies; returns its mistakes, in words."""
    image = photo.pyramid[0]
    mistakes: list[str] = []
    true_readings = reader.read(image, photo.quads)
    found = detector.find(image)
    readings = reader.read(image, found.quads)
    holders = owners(found.quads, photo)
    for tally in tallies:
        tally.photos += 1
    for i, code in enumerate(photo.codes):
        if photo.cut[i]:
            continue
        on_true = code_of(true_readings, i)
        matches = np.flatnonzero(holders == i)
        together = [code_of(readings, int(j)) for j in matches]
        if on_true != code or together != [code]:
            mistakes.append(f"{code} on its true quad {on_true}, together {'+'.join(together) or 'missed'};")
        number_right = on_true[1:] == code[1:] if code != "J" else on_true == "J"
        for tally in tallies:
            tally.tiles += 1
            tally.numbers += number_right
            if code != "J":
                tally.coloured += 1
                colour = COLOUR_CLASSES[int(true_readings.colour_p[i].argmax())]
                tally.colours += colour == code[0]
            tally.facing += not true_readings.upside[i]
            tally.end_to_end += together == [code]
            if len(matches):
                tally.found += 1
                tally.extra += len(matches) - 1
                height = float(tile_heights(photo.quads[i : i + 1])[0])
                tally.corner_error += corner_distance(found.quads[matches[0]], photo.quads[i]) / height
                tally.refined_error += corner_distance(readings.quads[matches[0]], photo.quads[i]) / height
    for j in np.flatnonzero(holders < 0):
        if holders[j] == IGNORED:
            continue
        claimed = int(readings.number_p[j].argmax()) != NOTHING
        mistakes.append(f"extra {code_of(readings, int(j))} with score {found.score[j]:.2f};")
        for tally in tallies:
            tally.extra += 1
            tally.claimed_extra += claimed
    return mistakes


IGNORED = -2


def owners(quads: Floats, photo: Photo) -> NDArray[np.int64]:
    """For each quad the truth tile that its centre lies in, -1 for none, ``IGNORED`` for cut tiles and fragments."""
    result = np.full(len(quads), -1, np.int64)
    for j, quad in enumerate(quads):
        centre = (float(quad[:, 0].mean()), float(quad[:, 1].mean()))
        for i, own in enumerate(photo.quads):
            if cv2.pointPolygonTest(own, centre, False) >= 0:
                result[j] = IGNORED if photo.cut[i] else i
                break
        else:
            if any(cv2.pointPolygonTest(polygon, centre, False) >= 0 for polygon in photo.ignore):
                result[j] = IGNORED
    return result


def corner_distance(quad: Floats, true: Floats) -> float:
    """Mean distance of the corners, in pixels, whichever of the two ways round the quad was taken."""
    ways = [np.linalg.norm(np.roll(quad, turn, axis=0) - true, axis=1).mean() for turn in (0, 2)]
    return float(min(ways))
