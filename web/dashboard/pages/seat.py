"""A player's phone: his seat, which he takes by the code behind the # of the address."""

from __future__ import annotations

import io

import segno
from flask import Blueprint, Response, render_template, url_for
from werkzeug.exceptions import NotFound

from web.dashboard.access import access, need_referee
from web.dashboard.asking import table_called
from web.tongue import say

blueprint = Blueprint("seat", __name__)


@blueprint.get("/tables/<table>/seat")
def page(table: str) -> str:
    """What a player sees; the browser sends his code once, and gets a session for it."""
    running = table_called(table)
    view = running.snapshot.view
    seat = None if view is None else access().seat_of(table, view.game)
    return render_template("seat.html", table=table, seat=seat)


@blueprint.get("/tables/<table>/codes")
def codes(table: str) -> str:
    """The codes of all seats, for the referee to show."""
    need_referee()
    view = table_called(table).snapshot.view
    seats = () if view is None else view.seats
    return render_template("codes.html", table=table, seats=[seat.name for seat in seats])


@blueprint.get("/tables/<table>/codes/<int:seat>.svg")
def code(table: str, seat: int) -> Response:
    """A seat's code as a picture; its address holds the token behind the #."""
    need_referee()
    view = table_called(table).snapshot.view
    if view is None or seat >= len(view.seats):
        raise NotFound(say("Nobody sits there."))
    token = access().seat_token(table, view.game, seat)
    address = f"{url_for('seat.page', table=table, _external=True)}#{token}"
    return qr_code(address)


def qr_code(address: str) -> Response:
    """An address as a QR code, SVG."""
    drawn = io.BytesIO()
    segno.make(address, error="m").save(drawn, kind="svg", scale=8, border=4, light="#ffffff", dark="#000000")
    return Response(drawn.getvalue(), mimetype="image/svg+xml")
