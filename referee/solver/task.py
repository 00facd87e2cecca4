"""What the solver is asked and what it decides, in numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from referee.solver.groups import Counts
from referee.tiles import HIGHEST_NUMBER

SEAM = 0
"""The number before the first: over it runs go on where 1 follows 13."""


ROWS = HIGHEST_NUMBER + 1
"""The numbers, the seam included."""


@dataclass(frozen=True, slots=True)
class Task:
    """What must and what may be laid, by number and colour, and what it costs to leave the rest.

    Rows are counted from 1; row 0 is empty.  ``joker_costs`` is the cost of a joker laid at each number and
    ``joker_leaving`` of one not laid; ``joker_price`` is what a joker is thought to be worth, which only decides how
    quick the search is.  ``most_cost`` is what it costs to leave everything that may be left.  ``full`` says from
    how many tiles of a face on no joker may stand for it; None where any joker may.
    """

    must: Sequence[Counts]
    may: Sequence[Counts]
    leaving: Sequence[int]
    jokers_must: int
    jokers_may: int
    joker_costs: Sequence[int]
    joker_leaving: int
    joker_price: int
    most_cost: int
    full: Sequence[Counts] | None = None


@dataclass(frozen=True, slots=True)
class Layer:
    """What was decided at one number: tiles and jokers for groups; for each colour tiles, jokers, the state after."""

    grouped: Counts
    group_jokers: int
    runs: tuple[tuple[int, int, int], ...]

    def laid(self, colour: int) -> int:
        """How many tiles of a colour lie on the table."""
        return self.grouped[colour] + self.runs[colour][0]
