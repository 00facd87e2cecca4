"""A live table in a program of its own that is killed: ``python -m tests.web.live_worker WHEN URL``.

It plays one turn, has the next one laid and called, and dies by ``kill -9`` in mid-turn, before the store commits the
ruling (``writing``), or right after it did (``written``).  Or it dies when one of two tiles in doubt was answered
(``answered``).
"""

from __future__ import annotations

import os
import signal
import sys

from sqlalchemy import event

from referee.store import open_store
from referee.tiles import parse_tile
from tests.web.live_table import Bench
from web.live import acts

OPENING = "R9 R10 R11 R12 R13"
SECOND = f"{OPENING} | B10 K10 O10"
IN_DOUBT = f"{OPENING} | B6/B9 B7 B8 B9 | K6/K9 B9 O9"


def die(*_: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def main(when: str, url: str) -> None:
    store = open_store(url)
    bench = Bench(store=store)
    bench.turn(OPENING)
    bench.lay(IN_DOUBT if when == "answered" else SECOND)
    bench.do(acts.CallTurnEnd())
    if when == "answered":
        bench.frame()
        bench.do(acts.AnswerTile(0, parse_tile("B6")))
        die()
    if when == "mid-turn":
        die()
    if when == "writing":
        event.listen(store._engine, "commit", die)
    bench.frame()
    die()


if __name__ == "__main__":
    main(*sys.argv[1:])
