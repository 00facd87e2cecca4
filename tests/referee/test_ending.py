"""Endings, deals, clocks and the pool: the positions of the switches that no seed has, and bad input."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from referee.clock import MoveTime, first_reserve, starts_the_clock, time_move
from referee.deal import decide_start, judge_redeal, next_round_starter, next_seat
from referee.endgame import Duty, drawn, duty, round_over
from referee.ending import Consequence, EndedTurn, Ending, TurnEnd, judge_ending, judge_restoration
from referee.findings import FindingCode
from referee.notation import parse_table
from referee.preset_files import load_ruleset
from referee.ruleset import RuleSet
from referee.ruling import Verdict
from referee.switches import (
    Clock,
    Direction,
    DrawJoker,
    DrawTie,
    LateTidy,
    NextStarter,
    PoolEmpty,
    Redeal,
    Starter,
    TimerStartedBy,
    Unfinished,
)
from referee.tiles import parse_tile
from referee.turn import Player

RULES = load_ruleset()
OPENED = Player(opened=True)


def bell(before: str, at_bell: str, after: str, rules: RuleSet, **told: object) -> EndedTurn:
    ending = Ending(TurnEnd.TIME_UP, parse_table(at_bell), **told)  # type: ignore[arg-type]  # by each test
    return judge_ending(parse_table(before), parse_table(after), OPENED, ending, rules)


def costs(ended: EndedTurn) -> Consequence:
    assert ended.consequence is not None
    return ended.consequence


def test_broken_tiles_may_be_taken_instead() -> None:
    hokkaido = replace(RULES, unfinished=Unfinished.TAKE_BROKEN, overrun_draw=1, overrun_points=50)
    ended = bell("R1-6", "R1 R2 | R3-6", "R1 R2 | R3-6", hokkaido)
    told = costs(ended)
    assert [str(tile) for tile in told.take_broken] == ["R1", "R2"]
    assert (told.restore, told.draw, told.points, told.reason) == (False, 1, 50, FindingCode.UNFINISHED)
    broken = judge_ending(parse_table("R1-6"), parse_table("R1 R2 | R3-6"), OPENED, Ending(TurnEnd.PLAYED), hokkaido)
    assert len(costs(broken).take_broken) == 2


def test_one_tiles_move_after_the_bell() -> None:
    grace = replace(RULES, late_tidy=LateTidy.ONE_MOVE, tidy_penalised=False)
    assert bell("R1-6", "R1-6 | R7", "R1-7", grace).verdict is Verdict.LEGAL
    two = bell("R1-6 | K1-3", "R1-5 | R6 R7 | K1-3", "R1-7 | K1-3", grace)
    assert two.verdict is Verdict.ILLEGAL
    assert bell("R1-6", "R1-6 | R7", "R1-7", replace(grace, tidy_s=10), tidy_s=11.0).verdict is Verdict.ILLEGAL
    assert bell("R1-6", "R1-6 | R7", "R1-7", replace(grace, tidy_s=10), tidy_s=9.0).verdict is Verdict.LEGAL
    assert bell("R1-6", "R1-6 | R7", "R1-7", replace(grace, tidy_help=True), helped=True).verdict is Verdict.LEGAL


def test_only_the_first_overrun_may_cost() -> None:
    once = replace(RULES, draw_each=False)
    assert costs(bell("R1-6", "R1 R2 | R3-6", "R1-6", once, overruns=0)).draw == 3
    assert costs(bell("R1-6", "R1 R2 | R3-6", "R1-6", once, overruns=1)).draw == 0


def test_without_a_clock_or_before_the_opening_the_bell_means_nothing() -> None:
    ending = Ending(TurnEnd.TIME_UP, parse_table("R1-6"))
    untimed = replace(RULES, clock=Clock.NONE)
    assert costs(judge_ending(parse_table("R1-6"), parse_table("R1-7"), OPENED, ending, untimed)).draw == 0
    hokkaido = replace(RULES, time_unopened=False)
    opening = parse_table("R1-6 | K10-12")
    turn = judge_ending(parse_table("R1-6"), opening, Player(opened=False), ending, hokkaido)
    assert (turn.verdict, costs(turn).draw) == (Verdict.LEGAL, 0)


def test_mild_rules_for_passes_and_openings() -> None:
    mild = replace(RULES, pass_broken_penalty=False, illegal_opening_penalty=False)
    passed = judge_ending(parse_table("R1-3"), parse_table("R1 R2 | R3 R4"), OPENED, Ending(TurnEnd.PASSED), mild)
    assert costs(passed).draw == 1
    opening = judge_ending((), parse_table("R1-3"), Player(opened=False), Ending(TurnEnd.PLAYED), mild)
    assert (costs(opening).draw, costs(opening).restore) == (1, True)


def test_a_pass_that_laid_tiles_legally_stands() -> None:
    ended = judge_ending(parse_table("R1-3"), parse_table("R1-4"), OPENED, Ending(TurnEnd.PASSED), RULES)
    assert (ended.verdict, costs(ended)) == (Verdict.LEGAL, Consequence())


def test_doubt_at_the_bell_has_no_consequence() -> None:
    ended = bell("R1-3", "R1 R2 R3 R4/R9", "R1-4", RULES)
    assert (ended.verdict, ended.consequence) == (Verdict.CANNOT_TELL, None)


def test_bad_times_and_a_missing_table() -> None:
    with pytest.raises(ValueError, match="not be negative"):
        bell("", "", "", RULES, tidy_s=-1.0)
    for wrong in (math.nan, math.inf, 1e300):
        with pytest.raises(ValueError, match="a time is a number of seconds"):
            bell("", "", "", RULES, tidy_s=wrong)
        for elapsed, paused in ((wrong, 0.0), (100.0, wrong)):
            with pytest.raises(ValueError, match="a time is a number of seconds"):
                MoveTime(elapsed, paused)
    with pytest.raises(ValueError, match="table at the bell is missing"):
        judge_ending((), (), OPENED, Ending(TurnEnd.TIME_UP), RULES)
    for elapsed, paused, said in ((-1.0, 0.0, "be negative"), (1.0, -1.0, "be negative"), (1.0, 2.0, "does not fit")):
        with pytest.raises(ValueError, match=said):
            MoveTime(elapsed, paused)
    with pytest.raises(ValueError, match="reserve of a chess clock"):
        time_move(MoveTime(1.0), load_ruleset("mso"))


def test_a_table_that_was_not_put_back_names_its_tiles() -> None:
    before = parse_table("R1-3 | K7 B7 O7")
    put_back = judge_restoration(before, parse_table("R1-3 | K7 B7 R7"), RULES)
    assert not put_back.complete
    assert put_back.findings[0].tiles == (3, 4, 5)


def test_extension_and_reserve() -> None:
    longer = replace(RULES, extension_s=30)
    assert time_move(MoveTime(61.0), longer).over
    assert not time_move(MoveTime(90.0, extended=True), longer).over
    assert time_move(MoveTime(90.5, extended=True), longer).over_by_s == 0.5
    assert first_reserve(RULES) is None
    assert first_reserve(load_ruleset("mso")) == 600.0
    assert starts_the_clock(2, 3, replace(RULES, timer_started_by=TimerStartedBy.NEXT_PLAYER)) == 3


def test_the_start_in_other_ways() -> None:
    drawn_tiles = [parse_tile(code) for code in ("R5", "J", "B2", "K2")]
    low = replace(RULES, starter=Starter.LOWEST_DRAW, draw_joker=DrawJoker.HIGHEST)
    assert decide_start(drawn_tiles, low).again == (2, 3)
    assert decide_start(drawn_tiles, replace(low, draw_tie=DrawTie.EARLIER_SEAT)).starter == 2
    assert decide_start(drawn_tiles, replace(low, draw_tie=DrawTie.REDRAW_ALL)).again == (0, 1, 2, 3)
    assert decide_start(drawn_tiles, replace(low, draw_joker=DrawJoker.LOWEST)).starter == 1
    assert next_seat(0, 3, replace(RULES, direction=Direction.COUNTER_CLOCKWISE)) == 2
    assert next_round_starter(1, 2, 4, replace(RULES, next_starter=NextStarter.WINNER)) == 2


def test_a_redeal_for_tiles_of_one_number_or_colour() -> None:
    words = replace(load_ruleset("logiczna-pl"), redeal=Redeal.SAME_NUMBER_OR_COLOUR)
    assert judge_redeal([parse_tile(code) for code in ("R3", "B3", "K3")], words).granted
    assert judge_redeal([parse_tile(code) for code in ("R3", "R9", "R5")], words).granted
    assert not judge_redeal([parse_tile(code) for code in ("R3", "B9", "R5")], words).granted
    trusting = replace(load_ruleset("german"), redeal_shown=False)
    assert judge_redeal(None, trusting).granted


def test_the_pool_in_other_ways() -> None:
    bank = replace(RULES, pool_empty=PoolEmpty.BANK)
    assert duty(0, bank) is Duty.BANK
    assert not round_over(bank, pool=0, players=2, turns_since_empty=9, passes=9)
    for wanted, pool in ((-1, 5), (1, -5)):
        with pytest.raises(ValueError, match="not be negative"):
            drawn(wanted, pool)
