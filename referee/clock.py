"""Thinking time.  Seconds come in as numbers that somebody measured; nothing here reads a clock."""

from __future__ import annotations

from dataclasses import dataclass

from referee.ruleset import RuleSet
from referee.switches import Clock, TimerStartedBy
from referee.told import ToldError

LONGEST_S = 1e9
"""More than thirty years: no turn takes as long."""


def check_seconds(seconds: float) -> None:
    """Raises ``ValueError`` for seconds that nobody can have measured."""
    if seconds < 0:
        raise ToldError("a time must not be negative: {seconds} s", seconds=seconds)
    if not seconds <= LONGEST_S:  # nor is "not a number", which no comparison holds for
        raise ToldError("a time is a number of seconds: {seconds:g} s", seconds=seconds)


@dataclass(frozen=True, slots=True)
class MoveTime:
    """What was measured of one turn, in seconds: from the start to the end, pauses in it, and an extension granted.

    Raises ``ValueError`` for a time that is negative or no number of seconds, or a pause longer than the turn.
    """

    elapsed_s: float
    paused_s: float = 0.0
    extended: bool = False

    def __post_init__(self) -> None:
        check_seconds(self.elapsed_s)
        check_seconds(self.paused_s)
        if self.paused_s > self.elapsed_s:
            raise ToldError(
                "a pause of {paused} s does not fit into a turn of {elapsed} s",
                paused=self.paused_s,
                elapsed=self.elapsed_s,
            )

    @property
    def used_s(self) -> float:
        return self.elapsed_s - self.paused_s


@dataclass(frozen=True, slots=True)
class Timing:
    """Whether the time was over, by how much, and the reserve that is left (a chess clock's; else None), in seconds."""

    over: bool
    over_by_s: float
    reserve_s: float | None


def first_reserve(ruleset: RuleSet) -> float | None:
    """The reserve that a player starts with; None where turns have a limit of their own or none."""
    return float(ruleset.time_s) if ruleset.clock is Clock.BRONSTEIN else None


def is_timed(opened: bool, ruleset: RuleSet) -> bool:
    """Whether a player's turns have a limit."""
    return ruleset.clock is not Clock.NONE and (opened or ruleset.time_unopened)


def time_move(
    time: MoveTime, ruleset: RuleSet, *, opened: bool = True, drew: bool = False, reserve_s: float | None = None
) -> Timing:
    """Hold one turn against the clock.

    A per-turn limit may be extended once.  A Bronstein clock gives back what a move took, at most the increment, and
    is over when the reserve falls below zero.  Untimed are players before their opening, and instant draws where the
    rules waive the clock for them (``drew`` within the first tenth of the limit).

    Raises ``ValueError`` where a chess clock's reserve is not given.
    """
    if not is_timed(opened, ruleset) or (drew and ruleset.timer_waivable and time.used_s <= ruleset.time_s / 10):
        return Timing(False, 0.0, reserve_s)
    if ruleset.clock is Clock.PER_TURN:
        limit = ruleset.time_s + (ruleset.extension_s if time.extended else 0)
        return Timing(time.used_s > limit, max(0.0, time.used_s - limit), None)
    if reserve_s is None:
        raise ValueError("the reserve of a chess clock is missing")
    left = reserve_s - time.used_s + min(time.used_s, ruleset.increment_s)
    return Timing(left < 0, max(0.0, -left), max(0.0, left))


def starts_the_clock(seat: int, following: int, ruleset: RuleSet) -> int | None:
    """The seat that starts the clock of the turn of ``seat``; None: the referee.  ``following`` plays after it."""
    match ruleset.timer_started_by:
        case TimerStartedBy.PLAYER:
            return seat
        case TimerStartedBy.NEXT_PLAYER:
            return following
        case TimerStartedBy.REFEREE:
            return None
