"""The end of a round: racks are shown, the sheet fills itself, players agree on their phones."""

from __future__ import annotations

from flask import Blueprint, Response, redirect, render_template, request, url_for
from werkzeug.exceptions import BadRequest, Conflict
from werkzeug.wrappers import Response as Answer

from referee.preset_files import DEFAULT_PRESET, preset_names
from web.dashboard.access import access
from web.dashboard.asking import answer, hall, rules_at, table_called, whole_number
from web.dashboard.count_json import count_json
from web.dashboard.running import RunningTable
from web.dashboard.table_book import booked
from web.tongue import say

blueprint = Blueprint("count", __name__)


@blueprint.get("/tables/<table>/count")
def page(table: str) -> Answer | str:
    """The count; for the referee and the players, because racks are nobody else's business."""
    running = table_called(table)
    seat = _seat_at(running)
    if not access().is_referee() and seat is None:
        return redirect(url_for("sign_in.page", next=url_for("count.page", table=table)), 303)
    rules = rules_at(running).name
    preset = rules if rules in preset_names() else DEFAULT_PRESET
    return render_template("count.html", table=table, seat=seat, preset=preset, box=_box_at(table))


@blueprint.get("/tables/<table>/count.json")
def told(table: str) -> Response:
    """What the page shows; ``announced`` are the seats that announced their opening, apart by commas."""
    running = table_called(table)
    seat = _seat_at(running)
    if not access().is_referee() and seat is None:
        return answer({"error": say("Only the referee and the players see the count.")}, 403)
    snapshot = running.snapshot
    if snapshot.view is None or snapshot.state is None or not snapshot.view.seats:
        raise Conflict(say("No game is played at this table yet."))
    found = count_json(
        snapshot.view,
        snapshot.state,
        rules_at(running),
        announced=_announced(request.args.get("announced", ""), len(snapshot.view.seats)),
        seat=None if access().is_referee() else seat,
    )
    return answer({"seq": snapshot.seq, **found})


def _seat_at(table: RunningTable) -> int | None:
    view = table.snapshot.view
    return None if view is None else access().seat_of(table.name, view.game)


def _box_at(table: str) -> str:
    """The taught box of a table's tiles, by which photos of racks are read; empty: none of its own, or it is gone."""
    booking = booked(hall().home).get(table)
    return booking.box if booking is not None and booking.box in hall().box_names() else ""


def _announced(text: str, seats: int) -> tuple[int, ...]:
    told = {whole_number(word, seats - 1) for word in text.split(",") if word}
    if None in told:
        raise BadRequest(say("The seats that announced their opening are numbers apart by commas."))
    return tuple(sorted(seat for seat in told if seat is not None))
