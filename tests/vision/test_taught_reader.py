"""With a box in mind: disagreement makes doubt, agreement nothing, and another box's tiles are read without it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from referee.tiles import Joker
from vision.colour import ANY_BOX, Ink, InkPrior, judge_jointly
from vision.read import BACK, FEATURES, JOKER, NOTHING, NUMBER_CLASSES, UNREAD, Readings, turned
from vision.taught.box import BoxHead
from vision.taught.lens import WHOLE_FACE
from vision.taught.opinion import Opinions
from vision.taught.reader import BoxReader, at_least_untaught, box_is_seen, heard

Floats = NDArray[np.float64]
SURE_OF_NOTHING_ELSE = 0.98 * np.eye(4) + 0.02 / 4
QUAD = np.array([[[40, 30], [82, 30], [82, 90], [40, 90]]], np.float32)


def row(*p: float) -> Floats:
    return np.array([p], np.float64)


def test_agreement_makes_nothing_surer() -> None:
    box = row(0.90, 0.06, 0.02, 0.02)
    np.testing.assert_allclose(heard(box, row(0.997, 0.001, 0.001, 0.001), SURE_OF_NOTHING_ELSE), box)


def test_a_contradiction_makes_doubt() -> None:
    said = heard(row(0.97, 0.01, 0.01, 0.01), row(0.01, 0.97, 0.01, 0.01), SURE_OF_NOTHING_ELSE)[0]
    assert said.max() < 0.8
    assert said[:2].sum() > 0.95


def test_a_mistake_that_the_examples_show_is_no_contradiction() -> None:
    mistaken = SURE_OF_NOTHING_ELSE.copy()
    mistaken[0] = (0.2, 0.7, 0.05, 0.05)
    said = heard(row(0.97, 0.01, 0.01, 0.01), row(0.01, 0.97, 0.01, 0.01), mistaken)[0]
    assert said[0] > 0.9


def test_a_box_beyond_question_is_believed() -> None:
    box = row(1 - 3e-6, 1e-6, 1e-6, 1e-6)
    assert heard(box, row(0.02, 0.94, 0.02, 0.02), SURE_OF_NOTHING_ELSE)[0, 0] > 0.95


def test_in_a_box_that_the_network_knows_a_lesson_makes_nothing_less_sure() -> None:
    heard_p, network = row(0.90, 0.06, 0.02, 0.02), row(0.997, 0.001, 0.001, 0.001)
    own = np.array([True])
    np.testing.assert_array_equal(at_least_untaught(heard_p, network, SURE_OF_NOTHING_ELSE, own), network)
    np.testing.assert_array_equal(at_least_untaught(heard_p, network, SURE_OF_NOTHING_ELSE, ~own), heard_p)
    contradicting = row(0.001, 0.997, 0.001, 0.001)
    np.testing.assert_array_equal(at_least_untaught(heard_p, contradicting, SURE_OF_NOTHING_ELSE, own), heard_p)


def test_one_face_that_the_network_misreads_leaves_a_box_unknown_to_it() -> None:
    heard_p, network = row(0.90, 0.06, 0.02, 0.02), row(0.997, 0.001, 0.001, 0.001)
    mistaken = SURE_OF_NOTHING_ELSE.copy()
    mistaken[3] = (0.5, 0.1, 0.1, 0.3)
    np.testing.assert_array_equal(at_least_untaught(heard_p, network, mistaken, np.array([True])), heard_p)


def test_a_network_that_knows_a_box_knows_what_is_no_face() -> None:
    knows = 0.98 * np.eye(17) + 0.02 / 17
    a_joker, a_back = np.full((1, 17), 0.01), np.full((1, 17), 0.001)
    a_joker[0, JOKER], a_back[0, BACK] = 0.84, 0.984
    np.testing.assert_array_equal(at_least_untaught(a_joker, a_back, knows, np.array([False])), a_back)


probabilities = arrays(np.float64, (5, 4), elements=st.floats(1e-4, 1)).map(lambda p: p / p.sum(axis=1, keepdims=True))


@given(probabilities, probabilities)
def test_what_is_heard_is_never_surer_than_the_box(box: Floats, network: Floats) -> None:
    said = heard(box, network, SURE_OF_NOTHING_ELSE)
    np.testing.assert_allclose(said.sum(axis=1), 1, rtol=1e-9)
    rows, first = np.arange(5), box.argmax(axis=1)
    assert (said[rows, first] <= np.maximum(box[rows, first], 0.5) + 1e-9).all()
    # another first reading leaves the box's own at least half of what it had: that is doubt, and no sure reading
    assert (said[rows, first] >= np.where(said.argmax(axis=1) != first, box[rows, first] / 2 - 1e-9, 0)).all()


def faces(clarity: float, count: int = 6) -> Floats:
    p = np.full((count, 17), (1 - clarity) / 16)
    p[np.arange(count), np.arange(count)] = clarity
    return p


def said(*likely: int) -> Opinions:
    """Logits that say each of these number classes, and features that tell from which look they are."""
    numbers = np.zeros((len(likely), 17))
    numbers[np.arange(len(likely)), list(likely)] = 9.0
    return Opinions(
        numbers,
        np.zeros((len(likely), 4)),
        np.column_stack([np.full((len(likely), 192), likely[0]), np.ones(len(likely))]),
    )


def test_the_whole_face_knows_jokers_and_a_face_that_either_look_sees_is_one() -> None:
    lens, whole = said(6, NOTHING, UNREAD, NOTHING), said(UNREAD, JOKER, 3, NOTHING)
    both = lens.with_whole(whole)
    p = np.exp(both.numbers) / np.exp(both.numbers).sum(axis=1, keepdims=True)
    assert p[0, 6] > 0.95  # tiny print that the whole face does not show
    assert p[1, JOKER] > 0.95  # a drawing of which the lens shows a part
    assert p[2].max() < 0.5  # nobody knows what it is
    assert p[3, NOTHING] > 0.95
    assert both.inputs.shape == (4, 385)
    np.testing.assert_array_equal(both.inputs[0, [0, 192, 384]], [UNREAD, 6, 1])


def test_where_a_boxs_inks_are_known_the_ink_comes_first_and_the_tile_is_in_doubt() -> None:
    truth = np.repeat(np.arange(4), 4)
    lab = ANY_BOX.mean[truth] + np.random.default_rng(1).normal(0, 1.5, (16, 3))
    network = np.where(np.eye(4)[truth] > 0, 0.97, 0.01)
    network[8] = (0.93, 0.02, 0.04, 0.01)  # a black tile of which the network says red
    known = InkPrior(ANY_BOX.mean.copy(), np.full((4, 3), 8.0))
    anyones, own = (judge_jointly(network, Ink(lab, np.ones(16)), truth >= 0, prior) for prior in (ANY_BOX, known))
    assert anyones[8].argmax() == 0
    assert own[8].argmax() == 2
    assert max(anyones[8].max(), own[8].max()) < 0.85
    assert (np.delete(own.argmax(axis=1), 8) == np.delete(truth, 8)).all()


def test_tiles_that_read_worse_with_the_box_are_not_the_boxs() -> None:
    assert not box_is_seen(untaught=faces(0.98), taught=faces(0.7))
    assert box_is_seen(untaught=faces(0.5), taught=faces(0.98))
    assert box_is_seen(untaught=faces(0.98), taught=faces(0.98))


def test_a_picture_without_faces_shows_no_other_box() -> None:
    nothing = np.tile(np.eye(17)[16], (4, 1))
    assert box_is_seen(nothing, nothing)
    assert box_is_seen(nothing[:0], nothing[:0])


class Facing:
    """Stands for the network: sees a 7 where the crop's upper half is darker, else nothing that it knows."""

    def run(self, batch: NDArray[Any]) -> list[NDArray[np.float32]]:
        upper, lower = batch[:, :, 8:32].mean(axis=(1, 2, 3)), batch[:, :, 32:56].mean(axis=(1, 2, 3))
        upright = (upper < lower)[:, None]
        numbers = np.where(upright, 9 * np.eye(17)[6], 0).astype(np.float32)
        colours = np.tile(np.array([0, 8, 0, 0], np.float32), (len(batch), 1))
        zeros = np.zeros((len(batch), 1), np.float32)
        return [
            numbers,
            colours,
            zeros,
            np.zeros((len(batch), 8), np.float32),
            np.zeros((len(batch), FEATURES), np.float32),
        ]


def head(kinds: tuple[Joker, ...] = (Joker.REGULAR,)) -> BoxHead:
    """A head that corrects nothing and excuses every mistake."""
    return BoxHead(
        lens=WHOLE_FACE, kinds=kinds, numbers=np.zeros((193, 17)), colours=np.zeros((193, 4)),
        jokers=np.zeros((193, len(kinds) + 1)), number_temperature=1.0, colour_temperature=1.0, joker_temperature=1.0,
        mistaken_numbers=np.full((17, 17), 1 / 17), mistaken_colours=np.full((4, 4), 1 / 4), inks=ANY_BOX,
    )  # fmt: skip


def untaught(quads: NDArray[np.float32], margin: float) -> Readings:
    count = len(quads)
    return Readings(
        number_p=np.full((count, 17), 1 / 17, np.float32), colour_p=np.full((count, 4), 1 / 4, np.float32),
        upside=np.zeros(count, np.bool_), upside_margin=np.full(count, margin, np.float32), quads=quads,
        features=np.zeros((count, FEATURES), np.float32),
    )  # fmt: skip


def tile_picture() -> NDArray[np.uint8]:
    picture = np.full((140, 140, 3), 60, np.uint8)
    picture[30:90, 40:82] = 230
    picture[38:52, 46:76] = (200, 60, 30)
    return picture


@pytest.mark.parametrize("margin", [0.2, 1.0])
def test_a_tile_that_shows_nothing_as_it_lies_is_tried_the_other_way_up(margin: float) -> None:
    given_upside = np.asarray(turned(QUAD), np.float32)
    seen = BoxReader(Facing(), head()).read(tile_picture(), untaught(given_upside, margin))
    assert NUMBER_CLASSES[int(seen.readings.number_p[0].argmax())] == "7"
    np.testing.assert_allclose(seen.readings.quads, QUAD)
    assert seen.readings.upside[0]
    straight = BoxReader(Facing(), head()).read(tile_picture(), untaught(QUAD, margin))
    np.testing.assert_allclose(straight.readings.quads, QUAD)
    assert not straight.readings.upside[0]
    assert straight.seen


def test_kinds_that_a_box_lacks_have_no_probability() -> None:
    seen = BoxReader(Facing(), head((Joker.REGULAR, Joker.MIRROR))).read(tile_picture(), untaught(QUAD, 1.0))
    np.testing.assert_allclose(seen.joker_p, [[0.5, 0, 0, 0.5]])


def test_another_boxs_tiles_keep_the_networks_own_readings() -> None:
    own = untaught(QUAD, 1.0)
    own.number_p[:] = faces(0.99, 1)
    seen = BoxReader(Facing(), head()).read(np.full_like(tile_picture(), 128), own)
    assert not seen.seen
    assert seen.readings is own
    np.testing.assert_array_equal(seen.joker_p, [[1, 0, 0, 0]])


def test_no_tiles_no_readings() -> None:
    none = untaught(QUAD[:0], 1.0)
    seen = BoxReader(Facing(), head()).read(tile_picture(), none)
    assert len(seen.readings) == 0
    assert seen.seen
    assert seen.joker_p.shape == (0, 4)
    assert BoxReader(Facing(), head()).ink(tile_picture(), none.quads).lab.shape == (0, 3)
