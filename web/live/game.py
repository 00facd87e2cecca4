"""One game as it is played on: its log, where its turn stands, what was seen, what is said and kept.

What frames and acts mean stands in the modules beside this one; each takes the game and leaves it as it is then.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from referee import protocol
from referee.game.commands import Command
from referee.game.decide import GameError
from referee.game.events import Event
from referee.game.state import State
from referee.notation import NotedTable
from referee.observation import Observation
from referee.protocol import Stage
from referee.recall import recalled
from referee.restore import TickedStep
from referee.ruleset import RuleSet
from referee.store import Store
from referee.tiles import Tile
from referee.told import Told
from web.evidence.turn import EvidenceSink, HumanWord, NoEvidence, Occasion, Shot, TurnEvidence
from web.live.log import GameLog
from web.live.memory import Memory
from web.live.notices import LiveRuling, Notice, NoticeCode, TileQuestion
from web.live.reading import Reading
from web.live.sight import TableSight

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a game is joined to.

    ``clock`` gives seconds and never goes back; ``wall`` gives seconds since the epoch, the clock of the frames' times,
    and may jump.  ``models`` is name of each network → its version and hash.  ``sees_deal``: the camera looks on while
    tiles are dealt, so it sees the table empty before anything is laid; stills are taken when turns end.
    """

    clock: Callable[[], float]
    wall: Callable[[], float]
    evidence: EvidenceSink = field(default_factory=NoEvidence)
    models: Mapping[str, str] = field(default_factory=dict)
    sees_deal: bool = True


@dataclass(frozen=True, slots=True)
class TurnNotes:
    """What is known of the turn that goes on and is in no log: forgotten when it is over.

    ``asked`` are the open questions and ``asked_key`` what was asked or doubted last, which is said once.  ``ruling``
    is what was found last.  ``first_steps`` are all steps of putting the table back, ``steps`` the same as they are
    ticked now.  ``paused_table`` is the table as it lay in a pause.
    """

    asked: tuple[TileQuestion, ...] = ()
    asked_key: object = None
    ruling: LiveRuling | None = None
    first_steps: tuple[TickedStep, ...] | None = None
    steps: tuple[TickedStep, ...] = ()
    paused_table: NotedTable | None = None


class LiveGame:
    """Raises ``GameError`` where the stored game is played by other rules, ``StoreError`` and ``LogError`` where it
    cannot be read.
    """

    def __init__(self, store: Store, name: str, ruleset: RuleSet, surroundings: Surroundings) -> None:
        self.ruleset, self._around = ruleset, surroundings
        self.log = GameLog(store, name, ruleset, surroundings.clock)
        self.turn = protocol.begin(self.state, ruleset, self.now())
        self.memory = Memory(recalled=recalled(self.state))
        self.notes = TurnNotes()
        self.sight: TableSight | None = None
        self.corners: npt.NDArray[np.float32] | None = None
        """The table's four in the picture (4, 2); what lies outside is no evidence."""
        self.paused_at = 0.0
        self.racks: dict[int, tuple[Tile, ...]] = {}
        """As they were shown at the end of a round, by seat."""
        self.confirmed: frozenset[int] = frozenset()
        """The seats that agree with the scores of the round; not in the log, a program that starts again asks again."""
        self.rack_due: tuple[int, float] | None = None
        """The seat whose rack the camera shows, and since when."""
        self.deal_unseen = False
        """Whether the table was not looked at yet since the round was dealt."""
        self._said: list[Notice] = []

    @property
    def state(self) -> State:
        """The state of the log."""
        return self.log.state

    @property
    def models(self) -> Mapping[str, str]:
        """Name of each network → its version and hash."""
        return self._around.models

    @property
    def sees_deal(self) -> bool:
        """Whether the camera looks on while tiles are dealt."""
        return self._around.sees_deal

    def now(self) -> float:
        """The time, on a clock that never goes back."""
        return self._around.clock()

    def time_of(self, taken_at: float) -> float:
        """The time of a frame on that clock."""
        return taken_at - (self._around.wall() - self.now())

    # --- what is said -------------------------------------------------------------------------------------------------

    def say(
        self,
        code: NoticeCode,
        *,
        seat: int | None = None,
        ruling: LiveRuling | None = None,
        questions: tuple[TileQuestion, ...] = (),
        tiles: tuple[Tile, ...] = (),
        numbers: tuple[int, ...] = (),
        seconds: float | None = None,
        text: str | Told = "",
    ) -> None:
        """Say something; which fields are told is said at its code."""
        told = text if isinstance(text, Told) else Told(text)
        self._said.append(
            Notice(
                code=code, at=self.now(), seat=seat, ruling=ruling, questions=questions, tiles=tiles,
                numbers=numbers, seconds=seconds, text=told.template, values=told.values,
            )
        )  # fmt: skip

    def say_once(
        self, key: object, code: NoticeCode, *, questions: tuple[TileQuestion, ...] = (),
        ruling: LiveRuling | None = None, text: str | Told = "",
    ) -> None:  # fmt: skip
        """Say something to the player on turn, unless the last thing asked had the same key."""
        if key != self.notes.asked_key:
            self.notes = replace(self.notes, asked_key=key)
            self.say(code, seat=self.state.seat, questions=questions, ruling=ruling, text=text)

    def drained(self) -> tuple[Notice, ...]:
        """What was said since somebody asked last."""
        said, self._said = tuple(self._said), []
        return said

    # --- the log and the evidence -------------------------------------------------------------------------------------

    def carry(self, *told: Command) -> tuple[Event, ...]:
        """Carry commands out and write what they lead to.  Raises ``GameError``."""
        events = self.log.carry_out(*told)
        if not self.log.is_written:
            self.say(NoticeCode.STORE_TROUBLE, text=self.log.trouble)
        return events

    def keep_writing(self) -> None:
        """Write what the store did not take; meanwhile no time counts and nothing is decided.

        Raises ``GoneOnError`` where another program wrote first.
        """
        if self.log.is_written:
            return
        self.turn = replace(self.turn, clock=self.turn.clock.stopped(self.now()))
        if self.log.write():
            self.say(NoticeCode.STORE_WELL)
            if not self.turn.paused and self.turn.stage in {Stage.PLAY, Stage.FIX}:
                self.turn = replace(self.turn, clock=self.turn.clock.going_on(self.now()))

    def keep(
        self, occasion: Occasion, told: Command | None, events: tuple[Event, ...], reading: Reading | None = None,
        words: tuple[HumanWord, ...] = (), pictures: Mapping[str, Shot] | None = None,
    ) -> None:  # fmt: skip
        """Hand over the evidence of what happened."""
        shots = dict(pictures or {})
        shot, former = self.shot(), self.memory.former
        if reading is not None and shot is not None:
            shots |= {"after": shot} if former is None else {"before": former, "after": shot}
        times = {"now": self._around.wall()}
        time = self.turn.clock.measured(self.now())
        if occasion is Occasion.TURN and time is not None:
            times |= {"elapsed_s": time.elapsed_s, "paused_s": time.paused_s}
            times["called_at"] = self._around.wall() - (self.now() - self.turn.since)
        self._around.evidence.keep(
            TurnEvidence(
                game=self.log.game, occasion=occasion, version=self.state.version, command=told, events=events,
                ruleset=self.ruleset, pictures=shots, reading=None if reading is None else reading.observation,
                words=words, models=self.models, times=times,
            )
        )  # fmt: skip

    def shot(self) -> Shot | None:
        """The present frame as evidence; None before the first one."""
        sight = self.sight
        if sight is None:
            return None
        frame = sight.frame
        return Shot(frame.image, frame.taken_at, frame.number, self.corners, sight.observation, sight.looks)

    # --- what was seen ------------------------------------------------------------------------------------------------

    def read(self, observation: Observation, captured: float, since: float) -> Reading:
        """The reading of a still table, captured at a time, and still since another."""
        self.memory = self.memory.read(observation, (captured, since), self.state.table, self.ruleset, self.shot())
        return self.lying()

    def lying(self) -> Reading:
        """The table as it was seen last.  Raises ``GameError`` where no still table was seen."""
        if self.memory.reading is None:
            raise GameError("no still table was seen yet")
        return self.memory.reading

    def recall(self) -> None:
        """What humans answered is what the log knows of it, as far as the next look agrees."""
        self.memory = self.memory.recalling(recalled(self.state))

    def accept(self, reading: Reading) -> None:
        """What was read is the table of the log from now on."""
        self.memory = self.memory.accepting(reading, self.state.table, self.shot())

    # --- the turn -----------------------------------------------------------------------------------------------------

    def forget_asked(self) -> None:
        """Nothing is asked any more."""
        self.notes = replace(self.notes, asked=(), asked_key=None)

    def forget_turn(self, ruling: LiveRuling | None = None) -> None:
        """The turn is over; ``ruling`` is what is shown of it while the next one goes on."""
        self.notes = TurnNotes(ruling=ruling)
