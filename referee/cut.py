"""Several sets in one line: where a row that is no set may be cut into sets.

Nothing in the rules keeps players from laying one set against the next, and then no gap tells where one ends.  So a
row that is illegal as one set and legal as several is neither: to call it legal would be to repair it, to call it
illegal may wrong a player.  The cut is named, and a human decides.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

LEAST_DIFFERENCE = 0.06
"""Two cuts are told apart by their gaps only when these differ by so many tile widths: corners are not seen better."""


@dataclass(frozen=True, slots=True)
class Cut:
    """One way to cut a row.

    ``starts`` are the places in the row where a further set begins, rising; ``only`` says whether there is no other way
    to cut it into so few sets that the gaps speak for as much.
    """

    starts: tuple[int, ...]
    only: bool

    def pieces(self, tiles: Sequence[int]) -> tuple[tuple[int, ...], ...]:
        """The tiles of each set, of the row's ``tiles`` in reading order."""
        return tuple(tuple(tiles[start:end]) for start, end in pairwise((0, *self.starts, len(tiles))))


@dataclass(frozen=True, slots=True)
class _Way:
    """The best way to cut the beginning of a row: in how few sets, how wide the gaps are there, and how many ways."""

    sets: int
    width: float
    starts: tuple[int, ...]
    only: bool


def best_cut(gaps: Sequence[float], is_set: Callable[[int, int], bool]) -> Cut | None:
    """The cut of a row into the fewest sets, two or more; of several such the one through the widest gaps.

    ``gaps`` lie between neighbours, in tile widths, so a row has one tile more.  ``is_set(start, end)`` says whether
    the tiles from place ``start`` up to before ``end`` may be a set; it is asked about each stretch at most once.
    None where there is no such cut.
    """
    count = len(gaps) + 1
    ways: list[_Way | None] = [_Way(0, 0.0, (), only=True)] + [None] * count
    for end in range(1, count + 1):
        for start in range(end):
            before = ways[start]
            if before is None or (start, end) == (0, count) or not is_set(start, end):
                continue
            opened = gaps[start - 1] if start else 0.0
            starts = (*before.starts, start) if start else ()
            ways[end] = _better(ways[end], _Way(before.sets + 1, before.width + opened, starts, before.only))
    whole = ways[count]
    return Cut(whole.starts, whole.only) if whole is not None else None


def _better(known: _Way | None, other: _Way) -> _Way:
    """The way with fewer sets, else with wider gaps; where these hardly differ, it is not the only one."""
    if known is None or other.sets < known.sets:
        return other
    if other.sets > known.sets:
        return known
    wider, narrower = (other, known) if other.width > known.width else (known, other)
    if wider.width - narrower.width >= LEAST_DIFFERENCE:
        return wider
    return _Way(wider.sets, wider.width, wider.starts, only=False)
