"""The smallest repair of an illegal table, against trying every way to move few tiles."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations, product

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from referee.notation import format_table, parse_rack, parse_table, sure
from referee.preset_files import load_ruleset
from referee.ruleset import RuleSet
from referee.sets import judge_set
from referee.solver import repair as search
from referee.solver.repair import Repair, repair
from referee.solver.special import arrange_one_set
from referee.switches import RowOrder
from referee.tiles import Colour, Joker, Tile
from tests.referee.strategies import rulesets

RULES = load_ruleset()
TWIST = load_ruleset("twist-pl")
Table = list[list[Tile]]

TWENTY = (
    "R1-4 | B1-4 | K1-4 | O1-4 | R5 B5 K5 | R6 B6 O6 | R7-10 | B7-10 | K7-10 | O7-10 | R11 B11 K11 O11 | R12 B12 K12 | "
    "R13 B13 O13 | R1 B1 K1 | R2 B2 K2 O2 | R3-5 | B6-9 | K10-13 | O4-6 | R9 B9 K9 O9"
)


def read(text: str) -> Table:
    return [[tile for place in places if (tile := place.tile)] for places in parse_table(text)]


def told(found: Repair | None) -> tuple[list[str], str]:
    """The moves as ``tile from>to`` and the table afterwards."""
    assert found is not None
    assert found.fewest
    moves = [f"{move.tile} {move.from_set}>{'off' if move.to_set is None else move.to_set}" for move in found.moves]
    return moves, format_table([sure(*one) for one in found.table], shorten=True)


@pytest.mark.parametrize(
    ("text", "removable", "moves", "after"),
    [
        ("R5-7 | B7 R7 O7", None, [], "R5-7 | B7 R7 O7"),
        ("R5-7 K7 | B7 R7 O7", None, ["K7 0>1"], "R5-7 | R7 B7 K7 O7"),
        ("R5-7 K9 | B7 R7 O7", None, ["K9 0>off"], "R5-7 | B7 R7 O7"),
        ("R5 R6 | R7-10", None, ["R7 1>0"], "R5-7 | R8-10"),
        ("R5 R6 | R7-9", None, ["R5 0>1", "R6 0>1"], "R5-9"),
        ("R4 | R5-7", None, ["R4 0>1"], "R4-7"),
        ("R5-7 K5 B5 O5", None, ["R6 0>off", "R7 0>off"], "R5 B5 K5 O5"),
        ("R5-7 K5 B5 O5", "", ["R5 0>1", "R6 0>1", "R7 0>1"], "B5 K5 O5 | R5-7"),
        ("R5 R6 R6 R7", None, ["R6 0>off"], "R5-7"),
        ("R5-7 K9 | B7 R7 O7", "K9", ["K9 0>off"], "R5-7 | B7 R7 O7"),
        ("R5 J R8 | B7 R7 K7 O7", None, ["R7 1>0"], "R5 J R7 R8 | B7 K7 O7"),
        ("K7 R7 | B7 O7", None, ["R7 0>1", "K7 0>1"], "R7 B7 K7 O7"),
        ("R7 B7 K7 O7 J | B1-3", None, ["J 0>1"], "R7 B7 K7 O7 | B1-3 J"),
    ],
)
def test_the_smallest_repair(text: str, removable: str | None, moves: list[str], after: str) -> None:
    may_leave = None if removable is None else [tile for place in parse_rack(removable) if (tile := place.tile)]
    assert told(repair(read(text), RULES, may_leave)) == (moves, after)


@pytest.mark.parametrize(
    ("text", "moves", "after"),
    [
        ("R5 R6 JM R6 | R5 B5 K5 O5", ["R5 1>0"], "R5 R6 JM R6 R5 | B5 K5 O5"),
        ("R5 JD R8 K8 | B8 O8 J", ["K8 0>1"], "R5 JD R8 | B8 K8 O8 J"),
        ("R6 JC R8 | B8 K8 O8", ["R8 0>1", "B8 1>0"], "R6 JC B8 | R8 K8 O8"),
    ],
)
def test_repairs_of_sets_with_special_jokers(text: str, moves: list[str], after: str) -> None:
    assert told(repair(read(text), TWIST)) == (moves, after)


def test_a_scrambled_row_is_put_in_order_where_the_rules_ask_for_it() -> None:
    assert told(repair(read("R7 R5 R6"), replace(RULES, row_order=RowOrder.ILLEGAL))) == ([], "R5-7")
    assert told(repair(read("R7 R5 R6"), RULES)) == ([], "R7 R5 R6")


def test_what_may_leave_leaves_once_for_each_time_it_is_named() -> None:
    table = read("R1 R2 R3 R1 | B1 B2 B3 R1")
    one, two = [Tile(colour=Colour.RED, number=1)], [Tile(colour=Colour.RED, number=1)] * 2
    assert told(repair(table, RULES, two))[0] == ["R1 0>off", "R1 1>off"]
    assert repair(table, RULES, one) is None


def test_a_repair_that_nobody_has_shown_to_be_the_smallest_says_so() -> None:
    found = repair(read("R5-7 | K1 K3 B9 O2 | R1 B3"), RULES, most_moves=2)
    assert found is not None
    assert (found.fewest, len(found.moves)) == (False, 6)
    assert found.table == tuple(tuple(one) for one in read("R5-7"))
    assert repair(read("R5-7 | K1 K3 B9 O2 | R1 B3"), RULES, (), most_moves=2) is None


def test_a_search_that_grew_too_large_is_not_taken_for_an_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    table = read(TWENTY + " | R8 R9 | K8 O13")
    assert told(repair(table, RULES))[0]
    monkeypatch.setattr(search, "MOST_STEPS", 20)
    found = repair(table, RULES)
    assert found is not None
    assert not found.fewest


def test_of_twins_each_moves_from_its_own_place() -> None:
    found = repair(read("R7 B7 K7 R7 | R4-6 | R8-10 R7"), RULES, ())
    assert found is not None
    assert len({move.place for move in found.moves}) == len(found.moves)
    tiles = [tile for one in read("R7 B7 K7 R7 | R4-6 | R8-10 R7") for tile in one]
    assert all(tiles[move.place] == move.tile for move in found.moves)


def legal(content: Sequence[Tile], rules: RuleSet) -> bool:
    return not content or arrange_one_set(content, rules) is not None


def ways(table: Table, moving: Sequence[tuple[int, Tile]]) -> Iterator[tuple[Table, int]]:
    """Every table that moving these tiles can lead to, and how many tiles went off."""
    off = len(table) + len(moving)
    for targets in product(range(off + 1), repeat=len(moving)):
        if all(target != home for target, (home, _) in zip(targets, moving, strict=True)):
            after = [list(one) for one in table] + [[] for _ in range(len(moving) + 1)]
            for target, (home, tile) in zip(targets, moving, strict=True):
                after[home].remove(tile)
                after[target].append(tile)
            yield after[:off], len(after[off])


def fewest_moves(table: Table, rules: RuleSet, most: int) -> tuple[int, int] | None:
    """The oracle: the fewest moves and, of these, the fewest tiles off; None where ``most`` moves are not enough."""
    tiles = [(home, tile) for home, one in enumerate(table) for tile in one]
    for moves in range(most + 1):
        offs = [
            off
            for moving in combinations(tiles, moves)
            for after, off in ways(table, moving)
            if all(legal(one, rules) for one in after)
        ]
        if offs:
            return moves, min(offs)
    return None


JOKER = Tile(joker=Joker.REGULAR)
few_tiles = st.one_of(
    st.builds(Tile, colour=st.sampled_from([Colour.RED, Colour.BLUE, Colour.BLACK]), number=st.integers(5, 8)),
    st.builds(Tile, colour=st.sampled_from([Colour.RED, Colour.BLUE, Colour.BLACK]), number=st.integers(5, 8)),
    st.builds(Tile, colour=st.sampled_from(Colour), number=st.just(7)),
    st.sampled_from([JOKER, JOKER, Tile(joker=Joker.DOUBLE), Tile(joker=Joker.MIRROR)]),
)


@settings(max_examples=30)
@given(st.lists(st.lists(few_tiles, min_size=1, max_size=5), min_size=1, max_size=3), rulesets)
@example(read("R5 R6 | R7 R8 | K4"), RULES)
@example(read("R5 J K7 | B7 R7 | R6"), RULES)
def test_no_repair_is_smaller(table: Table, rules: RuleSet) -> None:
    most = 3 if sum(len(one) for one in table) <= 8 else 2
    found = repair(table, rules, most_moves=most)
    assert found is not None, "any tile may leave"
    expected = fewest_moves(table, rules, most)
    assert found.fewest == (expected is not None)
    if expected:
        assert (len(found.moves), sum(move.to_set is None for move in found.moves)) == expected
    assert all(judge_set(one, rules).legal for one in found.table)
    gone = Counter(move.tile for move in found.moves if move.to_set is None)
    left = Counter(tile for one in found.table for tile in one)
    assert left + gone == Counter(tile for one in table for tile in one)
