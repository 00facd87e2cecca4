"""A dashboard whose eyes know the pictures of the tests, asked in this process or by a phone over a real port."""

from __future__ import annotations

import io
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from referee.observation import Scene
from referee.preset_files import load_ruleset
from tests.chromium import browser  # noqa: F401  a fixture
from tests.web.fakes import FakeEyes, table
from web.dashboard.app import create_app
from web.dashboard.hall import Hall
from web.dashboard.keys import keys_for
from web.dashboard.server import DashboardServer
from web.disputes.clerk import Disputes

PATIENCE_S = 60.0
PIN = "739105"
KEYS = keys_for(PIN)
"""One for all tests: a PIN's hash is slow by design."""


@pytest.fixture
def eyes() -> FakeEyes:
    return FakeEyes()


@pytest.fixture
def app(tmp_path: Path, eyes: FakeEyes) -> Iterator[Flask]:
    hall = Hall(tmp_path, f"sqlite:///{tmp_path / 'games.db'}", eyes.wiring, load_ruleset())
    app = create_app(hall, KEYS)
    yield app
    app.extensions["disputes"].close()


@pytest.fixture
def photo(eyes: FakeEyes, tmp_path: Path) -> Callable[[str], Path]:
    """Writes the photo of a table and returns its path."""
    return lambda text: eyes.photo(tmp_path / "photos" / f"{len(eyes.known)}.png", table(text))


@pytest.fixture
def rack(eyes: FakeEyes, tmp_path: Path) -> Callable[[str], Path]:
    """The same for what looks like a rack."""
    return lambda text: eyes.photo(tmp_path / "photos" / f"{len(eyes.known)}.png", table(text, scene=Scene.RACK))


class Phone:
    """A browser without a screen: its own session, its token with all that it sends."""

    def __init__(self, app: Flask) -> None:
        self.app = app
        self.client: FlaskClient = app.test_client()
        whoami = self.client.get("/api/v1/session").json
        assert whoami is not None
        self.headers = {"X-CSRF-Token": str(whoami["csrf"]), "Accept": "application/json"}

    @property
    def disputes(self) -> Disputes:
        clerk = self.app.extensions["disputes"]
        assert isinstance(clerk, Disputes)
        return clerk

    def send(self, data: bytes, name: str = "IMG_1.PNG", rules: str = "international") -> Any:
        """Send a photo; the answer."""
        fields = {"photo": (io.BytesIO(data), name), "rules": rules}
        return self.client.post("/dispute", data=fields, headers=self.headers)

    def sent(self, path: Path) -> str:
        """Send a photo and wait until it was looked at; the address of its page."""
        answer = self.send(path.read_bytes(), path.name)
        assert answer.status_code == 201, answer.text
        assert self.disputes._line.wait_until_empty(PATIENCE_S)
        return str(answer.json["address"])

    def post(self, address: str, body: object) -> Any:
        return self.client.post(address, json=body, headers=self.headers)

    def told(self, address: str) -> Any:
        """The state of a dispute."""
        answer = self.client.get(f"{address}/case.json", headers={"Accept": "application/json"})
        assert answer.status_code == 200
        return answer.json


@pytest.fixture
def phone(app: Flask) -> Phone:
    return Phone(app)


@pytest.fixture
def site(app: Flask) -> Iterator[str]:
    """The application on a real port: its address."""
    server = DashboardServer(app, "127.0.0.1", 0)
    thread = threading.Thread(target=server.serve, name="site")
    thread.start()
    yield f"http://127.0.0.1:{server.port}"
    server.stop()
    thread.join(PATIENCE_S)
