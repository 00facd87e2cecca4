"""Random scenes: repeatable, varied, and with truth that can be trained on."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from vision.render import effects
from vision.render.compose import Board, Placed
from vision.render.faces import BACK, StyledBox, random_box
from vision.render.scene import (
    RenderedScene,
    harsh,
    random_code,
    random_lighting,
    random_rack,
    random_table,
    random_things,
    training_scene,
)

SIZE = 128
CODES = {f"{colour}{number}" for colour in "RBKO" for number in range(1, 14)}


@pytest.fixture(scope="module")
def scenes() -> list[RenderedScene]:
    return [training_scene(np.random.default_rng(seed), SIZE) for seed in range(40)]


@pytest.mark.parametrize("seed", range(3))
def test_the_same_seed_gives_the_same_scene(seed: int, scenes: list[RenderedScene]) -> None:
    again = training_scene(np.random.default_rng(seed), SIZE)
    np.testing.assert_array_equal(again.image, scenes[seed].image)
    assert [tile.code for tile in again.tiles] == [tile.code for tile in scenes[seed].tiles]
    for tile, before in zip(again.tiles, scenes[seed].tiles, strict=True):
        np.testing.assert_array_equal(tile.quad, before.quad)
        assert replace(tile, quad=before.quad) == before


def test_scenes_differ(scenes: list[RenderedScene]) -> None:
    assert len({scene.image.tobytes() for scene in scenes}) == len(scenes)


def test_pictures_and_truth_have_their_shapes(scenes: list[RenderedScene]) -> None:
    for scene in scenes:
        assert scene.image.shape == (SIZE, SIZE, 3)
        assert scene.image.dtype == np.uint8
        for tile in scene.tiles:
            assert tile.code in CODES | {"J", BACK}
            assert tile.quad.shape == (4, 2)
            assert tile.quad.dtype == np.float32
            assert 0 <= tile.visible <= 1


def test_every_quad_runs_clockwise_around_its_tile(scenes: list[RenderedScene]) -> None:
    for scene in scenes:
        for tile in scene.tiles:
            sides = np.roll(tile.quad, -1, axis=0) - tile.quad
            following = np.roll(sides, -1, axis=0)
            assert (sides[:, 0] * following[:, 1] - sides[:, 1] * following[:, 0] > 0).all()


def test_scenes_are_mixed(scenes: list[RenderedScene]) -> None:
    """Empty tables, full ones, cut, covered and face-down tiles are all met."""
    tiles = [tile for scene in scenes for tile in scene.tiles]
    assert 1 <= sum(not scene.tiles for scene in scenes) <= 20
    assert max(len(scene.tiles) for scene in scenes) > 20
    assert 0.3 < np.mean([tile.visible > 0.8 for tile in tiles]) < 0.95
    assert 0.02 < np.mean([not tile.legible for tile in tiles]) < 0.5
    assert BACK in {tile.code for tile in tiles}
    assert "J" in {tile.code for tile in tiles}
    heights = [np.linalg.norm(tile.quad[0] - tile.quad[3]) * 256 / SIZE for tile in tiles]
    assert np.percentile(heights, 5) < 30
    assert np.percentile(heights, 95) > 50


def test_numerals_face_every_way(scenes: list[RenderedScene]) -> None:
    ups = np.array([tile.quad[0] - tile.quad[3] for scene in scenes for tile in scene.tiles])
    eighths = Counter(np.floor(np.arctan2(ups[:, 1], ups[:, 0]) / (np.pi / 4)).astype(int).tolist())
    assert len(eighths) == 8
    assert min(eighths.values()) > 0.02 * len(ups)


def test_a_box_source_dresses_the_scene() -> None:
    asked = []

    def source(rng: np.random.Generator) -> StyledBox:
        asked.append(1)
        return random_box(rng)

    training_scene(np.random.default_rng(2), 64, source)
    assert asked == [1]


def test_codes_come_with_the_given_shares() -> None:
    rng = np.random.default_rng(1)
    drawn = Counter(random_code(rng, backs=0.1, jokers=0.2) for _ in range(4000))
    assert drawn[BACK] / 4000 == pytest.approx(0.1, abs=0.02)
    assert drawn["J"] / 4000 == pytest.approx(0.2, abs=0.03)
    assert set(drawn) == CODES | {BACK, "J"}
    numbers = Counter({n: sum(drawn[f"{colour}{n}"] for colour in "RBKO") for n in range(1, 14)})
    assert {number for number, _ in numbers.most_common(2)} == {6, 9}
    assert 2 * min(numbers.values()) < max(numbers.values()) < 4 * min(numbers.values())


def test_light_stays_within_its_bounds() -> None:
    rng = np.random.default_rng(1)
    lights = [random_lighting(rng) for _ in range(300)]
    assert all(np.hypot(*light.towards) <= 1 + 1e-9 for light in lights)
    assert all(0.3 < light.gain <= 1.12 and 0 <= light.contrast <= 0.5 for light in lights)
    assert all(min(light.cast) > 0.5 for light in lights)
    assert 0.1 < np.mean([light.glare > 0 for light in lights]) < 0.3
    assert 0.2 < np.mean([light.blobs > 0 for light in lights]) < 0.5


def test_harsh_light_is_dim_tinted_hard_or_glaring() -> None:
    rng = np.random.default_rng(1)
    lights = [harsh(rng, random_lighting(rng)) for _ in range(200)]
    for bad in (
        [light.gain <= 0.42 for light in lights],
        [max(light.cast) - min(light.cast) > 0.4 for light in lights],
        [light.softness < 0.02 and light.blobs >= 2 for light in lights],
        [light.glare >= 4 for light in lights],
    ):
        assert np.mean(bad) > 0.1
    assert all(min(light.cast) > 0.4 and light.gain > 0.25 for light in lights)


def test_a_poor_camera_spoils_the_picture_but_leaves_its_size() -> None:
    picture = np.zeros((90, 120, 3), np.uint8)
    picture[:, 60:] = 200
    spoilt = [effects.poor_camera(picture.copy(), np.random.default_rng(seed), 40.0) for seed in range(20)]
    for seed, image in enumerate(spoilt):
        assert image.shape == picture.shape
        assert image.dtype == np.uint8
        assert (image != picture).any()
        np.testing.assert_array_equal(image, effects.poor_camera(picture.copy(), np.random.default_rng(seed), 40.0))
    changes = [np.abs(image.astype(float) - picture).mean() for image in spoilt]
    assert max(changes) > 4
    assert max(changes) < 40


def test_tiny_numerals_are_shown_large_enough_to_be_read() -> None:
    tiny = replace(random_box(np.random.default_rng(3)), numeral_height=0.12, numeral_y=0.25)
    heights = [
        np.linalg.norm(tile.quad[0] - tile.quad[3])
        for seed in range(25)
        for tile in training_scene(np.random.default_rng(seed), 256, lambda _: tiny).tiles
    ]
    assert np.percentile(heights, 25) * 0.12 > 3.5


@pytest.mark.parametrize("seed", range(12))
def test_tiles_on_a_table_lie_flat_and_reach_over_the_picture(seed: int) -> None:
    placed = random_table(np.random.default_rng(seed), random_box(np.random.default_rng(seed)), 256, 30.0)
    assert placed
    centres = np.array([tile.centre for tile in placed])
    assert (centres[:, 2] == 0).all()
    for tile in placed:
        np.testing.assert_allclose(tile.normal, (0, 0, 1), atol=1e-12)
        assert np.linalg.norm(tile.right) == pytest.approx(1)
    assert np.abs(centres[:, :2]).max() < 0.62 * 256 / 30 + 15


def test_tables_are_laid_in_several_ways() -> None:
    """Rows keep most tiles parallel, scattered tiles do not."""
    bent = []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        angles = np.array([np.arctan2(t.right[1], t.right[0]) for t in random_table(rng, random_box(rng), 256, 30.0)])
        bent.append(1 - abs(np.exp(2j * angles).mean()))
    assert np.mean(np.array(bent) < 0.05) > 0.25
    assert np.mean(np.array(bent) > 0.5) > 0.25


def test_racks_are_met(monkeypatch: pytest.MonkeyPatch) -> None:
    racks = []

    def noted(*rack: object) -> tuple[list[Placed], tuple[Board, ...]]:
        racks.append(rack)
        return [], ()  # an empty table is quickly drawn

    monkeypatch.setattr("vision.render.scene.random_rack", noted)
    monkeypatch.setattr("vision.render.scene.random_table", lambda *_: [])
    for seed in range(40):
        training_scene(np.random.default_rng(seed), 32)
    assert 1 <= len(racks) <= 15


@pytest.mark.parametrize("seed", range(10))
def test_a_rack_stands_up_and_leans_back(seed: int) -> None:
    rng = np.random.default_rng(seed)
    box = random_box(rng)
    placed, boards = random_rack(rng, box, 8.0)
    assert len(boards) in {2, 4}
    for tile in placed:
        assert tile.right @ tile.up == pytest.approx(0)
        assert tile.up[2] > 0.6
        assert tile.normal[1] > 0.6, "its face looks at the viewer"
        assert tile.normal[2] > 0, "and a little upwards"
    by_ledge: dict[float, list[float]] = {}
    for tile in placed:
        by_ledge.setdefault(round(float(tile.centre[2]), 6), []).append(float(tile.centre[0]))
    assert 1 <= len(by_ledge) <= len(boards) / 2
    assert all(np.diff(sorted(places)).min(initial=9) >= box.aspect for places in by_ledge.values())


def test_things_lie_within_reach() -> None:
    rng = np.random.default_rng(4)
    for _ in range(20):
        for thing in random_things(rng, 10.0):
            assert thing.texture.dtype == np.uint8
            assert np.abs(thing.corners.mean(axis=0)).max() <= 5
            sides = np.linalg.norm(np.roll(thing.corners, -1, axis=0) - thing.corners, axis=1)
            assert sides[0] / sides[1] == pytest.approx(thing.texture.shape[1] / thing.texture.shape[0])
