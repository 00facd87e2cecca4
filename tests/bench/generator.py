"""Positions of our own, for a checkout without the shared bench: the same from the same seed, drawn from one box.

They are built, not played, so they stay the same however the solver chooses among equal plays.  What is wrong with a
turn is known by its making; no optimum is known beforehand.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import product
from random import Random

from referee.tiles import Colour, Joker, Tile
from tests.bench.instances import Heap, Instances, Position, Rack, Sets, Tiles, Turn

JOKER = Tile(joker=Joker.REGULAR)
RACK_SIZE = 14
TABLE_SIZES = (0, 20, 40, 60, 80)
JOKERS = ((0, 0), (1, 0), (2, 0), (1, 1), (0, 2))
"""Jokers on the rack and on the table."""


def generate(seed: int = 1) -> Instances:
    """As many instances of each kind as the shared bench holds."""
    rng = Random(seed)
    return Instances(
        source=f"drawn with seed {seed}, optima not known beforehand",
        turns=tuple(_turn(rng, number) for number in range(100)),
        heaps=tuple(_heap(rng, number) for number in range(50)),
        racks=tuple(_rack(rng, number) for number in range(100)),
        positions=tuple(
            _position(rng, f"position-{number}", size, jokers)
            for number, (size, jokers, _) in enumerate(product(TABLE_SIZES, JOKERS, range(6)))
        ),
    )


class Box:
    """What is left of a box of 104 tiles and 2 jokers."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.left = Counter(
            {Tile(colour=colour, number=number): 2 for colour in Colour for number in range(1, 14)} | {JOKER: 2}
        )

    def holds(self, tiles: Tiles) -> bool:
        return not Counter(tiles) - self.left

    def take(self, tiles: Tiles) -> Tiles:
        self.left -= Counter(tiles)
        return tiles

    def one_set(self, length: int) -> Tiles:
        """A run or a group without jokers, as long as that; a group only where four tiles suffice."""
        while True:
            if length <= 4 and self.rng.random() < 0.5:
                number = self.rng.randint(1, 13)
                tiles = tuple(Tile(colour=colour, number=number) for colour in self.rng.sample(list(Colour), length))
            else:
                tiles = run(self.rng.choice(list(Colour)), self.rng.randint(1, 14 - length), length)
            if self.holds(tiles):
                return self.take(tiles)

    def table(self, size: int, jokers: int = 0) -> Sets:
        """Legal sets of ``size`` tiles in all, jokers in the place of some of them."""
        while True:
            kept = self.left.copy()
            lengths = _lengths(self.rng, size)
            if (sets := self._sets(lengths)) is not None:
                break
            self.left = kept
        for _ in range(jokers):
            number = self.rng.choice([number for number, one in enumerate(sets) if JOKER not in one])
            sets[number] = self.with_joker(sets[number])
        return tuple(sets)

    def with_joker(self, one: Tiles) -> Tiles:
        """The set with a joker in the place of one tile, which goes back into the box."""
        place = self.rng.randrange(len(one))
        self.left[one[place]] += 1
        self.take((JOKER,))
        return (*one[:place], JOKER, *one[place + 1 :])

    def rack(self, size: int, jokers: int = 0) -> Tiles:
        plain = list((self.left - Counter({JOKER: 2})).elements())
        return self.take((*self.rng.sample(plain, size - jokers), *(JOKER,) * jokers))

    def _sets(self, lengths: list[int]) -> list[Tiles] | None:
        """Sets of these lengths; None where the box has run out of them."""
        sets = []
        for length in lengths:
            if not any(self.holds(run(colour, first, length)) for colour in Colour for first in range(1, 15 - length)):
                return None
            sets.append(self.one_set(length))
        return sets


def run(colour: Colour, first: int, length: int) -> Tiles:
    return tuple(Tile(colour=colour, number=number) for number in range(first, first + length))


def _lengths(rng: Random, size: int) -> list[int]:
    """Lengths of sets, three and four the most common, that make up ``size`` tiles (none, or three and more)."""
    lengths: list[int] = []
    while (rest := size - sum(lengths)) > 0:
        length = rng.choice((3, 3, 3, 4, 4, 5, 6))
        lengths.append(length if rest - length >= 3 else rest if rest <= 5 else 3)
    return lengths


def _position(rng: Random, name: str, size: int, jokers: tuple[int, int]) -> Position:
    box = Box(rng)
    on_rack, on_table = jokers if size else (sum(jokers), 0)
    table = box.table(size, on_table)
    return Position(name, table, box.rack(RACK_SIZE, on_rack))


def _heap(rng: Random, number: int) -> Heap:
    """The tiles of a legal table; of every second one a tile was exchanged, and most of those fit no more."""
    box = Box(rng)
    exchanged = number % 2 == 1
    size = rng.choice((9, 12, 16, 20, 26, 32, 40) if exchanged else (9, 12, 20, 26, 40, 60, 80, 90))
    tiles = [tile for one in box.table(size, rng.choice((0, 1, 2))) for tile in one]
    if exchanged:
        tiles[rng.randrange(size)] = box.rack(1)[0]
    rng.shuffle(tiles)
    return Heap(f"heap-{number}", tuple(tiles), None if exchanged else True)


def _rack(rng: Random, number: int) -> Rack:
    jokers = rng.choice((0, 1, 1, 2))
    return Rack(f"rack-{number}", Box(rng).rack(rng.choice((6, 8, 10, 12, 14, 14, 16, 20)), jokers))


def _turn(rng: Random, number: int) -> Turn:
    return _TURNS[number % len(_TURNS)](rng, f"turn-{number}")


def _rearranged(rng: Random, name: str) -> Turn:
    """Legal: groups of one colouring on end become runs, and a set is laid from the rack."""
    box = Box(rng)
    colours, first = rng.sample(list(Colour), 3), rng.randint(1, 9)
    groups = tuple(box.take(tuple(Tile(colour=colour, number=first + k) for colour in colours)) for k in range(5))
    others, laid = box.table(rng.choice((9, 20, 40))), box.one_set(rng.choice((3, 4)))
    after = [*others, *(run(colour, first, 5) for colour in colours), laid]
    rng.shuffle(after)
    return Turn(name, (*groups, *others), tuple(after), _rack_with(box, laid), True, frozenset())


def _opened_with(rng: Random, name: str) -> Turn:
    """An opening by one set of the rack: legal from 30 points on."""
    box = Box(rng)
    before, laid = box.table(rng.choice((0, 9, 20, 40))), box.one_set(rng.choice((3, 4, 5)))
    value = sum(tile.number or 0 for tile in laid)
    faults = frozenset() if value >= 30 else frozenset({"open_low"})
    return Turn(name, before, (laid, *before), _rack_with(box, laid), False, faults)


def _too_short(rng: Random, name: str) -> Turn:
    box = Box(rng)
    before, laid = box.table(rng.choice((9, 20, 40))), box.one_set(3)[:2]
    return Turn(name, before, (*before, laid), _rack_with(box, laid), True, frozenset({"illegal_set"}))


def _nothing_laid(rng: Random, name: str) -> Turn:
    box = Box(rng)
    before = box.table(rng.choice((9, 20, 40)))
    after = tuple(rng.sample(before, len(before)))
    return Turn(name, before, after, box.rack(RACK_SIZE), True, frozenset({"nothing_laid"}))


def _tile_taken(rng: Random, name: str) -> Turn:
    """A set is laid, and the last tile of a set of four is gone."""
    box = Box(rng)
    others, long = box.table(rng.choice((9, 20, 40))), box.one_set(4)
    while long[3] in (laid := box.one_set(3)):  # its twin would hide that it is gone
        pass
    after = (*others, long[:3], laid)
    return Turn(name, (*others, long), after, _rack_with(box, laid), True, frozenset({"tile_taken"}))


def _not_from_rack(rng: Random, name: str) -> Turn:
    """One tile of the set that was laid was not on the rack."""
    box = Box(rng)
    before, laid = box.table(rng.choice((9, 20, 40))), box.one_set(3)
    rack = _rack_with(box, laid[:2])
    others = tuple(tile for tile in rack if tile != laid[2])
    return Turn(name, before, (*before, laid), others, True, frozenset({"not_from_rack"}))


def _rack_with(box: Box, tiles: Tiles) -> Tiles:
    """A rack that holds these tiles, drawn already, among others."""
    return (*tiles, *box.rack(RACK_SIZE - len(tiles)))


_TURNS: tuple[Callable[[Random, str], Turn], ...] = (
    _rearranged, _opened_with, _too_short, _nothing_laid, _tile_taken, _not_from_rack,
)  # fmt: skip
