"""The file in which the results of simulated games are gathered: one JSON line a game, in whatever order."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from web.files import cause
from web.simulation.figures import GameFigures

Line = dict[str, Any]
_NEEDED = frozenset(GameFigures(0, "", 0).as_json())
_BEGINNING = '{"seed": '
"""How each line begins; one that was broken off in writing is passed over."""


class BookError(ValueError):
    """A file of results cannot be read or written; one sentence."""


@dataclass(frozen=True, slots=True)
class Book:
    """A file of results.  Each line is written whole as soon as its game is over; several programs may add to one."""

    path: Path

    def begin(self) -> None:
        """Find out, before hours of games, that they can be written down.  Raises ``BookError``."""
        self.lines()
        self._append("")

    def lines(self) -> list[Line]:
        """The games that it holds; a line that was broken off in writing is none.  Raises ``BookError``."""
        try:
            text = self.path.read_text(encoding="utf-8")
        except FileNotFoundError:
            return []
        except (OSError, ValueError) as error:
            raise BookError(f"{self.path} cannot be read as results of games.") from error
        whole = text.splitlines()
        return [
            line for number, written in enumerate(whole, start=1) if (line := self._line(written, number)) is not None
        ]

    def _line(self, written: str, number: int) -> Line | None:
        try:
            line = json.loads(written)
        except ValueError as error:
            if not written or written.startswith(_BEGINNING):
                return None
            raise BookError(f"Line {number} of {self.path} is no result of a game.") from error
        if not isinstance(line, dict) or not set(line) >= _NEEDED:
            raise BookError(f"Line {number} of {self.path} is no result of a game.")
        return line

    def holds(self, seed: int, rules: str, players: int) -> bool:
        """Whether a game was played already.  Raises ``BookError``."""
        wanted = seed, rules, players
        return any((line["seed"], line["rules"], line["players"]) == wanted for line in self.lines())

    def add(self, figures: GameFigures) -> None:
        """Write a game down.  Raises ``BookError``."""
        broken = self.path.is_file() and self.path.read_bytes()[-1:] not in {b"", b"\n"}
        self._append(("\n" if broken else "") + json.dumps(figures.as_json()) + "\n")

    def _append(self, text: str) -> None:
        try:
            with self.path.open("a", encoding="utf-8") as file:
                file.write(text)
        except OSError as error:
            raise BookError(f"{self.path} cannot be written: {cause(error)}.") from error


def gathered(files: Sequence[Path]) -> list[Line]:
    """The games of several files in the order of their seeds, each once.  Raises ``BookError``."""
    lines = [line for file in files for line in Book(file).lines()]
    return [one for _, one in sorted({(line["seed"], line["rules"], line["players"]): line for line in lines}.items())]
