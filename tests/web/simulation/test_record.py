"""A game that is written down can be read again: stills by turn, a film, and the truth beside them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import cv2
import pytest

from referee.ending import alike
from referee.notation import parse_table
from referee.preset_files import load_ruleset
from web.simulation.drive import simulated
from web.simulation.players import NOTHING_WRONG, Rates
from web.simulation.record import RecordError, as_json, played, write_film, write_stills
from web.simulation.table import SimulatedTable

SMALL = (320, 180)
OFTEN = Rates(wrong=0.7, taken=0.34, mended=0.3, pause=0.0)


def table(seed: int = 4) -> SimulatedTable:
    return simulated(load_ruleset("international"), 3, seed, OFTEN, 1000.0, SMALL)


def test_the_truth_of_each_turn_follows_from_the_one_before() -> None:
    before = ""
    for one in played(table(), 12):
        told = as_json(table(), one)
        assert told["before"] == before
        attempts = told["attempts"]
        assert isinstance(attempts, list)
        assert attempts[-1]["begins"] <= attempts[-1]["still_at"]
        lies = alike(parse_table(attempts[-1]["shown"]), parse_table(str(told["after"])))
        assert lies is (one.turn.put_back is None)
        before = str(told["after"])


def test_stills_show_each_turn_and_what_was_put_back(tmp_path: Path) -> None:
    turns = list(write_stills(table(), tmp_path, 8))
    assert any(one.turn.put_back is not None for one in turns)
    names = {path.name for path in tmp_path.glob("*.jpg")}
    for number, one in enumerate(turns, start=1):
        own = {name for name in names if name.startswith((f"turn{number}.", *(f"turn{number}{c}" for c in "abc")))}
        restored = number > 1 and turns[number - 2].put_back is not None
        assert len(own) == len(one.attempts) + restored
    lines = (tmp_path / "truth.jsonl").read_text().splitlines()
    assert [json.loads(line)["turn"] for line in lines] == [one.turn.number for one in turns]
    picture = cv2.imread(str(tmp_path / min(names)))
    assert picture is not None
    assert picture.shape == (180, 320, 3)


def test_orders_say_what_nobody_called_and_when_tidying_is_over(tmp_path: Path) -> None:
    rules = load_ruleset("jp")
    rates = replace(NOTHING_WRONG, broken_at_bell=0.3, missed_call=0.3)
    found = simulated(rules, 3, 5, rates, 1000.0, SMALL)
    turns = [one.turn for one in write_stills(found, tmp_path, 24)]
    orders = (tmp_path / "calls.txt").read_text().splitlines()
    missed = [turn for turn in turns if turn.uncalled is not None]
    assert missed
    told = [order for order in orders if order.startswith("played ")]
    for turn, order in zip(missed, told, strict=True):
        assert turn.uncalled is not None
        first, second = turn.uncalled.played
        assert order == f"played {turn.seat + 1}={first} {turn.uncalled.next_seat + 1}={second}"
    tidied = [turn for turn in turns if len(turn.attempts) == 2]
    assert tidied
    bell = f"wait {rules.time_s + 1}"
    assert sum(orders[k : k + 3] == [bell, "next", "end"] for k in range(len(orders))) >= len(tidied)


def test_a_film_lasts_as_long_as_its_game(tmp_path: Path) -> None:
    file = tmp_path / "game.avi"
    filmed = table()
    turns = list(write_film(filmed, file, fps=5.0, most_turns=2))
    film = cv2.VideoCapture(str(file))
    count = int(film.get(cv2.CAP_PROP_FRAME_COUNT))
    film.release()
    assert len(turns) == 2
    assert abs(count / 5.0 - (filmed.now + 0.8 - 1000.0)) < 0.5
    assert len((tmp_path / "game.truth.jsonl").read_text().splitlines()) == 2


def test_a_film_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match=r"cannot be written as a film"):
        next(write_film(table(), tmp_path / "missing" / "game.mp4"))
