"""How well a box will be read, tried on tiles that were left out of the lesson.

Each half of the examples, one of two copies, is read by what the other half alone teaches, in views as other photos
would show it.  The box itself is learned from all of them, and so is read a little better than this promises.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from referee.tiles import Tile
from vision.assemble import Calibration, read_faces
from vision.model_store import Model
from vision.read import JOKER
from vision.taught.box import TaughtBox
from vision.taught.examples import Example
from vision.taught.fit import probabilities
from vision.taught.learn import folds_of, joker_labels, learn, looked_at, number_labels, repeated_evenly
from vision.taught.lens import WHOLE_FACE
from vision.taught.reader import corrected, heard, joker_kinds, over_all_kinds
from vision.taught.views import changed_views

_SEED = 9
_NEARNESS = 3.0
"""Tiles in play are so many times nearer than the farthest that a lesson prepares for: from about 40 px on."""
_LEAST_TRIED = 6
"""A face of which fewer views were tried tells nothing."""


@dataclass(frozen=True, slots=True)
class Prospect:
    """How often one face of the box is read rightly, surely wrong, and in doubt, as shares of its views."""

    tile: Tile
    right: float
    silent: float
    asked: float


@dataclass(frozen=True, slots=True)
class Outlook:
    """What a lesson promises, tile by tile in the box's own order; empty where nothing could be left out."""

    faces: tuple[Prospect, ...]

    @property
    def right(self) -> float:
        """Share of tiles that will be read rightly, doubted or not."""
        return float(np.mean([face.right for face in self.faces])) if self.faces else 0.0

    @property
    def asked(self) -> float:
        """Share of tiles that will be in doubt."""
        return float(np.mean([face.asked for face in self.faces])) if self.faces else 0.0


def outlook(box: TaughtBox, model: Model, calibration: Calibration) -> Outlook:
    """Try a box of tiles that was taught to the reader network ``model``."""
    if box.head is None:
        return Outlook(())
    fold = folds_of(box.tiles)
    tried: dict[Tile, list[tuple[bool, bool]]] = {}
    for half in (0, 1):
        learned = tuple(one for one, k in zip(box.examples, fold, strict=True) if k == half)
        left_out = tuple(one for one, k in zip(box.examples, fold, strict=True) if k != half)
        for tile, right, doubtful in _read(learned, left_out, box, model, calibration):
            tried.setdefault(tile, []).append((right, doubtful))
    faces = []
    for tile in dict.fromkeys(box.tiles):
        views = tried.get(tile, [])
        if len(views) >= _LEAST_TRIED:
            right, doubtful = np.array(views).T
            faces.append(
                Prospect(tile, float(right.mean()), float((~right & ~doubtful).mean()), float(doubtful.mean()))
            )
    return Outlook(tuple(faces))


def _read(
    learned: tuple[Example, ...], left_out: tuple[Example, ...], box: TaughtBox, model: Model, calibration: Calibration
) -> Iterator[tuple[Tile, bool, bool]]:
    """Views of examples that were left out, whether they are read rightly and in doubt, by what the others teach.

    Of what no other example shows nothing is said.
    """
    if not learned or not left_out or box.head is None:
        return
    head = learn(learned, model, box.head.lens)
    taught = tuple(example.tile for example in learned)
    known = tuple(example for example in left_out if _shown(example.tile, taught))
    if not known:
        return
    tiles = tuple(example.tile for example in known)
    numbers = number_labels(tiles)
    faces = np.where(numbers == JOKER, JOKER + joker_labels(tiles, head.kinds), numbers)
    shown = repeated_evenly(faces)
    crops = np.stack([known[k].crop for k in shown])
    rng = np.random.default_rng(_SEED)
    said, whole = looked_at(crops, head.lens, model, rng, _NEARNESS / head.lens.zoom)
    number_p, colour_p = corrected(head, said)
    untaught = probabilities(whole.numbers / calibration.number_temperature)
    number_p = heard(number_p, untaught, head.mistaken_numbers)
    untaught = probabilities(whole.colours / calibration.colour_temperature)
    colour_p = heard(colour_p, untaught, head.mistaken_colours)
    kinds_p = over_all_kinds(head.kinds, joker_kinds(head, changed_views(crops, WHOLE_FACE, rng, _NEARNESS)))
    faces_read = read_faces(number_p, colour_p, np.ones(len(shown)), calibration, kinds_p)
    for place, face in zip(shown, faces_read, strict=True):
        yield tiles[place], face.readings[0].tile == tiles[place], face.doubtful


def _shown(tile: Tile, taught: tuple[Tile, ...]) -> bool:
    """Whether other tiles show what this one prints: its number and its colour, or its kind of joker."""
    if tile.is_joker:
        return tile in taught
    return any(one.number == tile.number for one in taught) and any(one.colour is tile.colour for one in taught)
