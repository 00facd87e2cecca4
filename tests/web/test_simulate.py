"""``tileref simulate``: games refereed by the real eyes, told or written down."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.web.conftest import Command, Done
from web.cli import run
from web.wiring import product_wiring


def test_the_truth_is_told_without_looking(tileref: Command) -> None:
    done = tileref("simulate", "--dry", "--json", "--seed", "3", "--turns", "5", "--rules", "jp", "--players", "2")
    assert done.status == 0
    turns = [json.loads(line) for line in done.out.splitlines()]
    assert [turn["turn"] for turn in turns] == [1, 2, 3, 4, 5]
    assert {"seat", "before", "after", "attempts", "incident", "drew"} <= set(turns[0])
    again = tileref("simulate", "--dry", "--json", "--seed", "3", "--turns", "5", "--rules", "jp", "--players", "2")
    assert again.out == done.out


@pytest.mark.parametrize("preset", ["no_such_preset", "missing.toml"])
def test_rules_that_are_not_there(tileref: Command, preset: str) -> None:
    done = tileref("simulate", "--dry", "--rules", preset)
    assert done.status == 2
    assert preset.split(".", maxsplit=1)[0] in done.err
    assert "Traceback" not in done.err


def test_one_thing_at_a_time(tileref: Command, tmp_path: Path) -> None:
    done = tileref("simulate", "--dry", "--stills", str(tmp_path))
    assert done.status == 2
    assert "exclude each other" in done.err


def test_a_film_in_a_folder_that_is_not_there(tileref: Command, tmp_path: Path) -> None:
    done = tileref("simulate", "--video", str(tmp_path / "no" / "game.mp4"), "--turns", "1")
    assert done.status == 2
    assert "game.mp4 cannot be written" in done.err


def test_two_short_games_before_the_real_eyes(capfd: pytest.CaptureFixture[str]) -> None:
    """The whole pipeline, from rendered frame to ruling: nothing is ruled wrongly, nothing is misread unnoticed."""
    asked = "simulate --games 2 --seed 31 --turns 3 --players 2 --json --cpu-time"
    status = run(asked.split(), product_wiring())
    done = Done(status, *capfd.readouterr())
    games = [json.loads(line) for line in done.out.splitlines()]
    assert [game["turns"] for game in games] == [3, 3], done.err
    for game in games:
        assert game["troubles"] == []
        assert game["rulings"] >= 3
        assert game["wrong"] == game["false_legal"] == game["silent_misreadings"] == 0
        assert game["right_tile_questions"] == game["questions"]
    assert done.status == 0
