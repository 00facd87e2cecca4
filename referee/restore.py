"""Which tiles go back where after a turn that does not stand, ticked off while they are put back.

Nothing is judged here: whether a table counts as put back, and what becomes of tiles whose place nobody remembers, is
``referee.ending.judge_restoration``'s.  Twin tiles are alike, so either may be named.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from referee.notation import NotedTable
from referee.tiles import Tile


class StepKind(StrEnum):
    """What is to be done with one tile."""

    MOVE = "move"
    """It lies on the table, in another set than it must."""
    TAKE_OFF = "take_off"
    """It was not on the table that must lie there: it goes back to the rack."""
    BRING_BACK = "bring_back"
    """It is no longer on the table."""


@dataclass(frozen=True, slots=True)
class RestoreStep:
    """One tile that does not lie where it must.

    ``lies_at`` is its place on the table as it lies now, ``home_at`` its place on the table that must lie there: both
    in reading order, None where it has none.  ``home_set`` is the index of its set there.
    """

    kind: StepKind
    tile: Tile
    lies_at: int | None
    home_at: int | None
    home_set: int | None

    @property
    def task(self) -> tuple[StepKind, Tile, int | None]:
        """What is to be done, wherever the tile lies meanwhile."""
        return self.kind, self.tile, self.home_set


@dataclass(frozen=True, slots=True)
class TickedStep:
    """One step and whether it is done."""

    step: RestoreStep
    done: bool


@dataclass(frozen=True, slots=True)
class _Lying:
    """One tile of a table: its place in reading order and its set."""

    tile: Tile
    at: int
    in_set: int


def restore_steps(wanted: NotedTable, lying: NotedTable) -> tuple[RestoreStep, ...]:
    """What is to be done so that ``lying`` becomes ``wanted``; of a doubtful tile the likeliest reading is taken.

    Sets that share most tiles are taken for each other, so whole sets stay where they are and few tiles move.
    """
    pairs = _pairs(wanted, lying)
    needed, spare = list(_tiles(wanted)), list(_tiles(lying))
    for ours, theirs in pairs.items():
        _strike(needed, spare, ours, theirs)
    return (*_moves(needed, spare), *_brought(needed), *_taken_off(spare))


def ticked(first: Sequence[RestoreStep], now: Sequence[RestoreStep]) -> tuple[TickedStep, ...]:
    """All steps of the beginning, each done once it is no longer needed; what went wrong since comes last."""
    waiting = Counter(step.task for step in now)
    steps = {step.task: step for step in now}
    listed: list[TickedStep] = []
    for step in first:
        undone = waiting[step.task] > 0
        if undone:
            waiting[step.task] -= 1
        listed.append(TickedStep(steps[step.task] if undone else step, not undone))
    for step in now:
        if waiting[step.task] > 0:
            waiting[step.task] -= 1
            listed.append(TickedStep(step, False))
    return tuple(listed)


def _tiles(table: NotedTable) -> Iterator[_Lying]:
    at = 0
    for number, places in enumerate(table):
        for place in places:
            if place.tile is not None:
                yield _Lying(place.tile, at, number)
            at += 1


def _pairs(wanted: NotedTable, lying: NotedTable) -> dict[int, int]:
    """Which wanted set is which lying one: those that share most first, and of these the most alike."""
    ours, theirs = _contents(wanted), _contents(lying)
    candidates = sorted(
        (-(a & b).total(), (a | b).total(), i, j) for i, a in enumerate(ours) for j, b in enumerate(theirs) if a & b
    )
    pairs: dict[int, int] = {}
    for _, _, i, j in candidates:
        if i not in pairs and j not in pairs.values():
            pairs[i] = j
    return pairs


def _contents(table: NotedTable) -> list[Counter[Tile]]:
    return [Counter(place.tile for place in places if place.tile is not None) for places in table]


def _strike(needed: list[_Lying], spare: list[_Lying], ours: int, theirs: int) -> None:
    """Cross out the tiles that lie in the right set already."""
    for one in [tile for tile in needed if tile.in_set == ours]:
        other = next((tile for tile in spare if tile.in_set == theirs and tile.tile == one.tile), None)
        if other is not None:
            needed.remove(one)
            spare.remove(other)


def _moves(needed: list[_Lying], spare: list[_Lying]) -> Iterator[RestoreStep]:
    """Tiles that are on the table and belong into another set; what was paired is crossed out."""
    for one in tuple(needed):
        other = next((tile for tile in spare if tile.tile == one.tile), None)
        if other is not None:
            needed.remove(one)
            spare.remove(other)
            yield RestoreStep(StepKind.MOVE, one.tile, other.at, one.at, one.in_set)


def _brought(needed: Sequence[_Lying]) -> Iterator[RestoreStep]:
    return (RestoreStep(StepKind.BRING_BACK, one.tile, None, one.at, one.in_set) for one in needed)


def _taken_off(spare: Sequence[_Lying]) -> Iterator[RestoreStep]:
    return (RestoreStep(StepKind.TAKE_OFF, one.tile, one.at, None, None) for one in spare)
