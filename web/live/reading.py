"""From a still sight to a table that can be ruled on: reconciled, written down, what must be asked about it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from referee.findings import Finding, FindingCode, Severity
from referee.joker_kinds import with_joker_kinds
from referee.kept_sets import keep_sets
from referee.located import Located, locate
from referee.notation import NotedTable, parse_table
from referee.observation import Kind, Observation, Quad
from referee.protocol import SeenTable
from referee.recall import as_answered
from referee.reconcile import AcceptedTable, HumanAnswer, Question, QuestionCode, Reconciled, reconcile
from referee.ruleset import RuleSet
from referee.ruling import TableRuling, judge_table
from referee.table import split_table
from referee.tiles import parse_tile
from web.live.notices import QuestionKind, TileQuestion
from web.noting import noted_from

KINDS = {
    QuestionCode.DOUBTFUL: QuestionKind.DOUBTFUL,
    QuestionCode.READS_OTHERWISE: QuestionKind.CHANGED,
    QuestionCode.FACE_DOWN: QuestionKind.CHANGED,
    QuestionCode.NOT_SEEN: QuestionKind.MISSING,
    QuestionCode.TOO_MANY_COPIES: QuestionKind.COPIES,
    QuestionCode.HIDDEN: QuestionKind.HIDDEN,
}
"""What each question is to a human."""
_OF_TILES = frozenset({
    FindingCode.DOUBTFUL_TILE, FindingCode.JOKER_KIND, FindingCode.TOO_MANY_COPIES, FindingCode.SUSPECT_TILE,
})  # fmt: skip
"""Doubts that a tile's name settles: they are asked as questions, or left to the ruling on the turn.  (Tiles without a
face are asked about too, but a ruling never passes over them.)"""


@dataclass(frozen=True, slots=True)
class Reading:
    """A still table as it was read.

    ``quads`` has one for each place of ``seen.table`` in reading order, None for a covered tile.  ``accepted`` is what
    it was compared with.
    """

    seen: SeenTable
    reconciled: Reconciled
    quads: tuple[Quad | None, ...]
    accepted: AcceptedTable
    located: Located
    """The table of the log in this picture."""
    ruling: TableRuling
    """On this table by itself, whatever was there before."""
    eyes: Observation
    """What the eyes and humans who pointed say, before anything was reconciled; its tiles come first there too."""

    @property
    def observation(self) -> Observation:
        return self.reconciled.observation

    suspects: tuple[Question, ...] = ()
    """Sure tiles that make their set illegal while a far less likely reading would not, jokers of open kinds, and what
    may be a tile without a face at a set."""

    @property
    def questions(self) -> tuple[Question, ...]:
        asked = {question.index for question in self.reconciled.questions} - {None}
        return (*self.reconciled.questions, *(one for one in self.suspects if one.index not in asked))

    @property
    def asked(self) -> tuple[TileQuestion, ...]:
        """The questions as a screen shows them."""
        return tuple(
            TileQuestion(number, question.quad, question.choices, KINDS[question.why])
            for number, question in enumerate(self.questions)
        )


def read_table(
    observation: Observation,
    accepted: AcceptedTable | None,
    answers: Sequence[HumanAnswer],
    standing: str,
    ruleset: RuleSet,
    times: tuple[float, float],
    home: Located | None = None,
) -> Reading:
    """Read a still table beside the accepted one; ``standing`` is the table of the log, in notation.

    ``times`` are when the last frame was captured, and since when nothing moved; ``home`` is where the sets of the
    accepted table lay: those that lie whole and unmoved are kept as sets.  Where more of the standing table is
    found by its sets than by the places where they lay, the picture has shifted, and the places are taken anew.
    """
    wanted = parse_table(standing)
    sight = with_joker_kinds(observation, ruleset)
    reconciled = reconcile(sight, accepted, answers, ruleset)
    told = as_answered(sight, answers) if accepted is None else reconciled.observation
    located = locate(wanted, told)
    if accepted is None or len(located.accepted.tiles) > len(reconciled.unmoved):
        accepted, home = located.accepted, located
        reconciled = reconcile(sight, accepted, answers, ruleset)
    if home is not None:
        kept = keep_sets(reconciled.observation, reconciled.unmoved, home.accepted.noted, home)
        reconciled = replace(reconciled, observation=kept)
        located = locate(wanted, kept)
    ruling = judge_table(reconciled.observation, ruleset)
    noted, tile_at = noted_from(reconciled.observation, ruling)
    tiles = reconciled.observation.tiles
    untouched = _is_untouched(reconciled, wanted, located)
    suspects = (
        *_suspects(ruling.all_findings, reconciled.observation),
        *_open_jokers(reconciled.observation),
        *_hidden(reconciled.observation),
    )
    must_ask = any(question.why is not QuestionCode.DOUBTFUL for question in reconciled.questions)
    seen = SeenTable(
        table=noted,
        captured_at=times[0],
        still_since=times[1],
        untouched=untouched,
        must_ask=must_ask or reconciled.another_table,
        may_ask=bool(reconciled.questions or suspects),
        doubts=tuple(_placed(finding, tile_at) for finding in _doubts(ruling.all_findings, reconciled, wanted)),
    )
    quads = tuple(None if index is None else tiles[index].quad for index in tile_at)
    return Reading(seen, reconciled, quads, accepted, located, ruling, sight, suspects)


def _placed(finding: Finding, tile_at: Sequence[int | None]) -> Finding:
    """A finding about tiles of the observation, told of their places on the written table."""
    places = {index: place for place, index in enumerate(tile_at) if index is not None}
    return replace(finding, tiles=tuple(places[i] for i in finding.tiles if i in places))


def _suspects(findings: Sequence[Finding], observation: Observation) -> Iterator[Question]:
    for finding in findings:
        if finding.code is FindingCode.SUSPECT_TILE:
            (index,) = finding.tiles
            read, instead = (parse_tile(str(finding.param(name))) for name in ("read", "instead"))
            yield Question(index, observation.tiles[index].quad, (read, instead), QuestionCode.DOUBTFUL, read)


def _is_untouched(reconciled: Reconciled, wanted: NotedTable, located: Located) -> bool:
    """Whether everything lies where it lay: each tile of the log was found in its set, and nothing else is there."""
    tiles = sum(map(len, wanted))
    faces = len(reconciled.unmoved) + len(reconciled.moved) + len(reconciled.new)
    if reconciled.missing or reconciled.observation.unread or reconciled.another_table or faces != tiles:
        return False
    return len(reconciled.unmoved) == tiles or located.found == tiles


def _open_jokers(observation: Observation) -> Iterator[Question]:
    """Jokers whose kinds no picture tells: whoever laid one says which it is, where the ruling hangs on it."""
    for index, seen in enumerate(observation.tiles):
        if seen.joker_open:
            kinds = tuple(reading.tile for reading in seen.readings if reading.tile.is_joker)
            yield Question(index, seen.quad, kinds, QuestionCode.DOUBTFUL, kinds[0])


def _hidden(observation: Observation) -> Iterator[Question]:
    """Face-down and covered tiles in a set, or at its end: they may be none, but a gap between two sets on a table of
    the tiles' own colour."""
    sets, _ = split_table(observation)
    for index in sorted(i for row in sets for i in row.tiles):
        seen = observation.tiles[index]
        if seen.kind is Kind.BACK:
            yield Question(index, seen.quad, (), QuestionCode.HIDDEN)
    for region in sorted({region for row in sets for region in row.unread_touching}):
        yield Question(None, observation.unread[region], (), QuestionCode.HIDDEN)


def _doubts(findings: Sequence[Finding], reconciled: Reconciled, wanted: NotedTable) -> Iterator[Finding]:
    """What keeps from telling about the table as it lies, but for tiles that were ruled on before and lie untouched."""
    unmoved = set(reconciled.unmoved)
    faces = reconciled.unmoved + reconciled.moved + reconciled.new
    for finding in findings:
        empty = finding.code is FindingCode.NO_TILES and not wanted and not faces
        settled = bool(finding.tiles) and unmoved.issuperset(finding.tiles)
        if finding.severity is Severity.DOUBT and finding.code not in _OF_TILES and not empty and not settled:
            yield finding
