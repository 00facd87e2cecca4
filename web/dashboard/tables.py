"""Opening tables under cameras: the next start goes on with them, and a new game may begin at one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from referee.game.commands import StartGame
from referee.game.decide import GameError, decide
from referee.game.state import State
from referee.preset_files import DEFAULT_PRESET, load_ruleset
from referee.ruleset import RuleSetError
from referee.switches import Faces
from vision.feeds import PushedFeed
from vision.sources import shown_name
from web.dashboard.camera_run import CameraTable, refereed
from web.dashboard.hall import Hall, HallError, taught_box
from web.dashboard.running import RunningTable
from web.dashboard.table_book import BookedTable, book, booked, new_game
from web.files import cause
from web.output import print_trouble
from web.wiring import EyesError

if TYPE_CHECKING:
    from vision.inspection import Inspection

PHONE = "phone"
"""The source of a table whose pictures a phone's browser sends."""


class PoorPictureError(HallError):
    """The camera's picture is not good enough for a game to begin, unless somebody says so."""

    def __init__(self, inspection: Inspection) -> None:
        super().__init__("The picture is not good enough to rule on.")
        self.inspection = inspection


def open_table(
    hall: Hall, table: BookedTable, players: tuple[str, ...] = (), starter: int | None = 0, *, anyway: bool = False
) -> RunningTable:
    """Run a table under its camera and write it down; ``players`` are those of a new game.

    ``anyway``: it begins whatever the camera's picture is like.

    Raises ``HallError`` for rules that are none, and where the table that is open there does not leave.
    """
    try:
        ruleset = load_ruleset(table.rules or DEFAULT_PRESET)
    except RuleSetError as error:
        raise HallError.of(error) from error
    with hall.opening:
        before = hall.table(table.name)
        feed = None
        if table.source == PHONE:
            feed = PushedFeed("the phone's camera") if before is None or before.pushed is None else before.pushed
        camera = CameraTable(table.source, ruleset, table.game, players, starter, table.box, anyway)
        running = hall.open(table.name, refereed(hall, camera, feed), shown_name(table.source), feed)
        try:
            book(hall.home, table)
        except OSError as error:
            print_trouble(f"The next start will not know this table: {hall.home} cannot be written: {cause(error)}.")
    return running


def leave_closed(hall: Hall, opened: frozenset[str]) -> None:
    """Write down that all other tables are not open now: a start that names none leaves them closed too."""
    try:
        for table in booked(hall.home).values():
            if table.was_open and table.name not in opened:
                book(hall.home, replace(table, was_open=False))
    except OSError as error:
        print_trouble(f"The next start will open too many tables: {hall.home} cannot be written: {cause(error)}.")


@dataclass(frozen=True, slots=True)
class AskedGame:
    """A game that is to begin: ``starter`` is a seat, None: tiles are drawn for it.

    ``rules`` empty: as before; ``box`` None: as before, empty: none of its own.  ``anyway``: it begins whatever the
    camera's picture is like.
    """

    players: tuple[str, ...]
    starter: int | None = 0
    rules: str = ""
    box: str | None = None
    anyway: bool = False


def begin_game(hall: Hall, name: str, asked: AskedGame) -> RunningTable:
    """Begin a new game at a table; the one before stays in the store.

    Raises ``HallError``; ``PoorPictureError`` where the camera's picture is not good enough.
    """
    before = booked(hall.home).get(name)
    table = hall.table(name)
    if before is None or table is None:
        raise HallError("At this table games begin by themselves.")
    rules, box = asked.rules or before.rules, before.box if asked.box is None else asked.box
    _check_box(hall, box)
    try:
        decide(State(), StartGame(asked.players), load_ruleset(rules or DEFAULT_PRESET))
    except (GameError, RuleSetError) as error:
        raise HallError.of(error) from error
    if not asked.anyway:
        _check_picture(table)
    with hall.opening:
        played = booked(hall.home).get(name, before).game  # somebody else may have begun one meanwhile
        game = new_game(hall.wall(), name)
        if played.startswith(game):  # within the same second: it is another game all the same
            game = f"{played}-2"
        booking = BookedTable(name, before.source, rules, game, box)
        return open_table(hall, booking, asked.players, asked.starter, anyway=True)


def _check_box(hall: Hall, name: str) -> None:
    """Raises ``HallError`` for a box that cannot be used here."""
    if not name:
        return
    if name not in hall.box_names():  # a path is no name
        raise HallError("No box is called {name}: tileref box list names those at hand.", name=name)
    try:
        faces = taught_box(name).faces
    except EyesError as error:
        raise HallError.of(error) from error
    if faces.value != Faces.TILES.value:
        raise HallError("Playing cards cannot be watched live yet: choose a box of tiles.")


def _check_picture(table: RunningTable) -> None:
    """Raises ``PoorPictureError``; a camera that gives no picture is told by itself."""
    camera, frame = table.camera, table.snapshot.frame
    if camera is not None and frame is not None:
        inspection = camera.meter.judgement(frame.image, camera.region)
        if not inspection.go:
            raise PoorPictureError(inspection)
