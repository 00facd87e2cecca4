"""The ruling of ``tileref judge``: a table by itself, or the turn between two tables, whatever is left unsaid.

What nobody said about the player is tried out: where every answer gives the same verdict the ruling stands, else the
referee cannot tell and says what he would have to know.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product

from referee.findings import FindingCode, Severity
from referee.notation import Places
from referee.ruleset import RuleSet
from referee.ruling import NO_TABLE, Verdict
from referee.solver.lawful import can_play
from referee.solver.repair import Repair, repair
from referee.switches import OpenRelax, TablePlayFrom
from referee.tiles import Tile
from referee.turn import Player, judge_turn
from web.given import GivenRack, GivenTable
from web.judge_remarks import Case, of_both, of_sight, of_table_left, of_turn, table_findings
from web.judge_report import Played, Question, Remark, Report


def judge_alone(table: GivenTable, ruleset: RuleSet) -> Report:
    """Rule on a table by itself."""
    return Report(
        verdict=table.ruling.verdict,
        ruleset=ruleset,
        after=table,
        remarks=tuple(Remark(finding) for finding in table_findings(table)),
        repair=_repair(table, ruleset, None) if table.ruling.verdict is Verdict.ILLEGAL else None,
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
    if _no_table(before) or _no_table(after):
        remarks = (*of_table_left(after), *of_sight(before, rack, Verdict.CANNOT_TELL))
        return Report(Verdict.CANNOT_TELL, ruleset, after, remarks, before, rack)
    if _misread(before, after, rack, ruleset):
        remarks = (*of_table_left(after), *of_sight(before, rack, Verdict.CANNOT_TELL), *of_both(before, rack, ruleset))
        return Report(_joint(after, Verdict.CANNOT_TELL), ruleset, after, remarks, before, rack)
    answers = {Question.OPENED: opened, Question.OTHERS_OPENED: others_opened if others_matter(ruleset) else False}
    open_questions = [question for question, answer in answers.items() if answer is None]
    cases: list[Case] = []
    undecided = False
    for said in product(*((True, False) if answer is None else (answer,) for answer in answers.values())):
        given = dict(zip(answers, said, strict=True))
        could_play = _could_play(before, rack, given, ruleset) if drew else None
        undecided |= drew and given[Question.OPENED] and not ruleset.draw_voluntary and could_play is None
        player = Player(given[Question.OPENED], _places(rack), given[Question.OTHERS_OPENED], could_play)
        cases.append((given, judge_turn(before.noted, after.noted, player, ruleset, drew=drew)))
    verdicts = {_joint(after, ruling.verdict) for _, ruling in cases}
    verdict = verdicts.pop() if len(verdicts) == 1 else Verdict.CANNOT_TELL
    first = cases[0][1]
    return Report(
        verdict=verdict,
        ruleset=ruleset,
        after=after,
        remarks=(*of_turn(after, cases, open_questions), *of_sight(before, rack, verdict)),
        before=before,
        rack=rack,
        turn=Played(first.played, first.moved, first.taken, *_opening(cases)),
        decisive=tuple(_decisive(cases, open_questions, after)),
        unchecked=tuple(_unchecked(nobody_saw=rack is None and bool(first.played), undecided=undecided)),
        repair=_repair(after, ruleset, first.played) if verdict is Verdict.ILLEGAL else None,
    )


def others_matter(ruleset: RuleSet) -> bool:
    """Whether the rules ask if all others have opened."""
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
    """A photo of something else: a rack, another game, a picture in which no tile shows its face.

    An empty text is a table.
    """
    return table.path is not None and not NO_TABLE.isdisjoint(finding.code for finding in table.ruling.findings)


def _misread(before: GivenTable, after: GivenTable, rack: GivenRack | None, ruleset: RuleSet) -> bool:
    """Whether photos show more copies of a tile than the box holds: some tile is another, so no change can be trusted.

    A text that does so was refused.
    """
    found = {finding.code for table in (before, after) for finding in table_findings(table)}
    return FindingCode.TOO_MANY_COPIES in found or any(of_both(before, rack, ruleset))


def _joint(after: GivenTable, of_turn: Verdict) -> Verdict:
    """The verdict on the turn and on the table that it left, the graver of the two."""
    findings = [*table_findings(after), *(one for judged in after.ruling.sets for one in judged.findings)]
    severities = {finding.severity for finding in findings if finding.code is not FindingCode.NO_TILES}
    legalities = {judged.legal for judged in after.ruling.sets}
    if of_turn is Verdict.ILLEGAL or Severity.FAULT in severities or False in legalities:
        return Verdict.ILLEGAL
    if of_turn is Verdict.CANNOT_TELL or Severity.DOUBT in severities or None in legalities:
        return Verdict.CANNOT_TELL
    return Verdict.LEGAL


def _opening(cases: Sequence[Case]) -> tuple[int | None, bool | None]:
    values = [ruling.opening for given, ruling in cases if not given[Question.OPENED]]
    opened = {ruling.opened for _, ruling in cases}
    return (values[0] if values else None), (opened.pop() if len(opened) == 1 else None)


def _decisive(cases: Sequence[Case], open_questions: Sequence[Question], after: GivenTable) -> Iterator[Question]:
    """The open questions of which some answer changes the verdict while the other answers stay."""
    verdicts = {tuple(given.items()): _joint(after, ruling.verdict) for given, ruling in cases}
    for question in open_questions:
        for given, ruling in cases:
            other = {**given, question: not given[question]}
            if verdicts[tuple(other.items())] is not _joint(after, ruling.verdict):
                yield question
                break


def _unchecked(*, nobody_saw: bool, undecided: bool) -> Iterator[Question]:
    if nobody_saw:
        yield Question.RACK
    if undecided:
        yield Question.COULD_PLAY


def _repair(table: GivenTable, ruleset: RuleSet, removable: Sequence[Tile] | None) -> Repair | None:
    """The smallest repair of a table with illegal sets, all of it surely read."""
    broken = any(judged.legal is False for judged in table.ruling.sets) or any(len(one) == 1 for one in table.noted)
    if not broken or not table.certain or not any(len(one) > 1 for one in table.noted):
        return None
    return repair(table.tiles, ruleset, removable)
