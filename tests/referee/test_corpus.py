"""The corpus of rulings holds, covers the rules cell by cell, and would notice any changed switch."""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from referee.preset_files import PRESET_FOLDER, load_ruleset, preset_names
from referee.ruleset import SWITCHES, RuleSet, RuleSetError, Section
from referee.switches import Choice, ChoiceList, FaceCounts, NumberList, WholeNumber, YesNo
from tests.referee import test_rulings
from tests.referee.corpus import ALIASES, KINDS, Line, read

LINES = [line for kind in KINDS for line in read(kind)]
SIX = ALIASES["six"]
WHERE: dict[Section, tuple[str, ...]] = {
    Section.BOX: ("deals", "turns", "tables"),
    Section.START: ("deals",),
    Section.SETS: ("tables", "turns"),
    Section.SPECIAL: ("tables", "turns"),
    Section.OPENING: ("turns", "scores"),
    Section.TABLE: ("turns", "deals", "endings"),
    Section.JOKERS: ("turns",),
    Section.CLOCK: ("clocks", "endings"),
    Section.PENALTIES: ("endings",),
    Section.END: ("deals", "scores", "turns"),
    Section.SCORES: ("scores", "matches"),
    Section.MATCH: ("matches",),
}
"""Where the lines are that notice a switch of a chapter."""
RULES_DOCUMENT = Path(os.environ.get("TILEREF_RULES", Path(__file__).parents[3] / "shared" / "docs" / "rules.md"))


ROWS: dict[str, tuple[str, ...]] = {
    "tiles": (
        "faces",
        "boxes",
        "copies_per_tile",
        "regular_jokers",
        "double_jokers",
        "colour_change_jokers",
        "mirror_jokers",
        "box_exceptions",
    ),
    "players": ("players_least", "players_most"),
    "who starts": ("direction", "starter", "draw_tie", "draw_joker"),
    "deal": ("deal_tiles", "deal_mode"),
    "redeal right": ("redeal", "redeal_count", "redeal_until", "redeal_shown"),
    "run / group": ("min_set_length", "wrap_13_1"),
    "opening": ("open_points", "open_joker_allowed", "open_relax"),
    "table play": ("open_same_turn_manipulation", "table_play", "table_play_from"),
    "must play": ("must_play_tiles", "draw_voluntary"),
    "joker retrieval": (
        "joker_replace_from",
        "joker_freed_by",
        "joker_group3",
        "joker_set_mutable",
        "joker_meaning",
        "joker_freed_use",
        "joker_freed_rack_tiles",
    ),
    "time limit": ("clock", "time_s", "extension_s", "time_unopened"),
    "out of time with the table unfinished": (
        "overrun",
        "overrun_draw",
        "overrun_points",
        "draw_each",
        "unfinished",
        "leftovers",
        "late_tidy",
    ),
    "round end": (),
    "scores": ("scoring", "win_bonus", "second_bonus", "loss_cap", "rank_by"),
    "joker left on rack": ("joker_rack_penalty", "joker_penalty_to_winner"),
    "never opened": (
        "unopened_penalty",
        "unopened_able_penalty",
        "unopened_mode",
        "unopened_exempt",
        "penalties_to_winner",
    ),
    "pool empty": ("pool_empty", "pool_must_play", "pool_winner", "pool_tie", "pool_scores"),
}
"""The rows of the table of rules.md 1, each with the switches that its cells settle."""
ROW_OF = {key: row for row, keys in ROWS.items() for key in keys}

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


@pytest.mark.parametrize("question", ["1", "2", "3", "4a", "4b", "4c"])
def test_every_open_question_is_decided_and_the_reason_stands_in_a_preset(question: str) -> None:
    told = re.compile(rf"open questions? (\w+ (to|and) )?{question}\b")
    assert any(told.search(line.source) for line in LINES)
    preset = (PRESET_FOLDER / "international.toml").read_text(encoding="utf-8")
    assert re.search(rf"open question {question}: .{{30}}", preset)


@pytest.mark.parametrize("row", ROWS)
def test_every_cell_of_the_table_of_rules_is_proved_by_a_line(row: str) -> None:
    """A line that names the preset itself, not a file that rests on it; "—" cells too, by what they inherit."""
    plain = {name for line in LINES if row in line.rows for name, changes in line.presets if not changes}
    plain |= {line.preset for line in test_rulings.LINES if row in line.rows}
    assert set(SIX) - plain == set()


def test_the_rows_are_those_of_the_table() -> None:
    named = {row for line in LINES for row in line.rows} | {row for line in test_rulings.LINES for row in line.rows}
    assert named == set(ROWS)
    assert len(ROW_OF) == sum(len(keys) for keys in ROWS.values()), "a switch belongs to one row"
    assert set(ROW_OF) <= set(SWITCHES)


def test_the_rows_are_those_of_the_document() -> None:
    if not RULES_DOCUMENT.is_file():
        pytest.skip("the document is not here: set TILEREF_RULES to rules.md")
    lines = RULES_DOCUMENT.read_text(encoding="utf-8").splitlines()
    table = [line.split("|")[1].strip() for line in lines if line.startswith("|")]
    assert tuple(table[2:]) == tuple(ROWS)


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
    as_it_is = PRESETS[name]
    broken = [
        str(line) for kind in lines for line in lines[kind] for one in line.rules(name, as_it_is) if not line.holds(one)
    ]
    assert broken == [], "a line that fails anyway would notice anything"
    assert not test_rulings.notices(name, as_it_is)
    unnoticed, changed = [], set()
    for told, rules in changed_sets(name):
        key = told.partition(" ")[0]
        changed.add(key)
        kinds, row = WHERE[SWITCHES[key].section], ROW_OF.get(key)
        noticed = any(
            not line.holds(one)
            for kind in kinds
            for line in lines[kind]
            if row is None or row in line.rows
            for one in line.rules(name, rules)
        ) or ("tables" in kinds and test_rulings.notices(name, rules, row))
        if not noticed:
            unnoticed.append(told)
    assert unnoticed == []
    assert changed == set(SWITCHES), "each switch was changed"
