"""Who may do what: nobody but the referee changes anything, whatever he sends."""

from __future__ import annotations

import re
from http import HTTPStatus
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from referee.preset_files import load_ruleset
from referee.switches import TimerStartedBy
from tests.dashboard.conftest import KEYS, PATIENCE_S, PIN, HandTable, Referee
from tests.web.live_table import changed
from web.dashboard.access import ALL_TRIES, TRIES, TRIES_S, WITHOUT_CSRF, Access, TryLimit
from web.dashboard.act_json import act_schemas
from web.dashboard.hall import Hall
from web.dashboard.keys import FILE, FOLDER, KeysError, keys_at, keys_for, new_pin


def example(schema: Any) -> Any:
    """Something that a schema allows, the least of it."""
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    match kinds[0]:
        case "object":
            return {name: example(schema["properties"][name]) for name in schema["required"]}
        case "array":
            return [example(schema["items"])] * schema.get("minItems", 1)
        case "integer" | "number":
            return 0
        case "boolean":
            return True
        case _:
            return schema.get("enum", ["R1"])[0]


FOR_EVERYBODY = {
    "api.sign_in", "api.take_seat", "api.take_camera", "api.leave", "start.choose_language", "dispute.send",
    "dispute.copy", "api.open_dispute", "api.copy_dispute", "dispute.edit", "dispute.choose_rules", "dispute.drop",
    "api.edit_dispute", "api.choose_dispute_rules", "api.drop_dispute",
}  # fmt: skip
"""What anybody may ask: who they are, their language, and disputes, which belong to who sent them."""
EXAMPLES: dict[str, Any] = {str(schema["title"]): example(schema) for schema in act_schemas()}
"""Every act that can be sent."""


def token_of(client: FlaskClient) -> dict[str, str]:
    session = client.get("/api/v1/session").json
    assert session is not None
    return {"X-CSRF-Token": session["csrf"]}


def test_a_spectator_changes_nothing(table: HandTable, client: FlaskClient, referee: Referee) -> None:
    table.turn("R9 R10 R11 R12 R13")
    seen = referee.news()
    for act, body in EXAMPLES.items():
        for headers in ({}, token_of(client)):
            response = client.post("/api/v1/tables/one/acts", json=body, headers=headers)
            assert response.status_code == HTTPStatus.FORBIDDEN, act
    assert referee.news()["notices"] == seen["notices"]


def test_the_examples_of_acts_are_acts_that_the_referee_may_send(table: HandTable, referee: Referee) -> None:
    """Else what is refused above would be refused for another reason."""
    table.turn("R9 R10 R11 R12 R13")
    for act, body in EXAMPLES.items():
        response = referee.client.post("/api/v1/tables/one/acts", json=body, headers=referee.headers)
        assert response.status_code in {HTTPStatus.OK, HTTPStatus.CONFLICT}, (act, response.data)


def seated(app: Flask, seat: int) -> tuple[FlaskClient, dict[str, str]]:
    """A player's phone that has exchanged its code."""
    access: Access = app.extensions["access"]
    player = app.test_client()
    taken = player.post("/api/v1/tables/one/seat-session", json={"token": access.seat_token("one", "game", seat)})
    assert taken.json is not None
    assert taken.json["seat"] == seat
    return player, {"X-CSRF-Token": taken.json["csrf"]}


@pytest.mark.usefixtures("table")
def test_a_player_may_not_do_what_the_referee_may(app: Flask, referee: Referee) -> None:
    player, headers = seated(app, 0)
    for act in set(EXAMPLES) - {"CallTurnEnd", "ShowRack", "ConfirmScore"}:
        body = EXAMPLES[act]
        response = player.post("/api/v1/tables/one/acts", json=body, headers=headers)
        assert response.status_code == HTTPStatus.FORBIDDEN, act
    assert not {notice["code"] for notice in referee.news()["notices"]} & {"paused", "corrected", "overruled"}


@pytest.mark.usefixtures("table")
@pytest.mark.parametrize("seat", [None, 1])
def test_neither_a_spectator_nor_a_player_of_another_seat_changes_anything(
    app: Flask, hall: Hall, seat: int | None
) -> None:
    """Every view that takes something, asked with the token of the session."""
    client = app.test_client()
    headers = token_of(client)
    if seat is not None:
        client, headers = seated(app, seat)
    before = hall.tables["one"].snapshot.seq
    refused = set()
    values: dict[str, Any] = {"table": "one", "seat": 0, "game": "game", "key": "k" * 24}
    for rule in app.url_map.iter_rules():
        for method in (rule.methods or set()) - {"GET", "HEAD", "OPTIONS"}:
            with app.test_request_context():
                address = app.url_for(rule.endpoint, **{name: values.get(name, "x") for name in rule.arguments})
            if rule.endpoint in FOR_EVERYBODY:
                continue
            bodies = list(EXAMPLES.values()) if rule.endpoint == "api.do" else [{}]
            for body in bodies:
                status = client.open(address, method=method, json=body, headers=headers).status_code
                wanted = {HTTPStatus.FORBIDDEN}
                if seat is not None and body.get("act") == "CallTurnEnd":
                    wanted = {HTTPStatus.CONFLICT}  # it is the turn of another
                assert status in wanted, f"{method} {address} {body}"
                refused.add(rule.endpoint)
    assert {"api.do", "api.begin", "api.push_frame"} <= refused
    told = hall.tables["one"].snapshot.seq - before
    assert told == (0 if seat is None else 1), "that a player was refused is told to the referee"


@pytest.mark.parametrize(("starter", "allowed"), [("player", 0), ("next_player", 1), ("referee", None)])
def test_a_player_starts_the_clock_only_where_the_rules_name_him(
    app: Flask, hall: Hall, starter: str, allowed: int | None
) -> None:
    hand = HandTable(ruleset=changed(load_ruleset(), timer_started_by=TimerStartedBy(starter)))
    hall.open("one", hand, "a test")
    assert hand.ready.wait(PATIENCE_S)
    for seat in (0, 1):
        player, headers = seated(app, seat)
        answer = player.post("/api/v1/tables/one/acts", json={"act": "StartClock"}, headers=headers)
        assert (answer.status_code == HTTPStatus.FORBIDDEN) is (seat != allowed), answer.text


@pytest.mark.usefixtures("table")
def test_a_player_ends_his_own_turn_and_no_other(app: Flask) -> None:
    second, headers = seated(app, 1)
    for told in ({}, {"seat": 0}, {"seat": 1}):
        response = second.post("/api/v1/tables/one/acts", json={"act": "CallTurnEnd", **told}, headers=headers)
        assert response.status_code == HTTPStatus.CONFLICT, "it is the turn of another"
    first, headers = seated(app, 0)
    response = first.post("/api/v1/tables/one/acts", json={"act": "CallTurnEnd"}, headers=headers)
    assert response.status_code == HTTPStatus.OK


@pytest.mark.usefixtures("table")
def test_a_player_shows_no_rack_of_another(app: Flask) -> None:
    player, headers = seated(app, 0)
    sent = {"act": "ShowRack", "seat": 1, "tiles": []}
    assert player.post("/api/v1/tables/one/acts", json=sent, headers=headers).status_code == HTTPStatus.FORBIDDEN


@pytest.mark.usefixtures("table")
def test_a_code_of_another_game_or_table_takes_no_seat(app: Flask) -> None:
    access: Access = app.extensions["access"]
    client = app.test_client()
    for token in (access.seat_token("one", "another", 0), access.seat_token("two", "game", 0), "", "é" * 40):
        response = client.post("/api/v1/tables/one/seat-session", json={"token": token})
        assert response.status_code == HTTPStatus.FORBIDDEN


@pytest.mark.usefixtures("table")
def test_a_seats_code_is_drawn_for_the_referee_alone(client: FlaskClient, referee: Referee) -> None:
    assert client.get("/tables/one/codes").status_code == HTTPStatus.FORBIDDEN
    assert client.get("/tables/one/codes/0.svg").status_code == HTTPStatus.FORBIDDEN
    drawn = referee.client.get("/tables/one/codes/0.svg")
    assert drawn.mimetype == "image/svg+xml"
    assert referee.client.get("/tables/one/codes/2.svg").status_code == HTTPStatus.NOT_FOUND


def test_spectators_are_told_no_racks_questions_or_places(table: HandTable, client: FlaskClient) -> None:
    table.do(lambda bench: bench.lay("R6/R9 R10 R11"))
    table.do(lambda bench: bench.call())
    told = client.get("/api/v1/tables/one/events")
    assert told.json is not None
    assert "ask" not in {notice["code"] for notice in told.json["notices"]}
    for word in ("quad", "questions", "shown", "picture", "restoring"):
        assert f'"{word}' not in told.get_data(as_text=True)
    for path in ("picture.jpg", "former.jpg"):
        assert client.get(f"/api/v1/tables/one/{path}").status_code == HTTPStatus.FORBIDDEN


@pytest.mark.usefixtures("table")
def test_a_wrong_pin_is_refused_and_tried_no_more_than_a_few_times(app: Flask) -> None:
    client = app.test_client()
    tries = [client.post("/api/v1/session", json={"pin": "000000"}).status_code for _ in range(TRIES + 1)]
    assert tries == [HTTPStatus.FORBIDDEN] * TRIES + [HTTPStatus.TOO_MANY_REQUESTS]
    right = client.post("/api/v1/session", json={"pin": PIN})
    assert right.status_code == HTTPStatus.TOO_MANY_REQUESTS
    assert 0 < int(right.headers["Retry-After"]) <= TRIES_S + 1
    assert client.get("/api/v1/session").json == {"referee": False, "csrf": client.get("/api/v1/session").json["csrf"]}  # type: ignore[index]


def test_tries_are_forgotten_after_a_while_and_counted_over_all_addresses() -> None:
    clock = [0.0]
    limit = TryLimit(lambda: clock[0])
    for k in range(ALL_TRIES):
        assert limit.wait_s(f"10.0.0.{k}") == 0
        limit.failed(f"10.0.0.{k}")
    assert limit.wait_s("10.1.1.1") == TRIES_S
    clock[0] = TRIES_S + 1
    assert limit.wait_s("10.1.1.1") == 0
    assert not limit._wrong, "addresses are forgotten"


@pytest.mark.usefixtures("table")
def test_wrong_codes_of_many_phones_keep_nobody_else_out(app: Flask) -> None:
    def sent(path: str, address: str, told: dict[str, str]) -> int:
        answer = app.test_client().post(f"/api/v1/{path}", json=told, environ_base={"REMOTE_ADDR": address})
        return answer.status_code

    wrong = {"token": "wrong"}
    for k in range(ALL_TRIES):
        assert sent("tables/one/seat-session", f"10.0.0.{k}", wrong) == HTTPStatus.FORBIDDEN
        assert sent("tables/one/camera-session", f"10.0.0.{k}", wrong) == HTTPStatus.FORBIDDEN
    assert sent("session", "10.1.1.1", {"pin": PIN}) == HTTPStatus.OK
    token = app.extensions["access"].seat_token("one", "game", 0)
    assert sent("tables/one/seat-session", "10.1.1.1", {"token": token}) == HTTPStatus.OK


@pytest.mark.usefixtures("table")
def test_a_phone_shows_no_more_than_a_few_wrong_codes(app: Flask) -> None:
    client = app.test_client()
    for path in ("seat-session", "camera-session"):
        tries = [client.post(f"/api/v1/tables/one/{path}", json={"token": "x"}).status_code for _ in range(TRIES + 1)]
        assert tries == [HTTPStatus.FORBIDDEN] * TRIES + [HTTPStatus.TOO_MANY_REQUESTS]


def test_a_pin_of_letters_can_be_typed_on_a_phone(client: FlaskClient) -> None:
    (field,) = re.findall(r'<input id="pin"[^>]*>', client.get("/sign-in").text)
    assert "inputmode" not in field


@pytest.mark.usefixtures("table")
def test_an_act_without_the_sessions_token_is_refused(referee: Referee) -> None:
    for headers in ({}, {"X-CSRF-Token": "wrong"}, {"X-CSRF-Token": "é"}):
        response = referee.client.post("/api/v1/tables/one/acts", json={"act": "Pause"}, headers=headers)
        assert response.status_code == HTTPStatus.FORBIDDEN
    assert referee.news()["view"]["paused"] is False


@pytest.mark.usefixtures("table")
def test_a_page_of_another_site_changes_nothing(referee: Referee) -> None:
    headers = {**referee.headers, "Origin": "http://elsewhere.example"}
    sent = referee.client.post("/api/v1/tables/one/acts", json={"act": "Pause"}, headers=headers)
    assert sent.status_code == HTTPStatus.FORBIDDEN
    own = {**referee.headers, "Origin": "http://localhost"}
    sent = referee.client.post("/api/v1/tables/one/acts", json={"act": "Pause"}, headers=own)
    assert sent.status_code == HTTPStatus.OK


def test_signing_in_takes_json_alone(app: Flask) -> None:
    """A form of another site can be sent without being asked, JSON cannot."""
    sent = app.test_client().post("/api/v1/session", data=f'{{"pin": "{PIN}"}}', content_type="text/plain")
    assert sent.status_code == HTTPStatus.FORBIDDEN


def test_another_pin_ends_the_sessions_of_the_one_before(app: Flask, referee: Referee) -> None:
    other = keys_for("another one")
    kept: Access = app.extensions["access"]
    kept._keys = type(other)(kept._keys.secret, other.pin_hash)
    assert referee.client.get("/api/v1/session").json["referee"] is False  # type: ignore[index]


@pytest.mark.usefixtures("table")
def test_signing_out(referee: Referee) -> None:
    assert referee.client.delete("/api/v1/session", headers=referee.headers).status_code == HTTPStatus.NO_CONTENT
    assert referee.act("Pause").status_code == HTTPStatus.FORBIDDEN


@pytest.mark.usefixtures("table")
def test_every_way_that_changes_something_is_closed_to_strangers(app: Flask) -> None:
    """Whatever is added: no view takes anything without the token of its session."""
    client = app.test_client()
    values: dict[str, Any] = {"table": "one", "seat": 0, "game": "game", "key": "k", "filename": "css/base.css"}
    for rule in app.url_map.iter_rules():
        for method in (rule.methods or set()) - {"GET", "HEAD", "OPTIONS"}:
            with app.test_request_context():
                address = app.url_for(rule.endpoint, **{name: values.get(name, "x") for name in rule.arguments})
            response = client.open(address, method=method, json={})
            begins = rule.endpoint in WITHOUT_CSRF
            wanted = {HTTPStatus.BAD_REQUEST} if begins else {HTTPStatus.FORBIDDEN}
            assert response.status_code in wanted, f"{method} {address}"


@pytest.mark.usefixtures("table")
def test_answers_carry_what_keeps_browsers_safe(client: FlaskClient) -> None:
    for path in ("/", "/sign-in", "/tables/one/screen", "/nowhere", "/api/v1/tables", "/static/css/base.css"):
        with client.get(path) as response:
            headers = response.headers
        csp = headers["Content-Security-Policy"]
        assert "default-src 'none'" in csp
        assert "unsafe" not in csp
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Referrer-Policy"] == "same-origin"


@pytest.mark.usefixtures("table")
def test_pages_hold_no_script_or_style_of_their_own(referee: Referee) -> None:
    """The policy would stop it: it must stand in a file."""
    for path in ("/", "/sign-in", "/tables/one/screen", "/tables/one/desk", "/tables/one/seat", "/tables/one/codes"):
        text = referee.client.get(path).get_data(as_text=True)
        assert not re.search(r"<style|\sstyle=|\son[a-z]+=", text), path
        for script in re.findall(r"<script[^>]*>", text):
            assert "src=" in script or 'type="application/json"' in script, path


def test_the_cookie_of_a_session(app: Flask) -> None:
    cookie = app.test_client().post("/api/v1/session", json={"pin": PIN}).headers["Set-Cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Lax" in cookie
    assert PIN not in cookie


def test_the_pin_is_kept_as_a_hash_and_told_once(tmp_path: Path) -> None:
    keys, told = keys_at(tmp_path, None)
    assert told is not None
    assert re.fullmatch(r"\d{6}", told)
    file = tmp_path / FOLDER / FILE
    assert told not in file.read_text(encoding="utf-8")
    assert file.stat().st_mode & 0o077 == 0
    assert keys_at(tmp_path, None) == (keys, None)
    changed, again = keys_at(tmp_path, "another")
    assert again == "another"
    assert changed.secret == keys.secret
    assert keys_at(tmp_path, None) == (changed, None)


@pytest.mark.parametrize("pin", ["", "123", "1" * 65])
def test_a_pin_that_is_none(tmp_path: Path, pin: str) -> None:
    with pytest.raises(KeysError, match="A PIN has 4 to 64"):
        keys_at(tmp_path, pin)


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"secret": "x", "pin": ""}', "\0"])
def test_damaged_keys_are_told_and_not_replaced(tmp_path: Path, text: str) -> None:
    (tmp_path / FOLDER).mkdir()
    (tmp_path / FOLDER / FILE).write_text(text, encoding="utf-8")
    with pytest.raises(KeysError, match="is damaged"):
        keys_at(tmp_path, None)
    assert (tmp_path / FOLDER / FILE).read_text(encoding="utf-8") == text


def test_pins_differ() -> None:
    assert len({new_pin() for _ in range(40)}) > 30


def test_only_names_of_this_machine_are_answered_where_nobody_else_may_come(hall: Hall) -> None:
    from web.dashboard.app import create_app  # noqa: PLC0415

    app = create_app(hall, KEYS, hosts=("localhost", "127.0.0.1", "[::1]"))
    client = app.test_client()
    for host in ("localhost:8765", "localhost", "LOCALHOST", "127.0.0.1:8765", "[::1]:8765", "[::1]"):
        assert client.get("/", headers={"Host": host}).status_code == HTTPStatus.OK, host
    for host in ("evil.example", "localhost.evil.example:8765", "[::2]:8765", "[", "127.0.0.1:x", "a@localhost", "é"):
        for path in ("/", "/api/v1/tables", "/static/css/look.css", "/nowhere"):
            refused = client.get(path, headers={"Host": host})
            assert refused.status_code == HTTPStatus.BAD_REQUEST, host
            assert refused.text == "This program answers under its own address alone.\n"
    app.extensions["disputes"].close()


@pytest.mark.parametrize("back", ["//evil.example", "/\\evil.example", "http://evil.example", ""])
def test_choosing_a_language_leads_nowhere_else(client: FlaskClient, back: str) -> None:
    token = token_of(client)["X-CSRF-Token"]
    sent = client.post("/language", data={"language": "pl", "back": back, "csrf": token})
    assert sent.headers["Location"] == "/"
    assert 'lang="pl"' in client.get("/").get_data(as_text=True)
