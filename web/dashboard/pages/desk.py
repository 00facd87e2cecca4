"""The referee's desk of a table."""

from __future__ import annotations

from flask import Blueprint, redirect, render_template, url_for
from werkzeug.wrappers import Response

from web.dashboard.access import access
from web.dashboard.asking import table_called

blueprint = Blueprint("desk", __name__)


@blueprint.get("/tables/<table>/desk")
def page(table: str) -> Response | str:
    """The desk; whoever is not the referee signs in first."""
    table_called(table)
    if not access().is_referee():
        return redirect(url_for("sign_in.page", next=url_for("desk.page", table=table)), 303)
    return render_template("desk.html", table=table)
