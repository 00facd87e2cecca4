"""``tileref rules show``, ``diff`` and ``check``."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

import pytest

from referee.preset_files import load_ruleset, preset_names
from referee.ruleset import SWITCHES
from tests.web.conftest import Command


@pytest.mark.parametrize("name", preset_names())
def test_a_shown_preset_is_a_preset_file(tileref: Command, tmp_path: Path, name: str) -> None:
    done = tileref("rules", "show", name)
    assert done.status == 0
    assert set(tomllib.loads(done.out)) == set(SWITCHES)
    copy = tmp_path / "copy.toml"
    copy.write_text(done.out, encoding="utf-8")
    assert load_ruleset(str(copy)).fingerprint == load_ruleset(name).fingerprint


def test_what_differs_stands_side_by_side(tileref: Command) -> None:
    done = tileref("rules", "diff", "international", "wrc")
    assert done.status == 0
    assert [line.split() for line in done.out.splitlines()] == [["international", "wrc"], ["time_s", "60", "40"]]
    assert "are the same rules" in tileref("rules", "diff", "jp", "jp").out


def test_a_file_in_order(tileref: Command, tmp_path: Path) -> None:
    mine = tmp_path / "club.toml"
    mine.write_text('base = "classic-es"\nfaces = "cards"\nboxes = 2\n', encoding="utf-8")
    done = tileref("rules", "check", mine)
    assert done.status == 0
    assert done.out.startswith("club is in order: fingerprint ")
    assert "212 tiles" in done.out
    assert tileref("rules", "show", mine).status == 0


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('base = "jp"\ntime_s = 3\n', "club.toml: time_s = 3 is not allowed: expected a whole number from 10 to 1800."),
        ('base = "jp"\ntimes = 60\n', "club.toml: times is not a rule: expected one of time_s"),
        ('base = "jp"\ntie_break = ["luck"]\n', 'club.toml: tie_break = ["luck"] is not allowed: expected a list'),
        ('base = "jp"\nplayers_least = 5\n', "club.toml: players_least = 5 is not allowed: expected at most"),
    ],
)
def test_a_file_that_is_not(tileref: Command, tmp_path: Path, text: str, said: str) -> None:
    mine = tmp_path / "club.toml"
    mine.write_text(text, encoding="utf-8")
    done = tileref("rules", "check", mine)
    assert (done.status, done.out) == (2, "")
    assert done.err.startswith(f"tileref: {said}")
    assert len(done.err.splitlines()) == 1


def test_only_files_are_checked(tileref: Command) -> None:
    done = tileref("rules", "check", "jp")
    assert done.status == 2
    assert "ends in .toml" in done.err
    assert tileref("rules", "show", "nowhere").status == 2
    assert "An empty name is no file" in tileref("rules", "check", "").err


@pytest.mark.skipif(sys.platform == "win32", reason="names that a Unix file system takes")
def test_control_characters_in_a_file_name_are_spelt_out(tileref: Command, tmp_path: Path) -> None:
    mine = tmp_path / "my\n\x1b[31mclub.toml"
    mine.write_text('base = "jp"\n', encoding="utf-8")
    for words in (["show", mine], ["diff", mine, "jp"], ["diff", "us-2009", mine], ["check", mine]):
        done = tileref("rules", *words)
        assert done.status == 0
        assert r"my\n\x1b[31mclub" in done.out, words
        assert "\x1b" not in done.out
