"""A live table whose camera shows what a test writes: sights made by hand, a clock that a test turns."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from referee.game.events import TurnEnded
from referee.observation import Observation
from referee.preset_files import load_ruleset
from referee.protocol import Stage
from referee.ruleset import SWITCHES, RuleSet, ruleset_from
from referee.store import Store, open_store
from tests.web.fakes import HandSight, table
from vision.frames import Frame
from web.evidence.turn import TurnEvidence
from web.live.acts import Act, CallTurnEnd, StartGame
from web.live.notices import Notice, NoticeCode
from web.live.table import LiveTable

EPOCH = 1_800_000_000.0


@dataclass(slots=True)
class HandWatch:
    """Shows ``observation`` in every frame until a test lays another table; ``busy`` is why it waits."""

    observation: Observation = field(default_factory=lambda: table(""))
    busy: str = ""
    since: float | None = None

    def look(self, frame: Frame) -> HandSight:
        if self.busy:
            self.since = None
            return HandSight("wait", self.busy, frame, None, None)
        self.since = frame.taken_at if self.since is None else self.since
        return HandSight("still", "", frame, self.observation, self.since)

    def lay(self, observation: Observation) -> None:
        self.observation, self.since = observation, None

    def forget(self) -> None:
        self.since = None


@dataclass(slots=True)
class KeptEvidence:
    """Keeps what it is handed."""

    records: list[TurnEvidence] = field(default_factory=list)

    def keep(self, record: TurnEvidence) -> None:
        self.records.append(record)


def changed(ruleset: RuleSet, **switches: object) -> RuleSet:
    """A rule set with other switches."""
    return ruleset_from(ruleset.name, {key: getattr(ruleset, key) for key in SWITCHES} | switches)


class Bench:
    """A live table and everything around it."""

    def __init__(
        self, ruleset: RuleSet | None = None, store: Store | None = None, players: tuple[str, ...] = ("Ann", "Bob"),
        game: str = "game", start: bool = True,
    ) -> None:  # fmt: skip
        self.now, self.jump = 1000.0, 0.0
        self.ruleset = ruleset or load_ruleset()
        self.store = store or open_store()
        self.watch, self.evidence = HandWatch(), KeptEvidence()
        self.number = 0
        self.game = game
        self.live = self.begun()
        if start:
            self.do(StartGame(players, starter=0))
            self.frame()  # the camera sees the table empty

    def begun(self) -> LiveTable:
        """The live table as a program makes it that starts (again) on this store."""
        self.live = LiveTable(
            self.watch, self.store, self.game, self.ruleset, self.evidence, lambda: self.now,
            wall=lambda: EPOCH + self.now + self.jump,
        )  # fmt: skip
        return self.live

    def stage(self) -> Stage:
        return self.live.turn.stage

    @property
    def last(self) -> TurnEnded:
        last = self.live.state.last_turn
        assert last is not None
        return last

    def wait(self, seconds: float) -> tuple[Notice, ...]:
        """Let time go by without a frame."""
        self.now += seconds
        return self.live.tick()

    def frame(self, after_s: float = 0.1, taken_s_ago: float = 0.0) -> tuple[Notice, ...]:
        """One frame."""
        self.now += after_s
        self.number += 1
        return self.live.see(Frame(self.image(), EPOCH + self.now + self.jump - taken_s_ago, self.number))

    def image(self) -> npt.NDArray[np.uint8]:
        """What the camera shows, uint8 (H, W, 3) BGR; nobody looks at it but those who show pictures."""
        return np.zeros((4, 4, 3), np.uint8)

    def lay(self, text: str) -> tuple[Notice, ...]:
        """Hands come, this table lies there afterwards, and two frames show it."""
        self.watch.busy = "hand"
        said = self.frame()
        self.watch.busy = ""
        self.watch.lay(table(text))
        return (*said, *self.frame(), *self.frame())

    def do(self, act: Act) -> tuple[Notice, ...]:
        self.now += 0.1
        return self.live.do(act)

    def call(self, **told: object) -> tuple[Notice, ...]:
        """The turn's end is called, and one frame comes."""
        said = self.do(replace(CallTurnEnd(), **told))  # type: ignore[arg-type]
        return (*said, *self.frame())

    def turn(self, text: str) -> tuple[Notice, ...]:
        """A whole turn."""
        return (*self.lay(text), *self.call())


def codes(said: tuple[Notice, ...]) -> list[NoticeCode]:
    return [notice.code for notice in said]


def one(said: tuple[Notice, ...], code: NoticeCode) -> Notice:
    """The one notice of this code."""
    (found,) = [notice for notice in said if notice.code is code]
    return found
