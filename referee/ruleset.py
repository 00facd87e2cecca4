"""The rules of one game as data: a frozen, range-checked value with a short fingerprint.

A rule set is a choice for every switch in ``SWITCHES``.  Its named presets are TOML files, read by
``referee.preset_files``; nothing here touches a file.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from enum import StrEnum
from typing import Annotated, Any, get_type_hints

from referee.switches import (
    Allowed,
    CarryOver,
    Choice,
    ChoiceList,
    ClaimUntil,
    Clock,
    DealMode,
    Direction,
    DrawJoker,
    DrawTie,
    FaceCounts,
    Faces,
    FreedBy,
    FreedUse,
    GroupOfThree,
    JokerMeaning,
    JokerSet,
    LateTidy,
    Leftovers,
    NextStarter,
    NumberList,
    OpenRelax,
    Overrun,
    PoolEmpty,
    PoolScores,
    PoolTie,
    PoolWinner,
    RankBy,
    Redeal,
    RedealUntil,
    ReplaceFrom,
    RowOrder,
    Scoring,
    Starter,
    TablePlay,
    TablePlayFrom,
    TieBreak,
    TimerStartedBy,
    Unfinished,
    UnopenedExempt,
    UnopenedMode,
    WholeNumber,
    YesNo,
    shown,
)
from referee.tiles import HIGHEST_NUMBER, LOWEST_NUMBER, Colour, Joker, Tile

__all__ = [
    "SWITCHES",
    "Difference",
    "RowOrder",
    "RuleSet",
    "RuleSetError",
    "Section",
    "Switch",
    "box_faces",
    "check_switch",
    "differences",
    "ruleset_from",
]


class RuleSetError(ValueError):
    """A rule set cannot be built; the message is one sentence that names the key and the allowed values."""


class Section(StrEnum):
    """The chapters of the rules, in the order in which a preset lists them."""

    BOX = "the box"
    START = "players and start"
    SETS = "sets"
    SPECIAL = "special jokers"
    OPENING = "the opening"
    TABLE = "play on the table"
    JOKERS = "freeing jokers"
    CLOCK = "the clock"
    PENALTIES = "unfinished and illegal turns"
    END = "the empty pool"
    SCORES = "scores"
    MATCH = "match and ranking"


@dataclass(frozen=True, slots=True)
class Switch:
    """One switch: its chapter, the values it may take, and what it decides."""

    section: Section
    allowed: Allowed
    about: str


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class RuleSet:
    """The rules at one table.

    ``name`` is the preset's name; it is no rule, so it is not part of the fingerprint.  A group never has more tiles
    than there are colours, and a run never more than there are numbers: these are no switches.

    Raises ``RuleSetError`` for a value outside its range, and for two values that contradict each other.
    """

    name: str
    fingerprint: str = field(init=False, compare=False)
    """Twelve hexadecimal digits that change with any rule; a log keeps them beside its rulings."""

    faces: Annotated[
        Faces, Switch(Section.BOX, Choice(Faces), "What is printed: number tiles, or playing cards (A to K).")
    ]
    boxes: Annotated[int, Switch(Section.BOX, WholeNumber(1, 4), "How many boxes were put together.")]
    copies_per_tile: Annotated[
        int, Switch(Section.BOX, WholeNumber(1, 8), "Tiles of one colour and number in one box.")
    ]
    regular_jokers: Annotated[int, Switch(Section.BOX, WholeNumber(0, 8), "Regular jokers in one box.")]
    double_jokers: Annotated[int, Switch(Section.BOX, WholeNumber(0, 8), "Double jokers in one box.")]
    colour_change_jokers: Annotated[int, Switch(Section.BOX, WholeNumber(0, 8), "Colour-change jokers in one box.")]
    mirror_jokers: Annotated[int, Switch(Section.BOX, WholeNumber(0, 8), "Mirror jokers in one box.")]
    box_exceptions: Annotated[
        tuple[str, ...],
        Switch(Section.BOX, FaceCounts(32), "Faces of which all boxes together hold another number of copies."),
    ]

    players_least: Annotated[int, Switch(Section.START, WholeNumber(2, 8), "The fewest players.")]
    players_most: Annotated[int, Switch(Section.START, WholeNumber(2, 8), "The most players.")]
    direction: Annotated[Direction, Switch(Section.START, Choice(Direction), "Which way the turn goes round.")]
    starter: Annotated[Starter, Switch(Section.START, Choice(Starter), "Whose drawn tile starts the first round.")]
    draw_tie: Annotated[
        DrawTie, Switch(Section.START, Choice(DrawTie), "What to do when the deciding number was drawn twice.")
    ]
    draw_joker: Annotated[
        DrawJoker, Switch(Section.START, Choice(DrawJoker), "What a joker is in the draw for the start.")
    ]
    next_starter: Annotated[NextStarter, Switch(Section.START, Choice(NextStarter), "Who starts the later rounds.")]
    deal_tiles: Annotated[int, Switch(Section.START, WholeNumber(5, 25), "Tiles dealt to each player.")]
    deal_mode: Annotated[DealMode, Switch(Section.START, Choice(DealMode), "How the tiles are dealt.")]
    redeal: Annotated[Redeal, Switch(Section.START, Choice(Redeal), "What gives the right to a new deal.")]
    redeal_count: Annotated[
        int, Switch(Section.START, WholeNumber(2, 7), "How many of these a claim to a new deal needs.")
    ]
    redeal_until: Annotated[
        RedealUntil, Switch(Section.START, Choice(RedealUntil), "Until when a new deal may be claimed.")
    ]
    redeal_shown: Annotated[
        bool, Switch(Section.START, YesNo(), "Whether the claim must be proved by showing the tiles.")
    ]

    min_set_length: Annotated[
        int, Switch(Section.SETS, WholeNumber(3, 4), "The fewest tiles of a set, jokers included.")
    ]
    wrap_13_1: Annotated[bool, Switch(Section.SETS, YesNo(), "Whether 1 may follow 13 in a run.")]
    jokers_per_set_max: Annotated[
        int, Switch(Section.SETS, WholeNumber(1, 13), "The most jokers in one set; 13 is no limit.")
    ]
    jokers_adjacent: Annotated[bool, Switch(Section.SETS, YesNo(), "Whether jokers may lie side by side in a run.")]
    joker_for_exhausted_tile: Annotated[
        bool, Switch(Section.SETS, YesNo(), "Whether a joker may stand for a tile of which all copies are in sight.")
    ]
    row_order: Annotated[
        RowOrder, Switch(Section.SETS, Choice(RowOrder), "Whether a run out of order is illegal or noted.")
    ]

    special_jokers_per_set_max: Annotated[
        int, Switch(Section.SPECIAL, WholeNumber(1, 13), "The most special jokers in one set; 13 is no limit.")
    ]
    double_at_ends: Annotated[bool, Switch(Section.SPECIAL, YesNo(), "Whether a double may begin or end a run.")]
    double_in_group: Annotated[
        bool, Switch(Section.SPECIAL, YesNo(), "Whether a double may stand for two colours of a group.")
    ]
    colour_changes_per_run: Annotated[
        int, Switch(Section.SPECIAL, WholeNumber(1, 8), "The most colour changes in one run.")
    ]
    mirror_side_least: Annotated[
        int, Switch(Section.SPECIAL, WholeNumber(1, 3), "The fewest tiles on each side of a mirror.")
    ]
    mirror_in_group: Annotated[bool, Switch(Section.SPECIAL, YesNo(), "Whether a group may be mirrored.")]
    double_freed_by_tiles: Annotated[
        bool, Switch(Section.SPECIAL, YesNo(), "Whether the two tiles that a double stands for free it.")
    ]
    colour_change_freed_by_tile: Annotated[
        bool, Switch(Section.SPECIAL, YesNo(), "Whether a tile of its number in either colour frees a colour-change.")
    ]
    special_freed_by_rebuild: Annotated[
        bool, Switch(Section.SPECIAL, YesNo(), "Whether special jokers are freed by taking their set apart.")
    ]

    open_points: Annotated[
        int, Switch(Section.OPENING, WholeNumber(0, 100), "What the first sets of a player must be worth.")
    ]
    open_joker_allowed: Annotated[
        bool, Switch(Section.OPENING, YesNo(), "Whether a joker may be laid in the opening turn.")
    ]
    open_same_turn_manipulation: Annotated[
        bool,
        Switch(
            Section.OPENING, YesNo(), "Whether the table may be touched in the opening turn itself, once it is opened."
        ),
    ]
    open_relax: Annotated[
        OpenRelax,
        Switch(
            Section.OPENING, Choice(OpenRelax), "otsu: two sets open below the threshold once all others have opened."
        ),
    ]

    table_play: Annotated[
        TablePlay, Switch(Section.TABLE, Choice(TablePlay), "What may be done with the sets on the table.")
    ]
    table_play_from: Annotated[
        TablePlayFrom, Switch(Section.TABLE, Choice(TablePlayFrom), "From when sets on the table may be touched.")
    ]
    must_play_tiles: Annotated[
        int, Switch(Section.TABLE, WholeNumber(1, 3), "The fewest rack tiles of a turn that is no draw.")
    ]
    draw_voluntary: Annotated[bool, Switch(Section.TABLE, YesNo(), "Whether a player who could play may draw instead.")]
    claim_until: Annotated[
        ClaimUntil, Switch(Section.TABLE, Choice(ClaimUntil), "Until when a past turn may be disputed.")
    ]

    joker_replace_from: Annotated[
        ReplaceFrom, Switch(Section.JOKERS, Choice(ReplaceFrom), "Where the tile comes from that replaces a joker.")
    ]
    joker_freed_by: Annotated[FreedBy, Switch(Section.JOKERS, Choice(FreedBy), "What frees a joker.")]
    joker_group3: Annotated[
        GroupOfThree,
        Switch(Section.JOKERS, Choice(GroupOfThree), "Which missing colour frees the joker of a group of three."),
    ]
    joker_set_mutable: Annotated[
        JokerSet, Switch(Section.JOKERS, Choice(JokerSet), "What may be done to a set while a joker lies in it.")
    ]
    joker_meaning: Annotated[
        JokerMeaning,
        Switch(Section.JOKERS, Choice(JokerMeaning), "Whether a joker keeps the meaning that it was laid with."),
    ]
    joker_freed_use: Annotated[
        FreedUse, Switch(Section.JOKERS, Choice(FreedUse), "Where a freed joker must be laid again.")
    ]
    joker_freed_rack_tiles: Annotated[
        int, Switch(Section.JOKERS, WholeNumber(0, 2), "The fewest rack tiles in the set that takes a freed joker.")
    ]

    clock: Annotated[Clock, Switch(Section.CLOCK, Choice(Clock), "How thinking time is measured.")]
    time_s: Annotated[
        int, Switch(Section.CLOCK, WholeNumber(10, 1800), "Seconds for a turn; of a chess clock, the reserve.")
    ]
    increment_s: Annotated[
        int, Switch(Section.CLOCK, WholeNumber(0, 120), "Seconds of each move that a chess clock gives back.")
    ]
    extension_s: Annotated[
        int, Switch(Section.CLOCK, WholeNumber(0, 120), "Seconds that a referee may grant once a turn.")
    ]
    timer_started_by: Annotated[TimerStartedBy, Switch(Section.CLOCK, Choice(TimerStartedBy), "Who starts the clock.")]
    timer_waivable: Annotated[bool, Switch(Section.CLOCK, YesNo(), "Whether an instant draw needs no clock.")]
    time_unopened: Annotated[bool, Switch(Section.CLOCK, YesNo(), "Whether players are timed before their opening.")]

    overrun: Annotated[Overrun, Switch(Section.PENALTIES, Choice(Overrun), "Which overrun of the time is penalised.")]
    overrun_draw: Annotated[int, Switch(Section.PENALTIES, WholeNumber(0, 7), "Tiles drawn for an overrun.")]
    overrun_points: Annotated[
        int, Switch(Section.PENALTIES, WholeNumber(0, 200), "Points lost at the end for each overrun.")
    ]
    broken_draw: Annotated[
        int, Switch(Section.PENALTIES, WholeNumber(0, 7), "Tiles drawn for a turn ended on a broken table.")
    ]
    draw_each: Annotated[
        bool, Switch(Section.PENALTIES, YesNo(), "Whether each overrun of a player costs, not only the first.")
    ]
    unfinished: Annotated[
        Unfinished, Switch(Section.PENALTIES, Choice(Unfinished), "What becomes of a table left broken.")
    ]
    leftovers: Annotated[
        Leftovers, Switch(Section.PENALTIES, Choice(Leftovers), "Where tiles go whose place nobody remembers.")
    ]
    late_tidy: Annotated[
        LateTidy, Switch(Section.PENALTIES, Choice(LateTidy), "How the table may be tidied after the bell.")
    ]
    tidy_s: Annotated[int, Switch(Section.PENALTIES, WholeNumber(0, 120), "Seconds for tidying; 0 sets no limit.")]
    tidy_penalised: Annotated[
        bool, Switch(Section.PENALTIES, YesNo(), "Whether a table put in order only after the bell still costs tiles.")
    ]
    tidy_help: Annotated[bool, Switch(Section.PENALTIES, YesNo(), "Whether other players may help to tidy.")]
    pass_broken_penalty: Annotated[
        bool, Switch(Section.PENALTIES, YesNo(), "Whether passing before time with the table broken costs tiles.")
    ]
    illegal_opening_penalty: Annotated[
        bool, Switch(Section.PENALTIES, YesNo(), "Whether a player must draw tiles for an illegal opening.")
    ]

    pool_empty: Annotated[
        PoolEmpty, Switch(Section.END, Choice(PoolEmpty), "How the round goes on once the pool is empty.")
    ]
    pool_must_play: Annotated[
        bool, Switch(Section.END, YesNo(), "Whether a player who can play must, once the pool is empty.")
    ]
    pool_winner: Annotated[PoolWinner, Switch(Section.END, Choice(PoolWinner), "Who wins when no rack became empty.")]
    pool_tie: Annotated[
        PoolTie, Switch(Section.END, Choice(PoolTie), "Who wins among players who are level when no rack became empty.")
    ]
    pool_scores: Annotated[
        PoolScores, Switch(Section.END, Choice(PoolScores), "What the losers score when no rack became empty.")
    ]

    scoring: Annotated[Scoring, Switch(Section.SCORES, Choice(Scoring), "What a round is worth to each player.")]
    joker_rack_penalty: Annotated[
        int, Switch(Section.SCORES, WholeNumber(0, 200), "What a joker left on a rack costs.")
    ]
    joker_penalty_to_winner: Annotated[
        bool, Switch(Section.SCORES, YesNo(), "Whether the winner is credited with the cost of jokers left on racks.")
    ]
    unopened_penalty: Annotated[int, Switch(Section.SCORES, WholeNumber(0, 500), "The cost of never having opened.")]
    unopened_able_penalty: Annotated[
        int, Switch(Section.SCORES, WholeNumber(0, 500), "The cost of never having opened though the rack could have.")
    ]
    unopened_mode: Annotated[
        UnopenedMode,
        Switch(
            Section.SCORES,
            Choice(UnopenedMode),
            "Whether the cost of never having opened stands instead of the rack sum or on top of it.",
        ),
    ]
    unopened_exempt: Annotated[
        UnopenedExempt,
        Switch(
            Section.SCORES,
            Choice(UnopenedExempt),
            "Which cost of never having opened is escaped by announcing an opening with the last draw.",
        ),
    ]
    penalties_to_winner: Annotated[
        bool, Switch(Section.SCORES, YesNo(), "Whether the cost of never having opened is credited to the winner.")
    ]
    win_bonus: Annotated[int, Switch(Section.SCORES, WholeNumber(0, 500), "Points on top for the winner of a round.")]
    second_bonus: Annotated[
        int, Switch(Section.SCORES, WholeNumber(0, 500), "Points on top for the second of a round.")
    ]
    loss_cap: Annotated[
        int, Switch(Section.SCORES, WholeNumber(0, 500), "The most that a round may cost; 0 sets no limit.")
    ]
    total_floor: Annotated[bool, Switch(Section.SCORES, YesNo(), "Whether a total never falls below zero.")]

    rank_by: Annotated[RankBy, Switch(Section.MATCH, Choice(RankBy), "What ranks the players first.")]
    placing_points: Annotated[
        tuple[int, ...], Switch(Section.MATCH, NumberList(0, 100), "Points for the places of a round.")
    ]
    wins_needed: Annotated[
        int, Switch(Section.MATCH, WholeNumber(0, 50), "Won rounds that end the match; 0 is no such end.")
    ]
    rounds: Annotated[int, Switch(Section.MATCH, WholeNumber(0, 100), "Rounds of a match; 0 leaves it open.")]
    target_points: Annotated[
        int, Switch(Section.MATCH, WholeNumber(0, 10000), "A total that ends the match; 0 is no such end.")
    ]
    carry_over: Annotated[
        CarryOver, Switch(Section.MATCH, Choice(CarryOver), "What goes on into the next stage of a tournament.")
    ]
    tie_break: Annotated[
        tuple[TieBreak, ...], Switch(Section.MATCH, ChoiceList(TieBreak), "What parts level players, in turn.")
    ]

    def __post_init__(self) -> None:
        for key in SWITCHES:
            check_switch(key, getattr(self, key))
        if self.players_least > self.players_most:
            raise RuleSetError(
                f"players_least = {self.players_least} is not allowed: "
                f"expected at most players_most, which is {self.players_most}"
            )
        rules = {key: getattr(self, key) for key in SWITCHES}
        digits = hashlib.sha256(json.dumps(rules, sort_keys=True).encode()).hexdigest()[:12]
        object.__setattr__(self, "fingerprint", digits)

    def __repr__(self) -> str:
        return f"<RuleSet {self.name} {self.fingerprint}>"

    @property
    def longest_group(self) -> int:
        """The most tiles of a group: one of each colour."""
        return len(Colour)

    @property
    def box_size(self) -> int:
        """How many tiles all boxes hold together, jokers included."""
        return sum(self.held(tile) for tile in box_faces())

    def held(self, tile: Tile) -> int:
        """How many copies of ``tile`` all boxes hold together."""
        if self.box_exceptions:
            for entry in self.box_exceptions:
                face, _, count = entry.partition("=")
                if face == str(tile):
                    return int(count)
        return self.boxes * self._per_box(tile)

    def _per_box(self, tile: Tile) -> int:
        match tile.joker:
            case None:
                return self.copies_per_tile
            case Joker.REGULAR:
                return self.regular_jokers
            case Joker.DOUBLE:
                return self.double_jokers
            case Joker.COLOUR_CHANGE:
                return self.colour_change_jokers
            case Joker.MIRROR:
                return self.mirror_jokers


SWITCHES: Mapping[str, Switch] = {
    key: switch
    for key, hint in get_type_hints(RuleSet, include_extras=True).items()
    for switch in getattr(hint, "__metadata__", ())
}
"""Every switch, in the order in which a preset lists them."""


def box_faces() -> tuple[Tile, ...]:
    """Every face that a box may hold, in the order of the colours and numbers, the jokers last."""
    numbers = range(LOWEST_NUMBER, HIGHEST_NUMBER + 1)
    plain = tuple(Tile(colour=colour, number=number) for colour in Colour for number in numbers)
    return plain + tuple(Tile(joker=kind) for kind in Joker)


def check_switch(key: str, value: object) -> None:
    """Check one value of a preset; raises ``RuleSetError`` for an unknown key or a value that is not allowed."""
    if key not in SWITCHES:
        close = get_close_matches(key, SWITCHES, n=3, cutoff=0.5) or SWITCHES
        raise RuleSetError(f"{key} is not a rule: expected one of {', '.join(close)}")
    if not SWITCHES[key].allowed.allows(value):
        raise RuleSetError(f"{key} = {shown(value)} is not allowed: expected {SWITCHES[key].allowed}")


def ruleset_from(name: str, values: Mapping[str, object]) -> RuleSet:
    """Build the rule set ``name`` from one value for each switch.

    Raises ``RuleSetError`` for an unknown key, a missing key, a value that is not allowed or a contradiction.
    """
    for key, value in values.items():
        check_switch(key, value)
    for key, switch in SWITCHES.items():
        if key not in values:
            raise RuleSetError(f"{key} is missing: expected {switch.allowed}, or a base that says it")
    settled: dict[str, Any] = {key: SWITCHES[key].allowed.settled(value) for key, value in values.items()}
    return RuleSet(name=name, **settled)


@dataclass(frozen=True, slots=True)
class Difference:
    """A switch in which two rule sets differ, with both values."""

    key: str
    first: object
    second: object


def differences(first: RuleSet, second: RuleSet) -> Iterator[Difference]:
    """The switches in which two rule sets differ, in the order of the switches."""
    for key in SWITCHES:
        ours, theirs = getattr(first, key), getattr(second, key)
        if ours != theirs:
            yield Difference(key, ours, theirs)
