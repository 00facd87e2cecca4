"""Labels for a photo of which somebody told what lies in each of its rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from referee.tiles import Colour, Tile
from vision.read import COLOUR_CLASSES, JOKER
from vision.taught.find import Seen
from vision.taught.laid_out import (
    LEAST_CANDIDATE,
    LEAST_TILES,
    MOST_CANDIDATES,
    MOSTLY,
    READER_SURE,
    SELDOM,
    SETTLED,
    SURELY_ANOTHER,
    Doubt,
    Labeller,
    LaidOut,
    LaidTile,
    Looks,
    NotLaidOutError,
    RowCount,
    contradicted,
    lines_of,
)
from vision.taught.order import DOUBTS, Followed, Line, colour_index, told_row
from vision.taught.rows import Rows

Floats = NDArray[np.float64]
Told = tuple[tuple[Tile, ...], ...]
"""The tiles of each row, from left to right."""

_ROW_ABSENT = 4.0
"""Cost, for each of its tiles, of a row that was told and is not seen, or the other way round."""


@dataclass(frozen=True, slots=True)
class _Match:
    """Which row seen is which row told, None for one without a counterpart, and how each of them is followed."""

    pairs: tuple[tuple[int | None, int | None], ...]
    followed: dict[int, Followed]
    evidence: float


def as_told(told: Told) -> Labeller:
    """Labels from what was told of each row, from top to bottom and from left to right.

    A row of another number of tiles is a ``RowCount``, and learned only as far as the reader settles which is missing.
    """

    def labels(seen: Seen, rows: Rows, step: float, _: Looks) -> LaidOut:
        lines = lines_of(seen, rows, step)
        row_by_row = _row_by_row(told, [len(row) for row in rows.rows])
        best = max((_matched(lines, row_by_row, (one, other)) for one in DOUBTS for other in DOUBTS),
                   key=lambda match: match.evidence)  # fmt: skip
        if not best.followed:
            raise NotLaidOutError("rows_told", len(lines))
        return _laid_out(seen, rows, best, row_by_row)

    return labels


def _row_by_row(told: Told, seen: Sequence[int]) -> Told:
    """The rows told, or, where they were told set by set and lie side by side, the same tiles row by row as seen."""
    flat = [tile for row in told for tile in row]
    if len(told) == len(seen) or len(flat) != sum(seen):
        return told
    ends = np.cumsum(seen).tolist()
    return tuple(tuple(flat[end - count : end]) for end, count in zip(ends, seen, strict=True))


def _matched(lines: Sequence[Line], told: Told, doubts: tuple[float, float]) -> _Match:
    """The likeliest match in reading order."""
    if [len(line.solid) for line in lines] == [len(row) for row in told]:
        same = {k: told_row(line, row, doubts) for k, (line, row) in enumerate(zip(lines, told, strict=True))}
        return _Match(tuple((k, k) for k in same), same, sum(one.evidence for one in same.values()))
    ways = {(i, k): told_row(line, row, doubts) for i, line in enumerate(lines) for k, row in enumerate(told)}
    best = {(0, 0): (0.0, (0, 0))}
    for i in range(len(lines) + 1):
        for k in range(len(told) + 1):
            options = []
            if i and k:
                options.append((best[i - 1, k - 1][0] + ways[i - 1, k - 1].evidence, (i - 1, k - 1)))
            if i:
                options.append((best[i - 1, k][0] - _ROW_ABSENT * len(lines[i - 1].solid), (i - 1, k)))
            if k:
                options.append((best[i, k - 1][0] - _ROW_ABSENT * len(told[k - 1]), (i, k - 1)))
            if options:
                best[i, k] = max(options)
    steps: list[tuple[int | None, int | None]] = []
    at = (len(lines), len(told))
    while at != (0, 0):
        before = best[at][1]
        steps.append((before[0] if before[0] < at[0] else None, before[1] if before[1] < at[1] else None))
        at = before
    pairs = tuple(steps[::-1])
    followed = {i: ways[i, k] for i, k in pairs if i is not None and k is not None}
    return _Match(pairs, followed, best[len(lines), len(told)][0])


def _laid_out(seen: Seen, rows: Rows, match: _Match, told: Told) -> LaidOut:
    tiles: list[LaidTile] = []
    counts: list[RowCount] = []
    for row, line in match.pairs:
        here = () if row is None else rows.rows[row]
        there = () if line is None else told[line]
        if len(here) != len(there):
            counts.append(RowCount(line or 0 if row is None else row, len(there), len(here)))
        if row is None:
            continue
        quads = seen.quads[list(here)]
        if row in match.followed:
            tiles += _told_tiles(quads, row, match.followed[row], there)
        else:
            tiles += [LaidTile(quad, row, place, None, (), Doubt.ROW_COUNT) for place, quad in enumerate(quads)]
    places = [place for row in rows.rows for place in row]
    return LaidOut(_not_contradicted(tiles, seen.take(np.array(places, np.intp))), len(rows.rows), tuple(counts))


def _told_tiles(quads: NDArray[np.float32], row: int, followed: Followed, told: Sequence[Tile]) -> list[LaidTile]:
    """The tiles of one row; equal tiles told at several places are one answer."""
    tiles = []
    for place, (quad, p) in enumerate(zip(quads, followed.p, strict=True)):
        shares: dict[Tile, float] = {}
        for tile, share in zip(told, p[:-1].tolist(), strict=True):
            shares[tile] = shares.get(tile, 0.0) + share
        ranked = sorted(shares, key=lambda tile: -shares[tile])
        if shares[ranked[0]] >= SETTLED:
            tiles.append(LaidTile(quad, row, place, ranked[0]))
            continue
        doubt = Doubt.OPEN if shares[ranked[0]] >= p[-1] else Doubt.OUT_OF_ORDER
        likely = tuple(tile for tile in ranked if shares[tile] >= LEAST_CANDIDATE)
        tiles.append(LaidTile(quad, row, place, None, likely[:MOST_CANDIDATES], doubt))
    return tiles


def _not_contradicted(tiles: Sequence[LaidTile], seen: Seen) -> tuple[LaidTile, ...]:
    """The same tiles, but for questions where a reader who knows this box surely sees another one than was told.

    A reader to whom the print is strange is not heard.  Raises ``NotLaidOutError`` where it is sure of most tiles, and
    most of them are others.
    """
    settled = [(k, tile.tile) for k, tile in enumerate(tiles) if tile.tile is not None]
    said = seen.number_p[:, : JOKER + 1]
    agrees = {k: said[k].argmax() == (JOKER if tile.is_joker else (tile.number or 1) - 1) for k, tile in settled}
    sure = [agree for k, agree in agrees.items() if said[k].max() >= READER_SURE]
    if len(sure) >= max(LEAST_TILES, len(tiles) / 2) and sum(sure) < SELDOM * len(sure):
        raise NotLaidOutError("not_as_told", len(tiles))
    heard = sum(agrees.values()) >= MOSTLY * len(agrees)
    numbered = {k: colour_index(tile) for k, tile in settled if not tile.is_joker}
    hues = [seen.colour_p[k].argmax() == colour for k, colour in numbered.items()]
    hues_heard, exchanged = sum(hues) >= MOSTLY * len(hues), _exchanged(numbered, seen.colour_p)
    checked = list(tiles)
    for k, tile in settled:
        if tile.is_joker:
            continue
        first, ink, colour = int(said[k].argmax()), int(seen.colour_p[k].argmax()), numbered[k]
        if heard and first != JOKER and contradicted(said[k], (tile.number or 1) - 1):
            looks = (Tile(tile.colour, first + 1), tile)
            checked[k] = replace(tiles[k], tile=None, candidates=looks, doubt=Doubt.OUT_OF_ORDER)
        elif colour in exchanged or (hues_heard and contradicted(seen.colour_p[k], colour)):
            looks = (Tile(Colour(COLOUR_CLASSES[ink]), tile.number), tile)
            checked[k] = replace(tiles[k], tile=None, candidates=looks, doubt=Doubt.OTHER_COLOUR)
    return tuple(checked)


def _exchanged(told: Mapping[int, int], colour_p: Floats) -> frozenset[int]:
    """The colours told whose tiles the reader surely sees in another colour, with no tiles told that are that colour.

    Where tiles of both colours look alike to it one of them must be misread, and what was told decides.
    """
    means = {
        colour: colour_p[[k for k, one in told.items() if one == colour]].mean(axis=0)
        for colour in sorted(set(told.values()))
    }
    first = {colour: int(p.argmax()) for colour, p in means.items() if p.max() >= SURELY_ANOTHER}
    return frozenset(colour for colour, said in first.items() if said != colour and first.get(said, -1) != said)
