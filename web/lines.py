"""What every answer for people is made of: the verdict, the state of a set, a line that begins with a label."""

from __future__ import annotations

import click

from referee.findings import Severity
from referee.ruling import JudgedSet, Verdict
from referee.set_ruling import SetKind
from web.tongue import marked, say

VERDICT_WORDS = {
    Verdict.LEGAL: marked("LEGAL"),
    Verdict.ILLEGAL: marked("ILLEGAL"),
    Verdict.CANNOT_TELL: marked("CANNOT TELL"),
}
_VERDICT_COLOURS = {Verdict.LEGAL: "green", Verdict.ILLEGAL: "red", Verdict.CANNOT_TELL: "yellow"}
_LEGAL_WORDS = {True: "legal", False: "illegal", None: "cannot tell"}
_LEGAL_COLOURS = {True: "green", False: "red", None: "yellow"}
_SEVERITY_COLOURS = {Severity.FAULT: "red", Severity.DOUBT: "yellow", Severity.NOTE: None}
_SEVERITY_WORDS = {Severity.FAULT: marked("fault"), Severity.DOUBT: marked("doubt"), Severity.NOTE: marked("note")}
_LABEL_WIDTH = 15


def verdict_word(verdict: Verdict) -> str:
    """The verdict, bold and coloured."""
    return click.style(say(VERDICT_WORDS[verdict]), fg=_VERDICT_COLOURS[verdict], bold=True)


def legality(legal: bool | None) -> str:
    """The column that says whether a set is legal."""
    return click.style(f"{_LEGAL_WORDS[legal]:<11}", fg=_LEGAL_COLOURS[legal])


def kind_and_value(judged: JudgedSet) -> str:
    """The columns of a set's kind and value."""
    kind = "-" if judged.kind is SetKind.NONE else judged.kind.value
    return f"{kind:<5} {'' if judged.value is None else judged.value:>3}"


def labelled(label: str, text: str) -> str:
    """A line that begins with a label."""
    return f"  {label:<{_LABEL_WIDTH}} {text}"


def weighed(severity: Severity, text: str) -> str:
    """A line that begins with how much what it says weighs."""
    label = f"{say(_SEVERITY_WORDS[severity]):<{_LABEL_WIDTH}}"
    return labelled(click.style(label, fg=_SEVERITY_COLOURS[severity]), text)
