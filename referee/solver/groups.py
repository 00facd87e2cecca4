"""Groups of one number: how tiles of the four colours, and jokers, are shared out among groups."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, product

WIDTH = 4
"""The colours of a box, and the most tiles of a group."""
EVERY_COLOUR = (1 << WIDTH) - 1

Counts = tuple[int, ...]
"""How many tiles of each colour."""
Group = tuple[tuple[int, ...], int]
"""The colours of a group's plain tiles, and how many jokers it has."""


@dataclass(frozen=True, slots=True)
class GroupRules:
    """What of the rules decides which groups there are."""

    shortest: int
    most_jokers: int


@lru_cache(maxsize=1 << 16)
def share_out(plain: Counts, jokers: int, rules: GroupRules, free: int = EVERY_COLOUR) -> tuple[Group, ...] | None:
    """Groups that hold exactly these tiles and jokers; None where there are none.

    ``free`` are the colours (a bit each) for which a joker may stand.
    """
    if not any(plain) and not jokers:
        return ()
    present = [colour for colour in range(WIDTH) if plain[colour]]
    first = present[:1]  # some group holds the first colour: that one is taken out first
    for size in range(len(present) - len(first), -1, -1):
        for others in combinations(present[len(first) :], size):
            colours = (*first, *others)
            missing = sum(free >> colour & 1 for colour in range(WIDTH) if colour not in colours)
            for standing in range(min(jokers, rules.most_jokers, missing) + 1):
                if len(colours) + standing < rules.shortest:
                    continue
                left = tuple([count - (colour in colours) for colour, count in enumerate(plain)])
                rest = share_out(left, jokers - standing, rules, free)
                if rest is not None:
                    return ((colours, standing), *rest)
    return None


@lru_cache(maxsize=1 << 14)
def possible_groups(held: Counts, jokers: int, rules: GroupRules) -> tuple[tuple[Counts, int], ...]:
    """Every choice of tiles and jokers that can be shared out among groups, no tile at all first."""
    return tuple(_possible(held, jokers, rules))


def _possible(held: Counts, jokers: int, rules: GroupRules) -> Iterator[tuple[Counts, int]]:
    for plain in product(*(range(count + 1) for count in held)):
        for standing in range(jokers + 1):
            if share_out(plain, standing, rules) is not None:
                yield plain, standing
