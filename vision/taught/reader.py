"""Reads a picture's tiles as those of a taught box, and tells whether they are."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from referee.tiles import Joker
from vision.model_store import Model
from vision.read import JOKER, NUMBER_CLASSES, Readings, turned
from vision.rectify import rectify
from vision.taught.box import BoxHead
from vision.taught.fit import probabilities
from vision.taught.opinion import opinions_of, own_classes, with_kinds

Image = NDArray[np.uint8]
Floats = NDArray[np.float64]

_FACING_KNOWN = 0.98
"""Facing margin below which a tile is also looked at the other way up, …"""
_CLEAR_FACE = 0.9
"""… and so is a tile that shows no face of the box this clearly as it lies."""
_LEAST_GAIN = 0.1
"""How much clearer a face must be the other way up for the tile to be turned."""
_LEAST_CLEAR = 0.03
"""The box is not what lies there when, with it, the faces are less clear than without it, by so much in the mean."""
_SMALLEST = 1e-6


@dataclass(frozen=True, slots=True)
class BoxReadings:
    """Readings of N tiles with the box in mind.

    ``readings`` as the reader gives them; ``joker_p`` (N, 4) tells of which kind of ``Joker`` each is, if it is one;
    rows sum to 1.  ``seen`` tells that the tiles are the box's, as far as the print shows: else ``readings`` are the
    network's own.
    """

    readings: Readings
    joker_p: Floats
    seen: bool


class BoxReader:
    """Reads with a reader network and the head that was fitted to it for a box."""

    def __init__(self, model: Model, head: BoxHead) -> None:
        self._model = model
        self.head = head

    def read(self, image: Image, untaught: Readings) -> BoxReadings:
        """Read the tiles of a picture uint8 (H, W, 3) BGR anew, from what the network read in them untaught.

        Where the network disagrees with the box the tile is in doubt, unless the examples show that it makes this
        mistake in this box, or the box's reading is beyond question.
        """
        head = self.head
        numbers, colours = self._look(image, untaught.quads)
        quads, upside, margin = untaught.quads.copy(), untaught.upside.copy(), untaught.upside_margin.copy()
        unclear = (untaught.upside_margin < _FACING_KNOWN) | (self._face_p(numbers) < _CLEAR_FACE)
        asked = np.flatnonzero(unclear)
        over = np.asarray(turned(quads[asked]), np.float32)
        other_numbers, other_colours = self._look(image, over)
        gain = self._face_p(other_numbers) - self._face_p(numbers[asked])
        better = np.flatnonzero(gain > _LEAST_GAIN)
        turn = asked[better]
        numbers[turn], colours[turn] = other_numbers[better], other_colours[better]
        quads[turn], upside[turn] = over[better], ~upside[turn]
        margin[turn] = np.minimum(margin[turn], gain[better])
        numbers = heard(numbers, untaught.number_p.astype(np.float64), head.mistaken_numbers)
        colours = heard(colours, untaught.colour_p.astype(np.float64), head.mistaken_colours)
        kinds = len(head.kinds)
        together = np.zeros((len(numbers), len(NUMBER_CLASSES)))
        np.add.at(together.T, own_classes(kinds), numbers.T)
        if not box_is_seen(untaught.number_p.astype(np.float64), together):
            return BoxReadings(untaught, _kinds_of((Joker.REGULAR,), np.ones((len(untaught), 1))), seen=False)
        readings = replace(
            untaught,
            number_p=together.astype(np.float32),
            colour_p=colours.astype(np.float32),
            upside=upside,
            upside_margin=margin,
            quads=quads,
        )
        return BoxReadings(readings, _kinds_of(head.kinds, numbers[:, JOKER : JOKER + kinds]), seen=True)

    def _look(self, image: Image, quads: NDArray[np.floating]) -> tuple[Floats, Floats]:
        """Probabilities (N, C) of the head's classes and (N, 4) of the colours at upright quads (N, 4, 2)."""
        head = self.head
        said = opinions_of(self._model, rectify(image, head.lens.quads(quads)))
        numbers = with_kinds(said.numbers, len(head.kinds)) + said.inputs @ head.numbers
        colours = said.colours + said.inputs @ head.colours
        return probabilities(numbers / head.number_temperature), probabilities(colours / head.colour_temperature)

    def _face_p(self, numbers: Floats) -> Floats:
        """Probability (N,) of the likeliest face."""
        return np.asarray(numbers[:, : JOKER + len(self.head.kinds)].max(axis=1), np.float64)


def _kinds_of(kinds: tuple[Joker, ...], p: Floats) -> Floats:
    """Probabilities (N, 4) over all kinds of joker from those (N, J) of some that need not sum to 1."""
    every = np.zeros((len(p), len(Joker)))
    every[:, [tuple(Joker).index(kind) for kind in kinds]] = np.maximum(p, _SMALLEST)
    return np.asarray(every / every.sum(axis=1, keepdims=True), np.float64)


def heard(box_p: Floats, network_p: Floats, mistaken: Floats) -> Floats:
    """The box's probabilities (N, C), less sure where the network's (N, K) speak against them.

    ``mistaken`` (C, K) is what the network says where each class lies.  That the network agrees makes nothing surer:
    it has seen the same pixels.  Where it would overrule the box, both are left open.
    """
    pooled = np.maximum(box_p, _SMALLEST) * (network_p @ mistaken.T)
    pooled /= pooled.sum(axis=1, keepdims=True)
    rows, first = np.arange(len(box_p)), box_p.argmax(axis=1)
    overruled = pooled.argmax(axis=1) != first
    weaker = pooled[rows, first] < box_p[rows, first]
    return np.where(overruled[:, None], (box_p + pooled) / 2, np.where(weaker[:, None], pooled, box_p))


def box_is_seen(untaught: Floats, taught: Floats) -> bool:
    """Whether faces are at least as clear with the box in mind, (N, 17) each: another box's are read worse through it.

    A picture without faces shows no other box.
    """
    faces = np.maximum(untaught[:, : JOKER + 1].sum(axis=1), taught[:, : JOKER + 1].sum(axis=1)) > 0.5
    if not faces.any():
        return True
    clear = [np.log(np.maximum(p[faces, : JOKER + 1].max(axis=1), 0.02)).mean() for p in (taught, untaught)]
    return bool(clear[0] >= clear[1] - _LEAST_CLEAR)
