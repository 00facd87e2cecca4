"""The JSON interface, version 1: for the pages of the dashboard and for other programs alike.

``ROUTES`` is the one table of it: the application answers by it, and the OpenAPI document is made of it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from flask import Blueprint, Response, current_app, request, session
from werkzeug.exceptions import BadRequest, Conflict, Forbidden, NotFound

from referee.preset_files import preset_names
from vision.http_camera import LARGEST_PICTURE_BYTES
from web.dashboard import dispute_api
from web.dashboard.access import access, csrf_token, need_referee, sign_out
from web.dashboard.act_json import ActError, read_act
from web.dashboard.asking import act_at, answer, hall, rules_at, sent_json, table_called, whole_number
from web.dashboard.camera_api import find_region, flat_table, light, refused_picture, region
from web.dashboard.hall import HallError
from web.dashboard.running import RunningTable
from web.dashboard.tables import AskedGame, PoorPictureError, begin_game
from web.dashboard.view_json import notices_json, table_json, words_for
from web.live import acts
from web.live.acts import Act
from web.live.view import LiveView
from web.report_json import Json
from web.telling import say_whole, told_by
from web.tongue import say
from web.version import VERSION

PREFIX = "/api/v1"
LARGEST_NUMBER = 2**53
PICTURE_KEPT_S = 60
OLDEST_MS = 60_000
"""A frame that says it is older counts as so old."""
MOST_PLAYERS = 8
LONGEST_NAME = 40
LONGEST_BOX = 64
LONGEST_SECRET = 200
"""Letters of a PIN or a token that are looked at."""


@dataclass(frozen=True, slots=True)
class Route:
    """One way of the interface; ``body`` and ``answers`` name schemas of the document, ``query`` its parameters."""

    path: str
    method: str
    view: Callable[..., Response]
    summary: str
    answers: dict[int, str]
    body: str = ""
    query: tuple[str, ...] = ()
    role: str = "everybody"


def tables() -> Response:
    """All tables."""
    return answer({"version": VERSION, "tables": [_table(one) for one in hall().tables.values()]})


def _table(table: RunningTable) -> Json:
    snapshot = table.snapshot
    view = snapshot.view
    return {
        "id": table.name,
        "source": snapshot.source if access().is_referee() else "",
        "ended": snapshot.ended,
        "trouble": say_whole(snapshot.trouble),
        "seq": snapshot.seq,
        "game": None if view is None else view.game,
        "rules": rules_at(table).name,
        "stage": None if view is None else view.stage.value,
        "players": [] if view is None else [seat.name for seat in view.seats],
    }


def events(table: str) -> Response:
    """What is new at a table since a number: 204 where nothing is."""
    after = _number("after")
    found = table_json(table_called(table).snapshot, after, referee=access().is_referee())
    return Response(status=204) if found is None else answer(found)


def do(table: str) -> Response:
    """Have an act carried out."""
    running = table_called(table)
    seat = _seat_at(running)
    if not access().is_referee() and seat is None:
        need_referee()
    try:
        act = read_act(sent_json(), rules_at(running))
    except ActError as error:
        raise BadRequest(say_whole(error.told)) from error
    if not access().is_referee():
        act = _of_player(act, seat, running.snapshot.view)
    said = act_at(running, act)
    snapshot = running.snapshot
    words = words_for(rules_at(running), snapshot.view)
    return answer({"seq": snapshot.seq, "notices": notices_json(said, words, referee=access().is_referee())})


def _of_player(act: Act, seat: int | None, view: LiveView | None) -> Act:
    """What a player may do: end his own turn, start the clock that he is to start, show his rack, agree with scores."""
    starts = view is not None and seat is not None and view.clock_starter == seat
    match act:
        case acts.CallTurnEnd():
            return acts.CallTurnEnd(seat, act.passes, act.won)
        case acts.ConfirmScore() if act.seat == seat:
            return act
        case acts.ShowRack() if act.seat == seat and act.tiles is not None:
            return act
        case acts.StartClock() if starts:
            return act
        case _:
            raise Forbidden(say("Only the referee may do this."))


def picture(table: str) -> Response:
    """The live picture as JPEG; the newest, whatever ``seq`` says: it keeps browsers from sending for one twice."""
    need_referee()
    snapshot = table_called(table).snapshot
    if snapshot.picture is None:
        raise NotFound(say("There is no picture yet."))
    response = Response(snapshot.picture.jpeg(), mimetype="image/jpeg")
    response.headers["Picture-Number"] = str(snapshot.picture.number)
    if request.args.get("seq") == str(snapshot.picture.number):
        response.headers["Cache-Control"] = f"private, max-age={PICTURE_KEPT_S}, immutable"
    return response


def former_picture(table: str) -> Response:
    """The picture of the table as it was accepted last: before this turn."""
    need_referee()
    former = table_called(table).snapshot.former
    if former is None:
        raise NotFound(say("There is no picture of the table before this turn."))
    from web.dashboard.picture import jpeg_of  # noqa: PLC0415  OpenCV, only where a picture is made

    return Response(jpeg_of(former.image), mimetype="image/jpeg")


def whoami() -> Response:
    """Who this session is, and the token that it sends with what it changes."""
    return answer({"referee": access().is_referee(), "csrf": csrf_token()})


def sign_in() -> Response:
    """Sign in as the referee with the PIN."""
    pin = _secret("pin")
    if pin is None:
        raise BadRequest(say("The PIN is sent as {form}.", form='{"pin": "..."}'))
    access().sign_in(pin, request.remote_addr or "")
    return answer({"referee": True, "csrf": csrf_token()})


def leave() -> Response:
    """Sign out."""
    sign_out()
    return Response(status=204)


def take_seat(table: str) -> Response:
    """Exchange a seat's token for a session that may do what its player may."""
    running = table_called(table)
    view = running.snapshot.view
    token = _token()
    if view is None or not view.seats:
        raise Forbidden(say("No game is played at this table yet."))
    seat = access().take_seat(table, view.game, len(view.seats), token)
    return answer({"seat": seat, "name": view.seats[seat].name, "csrf": csrf_token()})


def take_camera(table: str) -> Response:
    """Exchange a table's camera token for a session that may send its pictures."""
    table_called(table)
    access().take_camera(table, _token())
    return answer({"referee": access().is_referee(), "csrf": csrf_token()})


def push_frame(table: str) -> Response:
    """One picture of a table (JPEG, PNG or WebP), taken ``age_ms`` milliseconds before it arrived here."""
    if not access().is_camera(table):
        need_referee()
    feed = table_called(table).pushed
    if feed is None:
        raise Conflict(say("This table has a camera of its own: no pictures are sent to it."))
    request.max_content_length = LARGEST_PICTURE_BYTES
    try:
        feed.push(request.get_data(cache=False), min(_number("age_ms"), OLDEST_MS) / 1000)
    except ValueError as error:
        raise BadRequest(say_whole(told_by(error))) from error
    snapshot = table_called(table).snapshot
    fault = "" if snapshot.view is None else snapshot.view.fault
    return answer({"seen": snapshot.seen, "dropped": feed.dropped, "fault": fault})


def begin(table: str) -> Response:
    """Begin a new game at a table; the one before stays in the store."""
    need_referee()
    table_called(table)
    sent = sent_json()
    told = sent if isinstance(sent, dict) else {}
    players, starter, rules = told.get("players"), told.get("starter", 0), told.get("rules", "")
    if not (isinstance(players, list) and 1 < len(players) <= MOST_PLAYERS and all(map(_is_name, players))):
        raise BadRequest(say("A game has 2 to {most} players, each with a name.", most=MOST_PLAYERS))
    if not (starter is None or (type(starter) is int and 0 <= starter < len(players))):
        raise BadRequest(say("The starter is a seat, or null: tiles are drawn for it."))
    if rules and rules not in preset_names():
        raise BadRequest(say("The rules are one of {rules}.", rules=", ".join(preset_names())))
    box, anyway = told.get("box"), told.get("anyway", False)
    if not (box is None or (isinstance(box, str) and len(box) <= LONGEST_BOX)):
        raise BadRequest(say("The box is the name of a taught box, empty: none."))
    asked = AskedGame(tuple(name.strip() for name in players), starter, rules, box, anyway is True)
    try:
        running = begin_game(hall(), table, asked)
    except PoorPictureError as error:
        return refused_picture(error.inspection)
    except HallError as error:
        raise Conflict(say_whole(error.told)) from error
    return answer(_table(running))


def _is_name(name: object) -> bool:
    return isinstance(name, str) and 0 < len(name.strip()) <= LONGEST_NAME


def openapi() -> Response:
    """This interface as an OpenAPI document."""
    from web.dashboard.openapi import document  # noqa: PLC0415  it is made of the table below

    return answer(document(current_app.config["SESSION_COOKIE_NAME"]))


_UNKNOWN = {404: "Trouble"}
ROUTES: tuple[Route, ...] = (
    Route("/tables", "GET", tables, "All tables of this process", {200: "Tables"}),
    Route("/tables/<table>/events", "GET", events, "What is new since a number", {200: "News", 204: "", 400: "Trouble",
          **_UNKNOWN}, query=("after",)),
    Route("/tables/<table>/acts", "POST", do, "Ask something of a table", {200: "Done", 400: "Trouble", 403: "Trouble",
          409: "Trouble", 413: "Trouble", 503: "Trouble", **_UNKNOWN}, body="Act", role="referee or player"),
    Route("/tables/<table>/picture.jpg", "GET", picture, "The live picture", {200: "image/jpeg", 403: "Trouble",
          **_UNKNOWN}, query=("seq",), role="referee"),
    Route("/tables/<table>/former.jpg", "GET", former_picture, "The table before this turn", {200: "image/jpeg",
          403: "Trouble", **_UNKNOWN}, role="referee"),
    Route("/tables/<table>/seat-session", "POST", take_seat, "Begin a player's session", {200: "Seat", 400: "Trouble",
          403: "Trouble", 413: "Trouble", 429: "Trouble", **_UNKNOWN}, body="Token"),
    Route("/tables/<table>/game", "POST", begin, "Begin a new game", {200: "Table", 400: "Trouble", 403: "Trouble",
          409: "Trouble", 413: "Trouble", **_UNKNOWN}, body="Game", role="referee"),
    Route("/tables/<table>/region", "GET", region, "Where the table lies in the picture", {200: "Region",
          403: "Trouble", 409: "Trouble", **_UNKNOWN}, role="referee"),
    Route("/tables/<table>/region", "POST", find_region, "Say where the table lies in the picture, or have it found",
          {200: "Region", 400: "Trouble", 403: "Trouble", 409: "Trouble", 413: "Trouble", 503: "Trouble",
           **_UNKNOWN}, body="AskedRegion", role="referee"),
    Route("/tables/<table>/region.jpg", "GET", flat_table, "The table seen from above", {200: "image/jpeg",
          403: "Trouble", 409: "Trouble", **_UNKNOWN}, role="referee"),
    Route("/tables/<table>/light", "GET", light, "How good the camera's picture is", {200: "Light", 403: "Trouble",
          **_UNKNOWN}, role="referee"),
    Route("/tables/<table>/frames", "POST", push_frame, "Send a picture of the table", {200: "Taken", 400: "Trouble",
          403: "Trouble", 409: "Trouble", 413: "Trouble", **_UNKNOWN}, body="image/jpeg", query=("age_ms",),
          role="referee or camera"),
    Route("/tables/<table>/camera-session", "POST", take_camera, "Begin a camera's session", {200: "Session",
          400: "Trouble", 403: "Trouble", 413: "Trouble", 429: "Trouble", **_UNKNOWN}, body="Token"),
    Route("/disputes", "POST", dispute_api.open_dispute, "Send a photo of a disputed table", {201: "Dispute",
          400: "Trouble", 403: "Trouble", 413: "Trouble", 503: "Trouble"}, body="application/octet-stream",
          query=("rules", "name", "box")),
    Route("/disputes/<key>", "GET", dispute_api.dispute, "A dispute and its ruling", {200: "Dispute", 400: "Trouble",
          **_UNKNOWN}, query=("rules",)),
    Route("/disputes/<key>", "DELETE", dispute_api.drop_dispute, "Delete a dispute now", {204: "", 403: "Trouble",
          **_UNKNOWN}, role="who sent it"),
    Route("/disputes/<key>/edits", "POST", dispute_api.edit_dispute, "Correct what was read", {200: "Dispute",
          400: "Trouble", 403: "Trouble", 409: "Trouble", 413: "Trouble", **_UNKNOWN}, body="Correction",
          role="who sent it"),
    Route("/disputes/<key>/rules", "POST", dispute_api.choose_dispute_rules, "Rule by other rules", {200: "Dispute",
          400: "Trouble", 403: "Trouble", 413: "Trouble", **_UNKNOWN}, body="Rules", role="who sent it"),
    Route("/disputes/<key>/copy", "POST", dispute_api.copy_dispute, "A copy of one's own to correct", {201: "Dispute",
          400: "Trouble", 403: "Trouble", **_UNKNOWN}),
    Route("/disputes/<key>/picture.jpg", "GET", dispute_api.dispute_picture, "The photo as it is kept",
          {200: "image/jpeg", **_UNKNOWN}),
    Route("/disputes/<key>/ruling.jpg", "GET", dispute_api.dispute_ruling, "The photo with the ruling drawn on it",
          {200: "image/jpeg", **_UNKNOWN}),
    Route("/session", "GET", whoami, "Who this session is", {200: "Session"}),
    Route("/session", "POST", sign_in, "Begin the referee's session", {200: "Session", 400: "Trouble", 403: "Trouble",
          413: "Trouble", 429: "Trouble"}, body="Pin"),
    Route("/session", "DELETE", leave, "End the session", {204: "", 403: "Trouble"}),
    Route("/openapi.json", "GET", openapi, "This document", {200: "Document"}),
)  # fmt: skip


def blueprint() -> Blueprint:
    """The interface's views under their addresses."""
    made = Blueprint("api", __name__, url_prefix=PREFIX)
    for route in ROUTES:
        made.add_url_rule(route.path, endpoint=route.view.__name__, view_func=route.view, methods=[route.method])
    return made


def _secret(name: str) -> str | None:
    """A PIN or a token as it was sent; None where it was not."""
    sent = sent_json()
    told = sent.get(name) if isinstance(sent, dict) else None
    return told if isinstance(told, str) and len(told) <= LONGEST_SECRET else None


def _token() -> str:
    """Raises ``BadRequest``."""
    token = _secret("token")
    if token is None:
        raise BadRequest(say("A token is sent as {form}.", form='{"token": "..."}'))
    return token


def _number(name: str) -> int:
    told = whole_number(request.args.get(name, "0"), LARGEST_NUMBER)
    if told is None:
        raise BadRequest(say("{field} must be a number that this interface gave before.", field=name))
    return told


def _seat_at(table: RunningTable) -> int | None:
    view = table.snapshot.view
    return None if view is None or "seats" not in session else access().seat_of(table.name, view.game)
