"""The answer of ``tileref solve``: the best play that the rules permit, and what a freer table would have given."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import StrEnum

from referee.notation import Places, sure
from referee.observation import Scene
from referee.ruleset import RuleSet
from referee.ruling import Verdict
from referee.solver.lawful import can_play, lawful_play
from referee.solver.plays import Aim, Opening, Play, SpecialJokersError, best_play
from referee.solver.special import best_opening_of_any
from referee.tiles import Tile
from referee.turn import Player
from web.given import GivenRack, GivenTable, over_held
from web.judge_cases import others_matter


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
    TOO_MANY_COPIES = "too_many_copies"
    TABLE_ILLEGAL = "table_illegal"
    TABLE_CANNOT_STAND = "table_cannot_stand"
    OTHERS_NOT_OPENED = "others_not_opened"
    MAYBE_BETTER = "maybe_better"
    UNPROVEN = "unproven"


@dataclass(frozen=True, slots=True)
class Solution:
    """The best play of a player with this table and rack.

    ``play`` is one that the rules permit, None where none was found.  ``freer`` lays more on a table that may be
    rearranged freely, and no lawful way to as much was found; None where the play shown is as good.  ``opening`` is
    the best one from the rack alone, asked of a player who has not opened; None where it is not known.  In the value
    of a play a joker counts what it costs on a rack at the end.
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
    def after(self) -> tuple[tuple[Origin, Places], ...]:
        """Each set of the play with where it comes from; one that lay there before is written as it was."""
        if self.play is None:
            return ()
        before = [(Counter(tiles), places) for tiles, places in zip(self.table.tiles, self.table.noted, strict=True)]
        laid = Counter(self.play.laid)
        after = []
        for tiles in self.play.sets:
            content = Counter(tiles)
            same = next((k for k, (former, _) in enumerate(before) if former == content), None)
            if same is not None:
                after.append((Origin.KEPT, before.pop(same)[1]))
            elif not content - laid:
                laid -= content
                after.append((Origin.NEW, sure(*tiles)))
            else:
                after.append((Origin.CHANGED, sure(*tiles)))
        return tuple(after)

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
    doubts = _doubts(table, rack, ruleset)
    if doubts:
        return Solution(Found.CANNOT_TELL, ruleset, table, rack, aim, opened, notes=doubts)
    notes = [Note.TABLE_ILLEGAL] if table.places and table.ruling.verdict is Verdict.ILLEGAL else []
    if not others_opened and others_matter(ruleset):
        notes.append(Note.OTHERS_NOT_OPENED)
    free = _free_play(table, rack, ruleset, aim)
    if free is None and not _special_jokers(table, rack):
        hopeless = (*notes, Note.TABLE_CANNOT_STAND)
        return Solution(Found.NO_PLAY, ruleset, table, rack, aim, opened, notes=hopeless)
    player = Player(opened, rack.places, others_opened)
    play = lawful_play(table.noted, rack.tiles, player, ruleset, aim, ruleset.joker_rack_penalty)
    found = Found.PLAY
    if play is None:
        impossible = can_play(table.noted, rack.tiles, opened, ruleset, others_opened=others_opened) is False
        found = Found.NO_PLAY if impossible else Found.CANNOT_TELL
        notes += [] if impossible else [Note.UNPROVEN]
    short = free is None or _merit(play, aim) < _merit(free, aim)
    everything = play is not None and len(play.laid) == len(rack.tiles)
    if play is not None and not everything and short and (free is None or not opened):
        notes.append(Note.MAYBE_BETTER)
    return Solution(
        found=found,
        ruleset=ruleset,
        table=table,
        rack=rack,
        aim=aim,
        opened=opened,
        play=play,
        freer=free if short and opened else None,
        opening=None if opened else best_opening_of_any(rack.tiles, ruleset),
        notes=tuple(notes),
    )


def _doubts(table: GivenTable, rack: GivenRack, ruleset: RuleSet) -> tuple[Note, ...]:
    wrong_picture = table.observation.scene is Scene.RACK
    empty_picture = table.path is not None and not table.places
    doubts = {
        Note.RACK_FOR_TABLE: wrong_picture,
        Note.TABLE_DOUBTFUL: not table.certain or empty_picture,
        Note.RACK_DOUBTFUL: not rack.certain or not rack.places,
        Note.TOO_MANY_COPIES: bool(over_held((*table.places, *rack.places), ruleset)),
    }
    return tuple(note for note, holds in doubts.items() if holds)


def _special_jokers(table: GivenTable, rack: GivenRack) -> bool:
    tiles = (*(tile for one in table.tiles for tile in one), *rack.tiles)
    return any(tile.is_special for tile in tiles)


def _free_play(table: GivenTable, rack: GivenRack, ruleset: RuleSet, aim: Aim) -> Play | None:
    """The best play on a table that may be rearranged freely; None too where special jokers are about."""
    try:
        return best_play(table.tiles, rack.tiles, ruleset, aim, ruleset.joker_rack_penalty)
    except SpecialJokersError:
        return None


def _merit(play: Play | None, aim: Aim) -> int:
    if play is None:
        return 0
    return len(play.laid) if aim is Aim.TILES else play.value
