"""Databases for the tests of the store: SQLite files, and a PostgreSQL server that lives for the tests alone."""

from __future__ import annotations

import importlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import uuid4

from sqlalchemy import Engine, create_engine, text

LARGEST_FILE_KIB = 8 * 1024
"""The server may make no larger file: so its disk can be full without filling ours."""


class NoServerError(Exception):
    """No PostgreSQL server can be started here; one sentence says why."""


@dataclass(frozen=True)
class Database:
    """A database that is empty at first."""

    url: str

    @property
    def kind(self) -> str:
        return self.url.split(":", maxsplit=1)[0].split("+", maxsplit=1)[0]

    @contextmanager
    def engine(self) -> Iterator[Engine]:
        """A way into it past the store."""
        engine = create_engine(self.url)
        try:
            yield engine
        finally:
            engine.dispose()

    def run(self, *statements: str, **values: Any) -> None:
        with self.engine() as engine, engine.begin() as connection:
            for statement in statements:
                connection.execute(text(statement), values)

    def ask(self, query: str) -> list[tuple[Any, ...]]:
        with self.engine() as engine, engine.connect() as connection:
            return [tuple(row) for row in connection.execute(text(query))]


def find(program: str) -> str | None:
    """A program of PostgreSQL, also where Debian keeps it off the path."""
    debian = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{program}"))
    return str(debian[-1]) if debian else shutil.which(program)


@dataclass
class Server:
    """A PostgreSQL server of our own, reached by a socket in its folder."""

    folder: Path
    initdb: str
    pg_ctl: str
    as_owner: Sequence[str] = ()
    data: Path = field(init=False)

    def __post_init__(self) -> None:
        self.data = self.folder / "data"

    def make(self) -> None:
        self._run(
            self.initdb, "-D", str(self.data), "-U", "tileref", "--auth", "trust", "--no-sync", "--encoding", "UTF8",
            "--wal-segsize", "1",
        )  # fmt: skip

    def start(self) -> None:
        options = f"-c listen_addresses='' -c unix_socket_directories={self.folder} -c fsync=off"
        limited = ("bash", "-c", f'ulimit -f {LARGEST_FILE_KIB}; exec "$@"', "bash")
        log = str(self.folder / "log")
        self._run(*limited, self.pg_ctl, "-D", str(self.data), "-o", options, "-l", log, "-w", "start")

    def stop(self) -> None:
        """As if the power had failed."""
        if (self.data / "postmaster.pid").is_file():
            self._run(self.pg_ctl, "-D", str(self.data), "-m", "immediate", "-w", "stop")

    def database(self) -> Database:
        name = f"tileref_{uuid4().hex}"
        with create_engine(self._url("postgres"), isolation_level="AUTOCOMMIT").connect() as connection:
            connection.execute(text(f"CREATE DATABASE {name}"))
            connection.detach()
        return Database(self._url(name))

    def _url(self, database: str) -> str:
        return f"postgresql+psycopg://tileref@/{database}?host={self.folder}"

    def _run(self, *words: str) -> None:
        log = self.folder / "log"
        done = subprocess.run(
            [*self.as_owner, *words], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, cwd="/", timeout=120,
            check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr.decode() + (log.read_text() if log.is_file() else "")


@contextmanager
def running_server() -> Iterator[Server]:
    """A server that is stopped, and whose data are gone, afterwards.  Raises ``NoServerError`` where none can be."""
    initdb, pg_ctl = find("initdb"), find("pg_ctl")
    if initdb is None or pg_ctl is None:
        raise NoServerError("PostgreSQL is not installed (Debian: postgresql)")
    try:
        importlib.import_module("psycopg")
    except ImportError as error:  # also where its own library is missing
        raise NoServerError(f"the driver psycopg cannot be used: {error}") from error
    folder = Path(tempfile.mkdtemp(prefix="tileref-pg-"))
    try:
        as_owner: Sequence[str] = ()
        if os.getuid() == 0:  # the server refuses to run as root
            as_owner = ("runuser", "-u", "postgres", "--")
            if shutil.which("runuser") is None:
                raise NoServerError("PostgreSQL does not run as root, and there is no command runuser")
            try:
                shutil.chown(folder, "postgres")
            except LookupError:
                raise NoServerError("PostgreSQL does not run as root, and there is no user postgres") from None
        server = Server(folder, initdb, pg_ctl, as_owner)
        try:
            server.make()
            server.start()
            yield server
        finally:
            server.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
