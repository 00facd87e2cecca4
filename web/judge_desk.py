"""The work of ``tileref judge``: read what was given, rule, print."""

from __future__ import annotations

from dataclasses import dataclass

from referee.ruleset import RuleSet
from web.exit_status import OF_VERDICT
from web.given import InputError, Inputs
from web.judge_cases import judge_alone, judge_step
from web.judge_json import report_line
from web.judge_report import Report
from web.judge_text import report_text
from web.output import print_result
from web.wiring import Wiring


@dataclass(frozen=True, slots=True)
class Turn:
    """A turn as it was told: ``before`` is None for an empty table, ``rack`` for one that nobody saw.

    ``opened`` and ``others_opened`` are None where nobody said.
    """

    before: str | None
    after: str
    rack: str | None
    opened: bool | None
    others_opened: bool | None
    drew: bool


def judge_given(asked: str | Turn, ruleset: RuleSet, wiring: Wiring, *, as_json: bool) -> int:
    """Rule on a table or a turn, print the ruling and return the exit status.

    Raises ``InputError``, ``EyesError`` and ``OutputError``.
    """
    inputs = Inputs(wiring, ruleset)
    report = _table(asked, inputs, ruleset) if isinstance(asked, str) else _turn(asked, inputs, ruleset)
    print_result(report_line(report) if as_json else report_text(report))
    return OF_VERDICT[report.verdict]


def _table(given: str, inputs: Inputs, ruleset: RuleSet) -> Report:
    if not given.strip():
        raise InputError("--table: an empty table holds nothing to rule on.")
    return judge_alone(inputs.table("--table", given), ruleset)


def _turn(asked: Turn, inputs: Inputs, ruleset: RuleSet) -> Report:
    before = inputs.empty_table() if asked.before is None else inputs.table("--before", asked.before)
    after = inputs.table("--after", asked.after)
    rack = None if asked.rack is None else inputs.rack("--rack", asked.rack)
    if rack is not None and rack.path is None and before.path is None:
        inputs.check_box({"--before": before.noted, "--rack": [rack.places]})
    return judge_step(before, after, ruleset, rack, asked.opened, asked.others_opened, asked.drew)
