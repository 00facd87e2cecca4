"""The OpenAPI document of the JSON interface, made of its one table of routes."""

from __future__ import annotations

import re
from collections.abc import Mapping

from referee.preset_files import preset_names
from web.dashboard.access import WITHOUT_CSRF
from web.dashboard.act_json import act_schemas
from web.dashboard.api import (
    LARGEST_NUMBER,
    LONGEST_BOX,
    LONGEST_NAME,
    LONGEST_SECRET,
    MOST_PLAYERS,
    PREFIX,
    ROUTES,
    Route,
)
from web.dashboard.camera_api import FOUND, LARGEST_SIDE
from web.disputes.case import MOST_EDITS, State
from web.disputes.edit_json import EDITS
from web.disputes.shelf import KEY
from web.report_json import Json
from web.version import VERSION

_PARAMETER = re.compile(r"<(?:[a-z]+:)?([a-z]+)>")
_TEXT: Json = {"type": "string"}
_PATH: Mapping[str, Json] = {
    "table": {"type": "string", "pattern": "^[a-z0-9-]+$"},
    "key": {"type": "string", "pattern": f"^{KEY.pattern}$"},
}
_QUERY: Mapping[str, Json] = {
    "rules": {"type": "string", "enum": list(preset_names())},
    "name": {"type": "string", "maxLength": 200},
    "box": {"type": "string", "maxLength": LONGEST_BOX},
}
_NUMBER: Json = {"type": "integer", "minimum": 0, "maximum": LARGEST_NUMBER}
"""What any other parameter of a query is."""
_WHOLE: Json = {"type": "integer"}
_TABLE: Json = {
    "type": "object",
    "required": ["id", "seq"],
    "properties": {"id": {"type": "string"}, "seq": {"type": "integer"}},
}
_FREE: Json = {"type": "object"}
_POINT: Json = {"type": "array", "minItems": 2, "maxItems": 2, "items": {"type": "number"}}
_CORNERS: Json = {"type": "array", "minItems": 4, "maxItems": 4, "items": _POINT}
_FACE: Json = {"type": "string", "maxLength": 7, "description": "A tile such as R6 or J, or ? for face-down."}
_EDIT: Json = {
    "edit": {"type": "string", "enum": list(EDITS)},
    "tile": {"type": "integer", "minimum": 0, "maximum": 99_999},
    "region": {"type": "integer", "minimum": 0, "maximum": 99_999},
    "beside": {"type": ["integer", "null"], "minimum": 0, "maximum": 99_999},
    "after": {"type": "boolean"},
    "face": _FACE,
    "at": _POINT,
}
_ANSWERS = {
    200: "Done", 201: "It is begun", 204: "Nothing is there to be told", 400: "It cannot be understood",
    403: "It is not allowed", 404: "There is nothing of this name", 409: "It is refused just now",
    413: "It is too large", 415: "It is no JSON", 429: "Too many tries", 503: "Nobody answers just now",
}  # fmt: skip


def document(cookie: str) -> Json:
    """OpenAPI 3.1; ``cookie`` is the name of the session's."""
    paths: dict[str, dict[str, Json]] = {}
    for route in ROUTES:
        path = PREFIX + _PARAMETER.sub(r"{\1}", route.path)
        paths.setdefault(path, {})[route.method.lower()] = _operation(route)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "tileref",
            "version": VERSION,
            "description": "A camera referee at its tables. Whatever changes something sends the token of its session "
            "in the header X-CSRF-Token.",
        },
        "paths": paths,
        "components": {
            "schemas": _schemas(),
            "securitySchemes": {"session": {"type": "apiKey", "in": "cookie", "name": cookie}},
        },
    }


def _operation(route: Route) -> Json:
    parameters = [
        {"name": name, "in": "path", "required": True, "schema": _PATH[name]}
        for name in _PARAMETER.findall(route.path)
    ]
    parameters += [
        {"name": name, "in": "query", "schema": _QUERY.get(name, _NUMBER)}
        for name in route.query
    ]
    answers = dict(route.answers)
    if route.body and "/" not in route.body and f"api.{route.view.__name__}" not in WITHOUT_CSRF:
        answers[415] = "Trouble"
    found: Json = {
        "operationId": route.view.__name__,
        "summary": route.summary,
        "description": f"For {route.role}.",
        "parameters": parameters,
        "responses": {str(status): _response(status, what) for status, what in sorted(answers.items())},
    }
    if "/" in route.body:
        binary: Json = {"type": "string", "format": "binary"}
        found["requestBody"] = {"required": True, "content": {route.body: {"schema": binary}}}
    elif route.body:
        found["requestBody"] = {"required": True, "content": {"application/json": {"schema": _named(route.body)}}}
    if route.role != "everybody":
        found["security"] = [{"session": []}]
    return found


def _response(status: int, what: str) -> Json:
    found: Json = {"description": _ANSWERS[status]}
    if "/" in what:
        found["content"] = {what: {}}
    elif what:
        found["content"] = {"application/json": {"schema": _named(what)}}
    return found


def _named(schema: str) -> Json:
    return {"$ref": f"#/components/schemas/{schema}"}


def _object(**properties: Json) -> Json:
    return {"type": "object", "required": list(properties), "properties": properties}


def _schemas() -> Json:
    name: Json = {"type": "string", "minLength": 1, "maxLength": LONGEST_NAME}
    notices: Json = {"type": "array", "items": _object(seq=_WHOLE, code=_TEXT, text={"type": "array", "items": _TEXT})}
    return {
        "Act": {"oneOf": act_schemas()},
        "Trouble": {
            "type": "object",
            "required": ["error"],
            "properties": {
                "error": _TEXT,
                "anyway": {"type": "boolean", "description": "Whether the same with anyway: true is done."},
            },
        },
        "Pin": _object(pin={"type": "string", "maxLength": LONGEST_SECRET}),
        "Token": _object(token={"type": "string", "maxLength": LONGEST_SECRET}),
        "Session": _object(referee={"type": "boolean"}, csrf=_TEXT),
        "Seat": _object(seat=_WHOLE, name=_TEXT, csrf=_TEXT),
        "Game": {
            "type": "object",
            "required": ["players"],
            "properties": {
                "players": {"type": "array", "minItems": 2, "maxItems": MOST_PLAYERS, "items": name},
                "starter": {"type": ["integer", "null"], "minimum": 0, "maximum": MOST_PLAYERS - 1},
                "rules": {"type": "string", "enum": ["", *preset_names()]},
                "box": {"type": ["string", "null"], "maxLength": LONGEST_BOX},
                "anyway": {"type": "boolean"},
            },
        },
        "Region": _object(
            width=_WHOLE, height=_WHOLE, corners={**_CORNERS, "type": ["array", "null"]}, found_by=_TEXT,
            trouble=_TEXT,
        ),
        "AskedRegion": {
            "oneOf": [
                {**_object(find={"type": "string", "enum": list(FOUND)}), "additionalProperties": False},
                {
                    **_object(
                        corners=_CORNERS,
                        width={"type": "integer", "minimum": 1, "maximum": LARGEST_SIDE},
                        height={"type": "integer", "minimum": 1, "maximum": LARGEST_SIDE},
                    ),
                    "additionalProperties": False,
                },
            ]
        },
        "Light": _object(
            grade=_TEXT, tiles={"type": ["integer", "null"]}, trouble=_TEXT,
            measures={
                "type": "array",
                "items": _object(cause=_TEXT, grade=_TEXT, words=_TEXT, share={"type": "number"}, text=_TEXT),
            },
            sentences={"type": "array", "items": _TEXT},
        ),
        "Correction": _object(
            after={"type": "integer", "minimum": 0, "maximum": MOST_EDITS},
            edit={"type": ["object", "null"], "required": ["edit"], "properties": _EDIT},
        ),
        "Rules": _object(rules=_QUERY["rules"]),
        "Dispute": {
            "type": "object",
            "required": ["state", "before", "why", "may"],
            "properties": {
                "key": _TEXT,
                "state": {"type": "string", "enum": [state.value for state in State]},
                "before": {"type": ["integer", "null"]},
                "why": _TEXT,
                "may": {"type": "boolean"},
                "reading": _FREE,
            },
        },
        "Taken": _object(seen=_WHOLE, dropped=_WHOLE, fault=_TEXT),
        "Table": _TABLE,
        "Done": _object(seq=_WHOLE, notices=notices),
        "News": {
            "type": "object",
            "required": ["seq", "referee", "notices"],
            "properties": {
                "seq": _WHOLE,
                "referee": {"type": "boolean"},
                "notices": notices,
                "trouble": _TEXT,
                "view": {"type": ["object", "null"]},
                "picture": _object(number=_WHOLE, width=_WHOLE, height=_WHOLE),
            },
        },
        "Tables": _object(version=_TEXT, tables={"type": "array", "items": _TABLE}),
        "Document": _FREE,
    }
