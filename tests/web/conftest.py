"""Eyes made by hand for the front desk's tests, and a way to run its command."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.web.fakes import FakeEyes, RememberingEyes, table
from web.cli import run
from web.wiring import Wiring, product_wiring


@dataclass(frozen=True, slots=True)
class Done:
    """What a command left behind."""

    status: int
    out: str
    err: str


Command = Callable[..., Done]
Photographer = Callable[[str, str], Path]


@pytest.fixture
def eyes() -> FakeEyes:
    return FakeEyes()


@pytest.fixture(scope="session")
def real_eyes() -> Wiring:
    """The product's own networks, loaded once for all tests; a picture seen before is not looked at again."""
    eyes = RememberingEyes(product_wiring().load_eyes())
    return Wiring(load_eyes=lambda: eyes)


@pytest.fixture
def photograph(eyes: FakeEyes, tmp_path: Path) -> Photographer:
    """Writes the photo of a table: (file name, table text) → its path."""
    return lambda name, text: eyes.photo(tmp_path / name, table(text))


@pytest.fixture
def tileref(eyes: FakeEyes, capfd: pytest.CaptureFixture[str]) -> Command:
    """Runs the command with those eyes."""

    def command(*arguments: object) -> Done:
        status = run([str(argument) for argument in arguments], eyes.wiring)
        out, err = capfd.readouterr()
        return Done(status, out, err)

    return command
