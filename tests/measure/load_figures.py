"""What a load of viewers is measured by: how long updates of pages took, and how long rulings did beside it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from statistics import median
from typing import Any

MOST_P95_MS = 150.0
"""An update of a page takes no longer, in nineteen of twenty."""
MOST_SLOWER = 0.10
"""Rulings are no slower in the median than with nobody looking on, by more than this share."""
RULED = frozenset({"ruled", "fix", "tidy", "ask", "doubt", "refused"})
"""What answers a call."""
EVERYTHING = "everything"

Waits = Mapping[int, float]
"""Number of the call within its game → seconds until it was answered."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One request of a page: of which kind, how many seconds until all of the answer was there, and whether it was one.

    ``fresh``: something was new.
    """

    kind: str
    seconds: float
    good: bool
    fresh: bool


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest value that so large a share of them does not exceed."""
    return sorted(values)[max(0, ceil(share * len(values)) - 1)]


def waits(notices: Iterable[Mapping[str, Any]]) -> Waits:
    """How long each call of a game waited, by what the table said, the oldest first; of those that got an answer."""
    found: dict[int, float] = {}
    number, called_at = 0, None
    for notice in notices:
        if notice["code"] == "called":
            number, called_at = number + 1, float(notice["at"]) - float(notice["seconds"] or 0)
        elif notice["code"] == "call_taken_back":
            called_at = None
        elif notice["code"] in RULED and called_at is not None:
            found[number] = float(notice["at"]) - called_at
            called_at = None
    return found


def together(runs: Sequence[Waits]) -> Waits:
    """The mean of each call over the runs of one game that came so far."""
    numbers = set.intersection(*(set(run) for run in runs)) if runs else set()
    return {number: sum(run[number] for run in runs) / len(runs) for number in sorted(numbers)}


@dataclass(frozen=True, slots=True)
class Rulings:
    """The medians of the same calls of the same game, in seconds: with nobody looking on, and watched."""

    calls: int
    alone_s: float
    watched_s: float

    @property
    def slower(self) -> float:
        """By what share they are slower where people look on; below zero: faster."""
        return self.watched_s / self.alone_s - 1


def compared(alone: Sequence[Waits], watched: Sequence[Waits]) -> Rulings | None:
    """Both ways of the calls that all runs have; None: there is none."""
    one, other = together(alone), together(watched)
    both = sorted(set(one) & set(other))
    if not both:
        return None
    return Rulings(len(both), median(one[number] for number in both), median(other[number] for number in both))


def table(asked: Sequence[Asked]) -> list[str]:
    """The times by kind of page, and of everything."""
    lines = [f"{'':<10} {'asked':>7} {'new':>7} {'p50 ms':>8} {'p95 ms':>8} {'p99 ms':>8} {'failed':>7}"]
    for kind in (*sorted({one.kind for one in asked}), EVERYTHING):
        own = [one for one in asked if kind in {one.kind, EVERYTHING}]
        times = [1000 * one.seconds for one in own]
        shares = [f"{percentile(times, share):>8.1f}" for share in (0.5, 0.95, 0.99)]
        new, failed = sum(one.fresh for one in own), sum(not one.good for one in own)
        lines.append(f"{kind:<10} {len(own):>7} {new:>7} {' '.join(shares)} {failed:>7}")
    return lines


def promises(asked: Sequence[Asked], rulings: Rulings | None) -> list[tuple[bool, str]]:
    """Each promise with whether it was kept."""
    p95 = 1000 * percentile([one.seconds for one in asked], 0.95) if asked else float("inf")
    failed = sum(not one.good for one in asked)
    kept = [
        (p95 < MOST_P95_MS, f"p95 of an update {p95:.1f} ms, promised under {MOST_P95_MS:.0f}"),
        (failed == 0, f"requests that failed: {failed} of {len(asked)}"),
    ]
    if rulings is None:
        return [*kept, (False, "no call was ruled on in all runs: measure longer")]
    told = (
        f"median from call to ruling {1000 * rulings.watched_s:.0f} ms watched, {1000 * rulings.alone_s:.0f} ms alone "
        f"({rulings.slower:+.1%} over {rulings.calls} calls), promised at most {MOST_SLOWER:+.0%}"
    )
    return [*kept, (rulings.slower <= MOST_SLOWER, told)]
