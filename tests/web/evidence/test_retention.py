"""Old pictures are let go as the setting says, and the chain still holds."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.web.evidence.club import EVENING, Club, files_of
from web.evidence.check import Checked, Code, Grade, check
from web.evidence.retention import DAY_S, Retention, RetentionError, let_go, retention_set
from web.evidence.shelf import FolderShelf

OPENING, SECOND = "R10 R11 R12", "R10 R11 R12 | B11 B12 B13"


@pytest.fixture
def club(club_after: Callable[..., Club]) -> Club:
    return club_after("evening")


def looked_through(club: Club) -> Checked:
    return check(FolderShelf(club.folder, club.game), club.store.load(club.game))


def pictures(club: Club) -> list[str]:
    return [file for file in files_of(club.folder) if file.startswith("pictures/")]


def days_later(club: Club, days: float) -> None:
    club.now = EVENING + days * DAY_S


def apply(club: Club, retention: Retention) -> int:
    return let_go(club.home / "evidence", retention, club.clock, club.said.append)


def test_without_a_setting_everything_stays(club: Club) -> None:
    days_later(club, 10_000)
    assert apply(club, retention_set(club.home)) == 0
    assert len(pictures(club)) == 5


def test_old_pictures_go_and_the_chain_says_so(club: Club) -> None:
    days_later(club, 31)
    assert apply(club, Retention(days=30, keep_disputed=False)) == 5
    checked = looked_through(club)
    assert [(one.code, one.count) for one in checked.found] == [(Code.REMOVED, 5)]
    assert checked.grade is Grade.NOTE
    assert pictures(club) == []
    club.keeper = club.new_keeper()
    club.turn(club.state.table, club.state.table)
    assert looked_through(club).grade is Grade.NOTE
    assert club.said == []


def test_those_of_a_disputed_turn_stay(club: Club) -> None:
    days_later(club, 31)
    assert apply(club, Retention(days=30)) == 3
    assert len(pictures(club)) == 2
    told = looked_through(club)
    assert [(one.code, one.count) for one in told.found] == [(Code.REMOVED, 3)]


def test_young_pictures_stay(club: Club) -> None:
    days_later(club, 29)
    assert apply(club, Retention(days=30)) == 0


def test_beyond_the_most_bytes_the_oldest_go(club: Club) -> None:
    sizes = {file: len(data) for file, data in files_of(club.folder).items() if file.startswith("pictures/")}
    other = Club(club.home, "Saturday", now=club.now + 5)
    other.begin()
    other.turn("", OPENING)
    most = sum(sizes.values())
    assert apply(club, Retention(most_bytes=most)) == 2
    assert len(pictures(club)) == 3
    assert len(pictures(other)) == 2
    assert apply(club, Retention(most_bytes=0, keep_disputed=False)) == 5
    assert pictures(club) == pictures(other) == []
    assert looked_through(club).grade is looked_through(other).grade is Grade.NOTE


def test_the_keeper_that_is_at_work_goes_on_behind_it(club: Club) -> None:
    days_later(club, 31)
    apply(club, Retention(days=30))
    club.turn(club.state.table, club.state.table)
    assert looked_through(club).grade is Grade.NOTE


def test_nothing_is_deleted_from_what_was_changed(club: Club) -> None:
    record = club.folder / "records" / "000002.json"
    record.write_bytes(record.read_bytes().replace(b"Bo", b"Al"))
    days_later(club, 1000)
    assert apply(club, Retention(days=1, keep_disputed=False)) == 0
    assert len(pictures(club)) == 5


def test_a_picture_that_somebody_else_deleted_is_still_missing(club: Club) -> None:
    (club.folder / pictures(club)[0]).unlink()
    days_later(club, 31)
    apply(club, Retention(days=30, keep_disputed=False))
    assert Code.PICTURE_MISSING in {one.code for one in looked_through(club).found}


def test_a_setting_is_read(tmp_path: Path) -> None:
    (tmp_path / "evidence.toml").write_text("days = 90\nmost_megabytes = 0.5\nkeep_disputed = false\n")
    assert retention_set(tmp_path) == Retention(90, 500_000, keep_disputed=False)


@pytest.mark.parametrize(
    "text", ["days = -1", "days = nan", "days = true", "days = 'x'", "keep_disputed = 1", "day = 3", "days", "\ufffe="]
)
def test_a_setting_that_cannot_be_used_is_one_sentence(tmp_path: Path, text: str) -> None:
    (tmp_path / "evidence.toml").write_text(text, encoding="utf-8")
    with pytest.raises(RetentionError, match=r"evidence\.toml"):
        retention_set(tmp_path)
