"""Every line of tests/rulings/tables.txt: rulings on one table as it was seen."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pytest

from referee.observation import Kind, Scene
from referee.preset_files import load_ruleset, preset_names
from referee.ruleset import RuleSet
from referee.ruling import Verdict, judge_table
from referee.table import first_reading
from tests.referee.builders import Covered, table
from tests.referee.corpus import ALIASES, rows_of

CORPUS = Path(__file__).parents[1] / "rulings" / "tables.txt"
CIRCUMSTANCE = re.compile(r"(rack|seen|far|at|beside|value)(?: (\d+))?")


@dataclass(frozen=True, slots=True)
class Line:
    number: int
    text: str
    preset: str
    verdict: Verdict
    findings: tuple[tuple[str, tuple[str, ...]], ...]
    scene: Scene
    covered: Covered
    gap: float | None
    value: int | None
    source: str
    rows: frozenset[str]


def read_corpus() -> list[Line]:
    lines = []
    rows, source = frozenset[str](), ""
    for number, raw in enumerate(CORPUS.read_text(encoding="utf-8").splitlines(), 1):
        if not raw.strip() or raw.startswith("#"):
            rows, source = rows_of(raw, rows), raw or source
            continue
        text, preset, verdict, findings, *rest = (part.strip() for part in raw.split(";"))
        words = [] if findings == "-" else [finding.split() for finding in findings.split(",")]
        found = dict.fromkeys(("far", "at", "beside", "value"), "")
        scene, gap = Scene.TABLE, None
        for circumstance in rest[0].split(",") if rest and rest[0] else ():
            match = CIRCUMSTANCE.fullmatch(circumstance.strip())
            assert match, f"line {number}: {circumstance!r}"
            if match[1] == "rack":
                scene = Scene.RACK
            elif match[1] == "seen":
                gap = 0.01
            else:
                found[match[1]] = match[2]
        covered = Covered(
            at_sets=(int(found["at"]),) if found["at"] else (),
            beside_tiles=(int(found["beside"]),) if found["beside"] else (),
            far=int(found["far"] or 0),
        )
        value = int(found["value"]) if found["value"] else None
        expected = tuple((code, tuple(tiles)) for code, *tiles in words)
        for name in preset.split(","):
            for one in ALIASES.get(name.strip(), (name.strip(),)):
                said = (Verdict(verdict), expected, scene, covered, gap, value, source, rows)
                lines.append(Line(number, text, one, *said))
    return lines


LINES = read_corpus()
PRESETS = {name: load_ruleset(name) for name in preset_names()}


Found = tuple[Verdict, list[tuple[str, tuple[str, ...]]], int]


def found(line: Line, rules: RuleSet) -> Found:
    """The verdict, every finding with its tiles, and the value of all sets together."""
    observation = table(line.text, line.scene, line.covered, line.gap)
    ruling = judge_table(observation, rules)
    faces = {i: str(first_reading(seen)) for i, seen in enumerate(observation.tiles) if seen.kind is Kind.FACE}
    said = [(finding.code.value, tuple(faces.get(i, "?") for i in finding.tiles)) for finding in ruling.all_findings]
    return ruling.verdict, said, sum(judged.value or 0 for judged in ruling.sets)


def fits(line: Line, outcome: Found) -> bool:
    verdict, said, value = outcome
    codes = Counter(code for code, _ in said) == Counter(code for code, _ in line.findings)
    remaining = Counter(said)
    remaining.subtract((code, tiles) for code, tiles in line.findings if tiles)
    pinned = min(remaining.values(), default=0) >= 0
    return verdict is line.verdict and codes and pinned and line.value in {None, value}


def notices(preset: str, rules: RuleSet, row: str | None = None) -> bool:
    """Whether some line for a preset fails under other rules; only lines that prove ``row``, where one is given."""
    lines = (line for line in LINES if line.preset == preset and (row is None or row in line.rows))
    return any(not fits(line, found(line, rules)) for line in lines)


@pytest.mark.parametrize("line", LINES, ids=lambda line: f"{line.number}: {line.text} ({line.preset})")
def test_ruling(line: Line) -> None:
    outcome = found(line, PRESETS[line.preset])
    assert fits(line, outcome), outcome


def test_the_corpus_is_large_and_covers_every_preset() -> None:
    assert len(LINES) >= 120
    assert {line.preset for line in LINES} <= set(preset_names())
    assert {line.verdict for line in LINES} == set(Verdict)


def test_every_line_has_a_source() -> None:
    named = re.compile(r"rules\.md|rules-world\.md|hard-cases\.md|architecture\.md|seeds? 00\d|shared/bench")
    assert [line.number for line in LINES if not named.search(line.source)] == []
