"""From the decisions at each number to sets as they are laid."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from referee.solver.groups import group_rules, share_out
from referee.solver.runs import RunRules, State
from referee.solver.search import Layer, Task, free_colours
from referee.tiles import HIGHEST_NUMBER, Colour, Joker, Tile

_JOKER = Tile(joker=Joker.REGULAR)
_COLOURS = tuple(Colour)
Set = tuple[Tile, ...]


def build_sets(task: Task, starts: Sequence[State], layers: Sequence[Layer]) -> tuple[Set, ...]:
    """The sets, the runs first, colour by colour."""
    runs = [one for colour in range(len(_COLOURS)) for one in _runs(task.runs, colour, starts[colour], layers)]
    groups = [one for number, layer in enumerate(layers) for one in _groups(task, number, layer)]
    return (*runs, *groups)


def _runs(rules: RunRules, colour: int, start: State, layers: Sequence[Layer]) -> Iterator[Set]:
    """The runs of one colour: parts that came over to 1 are put behind those that reached 13."""
    heads: list[list[Tile]] = [[] for _ in start]
    current = heads[:]
    state = start
    done: list[list[Tile]] = []
    for number, layer in enumerate(layers, start=1):
        option = layer.options[colour]
        following = option.after[1]
        move = rules.moves(state, option.tiles, option.jokers)[following]
        went_on = {origin for origin, _ in move}
        done += [run for i, run in enumerate(current) if i not in went_on]
        tile = Tile(colour=_COLOURS[colour], number=number)
        before, current = current, []
        for origin, joker in move:
            run = before[origin] if origin >= 0 else []
            run.append(_JOKER if joker else tile)
            current.append(run)
        state = following
    yield from _joined(rules, heads, start, current, state, done)


def _joined(
    rules: RunRules,
    heads: Sequence[list[Tile]],
    start: State,
    current: Sequence[list[Tile]],
    state: State,
    done: Sequence[list[Tile]],
) -> Iterator[Set]:
    """Whole runs, where 1 may follow 13 those across the seam too, none longer than 13."""
    behind: dict[int, list[Tile]] = {}  # what follows a run that reached 13
    waiting = list(range(len(start)))
    for i, one in enumerate(state):
        match = next((k for k in waiting if start[k] == one), None)
        if match is not None:
            waiting.remove(match)
            behind[id(current[i])] = heads[match]
    followed = {id(head) for head in behind.values()}
    parts = [*done, *current]
    begun = [run for run in parts if id(run) not in followed]
    used: set[int] = set()
    for run in [*begun, *parts]:
        whole: list[Tile] = []
        part: list[Tile] | None = run
        while part is not None and id(part) not in used:
            used.add(id(part))
            whole += part
            part = behind.get(id(part))
        while len(whole) > HIGHEST_NUMBER:
            cut = min(HIGHEST_NUMBER, len(whole) - rules.shortest)
            yield tuple(whole[:cut])
            whole = whole[cut:]
        if whole:
            yield tuple(whole)


def _groups(task: Task, number: int, layer: Layer) -> Iterator[Set]:
    shared = share_out(
        layer.grouped, layer.group_jokers, *group_rules(task.ruleset), free_colours(task, number, layer.options)
    )
    assert shared is not None, "the search only chose tiles that make groups"  # noqa: S101
    for colours, jokers in shared:
        yield (*(Tile(colour=_COLOURS[colour], number=number + 1) for colour in colours), *(_JOKER,) * jokers)
