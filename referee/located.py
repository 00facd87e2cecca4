"""Where the sets of a written table lie in a picture: after a start anew, a nudge, or a table that was told.

A row is a set when each of its tiles may be a tile of the set.  Only whole sets are found, so a set that somebody is
changing just now is not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from referee.notation import NotedTable, Places
from referee.observation import Kind, Observation, Quad
from referee.reconcile import AcceptedTable, PlacedTile
from referee.table import Plausible, plausible, split_table
from referee.tiles import Tile


@dataclass(frozen=True, slots=True)
class Located:
    """A written table in a picture; ``quads`` has one for each of its places in reading order, None: not found."""

    accepted: AcceptedTable
    quads: tuple[Quad | None, ...]

    @property
    def found(self) -> int:
        return sum(quad is not None for quad in self.quads)


def locate(table: NotedTable, observation: Observation) -> Located:
    """Find the sets of a table; those with the surest rows first, each row for one set."""
    rows, loose = split_table(observation)
    seen = observation.tiles
    candidates = [row.tiles for row in rows if all(seen[i].kind is Kind.FACE for i in row.tiles)]
    candidates += [(i,) for i in loose if seen[i].kind is Kind.FACE]
    readings = {i: plausible(seen[i]) for tiles in candidates for i in tiles}
    starts = _starts(table)
    quads: list[Quad | None] = [None] * sum(map(len, table))
    placed: list[PlacedTile] = []
    waiting = list(range(len(table)))
    for tiles in sorted(candidates, key=lambda tiles: sum(_is_open(readings[i]) for i in tiles)):
        for number in waiting:
            order = _matched(table[number], [readings[i] for i in tiles])
            if order is None:
                continue
            waiting.remove(number)
            for k, place in enumerate(order):
                tile, first = table[number][place].tile, readings[tiles[k]].tiles[0]
                quad = seen[tiles[k]].quad
                quads[starts[number] + place] = quad
                if len(table[number][place].readings) == 1:  # what the log leaves in doubt stays in doubt
                    placed.append(PlacedTile(quad, tile, None if first == tile else first))
            break
    return Located(AcceptedTable(tuple(placed), table), tuple(quads))


def _starts(table: NotedTable) -> list[int]:
    starts, at = [], 0
    for places in table:
        starts.append(at)
        at += len(places)
    return starts


def _is_open(reading: Plausible) -> bool:
    return reading.anything or len(reading.tiles) > 1


def _matched(places: Places, readings: Sequence[Plausible]) -> list[int] | None:
    """For each reading in turn the place of the set that it is; None where they do not fit each other."""
    if len(places) != len(readings) or any(not place.readings for place in places):
        return None
    direct = range(len(places))
    for order in (direct, direct[::-1]):  # as it was written, or seen from the other side
        if all(_allows(readings[k], places, place) for k, place in enumerate(order)):
            return list(order)
    return _any_order(places, readings)


def _allows(reading: Plausible, places: Places, place: int) -> bool:
    return any(reading.allows(tile) for tile in places[place].readings)


def _any_order(places: Places, readings: Sequence[Plausible]) -> list[int] | None:
    """The same for a set laid in any order, sure tiles first."""
    left: Counter[Tile | None] = Counter(place.tile for place in places)
    chosen: dict[int, int] = {}
    for k in sorted(range(len(readings)), key=lambda k: _is_open(readings[k])):
        free = (p for p, place in enumerate(places) if p not in chosen.values() and left[place.tile])
        place = next((p for p in free if _allows(readings[k], places, p)), None)
        if place is None:
            return None
        chosen[k] = place
        left[places[place].tile] -= 1
    return [chosen[k] for k in range(len(readings))]
