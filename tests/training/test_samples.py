"""What a crop teaches: the tile's code where it can be read, that it cannot be read where nothing is to be seen."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from vision.detect import OUTSIDE_BGR
from vision.read import NOTHING, UNREAD
from vision.rectify import CROP_HEIGHT, CROP_WIDTH
from vision.render.compose import RenderedScene, RenderedTile
from vision.training.samples import crops_of, cut_off, detector_samples, faint, labelled, reader_samples

FRAME = np.array([[4, 5], [44, 5], [44, 59], [4, 59]], np.float32)
BODY = np.array([214.0, 230.0, 236.0])


def crop_with_ink(strength: float, gain: float = 1.0) -> NDArray[np.uint8]:
    """A tile's crop with an 8 whose ink takes ``strength`` of the body's light, under a lamp of this gain."""
    drawn = np.zeros((CROP_HEIGHT, CROP_WIDTH), np.uint8)
    cv2.putText(drawn, "8", (15, 36), cv2.FONT_HERSHEY_SIMPLEX, 0.8, 255, 2, cv2.LINE_AA)
    mask = drawn[..., None].astype(np.float32) / 255
    return np.clip(gain * BODY * (1 - strength * mask), 0, 255).astype(np.uint8)


@pytest.mark.parametrize("gain", [0.3, 1.0])
def test_only_invisible_print_is_faint(gain: float) -> None:
    assert faint(crop_with_ink(0.0, gain))
    assert faint(crop_with_ink(0.06, gain))
    assert not faint(crop_with_ink(0.3, gain))
    assert not faint(crop_with_ink(0.9, gain))


def test_a_tile_whose_print_cannot_be_seen_teaches_unread() -> None:
    tile = RenderedTile("B8", FRAME, 1.0, True)
    seen, unseen = (labelled(crop_with_ink(strength), FRAME, tile, False) for strength in (0.8, 0.03))
    assert (seen["number"], unseen["number"]) == (7, UNREAD)
    assert seen["colour"] >= 0 > unseen["colour"]


def test_samples_are_the_same_from_the_same_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vision.training.samples.load_fitting_photos", lambda **_: [])
    for source in (detector_samples, reader_samples):
        one, same = (source(np.random.default_rng(4)) for _ in range(2))
        for _ in range(12):
            assert next(one).tobytes() == next(same).tobytes()


def test_a_scene_without_tiles_teaches_at_most_what_is_no_tile() -> None:
    empty = RenderedScene(np.full((128, 128, 3), 90, np.uint8), ())
    rng = np.random.default_rng(1)
    for _ in range(10):
        assert {int(record["number"]) for record in crops_of(empty, rng)} <= {NOTHING}


@pytest.mark.parametrize("seed", range(8))
def test_a_photo_that_ends_early_shows_less_of_its_tiles(seed: int) -> None:
    rng = np.random.default_rng(seed)
    image = rng.integers(0, 200, (256, 256, 3)).astype(np.uint8)
    spots = [(x, y) for x in range(4, 230, 40) for y in range(4, 200, 56)]
    tiles = tuple(RenderedTile("B8", FRAME - FRAME[0] + np.array(spot, np.float32), 0.9, True) for spot in spots)
    cut = cut_off(RenderedScene(image, tiles), rng)
    gone = (cut.image == OUTSIDE_BGR).all(axis=2)
    assert gone.any()
    assert (cut.image[~gone] == image[~gone]).all()
    left = {tuple(tile.quad[0]): tile.visible for tile in cut.tiles}
    for spot in spots:
        share = 1 - gone[spot[1] : spot[1] + 54, spot[0] : spot[0] + 40].mean()
        assert left.get(spot, 0.0) == pytest.approx(0.9 * share, abs=0.06)
