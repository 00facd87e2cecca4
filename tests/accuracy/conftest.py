"""The real eyes, loaded once."""

from __future__ import annotations

import pytest

from vision.look import Eyes


@pytest.fixture(scope="session")
def real_eyes() -> Eyes:
    """The bundled networks with their calibration."""
    return Eyes.load()
