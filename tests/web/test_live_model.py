"""Whatever a table shows and whoever asks for what: nothing breaks, and some act always leads on to the next turn."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import event, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from referee.game.state import replay
from referee.notation import parse_table
from referee.preset_files import load_ruleset, preset_names
from referee.protocol import OPEN, RULING, Stage
from referee.store import SqlStore, open_store
from referee.tiles import parse_tile
from tests.web.fakes import table
from tests.web.live_table import Bench, codes
from vision.frames import CameraFault
from web.live import acts
from web.live.acts import Act
from web.live.notices import NoticeCode
from web.live.view import LiveView

TABLES = (
    "",
    "R9 R10 R11 R12 R13",
    "R9 R10 R11 R12 R13 | B10 K10 O10",
    "R9 R10 R11 R12 R13 | B10 K10 O10 K1",
    "R9 R10 R11 R12 | R13 B10 | K10 O10",
    "R9 R10 R11 R12 O13",
    "R6/R9 R10 R11 R12 R13 | B10 K10 O10",
    "B10 K10 O10 | R9 R10 R11 R12 R13",
    "R9 R10 R11 R12 R13 #",
    "R9 R10 ? R12 R13",
    "?",
    "#",
    "R1 R2 R3 R4 R5 R6 R7 R8 R9 R10 R11 R12 R13 | K1 K2 K3 | B1 B2 B3",
    "R9 R10 R11 R12 R13 | B10 K10 O10 | K1 K2 K3 | O4 O5 O6",
    "J K5 K6 | R9 R10 R11 R12 R13",
    "R10 B10 K10 | R10 B10 O10 | R10 K10 O10",
    "R9 R10 R12",
)
SEATS = st.integers(-1, 3)
TILES = st.sampled_from([None, *map(parse_tile, ("R6", "R9", "R13", "O13", "J"))])
ACTS: st.SearchStrategy[Act] = st.one_of(
    st.builds(acts.CallTurnEnd, st.none() | SEATS, st.booleans(), st.booleans()),
    st.just(acts.CallTurnEnd()),
    st.builds(acts.AnswerTile, st.integers(-1, 3), TILES),
    st.builds(acts.AnswerChoice, st.integers(-1, 2), st.integers(-1, 3)),
    st.sampled_from([
        acts.StartClock(), acts.TakeBackCall(), acts.Conclude(), acts.Pause(), acts.Resume(), acts.Extend(),
        acts.Undo(), acts.CountAsDraw(), acts.NextRound(), acts.Restored(), acts.Restored(remembered=False),
        acts.Restored(trust=True), acts.AcceptTable(), acts.CountRound(), acts.CountRound(as_shown=True),
        acts.DealTiles(), acts.StartGame(("Ann", "Bob"), 0),
    ]),
    st.builds(acts.Overrule, st.booleans(), st.just("so"), st.none() | st.integers(-1, 4)),
    st.builds(acts.PlayedInstead, st.lists(SEATS, max_size=3).map(tuple), st.lists(SEATS, max_size=3).map(tuple)),
    st.builds(acts.TellTable, st.sampled_from([*TABLES, "nonsense"])),
    st.builds(acts.ConfirmWin, SEATS),
    st.builds(acts.GivePenalty, SEATS, SEATS, SEATS, st.just("so")),
    st.builds(acts.ShowRack, SEATS, st.none() | st.just((parse_tile("K1"),))),
    st.builds(acts.NameStarter, SEATS),
    st.builds(acts.DrawTiles, st.just((parse_tile("K1"), parse_tile("K2")))),
)  # fmt: skip


def ways_on(view: LiveView) -> list[list[Act]]:
    """What a referee may do who wants the next turn, by what the table waits for: tried in this order."""
    match view.stage:
        case Stage.SETUP:
            return [[acts.NameStarter(0), acts.DealTiles()]]
        case Stage.RESTORE:
            return [[acts.Restored(trust=True)]]
        case Stage.QUESTION:
            return [[acts.Overrule(legal=False)]]
        case Stage.COUNT:
            racks = [acts.ShowRack(seat, (parse_tile("K1"),) * bool(one.rack)) for seat, one in enumerate(view.seats)]
            return [[*racks, acts.CountRound(as_shown=True)], [acts.Undo()]]
        case Stage.BETWEEN:
            return [[acts.NextRound()]]
        case _:
            return [[acts.CountAsDraw()]]


class LiveTables(RuleBasedStateMachine):
    """Frames, acts, time and trouble in any order."""

    def __init__(self) -> None:
        super().__init__()
        self.store: SqlStore = open_store()
        self.bench = Bench(store=self.store, start=False)

    def teardown(self) -> None:
        self.store.close()

    @initialize(preset=st.sampled_from(preset_names()), started=st.booleans())
    def begin(self, preset: str, started: bool) -> None:
        self.bench = Bench(load_ruleset(preset), self.store, start=False)
        if started:
            self.bench.do(acts.StartGame(("Ann", "Bob"), 0))

    @rule(act=ACTS)
    def ask(self, act: Act) -> None:
        self.bench.do(act)

    @rule(text=st.sampled_from(TABLES))
    def lay(self, text: str) -> None:
        self.bench.lay(text)

    @rule(text=st.sampled_from(TABLES))
    def play(self, text: str) -> None:
        self.bench.turn(text)

    @rule(why=st.sampled_from(["hand", "moving", "light", "camera"]))
    def reach_in(self, why: str) -> None:
        self.bench.watch.busy = why
        self.bench.frame()

    @rule()
    def frame(self) -> None:
        self.bench.watch.busy = ""
        self.bench.frame()

    @rule(seconds=st.sampled_from([0.5, 5, 20, 61, 700]))
    def wait(self, seconds: float) -> None:
        self.bench.wait(seconds)

    @rule(seconds=st.sampled_from([-7200.0, 3.0, 7200.0]))
    def jump(self, seconds: float) -> None:
        self.bench.jump += seconds

    @rule(fault=st.none() | st.sampled_from(CameraFault))
    def trouble(self, fault: CameraFault | None) -> None:
        self.bench.live.camera(fault)

    @rule()
    def start_again(self) -> None:
        """The program is killed and starts again: the log is the same, and so is whose turn it is."""
        state = self.bench.live.state
        self.bench.begun()
        assert self.bench.live.state == state

    @rule()
    def lead_on(self) -> None:
        """From wherever this is, a few acts lead to another turn or round."""
        bench = self.bench
        bench.watch.busy = ""
        view = bench.live.view
        if not view.seats:
            bench.do(acts.StartGame(("Ann", "Bob"), 0))
        before = bench.live.state
        event(f"led on from {bench.live.view.stage}")
        for _ in range(6):
            view = bench.live.view
            for way in ways_on(view):
                for act in way:
                    bench.do(act)
                if bench.live.view != view:
                    break
            bench.frame()
            state = bench.live.state
            if state.turn > before.turn and bench.stage() in OPEN:
                return
        raise AssertionError(f"no way on from {view.stage}: {bench.live.state.phase}")

    @invariant()
    def the_log_is_the_game(self) -> None:
        live = self.bench.live
        assert replay(self.store.load("game")) == live.state

    @invariant()
    def no_tile_is_lost(self) -> None:
        state = self.bench.live.state
        if state.players:
            assert sum(map(len, parse_table(state.table))) == state.on_table
            assert min((*state.racks, state.pool)) >= 0

    @invariant()
    def a_screen_can_be_drawn(self) -> None:
        view = self.bench.live.view
        assert view.called is (view.stage in RULING)
        assert view.left_s is None or view.left_s >= 0


TestLiveTables = pytest.mark.timeout(300)(LiveTables.TestCase)
TestLiveTables.settings = settings(max_examples=40, stateful_step_count=25, deadline=None)


@pytest.mark.parametrize("text", TABLES)
def test_every_table_that_is_called_gets_an_answer(text: str) -> None:
    """A ruling, a question, or a sentence: never silence."""
    bench = Bench()
    said = codes(bench.turn(text))
    answers = {NoticeCode.RULED, NoticeCode.FIX, NoticeCode.ASK, NoticeCode.DOUBT, NoticeCode.REFUSED}
    assert answers & set(said)
    assert bench.watch.observation == table(text)


KEEPING: tuple[Callable[[Bench], object], ...] = (
    lambda bench: bench.do(acts.Pause()),
    lambda bench: bench.do(acts.CallTurnEnd()),
    lambda bench: bench.turn("R9 R10 R12"),
    lambda bench: bench.turn("R6/R9 R10 R11 R12 R13"),
    lambda bench: bench.wait(61),
)


@pytest.mark.parametrize("before", KEEPING)
def test_a_restart_in_mid_turn_loses_no_event(before: Callable[[Bench], object]) -> None:
    bench = Bench()
    bench.turn("R9 R10 R11 R12 R13")
    before(bench)
    state = bench.live.state
    bench.begun()
    assert bench.live.state == state
    bench.frame()
    bench.turn("R9 R10 R11 R12 R13 | B10 K10 O10")
    assert bench.live.state.turn == state.turn + 1
