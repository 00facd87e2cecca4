"""The pages of disputed tables, asked as browsers and other programs ask them."""

from __future__ import annotations

import http.client
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pillow_heif
import pytest
from flask import Flask
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image as PilImage

from tests.disputes.conftest import PIN, Phone
from tests.web.fakes import FakeEyes, paint, table
from web.dashboard.disputing import LARGEST_PHOTO

Photo = Callable[[str], Path]
NAME = {"edit": "name", "tile": 1, "face": "R6"}


def test_from_a_photo_to_a_corrected_ruling(phone: Phone, photo: Photo) -> None:
    address = phone.sent(photo("R5 R6/R9 R7"))
    told = phone.told(address)
    assert (told["state"], told["may"], told["reading"]["verdict"]) == ("ready", True, "cannot_tell")
    corrected = phone.post(f"{address}/edits", {"after": 0, "edit": NAME}).json["reading"]
    assert (corrected["verdict"], corrected["camera"]["verdict"], corrected["told"]) == ("legal", "cannot_tell", [1])
    assert corrected["camera"]["alternatives"][1] == ["R9"]
    taken_back = phone.post(f"{address}/edits", {"after": 1, "edit": None}).json["reading"]
    assert taken_back == told["reading"]


def test_the_reasons_name_sets_and_the_rule_that_decides(phone: Phone, photo: Photo) -> None:
    reading = phone.told(phone.sent(photo("R5 R6 R7 | K1 K2")))["reading"]
    (reason,) = reading["said"]
    assert (reason["set"], reason["severity"], reason["rule"]) == (1, "fault", "min_set_length = 3")
    assert reason["sentence"] == "Too short: tiles 2, needed 3."


def test_whoever_has_the_link_sees_and_only_the_sender_corrects(app: Flask, phone: Phone, photo: Photo) -> None:
    address = phone.sent(photo("R5 R6/R9 R7"))
    other = Phone(app)
    assert other.told(address)["may"] is False
    assert "data-may=\"\"" in other.client.get(address).text
    for path, body in (("edits", {"after": 0, "edit": NAME}), ("rules", {"rules": "german"}), ("drop", {})):
        answer = other.post(f"{address}/{path}", body)
        assert answer.status_code == 403
        assert "copy of your own" in answer.json["error"]
    own = other.post(f"{address}/copy", {}).json["address"]
    assert own != address
    assert other.post(f"{own}/edits", {"after": 0, "edit": NAME}).json["reading"]["verdict"] == "legal"
    assert phone.told(address)["reading"]["verdict"] == "cannot_tell"
    assert phone.post(f"{address}/drop", {}).status_code == 303
    assert other.client.get(address).status_code == 404
    assert other.client.get(f"{own}/picture.jpg").status_code == 200


def test_other_rules_for_a_look_and_for_good(app: Flask, phone: Phone, photo: Photo) -> None:
    address = phone.sent(photo("R5 R6 R7"))
    other = Phone(app).client.get(f"{address}/case.json?rules=german").json
    assert other is not None
    assert other["reading"]["rules"] == "german"
    assert phone.told(address)["reading"]["rules"] == "international"
    assert phone.post(f"{address}/rules", {"rules": "sabra"}).json["reading"]["rules"] == "sabra"
    assert phone.told(address)["reading"]["rules"] == "sabra"
    for asked in ("nothing", "../../x.toml", "/etc/passwd.toml", 5):
        answer = phone.post(f"{address}/rules", {"rules": asked})
        assert (answer.status_code, answer.json["error"]) == (400, "There are no such rules here.")


def test_nothing_but_presets_is_ever_read_as_rules(phone: Phone, photo: Photo, tmp_path: Path) -> None:
    """A path would tell a stranger what lies on this computer."""
    own = tmp_path / "own.toml"
    own.write_text('base = "international"\n')
    address = phone.sent(photo("R5 R6 R7"))
    for ask in (
        lambda: phone.client.get(f"{address}/case.json", query_string={"rules": str(own)}),
        lambda: phone.post(f"{address}/rules", {"rules": str(own)}),
        lambda: phone.send(photo("R5 R6 R7").read_bytes(), rules=str(own)),
    ):
        assert ask().status_code == 400


@pytest.mark.parametrize(
    ("data", "name", "sentence"),
    [
        (b"It was legal.\n", "a.txt", "a.txt is damaged or no picture: JPEG, PNG, WebP, BMP, TIFF and HEIC are read."),
        (b"", "empty.jpg", "empty.jpg is empty."),
    ],
)  # fmt: skip
def test_what_is_no_photo_gets_one_sentence(phone: Phone, data: bytes, name: str, sentence: str) -> None:
    answer = phone.send(data, name)
    assert (answer.status_code, answer.json) == (400, {"error": sentence})


def test_a_request_without_a_photo_is_told_so(phone: Phone) -> None:
    for fields in ({}, {"rules": "international"}, {"photo": "no file"}, {"photo": (io.BytesIO(b""), "")}):
        answer = phone.client.post("/dispute", data=fields, headers=phone.headers)
        assert answer.status_code == 400
        assert answer.json == {"error": "Choose a photo first."}


def test_a_photo_of_more_bytes_than_allowed_is_refused_before_it_is_read(site: str, tmp_path: Path) -> None:
    address, port = site.removeprefix("http://").split(":")
    connection = http.client.HTTPConnection(address, int(port), timeout=30)
    connection.request("GET", "/api/v1/session")
    whoami = connection.getresponse()
    cookie, token = whoami.headers["Set-Cookie"], json.loads(whoami.read())["csrf"]
    connection.putrequest("POST", "/dispute")
    for name, value in (("Cookie", cookie.split(";")[0]), ("X-CSRF-Token", token), ("Accept", "application/json"),
                        ("Content-Type", "multipart/form-data; boundary=x"),
                        ("Content-Length", str(LARGEST_PHOTO + 1))):  # fmt: skip
        connection.putheader(name, value)
    connection.endheaders()
    answer = connection.getresponse()
    assert answer.status == 413
    assert json.loads(answer.read()) == {"error": "This is too large to be sent here."}
    connection.close()
    assert list((tmp_path / "disputes").glob("*")) == []


def test_a_photo_larger_than_other_requests_is_taken(phone: Phone, eyes: FakeEyes) -> None:
    seen = table("R5 R6 R7", width=2000, height=1500)
    eyes.known.append(seen)
    noisy = np.random.default_rng(1).integers(0, 255, (1500, 2000, 3), np.uint8)
    noisy[0, 0] = 0
    data = encoded(PilImage.fromarray(noisy), "PNG")
    assert len(data) > 5_000_000
    head = b'--x\r\nContent-Disposition: form-data; name="photo"; filename="a.png"\r\n\r\n'
    answer = phone.client.post(
        "/dispute", data=head + data + b"\r\n--x--\r\n", content_type="multipart/form-data; boundary=x",
        headers=phone.headers,
    )  # fmt: skip
    assert answer.status_code == 201


def test_what_another_site_sends_changes_nothing(phone: Phone, photo: Photo) -> None:
    address = phone.sent(photo("R5 R6 R7"))
    for headers in ({}, {"X-CSRF-Token": "wrong"}, {**phone.headers, "Origin": "https://evil.example"}):
        for path in ("", f"{address.removeprefix('/dispute')}/edits", f"{address.removeprefix('/dispute')}/drop"):
            assert phone.client.post(f"/dispute{path}", json={}, headers=headers).status_code == 403
    assert phone.told(address)["state"] == "ready"
    chosen = io.BytesIO(photo("R5 R6 R7").read_bytes()), "a.png"
    form = {"photo": [(io.BytesIO(b""), ""), chosen], "csrf": phone.headers["X-CSRF-Token"]}  # the camera took nothing
    plain = phone.client.post("/dispute", data=form)  # a browser without JavaScript
    assert plain.status_code == 303
    assert phone.client.get(plain.headers["Location"]).status_code == 200


def test_a_full_line_is_told_with_when_to_try_again(phone: Phone, photo: Photo) -> None:
    phone.disputes._line.close()
    answer = phone.send(photo("R5 R6 R7").read_bytes())
    assert answer.status_code == 503
    assert answer.headers["Retry-After"] == "30"
    assert "Too many photos" in answer.json["error"]


@pytest.mark.parametrize("path", ["", "/case.json", "/picture.jpg", "/ruling.jpg", "/code.svg"])
@pytest.mark.parametrize("key", ["A" * 24, "..", "%2e%2e%2f%2e%2e", "a", "Ж" * 22])
def test_there_is_nothing_at_a_wrong_key(phone: Phone, key: str, path: str) -> None:
    assert phone.client.get(f"/dispute/{key}{path}").status_code == 404


def test_pictures_and_codes(phone: Phone, photo: Photo) -> None:
    address = phone.sent(photo("R5 R6 R7"))
    for path in ("picture.jpg", "ruling.jpg"):
        answer = phone.client.get(f"{address}/{path}")
        assert answer.mimetype == "image/jpeg"
        assert PilImage.open(io.BytesIO(answer.data)).format == "JPEG"
    assert "immutable" in phone.client.get(f"{address}/picture.jpg").headers["Cache-Control"]
    assert phone.client.get(f"{address}/ruling.jpg").headers["Cache-Control"] == "no-store"
    for path in ("/dispute/code.svg", f"{address}/code.svg"):
        assert b"<svg" in phone.client.get(path).data


def test_the_word_that_allows_corrections_stands_in_no_page(phone: Phone, photo: Photo) -> None:
    address = phone.sent(photo("R5 R6 R7"))
    with phone.client.session_transaction() as session:
        word = dict(session["disputes"])[address.rpartition("/")[2]]
    assert word not in phone.client.get(address).text
    assert word not in phone.client.get(f"{address}/case.json").text


def test_who_signs_in_as_referee_may_still_correct_what_he_sent(phone: Phone, photo: Photo) -> None:
    address = phone.sent(photo("R5 R6 R7"))
    assert phone.client.post("/api/v1/session", json={"pin": PIN}).status_code == 200
    assert phone.told(address)["may"]
    whoami = phone.client.get("/api/v1/session").json
    assert whoami is not None
    phone.client.delete("/api/v1/session", headers={"X-CSRF-Token": whoami["csrf"]})
    assert not phone.told(address)["may"]


def test_a_browser_remembers_the_latest_of_its_disputes(phone: Phone, photo: Photo) -> None:
    addresses = [phone.sent(photo("R5 R6 R7")) for _ in range(14)]
    assert [phone.told(address)["may"] for address in addresses] == [False] * 2 + [True] * 12
    cookie = phone.client.get_cookie(phone.client.application.config["SESSION_COOKIE_NAME"])
    assert cookie is not None
    assert len(cookie.value) < 3500


PLAIN = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
ANYTHING = PLAIN | st.lists(PLAIN, max_size=4) | st.dictionaries(st.text(max_size=3), PLAIN, max_size=2)
FIELDS = ("edit", "tile", "face", "at", "beside", "after", "region")
WORDS = st.sampled_from(["name", "remove", "add", "move", "cut", "uncover", "clear", "table", "R6", "?", "J"])


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.dictionaries(st.sampled_from(FIELDS), WORDS | st.integers(-1, 5) | ANYTHING, max_size=6), ANYTHING)
def test_whatever_is_sent_as_a_correction_is_taken_or_refused_in_a_sentence(
    phone: Phone, photo: Photo, edit: dict[str, Any], after: object
) -> None:
    address = getattr(phone, "address", None) or phone.sent(photo("R5 R6/R9 R7 # | K1"))
    phone.address = address  # type: ignore[attr-defined]  # one photo for all of what is sent
    have = phone.told(address)["reading"]["edits"]
    for body in ({"after": have, "edit": edit}, {"after": after, "edit": edit}, [edit]):
        try:
            answer = phone.post(f"{address}/edits", body)
        except (ValueError, UnicodeEncodeError):
            continue  # what no JSON can hold
        assert answer.status_code in {200, 400, 409}, answer.text
        if answer.status_code != 200:
            assert answer.json["error"].endswith(".")
        have = phone.told(address)["reading"]["edits"]


# --- kinds of photos --------------------------------------------------------------------------------------------------


def encoded(picture: PilImage.Image, kind: str, **options: object) -> bytes:
    data = io.BytesIO()
    picture.save(data, format=kind, **options)
    return data.getvalue()


@pytest.mark.parametrize("orientation", range(1, 9))
def test_photos_held_any_way_round_are_shown_and_ruled_upright(
    phone: Phone, eyes: FakeEyes, orientation: int
) -> None:
    seen = table("R5 R6 R7", width=640, height=480)
    eyes.known = [seen] * 256
    upright = PilImage.fromarray(np.ascontiguousarray(paint(seen)[:, :, ::-1]))
    undo = {2: "FLIP_LEFT_RIGHT", 3: "ROTATE_180", 4: "FLIP_TOP_BOTTOM", 5: "TRANSPOSE", 6: "ROTATE_90",
            7: "TRANSVERSE", 8: "ROTATE_270"}  # fmt: skip
    stored = upright.transpose(PilImage.Transpose[undo[orientation]]) if orientation > 1 else upright
    exif = PilImage.Exif()
    exif[0x0112] = orientation
    answer = phone.send(encoded(stored, "JPEG", exif=exif, quality=95), "turned.jpg")
    assert phone.disputes._line.wait_until_empty(60)
    told = phone.told(answer.json["address"])
    assert (told["reading"]["width"], told["reading"]["height"]) == (640, 480)
    kept = PilImage.open(io.BytesIO(phone.client.get(f"{answer.json['address']}/picture.jpg").data))
    assert kept.size == (640, 480)
    assert np.abs(np.asarray(kept, int) - np.asarray(upright, int)).mean() < 3


def test_heic_photos_are_kept_as_what_every_browser_shows(phone: Phone, eyes: FakeEyes) -> None:
    seen = table("R5 R6 R7", width=640, height=480)
    eyes.known = [seen] * 256
    data = io.BytesIO()
    pillow_heif.from_pillow(PilImage.fromarray(np.ascontiguousarray(paint(seen)[:, :, ::-1]))).save(data)
    answer = phone.send(data.getvalue(), "IMG_0001.HEIC")
    assert phone.disputes._line.wait_until_empty(60)
    assert phone.told(answer.json["address"])["reading"]["verdict"] == "legal"
    assert phone.client.get(f"{answer.json['address']}/picture.jpg").data[:3] == b"\xff\xd8\xff"
