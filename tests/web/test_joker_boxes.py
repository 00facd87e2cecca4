"""Boxes with special jokers at the front desk: the eyes read every joker as ``J``, and its kind stays open."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from referee.observation import JOKER_KINDS_READ
from referee.preset_files import load_ruleset
from referee.ruleset import box_faces
from tests.web.conftest import Command, Photographer
from tests.web.fakes import FakeEyes, table
from web.noting import rack_read

OPEN = [["JD", 0.2493], ["JC", 0.2493], ["JM", 0.2493]]
QUESTION = "Which joker it is cannot be told: it may be J, JD, JC or JM."
NUMBERS = " ".join(str(tile) for tile in box_faces() if not tile.is_joker)
TWIST = ("--rules", "twist-pl")


def checked(tileref: Command, photo: Path, *options: object) -> dict[str, Any]:
    line: dict[str, Any] = json.loads(tileref("check", "--json", photo, *options).out)
    return line


@pytest.mark.parametrize(
    ("text", "verdict", "status"),
    [
        ("R5 J R7", "cannot_tell", 3),
        ("R5 J K9 B2", "illegal", 1),
        ("R5 R6 R7", "legal", 0),
        ("R5 R6 R7 | J", "illegal", 1),
        ("R5 R6 R7 | R5 J R7 | K1 B9 O3", "illegal", 1),
    ],
)
def test_verdicts(tileref: Command, photograph: Photographer, text: str, verdict: str, status: int) -> None:
    photo = photograph("a.png", text)
    done = tileref("check", "--json", photo, *TWIST)
    assert (json.loads(done.out)["verdict"], done.status) == (verdict, status)


def test_the_line_names_every_kind_and_its_probability(tileref: Command, photograph: Photographer) -> None:
    line = checked(tileref, photograph("a.png", "R5 J R7"), *TWIST)
    joker = line["tiles"][1]
    assert (joker["tile"], joker["doubtful"], joker["confidence"]) == ("J", True, 0.2493)
    assert joker["alternatives"] == OPEN
    (one,) = line["sets"]
    assert (one["legal"], one["value"]) == (None, None)
    assert one["findings"] == line["findings"] == [{"code": "joker_kind", "message": QUESTION, "tiles": [1]}]


def test_other_boxes_read_the_joker_as_it_is(tileref: Command, photograph: Photographer) -> None:
    joker = checked(tileref, photograph("a.png", "R5 J R7"))["tiles"][1]
    assert (joker["tile"], joker["doubtful"], joker["confidence"], joker["alternatives"]) == ("J", False, 0.9971, [])


def test_the_text_asks_which_joker_it_is_and_states_no_meaning(tileref: Command, photograph: Photographer) -> None:
    out = tileref("check", photograph("a.png", "R5 J R7"), *TWIST).out
    _, one, doubtful = out.splitlines()
    assert "R5 J? R7" in one
    assert QUESTION in one
    assert "=" not in one
    assert doubtful.split(maxsplit=1) == ["doubtful", "J 25% (set 1), or: JD 25%, JC 25%, JM 25%"]


@pytest.mark.parametrize("jokers", [0, 1])
def test_a_file_whose_box_holds_other_jokers(
    tileref: Command, photograph: Photographer, tmp_path: Path, jokers: int
) -> None:
    mine = tmp_path / "mine.toml"
    mine.write_text(f'base = "international"\nregular_jokers = {jokers}\ndouble_jokers = 2\n')
    joker = checked(tileref, photograph("a.png", "R5 J R8"), "--rules", mine)["tiles"][1]
    if jokers:
        assert (joker["tile"], joker["doubtful"], joker["alternatives"]) == ("JD", True, [["J", 0.3324]])
    else:
        assert (joker["tile"], joker["doubtful"], joker["alternatives"]) == ("JD", False, [])


@pytest.mark.parametrize(
    ("jokers", "status", "word", "told"),
    [
        (4, 3, "CANNOT TELL", "4 of 4: the number is right, but their kinds cannot be told"),
        (3, 1, "NOT COMPLETE", "3 of 4, but their kinds cannot be told"),
        (5, 1, "NOT COMPLETE", "5 of 4, but their kinds cannot be told"),
    ],
)
def test_counting_jokers_of_unknown_kinds(
    tileref: Command, photograph: Photographer, jokers: int, status: int, word: str, told: str
) -> None:
    photo = photograph("box.png", f"{NUMBERS} | {NUMBERS} | {' '.join(['J'] * jokers)}")
    done = tileref("count", photo, *TWIST)
    assert done.status == status
    assert f": {word}, 104 of 108 tiles surely read" in done.out.splitlines()[0]
    assert ["jokers", told] in [line.split(maxsplit=1) for line in done.out.splitlines()]
    assert "missing" not in done.out
    line = json.loads(tileref("count", "--json", photo, *TWIST).out)
    assert (line["jokers"], line["missing"], len(line["doubtful"])) == ({"seen": jokers, "held": 4}, [], jokers)


def test_a_joker_on_a_rack_is_of_an_open_kind_too() -> None:
    """A rack that the camera reads at the end of a round, where a joker's kind is a matter of points."""
    tiles, doubtful = rack_read(table("R5 J B9"), load_ruleset("twist-pl"))
    assert ([str(tile) for tile in tiles], len(doubtful)) == (["R5", "B9"], 1)
    tiles, doubtful = rack_read(table("R5 J B9"), load_ruleset())
    assert (len(tiles), doubtful) == (3, ())


def test_two_photos(tileref: Command, photograph: Photographer) -> None:
    before, after = photograph("a.png", "R5 R6 R7 J | B1 B2 B3"), photograph("b.png", "R5 R6 R7 | B1 B2 B3")
    done = tileref("check", "--before", before, "--after", after, *TWIST)
    assert "J/JD/JC/JM was on the table before and is gone." in done.out
    assert done.status == 1
    line = json.loads(tileref("check", "--json", "--before", before, "--after", after, *TWIST).out.splitlines()[-1])
    assert [(change["tile"], change["doubtful"]) for change in line["taken"]] == [("J", True)]


def test_kinds_that_were_read_are_left_alone(eyes: FakeEyes, tileref: Command, tmp_path: Path) -> None:
    """A box that was taught with its kinds: the eyes say which joker it is, and the ruling rests on that."""
    for name, text, verdict in (("a.png", "R5 J R7", "legal"), ("b.png", "R5 J/JD R7", "cannot_tell")):
        read = eyes.photo(tmp_path / name, table(text, notes=(JOKER_KINDS_READ,)))
        assert checked(tileref, read, *TWIST)["verdict"] == verdict
