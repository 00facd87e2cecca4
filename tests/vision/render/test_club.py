"""Tables that judge us look like nothing that training has seen."""

from __future__ import annotations

import numpy as np
import pytest

from vision.render import club, surfaces
from vision.render.club import club_look, club_surface, judge_look
from vision.render.faces import SixNineMark, StyledBox, Symbol, random_box
from vision.render.fonts import JUDGE_FONTS, TRAINING_FONTS, WIDER_FONTS, available_fonts
from vision.render.palettes import JUDGE_PALETTES, hue_of
from vision.render.surfaces import JUDGE_SURFACES, TRAINING_SURFACES

SEEDS = range(120)


def test_fonts_palettes_and_surfaces_for_judging_are_none_of_training() -> None:
    assert not set(JUDGE_FONTS) & {*TRAINING_FONTS, *WIDER_FONTS}
    assert not set(JUDGE_SURFACES) & set(TRAINING_SURFACES)
    trained = [random_box(np.random.default_rng(seed)) for seed in SEEDS]
    assert not {box.numerals.font for box in trained} & set(JUDGE_FONTS)
    for box in trained:
        for judge in JUDGE_PALETTES:
            apart = [abs(hue_of(box.palette.ink(ink)) - hue_of(judge.ink(ink))) for ink in "RBO"]
            assert max(apart) >= 4.0, (box.palette, judge)


def test_judged_games_wear_nothing_else() -> None:
    boxes = [judge_look(np.random.default_rng(seed)) for seed in SEEDS]
    fonts = {box.numerals.font for box in boxes}
    assert fonts <= {*JUDGE_FONTS, None}
    assert None not in fonts or not available_fonts(JUDGE_FONTS)
    assert {id(box.palette) for box in boxes} <= {id(palette) for palette in JUDGE_PALETTES}
    assert all(box.numerals.pen is None and box.symbol is Symbol.NONE for box in boxes)
    tops = {club_surface(np.random.default_rng(seed)) for seed in SEEDS}
    assert tops == set(JUDGE_SURFACES)


def test_judged_boxes_are_drawn_and_not_cut_out_of_photos() -> None:
    """Training pastes tiles from photos; a judged box is drawn, and the renderer knows no photo."""
    look = club_look(np.random.default_rng(1), (320, 180))
    assert isinstance(look.box, StyledBox)
    names = {name for module in (club, surfaces) for name in vars(module)}
    assert not any("photo" in name.lower() for name in names)


@pytest.mark.parametrize("seed", range(40))
def test_a_six_is_never_a_nine_turned_round(seed: int) -> None:
    box = judge_look(np.random.default_rng(seed))
    assert box.numeral_y <= 0.37 or box.mark is not SixNineMark.NONE
