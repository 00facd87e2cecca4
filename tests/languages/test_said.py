"""Whatever the server says to a page, it says in the language that was asked for."""

from __future__ import annotations

import io
import threading
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from referee.findings import Finding, FindingCode, Param, Severity
from referee.observation import Quad
from referee.preset_files import load_ruleset
from referee.protocol import Stage
from referee.restore import StepKind
from referee.ruling import Verdict
from referee.switches import Faces, Leftovers
from referee.tiles import Colour, parse_tile
from tests.dashboard.conftest import HandTable, Referee
from tests.disputes.conftest import Phone
from tests.languages.disguise import LETTER, Disguise, Page, english, told
from tests.languages.gathering import sentences
from tests.web.evidence.club import Club
from tests.web.fakes import FakeEyes
from tests.web.fakes import table as seen
from tests.web.live_table import Bench
from vision.frames import CameraFault
from vision.inspection import Cause, Measurement
from web.camera_words import back_sentence, fault_sentence
from web.dashboard.hall import Hall
from web.dashboard.view_json import notice_json
from web.evidence.check import Code, Found, check
from web.evidence.shelf import FolderShelf, folder_name
from web.evidence.words import GRADE_WORDS, OCCASION_WORDS, rulings_text
from web.evidence.words import sentence as found_sentence
from web.inspect_words import sentence as inspected
from web.live import acts
from web.live.notices import LiveRuling, Notice, NoticeCode, QuestionKind, TileQuestion
from web.live.view import RestoreView
from web.live.words import LEFTOVERS, STAGES, WAITING, Words, waiting_words
from web.messages import (
    COLOUR_NAMES,
    NO_MAJORITY_TEMPLATES,
    NO_TILE_TEMPLATES,
    NOTE_MESSAGES,
    PLURAL_TEMPLATES,
    SEVERITY_TEMPLATES,
    TEMPLATES,
    gathered,
    message,
)
from web.tongue import ENGLISH, say, say_count, spoken

R6, R9, B9 = parse_tile("R6"), parse_tile("R9"), parse_tile("B9")
QUAD: Quad = ((10.0, 20.0), (30.0, 20.0), (30.0, 40.0), (10.0, 40.0))
QUESTIONS = tuple(TileQuestion(k, QUAD, (R6, R9), kind) for k, kind in enumerate(QuestionKind))
RULING = LiveRuling(
    Verdict.ILLEGAL,
    tuple(Finding(FindingCode.GAP, (0, 1), (("missing", (11,)),), severity) for severity in Severity),
    after=("R9", "R10"), laid=(R6, R9), drew=3, took=1, points=20, by="referee", final=False,
)  # fmt: skip
OPENED = LiveRuling(Verdict.LEGAL, laid=(R6,), opening=30, drew=1)
OWN_WORDS = {NoticeCode.REFUSED, NoticeCode.STORE_TROUBLE}
"""What they say is told as an error is."""
PARAMS: dict[str, Param] = {
    "length": 2, "least": 3, "most": 13, "colour": "R", "missing": (4, 5), "number": 7, "count": 2, "exhausted": "R13",
    "numbers": (0, 14), "left": 1, "right": 2, "readings": ("R6", "R9", "B6", "B9", "?"), "read": "R6",
    "instead": ("R9", "?"), "starts": (3,), "others": True, "tile": "J/JD", "held": 2, "value": 20, "needed": 30,
    "meanings": ("R6", "?"), "laid": 0,
}  # fmt: skip


@pytest.fixture
def words() -> Words:
    words = Words(load_ruleset())
    words.names = ("Ann", "Bob", "Cid")
    return words


@pytest.fixture
def abroad() -> Iterator[None]:
    """The language that nobody speaks is spoken."""
    with spoken(Disguise(), ","):
        yield


def unsaid(text: str) -> list[str]:
    return english(text, "Ann", "Bob", "Cid", "international")


def notices(code: NoticeCode) -> Iterator[Notice]:
    """Notices of a code: with much to say, and with little."""
    numbers = (1, 14, 13) if code is NoticeCode.MISCOUNT else (2, 1)
    text = {NoticeCode.DOUBT: "another_table", NoticeCode.CAMERA_TROUBLE: "black"}.get(code, "R9 R10 | B1")
    full = Notice(
        code=code, at=1.0, seat=0, ruling=RULING, questions=QUESTIONS, tiles=(R6,), numbers=numbers, seconds=12.6,
        text=text,
    )  # fmt: skip
    yield full
    yield replace(full, ruling=OPENED, numbers=(0, 0, 0) if code is NoticeCode.MISCOUNT else (1, 0))
    yield replace(full, seat=None, tiles=(), seconds=None, text="")
    if code is NoticeCode.TURN:
        yield replace(full, numbers=())
        yield replace(full, numbers=(), seconds=None)


@pytest.mark.usefixtures("abroad")
@pytest.mark.parametrize("code", [code for code in NoticeCode if code not in OWN_WORDS])
def test_every_notice_is_said(words: Words, code: NoticeCode) -> None:
    for notice in notices(code):
        found = notice_json(notice, words)
        lines = list(told(found))
        assert lines
        for field, line in lines:
            assert unsaid(line) == [], field
        assert any(LETTER in line.lower() for field, line in lines if field == "text")


@pytest.mark.usefixtures("abroad")
@pytest.mark.parametrize("faces", Faces)
@pytest.mark.parametrize("severity", Severity)
@pytest.mark.parametrize("code", FindingCode)
def test_every_finding_is_said(code: FindingCode, severity: Severity, faces: Faces) -> None:
    finding = Finding(code, (0, 1), tuple(PARAMS.items()), severity)
    without = tuple((name, value) for name, value in PARAMS.items() if name not in {"colour", "number"})
    kinds = [finding, replace(finding, tiles=()), replace(finding, params=without)]
    for one in kinds if code in {*NO_MAJORITY_TEMPLATES, *NO_TILE_TEMPLATES} else kinds[:1]:
        assert unsaid(message(one, ("R6", "B6"), faces)) == []
    if faces is Faces.TILES:
        for _, text in gathered([finding, finding], ("R6", "B6")):
            assert unsaid(text) == []


def test_no_template_is_left_out() -> None:
    templates = {template for tables in (
        TEMPLATES, SEVERITY_TEMPLATES, PLURAL_TEMPLATES, NO_MAJORITY_TEMPLATES, NO_TILE_TEMPLATES, NOTE_MESSAGES,
    ) for template in tables.values()}  # fmt: skip
    assert templates <= {sentence.id for sentence in sentences()}
    assert set(TEMPLATES) == set(FindingCode)


@pytest.mark.usefixtures("abroad")
def test_every_fault_of_a_camera_is_said() -> None:
    for said in (*map(fault_sentence, CameraFault), back_sentence()):
        assert unsaid(said) == []


@pytest.mark.usefixtures("abroad")
@pytest.mark.parametrize("cause", Cause)
def test_every_fault_of_a_picture_is_said(cause: Cause) -> None:
    said = inspected(Measurement(cause, 2.5, (Colour.RED, Colour.ORANGE) if cause is Cause.INKS else None))
    assert unsaid(said) == []
    assert "2.5" not in said


@pytest.mark.usefixtures("abroad")
@pytest.mark.parametrize("home_set", [None, 2])
@pytest.mark.parametrize("kind", StepKind)
def test_every_step_of_putting_back_is_said(words: Words, kind: StepKind, home_set: int | None) -> None:
    assert unsaid(words.step_sentence(RestoreView(kind, R6, False, None, None, home_set))) == []


@pytest.mark.usefixtures("abroad")
def test_stages_reasons_and_what_evidence_holds_are_said() -> None:
    assert set(STAGES) == set(Stage)
    assert set(LEFTOVERS) == set(Leftovers)
    said = [say(one) for table in (STAGES, LEFTOVERS, GRADE_WORDS, OCCASION_WORDS) for one in table.values()]
    said += map(waiting_words, WAITING)
    said += [say(name) for names in COLOUR_NAMES.values() for name in names.values()]
    said += [found_sentence(Found(code, "5", "its ruling cannot be read", 2)) for code in Code]
    for text in said:
        assert unsaid(text) == []


def test_a_count_is_said_by_its_form_and_a_number_with_its_own_point() -> None:
    with spoken(Disguise(), ","):
        assert say_count("{count} a", "{count} bb", 1) == f"1 {LETTER}"
        assert say_count("{count} a", "{count} bb", 2) == f"2 {LETTER * 2}"
        assert say("{value:.1f} x {name}", value=1.25, name="1.5") == f"1,2 {LETTER} 1.5"
        with spoken(ENGLISH):
            assert say("{value:.1f} x", value=1.25) == "1.2 x"
        assert say("x") == LETTER
    assert say("x") == "x"


# --- over the pages ---------------------------------------------------------------------------------------------------


ABROAD = {"Accept-Language": "uk"}


def answered(client: FlaskClient, address: str, headers: Mapping[str, str] | None = None) -> Any:
    """What an address answers as JSON."""
    return client.get(address, headers=headers).json


def check_answer(referee: Referee, address: str, *allowed: str) -> list[str]:
    """All texts of an answer, which must be disguised."""
    answer = referee.client.get(address, headers=ABROAD)
    assert answer.status_code == 200, answer.text
    found = list(told(answer.json))
    for field, text in found:
        assert english(text, "Ann", "Bob", "international", *allowed) == [], (field, text)
    return [text for _, text in found]


def illegal_turn(bench: Bench) -> tuple[Notice, ...]:
    return bench.turn("R9 R10 R11 R12 R13 | B1 B2 R3")


def wait_for_restoring(bench: Bench) -> tuple[Notice, ...]:
    return bench.do(acts.Conclude()) if bench.stage() is Stage.FIX else ()


def test_a_game_is_told_in_the_language_that_is_asked_for(table: HandTable, referee: Referee) -> None:
    address = "/api/v1/tables/one/events"
    table.turn("R9 R10 R11 R12 R13")
    said = check_answer(referee, address)
    assert any("R9 R10 R11 R12 R13" in text and LETTER in text.lower() for text in said)
    table.do(illegal_turn)
    check_answer(referee, address)
    table.do(wait_for_restoring)
    check_answer(referee, address)
    clock = (acts.StartClock(), acts.Pause(), acts.Resume(), acts.Extend())
    for act in (*clock, acts.GivePenalty(0, 1, 5, "late"), acts.Undo("again")):
        table.do(lambda bench, act=act: bench.do(act))  # type: ignore[misc]
        check_answer(referee, address)
    table.do(lambda bench: bench.live.camera(CameraFault.BLACK))
    check_answer(referee, address)
    assert answered(referee.client, address)["view"]["fault_words"].startswith("The camera gives black pictures.")


@pytest.mark.usefixtures("table")
def test_the_language_of_a_request_ends_with_it(app: Flask) -> None:
    """Threads go on to other requests, which may have failed before."""
    client = app.test_client()
    for address in ("/api/v1/tables/none/events", "/api/v1/tables/one/events?after=x", "/nowhere", "/"):
        client.get(address, headers=ABROAD)
        assert say("LEGAL") == "LEGAL"
    said: list[str] = []
    with app.test_request_context("/", headers=ABROAD):
        app.preprocess_request()
        other = threading.Thread(target=lambda: said.append(say("LEGAL")))
        other.start()
        other.join()
        assert say("LEGAL") == LETTER * 5
    assert said == ["LEGAL"]
    assert say("LEGAL") == "LEGAL"


PAGES = (
    "/", "/sign-in", "/dispute", "/history", "/tables/one/desk", "/tables/one/screen", "/tables/one/seat",
    "/tables/one/count", "/tables/one/set-up", "/tables/one/camera", "/tables/one/codes", "/nowhere",
)  # fmt: skip


@pytest.mark.usefixtures("table")
@pytest.mark.parametrize("address", PAGES)
def test_a_page_is_written_in_the_language_that_is_asked_for(referee: Referee, address: str) -> None:
    page = referee.client.get(address, headers=ABROAD)
    texts = Page(page.text).texts
    assert any(LETTER in text for text in texts)
    for text in texts:
        assert english(text, "Ann", "Bob", "tileref", "one", "a test", *load_ruleset().name.split()) == [], text


def test_a_dispute_is_told_in_the_language_that_is_asked_for(app: Flask, hall: Hall, tmp_path: Path) -> None:
    eyes = hall.eyes()
    assert isinstance(eyes, FakeEyes)
    phone = Phone(app)
    address = phone.sent(eyes.photo(tmp_path / "table.png", seen("R1 R2 R4 | B5 K5 B5 | R9")))
    told_abroad = answered(phone.client, f"{address}/case.json", ABROAD)
    assert told_abroad["reading"]["said"]
    for field, text in told(told_abroad):
        assert unsaid(text) == [], (field, text)
    page = phone.client.get(address, headers=ABROAD)
    for text in Page(page.text).texts:
        assert english(text, "tileref", *load_ruleset().name.split()) == [], text


def test_a_history_is_told_in_the_language_that_is_asked_for(friday: str, referee: Referee) -> None:
    slug = folder_name(friday)
    game = answered(referee.client, f"/history/{slug}/game.json", ABROAD)
    assert unsaid(game["state_words"]) == []
    findings = [one for record in game["records"] for one in record["findings"]]
    assert findings
    for text in [*(one["message"] for one in findings), *(record["words"] for record in game["records"])]:
        assert unsaid(text) == [], text
    packed = referee.client.get(f"/history/{slug}/evidence.zip", headers=ABROAD)
    with zipfile.ZipFile(io.BytesIO(packed.data)) as archive:
        assert LETTER not in archive.read("rulings.txt").decode(), "what is handed on is in nobody's language"
    packed.close()


def test_rulings_that_are_handed_on_stay_english(tmp_path: Path) -> None:
    club = Club(tmp_path)
    club.evening()
    checked = check(FolderShelf(club.folder, club.game), None)
    as_ever = rulings_text(checked)
    with spoken(Disguise()):
        assert rulings_text(checked) == as_ever
    club.store.close()
