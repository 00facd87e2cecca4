"""One live table on a thread of its own: it looks and obeys, and publishes what everybody else may read at once.

A reader never waits for the eyes: it takes the last ``Snapshot``, which never changes.  Whoever asks something of the
table waits until the table's thread has carried it out between two frames.
"""

from __future__ import annotations

import sys
import threading
import time
import traceback
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeoutError
from dataclasses import dataclass, replace
from queue import Empty, Full, Queue
from typing import TYPE_CHECKING

from referee.ruleset import RuleSet
from referee.told import NOTHING, Told, telling
from vision.feeds import PushedFeed
from vision.frames import Frame
from web.dashboard.picture import Picture
from web.evidence.turn import Shot
from web.live.acts import Act
from web.live.notices import Notice, NoticeCode
from web.live.table import LiveTable
from web.live.view import LiveView

if TYPE_CHECKING:
    from referee.game.state import State
    from web.dashboard.table_camera import TableCamera

KEPT_NOTICES = 200
"""So many of the last notices are told to whoever comes late."""
PICTURE_EVERY_S = 0.4
"""The live picture is renewed so often at most: readers send for each new one."""
DRIFT_S = 0.6
"""A clock that is off by so much from what readers reckon is told anew."""
WAITING_ACTS = 32
"""So many acts may wait for the table's thread."""


class TableClosedError(Exception):
    """The table is not run any more, or its thread must leave."""


class TableBusyError(Exception):
    """The table did not answer in time, and nothing was changed."""


@dataclass(frozen=True, slots=True)
class Said:
    """One notice with its number, which grows from notice to notice over all games of a table."""

    seq: int
    notice: Notice


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What is known of a table at one instant.

    ``seq`` grows whenever anything changes: ``view_seq`` is its value when the view changed last, ``picture`` that of
    the picture, 0 before the first one.  ``made_at`` is when the view was made (``time.monotonic``), ``seen`` and
    ``dropped`` count frames, ``rulings`` turns that were ruled on.  ``view`` is None while no game is played, and
    ``trouble`` may say why.
    """

    seq: int
    view_seq: int = 0
    view: LiveView | None = None
    ruleset: RuleSet | None = None
    state: State | None = None
    made_at: float = 0.0
    notices: tuple[Said, ...] = ()
    picture: Picture | None = None
    frame: Frame | None = None
    former: Shot | None = None
    seen: int = 0
    dropped: int = 0
    rulings: int = 0
    source: str = ""
    trouble: Told = NOTHING
    ended: bool = False


@dataclass(frozen=True, slots=True)
class _Asked:
    work: Callable[[], Sequence[Notice]]
    answer: Future[tuple[Said, ...]]


Drive = Callable[["RunningTable"], None]
Listener = Callable[[str, Snapshot, tuple[Said, ...]], None]
"""Is told the table's name, the new snapshot and what was said, on the table's thread: it must not wait."""


def _nobody(name: str, snapshot: Snapshot, said: tuple[Said, ...]) -> None:
    """Nobody listens."""


class RunningTable:
    """A table that ``drive`` plays on in a thread; all methods below the line are for that thread alone.

    ``drive`` returns when the table is over, and must let ``TableClosedError`` through.  ``source`` is where the
    frames come from, for people.
    """

    def __init__(self, name: str, drive: Drive, source: str = "", listener: Listener = _nobody) -> None:
        self.name = name
        self._listener = listener
        self.pushed: PushedFeed | None = None
        """Takes the pictures that a browser sends; None where the table has a camera of its own."""
        self.camera: TableCamera | None = None
        """What may be asked of the table's camera; None while there is none."""
        self.heard_at = time.monotonic()
        """When the table's thread was ready to obey last: while it looks at a frame, it is not."""
        self._drive = drive
        self._asked: Queue[_Asked] = Queue(WAITING_ACTS)
        self._closing = threading.Event()
        self._live: LiveTable | None = None
        self._ruleset: RuleSet | None = None
        self._frame_shown_at = float("-inf")
        # milliseconds since the epoch: the numbers of a program that was started again go on from those before
        self._snapshot = Snapshot(seq=int(time.time() * 1000), source=source)
        self._thread = threading.Thread(target=self._run, name=f"table {name}", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def close(self) -> None:
        """Ask the thread to leave."""
        self._closing.set()

    def join(self, timeout_s: float) -> bool:
        """Wait for the thread to have left; whether it has."""
        if self._thread.ident is not None:
            self._thread.join(timeout_s)
        return not self._thread.is_alive()

    @property
    def snapshot(self) -> Snapshot:
        """What is known just now."""
        return self._snapshot

    def ask(self, act: Act, timeout_s: float) -> tuple[Said, ...]:
        """Have an act carried out; what was said to it, a refusal too.

        Raises ``TableBusyError`` where the table does not answer in time, ``TableClosedError`` where it is over.
        """
        return self._asked_for(lambda: () if self._live is None else self._live.do(act), timeout_s)

    def call(self, work: Callable[[], None], timeout_s: float) -> None:
        """Have something else done on the table's thread, between two frames; raises as ``ask`` does."""

        def silently() -> tuple[Notice, ...]:
            work()
            return ()

        self._asked_for(silently, timeout_s)

    def _asked_for(self, work: Callable[[], Sequence[Notice]], timeout_s: float) -> tuple[Said, ...]:
        if self._closing.is_set() or self._snapshot.ended:
            raise TableClosedError
        asked = _Asked(work, Future())
        try:
            self._asked.put_nowait(asked)
            return asked.answer.result(timeout_s)
        except Full as error:
            raise TableBusyError from error
        except FutureTimeoutError as error:
            if asked.answer.cancel():
                raise TableBusyError from error
            return asked.answer.result()  # it is being carried out just now

    # --- for the thread that drives the table -------------------------------------------------------------------------

    def play(self, live: LiveTable, ruleset: RuleSet) -> None:
        """Play on this live table from now on; what readers saw of the last one stays with its notices."""
        self._live, self._ruleset = live, ruleset
        self.publish(())

    def wait(self, seconds: float) -> None:
        """Let real time go by and obey meanwhile.  Raises ``TableClosedError``."""
        until = time.monotonic() + seconds
        while True:
            self.heard_at = time.monotonic()
            if self._closing.is_set():
                raise TableClosedError
            left = until - time.monotonic()
            try:
                asked = self._asked.get(timeout=min(0.1, left)) if left > 0 else self._asked.get_nowait()
            except Empty:
                if left <= 0:
                    return
                continue
            self._carry_out(asked)

    def publish(self, notices: Sequence[Notice]) -> tuple[Said, ...]:
        """Show what was said, and the table as it is now."""
        last = self._snapshot
        seq = last.seq
        said = tuple(Said(seq + k, notice) for k, notice in enumerate(notices, 1))
        seq += len(said)
        live = self._live
        view, now = None if live is None else live.view, time.monotonic()
        view_seq = last.view_seq
        if _differs(last, view, now):
            seq += 1
            view_seq = seq
        picture, frame = last.picture, None if live is None else live.frame
        if frame is not None and frame is not last.frame and now - self._frame_shown_at >= PICTURE_EVERY_S:
            seq += 1
            picture, self._frame_shown_at = Picture(seq, frame.image), now
        self._snapshot = replace(
            last,
            seq=seq,
            view_seq=view_seq,
            view=view,
            ruleset=self._ruleset,
            state=None if live is None else live.state,
            made_at=now,
            notices=(*last.notices, *said)[-KEPT_NOTICES:],
            picture=picture,
            frame=frame,
            former=None if live is None else live.former,
            rulings=last.rulings + sum(notice.code is NoticeCode.RULED for notice in notices),
        )
        if said:
            self._listener(self.name, self._snapshot, said)
        return said

    def count(self, dropped: int) -> None:
        """One more frame was looked at; ``dropped`` are those that nobody looked at, over all."""
        self._snapshot = replace(self._snapshot, seen=self._snapshot.seen + 1, dropped=dropped)

    def tell_trouble(self, why: Told) -> None:
        """Why no game is played, for people; where nothing is told, nothing is wrong."""
        last = self._snapshot
        if why != last.trouble:
            self._snapshot = replace(last, trouble=why, seq=last.seq + 1, view_seq=last.seq + 1)

    def _carry_out(self, asked: _Asked) -> None:
        if not asked.answer.set_running_or_notify_cancel():
            return
        if self._live is None:
            asked.answer.set_exception(TableBusyError())
            return
        try:
            asked.answer.set_result(self.publish(asked.work()))
        except Exception as error:  # noqa: BLE001  a fault of the program is told to whoever asked; the game goes on
            traceback.print_exc(file=sys.stderr)
            asked.answer.set_exception(error)

    def _run(self) -> None:
        try:
            self._drive(self)
        except TableClosedError:
            pass
        except Exception:  # noqa: BLE001  whatever goes wrong at one table, the others and the pages go on
            traceback.print_exc(file=sys.stderr)
            self.tell_trouble(
                telling("This table has stopped by a fault of the program: start it again, the game goes on.")
            )
        finally:
            seq = self._snapshot.seq + 1  # of the view too: its clock stands from here on
            self._snapshot = replace(self._snapshot, ended=True, seq=seq, view_seq=seq)
            while True:
                try:
                    left = self._asked.get_nowait()
                except Empty:
                    break
                if left.answer.set_running_or_notify_cancel():
                    left.answer.set_exception(TableClosedError())


def _differs(last: Snapshot, view: LiveView | None, now: float) -> bool:
    """Whether readers must be told of this view, though they count the seconds themselves."""
    if view is None or last.view is None:
        return view is not last.view
    if replace(view, left_s=None, tidy_left_s=None) != replace(last.view, left_s=None, tidy_left_s=None):
        return True
    gone = now - last.made_at if runs(last.view) else 0.0
    return _drifts(last.view.left_s, view.left_s, gone) or _drifts(last.view.tidy_left_s, view.tidy_left_s, gone)


def _drifts(before: float | None, after: float | None, gone: float) -> bool:
    """Whether a time that was left is not what readers reckon it to be after so many seconds."""
    if before is None or after is None:
        return before is not after
    return abs(before - gone - after) > DRIFT_S


def runs(view: LiveView) -> bool:
    """Whether the clock of a turn runs."""
    return not view.paused and view.stage.value in {"play", "fix", "tidy"}
