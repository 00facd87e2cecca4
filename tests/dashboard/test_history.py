"""Games that were played: listed, stepped through, ruled again, exported; for the referee alone."""

from __future__ import annotations

import io
import os
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from flask import Flask

from referee.notation import parse_rack
from referee.preset_files import load_ruleset
from referee.tiles import parse_tile
from tests.dashboard.conftest import PIN, Referee
from tests.web.evidence.club import Club
from tests.web.fakes import FakeEyes
from tests.web.live_table import Bench
from web.dashboard.app import create_app
from web.dashboard.hall import Hall
from web.dashboard.history import OpenedGame, game_json
from web.dashboard.keys import Keys, keys_for
from web.evidence.archive import check_packed
from web.evidence.check import Grade, check
from web.evidence.keeper import EvidenceKeeper
from web.evidence.shelf import FolderShelf, ZipShelf, folder_name
from web.live import acts


@pytest.fixture(scope="module")
def keys() -> Keys:
    return keys_for(PIN)


@pytest.fixture
def club(tmp_path: Path) -> Iterator[Club]:
    club = Club(tmp_path, game="Friday, 4. 12. / table 1")
    club.evening()
    yield club
    club.store.close()


@pytest.fixture
def app(club: Club, keys: Keys) -> Iterator[Flask]:
    hall = Hall(club.home, f"sqlite:///{club.home / 'games.db'}", FakeEyes().wiring, load_ruleset())
    app = create_app(hall, keys)
    yield app
    app.extensions["disputes"].close()


@pytest.fixture
def book(app: Flask) -> Referee:
    return Referee(app)


def address(club: Club) -> str:
    return f"/history/{folder_name(club.game)}"


def told(book: Referee, club: Club) -> Any:
    answer = book.client.get(f"{address(club)}/game.json")
    assert answer.status_code == 200, answer.text
    return answer.json


def test_games_are_listed_whatever_their_names(book: Referee, club: Club) -> None:
    page = book.client.get("/history").text
    assert "Friday, 4. 12. / table 1" in page
    assert address(club) in page
    assert "Friday, 4. 12. / table 1" in book.client.get(address(club)).text


@pytest.fixture
def five_hours_east(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """This computer's clock is that of a place far from Greenwich."""
    with monkeypatch.context() as there:
        there.setenv("TZ", "XYZ-5")
        time.tzset()
        yield
    time.tzset()


@pytest.mark.usefixtures("five_hours_east")
def test_games_are_listed_by_the_clock_of_this_computer(book: Referee, club: Club) -> None:
    """As the page of a game shows its turns."""
    last = max((club.folder / "records").glob("*.json"))
    os.utime(last, (1e9, 1e9))  # in Greenwich 1:46:40
    assert "Sep 9, 2001, 6:46:40" in book.client.get("/history").text


def test_every_turn_is_told_with_its_pictures_and_its_ruling(book: Referee, club: Club) -> None:
    game = told(book, club)
    assert (game["state"], game["changed"], len(game["seal"])) == ("as_written", False, 64)
    turns = [one for one in game["records"] if one["occasion"] == "turn"]
    assert turns
    assert all(one["verdict"] in {"legal", "illegal", "cannot_tell"} and one["player"] for one in turns)
    kept = [picture for one in turns for picture in one["pictures"].values() if picture["kept"]]
    assert kept
    for picture in kept:
        answer = book.client.get(f"{address(club)}/pictures/{picture['sha256']}.jpg")
        assert (answer.status_code, answer.data[:2]) == (200, b"\xff\xd8")
        assert "immutable" in answer.headers["Cache-Control"]


def test_what_the_referee_ruled_stands_beside_what_the_camera_ruled(book: Referee, club: Club) -> None:
    decided = [one["decided"] for one in told(book, club)["records"] if one["decided"]]
    assert decided
    assert all(one["verdict"] in {"legal", "illegal"} for one in decided)


def test_turns_are_ruled_again_by_other_rules(book: Referee, club: Club) -> None:
    again = book.client.get(f"{address(club)}/again.json?rules=international").json
    assert again is not None
    assert again["turns"]
    assert [one["differs"] for one in again["turns"].values()] == [False] * len(again["turns"])
    numbers = {str(one["number"]) for one in told(book, club)["records"]}
    assert set(again["turns"]) <= numbers
    other = book.client.get(f"{address(club)}/again.json?rules=german").json
    assert other is not None
    assert other["rules"] == "german"
    for rules in ("", "nothing", "../x.toml"):
        assert book.client.get(f"{address(club)}/again.json", query_string={"rules": rules}).status_code == 400


def test_the_evidence_is_exported_as_it_was_written(book: Referee, club: Club, tmp_path: Path) -> None:
    answer = book.client.get(f"{address(club)}/evidence.zip")
    assert answer.mimetype == "application/zip"
    assert "attachment" in answer.headers["Content-Disposition"]
    target = tmp_path / "exported.zip"
    target.write_bytes(answer.data)
    answer.close()
    assert "log.jsonl" in zipfile.ZipFile(io.BytesIO(target.read_bytes())).namelist()
    shelf = ZipShelf(target)
    assert check_packed(shelf).grade is Grade.NOTE
    shelf.close()


def test_evidence_that_was_changed_is_said_to_be(book: Referee, club: Club) -> None:
    record = sorted((club.folder / "records").glob("*.json"))[1]
    record.write_text(record.read_text().replace('"legal"', '"illegal"').replace("Ann", "Ada"))
    game = told(book, club)
    assert game["changed"]
    assert game["found"]


def test_a_game_whose_evidence_is_gone_is_listed_and_told(book: Referee, club: Club) -> None:
    for path in sorted(club.folder.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    assert "Nothing was kept of its turns." in book.client.get("/history").text
    assert told(book, club)["records"] == []


@pytest.mark.parametrize(
    "path", ["", "/friday", "/friday/game.json", "/friday/again.json?rules=german", "/friday/evidence.zip",
             f"/friday/pictures/{'0' * 64}.jpg"],
)  # fmt: skip
def test_nobody_but_the_referee_sees_it(app: Flask, path: str) -> None:
    answer = app.test_client().get(f"/history{path}")
    assert answer.status_code in {303, 403}
    if answer.status_code == 303:
        assert answer.headers["Location"].startswith("/sign-in")


@pytest.mark.parametrize("slug", ["friday", "..", "%2e%2e", "a%2fb", "Ж", "x" * 300])
def test_there_is_nothing_at_other_addresses(book: Referee, slug: str) -> None:
    for path in ("", "/game.json", "/evidence.zip", f"/pictures/{'0' * 64}.jpg", "/pictures/..%2f..%2faccess.jpg"):
        assert book.client.get(f"/history/{slug}{path}").status_code == 404


def test_a_database_that_cannot_be_read_is_said(book: Referee, club: Club) -> None:
    club.store.close()
    (club.home / "games.db").write_bytes(b"no database" * 500)
    answer = book.client.get(f"{address(club)}/game.json", headers={"Accept": "application/json"})
    assert answer.status_code == 503
    assert answer.json is not None
    assert answer.json["error"].endswith(".")
    assert book.client.get("/history").status_code == 503


def test_a_human_word_is_told_with_what_the_camera_read(book: Referee, club: Club) -> None:
    words = [word for one in told(book, club)["records"] for word in one["said"]]
    assert all(parse_tile(word["said"]) for word in words if word["said"] not in {None, "?"})


def test_a_counted_round_is_told_with_its_racks(tmp_path: Path) -> None:
    bench = Bench(start=False)
    keeper = EvidenceKeeper(
        tmp_path / "evidence", "game", bench.store, lambda: 1.0e9, lambda told: pytest.fail(str(told))
    )
    bench.evidence = keeper  # type: ignore[assignment]  # what a real table has
    bench.begun()
    bench.do(acts.StartGame(("Ann", "Bob"), starter=0))
    bench.frame()
    bench.turn("R9 R10 R11 R12 R13 | B10 K10 O10 | K1 K2 K3 | O4 O5 O6")
    rack = "R1 R2 R3 R4 R5 R6 R7 R8 B1 B2 B3 B4 B5 J"
    bench.do(acts.ShowRack(1, tuple(map(parse_tile, rack.split()))))
    bench.do(acts.CountRound())
    log = bench.store.load("game")
    shelf = FolderShelf(tmp_path / "evidence" / folder_name("game"), "game")
    told = game_json(OpenedGame("game", shelf, log, check(shelf, log)))
    records = told["records"]
    assert isinstance(records, list)
    assert told["players"] == ["Ann", "Bob"]
    (scored,) = [one["scored"] for one in records if one["scored"]]
    assert (scored["points"], scored["winners"]) == ([81, -81], [0])
    assert [parse_rack(one) for one in scored["racks"]] == [(), parse_rack(rack)]
