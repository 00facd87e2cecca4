"""What the tests of the store share: databases of each kind, and a name for a game."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest

from tests.referee.databases_at_hand import Database, NoServerError, Server, running_server


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """A PostgreSQL server; the test is skipped, with the reason, where none can be started."""
    try:
        with running_server() as running:
            yield running
    except NoServerError as error:
        pytest.skip(str(error))


@pytest.fixture
def sqlite_file(tmp_path: Path) -> Database:
    return Database(f"sqlite:///{tmp_path / 'games.db'}")


@pytest.fixture
def postgresql(server: Server) -> Database:
    return server.database()


@pytest.fixture(params=["sqlite_file", "postgresql"])
def database(request: pytest.FixtureRequest) -> Database:
    """An empty database of each kind."""
    made: Database = request.getfixturevalue(request.param)
    return made


@pytest.fixture
def game() -> str:
    """A name that no other test uses."""
    return f"table 1 – Łódź {uuid4()}"
