"""The light meter of the set-up page, and the gate: no game begins by itself with a picture that nobody can rule on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from referee.observation import Observation
from tests.dashboard.conftest import Referee
from tests.dashboard.phone_table import (
    PHOTO,
    WIDTH,
    Image,
    Phone,
    TruthEyes,
    phone_at,
    phone_hall,
    sees,
    truth_of,
    until,
)
from tests.vision.filmed import still
from vision.inspection import LIMITS, Cause, Grade, Inspection, Measurement
from vision.region import TableRegion
from web.dashboard.gatekeeper import AGAIN_S, NOT_GOOD, Gatekeeper
from web.dashboard.hall import Hall
from web.dashboard.light_json import NAMES, goodness, light_json
from web.dashboard.light_meter import EVERY_S, FRAMES, WATCHED_S, LightMeter
from web.dashboard.table_book import BookedTable
from web.dashboard.tables import PHONE, open_table
from web.live.gate import FRAMES as GATE_FRAMES
from web.live.gate import PATIENCE_S as GATE_PATIENCE_S

BRIGHT = still(PHOTO, WIDTH)
DARK: Image = np.asarray(BRIGHT // 16, np.uint8)


@dataclass(slots=True)
class Around:
    """Eyes that count, and a clock that a test turns; a look takes ``cost_s``."""

    now: float = 100.0
    cost_s: float = 0.0
    looks: int = 0
    seen: Observation = field(default_factory=lambda: truth_of(PHOTO, WIDTH))

    def look(self, _image: Image) -> Observation:
        self.looks += 1
        self.now += self.cost_s
        return self.seen

    def clock(self) -> float:
        return self.now

    def meter(self) -> LightMeter:
        return LightMeter(self.look, self.clock)


def grade(inspection: Inspection, cause: Cause) -> Grade:
    (found,) = [one.grade for one in inspection.measurements if one.cause is cause]
    return found


def test_a_picture_is_measured_when_somebody_asks_and_no_oftener_than_it_is_worth() -> None:
    around = Around(cost_s=3.0)
    meter = around.meter()
    first = meter.reading(BRIGHT, None)
    assert first is not None
    assert first.go
    around.now += 2.9
    assert meter.reading(DARK, None) is first, "as long as the last one took, there is rest"
    around.now += 0.2
    second = meter.reading(DARK, None)
    assert second is not None
    assert grade(second, Cause.DARK) is not Grade.FINE
    around.cost_s = 0.0
    around.now += 3.1
    third = meter.reading(BRIGHT, None)
    around.now += EVERY_S - 0.1
    assert meter.reading(BRIGHT, None) is third
    assert around.looks == 3


def test_nothing_is_measured_while_a_turn_is_ruled_on() -> None:
    around = Around()
    meter = around.meter()
    assert meter.reading(BRIGHT, None, busy=True) is None
    first = meter.reading(BRIGHT, None)
    around.now += 60
    assert meter.reading(DARK, None, busy=True) is first
    assert around.looks == 1


def test_who_asks_while_another_measures_is_told_what_was_known() -> None:
    around = Around()
    inner: list[Inspection | None] = []

    def look(image: Image) -> Observation:
        if not inner:
            around.now += 60
            inner.append(meter.reading(image, None))
        return around.look(image)

    meter = LightMeter(look, around.clock)
    assert meter.reading(BRIGHT, None) is not None
    assert (inner, around.looks) == ([None], 1)


def test_noise_and_flicker_are_seen_over_the_last_pictures_but_none_is_kept_for_nobody() -> None:
    around = Around()
    meter = around.meter()
    meter.note(DARK)
    alone = meter.judgement(BRIGHT, None)
    assert Cause.FLICKER not in {one.cause for one in alone.measurements}
    meter.reading(BRIGHT, None)
    for k in range(FRAMES):
        meter.note(np.asarray(BRIGHT * (1 - 0.1 * (k % 2)), np.uint8))
    assert grade(meter.judgement(BRIGHT, None), Cause.FLICKER) is not Grade.FINE
    around.now += WATCHED_S + 1
    meter.note(BRIGHT)
    assert Cause.FLICKER not in {one.cause for one in meter.judgement(BRIGHT, None).measurements}


def test_what_lies_outside_of_the_table_is_not_measured() -> None:
    around = Around()
    above = TableRegion.from_points([(0, 0), (959, 0), (959, 200), (0, 200)], WIDTH, 720)
    assert around.meter().judgement(BRIGHT, above).tiles < around.meter().judgement(BRIGHT, None).tiles


@pytest.mark.parametrize("cause", list(NAMES))
def test_a_bar_grows_with_what_is_better_and_its_thirds_are_the_grades(cause: Cause) -> None:
    limits = LIMITS[cause]
    far = 4 * max(limits.poor, 1.0 if np.isinf(limits.bad) else limits.bad)
    values = sorted({*np.linspace(0, far, 60).tolist(), limits.poor, *([] if np.isinf(limits.bad) else [limits.bad])})
    found = [Measurement(cause, value) for value in values]
    shares = [goodness(one) for one in found]
    assert shares == sorted(shares, reverse=limits.bad >= limits.poor)
    for one, share in zip(found, shares, strict=True):
        least, most = {Grade.BAD: (0, 1 / 3), Grade.POOR: (1 / 3, 2 / 3), Grade.FINE: (2 / 3, 1)}[one.grade]
        assert least - 1e-9 <= share <= most + 1e-9


def test_every_cause_has_a_name_and_a_table_without_tiles_asks_for_some() -> None:
    assert set(NAMES) == set(Cause) - {Cause.NO_TILES}
    told: Any = light_json(Inspection(640, 480, 0, (Measurement(Cause.DARK, 120), Measurement(Cause.SHADOWS, 30))))
    assert told["trouble"].startswith("Lay some tiles")
    assert told["grade"] == "bad"
    assert [one["cause"] for one in told["measures"]] == ["dark", "shadows"]
    assert len(told["sentences"]) == 1


# --- the gate -------------------------------------------------------------------------------------------------------


def gate_over(around: Around) -> Gatekeeper:
    return Gatekeeper(around.look, around.clock)


def test_a_good_picture_opens_after_some_frames() -> None:
    around = Around()
    gate = gate_over(around)
    for _ in range(GATE_FRAMES):
        assert gate.opens() is None
        gate.note(BRIGHT)
    assert gate.opens() is True
    assert around.looks == 1


def test_a_bad_picture_is_judged_again_after_a_while() -> None:
    around = Around()
    gate = gate_over(around)
    gate.note(DARK)
    assert gate.opens() is None, "a few frames more may come"
    around.now += GATE_PATIENCE_S
    assert gate.opens() is False
    for _ in range(GATE_FRAMES):
        gate.note(BRIGHT)
    assert gate.opens() is None
    around.now += AGAIN_S
    assert gate.opens() is True


def test_a_camera_that_gives_nothing_keeps_nobody_waiting() -> None:
    around = Around()
    gate = gate_over(around)
    assert gate.opens() is None
    around.now += GATE_PATIENCE_S
    assert gate.opens() is True
    assert gate_over(around).opens(ended=True) is True


def test_a_film_that_is_over_is_judged_by_what_it_showed() -> None:
    gate = gate_over(Around())
    gate.note(DARK)
    assert gate.opens(ended=True) is False


# --- at a table -----------------------------------------------------------------------------------------------------


@pytest.fixture
def eyes() -> TruthEyes:
    return TruthEyes()


@pytest.fixture
def hall(tmp_path: Path, eyes: TruthEyes) -> Iterator[Hall]:
    hall = phone_hall(tmp_path, eyes)
    yield hall
    assert hall.close()


@pytest.fixture
def phone(hall: Hall) -> Iterator[Phone]:
    with phone_at(hall) as phone:
        yield phone


def light(referee: Referee) -> Any:
    return referee.client.get("/api/v1/tables/one/light").json


def begin(referee: Referee, **told: object) -> Any:
    game = {"players": ["Ann", "Bob"], **told}
    return referee.client.post("/api/v1/tables/one/game", json=game, headers=referee.headers)


def names(hall: Hall) -> list[str]:
    view = hall.tables["one"].snapshot.view
    return [] if view is None else [seat.name for seat in view.seats]


def test_the_light_is_told_to_the_referee_once_there_is_a_picture(hall: Hall, referee: Referee) -> None:
    told = light(referee)
    assert (told["measures"], told["trouble"]) == ([], "The camera gives no picture yet.")
    with phone_at(hall):
        told = until(lambda: (found := light(referee))["measures"] and found)
    assert (told["grade"], told["sentences"], told["tiles"]) == ("fine", [], 11)
    assert {"small", "blurred", "dark", "steep"} <= {one["cause"] for one in told["measures"]}
    assert all(one["words"] == "fine" and one["text"] for one in told["measures"])


def test_nobody_who_looks_costs_no_look(hall: Hall, referee: Referee, phone: Phone, eyes: TruthEyes) -> None:
    until(lambda: sees(hall, phone.film.image))
    referee.news()
    assert eyes.looks == 0
    light(referee)
    assert eyes.looks == 1


def test_a_game_in_the_dark_begins_by_the_referees_word_alone(hall: Hall, referee: Referee, phone: Phone) -> None:
    phone.film.image = DARK
    until(lambda: sees(hall, DARK))
    running = hall.tables["one"]
    refused = begin(referee)
    assert (refused.status_code, refused.json["anyway"]) == (HTTPStatus.CONFLICT, True)
    assert "It is dark. Give the table more light." in refused.json["error"]
    assert hall.tables["one"] is running
    assert begin(referee, anyway=True).status_code == HTTPStatus.OK
    assert until(lambda: names(hall)) == ["Ann", "Bob"]


def test_a_game_in_good_light_begins(hall: Hall, referee: Referee, phone: Phone) -> None:
    until(lambda: sees(hall, phone.film.image))
    assert begin(referee).status_code == HTTPStatus.OK
    assert until(lambda: names(hall)) == ["Ann", "Bob"]


def test_a_game_of_the_command_line_waits_for_the_light_and_says_so(hall: Hall, referee: Referee, phone: Phone) -> None:
    phone.film.image = DARK
    open_table(hall, BookedTable("one", PHONE, "", "second"), ("Cy", "Dee"))
    until(lambda: hall.tables["one"].snapshot.trouble == NOT_GOOD)
    assert names(hall) == []
    page = referee.client.get("/tables/one/set-up").text
    assert 'value="Cy"' in page
    assert 'value="Dee"' in page
    phone.film.image = BRIGHT
    assert until(lambda: names(hall)) == ["Cy", "Dee"]
    assert not hall.tables["one"].snapshot.trouble
