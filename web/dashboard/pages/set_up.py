"""Setting a table up: who plays, by which rules, what the camera sees."""

from __future__ import annotations

from flask import Blueprint, redirect, render_template, url_for
from werkzeug.wrappers import Response

from referee.preset_files import DEFAULT_PRESET, load_ruleset, preset_names
from web.dashboard.access import access
from web.dashboard.asking import hall, rules_at, table_called
from web.dashboard.running import RunningTable
from web.dashboard.table_book import booked
from web.dashboard.tables import PHONE
from web.rule_words import difference_lines

blueprint = Blueprint("set_up", __name__)


@blueprint.get("/tables/<table>/set-up")
def page(table: str) -> Response | str:
    """The page; whoever is not the referee signs in first."""
    running = table_called(table)
    if not access().is_referee():
        return redirect(url_for("sign_in.page", next=url_for("set_up.page", table=table)), 303)
    booking = booked(hall().home).get(table)
    if booking is None:  # its games begin by themselves
        return render_template("set_up_simulated.html", table=table)
    view, default = running.snapshot.view, load_ruleset(DEFAULT_PRESET)
    playing = [seat.name for seat in view.seats] if view else []
    return render_template(
        "set_up.html",
        table=table,
        source=running.snapshot.source,
        by_phone=running.snapshot.source == PHONE,
        players=playing or _waiting(running),
        playing=bool(playing),
        rules=rules_at(running).name,
        presets=[(name, difference_lines(default, load_ruleset(name))) for name in preset_names()],
        box=booking.box,
        boxes=hall().box_names(),
    )


def _waiting(running: RunningTable) -> list[str]:
    """Who plays as soon as the camera's picture is good enough."""
    return [] if running.camera is None else list(running.camera.waiting)
