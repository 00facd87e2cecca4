"""Lawful plays, against every table that a player could leave, each ruled on by the judge."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from referee.notation import NotedTable, format_table, parse_rack, parse_table, sure
from referee.preset_files import load_ruleset, preset_names
from referee.ruleset import RuleSet
from referee.ruling import Verdict
from referee.sets import judge_set
from referee.solver.lawful import can_anyone_play, can_play, lawful_play
from referee.solver.plays import Aim, best_play
from referee.switches import FreedUse, JokerMeaning, JokerSet, OpenRelax, TablePlay, TablePlayFrom
from referee.tiles import Colour, Joker, Tile
from referee.turn import Player, judge_turn

RULES = load_ruleset()
TWIST = load_ruleset("twist-pl")
JOKER = Tile(joker=Joker.REGULAR)
LOGICZNA = load_ruleset("logiczna-pl")
JOKERS_MOVE = replace(LOGICZNA, joker_freed_use=FreedUse.ANY_SET)
SABRA = load_ruleset("sabra")
OPENED = Player(opened=True, others_opened=True)
UNOPENED = Player(opened=False)


def tiles(text: str) -> tuple[Tile, ...]:
    return tuple(tile for place in parse_rack(text) if (tile := place.tile))


def after(table: str, rack: str, player: Player, rules: RuleSet) -> str | None:
    """The table after the best lawful play found."""
    play = lawful_play(parse_table(table), tiles(rack), player, rules)
    if play is None:
        return None
    noted = tuple(sure(*one) for one in play.sets)
    known = replace(player, rack=parse_rack(rack))
    assert judge_turn(parse_table(table), noted, known, rules).verdict is Verdict.LEGAL
    return format_table(noted, shorten=True)


@pytest.mark.parametrize(
    ("preset", "table", "rack", "left"),
    [
        ("international", "R5-8", "R9 K1", "R5-9"),
        ("international", "R5-8", "B8 K8", "R5-7 | R8 B8 K8"),
        ("logiczna-pl", "R5-8", "B8 K8", None),
        ("logiczna-pl", "R5-8", "R4 B8 K8", "R4-8"),
        ("logiczna-pl", "R5-8 | B1 J B3", "J B2 R4", "B1 J B3 | R4-8 J"),
        ("logiczna-pl", "J R6 R7", "R8", "J R6-8"),
        ("logiczna-pl", "R7 B7 J", "K7", "R7 B7 K7 J"),
        ("international", "R5 J R7", "R6 B1 B2", "R5-7 | B1 B2 J"),
        ("us-2009", "R5 J R7", "R6 B1 B2", "R5-7 | B1 B2 J"),
        ("us-2009", "R5 J R7", "R6 B1", None),
        ("twist-pl", "R5 JD R8", "R9 K1", "R5 JD R8 R9"),
        ("twist-pl", "R6 JM R6", "R7 R7", "R6 R7 JM R7 R6"),
        ("twist-pl", "R1-3", "R6 R7 JC B9 JM", "R1-3 | R6 R7 JC B9"),
        ("twist-pl", "R1-3", "R4 JD", "R1-4 JD"),
    ],
)
def test_the_best_lawful_play(preset: str, table: str, rack: str, left: str | None) -> None:
    assert after(table, rack, OPENED, load_ruleset(preset)) == left


@pytest.mark.parametrize(
    ("preset", "table", "rack", "left"),
    [
        ("international", "B1-3", "R9 R10 R11 B4", "B1-3 | R9-11"),
        ("international", "B1-3", "R8 R9 R10 B4", None),
        ("international", "B1-3", "R8 R9 J B4", None),
        ("international", "B1-3", "R9 R10 J B4", "B1-3 | R9 R10 J"),
        ("classic-es", "B1-3", "R9 R10 J B4", None),
        ("classic-es", "B1-3", "R9 R10 R11 J", "B1-3 | R9-11"),
        ("standard-sk", "B1-3", "R9 R10 R11 B4", "R9-11 | B1-4"),
        ("standard-sk", "B1-3", "R1 K1 R9 R10 R11", "B1-3 | R9-11"),
        ("twist-pl", "B1-3", "R9 R10 JD K1", "B1-3 | R9 R10 JD"),
        ("twist-pl", "", "R1 R2 R3 B1 B2 B3 K1 K2 K3", None),
    ],
)
def test_the_best_lawful_opening(preset: str, table: str, rack: str, left: str | None) -> None:
    assert after(table, rack, UNOPENED, load_ruleset(preset)) == left


@pytest.mark.parametrize(
    ("preset", "table", "rack", "opened", "able"),
    [
        ("international", "R5-7", "R8", True, True),
        ("international", "R5-7", "R9", True, False),
        ("international", "R5-7", "R8", False, False),
        ("logiczna-pl", "R5-8", "B8 K8", True, False),
        ("logiczna-pl", "R5 J R7 R8", "B8 K8", True, False),
        ("logiczna-pl", "R5 J R7 R8", "R6 B8 K8", True, False),
        ("twist-pl", "R5 JD R8", "K1", True, None),
        ("twist-pl", "R5 JD R8", "R9", True, True),
        ("twist-pl", "R5-7", "JM K1", True, None),
        ("twist-pl", "", "JM JD JC R1", False, False),
        ("international", "R5-7", "", True, False),
        ("international", "R5/R9 R6 R7", "R8", True, None),
        ("international", "R5 R6 K9", "R7", True, False),
    ],
)
def test_whether_a_player_can_play(preset: str, table: str, rack: str, opened: bool, able: bool | None) -> None:
    assert can_play(parse_table(table), tiles(rack), opened, load_ruleset(preset)) is able


@pytest.mark.parametrize(
    ("preset", "table", "rack", "left"),
    [
        ("twist-pl", "R1-3", "R4 R6 R7 JC B9", "R1-4 | R6 R7 JC B9"),
        ("logiczna-pl", "R5-8", "R9 B9 K9 O9 R10 B8 K8", "R5-10 | B9 K9 O9"),
        ("standard-sk", "R5 J R7 | B5-7", "R6", "B5-7 J | R5-7"),
        ("sabra", "R5 J R7 R8 | K5-8", "B5 O5 B8 O8 K9", "R5 J R7 R8 | K6-9 | B5 K5 O5"),
    ],
    ids=[
        "a set with a special joker after a play without it",
        "tiles added before an own set takes them",
        "a freed joker lies in another set than its own",
        "a joker stays while other sets are rebuilt",
    ],
)
def test_a_play_that_one_way_of_looking_alone_finds(preset: str, table: str, rack: str, left: str) -> None:
    assert after(table, rack, OPENED, load_ruleset(preset)) == left


def test_a_relaxed_opening_is_a_play_once_all_others_have_opened() -> None:
    otsu = replace(RULES, open_relax=OpenRelax.OTSU)
    two_sets, one_set = tiles("R1-3 B1-3"), tiles("R1-3 B1 B2")
    assert can_play((), two_sets, False, otsu, others_opened=True) is True
    assert can_play((), two_sets, False, otsu, others_opened=False) is False
    assert can_play((), one_set, False, otsu, others_opened=True) is not True
    assert can_play((), two_sets, False, RULES, others_opened=True) is False


def test_an_opening_with_special_jokers_is_never_denied() -> None:
    assert can_play((), tiles("R9 R10 JD K1"), False, TWIST) is True
    assert can_play((), tiles("R1 R2 JD K1"), False, TWIST) is False
    many = replace(TWIST, double_jokers=5)
    rack = "R9 R10 JD JD JD JD JD"
    unopened = Player(opened=False, rack=parse_rack(rack))
    assert judge_turn((), parse_table("R9 R10 JD"), unopened, many).verdict is Verdict.LEGAL
    assert can_play((), tiles(rack), False, many) is None, "more special jokers than are gone through"
    assert can_play((), tiles(f"{rack} R11"), False, many) is True


def test_before_all_have_opened_own_sets_are_all_that_counts() -> None:
    late = replace(RULES, table_play_from=TablePlayFrom.ALL_OPENED)
    table = parse_table("R5-7")
    assert can_play(table, tiles("R8"), True, late, others_opened=False) is False
    assert can_play(table, tiles("R8"), True, late, others_opened=True) is True
    assert can_play(table, tiles("R8 B1 B2 B3"), True, late, others_opened=False) is True


def test_whether_anyone_can_play() -> None:
    table = parse_table("R5-7")
    assert can_anyone_play(table, [tiles("R9"), tiles("R8")], [True, True], RULES) is True
    assert can_anyone_play(table, [tiles("R9"), tiles("R8")], [True, False], RULES) is False
    assert can_anyone_play(table, [tiles("R9"), ()], [True, True], RULES) is False
    assert can_anyone_play(parse_table("R5 JD R8"), [tiles("K1"), tiles("K2")], [True, True], TWIST) is None


def test_a_doubtful_table_is_refused() -> None:
    with pytest.raises(ValueError, match="surely read"):
        lawful_play(parse_table("R5 R6 R7/K7"), tiles("R8"), OPENED, RULES)


def test_what_is_left_alone_lies_as_before_with_the_meaning_that_was_written() -> None:
    play = lawful_play(parse_table("R5 R6 J=R4 | B4-1"), tiles("K1 K2 K3"), OPENED, RULES)
    assert play is not None
    assert play.sets == (tiles("R5 R6 J"), tiles("B4-1"), tiles("K1-3"))
    assert after("R5 R6 J=R4", "R7", OPENED, RULES) == "J R5-7", "added to, the joker keeps its meaning by its place"


def test_the_most_value_may_be_another_play() -> None:
    rack = tiles("R1 R2 R4 K12 K13 J")
    by_tiles = lawful_play((), rack, OPENED, RULES)
    by_value = lawful_play((), rack, OPENED, RULES, Aim.VALUE)
    assert by_tiles is not None
    assert by_value is not None
    assert (by_tiles.sets, by_tiles.value) == ((tiles("R1 R2 J R4"),), 7)
    assert (by_value.sets, by_value.value) == ((tiles("J K12 K13"),), 25)


# --- the oracle -------------------------------------------------------------------------------------------------


def orders(content: Sequence[Tile], rules: RuleSet) -> list[tuple[Tile, ...]]:
    """The orders of a legal set that differ in what its jokers mean: these may stand at any places of it."""
    plain = sorted((tile for tile in content if not tile.is_joker), key=lambda tile: (tile.number or 0, str(tile)))
    if len({tile.number for tile in plain}) > 1 < len({tile.colour for tile in plain}):
        return []
    found = {}
    for places in combinations(range(len(content)), len(content) - len(plain)):
        waiting = iter(plain)
        order = tuple(JOKER if place in places else next(waiting) for place in range(len(content)))
        ruling = judge_set(order, rules)
        if ruling.legal:
            found[tuple((order[one.place], one.possible) for one in ruling.meanings)] = order
    return list(found.values())


def tables(must: Counter[Tile], may: Counter[Tile], rules: RuleSet) -> Iterator[list[tuple[Tile, ...]]]:
    """Every table of legal sets that holds all of ``must`` and any of ``may``."""
    if not must:
        yield []
        if not may:
            return
    at_hand = must + may
    first = min(must or may, key=str)
    others = sorted((at_hand - Counter([first])).elements(), key=str)
    if not must:
        yield from (one for one in tables(must, may - Counter([first]), rules) if one)
    for size in range(2, len(others) + 1):
        for more in {*combinations(others, size)}:
            for laid in orders((first, *more), rules):
                used = Counter(laid)
                left = used - must
                for rest in tables(must - used, may - left, rules):
                    yield [laid, *rest]


def most_lawful(table: NotedTable, rack: Sequence[Tile], player: Player, rules: RuleSet) -> int:
    """The oracle: the most tiles that any lawful play lays, 0 if there is none."""
    lying = Counter(place.readings[0] for places in table for place in places)
    known = replace(player, rack=sure(*rack))
    most = 0
    for sets in tables(lying, Counter(rack), rules):
        laid = sum(len(one) for one in sets) - lying.total()
        if laid > most:
            ruling = judge_turn(table, tuple(sure(*one) for one in sets), known, rules)
            if ruling.verdict is Verdict.LEGAL:
                most = laid
    return most


SETS = [
    tiles(text)
    for text in (
        "R5-7",
        "R5-8",
        "R5 J R7",
        "R6 J R8",
        "J R6 R7",
        "R7 B7 K7",
        "R7 B7 J",
        "B5-7",
        "B6 B7 J",
        "B7 K7 O7 R7",
    )
]
near = st.builds(Tile, colour=st.sampled_from([Colour.RED, Colour.BLUE, Colour.BLACK]), number=st.integers(4, 9))
racks = st.lists(st.one_of(near, near, near, near, st.just(JOKER)), min_size=1, max_size=3)
house_rules = st.builds(
    replace,
    st.sampled_from([load_ruleset(name) for name in preset_names() if name != "twist-pl"]),
    table_play=st.sampled_from(TablePlay),
    table_play_from=st.sampled_from(TablePlayFrom),
    joker_set_mutable=st.sampled_from(JokerSet),
    joker_meaning=st.sampled_from(JokerMeaning),
    joker_freed_use=st.sampled_from(FreedUse),
    open_relax=st.sampled_from(OpenRelax),
    open_points=st.sampled_from([0, 15, 30]),
    open_same_turn_manipulation=st.booleans(),
    must_play_tiles=st.sampled_from([1, 1, 2]),
    jokers_per_set_max=st.sampled_from([1, 13]),
    jokers_adjacent=st.booleans(),
)
players = st.builds(Player, opened=st.sampled_from([True, True, False]), others_opened=st.booleans())


@settings(max_examples=50)
@given(st.lists(st.sampled_from(SETS), max_size=2), racks, players, house_rules)
@example(
    [tiles("R3-5"), tiles("R1 R2 J")], [tiles("R7")[0]], OPENED, replace(LOGICZNA, joker_freed_use=FreedUse.ANY_SET)
)
@example([tiles("R5 J R7")], list(tiles("R6 B1 B2")), OPENED, SABRA)
def test_no_verdict_is_wrong(table: list[tuple[Tile, ...]], rack: list[Tile], player: Player, rules: RuleSet) -> None:
    noted = tuple(sure(*one) for one in table)
    most = most_lawful(noted, rack, player, rules)
    play = lawful_play(noted, rack, player, rules)
    laid = len(play.laid) if play is not None else 0
    assert laid <= most
    able = can_play(noted, rack, player.opened, rules, others_opened=player.others_opened)
    assert able in {None, most > 0}
    assert able is True or play is None
    free = best_play(table, rack, rules)
    if play is not None and free is not None:
        assert len(play.laid) <= len(free.laid)
