"""The language in which sentences are said: English as they stand in the code, or by a catalogue that somebody chose.

A sentence is a template with names in braces, never an f-string: a catalogue has to know it whole.  ``say`` says one,
``say_count`` one that changes with a number; ``marked`` only lets the catalogues find one that is said later.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from contextvars import ContextVar
from gettext import NullTranslations
from string import Formatter

from referee.told import Value

ENGLISH = NullTranslations()
"""Says everything as it stands in the code."""
_spoken: ContextVar[NullTranslations] = ContextVar("spoken", default=ENGLISH)
_point: ContextVar[str] = ContextVar("point", default=".")


@contextlib.contextmanager
def spoken(catalogue: NullTranslations, point: str = ".") -> Iterator[None]:
    """Say everything by this catalogue until the block is left, in this thread or task alone.

    ``point`` stands before the decimals of a number.
    """
    before, point_before = _spoken.set(catalogue), _point.set(point)
    try:
        yield
    finally:
        _spoken.reset(before)
        _point.reset(point_before)


class _Filler(Formatter):
    """Fills values in as ``str.format`` does, decimals with the point of the language that is spoken."""

    def format_field(self, value: object, format_spec: str) -> str:
        text = format(value, format_spec)
        return text.replace(".", _point.get()) if isinstance(value, float) else text


_filler = _Filler()


def say(sentence: str, /, **values: Value) -> str:
    """The sentence in the language that is spoken, with its values."""
    said = _spoken.get().gettext(sentence) if sentence else ""
    return _filler.vformat(said, (), values) if values else said


def say_count(one: str, many: str, count: int, /, **values: Value) -> str:
    """The sentence for a number of things, which stands in it as ``{count}``."""
    return _filler.vformat(_spoken.get().ngettext(one, many, count), (), {"count": count, **values})


def marked(sentence: str) -> str:
    """The sentence as it is: the catalogues find it here, and ``say`` says it elsewhere."""
    return sentence
