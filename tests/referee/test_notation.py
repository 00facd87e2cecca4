"""The text notation."""

from __future__ import annotations

import pytest
from hypothesis import given

from referee.notation import (
    AmbiguousNotationError,
    LocatedNotationError,
    MisplacedNotationError,
    NotedTable,
    Place,
    Places,
    UnreadableNotationError,
    format_rack,
    format_set,
    format_table,
    parse_rack,
    parse_set,
    parse_table,
    sure,
)
from referee.tiles import NotationError, Tile, parse_tile
from tests.referee.strategies import any_tiles, noted_sets, noted_tables, runs


def tiles(text: str) -> Places:
    return sure(*(parse_tile(code) for code in text.split()))


@given(any_tiles)
def test_a_tile_survives(tile: Tile) -> None:
    assert parse_tile(str(tile)) == tile


@given(noted_sets)
def test_a_set_survives(places: Places) -> None:
    assert parse_set(format_set(places)) == places
    assert parse_set(format_set(places, shorten=True)) == places
    assert parse_rack(format_rack(places)) == places


@given(noted_tables)
def test_a_table_survives(sets: NotedTable) -> None:
    assert parse_table(format_table(sets)) == sets
    assert parse_table(format_table(sets, shorten=True)) == sets


@given(runs())
def test_a_run_is_never_longer_when_shortened(run: list[Tile]) -> None:
    assert len(format_set(sure(*run), shorten=True)) <= len(format_set(sure(*run)))


@pytest.mark.parametrize(
    ("text", "full"),
    [
        ("R5-7", "R5 R6 R7"),
        ("r7-5", "R7 R6 R5"),
        ("B1-3 J", "B1 B2 B3 J"),
        ("  K12-13   O1 ", "K12 K13 O1"),
    ],
)
def test_shortened_runs_are_read(text: str, full: str) -> None:
    assert parse_set(text) == tiles(full)


@pytest.mark.parametrize(
    ("full", "short"),
    [
        ("R5 R6 R7 R8", "R5-8"),
        ("R8 R7 R6", "R8-6"),
        ("R5 R6", "R5 R6"),
        ("R5 R6 J R8 R9 R10", "R5 R6 J R8-10"),
        ("R1 R2 R3 R2 R1", "R1-3 R2 R1"),
        ("R5 B6 R7", "R5 B6 R7"),
    ],
)
def test_runs_are_shortened(full: str, short: str) -> None:
    assert format_set(tiles(full), shorten=True) == short


def test_meanings_and_doubts() -> None:
    joker, doubt, hidden = parse_set("J=R6 R6/R9/J ?")
    assert joker == Place((parse_tile("J"),), parse_tile("R6"))
    assert doubt == Place((parse_tile("R6"), parse_tile("R9"), parse_tile("J")))
    assert hidden == Place()
    assert (joker.tile, doubt.tile, hidden.tile) == (parse_tile("J"), parse_tile("R6"), None)


def test_an_empty_table_and_an_empty_rack() -> None:
    assert parse_table("  ") == ()
    assert parse_rack("") == ()
    assert format_table(()) == ""


@pytest.mark.parametrize(
    ("text", "error", "position", "named"),
    [
        ("R5 X6 R7", UnreadableNotationError, 3, "X6"),
        ("R5 R14", UnreadableNotationError, 3, "R14"),
        ("R5 R06", UnreadableNotationError, 3, "R06"),
        ("R5 | B0", UnreadableNotationError, 5, "B0"),
        ("R5 R6/ R7", UnreadableNotationError, 6, "''"),
        ("R5 J=X", UnreadableNotationError, 5, "X"),
        ("R5-14", UnreadableNotationError, 0, "R14"),
        ("R5 B7-7", MisplacedNotationError, 3, "B7-7"),
        ("R5 R6=R7", MisplacedNotationError, 3, "R6"),
        ("J=JD", MisplacedNotationError, 2, "JD"),
        ("K1 R6/R9/R6", MisplacedNotationError, 9, "R6"),
        ("R5 | | R6", MisplacedNotationError, 4, "without tiles"),
        ("R5 |", MisplacedNotationError, 4, "without tiles"),
        ("R5 J=R6/R9", AmbiguousNotationError, 3, "J=R6/R9"),
    ],
)
def test_errors_name_the_word_and_its_position(
    text: str, error: type[LocatedNotationError], position: int, named: str
) -> None:
    with pytest.raises(error) as caught:
        parse_table(text)
    assert caught.value.position == position
    assert caught.value.text == text
    assert named in str(caught.value)
    assert "\n" not in str(caught.value)
    assert isinstance(caught.value, NotationError)


def test_a_bar_is_not_part_of_a_set() -> None:
    with pytest.raises(MisplacedNotationError, match="bar"):
        parse_set("R5 | R6")
    with pytest.raises(MisplacedNotationError):
        parse_set("")


@pytest.mark.parametrize(
    ("readings", "meaning"), [("R6 R6", None), ("R6", "R7"), ("J R6", "R7"), ("", "R7"), ("J", "JD")]
)
def test_impossible_places_are_refused(readings: str, meaning: str | None) -> None:
    candidates = tuple(parse_tile(code) for code in readings.split())
    with pytest.raises(ValueError, match=r"reading|joker"):
        Place(candidates, parse_tile(meaning) if meaning else None)
