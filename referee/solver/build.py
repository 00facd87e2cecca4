"""From the decisions at each number to sets as they are laid."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from referee.solver.groups import WIDTH, GroupRules, share_out
from referee.solver.search import Layer
from referee.tiles import HIGHEST_NUMBER, Colour, Joker, Tile

JOKER = Tile(joker=Joker.REGULAR)
FACES = tuple(
    tuple(Tile(colour=colour, number=number) for colour in Colour) for number in range(1, HIGHEST_NUMBER + 1)
)
Set = tuple[Tile, ...]


def build_sets(layers: Sequence[Layer], shortest: int, groups: GroupRules) -> tuple[Set, ...]:
    """The sets, the runs first, colour by colour."""
    sets: list[Set] = []
    for colour in range(WIDTH):
        current: list[list[Tile]] = []
        for faces, layer in zip(FACES, layers, strict=True):
            tiles, jokers, _ = layer.runs[colour]
            count = tiles + jokers
            if len(current) > 1:
                current.sort(key=len)  # unfinished runs go on first
            sets += [tuple(run) for run in current[count:]]
            del current[count:]
            current += [[] for _ in range(count - len(current))]
            for place, run in enumerate(current):
                run.append(faces[colour] if place < tiles else JOKER)
        sets += [tuple(run) for run in current]
    for faces, layer in zip(FACES, layers, strict=True):
        shared = share_out(layer.grouped, layer.group_jokers, groups)
        for colours, jokers in shared or ():
            sets.append((*[faces[colour] for colour in colours], *[JOKER] * jokers))
    return tuple(sets)
