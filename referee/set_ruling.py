"""What is said of one set: its kind, its value, its jokers' meanings, its findings."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from referee.findings import Finding
from referee.tiles import Tile


class SetKind(StrEnum):
    """What a legal set is; ``NONE`` is a set that is neither.  A mirrored set is what its halves are."""

    RUN = "run"
    GROUP = "group"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class JokerMeaning:
    """What one joker stands for.

    ``place`` is the index of the joker (into the set, or into ``Observation.tiles`` in a table's ruling),
    ``stands_for`` the meaning that the set's value counts, ``possible`` every tile that this joker may stand for,
    ``stands_for`` first.  ``beside`` is the second tile of a double, or the second colour of a colour-change.
    A mirror stands for nothing and has no meaning.
    """

    place: int
    stands_for: Tile
    possible: tuple[Tile, ...]
    beside: Tile | None = None


@dataclass(frozen=True, slots=True)
class SetRuling:
    """The ruling on one set; ``legal`` is never None for tiles that were surely read.

    ``value`` is None unless the set is legal.  ``findings`` point into the set.
    """

    kind: SetKind
    legal: bool | None
    value: int | None
    meanings: tuple[JokerMeaning, ...]
    findings: tuple[Finding, ...]
