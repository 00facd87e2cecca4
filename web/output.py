"""Printing that ends in one sentence when nobody can read it: a closed pipe, a full disk."""

from __future__ import annotations

import contextlib
import os
import re
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from click._termui_impl import ProgressBar


_CONTROLS = re.compile("[\\x00-\\x1f\\x7f-\\x9f\\u2028\\u2029]")


class OutputError(click.ClickException):
    """Standard output took no more; the rulings that were printed before stand."""

    exit_code = 2


def print_result(text: str) -> None:
    """Print to standard output and flush.  Raises ``OutputError``."""
    if sys.stdout is None:  # closed before the program began
        raise OutputError("The output cannot be written: it is closed.")
    try:
        click.echo(text, color=_colour_choice())
        sys.stdout.flush()
    except OSError as error:
        raise given_up(error) from error


def given_up(error: OSError) -> OutputError:
    """The sentence for an output that took no more; what is still buffered is dropped."""
    abandon_output()
    cause = "its reader has gone" if isinstance(error, BrokenPipeError) else (error.strerror or str(error)).lower()
    return OutputError(f"The output cannot be written: {cause}.")


def print_trouble(sentence: str) -> None:
    """One sentence on standard error; silence where that is closed too."""
    with contextlib.suppress(OSError):
        click.echo(f"tileref: {printable(sentence)}", err=True)


def printable(text: str) -> str:
    """``text`` without line breaks and control characters: a file's name may hold any, and a terminal obeys them."""
    return _CONTROLS.sub(lambda found: found.group().encode("unicode_escape").decode(), text)


def abandon_output() -> None:
    """Send what is still buffered nowhere, so that the interpreter does not complain about it on its way out."""
    with contextlib.suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def _colour_choice() -> bool | None:
    """None lets click decide by the terminal; NO_COLOR (no-color.org) switches colours off."""
    return False if os.environ.get("NO_COLOR") else None


class Progress:
    """A bar on standard error that steps aside for results on the same terminal."""

    def __init__(self, bar: ProgressBar[int] | None) -> None:
        self._bar = bar

    def step_aside(self) -> None:
        """Clear the bar's line before something is printed."""
        if self._bar is not None:
            click.echo("\r\x1b[K", nl=False, err=True)

    def advance(self) -> None:
        """One photo more is done."""
        if self._bar is not None:
            self._bar.update(1)


@contextlib.contextmanager
def progress(photos: int) -> Iterator[Progress]:
    """A progress bar for several photos on a terminal; nothing for one photo or when nobody watches."""
    if photos < 2 or sys.stderr is None or not sys.stderr.isatty():
        yield Progress(None)
        return
    with click.progressbar(length=photos, label="photos", file=sys.stderr) as bar:
        yield Progress(bar)
