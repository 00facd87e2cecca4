"""A deck laid out by suit is labelled by its layout, whichever way the photo lies, and checked by its own looks."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from referee.tiles import Colour, parse_tile
from tests.vision.cards.played import DECK, LIGHT, TEACHING, laid_out
from vision.cards.deck import DeckError, learn
from vision.cards.laid_out import corner_examples, read_laid_out
from vision.render.cards import CardSpec, laid_out_by_suit, render_cards
from vision.render.surfaces import wood
from vision.render.table import RenderedTable
from vision.taught.asked import Asked
from vision.taught.laid_out import Doubt, LaidOut, NotLaidOutError, RowCount

WHOLE = Counter(f"{suit}{rank}" for suit in "RBKO" for rank in range(1, 14)) + Counter({"J": 2})


def codes(laid: LaidOut) -> Counter[str]:
    return Counter(str(card.tile) for card in laid.settled)


def wrong(laid: LaidOut, scene: RenderedTable) -> list[str]:
    """Labels that are not what lies there."""
    found = []
    for card in laid.settled:
        x, y = card.quad.mean(axis=0).tolist()
        there = [t.code for t in scene.scene.tiles if cv2.pointPolygonTest(t.quad, (x, y), False) >= 0]
        if there != [str(card.tile)]:
            found.append(f"{there}>{card.tile}")
    return found


def other_rows(rows: tuple[tuple[str, ...], ...]) -> RenderedTable:
    spec = CardSpec(rows, steps=(1.12,), messy=0.6)
    return render_cards(np.random.default_rng(3), DECK, spec, TEACHING, wood, LIGHT, in_order=True)


@pytest.mark.parametrize("roll", [3.0, 180.0, 90.0, 273.0])
def test_whichever_way_the_photo_lies(roll: float) -> None:
    laid = read_laid_out(laid_out(roll).scene.image)
    assert codes(laid) == WHOLE
    assert wrong(laid, laid_out(roll)) == []


def test_a_deck_without_jokers_upside_down() -> None:
    scene = laid_out(180.0, 0)
    assert codes(read_laid_out(scene.scene.image)) == WHOLE - Counter({"J": 2})


def test_a_row_may_miss_cards() -> None:
    rows = list(laid_out_by_suit(suits="RBKO").rows)
    rows[1] = tuple(code for code in rows[1] if code not in {"B4", "B11"})
    laid = read_laid_out(other_rows(tuple(rows)).scene.image)
    assert codes(laid) == WHOLE - Counter(["B4", "B11"])


def test_cards_out_of_order_are_questions_and_not_learned() -> None:
    rows = list(laid_out_by_suit(suits="RBKO").rows)
    swapped = list(rows[2])
    swapped[2], swapped[7] = swapped[7], swapped[2]
    rows[2] = tuple(swapped)
    scene = other_rows(tuple(rows))
    laid = read_laid_out(scene.scene.image)
    assert wrong(laid, scene) == []
    assert {(card.row, card.place, card.doubt) for card in laid.questions} == {
        (2, 2, Doubt.OUT_OF_ORDER),
        (2, 7, Doubt.OUT_OF_ORDER),
    }


def test_suits_in_another_order_are_noticed_by_their_ink() -> None:
    laid = read_laid_out(laid_out().scene.image, Asked((Colour.BLACK, Colour.RED, Colour.BLUE, Colour.ORANGE)))
    assert {card.doubt for card in laid.questions} == {Doubt.OTHER_COLOUR}
    assert {card.row for card in laid.questions} == {0, 1}


def test_the_order_can_be_named() -> None:
    scene = render_cards(
        np.random.default_rng(5), DECK, laid_out_by_suit(suits="KORB"), TEACHING, wood, LIGHT, in_order=True
    )
    laid = read_laid_out(scene.scene.image, Asked((Colour.BLACK, Colour.ORANGE, Colour.RED, Colour.BLUE)))
    assert wrong(laid, scene) == []
    assert codes(laid) == WHOLE


def test_examples_are_both_corners_of_every_card() -> None:
    image = laid_out().scene.image
    examples = corner_examples(image, read_laid_out(image))
    assert Counter(str(example.tile) for example in examples) == Counter({k: 2 * n for k, n in WHOLE.items()})


def test_rows_can_be_told_instead() -> None:
    scene = other_rows((("R5", "K5", "B9"), ("O1", "O2"), ("K3", "K4", "K6")))
    told = tuple(tuple(map(parse_tile, row)) for row in (("R5", "K5", "B9"), ("O1", "O2", "O3"), ("K3", "K4", "K6")))
    laid = read_laid_out(scene.scene.image, Asked(told=told))
    assert codes(laid) == Counter(["R5", "K5", "B9", "K3", "K4", "K6"])
    assert wrong(laid, scene) == []
    assert laid.miscounted == (RowCount(1, 3, 2),)
    assert {card.doubt for card in laid.questions} == {Doubt.ROW_COUNT}


def blank() -> NDArray[np.uint8]:
    return np.full((600, 800, 3), (60, 110, 160), np.uint8)


def test_a_picture_without_cards_teaches_nothing() -> None:
    with pytest.raises(NotLaidOutError) as raised:
        read_laid_out(blank())
    assert (raised.value.code, raised.value.seen) == ("no_tiles", 0)


def test_cards_in_play_are_no_deck_laid_out() -> None:
    rows = tuple(tuple(f"{s}{n}" for n in (a, a + 1, a + 2)) for s in "RK" for a in (1, 4, 7, 10)) + (("B1", "B2"),) * 2
    shot = replace(TEACHING, size_wh=(1400, 1100))
    scene = render_cards(np.random.default_rng(2), DECK, CardSpec(rows, steps=(1.12,)), shot, wood, LIGHT)
    with pytest.raises(NotLaidOutError) as raised:
        read_laid_out(scene.scene.image)
    assert raised.value.code == "not_in_order"


def test_a_suit_that_is_nowhere_cannot_be_read() -> None:
    image = laid_out().scene.image
    some = [
        example for example in corner_examples(image, read_laid_out(image)) if example.tile.colour is not Colour.BLUE
    ]
    with pytest.raises(DeckError) as raised:
        learn(some)
    assert raised.value.missing == (Colour.BLUE,)
