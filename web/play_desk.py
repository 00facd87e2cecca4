"""The work of ``tileref play``: everything is opened, joined, played on and closed again."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from referee.game.codec import LogError
from referee.game.decide import GameError
from referee.ruleset import RuleSet
from referee.store import SqlStore, StoreError, open_store
from referee.switches import Faces
from vision.feeds import FilmFeed, StillsFeed, collect, open_feed
from vision.frames import FrameFeed
from vision.mailbox import now
from vision.region import RegionError, TableRegion
from vision.sources import SourceError, is_source
from web.command import BadInput
from web.evidence.desk import evidence_of
from web.evidence.shelf import folder_name
from web.evidence.turn import NoEvidence, SealedSink
from web.exit_status import NO_GO
from web.files import cause
from web.home import HomeError, data_home, games_file
from web.live.care import CameraCare
from web.live.gate import PATIENCE_S, gate_lines, looked_over
from web.live.keys import Keyboard, KeyReader, Lines, OrderSource, PipedLines, single_keys
from web.live.play import Play, StillsClock, Table
from web.live.table import LiveTable
from web.output import print_trouble
from web.play_region import WHOLE, RegionDesk
from web.play_stills import StillsGate, StillsPlace
from web.telling import say_whole, told_by
from web.wiring import Eyes, Wiring


@dataclass(frozen=True, slots=True)
class Asked:
    """What the options said; ``players`` are none where a game goes on."""

    source: str
    players: tuple[str, ...]
    starter: str | None
    game: str | None
    url: str | None
    calls: Path | None
    region: str | None
    delay_s: float | None
    evidence: bool
    anyway: bool
    as_json: bool


def play_game(asked: Asked, ruleset: RuleSet, wiring: Wiring) -> int:
    """Play, and give the exit status.  Raises ``BadInput``, ``EyesError`` and ``OutputError``."""
    stills = not is_source(asked.source) and Path(asked.source).is_dir()
    game = asked.game or datetime.now(UTC).astimezone().strftime("game-%Y%m%d-%H%M%S")
    clock = StillsClock(now()) if stills else None
    try:
        with _store(asked) as store, _feed(asked, clock) as feed, _evidence(asked, game, store) as sink:
            eyes = wiring.load_eyes()
            places = RegionDesk(data_home(), asked.source, lambda image: eyes.look(image).observation)
            region = _region(asked, feed, places)
            watch = wiring.watch(eyes, region, stills)
            if clock is None and not asked.anyway and not _good_enough(feed, eyes):
                return NO_GO
            live = LiveTable(
                watch, store, game, ruleset, sink, clock or time.monotonic, wall=clock or now, models=eyes.models,
                corners=None if region is None else region.corners, sees_deal=not stills,
            )  # fmt: skip
            new = not live.view.seats
            if new and not asked.players:
                raise BadInput(f"There is no game {game!r} yet: say --players.")
            if not new and asked.players and asked.players != live.state.players:
                print_trouble(f"The game {game} goes on with its own players: {', '.join(live.state.players)}.")
            with _orders(asked, stills=stills) as orders:
                place = StillsPlace(_stills_file(game), live, feed) if isinstance(feed, StillsFeed) else None
                if place is not None:
                    place.go_on()
                care = None
                if not stills and not isinstance(feed, FilmFeed):  # a file has no faults of a camera
                    care = CameraCare(live, region, lambda moved: wiring.watch(eyes, moved, False))
                table = Table(live, feed, clock, lambda: eyes, care, sink.seal)
                if place is not None:
                    table = replace(table, note_still=place.note)
                if isinstance(feed, StillsFeed) and ruleset.faces is Faces.TILES and not asked.anyway:
                    table = replace(table, look_over=StillsGate(live, feed).note)
                playing = Play(table, orders, ruleset, as_json=asked.as_json, picture=_picture(game))
                playing.begin(asked.players, _starter(asked))
                if asked.game is None:
                    print_trouble(f"This game is called {game}: --game {game} goes on with it.")
                try:
                    return playing.run()
                finally:
                    if care is not None:
                        places.follow(care.region, care.known)
    except (StoreError, LogError, GameError, HomeError) as error:
        raise BadInput(say_whole(told_by(error))) from error
    except SourceError as error:
        raise BadInput(str(error)) from error


def _good_enough(feed: FrameFeed, eyes: Eyes) -> bool:
    """Whether the camera's picture is good enough; what is wrong with it is said.  Raises ``SourceError``."""
    inspection = looked_over(feed, eyes)
    for line in gate_lines(inspection):
        print_trouble(line)
    if inspection.go:
        return True
    print_trouble("The picture is not good enough to rule on: mend it ('tileref inspect' helps), or say --anyway.")
    return False


def _starter(asked: Asked) -> int | None:
    """The seat that starts a new game; None: tiles are drawn for it."""
    if asked.starter is None:
        return 0
    if asked.starter == "draw":
        return None
    if asked.players and asked.starter not in asked.players:
        raise BadInput(f"--starter {asked.starter} is none of the players: {', '.join(asked.players)}.")
    return asked.players.index(asked.starter) if asked.players else 0


@contextlib.contextmanager
def _store(asked: Asked) -> Iterator[SqlStore]:
    url = asked.url
    if url is None:
        file = games_file()
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise BadInput(f"{file.parent} cannot be made: {cause(error)}.") from error
        url = f"sqlite:///{file}"
    with contextlib.closing(open_store(url)) as store:
        yield store


@contextlib.contextmanager
def _feed(asked: Asked, clock: StillsClock | None) -> Iterator[FrameFeed]:
    feed: FrameFeed = (
        StillsFeed(Path(asked.source), clock) if clock is not None else open_feed(asked.source, delay_s=asked.delay_s)
    )
    with contextlib.closing(feed):
        yield feed


def _region(asked: Asked, feed: FrameFeed, places: RegionDesk) -> TableRegion | None:
    """The table's place in the camera's picture, None: all of it.  Stills may be taken from anywhere: none is kept."""
    if asked.region is None and isinstance(feed, StillsFeed):
        return None
    frames = collect(feed, 1, PATIENCE_S)
    if not frames:
        if asked.region not in {None, WHOLE}:
            raise BadInput("The camera gives no picture yet in which the table could be found: try again.")
        return None
    try:
        return places.region(asked.region, frames[-1].image)
    except RegionError as error:
        raise BadInput(str(error)) from error


def _evidence(asked: Asked, game: str, store: SqlStore) -> contextlib.AbstractContextManager[SealedSink]:
    """What keeps the evidence; its last record is written before the store is closed."""
    return evidence_of(game, store) if asked.evidence else contextlib.nullcontext(NoEvidence())


def _picture(game: str) -> Path:
    """Where the former table beside the present one is drawn."""
    return data_home() / "live" / f"{folder_name(game)}.restore.jpg"


def _stills_file(game: str) -> Path:
    """Where it is kept how far a folder of stills was gone through."""
    return data_home() / "live" / f"{folder_name(game)}.stills.json"


def _calls(file: Path) -> list[str]:
    try:
        return file.read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError) as error:
        raise BadInput(f"{file} cannot be read: {cause(error)}.") from error


@contextlib.contextmanager
def _orders(asked: Asked, *, stills: bool) -> Iterator[OrderSource | None]:
    """Lines of a file, keys of a terminal, lines of a pipe; None: nobody gives any, and a folder goes by itself."""
    if asked.calls is not None:
        yield Lines(_calls(asked.calls))
        return
    if sys.stdin is not None and sys.stdin.isatty():
        with single_keys():
            yield Keyboard(KeyReader(stills=stills))
        return
    if stills or sys.stdin is None:
        lines = [] if sys.stdin is None else sys.stdin.read().splitlines()
        yield Lines(lines) if any(line.strip() for line in lines) else None
        return
    yield PipedLines(sys.stdin)
