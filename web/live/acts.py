"""What people ask of a live table: one act a key, a button or a line of a file."""

from __future__ import annotations

from dataclasses import dataclass

from referee.observation import Point
from referee.tiles import Tile


@dataclass(frozen=True, slots=True)
class StartGame:
    """Seat the players, clockwise.  With a ``starter`` (a seat) the tiles count as dealt, and play begins."""

    players: tuple[str, ...]
    starter: int | None = None


@dataclass(frozen=True, slots=True)
class DrawTiles:
    """The tiles drawn for the start, by the seats that must draw."""

    tiles: tuple[Tile, ...]


@dataclass(frozen=True, slots=True)
class NameStarter:
    """The referee's word on who starts the round."""

    seat: int


@dataclass(frozen=True, slots=True)
class DealTiles:
    """The tiles were dealt: how many to each seat (None: as the rules say)."""

    counts: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True)
class ClaimRedeal:
    """A player claims a new deal; ``tiles`` are shown as proof, None: not shown."""

    seat: int
    tiles: tuple[Tile, ...] | None = None


@dataclass(frozen=True, slots=True)
class StartClock:
    """The clock of the turn is started by whom the rules name."""


@dataclass(frozen=True, slots=True)
class CallTurnEnd:
    """The turn is over.  ``passes``: its player gives up what he began; ``won``: he says that his rack is empty.

    ``seat`` is who called; None: whoever's turn it is.  ``called_at`` is when, on the clock of the live table, where
    the word took its time to arrive; None: now.
    """

    seat: int | None = None
    passes: bool = False
    won: bool = False
    called_at: float | None = None


@dataclass(frozen=True, slots=True)
class TakeBackCall:
    """The call was a mistake: the player goes on, and the time since then is not counted."""


@dataclass(frozen=True, slots=True)
class Conclude:
    """The player does not mend an illegal table: the ruling stands.  After the bell: tidying is over."""


@dataclass(frozen=True, slots=True)
class AnswerTile:
    """A human's answer to one question of the view; ``tile`` None: face-down, or no tile lies there.

    ``at`` is a point on the tile that is meant, for once it was answered, its number may be another's.  None: whichever
    tile has that number now.
    """

    question: int
    tile: Tile | None
    at: Point | None = None


@dataclass(frozen=True, slots=True)
class AnswerChoice:
    """The same by the number of the choice, from 0."""

    question: int
    choice: int


@dataclass(frozen=True, slots=True)
class CorrectTile:
    """The tile that lies at a point of the picture is this one; None: it lies face-down.  Also a covered tile's name.

    Points here and below are pixels of the camera's picture, x right and y down.
    """

    at: Point
    tile: Tile | None


@dataclass(frozen=True, slots=True)
class RemoveTile:
    """What lies at a point is no tile."""

    at: Point


@dataclass(frozen=True, slots=True)
class AddTile:
    """At a point lies a tile that was not seen, its centre there; it joins the set beside which it lies."""

    at: Point
    tile: Tile | None


@dataclass(frozen=True, slots=True)
class MoveTile:
    """The tile at a point belongs to the set of the one at ``beside``, after or before that (None: it lies alone)."""

    at: Point
    beside: Point | None
    after: bool = True


@dataclass(frozen=True, slots=True)
class CutSet:
    """With the tile at a point another set begins."""

    at: Point


@dataclass(frozen=True, slots=True)
class TakeBackCorrection:
    """The last correction of a place (any but a tile's name, which is simply corrected again) was a mistake."""


@dataclass(frozen=True, slots=True)
class Pause:
    """The clock stands still."""


@dataclass(frozen=True, slots=True)
class Resume:
    """The clock goes on."""


@dataclass(frozen=True, slots=True)
class Extend:
    """The referee grants the extension of the rules."""


@dataclass(frozen=True, slots=True)
class Overrule:
    """The referee rules: on the turn that is being ended or asked about, else on the last turn.

    ``draw`` are the tiles that a turn costs which does not stand; None: as the rules say.
    """

    legal: bool
    reason: str = "the referee's ruling"
    draw: int | None = None


@dataclass(frozen=True, slots=True)
class Undo:
    """The last turn is taken back."""

    reason: str = "taken back"


@dataclass(frozen=True, slots=True)
class CountAsDraw:
    """The turn counts as one in which nothing was laid, whatever lies on the table: it can always be said.

    ``seat`` is whose turn is meant: said twice it costs nobody else's.  None: whoever's turn it is.
    """

    seat: int | None = None


@dataclass(frozen=True, slots=True)
class Restored:
    """The table was put back.  ``remembered`` False: nobody knows where the tiles belong that lie in no legal set.

    ``trust``: go on without looking, as the log has it.
    """

    remembered: bool = True
    trust: bool = False


@dataclass(frozen=True, slots=True)
class PlayedInstead:
    """Turns that nobody called: ``played`` tiles were laid by each of ``seats`` in turn, and are recorded as one.

    ``seats`` begin with the one whose turn it is.  Also for a player out of turn: those before him laid 0.
    """

    seats: tuple[int, ...]
    played: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class AcceptTable:
    """What lies there now is the table, whoever laid it.

    ``racks`` by seat as counted anew; None: the difference is that of the seat that moved last.
    """

    reason: str = "as it lies"
    racks: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True)
class TellTable:
    """The referee tells the whole table in the text notation: the eyes are not asked about it."""

    text: str


@dataclass(frozen=True, slots=True)
class ConfirmWin:
    """The rack of a seat is empty, whatever the log counts: the round is over."""

    seat: int


@dataclass(frozen=True, slots=True)
class GivePenalty:
    """A penalty by the referee."""

    seat: int
    tiles: int
    points: int
    reason: str


@dataclass(frozen=True, slots=True)
class Leave:
    """A player leaves."""

    seat: int


@dataclass(frozen=True, slots=True)
class ShowRack:
    """A rack at the end of a round, as it was told or read from a photo; ``tiles`` None: the camera shows it now."""

    seat: int
    tiles: tuple[Tile, ...] | None = None


@dataclass(frozen=True, slots=True)
class CountRound:
    """All racks were shown: count.  ``announced`` are the seats that announced their opening.

    ``as_shown``: where a rack holds another number of tiles than the log says, the rack is right.
    """

    announced: tuple[int, ...] = ()
    as_shown: bool = False


@dataclass(frozen=True, slots=True)
class ConfirmScore:
    """A player agrees with the scores of the round."""

    seat: int


@dataclass(frozen=True, slots=True)
class NextRound:
    """Begin the next round."""


Correction = CorrectTile | RemoveTile | AddTile | MoveTile | CutSet | TakeBackCorrection
"""What is said of the reading of any tile, asked or not."""

Act = (
    StartGame
    | DrawTiles
    | NameStarter
    | DealTiles
    | ClaimRedeal
    | StartClock
    | CallTurnEnd
    | TakeBackCall
    | Conclude
    | AnswerTile
    | AnswerChoice
    | Correction
    | Pause
    | Resume
    | Extend
    | Overrule
    | Undo
    | CountAsDraw
    | Restored
    | PlayedInstead
    | AcceptTable
    | TellTable
    | ConfirmWin
    | GivePenalty
    | Leave
    | ShowRack
    | CountRound
    | ConfirmScore
    | NextRound
)
