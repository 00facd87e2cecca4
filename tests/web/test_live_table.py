"""Stories of turns at a live table, each as a camera and its players would tell it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from referee.game.state import Phase
from referee.places import centre
from referee.preset_files import load_ruleset
from referee.protocol import Stage
from referee.ruling import Verdict
from referee.store import open_store
from referee.tiles import parse_tile
from tests.web.fakes import table
from tests.web.live_table import Bench, changed, codes, one
from web.evidence.turn import Occasion
from web.live import acts
from web.live.notices import NoticeCode, QuestionKind
from web.live.script import orders_after, read_order

OPENING = "R9 R10 R11 R12 R13"
SECOND = "B10 K10 O10"


@pytest.fixture
def bench() -> Bench:
    return Bench()


# --- ordinary turns ----------------------------------------------------------------------------------------------


def test_a_legal_turn_is_ruled_at_once_and_the_next_player_is_on_turn(bench: Bench) -> None:
    said = bench.turn(OPENING)
    assert codes(said) == [NoticeCode.CALLED, NoticeCode.RULED, NoticeCode.TURN]
    ruling = one(said, NoticeCode.RULED).ruling
    assert ruling is not None
    assert (ruling.verdict, ruling.opening, ruling.final) == (Verdict.LEGAL, 55, True)
    assert [str(tile) for tile in ruling.laid] == OPENING.split()
    assert bench.live.state.seat == 1
    assert bench.live.state.racks == (9, 14)
    assert bench.live.view.left_s == pytest.approx(60)


def test_nothing_played_is_a_draw(bench: Bench) -> None:
    bench.turn(OPENING)
    said = bench.turn(OPENING)
    assert one(said, NoticeCode.RULED).ruling.drew == 1  # type: ignore[union-attr]
    assert (bench.last.how, bench.last.verdict, bench.live.state.racks) == ("drew", "legal", (9, 15))


def test_a_ruling_rests_on_a_frame_captured_after_the_call(bench: Bench) -> None:
    """Hard case 13: a network camera's frames are seconds old."""
    bench.lay(OPENING)
    bench.do(acts.CallTurnEnd())
    assert not bench.frame(after_s=0.5, taken_s_ago=2.0)
    assert bench.stage() is Stage.CALLED
    assert NoticeCode.RULED in codes(bench.frame(after_s=0.5, taken_s_ago=0.2))


@pytest.mark.parametrize("why", ["hand", "moving", "light", "camera"])
def test_hands_over_the_table_end_no_turn(bench: Bench, why: str) -> None:
    """Hard case 14: a pause in mid-manipulation is no play."""
    bench.lay(OPENING)
    bench.do(acts.CallTurnEnd())
    bench.watch.busy = why
    for _ in range(5):
        assert not bench.frame()
    assert (bench.stage(), bench.live.view.why) == (Stage.CALLED, why)
    bench.watch.busy = ""
    assert NoticeCode.RULED in codes(bench.frame())


def test_tiles_that_lie_there_without_a_call_are_no_turn(bench: Bench) -> None:
    assert not bench.lay(OPENING)
    assert not bench.lay(f"{OPENING} | {SECOND}")
    assert bench.live.state.turn == 0


def test_the_time_between_call_and_ruling_is_nobodys(bench: Bench) -> None:
    bench.lay(OPENING)
    bench.wait(50)
    bench.do(acts.CallTurnEnd())
    bench.watch.busy = "hand"
    bench.frame(after_s=30)
    bench.watch.busy = ""
    bench.frame()
    assert bench.last.verdict == "legal"
    assert bench.last.elapsed_s == pytest.approx(50.5)


def test_a_call_may_be_taken_back(bench: Bench) -> None:
    bench.do(acts.CallTurnEnd())
    assert codes(bench.do(acts.TakeBackCall())) == [NoticeCode.CALL_TAKEN_BACK]
    assert bench.stage() is Stage.PLAY
    assert not bench.frame()


def test_only_the_player_on_turn_ends_it(bench: Bench) -> None:
    bench.lay(OPENING)
    said = bench.do(acts.CallTurnEnd(seat=1))
    assert codes(said) == [NoticeCode.REFUSED]
    assert bench.stage() is Stage.PLAY


def test_a_claim_for_a_new_deal(bench: Bench) -> None:
    assert one(bench.do(acts.ClaimRedeal(0, ())), NoticeCode.REDEAL).text
    assert bench.stage() is Stage.PLAY
    polish = Bench(load_ruleset("twist-pl"))
    pairs = tuple(map(parse_tile, ["R1", "R1", "B2", "B2", "K3", "K3"]))
    assert not one(polish.do(acts.ClaimRedeal(1, pairs)), NoticeCode.REDEAL).text
    assert polish.stage() is Stage.SETUP
    polish.do(acts.DealTiles())
    assert polish.stage() is Stage.PLAY


# --- tiles that lie there at the deal -------------------------------------------------------------------------------


def dealt_over(text: str, **told: object) -> Bench:
    """A round that was dealt while tiles lay on the table."""
    bench = Bench(start=False, **told)  # type: ignore[arg-type]
    bench.watch.lay(table(text))
    bench.do(acts.StartGame(("Ann", "Bob"), starter=0))
    return bench


def test_tiles_that_lie_there_at_the_deal_are_said_and_no_play() -> None:
    bench = dealt_over(OPENING)
    lies = one(bench.frame(), NoticeCode.NOT_EMPTY)
    assert (lies.seat, lies.numbers) == (0, (5,))
    assert bench.stage() is Stage.RESTORE
    assert {(str(step.tile), step.kind.value) for step in bench.live.view.restoring} == {
        (code, "take_off") for code in OPENING.split()
    }
    assert codes(bench.do(acts.CallTurnEnd())) == [NoticeCode.NOT_RESTORED]
    assert not bench.wait(600)  # nobody's time runs
    assert not bench.frame()  # said once
    assert bench.live.state.turn == 0
    assert codes(bench.lay("")) == [NoticeCode.RESTORED, NoticeCode.TURN]
    assert one(bench.turn(OPENING), NoticeCode.RULED).ruling.laid  # type: ignore[union-attr]


def test_tiles_at_the_deal_were_laid_by_whoever_begins_where_somebody_says_so() -> None:
    bench = dealt_over(OPENING)
    bench.frame()
    assert codes(bench.do(acts.Restored(trust=True))) == [NoticeCode.RESTORED, NoticeCode.TURN]
    ruling = one(bench.call(), NoticeCode.RULED).ruling
    assert ruling is not None
    assert [str(tile) for tile in ruling.laid] == OPENING.split()


def test_tiles_at_the_deal_are_the_table_of_a_game_that_goes_on_where_somebody_says_so() -> None:
    bench = dealt_over(OPENING)
    bench.frame()
    assert NoticeCode.CORRECTED in codes(bench.do(acts.AcceptTable("it goes on", (8, 11))))
    assert (bench.live.state.table, bench.live.state.racks, bench.stage()) == (OPENING, (8, 11), Stage.PLAY)
    assert one(bench.call(), NoticeCode.RULED).ruling.drew == 1  # type: ignore[union-attr]


def test_the_next_round_is_dealt_on_an_empty_table_too(bench: Bench) -> None:
    win(bench)
    bench.do(acts.ShowRack(1, (parse_tile("R1"),)))
    bench.do(acts.CountRound(as_shown=True))
    bench.do(acts.NextRound())
    bench.do(acts.NameStarter(1))
    bench.do(acts.DealTiles())
    assert one(bench.frame(), NoticeCode.NOT_EMPTY).numbers == (14,)
    assert NoticeCode.RESTORED in codes(bench.lay(""))
    assert bench.stage() is Stage.PLAY


def test_tiles_that_lie_there_when_the_program_starts_again_after_the_deal_are_said_too() -> None:
    """Nobody saw whether they were laid since, or lay there before."""
    bench = Bench()
    bench.begun()
    bench.watch.lay(table(OPENING))
    assert one(bench.frame(), NoticeCode.NOT_EMPTY).numbers == (5,)
    assert bench.stage() is Stage.RESTORE
    bench.begun()  # and again, until somebody says what they are
    assert one(bench.frame(), NoticeCode.NOT_EMPTY).numbers == (5,)
    bench.do(acts.Restored(trust=True))
    assert one(bench.call(), NoticeCode.RULED).ruling.laid  # type: ignore[union-attr]
    bench.begun()
    assert NoticeCode.NOT_EMPTY not in codes((*bench.frame(), *bench.turn(f"{OPENING} | B10 K10 O10")))


def test_an_empty_table_when_the_program_starts_again_after_the_deal_is_none_of_these() -> None:
    bench = Bench()
    bench.begun()
    assert codes(bench.frame()) == [NoticeCode.GOES_ON, NoticeCode.TURN]
    assert one(bench.turn(OPENING), NoticeCode.RULED).ruling.laid  # type: ignore[union-attr]


@pytest.mark.parametrize("restarted", [False, True])
@pytest.mark.parametrize(("said", "laid"), [("restored", OPENING.split()), ("accept", [])])
def test_turns_that_were_played_before_the_first_look_are_settled_by_the_orders_that_are_told(
    restarted: bool, said: str, laid: list[str]
) -> None:
    """Ann laid and nobody called: the way out stands under the sentence, and it is typed as it stands there."""
    bench = dealt_over(OPENING)
    if restarted:
        bench.begun()
    lies = one(bench.frame(), NoticeCode.NOT_EMPTY)
    orders = {order.split()[0]: order.replace("COUNTS", "9 14") for order in orders_after(lies)}
    assert set(orders) == {"restored", "accept"}
    order = read_order(orders[said], bench.live.view, bench.ruleset)
    assert isinstance(order, acts.Restored | acts.AcceptTable)
    assert NoticeCode.REFUSED not in codes(bench.do(order))
    assert bench.stage() is Stage.PLAY
    ruling = one(bench.call(), NoticeCode.RULED).ruling
    assert ruling is not None
    assert (ruling.verdict, [str(tile) for tile in ruling.laid]) == (Verdict.LEGAL, laid)
    assert bench.live.state.table == OPENING


def test_a_hand_at_the_deal_hides_no_tile() -> None:
    bench = dealt_over(OPENING)
    bench.watch.busy = "hand"
    bench.frame(after_s=60)
    bench.watch.busy = ""
    assert NoticeCode.NOT_EMPTY in codes(bench.frame())


def test_the_face_down_pool_may_lie_there_at_the_deal() -> None:
    bench = dealt_over("? ? ? ? ? ?")
    assert not bench.frame()
    assert bench.stage() is Stage.PLAY


# --- illegal turns ---------------------------------------------------------------------------------------------------


def test_an_illegal_table_may_be_mended_while_there_is_time(bench: Bench) -> None:
    bench.lay("R9 R10 R12")
    fix = one(bench.call(), NoticeCode.FIX)
    assert fix.ruling is not None
    assert fix.ruling.verdict is Verdict.ILLEGAL
    assert not fix.ruling.final
    assert fix.seconds is not None
    assert 59 < fix.seconds < 60
    assert fix.ruling.quads  # the tiles that are at fault, in the picture
    assert bench.live.state.turn == 0
    said = bench.turn(OPENING)
    assert one(said, NoticeCode.RULED).ruling.verdict is Verdict.LEGAL  # type: ignore[union-attr]


def test_an_illegal_table_that_nobody_mends_is_put_back(bench: Bench) -> None:
    bench.turn(OPENING)
    bench.turn(f"{OPENING} | {SECOND}")
    bench.lay("R9 R10 R11 R12 | R13 B10 K10 O10")
    bench.call()
    said = bench.do(acts.Conclude())
    assert codes(said) == [NoticeCode.RULED, NoticeCode.RESTORE]
    assert one(said, NoticeCode.RULED).ruling.drew == 3  # type: ignore[union-attr]
    bench.frame()
    (step,) = bench.live.view.restoring
    assert (str(step.tile), step.kind.value, step.done) == ("R13", "move", False)
    assert step.lies is not None
    assert step.home is not None
    assert codes(bench.do(acts.CallTurnEnd())) == [NoticeCode.NOT_RESTORED]
    said = bench.lay(f"{OPENING} | {SECOND}")
    assert codes(said) == [NoticeCode.RESTORED, NoticeCode.TURN]
    assert bench.live.state.seat == 1
    assert bench.stage() is Stage.PLAY


def test_steps_of_putting_back_are_ticked_off(bench: Bench) -> None:
    bench.turn(OPENING)
    bench.turn(f"{OPENING} | {SECOND}")
    bench.lay("R9 R10 R11 | R12 B10 K10 | R13 O10 K1")
    bench.call()
    bench.do(acts.Conclude())
    bench.frame()
    assert {(str(step.tile), step.kind.value) for step in bench.live.view.restoring} == {
        ("R12", "move"), ("R13", "move"), ("O10", "move"), ("K1", "take_off"),
    }  # fmt: skip
    bench.lay("R9 R10 R11 R12 | B10 K10 | R13 O10 K1")
    done = {str(step.tile) for step in bench.live.view.restoring if step.done}
    assert done == {"R12"}
    assert bench.stage() is Stage.RESTORE


def test_tiles_whose_place_nobody_remembers_go_where_the_rules_send_them(bench: Bench) -> None:
    bench.turn(OPENING)
    bench.turn(f"{OPENING} | {SECOND}")
    bench.lay("R9 R10 R11 | R12 B10 K10 | R13 O10")
    bench.call()
    bench.do(acts.Conclude())
    bench.frame()
    said = bench.do(acts.Restored(remembered=False))
    assert NoticeCode.CORRECTED in codes(said)
    assert bench.live.state.table == "R9 R10 R11"
    assert bench.stage() is Stage.RESTORE
    said = bench.lay("R9 R10 R11")
    assert NoticeCode.RESTORED in codes(said)
    assert bench.stage() is Stage.PLAY


def test_a_referee_may_go_on_though_the_camera_does_not_see_the_table_restored(bench: Bench) -> None:
    bench.turn(OPENING)
    bench.lay("R9 R10 R11 R12 | R13")
    bench.call()
    bench.do(acts.Conclude())
    assert codes(bench.do(acts.Restored())) == [NoticeCode.REFUSED]
    assert codes(bench.do(acts.Restored(trust=True))) == [NoticeCode.RESTORED, NoticeCode.TURN]


def test_a_tile_taken_off_the_table_is_asked_about_before_anybody_is_blamed(bench: Bench) -> None:
    bench.turn(OPENING)
    bench.lay("R9 R10 R11 R12")
    ask = one(bench.call(), NoticeCode.ASK)
    (question,) = ask.questions
    assert (question.kind, [str(tile) for tile in question.choices]) == (QuestionKind.MISSING, ["R13"])
    bench.do(acts.AnswerTile(0, None))
    assert bench.stage() is Stage.FIX
    assert "table_tile_taken" in {finding.code.value for finding in bench.live.view.ruling.findings}  # type: ignore[union-attr]


# --- doubt ------------------------------------------------------------------------------------------------------------


def test_a_gap_that_may_be_a_face_down_tile_is_asked_about(bench: Bench) -> None:
    bench.turn(OPENING)
    asked = one(bench.turn(f"{OPENING} ?? B10 K10 O10"), NoticeCode.ASK).questions
    assert [(question.kind, question.choices) for question in asked] == [(QuestionKind.HIDDEN, ())]
    ruling = one(bench.do(acts.AnswerTile(0, None)), NoticeCode.RULED).ruling
    assert ruling is not None
    assert ruling.verdict is Verdict.LEGAL
    assert bench.live.state.table.count("|") == 1


@pytest.mark.parametrize(("text", "answer", "lies"), [
    ("B10 K10 O10 #", None, "B10 K10 O10"),
    ("B10 K10 #", "O10", "B10 K10 O10"),
    ("B10 K10 O10 ?", None, "B10 K10 O10"),
    ("B10 K10 ?", "O10", "B10 K10 O10"),
])  # fmt: skip
def test_a_place_without_a_face_is_one_question(bench: Bench, text: str, answer: str | None, lies: str) -> None:
    """Surely or not, covered or face-down: a human says what lies there, or that nothing does."""
    bench.turn(OPENING)
    (question,) = one(bench.turn(f"{OPENING} | {text}"), NoticeCode.ASK).questions
    assert question.kind is QuestionKind.HIDDEN
    said = bench.do(acts.AnswerTile(0, None if answer is None else parse_tile(answer), centre(question.quad)))
    ruling = one(said, NoticeCode.RULED).ruling
    assert ruling is not None
    assert (ruling.verdict, bench.live.state.table) == (Verdict.LEGAL, f"{OPENING} | {lies}")


def test_the_pool_is_not_asked_about(bench: Bench) -> None:
    bench.turn(OPENING)
    said = bench.turn(f"{OPENING} | B10 K10 O10 | ? ? ? ? ?")
    assert one(said, NoticeCode.RULED).ruling.verdict is Verdict.LEGAL  # type: ignore[union-attr]
    asked = one(bench.turn(f"{OPENING} | B10 K10 O10 | B1/B7 B2 B3 | ? ? ? ? ?"), NoticeCode.ASK).questions
    assert [question.kind for question in asked] == [QuestionKind.DOUBTFUL]


def test_an_answer_while_the_table_is_put_back_opens_no_turn_again(bench: Bench) -> None:
    bench.turn(OPENING)
    bench.turn(f"{OPENING} | B10 K10 R2 | B5 K5 #")
    bench.do(acts.Conclude())
    assert bench.stage() is Stage.RESTORE
    seat, racks = bench.live.state.seat, bench.live.state.racks
    bench.lay(f"{OPENING} #")
    (question,) = bench.live.view.questions
    said = codes(bench.do(acts.AnswerTile(0, None, centre(question.quad))))
    assert NoticeCode.UNDONE not in said
    assert NoticeCode.RESTORED in said
    assert (bench.live.state.seat, bench.live.state.racks) == (seat, racks)


def test_a_sleeve_over_a_set_is_asked_about_once(bench: Bench) -> None:
    bench.turn(OPENING)
    said = [*bench.turn(f"{OPENING} | B10 K10 #")]
    for shift in (9.0, 20.0, 31.0):
        seen = table(f"{OPENING} | B10 K10 #")
        a, b, c, d = ((x + shift, y) for x, y in seen.unread[0])
        bench.watch.lay(replace(seen, unread=((a, b, c, d),)))
        said += [*bench.frame(), *bench.frame()]
    assert codes(tuple(said)).count(NoticeCode.ASK) == 1


def test_a_face_down_tile_that_was_misnamed_is_put_right_when_it_is_turned_up(bench: Bench) -> None:
    bench.turn(OPENING)
    bench.turn(f"{OPENING} | B10 K10 ?")
    bench.do(acts.AnswerTile(0, parse_tile("R10")))
    bench.lay(f"{OPENING} | B10 K10 J")
    (question,) = one(bench.call(), NoticeCode.ASK).questions
    said = bench.do(acts.AnswerTile(0, parse_tile("J"), centre(question.quad)))
    assert NoticeCode.CORRECTED in codes(said)
    assert (bench.last.how, bench.last.verdict) == ("drew", "legal")


def test_a_second_tap_takes_no_other_tile_off(bench: Bench) -> None:
    """Its question was answered by the first tap, and its number is another's now."""
    bench.turn(OPENING)
    first, second = one(bench.turn(f"{OPENING} ?? B10 K10 O10 | K1 ?? K3"), NoticeCode.ASK).questions
    tap = acts.AnswerTile(0, None, centre(first.quad))
    bench.do(tap)
    assert codes(bench.do(tap)) == [NoticeCode.REFUSED]
    assert [question.quad for question in bench.live.view.questions] == [second.quad]


def test_a_face_down_tile_that_was_asked_about_may_be_named(bench: Bench) -> None:
    bench.turn(OPENING)
    bench.turn(f"{OPENING} | B10 ?? O10")
    ruling = one(bench.do(acts.AnswerTile(0, parse_tile("K10"))), NoticeCode.RULED).ruling
    assert ruling is not None
    assert ruling.verdict is Verdict.LEGAL


def test_a_doubtful_tile_is_one_question_and_two_keys(bench: Bench) -> None:
    bench.lay("R6/R9 R7 R8 R9 | K9 B9 O9")
    said = bench.call()
    (question,) = one(said, NoticeCode.ASK).questions
    assert question.kind is QuestionKind.DOUBTFUL
    assert {str(tile) for tile in question.choices} == {"R6", "R9"}
    assert not bench.frame()  # asked once
    choice = [str(tile) for tile in question.choices].index("R6")
    said = bench.do(acts.AnswerChoice(0, choice))
    assert one(said, NoticeCode.RULED).ruling.verdict is Verdict.LEGAL  # type: ignore[union-attr]
    assert bench.live.state.table == "R6 R7 R8 R9 | K9 B9 O9"
    answers = [record for record in bench.evidence.records if record.occasion is Occasion.ANSWER]
    assert [str(word.said) for record in answers for word in record.words] == ["R6"]


def test_a_doubt_that_changes_nothing_is_not_asked_about(bench: Bench) -> None:
    said = bench.turn("R9 R10 R12 R1/R7")
    assert NoticeCode.FIX in codes(said)


def test_an_answer_holds_for_the_turns_that_follow(bench: Bench) -> None:
    bench.turn("R6/R9 R7 R8 R9 | K9 B9 O9")
    bench.do(acts.AnswerTile(0, parse_tile("R6")))
    said = bench.turn("R6/R9 R7 R8 R9 | K9 B9 O9 | B10 K10 O10")
    assert one(said, NoticeCode.RULED).ruling.verdict is Verdict.LEGAL  # type: ignore[union-attr]
    assert bench.live.state.table.startswith("R6 R7 R8 R9")


@pytest.mark.parametrize("read", ["B13", "?", ""], ids=["another", "face-down", "missed"])
def test_an_answer_outlives_the_program_as_long_as_the_tile_stands(read: str, bench: Bench) -> None:
    bench.turn(OPENING)
    bench.turn(f"R9 R10 R11 R12 {read}")
    bench.do(acts.AnswerTile(0, parse_tile("R13")))
    assert (bench.last.verdict, bench.live.state.table) == ("legal", OPENING)
    bench.begun()
    said = bench.turn(f"R9 R10 R11 R12 {read} | B10 K10 O10")
    assert NoticeCode.ASK not in codes(said)
    assert one(said, NoticeCode.RULED).ruling.verdict is Verdict.LEGAL  # type: ignore[union-attr]
    assert set(bench.live.state.table.split(" | ")) == {OPENING, "B10 K10 O10"}


def test_an_answer_holds_when_its_turn_is_taken_back(bench: Bench) -> None:
    bench.turn("R6/R9 R7 R8 R9 | K9 B9 O9")
    bench.do(acts.AnswerTile(0, parse_tile("R6")))
    bench.do(acts.Undo())
    bench.frame()
    said = bench.call()
    assert NoticeCode.ASK not in codes(said)
    assert bench.live.state.table == "R6 R7 R8 R9 | K9 B9 O9"


def test_an_answer_is_no_word_on_another_tile_that_lies_there_later(bench: Bench) -> None:
    bench.turn("R6/R9 R7 R8 R9 | K9 B9 O9")
    bench.do(acts.AnswerTile(0, parse_tile("R6")))
    bench.begun()
    bench.turn("K10/K11 B10 O10 | R6 R7 R8 R9 | K9 B9 O9")  # where R6 lay lies another tile in doubt
    (question,) = bench.live.view.questions
    assert {str(tile) for tile in question.choices} == {"K10", "K11"}


def test_a_joker_of_an_open_kind_is_asked_about_where_the_ruling_hangs_on_it() -> None:
    bench = Bench(load_ruleset("twist-pl"))
    said = bench.turn("R9 R10 J R13 | K7 B7 O7")
    (question,) = one(said, NoticeCode.ASK).questions
    assert {str(tile) for tile in question.choices} == {"J", "JD", "JC", "JM"}
    said = bench.do(acts.AnswerTile(0, parse_tile("JD")))  # a double stands for both that are missing
    assert one(said, NoticeCode.RULED).ruling.verdict is Verdict.LEGAL  # type: ignore[union-attr]
    assert bench.live.state.table.startswith("R9 R10 JD R13")
    said = bench.turn("R9 R10 J R13 | K7 B7 O7 | B10 K10 O10")
    assert one(said, NoticeCode.RULED).ruling.verdict is Verdict.LEGAL  # type: ignore[union-attr]


def test_a_turn_that_nobody_could_tell_is_ruled_on_when_its_table_is_told(bench: Bench) -> None:
    bench.turn(OPENING)
    bench.do(acts.TellTable(f"{OPENING} | K1 K2"))  # an illegal set lies there by the referee's word
    said = bench.turn(f"{OPENING} | K1 K2 | {SECOND}")
    assert NoticeCode.DOUBT in codes(said)
    assert bench.stage() is Stage.QUESTION
    assert codes(bench.do(acts.TellTable(f"{OPENING} | K1 K2 | {SECOND}"))) == [NoticeCode.REFUSED]
    said = bench.do(acts.TellTable(f"{OPENING} | K1 K2 K3 | B10 K10"))
    assert one(said, NoticeCode.OVERRULED).ruling.verdict is Verdict.ILLEGAL  # type: ignore[union-attr]
    assert bench.live.state.turn == 2


def test_a_changed_reading_of_an_unmoved_tile_is_a_question_and_no_event(bench: Bench) -> None:
    bench.turn(OPENING)
    bench.lay("R9 R10 R11 R12 O13")
    (question,) = one(bench.call(), NoticeCode.ASK).questions
    assert question.kind is QuestionKind.CHANGED
    bench.do(acts.AnswerTile(0, parse_tile("R13")))
    assert (bench.last.how, bench.last.verdict) == ("drew", "legal")


def test_an_old_misreading_is_healed_by_a_later_answer(bench: Bench) -> None:
    """Hard case 16: after one misread every later legal move is rejected."""
    bench.turn("R9 R10 R11 R12 R13 | K5 B5 O5")
    bench.lay("R9 R10 R11 R12 R13 | K5 B5 R5")  # O5 was misread: it is red
    bench.call()
    said = bench.do(acts.AnswerTile(0, parse_tile("R5")))
    assert NoticeCode.CORRECTED in codes(said)
    assert bench.live.state.table == "R9 R10 R11 R12 R13 | K5 B5 R5"
    assert (bench.last.how, bench.last.verdict) == ("drew", "legal")


def test_a_joker_that_was_taken_for_a_tile_of_the_rack_is_missed(bench: Bench) -> None:
    """The tile lies exactly where the joker lay, and the joker nowhere: what a human answers is no old misreading."""
    bench.turn("R9 R10 J R12 R13 | K5 B5 O5")
    bench.lay("R9 R10 R11 R12 R13 | K5 B5 O5")
    (question,) = one(bench.call(), NoticeCode.ASK).questions
    assert question.kind is QuestionKind.CHANGED
    said = bench.do(acts.AnswerTile(0, parse_tile("R11")))
    ruling = one(said, NoticeCode.FIX).ruling
    assert ruling is not None
    assert ruling.verdict is Verdict.ILLEGAL
    assert "J" in bench.live.state.table.split()


def test_a_tile_that_was_exchanged_in_its_place_changes_nothing_in_the_log(bench: Bench) -> None:
    """One tile of a group is moved on, and another is laid where it was: the eyes hold both possible, and ask."""
    bench.turn("K6 O6 R6 B6 | K3 K4 K5")
    bench.lay("K4/K6 O6 R6 | K3 K4 K5 K6")
    asked = one(bench.call(), NoticeCode.ASK).questions
    assert asked[0].choices[0] == parse_tile("K6")
    bench.do(acts.AnswerTile(0, parse_tile("K4")))
    assert bench.live.state.table == "K6 O6 R6 B6 | K3 K4 K5"


def test_a_covered_tile_is_asked_about_until_the_cover_is_gone_or_the_referee_rules(bench: Bench) -> None:
    asked = one(bench.turn(f"{OPENING} #"), NoticeCode.ASK).questions
    assert [(question.kind, question.choices) for question in asked] == [(QuestionKind.HIDDEN, ())]
    assert bench.stage() is Stage.CALLED
    bench.watch.lay(table(OPENING))
    assert NoticeCode.RULED in codes(bench.frame())


def test_the_referees_word_ends_a_doubt(bench: Bench) -> None:
    bench.turn(f"{OPENING} #")
    said = bench.do(acts.Overrule(legal=False, reason="a joker lies below"))
    assert one(said, NoticeCode.OVERRULED).ruling.verdict is Verdict.ILLEGAL  # type: ignore[union-attr]
    assert (bench.last.machine, bench.last.by) == ("cannot_tell", "referee")


def test_the_referees_word_never_rests_on_a_look_from_before_the_call(bench: Bench) -> None:
    bench.turn(OPENING)
    bench.frame()
    bench.watch.busy = "hand"
    bench.call()
    assert codes(bench.do(acts.Overrule(legal=True))) == [NoticeCode.REFUSED]
    bench.do(acts.TellTable(f"{OPENING} | {SECOND}"))
    assert (bench.last.verdict, bench.last.played) == ("legal", 3)


def test_more_copies_than_the_box_holds_are_asked_about(bench: Bench) -> None:
    said = bench.turn("R10 B10 K10 | R10 B10 O10 | R10 K10 O10")
    assert {question.kind for question in one(said, NoticeCode.ASK).questions} == {QuestionKind.COPIES}


# --- the clock --------------------------------------------------------------------------------------------------------


def test_the_bell_ends_a_turn_in_which_nothing_was_begun_with_a_draw(bench: Bench) -> None:
    said = bench.wait(61)
    assert codes(said) == [NoticeCode.BELL]
    said = bench.frame()
    assert codes(said) == [NoticeCode.RULED, NoticeCode.TURN]
    assert (bench.last.how, bench.last.drew, bench.last.verdict) == ("time_up", 1, "legal")


def test_a_table_unfinished_at_the_bell_costs_and_is_put_back(bench: Bench) -> None:
    bench.turn(OPENING)
    bench.lay("R9 R10 R11 R12 | R13")
    bench.wait(61)
    said = bench.frame()
    assert codes(said) == [NoticeCode.RULED, NoticeCode.RESTORE]
    assert (bench.last.drew, bench.last.overrun) == (3, True)


def test_a_table_that_is_right_at_the_bell_stands(bench: Bench) -> None:
    bench.lay(OPENING)
    bench.wait(61)
    said = bench.frame()
    assert one(said, NoticeCode.RULED).ruling.verdict is Verdict.LEGAL  # type: ignore[union-attr]


def test_what_is_laid_between_the_bell_and_the_first_still_look_is_seen_with_the_hand(bench: Bench) -> None:
    bench.wait(61)
    bench.watch.busy = "hand"
    assert not bench.frame()
    assert bench.stage() is Stage.BELL


def test_tidying_after_the_bell_where_the_rules_allow_it() -> None:
    bench = Bench(changed(load_ruleset(), late_tidy="allowed", tidy_s=15, tidy_penalised=False))
    bench.turn(OPENING)
    bench.turn(f"{OPENING} | {SECOND}")
    bench.lay(f"R9 R10 R11 R12 | R13 | {SECOND}")
    bench.wait(61)
    tidy = one(bench.frame(), NoticeCode.TIDY)
    assert tidy.seconds == 15
    assert bench.live.view.tidy_left_s == pytest.approx(15)
    bench.wait(5)
    said = bench.turn(f"{OPENING} | {SECOND}")
    assert NoticeCode.RULED in codes(said)
    assert bench.last.verdict in {"legal", "illegal"}
    assert bench.live.state.seat == 1


def test_tidying_that_takes_too_long_is_ruled_as_it_lies() -> None:
    bench = Bench(changed(load_ruleset(), late_tidy="allowed", tidy_s=15))
    bench.turn(OPENING)
    bench.lay("R9 R10 R11 R12 | R13")
    bench.wait(61)
    bench.frame()
    bench.wait(16)
    assert bench.stage() is Stage.TIDIED
    said = bench.frame()
    assert one(said, NoticeCode.RULED).ruling.verdict is Verdict.ILLEGAL  # type: ignore[union-attr]
    assert bench.stage() is Stage.RESTORE


def test_a_pause_stops_the_clock_and_notices_a_changed_table(bench: Bench) -> None:
    bench.turn(OPENING)
    bench.wait(40)
    bench.do(acts.Pause())
    bench.frame()
    assert not bench.wait(500)
    assert NoticeCode.CHANGED_IN_PAUSE in codes(bench.lay("R9 R10 R11 R12"))
    bench.do(acts.Resume())
    assert bench.live.view.left_s == pytest.approx(20, abs=1)
    assert codes(bench.wait(21)) == [NoticeCode.BELL]


def test_an_extension_is_granted_once_where_the_rules_know_one() -> None:
    bench = Bench(changed(load_ruleset(), extension_s=30))
    assert one(bench.do(acts.Extend()), NoticeCode.EXTENDED).seconds == 30
    assert codes(bench.do(acts.Extend())) == [NoticeCode.REFUSED]
    assert not bench.wait(80)
    assert codes(bench.wait(12)) == [NoticeCode.BELL]


def test_a_clock_that_a_player_starts_waits_for_him() -> None:
    bench = Bench(load_ruleset("jp"))
    assert bench.stage() is Stage.READY
    assert bench.live.view.clock_starter == 0
    assert not bench.wait(1000)
    bench.do(acts.StartClock())
    assert bench.stage() is Stage.PLAY


@pytest.mark.parametrize("jump", [-7200.0, 7200.0])
def test_a_clock_that_jumps_disturbs_no_ruling(bench: Bench, jump: float) -> None:
    bench.lay(OPENING)
    bench.do(acts.CallTurnEnd())
    bench.jump += jump
    bench.frame()
    assert bench.last.elapsed_s == pytest.approx(0.4, abs=0.2)
    bench.jump += jump
    assert not bench.wait(30)
    assert NoticeCode.RULED in codes(bench.turn(f"{OPENING} | {SECOND}"))


# --- the referee --------------------------------------------------------------------------------------------------


def test_the_referee_overrules_the_last_turn_and_both_are_kept(bench: Bench) -> None:
    bench.turn(OPENING)
    said = bench.do(acts.Overrule(legal=False, reason="a tile was slipped in"))
    assert NoticeCode.OVERRULED in codes(said)
    assert (bench.last.verdict, bench.last.machine, bench.last.by) == ("illegal", "legal", "referee")
    assert bench.stage() is Stage.RESTORE
    assert NoticeCode.RESTORED in codes(bench.lay(""))


def test_a_turn_is_taken_back(bench: Bench) -> None:
    bench.turn(OPENING)
    assert codes(bench.do(acts.Undo())) == [NoticeCode.UNDONE, NoticeCode.TURN]
    assert bench.live.state.seat == 0
    assert NoticeCode.RULED in codes(bench.turn(OPENING))


def test_a_forgotten_call_is_recorded_as_one_turn(bench: Bench) -> None:
    """Hard case 17."""
    bench.turn(OPENING)
    bench.lay(f"{OPENING} | {SECOND} | K1 K2 K3")
    bench.do(acts.PlayedInstead((1, 0), (3, 3)))
    assert bench.live.state.racks == (6, 11)
    assert bench.live.state.seat == 1
    assert NoticeCode.RULED in codes(bench.turn(f"{OPENING} | {SECOND} | K1 K2 K3"))


def test_tiles_added_between_turns_are_taken_over_by_the_referees_word(bench: Bench) -> None:
    bench.turn(OPENING)
    bench.lay(f"{OPENING} R9")
    bench.do(acts.AcceptTable())
    assert bench.live.state.racks == (8, 14)
    assert (bench.last.how, bench.stage()) == ("played", Stage.PLAY)
    bench.turn(f"{OPENING} R9")
    assert bench.last.how == "drew"


@pytest.mark.parametrize("act", [acts.AcceptTable(), acts.PlayedInstead((1, 0), (3, 0))])
def test_a_table_under_a_hand_is_not_taken_over_as_it_was_seen_before(bench: Bench, act: acts.Act) -> None:
    bench.turn(OPENING)
    bench.lay(f"{OPENING} | {SECOND}")
    before = bench.live.state
    bench.watch.busy = "hand"
    bench.frame()
    (refused,) = bench.do(act)
    assert (refused.code, bench.live.state) == (NoticeCode.REFUSED, before)
    assert "not still" in refused.text
    bench.lay(f"{OPENING} | {SECOND}")
    assert NoticeCode.REFUSED not in codes(bench.do(act))
    assert SECOND in bench.live.state.table


def test_a_nudged_table_is_the_same_table(bench: Bench) -> None:
    bench.turn(f"{OPENING} | {SECOND}")
    bench.turn(f"{SECOND} | {OPENING}")  # every tile lies elsewhere
    assert (bench.last.how, bench.last.verdict) == ("drew", "legal")


def test_a_turn_can_always_count_as_a_draw(bench: Bench) -> None:
    bench.lay("R9 R10 R12")
    bench.do(acts.CallTurnEnd())
    bench.do(acts.CountAsDraw())
    assert bench.last.how == "drew"
    assert bench.stage() is Stage.RESTORE


def test_the_referee_tells_a_table_that_the_camera_cannot_read(bench: Bench) -> None:
    bench.do(acts.CallTurnEnd())
    said = bench.do(acts.TellTable(OPENING))
    assert NoticeCode.RULED in codes(said)
    assert bench.live.state.table == OPENING


def test_more_tiles_laid_than_the_rack_holds_is_said_and_not_the_end(bench: Bench) -> None:
    runs = "R1 R2 R3 R4 R5 R6 R7 R8 R9 R10 R11 R12 R13 | K1 K2 K3"
    said = bench.turn(runs)
    assert NoticeCode.REFUSED in codes(said)
    assert not bench.frame()
    bench.do(acts.CountAsDraw())
    assert bench.live.state.seat == 1


# --- the end of a round -------------------------------------------------------------------------------------------


def win(bench: Bench) -> None:
    """Seat 0 lays its whole rack."""
    bench.turn("R9 R10 R11 R12 R13 | B10 K10 O10 | K1 K2 K3 | O4 O5 O6")


def test_a_round_from_the_last_tile_to_the_next_round(bench: Bench) -> None:
    win(bench)
    assert bench.stage() is Stage.COUNT
    assert codes(bench.do(acts.CountRound())) == [NoticeCode.REFUSED]
    rack = tuple(map(parse_tile, "R1 R2 R3 R4 R5 R6 R7 R8 B1 B2 B3 B4 B5 J".split()))
    bench.do(acts.ShowRack(1, rack))
    said = bench.do(acts.CountRound())
    assert one(said, NoticeCode.SCORED).numbers == (81, -81)
    assert bench.live.view.stage is Stage.BETWEEN
    assert [seat.total for seat in bench.live.view.seats] == [81, -81]
    bench.do(acts.NextRound())
    bench.do(acts.NameStarter(1))
    bench.do(acts.DealTiles())
    assert (bench.stage(), bench.live.state.seat, bench.live.state.round) == (Stage.PLAY, 1, 2)
    bench.lay("")
    bench.turn(OPENING)
    assert bench.last.verdict == "legal"


def test_a_rack_is_read_from_the_camera(bench: Bench) -> None:
    win(bench)
    bench.do(acts.ShowRack(1))
    said = bench.lay("R1 R2 R3 R4 R5 R6 R7 | R8 B1 B2 B3 B4 B5 J")
    rack = [str(tile) for tile in one(said, NoticeCode.RACK).tiles]
    assert rack == "R1 R2 R3 R4 R5 R6 R7 R8 B1 B2 B3 B4 B5 J".split()
    assert NoticeCode.SCORED in codes(bench.do(acts.CountRound()))


def test_a_rack_that_cannot_be_read_is_told_or_shown_again(bench: Bench) -> None:
    win(bench)
    bench.do(acts.ShowRack(1))
    assert NoticeCode.RACK_UNREAD in codes(bench.lay("R1 R2 R6/R9"))
    assert codes(bench.do(acts.CountRound())) == [NoticeCode.REFUSED]


def test_a_rack_of_another_number_than_the_logs_is_said_and_counts_by_the_referees_word(bench: Bench) -> None:
    win(bench)
    bench.do(acts.ShowRack(1, tuple(map(parse_tile, ["R1", "R2"]))))
    said = bench.do(acts.CountRound())
    assert one(said, NoticeCode.MISCOUNT).numbers == (1, 14, 2)
    assert one(bench.do(acts.CountRound(as_shown=True)), NoticeCode.SCORED).numbers == (3, -3)


def test_a_declared_win_that_the_log_does_not_see(bench: Bench) -> None:
    bench.lay(OPENING)
    said = bench.call(won=True)
    assert one(said, NoticeCode.WIN_DOUBTED).numbers == (9,)
    bench.do(acts.ConfirmWin(0))
    assert bench.stage() is Stage.COUNT


# --- trouble ------------------------------------------------------------------------------------------------------


def test_another_program_on_the_same_store_goes_on_from_the_last_event(bench: Bench) -> None:
    bench.turn(OPENING)
    bench.lay(f"{OPENING} | {SECOND}")
    again = Bench(store=bench.store, start=False)
    again.watch.lay(table(f"{OPENING} | {SECOND}"))
    assert again.stage() is Stage.PLAY
    assert again.live.state.seat == 1
    again.frame()
    said = again.call()
    assert one(said, NoticeCode.RULED).ruling.verdict is Verdict.LEGAL  # type: ignore[union-attr]
    assert again.live.state.table == f"{OPENING} | {SECOND}"


def test_a_start_in_the_middle_of_putting_back_goes_on_with_it(bench: Bench) -> None:
    bench.turn(OPENING)
    bench.lay("R9 R10 R11 R12 | R13")
    bench.call()
    bench.do(acts.Conclude())
    again = Bench(store=bench.store, start=False)
    assert again.stage() is Stage.RESTORE
    assert NoticeCode.RESTORED in codes(again.lay(OPENING))


def test_two_programs_on_one_game_do_not_overwrite_each_other(bench: Bench) -> None:
    other = Bench(store=bench.store, start=False)
    other.frame()
    bench.turn(OPENING)
    said = other.turn("B11 B12 B13")
    assert NoticeCode.GONE_ON_ELSEWHERE in codes(said)
    assert other.live.state == bench.live.state


def test_a_game_of_other_rules_is_not_gone_on_with(bench: Bench) -> None:
    with pytest.raises(Exception, match="played by international"):
        Bench(load_ruleset("wrc"), bench.store, start=False)


def test_evidence_is_kept_of_every_turn(bench: Bench) -> None:
    bench.turn(OPENING)
    bench.turn(OPENING)
    turns = [record for record in bench.evidence.records if record.occasion is Occasion.TURN]
    assert [record.version for record in turns] == [4, 5]
    assert set(turns[1].pictures) == {"before", "after"}
    assert turns[1].reading is not None
    assert turns[0].times["elapsed_s"] > 0


def test_the_store_holds_the_whole_game() -> None:
    store = open_store()
    bench = Bench(store=store)
    bench.turn(OPENING)
    assert len(store.load("game")) == 4
    assert bench.live.state.phase is Phase.PLAY


def test_a_penalty_is_told_as_it_was_given(bench: Bench) -> None:
    """The pool holds fewer tiles than were asked for."""
    bench.turn(OPENING)
    pool = bench.live.state.pool
    told = one(bench.do(acts.GivePenalty(1, pool + 30, 5, "late")), NoticeCode.PENALTY)
    assert told.numbers == (pool, 5)
    assert bench.live.state.pool == 0
