"""How long the solver takes: ``python -m tests.bench.solver [FILE]``, on the verified instances of the bench."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from referee.preset_files import load_ruleset
from referee.ruleset import RuleSet
from referee.solver.plays import Aim, arrange, best_opening, best_play
from referee.tiles import Tile, parse_tile
from tests.bench.turns import BENCH

REPEATS = 5
HARDER = "bh-"
"""How the ids of the harder best moves begin."""
MOST_MS = {
    "arrange": (None, 3.0),
    "opening": (None, 5.0),
    "best move, most tiles": (1.5, 20.0),
    "best move, most value": (1.5, 20.0),
}
"""What the median and the 99th percentile may be, in CPU milliseconds."""


@dataclass(frozen=True, slots=True)
class Times:
    """CPU times of one kind of question, in milliseconds, each the quickest of some repeats."""

    kind: str
    count: int
    median_ms: float
    p99_ms: float
    slowest_ms: float

    def __str__(self) -> str:
        return (
            f"{self.kind}: {self.count}, median {self.median_ms:.2f} ms, p99 {self.p99_ms:.2f} ms, "
            f"slowest {self.slowest_ms:.2f} ms"
        )

    @property
    def quick_enough(self) -> bool:
        median, p99 = MOST_MS.get(self.kind, (None, None))
        return (median is None or self.median_ms < median) and (p99 is None or self.p99_ms < p99)


def questions(instance: Mapping[str, Any], rules: RuleSet) -> Iterator[tuple[str, Callable[[], object]]]:
    """What is asked about an instance, by kind."""
    match instance["kind"]:
        case "arrange":
            held = _tiles(instance["tiles"])
            yield "arrange", lambda: arrange(held, rules)
        case "initial_meld":
            rack = _tiles(instance["rack"])
            yield "opening", lambda: best_opening(rack, rules)
        case "best_move":
            table, own = [_tiles(one) for one in instance["table"]], _tiles(instance["rack"])
            kind = "harder move" if instance["id"].startswith(HARDER) else "best move"
            yield f"{kind}, most tiles", lambda: best_play(table, own, rules)
            yield f"{kind}, most value", lambda: best_play(table, own, rules, Aim.VALUE)


def solver_times(file: Path, repeats: int = REPEATS) -> list[Times]:
    """The figures of every kind of question, in the order of the file."""
    rules = load_ruleset()
    times_ms: dict[str, list[float]] = {}
    for line in file.read_text(encoding="utf-8").splitlines():
        for kind, ask in questions(json.loads(line), rules):
            times_ms.setdefault(kind, []).append(min(_cpu_ms(ask) for _ in range(repeats)))
    return [_summed_up(kind, sorted(times)) for kind, times in times_ms.items()]


def _summed_up(kind: str, times: list[float]) -> Times:
    p99 = times[min(len(times) - 1, len(times) * 99 // 100)]
    return Times(kind, len(times), times[len(times) // 2], p99, times[-1])


def _cpu_ms(ask: Callable[[], object]) -> float:
    start = time.process_time()
    ask()
    return (time.process_time() - start) * 1000


def _tiles(codes: list[str]) -> list[Tile]:
    return [parse_tile(code) for code in codes]


def main(file: Path) -> int:
    """Print the figures; 1 where a kind is too slow."""
    figures = solver_times(file)
    for times in figures:
        print(times)
    return 0 if all(times.quick_enough for times in figures) else 1


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]) if len(sys.argv) > 1 else BENCH / "rummikub-instances.jsonl"))
