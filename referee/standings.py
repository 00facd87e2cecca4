"""The standings of a match: totals, places, and what parts players who are level."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from referee.ruleset import RuleSet
from referee.score import RoundScore
from referee.switches import CarryOver, RankBy, Scoring, TieBreak


@dataclass(frozen=True, slots=True)
class Standing:
    """One player's match: place from 1 (level players share it), and what it rests on."""

    seat: int
    place: int
    total: int
    wins: int
    placing: int
    extra_game: bool
    """Whether only an extra game can part this player from the ones who share his place."""


def totals(rounds: Sequence[RoundScore], ruleset: RuleSet, carried: Sequence[int] = ()) -> tuple[int, ...]:
    """The totals by seat after these rounds, begun at ``carried``; never below zero where the rules say so."""
    seats = len(rounds[0].scores) if rounds else len(carried)
    running = list(carried) or [0] * seats
    for played in rounds:
        for seat, points in enumerate(played.points):
            running[seat] += points
            if ruleset.total_floor:
                running[seat] = max(0, running[seat])
    return tuple(running)


def standings(
    rounds: Sequence[RoundScore],
    ruleset: RuleSet,
    *,
    carried: Sequence[int] = (),
    extra: RoundScore | None = None,
) -> tuple[Standing, ...]:
    """The players by place, then by seat.

    The first measure is ``rank_by``; then the chain ``tie_break`` in turn, each only among those still level:
    ``best_games`` compares the best round, then the next best; ``extra_game`` takes the scores of ``extra``, and
    without one leaves them level and says so.
    """
    low = ruleset.scoring is Scoring.RACK_SUMS
    points = totals(rounds, ruleset, carried)
    wins = [sum(seat in played.winners for played in rounds) for seat in range(len(points))]
    placing = [_placing(rounds, seat, ruleset) for seat in range(len(points))]

    def better(number: int) -> int:
        return number if low else -number

    def measure(seat: int) -> list[tuple[int, ...]]:
        first = {
            RankBy.POINTS: better(points[seat]),
            RankBy.WINS: -wins[seat],
            RankBy.PLACING: -placing[seat],
            RankBy.FIRST_TO_WINS: -wins[seat],
        }
        keys: list[tuple[int, ...]] = [(first[ruleset.rank_by],)]
        for step in ruleset.tie_break:
            match step:
                case TieBreak.POINTS:
                    keys.append((better(points[seat]),))
                case TieBreak.WINS:
                    keys.append((-wins[seat],))
                case TieBreak.BEST_GAMES:
                    keys.append(tuple(sorted(better(played.points[seat]) for played in rounds)))
                case TieBreak.EXTRA_GAME:
                    if extra is not None:
                        keys.append((better(extra.points[seat]),))
                case TieBreak.EARLIER_SEAT:
                    keys.append((seat,))
        return keys

    ranked = sorted(range(len(points)), key=lambda seat: (measure(seat), seat))
    found: list[Standing] = []
    for _, level in groupby(ranked, key=measure):
        seats = list(level)
        open_tie = len(seats) > 1 and TieBreak.EXTRA_GAME in ruleset.tie_break and extra is None
        place = len(found) + 1
        found += [Standing(seat, place, points[seat], wins[seat], placing[seat], open_tie) for seat in seats]
    return tuple(found)


def _placing(rounds: Sequence[RoundScore], seat: int, ruleset: RuleSet) -> int:
    """Points for the places of each round; players level in a round all get those of the place they share."""
    low = ruleset.scoring is Scoring.RACK_SUMS
    total = 0
    for played in rounds:
        own = played.points[seat]
        ahead = sum((other < own) if low else (other > own) for other in played.points)
        total += ruleset.placing_points[ahead] if ahead < len(ruleset.placing_points) else 0
    return total


def match_over(rounds: Sequence[RoundScore], ruleset: RuleSet) -> bool:
    """Whether the match has ended by its number of rounds, a target total, or won rounds.

    A target is reached; where the lowest total wins, it must be passed (seed 001: "kým hráč neprekročí").
    """
    if not rounds:
        return False
    if ruleset.rounds and len(rounds) >= ruleset.rounds:
        return True
    passed = 1 if ruleset.scoring is Scoring.RACK_SUMS else 0
    if ruleset.target_points and max(totals(rounds, ruleset)) >= ruleset.target_points + passed:
        return True
    wins = [sum(seat in played.winners for played in rounds) for seat in range(len(rounds[0].scores))]
    return bool(ruleset.wins_needed) and max(wins) >= ruleset.wins_needed


def carried_over(total: int, ruleset: RuleSet) -> int:
    """What of a total goes on into the next stage; a half is rounded up."""
    match ruleset.carry_over:
        case CarryOver.ALL:
            return total
        case CarryOver.HALF:
            return -(-total // 2)
        case CarryOver.NONE:
            return 0
