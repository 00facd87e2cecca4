"""A still table has one reading, and a hand over it is waited for: rendered tables and shared photos, real networks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from referee.observation import Observation
from referee.preset_files import load_ruleset
from referee.reconcile import accept, reconcile
from tests.accuracy.test_watching import GROUPS, NEAR, Table
from vision.frames import Frame
from vision.fusion import fuse
from vision.look import Eyes, Parts
from vision.render import effects
from vision.render.clutter import hand
from vision.steady import LiveSight, Stage, TableWatch
from web.examine import tile_code

Image = NDArray[np.uint8]
RULES = load_ruleset()
SHOT = replace(NEAR, size_wh=(960, 540), fill=0.7)


def taken(picture: Image, seed: int, gain: float = 1.0, noise: float = 3.0) -> Image:
    """A frame of a fair webcam."""
    lit = np.clip(picture * np.float32(gain), 0, 255).astype(np.uint8)
    return effects.jpeg(effects.sensor_noise(lit, np.random.default_rng(seed), noise, coarse=True), 88)


def frames(*pictures: Image) -> Iterator[Frame]:
    """Frames of one camera, ten a second."""
    for number, picture in enumerate(pictures, start=1):
        yield Frame(picture, 1000 + number / 10, number)


def with_hand(picture: Image, x: float, y: float, tile_px: float) -> Image:
    skin, alpha = hand(np.random.default_rng(5), picture.shape[0], picture.shape[1], (x, y), 2 * tile_px)
    return np.asarray(picture + (skin - picture.astype(np.float32)) * (alpha[..., None] / 255), np.uint8)


def says(observation: Observation) -> list[tuple[str, bool]]:
    """Every tile and whether it is in doubt; the order of equal ones does not matter."""
    return sorted((tile_code(tile), tile.doubtful) for tile in observation.tiles)


def rows(observation: Observation) -> list[tuple[str, ...]]:
    return sorted(tuple(tile_code(observation.tiles[i]) for i in row.tiles) for row in observation.rows)


def told(sight: LiveSight) -> Observation:
    assert sight.observation is not None, sight
    return sight.observation


@pytest.fixture(scope="module")
def eyes(real_eyes: Eyes) -> Eyes:
    """The networks alone."""
    return real_eyes.with_parts(Parts(real_eyes.parts.detector, real_eyes.parts.reader, None))


def test_a_turn_before_a_camera(eyes: Eyes) -> None:
    """Still, a hand that comes, rests and goes, a tile exchanged in its place: one reading each time it is still."""
    table = Table.laid(SHOT)
    plain, swapped = table.picture(), table.with_tile(0, 3, "R9").picture()
    tile_px = 40.0
    watch = TableWatch(eyes)
    shown = [
        *(taken(plain, k) for k in range(12)),
        *(taken(with_hand(plain, 300 + 60 * k, 300, tile_px), 20 + k) for k in range(3)),
        *(taken(with_hand(plain, 480, 300, tile_px), 30 + k) for k in range(3)),
        *(taken(swapped, 40 + k) for k in range(8)),
    ]
    sights = [watch.look(frame) for frame in frames(*shown)]
    first, covered, last = sights[:12], sights[12:18], sights[18:]
    assert [sight.stage for sight in first[4:]] == [Stage.STILL] * 8
    assert len({id(sight.observation) for sight in first[4:]}) == 1
    assert Counter(code for code, _ in says(told(first[-1]))) == Counter(code for row in GROUPS for code in row)
    assert {(sight.stage, sight.why) for sight in covered} == {(Stage.WAIT, "hand")}
    assert last[-1].stage is Stage.STILL
    before = accept(reconcile(told(first[-1]), None, (), RULES), ())
    after = reconcile(told(last[-1]), before, (), RULES)
    # the R8 is nowhere any more, and an R9 lies in its place
    assert [question.why for question in after.questions] == ["reads_otherwise"]
    assert [str(tile) for tile in after.questions[0].choices[:2]] in [["R8", "R9"], ["R9", "R8"]]
    assert len(after.unmoved) == len(told(first[-1]).tiles) - 1


def test_fused_looks_say_the_same_again_and_again(eyes: Eyes) -> None:
    """Looks at other frames of the same table, four at a time."""
    picture = Table.laid(replace(SHOT, fill=0.45)).picture()
    readings = [
        fuse([eyes.look(taken(picture, 10 * k + look, noise=6.0)).observation for look in range(4)]) for k in range(3)
    ]
    assert [says(reading) for reading in readings] == [says(readings[0])] * 3
    assert [rows(reading) for reading in readings] == [rows(readings[0])] * 3


@pytest.mark.parametrize("photo", ["jns_board1", "rummy2-05"])
def test_a_photo_exposed_again_and_again_has_one_reading(eyes: Eyes, shared_photos: Path, photo: str) -> None:
    picture = np.asarray(cv2.imread(str(shared_photos / "photos" / f"{photo}.jpg")), np.uint8)
    factor = 1280 / max(picture.shape[:2])
    picture = np.asarray(cv2.resize(picture, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA), np.uint8)
    gains = np.random.default_rng(1).uniform(0.9, 1.0, 14)
    watch = TableWatch(eyes)
    shown = (taken(picture, k, float(gain), noise=2.0) for k, gain in enumerate(gains))
    still = [sight for sight in map(watch.look, frames(*shown)) if sight.stage is Stage.STILL]
    assert len(still) >= 5
    assert len({tuple(says(told(sight))) for sight in still}) == 1
