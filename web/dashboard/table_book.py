"""Which tables were open when the program ended: the next start goes on with their games.

A table that was not asked for the last time keeps its game too, until somebody asks for it again.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from web.files import write_whole

FILE = "tables.json"


@dataclass(frozen=True, slots=True)
class BookedTable:
    """One table: where its frames come from, the rules as they were asked for (empty: the default), its game.

    ``box`` is the taught box of its tiles; empty: that of the program, or none.  ``was_open``: so it was the last time.
    """

    name: str
    source: str
    rules: str
    game: str
    box: str = ""
    was_open: bool = True


def new_game(wall: float, table: str) -> str:
    """The name of a game that begins now (seconds since the epoch) at a table."""
    return datetime.fromtimestamp(wall, UTC).astimezone().strftime(f"game-%Y%m%d-%H%M%S-{table}")


def booked(home: Path) -> dict[str, BookedTable]:
    """The tables by name; none where nothing was written, or nobody can read it any more."""
    try:
        data = json.loads((home / "dashboard" / FILE).read_text(encoding="utf-8"))
        tables = [BookedTable(**{key: _kept(value) for key, value in one.items()}) for one in data]
    except (OSError, ValueError, TypeError, AttributeError):
        return {}
    return {table.name: table for table in tables}


def _kept(value: object) -> Any:
    return value if isinstance(value, bool) else str(value)


def book(home: Path, table: BookedTable) -> None:
    """Write down that a table plays a game, in place of what it played before.  Raises ``OSError``."""
    tables = booked(home) | {table.name: table}
    folder = home / "dashboard"
    folder.mkdir(parents=True, exist_ok=True)
    told = json.dumps([asdict(one) for one in tables.values()], indent=1)
    write_whole(folder / FILE, told.encode(), private=True)  # the address of a camera may hold a password
