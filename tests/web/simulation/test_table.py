"""What the simulated camera sees is what is true, at any instant."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import cv2
import numpy as np
import pytest

from referee.preset_files import load_ruleset
from vision.render.faces import BACK
from web.simulation.camera import SimulatedCamera, VirtualClock
from web.simulation.players import NOTHING_WRONG, Incident, Rates
from web.simulation.table import FPS, SimulatedTable, Stretch

SMALL = (320, 180)
RULES = load_ruleset("international")


def small_table(seed: int, rates: Rates | None = None, *, seats: int = 3, pool: bool | None = None) -> SimulatedTable:
    return SimulatedTable(RULES, seats, seed, rates or Rates(), SMALL, started_at=1000.0, pool_in_view=pool)


def play(table: SimulatedTable, turns: int) -> list[float]:
    """Play some turns; returns when the table lay still after each."""
    still = []
    for _ in range(turns):
        stretch = table.next_turn(table.now + 0.3)
        while True:
            still.append(stretch.still_at + 0.25)
            mended = table.mend(stretch.still_at + 2.0)
            if mended is None:
                break
            stretch = mended
        back = table.put_back(stretch.still_at + 3.0)
        if back is not None:
            still.append(back.still_at + 0.25)
    return still


def test_the_same_seed_shows_the_same_frames() -> None:
    one, other = small_table(3), small_table(3)
    assert play(one, 4) == play(other, 4)
    for t in np.linspace(1000.0, one.now, 12)[::-1]:  # whatever was asked for before
        assert np.array_equal(small_frame(one, t), small_frame(other, t))
    again = small_table(3)
    play(again, 4)
    middle = (1000.0 + one.now) / 2
    apart = np.abs(small_frame(again, middle).astype(int) - small_frame(one, middle))
    assert (apart > 3).mean() < 1e-3


def small_frame(table: SimulatedTable, t: float) -> np.ndarray:
    return table.frame_at(float(t)).image


@pytest.mark.parametrize(("seed", "pool"), [(1, True), (2, False)])
def test_a_still_table_shows_every_tile_of_the_true_table(seed: int, pool: bool) -> None:
    quiet = Rates(wrong=0.3, taken=0.34, bump=0.0, light=0.0, defocus=0.0)
    table = small_table(seed, quiet, pool=pool)
    for t in play(table, 10):
        truth = table.truth_at(t)
        assert truth.still
        assert truth.hands == 0
        faces = [tile for tile in truth.tiles if tile.code != BACK]
        wanted = Counter(str(place) for places in truth.table for place in places)
        assert Counter(tile.code for tile in faces) == wanted
        assert all(tile.visible > 0.8 for tile in faces)  # at six pixels a tile a neighbour hides much
        assert (len(faces) < len(truth.tiles)) is (pool and len(table.round.pool) > 0)


def test_hands_come_and_tiles_are_carried() -> None:
    table = small_table(6, Rates(pause=0.0, light=0.0, bump=0.0, defocus=0.0))
    while not table.layout.sets:
        stretch = table.next_turn(table.now + 0.3)
    truths = [table.truth_at(float(t)) for t in np.linspace(stretch.begins, stretch.still_at, 24)[1:-1]]
    assert sum(truth.hands for truth in truths) > 10
    assert not any(truth.still for truth in truths)
    counts = [len(truth.tiles) for truth in truths]
    assert counts[0] < counts[-1]
    after = table.truth_at(stretch.still_at + 0.5)
    assert len(after.tiles) == sum(map(len, after.table)) + bool(table.pool_in_view) * -(-table._pools[-1][1] // 7)


def test_what_disturbs_a_camera_is_seen_and_passes() -> None:
    table = small_table(2, replace(NOTHING_WRONG, bump=1.0, light=1.0, defocus=1.0))
    play(table, 6)
    assert {change.kind for change in table._lights} == {"lamp", "exposure", "flicker"} or len(table._lights) == 6
    change = table._lights[0]
    assert not table.truth_at(change.at + 0.2).still
    nudge = table._nudges[-1]
    before, after = table.moment_at(nudge.at - 0.01).nudge, table.moment_at(nudge.at + 1.5).nudge
    assert np.allclose(np.subtract(after, before), nudge.by, atol=1e-2)  # the push before may still swing
    assert 0 < np.hypot(*nudge.by[:2]) < 0.4  # about a centimetre
    assert table.moment_at(table._hunts[0].at + 0.3).defocus_px > 0


def played_until(table: SimulatedTable, what: str) -> Stretch:
    """Play until something has happened; the stretch in which it did."""
    while not table.happened[what]:
        assert not table.is_over, what
        stretch = table.next_turn(table.now + 0.3)
    return stretch


def test_a_stack_is_seen_from_above_and_is_nobodys_table() -> None:
    table = small_table(2, replace(NOTHING_WRONG, stack=1.0), seats=2, pool=False)
    stretch = played_until(table, "tiles stacked")
    line = table._timelines[-1]
    piled = line.carries[0]
    assert len(piled.stop) >= 2
    seen = {one.key: one for one in table.truth_at(piled.ends + 1.0).tiles}
    top, *below = sorted(piled.stop, key=lambda key: -line.poses_at(piled.ends)[key][1])
    assert seen[top].visible > 0.9
    assert all(seen[key].visible < 0.3 for key in below)
    after = table.truth_at(stretch.still_at + 0.2)
    assert all(one.visible > 0.8 for one in after.tiles)


def test_a_slow_hand_holds_tiles_half_way_and_lies_over_the_table_all_along() -> None:
    table = small_table(6, replace(NOTHING_WRONG, slow=1.0), seats=2, pool=False)
    stretch = played_until(table, "slow hand")
    carries = table._timelines[-1].carries
    held = next(carry for carry in carries if any(pose and pose.lift > 0 for pose in carry.stop.values()))
    times = np.linspace(carries[0].begins, stretch.still_at - 0.2, 20)
    assert not any(table.truth_at(float(t)).still for t in (*times, held.ends + 0.3))


def test_a_call_in_mid_move_is_taken_back_while_the_hand_is_there() -> None:
    table = small_table(6, replace(NOTHING_WRONG, early_call=1.0))
    stretch = played_until(table, "call taken back")
    assert stretch.early is not None
    called, taken_back = stretch.early
    assert stretch.begins < called < taken_back < stretch.still_at
    assert stretch.called_at is not None
    assert stretch.called_at > stretch.still_at
    assert not any(table.truth_at(float(t)).still for t in np.linspace(called, taken_back, 8))
    table.next_turn(table.now + 2.0)
    assert table.happened["call taken back"] >= 1


def test_a_highlight_wanders_over_tiles_whitens_them_and_is_gone() -> None:
    calm, lit = (small_table(4, replace(NOTHING_WRONG, glint=rate), pool=False) for rate in (0.0, 1.0))
    while len(lit.layout.sets) < 3:
        lit.next_turn(lit.now + 0.3)
    glint = lit._glints[-1]
    one, other = lit.moment_at(glint.at + glint.lasts / 3), lit.moment_at(glint.at + glint.lasts * 2 / 3)
    (here,), (there,) = one.highlights, other.highlights
    assert here.centre != there.centre
    assert not lit.truth_at(glint.at + glint.lasts / 2).still
    without = lit.stage.frame(replace(one, highlights=()), 7).image.astype(int)
    brighter = lit.stage.frame(one, 7).image.astype(int) - without
    assert brighter.max() > 20
    assert brighter.min() >= -1
    assert lit.moment_at(glint.at + glint.lasts + 0.01).highlights == ()
    assert calm.moment_at(calm.now).highlights == ()


@pytest.mark.parametrize("seats", [2, 4])
def test_racks_at_the_edge_are_cut_and_no_tiles_of_the_table(seats: int) -> None:
    table = small_table(3, replace(NOTHING_WRONG, racks=1.0), seats=seats, pool=True)
    for _ in range(6):
        table.next_turn(table.now + 0.3)
    truth = table.truth_at(table.now + 0.5)
    assert len({round(float(one.quad.mean()), 1) for one in truth.racks}) >= 8 * seats
    assert any(one.visible < 0.8 for one in truth.racks)
    wanted = Counter(str(place) for places in truth.table for place in places)
    assert Counter(one.code for one in truth.tiles if one.code != BACK) == wanted
    assert table.corners is not None
    outline = np.array(table.corners, np.float32)
    inside = {one.key: cv2.pointPolygonTest(outline, one.quad.mean(0).tolist(), False) >= 0
              for one in (*truth.tiles, *truth.racks)}  # fmt: skip
    assert all(inside[one.key] for one in truth.tiles)
    assert not any(inside[one.key] for one in truth.racks)
    assert small_table(3, NOTHING_WRONG).corners is None


def test_a_table_is_busy_until_its_stretch_is_over() -> None:
    table = small_table(1)
    stretch = table.next_turn(1001.0)
    with pytest.raises(ValueError, match="busy"):
        table.next_turn(stretch.still_at - 0.5)


def test_incidents_are_played_as_they_are_told() -> None:
    table = small_table(9, Rates(wrong=0.6, taken=0.5, mended=0.3, broken_at_bell=0.2))
    seen = Counter[Incident]()
    for _ in range(25):
        if table.is_over:
            break
        play(table, 1)
        assert table.turn is not None
        seen[table.turn.incident] += 1
        truth = table.truth_at(table.now + 1.2)
        assert truth.table == table.turn.after
    assert {Incident.BROKEN_AT_BELL, Incident.TILE_TAKEN, Incident.BAD_SET} <= set(seen)


def test_the_camera_gives_the_newest_frame_and_counts_the_others() -> None:
    now = 0.0
    table = small_table(1)
    play(table, 2)
    clock = VirtualClock(1000.0, stopwatch=lambda: now)
    camera = SimulatedCamera(table, clock)
    first = camera.newest(-1.0, 1.0)
    second = camera.newest(-1.0, 1.0)
    assert first is not None
    assert second is not None
    assert second.taken_at - first.taken_at == pytest.approx(1 / FPS)
    with clock.measured():
        now += 0.5
    late = camera.newest(-1.0, 1.0)
    assert late is not None
    assert clock() - 1 / FPS <= late.taken_at <= clock()
    assert late.dropped == camera.dropped == 14
    asked = clock() + 0.2
    after = camera.newest(asked, 1.0)
    assert after is not None
    assert asked < after.taken_at <= asked + 1.001 / FPS
    assert clock() == after.taken_at
    assert camera.newest(clock() + 5.0, 1.0) is None
    assert clock() == pytest.approx(after.taken_at + 1.0)
