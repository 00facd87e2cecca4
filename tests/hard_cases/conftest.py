"""The real eyes, loaded once, and fonts to render with that no network saw."""

from __future__ import annotations

import pytest

from vision.look import Eyes
from vision.render.fonts import JUDGE_FONTS, available_fonts


@pytest.fixture(scope="session")
def real_eyes() -> Eyes:
    """The bundled networks with their calibration."""
    return Eyes.load()


@pytest.fixture(scope="session", autouse=True)
def _fonts() -> None:
    if not available_fonts(JUDGE_FONTS):
        pytest.skip(f"none of the fonts {', '.join(JUDGE_FONTS)} is installed to render tables with (make fonts)")
