"""One dispute: what the camera read, what people said of it, and the ruling on both by the rules asked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from referee.joker_kinds import with_joker_kinds
from referee.observation import Observation, Quad
from referee.ruleset import RuleSet
from referee.ruling import TableRuling, judge_table
from referee.told import NOTHING, Told
from web.disputes.corrected import Corrected, corrected
from web.disputes.edits import Edit, EditError

MOST_EDITS = 400
"""More than any table has tiles; who says more than this of one picture takes another."""


class State(StrEnum):
    """How far a dispute is."""

    WAITING = "waiting"
    """Its photo was not looked at yet."""
    FAILED = "failed"
    """Its photo cannot be used."""
    READY = "ready"


@dataclass(frozen=True, slots=True)
class Case:
    """A dispute.

    ``key`` is the unguessable name in its link, ``editor`` the SHA-256 of the word that lets its maker correct it;
    ``at`` is when it was made, in seconds since the epoch.  ``reading`` is the camera's word in pixels of the kept
    picture, None unless ``READY``; ``why`` says why it failed, as one sentence.
    """

    key: str
    editor: str
    at: float
    photo: str
    rules: str
    state: State = State.WAITING
    reading: Observation | None = None
    edits: tuple[Edit, ...] = ()
    why: Told = NOTHING
    models: Mapping[str, str] = field(default_factory=dict)
    program: str = ""


@dataclass(frozen=True, slots=True)
class Ruled:
    """The ruling on a case by some rules.

    ``by_camera`` is the ruling on the camera's word alone, ``ruling`` that with the corrections: the same where there
    are none.  ``seen`` is the reading before them.
    """

    seen: Observation
    corrected: Corrected
    ruling: TableRuling
    by_camera: TableRuling


def rule(case: Case, ruleset: RuleSet) -> Ruled:
    """Rule on a case that is ``READY``, as ``tileref check`` does."""
    if case.reading is None:
        raise ValueError("a dispute is ruled on when its photo was looked at")
    seen = with_joker_kinds(case.reading, ruleset)
    said = corrected(seen, case.edits)
    by_camera = judge_table(seen, ruleset)
    ruling = judge_table(said.observation, ruleset) if case.edits else by_camera
    return Ruled(seen, said, ruling, by_camera)


def edited(case: Case, edit: Edit, ruleset: RuleSet) -> Case:
    """The case with one edit more.  Raises ``EditError``."""
    if case.reading is None:
        raise EditError("The photo was not looked at yet.")
    if len(case.edits) >= MOST_EDITS:
        raise EditError("More than {most} corrections of one picture: take another photo.", most=MOST_EDITS)
    changed = replace(case, edits=(*case.edits, edit))
    corrected(with_joker_kinds(case.reading, ruleset), changed.edits)
    return changed


def undone(case: Case) -> Case:
    """The case without its last edit.  Raises ``EditError``."""
    if not case.edits:
        raise EditError("There is no correction to take back.")
    return replace(case, edits=case.edits[:-1])


def scaled(seen: Observation, width: int, height: int) -> Observation:
    """The same reading in a picture of another size."""
    if (width, height) == (seen.width, seen.height) or not seen.width or not seen.height:
        return replace(seen, width=width, height=height)
    across, down = width / seen.width, height / seen.height

    def there(quad: Quad) -> Quad:
        one, two, three, four = ((x * across, y * down) for x, y in quad)
        return one, two, three, four

    return replace(
        seen,
        width=width,
        height=height,
        tiles=tuple(replace(tile, quad=there(tile.quad)) for tile in seen.tiles),
        unread=tuple(there(quad) for quad in seen.unread),
    )
