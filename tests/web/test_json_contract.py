"""The JSON line of ``tileref check``: fields, order, types, and that indices point where they say."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.web.conftest import Command, Photographer
from web.version import VERSION

EVERYTHING = "R5 R6 B7 R8 | K3 R3 O3 | B4 | R12 R13 J | B1 B2 B3 # | ? ? | R6/R9 R7 R8"

LINE_FIELDS = (
    "photo width height scene rules tiles sets loose unread verdict findings notes timing_ms version models".split()
)
TILE_FIELDS = "tile kind quad confidence doubtful alternatives facing".split()
SET_FIELDS = "tiles kind value legal findings parts".split()
FINDING_FIELDS = "code message tiles".split()


@pytest.fixture
def line(tileref: Command, photograph: Photographer) -> dict[str, Any]:
    parsed: dict[str, Any] = json.loads(tileref("check", "--json", photograph("a.png", EVERYTHING)).out)
    return parsed


def test_fields_and_their_order(line: dict[str, Any]) -> None:
    assert list(line) == LINE_FIELDS
    assert all(list(tile) == TILE_FIELDS for tile in line["tiles"])
    assert all(list(one_set) == SET_FIELDS for one_set in line["sets"])
    findings = [*line["findings"], *(finding for one_set in line["sets"] for finding in one_set["findings"])]
    assert findings
    assert all(list(finding) == FINDING_FIELDS for finding in findings)


def test_values(line: dict[str, Any]) -> None:
    assert (line["width"], line["height"], line["scene"], line["rules"]) == (900, 700, "table", "international")
    assert line["verdict"] == "illegal"
    assert line["version"] == VERSION
    assert line["models"] == {"detector": "1 0123abcd", "reader": "1 4567ef01"}
    assert set(line["timing_ms"]) >= {"decode", "detect", "read", "judge", "total"}
    assert [len(quad) for quad in line["unread"]] == [4]


def test_tiles(line: dict[str, Any]) -> None:
    for tile in line["tiles"]:
        assert tile["kind"] == ("back" if tile["tile"] == "?" else "face")
        assert len(tile["quad"]) == 4
        assert all(len(point) == 2 for point in tile["quad"])
        assert 0 <= tile["confidence"] <= 1
    doubtful = [tile for tile in line["tiles"] if tile["doubtful"]]
    assert [(tile["tile"], tile["alternatives"]) for tile in doubtful] == [("R6", [["R9", 0.36]])]
    assert sum(tile["tile"] == "?" for tile in line["tiles"]) == 2


def test_sets_and_loose_tiles_name_each_tile_once(line: dict[str, Any]) -> None:
    placed = [index for one_set in line["sets"] for index in one_set["tiles"]] + line["loose"]
    assert sorted(placed) == list(range(len(line["tiles"])))
    rows = [" ".join(line["tiles"][i]["tile"] for i in one_set["tiles"]) for one_set in line["sets"]]
    assert rows == ["R5 R6 B7 R8", "K3 R3 O3", "R12 R13 J", "B1 B2 B3", "R6 R7 R8"]
    told = [(one_set["kind"], one_set["value"], one_set["legal"]) for one_set in line["sets"]]
    assert told[:3] == [(None, None, False), ("group", 9, True), ("run", 36, True)]
    assert told[3][2] is None, "a covered tile touches it"


def test_findings_hold_the_tables_and_every_sets(line: dict[str, Any]) -> None:
    all_of_them = [(finding["code"], finding["tiles"]) for finding in line["findings"]]
    for one_set in line["sets"]:
        for finding in one_set["findings"]:
            assert (finding["code"], finding["tiles"]) in all_of_them
            assert set(finding["tiles"]) <= set(one_set["tiles"])
    loose = next(finding for finding in line["findings"] if finding["code"] == "loose_tile")
    assert [line["tiles"][i]["tile"] for i in loose["tiles"]] == ["B4"]
    assert all("{" not in finding["message"] for finding in line["findings"])


def test_improbable_readings_are_left_out(tileref: Command, photograph: Photographer) -> None:
    thirteen = "/".join(["R6", *(f"B{number}" for number in range(1, 14))])
    parsed = json.loads(tileref("check", "--json", photograph("a.png", f"R5 {thirteen} R7")).out)
    assert [p for _, p in parsed["tiles"][1]["alternatives"]] == [0.0277] * 13
    thirty_nine = "/".join(["R6", *(f"{colour}{number}" for colour in "BKO" for number in range(1, 14))])
    parsed = json.loads(tileref("check", "--json", photograph("b.png", f"R5 {thirty_nine} R7")).out)
    assert parsed["tiles"][1]["alternatives"] == []


def test_names_beyond_ascii_survive(tileref: Command, photograph: Photographer) -> None:
    photo = photograph("stół 桌.png", "R5 R6 R7")
    done = tileref("check", "--json", photo)
    assert done.out.isascii()
    assert json.loads(done.out)["photo"] == str(photo)
