"""``tileref solve`` from the outside: one position, and files of instances."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from referee.notation import parse_rack, parse_table
from referee.observation import Scene
from referee.preset_files import load_ruleset, preset_names
from referee.ruling import Verdict
from referee.tiles import Tile
from referee.turn import Player, judge_turn
from tests.conftest import REPOSITORY
from tests.web.conftest import Command, Photographer
from tests.web.fakes import FakeEyes, table
from tests.web.test_check import bad_file, one_sentence
from web.cli import run
from web.solve_batch import ANSWERS, LONGEST_LINE_BYTES
from web.version import VERSION
from web.wiring import Wiring

FIELDS = (
    "found rules fingerprint table rack aim laid value left sets opened opening opening_needed opens freer notes "
    "photos version models"
).split()
BENCH = Path(os.environ.get("TILEREF_BENCH", REPOSITORY.parent / "shared" / "bench")) / "rummikub-instances.jsonl"
SAMPLES = REPOSITORY / "sample_images" / "photos"


def parsed(tileref: Command, *arguments: object) -> dict[str, Any]:
    done = tileref("solve", *arguments, "--json")
    assert done.out, done.err
    line: dict[str, Any] = json.loads(done.out)
    assert done.status == {"play": 0, "no_play": 1, "cannot_tell": 3}[line["found"]]
    return line


def tiles_of(text: str) -> Counter[Tile]:
    return Counter(place.readings[0] for places in parse_table(text) for place in places)


# --- the best play ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lying", "rack", "options", "laid", "value"),
    [
        ("R5-7", "R8 K1", [], ["R8"], 8),
        ("R5-7", "R8 R4 K1", [], ["R4", "R8"], 12),
        ("R5-8", "K8 O8 K1", [], ["K8", "O8"], 16),
        ("", "K7 O7 R7 B1 B2", [], ["K7", "O7", "R7"], 21),
        ("R10-12", "K1 B1 O1 R1 R13", ["--aim", "tiles"], ["K1", "B1", "O1", "R1", "R13"], 17),
        ("K10-12", "K13 K9 B13 O13 R13", ["--aim", "value"], ["K9", "K13", "B13", "O13", "R13"], 61),
        ("R5-7", "R8 J", [], ["R8", "J"], 38),
    ],
)
def test_the_best_play(
    tileref: Command, lying: str, rack: str, options: list[str], laid: list[str], value: int
) -> None:
    line = parsed(tileref, "--table", lying, "--rack", rack, *options)
    assert Counter(line["laid"]) == Counter(laid)
    assert line["value"] == value
    assert Counter(line["laid"]) + Counter(line["left"]) == Counter(rack.split())
    after = " | ".join(one["text"] for one in line["sets"])
    assert tiles_of(after) == tiles_of(lying) + tiles_of(" ".join(laid))
    rules = load_ruleset()
    turn = judge_turn(parse_table(lying), parse_table(after), Player(True, parse_rack(rack)), rules)
    assert turn.verdict is Verdict.LEGAL


def test_fields_and_their_order(tileref: Command) -> None:
    line = parsed(tileref, "--table", "R5-7", "--rack", "R8 K1")
    assert list(line) == FIELDS
    assert [list(one) for one in line["sets"]] == [["text", "kind", "value", "origin"]]
    assert (line["table"], line["rack"], line["rules"], line["version"]) == (
        "R5 R6 R7", "R8 K1", "international", VERSION,
    )  # fmt: skip
    assert list(parsed(tileref, "--table", "R5-7", "--rack", "K1")) == FIELDS


def test_the_play_for_people(tileref: Command) -> None:
    lines = tileref("solve", "--table", "R5-7 | B1-3", "--rack", "R8 K4 O4 J K9").out.splitlines()
    assert lines[0].startswith("PLAY - 4 tiles, value 46")
    rows = [line.split() for line in lines[1:] if line.split()[0].isdigit()]
    assert any(row[1:] == "B1 B2 B3".split() for row in rows), "what stays is not marked"
    assert any(row[1] == "changed" and "R8" in row for row in rows)
    assert any(row[1] == "new" for row in rows)
    assert lines[-1].split() == ["left", "K9"]


def test_the_play_leaves_the_table_as_it_lies_where_that_costs_nothing(tileref: Command) -> None:
    lying = "R7 R6 R5 | K5-8 | B1-3 | O10-13"
    line = parsed(tileref, "--table", lying, "--rack", "R8 R4 K1 B4")
    assert Counter(line["laid"]) == Counter(["R8", "R4", "B4"])
    kept = {one["text"] for one in line["sets"] if one["origin"] == "kept"}
    assert kept == {"K5 K6 K7 K8", "O10 O11 O12 O13"}
    backwards = parsed(tileref, "--table", lying, "--rack", "K9 O1")
    assert {"R7 R6 R5", "B1 B2 B3"} <= {one["text"] for one in backwards["sets"]}


def test_nothing_to_play(tileref: Command) -> None:
    done = tileref("solve", "--table", "R5-7", "--rack", "K1 B9")
    assert done.status == 1
    assert done.out.startswith("NO PLAY (rules: international)")
    assert parsed(tileref, "--table", "R5-7", "--rack", "K1 B9")["sets"] is None


def test_a_table_that_cannot_stand(tileref: Command) -> None:
    line = parsed(tileref, "--table", "R5 R6", "--rack", "K1 K3")
    assert line["found"] == "no_play"
    assert [note["code"] for note in line["notes"]] == ["table_illegal", "table_cannot_stand"]


def test_what_the_rules_forbid_is_mentioned_and_not_played(tileref: Command) -> None:
    position = ("--table", "R5-8", "--rack", "K8 O8 K1")
    done = tileref("solve", *position, "--rules", "logiczna-pl")
    assert done.status == 1
    assert "A free rearrangement would lay 2 tiles" in done.out
    line = parsed(tileref, *position, "--rules", "logiczna-pl")
    assert (line["laid"], line["freer"]["laid"]) == ([], ["K8", "O8"])
    both = parsed(tileref, "--table", "R5-8", "--rack", "K8 O8 R9", "--rules", "logiczna-pl")
    assert (both["laid"], both["freer"]["laid"]) == (["R9"], ["K8", "O8"])


# --- openings ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rack", "options", "status", "value"),
    [
        ("R9 R10 R11 K1", [], 0, 30),
        ("R8 R9 R10 K1", [], 1, 27),
        ("R8 J R10 K10 B10 O10", [], 0, 57),
        ("K10 B10 J", [], 0, 30),
        ("K10 B10 J", ["--rules", "classic-es"], 1, 0),
        ("R9 R10 R11 K1", ["--table", "R5-7", "--opening"], 0, 30),
        ("R8 K1 K5", ["--table", "R5-7", "--opening"], 1, 0),
        ("R1 R2 K4", [], 1, 0),
    ],
)
def test_openings(tileref: Command, rack: str, options: list[str], status: int, value: int) -> None:
    line = parsed(tileref, "--rack", rack, *options)
    assert (line["opening"], line["opened"]) == (value, False)
    assert line["opens"] is (status == 0)
    done = tileref("solve", "--rack", rack, *options)
    assert done.status == status
    needed = load_ruleset(line["rules"]).open_points
    assert f"best opening    {value}, needed {needed}, {'' if status == 0 else 'not '}enough" in done.out


def test_an_opening_goes_on_where_the_rules_let_it(tileref: Command) -> None:
    position = ("--table", "R5-7", "--rack", "R8 K9 K10 K11", "--opening")
    assert parsed(tileref, *position)["left"] == ["R8"]
    assert parsed(tileref, *position, "--rules", "standard-sk")["left"] == []


@pytest.mark.parametrize("name", preset_names())
def test_every_preset_permits_the_play_it_is_shown(tileref: Command, name: str) -> None:
    rules = load_ruleset(name)
    rack, lying = "R8 K7 O7 J B4 B5 R11 R12 R13", "R5-7 | K10 B10 O10 | B1-3"
    for opened in (True, False):
        line = parsed(tileref, "--table", lying, "--rack", rack, "--rules", name, *([] if opened else ["--opening"]))
        assert line["found"] == "play"
        after = parse_table(" | ".join(one["text"] for one in line["sets"]))
        assert judge_turn(parse_table(lying), after, Player(opened, parse_rack(rack)), rules).verdict is Verdict.LEGAL


def test_special_jokers_are_no_trouble(tileref: Command) -> None:
    done = tileref("solve", "--table", "R5-7 | B7 JC K9", "--rack", "JD R8 K1", "--rules", "twist-pl")
    assert done.err == ""
    assert done.status in {0, 3}
    line = parsed(tileref, "--table", "R5-7", "--rack", "R8 JD", "--rules", "twist-pl")
    assert "R8" in line["laid"]


def test_rules_that_ask_for_the_others(tileref: Command, tmp_path: Path) -> None:
    late = tmp_path / "late.toml"
    late.write_text('base = "international"\ntable_play_from = "all_opened"\n')
    position = ("--table", "R5-7", "--rack", "R8 K4 B4 O4", "--rules", late)
    line = parsed(tileref, *position)
    assert Counter(line["laid"]) == Counter(["K4", "B4", "O4"])
    assert [note["code"] for note in line["notes"]] == ["others_not_opened"]
    assert len(parsed(tileref, *position, "--others-opened")["laid"]) == 4


def test_cards(tileref: Command, tmp_path: Path) -> None:
    cards = tmp_path / "cards.toml"
    cards.write_text('base = "classic-es"\nfaces = "cards"\n')
    line = parsed(tileref, "--table", "H5-7", "--rack", "H8 SQ DA", "--rules", cards)
    assert (line["laid"], line["left"]) == (["H8"], ["SQ", "DA"])
    assert line["sets"][0]["text"] == "H5 H6 H7 H8"


# --- photos and doubts ------------------------------------------------------------------------------------------


def test_photos(tileref: Command, photograph: Photographer) -> None:
    lying, rack = photograph("table.png", "R5 R6 R7"), photograph("rack.png", "R8 K1")
    seen, told = (
        parsed(tileref, "--table", lying, "--rack", rack),
        parsed(tileref, "--table", "R5-7", "--rack", "R8 K1"),
    )
    assert seen["photos"] == {"table": str(lying), "rack": str(rack)}
    for line in (seen, told):
        line.pop("photos"), line.pop("models")
    assert seen == told


@pytest.mark.parametrize(
    ("lying", "rack", "said"),
    [
        ("R5 R6 R7/R1", "R8 K1", "The table was not surely read: R7/R1."),
        ("R5 R6 R7 ?", "R8 K1", "The table was not surely read: 1 unread."),
        ("R5 R6 R7 | #", "R8 K1", "The table was not surely read: 1 unread."),
        ("R5 R6 R7", "R8/R3 B6/B9 K1", "The rack was not surely read: R8/R3 and B6/B9."),
        ("R5 R6 R7", "R8 #", "The rack was not surely read: 1 unread."),
        ("R5 R6 R7 | R5 B5 O5", "R5 R8", "More than the box holds, so some tile was misread: R5."),
        ("", "R8", "The table was not surely read: no tile shows its face."),
        ("R5 R6 R7", "", "The rack was not surely read: no tile shows its face."),
    ],
)
def test_doubts_are_named(tileref: Command, photograph: Photographer, lying: str, rack: str, said: str) -> None:
    done = tileref("solve", "--table", photograph("table.png", lying), "--rack", photograph("rack.png", rack))
    assert done.status == 3
    assert said in done.out


def test_doubts_of_texts_are_named(tileref: Command) -> None:
    done = tileref("solve", "--table", "R5-7", "--rack", "R8/R9 K1")
    assert done.status == 3
    assert "The rack was not surely read: R8/R9." in done.out


def test_the_pool_beside_the_table_is_no_doubt(tileref: Command, photograph: Photographer) -> None:
    line = parsed(tileref, "--table", photograph("table.png", "R5 R6 R7 | ? ?"), "--rack", "R8")
    assert line["laid"] == ["R8"]


def test_a_picture_of_a_rack_is_no_table(eyes: FakeEyes, tileref: Command, tmp_path: Path) -> None:
    rack = eyes.photo(tmp_path / "rack.png", table("R5 R6 R7"))
    eyes.known[-1] = table("R5 R6 R7", scene=Scene.RACK)
    assert tileref("solve", "--table", rack, "--rack", "R8").status == 3
    assert parsed(tileref, "--table", "R8-10", "--rack", rack)["laid"]


def test_real_eyes(real_eyes: Wiring, capfd: pytest.CaptureFixture[str]) -> None:
    photos = (str(SAMPLES / "01_legal_small.jpg"), str(SAMPLES / "09_rack.jpg"))
    assert run(["solve", "--table", photos[0], "--rack", photos[1], "--json"], real_eyes) == 0
    line = json.loads(capfd.readouterr().out)
    assert Counter(line["rack"].split()) == Counter("R2 R3 B9 K12 J O4 O5".split())
    assert len(line["laid"]) == 4


# --- bad input --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--rack", ""], "an empty rack has nothing to play"),
        (["--rack", "R5 X7"], "--rack: 'X7' is not a tile"),
        (["--rack", "R5 ?"], "'?' cannot stand there"),
        (["--rack", "R5 R5 R5"], "--rack: R5 stands there 3 times, and the box of international holds 2"),
        (["--table", "R5-7 | R5-7", "--rack", "R5"], "--table and --rack: R5 stands there 3 times"),
        (["--rack", "JD K1 K2"], "JD stands there once, and the box of international holds none"),
        (["--table", "R5-7 |", "--rack", "R8"], "a set without tiles"),
        (["--rack", "R8", "--rules", "nowhere"], "'nowhere' is not a preset"),
        (["--rack", "nowhere.jpg"], "nowhere.jpg does not exist"),
        (["--batch", "nowhere.jsonl"], "nowhere.jsonl cannot be read: no such file"),
        (["--batch", "a\0b"], "cannot be read"),
    ],
)
def test_bad_input_is_one_sentence(tileref: Command, arguments: list[str], said: str) -> None:
    done = tileref("solve", *arguments)
    assert (done.status, done.out) == (2, "")
    assert said in one_sentence(done.err)


@pytest.mark.parametrize("kind", ["text", "empty", "truncated", "folder"])
def test_a_bad_photo_is_one_sentence(tileref: Command, tmp_path: Path, kind: str) -> None:
    bad = bad_file(kind, tmp_path)
    done = tileref("solve", "--table", "R5-7", "--rack", bad)
    assert (done.status, done.out) == (2, "")
    assert str(bad) in one_sentence(done.err)


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["--table", "R5-7"],
        ["--batch", "-", "--rack", "R5"],
        ["--batch", "-", "--json"],
        ["--batch", "-", "--opening"],
        ["--rack", "R5", "--aim", "luck"],
    ],
)
def test_bad_usage(tileref: Command, arguments: list[str]) -> None:
    done = tileref("solve", *arguments)
    assert (done.status, done.out) == (2, "")
    assert "Usage: tileref solve" in done.err


# --- batches ----------------------------------------------------------------------------------------------------

ANSWERED: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"kind": "arrange", "tiles": "R5 R6 J".split()}, {"arrangeable": True}),
    ({"kind": "arrange", "tiles": "K7 B7 O7 R7 J".split()}, {"arrangeable": False}),
    ({"kind": "arrange", "tiles": "R5 R5 R7 R7 J J".split()}, {"arrangeable": True}),
    ({"kind": "initial_meld", "rack": "K10 B10 O10 K1".split()}, {"max_meld_value": 30, "ge30": True}),
    ({"kind": "initial_meld", "rack": "R8 B8 K8 J".split()}, {"max_meld_value": 32, "ge30": True}),
    ({"kind": "initial_meld", "rack": []}, {"max_meld_value": 0, "ge30": False}),
    (
        {"kind": "best_move", "table": [["R5", "R6", "R7", "R8"]], "rack": "K8 O8 J".split()},
        {"max_tiles": 3, "max_value_joker0": 16, "max_value_joker30": 46, "max_tiles_rack_only": 3},
    ),
    (
        {"kind": "best_move", "table": [["R5", "R6"]], "rack": ["K1"]},
        {"max_tiles": None, "max_value_joker0": None, "max_value_joker30": None, "max_tiles_rack_only": 0},
    ),
    (
        {"kind": "table_valid", "table": [["R7", "R5", "R6"], ["R5", "R6"], ["K7", "B7", "K7"], ["R12", "R13", "J"]]},
        {"valid": False, "bad_sets": [1, 2]},
    ),
    ({"kind": "table_valid", "table": []}, {"valid": True, "bad_sets": []}),
    (
        {
            "kind": "transition", "opened_before": False, "before": [["R1", "R2", "R3"]],
            "after": [["R3", "R2", "R1"], ["R9", "J", "R10"]], "rack": ["R9", "R10", "J"],
        },
        {"legal": True, "reasons": []},
    ),
    (
        {
            "kind": "transition", "opened_before": True, "before": [["R1", "R2", "R3", "R4"]],
            "after": [["R2", "R3", "R4"], ["K5", "B5"]], "rack": ["K5"],
        },
        {"legal": False, "reasons": ["illegal_set", "not_from_rack", "tile_taken"]},
    ),
    (
        {
            "kind": "transition", "opened_before": False, "before": [["R1", "R2", "R3"]],
            "after": [["R1", "R2", "R3", "R4"]], "rack": ["R4"],
        },
        {"legal": False, "reasons": ["open_low"]},
    ),
    (
        {
            "kind": "transition", "opened_before": True, "before": [["R1", "J", "R3"]],
            "after": [["R1", "R2", "R3", "J"]], "rack": ["R2"],
        },
        {"legal": True, "reasons": []},
    ),
    (
        {"kind": "transition", "opened_before": True, "before": [], "after": [], "rack": ["R4"]},
        {"legal": False, "reasons": ["nothing_laid"]},
    ),
]  # fmt: skip


def sorted_reasons(answer: dict[str, Any]) -> dict[str, Any]:
    return {key: sorted(value) if key == "reasons" else value for key, value in answer.items()}


def test_instances_of_every_kind(tileref: Command, tmp_path: Path) -> None:
    file = tmp_path / "own.jsonl"
    lines = [{"id": f"own-{i}", **given} for i, (given, _) in enumerate(ANSWERED)]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    done = tileref("solve", "--batch", file)
    assert (done.status, done.err) == (0, "")
    answers = [json.loads(line) for line in done.out.splitlines()]
    assert [list(answer) for answer in answers] == [["id", "answer"]] * len(ANSWERED)
    assert [answer["id"] for answer in answers] == [line["id"] for line in lines]
    for answer, (given, expected) in zip(answers, ANSWERED, strict=True):
        assert sorted_reasons(answer["answer"]) == sorted_reasons(expected), given
        assert list(answer["answer"]) == list(expected)
    assert {given["kind"] for given, _ in ANSWERED} == set(ANSWERS)


def test_the_verified_instances(tileref: Command) -> None:
    if not BENCH.is_file():
        pytest.skip(f"no verified instances at {BENCH} (TILEREF_BENCH names another folder)")
    instances = [json.loads(line) for line in BENCH.read_text(encoding="utf-8").splitlines()]
    done = tileref("solve", "--batch", BENCH)
    assert (done.status, done.err) == (0, "")
    answers = [json.loads(line) for line in done.out.splitlines()]
    assert [answer["id"] for answer in answers] == [instance["id"] for instance in instances]
    for answer, instance in zip(answers, instances, strict=True):
        assert sorted_reasons(answer["answer"]) == sorted_reasons(instance["answer"]), instance["id"]
    assert len(answers) == 585


GOOD = b'{"id": 7, "kind": "arrange", "tiles": ["R5", "R6", "R7"]}\n'


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b"nonsense", "it is no valid JSON"),
        (b"[1, 2]", "it is no JSON object"),
        (b"[" * 100_000, "it is no valid JSON"),
        (b'{"id": 1, "kind": "arrange", "tiles": ["\xff"]}', "it is no text in UTF-8"),
        (b'{"kind": "arrange", "tiles": []}', "id is missing"),
        (b'{"id": 1, "tiles": []}', "kind is missing"),
        (b'{"id": 1, "kind": "guess"}', '"guess" is no kind of instance'),
        (b'{"id": 1, "kind": ["arrange"]}', "is no kind of instance"),
        (b'{"id": 1, "kind": "arrange"}', "tiles is missing"),
        (b'{"id": 1, "kind": "arrange", "tiles": "R5"}', "tiles is not a list of tiles"),
        (b'{"id": 1, "kind": "arrange", "tiles": [5]}', "tiles holds 5 where a tile is expected"),
        (b'{"id": 1, "kind": "arrange", "tiles": ["R-5"]}', 'tiles holds "R-5", which is no tile'),
        (b'{"id": 1, "kind": "arrange", "tiles": ["R5", "R5", "R5"]}', "R5 is there 3 times"),
        (
            b'{"id": 1, "kind": "arrange", "tiles": ["JD", "R5", "R6"]}',
            "JD is there once, and the box of",
        ),
        (b'{"id": 1, "kind": "arrange", "tiles": [' + b'"R5",' * 200 + b'"R5"]}', "more tiles than the box"),
        (
            b'{"id": 1, "kind": "table_valid", "table": [[' + b'"R5",' * 200 + b'"R5"]]}',
            "more tiles than the box",
        ),
        (b'{"id": 1, "kind": "best_move", "table": [[]], "rack": []}', "table is not a list of sets"),
        (b'{"id": 1, "kind": "best_move", "table": ["R5"], "rack": []}', "table is not a list of sets"),
        (b'{"id": 1, "kind": "best_move", "table": []}', "rack is missing"),
        (
            b'{"id": 1, "kind": "transition", "before": [], "after": [], "rack": [], "opened_before": 1}',
            "opened_before is not true or false",
        ),
        (b'{"id": 1, "kind": "transition", "before": [], "after": [], "rack": []}', "opened_before is missing"),
        (
            b'{"id": 1,"kind":"transition", "before": [["J","J"]], "rack":["J"], "after": [], "opened_before": false}',
            "J is there 3 times",
        ),
        (b'{"id": NaN, "kind": "arrange", "tiles": []}', "id cannot be written as JSON"),
        (b'{"id": [1e999], "kind": "arrange", "tiles": []}', "id cannot be written as JSON"),
        (b'{"id": 1, "kind": "arrange", "x": "' + b"y" * LONGEST_LINE_BYTES * 3 + b'"}', "it is longer than 1 MB"),
    ],
)
def test_a_broken_line_is_one_sentence_and_the_others_are_answered(
    tileref: Command, tmp_path: Path, line: bytes, said: str
) -> None:
    file = tmp_path / "broken.jsonl"
    file.write_bytes(GOOD + b"\n" + line + b"\n" + GOOD)
    done = tileref("solve", "--batch", file)
    assert done.status == 2
    assert one_sentence(done.err).startswith("tileref: Line 3: ")
    assert said in done.err
    assert len(done.err) < 300
    assert [json.loads(answer)["id"] for answer in done.out.splitlines()] == [7, 7]


@pytest.mark.parametrize("opened", [True, False])
@pytest.mark.parametrize("lying", [["R5", "R6"], ["R5", "R6", "R8"], ["R5", "B5", "R5"], ["R5"]])
def test_an_illegal_set_that_lay_there_before_is_one(
    tileref: Command, tmp_path: Path, *, lying: list[str], opened: bool
) -> None:
    laid = ["K10", "B10", "O10"]
    turn = {"before": [lying], "after": [laid, lying], "rack": [*laid, "R1"], "opened_before": opened}
    file = tmp_path / "turn.jsonl"
    file.write_text(json.dumps({"id": 1, "kind": "transition", **turn}), encoding="utf-8")
    done = tileref("solve", "--batch", file)
    assert json.loads(done.out)["answer"] == {"legal": False, "reasons": ["illegal_set"]}


def test_special_jokers_in_a_batch(tileref: Command, tmp_path: Path) -> None:
    file = tmp_path / "twist.jsonl"
    lines = [
        {"id": 1, "kind": "table_valid", "table": [["R8", "JD", "R5"], ["R5", "JD", "B8"]]},
        {"id": 2, "kind": "best_move", "table": [["R8", "JD", "R5"]], "rack": ["R9"]},
    ]
    file.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    done = tileref("solve", "--batch", file, "--rules", "twist-pl")
    assert done.status == 2
    assert json.loads(done.out)["answer"] == {"valid": False, "bad_sets": [1]}
    assert "Line 2: JD is a special joker" in one_sentence(done.err)


def test_a_batch_from_standard_input(
    tileref: Command, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(GOOD * 3)))
    done = tileref("solve", "--batch", "-")
    assert (done.status, len(done.out.splitlines())) == (0, 3)
    monkeypatch.setattr(sys, "stdin", None)
    assert run(["solve", "--batch", "-"]) == 2
    assert "standard input" in one_sentence(capfd.readouterr().err)


def test_answers_stream(repository: Path) -> None:
    """Each answer is out before the next instance is in."""
    command = [sys.executable, "-c", "from web.cli import main; main()", "solve", "--batch", "-"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=repository) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for _ in range(3):
            process.stdin.write(GOOD)
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["answer"] == {"arrangeable": True}
        process.stdin.close()
        assert process.wait(timeout=60) == 0


def test_a_folder_is_no_batch(tileref: Command, tmp_path: Path) -> None:
    assert "is a directory" in one_sentence(tileref("solve", "--batch", tmp_path).err)


def test_the_batch_judges_under_the_rules_asked_for(tileref: Command, tmp_path: Path) -> None:
    file = tmp_path / "one.jsonl"
    file.write_text(json.dumps({"id": 1, "kind": "arrange", "tiles": ["R12", "R13", "R1"]}), encoding="utf-8")
    wrapping = tmp_path / "wrapping.toml"
    wrapping.write_text('base = "international"\nwrap_13_1 = true\n')
    found = [
        json.loads(tileref("solve", "--batch", file, *options).out)["answer"] for options in ([], ["--rules", wrapping])
    ]
    assert found == [{"arrangeable": False}, {"arrangeable": True}]
