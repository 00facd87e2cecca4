"""The solver against a brute force that shares nothing with it, and what holds of every answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.preset_files import load_ruleset
from referee.ruleset import RuleSet
from referee.sets import judge_set
from referee.solver.plays import (
    Aim,
    Play,
    SpecialJokersError,
    arrange,
    best_opening,
    best_play,
    gentle_play,
    without_special,
)
from referee.tiles import Colour, Tile, parse_tile
from tests.referee.solver_oracle import BruteForce, highest_opening, most
from tests.referee.strategies import JOKER

RULES = load_ruleset()


def tiles(text: str) -> list[Tile]:
    return [parse_tile(code) for code in text.split()]


def codes(sets: Sequence[Sequence[Tile]]) -> list[str]:
    return [" ".join(map(str, one)) for one in sets]


@dataclass(frozen=True)
class State:
    """Rules, a table and a rack small enough for the brute force."""

    rules: RuleSet
    table: list[list[Tile]]
    rack: list[Tile]


house_rules = st.builds(
    lambda **switches: replace(RULES, regular_jokers=8, **switches),
    wrap_13_1=st.sampled_from([False, False, True]),
    min_set_length=st.sampled_from([3, 3, 4]),
    jokers_per_set_max=st.sampled_from([13, 13, 1, 2]),
    jokers_adjacent=st.sampled_from([True, True, False]),
    joker_for_exhausted_tile=st.sampled_from([True, True, False]),
    open_joker_allowed=st.sampled_from([True, True, False]),
    copies_per_tile=st.integers(1, 4),
)


@st.composite
def hands(draw: st.DrawFn, rules: RuleSet, most_tiles: int) -> list[Tile]:
    """Tiles of a few neighbouring numbers and colours, no more copies than the box holds, and some jokers."""
    start = draw(st.integers(0, 12))
    numbers = [(start + k) % 13 + 1 for k in range(draw(st.integers(1, 5)))]
    colours = draw(st.lists(st.sampled_from(Colour), min_size=1, max_size=4, unique=True))
    faces = [Tile(colour=colour, number=number) for colour in colours for number in numbers]
    jokers = draw(st.sampled_from([0, 0, 1, 1, 2, 2, 3]))
    box = [tile for tile in faces for _ in range(rules.copies_per_tile)]
    return draw(st.permutations(box))[: most_tiles - jokers] + [JOKER] * jokers


@st.composite
def states(draw: st.DrawFn) -> State:
    rules = draw(house_rules)
    held = draw(hands(rules, 9))
    held = draw(st.permutations(held))
    size = draw(st.integers(0, len(held)))
    lying = arrange(held[:size], rules)
    if lying is None or draw(st.integers(0, 9)) == 0:
        return State(rules, [held[:size]] if size else [], held[size:])  # mostly no table that can stand
    return State(rules, [list(one) for one in lying], held[size:])


def check_sets(sets: Sequence[Sequence[Tile]], rules: RuleSet) -> None:
    """Every set is legal as laid, without a note, whatever is in sight on this table."""
    lying = Counter(tile for one in sets for tile in one)
    full = frozenset(tile for tile, count in lying.items() if not tile.is_joker and count >= rules.held(tile))
    for one in sets:
        ruling = judge_set(one, rules, full)
        assert ruling.legal, (codes([one]), ruling.findings)
        assert not ruling.findings, (codes([one]), ruling.findings)


def face_value(joker_value: int, laid: Sequence[Tile]) -> int:
    return sum(joker_value if tile.number is None else tile.number for tile in laid)


@given(states())
@settings(max_examples=60)
def test_all_tiles_are_arranged_where_the_brute_force_can(state: State) -> None:
    held = [*state.rack, *(tile for one in state.table for tile in one)]
    sets = arrange(held, state.rules)
    assert (sets is not None) == (BruteForce(held, state.rules).value(held) is not None)
    if sets is not None:
        assert Counter(tile for one in sets for tile in one) == Counter(held)
        check_sets(sets, state.rules)


@given(states(), st.sampled_from([(Aim.TILES, 0), (Aim.VALUE, 0), (Aim.VALUE, 30), (Aim.VALUE, 5)]))
@settings(max_examples=60)
def test_no_play_beats_the_best_play(state: State, sought: tuple[Aim, int]) -> None:
    aim, joker_value = sought
    lying = [tile for one in state.table for tile in one]
    play = best_play(state.table, state.rack, state.rules, aim, joker_value)
    expected = most(
        lying, state.rack, state.rules, len if aim is Aim.TILES else lambda laid: face_value(joker_value, laid)
    )
    assert (play is None) == (expected is None)
    gentle = gentle_play(state.table, state.rack, state.rules, aim, joker_value)
    assert (gentle is None) == (play is None)
    if play is not None and gentle is not None:
        for one in (play, gentle.play):
            assert (len(one.laid) if aim is Aim.TILES else one.value) == expected
            check_play(one, state, joker_value)
        untouched = [tuple(state.table[i]) for i in gentle.untouched]
        assert gentle.play.sets[: len(untouched)] == tuple(untouched)


def check_play(play: Play, state: State, joker_value: int) -> None:
    lying = Counter(tile for one in state.table for tile in one)
    assert play.value == face_value(joker_value, play.laid)
    assert Counter(tile for one in play.sets for tile in one) == lying + Counter(play.laid)
    assert not Counter(play.laid) - Counter(state.rack)
    check_sets(play.sets, state.rules)


@given(states())
@settings(max_examples=60)
def test_no_opening_beats_the_best_opening(state: State) -> None:
    opening = best_opening(state.rack, state.rules)
    assert opening.value == highest_opening(state.rack, state.rules)
    laid = Counter(tile for one in opening.sets for tile in one)
    assert not laid - Counter(state.rack)
    check_sets(opening.sets, state.rules)
    assert sum(judge_set(one, state.rules).value or 0 for one in opening.sets) == opening.value


@given(states(), st.data())
@settings(max_examples=40)
def test_neither_the_order_nor_the_rotation_of_what_is_given_matters(state: State, data: st.DataObject) -> None:
    play = best_play(state.table, state.rack, state.rules)
    rack = data.draw(st.permutations(state.rack))
    table = data.draw(st.permutations([list(reversed(one)) for one in state.table]))
    assert best_play(table, rack, state.rules) == play, "the very same play, not only one as good"
    assert best_opening(rack, state.rules) == best_opening(state.rack, state.rules)


@settings(max_examples=40)
@given(states(), st.sampled_from(Colour), st.integers(1, 13))
def test_a_larger_rack_never_lays_less(state: State, colour: Colour, number: int) -> None:
    open_rules = replace(state.rules, joker_for_exhausted_tile=True)
    more = [*state.rack, Tile(colour=colour, number=number)]
    play, larger = best_play(state.table, state.rack, open_rules), best_play(state.table, more, open_rules)
    if play is not None:
        assert larger is not None
        assert len(larger.laid) >= len(play.laid)
    assert best_opening(more, open_rules).value >= best_opening(state.rack, open_rules).value


@pytest.mark.parametrize(
    ("held", "possible"),
    [
        ("", True),
        ("R5 R6 R7 J", True),  # a joker at the end of a run
        ("R8 B8 K8 J", True),  # a joker in a group of four
        ("R8 B8 K8 O8 J", False),  # a full group has no place for a joker
        ("R8 B8 K8 O8 R8 B8 K8 O8 J", True),
        ("R8 B8 K8 O8 R8 B8 K8 J", True),
        ("B5 B5 B7 B7 J J", True),  # the same run twice
        ("R5 R5 R6 R6 R7 R7", True),
        ("R5 R6 R7 R5 R6 R7 J B6 K6", True),  # a joker stands for a tile of which both copies lie on the table
        ("J J J", True),
        ("J J", False),
        ("J J R1", True),
        ("R12 R13 R1", False),
        ("R12 R13 J", True),
    ],
)
def test_what_went_wrong_in_other_solvers(held: str, possible: bool) -> None:
    sets = arrange(tiles(held), RULES)
    assert (sets is not None) == possible
    check_sets(sets or (), RULES)


def test_three_runs_of_one_colour_over_one_number() -> None:
    whole = [Tile(colour=Colour.BLACK, number=number) for number in range(1, 14)]
    sets = arrange([*whole, *whole, JOKER], RULES)
    assert sets is not None
    assert sum(len(one) for one in sets) == 27
    sets = arrange(tiles("K1 K2 K3 K2 K3 K4 J K4 K5"), RULES)
    assert sets is not None


def test_a_run_goes_over_13_where_that_is_allowed() -> None:
    wrap = replace(RULES, wrap_13_1=True)
    assert arrange(tiles("R13 R1 R12"), wrap) == (tuple(tiles("R12 R13 R1")),)
    circle = [Tile(colour=Colour.RED, number=number) for number in range(1, 14)]
    for copies in (1, 2):
        sets = arrange(circle * copies, wrap)
        assert sets is not None
        check_sets(sets, wrap)


def test_most_tiles_and_most_value_differ() -> None:
    table = [tiles("R5 R6 R7")]
    rack = tiles("B1 B2 B3 B4 K4 O4 K13 O13 B13 R1 K1 O1")
    most = best_play(table, rack, RULES)
    dearest = best_play(table, rack, RULES, Aim.VALUE)
    assert most is not None
    assert dearest is not None
    assert len(most.laid) >= len(dearest.laid)
    assert dearest.value >= most.value


def test_a_joker_is_worth_what_it_is_said_to_be() -> None:
    table, rack = [tiles("R1 R2 R3")], tiles("J")
    play = best_play(table, rack, RULES, Aim.VALUE, 30)
    assert play is not None
    assert (play.laid, play.value) == ((JOKER,), 30)
    worthless = best_play(table, rack, RULES, Aim.VALUE, 0)
    assert worthless is not None
    assert worthless.value == 0


def test_a_table_that_cannot_stand_has_no_play() -> None:
    assert best_play([tiles("R5 R6")], tiles("B1 B2 B3"), RULES) is None
    completed = best_play([tiles("R5 R6")], tiles("R7 B1"), RULES)
    assert completed is not None
    assert completed.laid == tuple(tiles("R7"))


@pytest.mark.parametrize(
    ("rack", "value"),
    [
        ("R5 B5 K5 R6 R7", 18),
        ("R5 B5 K5 R5 R6 R7", 33),
        ("R8 B8 K8 J", 32),
        ("J J R13", 39),
        ("R1 R2 J", 6),
        ("R1 B5 K9", 0),
        ("J J J", 39),
        ("R4 R5 R6 R7 R8 R9 R10", 49),
        ("R1 R2 R3 K1 K2 K3 O1 B1", 12),
        ("R10 R10 B10 B10 K10 K10", 60),  # equal numbers count, not distinct ones
    ],
)
def test_the_best_opening(rack: str, value: int) -> None:
    assert best_opening(tiles(rack), RULES).value == value


def test_the_best_opening_follows_the_switches() -> None:
    held = tiles("R5 J J")
    assert best_opening(held, RULES).value == 18
    assert best_opening(held, replace(RULES, jokers_adjacent=False)).value == 15
    assert best_opening(held, replace(RULES, jokers_per_set_max=1)).value == 0
    assert best_opening(held, replace(RULES, open_joker_allowed=False)).value == 0
    assert best_opening(tiles("R5 R6 R7"), replace(RULES, min_set_length=4)).value == 0
    apart = tiles("R10 R13 B1 J J")
    assert best_opening(apart, RULES).value == 46
    assert best_opening(apart, replace(RULES, jokers_adjacent=False)).value == 39


def test_special_jokers_are_refused() -> None:
    for ask in (
        lambda: arrange(tiles("R5 R6 JD"), RULES),
        lambda: best_play([tiles("R5 R6 JM")], [], RULES),
        lambda: best_play([], tiles("JC"), RULES),
        lambda: best_opening(tiles("JD"), RULES),
    ):
        with pytest.raises(SpecialJokersError, match="is a special joker"):
            ask()
    assert without_special(tiles("R9 JD J JM JC")) == tuple(tiles("R9 J"))


def test_a_gentle_play_leaves_alone_what_it_can() -> None:
    table = [tiles(one) for one in ("R1 R2 R3", "B5 K5 O5", "K7 K8 K9 K10", "O11 O12 O13")]
    gentle = gentle_play(table, tiles("K11 R9"), RULES)
    assert gentle is not None
    assert gentle.untouched == (0, 1, 3)
    assert gentle.play.laid == tuple(tiles("K11"))
    crossed = [tiles(one) for one in ("R4 R5 R6", "B4 B5 B6", "K4 K5 K6")]  # three runs that are also three groups
    still = gentle_play(crossed, tiles("O13"), RULES)
    assert still is not None
    assert still.untouched == (0, 1, 2)


@pytest.mark.parametrize("copies", [2, 4])
def test_a_whole_box_is_arranged(copies: int) -> None:
    rules = replace(RULES, boxes=copies // 2)
    box = [Tile(colour=colour, number=number) for colour in Colour for number in range(1, 14)] * copies
    sets = arrange([*box, *[JOKER] * copies], rules)
    assert sets is not None
    assert Counter(tile for one in sets for tile in one) == Counter(box) + Counter({JOKER: copies})
    check_sets(sets, rules)
