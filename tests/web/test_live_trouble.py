"""What must not cost a game: the program killed in mid-turn, a full disk, a camera in trouble."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest
from sqlalchemy import event

from referee.game.events import PenaltyGiven
from referee.protocol import Stage
from referee.store import SqlStore, StoreError, open_store
from referee.tiles import parse_tile
from tests.conftest import REPOSITORY
from tests.web.fakes import table
from tests.web.live_table import Bench, codes, one
from tests.web.live_worker import IN_DOUBT, OPENING, SECOND
from vision.frames import CameraFault
from web.live import acts
from web.live.notices import NoticeCode


@pytest.mark.parametrize(("when", "turns"), [("mid-turn", 1), ("writing", 1), ("written", 2)])
def test_a_program_killed_in_mid_turn_goes_on_from_the_last_event(when: str, turns: int, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'games.db'}"
    done = subprocess.run(
        [sys.executable, "-m", "tests.web.live_worker", when, url], cwd=REPOSITORY, check=False, timeout=120
    )
    assert done.returncode == -signal.SIGKILL
    store = open_store(url)
    bench = Bench(store=store, start=False)
    assert bench.live.state.turn == turns
    bench.watch.lay(table(SECOND))
    if turns == 1:
        bench.frame()
        assert NoticeCode.RULED in codes(bench.call())
    assert (bench.live.state.table, bench.live.state.seat, bench.live.state.racks) == (SECOND, 0, (9, 11))
    store.close()


def test_what_was_answered_is_not_asked_again_by_a_program_that_starts_after_a_kill(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'games.db'}"
    done = subprocess.run(
        [sys.executable, "-m", "tests.web.live_worker", "answered", url], cwd=REPOSITORY, check=False, timeout=120
    )
    assert done.returncode == -signal.SIGKILL
    store = open_store(url)
    bench = Bench(store=store, start=False)
    bench.watch.lay(table(IN_DOUBT))
    bench.frame()
    (question,) = one(bench.call(), NoticeCode.ASK).questions
    assert {str(tile) for tile in question.choices} == {"K6", "K9"}
    bench.do(acts.AnswerTile(0, parse_tile("K9")))
    assert bench.live.state.table == f"{OPENING} | B6 B7 B8 B9 | K9 B9 O9"
    store.close()


class FullDisk:
    """A database that may grow no further, as on a disk that is full: SQLite itself refuses."""

    def __init__(self, store: SqlStore) -> None:
        self.pages = 1_000_000
        event.listen(store._engine, "checkout", self._limit)
        self._store = store

    def _limit(self, connection: object, *_: object) -> None:
        connection.execute(f"PRAGMA max_page_count = {self.pages}")  # type: ignore[attr-defined]

    def fill(self) -> None:
        """Other games take all the room that there is."""
        self.pages = 1  # never below what is in use
        size = 3000
        while size:
            try:
                seen = len(self._store.load("other"))
                self._store.append("other", seen, [PenaltyGiven(seat=0, tiles=0, points=0, reason="x" * size)])
            except StoreError:
                size //= 2


def test_a_full_disk_is_one_sentence_and_the_game_goes_on_when_there_is_room(tmp_path: Path) -> None:
    store = open_store(f"sqlite:///{tmp_path / 'games.db'}")
    disk = FullDisk(store)
    bench = Bench(store=store)
    bench.lay(OPENING)
    disk.fill()
    said = bench.call()
    assert codes(said).count(NoticeCode.STORE_TROUBLE) == 1
    assert "full" in str(one(said, NoticeCode.STORE_TROUBLE).told)
    assert NoticeCode.RULED in codes(said)  # what was ruled is said, and kept until it can be written
    left = bench.live.view.left_s
    for _ in range(20):
        assert not bench.frame(after_s=2)
    assert codes(bench.do(acts.CountAsDraw())) == [NoticeCode.REFUSED]
    assert len(store.load("game")) == 3
    disk.pages = 1_000_000
    assert codes(bench.frame(after_s=2)) == [NoticeCode.STORE_WELL]
    assert len(store.load("game")) == 4
    assert bench.live.view.left_s == pytest.approx(left, abs=2.5)  # no time counted meanwhile
    assert NoticeCode.RULED in codes(bench.turn(SECOND))
    store.close()


def test_a_game_killed_while_the_disk_is_full_rules_the_same_again(tmp_path: Path) -> None:
    store = open_store(f"sqlite:///{tmp_path / 'games.db'}")
    disk = FullDisk(store)
    bench = Bench(store=store)
    bench.lay(OPENING)
    disk.fill()
    bench.call()
    disk.pages = 1_000_000
    bench.begun()
    assert bench.live.state.turn == 0
    bench.frame()
    bench.call()
    assert (bench.last.verdict, bench.live.state.table) == ("legal", OPENING)
    store.close()


@pytest.mark.parametrize("fault", list(CameraFault))
def test_a_camera_in_trouble_is_named_once_and_the_turn_waits(fault: CameraFault) -> None:
    bench = Bench()
    bench.lay(OPENING)
    bench.do(acts.CallTurnEnd())
    said = bench.live.camera(fault)
    assert one(said, NoticeCode.CAMERA_TROUBLE).text == fault.value
    assert not bench.live.camera(fault)
    bench.wait(30)
    assert (bench.stage(), bench.live.view.fault) == (Stage.CALLED, fault.value)
    assert codes(bench.live.camera(None)) == [NoticeCode.CAMERA_WELL]
    assert NoticeCode.RULED in codes(bench.frame())
