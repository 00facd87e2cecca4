"""What ``tileref judge`` has to say of a table or a turn; the words are found elsewhere."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from referee.findings import Finding, FindingCode, Severity
from referee.ruleset import RuleSet
from referee.ruling import JudgedSet, Verdict
from referee.solver.repair import Repair
from referee.tiles import Tile
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
        judged = {part: one for one in self.after.ruling.sets for part in one.parts or (one.tiles,)}
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
