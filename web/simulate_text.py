"""What ``tileref simulate`` prints: a game in a line, and all games together."""

from __future__ import annotations

from collections.abc import Sequence

from web.simulation.figures import GameFigures
from web.simulation.record import Played


def game_line(figures: GameFigures) -> str:
    """One game for people."""
    asked = f", {figures.questions} questions ({figures.right_tile} about the right tile)" if figures.questions else ""
    doubts = f", {figures.doubts} doubts" if figures.doubts else ""
    return (
        f"game {figures.seed} ({figures.rules}, {figures.players} players): {figures.turns} turns, "
        f"{figures.rulings} rulings, {figures.wrong} wrong, {figures.false_legal} falsely legal{asked}{doubts}; "
        f"call to ruling {_ms(figures.quantile_ms(0.5))}, at worst {_ms(figures.quantile_ms(1.0))}"
    )


def all_line(games: Sequence[GameFigures]) -> str:
    """All games together."""
    turns, asked = sum(one.turns for one in games), sum(one.turns_asked for one in games)
    share = f" ({asked / turns:.1%})" if turns else ""
    together = GameFigures(0, "", 0, waits_ms=[wait for one in games for wait in one.waits_ms])
    return (
        f"{len(games)} games, {turns} turns: {sum(one.rulings for one in games)} rulings, "
        f"{sum(one.wrong for one in games)} wrong, {sum(one.false_legal for one in games)} falsely legal, "
        f"{sum(one.silent for one in games)} tables misread unnoticed; {asked} turns with a question{share}; "
        f"call to ruling {_ms(together.quantile_ms(0.5))} (median), {_ms(together.quantile_ms(0.99))} (99 %)"
    )


def turn_line(one: Played) -> str:
    """A turn that was written down."""
    last = one.turn.last
    codes = f" ({', '.join(last.codes)})" if last.codes else ""
    return f"turn {one.turn.number}: seat {one.turn.seat + 1} {last.how.value}, {last.verdict}{codes}"


def _ms(value: float | None) -> str:
    return "–" if value is None else f"{value / 1000:.2f} s"
