"""Setting a table up: who plays, by which rules, what the camera sees."""

from __future__ import annotations

from flask import Blueprint, redirect, render_template, url_for
from werkzeug.wrappers import Response

from referee.preset_files import DEFAULT_PRESET, load_ruleset, preset_names
from referee.ruleset import differences
from referee.switches import shown
from web.dashboard.access import access
from web.dashboard.asking import rules_at, table_called
from web.dashboard.tables import PHONE
from web.report_json import Json

blueprint = Blueprint("set_up", __name__)


@blueprint.get("/tables/<table>/set-up")
def page(table: str) -> Response | str:
    """The page; whoever is not the referee signs in first."""
    running = table_called(table)
    if not access().is_referee():
        return redirect(url_for("sign_in.page", next=url_for("set_up.page", table=table)), 303)
    view = running.snapshot.view
    return render_template(
        "set_up.html",
        table=table,
        source=running.snapshot.source,
        by_phone=running.snapshot.source == PHONE,
        players=[seat.name for seat in view.seats] if view else [],
        rules=rules_at(running).name,
        presets=[_preset(name) for name in preset_names()],
    )


def _preset(name: str) -> Json:
    """A preset with its differences from the default, a line each."""
    ruleset, default = load_ruleset(name), load_ruleset(DEFAULT_PRESET)
    lines = [f"{one.key.replace('_', ' ')}: {shown(one.second)}" for one in differences(default, ruleset)]
    return {"name": name, "lines": lines}
