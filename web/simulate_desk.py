"""The work of ``tileref simulate``: games are set up, refereed or written down, and reported."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from referee.preset_files import preset_names
from referee.store import open_store
from web.command import BadInput, make_folder, ruleset_asked
from web.exit_status import ILLEGAL, OK
from web.files import cause
from web.live.notices import Notice
from web.live.words import Words
from web.output import print_result
from web.simulate_text import all_line, game_line, turn_line
from web.simulation.camera import VirtualClock
from web.simulation.drive import Driver, GameFigures, Joined, simulated
from web.simulation.players import NOTHING_WRONG, Rates
from web.simulation.record import Played, RecordError, as_json, played, write_film, write_stills
from web.simulation.table import SimulatedTable
from web.wiring import Wiring

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


def simulate_games(asked: Asked, wiring: Wiring, *, dry: bool, video: Path | None, stills: Path | None) -> int:
    """Do it, and give the exit status.  Raises ``BadInput``, ``EyesError`` and ``OutputError``."""
    if dry or video is not None or stills is not None:
        for number in range(asked.games if dry else 1):
            table = _table(asked, number)
            for one in _written(table, asked, video, stills):
                print_result(json.dumps(as_json(table, one)) if asked.as_json else turn_line(one))
        return OK
    eyes = wiring.load_eyes()
    all_games: list[GameFigures] = []
    for number in range(asked.games):
        table = _table(asked, number)
        store = open_store("sqlite://")
        try:
            joined = Joined(wiring.watch(eyes, None, False), store, models=eyes.models)
            clock = VirtualClock(START_S, stopwatch=time.process_time if asked.cpu_time else time.perf_counter)
            tell = _teller(table) if asked.tell else None
            figures = Driver(table, joined, clock, f"simulated-{table.seed}", tell).play(asked.turns)
        finally:
            store.close()
        all_games.append(figures)
        print_result(json.dumps(figures.as_json()) if asked.as_json else game_line(figures))
    if len(all_games) > 1 and not asked.as_json:
        print_result(all_line(all_games))
    return ILLEGAL if any(one.wrong or one.silent for one in all_games) else OK


def _table(asked: Asked, number: int) -> SimulatedTable:
    """The table of the game with this number: presets and numbers of players take turns where none is asked for."""
    names = preset_names()
    ruleset = ruleset_asked(names[number % len(names)] if asked.preset is None else asked.preset)
    seats = asked.seats or 2 + (number + number // len(names)) % 3
    rates = NOTHING_WRONG if asked.quiet_table else Rates()
    return simulated(ruleset, seats, asked.seed + number, rates, START_S)


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
