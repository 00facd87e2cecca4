"""Rendered cards lie where their truth says, cover each other in order, and are legible where an index is in sight."""

from __future__ import annotations

import numpy as np
import pytest

from tests.vision.render.plain import EVEN_LIGHT, black_table
from vision.render.cards import SUITS, CardSpec, Deck, laid_out_by_suit, random_deck, render_cards, suit_sign
from vision.render.table import RenderedTable, Shot

INKS = {"R": (0.0, 0.0, 200.0), "O": (0.0, 0.0, 200.0), "K": (0.0, 0.0, 0.0), "B": (0.0, 0.0, 0.0)}
DECK = Deck(None, INKS)
SHOT = Shot((500, 400), 0.0, noise=0.0)


def rendered(spec: CardSpec, seed: int = 1) -> RenderedTable:
    return render_cards(np.random.default_rng(seed), DECK, spec, SHOT, black_table, EVEN_LIGHT)


@pytest.mark.parametrize("suit", SUITS)
def test_signs_are_drawn_and_differ(suit: str) -> None:
    sign = suit_sign(suit)
    assert 0.3 < float((sign > 0.5).mean()) < 0.9
    others = [suit_sign(other) for other in SUITS if other != suit]
    assert all(sign.shape != other.shape or np.abs(sign - other).mean() > 0.02 for other in others)


@pytest.mark.parametrize("code", ["R1", "K10", "B13", "O7", "J", "?"])
def test_a_card_looks_the_same_from_both_sides(code: str) -> None:
    face, alpha = DECK.face(code, 280, np.random.default_rng(0))
    assert face.shape == (280, 196, 3)
    if code not in {"R1", "O7", "?"}:  # the middle of these stands one way up
        assert np.abs(face.astype(int) - face[::-1, ::-1]).mean() < 2
    assert alpha[0, 0] == 0
    assert alpha[140, 98] == 255


def test_an_overlapping_row_covers_all_but_its_last_card() -> None:
    table = rendered(CardSpec((("R5", "R6", "R7", "R8"),), steps=(0.3,), messy=0.0))
    assert [table.scene.tiles[i].code for i in table.rows[0]] == ["R5", "R6", "R7", "R8"]
    assert [table.scene.tiles[i].visible for i in table.rows[0]] == pytest.approx([0.3, 0.3, 0.3, 1.0], abs=0.04)
    assert all(table.scene.tiles[i].legible for i in table.rows[0])


def test_a_covered_index_is_not_legible() -> None:
    table = rendered(CardSpec((("R5", "R6", "R7"),), steps=(0.08,), messy=0.0))
    assert [table.scene.tiles[i].legible for i in table.rows[0]] == [False, False, True]


def test_a_deck_laid_out_by_suit_has_its_cards_in_order() -> None:
    spec = laid_out_by_suit(suits="RBKO")
    table = render_cards(np.random.default_rng(2), DECK, spec, SHOT, black_table, EVEN_LIGHT, in_order=True)
    tops = [np.mean([table.scene.tiles[i].quad.mean(0) for i in row], axis=0)[1] for row in table.rows]
    assert tops == sorted(tops)
    for row in table.rows:
        across = [table.scene.tiles[i].quad.mean(0)[0] for i in row]
        assert across == sorted(across)
    assert len(table.scene.tiles) == 54


@pytest.mark.parametrize("seed", range(3))
def test_random_decks_keep_pips_clear_of_the_index(seed: int) -> None:
    """Between the index and the pips there is a strip of bare card."""
    deck = random_deck(np.random.default_rng(seed))
    face, _ = deck.face("K10", 560, np.random.default_rng(0))
    right = round(deck.numeral_area("K10")[2] * face.shape[1])
    strip = face[60:250, right + 1 : right + 4]
    assert strip.min() > 0.75 * min(deck.body)


def test_the_same_seed_gives_the_same_table() -> None:
    spec = CardSpec((("R5", "R6"),), steps=(0.4,))
    one, same = rendered(spec, 5), rendered(spec, 5)
    np.testing.assert_array_equal(one.scene.image, same.scene.image)
