"""The pieces of which reading cards is made, each by itself: print, blobs, outlines, frames, discriminants."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.vision.cards.played import DECK, laid_out, taught
from vision.cards.corner import CORNER_PLANE, CORNER_TALL, CORNER_WIDE, corner_quads, index_in, to_card
from vision.cards.deck import JOKER_BOTTOM, JOKER_TOP
from vision.cards.discriminant import Discriminant
from vision.cards.frame import BOTTOM_POINT, PATCH_HEIGHT, PATCH_WIDTH, TOP_POINT, Layers, frames_of
from vision.cards.ink import Print, blobs_of, print_of
from vision.cards.outline import find_outlines
from vision.rectify import rectify
from vision.taught.examples import EXAMPLE_HEIGHT, EXAMPLE_PAD, EXAMPLE_WIDTH

Image = NDArray[np.uint8]
coordinate = st.floats(-200, 200)


def card(colour: tuple[int, int, int] = (245, 245, 245), ink: tuple[int, int, int] = (20, 20, 20)) -> Image:
    """A plain card with one dot of print."""
    image = np.full((120, 90, 3), colour, np.uint8)
    cv2.circle(image, (45, 60), 8, ink, -1)
    return image


@pytest.mark.parametrize("light", [(1.0, 1.0, 1.0), (0.5, 0.8, 1.0), (0.3, 0.3, 0.3)])
def test_print_is_measured_against_its_ground(light: tuple[float, float, float]) -> None:
    image = np.clip(card() * np.array(light), 0, 255).astype(np.uint8)
    seen = print_of(image, 31)
    assert seen.ink[60, 45] > 200
    assert seen.ink[20, 20] < 10


def test_red_print_takes_blue_and_green() -> None:
    blue, green, red = print_of(card(ink=(20, 15, 190)), 31).taken[60, 45].tolist()
    assert min(blue, green) > 200
    assert red < 80


def test_blobs_know_their_place_and_size() -> None:
    blobs = blobs_of(print_of(card(), 31))
    assert len(blobs) == 1
    np.testing.assert_allclose(blobs.centre[0], (45, 60), atol=0.3)
    assert blobs.radius[0] == pytest.approx(8 / np.sqrt(2), rel=0.1)


def test_two_digits_are_one_blob_more() -> None:
    ink = np.zeros((60, 80), np.uint8)
    for x in (25, 41):
        cv2.rectangle(ink, (x, 20), (x + 9, 40), 255, -1)
    blobs = blobs_of(Print(ink, np.dstack([ink] * 3), 40.0))
    assert len(blobs) == 3
    np.testing.assert_allclose(blobs.centre[-1], (37.5, 30), atol=0.5)


@pytest.mark.parametrize("turn", range(0, 360, 35))
def test_outlines_of_cards_lying_apart(turn: int) -> None:
    image = np.full((500, 700, 3), (60, 110, 160), np.uint8)
    drawn = []
    for x in (170, 350, 530):
        box = cv2.boxPoints(((x, 250), (84, 120), turn))
        cv2.fillConvexPoly(image, np.round(box * 16).astype(np.int32), (240, 244, 246), cv2.LINE_AA, 4)
        drawn.append(box)
    found = find_outlines(image)
    assert len(found) == 3
    for box in drawn:
        nearest = found[np.linalg.norm(found.mean(axis=1) - box.mean(axis=0), axis=1).argmin()]
        apart = np.linalg.norm(nearest[:, None] - box[None], axis=2)
        assert apart.min(axis=1).max() < 2
        assert cv2.contourArea(nearest, oriented=True) > 0
        assert np.linalg.norm(nearest[1] - nearest[0]) < np.linalg.norm(nearest[3] - nearest[0])


@pytest.mark.parametrize("shape", ["disc", "square", "triangle"])
def test_what_is_no_card_has_no_outline(shape: str) -> None:
    image = np.full((400, 400, 3), (60, 110, 160), np.uint8)
    if shape == "disc":
        cv2.circle(image, (200, 200), 70, (240, 240, 240), -1)
    elif shape == "square":
        cv2.rectangle(image, (150, 150), (250, 250), (240, 240, 240), -1)
    else:
        cv2.fillConvexPoly(image, np.array([[200, 100], [280, 280], [120, 280]]), (240, 240, 240))
    assert len(find_outlines(image)) == 0


@given(st.tuples(coordinate, coordinate), st.floats(0, 6.28), st.floats(5, 80))
def test_a_frame_takes_its_points_to_rank_and_sign(top: tuple[float, float], turn: float, way: float) -> None:
    above = np.array([top])
    below = above + way * np.array([[np.cos(turn), np.sin(turn)]])
    (frame,) = frames_of(above, below)
    np.testing.assert_allclose(frame @ [*TOP_POINT, 1], above[0], atol=1e-6)
    np.testing.assert_allclose(frame @ [*BOTTOM_POINT, 1], below[0], atol=1e-6)
    across = frame[:, 0]
    assert across @ (below - above)[0] == pytest.approx(0, abs=1e-6)
    assert np.linalg.det(frame[:, :2]) > 0


def test_a_patch_is_the_same_however_the_index_is_turned_and_scaled() -> None:
    upright = np.zeros((200, 200), np.uint8)
    cv2.putText(upright, "5", (80, 90), cv2.FONT_HERSHEY_SIMPLEX, 1.6, 255, 5)
    cv2.circle(upright, (96, 130), 12, 255, -1)
    top, bottom = np.array([[96.0, 72.0]]), np.array([[96.0, 130.0]])
    wanted = Layers(upright).cut(frames_of(top, bottom))[0].astype(float)
    assert wanted.shape == (PATCH_HEIGHT, PATCH_WIDTH)
    turned = cv2.getRotationMatrix2D((96, 100), 70, 0.8)
    picture = np.asarray(cv2.warpAffine(upright, turned, (200, 200)), np.uint8)
    there = [np.asarray(np.column_stack([points, [1.0]]) @ turned.T, np.float64) for points in (top, bottom)]
    seen = Layers(picture).cut(frames_of(there[0], there[1]))[0].astype(float)
    assert np.corrcoef(wanted.ravel(), seen.ravel())[0, 1] > 0.95


def test_discriminants_tell_apart_what_differs_little() -> None:
    """Two classes that share nearly all of their pattern, and a third that never occurs."""
    rng = np.random.default_rng(4)
    common, detail = rng.normal(0, 1, 60), rng.normal(0, 0.12, 60)
    classes = np.repeat([0, 1], 80)
    rows = common + np.where(classes[:, None] == 1, detail, 0) + rng.normal(0, 0.15, (160, 60))
    told = Discriminant.fit(rows.astype(np.float32), classes, 3, np.arange(160))
    fresh = (common + detail + rng.normal(0, 0.15, (200, 60))).astype(np.float32)
    p = np.exp(told.log_p(fresh))
    assert (p.argmax(axis=1) == 1).mean() > 0.97
    assert p[:, 2].max() < 1e-20
    np.testing.assert_allclose(p.sum(axis=1), 1, atol=1e-9)


def test_discriminants_do_not_promise_more_than_they_keep() -> None:
    """Classes that cannot be told apart are left open."""
    rng = np.random.default_rng(5)
    classes = np.resize([0, 1], 200)
    rows = rng.normal(0, 1, (200, 40)).astype(np.float32)
    told = Discriminant.fit(rows, classes, 2, np.arange(200) // 2)
    assert np.exp(told.log_p(rng.normal(0, 1, (300, 40)).astype(np.float32))).max(axis=1).mean() < 0.8


def test_an_index_stands_where_the_deck_prints_it() -> None:
    scene = laid_out().scene
    for tile in [t for t in scene.tiles if t.code in {"R1", "K10", "B13", "O7"}]:
        left, upper, right, lower = DECK.numeral_area(tile.code)
        corners = corner_quads(tile.quad[None])[0]
        for crop in rectify(scene.image, corners, EXAMPLE_WIDTH, EXAMPLE_HEIGHT, EXAMPLE_PAD):
            pieces = index_in(crop, int(tile.code[1:]))
            assert pieces is not None
            rank, sign = (to_card(piece.centre) for piece in pieces)
            assert left < rank[0] < right
            assert left < sign[0] < right
            assert upper < rank[1] < upper + DECK.rank_height
            assert lower - DECK.sign_height < sign[1] < lower
            assert pieces[0].parts == (2 if tile.code == "K10" else 1)


def test_both_corners_of_a_card() -> None:
    quad = np.array([[[10, 20], [80, 20], [80, 120], [10, 120]]], np.float32)
    first, second = corner_quads(quad)[0]
    np.testing.assert_allclose(first[0], (10, 20))
    np.testing.assert_allclose(first[2], (10 + 70 * CORNER_WIDE, 20 + 100 * CORNER_TALL), atol=1e-4)
    np.testing.assert_allclose(second, 2 * quad[0].mean(axis=0) - first, atol=1e-4)
    assert np.linalg.det(CORNER_PLANE) > 0


def test_a_deck_knows_ranks_suits_and_jokers() -> None:
    deck = taught()
    assert deck.ranks.known.all()
    assert deck.signs.known.all()
    assert not np.isnan(deck.top_place[: JOKER_TOP + 1]).any()
    assert not np.isnan(deck.bottom_place[: JOKER_BOTTOM + 1]).any()
    red, black = deck.inks[[0, 3]], deck.inks[[1, 2]]
    assert red[:, 2].max() < 0.6 < black[:, 2].min()
