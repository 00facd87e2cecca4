"""The tables that this process runs, and what they share: the eyes, the folder where everything is kept."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from referee.ruleset import RuleSet
from referee.told import ToldError
from vision.feeds import PushedFeed
from web import box_store
from web.dashboard.running import Drive, RunningTable, Said, Snapshot
from web.dashboard.webhook import Webhook
from web.files import cause
from web.wiring import Eyes, EyesError, Wiring

if TYPE_CHECKING:
    from vision.taught.box import TaughtBox

LEAVE_S = 10.0
"""A table's thread is given so long to leave: the eyes may be in the middle of a look, a disk of a write."""


class HallError(ToldError):
    """A table cannot be opened; one sentence."""


def taught_box(name: str) -> TaughtBox:
    """A box that was taught on this computer.  Raises ``EyesError``."""
    _taught_at(name)  # says that there is none
    try:
        return box_store.load(name)
    except box_store.BoxStoreError as error:
        raise EyesError.of(error) from error


def _taught_at(name: str) -> int:
    """When a box was taught, in nanoseconds.  Raises ``EyesError`` where there is no such box."""
    try:
        return box_store.path_of(name).stat().st_mtime_ns
    except FileNotFoundError as error:
        raise EyesError("No box is called {name}: tileref box list names those at hand.", name=name) from error
    except OSError as error:
        raise EyesError("The box {name} cannot be read: {cause}.", name=name, cause=cause(error)) from error
    except box_store.BoxStoreError as error:
        raise EyesError.of(error) from error


@dataclass
class Hall:
    """All tables of a process by their names, which stand in addresses: small letters, digits and hyphens.

    ``home`` is the folder of everything that is kept, ``database`` the address of the games' store.  ``ruleset`` is
    what a table is played by where nobody chose another.  ``pin_shown`` is the PIN of a demonstration, which everybody
    may know; empty for a real one.  ``webhook`` is told what tables say.
    """

    home: Path
    database: str
    wiring: Wiring
    ruleset: RuleSet
    pin_shown: str = ""
    wall: Callable[[], float] = time.time
    webhook: Webhook | None = None
    _tables: dict[str, RunningTable] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    opening: threading.RLock = field(default_factory=threading.RLock)
    """Held by whoever opens a table: of two who would do so at once, one waits for the other."""
    _eyes_lock: threading.Lock = field(default_factory=threading.Lock)
    _eyes: Eyes | None = None
    _box_eyes: dict[str, tuple[int, Eyes]] = field(default_factory=dict)
    """By the box that they know, with when it was taught."""

    def eyes(self) -> Eyes:
        """The eyes, loaded once for all tables and photos.  Raises ``EyesError``."""
        with self._eyes_lock:
            if self._eyes is None:
                self._eyes = self.wiring.load_eyes()
            return self._eyes

    def box_names(self) -> tuple[str, ...]:
        """The boxes that were taught on this computer; none where their folder cannot be opened."""
        try:
            return box_store.names()
        except box_store.BoxStoreError:
            return ()

    def eyes_for_box(self, name: str) -> Eyes:
        """Eyes that know a taught box, loaded once until it is taught anew.  Raises ``EyesError``."""
        with self._eyes_lock:
            taught_at = _taught_at(name)
            known = self._box_eyes.get(name)
            if known is None or known[0] != taught_at:
                known = taught_at, self.wiring.knowing(taught_box(name)).load_eyes()
                self._box_eyes[name] = known
            return known[1]

    @property
    def evidence(self) -> Path:
        """Where the evidence of all games lies, a folder each."""
        return self.home / "evidence"

    @property
    def tables(self) -> dict[str, RunningTable]:
        """All tables by name, as they were opened."""
        with self._lock:
            return dict(self._tables)

    def table(self, name: str) -> RunningTable | None:
        """The table of a name."""
        with self._lock:
            return self._tables.get(name)

    def open(self, name: str, drive: Drive, source: str, pushed: PushedFeed | None = None) -> RunningTable:
        """Run a table; one of the same name is closed first.  Raises ``HallError`` where that one does not leave.

        ``pushed`` takes the pictures that a browser sends.
        """
        with self.opening:
            before = self.table(name)
            if before is not None:
                before.close()
                if not before.join(LEAVE_S):
                    raise HallError("The table {table} is still busy: try again in a moment.", table=name)
            running = RunningTable(name, drive, source, self._tell)
            running.pushed = pushed
            with self._lock:
                self._tables[name] = running
            running.start()
            return running

    def _tell(self, table: str, snapshot: Snapshot, said: tuple[Said, ...]) -> None:
        if self.webhook is not None:
            self.webhook.tell(table, snapshot, said)

    def close(self) -> bool:
        """Close all tables; whether all of them have left."""
        tables = self.tables.values()
        for table in tables:
            table.close()
        return min([table.join(LEAVE_S) for table in tables], default=True)  # each is waited for
