"""The referee's desk and the spectators' screen in a real browser, over a table that the test plays by hand."""

from __future__ import annotations

import random
import re

import pytest
from playwright.sync_api import Page, expect

from referee.game.state import Phase
from referee.notation import NotedTable, Place, format_table
from referee.preset_files import load_ruleset
from referee.protocol import Stage
from referee.ruleset import box_faces
from referee.store import StoreError
from referee.tiles import parse_tile
from referee.told import NOTHING, Told, telling
from tests.chromium import NEEDS_AXE, NEEDS_CHROMIUM, axe_finds
from tests.conftest import REPOSITORY
from tests.dashboard.conftest import PATIENCE_S, PIN, HandTable, sign_in
from tests.dashboard.desk_page import MISREAD, OPENING, Desk, laid
from tests.web.live_table import Bench, changed
from vision.frames import CameraFault
from web.camera_words import fault_sentence
from web.dashboard.hall import Hall
from web.dashboard.texts import script_sentences
from web.live import acts
from web.live.notices import Notice, NoticeCode

SIZES = ((360, 740), (1280, 800), (1920, 1080))
PROJECTORS = ((1280, 720), (1920, 1080), (1920, 700))
pytestmark = NEEDS_CHROMIUM


# --- rulings and corrections ------------------------------------------------------------------------------------------


def test_a_turn_is_called_by_one_key_and_ruled_on(desk: Desk) -> None:
    laid(desk.table, OPENING)
    desk.page.keyboard.press("e")
    desk.stage(Stage.CALLED)
    desk.table.do(lambda bench: bench.frame())
    desk.says("legal")
    expect(desk.page.locator("#who")).to_have_text("Bob")
    expect(desk.page.locator("#seats tr").first).to_contain_text("9")


def test_a_misread_tile_is_corrected_by_two_taps_in_the_picture(desk: Desk) -> None:
    desk.table.turn(MISREAD)
    desk.says("illegal")
    expect(desk.page.locator(".correct-overlay polygon.illegal")).to_have_count(5)
    desk.page.locator(".correct-overlay").click(position=desk.place(0, 2))
    desk.page.locator(".sheet .choices").get_by_role("button", name="red 11").click()
    desk.says("legal")
    expect(desk.page.locator("#who")).to_have_text("Bob")


def test_the_same_by_the_keyboard_alone(desk: Desk) -> None:
    desk.table.turn(MISREAD)
    desk.says("illegal")
    expect(desk.page.locator(".correct-list .tile")).to_have_count(5)
    desk.page.keyboard.press("m")
    for _ in range(2):
        desk.page.keyboard.press("Tab")
    desk.page.keyboard.press("Enter")
    choices = desk.page.locator(".sheet .choices button")
    names = [one.get_attribute("aria-label") for one in choices.all()]
    for _ in range(names.index("red 11")):
        desk.page.keyboard.press("Tab")
    desk.page.keyboard.press("Enter")
    desk.says("legal")


def test_a_doubtful_tile_is_settled_by_two_keys(desk: Desk) -> None:
    desk.table.turn("K13 O13 R13/R12")
    expect(desk.page.locator("#questions .question")).to_have_count(1)
    expect(desk.page.locator("#questions image")).to_have_attribute("href", re.compile("picture.jpg"))
    choice = desk.page.locator("#questions .choice").nth(1)
    wanted = choice.locator(".tile").get_attribute("aria-label")
    desk.page.keyboard.press("1")
    desk.page.keyboard.press("2")
    expect(desk.page.locator("#questions")).to_be_hidden()
    shown = desk.page.locator(".correct-list .tile").nth(2)
    expect(shown).to_have_attribute("aria-label", re.compile(f"^{wanted}"))


def test_the_end_of_a_turn_names_whose_it_is(desk: Desk) -> None:
    """Of two referees who press at once, none ends the turn of the next player."""
    for key, more in (("e", {}), ("w", {"won": True})):
        with desk.page.expect_request("**/acts") as sent:
            desk.page.keyboard.press(key)
        assert sent.value.post_data_json == {"act": "CallTurnEnd", "seat": 0, **more}
        desk.stage(Stage.CALLED)
        desk.table.do(lambda bench: bench.do(acts.TakeBackCall()))
        desk.stage(Stage.PLAY)


def tell_trouble(table: HandTable, hall: Hall, why: Told) -> None:
    """Something is wrong with the table, or nothing any more."""

    def told(_: Bench) -> tuple[Notice, ...]:
        hall.tables["one"].tell_trouble(why)
        return ()

    table.do(told)


def test_what_was_wrong_with_the_table_goes_from_the_desk_when_it_is_well(desk: Desk, hall: Hall) -> None:
    tell_trouble(desk.table, hall, telling("The referee is getting ready."))
    expect(desk.page.locator("#trouble")).to_have_text("The referee is getting ready.")
    tell_trouble(desk.table, hall, NOTHING)
    expect(desk.page.locator("#trouble")).to_be_hidden()


def test_what_is_wrong_with_the_table_stays_when_the_program_answers_again(desk: Desk, hall: Hall) -> None:
    tell_trouble(desk.table, hall, telling("The referee is getting ready."))
    desk.page.keyboard.press("x")
    refused = "These rules grant no extension."
    expect(desk.page.locator("#trouble")).to_have_text(f"The referee is getting ready. {refused}")
    desk.page.route("**/events?*", lambda route: route.abort())
    expect(desk.page.locator("#trouble")).to_contain_text("The table does not answer")
    desk.page.unroute("**/events?*")
    expect(desk.page.locator("#trouble")).to_have_text(f"The referee is getting ready. {refused}")


def test_what_is_asked_of_nobody_is_told_in_a_sentence(desk: Desk) -> None:
    desk.page.route("**/acts", lambda route: route.abort())
    desk.page.keyboard.press("p")
    expect(desk.page.locator("#trouble")).to_have_text("The program does not answer: is the network still there?")


def test_a_desk_whose_session_is_over_signs_in_again_and_comes_back(desk: Desk) -> None:
    desk.table.turn(OPENING)
    desk.table.turn(f"{OPENING} | K5 R5 B6")
    desk.says("illegal")
    desk.page.context.clear_cookies()
    desk.table.do(lambda bench: bench.do(acts.Conclude()))
    desk.page.wait_for_url(re.compile(r"/sign-in\?next="))
    desk.page.fill("#pin", PIN)
    desk.page.keyboard.press("Enter")
    desk.stage(Stage.RESTORE)


def test_signing_out_of_a_session_that_is_not_this_pages_is_refused_in_a_sentence(desk: Desk) -> None:
    other = desk.page.context.new_page()
    sign_in(other, "/")
    desk.button("Sign out").click()
    expect(desk.page.locator("#site-trouble")).to_have_text("This page is too old: load it again, then try once more.")
    other.get_by_role("button", name="Sign out").click()
    expect(other.get_by_role("link", name="Sign in as referee")).to_be_visible()


def test_a_false_tile_is_removed_and_that_is_taken_back(desk: Desk) -> None:
    laid(desk.table, f"{OPENING} | K3")
    expect(desk.page.locator(".correct-list .set")).to_have_count(2)
    desk.page.locator(".correct-list .tile").nth(5).click()
    desk.button("No tile lies here").click()
    expect(desk.page.locator(".correct-list .set")).to_have_count(1)
    desk.page.locator("[data-undo]").click()
    expect(desk.page.locator(".correct-list .set")).to_have_count(2)


def test_an_illegal_table_is_put_back_and_ticked_off(desk: Desk) -> None:
    desk.table.turn(OPENING)
    desk.table.turn(f"{OPENING} | K5 R5 B6")
    desk.says("illegal")
    desk.page.keyboard.press("s")
    desk.stage(Stage.RESTORE)
    desk.table.do(lambda bench: bench.frame())
    expect(desk.page.locator("#steps li")).to_have_count(3)
    expect(desk.page.locator("#nowadays polygon")).to_have_count(3)
    desk.table.do(lambda bench: bench.lay(f"{OPENING} | K5 R5"))
    expect(desk.page.locator("#steps [data-done=true]")).to_have_count(1)
    desk.table.do(lambda bench: bench.lay(OPENING))
    expect(desk.page.locator("#restore")).to_be_hidden()
    desk.stage(Stage.PLAY)


def test_what_is_corrected_stays_the_tile_that_was_tapped(desk: Desk) -> None:
    """While the sheet is open no other reading takes the tile from under the finger."""
    laid(desk.table, f"K3 K4 K5 | {MISREAD}")
    expect(desk.page.locator(".correct-list .tile")).to_have_count(8)
    desk.page.locator(".correct-list").get_by_role("button", name="blue 11").click()
    laid(desk.table, f"K3 K4 K5 | {MISREAD} | O1 O2 O3")
    desk.page.locator(".sheet .choices").get_by_role("button", name="red 11").click()
    expect(desk.page.locator(".correct-list .tile")).to_have_count(11)
    assert desk.table.do(lambda bench: bench.call())
    expect(desk.page.locator(".correct-list").get_by_role("button", name="red 11")).to_have_count(1)


def test_camera_trouble_is_said_in_words(desk: Desk) -> None:
    desk.table.do(lambda bench: bench.live.camera(CameraFault.BLACK))
    expect(desk.page.locator("#camera")).to_be_visible()
    expect(desk.page.locator("#camera")).to_have_text(fault_sentence(CameraFault.BLACK))
    desk.table.do(lambda bench: bench.live.camera(None))
    expect(desk.page.locator("#camera")).to_be_hidden()


def test_why_a_game_cannot_be_written_is_said_once(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise StoreError("{game} cannot be written: {cause}", game="Friday", cause="the disk is full")

    def on_a_full_disk(bench: Bench) -> tuple[Notice, ...]:
        monkeypatch.setattr(bench.store, "append", full)
        return bench.turn(OPENING)

    desk.table.do(on_a_full_disk)
    expect(desk.page.locator("#camera")).to_have_text(
        "The game cannot be written, and goes on when it can: Friday cannot be written: the disk is full."
    )


# --- acts and keys ----------------------------------------------------------------------------------------------------


def test_the_referee_overrules_with_a_reason(desk: Desk) -> None:
    desk.table.turn(MISREAD)
    desk.says("illegal")
    desk.page.keyboard.press("l")
    desk.page.keyboard.press("Shift+Tab")
    desk.page.locator("#ask-reason").fill("the eleven is red")
    desk.page.keyboard.press("Enter")
    desk.says("legal")
    expect(desk.page.locator("#ruling")).to_contain_text("the referee's ruling")


def test_a_penalty_is_given_to_whom_it_is_for(desk: Desk) -> None:
    desk.page.keyboard.press("f")
    desk.page.locator("#ask-seat").select_option(label="Bob")
    desk.page.locator("#ask-points").fill("10")
    desk.page.locator("#ask-reason").fill("late")
    desk.page.keyboard.press("Enter")
    expect(desk.page.locator("#log li").first).to_contain_text("Penalty for Bob: 0 tiles, 10 points.")


def test_pause_and_going_on_are_one_key(desk: Desk) -> None:
    desk.table.turn(OPENING)
    desk.table.turn(OPENING)
    desk.page.keyboard.press("p")
    expect(desk.page.locator("#stage")).to_contain_text("paused")
    expect(desk.page.locator("#clock")).to_have_attribute("data-still", "true")
    desk.page.keyboard.press("p")
    expect(desk.page.locator("#stage")).not_to_contain_text("paused")


def test_the_last_turn_is_taken_back(desk: Desk) -> None:
    desk.table.turn(OPENING)
    expect(desk.page.locator("#who")).to_have_text("Bob")
    desk.page.keyboard.press("u")
    desk.page.keyboard.press("Enter")
    expect(desk.page.locator("#who")).to_have_text("Ann")


def test_a_refusal_is_said_where_it_is_seen(desk: Desk) -> None:
    desk.page.keyboard.press("x")
    expect(desk.page.locator("#trouble")).to_have_text("These rules grant no extension.")


def test_a_table_that_cannot_be_is_said_where_it_is_seen(desk: Desk) -> None:
    desk.table.turn(OPENING)
    expect(desk.page.locator("#who")).to_have_text("Bob")
    most = " | ".join(" ".join(f"{ink}{n}" for n in range(1, 6)) for ink in "BKO")
    desk.table.turn(f"{OPENING} | {most}")
    expect(desk.page.locator("#trouble")).to_have_text("Bob holds 14 tiles, and 15 were laid.")


def test_keys_rest_while_something_is_typed_and_when_they_are_switched_off(desk: Desk) -> None:
    desk.page.keyboard.press("f")
    desk.page.locator("#ask-reason").fill("")
    desk.page.keyboard.type("empty")
    expect(desk.page.locator("#ask-reason")).to_have_value("empty")
    desk.close()
    desk.page.keyboard.press("?")
    desk.page.locator("#keys-on").uncheck()
    desk.close()
    desk.page.keyboard.press("e")
    laid(desk.table, OPENING)  # what was asked before has been answered by then
    expect(desk.page.locator(".correct-list .tile")).to_have_count(5)
    desk.stage(Stage.PLAY)


def press(page: Page, key: str, code: str, *, shift: bool = False) -> None:
    """Press a key of another keyboard: it types ``key`` and stands where ``code`` is."""
    page.evaluate(
        """([key, code, shiftKey]) => document.body.dispatchEvent(
             new KeyboardEvent("keydown", { key, code, shiftKey, bubbles: true, cancelable: true }))""",
        [key, code, shift],
    )


def test_keys_work_on_a_cyrillic_keyboard(desk: Desk) -> None:
    press(desk.page, "\u0443", "KeyE")
    desk.stage(Stage.CALLED)
    press(desk.page, "\u0418", "KeyB", shift=True)
    desk.stage(Stage.PLAY)


def test_keys_go_by_what_they_type_where_that_is_a_letter(desk: Desk) -> None:
    with desk.page.expect_request("**/acts") as sent:
        press(desk.page, "p", "KeyE")
    assert sent.value.post_data_json == {"act": "Pause"}


def test_a_question_is_answered_by_the_digits_of_a_slovak_keyboard(desk: Desk) -> None:
    desk.table.turn("K13 O13 R13/R12")
    expect(desk.page.locator("#questions .question")).to_have_count(1)
    wanted = desk.page.locator("#questions .choice").nth(1).locator(".tile").get_attribute("aria-label")
    press(desk.page, "!", "Digit1", shift=True)  # of another keyboard, where that is a sign
    press(desk.page, "+", "Digit1")
    press(desk.page, "\u013e", "Digit2")
    expect(desk.page.locator("#questions")).to_be_hidden()
    shown = desk.page.locator(".correct-list .tile").nth(2)
    expect(shown).to_have_attribute("aria-label", re.compile(f"^{wanted}"))


def test_no_number_of_a_set_covers_another_one(desk: Desk) -> None:
    """Sets that nearly touch, one of them upside down: before the first tile of both is the same gap."""
    upright = [[[100 + 40 * k, 100], [140 + 40 * k, 100], [140 + 40 * k, 160], [100 + 40 * k, 160]] for k in range(3)]
    turned = [[[90 - 40 * k, 160], [50 - 40 * k, 160], [50 - 40 * k, 100], [90 - 40 * k, 100]] for k in range(2)]
    circles = desk.page.evaluate(
        """async (quads) => {
          const { correct } = await import("/static/js/correct.js");
          const host = document.createElement("div");
          document.body.append(host);
          const tiles = quads.map((quad) => ({ quad, doubtful: false, readings: [] }));
          const ids = quads.map((_, i) => i);
          correct(host, { picture: { href: "", alt: "" }, send: null, undo: null, may: false }).show({
            width: 900, height: 600, tiles, ids, unread: [], unread_ids: [], told: [], loose: [], jokers: [], edits: 0,
            sets: [{ tiles: [0, 1, 2], legal: true }, { tiles: [3, 4], legal: null }],
            codes: quads.map(() => "R5"), faces: "numbers", camera: { codes: [], tiles: [], alternatives: [] },
          });
          const circles = [...host.querySelectorAll(".badge circle")];
          return circles.map((one) => ["cx", "cy", "r"].map((key) => Number(one.getAttribute(key))));
        }""",
        [*upright, *turned],
    )
    (x, y, r), (other_x, other_y, other_r) = circles
    assert (x - other_x) ** 2 + (y - other_y) ** 2 > (r + other_r) ** 2


def test_no_two_acts_share_a_key_at_the_same_time(desk: Desk) -> None:
    clashes = desk.page.evaluate(
        """async ([stages, phases]) => {
          const { ACTS } = await import("/static/js/desk_acts.js");
          const found = [];
          for (const stage of stages) for (const paused of [false, true]) {
            for (const phase of phases) {
              const view = { stage, paused, turn: 3, phase, seats: [{}, {}], order: [0, 1], drawing: [0, 1], read: {} };
              const keys = ACTS.filter((one) => one.when(view)).map((one) => one.key);
              if (new Set(keys).size !== keys.length) found.push([stage, phase, paused, keys]);
            }
          }
          return found;
        }""",
        [[stage.value for stage in Stage], [phase.value for phase in Phase]],
    )
    assert clashes == []


def test_every_act_that_a_button_sends_is_one(desk: Desk) -> None:
    sent = desk.page.evaluate(
        """async () => {
          const { ACTS } = await import("/static/js/desk_acts.js");
          const told = { reason: "r", draw: 1, seat: 0, tiles: "1", points: 1, text: "", racks: "5 9" };
          const view = { stage: "play", seats: [{}], order: [0], drawing: [0] };
          return ACTS.filter((one) => one.make).map((one) => one.make(view, told).act);
        }"""
    )
    assert {name for name in sent if not hasattr(acts, name)} == set()


def test_a_draw_that_is_told_twice_costs_nobody_else_a_turn(desk: Desk) -> None:
    """A double press is one, and of two referees who press at once the second means the turn that is over."""
    desk.page.keyboard.press("d")
    desk.page.keyboard.press("d")
    expect(desk.page.locator("#who")).to_have_text("Bob")
    (refused,) = desk.table.do(lambda bench: bench.do(acts.CountAsDraw(seat=0)))
    assert refused.code is NoticeCode.REFUSED
    expect(desk.page.locator("#stage")).to_contain_text("turn 2")
    expect(desk.page.locator("#who")).to_have_text("Bob")


def test_what_was_asked_of_a_turn_that_is_over_is_not_done_to_the_next_one(desk: Desk) -> None:
    desk.page.keyboard.press("i")
    expect(desk.page.locator("#ask")).to_be_visible()
    desk.table.do(lambda bench: bench.do(acts.CountAsDraw(seat=0)))
    expect(desk.page.locator("#who")).to_have_text("Bob")
    desk.button("It is illegal").click()
    trouble = desk.page.locator("#trouble")
    expect(trouble).to_have_text("The game has gone on meanwhile: nothing was done.")
    laid(desk.table, OPENING)
    expect(desk.page.locator(".correct-list .tile")).to_have_count(5)
    expect(trouble).to_have_text("The game has gone on meanwhile: nothing was done.")  # the table answers again
    expect(desk.page.locator("#seats tr").first).to_contain_text("15")


def test_a_call_that_was_missed_is_recorded(desk: Desk) -> None:
    laid(desk.table, f"{OPENING} | B10 K10 O10")
    expect(desk.page.locator(".correct-list .tile")).to_have_count(8)
    desk.page.keyboard.press("v")
    desk.page.get_by_label("Ann").fill("5")
    desk.page.get_by_label("Bob").fill("3")
    desk.button("Record it").click()
    expect(desk.page.locator("#stage")).to_contain_text("turn 3")
    expect(desk.page.locator("#who")).to_have_text("Ann")
    expect(desk.page.locator("#seats tr").nth(1)).to_contain_text("11")


def test_a_rack_that_the_log_miscounted_ends_the_round(desk: Desk) -> None:
    desk.page.keyboard.press("q")
    desk.button("The rack is empty").click()
    desk.stage(Stage.COUNT)


def test_a_table_is_typed_where_the_eyes_fail(desk: Desk) -> None:
    desk.page.get_by_text("Seldom needed").click()
    desk.button("Type the table").click()
    desk.page.get_by_label("Sets, such as").fill(OPENING)
    desk.button("So it lies").click()
    expect(desk.page.locator("#log")).to_contain_text(f"The table is now: {OPENING}.")


def test_a_table_is_taken_with_the_racks_as_they_were_counted(desk: Desk) -> None:
    laid(desk.table, OPENING)
    expect(desk.page.locator(".correct-list .tile")).to_have_count(5)
    desk.page.keyboard.press("a")
    desk.page.get_by_label("Tiles on each rack").fill("10, 12")
    desk.page.get_by_role("button", name="It counts", exact=True).click()
    expect(desk.page.locator("#seats tr").nth(1)).to_contain_text("12")


def test_a_new_deal_and_somebody_who_leaves(desk: Desk) -> None:
    desk.page.keyboard.press("j")
    desk.button("Judge the claim").click()
    expect(desk.page.locator("#log")).to_contain_text("new deal")
    desk.page.keyboard.press("z")
    desk.page.get_by_label("Player", exact=True).select_option(label="Bob")
    desk.button("This player leaves").click()
    desk.stage(Stage.COUNT)


# --- the spectators' screen -------------------------------------------------------------------------------------------


def test_spectators_see_the_table_and_can_change_nothing(page: Page, table: HandTable) -> None:
    table.turn(OPENING)
    page.goto("/tables/one/screen")
    expect(page.locator("#who")).to_have_text("Bob")
    expect(page.locator("#laid .tile")).to_have_count(5)
    expect(page.locator("#scores li").first).to_contain_text("9 tiles")
    expect(page.locator("#ruling .verdict")).to_have_text("legal")
    assert page.locator("button, input, select, form, a[href*=desk]").count() == 0
    status = page.evaluate(
        """() => fetch("/api/v1/tables/one/acts", { method: "POST", headers: { "Content-Type": "application/json",
           "X-CSRF-Token": document.querySelector("meta[name=csrf]").content }, body: '{"act": "CallTurnEnd"}' })
           .then((answer) => answer.status)"""
    )
    assert status == 403
    assert table.do(lambda bench: bench.wait(0.1)) == ()


def test_a_ruling_that_was_taken_back_is_not_shown_on(page: Page, table: HandTable) -> None:
    table.turn(OPENING)
    page.goto("/tables/one/screen")
    expect(page.locator("#ruling .verdict")).to_have_text("legal")
    table.do(lambda bench: bench.do(acts.Undo()))
    expect(page.locator("#ruling")).to_have_text("Nothing was ruled on yet.")
    table.turn(MISREAD)
    expect(page.locator("#ruling .verdict")).to_have_text("illegal")
    table.do(lambda bench: bench.do(acts.Overrule(legal=True)))
    expect(page.locator("#ruling .verdict")).to_have_text("legal")


def test_spectators_are_told_what_is_wrong_with_the_table(page: Page, table: HandTable, hall: Hall) -> None:
    page.goto("/tables/one/screen")
    expect(page.locator("#who")).to_have_text("Ann")
    expect(page.locator("#trouble")).to_be_hidden()
    tell_trouble(table, hall, telling("The referee is getting ready."))
    expect(page.locator("#trouble")).to_have_text("The referee is getting ready.")
    tell_trouble(table, hall, NOTHING)
    expect(page.locator("#trouble")).to_be_hidden()


def test_a_table_that_cannot_begin_says_so_on_the_screen_and_on_phones(page: Page, hall: Hall) -> None:
    hall.open("one", lambda running: running.tell_trouble(telling("The referee is getting ready.")), "a test")
    for path, trouble in (("screen", "#trouble"), ("seat", "#seat-trouble")):
        page.goto(f"/tables/one/{path}")
        expect(page.locator(trouble)).to_have_text("The referee is getting ready.")


def test_racks_are_never_on_the_spectators_screen(page: Page, table: HandTable) -> None:
    table.turn(OPENING)
    table.do(lambda bench: bench.do(acts.ConfirmWin(1)))
    table.do(lambda bench: bench.do(acts.ShowRack(0, (parse_tile("K13"), parse_tile("O1")))))
    page.goto("/tables/one/screen")
    expect(page.locator("#who")).to_contain_text("show the racks")
    told = page.evaluate("() => fetch('/api/v1/tables/one/events?after=0').then((answer) => answer.text())")
    assert "K13" not in told + page.content()
    assert "black 13" not in page.content()


def test_the_strip_for_streaming_lies_over_nothing(page: Page, table: HandTable) -> None:
    table.turn(OPENING)
    page.goto("/tables/one/screen?overlay=1")
    expect(page.locator("#who")).to_have_text("Bob")
    shades = page.evaluate(
        "() => ['html', 'body'].map((one) => getComputedStyle(document.querySelector(one)).backgroundColor)"
    )
    assert shades == ["rgba(0, 0, 0, 0)"] * 2


@pytest.mark.parametrize("size", SIZES)
def test_a_full_table_fits_on_the_screen(page: Page, table: HandTable, size: tuple[int, int]) -> None:
    rows = [" ".join(f"{ink}{n}" for n in range(a, a + 7)) for ink in "RBKO" for a in (1, 7)]
    wide = " | ".join([*rows, "R13 B13 K13", "J O13 K13"])
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.goto("/tables/one/screen")
    laid(table, wide)
    expect(page.locator("#laid .tile")).to_have_count(62)
    page.wait_for_function("() => (({ scrollHeight, clientHeight }) => scrollHeight <= clientHeight + 1)(laid)")
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("players", [2, 4, 5, 8])
def test_all_scores_and_a_long_ruling_fit_on_a_projector(page: Page, hall: Hall, players: int) -> None:
    rules = changed(load_ruleset(), players_most=8, deal_tiles=12)
    hand = HandTable(tuple(f"Wilhelmina the {k}th of her name" for k in range(1, players + 1)), ruleset=rules)
    hall.open("one", hand, "a test")
    assert hand.ready.wait(PATIENCE_S)
    page.goto("/tables/one/screen")
    expect(page.locator("#scores li")).to_have_count(players)
    hand.turn("R1 R2 R4 R5 R7 R8 | B10 K10 O11 | K5")
    expect(page.locator("#ruling .why")).to_have_count(2)
    for why in page.locator("#ruling .why").all():
        why.evaluate("(one) => { one.textContent += ' ' + one.textContent; }")  # as another language may say it
    for width, height in PROJECTORS:
        page.set_viewport_size({"width": width, "height": height})
        page.evaluate("() => { dispatchEvent(new Event('resize')); }")
        assert page.evaluate(OUTSIDE) == [], (width, height)


OUTSIDE = """() => {
  const found = [];
  const all = [[".scores", "#scores li, #scores .points, #pool"], [".ruling", "#ruling p"], [".turn", "p"]];
  for (const [box, parts] of all) {
    const place = document.querySelector(`.screen ${box}`), around = place.getBoundingClientRect();
    if (around.bottom > innerHeight || around.right > innerWidth) found.push(`${box} outside the screen`);
    for (const part of place.querySelectorAll(parts)) {
      const lies = part.getBoundingClientRect();
      if (lies.top < around.top || lies.bottom > around.bottom || lies.right > around.right) found.push(part.outerHTML);
    }
  }
  return found;
}"""
"""What of the spectators' screen is cut off."""


# --- for everybody ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("width", [size[0] for size in SIZES])
def test_nothing_of_the_desk_stands_outside_the_page(desk: Desk, width: int) -> None:
    desk.page.set_viewport_size({"width": width, "height": 800})
    desk.table.turn("K13 O13 R13/R12")
    expect(desk.page.locator("#questions .question")).to_have_count(1)
    assert desk.page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")


@NEEDS_AXE
@pytest.mark.parametrize("look", ["light", "dark"])
def test_nothing_serious_keeps_anybody_from_using_the_desk(desk: Desk, look: str) -> None:
    desk.page.emulate_media(color_scheme="dark" if look == "dark" else "light")
    desk.table.turn("K13 O13 R13/R12")
    expect(desk.page.locator("#questions .question")).to_have_count(1)
    assert axe_finds(desk.page) == []
    desk.page.locator(".correct-list .tile").first.click()
    expect(desk.page.locator("dialog[open]")).to_have_count(1)
    assert axe_finds(desk.page) == []
    desk.close()
    desk.page.keyboard.press("?")
    expect(desk.page.locator("dialog[open]")).to_have_count(1)
    assert axe_finds(desk.page) == []
    desk.close()
    desk.table.do(lambda bench: bench.do(acts.Overrule(legal=False)))
    desk.stage(Stage.RESTORE)
    desk.page.keyboard.press("f")
    expect(desk.page.locator("dialog[open]")).to_have_count(1)
    assert axe_finds(desk.page) == []


@NEEDS_AXE
@pytest.mark.parametrize("look", ["light", "dark"])
@pytest.mark.parametrize("address", ["/", "/sign-in", "/tables/one/screen"])
def test_nothing_serious_keeps_anybody_from_looking_on(page: Page, table: HandTable, address: str, look: str) -> None:
    table.turn(f"{OPENING} | B10 K10 O11")
    page.emulate_media(color_scheme="dark" if look == "dark" else "light")
    page.goto(address)
    if address.endswith("screen"):
        expect(page.locator("#ruling .verdict")).to_have_text("illegal")
    assert axe_finds(page) == []


@pytest.mark.usefixtures("table")
def test_the_pages_read_the_notation_as_the_program_writes_it(page: Page) -> None:
    page.goto("/tables/one/screen")
    chance = random.Random(5)
    tables = [random_table(chance) for _ in range(200)]
    texts = [format_table(one, shorten=True) for one in tables]
    read = page.evaluate(
        """async (texts) => {
          const { parseTable } = await import("/static/js/tiles.js");
          return texts.map((text) => parseTable(text).map((set) => set.map((tile) => [tile.codes, tile.meaning])));
        }""",
        texts,
    )
    assert read == [[[told(place) for place in places] for places in one] for one in tables]


def told(place: Place) -> list[object]:
    return [[str(tile) for tile in place.readings], None if place.meaning is None else str(place.meaning)]


def random_table(chance: random.Random) -> NotedTable:
    faces = box_faces()
    plain = [tile for tile in faces if not tile.is_joker]
    jokers = [tile for tile in faces if tile.is_joker]

    def place() -> Place:
        match chance.randrange(4):
            case 0:
                return Place((chance.choice(jokers),), chance.choice(plain))
            case 1:
                return Place(tuple(chance.sample(faces, chance.randrange(4))))
            case _:
                return Place((chance.choice(faces),))

    def places() -> tuple[Place, ...]:
        if chance.random() < 0.3:
            return tuple(Place((tile,)) for tile in plain[3:9])
        return tuple(place() for _ in range(chance.randint(1, 6)))

    return tuple(places() for _ in range(4))


def test_scripts_ask_where_a_lost_request_becomes_a_sentence() -> None:
    """What a browser says of one is English, and other English in each browser."""
    scripts = (REPOSITORY / "web" / "dashboard" / "static" / "js").glob("*.js")
    bare = {script.name for script in scripts if re.search(r"(?<![.\w])fetch\(", script.read_text(encoding="utf-8"))}
    assert bare == {"session.js", "poll.js"}, "poll.js tells silence by itself"


def test_the_catalogue_holds_what_scripts_say() -> None:
    said = script_sentences()
    assert {"End turn", "red {number}", "cannot tell", "Which tile lies here?"} <= set(said)
