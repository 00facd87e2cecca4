"""What people say of a reading: every kind of edit, on every kind of place, and what the ruling makes of it."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.notation import format_table
from referee.observation import DRAWN, UNLIKE_TILES, Kind, Observation, Scene
from referee.preset_files import load_ruleset, preset_names
from referee.ruling import Verdict, judge_table
from referee.tiles import Tile, parse_tile
from tests.web.fakes import TILE_HEIGHT, TILE_WIDTH, table
from web.disputes.case import MOST_EDITS, Case, State, edited, rule, scaled, undone
from web.disputes.case_file import case_of, case_text
from web.disputes.case_json import ruled_fields
from web.disputes.corrected import corrected
from web.disputes.edit_json import edit_fields, edit_of
from web.disputes.edits import Add, Clear, Cut, Edit, EditError, Move, Name, Remove, SayTable, Uncover
from web.noting import noted_from

RULES = load_ruleset()
STEP = TILE_WIDTH + 2
R = parse_tile


def case(text: str, *edits: Edit, scene: Scene = Scene.TABLE, notes: tuple[str, ...] = ()) -> Case:
    seen = table(text, scene=scene, notes=notes)
    return Case("k" * 24, "0" * 64, 1.0, "photo.jpg", RULES.name, State.READY, seen, tuple(edits))


def lying(case: Case) -> str:
    """The corrected table in notation."""
    ruled = rule(case, RULES)
    noted, _ = noted_from(ruled.corrected.observation, ruled.ruling)
    return format_table(noted)


def verdict(case: Case) -> Verdict:
    return rule(case, RULES).ruling.verdict


def middle(row: int, place: float) -> tuple[float, float]:
    """The centre of a place in a row of the hand-made table."""
    return 60 + place * STEP + TILE_WIDTH / 2, 40 + row * (TILE_HEIGHT + 30) + TILE_HEIGHT / 2


def test_a_doubt_is_settled_by_a_name_and_the_cameras_word_stays() -> None:
    doubted = case("R5 R6/R9 R7")
    assert verdict(doubted) is Verdict.CANNOT_TELL
    settled = edited(doubted, Name(1, R("R6")), RULES)
    ruled = rule(settled, RULES)
    assert ruled.ruling.verdict is Verdict.LEGAL
    assert ruled.by_camera.verdict is Verdict.CANNOT_TELL
    assert ruled.seen == doubted.reading
    assert ruled.corrected.told == {1}


def test_the_human_is_no_judge_of_legality() -> None:
    assert verdict(case("R5 R6 R7", Name(1, R("R9")))) is Verdict.ILLEGAL


def test_a_tile_named_face_down_makes_its_set_unsure() -> None:
    assert verdict(case("R5 R6 R7", Name(1, None))) is Verdict.CANNOT_TELL


@pytest.mark.parametrize("place", [0, 1, 2, 3])
def test_a_false_tile_is_removed_wherever_it_lies_in_its_row(place: int) -> None:
    words = ["R5", "R6", "R7"]
    words.insert(place, "K1")
    false = case(" ".join(words))
    assert verdict(false) is Verdict.ILLEGAL
    assert lying(edited(false, Remove(place), RULES)) == "R5 R6 R7"
    assert verdict(edited(false, Remove(place), RULES)) is Verdict.LEGAL


def test_of_two_tiles_one_is_left_alone() -> None:
    left = case("R5 R6", Remove(0))
    assert rule(left, RULES).corrected.observation.rows == ()
    assert verdict(left) is Verdict.ILLEGAL


def test_two_sets_between_which_a_false_tile_is_removed_lie_apart() -> None:
    """What is a tile's width apart was never one row."""
    assert lying(case("R1 R2 R3 J B5 K5 O5", Remove(3))) == "R1 R2 R3 | B5 K5 O5"
    assert verdict(case("R1 R2 R3 J B5 K5 O5", Remove(3))) is Verdict.LEGAL


@pytest.mark.parametrize("place", [-1, 0.5, 3])
def test_a_missed_tile_joins_the_row_beside_which_it_lies(place: float) -> None:
    words = {-1: ("R5", "R6 R7 R8"), 0.5: ("R6", "R5 R7 R8"), 3: ("R8", "R5 R6 R7")}
    face, row = words[int(place) if place != 0.5 else 0.5]
    missed = case(f"{row} | B1 K1 O1", Add(middle(0, place), R(face)))
    ruled = rule(missed, RULES)
    assert lying(missed) == "R5 R6 R7 R8 | B1 K1 O1"
    assert ruled.ruling.verdict is Verdict.LEGAL
    assert ruled.corrected.tiles[-1] == 6


def test_a_tile_added_far_from_all_lies_alone_and_has_the_size_of_its_neighbour() -> None:
    seen = rule(case("R5 R6 R7", Add((800.0, 600.0), R("K1"))), RULES).corrected.observation
    assert seen.loose == (3,)
    (x0, y0), (x1, _), _, (_, y3) = seen.tiles[3].quad
    assert (x1 - x0, y3 - y0) == (TILE_WIDTH, TILE_HEIGHT)
    assert ((x0 + x1) / 2, (y0 + y3) / 2) == (800.0, 600.0)


def test_a_tile_beside_a_lone_one_makes_a_set_of_two_in_reading_order() -> None:
    assert lying(case("R6", Add(middle(0, -1), R("R5")))) == "R5 R6"
    assert lying(case("R6", Add(middle(0, 1), R("R7")))) == "R6 R7"


def test_a_row_read_from_right_to_left_takes_a_tile_at_its_own_end() -> None:
    """On the far side of the table rows are read the other way: reading order decides, not the picture's x."""
    seen = table("R5 R6 R7")
    turned = scaled(seen, seen.width, seen.height)
    tiles = tuple(replace(one, quad=(*one.quad[2:], *one.quad[:2])) for one in reversed(turned.tiles))
    turned = replace(turned, tiles=tiles)
    end = middle(0, -1)
    said = corrected(turned, [Add(end, R("R4"))])
    assert said.observation.rows[0].tiles == (0, 1, 2, 3)


def test_an_empty_picture_becomes_a_table_with_its_first_tile() -> None:
    nothing = case("", scene=Scene.EMPTY)
    assert verdict(nothing) is Verdict.CANNOT_TELL
    told = case("", *(Add((100.0 + i * 60, 100.0), R(f"R{5 + i}")) for i in range(3)), scene=Scene.EMPTY)
    assert lying(told) == "R5 R6 R7"
    assert verdict(told) is Verdict.LEGAL


@pytest.mark.parametrize("at", [(-1.0, 5.0), (901.0, 5.0), (5.0, 701.0)])
def test_nothing_is_added_outside_the_picture(at: tuple[float, float]) -> None:
    with pytest.raises(EditError, match="outside the picture"):
        corrected(table("R5 R6 R7"), [Add(at, R("R8"))])


def test_a_tile_is_moved_between_sets_before_or_after_another() -> None:
    wrong = "R5 R6 R7 K8 | B8 O8"
    assert lying(case(wrong, Move(3, 5, after=True))) == "R5 R6 R7 | B8 O8 K8"
    assert lying(case(wrong, Move(3, 4, after=False))) == "R5 R6 R7 | K8 B8 O8"
    assert verdict(case(wrong, Move(3, 4, after=False))) is Verdict.LEGAL


def test_a_tile_is_taken_out_of_its_set_and_put_back() -> None:
    out = case("R5 R6 R7 R8", Move(0, None))
    assert lying(out) == "R6 R7 R8 | R5"
    assert lying(edited(out, Move(0, 1, after=False), RULES)) == "R5 R6 R7 R8"


def test_two_lone_tiles_become_a_set() -> None:
    assert lying(case("R5 | R6", Move(1, 0))) == "R5 R6"


def test_a_row_is_cut_where_a_person_says() -> None:
    line = case("R1 R2 R3 B5 K5 O5")
    assert verdict(line) is Verdict.CANNOT_TELL
    cut = edited(line, Cut(3), RULES)
    assert lying(cut) == "R1 R2 R3 | B5 K5 O5"
    assert verdict(cut) is Verdict.LEGAL
    lone = edited(line, Cut(1), RULES)
    assert rule(lone, RULES).corrected.observation.loose == (0,)


def test_a_cut_row_keeps_what_covers_it_at_the_right_half() -> None:
    assert verdict(case("R1 R2 R3 B5 K5 O5 #", Cut(3))) is Verdict.CANNOT_TELL
    seen = rule(case("R1 R2 R3 B5 K5 O5 #", Cut(3)), RULES).corrected.observation
    assert [row.unread_touching for row in seen.rows] == [(), (0,)]


def test_a_covered_tile_is_named_at_the_end_where_it_lies() -> None:
    assert lying(case("R5 R6 R7 #", Uncover(0, R("R8")))) == "R5 R6 R7 R8"
    assert lying(case("# R6 R7 R8", Uncover(0, R("R5")))) == "R5 R6 R7 R8"
    assert verdict(case("# R6 R7 R8", Uncover(0, R("R5")))) is Verdict.LEGAL


def test_what_only_seemed_a_covered_tile_is_cleared() -> None:
    assert verdict(case("R6 R7 R8 #")) is Verdict.CANNOT_TELL
    assert verdict(case("R6 R7 R8 #", Clear(0))) is Verdict.LEGAL


@pytest.mark.parametrize("note", [UNLIKE_TILES, DRAWN])
def test_a_person_may_say_that_it_is_a_table_after_all(note: str) -> None:
    odd = case("R5 R6 R7", notes=(note,))
    assert verdict(odd) is Verdict.CANNOT_TELL
    assert verdict(edited(odd, SayTable(), RULES)) is Verdict.LEGAL
    assert verdict(case("R5 R6 R7", SayTable(), scene=Scene.RACK)) is Verdict.LEGAL


@pytest.mark.parametrize(
    "edit",
    [Name(9, R("R1")), Remove(9), Move(9, None), Move(0, 9), Move(0, 0), Cut(9), Cut(0), Cut(3), Uncover(1, None),
     Clear(1)],
)  # fmt: skip
def test_what_does_not_fit_is_refused_in_a_sentence_and_changes_nothing(edit: Edit) -> None:
    before = case("R5 R6 R7 # | K1")
    with pytest.raises(EditError) as refused:
        edited(before, edit, RULES)
    assert str(refused.value)[0].isupper()
    assert str(refused.value).endswith(".")


def test_a_number_is_never_given_twice() -> None:
    """What was removed stays removed, whatever is added after it."""
    said = corrected(table("R5 R6 R7"), [Add(middle(0, 3), R("R8")), Remove(3), Add(middle(0, 3), R("R9"))])
    assert said.tiles == (0, 1, 2, 4)
    with pytest.raises(EditError):
        corrected(table("R5 R6 R7"), [Remove(0), Name(0, R("R1"))])


def test_corrections_are_taken_back_one_by_one() -> None:
    first = case("R5 R6/R9 R7")
    second = edited(edited(first, Name(1, R("R6")), RULES), Remove(0), RULES)
    assert undone(undone(second)) == first
    with pytest.raises(EditError, match="no correction"):
        undone(first)


def test_there_is_an_end_to_corrections() -> None:
    full = replace(case("R5 R6 R7"), edits=(Name(0, R("R5")),) * MOST_EDITS)
    with pytest.raises(EditError, match="another photo"):
        edited(full, Name(0, R("R5")), RULES)


# --- for any table and any words --------------------------------------------------------------------------------------

TABLES = ("R5 R6/R9 R7 # | B1 K1 O1 | J", "R1 R2 R3 B5 K5 O5 | ? ? | K4", "# R6 R7 | R6 B6 K6 O6 #", "")
NUMBERS = st.integers(0, 14)
FACES = st.sampled_from([None, *map(parse_tile, ("R5", "K13", "J", "JM"))])
EDITS = st.one_of(
    st.builds(Name, NUMBERS, FACES),
    st.builds(Remove, NUMBERS),
    st.builds(Add, st.tuples(st.floats(0, 900), st.floats(0, 700)), FACES),
    st.builds(Move, NUMBERS, st.none() | NUMBERS, st.booleans()),
    st.builds(Cut, NUMBERS),
    st.builds(Uncover, st.integers(0, 2), FACES),
    st.builds(Clear, st.integers(0, 2)),
    st.just(SayTable()),
)


def said(reading: Observation, edits: list[Edit]) -> Case:
    made = replace(case(""), reading=reading)
    for edit in edits:
        try:
            made = edited(made, edit, RULES)
        except EditError:
            continue
    return made


@given(st.sampled_from(TABLES), st.lists(EDITS, max_size=8))
def test_whatever_is_said_there_is_a_table_and_a_ruling(text: str, edits: list[Edit]) -> None:
    made = said(table(text), edits)
    ruled = rule(made, RULES)
    seen = ruled.corrected.observation
    assert len(ruled.corrected.tiles) == len(seen.tiles) == len(set(ruled.corrected.tiles))
    assert len(ruled.corrected.regions) == len(seen.unread)
    assert all(len(row.tiles) > 1 for row in seen.rows)
    assert all(len(row.gaps) in {0, len(row.tiles) - 1} for row in seen.rows)
    touched = [region for row in seen.rows for region in row.unread_touching]
    assert sorted(set(touched)) == sorted(touched)
    assert ruled.by_camera == judge_table(table(text), RULES)
    removed = sum(isinstance(edit, Remove) for edit in made.edits)
    added = sum(isinstance(edit, Add | Uncover) for edit in made.edits)
    assert len(seen.tiles) == len(table(text).tiles) + added - removed
    fields = ruled_fields(made, ruled, RULES)
    json.dumps(fields, allow_nan=False)
    assert len(fields["codes"]) == len(fields["ids"])  # type: ignore[arg-type]


@given(st.sampled_from(TABLES), st.lists(EDITS, max_size=8))
def test_a_case_is_written_down_without_loss(text: str, edits: list[Edit]) -> None:
    made = said(table(text), [edit_of(edit_fields(edit)) for edit in edits])
    assert case_of(case_text(made)) == made


@given(st.lists(EDITS, max_size=8), st.sampled_from(preset_names()))
def test_other_rules_may_be_asked_at_any_time(edits: list[Edit], preset: str) -> None:
    """Edits name tiles by numbers that no rules change."""
    rule(said(table(TABLES[0]), edits), load_ruleset(preset))


@pytest.mark.parametrize(
    "told",
    [None, [], "name", {}, {"edit": "?"}, {"edit": "name", "tile": 0}, {"edit": "name", "tile": "0", "face": "R1"},
     {"edit": "name", "tile": True, "face": "R1"}, {"edit": "name", "tile": -1, "face": "R1"},
     {"edit": "name", "tile": 0, "face": "R14"}, {"edit": "name", "tile": 0, "face": 6},
     {"edit": "name", "tile": 0, "face": "R" * 5000}, {"edit": "remove"}, {"edit": "add", "face": "R1"},
     {"edit": "add", "face": "R1", "at": [1]}, {"edit": "add", "face": "R1", "at": [1, float("nan")]},
     {"edit": "add", "face": "R1", "at": [10**400, 1]}, {"edit": "add", "face": "R1", "at": {"x": 1}},
     {"edit": "move"}, {"edit": "move", "tile": 0, "beside": "1"}, {"edit": "uncover", "region": 0},
     {"edit": "clear", "region": None}, {"edit": "cut", "tile": 1.5}],
)  # fmt: skip
def test_words_that_mean_nothing_are_refused_in_a_sentence(told: object) -> None:
    with pytest.raises(EditError, match=r"^[A-Z].*\.$"):
        edit_of(told)


def test_a_reading_scaled_to_the_kept_picture_is_ruled_alike() -> None:
    seen = table("R5 R6 R7 # | B1 K1 O1 | K9")
    half = scaled(seen, 450, 350)
    assert half.tiles[1].quad[0] == (seen.tiles[1].quad[0][0] / 2, seen.tiles[1].quad[0][1] / 2)
    assert judge_table(half, RULES) == judge_table(seen, RULES)


def test_a_named_tile_of_any_face_is_what_was_named() -> None:
    for colour in "RBKO":
        for number in range(1, 14):
            tile: Tile = R(f"{colour}{number}")
            told = corrected(table("R5 R6 R7"), [Name(0, tile)]).observation.tiles[0]
            assert (told.kind, told.readings[0].tile, told.doubtful) == (Kind.FACE, tile, False)
