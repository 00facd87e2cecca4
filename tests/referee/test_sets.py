"""One set by itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations_with_replacement, permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.findings import FindingCode, Severity
from referee.notation import parse_set
from referee.preset_files import load_ruleset
from referee.ruleset import RowOrder, RuleSet
from referee.sets import SetKind, SetRuling, can_be_completed, judge_set
from referee.tiles import Tile, parse_tile
from tests.referee import oracle
from tests.referee.strategies import groups, near_sets, plain_tiles, regular_tiles, runs

RULES = load_ruleset()


def tiles(text: str) -> list[Tile]:
    return [tile for place in parse_set(text) if (tile := place.tile)]


def judge(text: str, rules: RuleSet = RULES, exhausted: str = "") -> SetRuling:
    return judge_set(tiles(text), rules, frozenset(parse_tile(code) for code in exhausted.split()))


def faults(ruling: SetRuling) -> dict[str, tuple[int, ...]]:
    return {finding.code.value: finding.tiles for finding in ruling.findings}


def score_tool_legal(codes: Sequence[str]) -> bool:
    """Classic legality by content, as photos are scored: jokers stand for any tile."""
    count = len(codes)
    plain = [(code[0], int(code[1:])) for code in codes if code != "J"]
    if not 3 <= count <= 13 or not plain:
        return 3 <= count <= 13
    colours, numbers = {colour for colour, _ in plain}, {number for _, number in plain}
    if len(numbers) == 1 and len(colours) == len(plain) and count <= 4:
        return True
    return len(colours) == 1 and len(numbers) == len(plain) and max(numbers) - min(numbers) < count


@pytest.mark.parametrize(
    ("text", "kind", "value", "meanings"),
    [
        ("R5 J R7", "run", 18, ["R6"]),
        ("J R6 R7", "run", 18, ["R5"]),
        ("R7 R6 J", "run", 18, ["R5"]),
        ("R5 J J R8", "run", 26, ["R6", "R7"]),
        ("R12 R13 J", "run", 36, ["R11"]),
        ("R7 B7 J", "group", 21, ["K7 O7"]),
        ("R7 J K7 O7", "group", 28, ["B7"]),
        ("J K7 J", "group", 21, None),
        ("J J R7", "run", 24, ["R9 R5 B7 K7 O7", "R8 R6 K7 B7 O7"]),
        ("R5 R7 R6 J", "run", 26, ["R8 R4"]),
        ("J J J", "group", 39, None),
    ],
)
def test_what_jokers_stand_for(text: str, kind: str, value: int, meanings: list[str] | None) -> None:
    ruling = judge(text)
    assert (ruling.legal, ruling.value) == (True, value)
    if text != "J K7 J":  # K6 K7 K8 and the sevens are worth the same
        assert ruling.kind.value == kind
    assert [meaning.place for meaning in ruling.meanings] == [i for i, tile in enumerate(tiles(text)) if tile.is_joker]
    assert all(meaning.possible[0] == meaning.stands_for for meaning in ruling.meanings)
    if meanings is not None:
        assert [" ".join(str(tile) for tile in meaning.possible) for meaning in ruling.meanings] == meanings


def test_params_of_the_findings() -> None:
    def params(text: str) -> dict[str, object]:
        (finding,) = judge(text).findings
        return dict(finding.params)

    assert params("R5 R6") == {"length": 2, "least": 3}
    assert params("R7 B7 K7 O7 J") == {"length": 5, "most": 4}
    assert params("R5 R6 R9") == {"missing": (7, 8)}
    assert params("R5 R6 B7") == {"colour": "R"}
    assert params("R5 B6 K7") == {"colour": ""}
    assert params("R7 B7 K8") == {"number": 7}
    assert params("R7 B7 R7") == {"tile": "R7"}
    assert params("R12 R13 J") == {"numbers": (14,)}
    assert judge("R5 R6").findings[0].param("least") == 3
    with pytest.raises(KeyError):
        judge("R5 R6").findings[0].param("most")


def test_a_note_leaves_a_set_legal_and_a_fault_does_not() -> None:
    scrambled = judge("R6 R5 R7")
    assert (scrambled.legal, scrambled.findings[0].severity) == (True, Severity.NOTE)
    assert judge("R5 R6").findings[0].severity is Severity.FAULT


def test_switch_row_order() -> None:
    strict = replace(RULES, row_order=RowOrder.ILLEGAL)
    assert faults(judge("R6 R5 R7", strict)) == {"scrambled": (0, 1, 2)}
    assert faults(judge("R12 R13 J", strict)) == {"joker_out_of_range": (2,)}
    assert judge("R6 R5 R7", strict).legal is False
    assert judge("R7 R6 R5", strict).legal is True
    assert judge("K7 R7 J", strict).legal is True


def test_switch_min_set_length() -> None:
    longer = replace(RULES, min_set_length=4)
    assert faults(judge("R5 R6 R7", longer)) == {"too_short": (0, 1, 2)}
    assert judge("R5-8", longer).legal is True


def test_switch_wrap_13_1() -> None:
    wrapping = replace(RULES, wrap_13_1=True)
    assert judge("R12 R13 R1", wrapping).value == 26
    assert judge("R2 R1 R13", wrapping).value == 16
    assert [str(meaning.stands_for) for meaning in judge("R12 R13 J", wrapping).meanings] == ["R1"]
    assert judge("R13 J R2", wrapping).value == 16
    assert judge("R13 R1 R12", wrapping).findings[0].code is FindingCode.SCRAMBLED
    assert judge("R1-13", wrapping).value == 91
    assert faults(judge("R12 R13 R1 R5", wrapping)) == {"gap": (3,)}
    assert judge("R12 R13 R1").legal is False


def test_switch_jokers_per_set_max() -> None:
    single = replace(RULES, jokers_per_set_max=1)
    assert faults(judge("R5 J J", single)) == {"too_many_jokers": (1, 2)}
    assert faults(judge("R5 J B9 J", single)).keys() >= {"too_many_jokers"}
    assert judge("R5 J R7", single).legal is True
    assert not can_be_completed(tiles("R5 J J"), single)


def test_switch_jokers_adjacent() -> None:
    apart = replace(RULES, jokers_adjacent=False)
    assert faults(judge("R5 J J R8", apart)) == {"adjacent_jokers": (1, 2)}
    assert judge("J R6 J", apart).legal is True
    # a group has no order, so its jokers have no neighbours
    assert judge("R5 B5 J J", apart).legal is True
    assert (judge("J J R7", apart).kind, judge("J J R7", apart).value) == (SetKind.GROUP, 21)
    assert faults(judge("R5 J J R8 R10", apart)).keys() == {"gap", "adjacent_jokers"}


def test_switch_joker_for_exhausted_tile() -> None:
    strict = replace(RULES, joker_for_exhausted_tile=False)
    assert judge("R5 J R7", RULES, "R6").legal is True
    assert faults(judge("R5 J R7", strict, "R6")) == {"joker_for_exhausted_tile": (1,)}
    assert judge("R5 J R7", strict, "R5 R7 B6").legal is True
    assert judge("R7 B7 J", strict, "K7").meanings[0].possible == (parse_tile("O7"),)
    assert judge("R7 B7 J", strict, "K7 O7").legal is False
    assert judge("R7 J J", strict, "R8 R9").value == 21
    (finding,) = judge("R5 J R7", strict, "R6").findings
    assert finding.param("exhausted") == ("R6",)


def test_two_switches_that_leave_nothing_together_are_both_named() -> None:
    strict = replace(RULES, jokers_adjacent=False, joker_for_exhausted_tile=False)
    ruling = judge("R7 J J", strict, "B7 K7")
    assert ruling.legal is False
    assert faults(ruling).keys() == {"adjacent_jokers", "joker_for_exhausted_tile"}


def test_sets_with_special_jokers_may_always_be_completed() -> None:
    for text in ("R7 JM R7", "R5 JD R8", "R6 JC B8", "R5 R6 R7 JD"):
        assert can_be_completed(tiles(text), RULES)


def test_a_set_has_tiles() -> None:
    with pytest.raises(ValueError, match="at least one tile"):
        judge_set([], RULES)


def check_against_oracle(candidate: Sequence[Tile]) -> None:
    legal, value = oracle.judged(candidate)
    ruling = judge_set(candidate, RULES)
    assert (ruling.legal, ruling.value) == (legal, value)
    assert legal == score_tool_legal([str(tile) for tile in candidate])
    assert legal == (not any(finding.severity is Severity.FAULT for finding in ruling.findings))


def test_every_small_set_agrees_with_the_definition() -> None:
    """All sets of up to four tiles from a small world with the ends 1 and 13, in every order."""
    world = [parse_tile(code) for code in ("R1", "R2", "R12", "R13", "B1", "B2", "B13", "K1", "J")]
    for length in (1, 2, 3, 4):
        for content in combinations_with_replacement(world, length):
            if sum(tile.is_joker for tile in content) > 1:
                continue
            for laid in set(permutations(content)):
                check_against_oracle(laid)


@given(near_sets().filter(lambda one: sum(tile.is_joker for tile in one) <= 2))
def test_sets_agree_with_the_definition(candidate: list[Tile]) -> None:
    check_against_oracle(candidate)


@given(st.lists(regular_tiles, min_size=1, max_size=15))
def test_any_tiles_agree_with_the_scoring_of_photos(candidate: list[Tile]) -> None:
    assert judge_set(candidate, RULES).legal == score_tool_legal([str(tile) for tile in candidate])


@given(runs())
def test_reversing_a_run_never_matters(run: list[Tile]) -> None:
    ruling, reversed_ruling = judge_set(run, RULES), judge_set(run[::-1], RULES)
    assert ruling.legal is reversed_ruling.legal is True
    assert ruling.value == reversed_ruling.value


@given(groups(), st.data())
def test_permuting_a_group_never_matters(group: list[Tile], data: st.DataObject) -> None:
    shuffled = data.draw(st.permutations(group))
    assert judge_set(group, RULES).legal is judge_set(shuffled, RULES).legal is True
    if sum(tile.is_joker for tile in group) < len(group) - 1:  # else it may also be a run
        assert judge_set(group, RULES).value == judge_set(shuffled, RULES).value


@given(near_sets())
def test_findings_point_into_the_set_and_name_each_tile_once(candidate: list[Tile]) -> None:
    for finding in judge_set(candidate, RULES).findings:
        assert finding.tiles
        assert list(finding.tiles) == sorted(set(finding.tiles))
        assert set(finding.tiles) <= set(range(len(candidate)))


@given(near_sets(), st.lists(plain_tiles, max_size=2))
@settings(max_examples=60)
def test_whatever_is_legal_with_more_tiles_can_be_completed(candidate: list[Tile], more: list[Tile]) -> None:
    if judge_set([*candidate, *more], RULES).legal:
        assert can_be_completed(candidate, RULES)


@pytest.mark.parametrize(
    ("text", "possible"),
    [("R5 R9", True), ("R5 B5", True), ("R1 R13", True), ("R5 B9", False), ("R5 R5", False), ("R7 B7 K7 O7 J", False)],
)
def test_what_can_be_completed(text: str, possible: bool) -> None:
    assert can_be_completed(tiles(text), RULES) is possible


@pytest.mark.parametrize("text", ["R5 R6 R7 JM R7 R6 R5", "R5 R6 JC B8 B9", "R5 JD R8", "R7 JD K7"])
def test_a_further_tile_may_be_a_special_joker(text: str) -> None:
    twist = load_ruleset("twist-pl")
    assert judge(text, twist).legal
    others = [tile for tile in tiles(text) if tile.joker is None]
    assert can_be_completed(others, twist)
    assert can_be_completed(others, twist, tiles(text))
    assert can_be_completed(others, RULES) is ("JD" in text)
