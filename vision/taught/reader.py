"""Reads a picture's tiles as those of a taught box, and tells whether they are."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from referee.tiles import Joker
from vision.colour import Ink, ink_of
from vision.model_store import Model
from vision.read import JOKER, Readings, turned
from vision.rectify import rectify
from vision.taught.box import BoxHead
from vision.taught.drawing import drawings
from vision.taught.fit import probabilities
from vision.taught.opinion import opinions_of

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
_MAYBE_A_JOKER = 0.01
_OWN_TO_OTHERS = 10.0
"""How much likelier a joker beside a box's tiles is the box's own: many smile, and another's may look like it."""
_KNOWN = 0.9
"""Share of views that the network reads rightly untaught, of each class of a box, from which it knows the box."""
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
    kinds_told: bool = False
    """Whether the box has special jokers, which ``joker_p`` tells apart."""


class BoxReader:
    """Reads with a reader network and the head that was fitted to it for a box."""

    def __init__(self, model: Model, head: BoxHead) -> None:
        self.model = model
        self.head = head

    def read(self, image: Image, untaught: Readings) -> BoxReadings:
        """Read the tiles of a picture uint8 (H, W, 3) BGR anew, from what the network read in them untaught.

        Where the network disagrees with the box the tile is in doubt, unless the examples show that it makes this
        mistake in this box, or the box's reading is beyond question.
        """
        head = self.head
        seen = self.look(image, untaught.quads)
        quads, upside, margin = untaught.quads.copy(), untaught.upside.copy(), untaught.upside_margin.copy()
        asked = np.flatnonzero((untaught.upside_margin < _FACING_KNOWN) | (seen.clarity < _CLEAR_FACE))
        over = np.asarray(turned(quads[asked]), np.float32)
        other = self.look(image, over)
        gain = other.clarity - seen.clarity[asked]
        better = np.flatnonzero(gain > _LEAST_GAIN)
        turn = asked[better]
        seen.put(turn, other, better)
        quads[turn], upside[turn] = over[better], ~upside[turn]
        margin[turn] = np.minimum(margin[turn], gain[better])
        numbers = heard(seen.numbers, untaught.number_p.astype(np.float64), head.mistaken_numbers)
        colours = heard(seen.colours, untaught.colour_p.astype(np.float64), head.mistaken_colours)
        own = np.ones(len(untaught), np.bool_)
        own[turn] = False  # what the network read there was upside down
        known_numbers = at_least_untaught(numbers, untaught.number_p.astype(np.float64), head.mistaken_numbers, own)
        known_colours = at_least_untaught(colours, untaught.colour_p.astype(np.float64), head.mistaken_colours, own)
        if not box_is_seen(untaught.number_p.astype(np.float64), numbers):
            regular = np.ones((len(untaught), 1))
            return BoxReadings(untaught, _over_all_kinds((Joker.REGULAR,), regular), seen=False)
        readings = replace(
            untaught,
            number_p=known_numbers.astype(np.float32),
            colour_p=known_colours.astype(np.float32),
            upside=upside,
            upside_margin=margin,
            quads=quads,
        )
        joker_p = _over_all_kinds(head.kinds, self._kinds(image, readings))
        return BoxReadings(readings, joker_p, seen=True, kinds_told=head.kinds != (Joker.REGULAR,))

    def ink(self, image: Image, quads: NDArray[np.floating]) -> Ink:
        """The ink of tiles at upright quads (N, 4, 2), measured where the box has its print."""
        return ink_of(rectify(image, self.head.lens.quads(quads)))

    def look(self, image: Image, quads: NDArray[np.floating]) -> Look:
        """Look at upright quads (N, 4, 2) through the box's lens."""
        head = self.head
        said = opinions_of(self.model, rectify(image, head.lens.quads(quads)))
        return Look(
            probabilities((said.numbers + said.inputs @ head.numbers) / head.number_temperature),
            probabilities((said.colours + said.inputs @ head.colours) / head.colour_temperature),
        )

    def _kinds(self, image: Image, readings: Readings) -> Floats:
        """Probabilities (N, J) of the box's kinds of joker, if a tile is one; another box's joker leaves them open."""
        head, kinds = self.head, len(self.head.kinds)
        p = np.full((len(readings), kinds), 1 / kinds)
        jokers = np.flatnonzero(readings.number_p[:, JOKER] > _MAYBE_A_JOKER)
        told = probabilities(drawings(rectify(image, readings.quads[jokers])) @ head.jokers / head.joker_temperature)
        told[:, kinds] /= _OWN_TO_OTHERS
        told /= told.sum(axis=1, keepdims=True)
        p[jokers] = told[:, :kinds] + told[:, kinds:] / kinds
        return p


@dataclass(slots=True)
class Look:
    """Probabilities (N, 17) and (N, 4) of number classes and colours."""

    numbers: Floats
    colours: Floats

    @property
    def clarity(self) -> Floats:
        """Probability (N,) of the likeliest face."""
        return np.asarray(self.numbers[:, : JOKER + 1].max(axis=1), np.float64)

    def put(self, places: NDArray[np.intp], other: Look, which: NDArray[np.intp]) -> None:
        """Replace what was seen at some places by some of what was seen in another look."""
        self.numbers[places], self.colours[places] = other.numbers[which], other.colours[which]


def _over_all_kinds(kinds: tuple[Joker, ...], p: Floats) -> Floats:
    """Probabilities (N, 4) over all kinds of joker from those (N, J) of some."""
    every = np.zeros((len(p), len(Joker)))
    every[:, [tuple(Joker).index(kind) for kind in kinds]] = p
    return every


def heard(box_p: Floats, network_p: Floats, mistaken: Floats) -> Floats:
    """The box's probabilities (N, K), less sure where the network's (N, K) speak against them.

    ``mistaken`` (K, K) is what the network says where each class lies.  That the network agrees makes nothing surer:
    it has seen the same pixels.  Where it would overrule the box, both are left open.
    """
    pooled = np.maximum(box_p, _SMALLEST) * (network_p @ mistaken.T)
    pooled /= pooled.sum(axis=1, keepdims=True)
    rows, first = np.arange(len(box_p)), box_p.argmax(axis=1)
    overruled = pooled.argmax(axis=1) != first
    weaker = pooled[rows, first] < box_p[rows, first]
    return np.where(overruled[:, None], (box_p + pooled) / 2, np.where(weaker[:, None], pooled, box_p))


def at_least_untaught(heard_p: Floats, network_p: Floats, mistaken: Floats, own: NDArray[np.bool_]) -> Floats:
    """What was heard (N, K), but nowhere less sure than the network (N, K) where it says the same, in a box of which it
    reads every face rightly without a lesson; in such a box it also knows what is no face.

    ``own`` (N,) are the tiles that both saw the same way up.  ``mistaken`` as for ``heard``.
    """
    faces = min(JOKER + 1, len(mistaken))
    if mistaken.diagonal()[:faces].min() < _KNOWN:
        return heard_p
    first = network_p.argmax(axis=1)
    agreed = (heard_p.argmax(axis=1) == first) & (network_p.max(axis=1) > heard_p.max(axis=1))
    no_face = network_p[:, faces:].sum(axis=1) > 0.5
    return np.where(((own & agreed) | no_face)[:, None], network_p, heard_p)


def box_is_seen(untaught: Floats, taught: Floats) -> bool:
    """Whether faces are at least as clear with the box in mind, (N, 17) each: another box's are read worse through it.

    A picture without faces shows no other box.
    """
    faces = np.maximum(untaught[:, : JOKER + 1].sum(axis=1), taught[:, : JOKER + 1].sum(axis=1)) > 0.5
    if not faces.any():
        return True
    clear = [np.log(np.maximum(p[faces, : JOKER + 1].max(axis=1), 0.02)).mean() for p in (taught, untaught)]
    return bool(clear[0] >= clear[1] - _LEAST_CLEAR)
