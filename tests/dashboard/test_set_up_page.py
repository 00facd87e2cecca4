"""The set-up page in a real browser, over a phone that sees a rendered table; what pages show before a game."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import replace
from http import HTTPStatus
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from tests.chromium import NEEDS_AXE, NEEDS_CHROMIUM, OVERFULL, axe_finds
from tests.dashboard.conftest import PATIENCE_S, HandTable, Referee, sign_in
from tests.dashboard.phone_table import WIDTH, Phone, TruthEyes, phone_at, phone_hall, sees, until
from tests.dashboard.test_light import DARK, begin, names
from tests.web.test_box_store import a_box
from vision.taught.box import Faces
from web import box_store
from web.dashboard.hall import Hall
from web.dashboard.table_book import BookedTable, book, booked
from web.wiring import Eyes, EyesError


@pytest.fixture
def hall(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hall]:
    monkeypatch.setenv("TILEREF_HOME", str(tmp_path))
    hall = phone_hall(tmp_path)
    yield hall
    assert hall.close()


@pytest.fixture
def phone(hall: Hall) -> Iterator[Phone]:
    with phone_at(hall) as phone:
        until(lambda: hall.tables["one"].snapshot.frame is not None)
        yield phone


@pytest.fixture
def page(page: Page) -> Iterator[Page]:
    """The referee's browser, whose console stays empty."""
    wrong: list[str] = []
    page.on("console", lambda said: wrong.append(said.text) if said.type == "error" else None)
    sign_in(page, "/")
    yield page
    page.close()
    assert [one for one in wrong if "409" not in one] == [], "a refusal is what some tests ask for"


def corners(hall: Hall) -> list[list[float]]:
    """Where the table lies by now, in parts of the picture."""
    camera = hall.tables["one"].camera
    assert camera is not None
    region = camera.region
    return [] if region is None else (region.corners / np.array([region.width, region.height])).tolist()


@NEEDS_CHROMIUM
@NEEDS_AXE
@pytest.mark.usefixtures("phone")
@pytest.mark.parametrize("width", [360, 1280])
def test_four_taps_are_the_table(page: Page, hall: Hall, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.goto("/tables/one/set-up")
    expect(page.locator("#region-state")).to_have_text("The whole picture counts as the table.")
    expect(page.locator("#light-state")).to_have_text("The picture is good enough to rule on.")
    expect(page.locator("#light meter").first).to_be_visible()
    frame = page.locator("#region-frame")
    box = frame.bounding_box()
    assert box is not None
    wanted = [(0.8, 0.75), (0.2, 0.25), (0.8, 0.25), (0.2, 0.75)]
    for x, y in wanted:
        frame.click(position={"x": x * box["width"], "y": y * box["height"]})
    page.get_by_role("button", name="Use this").click()
    expect(page.locator("#region-state")).to_have_text("The table lies between the four corners.")
    expect(page.locator("#region-flat img")).to_be_visible()
    found = corners(hall)
    assert np.abs(np.array(found) - [(0.2, 0.25), (0.8, 0.25), (0.8, 0.75), (0.2, 0.75)]).max() < 0.02
    flat = page.locator("#region-flat img")
    page.wait_for_function("() => document.querySelector('#region-flat img').naturalWidth > 0")
    assert abs(flat.evaluate("(image) => image.naturalWidth") - 0.6 * WIDTH) < 20
    assert axe_finds(page) == []
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    page.locator("#light .grade").first.evaluate("(grade) => { grade.textContent = 'посередньо'; }")
    assert page.evaluate(OVERFULL) == [], "a grade is a longer word in other languages"
    page.get_by_role("button", name="The whole picture").click()
    expect(page.locator("#region-flat")).to_be_hidden()
    assert corners(hall) == []


@NEEDS_CHROMIUM
@pytest.mark.usefixtures("phone")
def test_the_keyboard_alone_sets_the_place_and_a_drag_moves_it(page: Page, hall: Hall) -> None:
    page.goto("/tables/one/set-up")
    corner = page.get_by_role("button", name=re.compile("^Corner 1:"))
    expect(corner).to_have_attribute("aria-label", "Corner 1: 6 % across, 6 % down")
    use = page.get_by_role("button", name="Use this")
    expect(use).to_be_disabled()
    corner.focus()
    for _ in range(5):
        page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("ArrowDown")
    use.focus()
    page.keyboard.press("Enter")
    until(lambda: corners(hall))
    assert np.abs(np.array(corners(hall)[0]) - (0.06 + 5 * 0.032, 0.064)).max() < 0.01
    expect(use).to_be_disabled()
    corner = page.locator("[data-corner='2']")
    corner.hover()
    page.mouse.down()
    frame = page.locator("#region-frame").bounding_box()
    assert frame is not None
    page.mouse.move(frame["x"] + 0.7 * frame["width"], frame["y"] + 0.6 * frame["height"], steps=4)
    page.mouse.up()
    use.click()
    until(lambda: abs(corners(hall)[2][0] - 0.7) < 0.01)
    assert abs(corners(hall)[2][1] - 0.6) < 0.01


@NEEDS_CHROMIUM
@pytest.mark.usefixtures("phone")
def test_what_cannot_be_found_is_said(page: Page) -> None:
    page.goto("/tables/one/set-up")
    page.get_by_role("button", name="Find it by the printed markers").click()
    expect(page.locator("#region-trouble")).to_have_text("None of the four markers is seen.")


@NEEDS_CHROMIUM
@NEEDS_AXE
def test_a_dark_table_is_told_and_the_game_begins_all_the_same(page: Page, hall: Hall, phone: Phone) -> None:
    phone.film.image = DARK
    until(lambda: sees(hall, DARK))
    page.goto("/tables/one/desk")
    expect(page.locator("#no-game")).to_contain_text("It is dark. Give the table more light.")
    page.get_by_role("link", name="Set the table up").click()
    expect(page.locator("#light-state")).to_have_text("The picture is not good enough to rule on.")
    expect(page.locator("#light [data-grade=bad] .grade").first).to_have_text("bad")
    assert axe_finds(page) == []
    for k, name in enumerate(("Ann", "Bob"), 1):
        page.get_by_label(f"Player {k}").fill(name)
    page.get_by_role("button", name="Move seat 2 up").click()
    page.get_by_role("button", name="Begin the game").click()
    expect(page.locator("#set-up-trouble")).to_contain_text("It is dark.")
    page.get_by_role("button", name="Begin all the same").click()
    page.wait_for_url("**/desk")
    until(lambda: names(hall))
    assert names(hall) == ["Bob", "Ann"]
    expect(page.locator("#no-game")).to_be_hidden()
    page.goto("/tables/one/set-up")
    assert page.evaluate("() => localStorage.getItem('tileref-players')") == '["Bob","Ann"]'


@NEEDS_CHROMIUM
def test_pages_before_and_without_a_game_ask_for_nothing_that_is_not_there(page: Page, hall: Hall) -> None:
    """The console of the browser stays empty: ``page`` looks at it."""
    hand = HandTable()
    hall.open("hand", hand, "a test")
    assert hand.ready.wait(PATIENCE_S)
    page.goto("/tables/hand/desk")
    expect(page.locator("#who")).to_have_text("Ann")
    page.keyboard.press("r")
    hand.turn("R9 R10 R11 R12")
    hand.do(lambda bench: bench.frame(after_s=0.5))
    expect(page.locator("#correct img")).to_be_visible()
    header = page.locator("header.site").bounding_box()
    assert header is not None
    assert header["height"] < 70, "at 1280 pixels all links stand in one line"
    page.goto("/tables/hand/set-up")
    expect(page.locator(".lead")).to_contain_text("there is nothing to set up")
    page.goto("/")
    page.get_by_text("Show it as a code for phones").first.click()
    expect(page.locator("img[src$='/screen.svg']").first).to_be_visible()


# --- what the page is made of ---------------------------------------------------------------------------------------


def test_presets_differ_in_words_not_in_keys(referee: Referee) -> None:
    text = referee.client.get("/tables/one/set-up").text
    assert "Seconds for a turn; of a chess clock, the reserve: <strong>120</strong>" in text
    assert "(default: the rack or the table)" in text
    assert not re.search(r">[^<]*\b[a-z]+_[a-z_]+\b[^<]*<", text[text.index("differences") :]), "no keys are shown"


def test_the_view_says_whether_there_is_a_former_table(hall: Hall, referee: Referee) -> None:
    hand = HandTable()
    hall.open("hand", hand, "a test")
    assert hand.ready.wait(PATIENCE_S)
    assert referee.news(table="hand")["view"]["former"] is False
    hand.turn("R9 R10 R11 R12")
    assert referee.news(table="hand")["view"]["former"] is True
    former = referee.client.get("/api/v1/tables/hand/former.jpg")
    assert former.status_code == HTTPStatus.OK


# --- boxes ----------------------------------------------------------------------------------------------------------


def taught(hall: Hall) -> list[str]:
    """The boxes whose eyes were loaded, from now on."""
    loaded: list[str] = []

    def load(one: object) -> Eyes:
        loaded.append(getattr(one, "name", ""))
        return TruthEyes()

    hall.wiring = replace(hall.wiring, load_eyes_for=load)
    return loaded


def test_a_taught_box_is_chosen_for_a_table_and_kept(hall: Hall, referee: Referee) -> None:
    box_store.save(a_box("club"), replacing=False)
    loaded = taught(hall)
    assert '<option value="club">' in referee.client.get("/tables/one/set-up").text
    assert begin(referee, box="club").status_code == HTTPStatus.OK
    until(lambda: names(hall))
    assert (loaded, booked(hall.home)["one"].box) == (["club"], "club")
    assert '<option value="club" selected>' in referee.client.get("/tables/one/set-up").text
    hall.wall = lambda: 2e9
    assert begin(referee).status_code == HTTPStatus.OK
    assert booked(hall.home)["one"].box == "club", "it stays where nobody names another"
    hall.wall = lambda: 3e9
    assert begin(referee, box="").status_code == HTTPStatus.OK
    assert booked(hall.home)["one"].box == ""


def test_a_box_that_is_not_there_or_holds_cards_begins_no_game(hall: Hall, referee: Referee) -> None:
    running = hall.tables["one"]
    gone = begin(referee, box="gone")
    assert (gone.status_code, "No box is called gone" in gone.json["error"]) == (HTTPStatus.CONFLICT, True)
    box_store.save(replace(a_box("deck"), faces=Faces.CARDS), replacing=False)
    cards = begin(referee, box="deck")
    assert (cards.status_code, "Playing cards" in cards.json["error"]) == (HTTPStatus.CONFLICT, True)
    for told in (5, ["club"], "x" * 65):
        assert begin(referee, box=told).status_code == HTTPStatus.BAD_REQUEST
    assert hall.tables["one"] is running


def test_eyes_are_loaded_once_for_a_box_and_anew_when_it_was_taught_anew(hall: Hall) -> None:
    file = box_store.save(a_box("club"), replacing=False)
    loaded = taught(hall)
    first = hall.eyes_for_box("club")
    assert hall.eyes_for_box("club") is first
    os.utime(file, (1, 1))
    assert hall.eyes_for_box("club") is not first
    assert loaded == ["club", "club"]
    with pytest.raises(EyesError, match="No box is called other"):
        hall.eyes_for_box("other")


def test_a_book_of_before_boxes_is_read(hall: Hall) -> None:
    file = hall.home / "dashboard" / "tables.json"
    file.write_text('[{"name": "one", "source": "0", "rules": "", "game": "g"}]', encoding="utf-8")
    assert booked(hall.home) == {"one": BookedTable("one", "0", "", "g")}
    book(hall.home, BookedTable("one", "0", "", "g", "club"))
    assert booked(hall.home)["one"].box == "club"
