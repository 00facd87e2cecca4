"""Games by a state machine, through the store, against a small model that only counts.

The model knows nothing of rulings: what is laid is legal or not by how it was chosen, so the model says what must
come of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from itertools import islice

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from referee.clock import MoveTime
from referee.ending import Ending, TurnEnd
from referee.game.codec import decode_log, encode_log
from referee.game.commands import (
    Answer,
    ClaimRedeal,
    Command,
    ConfirmScore,
    CorrectTable,
    Deal,
    DrawStart,
    EndTurn,
    GivePenalty,
    Leave,
    NextRound,
    Override,
    RecordAsOne,
    RestoreTable,
    Score,
    StartGame,
    TakeBackPlace,
    TellPlace,
    TellTile,
    Undo,
)
from referee.game.decide import GameError, decide, is_over
from referee.game.events import RoundScored
from referee.game.state import Phase, State, replay
from referee.notation import parse_table
from referee.pointed import Deed, Pointed
from referee.preset_files import load_ruleset, preset_names
from referee.reconcile import HumanAnswer
from referee.ruleset import RuleSet, box_faces
from referee.store import carry_out, open_store
from referee.switches import NextStarter, Overrun, Redeal
from referee.tiles import Tile, parse_tile
from tests.referee.strategies import any_tiles, noted_tables

HIGH = ("R9 R10 R11 R12 R13", "B10 K10 O10", "K11 K12 K13", "B11 B12 B13", "O11 O12 O13")
"""Sets that open by themselves, the first of them a whole rack; no tile lies in two of them."""
LOW = ("R1 R2 R3", "B4 K4 O4", "O7 O8 O9")
"""Sets that open nothing."""
BROKEN = ("O2 O5", "K6")


SOMEWHERE = ((1.0, 2.0), (41.5, 2.0), (41.5, 62.0), (1.0, 62.0))

seats = st.integers(-1, 3)
numbers = st.integers(-1, 20)
tiles = st.lists(any_tiles, max_size=6).map(tuple)
racks = st.lists(st.integers(-1, 40), max_size=4).map(tuple)
endings = st.builds(
    Ending,
    st.sampled_from(TurnEnd),
    at_bell=st.none() | noted_tables,
    tidy_s=st.none() | st.floats(-1, 99),
    helped=st.booleans(),
    overruns=numbers,
)
times = st.builds(MoveTime, st.floats(50, 700), st.floats(0, 50), st.booleans())
words = st.builds(
    Pointed, st.sampled_from(Deed), st.just(SOMEWHERE), st.none() | any_tiles, st.none() | st.just(SOMEWHERE),
    st.booleans(), st.none() | any_tiles,
)  # fmt: skip
commands: st.SearchStrategy[Command] = st.one_of(
    st.builds(StartGame, st.lists(st.text(max_size=3), max_size=9).map(tuple)),
    st.builds(DrawStart, tiles),
    st.builds(Deal, st.none() | racks),
    st.builds(ClaimRedeal, seats, st.none() | tiles),
    st.builds(TellTile, st.builds(HumanAnswer, st.just(SOMEWHERE), st.none() | any_tiles, st.booleans())),
    st.builds(TellPlace, words),
    st.builds(TakeBackPlace, words),
    st.builds(ConfirmScore, seats),
    st.builds(EndTurn, seats, noted_tables, endings, st.none() | tiles, st.none() | st.booleans(), st.none() | times),
    st.builds(Answer, st.booleans(), st.none() | noted_tables),
    st.builds(Override, st.booleans(), st.just("so"), numbers),
    st.builds(Undo, st.just("so")),
    st.builds(RestoreTable, noted_tables, st.booleans()),
    st.builds(CorrectTable, noted_tables, st.just("so"), st.none() | racks),
    st.builds(GivePenalty, seats, numbers, numbers, st.just("so")),
    st.builds(RecordAsOne, st.lists(seats, max_size=4).map(tuple), noted_tables, racks),
    st.builds(Leave, seats),
    st.builds(Score, st.lists(tiles, max_size=4).map(tuple), st.lists(seats, max_size=2).map(tuple)),
    st.just(NextRound()),
)
"""Anything that may be told, sense or nonsense."""


@dataclass
class Model:
    """What must lie where; ``earlier`` is the model before the last turn, ``laid`` what that turn showed.

    ``late`` is what the last turn cost because it was not over before the bell, whatever else is ruled.
    """

    racks: list[int]
    pool: int
    seat: int
    table: list[str] = field(default_factory=list)
    opened: list[bool] = field(default_factory=list)
    active: list[int] = field(default_factory=list)
    points: Counter[int] = field(default_factory=Counter)
    earlier: Model | None = None
    laid: str = ""
    late: int = 0

    def turn(self, laid: str, late: int = 0) -> None:
        """Remember this state, and give the turn to the next player."""
        self.earlier = deepcopy(self)
        self.earlier.earlier = None
        self.laid, self.late = laid, late

    def pass_on(self) -> None:
        later = [seat for seat in self.active if seat > self.seat]
        self.seat = later[0] if later else self.active[0]

    def draw(self, seat: int, number: int) -> None:
        drawn = min(number, self.pool)
        self.racks[seat] += drawn
        self.pool -= drawn

    def lay(self, laid: str) -> None:
        self.racks[self.seat] -= len(laid.split())
        self.table.append(laid)
        self.opened[self.seat] = True


class Games(RuleBasedStateMachine):
    """Commands in any order."""

    ruleset: RuleSet
    state: State
    model: Model

    def __init__(self) -> None:
        super().__init__()
        self.store = open_store()
        self.model = Model([], 0, 0)

    def teardown(self) -> None:
        self.store.close()

    def do(self, command: Command) -> None:
        self.state = carry_out(self.store, "game", command, self.ruleset, self.state)

    @initialize(preset=st.sampled_from(preset_names()))
    def begin(self, preset: str) -> None:
        """A small box and short racks, so that rounds end."""
        self.ruleset = replace(
            load_ruleset(preset),
            copies_per_tile=1,
            deal_tiles=5,
            players_most=4,
            next_starter=NextStarter.DRAW,
            redeal=Redeal.OFF,
        )
        self.state = State()
        self.do(StartGame(("Ala", "Bo", "Cy")))
        self.deal((0, 1, 2))

    def deal(self, seats: Sequence[int]) -> None:
        self.do(DrawStart(tuple(parse_tile(f"R{13 - k}") for k in range(len(seats)))))
        self.do(Deal())
        racks = [5 if seat in seats else 0 for seat in range(3)]
        self.model = Model(racks, self.ruleset.box_size - sum(racks), seats[0], [], [False] * 3, list(seats))

    def shown(self, laid: str) -> str:
        return " | ".join([*self.model.table, laid])

    def playing(self) -> bool:
        return self.state.phase is Phase.PLAY and not is_over(self.state, self.ruleset)

    def changeable(self) -> bool:
        return self.state.phase in {Phase.PLAY, Phase.COUNT} and self.model.earlier is not None

    @precondition(playing)
    @rule(passes=st.booleans())
    def draw(self, passes: bool) -> None:
        model = self.model
        ending = Ending(TurnEnd.PASSED if passes else TurnEnd.DREW)
        self.do(EndTurn(model.seat, parse_table(" | ".join(model.table)), ending))
        model.turn("")
        model.draw(model.seat, 1)
        model.pass_on()

    @precondition(playing)
    @rule(laid=st.sampled_from((*HIGH, *LOW, *BROKEN)), at_the_bell=st.booleans())
    def lay(self, laid: str, at_the_bell: bool) -> None:
        model, rules = self.model, self.ruleset
        if laid in model.table:
            return
        table = parse_table(self.shown(laid))
        ending = Ending(TurnEnd.TIME_UP, table) if at_the_bell else Ending(TurnEnd.PLAYED)
        if len(laid.split()) > model.racks[model.seat]:
            with pytest.raises(GameError, match="were laid"):
                self.do(EndTurn(model.seat, table, ending))
            return
        self.do(EndTurn(model.seat, table, ending))
        legal = laid in HIGH or (laid in LOW and model.opened[model.seat])
        self.answer_where_a_broken_set_lies(legal)
        late = rules.overrun_draw if at_the_bell and rules.overrun is Overrun.ALWAYS else 0
        model.turn(laid, late)
        if legal:
            model.lay(laid)
            model.draw(model.seat, late)
        else:
            model.draw(model.seat, rules.overrun_draw if at_the_bell else rules.broken_draw)
        model.pass_on()

    def answer_where_a_broken_set_lies(self, legal: bool) -> None:
        """A table with a set that the referee let pass is nobody's fault and not legal: he is asked."""
        asked = legal and bool(set(BROKEN) & set(self.model.table))
        assert (self.state.phase is Phase.QUESTION) == asked
        if asked:
            self.do(Answer(legal))

    @precondition(playing)
    @rule(legal=st.booleans())
    def ask(self, legal: bool) -> None:
        """A tile that nobody can read: the referee decides."""
        model = self.model
        if model.racks[model.seat] < 3 or "R1 R2 R3" in model.table or "B4 K4 O4" in model.table:
            return
        asked, told = self.shown("R1 R2 R3/B4"), self.shown("R1 R2 R3")
        self.do(EndTurn(model.seat, parse_table(asked), Ending(TurnEnd.PLAYED)))
        if self.state.phase is not Phase.QUESTION:
            assert not model.opened[model.seat], "no opening in any reading"
            model.turn("R1 R2 R3/B4")
            model.draw(model.seat, self.ruleset.broken_draw)
            model.pass_on()
            return
        for wrong in (EndTurn(model.seat, (), Ending(TurnEnd.DREW)), Answer(legal, ()), Leave(model.seat)):
            with pytest.raises(GameError):
                self.do(wrong)
        self.do(Answer(legal, parse_table(told)))
        model.turn("R1 R2 R3" if legal else "R1 R2 R3/B4")
        if legal:
            model.lay("R1 R2 R3")
        else:
            model.draw(model.seat, self.ruleset.broken_draw)
        model.pass_on()

    @precondition(changeable)
    @rule()
    def undo(self) -> None:
        self.do(Undo("so"))
        assert self.model.earlier is not None
        self.model = self.model.earlier

    @precondition(changeable)
    @rule(legal=st.booleans(), number=st.integers(0, 4))
    def override(self, legal: bool, number: int) -> None:
        earlier, laid, late = self.model.earlier, self.model.laid, self.model.late
        assert earlier is not None
        if legal and "/" in laid:
            return  # the table would stay doubtful, and every turn after it
        if laid == "several":
            with pytest.raises(GameError, match="undo them"):
                self.do(Override(legal, "so", draw=number))
            return
        self.do(Override(legal, "so", draw=number))
        self.model = earlier
        self.model.turn(laid, late)
        if legal and laid:
            self.model.lay(laid)
            self.model.draw(self.model.seat, late)
        else:
            self.model.draw(self.model.seat, 1 if legal else number)
        self.model.pass_on()

    @precondition(playing)
    @rule(laid=st.sampled_from(HIGH))
    def several_at_once(self, laid: str) -> None:
        """Nobody called the turns of a whole round of the table; the first one laid a set."""
        model = self.model
        number = len(laid.split())
        order = model.active[model.active.index(model.seat) :] + model.active[: model.active.index(model.seat)]
        if laid in model.table or model.racks[model.seat] <= number or model.pool < len(order):
            return
        self.do(RecordAsOne(tuple(order), parse_table(self.shown(laid)), (number, *[0] * (len(order) - 1))))
        model.turn("several")
        model.lay(laid)
        for seat in order[1:]:
            model.draw(seat, 1)

    @precondition(playing)
    @rule(seat=st.integers(0, 2), number=st.integers(0, 12), points=st.integers(0, 9))
    def punish(self, seat: int, number: int, points: int) -> None:
        if seat not in self.model.active:
            with pytest.raises(GameError, match="does not play"):
                self.do(GivePenalty(seat, number, points, "so"))
            return
        self.do(GivePenalty(seat, number, points, "so"))
        number = min(number, self.model.pool)
        for model in (self.model, self.model.earlier):
            if model is not None:
                model.draw(seat, number)
                model.points[seat] += points

    @precondition(lambda self: self.playing() and len(self.model.active) == 3)
    @rule(seat=st.integers(0, 2))
    def leave(self, seat: int) -> None:
        model = self.model
        self.do(Leave(seat))
        if seat == model.seat:
            model.pass_on()
        model.active.remove(seat)
        model.pool += model.racks[seat]
        model.racks[seat] = 0
        model.earlier = None

    @precondition(playing)
    @rule(seat=st.integers(0, 2))
    def count_anew(self, seat: int) -> None:
        model = self.model
        if seat not in model.active or not model.pool:
            return
        model.draw(seat, 1)
        model.earlier = None
        self.do(CorrectTable(parse_table(" | ".join(model.table)), "so", racks=tuple(model.racks)))

    @precondition(playing)
    @rule(seat=st.integers(0, 2))
    def what_changes_nothing(self, seat: int) -> None:
        version = self.state.version
        self.do(RestoreTable(parse_table(" | ".join(self.model.table))))
        assert self.state.version == version
        for wrong in (EndTurn((self.model.seat + 1) % 3, (), Ending(TurnEnd.DREW)), Deal(), NextRound(), Score(())):
            with pytest.raises(GameError):
                self.do(wrong)
        if seat in self.model.active:
            self.do(ClaimRedeal(seat, None))

    @precondition(playing)
    @rule()
    def play_on_without_a_pool(self) -> None:
        """Somebody takes the whole pool, and nobody lays anything more."""
        self.punish(self.model.seat, self.model.pool, 0)
        while self.playing():
            self.draw(passes=False)

    @rule(command=commands)
    def anything_else(self, command: Command) -> None:
        """Whatever is told, the game says no, or goes on with every tile in its place."""
        try:
            events = decide(self.state, command, self.ruleset)
        except GameError:
            return
        after = replay(events, self.state)
        assert min((*after.racks, after.pool)) >= 0
        if after.phase not in {Phase.STARTER, Phase.DEAL}:
            assert sum(after.racks) + after.pool + sum(map(len, parse_table(after.table))) == self.ruleset.box_size

    @precondition(lambda self: self.state.phase in {Phase.PLAY, Phase.COUNT} and is_over(self.state, self.ruleset))
    @rule()
    def score(self) -> None:
        model = self.model
        lying = Counter(tile for places in parse_table(self.state.table) for place in places for tile in place.readings)
        waiting = (Counter({tile: self.ruleset.held(tile) for tile in box_faces()}) - lying).elements()
        racks: list[tuple[Tile, ...]] = [tuple(islice(waiting, count)) for count in model.racks]
        self.do(Score(tuple(racks)))
        (scored,) = self.store.load("game", after=self.state.version - 1)
        assert isinstance(scored, RoundScored)
        went_out = [seat for seat in model.active if not model.racks[seat]]
        assert scored.end == ("empty_rack" if went_out else "pool_empty")
        assert not went_out or list(scored.winners) == went_out
        assert not scored.zero_sum or sum(scored.points) == 0
        assert all(scored.points[seat] == 0 for seat in range(3) if seat not in model.active)
        model.earlier = None

    @precondition(lambda self: self.state.phase is Phase.BETWEEN)
    @rule()
    def next_round(self) -> None:
        rounds = self.state.round
        self.do(NextRound())
        assert self.state.round == rounds + 1
        self.deal(self.model.active)

    @invariant()
    def game_and_model_agree(self) -> None:
        if not self.model.racks:
            return
        state, model = self.state, self.model
        assert list(state.racks) == model.racks
        assert (state.pool, list(state.active)) == (model.pool, model.active)
        assert Counter(parse_table(state.table)) == Counter(parse_table(" | ".join(model.table)))
        assert sum(model.racks) + model.pool + sum(len(one.split()) for one in model.table) == self.ruleset.box_size
        if state.phase is Phase.PLAY:
            assert (state.seat, list(state.opened)) == (model.seat, model.opened)
            assert (state.before_turn is None) == (model.earlier is None)
        went_out = any(not model.racks[seat] for seat in model.active)
        assert (state.phase is Phase.COUNT) == (went_out and state.phase is not Phase.BETWEEN)

    @invariant()
    def the_log_is_the_game(self) -> None:
        if not self.model.racks:
            return
        events = self.store.load("game")
        assert replay(events) == self.state
        assert replay(decode_log(encode_log(events))) == self.state
        assert self.state.version == len(events)


Games.TestCase.settings = settings(max_examples=25, stateful_step_count=40)
TestGames = Games.TestCase
