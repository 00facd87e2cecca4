"""Players led by the solver: how well they play, and what they get wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from enum import StrEnum
from random import Random

from referee.notation import NotedTable
from referee.ruleset import RuleSet
from referee.sets import judge_set
from referee.solver.lawful import lawful_play
from referee.solver.plays import best_opening, without_special
from referee.tiles import Tile
from referee.turn import Player

Sets = tuple[tuple[Tile, ...], ...]
Strategy = Callable[[NotedTable, Sequence[Tile], Player, RuleSet, Random], Sets | None]


class Incident(StrEnum):
    """What goes wrong in a turn, or is out of the ordinary."""

    NONE = "none"
    BAD_SET = "bad_set"
    """A set that is none."""
    SMALL_OPENING = "small_opening"
    """An opening of too little value."""
    TILE_TAKEN = "tile_taken"
    """A tile of the table goes to a rack."""
    TIME_UP = "time_up"
    """The bell rings, and nothing was begun."""
    BROKEN_AT_BELL = "broken_at_bell"
    """The bell rings while the table is taken apart."""
    MENDED = "mended"
    """An illegal table is called, and put right before the time is over."""
    TIDIED = "tidied"
    """The bell rings over a broken table, and it is tidied without another tile: where the rules allow that."""
    LAID_LATE = "laid_late"
    """The same, but a tile of the rack is laid after the bell."""
    MISSED_CALL = "missed_call"
    """Two players move, and nobody has called the first one's turn: the referee records both as one."""
    ADDED = "added"
    """A tile is laid when the turn is over and ruled on: the referee lets it lie."""


OFTEN_WRONG = (Incident.BAD_SET, Incident.SMALL_OPENING)
WRONG = (*OFTEN_WRONG, Incident.TILE_TAKEN)
"""Incidents in which an illegal table is called."""


@dataclass(frozen=True, slots=True)
class Rates:
    """How often what happens, per turn unless said otherwise."""

    wrong: float = 0.10
    """Any of ``WRONG``, where it is possible."""
    taken: float = 0.1
    """Of these: how many are a tile that slips from the table to a rack, where that is possible."""
    mended: float = 0.3
    """Of these: how many are mended in time."""
    time_up: float = 0.02
    broken_at_bell: float = 0.02
    crooked: float = 0.08
    """Tiles laid crookedly."""
    gaps: float = 0.06
    """A set laid with gaps between its tiles."""
    pause: float = 0.12
    """A pause in mid-move, with the hand over the table or away."""
    bump: float = 0.04
    """Table or camera is bumped by about a centimetre, between turns."""
    light: float = 0.05
    """The lamp goes off and on, the exposure jumps, the light flickers."""
    defocus: float = 0.05
    """The lens hunts for a moment."""
    glint: float = 0.04
    """A highlight wanders over the glossy tiles: a window, a lamp that swings."""
    slow: float = 0.06
    """A slow hand, which sets a tile down half-way and rests on it."""
    stack: float = 0.03
    """Tiles of the table are stacked to make room, and the hand is taken away meanwhile."""
    early_call: float = 0.02
    """The turn's end is called in mid-move, and taken back."""
    missed_call: float = 0.01
    """Nobody calls a turn, and the next player has moved."""
    added: float = 0.01
    """A tile is added after the ruling."""
    racks: float = 0.2
    """Per game: the camera sees racks, cut by the picture's edge."""


NOTHING_WRONG = Rates(**{one.name: 0.0 for one in fields(Rates)})


def plays_best(table: NotedTable, rack: Sequence[Tile], player: Player, rules: RuleSet, rng: Random) -> Sets | None:  # noqa: ARG001  a strategy
    """Lays as many tiles as the solver finds."""
    play = lawful_play(table, rack, player, rules)
    return None if play is None else play.sets


def plays_lazily(table: NotedTable, rack: Sequence[Tile], player: Player, rules: RuleSet, rng: Random) -> Sets | None:
    """Looks at half of an opened rack only."""
    seen = rng.sample(list(rack), (len(rack) + 1) // 2) if player.opened else rack
    return plays_best(table, seen, player, rules, rng)


def plays_own_sets(table: NotedTable, rack: Sequence[Tile], player: Player, rules: RuleSet, rng: Random) -> Sets | None:  # noqa: ARG001  a strategy
    """Never touches what lies on the table."""
    own = lawful_play((), rack, player, rules)
    return None if own is None else (*lying(table), *own.sets)


STRATEGIES: tuple[Strategy, ...] = (plays_best, plays_lazily, plays_own_sets)


def lying(table: NotedTable) -> Sets:
    """The tiles of the sets of a table that was surely read."""
    return tuple(tuple(place.readings[0] for place in places) for places in table)


def wrong_table(
    incident: Incident, table: NotedTable, rack: Sequence[Tile], player: Player, rules: RuleSet, rng: Random
) -> Sets | None:
    """A table that a player who errs so leaves; None where these tiles give no occasion."""
    sets = lying(table)
    match incident:
        case Incident.BAD_SET:
            return _bad_set(sets, rack, rules, rng) if player.opened and sets else _no_set(sets, rack, rules, rng)
        case Incident.SMALL_OPENING:
            return None if player.opened else _small_opening(sets, rack, rules)
        case Incident.TILE_TAKEN:
            return _tile_taken(sets, rules, rng) if player.opened else None
        case _:
            return None


def _bad_set(sets: Sets, rack: Sequence[Tile], rules: RuleSet, rng: Random) -> Sets | None:
    """A rack tile put to a set that it nearly fits."""
    plain = [tile for tile in rack if not tile.is_joker]
    options = [
        (at, (*one, tile) if rng.random() < 0.7 else (tile, *one))
        for at, one in enumerate(sets)
        for tile in plain
        if any(tile.colour is other.colour or tile.number == other.number for other in one)
    ]
    rng.shuffle(options)
    for at, spoilt in options[:20]:
        if judge_set(spoilt, rules).legal is False and len(spoilt) <= 13:
            return (*sets[:at], spoilt, *sets[at + 1 :])
    return None


def _no_set(sets: Sets, rack: Sequence[Tile], rules: RuleSet, rng: Random) -> Sets | None:
    """Three rack tiles that make no set."""
    plain = [tile for tile in rack if not tile.is_joker]
    for _ in range(20):
        if len(plain) < 3:
            return None
        three = tuple(rng.sample(plain, 3))
        if judge_set(three, rules).legal is False:
            return (*sets, three)
    return None


def _small_opening(sets: Sets, rack: Sequence[Tile], rules: RuleSet) -> Sets | None:
    opening = best_opening(without_special(rack), rules)
    return (*sets, *opening.sets[:1]) if opening.sets and opening.value < rules.open_points else None


def _tile_taken(sets: Sets, rules: RuleSet, rng: Random) -> Sets | None:
    """The last tile of a long set goes to the rack; what is left is legal."""
    order = list(range(len(sets)))
    rng.shuffle(order)
    for at in order:
        rest = sets[at][:-1]
        if len(rest) >= 3 and judge_set(rest, rules).legal is True and not sets[at][-1].is_joker:
            return (*sets[:at], rest, *sets[at + 1 :])
    return None


def split_set(sets: Sets, play: Sets, rules: RuleSet, rng: Random) -> Sets | None:
    """A whole play that is not in order yet: the last tile of one of its new or changed sets lies apart from it."""
    fresh = [at for at, one in enumerate(play) if one not in sets]
    rng.shuffle(fresh)
    for at in fresh:
        rest, last = play[at][:-1], play[at][-1:]
        if judge_set(last, rules).legal is False:
            return (*play[:at], rest, *play[at + 1 :], last)
    return None


def one_more(sets: Sets, rack: Sequence[Tile], rules: RuleSet, rng: Random) -> Sets | None:
    """A rack tile put to a set that stays legal with it; None where none fits."""
    options = [
        (at, (*one, tile)) for at, one in enumerate(sets) for tile in rack if not tile.is_joker and len(one) < 13
    ]
    rng.shuffle(options)
    found = next(((at, grown) for at, grown in options if judge_set(grown, rules).legal is True), None)
    return None if found is None else (*sets[: found[0]], found[1], *sets[found[0] + 1 :])


def half_moved(sets: Sets, play: Sets, rng: Random) -> Sets | None:
    """A play broken off: some of its rack tiles lie on the table, in no set; None where it laid too few."""
    laid = list(
        (Counter(tile for one in play for tile in one) - Counter(tile for one in sets for tile in one)).elements()
    )
    laid.sort(key=str)
    if not laid:
        return None
    return (*sets, tuple(rng.sample(laid, min(2, len(laid)))))
