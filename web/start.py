"""Where the console begins: from here on the command can be stopped from the keyboard without a traceback.

Nothing heavier than this file is imported before that holds.
"""

from __future__ import annotations

import contextlib
import sys
from typing import NoReturn

from web.exit_status import INTERRUPTED


def main() -> NoReturn:
    """The entry point of the command ``tileref``."""
    try:
        from web.cli import main as carry_out  # noqa: PLC0415  takes a moment, in which it may be stopped

        carry_out()
    except KeyboardInterrupt:
        with contextlib.suppress(OSError, AttributeError):  # standard error is closed
            sys.stderr.write("tileref: Stopped.\n")
        sys.exit(INTERRUPTED)
