"""What a live table hands over as the evidence of one turn, or of what a referee did between two."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

import numpy as np
import numpy.typing as npt

from referee.game.commands import Command
from referee.game.events import Event, TurnEnded, TurnQuestioned, VerdictOverridden
from referee.observation import Observation, Quad, Reading
from referee.pointed import Pointed
from referee.ruleset import RuleSet
from referee.tiles import Tile
from web.version import VERSION


class Occasion(StrEnum):
    """Why something is kept."""

    TURN = "turn"
    ANSWER = "answer"
    OVERRIDE = "override"
    UNDO = "undo"
    CORRECTION = "correction"
    ROUND = "round"
    OTHER = "other"
    RETENTION = "retention"
    """Pictures that were let go; nobody hands this over."""


RULED = (TurnEnded, TurnQuestioned, VerdictOverridden)
"""Events of a log that nobody may look at again without evidence."""


@dataclass(frozen=True, slots=True)
class Shot:
    """One frame as evidence.

    ``image`` is uint8 (H, W, 3) BGR, upright, captured at ``taken_at`` (seconds since the epoch) as frame ``number`` of
    the camera.  ``corners`` are the table's four in that picture, float32 (4, 2), x right and y down, in order around
    it: what lies outside is not kept; None keeps all.  ``seen`` is what the eyes saw before anything was reconciled,
    over ``looks`` frames.
    """

    image: npt.NDArray[np.uint8]
    taken_at: float
    number: int = 0
    corners: npt.NDArray[np.float32] | None = None
    seen: Observation | None = None
    looks: int = 1


@dataclass(frozen=True, slots=True)
class HumanWord:
    """What a human said of one tile; ``said`` is None for a face-down one.  ``read`` is what the eyes thought of it.

    ``pointed`` is what he said of the place instead, where he did not only name the tile.
    """

    quad: Quad
    said: Tile | None
    read: tuple[Reading, ...] = ()
    pointed: Pointed | None = None


@dataclass(frozen=True, slots=True)
class TurnEvidence:
    """Everything known of one turn, or of one thing that a referee did.

    ``events`` are what ``command`` led to, the last events of the game's log, which is ``version`` events long with
    them.  ``pictures`` are named ``before``, ``after``, ``bell`` or ``rack-0`` (the seat).  ``reading`` is what was
    ruled on, in the coordinates of ``after``.  ``times`` are seconds since the epoch (``called_at``) or durations
    (``elapsed_s``).  ``models`` is name of each network → its version and hash.
    """

    game: str
    occasion: Occasion
    version: int
    command: Command | None
    events: tuple[Event, ...]
    ruleset: RuleSet
    pictures: Mapping[str, Shot] = field(default_factory=dict)
    reading: Observation | None = None
    words: tuple[HumanWord, ...] = ()
    models: Mapping[str, str] = field(default_factory=dict)
    times: Mapping[str, float] = field(default_factory=dict)
    program: str = VERSION


class EvidenceSink(Protocol):
    """Keeps evidence.  Nothing that goes wrong with it ever stops a game: it says so and goes on."""

    def keep(self, record: TurnEvidence) -> None:
        """Keep this, or say in one sentence why it could not be kept."""


class SealedSink(EvidenceSink, Protocol):
    """Evidence that can be sealed: whoever notes the seal can tell later that nothing up to it was written anew."""

    def seal(self) -> str:
        """The seal of all that was kept so far; empty where nothing is kept, or a disk does not answer."""


class NoEvidence:
    """Keeps nothing: for games that nobody wants to look at again, and for tests of other things."""

    def keep(self, record: TurnEvidence) -> None:
        """Forget it."""

    def seal(self) -> str:
        """Nothing is kept."""
        return ""
