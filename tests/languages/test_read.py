"""What scripts say to a page, they say in the reader's language: seen in a real browser, in one that nobody has."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from referee.preset_files import load_ruleset
from tests.chromium import NEEDS_CHROMIUM, opened_page
from tests.dashboard.conftest import HandTable, sign_in
from tests.languages.disguise import LETTER, english
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


@pytest.fixture
def page(browser: Browser, served: str) -> Iterator[Page]:
    """The referee's browser."""
    with opened_page(browser, served, 1280, 900, locale="uk-UA") as page:
        sign_in(page, "/")
        yield page


def check(page: Page) -> None:
    texts = page.evaluate(READ)
    assert any(LETTER in text for text in texts)
    for text in texts:
        assert english(text, "Ann", "Bob", "tileref", "one", "a test", load_ruleset().name) == [], text


def test_the_desk_and_the_screen_say_nothing_in_english(table: HandTable, page: Page) -> None:
    for desk in ("/tables/one/desk", "/tables/one/screen"):
        page.goto(desk)
        expect(page.locator("#stage")).to_contain_text(LETTER)
        check(page)
    table.turn("R9 R10 R11 R12 R13")
    page.goto("/tables/one/desk")
    expect(page.locator("#ruling .verdict")).to_contain_text(LETTER)
    check(page)
    page.keyboard.press("?")
    check(page)
    page.keyboard.press("Escape")
    table.do(lambda bench: bench.turn("R9 R10 R11 R12 R13 | B1 B2 R3"))
    expect(page.locator("#ruling .verdict")).to_have_attribute("data-verdict", "illegal")
    check(page)
    table.do(lambda bench: bench.do(acts.Conclude()))
    expect(page.locator("#desk")).to_have_attribute("data-stage", "restore")
    table.do(lambda bench: bench.frame())
    check(page)
    page.goto("/tables/one/screen")
    expect(page.locator("#stage")).to_contain_text(LETTER)
    check(page)


@pytest.mark.parametrize(
    "address", ["/", "/tables/one/set-up", "/tables/one/codes", "/tables/one/count", "/history", "/dispute"]
)
@pytest.mark.usefixtures("table")
def test_no_other_page_does(page: Page, address: str) -> None:
    page.goto(address)
    expect(page.locator("main")).to_contain_text(LETTER)
    check(page)
