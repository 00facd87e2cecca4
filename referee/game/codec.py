"""Events as JSON lines and back.  Each line has its type and version; old versions are lifted step by step."""

from __future__ import annotations

import json
import types
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, fields
from typing import Any, Union, get_args, get_origin, get_type_hints

from referee.game.events import EVENT_TYPES, Event, TurnEnded
from referee.told import ToldError

TYPES = {one.__name__: one for one in EVENT_TYPES}
VERSIONS: Mapping[str, int] = dict.fromkeys(TYPES, 1)
"""The version that is written today."""
UPCASTS: Mapping[tuple[str, int], Callable[[dict[str, Any]], dict[str, Any]]] = {}
"""(type, version) → what makes the next version of its fields.  An event changes its shape by a step added here."""


class LogError(ToldError):
    """A log that cannot be read; one sentence that names the line."""


def encode(event: Event) -> str:
    """One event as one line of JSON."""
    name = type(event).__name__
    return json.dumps({"type": name, "v": VERSIONS[name], **asdict(event)}, ensure_ascii=False)


def decode(line: str) -> Event:
    """One line of a log as an event of today.

    Raises ``LogError`` for a broken line, an unknown type or version, and fields that are missing, unknown or wrong.
    """
    try:
        data = json.loads(line, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:  # also for a number of a million digits, and brackets without end
        raise LogError("not a line of a log: {cause}", cause=str(getattr(error, "msg", error))) from None
    if not isinstance(data, dict) or not isinstance(data.get("type"), str) or type(data.get("v")) is not int:
        raise LogError("not a line of a log: type or version is missing")
    name, version = data.pop("type"), data.pop("v")
    if name not in TYPES:
        raise LogError("{event!r} is not an event that this program knows", event=name)
    while version < VERSIONS[name] and (name, version) in UPCASTS:
        try:
            data = UPCASTS[name, version](data)
        except (KeyError, TypeError, ValueError) as error:
            raise LogError(
                "{event} of version {version} is not what it was: {cause}",
                event=name,
                version=version,
                cause=repr(error),
            ) from None
        version += 1
    if version != VERSIONS[name]:
        raise LogError(
            "{event} of version {version} is not known: this program writes version {own}",
            event=name,
            version=version,
            own=VERSIONS[name],
        )
    return _built(TYPES[name], data)


def encode_log(events: Iterable[Event]) -> str:
    """A whole log, one event a line."""
    return "".join(f"{encode(event)}\n" for event in events)


def decode_log(text: str) -> tuple[Event, ...]:
    """Read a whole log.  Raises ``LogError`` naming the first line that cannot be read."""
    events = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip():
            try:
                events.append(decode(line))
            except LogError as error:
                raise LogError("line {number}: {cause}", number=number, cause=error.told) from None
    return tuple(events)


def _no_number(name: str) -> float:
    """JSON knows no NaN and no Infinity, Python's reader does."""
    raise ValueError(f"{name} is no number")


def _built(kind: type[Event], data: Mapping[str, Any]) -> Event:
    names = {one.name for one in fields(kind)}
    if set(data) != names:
        odd = sorted(set(data) ^ names)
        raise LogError(
            "{event} does not have exactly its fields: {fields}", event=kind.__name__, fields=", ".join(odd)
        )
    hints = get_type_hints(kind)
    values: dict[str, Any] = {}
    for name, value in data.items():
        if hints[name] is TurnEnded and isinstance(value, dict):
            values[name] = _built(TurnEnded, value)
            continue
        settled = tuple(value) if isinstance(value, list) else value
        if not _fits(settled, hints[name]):
            raise LogError("{event}.{field} is wrong: {value}", event=kind.__name__, field=name, value=repr(value))
        values[name] = settled
    return kind(**values)


def _fits(value: object, hint: Any) -> bool:
    """Whether a plain value is of a field's type: a number, text, yes or no, nothing, or several of them."""
    origin = get_origin(hint)
    if origin in {Union, types.UnionType}:
        return any(_fits(value, one) for one in get_args(hint))
    if origin is tuple:
        return isinstance(value, tuple) and all(_fits(one, get_args(hint)[0]) for one in value)
    if hint is float:
        return isinstance(value, int | float) and not isinstance(value, bool)
    if hint is int:
        return isinstance(value, int) and not isinstance(value, bool)
    return isinstance(value, hint)
