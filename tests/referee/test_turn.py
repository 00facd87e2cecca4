"""Rulings on turns: what the corpus cannot say in a line, and what never matters."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.findings import FindingCode, Severity
from referee.notation import NotedTable, Place, parse_rack, parse_table, sure
from referee.preset_files import load_ruleset
from referee.ruleset import RuleSet
from referee.ruling import Verdict
from referee.switches import FreedBy, JokerMeaning, OpenRelax, TablePlayFrom
from referee.tiles import Tile, parse_tile
from referee.turn import MOST_READINGS, Player, TurnRuling, judge_turn
from tests.bench.instances import FILE, reasons
from tests.referee.strategies import groups, rulesets, runs, tables

RULES = load_ruleset()


def judge(before: str, after: str, rules: RuleSet = RULES, **known: object) -> TurnRuling:
    player = Player(**{"opened": True, **known})  # type: ignore[arg-type]  # told by each test
    return judge_turn(parse_table(before), parse_table(after), player, rules)


def instances(kind: str) -> list[dict[str, object]]:
    if not FILE.is_file():
        pytest.skip("the bench is not here: set TILEREF_BENCH to the folder of rummikub-instances.jsonl")
    lines = [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]
    return [line for line in lines if line["kind"] == kind]


def noted(sets: object) -> NotedTable:
    assert isinstance(sets, list)
    return tuple(sure(*(parse_tile(code) for code in one)) for one in sets)


def test_the_turns_of_the_bench() -> None:
    for instance in instances("transition"):
        (rack,) = noted([instance["rack"]])
        player = Player(opened=bool(instance["opened_before"]), rack=rack)
        ruling = judge_turn(noted(instance["before"]), noted(instance["after"]), player, RULES)
        answer = instance["answer"]
        assert isinstance(answer, dict)
        assert (ruling.verdict is Verdict.LEGAL) == answer["legal"], instance["id"]
        assert reasons(ruling) == set(answer["reasons"]), instance["id"]


def test_what_was_played_moved_and_taken() -> None:
    ruling = judge("R1-6 | K7 B7 O7", "R1-3 | R4-7 | K7 B7")
    assert [str(tile) for tile in ruling.played] == ["R7"]
    assert [str(tile) for tile in ruling.taken] == ["O7"]
    assert [str(tile) for tile in ruling.moved] == ["R4", "R5", "R6"]
    (taken,) = [finding for finding in ruling.findings if finding.code is FindingCode.TABLE_TILE_TAKEN]
    assert taken.tiles == (8,), "the place on the table before"
    (short,) = [finding for finding in ruling.findings if finding.code is FindingCode.TOO_SHORT]
    assert short.tiles == (7, 8), "places on the table after"


def test_tiles_of_the_findings_are_places_on_their_table() -> None:
    ruling = judge("R1-3", "R1-3 | B9 B10 J", load_ruleset("tw"), opened=False, rack=parse_rack("B9 B10 K1"))
    places = {finding.code: finding.tiles for finding in ruling.findings}
    assert places == {FindingCode.OPENING_JOKER: (5,), FindingCode.NOT_FROM_RACK: (5,)}


def test_a_written_meaning_binds() -> None:
    assert judge("R5 R6 J=R4", "R4-6 | K9 K10 J").verdict is Verdict.LEGAL
    strict = load_ruleset("us-2009")
    assert judge("R5 R6 J=R7", "R4-6 | K9 K10 J", strict).verdict is Verdict.ILLEGAL
    wrong = judge("R1-3", "R1-3 | R5 R6 J=B7")
    assert wrong.verdict is Verdict.ILLEGAL
    assert FindingCode.MIXED_COLOURS in wrong.faults


def test_switches_that_no_preset_turns() -> None:
    otsu = replace(RULES, open_relax=OpenRelax.OTSU)
    assert judge("", "R1-3 | B1-3", otsu, opened=False, others_opened=True).verdict is Verdict.LEGAL
    assert judge("", "R1-3", otsu, opened=False, others_opened=True).verdict is Verdict.ILLEGAL
    assert judge("", "R1-3 | B1-3", otsu, opened=False).verdict is Verdict.ILLEGAL
    waiting = replace(RULES, table_play_from=TablePlayFrom.ALL_OPENED)
    assert judge("R1-3", "R1-4", waiting).faults == {FindingCode.TABLE_TOO_EARLY}
    assert judge("R1-3", "R1-3 | B1-3", waiting).verdict is Verdict.LEGAL
    assert judge("R1-3", "R1-4", waiting, others_opened=True).verdict is Verdict.LEGAL
    loose = replace(RULES, joker_meaning=JokerMeaning.REREADABLE)
    assert judge("R3 R4 J", "R1 J R3 R4", loose).verdict is Verdict.LEGAL
    assert judge("R3 R4 J", "R1 J R3 R4").verdict is Verdict.ILLEGAL


def test_too_many_doubts_are_no_verdict_but_a_sure_fault_is() -> None:
    doubtful = Place(tuple(parse_tile(code) for code in ("R1", "R2", "R8", "R9")))
    assert MOST_READINGS < 4**6
    after = (*parse_table("K1-3"), (doubtful,) * 6)
    ruling = judge_turn(parse_table("K1-3"), after, Player(opened=True), RULES)
    assert ruling.verdict is Verdict.CANNOT_TELL
    assert FindingCode.TOO_MANY_READINGS in {finding.code for finding in ruling.findings}
    broken = (*parse_table("K1 K3 K4"), (doubtful,) * 6)
    assert judge_turn(parse_table("K1-3"), broken, Player(opened=True), RULES).verdict is Verdict.ILLEGAL


@pytest.mark.parametrize("laid", ["R8 R6 R7", "R12 R13 J"])
@pytest.mark.parametrize("doubtful", ["K1 K2 ?", " | ".join(["K1/K2 K3/K4 K5/K6"] * 3)])
def test_a_mere_note_beside_doubts_is_no_fault(laid: str, doubtful: str) -> None:
    ruling = judge("K1-3", f"K1-3 | {laid} | {doubtful}")
    assert ruling.verdict is Verdict.CANNOT_TELL
    assert ruling.faults == set()


BIG = replace(RULES, boxes=4, regular_jokers=8)
TIMES_8 = tuple("RBKO" * 2)


def test_many_jokers_that_moved_are_told_in_time() -> None:
    rules = replace(BIG, joker_freed_by=FreedBy.TILE)
    before = " | ".join(f"{colour}1 J {colour}3" for colour in TIMES_8)
    new_places = " | ".join(f"{colour}8 {colour}9 J" for colour in TIMES_8)
    freed = judge(before, " | ".join(f"{colour}1-3" for colour in TIMES_8) + " | " + new_places, rules)
    assert freed.verdict is Verdict.LEGAL
    groups_of_ends = " | ".join(f"R{n} B{n} K{n} O{n}" for n in (1, 1, 3, 3))
    taken = judge(before, f"{groups_of_ends} | {new_places}", rules)
    assert taken.faults == {FindingCode.JOKER_NOT_FREED}


def test_many_sets_that_were_only_added_to_are_told_in_time() -> None:
    rules = replace(load_ruleset("logiczna-pl"), boxes=4)
    before = " | ".join(f"R{n}-{n + 2}" for n in (1, 2, 3, 4, 5) for _ in range(4))
    crowded = " | ".join(["R1-7"] * 7 + ["R1-3"] + ["R3-5"] * 4)
    assert judge(before, crowded, rules).verdict in {Verdict.ILLEGAL, Verdict.CANNOT_TELL}
    roomy = " | ".join(["R1-6"] * 4 + ["R2-7"] * 4 + ["R3-7"] * 4)
    assert judge(" | ".join(["R1-3", "R4-6", "R2-4", "R5-7", "R3-5"] * 4), roomy, rules).faults == set()


def test_doubt_about_the_rack_or_the_table_before() -> None:
    ruling = judge("R1-3", "R1-4", rack=parse_rack("R4/R9 K1"))
    assert ruling.verdict is Verdict.CANNOT_TELL
    assert ruling.findings[0].param("readings") == ("R4", "R9")
    assert judge("R1 R2 R3/B3", "R1-4").verdict is Verdict.CANNOT_TELL
    assert judge("R1-3", "R1-4", rack=parse_rack("R4 K1/K2")).verdict is Verdict.LEGAL


def test_the_box_settles_what_an_untouched_set_may_be_and_no_other() -> None:
    nines = "R9 B9 K9 | R9 B9 O9"
    assert judge(f"R5/R9 R6-8 | {nines}", f"R5/R9 R6-8 | {nines} | K1-3").verdict is Verdict.LEGAL
    assert judge(f"R6-8 | {nines}", f"R5/R9 R6-8 | {nines}").verdict is Verdict.CANNOT_TELL


# --- what never matters -----------------------------------------------------------------------------------------


def shuffled(table: NotedTable, rng: Random) -> NotedTable:
    """The sets in another order, some of them seen from the other side."""
    sets = [places[::-1] if rng.random() < 0.5 else places for places in table]
    rng.shuffle(sets)
    return tuple(sets)


def summary(ruling: TurnRuling) -> tuple[object, ...]:
    codes = Counter(finding.code for finding in ruling.findings)
    return ruling.verdict, codes, Counter(ruling.played), Counter(ruling.taken), ruling.opening, ruling.opened


@given(tables, tables, rulesets, st.booleans(), st.randoms(use_true_random=False))
def test_order_and_side_never_matter(
    before: list[list[Tile]], added: list[list[Tile]], rules: RuleSet, opened: bool, rng: Random
) -> None:
    earlier = tuple(sure(*one) for one in before)
    later = tuple(sure(*one) for one in (*before, *added))
    player = Player(opened)
    plain = judge_turn(earlier, later, player, rules)
    assert summary(judge_turn(shuffled(earlier, rng), shuffled(later, rng), player, rules)) == summary(plain)


@given(tables, tables, rulesets, st.booleans(), st.randoms(use_true_random=False))
def test_order_and_side_never_matter_where_everything_was_moved(
    before: list[list[Tile]], after: list[list[Tile]], rules: RuleSet, opened: bool, rng: Random
) -> None:
    """The second table holds the tiles of the first in other sets, and more."""
    earlier = tuple(sure(*one) for one in before)
    heap = [tile for one in before for tile in one]
    rng.shuffle(heap)
    later = tuple(sure(*one) for one in (*after, *(heap[k : k + 4] for k in range(0, len(heap), 4))))
    plain = judge_turn(earlier, later, Player(opened), rules)
    assert summary(judge_turn(shuffled(earlier, rng), shuffled(later, rng), Player(opened), rules)) == summary(plain)


@pytest.mark.parametrize(
    ("preset", "before", "after"),
    [
        ("us-2009", "J K7 K8", "R5 J O5 | J K8 K7"),  # two ways to tell it, with one broken rule each
        ("tw", "R6 J R8 | J K5 O5 | R6 J R8", "J R8 J R6 | K5 R8 J R6 | O5"),
        ("sabra", "K5 O5 J | B3 K3 O3 R3", "O6 O7 J | J K3 B3 K5 | R3 O5 O3"),
        ("logiczna-pl", "K6 K7 J | J K6 K7 | K6 K7 J", "K7 K6 J | K7 J K6 | J K7 K6"),  # one does not lie in order
        ("international", "K6 K7 J | J K6 K7", "K7 J K6 | J K7 K6 | B1-3"),
    ],
)
def test_what_is_told_of_twins_is_the_same_however_they_lie(preset: str, before: str, after: str) -> None:
    rules, earlier, later = load_ruleset(preset), parse_table(before), parse_table(after)
    rng = Random(1)
    for opened in (True, False):
        told = {
            tuple(sorted(code.value for code in ruling.faults)): ruling.verdict
            for _ in range(20)
            for ruling in [judge_turn(shuffled(earlier, rng), shuffled(later, rng), Player(opened), rules)]
        }
        assert len(told) == 1, told


@given(st.lists(st.one_of(runs(), groups()), min_size=1, max_size=4), rulesets)
def test_new_legal_sets_beside_untouched_ones_are_lawful_for_an_opened_player(
    sets: list[list[Tile]], rules: RuleSet
) -> None:
    later = tuple(sure(*one) for one in sets)
    ruling = judge_turn((), later, Player(opened=True), rules)
    assert ruling.faults <= {FindingCode.TOO_MANY_JOKERS, FindingCode.ADJACENT_JOKERS}
    assert Counter(ruling.played) == Counter(tile for one in sets for tile in one)
    again = judge_turn(later, later, Player(opened=True), rules)
    assert FindingCode.NOTHING_LAID in again.faults
    assert judge_turn(later, later, Player(opened=True), rules, drew=True).faults <= ruling.faults


@given(tables, st.data())
def test_no_tile_is_lost_between_played_taken_and_kept(before: list[list[Tile]], data: st.DataObject) -> None:
    after = data.draw(tables)
    ruling = judge_turn(
        tuple(sure(*one) for one in before), tuple(sure(*one) for one in after), Player(opened=True), RULES
    )
    held = Counter(tile for one in before for tile in one)
    held.subtract(ruling.taken)
    held.update(ruling.played)
    assert held == Counter(tile for one in after for tile in one)


@given(tables, tables, rulesets, st.booleans(), st.data())
def test_doubt_never_helps_and_never_hurts(
    before: list[list[Tile]], added: list[list[Tile]], rules: RuleSet, opened: bool, data: st.DataObject
) -> None:
    earlier = tuple(sure(*one) for one in before)
    later = tuple(sure(*one) for one in (*before, *added))
    certain = judge_turn(earlier, later, Player(opened), rules)
    k = data.draw(st.integers(0, len(later) - 1))
    i = data.draw(st.integers(0, len(later[k]) - 1))
    shown = later[k][i].readings[0]
    other = data.draw(st.sampled_from([parse_tile(code) for code in ("R6", "B9", "J")]).filter(lambda t: t != shown))
    doubtful = (*later[k][:i], Place((shown, other)), *later[k][i + 1 :])
    unsure = judge_turn(earlier, (*later[:k], doubtful, *later[k + 1 :]), Player(opened), rules)
    assert unsure.verdict in {certain.verdict, Verdict.CANNOT_TELL}


@given(tables, tables, rulesets, st.booleans(), st.randoms(use_true_random=False))
def test_an_illegal_turn_has_a_fault_and_a_legal_one_no_doubt(
    before: list[list[Tile]], after: list[list[Tile]], rules: RuleSet, opened: bool, rng: Random
) -> None:
    """Whatever is doubtful or hidden, on either table."""
    unsure = ((), (parse_tile("R6"), parse_tile("B9")), (parse_tile("K3"), parse_tile("J")))
    earlier, later = (
        tuple(
            tuple(Place(rng.choice(unsure)) if rng.random() < 0.1 else Place((tile,)) for tile in tiles)
            for tiles in table
        )
        for table in (before, after)
    )
    ruling = judge_turn(earlier, later, Player(opened), rules)
    severities = {finding.severity for finding in ruling.findings}
    assert (ruling.verdict is Verdict.ILLEGAL) == (Severity.FAULT in severities)
    assert ruling.verdict is not Verdict.LEGAL or Severity.DOUBT not in severities
