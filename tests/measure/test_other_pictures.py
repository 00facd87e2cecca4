"""Pictures of other things are the same for the same seed, and the counts over them count what they say."""

from __future__ import annotations

import numpy as np
import pytest

from referee.observation import DRAWN, Kind, Observation, Quad, Reading, Scene, SeenTile
from referee.tiles import parse_tile
from tests.measure.families import Tally
from tests.measure.limits import FAULTS, fair, line, value_of
from tests.measure.other_pictures import KINDS
from tests.measure.strange import Count
from vision.inspection import Cause, Inspection, Measurement

QUAD: Quad = ((0.0, 0.0), (40.0, 0.0), (40.0, 60.0), (0.0, 60.0))


@pytest.mark.parametrize("kind", ["dominoes", "keypad", "screen of the game"])
def test_a_seed_is_a_picture(kind: str) -> None:
    draw = KINDS[kind]
    one, again, other = (draw(np.random.default_rng(seed)) for seed in (3, 3, 4))
    assert one.dtype == np.uint8
    assert np.array_equal(one, again)
    assert not np.array_equal(one, other)


def seen(doubtful: bool, *notes: str) -> Observation:
    tile = SeenTile(QUAD, Kind.FACE, (Reading(parse_tile("R5"), 0.9),), 0.9, doubtful)
    return Observation(100, 100, Scene.TABLE, (tile,), loose=(0,), notes=notes)


def test_a_sure_tile_counts_only_in_a_picture_that_was_not_named() -> None:
    count = Count()
    for observation in (seen(False), seen(True), seen(False, DRAWN), Observation(100, 100, Scene.EMPTY)):
        count.add(observation)
    assert (count.pictures, count.named, count.without_faces, count.surely_read) == (4, 1, 1, 1)


def test_a_line_of_limits_shows_the_measurement_and_what_was_read() -> None:
    inspection = Inspection(100, 100, 4, (Measurement(Cause.BLURRED, 7.5),))
    said = line(FAULTS[0], 0.08, [(inspection, Tally(tiles=4, right=3, silent=1))])
    for part in ("blurred", "0.08", "7.50", "no", "75.0%", "silent  1"):
        assert part in said
    assert np.isnan(value_of(inspection, Cause.DARK))


def test_without_its_fault_each_picture_is_the_fair_one() -> None:
    image, tiles = fair(0, 3)
    assert image.dtype == np.uint8
    assert len(tiles) > 8
    for fault in FAULTS:
        if fault.strengths[0] == 0 and fault.cause in {Cause.BLURRED, Cause.MOVED, Cause.SHADOWS, Cause.GLARE}:
            assert np.array_equal(fault.show(0, 0, 3)[0], image)
