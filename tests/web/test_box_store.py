"""``tileref box`` and the folder of taught boxes."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from referee.tiles import parse_tile
from tests.web.conftest import Command, Photographer
from vision.taught.box import TaughtBox, strip_of
from vision.taught.box_file import from_bytes, to_bytes
from vision.taught.examples import Example
from web import box_store
from web.box_store import BoxStoreError


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder of boxes."""
    folder = tmp_path / "home"
    monkeypatch.setenv("TILEREF_HOME", str(folder))
    return folder


def a_box(name: str = "club-box") -> TaughtBox:
    """A box without a head, which no eyes were fitted to."""
    examples = tuple(
        Example(parse_tile(code), np.full((128, 96, 3), 200, np.uint8)) for code in ("R1", "R1", "B7", "J")
    )
    return TaughtBox(name, tuple(example.tile for example in examples), strip_of(examples))


def kept(name: str = "club-box") -> Path:
    return box_store.save(a_box(name), replacing=False)


@pytest.mark.parametrize(
    "name", ["", ".", "..", "a/b", "../x", "a\\b", "-x", "a b", "é", "x" * 65, "NUL", "a\n", "a.b"]
)
def test_names_that_no_box_may_have(home: Path, name: str) -> None:
    with pytest.raises(BoxStoreError, match="cannot be the name of a box"):
        box_store.path_of(name)
    assert not home.exists()


def test_a_box_is_kept_listed_shown_and_removed(home: Path, tileref: Command) -> None:
    assert tileref("box", "list").out == ""
    kept("two")
    path = kept("one")
    assert path == home / "boxes" / "one.tilebox"
    assert tileref("box", "list").out == "one\ntwo\n"
    shown = tileref("box", "show", "one")
    assert shown.status == 0
    assert "4 examples of 3 faces" in shown.out
    assert "not seen" in shown.out
    assert a_box("one").fingerprint in shown.out
    assert tileref("box", "remove", "one").status == 0
    assert tileref("box", "list").out == "two\n"


def test_a_box_travels_to_another_computer(
    home: Path, tileref: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept()
    file = tmp_path / "carried.tilebox"
    assert tileref("box", "export", "club-box", file).status == 0
    monkeypatch.setenv("TILEREF_HOME", str(tmp_path / "elsewhere"))
    assert tileref("box", "import", file).status == 0
    assert tileref("box", "import", file, "--name", "other").status == 0
    assert tileref("box", "list").out == "club-box\nother\n"
    assert box_store.load("other").tiles == a_box().tiles
    assert box_store.load("other").name == "other"
    assert home.exists()


def test_nothing_is_overwritten_unasked(home: Path, tileref: Command, tmp_path: Path) -> None:
    file = tmp_path / "a.tilebox"
    kept()
    assert tileref("box", "export", "club-box", file).status == 0
    again = tileref("box", "export", "club-box", file)
    assert (again.status, "--replace" in again.err) == (2, True)
    taken = tileref("box", "import", file)
    assert (taken.status, "--replace" in taken.err) == (2, True)
    assert tileref("box", "import", file, "--replace").status == 0
    assert tileref("box", "export", "club-box", file, "--replace").status == 0
    assert home.exists()


def truncated(data: bytes) -> bytes:
    return data[: len(data) // 2]


def emptied(data: bytes) -> bytes:
    return data[:0]


def foreign(data: bytes) -> bytes:
    return b"not a box" + data[:20]


def renamed(data: bytes) -> bytes:
    return data.replace(b"box.json", b"box.jsom")


@pytest.mark.parametrize("spoil", [truncated, emptied, foreign, renamed])
@pytest.mark.parametrize("way", ["check", "count", "inspect", "judge", "solve", "import", "show"])
def test_a_broken_file_is_one_sentence(
    home: Path, tileref: Command, photograph: Photographer, tmp_path: Path, spoil: Callable[[bytes], bytes], way: str
) -> None:
    photo = photograph("a.png", "R5 R6 R7")
    file = tmp_path / "broken.tilebox"
    file.write_bytes(spoil(to_bytes(a_box())))
    arguments = {
        "check": ("check", photo, "--box", file), "count": ("count", photo, "--box", file),
        "inspect": ("inspect", photo, "--box", file),
        "judge": ("judge", "--table", photo, "--box", file), "solve": ("solve", "--rack", photo, "--box", file),
        "import": ("box", "import", file), "show": ("box", "show", file),
    }  # fmt: skip
    done = tileref(*arguments[way])
    assert (done.status, done.out, len(done.err.splitlines())) == (2, "", 1)
    assert "cannot be used" in done.err
    assert not home.exists()


def test_a_box_that_is_not_there_is_one_sentence(home: Path, tileref: Command, photograph: Photographer) -> None:
    photo = photograph("a.png", "R5 R6 R7")
    done = tileref("check", photo, "--box", "nowhere")
    assert (done.status, done.out) == (2, "")
    assert done.err == "tileref: No box is called nowhere: tileref box list names those at hand.\n"
    done = tileref("check", photo, "--box", home / "x.tilebox")
    assert (done.status, "does not exist" in done.err) == (2, True)


def test_a_full_disk_leaves_the_old_box_whole(home: Path, tileref: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    path = kept()
    before = path.read_bytes()
    file = home / "carried.tilebox"
    file.write_bytes(to_bytes(a_box()))

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("web.files.os.fdopen", full)
    done = tileref("box", "import", file, "--replace")
    assert (done.status, "no space left" in done.err) == (2, True)
    assert path.read_bytes() == before
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]


def test_a_home_that_is_no_folder_is_one_sentence(
    tileref: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    file = tmp_path / "a.tilebox"
    file.write_bytes(to_bytes(a_box()))
    monkeypatch.setenv("TILEREF_HOME", str(tmp_path / "file"))
    for arguments in (("box", "list"), ("box", "import", file)):
        done = tileref(*arguments)
        assert (done.status, len(done.err.splitlines())) == (2, 1)


@pytest.mark.parametrize(
    ("platform", "variables", "expected"),
    [
        ("linux", {}, ".local/share/tileref"),
        ("linux", {"XDG_DATA_HOME": "relative"}, ".local/share/tileref"),
        ("darwin", {}, "Library/Application Support/tileref"),
        ("win32", {}, "AppData/Local/tileref"),
    ],
)
def test_where_boxes_live(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, platform: str, variables: dict[str, str], expected: str
) -> None:
    for name in ("TILEREF_HOME", "XDG_DATA_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("sys.platform", platform)
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    assert box_store.boxes_folder() == tmp_path / expected / "boxes"
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    assert box_store.boxes_folder() == tmp_path / "data" / "tileref" / "boxes"


def test_the_file_reads_back(home: Path) -> None:
    path = kept()
    assert from_bytes(path.read_bytes()).tiles == a_box().tiles
    assert home in path.parents
