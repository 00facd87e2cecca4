"""A phone as a table's camera: its browser sends pictures, and shows how late they are and how many were dropped."""

from __future__ import annotations

from flask import Blueprint, Response, render_template, url_for
from werkzeug.exceptions import NotFound

from web.dashboard.access import access, need_referee
from web.dashboard.asking import table_called
from web.dashboard.pages.seat import qr_code
from web.tongue import say

blueprint = Blueprint("camera", __name__)


@blueprint.get("/tables/<table>/camera")
def page(table: str) -> str:
    """What the phone shows; its browser sends the code behind the # once, and gets a session for it."""
    running = table_called(table)
    may = access().is_camera(table) or access().is_referee()
    return render_template("camera.html", table=table, takes=running.pushed is not None, may=may)


@blueprint.get("/tables/<table>/camera.svg")
def code(table: str) -> Response:
    """The code that makes a phone this table's camera; its address holds the token behind the #."""
    need_referee()
    if table_called(table).pushed is None:
        raise NotFound(say("This table has a camera of its own."))
    return qr_code(f"{url_for('camera.page', table=table, _external=True)}#{access().camera_token(table)}")
