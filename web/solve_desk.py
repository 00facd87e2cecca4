"""The work of ``tileref solve``: one position, or a file of instances."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from referee.ruleset import RuleSet
from referee.solver.plays import Aim
from web.exit_status import BAD_INPUT, CANNOT_TELL, ILLEGAL, OK
from web.given import InputError, Inputs
from web.output import print_result, print_trouble
from web.solve_batch import answer_all
from web.solve_json import solution_line
from web.solve_report import Found, solved
from web.solve_text import solution_text
from web.wiring import Wiring

STANDARD_INPUT = "-"

_STATUS = {Found.PLAY: OK, Found.NO_PLAY: ILLEGAL, Found.CANNOT_TELL: CANNOT_TELL}


@dataclass(frozen=True, slots=True)
class Position:
    """A position as it was told; ``table`` is None for an empty table."""

    table: str | None
    rack: str
    aim: Aim
    opened: bool
    others_opened: bool


def solve_given(asked: Position, ruleset: RuleSet, wiring: Wiring, *, as_json: bool) -> int:
    """Find the best play, print it and return the exit status.

    Raises ``InputError``, ``EyesError`` and ``OutputError``.
    """
    inputs = Inputs(wiring, ruleset)
    table = inputs.empty_table() if asked.table is None else inputs.table("--table", asked.table)
    rack = inputs.rack("--rack", asked.rack)
    if rack.path is None:
        if not rack.places:
            raise InputError("--rack: an empty rack has nothing to play.")
        if table.path is None:
            inputs.check_box({"--table": table.noted, "--rack": [rack.places]})
    solution = solved(table, rack, ruleset, asked.aim, opened=asked.opened, others_opened=asked.others_opened)
    print_result(solution_line(solution) if as_json else solution_text(solution))
    return _STATUS[solution.found]


def solve_batch(name: str, ruleset: RuleSet) -> int:
    """Answer every instance of a file as it comes; a line that is none is said, and the others are answered.

    Raises ``InputError`` and ``OutputError``.
    """
    try:
        with _opened(name) as file:
            return _answer(file, ruleset)
    except OSError as error:  # a folder, or a disk that fails halfway
        raise InputError(f"{name} cannot be read: {(error.strerror or str(error)).lower()}.") from error


def _opened(name: str) -> AbstractContextManager[BinaryIO]:
    if name != STANDARD_INPUT:
        if "\0" in name:
            raise InputError(f"{name} cannot be read: no file has such a name.")
        return Path(name).open("rb")
    if sys.stdin is None:
        raise InputError("The standard input cannot be read: it is closed.")
    return nullcontext(sys.stdin.buffer)


def _answer(file: BinaryIO, ruleset: RuleSet) -> int:
    status = OK
    for answered in answer_all(file, ruleset):
        if answered.line is not None:
            print_result(answered.line)
        if answered.trouble is not None:
            print_trouble(answered.trouble)
            status = BAD_INPUT
    return status
