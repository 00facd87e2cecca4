"""The tables of the store, and how a database of an earlier program is brought up to date.

``migrations/versions`` holds one step a file; what they lead to is ``METADATA`` (a test compares the two).  A table
changes by a new step, never by a change of an old one.
"""

from __future__ import annotations

from threading import Lock

from sqlalchemy import Column, Connection, Engine, Integer, MetaData, String, Table, Text, inspect, text

from referee.store.errors import StoreError

LONGEST_GAME_NAME = 100
MIGRATIONS = "referee.store:migrations"
METADATA = MetaData()
EVENTS = Table(
    "events",
    METADATA,
    Column("game", String(LONGEST_GAME_NAME), primary_key=True),
    Column("version", Integer, primary_key=True, autoincrement=False),
    Column("body", Text, nullable=False),
)
_ADVISORY_LOCK = 0x74696C65726566
"""Who brings a PostgreSQL database up to date holds this lock: ``tileref`` in ASCII."""
_ALEMBIC = Lock()
"""Alembic keeps what it works on in variables of its modules: one thread at a time."""


def bring_up_to_date(engine: Engine, migrations: str = MIGRATIONS) -> None:
    """Make the tables, or bring those of an earlier program to today's: all steps or none, and no event is lost.

    ``migrations`` is where the steps lie, as alembic writes it.  A database that is up to date is only read.  Raises
    ``StoreError`` for a database that this program does not know, and what SQLAlchemy raises.
    """
    from alembic.command import upgrade  # noqa: PLC0415  slow to load, and needed only where a store is opened
    from alembic.config import Config  # noqa: PLC0415
    from alembic.script import ScriptDirectory  # noqa: PLC0415

    config = Config()
    config.set_main_option("script_location", migrations)
    steps = ScriptDirectory.from_config(config)
    with engine.connect() as connection:
        if _step(connection) == steps.get_current_head():
            return
    with _ALEMBIC, engine.begin() as connection:
        _lock(connection)
        step = _step(connection)
        if step is None:
            _refuse_strange_tables(connection)
        elif step not in {known.revision for known in steps.walk_revisions()}:
            raise StoreError("the database is of a newer tileref than this one: it is at step {step!r}", step=step)
        config.attributes["connection"] = connection
        upgrade(config, "head")


def _step(connection: Connection) -> str | None:
    """The last step that was made; None: none was, or the table is older than the steps."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    step = connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
    return None if step is None else str(step)


def _lock(connection: Connection) -> None:
    """Let only one at a time bring the tables up to date; SQLite's driver would not even begin a transaction."""
    if connection.dialect.name == "sqlite":
        connection.execute(text("BEGIN IMMEDIATE"))
    else:
        connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _ADVISORY_LOCK})


def _refuse_strange_tables(connection: Connection) -> None:
    """A table that happens to have our name is left as it is."""
    found = inspect(connection)
    if found.has_table(EVENTS.name):
        columns = {column["name"] for column in found.get_columns(EVENTS.name)}
        if columns != {"game", "version", "body"}:
            raise StoreError("the database has a table {table!r} that is not tileref's", table=EVENTS.name)
