"""The game as a log of events: commands in, events out, the state a fold over them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice

import pytest

from referee.clock import MoveTime
from referee.ending import Ending, TurnEnd
from referee.game.codec import UPCASTS, VERSIONS, LogError, decode, decode_log, encode, encode_log
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
from referee.game.counts import Miscount, compare_counts
from referee.game.decide import GameError, decide, is_over, parse_told_rack, parse_told_table
from referee.game.events import Event, RoundScored, TileAnswered, TurnEnded, TurnQuestioned
from referee.game.state import Phase, State, evolve, replay
from referee.notation import parse_table
from referee.pointed import Deed, Pointed
from referee.preset_files import load_ruleset
from referee.reconcile import HumanAnswer
from referee.ruleset import RuleSet, box_faces
from referee.switches import Direction, Leftovers, OpenRelax, PoolEmpty, Unfinished
from referee.tiles import Tile, parse_tile

RULES = load_ruleset()
PLAYED = Ending(TurnEnd.PLAYED)
DREW = Ending(TurnEnd.DREW)
SOMEWHERE = ((1.0, 2.0), (41.5, 2.0), (41.5, 62.0), (1.0, 62.0))


def tiles(text: str) -> tuple[Tile, ...]:
    return tuple(parse_tile(code) for code in text.split())


class Game:
    """A game in the making: its events so far and its state."""

    def __init__(self, rules: RuleSet = RULES, players: Sequence[str] = ("Ala", "Bo", "Cy")) -> None:
        self.rules = rules
        self.events: list[Event] = []
        self.state = State()
        self.do(StartGame(tuple(players), program="0.1.0", models="none"))

    def do(self, command: Command) -> list[Event]:
        new = list(decide(self.state, command, self.rules))
        self.events += new
        self.state = replay(new, self.state)
        assert self.state == replay(self.events), "the state is a fold over the log"
        return new

    def begin(self) -> Game:
        self.do(DrawStart(tiles("O13 B2 K5 O1 O3 B4 K1 K2")[: len(self.state.players)]))
        self.do(Deal())
        return self

    def turn(self, table: str, ending: Ending = PLAYED, **known: object) -> TurnEnded:
        told = EndTurn(self.state.seat, parse_table(table), ending, **known)  # type: ignore[arg-type]  # by each test
        (event,) = self.do(told)
        assert isinstance(event, TurnEnded)
        return event

    def draw(self) -> TurnEnded:
        return self.turn(self.state.table, DREW)

    @property
    def counted(self) -> int:
        on_table = sum(len(places) for places in parse_table(self.state.table))
        return on_table + sum(self.state.racks) + self.state.pool


def racks_of(game: Game) -> tuple[tuple[Tile, ...], ...]:
    """Racks of as many tiles as are counted, any that the box still holds."""
    on_table = Counter(tile for places in parse_table(game.state.table) for place in places if (tile := place.tile))
    held = Counter({tile: game.rules.held(tile) for tile in box_faces()}) - on_table
    waiting = held.elements()
    return tuple(tuple(islice(waiting, count)) for count in game.state.racks)


def test_a_round_from_the_draw_to_the_score() -> None:
    game = Game()
    game.do(DrawStart(tiles("R13 B13 K5")))
    assert (game.state.phase, game.state.drawing) == (Phase.STARTER, (0, 1))
    game.do(DrawStart(tiles("R4 B9")))
    assert (game.state.phase, game.state.starter) == (Phase.DEAL, 1)
    game.do(Deal())
    assert (game.state.racks, game.state.pool, game.state.seat) == ((14, 14, 14), 64, 1)
    opened = game.turn("R9-11")
    assert (opened.verdict, opened.opening, opened.played, game.state.racks[1]) == ("legal", 30, 3, 11)
    assert game.draw().drew == 1
    low = game.turn("R9-11 | B1-3")
    assert (low.verdict, low.after, low.drew, "opening_low" in low.codes) == ("illegal", "R9 R10 R11", 3, True)
    assert (game.state.racks, game.state.pool) == ((17, 11, 15), 60)
    assert [(entry.seat, entry.tiles) for entry in game.state.ledger] == [(0, 3)]
    game.turn("R9-13")
    assert game.state.opened == (False, True, False)
    game.do(Leave(2))
    assert (game.state.racks[2], game.state.active, game.state.seat) == (0, (0, 1), 0)
    game.do(CorrectTable(parse_table("R9-13"), "counted anew", racks=(17, 3, 0)))
    game.draw()
    assert not is_over(game.state, RULES)
    game.turn("R9-13 | K1-3")
    assert is_over(game.state, RULES)
    (scored,) = game.do(Score((tiles("R1 R1 B1 B1 O1 O1 R2 R2 B2 B2 O2 O2 R3 R3 B3 B3 O3 O3"), (), ())))
    assert isinstance(scored, RoundScored)
    assert (scored.points, scored.winners, scored.zero_sum) == ((-36, 36, 0), (1,), True)
    game.do(NextRound())
    assert (game.state.phase, game.state.round, game.state.drawing) == (Phase.STARTER, 2, (0, 1))


def test_a_doubtful_turn_waits_for_the_referee() -> None:
    game = Game().begin()
    (event,) = game.do(EndTurn(0, parse_table("R9 R10 R11/R12"), PLAYED))
    assert isinstance(event, TurnQuestioned)
    assert game.state.phase is Phase.QUESTION
    with pytest.raises(GameError, match="a turn waits for the referee"):
        game.draw()
    game.do(CorrectTable((), "nothing but a question"))
    with pytest.raises(GameError, match="has 3 tiles, and 4 were told"):
        game.do(Answer(legal=True, table=parse_table("R9-12")))
    (answer,) = game.do(Answer(legal=True, table=parse_table("R9-11")))
    assert isinstance(answer, TurnEnded)
    assert (answer.verdict, answer.machine, answer.by) == ("legal", "cannot_tell", "referee")
    assert (answer.shown, answer.after) == ("R9 R10 R11/R12", "R9 R10 R11"), "what was seen, and what it was"
    assert game.state.opened[0]


def test_the_referee_overrides_and_both_verdicts_are_kept() -> None:
    game = Game().begin()
    game.turn("B1-3")
    assert (game.state.racks[0], game.state.table) == (17, "")
    game.do(GivePenalty(2, 2, 5, "talked"))
    game.do(Override(legal=True, reason="table four agreed on 6 points"))
    last = game.state.last_turn
    assert last is not None
    assert (last.verdict, last.machine, last.by) == ("legal", "illegal", "referee")
    assert (game.state.racks, game.state.table, game.state.opened[0]) == ((11, 14, 16), "B1 B2 B3", True)
    assert game.state.points_lost(2) == 5
    game.do(Override(legal=False, reason="after all", draw=1))
    assert (game.state.racks[0], game.state.table) == (15, "")
    assert game.counted == 106


def test_tiles_that_were_missed_are_those_of_the_last_mover() -> None:
    game = Game().begin()
    game.turn("R9-11")
    game.do(CorrectTable(parse_table("R9-12"), "R12 was under a sleeve"))
    assert (game.state.racks, game.state.pool, game.counted) == ((10, 14, 14), 64, 106)
    game.do(CorrectTable(parse_table("R9-11"), "it was not"))
    assert game.state.racks == (11, 14, 14)


@pytest.mark.parametrize(
    ("preset", "racks", "pool"),
    [("twist-pl", (14, 9, 14), 68), ("classic-es", (14, 5, 14), 70), ("tw", (14, 9, 14), 66)],
)
def test_tiles_whose_place_nobody_remembers(preset: str, racks: tuple[int, ...], pool: int) -> None:
    game = Game(load_ruleset(preset)).begin()
    game.do(CorrectTable(parse_table("R1-4 | K7 B7 O7"), "in the middle of a game", racks=(14, 5, 14)))
    with pytest.raises(GameError, match="not as it was before"):
        game.do(RestoreTable(parse_table("K7 B7 O7")))
    assert game.do(RestoreTable(parse_table("K7 B7 O7 | R1-4"))) == []
    game.draw()
    game.do(CorrectTable(parse_table(game.state.table), "counted anew", racks=(14, 5, 14)))
    game.state = replace(game.state, last_turn=replace(must(game.state.last_turn), seats=(1,)))
    new = decide(game.state, RestoreTable(parse_table("K7 B7 O7 | R1 R2"), remembered=False), game.rules)
    after = replay(new, game.state)
    assert (after.racks, after.pool, after.table) == (racks, pool, "K7 B7 O7")


def must(turn: TurnEnded | None) -> TurnEnded:
    assert turn is not None
    return turn


def test_undo_and_turns_that_nobody_called() -> None:
    game = Game().begin()
    game.turn("R9-11")
    game.do(Undo("wrong player"))
    assert (game.state.racks, game.state.seat, game.state.table) == ((14, 14, 14), 0, "")
    with pytest.raises(GameError, match="no last turn"):
        game.do(Undo("once more"))
    game.do(RecordAsOne((0, 1, 2), parse_table("R9-11 | B10 K10 O10"), (3, 0, 3)))
    assert (game.state.racks, game.state.seat, game.state.opened) == ((11, 15, 11), 0, (True, False, True))
    assert game.counted == 106
    with pytest.raises(GameError, match="6 tiles came"):
        Game().begin().do(RecordAsOne((0, 1), parse_table("R9-11 | B10 K10 O10"), (3, 2)))


def test_turns_recorded_as_one_are_undone_as_one() -> None:
    game = Game().begin()
    before = game.state
    game.do(RecordAsOne((0, 1, 2), parse_table("R9-11 | B10 K10 O10"), (3, 0, 3)))
    with pytest.raises(GameError, match="undo them"):
        game.do(Override(legal=False, reason="no"))
    game.do(Undo("they moved in another order"))
    assert (game.state.racks, game.state.pool, game.state.table, game.state.seat) == (before.racks, before.pool, "", 0)
    assert game.counted == 106


def test_a_joker_in_the_draw_for_the_start_is_drawn_again_and_the_others_count() -> None:
    game = Game()
    drawing = []
    for drawn in ("R12 J B4", "J", "K12", "R2 J", "R1"):
        drawing.append(game.state.drawing)
        game.do(DrawStart(tiles(drawn)))
    assert drawing == [(0, 1, 2), (1,), (1,), (0, 1), (1,)], "K12 is level with the tile that seat 0 had kept"
    assert (game.state.starter, game.state.draws) == (0, ())


def test_who_leaves_before_the_deal() -> None:
    game = Game()
    game.do(DrawStart(tiles("J R12 B4")))
    game.do(Leave(0))
    game.do(DrawStart(()))
    assert game.state.starter == 1
    game.do(Leave(2))
    with pytest.raises(GameError, match="one player is left"):
        game.do(Deal())
    with pytest.raises(GameError, match="the last one"):
        game.do(Leave(1))
    alone = Game(players=("Ala", "Bo"))
    alone.do(DrawStart(tiles("J J")))
    alone.do(Leave(0))
    alone.do(DrawStart(tiles("R1")))
    assert alone.state.starter == 1


def test_a_correction_can_end_a_round_and_take_its_end_back() -> None:
    game = Game().begin()
    game.do(CorrectTable((), "in the middle of a game", racks=(3, 14, 14)))
    game.turn("R9-11")
    assert game.state.phase is Phase.COUNT
    with pytest.raises(GameError, match="in points now"):
        game.do(GivePenalty(0, 1, 0, "late"))
    game.do(CorrectTable(parse_table("R9-11"), "a tile had fallen", racks=(1, 14, 14)))
    assert (game.state.phase, game.state.seat) == (Phase.PLAY, 1)
    game.do(CorrectTable(parse_table("R9-12"), "it had not", racks=(0, 14, 14)))
    assert game.state.phase is Phase.COUNT


def test_time_that_was_over_is_never_passed_over() -> None:
    game = Game(load_ruleset("logiczna-pl")).begin()
    drew = game.turn("", DREW, time=MoveTime(121.0))
    assert (drew.how, drew.drew, drew.overrun, drew.codes) == ("time_up", 1, True, ("overrun",))
    with pytest.raises(GameError, match="how the table lay at the bell"):
        game.turn("R9-11", time=MoveTime(121.0))
    assert game.turn("R9-11", time=MoveTime(150.0, paused_s=30.0)).verdict == "legal"


def test_what_lies_after_the_bell_does_not_stand() -> None:
    game = Game(load_ruleset("logiczna-pl")).begin()
    event = game.turn("R9 R10 | R11 R12", Ending(TurnEnd.TIME_UP, parse_table("R9-12")))
    assert (event.verdict, event.after, event.played, event.drew) == ("legal", "R9 R10 R11 R12", 4, 1)


def test_a_doubtful_table_at_the_bell_is_asked_about() -> None:
    game = Game(load_ruleset("logiczna-pl")).begin()
    game.turn("R9-11")
    doubtful = parse_table("R9 R10 R11/R13")
    (event,) = game.do(EndTurn(1, parse_table("R9 R10 R11 | B1"), Ending(TurnEnd.TIME_UP, doubtful)))
    assert isinstance(event, TurnQuestioned)
    assert event.shown == "R9 R10 R11/R13", "the table at the bell, not the one after it"
    (answer,) = game.do(Answer(legal=False))
    assert isinstance(answer, TurnEnded)
    assert answer.drew == 1, "an overrun costs one tile in this preset, not the three of a broken table"


def test_a_chess_clock_runs_through_questions_and_overrides() -> None:
    game = Game(load_ruleset("mso"), ("Ala", "Bo")).begin()
    game.do(EndTurn(0, parse_table("R9 R10 R11/R12"), PLAYED, time=MoveTime(100.0, paused_s=50.0)))
    game.do(Answer(legal=True))
    assert game.state.reserves[0] == 560.0
    game.turn("R9-11 | B1-3", time=MoveTime(30.0))
    assert game.state.reserves[1] == 580.0
    game.do(Override(legal=True, reason="agreed"))
    assert game.state.reserves[1] == 580.0


def test_an_agreed_table_is_not_the_next_players_fault() -> None:
    game = Game().begin()
    game.turn("R9-11")
    game.turn("R9-11 | B1 B2")
    game.do(Override(legal=True, reason="a house rule that no switch knows"))
    assert game.draw().verdict == "legal"
    (event,) = game.do(EndTurn(0, parse_table("R9-12 | B1 B2"), PLAYED))
    assert isinstance(event, TurnQuestioned)
    assert event.codes == ("too_short",)


def test_broken_sets_taken_to_the_rack_leave_the_others() -> None:
    rules = replace(RULES, unfinished=Unfinished.TAKE_BROKEN, overrun_draw=1, overrun_points=50)
    game = Game(rules).begin()
    game.turn("R9-13")
    bell = Ending(TurnEnd.TIME_UP, parse_table("R9 R10 | R11-13"))
    assert game.turn("R9 R10 | R11-13", bell).after == "R9 R10 R11 R12 R13", "before his opening nothing stays"
    game.draw()
    event = game.turn("R9 R10 | R11-13", bell)
    assert (event.after, event.took, event.drew, event.points) == ("R11 R12 R13", 2, 1, 50)
    assert (game.counted, game.state.points_lost(0)) == (106, 50)


def test_tiles_that_were_laid_never_stay_on_a_restored_table() -> None:
    game = Game(load_ruleset("twist-pl")).begin()
    game.do(CorrectTable(parse_table("R1-4 | K7 B7 O7"), "in the middle of a game", racks=(14, 5, 14)))
    with pytest.raises(GameError, match="goes back to the rack"):
        game.do(RestoreTable(parse_table("K7 B7 O7 | R1-3 | B1-3"), remembered=False))
    assert game.counted == 108


def test_who_could_play_must_play_once_the_pool_is_empty() -> None:
    rules = replace(RULES, box_exceptions=tuple(f"R{n}=0" for n in range(1, 14)))
    game = Game(rules).begin()
    game.turn("B9-13")
    while game.state.pool or game.state.seat:
        game.draw()
    forced = game.turn(game.state.table, DREW, could_play=True)
    assert (forced.verdict, forced.codes) == ("illegal", ("could_have_played",))
    game.do(Undo("again"))
    assert game.turn(game.state.table, DREW, could_play=None).verdict == "legal"


def test_nobody_moves_once_the_round_is_over() -> None:
    rules = replace(load_ruleset("twist-pl"), box_exceptions=tuple(f"R{n}=0" for n in range(1, 14)))
    game = Game(rules).begin()
    while not is_over(game.state, rules):
        game.draw()
    with pytest.raises(GameError, match="the round is over"):
        game.draw()


def ended_without_a_pool() -> Game:
    """A round of seed 000 that is over with the last tile of the pool."""
    game = Game(load_ruleset("twist-pl")).begin()
    game.do(CorrectTable((), "nearly no pool", racks=(14, 14, 79)))
    game.draw()
    assert (game.state.pool, is_over(game.state, game.rules)) == (0, True)
    return game


@pytest.mark.parametrize(
    "command",
    [
        Leave(1),
        RecordAsOne((1,), parse_table("R9-11"), (3,)),
        EndTurn(1, (), DREW),
    ],
)
def test_nothing_brings_a_round_back_that_ended_without_a_pool(command: Command) -> None:
    game = ended_without_a_pool()
    with pytest.raises(GameError, match="the round is over: the racks are to be shown"):
        game.do(command)


@pytest.mark.parametrize("preset", ["classic-es", "tw"])
def test_tiles_left_over_from_the_last_turn_do_not_bring_the_round_back(preset: str) -> None:
    """Seeds 002, 003: the last extra turn breaks the table, and tiles of unknown place would go to the pool."""
    game = Game(replace(load_ruleset(preset), pool_empty=PoolEmpty.EXTRA_TURN)).begin()
    table = parse_table("R1-4 | K7 B7 O7")
    game.do(CorrectTable(table, "no pool left", racks=(14, 14, game.rules.box_size - 35)))
    game.draw()
    game.draw()
    assert not is_over(game.state, game.rules)
    assert game.turn("R1 R2 | K7 B7 O7 | R3 R4").verdict == "illegal"
    assert is_over(game.state, game.rules)
    left_over = RestoreTable(parse_table("K7 B7 O7 | R1 R2"), remembered=False)
    with pytest.raises(GameError, match="the round is over: the racks are to be shown"):
        game.do(left_over)
    assert game.do(RestoreTable(table)) == []
    to_the_rack = replace(game.rules, leftovers=Leftovers.RACK)
    ended = replace(game.state, fingerprint=to_the_rack.fingerprint)
    taken = replay(decide(ended, left_over, to_the_rack), ended)
    assert (taken.pool, is_over(taken, to_the_rack)) == (0, True), "on a rack they are only counted"
    game.do(Score(racks_of(game)))
    assert game.state.phase is Phase.BETWEEN


def test_tiles_at_the_bottom_of_an_empty_pool_are_drawn_again() -> None:
    """rules-world.md 1.2 (TW): leftovers go to the bottom of the pool, and as many are drawn."""
    game = Game(replace(load_ruleset("tw"), pool_empty=PoolEmpty.PLAY_ON)).begin()
    table = parse_table("R1-4 | K7 B7 O7")
    game.do(CorrectTable(table, "three tiles left", racks=(14, 14, game.rules.box_size - 38)))
    assert game.turn("R1 R2 | K7 B7 O7 | R3 R4").verdict == "illegal"
    assert (game.state.racks[0], game.state.pool) == (17, 0), "the penalty took the rest of the pool"
    game.do(RestoreTable(parse_table("K7 B7 O7 | R1 R2"), remembered=False))
    assert (game.state.racks[0], game.state.pool) == (21, 0)


def test_a_penalty_after_the_end_is_given_in_points() -> None:
    game = ended_without_a_pool()
    with pytest.raises(GameError, match="in points now"):
        game.do(GivePenalty(1, 3, 0, "late"))
    game.do(GivePenalty(1, 0, 10, "late"))
    assert game.state.points_lost(1) == 10


def test_turns_recorded_as_one_stop_where_the_round_does() -> None:
    game = Game().begin()
    game.do(CorrectTable((), "in the middle of a game", racks=(3, 14, 14)))
    out = parse_table("R9-11")
    with pytest.raises(GameError, match="the round was over after seat 1, and seat 2 is told to move"):
        game.do(RecordAsOne((0, 1), out, (3, 0)))
    game.do(RecordAsOne((0,), out, (3,)))
    assert (game.state.phase, game.state.racks) == (Phase.COUNT, (0, 14, 14))


@pytest.mark.parametrize(("preset", "cost"), [("logiczna-pl", 1), ("sabra", 1), ("jp", 0)])
def test_an_overrun_costs_what_it_costs_whoever_rules(preset: str, cost: int) -> None:
    """Where every overrun is punished (seed 004), a turn that the referee lets stand pays for its own."""
    for shown in ("R9-11 | B1 B2", "R9-11 | B1 B2 B3/B4"):
        game = Game(load_ruleset(preset)).begin()
        game.turn("R9-11")
        while game.state.seat:
            game.draw()
        (turn,) = game.do(EndTurn(0, parse_table(shown), Ending(TurnEnd.TIME_UP, parse_table(shown))))
        asked = isinstance(turn, TurnQuestioned)
        assert asked == ("/" in shown)
        game.do(Answer(legal=True) if asked else Override(legal=True, reason="seen"))
        last = game.state.last_turn
        assert last is not None
        assert (last.verdict, last.drew, last.played) == ("legal", cost, len(shown.split()) - 2)


def test_a_bell_before_the_time_was_over_is_refused() -> None:
    game = Game().begin()
    bell = Ending(TurnEnd.TIME_UP, parse_table("R9-11"))
    with pytest.raises(GameError, match="the bell does not fit the time: it was not over after 10 s"):
        game.turn("R9-11", bell, time=MoveTime(10.0))
    assert game.turn("R9-11", bell, time=MoveTime(60.5)).verdict == "legal"


def test_a_bell_that_costs_nothing_is_no_overrun() -> None:
    game = Game().begin()
    game.turn("R9-11", Ending(TurnEnd.TIME_UP, parse_table("R9-11")))
    game.turn("R9-11 | K1 K2", Ending(TurnEnd.TIME_UP, parse_table("R9-11 | K1 K2")))
    assert game.state.overruns == (0, 1, 0)


def test_only_the_first_overrun_costs_where_the_rules_say_so() -> None:
    game = Game(replace(RULES, draw_each=False), ("Ala", "Bo")).begin()
    broken = Ending(TurnEnd.TIME_UP, parse_table("K1 K2"))
    assert [game.turn("K1 K2", broken).drew for _ in range(4)] == [3, 3, 0, 0]


def test_an_opening_is_relaxed_once_all_others_have_opened() -> None:
    game = Game(replace(RULES, open_relax=OpenRelax.OTSU)).begin()
    game.turn("R9-11")
    assert game.turn("R9-11 | K1-3 | B1-3").verdict == "illegal"
    game.turn("R9-11 | K9-11")
    game.draw()
    assert game.turn("R9-11 | K9-11 | K1-3 | B1-3").verdict == "legal"


def test_the_next_rounds_starter_is_somebody_who_still_plays() -> None:
    game = Game(load_ruleset("german")).begin()
    assert game.state.starter == 0
    game.do(Leave(1))
    game.do(CorrectTable((), "in the middle of a game", racks=(3, 0, 14)))
    game.turn("R9-11")
    game.do(Score(racks_of(game)))
    game.do(NextRound())
    assert (game.state.phase, game.state.starter) == (Phase.DEAL, 2)


THREE_COPIES = parse_table("R1 B1 K1 | R1 B1 O1 | R1 K1 O1")


@pytest.mark.parametrize("command", [CorrectTable(THREE_COPIES, "seen"), RecordAsOne((0,), THREE_COPIES, (9,))])
def test_three_copies_of_a_tile_are_refused_of_the_referee_too(command: Command) -> None:
    game = Game().begin()
    with pytest.raises(GameError, match="3 R1 were told, and the box holds 2"):
        game.do(command)


def test_three_copies_of_a_tile_are_no_answer() -> None:
    game = Game().begin()
    asked = EndTurn(0, parse_table("R10 B10 K10 | R10 B10 O10 | R10/R11 K10 O10"), PLAYED)
    assert isinstance(game.do(asked)[0], TurnQuestioned)
    with pytest.raises(GameError, match="3 R10 were told, and the box holds 2"):
        game.do(Answer(True, parse_table("R10 B10 K10 | R10 B10 O10 | R10 K10 O10")))


def test_more_tiles_than_the_box_holds_are_refused() -> None:
    game = Game()
    with pytest.raises(GameError, match="3 R13 were told, and the box holds 2"):
        game.do(DrawStart(tiles("R13 R13 R13")))
    game.begin()
    with pytest.raises(GameError, match="3 R12"):
        game.do(ClaimRedeal(1, tiles("R12 R12 R12 B9 B9 K1 K1")))
    with pytest.raises(GameError, match="3 J"):
        game.turn("R9-11", rack=tiles("R9 R10 R11 J J J"))
    game.do(CorrectTable((), "in the middle of a game", racks=(3, 14, 2)))
    game.turn("R9-11")
    shown = ((), tiles("R9 R9 B1 B2 B3 B4 B5 B6 B7 B8 K1 K2 K3 K4"), tiles("O1 O2"))
    with pytest.raises(GameError, match="3 R9 were told"):
        game.do(Score(shown))
    fair = tiles("R9 B9 B1 B2 B3 B4 B5 B6 B7 B8 K1 K2 K3 K4")
    with pytest.raises(GameError, match="seat 8 does not play"):
        game.do(Score(((), fair, tiles("O1 O2")), announced=(7,)))
    assert len(game.do(Score(((), fair, tiles("O1 O2"))))) == 1


def test_nothing_is_undone_once_it_was_scored() -> None:
    game = Game().begin()
    game.do(CorrectTable((), "in the middle of a game", racks=(3, 2, 2)))
    game.turn("R9-11")
    game.do(Score(((), tiles("B1 B2"), tiles("K1 K2"))))
    for moved_on in (False, True):
        if moved_on:
            game.do(NextRound())
        for command in (Undo("late"), Override(legal=False, reason="late")):
            with pytest.raises(GameError, match="no last turn"):
                game.do(command)


def test_an_override_undone_is_as_if_the_turn_had_not_been() -> None:
    game = Game().begin()
    game.turn("B1-3")
    game.do(Override(legal=True, reason="agreed"))
    game.do(Undo("after all"))
    assert (game.state.racks, game.state.pool, game.state.table, game.state.opened[0]) == ((14, 14, 14), 64, "", False)
    with pytest.raises(GameError, match="no last turn"):
        game.do(Override(legal=True, reason="once more"))


def test_a_player_leaves_in_the_middle_of_his_turn() -> None:
    game = Game().begin()
    game.turn("R9-11")
    game.do(Leave(1))
    assert (game.state.seat, game.state.active, game.state.pool, game.counted) == (2, (0, 2), 78, 106)
    game.draw()
    assert game.state.seat == 0
    game.do(Leave(0))
    assert game.state.phase is Phase.COUNT
    rack = racks_of(game)[2]
    (scored,) = game.do(Score(((), (), rack)))
    assert isinstance(scored, RoundScored)
    assert (scored.winners, scored.points) == ((2,), (0, 0, 0))


def test_the_clock_comes_in_as_numbers() -> None:
    game = Game(load_ruleset("mso"), ("Ala", "Bo")).begin()
    turn = game.turn("R9-11", time=MoveTime(40.0))
    assert (turn.reserve_s, turn.elapsed_s, turn.overrun) == (570.0, 40.0, False)
    late = Game().begin()
    late.turn("R9-11")
    event = late.turn("R9-11 | B1 B2", Ending(TurnEnd.TIME_UP, parse_table("R9-11 | B1 B2")), time=MoveTime(61.0))
    assert (event.verdict, event.drew, event.overrun, late.state.overruns[1]) == ("illegal", 3, True, 1)


def test_a_new_deal_and_its_refusal() -> None:
    pairs = tiles("R12 R12 B9 B9 K1 K1")
    game = Game(load_ruleset("german")).begin()
    game.do(answer("R9"))
    game.do(ClaimRedeal(1, pairs))
    assert (game.state.phase, game.state.pool, game.state.answers) == (Phase.DEAL, 106, ())
    refused = Game().begin()
    refused.do(ClaimRedeal(1, pairs))
    assert refused.state.phase is Phase.PLAY


@pytest.mark.parametrize("mode", [PoolEmpty.PLAY_ON, PoolEmpty.EXTRA_TURN, PoolEmpty.STOP])
def test_the_pool_runs_out(mode: PoolEmpty) -> None:
    rules = replace(RULES, pool_empty=mode, box_exceptions=tuple(f"R{n}=0" for n in range(1, 14)))
    game = Game(rules).begin()
    while game.state.pool:
        game.draw()
    turns = 0
    while not is_over(game.state, rules):
        assert game.draw().drew == 0
        turns += 1
    assert turns == {PoolEmpty.PLAY_ON: 3, PoolEmpty.EXTRA_TURN: 3, PoolEmpty.STOP: 0}[mode]
    (scored,) = game.do(Score(racks_of(game)))
    assert isinstance(scored, RoundScored)
    assert (scored.end, sum(scored.points), scored.zero_sum) == ("pool_empty", 0, True)


def test_a_tile_each_into_the_bank_until_a_rack_is_empty() -> None:
    rules = replace(load_ruleset("classic-es"), pool_empty=PoolEmpty.BANK, deal_tiles=5, copies_per_tile=1)
    game = Game(rules).begin()
    game.turn("R9-11 | B10 K10")
    assert game.state.racks[0] == 8, "that table was broken"
    while not game.state.banking:
        game.draw()
    assert (game.state.pool, game.counted) == (1, rules.box_size)
    while not is_over(game.state, rules):
        assert (game.draw().to_pool, game.state.phase) != (0, Phase.PLAY)
    assert 0 in game.state.racks
    (scored,) = game.do(Score(racks_of(game)))
    assert isinstance(scored, RoundScored)
    assert scored.end == "empty_rack"


def test_a_penalty_paid_from_the_bank_is_not_undone_with_the_turn() -> None:
    rules = replace(load_ruleset("classic-es"), pool_empty=PoolEmpty.BANK, deal_tiles=5, copies_per_tile=1)
    game = Game(rules).begin()
    while not game.state.banking:
        game.draw()
    game.do(GivePenalty(0, 1, 0, "talked"))
    with pytest.raises(GameError, match="no last turn"):
        game.do(Undo("late"))
    assert (game.state.pool, game.counted) == (0, rules.box_size)


def answer(code: str) -> TellTile:
    return TellTile(HumanAnswer(SOMEWHERE, parse_tile(code), read_as=parse_tile("B1")))


def told(events: Sequence[TileAnswered]) -> str:
    return " ".join(str(event.tile) for event in events)


def test_what_was_answered_is_of_its_turn_until_a_turn_stands_and_of_its_round_then() -> None:
    game = Game().begin()
    game.do(answer("R9"))
    game.turn("R9 R11")  # does not stand: the same tiles are put back
    game.do(answer("R1"))
    assert (told(game.state.answers), told(game.state.settled)) == ("R9 R1", "")
    game.turn("R9-11")
    assert (told(game.state.answers), told(game.state.settled)) == ("", "R9 R1")
    game.do(answer("R2"))
    game.turn("R9-11 | B9 K9 O9")
    game.do(Undo("a mistake"))
    assert (told(game.state.answers), told(game.state.settled)) == ("R2", "R9 R1")
    game.do(CorrectTable(parse_table("R9-11"), "as it lies"))
    assert (told(game.state.answers), told(game.state.settled)) == ("", "R9 R1 R2")
    game.do(CorrectTable(parse_table(game.state.table), "the rack is empty", racks=(0, 14, 14)))
    with pytest.raises(GameError, match="the racks are to be counted"):
        game.do(answer("R3"))
    game.do(Score(racks_of(game)))
    game.do(NextRound())
    assert (game.state.answers, game.state.settled) == ((), ())


def word(deed: Deed, code: str | None = None) -> Pointed:
    return Pointed(deed, SOMEWHERE, None if code is None else parse_tile(code), read_as=parse_tile("B1"))


def deeds(game: Game) -> str:
    return " ".join(event.deed for event in game.state.pointed)


def test_what_was_said_of_places_is_of_its_turn_but_what_is_no_tile_stays_none() -> None:
    game = Game().begin()
    for said in (word(Deed.REMOVED), word(Deed.ADDED, "R10"), word(Deed.MOVED), word(Deed.CUT)):
        game.do(TellPlace(said))
    game.do(TakeBackPlace(word(Deed.CUT)))
    game.turn("R9 R11")  # does not stand: the same tiles are put back
    assert deeds(game) == "removed added moved"
    game.turn("R9-11")
    assert deeds(game) == "removed"
    game.do(TellPlace(word(Deed.ADDED, "R12")))
    game.turn("R9-12")
    game.do(Undo("a mistake"))
    assert deeds(game) == "removed added"
    assert not game.do(TakeBackPlace(word(Deed.ADDED, "R13"))), "nobody has said that"
    game.do(CorrectTable(parse_table(game.state.table), "the rack is empty", racks=(0, 14, 14)))
    game.do(Score(racks_of(game)))
    game.do(NextRound())
    assert deeds(game) == ""


def test_players_agree_with_the_scores_of_a_round_once() -> None:
    game = Game().begin()
    with pytest.raises(GameError, match="not done while a round is played"):
        game.do(ConfirmScore(0))
    game.turn("R9-11")
    game.do(CorrectTable(parse_table(game.state.table), "the rack is empty", racks=(0, 14, 14)))
    game.do(Score(racks_of(game)))
    game.do(ConfirmScore(2))
    assert not game.do(ConfirmScore(2))
    game.do(ConfirmScore(0))
    assert game.state.confirmed == (2, 0)
    with pytest.raises(GameError, match="seat 4 does not play"):
        game.do(ConfirmScore(3))
    game.do(NextRound())
    assert len(game.state.confirmed) == 0


def test_counter_clockwise_rounds() -> None:
    game = Game(replace(RULES, direction=Direction.COUNTER_CLOCKWISE)).begin()
    game.draw()
    assert game.state.seat == 2


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (EndTurn(1, (), DREW), "it is the turn of seat 1, not of seat 2"),
        (EndTurn(0, parse_table("R1-13 | B9-11"), PLAYED), "holds 14 tiles, and 16 were laid"),
        (EndTurn(0, (), Ending(TurnEnd.TIME_UP)), "the table at the bell is missing"),
        (EndTurn(0, (), Ending(TurnEnd.DREW, tidy_s=-1.0)), "a time must not be negative"),
        (Deal(), "not done while a round is played"),
        (Answer(legal=True), "not done while a round"),
        (NextRound(), "not done while a round"),
        (Score(((), (), ())), "the round is not over"),
        (GivePenalty(7, 1, 0, ""), "seat 8 does not play"),
        (TellTile(HumanAnswer(SOMEWHERE, parse_tile("JM"))), "the box holds no JM"),
        (TellTile(HumanAnswer(SOMEWHERE, parse_tile("R1"), gone=True)), "where no tile lies"),
        (TellPlace(Pointed(Deed.ADDED, SOMEWHERE, parse_tile("JM"))), "the box holds no JM"),
        (TellPlace(Pointed(Deed.MOVED, SOMEWHERE, beside=((float("inf"), 0.0), *SOMEWHERE[1:]))), "a place of the"),
        (ConfirmScore(0), "not done while a round is played"),
        (TellTile(HumanAnswer(((float("nan"), 0.0), *SOMEWHERE[1:]), None)), "a place of the picture"),
        (GivePenalty(0, -1, 0, ""), "not be negative"),
        (CorrectTable((), "", racks=(1, 2)), "there are 3 racks"),
        (CorrectTable((), "", racks=(99, 9, 9)), "more than the box holds"),
        (ClaimRedeal(5, None), "seat 6 does not play"),
        (RecordAsOne((1, 2), (), (0, 0)), "begin with seat 1"),
        (StartGame(("A", "B")), "not done while a round"),
    ],
)
def test_what_the_game_cannot_do_is_one_sentence_and_changes_nothing(command: Command, said: str) -> None:
    game = Game().begin()
    before = game.state
    with pytest.raises(GameError, match=said) as caught:
        game.do(command)
    assert "\n" not in str(caught.value)
    assert game.state == before


def test_before_the_first_turn() -> None:
    for players, said in ((("A",), "1 players are not allowed"), (("A", "A"), "same name")):
        with pytest.raises(GameError, match=said):
            Game(players=players)
    game = Game()
    with pytest.raises(GameError, match="3 players draw"):
        game.do(DrawStart(tiles("R1 R2")))
    game.do(DrawStart(tiles("R3 R2 R1")))
    with pytest.raises(GameError, match="a misdeal: seat 2 holds 13 tiles and should hold 14"):
        game.do(Deal((14, 13, 14)))
    with pytest.raises(GameError, match="2 counts"):
        game.do(Deal((14, 14)))
    with pytest.raises(GameError, match=r"played by international \w+, not by wrc"):
        decide(game.state, Deal(), load_ruleset("wrc"))


def test_text_that_somebody_typed() -> None:
    assert parse_told_table("R1-3", RULES) == parse_table("R1-3")
    assert parse_told_rack("R1 J", RULES) == tiles("R1 J")
    for text in ("R1 X9", "R99"):
        with pytest.raises(GameError, match="is not a tile"):
            parse_told_table(text, RULES)
    with pytest.raises(GameError, match="doubtful"):
        parse_told_rack("R1/R7", RULES)
    with pytest.raises(GameError, match="not a tile"):
        parse_told_rack("R0", RULES)


def test_counted_tiles_are_held_against_the_log() -> None:
    game = Game().begin()
    game.turn("R9-11")
    assert compare_counts(game.state, (11, 14, 14), pool=64, table=3) == ()
    assert compare_counts(game.state, (None, 13), table=4) == (
        Miscount("rack", 1, 14, 13),
        Miscount("table", None, 3, 4),
    )
    with pytest.raises(ValueError, match="not be negative"):
        compare_counts(game.state, pool=-1)
    with pytest.raises(ValueError, match="there are 3 racks"):
        compare_counts(game.state, (1, 2, 3, 4))


# --- logs -------------------------------------------------------------------------------------------------------


def test_a_log_survives() -> None:
    game = Game().begin()
    game.turn("R9-11", time=MoveTime(12.5))
    game.turn("R9-11 | B1-3")
    game.do(Override(legal=True, reason="żółty 桌"))
    game.do(Leave(2))
    text = encode_log(game.events)
    assert decode_log(text) == tuple(game.events)
    assert replay(decode_log(text)) == game.state
    assert all(json.loads(line)["v"] == 1 for line in text.splitlines())


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", "not a line of a log"),
        ("[]", "type or version is missing"),
        ('{"type": "Dealt"}', "type or version is missing"),
        ('{"type": "Exploded", "v": 1}', "'Exploded' is not an event"),
        ('{"type": "Dealt", "v": 9, "counts": [1]}', "Dealt of version 9 is not known"),
        ('{"type": "Dealt", "v": 1}', "does not have exactly its fields: counts"),
        ('{"type": "Dealt", "v": 1, "counts": [1], "more": 2}', "fields: more"),
        ('{"type": "Dealt", "v": 1, "counts": ["x"]}', "Dealt.counts is wrong"),
        ('{"type": "RoundBegun", "v": 1, "number": true, "starter": null}', "RoundBegun.number is wrong"),
    ],
)
def test_a_corrupt_log_names_its_line(line: str, said: str) -> None:
    good = encode(Game().events[0])
    with pytest.raises(LogError, match=said) as caught:
        decode_log(f"{good}\n\n{line}\n")
    assert str(caught.value).startswith("line 3: ")


def test_old_events_are_lifted_step_by_step(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(VERSIONS, "RoundBegun", 3)
    monkeypatch.setitem(UPCASTS, ("RoundBegun", 1), lambda data: {"number": data["round"], **data})
    monkeypatch.setitem(
        UPCASTS,
        ("RoundBegun", 2),
        lambda data: {"number": data["number"], "starter": None},
    )
    assert decode('{"type": "RoundBegun", "v": 1, "round": 2}') == decode(
        '{"type": "RoundBegun", "v": 3, "number": 2, "starter": null}'
    )
    with pytest.raises(LogError, match="version 4"):
        decode('{"type": "RoundBegun", "v": 4, "number": 2, "starter": null}')


def test_a_changed_state_has_the_next_version() -> None:
    game = Game()
    assert evolve(game.state, game.events[0]).version == game.state.version + 1


@pytest.mark.parametrize("command", [
    StartGame(("Zo\udcc3\udcab", "Bo")),
    GivePenalty(0, 1, 0, "sp\udce4t"),
    CorrectTable(parse_table(""), "\ud83d"),
    Undo("\udc80"),
], ids=lambda command: type(command).__name__)  # fmt: skip
def test_half_a_letter_is_refused_before_it_comes_near_a_store(command: Command) -> None:
    """A terminal of another encoding gives such; a store could never write them, and would try for ever."""
    state = State() if isinstance(command, StartGame) else Game().begin().state
    with pytest.raises(GameError, match="cannot be written down"):
        decide(state, command, RULES)
