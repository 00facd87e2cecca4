"""``tileref judge`` from the outside: tables and turns, as texts and as photos."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from referee.findings import Severity
from referee.notation import NotedTable, Place, format_table
from referee.observation import Reading, Scene
from referee.preset_files import load_ruleset, preset_names
from referee.ruling import Verdict
from referee.tiles import Tile, parse_tile
from tests.referee import corpus
from tests.web.conftest import Command, Photographer
from tests.web.fakes import FakeEyes, blind, table
from tests.web.test_check import bad_file, one_sentence
from web.cli import run
from web.given import InputError, Inputs, names_photo
from web.judge_cases import judge_step
from web.version import VERSION
from web.wiring import Wiring

FIELDS = (
    "verdict rules fingerprint before after rack sets findings played moved taken opening opened not_told not_checked "
    "illegal_before repair repaired repair_fewest photos version models"
).split()
FINDING_FIELDS = "code severity message table set tiles switch only_if".split()
SAMPLES = Path(__file__).resolve().parents[2] / "sample_images" / "photos"


def parsed(tileref: Command, *arguments: object) -> dict[str, Any]:
    done = tileref("judge", *arguments, "--json")
    assert done.out, done.err
    line: dict[str, Any] = json.loads(done.out)
    assert done.status == {"legal": 0, "illegal": 1, "cannot_tell": 3}[line["verdict"]]
    return line


def codes(line: dict[str, Any], severity: str = "fault") -> set[str]:
    return {finding["code"] for finding in line["findings"] if finding["severity"] == severity}


# --- a table by itself ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "status", "found"),
    [
        ("R5-7 | K7 B7 J", 0, set()),
        ("R5 J=R6 R7", 0, set()),
        ("J=R7 R8 R9", 0, set()),
        ("R5 J=R9 R7", 1, {"gap"}),
        ("R5 R6 B7", 1, {"mixed_colours"}),
        ("R5-7 | O4", 1, {"loose_tile"}),
        ("R5-7 | R6/B6 R7 R8", 3, set()),
        ("R5-7 | ? R7 R8", 3, set()),
        ("R5-7 | ? R7 K9 R8", 1, {"mixed_colours"}),
        ("R5-7 | ? | ? ?", 0, set()),
        ("r5   r6 r7", 0, set()),
    ],
)
def test_a_table(tileref: Command, text: str, status: int, found: set[str]) -> None:
    assert tileref("judge", "--table", text).status == status
    assert found <= codes(parsed(tileref, "--table", text))


def test_the_verdict_comes_first_then_each_set_then_what_is_wrong(tileref: Command) -> None:
    lines = tileref("judge", "--table", "R5-7 | K7 R7 B7 B8 | J R9 R10 | O4").out.splitlines()
    assert lines[0] == "ILLEGAL - set 2, loose tile (rules: international)"
    assert lines[1].split() == "1 legal R5 R6 R7 run 18".split()
    assert lines[2].split() == "2 illegal K7 R7 B7 B8 -".split()
    assert lines[3].split() == "3 legal J=R8 R9 R10 run 27".split()
    assert lines[4].split() == "4 illegal O4 alone".split()
    assert lines[5].split(maxsplit=1) == ["fault", "O4 lies alone, in no set."]
    assert lines[6].split(maxsplit=1)[0] == "fault"
    assert "B8 should be 7" in lines[6]


def test_the_rule_that_decides_is_named(tileref: Command) -> None:
    out = tileref("judge", "--table", "R12 R13 R1 | K4 B4").out
    assert "Set 1: A run cannot go on from 13 to 1. [wrap_13_1 = false]" in out
    assert "Set 2: Too short: tiles 2, needed 3. [min_set_length = 3]" in out


def test_the_written_meaning_of_a_joker_counts(tileref: Command) -> None:
    (one,) = parsed(tileref, "--table", "J=R7 R8 R9")["sets"]
    assert (one["text"], one["value"]) == ("J=R7 R8 R9", 24)
    assert "J=R7 R8 R9" in tileref("judge", "--table", "J=R7 R8 R9").out
    (group,) = parsed(tileref, "--table", "R8 K8 J=O8")["sets"]
    assert group["kind"] == "group"


def test_fields_and_their_order(tileref: Command) -> None:
    line = parsed(tileref, "--before", "R5-7", "--after", "R5-8 | K4", "--rack", "R8 K4", "--opened")
    assert list(line) == FIELDS
    assert [list(one) for one in line["sets"]] == [["tiles", "text", "kind", "value", "legal"]] * 2
    assert line["findings"]
    assert all(list(finding) == FINDING_FIELDS for finding in line["findings"])
    assert (line["before"], line["after"], line["rack"]) == ("R5 R6 R7", "R5 R6 R7 R8 | K4", "R8 K4")
    assert line["fingerprint"] == load_ruleset().fingerprint
    assert (line["rules"], line["version"], line["photos"]) == ("international", VERSION, {})
    alone = parsed(tileref, "--table", "R5-7")
    assert list(alone) == FIELDS
    assert [alone[name] for name in ("before", "played", "opening", "opened")] == [None] * 4


# --- turns ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "after", "options", "status", "found"),
    [
        ("R5-7", "R5-8", ["--opened"], 0, set()),
        ("R5-7", "R5-8 | K4", ["--opened"], 1, {"loose_tile"}),
        ("R5-7", "R5-7", ["--opened"], 1, {"nothing_laid"}),
        ("R5-7", "R5-7", ["--opened", "--drew"], 0, set()),
        ("R5-7", "R5-8", ["--opened", "--drew"], 1, {"drew_and_played"}),
        ("R5-8", "R5-7", ["--opened"], 1, {"table_tile_taken", "nothing_laid"}),
        ("R5-7", "R5-8", ["--opened", "--rack", "R8 K4"], 0, set()),
        ("R5-7", "R5-8", ["--opened", "--rack", "R9 K4"], 1, {"not_from_rack"}),
        ("R5-7", "R5-7 | R9-11", ["--not-opened"], 0, set()),
        ("R5-7", "R5-7 | R9-11", ["--opening"], 0, set()),
        ("R5-7", "R5-7 | K8-10", ["--opening"], 1, {"opening_low"}),
        ("R5-7", "R5-8 | R9-11", ["--opening"], 1, {"table_before_opening"}),
        ("R5-7", "R5-8 | R9-11", ["--opening", "--rules", "standard-sk"], 0, set()),
        ("R5 J R7", "R5-7 | K7 B7 J", ["--opened"], 0, set()),
        ("R5 J R7", "R5-7 | K7 B7 O7 J", ["--opened", "--rules", "logiczna-pl"], 1, {"set_not_kept"}),
        ("", "", ["--opened", "--drew"], 0, set()),
        ("R5-7", "R5-7 | K4/K5 B4 O4", ["--opened"], 3, set()),
        ("R5-7 | ?", "? | R5-8", ["--opened"], 0, set()),
        ("R5-7/R8", "R5-8", ["--opened"], 2, set()),
        ("R5 R6 R7/R4", "R5-8", ["--opened"], 3, set()),
    ],
)
def test_a_turn(tileref: Command, before: str, after: str, options: list[str], status: int, found: set[str]) -> None:
    done = tileref("judge", "--before", before, "--after", after, *options)
    assert done.status == status, done
    if status != 2:
        assert found == codes(parsed(tileref, "--before", before, "--after", after, *options))


def test_an_opening_needs_no_table_before(tileref: Command) -> None:
    done = tileref("judge", "--after", "R9-11", "--opening")
    assert done.status == 0
    assert "opening         30, needed 30" in done.out
    line = parsed(tileref, "--after", "R8-10", "--opening")
    assert (line["before"], line["opening"], line["opened"]) == ("", 27, False)
    assert codes(line) == {"opening_low"}
    assert next(finding["switch"] for finding in line["findings"]) == "open_points"


def test_what_was_played_moved_and_taken(tileref: Command) -> None:
    out = tileref("judge", "--before", "R5-8 | K9 B9 O9", "--after", "R5-7 | R8 B8 K8", "--opened").out
    assert "played          B8 K8" in out
    assert "moved           R8" in out
    assert "taken           K9 B9 O9" in out
    assert "fault           K9, B9 and O9 were on the table before and are gone." in out


def test_a_finding_of_the_table_before_says_where_it_was(tileref: Command) -> None:
    done = tileref("judge", "--before", "B1-3 | R5-7", "--after", "B1-3 | R5-8", "--not-opened")
    assert "Table before, set 2 (R5 R6 R7): Sets of the table were changed" in done.out
    line = parsed(tileref, "--before", "B1-3 | R5-7", "--after", "B1-3 | R5-8", "--not-opened")
    changed = next(finding for finding in line["findings"] if finding["code"] == "table_before_opening")
    assert (changed["table"], changed["set"], changed["tiles"]) == ("before", 1, [3, 4, 5])


def test_a_table_that_was_illegal_already_is_said(tileref: Command) -> None:
    arguments = ("--before", "R5 R6 B7", "--after", "R5 R6 B7 | K1-3", "--opened")
    assert "Set 1 of the table before (R5 R6 B7) was illegal already." in tileref("judge", *arguments).out
    assert parsed(tileref, *arguments)["illegal_before"] == [0]


def test_sets_are_matched_by_content(tileref: Command) -> None:
    line = parsed(tileref, "--before", "R5-7 | K1 B1 O1", "--after", "O1 K1 B1 | R8-5", "--opened")
    assert (line["verdict"], line["played"], line["moved"]) == ("legal", ["R8"], [])


# --- what nobody said -------------------------------------------------------------------------------------------


def test_an_unknown_rack_is_said(tileref: Command) -> None:
    turn = ("--before", "R5-7", "--after", "R5-8", "--opened")
    assert "Nobody saw the rack" in tileref("judge", *turn).out
    assert len(parsed(tileref, *turn)["not_checked"]) == 1
    assert parsed(tileref, *turn, "--rack", "R8")["not_checked"] == []
    assert parsed(tileref, "--before", "R5-7", "--after", "R5-7", "--opened", "--drew")["not_checked"] == []


def test_an_unknown_opening_is_ruled_on_where_both_answers_agree(tileref: Command) -> None:
    legal = parsed(tileref, "--before", "B1-3", "--after", "B1-3 | R9-11")
    assert (legal["verdict"], legal["opened"], legal["not_told"]) == ("legal", True, [])
    illegal = parsed(tileref, "--before", "B1-3", "--after", "B1-3 | R9 R10")
    assert illegal["verdict"] == "illegal"
    low = next(finding for finding in illegal["findings"] if finding["code"] == "opening_low")
    assert low["only_if"] == {"opened": False}
    assert low["message"].startswith("If the player had not opened: The opening is worth 0")
    short = next(finding for finding in illegal["findings"] if finding["code"] == "too_short")
    assert short["only_if"] is None


def test_an_unknown_opening_that_decides_is_asked_for(tileref: Command) -> None:
    done = tileref("judge", "--before", "R5-7", "--after", "R5-8")
    assert done.status == 3
    assert done.out.startswith("CANNOT TELL - opened")
    assert "Whether the player had opened before decides, and nobody said (--opened, --not-opened)." in done.out


def test_whether_all_others_have_opened_is_asked_for_where_the_rules_ask(tileref: Command, tmp_path: Path) -> None:
    late = tmp_path / "late.toml"
    late.write_text('base = "international"\ntable_play_from = "all_opened"\n')
    turn = ("--before", "R5-7", "--after", "R5-8", "--opened", "--rules", late)
    assert tileref("judge", *turn).status == 3
    assert "Whether all others had opened decides" in tileref("judge", *turn).out
    assert tileref("judge", *turn, "--others-opened").status == 0
    told = parsed(tileref, *turn, "--others-not-opened")
    assert codes(told) == {"table_too_early"}
    assert tileref("judge", *turn[:-2]).status == 0, "international does not ask"


def test_a_draw_by_one_who_could_have_played(tileref: Command, tmp_path: Path) -> None:
    strict = tmp_path / "strict.toml"
    strict.write_text('base = "international"\ndraw_voluntary = false\n')
    drawn = ("--before", "R5-7", "--after", "R5-7", "--opened", "--drew", "--rules", strict)
    assert codes(parsed(tileref, *drawn, "--rack", "R8 K1")) == {"could_have_played"}
    assert parsed(tileref, *drawn, "--rack", "K8 K1")["verdict"] == "legal"
    unseen = parsed(tileref, *drawn)
    assert unseen["verdict"] == "legal"
    assert "could have played" in unseen["not_checked"][0]


def test_the_corpus_is_ruled_on_as_the_judge_of_turns_rules(tileref: Command) -> None:
    """Every turn of the corpus that a preset of the program rules on comes out the same on the command line."""
    seen = 0
    for line in corpus.read("turns"):
        text, options = corpus._options(line.given)
        names = [name for name, changes in line.presets if not changes]
        if not names or "could" in options or "unreadable" in line.expected:
            continue
        before, after = (part.strip() for part in text.split("=>"))
        arguments = ["--before", before, "--after", after, "--rules", names[0]]
        arguments += ["--not-opened" if "unopened" in options else "--opened"]
        arguments += ["--others-opened" if "others" in options else "--others-not-opened"]
        arguments += ["--drew"] if "drew" in options else []
        arguments += ["--rack", options["rack"]] if "rack" in options else []
        done = tileref("judge", *arguments)
        verdict = next(word for word in line.expected if word in {"legal", "illegal", "cannot_tell"})
        if done.status == 2:
            assert "stands there" in done.err, "only what no box holds is refused"
            continue
        expected = {"legal": 0, "illegal": 1, "cannot_tell": 3}[verdict]
        if done.status != expected:  # a player answers for no set that lay there, and yet the table is what it is
            left = tileref("judge", "--table", after, "--rules", names[0]).status
            expected = next(status for status in (1, 3, 0) if status in {expected, left})
        assert done.status == expected, (str(line), done.out)
        seen += 1
    assert seen > 100


def test_doubt_never_helps_and_never_hurts() -> None:
    """One tile of a turn made doubtful leaves its verdict, or opens it and says why; a hidden one is never legal."""
    rules = load_ruleset()
    inputs = Inputs(blind("a text needs no eyes"), rules)
    other = parse_tile("R13")
    tried = 0
    for line in corpus.read("turns"):
        text, options = corpus._options(line.given)
        if set("J/?") & set(text) or "international" not in dict(line.presets) or "drew" in options:
            continue
        before, after = corpus._tables(text, rules)
        opened = "unopened" not in options
        changed = [(twin, after) for twin in doubtful_twins(before, other)]
        changed += [(before, twin) for twin in doubtful_twins(after, other)]
        plain: Verdict | None = None
        for one, two in [(before, after), *changed]:
            words = (format_table(one), format_table(two))
            try:
                report = judge_step(inputs.table("", words[0]), inputs.table("", words[1]), rules, opened=opened)
            except InputError:
                if plain is None:
                    break
                continue  # the box does not hold so many
            plain = plain or report.verdict
            assert report.verdict in {plain, Verdict.CANNOT_TELL}, words
            if report.verdict is Verdict.CANNOT_TELL:
                assert any(one.finding.severity is Severity.DOUBT for one in report.remarks), words
            assert report.verdict is not Verdict.LEGAL or "?" not in "".join(words), words
            tried += 1
    assert tried > 500


def doubtful_twins(noted: NotedTable, other: Tile) -> Iterator[NotedTable]:
    """The same table with one tile doubtful, and with one tile hidden, for each of its tiles."""
    for at, places in enumerate(noted):
        for i, place in enumerate(places):
            for readings in ((*place.readings, other), ()):
                if len(set(readings)) == len(readings) and (readings or len(places) > 1):
                    changed = (*places[:i], Place(readings), *places[i + 1 :])
                    yield (*noted[:at], changed, *noted[at + 1 :])


# --- repairs ----------------------------------------------------------------------------------------------------


def test_the_smallest_repair_is_told(tileref: Command) -> None:
    done = tileref("judge", "--table", "R5 R6 R7 K7 | O7 B7 J | B1-3")
    assert "repair          Move K7 from set 1 (R5 R6 R7 K7) to set 2 (O7 B7 J)." in done.out
    line = parsed(tileref, "--table", "R5 R6 R7 K7 | O7 B7 J | B1-3")
    assert [(move["tile"], move["from"], move["to"]) for move in line["repair"]] == [("K7", 0, 1)]
    assert line["repair_fewest"] is True
    assert parsed(tileref, "--table", line["repaired"])["verdict"] == "legal"


def test_a_new_set_may_mend_a_table(tileref: Command) -> None:
    out = tileref("judge", "--table", "R5 R6 R7 B9 B10 B11").out
    assert "from set 1 (R5 R6 R7 B9 B10 B11) in a new set." in out


def test_a_turn_is_repaired_without_taking_what_lay_there(tileref: Command) -> None:
    line = parsed(tileref, "--before", "R5-7", "--after", "R5-7 | K4", "--opened")
    (move,) = line["repair"]
    assert (move["tile"], move["to"]) == ("K4", None)
    assert move["message"] == "Take K4 off the table."
    kept = parsed(tileref, "--before", "R5-7 | K4", "--after", "R5-8 | K4", "--opened")
    assert all(move["tile"] != "K4" or move["to"] is not None for move in kept["repair"])


def test_tiles_that_go_the_same_way_are_said_together(tileref: Command) -> None:
    out = tileref("judge", "--table", "R5-7 | K7 B7 B8").out
    assert out.count("repair   ") == 1
    assert "from set 2 (K7 B7 B8) off the table." in out
    assert "afterwards      R5 R6 R7" in out


def test_a_repair_that_is_not_the_smallest_is_not_passed_off_as_one(tileref: Command) -> None:
    hopeless = "R1 R2 K3 | R4 B5 R6 | O1 O3 O2 K9 | B8 B9 J R10 | K1 K2 B3 | R5 R6 B7 | O9 O10 K11"
    assert "repair          None with a few moves was found" in tileref("judge", "--table", hopeless).out
    assert parsed(tileref, "--table", hopeless)["repair_fewest"] is False


def test_a_doubtful_table_is_not_repaired(tileref: Command) -> None:
    assert parsed(tileref, "--table", "R5 R6 B9 | R6/R9 R7 R8")["repair"] == []


# --- photos -----------------------------------------------------------------------------------------------------


def test_photos_and_texts_are_ruled_on_alike(tileref: Command, photograph: Photographer) -> None:
    texts = {"--before": "R5-7 | K1 B1 O1", "--after": "K1 B1 O1 | R5 R6 R7 R8", "--rack": "R8 K4"}
    written = {"--before": "R5 R6 R7 | K1 B1 O1", "--after": texts["--after"], "--rack": texts["--rack"]}
    photos = {option: photograph(f"{option[2:]}.png", text) for option, text in written.items()}
    told = parsed(tileref, *(word for pair in texts.items() for word in pair), "--opened")
    seen = parsed(tileref, *(word for pair in photos.items() for word in pair), "--opened")
    assert seen["photos"] == {option[2:]: str(path) for option, path in photos.items()}
    assert set(seen["models"]) == {"detector", "reader"}
    for line in (told, seen):
        line.pop("photos"), line.pop("models")
    assert told == seen
    mixed = parsed(tileref, "--before", texts["--before"], "--after", photos["--after"], "--opened")
    assert (mixed["verdict"], mixed["played"]) == ("legal", ["R8"])


@pytest.mark.parametrize(
    ("before", "after", "status"),
    [
        ("R5 R6 R7", "R5 R6 R7 R8", 0),
        ("R5 R6 R7", "R5 R6 R7 #", 3),
        ("R5 R6 R7 #", "R5 R6 R7 R8", 3),
        ("R5 R6 R7 | #", "R5 R6 R7 R8", 3),
        ("R5 R6 R7", "R5 R6 R7 ?", 3),
        ("R5 R6 R7", "R5 R6 R7 R8 | ? ?", 0),
        ("R5 R6 R7/R1", "R5 R6 R7 R8", 3),
        ("R5 R6 R7", "R5 R6 R7 R8/R3", 3),
        ("R5 R6 R7", "R5 R6 R7 R8/R3 | K4 B5 O9", 1),
        ("R5 R6 R7", "R5 R6 R7 R8 | K4", 1),
        ("R5 R6 R7", "", 3),
        ("", "R5 R6 R7", 3),
    ],
)
def test_what_a_photo_does_not_show_keeps_the_ruling_open(
    tileref: Command, photograph: Photographer, before: str, after: str, status: int
) -> None:
    arguments = ("--before", photograph("b.png", before), "--after", photograph("a.png", after), "--opened")
    assert tileref("judge", *arguments).status == status
    line = parsed(tileref, *arguments)
    weighty = {finding["severity"] for finding in line["findings"]}
    assert ("doubt" in weighty) or status != 3, "cannot tell is never said without a reason"


@pytest.mark.parametrize(
    ("before", "after", "status"),
    [
        ("R5 R6/B6 R7 | K1 K2 K3", "K1 K2 K3 K4 | R7 R6/B6 R5", 3),  # the set itself is in doubt
        ("R5 K5/K6 B5 | K1 K2 K3", "R5 K5/K6 B5 | K1 K2 K3", 1),  # nothing was laid, whatever it is
        ("K1 K2 K3 | R5/R9 R6 R7 R8", "K1 K2 K3 K4 | R8 R7 R6 R5/R9", 0),
        ("K1 K2 K3 | R5/R9 R6 R7 R8", "K1 K2 K3 K4 | R8 R7 R6 R5", 3),  # it may have been exchanged
        ("K1 K2 K3 | R5/R9 R6 R7 R8", "K1 K2 K3 | R9 R5/R9 R6 R7 R8", 3),
    ],
)
def test_a_doubtful_set_that_looks_the_same_is_the_same(tileref: Command, before: str, after: str, status: int) -> None:
    assert tileref("judge", "--before", before, "--after", after, "--opened").status == status


def test_jokers_of_a_twist_box_in_photos(tileref: Command, photograph: Photographer) -> None:
    """The kind of a joker stays open: sets that nobody touched bar no ruling, a joker that moved does."""
    twist = ("--opened", "--rules", "twist-pl")
    before = photograph("b.png", "R5 R6 R7 | K1 J K3")
    untouched = parsed(tileref, "--before", before, "--after", photograph("a.png", "K3 J K1 | R5 R6 R7 R8"), *twist)
    assert codes(untouched, "doubt") == {"joker_kind"}, "the set itself is legal with some kinds only"
    drew = parsed(tileref, "--before", before, "--after", before, "--drew", *twist)
    assert drew["played"] == []
    legal = photograph("c.png", "R5 R6 R7 | K7 J O7 B7")
    moved = parsed(tileref, "--before", legal, "--after", photograph("d.png", "R5 R6 R7 J | K7 R7 O7 B7"), *twist)
    assert moved["verdict"] == "cannot_tell"


def test_doubts_are_said_once(tileref: Command, photograph: Photographer) -> None:
    photo = photograph("a.png", "R5 R6 R7 R8/R3 | B1 B2 B3 #")
    line = parsed(tileref, "--before", "R5-7", "--after", photo, "--opened")
    found = [(finding["code"], tuple(finding["tiles"])) for finding in line["findings"]]
    assert len(set(found)) == len(found)
    assert {code for code, _ in found} == {"doubtful_tile", "unread_tile_at_set", "unread"}
    assert line["after"] == "R5 R6 R7 R8/R3 | B1 B2 B3 ?"
    assert line["sets"][1]["tiles"] == [4, 5, 6, 7]


def test_a_tile_that_may_be_misread_keeps_the_turn_open(eyes: FakeEyes, tileref: Command, tmp_path: Path) -> None:
    """The table's ruling has doubts about a sure tile that alone makes a set illegal, so the turn's has them too."""
    seen = table("R5 R6 B7")
    odd = replace(seen.tiles[2], readings=(*seen.tiles[2].readings, Reading(parse_tile("R7"), 0.0029)))
    photo = eyes.photo(tmp_path / "a.png", replace(seen, tiles=(*seen.tiles[:2], odd)))
    line = parsed(tileref, "--before", "", "--after", photo, "--opened")
    assert line["verdict"] == "cannot_tell"
    assert "suspect_tile" in codes(line, "doubt")


def test_a_rack_is_no_table(eyes: FakeEyes, tileref: Command, tmp_path: Path) -> None:
    rack = eyes.photo(tmp_path / "rack.png", table("R8 R9 B9", scene=Scene.RACK))
    for arguments in (("--table", rack), ("--before", "R5-7", "--after", rack, "--opened")):
        assert tileref("judge", *arguments).status == 3
        assert "This is a rack, not a table." in tileref("judge", *arguments).out
        assert parsed(tileref, *arguments)["repair"] == []  # no tile of a rack is to be moved
    turn = ("--before", "R5-7", "--after", "R5-8", "--opened")
    assert parsed(tileref, *turn, "--rack", rack)["verdict"] == "legal"
    assert codes(parsed(tileref, "--before", "R5-7", "--after", "R4-7", "--opened", "--rack", rack)) == {
        "not_from_rack"
    }


@pytest.mark.parametrize(
    ("rack", "code"), [("R8/R3 B9 K1", "doubtful_tile"), ("B9 K1 ?", "unread"), ("B9 #", "unread")]
)
def test_a_doubtful_rack_is_said(tileref: Command, photograph: Photographer, rack: str, code: str) -> None:
    photo = photograph("rack.png", rack)
    line = parsed(tileref, "--before", "R5-7", "--after", "R5-8", "--opened", "--rack", photo)
    assert line["verdict"] == "cannot_tell"
    assert [(finding["code"], finding["table"]) for finding in line["findings"]] == [(code, "rack")]


@pytest.mark.parametrize(
    ("before", "after", "rack", "status", "side"),
    [
        ("R5 R6 R7 | R5 B5 O5 | R5 K5 B5", "R6 R7 R8 | R5 B5 O5 | R5 K5 B5", None, 3, "before"),
        ("R5 R6 R7 | R6 B6 O6", "R5 R6 R7 | R6 B6 O6 | R6 K6 O6", None, 3, "after"),
        ("R5 R6 R7 | R5 B5 O5", "R5 R6 R7 R8 | R5 B5 O5", "R5 R8", 3, "rack"),
        ("R5 R6 R7 | R5 B5 O5", "R5 R6 B7 R8 | R5 B5 O5", "R5 R8", 1, "rack"),
    ],
)
def test_more_copies_than_the_box_holds_prove_a_misreading(
    tileref: Command, photograph: Photographer, before: str, after: str, rack: str | None, status: int, side: str
) -> None:
    arguments: list[object] = ["--before", photograph("b.png", before), "--after", photograph("a.png", after)]
    arguments += ["--rack", photograph("r.png", rack)] if rack else []
    assert tileref("judge", *arguments, "--opened").status == status
    line = parsed(tileref, *arguments, "--opened")
    assert ("too_many_copies", side) in {(finding["code"], finding["table"]) for finding in line["findings"]}
    assert "table_tile_taken" not in codes(line), "what was misread was not taken"


def test_the_missing_second_reader_is_said_once(eyes: FakeEyes, tileref: Command, tmp_path: Path) -> None:
    seen = table("R5 R6 R7", notes=("second_reader_absent",))
    photos = [eyes.photo(tmp_path / name, seen) for name in ("b.png", "a.png")]
    done = tileref("judge", "--before", photos[0], "--after", photos[1], "--opened", "--drew")
    assert done.status == 0
    assert "tesseract" in one_sentence(done.err)


@pytest.mark.parametrize("name", preset_names())
def test_every_preset_rules_on_sample_pictures(name: str, real_eyes: Wiring, capfd: pytest.CaptureFixture[str]) -> None:
    photo = str(SAMPLES / "01_legal_small.jpg")
    assert run(["judge", "--opening", "--after", photo, "--rules", name, "--json"], real_eyes) == 0
    line = json.loads(capfd.readouterr().out)
    assert line["after"] == "R9 B9 K9 | R3 R4 R5 R6 | O10 O11 O12 O13"
    assert (line["rules"], line["opening"], line["opened"]) == (name, 91, True)


def test_real_eyes_on_two_photos(real_eyes: Wiring, capfd: pytest.CaptureFixture[str]) -> None:
    """The same table from the same photo: a pass without a draw; and a turn that broke a run."""
    legal, broken = (str(SAMPLES / name) for name in ("01_legal_small.jpg", "02_illegal_gap.jpg"))
    assert run(["judge", "--before", legal, "--after", legal, "--opened", "--drew"], real_eyes) == 0
    assert run(["judge", "--before", legal, "--after", broken, "--opened"], real_eyes) == 1
    out = capfd.readouterr().out
    assert "Gap in the run: 6 missing." in out
    assert "were on the table before and are gone." in out


# --- cards ------------------------------------------------------------------------------------------------------


@pytest.fixture
def cards(tmp_path: Path) -> Path:
    path = tmp_path / "cards.toml"
    path.write_text('base = "classic-es"\nfaces = "cards"\n')
    return path


def test_cards_are_told_as_cards(tileref: Command, cards: Path) -> None:
    out = tileref("judge", "--table", "HA-4 | S7 J D7 | CJ-K CA | H9 H10 SJ | C8", "--rules", cards).out
    assert "S7 J=H7/C7 D7" in out or "S7 J=C7/H7 D7" in out
    assert "A run cannot go on from K to A." in out
    assert "SJ should be hearts." in out
    assert "C8 lies alone" in out
    turn = ("--before", "H5-7", "--after", "H5-8 | DQ CQ SQ", "--opened", "--rules", cards)
    assert parsed(tileref, *turn)["played"] == ["H8", "DQ", "CQ", "SQ"]
    assert "CQ stands there 3 times" in tileref("judge", "--table", "CQ CQ CQ", "--rules", cards).err
    hint = 'notation of cards, which rules with faces = "cards" speak'
    assert hint in tileref("judge", "--table", "HA-4 | S7 J D7").err
    assert hint in tileref("solve", "--rack", "HA H2 H3").err
    assert 'which rules with faces = "tiles" speak' in tileref("judge", "--table", "R5-7", "--rules", cards).err


# --- bad input --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--table", "R5 R6 X7"], "'X7' is not a tile"),
        (["--table", "R5 R-6 R7"], "'R-6' is not a tile"),
        (["--table", "R5 R6 R14"], "'R14' is not a tile"),
        (["--table", "R5-7 | | K1-3"], "a set without tiles"),
        (["--table", ""], "an empty table holds nothing"),
        (["--table", "  "], "an empty table holds nothing"),
        (["--table", "R5 R5 | R5-7"], "R5 stands there 3 times, and the box of international holds 2"),
        (["--table", "J J J"], "J stands there 3 times"),
        (["--table", "R5 JD R8"], "JD stands there once, and the box of international holds none"),
        (["--table", "R5 R6/JM R7"], "JM stands there once, and the box of international holds none"),
        (["--table", "R5 JD=R6 R8", "--rules", "twist-pl"], "JD=R6 says too little"),
        (["--table", "HA-4"], "'HA-4' is not a tile"),
        (["--after", "R9-11 | X", "--opening"], "--after: 'X' is not a tile"),
        (["--after", "R9-11", "--opening", "--rack", "R9 ?"], "'?' cannot stand there"),
        (["--after", "R9-11", "--opening", "--rack", "R9 | R10"], "a bar parts the sets"),
        (["--after", "R9-11", "--opening", "--rack", "R9 R9 R9"], "--rack: R9 stands there 3 times"),
        (["--before", "R9-11", "--after", "R9-11", "--rack", "R9 R9"], "--before and --rack: R9 stands there 3 times"),
        (["--table", "R5 " * 30_000], "R5 stands there 30000 times"),
        (["--table", "Q" * 100_000], "cannot be read"),
        (["--table", "R5-7", "--rules", "house-rules"], "'house-rules' is not a preset"),
        (["--table", "no/such/photo.jpg"], "no/such/photo.jpg does not exist"),
        (["--table", "R5-7", "--rules", "nowhere.toml"], "nowhere.toml"),
    ],
)
def test_bad_input_is_one_sentence(tileref: Command, arguments: list[str], said: str) -> None:
    done = tileref("judge", *arguments)
    assert (done.status, done.out) == (2, "")
    assert said in one_sentence(done.err)
    assert len(done.err) < 500


@pytest.mark.parametrize("kind", ["text", "empty", "truncated", "animated", "dot", "folder"])
def test_a_bad_photo_is_one_sentence(tileref: Command, photograph: Photographer, tmp_path: Path, kind: str) -> None:
    bad = bad_file(kind, tmp_path)
    for arguments in (("--table", bad), ("--before", photograph("b.png", "R5 R6 R7"), "--after", bad, "--opened")):
        done = tileref("judge", *arguments)
        assert (done.status, done.out) == (2, "")
        assert str(bad) in one_sentence(done.err)


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["--after", "R5-7"],
        ["--before", "R5-7"],
        ["--before", "R5-7", "--opening"],
        ["--table", "R5-7", "--after", "R5-7"],
        ["--table", "R5-7", "--not-opened"],
        ["--table", "R5-7", "--drew"],
        ["--opening", "--opened", "--after", "R9-11"],
        ["R5-7"],
    ],
)
def test_bad_usage(tileref: Command, arguments: list[str]) -> None:
    done = tileref("judge", *arguments)
    assert (done.status, done.out) == (2, "")
    assert "Usage: tileref judge" in done.err


def test_what_is_a_photo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "table").touch()
    photos = ["table", str(tmp_path), "no/such.jpg", "IMG.HEIC", "R5-7.png"]
    texts = ["R5-7", "", "  ", "R5-7 | K1 B1 O1", "x" * 5000, "a\0b", "R5.toml"]
    assert [names_photo(word) for word in (*photos, *texts)] == [True] * len(photos) + [False] * len(texts)


def test_texts_need_no_heavy_libraries(repository: Path) -> None:
    script = (
        "import sys; from web.cli import run; status = run(sys.argv[1:]);"
        "heavy = {'numpy', 'cv2', 'onnxruntime', 'PIL', 'sqlalchemy'} & set(sys.modules);"
        "sys.exit(f'imported {heavy}' if heavy else status)"
    )
    command = [sys.executable, "-c", script, "judge", "--table", "R5-7"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=repository, check=False, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("one", "shown"),
    [
        ("K7 B7 J", {"J=R7/O7", "J=O7/R7"}),
        ("K7 B7 O7 J", {"J=R7"}),
        ("R5 J R7", {"J=R6"}),
        ("R12 R13 J", {"J=R11"}),
        ("K7 B7 J=O7", {"J=O7"}),
    ],
)
def test_a_joker_is_shown_with_all_that_it_may_stand_for(tileref: Command, one: str, shown: set[str]) -> None:
    told = tileref("judge", "--table", one).out.split()
    assert next(word for word in told if word.startswith("J=")) in shown
    play = tileref("solve", "--table", one, "--rack", "B1 B2 B3").out
    (solved,) = (line for line in play.splitlines() if "J=" in line)
    assert shown & set(solved.split())
