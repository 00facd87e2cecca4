"""What lies over a face is told from what is printed on it, and makes its reading doubtful."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from vision.cover import HIDDEN_SHARE, MOST_FRAMED, cut_short, edge_hidden, framed_share, partly_unread
from vision.read import BACK, JOKER, NUMBER_CLASSES, UNREAD

Crop = NDArray[np.uint8]


def face(text: str = "13") -> Crop:
    """A cream tile on brown, with a numeral."""
    crop = np.full((64, 48, 3), (40, 60, 90), np.uint8)
    crop[5:59, 4:44] = (205, 220, 228)
    cv2.putText(crop, text, (9, 32), cv2.FONT_HERSHEY_SIMPLEX, 0.75, (40, 40, 190), 2, cv2.LINE_AA)
    return crop


@pytest.mark.parametrize("text", ["1", "8", "13", ""])
def test_a_numeral_stands_free(text: str) -> None:
    assert framed_share(face(text)[None])[0] <= 0.01


@pytest.mark.parametrize("side", [0, 1, 2, 3], ids=["top", "right", "foot", "left"])
@pytest.mark.parametrize("text", ["7", "12"])
@pytest.mark.parametrize("blur", [0.0, 0.8])
def test_print_that_reaches_the_rim_is_no_cover(text: str, side: int, blur: float) -> None:
    ink = np.zeros((64, 100), np.uint8)
    cv2.putText(ink, text, (20, 40), cv2.FONT_HERSHEY_SIMPLEX, 0.8, 255, 3)
    x, y, wide, high = cv2.boundingRect(ink)
    left, top = ((24 - wide // 2, 7), (42 - wide, 20), (24 - wide // 2, 57 - high), (6, 20))[side]
    printed = face("")
    printed[top : top + high, left : left + wide][ink[y : y + high, x : x + wide] > 0] = (40, 40, 190)
    if blur:
        printed = np.asarray(cv2.GaussianBlur(printed, (0, 0), blur), np.uint8)
    assert framed_share(printed[None])[0] <= MOST_FRAMED


@pytest.mark.parametrize("colour", [(70, 100, 160), (30, 30, 30), (200, 160, 60)], ids=["skin", "sleeve", "glove"])
@pytest.mark.parametrize(
    "over", [np.s_[:, :18], np.s_[:, 32:], np.s_[:22], np.s_[38:]], ids=["left", "right", "top", "bottom"]
)
def test_what_reaches_in_from_the_rim_lies_over_the_face(over: tuple[slice, ...], colour: tuple[int, int, int]) -> None:
    covered = face()
    covered[over] = colour
    assert framed_share(covered[None])[0] > MOST_FRAMED


def test_no_crops_have_nothing_over_them() -> None:
    assert framed_share(np.zeros((0, 64, 48, 3), np.uint8)).shape == (0,)


def quads(widths: list[float]) -> NDArray[np.float32]:
    return np.array([[[90 * k, 0], [90 * k + w, 0], [90 * k + w, 90], [90 * k, 90]] for k, w in enumerate(widths)],
                    np.float32)  # fmt: skip


def twice(number_p: NDArray[np.float64], present: NDArray[np.float64]) -> tuple[NDArray[np.float64], ...]:
    """The same readings for a few tiles more."""
    return np.concatenate([number_p[:6], number_p]), np.concatenate([present[:6], present])


def test_a_face_too_small_for_its_place_is_cut_short() -> None:
    number_p = np.zeros((8, len(NUMBER_CLASSES)))
    number_p[:, 4] = 0.99
    widths = [60.0] * 8
    widths[3] = 37.0
    present = np.full(8, 0.99)
    assert np.flatnonzero(cut_short(quads(widths), number_p, present)).tolist() == [3]
    widths[6] = 37.0
    assert np.flatnonzero(cut_short(quads([60.0] * 6 + widths), *twice(number_p, present))).tolist() == [9, 12]
    assert not cut_short(quads(widths[:5]), number_p[:5], present[:5]).any(), "too few to compare with"


def test_the_doubt_goes_to_unread_and_to_nothing_else() -> None:
    number_p = np.random.default_rng(1).dirichlet(np.ones(len(NUMBER_CLASSES)), 3)
    number_p[:, :3] += 1  # numbers, all of them
    number_p /= number_p.sum(axis=1, keepdims=True)
    told = partly_unread(number_p, np.array([True, False, False]), np.array([False, False, True]))
    np.testing.assert_array_equal(told[1], number_p[1])
    np.testing.assert_allclose(told.sum(axis=1), 1)
    np.testing.assert_allclose(told[0, UNREAD], HIDDEN_SHARE + (1 - HIDDEN_SHARE) * number_p[0, UNREAD])
    np.testing.assert_allclose(told[2, :UNREAD], (1 - HIDDEN_SHARE) * number_p[2, :UNREAD])


def test_what_is_no_numeral_and_no_joker_is_as_unread_as_before() -> None:
    joker, back = np.eye(len(NUMBER_CLASSES))[[JOKER, BACK]]
    both, yes, no = np.stack([joker, back]), np.array([True, True]), np.array([False, False])
    np.testing.assert_array_equal(partly_unread(both, yes, no), both)
    told = partly_unread(both, no, yes)
    np.testing.assert_array_equal(told[1], back)
    assert told[0, UNREAD] == pytest.approx(HIDDEN_SHARE), "what looks like a joker may be half a numeral"


BODY = (205, 220, 228)
"""The tiles' own colour."""


@pytest.mark.parametrize(
    "over",
    [np.s_[:, :24], np.s_[:, 24:], np.s_[:26], np.s_[32:], np.s_[:26, :24], np.s_[40:, 30:]],
    ids=["left", "right", "top", "bottom", "upper left corner", "lower right corner"],
)
def test_a_cover_of_the_bodys_own_colour_hides_the_edge(over: tuple[slice, ...]) -> None:
    covered = face()
    covered[over] = BODY
    crops = np.stack([face(), covered, face("7"), face("")])
    assert edge_hidden(crops).tolist() == [False, True, False, False]
    assert framed_share(covered[None])[0] <= MOST_FRAMED, "which nothing else tells"


def test_touching_neighbours_hide_no_edge() -> None:
    between = face()
    between[5:59] = np.where(between[5:59] == (40, 60, 90), BODY, between[5:59])
    assert edge_hidden(np.stack([face(), between, face("2")])).tolist() == [False] * 3


def test_without_any_edges_none_is_hidden() -> None:
    assert edge_hidden(np.zeros((0, 64, 48, 3), np.uint8)).shape == (0,)
    dim = (np.stack([face(), face("5"), face("12")]) * 0.4).astype(np.uint8)
    assert not edge_hidden(dim).any()
