"""A deck goes into the file of a taught box and comes out of it as eyes that read its cards."""

from __future__ import annotations

import numpy as np
import pytest

from referee.switches import Faces
from referee.tiles import parse_tile
from tests.vision.cards.played import laid_out, table
from vision.cards.box import DeckTeacher, card_eyes
from vision.cards.deck import DeckError
from vision.render.cards import CardSpec
from vision.taught.asked import Asked
from vision.taught.box import Faces as BoxFaces
from vision.taught.box import TaughtBox, strip_of
from vision.taught.box_file import from_bytes, to_bytes
from vision.taught.examples import EXAMPLE_HEIGHT, EXAMPLE_WIDTH, Example
from web.wiring import EyesError, product_wiring


def test_a_taught_deck_survives_its_file_and_reads() -> None:
    image = laid_out().scene.image
    teacher = product_wiring().load_teacher(Faces.CARDS)
    assert isinstance(teacher, DeckTeacher)
    box = from_bytes(to_bytes(teacher.learn("deck", [(image, teacher.lay_out(image, Asked()))])))
    assert box.faces is BoxFaces.CARDS
    eyes = product_wiring().knowing(box).load_eyes()
    assert dict(eyes.models) == {"box": f"deck {box.fingerprint}"}
    seen = eyes.look(table(CardSpec((("R5", "R6", "R7", "R8"),), steps=(0.3,))).scene.image).observation
    assert [str(seen.tiles[k].readings[0].tile) for k in seen.rows[0].tiles] == ["R5", "R6", "R7", "R8"]


def test_a_box_with_too_little_of_a_deck_is_refused_in_one_sentence() -> None:
    grey = Example(parse_tile("R5"), np.full((EXAMPLE_HEIGHT, EXAMPLE_WIDTH, 3), 90, np.uint8))
    box = TaughtBox("few", (grey.tile,), strip_of((grey,)), BoxFaces.CARDS)
    with pytest.raises(DeckError):
        card_eyes(box)
    with pytest.raises(EyesError, match="few does not hold enough"):
        product_wiring().knowing(box).load_eyes()
