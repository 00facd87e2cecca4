"""A joker whose kind the picture does not tell stays open among the kinds of its box."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.census import count_box
from referee.changes import compare_tables
from referee.findings import FindingCode, Severity
from referee.joker_kinds import with_joker_kinds
from referee.notation import parse_rack, sure
from referee.observation import Kind, Observation, Reading, SeenTile
from referee.preset_files import load_ruleset
from referee.ruleset import RuleSet, box_faces
from referee.ruling import JudgedSet, TableRuling, Verdict, judge_table
from referee.sets import judge_set
from referee.table import plausible
from referee.tiles import Joker, Tile, parse_tile
from tests.referee.builders import Covered, observe, quad_at, table
from tests.referee.strategies import tables

RULES = load_ruleset()
TWIST = load_ruleset("twist-pl")
NO_JOKERS = replace(RULES, regular_jokers=0)
DOUBLES_ALONE = replace(RULES, regular_jokers=0, double_jokers=2)
REGULAR_AND_DOUBLE = replace(RULES, regular_jokers=2, double_jokers=1)
TWIST_KINDS = ("J", "JD", "JC", "JM")


def seen(*readings: tuple[str, float], doubtful: bool = False) -> SeenTile:
    listed = tuple(Reading(parse_tile(code), p) for code, p in readings)
    return SeenTile(quad_at(0, 0), Kind.FACE, listed, 0.9 * listed[0].p, doubtful)


def opened(tile: SeenTile, rules: RuleSet = TWIST) -> SeenTile:
    picture = Observation(100, 100, table("R1").scene, (tile,), (), (0,))
    return with_joker_kinds(picture, rules).tiles[0]


def readings(tile: SeenTile) -> list[tuple[str, float]]:
    return [(str(reading.tile), round(reading.p, 9)) for reading in tile.readings]


def judged(text: str, rules: RuleSet = TWIST, covered: Covered | None = None) -> TableRuling:
    return judge_table(with_joker_kinds(table(text, covered=covered or Covered()), rules), rules)


def only_set(text: str, rules: RuleSet = TWIST) -> JudgedSet:
    (one,) = judged(text, rules).sets
    return one


# --- one tile ---------------------------------------------------------------------------------------------------


def test_a_sure_joker_is_open_among_the_kinds_of_the_box() -> None:
    tile = opened(seen(("J", 0.96), ("R5", 0.03)))
    assert readings(tile) == [*((kind, 0.24) for kind in TWIST_KINDS), ("R5", 0.03)]
    assert (tile.doubtful, tile.joker_open) == (True, True)
    assert tile.confidence == pytest.approx(0.9 * 0.24)
    assert [str(one) for one in plausible(tile).tiles] == list(TWIST_KINDS)
    assert not plausible(tile).anything


def test_the_kinds_share_by_their_counts() -> None:
    tile = opened(seen(("J", 0.9)), REGULAR_AND_DOUBLE)
    assert readings(tile) == [("J", 0.6), ("JD", 0.3)]
    more_doubles = replace(REGULAR_AND_DOUBLE, double_jokers=4, boxes=2)
    assert readings(opened(seen(("J", 0.9)), more_doubles)) == [("JD", 0.6), ("J", 0.3)]


@pytest.mark.parametrize("rules", [RULES, NO_JOKERS, load_ruleset("tw"), load_ruleset("wrc")])
def test_a_box_without_special_jokers_changes_nothing(rules: RuleSet) -> None:
    picture = table("R5 J R7 | J/R9 B9 K9 | ? ?")
    assert with_joker_kinds(picture, rules) is picture


def test_special_jokers_of_one_kind_alone_are_that_kind() -> None:
    before = seen(("J", 0.97), ("R5", 0.02))
    tile = opened(before, DOUBLES_ALONE)
    assert readings(tile) == [("JD", 0.97), ("R5", 0.02)]
    assert (tile.doubtful, tile.joker_open, tile.confidence) == (False, False, before.confidence)
    assert only_set("R5 J R8", DOUBLES_ALONE).legal is True
    assert only_set("R5 J R7", DOUBLES_ALONE).legal is False


def test_tiles_that_are_no_jokers_stay_as_sure_as_they_were() -> None:
    number, doubtful = seen(("R5", 0.95), ("J", 0.04)), seen(("R5", 0.9), ("R6", 0.08), doubtful=True)
    tile = opened(number)
    assert readings(tile) == [("R5", 0.95), *((kind, 0.01) for kind in TWIST_KINDS)]
    assert (tile.doubtful, tile.joker_open, tile.confidence) == (False, False, number.confidence)
    assert opened(doubtful) == doubtful
    back = SeenTile(quad_at(0, 0), Kind.BACK, (), 0.9, doubtful=False)
    assert opened(back) is back


def test_a_joker_that_is_itself_in_doubt_is_doubtful_and_not_open() -> None:
    before = seen(("J", 0.6), ("R5", 0.38), doubtful=True)
    tile = opened(before)
    assert readings(tile) == [("R5", 0.38), *((kind, 0.15) for kind in TWIST_KINDS)]
    assert (tile.doubtful, tile.joker_open) == (True, False)
    assert tile.confidence == pytest.approx(0.9 * 0.38)


@pytest.mark.parametrize("p", [0.011, 0.012, 0.03])
def test_sharing_out_takes_no_joker_from_what_a_tile_may_be(p: float) -> None:
    """Each kind may be too improbable to look at, the joker's face is not."""
    tile = seen(("R5", 0.9 - p), ("R6", 0.1), ("J", p), doubtful=True)
    assert {str(one) for one in plausible(tile).tiles} == {"R5", "R6", "J"}
    assert {str(one) for one in plausible(opened(tile)).tiles} == {"R5", "R6", *TWIST_KINDS}


# --- sets and tables --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "legal"),
    [
        ("R5 J R7", None),
        ("R5 J R8", None),
        ("R5 R6 J B8 B9", None),
        ("R5 R6 J R6 R5", None),
        ("R5 J K9 B2", False),
        ("R5 R5 J R9", False),
        ("R7 J B7 J", False),  # legal with two regular jokers, and there is one
        ("R5 J J R8", None),
        ("R5 J J R9", None),
        ("J J J J", False),
        ("R5 R6 R7", True),
    ],
)
def test_a_set_is_told_only_where_every_kind_says_the_same(text: str, legal: bool | None) -> None:
    one = only_set(text)
    assert one.legal is legal
    if legal is None:
        assert {finding.code for finding in one.findings} == {FindingCode.JOKER_KIND}
        assert all(finding.severity is Severity.DOUBT for finding in one.findings)
        assert one.findings[0].param("readings") == TWIST_KINDS
    if legal is False:
        assert any(finding.severity is Severity.FAULT for finding in one.findings)


def test_a_set_that_is_legal_with_every_kind_is_legal_without_a_value() -> None:
    one = only_set("R5 R6 R7 J", REGULAR_AND_DOUBLE)
    assert (one.legal, one.value, one.meanings) == (True, None, ())
    assert [(finding.code, finding.severity) for finding in one.findings] == [(FindingCode.JOKER_KIND, Severity.NOTE)]
    assert judged("R5 R6 R7 J", REGULAR_AND_DOUBLE).verdict is Verdict.LEGAL


def test_only_faults_that_every_kind_has_are_claimed() -> None:
    one = only_set("R5 J K9 B2")
    named = {finding.code for finding in one.findings if finding.severity is Severity.FAULT}
    assert named == {FindingCode.NEITHER_RUN_NOR_GROUP}
    # one alone is too short, whatever it is
    assert FindingCode.TOO_SHORT in {finding.code for finding in only_set("R5 J", TWIST).findings}


PLAIN = st.sampled_from([tile for tile in box_faces() if not tile.is_joker and tile.number and tile.number < 7])
SOME_SETS = st.lists(PLAIN, min_size=1, max_size=4).flatmap(
    lambda tiles: st.permutations([*tiles, parse_tile("J"), parse_tile("J")])
)


@given(SOME_SETS, st.integers(1, 2))
@settings(max_examples=25)
def test_every_way_to_share_out_the_kinds_is_looked_at(tiles: list[Tile], boxes: int) -> None:
    """Against all permutations of the jokers that really lie in the box."""
    rules = replace(TWIST, boxes=boxes)
    jokers = [Tile(joker=kind) for kind in Joker for _ in range(boxes)]
    places = [i for i, tile in enumerate(tiles) if tile.is_joker]
    legalities = set()
    for kinds in set(permutations(jokers, len(places))):
        laid = list(tiles)
        for place, kind in zip(places, kinds, strict=True):
            laid[place] = kind
        legalities.add(judge_set(laid, rules).legal)
    picture = with_joker_kinds(observe([sure(*tiles)]), rules)
    assert judge_table(picture, rules).sets[0].legal is (legalities.pop() if len(legalities) == 1 else None)


@given(tables)
@settings(max_examples=30)
def test_nothing_becomes_legal_or_illegal_by_guessing_a_kind(sets: list[list[Tile]]) -> None:
    """What is told with open jokers is told with any kind that one of them may be."""
    picture = observe([sure(*one) for one in sets])
    told = judge_table(with_joker_kinds(picture, TWIST), TWIST)
    as_read = judge_table(picture, TWIST)
    for open_one, one in zip(told.sets, as_read.sets, strict=True):
        if sum(tile.is_joker for tile in (picture.tiles[i].readings[0].tile for i in one.tiles)) <= 1:
            assert open_one.legal in {None, one.legal}


def test_a_doubt_between_jokers_that_the_box_does_not_hold_stays_one() -> None:
    assert judge_table(table("R5 J/JD R7"), RULES).verdict is Verdict.CANNOT_TELL
    assert judge_table(table("R5 JD/J R7"), RULES).verdict is Verdict.CANNOT_TELL


def test_more_jokers_than_can_be_tried_are_never_legal() -> None:
    two_boxes = replace(TWIST, boxes=2)
    assert only_set("R5 J J J J J R11", two_boxes).legal is None


def test_jokers_are_counted_together() -> None:
    four = "R5 J R7 | B5 J B7 | K5 J K7 | O5 J O7"
    codes = {finding.code for finding in judged(four).findings}
    assert FindingCode.TOO_MANY_COPIES not in codes
    (finding,) = judged(f"{four} | R1 B1 K1 J").findings
    assert (finding.code, finding.param("tile"), finding.param("count"), finding.param("held")) == (
        FindingCode.TOO_MANY_COPIES, "J/JD/JC/JM", 5, 4,
    )  # fmt: skip
    assert len(finding.tiles) == 5
    # a joker in doubt may be of any kind too: no single kind is counted
    doubtful = judged("R5 J/R6 R7 | B5 J/B6 B7")
    assert FindingCode.TOO_MANY_COPIES not in {finding.code for finding in doubtful.all_findings}


def test_a_loose_joker_of_whatever_kind_is_a_loose_tile() -> None:
    ruling = judged("R5 R6 R7 | J")
    assert ruling.verdict is Verdict.ILLEGAL
    assert [(finding.code, finding.severity) for finding in ruling.findings] == [
        (FindingCode.LOOSE_TILE, Severity.FAULT), (FindingCode.JOKER_KIND, Severity.NOTE),
    ]  # fmt: skip


def test_a_covered_tile_beside_an_open_joker() -> None:
    assert judged("R5 J B9", covered=Covered(at_sets=(0,))).verdict is Verdict.CANNOT_TELL


def test_a_sure_tile_is_suspect_where_some_kind_would_make_its_set_legal() -> None:
    picture = table("R5 J R9")
    nearly = replace(picture.tiles[2], readings=(Reading(parse_tile("R9"), 0.99), Reading(parse_tile("R8"), 0.004)))
    changed = replace(picture, tiles=(*picture.tiles[:2], nearly))
    assert only_set("R5 J R9").legal is False
    (one,) = judge_table(with_joker_kinds(changed, TWIST), TWIST).sets
    assert one.legal is None
    assert one.findings[0].code is FindingCode.SUSPECT_TILE
    assert (one.findings[0].param("read"), one.findings[0].param("instead")) == ("R9", "R8")


def test_a_sure_joker_is_suspect_where_a_number_would_make_its_set_legal() -> None:
    one_joker = replace(TWIST, jokers_per_set_max=1)
    picture = table("R5 J J R8")
    joker = replace(picture.tiles[1], readings=(Reading(parse_tile("J"), 0.99), Reading(parse_tile("R6"), 0.004)))
    changed = replace(picture, tiles=(picture.tiles[0], joker, *picture.tiles[2:]))
    assert only_set("R5 J J R8", one_joker).legal is False
    (one,) = judge_table(with_joker_kinds(changed, one_joker), one_joker).sets
    assert one.legal is None
    assert [finding.param("instead") for finding in one.findings if finding.code is FindingCode.SUSPECT_TILE] == ["R6"]


# --- two photos, and the census ---------------------------------------------------------------------------------


def compared(before: str, after: str) -> tuple[list[tuple[str, str, bool]], list[Severity]]:
    pictures = (with_joker_kinds(table(text), TWIST) for text in (before, after))
    changes = compare_tables(*pictures)
    told = [(change.kind.value, change.named, change.doubtful) for change in changes.changes]
    return told, [finding.severity for finding in changes.findings]


def test_a_joker_that_is_gone_is_gone_whatever_it_was() -> None:
    gone = ([("taken", "J/JD/JC/JM", False)], [Severity.FAULT])
    assert compared("R5 J R7 | B1 B2 B3", "R5 R7 | B1 B2 B3") == gone
    assert compared("R5 R7 | B1 B2 B3", "R5 J R7 | B1 B2 B3") == ([("added", "J/JD/JC/JM", False)], [])


def test_a_joker_that_seems_to_have_moved_may_be_another_one() -> None:
    changes, findings = compared("R5 J R7 | B1 B2 B3", "R5 R7 | B1 B2 B3 J")
    assert (changes, findings) == ([("moved", "J/JD/JC/JM", True)], [])


def counted(codes: list[str], rules: RuleSet = TWIST) -> tuple[bool | None, list[str], int, int]:
    picture = with_joker_kinds(observe([parse_rack(" ".join(codes))]), rules)
    count = count_box(picture, rules)
    return count.complete, [str(face.tile) for face in count.missing], count.jokers_seen, count.jokers_held


def test_four_unknown_jokers_of_four_kinds_are_the_right_number() -> None:
    numbers = [str(tile) for tile in box_faces() if not tile.is_joker for _ in range(2)]
    assert Counter(numbers)["R5"] == 2
    assert counted([*numbers, *["J"] * 4]) == (None, [], 4, 4)
    assert counted([*numbers, *["J"] * 3]) == (False, [], 3, 4)
    assert counted([*numbers, *["J"] * 5]) == (False, [], 5, 4)
    numbers.remove("R5")
    assert counted([*numbers, *["J"] * 4]) == (False, ["R5"], 4, 4)
    # the joker too many is not the tile that is missing, and the doubtful tile may be
    assert counted([*numbers, *["J"] * 5]) == (False, ["R5"], 5, 4)
    assert counted([*numbers, "R5/R6", *["J"] * 4]) == (None, ["R5"], 4, 4)
    assert counted([*numbers, "R5", *["J"] * 2], RULES) == (True, [], 2, 2)
