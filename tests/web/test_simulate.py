"""``tileref simulate``: games refereed by the real eyes, told or written down."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from referee.preset_files import preset_names
from tests.web.conftest import Command, Done
from web.cli import run
from web.simulate_book import Book
from web.simulate_desk import played_by
from web.simulation.figures import GameFigures
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


def test_seeds_take_turns_with_presets_and_players() -> None:
    games = [played_by(seed) for seed in range(1, 3 * len(preset_names()) + 1)]
    assert [preset for preset, _ in games[: len(preset_names())]] == list(preset_names())
    assert len(set(games)) == len(games)
    assert {players for _, players in games} == {2, 3, 4}


@pytest.mark.parametrize("other", [["--turns", "3"], ["--dry"], ["--stills", "stills"], ["--video", "game.avi"]])
def test_only_whole_games_are_gathered(tileref: Command, tmp_path: Path, other: list[str]) -> None:
    done = tileref("simulate", "--output", tmp_path / "games.jsonl", *other)
    assert done.status == 2
    assert "--output gathers whole games" in done.err
    assert not (tmp_path / "games.jsonl").exists()


def test_games_that_were_played_are_not_played_again(tileref: Command, tmp_path: Path) -> None:
    book = Book(tmp_path / "games.jsonl")
    book.add(GameFigures(27, "classic-es", 3, turns=50))
    assert played_by(27) == ("classic-es", 3)
    written = book.path.read_bytes()
    done = tileref("simulate", "--seed", "27", "--output", book.path, "--json")
    assert (done.status, done.out, done.err) == (0, "", "")
    assert book.path.read_bytes() == written


@pytest.mark.parametrize("content", [None, "a diary\n"])
def test_results_that_cannot_be_gathered_are_refused_before_the_first_game(
    tileref: Command, tmp_path: Path, content: str | None
) -> None:
    file = tmp_path / "no" / "games.jsonl"
    if content is not None:
        file.parent.mkdir()
        file.write_text(content)
    done = tileref("simulate", "--output", file)
    assert done.status == 2
    assert "games.jsonl" in done.err
    assert done.err.count("\n") == 1


def test_the_first_turns_of_a_game_before_the_real_eyes(capfd: pytest.CaptureFixture[str]) -> None:
    """By the command itself; whole games are played in ``test_simulated_games``."""
    asked = "simulate --seed 31 --turns 3 --players 2 --json --cpu-time"
    status = run(asked.split(), product_wiring())
    done = Done(status, *capfd.readouterr())
    games = [json.loads(line) for line in done.out.splitlines()]
    assert [(game["turns"], game["rules"]) for game in games] == [(3, "jp")], done.err
    for game in games:
        assert game["troubles"] == []
        assert game["rulings"] >= 3
        assert game["wrong"] == game["false_legal"] == game["silent_misreadings"] == 0
        assert game["right_tile_questions"] == game["questions"]
    assert done.status == 0
