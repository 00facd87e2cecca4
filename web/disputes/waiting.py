"""Photos that wait to be looked at: one after another, because the eyes take all that a small computer has."""

from __future__ import annotations

from collections.abc import Callable
from threading import Condition, Thread

MOST_WAITING = 8
"""At two to five seconds a photo nobody waits longer than a minute."""


class FullError(Exception):
    """So many photos wait that another would wait too long."""


class WaitingLine:
    """Keys of disputes in the order they came; a thread of its own does ``work`` on each.

    ``work`` must not raise: what goes wrong with a photo it writes into its case.
    """

    def __init__(self, work: Callable[[str], None], most: int = MOST_WAITING) -> None:
        self._work = work
        self._most = most
        self._line: list[str] = []
        self._changed = Condition()
        self._closed = False
        self._thread: Thread | None = None

    def check_room(self) -> None:
        """Raise ``FullError`` where nothing more can wait."""
        with self._changed:
            self._check_room()

    def add(self, key: str) -> None:
        """Put a dispute at the end of the line.  Raises ``FullError``."""
        with self._changed:
            self._check_room()
            self._line.append(key)
            if self._thread is None:
                self._thread = Thread(target=self._run, name="disputes", daemon=True)
                self._thread.start()
            self._changed.notify_all()

    def before(self, key: str) -> int | None:
        """How many are looked at before this one; None where it does not wait (any longer)."""
        with self._changed:
            return self._line.index(key) if key in self._line else None

    def wait_until_empty(self, timeout_s: float) -> bool:
        """Wait until nothing waits and nothing is looked at; whether that came true in time."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._line, timeout_s)

    def close(self) -> None:
        """End the thread once the photo in hand is done; the others stay on the shelf and wait for the next start."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        if self._thread is not None:
            self._thread.join()

    def _check_room(self) -> None:
        if self._closed or len(self._line) >= self._most:
            raise FullError

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._closed or self._line)
                if self._closed:
                    return
                key = self._line[0]
            try:
                self._work(key)
            finally:
                with self._changed:
                    self._line.remove(key)
                    self._changed.notify_all()
