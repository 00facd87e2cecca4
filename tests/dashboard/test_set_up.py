"""Setting a table up: a new game, its rules, and a phone that is the camera."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from dataclasses import replace
from http import HTTPStatus
from pathlib import Path
from typing import Any

import cv2
import pytest
from flask import Flask
from playwright.sync_api import Browser, Page, expect

from referee.preset_files import load_ruleset, preset_names
from tests.chromium import NEEDS_AXE, NEEDS_CHROMIUM, axe_finds, opened_page, running_browser
from tests.dashboard.conftest import PATIENCE_S, Referee, sign_in
from tests.web.fakes import FakeEyes, paint, table
from tests.web.live_table import HandWatch
from web.dashboard.access import Access
from web.dashboard.hall import Hall
from web.dashboard.table_book import FILE, BookedTable, book, booked
from web.dashboard.tables import PHONE, open_table

NOTHING = table("")


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[Hall]:
    """A hall whose table ``one`` is seen by a phone, and nobody plays yet."""
    wiring = replace(FakeEyes().wiring, watch=lambda _eyes, _region, _stills: HandWatch())
    hall = Hall(tmp_path, f"sqlite:///{tmp_path / 'games.db'}", wiring, load_ruleset())
    open_table(hall, BookedTable("one", PHONE, "", "first"))
    while hall.tables["one"].snapshot.view is None:
        assert not hall.tables["one"].snapshot.ended
    yield hall
    assert hall.close()


def begin(referee: Referee, **told: object) -> Any:
    return referee.client.post("/api/v1/tables/one/game", json=told, headers=referee.headers)


def view_of(referee: Referee) -> Any:
    """What is shown, once the table is open again."""
    deadline = time.monotonic() + PATIENCE_S
    while (view := referee.news()["view"]) is None or not view["seats"]:
        assert time.monotonic() < deadline, "nobody was seated"
    return view


def test_a_game_begins_and_another_after_it(hall: Hall, referee: Referee) -> None:
    assert begin(referee, players=["Ann", " Bob "], rules="us-2009").status_code == HTTPStatus.OK
    view = view_of(referee)
    assert ([seat["name"] for seat in view["seats"]], view["rules"]) == (["Ann", "Bob"], "us-2009")
    first = booked(hall.home)["one"]
    assert (first.rules, first.game) == ("us-2009", view["game"])
    hall.wall = lambda: 2e9
    assert begin(referee, players=["Cy", "Dee", "Eva"], starter=None).status_code == HTTPStatus.OK
    view = view_of(referee)
    assert len(view["seats"]) == 3
    assert view["rules"] == "us-2009", "rules stay where nobody names others"
    assert view["game"] != first.game


def test_two_games_that_begin_within_a_second_are_two(hall: Hall, referee: Referee) -> None:
    """Two referees, each with the players that he knows of: the second is not told of a game that was never begun."""
    hall.wall = lambda: 2e9
    games = []
    for players in (["Ann", "Bob"], ["Cy", "Dee"], ["Eva", "Fay"]):
        assert begin(referee, players=players).status_code == HTTPStatus.OK
        view = view_of(referee)
        assert [seat["name"] for seat in view["seats"]] == players
        games.append(view["game"])
    assert len(set(games)) == len(games)


@pytest.mark.parametrize(
    ("told", "about"),
    [
        ({}, "A game has 2 to 8 players"),
        ({"players": ["Ann"]}, "A game has 2 to 8 players"),
        ({"players": ["Ann", "  "]}, "A game has 2 to 8 players"),
        ({"players": ["Ann", 5]}, "A game has 2 to 8 players"),
        ({"players": ["Ann", "x" * 41]}, "A game has 2 to 8 players"),
        ({"players": "Ann"}, "A game has 2 to 8 players"),
        ({"players": ["Ann", "Bob"], "starter": 2}, "The starter is a seat"),
        ({"players": ["Ann", "Bob"], "starter": True}, "The starter is a seat"),
        ({"players": ["Ann", "Bob"], "rules": "nothing"}, "The rules are one of"),
        ({"players": ["Ann", "Bob"], "rules": "/etc/passwd.toml"}, "The rules are one of"),
    ],
)
def test_what_is_no_game_is_told(referee: Referee, told: dict[str, object], about: str) -> None:
    response = begin(referee, **told)
    assert response.status_code == HTTPStatus.BAD_REQUEST
    assert about in response.json["error"]


@pytest.fixture
def club_rules(hall: Hall, tmp_path: Path) -> Path:
    """The table ``one`` is opened by the rules of a file."""
    file = tmp_path / "club.toml"
    file.write_text('base = "international"\ndeal_tiles = 13\n', encoding="utf-8")
    open_table(hall, BookedTable("one", PHONE, str(file), "second"))
    return file


def test_rules_from_a_file_are_offered_as_they_are_now(referee: Referee, club_rules: Path) -> None:
    def page() -> str:
        return str(referee.client.get("/tables/one/set-up").text)

    offered = re.findall(r'<option value="([^"]*)" selected>([^<]*)<', page().split('id="rules"')[1])
    assert offered == [("", "club.toml")], "nothing else is chosen"
    assert re.findall(r'data-preset="([^"]*)">', page()) == [""], "nothing else is shown"
    assert "Tiles dealt to each player: <strong>13</strong>" in page()
    club_rules.unlink()
    assert '<option value="" selected>club.toml<' in page(), "it is for the begin of a game to say that it is gone"
    refused = begin(referee, players=["Ann", "Bob"])
    assert (refused.status_code, "file cannot be read" in refused.json["error"]) == (HTTPStatus.CONFLICT, True)


@pytest.mark.parametrize(
    ("players", "rules"), [(["Ann", "Ann"], ""), (["A", "B", "C", "D", "E", "F", "G", "H"], "international")]
)
def test_players_whom_the_rules_refuse_are_told_and_nothing_ends(
    hall: Hall, referee: Referee, players: list[str], rules: str
) -> None:
    running = hall.tables["one"]
    refused = begin(referee, players=players, rules=rules)
    assert refused.status_code == HTTPStatus.CONFLICT
    assert refused.json["error"].endswith(".")
    assert hall.tables["one"] is running
    assert not running.snapshot.ended


@pytest.mark.parametrize("box", ["nothing", "../dashboard/access.json", "/etc/passwd", "."])
def test_no_other_file_is_opened_as_a_box(hall: Hall, referee: Referee, box: str) -> None:
    running = hall.tables["one"]
    refused = begin(referee, players=["Ann", "Bob"], box=box)
    assert refused.status_code == HTTPStatus.CONFLICT
    assert refused.json["error"] == f"No box is called {box}: tileref box list names those at hand."
    assert hall.tables["one"] is running


def test_the_password_of_a_camera_is_shown_to_nobody(hall: Hall, referee: Referee) -> None:
    """It stands in its address, which is kept for the next start, for the owner of this program alone."""
    address = "http://admin:secret@127.0.0.1:9/video?pwd=secret"
    open_table(hall, BookedTable("two", address, "", "second"))
    deadline = time.monotonic() + PATIENCE_S
    while hall.tables["two"].snapshot.view is None and not hall.tables["two"].snapshot.ended:
        assert time.monotonic() < deadline, "the camera is neither opened nor given up"
    assert booked(hall.home)["two"].source == address
    assert (hall.home / "dashboard" / FILE).stat().st_mode & 0o077 == 0
    for path in ("/tables/two/set-up", "/api/v1/tables", "/healthz", "/", "/tables/two/desk", "/metrics"):
        told = referee.client.get(path).get_data(as_text=True)
        assert "secret" not in told, path
    assert "127.0.0.1:9/video?pwd=…" in referee.client.get("/tables/two/set-up").get_data(as_text=True)


def camera(app: Flask) -> tuple[Any, dict[str, str]]:
    """A phone that has exchanged the code of the camera."""
    access: Access = app.extensions["access"]
    phone = app.test_client()
    taken = phone.post("/api/v1/tables/one/camera-session", json={"token": access.camera_token("one")})
    assert taken.json is not None
    return phone, {"X-CSRF-Token": taken.json["csrf"]}


def jpeg() -> bytes:
    done, data = cv2.imencode(".jpg", paint(table("R1 R2 R3")))
    assert done
    return data.tobytes()


def test_a_phone_sends_pictures_and_may_do_nothing_else(app: Flask, referee: Referee) -> None:
    phone, headers = camera(app)
    sent = phone.post("/api/v1/tables/one/frames?age_ms=120", data=jpeg(), headers=headers, content_type="image/jpeg")
    assert sent.status_code == HTTPStatus.OK
    deadline = time.monotonic() + PATIENCE_S
    while "picture" not in referee.news():
        assert time.monotonic() < deadline, "no picture came"
    assert referee.news()["picture"]["width"] == 900
    act = phone.post("/api/v1/tables/one/acts", json={"act": "Pause"}, headers=headers)
    assert act.status_code == HTTPStatus.FORBIDDEN
    assert phone.get("/api/v1/tables/one/picture.jpg").status_code == HTTPStatus.FORBIDDEN


@pytest.mark.parametrize(("data", "age"), [(b"", "0"), (b"no picture", "0"), (b"\xff\xd8\xff", "0"), (None, "-1")])
def test_what_is_no_picture_is_told(app: Flask, data: bytes | None, age: str) -> None:
    phone, headers = camera(app)
    sent = phone.post(
        f"/api/v1/tables/one/frames?age_ms={age}", data=jpeg() if data is None else data, headers=headers,
        content_type="image/jpeg",
    )  # fmt: skip
    assert sent.status_code == HTTPStatus.BAD_REQUEST
    assert sent.json["error"].endswith(".")


@pytest.mark.usefixtures("hall")
def test_pictures_of_strangers_are_refused(app: Flask) -> None:
    stranger = app.test_client()
    for token in ("", "x" * 32, "é"):
        taken = stranger.post("/api/v1/tables/one/camera-session", json={"token": token})
        assert taken.status_code == HTTPStatus.FORBIDDEN
    csrf = stranger.get("/api/v1/session").json
    assert csrf is not None
    sent = stranger.post("/api/v1/tables/one/frames", data=jpeg(), headers={"X-CSRF-Token": csrf["csrf"]})
    assert sent.status_code == HTTPStatus.FORBIDDEN


def test_a_game_outlives_the_program_and_a_damaged_book_stops_nothing(hall: Hall) -> None:
    assert booked(hall.home)["one"] == BookedTable("one", PHONE, "", "first")
    book(hall.home, BookedTable("two", "0", "us-2009", "second"))
    assert set(booked(hall.home)) == {"one", "two"}
    for text in ("", "[]", "{}", "[1]", '[{"name": "x"}]'):
        (hall.home / "dashboard" / "tables.json").write_text(text, encoding="utf-8")
        assert booked(hall.home) == {}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A browser with a camera that shows a test picture."""
    with running_browser("--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream") as browser:
        yield browser


@pytest.fixture
def page(browser: Browser, served: str) -> Iterator[Page]:
    """A phone's."""
    with opened_page(browser, served, 360, 740) as page:
        yield page


@NEEDS_CHROMIUM
def test_a_phones_browser_is_the_camera(page: Page, served: str, hall: Hall, app: Flask) -> None:
    """The whole way: the code of the address, the browser's camera, pictures at the table, and stopping."""
    access: Access = app.extensions["access"]
    page.goto(f"/tables/one/camera#{access.camera_token('one')}")
    expect(page).to_have_url(f"{served}/tables/one/camera")  # the code has left the address
    page.get_by_role("button", name="Begin").click()
    expect(page.locator("#camera-sent")).to_have_text(re.compile(r"^([3-9]|\d\d+)$"))
    expect(page.locator("#camera-late")).to_have_text(re.compile(r"^\d+ ms$"))
    picture = hall.tables["one"].snapshot.picture
    assert picture is not None
    assert min(picture.size_wh) > 100
    page.get_by_role("button", name="Stop").click()
    expect(page.locator("#camera-state")).to_have_text("This phone sends nothing now.")


WAKE_LOCK = """window.locks = [];
Object.defineProperty(navigator, "wakeLock", { value: { request: async () => {
  const lock = { held: true, release: () => { lock.held = false; } };
  window.locks.push(lock);
  return lock;
} } });"""
"""A browser that may keep the screen on, and notes who asked."""
SILENCE = """window.silent = true;
const timeout = AbortSignal.timeout.bind(AbortSignal), late = () => new DOMException("late", "TimeoutError");
AbortSignal.timeout = (ms) => (window.silent ? AbortSignal.abort(late()) : timeout(ms));"""
"""A browser whose patience is over at once while nobody answers."""


@NEEDS_CHROMIUM
def test_a_phones_screen_stays_on_after_it_was_out_of_sight(page: Page, app: Flask) -> None:
    page.add_init_script(WAKE_LOCK)
    page.goto(f"/tables/one/camera#{app.extensions['access'].camera_token('one')}")
    seen = "() => { document.dispatchEvent(new Event('visibilitychange')); return window.locks.length; }"
    assert page.evaluate(seen) == 0, "nothing is sent yet"
    page.get_by_role("button", name="Begin").click()
    expect(page.get_by_role("button", name="Stop")).to_be_visible()
    assert page.evaluate(seen) == 2
    page.get_by_role("button", name="Stop").click()
    assert page.evaluate(seen) == 2
    assert page.evaluate("() => window.locks.at(-1).held") is False


@NEEDS_CHROMIUM
def test_a_picture_that_gets_lost_ends_no_camera(page: Page, app: Flask) -> None:
    page.add_init_script(SILENCE)
    page.goto(f"/tables/one/camera#{app.extensions['access'].camera_token('one')}")
    page.get_by_role("button", name="Begin").click()
    expect(page.locator("#camera-trouble")).to_have_text("The program does not answer: is the network still there?")
    page.evaluate("() => { window.silent = false; }")
    expect(page.locator("#camera-sent")).to_have_text(re.compile(r"^[1-9]\d*$"))
    expect(page.locator("#camera-trouble")).to_be_empty()


@NEEDS_CHROMIUM
@NEEDS_AXE
def test_a_table_is_set_up_in_the_browser(page: Page, referee: Referee) -> None:
    sign_in(page, "/tables/one/set-up")
    page.get_by_role("button", name="Add a player").click()
    for k, name in enumerate(("Ann", "Bob", "Cy"), 1):
        page.get_by_label(f"Player {k}").fill(name)
    page.get_by_label("Rules").select_option("us-2009")
    expect(page.locator("[data-preset='us-2009']")).to_be_visible()
    expect(page.locator("[data-preset=international]")).to_be_hidden()
    assert axe_finds(page) == []
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    page.get_by_role("button", name="Begin the game").click()
    page.wait_for_url("**/desk")
    view = view_of(referee)
    assert ([seat["name"] for seat in view["seats"]], view["rules"]) == (["Ann", "Bob", "Cy"], "us-2009")
    assert "us-2009" in preset_names()


@NEEDS_CHROMIUM
@pytest.mark.usefixtures("club_rules")
def test_a_game_by_the_rules_of_a_file_begins_where_nobody_chooses_others(page: Page, referee: Referee) -> None:
    sign_in(page, "/tables/one/set-up")
    expect(page.locator("[data-preset='']")).to_be_visible()
    page.get_by_label("Rules").select_option("us-2009")
    expect(page.locator("[data-preset='']")).to_be_hidden()
    page.get_by_label("Rules").select_option(label="club.toml")
    for k, name in enumerate(("Ann", "Bob"), 1):
        page.get_by_label(f"Player {k}").fill(name)
    page.get_by_role("button", name="Begin the game").click()
    page.wait_for_url("**/desk")
    assert view_of(referee)["rules"] == "club"
