"""Whole rounds by players of different strength under every preset; ``tests.referee.full_games`` plays longer."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from referee.preset_files import load_ruleset, preset_names
from tests.referee.full_games import Game, Tally, play_games

SEEDS = range(1, 3)


@pytest.mark.parametrize("preset", preset_names())
def test_rounds_end_legally(preset: str) -> None:
    tally = Tally()
    play_games(preset, SEEDS, tally)
    assert tally.openings >= 2
    assert tally.touched >= 5
    assert tally.with_jokers
    assert sum(tally.ends.values()) == len(SEEDS)


def test_special_jokers_are_played() -> None:
    """A Twist box with more special jokers than it has, so that a few rounds see them all."""
    rules = replace(load_ruleset("twist-pl"), double_jokers=3, colour_change_jokers=3, mirror_jokers=3)
    tally = Tally()
    for seed in (1, 2):
        Game(rules, Random(seed), tally).play()
    assert {"J", "JD", "JC", "JM"} <= tally.with_jokers.keys()


def test_a_box_of_more_jokers_and_three_copies() -> None:
    """A box for six, 160 tiles: three of each and four jokers."""
    rules = replace(load_ruleset(), copies_per_tile=3, regular_jokers=4)
    tally = Tally()
    Game(rules, Random(1), tally).play()
    assert tally.turns
