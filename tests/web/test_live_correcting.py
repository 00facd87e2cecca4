"""Corrections of any tile of a reading, asked or not, and the ruling that is made again at once."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from referee.observation import Point
from referee.places import centre
from referee.protocol import Stage
from referee.ruling import Verdict
from referee.tiles import Tile, parse_tile
from tests.web.fakes import table
from tests.web.live_table import Bench, codes, one
from web.evidence.again import with_words
from web.evidence.record import fields_of
from web.evidence.turn import Occasion
from web.live import acts
from web.live.notices import NoticeCode
from web.live.view import ReadView

OPENING = "R9 R10 R11 R12 R13"
MISREAD = "R9 R10 B11 R12 R13"


@pytest.fixture
def bench() -> Bench:
    return Bench()


def read(bench: Bench) -> ReadView:
    shown = bench.live.view.read
    assert shown is not None
    return shown


def lies(bench: Bench, code: str) -> Point:
    """Where the eyes see the first tile of a name."""
    tiles = read(bench).observation.tiles
    return next(centre(seen.quad) for seen in tiles if seen.readings and str(seen.readings[0].tile) == code)


def tile(code: str) -> Tile:
    return parse_tile(code)


def test_a_tile_that_was_surely_misread_is_corrected_while_the_table_may_be_mended(bench: Bench) -> None:
    bench.turn(MISREAD)
    assert bench.stage() is Stage.FIX
    said = bench.do(acts.CorrectTile(lies(bench, "B11"), tile("R11")))
    ruling = one(said, NoticeCode.RULED).ruling
    assert ruling is not None
    assert (ruling.verdict, ruling.opening, ruling.final) == (Verdict.LEGAL, 55, True)
    assert (bench.live.state.racks, bench.live.state.seat) == ((9, 14), 1)


def test_the_correction_is_kept_as_a_humans_word_beside_what_the_eyes_read(bench: Bench) -> None:
    bench.turn(MISREAD)
    bench.do(acts.CorrectTile(lies(bench, "B11"), tile("R11")))
    words = [word for record in bench.evidence.records for word in record.words]
    assert [(str(word.said), str(word.read[0].tile)) for word in words if word.read] == [("R11", "B11")]


def test_a_program_that_starts_again_knows_the_correction_still(bench: Bench) -> None:
    bench.lay(MISREAD)
    bench.do(acts.CorrectTile(lies(bench, "B11"), tile("R11")))
    bench.begun()
    bench.frame()
    assert bench.live.view.lying == OPENING


def test_what_was_said_of_places_is_known_still_when_the_program_starts_again(bench: Bench) -> None:
    bench.lay("R9 R10 R11 | R12 B9 K9 | K3 | O1")
    bench.do(acts.RemoveTile(lies(bench, "K3")))
    bench.do(acts.MoveTile(lies(bench, "R12"), lies(bench, "R11")))
    bench.do(acts.RemoveTile(lies(bench, "O1")))
    bench.do(acts.TakeBackCorrection())
    x, y = lies(bench, "K9")
    bench.do(acts.AddTile((x + 47, y), tile("O9")))
    told = bench.live.view.lying
    assert told == "R9 R10 R11 R12 | B9 K9 O9 | O1"
    bench.begun()
    bench.frame()
    assert bench.live.view.lying == told
    bench.do(acts.TakeBackCorrection())
    assert bench.live.view.lying == "R9 R10 R11 R12 | B9 K9 | O1"


def test_words_about_places_are_forgotten_where_other_tiles_lie_when_the_program_starts_again(bench: Bench) -> None:
    bench.lay(f"{OPENING} | K3")
    bench.do(acts.MoveTile(lies(bench, "R13"), None))
    bench.do(acts.RemoveTile(lies(bench, "K3")))
    bench.watch.lay(table("B1 B2 B3 B4 B5 | K4"))
    bench.begun()
    bench.frame()
    assert bench.live.view.lying == "B1 B2 B3 B4 B5 | K4"


def test_a_turn_that_is_ruled_on_again_knows_all_that_was_said_in_it(bench: Bench) -> None:
    """One tile was named and one added before the call, and another is found to be misread after the ruling."""
    bench.lay("R9 R10 B11 R12 R13 | B10 K10")
    x, y = lies(bench, "K10")
    bench.do(acts.AddTile((x + 47, y), tile("O10")))
    bench.do(acts.CorrectTile(lies(bench, "B11"), tile("R11")))
    assert one(bench.call(), NoticeCode.RULED).ruling.verdict is Verdict.LEGAL  # type: ignore[union-attr]
    at = lies(bench, "K10")
    bench.do(acts.CorrectTile(at, tile("B12")))
    assert (bench.stage(), bench.live.view.lying) == (Stage.FIX, f"{OPENING} | B10 B12 O10")
    bench.do(acts.CorrectTile(at, tile("K10")))
    assert (bench.last.verdict, bench.live.state.table) == ("legal", f"{OPENING} | B10 K10 O10")


def test_a_word_that_is_taken_back_after_the_ruling_stays_taken_back(bench: Bench) -> None:
    bench.lay(f"{OPENING} | B10 K10 O10 | K3")
    bench.do(acts.RemoveTile(lies(bench, "K3")))
    assert one(bench.call(), NoticeCode.RULED).ruling.verdict is Verdict.LEGAL  # type: ignore[union-attr]
    assert codes(bench.do(acts.TakeBackCorrection())) == [NoticeCode.UNDONE, NoticeCode.FIX]
    assert bench.live.view.lying == f"{OPENING} | B10 K10 O10 | K3"


def test_a_correction_before_the_call_is_kept_for_the_ruling(bench: Bench) -> None:
    bench.lay(MISREAD)
    assert codes(bench.do(acts.CorrectTile(lies(bench, "B11"), tile("R11")))) == []
    assert bench.live.view.lying == OPENING
    assert one(bench.call(), NoticeCode.RULED).ruling.verdict is Verdict.LEGAL  # type: ignore[union-attr]


def test_a_turn_that_is_over_is_ruled_on_again(bench: Bench) -> None:
    bench.turn(MISREAD)
    bench.do(acts.Conclude())
    assert (bench.stage(), bench.last.verdict) == (Stage.RESTORE, "illegal")
    said = bench.do(acts.CorrectTile(lies(bench, "B11"), tile("R11")))
    assert codes(said) == [NoticeCode.UNDONE, NoticeCode.RULED, NoticeCode.TURN]
    assert (bench.last.verdict, bench.live.state.racks, bench.live.state.seat) == ("legal", (9, 14), 1)


def test_a_legal_turn_that_was_misread_is_ruled_on_again(bench: Bench) -> None:
    bench.turn(OPENING)
    said = bench.do(acts.CorrectTile(lies(bench, "R11"), tile("B11")))
    assert codes(said) == [NoticeCode.UNDONE, NoticeCode.FIX]
    assert (bench.stage(), bench.live.state.seat, bench.live.state.table) == (Stage.FIX, 0, "")


def test_the_next_players_tiles_are_not_ruled_on_by_a_correction(bench: Bench) -> None:
    bench.turn(OPENING)
    bench.lay(f"{OPENING} | B9 B10 K11")
    assert codes(bench.do(acts.CorrectTile(lies(bench, "K11"), tile("B11")))) == []
    assert (bench.live.state.turn, bench.stage()) == (1, Stage.PLAY)


def test_a_mended_table_is_not_ruled_on_before_it_is_called(bench: Bench) -> None:
    bench.turn("R9 R10 B11")
    bench.lay("R9 R10 B11 B12")
    assert codes(bench.do(acts.CorrectTile(lies(bench, "B11"), tile("R11")))) == []
    assert bench.stage() is Stage.FIX


def test_a_false_tile_is_removed_and_stays_removed_while_the_eyes_see_it(bench: Bench) -> None:
    bench.turn(f"{OPENING} | K3")
    assert bench.stage() is Stage.FIX
    said = bench.do(acts.RemoveTile(lies(bench, "K3")))
    assert one(said, NoticeCode.RULED).ruling.verdict is Verdict.LEGAL  # type: ignore[union-attr]
    assert bench.live.state.table == OPENING
    bench.turn(f"{OPENING} | K3")
    assert (bench.last.how, bench.last.verdict) == ("drew", "legal")


def test_a_tile_that_comes_where_a_false_one_was_seen_counts(bench: Bench) -> None:
    bench.turn(f"{OPENING} | K3")
    bench.do(acts.RemoveTile(lies(bench, "K3")))
    bench.lay(f"{OPENING} | K4")
    assert bench.live.view.lying == f"{OPENING} | K4"


def test_a_missed_tile_is_added_beside_its_set(bench: Bench) -> None:
    bench.turn("R9 R10 R11 R12 R13 | B1")
    bench.do(acts.RemoveTile(lies(bench, "B1")))
    seen = table("R9 R10 R11 R12 R13 | B10 K10")
    bench.watch.lay(seen)
    bench.frame()
    bench.frame()
    x, y = lies(bench, "K10")
    bench.do(acts.AddTile((x + 47, y), tile("O10")))
    assert bench.live.view.lying == f"{OPENING} | B10 K10 O10"


def test_an_added_tile_that_the_eyes_see_after_all_is_not_there_twice(bench: Bench) -> None:
    bench.lay(f"{OPENING} | B10 K10")
    x, y = lies(bench, "K10")
    bench.do(acts.AddTile((x + 47, y), tile("O10")))
    assert bench.live.view.lying == f"{OPENING} | B10 K10 O10"
    bench.lay(f"{OPENING} | B10 K10 O10")
    assert bench.live.view.lying == f"{OPENING} | B10 K10 O10"


def test_a_tile_is_moved_to_the_set_where_it_belongs(bench: Bench) -> None:
    bench.lay("R9 R10 R11 B12 B13 | R12")
    bench.do(acts.MoveTile(lies(bench, "R12"), lies(bench, "R11")))
    bench.do(acts.CutSet(lies(bench, "B12")))
    assert bench.live.view.lying == "R9 R10 R11 R12 | B12 B13"


def test_a_correction_of_a_place_is_taken_back(bench: Bench) -> None:
    bench.lay(f"{OPENING} | K3")
    bench.do(acts.RemoveTile(lies(bench, "K3")))
    assert bench.live.view.lying == OPENING
    bench.do(acts.TakeBackCorrection())
    assert bench.live.view.lying == f"{OPENING} | K3"
    assert codes(bench.do(acts.TakeBackCorrection())) == [NoticeCode.REFUSED]


def test_what_was_said_of_places_holds_when_the_picture_is_looked_at_again(bench: Bench) -> None:
    bench.turn(f"{OPENING} | K3")
    bench.do(acts.RemoveTile(lies(bench, "K3")))
    bench.turn(f"{OPENING} | B9 B10 | B11")
    bench.do(acts.MoveTile(lies(bench, "B11"), lies(bench, "B10")))
    for record, wanted in [(bench.evidence.records[k], wanted) for k, wanted in ended(bench)]:
        told = json.loads(json.dumps(fields_of(record, None)["words"]))
        shot = record.pictures["after"].seen
        assert shot is not None
        again = with_words(shot, told)
        assert [[str(again.tiles[i].readings[0].tile) for i in row.tiles] for row in again.rows] == wanted


def ended(bench: Bench) -> list[tuple[int, list[list[str]]]]:
    """The records of both turns, and the sets that each is about."""
    turns = [k for k, record in enumerate(bench.evidence.records) if record.occasion is Occasion.TURN]
    return list(zip(turns, [[OPENING.split()], [OPENING.split(), ["B9", "B10", "B11"]]], strict=True))


def test_a_correction_that_is_taken_back_is_no_word_about_the_tile(bench: Bench) -> None:
    bench.lay(f"{OPENING} | K3")
    bench.do(acts.RemoveTile(lies(bench, "K3")))
    bench.do(acts.TakeBackCorrection())
    assert [len(record.words) for record in bench.evidence.records if record.occasion is Occasion.ANSWER] == [1, 0]


def test_a_covered_tile_is_named(bench: Bench) -> None:
    bench.lay("R9 R10 #")
    (quad,) = read(bench).observation.unread
    bench.do(acts.CorrectTile(centre(quad), tile("R11")))
    assert bench.live.view.lying == "R9 R10 R11"


def aslant(point: Point) -> Point:
    return point[0] + 0.1 * point[1], point[1] + 0.1 * point[0]


def test_of_two_covered_tiles_each_is_named_by_itself(bench: Bench) -> None:
    """They lie aslant, so that the box around each meets the other."""
    seen = table("R6 R7 # #")
    first, second = ((aslant(a), aslant(b), aslant(c), aslant(d)) for a, b, c, d in seen.unread)
    bench.watch.busy = "hand"
    bench.frame()
    bench.watch.busy = ""
    bench.watch.lay(replace(seen, unread=(first, second)))
    bench.frame()
    bench.frame()
    bench.do(acts.CorrectTile(centre(second), tile("R9")))
    assert read(bench).observation.unread == (first,)
    bench.do(acts.CorrectTile(centre(first), tile("R8")))
    assert sorted((bench.live.view.lying or "").split()) == ["R6", "R7", "R8", "R9"]


def test_what_is_covered_beside_a_tile_is_meant_where_it_lies_nearer(bench: Bench) -> None:
    seen = table("R6 R7 #")
    a, b, c, d = ((x - 25.0, y) for x, y in seen.unread[0])
    bench.watch.busy = "hand"
    bench.frame()
    bench.watch.busy = ""
    bench.watch.lay(replace(seen, unread=((a, b, c, d),)))
    bench.frame()
    bench.frame()
    bench.do(acts.RemoveTile(centre((a, b, c, d))))
    assert bench.live.view.lying == "R6 R7"
    assert not read(bench).observation.unread


@pytest.mark.parametrize(
    ("act", "why"),
    [
        (acts.CorrectTile((5.0, 5.0), tile("R1")), "no tile was seen at that place"),
        (acts.AddTile((-5.0, 5.0), tile("R1")), "that place lies outside the picture"),
        (acts.AddTile((80.0, 60.0), tile("R1")), "a tile was seen at that place: say which it is"),
        (acts.CorrectTile((80.0, 60.0), tile("JM")), "the box holds no JM"),
        (acts.CutSet((80.0, 60.0)), "that changes nothing in what was read"),
    ],
)
def test_what_cannot_be_is_refused_in_words(bench: Bench, act: acts.Act, why: str) -> None:
    bench.lay(OPENING)
    assert str(one(bench.do(act), NoticeCode.REFUSED).told) == why
    assert bench.live.view.lying == OPENING


def test_nothing_is_corrected_between_rounds() -> None:
    bench = Bench(start=False)
    assert one(bench.do(acts.RemoveTile((80.0, 60.0))), NoticeCode.REFUSED).text.startswith("no table is read now")


def test_the_view_shows_where_each_tile_lies_and_what_it_may_be(bench: Bench) -> None:
    bench.lay("R7 R8 R9/B9")
    shown = read(bench)
    assert len(shown.observation.tiles) == 3
    assert [judged.legal for judged in shown.ruling.sets] == [None]
    assert set(map(str, shown.choices[2])) >= {"B9", "R9"}


def test_the_clock_of_a_turn_that_is_ruled_on_again_has_not_run_meanwhile(bench: Bench) -> None:
    bench.turn(OPENING)
    bench.turn(OPENING)
    bench.wait(20)
    bench.turn(f"{OPENING} | B1 B2 K3")
    bench.wait(20)
    said = bench.do(acts.CorrectTile(lies(bench, "K3"), tile("B3")))
    assert one(said, NoticeCode.RULED).ruling.verdict is Verdict.LEGAL  # type: ignore[union-attr]
    assert bench.last.elapsed_s == pytest.approx(20, abs=1.5)
    assert replace(bench.last, elapsed_s=None).verdict == "legal"
