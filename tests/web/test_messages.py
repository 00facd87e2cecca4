"""The catalogue says something for everything the referee may find."""

from __future__ import annotations

import string
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from referee.ending import judge_ending, judge_restoration
from referee.findings import Finding, FindingCode, Param, Severity
from referee.preset_files import load_ruleset
from referee.ruleset import SWITCHES as RULES
from referee.ruleset import RuleSet
from referee.ruling import judge_table
from referee.switches import Faces, RowOrder, TablePlayFrom
from referee.turn import judge_turn
from tests.referee import corpus, test_rulings
from tests.referee.builders import table
from vision.look import COLOURS_TOO_FAINT, INKS_ALIKE, SECOND_READER_ABSENT, SECOND_READER_STOPPED
from web.messages import (
    NO_MAJORITY_TEMPLATES,
    NO_TILE_TEMPLATES,
    NOTE_MESSAGES,
    PLURAL_TEMPLATES,
    SEVERITY_TEMPLATES,
    SWITCHES,
    TEMPLATES,
    deciding_rule,
    deciding_switch,
    gathered,
    listed,
    message,
)

ALL_TEMPLATES = [
    *TEMPLATES.values(),
    *NO_MAJORITY_TEMPLATES.values(),
    *NO_TILE_TEMPLATES.values(),
    *SEVERITY_TEMPLATES.values(),
    *PLURAL_TEMPLATES.values(),
]


@pytest.mark.parametrize("code", FindingCode)
def test_every_code_has_a_template(code: FindingCode) -> None:
    assert TEMPLATES[code].endswith(".")


@pytest.mark.parametrize("note", [SECOND_READER_ABSENT, SECOND_READER_STOPPED, COLOURS_TOO_FAINT, *INKS_ALIKE.values()])
def test_every_note_of_the_eyes_has_a_sentence(note: str) -> None:
    assert NOTE_MESSAGES[note].endswith(".")


@pytest.mark.parametrize("template", ALL_TEMPLATES)
def test_templates_are_single_sentences_in_ascii(template: str) -> None:
    assert template.isascii(), "the picture's font has no other letters"
    assert template.endswith(".")
    assert "\n" not in template
    list(string.Formatter().parse(template))


@pytest.mark.parametrize(
    ("code", "params", "severity", "said"),
    [
        (FindingCode.TOO_SHORT, {"length": 2, "least": 3}, Severity.FAULT, "Too short: tiles 2, needed 3."),
        (FindingCode.MIXED_COLOURS, {"colour": "R"}, Severity.FAULT, "Mixed colours in a run: B7 should be red."),
        (FindingCode.MIXED_COLOURS, {"colour": ""}, Severity.FAULT, "Mixed colours in a run: B7."),
        (FindingCode.MIXED_NUMBERS, {"number": 0}, Severity.FAULT, "Mixed numbers in a group: B7."),
        (FindingCode.MIXED_NUMBERS, {"number": 8}, Severity.FAULT, "Mixed numbers in a group: B7 should be 8."),
        (FindingCode.GAP, {"missing": (6, 8)}, Severity.FAULT, "Gap in the run: 6 and 8 missing."),
        (FindingCode.DOUBTFUL_TILE, {"readings": ("B7", "B1")}, Severity.DOUBT, "B7 is doubtful: it may be B7 or B1."),
        (
            FindingCode.DOUBTFUL_TILE,
            {"readings": ("B7", "?")},
            Severity.DOUBT,
            "B7 is doubtful: it may be B7 or any other tile.",
        ),
        (
            FindingCode.DOUBTFUL_TILE,
            {"readings": ("B7", "B1", "K1", "K7", "?")},
            Severity.DOUBT,
            "B7 is doubtful: it may be B7, B1, K1 or others.",
        ),
        (FindingCode.LOOSE_TILE, {"tile": "B7"}, Severity.FAULT, "B7 lies alone, in no set."),
        (FindingCode.LOOSE_TILE, {"tile": "B7"}, Severity.DOUBT, "B7 seems to lie alone, but that is not certain."),
        (FindingCode.SCRAMBLED, {}, Severity.NOTE, "The run does not lie in order; its content is legal."),
        (FindingCode.SCRAMBLED, {}, Severity.FAULT, "The run does not lie in order."),
        (
            FindingCode.TOO_MANY_COPIES,
            {"tile": "JD", "count": 1, "held": 0, "doubtful": 0},
            Severity.DOUBT,
            "Too many copies of JD: seen 1, held by the box 0.",
        ),
        (
            FindingCode.SUSPECT_TILE,
            {"read": "B7", "instead": "R7"},
            Severity.DOUBT,
            "Look at B7: it makes this set illegal, and it may be R7.",
        ),
        (
            FindingCode.JOKER_KIND,
            {"readings": ("J", "JD", "JM")},
            Severity.DOUBT,
            "Which joker it is cannot be told: it may be J, JD or JM.",
        ),
        (
            FindingCode.TOO_MANY_COPIES,
            {"tile": "J/JD", "count": 3, "held": 2, "doubtful": 3},
            Severity.DOUBT,
            "Too many copies of J/JD: seen 3, held by the box 2.",
        ),
        (
            FindingCode.TOO_MANY_MIRRORS,
            {"count": 2},
            Severity.FAULT,
            "A set has one centre, and 2 mirror jokers lie in it.",
        ),
        (
            FindingCode.TOO_MANY_READINGS,
            {},
            Severity.DOUBT,
            "Too many tiles are doubtful, or too many jokers moved, to go through every way.",
        ),
        (
            FindingCode.OPENING_LOW,
            {"value": 21, "needed": 30, "switch": "open_points"},
            Severity.DOUBT,
            "The opening is worth 21 or more, needed 30: what its special jokers make possible is not known.",
        ),
        (FindingCode.NO_TILES, {}, Severity.DOUBT, "No tile shows its face, so there is nothing to rule on."),
        (
            FindingCode.DRAWN,
            {},
            Severity.DOUBT,
            "This is a drawing, a screenshot or a photo of a screen, not a photo of a table.",
        ),
        (
            FindingCode.UNLIKE_TILES,
            {},
            Severity.DOUBT,
            (
                "What lies here does not look like tiles with numbers: "
                "another game, print, or a box unknown to the referee."
            ),
        ),
    ],
)
def test_sentences(code: FindingCode, params: dict[str, Param], severity: Severity, said: str) -> None:
    finding = Finding(code, (1,), tuple(params.items()), severity)
    assert message(finding, ["R6", "B7", "R8"]) == said


@pytest.mark.parametrize(
    ("starts", "others", "said"),
    [
        ((3,), 0, "R1 R2 R3 and B5 K5 O5 R4 R5 R6"),
        ((3, 6), 0, "R1 R2 R3, B5 K5 O5 and R4 R5 R6"),
        ((3,), 1, "R1 R2 R3 and B5 K5 O5 R4 R5 R6, or others,"),
    ],
)
def test_sets_in_one_line_are_named_each(starts: tuple[int, ...], others: int, said: str) -> None:
    params: tuple[tuple[str, Param], ...] = (("starts", starts), ("others", others))
    finding = Finding(FindingCode.SETS_IN_ONE_LINE, tuple(range(1, 10)), params, Severity.DOUBT)
    codes = ["J", *"R1 R2 R3 B5 K5 O5 R4 R5 R6".split()]
    assert message(finding, codes) == f"No set as one row, but it may be {said} side by side: lay them apart."


@pytest.mark.parametrize(
    ("code", "params", "said"),
    [
        (FindingCode.MIXED_COLOURS, {"colour": "R"}, "Mixed colours in a run: C7 should be hearts."),
        (FindingCode.MIXED_NUMBERS, {"number": 12}, "Mixed numbers in a group: C7 should be Q."),
        (FindingCode.GAP, {"missing": (10, 11)}, "Gap in the run: 10 and J missing."),
        (FindingCode.WRAP, {}, "A run cannot go on from K to A."),
        (FindingCode.JOKER_OUT_OF_RANGE, {"numbers": (14,)}, "A joker's place would be 14, and a run has A to K."),
        (FindingCode.LOOSE_TILE, {"tile": "B7"}, "C7 lies alone, in no set."),
        (FindingCode.DOUBTFUL_TILE, {"readings": ("B7", "?")}, "C7 is doubtful: it may be C7 or any other tile."),
        (
            FindingCode.JOKER_NEEDS_BOTH,
            {"meanings": ("O1", "K13")},
            "The joker is freed only by all of these tiles: DA and SK.",
        ),
        (
            FindingCode.JOKER_NOT_FREED,
            {"meanings": ("O1", "K13")},
            "The joker was moved without the tile that it stands for: DA or SK.",
        ),
    ],
)
def test_sentences_about_cards(code: FindingCode, params: dict[str, Param], said: str) -> None:
    assert message(Finding(code, (1,), tuple(params.items())), ["H6", "C7", "H8"], Faces.CARDS) == said


STRICTEST = replace(
    load_ruleset("twist-pl"),
    jokers_per_set_max=1,
    jokers_adjacent=False,
    joker_for_exhausted_tile=False,
    row_order=RowOrder.ILLEGAL,
    special_jokers_per_set_max=1,
    double_at_ends=False,
    double_in_group=False,
    colour_changes_per_run=1,
    mirror_in_group=False,
    mirror_side_least=2,
    table_play_from=TablePlayFrom.ALL_OPENED,
)
"""Every rule on sets that may forbid something forbids it: what no preset finds is found under these."""


@pytest.fixture(scope="module")
def found_in_the_corpus() -> list[tuple[Finding, RuleSet]]:
    """Everything that the referee finds in the corpus of rulings: on tables, on turns, at their ends."""
    found: list[tuple[Finding, RuleSet]] = []
    for one in test_rulings.LINES:
        for rules in (load_ruleset(one.preset), STRICTEST):
            ruling = judge_table(table(one.text, one.scene, one.covered, one.gap), rules)
            found += [(finding, rules) for finding in ruling.all_findings]
    with pytest.MonkeyPatch.context() as patch:
        judges: tuple[Callable[..., Any], ...] = (judge_turn, judge_ending, judge_restoration)
        for judge in judges:
            patch.setattr(corpus, judge.__name__, recording(judge, found))
        for line in (*corpus.read("turns"), *corpus.read("endings")):
            names = {name for name, _ in line.presets}
            for rules in [changed for name in names for changed in line.rules(name, load_ruleset(name))]:
                corpus.outcome(line, rules)
            if "cards" not in str(line.presets):
                corpus.outcome(line, STRICTEST)
    return found


def recording(judge: Callable[..., Any], found: list[tuple[Finding, RuleSet]]) -> Callable[..., Any]:
    """The same judge, which leaves its findings behind."""

    def judged(*given: Any, **told: Any) -> Any:
        ruling = judge(*given, **told)
        rules = next(one for one in given if isinstance(one, RuleSet))
        found.extend((finding, rules) for finding in ruling.findings)
        return ruling

    return judged


BEYOND_THE_CORPUS = {
    FindingCode.SUSPECT_TILE,
    FindingCode.JOKER_KIND,
    FindingCode.UNLIKE_TILES,
    FindingCode.DRAWN,
    FindingCode.SET_AT_EDGE,
    FindingCode.TOO_MANY_MIRRORS,
    FindingCode.TOO_MANY_READINGS,
}
"""The first five need a photo; nobody wrote down the others: their sentences stand above."""


def test_the_corpus_finds_everything(found_in_the_corpus: list[tuple[Finding, RuleSet]]) -> None:
    assert {finding.code for finding, _ in found_in_the_corpus} >= set(FindingCode) - BEYOND_THE_CORPUS


@pytest.mark.parametrize("faces", Faces)
def test_whatever_is_found_can_be_said(found_in_the_corpus: list[tuple[Finding, RuleSet]], faces: Faces) -> None:
    for finding, rules in found_in_the_corpus:
        sentence = message(finding, ["R7"] * 200, faces)
        assert not set("{}()'") & set(sentence.replace("joker's", "")), sentence
        assert "  " not in sentence, sentence
        assert ": ." not in sentence, sentence
        assert " ." not in sentence, sentence
        switch = deciding_switch(finding)
        if switch is not None:
            assert deciding_rule(finding, rules) is not None
            assert switch in RULES, finding


def test_the_rules_that_decide_are_rules() -> None:
    rules = load_ruleset()
    assert set(SWITCHES.values()) <= set(RULES)
    assert deciding_rule(Finding(FindingCode.WRAP), rules) == "wrap_13_1 = false"
    assert (
        deciding_rule(Finding(FindingCode.OPENING_LOW, (), (("switch", "open_points"),)), rules) == "open_points = 30"
    )
    assert deciding_rule(Finding(FindingCode.GAP), rules) is None


def test_what_is_found_alike_of_single_tiles_is_said_once() -> None:
    codes = ["R1", "R2", "R3"]
    loose = [Finding(FindingCode.LOOSE_TILE, (i,), (("tile", codes[i]),)) for i in (0, 2)]
    doubtful = Finding(FindingCode.LOOSE_TILE, (1,), (("tile", "R2"),), Severity.DOUBT)
    rack = Finding(FindingCode.RACK, severity=Severity.DOUBT)
    assert gathered([loose[0], rack, doubtful, loose[1]], codes) == [
        (Severity.FAULT, "R1 and R3 lie alone, in no set."),
        (Severity.DOUBT, "This is a rack, not a table."),
        (Severity.DOUBT, "R2 seems to lie alone, but that is not certain."),
    ]


@pytest.mark.parametrize(
    ("words", "said"), [([], ""), (["a"], "a"), (["a", "b"], "a and b"), (["a", "b", "c"], "a, b and c")]
)
def test_lists(words: list[str], said: str) -> None:
    assert listed(words) == said
