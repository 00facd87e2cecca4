"""The document of the interface says what the application does, and nothing that is sent makes a server error."""

from __future__ import annotations

import contextlib
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from flask import Flask
from hypothesis import HealthCheck, given, settings
from hypothesis.errors import Unsatisfiable
from hypothesis.strategies import SearchStrategy
from schemathesis import Case, GenerationMode
from schemathesis.core.result import Ok

from tests.dashboard.conftest import HandTable, Referee
from tests.web.fakes import table as painted
from web.dashboard.act_json import ACTS
from web.dashboard.api import PREFIX
from web.dashboard.openapi import document

MOST_CASES = 25


def documented() -> set[tuple[str, str]]:
    paths = document("session")["paths"]
    assert isinstance(paths, dict)
    return {(path, method.upper()) for path, methods in paths.items() for method in methods}


def test_the_document_names_every_route_and_no_other(app: Flask) -> None:
    answered = {
        (re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", rule.rule), method)
        for rule in app.url_map.iter_rules()
        if rule.rule.startswith(PREFIX)
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
    }
    assert documented() == answered


def test_every_act_stands_in_the_document() -> None:
    text = str(document("session"))
    assert all(f"'title': '{act}'" in text for act in ACTS)


@pytest.mark.parametrize("events", ["/api/v1/tables/one/events", "/api/v1/tables/one/events?after=1"])
def test_news_are_what_the_document_says(table: HandTable, referee: Referee, events: str) -> None:
    table.turn("R9 R10 R11 R12 R13")
    served: Any = document("session")
    news = served["components"]["schemas"]["News"]
    told = referee.client.get(events).json
    assert told is not None
    assert set(news["required"]) <= set(told) <= set(news["properties"])


@pytest.mark.usefixtures("table")
def test_the_document_is_served(referee: Referee) -> None:
    served = referee.client.get(f"{PREFIX}/openapi.json").json
    assert served is not None
    assert served["openapi"] == "3.1.0"
    assert set(served["paths"]) == {path for path, _ in documented()}


@pytest.mark.usefixtures("table")
def test_what_is_answered_to_another_kind_of_body_stands_in_the_document(referee: Referee) -> None:
    asked = 0
    for path, methods in document("session")["paths"].items():  # type: ignore[attr-defined]
        if "requestBody" not in methods.get("post", {}):
            continue
        address = path.replace("{table}", "one").replace("{key}", "k" * 24)
        sent = referee.client.post(address, data="{}", content_type="text/plain", headers=referee.headers)
        assert str(sent.status_code) in methods["post"]["responses"], (path, sent.status_code)
        asked += 1
    assert asked > 8


def sent_photo(app: Flask, referee: Referee, folder: Path) -> str:
    """The key of a dispute that the referee has sent, with a doubt in it."""
    eyes = app.extensions["hall"].eyes()
    photo = eyes.photo(folder / "photo.png", painted("R5 R6/R9 R7 # | K1"))
    answer = referee.client.post(f"{PREFIX}/disputes", data=photo.read_bytes(), headers=referee.headers)
    assert answer.json is not None
    assert app.extensions["disputes"]._line.wait_until_empty(60)
    return str(answer.json["key"])


@pytest.mark.parametrize("mode", list(GenerationMode))
def test_nothing_that_is_sent_makes_a_server_error(
    app: Flask, table: HandTable, referee: Referee, tmp_path: Path, mode: GenerationMode
) -> None:
    """Whatever schemathesis thinks of, by the document and against it, as the referee."""
    table.turn("R9 R10 R11 R12 R13")
    disputed = sent_photo(app, referee, tmp_path)
    cookie = referee.client.get_cookie(app.config["SESSION_COOKIE_NAME"])
    assert cookie is not None
    cookies = {cookie.key: cookie.value}
    answers: dict[str, Counter[int]] = {}
    for found in schemathesis.openapi.from_wsgi(f"{PREFIX}/openapi.json", app).get_all_operations():
        assert isinstance(found, Ok)
        operation = found.ok()
        if operation.label in {"DELETE /api/v1/session", "POST /api/v1/session"}:
            continue  # they would change the session that all others need
        seen = answers[operation.label] = Counter()
        inside = {"table": "one"} if "{table}" in operation.path else None
        if "{key}" in operation.path and operation.method != "delete":
            inside = {"key": disputed}

        cases = operation.as_strategy(mode, path_parameters=inside)
        with contextlib.suppress(Unsatisfiable):  # nothing can be sent there that is against the document
            _sent(cases, referee.headers, cookies, seen)
    assert len(answers) == len(documented()) - 3, "all but signing in, signing out, and the document itself"
    assert sum(sum(seen.values()) for seen in answers.values()) > MOST_CASES
    corrections = answers["POST /api/v1/disputes/{key}/edits"]
    assert corrections[400] + corrections[409] > 0
    acts = answers["POST /api/v1/tables/{table}/acts"]
    assert acts[200] + acts[409] > 0 if mode is GenerationMode.POSITIVE else acts[400] > 0


def _sent(
    cases: SearchStrategy[Case[Any]], headers: dict[str, str], cookies: dict[str, str], seen: Counter[int]
) -> None:
    """Send cases of one operation, and count what is answered."""

    @settings(max_examples=MOST_CASES, suppress_health_check=list(HealthCheck))
    @given(case=cases)
    def send(case: Case[Any]) -> None:
        response = case.call(headers=headers, cookies=cookies)
        seen[response.status_code] += 1
        assert response.status_code < 500, (case.as_curl_command(), response.text)

    send()
