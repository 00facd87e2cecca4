"""Tables as text and tables as seen: each becomes the other, so that one judge serves texts and photos alike.

Nothing is decided here.  What is doubtful stays doubtful on the way: a tile with several readings keeps them, and a
face-down, covered or wholly uncertain one becomes ``?``, which no ruling ever takes for a legal tile.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from referee.findings import FindingCode
from referee.joker_kinds import with_joker_kinds
from referee.notation import NotedTable, Place, Places
from referee.observation import Kind, Observation, Quad, Reading, Row, Scene, SeenTile
from referee.ruleset import RuleSet
from referee.ruling import TableRuling
from referee.table import plausible, split_table
from referee.tiles import Tile, parse_tile

_NOWHERE: Quad = ((0.0, 0.0),) * 4
"""A tile of a text lies nowhere; only covered tiles, which a text does not have, are looked for by place."""


def seen_from(noted: NotedTable) -> Observation:
    """The observation of a table that was written down, its tiles in reading order.

    The readings of a doubtful tile are taken to be equally likely; a set of one place is a tile lying alone.
    """
    tiles: list[SeenTile] = []
    rows: list[Row] = []
    loose: list[int] = []
    for places in noted:
        here = tuple(range(len(tiles), len(tiles) + len(places)))
        tiles += [_seen(place) for place in places]
        if len(here) > 1:
            rows.append(Row(here, ()))
        else:
            loose += here
    return Observation(0, 0, Scene.TABLE if tiles else Scene.EMPTY, tuple(tiles), tuple(rows), tuple(loose))


def without_pool(noted: NotedTable) -> tuple[NotedTable, tuple[int, ...]]:
    """The sets that show a face, and for each of their places its index among all places that were written.

    Face-down tiles by themselves are the pool, in a text as in a photo.
    """
    sets: list[Places] = []
    kept: list[int] = []
    start = 0
    for places in noted:
        if any(place.readings for place in places):
            sets.append(places)
            kept += range(start, start + len(places))
        start += len(places)
    return tuple(sets), tuple(kept)


def _seen(place: Place) -> SeenTile:
    if not place.readings:
        return SeenTile(_NOWHERE, Kind.BACK, (), 1.0, doubtful=False)
    share = 1 / len(place.readings)
    readings = tuple(Reading(tile, share) for tile in place.readings)
    return SeenTile(_NOWHERE, Kind.FACE, readings, share, doubtful=len(readings) > 1)


def noted_from(observation: Observation, ruling: TableRuling) -> tuple[NotedTable, tuple[int | None, ...]]:
    """The table of an observation, and for each of its places the index of the tile in the observation.

    The sets come first, then the tiles lying alone.  A row that may be several sets is told as these; the ruling on its
    table says that this is in doubt.  A covered or cut tile becomes a ``?`` (index None) in every set
    that it touches, or alone where it touches none: it may be any tile.  Face-down tiles of the pool are left out.
    """
    suspects = _suspects(ruling)
    rows, loose = split_table(observation)
    sets: list[list[tuple[Place, int | None]]] = []
    for row, judged in zip(rows, ruling.sets, strict=True):
        parts = judged.parts or (row.tiles,)
        sets += [[(_place(observation, i, suspects), i) for i in part] for part in parts]
        sets[-1] += [(Place(), None) for _ in row.unread_touching]
    sets += [[(_place(observation, i, suspects), i)] for i in loose if observation.tiles[i].kind is Kind.FACE]
    touching = {region for row in rows for region in row.unread_touching}
    sets += [[(Place(), None)] for region in range(len(observation.unread)) if region not in touching]
    noted = tuple(tuple(place for place, _ in one) for one in sets)
    return noted, tuple(index for one in sets for _, index in one)


def rack_from(observation: Observation) -> Places:
    """The tiles of a rack in reading order; ``?`` for each that cannot be read."""
    order = [i for row in observation.rows for i in row.tiles] + list(observation.loose)
    return (*(_place(observation, i, {}) for i in order), *(Place() for _ in observation.unread))


def rack_read(observation: Observation, ruleset: RuleSet) -> tuple[tuple[Tile, ...], Places]:
    """The tiles of a rack that are sure, and the places of it that are not."""
    places = rack_from(with_joker_kinds(observation, ruleset))
    return tuple(sure_tiles(places)), tuple(place for place in places if len(place.readings) != 1)


def _suspects(ruling: TableRuling) -> dict[int, Tile]:
    """Sure tiles that the ruling has doubts about all the same, each with its other reading."""
    found = (finding for finding in ruling.all_findings if finding.code is FindingCode.SUSPECT_TILE)
    return {finding.tiles[0]: parse_tile(str(finding.param("instead"))) for finding in found}


def _place(observation: Observation, index: int, suspects: dict[int, Tile]) -> Place:
    seen = observation.tiles[index]
    if seen.kind is Kind.BACK:
        return Place()
    reading = plausible(seen)
    if reading.anything:
        return Place()
    return Place((*reading.tiles, suspects[index]) if index in suspects else reading.tiles)


def sure_tiles(places: Iterable[Place]) -> Iterator[Tile]:
    """The tiles that were surely read."""
    return (place.readings[0] for place in places if len(place.readings) == 1)
