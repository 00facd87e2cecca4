"""Two who do the same thing at the same moment: one comes after the other, and nothing is left over."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from http import HTTPStatus
from pathlib import Path

import pytest
from flask import Flask

from tests.dashboard.conftest import KEYS, PATIENCE_S, PIN, HandTable, Referee
from web.dashboard import access
from web.dashboard.access import TRIES
from web.dashboard.app import create_app
from web.dashboard.hall import Hall
from web.dashboard.running import RunningTable
from web.dashboard.table_book import BookedTable, booked
from web.dashboard.tables import open_table

REFEREES = 4


def test_of_those_who_open_one_table_at_once_the_last_has_it_and_no_other_is_run(hall: Hall) -> None:
    """One that nobody can reach any more would keep the camera, and write to its game for ever."""
    all_here = threading.Barrier(REFEREES)

    def drive(own: RunningTable) -> None:
        while True:
            own.wait(0.05)

    before = hall.open("one", drive, "a test")

    def open_it(_: int) -> RunningTable:
        all_here.wait(PATIENCE_S)
        return hall.open("one", drive, "a test")

    with ThreadPoolExecutor(REFEREES) as referees:
        opened = list(referees.map(open_it, range(REFEREES)))
    assert [one for one in (before, *opened) if not one.snapshot.ended] == [hall.tables["one"]]


def test_tables_that_are_opened_at_once_are_all_written_down(hall: Hall, tmp_path: Path) -> None:
    all_here = threading.Barrier(REFEREES)

    def open_it(number: int) -> None:
        all_here.wait(PATIENCE_S)
        open_table(hall, BookedTable(str(number), "phone", "", f"game-{number}"))

    with ThreadPoolExecutor(REFEREES) as referees:
        list(referees.map(open_it, range(REFEREES)))
    assert sorted(booked(tmp_path)) == [str(number) for number in range(REFEREES)]


def test_pins_that_are_tried_all_at_once_are_no_more_tries(hall: Hall, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each takes a while to be looked at: those that come meanwhile must not slip through."""
    many = 3 * TRIES
    all_here, looked_at = threading.Barrier(many), []
    held = threading.Event()

    def slowly(_kept: str, pin: str) -> bool:
        looked_at.append(pin)
        held.wait(0.01)
        return pin == PIN

    monkeypatch.setattr(access, "check_password_hash", slowly)
    app: Flask = create_app(hall, KEYS)

    def guess(number: int) -> int:
        client = app.test_client()
        all_here.wait(PATIENCE_S)
        return client.post("/api/v1/session", json={"pin": f"{number:06}"}).status_code

    with ThreadPoolExecutor(many) as guesses:
        answers = list(guesses.map(guess, range(many)))
    app.extensions["disputes"].close()
    assert sorted(answers) == [HTTPStatus.FORBIDDEN] * TRIES + [HTTPStatus.TOO_MANY_REQUESTS] * (many - TRIES)
    assert len(looked_at) == TRIES


def test_an_answer_that_comes_twice_names_no_other_tile(table: HandTable, referee: Referee) -> None:
    """Once a question is answered, its number may be that of the next: a finger that taps twice, or two referees."""
    table.turn("K13 O13 R13/R12 | B5 K5 O5/O6")
    first, second = referee.news()["view"]["questions"]
    told = {"question": first["number"], "tile": first["choices"][0], "at": middle(first["quad"])}
    assert referee.act("AnswerTile", **told).status_code == HTTPStatus.OK
    (left,) = referee.news()["view"]["questions"]
    assert (left["number"], left["quad"]) == (first["number"], second["quad"]), "it has the number of the one before"
    again = referee.act("AnswerTile", **told)
    assert again.status_code == HTTPStatus.CONFLICT
    assert again.json["error"] == "That question was answered meanwhile: another tile is asked about now."
    assert referee.news()["view"]["questions"] == [left]
    last = {"question": left["number"], "tile": "O5", "at": middle(left["quad"])}
    assert referee.act("AnswerTile", **last).status_code == HTTPStatus.OK


def middle(quad: list[list[float]]) -> list[float]:
    return [sum(corner[axis] for corner in quad) / 4 for axis in (0, 1)]
