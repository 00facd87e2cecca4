"""Ink is measured against the tile's own white, and all tiles of a table vouch for each other's colour."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from vision import colour
from vision.colour import ANY_BOX, COLOURS, Ink, ink_of, ink_prior, inks_alike, judge_jointly, shows_colours
from vision.rectify import rectify

Floats = NDArray[np.float64]
Crops = NDArray[np.uint8]

INKS = {
    "navy box": [(45, 40, 200), (150, 60, 20), (35, 35, 35), (40, 130, 235)],
    "teal box": [(60, 50, 210), (190, 160, 60), (40, 38, 36), (30, 140, 240)],
    "pink and yellow box": [(130, 80, 235), (200, 110, 30), (50, 50, 50), (40, 205, 245)],
}
"""BGR inks in the order of ``COLOURS``."""
LAMPS = {"daylight": (1.0, 1.0, 1.0), "warm": (0.65, 0.95, 1.2), "cool": (1.25, 1.0, 0.75), "dusk": (0.3, 0.3, 0.3)}
"""Gains of blue, green and red."""


def faces(inks: list[tuple[int, int, int]], seed: int = 0) -> Crops:
    """Cream tiles on a brown table, each with a number in its ink, with shading and sensor noise."""
    rng = np.random.default_rng(seed)
    crops = np.empty((len(inks), 64, 48, 3), np.uint8)
    for crop, ink in zip(crops, inks, strict=True):
        crop[:] = (40, 60, 90)
        crop[5:59, 4:44] = (205, 220, 228)
        cv2.putText(crop, str(rng.integers(2, 10)), (15, 36), cv2.FONT_HERSHEY_SIMPLEX, 0.9, ink, 3, cv2.LINE_AA)
        light = rng.uniform(0.75, 1.0) + 0.1 * np.linspace(-1, 1, 48)[None, :, None] * rng.uniform(-1, 1)
        crop[:] = np.clip(crop * light + rng.normal(size=crop.shape) * 3, 0, 255).astype(np.uint8)
    return crops


def lit(crops: Crops, gains: tuple[float, float, float]) -> Crops:
    return np.asarray(np.clip(crops * np.array(gains), 0, 255), np.uint8)


def believed(colours: list[int] | NDArray[np.int64], p: float = 0.97) -> Floats:
    """The network's answers, each ``p`` sure of the given column."""
    answers = np.full((len(colours), 4), (1 - p) / 3)
    answers[np.arange(len(colours)), colours] = p
    return answers


def all_inked(count: int) -> NDArray[np.bool_]:
    return np.ones(count, bool)


@pytest.mark.parametrize("lamp", LAMPS)
def test_ink_does_not_depend_on_the_lamp(lamp: str) -> None:
    crops = faces(INKS["navy box"] * 3)
    change = np.abs(ink_of(lit(crops, LAMPS[lamp])).lab - ink_of(crops).lab)
    assert np.median(change) < 4


def test_ink_is_told_as_it_was_printed() -> None:
    for inks in INKS.values():
        bgr = np.array([inks], np.float32) / 255 * np.array([235 / 205, 235 / 220, 235 / 228], np.float32)
        printed = cv2.cvtColor(np.minimum(bgr, 1).astype(np.float32), cv2.COLOR_BGR2Lab)[0]
        assert np.abs(ink_of(faces(inks * 4)).lab.reshape(4, 4, 3).mean(axis=0) - printed).max() < 12


def test_a_blank_face_has_no_ink() -> None:
    blank = np.full((2, 64, 48, 3), 200, np.uint8)
    assert ink_of(blank).share.tolist() == [0.0, 0.0]
    assert ink_of(faces(INKS["navy box"])).share == pytest.approx([0.12] * 4, abs=0.08)


def test_no_crops_have_no_ink() -> None:
    assert ink_of(np.zeros((0, 64, 48, 3), np.uint8)).lab.shape == (0, 3)


def test_other_crops_are_refused() -> None:
    with pytest.raises(ValueError, match="crops"):
        ink_of(np.zeros((2, 64, 48), np.uint8))


@pytest.mark.parametrize("lamp", LAMPS)
@pytest.mark.parametrize("box", INKS)
def test_a_right_network_is_confirmed(box: str, lamp: str) -> None:
    colours = list(range(4)) * 4
    network = believed(colours, 0.9)
    judged = judge_jointly(network, ink_of(lit(faces(INKS[box] * 4), LAMPS[lamp])), all_inked(16))
    assert judged.argmax(axis=1).tolist() == colours
    assert judged.max(axis=1).min() > 0.97
    assert judged.sum(axis=1) == pytest.approx(np.ones(16))


@pytest.mark.parametrize("lamp", LAMPS)
@pytest.mark.parametrize("box", INKS)
@pytest.mark.parametrize("swap", [(0, 3), (3, 0), (1, 2), (2, 1)], ids=lambda swap: "".join(COLOURS[k] for k in swap))
def test_a_confident_error_becomes_doubtful_and_is_not_flipped(box: str, lamp: str, swap: tuple[int, int]) -> None:
    true, said = swap
    colours = list(range(4)) * 4
    network = believed(colours)
    network[4 + true] = believed([said], 0.9999)[0]
    judged = judge_jointly(network, ink_of(lit(faces(INKS[box] * 4), LAMPS[lamp])), all_inked(16))
    assert judged[4 + true].argmax() == said
    assert judged[4 + true, said] < 0.65
    assert judged[4 + true, true] > 0.35
    others = np.delete(np.arange(16), 4 + true)
    assert judged[others].max(axis=1).min() > 0.9


def test_an_undecided_network_is_helped_but_stays_doubtful() -> None:
    network = believed(list(range(4)) * 4)
    network[0] = (0.45, 0.0, 0.0, 0.55)
    judged = judge_jointly(network, ink_of(faces(INKS["navy box"] * 4)), all_inked(16))
    assert judged[0].argmax() == 0
    assert judged[0, 0] < 0.9


def test_a_lone_tile_is_left_to_the_network() -> None:
    """Dark orange or light red? One tile gives no cluster, and the general idea of inks contradicts neither."""
    between = ink_of(faces([(60, 105, 225)]))
    for said in (0, 3):
        assert judge_jointly(believed([said]), between, all_inked(1))[0, said] > 0.9


def test_jokers_and_backs_neither_change_nor_count() -> None:
    crops = faces([*INKS["navy box"] * 4, *[(40, 130, 235)] * 8])
    network = np.concatenate([believed(list(range(4)) * 4), believed([0] * 8)])
    has_ink = np.arange(24) < 16
    judged = judge_jointly(network, ink_of(crops), has_ink)
    assert np.array_equal(judged[16:], network[16:])
    assert np.array_equal(judged[:16], judge_jointly(network[:16], ink_of(crops[:16]), all_inked(16)))


def test_a_table_without_ink_is_left_alone() -> None:
    network = believed([0, 1])
    assert np.array_equal(judge_jointly(network, Ink(np.zeros((2, 3)), np.zeros(2)), all_inked(2)), network)


def test_the_order_of_the_tiles_does_not_matter() -> None:
    colours = np.array(list(range(4)) * 4)
    network = believed(colours)
    network[5] = believed([2])[0]
    ink = ink_of(faces(INKS["teal box"] * 4))
    order = np.random.default_rng(1).permutation(16)
    shuffled = judge_jointly(network[order], Ink(ink.lab[order], ink.share[order]), all_inked(16))
    assert shuffled == pytest.approx(judge_jointly(network, ink, all_inked(16))[order])


def test_answers_of_another_shape_are_refused() -> None:
    with pytest.raises(ValueError, match="expected"):
        judge_jointly(np.ones((3, 4)), Ink(np.zeros((2, 3)), np.ones(2)), all_inked(2))


# --- real photos ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RealTable:
    photo: str
    crops: Crops
    colours: NDArray[np.int64]


def real_tables(shared_photos: Path, every: int) -> Iterator[RealTable]:
    """Number tiles of every n-th photo of the training part."""
    names = sorted(json.loads((shared_photos / "split.json").read_text(encoding="utf-8"))["train"])
    for name in names[::every]:
        truth = json.loads((shared_photos / "truth" / f"{Path(name).stem}.json").read_text(encoding="utf-8"))
        tiles = [tile for tile in truth["tiles"] if tile["tile"] != "J" and not tile.get("cut")]
        if tiles:
            picture = cv2.imread(str(shared_photos / "photos" / truth["photo"]))
            assert picture is not None
            quads = np.array([tile["quad"] for tile in tiles], np.float64)
            colours = np.array([COLOURS.index(tile["tile"][0]) for tile in tiles])
            yield RealTable(truth["photo"], rectify(np.asarray(picture, np.uint8), quads), colours)


@pytest.mark.parametrize("lamp", LAMPS)
def test_real_tiles_with_five_confident_errors_in_a_hundred(shared_photos: Path, lamp: str) -> None:
    """With five tiles and more all errors are flagged, no right tile is doubted for nothing, whatever the lamp."""
    rng = np.random.default_rng(4)
    twin = np.array([3, 2, 1, 0])
    tiles = errors = silent = doubted = 0
    for table in real_tables(shared_photos, every=3):
        if len(table.colours) < 5:
            continue
        wrong = rng.random(len(table.colours)) < 0.05
        network = believed(np.where(wrong, twin[table.colours], table.colours))
        judged = judge_jointly(network, ink_of(lit(table.crops, LAMPS[lamp])), all_inked(len(network)))
        sure = judged.max(axis=1) > 0.8
        right = judged.argmax(axis=1) == table.colours
        tiles += len(network)
        errors += int(wrong.sum())
        silent += int((sure & ~right).sum())
        doubted += int((~sure & ~wrong).sum())
    assert tiles > 400
    assert errors > 15
    assert silent == 0
    assert doubted <= tiles / 200


def test_real_inks_tell_their_colour_without_any_network(shared_photos: Path) -> None:
    """The clusters alone, seeded by what boxes print in general, are right on nearly all tiles."""
    right = tiles = 0
    for table in real_tables(shared_photos, every=3):
        undecided = np.full((len(table.colours), 4), 0.25)
        judged = judge_jointly(undecided, ink_of(table.crops), all_inked(len(undecided)))
        right += int((judged.argmax(axis=1) == table.colours).sum())
        tiles += len(undecided)
    assert right >= 0.96 * tiles


def inks_by_hand(*groups: tuple[int, tuple[float, float, float], int], spread: float = 1.0) -> tuple[Floats, Ink]:
    """Network answers and inks of groups of tiles: the colour said, the middle of their L* a* b*, how many."""
    rng = np.random.default_rng(8)
    said = [colour for colour, _, count in groups for _ in range(count)]
    lab = np.array([middle for _, middle, count in groups for _ in range(count)])
    lab = lab + rng.normal(0, spread, lab.shape)
    return believed(said, 0.995), Ink(lab, np.full(len(said), 0.12))


RED, BLUE, BLACK, ORANGE = range(4)
VIVID, PALE = (50.0, 55.0, 28.0), (50.0, 15.0, 4.0)


@pytest.mark.parametrize(
    ("groups", "doubted"),
    [
        (((RED, VIVID, 3), (BLACK, (20.0, 1.0, 1.0), 6)), False),
        (((RED, PALE, 3), (BLACK, (36.0, 0.0, 0.0), 6)), True),
        (((RED, PALE, 3), (BLACK, (30.0, 0.0, 0.0), 6), (BLUE, (45.0, -3.0, -16.0), 4)), False),
        (((BLACK, (20.0, 1.0, 1.0), 6),), False),
        (((BLACK, (42.0, 0.0, 0.0), 6),), True),
    ],
    ids=["colours shown", "colours lost", "blue to compare with", "black alone", "washed-out black alone"],
)
def test_a_black_is_believed_as_far_as_the_picture_shows_colours(
    groups: tuple[tuple[int, tuple[float, float, float], int], ...], doubted: bool
) -> None:
    network, ink = inks_by_hand(*groups)
    black = network.argmax(axis=1) == BLACK
    judged = judge_jointly(network, ink, all_inked(len(network)))
    assert (judged[black].argmax(axis=1) == BLACK).all()
    assert bool((judged[black, BLACK] < 0.85).all()) is doubted
    assert bool((judged[black, BLACK] > 0.98).all()) is not doubted
    assert ((COLOURS[BLUE], COLOURS[BLACK]) in inks_alike(judged, ink, all_inked(len(network)))) is doubted


@pytest.mark.parametrize(("spread", "doubted"), [(1.0, False), (9.0, True)])
def test_inks_must_be_apart_by_more_than_their_own_spread(spread: float, doubted: bool) -> None:
    network, ink = inks_by_hand((RED, (52.0, 50.0, 30.0), 12), (ORANGE, (64.0, 32.0, 42.0), 12), spread=spread)
    judged = judge_jointly(network, ink, all_inked(24))
    assert ((COLOURS[RED], COLOURS[ORANGE]) in inks_alike(judged, ink, all_inked(24))) is doubted


def test_a_grey_copy_of_a_picture_shows_no_colours() -> None:
    picture = np.full((300, 400, 3), (90, 120, 160), np.uint8)
    picture[100:160, 100:140] = (225, 235, 240)
    picture[110:140, 110:130] = (200, 60, 20)
    quads = np.array([[[100, 100], [139, 100], [139, 159], [100, 159]]], np.float32)
    grey = np.repeat(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)[..., None], 3, axis=2)
    pale = np.clip(grey + 0.15 * (picture.astype(np.float32) - grey), 0, 255).astype(np.uint8)
    dim = (picture * 0.25).astype(np.uint8)
    for image, shown in ((picture, True), (dim, True), (grey, False), (pale, False)):
        assert shows_colours(np.asarray(image, np.uint8), ink_of(rectify(np.asarray(image, np.uint8), quads))) is shown


MAGENTA_FOR_BLACK = [(45, 40, 200), (150, 60, 20), (120, 35, 110), (40, 130, 235)]
"""A box whose fourth ink is no black: a dark magenta."""


def test_a_known_box_knows_its_inks_under_another_lamp() -> None:
    labels = np.arange(12) % 4
    prior = ink_prior(ink_of(faces(MAGENTA_FOR_BLACK * 3)), labels)
    seen = ink_of(lit(faces(MAGENTA_FOR_BLACK, seed=5), LAMPS["warm"]))
    network = believed([0, 1, 0, 3], 0.6)  # the odd ink is taken for red
    untaught = judge_jointly(network, seen, all_inked(4))
    taught = judge_jointly(network, seen, all_inked(4), prior)
    assert taught[2, 2] > untaught[2, 2] + 0.1
    assert taught[2].max() < 0.9  # ink and network disagree: that is doubt, whatever is known
    assert (taught[[0, 1, 3]].argmax(axis=1) == [0, 1, 3]).all()


def test_an_ink_that_no_example_shows_may_be_any_boxs() -> None:
    prior = ink_prior(ink_of(faces(INKS["teal box"])), np.array([0, 1, -1, -1]))
    np.testing.assert_array_equal(prior.mean[2:], ANY_BOX.mean[2:])
    np.testing.assert_array_equal(prior.spread[2:], ANY_BOX.spread[2:])
    assert np.abs(prior.mean[1] - ANY_BOX.mean[1]).max() > 5
    assert (prior.spread[:2] <= ANY_BOX.spread[:2]).all()


@pytest.mark.parametrize("count", [1, 2, 7, 40])
def test_the_ink_of_one_tile_is_its_cores_median(count: int) -> None:
    pixels = np.random.default_rng(count).normal(40, 30, (count, 3)).astype(np.float32)
    np.testing.assert_array_equal(colour._median(pixels), np.median(pixels, axis=0))
