"""One contract for every store: SQLite in memory and on disk, and a real PostgreSQL where one is installed."""

from __future__ import annotations

import importlib
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from sqlalchemy import create_engine, text

from referee.game.codec import LogError
from referee.game.commands import Deal, DrawStart, StartGame
from referee.game.decide import GameError
from referee.game.events import Event
from referee.game.state import Phase, replay
from referee.preset_files import load_ruleset
from referee.store import StaleVersionError, Store, StoreError, carry_out, open_store
from referee.tiles import parse_tile
from tests.referee.test_game import Game

RULES = load_ruleset()


def events() -> list[Event]:
    game = Game().begin()
    game.turn("R9-11")
    game.draw()
    return game.events


def find(program: str) -> str | None:
    """A program of PostgreSQL, also where Debian keeps it off the path."""
    debian = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{program}"))
    return str(debian[-1]) if debian else shutil.which(program)


@pytest.fixture(scope="module")
def postgresql() -> Iterator[str]:
    """The address of a PostgreSQL server that lives for these tests alone, reached by a socket."""
    initdb, pg_ctl = find("initdb"), find("pg_ctl")
    if initdb is None or pg_ctl is None:
        pytest.skip("PostgreSQL is not installed (Debian: postgresql)")
    try:
        importlib.import_module("psycopg")
    except ImportError as error:  # also where its own library is missing
        pytest.skip(f"the driver psycopg cannot be used: {error}")
    as_owner: list[str] = []
    folder = Path(tempfile.mkdtemp(prefix="tileref-pg-"))
    if os.getuid() == 0:  # the server refuses to run as root
        try:
            shutil.chown(folder, "postgres")
        except LookupError:
            folder.rmdir()
            pytest.skip("PostgreSQL does not run as root, and there is no user postgres")
        if shutil.which("runuser") is None:
            folder.rmdir()
            pytest.skip("PostgreSQL does not run as root, and there is no command runuser")
        as_owner = ["runuser", "-u", "postgres", "--"]
    data = folder / "data"
    options = f"-c listen_addresses='' -c unix_socket_directories={folder} -c fsync=off"

    def run(*words: str) -> None:
        log = folder / "log"
        done = subprocess.run(
            [*as_owner, *words], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, cwd="/", timeout=120, check=False
        )
        assert done.returncode == 0, done.stderr.decode() + (log.read_text() if log.is_file() else "")

    try:
        run(initdb, "-D", str(data), "-U", "tileref", "--auth", "trust", "--no-sync", "--encoding", "UTF8")
        run(pg_ctl, "-D", str(data), "-o", options, "-l", str(folder / "log"), "-w", "start")
        yield f"postgresql+psycopg://tileref@/postgres?host={folder}"
    finally:
        if (data / "postmaster.pid").is_file():
            run(pg_ctl, "-D", str(data), "-m", "immediate", "-w", "stop")
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(params=["memory", "file", "postgresql"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    match request.param:
        case "memory":
            opened = open_store()
        case "file":
            opened = open_store(f"sqlite:///{tmp_path / 'games.db'}")
        case _:
            opened = open_store(request.getfixturevalue("postgresql"))
    yield opened
    opened.close()


@pytest.fixture
def game() -> str:
    """A name that no other test uses."""
    return f"table 1 – Łódź {uuid4()}"


def test_what_was_appended_is_loaded(store: Store, game: str) -> None:
    log = events()
    assert store.load(game) == ()
    store.append(game, 0, log[:2])
    store.append(game, 2, log[2:])
    store.append(game, len(log), [])
    assert store.load(game) == tuple(log)
    assert store.load(game, after=3) == tuple(log[3:])
    assert store.load(game, after=99) == ()
    assert game in store.games()


def test_games_are_kept_apart(store: Store, game: str) -> None:
    log = events()
    store.append(game, 0, log)
    store.append(f"{game}b", 0, log[:1])
    assert len(store.load(game)) == len(log)
    assert len(store.load(f"{game}b")) == 1


@pytest.mark.parametrize("seen", [0, 1, 3, 9])
def test_a_stale_version_writes_nothing(store: Store, game: str, seen: int) -> None:
    log = events()
    store.append(game, 0, log[:2])
    with pytest.raises(StaleVersionError, match="version"):
        store.append(game, seen, log[2:])
    assert store.load(game) == tuple(log[:2])


def test_of_two_writers_one_is_told(store: Store, game: str) -> None:
    log = events()
    store.append(game, 0, log[:1])
    outcomes: list[str] = []
    barrier = threading.Barrier(2)

    def write() -> None:
        barrier.wait(timeout=60)
        try:
            store.append(game, 1, log[1:2])
            outcomes.append("kept")
        except StoreError:
            outcomes.append("told")

    writers = [threading.Thread(target=write) for _ in range(2)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(timeout=120)
    assert sorted(outcomes) == ["kept", "told"]
    assert store.load(game) == tuple(log[:2])


def test_a_game_is_played_through_the_store(store: Store, game: str) -> None:
    carry_out(store, game, StartGame(("Ala", "Bo")), RULES)
    state = carry_out(store, game, DrawStart((parse_tile("R9"), parse_tile("R2"))), RULES)
    with pytest.raises(GameError):
        carry_out(store, game, StartGame(("Ala", "Bo")), RULES)
    dealt = carry_out(store, game, Deal(), RULES, state)
    assert dealt.phase is Phase.PLAY
    assert replay(store.load(game)) == dealt
    with pytest.raises(StaleVersionError):
        carry_out(store, game, Deal(), RULES, state)


def test_names_have_bounds(store: Store) -> None:
    for name in ("", "x" * 101):
        with pytest.raises(StoreError, match="1 to 100 letters"):
            store.append(name, 0, events())


def test_a_corrupt_or_newer_event_is_told_and_kept(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'games.db'}"
    store = open_store(url)
    store.append("game", 0, events()[:1])
    for body, said in (('{"type": "Dealt"', "not a line"), ('{"type": "Dealt", "v": 7}', "version 7 is not known")):
        engine = create_engine(url)
        with engine.begin() as connection:
            connection.execute(text("DELETE FROM events WHERE version = 2"))
            connection.execute(text("INSERT INTO events VALUES ('game', 2, :body)"), {"body": body})
        engine.dispose()
        with pytest.raises(LogError, match=said):
            store.load("game")
    assert len(store.load("game", after=2)) == 0
    store.close()


@pytest.mark.parametrize("url", ["nonsense", "oracle+none://x", "sqlite:////proc/nowhere/games.db"])
def test_an_address_that_cannot_be_used_is_one_sentence(url: str) -> None:
    with pytest.raises(StoreError) as caught:
        open_store(url)
    assert "\n" not in str(caught.value)


def test_without_the_driver_of_postgresql_its_address_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)  # as if it were not installed
    with pytest.raises(StoreError, match=r"no database address that can be used: .*psycopg"):
        open_store("postgresql+psycopg://nobody@/nothing")
