"""A phone that sees a rendered table: pictures with a camera's noise come all the time, and the eyes know the truth."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from referee.observation import Kind, Observation, Quad, Reading, Scene, SeenTile
from referee.preset_files import load_ruleset
from referee.tiles import parse_tile
from tests.conftest import REPOSITORY
from tests.dashboard.conftest import PATIENCE_S
from tests.vision.filmed import Filmed, still
from tests.web.fakes import FakeEyes, FakeSight
from tests.web.live_table import HandWatch
from web.dashboard.hall import Hall
from web.dashboard.table_book import BookedTable
from web.dashboard.tables import PHONE, open_table
from web.wiring import Wiring

Image = npt.NDArray[np.uint8]
PHOTO, WIDTH = "01_legal_small", 960
RATE = 10.0
_Found = TypeVar("_Found")


def truth_of(photo: str, width: int) -> Observation:
    """What lies on a sample photo that is so wide."""
    told = json.loads((REPOSITORY / "sample_images" / "truth" / f"{photo}.json").read_text(encoding="utf-8"))
    scale = width / told["width"]
    tiles = []
    for one in told["tiles"]:
        a, b, c, d = (np.array(one["quad"]) * scale).tolist()
        quad: Quad = (a[0], a[1]), (b[0], b[1]), (c[0], c[1]), (d[0], d[1])
        tiles.append(SeenTile(quad, Kind.FACE, (Reading(parse_tile(one["tile"]), 0.99),), 0.99, doubtful=False))
    height = round(told["height"] * scale)
    return Observation(width, height, Scene.TABLE, tuple(tiles), (), tuple(range(len(tiles))))


@dataclass(slots=True)
class TruthEyes(FakeEyes):
    """See the truth of the photo in whatever picture comes, and count how often they look."""

    looks: int = 0
    seen: Observation = field(default_factory=lambda: truth_of(PHOTO, WIDTH))

    def look(self, image: Image, second_reader: bool = True) -> FakeSight:
        assert image.size
        assert second_reader
        self.looks += 1
        return FakeSight(self.seen)

    @property
    def wiring(self) -> Wiring:
        return Wiring(load_eyes=lambda: self, watch=lambda _eyes, _region, _stills: HandWatch())


def until(happens: Callable[[], _Found]) -> _Found:
    """Wait until something is so; what it was then."""
    tick, deadline = threading.Event(), time.monotonic() + PATIENCE_S
    while not (found := happens()):
        assert time.monotonic() < deadline, "it did not happen in time"
        tick.wait(0.01)
    return found


class Phone:
    """Sends pictures of a table until the test is over; ``film.image`` may be another one at any time."""

    def __init__(self, hall: Hall, table: str = "one") -> None:
        self.film = Filmed(still(PHOTO, WIDTH), RATE)
        self._hall, self._table = hall, table
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._send, name="phone", daemon=True)
        self._thread.start()

    def _send(self) -> None:
        while not self._over.wait(1 / RATE):
            feed = self._hall.tables[self._table].pushed
            assert feed is not None
            feed.push_image(next(self.film.run(1 / RATE)).image)

    def close(self) -> None:
        self._over.set()
        self._thread.join()


def phone_hall(home: Path, eyes: TruthEyes | None = None) -> Hall:
    """A hall whose table ``one`` is seen by a phone; nobody plays yet."""
    hall = Hall(home, f"sqlite:///{home / 'games.db'}", (eyes or TruthEyes()).wiring, load_ruleset())
    open_table(hall, BookedTable("one", PHONE, "", "first"))
    return hall


def sees(hall: Hall, image: Image, table: str = "one") -> bool:
    """Whether a table has looked at a picture that differs from this one by noise alone."""
    frame = hall.tables[table].snapshot.frame
    if frame is None or frame.image.shape != image.shape:
        return False
    return float(np.abs(frame.image[::8, ::8].astype(np.int16) - image[::8, ::8]).mean()) < 4


@contextmanager
def phone_at(hall: Hall, table: str = "one") -> Iterator[Phone]:
    """A phone that sends pictures meanwhile."""
    phone = Phone(hall, table)
    try:
        yield phone
    finally:
        phone.close()


def also_by_phone(hall: Hall, table: str) -> None:
    """Another table of a hall, seen by a phone and played by nobody."""
    hall.wiring = replace(hall.wiring, watch=lambda _eyes, _region, _stills: HandWatch())
    open_table(hall, BookedTable(table, PHONE, "", "second"))
