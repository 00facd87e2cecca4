"""The end of a round: what the referee, a player and a stranger are shown, and what each of them may do."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from referee.protocol import Stage
from referee.tiles import parse_tile
from tests.dashboard.conftest import HandTable, Referee
from tests.web.live_table import Bench
from web.dashboard.hall import Hall
from web.dashboard.table_book import BookedTable, book
from web.live import acts
from web.live.notices import NoticeCode
from web.live.sheet import drafted_sheet, score_sheet

LAST_TURN = "R9 R10 R11 R12 R13 | B10 K10 O10 | K1 K2 K3 | O4 O5 O6"
RACK = "R1 R2 R3 R4 R5 R6 R7 R8 B1 B2 B3 B4 B5 J"


@pytest.fixture
def over(table: HandTable) -> HandTable:
    """Ann has laid her last tile."""
    table.turn(LAST_TURN)
    return table


class Player:
    """The phone of a seat."""

    def __init__(self, app: Flask, seat: int) -> None:
        view = app.extensions["hall"].table("one").snapshot.view
        token = app.extensions["access"].seat_token("one", view.game, seat)
        self.client: FlaskClient = app.test_client()
        taken = self.client.post("/api/v1/tables/one/seat-session", json={"token": token})
        assert taken.json is not None
        self.headers = {"X-CSRF-Token": taken.json["csrf"]}

    def act(self, act: str, **fields: object) -> Any:
        return self.client.post("/api/v1/tables/one/acts", json={"act": act, **fields}, headers=self.headers)


def count(client: FlaskClient, announced: str = "") -> Any:
    answer = client.get(f"/tables/one/count.json?announced={announced}")
    assert answer.status_code == 200, answer.text
    return answer.json


def test_the_sheet_fills_itself_as_racks_are_shown(over: HandTable, referee: Referee) -> None:
    before = count(referee.client)
    assert (before["counting"], before["sheet"], before["seat"]) == (True, None, None)
    assert [one["rack"] for one in before["seats"]] == ["", None]
    referee.act("ShowRack", seat=0, tiles=[])
    referee.act("ShowRack", seat=1, tiles=RACK.split())
    shown = count(referee.client)
    assert (shown["seats"][1]["rack"], shown["seats"][1]["worth"]) == (RACK, 51)
    assert [row["score"] for row in shown["sheet"]["rows"]] == [81, -81]
    assert (shown["drafted"], shown["sheet"]["comes_out"], shown["sheet"]["winners"]) == (True, True, [0])
    referee.act("CountRound")
    counted = count(referee.client)
    assert counted["between"]
    assert not counted["drafted"]
    assert counted["sheet"]["rows"] == shown["sheet"]["rows"]
    assert over is not None


def test_a_rack_that_differs_from_the_log_is_marked(over: HandTable, referee: Referee) -> None:
    referee.act("ShowRack", seat=0, tiles=[])
    referee.act("ShowRack", seat=1, tiles=["R1", "R2"])
    shown = count(referee.client)
    assert [one["differs"] for one in shown["seats"]] == [False, True]
    assert [row["score"] for row in shown["sheet"]["rows"]] == [3, -3]
    assert over is not None


def test_two_empty_racks_give_no_sheet_and_no_mistake(over: HandTable, referee: Referee) -> None:
    for seat in (0, 1):
        referee.act("ShowRack", seat=seat, tiles=[])
    assert count(referee.client)["sheet"] is None
    assert over is not None


def test_players_show_their_own_racks_and_agree_with_the_scores(over: HandTable, app: Flask, referee: Referee) -> None:
    ann, bob = (Player(app, seat) for seat in (0, 1))
    assert bob.act("ShowRack", seat=0, tiles=[]).status_code == 403
    assert bob.act("ShowRack", seat=1, tiles=RACK.split()).status_code == 200
    assert ann.act("ShowRack", seat=0, tiles=[]).status_code == 200
    assert bob.act("ConfirmScore", seat=1).status_code == 409
    assert bob.act("CountRound").status_code == 403
    referee.act("CountRound")
    assert bob.act("ConfirmScore", seat=0).status_code == 403
    assert bob.act("ConfirmScore", seat=1).status_code == 200
    assert [one["confirmed"] for one in count(ann.client)["seats"]] == [False, True]
    assert count(bob.client)["seat"] == 1
    referee.act("NextRound")
    assert [one["confirmed"] for one in count(ann.client)["seats"]] == [False, False]
    assert over is not None


def test_strangers_see_no_rack(over: HandTable, client: FlaskClient, referee: Referee) -> None:
    referee.act("ShowRack", seat=1, tiles=RACK.split())
    assert client.get("/tables/one/count.json").status_code == 403
    assert client.get("/tables/one/count").headers["Location"].startswith("/sign-in")
    assert client.get("/tables/none/count").status_code == 404
    assert over is not None


@pytest.mark.parametrize("asked", ["2", "-1", "x", "0,1,2", "99999999999", "٣"])
def test_seats_that_are_none_cannot_have_announced(over: HandTable, referee: Referee, asked: str) -> None:
    assert referee.client.get("/tables/one/count.json", query_string={"announced": asked}).status_code == 400
    assert over is not None


def test_the_pages_are_served(over: HandTable, app: Flask, referee: Referee) -> None:
    assert "The end of the round" in referee.client.get("/tables/one/count").text
    assert "The end of the round" in Player(app, 1).client.get("/tables/one/count").text
    assert over is not None


def test_a_box_that_is_gone_keeps_no_rack_from_being_read(
    over: HandTable, hall: Hall, referee: Referee, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TILEREF_HOME", str(tmp_path))
    book(hall.home, BookedTable("one", "0", "", "game", "club"))
    assert 'data-box=""' in referee.client.get("/tables/one/count").text
    assert over is not None


# --- the live table ---------------------------------------------------------------------------------------------------


def tiles(text: str) -> tuple[Any, ...]:
    return tuple(map(parse_tile, text.split()))


def test_the_draft_says_what_counting_says() -> None:
    bench = Bench()
    bench.turn(LAST_TURN)
    racks = {0: (), 1: tiles(RACK)}
    draft = drafted_sheet(bench.live.state, racks, (1,), bench.ruleset)
    for seat, rack in racks.items():
        bench.do(acts.ShowRack(seat, rack))
    bench.do(acts.CountRound(announced=(1,)))
    assert draft == score_sheet(bench.live.state, bench.ruleset)


def test_nobody_agrees_before_the_count_and_a_new_count_asks_again() -> None:
    bench = Bench()
    assert bench.do(acts.ConfirmScore(0))[-1].code is NoticeCode.REFUSED
    bench.turn(LAST_TURN)
    bench.do(acts.ShowRack(1, tiles(RACK)))
    bench.do(acts.ShowRack(0, ()))
    bench.do(acts.CountRound())
    assert bench.stage() is Stage.BETWEEN
    said = bench.do(acts.ConfirmScore(1))
    assert [(one.code, one.seat) for one in said] == [(NoticeCode.CONFIRMED, 1)]
    assert bench.do(acts.ConfirmScore(1)) == ()
    assert list(bench.live.view.confirmed) == [1]
    bench.begun()  # the log knows it: nobody is asked again by a program that starts again
    assert list(bench.live.view.confirmed) == [1]
    assert bench.do(acts.ConfirmScore(7))[-1].code is NoticeCode.REFUSED
    bench.do(acts.NextRound())
    assert not bench.live.view.confirmed
