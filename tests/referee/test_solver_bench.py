"""The verified instances of the bench, every one (see the README beside them)."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest

from referee.preset_files import load_ruleset
from referee.sets import judge_set
from referee.solver.plays import Aim, arrange, best_opening, best_play
from referee.tiles import Tile, parse_tile
from tests.bench.instances import FILE

RULES = load_ruleset()


def instances(kind: str) -> list[dict[str, Any]]:
    if not FILE.is_file():
        pytest.skip("the bench is not here: set TILEREF_BENCH to the folder of rummikub-instances.jsonl")
    lines = [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]
    return [line for line in lines if line["kind"] == kind]


def tiles(codes: Sequence[str]) -> list[Tile]:
    return [parse_tile(code) for code in codes]


def check(sets: Sequence[Sequence[Tile]], expected: Counter[Tile], case: str) -> None:
    """The sets are legal as laid, and hold exactly the tiles expected."""
    for one in sets:
        ruling = judge_set(one, RULES)
        assert ruling.legal, case
        assert not ruling.findings, case
    assert Counter(tile for one in sets for tile in one) == expected, case


def test_best_plays() -> None:
    for instance in instances("best_move"):
        table, rack, answer = [tiles(one) for one in instance["table"]], tiles(instance["rack"]), instance["answer"]
        lying = Counter(tile for one in table for tile in one)
        plays = {
            "max_tiles": best_play(table, rack, RULES),
            "max_value_joker0": best_play(table, rack, RULES, Aim.VALUE, 0),
            "max_value_joker30": best_play(table, rack, RULES, Aim.VALUE, 30),
            "max_tiles_rack_only": best_play([], rack, RULES),
        }
        for key, play in plays.items():
            assert play is not None, instance["id"]
            assert (len(play.laid) if "tiles" in key else play.value) == answer[key], (instance["id"], key)
            check(play.sets, Counter(play.laid) + (Counter() if "rack_only" in key else lying), instance["id"])


def test_arrangements() -> None:
    for instance in instances("arrange"):
        held = tiles(instance["tiles"])
        sets = arrange(held, RULES)
        assert (sets is not None) == instance["answer"]["arrangeable"], instance["id"]
        if sets is not None:
            check(sets, Counter(held), instance["id"])


def test_openings() -> None:
    for instance in instances("initial_meld"):
        rack = tiles(instance["rack"])
        opening = best_opening(rack, RULES)
        assert opening.value == instance["answer"]["max_meld_value"], instance["id"]
        laid = Counter(tile for one in opening.sets for tile in one)
        assert not laid - Counter(rack), instance["id"]
        check(opening.sets, laid, instance["id"])
        assert sum(judge_set(one, RULES).value or 0 for one in opening.sets) == opening.value, instance["id"]
