"""The answer of ``tileref solve``: the best play that the rules permit, and what a freer table would have given."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import StrEnum

from referee.observation import Scene
from referee.ruleset import RuleSet
from referee.ruling import Verdict
from referee.solver.lawful import can_play, lawful_play
from referee.solver.plays import Aim, Opening, Play, SpecialJokersError, best_opening, best_play
from referee.switches import OpenRelax, TablePlayFrom
from referee.tiles import Tile
from referee.turn import Player
from web.given import GivenRack, GivenTable


class Found(StrEnum):
    """What the search came to."""

    PLAY = "play"
    NO_PLAY = "no_play"
    CANNOT_TELL = "cannot_tell"


class Origin(StrEnum):
    """Where a set of the table after the play comes from."""

    KEPT = "kept"
    CHANGED = "changed"
    NEW = "new"


class Note(StrEnum):
    """What to know about the answer, or why there is none."""

    TABLE_DOUBTFUL = "table_doubtful"
    RACK_DOUBTFUL = "rack_doubtful"
    RACK_FOR_TABLE = "rack_for_table"
    TABLE_ILLEGAL = "table_illegal"
    TABLE_CANNOT_STAND = "table_cannot_stand"
    OTHERS_NOT_OPENED = "others_not_opened"
    UNPROVEN = "unproven"


@dataclass(frozen=True, slots=True)
class Solution:
    """The best play of a player with this table and rack.

    ``play`` is one that the rules permit, None where none was found.  ``freer`` lays more, by rearranging the table in
    a way that the rules do not permit; None where the play shown is as good.  ``opening`` is the best one from the
    rack alone, asked of a player who has not opened; None where it is not known.  In the value of a play a joker
    counts what it costs on a rack at the end.
    """

    found: Found
    ruleset: RuleSet
    table: GivenTable
    rack: GivenRack
    aim: Aim
    opened: bool
    play: Play | None = None
    freer: Play | None = None
    opening: Opening | None = None
    notes: tuple[Note, ...] = ()

    @property
    def origins(self) -> tuple[Origin, ...]:
        """For each set of the play whether it lay there before, came from the rack, or was changed."""
        if self.play is None:
            return ()
        before = [Counter(tiles) for tiles in self.table.tiles]
        laid = Counter(self.play.laid)
        origins = []
        for content in map(Counter, self.play.sets):
            if content in before:
                before.remove(content)
                origins.append(Origin.KEPT)
            elif not content - laid:
                laid -= content
                origins.append(Origin.NEW)
            else:
                origins.append(Origin.CHANGED)
        return tuple(origins)

    @property
    def left(self) -> tuple[Tile, ...]:
        """What stays on the rack."""
        return tuple((Counter(self.rack.tiles) - Counter(self.play.laid if self.play else ())).elements())

    @property
    def opens(self) -> bool | None:
        """Whether the best opening reaches what the rules ask; None where that is not known or was not asked."""
        return None if self.opening is None else self.opening.value >= self.ruleset.open_points


def solved(
    table: GivenTable, rack: GivenRack, ruleset: RuleSet, aim: Aim, *, opened: bool, others_opened: bool
) -> Solution:
    """The best play; only tiles that were all surely read are played with."""
    doubts = _doubts(table, rack)
    if doubts:
        return Solution(Found.CANNOT_TELL, ruleset, table, rack, aim, opened, notes=doubts)
    notes = [Note.TABLE_ILLEGAL] if table.places and table.ruling.verdict is Verdict.ILLEGAL else []
    if not others_opened and _others_matter(ruleset):
        notes.append(Note.OTHERS_NOT_OPENED)
    worth = ruleset.joker_rack_penalty
    free, special = _free_play(table, rack, ruleset, aim)
    if free is None and not special:
        hopeless = (*notes, Note.TABLE_CANNOT_STAND)
        return Solution(Found.NO_PLAY, ruleset, table, rack, aim, opened, notes=hopeless)
    play = lawful_play(table.tiles, rack.tiles, Player(opened, rack.places, others_opened), ruleset, aim, worth)
    found = Found.PLAY
    if play is None or not play.laid:
        play = None
        proven = can_play(table.tiles, rack.tiles, opened, ruleset) is False
        found = Found.NO_PLAY if proven else Found.CANNOT_TELL
        notes += [] if proven else [Note.UNPROVEN]
    return Solution(
        found=found,
        ruleset=ruleset,
        table=table,
        rack=rack,
        aim=aim,
        opened=opened,
        play=play,
        freer=free if opened and free is not None and _merit(free, aim) > _merit(play, aim) else None,
        opening=None if opened else _opening(rack, ruleset),
        notes=tuple(notes),
    )


def _doubts(table: GivenTable, rack: GivenRack) -> tuple[Note, ...]:
    wrong_picture = table.observation.scene is Scene.RACK
    empty_picture = table.path is not None and not table.places
    doubts = {
        Note.RACK_FOR_TABLE: wrong_picture,
        Note.TABLE_DOUBTFUL: not table.certain or empty_picture,
        Note.RACK_DOUBTFUL: not rack.certain or not rack.places,
    }
    return tuple(note for note, holds in doubts.items() if holds)


def _others_matter(ruleset: RuleSet) -> bool:
    return ruleset.table_play_from is TablePlayFrom.ALL_OPENED or ruleset.open_relax is OpenRelax.OTSU


def _free_play(table: GivenTable, rack: GivenRack, ruleset: RuleSet, aim: Aim) -> tuple[Play | None, bool]:
    """The best play on a table that may be rearranged freely, and whether special jokers keep it from being known."""
    try:
        return best_play(table.tiles, rack.tiles, ruleset, aim, ruleset.joker_rack_penalty), False
    except SpecialJokersError:
        return None, True


def _opening(rack: GivenRack, ruleset: RuleSet) -> Opening | None:
    try:
        return best_opening(rack.tiles, ruleset)
    except SpecialJokersError:
        return None


def _merit(play: Play | None, aim: Aim) -> int:
    if play is None:
        return 0
    return len(play.laid) if aim is Aim.TILES else play.value
