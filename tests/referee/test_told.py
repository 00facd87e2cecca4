"""What cannot be done is told by a template and plain values, so that it can be said in any language."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from string import Formatter

import pytest

from referee.clock import MoveTime
from referee.deal import decide_start
from referee.ending import Ending, TurnEnd
from referee.game.codec import decode, decode_log
from referee.game.commands import (
    Answer,
    ClaimRedeal,
    Command,
    CorrectTable,
    Deal,
    DrawStart,
    EndTurn,
    GivePenalty,
    Leave,
    NameStarter,
    NextRound,
    Override,
    RecordAsOne,
    RestoreTable,
    Score,
    StartGame,
    TellTile,
    Undo,
)
from referee.game.decide import GameError, decide, parse_told_rack, parse_told_table
from referee.game.state import State, replay
from referee.notation import parse_table
from referee.preset_files import load_ruleset
from referee.protocol import Stage, Turn, call, conclude, extend, pause, resume, start_clock, take_back
from referee.reconcile import HumanAnswer
from referee.store import StoreError, open_store
from referee.switches import Faces
from referee.tiles import parse_tile
from referee.told import NOTHING, Seat, TellingError, Told, ToldError, Value, telling

RULES = load_ruleset()
SOMEWHERE = ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0))
LONGEST_VALUE = 4
"""Words; more would be a part of a sentence, which no language but ours can say."""


def state_after(*commands: Command) -> State:
    state = State()
    for command in commands:
        state = replay(decide(state, command, RULES), state)
    return state


SEATED = (StartGame(("Ann", "Bob", "Cy")),)
DEALT = (*SEATED, NameStarter(0), Deal())
QUESTIONED = (*DEALT, EndTurn(0, parse_table("R9 R10 R11/B11"), Ending(TurnEnd.PLAYED)))
STATES = {"new": (), "starter": SEATED, "deal": DEALT[:2], "play": DEALT, "question": QUESTIONED}
COMMANDS: tuple[Command, ...] = (
    StartGame(("Ann",)),
    StartGame(("Ann", "Ann")),
    DrawStart(tuple(map(parse_tile, ("R1", "R2")))),
    DrawStart(tuple(map(parse_tile, ("R1", "R1", "R1")))),
    Deal((14, 13, 14)),
    Deal((14, 14)),
    EndTurn(1, (), Ending(TurnEnd.DREW)),
    EndTurn(0, parse_table("R1-13 | B9-11"), Ending(TurnEnd.PLAYED)),
    EndTurn(0, (), Ending(TurnEnd.TIME_UP)),
    EndTurn(0, (), Ending(TurnEnd.DREW, tidy_s=-1.0)),
    EndTurn(0, (), Ending(TurnEnd.DREW, tidy_s=float("nan"))),
    EndTurn(0, parse_table("R9-11"), Ending(TurnEnd.TIME_UP, at_bell=()), time=MoveTime(1.0)),
    Answer(legal=True),
    Answer(legal=True, table=parse_table("R9-12")),
    Override(legal=True, reason="", draw=-1),
    Undo(""),
    NextRound(),
    Leave(7),
    GivePenalty(7, 1, 0, ""),
    GivePenalty(0, -1, 0, ""),
    TellTile(HumanAnswer(SOMEWHERE, parse_tile("JM"))),
    TellTile(HumanAnswer(SOMEWHERE, parse_tile("R1"), gone=True)),
    TellTile(HumanAnswer(((float("nan"), 0.0), *SOMEWHERE[1:]), None)),
    CorrectTable((), "", racks=(1, 2)),
    CorrectTable((), "", racks=(99, 9, 9)),
    CorrectTable(parse_table("R1-13 | B9-11"), ""),
    CorrectTable(parse_table("R1 R1 R1"), ""),
    ClaimRedeal(5, None),
    RecordAsOne((1, 2), (), (0, 0)),
    RecordAsOne((0, 1), (), (1, 0)),
    RecordAsOne((0, 2), (), (0, 0)),
    RestoreTable(parse_table("R1")),
    RestoreTable(parse_table("R1"), remembered=False),
    Score(((), (), ())),
)


def errors_of(*tries: Callable[[], object]) -> Iterator[TellingError]:
    for one in tries:
        try:
            one()
        except TellingError as error:
            yield error


def plain(values: dict[str, Value]) -> None:
    """No value is a part of a sentence."""
    for value in values.values():
        if isinstance(value, Told):
            plain(dict(value.values))
        else:
            assert len(str(value).split()) <= LONGEST_VALUE, value


def check(error: TellingError) -> None:
    names = {name for _, name, _, _ in Formatter().parse(error.template) if name is not None}
    assert names == set(error.values), error.template
    assert str(error) == (error.template.format(**error.values) if error.values else error.template)
    assert str(error.told) == str(error)
    assert "\n" not in str(error)
    plain(error.values)


@pytest.mark.parametrize("phase", STATES)
def test_what_a_game_cannot_do_has_a_template_and_plain_values(phase: str) -> None:
    state = state_after(*STATES[phase])
    assert state.phase.value == phase
    found = list(errors_of(*(partial(decide, state, told, RULES) for told in COMMANDS)))
    assert len({error.template for error in found}) >= 3
    for error in found:
        assert isinstance(error, GameError)
        check(error)


def test_every_stage_of_a_turn_refuses_by_a_template() -> None:
    state = state_after(*DEALT)
    found: list[TellingError] = []
    for stage in Stage:
        turn = Turn(stage)
        found += errors_of(
            partial(call, turn, state, RULES, 1.0),
            partial(conclude, turn),
            partial(extend, turn, state, RULES),
            partial(pause, turn, 1.0),
            partial(resume, turn, 1.0, 0.5),
            partial(start_clock, turn, 1.0),
            partial(take_back, turn, 1.0),
        )
    assert len({error.template for error in found}) >= 10
    for error in found:
        check(error)


TYPED = ("R5 X6", "R5 | | R6", "R5 |", "R5 B7-7", "R5 R6=R7", "J=JD", "R6/R9/R6", "J/R1=R2", "{} R5", "R5 {at}")


@pytest.mark.parametrize("faces", Faces)
@pytest.mark.parametrize("text", TYPED)
def test_what_was_typed_wrongly_is_told_with_its_place(text: str, faces: Faces) -> None:
    with pytest.raises(GameError) as caught:
        parse_told_table(text, replace(RULES, faces=faces))
    values = {name: value for name, value in caught.value.values.items() if name != "text"}
    assert (caught.value.values["text"], set(values) >= {"at"}) == (text, True)
    assert str(caught.value) == caught.value.template.format(**caught.value.values)
    assert repr(text) in str(caught.value)
    plain(values)


def test_a_doubtful_rack_a_broken_log_and_a_store_tell_templates() -> None:
    store = open_store()
    tries = (
        lambda: parse_told_rack("R5 ?", RULES),
        lambda: decode("[]"),
        lambda: decode('{"type": "Dealt", "v": 9}'),
        lambda: decode('{"type": "Dealt", "v": 1, "counts": "many"}'),
        lambda: decode_log('{"type": "Nothing", "v": 1}'),
        lambda: decide_start((), RULES),
        lambda: store.append("", 0, ()),
        lambda: store.append("g", 5, decide(State(), SEATED[0], RULES)),
        lambda: open_store("mysql://nobody@nowhere/games"),
    )
    found = list(errors_of(*tries))
    store.close()
    assert len(found) == len(tries)
    for error in found:
        assert str(error) == error.template.format(**error.values) if error.values else error.template
        assert str(error.told) == str(error)
    assert isinstance(found[4], ToldError)
    assert str(found[4]) == "line 1: 'Nothing' is not an event that this program knows"
    assert isinstance(found[4].values["cause"], Told)


def test_an_error_passes_on_what_another_one_told() -> None:
    first = ToldError("the rack of {seat} holds {tiles} tiles", seat=Seat(1), tiles=3)
    passed = GameError.of(first)
    assert (passed.template, passed.values, str(passed)) == (first.template, first.values, str(first))
    assert str(passed) == "the rack of seat 2 holds 3 tiles"
    assert GameError.of(passed.told).told == passed.told
    other = GameError.of(ValueError("{nothing} is filled in here"))
    assert (str(other), other.values) == ("{nothing} is filled in here", {})
    assert isinstance(StoreError.of(first), StoreError)
    assert not isinstance(StoreError.of(first), ValueError)
    assert not NOTHING
    assert str(telling("{game} is over: {cause}", game="g", cause=first.told)) == f"g is over: {first}"
