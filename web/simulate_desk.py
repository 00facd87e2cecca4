"""The work of ``tileref simulate``: games are set up, refereed or written down, and reported."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from referee.preset_files import preset_names
from referee.store import open_store
from vision.region import TableRegion
from web.command import BadInput, make_folder, ruleset_asked
from web.exit_status import ILLEGAL, OK
from web.files import cause
from web.live.notices import Notice
from web.live.words import Words
from web.output import print_result, print_trouble
from web.simulate_book import Book
from web.simulate_text import all_line, game_line, turn_line
from web.simulation.camera import VirtualClock
from web.simulation.drive import Driver, Joined, simulated
from web.simulation.figures import GameFigures
from web.simulation.layout import NoRoomError
from web.simulation.players import NOTHING_WRONG, Rates
from web.simulation.record import Played, RecordError, as_json, played, write_film, write_stills
from web.simulation.round import SimulationError
from web.simulation.table import SimulatedTable
from web.wiring import Eyes, Wiring

START_S = 1_800_000_000.0
"""When simulated games begin, in seconds since the epoch: some evening in January 2027."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What the options said."""

    games: int
    seed: int
    seats: int | None
    turns: int | None
    preset: str | None
    quiet_table: bool
    cpu_time: bool
    tell: bool
    as_json: bool
    book: Book | None = None
    """Where the results are gathered; games that are in it are not played again."""


def simulate_games(asked: Asked, wiring: Wiring, *, dry: bool, video: Path | None, stills: Path | None) -> int:
    """Do it, and give the exit status.  Raises ``BadInput``, ``EyesError`` and ``OutputError``."""
    if dry or video is not None or stills is not None:
        for number in range(asked.games if dry else 1):
            table = _table(asked, number)
            for one in _written(table, asked, video, stills):
                print_result(json.dumps(as_json(table, one)) if asked.as_json else turn_line(one))
        return OK
    if asked.book is not None:
        asked.book.begin()
    eyes = wiring.load_eyes()
    all_games: list[GameFigures] = []
    broken_off = False
    for number in range(asked.games):
        table = _table(asked, number)
        if asked.book is not None and asked.book.holds(table.seed, table.rules.name, table.seats):
            continue
        try:
            figures = _refereed(table, asked, wiring, eyes)
        except (SimulationError, NoRoomError) as error:  # the other games are worth as much without it
            print_trouble(f"Game {table.seed} was broken off, for the simulation went wrong: {error}.")
            broken_off = True
            continue
        all_games.append(figures)
        if asked.book is not None:
            asked.book.add(figures)
        print_result(json.dumps(figures.as_json()) if asked.as_json else game_line(figures))
    if len(all_games) > 1 and not asked.as_json:
        print_result(all_line(all_games))
    return ILLEGAL if broken_off or any(one.wrong or one.silent for one in all_games) else OK


def _refereed(table: SimulatedTable, asked: Asked, wiring: Wiring, eyes: Eyes) -> GameFigures:
    """What came of one game."""
    store = open_store("sqlite://")
    try:
        joined = Joined(wiring.watch(eyes, region_of(table), False), store, models=eyes.models)
        clock = VirtualClock(START_S, stopwatch=time.process_time if asked.cpu_time else time.perf_counter)
        tell = _teller(table) if asked.tell else None
        return Driver(table, joined, clock, f"simulated-{table.seed}", tell).play(asked.turns)
    finally:
        store.close()


def region_of(table: SimulatedTable) -> TableRegion | None:
    """The table in the picture as it was clicked; None where nothing but the table is seen."""
    return None if table.corners is None else TableRegion.from_points(table.corners, *table.size_wh)


def played_by(seed: int) -> tuple[str, int]:
    """Preset and number of players of the game with this seed, whichever command plays it.

    As many seeds in a row as there are presets are all presets; three times as many are each with 2, 3 and 4 players.
    """
    names, turn = preset_names(), max(0, seed - 1)
    return names[turn % len(names)], 2 + (turn + turn // len(names)) % 3


def _table(asked: Asked, number: int) -> SimulatedTable:
    """The table of the game with this number; its seed tells rules and players that were not asked for."""
    seed = asked.seed + number
    preset, seats = played_by(seed)
    ruleset = ruleset_asked(preset if asked.preset is None else asked.preset)
    rates = NOTHING_WRONG if asked.quiet_table else Rates()
    return simulated(ruleset, asked.seats or seats, seed, rates, START_S)


def _written(table: SimulatedTable, asked: Asked, video: Path | None, stills: Path | None) -> Iterator[Played]:
    try:
        if video is not None:
            yield from write_film(table, video, most_turns=asked.turns)
        elif stills is not None:
            make_folder(stills)
            yield from write_stills(table, stills, asked.turns)
        else:
            yield from played(table, asked.turns)
    except RecordError as error:
        raise BadInput(str(error)) from error
    except OSError as error:
        raise BadInput(f"{video or stills} cannot be written: {cause(error)}.") from error


def _teller(table: SimulatedTable) -> Callable[[Notice], None]:
    words = Words(table.rules)
    words.names = table.round.players

    def tell(notice: Notice) -> None:
        for line in words.lines(notice):
            print_result(line)

    return tell
