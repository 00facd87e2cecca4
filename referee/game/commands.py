"""What people ask of a game: commands, each with what somebody saw, measured or decided."""

from __future__ import annotations

from dataclasses import dataclass

from referee.clock import MoveTime
from referee.ending import Ending
from referee.notation import NotedTable
from referee.pointed import Pointed
from referee.reconcile import HumanAnswer
from referee.tiles import Tile


@dataclass(frozen=True, slots=True)
class StartGame:
    """Seat the players, clockwise."""

    players: tuple[str, ...]
    program: str = ""
    models: str = ""


@dataclass(frozen=True, slots=True)
class DrawStart:
    """The tiles drawn by the seats that must draw, in their order."""

    tiles: tuple[Tile, ...]


@dataclass(frozen=True, slots=True)
class NameStarter:
    """The referee's word on who starts the round, where nobody saw the draw or the players agreed."""

    seat: int


@dataclass(frozen=True, slots=True)
class Deal:
    """The tiles were dealt: how many to each seat (None: as the rules say)."""

    counts: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True)
class ClaimRedeal:
    """A claim for a new deal; ``tiles`` are shown as proof, None: not shown."""

    seat: int
    tiles: tuple[Tile, ...] | None


@dataclass(frozen=True, slots=True)
class TellTile:
    """What a human says of one tile of the picture."""

    answer: HumanAnswer


@dataclass(frozen=True, slots=True)
class TellPlace:
    """What a human says of a place in the picture."""

    said: Pointed


@dataclass(frozen=True, slots=True)
class TakeBackPlace:
    """What a human said of a place was a mistake."""

    said: Pointed


@dataclass(frozen=True, slots=True)
class EndTurn:
    """The turn of a seat is over: how, the table as it lies, and what is known besides.

    ``rack`` is the rack before the turn where somebody saw it.  ``could_play`` is somebody's word on whether the
    player could have played; where it is None and the rack is known, the solver is asked.  ``time`` is what was
    measured of the turn.
    """

    seat: int
    table: NotedTable
    ending: Ending
    rack: tuple[Tile, ...] | None = None
    could_play: bool | None = None
    time: MoveTime | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """The referee's answer to a turn of which nobody could tell; ``table`` as he reads it, if tiles were doubtful."""

    legal: bool
    table: NotedTable | None = None


@dataclass(frozen=True, slots=True)
class Override:
    """The referee rules otherwise on the last turn; ``draw`` tiles where it does not stand.

    Where the rules punish every overrun of the time, a turn that stands still pays for its own.
    """

    legal: bool
    reason: str
    draw: int = 0


@dataclass(frozen=True, slots=True)
class Undo:
    """The last turn is taken back."""

    reason: str


@dataclass(frozen=True, slots=True)
class RestoreTable:
    """The table as it was put back after a turn that does not stand.

    ``remembered`` is False where nobody can say where the tiles belong that lie in no legal set.
    """

    table: NotedTable
    remembered: bool = True


@dataclass(frozen=True, slots=True)
class CorrectTable:
    """The table was misread.

    ``racks`` are counted anew; None: tiles that were missed, or seen too many, are those of the seat that moved last.
    """

    table: NotedTable
    reason: str
    racks: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True)
class GivePenalty:
    """A penalty by the referee."""

    seat: int
    tiles: int
    points: int
    reason: str


@dataclass(frozen=True, slots=True)
class RecordAsOne:
    """A turn call was forgotten: several seats have moved, and their turns are recorded as one.

    ``played`` says how many tiles each of the seats laid.
    """

    seats: tuple[int, ...]
    table: NotedTable
    played: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Leave:
    """A player leaves; his tiles go back to the pool."""

    seat: int


@dataclass(frozen=True, slots=True)
class Score:
    """The racks were shown and counted; ``announced`` are the seats that announced their opening."""

    racks: tuple[tuple[Tile, ...], ...]
    announced: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class ConfirmScore:
    """A player agrees with the scores of the round."""

    seat: int


@dataclass(frozen=True, slots=True)
class NextRound:
    """Begin the next round."""


Command = (
    StartGame
    | DrawStart
    | NameStarter
    | Deal
    | ClaimRedeal
    | TellTile
    | TellPlace
    | TakeBackPlace
    | EndTurn
    | Answer
    | Override
    | Undo
    | RestoreTable
    | CorrectTable
    | GivePenalty
    | RecordAsOne
    | Leave
    | Score
    | ConfirmScore
    | NextRound
)
