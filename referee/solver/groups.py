"""Groups of one number: how tiles of the four colours, and jokers, are shared out among groups."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations, product

from referee.ruleset import RuleSet

Counts = tuple[int, ...]
"""How many tiles of each colour."""
Group = tuple[tuple[int, ...], int]
"""The colours of a group's plain tiles, and how many jokers it has."""

WIDTH = 4
_EVERY_COLOUR = (1 << WIDTH) - 1


@lru_cache(maxsize=65536)
def share_out(
    plain: Counts, jokers: int, shortest: int, most_jokers: int, free: int = _EVERY_COLOUR
) -> tuple[Group, ...] | None:
    """Groups that hold exactly these tiles and jokers; None where there are none.

    ``free`` are the colours (a bit each) for which a joker may stand.
    """
    if not any(plain) and not jokers:
        return ()
    present = [colour for colour in range(WIDTH) if plain[colour]]
    must = present[:1]  # some group holds the first colour: take that one first
    for size in range(len(present) - len(must) + 1):
        for others in combinations(present[len(must) :], size):
            colours = (*must, *others)
            missing = sum(free >> colour & 1 for colour in range(WIDTH) if colour not in colours)
            for standing in range(min(jokers, most_jokers, missing) + 1):
                if len(colours) + standing < shortest:
                    continue
                left = tuple(count - (colour in colours) for colour, count in enumerate(plain))
                rest = share_out(left, jokers - standing, shortest, most_jokers, free)
                if rest is not None:
                    return ((colours, standing), *rest)
    return None


@lru_cache(maxsize=4096)
def possible_groups(held: Counts, jokers: int, ruleset_key: tuple[int, int]) -> tuple[tuple[Counts, int], ...]:
    """Every choice of tiles and jokers that can be shared out among groups, no tile at all first."""
    return tuple(_possible(held, jokers, *ruleset_key))


def _possible(held: Counts, jokers: int, shortest: int, most_jokers: int) -> Iterator[tuple[Counts, int]]:
    for plain in product(*(range(count + 1) for count in held)):
        for standing in range(jokers + 1):
            if share_out(plain, standing, shortest, most_jokers) is not None:
                yield plain, standing


def group_rules(ruleset: RuleSet) -> tuple[int, int]:
    """What of the rules decides how groups are shared out."""
    return ruleset.min_set_length, ruleset.jokers_per_set_max
