"""Two decks of playing cards: the same rules in another notation."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given

from referee.cards import card_code, face_code, parse_card, parse_face
from referee.notation import LocatedNotationError, NotedTable, format_table, parse_rack, parse_set, parse_table
from referee.preset_files import load_ruleset
from referee.ruleset import box_faces
from referee.sets import SetKind, judge_set
from referee.switches import Faces
from referee.tiles import NotationError, Tile, parse_tile
from tests.referee.strategies import noted_tables


def cards(text: str) -> list[Tile]:
    return [tile for place in parse_set(text, Faces.CARDS) if (tile := place.tile)]


@pytest.mark.parametrize(
    ("card", "tile"), [("HA", "R1"), ("D10", "O10"), ("sj", "K11"), ("CQ", "B12"), (" HK ", "R13"), ("J", "J")]
)
def test_cards_are_the_tiles_of_the_game(card: str, tile: str) -> None:
    assert parse_card(card) == parse_tile(tile) == parse_face(card, Faces.CARDS)


@pytest.mark.parametrize("text", ["R1", "H1", "H11", "H0", "X5", "H", "", "AH"])
def test_what_is_no_card(text: str) -> None:
    with pytest.raises(NotationError, match="is not a card"):
        parse_card(text)


def test_two_decks_with_two_jokers_are_the_box() -> None:
    rules = replace(load_ruleset("classic-es"), faces=Faces.CARDS)
    assert rules.box_size == 2 * 52 + 2
    codes = {face_code(tile, Faces.CARDS) for tile in box_faces() if rules.held(tile)}
    assert len(codes) == 53
    assert all(parse_card(code) == tile for tile in box_faces() for code in [card_code(tile)])


@given(noted_tables)
def test_a_table_of_cards_survives(sets: NotedTable) -> None:
    assert parse_table(format_table(sets, faces=Faces.CARDS), Faces.CARDS) == sets
    assert parse_table(format_table(sets, shorten=True, faces=Faces.CARDS), Faces.CARDS) == sets


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("HA-3", SetKind.RUN, 6),
        ("S9-K", SetKind.RUN, 55),
        ("CK CQ CJ", SetKind.RUN, 36),
        ("HK DK SK J", SetKind.GROUP, 52),
        ("D10 J DQ", SetKind.RUN, 33),
        ("HQ HK HA", SetKind.NONE, None),
    ],
)
def test_sets_of_cards(text: str, kind: SetKind, value: int | None) -> None:
    ruling = judge_set(cards(text), load_ruleset("classic-uk"))
    assert (ruling.kind, ruling.value) == (kind, value)


def test_errors_speak_of_cards() -> None:
    with pytest.raises(LocatedNotationError, match="is not a card"):
        parse_rack("HA R5", Faces.CARDS)
    with pytest.raises(LocatedNotationError, match="no run"):
        parse_rack("H5-5", Faces.CARDS)
