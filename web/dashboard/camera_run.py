"""A table of the dashboard under a real camera: the same live table as at a terminal, refereed for whoever looks on."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from referee.game.codec import LogError
from referee.game.decide import GameError
from referee.ruleset import RuleSet
from referee.store import StoreError, open_store
from referee.told import NOTHING, telling
from vision.feeds import FilmFeed, open_feed
from vision.frames import EndOfFrames, FrameFeed
from vision.mailbox import now
from vision.region import TableRegion
from vision.sources import SourceError
from web.dashboard.hall import Hall
from web.dashboard.running import Drive, RunningTable
from web.evidence.background import BackgroundKeeper
from web.evidence.keeper import EvidenceKeeper
from web.live import acts
from web.live.care import CameraCare
from web.live.looking import look_at
from web.live.notices import NoticeCode
from web.live.table import LiveTable
from web.telling import told_by
from web.wiring import Eyes, EyesError

FRAME_WAIT_S = 0.1
"""Whatever the camera does, acts are carried out within this time."""


@dataclass(frozen=True, slots=True)
class CameraTable:
    """What is played where: ``players`` (none: they are told at the set-up) and ``starter``, a seat, of a new game."""

    source: str
    ruleset: RuleSet
    game: str
    players: tuple[str, ...] = ()
    starter: int | None = 0
    region: TableRegion | None = None


def refereed(hall: Hall, table: CameraTable, feed: FrameFeed | None = None) -> Drive:
    """What drives such a table; ``feed`` gives its frames where no source is opened."""

    def drive(running: RunningTable) -> None:
        try:
            running.tell_trouble(telling("The referee's eyes are being opened."))
            eyes = hall.eyes()
            with contextlib.ExitStack() as opened:
                store = opened.enter_context(contextlib.closing(open_store(hall.database)))
                frames = opened.enter_context(_feed(table, feed))
                keeper = EvidenceKeeper(hall.evidence, table.game, store, hall.wall, running.tell_trouble)
                evidence = opened.enter_context(BackgroundKeeper(keeper))
                corners = None if table.region is None else table.region.corners
                live = LiveTable(
                    hall.wiring.watch(eyes, table.region, False), store, table.game, table.ruleset, evidence,
                    time.monotonic, wall=now, models=eyes.models, corners=corners,
                )  # fmt: skip
                running.tell_trouble(NOTHING)
                keeper.catch_up()
                running.play(live, table.ruleset)
                if table.players and not live.view.seats:
                    said = running.publish(live.do(acts.StartGame(table.players, table.starter)))
                    refused = (one.notice.told for one in said if one.notice.code is NoticeCode.REFUSED)
                    running.tell_trouble(next(refused, NOTHING))
                _look_on(running, live, frames, _care(hall, table, live, frames, eyes))
        except (StoreError, LogError, GameError, SourceError, EyesError) as error:
            running.tell_trouble(told_by(error))

    return drive


def _look_on(running: RunningTable, live: LiveTable, feed: FrameFeed, care: CameraCare | None) -> None:
    """Look at frames and obey, until the table is closed; a film's last frame stays."""
    after = float("-inf")
    while True:
        running.wait(0)
        try:
            frame = feed.newest(after, FRAME_WAIT_S)
        except EndOfFrames:
            running.publish(live.tick())
            running.wait(FRAME_WAIT_S)
            continue
        after = after if frame is None else frame.taken_at
        if look_at(live, feed, frame, care, now(), running.publish):
            running.count(feed.dropped)


def _care(hall: Hall, table: CameraTable, live: LiveTable, feed: FrameFeed, eyes: Eyes) -> CameraCare | None:
    """What looks after the camera; a file has none of its faults."""
    if isinstance(feed, FilmFeed):
        return None
    return CameraCare(live, table.region, lambda moved: hall.wiring.watch(eyes, moved, False))


@contextlib.contextmanager
def _feed(table: CameraTable, given: FrameFeed | None) -> Iterator[FrameFeed]:
    if given is not None:
        yield given  # whoever made it closes it
        return
    if Path(table.source).is_dir():
        raise SourceError("{source} is a folder: 'tileref play --camera' plays on stills.", source=table.source)
    with contextlib.closing(open_feed(table.source)) as feed:
        yield feed

