"""One set with jokers of any kind, and openings that use special jokers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations, permutations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from referee.notation import parse_rack
from referee.preset_files import load_ruleset
from referee.ruleset import RuleSet
from referee.sets import judge_set
from referee.solver.plays import best_opening
from referee.solver.special import (
    MOST_SPECIAL,
    arrange_one_set,
    best_opening_of_any,
    lay_one_set,
    sets_with_special_jokers,
)
from referee.tiles import Colour, Joker, Tile

TWIST = load_ruleset("twist-pl")
RULES = load_ruleset()
JOKERS = [Tile(joker=kind) for kind in Joker]
HOUSE_RULES = st.builds(
    replace,
    st.just(TWIST),
    wrap_13_1=st.booleans(),
    min_set_length=st.sampled_from([3, 4]),
    jokers_per_set_max=st.sampled_from([1, 2, 13]),
    special_jokers_per_set_max=st.sampled_from([1, 13]),
    jokers_adjacent=st.booleans(),
    double_at_ends=st.booleans(),
    double_in_group=st.booleans(),
    colour_changes_per_run=st.sampled_from([1, 2]),
    mirror_side_least=st.sampled_from([1, 2]),
    mirror_in_group=st.booleans(),
)


def tiles(text: str) -> list[Tile]:
    return [tile for place in parse_rack(text) if (tile := place.tile)]


@st.composite
def near_sets(draw: st.DrawFn, most: int = 6) -> list[Tile]:
    """Tiles of one or two colours around one number, among them jokers of every kind."""
    base = draw(st.integers(1, 13))
    first, second, *_ = draw(st.permutations(list(Colour)))
    numbers = st.integers(-2, 3).map(lambda step: (base + step - 1) % 13 + 1)
    run = st.builds(Tile, colour=st.sampled_from([first, first, first, second]), number=numbers)
    group = st.builds(Tile, colour=st.sampled_from(Colour), number=st.just(base))
    plain = draw(st.sampled_from([run, group]))
    return draw(st.lists(st.one_of(plain, plain, st.sampled_from(JOKERS)), min_size=3, max_size=most))


def best_order(held: Sequence[Tile], rules: RuleSet) -> int | None:
    """The oracle: the highest value of any order that is legal without a note."""
    rulings = [judge_set(order, rules) for order in set(permutations(held))]
    return max((one.value for one in rulings if one.legal and not one.findings and one.value is not None), default=None)


@settings(max_examples=35)
@given(near_sets(most=5), HOUSE_RULES)
@example(tiles("JM R5 R6 J R5"), TWIST)
@example(tiles("JC R6 B9 R7 B10"), TWIST)
@example(tiles("J R12 R13"), RULES)
@example(tiles("R13 R1 R2 JD"), replace(TWIST, wrap_13_1=True))
def test_an_order_is_found_exactly_where_there_is_one(held: list[Tile], rules: RuleSet) -> None:
    laid = lay_one_set(held, rules)
    assert (laid.value if laid else None) == best_order(held, rules)
    if laid:
        ruling = judge_set(laid.tiles, rules)
        assert (ruling.legal, ruling.findings, ruling.value) == (True, (), laid.value)
        assert Counter(laid.tiles) == Counter(held)


@pytest.mark.parametrize(
    ("text", "laid"),
    [
        ("R12 J R13", "J R12 R13"),
        ("R7 J J", "R7 J J"),
        ("R4 R3 JD R7", "R3 R4 JD R7"),
        ("JC B9 R6 R7", "R6 R7 JC B9"),
        ("JM R5 R5 R6 R6 R7 R7", "R5 R6 R7 JM R7 R6 R5"),
        ("R7 B7 R7 B7 JM", "R7 B7 JM B7 R7"),
        ("R1-13", "R1-13"),
        ("R1-13 J", None),
        ("R7 B7 K7 O7 J", None),
        ("R7 R7 B7", None),
        ("JM JM R7 R7", None),
        ("R7 J", None),
        ("", None),
        ("R5 JM R6 J", None),
    ],
)
def test_reading_orders(text: str, laid: str | None) -> None:
    assert arrange_one_set(tiles(text), TWIST) == (None if laid is None else tuple(tiles(laid)))


@settings(max_examples=25)
@given(near_sets(most=6), HOUSE_RULES)
@example(tiles("R5 R6 JD JC B9 JM R5"), TWIST)
def test_a_rack_s_sets_with_special_jokers_are_all_found(rack: list[Tile], rules: RuleSet) -> None:
    found = {frozenset(Counter(one.tiles).items()): one.value for one in sets_with_special_jokers(rack, rules)}
    expected = {}
    for size in range(3, len(rack) + 1):
        for held in combinations(rack, size):
            laid = lay_one_set(held, rules) if any(tile.is_special for tile in held) else None
            if laid:
                expected[frozenset(Counter(held).items())] = laid.value
    assert found == expected


def best_by_trying(rack: Counter[Tile], rules: RuleSet) -> int:
    """The oracle: every set of the first tile, or that tile left out."""
    if not rack:
        return 0
    first = min(rack, key=str)
    others = sorted((rack - Counter([first])).elements(), key=str)
    best = best_by_trying(rack - Counter([first]), rules)
    for size in range(2, len(others) + 1):
        for more in {*combinations(others, size)}:
            laid = lay_one_set((first, *more), rules)
            if laid:
                best = max(best, laid.value + best_by_trying(rack - Counter(laid.tiles), rules))
    return best


@settings(max_examples=25)
@given(near_sets(most=6), HOUSE_RULES)
@example(tiles("R9 R10 JD B1 B2 B3 JC"), TWIST)
@example(tiles("R1 R2 R3 JD J B8 B9"), TWIST)
def test_the_best_opening_with_special_jokers(rack: list[Tile], rules: RuleSet) -> None:
    opening = best_opening_of_any(rack, rules)
    if sum(tile.is_special for tile in rack) > MOST_SPECIAL:
        assert opening is None
        return
    assert opening is not None
    assert opening.value == best_by_trying(Counter(rack), rules)
    assert opening.value == sum(judge_set(one, rules).value or 0 for one in opening.sets)
    assert not Counter(tile for one in opening.sets for tile in one) - Counter(rack)
    enough = best_opening_of_any(rack, rules, enough=20)
    assert enough is not None
    assert (enough.value >= 20) == (opening.value >= 20)


def test_an_opening_without_jokers_where_they_are_not_allowed() -> None:
    rules = replace(TWIST, open_joker_allowed=False)
    rack = tiles("R9 R10 JD J B1 B2 B3")
    assert best_opening_of_any(rack, rules) == best_opening(tiles("R9 R10 B1 B2 B3"), rules)
    opening = best_opening_of_any(rack, TWIST)
    assert opening is not None
    assert opening.value == 61, "R9 R10 with both jokers up to 13, and B1-3"
