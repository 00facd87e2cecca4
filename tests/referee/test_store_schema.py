"""The tables of the store: made by steps, brought up to date from any earlier state, and by one program at a time."""

from __future__ import annotations

import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from importlib.resources import files
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import event, inspect
from sqlalchemy.exc import SQLAlchemyError

from referee.store import StoreError, open_store
from referee.store.schema import METADATA, bring_up_to_date
from tests.conftest import REPOSITORY
from tests.referee.databases_at_hand import Database
from tests.referee.store_worker import begin, ready_program
from tests.referee.test_game import Game

FIRST = Path(__file__).parent / "databases" / "before-migrations.sql"
STEP = """
import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade():
    op.add_column("events", sa.Column("keeper", sa.String(20)))
    op.execute("UPDATE events SET keeper = 'Ala'")
"""


def test_the_steps_lead_to_the_tables_that_the_store_uses(database: Database) -> None:
    open_store(database.url).close()
    with database.engine() as engine, engine.connect() as connection:
        compared = MigrationContext.configure(connection, opts={"compare_type": True, "compare_server_default": True})
        assert compare_metadata(compared, METADATA) == []
        found = inspect(connection)
        assert found.get_pk_constraint("events")["constrained_columns"] == ["game", "version"]
        assert not any(column["nullable"] for column in found.get_columns("events"))


def before_migrations(database: Database) -> None:
    """The database that the first program made, with five events of one game and three of another."""
    statements = FIRST.read_text(encoding="utf-8").split(";\n")
    with database.engine() as engine, engine.begin() as connection:
        for statement in statements:
            if statement.strip() and statement.strip() not in {"BEGIN TRANSACTION", "COMMIT"}:
                connection.exec_driver_sql(statement)


def test_a_database_from_before_the_steps_is_adopted(database: Database) -> None:
    before_migrations(database)
    rows = database.ask("SELECT * FROM events ORDER BY game, version")
    assert len(rows) == 8
    for _ in range(2):
        store = open_store(database.url)
        assert store.games() == ("Stolik 1 – 'Łódź'", "table 2")
        log = store.load("Stolik 1 – 'Łódź'")
        assert len(log) == 5
        store.close()
    assert database.ask("SELECT * FROM events ORDER BY game, version") == rows
    assert database.ask("SELECT version_num FROM alembic_version") == [("0001",)]
    store = open_store(database.url)
    store.append("table 2", 3, log[3:])
    assert store.load("table 2") == log
    store.close()


def next_program(folder: Path, step: str = STEP) -> str:
    """The steps of a program that knows one more."""
    steps = folder / "steps"
    shutil.copytree(str(files("referee.store") / "migrations"), steps, ignore=shutil.ignore_patterns("__pycache__"))
    (steps / "versions" / "v0002_keeper.py").write_text(step, encoding="utf-8")
    return str(steps)


def test_an_older_database_is_brought_up_to_date_and_a_newer_one_refused(database: Database, tmp_path: Path) -> None:
    store = open_store(database.url)
    store.append("game", 0, Game().events)
    store.close()
    with database.engine() as engine:
        bring_up_to_date(engine, next_program(tmp_path))
    assert database.ask("SELECT game, version, keeper FROM events") == [("game", 1, "Ala")]
    with pytest.raises(StoreError, match=r"^the database is of a newer tileref than this one: it is at step '0002'$"):
        open_store(database.url)
    assert database.ask("SELECT game, version, keeper FROM events") == [("game", 1, "Ala")]


def test_a_step_that_fails_leaves_all_as_it_was(database: Database, tmp_path: Path) -> None:
    store = open_store(database.url)
    store.append("game", 0, Game().events)
    store.close()
    steps = next_program(tmp_path, STEP + "    op.execute('no statement')\n")
    with database.engine() as engine, pytest.raises(SQLAlchemyError):
        bring_up_to_date(engine, steps)
    store = open_store(database.url)
    assert store.load("game") == tuple(Game().events)
    store.close()
    with database.engine() as engine:
        assert [column["name"] for column in inspect(engine).get_columns("events")] == ["game", "version", "body"]


def test_a_table_of_another_program_is_left_alone(database: Database) -> None:
    database.run("CREATE TABLE events (place TEXT)", "INSERT INTO events VALUES ('Kraków')")
    with pytest.raises(StoreError, match=r"^the database has a table 'events' that is not tileref's$"):
        open_store(database.url)
    assert database.ask("SELECT * FROM events") == [("Kraków",)]
    with database.engine() as engine:
        assert inspect(engine).get_table_names() == ["events"]


def test_a_program_that_opens_the_database_while_another_makes_its_tables_waits(database: Database) -> None:
    second = ready_program("open", database.url)
    begun: list[str] = []

    def let_the_second_try(_c: object, _cursor: object, statement: str, *_: object) -> None:
        if "CREATE TABLE" in statement and not begun:
            begun.append(statement)
            begin(second)
            with pytest.raises(subprocess.TimeoutExpired):
                second.wait(timeout=1)

    with database.engine() as engine:
        event.listen(engine, "before_cursor_execute", let_the_second_try)
        bring_up_to_date(engine)
    assert second.communicate(timeout=120)[0] == "done\n"
    assert begun
    assert database.ask("SELECT version_num FROM alembic_version") == [("0001",)]


def test_threads_that_open_stores_at_once_all_can(tmp_path: Path) -> None:
    def use(number: int) -> tuple[str, ...]:
        with closing(open_store(f"sqlite:///{tmp_path / str(number)}.db")) as store:
            store.append("game", 0, Game().events)
            return store.games()

    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(use, range(24))) == [("game",)] * 24


def test_an_up_to_date_database_is_only_read(tmp_path: Path) -> None:
    path = tmp_path / "games.db"
    store = open_store(f"sqlite:///{path}")
    store.append("game", 0, Game().events)
    store.close()
    before = path.read_bytes()
    open_store(f"sqlite:///{path}").close()
    assert path.read_bytes() == before


def test_alembic_is_loaded_only_where_a_store_is_opened() -> None:
    ask = "import sys, web.cli, referee.store; print('alembic' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", ask], cwd=REPOSITORY, capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
