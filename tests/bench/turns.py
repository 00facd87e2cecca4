"""How long the judge takes for a turn: ``python -m tests.bench.turns [FILE]``, on the verified turns of the bench."""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

from referee.notation import NotedTable, sure
from referee.preset_files import load_ruleset
from referee.tiles import parse_tile
from referee.turn import Player, judge_turn

REPEATS = 5
BENCH = Path(os.environ.get("TILEREF_BENCH", Path(__file__).parents[2].parent / "shared" / "bench"))


def noted(sets: list[list[str]]) -> NotedTable:
    return tuple(sure(*(parse_tile(code) for code in one)) for one in sets)


def main(file: Path) -> int:
    """Print median, 99th percentile and slowest, in CPU milliseconds; each turn counts with its quickest repeat."""
    rules = load_ruleset()
    lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    turns = [line for line in lines if line["kind"] == "transition"]
    times_ms = []
    for turn in turns:
        before, after, (rack,) = noted(turn["before"]), noted(turn["after"]), noted([turn["rack"]])
        player = Player(turn["opened_before"], rack)
        repeats = []
        for _ in range(REPEATS):
            start = time.process_time()
            judge_turn(before, after, player, rules)
            repeats.append((time.process_time() - start) * 1000)
        times_ms.append(min(repeats))
    times_ms.sort()
    p99 = times_ms[min(len(times_ms) - 1, len(times_ms) * 99 // 100)]
    print(f"judge_turn: {len(turns)} turns, median {times_ms[len(turns) // 2]:.2f} ms, p99 {p99:.2f} ms")
    return 0 if p99 < 1 else 1


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]) if len(sys.argv) > 1 else BENCH / "rummikub-instances.jsonl"))
