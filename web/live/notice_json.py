"""What a live table says, for programs: one JSON object a line."""

from __future__ import annotations

import json
from dataclasses import asdict

import click

from web.live.notices import LiveRuling, Notice
from web.live.words import Words


def ruling_fields(ruling: LiveRuling) -> dict[str, object]:
    """What every program is told of a ruling, wherever it is told."""
    return {
        "verdict": ruling.verdict.value,
        "final": ruling.final,
        "by": ruling.by,
        "laid": [str(tile) for tile in ruling.laid],
        "drew": ruling.drew,
        "took": ruling.took,
        "points": ruling.points,
        "opening": ruling.opening,
    }


def notice_line(notice: Notice, words: Words, seal: str = "") -> str:
    """A notice as one line of JSON, with its sentences; ``seal`` is that of the evidence, where one is told."""
    ruling = notice.ruling
    text = [click.unstyle(line) for line in words.lines(notice)]
    data: dict[str, object] = {"code": notice.code.value, "at": round(notice.at, 3), "text": text}
    if notice.seat is not None:
        data["seat"] = notice.seat
    if ruling is not None:
        data["ruling"] = {
            **ruling_fields(ruling),
            "findings": [
                {"code": finding.code.value, "severity": finding.severity.value, **dict(finding.params)}
                for finding in ruling.findings
            ],
        }
    if notice.questions:
        data["questions"] = [
            {"quad": asdict(question)["quad"], "kind": question.kind.value, "choices": list(map(str, question.choices))}
            for question in notice.questions
        ]
    for name in ("tiles", "numbers"):
        values = getattr(notice, name)
        if values:
            data[name] = [value if isinstance(value, int) else str(value) for value in values]
    if seal:
        data["seal"] = seal
    if notice.seconds is not None:
        data["seconds"] = round(notice.seconds, 3)
    return json.dumps(data, ensure_ascii=False)
