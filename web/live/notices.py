"""What a live table says when something happens: codes and values, never sentences (``web.live.words`` has those)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from referee.findings import Finding
from referee.observation import Quad
from referee.ruling import Verdict
from referee.tiles import Tile
from referee.told import Told, Value


class NoticeCode(StrEnum):
    """Everything that a live table says; the line under a member names what its notice holds."""

    SEATED = "seated"
    """The players sit."""
    DRAW_AGAIN = "draw_again"
    """numbers: seats that must draw for the start again."""
    STARTS = "starts"
    """seat: who starts the round."""
    DEALT = "dealt"
    """numbers: how many tiles each seat holds."""
    NOT_EMPTY = "not_empty"
    """seat: who starts; numbers: so many tiles lie on the table though the round was only dealt.

    They are taken off, or somebody says what they are: laid by that seat (``Restored(trust=True)``) or the table of a
    game that goes on (``AcceptTable``).
    """
    REDEAL = "redeal"
    """seat; text: the rules that refuse his claim for a new deal, empty where it is granted."""
    TURN = "turn"
    """seat: whose turn begins; seconds: his time (None: no limit); numbers: the seat that starts the clock."""
    GOES_ON = "goes_on"
    """seat: whose turn it was when the program stopped; its clock begins anew."""
    CALLED = "called"
    """seat: whose turn was called over; seconds: how long ago, where the word took its time."""
    CALL_TAKEN_BACK = "call_taken_back"
    """seat."""
    RULED = "ruled"
    """ruling: a turn's end was ruled on; seat."""
    FIX = "fix"
    """ruling: the table is illegal and may be mended; seat, seconds: the time that is left (None: no limit)."""
    ASK = "ask"
    """questions: tiles that a human must settle; seat."""
    DOUBT = "doubt"
    """ruling: what keeps the referee from telling, and no tile's name would settle it; seat."""
    BELL = "bell"
    """seat: whose time is over."""
    TIDY = "tidy"
    """seat; seconds: for tidying, None without limit."""
    RESTORE = "restore"
    """seat: who puts the table back; text: the table that must lie there."""
    RESTORED = "restored"
    """The table lies as it must.  numbers: tiles that went to the pool and to the rack."""
    NOT_RESTORED = "not_restored"
    """The next turn was called before the table was put back."""
    ROUND_OVER = "round_over"
    """numbers: the tiles on each rack; seat: who won, None where the pool decides."""
    WIN_DOUBTED = "win_doubted"
    """seat, numbers: a win was declared, and the log counts so many tiles on that rack."""
    RACK = "rack"
    """seat, tiles: as it was shown."""
    RACK_UNREAD = "rack_unread"
    """seat, questions: the rack could not be read wholly."""
    MISCOUNT = "miscount"
    """numbers: seat, tiles by the log, tiles shown, for each rack that differs."""
    SCORED = "scored"
    """numbers: the points by seat."""
    CONFIRMED = "confirmed"
    """seat: whose player agrees with the scores."""
    ROUND = "round"
    """numbers: the number of the round that begins."""
    PAUSED = "paused"
    RESUMED = "resumed"
    EXTENDED = "extended"
    """seconds."""
    CHANGED_IN_PAUSE = "changed_in_pause"
    """The table changed while the clock stood still."""
    OVERRULED = "overruled"
    """ruling: what the referee made of it; seat."""
    UNDONE = "undone"
    """seat: whose turn was taken back."""
    CORRECTED = "corrected"
    """text: the table as it stands now."""
    PENALTY = "penalty"
    """seat, numbers: tiles and points."""
    LEFT = "left"
    """seat."""
    STORE_TROUBLE = "store_trouble"
    """text, values: why the log cannot be written; what was ruled is kept and written when there is room."""
    STORE_WELL = "store_well"
    """The log is written again."""
    GONE_ON_ELSEWHERE = "gone_on_elsewhere"
    """Another program wrote to the log of this game: the table goes on from there."""
    CAMERA_TROUBLE = "camera_trouble"
    """text: the code of what is wrong with the camera."""
    CAMERA_WELL = "camera_well"
    REFUSED = "refused"
    """text, values: why an act cannot be done now, as a sentence."""


class QuestionKind(StrEnum):
    """What is asked of one tile."""

    DOUBTFUL = "doubtful"
    CHANGED = "changed"
    MISSING = "missing"
    COPIES = "copies"
    HIDDEN = "hidden"
    """Whether a tile lies there at all, face-down or covered; the answer None says that none does."""


@dataclass(frozen=True, slots=True)
class TileQuestion:
    """One doubtful tile: where it lies, and what it may be, the likeliest first.

    ``number`` is what ``AnswerTile`` names it by.
    """

    number: int
    quad: Quad
    choices: tuple[Tile, ...]
    kind: QuestionKind


@dataclass(frozen=True, slots=True)
class LiveRuling:
    """What was ruled on a turn: the findings, the tiles that they speak of, and what follows.

    ``after`` and ``before`` are the notation of every place of both tables in reading order, to which the findings
    point; ``quads`` are those tiles of the findings that lie in the picture.  ``by`` is ``machine`` or ``referee``.
    """

    verdict: Verdict
    findings: tuple[Finding, ...] = ()
    after: tuple[str, ...] = ()
    before: tuple[str, ...] = ()
    quads: tuple[Quad, ...] = ()
    laid: tuple[Tile, ...] = ()
    drew: int = 0
    took: int = 0
    points: int = 0
    opening: int | None = None
    by: str = "machine"
    final: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """One thing that happened; which fields are told is said at its code.  ``at`` is the live table's clock.

    ``text`` is a template where ``values`` belong to it.
    """

    code: NoticeCode
    at: float
    seat: int | None = None
    ruling: LiveRuling | None = None
    questions: tuple[TileQuestion, ...] = ()
    tiles: tuple[Tile, ...] = ()
    numbers: tuple[int, ...] = ()
    seconds: float | None = None
    text: str = ""
    values: tuple[tuple[str, Value], ...] = ()

    @property
    def told(self) -> Told:
        """What ``text`` and ``values`` say, where they are a sentence."""
        return Told(self.text, self.values)
