"""Whole rounds by a simple player under every preset: all turns are legal, no tile is lost, the scores come out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations
from random import Random

import pytest

from referee.ending import Ending, TurnEnd
from referee.game.commands import Deal, DrawStart, EndTurn, NextRound, Score, StartGame
from referee.game.decide import decide, is_over
from referee.game.events import RoundScored, TurnEnded
from referee.game.state import Phase, State, replay
from referee.notation import format_table, parse_table, sure
from referee.preset_files import load_ruleset, preset_names
from referee.ruleset import RuleSet, box_faces
from referee.sets import judge_set
from referee.switches import Scoring
from referee.tiles import Colour, Tile, parse_tile

Table = list[list[Tile]]


def own_sets(rack: Sequence[Tile]) -> Iterator[list[Tile]]:
    """Runs of three to five and groups of three or four that the rack holds, without jokers."""
    held = set(rack)
    for number in range(1, 14):
        group = [tile for colour in Colour if (tile := Tile(colour=colour, number=number)) in held]
        for size in (4, 3):
            yield from (list(one) for one in combinations(group, size))
    for colour in Colour:
        for first in range(1, 12):
            for length in (5, 4, 3):
                run = [Tile(colour=colour, number=n) for n in range(first, min(first + length, 14))]
                if len(run) == length and set(run) <= held:
                    yield run


def opening(rack: Sequence[Tile], needed: int) -> Table:
    """Sets that are worth enough together, taken greedily; none where that fails."""
    left, sets, value = Counter(rack), [], 0
    ranked = sorted(own_sets(rack), key=lambda one: -sum(tile.number or 0 for tile in one))
    for one in ranked:
        if value < needed and not Counter(one) - left:
            left -= Counter(one)
            sets.append(one)
            value += sum(tile.number or 0 for tile in one)
    return sets if value >= needed else []


def better_table(table: Table, rack: Sequence[Tile], rules: RuleSet) -> Table | None:
    """The table with one more set, or one more tile at the end of a set; None where neither can be laid."""
    for one in own_sets(rack):
        return [*table, one]
    for k, one in enumerate(table):
        ends = {one[0].number, one[-1].number}
        near = {number + step for number in ends if number for step in (-1, 0, 1)}
        for tile in dict.fromkeys(rack):
            if tile.number not in near:
                continue
            for longer in ([*one, tile], [tile, *one]):
                if judge_set(longer, rules).legal:
                    return [*table[:k], longer, *table[k + 1 :]]
    return None


class Round:
    """One round with the box, the racks and the pool that only the test sees."""

    def __init__(self, rules: RuleSet, rng: Random) -> None:
        self.rules = rules
        self.pool = [tile for tile in box_faces() for _ in range(rules.held(tile))]
        rng.shuffle(self.pool)
        self.state = State()
        players = ("Ala", "Bo", "Cy")[: rules.players_most]
        self.tell(StartGame(players))
        self.tell(DrawStart(tuple(parse_tile(f"R{13 - seat}") for seat in range(len(players)))))
        self.tell(Deal())
        self.racks = [[self.pool.pop() for _ in range(rules.deal_tiles)] for _ in players]

    def tell(self, command: object) -> tuple[object, ...]:
        events = decide(self.state, command, self.rules)  # type: ignore[arg-type]  # any command
        self.state = replay(events, self.state)
        return events

    def play_turn(self) -> None:
        seat, rules = self.state.seat, self.rules
        rack = self.racks[seat]
        table = [[place.readings[0] for place in places] for places in parse_table(self.state.table)]
        if self.state.opened[seat]:
            after = better_table(table, rack, rules)
        else:
            after = [*table, *sets] if (sets := opening(rack, rules.open_points)) else None
        ending = Ending(TurnEnd.DREW if after is None else TurnEnd.PLAYED)
        shown = tuple(sure(*one) for one in (table if after is None else after))
        (turn,) = self.tell(EndTurn(seat, shown, ending, rack=tuple(rack)))
        assert isinstance(turn, TurnEnded)
        assert turn.verdict == "legal", (turn, format_table(shown))
        played = Counter(tile for one in after or table for tile in one) - Counter(t for one in table for t in one)
        self.racks[seat] = list((Counter(rack) - played).elements()) + [self.pool.pop() for _ in range(turn.drew)]


@pytest.mark.parametrize("seed", [1])
@pytest.mark.parametrize("preset", preset_names())
def test_a_round_ends_legally(preset: str, seed: int) -> None:
    rules = load_ruleset(preset)
    game = Round(rules, Random(seed))
    turns = 0
    while not is_over(game.state, rules):
        game.play_turn()
        turns += 1
        assert turns < 400
        assert game.state.racks == tuple(len(rack) for rack in game.racks)
        assert game.state.pool == len(game.pool)
        on_table = sum(len(places) for places in parse_table(game.state.table))
        assert on_table + sum(game.state.racks) + game.state.pool == rules.box_size
    (scored,) = game.tell(Score(tuple(tuple(rack) for rack in game.racks)))
    assert isinstance(scored, RoundScored)
    assert scored.winners
    if scored.zero_sum:
        assert sum(scored.points) == 0
    if rules.scoring is Scoring.RACK_SUMS:
        assert min(scored.points) >= 0
    game.tell(NextRound())
    assert game.state.phase in {Phase.STARTER, Phase.DEAL}
