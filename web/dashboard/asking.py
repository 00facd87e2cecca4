"""What the views of a request have in common: the hall, the table of an address, answers in JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager

from flask import Response, current_app, jsonify, request
from werkzeug.exceptions import BadRequest, Conflict, NotFound, ServiceUnavailable

from referee.ruleset import RuleSet
from web.dashboard.hall import Hall
from web.dashboard.running import RunningTable, Said, TableBusyError, TableClosedError
from web.dashboard.view_json import words_for
from web.live.acts import Act
from web.live.notices import NoticeCode
from web.report_json import Json
from web.telling import say_whole
from web.tongue import say

ACT_TIMEOUT_S = 8.0
"""An act waits so long for the table's thread: the eyes may be in the middle of a look."""


def hall() -> Hall:
    """The tables of the application that answers."""
    kept = current_app.extensions["hall"]
    if not isinstance(kept, Hall):
        raise TypeError("the application has no hall")
    return kept


def table_called(name: str) -> RunningTable:
    """The table of a name.  Raises ``NotFound``."""
    table = hall().table(name)
    if table is None:
        raise NotFound(say("There is no such table here."))
    return table


def rules_at(table: RunningTable) -> RuleSet:
    """The rules that a table is played by."""
    return table.snapshot.ruleset or hall().ruleset


def act_at(table: RunningTable, act: Act) -> tuple[Said, ...]:
    """Have an act carried out.  Raises ``Conflict`` for a refusal, ``ServiceUnavailable`` where nobody answers."""
    with reached():
        said = table.ask(act, ACT_TIMEOUT_S)
    refused = next((one.notice.told for one in said if one.notice.code is NoticeCode.REFUSED), None)
    if refused is not None:
        raise Conflict(say_whole(refused, words_for(rules_at(table), table.snapshot.view).name))
    return said


@contextmanager
def reached() -> Iterator[None]:
    """While a table is asked: where nobody answers, ``ServiceUnavailable`` is raised with a sentence."""
    try:
        yield
    except TableBusyError as error:
        raise ServiceUnavailable(
            say("The table does not answer just now, and nothing was changed: try again in a moment."), retry_after=1
        ) from error
    except TableClosedError as error:
        raise ServiceUnavailable(say("This table is closed.")) from error


def sent_json() -> object:
    """What was sent as JSON.  Raises ``BadRequest`` for what is none, and for what nobody could write down again."""
    try:
        sent: object = request.get_json()
        json.dumps(sent, ensure_ascii=False).encode()
    except (RecursionError, UnicodeEncodeError) as error:  # brackets without end; halves of letters, such as \ud800
        raise BadRequest from error
    return sent


def whole_number(text: str, most: int) -> int | None:
    """The number that a query tells in plain digits, from 0; None for what is none, or more than ``most``."""
    if not (text.isascii() and text.isdigit()):
        return None
    digits = text.lstrip("0") or "0"
    return int(digits) if len(digits) <= len(str(most)) and int(digits) <= most else None


def answer(data: Json, status: int = 200) -> Response:
    """An answer in JSON."""
    response = jsonify(data)
    response.status_code = status
    return response
