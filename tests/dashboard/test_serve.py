"""The command ``tileref serve`` as a process of its own: it starts, answers, ends in order, and goes on."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from http import HTTPStatus
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from referee.preset_files import load_ruleset
from tests.conftest import REPOSITORY
from tests.web.evidence.club import Club
from tests.web.fakes import FakeEyes
from web.cli import run
from web.dashboard.hall import Hall
from web.dashboard.keys import keys_at
from web.dashboard.table_book import BookedTable, book, booked
from web.evidence.retention import SETTING
from web.serve_desk import Asked, _open_tables

PATIENCE_S = 120.0
SERVE = (sys.executable, "-P", "-c", "from web.start import main; main()", "serve")


class Served:
    """A dashboard that runs; ``lines`` are what it said until it was ready."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self.lines: list[str] = []
        assert process.stdout is not None
        for line in process.stdout:
            self.lines.append(line.strip())
            if line.startswith("Ctrl-C"):
                break
        found = re.search(r"http://localhost:(\d+)/", " ".join(self.lines))
        assert found is not None, (self.lines, process.poll())
        self.port = int(found[1])

    @property
    def pin(self) -> str | None:
        found = re.search(r"PIN (?:of this demonstration )?is (\w+)", " ".join(self.lines))
        return found[1] if found else None

    def ask(self, path: str, body: object = None, **headers: str) -> tuple[int, dict[str, str], bytes]:
        """One request: GET, or POST of JSON; status, headers, bytes."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_S)
        with contextlib.closing(connection):
            sent = None if body is None else json.dumps(body)
            content = {} if body is None else {"Content-Type": "application/json"}
            connection.request("GET" if body is None else "POST", path, sent, {**content, **headers})
            response = connection.getresponse()
            return response.status, dict(response.getheaders()), response.read()

    def view(self, table: str) -> Any:
        """What is shown of a table, once there is a game."""
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            view = json.loads(self.ask(f"/api/v1/tables/{table}/events")[2]).get("view")
            if view is not None and view["seats"]:
                return view
        raise AssertionError("no game is shown")

    def end(self, number: signal.Signals = signal.SIGTERM) -> tuple[int, str]:
        """End it by a signal: its exit status, and what it said on standard error."""
        self.process.send_signal(number)
        _, err = self.process.communicate(timeout=PATIENCE_S)
        return self.process.returncode, err


@contextlib.contextmanager
def serving(home: Path, *arguments: str) -> Iterator[Served]:
    environment = {**os.environ, "TILEREF_HOME": str(home), "PYTHONPATH": str(REPOSITORY)}
    process = subprocess.Popen(
        [*SERVE, "--port", "0", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    )
    try:
        yield Served(process)
    finally:
        process.kill()
        process.communicate()


def film(path: Path) -> Path:
    """A short film of a grey table."""
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), 10, (640, 360))
    for _ in range(5):
        writer.write(np.full((360, 640, 3), 120, np.uint8))
    writer.release()
    return path


def test_a_game_goes_on_where_it_was_though_the_program_was_killed(tmp_path: Path) -> None:
    """The next start knows the tables, their games and the PIN; nothing is told twice."""
    home = tmp_path / "home"
    with serving(home, "--camera", str(film(tmp_path / "table.avi")), "--names", "Ann,Bob") as served:
        pin = served.pin
        assert pin is not None
        before = served.view("1")
        assert [seat["name"] for seat in before["seats"]] == ["Ann", "Bob"]
        status, headers, _ = served.ask("/api/v1/session", {"pin": pin})
        assert status == HTTPStatus.OK
        cookie = headers["Set-Cookie"].split(";")[0]
        served.process.kill()
    with serving(home) as served:
        assert served.pin is None
        assert served.ask("/api/v1/session", {"pin": pin})[0] == HTTPStatus.OK
        assert b'"referee":true' in served.ask("/api/v1/session", Cookie=cookie)[2]
        after = served.view("1")
        assert (after["game"], after["seats"]) == (before["game"], before["seats"])
        assert served.end(signal.SIGTERM) == (0, "")


def test_the_keyboard_ends_it_in_order_and_another_pin_ends_sessions(tmp_path: Path) -> None:
    keys, pin = keys_at(tmp_path, None)
    assert pin is not None
    with serving(tmp_path, "--pin", "club night", "--camera", str(tmp_path / "nothing.mp4")) as served:
        assert served.ask("/api/v1/session", {"pin": pin})[0] == HTTPStatus.FORBIDDEN
        assert served.ask("/api/v1/session", {"pin": "club night"})[0] == HTTPStatus.OK
        status, body = 200, b""
        while b"nothing.mp4" not in body:  # the eyes are opened first
            status, _, body = served.ask("/healthz")
        assert status == HTTPStatus.SERVICE_UNAVAILABLE
        assert served.ask("/")[0] == HTTPStatus.OK
        assert served.end(signal.SIGINT) == (0, "")
    assert keys_at(tmp_path, None)[0].secret == keys.secret


def opened(home: Path, *sources: str, rules: str = "") -> dict[str, str]:
    """The tables that a start opens, each with its game; all of it is ended again."""
    hall = Hall(home, f"sqlite:///{home / 'games.db'}", FakeEyes().wiring, load_ruleset())
    asked = Asked(
        host="127.0.0.1", port=0, demo=False, sources=sources, players=(), game=None, rules=rules, tls=False,
        certificate=None, webhook=None, minutes=None, pin=None,
    )  # fmt: skip
    _open_tables(hall, asked)
    names = list(hall.tables)
    assert hall.close()
    return {name: booked(home)[name].game for name in names}


def test_a_start_without_cameras_opens_the_tables_of_the_last_time_and_no_older_ones(tmp_path: Path) -> None:
    first = opened(tmp_path, "phone", "phone")
    assert sorted(first) == ["1", "2"]
    assert opened(tmp_path) == first
    only = opened(tmp_path, "phone")
    assert opened(tmp_path) == only == {"1": first["1"]}
    assert opened(tmp_path, "phone", "phone") == first, "the other table has kept its game"


def test_the_same_start_goes_on_with_a_game_whose_rules_and_box_were_chosen_at_the_set_up(tmp_path: Path) -> None:
    opened(tmp_path, "phone")
    chosen = BookedTable("1", "phone", "us-2009", "the club's", "old box")
    book(tmp_path, chosen)
    assert opened(tmp_path, "phone") == {"1": "the club's"}
    assert booked(tmp_path)["1"] == chosen
    assert opened(tmp_path, "phone", rules="us-2009") == {"1": "the club's"}
    assert opened(tmp_path, "phone", rules="wrc") != {"1": "the club's"}, "a game has one set of rules"


def test_a_start_lets_old_pictures_go_as_the_setting_says(tmp_path: Path) -> None:
    club = Club(tmp_path, "Friday")
    club.evening()
    club.store.close()
    opened(tmp_path)
    assert list((tmp_path / "evidence").rglob("*.jpg")), "without a setting they stay"
    (tmp_path / SETTING).write_text("most_megabytes = 0\nkeep_disputed = false\n", encoding="utf-8")
    opened(tmp_path)
    assert not list((tmp_path / "evidence").rglob("*.jpg"))


@dataclass(frozen=True, slots=True)
class Done:
    status: int
    out: str
    err: str


@pytest.fixture
def serve(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Callable[..., Done]:
    """Runs the command in this process, with a home of its own."""

    def command(*arguments: str, home: Path = tmp_path) -> Done:
        monkeypatch.setenv("TILEREF_HOME", str(home))
        status = run(["serve", *arguments], FakeEyes().wiring)
        out, err = capfd.readouterr()
        return Done(status, out, err)

    return command


def test_a_port_that_is_taken_is_told_in_one_sentence(serve: Callable[..., Done]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = serve("--port", str(port))
    assert done == Done(2, "", f"tileref: 127.0.0.1:{port} cannot be used: another program listens there already.\n")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--host", "no.such.host.invalid"), "there is no such address here"),
        (("--pin", "1"), "A PIN has 4 to 64 letters or digits."),
        (("--names", "Ann,Bob"), "--names and --game go with one --camera."),
        (("--names", "Ann,,Bob", "--camera", "0"), "--names holds an empty name."),
        (("--rules", "nothing"), "'nothing' is not a preset"),
        (("--certificate", "c.pem"), "--certificate and --key go together."),
        (("--certificate", "c.pem", "--key", "k.pem"), "no certificate with its key"),
        (("--webhook", "http://[::1"), "is no address that takes events"),
        (("--webhook", "hook"), "hook is no address that takes events"),
    ],
)
def test_what_cannot_be_served_is_told_and_leaves_with_2(
    serve: Callable[..., Done], arguments: tuple[str, ...], sentence: str
) -> None:
    before = set(threading.enumerate())
    done = serve("--port", "0", *arguments)
    assert (done.status, done.out) == (2, "")
    assert sentence in done.err
    left = [thread.name for thread in set(threading.enumerate()) - before if not thread.daemon]
    assert left == [], "the program would never leave"


def test_a_folder_that_takes_nothing_is_told(serve: Callable[..., Done], tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("", encoding="utf-8")
    done = serve("--port", "0", home=file / "home")
    assert done.status == 2
    assert "cannot be made" in done.err


def test_it_ends_by_itself_after_the_time_that_was_asked_for(serve: Callable[..., Done]) -> None:
    done = serve("--port", "0", "--minutes", "0.05", "--tls")
    assert (done.status, done.err) == (0, "")
    assert re.search(r"https://localhost:\d+/", done.out)
    assert "Browsers warn once" in done.out
