"""The corpus of rulings holds, covers the rules, and would notice any changed switch."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace

import pytest

from referee.preset_files import load_ruleset, preset_names
from referee.ruleset import SWITCHES, RuleSet, RuleSetError, Section
from referee.switches import Choice, ChoiceList, FaceCounts, NumberList, WholeNumber, YesNo
from tests.referee import test_rulings
from tests.referee.corpus import ALIASES, KINDS, Line, read

LINES = [line for kind in KINDS for line in read(kind)]
SIX = ALIASES["six"]
WHERE: dict[Section, tuple[str, ...]] = {
    Section.BOX: ("deals", "turns"),
    Section.START: ("deals",),
    Section.SETS: ("tables", "turns"),
    Section.SPECIAL: ("tables", "turns"),
    Section.OPENING: ("turns", "scores"),
    Section.TABLE: ("turns", "deals"),
    Section.JOKERS: ("turns",),
    Section.CLOCK: ("clocks", "endings"),
    Section.PENALTIES: ("endings",),
    Section.END: ("deals", "scores"),
    Section.SCORES: ("scores", "matches"),
    Section.MATCH: ("matches",),
}
"""Where the lines are that notice a switch of a chapter."""


PRESETS = {name: load_ruleset(name) for name in preset_names()}


@pytest.mark.parametrize("line", LINES, ids=str)
def test_ruling(line: Line) -> None:
    for name in {name for name, _ in line.presets}:
        for rules in line.rules(name, PRESETS[name]):
            assert line.found(rules) == line.expected, (name, line.source)


def test_the_corpus_is_large_and_every_line_has_a_source() -> None:
    assert len(LINES) + len(test_rulings.LINES) >= 400
    assert all(len(line.source) > 5 for line in LINES)
    assert {name for line in LINES for name, _ in line.presets} == set(preset_names())


def test_no_line_stands_twice() -> None:
    seen: dict[tuple[str, str, object], int] = {}
    for line in LINES:
        for preset in line.presets:
            key = (line.kind, line.given, preset)
            assert key not in seen, f"{line} stands in line {seen.get(key)} too"
            seen[key] = line.number


@pytest.mark.parametrize("question", [1, 2, 3, 4])
def test_every_open_question_is_decided(question: int) -> None:
    told = f"open question {question}"
    assert any(told in line.source or f"open questions {question}" in line.source for line in LINES)


def other_values(key: str, value: object) -> Iterator[object]:
    """What a switch might say instead: every other position, and the neighbours of a number."""
    match SWITCHES[key].allowed:
        case WholeNumber() as allowed:
            assert isinstance(value, int)
            yield from (other for other in (value - 1, value + 1) if allowed.allows(other))
        case YesNo():
            yield not value
        case Choice() as choice:
            yield from (position for position in choice.positions if position != value)
        case ChoiceList():
            assert isinstance(value, tuple)
            yield from (value[1:], value[:-1], ())
        case NumberList():
            assert isinstance(value, tuple)
            yield tuple(number + 1 for number in value)
        case FaceCounts():
            yield ("R13=1",)


def changed_sets(name: str) -> Iterator[tuple[str, RuleSet]]:
    rules = PRESETS[name]
    for key in SWITCHES:
        for value in other_values(key, getattr(rules, key)):
            try:
                yield f"{key} = {value}", replace(rules, **{key: value})  # type: ignore[arg-type]  # any switch
            except RuleSetError:
                continue  # a contradiction, not a rule set


@pytest.mark.parametrize("name", SIX)
def test_a_changed_switch_makes_a_line_fail(name: str) -> None:
    lines: dict[str, list[Line]] = defaultdict(list)
    for line in LINES:
        if name in {preset for preset, _ in line.presets}:
            lines[line.kind].append(line)
    unnoticed = []
    for told, rules in changed_sets(name):
        kinds = WHERE[SWITCHES[told.partition(" ")[0]].section]
        noticed = any(
            not line.holds(one) for kind in kinds for line in lines[kind] for one in line.rules(name, rules)
        ) or ("tables" in kinds and test_rulings.notices(name, rules))
        if not noticed:
            unnoticed.append(told)
    assert unnoticed == []
