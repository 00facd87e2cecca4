"""Keeping evidence behind the game's back, so that no ruling waits for a disk."""

from __future__ import annotations

from queue import Full, Queue
from threading import Thread
from types import TracebackType
from typing import Self

from web.evidence.keeper import EvidenceKeeper
from web.evidence.turn import TurnEvidence

MOST_WAITING = 8
"""Records that may wait, each with its frames in memory; more than a game ends turns in while a disk wakes up."""


SEAL_S = 5.0
"""A seal is waited for so long, then the game goes on without it."""


class BackgroundKeeper:
    """Hands evidence to a keeper on a thread of its own, in the order in which it came.

    Where the disk is so slow that too much waits, the rest is not kept, and the next record says so.  What waits when
    the program is killed is lost, which shows: the log tells of turns that no record tells of, and a program that
    starts says so (``EvidenceKeeper.catch_up``).
    """

    def __init__(self, keeper: EvidenceKeeper, most: int = MOST_WAITING) -> None:
        self._keeper = keeper
        self._waiting: Queue[TurnEvidence | None] = Queue(most)
        self._thread = Thread(target=self._work, name="evidence", daemon=True)
        self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def keep(self, record: TurnEvidence) -> None:
        """Keep this soon; its frames must not change until then."""
        try:
            self._waiting.put_nowait(record)
        except Full:
            self._keeper.miss(record, "the disk is too slow")

    def flush(self) -> None:
        """Wait until everything that was handed over is kept."""
        self._waiting.join()

    def seal(self) -> str:
        """The seal of everything that was handed over; empty where the disk does not take it in time."""
        with self._waiting.all_tasks_done:
            kept = self._waiting.all_tasks_done.wait_for(lambda: not self._waiting.unfinished_tasks, SEAL_S)
        return self._keeper.seal() if kept else ""

    def close(self) -> None:
        """Keep what waits, and end the thread."""
        if self._thread.is_alive():
            self._waiting.put(None)
            self._thread.join()

    def _work(self) -> None:
        while (record := self._waiting.get()) is not None:
            try:
                self._keeper.keep(record)
            finally:
                self._waiting.task_done()
        self._waiting.task_done()
