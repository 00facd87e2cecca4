"""Disputed tables by the JSON interface: what other programs send and get."""

from __future__ import annotations

import http.client
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from PIL import Image as PilImage

from tests.disputes.conftest import PATIENCE_S, Phone
from web.dashboard.disputing import LARGEST_PHOTO

Photo = Callable[[str], Path]
BASE = "/api/v1/disputes"
NAME = {"edit": "name", "tile": 1, "face": "R6"}


class Program(Phone):
    """Another program: it asks who it is, and sends the token with all that it sends."""

    def open(self, data: bytes, query: str = "") -> Any:
        return self.client.post(f"{BASE}{query}", data=data, headers=self.headers)

    def opened(self, path: Path) -> str:
        """Send a photo and wait until it was looked at; the address of the dispute."""
        answer = self.open(path.read_bytes(), f"?name={path.name}")
        assert answer.status_code == 201, answer.text
        assert self.disputes._line.wait_until_empty(PATIENCE_S)
        return f"{BASE}/{answer.json['key']}"

    def get(self, address: str) -> Any:
        return self.client.get(address, headers={"Accept": "application/json"})


@pytest.fixture
def program(app: Flask) -> Program:
    return Program(app)


def test_a_photo_in_its_ruling_out_and_corrections(program: Program, photo: Photo) -> None:
    address = program.opened(photo("R5 R6/R9 R7"))
    told = program.get(address).json
    assert (told["state"], told["may"], told["reading"]["verdict"]) == ("ready", True, "cannot_tell")
    corrected = program.post(f"{address}/edits", {"after": 0, "edit": NAME}).json
    assert (corrected["reading"]["verdict"], corrected["reading"]["camera"]["verdict"]) == ("legal", "cannot_tell")
    assert program.post(f"{address}/edits", {"after": 0, "edit": NAME}).status_code == 409
    assert program.post(f"{address}/rules", {"rules": "german"}).json["reading"]["rules"] == "german"
    assert program.get(f"{address}?rules=sabra").json["reading"]["rules"] == "sabra"
    for picture in ("picture.jpg", "ruling.jpg"):
        assert PilImage.open(io.BytesIO(program.get(f"{address}/{picture}").data)).format == "JPEG"
    assert program.client.delete(address, headers=program.headers).status_code == 204
    assert program.get(address).status_code == 404


def test_rules_are_named_with_the_photo(program: Program, photo: Photo) -> None:
    answer = program.open(photo("R5 R6 R7").read_bytes(), "?rules=german")
    assert program.disputes._line.wait_until_empty(PATIENCE_S)
    assert program.get(f"{BASE}/{answer.json['key']}").json["reading"]["rules"] == "german"
    assert program.open(b"x", "?rules=/etc/passwd.toml").json == {"error": "There are no such rules here."}


def test_others_look_and_correct_a_copy_of_their_own(app: Flask, program: Program, photo: Photo) -> None:
    address, other = program.opened(photo("R5 R6/R9 R7")), Program(app)
    assert other.get(address).json["may"] is False
    assert other.post(f"{address}/edits", {"after": 0, "edit": NAME}).status_code == 403
    assert other.post(f"{address}/rules", {"rules": "german"}).status_code == 403
    assert other.client.delete(address, headers=other.headers).status_code == 403
    own = other.post(f"{address}/copy", {})
    assert (own.status_code, own.json["may"]) == (201, True)
    assert other.post(f"{BASE}/{own.json['key']}/edits", {"after": 0, "edit": NAME}).status_code == 200
    assert program.get(address).json["reading"]["verdict"] == "cannot_tell"


def test_a_program_and_a_page_speak_of_the_same_dispute(program: Program, photo: Photo) -> None:
    address = program.sent(photo("R5 R6/R9 R7"))
    key = address.rpartition("/")[2]
    assert program.get(f"{BASE}/{key}").json == program.told(address)


@pytest.mark.parametrize(
    ("data", "query", "sentence"),
    [
        (b"It was legal.\n", "?name=a.txt", "a.txt is damaged or no picture: JPEG, PNG, WebP, BMP, TIFF and HEIC are"),
        (b"", "", "photo is empty."),
    ],
)
def test_what_is_no_photo_gets_one_sentence(
    program: Program, data: bytes, query: str, sentence: str, tmp_path: Path
) -> None:
    answer = program.open(data, query)
    assert answer.status_code == 400
    assert answer.json["error"].startswith(sentence)
    assert not list((tmp_path / "disputes").glob("*"))


def test_a_full_line_is_told_with_when_to_try_again(program: Program, photo: Photo) -> None:
    program.disputes._line.close()
    answer = program.open(photo("R5 R6 R7").read_bytes())
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "30")


@pytest.mark.parametrize("path", ["", "/picture.jpg", "/ruling.jpg"])
@pytest.mark.parametrize("key", ["A" * 24, "..", "%2e%2e%2f%2e%2e", "a"])
def test_there_is_nothing_at_a_wrong_key(program: Program, key: str, path: str) -> None:
    assert program.get(f"{BASE}/{key}{path}").status_code == 404


def test_what_another_site_sends_is_refused(program: Program, photo: Photo) -> None:
    data = photo("R5 R6 R7").read_bytes()
    for headers in ({}, {"X-CSRF-Token": "wrong"}, {**program.headers, "Origin": "https://evil.example"}):
        assert program.client.post(BASE, data=data, headers=headers).status_code == 403


def test_a_photo_of_more_bytes_than_allowed_is_refused_before_it_is_read(site: str, tmp_path: Path) -> None:
    connection = http.client.HTTPConnection(site.removeprefix("http://"), timeout=PATIENCE_S)
    connection.request("GET", "/api/v1/session")
    whoami = connection.getresponse()
    cookie, token = whoami.headers["Set-Cookie"], json.loads(whoami.read())["csrf"]
    connection.putrequest("POST", BASE)
    for name, value in (("Cookie", cookie.split(";")[0]), ("X-CSRF-Token", token),
                        ("Content-Type", "application/octet-stream"),
                        ("Content-Length", str(LARGEST_PHOTO + 1))):  # fmt: skip
        connection.putheader(name, value)
    connection.endheaders()
    answer = connection.getresponse()
    assert answer.status == 413
    connection.close()
    assert list((tmp_path / "disputes").glob("*")) == []


def test_a_photo_without_a_name_is_told_of_in_one_language(phone: Phone) -> None:
    headers = {**phone.headers, "Accept-Language": "pl"}
    answer = phone.client.post("/api/v1/disputes", data=b"no picture", headers=headers)
    assert answer.status_code == 400
    assert answer.json is not None
    assert answer.json["error"].startswith("photo jest uszkodzony albo nie jest obrazem")
