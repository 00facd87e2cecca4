"""Events sent to another program: as a spectator is told, in order, and nobody ever waits for that program."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from queue import Queue
from typing import Any

import pytest
from flask import Flask

from tests.dashboard.conftest import PATIENCE_S, HandTable
from web.dashboard.hall import Hall
from web.dashboard.webhook import MOST_WAITING, Webhook, WebhookError


class Other:
    """Another program that takes events, and answers as a test wants."""

    def __init__(self) -> None:
        self.got: Queue[Any] = Queue()
        self.status = 200
        self.goes_on = threading.Event()
        self.goes_on.set()
        other = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                other.goes_on.wait(PATIENCE_S)
                other.got.put(json.loads(body))
                self.send_response(other.status)
                self.end_headers()

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        self.server = HTTPServer(("127.0.0.1", 0), Handler)
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        self.thread.start()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server.server_port}/hook?key=secret"

    def close(self) -> None:
        self.goes_on.set()
        self.server.shutdown()
        self.server.server_close()
        self.thread.join(PATIENCE_S)


@pytest.fixture
def other() -> Iterator[Other]:
    made = Other()
    yield made
    made.close()


@pytest.fixture
def webhook(hall: Hall, other: Other) -> Iterator[Webhook]:
    made = hall.webhook = Webhook(other.address)
    yield made
    other.goes_on.set()
    made.close()


def test_what_a_table_says_arrives_in_order(webhook: Webhook, other: Other, table: HandTable) -> None:
    table.turn("R9 R10 R11 R12 R13")
    codes: list[str] = []
    numbers: list[int] = []
    while "ruled" not in codes:
        told = other.got.get(timeout=PATIENCE_S)
        assert told["table"] == "one"
        numbers.append(told["seq"])
        codes += [notice["code"] for notice in told["notices"]]
    assert numbers == sorted(numbers)
    assert codes.index("called") < codes.index("ruled")
    assert webhook.dropped == 0


def test_a_program_that_hangs_stops_no_game(webhook: Webhook, other: Other, table: HandTable) -> None:
    other.goes_on.clear()
    for _ in range(MOST_WAITING + 10):
        table.do(lambda bench: bench.call())
        table.do(lambda bench: bench.call())
    assert webhook.dropped > 0


def test_one_that_refuses_is_told_once_without_its_address(
    webhook: Webhook, other: Other, table: HandTable, capfd: pytest.CaptureFixture[str]
) -> None:
    other.status = 500
    for _ in range(3):
        table.turn("R9 R10 R11 R12 R13")
        other.got.get(timeout=PATIENCE_S)  # the next is sent once this one was answered
    err = capfd.readouterr().err
    assert err == "tileref: 127.0.0.1 takes no events: it answers 500.\n"
    assert webhook.sent == 0


def test_one_that_refuses_is_named_by_healthz_until_it_takes_events_again(
    app: Flask, webhook: Webhook, other: Other, table: HandTable
) -> None:
    client = app.test_client()
    deadline = time.monotonic() + PATIENCE_S
    for other.status, named in ((500, True), (200, False)):
        while ("The webhook takes no events: it answers 500." in client.get("/healthz").text) is not named:
            assert time.monotonic() < deadline
            table.do(lambda bench: bench.call())
            other.got.get(timeout=PATIENCE_S)
    assert webhook.sent > 0


@pytest.mark.parametrize("address", [
    "", "file:///etc/passwd", "ftp://x", "http://", "hook", "http://[::1", "http://host:port/", "http://host:99999/",
    "http://a b/", "http://host/a b", "http://host/\n", "http://host/ż",
])  # fmt: skip
def test_what_is_no_address_is_told(address: str) -> None:
    with pytest.raises(WebhookError, match="is no address that takes events"):
        Webhook(address)


def test_one_that_answers_nonsense_is_told_once_and_tried_again(
    hall: Hall, table: HandTable, capfd: pytest.CaptureFixture[str]
) -> None:
    """It speaks no HTTP: the thread that sends must outlive that."""
    got: Queue[bytes] = Queue()
    with socket.create_server(("127.0.0.1", 0)) as port:

        def answer() -> None:
            for _ in range(2):
                with port.accept()[0] as other:
                    got.put(other.recv(10_000))
                    other.sendall(b"hello\r\n\r\n")

        thread = threading.Thread(target=answer, daemon=True)
        thread.start()
        hall.webhook = Webhook(f"http://127.0.0.1:{port.getsockname()[1]}/hook")
        for _ in range(2):
            table.do(lambda bench: bench.call())
            assert got.get(timeout=PATIENCE_S).startswith(b"POST /hook")
            table.do(lambda bench: bench.call())
        thread.join(PATIENCE_S)
        hall.webhook.close()
    assert hall.webhook.sent == 0
    err = capfd.readouterr().err.splitlines()
    assert err[:1] == ["tileref: 127.0.0.1 takes no events: what it answers is no HTTP."]
