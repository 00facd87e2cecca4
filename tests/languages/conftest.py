"""The dashboard of the other tests, whose Ukrainian is the language that nobody speaks."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from flask import Flask

from tests.chromium import browser  # noqa: F401  a fixture, as all of the next
from tests.dashboard.conftest import KEYS, _no_proxy, friday, hall, referee, served, table  # noqa: F401
from tests.languages.disguise import Disguise, speaking
from web.dashboard.app import create_app
from web.dashboard.hall import Hall


@pytest.fixture
def app(hall: Hall) -> Iterator[Flask]:  # noqa: F811  the fixture
    made = speaking(create_app(hall, KEYS), Disguise())
    yield made
    made.extensions["disputes"].close()
