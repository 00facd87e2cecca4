"""Where the table lies in a camera's picture: told, found, kept, and moved along."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from referee.observation import Observation
from tests.vision.filmed import shifted, still
from tests.vision.net_camera import NetCamera, jpeg
from tests.web.fakes import FakeEyes, paint, table
from tests.web.live_table import HandWatch
from vision.markers import marker
from vision.region import FoundBy, RegionError, TableRegion
from vision.registration import Landmarks
from web.cli import run
from web.play_region import RegionDesk, corners_told
from web.wiring import Wiring

Image = NDArray[np.uint8]
WIDTH = 640
CLICKS = "600,440 40,40 600,40 40,440"
CORNERS = [[40, 40], [600, 40], [600, 440], [40, 440]]
LYING = "R9 R10 R11 | K1 B1 O1"


def seen(_: Image) -> Observation:
    return table(LYING)


def desk(home: Path, source: str = "0") -> RegionDesk:
    return RegionDesk(home, source, seen)


def found(region: TableRegion | None) -> TableRegion:
    assert region is not None
    return region


def with_markers(shift: tuple[int, int] = (0, 0)) -> Image:
    """A grey table with a marker at each corner of ``CORNERS``."""
    image = np.full((480, WIDTH, 3), 120, np.uint8)
    for k, (x, y) in enumerate([(40, 40), (531, 40), (531, 371), (40, 371)]):
        left, top = x + shift[0], y + shift[1]
        image[top - 10 : top + 80, left - 10 : left + 80] = 255
        image[top : top + 70, left : left + 70] = marker(k, 70)[..., None]
    return image


@pytest.mark.parametrize(
    ("text", "points"),
    [
        ("1,2 3.5,4 5,6 7,8", [(1, 2), (3.5, 4), (5, 6), (7, 8)]),
        (" 1 , 2   -3,4 ", [(1, 2), (-3, 4)]),
        ("1,2,3,4", None),
        ("1,2 table.json", None),
        ("markers", None),
        ("", None),
    ],
)
def test_corners_as_they_are_told(text: str, points: list[tuple[float, float]] | None) -> None:
    assert corners_told(text) == points


def test_four_clicks_in_any_order_are_kept_and_shown_from_above(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    image = still("01_legal_small", WIDTH)
    region = found(desk(tmp_path).region(CLICKS, image))
    assert region.corners.tolist() == CORNERS
    (picture,) = (tmp_path / "regions").glob("*.jpg")
    flat = cv2.imread(str(picture))
    assert flat is not None
    assert flat.shape[:2] == region.flat_size[::-1]
    assert str(picture) in capsys.readouterr().err
    again = found(desk(tmp_path).region(None, image))
    assert np.abs(again.corners - region.corners).max() < 1
    assert desk(tmp_path, "1").region(None, image) is None  # another camera
    assert desk(tmp_path).region("whole", image) is None
    assert desk(tmp_path).region(None, image) is None
    assert not list((tmp_path / "regions").iterdir())


def test_a_camera_that_was_moved_since_still_knows_its_table(tmp_path: Path) -> None:
    image = still("01_legal_small", WIDTH)
    desk(tmp_path).region(CLICKS, image)
    again = found(desk(tmp_path).region(None, shifted(image, 12, -7)))
    assert np.abs(again.corners - np.array(CORNERS) - (12, -7)).max() < 1.5


def test_a_camera_that_sees_another_place_says_so_and_looks_at_all_of_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    desk(tmp_path).region(CLICKS, still("01_legal_small", WIDTH))
    assert desk(tmp_path).region(None, still("16_clutter", WIDTH)) is None
    assert "sees another place" in capsys.readouterr().err


@pytest.mark.parametrize("asked", ["markers", None])
def test_four_markers_are_the_table_also_where_nobody_asks(asked: str | None, tmp_path: Path) -> None:
    region = found(desk(tmp_path).region(asked, with_markers()))
    assert region.found_by is FoundBy.MARKERS
    assert np.abs(region.corners - np.array(CORNERS)).max() < 2
    moved = found(desk(tmp_path).region(None, with_markers((20, 12))))  # rather than as it was kept
    assert np.abs(moved.corners - np.array(CORNERS) - (20, 12)).max() < 2


def test_the_table_under_the_tiles(tmp_path: Path) -> None:
    picture = paint(table(LYING))
    region = desk(tmp_path).region("tiles", picture)
    every = np.array([tile.quad for tile in table(LYING).tiles]).reshape(-1, 2)
    assert found(region).contains(every).all()
    with pytest.raises(RegionError, match="No tiles are seen"):
        RegionDesk(tmp_path, "0", lambda _: table("")).region("tiles", picture)


def test_a_region_of_a_file_fits_the_picture_at_another_size_or_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "table.json"
    file.write_text(TableRegion.from_points([(20, 20), (300, 20), (300, 220), (20, 220)], 320, 240).to_json())
    region = found(desk(tmp_path).region(str(file), np.full((480, 640, 3), 90, np.uint8)))
    assert (region.width, region.height) == (640, 480)
    with pytest.raises(RegionError, match="does not fit one of 640 × 360"):
        desk(tmp_path).region(str(file), np.full((360, 640, 3), 90, np.uint8))


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ("10,10 20,10 20,20", "four corners, not 3"),
        ("10,10 12,10 12,12 10,12", "too small a part"),
        ("9999,0 9999,1 0,0 1,1", "far outside the picture"),
        ("nonsense", "nonsense cannot be read"),
        ("markers", "None of the four markers"),
    ],
)
def test_what_is_no_region_is_refused_with_a_sentence(asked: str, sentence: str, tmp_path: Path) -> None:
    with pytest.raises(RegionError, match=sentence):
        desk(tmp_path).region(asked, np.full((480, 640, 3), 90, np.uint8))
    assert not (tmp_path / "regions").exists()


def test_a_home_that_cannot_be_written_stops_no_game(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "regions").write_text("a file, not a folder")
    assert desk(tmp_path).region(CLICKS, still("01_legal_small", WIDTH)) is not None
    assert "cannot be written" in capsys.readouterr().err


@pytest.mark.parametrize("anyway", [False, True])
def test_a_camera_in_the_dark_begins_no_game_but_by_the_referees_choice(
    anyway: bool, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TILEREF_HOME", str(tmp_path / "home"))
    (tmp_path / "orders.txt").write_text("quit\n")
    wiring = Wiring(load_eyes=lambda: FakeEyes([table("")] * 256), watch=lambda *_: HandWatch())
    with NetCamera() as phone:
        phone.shot = jpeg(np.full((480, 640, 3), 3, np.uint8))
        told = ["play", "--camera", phone.address("/shot.jpg"), "--players", "2", "--no-evidence", "--game", "dark"]
        orders = ["--calls", str(tmp_path / "orders.txt")]
        status = run([*told, *orders, *(["--anyway"] if anyway else [])], wiring)
    done = capfd.readouterr()
    assert status == (0 if anyway else 1)
    assert ("Player 1 starts." in done.out) is anyway
    assert ("not good enough to rule on" in done.err) is not anyway


def test_where_the_camera_knows_the_table_at_the_end_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TILEREF_HOME", str(tmp_path / "home"))
    kept: list[tuple[TableRegion | None, Landmarks | None]] = []
    monkeypatch.setattr(RegionDesk, "follow", lambda _desk, region, known: kept.append((region, known)))
    (tmp_path / "orders.txt").write_text("quit\n")
    wiring = Wiring(load_eyes=lambda: FakeEyes([table("")] * 256), watch=lambda *_: HandWatch())
    with NetCamera() as phone:
        phone.shot = jpeg(still("01_legal_small", WIDTH))
        told = ["play", "--camera", phone.address("/shot.jpg"), "--players", "2", "--no-evidence", "--anyway"]
        assert run([*told, "--region", CLICKS, "--calls", str(tmp_path / "orders.txt")], wiring) == 0
    ((region, known),) = kept
    assert found(region).corners.tolist() == CORNERS
    assert known is not None
