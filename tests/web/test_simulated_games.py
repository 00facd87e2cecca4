"""Two short whole games before the real eyes: from the deal to the score sheet, and again from the evidence."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from pathlib import Path

import pytest

from referee.preset_files import load_ruleset
from referee.store import open_store
from referee.switches import PoolEmpty
from web.cli import run
from web.evidence.desk import evidence_of
from web.home import games_file
from web.live.notices import Notice, NoticeCode
from web.simulate_desk import START_S, region_of
from web.simulation.camera import VirtualClock
from web.simulation.drive import Driver, Joined, simulated
from web.simulation.figures import GameFigures
from web.simulation.players import Rates
from web.wiring import product_wiring

GAME = "a short one"


def played(preset: str, players: int, seed: int) -> tuple[GameFigures, list[Notice]]:
    """A whole round with most tiles dealt, so that it is over soon; its log and its evidence are kept at home."""
    rules = replace(load_ruleset(preset), deal_tiles=25, pool_empty=PoolEmpty.STOP)
    table = simulated(rules, players, seed, Rates(), START_S)
    wiring = product_wiring()
    eyes = wiring.load_eyes()
    store = open_store(f"sqlite:///{games_file()}")
    notices: list[Notice] = []
    try:
        with evidence_of(GAME, store) as sink:
            joined = Joined(wiring.watch(eyes, region_of(table), False), store, sink, eyes.models)
            clock = VirtualClock(START_S, stopwatch=time.process_time)
            figures = Driver(table, joined, clock, GAME, notices.append).play()
    finally:
        store.close()
    return figures, notices


@pytest.mark.parametrize(("preset", "players", "seed"), [("international", 2, 10), ("jp", 4, 3)])
def test_a_whole_game_is_ruled_as_it_is_true_and_ruled_so_again(
    preset: str, players: int, seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.setenv("TILEREF_HOME", str(tmp_path))
    figures, notices = played(preset, players, seed)
    assert figures.as_it_should_be, figures.troubles
    assert figures.players == players
    assert figures.turns >= 4
    assert figures.rulings >= figures.turns
    assert figures.scored is True
    (scored,) = (notice for notice in notices if notice.code is NoticeCode.SCORED)
    assert len(scored.numbers) == players
    assert sum(scored.numbers) in {0, load_ruleset(preset).win_bonus}, "what the winner gets on top nobody pays"
    capfd.readouterr()
    assert run(["verify", GAME], product_wiring()) == 0, capfd.readouterr()
    capfd.readouterr()
    assert run(["replay", GAME, "--json"], product_wiring()) == 0
    again = json.loads(capfd.readouterr().out)
    assert again["differ"] == 0
    assert len(again["turns"]) >= figures.turns
    assert all(turn["now"] is not None for turn in again["turns"])
