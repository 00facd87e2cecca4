"""What the switches of a rule set may say: the positions of those with names, and the ranges of all others."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from enum import StrEnum

from referee.tiles import NotationError, parse_tile


class Faces(StrEnum):
    """What is printed on the tiles, and so which notation speaks of them."""

    TILES = "tiles"
    CARDS = "cards"


class Direction(StrEnum):
    """Which way the turn goes round the table."""

    CLOCKWISE = "clockwise"
    COUNTER_CLOCKWISE = "counter_clockwise"


class Starter(StrEnum):
    """Whose drawn tile starts the first round."""

    HIGHEST_DRAW = "highest_draw"
    LOWEST_DRAW = "lowest_draw"


class DrawTie(StrEnum):
    """What to do when several players drew the deciding number."""

    REDRAW_TIED = "redraw_tied"
    REDRAW_ALL = "redraw_all"
    EARLIER_SEAT = "earlier_seat"


class DrawJoker(StrEnum):
    """What a joker is worth in the draw for the start."""

    REDRAW = "redraw"
    HIGHEST = "highest"
    LOWEST = "lowest"


class NextStarter(StrEnum):
    """Who starts the rounds after the first."""

    DRAW = "draw"
    WINNER = "winner"
    NEXT_SEAT = "next_seat"


class DealMode(StrEnum):
    """How the first tiles come to the players."""

    LOOSE = "loose"
    STACKS = "stacks"
    JOKER_EACH = "joker_each"


class Redeal(StrEnum):
    """What among the first tiles gives the right to a new deal."""

    OFF = "off"
    IDENTICAL_PAIRS = "identical_pairs"
    SAME_NUMBER_OR_COLOUR = "same_number_or_colour"


class RedealUntil(StrEnum):
    """Until when a new deal may be claimed."""

    BEFORE_PLAY = "before_play"
    OWN_FIRST_TURN = "own_first_turn"


class RowOrder(StrEnum):
    """What to make of a run that lies neither ascending nor descending."""

    NOTE = "note"
    ILLEGAL = "illegal"


class OpenRelax(StrEnum):
    """Whether the threshold of the opening may fall."""

    OFF = "off"
    OTSU = "otsu"


class TablePlay(StrEnum):
    """What an opened player may do with the sets on the table."""

    REBUILD = "rebuild"
    ADD_ONLY = "add_only"


class TablePlayFrom(StrEnum):
    """From when a player may touch the sets on the table."""

    OWN_OPENING = "own_opening"
    ALL_OPENED = "all_opened"


class ReplaceFrom(StrEnum):
    """Where the tile comes from that takes a joker's place."""

    RACK = "rack"
    RACK_OR_TABLE = "rack_or_table"


class FreedBy(StrEnum):
    """What frees a joker: the tile it stands for alone, or taking its set apart as well."""

    TILE = "tile"
    TILE_OR_REBUILD = "tile_or_rebuild"


class GroupOfThree(StrEnum):
    """Which of the two missing colours frees the joker of a group of two and a joker."""

    EITHER = "either"
    BOTH = "both"


class JokerSet(StrEnum):
    """What may be done to a set while a joker lies in it."""

    FREE = "free"
    ADD_ONLY = "add_only"


class JokerMeaning(StrEnum):
    """Whether a joker on the table keeps the meaning that it was laid with."""

    FIXED = "fixed"
    REREADABLE = "rereadable"


class FreedUse(StrEnum):
    """Where a freed joker must lie at the end of the turn."""

    ANY_SET = "any_set"
    OTHER_SET = "other_set"
    NEW_SET = "new_set"


class Clock(StrEnum):
    """How thinking time is measured."""

    NONE = "none"
    PER_TURN = "per_turn"
    BRONSTEIN = "bronstein"


class TimerStartedBy(StrEnum):
    """Who starts the clock of a turn."""

    PLAYER = "player"
    NEXT_PLAYER = "next_player"
    REFEREE = "referee"


class Overrun(StrEnum):
    """Which overrun of the time is penalised."""

    ALWAYS = "always"
    ONLY_IF_UNFINISHED = "only_if_unfinished"


class LateTidy(StrEnum):
    """What may still be done with the table after the bell."""

    NONE = "none"
    ONE_MOVE = "one_move"
    ALLOWED = "allowed"


class Unfinished(StrEnum):
    """What becomes of a table that is not in order when the turn is over."""

    RESTORE = "restore"
    TAKE_BROKEN = "take_broken"


class Leftovers(StrEnum):
    """Where tiles go whose place on the restored table nobody remembers."""

    POOL = "pool"
    RACK = "rack"
    POOL_AND_DRAW = "pool_and_draw"


class PoolEmpty(StrEnum):
    """How the round goes on once the pool is empty."""

    PLAY_ON = "play_on"
    EXTRA_TURN = "extra_turn"
    BANK = "bank"
    STOP = "stop"


class PoolWinner(StrEnum):
    """Who wins a round that ended with nobody's rack empty."""

    LOWEST_SUM = "lowest_sum"
    FEWEST_TILES = "fewest_tiles"


class PoolTie(StrEnum):
    """Who wins such a round among players who are level."""

    SHARED = "shared"
    OTHER_MEASURE = "other_measure"
    EARLIER_SEAT = "earlier_seat"


class Scoring(StrEnum):
    """What a player's round is worth."""

    WINNER_TAKES = "winner_takes"
    RACK_SUMS = "rack_sums"


class PoolScores(StrEnum):
    """What losers score in a round that ended with nobody's rack empty."""

    DIFFERENCE = "difference"
    RACK_SUMS = "rack_sums"


class UnopenedMode(StrEnum):
    """How the penalty for never having opened meets the rack sum."""

    INSTEAD = "instead"
    ON_TOP = "on_top"


class UnopenedExempt(StrEnum):
    """Which penalty falls away for an opening that was announced with the last drawn tile."""

    OFF = "off"
    ABLE = "able"
    BOTH = "both"


class RankBy(StrEnum):
    """What ranks the players of a match first."""

    POINTS = "points"
    WINS = "wins"
    PLACING = "placing"
    FIRST_TO_WINS = "first_to_wins"


class CarryOver(StrEnum):
    """How much of the points goes on into the next stage."""

    ALL = "all"
    HALF = "half"
    NONE = "none"


class TieBreak(StrEnum):
    """What parts players who are level, in turn."""

    POINTS = "points"
    WINS = "wins"
    BEST_GAMES = "best_games"
    EXTRA_GAME = "extra_game"
    EARLIER_SEAT = "earlier_seat"


class ClaimUntil(StrEnum):
    """Until when a past turn may be disputed."""

    NEXT_MOVE = "next_move"
    ROUND_END = "round_end"


@dataclass(frozen=True, slots=True)
class WholeNumber:
    """A switch that is a whole number from ``least`` to ``most``."""

    least: int
    most: int

    def allows(self, value: object) -> bool:
        return isinstance(value, int) and not isinstance(value, bool) and self.least <= value <= self.most

    def settled(self, value: object) -> object:
        return value

    def __str__(self) -> str:
        return f"a whole number from {self.least} to {self.most}"


@dataclass(frozen=True, slots=True)
class YesNo:
    """A switch that is on or off."""

    def allows(self, value: object) -> bool:
        return isinstance(value, bool)

    def settled(self, value: object) -> object:
        return value

    def __str__(self) -> str:
        return "true or false"


@dataclass(frozen=True, slots=True)
class Choice:
    """A switch with a few named positions."""

    positions: type[StrEnum]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(position.value for position in self.positions)

    def allows(self, value: object) -> bool:
        return isinstance(value, str) and value in self.names

    def settled(self, value: object) -> object:
        return self.positions(str(value))

    def __str__(self) -> str:
        return " or ".join(f'"{name}"' for name in self.names)


@dataclass(frozen=True, slots=True)
class ChoiceList:
    """A switch that is a list of different named positions, in an order that matters."""

    positions: type[StrEnum]

    def allows(self, value: object) -> bool:
        if not isinstance(value, list | tuple) or not all(isinstance(one, str) for one in value):
            return False
        return set(value) <= {position.value for position in self.positions} and len(set(value)) == len(value)

    def settled(self, value: object) -> object:
        return tuple(self.positions(str(one)) for one in value) if isinstance(value, list | tuple) else value

    def __str__(self) -> str:
        names = ", ".join(f'"{position.value}"' for position in self.positions)
        return f"a list of different names out of {names}"


@dataclass(frozen=True, slots=True)
class NumberList:
    """A switch that is a list of whole numbers from ``least`` to ``most``, never rising."""

    least: int
    most: int

    def allows(self, value: object) -> bool:
        if not isinstance(value, list | tuple) or not value:
            return False
        number = WholeNumber(self.least, self.most)
        return all(number.allows(one) for one in value) and list(value) == sorted(value, reverse=True)

    def settled(self, value: object) -> object:
        return tuple(value) if isinstance(value, list | tuple) else value

    def __str__(self) -> str:
        return f"a list of whole numbers from {self.least} to {self.most} that never rise"


@dataclass(frozen=True, slots=True)
class FaceCounts:
    """A switch that lists faces of the box with their own number of copies: ``["R13=1", "K2=3"]``."""

    most: int

    def allows(self, value: object) -> bool:
        if not isinstance(value, list | tuple):
            return False
        faces = [self._face(one) for one in value]
        return None not in faces and len(set(faces)) == len(faces)

    def _face(self, entry: object) -> str | None:
        match = re.fullmatch(r"(\w+)=(\d{1,2})", entry) if isinstance(entry, str) else None
        if match is None or int(match[2]) > self.most:
            return None
        try:
            return str(parse_tile(match[1]))
        except NotationError:
            return None

    def settled(self, value: object) -> object:
        return tuple(str(one).upper() for one in value) if isinstance(value, list | tuple) else value

    def __str__(self) -> str:
        return f'a list of different tiles with 0 to {self.most} copies each, such as ["R13=1"]'


Allowed = WholeNumber | YesNo | Choice | ChoiceList | NumberList | FaceCounts


def shown(value: object) -> str:
    """A switch's value as a preset file writes it."""
    if isinstance(value, bool | str):
        return json.dumps(value)
    if isinstance(value, list | tuple):
        return f"[{', '.join(shown(one) for one in value)}]"
    return repr(value) if isinstance(value, int | float | dict) else str(value)
