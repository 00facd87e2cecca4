"""A simulated game refereed by the live table: somebody presses the bell, answers questions, and keeps count.

Time is virtual: it passes while the program works, as long as the work takes, and while somebody moves or waits.  So
the time from a call to its ruling is honest, and a game of an hour takes no hour.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from referee.endgame import seats_allowed
from referee.ending import alike
from referee.game.state import Phase
from referee.notation import format_table, parse_table
from referee.observation import Quad
from referee.protocol import RULING, Stage
from referee.ruleset import RuleSet
from referee.store import Store
from referee.tiles import Tile
from vision.render.faces import BACK
from vision.render.stage import StagedTile
from web.evidence.turn import EvidenceSink
from web.live import acts
from web.live.acts import Act
from web.live.notices import Notice, NoticeCode, QuestionKind, TileQuestion
from web.live.sight import Watch
from web.live.table import LiveTable
from web.simulation.camera import SimulatedCamera, VirtualClock
from web.simulation.players import Rates
from web.simulation.round import NAMES, Attempt, PlannedTurn
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


@dataclass
class GameFigures:
    """What came of one game.

    ``rulings`` are all that were made of tables that were called, or lay there at the bell.  ``silent`` are tables that
    were ruled on rightly although a tile in them was misread.  ``waits_ms`` are the times from call to first word.
    """

    seed: int
    rules: str
    players: int
    turns: int = 0
    rulings: int = 0
    wrong: int = 0
    false_legal: int = 0
    false_illegal: int = 0
    silent: int = 0
    turns_asked: int = 0
    questions: int = 0
    right_tile: int = 0
    doubts: int = 0
    refused: int = 0
    no_ruling: int = 0
    restores: int = 0
    restores_stuck: int = 0
    scored: bool | None = None
    frames: int = 0
    virtual_s: float = 0.0
    waits_ms: list[float] = field(default_factory=list)
    incidents: Counter[str] = field(default_factory=Counter)
    asked: list[str] = field(default_factory=list)
    """Questions about the right tile."""
    troubles: list[str] = field(default_factory=list)
    """Everything that was not as it should be."""

    def quantile_ms(self, share: float) -> float | None:
        """The time from call to ruling that this share of the calls did not exceed."""
        return round(float(np.quantile(self.waits_ms, share)), 1) if self.waits_ms else None

    def as_json(self) -> dict[str, object]:
        """One line of the report."""
        return {
            "seed": self.seed, "rules": self.rules, "players": self.players, "turns": self.turns,
            "rulings": self.rulings, "wrong": self.wrong, "false_legal": self.false_legal,
            "false_illegal": self.false_illegal, "silent_misreadings": self.silent, "turns_asked": self.turns_asked,
            "questions": self.questions, "right_tile_questions": self.right_tile, "doubts": self.doubts,
            "refused": self.refused, "no_ruling": self.no_ruling, "restores": self.restores,
            "restores_stuck": self.restores_stuck, "scored_right": self.scored, "ms_p50": self.quantile_ms(0.5),
            "ms_p99": self.quantile_ms(0.99), "frames": self.frames, "game_s": round(self.virtual_s, 1),
            "incidents": dict(sorted(self.incidents.items())), "asked": self.asked, "troubles": self.troubles,
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Joined:
    """What the program needs to referee: a watch with fresh memory, a store, a place for evidence, models' names."""

    watch: Watch
    store: Store
    evidence: EvidenceSink | None = None
    models: Mapping[str, str] = field(default_factory=dict)


Teller = Callable[[Notice], None]


class Driver:
    """Plays one simulated round before one live table."""

    def __init__(
        self, table: SimulatedTable, joined: Joined, clock: VirtualClock, game: str, tell: Teller | None = None
    ) -> None:
        self.table, self.clock = table, clock
        self.camera = SimulatedCamera(table, clock)
        self.live = LiveTable(
            joined.watch, joined.store, game, table.rules, joined.evidence, clock, models=joined.models
        )
        self.figures = GameFigures(table.seed, table.rules.name, table.seats)
        self._tell = tell
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
        return self.figures

    # --- one turn ---------------------------------------------------------------------------------------------------

    def _play_turn(self) -> None:
        self._asked = False
        if self.live.turn.stage is Stage.READY:
            self._do(acts.StartClock())
        stretch = self.table.next_turn(max(self.clock(), self.table.now))
        turn = self.table.turn
        assert turn is not None  # noqa: S101  it was just played
        self.figures.turns += 1
        self.figures.incidents[turn.incident.value] += 1
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

    def _end(self, stretch: Stretch, turn: PlannedTurn, attempt: Attempt) -> None:
        """Play a stretch and end the turn; the bell ends it where nobody calls."""
        self._watch_until(stretch.still_at - SETTLES_S)
        if self.live.turn.stage is Stage.RESTORE:
            self._trouble(turn, f"tiles at the deal: {self.live.view.lying}")
            self._do(acts.Restored(trust=True))
        if stretch.called_at is None:
            called = self._wait_for_bell()
        else:
            self._watch_until(stretch.called_at, seldom=False)
            self._do(acts.CallTurnEnd(seat=turn.seat, called_at=stretch.called_at))
            called = stretch.called_at
        self._ruled(turn, attempt, called)

    def _wait_for_bell(self) -> float:
        """Nobody calls: a look now and then until the time is over."""
        gives_up = self.clock() + 3 * self.table.rules.time_s + 60
        while self.clock() < gives_up and self.live.turn.stage is Stage.PLAY:
            self._watch_until(self.clock() + 2.0, seldom=True, pause=2.0)
        return self.live.turn.since

    def _ruled(self, turn: PlannedTurn, attempt: Attempt, called: float) -> None:
        """Wait for the ruling, answer what is asked, and hold the ruling against the truth."""
        first = self._wait_for(*_ANSWERED)
        if first is None:
            self._trouble(turn, f"no ruling: {self.live.view.sees} {self.live.view.why}")
            self.figures.no_ruling += 1
            self._do(acts.Overrule(legal=attempt.verdict == "legal"))
            return
        self.figures.waits_ms.append(1000 * (first.at - called))
        for _ in range(40):
            if first is None or first.code not in {NoticeCode.ASK, NoticeCode.DOUBT, NoticeCode.REFUSED}:
                break
            first = self._answered(turn, attempt, first)
        if first is None or first.ruling is None or first.ruling.by != "machine":
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

    def _answered(self, turn: PlannedTurn, attempt: Attempt, notice: Notice) -> Notice | None:
        """Answer one notice that asks; returns what came of it."""
        self._asked = True
        if notice.code is NoticeCode.ASK and notice.questions:
            question = notice.questions[0]
            there = self._tile_at(question.quad)
            self.figures.questions += 1
            right = _names_the_tile(question, there)
            self.figures.right_tile += right
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
            self._trouble(turn, f"refused: {notice.text}")
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

    def _tile(self, code: str) -> Tile | None:
        return next((tile for tile in self.table.round.tile_of if str(tile) == code), None)

    def _trouble(self, turn: PlannedTurn, text: str) -> None:
        self.figures.troubles.append(f"turn {turn.number}: {text}")


def _names_the_tile(question: TileQuestion, there: StagedTile | None) -> bool:
    """Whether a question is about the right tile: one whose true face is among the choices, or one that was taken."""
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
