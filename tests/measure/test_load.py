"""The load of viewers: what its figures mean; tests/dashboard/test_viewers.py has its viewers look on."""

from __future__ import annotations

import re

import pytest

from tests.conftest import REPOSITORY
from tests.measure.load import DESK, SCREEN, SEAT, mixture
from tests.measure.load_figures import Asked, Rulings, compared, percentile, promises, table, waits


def notice(code: str, at: float, seconds: float | None = None) -> dict[str, object]:
    return {"code": code, "at": at, "seconds": seconds}


def test_a_percentile_is_one_of_the_values() -> None:
    values = [float(n) for n in range(100, 0, -1)]
    assert [percentile(values, share) for share in (0.5, 0.95, 0.99, 1.0)] == [50, 95, 99, 100]
    assert percentile([7.0], 0.5) == 7


def test_a_call_waits_until_it_is_answered_and_not_where_it_is_taken_back() -> None:
    said = [
        notice("turn", 1), notice("called", 2.1, 0.1), notice("ruled", 2.3), notice("turn", 2.3),
        notice("called", 5), notice("call_taken_back", 6), notice("refused", 6.5),
        notice("called", 9), notice("ask", 9.5), notice("ruled", 12),
        notice("called", 20),
    ]  # fmt: skip
    assert waits(said) == pytest.approx({1: 0.3, 3: 0.5})


def test_the_same_calls_are_compared_over_all_runs() -> None:
    alone = [{1: 0.2, 2: 0.4, 3: 9.0}, {1: 0.4, 2: 0.4}]
    told = compared(alone, [{1: 0.33, 2: 0.44, 4: 9.0}, {1: 0.33, 2: 0.44, 3: 9.0}])
    assert told is not None
    assert (told.calls, told.alone_s, told.watched_s) == pytest.approx((2, 0.35, 0.385))
    assert told.slower == pytest.approx(0.1)
    assert compared([{1: 0.2}], [{2: 0.2}]) is None


def asked(milliseconds: float, good: bool = True) -> Asked:
    return Asked("screen", milliseconds / 1000, good, fresh=True)


@pytest.mark.parametrize(
    ("times", "rulings", "kept"),
    [
        ([asked(149)], Rulings(3, 0.2, 0.219), [True, True, True]),
        ([asked(150)], Rulings(3, 0.2, 0.221), [False, True, False]),
        ([asked(10)] * 19 + [asked(900)], Rulings(3, 0.2, 0.1), [True, True, True]),
        ([asked(10)] * 18 + [asked(900, good=False)] * 2, None, [False, False, False]),
        ([], None, [False, True, False]),
    ],
)
def test_promises_are_kept_or_broken(times: list[Asked], rulings: Rulings | None, kept: list[bool]) -> None:
    assert [is_kept for is_kept, _ in promises(times, rulings)] == kept


def test_the_table_tells_each_kind_and_all_of_them() -> None:
    lines = table([asked(10), asked(20), Asked("desk", 0.5, good=False, fresh=False)])
    assert [line.split() for line in lines[1:]] == [
        ["desk", "1", "0", "500.0", "500.0", "500.0", "1"],
        ["screen", "2", "2", "10.0", "20.0", "20.0", "0"],
        ["everything", "3", "2", "20.0", "500.0", "500.0", "1"],
    ]


def test_thirty_viewers_are_desks_players_and_spectators() -> None:
    pages = mixture(30)
    assert [pages.count(page) for page in (DESK, SEAT, SCREEN)] == [3, 7, 20]
    assert [len(mixture(viewers)) for viewers in (1, 2, 7, 31)] == [1, 2, 7, 31]


def test_viewers_pause_as_long_as_the_pages_do() -> None:
    scripts = REPOSITORY / "web" / "dashboard" / "static" / "js"
    written = {
        SCREEN: ("screen", r"EVERY_MS = (\d+)"), SEAT: ("seat", r"EVERY_MS = (\d+)"), DESK: ("poll", r"every = (\d+)"),
    }  # fmt: skip
    for page, (script, pattern) in written.items():
        found = re.search(pattern, (scripts / f"{script}.js").read_text(encoding="utf-8"))
        assert found is not None
        assert int(found[1]) == 1000 * page.every_s, script
