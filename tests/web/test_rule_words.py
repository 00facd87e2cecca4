"""Differences of rules in words that a club's organiser reads."""

from __future__ import annotations

import pytest

from referee.preset_files import load_ruleset, preset_names
from referee.ruleset import SWITCHES
from referee.switches import Choice, ChoiceList
from web.rule_words import WORDS, difference_lines, value_words


def test_every_named_position_of_every_switch_has_words() -> None:
    named = {
        key: {position.value for position in switch.allowed.positions}
        for key, switch in SWITCHES.items()
        if isinstance(switch.allowed, Choice | ChoiceList)
    }
    assert {key: set(words) for key, words in WORDS.items()} == named


@pytest.mark.parametrize("name", preset_names())
def test_no_line_of_a_preset_shows_a_key(name: str) -> None:
    for line in difference_lines(load_ruleset(), load_ruleset(name)):
        assert line.about == SWITCHES[line.key].about
        assert line.here != line.usual
        assert not any("_" in text or '"' in text or "[" in text for text in (line.here, line.usual))


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("wrap_13_1", True, "yes"),
        ("wrap_13_1", False, "no"),
        ("time_s", 60, "60"),
        ("joker_freed_use", "new_set", "in a new set"),
        ("tie_break", ("wins", "extra_game"), "won rounds, an extra round"),
        ("box_exceptions", (), "none"),
        ("box_exceptions", ("R13=1",), "R13=1"),
    ],
)
def test_values_in_words(key: str, value: object, words: str) -> None:
    assert value_words(key, value) == words


def test_the_default_differs_in_nothing() -> None:
    assert difference_lines(load_ruleset(), load_ruleset()) == []
