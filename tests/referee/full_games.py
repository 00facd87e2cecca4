"""Whole games played by the solver under every preset, with players of different strength.

    python -m tests.referee.full_games [--games 200] [--seed 1] [--preset NAME]

Every turn must be ruled legal, no tile may get lost, and the round must end with scores that come out.  Exits with 1
and names the first game that went wrong.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random

from referee.endgame import must_play
from referee.ending import Ending, TurnEnd
from referee.game.commands import Command, Deal, DrawStart, EndTurn, NextRound, Score, StartGame
from referee.game.decide import decide, is_over
from referee.game.events import Event, RoundScored, TurnEnded
from referee.game.state import Phase, State, replay
from referee.notation import NotedTable, format_rack, format_table, parse_table, sure
from referee.preset_files import load_ruleset, preset_names
from referee.ruleset import RuleSet, box_faces
from referee.solver.lawful import can_anyone_play, lawful_play
from referee.solver.plays import Play
from referee.switches import PoolEmpty, Scoring
from referee.tiles import Tile, parse_tile
from referee.turn import Player

MOST_TURNS = 600

Strategy = Callable[[NotedTable, Sequence[Tile], Player, RuleSet, Random], Play | None]


def plays_best(table: NotedTable, rack: Sequence[Tile], player: Player, rules: RuleSet, rng: Random) -> Play | None:  # noqa: ARG001
    """Lays as many tiles as the solver finds."""
    return lawful_play(table, rack, player, rules)


def plays_lazily(table: NotedTable, rack: Sequence[Tile], player: Player, rules: RuleSet, rng: Random) -> Play | None:
    """Looks at half of an opened rack only."""
    seen = rng.sample(list(rack), (len(rack) + 1) // 2) if player.opened else rack
    return lawful_play(table, seen, player, rules)


def plays_own_sets(table: NotedTable, rack: Sequence[Tile], player: Player, rules: RuleSet, rng: Random) -> Play | None:  # noqa: ARG001
    """Never touches what lies on the table."""
    own = lawful_play((), rack, player, rules)
    lying = tuple(tuple(place.readings[0] for place in places) for places in table)
    return None if own is None else Play((*lying, *own.sets), own.laid, own.value)


STRATEGIES: tuple[Strategy, ...] = (plays_best, plays_lazily, plays_own_sets)


class GameWentWrongError(AssertionError):
    """A game of lawful plays that the referee did not take for one."""


@dataclass
class Tally:
    """What was seen in some games."""

    turns: int = 0
    played: int = 0
    touched: int = 0
    openings: int = 0
    with_jokers: Counter[str] = field(default_factory=Counter)
    ends: Counter[str] = field(default_factory=Counter)
    stuck: Counter[str] = field(default_factory=Counter)


class Game:
    """One round with the box, the racks and the pool that only the dealer sees."""

    def __init__(self, rules: RuleSet, rng: Random, tally: Tally) -> None:
        self.rules = rules
        self.rng = rng
        self.tally = tally
        self.pool = [tile for tile in box_faces() for _ in range(rules.held(tile))]
        rng.shuffle(self.pool)
        self.state = State()
        players = ("Ala", "Bo", "Cy")[: rules.players_most]
        self.tell(StartGame(players))
        self.tell(DrawStart(tuple(parse_tile(f"R{13 - seat}") for seat in range(len(players)))))
        self.tell(Deal())
        self.racks = [[self.pool.pop() for _ in range(rules.deal_tiles)] for _ in players]
        self.strategies = [STRATEGIES[seat % len(STRATEGIES)] for seat in rng.sample(range(3), len(players))]

    def tell(self, command: Command) -> tuple[Event, ...]:
        events = decide(self.state, command, self.rules)
        self.state = replay(events, self.state)
        return events

    def play(self) -> RoundScored:
        """Play the round to its end, and count."""
        turns = 0
        while not is_over(self.state, self.rules):
            self.play_turn()
            turns += 1
            check(turns <= MOST_TURNS, "the round does not end")
            self.check_tiles()
        (scored,) = self.tell(Score(tuple(tuple(rack) for rack in self.racks)))
        if not isinstance(scored, RoundScored):
            raise GameWentWrongError(scored)
        self.check_end(scored)
        self.tell(NextRound())
        check(self.state.phase in {Phase.STARTER, Phase.DEAL}, "no next round")
        return scored

    def play_turn(self) -> None:
        seat, state = self.state.seat, self.state
        rack, table = self.racks[seat], parse_table(self.state.table)
        others = all(state.opened[one] for one in state.active if one != seat)
        player = Player(opened=state.opened[seat], others_opened=others)
        play = self.strategies[seat](table, rack, player, self.rules, self.rng)
        if play is None and state.opened[seat] and self.must_play():
            play = lawful_play(table, rack, player, self.rules)
        ending = Ending(TurnEnd.DREW if play is None else TurnEnd.PLAYED)
        shown = table if play is None else tuple(sure(*one) for one in play.sets)
        (turn,) = self.tell(EndTurn(seat, shown, ending, rack=tuple(rack)))
        if not isinstance(turn, TurnEnded) or turn.verdict != "legal":
            told = f"{format_table(table)} => {format_table(shown)}, rack {format_rack(sure(*rack))}"
            raise GameWentWrongError(f"{told}: {turn}")
        laid = Counter(play.laid if play is not None else ())
        check(not laid - Counter(rack) and turn.played == laid.total(), "tiles came from nowhere")
        drawn = [self.pool.pop() for _ in range(turn.drew)]
        self.racks[seat] = [*(Counter(rack) - laid).elements(), *drawn]
        if turn.to_pool:
            self.pool.insert(0, self.racks[seat].pop())
        self.tally.turns += 1
        self.tally.openings += turn.opening is not None
        if play is not None:
            self.tally.played += 1
            before = Counter(frozenset(places) for places in table)
            self.tally.touched += bool(before - Counter(frozenset(places) for places in shown))
            self.tally.with_jokers.update({tile.joker.value for tile in play.laid if tile.joker is not None})

    def must_play(self) -> bool:
        """Whether an opened player who can play may not draw or pass."""
        return must_play(self.state.pool == 0 or self.state.banking, self.rules)

    def check_tiles(self) -> None:
        """Every tile of the box lies where the game says."""
        table = [tile for places in parse_table(self.state.table) for place in places for tile in place.readings]
        everything = Counter(table) + Counter(tile for rack in self.racks for tile in rack) + Counter(self.pool)
        check(
            everything == Counter({tile: n for tile in box_faces() if (n := self.rules.held(tile))}), "a tile is lost"
        )
        check(self.state.racks == tuple(len(rack) for rack in self.racks), "a rack is miscounted")
        check(self.state.pool == len(self.pool), "the pool is miscounted")

    def check_end(self, scored: RoundScored) -> None:
        check(bool(scored.winners), "nobody won")
        check(not scored.zero_sum or sum(scored.points) == 0, "the scores do not sum to zero")
        if self.rules.scoring is Scoring.RACK_SUMS:
            check(min(scored.points) >= 0, "a rack sum is negative")
        empty = [seat for seat, rack in enumerate(self.racks) if not rack]
        check(not empty or list(scored.winners) == empty, "an empty rack did not win")
        if not empty and self.rules.pool_empty is PoolEmpty.PLAY_ON and self.rules.pool_must_play:
            self.check_stuck()
        self.tally.ends[scored.end] += 1

    def check_stuck(self) -> None:
        """Nobody who had opened could have gone on."""
        opened = [seat for seat in range(len(self.racks)) if self.state.opened[seat]]
        racks = [self.racks[seat] for seat in opened]
        able = can_anyone_play(parse_table(self.state.table), racks, [True] * len(racks), self.rules)
        check(able is not True, "the round ended although somebody could play")
        self.tally.stuck[str(able)] += 1


def check(holds: bool, otherwise: str) -> None:
    if not holds:
        raise GameWentWrongError(otherwise)


def play_games(preset: str, seeds: Sequence[int], tally: Tally) -> None:
    """Play one round for each seed; raises ``GameWentWrongError`` with the seed."""
    rules = load_ruleset(preset)
    for seed in seeds:
        try:
            Game(rules, Random(seed), tally).play()
        except GameWentWrongError as error:
            raise GameWentWrongError(f"{preset}, seed {seed}: {error}") from error


def main() -> None:
    parser = argparse.ArgumentParser(description="Play whole games by the solver under every preset.")
    parser.add_argument("--games", type=int, default=200, help="games in all, shared out among the presets")
    parser.add_argument("--seed", type=int, default=1, help="the first seed")
    parser.add_argument("--preset", choices=preset_names(), help="this preset alone")
    told = parser.parse_args()
    names = [told.preset] if told.preset else preset_names()
    each = max(1, told.games // len(names))
    print("| preset | games | turns | played | table touched | openings | jokers laid | ends | CPU s |")
    print("|---|---|---|---|---|---|---|---|---|")
    for name in names:
        tally, began = Tally(), time.process_time()
        try:
            play_games(name, range(told.seed, told.seed + each), tally)
        except GameWentWrongError as error:
            sys.exit(f"{error}")
        jokers = ", ".join(f"{kind} {count}" for kind, count in sorted(tally.with_jokers.items()))
        ends = ", ".join(f"{end} {count}" for end, count in sorted(tally.ends.items()))
        print(
            f"| {name} | {each} | {tally.turns} | {tally.played} | {tally.touched} | {tally.openings} "
            f"| {jokers} | {ends} | {time.process_time() - began:.1f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
