"""The live table: frames and acts in, notices and a view out.

It has no thread and no clock of its own: whoever drives it hands in frames and acts, one after the other, and a clock
that never goes back.  Its state is the log in the store; what lies between two events of the log (a clock, a call, a
question) is made anew when the program starts again on the same store, so a crash costs no turn.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from referee import protocol
from referee.clock import MoveTime
from referee.ending import Ending, TurnEnd
from referee.game import commands
from referee.game.commands import Command
from referee.game.decide import GameError, parse_told_table
from referee.game.events import Event, RedealRuled, RoundScored, StarterDrawn, TurnEnded
from referee.game.state import Phase, State
from referee.located import Located, locate
from referee.notation import NotedTable, format_table, parse_table
from referee.observation import Observation, Quad
from referee.protocol import OPEN, RULING, Next, Ruled, SeenTable, Stage, Turn
from referee.reconcile import AcceptedTable, HumanAnswer, accept, answer_to
from referee.restore import TickedStep, restore_steps, ticked
from referee.ruleset import RuleSet
from referee.ruling import Verdict
from referee.store import Store
from referee.tiles import Tile
from vision.frames import CameraFault, Frame
from web.evidence.turn import EvidenceSink, HumanWord, NoEvidence, Occasion, Shot, TurnEvidence
from web.live import acts
from web.live.acts import Act
from web.live.log import GameLog, GoneOnError
from web.live.notices import LiveRuling, Notice, NoticeCode, TileQuestion
from web.live.reading import Reading, read_table
from web.live.rulings import logged_ruling, shown_ruling
from web.live.view import LiveView, RestoreView, SeatView
from web.noting import rack_from, sure_tiles
from web.version import VERSION

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

STILL = "still"
"""The stage of a sight (``vision.steady.Stage``) in which the table may be ruled on."""
FUTURE_S = 1.0
"""A frame that says it was taken later than now has a clock that jumped: it is no witness."""
SAME_PX = 8.0
"""A question about a tile within so many pixels is the same question."""
NOTHING: Mapping[str, str] = {}


class TableSight(Protocol):
    """What one frame shows (``vision.steady.LiveSight``)."""

    @property
    def stage(self) -> str: ...
    @property
    def why(self) -> str: ...
    @property
    def frame(self) -> Frame: ...
    @property
    def observation(self) -> Observation | None: ...
    @property
    def still_since(self) -> float | None: ...
    @property
    def looks(self) -> int: ...


class Watch(Protocol):
    """Looks at frames, one after the other (``vision.steady.TableWatch``)."""

    def look(self, frame: Frame) -> TableSight: ...

    def forget(self) -> None: ...


class LiveTable:
    """One game at one table.

    ``clock`` gives seconds and never goes back; ``wall`` gives seconds since the epoch, the clock of the frames' times,
    and may jump (None: both are one, as for a simulated table).  ``corners``: the table's in the picture (4, 2); what
    lies outside is no evidence.

    Raises ``GameError`` where the stored game is played by other rules, ``StoreError`` and ``LogError`` where it
    cannot be read.
    """

    def __init__(  # noqa: PLR0913  everything that it is joined to
        self,
        watch: Watch,
        store: Store,
        game: str,
        ruleset: RuleSet,
        evidence: EvidenceSink | None,
        clock: Callable[[], float],
        *,
        wall: Callable[[], float] | None = None,
        models: Mapping[str, str] = NOTHING,
        corners: npt.NDArray[np.float32] | None = None,
    ) -> None:
        self._watch, self._ruleset, self._clock, self._wall = watch, ruleset, clock, wall or clock
        self._evidence: EvidenceSink = evidence or NoEvidence()
        self._models, self._corners = models, corners
        self._log = GameLog(store, game, ruleset, clock)
        self._said: list[Notice] = []
        self._accepted: AcceptedTable | None = None
        self._accepted_before: AcceptedTable | None = None
        self._home: Located | None = None
        self._former: Shot | None = None
        self._answers: list[HumanAnswer] = []
        self._told: NotedTable | None = None
        self._sight: TableSight | None = None
        self._reading: Reading | None = None
        self._read_from: object = None
        self._asked: tuple[TileQuestion, ...] = ()
        self._asked_key: object = None
        self._ruling: LiveRuling | None = None
        self._first_steps: tuple[TickedStep, ...] | None = None
        self._restoring: tuple[TickedStep, ...] = ()
        self._paused_at = 0.0
        self._paused_table: NotedTable | None = None
        self._racks: dict[int, tuple[Tile, ...]] = {}
        self._rack_due: tuple[int, float] | None = None
        self._fault: CameraFault | None = None
        self._turn = protocol.begin(self._state, ruleset, clock())
        if self._state.phase is not Phase.NEW:
            self._say(NoticeCode.GOES_ON, seat=self._state.seat, text=self._turn.stage.value)
            self._announce()

    # --- what drives it ---------------------------------------------------------------------------------------------

    def see(self, frame: Frame) -> tuple[Notice, ...]:
        """Look at one frame."""
        try:
            self._keep_writing()
            sight = self._sight = self._watch.look(frame)
            self._tick()
            if sight.stage == STILL and sight.observation is not None and self._log.is_written:
                self._still(sight, sight.observation)
        except GoneOnError:
            self._gone_on()
        return self._drained()

    def tick(self) -> tuple[Notice, ...]:
        """Time has gone by without a frame: a bell may ring, and a full disk may have room."""
        try:
            self._keep_writing()
            self._tick()
        except GoneOnError:
            self._gone_on()
        return self._drained()

    def do(self, act: Act) -> tuple[Notice, ...]:
        """Carry out an act; one that cannot be done now is answered with ``REFUSED`` and changes nothing."""
        try:
            self._keep_writing()
            self._do(act)
        except GoneOnError:
            self._gone_on()
        except GameError as error:
            self._say(NoticeCode.REFUSED, text=str(error))
        return self._drained()

    def camera(self, fault: CameraFault | None) -> tuple[Notice, ...]:
        """What is wrong with the camera just now; the game waits where it is."""
        if fault is not self._fault:
            self._fault = fault
            if fault is None:
                self._say(NoticeCode.CAMERA_WELL)
            else:
                self._say(NoticeCode.CAMERA_TROUBLE, text=fault.value)
        return self._drained()

    @property
    def state(self) -> State:
        """The state of the log."""
        return self._state

    @property
    def turn(self) -> Turn:
        """Where the turn stands."""
        return self._turn

    @property
    def former(self) -> Shot | None:
        """The picture of the table as it was accepted last: before this turn."""
        return self._former

    @property
    def frame(self) -> Frame | None:
        """The last frame."""
        return None if self._sight is None else self._sight.frame

    @property
    def _state(self) -> State:
        return self._log.state

    def _drained(self) -> tuple[Notice, ...]:
        said, self._said = tuple(self._said), []
        return said

    def _say(
        self,
        code: NoticeCode,
        *,
        seat: int | None = None,
        ruling: LiveRuling | None = None,
        questions: tuple[TileQuestion, ...] = (),
        tiles: tuple[Tile, ...] = (),
        numbers: tuple[int, ...] = (),
        seconds: float | None = None,
        text: str = "",
    ) -> None:
        self._said.append(
            Notice(
                code=code, at=self._clock(), seat=seat, ruling=ruling, questions=questions, tiles=tiles,
                numbers=numbers, seconds=seconds, text=text,
            )
        )  # fmt: skip

    # --- the log ----------------------------------------------------------------------------------------------------

    def _carry(self, *told: Command) -> tuple[Event, ...]:
        events = self._log.carry_out(*told)
        if not self._log.is_written:
            self._stop_for_trouble()
        return events

    def _stop_for_trouble(self) -> None:
        self._say(NoticeCode.STORE_TROUBLE, text=self._log.trouble)

    def _keep_writing(self) -> None:
        """Write what the store did not take; meanwhile no time counts and nothing is decided."""
        if self._log.is_written:
            return
        self._turn = replace(self._turn, clock=self._turn.clock.stopped(self._clock()))
        if self._log.write():
            self._say(NoticeCode.STORE_WELL)
            if not self._turn.paused and self._turn.stage in {Stage.PLAY, Stage.FIX}:
                self._turn = replace(self._turn, clock=self._turn.clock.going_on(self._clock()))

    def _gone_on(self) -> None:
        self._say(NoticeCode.GONE_ON_ELSEWHERE)
        self._forget_turn()
        self._accepted = None
        self._begin()

    def _keep(
        self, occasion: Occasion, told: Command | None, events: tuple[Event, ...], reading: Reading | None = None,
        words: tuple[HumanWord, ...] = (), pictures: Mapping[str, Shot] | None = None,
    ) -> None:  # fmt: skip
        """Hand over the evidence of what happened."""
        shots = dict(pictures or {})
        shot = self._shot()
        if reading is not None and shot is not None:
            shots |= {"after": shot} if self._former is None else {"before": self._former, "after": shot}
        times = {"now": self._wall()}
        time = self._turn.clock.measured(self._clock())
        if occasion is Occasion.TURN and time is not None:
            times |= {"elapsed_s": time.elapsed_s, "paused_s": time.paused_s}
            times["called_at"] = self._wall() - (self._clock() - self._turn.since)
        self._evidence.keep(
            TurnEvidence(
                game=self._log.game, occasion=occasion, version=self._state.version, command=told, events=events,
                ruleset=self._ruleset, pictures=shots, reading=None if reading is None else reading.observation,
                words=words, models=self._models, times=times,
            )
        )  # fmt: skip

    def _shot(self) -> Shot | None:
        return None if self._sight is None else self._taken()

    def _taken(self) -> Shot:
        """The present frame as evidence; only where there is one."""
        sight = self._sight
        assert sight is not None  # noqa: S101  the callers look
        frame = sight.frame
        return Shot(frame.image, frame.taken_at, frame.number, self._corners, sight.observation, sight.looks)

    # --- frames -----------------------------------------------------------------------------------------------------

    def _now_of(self, taken_at: float) -> float:
        """The time of a frame on the clock that never jumps."""
        return taken_at - (self._wall() - self._clock())

    def _tick(self) -> None:
        if self._state.phase is not Phase.PLAY or not self._log.is_written:
            return
        was, self._turn = self._turn, protocol.tick(self._turn, self._state, self._ruleset, self._clock())
        if self._turn.stage is not was.stage and self._turn.stage is Stage.BELL:
            self._ruling = None
            self._say(NoticeCode.BELL, seat=self._state.seat)

    def _still(self, sight: TableSight, observation: Observation) -> None:
        captured = self._now_of(sight.frame.taken_at)
        if captured > self._clock() + FUTURE_S:
            return
        if self._turn.stage is Stage.COUNT:
            self._see_rack(observation, captured)
            return
        if self._turn.stage not in OPEN | {Stage.RESTORE, Stage.QUESTION}:
            return
        since = captured if sight.still_since is None else self._now_of(sight.still_since)
        reading = self._read(observation, captured, since)
        self._told = None
        if self._turn.stage in RULING:
            self._rule(self._healed(reading, observation))
        elif self._turn.stage is Stage.RESTORE:
            self._watch_restoring(reading)
        elif self._turn.paused:
            self._watch_pause(reading)

    def _read(self, observation: Observation, captured: float, since: float) -> Reading:
        """The reading of a still table; one that shows nothing new is not worked out again."""
        key = (replace(observation, taken_at=None), tuple(self._answers), id(self._accepted), self._state.table)
        if self._reading is None or key != self._read_from:
            self._reading = read_table(
                observation, self._accepted, self._answers, self._state.table, self._ruleset, (captured, since)
            )
            self._read_from = key
            if self._accepted is None:
                self._accepted, self._home = self._reading.accepted, self._reading.located
                self._read_from = (*key[:2], id(self._accepted), key[3])
                self._former = self._former or (self._shot() if self._reading.seen.untouched else None)
        seen = replace(self._reading.seen, captured_at=captured, still_since=since)
        self._reading = replace(self._reading, seen=seen)
        return self._reading

    def _healed(self, reading: Reading, observation: Observation) -> Reading:
        """Correct the log where a human said that a tile accepted earlier is another one: an old misreading."""
        corrections = reading.reconciled.corrections
        if not corrections or self._home is None:
            return reading
        table = [list(places) for places in parse_table(self._state.table)]
        at = {quad: place for place, quad in enumerate(self._home.quads) if quad is not None}
        flat = [(i, k) for i, places in enumerate(table) for k in range(len(places))]
        tiles = list(reading.accepted.tiles)
        for index, tile in corrections:
            place = at.get(tiles[index].quad)
            if place is None:
                return reading
            i, k = flat[place]
            table[i][k] = replace(table[i][k], readings=(tile,), meaning=None)
            tiles[index] = replace(tiles[index], tile=tile)
        told = commands.CorrectTable(tuple(map(tuple, table)), "misread", racks=self._state.racks)
        events = self._carry(told)
        self._accepted = AcceptedTable(tuple(tiles), parse_table(self._state.table))
        self._say(NoticeCode.CORRECTED, text=self._state.table)
        self._keep(Occasion.CORRECTION, told, events, reading)
        return self._read(observation, reading.seen.captured_at, reading.seen.still_since)

    def _rule(self, reading: Reading) -> None:
        """Rule on a still table that was called."""
        try:
            looked = protocol.look(self._turn, self._state, self._ruleset, reading.seen, self._clock())
        except GameError as error:
            self._turn = replace(self._turn, asked=reading.seen)
            self._ask_once(("refused", str(error)), NoticeCode.REFUSED, text=str(error))
            return
        if looked.next is Next.WAIT:
            return
        self._turn = looked.turn
        if looked.next is Next.ASK:
            self._ask(reading, looked.ruled)
            return
        ruled = looked.ruled
        if ruled is None:
            return
        ruling = self._shown(ruled, reading)
        self._asked, self._asked_key = (), None
        if looked.next is Next.RECORD:
            self._record(ruled, reading)
            return
        self._ruling = ruling
        now, seat = self._clock(), self._state.seat
        if looked.next is Next.FIX:
            left = protocol.left_s(self._turn, self._state, self._ruleset, now)
            self._say(NoticeCode.FIX, seat=seat, ruling=ruling, seconds=left)
        else:
            tidy = float(self._ruleset.tidy_s) if self._ruleset.tidy_s else None
            self._say(NoticeCode.TIDY, seat=seat, ruling=ruling, seconds=tidy)
        self._keep(Occasion.OTHER, ruled.command, (), reading)

    def _ask(self, reading: Reading, ruled: Ruled | None) -> None:
        self._asked = reading.asked
        ruling = None if ruled is None else self._shown(ruled, reading)
        self._ruling = ruling
        if self._asked:
            key = tuple((_rounded(one), one.choices, one.kind) for one in self._asked)
            self._ask_once(key, NoticeCode.ASK, questions=self._asked, ruling=ruling)
        else:
            doubts = tuple((finding.code, finding.params) for finding in reading.seen.doubts)
            text = "another_table" if reading.reconciled.another_table else ""
            self._ask_once((doubts, text), NoticeCode.DOUBT, ruling=ruling, text=text)

    def _ask_once(
        self, key: object, code: NoticeCode, *, questions: tuple[TileQuestion, ...] = (),
        ruling: LiveRuling | None = None, text: str = "",
    ) -> None:  # fmt: skip
        if key != self._asked_key:
            self._asked_key = key
            self._say(code, seat=self._state.seat, questions=questions, ruling=ruling, text=text)

    def _shown(self, ruled: Ruled, reading: Reading, *, final: bool = False) -> LiveRuling:
        home = self._home.quads if self._home else ()
        doubts = () if ruled.seen.untouched else ruled.seen.doubts
        return shown_ruling(ruled, self._state.table, self._ruleset, (home, reading.quads), doubts, final=final)

    def _record(self, ruled: Ruled, reading: Reading | None) -> None:
        """The turn is over."""
        ruling = None if reading is None else self._shown(ruled, reading, final=True)
        seat, won = self._state.seat, self._turn.won
        events = self._carry(ruled.command)
        last = events[-1]
        if not isinstance(last, TurnEnded):
            self._turn = Turn(Stage.QUESTION)
            self._ruling = ruling
            self._keep(Occasion.TURN, ruled.command, events, reading)
            self._say(NoticeCode.DOUBT, seat=seat, ruling=ruling)
            return
        self._turn_over(last, ruled.command, events, ruling, reading)
        if won and last.verdict == Verdict.LEGAL.value and self._state.racks[seat]:
            self._say(NoticeCode.WIN_DOUBTED, seat=seat, numbers=(self._state.racks[seat],))

    def _turn_over(
        self, last: TurnEnded, told: Command, events: tuple[Event, ...], ruling: LiveRuling | None,
        reading: Reading | None, occasion: Occasion = Occasion.TURN,
    ) -> None:  # fmt: skip
        """Say what was ruled, take the table that stands as accepted, and go on to what comes next."""
        shown = logged_ruling(last, self._ruleset, ruling)
        self._keep(occasion, told, events, reading, words=self._words())
        code = NoticeCode.RULED if occasion is Occasion.TURN else NoticeCode.OVERRULED
        self._say(code, seat=last.seats[0], ruling=shown)
        self._accepted_before = self._accepted
        self._forget_turn()
        lies = reading is None or protocol.lies_as(parse_table(self._state.table), reading.seen.table)
        if reading is not None and (lies or reading.seen.untouched):
            self._accept(reading)
        self._ruling = shown
        self._begin(restored=lies)

    def _words(self) -> tuple[HumanWord, ...]:
        return tuple(HumanWord(answer.quad, answer.tile) for answer in self._answers)

    def _accept(self, reading: Reading) -> None:
        """What was read is the table of the log from now on."""
        standing = parse_table(self._state.table)
        self._home = locate(standing, reading.observation)
        self._accepted = accept(reading.reconciled, standing)
        self._former = self._shot()
        self._answers = []

    def _forget_turn(self) -> None:
        self._asked, self._asked_key, self._ruling = (), None, None
        self._first_steps, self._restoring, self._paused_table = None, (), None

    def _begin(self, *, restored: bool = False) -> None:
        self._turn = protocol.begin(self._state, self._ruleset, self._clock(), restored=restored)
        if not restored and self._state.phase is Phase.PLAY and self._turn.stage in {Stage.PLAY, Stage.READY}:
            lying = self._reading
            standing = parse_table(self._state.table)
            if lying is not None and not protocol.lies_as(standing, lying.seen.table) and not lying.seen.untouched:
                self._turn = Turn(Stage.RESTORE)
        self._announce()

    def _announce(self) -> None:
        """Say what the table waits for now."""
        state = self._state
        match self._turn.stage:
            case Stage.PLAY | Stage.READY:
                left = protocol.left_s(self._turn, state, self._ruleset, self._clock())
                self._say(NoticeCode.TURN, seat=state.seat, seconds=left)
            case Stage.RESTORE:
                seat = state.last_turn.seats[0] if state.last_turn else state.seat
                self._say(NoticeCode.RESTORE, seat=seat, text=state.table)
            case Stage.QUESTION if state.question is not None:
                self._say(NoticeCode.DOUBT, seat=state.question.seat, ruling=self._ruling)
            case Stage.COUNT:
                self._racks = {seat: () for seat in range(len(state.players)) if not state.racks[seat]}
                winner = next((seat for seat in state.active if not state.racks[seat]), None)
                self._say(NoticeCode.ROUND_OVER, seat=winner, numbers=state.racks)
            case _:
                pass

    # --- putting back, pausing, counting ----------------------------------------------------------------------------

    def _watch_restoring(self, reading: Reading) -> None:
        wanted = parse_table(self._state.table)
        steps = restore_steps(wanted, reading.seen.table)
        if self._first_steps is None:
            self._first_steps = ticked(steps, steps)
        self._restoring = ticked([one.step for one in self._first_steps], steps)
        if protocol.lies_as(wanted, reading.seen.table) and not reading.observation.unread:
            self._put_back(reading)

    def _put_back(self, reading: Reading | None, numbers: tuple[int, int] = (0, 0)) -> None:
        self._forget_turn()
        if reading is not None:
            self._accept(reading)
        self._say(NoticeCode.RESTORED, numbers=numbers)
        self._begin(restored=True)

    def _watch_pause(self, reading: Reading) -> None:
        if self._paused_table is None:
            self._paused_table = reading.seen.table
        elif not protocol.lies_as(self._paused_table, reading.seen.table):
            self._paused_table = reading.seen.table
            self._say(NoticeCode.CHANGED_IN_PAUSE)

    def _see_rack(self, observation: Observation, captured: float) -> None:
        if self._rack_due is None or captured <= self._rack_due[1]:
            return
        seat, places = self._rack_due[0], rack_from(observation)
        self._rack_due = None
        tiles = tuple(sure_tiles(places))
        shot = self._taken()
        if len(tiles) < len(places):
            open_places = [place for place in places if len(place.readings) != 1]
            text = " ".join(str(place) for place in open_places)
            self._say(NoticeCode.RACK_UNREAD, seat=seat, tiles=tiles, text=text)
            return
        self._racks[seat] = tiles
        self._keep(Occasion.ROUND, None, (), pictures={f"rack-{seat}": shot})
        self._say(NoticeCode.RACK, seat=seat, tiles=tiles)

    # --- acts -------------------------------------------------------------------------------------------------------

    def _do(self, act: Act) -> None:  # noqa: C901, PLR0912, PLR0915  one case an act
        match act:
            case acts.StartGame():
                self._start(act)
            case acts.DrawTiles():
                self._starter(self._carry(commands.DrawStart(act.tiles)))
            case acts.NameStarter():
                self._starter(self._carry(commands.NameStarter(act.seat)))
            case acts.DealTiles():
                self._deal(act.counts)
            case acts.ClaimRedeal():
                self._redeal(act)
            case acts.StartClock():
                self._turn = protocol.start_clock(self._turn, self._clock())
            case acts.CallTurnEnd():
                self._call(act)
            case acts.TakeBackCall():
                self._turn = protocol.take_back(self._turn, self._clock())
                self._asked, self._asked_key, self._ruling = (), None, None
                self._say(NoticeCode.CALL_TAKEN_BACK, seat=self._state.seat)
            case acts.Conclude():
                self._conclude()
            case acts.AnswerTile():
                self._answer(act.question, act.tile)
            case acts.AnswerChoice():
                choices = self._question(act.question).choices
                if not 0 <= act.choice < len(choices):
                    raise GameError(f"question {act.question + 1} has {len(choices)} choices")
                self._answer(act.question, choices[act.choice])
            case acts.Pause():
                self._turn = protocol.pause(self._turn, self._clock())
                self._paused_at, self._paused_table = self._clock(), None
                self._say(NoticeCode.PAUSED)
            case acts.Resume():
                self._turn = protocol.resume(self._turn, self._clock(), self._paused_at)
                self._say(NoticeCode.RESUMED)
            case acts.Extend():
                self._turn = protocol.extend(self._turn, self._state, self._ruleset)
                self._say(NoticeCode.EXTENDED, seconds=float(self._ruleset.extension_s))
            case acts.Overrule():
                self._overrule(act)
            case acts.Undo():
                self._undo(act)
            case acts.CountAsDraw():
                self._count_as_draw()
            case acts.Restored():
                self._restored(act)
            case acts.PlayedInstead():
                self._played_instead(act)
            case acts.AcceptTable():
                self._correct(self._lying().seen.table, act.reason, act.racks, self._reading)
            case acts.TellTable():
                self._tell(act.text)
            case acts.ConfirmWin():
                self._confirm_win(act.seat)
            case acts.GivePenalty():
                told = commands.GivePenalty(act.seat, act.tiles, act.points, act.reason)
                self._keep(Occasion.OTHER, told, self._carry(told))
                self._say(NoticeCode.PENALTY, seat=act.seat, numbers=(act.tiles, act.points))
            case acts.Leave():
                self._leave(act.seat)
            case acts.ShowRack():
                self._show_rack(act)
            case acts.CountRound():
                self._count(act)
            case acts.NextRound():
                self._next_round()

    def _start(self, act: acts.StartGame) -> None:
        models = ",".join(f"{name} {version}" for name, version in sorted(self._models.items()))
        told: list[Command] = [commands.StartGame(act.players, VERSION, models)]
        if act.starter is not None:
            told += [commands.NameStarter(act.starter), commands.Deal()]
        self._carry(*told)
        self._say(NoticeCode.SEATED)
        if act.starter is not None:
            self._say(NoticeCode.STARTS, seat=act.starter)
            self._dealt()

    def _starter(self, events: tuple[Event, ...]) -> None:
        drawn = events[-1]
        if isinstance(drawn, StarterDrawn) and drawn.starter is None:
            self._say(NoticeCode.DRAW_AGAIN, numbers=drawn.again)
        else:
            self._say(NoticeCode.STARTS, seat=self._state.starter)

    def _deal(self, counts: tuple[int, ...] | None) -> None:
        self._carry(commands.Deal(counts))
        self._dealt()

    def _redeal(self, act: acts.ClaimRedeal) -> None:
        (event,) = self._carry(commands.ClaimRedeal(act.seat, act.tiles))
        why = event.why if isinstance(event, RedealRuled) else ()
        self._say(NoticeCode.REDEAL, seat=act.seat, text=", ".join(why))
        if not why:
            self._turn = Turn(Stage.SETUP)

    def _dealt(self) -> None:
        """The table is empty, and the first turn begins; what lies there is looked at afresh."""
        self._say(NoticeCode.DEALT, numbers=self._state.racks)
        self._forget_turn()
        self._accepted, self._accepted_before, self._home, self._former = AcceptedTable(), None, None, self._shot()
        self._answers, self._racks, self._reading, self._read_from = [], {}, None, None
        self._begin(restored=True)

    def _call(self, act: acts.CallTurnEnd) -> None:
        if self._turn.stage is Stage.RESTORE:
            self._say(NoticeCode.NOT_RESTORED, text=self._state.table)
            return
        if act.seat is not None and act.seat != self._state.seat:
            raise GameError(f"it is the turn of seat {self._state.seat}, not of seat {act.seat}")
        now = self._clock()
        at = now if act.called_at is None else min(act.called_at, now)
        was = self._turn
        self._turn = protocol.call(was, self._state, self._ruleset, at, passes=act.passes, won=act.won)
        self._asked, self._asked_key = (), None
        if self._turn.stage is Stage.BELL and was.stage is not Stage.BELL:
            self._say(NoticeCode.BELL, seat=self._state.seat)
        elif self._turn is not was:
            self._ruling = None
            self._say(NoticeCode.CALLED, seat=self._state.seat)

    def _conclude(self) -> None:
        if self._turn.stage is Stage.TIDY:
            self._call(acts.CallTurnEnd())
            return
        ruled = protocol.conclude(self._turn)
        if ruled is not None:
            self._record(ruled, self._reading)

    def _question(self, number: int) -> TileQuestion:
        asked = self._asked if self._turn.stage in RULING else (self._reading.asked if self._reading else ())
        if not 0 <= number < len(asked):
            raise GameError(f"there is no question {number + 1}")
        return asked[number]

    def _answer(self, number: int, tile: Tile | None) -> None:
        """Take an answer and rule again at once on the same look."""
        reading = self._lying()
        self._question(number)
        if tile is not None and not self._ruleset.held(tile):
            raise GameError(f"the box holds no {tile}")
        question = reading.questions[number]
        missing = question.index is None
        self._answers.append(answer_to(question, tile, gone=missing and tile is None))
        read = () if question.index is None else reading.observation.tiles[question.index].readings
        self._keep(Occasion.ANSWER, None, (), words=(HumanWord(question.quad, tile, read),))
        sight = self._sight
        if sight is None or sight.observation is None:
            return
        again = self._read(sight.observation, reading.seen.captured_at, reading.seen.still_since)
        if self._turn.stage in RULING:
            self._rule(self._healed(again, sight.observation))
        elif self._turn.stage is Stage.RESTORE:
            self._watch_restoring(again)

    def _lying(self) -> Reading:
        """The table as it was seen last.  Raises ``GameError`` where no still table was seen."""
        if self._reading is None:
            raise GameError("no still table was seen yet")
        return self._reading

    def _overrule(self, act: acts.Overrule) -> None:
        reading = self._reading
        if self._turn.stage is Stage.QUESTION:
            told: Command = commands.Answer(act.legal)
            events = self._carry(told)
        elif self._turn.stage in RULING | {Stage.FIX, Stage.TIDY}:
            told, events = self._rule_by_hand(act)
        else:
            draw = self._ruleset.broken_draw if act.draw is None else act.draw
            told = commands.Override(act.legal, act.reason, 0 if act.legal else draw)
            events = self._carry(told)
        last = self._state.last_turn
        if last is not None:
            self._turn_over(last, told, events, None, reading, Occasion.OVERRIDE)

    def _rule_by_hand(self, act: acts.Overrule) -> tuple[Command, tuple[Event, ...]]:
        """End the turn as the referee says; what this program would have said is kept beside it."""
        seen = self._turn.ruled.seen if self._turn.ruled is not None else self._turn.asked
        if seen is None and act.legal:
            seen = self._lying().seen
            if seen.captured_at <= self._turn.since:
                raise GameError("no still table was seen since the turn was called: tell the table, or say 'draw'")
        if seen is None:
            seen = SeenTable(parse_table(self._state.table), self._clock(), self._clock(), untouched=True)
        ruled = self._turn.ruled or protocol.rule(self._turn, self._state, self._ruleset, seen, self._clock())
        events = self._carry(ruled.command)
        last = self._state.last_turn
        further: Command
        if self._state.phase is Phase.QUESTION:
            further = commands.Answer(act.legal)
        else:
            said = ruled.ended.verdict is Verdict.LEGAL and not seen.doubts
            if last is not None and said is act.legal and (act.draw is None or act.legal):
                return ruled.command, events
            draw = self._ruleset.broken_draw if act.draw is None else act.draw
            further = commands.Override(act.legal, act.reason, 0 if act.legal else draw)
        return further, (*events, *self._carry(further))

    def _undo(self, act: acts.Undo) -> None:
        told = commands.Undo(act.reason)
        events = self._carry(told)
        self._keep(Occasion.UNDO, told, events)
        self._say(NoticeCode.UNDONE, seat=self._state.seat)
        self._forget_turn()
        if self._accepted_before is not None:
            self._accepted, self._accepted_before = self._accepted_before, None
        self._begin(restored=True)  # what the player laid may lie there still: it is his turn again

    def _count_as_draw(self) -> None:
        if self._turn.stage is Stage.QUESTION:
            raise GameError("a turn waits for the referee's ruling: legal or illegal")
        state, now = self._state, self._clock()
        standing = parse_table(state.table)
        time: MoveTime | None = self._turn.clock.measured(now)
        how = TurnEnd.DREW if state.pool and not state.banking else TurnEnd.PASSED
        told = commands.EndTurn(state.seat, standing, Ending(how), time=time)
        events = self._carry(told)
        last = events[-1]
        if isinstance(last, TurnEnded):
            self._turn_over(last, told, events, None, self._reading)

    def _restored(self, act: acts.Restored) -> None:
        if self._turn.stage is not Stage.RESTORE:
            raise GameError("no table waits to be put back")
        if act.trust:
            self._accepted = None  # where the sets lie is looked at afresh
            self._put_back(None)
            return
        reading = self._lying()
        before = self._state
        told = commands.RestoreTable(reading.seen.table, act.remembered)
        events = self._carry(told)
        if not events:
            self._put_back(reading)
            return
        self._keep(Occasion.CORRECTION, told, events, reading)
        to_rack = sum(self._state.racks) - sum(before.racks)
        to_pool = self._state.pool - before.pool
        self._say(NoticeCode.CORRECTED, text=self._state.table)
        if protocol.lies_as(parse_table(self._state.table), reading.seen.table):
            self._put_back(reading, (max(0, to_pool), max(0, to_rack)))
        else:
            self._forget_turn()
            self._say(NoticeCode.RESTORE, seat=self._state.seat, text=self._state.table)

    def _played_instead(self, act: acts.PlayedInstead) -> None:
        if self._turn.stage not in OPEN | {Stage.RESTORE}:
            raise GameError("no turn goes on that could have been missed")
        reading = self._lying()
        told = commands.RecordAsOne(act.seats, reading.seen.table, act.played)
        events = self._carry(told)
        last = self._state.last_turn
        if last is not None:
            self._turn_over(last, told, events, None, reading)

    def _correct(
        self, table: NotedTable, reason: str, racks: tuple[int, ...] | None, reading: Reading | None
    ) -> None:
        told = commands.CorrectTable(table, reason, racks)
        events = self._carry(told)
        self._keep(Occasion.CORRECTION, told, events, reading)
        self._say(NoticeCode.CORRECTED, text=self._state.table)
        self._forget_turn()
        if reading is None:
            self._accepted = None
        else:
            self._accept(reading)
        self._begin(restored=True)

    def _tell(self, text: str) -> None:
        """A table that the referee tells: ruled on where a turn was called, else the table of the log."""
        table = parse_told_table(text, self._ruleset)
        if self._turn.stage not in RULING:
            self._correct(table, "told", None, None)
            return
        now = self._clock()
        seen = SeenTable(table, captured_at=now + FUTURE_S, still_since=self._turn.since)
        looked = protocol.look(self._turn, self._state, self._ruleset, seen, now)
        self._turn = looked.turn
        if looked.ruled is None:
            return
        if looked.next is Next.RECORD:
            self._accepted = None
            self._record(looked.ruled, None)
        elif looked.next is Next.ASK:
            self._say(NoticeCode.DOUBT, seat=self._state.seat)
        else:
            self._say(NoticeCode.FIX, seat=self._state.seat,
                      ruling=shown_ruling(looked.ruled, self._state.table, self._ruleset, ((), ())))  # fmt: skip

    def _confirm_win(self, seat: int) -> None:
        if seat not in self._state.active:
            raise GameError(f"seat {seat} does not play in this game")
        racks = tuple(0 if k == seat else count for k, count in enumerate(self._state.racks))
        told = commands.CorrectTable(parse_table(self._state.table), "the rack is empty", racks)
        events = self._carry(told)
        self._keep(Occasion.CORRECTION, told, events)
        self._forget_turn()
        self._begin(restored=True)

    def _leave(self, seat: int) -> None:
        on_turn = self._state.seat == seat
        told = commands.Leave(seat)
        self._keep(Occasion.OTHER, told, self._carry(told))
        self._say(NoticeCode.LEFT, seat=seat)
        if on_turn or self._state.phase is Phase.COUNT:
            self._forget_turn()
            self._begin()

    def _show_rack(self, act: acts.ShowRack) -> None:
        if self._turn.stage is not Stage.COUNT:
            raise GameError("the round is not over")
        if not 0 <= act.seat < len(self._state.players):
            raise GameError(f"seat {act.seat} does not play in this game")
        if act.tiles is None:
            self._rack_due = act.seat, self._clock()
            return
        self._racks[act.seat] = act.tiles
        self._say(NoticeCode.RACK, seat=act.seat, tiles=act.tiles)

    def _count(self, act: acts.CountRound) -> None:
        state = self._state
        if self._turn.stage is not Stage.COUNT:
            raise GameError("the round is not over")
        missing = [seat for seat in state.active if seat not in self._racks]
        if missing:
            raise GameError(f"the rack of {state.players[missing[0]]} was not shown")
        racks = tuple(self._racks.get(seat, ()) for seat in range(len(state.players)))
        counts = tuple(map(len, racks))
        if counts != state.racks:
            if not act.as_shown:
                differ = [k for k in range(len(counts)) if counts[k] != state.racks[k]]
                numbers = tuple(number for k in differ for number in (k, state.racks[k], counts[k]))
                self._say(NoticeCode.MISCOUNT, numbers=numbers)
                return
            told: Command = commands.CorrectTable(parse_table(state.table), "racks as shown", counts)
            score = commands.Score(racks, act.announced)
            events = self._carry(told, score)
        else:
            score = commands.Score(racks, act.announced)
            events = self._carry(score)
        self._keep(Occasion.ROUND, score, events)
        self._turn = Turn(Stage.BETWEEN)
        scored = events[-1]
        if isinstance(scored, RoundScored):
            self._say(NoticeCode.SCORED, numbers=scored.points)

    def _next_round(self) -> None:
        self._carry(commands.NextRound())
        self._turn = Turn(Stage.SETUP)
        self._say(NoticeCode.ROUND, numbers=(self._state.round,))
        if self._state.starter is not None:
            self._say(NoticeCode.STARTS, seat=self._state.starter)

    # --- what a screen shows ----------------------------------------------------------------------------------------

    @property
    def view(self) -> LiveView:
        """Everything that a screen shows, as it is now."""
        state, turn, now = self._state, self._turn, self._clock()
        tidy = None
        if turn.stage is Stage.TIDY and self._ruleset.tidy_s:
            at = self._paused_at if turn.paused else now
            tidy = max(0.0, protocol.tidy_until(turn, self._ruleset) - at)
        ongoing = turn.stage in OPEN
        return LiveView(
            game=self._log.game,
            rules=self._ruleset.name,
            phase=state.phase,
            stage=turn.stage,
            round=state.round,
            turn=state.turn,
            seat=state.seat,
            seats=self._seats(),
            pool=state.pool,
            table=state.table,
            lying=None if self._reading is None else format_table(self._reading.seen.table),
            sees="" if self._sight is None else str(self._sight.stage),
            why="" if self._sight is None else self._sight.why,
            called=turn.stage in RULING,
            paused=turn.paused,
            left_s=protocol.left_s(turn, state, self._ruleset, now) if ongoing else None,
            tidy_left_s=tidy,
            clock_starter=protocol.clock_starter(state, self._ruleset) if turn.stage is Stage.READY else None,
            ruling=self._ruling,
            questions=self._asked if turn.stage in RULING else (),
            restoring=self._restore_view(),
            leftovers=self._ruleset.leftovers,
            fault="" if self._fault is None else self._fault.value,
            trouble=self._log.trouble,
            points=tuple(played.points for played in state.rounds),
            drawing=state.drawing,
        )

    def _seats(self) -> tuple[SeatView, ...]:
        state = self._state
        return tuple(
            SeatView(
                name=name,
                rack=state.racks[seat],
                opened=bool(state.opened) and state.opened[seat],
                active=seat in state.active,
                total=sum(played.points[seat] for played in state.rounds),
                shown=self._racks.get(seat) if self._turn.stage is Stage.COUNT else None,
            )
            for seat, name in enumerate(state.players)
        )

    def _restore_view(self) -> tuple[RestoreView, ...]:
        quads = () if self._reading is None else self._reading.quads
        home = () if self._home is None else self._home.quads

        return tuple(
            RestoreView(
                step.step.kind,
                step.step.tile,
                step.done,
                None if step.done else _place(quads, step.step.lies_at),
                _place(home, step.step.home_at),
                step.step.home_set,
            )
            for step in self._restoring
        )


def _place(quads: Sequence[Quad | None], at: int | None) -> Quad | None:
    """The quad of a place; None where it has none, or lies on no table."""
    return None if at is None or at >= len(quads) else quads[at]


def _rounded(question: TileQuestion) -> tuple[int, int]:
    x, y = question.quad[0]
    return round(x / SAME_PX), round(y / SAME_PX)
