"""The search: number by number, with the open runs of the four colours, the cheapest way first (A*).

What is left unlaid costs.  The state after a number is which runs are open in each colour and how many jokers are left.
The least cost of each colour by itself, summed up, less the price of the jokers that are left, is never more than the
true cost: it leads the search.
"""

from __future__ import annotations

from referee.solver.columns import NEVER, UNIT, Columns, Option, Vector
from referee.solver.groups import EVERY_COLOUR, WIDTH, GroupRules, share_out
from referee.solver.task import Layer, Task
from referee.tiles import HIGHEST_NUMBER

Node = tuple[int, int, int, int, int, int]
"""The number that is next, the jokers left, the states of the four colours."""
_Step = tuple[Node, Vector, tuple[Option, ...]]
"""From where a node was reached, and by which decisions."""
_Entry = tuple[Node, int, int, int]
"""A node, its bound, what was spent, and up to what bound those that follow are asked for next."""


class Search:
    """The cheapest way to do a task."""

    def __init__(self, task: Task, columns: Columns, rules: GroupRules) -> None:
        self.answer: tuple[int, list[Layer]] | None = None
        """The least cost, and the decisions number by number; None where nothing is allowed."""
        self._task = task
        self._columns = columns
        self._rules = rules
        start = columns.first_number
        first: Node = (start, task.jokers_may, 0, 0, 0, 0)
        bound = sum([columns.least(c, start, 0) for c in range(WIDTH)]) - columns.price * task.jokers_may
        self._steps: dict[Node, _Step | None] = {first: None}
        self._waiting = {max(bound, 0): [(first, bound, 0, bound)]}

    def advance(self, nodes: int) -> bool:
        """Look at so many nodes more at most; whether the search is over, ``answer`` being the answer."""
        task = self._task
        spare = task.jokers_may - task.jokers_must
        while self._waiting:
            level = min(self._waiting)
            if level > task.most_cost * UNIT:
                break
            stack = self._waiting[level]
            while stack:
                if not nodes:
                    return False
                nodes -= 1
                entry = stack.pop()
                node, bound, spent, _ = entry
                found: list[_Entry] = []
                if node[0] <= HIGHEST_NUMBER:
                    found, later = self._expand(entry, level)
                elif node[1] > spare:
                    continue
                else:
                    later = spent + task.joker_leaving * UNIT * node[1]
                    if later == level:
                        self.answer = (level // UNIT, self._path(node))
                        return True
                again = stack if later <= level else self._waiting.setdefault(later, [])
                again.append((node, bound, spent, later))
                stack += found
            del self._waiting[level]
        return True

    def _expand(self, entry: _Entry, level: int) -> tuple[list[_Entry], int]:  # noqa: C901, PLR0912, PLR0915 (see below)
        """The nodes that follow up to the bound asked for, and the bound or level at which the next ones follow.

        The bound alone may be below ``level``, where the search began; no more than ``level`` may be spent.  The loops
        over the colours are written out and break off early: nearly all the time of a hard search goes here.
        """
        node, bound, spent, within = entry
        found: list[_Entry] = []
        steps = self._steps
        columns, limited = self._columns, self._task.full is not None
        number, jokers, *states = node
        of_a, of_b, of_c, of_d = [columns.options(c, number, state) for c, state in enumerate(states)]
        joker_cost = self._task.joker_costs[number] * UNIT
        following = number + 1
        room = within - bound
        over = NEVER  # the least by which what was passed over is above the bound asked for
        dearer = NEVER  # the least spent above the level
        for vector in columns.vectors[number]:
            group_a, group_b, group_c, group_d, standing, unpaid = vector
            left = jokers - standing
            if left < 0:
                continue
            room_a = room - unpaid
            if room_a < 0:
                over = min(over, -room_a)
                break
            some_b, some_c, some_d = of_b[group_b], of_c[group_c], of_d[group_d]
            if not (some_b and some_c and some_d):
                continue
            spent_0 = spent + standing * joker_cost
            for a in of_a[group_a]:
                room_b = room_a - a[0]
                if room_b < 0:
                    over = min(over, -room_b)
                    break
                left_a = left - a[1]
                if left_a < 0:
                    continue
                spent_a = spent_0 + a[3]
                for b in some_b:
                    room_c = room_b - b[0]
                    if room_c < 0:
                        over = min(over, -room_c)
                        break
                    left_b = left_a - b[1]
                    if left_b < 0:
                        continue
                    spent_b = spent_a + b[3]
                    for c in some_c:
                        room_d = room_c - c[0]
                        if room_d < 0:
                            over = min(over, -room_d)
                            break
                        left_c = left_b - c[1]
                        if left_c < 0:
                            continue
                        spent_c = spent_b + c[3]
                        for d in some_d:
                            if d[0] > room_d:
                                over = min(over, d[0] - room_d)
                                break
                            if d[1] > left_c:
                                continue
                            total = spent_c + d[3]
                            if total > level:
                                dearer = min(dearer, total)
                                continue
                            child = (following, left_c - d[1], a[2], b[2], c[2], d[2])
                            if child in steps:
                                continue
                            step = (node, vector, (a, b, c, d))
                            if limited and standing and not self._may_stand(step):
                                continue
                            steps[child] = step
                            below = within - room_d + d[0]
                            found.append((child, below, total, below))
        return found, min(within + over, dearer)

    def _may_stand(self, step: _Step) -> bool:
        """Whether the jokers of groups can stand for tiles of which not all lie on the table."""
        layer = _layer(step)
        free = free_colours(self._task, step[0][0], layer)
        return share_out(layer.grouped, layer.group_jokers, self._rules, free) is not None

    def _path(self, node: Node) -> list[Layer]:
        layers = []
        step = self._steps[node]
        while step is not None:
            layers.append(_layer(step))
            step = self._steps[step[0]]
        layers.reverse()
        return layers


def free_colours(task: Task, number: int, layer: Layer) -> int:
    """The colours (a bit each) of this number for which a joker may stand."""
    if task.full is None:
        return EVERY_COLOUR
    return sum(1 << c for c in range(WIDTH) if layer.laid(c) < task.full[number][c])


def _layer(step: _Step) -> Layer:
    _, vector, options = step
    return Layer(vector[:4], vector[4], tuple([(tiles, jokers, after) for _, jokers, after, _, tiles in options]))
