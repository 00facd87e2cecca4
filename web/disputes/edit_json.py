"""Edits as JSON: what a page sends, and what is kept."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import Any

from referee.observation import Point
from referee.tiles import Tile, parse_tile
from web.disputes.edits import Add, Clear, Cut, Edit, EditError, Move, Name, Remove, SayTable, Uncover
from web.examine import FACE_DOWN_CODE
from web.report_json import Json

_KINDS: Mapping[str, type[Edit]] = {
    "name": Name, "remove": Remove, "add": Add, "move": Move, "cut": Cut, "uncover": Uncover, "clear": Clear,
    "table": SayTable,
}  # fmt: skip


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
        raise EditError("A correction is an object with the field '{field}'.", field="edit")
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
            raise EditError("A correction is one of {known}.", known=", ".join(_KINDS))


def _number(told: Mapping[str, Any], key: str) -> int:
    value = told.get(key)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 100_000:
        raise EditError("The field '{field}' of a correction is the number of a tile.", field=key)
    return value


def _told_face(told: Mapping[str, Any]) -> Tile | None:
    value = told.get("face")
    if value == FACE_DOWN_CODE:
        return None
    try:
        return parse_tile(value if isinstance(value, str) and len(value) < 8 else "")
    except ValueError:
        raise EditError(
            "The field '{field}' of a correction is a tile such as R6 or J, or ? for face-down.", field="face"
        ) from None


def _point(told: Mapping[str, Any]) -> Point:
    value = told.get("at")
    numbers = value if isinstance(value, list) and len(value) == 2 else []
    if not numbers or not all(isinstance(one, int | float) and not isinstance(one, bool) for one in numbers):
        raise EditError("The field '{field}' of a correction is a place in the picture, [x, y].", field="at")
    x, y = (float(one) if abs(one) < 1e9 else float("nan") for one in numbers)
    if not (isfinite(x) and isfinite(y)):
        raise EditError("The field '{field}' of a correction is a place in the picture, [x, y].", field="at")
    return x, y


def _face(face: Tile | None) -> str:
    return FACE_DOWN_CODE if face is None else str(face)
