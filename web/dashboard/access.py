"""Who may do what: the referee with the PIN, a player with his seat's token, everybody else looks on.

Nothing secret is ever in a log or in an address that is sent: a seat's token stands behind the # of its address, which
browsers keep to themselves, and is exchanged for a session at the first visit.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from http import HTTPStatus

from flask import Response, current_app, request, session
from werkzeug.exceptions import Forbidden, TooManyRequests
from werkzeug.security import check_password_hash

from web.dashboard.keys import Keys
from web.tongue import say

REFEREE_S = 14 * 3600
"""A referee's session ends after so long: longer than any club evening."""
TRIES, TRIES_S = 5, 60.0
"""So many wrong PINs from one address in so many seconds, then it waits."""
ALL_TRIES = 30
"""So many from all addresses together: a PIN is short."""
_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; media-src 'self' blob:; "
    "connect-src 'self'; font-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'"
)


@dataclass
class TryLimit:
    """Counts wrong PINs, so that nobody can try them all; ``all_tries`` None: each address counts by itself."""

    clock: Callable[[], float] = time.monotonic
    all_tries: int | None = ALL_TRIES
    _wrong: dict[str, deque[float]] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def wait_s(self, address: str) -> float:
        """How long this address must wait before its next try; 0: it may try now."""
        with self._lock:
            now = self.clock()
            for key in [key for key, times in self._wrong.items() if not times or now - times[-1] > TRIES_S]:
                del self._wrong[key]
            own = [at for at in self._wrong.get(address, ()) if now - at <= TRIES_S]
            of_all = sorted(at for times in self._wrong.values() for at in times if now - at <= TRIES_S)
            waits = [0.0]
            if len(own) >= TRIES:
                waits.append(own[-TRIES] + TRIES_S - now)
            if self.all_tries is not None and len(of_all) >= self.all_tries:
                waits.append(of_all[-self.all_tries] + TRIES_S - now)
            return max(waits)

    def failed(self, address: str) -> None:
        """One more that was wrong."""
        with self._lock:
            self._wrong.setdefault(address, deque(maxlen=TRIES)).append(self.clock())


class Access:
    """The keys of this process and who has shown them; ``keys`` are read anew by nobody while it runs."""

    def __init__(self, keys: Keys, limit: TryLimit | None = None) -> None:
        self._keys, self._limit = keys, limit or TryLimit()
        self._codes = TryLimit(all_tries=None)
        """Codes are too long to be guessed: wrong ones, of however many phones, keep nobody else out."""
        self._trying = threading.Lock()
        """One PIN is tried at a time: many that come at once are no more tries than those allowed."""

    @property
    def session_key(self) -> str:
        """What sessions are signed with."""
        return self._sign("sessions")

    @property
    def cookie_name(self) -> str:
        """A browser keeps a host's cookies for all its ports: two programs there, with other keys, need two names."""
        return f"tileref-{self._sign('cookie')[:8]}"

    def sign_in(self, pin: str, address: str) -> None:
        """Make the session the referee's.  Raises ``Forbidden`` and ``TooManyRequests`` with a sentence."""
        with self._trying:
            wait_s = self._limit.wait_s(address)
            if wait_s > 0:
                raise TooManyRequests(
                    say("Too many wrong PINs: wait {seconds} s.", seconds=round(wait_s)), retry_after=int(wait_s) + 1
                )
            if not check_password_hash(self._keys.pin_hash, pin):
                self._limit.failed(address)
                raise Forbidden(say("This PIN is wrong."))
        _begin_session(referee=self._sign("referee", self._keys.pin_hash), until=time.time() + REFEREE_S)

    def is_referee(self) -> bool:
        """Whether this request comes from the referee."""
        shown, until = session.get("referee"), session.get("until", 0)
        return (
            isinstance(shown, str)
            and hmac.compare_digest(shown, self._sign("referee", self._keys.pin_hash))
            and isinstance(until, int | float)
            and time.time() < until
        )

    def seat_token(self, table: str, game: str, seat: int) -> str:
        """What the player of a seat shows once; it ends with the game."""
        return self._sign("seat", table, game, str(seat))[:32]

    def take_seat(self, table: str, game: str, seats: int, token: str) -> int:
        """Make the session that of the seat whose token this is.  Raises ``Forbidden`` and ``TooManyRequests``."""
        address = self._may_show_code("seat")
        for seat in range(seats):
            if hmac.compare_digest(self.seat_token(table, game, seat).encode(), token.encode()):
                kept = session.get("seats")
                taken = dict(kept) if isinstance(kept, dict) else {}
                taken[table] = [game, seat]
                if not session.get("referee"):
                    _begin_session()
                session["seats"] = taken
                return seat
        self._codes.failed(address)
        raise Forbidden(say("This code belongs to no seat of the game that is played now: ask for the code again."))

    def _may_show_code(self, kind: str) -> str:
        """Under what a wrong code of this request counts.  Raises ``TooManyRequests`` where there were too many."""
        address = f"{kind} {request.remote_addr}"
        wait_s = self._codes.wait_s(address)
        if wait_s > 0:
            raise TooManyRequests(
                say("Too many wrong codes: wait {seconds} s.", seconds=round(wait_s)), retry_after=int(wait_s) + 1
            )
        return address

    def camera_token(self, table: str) -> str:
        """What a phone shows that sends a table's pictures."""
        return self._sign("camera", table, self._keys.pin_hash)[:32]

    def take_camera(self, table: str, token: str) -> None:
        """Make the session that of a table's camera.  Raises ``Forbidden`` and ``TooManyRequests``."""
        address = self._may_show_code("camera")
        if not hmac.compare_digest(self.camera_token(table).encode(), token.encode()):
            self._codes.failed(address)
            raise Forbidden(say("This code belongs to no table here: ask for the code again."))
        if not session.get("referee"):
            _begin_session()
        session["camera"] = {table: token}

    def is_camera(self, table: str) -> bool:
        """Whether this request may send pictures of a table."""
        shown = session.get("camera")
        token = shown.get(table) if isinstance(shown, dict) else None
        return isinstance(token, str) and hmac.compare_digest(token.encode(), self.camera_token(table).encode())

    def seat_of(self, table: str, game: str) -> int | None:
        """The seat that this request's session has at a table, while that game is played."""
        seats = session.get("seats")
        taken = seats.get(table) if isinstance(seats, dict) else None
        if not (isinstance(taken, list) and len(taken) == 2 and taken[0] == game and isinstance(taken[1], int)):
            return None
        return taken[1]

    def _sign(self, *parts: str) -> str:
        return hmac.new(self._keys.secret, "\0".join(parts).encode(), hashlib.sha256).hexdigest()


def access() -> Access:
    """The keys of the application that answers."""
    kept = current_app.extensions["access"]
    if not isinstance(kept, Access):
        raise TypeError("the application has no keys")
    return kept


def need_referee() -> None:
    """Raises ``Forbidden`` where the request does not come from the referee."""
    if not access().is_referee():
        raise Forbidden(say("Only the referee may do this: sign in with the PIN."))


def _begin_session(**told: object) -> None:
    """A session begins: nothing of an older one stays but the seats, the camera, the disputes and the language."""
    kept = {key: session[key] for key in ("seats", "camera", "disputes", "language") if key in session}
    session.clear()
    session.update(kept)
    session.update(told)
    session.permanent = True
    csrf_token()


def sign_out() -> None:
    """Forget everything that this session could do."""
    language = session.get("language")
    session.clear()
    if language:
        session["language"] = language


def csrf_token() -> str:
    """What a page sends back with everything that changes something (X-CSRF-Token, or the field ``csrf`` of a form)."""
    token = session.get("csrf")
    if not isinstance(token, str):
        token = session["csrf"] = secrets.token_urlsafe(18)
    return token


WITHOUT_CSRF = frozenset({"api.sign_in", "api.take_seat", "api.take_camera"})
"""What begins a session, and takes JSON alone: no page of another site can send that."""


def check_origin() -> None:
    """Before each request: another site's page changes nothing here.  Raises ``Forbidden``."""
    if request.method in _SAFE or request.endpoint is None:
        return
    origin = request.headers.get("Origin")
    if origin is not None and origin.rstrip("/") != request.host_url.rstrip("/"):
        raise Forbidden(say("This was sent by a page of another site."))
    if request.endpoint in WITHOUT_CSRF:
        if request.mimetype != "application/json":
            raise Forbidden(say("This takes JSON alone: Content-Type: application/json."))
        return
    shown = request.headers.get("X-CSRF-Token") or request.form.get("csrf") or ""
    kept = session.get("csrf")
    if not isinstance(kept, str) or not hmac.compare_digest(kept.encode(), shown.encode()):
        raise Forbidden(say("This page is too old: load it again, then try once more."))


def add_headers(response: Response) -> Response:
    """After each request: what browsers may do with the answer."""
    headers = response.headers
    headers.setdefault("Content-Security-Policy", CSP)
    headers["X-Content-Type-Options"] = "nosniff"
    headers["X-Frame-Options"] = "DENY"
    headers["Referrer-Policy"] = "same-origin"  # without any, browsers hide where our own forms come from
    headers["Cross-Origin-Opener-Policy"] = "same-origin"
    headers["Cross-Origin-Resource-Policy"] = "same-origin"
    headers["Permissions-Policy"] = "camera=(self), microphone=(), geolocation=(), payment=(), usb=()"
    if request.endpoint != "static":
        headers.setdefault("Cache-Control", "no-store")
    if response.status_code == HTTPStatus.NO_CONTENT:
        response.headers.pop("Content-Type", None)
    return response
