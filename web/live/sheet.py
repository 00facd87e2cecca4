"""The score sheet of a round: what each rack was worth, penalties, and whether the sums come out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from referee.game.events import RoundScored
from referee.game.state import State
from referee.notation import format_rack, parse_rack, sure
from referee.ruleset import RuleSet
from referee.score import Hand, RoundEnd, RoundScore, Score, score_round
from referee.standings import match_over, standings
from referee.tiles import Tile

_COLUMNS = (("rack", 5), ("jokers", 6), ("penalty", 7), ("lost", 5), ("bonus", 5), ("score", 6), ("total", 6))


@dataclass(frozen=True, slots=True)
class SheetRow:
    """One player's round; ``total`` is over all rounds, ``place`` by it."""

    seat: int
    rack: tuple[Tile, ...]
    score: Score
    total: int
    place: int


@dataclass(frozen=True, slots=True)
class ScoreSheet:
    """One round; ``zero_sum``: whether the scores must sum to zero, ``comes_out``: whether they do."""

    rows: tuple[SheetRow, ...]
    winners: tuple[int, ...]
    end: str
    zero_sum: bool
    comes_out: bool
    match_over: bool


def score_sheet(state: State, ruleset: RuleSet) -> ScoreSheet:
    """The sheet of the round that was scored last; only between two rounds, while the log knows who had opened."""
    played = state.rounds[-1]
    parts = _parts(state, played, ruleset)
    rounds = [_as_score(one) for one in state.rounds]
    places = {one.seat: one for one in standings(rounds, ruleset)}
    rows = tuple(
        SheetRow(seat, _tiles(played, seat), parts[seat], places[seat].total, places[seat].place)
        for seat in state.active
    )
    comes_out = not played.zero_sum or sum(played.points) == 0
    return ScoreSheet(rows, played.winners, played.end, played.zero_sum, comes_out, match_over(rounds, ruleset))


def drafted_sheet(
    state: State, racks: Mapping[int, tuple[Tile, ...]], announced: Sequence[int], ruleset: RuleSet
) -> ScoreSheet | None:
    """The sheet as it would be if the racks were counted now; None while racks are missing or do not fit the end.

    The totals and places are those with this round.
    """
    if any(seat not in racks for seat in state.active):
        return None
    shown = {seat: racks[seat] for seat in state.active}
    end = RoundEnd.POOL_EMPTY if all(shown.values()) else RoundEnd.EMPTY_RACK
    hands = [Hand(rack, state.opened[seat], seat in announced, state.points_lost(seat)) for seat, rack in shown.items()]
    try:
        scored = score_round(hands, ruleset, end)
    except ValueError:
        return None
    points = dict(zip(state.active, scored.points, strict=True))
    played = RoundScored(
        end=end.value,
        racks=tuple(format_rack(sure(*racks.get(seat, ()))) for seat in range(len(state.players))),
        announced=tuple(announced),
        points=tuple(points.get(seat, 0) for seat in range(len(state.players))),
        winners=tuple(state.active[k] for k in scored.winners),
        zero_sum=scored.zero_sum,
    )
    return score_sheet(replace(state, rounds=(*state.rounds, played)), ruleset)


def sheet_lines(sheet: ScoreSheet, names: tuple[str, ...], tiles_text: dict[int, str], seal: str = "") -> Iterator[str]:
    """The sheet as a table; ``tiles_text`` are the racks by seat as the box prints them.

    ``seal`` is that of the evidence so far: who keeps the sheet can tell that nothing of it was written anew.
    """
    width = max(map(len, names), default=0)
    yield f"  {'':<{width}}  " + " ".join(f"{head:>{room}}" for head, room in _COLUMNS)
    for row in sorted(sheet.rows, key=lambda one: one.place):
        part = row.score
        name = names[row.seat]
        able = {True: " could have opened", False: " could not have opened", None: ""}[part.could_open]
        yield (
            f"  {name:<{width}}  {part.rack:>5} {part.jokers:>6} {part.penalty:>7} {part.points_lost:>5} "
            f"{part.bonus:>5} {part.score:>+6} {row.total:>+6}  {row.place}.{able}  {tiles_text.get(row.seat, '')}"
        ).rstrip()
    if sheet.zero_sum:
        yield f"  The scores sum to {'zero' if sheet.comes_out else 'something else than zero: count again'}."
    if sheet.match_over:
        yield "  The match is over."
    if seal:
        yield f"  Seal of the evidence: {seal}"


def _parts(state: State, played: RoundScored, ruleset: RuleSet) -> dict[int, Score]:
    hands = [
        Hand(_tiles(played, seat), state.opened[seat], seat in played.announced, state.points_lost(seat))
        for seat in state.active
    ]
    scored = score_round(hands, ruleset, RoundEnd(played.end))
    return dict(zip(state.active, scored.scores, strict=True))


def _tiles(played: RoundScored, seat: int) -> tuple[Tile, ...]:
    return tuple(place.readings[0] for place in parse_rack(played.racks[seat]))


def _as_score(played: RoundScored) -> RoundScore:
    scores = tuple(Score(points, 0, 0, 0, None, 0, 0) for points in played.points)
    return RoundScore(RoundEnd(played.end), scores, played.winners, played.zero_sum)
