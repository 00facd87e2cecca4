"""A game packed for an appeal: the same bytes each time, everything in it, and every change shows."""

from __future__ import annotations

import zipfile
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.web.evidence.club import Club, files_of
from web.evidence.archive import check_packed, pack
from web.evidence.check import Checked, Code, Grade, check
from web.evidence.shelf import HEAD, LOG, README, RULINGS, FolderShelf, ShelfError, ZipShelf

FEW = settings(max_examples=60, deadline=None)


@pytest.fixture(scope="module")
def packed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    club = Club(tmp_path_factory.mktemp("home"), "Zażółć 🀄")
    club.evening()
    return packed_from(club, club.home / "appeal.zip")


def packed_from(club: Club, target: Path) -> Path:
    log = club.store.load(club.game)
    shelf = FolderShelf(club.folder, club.game)
    pack(shelf, check(shelf, log), log, target)
    return target


def looked_through(path: Path) -> Checked:
    shelf = ZipShelf(path)
    try:
        return check_packed(shelf)
    finally:
        shelf.close()


def grade_of(path: Path) -> Grade | None:
    """What is thought of a file; None where it cannot be used."""
    try:
        return looked_through(path).grade
    except ShelfError:
        return None


def spoilt(data: bytes) -> bytes:
    """The same with another byte in its middle."""
    middle = len(data) // 2
    return data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :]


def contents(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as file:
        return {name: file.read(name) for name in file.namelist()}


def written(path: Path, held: Mapping[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w") as file:
        for name, data in held.items():
            file.writestr(name, data)
    return path


def test_everything_goes_into_the_file_and_nothing_shows(packed: Path) -> None:
    checked = looked_through(packed)
    assert (checked.grade, checked.found, checked.game) == (Grade.NOTE, (), "Zażółć 🀄")
    held = contents(packed)
    assert {README, RULINGS, LOG, HEAD} < set(held)
    assert Counter(name.split("/")[0] for name in held)["records"] == 6
    assert "Mixed colours in a run: R3 should be black." in held[RULINGS].decode()
    assert "seen by all" in held[RULINGS].decode()
    assert "Zażółć 🀄" in held[RULINGS].decode()


def test_the_same_evidence_gives_the_same_bytes(tmp_path: Path) -> None:
    club = Club(tmp_path / "home")
    club.evening()
    one, other = packed_from(club, tmp_path / "1.zip"), packed_from(club, tmp_path / "2.zip")
    assert one.read_bytes() == other.read_bytes()
    assert {entry.date_time for entry in zipfile.ZipFile(one).infolist()} == {(1980, 1, 1, 0, 0, 0)}
    inside = {name: data for name, data in contents(one).items() if "/" in name or name == HEAD}
    assert inside == files_of(club.folder)
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


@FEW
@given(data=st.data())
def test_one_byte_that_is_another_never_passes_for_the_same_content(packed: Path, data: st.DataObject) -> None:
    whole = packed.read_bytes()
    at = data.draw(st.integers(0, len(whole) - 1))
    changed = bytearray(whole)
    changed[at] ^= data.draw(st.integers(1, 255))
    target = packed.with_name("changed.zip")
    target.write_bytes(bytes(changed))
    if grade_of(target) not in {Grade.CHANGED, None}:
        assert contents(target) == contents(packed), "a byte of the packing, not of what is packed"


@FEW
@given(data=st.data())
def test_each_file_that_is_changed_missing_or_put_in_shows(packed: Path, data: st.DataObject) -> None:
    held = contents(packed)
    file = data.draw(st.sampled_from(sorted(held)))
    how = data.draw(st.sampled_from(["changed", "missing", "twice"]))
    others = {name: content for name, content in held.items() if name != file}
    target = packed.with_name("other.zip")
    if how == "missing":
        written(target, others)
    elif how == "changed":
        written(target, {**others, file: spoilt(held[file])})
    else:
        written(target, held)
        with zipfile.ZipFile(target, "a") as twice, pytest.warns(UserWarning, match="Duplicate"):
            twice.writestr(file, held[file])
    found = looked_through(target)
    if (file, how) == (LOG, "missing"):
        assert {one.code for one in found.found} == {Code.LOG_ABSENT}
    else:
        assert found.grade is Grade.CHANGED


@pytest.mark.parametrize(
    "name", ["../../evil.sh", "/etc/passwd", "pictures/../../x.jpg", "C:\\x.exe", "records/1.json"]
)
def test_what_was_put_in_is_named_and_never_unpacked(packed: Path, tmp_path: Path, name: str) -> None:
    target = written(tmp_path / "evil.zip", {**contents(packed), name: b"evil"})
    assert [one.code for one in looked_through(target).found] == [Code.FILE_ADDED]
    assert [path.name for path in tmp_path.iterdir()] == ["evil.zip"]


def test_a_bomb_is_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as bomb:
        bomb.writestr("records/000001.json", b"0" * 17_000_000)
    with pytest.raises(ShelfError, match="larger than any evidence"):
        looked_through(tmp_path / "bomb.zip")


def test_words_of_another_version_are_not_compared(packed: Path, tmp_path: Path) -> None:
    held = contents(packed)
    older = held[RULINGS].replace(b"as tileref ", b"as tileref 9.", 1)
    found = looked_through(written(tmp_path / "older.zip", {**held, RULINGS: older}))
    assert [(one.code, one.grade) for one in found.found] == [(Code.WORDS_OF_OTHERS, Grade.NOTE)]


@pytest.mark.parametrize("data", [b"", b"PK", b"PK\x05\x06" + bytes(18), b"\xff" * 1000])
def test_what_is_no_zip_file_is_one_sentence(tmp_path: Path, data: bytes) -> None:
    file = tmp_path / "a.zip"
    file.write_bytes(data)
    assert grade_of(file) in {Grade.CHANGED, None}
