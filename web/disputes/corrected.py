"""The camera's reading with what people said of it.

Rows that a person put together, or cut, are the sets that he says they are: they have no gaps, and nobody cuts them
further.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from math import hypot

from referee.observation import DRAWN, UNLIKE_TILES, Kind, Observation, Point, Quad, Reading, Row, Scene, SeenTile
from referee.tiles import Tile
from web.disputes.edits import Add, Clear, Cut, Edit, EditError, Move, Name, Remove, SayTable, Uncover

BESIDE_WIDTHS = 1.7
"""A tile added so near to another, in widths along the row from centre to centre, joins its set."""
BESIDE_HEIGHTS = 0.5
"""And no farther than this from its row's line, in heights."""
NO_ROW, A_SET = 0.5, 3
"""Once a false tile of a row is gone, its neighbours are two rows where they are so many widths apart and each may be a
set by itself, with so many tiles."""
_LONE_WIDTH = 1 / 16
"""How wide a tile is taken to be where no other tells it, in widths of the picture."""
_LONE_SHAPE = 1.35
"""Its height in widths."""


@dataclass(frozen=True, slots=True)
class Corrected:
    """What lies there by the word of the camera and of people.

    ``tiles`` and ``regions`` hold for each tile and unread place of ``observation`` its number; ``told`` are the
    numbers of the tiles that a person named, moved or added.
    """

    observation: Observation
    tiles: tuple[int, ...]
    regions: tuple[int, ...]
    told: frozenset[int]


@dataclass(slots=True)
class _DraftRow:
    tiles: list[int]
    gaps: list[float] | None
    regions: list[int] = field(default_factory=list)


def corrected(seen: Observation, edits: Iterable[Edit]) -> Corrected:
    """The reading with all edits in their order.  Raises ``EditError``."""
    draft = _Draft(seen)
    for edit in edits:
        draft.take(edit)
    return draft.done()


class _Draft:
    """A reading that is being corrected: tiles and unread places by their numbers."""

    def __init__(self, seen: Observation) -> None:
        self._seen = seen
        self._scene, self._notes = seen.scene, seen.notes
        self._tiles = dict(enumerate(seen.tiles))
        self._regions = dict(enumerate(seen.unread))
        self._rows = [
            _DraftRow(
                list(row.tiles),
                list(row.gaps) if len(row.gaps) == len(row.tiles) - 1 else None,
                list(row.unread_touching),
            )
            for row in seen.rows
        ]
        self._loose = list(seen.loose)
        self._next = len(seen.tiles)
        self._told: set[int] = set()

    def take(self, edit: Edit) -> None:
        match edit:
            case Name():
                self._name(edit)
            case Remove():
                self._must_lie(edit.tile)
                self._take_out(edit.tile)
                del self._tiles[edit.tile]
            case Add():
                self._add(edit)
            case Move():
                self._move(edit)
            case Cut():
                self._cut(edit)
            case Uncover():
                self._uncover(edit)
            case Clear():
                self._clear(edit.region)
            case SayTable():
                self._scene = Scene.TABLE
                self._notes = tuple(note for note in self._notes if note not in {UNLIKE_TILES, DRAWN})

    def done(self) -> Corrected:
        numbers = sorted(self._tiles)
        place = {number: i for i, number in enumerate(numbers)}
        regions = sorted(self._regions)
        region_place = {number: i for i, number in enumerate(regions)}
        rows = tuple(
            Row(
                tuple(place[i] for i in row.tiles),
                tuple(row.gaps or ()),
                tuple(region_place[i] for i in row.regions),
            )
            for row in self._rows
        )
        observation = replace(
            self._seen,
            scene=self._scene,
            notes=self._notes,
            tiles=tuple(self._tiles[number] for number in numbers),
            rows=rows,
            loose=tuple(sorted(place[i] for i in self._loose)),
            unread=tuple(self._regions[number] for number in regions),
        )
        return Corrected(observation, tuple(numbers), tuple(regions), frozenset(self._told & set(numbers)))

    # --- one tile -----------------------------------------------------------------------------------------------

    def _name(self, edit: Name) -> None:
        self._must_lie(edit.tile)
        self._tiles[edit.tile] = _told_tile(self._tiles[edit.tile].quad, edit.face)
        self._told.add(edit.tile)

    def _add(self, edit: Add) -> None:
        x, y = edit.at
        if self._seen.width and not (0 <= x <= self._seen.width and 0 <= y <= self._seen.height):
            raise EditError("That place lies outside the picture.")
        nearest = min(self._tiles, key=lambda i: _distance(edit.at, _centre(self._tiles[i].quad)), default=None)
        quad = self._lone_quad(edit.at) if nearest is None else _shifted(self._tiles[nearest].quad, edit.at)
        number = self._lay(quad, edit.face)
        if nearest is None or not _lies_beside(edit.at, self._tiles[nearest].quad):
            self._loose.append(number)
        else:
            self._join(number, nearest, self._comes_after(edit.at, nearest))

    def _move(self, edit: Move) -> None:
        self._must_lie(edit.tile)
        if edit.beside is not None:
            self._must_lie(edit.beside)
            if edit.beside == edit.tile:
                raise EditError("A tile cannot lie beside itself.")
        self._take_out(edit.tile)
        if edit.beside is None:
            self._loose.append(edit.tile)
        else:
            self._join(edit.tile, edit.beside, edit.after)
        self._told.add(edit.tile)

    def _cut(self, edit: Cut) -> None:
        self._must_lie(edit.tile)
        row = self._row_of(edit.tile)
        at = 0 if row is None else row.tiles.index(edit.tile)
        if row is None or at == 0:
            raise EditError("This tile is the first of its set already.")
        self._part(row, at)

    def _part(self, row: _DraftRow, at: int) -> None:
        """Make two rows of one, the second from its tile ``at`` on."""
        left, right = row.tiles[:at], row.tiles[at:]
        touching = {region: self._end_near(row, region) for region in row.regions}
        halves = (left, [r for r in row.regions if touching[r] == 0]), (right, [r for r in row.regions if touching[r]])
        where = self._rows.index(row)
        self._rows[where : where + 1] = [_DraftRow(tiles, None, near) for tiles, near in halves if self._is_row(tiles)]

    def _is_row(self, tiles: Sequence[int]) -> bool:
        """Whether these are a row; a single tile lies alone from now on."""
        if len(tiles) > 1:
            return True
        self._loose += tiles
        return False

    # --- unread places ------------------------------------------------------------------------------------------

    def _uncover(self, edit: Uncover) -> None:
        quad = self._region(edit.region)
        row = next((row for row in self._rows if edit.region in row.regions), None)
        at_end = row is not None and self._end_near(row, edit.region) == 1
        self._clear(edit.region)
        number = self._lay(quad, edit.face)
        if row is None:
            self._loose.append(number)
            return
        row.tiles.insert(len(row.tiles) if at_end else 0, number)
        if row.gaps is not None:
            row.gaps.insert(len(row.gaps) if at_end else 0, 0.0)

    def _clear(self, region: int) -> None:
        self._region(region)
        del self._regions[region]
        for row in self._rows:
            if region in row.regions:
                row.regions.remove(region)

    def _region(self, region: int) -> Quad:
        if region not in self._regions:
            raise EditError("There is no covered tile number {number} here.", number=region)
        return self._regions[region]

    def _end_near(self, row: _DraftRow, region: int) -> int:
        """0 where an unread place lies at the begin of a row, 1 where at its end."""
        centre = _centre(self._regions[region])
        first, last = (_distance(centre, _centre(self._tiles[i].quad)) for i in (row.tiles[0], row.tiles[-1]))
        return int(last < first)

    # --- rows ---------------------------------------------------------------------------------------------------

    def _lay(self, quad: Quad, face: Tile | None) -> int:
        number, self._next = self._next, self._next + 1
        self._tiles[number] = _told_tile(quad, face)
        self._told.add(number)
        if self._scene is Scene.EMPTY:
            self._scene = Scene.TABLE
        return number

    def _join(self, number: int, beside: int, after: bool) -> None:
        row = self._row_of(beside)
        if row is None:
            self._loose.remove(beside)
            row = _DraftRow([beside], None)
            self._rows.append(row)
        row.tiles.insert(row.tiles.index(beside) + int(after), number)
        row.gaps = None

    def _take_out(self, number: int) -> None:
        """Take a tile out of its set, or from among those that lie alone; the others stay where they are."""
        row = self._row_of(number)
        if row is None:
            self._loose.remove(number)
            return
        at = row.tiles.index(number)
        row.tiles.remove(number)
        if row.gaps is not None:
            inner = 0 < at < len(row.tiles)
            # where it lay there is a hole of its width now
            hole = [row.gaps[at - 1] + 1 + row.gaps[at]] if inner else []
            row.gaps[max(0, at - 1) : at + 1] = hole
            if hole and hole[0] > NO_ROW and min(at, len(row.tiles) - at) >= A_SET:
                self._part(row, at)
                return
        if len(row.tiles) < 2:  # what covers a tile that lies alone is found by its place
            self._rows.remove(row)
            self._loose += row.tiles

    def _row_of(self, number: int) -> _DraftRow | None:
        return next((row for row in self._rows if number in row.tiles), None)

    def _comes_after(self, point: Point, number: int) -> bool:
        """Whether a point lies after a tile in the reading order of its row."""
        row = self._row_of(number)
        x, y = _centre(self._tiles[number].quad)
        if row is None:
            dx, dy = _across(self._tiles[number].quad)
        else:
            at = row.tiles.index(number)
            before, behind = (row.tiles[max(0, at - 1)], row.tiles[min(len(row.tiles) - 1, at + 1)])
            (ax, ay), (bx, by) = (_centre(self._tiles[i].quad) for i in (before, behind))
            dx, dy = bx - ax, by - ay
        return (point[0] - x) * dx + (point[1] - y) * dy >= 0

    def _must_lie(self, number: int) -> None:
        if number not in self._tiles:
            raise EditError("There is no tile number {number} on this table.", number=number)

    def _lone_quad(self, at: Point) -> Quad:
        wide = (self._seen.width or 1.0) * _LONE_WIDTH
        x, y, half, high = at[0], at[1], wide / 2, wide * _LONE_SHAPE / 2
        return (x - half, y - high), (x + half, y - high), (x + half, y + high), (x - half, y + high)


def _told_tile(quad: Quad, face: Tile | None) -> SeenTile:
    if face is None:
        return SeenTile(quad, Kind.BACK, (), 1.0, doubtful=False)
    return SeenTile(quad, Kind.FACE, (Reading(face, 1.0),), 1.0, doubtful=False)


def _centre(quad: Quad) -> Point:
    return sum(x for x, _ in quad) / 4, sum(y for _, y in quad) / 4


def _across(quad: Quad) -> Point:
    """From the left side of a tile to its right side."""
    a, b, c, d = quad
    return (b[0] - a[0] + c[0] - d[0]) / 2, (b[1] - a[1] + c[1] - d[1]) / 2


def _down(quad: Quad) -> Point:
    """From the top of a tile to its foot."""
    a, b, c, d = quad
    return (d[0] - a[0] + c[0] - b[0]) / 2, (d[1] - a[1] + c[1] - b[1]) / 2


def _distance(one: Point, other: Point) -> float:
    return hypot(one[0] - other[0], one[1] - other[1])


def _shifted(quad: Quad, at: Point) -> Quad:
    """A quad of the same shape around another centre."""
    x, y = _centre(quad)
    one, two, three, four = ((px - x + at[0], py - y + at[1]) for px, py in quad)
    return one, two, three, four


def _lies_beside(at: Point, quad: Quad) -> bool:
    """Whether a tile at ``at`` would be a neighbour of the one at ``quad`` in a row."""
    x, y = _centre(quad)
    return _share(at[0] - x, at[1] - y, _across(quad)) <= BESIDE_WIDTHS and (
        _share(at[0] - x, at[1] - y, _down(quad)) <= BESIDE_HEIGHTS
    )


def _share(dx: float, dy: float, side: Point) -> float:
    """How far a step goes along a side of a tile, in lengths of that side."""
    length = hypot(*side) or 1.0
    return abs(dx * side[0] + dy * side[1]) / (length * length)
