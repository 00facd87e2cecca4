"""Rows, columns and fans of cards from their places alone."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vision.cards.assemble import Cards
from vision.cards.frame import CARD_ASPECT
from vision.cards.index import FACES
from vision.cards.look import skipped, usual_step
from vision.cards.rows import lines_of

HEIGHT = 140.0
WIDTH = CARD_ASPECT * HEIGHT
Place = tuple[float, float, float]
"""Middle in card widths and heights, turn in degrees."""


def cards(places: list[Place], whole: list[bool], view_deg: float = 0.0) -> Cards:
    """Cards at these places of a table seen turned by ``view_deg``."""
    view = np.radians(view_deg)
    table = np.array([[np.cos(view), -np.sin(view)], [np.sin(view), np.cos(view)]])
    axes, corners = [], []
    for x, y, turn_deg in places:
        turn = np.radians(turn_deg)
        own = table @ np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
        axes.append(own * (WIDTH, HEIGHT))
        corners.append(table @ (x * WIDTH, y * HEIGHT) - axes[-1] @ (0.5, 0.5))
    count = len(places)
    face_p = np.full((count, FACES), 1 / FACES)
    return Cards(
        np.array(corners).reshape(-1, 2),
        np.array(axes).reshape(-1, 2, 2),
        face_p,
        np.ones(count),
        np.array(whole, bool),
    )


def test_no_cards_and_one() -> None:
    assert lines_of(cards([], [])) == ((), ())
    assert lines_of(cards([(0, 0, 0)], [True])) == ((), (0,))


@given(st.floats(0, 359), st.floats(0.12, 1.25), st.integers(2, 13), st.booleans())
def test_a_row_reads_as_its_covered_cards_stand(view: float, step: float, count: int, whole_end: bool) -> None:
    places = [(k * step, 0.0, 0.0) for k in range(count)]
    (line,), loose = lines_of(cards(places, [False] * (count - 1) + [whole_end], view))
    assert loose == ()
    assert line.cards == tuple(range(count))
    assert not line.column
    assert line.row.gaps == pytest.approx([step - 1] * (count - 1), abs=2e-3)


@given(st.floats(0, 359), st.floats(0.12, 0.9), st.integers(2, 8))
def test_a_column_reads_downwards(view: float, step: float, count: int) -> None:
    places = [(0.0, k * step, 0.0) for k in range(count)]
    (line,), loose = lines_of(cards(places, [False] * (count - 1) + [True], view))
    assert loose == ()
    assert line.cards == tuple(range(count))
    assert line.column


def test_rows_apart_stay_apart() -> None:
    places = [(k * 0.3, 0.0, 0.0) for k in range(4)] + [(k * 1.05, 1.25, 0.0) for k in range(3)] + [(6.0, 0.0, 90.0)]
    lines, loose = lines_of(cards(places, [False] * 3 + [True] * 5))
    assert [line.cards for line in lines] == [(0, 1, 2, 3), (4, 5, 6)]
    assert loose == (7,)


def test_two_sets_in_one_line_are_parted_by_their_gap() -> None:
    places = [(x, 0.0, 0.0) for x in (0.0, 0.3, 0.6, 2.1, 2.4)]
    lines, _ = lines_of(cards(places, [False, False, True, False, True]))
    assert [line.cards for line in lines] == [(0, 1, 2), (3, 4)]


def test_whole_cards_have_no_up_and_are_read_to_the_right() -> None:
    places = [(2.1, 0.0, 180.0), (1.05, 0.0, 0.0), (0.0, 0.0, 180.0)]
    (line,), _ = lines_of(cards(places, [True] * 3))
    assert line.cards == (2, 1, 0)


def test_a_fan_is_a_row() -> None:
    places = [(0.3 * k, 0.02 * (k - 2) ** 2, 9.0 * (k - 2)) for k in range(5)]
    (line,), loose = lines_of(cards(places, [False] * 4 + [True]))
    assert (line.cards, loose) == ((0, 1, 2, 3, 4), ())


def skips(found: Cards) -> list[np.ndarray]:
    lines, _ = lines_of(found)
    return [quad for line in lines for quad in skipped(found, line, usual_step(line, lines))]


def test_a_long_step_may_hide_a_card() -> None:
    even = cards([(0.3 * k, 0, 0) for k in range(5)], [False] * 5)
    missing = cards([(0.3 * k, 0, 0) for k in (0, 1, 3, 4)], [False] * 4)
    assert skips(even) == []
    (quad,) = skips(missing)
    assert missing.corner[1, 0] < quad[0, 0] < missing.corner[2, 0]


def test_a_long_step_is_known_from_few_steps() -> None:
    """Half covered, the step across a missing card is no overlap any more; of a line of two it is the only one."""
    half = cards([(0.5 * k, 0, 0) for k in (0, 1, 3)], [False, False, True])
    (quad,) = skips(half)
    assert half.corner[1, 0] < quad[0, 0] < half.corner[2, 0]
    two = [(0.3 * k, 3.0, 0.0) for k in (0, 2)]
    assert skips(cards(two, [False, True])) == []
    assert len(skips(cards([(0.3 * k, 0.0, 0.0) for k in range(4)] + two, [False] * 3 + [True, False, True]))) == 1
    assert skips(cards([(1.05 * k, 0, 0) for k in range(3)], [True] * 3)) == []
