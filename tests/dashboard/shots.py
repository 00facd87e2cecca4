"""Pictures of every page at the widths of a phone, a laptop and a projector: ``python -m tests.dashboard.shots``.

They are for looking at: ``--to`` names the folder (default: ``page_shots``), ``--look dark`` the dark look,
``--language`` the language.
"""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import click
from playwright.sync_api import Page, expect

from referee.preset_files import load_ruleset
from referee.tiles import parse_tile
from tests.chromium import running_browser
from tests.conftest import REPOSITORY
from tests.dashboard.conftest import PATIENCE_S, PIN, HandTable, sign_in
from tests.dashboard.desk_page import OPENING
from tests.dashboard.phone_table import also_by_phone, phone_at
from tests.web.evidence.club import Club
from web.dashboard.access import Access
from web.dashboard.app import create_app
from web.dashboard.hall import Hall
from web.dashboard.keys import keys_for
from web.dashboard.server import DashboardServer
from web.dashboard.texts import LANGUAGES
from web.evidence.shelf import folder_name
from web.live import acts
from web.wiring import product_wiring

SIZES = ((360, 740), (1280, 800), (1920, 1080))
GROUP = "B10 K10 O10"
SETTLE_MS = 1500
"""A page asks the table twice a second; by then it shows what lies there."""
PHOTO = REPOSITORY / "sample_images" / "photos" / "06_club_evening.jpg"
LOOK_MS = 30_000
"""A photo is looked at by the real eyes."""
PAST_GAME = "Friday"


@dataclass(frozen=True, slots=True)
class Stage:
    """What the pages show: the page itself, the table that is played by hand, and who may take part."""

    page: Page
    hand: HandTable
    hall: Hall
    gate: Access

    def take_seat(self) -> None:
        """The second player scans his code."""
        view = self.hall.tables["one"].snapshot.view
        self.page.goto(f"/tables/one/seat#{self.gate.seat_token('one', view.game if view else '', 1)}")


@contextmanager
def served_table(home: Path) -> Iterator[tuple[str, HandTable, Hall, Access]]:
    """A dashboard with one table that is played by hand, and a game that was played before: its address, and both."""
    club = Club(home, PAST_GAME)
    club.evening()
    club.store.close()
    hall = Hall(home, f"sqlite:///{home / 'games.db'}", product_wiring(), load_ruleset())
    hand = HandTable(players=("Ann", "Bob", "Cem"))
    hall.open("one", hand, "by hand")
    hand.ready.wait(PATIENCE_S)
    also_by_phone(hall, "two")
    app = create_app(hall, keys_for(PIN))
    server = DashboardServer(app, "127.0.0.1", 0)
    thread = threading.Thread(target=server.serve, daemon=True)
    thread.start()
    with phone_at(hall, "two"):
        yield f"http://127.0.0.1:{server.port}", hand, hall, app.extensions["access"]
    server.stop()
    thread.join(PATIENCE_S)
    hall.close()
    app.extensions["disputes"].close()


def _told(stage: Stage) -> None:
    stage.hand.turn(OPENING)
    stage.hand.turn(OPENING)
    stage.hand.turn(OPENING)
    stage.hand.turn(f"{OPENING} | {GROUP} | K5 R5 B6")


def _corrected(stage: Stage) -> None:
    stage.page.locator(".correct-list .tile").last.click()


def _restored(stage: Stage) -> None:
    stage.page.keyboard.press("Escape")
    stage.page.locator("#help-button").wait_for()
    stage.page.keyboard.press("s")
    stage.hand.do(lambda bench: bench.frame(after_s=0.5))
    stage.hand.do(lambda bench: bench.lay(f"{OPENING} | {GROUP} | K5 R5"))


def _asked(stage: Stage) -> None:
    stage.hand.do(lambda bench: bench.lay(OPENING))
    stage.hand.turn(f"{OPENING} | K13 O13 R13/R12")


def _placed(stage: Stage) -> None:
    stage.page.select_option("#rules", "us-2009")
    stage.page.click("#region-frame", position={"x": 75, "y": 75})
    stage.page.click("#region-use")


def _disputed(stage: Stage) -> None:
    stage.page.set_input_files("#camera", PHOTO)
    stage.page.wait_for_url("**/dispute/*", timeout=LOOK_MS)
    expect(stage.page.locator("#verdict")).not_to_be_empty(timeout=LOOK_MS)


def _won(stage: Stage) -> None:
    """The doubt is settled, the next player's rack is empty, and one rack of the others is told."""
    stage.hand.do(lambda bench: bench.do(acts.AnswerChoice(0, 0)))
    stage.hand.do(lambda bench: bench.do(acts.ConfirmWin(2)))
    shown = tuple(map(parse_tile, "R1 B5 K7 J".split()))
    stage.hand.do(lambda bench: bench.do(acts.ShowRack(0, shown)))


def _next_round(stage: Stage) -> None:
    """The round is counted, and who starts the next one is drawn for."""
    stage.hand.do(lambda bench: bench.do(acts.ShowRack(1, (parse_tile("K9"), parse_tile("O9")))))
    stage.hand.do(lambda bench: bench.do(acts.ShowRack(2, ())))
    stage.hand.do(lambda bench: bench.do(acts.CountRound(as_shown=True)))
    stage.hand.do(lambda bench: bench.do(acts.NextRound()))
    stage.page.click("details.rare summary")


PAGES: tuple[tuple[str, str, Callable[[Stage], None] | None], ...] = (
    ("start", "/", None),
    ("desk_illegal", "/tables/one/desk", _told),
    ("desk_correcting", "", _corrected),
    ("desk_restoring", "", _restored),
    ("desk_asking", "", _asked),
    ("screen", "/tables/one/screen", None),
    ("screen_overlay", "/tables/one/screen?overlay=1", None),
    ("codes", "/tables/one/codes", None),
    ("seat", "", Stage.take_seat),
    ("desk_nobody", "/tables/two/desk", None),
    ("set_up", "/tables/two/set-up", None),
    ("set_up_placed", "", _placed),
    ("set_up_simulated", "/tables/one/set-up", None),
    ("camera", "/tables/two/camera", None),
    ("count", "/tables/one/count", _won),
    ("desk_starting", "/tables/one/desk", _next_round),
    ("history", "/history", None),
    ("history_game", f"/history/{folder_name(PAST_GAME)}", None),
    ("dispute", "/dispute", None),
    ("dispute_case", "", _disputed),
    ("sign_in", "/sign-in", None),
    ("trouble", "/nothing", None),
)
"""Name, address (empty: the page before) and what happens then."""


@click.command()
@click.option("--to", type=click.Path(path_type=Path), default=Path("page_shots"), show_default=True)
@click.option("--only", default="", help="Only pages whose names begin so.")
@click.option("--look", type=click.Choice(["light", "dark"]), default="light", show_default=True)
@click.option("--language", type=click.Choice(list(LANGUAGES)), default="en", show_default=True)
def main(to: Path, only: str, look: str, language: str) -> None:
    """Take the pictures."""
    to.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as home,
        served_table(Path(home)) as (address, hand, hall, gate),
        running_browser() as browser,
    ):
        page = browser.new_page(base_url=address, color_scheme="dark" if look == "dark" else "light", locale=language)
        stage = Stage(page, hand, hall, gate)
        sign_in(page, "/")
        for name, path, story in PAGES:
            if not name.startswith(only):
                continue
            if path:
                page.goto(path)
            if story:
                page.wait_for_timeout(SETTLE_MS)
                story(stage)
            for width, height in SIZES:
                page.set_viewport_size({"width": width, "height": height})
                hand.do(lambda bench: bench.frame(after_s=0.01))
                page.wait_for_timeout(SETTLE_MS)
                page.screenshot(path=to / f"{name}_{width}.png", full_page="screen" not in name)
            click.echo(to / f"{name}_{SIZES[0][0]}.png")


if __name__ == "__main__":
    main()
