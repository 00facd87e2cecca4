"""Rulings are held against the truth: right ones pass, and every kind of wrong one is counted."""

from __future__ import annotations

from dataclasses import replace

import pytest

from referee.observation import Reading
from referee.preset_files import load_ruleset
from referee.ruleset import RuleSet
from referee.store import open_store
from referee.switches import PoolEmpty
from referee.tiles import parse_tile
from tests.web.fakes import HandSight
from tests.web.simulation.truth_eyes import SURE, Reader, TruthWatch, reads_rightly
from vision.frames import Frame
from vision.render.stage import StagedTile
from web.live.notices import Notice, NoticeCode
from web.simulation.camera import VirtualClock
from web.simulation.drive import Driver, Joined, simulated
from web.simulation.figures import GameFigures
from web.simulation.players import Rates

SMALL = (320, 180)
INTERNATIONAL = load_ruleset("international")
CALM = {"bump": 0.0, "light": 0.0, "defocus": 0.0}


def game(
    rules: RuleSet, seed: int, turns: int | None, rates: Rates, read: Reader = reads_rightly, seats: int = 3,
    watch: type[TruthWatch] = TruthWatch,
) -> tuple[GameFigures, list[Notice]]:  # fmt: skip
    """A game before eyes that see the truth; work takes no time on its clock."""
    clock = VirtualClock(1000.0, stopwatch=lambda: 0.0)
    table = simulated(rules, seats, seed, rates, clock(), SMALL)
    notices: list[Notice] = []
    store = open_store("sqlite://")
    try:
        driver = Driver(table, Joined(watch(table, read), store), clock, "game", notices.append)
        return driver.play(turns), notices
    finally:
        store.close()


@pytest.mark.parametrize(("preset", "seed"), [("international", 5), ("jp", 7), ("mso", 2)])
def test_eyes_that_see_the_truth_are_never_wrong(preset: str, seed: int) -> None:
    rates = Rates(wrong=0.3, taken=0.34, mended=0.4, time_up=0.1, broken_at_bell=0.1)
    figures, _ = game(load_ruleset(preset), seed, 9, rates)
    assert figures.turns >= 9
    assert figures.rulings >= 9
    assert figures.troubles == []
    assert (figures.wrong, figures.silent, figures.doubts, figures.refused, figures.no_ruling) == (0, 0, 0, 0, 0)
    assert figures.restores_stuck == 0
    assert all(0 < wait < 3000 for wait in figures.waits_ms)


def test_what_else_happens_at_a_club_is_ruled_on_rightly() -> None:
    """Calls that were missed or came too early, tidying and laying after the bell, stacks, racks, a tile laid late."""
    rates = Rates(wrong=0.0, broken_at_bell=0.25, glint=0.3, slow=0.3, stack=0.4, early_call=0.4, missed_call=0.2,
                  added=0.3, racks=1.0)  # fmt: skip
    figures, notices = game(load_ruleset("jp"), 7, 20, rates)
    assert figures.troubles == []
    assert figures.as_it_should_be
    assert figures.incidents["missed_call"] > 0
    assert figures.incidents["tidied"] + figures.incidents["laid_late"] > 0
    assert {"added", "call taken back", "racks in the picture", "slow hand"} <= set(figures.happened)
    codes = [notice.code for notice in notices]
    assert codes.count(NoticeCode.CALL_TAKEN_BACK) == figures.happened["call taken back"]
    assert codes.count(NoticeCode.CORRECTED) == figures.happened["added"]


def test_a_clock_that_is_stopped_for_a_slow_player_changes_no_ruling(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Driver, "in_time_s", 1e6)
    figures, notices = game(INTERNATIONAL, 5, 9, Rates(wrong=0.3, mended=0.4))
    stopped = figures.happened["clock stopped"]
    codes = [notice.code for notice in notices]
    assert codes.count(NoticeCode.PAUSED) == codes.count(NoticeCode.RESUMED) == stopped > 0
    assert figures.troubles == []
    assert figures.as_it_should_be


class LateWatch(TruthWatch):
    """A camera that fails until tiles lie there."""

    def look(self, frame: Frame) -> HandSight:
        if not self.table.truth_at(frame.taken_at).tiles:
            return HandSight("wait", "camera", frame, None, None)
        return super().look(frame)


def test_tiles_at_the_first_look_since_the_deal_are_said_to_be_whose_turn_it_is() -> None:
    figures, notices = game(INTERNATIONAL, 5, 9, Rates(wrong=0.0, **CALM), watch=LateWatch)
    assert NoticeCode.NOT_EMPTY in {notice.code for notice in notices}
    assert (figures.wrong, figures.silent, figures.no_ruling, figures.refused) == (0, 0, 0, 0)
    assert [one for one in figures.troubles if "tiles at the deal" not in one] == []


def test_a_whole_round_ends_with_the_same_score_sheet() -> None:
    short = replace(INTERNATIONAL, deal_tiles=25, pool_empty=PoolEmpty.STOP)
    figures, notices = game(short, 3, None, Rates(wrong=0.0, pause=0.0, **CALM), seats=4)
    assert figures.scored is True
    assert figures.troubles == []
    assert {NoticeCode.ROUND_OVER, NoticeCode.SCORED} <= {notice.code for notice in notices}


def sees_sevens_as_eights(tile: StagedTile) -> tuple[Reading, ...]:
    code = f"{tile.code[0]}8" if tile.code[1:] == "7" else tile.code
    return (Reading(parse_tile(code), SURE),)


def sees_reds_as_oranges(tile: StagedTile) -> tuple[Reading, ...]:
    return (Reading(parse_tile(tile.code.replace("R", "O")), SURE),)


@pytest.mark.parametrize("read", [sees_sevens_as_eights, sees_reds_as_oranges])
def test_eyes_that_lie_are_found_out(read: Reader) -> None:
    figures, _ = game(INTERNATIONAL, 5, 4, Rates(wrong=0.0, **CALM), read)
    assert figures.wrong + figures.silent + figures.refused + figures.doubts > 0
    assert figures.troubles
    assert figures.turns == 4  # and the game goes on


def test_a_question_about_the_right_tile_is_answered_and_counted() -> None:
    def doubts_nines(tile: StagedTile) -> tuple[Reading, ...]:
        if tile.code[1:] == "9":
            return Reading(parse_tile(tile.code), 0.6), Reading(parse_tile(f"{tile.code[0]}6"), 0.39)
        return reads_rightly(tile)

    figures, _ = game(INTERNATIONAL, 5, 10, Rates(wrong=0.0, **CALM), doubts_nines)
    assert figures.wrong == figures.silent == 0
    assert figures.questions == figures.right_tile > 0
    assert 0 < figures.turns_asked <= figures.questions
