"""What goes back where, ticked off; and written tables found again in a picture."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.located import locate
from referee.notation import format_table, parse_table, sure
from referee.restore import RestoreStep, StepKind, restore_steps, ticked
from referee.tiles import Tile
from tests.referee.strategies import any_tiles
from tests.web.fakes import table

sets_of_tiles = st.lists(st.lists(any_tiles, min_size=1, max_size=5), max_size=5)


def steps(wanted: str, lying: str) -> set[tuple[str, str, int | None]]:
    told = restore_steps(parse_table(wanted), parse_table(lying))
    return {(step.kind.value, str(step.tile), step.home_set) for step in told}


@pytest.mark.parametrize(
    ("wanted", "lying", "told"),
    [
        ("R5 R6 R7", "R5 R6 R7", set()),
        ("R5 R6 R7 R8", "R5 R6 R7 | R8", {("move", "R8", 0)}),
        ("R5 R6 R7", "R5 R6 R7 | K1 K2", {("take_off", "K1", None), ("take_off", "K2", None)}),
        ("R5 R6 R7", "R5 R6", {("bring_back", "R7", 0)}),
        ("R5 R6 R7 | B5 K5 O5", "R5 R6 R7 B5 | K5 O5 J", {("move", "B5", 1), ("take_off", "J", None)}),
        ("R5 R6 R7", "", {("bring_back", "R5", 0), ("bring_back", "R6", 0), ("bring_back", "R7", 0)}),
        ("R5 R6 R7 | K1", "R5 R6 R7 K1", {("move", "K1", 1)}),
    ],
)
def test_what_goes_back_where(wanted: str, lying: str, told: set[tuple[str, str, int | None]]) -> None:
    assert steps(wanted, lying) == told


@given(sets_of_tiles, sets_of_tiles)
def test_the_steps_lead_to_the_wanted_table(wanted: list[list[Tile]], lying: list[list[Tile]]) -> None:
    told = restore_steps(tuple(sure(*one) for one in wanted), tuple(sure(*one) for one in lying))
    there = Counter(tile for one in lying for tile in one)
    there -= Counter(step.tile for step in told if step.kind is StepKind.TAKE_OFF)
    there += Counter(step.tile for step in told if step.kind is StepKind.BRING_BACK)
    assert there == Counter(tile for one in wanted for tile in one)
    places = [step.lies_at for step in told if step.lies_at is not None]
    assert len(places) == len(set(places))
    homes = [step.home_at for step in told if step.home_at is not None]
    assert len(homes) == len(set(homes))


@given(sets_of_tiles)
def test_a_table_that_is_right_needs_no_step_in_whatever_order(wanted: list[list[Tile]]) -> None:
    noted = tuple(sure(*one) for one in wanted)
    assert restore_steps(noted, tuple(reversed(noted))) == ()


def test_steps_are_ticked_off_and_new_mistakes_come_last() -> None:
    wanted = parse_table("R5 R6 R7 R8 | K1 K2 K3")
    first = restore_steps(wanted, parse_table("R5 R6 R7 | R8 | K1 K2 K3 O9"))
    later = restore_steps(wanted, parse_table("R5 R6 R7 R8 | K1 K2 | K3 O9"))
    told = [(str(one.step.tile), one.done) for one in ticked(first, later)]
    assert told == [("R8", True), ("O9", False), ("K3", False)]


def test_twins_are_ticked_one_by_one() -> None:
    step = RestoreStep(StepKind.TAKE_OFF, parse_table("R5")[0][0].readings[0], 0, None, None)
    told = ticked([step, replace(step, lies_at=1)], [step])
    assert [one.done for one in told] == [False, True]


# --- written tables in a picture ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "seen", "found"),
    [
        ("R5 R6 R7 | K1 B1 O1", "K1 B1 O1 | R5 R6 R7", 6),
        ("R5 R6 R7", "R7 R6 R5", 3),
        ("R5 R6 R7", "R5 R6/R9 R7", 3),
        ("R5 R6 R7 | K1 B1 O1", "R5 R6 | R7 | K1 B1 O1", 3),
        ("R5 R6 R7", "R5 R6 R8", 0),
        ("R5 R6 R7 | R5 R6 R7", "R5 R6 R7 | R5 R6 R7", 6),
        ("J R6 R7", "J R6 R7", 3),
        ("", "R5 R6 R7", 0),
        ("R5 R6 R7", "R5 ? R7", 0),
    ],
)
def test_the_sets_of_a_written_table_are_found(written: str, seen: str, found: int) -> None:
    located = locate(parse_table(written), table(seen))
    assert located.found == found
    assert located.accepted.noted == parse_table(written)


def test_each_place_has_the_quad_of_its_tile() -> None:
    observation = table("K1 B1 O1 | R7 R6 R5")
    located = locate(parse_table("R5 R6 R7 | K1 B1 O1"), observation)
    read = [str(observation.tiles[i].readings[0].tile) for i in range(6)]
    quads = [tile.quad for tile in observation.tiles]
    assert [read[quads.index(quad)] for quad in located.quads if quad] == "R5 R6 R7 K1 B1 O1".split()


def test_what_the_log_leaves_in_doubt_stays_in_doubt() -> None:
    located = locate(parse_table("R6/R9 B6/B9 K6/K9"), table("R6/R9 B6/B9 K6/K9"))
    assert located.found == 3
    assert not located.accepted.tiles
    assert format_table(located.accepted.noted) == "R6/R9 B6/B9 K6/K9"
