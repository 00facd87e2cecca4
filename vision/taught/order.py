"""What must lie where: the order of a box laid out, weighed with what the reader makes of each tile.

A row is one ink and runs from 1 to 13, its second copies may follow, jokers come last.  A tile that the reader cannot
read gets its number from its place; where place and reader together leave it open, the probabilities say so.  The
reader is believed as far as it agrees with the order over the whole picture.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from referee.tiles import Colour, Joker, Tile
from vision.read import COLOUR_CLASSES, JOKER

Floats = NDArray[np.float64]

LABELS = JOKER + 1
"""A row's tile is one of 13 numbers or a joker."""
DOUBTS = (0.005, 0.02, 0.1, 0.3, 0.6, 0.95)
"""Shares of tiles that the reader may misread: which of them, the picture itself shows."""
NO_TILE_COST, LEAST_NO_TILE_COST = 8.0, 3.5
"""What it costs to take something in a row for none of its tiles: sure tiles and what hardly is one.  All costs are in
nats."""

_STEP_MISFIT, _MOST_MISFIT = 4.0, 1.5
"""Cost of a number's step that differs by one from the step seen on the table, and the most that counts."""
_ABSENT = 0.7
_ABSENT_AT_END, _MOST_AT_END = 1.2, 4.0
"""Cost of the first and of all tiles missing at an end of a row."""
_SECOND_COPIES = 6.5
_JOKER_AFTER = 7.0
_NOT_SEEN = 4.0
"""Cost of a tile that was told and is not seen."""
_ROW_ABSENT = 3.0
"""Cost of a colour that is not in the order where it should be."""
_INK_WEIGHT = 3.0
"""A row's ink counts like so many tiles: they are all under one lamp, so more of them say nothing new."""
_INK_ALIKE, _INK_APART, _INK_COST = 9.0, 16.0, 4.0
"""Rows nearer than this in L* a* b* are one ink, and rows farther apart are not; cost of saying otherwise."""
_MOST_JOKERS = 10
_JOKER_ROWS_COST = (1.0, 0.2, 3.0)
"""Cost of none, one or two rows of jokers at the end."""
_MOST_ROWS = 16


@dataclass(frozen=True, slots=True)
class Course:
    """How a row may go on, as costs: ``start`` (S,) of its first state, ``end`` (S,) of its last, and ``steps``
    (n - 1, S, S) from one state to the next for each of the steps seen."""

    start: Floats
    end: Floats
    steps: Floats


@dataclass(frozen=True, slots=True)
class Followed:
    """``p`` (n, S + 1): probability of each state for each tile, the last column that it belongs to none; ``evidence``
    is the logarithm of how well the row follows the course at all."""

    p: Floats
    evidence: float


def follow(fit: Floats, solid: Floats, course: Course) -> Followed:
    """Forwards and backwards through a row; ``fit`` (n, S) is the logarithm of how well each tile fits each state,
    ``solid`` (n,), 0 to 1, how surely it is a tile at all."""
    count, states = fit.shape
    real, junk = np.full((count, states), -np.inf), np.full((count, states), -np.inf)
    no_tile = LEAST_NO_TILE_COST + (NO_TILE_COST - LEAST_NO_TILE_COST) * solid
    before = -np.concatenate([[0.0], np.cumsum(no_tile)])  # nothing but what is no tile so far
    for k in range(count):
        begun = before[k] - course.start
        if k:
            so_far = np.logaddexp(real[k - 1], junk[k - 1])
            begun = np.logaddexp(begun, _log_sum(so_far[:, None] - course.steps[k - 1], axis=0))
            junk[k] = so_far - no_tile[k]
        real[k] = fit[k] + begun
    after = np.zeros((count, states))  # of a row whose last tile is in this state at k
    after[-1] = -course.end
    for k in range(count - 2, -1, -1):
        goes_on = _log_sum(fit[k + 1] + after[k + 1] - course.steps[k], axis=1)
        after[k] = np.logaddexp(goes_on, after[k + 1] - no_tile[k + 1])
    ended = np.logaddexp(real[-1], junk[-1]) - course.end
    evidence = float(np.logaddexp(_log_sum(ended, axis=0), before[count]))
    p = np.exp(real + after - evidence)
    return Followed(np.column_stack([p, np.clip(1 - p.sum(axis=1), 0, 1)]), evidence)


@dataclass(frozen=True, slots=True)
class Line:
    """What is seen in one row of n tiles, from left to right.

    ``number_p`` (n, 17) and ``colour_p`` (n, 4) are the reader's, ``solid`` (n,), 0 to 1, says how surely each is a
    tile at all, ``steps`` (n - 1,) are the distances between them in columns, ``column`` is the place of the first,
    counted from 1, None where rows do not begin below each other.
    """

    number_p: Floats
    colour_p: Floats
    solid: Floats
    steps: Floats
    column: float | None = None


def number_row(line: Line, doubt: float) -> Followed:
    """A row from 1 to 13, perhaps followed by its second copies and by jokers; its states are 13 numbers and joker."""
    numbers = np.arange(1, 14, dtype=np.float64)
    start = np.append(_missing_at_end(numbers - 1), _JOKER_AFTER)
    if line.column is not None:
        start[:JOKER] = _STEP_MISFIT * np.minimum(np.abs(numbers - line.column), _MOST_MISFIT)
    end = np.append(_missing_at_end(13 - numbers), 0.0)
    difference = numbers[None] - numbers[:, None]
    costs = np.zeros((len(line.steps), LABELS, LABELS))
    for k, step in enumerate(line.steps):
        onwards = _STEP_MISFIT * np.minimum(np.abs(difference - step), _MOST_MISFIT) + _ABSENT * (difference - 1)
        again = _SECOND_COPIES + _missing_at_end(numbers - 1)[None] + end[:JOKER, None]
        costs[k, :JOKER, :JOKER] = np.where(difference >= 1, onwards, again)
    away = _STEP_MISFIT * np.minimum(np.abs(line.steps - 1), _MOST_MISFIT)
    costs[:, :JOKER, JOKER] = _JOKER_AFTER + end[None, :JOKER]
    costs[:, :, JOKER] += away[:, None]
    costs[:, JOKER, :JOKER] = np.inf  # jokers come last
    return follow(number_fit(line.number_p, doubt), line.solid, Course(start, end, costs))


def _missing_at_end(count: Floats) -> Floats:
    """Cost of so many tiles missing where a row begins or ends."""
    return np.where(count > 0, np.minimum(_ABSENT_AT_END + _ABSENT * (count - 1), _MOST_AT_END), 0.0)


def told_row(line: Line, told: Sequence[Tile], doubts: tuple[float, float]) -> Followed:
    """A row of which somebody told what lies in it; its states are the tiles told, in their order."""
    places = np.arange(len(told), dtype=np.float64)
    difference = places[None] - places[:, None]
    allowed = np.where(difference >= 1, _NOT_SEEN * (difference - 1), np.inf)
    misfit = np.abs(difference[None] - line.steps[:, None, None])
    costs = allowed[None] + np.minimum(misfit, 1.0) * (difference > 1)
    fit = told_fit(line, told, doubts)
    return follow(fit, line.solid, Course(_NOT_SEEN * places, _NOT_SEEN * places[::-1], costs))


def number_fit(number_p: NDArray[np.floating], doubt: float) -> Floats:
    """Logarithms (n, 14) of how well tiles fit each number and the joker, 0 for a reader that does not know; what it
    calls blank may be any."""
    p = number_p[:, :LABELS].astype(np.float64)
    p = p + (1 - p.sum(axis=1, keepdims=True)).clip(0) / LABELS
    return np.asarray(np.log((1 - doubt) * p * LABELS + doubt), np.float64)


def colour_fit(colour_p: NDArray[np.floating], doubt: float) -> Floats:
    """Logarithms (n, 4) of how well tiles fit each colour, 0 for a reader that does not know."""
    return np.asarray(np.log((1 - doubt) * colour_p.astype(np.float64) * 4 + doubt), np.float64)


def told_fit(line: Line, told: Sequence[Tile], doubts: tuple[float, float]) -> Floats:
    """Logarithms (n, S) of how well tiles fit those told."""
    numbers, colours = number_fit(line.number_p, doubts[0]), colour_fit(line.colour_p, doubts[1])
    columns = [
        numbers[:, JOKER] if tile.is_joker else numbers[:, (tile.number or 1) - 1] + colours[:, colour_index(tile)]
        for tile in told
    ]
    return np.stack(columns, axis=1)


def colour_index(tile: Tile) -> int:
    """Column of a number tile's colour."""
    return COLOUR_CLASSES.index(str(tile.colour))


@dataclass(frozen=True, slots=True)
class RowColours:
    """``p`` (rows, 5): probability that a row is each of the four colours, the last column that it is all jokers;
    ``evidence`` is the logarithm of how well all rows follow the order at all."""

    p: Floats
    evidence: float


def row_colours(
    inks: Sequence[Floats], looks: Floats, as_numbers: Floats, as_jokers: Floats, order: Sequence[Colour]
) -> RowColours | None:
    """Which colour each row is, by the order in which colours lie, by the reader, and by which rows look alike.

    For each row ``inks`` has the logarithms (n, 4) of its number tiles' colours, ``looks`` (rows, 3) the L* a* b* of
    its ink (NaN: unknown), ``as_numbers`` and ``as_jokers`` (rows,) the evidence for a row of numbers and of jokers.
    None where there are more rows than any box has.
    """
    count = len(inks)
    if not 0 < count <= _MOST_ROWS + 2:
        return None
    places = [COLOUR_CLASSES.index(str(colour)) for colour in order]
    said = np.stack([_INK_WEIGHT * min(1.0, len(ink) / 2) * ink.mean(axis=0) if len(ink) else np.zeros(4)
                     for ink in inks])  # fmt: skip
    apart = np.linalg.norm(looks[:, None] - looks[None], axis=2)
    weighed: list[tuple[float, tuple[int, ...]]] = []
    for jokers, cost in enumerate(_JOKER_ROWS_COST):
        numbers = count - jokers
        if not 0 <= numbers <= _MOST_ROWS:
            continue
        base = as_numbers[:numbers].sum() + as_jokers[numbers:].sum() - cost
        for labels, absent in _arrangements(numbers):
            colours = [places[label] for label in labels]
            ink = sum(said[row, colour] for row, colour in enumerate(colours))
            weight = base + ink - _ROW_ABSENT * absent - _disagreement(colours, apart)
            weighed.append((float(weight), (*colours, *(4 for _ in range(jokers)))))
    if not weighed:
        return None
    best = max(weight for weight, _ in weighed)
    p = np.zeros((count, 5))
    for weight, rows in weighed:
        p[np.arange(count), list(rows)] += np.exp(weight - best)
    total = p.sum(axis=1, keepdims=True)
    return RowColours(p / total, best + float(np.log(total[0, 0])))


def _arrangements(count: int) -> list[tuple[tuple[int, ...], int]]:
    """In how many ways ``count`` rows may be colours 0 to 3 in their order, each with how many rows are then absent.

    One copy after the other (0 1 2 3 0 1 2 3), or both copies of a colour below each other (0 0 1 1 2 2 3 3).
    """
    if count == 0:
        return [((), 0)]
    cycles = max(2, -(-count // 4))
    one_by_one = tuple(range(4)) * cycles
    side_by_side = tuple(np.repeat(range(4), 2).tolist())
    found: dict[tuple[int, ...], int] = {}
    for course, block in ((one_by_one, 4), (side_by_side, 8)):
        if count > len(course) or (len(course) - count > 6 and count > 6):
            continue
        for chosen in combinations(range(len(course)), count):
            labels = tuple(course[i] for i in chosen)
            whole = -(-(chosen[-1] + 1) // block) * block
            absent = whole - count
            found[labels] = min(absent, found.get(labels, absent))
    return list(found.items())


def _disagreement(colours: Sequence[int], apart: Floats) -> float:
    """Cost of rows called one colour that look different, or different colours that look the same."""
    cost = 0.0
    for one, other in combinations(range(len(colours)), 2):
        same = colours[one] == colours[other]
        if (same and apart[one, other] > _INK_APART) or (not same and apart[one, other] < _INK_ALIKE):
            cost += _INK_COST
    return cost


def joker_row_evidence(number_p: NDArray[np.floating], doubt: float) -> float:
    """How well a row is jokers and nothing else, to be weighed against ``number_row``'s evidence."""
    if len(number_p) > _MOST_JOKERS:
        return -np.inf
    return float(number_fit(number_p, doubt)[:, JOKER].sum())


def tile_of(label: int, colour: int) -> Tile:
    """The tile of a state of ``number_row`` in a row of this colour."""
    if label == JOKER:
        return Tile(joker=Joker.REGULAR)
    return Tile(colour=Colour(COLOUR_CLASSES[colour]), number=label + 1)


def _log_sum(values: Floats, axis: int) -> Floats:
    top = values.max(axis=axis, keepdims=True)
    top = np.where(np.isfinite(top), top, 0.0)
    with np.errstate(divide="ignore"):  # the logarithm of an impossible state is -inf, which is meant
        return np.asarray(np.log(np.exp(values - top).sum(axis=axis)) + np.squeeze(top, axis), np.float64)
