"""An evening at the club, played once and copied for whoever looks at it."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.web.evidence.club import Club


@pytest.fixture(scope="session")
def homes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A home in which an evening was played, and one in which one turn was."""
    homes = {}
    for name in ("evening", "one turn"):
        club = Club(tmp_path_factory.mktemp("club"))
        if name == "evening":
            club.evening()
        else:
            club.begin()
            club.turn("", "R10 R11 R12")
        assert club.said == []
        club.store.close()
        homes[name] = club.home
    return homes


@pytest.fixture
def club_after(homes: dict[str, Path], tmp_path: Path) -> Iterator[Callable[..., Club]]:
    """A club of one's own, after an ``evening`` or ``one turn``: (what, folder) → it."""
    clubs: list[Club] = []

    def copied(what: str, folder: str = "home") -> Club:
        clubs.append(Club(shutil.copytree(homes[what], tmp_path / folder)))
        clubs[-1].now += 100
        clubs[-1].number = 100
        return clubs[-1]

    yield copied
    for club in clubs:
        club.store.close()
