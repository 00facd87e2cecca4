"""Sets with double, colour-change and mirror jokers."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations, product

import pytest

from referee.findings import FindingCode
from referee.notation import parse_set
from referee.preset_files import load_ruleset
from referee.set_ruling import SetKind, SetRuling
from referee.sets import judge_set
from referee.switches import RowOrder
from referee.tiles import Tile, parse_tile
from tests.referee import special_oracle

TWIST = load_ruleset("twist-pl")


def tiles(text: str) -> list[Tile]:
    return [tile for place in parse_set(text) if (tile := place.tile)]


def judge(text: str, **changes: object) -> SetRuling:
    return judge_set(tiles(text), replace(TWIST, **changes))  # type: ignore[arg-type]  # switches of any kind


@pytest.mark.parametrize(
    ("text", "kind", "value", "meanings"),
    [
        ("R5 JD R8", "run", 26, ["R6 R7"]),
        ("JD R3 R4", "run", 10, ["R1 R2"]),
        ("R4 R3 JD", "run", 10, ["R2 R1"]),
        ("R11 JD J", "group", 44, ["B11 K11", "O11"]),
        ("R7 B7 JD", "group", 28, ["K7 O7"]),
        ("R6 R7 JC B9 B10", "run", 40, ["R8 B8"]),
        ("B9 JC R7", "run", 24, ["B8 R8"]),
        ("R2 JC B4 JC K6", "run", 20, ["R3 B3", "B5 K5"]),
        ("R7 JM R7", "run", 14, []),
        ("R5-7 JM R7-5", "run", 36, []),
        ("R7 B7 JM K7 J JM", "none", None, []),
        ("R7 B7 JM B7 R7", "group", 28, []),
        ("R7 B7 JM R7 B7", "group", 28, []),
        ("R7 J JM R8 R7", "run", 30, ["R8"]),
        ("R5 JD JM R7-5", "run", 36, ["R6 R7"]),
    ],
)
def test_what_special_jokers_stand_for(text: str, kind: str, value: int | None, meanings: list[str]) -> None:
    ruling = judge(text)
    assert (ruling.kind.value, ruling.value) == (kind, value)
    told = [" ".join(str(tile) for tile in (one.stands_for, one.beside) if tile) for one in ruling.meanings]
    assert told == meanings


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("R5 JD", {"too_short"}),
        ("JD R2 R3", {"joker_out_of_range"}),
        ("R11 R12 JD", {"joker_out_of_range"}),
        ("R5 JD R7", {"neither_run_nor_group"}),
        ("R7 B7 K7 JD", {"neither_run_nor_group"}),
        ("R6 JC R8", {"colour_not_changed"}),
        ("R6 JC B9", {"neither_run_nor_group"}),
        ("R6 R7 JC", {"colour_change_at_end"}),
        ("JC R6 R7", {"colour_change_at_end"}),
        ("R7 JC B7", {"neither_run_nor_group"}),
        ("R5 R6 JM R6", {"mirror_not_central"}),
        ("R5 R6 R7 JM", {"mirror_not_central"}),
        ("R5 R6 JM R5 R6", {"mirror_sides_differ"}),
        ("R5 JM B5", {"mirror_sides_differ"}),
        ("R1 JC B3 JC K5 JC O7", {"too_many_colour_changes"}),
        ("R7 JM JM R7", {"too_many_mirrors"}),
    ],
)
def test_what_special_jokers_may_not_do(text: str, codes: set[str]) -> None:
    ruling = judge(text)
    assert ruling.legal is False
    assert {finding.code.value for finding in ruling.findings} == codes


@pytest.mark.parametrize(
    ("text", "switch", "value", "code"),
    [
        ("JD R3 R4", "double_at_ends", False, FindingCode.DOUBLE_AT_END),
        ("R7 B7 JD", "double_in_group", False, FindingCode.DOUBLE_IN_GROUP),
        ("R2 JC B4 JC K6", "colour_changes_per_run", 1, FindingCode.TOO_MANY_COLOUR_CHANGES),
        ("R7 JM R7", "mirror_side_least", 2, FindingCode.MIRROR_SIDE_SHORT),
        ("R7 B7 JM B7 R7", "mirror_in_group", False, FindingCode.MIRROR_IN_GROUP),
        ("R5 JD JC B9", "special_jokers_per_set_max", 1, FindingCode.TOO_MANY_SPECIAL_JOKERS),
        ("R5 JD J R9", "jokers_per_set_max", 1, FindingCode.TOO_MANY_JOKERS),
        ("R5 JD J R9", "jokers_adjacent", False, FindingCode.ADJACENT_JOKERS),
        ("R5 R8 JD", "row_order", RowOrder.ILLEGAL, FindingCode.SCRAMBLED),
        ("R5 JD R8", "min_set_length", 4, FindingCode.TOO_SHORT),
    ],
)
def test_each_switch_decides(text: str, switch: str, value: object, code: FindingCode) -> None:
    assert judge(text).legal is True
    ruling = judge(text, **{switch: value})
    assert ruling.legal is False
    assert [finding.code for finding in ruling.findings] == [code]


def test_no_special_joker_stands_for_an_exhausted_tile_where_that_is_forbidden() -> None:
    strict = replace(TWIST, joker_for_exhausted_tile=False)
    gone = frozenset({parse_tile("R6")})
    assert judge_set(tiles("R5 JD R8"), TWIST, gone).legal is True
    (finding,) = judge_set(tiles("R5 JD R8"), strict, gone).findings
    assert (finding.code, finding.param("exhausted")) == (FindingCode.JOKER_FOR_EXHAUSTED_TILE, ("R6",))
    assert judge_set(tiles("R5 R6 JD"), strict, gone).legal is True


def test_wrapping_runs_take_special_jokers_too() -> None:
    assert judge("R12 JD R2", wrap_13_1=True).value == 12 + 13 + 1 + 2
    assert judge("R12 JD R2").legal is False


def test_small_sets_agree_with_the_definition() -> None:
    """Every order of a special joker, perhaps a second one, and tiles around one spot or at the ends."""
    plain = [parse_tile(code) for code in ("R6", "R7", "B8", "R1")]
    double, change, mirror = (parse_tile(code) for code in ("JD", "JC", "JM"))
    seen = set()
    for joker, one, other in product((double, change, mirror), plain, plain):
        seen |= set(permutations([joker, one, other]))
    for one, other in product(plain[:2], plain[1:3]):
        seen |= set(permutations([mirror, one, other, parse_tile("J"), one]))
        seen |= set(permutations([change, one, other, parse_tile("B9")]))
    for joker in (double, change, mirror):
        seen |= set(permutations([joker, plain[0], parse_tile("J")]))
    unruly = 0
    for laid in seen:
        legal, value = special_oracle.judged(laid)
        ruling = judge_set(laid, TWIST)
        scrambled = any(finding.code is FindingCode.SCRAMBLED for finding in ruling.findings)
        if scrambled:
            unruly += 1
            assert not legal, "what lies in order is not called scrambled"
        else:
            assert (ruling.legal, ruling.value) == (legal, value), [str(tile) for tile in laid]
        assert (ruling.kind is SetKind.NONE) is (not ruling.legal)
    assert unruly < len(seen) / 10
