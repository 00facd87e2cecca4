"""One game at a terminal: frames from a camera or a folder, orders from keys or lines, what is said printed."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import click

from referee.game.decide import GameError
from referee.protocol import RULING, Stage
from referee.ruleset import RuleSet
from vision.feeds import StillsFeed
from vision.frames import EndOfFrames, FrameFeed
from vision.mailbox import now
from vision.sources import SourceError
from web.exit_status import BAD_INPUT, CANNOT_TELL, OK
from web.files import cause, write_whole
from web.lines import labelled
from web.live import acts
from web.live.care import CameraCare
from web.live.keys import OrderSource
from web.live.looking import look_at
from web.live.notice_json import notice_line
from web.live.notices import Notice, NoticeCode
from web.live.script import KEYS, ORDERS, NextStill, Order, Quit, RackPhoto, Show, Wait, orders_after, read_order
from web.live.sheet import score_sheet, sheet_lines
from web.live.table import LiveTable
from web.live.words import Words
from web.noting import rack_read
from web.output import print_result, print_trouble, printable
from web.telling import told_by
from web.wiring import Eyes

if TYPE_CHECKING:
    from collections.abc import Iterator

FRAME_WAIT_S = 0.1
"""A key is answered within this time, whatever the camera does."""
PATIENCE_S = 60.0
"""A file of calls waits so long for a still table, then goes on with its next line."""
STILL_FRAME_S = 0.1
"""A frame of a folder counts as taken so long after the one before."""
STILL_LOOKS = 20
"""So many looks at one still tell all that there is to tell; its time stands still then."""

SHOWN = "shown"
"""The code of a line of JSON that only shows what somebody asked to see."""


class StillsClock:
    """The time of a folder of stills: a step a frame, so nobody's time runs out while pictures are read."""

    def __init__(self, start: float) -> None:
        self.now = start

    def __call__(self) -> float:
        return self.now

    def advance(self, seconds: float) -> None:
        """Let time go by."""
        self.now += seconds


@dataclass(frozen=True, slots=True)
class Table:
    """What is played on: the live table, its frames, and the clock of a folder of stills (None: the world's).

    ``care`` judges the frames of a camera; a folder of stills needs none.  ``wall`` is the clock of the frames' times.
    """

    live: LiveTable
    feed: FrameFeed
    stills_clock: StillsClock | None
    load_eyes: Callable[[], Eyes]
    care: CameraCare | None = None
    wall: Callable[[], float] = field(default=now, kw_only=True)
    seal: Callable[[], str] = lambda: ""
    """The seal of the evidence so far, which is printed on the score sheet; empty where nothing is kept."""
    look_over: Callable[[], None] = lambda: None
    """Told after each look: what is wrong with the picture of a folder that is shown may be said."""
    note_still: Callable[[], None] = lambda: None
    """Told after each look and order: a turn may have been ruled on the present still of a folder."""


class Play:
    """One run of ``tileref play``; ``orders`` None: each still of a folder that ends a turn is its end."""

    def __init__(
        self, table: Table, orders: OrderSource | None, ruleset: RuleSet, *, as_json: bool = False,
        picture: Path | None = None,
    ) -> None:  # fmt: skip
        self._table, self._live, self._feed = table, table.live, table.feed
        self._orders, self._ruleset, self._as_json, self._picture = orders, ruleset, as_json, picture
        self._words = Words(ruleset)
        self._after = float("-inf")
        self._left = False
        self._ordered_at = 0.0
        self._looks = 0
        """Frames seen since the last order."""
        self._called_still: Path | None = None
        self._status_at = 0.0
        self.status = OK

    @property
    def _stills(self) -> StillsFeed | None:
        return self._feed if isinstance(self._feed, StillsFeed) else None

    def begin(self, players: Sequence[str], starter: int | None) -> None:
        """Seat the players of a new game (``GameError`` where they are refused); one that was begun goes on."""
        if self._live.view.seats:
            self._print(self._live.tick())
            return
        said = self._live.do(acts.StartGame(tuple(players), starter))
        refused = next((notice for notice in said if notice.code is NoticeCode.REFUSED), None)
        if refused is not None:
            raise GameError.of(refused.told)
        self._print(said)

    def run(self) -> int:
        """Play until somebody leaves or the frames end; the exit status."""
        while not self._left:
            self.look()
            self._show_status()
            if not self._left:
                self._obey_all()
        return self.status

    # --- frames -----------------------------------------------------------------------------------------------------

    def look(self) -> None:
        """One frame, or the time that one would have taken."""
        try:
            frame = self._feed.newest(self._after, FRAME_WAIT_S)
        except EndOfFrames:
            self._frames_ended()
            return
        except SourceError as error:  # a still that is no picture
            print_trouble(str(error))
            self.status = BAD_INPUT
            if self._stills is not None:
                self._stills.next()
            return
        self._after = self._after if frame is None else frame.taken_at
        if not look_at(self._live, self._feed, frame, self._table.care, self._table.wall(), self._print):
            return
        self._table.look_over()
        self._table.note_still()
        self._looks += 1
        if self._table.stills_clock is not None:
            if self._looks <= STILL_LOOKS:
                self._table.stills_clock.advance(STILL_FRAME_S)
            else:  # nothing more comes of this still until somebody asks for it
                time.sleep(FRAME_WAIT_S)

    def _frames_ended(self) -> None:
        """A folder or a film is over: orders that need no picture are still obeyed."""
        while self._orders is not None and (line := self._orders.poll()) is not None and not self._left:
            self._obey(line)
        self._left = True

    # --- orders -----------------------------------------------------------------------------------------------------

    def _obey_all(self) -> None:
        while not self._left and self._is_ready():
            line = self._own_line() if self._orders is None else self._orders.poll()
            if line is None:
                if self._orders is not None and self._orders.ended:
                    self._left = True
                return
            self._looks, self._ordered_at = 0, time.monotonic()
            self._obey(line)
            if self._stills is not None:
                self._table.note_still()
                return  # each order of a folder is followed by a look

    def _is_ready(self) -> bool:
        """Whether the next order may come: keys always, lines once the table has answered the one before."""
        if self._stills is not None and self._looks < 1:
            return False
        waits = self._live.turn.stage in RULING and self._live.turn.asked is None
        if not waits or (self._orders is not None and not _is_listed(self._orders)):
            return True
        if self._stills is not None:
            return self._looks > STILL_LOOKS
        return time.monotonic() - self._ordered_at > PATIENCE_S

    def _own_line(self) -> str | None:
        """The order that a folder gives by itself: the last still of each turn ends it.

        What is illegal then stays so, and is put back before the next still whether or not a picture shows it.
        """
        stills, turn = self._stills, self._live.turn
        if stills is None or turn.stage is Stage.QUESTION or turn.asked is not None:
            where = "" if stills is None or stills.still is None else f" about {printable(stills.still.name)}"
            print_trouble(
                f"Nobody is there to answer{where}: the game stays where it is, and goes on there with the same --game "
                "and orders (--calls FILE, or on a terminal; 'help' lists them)."
            )
            self.status = CANNOT_TELL
            return "quit"
        if turn.stage in {Stage.COUNT, Stage.BETWEEN, Stage.SETUP}:
            return "quit"
        called = self._called_still == stills.still
        if called or not stills.turn_ends:
            return "stands" if called and turn.stage in {Stage.FIX, Stage.TIDY} else "next"
        if turn.stage is Stage.RESTORE:
            return "restored trust"
        self._called_still = stills.still
        return "end"

    def _obey(self, line: str) -> None:
        try:
            order = read_order(line, self._live.view, self._ruleset)
            if order is not None:
                self._carry_out(order)
        except GameError as error:
            self._print((Notice(code=NoticeCode.REFUSED, at=0.0, text=error.template, values=error.told.values),))
            self._refused()

    def _carry_out(self, order: Order) -> None:
        match order:
            case Quit():
                self._left = True
            case NextStill():
                self._next_still()
            case Wait():
                self._wait(order.seconds)
            case Show():
                self._show(order.what)
            case RackPhoto():
                self._rack_photo(order)
            case _:
                self._do(order)

    def _do(self, act: acts.Act) -> None:
        said = self._live.do(act)
        self._print(said)
        if any(notice.code is NoticeCode.REFUSED for notice in said):
            self._refused()

    def _refused(self) -> None:
        """An order could not be obeyed: whoever watches sees it, a file of orders was wrong."""
        if self._orders is None or _is_listed(self._orders):
            self.status = BAD_INPUT

    def _next_still(self) -> None:
        if self._stills is None:
            raise GameError("only a folder of stills has a next one")
        self._stills.next()

    def _wait(self, seconds: float) -> None:
        if self._table.stills_clock is not None:
            self._table.stills_clock.advance(seconds)
            self._print(self._live.tick())
            return
        until = time.monotonic() + seconds
        while time.monotonic() < until and not self._left:
            self.look()

    def _show(self, what: str) -> None:
        view = self._live.view
        if what == "help":
            self._say(ORDERS, KEYS)
        elif what == "restore":
            self._say(*self._words.restoring(view))
            self._draw_restoring()
        else:
            self._say(self._words.status(view), f"  table  {view.table or 'empty'}")
            self._say(*(self._words.question(question) for question in view.questions))

    def _draw_restoring(self) -> None:
        former, frame = self._live.former, self._live.frame
        if self._picture is None or former is None or frame is None:
            return
        import cv2  # noqa: PLC0415  only where a picture is drawn

        from web.live.pictures import restore_picture  # noqa: PLC0415

        picture = restore_picture(former.image, frame.image, self._live.view.restoring)
        done, data = cv2.imencode(".jpg", picture)
        try:
            self._picture.parent.mkdir(parents=True, exist_ok=True)
            write_whole(self._picture, data.tobytes() if done else b"")
        except OSError as error:
            print_trouble(f"{self._picture} cannot be written: {cause(error)}.")
            return
        self._say(f"  both tables side by side: {printable(str(self._picture))}")

    def _rack_photo(self, order: RackPhoto) -> None:
        from vision.intake import PhotoError, read_photo  # noqa: PLC0415

        try:
            photo = read_photo(order.photo)
        except PhotoError as error:
            raise GameError.of(told_by(error)) from error
        tiles, doubtful = rack_read(self._table.load_eyes().look(photo.image).observation, self._ruleset)
        if doubtful:
            open_places = " ".join(map(str, doubtful))
            raise GameError(
                "the rack on {photo} cannot be read wholly ({places}): type it",
                photo=str(order.photo),
                places=open_places,
            )
        self._do(acts.ShowRack(order.seat, tiles))

    def _show_status(self) -> None:
        """Whose turn, and how long: one line on the terminal of whoever watches, renewed every second."""
        if self._as_json or self._orders is None or _is_listed(self._orders) or not sys.stderr.isatty():
            return
        if time.monotonic() - self._status_at >= 1.0:
            self._status_at = time.monotonic()
            click.echo(f"\r\x1b[K{self._words.status(self._live.view)}", nl=False, err=True)

    # --- what is said -----------------------------------------------------------------------------------------------

    def _print(self, notices: Sequence[Notice]) -> None:
        self._words.names = tuple(seat.name for seat in self._live.view.seats)
        for notice in notices:
            seal = self._table.seal() if notice.code is NoticeCode.SCORED else ""
            if self._as_json:
                print_result(notice_line(notice, self._words, seal))
                continue
            self._say(*self._words.lines(notice))
            orders = orders_after(notice)
            if orders:
                self._say(labelled("orders", ", ".join(orders)))
            if notice.code is NoticeCode.SCORED:
                self._say(*self._sheet(seal))

    def _sheet(self, seal: str) -> Iterator[str]:
        state = self._live.state
        sheet = score_sheet(state, self._ruleset)
        texts = {row.seat: self._words.tiles(row.rack) for row in sheet.rows}
        return sheet_lines(sheet, tuple(map(printable, state.players)), texts, seal)

    def _say(self, *lines: str) -> None:
        if self._as_json:
            if lines:
                print_result(json.dumps({"code": SHOWN, "text": list(map(click.unstyle, lines))}, ensure_ascii=False))
            return
        if lines and self._status_at:
            click.echo("\r\x1b[K", nl=False, err=True)  # the line of the status steps aside
        for line in lines:
            print_result(line)


def _is_listed(orders: OrderSource) -> bool:
    """Whether orders come from a list or a pipe, not from somebody who watches."""
    from web.live.keys import Keyboard  # noqa: PLC0415

    return not isinstance(orders, Keyboard)
