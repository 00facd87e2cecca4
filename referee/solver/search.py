"""The search: number by number, with the open runs of the four colours, the cheapest way first (A*).

What is left unlaid costs.  The state after a number is what runs are open in each colour and how many jokers are left.
For one colour by itself the least cost from a number on is found exactly, with as many groups as the tiles of a number
allow and every joker paid for; the sum over the colours, less the price of the jokers that are left, is never more
than the true cost, and leads the search.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from referee.solver.groups import WIDTH, Counts, GroupRules, possible_groups, share_out
from referee.solver.runs import Runs
from referee.tiles import HIGHEST_NUMBER

NEVER = 1 << 40
_UNIT = 12
"""Costs are counted in twelfths, so that a group's jokers can be paid by its tiles."""


@dataclass(frozen=True, slots=True)
class Task:
    """What must and what may be laid, by number (0 is the seam before 1) and colour, and what it costs to leave it.

    ``full`` are the numbers of tiles from which on no joker may stand for one, None where any joker may.
    """

    must: Sequence[Counts]
    may: Sequence[Counts]
    leaving: Sequence[int]
    jokers_must: int
    jokers_may: int
    joker_costs: Sequence[int]
    joker_leaving: int
    joker_price: int
    most_cost: int
    full: Sequence[Counts] | None = None


@dataclass(frozen=True, slots=True)
class Layer:
    """What was decided at one number: tiles and jokers for groups; for each colour tiles, jokers, open runs after."""

    grouped: Counts
    group_jokers: int
    runs: tuple[tuple[int, int, int], ...]


_Option = tuple[int, int, int, int]
"""What one colour may do at a number: the cost above the least, jokers, the state after, tiles."""
_Node = tuple[int, int, int, int, int, int]
"""A number, the jokers left, the states of the four colours after that number."""
_Vector = tuple[int, int, int, int, int, int]
"""Tiles of the four colours for groups, jokers for them, the cost above what the colours pay."""


@lru_cache(maxsize=1 << 14)
def _vectors(
    held: Counts, jokers: int, rules: GroupRules, price: int
) -> tuple[tuple[_Vector, ...], tuple[tuple[int, ...], ...]]:
    """The groups that are possible at a number, and what each colour pays at least for so many of its tiles in them.

    A group's jokers are paid by its tiles in equal parts.
    """
    possible = possible_groups(held, jokers, rules)
    paid = [[NEVER] * (max(plain[c] for plain, _ in possible) + 1) for c in range(WIDTH)]
    for plain, standing in possible:
        size = sum(plain)
        for c, count in enumerate(plain):
            paid[c][count] = min(paid[c][count], price * standing * count // size if size else 0)
    vectors = [
        (*plain, standing, price * standing - sum(paid[c][count] for c, count in enumerate(plain)))
        for plain, standing in possible
    ]
    vectors.sort(key=lambda one: one[5])
    return tuple(vectors), tuple(tuple(one) for one in paid)  # type: ignore[return-value]  # WIDTH is four


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


class Search:
    """One task under the rules of runs and groups."""

    def __init__(self, task: Task, runs: Runs, groups: GroupRules) -> None:
        self.task = task
        self.runs = runs
        self.rules = groups
        self.price = task.joker_price * _UNIT
        jokers = task.jokers_may
        self.joker_costs = [self.price + cost * _UNIT for cost in task.joker_costs]
        self.leaving = [cost * _UNIT for cost in task.leaving]
        self.vectors: list[tuple[_Vector, ...]] = []
        self.paid: list[tuple[tuple[int, ...], ...]] = []
        for number, held in enumerate(task.may):
            vectors, paid = _vectors(held, jokers, groups, self.joker_costs[number])
            self.vectors.append(vectors)
            self.paid.append(paid)
        self.costs = [
            [
                _run_costs(must[c], may[c], paid[c], jokers, leaving, price)
                for must, may, paid, leaving, price in zip(
                    task.must, task.may, self.paid, self.leaving, self.joker_costs, strict=True
                )
            ]
            for c in range(WIDTH)
        ]
        self.known: list[list[dict[int, int]]] = [[{} for _ in range(HIGHEST_NUMBER + 2)] for _ in range(WIDTH)]
        self.found: list[dict[int, list[list[_Option]]]] = [{} for _ in range(WIDTH)]

    def least(self, colour: int, number: int, state: int) -> int:
        """The least cost of a colour from a number on, its open runs being ``state``."""
        known = self.known[colour][number]
        if state in known:
            return known[state]
        best = NEVER
        if number > HIGHEST_NUMBER:
            if self.runs.closes(state):
                best = 0
        else:
            forced, following = self.runs.row(state)
            costs = self.costs[colour][number]
            later = self.known[colour][number + 1]
            for laid in range(forced, len(costs)):
                cost = costs[laid]
                if cost < best:
                    after = following[laid - forced]
                    rest = later.get(after)
                    if rest is None:
                        rest = self.least(colour, number + 1, after)
                    if cost + rest < best:
                        best = cost + rest
        known[state] = best
        return best

    def options(self, colour: int, number: int, state: int) -> list[list[_Option]]:
        """What the colour may do at this number, by the tiles it gives to groups, the cheapest first."""
        task = self.task
        may, must = task.may[number][colour], task.must[number][colour]
        least = self.least(colour, number, state)
        forced, following = self.runs.row(state)
        found = []
        for grouped, paid in enumerate(self.paid[number][colour]):
            kind: list[_Option] = []
            single = may - grouped
            for tiles in range(max(0, must - grouped), single + 1):
                cost = paid + (single - tiles) * self.leaving[number] - least
                for jokers in range(max(0, forced - tiles), task.jokers_may + 1):
                    after = following[tiles + jokers - forced]
                    rest = self.least(colour, number + 1, after)
                    if rest < NEVER:
                        kind.append((cost + jokers * self.joker_costs[number] + rest, jokers, after, tiles))
            kind.sort()
            found.append(kind)
        return found

    def run(self) -> tuple[int, list[Layer]] | None:
        """The least cost and the decisions at each number; None where nothing is allowed."""
        task, price = self.task, self.price
        first: _Node = (1, task.jokers_may, 0, 0, 0, 0)
        bound = sum(self.least(c, 1, 0) for c in range(WIDTH)) - price * task.jokers_may
        limit = task.most_cost * _UNIT
        parents: dict[_Node, tuple[_Node, _Vector, tuple[_Option, ...]] | None] = {first: None}
        spare = task.jokers_may - task.jokers_must
        levels: dict[int, list[tuple[_Node, int]]] = {bound: [(first, bound)]}
        while levels:
            level = min(levels)
            if level > limit:
                return None
            stack = levels[level]
            while stack:
                node, bound = stack.pop()
                number, jokers = node[0], node[1]
                if number > HIGHEST_NUMBER:
                    if jokers > spare:
                        continue
                    total = bound + (price + task.joker_leaving * _UNIT) * jokers
                    if total == level:
                        return level // _UNIT, self._path(node, parents)
                    levels.setdefault(total, []).append((node, bound))
                    continue
                further = self._expand(node, level - bound, parents, stack, level)
                if bound + further <= limit:
                    levels.setdefault(bound + further, []).append((node, bound))
            del levels[level]
        return None

    def _expand(self, node, extra, parents, stack, level):
        number, jokers, *states = node
        kinds = []
        for colour in range(WIDTH):
            key = states[colour] << 4 | number
            known = self.found[colour].get(key)
            if known is None:
                known = self.found[colour][key] = self.options(colour, number, states[colour])
            kinds.append(known)
        ka, kb, kc, kd = kinds
        number += 1
        over = NEVER
        for vector in self.vectors[number - 1]:
            ga, gb, gc, gd, gj, cost = vector
            left = jokers - gj
            if left < 0:
                continue
            ra = extra - cost
            if ra < 0:
                if -ra < over:
                    over = -ra
                break
            lb, lc, ld = kb[gb], kc[gc], kd[gd]
            if not (lb and lc and ld):
                continue
            for a in ka[ga]:
                rb = ra - a[0]
                if rb < 0:
                    if -rb < over:
                        over = -rb
                    break
                ja = left - a[1]
                if ja < 0:
                    continue
                for b in lb:
                    rc = rb - b[0]
                    if rc < 0:
                        if -rc < over:
                            over = -rc
                        break
                    jb = ja - b[1]
                    if jb < 0:
                        continue
                    for c in lc:
                        rd = rc - c[0]
                        if rd < 0:
                            if -rd < over:
                                over = -rd
                            break
                        jc = jb - c[1]
                        if jc < 0:
                            continue
                        for d in ld:
                            if d[0] < rd:
                                continue
                            if d[0] > rd:
                                if d[0] - rd < over:
                                    over = d[0] - rd
                                break
                            jd = jc - d[1]
                            if jd < 0:
                                continue
                            child = (number, jd, a[2], b[2], c[2], d[2])
                            if child not in parents:
                                parents[child] = (node, vector, (a, b, c, d))
                                stack.append((child, level))
        return extra + over

    @staticmethod
    def _path(node, parents):
        layers = []
        step = parents[node]
        while step is not None:
            node, vector, options = step
            layers.append(Layer(vector[:4], vector[4], tuple([(o[3], o[1], o[2]) for o in options])))
            step = parents[node]
        layers.reverse()
        return layers
