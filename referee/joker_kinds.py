"""Which joker is it?  The eyes know one joker's face and read it as ``J``; what it may be, the box decides.

Where a box holds jokers of several kinds, a joker's kind stays open: nothing in the picture tells it.  Where it holds
special jokers of one kind alone, a joker's face is that kind.  A box that was taught with its kinds is read by kind:
then nothing is left to decide.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from referee.observation import JOKER_KINDS_READ, Observation, Reading, SeenTile
from referee.ruleset import RuleSet
from referee.tiles import Joker, Tile

REGULAR = Tile(joker=Joker.REGULAR)


def with_joker_kinds(observation: Observation, ruleset: RuleSet) -> Observation:
    """The same picture, each ``J`` read as the kinds of joker that the rule set's box holds.

    A joker's probability is shared out by how many of each kind there are.  A surely read joker becomes doubtful and
    ``joker_open`` where there are several kinds.  A box with regular jokers alone, or with none, changes nothing, nor
    does a picture whose kinds were read.
    """
    if JOKER_KINDS_READ in observation.notes:
        return observation
    held = {kind: ruleset.held(kind) for kind in (Tile(joker=joker) for joker in Joker)}
    jokers = sum(held.values())
    shares = {kind: count / jokers for kind, count in held.items() if count}
    if set(shares) <= {REGULAR}:
        return observation
    return replace(observation, tiles=tuple(_opened(seen, shares) for seen in observation.tiles))


def _opened(seen: SeenTile, shares: Mapping[Tile, float]) -> SeenTile:
    if all(reading.tile != REGULAR for reading in seen.readings):
        return seen
    first = seen.readings[0]
    is_open = first.tile == REGULAR and not seen.doubtful and len(shares) > 1
    spread = [
        Reading(tile, reading.p * share)
        for reading in seen.readings
        for tile, share in (shares.items() if reading.tile == REGULAR else ((reading.tile, 1.0),))
    ]
    # what is surely a joker shows a joker first, however little of the probability is left to each kind
    spread.sort(key=lambda reading: (is_open and not reading.tile.is_joker, -reading.p))
    return replace(
        seen,
        readings=tuple(spread),
        confidence=seen.confidence * spread[0].p / first.p,
        doubtful=seen.doubtful or is_open,
        joker_open=is_open,
    )
