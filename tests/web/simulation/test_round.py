"""The true game loses no tile, and what it calls illegal is put back."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from random import Random

import pytest

from referee.ending import alike
from referee.findings import FindingCode
from referee.notation import parse_table, sure
from referee.preset_files import load_ruleset
from web.simulation.players import NOTHING_WRONG, WRONG, Incident, Rates
from web.simulation.round import TrueRound

OFTEN = Rates(wrong=0.6, taken=0.34, mended=0.3, time_up=0.1, broken_at_bell=0.1)


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
        right = turn.incident not in {*WRONG, Incident.BROKEN_AT_BELL, Incident.LAID_LATE}
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
        # a taken tile and a mended table are rare: one round has not all kinds
        assert {Incident.BAD_SET} | timed <= set(seen)
        assert seen[Incident.TILE_TAKEN] + seen[Incident.MENDED] > 0


def test_the_same_seed_plays_the_same_game() -> None:
    rules = load_ruleset("jp")
    games = [TrueRound(rules, 3, Random(8)) for _ in range(2)]
    assert [games[0].play_turn() for _ in range(12)] == [games[1].play_turn() for _ in range(12)]


def test_turns_that_nobody_called_and_tiles_laid_later_lose_no_tile() -> None:
    rules = load_ruleset("jp")
    game = TrueRound(rules, 3, Random(11), replace(NOTHING_WRONG, broken_at_bell=0.3, missed_call=0.3, added=0.5))
    seen: Counter[str] = Counter()
    while not game.is_over and len(seen) < 6 and game.state.turn < 60:
        stood, racks = game.state, [len(rack) for rack in game.racks]
        turn = game.play_turn()
        seen[turn.incident.value] += 1
        assert game.state.turn == stood.turn + turn.turns
        laid = sum(map(len, turn.after)) - sum(map(len, turn.before))
        if turn.uncalled is not None:
            seats = turn.seat, turn.uncalled.next_seat
            assert turn.uncalled.attempt.verdict == turn.last.verdict == "legal"
            assert seats[0] == stood.seat != seats[1] == turn.moves
            assert turn.uncalled.played[0] > 0
            assert sum(turn.uncalled.played) == laid
            assert len(game.racks[seats[0]]) == racks[seats[0]] - turn.uncalled.played[0]
        if turn.incident is Incident.TIDIED:
            at_bell, after = turn.attempts
            assert at_bell.verdict == "illegal"
            assert after.verdict == "legal"
            assert sum(map(len, at_bell.shown)) == sum(map(len, after.shown))
        if turn.incident is Incident.LAID_LATE:
            assert FindingCode.LATE_TILE.value in turn.last.codes
            assert sum(map(len, turn.last.shown)) > sum(map(len, turn.attempts[0].shown))
            assert turn.put_back is not None
        before = game.on_table
        added = game.add_tile()
        if added is not None:
            seen["added"] += 1
            assert sum(len(one.keys) for one in added) == sum(map(len, before)) + 1
            assert parse_table(game.state.table) == tuple(sure(*game.tiles(keys)) for keys in game.on_table)
        everything = [key for keys in (*game.on_table, *game.racks, game.pool) for key in keys]
        assert Counter(everything) == Counter(range(len(game.tile_of)))
    assert {"none", "missed_call", "tidied", "added"} <= set(seen)
