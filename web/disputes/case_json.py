"""A ruling on a case as a page shows it."""

from __future__ import annotations

from referee.cards import face_code
from referee.findings import Finding, Severity
from referee.observation import Kind, Observation
from referee.ruleset import RuleSet
from referee.ruling import TableRuling
from referee.tiles import Joker, Tile
from web.disputes.case import Case, Ruled
from web.examine import FACE_DOWN_CODE, alternatives, tile_code
from web.messages import deciding_rule, gathered, message
from web.report_json import Json, reading_fields


def ruled_fields(case: Case, ruled: Ruled, ruleset: RuleSet) -> Json:
    """A ruling as a page shows it: the contract of ``tileref check --json`` on the corrected table, and beside it

    ``ids`` and ``unread_ids`` (the number of each tile and unread place, which corrections name it by), ``codes`` (each
    tile as the box prints it), ``told`` (ids of what people said), ``camera`` (the camera's word: the code of each of
    its tiles by id, with its alternatives, and its verdict), ``said`` (the ruling in sentences), ``jokers`` (those of
    the box, in notation) and ``edits`` (how many corrections there are).
    """
    said = ruled.corrected
    codes = codes_of(said.observation, ruleset)
    seen_codes = codes_of(ruled.seen, ruleset)
    return {
        **reading_fields(said.observation, ruled.ruling),
        "ids": list(said.tiles),
        "unread_ids": list(said.regions),
        "codes": list(codes),
        "told": sorted(said.told),
        "camera": {
            "codes": list(seen_codes),
            "tiles": [tile_code(one) for one in ruled.seen.tiles],
            "alternatives": [[code for code, _ in alternatives(one)] for one in ruled.seen.tiles],
            "verdict": ruled.by_camera.verdict.value,
        },
        "said": said_fields(ruled.ruling, codes, ruleset),
        "faces": ruleset.faces.value,
        "jokers": jokers_of(ruleset),
        "edits": len(case.edits),
    }


def jokers_of(ruleset: RuleSet) -> list[str]:
    kinds = [Tile(joker=kind) for kind in Joker]
    return [str(kind) for kind in kinds if ruleset.held(kind)] or [str(kinds[0])]


def codes_of(seen: Observation, ruleset: RuleSet) -> tuple[str, ...]:
    """Each tile's first reading as the box prints it, ``?`` for a face-down one."""
    return tuple(
        FACE_DOWN_CODE if tile.kind is Kind.BACK else face_code(tile.readings[0].tile, ruleset.faces)
        for tile in seen.tiles
    )


def said_fields(ruling: TableRuling, codes: tuple[str, ...], ruleset: RuleSet) -> list[Json]:
    """The ruling in sentences: those of the table, then each set's; ``set`` is None, or its number from 0."""
    table: list[Json] = [
        {"set": None, "severity": weight.value, "sentence": text, "tiles": []}
        for weight, text in gathered(ruling.findings, codes)
    ]
    return [*table, *(_said(number, one, codes, ruleset) for number, one in _of_sets(ruling))]


def _of_sets(ruling: TableRuling) -> list[tuple[int, Finding]]:
    weight = {Severity.FAULT: 0, Severity.DOUBT: 1, Severity.NOTE: 2}
    found = [(number, one) for number, judged in enumerate(ruling.sets) for one in judged.findings]
    return sorted(found, key=lambda pair: weight[pair[1].severity])


def _said(number: int, finding: Finding, codes: tuple[str, ...], ruleset: RuleSet) -> Json:
    return {
        "set": number,
        "severity": finding.severity.value,
        "sentence": message(finding, codes, ruleset.faces),
        "tiles": list(finding.tiles),
        "rule": deciding_rule(finding, ruleset),
    }
