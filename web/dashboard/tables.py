"""Opening tables under cameras: the next start goes on with them, and a new game may begin at one."""

from __future__ import annotations

from referee.game.commands import StartGame
from referee.game.decide import GameError, decide
from referee.game.state import State
from referee.preset_files import DEFAULT_PRESET, load_ruleset
from referee.ruleset import RuleSetError
from vision.feeds import PushedFeed
from web.dashboard.camera_run import CameraTable, refereed
from web.dashboard.hall import Hall, HallError
from web.dashboard.running import RunningTable
from web.dashboard.table_book import BookedTable, book, booked, new_game
from web.files import cause
from web.output import print_trouble

PHONE = "phone"
"""The source of a table whose pictures a phone's browser sends."""


def open_table(hall: Hall, table: BookedTable, players: tuple[str, ...] = (), starter: int | None = 0) -> RunningTable:
    """Run a table under its camera and write it down; ``players`` are those of a new game.

    Raises ``HallError`` for rules that are none, and where the table that is open there does not leave.
    """
    try:
        ruleset = load_ruleset(table.rules or DEFAULT_PRESET)
    except RuleSetError as error:
        raise HallError.of(error) from error
    before = hall.table(table.name)
    feed = None
    if table.source == PHONE:
        feed = PushedFeed("the phone's camera") if before is None or before.pushed is None else before.pushed
    drive = refereed(hall, CameraTable(table.source, ruleset, table.game, players, starter), feed)
    running = hall.open(table.name, drive, table.source, feed)
    try:
        book(hall.home, table)
    except OSError as error:
        print_trouble(f"The next start will not know this table: {hall.home} cannot be written: {cause(error)}.")
    return running


def begin_game(hall: Hall, name: str, players: tuple[str, ...], starter: int | None, rules: str) -> RunningTable:
    """Begin a new game at a table; the one before stays in the store.  ``rules`` empty: as before.

    Raises ``HallError``.
    """
    before = booked(hall.home).get(name)
    if before is None or hall.table(name) is None:
        raise HallError("At this table games begin by themselves.")
    try:
        decide(State(), StartGame(players), load_ruleset(rules or before.rules or DEFAULT_PRESET))
    except (GameError, RuleSetError) as error:
        raise HallError.of(error) from error
    game = new_game(hall.wall(), name)
    return open_table(hall, BookedTable(name, before.source, rules or before.rules, game), players, starter)
