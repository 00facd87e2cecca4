"""What happened in a game: frozen facts of plain values, in the order in which they happened.

An event holds everything that the state needs of it, results included, so an old log gives the same game when the
judge has learned more.  Tables, racks and tiles are in the text notation.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class GameStarted:
    """The players by seat, clockwise, the rules (name, fingerprint, tiles of the box), and what does the ruling."""

    players: tuple[str, ...]
    rules: str
    fingerprint: str
    box: int
    clockwise: bool
    program: str
    models: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StarterDrawn:
    """The tiles drawn by the seats that drew; ``starter`` is the seat that starts, None while ``again`` must draw."""

    seats: tuple[int, ...]
    tiles: tuple[str, ...]
    starter: int | None
    again: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Dealt:
    """How many tiles each seat holds after the deal."""

    counts: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RedealRuled:
    """A claim for a new deal; ``why`` are the rules that refuse it, none where it is granted."""

    seat: int
    tiles: tuple[str, ...]
    why: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TileAnswered:
    """What a human said of one tile while a turn was on.

    ``quad``: where it lies in the camera's picture, x and y of its four corners in pixels.  ``tile`` is None for a
    face-down one, or where ``gone``: no tile lies there.  ``read_as`` is what the eyes said first (None: nothing).
    """

    quad: tuple[float, ...]
    tile: str | None
    gone: bool
    read_as: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacePointed:
    """What a human said of a place in the camera's picture: a missed tile, a false one, a tile of another set.

    ``deed`` is a ``referee.pointed.Deed``, the other fields are those of ``Pointed``; places are x and y of their four
    corners in pixels.
    """

    deed: str
    quad: tuple[float, ...]
    tile: str | None
    beside: tuple[float, ...] | None
    after: bool
    read_as: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaceTakenBack:
    """The last ``PlacePointed`` that says this was a mistake."""

    deed: str
    tile: str | None
    read_as: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnQuestioned:
    """A turn of which nobody could tell; it waits for the referee."""

    seat: int
    how: str
    shown: str
    codes: tuple[str, ...]
    elapsed_s: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnEnded:
    """A turn and what followed.

    ``shown`` is the table as it lay when the turn was over, ``after`` the one that stands.  ``played`` went from the
    rack to the table for good; ``drew`` came from the pool and ``took`` from the table;
    ``to_pool`` went from the rack into a pool that had run out.  ``verdict`` decides,
    ``machine`` is what the program said, ``by`` who decided.  ``seats`` are several where turns that nobody called
    were recorded as one.
    """

    seats: tuple[int, ...]
    how: str
    shown: str
    after: str
    verdict: str
    machine: str
    by: str
    codes: tuple[str, ...]
    played: int
    drew: int
    took: int
    to_pool: int
    points: int
    opened: bool
    opening: int | None
    overrun: bool
    elapsed_s: float | None
    reserve_s: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class VerdictOverridden:
    """The referee ruled otherwise on the last turn; ``turn`` takes its place, the program's verdict is kept in it."""

    turn: TurnEnded
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnUndone:
    """The last turn is as if it had not been."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TableCorrected:
    """The table was misread or put back otherwise: this is what lies there, on the racks (by seat) and in the pool."""

    table: str
    racks: tuple[int, ...]
    pool: int
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PenaltyGiven:
    """The referee's penalty: tiles drawn from the pool, points lost at the end of the round."""

    seat: int
    tiles: int
    points: int
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerLeft:
    """A player left; ``to_pool`` of his tiles went back to the pool."""

    seat: int
    to_pool: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundScored:
    """The racks as they were counted, and the scores by seat."""

    end: str
    racks: tuple[str, ...]
    announced: tuple[int, ...]
    points: tuple[int, ...]
    winners: tuple[int, ...]
    zero_sum: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreConfirmed:
    """A player agrees with the scores of the round that was scored last."""

    seat: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundBegun:
    """A new round; ``starter`` is None where tiles are drawn for it."""

    number: int
    starter: int | None


Event = (
    GameStarted
    | StarterDrawn
    | Dealt
    | RedealRuled
    | TileAnswered
    | PlacePointed
    | PlaceTakenBack
    | TurnQuestioned
    | TurnEnded
    | VerdictOverridden
    | TurnUndone
    | TableCorrected
    | PenaltyGiven
    | PlayerLeft
    | RoundScored
    | ScoreConfirmed
    | RoundBegun
)
EVENT_TYPES: tuple[type[Event], ...] = (
    GameStarted, StarterDrawn, Dealt, RedealRuled, TileAnswered, PlacePointed, PlaceTakenBack, TurnQuestioned,
    TurnEnded, VerdictOverridden, TurnUndone, TableCorrected, PenaltyGiven, PlayerLeft, RoundScored, ScoreConfirmed,
    RoundBegun,
)  # fmt: skip
