"""A lesson tells how well its box will be read: tiles left out of it are tried on what the others teach."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

from referee.tiles import parse_tile
from tests.measure.taught import Club, examples_in, laid_out
from vision.assemble import Calibration
from vision.model_store import load_model, models_folder, read_manifest
from vision.render.fonts import JUDGE_FONTS, available_fonts
from vision.taught.examples import Example
from vision.taught.learn import folds_of, teach
from vision.taught.outlook import Outlook, Prospect, outlook

MANIFEST = read_manifest(models_folder())
READER = load_model("reader", MANIFEST, threads=1)
CALIBRATION = Calibration.of(MANIFEST.reading)
CODES = [f"{colour}{number}" for colour in "RBKO" for number in range(1, 14)]


def test_one_of_two_copies_lies_in_each_half() -> None:
    tiles = tuple(parse_tile(code) for code in [*CODES, *CODES, "J", "J"])
    fold = folds_of(tiles)
    halves = [sorted(str(tile) for tile, k in zip(tiles, fold, strict=True) if k == half) for half in (0, 1)]
    assert halves[0] == halves[1] == sorted([*CODES, "J"])


def test_of_a_box_shown_once_both_halves_show_every_colour_and_number() -> None:
    tiles = tuple(parse_tile(code) for code in CODES)
    for half in (0, 1):
        own = [tile for tile, k in zip(tiles, folds_of(tiles), strict=True) if k == half]
        assert len(own) == 26
        assert {tile.number for tile in own} == set(range(1, 14))
        assert len({tile.colour for tile in own}) == 4


def test_the_shares_are_those_of_all_faces() -> None:
    tile = parse_tile("R6")
    promised = Outlook((Prospect(tile, 1.0, 0.0, 0.0), Prospect(tile, 0.5, 0.25, 0.5)))
    assert (promised.right, promised.asked) == (0.75, 0.25)
    assert (Outlook(()).right, Outlook(()).asked) == (0.0, 0.0)


@pytest.mark.skipif(
    len(available_fonts(JUDGE_FONTS)) < len(JUDGE_FONTS), reason="the fonts of judging are not installed (make fonts)"
)
def test_tiles_that_the_photo_hardly_shows_are_foretold_to_be_asked_about() -> None:
    scene = laid_out(Club("plain", lambda box: box), 1, (1200, 900))
    some = [one for one in examples_in(scene, 1) if one.tile.number in {2, 3, 7}]
    smeared = tuple(
        replace(one, crop=np.asarray(cv2.GaussianBlur(one.crop, (0, 0), 9), np.uint8)) if one.tile.number == 3 else one
        for one in some
    )
    clear, worse = (
        outlook(teach("club-box", tuple(lesson), READER, ""), READER, CALIBRATION) for lesson in (some, smeared)
    )
    assert len(clear.faces) == 12
    assert clear.right > 0.95
    assert clear.asked < 0.25
    of_threes = [float(np.mean([one.asked for one in told.faces if one.tile.number == 3])) for told in (clear, worse)]
    assert of_threes[1] > of_threes[0] + 0.2
    assert worse.asked > clear.asked


def test_what_was_learned_from_one_tile_foretells_nothing() -> None:
    crop = np.full((128, 96, 3), 200, np.uint8)
    box = teach("few", (Example(parse_tile("R5"), crop),), READER, "")
    assert outlook(box, READER, CALIBRATION).faces == ()
    assert outlook(replace(box, head=None), READER, CALIBRATION).faces == ()
