"""The end of a round and a game's history in a real browser."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from flask import Flask
from playwright.sync_api import Browser, Page, expect

from referee.observation import Scene
from tests.chromium import AXE, NEEDS_CHROMIUM, axe_finds
from tests.dashboard.conftest import HandTable, sign_in
from tests.web.fakes import FakeEyes, table
from tests.web.test_box_store import a_box
from vision.taught.box import TaughtBox
from web import box_store
from web.dashboard.hall import Hall
from web.dashboard.table_book import BookedTable, book
from web.live import acts

pytestmark = NEEDS_CHROMIUM
RACK = "R1 R2 R3 R4 R5 R6/R9 R7 | R8 B1 B2 B3 B4 B5 J"


def test_a_round_is_counted_from_a_photo_and_agreed_on_by_a_players_phone(
    page: Page, browser: Browser, served: str, app: Flask, hall: Hall, table_one: HandTable, tmp_path: Path
) -> None:
    eyes = hall.eyes()
    assert isinstance(eyes, FakeEyes)
    sign_in(page, "/tables/one/count")
    photo = eyes.photo(tmp_path / "rack.png", table(RACK, scene=Scene.RACK))
    page.set_input_files("[data-key='photo-1']", photo)
    take = page.get_by_role("button", name="This is the rack")
    expect(take).to_be_disabled()
    expect(page.locator("#ask .correct-list .tile")).to_have_count(14)
    assert not AXE.exists() or axe_finds(page) == []
    page.locator("#ask .correct-list [data-tile='5']").click()
    page.locator(".sheet .choices button").first.click()
    expect(take).to_be_enabled()
    take.click()
    expect(page.locator("#scores [data-seat='1'] [data-column='score']")).to_have_text("−81")
    expect(page.locator("#sum")).to_contain_text("The scores sum to zero.")
    assert not AXE.exists() or axe_finds(page) == []
    page.get_by_role("button", name="Count the round").click()
    running = hall.table("one")
    assert running is not None
    assert running.snapshot.view is not None
    token = app.extensions["access"].seat_token("one", running.snapshot.view.game, 1)
    with browser.new_context(base_url=served, viewport={"width": 360, "height": 740}) as context:
        bob = context.new_page()
        bob.goto(f"/tables/one/seat#{token}")
        bob.get_by_role("link", name="The end of the round").click()
        expect(bob.locator("#racks li")).to_have_count(1)
        bob.get_by_role("button", name="Bob agrees with the scores").click()
        expect(bob.locator(".agreed")).to_be_visible()
        assert bob.evaluate("document.documentElement.scrollWidth") <= 360
        expect(bob.get_by_role("button", name="Next round")).to_have_count(0)
    expect(page.locator("[data-seat='1'] .agreed")).to_be_visible()
    page.get_by_role("button", name="Next round").click()
    _second_round_begins(page)
    assert table_one is not None


def _second_round_begins(page: Page) -> None:
    """The desk asks what people alone can tell: the tiles drawn for the start, again where they are alike; the deal."""
    for ann, bob in (("R9", "B9"), ("R9", "B12")):
        page.get_by_role("button", name="Tiles were drawn for the start").click()
        expect(page.get_by_label("Ann")).to_have_value("")
        page.get_by_label("Ann").fill(ann)
        page.get_by_label("Bob").fill(bob)
        page.get_by_role("button", name="These were drawn").click()
        expect(page.locator("#ask")).to_be_hidden()
        expect(page.locator("#log")).to_contain_text("Ann and Bob must draw again." if bob == "B9" else "Bob starts.")
    page.get_by_role("button", name="The tiles are dealt").click()
    expect(page.locator("#who")).to_have_text("Bob")
    expect(page.locator("#stage")).to_contain_text("round 2")
    expect(page.get_by_role("button", name="End turn")).to_be_enabled()


def test_the_referee_says_who_starts(page: Page, hall: Hall) -> None:
    hand = HandTable(start=False)
    hall.open("one", hand, "a test")
    assert hand.ready.wait(30)
    hand.do(lambda bench: bench.do(acts.StartGame(("Ann", "Bob"))))
    sign_in(page, "/tables/one/desk")
    page.get_by_role("button", name="Say who starts").click()
    page.get_by_label("Player", exact=True).select_option(label="Bob")
    page.get_by_role("button", name="This player starts").click()
    expect(page.get_by_role("button", name="The tiles are dealt")).to_be_visible()
    page.keyboard.press("n")
    expect(page.locator("#who")).to_have_text("Bob")


@pytest.fixture
def table_one(table_of_two: HandTable) -> HandTable:
    """Ann has laid her last tile."""
    table_of_two.turn("R9 R10 R11 R12 R13 | B10 K10 O10 | K1 K2 K3 | O4 O5 O6")
    return table_of_two


@pytest.fixture
def table_of_two(hall: Hall) -> HandTable:
    hand = HandTable()
    hall.open("one", hand, "a test")
    assert hand.ready.wait(30)
    return hand


def test_a_photo_of_a_rack_is_read_as_the_tiles_of_the_tables_box(
    page: Page, hall: Hall, table_one: HandTable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded: list[str] = []
    eyes = hall.eyes()
    assert isinstance(eyes, FakeEyes)

    def knowing(box: TaughtBox) -> FakeEyes:
        loaded.append(box.name)
        return eyes

    hall.wiring = replace(hall.wiring, load_eyes_for=knowing)
    monkeypatch.setenv("TILEREF_HOME", str(tmp_path / "home"))
    box_store.save(a_box("club"), replacing=False)
    book(hall.home, BookedTable("one", "0", "", "game", "club"))
    sign_in(page, "/tables/one/count")
    page.set_input_files("[data-key='photo-1']", eyes.photo(tmp_path / "rack.png", table(RACK, scene=Scene.RACK)))
    expect(page.locator("#ask .correct-list .tile")).to_have_count(14)
    assert loaded == ["club"]
    assert table_one is not None


def test_a_game_is_stepped_through_by_arrow_keys_and_ruled_again(page: Page, friday: str) -> None:
    sign_in(page, "/history")
    page.get_by_role("link", name=friday).click()
    expect(page.locator("#turn h2")).to_have_text("Turn 1: Ann")
    expect(page.locator("#turn img").first).to_be_visible()
    for _ in range(4):
        page.keyboard.press("ArrowRight")
    expect(page.locator("#turn h2")).to_have_text("Turn 5: Ann")
    expect(page.locator("#turn .verdict").first).to_have_text("Illegal")
    assert not AXE.exists() or axe_finds(page) == []
    page.set_viewport_size({"width": 360, "height": 740})
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    page.keyboard.press("ArrowRight")
    expect(page.locator("#turn")).to_contain_text("The referee ruled:")
    page.keyboard.press("Home")
    expect(page.locator("#turn h2")).to_have_text("Turn 1: Ann")
    page.select_option("#rules", "german")
    expect(page.locator("#again")).to_have_text("Turns ruled otherwise: 0 of 5.")
    expect(page.locator("#turn")).to_contain_text("By german:")
    with page.expect_download() as download:
        page.get_by_role("link", name="Export the evidence").click()
    assert download.value.suggested_filename.endswith(".zip")


def test_a_form_of_our_own_is_taken(page: Page) -> None:
    """Browsers tell where a form comes from only as far as the referrer policy lets them."""
    page.goto("/")
    page.select_option("#language", "pl")
    expect(page.locator("html")).to_have_attribute("lang", "pl")
