"""What tables say, sent to another program's address as it happens: POST of {"table", "seq", "notices"} in JSON.

Nobody waits for the other program: what it does not take in time is dropped and counted, and it is tried again only
with what happens later.
"""

from __future__ import annotations

import json
import sys
import threading
import urllib.error
import urllib.request
from http.client import HTTPException
from queue import Empty, Full, Queue
from urllib.parse import urlsplit

from referee.told import Told, telling
from web.dashboard.running import Said, Snapshot
from web.dashboard.view_json import notices_json, words_for
from web.report_json import Json

MOST_WAITING = 64
TIMEOUT_S = 5.0


class WebhookError(ValueError):
    """The address cannot be used; one sentence."""


class Webhook:
    """Sends to one address, on a thread of its own, as a spectator would be told."""

    def __init__(self, address: str) -> None:
        """Raises ``WebhookError``."""
        host = _host(address)
        if host is None:
            raise WebhookError(f"{address} is no address that takes events: expected http://... or https://...")
        self._address, self._shown = address, host
        self._waiting: Queue[Json] = Queue(MOST_WAITING)
        self._closing = threading.Event()
        self.trouble: Told | None = None
        """Why the last that was sent was not taken."""
        self.dropped = 0
        self.sent = 0
        self._thread = threading.Thread(target=self._work, name="webhook", daemon=True)
        self._thread.start()

    def tell(self, table: str, snapshot: Snapshot, said: tuple[Said, ...]) -> None:
        """Send what a table said, soon."""
        if not said or snapshot.ruleset is None:
            return
        told = notices_json(said, words_for(snapshot.ruleset, snapshot.view), referee=False)
        if not told:
            return
        try:
            self._waiting.put_nowait({"table": table, "seq": said[-1].seq, "notices": told})
        except Full:
            self.dropped += 1

    def close(self) -> None:
        """Send no more."""
        self._closing.set()
        self._thread.join(2 * TIMEOUT_S)

    def _work(self) -> None:
        while not self._closing.is_set():
            try:
                body = self._waiting.get(timeout=0.2)
            except Empty:
                continue
            self._send(json.dumps(body, ensure_ascii=False).encode())

    def _send(self, body: bytes) -> None:
        request = urllib.request.Request(  # noqa: S310  http and https alone, as looked at above
            self._address, body, {"Content-Type": "application/json"}, method="POST"
        )
        try:
            with urllib.request.urlopen(request, timeout=TIMEOUT_S) as response:  # noqa: S310  as above
                response.read(1)
        except (OSError, ValueError, HTTPException) as error:
            self.dropped += 1
            if self.trouble is None:  # said once until it goes again: the address itself may hold a secret
                print(f"tileref: {self._shown} takes no events: {_why(error)}.", file=sys.stderr)
            self.trouble = _why(error)
            return
        self.sent += 1
        self.trouble = None


def _host(address: str) -> str | None:
    """The host of an address that events may be sent to; None: it is no such address."""
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError:  # brackets that do not close, a port that is no number
        return None
    well = parts.scheme in {"http", "https"} and port != 0 and address.isascii() and address.isprintable()
    return parts.hostname if well and " " not in address else None


def _why(error: OSError | ValueError | HTTPException) -> Told:
    if isinstance(error, HTTPException):
        return telling("what it answers is no HTTP")
    if isinstance(error, urllib.error.HTTPError):
        return telling("it answers {status}", status=error.code)
    reason = error.reason if isinstance(error, urllib.error.URLError) else error
    return Told(str(getattr(reason, "strerror", None) or reason).lower())
