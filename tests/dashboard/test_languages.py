"""Each language renders: every page in every state, on a small phone, with nothing raw in it and nothing cut off."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

import web.dashboard
from referee.notation import parse_rack
from tests.chromium import NEEDS_CHROMIUM, OVERFULL, opened_page
from tests.dashboard.conftest import PIN, HandTable
from tests.dashboard.desk_page import OPENING
from tests.web.fakes import FakeEyes
from tests.web.fakes import table as painted
from web.dashboard.hall import Hall
from web.dashboard.texts import LANGUAGES
from web.live import acts

pytestmark = NEEDS_CHROMIUM
TRANSLATIONS = Path(web.dashboard.__file__).parent / "translations"
RAW = re.compile(r"\{\w+\}|%\(\w+\)[sd]|\bundefined\b|\bNaN\b|\[object ")
"""What stands in a page where a sentence was not filled in."""
WIDE = 360
WORDS = """() => [document.body.innerText, document.title,
  ...[...document.querySelectorAll("[aria-label], [alt], [title], [placeholder]")].flatMap((one) =>
    ["aria-label", "alt", "title", "placeholder"].map((name) => one.getAttribute(name) ?? ""))].join("\\n")"""


def nothing(_table: HandTable) -> None:
    """As it is."""


def illegal(table: HandTable) -> None:
    table.turn(OPENING)
    table.turn(f"{OPENING} | B10 K10 | K5 R5 B6")


def put_back(table: HandTable) -> None:
    table.do(lambda bench: bench.do(acts.Conclude()))
    table.do(lambda bench: bench.frame())


def asked(table: HandTable) -> None:
    table.do(lambda bench: bench.lay(OPENING))
    table.turn(f"{OPENING} | K13 O13 R13/R12")


def over(table: HandTable) -> None:
    table.do(lambda bench: bench.do(acts.Overrule(legal=False)))
    table.do(lambda bench: bench.do(acts.Restored(trust=True)))
    table.do(lambda bench: bench.do(acts.ConfirmWin(0)))


def counted(table: HandTable) -> None:
    rack = tuple(place.readings[0] for place in parse_rack("R1 R2 R3"))
    table.do(lambda bench: bench.do(acts.ShowRack(1, rack)))
    table.do(lambda bench: bench.do(acts.CountRound(as_shown=True)))


VISITS: tuple[tuple[str, str, Callable[[HandTable], None]], ...] = (
    ("/", "main a", nothing),
    ("/dispute", "#send", nothing),
    ("/history", "main a", nothing),
    ("/tables/one/set-up", "main p", nothing),
    ("/tables/one/camera", "main", nothing),
    ("/tables/one/codes", "main img", nothing),
    ("/tables/one/seat", "#seat-state", nothing),
    ("/tables/one/desk", "#ruling .verdict", illegal),
    ("/tables/one/screen", "#ruling .verdict", nothing),
    ("/tables/one/screen?overlay=1", "#who", nothing),
    ("/tables/one/desk", "#steps li", put_back),
    ("/tables/one/desk", "#questions .question", asked),
    ("/tables/one/count", "#racks li", over),
    ("/tables/one/count", "#scores td", counted),
    ("/tables/one/desk", "#chief-acts button", nothing),
    ("/nowhere", "main", nothing),
)
"""Address, what stands there when the page is whole, and what happens at the table before."""


class Reader:
    """Somebody who reads one language, on a small phone."""

    def __init__(self, page: Page, language: str) -> None:
        self.page, self.language = page, language
        self.wrong: list[str] = []
        page.on("pageerror", lambda error: self.wrong.append(str(error)))
        page.on("console", lambda said: self._note(said.type, said.text))

    def _note(self, kind: str, text: str) -> None:
        if kind in {"error", "warning"} and "status of 404" not in text:
            self.wrong.append(text)

    def reads(self, name: str) -> str:
        """All words of the page that is open; they must be whole."""
        assert self.page.locator("html").get_attribute("lang") == self.language, name
        words = str(self.page.evaluate(WORDS))
        assert not RAW.search(words), (name, RAW.findall(words))
        assert self.page.evaluate("document.documentElement.scrollWidth") <= WIDE, name
        assert self.page.evaluate(OVERFULL) == [], name
        assert self.wrong == [], name
        return words


@pytest.fixture(params=list(LANGUAGES))
def reader(request: pytest.FixtureRequest, browser: Browser, served: str) -> Iterator[Reader]:
    language: str = request.param
    if language != "en" and not (TRANSLATIONS / language).is_dir():
        pytest.skip(f"nothing is translated into {language} yet")
    with opened_page(browser, served, WIDE, 740, locale=language) as page:
        yield Reader(page, language)


def test_every_page_is_whole(reader: Reader, table: HandTable, friday: str, hall: Hall, tmp_path: Path) -> None:
    page = reader.page
    page.goto("/sign-in?next=/")
    words = [reader.reads("/sign-in")]
    page.fill("#pin", PIN)
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"://[^/]+/$"))
    for address, whole, happens in VISITS:
        happens(table)
        page.goto(address)
        expect(page.locator(whole).first).to_be_visible()
        words.append(reader.reads(address))
    page.goto("/history")
    page.get_by_role("link", name=friday).click()
    expect(page.locator("#turn img").first).to_be_visible()
    words.append(reader.reads("a game"))
    eyes = hall.eyes()
    assert isinstance(eyes, FakeEyes)
    page.goto("/dispute")
    page.set_input_files("#camera", eyes.photo(tmp_path / "photo.png", painted("R5 R6/R9 R7 # | K1 K2")))
    expect(page.locator("#verdict")).not_to_be_empty()
    words.append(reader.reads("a dispute"))
    page.locator(".correct-list .tile").nth(1).click()
    expect(page.locator("dialog[open]")).to_be_visible()
    words.append(reader.reads("a correction"))
    assert all(text.strip() for text in words)
