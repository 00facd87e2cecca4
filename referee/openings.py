"""The best opening that some tiles hold: exact, by trying every set that the first tile in order may belong to.

Runs of three to five tiles and groups are enough: a longer run is two shorter ones, worth the same together.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache

from referee.ruleset import RuleSet
from referee.tiles import HIGHEST_NUMBER, LOWEST_NUMBER, Colour, Joker, Tile

_Cells = tuple[int, ...]
"""How many tiles of each colour and number there are: 52 counts, number by number."""
_COLOURS = tuple(Colour)
_WIDTH = len(_COLOURS)


def best_opening(tiles: Sequence[Tile], ruleset: RuleSet) -> int:
    """The highest value of sets laid from these tiles alone; a joker counts as the tile that it stands for.

    Special jokers are left out, so the answer is a lower bound where there are some.
    """
    counts = Counter((tile.number, tile.colour) for tile in tiles if tile.number is not None)
    cells = tuple(counts[number, colour] for number in range(LOWEST_NUMBER, HIGHEST_NUMBER + 1) for colour in _COLOURS)
    jokers = sum(tile.joker is Joker.REGULAR for tile in tiles) if ruleset.open_joker_allowed else 0
    value = _searcher(ruleset.min_set_length, ruleset.jokers_per_set_max, ruleset.jokers_adjacent)
    return value(cells, jokers)


class _Search:
    """The search under the rules of sets that matter here; answers are remembered for one call of ``value``."""

    def __init__(self, shortest: int, most_jokers: int, adjacent: bool) -> None:
        self._shortest = shortest
        self._most_jokers = most_jokers
        self._adjacent = adjacent

    def __call__(self, cells: _Cells, jokers: int) -> int:
        known: dict[tuple[_Cells, int], int] = {}

        def best(left: _Cells, jokers_left: int) -> int:
            first = next((i for i, count in enumerate(left) if count), None)
            if first is None:
                return self._jokers_alone(jokers_left)
            key = (left, jokers_left)
            if key in known:
                return known[key]
            value = best(_without(left, (first,)), jokers_left)
            for used, jokers_used, worth in self._sets_with(first, left, jokers_left):
                value = max(value, worth + best(_without(left, used), jokers_left - jokers_used))
            known[key] = value
            return value

        return best(cells, jokers)

    def _jokers_alone(self, jokers: int) -> int:
        """A set of jokers alone: a group of the highest number, or a run up to it where neighbours may be jokers."""
        usable = min(jokers, self._most_jokers)
        if usable < self._shortest:
            return 0
        group = HIGHEST_NUMBER * min(usable, _WIDTH)
        run = sum(range(HIGHEST_NUMBER - usable + 1, HIGHEST_NUMBER + 1)) if self._adjacent else 0
        return max(group, run)

    def _sets_with(self, first: int, left: _Cells, jokers: int) -> Iterator[tuple[tuple[int, ...], int, int]]:
        """Sets whose first plain tile is ``first``: the cells that they use, their jokers, their value."""
        number, colour = divmod(first, _WIDTH)
        usable = min(jokers, self._most_jokers)
        yield from self._groups(first, number, left, usable)
        yield from self._runs(number, colour, left, usable)

    def _groups(self, first: int, number: int, left: _Cells, jokers: int) -> Iterator[tuple[tuple[int, ...], int, int]]:
        others = [i for i in range(first + 1, (number + 1) * _WIDTH) if left[i]]
        for mask in range(1 << len(others)):
            used = (first, *(cell for k, cell in enumerate(others) if mask >> k & 1))
            for size in range(max(self._shortest, len(used)), _WIDTH + 1):
                if size - len(used) <= jokers:
                    yield used, size - len(used), (number + LOWEST_NUMBER) * size

    def _runs(self, number: int, colour: int, left: _Cells, jokers: int) -> Iterator[tuple[tuple[int, ...], int, int]]:
        """Runs from jokers below ``number`` on; every other place is a tile that is there, or a joker."""
        longest = 2 * self._shortest - 1
        for below in range(min(jokers, number) + 1):
            start = number - below
            for size in range(max(self._shortest, below + 1), min(longest, HIGHEST_NUMBER - start) + 1):
                places = range(number + 1, start + size)
                for mask in range(1 << len(places)):
                    plain = [place for k, place in enumerate(places) if mask >> k & 1]
                    used = (number * _WIDTH + colour, *(place * _WIDTH + colour for place in plain))
                    standing = size - len(used)
                    if standing > jokers or not all(left[cell] for cell in used):
                        continue
                    if not self._adjacent and _neighbours(set(range(start, start + size)) - {number, *plain}):
                        continue
                    yield used, standing, sum(range(start + 1, start + size + 1))


def _neighbours(places: set[int]) -> bool:
    return any(place + 1 in places for place in places)


def _without(cells: _Cells, used: Sequence[int]) -> _Cells:
    left = list(cells)
    for cell in used:
        left[cell] -= 1
    return tuple(left)


_searcher = cache(_Search)
