"""The ruling for people: verdict first, then sets, then what is odd."""

from __future__ import annotations

import os
import pty
import re
import select
import subprocess
import sys
from pathlib import Path

import pytest

from tests.web.conftest import Command, Photographer


def test_each_set_has_number_tiles_kind_value_and_reason(tileref: Command, photograph: Photographer) -> None:
    photo = photograph("a.png", "R5 R6 B7 R8 | K3 R3 O3 J | B4 | R6/R9 R7 R8")
    lines = tileref("check", photo).out.splitlines()
    assert lines[0] == f"{photo}: ILLEGAL - set 1, loose tile (rules: international)"
    assert re.fullmatch(r"\s+1 illegal\s+R5 R6 B7 R8\s+-\s+Mixed colours in a run: B7 should be red\.", lines[1])
    assert re.fullmatch(r"\s+2 legal\s+K3 R3 O3 J=B3\s+group\s+12", lines[2])
    assert re.fullmatch(r"\s+3 \w.*R6\? R7 R8.*R6 is doubtful: it may be R6 or R9\.", lines[3])
    assert lines[4].split() == ["loose", "B4"]
    assert lines[5].split(maxsplit=1) == ["doubtful", "R6 62% (set 3), or: R9 36%"]
    assert lines[6].split(maxsplit=1) == ["fault", "B4 lies alone, in no set."]


def test_further_reasons_stand_under_the_first(tileref: Command, photograph: Photographer) -> None:
    first, second = tileref("check", photograph("a.png", "R5/R6 B1/B7 K9 O2")).out.splitlines()[1:3]
    assert first.index("Neither") == len(second) - len(second.lstrip())


def test_several_photos_end_with_a_count(tileref: Command, photograph: Photographer, tmp_path: Path) -> None:
    photos = [photograph("a.png", "R5 R6 R7"), photograph("b.png", "R5 R6 B7"), tmp_path / "nowhere.png"]
    out = tileref("check", *photos).out
    assert out.splitlines()[-1] == "3 photos: 1 legal, 1 illegal, 0 cannot tell, 1 not read"
    assert "photos:" not in tileref("check", photos[0]).out


def test_no_colour_codes_where_nobody_sees_them(tileref: Command, photograph: Photographer) -> None:
    assert "\x1b" not in tileref("check", photograph("a.png", "R5 R6 B7")).out


SCRIPT = """
import sys
from pathlib import Path
from tests.web.fakes import FakeEyes, table
from web.cli import run
eyes = FakeEyes()
photos = [eyes.photo(Path(sys.argv[1]) / f"{i}.png", table("R5 R6 R7")) for i in range(3)]
sys.exit(run(["check", *map(str, photos)], eyes.wiring))
"""


def on_a_terminal(arguments: list[str], cwd: Path, environment: dict[str, str]) -> str:
    """What a command prints when standard output and error are a terminal."""
    leader, follower = pty.openpty()
    with subprocess.Popen(
        arguments, stdin=follower, stdout=follower, stderr=follower, cwd=cwd, env=environment
    ) as process:
        os.close(follower)
        seen = b""
        while select.select([leader], [], [], 120)[0]:
            try:
                part = os.read(leader, 65536)
            except OSError:  # the other end is closed
                break
            if not part:
                break
            seen += part
        assert process.wait(timeout=120) == 0
    os.close(leader)
    return seen.decode()


@pytest.mark.parametrize("no_colour", [False, True])
def test_a_terminal_gets_a_progress_bar_and_colours(tmp_path: Path, repository: Path, no_colour: bool) -> None:
    environment = {**os.environ, "TERM": "xterm"} | ({"NO_COLOR": "1"} if no_colour else {})
    if not no_colour:
        environment.pop("NO_COLOR", None)
    seen = on_a_terminal([sys.executable, "-c", SCRIPT, str(tmp_path)], repository, environment)
    assert "photos  [" in seen, "the bar"
    assert ("\x1b[32m" in seen) is not no_colour
    assert seen.count("LEGAL") == 3
    assert "3 photos: 3 legal" in seen
