"""The true game loses no tile, and what it calls illegal is put back."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from referee.ending import alike
from referee.preset_files import load_ruleset
from web.simulation.players import NOTHING_WRONG, Incident, Rates
from web.simulation.round import TrueRound

OFTEN = Rates(wrong=0.6, mended=0.3, time_up=0.1, broken_at_bell=0.1)


@pytest.mark.parametrize("preset", ["international", "classic-es", "twist-pl", "mso", "wrc"])
@pytest.mark.parametrize("rates", [NOTHING_WRONG, OFTEN])
def test_a_round_is_played_to_its_end(preset: str, rates: Rates) -> None:
    rules = load_ruleset(preset)
    game = TrueRound(rules, rules.players_most, Random(5), rates)
    seen: Counter[Incident] = Counter()
    for _ in range(600):
        if game.is_over:
            break
        turn = game.play_turn()
        seen[turn.incident] += 1
        assert all(attempt.verdict == "illegal" for attempt in turn.attempts[:-1])
        right = turn.incident in {Incident.NONE, Incident.MENDED, Incident.TIME_UP}
        assert (turn.last.verdict == "legal") is right
        assert (turn.put_back is None) == alike(turn.last.shown, turn.after)
        lying = [key for keys in game.on_table for key in keys]
        everything = Counter([*lying, *game.pool, *(key for rack in game.racks for key in rack)])
        assert everything == Counter(range(len(game.tile_of)))
        told = tuple(tuple(str(place) for place in places) for places in turn.after)
        assert told == tuple(tuple(str(tile) for tile in game.tiles(keys)) for keys in game.on_table)
    assert game.is_over
    assert game.score().winners
    if rates is NOTHING_WRONG:
        assert set(seen) == {Incident.NONE}
    else:
        timed = set() if preset == "mso" else {Incident.TIME_UP}
        assert {Incident.BAD_SET, Incident.TILE_TAKEN, Incident.MENDED} | timed <= set(seen)


def test_the_same_seed_plays_the_same_game() -> None:
    rules = load_ruleset("jp")
    games = [TrueRound(rules, 3, Random(8)) for _ in range(2)]
    assert [games[0].play_turn() for _ in range(12)] == [games[1].play_turn() for _ in range(12)]
