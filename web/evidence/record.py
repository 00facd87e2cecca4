"""The record of one turn: everything that was known of it as plain values, and back to what can be ruled on again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from enum import Enum
from typing import Any

from referee.cards import face_code
from referee.clock import MoveTime
from referee.ending import EndedTurn, Ending, TurnEnd
from referee.findings import Finding, FindingCode, Severity
from referee.game.codec import LogError, decode
from referee.game.commands import Command, EndTurn
from referee.game.decide import GameError, judge_end
from referee.game.events import Event, TurnEnded, TurnQuestioned, VerdictOverridden
from referee.game.state import State
from referee.notation import NotedTable, Place, format_rack, format_table, parse_rack, parse_table, sure
from referee.observation import Observation, Quad, Reading
from referee.preset_files import DEFAULT_PRESET, load_ruleset
from referee.ruleset import SWITCHES, RuleSet, ruleset_from
from referee.ruling import judge_table
from referee.switches import Faces
from referee.told import ToldError
from web.evidence.turn import HumanWord, TurnEvidence
from web.examine import FACE_DOWN_CODE
from web.judge_remarks import OF_TABLE_BEFORE
from web.messages import deciding_switch, message
from web.report_json import Json, reading_fields

FORMAT = 1


_NEEDED: Mapping[str, tuple[type, ...]] = {
    "game": (str,), "occasion": (str,), "version": (int,), "events": (int,), "log": (list,), "written_at": (int, float),
}  # fmt: skip
_OPTIONAL: Mapping[str, tuple[type, ...]] = {
    "round": (int,), "turn": (int,), "seat": (int,), "player": (str,), "command": (dict,), "ruling": (dict,),
    "rules": (dict,), "reading": (dict,), "pictures": (dict,), "words": (list,), "gaps": (list,), "removed": (list,),
    "models": (dict,), "times": (dict,), "program": (str,), "why": (str,),
}  # fmt: skip
_OF_TEXTS, _OF_MAPPINGS = ("log", "removed"), ("words", "gaps")


class RecordError(ToldError):
    """A record does not hold what it should; one sentence's end."""


def fields_of(evidence: TurnEvidence, before: State | None) -> Json:
    """What a record holds but for its pictures, the log and its place in the chain; ``before`` is the game before.

    Tiles are written in the notation of tiles, whatever the box prints; sentences as the box prints them.
    """
    rules = evidence.ruleset
    reading = evidence.reading
    command = evidence.command
    return {
        "format": FORMAT,
        "game": evidence.game,
        "occasion": evidence.occasion.value,
        "version": evidence.version,
        "events": len(evidence.events),
        **_where(evidence.events, before),
        "command": _command(command),
        "ruling": _ruling(evidence.events, before, command, rules),
        "rules": {"name": rules.name, "fingerprint": rules.fingerprint, "switches": switches_of(rules)},
        "reading": None if reading is None else reading_fields(reading, judge_table(reading, rules)),
        "words": [_word(word) for word in evidence.words],
        "models": dict(evidence.models),
        "times": {name: float(value) for name, value in evidence.times.items()},
        "program": evidence.program,
    }


def shape_fault(record: Mapping[str, Any]) -> str | None:
    """Why a record, whatever its hash says, is none that this program can read; None where it is one."""
    if record.get("format") != FORMAT:
        return f"it is written in the format {record.get('format')!r}, and this program knows {FORMAT}"
    for key, kinds in {**_NEEDED, **_OPTIONAL}.items():
        value = record.get(key)
        if value is None and (key in _OPTIONAL or key not in record):
            continue
        inside = {**dict.fromkeys(_OF_TEXTS, str), **dict.fromkeys(_OF_MAPPINGS, dict)}.get(key)
        if not isinstance(value, kinds) or isinstance(value, bool):
            return f"its {key} cannot be read"
        if isinstance(value, list) and inside is not None and not all(isinstance(one, inside) for one in value):
            return f"its {key} cannot be read"
    missing = next((key for key in _NEEDED if key not in record), None)
    if missing is not None:
        return f"its {missing} is missing"
    return _inner_fault(record)


def _inner_fault(record: Mapping[str, Any]) -> str | None:
    for picture in (record.get("pictures") or {}).values():
        if not isinstance(picture, dict) or not isinstance(picture.get("sha256"), str | None):
            return "its pictures cannot be read"
        if picture.get("kept") is True and picture.get("sha256") is None:
            return "its pictures cannot be read"
    ruling = record.get("ruling") or {}
    findings = ruling.get("findings", [])
    if not isinstance(findings, list) or not all(isinstance(one, dict) for one in findings):
        return "its ruling cannot be read"
    if any(not isinstance(ruling.get(key), int | None) for key in ("draw", "points")):
        return "its ruling cannot be read"
    return None


def seen_fields(seen: Observation | None, ruleset: RuleSet) -> Json | None:
    """What the eyes saw in one picture, before anything was reconciled."""
    return None if seen is None else reading_fields(seen, judge_table(seen, ruleset))


def switches_of(ruleset: RuleSet) -> Json:
    """Every switch of a rule set as a preset file says it."""
    return {key: _plain(getattr(ruleset, key)) for key in SWITCHES}


def ruleset_of(record: Mapping[str, Any]) -> RuleSet:
    """The rules that a record was ruled by; a switch that is younger than the record stands as in the default preset.

    Raises ``RecordError``, and ``RuleSetError`` for switches that this program does not know.
    """
    told = _mapping(record, "rules")
    default = switches_of(load_ruleset(DEFAULT_PRESET))
    return ruleset_from(str(told.get("name")), {**default, **_mapping(told, "switches")})


def command_of(record: Mapping[str, Any]) -> EndTurn | None:
    """The turn that a record tells, as the game was asked; None where it tells something else.

    Raises ``RecordError``.
    """
    told = record.get("command")
    if not isinstance(told, dict) or told.get("type") != EndTurn.__name__:
        return None
    try:
        ending, time = told["ending"], told["time"]
        bell = ending["at_bell"]
        return EndTurn(
            seat=int(told["seat"]),
            table=parse_table(told["table"]),
            ending=Ending(
                how=TurnEnd(ending["how"]),
                at_bell=None if bell is None else parse_table(bell),
                tidy_s=None if ending["tidy_s"] is None else float(ending["tidy_s"]),
                helped=bool(ending["helped"]),
                overruns=int(ending["overruns"]),
            ),
            rack=None if told["rack"] is None else tuple(_told(place) for place in parse_rack(told["rack"])),
            could_play=None if told["could_play"] is None else bool(told["could_play"]),
            time=None if time is None else MoveTime(**time),
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise RecordError("its turn cannot be read: {cause}", cause=str(error)) from error


def log_of(record: Mapping[str, Any]) -> tuple[Event, ...]:
    """The events of the game's log since the record before, up to ``version``.  Raises ``RecordError``."""
    try:
        return tuple(decode(line) for line in record["log"])
    except (LogError, KeyError, TypeError) as error:
        raise RecordError("its part of the log cannot be read: {cause}", cause=str(error)) from error


def pictures_of(record: Mapping[str, Any]) -> Mapping[str, Mapping[str, Any]]:
    """The pictures of a record by name."""
    return record.get("pictures") or {}


def ended_fields(ended: EndedTurn, before: NotedTable, command: EndTurn, ruleset: RuleSet) -> Json:
    """A ruling on a turn, with all findings and their sentences."""
    costs = ended.consequence
    return {
        "verdict": ended.verdict.value,
        "findings": [_finding(one, _codes(_meant(one, before, command), ruleset), ruleset) for one in ended.findings],
        "stands": format_table(ended.stands),
        "draw": None if costs is None else costs.draw,
        "points": None if costs is None else costs.points,
        "restore": None if costs is None else costs.restore,
    }


def _where(events: Sequence[Event], before: State | None) -> Json:
    """Round, turn, seat and player."""
    seat = next((_seat(event) for event in events if _seat(event) is not None), before.seat if before else None)
    known = before is not None and seat is not None and seat < len(before.players)
    return {
        "round": before.round if before else None,
        "turn": before.turn + 1 if before else None,
        "seat": seat,
        "player": before.players[seat] if before is not None and seat is not None and known else None,
    }


def _seat(event: Event) -> int | None:
    match event:
        case TurnEnded():
            return event.seats[0]
        case VerdictOverridden():
            return event.turn.seats[0]
        case TurnQuestioned():
            return event.seat
        case _:
            return None


def _command(command: Command | None) -> Json | None:
    if not isinstance(command, EndTurn):
        return None if command is None else {"type": type(command).__name__}
    ending = command.ending
    return {
        "type": EndTurn.__name__,
        "seat": command.seat,
        "table": format_table(command.table),
        "ending": {
            "how": ending.how.value,
            "at_bell": None if ending.at_bell is None else format_table(ending.at_bell),
            "tidy_s": ending.tidy_s,
            "helped": ending.helped,
            "overruns": ending.overruns,
        },
        "rack": None if command.rack is None else format_rack(sure(*command.rack)),
        "could_play": command.could_play,
        "time": None if command.time is None else asdict(command.time),
    }


def _ruling(events: Sequence[Event], before: State | None, command: Command | None, ruleset: RuleSet) -> Json | None:
    """The ruling with its findings; those hold where they are what the log says, else the log alone is told."""
    told = next((one for one in events if isinstance(one, TurnEnded | TurnQuestioned)), None)
    if told is None or before is None or not isinstance(command, EndTurn):
        return None
    try:
        command, ended = judge_end(before, command, ruleset)
        return ended_fields(ended, parse_table(before.table), command, ruleset)
    except (GameError, ValueError):
        return None


def _meant(finding: Finding, before: NotedTable, command: EndTurn) -> NotedTable:
    """The table whose places a finding's tiles are: before the turn, at the bell, or as it lay in the end."""
    if finding.code in OF_TABLE_BEFORE:
        return before
    bell = command.ending.at_bell if command.ending.how is TurnEnd.TIME_UP else None
    return command.table if bell is None or finding.code is FindingCode.LATE_TILE else bell


def _finding(finding: Finding, codes: Sequence[str], ruleset: RuleSet) -> Json:
    here = all(0 <= i < len(codes) for i in finding.tiles)
    return {
        "code": finding.code.value,
        "severity": finding.severity.value,
        "message": message(finding, codes, ruleset.faces) if here else finding.code.value.replace("_", " "),
        "tiles": [codes[i] for i in finding.tiles] if here else [],
        "switch": deciding_switch(finding),
        "params": {name: _plain(value) for name, value in finding.params} if here else None,
    }


def message_of(told: Mapping[str, Any], faces: Faces) -> str:
    """The sentence of a record's finding in the language that is spoken, else as it was written.

    Records that are older than the params of findings have no other.
    """
    try:
        codes = [str(code) for code in told["tiles"]]
        params = {name: tuple(one) if isinstance(one, list) else one for name, one in _mapping(told, "params").items()}
        code, severity = FindingCode(told["code"]), Severity(told["severity"])
        return message(Finding(code, tuple(range(len(codes))), tuple(params.items()), severity), codes, faces)
    except (KeyError, TypeError, ValueError):
        return str(told.get("message", ""))


def _codes(table: NotedTable, ruleset: RuleSet) -> list[str]:
    """What stands at each place of a table, as the box prints it."""
    return [
        FACE_DOWN_CODE if place.tile is None else face_code(place.tile, ruleset.faces)
        for places in table
        for place in places
    ]


def _word(word: HumanWord) -> Json:
    told: Json = {
        "quad": _corners(word.quad),
        "said": FACE_DOWN_CODE if word.said is None else str(word.said),
        "read": [_reading(one) for one in word.read],
    }
    pointed = word.pointed
    if pointed is not None:
        told |= {"did": pointed.deed.value, "was": None if pointed.read_as is None else str(pointed.read_as)}
        if pointed.beside is not None:
            told |= {"beside": _corners(pointed.beside), "after": pointed.after}
    return told


def _corners(quad: Quad) -> list[list[float]]:
    return [[round(float(x), 1), round(float(y), 1)] for x, y in quad]


def _reading(reading: Reading) -> list[object]:
    return [str(reading.tile), round(float(reading.p), 4)]


def _told(place: Place) -> Any:
    if place.tile is None:
        raise ValueError("a rack was told with a hidden tile")
    return place.tile


def _plain(value: object) -> object:
    if isinstance(value, tuple):
        return [_plain(one) for one in value]
    return value.value if isinstance(value, Enum) else value


def _mapping(record: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = record.get(key)
    if not isinstance(value, dict):
        raise RecordError("its {field} cannot be read", field=key)
    return value
