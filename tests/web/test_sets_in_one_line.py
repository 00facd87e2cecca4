"""Two sets laid against each other: shown as what they may be, and never ruled on as if that were certain."""

from __future__ import annotations

import json

import cv2
import pytest

from tests.web.conftest import Command, Photographer

IN_ONE_LINE = "R1 R2 R3 B5 K5 O5"
SAID = "No set as one row, but it may be R1 R2 R3 and B5 K5 O5 side by side: lay them apart."


def test_the_cut_is_shown_and_the_ruling_stays_open(tileref: Command, photograph: Photographer) -> None:
    done = tileref("check", photograph("a.png", f"{IN_ONE_LINE} | K1 K2 K3"))
    assert done.status == 3
    first, one, *_ = done.out.splitlines()
    assert "CANNOT TELL - set 1 " in first
    assert "R1 R2 R3 | B5 K5 O5" in one
    assert one.endswith(SAID)


def test_in_json_the_row_stays_one_set_with_its_parts(tileref: Command, photograph: Photographer) -> None:
    line = json.loads(tileref("check", "--json", photograph("a.png", f"{IN_ONE_LINE} | K1 K2 K3")).out)
    assert line["verdict"] == "cannot_tell"
    assert [(one["tiles"], one["legal"], one["parts"]) for one in line["sets"]] == [
        ([0, 1, 2, 3, 4, 5], None, [[0, 1, 2], [3, 4, 5]]),
        ([6, 7, 8], True, []),
    ]
    assert [(one["code"], one["message"]) for one in line["sets"][0]["findings"]] == [("sets_in_one_line", SAID)]


def test_the_picture_says_it_too(tileref: Command, photograph: Photographer) -> None:
    photo = photograph("a.png", IN_ONE_LINE)
    assert tileref("check", photo, "--annotate", photo.parent / "drawn").status == 3
    (drawn,) = (photo.parent / "drawn").iterdir()
    assert cv2.imread(str(drawn)) is not None


@pytest.mark.parametrize("option", ["--table", "--after"])
def test_judge_cannot_tell_from_a_photo(tileref: Command, photograph: Photographer, option: str) -> None:
    extra = ("--before", "R1 R2 R3", "--opened") if option == "--after" else ()
    done = tileref("judge", option, photograph("a.png", IN_ONE_LINE), *extra)
    assert done.status == 3
    assert SAID in done.out
    assert "repair" not in done.out


def test_a_turn_that_is_unlawful_however_the_row_is_cut_stays_illegal(
    tileref: Command, photograph: Photographer
) -> None:
    after = photograph("a.png", IN_ONE_LINE)
    assert tileref("judge", "--before", "R1 R2 R3 | K9 O9 B9", "--after", after, "--opened").status == 1


def test_a_row_that_lay_there_before_is_no_change(tileref: Command, photograph: Photographer) -> None:
    before, after = photograph("b.png", IN_ONE_LINE), photograph("a.png", f"{IN_ONE_LINE} | K1 K2 K3")
    done = tileref("judge", "--before", before, "--after", after, "--opened", "--json")
    report = json.loads(done.out)
    assert (done.status, report["verdict"]) == (3, "cannot_tell")
    assert sorted(report["played"]) == ["K1", "K2", "K3"]
    assert report["moved"] == []


def test_a_written_set_is_illegal(tileref: Command) -> None:
    assert tileref("judge", "--table", IN_ONE_LINE).status == 1


def test_solve_starts_from_the_sets_that_the_row_may_be(tileref: Command, photograph: Photographer) -> None:
    done = tileref("solve", "--table", photograph("a.png", IN_ONE_LINE), "--rack", "R4 K9")
    assert "R1 R2 R3 R4" in done.out or "R1-4" in done.out
