"""Runs of one colour, number by number: which runs are open, and how they go on."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache


@lru_cache(maxsize=64)
def runs_of(shortest: int, most: int) -> Runs:
    return Runs(shortest, most)


class Runs:
    """How many runs of each length are open in a colour; every such state has a number, 0 where none is open.

    Lengths from ``shortest`` on are alike.  A finished run goes on before a new one begins: it may be cut there.
    """

    def __init__(self, shortest: int, most: int) -> None:
        self.shortest = shortest
        self.most = most
        self.states: list[tuple[int, ...]] = []
        self.ids: dict[tuple[int, ...], int] = {}
        self.rows: dict[int, tuple[int, tuple[int, ...]]] = {}
        self._id((0,) * shortest)

    def _id(self, state: tuple[int, ...]) -> int:
        if state not in self.ids:
            self.ids[state] = len(self.states)
            self.states.append(state)
        return self.ids[state]

    def row(self, state: int) -> tuple[int, tuple[int, ...]]:
        """The fewest tiles that go on with the unfinished runs; the states after so many tiles, one more, …"""
        if state not in self.rows:
            *young, finished = self.states[state]
            forced = sum(young)
            after = []
            for spare in range(self.most - forced + 1):
                kept = min(finished, spare)
                after.append(self._id((spare - kept, *young[:-1], young[-1] + kept)))
            self.rows[state] = (forced, tuple(after))
        return self.rows[state]

    def closes(self, state: int) -> bool:
        """Whether no run is unfinished."""
        return not any(self.states[state][:-1])
