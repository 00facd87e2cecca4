"""What scripts say to a page, they say in the reader's language: seen in a real browser, in one that nobody has."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from flask import Flask
from playwright.sync_api import Browser, Page, expect

from referee.preset_files import load_ruleset
from tests.chromium import NEEDS_CHROMIUM, PATIENCE_MS, running_browser
from tests.dashboard.conftest import KEYS, PIN, HandTable
from tests.languages.disguise import LETTER, english
from tests.languages.test_said import speaking_nothing
from tests.web.fakes import FakeEyes
from web.dashboard.app import create_app
from web.dashboard.hall import Hall
from web.dashboard.server import DashboardServer
from web.live import acts

pytestmark = NEEDS_CHROMIUM
READ = """() => {
  const seen = [];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
  for (let node = walk.currentNode; node; node = walk.nextNode()) {
    if (node.nodeType === Node.TEXT_NODE) {
      if (!node.parentElement.closest("script, style, option, code, kbd, noscript")) seen.push(node.data);
    } else for (const name of ["aria-label", "alt", "title", "placeholder"]) seen.push(node.getAttribute(name) ?? "");
  }
  return seen.filter((text) => text.trim());
}"""
"""Everything that a page shows or reads out."""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with running_browser() as browser:
        yield browser


@pytest.fixture
def table(tmp_path: Path) -> Iterator[tuple[HandTable, Flask]]:
    hall = Hall(tmp_path, f"sqlite:///{tmp_path / 'games.db'}", FakeEyes().wiring, load_ruleset())
    hand = HandTable()
    hall.open("one", hand, "1 2")
    assert hand.ready.wait(30.0)
    app = speaking_nothing(create_app(hall, KEYS))
    yield hand, app
    app.extensions["disputes"].close()
    assert hall.close()


@pytest.fixture
def page(table: tuple[HandTable, Flask], browser: Browser) -> Iterator[Page]:
    server = DashboardServer(table[1], "127.0.0.1", 0)
    thread = threading.Thread(target=server.serve, name="dashboard", daemon=True)
    thread.start()
    context = browser.new_context(locale="uk-UA", base_url=f"http://127.0.0.1:{server.port}")
    page = context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    page.goto("/sign-in")
    page.locator("input[type=password], #pin").first.fill(PIN)
    page.keyboard.press("Enter")
    page.wait_for_url("**/")
    yield page
    context.close()
    server.stop()
    thread.join(30.0)


def check(page: Page) -> None:
    texts = page.evaluate(READ)
    assert any(LETTER in text for text in texts)
    for text in texts:
        assert english(text, "Ann", "Bob", "tileref", "one", load_ruleset().name, PIN) == [], text


def test_the_desk_and_the_screen_say_nothing_in_english(table: tuple[HandTable, Flask], page: Page) -> None:
    hand, _ = table
    for desk in ("/tables/one/desk", "/tables/one/screen"):
        page.goto(desk)
        expect(page.locator("#stage")).to_contain_text(LETTER)
        check(page)
    hand.turn("R9 R10 R11 R12 R13")
    page.goto("/tables/one/desk")
    expect(page.locator("#ruling .verdict")).to_contain_text(LETTER)
    check(page)
    page.keyboard.press("?")
    check(page)
    page.keyboard.press("Escape")
    hand.do(lambda bench: bench.turn("R9 R10 R11 R12 R13 | B1 B2 R3"))
    expect(page.locator("#ruling .verdict")).to_have_attribute("data-verdict", "illegal")
    check(page)
    hand.do(lambda bench: bench.do(acts.Conclude()))
    expect(page.locator("#desk")).to_have_attribute("data-stage", "restore")
    hand.do(lambda bench: bench.frame())
    check(page)
    page.goto("/tables/one/screen")
    expect(page.locator("#stage")).to_contain_text(LETTER)
    check(page)


@pytest.mark.parametrize(
    "address", ["/", "/tables/one/set-up", "/tables/one/codes", "/tables/one/count", "/history", "/dispute"]
)
def test_no_other_page_does(page: Page, address: str) -> None:
    page.goto(address)
    expect(page.locator("main")).to_contain_text(LETTER)
    check(page)
