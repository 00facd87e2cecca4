"""The tracked numbers of tiles held against what somebody counted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from referee.game.state import State
from referee.notation import parse_table
from referee.told import ToldError


@dataclass(frozen=True, slots=True)
class Miscount:
    """A place where another number of tiles lies than the log says; ``seat`` is None for the table and the pool."""

    place: str
    seat: int | None
    tracked: int
    counted: int


def compare_counts(
    state: State, racks: Sequence[int | None] = (), pool: int | None = None, table: int | None = None
) -> tuple[Miscount, ...]:
    """Where the counts differ; what nobody counted is None.

    Raises ``ValueError`` for a negative count, or more racks than there are seats.
    """
    told = [count for count in (*racks, pool, table) if count is not None]
    if min(told, default=0) < 0:
        raise ToldError("a number of tiles must not be negative: {given}", given=min(told))
    if len(racks) > len(state.racks):
        raise ToldError(
            "there are {racks} racks, and {counted} were counted", racks=len(state.racks), counted=len(racks)
        )
    on_table = sum(len(places) for places in parse_table(state.table))
    tracked: list[tuple[str, int | None, int, int | None]] = [
        *(("rack", seat, state.racks[seat], count) for seat, count in enumerate(racks)),
        ("pool", None, state.pool, pool),
        ("table", None, on_table, table),
    ]
    return tuple(
        Miscount(place, seat, held, counted)
        for place, seat, held, counted in tracked
        if counted is not None and counted != held
    )
