"""Runs of one colour, number by number: the open runs, and how they go on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, product

from referee.ruleset import RuleSet

Open = tuple[int, int, bool]
"""An open run: its length, its jokers (0 where their number does not matter), whether a joker lies last."""
State = tuple[Open, ...]
"""The open runs of one colour, sorted."""
Move = tuple[tuple[int, bool], ...]
"""For each run of the next state, in its order: the place of the run that it continues (-1: none), and whether the
tile that was added is a joker."""


@dataclass(frozen=True, slots=True)
class RunRules:
    """What of the rules decides how runs go on; limits that cannot be reached count as none."""

    shortest: int
    most_jokers: int | None
    adjacent: bool

    @classmethod
    def of(cls, ruleset: RuleSet, jokers: int) -> RunRules:
        """The rules where so many jokers are in play."""
        most = ruleset.jokers_per_set_max if jokers > ruleset.jokers_per_set_max else None
        return cls(ruleset.min_set_length, most, ruleset.jokers_adjacent or jokers < 2)

    @property
    def plain(self) -> bool:
        """Whether a joker in a run is as good as any tile."""
        return self.most_jokers is None and self.adjacent

    def moves(self, state: State, tiles: int, jokers: int) -> dict[State, Move]:
        """The states after laying so many tiles and jokers of the next number; runs not gone on with end here."""
        found: dict[State, Move] = {}
        unfinished = [i for i, one in enumerate(state) if one[0] < self.shortest]
        finished = [i for i, one in enumerate(state) if one[0] >= self.shortest]
        spare = tiles + jokers - len(unfinished)
        if spare < 0:
            return found
        if self.plain:
            # To go on with a finished run is as good as to begin one: it may be cut there.
            kept = min(spare, len(finished))
            choices: Iterator[tuple[int, ...]] = iter((tuple(finished[:kept]),))
        else:
            choices = (chosen for k in range(min(spare, len(finished)) + 1) for chosen in combinations(finished, k))
        for chosen in choices:
            origins = [*unfinished, *chosen]
            origins += [-1] * (tiles + jokers - len(origins))
            for standing in self._standing(len(origins), jokers):
                self._add(found, state, origins, standing)
        return found

    def _standing(self, places: int, jokers: int) -> Iterator[tuple[int, ...]]:
        return iter((tuple(range(jokers)),)) if self.plain else combinations(range(places), jokers)

    def _add(self, found: dict[State, Move], state: State, origins: list[int], standing: tuple[int, ...]) -> None:
        grown = []
        for place, origin in enumerate(origins):
            joker = place in standing
            length, held, last = state[origin] if origin >= 0 else (0, 0, False)
            if joker and not self.adjacent and last:
                return
            if joker and self.most_jokers is not None:
                held += 1
                if held > self.most_jokers:
                    return
            run = (min(length + 1, self.shortest), held, joker and not self.adjacent)
            grown.append((run, (origin, joker)))
        grown.sort()
        found.setdefault(tuple([run for run, _ in grown]), tuple([move for _, move in grown]))

    def starts(self, tiles: int, jokers: int) -> Iterator[State]:
        """Every state in which runs may come over from 13 to 1."""
        held = range((self.most_jokers or 0) + 1)
        flags = (False,) if self.adjacent else (False, True)
        kinds = sorted(product(range(1, self.shortest + 1), held, flags))
        for count in range(tiles + jokers + 1):
            yield from _multisets(kinds, count)

    def closes(self, start: State, end: State) -> bool:
        """Whether the runs open after 13 are those that came over to 1, and others that are finished."""
        left = list(end)
        for one in start:
            if one not in left:
                return False
            left.remove(one)
        return all(length >= self.shortest for length, _, _ in left)


def _multisets(kinds: list[Open], count: int) -> Iterator[State]:
    if not count:
        yield ()
        return
    for i, kind in enumerate(kinds):
        for rest in _multisets(kinds[i:], count - 1):
            yield (kind, *rest)
