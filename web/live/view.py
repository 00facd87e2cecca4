"""What a screen shows of a live table: plain frozen values, made anew whenever somebody asks."""

from __future__ import annotations

from dataclasses import dataclass

from referee.game.state import Phase
from referee.observation import Observation, Quad
from referee.protocol import Stage
from referee.restore import StepKind
from referee.ruling import TableRuling
from referee.switches import Leftovers
from referee.tiles import Tile
from referee.told import Told
from web.live.notices import LiveRuling, TileQuestion


@dataclass(frozen=True, slots=True)
class SeatView:
    """One player; ``total`` are his points over the rounds so far, ``shown`` his rack at the end of a round."""

    name: str
    rack: int
    opened: bool
    active: bool
    total: int
    shown: tuple[Tile, ...] | None = None


@dataclass(frozen=True, slots=True)
class RestoreView:
    """One tile to put back: where it lies now and where it belongs in the picture (None: on no table)."""

    kind: StepKind
    tile: Tile
    done: bool
    lies: Quad | None
    home: Quad | None
    home_set: int | None


@dataclass(frozen=True, slots=True)
class ReadView:
    """The still table as it was read last, in the picture of then, and the ruling on it by itself.

    ``choices`` holds for each tile what it may be, the likeliest first; ``corrections`` is how many words of humans
    about its places may be taken back.
    """

    observation: Observation
    ruling: TableRuling
    choices: tuple[tuple[Tile, ...], ...]
    corrections: int


@dataclass(frozen=True, slots=True)
class LiveView:
    """Everything that a screen shows.

    ``why`` is the code why the table is not read just now (``hand``, ``moving``, ``light``, ``camera``), empty while
    it is.  ``left_s`` is the time that is left, None without a limit; ``tidy_left_s`` that for tidying.  ``table`` is
    the one of the log in notation, ``lying`` the one that was read last, and ``read`` the
    same as it lies in the picture.  ``leftovers`` is what the rules do with
    tiles whose place nobody remembers.  ``confirmed`` are the seats that agree with the scores of the round,
    ``order`` those that still play, as they follow each other from the one whose turn it is.
    """

    game: str
    rules: str
    phase: Phase
    stage: Stage
    round: int
    turn: int
    seat: int
    seats: tuple[SeatView, ...]
    pool: int
    table: str
    lying: str | None
    read: ReadView | None
    sees: str
    why: str
    called: bool
    paused: bool
    left_s: float | None
    tidy_left_s: float | None
    clock_starter: int | None
    ruling: LiveRuling | None
    questions: tuple[TileQuestion, ...]
    restoring: tuple[RestoreView, ...]
    leftovers: Leftovers
    fault: str
    trouble: Told
    points: tuple[tuple[int, ...], ...]
    drawing: tuple[int, ...]
    confirmed: tuple[int, ...] = ()
    order: tuple[int, ...] = ()
