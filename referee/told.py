"""Sentences that can be said in any language: a template and the values that it is filled with.

Errors are ``TellingError``s; what is kept for later is ``Told``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self, Union

Value = Union[str, int, float, "Told"]
"""What stands in a sentence; a seat (``Seat``) is said by its player's name where that is known, a ``Told`` after a
colon is a cause and is said as what it is."""


class Seat(int):
    """A seat's number from 0, as a value of a sentence: people count from 1."""

    def __str__(self) -> str:
        return f"seat {int(self) + 1}"

    def __format__(self, spec: str) -> str:
        return format(str(self), spec)


@dataclass(frozen=True, slots=True)
class Told:
    """A sentence: ``template`` with ``values`` in its braces, as ``str.format`` fills them.

    ``str`` says it in English.  An empty template says nothing, and is false.
    """

    template: str = ""
    values: tuple[tuple[str, Value], ...] = ()

    def __str__(self) -> str:
        return self.template.format(**dict(self.values)) if self.values else self.template

    def __bool__(self) -> bool:
        return bool(self.template)


NOTHING = Told()
"""Says nothing."""


class TellingError(Exception):
    """An error of one English sentence: ``template`` with ``values`` in its braces, as ``str.format`` fills them."""

    def __init__(self, template: str, /, **values: Value) -> None:
        super().__init__(template.format(**values) if values else template)
        self.template = template
        self.values = values

    @property
    def told(self) -> Told:
        """The sentence, to be kept."""
        return telling(self.template, **self.values)

    @classmethod
    def of(cls, error: Exception | Told) -> Self:
        """An error of this kind that says what another one said (where it has no template: its text), or was kept."""
        kept = error.told if isinstance(error, TellingError) else error
        return cls(kept.template, **dict(kept.values)) if isinstance(kept, Told) else cls(str(kept))


class ToldError(TellingError, ValueError):
    """The same for a value, a command or an order that cannot be used."""


def telling(template: str, /, **values: Value) -> Told:
    """A sentence with its values, to be said later."""
    return Told(template, tuple(values.items()))


def marked(sentence: str) -> str:
    """The sentence as it is: the catalogues find it here, and it is said elsewhere."""
    return sentence
