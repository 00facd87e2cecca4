"""What the command's exit status says; the first that applies over all photos wins."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

OK = 0
"""Every table is legal (every box complete)."""
ILLEGAL = 1
"""A table is illegal (a box incomplete, a tile taken)."""
NO_GO = 1
"""A picture is not good enough to rule on."""
BAD_INPUT = 2
"""Bad usage, or something could not be read or written."""
CANNOT_TELL = 3
"""The referee cannot tell."""
INTERRUPTED = 130
"""Stopped from the keyboard."""

OF_VERDICT: Mapping[str, int] = {"legal": OK, "illegal": ILLEGAL, "cannot_tell": CANNOT_TELL}
"""The status of each ``referee.ruling.Verdict``, by its value: the rules are not loaded to look it up."""

_FIRST_THAT_APPLIES = (BAD_INPUT, ILLEGAL, CANNOT_TELL, OK)


def worst(statuses: Iterable[int]) -> int:
    """The status of a whole run; ``OK`` when nothing was done."""
    return min(statuses, key=_FIRST_THAT_APPLIES.index, default=OK)
