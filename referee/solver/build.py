"""From the decisions at each number to sets as they are laid."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from referee.solver.groups import WIDTH, GroupRules, share_out
from referee.solver.runs import LimitedRuns
from referee.solver.search import free_colours
from referee.solver.task import Layer, Task
from referee.tiles import HIGHEST_NUMBER, Colour, Joker, Tile

JOKER = Tile(joker=Joker.REGULAR)
FACES = tuple(tuple(Tile(colour=colour, number=number) for colour in Colour) for number in range(1, HIGHEST_NUMBER + 1))
"""The plain tiles by number and colour."""
Set = tuple[Tile, ...]
Row = Sequence[Tile]
"""The tiles of one number by colour."""


def free_runs(layers: Sequence[Layer], faces: Sequence[Row]) -> Iterator[Set]:
    """The runs where a joker is as good as any tile."""
    for colour in range(WIDTH):
        current: list[list[Tile]] = []
        for row, layer in zip(faces, layers, strict=True):
            tiles, jokers, _ = layer.runs[colour]
            count = tiles + jokers
            if len(current) > 1:
                current.sort(key=len)  # unfinished runs go on first
            yield from map(tuple, current[count:])
            del current[count:]
            current += [[] for _ in range(count - len(current))]
            for place, run in enumerate(current):
                run.append(row[colour] if place < tiles else JOKER)
        yield from map(tuple, current)


def limited_runs(layers: Sequence[Layer], faces: Sequence[Row], runs: LimitedRuns) -> Iterator[Set]:
    """The runs where every way to go on was looked at; the first layer holds the runs that came over the seam."""
    seam, *others = layers
    for colour in range(WIDTH):
        state = seam.runs[colour][2]
        heads: list[list[Tile]] = [[] for _ in runs.open(state)]
        start, current = runs.open(state), heads[:]
        done: list[list[Tile]] = []
        for row, layer in zip(faces, others, strict=True):
            tiles, jokers, after = layer.runs[colour]
            move = runs.moves(state, tiles, jokers)[after]
            gone_on = {origin for origin, _ in move}
            done += [run for i, run in enumerate(current) if i not in gone_on]
            before, current = current, [[] for _ in move]
            for place, (origin, joker) in enumerate(move):
                if origin >= 0:
                    current[place] = before[origin]
                current[place].append(JOKER if joker else row[colour])
            state = after
        behind = _over_the_seam(start, heads, runs.open(state), current)
        yield from _whole(done + current, behind, runs.rules.shortest)


def _over_the_seam(
    start: Sequence[object], heads: Sequence[list[Tile]], end: Sequence[object], current: Sequence[list[Tile]]
) -> dict[int, list[Tile]]:
    """What goes on behind each run that is open at the end, by the run's identity."""
    behind = {}
    waiting = list(range(len(start)))
    for one, run in zip(end, current, strict=True):
        head = next((k for k in waiting if start[k] == one), None)
        if head is not None:
            waiting.remove(head)
            behind[id(run)] = heads[head]
    return behind


def _whole(parts: Sequence[list[Tile]], behind: dict[int, list[Tile]], shortest: int) -> Iterator[Set]:
    """Runs put together over the seam; what is longer than 13, or goes round and round, is cut."""
    followers = {id(run) for run in behind.values()}
    used: set[int] = set()
    for first in [*(run for run in parts if id(run) not in followers), *parts]:
        whole: list[Tile] = []
        part: list[Tile] | None = first
        while part is not None and id(part) not in used:
            used.add(id(part))
            whole += part
            part = behind.get(id(part))
        while len(whole) > HIGHEST_NUMBER:
            cut = min(HIGHEST_NUMBER, len(whole) - shortest)
            yield tuple(whole[:cut])
            whole = whole[cut:]
        if whole:
            yield tuple(whole)


def group_sets(task: Task, layers: Sequence[Layer], faces: Sequence[Row], rules: GroupRules) -> Iterator[Set]:
    """The groups, number by number."""
    for number, (row, layer) in enumerate(zip(faces, layers, strict=True), start=1):
        if any(layer.grouped) or layer.group_jokers:
            free = free_colours(task, number, layer)
            for colours, jokers in share_out(layer.grouped, layer.group_jokers, rules, free) or ():
                yield (*[row[colour] for colour in colours], *[JOKER] * jokers)
