"""What of a sight lies on the table: at its edge nothing is left out in silence, and beside it nothing is asked."""

from __future__ import annotations

import numpy as np
import pytest

from referee.observation import Observation
from referee.preset_files import load_ruleset
from referee.ruling import Verdict, judge_table
from tests.web.fakes import TILE_HEIGHT, TILE_WIDTH, table
from vision.in_region import within

LEFT, TOP, PITCH = 60.0, 40.0, TILE_WIDTH + 2
"""Where the first tile of ``table`` lies, and how far it is to the next."""


def up_to(x: float, sight: Observation) -> Observation:
    """What of a sight lies on a table that ends at x."""
    return within(sight, np.array([(0, 0), (x, 0), (x, 700), (0, 700)], np.float32))


def left_of(tile: int, share: float) -> float:
    """Where a table ends that holds this share of a tile of each row."""
    return LEFT + PITCH * tile + share * TILE_WIDTH


def codes(sight: Observation) -> list[str]:
    return [str(seen.readings[0].tile) if seen.readings else "?" for seen in sight.tiles]


def test_rows_are_left_with_what_lies_on_the_table() -> None:
    half = up_to(left_of(3, 0.0), table("R3 R4 R5 R6 | B1 B2 B3"))
    assert codes(half) == ["R3", "R4", "R5", "B1", "B2", "B3"]
    assert [len(row.tiles) for row in half.rows] == [3, 3]
    assert [len(row.gaps) for row in half.rows] == [2, 2]
    assert not half.unread


def test_where_all_lies_on_the_table_nothing_is_told_anew() -> None:
    sight = table("R3 R4 R5 R6 # | B1")
    assert up_to(899, sight) is sight


@pytest.mark.parametrize(
    ("share", "kept", "astride"), [(0.55, 4, 0), (0.45, 3, 1), (0.36, 3, 1), (0.3, 3, 0), (0.05, 3, 0)]
)
def test_a_tile_on_the_edge_is_told_and_one_mostly_outside_is_not(share: float, kept: int, astride: int) -> None:
    seen = up_to(left_of(3, share), table("R3 R4 R5 R6"))
    assert (len(seen.tiles), len(seen.unread)) == (kept, astride)
    (row,) = seen.rows
    assert (len(row.tiles), row.unread_touching) == (kept, tuple(range(astride)))
    expected = Verdict.CANNOT_TELL if astride else Verdict.LEGAL
    assert judge_table(seen, load_ruleset()).verdict is expected


def test_a_tile_on_the_edge_that_begins_a_row_is_told_at_it() -> None:
    sight = table("R3 R4 R5 R6")
    edge = left_of(0, 0.6)
    seen = within(sight, np.array([(edge, 0), (899, 0), (899, 700), (edge, 700)], np.float32))
    assert codes(seen) == ["R4", "R5", "R6"]
    assert seen.rows[0].unread_touching == (0,)


def test_a_tile_whose_neighbour_lies_on_the_edge_is_no_set_cut_short() -> None:
    seen = up_to(left_of(1, 0.4), table("R3 R4 R5"))
    assert (codes(seen), seen.loose, len(seen.unread)) == (["R3"], (0,), 1)
    assert judge_table(seen, load_ruleset()).verdict is Verdict.CANNOT_TELL


def test_what_is_covered_on_the_edge_still_touches_its_row() -> None:
    sight = table("R3 R4 R5 # | B1 B2 B3 #")
    seen = up_to(left_of(3, 0.4), sight)
    assert [row.unread_touching for row in seen.rows] == [(0,), (1,)]
    assert not up_to(left_of(3, 0.1), sight).unread


@pytest.mark.parametrize("share", [0.0, 0.15, 0.3])
def test_racks_beyond_the_edge_are_nobodys_business(share: float) -> None:
    """A rack lies along the edge, and its tiles reach over it: none of them is asked about, turn after turn."""
    sight = table("R3 R4 R5 | B1 B2 B3 | K1 K5 O7 O9 B13 R1 J")
    below = TOP + 2 * (TILE_HEIGHT + 30) + share * TILE_HEIGHT
    seen = within(sight, np.array([(0, 0), (899, 0), (899, below), (0, below)], np.float32))
    assert codes(seen) == ["R3", "R4", "R5", "B1", "B2", "B3"]
    assert not seen.unread
    assert judge_table(seen, load_ruleset()).verdict is Verdict.LEGAL


def test_the_face_down_pool_may_lie_on_the_edge() -> None:
    seen = up_to(left_of(3, 0.4), table("R3 R4 R5 | ? ? ? ?"))
    assert codes(seen) == ["R3", "R4", "R5", "?", "?", "?"]
    assert not seen.unread
