"""Before the first turn: who starts, how the tiles are dealt, and who may ask for a new deal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from referee.ruleset import RuleSet
from referee.switches import DealMode, Direction, DrawJoker, DrawTie, NextStarter, Redeal, RedealUntil, Starter
from referee.tiles import HIGHEST_NUMBER, Joker, Tile
from referee.told import ToldError

STACK = 7
"""Tiles of a stack; the last one holds the rest."""


@dataclass(frozen=True, slots=True)
class StartDraw:
    """Who starts (a seat), or the seats that must draw again; the tiles of the seats ``kept`` still count then."""

    starter: int | None
    again: tuple[int, ...] = ()
    kept: tuple[int, ...] = ()


def decide_start(drawn: Sequence[Tile], ruleset: RuleSet) -> StartDraw:
    """Who starts the first round: ``drawn`` is the tile of each seat.

    A joker is what ``draw_joker`` says; where it has no number its drawer draws again, and the others keep their tiles.
    Players who drew the same number draw it out among themselves.

    Raises ``ValueError`` where nobody drew.
    """
    if not drawn:
        raise ToldError("nobody drew for the start")
    jokers = tuple(seat for seat, tile in enumerate(drawn) if tile.is_joker)
    if jokers and ruleset.draw_joker is DrawJoker.REDRAW:
        return StartDraw(None, jokers, tuple(seat for seat in range(len(drawn)) if seat not in jokers))
    joker = HIGHEST_NUMBER + 1 if ruleset.draw_joker is DrawJoker.HIGHEST else 0
    numbers = [joker if tile.number is None else tile.number for tile in drawn]
    wanted = max(numbers) if ruleset.starter is Starter.HIGHEST_DRAW else min(numbers)
    level = tuple(seat for seat, number in enumerate(numbers) if number == wanted)
    if len(level) == 1 or ruleset.draw_tie is DrawTie.EARLIER_SEAT:
        return StartDraw(level[0])
    return StartDraw(None, level if ruleset.draw_tie is DrawTie.REDRAW_TIED else tuple(range(len(drawn))))


def next_seat(seat: int, seats: int, ruleset: RuleSet) -> int:
    """Whose turn comes after that of ``seat``; seats are counted clockwise."""
    step = 1 if ruleset.direction is Direction.CLOCKWISE else -1
    return (seat + step) % seats


def next_round_starter(starter: int, winner: int, seats: int, ruleset: RuleSet) -> int | None:
    """Who starts the next round; None where tiles are drawn for it again."""
    match ruleset.next_starter:
        case NextStarter.DRAW:
            return None
        case NextStarter.WINNER:
            return winner
        case NextStarter.NEXT_SEAT:
            return next_seat(starter, seats, ruleset)


@dataclass(frozen=True, slots=True)
class Misdeal:
    """What is wrong with a deal: a seat and how many tiles it holds (too many or too few), or should hold."""

    seat: int
    tiles: int
    expected: int


def misdeals(counts: Sequence[int], ruleset: RuleSet) -> tuple[Misdeal, ...]:
    """The seats that were dealt a wrong number of tiles."""
    return tuple(
        Misdeal(seat, tiles, ruleset.deal_tiles) for seat, tiles in enumerate(counts) if tiles != ruleset.deal_tiles
    )


def stacks(ruleset: RuleSet) -> tuple[int, ...]:
    """The sizes of the stacks that a whole box is laid out in; one heap where it is dealt loosely.

    Where each player gets a joker first, the jokers stay out of the heap.
    """
    size = ruleset.box_size
    match ruleset.deal_mode:
        case DealMode.LOOSE:
            return (size,)
        case DealMode.JOKER_EACH:
            return (size - ruleset.held(Tile(joker=Joker.REGULAR)),)
        case DealMode.STACKS:
            whole = size // STACK
            return (*[STACK] * (whole - 1), STACK + size % STACK)


def dealt_jokers(ruleset: RuleSet) -> int:
    """How many jokers each player is dealt openly before the rest."""
    return 1 if ruleset.deal_mode is DealMode.JOKER_EACH else 0


@dataclass(frozen=True, slots=True)
class RedealClaim:
    """Whether a claim for a new deal holds; ``why`` are all switches that refuse it."""

    why: tuple[str, ...] = ()

    @property
    def granted(self) -> bool:
        return not self.why


def judge_redeal(
    rack: Sequence[Tile] | None, ruleset: RuleSet, *, own_turns: int = 0, play_began: bool = False
) -> RedealClaim:
    """Rule on a claim for a new deal.

    ``rack`` are the tiles shown as proof, None where none were shown; ``own_turns`` how many turns the claimant has
    had, ``play_began`` whether anybody has.
    """
    late = play_began if ruleset.redeal_until is RedealUntil.BEFORE_PLAY else own_turns > 0
    kind = Redeal.IDENTICAL_PAIRS if ruleset.redeal is Redeal.OFF else ruleset.redeal
    refused = {
        "redeal": ruleset.redeal is Redeal.OFF,
        "redeal_until": late,
        "redeal_shown": rack is None and ruleset.redeal_shown,
        "deal_tiles": rack is not None and len(rack) > ruleset.deal_tiles,
        "redeal_count": rack is not None and _alike_tiles(rack, kind) < ruleset.redeal_count,
    }
    return RedealClaim(tuple(switch for switch, applies in refused.items() if applies))


def _alike_tiles(rack: Sequence[Tile], kind: Redeal) -> int:
    """How many pairs of identical tiles, or how many tiles of one number or one colour."""
    if kind is Redeal.IDENTICAL_PAIRS:
        return sum(count // 2 for tile, count in Counter(rack).items() if not tile.is_joker)
    numbers = Counter(tile.number for tile in rack if tile.number is not None)
    colours = Counter(tile.colour for tile in rack if tile.colour is not None)
    return max([*numbers.values(), *colours.values()], default=0)
