"""From examples of a box to a head that reads it: the reader's last layer, corrected as far as the examples ask for it.

The network itself stays as it is.  It is given a lens that shows it this box's print as it knows print; what it then
still gets wrong, a linear correction of its last layer puts right.  The correction is fitted to many changed views of
the examples, so that the box is learned and not the photo, and held back on tiles of other boxes.  Half of the
examples, each with its second copy in the other half, tell how sure the corrected readings may be.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from referee.tiles import Joker, Tile
from vision.colour import InkPrior, ink_of, ink_prior
from vision.model_store import Model
from vision.read import COLOUR_CLASSES, JOKER
from vision.taught.box import BoxHead, Faces, TaughtBox, strip_of
from vision.taught.drawing import drawings
from vision.taught.examples import Example
from vision.taught.fit import fit_correction, probabilities
from vision.taught.lens import WHOLE_FACE, Lens, find_lens
from vision.taught.opinion import Opinions, opinions_of
from vision.taught.others import tiles_of_others
from vision.taught.views import changed_views, in_any_ink, plain_views

Image = NDArray[np.uint8]
Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

_SEED = 5
_VIEWS_A_FACE = 48
"""Changed views of each number and each kind of joker: a face with few examples is shown as often as the others."""
_OTHERS = 200
_SEARCH_NEARNESS = 1.8
"""Lenses are compared in the same pictures, near enough for small print."""
_RIDGE, _HOLD = 1e-3, 1e-2
"""Stiffness of the correction in general, and along what tiles of other boxes look like."""
_JOKER_RIDGE = 1e-2
_TEMPERATURES = np.geomspace(1.0, 4.0, 15)
"""No taught reading is surer than the network's own logits make it."""
_UNHEARD = 0.02
"""Share of each row of mistakes that is spread evenly: what the network never said of a class, it still may say."""


def teach(name: str, examples: tuple[Example, ...], model: Model, reader: str) -> TaughtBox:
    """A box learned from examples of its tiles by the reader network ``model``, whose SHA-256 is ``reader``.

    Raises ``ValueError`` when there are no examples.
    """
    if not examples:
        raise ValueError("a box is learned from at least one example")
    box = TaughtBox(name, tuple(example.tile for example in examples), strip_of(examples), Faces.TILES)
    return relearned(box, model, reader)


def relearned(box: TaughtBox, model: Model, reader: str) -> TaughtBox:
    """The same box with a head for the reader network ``model``, whose SHA-256 is ``reader``."""
    return TaughtBox(box.name, box.tiles, box.strip, box.faces, reader, learn(box.examples, model))


def learn(examples: tuple[Example, ...], model: Model, lens: Lens | None = None) -> BoxHead:
    """Fit a head to examples; the same examples and network give the same head.

    A number, colour or joker without examples keeps the network's own reading.  A ``lens`` that is known already is
    not looked for.
    """
    rng = np.random.default_rng(_SEED)
    crops = np.stack([example.crop for example in examples])
    tiles = tuple(example.tile for example in examples)
    kinds = tuple(kind for kind in Joker if any(tile.joker is kind for tile in tiles)) or (Joker.REGULAR,)
    numbers, colours, jokers = number_labels(tiles), colour_labels(tiles), joker_labels(tiles, kinds)
    faces = np.where(jokers >= 0, JOKER + jokers, numbers)
    fold = folds_of(tiles)
    lens = _best_lens(crops, numbers, fold, model) if lens is None else lens
    shown = repeated_evenly(faces)
    views, heard = looked_at(_jokers_in_any_ink(crops[shown], jokers[shown] >= 0, rng), lens, model, rng)
    others, _ = looked_at(_others(), lens, model, rng)
    stiffness = _RIDGE * np.eye(others.inputs.shape[1]) + _HOLD * others.inputs.T @ others.inputs / _OTHERS
    numbers, colours = numbers[shown], colours[shown]
    number_fit = _fitted(views.inputs, views.numbers, numbers, fold[shown], stiffness)
    colour_fit = _fitted(views.inputs, views.colours, colours, fold[shown], stiffness)
    joker_fit = _fitted_jokers(crops, jokers, len(kinds), fold, rng)
    return BoxHead(
        lens=lens,
        kinds=kinds,
        numbers=number_fit.weights,
        colours=colour_fit.weights,
        jokers=joker_fit.weights,
        number_temperature=number_fit.temperature,
        colour_temperature=colour_fit.temperature,
        joker_temperature=joker_fit.temperature,
        mistaken_numbers=_mistaken(probabilities(heard.numbers), numbers),
        mistaken_colours=_mistaken(probabilities(heard.colours), colours),
        inks=_inks(plain_views(crops, lens), colour_labels(tiles)),
    )


def _jokers_in_any_ink(crops: Image, joker: NDArray[np.bool_], rng: np.random.Generator) -> Image:
    """The same examples, every second joker in an ink of another colour: by its drawing it is one, whatever the ink."""
    other = np.flatnonzero(joker)[1::2]
    result = crops.copy()
    result[other] = in_any_ink(crops[other], rng)
    return result


@cache
def _others(code: str | None = None) -> Image:
    """What a box is held back on, (200, 128, 96, 3): the same for every lesson, and drawn once."""
    drawn = tiles_of_others(_OTHERS, np.random.default_rng(_SEED), code)
    drawn.flags.writeable = False
    return drawn


def looked_at(
    crops: Image, lens: Lens, model: Model, rng: np.random.Generator, nearness: float = 1.0
) -> tuple[Opinions, Opinions]:
    """What the network says of one changed view of each example (N, 128, 96, 3): as the box listens to it, and of the
    whole face alone.  ``nearness`` as for ``changed_views``."""
    seed = int(rng.integers(2**32))
    through = opinions_of(model, changed_views(crops, lens, np.random.default_rng(seed), nearness))
    if lens == WHOLE_FACE:
        return through, through
    # the same seed: the same camera, lamp and framing
    whole = opinions_of(model, changed_views(crops, WHOLE_FACE, np.random.default_rng(seed), nearness * lens.zoom))
    return through.with_whole(whole), whole


def number_labels(tiles: tuple[Tile, ...]) -> Indices:
    """The reader's number class (N,) of each tile."""
    return np.array([JOKER if tile.is_joker else (tile.number or 0) - 1 for tile in tiles], np.intp)


def colour_labels(tiles: tuple[Tile, ...]) -> Indices:
    """Place (N,) of each tile's colour in ``COLOUR_CLASSES``, −1 for a joker."""
    return np.array([COLOUR_CLASSES.index(tile.colour.value) if tile.colour else -1 for tile in tiles], np.intp)


def joker_labels(tiles: tuple[Tile, ...], kinds: tuple[Joker, ...]) -> Indices:
    """Place (N,) of each joker's kind in ``kinds``, −1 for a number."""
    return np.array([kinds.index(tile.joker) if tile.joker else -1 for tile in tiles], np.intp)


def _best_lens(crops: Image, classes: Indices, fold: Indices, model: Model) -> Lens:
    """Looked for on the numbers, one of two copies, in pictures that are no better than those to be read."""
    numbered = np.flatnonzero((classes < JOKER) & (fold == 0))
    labels = classes[numbered]

    def loss(lens: Lens) -> float:
        views = changed_views(crops[numbered], lens, np.random.default_rng(_SEED), _SEARCH_NEARNESS / lens.zoom)
        said = probabilities(opinions_of(model, views).numbers)
        return float(-np.log(0.99 * said[np.arange(len(labels)), labels] + 1e-3).mean())

    return find_lens(crops[numbered], labels, loss)


def repeated_evenly(faces: Indices) -> Indices:
    """Places of N examples over and over, so that each face is shown equally often."""
    return np.concatenate([_repeated(np.flatnonzero(faces == k), _VIEWS_A_FACE) for k in np.unique(faces)])


def _repeated(members: Indices, count: int) -> Indices:
    """The members over and over, ``count`` in all and each at least once."""
    return np.resize(members, max(count, len(members)))


def folds_of(tiles: tuple[Tile, ...]) -> Indices:
    """0 or 1 (N,) for each example: a half with one of two copies of each tile.

    Where there is one copy alone, both halves show every number and every colour, like the fields of a chessboard.
    """
    seen: Counter[Tile] = Counter()
    fold = np.zeros(len(tiles), np.intp)
    for k, tile in enumerate(tiles):
        field = COLOUR_CLASSES.index(tile.colour.value) + (tile.number or 0) if tile.colour else 0
        fold[k] = (field + seen[tile]) % 2
        seen[tile] += 1
    return fold


@dataclass(frozen=True, slots=True)
class _Fit:
    weights: Floats
    temperature: float


def _fitted(inputs: Floats, logits: Floats, labels: Indices, fold: Indices, stiffness: Floats) -> _Fit:
    """A correction of logits (N, C) fitted to all views with a label of 0 or more, and the temperature that makes it as
    sure as it is right on views of examples it has not seen."""
    labelled = np.flatnonzero(labels >= 0)
    inputs, logits, labels, fold = inputs[labelled], logits[labelled], labels[labelled], fold[labelled]
    free = np.zeros(logits.shape[1], np.bool_)
    free[labels] = True
    unseen, truth = [], []
    for half in (0, 1):
        learned, kept = np.flatnonzero(fold == half), np.flatnonzero(fold != half)
        kept = kept[np.isin(labels[kept], labels[learned])]
        weights = fit_correction(inputs[learned], logits[learned], labels[learned], free, stiffness)
        unseen.append(logits[kept] + inputs[kept] @ weights)
        truth.append(labels[kept])
    temperature = _calibrated(np.concatenate(unseen), np.concatenate(truth))
    return _Fit(fit_correction(inputs, logits, labels, free, stiffness), temperature)


def _fitted_jokers(crops: Image, jokers: Indices, kinds: int, fold: Indices, rng: np.random.Generator) -> _Fit:
    """Tells the drawings of the box's kinds of joker, labels (N,) from 0, apart, and from those of other boxes."""
    shown = [_repeated(np.flatnonzero(jokers == k), _VIEWS_A_FACE) for k in range(kinds) if (jokers == k).any()]
    own = np.concatenate([*shown, np.zeros(0, np.intp)])
    drawn = np.concatenate([crops[own], _others("J")])
    labels = np.append(jokers[own], np.full(_OTHERS, kinds))
    halves = np.append(fold[own], np.arange(_OTHERS) % 2)
    inputs = drawings(changed_views(drawn, WHOLE_FACE, rng))
    return _fitted(inputs, np.zeros((len(labels), kinds + 1)), labels, halves, _JOKER_RIDGE * np.eye(inputs.shape[1]))


def _calibrated(logits: Floats, labels: Indices) -> float:
    """The temperature under which logits (N, C) promise best what they keep; the calmest where there are none."""
    if not len(labels):
        return float(_TEMPERATURES[-1])
    rows = np.arange(len(labels))
    losses = [-np.log(probabilities(logits / t)[rows, labels] + 1e-9).mean() for t in _TEMPERATURES]
    return float(_TEMPERATURES[int(np.argmin(losses))])


def _mistaken(said: Floats, labels: Indices) -> Floats:
    """What the network says (K, K) where each class lies, from its probabilities (N, K) on views with labels (N,), of
    which those below 0 do not count.

    A class without views is taken to be read rightly.
    """
    rows = np.eye(said.shape[1])
    for k in np.unique(labels[labels >= 0]):
        rows[k] = said[labels == k].mean(axis=0)
    return np.asarray((1 - _UNHEARD) * rows + _UNHEARD / said.shape[1], np.float64)


def _inks(views: Image, colours: Indices) -> InkPrior:
    """What the box prints with, as far as plain views (N, 64, 48, 3) show it."""
    ink = ink_of(views)
    return ink_prior(ink, np.where(ink.share > 0, colours, -1))
