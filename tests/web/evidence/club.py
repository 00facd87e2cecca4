"""A short game at a club, played through the real log and kept by the real keeper."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt

from referee.clock import MoveTime
from referee.ending import Ending, TurnEnd
from referee.game.commands import Command, Deal, DrawStart, EndTurn, Override, StartGame
from referee.game.decide import decide
from referee.game.state import State, replay
from referee.notation import parse_table
from referee.observation import Observation
from referee.preset_files import load_ruleset
from referee.ruleset import RuleSet
from referee.store import SqlStore, open_store
from referee.tiles import parse_tile
from referee.told import Told
from tests.web.fakes import paint, table
from web.evidence.keeper import EvidenceKeeper
from web.evidence.turn import HumanWord, Occasion, Shot, TurnEvidence

MODELS = {"detector": "1 0123abcd"}
Files = Mapping[str, bytes]
EVENING = 1_790_000_000.0


@dataclass
class Club:
    """A table, its log in a database of its own, and a keeper of evidence; every second is counted by hand."""

    home: Path
    game: str = "Friday"
    rules: RuleSet = field(default_factory=load_ruleset)
    now: float = EVENING
    said: list[str] = field(default_factory=list)
    state: State = field(default_factory=State)
    number: int = 0

    def __post_init__(self) -> None:
        self.home.mkdir(parents=True, exist_ok=True)
        self.store: SqlStore = open_store(f"sqlite:///{self.home / 'games.db'}")
        self.state = replay(self.store.load(self.game))
        self.keeper = self.new_keeper()

    def new_keeper(self) -> EvidenceKeeper:
        """What a program that was started anew would open."""
        return EvidenceKeeper(self.home / "evidence", self.game, self.store, self.clock, self._hear)

    def _hear(self, told: Told) -> None:
        self.said.append(str(told))

    def clock(self) -> float:
        self.now += 1.0
        return self.now

    @property
    def folder(self) -> Path:
        return self.keeper.folder

    def tell(self, command: Command) -> TurnEvidence:
        """Carry a command out, and say what a live table would hand over of it."""
        events = decide(self.state, command, self.rules)
        self.store.append(self.game, self.state.version, events)
        self.state = replay(events, self.state)
        occasion = Occasion.TURN if isinstance(command, EndTurn) else Occasion.OTHER
        version = self.state.version
        return TurnEvidence(self.game, occasion, version, command, events, self.rules, models=MODELS)

    def begin(self, players: tuple[str, ...] = ("Ann", "Bo")) -> None:
        self.tell(StartGame(players))
        self.tell(DrawStart(tuple(parse_tile(f"R{13 - seat}") for seat in range(len(players)))))
        self.tell(Deal())

    def turn(self, before: str, after: str, **more: object) -> TurnEvidence:
        """One turn with its pictures and reading, kept."""
        how = TurnEnd.DREW if before == after else TurnEnd.PLAYED
        told = self.tell(EndTurn(self.state.seat, parse_table(after), Ending(how), time=MoveTime(31.5)))
        seen = small(after)
        evidence = TurnEvidence(
            told.game,
            told.occasion,
            told.version,
            told.command,
            told.events,
            told.ruleset,
            pictures={"before": self.shot(small(before)), "after": self.shot(seen)},
            reading=seen,
            models=MODELS,
            times={"called_at": self.now, "elapsed_s": 31.5},
            **more,  # type: ignore[arg-type]
        )
        self.keeper.keep(evidence)
        return evidence

    def drawn(self) -> TurnEvidence:
        """A turn in which a tile was drawn, not kept yet."""
        return self.tell(EndTurn(self.state.seat, parse_table(self.state.table), Ending(TurnEnd.DREW)))

    def overrule(self) -> None:
        told = self.tell(Override(legal=True, reason="seen by all"))
        self.keeper.keep(
            TurnEvidence(told.game, Occasion.OVERRIDE, told.version, told.command, told.events, self.rules)
        )

    def shot(self, seen: Observation) -> Shot:
        self.number += 1
        return Shot(paint(seen), self.now, self.number, seen=seen)

    def evening(self) -> None:
        """Three legal turns, a draw, an illegal one which the referee lets stand."""
        self.begin()
        self.turn("", "R10 R11 R12")
        self.turn("R10 R11 R12", "R10 R11 R12 | B11 B12 B13")
        self.turn("R10 R11 R12 | B11 B12 B13", "R10 R11 R12 R13 | B11 B12 B13")
        self.turn("R10 R11 R12 R13 | B11 B12 B13", "R10 R11 R12 R13 | B11 B12 B13")
        self.turn("R10 R11 R12 R13 | B11 B12 B13", "R10 R11 R12 R13 | B11 B12 B13 | K1 K2 R3")
        self.overrule()


def small(text: str) -> Observation:
    """A table as a camera of few pixels sees it."""
    return table(text, width=480, height=360)


@dataclass(frozen=True)
class Loose:
    """The files of evidence in memory, as somebody may have left them."""

    held: Files
    name: str = "memory"

    def files(self) -> tuple[str, ...]:
        return tuple(sorted(self.held))

    def read(self, file: str) -> bytes:
        if file not in self.held:
            raise FileNotFoundError(file)
        return self.held[file]


def noise(seed: int, height: int = 90, width: int = 120) -> npt.NDArray[np.uint8]:
    """A picture of nothing, uint8 (H, W, 3) BGR."""
    return np.random.default_rng(seed).integers(0, 256, (height, width, 3), dtype=np.uint8)


def word(seen: Observation, index: int, code: str) -> HumanWord:
    """A human's answer on one tile of an observation."""
    tile = seen.tiles[index]
    return HumanWord(tile.quad, parse_tile(code), tile.readings)


def files_of(folder: Path) -> dict[str, bytes]:
    """Everything in a folder, by its name there."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
