"""One deck, taught once from one rendered photo, and tables of its cards: what the tests of reading cards look at."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from vision.cards.deck import Deck as TaughtDeck
from vision.cards.deck import learn
from vision.cards.laid_out import corner_examples, read_laid_out
from vision.render.cards import CardSpec, Deck, laid_out_by_suit, render_cards
from vision.render.compose import Lighting
from vision.render.fonts import JUDGE_FONTS, available_fonts
from vision.render.palettes import from_hsv
from vision.render.surfaces import cloth, wood
from vision.render.table import RenderedTable, Shot

Image = NDArray[np.uint8]

RED, BLACK = from_hsv(0, 0.9, 0.75), from_hsv(0, 0.0, 0.08)
DECK = Deck(
    font=next(iter(available_fonts(("Lato-Bold", *JUDGE_FONTS))), None),
    inks={"R": RED, "O": RED, "K": BLACK, "B": BLACK},
)
LIGHT = Lighting(towards=(-0.3, -0.4), shadow=0.4, softness=0.1, contrast=0.2, gain=0.95)
TEACHING = Shot((1600, 1200), 8.0, 3.0, 50.0, noise=0.0)
PLAYING = Shot((1300, 1000), 15.0, 5.0, 50.0, noise=0.0)


@lru_cache(maxsize=4)
def laid_out(roll_deg: float = 3.0, jokers: int = 2) -> RenderedTable:
    """The deck laid out by suit on wood."""
    rng = np.random.default_rng(7)
    shot = replace(TEACHING, roll_deg=roll_deg)
    return render_cards(rng, DECK, laid_out_by_suit(suits="RBKO", jokers=jokers), shot, wood, LIGHT, in_order=True)


@lru_cache(maxsize=1)
def taught() -> TaughtDeck:
    """The deck as that photo teaches it."""
    image = laid_out().scene.image
    return learn(corner_examples(image, read_laid_out(image)))


def table(spec: CardSpec, shot: Shot = PLAYING, seed: int = 1) -> RenderedTable:
    """A table of the deck's cards on cloth."""
    return render_cards(np.random.default_rng(seed), DECK, spec, shot, cloth, LIGHT)
