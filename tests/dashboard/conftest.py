"""A dashboard over tables that tests play by hand, asked in this process or over a real port."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from queue import Empty, Queue
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from flask import Flask
from flask.testing import FlaskClient
from playwright.sync_api import Browser, Page, expect
from werkzeug.security import generate_password_hash

from referee.preset_files import load_ruleset
from referee.ruleset import RuleSet
from referee.switches import PoolEmpty
from tests.chromium import browser, opened_page  # noqa: F401  a fixture, which pages ask for
from tests.dashboard.desk_page import Desk
from tests.web.evidence.club import Club
from tests.web.fakes import FakeEyes, paint
from tests.web.live_table import Bench
from web.dashboard.app import create_app
from web.dashboard.hall import Hall
from web.dashboard.keys import Keys
from web.dashboard.running import RunningTable
from web.dashboard.server import DashboardServer
from web.live.notices import Notice

PIN = "739105"
KEYS = Keys(b"a test's own key", generate_password_hash(PIN, "pbkdf2:sha256:1"))
"""A hash that is made at once: what takes its time is tested where keys are."""
PATIENCE_S = 30.0
SHORT_ROUND = replace(load_ruleset(), deal_tiles=25, pool_empty=PoolEmpty.STOP)
"""With most tiles dealt to four players a round is over after a few turns."""
SHORT_SEED = 4
"""A demonstration that begins with this seed plays five turns under it."""

Handled = Callable[[Bench], tuple[Notice, ...]]


class PaintedBench(Bench):
    """A bench whose camera shows the table that was laid."""

    def image(self) -> npt.NDArray[np.uint8]:
        return paint(self.watch.observation)


class HandTable:
    """Drives a table by what a test does to its ``Bench``, on the table's own thread."""

    def __init__(
        self, players: tuple[str, ...] = ("Ann", "Bob"), start: bool = True, ruleset: RuleSet | None = None,
        game: str = "game",
    ) -> None:  # fmt: skip
        self._players, self._start, self._ruleset, self._game = players, start, ruleset, game
        self._todo: Queue[tuple[Handled, Future[tuple[Notice, ...]]]] = Queue()
        self.ready = threading.Event()

    def __call__(self, running: RunningTable) -> None:
        bench = PaintedBench(self._ruleset, players=self._players, game=self._game, start=self._start)
        running.play(bench.live, bench.ruleset)
        self.ready.set()
        while True:
            running.wait(0.005)
            try:
                handled, answer = self._todo.get_nowait()
            except Empty:
                continue
            try:
                said = handled(bench)
                running.publish(said)
                answer.set_result(said)
            except Exception as error:  # noqa: BLE001  the test hears of it
                answer.set_exception(error)

    def do(self, handled: Handled) -> tuple[Notice, ...]:
        """Do something to the bench, and wait until everybody may know of it."""
        answer: Future[tuple[Notice, ...]] = Future()
        self._todo.put((handled, answer))
        return answer.result(PATIENCE_S)

    def turn(self, table: str) -> tuple[Notice, ...]:
        """A whole turn that ends with this table."""
        return self.do(lambda bench: bench.turn(table))


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    """What tests ask on this computer goes round no other."""
    monkeypatch.setenv("no_proxy", "127.0.0.1,localhost")


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[Hall]:
    hall = Hall(tmp_path, f"sqlite:///{tmp_path / 'games.db'}", FakeEyes().wiring, load_ruleset())
    yield hall
    assert hall.close(), "a table's thread did not leave"


@pytest.fixture
def table(hall: Hall) -> HandTable:
    """The table ``one`` of the hall: Ann and Bob, and Ann is on turn."""
    hand = HandTable()
    hall.open("one", hand, "a test")
    assert hand.ready.wait(PATIENCE_S)
    return hand


@pytest.fixture
def app(hall: Hall) -> Iterator[Flask]:
    made = create_app(hall, KEYS)
    yield made
    made.extensions["disputes"].close()


@pytest.fixture
def client(app: Flask) -> FlaskClient:
    """Anybody."""
    return app.test_client()


class Referee:
    """A client that has signed in, and sends the token of its session."""

    def __init__(self, app: Flask) -> None:
        self.client = app.test_client()
        signed_in = self.client.post("/api/v1/session", json={"pin": PIN})
        assert signed_in.status_code == 200
        self.headers = {"X-CSRF-Token": signed_in.json["csrf"]} if signed_in.json else {}

    def act(self, act: str, table: str = "one", **fields: object) -> Any:
        """Have an act carried out; the response."""
        return self.client.post(f"/api/v1/tables/{table}/acts", json={"act": act, **fields}, headers=self.headers)

    def news(self, after: int = 0, table: str = "one") -> Any:
        """What is new, None for nothing."""
        response = self.client.get(f"/api/v1/tables/{table}/events?after={after}")
        assert response.status_code in {200, 204}
        return response.json if response.status_code == 200 else None


@pytest.fixture
def referee(app: Flask) -> Referee:
    return Referee(app)


@pytest.fixture
def served(app: Flask) -> Iterator[str]:
    """The address of the dashboard on a real port."""
    server = DashboardServer(app, "127.0.0.1", 0)
    thread = threading.Thread(target=server.serve, name="dashboard", daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.port}"
    server.stop()
    thread.join(PATIENCE_S)
    assert not thread.is_alive()


@pytest.fixture
def page(browser: Browser, served: str) -> Iterator[Page]:  # noqa: F811  the fixture
    """A browser in which nothing goes wrong that nobody sees."""
    with opened_page(browser, served, 1280, 900) as page:
        yield page


def sign_in(page: Page, address: str) -> None:
    """Go where only the referee may, and show the PIN on the way."""
    page.goto(f"/sign-in?next={address}")
    page.fill("#pin", PIN)
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(f"^[^?]*{re.escape(address)}$"))


@pytest.fixture
def friday(tmp_path: Path) -> str:
    """The name of a game that was played before, in the folder of the hall."""
    club = Club(tmp_path, game="Friday")
    club.evening()
    club.store.close()
    return club.game


@pytest.fixture
def desk(page: Page, table: HandTable) -> Desk:
    """The referee's desk of the table, signed in at."""
    sign_in(page, "/tables/one/desk")
    expect(page.locator("#who")).to_have_text("Ann")
    return Desk(page, table)
