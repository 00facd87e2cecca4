"""Evidence that was lost with the program: whoever opens the table's game again on the dashboard is told."""

from __future__ import annotations

from dataclasses import replace

import pytest

from referee.store import open_store
from tests.vision.net_camera import until
from tests.web.fakes import SeeingWatch
from tests.web.live_table import Bench
from vision.feeds import PushedFeed
from web.dashboard.camera_run import CameraTable, refereed
from web.dashboard.hall import Hall

PATIENCE_S = 30.0


@pytest.mark.parametrize("turns", [0, 1])
def test_a_game_that_goes_on_without_all_of_its_evidence_says_so(hall: Hall, turns: int) -> None:
    hall.wiring = replace(hall.wiring, watch=lambda eyes, _region, _stills: SeeingWatch(eyes))
    store = open_store(hall.database)
    before = Bench(store=store, game="club")  # the program that ended: nothing of its evidence is on disk
    for _ in range(turns):
        before.turn("R9 R10 R11 R12 R13")
    store.close()
    running = hall.open("one", refereed(hall, CameraTable("", hall.ruleset, "club"), PushedFeed()), "a test")
    assert until(lambda: running.snapshot.view is not None, PATIENCE_S)
    told = "Turns whose evidence was lost when the program last ended: 1; 'tileref verify' names them."
    assert str(running.snapshot.trouble) == (told if turns else "")
