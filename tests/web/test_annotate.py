"""The annotated picture: what is drawn where, and that the numerals stay in sight."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt
import pytest
from PIL import Image as PilImage

from referee.observation import Observation, Quad
from referee.preset_files import load_ruleset
from referee.ruling import judge_table
from tests.web.fakes import FakeEyes, paint, table
from web.annotate import AMBER, GREEN, GREY, RED, Colour, annotate
from web.examine import Examined, examine

Pixels = npt.NDArray[np.uint8]


def examined(observation: Observation) -> Examined:
    ruling = judge_table(observation, load_ruleset())
    return Examined(Path("photo.png"), paint(observation), observation, ruling, {}, {})


def photo_part(drawn: Pixels, observation: Observation) -> tuple[Pixels, float]:
    """The drawn picture without its banner, and how much larger than the photo it is."""
    factor = drawn.shape[1] / observation.width
    height = round(observation.height * factor)
    return drawn[-height:], factor


def share_of(colour: Colour, pixels: Pixels) -> float:
    """The share of pixels (…, 3) that are about this colour."""
    near = np.abs(pixels.reshape(-1, 3).astype(int) - colour).max(axis=1) <= 40
    return float(near.mean())


def edge_pixels(picture: Pixels, quad: Quad, factor: float) -> Pixels:
    """Pixels along the upper half of a tile's sides, where no label lies."""
    top_left, top_right, bottom_right, bottom_left = (np.array(point) * factor for point in quad)
    steps = np.linspace(0.05, 0.45, 25)[:, None]
    left = top_left + steps * (bottom_left - top_left)
    right = top_right + steps * (bottom_right - top_right)
    across = top_left + 2 * steps * (top_right - top_left)
    points = np.rint(np.vstack([left, right, across])).astype(int)
    pixels: Pixels = picture[points[:, 1], points[:, 0]]
    return pixels


@pytest.mark.parametrize(
    ("text", "colour"),
    [
        ("R5 R6 R7", GREEN),
        ("R5 R7 K9", RED),
        ("R5/R6 R7 R8", AMBER),
        ("R5 R6 R7 #", AMBER),
        ("? ?", GREY),
        ("R5", RED),
        ("R5/R6", AMBER),
    ],
)
def test_outlines_have_the_verdicts_colour(text: str, colour: Colour) -> None:
    observation = table(text)
    picture, factor = photo_part(annotate(examined(observation)), observation)
    for tile in observation.tiles:
        assert share_of(colour, edge_pixels(picture, tile.quad, factor)) > 0.6


@pytest.mark.parametrize(
    ("text", "colour"), [("R5 R6 R7", GREEN), ("R5 R6 B7", RED), ("R5/R6 R7 R8", AMBER), ("", AMBER)]
)
def test_the_banner_has_the_verdicts_colour(text: str, colour: Colour) -> None:
    drawn = annotate(examined(table(text)))
    assert share_of(colour, drawn[:10]) == 1.0
    assert share_of(colour, drawn[:40]) < 0.99, "words stand on it"


@pytest.mark.parametrize("turn", [0, 30, 90, 180, 270])
def test_labels_leave_the_numerals_in_sight(turn: int) -> None:
    observation = turned(table("R5 R6 B7 R8 | K3 R3 O3 J | B4 | R10/R11 R12 R13 | ? ?"), turn)
    one = examined(observation)
    picture, factor = photo_part(annotate(one), observation)
    size = (picture.shape[1], picture.shape[0])
    plain = cv2.resize(one.image, size, interpolation=cv2.INTER_CUBIC)
    for tile in observation.tiles:
        if not tile.readings:
            continue
        across, down = np.meshgrid(np.linspace(0.25, 0.75, 12), np.linspace(0.2, 0.55, 12))
        points = np.rint(inside(tile.quad, across.ravel(), down.ravel()) * factor).astype(int)
        before, after = (one_picture[points[:, 1], points[:, 0]].astype(int) for one_picture in (plain, picture))
        assert (np.abs(before - after).max(axis=1) < 40).mean() > 0.95


def inside(quad: Quad, across: npt.NDArray[np.float64], down: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    top_left, top_right, bottom_right, bottom_left = (np.array(point) for point in quad)
    top = top_left + across[:, None] * (top_right - top_left)
    bottom = bottom_left + across[:, None] * (bottom_right - bottom_left)
    points: npt.NDArray[np.float64] = top + down[:, None] * (bottom - top)
    return points


def turned(observation: Observation, degrees: int) -> Observation:
    """The same tiles turned about the picture's centre (900 × 900)."""
    angle = np.deg2rad(degrees)
    matrix = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    centre = np.array([450.0, 450.0])
    shift = np.array([200.0, 150.0]) - centre

    def turn(quad: Quad) -> Quad:
        a, b, c, d = ((float(x), float(y)) for x, y in (np.array(quad) + shift) @ matrix.T + centre)
        return a, b, c, d

    tiles = tuple(
        type(tile)(turn(tile.quad), tile.kind, tile.readings, tile.confidence, tile.doubtful)
        for tile in observation.tiles
    )
    return Observation(900, 900, observation.scene, tiles, observation.rows, observation.loose)


def test_unread_tiles_are_hatched() -> None:
    observation = table("R5 R6 R7 #")
    picture, factor = photo_part(annotate(examined(observation)), observation)
    (left, top), _, (right, bottom), _ = ((round(x * factor), round(y * factor)) for x, y in observation.unread[0])
    middle = picture[top + 8 : bottom - 8, left + 8 : right - 8]
    assert 0.08 < share_of(AMBER, middle) < 0.6


@pytest.mark.parametrize(
    ("width", "height", "long_side"),
    [(300, 200, 1000), (1000, 750, 1000), (1400, 700, 1400), (4000, 3000, 1600), (40, 2500, 1600)],
)
def test_sizes_are_for_screens(width: int, height: int, long_side: int) -> None:
    observation = table("R5 R6 R7", width=width, height=height)
    drawn = annotate(examined(observation))
    assert drawn.dtype == np.uint8
    scale = long_side / max(width, height)
    assert drawn.shape[1] == round(width * scale)
    assert drawn.shape[0] > round(height * scale), "the banner comes on top"


def test_tiles_beyond_the_edge_are_no_trouble() -> None:
    observation = table(" | ".join(["R5 R6 R7 R8 R9 R10 R11 R12 R13 J"] * 9), width=200, height=150)
    assert annotate(examined(observation)).shape[2] == 3


def test_the_same_ruling_gives_the_same_picture() -> None:
    one = examined(table("R5 R6 B7 R8 | K3 R3 O3 J | B4"))
    np.testing.assert_array_equal(annotate(one), annotate(one))


@pytest.mark.parametrize("orientation", [1, 3, 6, 8])
def test_the_picture_stands_upright_whatever_the_exif_says(tmp_path: Path, orientation: int) -> None:
    eyes = FakeEyes()
    observation = table("R5 R6 R7 | B4")
    upright = eyes.photo(tmp_path / "upright.png", observation)
    stored = np.asarray(PilImage.open(upright))
    stored = np.rot90(stored, {1: 0, 3: 2, 6: 1, 8: -1}[orientation])
    exif = PilImage.Exif()
    exif[274] = orientation
    PilImage.fromarray(np.ascontiguousarray(stored)).save(tmp_path / "turned.png", exif=exif)
    rules = load_ruleset()
    upright_drawn, turned_drawn = (annotate(examine(path, eyes, rules)) for path in (upright, tmp_path / "turned.png"))
    np.testing.assert_array_equal(upright_drawn, turned_drawn)
