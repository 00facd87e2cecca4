"""What all tests share: where the labelled photos lie, and how hypothesis behaves."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

REPOSITORY = Path(__file__).resolve().parents[1]

# Repeatable, and without a stopwatch: other work may run on the same two cores.
settings.register_profile(
    "repeatable", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
settings.register_profile("search", deadline=None, max_examples=1000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeatable"))


@pytest.fixture
def repository() -> Path:
    """The root of this checkout."""
    return REPOSITORY


@pytest.fixture
def shared_photos() -> Path:
    """The folder of labelled photographs; the test is skipped where they are not at hand."""
    folder = Path(os.environ.get("TILEREF_PHOTOS", REPOSITORY.parent / "shared" / "photos"))
    if not (folder / "truth").is_dir():
        pytest.skip(f"no labelled photos at {folder} (TILEREF_PHOTOS names another place)")
    return folder
