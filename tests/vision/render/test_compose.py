"""The truth of a rendered scene is what its pixels show."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.vision.render.plain import (
    EVEN_LIGHT,
    Floats,
    PlainBox,
    camera_over,
    coverage,
    drawn,
    perimeter,
)
from vision.rectify import rectify
from vision.render import compose as stage
from vision.render import effects
from vision.render.compose import GLARE_LIMIT, Board, Lighting, Placed, RenderedScene, Thing, compose, lying
from vision.render.faces import StyledBox, random_box
from vision.render.fonts import NumeralShape
from vision.render.palettes import JUDGE_PALETTES
from vision.render.scene import random_lighting

SIZE = 240
RIGHT, AWAY, UP = np.array([1.0, 0.0, 0.0]), np.array([0.0, -1.0, 0.0]), np.array([0.0, 0.0, 1.0])
WHOLE = 0.94
"""Least ``visible`` of an uncovered tile of 80 pixels: its rim is counted among what might be seen."""
MIDDLE = lying("R1", 0.0, 0.0, 0.0)


def green(scene: RenderedScene) -> Floats:
    """Share of each pixel that a plain face covers."""
    values = scene.image[..., 1].astype(np.float64)
    return np.asarray(values / values.max(), np.float64)


@pytest.mark.parametrize("tilt", [0, 35, 60])
@pytest.mark.parametrize("turn", [0, 197])
def test_a_face_is_drawn_where_its_quad_says(tilt: float, turn: float) -> None:
    """On average its outline lies less than a fifth of a pixel from the quad."""
    for roll in range(0, 360, 30):
        scene = drawn([lying("R1", 0.3, -0.2, turn)], camera_over(SIZE, 80, tilt, roll))
        quad = scene.tiles[0].quad
        assert quad.dtype == np.float32
        difference = np.abs(coverage(quad, SIZE, SIZE) - green(scene)).sum()
        assert difference < 0.2 * perimeter(quad), (tilt, roll)


def test_the_quad_is_that_of_the_upper_side() -> None:
    flat, thick = (
        drawn([MIDDLE], camera_over(SIZE, 60, 50), box=PlainBox(thickness=thickness)).tiles[0].quad
        for thickness in (0.0, 0.3)
    )
    assert (thick[:, 1] < flat[:, 1] - 5).all()


@pytest.mark.parametrize("code", ["R4", "B7", "O12", "K9", "R6"])
@pytest.mark.parametrize("tilt", [0, 35, 60])
def test_numerals_stand_upright_in_their_quads(code: str, tilt: float) -> None:
    box = StyledBox(JUDGE_PALETTES[0], NumeralShape(None), thickness=0.15)
    wanted = box.face(code, 96, np.random.default_rng(0))[0][8:-8, 8:-8].astype(np.float64)
    for roll in range(0, 360, 45):
        scene = drawn([lying(code, -0.2, 0.2, 40.0)], camera_over(300, 130, tilt, roll), 300, box)
        quad = scene.tiles[0].quad[None]
        crop = rectify(scene.image, quad, round(96 * box.aspect), 96, pad=0.0)[0][8:-8, 8:-8].astype(np.float64)

        def likeness(other: Floats, crop: Floats = crop) -> float:
            return float(np.corrcoef(crop.ravel(), other.ravel())[0, 1])

        assert likeness(wanted) > 0.95, (tilt, roll)
        assert likeness(wanted) > 0.1 + max(likeness(wanted[::-1, ::-1]), likeness(wanted[:, ::-1]))


def test_a_tile_in_full_view_is_visible_and_legible() -> None:
    for roll in range(0, 360, 40):
        tile = drawn([MIDDLE], camera_over(SIZE, 80, 30, roll)).tiles[0]
        assert WHOLE < tile.visible <= 1
        assert tile.legible


@pytest.mark.parametrize(
    ("roll", "legible"), [(0, False), (180, True), (90, False)], ids=["numeral cut off", "foot cut off", "side cut off"]
)
def test_a_tile_cut_by_the_edge(roll: float, legible: bool) -> None:
    """Half of the tile lies above the picture's upper edge."""
    tile = drawn([MIDDLE], camera_over(SIZE, 80, 0, roll, (0.0, -SIZE / 2))).tiles[0]
    assert tile.visible == pytest.approx(0.5, abs=0.03)
    assert tile.legible is legible


def test_a_tile_outside_the_picture_is_not_seen_at_all() -> None:
    tile = drawn([MIDDLE], camera_over(SIZE, 80, 0, 0, (0.0, -SIZE))).tiles[0]
    assert (tile.visible, tile.legible) == (0.0, False)


@pytest.mark.parametrize(
    ("covered", "legible"),
    [(np.s_[:, : SIZE // 2], False), (np.s_[: SIZE // 2], False), (np.s_[SIZE // 2 :], True)],
    ids=["left half", "upper half", "lower half"],
)
def test_a_tile_half_under_a_hand(covered: tuple[slice, ...], legible: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    def flat_hand(*_: object) -> tuple[np.ndarray, np.ndarray]:
        alpha = np.zeros((SIZE, SIZE), np.uint8)
        alpha[covered] = 255
        return np.full((SIZE, SIZE, 3), (90, 0, 190), np.uint8), alpha

    monkeypatch.setattr(stage, "hand", flat_hand)
    scene = drawn([MIDDLE], camera_over(SIZE, 80), hands=((0.0, 0.0),))
    assert scene.tiles[0].visible == pytest.approx(0.5, abs=0.03)
    assert scene.tiles[0].legible is legible
    assert (scene.image[covered] == (90, 0, 190)).all()


def test_under_a_real_hand_what_stays_visible_is_what_did_not_change() -> None:
    shares = []
    for seed in range(12):
        camera, reach = camera_over(SIZE, 80), ((SIZE / 2, SIZE / 2),)
        bare, held = drawn([MIDDLE], camera, seed=seed), drawn([MIDDLE], camera, seed=seed, hands=reach)
        face = coverage(bare.tiles[0].quad, SIZE, SIZE) > 0.99
        unchanged = (bare.image == held.image).all(axis=2)[face].mean()
        shares.append(unchanged)
        assert held.tiles[0].visible / bare.tiles[0].visible == pytest.approx(unchanged, abs=0.06)
    assert min(shares) < 0.5
    assert max(shares) > 0.7


@pytest.mark.parametrize(("shift", "legible"), [(0.5, True), (-0.5, False)], ids=["foot", "numeral"])
def test_a_tile_half_under_another_tile(shift: float, legible: bool) -> None:
    above = replace(MIDDLE, code="B2", centre=np.array([0.0, shift, 0.2]))
    tiles = drawn([above, MIDDLE], camera_over(SIZE, 80)).tiles
    assert [tile.code for tile in tiles] == ["R1", "B2"], "far tiles come first"
    assert tiles[0].visible == pytest.approx(0.5, abs=0.05)
    assert tiles[0].legible is legible
    assert tiles[1].visible > WHOLE
    assert tiles[1].legible


def test_walls_hide_what_lies_behind_them() -> None:
    """A tile held over another: its face hides some of the lower one, its wall more."""
    near = replace(MIDDLE, code="B2", centre=np.array([0.0, 0.46, 0.9]))
    scene = drawn([MIDDLE, near], camera_over(SIZE, 60, 55), box=PlainBox(thickness=0.5))
    assert [tile.code for tile in scene.tiles] == ["R1", "B2"]
    far_face, near_face = (coverage(tile.quad, SIZE, SIZE) for tile in scene.tiles)
    beside = (far_face > 0.99) & (near_face == 0)
    shown = beside & (scene.image[..., 1] > 100)
    whole = np.count_nonzero(far_face > 0.99)
    assert beside.sum() > shown.sum() + 0.1 * whole
    assert scene.tiles[0].visible == pytest.approx(shown.sum() / whole, abs=0.08)


def test_tops_of_one_height_hide_nothing_of_each_other() -> None:
    tiles = drawn([MIDDLE, lying("B2", 0, 1.02, 0)], camera_over(SIZE, 60, 65), box=PlainBox(thickness=0.9)).tiles
    assert min(tile.visible for tile in tiles) > 0.9


def test_glare_over_the_numeral_makes_it_illegible_when_it_is_strong(monkeypatch: pytest.MonkeyPatch) -> None:
    """Strength is what the picture shows: how far it moved towards white."""
    monkeypatch.setattr(effects, "soft_blob", lambda _rng, height, width, *_: np.ones((height, width), np.float32))
    outcomes = set()
    for seed in range(16):
        plain, lit = (
            drawn([MIDDLE], camera_over(SIZE, 80), seed=seed, lighting=replace(EVEN_LIGHT, glare=count))
            for count in (0, 1)
        )
        before, after = (int(scene.image[SIZE // 2, SIZE // 2, 2]) for scene in (plain, lit))
        whitened = (after - before) / (255 - before)
        if abs(whitened - GLARE_LIMIT) > 0.02:
            assert lit.tiles[0].legible is (whitened < GLARE_LIMIT)
            outcomes.add(lit.tiles[0].legible)
        assert lit.tiles[0].visible == plain.tiles[0].visible
    assert outcomes == {True, False}


def test_glare_over_one_digit_makes_the_numeral_illegible(monkeypatch: pytest.MonkeyPatch) -> None:
    """An 11 with its second stroke whitened looks like a 1."""

    def right_half(_: object, height: int, width: int, *__: object) -> np.ndarray:
        spot = np.zeros((height, width), np.float32)
        spot[:, width // 2 + 1 :] = 1
        return spot

    monkeypatch.setattr(effects, "soft_blob", right_half)
    glaring = replace(EVEN_LIGHT, glare=6)
    assert not drawn([lying("R11", 0, 0, 0)], camera_over(SIZE, 80), lighting=glaring).tiles[0].legible
    assert drawn([lying("R11", -0.5, 0, 0)], camera_over(SIZE, 80), lighting=glaring).tiles[0].legible


def test_glare_beside_the_numeral_does_no_harm(monkeypatch: pytest.MonkeyPatch) -> None:
    def lower_half(_: object, height: int, width: int, *__: object) -> np.ndarray:
        spot = np.zeros((height, width), np.float32)
        spot[height // 2 + 1 :] = 1
        return spot

    monkeypatch.setattr(effects, "soft_blob", lower_half)
    glaring = replace(EVEN_LIGHT, glare=4)
    assert drawn([MIDDLE], camera_over(SIZE, 80), lighting=glaring).tiles[0].legible
    assert not drawn([lying("R1", 0, 0, 180)], camera_over(SIZE, 80), lighting=glaring).tiles[0].legible


def test_tiles_that_face_away_are_left_out() -> None:
    def standing(code: str, right: Floats, up: Floats) -> Placed:
        return Placed(code, np.array([0.0, 0.0, 0.5]), right, up)

    placed = [
        standing("R1", RIGHT, UP),
        standing("R2", -RIGHT, UP),
        standing("R3", RIGHT, -AWAY),
        standing("R4", RIGHT, AWAY),
    ]
    seen = drawn(placed, camera_over(SIZE, 40, 60))
    assert {tile.code for tile in seen.tiles} == {"R1", "R4"}
    for tile in seen.tiles:
        sides = np.roll(tile.quad, -1, axis=0) - tile.quad
        following = np.roll(sides, -1, axis=0)
        assert (sides[:, 0] * following[:, 1] - sides[:, 1] * following[:, 0] > 0).all()


def test_tiles_behind_the_camera_are_left_out() -> None:
    high = Placed("R1", np.array([0.0, 0.0, 40.0]), RIGHT, AWAY)
    assert [tile.code for tile in drawn([high, MIDDLE], camera_over(SIZE, 20)).tiles] == ["R1"]
    assert drawn([high], camera_over(SIZE, 20)).tiles == ()


def test_codes_are_handed_on() -> None:
    placed = [lying("?", -1, 0, 0), lying("J", 0, 0, 0), lying("K13", 1, 0, 0)]
    assert {tile.code for tile in drawn(placed, camera_over(SIZE, 50)).tiles} == {"?", "J", "K13"}


def test_a_back_is_never_illegible_for_want_of_a_numeral() -> None:
    camera = camera_over(SIZE, 80, 0, 0, (0.0, -SIZE / 2))
    assert drawn([lying("?", 0, 0, 0)], camera).tiles[0].legible


def test_shadows_fall_away_from_the_lamp() -> None:
    grey = np.full((8, 8, 3), 180, np.uint8)
    light = replace(EVEN_LIGHT, towards=(1.0, 0.0), shadow=0.7, softness=0.03)
    scene = compose(
        np.random.default_rng(1), (SIZE, SIZE), camera_over(SIZE, 80), PlainBox(thickness=0.3), [MIDDLE], grey, 8, light
    )
    left, right = 120 - 28 - 9, 120 + 28 + 9
    assert scene.image[120, left].max() < 120 < scene.image[120, right].min()
    assert (scene.image[5, 5] == 180).all()


def test_boards_and_things_lie_under_the_tiles() -> None:
    size = np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])
    red = Thing(np.full((9, 9, 3), (0, 0, 200), np.uint8), size + (2, 0))
    blue = Board(np.column_stack([size - (2, 0), np.zeros(4)]), (200.0, 0.0, 0.0))
    black = np.zeros((8, 8, 3), np.uint8)
    scene = compose(
        np.random.default_rng(1), (SIZE, SIZE), camera_over(SIZE, 40), PlainBox(thickness=0.0),
        [lying("R1", 2, 0, 0), lying("R2", -2, 0, 0)], black, 8, EVEN_LIGHT, (blue,), (red,),
    )  # fmt: skip
    assert scene.image[120, 200].argmax() == scene.image[120, 40].argmax() == 1
    assert scene.image[150, 200].tolist() == [0, 0, 200]
    assert scene.image[150, 40].tolist() == [200, 0, 0]
    assert min(tile.visible for tile in scene.tiles) > 0.9


@pytest.mark.parametrize("seed", range(4))
def test_the_same_seed_gives_the_same_picture(seed: int) -> None:
    def scene(number: int) -> RenderedScene:
        rng = np.random.default_rng(number)
        box, light = random_box(rng), replace(random_lighting(rng), glare=1, blobs=1)
        return drawn([MIDDLE, lying("?", 1, 1, 30)], camera_over(120, 30, 40), 120, box, light, ((60, 60),), number)

    one, same, other = scene(seed), scene(seed), scene(seed + 50)
    np.testing.assert_array_equal(one.image, same.image)
    assert [(tile.code, tile.quad.tolist(), tile.visible, tile.legible) for tile in one.tiles] == [
        (tile.code, tile.quad.tolist(), tile.visible, tile.legible) for tile in same.tiles
    ]
    assert (one.image != other.image).any()


def test_an_empty_table_is_a_picture_without_tiles() -> None:
    scene = drawn([], camera_over(SIZE, 60), lighting=Lighting(blobs=1, glare=1), hands=((50.0, 50.0),))
    assert scene.tiles == ()
    assert scene.image.shape == (SIZE, SIZE, 3)
