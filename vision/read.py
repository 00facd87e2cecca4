"""What each tile says: number, colour, facing, and where its corners really are.

Every crop is read as it is and turned by 180°, and the two opinions are averaged, so that no reading depends on which
way up the detector took a tile to be.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import partial

import numpy as np
from numpy.typing import NDArray

from vision.levels import levels_at
from vision.model_store import Model, run_all
from vision.rectify import CROP_HEIGHT, CROP_PAD, CROP_WIDTH, Cuts, square_to_quad

Image = NDArray[np.uint8]
Floats = NDArray[np.float32]

NUMBER_CLASSES = tuple(str(number) for number in range(1, 14)) + ("joker", "back", "unread", "nothing")
JOKER, BACK, UNREAD, NOTHING = 13, 14, 15, 16
COLOUR_CLASSES = ("R", "B", "K", "O")
FEATURES = 192
"""Width of the network's last layer but one, on which a taught box reads for itself."""

BODY_PERCENTILE = 85
MOST_IN_PART, FEW = 24, 8
"""So many crops at most go through the network together, and so few are not worth parting."""
REFINE_ABOVE = 0.025
"""Corner corrections larger than this share of the face make the reader cut the tile out anew and look again."""
REREAD_ABOVE = 0.08
"""Beyond this the first look was on a crop too badly framed to count."""
REFINE_LIMIT = 0.3
LEGIBLE = 0.85
"""A face that says one thing with this probability can be read; a knot of wood was once taken for a 3 with 0.76."""

UNIT_CORNERS = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)


@dataclass(frozen=True, slots=True)
class Readings:
    """What the network says about N tiles.

    ``number_p`` (N, 17) over ``NUMBER_CLASSES`` and ``colour_p`` (N, 4) over ``COLOUR_CLASSES`` are float32 rows that
    sum to 1 (colour means nothing for jokers and backs).  ``upside`` (N,) tells that the quad given showed the numeral
    upside down, ``upside_margin`` (N,) float32 how surely the facing is known: twice the probability that it is right
    less one, so 0 is not at all and 1 surely.  ``quads`` (N, 4, 2) float32 are the corrected corners, already in
    upright order.  ``features`` (N, 192) float32 are the values from which the network draws its opinions, the mean
    over both turns.
    """

    number_p: Floats
    colour_p: Floats
    upside: NDArray[np.bool_]
    upside_margin: Floats
    quads: Floats
    features: Floats

    def __len__(self) -> int:
        return len(self.number_p)

    def take(self, index: NDArray[np.intp]) -> Readings:
        """The readings of the chosen tiles."""
        return Readings(*(getattr(self, entry.name)[index] for entry in fields(self)))

    def with_others(self, index: NDArray[np.intp], others: Readings) -> Readings:
        """The same, those of the tiles ``index`` replaced by others."""
        columns = {entry.name: getattr(self, entry.name).copy() for entry in fields(self)}
        for name, column in columns.items():
            column[index] = getattr(others, name)
        return Readings(**columns)


def white_balanced(crops: Image) -> Floats:
    """Crops uint8 (N, 64, 48, 3) BGR to network input float32 (N, 3, 64, 48): each channel over the tile's own body.

    The body is the 85th percentile of the face, so a lamp's tint and the exposure fall out.
    """
    top, left = round(CROP_PAD * CROP_HEIGHT), round(CROP_PAD * CROP_WIDTH)
    face = crops[:, top : CROP_HEIGHT - top : 2, left : CROP_WIDTH - left : 2]
    face = face.reshape(len(crops), face.shape[1] * face.shape[2], 3)
    rank = face.shape[1] * BODY_PERCENTILE // 100
    body = levels_at(face, rank).astype(np.float32)
    gain = 1 / np.maximum(body, 12)
    # into planes while the pixels are bytes, and in place from there on: this runs over every tile of every look
    balanced = np.ascontiguousarray(crops.transpose(0, 3, 1, 2)).astype(np.float32)
    balanced *= gain[:, :, None, None]
    np.minimum(balanced, 1.5, out=balanced)
    balanced -= 0.7
    balanced *= 2.5
    return balanced


def turned(quads: NDArray[np.floating]) -> NDArray[np.floating]:
    """The same quads read from the other side: corners moved on by two."""
    return np.roll(quads, 2, axis=1)


def turned_corners(corners: Floats) -> Floats:
    """Corner corrections (N, 8) of a crop from those of the same crop turned by 180°."""
    return np.asarray(-np.roll(corners.reshape(-1, 4, 2), 2, axis=1).reshape(-1, 8), np.float32)


def softmax(logits: Floats, temperature: float) -> Floats:
    """Rows of logits to probabilities."""
    scaled = logits / temperature
    powers = np.exp(scaled - scaled.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True), np.float32)


def move_corners(quads: Floats, corners: Floats) -> Floats:
    """Quads (N, 4, 2) with corrections (N, 8), given in units of each face's own width and height, applied."""
    if not len(quads):
        return quads
    places = UNIT_CORNERS + np.clip(corners.reshape(-1, 4, 2), -REFINE_LIMIT, REFINE_LIMIT)
    rows = np.concatenate([places, np.ones((*places.shape[:2], 1))], axis=2)
    mapped = rows @ square_to_quad(quads.astype(np.float64)).transpose(0, 2, 1)
    return np.asarray(mapped[..., :2] / mapped[..., 2:], np.float32)


@dataclass(slots=True)
class Opinions:
    """The network's answers on N crops: logits (N, 17), (N, 4), (N,), corner corrections (N, 8) and features (N, 192),
    all float32."""

    numbers: Floats
    colours: Floats
    upside: Floats
    corners: Floats
    features: Floats

    def put(self, index: NDArray[np.intp], others: Opinions) -> None:
        """Replace some of the opinions by others."""
        self.numbers[index], self.colours[index] = others.numbers, others.colours
        self.upside[index], self.corners[index] = others.upside, others.corners
        self.features[index] = others.features

    def take(self, index: slice) -> Opinions:
        """Some of the opinions."""
        return Opinions(
            self.numbers[index], self.colours[index], self.upside[index], self.corners[index], self.features[index]
        )

    def turned(self) -> Opinions:
        """What these opinions on crops say about the same crops turned by 180°."""
        return Opinions(self.numbers, self.colours, -self.upside, turned_corners(self.corners), self.features)

    def mean_with(self, other: Opinions) -> Opinions:
        """The mean of two opinions on each crop."""
        half = np.float32(0.5)
        return Opinions(
            (self.numbers + other.numbers) * half,
            (self.colours + other.colours) * half,
            (self.upside + other.upside) * half,
            (self.corners + other.corners) * half,
            (self.features + other.features) * half,
        )


class Reader:
    """Reads tiles with the reader network; temperatures come from calibration."""

    def __init__(
        self,
        model: Model,
        number_temperature: float = 1.0,
        colour_temperature: float = 1.0,
        facing_temperature: float = 1.0,
    ) -> None:
        self._model = model
        self._number_temperature = number_temperature
        self._colour_temperature = colour_temperature
        self._facing_temperature = facing_temperature

    def read(self, image: Image, quads: NDArray[np.floating]) -> Readings:
        """Read the tiles at ``quads`` (N, 4, 2) of a picture uint8 (H, W, 3) BGR; N may be 0.

        The first opinion is on the crop as given, the second on the crop turned by 180° and framed by the first one's
        corners.  Where that moved the corners far, the first opinion was on a bad crop and is asked for again.
        """
        now = np.asarray(quads, np.float32).reshape(-1, 4, 2).copy()
        first = self._opinions(Cuts(image, now))
        is_tile = first.numbers.argmax(axis=1) != NOTHING
        away = np.where(is_tile, np.abs(first.corners).max(axis=1, initial=0), 0)
        moved = np.flatnonzero(away > REFINE_ABOVE)
        now[moved] = move_corners(now[moved], first.corners[moved])
        first.corners[moved] = 0
        far = np.flatnonzero(away > REREAD_ABOVE)
        cuts = Cuts(image, turned(now))
        cuts.add(Cuts(image, now[far]))
        asked = self._opinions(cuts)
        second, again = asked.take(slice(len(now))).turned(), asked.take(slice(len(now), None))
        first.put(far, again)
        both = first.mean_with(second)
        # after a move only the second opinion saw the new corners
        corners = np.where(
            (away > REFINE_ABOVE)[:, None] & (away <= REREAD_ABOVE)[:, None], second.corners, both.corners
        )
        corners[both.numbers.argmax(axis=1) == NOTHING] = 0
        now = move_corners(now, corners)
        is_upside = both.upside > 0
        now[is_upside] = turned(now[is_upside])
        return Readings(
            number_p=softmax(both.numbers, self._number_temperature),
            colour_p=softmax(both.colours, self._colour_temperature),
            upside=is_upside,
            upside_margin=np.abs(np.tanh(both.upside / (2 * self._facing_temperature))).astype(np.float32),
            quads=now,
            features=both.features,
        )

    def legible(self, image: Image, quads: NDArray[np.floating]) -> NDArray[np.bool_]:
        """Which of the quads (N, 4, 2) of a picture show a number or a joker (N,), at a first glance."""
        numbers = self._opinions(Cuts(image, np.asarray(quads, np.float32).reshape(-1, 4, 2))).numbers
        clearest = softmax(numbers, self._number_temperature)[:, : JOKER + 1].max(axis=1, initial=0)
        return np.asarray(clearest >= LEGIBLE, np.bool_)

    def _opinions(self, cuts: Cuts) -> Opinions:
        """One opinion on each tile."""
        outputs = in_parts(self._model, len(cuts), lambda part: white_balanced(cuts.crops(part)))
        numbers, colours, upside, corners, features = outputs
        return Opinions(numbers, colours, upside[:, 0], corners, features)


def in_parts(model: Model, count: int, inputs: Callable[[NDArray[np.intp]], Floats]) -> list[Floats]:
    """The network's outputs (N, 17), (N, 4), (N, 1), (N, 8), (N, 192) on ``count`` crops; N may be 0.

    ``inputs`` makes the network's input of some of them, given their places, in the thread that then runs it.
    """
    if not count:
        widths = (len(NUMBER_CLASSES), len(COLOUR_CLASSES), 1, 8, FEATURES)
        return [np.zeros((0, width), np.float32) for width in widths]
    # an even number of parts, as equal as can be, keeps two threads at work to the end
    parts = np.array_split(np.arange(count), 1 if count <= FEW else 2 * math.ceil(count / (2 * MOST_IN_PART)))
    outputs = run_all(model, [partial(inputs, part) for part in parts])
    return [np.concatenate(columns) for columns in zip(*outputs, strict=True)]
