"""A case as JSON: written down without loss, and as a page shows it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from math import isfinite
from typing import Any

from referee.cards import face_code
from referee.findings import Finding, Severity
from referee.observation import Kind, Observation, Point, Quad, Reading, Row, Scene, SeenTile
from referee.ruleset import RuleSet
from referee.ruling import TableRuling
from referee.tiles import Joker, Tile, parse_tile
from web.disputes.case import Case, Ruled, State
from web.disputes.edits import Add, Clear, Cut, Edit, EditError, Move, Name, Remove, SayTable, Uncover
from web.examine import FACE_DOWN_CODE, alternatives, tile_code
from web.messages import deciding_rule, gathered, message
from web.report_json import Json, reading_fields

FORMAT = 1

_KINDS: Mapping[str, type[Edit]] = {
    "name": Name, "remove": Remove, "add": Add, "move": Move, "cut": Cut, "uncover": Uncover, "clear": Clear,
    "table": SayTable,
}  # fmt: skip


class CaseError(ValueError):
    """What was kept of a case cannot be read; one sentence's end."""


# --- edits ------------------------------------------------------------------------------------------------------------


def edit_fields(edit: Edit) -> Json:
    """An edit for programs and for the file: ``edit`` says which, ``face`` is in the notation of tiles."""
    kind = next(name for name, made in _KINDS.items() if isinstance(edit, made))
    match edit:
        case Name():
            return {"edit": kind, "tile": edit.tile, "face": _face(edit.face)}
        case Remove() | Cut():
            return {"edit": kind, "tile": edit.tile}
        case Add():
            return {"edit": kind, "at": [round(edit.at[0], 1), round(edit.at[1], 1)], "face": _face(edit.face)}
        case Move():
            return {"edit": kind, "tile": edit.tile, "beside": edit.beside, "after": edit.after}
        case Uncover():
            return {"edit": kind, "region": edit.region, "face": _face(edit.face)}
        case Clear():
            return {"edit": kind, "region": edit.region}
        case SayTable():
            return {"edit": kind}


def edit_of(told: object) -> Edit:
    """The edit that somebody told.  Raises ``EditError``."""
    if not isinstance(told, dict):
        raise EditError("A correction is an object with the field 'edit'.")
    match told.get("edit"):
        case "name":
            return Name(_number(told, "tile"), _told_face(told))
        case "remove":
            return Remove(_number(told, "tile"))
        case "cut":
            return Cut(_number(told, "tile"))
        case "add":
            return Add(_point(told), _told_face(told))
        case "move":
            beside = None if told.get("beside") is None else _number(told, "beside")
            return Move(_number(told, "tile"), beside, told.get("after", True) is True)
        case "uncover":
            return Uncover(_number(told, "region"), _told_face(told))
        case "clear":
            return Clear(_number(told, "region"))
        case "table":
            return SayTable()
        case _:
            raise EditError(f"A correction is one of {', '.join(_KINDS)}.")


def _number(told: Mapping[str, Any], key: str) -> int:
    value = told.get(key)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 100_000:
        raise EditError(f"The field '{key}' of a correction is the number of a tile.")
    return value


def _told_face(told: Mapping[str, Any]) -> Tile | None:
    value = told.get("face")
    if value == FACE_DOWN_CODE:
        return None
    try:
        return parse_tile(value if isinstance(value, str) and len(value) < 8 else "")
    except ValueError:
        raise EditError("The field 'face' of a correction is a tile such as R6 or J, or ? for face-down.") from None


def _point(told: Mapping[str, Any]) -> Point:
    value = told.get("at")
    numbers = value if isinstance(value, list) and len(value) == 2 else []
    if not numbers or not all(isinstance(one, int | float) and not isinstance(one, bool) for one in numbers):
        raise EditError("The field 'at' of a correction is a place in the picture, [x, y].")
    x, y = (float(one) if abs(one) < 1e9 else float("nan") for one in numbers)
    if not (isfinite(x) and isfinite(y)):
        raise EditError("The field 'at' of a correction is a place in the picture, [x, y].")
    return x, y


def _face(face: Tile | None) -> str:
    return FACE_DOWN_CODE if face is None else str(face)


# --- the file ---------------------------------------------------------------------------------------------------------


def case_text(case: Case) -> str:
    """A case as it is kept."""
    fields = {
        "format": FORMAT,
        "key": case.key,
        "editor": case.editor,
        "at": case.at,
        "photo": case.photo,
        "rules": case.rules,
        "state": case.state.value,
        "reading": None if case.reading is None else _observation_fields(case.reading),
        "edits": [edit_fields(edit) for edit in case.edits],
        "why": case.why,
        "models": dict(case.models),
        "program": case.program,
    }
    return json.dumps(fields, allow_nan=False)


def case_of(text: str) -> Case:
    """The case that was kept.  Raises ``CaseError``."""
    try:
        told = json.loads(text)
        if told["format"] != FORMAT:
            raise CaseError(f"it is written in the format {told['format']!r}, and this program knows {FORMAT}")
        return Case(
            key=str(told["key"]),
            editor=str(told["editor"]),
            at=float(told["at"]),
            photo=str(told["photo"]),
            rules=str(told["rules"]),
            state=State(told["state"]),
            reading=None if told["reading"] is None else _observation(told["reading"]),
            edits=tuple(edit_of(one) for one in told["edits"]),
            why=str(told["why"]),
            models={str(name): str(value) for name, value in told["models"].items()},
            program=str(told["program"]),
        )
    except CaseError:
        raise
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise CaseError(f"it is damaged: {error}") from error


def _observation_fields(seen: Observation) -> Json:
    return {
        "width": seen.width,
        "height": seen.height,
        "scene": seen.scene.value,
        "tiles": [
            {
                "quad": _places(tile.quad),
                "kind": tile.kind.value,
                "readings": [[str(reading.tile), float(reading.p)] for reading in tile.readings],
                "confidence": float(tile.confidence),
                "doubtful": tile.doubtful,
                "joker_open": tile.joker_open,
                "facing": None if tile.facing is None else float(tile.facing),
            }
            for tile in seen.tiles
        ],
        "rows": [
            {"tiles": list(row.tiles), "gaps": [float(gap) for gap in row.gaps], "unread": list(row.unread_touching)}
            for row in seen.rows
        ],
        "loose": list(seen.loose),
        "unread": [_places(quad) for quad in seen.unread],
        "taken_at": seen.taken_at,
        "notes": list(seen.notes),
    }


def _observation(told: Mapping[str, Any]) -> Observation:
    return Observation(
        width=int(told["width"]),
        height=int(told["height"]),
        scene=Scene(told["scene"]),
        tiles=tuple(
            SeenTile(
                _quad(tile["quad"]),
                Kind(tile["kind"]),
                tuple(Reading(parse_tile(code), float(p)) for code, p in tile["readings"]),
                float(tile["confidence"]),
                bool(tile["doubtful"]),
                bool(tile["joker_open"]),
                None if tile["facing"] is None else float(tile["facing"]),
            )
            for tile in told["tiles"]
        ),
        rows=tuple(
            Row(tuple(map(int, row["tiles"])), tuple(map(float, row["gaps"])), tuple(map(int, row["unread"])))
            for row in told["rows"]
        ),
        loose=tuple(map(int, told["loose"])),
        unread=tuple(_quad(quad) for quad in told["unread"]),
        taken_at=None if told["taken_at"] is None else float(told["taken_at"]),
        notes=tuple(map(str, told["notes"])),
    )


def _places(quad: Quad) -> list[list[float]]:
    return [[float(x), float(y)] for x, y in quad]


def _quad(told: Any) -> Quad:
    one, two, three, four = ((float(x), float(y)) for x, y in told)
    return one, two, three, four


# --- the page ---------------------------------------------------------------------------------------------------------


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
