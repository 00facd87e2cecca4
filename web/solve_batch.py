"""Verified instances answered line by line: ``tileref solve --batch``.

A line is a JSON object with ``id``, ``kind`` and what that kind is given; the answer has exactly the keys that the
kind asks for.  Sets are lists without an order here: they are judged by their content.  The table may be rearranged
freely, jokers too, so of the rules only those on the box, the sets and the opening count.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import BinaryIO

from referee.cards import face_code, parse_face
from referee.findings import FindingCode
from referee.notation import NotedTable, sure
from referee.ruleset import RuleSet
from referee.ruling import Verdict
from referee.sets import judge_set
from referee.solver.plays import Aim, SpecialJokersError, arrange, best_opening, best_play
from referee.solver.special import arrange_one_set
from referee.switches import (
    FreedBy,
    FreedUse,
    GroupOfThree,
    JokerMeaning,
    JokerSet,
    ReplaceFrom,
    RowOrder,
    TablePlay,
    TablePlayFrom,
)
from referee.tiles import NotationError, Tile
from referee.turn import Player, judge_turn
from web.given import over_held, times

Json = dict[str, object]
Tiles = tuple[Tile, ...]

LONGEST_LINE_BYTES = 1_000_000
"""No instance of any box comes near; a longer line is refused without being kept in memory."""

LONGEST_QUOTE = 40

MELD_ASKED = 30
"""What ``ge30`` asks of an opening, whatever the rules' own threshold is."""

REASONS: Mapping[FindingCode, str] = {
    FindingCode.OPENING_LOW: "open_low",
    FindingCode.OPENING_JOKER: "open_low",
    FindingCode.TABLE_BEFORE_OPENING: "open_low",
    FindingCode.NOTHING_LAID: "nothing_laid",
    FindingCode.TABLE_TILE_TAKEN: "tile_taken",
    FindingCode.NOT_FROM_RACK: "not_from_rack",
}
"""The answer's word for each fault of a turn; every other fault is one of a set."""


class InstanceError(ValueError):
    """A line is no instance; the text says why, without the line's number and without a full stop."""


@dataclass(frozen=True, slots=True)
class Answered:
    """What came of one line: ``line`` to print, or the ``trouble`` with it, one sentence."""

    line: str | None = None
    trouble: str | None = None


def answer_all(file: BinaryIO, ruleset: RuleSet) -> Iterator[Answered]:
    """Answer each line as it comes; blank lines are passed over.  Raises ``OSError`` where the file cannot be read."""
    rules = _freely(ruleset)
    for number, raw in enumerate(_lines(file), 1):
        try:
            if raw is None:
                raise InstanceError(f"it is longer than {LONGEST_LINE_BYTES // 1_000_000} MB")
            if raw.strip():
                yield Answered(_answered(raw, rules))
        except (InstanceError, SpecialJokersError) as error:
            yield Answered(trouble=f"Line {number}: {error}.")


def _lines(file: BinaryIO) -> Iterator[bytes | None]:
    """Each line, None for one that is too long."""
    while raw := file.readline(LONGEST_LINE_BYTES):
        if len(raw) < LONGEST_LINE_BYTES or raw.endswith(b"\n"):
            yield raw
            continue
        while (rest := file.readline(LONGEST_LINE_BYTES)) and not rest.endswith(b"\n"):
            pass
        yield None


def _freely(ruleset: RuleSet) -> RuleSet:
    """The same box, sets and opening, with the table and its jokers free to be rearranged."""
    return replace(
        ruleset,
        row_order=RowOrder.NOTE,
        table_play=TablePlay.REBUILD,
        table_play_from=TablePlayFrom.OWN_OPENING,
        joker_replace_from=ReplaceFrom.RACK_OR_TABLE,
        joker_freed_by=FreedBy.TILE_OR_REBUILD,
        joker_group3=GroupOfThree.EITHER,
        joker_set_mutable=JokerSet.FREE,
        joker_meaning=JokerMeaning.REREADABLE,
        joker_freed_use=FreedUse.ANY_SET,
        joker_freed_rack_tiles=0,
        special_freed_by_rebuild=True,
    )


def _answered(raw: bytes, rules: RuleSet) -> str:
    instance = _instance(raw)
    kind = instance["kind"]
    if not isinstance(kind, str) or kind not in ANSWERS:
        raise InstanceError(f"{_quoted(kind)} is no kind of instance: expected {', '.join(ANSWERS)}")
    return json.dumps({"id": instance["id"], "answer": ANSWERS[kind](instance, rules)}, allow_nan=False)


# --- the kinds --------------------------------------------------------------------------------------------------


def _best_move(instance: Json, rules: RuleSet) -> Json:
    table, rack = _table(instance, "table", rules), _tiles(instance, "rack", rules)
    _check_box([*_laid_out(table), *rack], rules)
    most = best_play(table, rack, rules)
    alone = best_play((), rack, rules)
    plain = best_play(table, rack, rules, Aim.VALUE)
    dear = best_play(table, rack, rules, Aim.VALUE, joker_value=30)
    return {
        "max_tiles": len(most.laid) if most else None,
        "max_value_joker0": plain.value if plain else None,
        "max_value_joker30": dear.value if dear else None,
        "max_tiles_rack_only": len(alone.laid) if alone else None,
    }


def _arrange(instance: Json, rules: RuleSet) -> Json:
    tiles = _tiles(instance, "tiles", rules)
    _check_box(tiles, rules)
    return {"arrangeable": arrange(tiles, rules) is not None}


def _initial_meld(instance: Json, rules: RuleSet) -> Json:
    rack = _tiles(instance, "rack", rules)
    _check_box(rack, rules)
    value = best_opening(rack, rules).value
    return {"max_meld_value": value, "ge30": value >= MELD_ASKED}


def _table_valid(instance: Json, rules: RuleSet) -> Json:
    table = _table(instance, "table", rules)
    bad = [index for index, tiles in enumerate(table) if _in_order(tiles, rules) is None]
    return {"valid": not bad, "bad_sets": bad}


def _transition(instance: Json, rules: RuleSet) -> Json:
    before, after = (_table(instance, key, rules) for key in ("before", "after"))
    rack = _tiles(instance, "rack", rules)
    opened = instance.get("opened_before")
    if not isinstance(opened, bool):
        raise InstanceError(_expected(instance, "opened_before", "true or false"))
    _check_box([*_laid_out(before), *rack], rules)
    ruling = judge_turn(_noted(before, rules), _noted(after, rules), Player(opened, sure(*rack)), rules)
    found = {REASONS.get(code, "illegal_set") for code in ruling.faults}
    if any(_in_order(tiles, rules) is None for tiles in after):
        found.add("illegal_set")  # also one that lay there before: the table is asked about, not whose fault it is
    reasons = [reason for reason in ("illegal_set", *dict.fromkeys(REASONS.values())) if reason in found]
    if not reasons and ruling.verdict is not Verdict.LEGAL:
        raise InstanceError("nobody can tell whether this turn is legal")
    return {"legal": not reasons, "reasons": reasons}


ANSWERS: Mapping[str, Callable[[Json, RuleSet], Json]] = {
    "best_move": _best_move,
    "arrange": _arrange,
    "initial_meld": _initial_meld,
    "table_valid": _table_valid,
    "transition": _transition,
}


# --- sets without an order --------------------------------------------------------------------------------------


def _laid_out(table: Sequence[Tiles]) -> list[Tile]:
    return [tile for tiles in table for tile in tiles]


def _noted(table: Sequence[Tiles], rules: RuleSet) -> NotedTable:
    return tuple(sure(*(_in_order(tiles, rules) or tiles)) for tiles in table)


def _in_order(tiles: Tiles, rules: RuleSet) -> Tiles | None:
    """The order of the highest value in which these tiles are a legal set; None where they are none."""
    if any(tile.is_joker for tile in tiles):
        return arrange_one_set(tiles, rules)
    return tiles if judge_set(tiles, rules).legal else None


# --- reading ----------------------------------------------------------------------------------------------------


def _instance(raw: bytes) -> Json:
    try:
        instance = json.loads(raw.decode())
    except UnicodeDecodeError:
        raise InstanceError("it is no text in UTF-8") from None
    except (ValueError, RecursionError):
        raise InstanceError("it is no valid JSON") from None
    if not isinstance(instance, dict):
        raise InstanceError("it is no JSON object")
    for key in ("id", "kind"):
        if key not in instance:
            raise InstanceError(f"{key} is missing")
    try:
        json.dumps(instance["id"], allow_nan=False)
    except (ValueError, RecursionError):  # NaN, or a number beyond all bounds: read, yet it could not be printed
        raise InstanceError("id cannot be written as JSON") from None
    return instance


def _table(instance: Json, key: str, rules: RuleSet) -> list[Tiles]:
    sets = instance.get(key)
    if not isinstance(sets, list) or not all(isinstance(one, list) and one for one in sets):
        raise InstanceError(_expected(instance, key, "a list of sets, each a list of tiles"))
    table = [_parsed(one, key, rules) for one in sets]
    if sum(map(len, table)) > rules.box_size:
        raise InstanceError(f"{key} holds more tiles than the box, {rules.box_size}")
    return table


def _tiles(instance: Json, key: str, rules: RuleSet) -> Tiles:
    codes = instance.get(key)
    if not isinstance(codes, list):
        raise InstanceError(_expected(instance, key, "a list of tiles"))
    if len(codes) > rules.box_size:
        raise InstanceError(f"{key} holds more tiles than the box, {rules.box_size}")
    return _parsed(codes, key, rules)


def _parsed(codes: Sequence[object], key: str, rules: RuleSet) -> Tiles:
    tiles = []
    for code in codes:
        if not isinstance(code, str):
            raise InstanceError(f"{key} holds {_quoted(code)} where a tile is expected")
        try:
            tiles.append(parse_face(code, rules.faces))
        except NotationError:
            raise InstanceError(f"{key} holds {_quoted(code)}, which is no tile") from None
    return tuple(tiles)


def _check_box(tiles: Sequence[Tile], rules: RuleSet) -> None:
    for tile, count in over_held(sure(*tiles), rules).items():
        code, held = face_code(tile, rules.faces), rules.held(tile)
        raise InstanceError(f"{code} is there {times(count)}, and the box of {rules.name} holds {held or 'none'}")


def _expected(instance: Json, key: str, what: str) -> str:
    return f"{key} is missing" if key not in instance else f"{key} is not {what}"


def _quoted(value: object) -> str:
    text = json.dumps(value)
    return text if len(text) <= LONGEST_QUOTE else f"{text[:LONGEST_QUOTE]}…"
