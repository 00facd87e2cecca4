"""Light blocks as broad as cards: what may be a row that nobody could read, and what is none."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from tests.vision.cards.played import taught
from vision.cards.assemble import Cards
from vision.cards.frame import CARD_ASPECT
from vision.cards.ground import unread_blocks
from vision.cards.index import FACES
from vision.cards.look import with_outlines
from vision.cards.outline import find_blocks

Image = NDArray[np.uint8]
SIZE = (900, 700)
NONE = np.zeros((0, 4, 2), np.float32)


def with_block(turn_deg: float = 12.0, wide: float = 300.0, tall: float = 140.0) -> Image:
    """A light block in the middle of a dark table."""
    image = np.full((SIZE[1], SIZE[0], 3), (60, 80, 50), np.uint8)
    box = cv2.boxPoints(((450.0, 350.0), (wide, tall), turn_deg))
    return np.asarray(cv2.fillConvexPoly(image, np.round(box).astype(np.int32), (225, 230, 235), cv2.LINE_AA), np.uint8)


def cards(places: list[tuple[float, float]], height: float) -> Cards:
    """Upright whole cards with their upper left corners at these places."""
    count = len(places)
    axes = np.tile(np.diag([CARD_ASPECT * height, height]), (count, 1, 1))
    face_p = np.full((count, FACES), 1 / FACES)
    return Cards(np.array(places).reshape(-1, 2), axes, face_p, np.ones(count), np.ones(count, np.bool_))


def unread(image: Image, seen: Cards) -> NDArray[np.float32]:
    return unread_blocks(find_blocks(image), seen, NONE, SIZE)


def test_a_block_is_unread_where_no_card_was_read() -> None:
    (quad,) = unread(with_block(), cards([], 140.0))
    np.testing.assert_allclose(quad.mean(axis=0), (450, 350), atol=4)
    assert abs(cv2.contourArea(quad) / (300 * 140) - 1) < 0.1


def test_a_block_of_read_cards_is_explained_and_half_of_one_is_not() -> None:
    row = [(300.0, 280.0), (400.0, 280.0), (500.0, 280.0)]
    image = with_block(0.0)
    assert not len(unread(image, cards(row, 140.0)))
    (quad,) = unread(image, cards(row[:1], 140.0))
    assert quad[:, 0].min() > 380
    assert not len(unread_blocks(find_blocks(image), cards(row[:1], 140.0), quad[None], SIZE))


def test_what_is_far_too_broad_or_narrow_for_cards_is_none() -> None:
    away = [(20.0, 20.0)]
    assert not len(unread(with_block(tall=140.0), cards(away, 60.0)))
    assert not len(unread(with_block(tall=40.0), cards(away, 140.0)))
    assert len(unread(with_block(), cards(away, 140.0))) == 1


def test_an_even_table_and_a_patch_of_light_are_no_blocks() -> None:
    assert find_blocks(np.full((SIZE[1], SIZE[0], 3), (60, 80, 50), np.uint8)) == []
    lit = cv2.GaussianBlur(with_block(), (0, 0), 60)
    assert find_blocks(np.asarray(lit, np.uint8)) == []


def test_a_patterned_row_with_a_card_at_its_end_is_no_back() -> None:
    """Court cards make a row as patterned as a back; what a back feigns of a card lies about its middle."""
    squares = (np.indices((SIZE[1], SIZE[0])) // 5).sum(axis=0) % 2
    image = np.repeat((squares * 200 + 40).astype(np.uint8)[..., None], 3, axis=2)
    outline = np.array([[[300, 280], [500, 280], [500, 420], [300, 420]]], np.float32)
    row = cards([(300.0, 280.0), (350.0, 280.0), (402.0, 280.0)], 140.0)
    kept, left = with_outlines(image, row, outline, taught())
    assert (len(kept), len(left)) == (3, 0)
    feigned = cards([(358.0, 290.0)], 120.0)
    kept, left = with_outlines(image, feigned, outline, taught())
    assert (len(kept), len(left)) == (0, 1)
