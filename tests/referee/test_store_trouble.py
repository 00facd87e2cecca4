"""The store in trouble: one clear sentence each, and what was kept before is still there."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from sqlalchemy import event, text

from referee.game.codec import UPCASTS, VERSIONS, LogError
from referee.game.commands import DrawStart, GivePenalty, StartGame
from referee.game.decide import GameError
from referee.game.events import (
    Event,
    PenaltyGiven,
    PlacePointed,
    StarterDrawn,
    TableCorrected,
    TileAnswered,
    TurnQuestioned,
)
from referee.game.state import replay
from referee.preset_files import load_ruleset
from referee.store import SqlStore, StaleVersionError, StoreError, carry_out, open_store
from tests.referee.databases_at_hand import LARGEST_FILE_KIB, Database, Server
from tests.referee.store_worker import TIMES, at_once
from tests.referee.test_game import Game, tiles

RULES = load_ruleset()
LOG: tuple[Event, ...] = tuple(Game().begin().events)
MORE_ASKED = GivePenalty(0, 1, 0, "so")
MORE = (PenaltyGiven(seat=0, tiles=1, points=0, reason="so"),)


@pytest.fixture
def store(database: Database) -> Iterator[SqlStore]:
    """A store that holds a game."""
    opened = open_store(database.url, wait_s=0.05)
    opened.append("game", 0, LOG)
    yield opened
    opened.close()


@contextmanager
def one_sentence(said: str) -> Iterator[None]:
    with pytest.raises((StoreError, LogError), match=said) as caught:
        yield
    assert "\n" not in str(caught.value)
    assert "sqlalche.me" not in str(caught.value)


def with_option(database: Database, sqlite: str, postgresql: str) -> str:
    """The address with something added for the driver."""
    if database.kind == "sqlite":
        return database.url.replace("sqlite:///", "sqlite:///file:") + f"?uri=true&{sqlite}"
    return f"{database.url}&options={postgresql}"


# --- several writers --------------------------------------------------------------------------------------------


def test_of_programs_that_write_at_once_none_loses_an_event(store: SqlStore, database: Database) -> None:
    assert at_once("write", database.url, "game", programs=3) == ["done\n"] * 3
    log = store.load("game")
    assert log[: len(LOG)] == LOG
    given = [one.reason for one in log[len(LOG) :] if isinstance(one, PenaltyGiven)]
    writers = {reason.split()[0] for reason in given}
    assert len(given) == len(log) - len(LOG) == 3 * TIMES
    for writer in writers:
        assert [reason for reason in given if reason.startswith(f"{writer} ")] == [
            f"{writer} {k}" for k in range(TIMES)
        ]
    assert len(writers) == 3


@pytest.fixture
def other(database: Database) -> Iterator[SqlStore]:
    """Another way to the same store, with more patience."""
    with closing(open_store(database.url, wait_s=60)) as opened:
        yield opened


def test_of_two_writers_who_saw_the_same_the_later_is_told(store: SqlStore, other: SqlStore) -> None:
    seen = len(LOG)
    event.listen(store._engine, "begin", lambda _: other.append("game", seen, MORE), once=True)
    with pytest.raises(StaleVersionError, match=f"^game is at version {seen + 1}, not at {seen}$"):
        store.append("game", seen, MORE * 2)
    assert store.load("game") == other.load("game") == (*LOG, *MORE)


def test_a_writer_between_the_look_at_the_version_and_the_writing_is_noticed(store: SqlStore, other: SqlStore) -> None:
    seen = len(LOG)
    quicker: list[str] = []

    def be_quicker(_c: object, _cursor: object, statement: str, *_: object) -> None:
        if statement.startswith("INSERT") and not quicker:
            quicker.append(statement)
            other.append("game", seen, MORE)

    event.listen(store._engine, "before_cursor_execute", be_quicker)
    with pytest.raises(StaleVersionError, match=f"^game is no longer at version {seen}$"):
        store.append("game", seen, MORE * 2)
    assert store.load("game") == other.load("game") == (*LOG, *MORE)


def test_a_program_that_is_killed_while_it_writes_leaves_nothing_half_done(other: SqlStore, database: Database) -> None:
    other.append("game", 0, LOG)
    assert at_once("die", database.url, "game") == [""]
    assert other.load("game") == LOG
    other.append("game", len(LOG), MORE)
    assert other.load("game") == (*LOG, *MORE)


def test_a_database_that_another_holds_is_told_after_a_while(store: SqlStore, database: Database) -> None:
    hold = "BEGIN EXCLUSIVE" if database.kind == "sqlite" else "LOCK TABLE events, alembic_version"
    with database.engine() as engine, engine.begin() as connection:
        connection.execute(text(hold))
        with one_sentence("^game cannot be written: .*lock"):
            store.append("game", len(LOG), MORE)
        with one_sentence("^the database cannot be used: .*lock"):
            open_store(database.url, wait_s=0.05)
    assert store.load("game") == LOG
    store.append("game", len(LOG), MORE)


# --- a database that cannot be written --------------------------------------------------------------------------


def test_a_database_that_may_only_be_read(store: SqlStore, database: Database) -> None:
    address = with_option(database, "mode=ro", "-c%20default_transaction_read_only=on")
    with closing(open_store(address)) as reader:
        assert reader.load("game") == LOG
        with one_sentence("^game cannot be written: .*read-?only"):
            reader.append("game", len(LOG), MORE)
    assert store.load("game") == LOG


def test_an_empty_database_that_may_only_be_read(database: Database, tmp_path: Path) -> None:
    (tmp_path / "games.db").touch()
    with one_sentence("^the database cannot be used: .*read-?only"):
        open_store(with_option(database, "mode=ro", "-c%20default_transaction_read_only=on"))


def test_a_full_disk(store: SqlStore, database: Database) -> None:
    """SQLite may use no more pages than it has; the server may make no file so large."""
    letters = random.Random(7).randbytes(LARGEST_FILE_KIB * 1024).hex()  # nothing that could be compressed
    large = PenaltyGiven(seat=0, tiles=1, points=0, reason=letters)

    def fill(connection: object, _record: object = None) -> None:
        connection.execute("PRAGMA max_page_count = 1")  # type: ignore[attr-defined]  # SQLite takes what it has

    if database.kind == "sqlite":
        event.listen(store._engine, "connect", fill)
        store.close()
    with one_sentence("^game cannot be written: .*(full|too large|No space|could not)"):
        store.append("game", len(LOG), (*MORE, large))
    assert store.load("game") == LOG
    if database.kind == "sqlite":
        event.remove(store._engine, "connect", fill)
        store.close()
    store.append("game", len(LOG), MORE)
    assert store.load("game") == (*LOG, *MORE)


def test_a_file_that_is_no_database_is_left_as_it_is(sqlite_file: Database, tmp_path: Path) -> None:
    path = tmp_path / "games.db"
    path.write_text("Kto wygrał? Ala, 27 punktów.\n" * 50, encoding="utf-8")
    before = path.read_bytes()
    with one_sentence("^the database cannot be used: file is not a database$"):
        open_store(sqlite_file.url)
    assert path.read_bytes() == before


@pytest.mark.parametrize("share", [0.3, 0.6, 0.95])
def test_a_file_that_lost_its_end(sqlite_file: Database, tmp_path: Path, share: float) -> None:
    store = open_store(sqlite_file.url)
    for k in range(40):
        store.append(f"game {k}", 0, LOG * 4)
    store.close()
    path = tmp_path / "games.db"
    whole = path.read_bytes()
    path.write_bytes(whole[: int(len(whole) * share)])
    before = path.read_bytes()
    with one_sentence("malformed"), closing(open_store(sqlite_file.url)) as broken:
        for k in range(40):
            broken.load(f"game {k}")
    assert path.read_bytes() == before


# --- a server that stops ----------------------------------------------------------------------------------------


def test_a_server_that_stops_in_the_middle(server: Server) -> None:
    store = open_store(server.database().url)
    store.append("game", 0, LOG)

    def stop(_: object) -> None:
        server.stop()

    event.listen(store._engine, "commit", stop, once=True)
    try:
        with one_sentence("^game cannot be written: .*"):
            store.append("game", len(LOG), MORE)
        for told in (store.games, lambda: store.load("game"), lambda: store.append("game", len(LOG), MORE)):
            with one_sentence("cannot be (written|read|listed): .*connect"):
                told()
    finally:
        server.start()
    assert store.load("game") == LOG
    store.append("game", len(LOG), MORE)
    assert store.load("game") == (*LOG, *MORE)
    store.close()


def test_a_server_that_was_started_anew_is_no_trouble(server: Server) -> None:
    store = open_store(server.database().url)
    store.append("game", 0, LOG)
    server.stop()
    server.start()
    store.append("game", len(LOG), MORE)
    assert store.load("game") == (*LOG, *MORE)
    store.close()


# --- a log that is not as it was written ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ('{"type": "Dealt"', "^game, event 3: not a line of a log: "),
        ("", "^game, event 3: not a line of a log: "),
        ("[" * 100_000, "^game, event 3: not a line of a log: "),
        ('{"type": "Dealt", "v": 1, "counts": [' + "1" * 5000 + "]}", "^game, event 3: not a line of a log: "),
        ('{"type": "RoundBegun", "v": true, "number": 1, "starter": 0}', "type or version is missing$"),
        ('{"type": "Exploded", "v": 1}', "^game, event 3: 'Exploded' is not an event that this program knows$"),
        (
            '{"type": "Dealt", "v": 7}',
            "^game, event 3: Dealt of version 7 is not known: this program writes version 1$",
        ),
        ('{"type": "Dealt", "v": 1, "counts": ["x"]}', "^game, event 3: Dealt.counts is wrong: "),
    ],
    ids=["cut", "empty", "deep", "long", "odd version", "newer type", "newer version", "wrong field"],
)
def test_an_event_that_cannot_be_read_is_told_and_kept(
    store: SqlStore, database: Database, body: str, said: str
) -> None:
    store.append("another game", 0, LOG)
    database.run("UPDATE events SET body = :body WHERE game = 'game' AND version = 3", body=body)
    with one_sentence(said):
        store.load("game")
    with one_sentence(said):
        carry_out(store, "game", MORE_ASKED, RULES)
    assert store.load("game", after=3) == LOG[3:]
    assert store.load("another game") == LOG
    assert database.ask("SELECT count(*) FROM events WHERE game = 'game'") == [(len(LOG),)]


def test_what_sqlite_keeps_in_a_column_of_text(sqlite_file: Database) -> None:
    store = open_store(sqlite_file.url)
    store.append("game", 0, LOG)
    for body in (5, b"{}", b"\xff"):
        sqlite_file.run("UPDATE events SET body = :body WHERE version = 3", body=body)
        with one_sentence("^game, event 3: not a line of a log"):
            store.load("game")
    sqlite_file.run("UPDATE events SET body = CAST(x'FF' AS TEXT) WHERE version = 3")
    with one_sentence("^game cannot be read: Could not decode"):
        store.load("game")
    store.close()


def test_a_log_with_a_gap(store: SqlStore, database: Database) -> None:
    database.run("DELETE FROM events WHERE game = 'game' AND version = 2")
    with one_sentence("^game: event 2 is missing$"):
        store.load("game")
    with one_sentence("^game: event 2 is missing$"):
        store.load("game", after=1)
    with one_sentence("^game: event 2 is missing$"):
        carry_out(store, "game", MORE_ASKED, RULES)
    assert store.load("game", after=2) == LOG[2:]


def test_events_that_are_no_game(store: SqlStore) -> None:
    store.append("odd", 0, (LOG[0], PenaltyGiven(seat=7, tiles=1, points=0, reason="")))
    with one_sentence("^odd: the events are not those of a game$"):
        carry_out(store, "odd", MORE_ASKED, RULES)
    assert len(store.load("odd")) == 2


@pytest.mark.parametrize(
    ("odd", "said"),
    [
        (PenaltyGiven(seat=0, tiles=99, points=0, reason=""), "for its tiles do not add up"),
        (PenaltyGiven(seat=0, tiles=-20, points=0, reason=""), "for its tiles do not add up"),
        (TableCorrected(table="R1-3", racks=(14, 14, 14), pool=64, reason=""), "for its tiles do not add up"),
        (TableCorrected(table="R99 R1", racks=(13, 14, 14), pool=63, reason=""), "not those of a game$"),
        (TileAnswered(quad=(0.0,) * 8, tile="R99", gone=False, read_as=None), "not those of a game$"),
        (TileAnswered(quad=(0.0,) * 7, tile=None, gone=True, read_as=None), "not those of a game$"),
        (PlacePointed(deed="removed", quad=(0.0,) * 8, tile=None, beside=(0.0,), after=True, read_as=None),
         "not those of a game$"),
        (PlacePointed(deed="eaten", quad=(0.0,) * 8, tile=None, beside=None, after=True, read_as=None),
         "not those of a game$"),
        (TurnQuestioned(seat=1, how="played", shown="R99", codes=(), elapsed_s=None), "not those of a game$"),
    ],
)
def test_events_of_tiles_that_cannot_be(store: SqlStore, odd: Event, said: str) -> None:
    store.append("odd", 0, (*LOG, odd))
    with one_sentence(said):
        carry_out(store, "odd", MORE_ASKED, RULES)
    assert store.load("odd") == (*LOG, odd)


@pytest.mark.parametrize("drawn", ["X9 R1", "R1"])
def test_draws_for_the_start_that_cannot_be_read(store: SqlStore, drawn: str) -> None:
    draw = StarterDrawn(seats=(0, 1), tiles=tuple(drawn.split()), starter=None, again=(0, 1))
    store.append("odd", 0, (*Game(players=("Ala", "Bo")).events, draw))
    with one_sentence("^odd: the events are not those of a game$"):
        carry_out(store, "odd", DrawStart(tiles("R1 R2")), RULES)


def test_a_game_goes_on_by_its_own_rules_alone(store: SqlStore) -> None:
    carry_out(store, "sabra game", StartGame(("Ala", "Bo")), load_ruleset("sabra"))
    before = store.load("sabra game")
    with pytest.raises(GameError, match=r"^this game is played by sabra \w+, not by international \w+$"):
        carry_out(store, "sabra game", DrawStart(tiles("R1 R2")), RULES)
    assert store.load("sabra game") == before
    carry_out(store, "sabra game", DrawStart(tiles("R1 R2")), load_ruleset("sabra"))


def test_an_old_event_is_read_as_one_of_today_and_kept_as_it_is(
    store: SqlStore, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = '{"type": "PenaltyGiven", "v": 1, "seat": 0, "number": 1}'
    database.run("INSERT INTO events VALUES ('game', :version, :body)", version=len(LOG) + 1, body=old)
    monkeypatch.setitem(VERSIONS, "PenaltyGiven", 2)
    monkeypatch.setitem(
        UPCASTS,
        ("PenaltyGiven", 1),
        lambda data: {"seat": data["seat"], "tiles": data["number"], "points": 0, "reason": "so"},
    )
    assert store.load("game") == (*LOG, *MORE)
    state = carry_out(store, "game", MORE_ASKED, RULES)
    assert state == replay((*LOG, *MORE, *MORE))
    first, second = [row[0] for row in database.ask("SELECT body FROM events ORDER BY version")][-2:]
    assert first == old
    assert '"v": 2' in second
    database.run("UPDATE events SET body = :body WHERE body = :old", body=old.replace("number", "n"), old=old)
    with one_sentence("PenaltyGiven of version 1 is not what it was: "):
        store.load("game")


def test_text_that_is_none_is_not_written(store: SqlStore) -> None:
    with one_sentence("cannot be written"):
        store.append("half a sign \ud83d", 0, LOG)
    with one_sentence("cannot be written"):
        store.append("game", len(LOG), (PenaltyGiven(seat=0, tiles=0, points=0, reason="\ud83d"),))
    with one_sentence("cannot be read"):
        store.load("half a sign \ud83d")
    assert store.load("game") == LOG
