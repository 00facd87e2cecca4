"""The live table: frames and acts in, notices and a view out.

It has no thread and no clock of its own: whoever drives it hands in frames and acts, one after the other, and a clock
that never goes back.  Its state is the log in the store; what lies between two events of the log (a clock, a call, a
question) is made anew when the program starts again on the same store, so a crash costs no turn.

This is only the door: what each frame and each act means stands in the module that is called for it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from referee.game.decide import GameError
from referee.game.state import Phase, State
from referee.observation import Observation
from referee.protocol import OPEN, RULING, Stage, Turn
from referee.ruleset import RuleSet
from referee.store import Store
from vision.frames import CameraFault, Frame
from web.evidence.turn import EvidenceSink, NoEvidence, Shot
from web.live import acts, answering, correcting, judging, refereeing, restoring, rounds, timekeeping
from web.live.acts import Act
from web.live.course import announce, gone_on
from web.live.game import LiveGame, Surroundings
from web.live.log import GoneOnError
from web.live.memory import Where
from web.live.notices import Notice, NoticeCode
from web.live.showing import view_of
from web.live.sight import FUTURE_S, STILL, TableSight, Watch
from web.live.view import LiveView

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

NOTHING: Mapping[str, str] = {}


class LiveTable:
    """One game at one table.

    ``clock`` gives seconds and never goes back; ``wall`` gives seconds since the epoch, the clock of the frames' times,
    and may jump (None: both are one, as for a simulated table).  ``corners``: the table's in the picture (4, 2); what
    lies outside is no evidence.  ``sees_deal``: the camera looks on while tiles are dealt (stills do not).

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
        sees_deal: bool = True,
    ) -> None:
        self._watch = watch
        around = Surroundings(clock, wall or clock, evidence or NoEvidence(), models, sees_deal)
        self._game = LiveGame(store, game, ruleset, around)
        self._game.corners = corners
        self._fault: CameraFault | None = None
        if self.state.phase is not Phase.NEW:
            self._game.say(NoticeCode.GOES_ON, seat=self.state.seat, text=self.turn.stage.value)
            announce(self._game)

    # --- what drives it ---------------------------------------------------------------------------------------------

    def see(self, frame: Frame) -> tuple[Notice, ...]:
        """Look at one frame."""
        return self._answered(lambda: self._see(frame))

    def tick(self) -> tuple[Notice, ...]:
        """Time has gone by without a frame: a bell may ring, and a full disk may have room."""
        return self._answered(lambda: timekeeping.tick(self._game))

    def do(self, act: Act) -> tuple[Notice, ...]:
        """Carry out an act; one that cannot be done now is answered with ``REFUSED`` and changes nothing."""
        return self._answered(lambda: _do(self._game, act))

    def camera(self, fault: CameraFault | None) -> tuple[Notice, ...]:
        """What is wrong with the camera just now; the game waits where it is."""
        if fault is not self._fault:
            self._fault = fault
            if fault is None:
                self._game.say(NoticeCode.CAMERA_WELL)
            else:
                self._game.say(NoticeCode.CAMERA_TROUBLE, text=fault.value)
        return self._game.drained()

    def shift(self, where: Where | None) -> None:
        """The camera was moved: ``where`` tells where a tile lies now; None: nobody knows, and sets are looked for."""
        self._game.notes = replace(self._game.notes, asked_key=None)
        self._game.memory = self._game.memory.shifted(where)

    def look_with(self, watch: Watch, corners: npt.NDArray[np.float32] | None = None) -> None:
        """Look with another watch from now on, as the table lies elsewhere in the picture."""
        self._watch, self._game.corners = watch, corners

    # --- what is known of it ------------------------------------------------------------------------------------------

    @property
    def state(self) -> State:
        """The state of the log."""
        return self._game.state

    @property
    def turn(self) -> Turn:
        """Where the turn stands."""
        return self._game.turn

    @property
    def former(self) -> Shot | None:
        """The picture of the table as it was accepted last: before this turn."""
        return self._game.memory.former

    @property
    def frame(self) -> Frame | None:
        """The last frame."""
        return None if self._game.sight is None else self._game.sight.frame

    @property
    def seen(self) -> Observation | None:
        """What the eyes saw there; None before the first frame, and while the table is not still."""
        return None if self._game.sight is None else self._game.sight.observation

    @property
    def view(self) -> LiveView:
        """Everything that a screen shows, as it is now."""
        return view_of(self._game, self._fault)

    # --- inside -------------------------------------------------------------------------------------------------------

    def _answered(self, happens: Callable[[], None]) -> tuple[Notice, ...]:
        """What is said about something that happens, once the store has what came before it."""
        try:
            self._game.keep_writing()
            happens()
        except GoneOnError:
            gone_on(self._game)
        except GameError as error:
            self._game.say(NoticeCode.REFUSED, text=error.told)
        return self._game.drained()

    def _see(self, frame: Frame) -> None:
        sight = self._game.sight = self._watch.look(frame)
        timekeeping.tick(self._game)
        if sight.stage == STILL and sight.observation is not None and self._game.log.is_written:
            _see_still(self._game, sight, sight.observation)


def _see_still(game: LiveGame, sight: TableSight, observation: Observation) -> None:
    """What a still table means depends on what the game waits for."""
    captured = game.time_of(sight.frame.taken_at)
    if captured > game.now() + FUTURE_S:
        return
    if game.turn.stage is Stage.COUNT:
        rounds.see_rack(game, observation, captured)
        return
    if game.turn.stage not in OPEN | {Stage.RESTORE, Stage.QUESTION} or game.shows_last_round:
        return
    since = captured if sight.still_since is None else game.time_of(sight.still_since)
    reading = game.read(observation, captured, since)
    if rounds.see_deal(game, reading):
        restoring.watch_restoring(game, reading)
    elif game.turn.stage in RULING:
        judging.judge(game, answering.healed(game, reading, observation))
    elif game.turn.stage is Stage.RESTORE:
        restoring.watch_restoring(game, reading)
    elif game.turn.paused:
        timekeeping.watch_pause(game, reading)


def _do(game: LiveGame, act: Act) -> None:  # noqa: C901, PLR0912, PLR0915  one case an act
    match act:
        case acts.StartGame():
            rounds.start(game, act)
        case acts.DrawTiles():
            rounds.draw_for_start(game, act)
        case acts.NameStarter():
            rounds.name_starter(game, act)
        case acts.DealTiles():
            rounds.deal(game, act)
        case acts.ClaimRedeal():
            rounds.redeal(game, act)
        case acts.StartClock():
            timekeeping.start_clock(game)
        case acts.CallTurnEnd():
            judging.call(game, act)
        case acts.TakeBackCall():
            judging.take_back(game)
        case acts.Conclude():
            judging.conclude(game)
        case acts.AnswerTile():
            corrected = answering.correction(game, act)
            if corrected is None:
                answering.answer(game, act.question, act.tile, act.at)
            else:
                correcting.correct(game, corrected, asked=True)
        case acts.AnswerChoice():
            answering.choose(game, act.question, act.choice)
        case (
            acts.CorrectTile()
            | acts.RemoveTile()
            | acts.AddTile()
            | acts.MoveTile()
            | acts.CutSet()
            | acts.TakeBackCorrection()
        ):
            correcting.correct(game, act)
        case acts.Pause():
            timekeeping.pause(game)
        case acts.Resume():
            timekeeping.resume(game)
        case acts.Extend():
            timekeeping.extend(game)
        case acts.Overrule():
            refereeing.overrule(game, act)
        case acts.Undo():
            refereeing.undo(game, act)
        case acts.CountAsDraw():
            refereeing.count_as_draw(game, act)
        case acts.Restored():
            restoring.restored(game, act)
        case acts.PlayedInstead():
            refereeing.played_instead(game, act)
        case acts.AcceptTable():
            refereeing.accept_table(game, act)
        case acts.TellTable():
            refereeing.tell_table(game, act.text)
        case acts.ConfirmWin():
            refereeing.confirm_win(game, act.seat)
        case acts.GivePenalty():
            rounds.give_penalty(game, act)
        case acts.Leave():
            rounds.leave(game, act)
        case acts.ShowRack():
            rounds.show_rack(game, act)
        case acts.CountRound():
            rounds.count(game, act)
        case acts.ConfirmScore():
            rounds.confirm_score(game, act.seat)
        case acts.NextRound():
            rounds.next_round(game)
