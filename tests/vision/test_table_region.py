"""The table's place in the picture: clicked, marked, found by its tiles, kept in a file, and followed."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from referee.observation import Kind, Quad, Reading, SeenTile
from referee.tiles import parse_tile
from tests.vision.filmed import shifted, still
from vision.markers import find_markers, region_from_markers
from vision.region import FoundBy, RegionError, TableRegion, in_order
from vision.region_auto import enclosing_quad, region_around
from vision.registration import landmarks, register, register_tiles, transformed
from web.marker_sheet import marker_sheet
from web.region_store import load_region, save_region

Image = NDArray[np.uint8]
CORNERS = [(100.0, 60.0), (520.0, 80.0), (600.0, 420.0), (40.0, 400.0)]


def region() -> TableRegion:
    return TableRegion.from_points(CORNERS, 640, 480)


@pytest.mark.parametrize("order", [(0, 1, 2, 3), (2, 0, 3, 1), (3, 2, 1, 0)])
def test_clicks_may_come_in_any_order(order: tuple[int, ...]) -> None:
    clicked = TableRegion.from_points([CORNERS[k] for k in order], 640, 480)
    assert clicked.corners.tolist() == [list(corner) for corner in CORNERS]


@pytest.mark.parametrize(
    ("points", "cause"),
    [
        (CORNERS[:3], "four corners, not 3"),
        ([(0, 0), (9, 0), (9, 9), (0, 9)], "too small"),
        ([(100, 100), (100, 100), (500, 400), (80, 400)], "enclose no table"),
        ([(0, 0), (300, 0), (600, 0), (300, 400)], "enclose no table"),
        ([(0, 0), (600, 0), (300, 100), (300, 400)], "enclose no table"),
        ([(0, 0), (5000, 0), (600, 400), (0, 400)], "far outside"),
        ([(0, 0), (float("nan"), 0), (600, 400), (0, 400)], "two numbers"),
    ],
)
def test_points_that_are_no_table(points: list[tuple[float, float]], cause: str) -> None:
    with pytest.raises(RegionError, match=cause):
        TableRegion.from_points(points, 640, 480)


def test_the_table_is_seen_from_above_and_nothing_else() -> None:
    picture = np.full((480, 640, 3), 200, np.uint8)
    cv2.fillConvexPoly(picture, np.array(CORNERS, np.int32), (30, 90, 40))
    table = region()
    flat = table.flatten(picture)
    assert flat.shape[:2] == table.flat_size[::-1]
    assert (flat[4:-4, 4:-4] == (30, 90, 40)).all()
    masked = table.masked(picture)
    assert (masked[table.mask() == 0] == 0).all()
    assert ((masked == 200).all(axis=2)).sum() < 50
    assert table.contains(np.array([[300, 200], [10, 10], [100, 60], [630, 470]])).tolist() == [
        True,
        False,
        True,
        False,
    ]
    with pytest.raises(RegionError, match="does not fit"):
        table.flatten(picture[:-10])


def test_a_region_survives_a_restart(tmp_path: Path) -> None:
    path = tmp_path / "table.json"
    save_region(path, region())
    loaded = load_region(path)
    assert (loaded.width, loaded.height, loaded.found_by) == (640, 480, FoundBy.CLICKS)
    assert np.allclose(loaded.corners, region().corners)
    assert loaded.scaled_to(1280, 960).corners[0] == pytest.approx((200.5, 120.5))
    with pytest.raises(RegionError, match="does not fit"):
        loaded.scaled_to(640, 640)


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("", "damaged"), ("{", "damaged"), ("[]", "must name"), ('{"width": 640}', "height is missing"),
        ('{"width": 640, "height": 4.5, "corners": []}', "whole numbers"),
        ('{"width": 640, "height": 480, "corners": "no"}', "four corners"),
        ('{"width": 640, "height": 480, "corners": [[1, 2], [3]]}', "four corners"),
        ('{"width": 640, "height": 480, "corners": [[1, 2]]}', "four corners"),
        ('{"width": 640, "height": 480, "found_by": "luck", "corners": []}', "found_by"),
        ('{"width": 0, "height": 0, "corners": [[0, 0], [1, 0], [1, 1], [0, 1]]}', "size"),
        ("x" * 20_000, "too long"), ("\xff", "damaged"),
    ],
)  # fmt: skip
def test_a_damaged_file_is_named_with_what_is_wrong(tmp_path: Path, text: str, cause: str) -> None:
    path = tmp_path / "table.json"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(RegionError, match=cause) as trouble:
        load_region(path)
    assert str(path) in str(trouble.value)


def test_a_file_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    with pytest.raises(RegionError, match=r"none\.json cannot be read: no such file"):
        load_region(tmp_path / "none.json")
    with pytest.raises(RegionError, match="cannot be written"):
        save_region(tmp_path / "no folder" / "table.json", region())


def markers_cut_out() -> list[Image]:
    """The four squares of the printed sheet, cut along their grey lines."""
    sheet = cv2.imdecode(np.frombuffer(marker_sheet("PNG"), np.uint8), cv2.IMREAD_COLOR)
    assert sheet is not None
    found = find_markers(np.asarray(sheet, np.uint8))
    assert sorted(found) == [0, 1, 2, 3]
    pieces = []
    for k in range(4):
        left, top = found[k].min(axis=0).astype(int) - 55
        right, bottom = found[k].max(axis=0).astype(int) + 55
        pieces.append(np.asarray(sheet[top:bottom, left:right], np.uint8))
    return pieces


def table_with_markers(places: list[int], turns: list[int], light: float = 1.0) -> tuple[Image, NDArray[np.float64]]:
    """A photo of a table with the markers at its corners, and where their outermost corners are."""
    table = np.full((900, 1400, 3), (60, 95, 120), np.uint8)
    table[::7] = (50, 85, 110)
    tiles = still("01_legal_small", 640)[100:400, 100:540]
    table[300:600, 480:920] = tiles
    pieces = markers_cut_out()
    outer = []
    for place, (x, y) in enumerate([(40, 40), (1220, 40), (1220, 720), (40, 720)]):
        piece = np.rot90(cv2.resize(pieces[places[place]], (140, 140), interpolation=cv2.INTER_AREA), turns[place])
        table[y : y + 140, x : x + 140] = piece
        margin = 140 * 55 / pieces[0].shape[0]
        outer.append((x + margin if x < 700 else x + 140 - margin, y + margin if y < 450 else y + 140 - margin))
    aim = np.array([[230, 120], [1080, 160], [1230, 680], [60, 640]], np.float32)
    view = cv2.getPerspectiveTransform(np.array([[0, 0], [1400, 0], [1400, 900], [0, 900]], np.float32), aim)
    photo = cv2.warpPerspective(table, view, (1280, 720), borderValue=(40, 40, 40)).astype(np.float64)
    photo = cv2.GaussianBlur(photo, (0, 0), 0.8) * light * np.linspace(0.7, 1.1, 1280)[None, :, None]
    photo = np.clip(photo + np.random.default_rng(5).normal(0, 5, photo.shape), 0, 255)
    done, data = cv2.imencode(".jpg", photo.astype(np.uint8), [cv2.IMWRITE_JPEG_QUALITY, 75])
    assert done
    image = cv2.imdecode(data, cv2.IMREAD_COLOR)
    assert image is not None
    return np.asarray(image, np.uint8), transformed(np.array(outer), np.asarray(view, np.float64))


@pytest.mark.parametrize(
    ("places", "turns", "light"), [([0, 1, 2, 3], [0, 0, 0, 0], 1.0), ([3, 1, 0, 2], [1, 2, 3, 0], 0.4)]
)
def test_the_printed_markers_are_found_wherever_and_however_they_lie(
    places: list[int], turns: list[int], light: float
) -> None:
    photo, outer = table_with_markers(places, turns, light)
    found = region_from_markers(photo)
    assert found.found_by is FoundBy.MARKERS
    assert np.abs(found.corners - in_order(outer)).max() < 3


def test_a_marker_that_is_hidden_is_named() -> None:
    photo, outer = table_with_markers([0, 1, 2, 3], [0, 0, 0, 0])
    x, y = outer[2].astype(int)
    photo[y - 90 : y, x - 90 : x + 10] = 80
    with pytest.raises(RegionError, match="Marker 3 is not seen"):
        region_from_markers(photo)
    with pytest.raises(RegionError, match="None of the four"):
        region_from_markers(still("16_clutter"))


def on_a_table(surface: tuple[int, int, int], floor: tuple[int, int, int]) -> tuple[Image, NDArray[np.float64]]:
    """A table on a floor, with three tiles on it; the tiles' quads."""
    picture = np.full((480, 640, 3), floor, np.uint8)
    cv2.fillConvexPoly(picture, np.array(CORNERS, np.int32), surface)
    quads = np.array(
        [[[x, y], [x + 24, y], [x + 24, y + 32], [x, y + 32]] for x, y in ((250, 200), (276, 200), (400, 300))]
    )
    for quad in quads:
        cv2.fillConvexPoly(picture, quad.astype(np.int32), (220, 235, 240))
    noise = np.random.default_rng(2).normal(0, 3, picture.shape)
    return np.asarray(np.clip(picture + noise, 0, 255), np.uint8), quads.astype(np.float64)


@pytest.mark.parametrize("surface", [(60, 110, 60), (90, 130, 180), (200, 200, 200)])
def test_a_table_is_found_around_its_tiles(surface: tuple[int, int, int]) -> None:
    picture, quads = on_a_table(surface, (40, 40, 60))
    found = region_around(picture, quads)
    assert found.found_by is FoundBy.TILES
    truth = region().mask() > 0
    covered = found.mask() > 0
    assert (covered & truth).sum() > 0.99 * truth.sum()  # nothing of the table is lost
    assert covered.sum() < 1.25 * truth.sum()


def test_where_no_edge_is_seen_the_whole_picture_is_the_table() -> None:
    picture, quads = on_a_table((60, 110, 60), (60, 110, 60))
    assert region_around(picture, quads).found_by is FoundBy.WHOLE
    with pytest.raises(RegionError, match="No tiles"):
        region_around(picture, np.zeros((0, 4, 2)))


def test_four_sides_around_an_outline() -> None:
    cut = np.array([[0, 0], [90, 0], [100, 10], [100, 80], [0, 80]], np.float64)
    quad = enclosing_quad(cut)
    assert quad is not None
    assert (
        np.abs(np.sort(in_order(quad), axis=0) - np.sort([[0, 0], [100, 0], [100, 80], [0, 80]], axis=0)).max() < 1e-6
    )
    assert enclosing_quad(cut[:3]) is None


@pytest.mark.parametrize(("across", "down", "turn"), [(0, 0, 0), (4, -2, 0.0), (25, 10, 2.0), (60, -40, -8.0)])
def test_a_picture_is_laid_over_an_earlier_one(across: float, down: float, turn: float) -> None:
    image = still("06_club_evening", 640)
    after = shifted(image, across, down, turn)
    after = np.asarray(np.clip(after * 0.8 + np.random.default_rng(1).normal(0, 3, after.shape), 0, 255), np.uint8)
    found = register(landmarks(image), landmarks(after))
    assert found is not None
    move = cv2.getRotationMatrix2D((image.shape[1] / 2, image.shape[0] / 2), turn, 1.0)
    move[:, 2] += np.array([across, down])
    points = np.array([[x, y] for x in (100, 320, 540) for y in (80, 180, 280)], np.float64)
    assert np.abs(found.moved(points) - transformed(points, np.vstack([move, [0, 0, 1]]))).max() < 2


def test_pictures_of_different_places_are_not_laid_over_each_other() -> None:
    one, other = landmarks(still("01_legal_small", 640)), landmarks(still("16_clutter", 640))
    assert register(one, other) is None
    assert register(one, landmarks(np.full((480, 640, 3), 90, np.uint8))) is None


def tile(code: str, x: float, y: float, move: NDArray[np.float64] | None = None) -> SeenTile:
    corners = np.array([[x, y], [x + 30, y], [x + 30, y + 40], [x, y + 40]], np.float64)
    corners = corners if move is None else transformed(corners, move)
    quad: Quad = tuple((float(a), float(b)) for a, b in corners)  # type: ignore[assignment]
    return SeenTile(quad, Kind.FACE, (Reading(parse_tile(code), 0.99),), 0.99, doubtful=False)


LAID = [(f"{'RBKO'[row % 4]}{n + 1}", 80 + 33.0 * n, 60 + 60.0 * row) for row in range(5) for n in range(3 + row)]


def a_move() -> NDArray[np.float64]:
    angle = np.radians(4)
    return np.array([
        [np.cos(angle), -np.sin(angle), 30], [np.sin(angle), np.cos(angle), -12], [2e-5, 1e-5, 1],
    ])  # fmt: skip


def test_the_camera_is_found_again_by_the_tiles_that_did_not_move() -> None:
    before = [tile(*one) for one in LAID]
    stayed = [tile(*one, a_move()) for one in LAID[6:]]
    others = [tile(code, x + 300, y + 90, a_move()) for code, x, y in LAID[:6]] + [tile("J", 500, 300)]
    found = register_tiles(before, [*others, *stayed])
    assert found is not None
    assert found.support == len(stayed)
    points = np.array([[80, 60], [400, 60], [80, 340], [300, 300]], np.float64)
    assert np.abs(found.moved(points) - transformed(points, a_move())).max() < 2


def test_without_enough_tiles_that_agree_nobody_knows_how_the_camera_moved() -> None:
    before = [tile(*one) for one in LAID]
    assert register_tiles(before[:3], before[:3]) is None
    rng = np.random.default_rng(4)
    strewn = [tile(code, *rng.uniform(0, 600, 2)) for code, _, _ in LAID]
    assert register_tiles(before, strewn) is None
    half = [tile(code, x + (200 if k % 2 else 0), y) for k, (code, x, y) in enumerate(LAID)]
    assert register_tiles(before, half) is None  # which half stayed?
