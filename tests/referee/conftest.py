"""Settings of the property tests: slow machines are no failure."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("referee", deadline=None, print_blob=True)
settings.load_profile("referee")
