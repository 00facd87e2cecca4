"""Sets lie on the table with room around them, and what is not moved stays where it is."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from referee.tiles import Tile, parse_tile
from web.simulation.layout import (
    ROOM,
    KeyedSet,
    LaidSet,
    Manner,
    NoRoomError,
    Region,
    TableLayout,
    keyed,
    rearranged,
)

REGION = Region(-14.0, -8.0, 14.0, 8.0)
ASPECT = 0.7
BOX = tuple(parse_tile(f"{ink}{number}") for ink in "RBKO" for number in range(1, 14) for _ in range(2))


def tiles(text: str) -> tuple[Tile, ...]:
    return tuple(parse_tile(code) for code in text.split())


def corners(layout: TableLayout, one: LaidSet) -> np.ndarray:
    """All corners of a set's tiles (n, 2)."""
    found = []
    for key in one.keys:
        pose = layout.poses[key]
        turn = np.radians(pose.angle_deg)
        along, down = np.array([np.cos(turn), np.sin(turn)]), np.array([-np.sin(turn), np.cos(turn)])
        found += [(pose.x, pose.y) + a * along * ASPECT / 2 + d * down / 2 for a in (-1, 1) for d in (-1, 1)]
    return np.array(found)


def check(layout: TableLayout) -> None:
    boxes = [(corners(layout, one).min(0), corners(layout, one).max(0)) for one in layout.sets]
    for k, (low, high) in enumerate(boxes):
        assert (low > (REGION.left, REGION.top)).all()
        assert (high < (REGION.right, REGION.bottom)).all()
        for other_low, other_high in boxes[k + 1 :]:
            apart = np.maximum(low - other_high, other_low - high).max()
            assert apart > 0.45 * ROOM, (low, high, other_low, other_high)


@pytest.mark.parametrize("seed", range(6))
def test_a_box_of_tiles_fits_however_it_is_rearranged(seed: int) -> None:
    rng = np.random.default_rng(seed)
    layout, spare = TableLayout(), list(range(len(BOX)))
    facings = (0.0, 180.0, 90.0, 0.0)
    for step in range(26):
        sets = [list(one.keys) for one in layout.sets]
        sets.append([spare.pop(int(rng.integers(len(spare)))) for _ in range(int(rng.integers(3, 5)))])
        if step % 3 == 2:  # a set goes on, another is split
            sets[0].insert(0, spare.pop())
            longest = max(sets, key=len)
            if len(longest) > 5:
                sets.append(longest[3:])
                del longest[3:]
        wanted = [
            KeyedSet(tuple(one), next((n for n, old in enumerate(layout.sets) if set(one) & set(old.keys)), None))
            for one in sets
        ]
        taken: set[int] = set()
        for k, one in enumerate(wanted):  # only one set carries on a former one
            if one.carries_on in taken:
                wanted[k] = KeyedSet(one.keys, None)
            taken |= {one.carries_on} if one.carries_on is not None else set()
        before = layout
        layout = rearranged(layout, wanted, Manner(facings[step % 4]), REGION, ASPECT, rng)
        assert Counter(key for one in layout.sets for key in one.keys) == Counter(layout.poses.keys())
        check(layout)
        untouched = {one.keys for one in layout.sets} & {one.keys for one in before.sets}
        if step < 8:  # later the table may be tidied
            assert all(before.poses[key] == layout.poses[key] for keys in untouched for key in keys)


def test_a_set_that_grows_stays_where_it_is() -> None:
    rng = np.random.default_rng(1)
    layout = rearranged(TableLayout(), [KeyedSet((1, 2, 3), None)], Manner(), REGION, ASPECT, rng)
    for grown in ((1, 2, 3, 4), (0, 1, 2, 3), (9, 0, 1, 2, 3, 4)):
        after = rearranged(layout, [KeyedSet(grown, 0)], Manner(), REGION, ASPECT, rng)
        assert all(after.poses[key] == layout.poses[key] for key in (1, 2, 3)), grown


def test_too_many_sets_for_a_small_table() -> None:
    wanted = [KeyedSet((3 * k, 3 * k + 1, 3 * k + 2), None) for k in range(12)]
    with pytest.raises(NoRoomError):
        rearranged(TableLayout(), wanted, Manner(), Region(0, 0, 6, 5), ASPECT, np.random.default_rng(1))


def test_tiles_keep_their_sets_and_twins_their_places() -> None:
    def key(code: str, twin: int = 0) -> int:
        return [k for k, tile in enumerate(BOX) if str(tile) == code][twin]

    before = [tuple(key(code) for code in ("R3", "R4", "R5", "R6")), tuple(key(code, 1) for code in ("R4", "B4", "K4"))]
    after = [tiles("R4 B4 K4"), tiles("R3 R4 R5"), tiles("R6 R7 R8")]
    rack = [key("R7"), key("R8"), key("O1")]
    wanted, left = keyed(before, after, rack, BOX)
    assert [one.carries_on for one in wanted] == [1, 0, None]
    assert wanted[0].keys == before[1]
    assert wanted[1].keys == before[0][:3]
    assert wanted[2].keys == (before[0][3], *rack[:2])
    assert not left
    _, left = keyed(before, [tiles("R4 B4 K4"), tiles("R3 R4 R5")], [], BOX)
    assert left == [key("R6")]
    with pytest.raises(ValueError, match="O13"):
        keyed(before, [tiles("O13 O12 O11")], rack, BOX)
