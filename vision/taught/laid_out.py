"""A photo of a box laid out in order → which tile lies where, as far as place and reader together settle it.

The layout itself is evidence: what lies in no row is dropped, and a place of a row where nothing was found is looked
at again.  What is not settled is a question; nothing is guessed, and so nothing wrong is learned.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from referee.tiles import Colour, Tile
from vision.colour import deviation, ink_of
from vision.detect import Detector
from vision.read import BACK, JOKER, Reader
from vision.rectify import inner, rectify
from vision.taught.asked import USUAL_ORDER
from vision.taught.find import Seen, find_tiles, look_again
from vision.taught.order import (
    DOUBTS,
    Followed,
    Line,
    RowColours,
    colour_fit,
    joker_row_evidence,
    number_row,
    row_colours,
    tile_of,
)
from vision.taught.rows import Rows, rows_of

Image = NDArray[np.uint8]
Floats = NDArray[np.float64]

LEAST_TILES = 3
SETTLED, COLOUR_SETTLED = 0.97, 0.9
LEAST_CANDIDATE = 0.015
MOST_CANDIDATES = 4
_LEAST_STEP = 0.8
_ALIGNED = 0.2
"""Rows begin below each other when half of them begin within this part of a column."""
_LONG_ROW = 4
READER_SURE, MOSTLY, SELDOM = 0.9, 0.85, 0.6
_CONTRADICTED = 0.05
SURELY_ANOTHER = 0.8
"""Mean probability over all rows of a colour from which the reader surely sees that colour."""
_HARDLY_A_TILE = 0.85
"""Of what fits nowhere in its row, only what is solid enough is worth a question."""
_FACE_EDGE = 0.17
_PRINT_PERCENTILE = 99
_BLANK_SHARE = 0.3
"""A face with less than this part of the usual contrast between print and body shows no print."""


class Doubt(StrEnum):
    """Why a tile was not settled."""

    OPEN = "open"
    """Place and reader leave several tiles possible."""
    BLANK = "blank"
    """It lies face down, or light hides its print."""
    OTHER_COLOUR = "other_colour"
    """It is surely read as another colour than its row's."""
    ROW_COLOUR = "row_colour"
    """Which colour its row is, is open."""
    OUT_OF_ORDER = "out_of_order"
    """It does not fit where it lies."""
    ROW_COUNT = "row_count"
    """Its row is none of those told."""
    JOKER_KIND = "joker_kind"
    """Another number of jokers lies there than was told, so the kinds are open."""


class NotLaidOutError(ValueError):
    """Nothing can be learned from a picture; ``code`` says why: ``no_tiles``, ``not_in_order``,
    ``rows_told`` or ``not_as_told``.

    ``seen`` counts the tiles found, for ``rows_told`` the rows.
    """

    def __init__(self, code: str, seen: int) -> None:
        super().__init__(code)
        self.code = code
        self.seen = seen


@dataclass(frozen=True, slots=True)
class LaidTile:
    """One tile of the layout: ``row`` and ``place`` count from 0, ``place`` among all that was found in the row.

    ``tile`` is None where it is not settled; then ``doubt`` says why, and ``candidates`` what it may be.
    """

    quad: NDArray[np.float32]
    row: int
    place: int
    tile: Tile | None
    candidates: tuple[Tile, ...] = ()
    doubt: Doubt | None = None


@dataclass(frozen=True, slots=True)
class RowCount:
    """A row of which another number of tiles was told than is seen; ``row`` counts from 0 among the rows seen, or
    among those told where ``seen`` is 0."""

    row: int
    told: int
    seen: int


@dataclass(frozen=True, slots=True)
class LaidOut:
    """What lies where in one photo, row by row in reading order."""

    tiles: tuple[LaidTile, ...]
    rows: int
    miscounted: tuple[RowCount, ...] = ()

    @property
    def settled(self) -> tuple[LaidTile, ...]:
        """The tiles that can be learned."""
        return tuple(tile for tile in self.tiles if tile.tile is not None)

    @property
    def questions(self) -> tuple[LaidTile, ...]:
        """The tiles that cannot."""
        return tuple(tile for tile in self.tiles if tile.tile is None)


@dataclass(frozen=True, slots=True)
class Looks:
    """How N tiles are printed: ``ink`` (N, 3) CIE L* a* b* against the own body, NaN where none was measured, and
    ``blank`` (N,), that no print is to be seen."""

    ink: Floats
    blank: NDArray[np.bool_]


Labeller = Callable[[Seen, Rows, float, Looks], LaidOut]
"""Labels for the tiles seen: (tiles, their rows, step from column to column in tile widths, looks)."""


def in_order(order: Sequence[Colour] = USUAL_ORDER) -> Labeller:
    """Labels from the order in which a box is laid out, its colours as ``order`` says."""

    def labels(seen: Seen, rows: Rows, step: float, looks: Looks) -> LaidOut:
        return _in_order(seen, rows, step, looks, order)

    return labels


def read_layout(image: Image, detector: Detector, reader: Reader, labeller: Labeller) -> LaidOut:
    """Find and label the tiles of a picture uint8 (H, W, 3) BGR, with upright quads in its pixels.

    ``detector`` is one of ``vision.taught.find.FINDING_THRESHOLD``.  The picture may be turned any way.  Raises
    ``NotLaidOutError`` when it does not show what it should.
    """
    seen, weak = find_tiles(image, detector, reader)
    if len(seen) < LEAST_TILES:
        raise NotLaidOutError("no_tiles", len(seen))
    rows = rows_of(seen.quads, seen.facing)
    more = look_again(image, reader, seen, rows, column_step(rows), weak)
    if len(more):
        seen = seen.joined(more)
        rows = rows_of(seen.quads, seen.facing)
    looks = looks_of(rectify(image, seen.quads))
    laid = labeller(seen, rows, column_step(rows), looks)
    tiles = tuple(
        replace(tile, tile=None, candidates=(), doubt=Doubt.BLANK)
        if looks.blank[rows.rows[tile.row][tile.place]]
        else tile
        for tile in laid.tiles
    )
    return replace(laid, tiles=tiles)


def looks_of(crops: Image) -> Looks:
    """Ink and blankness of upright tile crops uint8 (N, H, W, 3) BGR as ``rectify`` cuts them."""
    ink = ink_of(crops)
    printed = deviation(inner(crops, _FACE_EDGE))
    strongest = np.percentile(printed.strength.reshape(len(crops), -1), _PRINT_PERCENTILE, axis=1) * printed.peak
    blank = strongest < _BLANK_SHARE * np.median(strongest) if len(crops) else np.zeros(0, np.bool_)
    return Looks(np.where((ink.share > 0)[:, None], ink.lab, np.nan), np.asarray(blank, np.bool_))


def column_step(rows: Rows) -> float:
    """The distance from one column to the next, in tile widths: the commonest small step from tile to tile."""
    steps = np.concatenate([rows.steps(row) for row in rows.rows]) if rows.rows else np.zeros(0)
    if not len(steps):
        return 1.0
    rough = max(float(np.quantile(steps, 0.15)), _LEAST_STEP)
    return max(float(np.median(steps / np.maximum(np.round(steps / rough), 1))), _LEAST_STEP)


def lines_of(seen: Seen, rows: Rows, step: float) -> list[Line]:
    """The rows as they are weighed against an order."""
    columns = _first_columns(rows, step)
    return [
        Line(
            seen.number_p[list(row)],
            seen.colour_p[list(row)],
            seen.solid[list(row)],
            rows.steps(row) / step,
            column,
        )
        for row, column in zip(rows.rows, columns, strict=True)
    ]


def _first_columns(rows: Rows, step: float) -> list[float | None]:
    """The column of each row's first tile, counted from 1; None where the rows do not begin below each other."""
    firsts = np.array([rows.places[row[0], 0] for row in rows.rows])
    long = [k for k, row in enumerate(rows.rows) if len(row) >= _LONG_ROW]
    if len(long) < 2:
        return [None] * len(firsts)
    column = 1 + (firsts - firsts[long].min()) / step
    if np.median(np.abs(column[long] - np.round(column[long]))) > _ALIGNED:
        return [None] * len(firsts)
    return [float(max(value, 1.0)) for value in column]


# --- labels in the printed order ----------------------------------------------------------------------------------


def _in_order(seen: Seen, rows: Rows, step: float, looks: Looks, order: Sequence[Colour]) -> LaidOut:
    lines = lines_of(seen, rows, step)
    ways = [
        (
            [number_row(line, doubt) for line in lines],
            np.array([joker_row_evidence(line.number_p, doubt) for line in lines]),
        )
        for doubt in DOUBTS
    ]
    # the reader is believed as far as makes the whole picture likeliest
    followed, as_jokers = max(
        ways,
        key=lambda way: sum(max(one.evidence, joker) for one, joker in zip(way[0], way[1], strict=True)),
    )
    colours = _colours(lines, rows, followed, as_jokers, looks, order)
    if colours is None or _refuted(lines, followed, colours):
        raise NotLaidOutError("not_in_order", len(seen))
    trust = _trusted(lines, followed, colours)
    contested = _contested(lines, followed, colours)
    tiles: list[LaidTile] = []
    for row, one in enumerate(followed):
        tiles += _row_tiles(
            seen.take(np.array(rows.rows[row], np.intp)), row, one, colours.p[row], trust, row in contested
        )
    return LaidOut(tuple(tiles), len(lines))


def _colours(lines: Sequence[Line], rows: Rows, followed: Sequence[Followed], as_jokers: Floats, looks: Looks,
             order: Sequence[Colour]) -> RowColours | None:  # fmt: skip
    """Which colour each row is, with as much belief in the reader as makes all rows likeliest."""
    numbered = [one.p.argmax(axis=1) < JOKER for one in followed]
    inks = np.stack([
        _median_ink(looks.ink[np.array(row)[number]]) for row, number in zip(rows.rows, numbered, strict=True)
    ])  # fmt: skip
    as_numbers = np.array([one.evidence for one in followed])
    weighed = [
        row_colours(
            [colour_fit(line.colour_p[number], doubt) for line, number in zip(lines, numbered, strict=True)],
            inks, as_numbers, as_jokers, order,
        )
        for doubt in DOUBTS
    ]  # fmt: skip
    return max((colours for colours in weighed if colours is not None), key=lambda one: one.evidence, default=None)


def _median_ink(ink: Floats) -> Floats:
    known = ink[~np.isnan(ink).any(axis=1)]
    return np.asarray(np.median(known, axis=0), np.float64) if len(known) else np.full(3, np.nan)


def _refuted(lines: Sequence[Line], followed: Sequence[Followed], colours: RowColours) -> bool:
    """Whether the reader is sure of most tiles and says that they lie in no such order."""
    sure: list[bool] = []
    one_ink: list[bool] = []
    again = 0
    for line, one, colour_p in zip(lines, followed, colours.p, strict=True):
        place = one.p[:, : JOKER + 1].argmax(axis=1) if colour_p[4] < 0.5 else np.full(len(line.solid), JOKER)
        read = line.number_p[:, : JOKER + 1]
        sure += (read.argmax(axis=1) == place)[read.max(axis=1) >= READER_SURE].tolist()
        inked = (place < JOKER) & (line.colour_p.max(axis=1) >= READER_SURE)
        first = line.colour_p[inked].argmax(axis=1)
        if len(first) > 1:
            one_ink += (first == np.bincount(first).argmax()).tolist()
        again += int(np.sum(np.diff(place[place < JOKER]) <= 0))
    count = sum(len(line.solid) for line in lines)
    disagree = any(
        len(said) >= max(LEAST_TILES, count / 2) and sum(said) < SELDOM * len(said) for said in (sure, one_ink)
    )
    return bool(disagree or (again > max(len(lines), 2) and len(sure) >= count / 2))


@dataclass(frozen=True, slots=True)
class _Trust:
    """Whether the reader mostly says what the order says, and so is heard where it does not."""

    numbers: bool
    colours: bool


def _trusted(lines: Sequence[Line], followed: Sequence[Followed], colours: RowColours) -> _Trust:
    numbers: list[bool] = []
    hues: list[bool] = []
    for line, one, colour_p in zip(lines, followed, colours.p, strict=True):
        place = one.p.argmax(axis=1)
        inked = (place < JOKER) & (colour_p[4] < 0.5)
        numbers += (line.number_p[:, : JOKER + 1].argmax(axis=1) == place)[inked].tolist()
        hues += (line.colour_p.argmax(axis=1) == colour_p[:4].argmax())[inked].tolist()
    return _Trust(sum(numbers) >= MOSTLY * len(numbers), sum(hues) >= MOSTLY * len(hues))


def _contested(lines: Sequence[Line], followed: Sequence[Followed], colours: RowColours) -> frozenset[int]:
    """The rows of which the reader surely sees another colour than the order says, with nothing to prove it wrong.

    Only where both colours' rows look alike to it, one of them must be misread, and the order decides.
    """
    seen: dict[int, Floats] = {}
    own = colours.p[:, :4].argmax(axis=1)
    for colour in np.unique(own[colours.p[:, 4] < 0.5]).tolist():
        rows = [row for row in np.flatnonzero(own == colour).tolist() if colours.p[row, 4] < 0.5]
        inked = [lines[row].colour_p[followed[row].p.argmax(axis=1) < JOKER] for row in rows]
        seen[colour] = np.concatenate(inked).mean(axis=0) if sum(map(len, inked)) else np.full(4, 0.25)
    first = {colour: int(p.argmax()) for colour, p in seen.items() if p.max() >= SURELY_ANOTHER}
    against = {colour for colour, said in first.items() if said != colour and first.get(said, -1) != said}
    return frozenset(row for row in range(len(lines)) if colours.p[row, 4] < 0.5 and int(own[row]) in against)


def contradicted(p: Floats, label: int) -> bool:
    """Whether the reader is sure of something else."""
    return bool(p[label] < _CONTRADICTED and p.max() >= READER_SURE)


def _row_tiles(
    seen: Seen, row: int, followed: Followed, colour_p: Floats, trust: _Trust, contested: bool
) -> list[LaidTile]:
    """The tiles of one row, each with its label or its question."""
    colour = int(colour_p[:4].argmax())
    p = (1 - colour_p[4]) * followed.p
    p[:, JOKER] += colour_p[4]
    tiles = []
    for place, quad in enumerate(seen.quads):
        said, own = seen.number_p[place, : JOKER + 1], seen.colour_p[place]
        first = int(p[place].argmax())
        likely = [k for k in np.argsort(-p[place]).tolist() if k <= JOKER and p[place, k] >= LEAST_CANDIDATE]
        candidates = tuple(tile_of(k, colour) for k in likely[:MOST_CANDIDATES])
        doubt: Doubt | None = None
        if first > JOKER:
            if seen.solid[place] < _HARDLY_A_TILE:
                continue
            doubt = Doubt.OUT_OF_ORDER
        elif trust.numbers and seen.number_p[place, BACK] >= READER_SURE:
            doubt, candidates = Doubt.BLANK, ()
        elif p[place, first] < SETTLED:
            doubt = Doubt.OPEN
        elif first != JOKER and contested:
            doubt = Doubt.ROW_COLOUR
            candidates = (tile_of(first, colour), tile_of(first, int(seen.colour_p.mean(axis=0).argmax())))
        elif first != JOKER and colour_p[colour] < COLOUR_SETTLED * (1 - colour_p[4]):
            doubt = Doubt.ROW_COLOUR
            candidates = tuple(tile_of(first, k) for k in np.argsort(-colour_p[:4]).tolist() if colour_p[k] >= 0.05)
        elif first != JOKER and trust.numbers and contradicted(said, first):
            doubt = Doubt.OUT_OF_ORDER
            candidates = (tile_of(int(said.argmax()), colour), tile_of(first, colour))
        elif first != JOKER and trust.colours and contradicted(own, colour):
            doubt = Doubt.OTHER_COLOUR
            candidates = (tile_of(first, int(own.argmax())), tile_of(first, colour))
        tiles.append(
            LaidTile(quad, row, place, tile_of(first, colour))
            if doubt is None
            else LaidTile(quad, row, place, None, candidates, doubt)
        )
    return tiles


def with_joker_kinds(photos: Sequence[LaidOut], kinds: Sequence[Tile]) -> tuple[LaidOut, ...]:
    """The same layouts, their jokers of the kinds told in reading order; questions where there are more or fewer."""
    enough = len(kinds) == sum(tile.tile is not None and tile.tile.is_joker for laid in photos for tile in laid.tiles)
    named, left = tuple(dict.fromkeys(kinds)), iter(kinds)

    def told(tile: LaidTile) -> LaidTile:
        if tile.tile is None or not tile.tile.is_joker:
            return tile
        if enough:
            return replace(tile, tile=next(left))
        return replace(tile, tile=None, candidates=named, doubt=Doubt.JOKER_KIND)

    return tuple(replace(laid, tiles=tuple(told(tile) for tile in laid.tiles)) for laid in photos)
