"""Two photos of one table compared."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.changes import Change, ChangeKind, TableChanges, compare_tables
from referee.findings import FindingCode, Severity
from referee.notation import sure
from referee.tiles import Tile
from tests.referee.builders import Covered, observe, table
from tests.referee.strategies import tables


def written(changes: tuple[Change, ...]) -> list[str]:
    """``R8 0>1``: the tile, its set before and after (``-``: loose or not there), ``?`` when doubtful."""
    sets = [["-" if one is None else str(one) for one in (change.before_set, change.after_set)] for change in changes]
    return [
        f"{change.tile} {before}>{after}{'?' if change.doubtful else ''}"
        for change, (before, after) in zip(changes, sets, strict=True)
    ]


def compare(before: str, after: str) -> TableChanges:
    return compare_tables(table(before), table(after))


@pytest.mark.parametrize(
    ("before", "after", "added", "moved", "taken", "kept"),
    [
        ("R5-7 | K7 B7 O7", "O7 B7 K7 | R7-5", [], [], [], 6),
        ("R5-7", "R5-8", ["R8 ->0"], [], [], 3),
        ("R5-7 | K7 B7 O7", "B7 K7 O7 | R4-7 | B1-3", ["R4 ->1", "B1 ->2", "B2 ->2", "B3 ->2"], [], [], 6),
        ("R5-8 | K8 B8 O8", "R5-7 | K8 B8 O8 R8", [], ["R8 0>1"], [], 6),
        ("R5-8 | K8 B8", "R5-7 | K8 B8 R8", [], ["R8 0>1"], [], 5),
        ("R5-8", "R5-7", [], [], ["R8 0>-"], 3),
        ("R5-8", "R5-7 | R8", [], ["R8 0>-"], [], 3),
        ("R5-7 | R8", "R5-8", [], ["R8 ->0"], [], 3),
        ("R1-9", "R1-4 | R5-9", [], ["R1 0>0", "R2 0>0", "R3 0>0", "R4 0>0"], [], 5),
        # twins: the equal sets go together first, so nothing moved
        ("R5-7 | R5-8", "R5-8 | R5-7", [], [], [], 7),
        ("R5-7 | R5-7", "R5-7 | R5-8", ["R8 ->1"], [], [], 6),
        ("R5 J R7", "R5 R6 R7 | B1 J B3", ["R6 ->0", "B1 ->1", "B3 ->1"], ["J 0>1"], [], 2),
        ("", "R5-7", ["R5 ->0", "R6 ->0", "R7 ->0"], [], [], 0),
        ("R5-7", "", [], [], ["R5 0>-", "R6 0>-", "R7 0>-"], 0),
        ("K9", "K9", [], [], [], 1),
        ("? ? | R5-7", "R5-7 | ?", [], [], [], 3),
    ],
)
def test_changes(before: str, after: str, added: list[str], moved: list[str], taken: list[str], kept: int) -> None:
    found = compare(before, after)
    assert (written(found.added), written(found.moved), written(found.taken)) == (added, moved, taken)
    assert found.kept == kept


def test_indices_point_into_their_own_photos() -> None:
    found = compare("K9 | R5-8", "B7 K7 R8 | R5-7")
    (moved,) = found.moved
    assert (moved.before, moved.after, moved.before_set, moved.after_set) == (4, 2, 0, 0)
    (taken,) = found.taken
    assert (str(taken.tile), taken.before, taken.after, taken.kind) == ("K9", 0, None, ChangeKind.TAKEN)
    (finding,) = found.findings
    assert (finding.code, finding.tiles, finding.severity) == (FindingCode.TABLE_TILE_TAKEN, (0,), Severity.FAULT)
    assert finding.param("tile") == "K9"


def test_sets_that_stayed_are_paired() -> None:
    assert compare("R5-7 | K7 B7 O7 | B1-3", "B1-4 | O7 K7 B7 | R7-5").set_pairs == ((0, 2), (1, 1))


def test_a_doubtful_tile_makes_its_change_doubtful() -> None:
    assert written(compare("R5-7", "R5-7 R8/R3").added) == ["R8 ->0?"]
    # R6 went and R9 came, but that R9 may be the R6
    found = compare("R5 R6 R7 | B1-3", "R5 R9/R6 R7 | B1-4")
    assert written(found.taken) == ["R6 0>-?"]
    assert written(found.added) == ["R9 ->0?", "B4 ->1"]
    assert found.findings[0].severity is Severity.DOUBT
    reverse = compare("R5 R9/R6 R7", "R5 R6 R7")
    assert (written(reverse.added), written(reverse.taken)) == (["R6 ->0?"], ["R9 0>-?"])
    # a doubt about another tile changes nothing
    assert written(compare("R5-7 | B1-3", "R5 R6 | B1 B2 B3 K4/K1").taken) == ["R7 0>-"]
    assert written(compare("R5-7 R8/R3", "R5-7 | R8 B8 K8").moved) == ["R8 0>1?"]


def test_hidden_tiles_may_be_what_is_not_seen() -> None:
    assert written(compare("R5-7", "R5 R6 ?").taken) == ["R7 0>-?"]
    assert written(compare("R5 R6 ?", "R5-7").added) == ["R7 ->0?"]
    covered = compare_tables(table("R5-8"), table("R5-7", covered=Covered(far=1)))
    assert written(covered.taken) == ["R8 0>-?"]
    # the pool lies face-down and hides nothing of the table
    assert written(compare("R5-8 | ? ?", "R5-7 | ? ?").taken) == ["R8 0>-"]


@given(tables, tables)
def test_every_tile_is_accounted_for_once(before: list[list[Tile]], after: list[list[Tile]]) -> None:
    earlier, later = [sure(*one) for one in before], [sure(*one) for one in after]
    found = compare_tables(observe(earlier), observe(later))
    tiles_before = Counter(tile for one in before for tile in one)
    tiles_after = Counter(tile for one in after for tile in one)
    assert Counter(change.tile for change in found.taken) == tiles_before - tiles_after
    assert Counter(change.tile for change in found.added) == tiles_after - tiles_before
    assert found.kept + len(found.moved) + len(found.taken) == tiles_before.total()
    assert found.kept + len(found.moved) + len(found.added) == tiles_after.total()
    befores = [change.before for change in found.changes if change.before is not None]
    afters = [change.after for change in found.changes if change.after is not None]
    assert len(set(befores)) == len(befores)
    assert len(set(afters)) == len(afters)


@given(tables, st.randoms(use_true_random=False))
def test_a_table_seen_from_another_side_has_not_changed(sets: list[list[Tile]], rng: object) -> None:
    turned = [one[::-1] for one in sets]
    rng.shuffle(turned)  # type: ignore[attr-defined]
    found = compare_tables(observe([sure(*one) for one in sets]), observe([sure(*one) for one in turned]))
    assert found.changes == ()
    assert len(found.set_pairs) == sum(len(one) > 1 for one in sets)
