"""A player who draws although he could have played, where the rack is known and the rules forbid it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from referee.ending import Ending, TurnEnd
from referee.game.commands import Command, Deal, DrawStart, EndTurn, StartGame
from referee.game.decide import decide
from referee.game.events import TurnEnded, TurnQuestioned
from referee.game.state import State, replay
from referee.notation import parse_rack, parse_table
from referee.preset_files import load_ruleset
from referee.ruleset import RuleSet
from referee.switches import PoolEmpty
from referee.tiles import Tile, parse_tile

FORBIDDEN = load_ruleset("classic-es")
VOLUNTARY = load_ruleset("international")
DREW = Ending(TurnEnd.DREW)


def rack(text: str) -> tuple[Tile, ...]:
    return tuple(tile for place in parse_rack(text) if (tile := place.tile))


def begun(rules: RuleSet) -> State:
    """A game of two in which Ala has opened with R9-11 and Bo has drawn a tile."""
    state = State()
    start = (parse_tile("R13"), parse_tile("B2"))
    told: list[Command] = [
        StartGame(("Ala", "Bo")),
        DrawStart(start),
        Deal(),
        EndTurn(0, parse_table("R9-11"), Ending(TurnEnd.PLAYED)),
        EndTurn(1, parse_table("R9-11"), DREW, rack=rack("R12 R13 B1 B2 B3")),
    ]
    for command in told:
        state = replay(decide(state, command, rules), state)
    assert state.opened == (True, False)
    return state


def drawn(
    rules: RuleSet, state: State, held: str | None, ending: Ending = DREW, could_play: bool | None = None
) -> TurnEnded:
    seen = None if held is None else rack(held)
    (turn,) = decide(state, EndTurn(0, parse_table(state.table), ending, seen, could_play), rules)
    assert isinstance(turn, TurnEnded)
    return turn


@pytest.mark.parametrize(
    ("held", "verdict"),
    [
        ("R12 K1 O4", "illegal"),
        ("B1 B2 B3", "illegal"),
        ("R9 K1 O4 B13", "legal"),
        ("K10 O10 B4", "legal"),
        ("K11 O11 R8 B11", "illegal"),
        (None, "legal"),
    ],
)
def test_who_can_play_must_not_draw(held: str | None, verdict: str) -> None:
    turn = drawn(FORBIDDEN, begun(FORBIDDEN), held)
    assert (turn.verdict, turn.codes) == (verdict, ("could_have_played",) if verdict == "illegal" else ())
    assert drawn(FORBIDDEN, begun(FORBIDDEN), held, Ending(TurnEnd.PASSED)).verdict == verdict


def test_without_a_pool_another_rule_says_who_must_play() -> None:
    """Seeds 002, 003: who can play must while there are tiles to draw, not in the extra turn; D: the other way."""
    for rules, with_a_pool, without in ((FORBIDDEN, "illegal", "legal"), (VOLUNTARY, "legal", "illegal")):
        state = begun(rules)
        for now, verdict in ((state, with_a_pool), (replace(state, pool=0), without)):
            for ending in (DREW, Ending(TurnEnd.PASSED)):
                assert drawn(rules, now, "R12 K1 O4", ending).verdict == verdict
                assert drawn(rules, now, "R12 K1 O4", ending, could_play=True).verdict == verdict
    bank = replace(FORBIDDEN, pool_empty=PoolEmpty.BANK)
    banked = drawn(bank, replace(begun(bank), pool=1, banking=True), "R12 K1 O4")
    assert (banked.verdict, banked.drew, banked.to_pool) == ("legal", 0, 1), "nobody draws from the bank"


def test_nobody_is_asked_where_drawing_is_free_or_somebody_knows_better() -> None:
    assert drawn(VOLUNTARY, begun(VOLUNTARY), "R12").verdict == "legal"
    assert drawn(FORBIDDEN, begun(FORBIDDEN), "R12", could_play=False).verdict == "legal"
    assert drawn(FORBIDDEN, begun(FORBIDDEN), "R9", could_play=True).verdict == "illegal"
    table = parse_table("R9-11")
    assert drawn(FORBIDDEN, begun(FORBIDDEN), "R12", Ending(TurnEnd.TIME_UP, at_bell=table)).verdict == "legal"


def test_what_cannot_be_told_is_not_held_against_a_player() -> None:
    doubtful = replace(begun(FORBIDDEN), table="R9 R10 R11/R1")
    (event,) = decide(doubtful, EndTurn(0, parse_table(doubtful.table), DREW, rack=rack("R12")), FORBIDDEN)
    assert isinstance(event, TurnEnded | TurnQuestioned)
    assert "could_have_played" not in event.codes
    twist = load_ruleset("twist-pl")
    special = replace(begun(twist), table="R9 JD R12")
    assert drawn(twist, special, "K1").verdict == "legal"
