"""Pictures of every page at the widths of a phone, a laptop and a projector: ``python -m tests.dashboard.shots``.

They are for looking at: ``--to`` names the folder (default: ``page_shots``), ``--look dark`` the dark look.
"""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import click
from playwright.sync_api import Page

from referee.preset_files import load_ruleset
from tests.chromium import running_browser
from tests.dashboard.conftest import PATIENCE_S, PIN, HandTable
from tests.dashboard.phone_table import also_by_phone, phone_at
from tests.web.fakes import FakeEyes
from web.dashboard.app import create_app
from web.dashboard.hall import Hall
from web.dashboard.keys import keys_for
from web.dashboard.server import DashboardServer

SIZES = ((360, 740), (1280, 800), (1920, 1080))
OPENING = "R9 R10 R11 R12 R13"
GROUP = "B10 K10 O10"
SETTLE_MS = 1500
"""A page asks the table twice a second; by then it shows what lies there."""


@contextmanager
def served_table(home: Path) -> Iterator[tuple[str, HandTable]]:
    """The address of a dashboard with one table that is played by hand."""
    hall = Hall(home, f"sqlite:///{home / 'games.db'}", FakeEyes().wiring, load_ruleset())
    hand = HandTable(players=("Ann", "Bob", "Cem"))
    hall.open("one", hand, "by hand")
    hand.ready.wait(PATIENCE_S)
    also_by_phone(hall, "two")
    server = DashboardServer(create_app(hall, keys_for(PIN)), "127.0.0.1", 0)
    thread = threading.Thread(target=server.serve, daemon=True)
    thread.start()
    with phone_at(hall, "two"):
        yield f"http://127.0.0.1:{server.port}", hand
    server.stop()
    thread.join(PATIENCE_S)
    hall.close()


def _told(page: Page, hand: HandTable) -> None:  # noqa: ARG001  all stories are called alike
    hand.turn(OPENING)
    hand.turn(OPENING)
    hand.turn(OPENING)
    hand.turn(f"{OPENING} | {GROUP} | K5 R5 B6")


def _corrected(page: Page, hand: HandTable) -> None:  # noqa: ARG001
    page.locator(".correct-list .tile").last.click()


def _restored(page: Page, hand: HandTable) -> None:
    page.keyboard.press("Escape")
    page.locator("#help-button").wait_for()
    page.keyboard.press("s")
    hand.do(lambda bench: bench.frame(after_s=0.5))
    hand.do(lambda bench: bench.lay(f"{OPENING} | {GROUP} | K5 R5"))


def _asked(page: Page, hand: HandTable) -> None:  # noqa: ARG001
    hand.do(lambda bench: bench.lay(OPENING))
    hand.turn(f"{OPENING} | K13 O13 R13/R12")


def _placed(page: Page, hand: HandTable) -> None:  # noqa: ARG001
    page.select_option("#rules", "us-2009")
    page.click("#region-frame", position={"x": 75, "y": 75})
    page.click("#region-use")


PAGES: tuple[tuple[str, str, Callable[[Page, HandTable], None] | None], ...] = (
    ("start", "/", None),
    ("desk_illegal", "/tables/one/desk", _told),
    ("desk_correcting", "", _corrected),
    ("desk_restoring", "", _restored),
    ("desk_asking", "", _asked),
    ("screen", "/tables/one/screen", None),
    ("screen_overlay", "/tables/one/screen?overlay=1", None),
    ("codes", "/tables/one/codes", None),
    ("seat", "/tables/one/seat", None),
    ("count", "/tables/one/count", None),
    ("history", "/history", None),
    ("dispute", "/dispute", None),
    ("sign_in", "/sign-in", None),
    ("desk_nobody", "/tables/two/desk", None),
    ("set_up", "/tables/two/set-up", None),
    ("set_up_placed", "", _placed),
    ("set_up_simulated", "/tables/one/set-up", None),
)
"""Name, address (empty: the page before) and what happens then."""


@click.command()
@click.option("--to", type=click.Path(path_type=Path), default=Path("page_shots"), show_default=True)
@click.option("--only", default="", help="Only pages whose names begin so.")
@click.option("--look", type=click.Choice(["light", "dark"]), default="light", show_default=True)
def main(to: Path, only: str, look: str) -> None:
    """Take the pictures."""
    to.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as home,
        served_table(Path(home)) as (address, hand),
        running_browser() as browser,
    ):
        page = browser.new_page(base_url=address, color_scheme="dark" if look == "dark" else "light")
        page.goto("/sign-in?next=/")
        page.fill("#pin", PIN)
        page.keyboard.press("Enter")
        page.wait_for_url(f"{address}/")
        for name, path, story in PAGES:
            if not name.startswith(only):
                continue
            if path:
                page.goto(path)
            if story:
                page.wait_for_timeout(SETTLE_MS)
                story(page, hand)
            for width, height in SIZES:
                page.set_viewport_size({"width": width, "height": height})
                hand.do(lambda bench: bench.frame(after_s=0.01))
                page.wait_for_timeout(SETTLE_MS)
                page.screenshot(path=to / f"{name}_{width}.png", full_page="screen" not in name)
            click.echo(to / f"{name}_{SIZES[0][0]}.png")


if __name__ == "__main__":
    main()
