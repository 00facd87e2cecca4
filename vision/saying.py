"""Errors whose sentence can be said in any language, as ``referee.told`` has them, which is not seen from here."""

from __future__ import annotations

from typing import Self


class SeeingError(ValueError):
    """An error of one English sentence: ``template`` with ``values`` in its braces, as ``str.format`` fills them."""

    def __init__(self, template: str, /, **values: str | float) -> None:
        super().__init__(template.format(**values) if values else template)
        self.template = template
        self.values = values

    @classmethod
    def of(cls, error: SeeingError) -> Self:
        """An error of this kind that says what another one said."""
        return cls(error.template, **error.values)
