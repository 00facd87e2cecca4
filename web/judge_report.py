"""The ruling of ``tileref judge``: a table by itself, or the turn between two tables, whatever is left unsaid.

What nobody said about the player is tried out: where every answer gives the same verdict the ruling stands, else the
referee cannot tell and says what he would have to know.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import product

from referee.findings import Finding, FindingCode, Severity
from referee.notation import Places
from referee.observation import Kind, Scene
from referee.ruleset import RuleSet
from referee.ruling import JudgedSet, Verdict
from referee.solver.lawful import can_play
from referee.solver.repair import Repair, repair
from referee.switches import OpenRelax, TablePlayFrom
from referee.tiles import Tile
from referee.turn import Player, TurnRuling, judge_turn
from web.given import GivenRack, GivenTable


class Side(StrEnum):
    """Where the tiles of a remark lie."""

    BEFORE = "before"
    AFTER = "after"
    RACK = "rack"


class Question(StrEnum):
    """What nobody said or saw; the value is the name of the answer that is missing."""

    OPENED = "opened"
    OTHERS_OPENED = "others_opened"
    RACK = "rack"
    COULD_PLAY = "could_play"


@dataclass(frozen=True, slots=True)
class Remark:
    """One finding of a report.

    The finding's tiles are places of the table ``side`` in reading order.  ``only_if`` are the answers under which it
    holds, empty where it holds under all.
    """

    finding: Finding
    side: Side = Side.AFTER
    only_if: Mapping[Question, bool] | None = None


@dataclass(frozen=True, slots=True)
class Played:
    """What the turn did; ``opening`` and ``opened`` are None where that hangs on an open question or does not apply."""

    played: tuple[Tile, ...]
    moved: tuple[Tile, ...]
    taken: tuple[Tile, ...]
    opening: int | None
    opened: bool | None


@dataclass(frozen=True, slots=True)
class Report:
    """The ruling on a table (``before`` and ``turn`` are None) or on a turn.

    ``decisive`` are the open questions on which the verdict hangs, ``unchecked`` those because of which something was
    not looked at.  ``repair`` is the smallest one of an illegal table, None where there is none to tell.
    """

    verdict: Verdict
    ruleset: RuleSet
    after: GivenTable
    remarks: tuple[Remark, ...]
    before: GivenTable | None = None
    rack: GivenRack | None = None
    turn: Played | None = None
    decisive: tuple[Question, ...] = ()
    unchecked: tuple[Question, ...] = ()
    repair: Repair | None = None

    @property
    def illegal_before(self) -> tuple[int, ...]:
        """The sets of the table before that were illegal already, by their index."""
        if self.before is None:
            return ()
        illegal = {judged.tiles for judged in self.before.ruling.sets if judged.legal is False}
        return tuple(index for index, here in enumerate(_tiles_of_sets(self.before)) if here in illegal)

    @property
    def set_rulings(self) -> tuple[JudgedSet | None, ...]:
        """The ruling on each set of the table, None for a tile that lies alone."""
        judged = {one.tiles: one for one in self.after.ruling.sets}
        return tuple(judged.get(here) for here in _tiles_of_sets(self.after))

    def legality(self, index: int) -> bool | None:
        """Whether a set of the table is legal; a tile that surely lies alone is not."""
        judged = self.set_rulings[index]
        if judged is not None:
            return judged.legal
        at = sum(len(places) for places in self.after.noted[:index])
        alone = (FindingCode.LOOSE_TILE, (at,), Severity.FAULT)
        found = {(remark.finding.code, remark.finding.tiles, remark.finding.severity) for remark in self.remarks}
        return False if alone in found else None

    def set_of(self, remark: Remark) -> int | None:
        """The set of several tiles in which all tiles of a remark lie, by its index on the remark's table."""
        table = {Side.AFTER: self.after, Side.BEFORE: self.before}.get(remark.side)
        start = 0
        for index, places in enumerate(table.noted if table else ()):
            here = range(start, start + len(places))
            if len(here) > 1 and remark.finding.tiles and set(remark.finding.tiles) <= set(here):
                return index
            start += len(places)
        return None


def _tiles_of_sets(table: GivenTable) -> Iterator[tuple[int, ...]]:
    """For each set its tiles, as indices of the observation."""
    start = 0
    for places in table.noted:
        yield tuple(i for i in table.tile_at[start : start + len(places)] if i is not None)
        start += len(places)


def judge_alone(table: GivenTable, ruleset: RuleSet) -> Report:
    """Rule on a table by itself."""
    return Report(
        verdict=table.ruling.verdict,
        ruleset=ruleset,
        after=table,
        remarks=tuple(Remark(finding) for finding in _table_findings(table)),
        repair=_repair(table, ruleset, None),
    )


def judge_step(
    before: GivenTable,
    after: GivenTable,
    ruleset: RuleSet,
    rack: GivenRack | None = None,
    opened: bool | None = None,
    others_opened: bool | None = None,
    drew: bool = False,
) -> Report:
    """Rule on the turn that led from one table to the other; None for what nobody said of the player."""
    answers = {Question.OPENED: opened, Question.OTHERS_OPENED: others_opened if _others_matter(ruleset) else False}
    open_questions = [question for question, answer in answers.items() if answer is None]
    cases: list[tuple[dict[Question, bool], TurnRuling]] = []
    could_play: bool | None = None
    for said in product(*((True, False) if answer is None else (answer,) for answer in answers.values())):
        given = dict(zip(answers, said, strict=True))
        could_play = _could_play(before, rack, given, ruleset) if drew else None
        player = Player(given[Question.OPENED], _places(rack), given[Question.OTHERS_OPENED], could_play)
        cases.append((given, judge_turn(before.noted, after.noted, player, ruleset, drew=drew)))
    if _no_table(before) or _no_table(after):
        remarks = (*_of_table_left(after), *_of_sight(before, rack, Verdict.CANNOT_TELL))
        return Report(Verdict.CANNOT_TELL, ruleset, after, remarks, before, rack)
    verdicts = {_joint(after, ruling.verdict) for _, ruling in cases}
    verdict = verdicts.pop() if len(verdicts) == 1 else Verdict.CANNOT_TELL
    first = cases[0][1]
    return Report(
        verdict=verdict,
        ruleset=ruleset,
        after=after,
        remarks=(*_of_turn(after, cases, open_questions), *_of_sight(before, rack, verdict)),
        before=before,
        rack=rack,
        turn=Played(first.played, first.moved, first.taken, *_opening(cases)),
        decisive=tuple(_decisive(cases, open_questions, after)),
        unchecked=tuple(_unchecked(first, rack, ruleset, drew, opened, could_play)),
        repair=_repair(after, ruleset, first.played) if verdict is Verdict.ILLEGAL else None,
    )


def _others_matter(ruleset: RuleSet) -> bool:
    return ruleset.table_play_from is TablePlayFrom.ALL_OPENED or ruleset.open_relax is OpenRelax.OTSU


def _places(rack: GivenRack | None) -> Places | None:
    return None if rack is None else rack.places


def _could_play(
    before: GivenTable, rack: GivenRack | None, given: Mapping[Question, bool], ruleset: RuleSet
) -> bool | None:
    """Whether a player who drew could have played; None where that cannot be known or does not matter."""
    if rack is None or not rack.certain or ruleset.draw_voluntary:
        return None
    opened, others = given[Question.OPENED], given[Question.OTHERS_OPENED]
    return can_play(before.noted, rack.tiles, opened, ruleset, others_opened=others)


def _no_table(table: GivenTable) -> bool:
    """A photo of something else: a rack, or a picture in which no tile shows its face.  An empty text is a table."""
    return table.observation.scene is Scene.RACK or (table.path is not None and not _shows_faces(table))


def _shows_faces(table: GivenTable) -> bool:
    return any(seen.kind is Kind.FACE for seen in table.observation.tiles)


def _joint(after: GivenTable, of_turn: Verdict) -> Verdict:
    """The verdict on the turn and on the table that it left, the graver of the two."""
    findings = [*_table_findings(after), *(one for judged in after.ruling.sets for one in judged.findings)]
    severities = {finding.severity for finding in findings if finding.code is not FindingCode.NO_TILES}
    legalities = {judged.legal for judged in after.ruling.sets}
    if of_turn is Verdict.ILLEGAL or Severity.FAULT in severities or False in legalities:
        return Verdict.ILLEGAL
    if of_turn is Verdict.CANNOT_TELL or Severity.DOUBT in severities or None in legalities:
        return Verdict.CANNOT_TELL
    return Verdict.LEGAL


def _opening(cases: Sequence[tuple[dict[Question, bool], TurnRuling]]) -> tuple[int | None, bool | None]:
    values = [ruling.opening for given, ruling in cases if not given[Question.OPENED]]
    opened = {ruling.opened for _, ruling in cases}
    return (values[0] if values else None), (opened.pop() if len(opened) == 1 else None)


def _decisive(
    cases: Sequence[tuple[dict[Question, bool], TurnRuling]], open_questions: Sequence[Question], after: GivenTable
) -> Iterator[Question]:
    """The open questions of which some answer changes the verdict while the other answers stay."""
    verdicts = {tuple(given.items()): _joint(after, ruling.verdict) for given, ruling in cases}
    for question in open_questions:
        for given, ruling in cases:
            other = {**given, question: not given[question]}
            if verdicts[tuple(other.items())] is not _joint(after, ruling.verdict):
                yield question
                break


def _unchecked(
    turn: TurnRuling,
    rack: GivenRack | None,
    ruleset: RuleSet,
    drew: bool,
    opened: bool | None,
    could_play: bool | None,
) -> Iterator[Question]:
    if rack is None and turn.played:
        yield Question.RACK
    if drew and opened is not False and not ruleset.draw_voluntary and could_play is None:
        yield Question.COULD_PLAY


# --- remarks ----------------------------------------------------------------------------------------------------

_OF_TABLE_BEFORE = frozenset({
    FindingCode.TABLE_TILE_TAKEN, FindingCode.TABLE_BEFORE_OPENING, FindingCode.TABLE_TOO_EARLY,
    FindingCode.SET_NOT_KEPT, FindingCode.JOKER_NOT_FREED, FindingCode.JOKER_MEANING_CHANGED,
    FindingCode.JOKER_REPLACED_FROM_TABLE, FindingCode.JOKER_NEEDS_BOTH, FindingCode.JOKER_SET_FROZEN,
    FindingCode.JOKER_IN_OLD_SET, FindingCode.JOKER_RACK_TILES, FindingCode.NOT_RESTORED,
})  # fmt: skip
"""Findings whose tiles are those of the table before the turn (``referee.findings`` says so)."""

_OF_SIGHT = frozenset({FindingCode.DOUBTFUL_TILE, FindingCode.HIDDEN_TILE_IN_SET})
"""Doubts that the ruling on the table tells with more detail than that on the turn."""

_UNSURE = frozenset({*_OF_SIGHT, FindingCode.UNREAD_TILE_AT_SET, FindingCode.UNREAD})
"""What was not surely seen."""

_GRAVITY = (Severity.NOTE, Severity.DOUBT, Severity.FAULT)


def _table_findings(table: GivenTable) -> tuple[Finding, ...]:
    """What was found on the table by itself, its tiles turned into places."""
    place_of = {index: place for place, index in enumerate(table.tile_at) if index is not None}
    return tuple(
        replace(finding, tiles=tuple(place_of[i] for i in finding.tiles if i in place_of))
        for finding in table.ruling.all_findings
    )


def _of_table_left(after: GivenTable) -> Iterator[Remark]:
    """What was found on the table after the turn by itself; that an empty one may be, was written."""
    for finding in _table_findings(after):
        if finding.code is not FindingCode.NO_TILES or after.path is not None:
            yield Remark(finding)


def _of_turn(
    after: GivenTable,
    cases: Sequence[tuple[dict[Question, bool], TurnRuling]],
    open_questions: Sequence[Question],
) -> tuple[Remark, ...]:
    """Everything found on the table after the turn and on the turn, each thing once and with its gravest severity."""
    found = {_key(remark.finding): remark for remark in _of_table_left(after)}
    for finding, when in _by_case(cases, open_questions):
        if finding.code in _OF_SIGHT:
            _weigh_doubt(found, finding)
            continue
        side = Side.BEFORE if finding.code in _OF_TABLE_BEFORE else Side.AFTER
        known = found.get(_key(finding))
        if known is None or _GRAVITY.index(finding.severity) > _GRAVITY.index(known.finding.severity):
            found[_key(finding)] = Remark(finding, side, when)
    return tuple(found.values())


def _of_sight(before: GivenTable, rack: GivenRack | None, verdict: Verdict) -> Iterator[Remark]:
    """What could not be read on the table before the turn and on the rack: doubts where the ruling is open, else notes.

    A doubt that changes nothing about its set may still leave open what the turn did.
    """
    weight = Severity.DOUBT if verdict is Verdict.CANNOT_TELL else Severity.NOTE
    for finding in _table_findings(before):
        if finding.code in _UNSURE:
            yield Remark(replace(finding, severity=weight), Side.BEFORE)
        elif finding.severity is Severity.DOUBT and not (finding.code is FindingCode.NO_TILES and before.path is None):
            yield Remark(finding, Side.BEFORE)
    places = rack.places if rack else ()
    for at, place in enumerate(places):
        if len(place.readings) > 1:
            readings = tuple(str(tile) for tile in place.readings)
            yield Remark(Finding(FindingCode.DOUBTFUL_TILE, (at,), (("readings", readings),), weight), Side.RACK)
    if hidden := sum(not place.readings for place in places):
        yield Remark(Finding(FindingCode.UNREAD, (), (("count", hidden),), weight), Side.RACK)


def _key(finding: Finding) -> object:
    return finding.code, tuple(sorted(finding.tiles)), finding.params


def _weigh_doubt(found: dict[object, Remark], doubt: Finding) -> None:
    """Give a doubt about one tile the weight that it has for the turn: it may matter there where its set is settled."""
    for key, remark in found.items():
        about = remark.finding
        if about.code is FindingCode.DOUBTFUL_TILE and about.tiles == doubt.tiles and about.severity is Severity.NOTE:
            found[key] = replace(remark, finding=replace(about, severity=doubt.severity))


def _by_case(
    cases: Sequence[tuple[dict[Question, bool], TurnRuling]], open_questions: Sequence[Question]
) -> Iterator[tuple[Finding, Mapping[Question, bool] | None]]:
    """Each finding on the turn once, with the answers that all cases in which it holds have in common."""
    holds: dict[Finding, list[dict[Question, bool]]] = {}
    for given, ruling in cases:
        for finding in ruling.findings:
            holds.setdefault(finding, []).append(given)
    for finding, where in holds.items():
        if len(where) == len(cases):
            yield finding, None
        else:
            shared = {one: where[0][one] for one in open_questions if len({given[one] for given in where}) == 1}
            yield finding, shared


# --- repairs ----------------------------------------------------------------------------------------------------


def _repair(table: GivenTable, ruleset: RuleSet, removable: Sequence[Tile] | None) -> Repair | None:
    """The smallest repair of a table with illegal sets, all of it surely read."""
    broken = any(judged.legal is False for judged in table.ruling.sets) or any(len(one) == 1 for one in table.noted)
    if not broken or not table.certain or not any(len(one) > 1 for one in table.noted):
        return None
    return repair(table.tiles, ruleset, removable)
