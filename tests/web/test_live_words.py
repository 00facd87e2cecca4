"""Every notice of a live table has its words, and the score sheet adds up what was shown."""

from __future__ import annotations

import pytest

from referee.findings import Finding, FindingCode
from referee.game.decide import GameError
from referee.preset_files import load_ruleset
from referee.protocol import Stage
from referee.restore import StepKind
from referee.ruling import Verdict
from referee.tiles import parse_tile
from referee.told import Seat
from tests.web.live_table import Bench
from vision.frames import CameraFault
from web.camera_words import fault_sentence
from web.live import acts
from web.live.notices import LiveRuling, Notice, NoticeCode, QuestionKind, TileQuestion
from web.live.sheet import score_sheet, sheet_lines
from web.live.view import RestoreView
from web.live.words import STAGES, Words

QUAD = ((0.0, 0.0), (40.0, 0.0), (40.0, 60.0), (0.0, 60.0))
R6, R9 = parse_tile("R6"), parse_tile("R9")
FOUND = Finding(FindingCode.GAP, (2,), (("missing", (11,)),))
RULING = LiveRuling(Verdict.ILLEGAL, (FOUND,), ("R9", "R10", "R12"), drew=3, took=1, points=20, by="referee")


def words() -> Words:
    said = Words(load_ruleset())
    said.names = ("Ann", "Bob")
    return said


@pytest.mark.parametrize("code", list(NoticeCode))
def test_every_notice_has_words(code: NoticeCode) -> None:
    notice = Notice(
        code=code, at=1.0, seat=1, ruling=RULING, tiles=(R6, R9), numbers=(1, 0, 2), seconds=30.0, text="why",
        questions=(TileQuestion(0, QUAD, (R6, R9), QuestionKind.DOUBTFUL),),
    )  # fmt: skip
    if code is NoticeCode.PENALTY:
        notice = Notice(code=code, at=1.0, seat=1, numbers=(1, 20))
    lines = words().lines(notice)
    assert lines
    assert all(line and not line.startswith("None") and "\n" not in line for line in lines)


@pytest.mark.parametrize("code", [NoticeCode.RULED, NoticeCode.FIX, NoticeCode.DOUBT, NoticeCode.SEATED])
def test_a_notice_that_lacks_what_it_may_lack_has_words_too(code: NoticeCode) -> None:
    assert isinstance(words().lines(Notice(code=code, at=1.0)), list)


def test_a_ruling_says_what_why_and_by_which_rule() -> None:
    lines = words().lines(Notice(code=NoticeCode.RULED, at=1.0, seat=1, ruling=RULING))
    assert "ILLEGAL" in lines[0]
    assert "Bob draws 3 tiles, takes 1 tile from the table, loses 20 points." in lines[0]
    assert "(the referee's ruling)" in lines[0]
    assert "Gap in the run: 11 missing." in lines[1]


def test_a_question_names_the_place_and_the_keys() -> None:
    line = words().question(TileQuestion(0, QUAD, (R6, R9), QuestionKind.CHANGED))
    assert "at 20, 30" in line
    assert "1: R6, 2: R9, 0: no tile" in line


def test_a_refusal_names_players_and_no_seats() -> None:
    why = GameError("it is the turn of {seat}, not of {other}", seat=Seat(0), other=Seat(1))
    said = words().lines(Notice(code=NoticeCode.REFUSED, at=1.0, text=why.template, values=why.told.values))
    assert said == ["It is the turn of Ann, not of Bob."]


def test_a_name_cannot_command_the_terminal() -> None:
    said = Words(load_ruleset())
    said.names = ("A\x1b[2Jnn", "Bob")
    assert "\x1b" not in said.lines(Notice(code=NoticeCode.STARTS, at=1.0, seat=0))[0]


def test_every_fault_and_stage_has_words() -> None:
    for fault in CameraFault:
        said = words().lines(Notice(code=NoticeCode.CAMERA_TROUBLE, at=1.0, text=fault.value))
        assert said == [fault_sentence(fault)]
    assert set(STAGES) == set(Stage)


@pytest.mark.parametrize("kind", list(StepKind))
def test_steps_of_putting_back_have_words(kind: StepKind) -> None:
    line = words().step(RestoreView(kind, R6, False, QUAD, QUAD, 0))
    assert "R6" in line
    assert "[ ]" in line


def test_the_sheet_of_a_round() -> None:
    bench = Bench(load_ruleset("twist-pl"))
    bench.turn("R9 R10 R11 R12 R13 | B10 K10 O10 | K1 K2 K3 | O4 O5 O6")
    bench.do(acts.ShowRack(1, tuple(map(parse_tile, "R1 R2 R3 R4 R5 R6 R7 R8 B1 B2 B3 B4 B5 J".split()))))
    bench.do(acts.CountRound())
    sheet = score_sheet(bench.live.state, bench.ruleset)
    assert [row.score.could_open for row in sheet.rows] == [None, True]
    assert sheet.rows[1].score.penalty == 200
    assert sheet.comes_out
    text = "\n".join(sheet_lines(sheet, ("Ann", "Bob"), {}))
    assert "could have opened" in text
    assert f"{bench.live.state.rounds[-1].points[0]:+d}" in text
