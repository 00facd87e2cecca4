"""One contract for every store: SQLite in memory and on disk, and a real PostgreSQL where one is installed."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest

from referee.game.commands import Deal, DrawStart, StartGame
from referee.game.decide import GameError
from referee.game.events import Event
from referee.game.state import Phase, replay
from referee.preset_files import load_ruleset
from referee.store import StaleVersionError, Store, StoreError, carry_out, open_store
from referee.tiles import parse_tile
from tests.referee.databases_at_hand import Database
from tests.referee.test_game import Game

RULES = load_ruleset()


def events() -> list[Event]:
    game = Game().begin()
    game.turn("R9-11")
    game.draw()
    return game.events


@pytest.fixture(params=["memory", "sqlite_file", "postgresql"])
def store(request: pytest.FixtureRequest) -> Iterator[Store]:
    if request.param == "memory":
        opened = open_store()
    else:
        database: Database = request.getfixturevalue(request.param)
        opened = open_store(database.url)
    yield opened
    opened.close()


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


@pytest.mark.parametrize("url", ["nonsense", "oracle+none://x", "sqlite:////proc/nowhere/games.db"])
def test_an_address_that_cannot_be_used_is_one_sentence(url: str) -> None:
    with pytest.raises(StoreError) as caught:
        open_store(url)
    assert "\n" not in str(caught.value)


def test_without_the_driver_of_postgresql_its_address_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)  # as if it were not installed
    with pytest.raises(StoreError, match=r"no database address that can be used: .*psycopg"):
        open_store("postgresql+psycopg://nobody@/nothing")


def test_no_password_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    for url in ("postgresql+psycopg://ala:secret@hall/games", "mysql+mysqlconnector://ala:secret@hall/games"):
        with pytest.raises(StoreError, match=r"ala:\*\*\*@hall") as caught:
            open_store(url)
        assert "secret" not in str(caught.value)
