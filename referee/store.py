"""Where logs are kept: one table of events in SQLite or PostgreSQL.

The one module of this floor that is not pure: it talks to a database through SQLAlchemy.  The key of the table is
(game, version), so two writers who saw the same state cannot both go on from it: the later one is told.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from sqlalchemy import Column, Engine, Integer, MetaData, String, Table, Text, create_engine, event, func, select
from sqlalchemy.exc import IntegrityError, SQLAlchemyError
from sqlalchemy.pool import QueuePool

from referee.game.codec import decode, encode
from referee.game.commands import Command
from referee.game.decide import decide
from referee.game.events import Event
from referee.game.state import State, replay
from referee.ruleset import RuleSet

LONGEST_GAME_NAME = 100
_METADATA = MetaData()
_EVENTS = Table(
    "events",
    _METADATA,
    Column("game", String(LONGEST_GAME_NAME), primary_key=True),
    Column("version", Integer, primary_key=True, autoincrement=False),
    Column("body", Text, nullable=False),
)


class StoreError(Exception):
    """The store cannot be read or written; one sentence."""


class StaleVersionError(StoreError):
    """The game has gone on since: somebody else wrote first, and nothing of this was kept."""


class Store(Protocol):
    """Keeps the logs of games.  A game that nobody wrote to has an empty log."""

    def append(self, game: str, seen: int, events: Sequence[Event]) -> None:
        """Add events to a log that was ``seen`` events long; all of them or none.

        Raises ``StaleVersionError`` where the log is longer or shorter by now.
        """

    def load(self, game: str, after: int = 0) -> tuple[Event, ...]:
        """The events of a game from version ``after`` + 1 on.  Raises ``LogError`` for one that cannot be read."""

    def games(self) -> tuple[str, ...]:
        """The names of all games, in alphabetical order."""


class SqlStore:
    """A store in a database that SQLAlchemy can reach."""

    def __init__(self, engine: Engine) -> None:
        """Make the table where it is missing.  Raises ``StoreError`` where the database cannot be reached."""
        self._engine = engine
        try:
            _METADATA.create_all(engine)
        except SQLAlchemyError as error:
            engine.dispose()
            raise StoreError(f"the database cannot be used: {_cause(error)}") from error

    def close(self) -> None:
        """Give back all connections."""
        self._engine.dispose()

    def append(self, game: str, seen: int, events: Sequence[Event]) -> None:
        if not 0 < len(game) <= LONGEST_GAME_NAME:
            raise StoreError(f"the name of a game has 1 to {LONGEST_GAME_NAME} letters")
        if not events:
            return
        rows = [{"game": game, "version": seen + k, "body": encode(one)} for k, one in enumerate(events, 1)]
        try:
            with self._engine.begin() as connection:
                last = select(func.coalesce(func.max(_EVENTS.c.version), 0)).where(_EVENTS.c.game == game)
                kept = connection.execute(last).scalar_one()
                if kept != seen:
                    raise StaleVersionError(f"{game} is at version {kept}, not at {seen}")
                connection.execute(_EVENTS.insert(), rows)
        except IntegrityError:
            raise StaleVersionError(f"{game} is no longer at version {seen}") from None
        except SQLAlchemyError as error:
            raise StoreError(f"{game} cannot be written: {_cause(error)}") from error

    def load(self, game: str, after: int = 0) -> tuple[Event, ...]:
        wanted = (
            select(_EVENTS.c.body).where(_EVENTS.c.game == game, _EVENTS.c.version > after).order_by(_EVENTS.c.version)
        )
        try:
            with self._engine.connect() as connection:
                bodies = connection.execute(wanted).scalars().all()
        except SQLAlchemyError as error:
            raise StoreError(f"{game} cannot be read: {_cause(error)}") from error
        return tuple(decode(body) for body in bodies)

    def games(self) -> tuple[str, ...]:
        try:
            with self._engine.connect() as connection:
                names = connection.execute(select(_EVENTS.c.game).distinct()).scalars().all()
        except SQLAlchemyError as error:
            raise StoreError(f"the games cannot be listed: {_cause(error)}") from error
        return tuple(sorted(names))


def open_store(url: str = "sqlite://") -> SqlStore:
    """The store at a database address, ``sqlite:///games.db`` or ``postgresql+psycopg://...``; in memory by default.

    Raises ``StoreError`` where the address is none or the database cannot be reached.
    """
    try:
        if url in {"sqlite://", "sqlite:///:memory:"}:
            # The database lives as long as its one connection, which the threads take in turn.
            one = {"poolclass": QueuePool, "pool_size": 1, "max_overflow": 0}
            engine = create_engine(url, connect_args={"check_same_thread": False}, **one)
        else:
            engine = create_engine(url)
    except (SQLAlchemyError, ImportError) as error:
        raise StoreError(f"{url} is no database address that can be used: {_cause(error)}") from error
    if engine.dialect.name == "sqlite":
        event.listen(engine, "connect", _wait_for_writers)
    return SqlStore(engine)


def _wait_for_writers(connection: object, _record: object) -> None:
    """SQLite has one writer at a time: wait for it instead of failing at once."""
    connection.execute("PRAGMA busy_timeout = 5000")  # type: ignore[attr-defined]  # the driver's own connection


def _cause(error: Exception) -> str:
    """The first line of what the database said."""
    return str(getattr(error, "orig", None) or error).strip().splitlines()[0]


def carry_out(store: Store, game: str, command: Command, ruleset: RuleSet, state: State | None = None) -> State:
    """Carry out one command on a stored game and return its new state.

    ``state`` is the state that the caller saw (None: whatever is stored).  Raises ``GameError`` where the game cannot
    do it, ``StaleVersionError`` where it has gone on since; then nothing was written.
    """
    current = replay(store.load(game)) if state is None else state
    events = decide(current, command, ruleset)
    store.append(game, current.version, events)
    return replay(events, current)
