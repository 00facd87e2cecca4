"""A case as it is kept: JSON that loses nothing."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from referee.observation import Kind, Observation, Quad, Reading, Row, Scene, SeenTile
from referee.tiles import parse_tile
from referee.told import Told, telling
from web.disputes.case import Case, State
from web.disputes.edit_json import edit_fields, edit_of
from web.report_json import Json

FORMAT = 1


class CaseError(ValueError):
    """What was kept of a case cannot be read; one sentence's end."""


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
        "why": case.why.template,
        "why_values": dict(case.why.values),
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
            why=_why(str(told["why"]), told.get("why_values", {})),
            models={str(name): str(value) for name, value in told["models"].items()},
            program=str(told["program"]),
        )
    except CaseError:
        raise
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise CaseError(f"it is damaged: {error}") from error


def _why(template: str, values: Mapping[str, str | int | float]) -> Told:
    """What was told of a photo; of files that are older it is an English sentence without values."""
    why = telling(template, **values)
    str(why)  # what cannot be said is damaged
    return why


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
