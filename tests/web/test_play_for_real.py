"""What must not cost a game, done to the program itself: it is killed, the cable is out, the disk full.

A program of its own looks with the real eyes at the frames of a network camera (``tests/web/real_play.py``).
"""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY
from tests.vision.net_camera import until
from tests.web.real_play import FilmedTable, Program, kept, stored

OPENING = "R9 R10 R11 R12 R13"
SECOND = f"{OPENING} | B10 K10 O10"
THIRD = f"{SECOND} | K1 K2 K3"


CLOCK = """
import pathlib, time
real, ahead = time.time, pathlib.Path({file!r})
time.time = lambda: real() + float(ahead.read_text())
"""
"""The computer's clock as somebody sets it: it is so many seconds ahead as a file says."""


DIES = """
import os, signal
from web.evidence.keeper import EvidenceKeeper
keep = EvidenceKeeper.keep
def dies(self, record):
    if record.version > 4:
        os.kill(os.getpid(), signal.SIGKILL)
    keep(self, record)
EvidenceKeeper.keep = dies
"""
"""``kill -9`` between a ruling that is in the log (the second, event 5) and its evidence."""


def begun(table: FilmedTable, home: Path, first: str = "") -> Program:
    """A game of two whose first turn was ruled on."""
    program = Program(home, table.camera.address(), "--names", "Ann,Bob", first=first)
    program.hears("turn")
    program.order("wait 2")
    program.order("view")
    program.hears("shown")  # the camera has seen the table empty
    table.lay(OPENING)
    program.order("end")
    assert program.hears("ruled")["ruling"]["verdict"] == "legal"
    assert until(lambda: kept(home) == 1)  # evidence is written behind the game's back
    return program


def verified(home: Path) -> tuple[int, str]:
    """What ``tileref verify`` says of the game: its exit status and its words."""
    done = subprocess.run(
        [sys.executable, "-c", "from web.start import main; main()", "verify", "club"], capture_output=True, text=True,
        check=False, cwd=REPOSITORY, env={"TILEREF_HOME": str(home), "PATH": "/usr/bin:/bin"}, timeout=60,
    )  # fmt: skip
    return done.returncode, done.stdout


@pytest.mark.parametrize("called", [False, True])
def test_a_program_killed_in_mid_turn_goes_on_with_the_same_table(called: bool, tmp_path: Path) -> None:
    with FilmedTable() as table, begun(table, tmp_path) as program:
        table.lay(SECOND)
        if called:
            heard = len(program.said)
            program.order("end")
            program.hears("called", heard)
        program.kill()
        before = stored(tmp_path)
        assert (before.turn, before.table) == (1, OPENING)
        with Program(tmp_path, table.camera.address()) as again:
            again.hears("goes_on", seat=1)
            again.order("end")
            assert again.hears("ruled")["ruling"]["laid"] == ["B10", "K10", "O10"]
            assert again.leave() == 0
    after = stored(tmp_path)
    assert (after.turn, after.table, after.racks, after.seat) == (2, SECOND, (9, 11), 0)
    assert verified(tmp_path)[0] == 0


def test_evidence_that_was_lost_with_the_program_is_said_and_the_game_goes_on(tmp_path: Path) -> None:
    with FilmedTable() as table, begun(table, tmp_path, DIES) as program:
        table.lay(SECOND)
        program.order("end")
        assert program.ends() == -signal.SIGKILL
        assert stored(tmp_path).turn == 2
        table.lay(THIRD)
        with Program(tmp_path, table.camera.address()) as again:
            again.hears("goes_on", seat=0)
            again.order("end")
            assert again.hears("ruled")["ruling"]["laid"] == ["K1", "K2", "K3"]
            assert again.leave() == 0
    assert "Turns whose evidence was lost when the program last ended: 1" in "".join(again.errors)
    status, words = verified(tmp_path)
    assert status == 3
    assert "Event 5 of the log is a turn, and nothing was kept of it." in words
    assert "as the next record says: the program ended before it was kept." in words


def test_a_cable_that_is_out_in_mid_turn_is_named_and_the_turn_goes_on(tmp_path: Path) -> None:
    with FilmedTable() as table, begun(table, tmp_path) as program:
        heard = len(program.said)
        gone_at = time.monotonic()
        table.camera.go()
        (sentence,) = program.hears("camera_trouble", heard)["text"]
        assert "cable" in sentence
        assert program.wait_s("camera_trouble", gone_at) < 2
        program.order("end")
        program.hears("called", heard)
        table.lay(SECOND)
        table.camera.come()
        program.hears("camera_well", heard)
        ruled = program.hears("ruled", heard)
        assert (ruled["seat"], ruled["ruling"]["laid"]) == (1, ["B10", "K10", "O10"])
        assert program.leave() == 0
    assert stored(tmp_path).table == SECOND
    assert verified(tmp_path)[0] == 0


def test_a_disk_that_is_full_stops_nobody_and_loses_nothing(tmp_path: Path) -> None:
    with FilmedTable() as table, begun(table, tmp_path) as program:
        heard = len(program.said)
        program.may_write(0)
        table.lay(SECOND)
        program.order("end")
        assert program.hears("ruled", heard)["ruling"]["verdict"] == "legal"
        program.hears("store_trouble", heard)
        assert stored(tmp_path).turn == 1
        program.may_write(-1)
        program.hears("store_well", heard)
        assert stored(tmp_path).table == SECOND
        table.lay(THIRD)
        heard = len(program.said)
        program.order("end")
        assert program.hears("ruled", heard)["ruling"]["laid"] == ["K1", "K2", "K3"]
        assert program.leave() == 0
    assert stored(tmp_path).turn == 3
    status, words = verified(tmp_path)
    assert status in {0, 3}, words  # what could not be kept meanwhile is named, and nothing was changed
    assert "Traceback" not in "".join(program.errors)


def test_a_game_killed_while_the_disk_is_full_is_ruled_on_again(tmp_path: Path) -> None:
    with FilmedTable() as table, begun(table, tmp_path) as program:
        heard = len(program.said)
        program.may_write(0)
        table.lay(SECOND)
        program.order("end")
        program.hears("store_trouble", heard)
        program.kill()
        assert stored(tmp_path).turn == 1
        with Program(tmp_path, table.camera.address()) as again:
            again.hears("goes_on", seat=1)
            again.order("end")
            assert again.hears("ruled")["ruling"]["laid"] == ["B10", "K10", "O10"]
            assert again.leave() == 0
    assert stored(tmp_path).table == SECOND


def test_a_computer_whose_clock_is_set_in_mid_turn_referees_as_before(tmp_path: Path) -> None:
    ahead, home = tmp_path / "ahead", tmp_path / "home"
    ahead.write_text("0")
    with FilmedTable() as table, begun(table, home, CLOCK.format(file=str(ahead))) as program:
        for hours, wanted, laid in ((2, SECOND, ["B10", "K10", "O10"]), (-2, THIRD, ["K1", "K2", "K3"])):
            heard = len(program.said)
            table.lay(wanted)
            ahead.write_text(str(3600 * hours))
            program.order("end")
            assert program.hears("ruled", heard)["ruling"]["laid"] == laid
        assert program.leave() == 0
    assert "bell" not in {one["code"] for _, one in program.said}
    assert stored(home).table == THIRD
    assert verified(home)[0] == 0


def test_a_film_is_refereed_from_its_first_frame(tmp_path: Path) -> None:
    film = tmp_path / "evening.mp4"
    FilmedTable().write_film(film, {"": 6, OPENING: 60})
    with Program(tmp_path, str(film), "--names", "Ann,Bob") as program:
        program.hears("turn")
        program.order("wait 8")
        program.order("end")
        assert program.hears("ruled")["ruling"]["laid"] == OPENING.split()
        assert program.leave() == 0
    assert stored(tmp_path).table == OPENING
