"""Sets that nobody touched stay the sets that they were, however a look puts its rows together."""

from __future__ import annotations

from dataclasses import replace

import pytest

from referee.observation import Observation, Row
from tests.web.fakes import table
from tests.web.live_table import Bench, codes
from web.live.notices import NoticeCode


def regrouped(text: str, rows: list[list[int]]) -> Observation:
    """A table whose tiles lie as they are written and are put together into these rows."""
    observation = table(text)
    placed = {i for row in rows for i in row if len(row) > 1}
    return replace(
        observation,
        rows=tuple(Row(tuple(row), (0.3,) * (len(row) - 1)) for row in rows if len(row) > 1),
        loose=tuple(i for i in range(len(observation.tiles)) if i not in placed),
    )


FIRST = "R9 R10 R11 R12 R13 | B12 O12 R12"


@pytest.mark.parametrize(
    ("text", "rows", "how"),
    [
        (FIRST, [[0, 1, 2, 3, 4], [5, 6], [7]], "drew"),  # one tile seems to lie apart
        (FIRST, [[0, 1, 2, 3, 4, 5, 6, 7]], "drew"),  # two sets seem to be one row
        (f"{FIRST} K12", [[0, 1, 2, 3, 4], [5, 6], [7, 8]], "played"),
        (f"{FIRST} | K1 K2 K3", [[0, 1, 2], [3, 4], [5], [6], [7], [8, 9, 10]], "played"),
    ],
)
def test_a_gap_that_comes_out_otherwise_is_no_event(text: str, rows: list[list[int]], how: str) -> None:
    bench = Bench()
    bench.turn(FIRST)
    bench.turn(FIRST)
    bench.watch.lay(regrouped(text, rows))
    bench.frame()
    assert NoticeCode.RULED in codes(bench.call())
    assert (bench.last.verdict, bench.last.how) == ("legal", how)


def test_a_set_of_which_a_tile_was_moved_is_no_longer_whole() -> None:
    bench = Bench()
    bench.turn(FIRST)
    bench.turn(FIRST)
    bench.lay("R9 R10 R11 R12 R13 | B12 O12 | R12")
    assert NoticeCode.FIX in codes(bench.call())
