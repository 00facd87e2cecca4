"""A store in a database that SQLAlchemy can reach.

The key of the table is (game, version), so two writers who saw the same state cannot both go on from it: the later
one is told.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from sqlalchemy import Engine, create_engine, event, func, make_url, select
from sqlalchemy.exc import IntegrityError, SQLAlchemyError
from sqlalchemy.pool import QueuePool

from referee.game.codec import LogError, decode, encode
from referee.game.commands import Command
from referee.game.decide import decide
from referee.game.events import Event, StarterDrawn
from referee.game.state import State, replay
from referee.notation import parse_table
from referee.recall import recalled
from referee.ruleset import RuleSet
from referee.store.errors import StaleVersionError, StoreError, cause
from referee.store.schema import EVENTS, LONGEST_GAME_NAME, bring_up_to_date
from referee.tiles import parse_tile

PATIENCE = {"sqlite": "PRAGMA busy_timeout = {}", "postgresql": "SET lock_timeout = {}"}
"""How each database is told how many milliseconds a writer waits."""


class Store(Protocol):
    """Keeps the logs of games.  A game that nobody wrote to has an empty log."""

    def append(self, game: str, seen: int, events: Sequence[Event]) -> None:
        """Add events to a log that was ``seen`` events long; all of them or none.

        Raises ``StaleVersionError`` where the log is longer or shorter by now, ``StoreError`` where the database cannot
        be written.  Where the connection was lost at the very end, only loading tells whether the events were kept.
        """

    def load(self, game: str, after: int = 0) -> tuple[Event, ...]:
        """The events of a game from version ``after`` + 1 on.

        Raises ``LogError`` for one that is missing or cannot be read, ``StoreError`` where the database cannot be.
        """

    def games(self) -> tuple[str, ...]:
        """The names of all games, in alphabetical order."""


class SqlStore:
    """A store in a database that SQLAlchemy can reach."""

    def __init__(self, engine: Engine) -> None:
        """Bring the tables up to date.  Raises ``StoreError`` where the database cannot be used."""
        self._engine = engine
        try:
            bring_up_to_date(engine)
        except SQLAlchemyError as error:
            engine.dispose()
            raise StoreError("the database cannot be used: {cause}", cause=cause(error)) from error
        except StoreError:
            engine.dispose()
            raise

    def close(self) -> None:
        """Give back all connections."""
        self._engine.dispose()

    def append(self, game: str, seen: int, events: Sequence[Event]) -> None:
        if not 0 < len(game) <= LONGEST_GAME_NAME:
            raise StoreError("the name of a game has 1 to {most} letters", most=LONGEST_GAME_NAME)
        if not events:
            return
        rows = [{"game": game, "version": seen + k, "body": encode(one)} for k, one in enumerate(events, 1)]
        try:
            with self._engine.begin() as connection:
                last = select(func.coalesce(func.max(EVENTS.c.version), 0)).where(EVENTS.c.game == game)
                kept = connection.execute(last).scalar_one()
                if kept != seen:
                    raise StaleVersionError(
                        "{game} is at version {kept}, not at {seen}", game=game, kept=kept, seen=seen
                    )
                connection.execute(EVENTS.insert(), rows)
        except IntegrityError:
            raise StaleVersionError("{game} is no longer at version {seen}", game=game, seen=seen) from None
        except (SQLAlchemyError, UnicodeError) as error:
            raise StoreError("{game} cannot be written: {cause}", game=game, cause=cause(error)) from error

    def load(self, game: str, after: int = 0) -> tuple[Event, ...]:
        wanted = (
            select(EVENTS.c.version, EVENTS.c.body)
            .where(EVENTS.c.game == game, EVENTS.c.version > after)
            .order_by(EVENTS.c.version)
        )
        try:
            with self._engine.connect() as connection:
                rows = connection.execute(wanted).all()
        except (SQLAlchemyError, UnicodeError) as error:
            raise StoreError("{game} cannot be read: {cause}", game=game, cause=cause(error)) from error
        return tuple(_read(game, due, version, body) for due, (version, body) in enumerate(rows, after + 1))

    def games(self) -> tuple[str, ...]:
        try:
            with self._engine.connect() as connection:
                names = connection.execute(select(EVENTS.c.game).distinct()).scalars().all()
        except SQLAlchemyError as error:
            raise StoreError("the games cannot be listed: {cause}", cause=cause(error)) from error
        return tuple(sorted(names))


def _read(game: str, due: int, version: object, body: object) -> Event:
    """One row of a log as an event; ``due`` is the version that comes next."""
    if version != due:
        raise LogError("{game}: event {number} is missing", game=game, number=due)
    try:
        return decode(str(body))  # SQLite keeps other things than text in a column of text
    except LogError as error:
        raise LogError("{game}, event {number}: {cause}", game=game, number=due, cause=error.told) from None


def open_store(url: str = "sqlite://", wait_s: float = 5.0) -> SqlStore:
    """The store at a database address, ``sqlite:///games.db`` or ``postgresql+psycopg://...``; in memory by default.

    ``wait_s`` is how many seconds a writer waits for others that hold the database or its table.  Raises
    ``StoreError`` where the address is none or the database cannot be used.
    """
    kept: dict[str, Any] = {"pool_pre_ping": True}  # a server that was started anew meanwhile is no trouble
    if url in {"sqlite://", "sqlite:///:memory:"}:
        # The database lives as long as its one connection, which the threads take in turn.
        one = {"poolclass": QueuePool, "pool_size": 1, "max_overflow": 0}
        kept = {"connect_args": {"check_same_thread": False}, **one}
    try:
        engine = create_engine(url, **kept)
    except (SQLAlchemyError, ImportError) as error:
        raise StoreError(
            "{address} is no database address that can be used: {cause}", address=_shown(url), cause=cause(error)
        ) from error
    if engine.dialect.name not in PATIENCE:
        raise StoreError("{address} is neither an SQLite nor a PostgreSQL database", address=_shown(url))

    def be_patient(connection: Any, _record: object) -> None:
        cursor = connection.cursor()
        cursor.execute(PATIENCE[engine.dialect.name].format(round(wait_s * 1000)))
        cursor.close()
        connection.commit()

    event.listen(engine, "connect", be_patient)
    return SqlStore(engine)


def _shown(url: str) -> str:
    """An address without its password."""
    try:
        return make_url(url).render_as_string(hide_password=True)
    except SQLAlchemyError:
        return url


def carry_out(store: Store, game: str, command: Command, ruleset: RuleSet, state: State | None = None) -> State:
    """Carry out one command on a stored game and return its new state.

    ``state`` is the state that the caller saw (None: whatever is stored).  Raises ``GameError`` where the game cannot
    do it, ``StaleVersionError`` where it has gone on since; then nothing was written.
    """
    current = load_state(store, game) if state is None else state
    events = decide(current, command, ruleset)
    store.append(game, current.version, events)
    return replay(events, current)


def load_state(store: Store, game: str) -> State:
    """The state of a stored game.  Raises ``LogError`` for a broken log, ``StoreError`` where it cannot be read."""
    log = store.load(game)
    try:
        state = replay(log)
        lying = sum(len(places) for places in parse_table(state.table))
        parse_table(state.question.shown if state.question else "")
        for draw in state.draws:
            _check_draw(draw)
        recalled(state)
    except (IndexError, ValueError):  # a seat that nobody has, tables or draws or answers that cannot be read
        raise LogError("{game}: the events are not those of a game", game=game) from None
    if lying != state.on_table or min((*state.racks, state.pool)) < 0:
        raise LogError("{game}: the events are not those of a game, for its tiles do not add up", game=game)
    return state


def _check_draw(draw: StarterDrawn) -> None:
    """Raise ``ValueError`` for a draw for the start with a tile that cannot be read, or not one for each seat."""
    if len([parse_tile(code) for code in draw.tiles]) != len(draw.seats):
        raise ValueError(f"{len(draw.seats)} seats drew {len(draw.tiles)} tiles")
