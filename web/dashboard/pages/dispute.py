"""Disputed tables: any phone sends a photo, sees the ruling with its reasons, corrects it and shares the link."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime

from flask import Blueprint, Response, current_app, redirect, render_template, request, session, url_for
from flask_babel import format_date, gettext
from werkzeug.exceptions import (
    BadRequest,
    Conflict,
    Forbidden,
    HTTPException,
    NotFound,
    ServiceUnavailable,
)
from werkzeug.wrappers import Response as Answer

from referee.preset_files import DEFAULT_PRESET, preset_names
from referee.ruleset import RuleSetError
from web.dashboard.asking import answer
from web.dashboard.pages.seat import qr_code
from web.disputes.case import Case, State
from web.disputes.case_json import ruled_fields
from web.disputes.clerk import Disputes, NotYoursError, Opened, OvertakenError
from web.disputes.edit_json import edit_of
from web.disputes.edits import EditError
from web.disputes.photo import UnusableError
from web.disputes.shelf import DAY_S, NoCaseError
from web.disputes.waiting import FullError
from web.files import cause
from web.report_json import Json
from web.telling import say_told
from web.tongue import say

LARGEST_PHOTO = 60_000_000
"""Bytes; photos of 48 megapixels have 10 to 30 million of them."""
_EDIT_FORM = '{"after": 3, "edit": {...}}'
MOST_REMEMBERED = 12
"""A browser may correct so many disputes; the words of older ones are forgotten, the links stay."""
PICTURE_KEPT_S = 3600

blueprint = Blueprint("dispute", __name__)


@blueprint.url_value_preprocessor
def allow_photos(endpoint: str | None, _values: object) -> None:
    """A photo is larger than what other pages take; this is said before anything of it is read."""
    if endpoint == "dispute.send":
        request.max_content_length = LARGEST_PHOTO


def disputes() -> Disputes:
    """The disputes of the application that answers."""
    kept = current_app.extensions["disputes"]
    if not isinstance(kept, Disputes):
        raise TypeError("the application keeps no disputes")
    return kept


@blueprint.get("/dispute")
def page() -> str:
    """Where a photo is taken or chosen."""
    days = round(disputes().kept_days)
    return render_template("dispute.html", presets=preset_names(), preset=DEFAULT_PRESET, days=days)


@blueprint.post("/dispute")
def send() -> Answer:
    """Take a photo in, then on to its page."""
    # without JavaScript the form sends both its fields, the one that was not used without a name
    photo = next((one for one in request.files.getlist("photo") if one.filename), None)
    if photo is None or not photo.filename:
        raise BadRequest(gettext("Choose a photo first."))
    with _sentences(), closing(photo):
        opened = disputes().open(photo.save, photo.filename, request.form.get("rules", DEFAULT_PRESET))
    return _on_to(opened)


@blueprint.get("/dispute/code.svg")
def code() -> Response:
    """The address of the page as a code, for phones."""
    return qr_code(url_for("dispute.page", _external=True))


@blueprint.get("/dispute/<key>")
def case_page(key: str) -> str:
    """A dispute."""
    with _sentences():
        case = disputes().case(key)
    until = datetime.fromtimestamp(case.at + disputes().kept_days * DAY_S, UTC)
    return render_template(
        "dispute_case.html",
        case=case,
        why=say_told(case.why),
        may=_may(case),
        presets=preset_names(),
        until=format_date(until, "long"),
        link=url_for("dispute.case_page", key=key, _external=True),
    )


@blueprint.get("/dispute/<key>/case.json")
def case_json(key: str) -> Response:
    """How far a dispute is, and its ruling once there is one; ``rules`` asks for that by other rules."""
    with _sentences():
        case = disputes().case(key)
        return answer(_told(case, request.args.get("rules")))


@blueprint.post("/dispute/<key>/edits")
def edit(key: str) -> Response:
    """One correction more, or (``edit`` null) the last one taken back; the ruling on what lies there now."""
    sent = _sent()
    after = sent.get("after")
    if not isinstance(after, int) or isinstance(after, bool) or "edit" not in sent:
        raise BadRequest(
            say("A correction is sent as {form}: how many there are, and the next one or null.", form=_EDIT_FORM)
        )
    with _sentences():
        told = None if sent["edit"] is None else edit_of(sent["edit"])
        return answer(_told(disputes().edit(key, _word(key), after, told)))


@blueprint.post("/dispute/<key>/rules")
def choose_rules(key: str) -> Response:
    """Rule by other rules from now on."""
    rules = _sent().get("rules")
    with _sentences():
        return answer(_told(disputes().choose_rules(key, _word(key), rules if isinstance(rules, str) else "")))


@blueprint.post("/dispute/<key>/copy")
def copy(key: str) -> Answer:
    """Go on in a copy of one's own."""
    with _sentences():
        return _on_to(disputes().copy(key))


@blueprint.post("/dispute/<key>/drop")
def drop(key: str) -> Answer:
    """Let go of one's own dispute now."""
    with _sentences():
        disputes().drop(key, _word(key))
    return redirect(url_for("dispute.page"), 303)


@blueprint.get("/dispute/<key>/code.svg")
def case_code(key: str) -> Response:
    """The link of a dispute as a code."""
    with _sentences():
        disputes().case(key)
    return qr_code(url_for("dispute.case_page", key=key, _external=True))


@blueprint.get("/dispute/<key>/picture.jpg")
def picture(key: str) -> Response:
    """The picture as it is kept."""
    with _sentences():
        disputes().case(key)
        response = Response(disputes().picture(key), mimetype="image/jpeg")
    response.headers["Cache-Control"] = f"private, max-age={PICTURE_KEPT_S}, immutable"
    return response


@blueprint.get("/dispute/<key>/ruling.jpg")
def ruling(key: str) -> Response:
    """The picture with the ruling drawn on it."""
    with _sentences():
        case = disputes().case(key)
        if case.state is not State.READY:
            raise NoCaseError(key)
        return Response(disputes().annotated(case), mimetype="image/jpeg")


def _told(case: Case, rules: str | None = None) -> Json:
    """A dispute for its page."""
    told: Json = {
        "state": case.state.value,
        "before": disputes().before(case.key),
        "why": say_told(case.why),
        "may": _may(case),
    }
    if case.state is State.READY:
        ruled, ruleset = disputes().ruled(case, rules)
        told["reading"] = ruled_fields(case, ruled, ruleset)
    return told


def _on_to(opened: Opened) -> Answer:
    """To the page of a new dispute, which this browser may correct."""
    session.permanent = True
    # a list: a session's mappings come back in alphabetical order
    session["disputes"] = [*_words(), [opened.case.key, opened.word]][-MOST_REMEMBERED:]
    address = url_for("dispute.case_page", key=opened.case.key)
    if request.accept_mimetypes.best == "application/json":
        return answer({"address": address}, 201)
    return redirect(address, 303)


def _may(case: Case) -> bool:
    return disputes().may_edit(case, _word(case.key))


def _word(key: str) -> str:
    return next((word for kept, word in _words() if kept == key), "")


def _words() -> list[list[str]]:
    """The disputes that this browser may correct, each with its word, the latest last."""
    kept = session.get("disputes")
    return [one for one in kept if isinstance(one, list) and len(one) == 2] if isinstance(kept, list) else []


def _sent() -> Json:
    sent = request.get_json()
    if not isinstance(sent, dict):
        raise BadRequest(gettext("This request cannot be understood."))
    return sent


@contextmanager
def _sentences() -> Iterator[None]:
    """What cannot be done, as an answer with one sentence."""
    try:
        yield
    except HTTPException:
        raise
    except NoCaseError as error:
        raise NotFound(gettext("This dispute is not kept here, or no longer.")) from error
    except NotYoursError as error:
        raise Forbidden(
            gettext("Only who sent the photo corrects it here: make a copy of your own to go on with.")
        ) from error
    except OvertakenError as error:
        raise Conflict(gettext("It was corrected in another window meanwhile: load this page again.")) from error
    except FullError as error:
        sentence = gettext("Too many photos are waiting to be looked at: try again in half a minute.")
        raise ServiceUnavailable(sentence, retry_after=30) from error
    except (EditError, UnusableError) as error:
        raise BadRequest(say_told(error.told)) from error
    except RuleSetError as error:
        raise BadRequest(gettext("There are no such rules here.")) from error
    except OSError as error:
        raise ServiceUnavailable(gettext("The photo cannot be kept: %(cause)s.", cause=cause(error))) from error
