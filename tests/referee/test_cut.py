"""Several sets in one line: no row becomes legal by being cut, and none illegal that may be several sets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.cut import Cut, best_cut
from referee.findings import Finding, FindingCode, Severity
from referee.observation import Observation
from referee.preset_files import load_ruleset
from referee.ruling import JudgedSet, Verdict, judge_table
from referee.sets import judge_set
from referee.tiles import parse_tile
from tests.referee.builders import Covered, table

INTERNATIONAL = load_ruleset("international")
NOTHING_COVERED = Covered()


def seen(text: str, gaps: Sequence[float] = (), covered: Covered = NOTHING_COVERED) -> Observation:
    """A table that a camera saw: neighbours touch, or the first row has these gaps."""
    observation = table(text, covered=covered, gap=0.01)
    first, *others = observation.rows
    return replace(observation, rows=(replace(first, gaps=tuple(gaps) or first.gaps), *others))


def judged(text: str, gaps: Sequence[float] = (), covered: Covered = NOTHING_COVERED) -> JudgedSet:
    return judge_table(seen(text, gaps, covered), INTERNATIONAL).sets[0]


def finding_of(one: JudgedSet) -> Finding:
    (found,) = [finding for finding in one.findings if finding.code is FindingCode.SETS_IN_ONE_LINE]
    return found


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("R1 R2 R3 B5 K5 O5", [(0, 1, 2), (3, 4, 5)]),
        ("R7 B7 K7 O7 R7 B7 K7", [(0, 1, 2), (3, 4, 5, 6)]),
        ("R4 R5 R6 R6 R7 R8", [(0, 1, 2), (3, 4, 5)]),
        ("R1-3 B5-7 K9 O9 R9", [(0, 1, 2), (3, 4, 5), (6, 7, 8)]),
        ("R5 J R7 K2 B2 J", [(0, 1, 2), (3, 4, 5)]),
        ("R12 R13 J K1 B1 O1", [(0, 1, 2), (3, 4, 5)]),
    ],
)
def test_a_row_that_may_be_several_sets_cannot_be_told(text: str, parts: list[tuple[int, ...]]) -> None:
    ruling = judge_table(seen(text), INTERNATIONAL)
    (one,) = ruling.sets
    assert ruling.verdict is Verdict.CANNOT_TELL
    assert (one.legal, one.value, list(one.parts)) == (None, None, parts)
    found = finding_of(one)
    assert (found.severity, found.tiles) == (Severity.DOUBT, one.tiles)
    assert found.param("starts") == tuple(part[0] for part in parts[1:])
    assert not any(finding.severity is Severity.FAULT for finding in one.findings)


@pytest.mark.parametrize(
    "text",
    [
        "R1 R2 R3 B5 K5",
        "R5 R6 B7 R8",
        "R1-3 B9 K5-7",
        "R1 R2 B5 K5 O5",
        "R1-6 R6",
        "R7 B7 K7 O7 R7",
        "K5 R9 B2 O1 R4 K8",
    ],
)
def test_a_row_that_no_cut_mends_stays_illegal(text: str) -> None:
    one = judged(text)
    assert (one.legal, one.parts) == (False, ())
    assert FindingCode.SETS_IN_ONE_LINE not in {finding.code for finding in one.findings}


@pytest.mark.parametrize("gaps", [(), (0.01, 0.01, 0.28, 0.01, 0.01)])
def test_a_legal_row_is_one_set_whatever_its_gaps(gaps: Sequence[float]) -> None:
    one = judged("B1-6", gaps)
    assert (one.legal, one.value, one.parts, one.findings) == (True, 21, (), ())


def test_a_written_set_is_what_it_was_said_to_be() -> None:
    one = judge_table(table("R1 R2 R3 B5 K5 O5"), INTERNATIONAL).sets[0]
    assert (one.legal, one.parts) == (False, ())


def test_a_clear_gap_makes_no_row_legal() -> None:
    """The gap is still one of a row: a human says whether it parts two sets."""
    assert judged("R1 R2 R3 B5 K5 O5", (0.01, 0.01, 0.29, 0.01, 0.01)).legal is None


@pytest.mark.parametrize(
    ("gaps", "starts", "others"),
    [
        ((0.01,) * 6, (3,), 1),
        ((0.01, 0.01, 0.2, 0.01, 0.01, 0.01), (3,), 0),
        ((0.01, 0.01, 0.01, 0.2, 0.01, 0.01), (4,), 0),
        ((0.01, 0.01, 0.03, 0.05, 0.01, 0.01), (4,), 1),
    ],
    ids=["no gap", "before R4", "behind R4", "hardly a gap"],
)
def test_the_gaps_choose_among_several_cuts(gaps: Sequence[float], starts: tuple[int, ...], others: int) -> None:
    one = judged("R1 R2 R3 R4 K4 B4 O4", gaps)
    assert one.legal is None
    assert (finding_of(one).param("starts"), finding_of(one).param("others")) == (starts, others)


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ("R1 R2 R3 B5 K5/K6 O5", True),
        ("R1 R2 R3 B5 K6/K7 O5", False),
        ("R5/R8 R6 R7 B5 K5 O5", True),
    ],
)
def test_one_plausible_reading_is_enough_for_a_cut(text: str, cut: bool) -> None:
    one = judged(text)
    assert (one.legal is None, bool(one.parts)) == (cut, cut)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("R1 R2 R3 B5 K5", [(0, 1, 2), (3, 4)]),
        ("R2 R3 B5 K5 O5", [(0, 1), (2, 3, 4)]),
        ("R1 R2 R3 B5 K5 O5", [(0, 1, 2), (3, 4, 5)]),
        ("R1 R2 K7 B5 K5", []),
    ],
)
def test_a_covered_tile_may_go_on_with_the_first_or_the_last_set(text: str, parts: list[tuple[int, ...]]) -> None:
    one = judged(text, covered=Covered(at_sets=(0,)))
    assert (one.legal, list(one.parts)) == ((None, parts) if parts else (False, []))


def test_a_face_down_tile_may_go_on_with_its_set() -> None:
    one = judged("R1 R2 R3 B5 ? O5")
    assert (one.legal, one.parts) == (None, ((0, 1, 2), (3, 4, 5)))
    one = judged("R1 R2 R3 B5 K9 ? O5")
    assert (one.legal, one.parts) == (False, ())


def test_each_row_is_cut_by_itself() -> None:
    ruling = judge_table(seen("R1 R2 R3 B5 K5 O5 | K9 B9 | O1-3"), INTERNATIONAL)
    assert [one.legal for one in ruling.sets] == [None, False, True]
    assert ruling.verdict is Verdict.ILLEGAL


def test_a_row_of_twenty_sets_is_cut_at_once() -> None:
    row = " ".join(["R7 B7 K7", "R4 R5 R6"] * 10)
    assert len(judged(row).parts) == 20


legal_rows = st.sampled_from(["R1 R2 R3", "B5 K5 O5", "K9 K10 K11 K12", "R7 B7 K7 O7", "O3 J O5"])


@given(st.lists(legal_rows, min_size=1, max_size=5))
def test_sets_in_one_line_are_never_illegal_and_legal_only_as_one(rows: list[str]) -> None:
    line = " ".join(rows)
    one = judged(line)
    whole = judge_set([parse_tile(code) for code in line.split()], INTERNATIONAL)
    assert one.legal is (True if whole.legal else None)
    assert sorted(i for part in one.parts for i in part) == ([] if whole.legal else list(one.tiles))


@given(st.lists(st.floats(-0.3, 0.3), min_size=1, max_size=9), st.data())
def test_a_cut_is_into_the_fewest_pieces_that_are_sets(gaps: list[float], data: st.DataObject) -> None:
    count = len(gaps) + 1
    stretches = [(start, end) for end in range(1, count + 1) for start in range(end)]
    sets = data.draw(st.sets(st.sampled_from(stretches)))
    ways = [[0]]
    every: list[list[int]] = []
    while ways:
        way = ways.pop()
        for start, end in sets:
            if start == way[-1] and (start, end) != (0, count):
                (every if end == count else ways).append([*way, end])
    found = best_cut(gaps, lambda start, end: (start, end) in sets)
    if not every:
        assert found is None
        return
    assert isinstance(found, Cut)
    fewest = [way for way in every if len(way) == min(map(len, every))]
    assert [0, *found.starts, count] in fewest
    assert (
        not found.only
        or len(fewest) == 1
        or max(_width(way, gaps) for way in fewest) == pytest.approx(_width([0, *found.starts, count], gaps))
    )
    assert found.only or len(fewest) > 1


def _width(way: list[int], gaps: list[float]) -> float:
    return sum(gaps[start - 1] for start in way[1:-1])
