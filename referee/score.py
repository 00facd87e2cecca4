"""The score of a round, as each family of rules counts it.

A loser's loss has parts: the numbers on his rack, his jokers, a penalty for never having opened, points lost on the
way.  Each part is credited to the winner or is the holder's own, as the rules say; scores sum to zero exactly where
every part is credited and nobody gets a bonus (``RoundScore.zero_sum``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from referee.ruleset import RuleSet
from referee.solver.special import best_opening_of_any
from referee.switches import PoolScores, PoolTie, PoolWinner, Scoring, UnopenedExempt, UnopenedMode
from referee.tiles import Tile
from referee.told import ToldError


class RoundEnd(StrEnum):
    """How a round ended."""

    EMPTY_RACK = "empty_rack"
    POOL_EMPTY = "pool_empty"


@dataclass(frozen=True, slots=True)
class Hand:
    """A player at the end of a round.

    ``tiles`` is the rack as it was shown.  ``announced`` says that the player drew the missing tile with his last
    draw and announced the opening.  ``points_lost`` were lost on the way (the ledger).
    """

    tiles: tuple[Tile, ...]
    opened: bool = True
    announced: bool = False
    points_lost: int = 0


@dataclass(frozen=True, slots=True)
class Score:
    """One player's round: the score, and the parts that it is made of.

    ``rack`` and ``jokers`` are what lies on the rack, ``penalty`` that for never having opened, ``could_open``
    whether the rack could have opened (None: opened, or too many special jokers to tell).
    """

    score: int
    rack: int
    jokers: int
    penalty: int
    could_open: bool | None
    points_lost: int
    bonus: int


@dataclass(frozen=True, slots=True)
class RoundScore:
    """The scores of a round by seat, its winners, and whether the scores must sum to zero."""

    end: RoundEnd
    scores: tuple[Score, ...]
    winners: tuple[int, ...]
    zero_sum: bool

    @property
    def points(self) -> tuple[int, ...]:
        return tuple(score.score for score in self.scores)


@dataclass(frozen=True, slots=True)
class _Loss:
    """What a player loses by his hand, and how much of it goes to the winner."""

    own: int
    credited: int
    penalty: int
    could_open: bool | None


def could_have_opened(tiles: Sequence[Tile], ruleset: RuleSet) -> bool | None:
    """Whether a shown rack could have opened; None where it holds too many special jokers to try them all."""
    opening = best_opening_of_any(tiles, ruleset, enough=ruleset.open_points)
    return None if opening is None else opening.value >= ruleset.open_points


def rack_numbers(tiles: Sequence[Tile]) -> int:
    """The sum of the numbers; jokers have none."""
    return sum(tile.number or 0 for tile in tiles)


def score_round(hands: Sequence[Hand], ruleset: RuleSet, end: RoundEnd) -> RoundScore:
    """The score of every player.

    Raises ``ValueError`` where the hands do not fit the end: exactly one rack is empty, or none is.
    """
    empty = [seat for seat, hand in enumerate(hands) if not hand.tiles]
    if (end is RoundEnd.EMPTY_RACK) != (len(empty) == 1) or len(empty) > 1:
        if end is RoundEnd.EMPTY_RACK:
            raise ToldError("a round that an empty rack ended does not end with {empty} empty racks", empty=len(empty))
        raise ToldError("a round that the pool ended does not end with {empty} empty racks", empty=len(empty))
    winners = tuple(empty) if end is RoundEnd.EMPTY_RACK else pool_winners(hands, ruleset)
    losses = [_loss(hand, ruleset, end) for hand in hands]
    if end is RoundEnd.POOL_EMPTY and ruleset.pool_scores is PoolScores.DIFFERENCE:
        losses = _over_the_winner(losses, winners)
    if ruleset.scoring is Scoring.RACK_SUMS:
        points, whole = [_capped(loss.own, ruleset) for loss in losses], False
    else:
        points, whole = _winner_takes(losses, winners, ruleset)
    bonuses = _bonuses(losses, winners, ruleset)
    sign = 1 if ruleset.scoring is Scoring.RACK_SUMS else -1  # where the lowest total wins, a bonus lowers it
    lost = [hand.points_lost for hand in hands]
    scores = tuple(
        Score(
            score=points[seat] + sign * (lost[seat] - bonuses[seat]),
            rack=rack_numbers(hand.tiles),
            jokers=_joker_cost(hand, ruleset),
            penalty=losses[seat].penalty,
            could_open=losses[seat].could_open,
            points_lost=lost[seat],
            bonus=bonuses[seat],
        )
        for seat, hand in enumerate(hands)
    )
    return RoundScore(end, scores, winners, whole and not any(bonuses) and not any(lost))


def pool_winners(hands: Sequence[Hand], ruleset: RuleSet) -> tuple[int, ...]:
    """The seats that win a round in which no rack became empty; several where they share it."""
    sums = [_compared(hand, ruleset) for hand in hands]
    tiles = [len(hand.tiles) for hand in hands]
    first, second = (sums, tiles) if ruleset.pool_winner is PoolWinner.LOWEST_SUM else (tiles, sums)
    level = [seat for seat in range(len(hands)) if first[seat] == min(first)]
    if ruleset.pool_tie is PoolTie.OTHER_MEASURE:
        level = [seat for seat in level if second[seat] == min(second[other] for other in level)]
    return tuple(level[:1] if ruleset.pool_tie is PoolTie.EARLIER_SEAT else level)


def _joker_cost(hand: Hand, ruleset: RuleSet) -> int:
    return ruleset.joker_rack_penalty * sum(tile.is_joker for tile in hand.tiles)


def _compared(hand: Hand, ruleset: RuleSet) -> int:
    """What of a rack is compared and credited: a joker that is the holder's own matter is not."""
    return rack_numbers(hand.tiles) + (_joker_cost(hand, ruleset) if ruleset.joker_penalty_to_winner else 0)


def _loss(hand: Hand, ruleset: RuleSet, end: RoundEnd) -> _Loss:
    counted = _compared(hand, ruleset)
    whole = rack_numbers(hand.tiles) + _joker_cost(hand, ruleset)
    penalty, able = _unopened(hand, ruleset) if end is RoundEnd.EMPTY_RACK and hand.tiles else (0, None)
    if not penalty:
        return _Loss(whole, counted, 0, able)
    own = penalty if ruleset.unopened_mode is UnopenedMode.INSTEAD else whole + penalty
    if ruleset.unopened_mode is UnopenedMode.INSTEAD:
        credited = penalty if ruleset.penalties_to_winner else counted
    else:
        credited = counted + (penalty if ruleset.penalties_to_winner else 0)
    return _Loss(own, credited, penalty, able)


def _unopened(hand: Hand, ruleset: RuleSet) -> tuple[int, bool | None]:
    """The penalty for never having opened, and whether the rack could have.

    It is the higher one only where that is certain.  An announced opening escapes the higher one and pays the lower
    (``able``), or escapes both.
    """
    if hand.opened:
        return 0, None
    able = could_have_opened(hand.tiles, ruleset)
    if hand.announced and ruleset.unopened_exempt is UnopenedExempt.BOTH:
        return 0, able
    spared = hand.announced and ruleset.unopened_exempt is UnopenedExempt.ABLE
    return ruleset.unopened_able_penalty if able and not spared else ruleset.unopened_penalty, able


def _over_the_winner(losses: Sequence[_Loss], winners: Sequence[int]) -> list[_Loss]:
    """Losses less what the winner holds, sign kept; what is a holder's own stays his own."""
    held = losses[winners[0]].credited
    return [
        _Loss(loss.own - held, loss.credited - held, loss.penalty, loss.could_open)
        if seat not in winners
        else _Loss(loss.own - loss.credited, 0, loss.penalty, loss.could_open)
        for seat, loss in enumerate(losses)
    ]


def _winner_takes(losses: Sequence[_Loss], winners: Sequence[int], ruleset: RuleSet) -> tuple[list[int], bool]:
    """Losers minus, winners plus what is credited; and whether every loss was credited in full."""
    points, pot, whole = [0] * len(losses), 0, True
    for seat, loss in enumerate(losses):
        if seat in winners:
            points[seat] -= loss.own - loss.credited
            whole = whole and loss.own == loss.credited
            continue
        own, credited = _capped(loss.own, ruleset), _capped(loss.credited, ruleset)
        points[seat] -= own
        pot += credited
        whole = whole and own == credited
    share, rest = divmod(pot, len(winners))
    for k, seat in enumerate(winners):
        points[seat] += share + (1 if k < rest else 0)
    return points, whole


def _capped(loss: int, ruleset: RuleSet) -> int:
    return min(loss, ruleset.loss_cap) if ruleset.loss_cap else loss


def _bonuses(losses: Sequence[_Loss], winners: Sequence[int], ruleset: RuleSet) -> list[int]:
    others = [seat for seat in range(len(losses)) if seat not in winners]
    least = min((losses[seat].own for seat in others), default=0)
    return [
        ruleset.win_bonus
        if seat in winners
        else ruleset.second_bonus
        if losses[seat].own == least and len(winners) == 1
        else 0
        for seat in range(len(losses))
    ]
