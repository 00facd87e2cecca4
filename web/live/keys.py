"""Where orders come from: single keys of a terminal, or lines of a file or a pipe."""

from __future__ import annotations

import codecs
import contextlib
import os
import queue
import select
import sys
import threading
from collections.abc import Iterable, Iterator
from typing import Protocol, TextIO

from web.live.script import KEY_ORDERS

_ENTER = {"\r", "\n"}
_ERASE = {"\x7f", "\b"}
_ESCAPE = "\x1b"


class OrderSource(Protocol):
    """Gives orders as lines, one after the other."""

    def poll(self) -> str | None:
        """The next order, None where there is none just now."""

    @property
    def ended(self) -> bool:
        """Whether none will ever come."""


class Lines:
    """Lines that are all there already."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._lines = list(lines)

    def poll(self) -> str | None:
        return self._lines.pop(0) if self._lines else None

    @property
    def ended(self) -> bool:
        return not self._lines


class PipedLines:
    """Lines of a pipe, read on a thread so that nobody waits for them."""

    def __init__(self, stream: TextIO) -> None:
        self._queue: queue.Queue[str | None] = queue.Queue()
        self._over = False
        self._next: str | None = None
        threading.Thread(target=self._read, args=(stream,), name="orders", daemon=True).start()

    def _read(self, stream: TextIO) -> None:
        with contextlib.suppress(OSError, ValueError):
            for line in stream:
                self._queue.put(line)
        self._queue.put(None)

    def poll(self) -> str | None:
        with contextlib.suppress(queue.Empty):
            line = self._queue.get_nowait()
            self._over = line is None
            return line
        return None

    @property
    def ended(self) -> bool:
        return self._over


class KeyReader:
    """Turns single keys into orders; a digit waits for the second one, ``o`` for ``l`` or ``i``, ``:`` for a line.

    ``stills``: enter is the next still of a folder.
    """

    def __init__(self, *, stills: bool = False) -> None:
        self._stills = stills
        self._typed: str | None = None
        self._before = ""
        self.echo = ""
        """What to show of what was typed since it was taken last."""

    def key(self, key: str) -> str | None:
        """One key; the order that it completes, if any."""
        if self._typed is not None:
            return self._letter(key)
        before, self._before = self._before, ""
        if before.isdigit() and key.isdigit():
            return f"{before} {key}"
        if before == "o" and key in {"l", "i"}:
            return "legal" if key == "l" else "illegal"
        if key.isdigit() or key == "o":
            self._before = key
            return None
        if key == ":":
            self._typed, self.echo = "", ":"
            return None
        if key in _ENTER and self._stills:
            return "next"
        return KEY_ORDERS.get(key)

    def _letter(self, key: str) -> str | None:
        typed = self._typed or ""
        if key in _ENTER:
            self._typed, self.echo = None, "\n"
            return typed or None
        if key == _ESCAPE:
            self._typed, self.echo = None, "\n"
        elif key in _ERASE:
            self._typed, self.echo = typed[:-1], "\b \b" if typed else ""
        elif key.isprintable():
            self._typed, self.echo = typed + key, key
        return None


class Keyboard:
    """The keys of a terminal, read without waiting."""

    def __init__(self, reader: KeyReader) -> None:
        self._reader = reader
        self._letters = codecs.getincrementaldecoder("utf-8")("replace")

    def poll(self) -> str | None:
        while (key := self._key()) is not None:
            order = self._reader.key(key)
            if self._reader.echo:
                sys.stderr.write(self._reader.echo)
                sys.stderr.flush()
                self._reader.echo = ""
            if order is not None:
                return order
        return None

    @property
    def ended(self) -> bool:
        return False

    def _key(self) -> str | None:
        if sys.platform == "win32":
            import msvcrt  # noqa: PLC0415  there alone

            return msvcrt.getwch() if msvcrt.kbhit() else None
        while select.select([sys.stdin], [], [], 0)[0]:
            data = os.read(sys.stdin.fileno(), 1)
            if not data:
                return "\x04"
            if letter := self._letters.decode(data):  # one of several bytes gives none yet
                return letter
        return None


@contextlib.contextmanager
def single_keys() -> Iterator[None]:
    """The terminal gives each key at once and does not show it; afterwards it is as it was."""
    if sys.platform == "win32":
        yield
        return
    import termios  # noqa: PLC0415  not on Windows
    import tty  # noqa: PLC0415

    handle = sys.stdin.fileno()
    kept = termios.tcgetattr(handle)
    try:
        tty.setcbreak(handle)
        yield
    finally:
        termios.tcsetattr(handle, termios.TCSADRAIN, kept)
