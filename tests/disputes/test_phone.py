"""A disputed table on a phone: a real browser in a phone's size, fingers, and a keyboard."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import cv2
import pytest
from flask import Flask
from playwright.sync_api import APIResponse, Browser, Page, Route, expect

from tests.chromium import NEEDS_AXE, NEEDS_CHROMIUM, PATIENCE_MS, axe_finds, opened_page
from tests.conftest import REPOSITORY
from tests.web.fakes import TILE_HEIGHT, TILE_WIDTH
from web.wiring import product_wiring

Photo = Callable[[str], Path]
pytestmark = NEEDS_CHROMIUM


@pytest.fixture
def page(browser: Browser, site: str) -> Iterator[Page]:
    """A phone that has the page open; nothing goes wrong in it that nobody sees."""
    with opened_page(browser, site, 360, 740, has_touch=True, is_mobile=True) as page:
        page.goto("/dispute")
        yield page


def send(page: Page, photo: Path) -> None:
    page.set_input_files("#camera", photo)
    page.wait_for_url("**/dispute/*")


def verdict(page: Page, says: str) -> None:
    expect(page.locator("#verdict")).to_have_text(says, timeout=PATIENCE_MS)


def tile(page: Page, number: int) -> None:
    page.locator(f".correct-list [data-tile='{number}']").tap()
    expect(page.locator("dialog")).to_be_visible()


def tap_picture(page: Page, x: float, y: float) -> None:
    """Tap a place of the hand-made picture of 900 × 700 pixels."""
    overlay = page.locator(".correct-overlay")
    overlay.scroll_into_view_if_needed()
    box = overlay.bounding_box()
    assert box is not None
    overlay.tap(position={"x": x * box["width"] / 900, "y": y * box["height"] / 700})


def middle(row: int, place: float) -> tuple[float, float]:
    return 60 + place * (TILE_WIDTH + 2) + TILE_WIDTH / 2, 40 + row * (TILE_HEIGHT + 30) + TILE_HEIGHT / 2


def test_a_doubtful_tile_is_settled_by_two_taps_in_the_picture(page: Page, photo: Photo) -> None:
    send(page, photo("R5 R6/R9 R7"))
    verdict(page, "Cannot tell")
    tap_picture(page, *middle(0, 1))
    first = page.locator("dialog .choices button").nth(0)
    expect(first).to_have_attribute("aria-label", "red 6")
    expect(page.locator("dialog .choices button").nth(1)).to_have_attribute("aria-label", "red 9")
    first.tap()
    verdict(page, "Legal")
    expect(page.locator("#camera-said")).to_contain_text("Cannot tell by the camera alone. Corrections: 1.")
    page.get_by_role("button", name="Undo").tap()
    verdict(page, "Cannot tell")


def test_a_missed_tile_is_added_where_it_lies(page: Page, photo: Photo) -> None:
    send(page, photo("R5 R6"))
    verdict(page, "Illegal")
    page.get_by_role("button", name="Add a missed tile").tap()
    tap_picture(page, *middle(0, 2))
    page.get_by_role("dialog").get_by_role("button", name="red 7", exact=True).tap()
    verdict(page, "Legal")


def test_a_false_tile_goes_and_a_tile_moves_between_sets(page: Page, photo: Photo) -> None:
    send(page, photo("R5 R6 R7 K8 | B8 O8 | K1"))
    verdict(page, "Illegal")
    tile(page, 6)
    page.get_by_role("button", name="No tile lies here").tap()
    expect(page.locator(".correct-list [data-tile='6']")).to_have_count(0)
    tile(page, 3)
    page.get_by_role("button", name="Move to another set").tap()
    page.locator(".correct-list [data-tile='5']").tap()
    page.get_by_role("button", name="After orange 8").tap()
    verdict(page, "Legal")


def test_a_row_is_cut_into_two_sets(page: Page, photo: Photo) -> None:
    send(page, photo("R1 R2 R3 B5 K5 O5"))
    verdict(page, "Cannot tell")
    tile(page, 3)
    page.get_by_role("button", name="A new set begins here").tap()
    verdict(page, "Legal")
    expect(page.locator(".correct-list .set")).to_have_count(2)


def test_what_was_taken_for_a_rack_is_told_to_be_a_table(page: Page, rack: Photo) -> None:
    send(page, rack("R1 R2 R3 | B5 K5 O5"))
    verdict(page, "Cannot tell")
    page.get_by_role("button", name="This is a table").tap()
    verdict(page, "Legal")
    expect(page.get_by_role("button", name="This is a table")).to_have_count(0)


def test_the_ruling_is_by_the_rules_that_were_chosen_last(page: Page, photo: Photo) -> None:
    """An answer that comes late, by the rules chosen before, is not shown as if it were by these."""
    send(page, photo("R5 R6 R7"))
    verdict(page, "Legal")
    held: list[Route] = []
    late: list[APIResponse] = []

    def hold_the_first(route: Route) -> None:
        if held:
            route.continue_()
        else:
            held.append(route)  # before it is fetched: the second one may come meanwhile
            late.append(route.fetch())

    page.route("**/rules", hold_the_first)
    page.select_option("#rules", "german")
    with page.expect_response("**/rules"):
        page.select_option("#rules", "sabra")
    while not late:
        page.evaluate("0")  # lets the first one be fetched
    (route,), (answer,) = held, late
    told = answer.json()
    told["reading"]["verdict"] = "illegal"
    with page.expect_response("**/rules"):
        route.fulfill(response=answer, json=told)
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 50)))")
    verdict(page, "Legal")


def test_a_covered_tile_is_named(page: Page, photo: Photo) -> None:
    send(page, photo("R5 R6 R7 #"))
    verdict(page, "Cannot tell")
    page.get_by_role("button", name="Covered tile 1").tap()
    page.get_by_role("dialog").get_by_role("button", name="red 8", exact=True).tap()
    verdict(page, "Legal")


def test_everything_can_be_done_by_keyboard(page: Page, photo: Photo) -> None:
    send(page, photo("R5 R7/R9 | B1 B2 B3"))
    verdict(page, "Illegal")
    page.locator(".correct-list [data-tile='1']").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")  # the likeliest reading has the focus
    expect(page.locator(".correct-list [data-tile='1']")).to_be_focused()
    page.keyboard.press("Enter")
    page.get_by_role("button", name="A tile is missing before it").focus()
    page.keyboard.press("Enter")
    page.get_by_role("dialog").get_by_role("button", name="red 6", exact=True).focus()
    page.keyboard.press("Enter")
    verdict(page, "Legal")
    page.keyboard.press("Escape")
    expect(page.locator("dialog")).to_be_hidden()


def test_a_request_that_is_lost_ends_no_wait_for_a_photo(page: Page, photo: Photo) -> None:
    page.route("**/case.json", lambda route: route.abort())
    send(page, photo("R5 R6 R7"))
    expect(page.locator("#state")).to_have_text("The program does not answer: is the network still there?")
    page.unroute("**/case.json")
    verdict(page, "Legal")


def test_rules_that_nobody_hears_of_are_told_in_a_sentence(page: Page, photo: Photo) -> None:
    send(page, photo("R5 R6 R7"))
    verdict(page, "Legal")
    page.route("**/rules", lambda route: route.abort())
    page.select_option("#rules", "german")
    expect(page.locator("#state")).to_have_text("The program does not answer: is the network still there?")


def test_what_is_no_photo_is_told_on_the_spot_and_another_can_be_sent(page: Page, photo: Photo, tmp_path: Path) -> None:
    text = tmp_path / "notes.txt"
    text.write_text("It was legal.")
    page.set_input_files("#chosen", text)
    expect(page.locator("#trouble")).to_have_text(re.compile(r"^notes\.txt is damaged or no picture"))
    send(page, photo("R5 R6 R7"))
    verdict(page, "Legal")


def test_the_link_shows_others_the_ruling_and_no_way_to_change_it(page: Page, browser: Browser, photo: Photo) -> None:
    send(page, photo("R5 R6/R9 R7"))
    verdict(page, "Cannot tell")
    link = page.locator("#link").input_value()
    assert link == page.url
    with browser.new_context() as context:
        other = context.new_page()
        other.goto(link)
        verdict(other, "Cannot tell")
        expect(other.locator(".correct-list button, .correct-tools :text('Undo')")).to_have_count(0)
        other.get_by_role("button", name="Correct it in a copy of my own").click()
        other.wait_for_url(lambda url: url != link and "/dispute/" in url)
        other.locator(".correct-list [data-tile='1']").click()
        other.locator("dialog .choices button").nth(0).click()
        verdict(other, "Legal")
    page.reload()
    verdict(page, "Cannot tell")


def test_a_dispute_from_the_photo_to_the_shared_link(page: Page, browser: Browser, photo: Photo) -> None:
    """A misread tile makes a table illegal: the photo, the reason, two taps, the link, another phone."""
    send(page, photo("R5 R6 B7 | B1 K1 O1"))
    verdict(page, "Illegal")
    reason = page.locator("#reasons li").first
    expect(reason).to_contain_text("Set 1")
    expect(page.locator(".correct-overlay polygon.illegal")).to_have_count(3)
    expect(page.locator(".correct-overlay polygon.legal")).to_have_count(3)
    picture = page.get_by_role("link", name="The picture with the ruling")
    with page.expect_download() as download:
        picture.tap()
    drawn = cv2.imread(str(download.value.path()))
    assert drawn is not None
    assert drawn.shape[1] >= 900
    tap_picture(page, *middle(0, 2))
    page.locator("dialog .choices").get_by_role("button", name="red 7").tap()
    verdict(page, "Legal")
    expect(page.locator("#reasons li")).to_have_count(0)
    page.get_by_role("button", name="Share").tap()
    expect(page.locator("#shared")).not_to_be_empty()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    link = page.locator("#link").input_value()
    with browser.new_context(viewport={"width": 360, "height": 740}, has_touch=True, locale="en-GB") as context:
        other = context.new_page()
        other.goto(link)
        verdict(other, "Legal")
        expect(other.locator("#camera-said")).to_contain_text("Illegal by the camera alone. Corrections: 1.")
        expect(other.locator(".correct-overlay polygon.told")).to_have_count(1)
        assert other.locator(".correct-list button, [data-tool=add], [data-undo], form[action$=drop]").count() == 0


def test_nothing_is_wider_than_a_small_phone_and_all_buttons_are_large_enough(page: Page, photo: Photo) -> None:
    send(page, photo("R1 R2 R3 R4 R5 R6 R7 R8 R9 R10 R11 R12 R13 | R5 B5 K5 O5 | J K1 K2"))
    verdict(page, "Legal")
    tile(page, 0)
    page.get_by_text("Another tile").tap()
    wide = page.evaluate("[document.documentElement.scrollWidth, document.querySelector('dialog').scrollWidth]")
    assert max(wide) <= 360
    small = page.evaluate(
        "[...document.querySelectorAll('#dispute button, #dispute summary')].filter(one => one.offsetParent)"
        ".map(one => [one.textContent, one.getBoundingClientRect()])"
        ".filter(([, box]) => box.height < 44 || box.width < 44)"
        ".map(([text, box]) => `${text} ${box.width}x${box.height}`)"
    )
    assert small == []


@pytest.fixture
def seeing(app: Flask) -> None:
    """The real eyes in place of those made by hand."""
    app.extensions["hall"].wiring = product_wiring()


@pytest.mark.usefixtures("seeing")
def test_a_real_photo_is_ruled_on(page: Page) -> None:
    send(page, REPOSITORY / "sample_images" / "photos" / "02_illegal_gap.jpg")
    expect(page.locator("#verdict")).to_have_text("Illegal", timeout=180_000)
    expect(page.locator("#reasons")).to_contain_text("Gap in the run: 6 missing.")


@NEEDS_AXE
@pytest.mark.parametrize("look", ["light", "dark"])
def test_nothing_serious_keeps_anybody_from_disputing(page: Page, photo: Photo, look: str) -> None:
    page.emulate_media(color_scheme="dark" if look == "dark" else "light")
    assert axe_finds(page) == []
    send(page, photo("R5 R6/R9 R7 # | K1 K2 | B1 K1 O1 J | O13"))
    verdict(page, "Illegal")
    assert axe_finds(page) == []
    tile(page, 1)
    page.get_by_text("Another tile").tap()
    assert axe_finds(page) == []
