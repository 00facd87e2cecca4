"""The spectators' screen of a table."""

from __future__ import annotations

from flask import Blueprint, render_template, request

from web.dashboard.asking import table_called

blueprint = Blueprint("screen", __name__)


@blueprint.get("/tables/<table>/screen")
def page(table: str) -> str:
    """The screen; with ``?overlay=1`` on nothing, for streaming."""
    table_called(table)
    return render_template("screen.html", table=table, overlay=request.args.get("overlay") == "1")
