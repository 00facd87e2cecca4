"""Setting a table up: who plays, by which rules, what the camera sees."""

from __future__ import annotations

from pathlib import Path

from flask import Blueprint, redirect, render_template, url_for
from werkzeug.wrappers import Response

from referee.preset_files import DEFAULT_PRESET, load_ruleset, preset_names
from referee.ruleset import RuleSet, RuleSetError
from web.dashboard.access import access
from web.dashboard.asking import hall, rules_at, table_called
from web.dashboard.running import RunningTable
from web.dashboard.table_book import booked
from web.dashboard.tables import PHONE
from web.rule_words import RuleLine, difference_lines

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
    view = running.snapshot.view
    playing = [seat.name for seat in view.seats] if view else []
    return render_template(
        "set_up.html",
        table=table,
        source=running.snapshot.source,
        by_phone=running.snapshot.source == PHONE,
        players=playing or _waiting(running),
        playing=bool(playing),
        choices=_rule_choices(running, booking.rules),
        chosen=booking.rules or DEFAULT_PRESET,
        box=booking.box,
        boxes=hall().box_names(),
    )


def _waiting(running: RunningTable) -> list[str]:
    """Who plays as soon as the camera's picture is good enough."""
    return [] if running.camera is None else list(running.camera.waiting)


def _rule_choices(table: RunningTable, asked: str) -> list[tuple[str, str, list[RuleLine]]]:
    """What a new game may be played by: what the page sends, its name, what differs from the default.

    ``asked`` are the rules as the table was opened with them.  Those of a file are no preset that the page could name:
    they come first and send nothing, which means as before.
    """
    names, default = preset_names(), load_ruleset(DEFAULT_PRESET)
    rules = [(name, name, load_ruleset(name)) for name in names]
    if asked and asked not in names:
        rules.insert(0, ("", Path(asked).name, _from_file(table, asked)))
    return [(value, name, difference_lines(default, ruleset)) for value, name, ruleset in rules]


def _from_file(table: RunningTable, path: str) -> RuleSet:
    """The rules of a file as it is now; where it is gone or broken, those that the table is played by."""
    try:
        return load_ruleset(path)
    except RuleSetError:
        return rules_at(table)
