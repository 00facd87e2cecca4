"""Rulings as a screen shows them: the findings with the tiles and the places in the picture that they speak of."""

from __future__ import annotations

from collections.abc import Sequence

from referee.findings import Finding, FindingCode
from referee.game.events import TurnEnded
from referee.notation import NotedTable, format_set, parse_table
from referee.observation import Quad
from referee.protocol import Ruled
from referee.ruleset import RuleSet
from referee.ruling import Verdict
from web.judge_remarks import OF_TABLE_BEFORE
from web.live.notices import LiveRuling

Quads = Sequence[Quad | None]


def codes_of(table: NotedTable, ruleset: RuleSet) -> tuple[str, ...]:
    """The notation of every place of a table, in reading order."""
    return tuple(format_set([place], faces=ruleset.faces) for places in table for place in places)


def shown_ruling(
    ruled: Ruled,
    standing: str,
    ruleset: RuleSet,
    quads: tuple[Quads, Quads],
    doubts: Sequence[Finding] = (),
    *,
    final: bool = False,
) -> LiveRuling:
    """A ruling that is not in the log yet; ``quads`` are the places of the table before and of the one that was seen.

    With ``doubts`` (about the table, their tiles no places) nobody can tell, unless the turn is illegal all the same.
    """
    before = parse_table(standing)
    ended, table = ruled.ended, ruled.command.table
    verdict = Verdict.CANNOT_TELL if doubts and ended.verdict is Verdict.LEGAL else ended.verdict
    costs = ended.consequence
    # a turn that may still be mended is not over: that it was left unfinished is no finding yet
    found = tuple(finding for finding in ended.findings if final or finding.code is not FindingCode.UNFINISHED)
    return LiveRuling(
        verdict=verdict,
        findings=(*found, *doubts),
        after=codes_of(table, ruleset),
        before=codes_of(before, ruleset),
        quads=_quads(ended.findings, quads, same=table == ruled.seen.table),
        laid=ended.turn.played,
        drew=costs.draw if costs else 0,
        points=costs.points if costs else 0,
        opening=ended.turn.opening,
        final=final,
    )


def logged_ruling(turn: TurnEnded, ruleset: RuleSet, said: LiveRuling | None = None) -> LiveRuling:
    """A ruling of the log; ``said`` is what was found, where this program ruled just now."""
    return LiveRuling(
        verdict=Verdict(turn.verdict),
        findings=said.findings if said else (),
        after=said.after if said else codes_of(parse_table(turn.shown), ruleset),
        before=said.before if said else (),
        quads=said.quads if said else (),
        laid=said.laid if said and turn.played else (),
        drew=turn.drew,
        took=turn.took,
        points=turn.points,
        opening=turn.opening,
        by=turn.by,
    )


def _quads(findings: Sequence[Finding], quads: tuple[Quads, Quads], *, same: bool) -> tuple[Quad, ...]:
    """Where the tiles lie that the findings speak of, each once."""
    before, seen = quads
    places: list[Quad] = []
    for finding in findings:
        where = before if finding.code in OF_TABLE_BEFORE else seen if same else ()
        places += [quad for i in finding.tiles if i < len(where) and (quad := where[i]) is not None]
    return tuple(dict.fromkeys(places))
