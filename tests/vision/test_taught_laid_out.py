"""Boxes laid out by hand, read by readers of any skill: what is settled is right, the rest is asked."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.tiles import Colour, parse_tile
from tests.vision.layouts import BOX, Lie, labelled, looks, seen, wrongly
from vision.read import BACK
from vision.taught.laid_out import (
    Doubt,
    LaidOut,
    NotLaidOutError,
    column_step,
    in_order,
    looks_of,
    with_joker_kinds,
)
from vision.taught.rows import rows_of
from vision.taught.told import Told, as_told


def without(places: set[tuple[int, int]], *, closed: bool = False) -> list[list[str]]:
    """The whole box but for some places, which stay empty or are closed up."""
    rows = [["" if (row, k) in places else code for k, code in enumerate(codes)] for row, codes in enumerate(BOX)]
    return [[code for code in codes if code] for codes in rows] if closed else rows


def doubts(laid: LaidOut) -> list[str]:
    return [str(tile.doubt) for tile in laid.questions]


@settings(max_examples=8, deadline=None)
@given(
    gone=st.sets(st.tuples(st.integers(0, 7), st.integers(0, 12)), max_size=12),
    closed=st.booleans(),
    bend=st.floats(-0.5, 0.5),
    turn=st.sampled_from([0.0, 7.0, 90.0, 180.0, 265.0]),
    recede=st.floats(0, 0.35),
    seed=st.integers(0, 99),
)
def test_a_good_reader_settles_every_tile_however_the_box_lies(
    gone: set[tuple[int, int]], closed: bool, bend: float, turn: float, recede: float, seed: int
) -> None:
    lie = Lie(without(gone, closed=closed), bend=bend, turn_deg=turn, recede=recede, seed=seed)
    laid = labelled(lie, seen(lie))
    assert wrongly(lie, laid) == []
    assert len(laid.settled) == len(lie.codes)


@settings(max_examples=8, deadline=None)
@given(
    gone=st.sets(st.tuples(st.integers(0, 7), st.integers(0, 12)), max_size=30),
    closed=st.booleans(),
    skill=st.sampled_from([0.0, 0.2, 0.5]),
    seed=st.integers(0, 99),
)
def test_what_a_poor_reader_leaves_open_is_never_settled_wrongly(
    gone: set[tuple[int, int]], closed: bool, skill: float, seed: int
) -> None:
    lie = Lie(without(gone, closed=closed), seed=seed)
    laid = labelled(lie, seen(lie, skill))
    assert wrongly(lie, laid) == []
    assert len(laid.tiles) == len(lie.codes)


def test_places_alone_settle_whole_rows() -> None:
    lie = Lie(BOX)
    laid = labelled(lie, seen(lie, skill=0.0))
    assert wrongly(lie, laid) == []
    assert sum(tile.tile is not None and not tile.tile.is_joker for tile in laid.tiles) == 104


def test_an_open_row_is_a_question_that_names_what_it_may_be() -> None:
    rows = [list(codes) for codes in BOX[:4]]
    rows[1] = [code for code in rows[1] if code not in {"B4", "B9", "B11"}]
    lie = Lie(rows)
    laid = labelled(lie, seen(lie, skill=0.0))
    assert wrongly(lie, laid) == []
    asked = [tile for tile in laid.questions if tile.row == 1]
    assert {tile.doubt for tile in asked} == {Doubt.OPEN}
    assert any(parse_tile("B5") in tile.candidates for tile in asked)
    assert {tile.row for tile in laid.questions} == {1}


def test_second_copies_may_lie_behind_the_first() -> None:
    lie = Lie([[*BOX[k], "", *BOX[k]] for k in range(4)] + [["J", "J"]])
    laid = labelled(lie, seen(lie))
    assert wrongly(lie, laid) == []
    assert len(laid.settled) == 106


def test_both_copies_of_a_colour_may_lie_below_each_other() -> None:
    lie = Lie([BOX[k // 2] for k in range(8)] + [["J", "J"]])
    laid = labelled(lie, seen(lie))
    assert wrongly(lie, laid) == []
    assert len(laid.settled) == 106


@pytest.mark.parametrize("rows", [[0, 1], [2, 3, 8], [4, 5, 6, 7, 8], [0, 1, 2, 3]])
def test_a_photo_may_show_a_part_of_the_box(rows: list[int]) -> None:
    lie = Lie([BOX[k] for k in rows])
    laid = labelled(lie, seen(lie))
    assert wrongly(lie, laid) == []
    assert len(laid.settled) == len(lie.codes)


def test_inks_that_the_reader_mistakes_get_their_colour_from_the_order() -> None:
    lie = Lie(BOX)
    laid = labelled(lie, seen(lie, colours="RKKR"))  # blue taken for black, orange for red
    assert wrongly(lie, laid) == []
    assert len(laid.settled) == 106


def test_another_order_of_colours_can_be_named() -> None:
    lie = Lie([BOX[k] for k in (3, 2, 1, 0)])
    order = (Colour.ORANGE, Colour.BLACK, Colour.BLUE, Colour.RED)
    laid = labelled(lie, seen(lie, colours="RBBR"), in_order(order))
    assert wrongly(lie, laid) == []
    assert len(laid.settled) == 52


@pytest.mark.parametrize("colours", ["RBKO", "OKBR", "BRKO"])
def test_a_wrong_order_is_never_believed_against_a_reader_that_sees_other_inks(colours: str) -> None:
    lie = Lie([BOX["RBKO".index(colour)] for colour in colours] * 2)
    laid = labelled(lie, seen(lie))
    assert wrongly(lie, laid) == []
    assert set(doubts(laid)) <= {"row_colour"}
    assert len(laid.settled) == sum(26 for one, other in zip(colours, "RBKO", strict=True) if one == other)


def test_two_tiles_that_changed_places_are_not_learned_wrongly() -> None:
    rows = [list(codes) for codes in BOX]
    rows[2][4], rows[2][5] = rows[2][5], rows[2][4]
    lie = Lie(rows)
    laid = labelled(lie, seen(lie))
    assert wrongly(lie, laid) == []
    assert 1 <= len(laid.questions) <= 2
    assert set(doubts(laid)) <= {"out_of_order", "open"}


def test_a_tile_of_another_colour_in_a_row_is_a_question() -> None:
    rows = [list(codes) for codes in BOX]
    rows[0][6], rows[1][6] = "B7", "R7"
    lie = Lie(rows)
    laid = labelled(lie, seen(lie))
    assert wrongly(lie, laid) == []
    assert doubts(laid) == ["other_colour", "other_colour"]
    assert {str(tile) for tile in laid.questions[0].candidates} == {"B7", "R7"}


def test_a_back_in_a_row_is_a_question_to_a_reader_that_is_mostly_right() -> None:
    lie = Lie(BOX)
    what = seen(lie)
    what.number_p[20] = 0.001
    what.number_p[20, BACK] = 0.984
    laid = labelled(lie, what)
    assert wrongly(lie, laid) == []
    assert doubts(laid) == ["blank"]


def test_a_table_in_play_is_no_box_laid_out() -> None:
    table = [
        ["R5", "B5", "K5", "", "K9", "K10", "K11"],
        ["O1", "R1", "B1", "", "B7", "B8", "B9"],
        ["K3", "O3", "R3", "", "O2", "B2", "K2"],
        ["B12", "O12", "R12", "", "R1", "R2", "R3"],
    ]
    lie = Lie(table)
    with pytest.raises(NotLaidOutError) as error:
        labelled(lie, seen(lie))
    assert error.value.code == "not_in_order"


def test_kinds_of_jokers_are_those_told_in_reading_order() -> None:
    lie = Lie([*BOX[:4], ["J", "J", "J", "J"]])
    laid = labelled(lie, seen(lie))
    told = [parse_tile(code) for code in ("J", "JD", "JC", "JM")]
    (named,) = with_joker_kinds([laid], told)
    assert [str(tile.tile) for tile in named.tiles if tile.row == 4] == ["J", "JD", "JC", "JM"]
    (open_kinds,) = with_joker_kinds([laid], told[:3])
    assert doubts(open_kinds) == ["joker_kind"] * 4


# --- told ---------------------------------------------------------------------------------------------------------


def rows_told(*rows: str) -> Told:
    return tuple(tuple(parse_tile(code) for code in row.split()) for row in rows)


def test_rows_that_are_told_may_hold_anything() -> None:
    rows = ["O9 R2 J K13 B1", "K7 JD K7", "R1 R2 R3 JM"]
    lie = Lie([row.split() for row in rows])
    laid = labelled(lie, seen(lie, skill=0.0), as_told(rows_told(*rows)))
    assert wrongly(lie, laid) == []
    assert len(laid.settled) == 12
    assert laid.miscounted == ()


def test_a_row_told_with_another_count_is_reported_and_settled_only_where_the_reader_can() -> None:
    lie = Lie([["R1", "R2", "R4", "R5"], ["B1", "B2", "B3"]])
    told = rows_told("R1 R2 R3 R4 R5", "B1 B2 B3")
    read = labelled(lie, seen(lie), as_told(told))
    assert wrongly(lie, read) == []
    assert len(read.settled) == 7
    assert [(row.row, row.told, row.seen) for row in read.miscounted] == [(0, 5, 4)]
    unread = labelled(lie, seen(lie, skill=0.0), as_told(told))
    assert wrongly(lie, unread) == []
    assert {tile.row for tile in unread.questions} == {0}


def test_a_row_that_is_not_to_be_seen_is_reported() -> None:
    lie = Lie([BOX[0], BOX[2]])
    told = tuple(tuple(parse_tile(code) for code in BOX[k]) for k in (0, 1, 2))
    laid = labelled(lie, seen(lie), as_told(told))
    assert wrongly(lie, laid) == []
    assert len(laid.settled) == 26
    assert [(row.told, row.seen) for row in laid.miscounted] == [(13, 0)]


def test_sets_told_one_by_one_may_lie_side_by_side() -> None:
    lie = Lie([["R1", "R2", "R3", "", "K4", "B4", "O4"], ["B7", "B8", "B9"]])
    laid = labelled(lie, seen(lie), as_told(rows_told("R1 R2 R3", "K4 B4 O4", "B7 B8 B9")))
    assert wrongly(lie, laid) == []
    assert len(laid.settled) == 9


def test_rows_told_are_not_shifted_past_a_reader_who_sees_them_plainly() -> None:
    # as many rows as told, but a lone joker is the first and the last one told lies outside the photo
    lie = Lie([["J", "", "", ""], ["K1", "O1", "R1", "B1"], ["K2", "O2", "R2", "B2"], ["K3", "O3", "R3", "B3"]])
    told = rows_told("K1 O1 R1 B1", "K2 O2 R2 B2", "K3 O3 R3 B3", "K4 O4 R4 B4")
    laid = labelled(lie, seen(lie), as_told(told))
    assert wrongly(lie, laid) == []
    assert len(laid.settled) == 12
    assert {(row.told, row.seen) for row in laid.miscounted} == {(0, 1), (4, 0)}


def test_a_slip_in_what_was_told_is_a_question() -> None:
    lie = Lie([BOX[0], BOX[1]])
    told = [[parse_tile(code) for code in BOX[k]] for k in (0, 1)]
    told[0][4], told[0][5] = told[0][5], told[0][4]
    told[1][8] = parse_tile("B6")
    laid = labelled(lie, seen(lie), as_told(tuple(map(tuple, told))))
    assert wrongly(lie, laid) == []
    assert [(tile.row, tile.place) for tile in laid.questions] == [(0, 4), (0, 5), (1, 8)]
    assert doubts(laid) == ["out_of_order"] * 3


def test_colours_told_the_wrong_way_round_are_questions() -> None:
    lie = Lie([BOX[0], BOX[1], BOX[2], BOX[3]])
    told = tuple(tuple(parse_tile(code) for code in BOX[k]) for k in (1, 0, 2, 3))
    laid = labelled(lie, seen(lie), as_told(told))
    assert wrongly(lie, laid) == []
    assert doubts(laid) == ["other_colour"] * 26
    assert len(laid.settled) == 26


def test_what_was_told_of_another_photo_is_refused() -> None:
    lie = Lie([["R1", "R2", "R3"], ["B7", "B8", "B9"]])
    with pytest.raises(NotLaidOutError) as caught:
        labelled(lie, seen(lie), as_told(rows_told("R4 R9 R12", "B1 B13 B2")))
    assert caught.value.code == "not_as_told"


# --- pixels -------------------------------------------------------------------------------------------------------


def test_a_face_without_print_is_blank_however_tiny_the_print_of_the_others_is() -> None:
    crops = np.full((6, 64, 48, 3), 225, np.uint8)
    for k in range(5):
        crops[k, 20:27, 22:27] = (60, 60, 160)
    assert looks_of(crops).blank.tolist() == [False] * 5 + [True]


def test_columns_are_found_through_gaps() -> None:
    lie = Lie([BOX[0], [BOX[1][k] if k % 3 == 0 else "" for k in range(13)]], gap=0.5)
    rows = rows_of(lie.quads(), np.ones(18))
    assert column_step(rows) == pytest.approx(1.5, abs=0.05)
    assert len(looks(lie).blank) == 18
