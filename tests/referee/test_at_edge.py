"""Sets and single tiles that the picture's edge may have cut off from their neighbours."""

from __future__ import annotations

from dataclasses import replace
from math import cos, radians, sin

import pytest

from referee.findings import FindingCode, Severity
from referee.observation import Observation, Quad
from referee.preset_files import load_ruleset
from referee.ruling import Verdict, judge_table
from tests.referee.builders import TILE_W, table

RULES = load_ruleset("international")
IN_VIEW = 0.8
"""Widths beyond a row's end in which a whole neighbour would have been found."""


def cut_right_of(observation: Observation, widths: float) -> Observation:
    """The same picture, ending so many tile widths right of its rightmost tile."""
    right = max(x for tile in observation.tiles for x, _ in tile.quad)
    return replace(observation, width=round(right + widths * TILE_W))


def turned(observation: Observation, degrees: float, margin: float) -> Observation:
    """Every tile turned, in a picture with this margin, in tile widths, around them all."""
    c, s = cos(radians(degrees)), sin(radians(degrees))
    spun = [[(c * x - s * y, s * x + c * y) for x, y in tile.quad] for tile in observation.tiles]
    least, most = ([bound(p[axis] for quad in spun for p in quad) for axis in (0, 1)] for bound in (min, max))
    away = margin * TILE_W
    quads: list[Quad] = []
    for quad in spun:
        a, b, d, e = ((x - least[0] + away, y - least[1] + away) for x, y in quad)
        quads.append((a, b, d, e))
    tiles = tuple(replace(tile, quad=quad) for tile, quad in zip(observation.tiles, quads, strict=True))
    width, height = (round(high - low + 2 * away) for low, high in zip(least, most, strict=True))
    return replace(observation, width=width, height=height, tiles=tiles)


@pytest.mark.parametrize("text", ["K4 K5", "K4 K5 K7", "R7 B7", "K4 J", "K5 K4"])
@pytest.mark.parametrize("widths", [0.0, 0.3, 0.55])
def test_a_set_that_may_go_on_beyond_the_edge_is_not_ruled_illegal(text: str, widths: float) -> None:
    ruling = judge_table(cut_right_of(table(text, gap=0.02), widths), RULES)
    assert ruling.verdict is Verdict.CANNOT_TELL
    assert [finding.code for finding in ruling.sets[0].findings] == [FindingCode.SET_AT_EDGE]


@pytest.mark.parametrize("degrees", [0, 12, 90, 180, 250])
def test_any_edge_may_cut_a_set_that_lies_any_way(degrees: float) -> None:
    seen = table("K4 K5", gap=0.02)
    assert judge_table(turned(seen, degrees, 0.1), RULES).verdict is Verdict.CANNOT_TELL
    assert judge_table(turned(seen, degrees, 1.0), RULES).verdict is Verdict.ILLEGAL


@pytest.mark.parametrize("text", ["R4 B5", "K4 K4", "R7 B7 R7"])
def test_what_no_tile_could_complete_is_illegal_at_the_edge_too(text: str) -> None:
    assert judge_table(cut_right_of(table(text, gap=0.02), 0.1), RULES).verdict is Verdict.ILLEGAL


def test_the_edge_makes_no_legal_set_doubtful() -> None:
    assert judge_table(cut_right_of(table("K4 K5 K6", gap=0.02), 0.1), RULES).verdict is Verdict.LEGAL


@pytest.mark.parametrize("text", ["K4 K5", "K4 K5 K7"])
def test_with_room_for_a_neighbour_a_set_is_judged_as_seen(text: str) -> None:
    assert judge_table(cut_right_of(table(text, gap=0.02), IN_VIEW), RULES).verdict is Verdict.ILLEGAL


def test_an_edge_along_a_row_cuts_none_of_its_neighbours() -> None:
    seen = table("K4 K5", gap=0.02)
    low = max(y for tile in seen.tiles for _, y in tile.quad)
    assert judge_table(replace(seen, height=round(low) + 1), RULES).verdict is Verdict.ILLEGAL


@pytest.mark.parametrize(("widths", "severity"), [(0.2, Severity.DOUBT), (IN_VIEW, Severity.FAULT)])
def test_a_single_tile_at_the_edge_may_belong_to_a_set(widths: float, severity: Severity) -> None:
    found = judge_table(cut_right_of(table("K4 K5 K6 | R9"), -2 + widths), RULES).findings
    assert [finding.severity for finding in found if finding.code is FindingCode.LOOSE_TILE] == [severity]


def test_what_was_written_down_has_no_edge() -> None:
    written = replace(table("K4 K5 | R9"), width=0, height=0)
    ruling = judge_table(written, RULES)
    assert ruling.verdict is Verdict.ILLEGAL
    assert ruling.findings[0].severity is Severity.FAULT
