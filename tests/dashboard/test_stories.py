"""Whole stories in a real browser, each from the first page to the last: what the club sees of an evening."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from flask import Flask
from playwright.sync_api import Browser, Page, expect

from referee.preset_files import load_ruleset
from referee.protocol import Stage
from referee.switches import TimerStartedBy
from tests.chromium import NEEDS_CHROMIUM, PATIENCE_MS, opened_page
from tests.dashboard.conftest import PATIENCE_S, PIN, SHORT_ROUND, SHORT_SEED, HandTable, sign_in
from tests.dashboard.desk_page import MISREAD, OPENING, Desk, laid
from tests.web.live_table import changed
from web.dashboard.access import Access
from web.dashboard.demo import demo
from web.dashboard.hall import Hall
from web.live import acts
from web.wiring import product_wiring

pytestmark = NEEDS_CHROMIUM
GAME_MS = 420_000
"""A short game before the real eyes, on a machine that has other work."""
MOST_TABS = 40
SIGN_IN = re.compile(r"/sign-in\?next=")


# --- a simulated game to its score sheet ------------------------------------------------------------------------------


@pytest.fixture
def simulated(hall: Hall) -> Hall:
    """The demonstration with most tiles dealt, so that its round is over after a few turns: the real eyes look on."""
    hall.wiring = product_wiring()
    hall.ruleset = SHORT_ROUND
    hall.open("demo", demo(hall, SHORT_SEED, pace=1000.0, seats=4, size_wh=(1280, 720)), "a simulated table")
    return hall


def test_a_simulated_game_is_watched_to_its_score_sheet(simulated: Hall, page: Page, browser: Browser) -> None:
    page.goto("/")
    expect(page.get_by_role("heading", name="Table demo")).to_be_visible()
    page.get_by_role("link", name="Watch the game").click()
    verdict = page.locator("#ruling .verdict")
    expect(verdict).to_have_text(re.compile("^(legal|illegal)$"), timeout=GAME_MS)
    expect(page.locator("#laid .tile").first).to_be_visible(timeout=GAME_MS)
    with browser.new_context(base_url=page.url.partition("/tables")[0], locale="en-GB") as context:
        referee = context.new_page()
        referee.set_default_timeout(PATIENCE_MS)
        sign_in(referee, "/tables/demo/desk")
        expect(referee.locator("#log li").first).to_be_visible()
        expect(referee.locator("#desk")).to_have_attribute("data-stage", Stage.BETWEEN.value, timeout=GAME_MS)
        referee.get_by_role("link", name="End of the round").click()
        expect(referee.locator("#sum")).to_have_text("The scores sum to zero.")
        scores = referee.locator("#scores tbody tr")
        expect(scores).to_have_count(4)
        shown = [int(text.replace("−", "-")) for text in scores.locator("[data-column=score]").all_inner_texts()]
        expect(referee.locator("#scores .won")).to_have_count(1)
        referee.get_by_role("link", name="The referee's desk").click()
        referee.get_by_role("link", name="History").click()
        referee.get_by_role("link", name=re.compile("^demo-4-")).click()
        expect(referee.locator("#turn img").first).to_be_visible()
    state = simulated.tables["demo"].snapshot.state
    assert state is not None
    assert sorted(shown) == sorted(state.rounds[-1].points)
    assert sum(shown) == 0
    assert not simulated.tables["demo"].snapshot.trouble


# --- at the desk ------------------------------------------------------------------------------------------------------


@pytest.fixture
def touched(browser: Browser, served: str, table: HandTable) -> Iterator[Desk]:
    """The desk on a phone: fingers, and little room."""
    with opened_page(browser, served, 360, 740, has_touch=True, is_mobile=True) as page:
        sign_in(page, "/tables/one/desk")
        yield Desk(page, table)


def test_a_doubtful_tile_is_corrected_by_two_taps_on_a_phone(touched: Desk) -> None:
    touched.table.turn("K13 O13 R13/R12 | R9 R10 R11")
    touched.stage(Stage.CALLED)
    expect(touched.page.locator(".correct-overlay polygon.doubtful")).to_have_count(1)
    touched.page.locator(".correct-overlay").tap(position=touched.place(0, 2))
    touched.page.locator(".sheet .choices").get_by_role("button", name="red 13").tap()
    touched.says("legal")
    expect(touched.page.locator("#who")).to_have_text("Bob")
    expect(touched.page.locator("#questions")).to_be_hidden()
    assert touched.page.evaluate("document.documentElement.scrollWidth") <= 360


def test_tiles_are_added_removed_and_moved_before_the_turn_is_called(desk: Desk) -> None:
    """The eyes missed a ten, took something for a tile, and saw another lie alone."""
    laid(desk.table, "R9 R10 R11 R12 | B10 K10 | R13 | K3")
    expect(desk.page.locator(".correct-list .tile")).to_have_count(8)
    desk.tile("red 13").click()
    desk.button("Move to another set").click()
    desk.tile("red 12").click()
    desk.button("After red 12").click()
    expect(desk.page.locator(".correct-list .set").first.locator(".tile")).to_have_count(5)
    desk.tile("black 3").click()
    desk.button("No tile lies here").click()
    expect(desk.tile("black 3")).to_have_count(0)
    desk.button("Add a missed tile").click()
    desk.page.locator(".correct-overlay").click(position=desk.place(1, 2))
    desk.page.get_by_role("dialog").get_by_role("button", name="orange 10", exact=True).click()
    expect(desk.tile("orange 10")).to_have_count(1)
    desk.page.reload()
    expect(desk.page.locator(".correct-list .tile")).to_have_count(8)
    desk.page.keyboard.press("e")
    desk.stage(Stage.CALLED)
    desk.table.do(lambda bench: bench.frame())
    desk.says("legal")
    expect(desk.page.locator("#seats tr").first).to_contain_text("6")


def test_an_illegal_table_is_put_back_then_and_now_side_by_side(desk: Desk) -> None:
    desk.table.turn(OPENING)
    desk.table.turn(f"{OPENING} | K5 R5 B6")
    desk.says("illegal")
    desk.page.get_by_role("button", name="The ruling stands").click()
    desk.stage(Stage.RESTORE)
    desk.table.do(lambda bench: bench.frame())
    expect(desk.page.locator("#steps li")).to_have_count(3)
    then, now = (desk.page.locator(f"#{one}") for one in ("then", "nowadays"))
    for picture in (then, now):
        expect(picture.locator("img")).to_have_js_property("complete", value=True)
        assert picture.locator("img").evaluate("(image) => image.naturalWidth") == 900
    left, right = then.bounding_box(), now.bounding_box()
    assert left is not None
    assert right is not None
    assert left["x"] + left["width"] <= right["x"] + 1
    assert abs(left["y"] - right["y"]) < 2
    ticks = desk.page.locator("#steps [data-done=true]")
    for lying, done in ((f"{OPENING} | K5 R5", 1), (f"{OPENING} | K5", 2)):
        laid(desk.table, lying)
        expect(ticks).to_have_count(done)
        expect(now.locator("polygon")).to_have_count(3 - done)
    laid(desk.table, OPENING)
    expect(desk.page.locator("#restore")).to_be_hidden()
    desk.stage(Stage.PLAY)
    expect(desk.page.locator("#who")).to_have_text("Ann")
    expect(desk.page.locator("#seats [data-turn=true]")).to_contain_text("Ann")


# --- by the keyboard alone --------------------------------------------------------------------------------------------


def seen_focus(page: Page) -> str:
    """What has the focus, by its name; it must be drawn around, and in sight."""
    told = page.evaluate(
        """() => { const one = document.activeElement, look = getComputedStyle(one), box = one.getBoundingClientRect();
          return { name: (one.getAttribute("aria-label") ?? one.labels?.[0]?.textContent ?? one.textContent).trim(),
            lost: one === document.body, drawn: look.outlineStyle !== "none" && parseFloat(look.outlineWidth) >= 2,
            room: box.width > 0 && box.height > 0 && box.bottom > 0 && box.top < innerHeight }; }"""
    )
    assert (told["lost"], told["drawn"], told["room"]) == (False, True, True), told
    return " ".join(told["name"].split())


def tab_to(page: Page, name: str, key: str = "Tab") -> None:
    """Press Tab until something of this name has the focus."""
    passed = []
    for _ in range(MOST_TABS):
        page.keyboard.press(key)
        passed.append(seen_focus(page))
        if passed[-1].startswith(name):
            return
    raise AssertionError(f"{name} is not reached: {passed}")


def test_an_evening_by_the_keyboard_alone(page: Page, table: HandTable, friday: str) -> None:
    """From the start page to the history: no pointer, and the focus is always somewhere and seen."""
    desk = Desk(page, table)
    signed_in_by_keys(page)
    a_tile_is_corrected_by_keys(desk)
    a_penalty_is_given_by_keys(desk)
    a_turn_is_taken_back_by_keys(desk)
    tab_to(page, "History", "Shift+Tab")
    page.keyboard.press("Enter")
    page.wait_for_url("**/history")
    tab_to(page, friday)
    page.keyboard.press("Enter")
    expect(page.locator("#turn h2")).to_have_text("Turn 1: Ann")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#turn h2")).not_to_have_text("Turn 1: Ann")


def signed_in_by_keys(page: Page) -> None:
    page.goto("/")
    tab_to(page, "The referee's desk")
    page.keyboard.press("Enter")
    page.wait_for_url(SIGN_IN)
    expect(page.locator("#pin")).to_be_focused()
    page.keyboard.type(PIN)
    page.keyboard.press("Enter")
    expect(page.locator("#who")).to_have_text("Ann")


def a_tile_is_corrected_by_keys(desk: Desk) -> None:
    page, table = desk.page, desk.table
    laid(table, MISREAD)
    expect(page.locator(".correct-list .tile")).to_have_count(5)
    tab_to(page, "End turn")
    page.keyboard.press("Enter")
    desk.stage(Stage.CALLED)
    assert seen_focus(page).startswith("End turn"), "what was pressed keeps the focus"
    table.do(lambda bench: bench.frame())
    desk.says("illegal")
    page.keyboard.press("m")
    assert seen_focus(page) == "red 9"
    tab_to(page, "blue 11")
    page.keyboard.press("Enter")
    expect(page.locator("dialog[open]")).to_have_count(1)
    if seen_focus(page) != "red 11":
        tab_to(page, "red 11")
    page.keyboard.press("Enter")
    desk.says("legal")
    expect(page.locator("#who")).to_have_text("Bob")
    assert seen_focus(page).startswith("red 11")


def a_penalty_is_given_by_keys(desk: Desk) -> None:
    page = desk.page
    page.keyboard.press("f")
    expect(page.locator("#ask-seat")).to_be_focused()
    tab_to(page, "Points to lose")
    page.keyboard.type("10")
    tab_to(page, "Reason")
    page.keyboard.type("talked")
    page.keyboard.press("Enter")
    expect(page.locator("#log li").first).to_contain_text("Penalty for Bob: 0 tiles, 10 points.")
    assert seen_focus(page).startswith("red 11")


def a_turn_is_taken_back_by_keys(desk: Desk) -> None:
    page = desk.page
    page.keyboard.press("u")
    expect(page.locator("dialog[open]")).to_have_count(1)
    desk.close()
    expect(page.locator("#who")).to_have_text("Bob")
    page.keyboard.press("u")
    expect(page.get_by_role("button", name="Take it back")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#who")).to_have_text("Ann")
    assert seen_focus(page)


def test_a_tool_keeps_the_focus_while_the_table_is_read_again(desk: Desk) -> None:
    laid(desk.table, OPENING)
    expect(desk.page.locator(".correct-list .tile")).to_have_count(5)
    desk.button("Add a missed tile").focus()
    laid(desk.table, f"{OPENING} | K3")
    expect(desk.page.locator(".correct-list .tile")).to_have_count(6)
    expect(desk.button("Add a missed tile")).to_be_focused()
    desk.tile("black 3").focus()
    laid(desk.table, OPENING)
    expect(desk.page.locator(".correct-list .tile")).to_have_count(5)
    expect(desk.page.locator(".correct-list")).to_be_focused()


def test_the_focus_comes_back_from_a_question_though_the_table_was_read_again(desk: Desk) -> None:
    laid(desk.table, OPENING)
    desk.tile("red 9").focus()
    desk.page.keyboard.press("f")
    expect(desk.page.locator("#ask-seat")).to_be_focused()
    laid(desk.table, f"{OPENING} | K3")
    expect(desk.page.locator(".correct-list .tile")).to_have_count(6)
    desk.close()
    expect(desk.tile("red 9")).to_be_focused()


def test_what_is_asked_again_at_once_is_not_taken_for_left(desk: Desk) -> None:
    """A browser tells that a dialog was closed only when the same dialog asks anew."""
    desk.table.turn(OPENING)
    expect(desk.page.locator("#who")).to_have_text("Bob")
    desk.page.keyboard.press("u")
    desk.page.evaluate(
        """() => { document.getElementById("ask").close();
          document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "u", bubbles: true })); }"""
    )
    expect(desk.page.get_by_role("button", name="Take it back")).to_be_focused()
    desk.page.keyboard.press("Enter")
    expect(desk.page.locator("#who")).to_have_text("Ann")


# --- lookers-on -------------------------------------------------------------------------------------------------------

FOR_REFEREE = ("desk", "set-up", "count")
CONTROLS = "main button:visible, main input:visible, main select:visible, main form:visible"


def test_spectators_find_nothing_to_press_and_no_racks(page: Page, table: HandTable) -> None:
    table.turn(OPENING)
    for path in ("screen", "screen?overlay=1", "seat"):
        page.goto(f"/tables/one/{path}")
        expect(page.locator("#who, #seat-state")).not_to_have_text("…")
        assert page.locator(CONTROLS).count() == 0, path
    for path in FOR_REFEREE:
        page.goto(f"/tables/one/{path}")
        page.wait_for_url(SIGN_IN)
    page.goto("/history")
    page.wait_for_url(SIGN_IN)
    page.goto("/tables/one/codes")
    expect(page.locator("main")).to_contain_text("Only the referee may do this")
    page.goto("/tables/one/camera")
    assert page.get_by_role("button", name="Begin").count() == 0


def test_a_player_starts_the_clock_on_his_phone_where_the_rules_name_him(page: Page, hall: Hall, app: Flask) -> None:
    hand = HandTable(ruleset=changed(load_ruleset(), timer_started_by=TimerStartedBy.NEXT_PLAYER))
    hall.open("one", hand, "a test")
    assert hand.ready.wait(PATIENCE_S)
    view = hall.tables["one"].snapshot.view
    assert view is not None
    access: Access = app.extensions["access"]
    page.goto(f"/tables/one/seat#{access.seat_token('one', view.game, 1)}")
    page.get_by_role("button", name="Start the clock").click()
    expect(page.get_by_role("button", name="Start the clock")).to_be_hidden()
    assert hand.do(lambda bench: bench.wait(0.1)) == ()
    view = hall.tables["one"].snapshot.view
    assert view is not None
    assert view.stage is Stage.PLAY


def test_a_players_phone_offers_what_is_his_alone(page: Page, table: HandTable, app: Flask, hall: Hall) -> None:
    access: Access = app.extensions["access"]
    view = hall.tables["one"].snapshot.view
    assert view is not None
    page.set_viewport_size({"width": 360, "height": 740})
    page.goto(f"/tables/one/seat#{access.seat_token('one', view.game, 1)}")
    expect(page.locator("#seat-state")).to_contain_text("Bob")
    expect(page.locator("#seat-now")).to_have_text("Ann is on turn.")
    assert page.locator(CONTROLS).count() == 0, "it is Ann's turn"
    table.turn(OPENING)
    expect(page.get_by_role("button", name="End my turn")).to_be_visible()
    expect(page.locator("#seat-now")).to_have_text("It is your turn.")
    expect(page.locator("#seat-ruling .verdict")).to_have_text("legal")
    assert page.locator(CONTROLS).count() == 1
    table.do(lambda bench: bench.do(acts.Undo()))
    expect(page.locator("#seat-ruling")).to_have_text("Nothing was ruled on yet.")
    table.turn(OPENING)
    expect(page.locator("#seat-ruling .verdict")).to_have_text("legal")
    page.get_by_role("button", name="End my turn").click()
    table.do(lambda bench: bench.frame())
    expect(page.get_by_role("button", name="End my turn")).to_be_hidden()
    table.do(lambda bench: bench.do(acts.ConfirmWin(0)))
    page.get_by_role("link", name="The end of the round").click()
    expect(page.locator("#racks li")).to_have_count(1)
    expect(page.locator("#racks")).to_contain_text("Bob")


def test_when_another_game_begins_a_phone_asks_for_its_new_code_and_the_screen_forgets_the_old_ruling(
    page: Page, table: HandTable, app: Flask, hall: Hall
) -> None:
    """Else a player would be told of a seat that may be another's, and a ruling under a name that it was not for."""
    view = hall.tables["one"].snapshot.view
    assert view is not None
    table.turn(OPENING)
    screen = page.context.new_page()
    screen.goto("/tables/one/screen")
    expect(screen.locator("#ruling")).to_contain_text("Ann")
    page.goto(f"/tables/one/seat#{app.extensions['access'].seat_token('one', view.game, 1)}")
    expect(page.get_by_role("button", name="End my turn")).to_be_visible()
    hand = HandTable(("Cy", "Dee"), game="another")
    hall.open("one", hand, "a test")
    assert hand.ready.wait(PATIENCE_S)
    expect(screen.locator("#scores")).to_contain_text("Dee")
    expect(screen.locator("#ruling")).to_contain_text("Nothing was ruled on yet")
    expect(page.locator("#seat-state")).to_contain_text("Scan the code of your seat")
    assert page.locator(CONTROLS).count() == 0
