"""The end of a round as a page shows it: whose racks were shown, what each is worth, the sheet that fills itself."""

from __future__ import annotations

from referee.cards import face_code
from referee.game.state import State
from referee.protocol import Stage
from referee.ruleset import RuleSet
from referee.score import rack_numbers
from referee.tiles import Tile
from web.live.sheet import ScoreSheet, SheetRow, drafted_sheet, score_sheet
from web.live.view import LiveView
from web.report_json import Json


def count_json(view: LiveView, state: State, ruleset: RuleSet, *, announced: tuple[int, ...], seat: int | None) -> Json:
    """The count of a table's round.

    ``seat`` is whose player asks, None for the referee.  ``sheet`` is that of the round that was counted last, or while
    racks are shown (``drafted``) the one that counting them now would give, None while some are missing.
    """
    counting = view.stage is Stage.COUNT
    shown = {at: one.shown for at, one in enumerate(view.seats) if one.shown is not None}
    sheet = drafted_sheet(state, shown, announced, ruleset) if counting else _last(view, state, ruleset)
    return {
        "stage": view.stage.value,
        "round": view.round,
        "counting": counting,
        "drafted": counting,
        "between": view.stage is Stage.BETWEEN,
        "faces": ruleset.faces.value,
        "rules": ruleset.name,
        "seat": seat,
        "seats": [
            {
                "name": one.name,
                "active": one.active,
                "held": one.rack,
                "opened": one.opened,
                "total": one.total,
                "confirmed": at in view.confirmed,
                "rack": None if one.shown is None else _tiles(one.shown, ruleset),
                "differs": one.shown is not None and len(one.shown) != one.rack,
                "worth": None if one.shown is None else rack_numbers(one.shown),
            }
            for at, one in enumerate(view.seats)
        ],
        "sheet": None if sheet is None else _sheet(sheet, ruleset),
    }


def _last(view: LiveView, state: State, ruleset: RuleSet) -> ScoreSheet | None:
    return score_sheet(state, ruleset) if view.stage is Stage.BETWEEN and state.rounds else None


def _sheet(sheet: ScoreSheet, ruleset: RuleSet) -> Json:
    return {
        "rows": [_row(row, ruleset) for row in sheet.rows],
        "winners": list(sheet.winners),
        "end": sheet.end,
        "zero_sum": sheet.zero_sum,
        "comes_out": sheet.comes_out,
        "match_over": sheet.match_over,
    }


def _row(row: SheetRow, ruleset: RuleSet) -> Json:
    part = row.score
    return {
        "seat": row.seat,
        "tiles": _tiles(row.rack, ruleset),
        "rack": part.rack,
        "jokers": part.jokers,
        "penalty": part.penalty,
        "lost": part.points_lost,
        "bonus": part.bonus,
        "score": part.score,
        "total": row.total,
        "place": row.place,
        "could_open": part.could_open,
    }


def _tiles(tiles: tuple[Tile, ...], ruleset: RuleSet) -> str:
    return " ".join(face_code(tile, ruleset.faces) for tile in tiles)
