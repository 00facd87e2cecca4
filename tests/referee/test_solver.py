"""The solver against a brute force that shares nothing with it, and what holds of every answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.preset_files import load_ruleset
from referee.ruleset import RuleSet
from referee.sets import judge_set
from referee.solver.plays import Aim, SpecialJokersError, arrange, best_opening, best_play
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
    wrap_13_1=st.booleans(),
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
    jokers = draw(st.sampled_from([0, 0, 1, 1, 2, 2, 3, 5]))
    box = [tile for tile in faces for _ in range(rules.copies_per_tile)]
    return draw(st.permutations(box))[: most_tiles - jokers] + [JOKER] * jokers


@st.composite
def states(draw: st.DrawFn) -> State:
    rules = draw(house_rules)
    held = draw(hands(rules, 10))
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
    if play is not None:
        assert (len(play.laid) if aim is Aim.TILES else play.value) == expected
        assert play.value == face_value(joker_value, play.laid)
        assert Counter(tile for one in play.sets for tile in one) == Counter(lying) + Counter(play.laid)
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
