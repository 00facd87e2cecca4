"""From a task to sets, under the rules of a rule set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from referee.ruleset import RuleSet
from referee.solver.build import FACES, free_runs, group_sets, limited_runs
from referee.solver.columns import FreeColumns, LimitedColumns
from referee.solver.groups import WIDTH, Counts, GroupRules
from referee.solver.runs import LimitedRuns, RunRules, runs_of
from referee.solver.search import Search
from referee.solver.task import ROWS, Task
from referee.tiles import Tile

Sets = tuple[tuple[Tile, ...], ...]


def solve(task: Task, ruleset: RuleSet) -> tuple[int, Sets] | None:
    """The least cost and the sets; None where the task cannot be done."""
    jokers = task.jokers_may
    groups = GroupRules(ruleset.min_set_length, ruleset.jokers_per_set_max)
    limit = ruleset.jokers_per_set_max if jokers > ruleset.jokers_per_set_max else None
    adjacent = ruleset.jokers_adjacent or jokers < 2
    if ruleset.joker_for_exhausted_tile or not jokers:
        if limit is None and adjacent and not ruleset.wrap_13_1:
            runs = runs_of(ruleset.min_set_length, max([max(row) for row in task.may]) + jokers)
            found = Search(task, FreeColumns(task, groups, runs), groups).run()
            if found is None:
                return None
            cost, layers = found
            return cost, (*free_runs(layers, FACES), *group_sets(task, layers, FACES, groups))
    else:
        task = replace(task, full=_full(ruleset))
    return _solve_limited(task, groups, RunRules(ruleset.min_set_length, limit, adjacent, ruleset.wrap_13_1))


def _solve_limited(task: Task, groups: GroupRules, rules: RunRules) -> tuple[int, Sets] | None:
    """The same where runs need to be told apart; the circle of numbers is cut where fewest runs can cross."""
    faces: Sequence[Sequence[Tile]] = FACES
    if rules.wrap:
        cut = min(range(1, ROWS), key=lambda number: sum(task.may[number]))
        task, faces = _turned(task, cut), (*FACES[cut:], *FACES[:cut])
    runs = LimitedRuns(rules)
    found = Search(task, LimitedColumns(task, groups, runs), groups).run()
    if found is None:
        return None
    cost, layers = found
    return cost, (*limited_runs(layers, faces, runs), *group_sets(task, layers[1:], faces, groups))


def _turned(task: Task, cut: int) -> Task:
    """The same task with the number after ``cut`` as the first, ``cut`` as the last."""
    order = (0, *range(cut + 1, ROWS), *range(1, cut + 1))
    return replace(
        task,
        must=[task.must[number] for number in order],
        may=[task.may[number] for number in order],
        leaving=[task.leaving[number] for number in order],
        joker_costs=[task.joker_costs[number] for number in order],
        full=None if task.full is None else [task.full[number] for number in order],
    )


def _full(ruleset: RuleSet) -> list[Counts]:
    """How many copies of each tile the boxes hold."""
    return [(0,) * WIDTH, *(tuple(ruleset.held(tile) for tile in row) for row in FACES)]
