"""Several looks at one still table: a reading that is stable, and no surer than any look was."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.observation import Kind, Observation, Quad, Reading, Row, Scene, SeenTile
from referee.tiles import parse_tile
from vision.fusion import contested, contradicts, doubts, fuse

CODES = ["R5", "R6", "R7", "B9", "K9", "O9"]
SURE = 0.965
"""The eyes' own measure of doubt."""


def quad(place: int, dx: float = 0.0, dy: float = 0.0) -> Quad:
    x, y = 42.0 * place + dx, 100.0 + dy
    return ((x, y), (x + 40, y), (x + 40, y + 60), (x, y + 60))


def face(place: int, readings: dict[str, float], confidence: float | None = None, dx: float = 0.0) -> SeenTile:
    listed = tuple(
        Reading(parse_tile(code), p) for code, p in sorted(readings.items(), key=lambda entry: (-entry[1], entry[0]))
    )
    sure = listed[0].p if confidence is None else confidence
    return SeenTile(quad(place, dx), Kind.FACE, listed, sure, doubtful=sure < SURE)


def look(tiles: Sequence[SeenTile], unread: Sequence[Quad] = (), touching: tuple[int, ...] = ()) -> Observation:
    """Neighbours lie in one row; a place left free parts it."""
    order = sorted(range(len(tiles)), key=lambda i: tiles[i].quad[0])
    rows: list[list[int]] = []
    for i in order:
        if rows and tiles[i].quad[0][0] - tiles[rows[-1][-1]].quad[0][0] < 60:
            rows[-1].append(i)
        else:
            rows.append([i])
    return Observation(
        600,
        300,
        Scene.TABLE,
        tuple(tiles),
        tuple(Row(tuple(row), (0.05,) * (len(row) - 1), touching) for row in rows if len(row) > 1),
        tuple(row[0] for row in rows if len(row) == 1),
        tuple(unread),
    )


def sure_look(*codes: str) -> Observation:
    return look([face(place, {code: 0.99}) for place, code in enumerate(codes)])


def said(observation: Observation) -> list[tuple[str, bool]]:
    tiles = sorted(observation.tiles, key=lambda tile: tile.quad[0])
    return [(str(tile.readings[0].tile) if tile.readings else "?", tile.doubtful) for tile in tiles]


def test_one_look_is_what_it_is() -> None:
    seen = sure_look(*CODES)
    assert fuse([seen]) is seen
    with pytest.raises(ValueError, match="no look"):
        fuse([])


def test_a_doubt_of_one_look_in_three_is_outvoted() -> None:
    doubtful = look([face(0, {"R5": 0.9, "R6": 0.08}), face(1, {"R6": 0.99}), face(2, {"R7": 0.99})])
    fused = fuse([doubtful, sure_look("R5", "R6", "R7"), sure_look("R5", "R6", "R7")])
    assert said(fused) == [("R5", False), ("R6", False), ("R7", False)]
    assert fused.rows[0].tiles == (0, 1, 2)
    assert fused.tiles[0].confidence <= 0.99


def test_doubt_in_half_of_the_looks_is_doubt() -> None:
    doubtful = look([face(0, {"R5": 0.9, "R6": 0.08})])
    assert said(fuse([doubtful, sure_look("R5")])) == [("R5", True)]
    assert said(fuse([doubtful, doubtful, doubtful, sure_look("R5")])) == [("R5", True)]


def test_looks_that_surely_disagree_leave_doubt_and_both_readings() -> None:
    fused = fuse([sure_look("R5"), sure_look("R5"), sure_look("R5"), sure_look("R6")])
    assert said(fused) == [("R5", True)]
    assert parse_tile("R6") in [reading.tile for reading in fused.tiles[0].readings]


def test_a_hundred_equal_doubtful_looks_are_no_surer_than_one() -> None:
    """Frames of a still table err alike."""
    doubtful = look([face(0, {"R5": 0.9, "R6": 0.08})])
    fused = fuse([doubtful] * 100)
    assert fused.tiles[0].doubtful
    assert fused.tiles[0].confidence == pytest.approx(0.9, abs=0.001)


def test_a_tile_that_one_look_misses_is_there_and_one_that_one_look_sees_is_doubted() -> None:
    whole, missed = sure_look("R5", "R6", "R7"), look([face(0, {"R5": 0.99}), face(2, {"R7": 0.99})])
    assert said(fuse([missed, whole, whole])) == said(whole)
    assert fuse([missed, whole, whole]).rows[0].tiles == (0, 2, 1)  # the row of those that saw all
    once = fuse([missed, missed, whole])
    assert sorted(said(once)) == [("R5", False), ("R6", True), ("R7", False)]
    assert len(fuse([missed] * 9 + [whole]).tiles) == 2


def test_a_tile_that_is_covered_in_some_looks() -> None:
    whole = sure_look("R5", "R6", "R7")
    covered = look([face(0, {"R5": 0.99}), face(1, {"R6": 0.99})], [quad(2)], (0,))
    assert said(fuse([whole, whole, covered])) == said(whole)
    mostly = fuse([covered, covered, whole])
    assert len(mostly.unread) == 1
    assert mostly.rows[0].unread_touching == (0,)
    # in a tie it is a tile in doubt
    assert said(fuse([covered, whole])) == [("R5", False), ("R6", False), ("R7", True)]


def test_a_face_down_tile() -> None:
    back = SeenTile(quad(1), Kind.BACK, (), 0.99, doubtful=False)
    fused = fuse([look([face(0, {"R5": 0.99}), back])] * 3)
    assert said(fused) == [("R5", False), ("?", False)]
    assert said(fuse([look([back]), look([back]), look([face(1, {"R6": 0.99})])])) == [("?", True)]


def test_quads_are_medians_and_turned_ones_do_not_count() -> None:
    here, there = face(0, {"R6": 0.99}), face(0, {"R6": 0.99}, dx=2.0)
    turned = replace(face(0, {"R9": 0.6, "R6": 0.3}), quad=(quad(0)[2], quad(0)[3], quad(0)[0], quad(0)[1]))
    fused = fuse([look([here]), look([there]), look([turned]), look([here])])
    assert fused.tiles[0].quad == quad(0)
    assert not fused.tiles[0].doubtful


def test_what_contradicts_a_reading() -> None:
    told = look([face(0, {"R5": 0.99}), face(1, {"R6": 0.7, "R8": 0.28})])
    assert not contradicts(told, told)
    assert not contradicts(look([face(0, {"R5": 0.9, "R3": 0.08}), face(1, {"R8": 0.99})]), told)
    assert contradicts(look([face(0, {"R3": 0.9, "R5": 0.08}), face(1, {"R6": 0.99})]), told)
    assert contradicts(look([face(0, {"R5": 0.99}), face(1, {"B6": 0.99})]), told)
    assert contradicts(look([face(0, {"R5": 0.99})]), told)
    assert contradicts(look([face(0, {"R5": 0.99}), face(2, {"R6": 0.99})]), told)
    assert doubts(told)
    assert not doubts(sure_look("R5"))


@st.composite
def noisy_looks(draw: st.DrawFn) -> list[Observation]:
    """Looks at one table: each tile has its own common error and an own one in every look."""
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    codes = draw(st.lists(st.sampled_from(CODES), min_size=1, max_size=6))
    common = rng.normal(4.0, 1.5, len(codes))
    looks = []
    for _ in range(draw(st.integers(2, 8))):
        tiles = []
        for place, code in enumerate(codes):
            logit = common[place] + rng.normal(0, draw(st.sampled_from([0.2, 1.0])))
            p = 1 / (1 + np.exp(-logit))
            other = "O5" if code != "O5" else "O6"
            if rng.random() < 0.95:
                tiles.append(face(place, {code: round(float(p), 4), other: round(float(1 - p), 4)}, dx=rng.normal()))
        looks.append(look(tiles))
    return looks


@given(noisy_looks())
def test_nothing_is_surer_than_the_best_look(looks: list[Observation]) -> None:
    for tile in fuse(looks).tiles:
        sightings = [seen for one in looks for seen in one.tiles if abs(seen.quad[0][0] - tile.quad[0][0]) < 15]
        alike = [seen for seen in sightings if seen.readings[0].tile == tile.readings[0].tile]
        assert tile.confidence <= max(seen.confidence for seen in alike) + 1e-4
        if not tile.doubtful:
            assert sum(not seen.doubtful for seen in alike) > len(looks) / 2
            assert not any(not seen.doubtful for seen in sightings if seen not in alike)


@given(noisy_looks(), st.randoms(use_true_random=False))
def test_the_order_of_looks_changes_no_reading(looks: list[Observation], random: object) -> None:
    mixed = list(looks)
    random.shuffle(mixed)  # type: ignore[attr-defined]
    assert said(fuse(mixed)) == said(fuse(looks))


def test_four_fused_looks_flicker_less_than_one() -> None:
    """Logits about the measure of doubt: of a hundred readings, how many say another thing of a tile than most do."""
    rng = np.random.default_rng(1)
    codes = CODES * 3
    common = rng.normal(4.2, 0.8, len(codes))
    single, fused = [], []
    for _ in range(100):
        looks = []
        for _ in range(4):
            p = 1 / (1 + np.exp(-(common + rng.normal(0, 0.5, len(codes)))))
            looks.append(look([face(k, {code: float(p[k]), "O1": float(1 - p[k])}) for k, code in enumerate(codes)]))
        single.append(said(looks[0]))
        fused.append(said(fuse(looks)))
    assert [code for code, _ in fused[0]] == codes
    assert flickers(single) > 100
    assert flickers(fused) < 0.75 * flickers(single)


def flickers(readings: list[list[tuple[str, bool]]]) -> int:
    return sum(len(readings) - Counter(tile).most_common(1)[0][1] for tile in zip(*readings, strict=True))


# --- looks that go on contradicting each other --------------------------------------------------------------------


def test_what_is_read_in_two_ways_is_in_doubt_and_nothing_else() -> None:
    looks = [sure_look("R5", "R6", "B9"), sure_look("R5", "R9", "B9")] * 4
    assert said(contested(looks))[0] == ("R5", False)
    assert [seen.doubtful for seen in contested(looks).tiles] == [False, True, False]
    assert {str(reading.tile) for reading in contested(looks).tiles[1].readings} >= {"R6", "R9"}


def test_a_tile_that_comes_and_goes_is_in_doubt_however_seldom_it_is_seen() -> None:
    with_it = look([face(place, {code: 0.99}) for place, code in enumerate(CODES)])
    without = look([face(place, {code: 0.99}) for place, code in enumerate(CODES) if place != 2])
    for seen in range(1, 8):
        told = contested([with_it] * seen + [without] * (8 - seen))
        assert len(told.tiles) == 6
        doubted = [str(tile.readings[0].tile) for tile in told.tiles if tile.doubtful]
        assert doubted == ["R7"]


def test_tiles_whose_neighbours_change_are_in_doubt() -> None:
    joined = sure_look(*CODES)
    parted = replace(joined, rows=(Row((0, 1, 2), (0.05, 0.05)), Row((3, 4, 5), (0.05, 0.05))))
    told = contested([joined, parted] * 4)
    assert [str(tile.readings[0].tile) for tile in told.tiles if tile.doubtful] == ["R7", "B9"]


@given(st.lists(st.sampled_from([("R5", "R6"), ("R5", "R9"), ("R6", "R6")]), min_size=2, max_size=8))
def test_a_contested_reading_is_sure_only_of_what_all_looks_say(tables: list[tuple[str, str]]) -> None:
    told = contested([sure_look(*codes) for codes in tables])
    for place, seen in enumerate(told.tiles):
        assert seen.doubtful is (len({codes[place] for codes in tables}) > 1)
