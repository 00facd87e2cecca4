"""``tileref check --before --after``, ``tileref count`` and ``tileref rules list``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from referee.preset_files import load_ruleset, preset_names
from referee.ruleset import box_faces
from tests.web.conftest import Command, Photographer
from tests.web.fakes import FakeEyes, table


def box_text(without: str = "", extra: str = "") -> str:
    """A whole international box laid out in rows of thirteen."""
    rules = load_ruleset()
    codes = [str(tile) for tile in box_faces() for _ in range(rules.held(tile))]
    if without:
        codes.remove(without)
    codes += extra.split()
    return " | ".join(" ".join(codes[i : i + 13]) for i in range(0, len(codes), 13))


def test_what_was_added_moved_and_taken(tileref: Command, photograph: Photographer) -> None:
    before = photograph("before.png", "R5 R6 R7 R8 | K3 R3 O3 | B9 K9 O9")
    after = photograph("after.png", "R5 R6 R7 | K3 R3 O3 B3 | R8 B8 K8")
    done = tileref("check", "--before", before, "--after", after)
    assert done.status == 1, "tiles of the table were taken"
    changes = done.out[done.out.index(f"{before} -> ") :]
    assert "added           B3 to set 2" in changes
    assert "moved           R8 from set 1 (R5 R6 R7 R8) to set 3 (R8 B8 K8)" in changes
    assert "taken           B9 from set 3" in changes
    assert "B9, K9 and O9 were on the table before and are gone." in changes


def test_the_comparison_as_json(tileref: Command, photograph: Photographer) -> None:
    before, after = photograph("before.png", "R5 R6 R7"), photograph("after.png", "R5 R6 R7 R8")
    done = tileref("check", "--json", "--before", before, "--after", after)
    assert done.status == 0
    first, second, changes = map(json.loads, done.out.splitlines())
    assert (first["photo"], second["photo"]) == (str(before), str(after))
    assert list(changes) == ["before", "after", "added", "moved", "taken", "kept", "findings"]
    assert [change["tile"] for change in changes["added"]] == ["R8"]
    assert (changes["moved"], changes["taken"], changes["kept"]) == ([], [], 3)


@pytest.mark.parametrize(
    ("before", "after", "status"),
    [
        ("R5 R6 R7", "R5 R6 R7 | B7 K7 O7", 0),
        ("R5 R6 B7", "R5 R6 R7 | B7 K7 O7", 1),
        ("R5 R6 R7 #", "R5 R6 R7", 3),
        ("R5 R6 R7", "R5 R6 R7 | B7 K7", 1),
        ("R5 R6 R7", "R5 R6 R7 | B7/B1 K7 O7", 3),
        ("R5 R6 R7 R8", "R5 R6 R7", 1),
    ],
)
def test_a_comparisons_status_is_both_tables_and_the_changes(
    tileref: Command, photograph: Photographer, before: str, after: str, status: int
) -> None:
    done = tileref("check", "--before", photograph("b.png", before), "--after", photograph("a.png", after))
    assert done.status == status


def test_a_comparison_with_an_unreadable_photo(tileref: Command, photograph: Photographer, tmp_path: Path) -> None:
    done = tileref("check", "--before", photograph("b.png", "R5 R6 R7"), "--after", tmp_path / "nowhere.png")
    assert done.status == 2
    assert len(done.err.splitlines()) == 1
    assert "->" not in done.out


def test_a_comparison_takes_no_folders(tileref: Command, photograph: Photographer, tmp_path: Path) -> None:
    photos = [photograph(f"table/{name}.png", "R5 R6 R7") for name in "abc"]
    done = tileref("check", "--before", tmp_path / "table", "--after", photos[0])
    assert done.status == 2
    assert done.err == f"tileref: {tmp_path / 'table'} is a folder, not a photo.\n"


@pytest.mark.parametrize(
    ("text", "status", "said"),
    [
        (box_text(), 0, ["COMPLETE, 106 of 106"]),
        (box_text(without="K7"), 1, ["NOT COMPLETE", "missing         K7"]),
        (box_text(extra="K7"), 1, ["NOT COMPLETE", "surplus         K7"]),
        (box_text(without="R6", extra="R6/R9"), 3, ["CANNOT TELL", "doubtful        R6 62%"]),
        (box_text(without="R6", extra="?"), 3, ["CANNOT TELL", "face-down       1"]),
        (box_text(without="R6", extra="#"), 3, ["CANNOT TELL", "unread          1"]),
    ],
)
def test_counting_a_box(
    eyes: FakeEyes, tileref: Command, tmp_path: Path, text: str, status: int, said: list[str]
) -> None:
    photo = eyes.photo(tmp_path / "box.png", table(text))
    done = tileref("count", photo)
    assert done.status == status
    for words in said:
        assert words in done.out
    line = json.loads(tileref("count", "--json", photo).out)
    assert line["complete"] is {0: True, 1: False, 3: None}[status]
    assert line["held"] == 106


def test_a_picture_without_tiles_lacks_no_tile_of_the_box(tileref: Command, photograph: Photographer) -> None:
    photo = photograph("bare.png", "")
    done = tileref("count", photo)
    assert done.status == 3
    assert "CANNOT TELL" in done.out
    assert "No tiles were seen" in done.out
    assert "missing   " not in done.out
    line = json.loads(tileref("count", "--json", photo).out)
    assert (line["complete"], line["empty"], line["missing"]) == (None, True, [])


def test_counting_a_twist_box_expects_its_jokers(tileref: Command, photograph: Photographer) -> None:
    line = json.loads(tileref("count", "--json", photograph("a.png", "JC JD JM"), "--rules", "twist-pl").out)
    assert [face["tile"] for face in line["missing"] if face["tile"].startswith("J")] == ["J"]


def test_the_presets_are_listed(tileref: Command) -> None:
    done = tileref("rules", "list")
    assert done.status == 0
    assert done.out.split() == list(preset_names())
    assert "international" in done.out
