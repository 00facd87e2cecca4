"""The spectators' screen of a table."""

from __future__ import annotations

from flask import Blueprint, Response, render_template, request, url_for

from web.dashboard.asking import table_called
from web.dashboard.pages.seat import qr_code

blueprint = Blueprint("screen", __name__)


@blueprint.get("/tables/<table>/screen")
def page(table: str) -> str:
    """The screen; with ``?overlay=1`` on nothing, for streaming."""
    table_called(table)
    return render_template("screen.html", table=table, overlay=request.args.get("overlay") == "1")


@blueprint.get("/tables/<table>/screen.svg")
def code(table: str) -> Response:
    """The address of the screen as a code, for spectators' phones."""
    table_called(table)
    return qr_code(url_for("screen.page", table=table, _external=True))
