"""The system's browser for tests of pages, and axe-core, which finds what keeps people from using one.

axe-core is a package of npm: ``npm install --prefix .venv/axe axe-core`` (``make test`` does it where npm is at hand).
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

CHROMIUM = Path("/usr/bin/chromium")
FLAGS = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
).split()
AXE = Path(sys.prefix) / "axe" / "node_modules" / "axe-core" / "axe.min.js"
NEEDS_CHROMIUM = pytest.mark.skipif(not CHROMIUM.exists(), reason=f"no browser at {CHROMIUM}")
NEEDS_AXE = pytest.mark.skipif(not AXE.exists(), reason=f"no axe-core at {AXE}")
OVERFULL = """[...document.querySelectorAll(".panel")].filter((one) => one.scrollWidth > one.clientWidth + 1)
  .map((one) => one.innerText)"""
"""Asks a page what its panels hold that stands out of them to the side."""
PATIENCE_MS = 20_000
"""A machine that is busy with other things is no fault of a page."""


@contextmanager
def running_browser(*more_flags: str) -> Iterator[Browser]:
    """The browser, without a window."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=[*FLAGS, *more_flags])
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """The browser for the tests of a module; the folders with such tests have it in their ``conftest``."""
    with running_browser() as running:
        yield running


@contextmanager
def opened_page(browser: Browser, address: str, width: int, height: int, **told: Any) -> Iterator[Page]:
    """A page of its own context under an address, in English unless told; nothing goes wrong in it that nobody sees."""
    context = browser.new_context(
        **{"base_url": address, "viewport": {"width": width, "height": height}, "locale": "en-GB", **told}
    )
    context.set_default_timeout(PATIENCE_MS)
    expect.set_options(timeout=PATIENCE_MS)
    page = context.new_page()
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda said: wrong.append(said.text) if "Content Security" in said.text else None)
    yield page
    context.close()
    assert wrong == []


def axe_finds(page: Page) -> list[str]:
    """What axe finds serious or worse on a page as it is shown now, one line each."""
    page.evaluate(f"() => {{ {AXE.read_text(encoding='utf-8')} }}")
    found = page.evaluate("() => axe.run({ resultTypes: ['violations'] }).then((told) => told.violations)")
    return [
        f"{one['id']}: {one['help']}: {node['html'][:160]}"
        for one in found
        if one["impact"] in {"serious", "critical"}
        for node in one["nodes"]
    ]
