"""The work of ``tileref serve``: tables are opened, the dashboard is served, all of it is closed again."""

from __future__ import annotations

import contextlib
import signal
import tempfile
import threading
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from types import FrameType

from referee.ruleset import RuleSet
from web.command import BadInput
from web.dashboard.app import create_app
from web.dashboard.certificate import CertificateError, addresses, fingerprint, local_certificate
from web.dashboard.demo import demo
from web.dashboard.hall import Hall, HallError
from web.dashboard.keys import Keys, KeysError, keys_at, keys_for, new_pin
from web.dashboard.server import DashboardServer, ServerError
from web.dashboard.table_book import BookedTable, booked, new_game
from web.dashboard.tables import leave_closed, open_table
from web.dashboard.webhook import Webhook, WebhookError
from web.evidence.retention import let_go_as_set
from web.exit_status import OK
from web.files import cause
from web.home import HomeError, data_home
from web.output import print_result
from web.wiring import Wiring

LOCAL = ("127.0.0.1", "localhost", "::1")


@dataclass(frozen=True, slots=True)
class Asked:
    """What the options said."""

    host: str
    port: int
    demo: bool
    sources: tuple[str, ...]
    players: tuple[str, ...]
    game: str | None
    rules: str
    tls: bool
    certificate: tuple[Path, Path] | None
    webhook: str | None
    minutes: float | None
    pin: str | None


def serve_dashboard(asked: Asked, ruleset: RuleSet, wiring: Wiring) -> int:
    """Serve until somebody ends it; the exit status.  Raises ``BadInput``, ``EyesError`` and ``OutputError``."""
    with contextlib.ExitStack() as stack:
        home = _home(asked, stack)
        keys, told = _keys(asked, home)
        hall = Hall(home, f"sqlite:///{home / 'games.db'}", wiring, ruleset, pin_shown=told or "" if asked.demo else "")
        hosts = ("localhost", "127.0.0.1", "[::1]") if asked.host in LOCAL else ()
        try:
            certificate = local_certificate(home, asked.host) if asked.tls else asked.certificate
            app = create_app(hall, keys, secure=certificate is not None, hosts=hosts)
            if asked.webhook is not None:
                hall.webhook = Webhook(asked.webhook)
                stack.callback(hall.webhook.close)
            server = DashboardServer(app, asked.host, asked.port, certificate)  # its threads run from now on
        except (CertificateError, ServerError, WebhookError) as error:
            raise BadInput(str(error)) from error
        stack.callback(hall.close)
        stack.callback(app.extensions["disputes"].close)
        if asked.demo:
            hall.open("demo", demo(hall), "a simulated table")
        else:
            _open_tables(hall, asked)
        _tell(server, told, asked, certificate)
        with _ended_by_signals(server, asked.minutes):
            server.serve()
    return OK


def _home(asked: Asked, stack: contextlib.ExitStack) -> Path:
    """Where everything is kept; a demonstration leaves nothing behind."""
    if asked.demo:
        return Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="tileref-demo-")))
    try:
        home = data_home()
        home.mkdir(parents=True, exist_ok=True)
    except HomeError as error:
        raise BadInput(str(error)) from error
    except OSError as error:
        raise BadInput(f"{home} cannot be made: {cause(error)}.") from error
    return home


def _keys(asked: Asked, home: Path) -> tuple[Keys, str | None]:
    if asked.demo:
        pin = asked.pin or new_pin()
        return keys_for(pin), pin
    try:
        return keys_at(home, asked.pin)
    except KeysError as error:
        raise BadInput(str(error)) from error


def _open_tables(hall: Hall, asked: Asked) -> None:
    """The tables that were asked for, else those that were open the last time; each goes on with its game.

    Old pictures are let go first, as the setting says.
    """
    let_go_as_set(hall.evidence, hall.home, hall.wall)
    kept = booked(hall.home)
    tables = [BookedTable(str(number), source, asked.rules, "") for number, source in enumerate(asked.sources, 1)]
    for table in tables or [table for table in kept.values() if table.was_open]:
        before = kept.get(table.name)
        if before is not None and before.source == table.source and table.rules in {"", before.rules}:
            opened = replace(before, was_open=True)  # with the rules and the box that the set-up page chose
        else:
            opened = replace(table, game=new_game(hall.wall(), table.name))
        try:
            open_table(hall, replace(opened, game=asked.game or opened.game), asked.players)
        except HallError as error:
            raise BadInput(str(error)) from error
    if tables:
        leave_closed(hall, frozenset(table.name for table in tables))


def _tell(server: DashboardServer, pin: str | None, asked: Asked, certificate: tuple[Path, Path] | None) -> None:
    scheme = "http" if certificate is None else "https"
    for name in ("localhost",) if asked.host in LOCAL else addresses(asked.host):
        print_result(f"The dashboard is at {scheme}://{f'[{name}]' if ':' in name else name}:{server.port}/")
    if asked.tls and certificate is not None:
        print_result(
            "Browsers warn once, as nobody vouches for this certificate but this computer: choose 'Advanced', then go "
            f"on; its SHA-256 is {fingerprint(certificate[0])}."
        )
    if asked.demo:
        print_result(f"A simulated game begins by itself; the referee's PIN of this demonstration is {pin}.")
    elif pin is not None:
        print_result(f"The referee's PIN is {pin}: note it, it is not shown again (--pin sets another).")
    goes_on = "its games are gone then" if asked.demo else "games that were begun go on at the next start"
    print_result(f"Ctrl-C ends it; {goes_on}.")


@contextlib.contextmanager
def _ended_by_signals(server: DashboardServer, minutes: float | None) -> Iterator[None]:
    """SIGTERM and Ctrl-C end serving in order, and so does the time that was asked for."""
    ended = threading.Event()

    def end(_number: int, _frame: FrameType | None) -> None:
        ended.set()

    def wait() -> None:
        ended.wait(None if minutes is None else 60 * minutes)
        server.stop()

    before = {number: signal.signal(number, end) for number in (signal.SIGINT, signal.SIGTERM)}
    thread = threading.Thread(target=wait, name="end", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
        for number, handler in before.items():
            signal.signal(number, handler)
