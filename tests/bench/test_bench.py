"""The bench tells the truth: its instances are what they say, its percentiles are right, misses and wrong answers show.

Nothing is timed here.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import pytest
from click.testing import CliRunner

from referee.sets import judge_set
from referee.solver.plays import arrange
from referee.tiles import Tile, parse_tile
from tests.bench import instances, rules
from tests.bench.__main__ import main
from tests.bench.generator import JOKER, RACK_SIZE, TABLE_SIZES, generate
from tests.bench.instances import Heap, Instances, Position, Rack, Tiles, Turn
from tests.bench.measures import own_peak_mb, p99, peak_mb_of
from tests.bench.rival import Rival
from tests.bench.rules import WRONG, Measured, Question, Row, measure, rows, table_line, targets, wrong
from tests.referee.oracle import judged

DRAWN = generate()


def tiles(text: str) -> Tiles:
    return tuple(parse_tile(code) for code in text.split())


def count(sets: Sequence[Sequence[Tile]]) -> Counter[Tile]:
    return Counter(tile for one in sets for tile in one)


def in_one_box(held: Counter[Tile]) -> bool:
    return all(number <= 2 for number in held.values())


# --- generated instances ----------------------------------------------------------------------------------------


def test_a_seed_always_draws_the_same() -> None:
    assert generate() == DRAWN
    assert generate(seed=2).positions != DRAWN.positions


def test_drawn_positions_come_from_one_box_and_lie_legally() -> None:
    for one in DRAWN.positions:
        assert in_one_box(count(one.table) + Counter(one.rack)), one.name
        assert len(one.rack) == RACK_SIZE
        rulings = [judge_set(each, rules.RULES) for each in one.table]
        assert all(ruling.legal and not ruling.findings for ruling in rulings), one.name
    assert {sum(map(len, one.table)) for one in DRAWN.positions} == set(TABLE_SIZES)
    jokers = {(one.rack.count(JOKER), count(one.table)[JOKER]) for one in DRAWN.positions}
    assert jokers == {(0, 0), (1, 0), (2, 0), (1, 1), (0, 2)}


def test_drawn_heaps_and_racks_come_from_one_box() -> None:
    assert all(in_one_box(Counter(one.tiles)) for one in DRAWN.heaps)
    assert all(in_one_box(Counter(one.tiles)) for one in DRAWN.racks)
    assert {one.arrangeable for one in DRAWN.heaps} == {True, None}


def can_be_parted(held: Tiles) -> bool:
    """Whether the tiles can be arranged into sets, tried in every way; plain tiles first."""
    if not held:
        return True
    first, *others = held
    return any(
        judged((first, *chosen))[0] and can_be_parted(_left(others, chosen))
        for size in range(2, len(held))
        for chosen in combinations(others, size)
    )


def _left(held: Sequence[Tile], chosen: Sequence[Tile]) -> Tiles:
    return tuple((Counter(held) - Counter(chosen)).elements())


def test_small_drawn_heaps_tried_in_every_way() -> None:
    small = [one for one in DRAWN.heaps if len(one.tiles) <= 12 and one.tiles.count(JOKER) <= 1]
    for one in small:
        possible = can_be_parted(tuple(sorted(one.tiles, key=lambda tile: tile.is_joker)))
        assert one.arrangeable in {None, possible}, one.name
        assert (arrange(one.tiles, rules.RULES) is not None) == possible, one.name
    assert {one.arrangeable for one in small} == {True, None}


def plain_reasons(turn: Turn) -> set[str]:
    """What is wrong with a turn, said as plainly as can be."""
    before, after = count(turn.before), count(turn.after)
    laid = after - before
    new_sets = Counter(turn.after) - Counter(turn.before)
    found = set()
    if not all(judged(one)[0] for one in turn.after):
        found.add("illegal_set")
    if before - after:
        found.add("tile_taken")
    if not laid:
        found.add("nothing_laid")
    if laid - Counter(turn.rack):
        found.add("not_from_rack")
    if not turn.opened and sum(judged(one)[1] or 0 for one in new_sets.elements()) < 30:
        found.add("open_low")
    return found


def test_what_is_wrong_with_drawn_turns_is_told_rightly() -> None:
    for turn in DRAWN.turns:
        assert plain_reasons(turn) == turn.reasons, turn.name
        assert in_one_box(count(turn.before) + Counter(turn.rack)), turn.name
    told = Counter(reason for turn in DRAWN.turns for reason in turn.reasons)
    assert set(told) == {"illegal_set", "tile_taken", "nothing_laid", "not_from_rack", "open_low"}
    assert {turn.opened for turn in DRAWN.turns if not turn.reasons} == {True, False}


# --- instances from a file --------------------------------------------------------------------------------------


LINES = (
    {"id": "ar-0", "kind": "arrange", "tiles": ["R1", "R2", "J"], "answer": {"arrangeable": True}},
    {"id": "im-0", "kind": "initial_meld", "rack": ["R9", "J"], "answer": {"max_meld_value": 0, "ge30": False}},
    {
        "id": "bh-0", "kind": "best_move", "table": [["R1", "R2", "R3"]], "rack": ["R4"],
        "answer": {"max_tiles": 1, "max_value_joker0": 4, "max_value_joker30": 4, "max_tiles_rack_only": 0},
    },
    {
        "id": "tr-0", "kind": "transition", "opened_before": True, "before": [["R1", "R2", "R3"]],
        "after": [["R1", "R2", "R3"]], "rack": ["R4"], "answer": {"legal": False, "reasons": ["nothing_laid"]},
    },
    {"id": "tv-0", "kind": "table_valid", "table": [["R1"]], "answer": {"valid": False, "bad_sets": [0]}},
)  # fmt: skip
READ = Instances(
    source="some.jsonl, answers verified",
    turns=(Turn("tr-0", (tiles("R1 R2 R3"),), (tiles("R1 R2 R3"),), tiles("R4"), True, frozenset({"nothing_laid"})),),
    heaps=(Heap("ar-0", tiles("R1 R2 J"), True),),
    racks=(Rack("im-0", tiles("R9 J"), 0),),
    positions=(Position("bh-0", (tiles("R1 R2 R3"),), tiles("R4"), True, 1, 4, 4),),
)


def test_a_file_is_read(tmp_path: Path) -> None:
    file = tmp_path / "some.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in LINES), encoding="utf-8")
    assert instances.read(file) == READ


def test_a_folder_without_the_file_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TILEREF_BENCH", str(tmp_path))
    monkeypatch.setattr(instances, "FOLDER", tmp_path)
    monkeypatch.setattr(instances, "FILE", tmp_path / instances.FILE.name)
    done = CliRunner().invoke(main, ["rules"])
    assert done.exit_code == 2
    assert f"TILEREF_BENCH names a folder without rummikub-instances.jsonl: {tmp_path}" in done.output


# --- figures ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("values", "expected"), [([7], 7), (range(50), 49), (range(100), 99), (range(200), 198)])
def test_the_99th_percentile(values: Sequence[int], expected: int) -> None:
    assert p99(list(reversed(values))) == expected


def test_the_memory_of_a_fresh_process_is_its_own() -> None:
    """A large parent does not count."""
    held = bytearray(200_000_000)
    assert own_peak_mb() > 190
    assert 0 < peak_mb_of("pass") < 100
    del held
    assert peak_mb_of("held = bytearray(200_000_000)") > 190


def question(right: int | None, ours: int = 5, theirs: int | None = None) -> Question:
    return Question("one", lambda: ours, int, right, None if theirs is None else lambda: theirs)


@pytest.mark.parametrize(
    ("right", "ours", "theirs", "expected"),
    [
        (5, 5, 5, (False, False)),
        (5, 4, 5, (True, False)),
        (5, 6, 4, (True, True)),
        (5, 5, None, (False, False)),
        (5, WRONG, None, (True, False)),
        (None, 5, 5, (False, False)),
        (None, 4, 5, (True, False)),
        (None, 5, 4, (False, True)),
        (None, 5, None, (False, False)),
        (None, WRONG, None, (True, False)),
        (None, WRONG, 0, (True, False)),
    ],
)
def test_who_is_wrong(right: int | None, ours: int, theirs: int | None, expected: tuple[bool, bool]) -> None:
    assert wrong(question(right), ours, theirs) == expected


def test_an_opening_is_compared_by_whether_it_suffices() -> None:
    opens = replace(question(None), theirs_of=lambda value: int(value >= 30))
    assert wrong(opens, 29, 0) == (False, False)
    assert wrong(opens, 29, 1) == (True, False)
    assert wrong(opens, 31, 0) == (False, True)
    assert wrong(replace(opens, right=36), 36, 0) == (False, True)
    assert wrong(replace(opens, right=36), 30, 1) == (True, False)


def test_wrong_answers_are_named() -> None:
    one, other = question(5, ours=4, theirs=5), replace(question(5, ours=5, theirs=3), name="other")
    measured = measure(Row("kind", (one, other)), rounds=2)
    assert (measured.ours_wrong, measured.theirs_wrong) == (("one",), ("other",))
    assert len(measured.ours_ms) == len(measured.theirs_ms) == 2


def test_targets_are_missed_and_reached() -> None:
    row = Row("arrange", (), median_under=2, p99_under=3)
    told = targets([Measured(row, (1.0, 1.0, 3.0), (20.0, 16.0, 45.0), (), ("x",))])
    assert [(target.text, target.reached) for target in told] == [
        ("arrange, median: 1.00 ms, under 2 ms", True),
        ("arrange, p99: 3.00 ms, under 3 ms", False),
        ("rummikub-solver takes 16.0 times as long in the median of 3, at least 15", True),
        ("wrong answers of ours: none", True),
    ]
    slow = targets([Measured(row, (1.0, 1.0), (14.0, 14.0), ("x", "x", "y"), ())])
    assert [target.reached for target in slow] == [True, True, False, False]
    assert slow[-1].text == "wrong answers of ours: x, y"


def test_a_line_of_the_table() -> None:
    row = Row("arrange", ())
    asked = Measured(row, (1.0, 2.0, 3.0), (20.0, 30.0, 40.0), (), ("x",))
    assert table_line(asked) == "| arrange | 3 | 2.00 | 3.00 | 3.00 | 30.00 | 40.00 | 15.0 | 0 | 1 |"
    alone = Measured(row, (1.0, 2.0, 3.0), (), ("x",), ())
    assert table_line(alone) == "| arrange | 3 | 2.00 | 3.00 | 3.00 | – | – | – | 1 | – |"


# --- a whole run ------------------------------------------------------------------------------------------------


def test_without_the_other_solver_the_rest_still_runs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "rummikub_solver", None)
    monkeypatch.setattr(rules, "memory", lambda: "little")
    assert Rival.find() is None
    rules.report(READ, rounds=1)
    told = capsys.readouterr().out
    assert "rummikub-solver is not installed: no ratio" in told
    assert "wrong answers of ours: none" in told
    assert "best move, most tiles, harder | 1 |" in told


def test_answers_that_are_no_legal_play_are_wrong() -> None:
    """The right number is not enough: the sets must be legal and hold the right tiles."""
    kinds = {row.name: row.questions[0] for row in rows(READ, None)}
    heap, rack, move = kinds["arrange"], kinds["opening"], kinds["best move, most tiles, harder"]
    assert heap.number((tiles("R1 R2 J"),)) == 1
    assert heap.number((tiles("R1 R2 R3"),)) == WRONG
    assert heap.number((tiles("R1 J R2"),)) == WRONG
    assert heap.number(None) == 0
    opening, play = rack.ours(), move.ours()
    assert rack.number(opening) == 0
    assert rack.number(replace(opening, value=30)) == WRONG
    assert rack.number(replace(opening, sets=(tiles("R9 B9 O9"),), value=27)) == WRONG
    assert move.number(play) == 1
    assert move.number(replace(play, laid=())) == WRONG
    assert move.number(replace(play, sets=(tiles("R2 R3 R4"),))) == WRONG
    assert move.number(replace(play, sets=(tiles("R1 R2 R3"), tiles("R4")))) == WRONG
    assert move.number(None) == WRONG
