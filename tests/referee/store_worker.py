"""Another program at the same store, for the tests: ``python -m tests.referee.store_worker WORK URL GAME``.

``at_once`` starts several.  Each says ``ready``, waits for a line on its input, does its work, and says ``done`` or
what went wrong.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys

from sqlalchemy import event

from referee.game.commands import GivePenalty
from referee.preset_files import load_ruleset
from referee.store import StaleVersionError, StoreError, carry_out, open_store
from tests.conftest import REPOSITORY

TIMES = 8


def at_once(work: str, url: str, game: str, programs: int = 1) -> list[str]:
    """What each of several programs says that begin their work at the same time."""
    started = [ready_program(work, url, game) for _ in range(programs)]
    for program in started:
        begin(program)
    return [program.communicate(timeout=120)[0] for program in started]


def ready_program(work: str, url: str, game: str = "") -> subprocess.Popen[str]:
    """A program that waits for the word to begin."""
    command = [sys.executable, "-m", "tests.referee.store_worker", work, url, game]
    program = subprocess.Popen(command, cwd=REPOSITORY, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert program.stdout is not None
    assert program.stdout.readline() == "ready\n"
    return program


def begin(program: subprocess.Popen[str]) -> None:
    assert program.stdin is not None
    program.stdin.write("\n")
    program.stdin.flush()


def write(url: str, game: str) -> None:
    """Give penalties, and begin anew whenever another was quicker."""
    store, rules, given = open_store(url, wait_s=60), load_ruleset(), 0
    while given < TIMES:
        try:
            carry_out(store, game, GivePenalty(0, 0, 1, f"{os.getpid()} {given}"), rules)
            given += 1
        except StaleVersionError:
            continue
    store.close()


def die(url: str, game: str) -> None:
    """Be killed after the events were written, before they are kept."""
    store = open_store(url)
    event.listen(store._engine, "commit", lambda _: os.kill(os.getpid(), signal.SIGKILL))
    carry_out(store, game, GivePenalty(0, 1, 1, "never given"), load_ruleset())


def main(work: str, url: str, game: str) -> None:
    open_store().close()  # whatever is loaded late is loaded
    print("ready", flush=True)
    sys.stdin.readline()
    try:
        match work:
            case "open":
                open_store(url, wait_s=60).close()
            case "write":
                write(url, game)
            case "die":
                die(url, game)
        print("done")
    except StoreError as error:
        print(error)


if __name__ == "__main__":
    main(*sys.argv[1:])
