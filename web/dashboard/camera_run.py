"""A table of the dashboard under a real camera: the same live table as at a terminal, refereed for whoever looks on."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from referee.game.codec import LogError
from referee.game.decide import GameError
from referee.ruleset import RuleSet
from referee.store import StoreError, open_store
from referee.told import NOTHING, telling
from vision.feeds import FilmFeed, open_feed
from vision.frames import EndOfFrames, Frame, FrameFeed
from vision.mailbox import now
from vision.sources import SourceError
from web.dashboard.gatekeeper import NOT_GOOD, Gatekeeper
from web.dashboard.hall import Hall
from web.dashboard.light_meter import LightMeter
from web.dashboard.running import Drive, RunningTable
from web.dashboard.table_camera import TableCamera
from web.evidence.background import BackgroundKeeper
from web.evidence.keeper import EvidenceKeeper
from web.live import acts
from web.live.care import CameraCare
from web.live.looking import look_at
from web.live.notices import NoticeCode
from web.live.table import LiveTable
from web.play_region import RegionDesk
from web.telling import told_by
from web.wiring import Eyes, EyesError

if TYPE_CHECKING:
    from web.play_region import Look

FRAME_WAIT_S = 0.1
"""Whatever the camera does, acts are carried out within this time."""


@dataclass(frozen=True, slots=True)
class CameraTable:
    """What is played where: ``players`` (none: they are told at the set-up) and ``starter``, a seat, of a new game.

    ``anyway``: it begins whatever the picture is like.  ``box`` is the taught box of the tiles, empty: none of its own.
    """

    source: str
    ruleset: RuleSet
    game: str
    players: tuple[str, ...] = ()
    starter: int | None = 0
    box: str = ""
    anyway: bool = False


def refereed(hall: Hall, table: CameraTable, feed: FrameFeed | None = None) -> Drive:
    """What drives such a table; ``feed`` gives its frames where no source is opened."""

    def drive(running: RunningTable) -> None:
        try:
            running.tell_trouble(telling("The referee is getting ready."))
            eyes = hall.eyes_for_box(table.box) if table.box else hall.eyes()
            with contextlib.ExitStack() as opened:
                store = opened.enter_context(contextlib.closing(open_store(hall.database)))
                frames = opened.enter_context(_feed(table, feed))
                keeper = EvidenceKeeper(hall.evidence, table.game, store, hall.wall, running.tell_trouble)
                evidence = opened.enter_context(BackgroundKeeper(keeper))
                live = LiveTable(
                    hall.wiring.watch(eyes, None, False), store, table.game, table.ruleset, evidence,
                    time.monotonic, wall=now, models=eyes.models,
                )  # fmt: skip
                running.tell_trouble(NOTHING)
                keeper.catch_up()
                running.play(live, table.ruleset)
                onlooker = _Onlooker(hall, table, running, live, frames, eyes)
                running.camera = onlooker.camera
                opened.callback(onlooker.camera.leave)
                onlooker.look_on()
        except (StoreError, LogError, GameError, SourceError, EyesError) as error:
            running.tell_trouble(told_by(error))
        finally:
            running.camera = None

    return drive


class _Onlooker:
    """Looks at the frames of one table and obeys, until it is closed."""

    def __init__(
        self, hall: Hall, table: CameraTable, running: RunningTable, live: LiveTable, feed: FrameFeed, eyes: Eyes
    ) -> None:
        look = _looking(eyes)
        source = f"{table.source} {running.name}" if running.pushed is not None else table.source
        self._table, self._running, self._live, self._feed = table, running, live, feed
        self._care = CameraCare(live, None, lambda moved: hall.wiring.watch(eyes, moved, False))
        self.camera = TableCamera(RegionDesk(hall.home, source, look, _unheard), self._care, LightMeter(look))
        self._gate: Gatekeeper | None = None
        if table.players and not live.view.seats:
            self.camera.waiting = table.players
            self._gate = Gatekeeper(look)

    def look_on(self) -> None:
        """A film's last frame stays."""
        if self._gate is not None and self._table.anyway:
            self._start()
        after = float("-inf")
        while True:
            self._running.wait(0)
            try:
                frame = self._feed.newest(after, FRAME_WAIT_S)
            except EndOfFrames:
                self._running.publish(self._live.tick())
                self._ask_gate(ended=True)
                self._running.wait(FRAME_WAIT_S)
                continue
            after = after if frame is None else frame.taken_at
            care = None if isinstance(self._feed, FilmFeed) else self._care  # a file has no faults of a camera
            if look_at(self._live, self._feed, frame, care, now(), self._running.publish, self._note):
                self._running.count(self._feed.dropped)
            self._ask_gate()

    def _note(self, frame: Frame) -> None:
        """A frame that shows the table: its place is known before the frame is looked at."""
        self.camera.note(frame)
        if self._gate is not None:
            self._gate.note(frame.image)

    def _ask_gate(self, *, ended: bool = False) -> None:
        """Begin the game that waits for a good picture, or say that it is not good."""
        opens = None if self._gate is None else self._gate.opens(ended=ended)
        if opens:
            self._start()
        elif opens is not None:
            self._running.tell_trouble(NOT_GOOD)

    def _start(self) -> None:
        self._gate, self.camera.waiting = None, ()
        said = self._running.publish(self._live.do(acts.StartGame(self._table.players, self._table.starter)))
        refused = (one.notice.told for one in said if one.notice.code is NoticeCode.REFUSED)
        self._running.tell_trouble(next(refused, NOTHING))


def _looking(eyes: Eyes) -> Look:
    return lambda image: eyes.look(image).observation


def _unheard(_sentence: str) -> None:
    """The set-up page shows it."""


@contextlib.contextmanager
def _feed(table: CameraTable, given: FrameFeed | None) -> Iterator[FrameFeed]:
    if given is not None:
        yield given  # whoever made it closes it
        return
    if Path(table.source).is_dir():
        raise SourceError("{source} is a folder: 'tileref play --camera' plays on stills.", source=table.source)
    with contextlib.closing(open_feed(table.source)) as feed:
        yield feed
