"""Runs of one colour, number by number: which runs are open, and how they go on.

A state says what runs are open after a number; states are numbered, 0 is no open run.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, combinations_with_replacement, product


class Runs:
    """Runs in which a joker is as good as any tile: how many runs of each length are open.

    Lengths from ``shortest`` on are alike.  A finished run goes on before a new one begins: it may be cut there.
    """

    def __init__(self, shortest: int, most: int) -> None:
        """``most`` is the most tiles and jokers that can be laid at one number."""
        self.most = most
        self._states: list[tuple[int, ...]] = []
        self._ids: dict[tuple[int, ...], int] = {}
        self._rows: dict[int, tuple[int, tuple[int, ...]]] = {}
        self._id((0,) * shortest)

    def row(self, state: int) -> tuple[int, tuple[int, ...]]:
        """The fewest tiles that go on with the unfinished runs; the states after so many tiles, one more, …"""
        row = self._rows.get(state)
        if row is None:
            *young, finished = self._states[state]
            forced = sum(young)
            after = []
            for spare in range(self.most - forced + 1):
                kept = min(finished, spare)
                after.append(self._id((spare - kept, *young[:-1], young[-1] + kept)))
            row = self._rows[state] = (forced, tuple(after))
        return row

    def closes(self, state: int) -> bool:
        """Whether no run is unfinished."""
        return not any(self._states[state][:-1])

    def _id(self, state: tuple[int, ...]) -> int:
        if state not in self._ids:
            self._ids[state] = len(self._states)
            self._states.append(state)
        return self._ids[state]


runs_of = lru_cache(maxsize=32)(Runs)


Open = tuple[int, int, bool]
"""An open run: its length, its jokers (0 where no limit can be reached), whether a joker that must not be followed by
another lies last."""
Move = tuple[tuple[int, bool], ...]
"""For each run open afterwards: the place of the run that it goes on with (-1: none), and whether by a joker."""


@dataclass(frozen=True, slots=True)
class RunRules:
    """What of the rules decides how runs go on; ``most_jokers`` is None where no run can have too many."""

    shortest: int
    most_jokers: int | None
    adjacent: bool
    wrap: bool

    @property
    def alike(self) -> bool:
        """Whether a joker in a run is as good as any tile."""
        return self.most_jokers is None and self.adjacent


class LimitedRuns:
    """Runs under rules that tell runs of one length apart, or let them go on from 13 to 1.

    A state holds also the runs that came over to the first number: the last number must leave them open.
    """

    def __init__(self, rules: RunRules) -> None:
        self.rules = rules
        self._states: list[tuple[tuple[Open, ...], tuple[Open, ...]]] = []
        self._ids: dict[tuple[tuple[Open, ...], tuple[Open, ...]], int] = {}
        self._moves: dict[tuple[int, int, int], dict[int, Move]] = {}
        self._id(((), ()))

    def starts(self, places: int, jokers: int) -> list[int]:
        """The states in which runs may come over to the first number."""
        if not self.rules.wrap:
            return [0]
        counts = range(min(jokers, self.rules.most_jokers) + 1) if self.rules.most_jokers is not None else (0,)
        flags = (False,) if self.rules.adjacent else (False, True)
        kinds = [*product(range(1, self.rules.shortest + 1), counts, flags)]
        several = (runs for k in range(places + jokers + 1) for runs in combinations_with_replacement(kinds, k))
        return [self._id((runs, runs)) for runs in several if sum(held for _, held, _ in runs) <= jokers]

    def open(self, state: int) -> tuple[Open, ...]:
        """The open runs of a state, in order."""
        return self._states[state][1]

    def closes(self, state: int) -> bool:
        """Whether the open runs are those that came over to the first number, and others that are finished."""
        start, end = self._states[state]
        left = list(end)
        for one in start:
            if one not in left:
                return False
            left.remove(one)
        return all(length >= self.rules.shortest for length, _, _ in left)

    def moves(self, state: int, tiles: int, jokers: int) -> dict[int, Move]:
        """The states after laying so many tiles and jokers of the next number; runs not gone on with end."""
        key = (state, tiles, jokers)
        if key not in self._moves:
            found: dict[int, Move] = {}
            start, runs = self._states[state]
            for origins, standing in self._ways(runs, tiles + jokers, jokers):
                grown = sorted(self._grown(runs, origins, standing))
                if len(grown) == len(origins):
                    after = self._id((start, tuple([run for run, _ in grown])))
                    found.setdefault(after, tuple([move for _, move in grown]))
            self._moves[key] = found
        return self._moves[key]

    def _ways(self, runs: Sequence[Open], laid: int, jokers: int) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
        """Which runs go on (-1: a new one), and which of them by a joker."""
        unfinished = [i for i, one in enumerate(runs) if one[0] < self.rules.shortest]
        finished = [i for i, one in enumerate(runs) if one[0] >= self.rules.shortest]
        spare = laid - len(unfinished)
        alike = self.rules.alike
        for kept in range(min(spare, len(finished)) + 1):
            if alike and kept < min(spare, len(finished)):
                continue  # a finished run goes on before a new one begins: it may be cut there
            for chosen in [finished[:kept]] if alike else combinations(finished, kept):
                origins = (*unfinished, *chosen, *[-1] * (spare - kept))
                for standing in [range(jokers)] if alike else combinations(range(laid), jokers):
                    yield origins, tuple(standing)

    def _grown(
        self, runs: Sequence[Open], origins: Sequence[int], standing: Sequence[int]
    ) -> Iterator[tuple[Open, tuple[int, bool]]]:
        """The runs afterwards, each with its move; those left out that break a limit."""
        most = self.rules.most_jokers
        for place, origin in enumerate(origins):
            length, held, last = runs[origin] if origin >= 0 else (0, 0, False)
            joker = place in standing
            held += joker and most is not None
            if (joker and last) or (most is not None and held > most):
                continue
            run = (min(length + 1, self.rules.shortest), held, joker and not self.rules.adjacent)
            yield run, (origin, joker)

    def _id(self, state: tuple[tuple[Open, ...], tuple[Open, ...]]) -> int:
        if state not in self._ids:
            self._ids[state] = len(self._states)
            self._states.append(state)
        return self._ids[state]
