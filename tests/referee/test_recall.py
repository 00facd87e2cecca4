"""What humans answered before the program was started again: believed only where nothing speaks against it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.game.commands import TellTile
from referee.game.decide import decide
from referee.game.events import TileAnswered
from referee.game.state import Phase, State
from referee.notation import parse_table
from referee.observation import Quad
from referee.preset_files import load_ruleset
from referee.recall import Recalled, answer_of, recalled, still_holding
from referee.reconcile import HumanAnswer
from referee.tiles import parse_tile
from tests.referee.builders import quad_at, table
from tests.referee.strategies import any_tiles

RULES = load_ruleset()
PLAYING = State(phase=Phase.PLAY)
PLACE = quad_at(1, 0)
coordinates = st.floats(-1e4, 1e4)
points = st.tuples(coordinates, coordinates)
quads = st.tuples(points, points, points, points)


def said(tile: str | None, read_as: str | None, quad: Quad = PLACE, gone: bool = False) -> HumanAnswer:
    told, read = (None if one is None else parse_tile(one) for one in (tile, read_as))
    return HumanAnswer(quad, told, gone, read)


@given(st.builds(HumanAnswer, quads, st.none() | any_tiles, st.just(False), st.none() | any_tiles))
def test_the_log_gives_an_answer_back_as_it_was_given(answer: HumanAnswer) -> None:
    if answer.tile is not None and not RULES.held(answer.tile):
        return
    (event,) = decide(PLAYING, TellTile(answer), RULES)
    assert isinstance(event, TileAnswered)
    assert answer_of(event) == answer


@pytest.mark.parametrize(
    ("answer", "lying", "holds"),
    [
        (said("R6", "R9"), "R5 R9/R6 R7", True),
        (said("R6", "R9"), "R5 R9 R7", True),
        (said("R6", "R9"), "R5 R6 R7", True),
        (said("R6", "R9"), "R5 K9/K6 R7", False),
        (said("R6", "R9"), "R5 K9 R7", False),
        (said("R6", "R9"), "R5 ? R7", False),
        (said("R6", "R9"), "", False),
        (said(None, "R9"), "R5 ? R7", True),
        (said(None, "R9"), "R5 R9/R6 R7", True),
        (said("R6", None), "R5 ? R7", True),
        (said("R6", None), "R5 K6 R7", False),
        (said("R6", "R9", quad_at(1, 3)), "R5 R9/R6 R7", False),
        (said(None, None, gone=True), "R5 R6 R7", True),
    ],
)
def test_an_answer_of_this_turn_holds_where_the_eyes_say_the_same(answer: HumanAnswer, lying: str, holds: bool) -> None:
    assert still_holding(Recalled((answer,)), table(lying), ()) == ((answer,) if holds else ())


@pytest.mark.parametrize(
    ("answer", "lying", "standing", "holds"),
    [
        (said("R6", "R9"), "R5 R9/R6 R7", "R5 R6 R7", True),
        (said("R6", "R9"), "R5 R9 R7", "R5 R6 R7", True),
        (said("R6", "R9"), "R5 R9 R7", "R5 R6 R7 | K1 K2 K3", True),
        (said("R6", "R9"), "K9 R9 B9", "R5 R6 R7 | K9 R9 B9", False),  # a nine lies there by now
        (said("R6", "R9"), "K9 R9 B9", "R5 R6 R7", False),
        (said("R6", "R9"), "R5 R9/R6 R7", "", False),
        (said(None, None, gone=True), "R5 R6 R7", "R5 R6 R7", False),
    ],
)
def test_an_earlier_answer_holds_where_the_table_of_the_log_agrees_as_well(
    answer: HumanAnswer, lying: str, standing: str, holds: bool
) -> None:
    assert still_holding(Recalled((), (answer,)), table(lying), parse_table(standing)) == ((answer,) if holds else ())


def test_a_tile_that_the_eyes_miss_is_where_it_was_said_to_be() -> None:
    answer = said("R7", None, quad_at(2, 0))
    assert still_holding(Recalled((), (answer,)), table("R5 R6"), parse_table("R5 R6 R7")) == (answer,)
    assert not still_holding(Recalled((), (answer,)), table("R5 R6"), parse_table("R5 R6 K7"))


def test_answers_move_along_with_the_camera() -> None:
    answer = said("R6", "R9")
    moved = Recalled((answer,), (answer,)).moved(lambda _: quad_at(5, 5))
    assert moved == Recalled(*((replace(answer, quad=quad_at(5, 5)),),) * 2)


def test_what_is_no_answer_is_refused() -> None:
    odd = TileAnswered(quad=(1.0, 2.0), tile="R6", gone=False, read_as=None)
    with pytest.raises(ValueError, match="unpack"):
        recalled(replace(PLAYING, answers=(odd,)))
    with pytest.raises(ValueError, match="R77"):
        recalled(replace(PLAYING, settled=(replace(odd, quad=(0.0,) * 8, tile="R77"),)))
