"""Everything that was found on a table or a turn, each thing once, with where it lies and when it holds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from referee.findings import Finding, FindingCode, Severity
from referee.ruleset import RuleSet
from referee.ruling import Verdict
from referee.turn import TurnRuling
from web.given import GivenRack, GivenTable, over_held
from web.judge_report import Question, Remark, Side

Case = tuple[Mapping[Question, bool], TurnRuling]
"""Answers about a player, and the ruling on the turn of such a player."""

OF_TABLE_BEFORE = frozenset({
    FindingCode.TABLE_TILE_TAKEN, FindingCode.TABLE_BEFORE_OPENING, FindingCode.TABLE_TOO_EARLY,
    FindingCode.SET_NOT_KEPT, FindingCode.JOKER_NOT_FREED, FindingCode.JOKER_MEANING_CHANGED,
    FindingCode.JOKER_REPLACED_FROM_TABLE, FindingCode.JOKER_NEEDS_BOTH, FindingCode.JOKER_SET_FROZEN,
    FindingCode.JOKER_IN_OLD_SET, FindingCode.JOKER_RACK_TILES, FindingCode.NOT_RESTORED,
})  # fmt: skip
"""Findings whose tiles are those of the table before the turn (``referee.findings`` says so)."""

_OPEN = frozenset({FindingCode.DOUBTFUL_TILE, FindingCode.JOKER_KIND})
"""Tiles that may be several."""

_OF_SIGHT = frozenset({*_OPEN, FindingCode.HIDDEN_TILE_IN_SET})
"""Doubts that the ruling on the table tells with more detail than that on the turn."""

_UNSURE = frozenset({*_OF_SIGHT, FindingCode.UNREAD_TILE_AT_SET, FindingCode.SET_AT_EDGE, FindingCode.UNREAD})
"""What was not surely seen."""

_GRAVITY = (Severity.NOTE, Severity.DOUBT, Severity.FAULT)


def table_findings(table: GivenTable) -> tuple[Finding, ...]:
    """What was found on the table by itself, its tiles turned into places."""
    place_of = {index: place for place, index in enumerate(table.tile_at) if index is not None}
    return tuple(
        replace(finding, tiles=tuple(place_of[i] for i in finding.tiles if i in place_of))
        for finding in table.ruling.all_findings
    )


def of_table_left(after: GivenTable) -> Iterator[Remark]:
    """What was found on the table after the turn by itself; that an empty one may be, was written."""
    for finding in table_findings(after):
        if finding.code is not FindingCode.NO_TILES or after.path is not None:
            yield Remark(finding)


def of_turn(
    after: GivenTable,
    cases: Sequence[Case],
    open_questions: Sequence[Question],
) -> tuple[Remark, ...]:
    """Everything found on the table after the turn and on the turn, each thing once and with its gravest severity."""
    found = {_key(remark.finding): remark for remark in of_table_left(after)}
    for finding, when in _by_case(cases, open_questions):
        if finding.code in _OF_SIGHT:
            _weigh_doubt(found, finding)
            continue
        side = Side.BEFORE if finding.code in OF_TABLE_BEFORE else Side.AFTER
        known = found.get(_key(finding))
        if known is None or _GRAVITY.index(finding.severity) > _GRAVITY.index(known.finding.severity):
            found[_key(finding)] = Remark(finding, side, when)
    return tuple(found.values())


def of_sight(before: GivenTable, rack: GivenRack | None, verdict: Verdict) -> Iterator[Remark]:
    """What could not be read on the table before the turn and on the rack: doubts where the ruling is open, else notes.

    A doubt that changes nothing about its set may still leave open what the turn did.
    """
    weight = Severity.DOUBT if verdict is Verdict.CANNOT_TELL else Severity.NOTE
    for finding in table_findings(before):
        if finding.code in _UNSURE:
            yield Remark(replace(finding, severity=weight), Side.BEFORE)
        elif finding.severity is Severity.DOUBT and not (finding.code is FindingCode.NO_TILES and before.path is None):
            yield Remark(finding, Side.BEFORE)
    places = rack.places if rack else ()
    for at, place in enumerate(places):
        if len(place.readings) > 1:
            readings = tuple(str(tile) for tile in place.readings)
            joker = all(tile.is_joker for tile in place.readings)
            code = FindingCode.JOKER_KIND if joker else FindingCode.DOUBTFUL_TILE
            yield Remark(Finding(code, (at,), (("readings", readings),), weight), Side.RACK)
    if hidden := sum(not place.readings for place in places):
        yield Remark(Finding(FindingCode.UNREAD, (), (("count", hidden),), weight), Side.RACK)


def of_both(before: GivenTable, rack: GivenRack | None, ruleset: RuleSet) -> Iterator[Remark]:
    """The tiles that the table before and the rack together show more often than the box holds."""
    alone = {finding.param("tile") for finding in table_findings(before) if finding.code is FindingCode.TOO_MANY_COPIES}
    for tile, count in over_held((*before.places, *rack.places), ruleset).items() if rack else ():
        if str(tile) not in alone:
            numbers = (("count", count), ("held", ruleset.held(tile)), ("doubtful", 0))
            finding = Finding(FindingCode.TOO_MANY_COPIES, (), (("tile", str(tile)), *numbers), Severity.DOUBT)
            yield Remark(finding, Side.RACK)


def _key(finding: Finding) -> object:
    return finding.code, tuple(sorted(finding.tiles)), finding.params


def _weigh_doubt(found: dict[object, Remark], doubt: Finding) -> None:
    """Give a doubt about one tile the weight that it has for the turn: it may matter there where its set is settled."""
    for key, remark in found.items():
        about = remark.finding
        if about.code in _OPEN and about.tiles == doubt.tiles and about.severity is Severity.NOTE:
            found[key] = replace(remark, finding=replace(about, severity=doubt.severity))


def _by_case(
    cases: Sequence[Case], open_questions: Sequence[Question]
) -> Iterator[tuple[Finding, Mapping[Question, bool] | None]]:
    """Each finding on the turn once, with the answers that all cases in which it holds have in common."""
    holds: dict[Finding, list[Mapping[Question, bool]]] = {}
    for given, ruling in cases:
        for finding in ruling.findings:
            holds.setdefault(finding, []).append(given)
    for finding, where in holds.items():
        if len(where) == len(cases):
            yield finding, None
        else:
            shared = {one: where[0][one] for one in open_questions if len({given[one] for given in where}) == 1}
            yield finding, shared
