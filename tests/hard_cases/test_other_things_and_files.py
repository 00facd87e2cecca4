"""Hard cases of seeing 10 to 12: what is no tile, what phones write, and the same ruling every time."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest
from PIL import Image as PilImage

from referee.observation import Kind, Scene
from referee.preset_files import load_ruleset
from referee.ruling import Verdict
from tests.hard_cases.staged import Image, looked, plain_box, rows_seen, staged
from tests.measure.families import FAIR_LIGHT
from vision.look import Eyes
from vision.render import clutter, effects
from vision.render.camera import look_at_table
from vision.render.compose import Thing, compose
from vision.render.surfaces import wood
from vision.render.table import Shot
from web.examine import examine
from web.report_json import ruling_line

SMALL = ("R5 R6 R7 R8", "B1 K1 O1")
THINGS: dict[str, Callable[[np.random.Generator], Image]] = {
    "keyboard": clutter.keyboard, "score pad": clutter.paper, "box lid": clutter.box_lid, "cards": clutter.blank_card,
}  # fmt: skip


def with_things(thing: str, seed: int) -> Image:
    """A table with three such things and no tile, uint8 (600, 800, 3) BGR."""
    rng = np.random.default_rng(seed)
    things = []
    for x in (-4.5, 0.0, 4.5):
        texture = THINGS[thing](rng)
        height = 4.0
        width = min(4.2, height * texture.shape[1] / texture.shape[0])
        corners = np.array([[-width, -height], [width, -height], [width, height], [-width, height]]) / 2 + (x, 0)
        things.append(Thing(texture, corners))
    camera = look_at_table(800, 600, 55.0, 15.0, 0.0, 50.0)
    scene = compose(rng, (800, 600), camera, plain_box(), [], wood(rng, 512), 12.0, FAIR_LIGHT, (), tuple(things))
    return effects.jpeg(scene.image, 88)


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("thing", THINGS)
def test_10_what_is_no_tile_is_no_sure_tile(thing: str, seed: int, real_eyes: Eyes) -> None:
    seen = real_eyes.look(with_things(thing, seed)).observation
    assert [tile for tile in seen.tiles if tile.kind is Kind.FACE and not tile.doubtful] == []


def test_10_cups_and_an_empty_table_hold_no_tiles(real_eyes: Eyes) -> None:
    table = np.ascontiguousarray(wood(np.random.default_rng(4), 700))
    for x in (150, 350, 560):
        cv2.circle(table, (x, 330), 80, (235, 238, 240), -1, cv2.LINE_AA)
        cv2.circle(table, (x, 330), 66, (40, 60, 110), -1, cv2.LINE_AA)
    assert real_eyes.look(table).observation.scene is Scene.EMPTY


def test_10_face_down_tiles_are_face_down(real_eyes: Eyes) -> None:
    _, seen = looked(real_eyes, staged(("R5 R6 R7", "K1 O1 B1"), loose="? ? ? ? ?"))
    assert sum(tile.kind is Kind.BACK for tile in seen.tiles) == 5
    assert not [tile for tile in seen.tiles if tile.readings and tile.readings[0].tile.joker]


TURNS: dict[int, tuple[PilImage.Transpose, ...]] = {
    1: (), 2: (PilImage.Transpose.FLIP_LEFT_RIGHT,), 3: (PilImage.Transpose.ROTATE_180,),
    4: (PilImage.Transpose.FLIP_TOP_BOTTOM,), 5: (PilImage.Transpose.TRANSPOSE,), 6: (PilImage.Transpose.ROTATE_90,),
    7: (PilImage.Transpose.TRANSVERSE,), 8: (PilImage.Transpose.ROTATE_270,),
}  # fmt: skip
"""How a phone stores the upright picture under each EXIF orientation."""


def as_rgb(image: Image) -> PilImage.Image:
    return PilImage.fromarray(cv2.cvtColor(image, cv2.COLOR_BGR2RGB))


def ruled_legal(path: Path, eyes: Eyes) -> list[str]:
    """The rows of a photo file, after a look that must find the table legal."""
    examined = examine(path, eyes, load_ruleset("international"))
    assert examined.ruling.verdict is Verdict.LEGAL
    return rows_seen(examined.observation)


@pytest.mark.parametrize("orientation", TURNS)
def test_11_every_exif_orientation(orientation: int, real_eyes: Eyes, tmp_path: Path) -> None:
    picture = as_rgb(staged(SMALL).image)
    for turn in TURNS[orientation]:
        picture = picture.transpose(turn)
    exif = PilImage.Exif()
    exif[0x0112] = orientation
    picture.save(tmp_path / "phone.jpg", quality=92, exif=exif)
    assert ruled_legal(tmp_path / "phone.jpg", real_eyes) == sorted(SMALL)


def test_11_heic(real_eyes: Eyes, tmp_path: Path) -> None:
    heif = pytest.importorskip("pillow_heif", reason="HEIC needs the extra heic")
    heif.register_heif_opener()
    as_rgb(staged(SMALL).image).save(tmp_path / "phone.heic", quality=85)
    assert ruled_legal(tmp_path / "phone.heic", real_eyes) == sorted(SMALL)


def test_11_forty_eight_megapixels_without_metadata(real_eyes: Eyes, tmp_path: Path) -> None:
    large = cv2.resize(staged(SMALL, shot=Shot((800, 600), 15.0, noise=0.0)).image, (8000, 6000))
    cv2.imwrite(str(tmp_path / "large.jpg"), large, [cv2.IMWRITE_JPEG_QUALITY, 80])
    assert ruled_legal(tmp_path / "large.jpg", real_eyes) == sorted(SMALL)


def test_11_a_screenshot_of_a_photo_is_read(real_eyes: Eyes, tmp_path: Path) -> None:
    photo = staged(SMALL).image
    screen = np.full((1500, 760, 3), 18, np.uint8)
    screen[400 : 400 + photo.shape[0], 20 : 20 + photo.shape[1]] = photo
    for k, words in enumerate(("9:41", "Photos", "13 November", "Edit  Share  Delete")):
        cv2.putText(screen, words, (40, 60 + 70 * k), cv2.FONT_HERSHEY_SIMPLEX, 1.1, (235, 235, 235), 2, cv2.LINE_AA)
    cv2.imwrite(str(tmp_path / "screenshot.png"), screen)
    examined = examine(tmp_path / "screenshot.png", real_eyes, load_ruleset("international"))
    assert rows_seen(examined.observation) == sorted(SMALL)
    assert examined.ruling.verdict is not Verdict.ILLEGAL


def off_a_screen(image: Image, angle: float) -> Image:
    """The picture on a screen of red, green and blue stripes, photographed a little turned: moiré."""
    height, width = image.shape[:2]
    shown = cv2.resize(image, (3 * width, 3 * height), interpolation=cv2.INTER_NEAREST).astype(np.float32)
    stripes = np.full((1, 3 * width, 3), 0.35, np.float32)
    for channel in range(3):
        stripes[:, channel::3, channel] = 1.6
    shown *= stripes
    shown[::3] *= 0.75
    turn = cv2.getRotationMatrix2D((1.5 * width, 1.5 * height), angle, 0.93)
    turned = cv2.warpAffine(np.clip(shown, 0, 255).astype(np.uint8), turn, (3 * width, 3 * height))
    taken = cv2.resize(turned, (round(1.13 * width), round(1.13 * height)), interpolation=cv2.INTER_LINEAR)
    return effects.jpeg(np.asarray(taken, np.uint8), 85)


@pytest.mark.parametrize("angle", [0.7, 2.3])
def test_11_a_photo_of_a_screen_is_read_or_doubted(angle: float, real_eyes: Eyes) -> None:
    seen = real_eyes.look(off_a_screen(staged(SMALL).image, angle)).observation
    true = sorted(code for row in SMALL for code in row.split())
    sure = [str(tile.readings[0].tile) for tile in seen.tiles if tile.readings and not tile.doubtful]
    assert len(seen.tiles) >= len(true) - 1
    assert all(sure.count(code) <= true.count(code) for code in set(sure)), sure


def test_12_a_hundred_looks_at_one_still_table_give_one_answer(real_eyes: Eyes) -> None:
    picture = staged(SMALL, shot=Shot((320, 240), 15.0, noise=0.0)).image
    first = real_eyes.look(picture).observation
    assert len(first.tiles) == 7
    assert all(real_eyes.look(picture.copy()).observation == first for _ in range(99))


def test_12_a_ruling_is_the_same_line_each_time(real_eyes: Eyes, tmp_path: Path) -> None:
    cv2.imwrite(str(tmp_path / "table.jpg"), staged(SMALL).image)
    lines = []
    for _ in range(3):
        line = json.loads(ruling_line(examine(tmp_path / "table.jpg", real_eyes, load_ruleset("international"))))
        del line["timing_ms"]
        lines.append(line)
    assert lines[0] == lines[1] == lines[2]


def test_12_frames_that_flicker_never_contradict_each_other_surely(real_eyes: Eyes) -> None:
    dim = staged(SMALL, shot=Shot((300, 230), 35.0, noise=0.0)).image * 0.4
    said: dict[tuple[int, int], set[str]] = {}
    for k in range(8):
        frame = effects.sensor_noise(dim.astype(np.uint8), np.random.default_rng(k), 7.0, coarse=True)
        for tile in real_eyes.look(frame).observation.tiles:
            if tile.readings and not tile.doubtful:
                x, y = np.mean(tile.quad, axis=0)
                said.setdefault((round(x / 25), round(y / 25)), set()).add(str(tile.readings[0].tile))
    assert said
    assert all(len(readings) == 1 for readings in said.values()), said
