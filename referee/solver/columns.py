"""The four colours each by itself: what each may do at a number, and the least that it costs from there on."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from functools import lru_cache

from referee.solver.groups import WIDTH, Counts, GroupRules, possible_groups
from referee.solver.runs import LimitedRuns, Runs
from referee.solver.task import SEAM, Task
from referee.tiles import HIGHEST_NUMBER

NEVER = 1 << 40
UNIT = 12
"""Costs are counted in twelfths, so that the tiles of a group can share the price of its jokers."""

Option = tuple[int, int, int, int, int]
"""What a colour may do at a number: the bound above its least, jokers, the state after, the true cost, tiles."""
Vector = tuple[int, int, int, int, int, int]
"""Tiles of the four colours for groups, jokers for them, the price above what the colours pay."""


@lru_cache(maxsize=1 << 14)
def _vectors(
    held: Counts, jokers: int, rules: GroupRules, price: int
) -> tuple[tuple[Vector, ...], tuple[tuple[int, ...], ...]]:
    """The groups that are possible at a number; what a colour pays at least for so many of its tiles in them.

    The jokers of a group are paid by its tiles in equal parts.
    """
    possible = possible_groups(held, jokers, rules)
    paid = [[NEVER] * (max(plain[c] for plain, _ in possible) + 1) for c in range(WIDTH)]
    for plain, standing in possible:
        size = sum(plain)
        for c, count in enumerate(plain):
            paid[c][count] = min(paid[c][count], price * standing * count // size if size else 0)
    vectors = []
    for plain, standing in possible:
        red, blue, black, orange = plain
        unpaid = price * standing - sum(paid[c][count] for c, count in enumerate(plain))
        vectors.append((red, blue, black, orange, standing, unpaid))
    vectors.sort(key=lambda one: one[5])
    return tuple(vectors), tuple(tuple(one) for one in paid)


@lru_cache(maxsize=1 << 14)
def _run_costs(must: int, may: int, paid: tuple[int, ...], jokers: int, leaving: int, price: int) -> tuple[int, ...]:
    """The least cost of laying 0, 1, 2 … tiles of one face in runs, the others in groups or left."""
    costs = [NEVER] * (may + jokers + 1)
    for grouped, group_cost in enumerate(paid):
        single = may - grouped
        for laid in range(max(0, must - grouped), single + jokers + 1):
            extra = leaving * (single - laid) if laid <= single else price * (laid - single)
            costs[laid] = min(costs[laid], group_cost + extra)
    return tuple(costs)


class Columns(ABC):
    """The colours under some rules; every answer is remembered.  Costs are in ``UNIT`` parts.

    A colour has every group that the tiles of a number allow, and as many jokers as are in play, each at its price.
    """

    first_number: int

    def __init__(self, task: Task, rules: GroupRules) -> None:
        self.task = task
        self.price = task.joker_price * UNIT
        self.joker_costs = [cost * UNIT for cost in task.joker_costs]
        self.leaving = [cost * UNIT for cost in task.leaving]
        self.vectors: list[tuple[Vector, ...]] = []
        self.paid: list[tuple[tuple[int, ...], ...]] = []
        for number, held in enumerate(task.may):
            jokers = task.jokers_may if number != SEAM else 0
            vectors, paid = _vectors(held, jokers, rules, self.price + self.joker_costs[number])
            self.vectors.append(vectors)
            self.paid.append(paid)
        self._known: list[list[dict[int, int]]] = [[{} for _ in range(HIGHEST_NUMBER + 2)] for _ in range(WIDTH)]
        self._options: list[dict[int, list[list[Option]]]] = [{} for _ in range(WIDTH)]

    def least(self, colour: int, number: int, state: int) -> int:
        """The least cost of a colour from a number on, its open runs being ``state``."""
        known = self._known[colour][number]
        best = known.get(state)
        if best is None:
            if number > HIGHEST_NUMBER:
                best = 0 if self._closes(state) else NEVER
            else:
                best = self._least(colour, number, state)
            known[state] = best
        return best

    def options(self, colour: int, number: int, state: int) -> list[list[Option]]:
        """What a colour may do at a number, by the tiles that it gives to groups, the cheapest first."""
        known = self._options[colour]
        key = state << 4 | number
        options = known.get(key)
        if options is None:
            options = known[key] = self._look(colour, number, state)
            for kind in options:
                kind.sort()
        return options

    @abstractmethod
    def _closes(self, state: int) -> bool: ...

    @abstractmethod
    def _least(self, colour: int, number: int, state: int) -> int: ...

    @abstractmethod
    def _look(self, colour: int, number: int, state: int) -> list[list[Option]]: ...


class FreeColumns(Columns):
    """Where a joker in a run is as good as any tile: how many are laid in runs says what is open afterwards."""

    first_number = 1

    def __init__(self, task: Task, rules: GroupRules, runs: Runs) -> None:
        super().__init__(task, rules)
        self._row, self._closes_runs = runs.row, runs.closes
        prices = [self.price + cost for cost in self.joker_costs]
        rows = list(zip(task.must, task.may, self.paid, self.leaving, prices, strict=True))
        self._costs = [
            [
                _run_costs(must[c], may[c], paid[c], task.jokers_may, leaving, price)
                for must, may, paid, leaving, price in rows
            ]
            for c in range(WIDTH)
        ]

    def _closes(self, state: int) -> bool:
        return self._closes_runs(state)

    def _least(self, colour: int, number: int, state: int) -> int:
        forced, following = self._row(state)
        costs = self._costs[colour][number]
        later = self._known[colour][number + 1]
        best = NEVER
        for laid in range(forced, len(costs)):
            cost = costs[laid]
            if cost < best:
                after = following[laid - forced]
                rest = later.get(after)
                if rest is None:
                    rest = self.least(colour, number + 1, after)
                best = min(best, cost + rest)
        return best

    def _look(self, colour: int, number: int, state: int) -> list[list[Option]]:
        task = self.task
        least = self.least(colour, number, state)
        forced, following = self._row(state)
        may, must = task.may[number][colour], task.must[number][colour]
        price, joker_cost, leaving = self.price, self.joker_costs[number], self.leaving[number]
        found = []
        for grouped, paid in enumerate(self.paid[number][colour]):
            kind: list[Option] = []
            for tiles in range(max(0, must - grouped), may - grouped + 1):
                left = (may - grouped - tiles) * leaving
                for jokers in range(max(0, forced - tiles), task.jokers_may + 1):
                    after = following[tiles + jokers - forced]
                    rest = self.least(colour, number + 1, after)
                    if rest < NEVER:
                        cost = left + jokers * joker_cost
                        kind.append((paid + cost + jokers * price + rest - least, jokers, after, cost, tiles))
            found.append(kind)
        return found


class LimitedColumns(Columns):
    """Where it matters which tile of a run is a joker, or 1 may follow 13: every way to go on is looked at."""

    first_number = SEAM

    def __init__(self, task: Task, rules: GroupRules, runs: LimitedRuns) -> None:
        super().__init__(task, rules)
        self._runs = runs

    def _closes(self, state: int) -> bool:
        return self._runs.closes(state)

    def _least(self, colour: int, number: int, state: int) -> int:
        costs = [bound for kind in self._look(colour, number, state, 0) for bound, *_ in kind]
        return min(costs, default=NEVER)

    def _look(self, colour: int, number: int, state: int, least: int | None = None) -> list[list[Option]]:
        if least is None:
            least = self.least(colour, number, state)
        if number == SEAM:
            # A run goes over the seam with a tile on either side of it.
            places = min(self.task.may[HIGHEST_NUMBER][colour], self.task.may[1][colour])
            starts = self._runs.starts(places, self.task.jokers_may)
            costs = {after: self.least(colour, number + 1, after) for after in starts}
            return [[(cost - least, 0, after, 0, 0) for after, cost in costs.items() if cost < NEVER]]
        return [
            list(self._kind(colour, number, state, grouped, paid - least))
            for grouped, paid in enumerate(self.paid[number][colour])
        ]

    def _kind(self, colour: int, number: int, state: int, grouped: int, above: int) -> Iterator[Option]:
        task = self.task
        single = task.may[number][colour] - grouped
        for tiles in range(max(0, task.must[number][colour] - grouped), single + 1):
            free = task.full is None or grouped + tiles < task.full[number][colour]
            for jokers in range((task.jokers_may if free else 0) + 1):
                cost = (single - tiles) * self.leaving[number] + jokers * self.joker_costs[number]
                for after in self._runs.moves(state, tiles, jokers):
                    rest = self.least(colour, number + 1, after)
                    if rest < NEVER:
                        yield above + cost + jokers * self.price + rest, jokers, after, cost, tiles
