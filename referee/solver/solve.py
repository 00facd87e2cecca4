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
from referee.solver.task import ROWS, SEAM, Task
from referee.tiles import HIGHEST_NUMBER, Tile

Sets = tuple[tuple[Tile, ...], ...]

_PATIENCE = 100
"""After so many nodes the search looks at the other way round."""


def solve(task: Task, ruleset: RuleSet) -> tuple[int, Sets] | None:
    """The least cost and the sets; None where the task cannot be done."""
    jokers = task.jokers_may
    groups = GroupRules(ruleset.min_set_length, ruleset.jokers_per_set_max)
    if jokers and not ruleset.joker_for_exhausted_tile:
        task = replace(task, full=_full(ruleset))
    limit = ruleset.jokers_per_set_max if jokers > ruleset.jokers_per_set_max else None
    rules = RunRules(ruleset.min_set_length, limit, ruleset.jokers_adjacent or jokers < 2, ruleset.wrap_13_1)
    if task.full is None and rules.alike and not rules.wrap:
        return _solve_free(task, groups, rules)
    return _solve_limited(task, groups, rules)


def _solve_free(task: Task, groups: GroupRules, rules: RunRules) -> tuple[int, Sets] | None:
    """The answer where a joker in a run is as good as any tile.

    From 1 upwards and from 13 downwards the same tiles can be found quickly or slowly, and nobody knows before: where
    one way takes long, both go on in turn.
    """
    runs = runs_of(rules.shortest, max([max(row) for row in task.may]) + task.jokers_may)
    upwards = Search(task, FreeColumns(task, groups, runs), groups)
    if upwards.advance(_PATIENCE):
        answer = upwards.answer
    else:
        other = _turned(task, range(HIGHEST_NUMBER, 0, -1))
        downwards = Search(other, FreeColumns(other, groups, runs), groups)
        while True:
            if downwards.advance(_PATIENCE):
                answer = downwards.answer and (downwards.answer[0], downwards.answer[1][::-1])
                break
            if upwards.advance(_PATIENCE):
                answer = upwards.answer
                break
    if answer is None:
        return None
    cost, layers = answer
    return cost, (*free_runs(layers, FACES), *group_sets(task, layers, FACES, groups))


def _solve_limited(task: Task, groups: GroupRules, rules: RunRules) -> tuple[int, Sets] | None:
    """The answer where runs need to be told apart; the circle of numbers is cut where fewest runs can cross."""
    faces: Sequence[Sequence[Tile]] = FACES
    if rules.wrap:
        cut = min(range(1, ROWS), key=lambda number: _crossing(task.may[number], task.may[number % HIGHEST_NUMBER + 1]))
        task, faces = _turned(task, [*range(cut + 1, ROWS), *range(1, cut + 1)]), (*FACES[cut:], *FACES[:cut])
    runs = LimitedRuns(rules)
    search = Search(task, LimitedColumns(task, groups, runs), groups)
    while not search.advance(_PATIENCE):
        pass
    if search.answer is None:
        return None
    cost, layers = search.answer
    return cost, (*limited_runs(layers, faces, runs), *group_sets(task, layers[1:], faces, groups))


def _crossing(before: Counts, after: Counts) -> int:
    """How many runs can cross between two numbers, jokers aside."""
    return sum(map(min, before, after))


def _turned(task: Task, numbers: Sequence[int]) -> Task:
    """The same task with its numbers in another order."""
    order = (SEAM, *numbers)
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
