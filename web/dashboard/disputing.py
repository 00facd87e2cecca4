"""What the pages of disputed tables and the JSON interface share: who may correct what, and what is refused in words.

The word that lets a browser or a program correct what it sent is kept in its session.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from flask import Response, current_app, session
from werkzeug.exceptions import BadRequest, Conflict, Forbidden, HTTPException, NotFound, ServiceUnavailable

from referee.ruleset import RuleSetError
from web.dashboard.asking import sent_json
from web.disputes.case import Case, State
from web.disputes.case_json import ruled_fields
from web.disputes.clerk import Disputes, NoBoxError, NotYoursError, Opened, OvertakenError
from web.disputes.edit_json import edit_of
from web.disputes.edits import EditError
from web.disputes.photo import UnusableError
from web.disputes.shelf import NoCaseError
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


def disputes() -> Disputes:
    """The disputes of the application that answers."""
    kept = current_app.extensions["disputes"]
    if not isinstance(kept, Disputes):
        raise TypeError("the application keeps no disputes")
    return kept


def told(case: Case, rules: str | None = None) -> Json:
    """How far a dispute is, and its ruling once there is one, by its own rules or others."""
    found: Json = {
        "state": case.state.value,
        "before": disputes().before(case.key),
        "why": say_told(case.why),
        "may": may(case),
    }
    if case.state is State.READY:
        ruled, ruleset = disputes().ruled(case, rules)
        found["reading"] = ruled_fields(case, ruled, ruleset)
    return found


def edited(key: str) -> Json:
    """One correction more, or (``edit`` null) the last one taken back, as it was sent; the dispute then."""
    sent = _sent()
    after = sent.get("after")
    if not isinstance(after, int) or isinstance(after, bool) or "edit" not in sent:
        raise BadRequest(
            say("A correction is sent as {form}: how many there are, and the next one or null.", form=_EDIT_FORM)
        )
    with sentences():
        edit = None if sent["edit"] is None else edit_of(sent["edit"])
        return told(disputes().edit(key, word_of(key), after, edit))


def ruled_by(key: str) -> Json:
    """Ruled by other rules from now on, as they were sent; the dispute then."""
    rules = _sent().get("rules")
    with sentences():
        return told(disputes().choose_rules(key, word_of(key), rules if isinstance(rules, str) else ""))


def kept_picture(key: str) -> Response:
    """The picture of a dispute as it is kept."""
    with sentences():
        disputes().case(key)
        return Response(disputes().picture(key), mimetype="image/jpeg")


def ruling_drawn(key: str) -> Response:
    """The picture of a dispute with its ruling drawn on it."""
    with sentences():
        case = disputes().case(key)
        if case.state is not State.READY:
            raise NoCaseError(key)
        return Response(disputes().annotated(case), mimetype="image/jpeg")


def remember(opened: Opened) -> None:
    """This session may correct a new dispute."""
    session.permanent = True
    # a list: a session's mappings come back in alphabetical order
    session["disputes"] = [*_words(), [opened.case.key, opened.word]][-MOST_REMEMBERED:]


def may(case: Case) -> bool:
    """Whether this session may correct a dispute."""
    return disputes().may_edit(case, word_of(case.key))


def word_of(key: str) -> str:
    """The word for a dispute that this session was given; empty: none."""
    return next((word for kept, word in _words() if kept == key), "")


def _words() -> list[list[str]]:
    """The disputes that this session may correct, each with its word, the latest last."""
    kept = session.get("disputes")
    return [one for one in kept if isinstance(one, list) and len(one) == 2] if isinstance(kept, list) else []


def _sent() -> Json:
    sent = sent_json()
    if not isinstance(sent, dict):
        raise BadRequest(say("This request cannot be understood."))
    return sent


@contextmanager
def sentences() -> Iterator[None]:
    """What cannot be done, as an answer with one sentence."""
    try:
        yield
    except HTTPException:
        raise
    except NoCaseError as error:
        raise NotFound(say("This dispute is not kept here, or no longer.")) from error
    except NotYoursError as error:
        sentence = say("Only who sent the photo corrects it here: make a copy of your own to go on with.")
        raise Forbidden(sentence) from error
    except OvertakenError as error:
        raise Conflict(say("It was corrected in another window meanwhile: load this page again.")) from error
    except FullError as error:
        sentence = say("Too many photos are waiting to be looked at: try again in half a minute.")
        raise ServiceUnavailable(sentence, retry_after=30) from error
    except (EditError, UnusableError) as error:
        raise BadRequest(say_told(error.told)) from error
    except NoBoxError as error:
        raise BadRequest(say("No box of this name was taught here.")) from error
    except RuleSetError as error:
        raise BadRequest(say("There are no such rules here.")) from error
    except OSError as error:
        raise ServiceUnavailable(say("The photo cannot be kept: {cause}.", cause=cause(error))) from error
