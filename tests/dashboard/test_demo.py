"""The demonstration: simulated games that go on by themselves, whatever people do at the desk."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from flask import Flask

from referee.ruling import Verdict
from tests.dashboard.conftest import SHORT_ROUND, SHORT_SEED, Referee
from tests.web.simulation.truth_eyes import TruthWatch
from web.dashboard.demo import LIVELY_TURNS, DemoClock, demo, lively_seed
from web.dashboard.hall import Hall
from web.simulation.players import Rates
from web.simulation.round import TrueRound

GAME_S = 240.0


@pytest.fixture
def demonstration(hall: Hall) -> Iterator[Hall]:
    """A demonstration of short rounds that waits for nobody, before eyes that know the truth."""
    hall.ruleset = SHORT_ROUND
    driven = demo(hall, SHORT_SEED, pace=None, seats=4, onlooker=TruthWatch, size_wh=(640, 360))
    hall.open("one", driven, "a simulated table")
    yield hall
    assert hall.close()


class Looker:
    """Reads what is new until something is seen."""

    def __init__(self, app: Flask) -> None:
        self.referee = Referee(app)
        self.after = 0
        self.view: Any = None
        self._pause = threading.Event()

    def until(self, *codes: str, seconds: float = GAME_S) -> Any:
        """The first notice of one of these codes."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            news = self.referee.news(self.after)
            if news is None:
                self.pause()
                continue
            self.after = news["seq"]
            self.view = news.get("view") or self.view
            for notice in news["notices"]:
                if notice["code"] in codes:
                    return notice
        raise AssertionError(f"none of {codes} was said")

    def pause(self) -> None:
        """Leave the machine to the table's thread, which gets nowhere beside one that asks without end."""
        self._pause.wait(0.01)

    def act_when_heard(self, act: str) -> None:
        """Do what can be done at some times only."""
        while self.referee.act(act).status_code != 200:
            self.pause()


def test_a_game_is_refereed_to_its_score_sheet_and_the_next_one_begins(demonstration: Hall, app: Flask) -> None:
    looker = Looker(app)
    assert looker.until("ruled", "fix")["ruling"]["verdict"] in {"legal", "illegal"}
    first = looker.view["game"]
    scored = looker.until("scored")
    assert sum(scored["numbers"]) == 0
    looker.until("ruled", "fix")
    assert looker.view["game"] != first
    assert not demonstration.tables["one"].snapshot.trouble


def test_a_pause_stops_the_players_and_the_referee_may_still_act(demonstration: Hall, app: Flask) -> None:
    looker = Looker(app)
    looker.until("turn")
    looker.act_when_heard("Pause")  # it can be said during a turn
    turn = looker.referee.news()["view"]["turn"]
    assert looker.referee.act("Extend").status_code in {200, 409}
    seen = demonstration.tables["one"].snapshot.seen
    assert looker.referee.act("Pause").status_code == 409
    assert looker.referee.news()["view"]["turn"] == turn
    assert demonstration.tables["one"].snapshot.seen <= seen + 1
    assert looker.referee.act("Resume").status_code == 200
    looker.until("ruled", "fix")


def test_people_who_lead_the_game_elsewhere_get_a_new_one(demonstration: Hall, app: Flask) -> None:
    looker = Looker(app)
    looker.until("ruled")
    first = looker.referee.news()["view"]["game"]
    looker.act_when_heard("Undo")
    deadline = time.monotonic() + GAME_S
    while looker.referee.news()["view"]["game"] == first:
        assert time.monotonic() < deadline
        looker.pause()
    assert not demonstration.tables["one"].snapshot.ended


def test_closing_it_in_mid_game_is_heard_at_once(demonstration: Hall, app: Flask) -> None:
    Looker(app).until("turn")
    assert demonstration.close()
    assert demonstration.tables["one"].snapshot.ended
    assert not demonstration.tables["one"].snapshot.trouble


def test_seconds_of_the_table_are_no_shorter_than_those_of_the_world() -> None:
    world = [0.0]

    def wait(seconds: float) -> None:
        world[0] += seconds

    clock = DemoClock(100.0, wait, pace=2.0, stopwatch=lambda: world[0])
    clock.until(103.0)
    assert (clock(), world[0]) == pytest.approx((103.0, 1.5))
    world[0] += 0.04  # a frame is drawn: that time was waited already
    clock.until(103.2)
    assert (clock(), world[0]) == pytest.approx((103.2, 1.6))
    world[0] += 10.0  # the machine is too slow: the table does not run after the world
    clock.until(104.2)
    assert world[0] == pytest.approx(11.6 + 0.4, abs=0.1)
    with clock.measured():
        world[0] += 0.5
    assert (clock(), world[0]) == pytest.approx((104.7, 12.5), abs=0.1)
    hurried = DemoClock(100.0, lambda _: pytest.fail("it waits for nobody"), pace=None)
    hurried.until(200.0)
    assert hurried() == 200.0


def test_a_short_round_is_looked_through_to_its_end() -> None:
    """A round may be over before so many turns."""
    assert lively_seed(SHORT_ROUND, 4, SHORT_SEED) == SHORT_SEED


def test_something_is_to_be_seen_within_the_first_turns(hall: Hall) -> None:
    seed = lively_seed(hall.ruleset, 3, 1)
    true = TrueRound(hall.ruleset, 3, Random(seed * 7 + 1), Rates())
    verdicts = [one.verdict for _ in range(LIVELY_TURNS) for one in true.play_turn().attempts]
    assert Verdict.ILLEGAL in verdicts
    assert Verdict.LEGAL in verdicts
