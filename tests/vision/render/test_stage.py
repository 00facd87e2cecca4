"""A table that lives looks the same however it came to lie so, and its truth is what its pixels show."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from vision.render.camera import look_at_table
from vision.render.club import club_look
from vision.render.compose import RenderedTile, compose, lying
from vision.render.faces import BACK
from vision.render.stage import Exposure, Moment, Stage, StagedFrame, StageLook, StageTile
from vision.render.stage_hands import Hand, random_person

SIZE = (640, 360)
PERSON = random_person(np.random.default_rng(5))
ROW = tuple(StageTile(k, f"R{k + 3}", -2.0 + 0.78 * k, 0.3, 2.0) for k in range(5))
GROUP = tuple(StageTile(10 + k, f"{ink}9", 1.5 + 0.78 * k, -1.6, 180.0) for k, ink in enumerate("RBK"))


@pytest.fixture(scope="module")
def look() -> StageLook:
    """A club's table in a small picture, without grain."""
    made = club_look(np.random.default_rng(2), SIZE)
    return replace(made, camera=look_at_table(*SIZE, 40, 12, 1.0, 55), noise=0.0, blur_px=0.0)


def codes(frame: StagedFrame) -> dict[int, str]:
    return {tile.key: tile.code for tile in frame.tiles}


def test_moves_and_changes_leave_no_trace(look: StageLook) -> None:
    """A table composed piece by piece is the same as one composed at once, pixel for pixel."""
    stage = Stage(look, 3)
    moved = (*ROW[:2], replace(ROW[2], x=0.2, y=2.2, angle_deg=91.0), *ROW[3:])
    steps = [
        Moment(ROW),
        Moment((*ROW, *GROUP)),
        Moment((*ROW, *GROUP), hands=(Hand(PERSON, (0.4, 0.4), (0.0, 9.0)),)),
        Moment((*moved, *(replace(tile, lift=0.6) for tile in GROUP))),
        Moment((*moved, *GROUP[:2]), exposure=Exposure(lamp=False)),
        Moment((*moved, *GROUP[:2])),
    ]
    for step in steps:
        after_others, alone = stage.frame(step, 1), Stage(look, 3).frame(step, 1)
        # shadows are blurred in windows: a rounding's difference is allowed
        apart = np.abs(after_others.image.astype(int) - alone.image)
        assert apart.max() <= 2
        assert (apart > 1).mean() < 1e-4
        assert codes(after_others) == codes(alone)
        for one, other in zip(after_others.tiles, alone.tiles, strict=True):
            assert one.visible == pytest.approx(other.visible, abs=0.01)
            assert np.array_equal(one.quad, other.quad)


def test_the_truth_is_that_of_a_composed_scene(look: StageLook) -> None:
    """The same tiles composed by the renderer of photos have the same quads and shares."""
    staged = Stage(look, 1).frame(Moment((*ROW, *GROUP)), 1)
    placed = [lying(tile.code, tile.x, tile.y, tile.angle_deg) for tile in (*ROW, *GROUP)]
    rng = np.random.default_rng(0)
    scene = compose(rng, SIZE, look.camera, look.box, placed, look.surface, look.surface_tiles, look.lighting)
    for one in staged.tiles:
        same: RenderedTile = min(scene.tiles, key=lambda tile: float(np.abs(tile.quad - one.quad).sum()))
        assert same.code == one.code
        assert np.allclose(same.quad, one.quad, atol=1e-3)
        assert one.visible == pytest.approx(same.visible, abs=0.02)


def test_a_hand_covers_what_lies_under_it(look: StageLook) -> None:
    stage = Stage(look, 1)
    bare = stage.frame(Moment((*ROW, *GROUP)), 1)
    under = stage.frame(Moment((*ROW, *GROUP), hands=(Hand(PERSON, (-0.5, -0.2), (-0.4, 9.0)),)), 1)
    assert bare.hands == 0
    assert under.hands == 1
    seen = {tile.key: tile.visible for tile in under.tiles}
    assert min(seen[tile.key] for tile in ROW[1:4]) < 0.3
    assert all(seen[tile.key] > 0.9 for tile in GROUP)
    assert np.abs(bare.image.astype(int) - under.image).max() > 60
    gone = stage.frame(Moment((*ROW, *GROUP)), 1)
    assert np.array_equal(gone.image, bare.image)
    assert [tile.visible for tile in gone.tiles] == [tile.visible for tile in bare.tiles]


def test_a_hand_out_of_the_picture_is_none(look: StageLook) -> None:
    frame = Stage(look, 1).frame(Moment(ROW, hands=(Hand(PERSON, (0.0, 30.0), (0.0, 60.0)),)), 1)
    assert frame.hands == 0


def test_a_carried_tile_is_nearer_to_the_camera(look: StageLook) -> None:
    stage = Stage(look, 1)
    low = stage.frame(Moment(ROW[:1]), 1).tiles[0]
    high = stage.frame(Moment((replace(ROW[0], lift=1.0),)), 1).tiles[0]
    assert np.linalg.norm(high.quad[0] - high.quad[1]) > 1.03 * np.linalg.norm(low.quad[0] - low.quad[1])


def test_frames_differ_by_the_grain_alone(look: StageLook) -> None:
    stage = Stage(replace(look, noise=2.0), 1)
    first, second, again = (stage.frame(Moment(ROW), number).image.astype(int) for number in (1, 2, 1))
    assert np.array_equal(first, again)
    assert 1.5 < (first - second).std() / np.sqrt(2) < 2.5


def test_light_and_nudges_change_all_of_the_picture(look: StageLook) -> None:
    stage = Stage(look, 1)
    usual = stage.frame(Moment(ROW), 1)
    dark = stage.frame(Moment(ROW, exposure=Exposure(lamp=False)), 1)
    bright = stage.frame(Moment(ROW, exposure=Exposure(gain=1.2)), 1)
    assert dark.image.mean() < 0.75 * usual.image.mean() < usual.image.mean() < bright.image.mean()
    nudged = stage.frame(Moment(ROW, nudge=(0.25, 0.0, 0.0)), 1)
    shifts = np.array([b.quad - a.quad for a, b in zip(usual.tiles, nudged.tiles, strict=True)])
    assert -13 < shifts[..., 0].mean() < -7  # a quarter of a tile 40 pixels high, to the left
    blurred = stage.frame(Moment(ROW, defocus_px=2.0), 1)
    assert np.abs(np.diff(blurred.image.astype(int), axis=1)).mean() < np.abs(
        np.diff(usual.image.astype(int), axis=1)
    ).mean()  # fmt: skip


def test_special_jokers_have_drawings_of_their_own() -> None:
    box = club_look(np.random.default_rng(4), SIZE, kinds=True).box
    rng = np.random.default_rng(1)
    faces = {code: box.face(code, 80, rng)[0] for code in ("J", "JD", "JC", "JM", "R5", BACK)}
    kinds = [faces[code].astype(int) for code in ("J", "JD", "JC", "JM")]
    for k, one in enumerate(kinds):
        assert all(np.abs(one - other).mean() > 3 for other in kinds[k + 1 :])
