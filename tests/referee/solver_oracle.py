"""What can be laid, found the slow way: every choice of tiles, every way to part it into sets that the judge allows.

Shares nothing with the solver.  For a dozen tiles at most.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, product

from referee.ruleset import RuleSet
from referee.sets import judge_set
from referee.tiles import Tile

Hand = tuple[Tile, ...]
"""Tiles in a fixed order, so that equal hands are equal."""
Sets = list[tuple[Hand, int]]
"""Sets, each with its value."""


def most(
    table: Sequence[Tile], rack: Sequence[Tile], ruleset: RuleSet, worth: Callable[[Sequence[Tile]], int]
) -> int | None:
    """The most that rack tiles laid can be worth where the tiles of the table stay; None where they cannot stay."""
    brute = BruteForce([*table, *rack], ruleset)
    laid = [chosen for chosen in choices(ordered(rack)) if brute.value([*table, *chosen]) is not None]
    return max((worth(chosen) for chosen in laid), default=None)


def highest_opening(rack: Sequence[Tile], ruleset: RuleSet) -> int:
    """The highest value of sets from these tiles alone."""
    allowed = ordered([tile for tile in rack if ruleset.open_joker_allowed or not tile.is_joker])
    brute = BruteForce(allowed, ruleset)
    return max(value for chosen in choices(allowed) if (value := brute.value(chosen)) is not None)


class BruteForce:
    """Looks at every set that some of these tiles make."""

    def __init__(self, tiles: Sequence[Tile], ruleset: RuleSet) -> None:
        self._ruleset = ruleset
        self._likely = [chosen for chosen in choices(ordered(tiles)) if _may_be_a_set(chosen)]
        self._sets: dict[frozenset[Tile], Sets] = {}
        self._known: dict[tuple[Hand, frozenset[Tile]], int | None] = {}

    def value(self, tiles: Sequence[Tile]) -> int | None:
        """The highest value of sets that hold exactly these tiles; None where there are none."""
        counts = Counter(tiles)
        full = frozenset(t for t, count in counts.items() if not t.is_joker and count >= self._ruleset.held(t))
        return self._parted(ordered(tiles), frozenset() if self._ruleset.joker_for_exhausted_tile else full)

    def _parted(self, hand: Hand, exhausted: frozenset[Tile]) -> int | None:
        if not hand:
            return 0
        if (hand, exhausted) in self._known:
            return self._known[hand, exhausted]
        best = None
        counts = Counter(hand)
        for one, value in self._legal(exhausted):
            if one[0] != hand[0] or Counter(one) - counts:
                continue
            rest = self._parted(ordered((counts - Counter(one)).elements()), exhausted)
            if rest is not None:
                best = max(best or 0, value + rest)
        self._known[hand, exhausted] = best
        return best

    def _legal(self, exhausted: frozenset[Tile]) -> Sets:
        if exhausted not in self._sets:
            values = ((one, self._set_value(one, exhausted)) for one in self._likely)
            self._sets[exhausted] = [(one, value) for one, value in values if value is not None]
        return self._sets[exhausted]

    def _set_value(self, tiles: Hand, exhausted: frozenset[Tile]) -> int | None:
        """The highest value of these tiles as one set that lies in order; None where no order is legal."""
        values = []
        for order in _orders(tiles):
            ruling = judge_set(order, self._ruleset, exhausted)
            if ruling.legal and not ruling.findings and ruling.value is not None:
                values.append(ruling.value)
        return max(values, default=None)


def _may_be_a_set(tiles: Hand) -> bool:
    """Three tiles or more, of one number or one colour."""
    plain = [tile for tile in tiles if not tile.is_joker]
    return len(tiles) >= 3 and (len({t.number for t in plain}) <= 1 or len({t.colour for t in plain}) <= 1)


def _orders(tiles: Hand) -> Iterator[Hand]:
    """The orders worth a look: plain tiles rising, from any of them on, and jokers anywhere between."""
    plain = [tile for tile in tiles if not tile.is_joker]
    jokers = [tile for tile in tiles if tile.is_joker]
    for turn, places in product(range(max(len(plain), 1)), combinations(range(len(tiles)), len(jokers))):
        waiting = iter(plain[turn:] + plain[:turn])
        yield tuple(jokers[0] if i in places else next(waiting) for i in range(len(tiles)))


def ordered(tiles: Iterator[Tile] | Sequence[Tile]) -> Hand:
    """The tiles by number, jokers last."""
    return tuple(sorted(tiles, key=lambda tile: (tile.is_joker, tile.number or 0, str(tile.colour))))


def choices(hand: Hand) -> Iterator[Hand]:
    """Every choice of some of these tiles, equal choices once."""
    counts = Counter(hand)
    for taken in product(*(range(count + 1) for count in counts.values())):
        yield tuple(tile for tile, count in zip(counts, taken, strict=True) for _ in range(count))
