"""How the dashboard bears an evening of viewers: 30 browsers poll it while a simulated game is refereed.

    python -m tests.measure.load [--viewers 30] [--minutes 3]

``tileref serve --demo`` runs as a process of its own, with its camera, the real eyes and the real referee; a second
process asks over loopback as the pages do: the same addresses, the same pauses between an answer and the next question,
one connection each; desks fetch each new live picture too.  The same game is played four times, alone, watched,
watched and alone, so that a machine that grows warm or busy favours nobody, and the same calls are compared.  Viewers
and referee share the machine, which is harder than phones of their own.

Exit status 1 where p95 of an update is not under 150 ms, rulings are more than 10 % slower in the median, or a request
failed.
"""

from __future__ import annotations

import contextlib
import json
import multiprocessing
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException
from multiprocessing.connection import Connection
from random import Random
from typing import Any

import click

from tests.conftest import REPOSITORY
from tests.measure.load_figures import Asked, Waits, compared, promises, table, waits

SERVE = (sys.executable, "-P", "-c", "from web.start import main; main()", "serve", "--demo", "--port", "0")
TABLE = "demo"
PIN = "load-test"
PATIENCE_S = 60.0
START_S = 180.0
"""The eyes are loaded within this, and the first game begins."""
LISTEN_S = 2.0
"""So often the measuring itself asks what was said: it keeps hundreds of notices."""


@dataclass(frozen=True, slots=True)
class Page:
    """A kind of page that somebody has open: how long it waits between an answer and its next question."""

    kind: str
    every_s: float
    referee: bool = False


SCREEN, SEAT, DESK = Page("screen", 0.8), Page("seat", 0.7), Page("desk", 0.5, referee=True)
"""As ``static/js`` has it: screen.js, seat.js, and poll.js for the desk."""


def mixture(viewers: int) -> list[Page]:
    """Who looks on at a club evening: one in ten is a referee's desk, a quarter are players, the others spectators."""
    desks, seats = max(1, viewers // 10), viewers // 4
    return [DESK] * min(desks, viewers) + [SEAT] * seats + [SCREEN] * max(0, viewers - desks - seats)


class Viewer:
    """One browser with one page open, and one connection that it keeps."""

    def __init__(self, page: Page, address: tuple[str, int], name: str, cookie: str) -> None:
        self.page, self.asked = page, list[Asked]()
        self._address, self._base = address, f"/api/v1/tables/{name}"
        self._headers = {"Accept": "application/json", **({"Cookie": cookie} if page.referee else {})}
        self._connection: HTTPConnection | None = None
        self._after = self._picture = 0

    def update(self) -> None:
        """Ask what is new, and fetch the picture where there is another one."""
        told = self._ask(self.page.kind, f"{self._base}/events?after={self._after}")
        if not told:
            return
        news = json.loads(told)
        self._after = news["seq"]
        number = news.get("picture", {}).get("number", self._picture)
        if number != self._picture:
            self._picture = number
            self._ask("picture", f"{self._base}/picture.jpg?seq={number}")

    def watch(self, stop: threading.Event, begins_s: float) -> None:
        """Update until told to stop, once at least."""
        stop.wait(begins_s)
        self.update()
        while not stop.wait(self.page.every_s):
            self.update()
        self.leave()

    def leave(self) -> None:
        """Close the connection."""
        if self._connection is not None:
            self._connection.close()

    def _ask(self, kind: str, path: str) -> bytes:
        began = time.perf_counter()
        told, status = b"", 0
        try:
            if self._connection is None:
                self._connection = HTTPConnection(*self._address, timeout=PATIENCE_S)
            self._connection.request("GET", path, headers=self._headers)
            response = self._connection.getresponse()
            told, status = response.read(), response.status
        except (OSError, HTTPException):
            self.leave()
            self._connection = None
        self.asked.append(Asked(kind, time.perf_counter() - began, status in {200, 204}, bool(told)))
        return told if status == 200 else b""


def watch_all(pages: Sequence[Page], address: tuple[str, int], name: str, cookie: str, line: Connection) -> None:
    """All viewers, until anything comes over the line; what they asked goes back over it."""
    stop, chance = threading.Event(), Random(1)
    viewers = [Viewer(page, address, name, cookie) for page in pages]
    threads = [
        threading.Thread(target=one.watch, args=(stop, chance.uniform(0, one.page.every_s))) for one in viewers
    ]
    for thread in threads:
        thread.start()
    line.recv()
    stop.set()
    for thread in threads:
        thread.join()
    line.send([asked for one in viewers for asked in one.asked])


@contextlib.contextmanager
def watched(
    pages: Sequence[Page], address: tuple[str, int], name: str, cookie: str, into: list[Asked]
) -> Iterator[None]:
    """Viewers in a process of their own while the block runs; what they asked is added to ``into``."""
    spawn = multiprocessing.get_context("spawn")
    own, other = spawn.Pipe()
    process = spawn.Process(target=watch_all, args=(pages, address, name, cookie, other), daemon=True)
    process.start()
    try:
        yield
        own.send(None)
        into += own.recv()
        process.join(PATIENCE_S)
    finally:
        process.kill()
        process.join()


class Served:
    """A demonstration that runs."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        said = ""
        for line in process.stdout or ():
            said += line
            if line.startswith("Ctrl-C"):
                break
        found = re.search(r"http://localhost:(\d+)/", said)
        if found is None:
            raise click.ClickException(f"The dashboard does not start: {said.strip() or process.wait()}")
        self.address = ("127.0.0.1", int(found[1]))
        self.cookie = self._signed_in()
        self._after = 0
        self.notices: list[dict[str, Any]] = []

    def _request(self, method: str, path: str, body: object = None, cookie: str = "") -> tuple[str, bytes]:
        with contextlib.closing(HTTPConnection(*self.address, timeout=PATIENCE_S)) as connection:
            sent = None if body is None else json.dumps(body)
            connection.request(method, path, sent, {"Content-Type": "application/json", "Cookie": cookie})
            response = connection.getresponse()
            return response.getheader("Set-Cookie", ""), response.read()

    def _signed_in(self) -> str:
        cookie, _ = self._request("POST", "/api/v1/session", {"pin": PIN})
        return cookie.split(";")[0]

    def listen(self) -> None:
        """Hear what was said at the table since."""
        path = f"/api/v1/tables/{TABLE}/events?after={self._after}"
        _, told = self._request("GET", path, cookie=self.cookie)
        if told:
            news = json.loads(told)
            self._after = news["seq"]
            self.notices += news["notices"]

    def wait_for_game(self) -> None:
        """Until the first turn begins."""
        gives_up = time.monotonic() + START_S
        while not any(notice["code"] == "turn" for notice in self.notices):
            if time.monotonic() > gives_up or self._process.poll() is not None:
                raise click.ClickException("No game begins.")
            time.sleep(0.2)
            self.listen()


@contextlib.contextmanager
def demonstration() -> Iterator[Served]:
    """``tileref serve --demo`` as a process of its own."""
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
    process = subprocess.Popen([*SERVE, "--pin", PIN], stdout=subprocess.PIPE, text=True, env=environment)
    try:
        yield Served(process)
    finally:
        process.terminate()
        try:
            process.communicate(timeout=PATIENCE_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()


def run(pages: Sequence[Page], seconds: float, into: list[Asked]) -> Waits:
    """The game from its beginning for so long, watched by these pages; how long its calls waited."""
    with demonstration() as served, contextlib.ExitStack() as stack:
        served.wait_for_game()
        if pages:
            stack.enter_context(watched(pages, served.address, TABLE, served.cookie, into))
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            time.sleep(min(LISTEN_S, left))
            served.listen()
        return waits(served.notices)


@click.command()
@click.option("--viewers", default=30, show_default=True, type=click.IntRange(1, 500))
@click.option("--minutes", default=3.0, show_default=True, type=click.FloatRange(0.1, 600),
              help="How long it is watched; it is played alone as long.")  # fmt: skip
def main(viewers: int, minutes: float) -> None:
    """Measure it, and print a table."""
    pages, asked = mixture(viewers), list[Asked]()
    alone, with_viewers = list[Waits](), list[Waits]()
    for number, is_watched in enumerate((False, True, True, False), 1):
        found = run(pages if is_watched else (), 30 * minutes, asked)
        (with_viewers if is_watched else alone).append(found)
        click.echo(f"run {number} of 4, {'watched' if is_watched else 'alone'}: {len(found)} calls were ruled on")
    for line in table(asked):
        click.echo(line)
    kept = promises(asked, compared(alone, with_viewers))
    for is_kept, told in kept:
        click.echo(f"{'kept' if is_kept else 'BROKEN'}: {told}")
    sys.exit(not all(is_kept for is_kept, _ in kept))


if __name__ == "__main__":
    main()
