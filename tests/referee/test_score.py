"""Scores and standings: the families that no seed uses, and what must always sum up."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.preset_files import load_ruleset
from referee.ruleset import RuleSet
from referee.score import Hand, RoundEnd, RoundScore, could_have_opened, pool_winners, score_round
from referee.standings import carried_over, match_over, standings, totals
from referee.switches import (
    CarryOver,
    PoolTie,
    PoolWinner,
    RankBy,
    Scoring,
    TieBreak,
    UnopenedExempt,
    UnopenedMode,
)
from referee.tiles import Tile, parse_tile
from tests.referee.corpus import round_of
from tests.referee.strategies import any_tiles, rulesets

RULES = load_ruleset()
TWIST = load_ruleset("twist-pl")


def hand(text: str, **flags: object) -> Hand:
    return Hand(tuple(parse_tile(code) for code in text.split()), **flags)  # type: ignore[arg-type]  # by each test


def points(rules: RuleSet, *hands: Hand, end: RoundEnd = RoundEnd.EMPTY_RACK) -> tuple[int, ...]:
    return score_round(hands, rules, end).points


def test_the_parts_of_a_score_are_told() -> None:
    scored = score_round([hand(""), hand("R9 R10 R11 J", opened=False, points_lost=5)], TWIST, RoundEnd.EMPTY_RACK)
    loser = scored.scores[1]
    assert (loser.rack, loser.jokers, loser.penalty, loser.could_open) == (30, 50, 200, True)
    assert (loser.points_lost, loser.score, scored.scores[0].score) == (5, -205, 80)


def test_a_penalty_on_top_of_the_rack_and_credited_to_the_winner() -> None:
    on_top = replace(TWIST, unopened_mode=UnopenedMode.ON_TOP)
    hands = (hand(""), hand("R9 R10 R11", opened=False), hand("B2"))
    assert points(on_top, *hands) == (32, -230, -2)
    assert points(replace(on_top, penalties_to_winner=True), *hands) == (232, -230, -2)
    credited = replace(TWIST, penalties_to_winner=True)
    assert points(credited, *hands) == (202, -200, -2)
    assert score_round(hands, credited, RoundEnd.EMPTY_RACK).zero_sum


@pytest.mark.parametrize(
    ("exempt", "able", "unable"),
    [(UnopenedExempt.OFF, -200, -100), (UnopenedExempt.ABLE, -100, -100), (UnopenedExempt.BOTH, -30, -9)],
)
def test_an_announced_opening(exempt: UnopenedExempt, able: int, unable: int) -> None:
    rules = replace(TWIST, unopened_exempt=exempt)
    announced = {"opened": False, "announced": True}
    found = points(rules, hand(""), hand("R9 R10 R11", **announced), hand("R5 K4", **announced))
    assert found[1:] == (able, unable)


def test_whether_a_rack_could_have_opened() -> None:
    def could(text: str, rules: RuleSet = TWIST) -> bool | None:
        return could_have_opened([parse_tile(code) for code in text.split()], rules)

    assert could("R9 R10 R11 K1") is True
    assert could("R9 R10 K11") is False
    assert could("R9 R10 JD") is None, "only a special joker could have made it so"
    assert could("R9 R10 R11 JM") is True
    no_joker = load_ruleset("classic-es")
    assert could("R9 R10 J", no_joker) is False
    assert could("R9 R10 J") is True


def test_leagues_give_bonuses_and_cap_losses() -> None:
    league = replace(RULES, win_bonus=50, second_bonus=5, loss_cap=25)
    scored = score_round([hand("R13 B13 K13"), hand(""), hand("R4")], league, RoundEnd.EMPTY_RACK)
    assert scored.points == (-25, 79, 1)
    assert not scored.zero_sum
    shared = points(league, hand("R5"), hand("K5"), hand("B9"), end=RoundEnd.POOL_EMPTY)
    assert shared == (52, 52, -4)


def test_bonuses_and_caps_where_the_lowest_total_wins() -> None:
    league = replace(load_ruleset("standard-sk"), win_bonus=50, second_bonus=5, loss_cap=25)
    hands = (hand("R13 B13 K13"), hand("", points_lost=3), hand("R4"))
    assert points(league, *hands) == (25, -47, -1)


def test_who_wins_when_the_pool_ran_out() -> None:
    hands = (hand("R5 K5"), hand("B10"), hand("O10"))
    assert pool_winners(hands, RULES) == (1, 2)
    assert pool_winners(hands, replace(RULES, pool_tie=PoolTie.SHARED)) == (0, 1, 2)
    assert pool_winners(hands, replace(RULES, pool_tie=PoolTie.EARLIER_SEAT)) == (0,)
    assert pool_winners(hands, replace(RULES, pool_winner=PoolWinner.FEWEST_TILES)) == (1, 2)


@pytest.mark.parametrize(
    ("hands", "end"),
    [
        ((hand("R1"), hand("R2")), RoundEnd.EMPTY_RACK),
        ((hand(""), hand("")), RoundEnd.EMPTY_RACK),
        ((hand(""), hand("R2")), RoundEnd.POOL_EMPTY),
    ],
)
def test_hands_that_do_not_fit_the_end_are_refused(hands: tuple[Hand, ...], end: RoundEnd) -> None:
    with pytest.raises(ValueError, match="empty racks"):
        score_round(hands, RULES, end)


racks = st.lists(any_tiles, min_size=1, max_size=8).map(tuple)
losers = st.lists(st.tuples(racks, st.booleans(), st.booleans()), min_size=1, max_size=3)


@given(losers, rulesets, st.booleans())
def test_scores_sum_to_zero_wherever_everything_is_credited(
    told: list[tuple[tuple[Tile, ...], bool, bool]], rules: RuleSet, pool: bool
) -> None:
    hands = [Hand(tiles, opened, announced) for tiles, opened, announced in told]
    credited = replace(
        rules,
        scoring=Scoring.WINNER_TAKES,
        joker_penalty_to_winner=True,
        penalties_to_winner=True,
        win_bonus=0,
    )
    end = RoundEnd.POOL_EMPTY if pool else RoundEnd.EMPTY_RACK
    hands = hands if pool else [*hands, Hand(())]
    scored = score_round(hands, credited, end)
    assert scored.zero_sum
    if scored.zero_sum:
        assert sum(scored.points) == 0
    as_played = score_round(hands, rules, end)
    assert not as_played.zero_sum or sum(as_played.points) == 0
    if rules.scoring is Scoring.RACK_SUMS:
        assert min(as_played.points) >= 0
    assert len(scored.winners) == 1 or pool
    best = max(as_played.points) if rules.scoring is Scoring.WINNER_TAKES else -min(as_played.points)
    sign = 1 if rules.scoring is Scoring.WINNER_TAKES else -1
    if not pool:
        assert sign * as_played.points[as_played.winners[0]] == best, "nobody scores better than the winner"


def rounds(*texts: str) -> list[RoundScore]:
    return [round_of(text) for text in texts]


def order(rules: RuleSet, *texts: str) -> list[tuple[int, int]]:
    return [(one.seat, one.place) for one in standings(rounds(*texts), rules)]


def test_ranking_by_places_and_by_won_rounds() -> None:
    texts = ("5* -5 -6", "5* -5 -6", "-40 20* -2")
    assert order(RULES, *texts)[0][0] == 1
    assert order(replace(RULES, rank_by=RankBy.WINS), *texts)[0][0] == 0
    assert order(replace(RULES, rank_by=RankBy.FIRST_TO_WINS), *texts)[0][0] == 0
    placing = replace(RULES, rank_by=RankBy.PLACING, placing_points=(3, 2, 1))
    found = standings(rounds(*texts), placing)
    assert [(one.seat, one.placing) for one in found] == [(0, 7), (1, 7), (2, 4)]


def test_first_to_four_wins_and_other_ends() -> None:
    four = replace(RULES, rank_by=RankBy.FIRST_TO_WINS, wins_needed=4)
    assert not match_over(rounds(*["5* -5"] * 3), four)
    assert match_over(rounds(*["5* -5"] * 4), four)
    assert match_over(rounds("150* -150", "60* -60"), replace(RULES, target_points=200))
    assert not match_over([], replace(RULES, rounds=1))
    low = replace(load_ruleset("standard-sk"), target_points=100)
    assert not match_over(rounds("0* 60", "0* 40"), low), "reached, not passed"
    assert match_over(rounds("0* 60", "0* 41"), low)
    assert match_over(rounds("60* -60", "40* -40"), replace(RULES, target_points=100))


def test_totals_begin_with_what_was_carried_and_have_a_floor() -> None:
    floor = replace(RULES, total_floor=True)
    assert totals(rounds("-10 10*", "4* -4"), floor) == (4, 6)
    assert totals(rounds("-10 10*"), RULES, carried=(30, 0)) == (20, 10)
    assert totals([], RULES, carried=(30, 0)) == (30, 0)


@pytest.mark.parametrize(
    ("carry", "total", "kept"),
    [(CarryOver.HALF, 15, 8), (CarryOver.HALF, -15, -7), (CarryOver.NONE, 15, 0), (CarryOver.ALL, 15, 15)],
)
def test_carry_over(carry: CarryOver, total: int, kept: int) -> None:
    assert carried_over(total, replace(RULES, carry_over=carry)) == kept


def test_level_players_share_a_place_where_nothing_parts_them() -> None:
    chain = replace(RULES, tie_break=(TieBreak.POINTS,))
    assert order(chain, "10* -10", "-10 10*") == [(0, 1), (1, 1)]
