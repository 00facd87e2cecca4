"""Sets whose tiles were not moved are still the sets that they were, however a look puts its rows together.

A gap between two tiles is a measure, and a measure may come out on either side of its limit from look to look.  Where
every tile of an accepted set lies where it lay, that set was not taken apart; tiles that now touch it were added.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from referee.located import Located
from referee.notation import NotedTable
from referee.observation import Observation, Quad, Row
from referee.places import centre, nearest_place


def keep_sets(observation: Observation, unmoved: Sequence[int], table: NotedTable, home: Located) -> Observation:
    """The observation with the rows of the accepted sets that lie whole and unmoved.

    ``unmoved`` are indices of tiles that lie where they lay, ``home`` where the tiles of ``table`` lay.
    """
    kept = _whole_sets(observation, unmoved, table, home)
    if not kept:
        return observation
    rows = [*observation.rows, *(Row((i,), ()) for i in observation.loose)]
    owner = {i: number for number, tiles in enumerate(kept) for i in tiles}
    parted = [part for row in rows for part in _parted(row, owner)]
    joined = _joined(observation, parted, kept, owner)
    return replace(
        observation,
        rows=tuple(row for row in joined if len(row.tiles) > 1),
        loose=tuple(sorted(row.tiles[0] for row in joined if len(row.tiles) == 1)),
    )


def _whole_sets(
    observation: Observation, unmoved: Sequence[int], table: NotedTable, home: Located
) -> list[tuple[int, ...]]:
    """The accepted sets of which every tile was found again, as indices of the observation in accepted order."""
    free = set(unmoved)
    sets: list[tuple[int, ...]] = []
    start = 0
    for places in table:
        found: list[int] = []
        for quad in home.quads[start : start + len(places)]:
            nearest = None if quad is None else _nearest(observation, free, quad)
            if nearest is None:
                break
            free.discard(nearest)
            found.append(nearest)
        if len(found) == len(places) > 1:
            sets.append(tuple(found))
        start += len(places)
    return sets


def _nearest(observation: Observation, among: set[int], quad: Quad) -> int | None:
    order = sorted(among)
    at = nearest_place(quad, [observation.tiles[i].quad for i in order])
    return None if at is None else order[at]


def _parted(row: Row, owner: dict[int, int]) -> list[Row]:
    """A row of several accepted sets and nothing else is these sets; any other row stays as it is."""
    owners = dict.fromkeys(owner.get(i) for i in row.tiles)
    if len(owners) < 2 or None in owners:
        return [row]
    return [Row(tuple(i for i in row.tiles if owner[i] == one), (), row.unread_touching) for one in owners]


def _joined(
    observation: Observation, rows: Sequence[Row], kept: Sequence[tuple[int, ...]], owner: dict[int, int]
) -> list[Row]:
    """The rows with the parts of each accepted set put together again, and what touches them."""
    left = list(rows)
    for number, tiles in enumerate(kept):
        parts = [row for row in left if any(owner.get(i) == number for i in row.tiles)]
        others = {owner.get(i) for row in parts for i in row.tiles} - {number, None}
        if len(parts) < 2 or others:
            continue
        for part in parts:
            left.remove(part)
        together = tuple(i for row in parts for i in row.tiles)
        touching = tuple(sorted({region for row in parts for region in row.unread_touching}))
        left.append(Row(_in_line(observation, tiles, together), (), touching))
    return left


def _in_line(observation: Observation, tiles: tuple[int, ...], together: tuple[int, ...]) -> tuple[int, ...]:
    """All tiles in the order in which they lie along the accepted set."""
    (x0, y0), (x1, y1) = (centre(observation.tiles[i].quad) for i in (tiles[0], tiles[-1]))

    def along(i: int) -> float:
        x, y = centre(observation.tiles[i].quad)
        return (x - x0) * (x1 - x0) + (y - y0) * (y1 - y0)

    return tuple(sorted(together, key=along))
