"""The JSON object of ``tileref judge --json``: its fields and their order are a contract, as those of ``check``."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import accumulate

from referee.cards import face_code
from referee.notation import format_table
from referee.ruling import JudgedSet
from referee.sets import SetKind
from referee.tiles import Tile
from web.given import GivenTable, written
from web.judge_report import Remark, Report, Side
from web.judge_text import DECISIVE, UNCHECKED, move_sentence, remark_sentence, repaired_text
from web.messages import deciding_switch
from web.version import VERSION

Json = dict[str, object]


def report_line(report: Report) -> str:
    """The whole ruling.

    Tiles are places: indices into all tiles of the table that the finding names (``table``), sets in their order.
    ``played``, ``moved``, ``taken``, ``opening`` and ``opened`` are null for a table by itself.
    """
    turn = report.turn
    return json.dumps(
        {
            "verdict": report.verdict.value,
            "rules": report.ruleset.name,
            "fingerprint": report.ruleset.fingerprint,
            "before": None if report.before is None else _noted(report.before, report),
            "after": _noted(report.after, report),
            "rack": None if report.rack is None else written(report.rack.places, report.ruleset),
            "sets": [_set(index, judged, report) for index, judged in enumerate(report.set_rulings)],
            "findings": [_finding(remark, report) for remark in report.remarks],
            "played": None if turn is None else _tiles(turn.played, report),
            "moved": None if turn is None else _tiles(turn.moved, report),
            "taken": None if turn is None else _tiles(turn.taken, report),
            "opening": None if turn is None else turn.opening,
            "opened": None if turn is None else turn.opened,
            "not_told": [DECISIVE[question] for question in report.decisive],
            "not_checked": [UNCHECKED[question] for question in report.unchecked],
            "illegal_before": list(report.illegal_before),
            "repair": _repair(report),
            "repaired": repaired_text(report),
            "repair_fewest": None if report.repair is None else report.repair.fewest,
            "photos": _photos(report),
            "version": VERSION,
            "models": _models(report),
        },
        allow_nan=False,
    )


def _noted(table: GivenTable, report: Report) -> str:
    return format_table(table.noted, faces=report.ruleset.faces)


def _tiles(tiles: Sequence[Tile], report: Report) -> list[str]:
    return [face_code(tile, report.ruleset.faces) for tile in tiles]


def _set(index: int, judged: JudgedSet | None, report: Report) -> Json:
    """One set; ``kind`` is null for what is neither run nor group, ``legal`` null for what cannot be told."""
    starts = [0, *accumulate(len(places) for places in report.after.noted)]
    places = report.after.noted[index]
    return {
        "tiles": list(range(starts[index], starts[index + 1])),
        "text": written(places, report.ruleset),
        "kind": None if judged is None or judged.kind is SetKind.NONE else judged.kind.value,
        "value": None if judged is None else judged.value,
        "legal": report.legality(index),
    }


def _finding(remark: Remark, report: Report) -> Json:
    finding = remark.finding
    return {
        "code": finding.code.value,
        "severity": finding.severity.value,
        "message": remark_sentence(remark, report),
        "table": remark.side.value,
        "set": report.set_of(remark),
        "tiles": list(finding.tiles),
        "switch": deciding_switch(finding),
        "only_if": {question.value: answer for question, answer in remark.only_if.items()} if remark.only_if else None,
    }


def _repair(report: Report) -> list[Json]:
    if report.repair is None:
        return []
    return [
        {
            "tile": face_code(move.tile, report.ruleset.faces),
            "from": move.from_set,
            "to": move.to_set,
            "message": move_sentence([move], report),
        }
        for move in report.repair.moves
    ]


def _photos(report: Report) -> Json:
    given = {Side.BEFORE: report.before, Side.AFTER: report.after, Side.RACK: report.rack}
    return {side.value: str(one.path) for side, one in given.items() if one is not None and one.path is not None}


def _models(report: Report) -> Json:
    models: Json = {}
    for one in (report.before, report.after, report.rack):
        models |= dict(one.models) if one is not None else {}
    return models
