"""``tileref replay``, ``export`` and ``verify``."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from referee.ending import Ending, TurnEnd
from referee.game.commands import EndTurn
from referee.notation import parse_table
from tests.web.conftest import Command
from tests.web.evidence.club import EVENING, Club
from tests.web.fakes import FakeEyes
from web.evidence.check import Code, check
from web.evidence.desk import evidence_of
from web.evidence.shelf import FolderShelf


@pytest.fixture
def club(club_after: Callable[..., Club], monkeypatch: pytest.MonkeyPatch) -> Club:
    club = club_after("evening")
    monkeypatch.setenv("TILEREF_HOME", str(club.home))
    return club


def spoil(club: Club) -> None:
    record = club.folder / "records" / "000003.json"
    record.write_bytes(record.read_bytes().replace(b"R13", b"R12"))


def test_a_game_goes_from_the_table_to_an_appeal(club: Club, tileref: Command, tmp_path: Path) -> None:
    file = tmp_path / "appeal.zip"
    done = tileref("verify", "Friday")
    assert (done.status, done.err) == (0, "")
    assert done.out.startswith("AS IT WAS WRITTEN: Friday, 6 records\n")
    seal = done.out.split()[-1]
    assert tileref("export", "Friday", file).status == 0
    assert tileref("verify", file, "--seal", seal).status == 0
    assert tileref("verify", file, "--seal", "0" * 16).status == 1
    assert tileref("verify", "Friday", "--seal", seal[:8].upper()).status == 0
    done = tileref("replay", file, "--rules", "logiczna-pl", "--json")
    told = json.loads(done.out)
    assert (done.status, told["rules"], told["differ"], len(told["turns"])) == (0, "logiczna-pl", 0, 5)
    assert "table_play" in told["switches"]
    assert told["turns"][4]["decided"] == "legal"
    assert club.said == []


def test_replay_lists_what_is_ruled_otherwise(club: Club, tileref: Command, tmp_path: Path) -> None:
    (tmp_path / "strict.toml").write_text('base = "international"\nopen_points = 35\n')
    done = tileref("replay", "Friday", "--rules", tmp_path / "strict.toml")
    assert done.status == 1
    lines = done.out.splitlines()
    assert "  turn 1    Ann: LEGAL -> ILLEGAL" in lines
    assert "    costs    draws 0 -> draws 3" in lines
    assert lines[-1] == "5 turns, 1 ruled otherwise"
    done = tileref("replay", "Friday")
    assert (done.status, done.out.splitlines()[-1]) == (0, "5 turns, 0 ruled otherwise")
    assert club.said == []


def test_replay_reads_pictures_again(club: Club, tileref: Command, eyes: FakeEyes) -> None:
    assert eyes.known == []
    for picture in (club.folder / "pictures").iterdir():
        picture.unlink()
    done = tileref("replay", "Friday", "--read-again")
    assert done.status == 1
    assert "is missing, and nothing says that it was let go." in done.out
    assert done.out.splitlines()[-1] == "5 turns, 0 ruled otherwise, 5 cannot be ruled on again"
    assert tileref("replay", "Friday", "--box", "club").status == 2


def test_what_was_changed_shows_in_all_three(club: Club, tileref: Command, tmp_path: Path) -> None:
    spoil(club)
    file = tmp_path / "appeal.zip"
    done = tileref("verify", "Friday")
    assert done.status == 1
    assert done.out.startswith("CHANGED: Friday, 5 records\n")
    assert "records/000003.json was changed: its hash is another." in done.out
    assert tileref("export", "Friday", file).status == 1
    assert tileref("verify", file).status == 1
    done = tileref("replay", file)
    assert (done.status, "was changed" in done.out) == (1, True)
    told = json.loads(tileref("verify", "Friday", "--json").out)
    assert told["state"] == "changed"
    assert told["found"][0]["code"] == "record_changed"


def test_a_turn_without_evidence_is_not_complete(club: Club, tileref: Command) -> None:
    club.tell(EndTurn(club.state.seat, parse_table(club.state.table), Ending(TurnEnd.DREW)))
    done = tileref("verify", "Friday")
    assert done.status == 3
    assert done.out.startswith("NOT COMPLETE: Friday")
    assert "Event 10 of the log is a turn, and nothing was kept of it." in done.out


def test_evidence_without_its_log_is_looked_through_by_itself(club: Club, tileref: Command) -> None:
    club.store.close()
    (club.home / "games.db").unlink()
    done = tileref("verify", "Friday")
    assert (done.status, "The log of the game is not at hand" in done.out) == (0, True)
    assert not (club.home / "games.db").exists(), "looking makes no database"
    assert tileref("replay", "Friday").out.splitlines()[-1] == "5 turns, 0 ruled otherwise"


def test_another_store_may_hold_the_log(club: Club, tileref: Command, tmp_path: Path) -> None:
    (club.home / "games.db").rename(tmp_path / "other.db")
    assert tileref("verify", "Friday", "--store", f"sqlite:///{tmp_path / 'other.db'}").status == 0
    assert tileref("verify", "Friday", "--store", "nonsense").status == 2


@pytest.mark.usefixtures("club")
def test_bad_usage_is_one_sentence(tileref: Command, tmp_path: Path) -> None:
    taken = tmp_path / "taken.zip"
    taken.write_bytes(b"mine")
    for arguments, said in (
        (("verify", "Monday"), "Nothing was kept of a game called 'Monday'."),
        (("verify", "../home"), "Nothing was kept of a game called '../home'."),
        (("replay", tmp_path / "no.zip"), "does not exist"),
        (("verify", taken), "cannot be used"),
        (("export", "Friday", taken), "exists already"),
        (("export", "Friday", tmp_path / "no" / "a.zip"), "cannot be written: no such file or directory"),
    ):
        done = tileref(*arguments)
        assert (done.status, done.out, len(done.err.splitlines())) == (2, "", 1), arguments
        assert said in done.err
    assert tileref("export", "Friday", "a.txt").status == 2
    assert tileref("verify", "Friday", "--seal", "abc").status == 2
    assert taken.read_bytes() == b"mine"
    assert tileref("export", "Friday", taken, "--replace").status == 0
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_a_live_table_keeps_its_evidence_and_lets_old_pictures_go(club: Club) -> None:
    (club.home / "evidence.toml").write_text("days = 1\nkeep_disputed = false\n")
    with evidence_of("Friday", club.store, lambda: EVENING + 1e6, club.said.append) as sink:
        assert list((club.folder / "pictures").iterdir()) == []
        sink.keep(club.drawn())
    told = check(FolderShelf(club.folder, "Friday"), club.store.load("Friday"))
    assert [(one.code, one.count) for one in told.found] == [(Code.REMOVED, 5)]
    assert told.records[-1]["version"] == 10
    assert club.said == []


def test_a_setting_that_cannot_be_used_does_not_stop_a_game(club: Club) -> None:
    (club.home / "evidence.toml").write_text("days = -1\n")
    with evidence_of("Friday", club.store, club.clock, club.said.append) as sink:
        sink.keep(club.drawn())
    assert len(club.said) == 1
    assert club.said[0].endswith("expected a number that is not negative; nothing is let go.")
    assert len(list((club.folder / "records").iterdir())) == 7
