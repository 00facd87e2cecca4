"""What the commands share: their common options, the rule set asked for, and bad input as one sentence."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from web.exit_status import BAD_INPUT

if TYPE_CHECKING:
    from referee.ruleset import RuleSet
    from web.wiring import Wiring

Command = Callable[..., None]


class BadInput(click.ClickException):
    """An input that cannot be used; the text is one sentence."""

    exit_code = BAD_INPUT


class FilePath(click.Path):
    """The name of a file or folder; an empty one is a forgotten or unset word, not the current folder."""

    def __init__(self) -> None:
        super().__init__(path_type=Path)

    def convert(
        self, value: str | os.PathLike[str], param: click.Parameter | None, ctx: click.Context | None
    ) -> str | bytes | os.PathLike[str]:
        if not str(value):
            self.fail("An empty name is no file or folder.", param, ctx)
        return super().convert(value, param, ctx)


def rules_option(command: Command) -> Command:
    """The rules that a command goes by."""
    return click.option(
        "--rules", "preset", metavar="PRESET", default=None,
        help="Rule preset (see 'tileref rules list') or the path of a .toml file; 'international' where not given.",
    )(command)  # fmt: skip


def ruleset_asked(preset: str | None) -> RuleSet:
    """The rule set of a preset or file, the default one for None.  Raises ``BadInput``."""
    from referee.preset_files import DEFAULT_PRESET, load_ruleset  # noqa: PLC0415
    from referee.ruleset import RuleSetError  # noqa: PLC0415

    try:
        return load_ruleset(DEFAULT_PRESET if preset is None else preset)
    except RuleSetError as error:
        raise BadInput(f"{error}.") from error


def box_option(command: Command) -> Command:
    """The taught box that a command's photos show."""
    return click.option(
        "--box", "box", metavar="BOX", default=None,
        help="A taught box (see 'tileref box list') or the path of a .tilebox file: photos are read as its tiles.",
    )(command)  # fmt: skip


def wiring_for(wiring: Wiring, box: str | None) -> Wiring:
    """The wiring whose eyes know the box asked for, or the same for None.  Raises ``BadInput``."""
    if box is None:
        return wiring
    from web.box_store import load  # noqa: PLC0415

    with bad_boxes():
        return wiring.knowing(load(box))


@contextmanager
def bad_boxes() -> Iterator[None]:
    """Turn a ``BoxStoreError`` into what ends the command with its sentence."""
    from web.box_store import BoxStoreError  # noqa: PLC0415

    try:
        yield
    except BoxStoreError as error:
        raise BadInput(str(error)) from error


@contextmanager
def bad_inputs() -> Iterator[None]:
    """Turn an ``InputError`` into what ends the command with its sentence."""
    from web.given import InputError  # noqa: PLC0415

    try:
        yield
    except InputError as error:
        raise BadInput(str(error)) from error


def make_folder(folder: Path) -> None:
    """Make sure, before any work is done, that pictures can be written into a folder."""
    import tempfile  # noqa: PLC0415

    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except (OSError, ValueError) as error:
        cause = (getattr(error, "strerror", None) or str(error)).lower()
        raise BadInput(f"{folder} cannot take the annotated pictures: {cause}.") from error
