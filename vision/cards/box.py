"""A deck as a taught box: learned from photos of it laid out, and the eyes made from what is kept."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from vision.cards.deck import learn
from vision.cards.laid_out import corner_examples, read_laid_out
from vision.cards.look import CardEyes
from vision.taught.asked import Asked
from vision.taught.box import Faces, TaughtBox, strip_of
from vision.taught.laid_out import LaidOut
from vision.taught.outlook import Outlook

Image = NDArray[np.uint8]


class DeckTeacher:
    """Reads decks laid out by suit and learns what they look like; needs no network."""

    def lay_out(self, image: Image, asked: Asked) -> LaidOut:
        """What lies where in a picture uint8 (H, W, 3) BGR.  Raises ``NotLaidOutError``."""
        return read_laid_out(image, asked)

    def learn(self, name: str, photos: Sequence[tuple[Image, LaidOut]]) -> TaughtBox:
        """A deck from the settled cards of all photos; ``DeckError`` when a rank or a suit is on none of them."""
        examples = tuple(example for image, laid in photos for example in corner_examples(image, laid))
        learn(examples)  # refuses what could not be read with
        return TaughtBox(name, tuple(one.tile for one in examples), strip_of(examples), Faces.CARDS)

    def outlook(self, box: TaughtBox) -> Outlook:  # noqa: ARG002
        """Nothing is foretold of cards: no card can be left out of a deck that shows each once."""
        return Outlook(())


def card_eyes(box: TaughtBox) -> CardEyes:
    """Eyes that read cards of this deck.  Raises ``DeckError`` where the box tells too little of one."""
    return CardEyes(learn(box.examples), {"box": f"{box.name} {box.fingerprint}"})
