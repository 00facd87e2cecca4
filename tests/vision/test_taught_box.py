"""A hard box is read after it was taught, its kinds of joker too, and no other box is read worse for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from referee.tiles import Joker, parse_tile
from tests.measure.families import Tally, compared
from tests.measure.taught import CLUBS, TWIST, Club, SpecialBox, examples_in, in_play, laid_out, leaning, twisted
from vision.look import BOX_NOT_SEEN, Eyes
from vision.model_store import load_model, models_folder, read_manifest
from vision.render import effects
from vision.render.compose import RenderedScene
from vision.render.faces import StyledBox
from vision.render.fonts import JUDGE_FONTS, available_fonts
from vision.render.jokers import JokerFace
from vision.taught.box import Faces, TaughtBox
from vision.taught.box_file import from_bytes, to_bytes
from vision.taught.drawing import drawings
from vision.taught.examples import Example
from vision.taught.learn import learn, teach
from vision.taught.lens import WHOLE_FACE
from vision.taught.others import tiles_of_others
from vision.taught.refit import fitted_head, needs_refit
from vision.taught.views import plain_views

pytestmark = pytest.mark.skipif(
    len(available_fonts(JUDGE_FONTS)) < len(JUDGE_FONTS), reason="the fonts of judging are not installed (make fonts)"
)
SEED = 1
MANIFEST = read_manifest(models_folder())
READER = load_model("reader", MANIFEST, threads=1)
READER_SHA = MANIFEST.models["reader"].sha256


def leaning_twist(box: StyledBox) -> SpecialBox:
    """A box that is hard in print, inks and jokers alike."""
    return twisted(leaning(box))


HARD = Club("hard", leaning_twist, TWIST)


@pytest.fixture(scope="module")
def examples() -> tuple[Example, ...]:
    return examples_in(laid_out(HARD, SEED, (1600, 1200)), SEED)


@pytest.fixture(scope="module")
def box(examples: tuple[Example, ...]) -> TaughtBox:
    return teach("club-box", examples, READER, READER_SHA)


@pytest.fixture(scope="module")
def eyes(box: TaughtBox) -> Eyes:
    return Eyes.load(threads=1, box=from_bytes(to_bytes(box)))


@pytest.fixture(scope="module")
def untaught_eyes() -> Eyes:
    return Eyes.load(threads=1)


def read(eyes: Eyes, scene: RenderedScene, kinds: bool = True) -> tuple[Tally, tuple[str, ...]]:
    seen = eyes.look(effects.jpeg(scene.image, 85), second_reader=False).observation
    return compared(scene.tiles, seen, joker_kinds=kinds), seen.notes


@pytest.fixture(scope="module")
def table() -> RenderedScene:
    return in_play(HARD, SEED, 1)


def test_a_hard_box_is_read_after_it_was_taught(eyes: Eyes, untaught_eyes: Eyes, table: RenderedScene) -> None:
    before, _ = read(untaught_eyes, table)
    after, notes = read(eyes, table)
    assert before.right < 0.8 * before.tiles
    assert after.right >= 0.95 * after.tiles
    assert after.silent == 0
    assert after.flagged < 0.6 * before.flagged
    assert BOX_NOT_SEEN not in notes


class AlwaysEight:
    """A second reader that reads every numeral as an 8."""

    def read(self, crops: Sequence[NDArray[np.uint8]]) -> list[int | None]:
        return [8] * len(crops)


def test_print_that_needs_a_lens_is_nothing_for_the_second_reader(eyes: Eyes, table: RenderedScene) -> None:
    image = effects.jpeg(table.image, 60)
    mistaken = eyes.with_parts(replace(eyes.parts, second=AlwaysEight()))
    alone = eyes.look(image, second_reader=False).observation
    assert any(tile.doubtful for tile in alone.tiles)
    assert mistaken.look(image).observation == alone


def test_the_kinds_of_joker_are_told(eyes: Eyes, table: RenderedScene) -> None:
    seen = eyes.look(effects.jpeg(table.image, 85), second_reader=False).observation
    told = {str(tile.readings[0].tile) for tile in seen.tiles if tile.readings}
    assert {"J", "JD", "JC", "JM"} <= told


def test_a_drawing_that_the_box_lacks_is_anothers(box: TaughtBox, examples: tuple[Example, ...]) -> None:
    assert box.head is not None
    foreign = laid_out(Club("clowns", lambda b: replace(b, joker_face=JokerFace.CLOWN), ("J",)), SEED, (1000, 750))
    clowns = np.stack([example.crop for example in examples_in(foreign, SEED) if example.tile.joker])
    own = [example for example in examples if example.tile.joker]
    crops = np.concatenate([np.stack([example.crop for example in own]), clowns])
    said = drawings(plain_views(crops, WHOLE_FACE)) @ box.head.jokers
    kinds = [box.head.kinds.index(example.tile.joker) for example in own if example.tile.joker]
    assert said.argmax(axis=1).tolist() == [*kinds, len(box.head.kinds)]


def test_another_box_is_read_as_without_the_taught_one(eyes: Eyes, untaught_eyes: Eyes) -> None:
    scene = in_play(Club("another", lambda box: box), SEED, 2)
    image = effects.jpeg(scene.image, 85)
    with_box, without = (e.look(image, second_reader=False).observation for e in (eyes, untaught_eyes))
    assert with_box.notes == (BOX_NOT_SEEN, *without.notes)
    assert replace(with_box, notes=without.notes) == without


def test_the_eyes_name_the_box(eyes: Eyes, box: TaughtBox, untaught_eyes: Eyes) -> None:
    assert eyes.models["box"] == f"club-box {box.fingerprint}"
    assert "box" not in untaught_eyes.models


def test_another_network_learns_the_box_anew() -> None:
    codes = ["R3", "K7", "J"]
    crops = tiles_of_others(len(codes), np.random.default_rng(3))
    box = teach(
        "few", tuple(Example(parse_tile(c), crop) for c, crop in zip(codes, crops, strict=True)), READER, READER_SHA
    )
    assert box.head is not None
    assert not needs_refit(box, READER_SHA)
    assert fitted_head(box, READER, READER_SHA) is box.head
    assert needs_refit(box, "0" * 64)
    stale = replace(box, reader="0" * 64, head=replace(box.head, numbers=np.zeros((193, 17))))
    for name in ("numbers", "colours", "jokers"):  # the same examples and network give the same head
        np.testing.assert_array_equal(getattr(fitted_head(stale, READER, READER_SHA), name), getattr(box.head, name))


def test_a_deck_of_cards_is_not_read_as_tiles(box: TaughtBox) -> None:
    with pytest.raises(ValueError, match="holds cards"):
        Eyes.load(threads=1, box=replace(box, faces=Faces.CARDS))


def test_nothing_is_learned_from_nothing() -> None:
    with pytest.raises(ValueError, match="at least one example"):
        teach("club-box", (), READER, READER_SHA)


@pytest.mark.parametrize("codes", [["R5"], ["JM", "JM"], ["R1", "B1", "K2", "O3", "O4", "R6", "J"]])
def test_a_few_examples_are_enough_to_be_learned_from(codes: list[str]) -> None:
    crops = tiles_of_others(len(codes), np.random.default_rng(3))
    some = tuple(Example(parse_tile(code), crop) for code, crop in zip(codes, crops, strict=True))
    head = learn(some, READER)
    shown = {int(code[1:]) - 1 if code[0] != "J" else 13 for code in codes}
    unseen = [k for k in range(17) if k not in shown]
    np.testing.assert_array_equal(head.numbers[:, unseen], 0)  # what no example shows is read as before
    assert head.kinds == ((Joker.MIRROR,) if "JM" in codes else (Joker.REGULAR,))
    assert np.isfinite(head.numbers).all()
    if len(shown) < 4:
        assert head.lens == WHOLE_FACE


def test_the_clubs_to_measure_have_names_of_their_own() -> None:
    assert len({club.name for club in CLUBS}) == len(CLUBS)
