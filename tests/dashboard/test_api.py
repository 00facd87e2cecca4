"""The JSON interface: what readers are told and when, and what comes of acts."""

from __future__ import annotations

from dataclasses import replace
from http import HTTPStatus

import pytest
from flask.testing import FlaskClient

from tests.dashboard.conftest import HandTable, Referee
from web.dashboard.hall import Hall
from web.dashboard.running import _differs
from web.live.acts import AcceptTable

OPENING = "R9 R10 R11 R12 R13"


def test_whoever_comes_late_is_told_everything(table: HandTable, client: FlaskClient) -> None:
    table.turn(OPENING)
    news = client.get("/api/v1/tables/one/events").json
    assert news is not None
    assert news["view"]["table"] == OPENING
    assert [seat["name"] for seat in news["view"]["seats"]] == ["Ann", "Bob"]
    assert news["view"]["seat"] == 1
    ruled = [notice for notice in news["notices"] if notice["code"] == "ruled"]
    assert ruled[0]["ruling"]["verdict"] == "legal"
    assert ruled[0]["text"][0].startswith("LEGAL Ann lays R9 R10 R11 R12 R13")


def test_nothing_new_is_no_answer_and_something_new_is_told_once(table: HandTable, referee: Referee) -> None:
    seq = referee.news()["seq"]
    assert referee.news(seq) is None
    table.turn(OPENING)
    told = referee.news(seq)
    assert {"called", "ruled", "turn"} <= {notice["code"] for notice in told["notices"]}
    assert all(notice["seq"] > seq for notice in told["notices"])
    numbers = [notice["seq"] for notice in told["notices"]]
    assert numbers == sorted(set(numbers))
    assert referee.news(told["seq"]) is None


def test_a_clock_that_runs_is_no_news_and_one_that_jumps_is(table: HandTable, hall: Hall) -> None:
    """Readers count the seconds themselves, and are told where that would lead them astray."""
    table.do(lambda bench: bench.frame())
    running = hall.table("one")
    assert running is not None
    last = running.snapshot
    view = last.view
    assert view is not None
    assert view.left_s is not None
    for gone, left, news in [(5, 5, False), (5, 4.6, False), (5, 0, True), (0, 5, True), (5, -20, True)]:
        assert _differs(last, replace(view, left_s=view.left_s - left), last.made_at + gone) is news
    assert _differs(last, replace(view, left_s=None), last.made_at)
    assert _differs(last, replace(view, pool=1), last.made_at)
    stopped = replace(last, view=replace(view, paused=True))
    assert not _differs(stopped, replace(view, paused=True), last.made_at + 100)


@pytest.mark.usefixtures("table")
def test_numbers_of_a_program_that_was_started_before_are_told_everything(referee: Referee) -> None:
    seq = referee.news()["seq"]
    assert referee.news(seq + 10**9)["view"]["game"] == "game"


@pytest.mark.usefixtures("table")
def test_an_act_is_carried_out_and_answered(referee: Referee) -> None:
    done = referee.act("Pause")
    assert done.status_code == HTTPStatus.OK
    assert [notice["code"] for notice in done.json["notices"]] == ["paused"]
    assert referee.news()["view"]["paused"] is True
    assert done.json["seq"] <= referee.news()["seq"]


@pytest.mark.usefixtures("table")
def test_a_refused_act_changes_nothing_and_says_why(referee: Referee) -> None:
    before = referee.news()["view"]
    refused = referee.act("Resume")
    assert refused.status_code == HTTPStatus.CONFLICT
    assert refused.json["error"].endswith(".")
    assert refused.json["error"][0].isupper()
    after = referee.news()["view"]
    assert {**before, "left_s": 0} == {**after, "left_s": 0}


@pytest.mark.usefixtures("table")
@pytest.mark.parametrize(
    ("sent", "about"),
    [
        ([], "An act is an object"),
        ({}, "There is no act"),
        ({"act": "Nothing"}, "There is no act 'Nothing'"),
        ({"act": ["Pause"]}, "There is no act"),
        ({"act": "Pause", "more": 1}, "Pause has no 'more'"),
        ({"act": "AnswerTile", "question": 0}, "AnswerTile needs 'tile'"),
        ({"act": "AnswerTile", "question": True, "tile": None}, "AnswerTile.question is a whole number"),
        ({"act": "AnswerTile", "question": 0, "tile": "R99"}, "AnswerTile.tile"),
        ({"act": "AnswerTile", "question": 0, "tile": "R1 R2"}, "one tile"),
        ({"act": "ConfirmWin", "seat": 10**30}, "ConfirmWin.seat is a number up to"),
        ({"act": "ConfirmWin", "seat": "1"}, "ConfirmWin.seat is a whole number"),
        ({"act": "TellTable", "text": "R1" * 9999}, "TellTable.text is a text of at most"),
        ({"act": "CallTurnEnd", "called_at": 1.0}, "CallTurnEnd has no 'called_at'"),
        ({"act": "StartGame", "players": ["Ann"] * 5000}, "StartGame.players is a list of at most"),
    ],
)
def test_what_is_no_act_is_told_in_one_sentence(referee: Referee, sent: object, about: str) -> None:
    response = referee.client.post("/api/v1/tables/one/acts", json=sent, headers=referee.headers)
    assert response.status_code == HTTPStatus.BAD_REQUEST
    assert about in response.json["error"]  # type: ignore[index]


@pytest.mark.usefixtures("table")
@pytest.mark.parametrize("seat", [-1, 2, 99])
@pytest.mark.parametrize("act", ["ConfirmWin", "NameStarter", "Leave", "ShowRack", "ClaimRedeal"])
def test_a_seat_that_nobody_has_is_refused(referee: Referee, act: str, seat: int) -> None:
    assert referee.act(act, seat=seat).status_code == HTTPStatus.CONFLICT


@pytest.mark.usefixtures("table")
def test_damaged_json_is_no_server_error(referee: Referee) -> None:
    sent = referee.client.post(
        "/api/v1/tables/one/acts", data=b'{"act": "Pause', content_type="application/json", headers=referee.headers
    )
    assert sent.status_code == HTTPStatus.BAD_REQUEST


@pytest.mark.usefixtures("table")
@pytest.mark.parametrize("after", ["x", "-1", "1.5", "9" * 400, "²", ""])
def test_what_is_no_number_is_told(client: FlaskClient, after: str) -> None:
    response = client.get("/api/v1/tables/one/events", query_string={"after": after})
    assert response.status_code == HTTPStatus.BAD_REQUEST


def test_a_table_that_is_not_there(hall: Hall, referee: Referee) -> None:
    assert referee.act("Pause").status_code == HTTPStatus.NOT_FOUND
    assert referee.client.get("/api/v1/tables/one/events").json == {"error": "There is no such table here."}
    assert not hall.tables


def test_a_closed_table_still_shows_what_was_and_takes_no_acts(table: HandTable, hall: Hall, referee: Referee) -> None:
    table.turn(OPENING)
    hall.close()
    assert referee.news()["view"]["table"] == OPENING
    assert referee.act("Pause").status_code == HTTPStatus.SERVICE_UNAVAILABLE


def test_the_clock_of_a_table_that_has_stopped_stands(table: HandTable, hall: Hall, referee: Referee) -> None:
    table.turn(OPENING)
    told = referee.news()
    assert told["view"]["runs"] is True
    hall.close()
    assert referee.news(told["seq"])["view"]["runs"] is False, "whoever looks on is told"
    assert referee.news()["view"]["left_s"] == referee.news()["view"]["left_s"]


@pytest.mark.usefixtures("table")
def test_what_is_told_says_whether_it_is_for_the_referee(client: FlaskClient, referee: Referee) -> None:
    told = client.get("/api/v1/tables/one/events").json
    assert told is not None
    assert (told["referee"], referee.news()["referee"]) == (False, True)


def test_the_live_picture_is_encoded_once_and_kept_by_its_number(table: HandTable, referee: Referee) -> None:
    table.do(lambda bench: bench.frame())
    number = referee.news()["picture"]["number"]
    first = referee.client.get(f"/api/v1/tables/one/picture.jpg?seq={number}")
    assert first.data[:2] == b"\xff\xd8"
    assert "immutable" in first.headers["Cache-Control"]
    stale = referee.client.get("/api/v1/tables/one/picture.jpg?seq=1")
    assert stale.headers["Cache-Control"] == "no-store"
    assert stale.headers["Picture-Number"] == str(number)


def test_what_is_asked_of_a_table_waits_for_no_frame(table: HandTable, referee: Referee) -> None:
    """Acts are carried out between frames, in the order in which they came."""
    table.do(lambda bench: bench.lay("R1 R2"))
    done = referee.act("AcceptTable")
    assert done.status_code == HTTPStatus.OK
    assert referee.news()["view"]["table"] == "R1 R2"
    assert AcceptTable().racks is None
