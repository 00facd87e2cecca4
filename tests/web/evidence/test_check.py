"""Evidence that was changed, in every way that we could think of, and evidence that was not."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.chain import BEGINNING, Link, Record, canonical, opened, sealed
from referee.game.events import Event
from tests.web.evidence.club import Club, Files, Loose, files_of
from web.evidence.again import rule_again, turn_fields
from web.evidence.check import Checked, Code, Found, Grade, check
from web.evidence.keeper import head_text
from web.evidence.shelf import HEAD, PENDING, record_file
from web.evidence.words import SENTENCES, again_text, checked_text, rulings_text, sentence

FEW = settings(max_examples=40, deadline=None)


@dataclass(frozen=True)
class Kept:
    """What an evening left behind: its files, its log."""

    held: Files
    log: Sequence[Event]

    def check(
        self, changed: Files | None = None, log: Sequence[Event] | None = None, seal: str | None = None
    ) -> Checked:
        return check(Loose(self.held if changed is None else changed), self.log if log is None else log, seal=seal)

    def codes(self, changed: Files) -> set[Code]:
        return {one.code for one in self.check(changed).found}

    @property
    def records(self) -> list[str]:
        return sorted(file for file in self.held if file.startswith("records/"))

    @property
    def pictures(self) -> list[str]:
        return sorted(file for file in self.held if file.startswith("pictures/"))


def unsealed(record: Record) -> Record:
    """What a record holds, without its place in the chain."""
    return {key: value for key, value in record.items() if key not in {"hash", "number", "previous"}}


@pytest.fixture(scope="module")
def kept(homes: dict[str, Path]) -> Kept:
    club = Club(homes["evening"])
    log = club.store.load(club.game)
    club.store.close()
    return Kept(files_of(club.folder), log)


def test_an_evening_is_as_it_was_written(kept: Kept) -> None:
    checked = kept.check()
    assert (checked.grade, checked.found, len(checked.records)) == (Grade.NOTE, (), 6)
    assert (checked.game, checked.covered) == ("Friday", len(kept.log))


@FEW
@given(data=st.data())
def test_one_byte_that_is_another_shows_in_every_file(kept: Kept, data: st.DataObject) -> None:
    file = data.draw(st.sampled_from(sorted(kept.held)))
    at = data.draw(st.integers(0, len(kept.held[file]) - 1))
    byte = data.draw(st.integers(1, 255))
    changed = bytearray(kept.held[file])
    changed[at] ^= byte
    found = kept.check({**kept.held, file: bytes(changed)})
    assert found.grade is Grade.CHANGED
    assert any(one.where == file for one in found.found)


@FEW
@given(data=st.data())
def test_a_file_that_is_missing_shows(kept: Kept, data: st.DataObject) -> None:
    file = data.draw(st.sampled_from(sorted(kept.held)))
    without = {name: content for name, content in kept.held.items() if name != file}
    found = kept.check(without)
    assert found.grade is Grade.CHANGED
    wanted = {"records": Code.RECORD_MISSING, "pictures": Code.PICTURE_MISSING, HEAD: Code.END_MISSING}
    assert wanted[file.split("/")[0]] in {one.code for one in found.found}


@FEW
@given(data=st.data())
def test_records_in_another_order_show(kept: Kept, data: st.DataObject) -> None:
    order = data.draw(st.permutations(kept.records).filter(lambda told: told != kept.records))
    moved = {there: kept.held[file] for there, file in zip(kept.records, order, strict=True)}
    assert kept.check({**kept.held, **moved}).grade is Grade.CHANGED


@FEW
@given(data=st.data())
def test_a_field_that_is_another_shows_although_its_record_was_sealed_anew(kept: Kept, data: st.DataObject) -> None:
    """Whoever writes one record anew must write all later ones, too, and the end; then only the seal tells."""
    at = data.draw(st.integers(0, len(kept.records) - 2))
    record = opened(kept.held[kept.records[at]])
    key = data.draw(st.sampled_from(sorted(set(record) - {"hash", "number", "previous"})))
    fields = unsealed(record)
    forged, _ = sealed({**fields, key: "forged"}, Link(at, record["previous"]))
    assert kept.check({**kept.held, kept.records[at]: forged}).grade is Grade.CHANGED


def test_a_chain_written_anew_shows_by_the_seal_and_by_the_log(kept: Kept) -> None:
    seal = kept.check().end.hash
    assert kept.check(seal=seal[:12]).grade is Grade.NOTE
    anew, last = dict(kept.held), Link(0, BEGINNING)
    for file in kept.records:
        told = opened(kept.held[file])
        fields = unsealed(told)
        fields["log"] = [line.replace('"illegal"', '"legal"') for line in fields["log"]]
        anew[file], last = sealed(fields, last)
    anew[HEAD] = head_text(last)
    assert {one.code for one in check(Loose(anew), None).found} == {Code.LOG_ABSENT}
    assert Code.LOG_CHANGED in kept.codes(anew)
    assert Code.SEAL_UNKNOWN in {one.code for one in check(Loose(anew), None, seal=seal).found}


def test_the_last_records_left_out_show(kept: Kept) -> None:
    without = {file: data for file, data in kept.held.items() if file not in kept.records[-2:]}
    assert {Code.RECORD_MISSING, Code.NO_EVIDENCE} <= kept.codes(without)
    last = opened(kept.held[kept.records[-3]])
    hidden = {**without, HEAD: head_text(Link(last["number"], last["hash"]))}
    orphans = set(kept.pictures) - {f"pictures/{one['sha256']}.jpg" for record in kept.records[:-2]
                                    for one in opened(kept.held[record])["pictures"].values()}  # fmt: skip
    clean = {file: data for file, data in hidden.items() if file not in orphans}
    assert kept.check(clean).grade is Grade.WANTING  # the log still tells of the turns
    assert Code.SEAL_UNKNOWN in {one.code for one in kept.check(clean, seal=kept.check().end.hash).found}


def test_a_record_put_in_at_the_end_shows(kept: Kept) -> None:
    last = opened(kept.held[kept.records[-1]])
    more, _ = sealed({**unsealed(last), "events": 0, "log": []}, Link(last["number"], last["hash"]))
    assert Code.RECORD_ADDED in kept.codes({**kept.held, record_file(7): more})


def test_a_record_put_in_between_shows(kept: Kept) -> None:
    """The later ones move up by one."""
    moved = dict(kept.held)
    for file in reversed(kept.records[3:]):
        moved[record_file(int(file[8:14]) + 1)] = kept.held[file]
    third = opened(kept.held[kept.records[2]])
    moved[record_file(4)], _ = sealed({"game": "Friday", "log": [], "version": 6}, Link(3, third["hash"]))
    assert Code.RECORD_MOVED in kept.codes(moved)


@pytest.mark.parametrize(
    ("file", "code"),
    [
        ("pictures/" + "a" * 64 + ".jpg", Code.PICTURE_ADDED),
        ("records/0000001.json", Code.RECORD_ADDED),
        ("records/notes.txt", Code.FILE_ADDED),
        ("pictures/../../elsewhere.jpg", Code.FILE_ADDED),
        ("virus.exe", Code.FILE_ADDED),
    ],
)
def test_a_file_put_in_shows(kept: Kept, file: str, code: Code) -> None:
    found = kept.check({**kept.held, file: b"strange"})
    assert (found.grade, {one.code for one in found.found} >= {code}) == (Grade.CHANGED, True)


def test_the_record_of_another_game_shows(kept: Kept, tmp_path: Path) -> None:
    other = Club(tmp_path, "Saturday")
    other.evening()
    theirs = files_of(other.folder)
    assert Code.OTHER_GAME in kept.codes({**kept.held, kept.records[3]: theirs[kept.records[3]]})


def test_pictures_exchanged_for_each_other_show(kept: Kept) -> None:
    one, other = kept.pictures[:2]
    changed = {**kept.held, one: kept.held[other], other: kept.held[one]}
    assert kept.codes(changed) == {Code.PICTURE_CHANGED}


def test_a_log_that_was_changed_shows(kept: Kept) -> None:
    shorter = kept.log[:-1]
    assert Code.LOG_CHANGED in {one.code for one in kept.check(log=shorter).found}
    swapped = [*kept.log[:3], kept.log[4], kept.log[3], *kept.log[5:]]
    assert Code.LOG_CHANGED in {one.code for one in kept.check(log=swapped).found}


def test_a_turn_of_the_log_of_which_nothing_was_kept_is_wanting(kept: Kept) -> None:
    found = kept.check(log=[*kept.log, kept.log[4]])
    assert (found.grade, [one.code for one in found.found]) == (Grade.WANTING, [Code.NO_EVIDENCE])


@FEW
@given(st.dictionaries(st.sampled_from([HEAD, PENDING, "records/000001.json", "records/000002.json"]), st.binary()))
def test_no_bytes_whatever_make_it_fail(kept: Kept, junk: Files) -> None:
    kept.check({**kept.held, **junk})
    check(Loose(junk), ())


JUNK: st.SearchStrategy[Any] = st.sampled_from([
    None, True, -1, 10**9, 1.5, "", "\ud800", "x", [], [None], [[]], ["x"], {}, {"a": None}, [{}],
])  # fmt: skip


@FEW
@given(data=st.data())
def test_no_forged_record_makes_it_fail(kept: Kept, data: st.DataObject) -> None:
    """A field anywhere in a record is something else, and the record and its chain are sealed anew."""
    at = data.draw(st.integers(0, len(kept.records) - 1))
    held, last = dict(kept.held), Link()
    for number, file in enumerate(kept.records):
        told = opened(kept.held[file])
        if number == at:
            spoil(told, data)
        held[file], last = sealed(unsealed(told), last)
    held[HEAD] = head_text(last)
    checked = kept.check(held)
    checked_text(checked)
    rulings_text(checked)
    again = list(rule_again(Loose(held), checked.records, kept.log, None))
    json.dumps([turn_fields(turn) for turn in again])
    again_text(checked, again, "rules")


def spoil(told: Any, data: st.DataObject) -> None:
    """Put something else at one place of a record, however deep."""
    while True:
        keys = sorted(told) if isinstance(told, dict) else list(range(len(told)))
        key = data.draw(st.sampled_from(keys))
        deeper = isinstance(told[key], dict | list) and bool(told[key])
        if not deeper or data.draw(st.integers(0, 2)) == 0:
            told[key] = data.draw(JUNK)
            return
        told = told[key]


@FEW
@given(st.dictionaries(st.sampled_from(["format", "game", "occasion", "version", "events", "log", "written_at"]), JUNK))
def test_what_is_sealed_and_no_record_is_said_to_be_none(kept: Kept, fields: dict[str, Any]) -> None:
    data, link = sealed(fields, Link())
    assert kept.check({record_file(1): data, HEAD: head_text(link)}).grade is Grade.CHANGED


def test_every_code_has_a_sentence_and_a_grade() -> None:
    assert set(SENTENCES) == set(Code)
    for code in Code:
        told = sentence(Found(code, "records/000001.json", "its hash is another."))
        assert told.endswith(".")
        assert ".." not in told
        assert "\n" not in told


def test_records_hold_what_was_seen_and_ruled(kept: Kept) -> None:
    record = json.loads(kept.held[kept.records[4]])
    assert canonical(record) == kept.held[kept.records[4]]
    assert (record["player"], record["turn"], record["ruling"]["verdict"]) == ("Ann", 5, "illegal")
    assert "R3" in record["ruling"]["findings"][0]["message"]
    assert record["reading"]["tiles"][9]["tile"] == "R3"
    assert record["reading"]["tiles"][9]["confidence"] == pytest.approx(0.9971)
    assert record["rules"]["switches"]["open_points"] == 30
    assert record["models"] == {"detector": "1 0123abcd"}
    assert record["times"]["elapsed_s"] == 31.5
    assert record["pictures"]["after"]["quality"] == 92
    assert [json.loads(line)["type"] for line in json.loads(kept.held[kept.records[0]])["log"]] == [
        "GameStarted", "StarterDrawn", "Dealt", "TurnEnded",
    ]  # fmt: skip
    assert json.loads(json.loads(kept.held[kept.records[5]])["log"][0])["reason"] == "seen by all"


def test_a_record_that_is_finished_while_somebody_verifies_is_no_fault(kept: Kept) -> None:
    class Going(Loose):
        """Lists a draft that is gone when it is read."""

        def files(self) -> tuple[str, ...]:
            return (*super().files(), PENDING)

        def read(self, file: str) -> bytes:
            if file == PENDING:
                raise FileNotFoundError(file)
            return super().read(file)

    assert check(Going(kept.held), kept.log).found == kept.check().found
