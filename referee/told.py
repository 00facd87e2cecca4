"""Errors whose sentence can be said in any language: a template and the values that it is filled with."""

from __future__ import annotations

Value = str | int | float
"""What stands in a sentence; a seat (``Seat``) is said by its player's name where that is known."""


class Seat(int):
    """A seat's number from 0, as a value of a sentence: people count from 1."""

    def __str__(self) -> str:
        return f"seat {int(self) + 1}"

    def __format__(self, spec: str) -> str:
        return format(str(self), spec)


class ToldError(ValueError):
    """An error of one English sentence: ``template`` with ``values`` in its braces, as ``str.format`` fills them."""

    def __init__(self, template: str, /, **values: Value) -> None:
        super().__init__(template.format(**values) if values else template)
        self.template = template
        self.values = values
