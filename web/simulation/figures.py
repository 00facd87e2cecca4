"""What came of a simulated game: how every ruling stood against the truth, and how long each took."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import numpy as np


@dataclass
class GameFigures:
    """What came of one game.

    ``rulings`` are all that were made of tables that were called, or lay there at the bell.  ``silent`` are tables that
    were ruled on rightly although a tile in them was misread.  ``right_tile`` are questions about a tile whose true
    face was offered, or that was gone; ``needless`` those of them whose tile the eyes had read rightly.  ``waits_ms``
    are the times from call to first word.  ``incidents`` are those of turns, ``happened`` what else was out of the
    ordinary.
    """

    seed: int
    rules: str
    players: int
    turns: int = 0
    rulings: int = 0
    wrong: int = 0
    false_legal: int = 0
    false_illegal: int = 0
    silent: int = 0
    turns_asked: int = 0
    questions: int = 0
    right_tile: int = 0
    needless: int = 0
    doubts: int = 0
    refused: int = 0
    no_ruling: int = 0
    restores: int = 0
    restores_stuck: int = 0
    scored: bool | None = None
    frames: int = 0
    virtual_s: float = 0.0
    waits_ms: list[float] = field(default_factory=list)
    incidents: Counter[str] = field(default_factory=Counter)
    happened: Counter[str] = field(default_factory=Counter)
    asked: list[str] = field(default_factory=list)
    """Questions about the right tile."""
    troubles: list[str] = field(default_factory=list)
    """Everything that was not as it should be."""

    @property
    def as_it_should_be(self) -> bool:
        """Whether every ruling was the true one, or was asked about by a question that names the right tile."""
        unsettled = self.doubts + self.refused + self.no_ruling + self.restores_stuck
        return not (self.wrong or self.silent or unsettled) and self.questions == self.right_tile

    def quantile_ms(self, share: float) -> float | None:
        """The time from call to ruling that this share of the calls did not exceed."""
        return round(float(np.quantile(self.waits_ms, share)), 1) if self.waits_ms else None

    def as_json(self) -> dict[str, object]:
        """One line of the report."""
        return {
            "seed": self.seed, "rules": self.rules, "players": self.players, "turns": self.turns,
            "rulings": self.rulings, "wrong": self.wrong, "false_legal": self.false_legal,
            "false_illegal": self.false_illegal, "silent_misreadings": self.silent, "turns_asked": self.turns_asked,
            "questions": self.questions, "right_tile_questions": self.right_tile, "needless": self.needless,
            "doubts": self.doubts, "refused": self.refused, "no_ruling": self.no_ruling, "restores": self.restores,
            "restores_stuck": self.restores_stuck, "scored_right": self.scored, "ms_p50": self.quantile_ms(0.5),
            "ms_p99": self.quantile_ms(0.99), "frames": self.frames, "game_s": round(self.virtual_s, 1),
            "incidents": dict(sorted(self.incidents.items())), "happened": dict(sorted(self.happened.items())),
            "asked": self.asked, "troubles": self.troubles, "waits_ms": [round(wait) for wait in self.waits_ms],
        }  # fmt: skip
