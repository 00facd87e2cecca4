"""A simulated game refereed by the live table: somebody presses the bell, answers questions, and keeps count.

Time is virtual: it passes while the program works, as long as the work takes, and while somebody moves or waits.  So
the time from a call to its ruling is honest, and a game of an hour takes no hour.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from referee.endgame import seats_allowed
from referee.ending import alike
from referee.game.state import Phase
from referee.notation import format_table, parse_table
from referee.observation import Observation, Quad
from referee.protocol import RULING, Stage
from referee.ruleset import RuleSet
from referee.store import Store
from referee.tiles import Tile
from vision.frames import Frame
from vision.render.faces import BACK
from vision.render.stage import StagedTile
from web.evidence.turn import EvidenceSink
from web.live import acts
from web.live.acts import Act
from web.live.notices import Notice, NoticeCode, QuestionKind, TileQuestion
from web.live.sight import TableSight, Watch
from web.live.table import LiveTable
from web.simulation.camera import SimulatedCamera, VirtualClock
from web.simulation.figures import GameFigures
from web.simulation.players import Rates
from web.simulation.round import NAMES, Attempt, PlannedTurn, Uncalled
from web.simulation.table import SimulatedTable, Stretch

SETTLES_S = 0.35
"""From so long before the table lies still, every frame is looked at."""
SELDOM_S = 0.4
"""While hands move, one frame in so many seconds is looked at, to save the machine: nothing is ruled on then."""
DEALT_S = 1.5
"""So long after the deal the table is looked at while nobody has laid anything yet."""
NO_RULING_S = 12.0
"""A call that leads to nothing for so long is answered by the referee himself."""
_ANSWERED = frozenset({NoticeCode.RULED, NoticeCode.FIX, NoticeCode.ASK, NoticeCode.DOUBT, NoticeCode.REFUSED,
                       NoticeCode.TIDY})  # fmt: skip
_RULED = (NoticeCode.RULED, NoticeCode.FIX, NoticeCode.TIDY)


@dataclass(frozen=True, slots=True)
class Joined:
    """What the program needs to referee: a watch with fresh memory, a store, a place for evidence, models' names."""

    watch: Watch
    store: Store
    evidence: EvidenceSink | None = None
    models: Mapping[str, str] = field(default_factory=dict)


@dataclass
class _Witness:
    """A watch that remembers what it saw last on a still table."""

    watch: Watch
    seen: Observation | None = None

    def look(self, frame: Frame) -> TableSight:
        sight = self.watch.look(frame)
        self.seen = sight.observation or self.seen
        return sight

    def forget(self) -> None:
        self.watch.forget()


Teller = Callable[[Notice], None]


class Driver:
    """Plays one simulated round before one live table."""

    in_time_s = 1.0
    """A call that would come with less time left than this may come too late."""

    def __init__(
        self, table: SimulatedTable, joined: Joined, clock: VirtualClock, game: str, tell: Teller | None = None
    ) -> None:
        self.table, self.clock = table, clock
        self.camera = SimulatedCamera(table, clock)
        self._witness = _Witness(joined.watch)
        self.live = LiveTable(
            self._witness, joined.store, game, table.rules, joined.evidence, clock, models=joined.models
        )
        self.figures = GameFigures(table.seed, table.rules.name, table.seats)
        self._tell = tell
        self.holds_clock = False
        self._seen_at = -1.0
        self._asked = False

    def play(self, most_turns: int | None = None) -> GameFigures:
        """Play until the round is over, or so many turns."""
        began = self.clock()
        self._do(acts.StartGame(NAMES[: self.table.seats], self.table.round.starter))
        self._watch_until(self.clock() + DEALT_S, seldom=False)
        while not self.table.is_over and (most_turns is None or self.figures.turns < most_turns):
            self._play_turn()
        if self.table.is_over:
            self._count()
        self.figures.virtual_s = self.clock() - began
        self.figures.happened.update(self.table.happened)
        return self.figures

    # --- one turn ---------------------------------------------------------------------------------------------------

    def _play_turn(self) -> None:
        self._asked = False
        if self.live.turn.stage is Stage.READY:
            self._do(acts.StartClock())
        stretch = self.table.next_turn(max(self.clock(), self.table.now))
        turn = self.table.turn
        assert turn is not None  # noqa: S101  it was just played
        self.figures.turns += turn.turns
        self.figures.incidents[turn.incident.value] += 1
        if turn.uncalled is not None:
            self._missed(stretch, turn, turn.uncalled)
            self._compare(turn)
            return
        for number, attempt in enumerate(turn.attempts):
            if number:
                mended = self.table.mend(max(self.clock(), self.table.now))
                if mended is None:
                    break
                stretch = mended
            self._end(stretch, turn, attempt)
        if self.live.turn.stage is Stage.FIX:
            self._do(acts.Conclude())
        if self.live.turn.stage is Stage.TIDY:
            self._do(acts.Conclude())
            self._wait_for(NoticeCode.RULED, NoticeCode.ASK, NoticeCode.DOUBT)
        self.figures.turns_asked += self._asked
        self._put_back(turn)
        self._compare(turn)
        added = self.table.add(max(self.clock(), self.table.now))
        if added is not None:
            self._referee_looks(turn, added, acts.AcceptTable())
            self._compare(turn)

    def _missed(self, stretch: Stretch, turn: PlannedTurn, missed: Uncalled) -> None:
        """The next player calls, and the referee finds that nobody called the turn before: both become one."""
        self._watch_until(stretch.still_at - SETTLES_S)
        self._watch_until(stretch.called_at or stretch.still_at, seldom=False)
        refused = self._first(self._do(acts.CallTurnEnd(seat=missed.next_seat)), (NoticeCode.REFUSED,))
        if refused is None:
            self._trouble(turn, f"seat {missed.next_seat} ended the turn of seat {turn.seat}")
            self.figures.wrong += 1
            self._do(acts.TakeBackCall())
        self._referee_looks(turn, stretch, acts.PlayedInstead((turn.seat, missed.next_seat), missed.played))

    def _referee_looks(self, turn: PlannedTurn, stretch: Stretch, act: acts.PlayedInstead | acts.AcceptTable) -> None:
        """The referee says what a table means once it lies still; as long as the eyes do not see it so, he waits."""
        self._watch_until(stretch.still_at - SETTLES_S)
        self._watch_until(stretch.still_at + 0.1, seldom=False)
        gives_up = self.clock() + NO_RULING_S
        said = (NoticeCode.RULED, NoticeCode.CORRECTED)
        told = self._first(self._do(act), said)
        while told is None and self.clock() < gives_up:
            self._watch_until(self.clock() + 0.5, seldom=False)
            told = self._first(self._do(act), said)
        if told is None:
            self.figures.no_ruling += 1
            self._trouble(turn, f"{type(act).__name__} was refused: {self.live.view.sees} {self.live.view.why}, "
                                f"lies {self.live.view.lying}, true {self.table.round.state.table}")  # fmt: skip

    def _taken_back(self, turn: PlannedTurn, early: tuple[float, float]) -> None:
        """The end is called in mid-move and taken back: nothing may come of it."""
        called, taken_back = early
        self._watch_until(called)
        notices = [*self._do(acts.CallTurnEnd(seat=turn.seat, called_at=called))]
        while self.clock() < taken_back:
            notices += self._look()
        ruled = self._first(tuple(notices), _RULED)
        if ruled is not None:
            self.figures.wrong += 1
            self._trouble(turn, f"ruled half-way, {ruled.code.value}: lies {self.live.view.lying}")
        if self._first(self._do(acts.TakeBackCall()), (NoticeCode.CALL_TAKEN_BACK,)) is None:
            self._trouble(turn, f"a call could not be taken back: {self.live.turn.stage.value}")

    def _end(self, stretch: Stretch, turn: PlannedTurn, attempt: Attempt) -> None:
        """Play a stretch and end the turn; the bell ends it where nobody calls."""
        if stretch.early is not None:
            self._taken_back(turn, stretch.early)
        if self._takes_too_long(stretch):
            self._do(acts.Pause())
            self.holds_clock = True
            self.figures.happened["clock stopped"] += 1
        self._watch_until(stretch.still_at - SETTLES_S)
        self._says_whose(turn)
        if stretch.called_at is None:
            called = self._wait_for_bell()
        else:
            self._watch_until(stretch.called_at, seldom=False)
            self._says_whose(turn)
            if self.holds_clock:
                self._do(acts.Resume())
                self.holds_clock = False
            self._do(acts.CallTurnEnd(seat=turn.seat, called_at=stretch.called_at))
            called = stretch.called_at
        self._ruled(turn, attempt, called)

    def _says_whose(self, turn: PlannedTurn) -> None:
        """Tiles that lie there at the camera's first look since the deal are those of the player on turn."""
        if self.live.turn.stage is Stage.RESTORE:
            self._trouble(turn, f"tiles at the deal: {self.live.view.lying}")
            self._do(acts.Restored(trust=True))

    def _takes_too_long(self, stretch: Stretch) -> bool:
        """Whether the clock would ring before a player calls who means to be in time: the referee stops it for him.

        Players plan in tiles, and know nothing of how long their hands take for a table that is built anew.
        """
        left_s = self.live.view.left_s
        if stretch.called_at is None or left_s is None or self.live.turn.stage is not Stage.PLAY:
            return False
        return self.clock() + left_s < stretch.called_at + self.in_time_s

    def _wait_for_bell(self) -> float:
        """Nobody calls: a look now and then until the time is over."""
        gives_up = self.clock() + 3 * self.table.rules.time_s + 60
        while self.clock() < gives_up and self.live.turn.stage is Stage.PLAY:
            self._watch_until(self.clock() + 2.0, seldom=True, pause=2.0)
        return self.live.turn.since

    def _ruled(self, turn: PlannedTurn, attempt: Attempt, called: float) -> None:
        """Wait for the ruling, answer what is asked, and hold the ruling against the truth."""
        first = self._wait_for(*_ANSWERED)
        if first is not None:
            self.figures.waits_ms.append(1000 * (first.at - called))
        for _ in range(40):
            if first is None or first.code not in {NoticeCode.ASK, NoticeCode.DOUBT, NoticeCode.REFUSED}:
                break
            first = self._answered(turn, attempt, first)
        if first is None:
            self._no_ruling(turn, attempt)
            return
        if first.ruling is None or first.ruling.by != "machine":
            return
        self.figures.rulings += 1
        said = first.ruling.verdict.value
        if said != attempt.verdict:
            self.figures.wrong += 1
            self.figures.false_legal += said == "legal"
            self.figures.false_illegal += said == "illegal" and attempt.verdict == "legal"
            codes = ", ".join(finding.code.value for finding in first.ruling.findings)
            self._trouble(turn, f"ruled {said}, true {attempt.verdict} {attempt.codes}: {codes}; "
                                f"lies {self.live.view.lying}, true {format_table(attempt.shown)}")  # fmt: skip

    def _no_ruling(self, turn: PlannedTurn, attempt: Attempt) -> None:
        """A call came to nothing: the referee rules, or tells the table where no still one was seen since."""
        self.figures.no_ruling += 1
        self._trouble(turn, f"no ruling: {self.live.turn.stage.value}, {self.live.view.sees} {self.live.view.why}")
        refused = self._first(self._do(acts.Overrule(legal=attempt.verdict == "legal")), (NoticeCode.REFUSED,))
        if refused is not None:
            self._do(acts.TellTable(format_table(attempt.shown)))

    def _answered(self, turn: PlannedTurn, attempt: Attempt, notice: Notice) -> Notice | None:
        """Answer one notice that asks; returns what came of it."""
        self._asked = True
        if notice.code is NoticeCode.ASK and notice.questions:
            question = notice.questions[0]
            there = self._tile_at(question.quad)
            self.figures.questions += 1
            right = _names_the_tile(question, there)
            self.figures.right_tile += right
            self.figures.needless += self._reads_rightly(question, there)
            true = None if there is None or there.code == BACK else there.code
            asked = f"asked {question.kind.value} {'/'.join(map(str, question.choices))}, true {true}"
            if right:
                self.figures.asked.append(f"turn {turn.number}: {asked}")
            else:
                self._trouble(turn, asked)
            tile = None if true is None else self._tile(true)
            return self._first(self._do(acts.AnswerTile(question.number, tile))) or self._wait_for(*_ANSWERED)
        if notice.code is NoticeCode.REFUSED:
            self.figures.refused += 1
            self._trouble(turn, f"refused: {notice.told}")
        else:
            self.figures.doubts += 1
            codes = [finding.code.value for finding in notice.ruling.findings] if notice.ruling else [notice.text]
            self._trouble(turn, f"doubt {codes}: lies {self.live.view.lying}, true {format_table(attempt.shown)}")
        if self.live.turn.stage not in RULING:  # the turn is in the log and waits for the referee
            return self._first(self._do(acts.Overrule(legal=attempt.verdict == "legal")), (NoticeCode.OVERRULED,))
        told = self._first(self._do(acts.TellTable(format_table(attempt.shown))), _RULED)
        if told is None and self.live.turn.stage in RULING | {Stage.QUESTION}:
            return self._first(self._do(acts.Overrule(legal=attempt.verdict == "legal")), (NoticeCode.OVERRULED,))
        return told

    def _put_back(self, turn: PlannedTurn) -> None:
        """The table is put back, and penalties are drawn."""
        restoring = self.live.turn.stage is Stage.RESTORE
        self.figures.restores += restoring
        stretch = self.table.put_back(max(self.clock(), self.table.now))
        if stretch is not None:
            self._watch_until(stretch.still_at - SETTLES_S)
            self._watch_until(stretch.still_at + 0.1, seldom=False)
        if self.live.turn.stage is Stage.RESTORE and self._wait_for(NoticeCode.RESTORED, seconds=6.0) is None:
            self.figures.restores_stuck += 1
            self._trouble(turn, f"not restored: lies {self.live.view.lying}, true {format_table(turn.after)}")
            self._do(acts.Restored(trust=True))

    def _compare(self, turn: PlannedTurn) -> None:
        """Hold the log against the true game, and put it right where they differ."""
        live, true = self.live.state, self.table.round.state
        if not alike(parse_table(live.table), parse_table(true.table)):
            self.figures.silent += 1
            self._trouble(turn, f"the log has {live.table}, true {true.table}")
        same = (live.seat, live.racks, live.pool, live.opened) == (true.seat, true.racks, true.pool, true.opened)
        if not same and self.live.state.phase is true.phase:
            self._trouble(turn, f"the log has seat {live.seat}, racks {live.racks}, opened {live.opened}; "
                                f"true {true.seat}, {true.racks}, {true.opened}")  # fmt: skip
        if not same or not alike(parse_table(live.table), parse_table(true.table)):
            self._put_right(turn)

    def _put_right(self, turn: PlannedTurn) -> None:
        """What a referee does who sees that the program is wrong."""
        live, true = self.live.state, self.table.round.state
        last = live.last_turn
        if last is not None and live.turn == true.turn and last.verdict != turn.last.verdict:
            self._do(acts.Overrule(legal=turn.last.verdict == "legal", draw=turn.drew))
        if self.live.turn.stage is Stage.RESTORE:
            self._do(acts.Restored(trust=True))
        if not alike(parse_table(self.live.state.table), parse_table(true.table)):
            self._do(acts.TellTable(true.table))
            self._watch_until(self.clock() + 0.5, seldom=False)

    # --- the end of the round ---------------------------------------------------------------------------------------

    def _count(self) -> None:
        """Show the racks, and compare the score sheets."""
        if self.live.state.phase is not Phase.COUNT and self.live.turn.stage is not Stage.COUNT:
            return
        for seat, rack in enumerate(self.table.round.racks):
            self._do(acts.ShowRack(seat, self.table.round.tiles(rack)))
        notices = self._do(acts.CountRound(as_shown=True))
        scored = next((notice for notice in notices if notice.code is NoticeCode.SCORED), None)
        self.figures.scored = scored is not None and tuple(scored.numbers) == self.table.round.score().points

    # --- frames and acts --------------------------------------------------------------------------------------------

    def _do(self, act: Act) -> tuple[Notice, ...]:
        with self.clock.measured():
            notices = self.live.do(act)
        return self._told(notices)

    def _look(self) -> tuple[Notice, ...]:
        """The newest frame, looked at."""
        frame = self.camera.newest(self._seen_at, 1.0)
        if frame is None:
            return ()
        self._seen_at = frame.taken_at
        self.figures.frames += 1
        with self.clock.measured():
            notices = self.live.see(frame)
        return self._told(notices)

    def _told(self, notices: tuple[Notice, ...]) -> tuple[Notice, ...]:
        if self._tell is not None:
            for notice in notices:
                self._tell(notice)
        return notices

    def _watch_until(self, t: float, *, seldom: bool = True, pause: float = SELDOM_S) -> None:
        """Look at frames until a time."""
        while self.clock() < t:
            if seldom:
                self.clock.until(min(t, self.clock() + pause))
            self._look()

    def _wait_for(self, *codes: NoticeCode, seconds: float = NO_RULING_S) -> Notice | None:
        """Look until one of these notices comes; None: none did."""
        until = self.clock() + seconds
        while self.clock() < until:
            found = self._first(self._look(), codes)
            if found is not None:
                return found
        return None

    def _first(self, notices: tuple[Notice, ...], codes: tuple[NoticeCode, ...] = tuple(_ANSWERED)) -> Notice | None:
        return next((notice for notice in notices if notice.code in codes), None)

    def _tile_at(self, quad: Quad) -> StagedTile | None:
        """The true tile that lies at a place of the last frame."""
        tiles = self.table.truth_at(self._seen_at).tiles
        x, y = np.mean([corner[0] for corner in quad]), np.mean([corner[1] for corner in quad])
        near = min(tiles, key=lambda one: float(np.hypot(*(one.quad.mean(0) - (x, y)))), default=None)
        if near is None or np.hypot(*(near.quad.mean(0) - (x, y))) > 0.5 * self.table.stage.tile_px:
            return None
        return near

    def _reads_rightly(self, question: TileQuestion, there: StagedTile | None) -> bool:
        """Whether the eyes read the tile rightly that is asked about, and were only not sure of it."""
        seen = self._witness.seen
        near = None if seen is None else next((one for one in seen.tiles if one.quad == question.quad), None)
        if near is None or there is None or not near.readings:
            return False
        return str(near.readings[0].tile) == there.code

    def _tile(self, code: str) -> Tile | None:
        return next((tile for tile in self.table.round.tile_of if str(tile) == code), None)

    def _trouble(self, turn: PlannedTurn, text: str) -> None:
        self.figures.troubles.append(f"turn {turn.number}: {text}")


def _names_the_tile(question: TileQuestion, there: StagedTile | None) -> bool:
    """Whether a question is about the right tile: its true face is a choice, or it asks whether one is there at all."""
    if question.kind is QuestionKind.HIDDEN:  # and which: it shows no face
        return True
    if there is None:
        return question.kind is QuestionKind.MISSING
    return there.code in {str(tile) for tile in question.choices}


def players_for(ruleset: RuleSet, wanted: int) -> int:
    """So many players, or as many as the rules allow."""
    return next(
        (seats for seats in (wanted, *range(2, 5)) if 2 <= seats <= len(NAMES) and seats_allowed(seats, ruleset)), 2
    )


def simulated(
    ruleset: RuleSet, seats: int, seed: int, rates: Rates, start: float, size_wh: tuple[int, int] = (1920, 1080)
) -> SimulatedTable:
    """The table of one judged game."""
    return SimulatedTable(ruleset, players_for(ruleset, seats), seed, rates, size_wh, started_at=start)
