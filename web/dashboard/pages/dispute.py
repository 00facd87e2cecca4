"""Disputed tables: any phone sends a photo, sees the ruling with its reasons, corrects it and shares the link."""

from __future__ import annotations

from contextlib import closing

from flask import Blueprint, Response, redirect, render_template, request, url_for
from flask_babel import format_date
from werkzeug.exceptions import BadRequest
from werkzeug.wrappers import Response as Answer

from referee.preset_files import DEFAULT_PRESET, preset_names
from web.dashboard.asking import answer
from web.dashboard.disputing import (
    LARGEST_PHOTO,
    disputes,
    edited,
    kept_picture,
    may,
    remember,
    ruled_by,
    ruling_drawn,
    sentences,
    told,
    word_of,
)
from web.dashboard.pages.seat import qr_code
from web.dashboard.texts import local_time
from web.disputes.clerk import Opened
from web.disputes.shelf import DAY_S
from web.telling import say_told
from web.tongue import say

PICTURE_KEPT_S = 3600

blueprint = Blueprint("dispute", __name__)


@blueprint.url_value_preprocessor
def allow_photos(endpoint: str | None, _values: object) -> None:
    """A photo is larger than what other pages take; this is said before anything of it is read."""
    if endpoint == "dispute.send":
        request.max_content_length = LARGEST_PHOTO


@blueprint.get("/dispute")
def page() -> str:
    """Where a photo is taken or chosen."""
    days = round(disputes().kept_days)
    return render_template(
        "dispute.html", presets=preset_names(), preset=DEFAULT_PRESET, boxes=disputes().boxes(), days=days
    )


@blueprint.post("/dispute")
def send() -> Answer:
    """Take a photo in, then on to its page."""
    # without JavaScript the form sends both its fields, the one that was not used without a name
    photo = next((one for one in request.files.getlist("photo") if one.filename), None)
    if photo is None or not photo.filename:
        raise BadRequest(say("Choose a photo first."))
    with sentences(), closing(photo):
        rules, box = request.form.get("rules", DEFAULT_PRESET), request.form.get("box", "")
        opened = disputes().open(photo.save, photo.filename, rules, box)
    return _on_to(opened)


@blueprint.get("/dispute/code.svg")
def code() -> Response:
    """The address of the page as a code, for phones."""
    return qr_code(url_for("dispute.page", _external=True))


@blueprint.get("/dispute/<key>")
def case_page(key: str) -> str:
    """A dispute."""
    with sentences():
        case = disputes().case(key)
    until = local_time(case.at + disputes().kept_days * DAY_S)
    return render_template(
        "dispute_case.html",
        case=case,
        why=say_told(case.why),
        may=may(case),
        presets=preset_names(),
        until=format_date(until, "long", rebase=False),
        link=url_for("dispute.case_page", key=key, _external=True),
    )


@blueprint.get("/dispute/<key>/case.json")
def case_json(key: str) -> Response:
    """How far a dispute is, and its ruling once there is one; ``rules`` asks for that by other rules."""
    with sentences():
        case = disputes().case(key)
        return answer(told(case, request.args.get("rules")))


@blueprint.post("/dispute/<key>/edits")
def edit(key: str) -> Response:
    """One correction more, or (``edit`` null) the last one taken back; the ruling on what lies there now."""
    return answer(edited(key))


@blueprint.post("/dispute/<key>/rules")
def choose_rules(key: str) -> Response:
    """Rule by other rules from now on."""
    return answer(ruled_by(key))


@blueprint.post("/dispute/<key>/copy")
def copy(key: str) -> Answer:
    """Go on in a copy of one's own."""
    with sentences():
        return _on_to(disputes().copy(key))


@blueprint.post("/dispute/<key>/drop")
def drop(key: str) -> Answer:
    """Let go of one's own dispute now."""
    with sentences():
        disputes().drop(key, word_of(key))
    return redirect(url_for("dispute.page"), 303)


@blueprint.get("/dispute/<key>/code.svg")
def case_code(key: str) -> Response:
    """The link of a dispute as a code."""
    with sentences():
        disputes().case(key)
    return qr_code(url_for("dispute.case_page", key=key, _external=True))


@blueprint.get("/dispute/<key>/picture.jpg")
def picture(key: str) -> Response:
    """The picture as it is kept."""
    response = kept_picture(key)
    response.headers["Cache-Control"] = f"private, max-age={PICTURE_KEPT_S}, immutable"
    return response


@blueprint.get("/dispute/<key>/ruling.jpg")
def ruling(key: str) -> Response:
    """The picture with the ruling drawn on it."""
    return ruling_drawn(key)


def _on_to(opened: Opened) -> Answer:
    """To the page of a new dispute, which this browser may correct."""
    remember(opened)
    address = url_for("dispute.case_page", key=opened.case.key)
    if request.accept_mimetypes.best == "application/json":
        return answer({"address": address}, 201)
    return redirect(address, 303)
