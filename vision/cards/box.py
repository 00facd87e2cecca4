"""A deck as a taught box: what is kept in the file, and the eyes made from it."""

from __future__ import annotations

from collections.abc import Sequence

from vision.cards.deck import learn
from vision.cards.look import CardEyes
from vision.taught.box import Faces, TaughtBox, strip_of
from vision.taught.examples import Example


def teach_deck(name: str, examples: Sequence[Example]) -> TaughtBox:
    """A deck from examples of its cards' corners, as ``LaidOutDeck.examples`` cuts them.

    Raises ``DeckError`` when these cards are no deck to read with.
    """
    box = TaughtBox(name, tuple(one.tile for one in examples), strip_of(tuple(examples)), Faces.CARDS)
    learn(box.examples)  # as the file will hold them
    return box


def card_eyes(box: TaughtBox) -> CardEyes:
    """Eyes that read cards of this deck.  Raises ``DeckError`` where the box is no deck, or tells too little of it."""
    return CardEyes(learn(box.examples), {"box": f"{box.name} {box.fingerprint}"})
