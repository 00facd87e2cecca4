"""The search: number by number, the open runs of the four colours, the cheapest way first.

What is left unlaid costs.  For one colour by itself, with as many groups as the tiles of a number allow, the least
cost from a number on is found exactly; the sum over the colours is a lower bound, by which the search is led (A*).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from referee.ruleset import RuleSet
from referee.solver.groups import WIDTH, Counts, group_rules, possible_groups, share_out
from referee.solver.runs import RunRules, State
from referee.tiles import HIGHEST_NUMBER, Colour, Tile

LAYERS = HIGHEST_NUMBER
_NEVER = 1 << 40


@dataclass(frozen=True)
class Task:
    """What must and what may be laid, by number (from 1) and colour, and what it costs to leave it."""

    must: tuple[Counts, ...]
    may: tuple[Counts, ...]
    costs: tuple[int, ...]
    jokers_must: int
    jokers_may: int
    joker_costs: tuple[int, ...]
    joker_left_cost: int
    ruleset: RuleSet

    @cached_property
    def runs(self) -> RunRules:
        return RunRules.of(self.ruleset, self.jokers_may)


@dataclass(frozen=True, slots=True)
class Option:
    """What one colour does at one number: tiles to groups, tiles and jokers to runs."""

    bound: int
    cost: int
    grouped: int
    tiles: int
    jokers: int
    after: tuple[State, State]


@dataclass(frozen=True, slots=True)
class Layer:
    """What was decided at one number."""

    grouped: Counts
    group_jokers: int
    options: tuple[Option, ...]


_Node = tuple[int, int, tuple[tuple[State, State], ...]]


def solve(task: Task) -> tuple[int, tuple[tuple[State, ...], tuple[Layer, ...]]] | None:
    """The least cost, the runs that came over to 1, and the decisions at each number; None if nothing is allowed."""
    return _Search(task).run()


class _Search:
    def __init__(self, task: Task) -> None:
        self.task = task
        self.known: dict[tuple[int, int, int, tuple[State, State]], list[list[Option]]] = {}
        self.groups = [possible_groups(held, task.jokers_may, group_rules(task.ruleset)) for held in task.may]
        self.most_grouped = [
            tuple(max(plain[colour] for plain, _ in groups) for colour in range(WIDTH)) for groups in self.groups
        ]
        limited = not task.ruleset.joker_for_exhausted_tile
        self.limited = limited

    def run(self) -> tuple[int, tuple[tuple[State, ...], tuple[Layer, ...]]] | None:
        task = self.task
        parents: dict[_Node, tuple[_Node, Layer] | None] = {}
        seen: set[_Node] = set()
        buckets: dict[int, list[tuple[int, _Node, _Node | None, Layer | None]]] = {}
        for first in self._firsts():
            node = (0, task.jokers_may, first)
            bound = sum(self.least(0, c, task.jokers_may, first[c]) for c in range(WIDTH))
            if bound < _NEVER:
                buckets.setdefault(bound, []).append((0, node, None, None))
        while buckets:
            level = min(buckets)
            stack = buckets[level]
            while stack:
                spent, node, parent, layer = stack.pop()
                if node in seen:
                    continue
                seen.add(node)
                parents[node] = None if parent is None or layer is None else (parent, layer)
                number, jokers, _ = node
                if number == LAYERS + 1:
                    return level, self._path(node, parents)
                if number == LAYERS:
                    if jokers > task.jokers_may - task.jokers_must:
                        continue
                    end = (number + 1, 0, node[2])
                    total = spent + jokers * task.joker_left_cost
                    buckets.setdefault(total, []).append((total, end, node, Layer((), 0, ())))
                    continue
                for bound, cost, after, how in self._expand(node):
                    buckets.setdefault(spent + bound, []).append((spent + cost, after, node, how))
            del buckets[level]
        return None

    def _firsts(self) -> list[tuple[tuple[State, State], ...]]:
        task = self.task
        if not task.ruleset.wrap_13_1:
            return [(((), ()),) * WIDTH]
        firsts: list[tuple[tuple[State, State], ...]] = [()]
        for colour in range(WIDTH):
            starts = list(task.runs.starts(task.may[-1][colour], task.jokers_may))
            mine = [(s, s) for s in starts if self.least(0, colour, task.jokers_may, (s, s)) < _NEVER]
            firsts = [(*first, one) for first in firsts for one in mine]
        return firsts

    @staticmethod
    def _path(
        node: _Node, parents: dict[_Node, tuple[_Node, Layer] | None]
    ) -> tuple[tuple[State, ...], tuple[Layer, ...]]:
        layers = []
        step = parents[node]
        while step is not None:
            node, layer = step
            layers.append(layer)
            step = parents[node]
        return tuple(start for start, _ in node[2]), tuple(reversed(layers[1:]))

    def least(self, layer: int, colour: int, jokers: int, state: tuple[State, State]) -> int:
        """The least cost of a colour from a number on."""
        if layer == LAYERS:
            return 0 if self.task.runs.closes(*state) else _NEVER
        return min((kind[0].bound for kind in self.options(layer, colour, jokers, state) if kind), default=_NEVER)

    def options(self, layer: int, colour: int, jokers: int, state: tuple[State, State]) -> list[list[Option]]:
        """What the colour may do at this number, by the number of tiles given to groups, the cheapest first."""
        key = (layer, colour, jokers, state)
        if key in self.known:
            return self.known[key]
        task = self.task
        may, must = task.may[layer][colour], task.must[layer][colour]
        held = task.ruleset.held(_face(layer, colour)) if self.limited else _NEVER
        found = []
        for grouped in range(self.most_grouped[layer][colour] + 1):
            kind = []
            for tiles in range(max(0, must - grouped), may - grouped + 1):
                left = (may - grouped - tiles) * task.costs[layer]
                for standing in range((jokers if grouped + tiles < held else 0) + 1):
                    cost = left + standing * task.joker_costs[layer]
                    for after in task.runs.moves(state[1], tiles, standing):
                        pair = (state[0], after)
                        rest = self.least(layer + 1, colour, jokers - standing, pair)
                        if rest < _NEVER:
                            kind.append(Option(cost + rest, cost, grouped, tiles, standing, pair))
            kind.sort(key=lambda option: option.bound)
            found.append(kind)
        self.known[key] = found
        return found

    def _expand(self, node: _Node) -> list[tuple[int, int, _Node, Layer]]:
        layer, jokers, states = node
        found = []
        kinds = [self.options(layer, colour, jokers, states[colour]) for colour in range(WIDTH)]
        for grouped, group_jokers in self.groups[layer]:
            if group_jokers > jokers:
                continue
            partial: list[tuple[int, int, tuple[Option, ...]]] = [
                (jokers - group_jokers, group_jokers * self.task.joker_costs[layer], ())
            ]
            for colour in range(WIDTH):
                partial = [
                    (left - option.jokers, cost + option.cost, (*options, option))
                    for left, cost, options in partial
                    for option in kinds[colour][grouped[colour]]
                    if option.jokers <= left
                ]
            for left, cost, options in partial:
                if self.limited and group_jokers and not self._may_stand(layer, grouped, group_jokers, options):
                    continue
                after = tuple([option.after for option in options])
                bound = cost + sum(self.least(layer + 1, colour, left, after[colour]) for colour in range(WIDTH))
                if bound < _NEVER:
                    found.append((bound, cost, (layer + 1, left, after), Layer(grouped, group_jokers, options)))
        found.sort(key=lambda one: -one[0])
        return found

    def _may_stand(self, layer: int, grouped: Counts, jokers: int, options: tuple[Option, ...]) -> bool:
        free = free_colours(self.task, layer, options)
        return share_out(grouped, jokers, *group_rules(self.task.ruleset), free) is not None


def free_colours(task: Task, layer: int, options: tuple[Option, ...]) -> int:
    """The colours (a bit each) of this number for which a joker may stand."""
    free = 0
    for colour, option in enumerate(options):
        laid = option.grouped + option.tiles
        if task.ruleset.joker_for_exhausted_tile or laid < task.ruleset.held(_face(layer, colour)):
            free |= 1 << colour
    return free


def _face(layer: int, colour: int) -> Tile:
    return Tile(colour=tuple(Colour)[colour], number=layer + 1)
