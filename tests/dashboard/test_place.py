"""Where the table lies in a camera's picture: told or found at the set-up page, kept, and followed."""

from __future__ import annotations

from collections.abc import Iterator
from http import HTTPStatus
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from flask import Flask

from tests.dashboard.conftest import PATIENCE_S, HandTable, Referee
from tests.dashboard.phone_table import WIDTH, Phone, phone_at, phone_hall, sees, until
from tests.vision.filmed import Filmed, shifted, still
from tests.web.fakes import FakeEyes, table
from tests.web.live_table import Bench, HandWatch
from tests.web.test_play_region import with_markers
from vision.region import FoundBy, TableRegion
from web.dashboard.hall import Hall
from web.dashboard.light_meter import LightMeter
from web.dashboard.table_book import BookedTable
from web.dashboard.table_camera import TableCamera
from web.dashboard.tables import PHONE, open_table
from web.live.care import STAYS_S, CameraCare
from web.play_region import RegionDesk
from web.region_store import load_region

HEIGHT = 720
CORNERS = [[860, 680], [100, 40], [860, 40], [100, 680]]
ORDERED = [[100, 40], [860, 40], [860, 680], [100, 680]]
TOLD = {"corners": CORNERS, "width": WIDTH, "height": HEIGHT}


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[Hall]:
    hall = phone_hall(tmp_path)
    yield hall
    assert hall.close()


@pytest.fixture
def phone(hall: Hall) -> Iterator[Phone]:
    with phone_at(hall) as phone:
        until(lambda: hall.tables["one"].snapshot.frame is not None)
        yield phone


def place(referee: Referee, told: object, table: str = "one") -> Any:
    return referee.client.post(f"/api/v1/tables/{table}/region", json=told, headers=referee.headers)


def placed(referee: Referee) -> Any:
    return referee.client.get("/api/v1/tables/one/region").json


def kept(hall: Hall) -> Path:
    (file,) = (hall.home / "regions").glob("*.json")
    return file


@pytest.mark.usefixtures("phone")
def test_four_corners_in_any_order_are_the_table_at_once_and_kept(hall: Hall, referee: Referee) -> None:
    assert placed(referee)["corners"] is None
    assert referee.client.get("/api/v1/tables/one/region.jpg").status_code == HTTPStatus.NOT_FOUND
    answered = place(referee, TOLD)
    assert answered.status_code == HTTPStatus.OK
    assert answered.json == placed(referee)
    assert answered.json == {
        "width": WIDTH, "height": HEIGHT, "corners": ORDERED, "found_by": "clicks", "trouble": "",
    }  # fmt: skip
    camera = hall.tables["one"].camera
    assert camera is not None
    assert camera.region is not None
    assert camera.region.corners.tolist() == ORDERED
    assert load_region(kept(hall))[0].corners.tolist() == ORDERED
    flat = referee.client.get("/api/v1/tables/one/region.jpg").data
    image = cv2.imdecode(np.frombuffer(flat, np.uint8), cv2.IMREAD_COLOR)
    assert image is not None
    assert image.shape[:2] == camera.region.flat_size[::-1]
    assert place(referee, {"find": "whole"}).json["corners"] is None
    assert camera.region is None
    assert not list((hall.home / "regions").iterdir())


@pytest.mark.usefixtures("phone")
def test_corners_of_a_smaller_picture_fit(referee: Referee) -> None:
    half = {"corners": [[x / 2, y / 2] for x, y in CORNERS], "width": WIDTH // 2, "height": HEIGHT // 2}
    assert np.abs(np.array(place(referee, half).json["corners"]) - ORDERED).max() < 1


@pytest.mark.usefixtures("phone")
@pytest.mark.parametrize(
    ("told", "about"),
    [
        ("tiles", "four corners"),
        ({**TOLD, "corners": [*CORNERS[:3], [10**400, 1]]}, "four corners"),
        ([], "four corners"),
        ({}, "four corners"),
        ({"find": "nothing"}, "four corners"),
        ({"find": ["tiles"]}, "four corners"),
        ({"find": "/etc/passwd"}, "four corners"),
        ({"corners": CORNERS}, "four corners"),
        ({**TOLD, "corners": CORNERS[:3]}, "four corners"),
        ({**TOLD, "corners": [*CORNERS[:3], [1, "2"]]}, "four corners"),
        ({**TOLD, "corners": [*CORNERS[:3], [1, True]]}, "four corners"),
        ({**TOLD, "corners": [*CORNERS[:3], [1e300, 1]]}, "four corners"),
        ({**TOLD, "width": 0}, "four corners"),
        ({**TOLD, "width": 9.5}, "four corners"),
        ({**TOLD, "width": 960, "height": 300}, "far outside|does not fit"),
        ({**TOLD, "corners": [[1, 1], [12, 1], [12, 12], [1, 12]]}, "too small a part"),
    ],
)
def test_what_is_no_place_is_told_in_a_sentence(hall: Hall, referee: Referee, told: object, about: str) -> None:
    answered = place(referee, told)
    assert answered.status_code == HTTPStatus.BAD_REQUEST
    assert any(part in answered.json["error"] for part in about.split("|"))
    assert not (hall.home / "regions").exists()


def test_the_table_is_found_by_its_tiles_or_its_markers(hall: Hall, referee: Referee, phone: Phone) -> None:
    refused = place(referee, {"find": "markers"})
    assert (refused.status_code, refused.json["error"]) == (HTTPStatus.CONFLICT, "None of the four markers is seen.")
    assert place(referee, {"find": "tiles"}).json["found_by"] in {"tiles", "whole"}
    phone.film.image = cv2.resize(with_markers(), (WIDTH, HEIGHT)).astype(np.uint8)

    until(lambda: sees(hall, phone.film.image))
    found = place(referee, {"find": "markers"}).json
    assert found["found_by"] == "markers"
    assert np.abs(np.array(found["corners"]) - np.array([[60, 60], [900, 60], [900, 660], [60, 660]])).max() < 3


def test_only_the_referee_says_where_a_table_lies(app: Flask, phone: Phone) -> None:
    assert phone.film.image.size
    anybody = app.test_client()
    token = anybody.get("/api/v1/session").json
    assert token is not None
    sent = anybody.post("/api/v1/tables/one/region", json=TOLD, headers={"X-CSRF-Token": token["csrf"]})
    asked = [anybody.get(f"/api/v1/tables/one/{what}") for what in ("region", "region.jpg", "light")]
    assert {one.status_code for one in (sent, *asked)} == {HTTPStatus.FORBIDDEN}


def test_a_table_without_a_camera_or_a_picture_has_no_place(hall: Hall, referee: Referee) -> None:
    hand = HandTable()
    hall.open("hand", hand, "a test")
    assert hand.ready.wait(PATIENCE_S)
    assert "no camera" in place(referee, TOLD, "hand").json["error"]
    until(lambda: hall.tables["one"].camera is not None)
    refused = place(referee, TOLD)
    assert (refused.status_code, refused.json["error"]) == (
        HTTPStatus.CONFLICT, "The camera gives no picture yet: try again in a moment.",
    )  # fmt: skip


def test_the_next_start_knows_the_place_though_the_camera_was_moved(hall: Hall, referee: Referee, phone: Phone) -> None:
    place(referee, TOLD)
    phone.film.image = shifted(still("01_legal_small", WIDTH), 14, -9)
    until(lambda: sees(hall, phone.film.image))
    open_table(hall, BookedTable("one", PHONE, "", "second"))
    until(lambda: hall.tables["one"].snapshot.frame is not None and placed(referee)["corners"] is not None)
    assert np.abs(np.array(placed(referee)["corners"]) - ORDERED - (14, -9)).max() < 2
    assert placed(referee)["trouble"] == ""


def test_a_start_that_sees_another_place_says_so_until_it_is_set_again(
    hall: Hall, referee: Referee, phone: Phone
) -> None:
    place(referee, TOLD)
    phone.film.image = still("16_clutter", WIDTH)[:HEIGHT]
    until(lambda: sees(hall, phone.film.image))
    open_table(hall, BookedTable("one", PHONE, "", "second"))
    until(lambda: hall.tables["one"].snapshot.frame is not None)
    told = placed(referee)
    assert told["corners"] is None
    assert "sees another place" in told["trouble"]
    assert kept(hall).exists(), "it may be turned back"
    assert place(referee, TOLD).json["trouble"] == placed(referee)["trouble"] == ""


def camera_over(film: Filmed, home: Path) -> tuple[CameraCare, TableCamera]:
    eyes = FakeEyes([table("")] * 256)
    care = CameraCare(Bench().live, None, lambda _: HandWatch())
    places = RegionDesk(home, "0", lambda image: eyes.look(image).observation, lambda _: None)
    camera = TableCamera(places, care, LightMeter(lambda image: eyes.look(image).observation))
    frame = next(film.run(0.1))
    camera.note(frame)
    height, width = film.image.shape[:2]
    points = [(40.0, 40.0), (width - 40.0, 40.0), (width - 40.0, height - 40.0), (40.0, height - 40.0)]
    camera.place(TableRegion.from_points(points, width, height), frame)
    return care, camera


def test_the_place_that_was_followed_is_kept_at_the_end(tmp_path: Path) -> None:
    film = Filmed(still("01_legal_small", 640), 10)
    care, camera = camera_over(film, tmp_path)
    film.image = shifted(film.image, 12, -9)
    for frame in film.run(2.0):
        care.judge(frame, frame.taken_at)
    camera.leave()
    (file,) = (tmp_path / "regions").glob("*.json")
    region, known = load_region(file)
    assert np.abs(region.corners[0] - (52, 31)).max() < 1.5
    assert known is not None
    again = RegionDesk(tmp_path, "0", lambda _: table(""), lambda _: None).found_again(next(film.run(0.1)).image)
    assert again is not None
    assert (again.found_by, np.abs(again.corners - region.corners).max() < 1) == (FoundBy.CLICKS, True)


@pytest.mark.parametrize("height", [480, 300])
def test_a_place_is_given_up_where_the_camera_sees_another_place_or_shape(tmp_path: Path, height: int) -> None:
    film = Filmed(still("01_legal_small", 640), 10)
    care, camera = camera_over(film, tmp_path)
    for frame in film.run(0.5):
        care.judge(frame, frame.taken_at)
    film.image = still("15_lamp_light", 640)[:height]
    for frame in film.run(2.5 + STAYS_S):
        care.judge(frame, frame.taken_at)
    assert care.region is None
    assert "another place" in camera.trouble
    camera.leave()
    assert not list(tmp_path.rglob("*.json")), "what is not known is not kept"


def test_a_camera_that_only_gives_more_pixels_keeps_its_place(tmp_path: Path) -> None:
    film = Filmed(still("01_legal_small", 640), 10)
    care, camera = camera_over(film, tmp_path)
    film.image = still("01_legal_small", WIDTH)
    for frame in film.run(0.5 + STAYS_S):
        care.judge(frame, frame.taken_at)
    assert care.region is not None
    assert (care.region.width, camera.trouble) == (WIDTH, "")
