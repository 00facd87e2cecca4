"""The pool: penalties that it cannot pay, how a round goes on without it, and when it is over."""

from __future__ import annotations

from enum import StrEnum

from referee.ruleset import RuleSet
from referee.switches import ClaimUntil, PoolEmpty
from referee.told import ToldError


class Duty(StrEnum):
    """What a player does who lays nothing."""

    DRAW = "draw"
    """The pool has tiles: he draws one."""
    PASS = "pass"  # noqa: S105  no password
    """The pool is empty: he passes, if he likes or because he cannot play."""
    PLAY = "play"
    """The pool is empty: he may pass only if he cannot play."""
    BANK = "bank"
    """The pool is empty: he puts one tile of his rack into it."""


def drawn(wanted: int, pool: int) -> int:
    """How many tiles are drawn: as many as wanted, or as the pool still has.

    Raises ``ValueError`` for a negative number.
    """
    if wanted < 0 or pool < 0:
        raise ToldError("a number of tiles must not be negative: {given}", given=min(wanted, pool))
    return min(wanted, pool)


def duty(pool: int, ruleset: RuleSet) -> Duty:
    """What a player does who lays nothing, with ``pool`` tiles left."""
    if pool:
        return Duty.DRAW
    if ruleset.pool_empty is PoolEmpty.BANK:
        return Duty.BANK
    return Duty.PLAY if ruleset.pool_must_play else Duty.PASS


def must_play(pool_empty: bool, ruleset: RuleSet) -> bool:
    """Whether an opened player who can play may do nothing else: with tiles to draw, and without, a rule each."""
    return ruleset.pool_must_play if pool_empty else not ruleset.draw_voluntary


def round_over(ruleset: RuleSet, *, pool: int, players: int, turns_since_empty: int, passes: int) -> bool:
    """Whether a round in which no rack is empty is over.

    ``turns_since_empty`` counts the turns since the pool became empty, ``passes`` those of the last turns in which
    nobody laid a tile.
    """
    if pool:
        return False
    match ruleset.pool_empty:
        case PoolEmpty.STOP:
            return True
        case PoolEmpty.EXTRA_TURN:
            return turns_since_empty >= players
        case PoolEmpty.PLAY_ON:
            return passes >= players
        case PoolEmpty.BANK:
            return False


def claim_in_time(moves_since: int, round_ended: bool, ruleset: RuleSet) -> bool:
    """Whether a turn may still be disputed: ``moves_since`` turns were ended after it."""
    if ruleset.claim_until is ClaimUntil.NEXT_MOVE:
        return moves_since == 0 and not round_ended
    return not round_ended


def seats_allowed(players: int, ruleset: RuleSet) -> bool:
    """Whether this many may play, and the box has tiles for all of them."""
    enough = players * ruleset.deal_tiles < ruleset.box_size
    return enough and ruleset.players_least <= players <= ruleset.players_most
