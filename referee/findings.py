"""What the referee found: codes, tiles and numbers, never sentences (those live in the web's message catalogue)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

Param = int | str | tuple[int, ...] | tuple[str, ...]
"""A number, a tile or word in notation, or several of them."""


class Severity(StrEnum):
    """What a finding does to the verdict."""

    FAULT = "fault"
    """It makes the set or the table illegal."""
    DOUBT = "doubt"
    """It keeps the referee from telling."""
    NOTE = "note"
    """It is worth saying and changes nothing."""


class FindingCode(StrEnum):
    """Every finding; the line under a member names its tiles and its params."""

    # One set by itself.
    TOO_SHORT = "too_short"
    """All tiles. length, least."""
    TOO_LONG = "too_long"
    """The tiles too many where they can be told, else all. length, most."""
    MIXED_COLOURS = "mixed_colours"
    """A run: the tiles of another colour (all where no colour prevails). colour ("" where none prevails)."""
    REPEATED_NUMBER = "repeated_number"
    """A run: all tiles of this colour and number. tile."""
    GAP = "gap"
    """A run: the tiles beyond the gap. missing: the numbers between the tiles of its colour that none of them shows."""
    WRAP = "wrap"
    """A run: the 13 and the 1 that follow each other. No params."""
    MIXED_NUMBERS = "mixed_numbers"
    """A group: the tiles of another number (all where no number prevails). number (0 where none prevails)."""
    REPEATED_COLOUR = "repeated_colour"
    """A group: all tiles of this colour and number. tile."""
    NEITHER_RUN_NOR_GROUP = "neither_run_nor_group"
    """All tiles of a set that is as far from a run as from a group. No params."""
    TOO_MANY_JOKERS = "too_many_jokers"
    """The jokers. count, most. Decided by the switch jokers_per_set_max."""
    ADJACENT_JOKERS = "adjacent_jokers"
    """Jokers side by side in a run. Decided by the switch jokers_adjacent."""
    JOKER_FOR_EXHAUSTED_TILE = "joker_for_exhausted_tile"
    """The jokers. exhausted: the tiles they would stand for, all copies of which are in sight."""
    SCRAMBLED = "scrambled"
    """All tiles of a run that does not lie in order. Note or fault: the switch row_order decides."""
    JOKER_OUT_OF_RANGE = "joker_out_of_range"
    """Jokers whose places would be beyond 13 or below 1. numbers. Note or fault: row_order decides."""
    TOO_MANY_SPECIAL_JOKERS = "too_many_special_jokers"
    """The special jokers. count, most. Decided by the switch special_jokers_per_set_max."""
    DOUBLE_AT_END = "double_at_end"
    """The doubles that begin or end a run. Decided by the switch double_at_ends."""
    DOUBLE_IN_GROUP = "double_in_group"
    """The doubles of a group. Decided by the switch double_in_group."""
    TOO_MANY_COLOUR_CHANGES = "too_many_colour_changes"
    """The colour-changes of a run. count, most. Decided by the switch colour_changes_per_run."""
    COLOUR_CHANGE_AT_END = "colour_change_at_end"
    """One colour-change with nothing on its one side. No params."""
    COLOUR_NOT_CHANGED = "colour_not_changed"
    """One colour-change between two tiles of one colour. No params."""
    TOO_MANY_MIRRORS = "too_many_mirrors"
    """All mirrors of a set that has several. count."""
    MIRROR_NOT_CENTRAL = "mirror_not_central"
    """The mirror. left, right: how many tiles lie on its sides."""
    MIRROR_SIDES_DIFFER = "mirror_sides_differ"
    """All tiles on both sides. No params."""
    MIRROR_SIDE_SHORT = "mirror_side_short"
    """The mirror. least. Decided by the switch mirror_side_least."""
    MIRROR_IN_GROUP = "mirror_in_group"
    """The mirror of a group. Decided by the switch mirror_in_group."""

    # A set as it was seen.
    DOUBTFUL_TILE = "doubtful_tile"
    """One doubtful tile. readings: its plausible codes; "?" among them when it could be any tile."""
    JOKER_KIND = "joker_kind"
    """One tile, surely a joker, of a kind that the picture does not tell. readings: the kinds that it may be."""
    SUSPECT_TILE = "suspect_tile"
    """One tile, surely read, that makes this set illegal while a far less likely reading would not. read, instead."""
    HIDDEN_TILE_IN_SET = "hidden_tile_in_set"
    """The face-down tiles in this set. No params."""
    UNREAD_TILE_AT_SET = "unread_tile_at_set"
    """All tiles of a set that covered or cut tiles touch. regions: indices into Observation.unread."""
    SET_AT_EDGE = "set_at_edge"
    """All tiles of a set that ends at the picture's edge and may go on beyond it. No params."""
    SETS_IN_ONE_LINE = "sets_in_one_line"
    """All tiles of a row that is no set and may be several. starts: where a further one begins, as a place in the row,
    others: 1 where other cuts are as likely, else 0."""

    # The whole table.
    LOOSE_TILE = "loose_tile"
    """One tile lying alone: a fault; a doubt when doubtful, or beside an unread tile or the picture's edge. tile."""
    TOO_MANY_COPIES = "too_many_copies"
    """All tiles read as this one. tile, count, held, doubtful: how many of them are doubtful."""
    FACE_DOWN = "face_down"
    """Face-down tiles that touch no set (the pool). count."""
    UNREAD = "unread"
    """No tiles; covered or cut tiles anywhere. count, regions: indices into Observation.unread."""
    NO_TILES = "no_tiles"
    """No tile faces in sight, so nothing to rule on. No params."""
    RACK = "rack"
    """The picture shows a rack, which is no table. No params."""
    UNLIKE_TILES = "unlike_tiles"
    """What lies in the picture does not read as tiles with numbers. No params."""
    DRAWN = "drawn"
    """A drawing, a screenshot or a photo of a screen, no photo of a table. No params."""

    # Two photos compared.
    TABLE_TILE_TAKEN = "table_tile_taken"
    """One tile (index in the earlier photo) that is no longer on the table. tile."""

    # A turn: tiles are those of the table after it in reading order, where not said otherwise.  Each has the param
    # "switch", the rule that decides, where one does.
    NOTHING_LAID = "nothing_laid"
    """No tiles. laid, least, switch."""
    NOT_FROM_RACK = "not_from_rack"
    """The tiles laid that the player's rack did not hold. tile."""
    OPENING_LOW = "opening_low"
    """The tiles of the new sets. value, needed, switch."""
    OPENING_JOKER = "opening_joker"
    """The jokers laid in the opening turn. switch."""
    TABLE_BEFORE_OPENING = "table_before_opening"
    """Tiles of the table before: those of the sets that a player without an opening has changed. switch."""
    TABLE_TOO_EARLY = "table_too_early"
    """The same, by a player who opened while others have not. switch."""
    SET_NOT_KEPT = "set_not_kept"
    """Tiles of the table before: a set that is no longer whole, though tiles may only be added. switch."""
    JOKER_NOT_FREED = "joker_not_freed"
    """A joker of the table before, moved without the tile that it stands for. meanings, switch."""
    JOKER_MEANING_CHANGED = "joker_meaning_changed"
    """A joker of the table before that stands for another tile in its old set. meanings, switch."""
    JOKER_REPLACED_FROM_TABLE = "joker_replaced_from_table"
    """A joker of the table before, for which only a tile of the table could be put. meanings, switch."""
    JOKER_NEEDS_BOTH = "joker_needs_both"
    """A joker of the table before, moved without both tiles that it may stand for. meanings, switch."""
    JOKER_SET_FROZEN = "joker_set_frozen"
    """A joker of the table before, whose set was taken apart while it lay in it. switch."""
    JOKER_IN_OLD_SET = "joker_in_old_set"
    """A joker of the table before, freed and laid where it must not be: its own set, or one that lay there. switch."""
    JOKER_RACK_TILES = "joker_rack_tiles"
    """A joker of the table before, freed and laid with too few tiles from the rack. laid, least, switch."""
    DREW_AND_PLAYED = "drew_and_played"
    """No tiles. A player who drew has changed the table too."""
    COULD_HAVE_PLAYED = "could_have_played"
    """No tiles. switch."""
    TOO_MANY_READINGS = "too_many_readings"
    """No tiles. More doubtful tiles, or more jokers that moved, than can be gone through."""
    LATE_TILE = "late_tile"
    """The tiles laid after the bell. switch."""
    OVERRUN = "overrun"
    """No tiles. The bell came first. switch."""
    UNFINISHED = "unfinished"
    """No tiles. The table was broken when the turn was over. switch."""
    TIDIED_LATE = "tidied_late"
    """No tiles. The table was put in order only after the bell. switch."""
    NOT_RESTORED = "not_restored"
    """Tiles of the table before that are not where they were, or not there. No params."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing found.

    ``tiles`` are indices: into the set for ``judge_set``, into the tiles of a table in reading order for a turn (which
    table, each code says), else into ``Observation.tiles``.
    """

    code: FindingCode
    tiles: tuple[int, ...] = ()
    params: tuple[tuple[str, Param], ...] = ()
    severity: Severity = Severity.FAULT

    def param(self, name: str) -> Param:
        """The param of this name; raises ``KeyError`` when the finding has none."""
        return dict(self.params)[name]
