"""The dashboard on a real port: by HTTP and by TLS, with requests of every size."""

from __future__ import annotations

import contextlib
import json
import socket
import ssl
import threading
import time
import urllib.error
import urllib.request
from datetime import UTC, datetime, timedelta
from http import HTTPStatus
from http.client import HTTPConnection
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import serialization
from flask import Flask

from tests.dashboard.conftest import PATIENCE_S, PIN, HandTable, Referee
from tests.web.live_table import Bench
from web.dashboard.app import MOST_BYTES
from web.dashboard.certificate import CertificateError, fingerprint, local_certificate
from web.dashboard.hall import Hall
from web.dashboard.server import LARGEST_HEADERS, DashboardServer, ServerError
from web.live.notices import Notice


def post(address: str, body: bytes, kind: str = "application/json") -> int:
    request = urllib.request.Request(address, body, {"Content-Type": kind}, method="POST")
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE_S) as response:
            return int(response.status)
    except urllib.error.HTTPError as error:
        with error:
            return error.code


@pytest.mark.usefixtures("table")
def test_pages_and_events_over_a_real_port(served: str) -> None:
    kinds = {"/": "text/html", "/api/v1/tables/one/events": "application/json", "/metrics": "text/plain"}
    for path, kind in kinds.items():
        with urllib.request.urlopen(served + path, timeout=PATIENCE_S) as response:
            assert response.status == HTTPStatus.OK
            assert response.headers["Content-Type"].startswith(kind)
    assert post(f"{served}/api/v1/session", json.dumps({"pin": PIN}).encode()) == HTTPStatus.OK


@pytest.mark.usefixtures("table")
def test_what_is_too_large_is_refused(served: str) -> None:
    """By what it says of itself: nobody waits for the rest of it."""
    connection = HTTPConnection(served.removeprefix("http://"), timeout=PATIENCE_S)
    connection.putrequest("POST", "/api/v1/session")
    connection.putheader("Content-Type", "application/json")
    connection.putheader("Content-Length", str(MOST_BYTES + 1))
    connection.endheaders()
    assert connection.getresponse().status == HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    connection.close()


def test_thirty_readers_are_answered_while_the_table_is_busy(served: str, table: HandTable) -> None:
    """Nobody waits for the eyes: a table in the middle of a look still shows what it knows."""
    looks, done = threading.Event(), threading.Event()

    def look(_bench: object) -> tuple[()]:
        looks.set()
        assert done.wait(PATIENCE_S)
        return ()

    busy = threading.Thread(target=table.do, args=(look,))
    busy.start()
    assert looks.wait(PATIENCE_S)
    told: list[int] = []

    def read() -> None:
        with urllib.request.urlopen(f"{served}/api/v1/tables/one/events", timeout=PATIENCE_S) as response:
            told.append(json.loads(response.read())["seq"])

    readers = [threading.Thread(target=read) for _ in range(30)]
    for reader in readers:
        reader.start()
    for reader in readers:
        reader.join(PATIENCE_S)
    assert len(told) == 30
    assert not done.is_set()
    done.set()
    busy.join(PATIENCE_S)


@pytest.mark.usefixtures("table")
def test_headers_without_end_are_refused(served: str) -> None:
    host, port = served.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), PATIENCE_S) as connection:
        connection.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n")
        line = b"X-More: " + b"x" * 1000 + b"\r\n"
        with contextlib.suppress(OSError):  # it hangs up before all is sent
            for _ in range(2 * LARGEST_HEADERS // len(line)):
                connection.sendall(line)
            connection.sendall(b"\r\n")
        answered = b""
        with contextlib.suppress(OSError):
            answered = connection.recv(100)
    assert not answered or b" 413 " in answered
    assert post(f"{served}/api/v1/session", json.dumps({"pin": PIN}).encode()) == HTTPStatus.OK


def test_metrics_are_what_prometheus_reads(app: Flask, table: HandTable) -> None:
    table.turn("R9 R10 R11 R12 R13")
    lines = app.test_client().get("/metrics").get_data(as_text=True).splitlines()
    figures = {line.split(" ")[0]: float(line.split(" ")[1]) for line in lines if not line.startswith("#")}
    assert figures['tileref_rulings_total{table="one"}'] == 1
    assert figures['tileref_table_up{table="one"}'] == 1
    kinds = {line.split(" ")[2] for line in lines if line.startswith("# TYPE")}
    assert {name.split("{")[0] for name in figures} == kinds


def test_health_says_what_is_wrong_in_words(app: Flask, table: HandTable) -> None:
    from vision.frames import CameraFault  # noqa: PLC0415

    client = app.test_client()
    assert client.get("/healthz").status_code == HTTPStatus.OK
    table.do(lambda bench: bench.live.camera(CameraFault.BLACK))
    ill = client.get("/healthz")
    assert ill.status_code == HTTPStatus.SERVICE_UNAVAILABLE
    assert ill.json is not None
    assert ill.json["causes"] == ["Table one: The camera gives black pictures. Is the lens covered, or the lamp out?"]
    table.do(lambda bench: bench.live.camera(None))
    assert client.get("/healthz").status_code == HTTPStatus.OK


def test_a_table_that_hangs_is_not_well(app: Flask, hall: Hall, table: HandTable) -> None:
    """What it showed last looks as if all were well."""
    client, running = app.test_client(), hall.tables["one"]
    held, goes_on = threading.Event(), threading.Event()

    def hang(_: Bench) -> tuple[Notice, ...]:
        held.set()
        goes_on.wait(PATIENCE_S)
        return ()

    hanging = threading.Thread(target=table.do, args=(hang,))
    hanging.start()
    assert held.wait(PATIENCE_S)
    assert client.get("/healthz").status_code == HTTPStatus.OK, "it may be looking at a frame"
    running.heard_at -= 100
    ill = client.get("/healthz")
    assert ill.status_code == HTTPStatus.SERVICE_UNAVAILABLE
    assert ill.json is not None
    told = "Table one: It has not answered for 100 s: start the program again, the game goes on."
    assert ill.json["causes"] == [told]
    goes_on.set()
    hanging.join(PATIENCE_S)
    deadline = time.monotonic() + PATIENCE_S
    while client.get("/healthz").status_code != HTTPStatus.OK:
        assert time.monotonic() < deadline


@pytest.mark.parametrize("path", ["/", "/dispute", "/tables/one/codes"])
@pytest.mark.usefixtures("table")
def test_a_code_that_no_phone_can_follow_is_told(app: Flask, referee: Referee, path: str) -> None:
    """The desk's own computer reaches the program as localhost; so does every phone itself."""
    cookie = referee.client.get_cookie(app.config["SESSION_COOKIE_NAME"])
    assert cookie is not None
    client = app.test_client(use_cookies=False)
    for host in ("localhost:8765", "127.0.0.1", "[::1]:8765", "192.168.1.7:8765", "referee.example"):
        page = client.get(path, headers={"Host": host, "Cookie": f"{cookie.key}={cookie.value}"}).text
        assert ".svg" in page
        told = f"Phones cannot follow this code, for this page was opened as <code>{host}</code>:"
        assert (told in page) is host.startswith(("localhost", "127", "[")), host


def test_a_certificate_of_our_own_is_spoken(app: Flask, tmp_path: Path) -> None:
    chain, key = local_certificate(tmp_path, "127.0.0.1")
    assert key.stat().st_mode & 0o077 == 0
    server = DashboardServer(app, "127.0.0.1", 0, (chain, key))
    thread = threading.Thread(target=server.serve, daemon=True)
    thread.start()
    trusting = ssl.create_default_context(cafile=str(chain))
    with urllib.request.urlopen(
        f"https://127.0.0.1:{server.port}/healthz", timeout=PATIENCE_S, context=trusting
    ) as response:
        assert response.status == HTTPStatus.OK
    server.stop()
    thread.join(PATIENCE_S)


def test_a_certificate_is_kept_until_it_ends_soon_or_names_too_little(tmp_path: Path) -> None:
    first = fingerprint(local_certificate(tmp_path, "127.0.0.1")[0])
    assert fingerprint(local_certificate(tmp_path, "127.0.0.1")[0]) == first
    later = datetime.now(UTC) + timedelta(days=380)
    assert fingerprint(local_certificate(tmp_path, "127.0.0.1", later)[0]) != first
    second = fingerprint(local_certificate(tmp_path, "127.0.0.1", later)[0])
    assert fingerprint(local_certificate(tmp_path, "192.0.2.7", later)[0]) != second
    (tmp_path / "dashboard" / "certificate.key").write_text("damaged", encoding="utf-8")
    chain, key = local_certificate(tmp_path, "192.0.2.7", later)
    ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(chain, key)


def test_a_folder_that_takes_no_certificate_is_told(tmp_path: Path) -> None:
    (tmp_path / "dashboard").write_text("", encoding="utf-8")
    with pytest.raises(CertificateError, match="cannot take a certificate"):
        local_certificate(tmp_path, "127.0.0.1")


def test_files_that_are_no_certificate_are_told(app: Flask, tmp_path: Path) -> None:
    (tmp_path / "x.pem").write_text("no certificate", encoding="utf-8")
    for chain in (tmp_path / "x.pem", tmp_path / "none.pem"):
        with pytest.raises(ServerError, match="no certificate with its key"):
            DashboardServer(app, "127.0.0.1", 0, (chain, chain))


def test_a_computer_whose_name_no_certificate_can_hold_has_one_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(socket, "gethostname", lambda: "Komputer-Łukasza")
    chain, key = local_certificate(tmp_path, "127.0.0.1")
    made = fingerprint(chain)
    assert fingerprint(local_certificate(tmp_path, "127.0.0.1")[0]) == made, "it is kept"
    assert key.exists()


def test_a_key_that_wants_a_password_is_told_and_asks_nobody(app: Flask, tmp_path: Path) -> None:
    """At a terminal it would be asked for, and a service would wait for ever."""
    chain, key = local_certificate(tmp_path, "127.0.0.1")
    private = serialization.load_pem_private_key(key.read_bytes(), None)
    key.write_bytes(
        private.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.BestAvailableEncryption(b"secret"),
        )
    )
    with pytest.raises(ServerError, match="are no certificate with its key"):
        DashboardServer(app, "127.0.0.1", 0, (chain, key))
