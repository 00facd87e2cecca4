"""Acts as JSON: {"act": "CallTurnEnd", ...} with the fields of the act (``web.live.acts``), tiles in notation.

The same table of types reads an act and describes it for other programs.
"""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Mapping
from typing import Any, Union, get_args, get_origin, get_type_hints

from referee.game.decide import GameError, parse_told_rack
from referee.observation import Point
from referee.ruleset import RuleSet
from referee.tiles import Tile
from referee.told import ToldError
from web.live import acts
from web.live.acts import Act
from web.report_json import Json

LONGEST_TEXT = 2000
MOST_ITEMS = 200
LARGEST = 100_000
_NOT_ASKED = {"called_at"}
"""Fields that the program itself fills in."""
ACTS: Mapping[str, type[Act]] = {kind.__name__: kind for kind in get_args(acts.Act)}


class ActError(ToldError):
    """What was asked is no act; one sentence."""


def read_act(data: object, ruleset: RuleSet) -> Act:
    """An act as it was sent.  Raises ``ActError``."""
    if not isinstance(data, dict):
        raise ActError("An act is an object such as {form}.", form='{"act": "CallTurnEnd"}')
    name = data.get("act")
    kind = ACTS.get(name) if isinstance(name, str) else None
    if kind is None:
        raise ActError("There is no act {act!r}: known are {known}.", act=str(name)[:40], known=", ".join(sorted(ACTS)))
    hints = _hints(kind)
    unknown = set(data) - {"act", *hints}
    if unknown:
        extra = min(map(str, unknown))[:40]
        if not hints:
            raise ActError("{act} has no {field!r}: it has no fields.", act=kind.__name__, field=extra)
        known = ", ".join(hints)
        raise ActError("{act} has no {field!r}: it has {known}.", act=kind.__name__, field=extra, known=known)
    missing = [field for field in hints if field not in data and _is_needed(kind, field)]
    if missing:
        raise ActError("{act} needs {field!r}.", act=kind.__name__, field=missing[0])
    values = {field: _read(f"{name}.{field}", data[field], hints[field], ruleset) for field in hints if field in data}
    return kind(**values)


def _read(what: str, value: object, wanted: Any, ruleset: RuleSet) -> Any:
    if _is_optional(wanted):
        if value is None:
            return None
        wanted = next(one for one in get_args(wanted) if one is not type(None))
    if wanted == Point:
        return _point(what, value)
    if get_origin(wanted) is tuple:
        if not isinstance(value, list) or len(value) > MOST_ITEMS:
            raise ActError("{field} is a list of at most {most}.", field=what, most=MOST_ITEMS)
        return tuple(_read(what, one, get_args(wanted)[0], ruleset) for one in value)
    if wanted is Tile:
        return _tile(what, value, ruleset)
    if wanted is str:
        if not isinstance(value, str) or len(value) > LONGEST_TEXT:
            raise ActError("{field} is a text of at most {most} letters.", field=what, most=LONGEST_TEXT)
        return value
    if type(value) is not wanted:  # True is no number here
        if wanted is bool:
            raise ActError("{field} is true or false.", field=what)
        raise ActError("{field} is a whole number.", field=what)
    if wanted is int and not -LARGEST <= value <= LARGEST:  # type: ignore[operator]  # it was just looked at
        raise ActError("{field} is a number up to {most}.", field=what, most=LARGEST)
    return value


def _point(what: str, value: object) -> Point:
    if isinstance(value, list) and len(value) == 2 and all(type(one) in {int, float} for one in value):
        x, y = float(value[0]), float(value[1])
        if abs(x) <= LARGEST and abs(y) <= LARGEST:  # no number is not
            return x, y
    raise ActError("{field} is a place in the picture, [x, y].", field=what)


def _tile(what: str, value: object, ruleset: RuleSet) -> Tile:
    if not isinstance(value, str):
        raise ActError("{field} is a tile in notation, such as R6.", field=what)
    try:
        tiles = parse_told_rack(value[:LONGEST_TEXT], ruleset)
    except GameError as error:
        raise ActError("{field}: {cause}.", field=what, cause=error.told) from error
    if len(tiles) != 1:
        raise ActError("{field} is one tile, such as R6.", field=what)
    return tiles[0]


def act_schemas() -> list[Json]:
    """A JSON schema for each act."""
    return [_schema(kind) for kind in ACTS.values()]


def _schema(kind: type[Act]) -> Json:
    hints = _hints(kind)
    summary = " ".join((kind.__doc__ or "").split())
    return {
        "title": kind.__name__,
        "description": summary,
        "type": "object",
        "additionalProperties": False,
        "required": ["act", *(name for name in hints if _is_needed(kind, name))],
        "properties": {
            "act": {"type": "string", "enum": [kind.__name__]},
            **{name: _field_schema(hint) for name, hint in hints.items()},
        },
    }


def _field_schema(wanted: Any) -> Json:
    if _is_optional(wanted):
        inner = _field_schema(next(one for one in get_args(wanted) if one is not type(None)))
        return {**inner, "type": [inner["type"], "null"]}
    if wanted == Point:
        number: Json = {"type": "number", "minimum": -LARGEST, "maximum": LARGEST}
        return {"type": "array", "minItems": 2, "maxItems": 2, "items": number}
    if get_origin(wanted) is tuple:
        return {"type": "array", "maxItems": MOST_ITEMS, "items": _field_schema(get_args(wanted)[0])}
    if wanted is bool:
        return {"type": "boolean"}
    if wanted is int:
        return {"type": "integer", "minimum": -LARGEST, "maximum": LARGEST}
    return {"type": "string", "maxLength": LONGEST_TEXT}


def _hints(kind: type[Act]) -> dict[str, Any]:
    return {name: hint for name, hint in get_type_hints(kind).items() if name not in _NOT_ASKED}


def _is_needed(kind: type[Act], name: str) -> bool:
    field = next(one for one in dataclasses.fields(kind) if one.name == name)
    return field.default is dataclasses.MISSING


def _is_optional(wanted: Any) -> bool:
    return get_origin(wanted) in {Union, types.UnionType} and type(None) in get_args(wanted)
