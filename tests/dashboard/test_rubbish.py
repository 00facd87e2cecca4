"""What nobody sends in earnest: it is refused in a sentence, is no server error, and does no harm to the game."""

from __future__ import annotations

from http import HTTPStatus

import pytest
from flask.testing import FlaskClient

from tests.dashboard.conftest import HandTable, Referee
from web.dashboard.api import PREFIX, ROUTES

OPENING = "R9 R10 R11 R12 R13"
TAKES_JSON = sorted({route.path for route in ROUTES if route.method == "POST" and route.body and "/" not in route.body})
HALF_A_LETTER = r"\ud800"
NOTHING_THAT_CAN_BE_READ = {
    "brackets without end": b"[" * 200_000,
    "objects without end": b'{"a":' * 100_000,
    "a number without end": b'{"after": ' + b"9" * 5000 + b"}",
    "bytes that are no text": b"\xff\xfe",
    "half of it": b'{"pin": "1',
    "half a letter": f'{{"{HALF_A_LETTER}": 1}}'.encode(),
}


def test_there_are_views_that_take_json() -> None:
    assert len(TAKES_JSON) >= 8


@pytest.mark.usefixtures("table")
@pytest.mark.parametrize("path", TAKES_JSON)
def test_what_is_no_json_is_told_wherever_it_is_sent(referee: Referee, path: str) -> None:
    address = PREFIX + path.replace("<table>", "one").replace("<key>", "k" * 24)
    for kind, body in NOTHING_THAT_CAN_BE_READ.items():
        sent = referee.client.post(address, data=body, content_type="application/json", headers=referee.headers)
        assert sent.status_code == HTTPStatus.BAD_REQUEST, kind
        assert sent.json == {"error": "This request cannot be understood."}, kind


@pytest.mark.parametrize(
    "act",
    [
        '"Undo", "reason": "{half}"', '"AcceptTable", "reason": "{half}"',
        '"Overrule", "legal": false, "reason": "{half}"',
        '"GivePenalty", "seat": 0, "tiles": 1, "points": 0, "reason": "{half}"', '"TellTable", "text": "{half}"',
    ],
)  # fmt: skip
def test_a_reason_that_no_file_can_hold_does_not_keep_the_game_from_being_written(
    table: HandTable, referee: Referee, act: str
) -> None:
    """Such a word in the log once kept all that came after it out of the store."""
    table.turn(OPENING)
    body = '{"act": ' + act.replace("{half}", HALF_A_LETTER) + "}"
    sent = referee.client.post(
        f"{PREFIX}/tables/one/acts", data=body, content_type="application/json", headers=referee.headers
    )
    assert sent.status_code == HTTPStatus.BAD_REQUEST
    assert referee.act("Undo", reason="ażółw 🀄").status_code == HTTPStatus.OK
    assert referee.news()["view"]["trouble"] == ""


@pytest.mark.usefixtures("table")
@pytest.mark.parametrize(("after", "status"), [("0" * 5000, 200), ("0" * 5000 + "7", 200), ("9" * 5000, 400)])
def test_a_number_of_many_digits(client: FlaskClient, after: str, status: int) -> None:
    assert client.get(f"{PREFIX}/tables/one/events", query_string={"after": after}).status_code == status


@pytest.mark.usefixtures("table")
@pytest.mark.parametrize(
    ("announced", "status"),
    [("", 200), ("0,1", 200), ("01", 200), ("2", 400), ("000000999", 400), ("9" * 5000, 400), ("-1", 400), ("²", 400)],
)
def test_seats_that_announced_are_seats_of_the_game(referee: Referee, announced: str, status: int) -> None:
    answer = referee.client.get("/tables/one/count.json", query_string={"announced": announced})
    assert answer.status_code == status
