"""What cannot be done is said in the language of whoever asks, though the table's own thread found it out."""

from __future__ import annotations

import threading
from http import HTTPStatus

import pytest
from flask import Flask

from referee.told import telling
from tests.dashboard.conftest import PATIENCE_S, HandTable, Referee
from tests.languages.disguise import speaking
from tests.web.test_telling import Brackets
from web.dashboard.hall import Hall
from web.dashboard.running import RunningTable
from web.live import acts

OTHER = {"lang": "uk"}


@pytest.fixture
def app(app: Flask) -> Flask:
    """A dashboard whose Ukrainian says everything in brackets."""
    return speaking(app, Brackets())


def asked(referee: Referee, method: str, path: str, sent: object, language: dict[str, str]) -> str:
    """What is answered to a request that cannot be granted."""
    response = referee.client.open(
        f"/api/v1/{path}", method=method, json=sent, headers=referee.headers, query_string=language
    )
    assert response.status_code >= HTTPStatus.BAD_REQUEST
    assert response.json is not None
    return str(response.json["error"])


ACTS = "tables/one/acts"


@pytest.mark.usefixtures("table")
@pytest.mark.parametrize(
    ("method", "path", "sent", "sentence"),
    [
        ("POST", ACTS, {"act": "Resume"}, "the clock was not stopped"),
        ("POST", ACTS, {"act": "CallTurnEnd", "seat": 1}, "it is the turn of Ann, not of Bob"),
        ("POST", ACTS, {"act": "TellTable", "table": "R5 |"}, "TellTable has no 'table': it has text."),
        ("POST", ACTS, {"act": "Pause", "seat": 1}, "Pause has no 'seat': it has no fields."),
        ("POST", ACTS, {"act": "Leave", "seat": True}, "Leave.seat is a whole number."),
        ("POST", ACTS, [], 'An act is an object such as {"act": "CallTurnEnd"}.'),
        (
            "POST",
            ACTS,
            {"act": "TellTable", "text": "R5 | X"},
            "'X' is not a tile: expected R, B, K or O with 1 to 13, or J, JD, JC, JM (character 6 of 'R5 | X')",
        ),
        ("POST", "tables/none/acts", {"act": "Pause"}, "There is no such table here."),
        ("POST", "session", {"pin": "000000"}, "This PIN is wrong."),
        ("POST", "tables/one/seat-session", {"token": 7}, 'A token is sent as {"token": "..."}.'),
        ("POST", "tables/one/frames", None, "This table has a camera of its own: no pictures are sent to it."),
        ("POST", "tables/one/game", {"players": ["Ann"]}, "A game has 2 to 8 players, each with a name."),
        ("POST", "tables/one/game", {"players": ["Ann", "Bob"]}, "At this table games begin by themselves."),
        ("GET", "tables/one/former.jpg", None, "There is no picture of the table before this turn."),
    ],
)
def test_a_refusal_is_said_in_the_language_asked_for(
    referee: Referee, method: str, path: str, sent: object, sentence: str
) -> None:
    plain = f"{sentence[:1].upper()}{sentence[1:].rstrip('.')}."
    assert asked(referee, method, path, sent, {}) == plain
    assert asked(referee, method, path, sent, OTHER).rstrip(".") == f"⟦{sentence}⟧"
    assert asked(referee, method, path, sent, {}) == plain, "the next one is answered in his own language"


def test_a_refusal_that_was_told_before_is_said_to_each_in_his_language(table: HandTable, referee: Referee) -> None:
    table.do(lambda bench: bench.do(acts.CallTurnEnd(seat=1)))

    def refusal(language: dict[str, str]) -> str:
        news = referee.client.get("/api/v1/tables/one/events", query_string=language).json
        assert news is not None
        return next(str(notice["text"][0]) for notice in news["notices"] if notice["code"] == "refused")

    assert refusal({}) == "It is the turn of Ann, not of Bob."
    assert refusal(OTHER) == "⟦it is the turn of Ann, not of Bob⟧."
    assert refusal({}) == "It is the turn of Ann, not of Bob."


def test_why_no_game_is_played_is_said_to_each_in_his_language(hall: Hall, app: Flask) -> None:
    told = threading.Event()

    def drive(running: RunningTable) -> None:
        running.tell_trouble(telling("{source} is a folder", source="stills"))
        told.set()
        while True:
            running.wait(0.05)

    hall.open("two", drive, "a test")
    assert told.wait(PATIENCE_S)
    client = app.test_client()
    for language, sentence in (({}, "Stills is a folder."), (OTHER, "⟦stills is a folder⟧.")):
        events = client.get("/api/v1/tables/two/events", query_string=language).json
        tables = client.get("/api/v1/tables", query_string=language).json
        assert events is not None
        assert tables is not None
        assert events["trouble"] == sentence
        assert [one["trouble"] for one in tables["tables"]] == [sentence]
