"""Whole simulated games held against what is promised of them.

    tileref simulate --games 40 --output games.jsonl     (or several at once, with other seeds and files)
    python -m tests.measure.games games.jsonl [MORE.jsonl ...]

Prints a table in Markdown, a row for each preset, and below it each promise with what was measured.  Exit status 1
where one is not kept.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import numpy as np

from web.simulate_book import BookError, gathered

MOST_ASKED = 0.02
"""Share of turns with a question."""
MEDIAN_MS, P99_MS = 700.0, 1500.0
"""From call to ruling."""
Line = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Sum:
    """Games together.

    ``unsettled`` are turns that a human had to settle and that no question named a tile of: doubts about a table,
    refusals, calls that came to no ruling, tables that were put back and not known again.
    """

    games: int
    turns: int
    rulings: int
    wrong: int
    false_legal: int
    silent: int
    asked: int
    questions: int
    right_tile: int
    needless: int
    unsettled: int
    scored: int
    waits_ms: tuple[float, ...]

    @property
    def share_asked(self) -> float:
        """Share of turns with a question."""
        return self.asked / self.turns if self.turns else 0.0

    def ms(self, share: float) -> float:
        """The time from call to first word that this share of the calls did not exceed."""
        return float(np.quantile(self.waits_ms, share)) if self.waits_ms else float("nan")


def summed(lines: Sequence[Line]) -> Sum:
    """What came of these games."""

    def total(*names: str) -> int:
        return sum(int(line[name]) for line in lines for name in names)

    return Sum(
        games=len(lines),
        turns=total("turns"),
        rulings=total("rulings"),
        wrong=total("wrong"),
        false_legal=total("false_legal"),
        silent=total("silent_misreadings"),
        asked=total("turns_asked"),
        questions=total("questions"),
        right_tile=total("right_tile_questions"),
        needless=total("needless"),
        unsettled=total("doubts", "refused", "no_ruling", "restores_stuck"),
        scored=sum(line["scored_right"] is True for line in lines),
        waits_ms=tuple(float(wait) for line in lines for wait in line["waits_ms"]),
    )


COLUMNS = ("rules", "games", "players", "turns", "rulings", "wrong", "false legal", "misread unnoticed",
           "turns asked", "questions", "of the right tile", "needless", "unsettled", "sheets right", "p50 ms",
           "p99 ms")  # fmt: skip


def table(lines: Sequence[Line]) -> list[str]:
    """The table in Markdown: a row for each preset, the last one for all."""
    rows = [COLUMNS, ("---",) * len(COLUMNS)]
    names = sorted({str(line["rules"]) for line in lines})
    rows += [_row(name, [line for line in lines if line["rules"] == name]) for name in names]
    rows.append(_row("**all**", lines))
    return ["| " + " | ".join(row) + " |" for row in rows]


def _row(name: str, lines: Sequence[Line]) -> tuple[str, ...]:
    one = summed(lines)
    players = ", ".join(str(players) for players in sorted({int(line["players"]) for line in lines}))
    counts = (one.turns, one.rulings, one.wrong, one.false_legal, one.silent)
    asked = f"{one.asked} ({one.share_asked:.1%})"
    more = (one.questions, one.right_tile, one.needless, one.unsettled, one.scored)
    return (name, str(one.games), players, *map(str, counts), asked, *map(str, more), _ms(one.ms(0.5)),
            _ms(one.ms(0.99)))  # fmt: skip


def promises(one: Sum) -> list[tuple[bool, str]]:
    """Each promise: whether it is kept, and what was measured."""
    settled = one.wrong == one.silent == one.unsettled == 0 and one.questions == one.right_tile
    others = one.questions - one.right_tile
    faults = f"{one.wrong} wrong, {one.silent} misread unnoticed, {others} questions about another tile"
    asked = f"{one.share_asked:.2%} ({one.asked} of {one.turns})"
    return [
        (
            settled,
            f"every ruling is true, or a question that names the right tile: {faults}, {one.unsettled} unsettled",
        ),
        (one.false_legal == 0, f"no false legal: {one.false_legal}"),
        (one.share_asked <= MOST_ASKED, f"at most {MOST_ASKED:.0%} of turns with a question: {asked}"),
        (one.ms(0.5) < MEDIAN_MS, f"median from call to ruling under {MEDIAN_MS:.0f} ms: {_ms(one.ms(0.5))} ms"),
        (one.ms(0.99) < P99_MS, f"99 % of them under {P99_MS:.0f} ms: {_ms(one.ms(0.99))} ms"),
        (one.scored == one.games, f"every score sheet is right: {one.scored} of {one.games}"),
    ]


def happened(lines: Sequence[Line]) -> str:
    """What went on in these games besides ordinary turns."""
    found: Counter[str] = Counter()
    for line in lines:
        found.update({name.replace("_", " "): count for name, count in line["incidents"].items() if name != "none"})
        found.update(line["happened"])
    return ", ".join(f"{name} {count}" for name, count in sorted(found.items()))


def _ms(value: float) -> str:
    return "–" if np.isnan(value) else f"{value:.0f}"


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.pass_context
def main(ctx: click.Context, files: tuple[Path, ...]) -> None:
    """Print the table of the games in FILES, and what is promised of them."""
    try:
        lines = gathered(files)
    except BookError as error:
        raise click.ClickException(str(error)) from error
    if not lines:
        raise click.ClickException("There is no game in these files.")
    click.echo("\n".join(table(lines)))
    click.echo(f"\nIncidents: {happened(lines)}.\n")
    kept = promises(summed(lines))
    for is_kept, text in kept:
        click.echo(f"- {'kept' if is_kept else 'NOT KEPT'}: {text}")
    troubles = [f"- game {line['seed']} ({line['rules']}), {text}" for line in lines for text in line["troubles"]]
    if troubles:
        click.echo("\nWhat was not as it should be:\n\n" + "\n".join(troubles))
    ctx.exit(0 if all(is_kept for is_kept, _ in kept) else 1)


if __name__ == "__main__":
    main()
