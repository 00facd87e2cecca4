"""The language in which sentences are said: English as they stand in the code, or by a catalogue that somebody chose.

A sentence is a template with names in braces, never an f-string: a catalogue has to know it whole.  ``say`` says one,
``say_count`` one that changes with a number; ``marked`` only lets the catalogues find one that is said later.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from contextvars import ContextVar
from gettext import NullTranslations

from referee.told import Value

_spoken: ContextVar[NullTranslations | None] = ContextVar("spoken", default=None)
_ENGLISH = NullTranslations()


@contextlib.contextmanager
def spoken(catalogue: NullTranslations) -> Iterator[None]:
    """Say everything by this catalogue until the block is left, in this thread or task alone."""
    before = _spoken.set(catalogue)
    try:
        yield
    finally:
        _spoken.reset(before)


def say(sentence: str, /, **values: Value) -> str:
    """The sentence in the language that is spoken, with its values."""
    said = (_spoken.get() or _ENGLISH).gettext(sentence) if sentence else ""
    return said.format(**values) if values else said


def say_count(one: str, many: str, count: int, /, **values: Value) -> str:
    """The sentence for a number of things, which stands in it as ``{count}``."""
    return (_spoken.get() or _ENGLISH).ngettext(one, many, count).format(count=count, **values)


def marked(sentence: str) -> str:
    """The sentence as it is: the catalogues find it here, and ``say`` says it elsewhere."""
    return sentence
