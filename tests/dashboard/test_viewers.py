"""The viewers of the load test (``tests.measure.load``) ask a dashboard as the pages do."""

from __future__ import annotations

from collections import Counter

import pytest
from flask import Flask

from tests.dashboard.conftest import HandTable, Referee
from tests.measure.load import DESK, Viewer, mixture, watched
from tests.measure.load_figures import Asked


@pytest.fixture
def address(served: str) -> tuple[str, int]:
    host, port = served.removeprefix("http://").split(":")
    return host, int(port)


@pytest.fixture
def cookie(app: Flask, referee: Referee) -> str:
    kept = referee.client.get_cookie(app.config["SESSION_COOKIE_NAME"])
    assert kept is not None
    return f"{kept.key}={kept.value}"


def test_a_desk_fetches_each_picture_once(table: HandTable, address: tuple[str, int], cookie: str) -> None:
    table.do(lambda bench: bench.frame())
    desk = Viewer(DESK, address, "one", cookie)
    desk.update()
    desk.update()
    desk.leave()
    assert [(one.kind, one.good, one.fresh) for one in desk.asked] == [
        ("desk", True, True), ("picture", True, True), ("desk", True, False),
    ]  # fmt: skip


@pytest.mark.usefixtures("table")
def test_what_is_refused_has_failed(address: tuple[str, int]) -> None:
    stranger, nowhere = Viewer(DESK, address, "none", ""), Viewer(DESK, ("127.0.0.1", 1), "one", "")
    for viewer in (stranger, nowhere):
        viewer.update()
        viewer.leave()
        assert [one.good for one in viewer.asked] == [False]


@pytest.mark.usefixtures("table")
def test_viewers_look_on_from_a_process_of_their_own(address: tuple[str, int], cookie: str) -> None:
    found: list[Asked] = []
    with watched(mixture(8), address, "one", cookie, found):
        pass
    assert all(one.good for one in found)
    asked = Counter(one.kind for one in found)
    assert (asked["desk"] >= 1, asked["seat"] >= 2, asked["screen"] >= 5) == (True, True, True)
