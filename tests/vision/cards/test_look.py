"""Cards read from one picture with a deck that another picture taught: apart, overlapping, covered, or none at all."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

from referee.observation import Kind, Observation, Scene
from tests.measure.cards import compared
from tests.vision.cards.played import DECK, PLAYING, table, taught
from vision.cards.look import BOX_NOT_SEEN, CardEyes
from vision.render.cards import CardSpec
from vision.render.table import RenderedTable

RUN, GROUP = ("R5", "R6", "R7", "R8"), ("K10", "O10", "B10")
COURTS = ("K11", "K12", "K13")


def looked_at(scene: RenderedTable) -> Observation:
    return CardEyes(taught(), {}).look(scene.scene.image).observation


def rows_of(seen: Observation) -> set[tuple[str, ...]]:
    return {tuple(str(seen.tiles[k].readings[0].tile) for k in row.tiles) for row in seen.rows}


@pytest.mark.parametrize(
    "spec",
    [
        CardSpec((RUN, GROUP, COURTS), loose=("O9",)),
        CardSpec((RUN, GROUP, COURTS), steps=(0.28, 0.33)),
        CardSpec((RUN, GROUP, COURTS), steps=(0.28, 0.33), facings=(180.0, 90.0, 20.0)),
        CardSpec((RUN, GROUP, COURTS), steps=(0.5,)),
        CardSpec((RUN, GROUP), steps=(0.32,), column=True),
        CardSpec((RUN, GROUP), steps=(0.32,), fan_deg=6.0),
    ],
    ids=["apart", "overlapping", "turned", "half covered", "columns", "fans"],
)
def test_cards_are_read_however_they_lie(spec: CardSpec) -> None:
    scene = table(spec)
    tally = compared(scene, looked_at(scene))
    assert tally.cards.tiles == sum(map(len, spec.rows)) + len(spec.loose)
    assert tally.cards.silent == 0, tally.cards.errors
    assert tally.cards.right >= tally.cards.tiles - 1
    assert tally.sets_right == tally.sets


def test_an_overlapping_row_is_read_as_its_covered_cards_stand() -> None:
    for facing in (0.0, 90.0, 180.0, 270.0):
        assert rows_of(looked_at(table(CardSpec((RUN,), steps=(0.3,), facings=(facing,))))) == {RUN}


def test_gaps_are_negative_where_cards_overlap() -> None:
    (row,) = looked_at(table(CardSpec((RUN,), steps=(0.3,), messy=0.0))).rows
    assert row.gaps == pytest.approx([-0.7] * 3, abs=0.12)
    (row,) = looked_at(table(CardSpec((RUN,), messy=0.0))).rows
    assert row.gaps == pytest.approx([0.07] * 3, abs=0.05)


def test_a_joker_is_read_by_its_letters() -> None:
    for steps in ((0.3,), (1.07,)):
        scene = table(CardSpec((("R5", "J", "R7"),), steps=steps))
        assert rows_of(looked_at(scene)) & {("R5", "J", "R7"), ("R7", "J", "R5")}


def test_six_and_nine_are_told_by_the_sign_below_them() -> None:
    scene = table(CardSpec((("K6", "O6", "B6"), ("K9", "O9", "B9")), steps=(0.3,), facings=(0.0, 180.0)))
    assert rows_of(looked_at(scene)) == {("K6", "O6", "B6"), ("K9", "O9", "B9")}


def test_a_card_whose_index_is_hidden_is_unread_and_touches_its_row() -> None:
    """A patch of paper lies on both indices of the last card."""
    scene = table(CardSpec((RUN,), messy=0.0), replace(PLAYING, tilt_deg=0.0, roll_deg=0.0))
    image = scene.scene.image.copy()
    last = scene.scene.tiles[scene.rows[0][-1]].quad
    for corner, opposite in ((last[0], last[2]), (last[2], last[0])):
        middle = corner + 0.13 * (opposite - corner)
        cv2.circle(image, tuple(np.round(middle).astype(int).tolist()), 34, (70, 60, 50), -1)
    seen = CardEyes(taught(), {}).look(image).observation
    codes = sorted(str(tile.readings[0].tile) for tile in seen.tiles if not tile.doubtful)
    assert codes == ["R5", "R6", "R7"]
    assert seen.unread or any(tile.doubtful for tile in seen.tiles)
    assert any(row.unread_touching or any(seen.tiles[k].doubtful for k in row.tiles) for row in seen.rows)


def test_rows_too_blurred_to_be_read_are_unread() -> None:
    for step in (0.3, 0.5):
        scene = table(CardSpec((RUN, GROUP), steps=(step,)))
        scene.scene.image[:] = cv2.GaussianBlur(scene.scene.image, (0, 0), 9)
        seen = looked_at(scene)
        assert seen.unread
        assert compared(scene, seen).cards.silent == 0


def test_a_card_that_cannot_be_read_between_two_is_unread_whatever_the_step() -> None:
    scene = table(CardSpec((RUN,), steps=(0.5,), messy=0.0), replace(PLAYING, tilt_deg=0.0))
    corner, *others = scene.scene.tiles[scene.rows[0][2]].quad
    spot = corner + 0.12 * (others[0] - corner) + 0.13 * (others[2] - corner)
    paper = cv2.circle(scene.scene.image, tuple(np.round(spot).astype(int).tolist()), 22, (225, 225, 225), -1)
    scene.scene.image[:] = paper
    seen = looked_at(scene)
    codes = [str(tile.readings[0].tile) for tile in seen.tiles if not tile.doubtful]
    assert "R7" not in codes
    assert seen.unread
    assert all(row.unread_touching for row in seen.rows)


def test_a_face_down_card_with_a_rim_is_unread() -> None:
    scene = table(CardSpec((RUN,), loose=("?",)))
    seen = looked_at(scene)
    assert len(seen.unread) == 1
    assert all(tile.kind is Kind.FACE for tile in seen.tiles)


def test_an_empty_table_is_empty() -> None:
    image = np.full((600, 800, 3), (60, 110, 160), np.uint8)
    seen = CardEyes(taught(), {}).look(image).observation
    assert (seen.scene, seen.tiles, seen.unread, seen.notes) == (Scene.EMPTY, (), (), ())


def test_another_picture_with_light_rectangles_is_not_this_deck() -> None:
    image = np.full((600, 800, 3), (60, 110, 160), np.uint8)
    for x in (100, 300, 500):
        cv2.rectangle(image, (x, 200), (x + 126, 380), (245, 245, 245), -1)
    seen = CardEyes(taught(), {}).look(image).observation
    assert not seen.tiles
    assert len(seen.unread) == 3
    assert seen.notes == (BOX_NOT_SEEN,)


def test_the_size_of_the_picture_does_not_matter() -> None:
    scene = table(CardSpec((RUN, GROUP), steps=(0.3, 1.07)))
    large = np.asarray(cv2.resize(scene.scene.image, None, fx=2.4, fy=2.4, interpolation=cv2.INTER_CUBIC), np.uint8)
    one, other = looked_at(scene), CardEyes(taught(), {}).look(large).observation
    assert rows_of(one) == rows_of(other)
    assert other.width == large.shape[1]
    for small, big in zip(one.tiles, other.tiles, strict=True):
        np.testing.assert_allclose(np.array(big.quad) / 2.4, small.quad, atol=6)


def test_the_same_picture_gives_the_same_answer() -> None:
    scene = table(CardSpec((RUN, GROUP), steps=(0.3,)))
    assert looked_at(scene) == looked_at(scene)
    assert DECK.aspect == pytest.approx(0.7)
