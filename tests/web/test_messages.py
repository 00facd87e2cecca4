"""The catalogue says something for everything the referee may find."""

from __future__ import annotations

import string

import pytest

from referee.findings import Finding, FindingCode, Param, Severity
from vision.look import COLOURS_TOO_FAINT, INKS_ALIKE, SECOND_READER_ABSENT, SECOND_READER_STOPPED
from web.messages import (
    NO_MAJORITY_TEMPLATES,
    NOTE_MESSAGES,
    PLURAL_TEMPLATES,
    SEVERITY_TEMPLATES,
    TEMPLATES,
    gathered,
    listed,
    message,
)

ALL_TEMPLATES = [
    *TEMPLATES.values(),
    *NO_MAJORITY_TEMPLATES.values(),
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
        (FindingCode.NO_TILES, {}, Severity.DOUBT, "No tile shows its face, so there is nothing to rule on."),
    ],
)
def test_sentences(code: FindingCode, params: dict[str, Param], severity: Severity, said: str) -> None:
    finding = Finding(code, (1,), tuple(params.items()), severity)
    assert message(finding, ["R6", "B7", "R8"]) == said


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
