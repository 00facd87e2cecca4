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
from collections.abc import Iterator
from http import HTTPStatus
from http.client import HTTPConnection
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY

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


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_in_order(tmp_path: Path, number: signal.Signals) -> None:
    with serving(tmp_path) as served:
        assert served.ask("/")[0] == HTTPStatus.OK
        assert served.ask("/healthz")[0] == HTTPStatus.OK
        assert served.end(number) == (0, "")


def test_the_pin_is_told_once_and_signs_in_at_the_next_start_too(tmp_path: Path) -> None:
    with serving(tmp_path) as served:
        pin = served.pin
        assert pin is not None
        status, headers, _ = served.ask("/api/v1/session", {"pin": pin})
        assert status == HTTPStatus.OK
        cookie = headers["Set-Cookie"].split(";")[0]
        served.end()
    with serving(tmp_path) as served:
        assert served.pin is None
        assert served.ask("/api/v1/session", {"pin": pin})[0] == HTTPStatus.OK
        assert b'"referee":true' in served.ask("/api/v1/session", Cookie=cookie)[2]
        served.end()
    with serving(tmp_path, "--pin", "club night") as served:
        assert b'"referee":false' in served.ask("/api/v1/session", Cookie=cookie)[2]
        assert served.ask("/api/v1/session", {"pin": pin})[0] == HTTPStatus.FORBIDDEN
        assert served.ask("/api/v1/session", {"pin": "club night"})[0] == HTTPStatus.OK


def run(home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "TILEREF_HOME": str(home), "PYTHONPATH": str(REPOSITORY)}
    return subprocess.run(
        [*SERVE, *arguments], capture_output=True, text=True, env=environment, timeout=PATIENCE_S, check=False
    )


def test_a_port_that_is_taken_is_told_in_one_sentence(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = run(tmp_path, "--port", str(port))
    assert done.returncode == 2
    assert done.stderr == f"tileref: 127.0.0.1:{port} cannot be used: another program listens there already.\n"
    assert done.stdout == ""


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--host", "no.such.host.invalid"), "there is no such address here"),
        (("--pin", "1"), "A PIN has 4 to 64 letters or digits."),
        (("--names", "Ann,Bob"), "--names and --game go with one --camera."),
        (("--rules", "nothing"), "'nothing' is not a preset"),
    ],
)
def test_what_cannot_be_served_is_told_and_leaves_with_2(
    tmp_path: Path, arguments: tuple[str, ...], sentence: str
) -> None:
    done = run(tmp_path, "--port", "0", *arguments)
    assert done.returncode == 2
    assert sentence in done.stderr
    assert "Traceback" not in done.stderr


def test_a_folder_that_takes_nothing_is_told(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("", encoding="utf-8")
    done = run(file / "home", "--port", "0")
    assert done.returncode == 2
    assert "cannot be made" in done.stderr


def test_it_ends_by_itself_after_the_time_that_was_asked_for(tmp_path: Path) -> None:
    done = run(tmp_path, "--port", "0", "--minutes", "0.05")
    assert done.returncode == 0
    assert done.stderr == ""


def test_a_table_whose_camera_is_no_camera_says_so_and_the_pages_go_on(tmp_path: Path) -> None:
    with serving(tmp_path, "--camera", str(tmp_path / "nothing.mp4")) as served:
        status, _, body = served.ask("/healthz")
        while b"eyes" in body:
            status, _, body = served.ask("/healthz")
        assert status == HTTPStatus.SERVICE_UNAVAILABLE
        assert b"nothing.mp4" in body
        assert served.ask("/")[0] == HTTPStatus.OK
        assert served.end()[0] == 0
