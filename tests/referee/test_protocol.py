"""The turn protocol by itself: clocks, calls, the bell, and what a look at a still table leads to."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee import protocol
from referee.game.commands import Deal, NameStarter, StartGame
from referee.game.decide import GameError, decide
from referee.game.state import State, replay
from referee.notation import parse_table
from referee.preset_files import load_ruleset, preset_names
from referee.protocol import Next, SeenTable, Stage, Turn, TurnClock
from referee.ruleset import SWITCHES, RuleSet, ruleset_from
from tests.referee.strategies import noted_tables

OPENING = "R9 R10 R11 R12 R13"
RULES = load_ruleset()


def changed(**switches: object) -> RuleSet:
    return ruleset_from("other", {key: getattr(RULES, key) for key in SWITCHES} | switches)


def dealt(ruleset: RuleSet = RULES) -> State:
    """A game in which seat 0 is about to move."""
    state = State()
    for command in (StartGame(("Ann", "Bob")), NameStarter(0), Deal()):
        state = replay(decide(state, command, ruleset), state)
    return state


def seen(text: str, captured_at: float, **told: object) -> SeenTable:
    return replace(SeenTable(parse_table(text), captured_at, captured_at), **told)  # type: ignore[arg-type]


def called(at: float = 30.0, ruleset: RuleSet = RULES) -> Turn:
    game = dealt(ruleset)
    return protocol.call(protocol.begin(game, ruleset, 0.0), game, ruleset, at)


# --- the clock --------------------------------------------------------------------------------------------------------


def test_a_clock_that_stands_still_measures_nothing() -> None:
    clock = TurnClock(10.0).stopped(30.0).going_on(50.0)
    time = clock.measured(60.0)
    assert time is not None
    assert (time.elapsed_s, time.paused_s, time.used_s) == (50.0, 20.0, 30.0)
    assert clock.stopped(70.0).stopped(80.0).measured(90.0).used_s == 40.0  # type: ignore[union-attr]
    assert TurnClock().measured(5.0) is None


@given(st.lists(st.floats(0, 100), min_size=1, max_size=8))
def test_used_time_is_the_time_that_the_clock_ran(steps: list[float]) -> None:
    clock, now, ran, runs = TurnClock(0.0), 0.0, 0.0, True
    for step in steps:
        now += step
        ran += step if runs else 0.0
        clock = clock.stopped(now) if runs else clock.going_on(now)
        runs = not runs
    time = clock.measured(now)
    assert time is not None
    assert time.used_s == pytest.approx(ran, abs=1e-6)


def test_the_limit_of_each_clock() -> None:
    assert protocol.limit_s(Turn(Stage.PLAY), dealt(), RULES) == 60
    longer = changed(extension_s=30)
    assert protocol.limit_s(Turn(Stage.PLAY, TurnClock(0.0, extended=True)), dealt(longer), longer) == 90
    chess = load_ruleset("mso")
    assert protocol.limit_s(Turn(Stage.PLAY), dealt(chess), chess) == chess.time_s + chess.increment_s
    untimed = changed(time_unopened=False)
    assert protocol.limit_s(Turn(Stage.PLAY), dealt(untimed), untimed) is None
    assert protocol.left_s(Turn(Stage.PLAY, TurnClock(0.0)), dealt(), RULES, 70.0) == 0.0


@pytest.mark.parametrize("preset", preset_names())
def test_the_bell_rings_when_the_time_is_over_and_the_log_takes_the_turn(preset: str) -> None:
    ruleset = load_ruleset(preset)
    game = dealt(ruleset)
    turn = protocol.begin(game, ruleset, 0.0)
    if turn.stage is Stage.READY:
        turn = protocol.start_clock(turn, 0.0)
    limit = protocol.limit_s(turn, game, ruleset)
    assert limit is not None
    assert protocol.tick(turn, game, ruleset, limit - 0.01).stage is Stage.PLAY
    rung = protocol.tick(turn, game, ruleset, limit + 0.01)
    assert rung.stage is Stage.BELL
    looked = protocol.look(rung, game, ruleset, seen("", limit + 1, untouched=True), limit + 1)
    assert looked.next is Next.RECORD
    assert looked.ruled is not None
    assert decide(game, looked.ruled.command, ruleset)


def test_a_call_after_the_time_is_the_bells() -> None:
    assert called(61.0).stage is Stage.BELL


# --- a call and a look --------------------------------------------------------------------------------------------


def test_a_look_from_before_the_call_counts_for_nothing() -> None:
    looked = protocol.look(called(30.0), dealt(), RULES, seen(OPENING, 30.0), 31.0)
    assert (looked.next, looked.turn.stage) == (Next.WAIT, Stage.CALLED)
    assert protocol.look(called(30.0), dealt(), RULES, seen(OPENING, 30.1), 31.0).next is Next.RECORD


@pytest.mark.parametrize(
    ("text", "told", "following"),
    [
        (OPENING, {}, Next.RECORD),
        ("R9 R10 R12", {}, Next.FIX),
        ("R6/R9 R10 R11 R12", {"may_ask": True}, Next.ASK),
        (OPENING, {"must_ask": True}, Next.ASK),
        ("R9 R10 R12", {"must_ask": True}, Next.ASK),
        ("R9 R10 R12 R1/R7", {"may_ask": True}, Next.FIX),
        ("", {"untouched": True}, Next.RECORD),
    ],
)
def test_what_a_look_leads_to(text: str, told: dict[str, bool], following: Next) -> None:
    looked = protocol.look(called(), dealt(), RULES, seen(text, 40.0, **told), 41.0)
    assert looked.next is following


def test_an_illegal_table_without_time_left_is_no_longer_mended() -> None:
    turn = called(59.9)
    looked = protocol.look(turn, dealt(), RULES, seen("R9 R10 R12", 70.0), 70.0)
    assert looked.next is Next.FIX  # the clock stood still while the table was waited for
    rung = protocol.tick(looked.turn, dealt(), RULES, 70.2)
    assert rung.stage is Stage.BELL
    assert rung.ruled is None


def test_who_passes_with_a_broken_table_does_not_mend_it() -> None:
    game = dealt()
    turn = protocol.call(protocol.begin(game, RULES, 0.0), game, RULES, 30.0, passes=True)
    assert protocol.look(turn, game, RULES, seen("R9 R10 R12", 40.0), 40.0).next is Next.RECORD


@given(noted_tables, st.booleans(), st.booleans())
def test_any_look_is_answered_and_nothing_legal_is_recorded_in_doubt(
    table: object, must_ask: bool, may_ask: bool
) -> None:
    look = SeenTable(table, 40.0, 40.0, must_ask=must_ask, may_ask=may_ask)  # type: ignore[arg-type]
    try:
        looked = protocol.look(called(), dealt(), RULES, look, 41.0)
    except GameError:
        return
    assert looked.next is not Next.WAIT
    if must_ask:
        assert looked.next is Next.ASK
    if looked.next is Next.RECORD:
        assert looked.ruled is not None
        assert decide(dealt(), looked.ruled.command, RULES)


def test_tidying_is_measured_from_its_beginning_to_when_the_table_lay_still() -> None:
    ruleset = changed(late_tidy="allowed", tidy_s=15)
    game = dealt(ruleset)
    rung = protocol.tick(protocol.begin(game, ruleset, 0.0), game, ruleset, 60.5)
    looked = protocol.look(rung, game, ruleset, seen("R9 R10 R12", 63.0), 63.0)
    assert looked.next is Next.TIDY
    assert protocol.tidy_until(looked.turn, ruleset) == 78.0
    paused = protocol.resume(protocol.pause(looked.turn, 70.0), 100.0, paused_at=70.0)
    assert protocol.tidy_until(paused, ruleset) == 108.0
    ended = protocol.tick(looked.turn, game, ruleset, 78.0)
    assert ended.stage is Stage.TIDIED
    slow = protocol.end_command(ended, game, seen(OPENING, 90.0, still_since=89.0), 90.0)
    assert slow.ending.tidy_s == 26.0
    quick = protocol.end_command(ended, game, seen(OPENING, 80.0, still_since=79.5), 80.0)
    assert quick.ending.tidy_s == 15.0  # a hand that leaves the table is no tidying


@pytest.mark.parametrize(
    "act",
    [
        lambda turn: protocol.take_back(turn, 1.0),
        lambda turn: protocol.start_clock(turn, 1.0),
        lambda turn: protocol.resume(turn, 1.0, 0.5),
        protocol.conclude,
        lambda turn: protocol.extend(turn, dealt(), RULES),
        lambda turn: protocol.call(replace(turn, stage=Stage.RESTORE), dealt(), RULES, 1.0),
        lambda turn: protocol.call(replace(turn, stage=Stage.CALLED), dealt(), RULES, 1.0),
        lambda turn: protocol.pause(replace(turn, paused=True), 1.0),
    ],
)
def test_what_does_not_fit_the_stage_is_refused(act: object) -> None:
    with pytest.raises(GameError):
        act(protocol.begin(dealt(), RULES, 0.0))  # type: ignore[operator]


# --- the table that must lie there --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wanted", "lying", "same"),
    [
        ("R5 R6 R7 | K1 B1 O1", "O1 B1 K1 | R5 R6 R7", True),
        ("R5 R6 R7", "R5 R6/R9 R7", True),
        ("R5 R6 R7", "R5 R9/R8 R7", False),
        ("R5 R6 R7", "R5 ? R7", False),
        ("R5 R6 R7", "R5 R6", False),
        ("R5 R6 R7", "R5 R6 R7 | K1", False),
        ("", "", True),
        ("R6 R9 R9", "R6/R9 R6/R9 R9", True),
    ],
)
def test_a_table_lies_as_wanted(wanted: str, lying: str, same: bool) -> None:
    assert protocol.lies_as(parse_table(wanted), parse_table(lying)) is same
