"""``tileref play`` as a program of its own before a camera on the network: real frames, real eyes, a real disk."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

import cv2
import numpy as np

from referee.game.state import State
from referee.notation import parse_table
from referee.store import load_state, open_store
from tests.conftest import REPOSITORY
from tests.vision.net_camera import NetCamera, jpeg
from vision.http_camera import decode_jpeg
from vision.render.camera import look_at_table
from vision.render.club import club_look
from vision.render.stage import Moment, Stage, StageTile
from web.evidence.check import Grade, check
from web.evidence.shelf import FolderShelf, folder_name

SIZE = (1280, 720)
TILE_PX = 64
FRAME_S = 0.1
PATIENCE_S = 90.0
"""A busy machine needs long to load networks; what is there is not waited for."""

Said = dict[str, Any]


def tiles(table: str) -> tuple[StageTile, ...]:
    """A table in the notation as rows one below the other; a set lies where it lay before, whatever comes after it."""
    placed = []
    for row, places in enumerate(parse_table(table)):
        for column, place in enumerate(places):
            x, y = -5.0 + 0.78 * column, -2.6 + 1.8 * row
            placed.append(StageTile(100 * row + column, str(place.tile), x, y, 0.0))
    return tuple(placed)


class FilmedTable:
    """A table under a network camera; ``lay`` says what lies there from now on."""

    def __init__(self) -> None:
        look = club_look(np.random.default_rng(4), SIZE)
        self._stage = Stage(replace(look, camera=look_at_table(*SIZE, TILE_PX, 12, 1.0, 55)), 1)
        self._moment, self._number = Moment(()), 0
        self._over = threading.Event()
        self.camera = NetCamera()
        self._thread = threading.Thread(target=self._film, name="films the table", daemon=True)

    def __enter__(self) -> Self:
        self.camera.come()
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()
        self.camera.go()

    def lay(self, table: str) -> None:
        self._moment = Moment(tiles(table))

    def frame(self) -> bytes:
        """The next picture, as a JPEG file."""
        self._number += 1
        return jpeg(self._stage.frame(self._moment, self._number).image, 92)

    def write_film(self, file: Path, seconds: Mapping[str, int], rate: int = 5) -> None:
        """Tables one after the other as a film, each for so many seconds."""
        film = cv2.VideoWriter(str(file), cv2.VideoWriter.fourcc(*"mp4v"), rate, SIZE)
        assert film.isOpened()
        for table, lasts in seconds.items():
            self.lay(table)
            grains = [decode_jpeg(self.frame()) for _ in range(4)]
            for number in range(rate * lasts):
                image = grains[number % len(grains)]
                assert image is not None
                film.write(image)
        film.release()

    def _film(self) -> None:
        while not self._over.wait(FRAME_S):
            self.camera.send(self.frame())


class Program:
    """One run of ``tileref play --json``; ``first`` is what its Python does before."""

    def __init__(self, home: Path, camera: str, *arguments: str, first: str = "") -> None:
        told = ["play", "--camera", camera, "--json", "--anyway", "--game", "club", *arguments]
        self._process = subprocess.Popen(
            [sys.executable, "-c", f"{first}\nfrom web.start import main; main()", *told],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=REPOSITORY,
            env=os.environ | {"TILEREF_HOME": str(home)},
        )  # fmt: skip
        self.said: list[tuple[float, Said]] = []
        self.errors: list[str] = []
        self._heard = threading.Condition()
        self._readers = [threading.Thread(target=read, daemon=True) for read in (self._read, self._read_errors)]
        for reader in self._readers:
            reader.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    def order(self, line: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{line}\n")
        self._process.stdin.flush()

    def hears(self, code: str, since: int = 0, **told: object) -> Said:
        """Wait until this is said, behind the first ``since`` things that were said."""

        def found() -> Said | None:
            said = [one for _, one in self.said[since:]]
            return next((one for one in said if one["code"] == code and told.items() <= one.items()), None)

        with self._heard:
            there = self._heard.wait_for(lambda: found() is not None or self._process.poll() is not None, PATIENCE_S)
            one = found()
        assert there, f"{code} was not said: {self.said[since:]} {self.errors}"
        assert one is not None, f"the program ended without {code}: {self.said[since:]} {self.errors}"
        return one

    def wait_s(self, code: str, began: float) -> float:
        """How long after a time (monotonic) this was said first."""
        return next(at for at, one in self.said if one["code"] == code and at >= began) - began

    def kill(self) -> None:
        """As ``kill -9`` does it."""
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGKILL)
        self._end()

    def ends(self) -> int:
        """Wait until it is gone by itself; its exit status."""
        return self._end()

    def leave(self) -> int:
        """Say that it is over; the exit status."""
        self.order("quit")
        return self._end()

    def may_write(self, most: int) -> None:
        """No file may grow beyond so many bytes from now on, as on a disk that is full; -1: as there was."""
        resource.prlimit(self._process.pid, resource.RLIMIT_FSIZE, (most, resource.RLIM_INFINITY))

    def _end(self) -> int:
        status = self._process.wait(PATIENCE_S)
        for reader in self._readers:
            reader.join()
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            if stream is not None:
                _close(stream.close)
        return status

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            with self._heard:
                self.said.append((time.monotonic(), json.loads(line)))
                self._heard.notify_all()
        with self._heard:
            self._heard.notify_all()

    def _read_errors(self) -> None:
        assert self._process.stderr is not None
        self.errors.extend(self._process.stderr)


def _close(close: Callable[[], None]) -> None:
    try:
        close()
    except BrokenPipeError:  # it was killed before it read its last order
        return


def stored(home: Path) -> State:
    """The game as the disk holds it."""
    store = open_store(f"sqlite:///{home / 'games.db'}")
    try:
        return load_state(store, "club")
    finally:
        store.close()


def kept(home: Path) -> int:
    """Of how many turns the evidence is whole."""
    folder = home / "evidence" / folder_name("club")
    store = open_store(f"sqlite:///{home / 'games.db'}")
    try:
        checked = check(FolderShelf(folder, "club"), store.load("club"))
    finally:
        store.close()
    return 0 if any(one.grade is not Grade.NOTE for one in checked.found) else len(checked.records)
