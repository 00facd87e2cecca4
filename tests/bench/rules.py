"""Time the rule book on many positions, beside rummikub-solver where it is installed; every answer is checked.

Times are CPU milliseconds; each question counts with its quickest round.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import median
from typing import Any

from referee.notation import NotedTable, sure
from referee.preset_files import load_ruleset
from referee.sets import judge_set
from referee.solver.plays import Aim, Opening, Play, arrange, best_opening, best_play
from referee.tiles import Tile
from referee.turn import Player, TurnRuling, judge_turn
from tests.bench.instances import Heap, Instances, Position, Rack, Sets, Tiles, Turn, reasons
from tests.bench.measures import p99, peak_mb_of
from tests.bench.rival import KNOWN_FAULTS, NAME, Rival

RULES = load_ruleset()
LEAST_RATIO = 15.0
_MEMORY = """
from tests.bench.generator import generate
from tests.bench.rules import rows
kinds = rows(generate(), None)
"""
WRONG = -1
"""The answer where the sets are no legal sets, or not of the tiles that they should hold."""


@dataclass(frozen=True, slots=True)
class Question:
    """One instance: what is timed, the number that its result comes to, and the right number where it is known.

    ``theirs`` is what rummikub-solver is asked, and ``theirs_of`` what its right answer would be, given ours.
    """

    name: str
    ours: Callable[[], Any]
    number: Callable[[Any], int]
    right: int | None
    theirs: Callable[[], int] | None = None
    theirs_of: Callable[[int], int] = int


@dataclass(frozen=True, slots=True)
class Row:
    """Questions of one kind and how fast their answers must be, in CPU milliseconds."""

    name: str
    questions: tuple[Question, ...]
    median_under: float | None = None
    p99_under: float | None = None


@dataclass(frozen=True, slots=True)
class Measured:
    """A row's times, question by question, and the names of the questions that were answered wrongly.

    ``theirs_ms`` is empty where rummikub-solver was not asked.
    """

    row: Row
    ours_ms: tuple[float, ...]
    theirs_ms: tuple[float, ...]
    ours_wrong: tuple[str, ...]
    theirs_wrong: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Target:
    """A figure that was to be reached; ``reached`` is None where it was not measured."""

    text: str
    reached: bool | None


def rows(instances: Instances, rival: Rival | None) -> tuple[Row, ...]:
    """All questions, by kind; kinds without an instance are left out."""
    ordinary = [one for one in instances.positions if not one.harder]
    harder = [one for one in instances.positions if one.harder]
    every = (
        Row("judge a turn", tuple(map(_of_turn, instances.turns)), p99_under=1),
        Row("arrange", tuple(_of_heap(one, rival) for one in instances.heaps), p99_under=3),
        Row("opening", tuple(_of_rack(one, rival) for one in instances.racks), p99_under=5),
        Row("best move, most tiles", _of_tiles(ordinary, rival), median_under=1.5, p99_under=20),
        Row("best move, most tiles, harder", _of_tiles(harder, rival)),
        Row("best move, most value", _of_value(ordinary, rival)),
        Row("best move, most value, harder", _of_value(harder, rival)),
        Row("best move, most value, a joker 30", _of_value_joker30(ordinary)),
        Row("best move, most value, a joker 30, harder", _of_value_joker30(harder)),
    )
    return tuple(row for row in every if row.questions)


def measure(row: Row, rounds: int) -> Measured:
    """Ask every question in every round."""
    ours, ours_ms = _asked([one.ours for one in row.questions], rounds)
    numbers = [one.number(result) for one, result in zip(row.questions, ours, strict=True)]
    put = [one.theirs for one in row.questions if one.theirs is not None]
    theirs, theirs_ms = _asked(put, rounds)
    answers: list[int | None] = list(theirs) if put else [None] * len(numbers)
    ours_wrong, theirs_wrong = [], []
    for one, our, their in zip(row.questions, numbers, answers, strict=True):
        we_err, they_err = wrong(one, our, their)
        ours_wrong += [one.name] * we_err
        theirs_wrong += [one.name] * they_err
    return Measured(row, ours_ms, theirs_ms, tuple(ours_wrong), tuple(theirs_wrong))


def wrong(question: Question, ours: int, theirs: int | None) -> tuple[bool, bool]:
    """Whether our answer and theirs is wrong.

    Where the right one is not known, the larger answer is: each stands for sets that are legal.
    """
    if question.right is not None:
        return ours != question.right, theirs is not None and theirs != question.theirs_of(question.right)
    in_their_words = question.theirs_of(ours) if ours != WRONG else WRONG
    return (
        ours == WRONG or (theirs is not None and in_their_words < theirs),
        theirs is not None and theirs < in_their_words,
    )


def targets(measured: Sequence[Measured]) -> list[Target]:
    """Every figure that was to be reached, beside what was measured."""
    reached = []
    for one in measured:
        for figure, value, limit in (
            ("median", median(one.ours_ms), one.row.median_under),
            ("p99", p99(one.ours_ms), one.row.p99_under),
        ):
            if limit is not None:
                reached.append(Target(f"{one.row.name}, {figure}: {value:.2f} ms, under {limit:g} ms", value < limit))
    ratios = [theirs / ours for one in measured for ours, theirs in zip(one.ours_ms, one.theirs_ms, strict=False)]
    if ratios:
        ratio = median(ratios)
        text = f"{NAME} takes {ratio:.1f} times as long in the median of {len(ratios)}, at least {LEAST_RATIO:g}"
        reached.append(Target(text, ratio >= LEAST_RATIO))
    else:
        reached.append(Target(f"{NAME} is not installed: no ratio (pip install 'tileref[bench]')", None))
    faults = [name for one in measured for name in one.ours_wrong]
    reached.append(Target(f"wrong answers of ours: {', '.join(dict.fromkeys(faults)) or 'none'}", not faults))
    return reached


def report(instances: Instances, rounds: int) -> bool:
    """Print the tables; whether every target was reached, as far as it could be measured."""
    rival = Rival.find()
    against = f"{NAME} {rival.version}" if rival else f"{NAME} (not installed)"
    print(f"The rule book, CPU milliseconds, the quickest of {rounds} rounds; instances: {instances.source}\n")
    heads = ["kind", "asked", "median", "p99", "slowest", f"{against}: median", "p99", "ratio of medians"]
    print(f"| {' | '.join(heads)} | wrong: ours | theirs |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    measured = []
    for row in rows(instances, rival):
        measured.append(measure(row, rounds))
        print(table_line(measured[-1]), flush=True)
    if any(one.theirs_wrong for one in measured):
        print(f"\nThe known faults of {NAME}: {KNOWN_FAULTS}.")
    print(f"\n{memory()}\n")
    reached = targets(measured)
    for target in reached:
        print(f"- {target.text}: {'not measured' if target.reached is None else 'yes' if target.reached else 'NO'}")
    return all(target.reached is not False for target in reached)


def table_line(one: Measured) -> str:
    """A row's figures as a line of the table."""
    middle = median(one.ours_ms)
    cells = [one.row.name, f"{len(one.ours_ms)}", *(f"{ms:.2f}" for ms in (middle, p99(one.ours_ms), max(one.ours_ms)))]
    if one.theirs_ms:
        theirs = median(one.theirs_ms)
        cells += [f"{theirs:.2f}", f"{p99(one.theirs_ms):.2f}", f"{theirs / middle:.1f}"]
    else:
        cells += ["–"] * 3
    cells += [f"{len(one.ours_wrong)}", f"{len(one.theirs_wrong)}" if one.theirs_ms else "–"]
    return f"| {' | '.join(cells)} |"


def memory() -> str:
    """What the solver needs, in a fresh process that answers all questions about generated positions."""
    before = peak_mb_of(_MEMORY)
    after = peak_mb_of(f"{_MEMORY}\nfor row in kinds:\n    for one in row.questions: one.ours()")
    return (
        f"peak memory of a process with the generated questions: {before:.0f} MB, once all are answered {after:.0f} MB"
    )


def _asked(put: Sequence[Callable[[], Any]], rounds: int) -> tuple[list[Any], tuple[float, ...]]:
    """The results, and the CPU milliseconds of each question's quickest round."""
    results: list[Any] = []
    times: list[list[float]] = [[] for _ in put]
    for _ in range(rounds):
        results = []
        for one, taken in zip(put, times, strict=True):
            began = time.process_time()
            results.append(one())
            taken.append(1000 * (time.process_time() - began))
    return results, tuple(min(taken) for taken in times)


def _of_turn(turn: Turn) -> Question:
    before, after = _noted(turn.before), _noted(turn.after)
    player = Player(turn.opened, sure(*turn.rack))

    def as_known(ruling: TurnRuling) -> int:
        return int(reasons(ruling) == turn.reasons)

    return Question(turn.name, partial(judge_turn, before, after, player, RULES), as_known, 1)


def _of_heap(heap: Heap, rival: Rival | None) -> Question:
    def number(sets: Sets | None) -> int:
        if sets is None:
            return 0
        return 1 if _legal(sets) and _count(sets) == Counter(heap.tiles) else WRONG

    theirs = partial(rival.arrangeable, rival.state([heap.tiles], ())) if rival else None
    return Question(heap.name, partial(arrange, heap.tiles, RULES), number, heap.arrangeable, theirs)


def _of_rack(rack: Rack, rival: Rival | None) -> Question:
    def number(opening: Opening) -> int:
        values = [judge_set(one, RULES).value or 0 for one in opening.sets]
        held = not _count(opening.sets) - Counter(rack.tiles)
        return opening.value if _legal(opening.sets) and held and sum(values) == opening.value else WRONG

    theirs = partial(rival.can_open, rival.state((), rack.tiles, opened=False)) if rival else None
    return Question(rack.name, partial(best_opening, rack.tiles, RULES), number, rack.value, theirs, _opens)


def _opens(value: int) -> int:
    return int(value >= RULES.open_points)


def _of_tiles(positions: Iterable[Position], rival: Rival | None) -> tuple[Question, ...]:
    return tuple(
        Question(
            one.name,
            partial(best_play, one.table, one.rack, RULES),
            partial(_tiles_laid, one),
            one.tiles,
            partial(rival.most_tiles, rival.state(one.table, one.rack)) if rival else None,
        )
        for one in positions
    )


def _of_value(positions: Iterable[Position], rival: Rival | None) -> tuple[Question, ...]:
    return tuple(
        Question(
            one.name,
            partial(best_play, one.table, one.rack, RULES, Aim.VALUE),
            partial(_value_laid, one, 0),
            one.value,
            partial(rival.most_value, rival.state(one.table, one.rack)) if rival else None,
        )
        for one in positions
    )


def _of_value_joker30(positions: Iterable[Position]) -> tuple[Question, ...]:
    """rummikub-solver knows no value of a joker, so it is not asked."""
    return tuple(
        Question(
            one.name,
            partial(best_play, one.table, one.rack, RULES, Aim.VALUE, 30),
            partial(_value_laid, one, 30),
            one.value_joker30,
        )
        for one in positions
    )


def _tiles_laid(position: Position, play: Play | None) -> int:
    laid = _laid(position, play)
    return WRONG if laid is None else len(laid)


def _value_laid(position: Position, joker_value: int, play: Play | None) -> int:
    laid = _laid(position, play)
    return WRONG if laid is None else sum(joker_value if tile.number is None else tile.number for tile in laid)


def _laid(position: Position, play: Play | None) -> Tiles | None:
    """The rack tiles that a play lays; None where it is none: a set illegal, a tile gone or come from nowhere."""
    if play is None or not _legal(play.sets):
        return None
    on_table, laid = _count(position.table), Counter(play.laid)
    held = not laid - Counter(position.rack)
    return play.laid if held and _count(play.sets) == on_table + laid else None


def _legal(sets: Sets) -> bool:
    """Whether each is a legal set as it is laid."""
    rulings = [judge_set(one, RULES) for one in sets]
    return all(ruling.legal and not ruling.findings for ruling in rulings)


def _count(sets: Sets) -> Counter[Tile]:
    return Counter(tile for one in sets for tile in one)


def _noted(sets: Sets) -> NotedTable:
    return tuple(sure(*one) for one in sets)
