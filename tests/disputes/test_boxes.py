"""A photo that is said to show the tiles of a taught box is looked at by eyes that know it."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from flask import Flask

from referee.preset_files import load_ruleset
from referee.tiles import parse_tile
from tests.disputes.conftest import KEYS, PATIENCE_S, Phone
from tests.web.fakes import FakeEyes, table
from vision.taught.box import TaughtBox, strip_of
from vision.taught.examples import Example
from web import box_store
from web.dashboard.app import create_app
from web.dashboard.hall import Hall
from web.disputes.case import Case
from web.disputes.case_file import case_of, case_text

Photo = Callable[[str], Path]


@pytest.fixture
def knowing() -> FakeEyes:
    """The eyes that know the box see another table in the same pictures."""
    return FakeEyes([table("R1 R2 R3")] * 3, {"taught": "club"})


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where this computer keeps its boxes."""
    monkeypatch.setenv("TILEREF_HOME", str(tmp_path))
    return tmp_path


@pytest.fixture
def app(home: Path, eyes: FakeEyes, knowing: FakeEyes) -> Iterator[Flask]:
    wiring = replace(eyes.wiring, load_eyes_for=lambda box: knowing if box.name == "club" else eyes)
    app = create_app(Hall(home, f"sqlite:///{home / 'games.db'}", wiring, load_ruleset()), KEYS)
    yield app
    app.extensions["disputes"].close()


@pytest.fixture
def club(home: Path) -> str:
    """The name of a box that was taught."""
    assert box_store.boxes_folder().is_relative_to(home)
    examples = (Example(parse_tile("R1"), np.full((128, 96, 3), 200, np.uint8)),)
    box_store.save(TaughtBox("club", (parse_tile("R1"),), strip_of(examples)), replacing=False)
    return "club"


def looked_at(phone: Phone, photo: Path, box: str) -> str:
    """The verdict on a photo that is sent with the name of a box."""
    answer = phone.client.post(f"/api/v1/disputes?box={box}", data=photo.read_bytes(), headers=phone.headers)
    assert answer.status_code == 201, answer.text
    assert answer.json is not None
    assert phone.disputes._line.wait_until_empty(PATIENCE_S)
    told = phone.client.get(f"/api/v1/disputes/{answer.json['key']}").json
    assert told is not None
    return str(told["reading"]["verdict"] if told["state"] == "ready" else told["why"])


def test_the_eyes_are_those_of_the_box(phone: Phone, photo: Photo, club: str) -> None:
    verdicts = [looked_at(phone, photo("K1 K2"), box) for box in ("", club, "")]
    assert verdicts == ["illegal", "legal", "illegal"]


def test_a_box_that_is_taught_anew_is_known_anew(phone: Phone, photo: Photo, club: str, eyes: FakeEyes) -> None:
    assert looked_at(phone, photo("K1 K2"), club) == "legal"
    hall: Hall = phone.app.extensions["hall"]
    hall.wiring = replace(hall.wiring, load_eyes_for=lambda _box: eyes)
    assert looked_at(phone, photo("K1 K2"), club) == "legal", "it was not taught anew yet"
    os.utime(box_store.path_of(club), (1, 1))
    assert looked_at(phone, photo("K1 K2"), club) == "illegal"


def test_a_box_that_cannot_be_used_any_more_is_said(phone: Phone, photo: Photo, club: str) -> None:
    assert looked_at(phone, photo("K1 K2"), club) == "legal"
    file = box_store.path_of(club)
    file.write_bytes(b"no box")
    os.utime(file, ns=(1, 1))
    assert "cannot be used" in looked_at(phone, photo("K1 K2"), club)


def test_a_box_is_chosen_on_the_page_where_one_was_taught(phone: Phone, club: str) -> None:
    assert f"<option>{club}</option>" in phone.client.get("/dispute").text
    box_store.remove(club)
    assert 'id="box"' not in phone.client.get("/dispute").text


@pytest.mark.usefixtures("club")
@pytest.mark.parametrize("box", ["nothing", "../club", "/etc/passwd.tilebox", "club.tilebox"])
def test_no_other_file_is_ever_opened(phone: Phone, photo: Photo, box: str) -> None:
    answer = phone.client.post("/api/v1/disputes", query_string={"box": box}, data=photo("K1 K2").read_bytes(),
                               headers=phone.headers)  # fmt: skip
    assert (answer.status_code, answer.json) == (400, {"error": "No box of this name was taught here."})


def test_a_damaged_box_is_told_in_the_dispute(phone: Phone, photo: Photo, club: str) -> None:
    box_store.path_of(club).write_bytes(b"no box")
    assert "cannot be used" in looked_at(phone, photo("K1 K2"), club)


def test_a_dispute_of_before_boxes_could_be_named_is_read_still() -> None:
    case = Case("k" * 24, "e", 1.0, "a.png", "international", box="club")
    fields = json.loads(case_text(case))
    assert case_of(json.dumps(fields)) == case
    del fields["box"]
    assert case_of(json.dumps(fields)).box == ""
