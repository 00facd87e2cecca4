"""Rows of cards, side by side or overlapping, in rows or columns, in reading order; from the cards' places alone.

Cards overlap where tiles never do, so it is not the gaps that make a row but the nearest card on each side.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from referee.observation import Row
from vision.cards.assemble import Cards
from vision.cards.frame import CARD_ASPECT

Floats = NDArray[np.float64]

WIDEST_STEP = 1.3
"""Way between the middles of neighbours side by side, in card widths: a gap of 0.3, as between tiles."""
DEEPEST_STEP = 0.92
"""Way between the middles of neighbours one below the other, in card heights: only cards that overlap make a column."""
SMALLEST_STEP = 0.04
LARGEST_SLIP = 0.3
"""Shift of neighbours across their row, in card heights, or across their column, in card widths."""
LARGEST_TURN_DEG = 25.0
"""Turn from card to card, as in a fan."""
_RIGHT, _BELOW = 0, 1


@dataclass(frozen=True, slots=True)
class Line:
    """A row or column: the cards in reading order and the way from each to the next in widths, or in heights."""

    cards: tuple[int, ...]
    steps: tuple[float, ...]
    column: bool

    @property
    def row(self) -> Row:
        """The same as the referee knows it: gaps in card widths, negative where cards overlap."""
        unit = 1 / CARD_ASPECT if self.column else 1.0
        return Row(self.cards, tuple(round((step - 1) * unit, 3) for step in self.steps))


@dataclass(frozen=True, slots=True)
class _Link:
    """Neighbours ``a`` and ``b``: ``axis`` along which they lie, which of their two ends meet, and the step."""

    cost: float
    a: int
    b: int
    axis: int
    end_a: int
    end_b: int
    step: float


def lines_of(cards: Cards) -> tuple[tuple[Line, ...], tuple[int, ...]]:
    """Rows and columns of at least two cards, and the loose ones.

    A line is read as most of its covered cards stand, whose way up is known; without any, from left to right or
    downwards in the picture.
    """
    beside: list[dict[int, _Link]] = [{} for _ in range(len(cards))]
    group = list(range(len(cards)))
    axis_of: dict[int, int] = {}

    def head(card: int) -> int:
        while group[card] != card:
            card = group[card]
        return card

    for link in sorted(_links(cards), key=lambda one: (one.cost, one.a, one.b)):
        one, other = head(link.a), head(link.b)
        axes = {axis_of.get(one, link.axis), axis_of.get(other, link.axis), link.axis}
        if one == other or len(axes) > 1 or link.end_a in beside[link.a] or link.end_b in beside[link.b]:
            continue
        beside[link.a][link.end_a], beside[link.b][link.end_b] = link, link
        group[one] = other
        axis_of[other] = link.axis
    ends = [k for k in range(len(cards)) if len(beside[k]) == 1]
    lines, done = [], set[int]()
    for start in ends:
        if start not in done:
            line = _walk(cards, beside, start)
            done |= {line.cards[0], line.cards[-1]}
            lines.append(line)
    lines.sort(key=lambda line: min(line.cards))
    return tuple(lines), tuple(k for k in range(len(cards)) if not beside[k])


def _links(cards: Cards) -> list[_Link]:
    """All pairs that may be neighbours."""
    count = len(cards)
    if count < 2:
        return []
    away = cards.places_of(cards.centre) - 0.5  # (own, other, 2)
    right = cards.axes[:, :, 0]
    angle = np.degrees(np.arctan2(right[:, 1], right[:, 0]))
    turn = np.abs((angle[:, None] - angle[None] + 90) % 180 - 90)
    links = []
    for a in range(count):
        for b in range(a + 1, count):
            if turn[a, b] > LARGEST_TURN_DEG:
                continue
            seen, back = away[a, b], away[b, a]
            step = (np.abs(seen) + np.abs(back)) / 2
            side = step[0] * CARD_ASPECT > step[1]
            if side:
                fits = step[1] < LARGEST_SLIP and SMALLEST_STEP < step[0] < WIDEST_STEP
            else:
                fits = step[0] < LARGEST_SLIP and SMALLEST_STEP < step[1] < DEEPEST_STEP
            if fits:
                axis = _RIGHT if side else _BELOW
                cost = float(np.hypot(step[0] * CARD_ASPECT, step[1]))
                ends = int(seen[axis] > 0), int(back[axis] > 0)
                links.append(_Link(cost, a, b, axis, *ends, float(step[axis])))
    return links


def _walk(cards: Cards, beside: list[dict[int, _Link]], start: int) -> Line:
    """From one end of a line to the other, then turned to be read."""
    card, (leave, link) = start, next(iter(beside[start].items()))
    order, steps, votes = [start], [], 0
    axis = link.axis
    votes += _vote(cards, start, leave)
    while True:
        entered = link.end_b if link.a == card else link.end_a
        card = link.b if link.a == card else link.a
        order.append(card)
        steps.append(link.step)
        votes += _vote(cards, card, 1 - entered)
        onward = beside[card].get(1 - entered)
        if onward is None:
            break
        link = onward
    way = cards.centre[order[-1]] - cards.centre[order[0]]
    along = float(way[0]) if abs(way[0]) >= abs(way[1]) else float(way[1])
    if votes < 0 or (votes == 0 and along < 0):
        order.reverse()
        steps.reverse()
    return Line(tuple(order), tuple(steps), axis == _BELOW)


def _vote(cards: Cards, card: int, leave: int) -> int:
    """+1 when a covered card says that the line goes on to its right or below it, else −1; 0 from whole ones."""
    return 0 if cards.whole[card] else (1 if leave else -1)
