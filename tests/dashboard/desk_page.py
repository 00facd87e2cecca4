"""The referee's desk in a browser, for tests: what it says, and where things lie on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from playwright.sync_api import Locator, Page, Position, expect

from referee.protocol import Stage
from tests.web.fakes import TILE_HEIGHT, TILE_WIDTH

if TYPE_CHECKING:
    from tests.dashboard.conftest import HandTable

OPENING = "R9 R10 R11 R12 R13"
MISREAD = "R9 R10 B11 R12 R13"


@dataclass(frozen=True, slots=True)
class Desk:
    """The page, and the table it speaks of."""

    page: Page
    table: HandTable

    def says(self, text: str) -> None:
        expect(self.page.locator("#ruling .verdict")).to_have_text(text)

    def stage(self, stage: Stage) -> None:
        """The page shows what the table waits for."""
        expect(self.page.locator("#desk")).to_have_attribute("data-stage", stage.value)

    def place(self, line: int, k: int) -> Position:
        """Where a tile of the painted picture lies in the overlay, in pixels of the page."""
        overlay = self.page.locator(".correct-overlay")
        overlay.scroll_into_view_if_needed()
        box = overlay.bounding_box()
        assert box is not None
        scale = box["width"] / 900
        x = 60 + k * (TILE_WIDTH + 2) + TILE_WIDTH / 2
        y = 40 + line * (TILE_HEIGHT + 30) + TILE_HEIGHT / 2
        return {"x": x * scale, "y": y * scale}

    def tile(self, name: str) -> Locator:
        """A tile in the list of sets."""
        return self.page.locator(".correct-list").get_by_role("button", name=name)

    def close(self) -> None:
        """The dialog that is open is left."""
        self.page.keyboard.press("Escape")
        expect(self.page.locator("dialog[open]")).to_have_count(0)
        expect(self.page.locator("dialog :focus")).to_have_count(0)

    def button(self, name: str) -> Locator:
        return self.page.get_by_role("button", name=name)


def laid(table: HandTable, text: str) -> None:
    """A table lies there, nobody has called, and the picture shows it."""
    table.do(lambda bench: bench.lay(text))
