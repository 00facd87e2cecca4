"""What can go wrong with a store; what stands in a log wrongly is a ``LogError`` of the codec."""

from __future__ import annotations

from referee.told import TellingError


class StoreError(TellingError):
    """The store cannot be read or written; one sentence."""


class StaleVersionError(StoreError):
    """The game has gone on since: somebody else wrote first, and nothing of this was kept."""


def cause(error: Exception) -> str:
    """The first line of what the database said."""
    lines = str(getattr(error, "orig", None) or error).strip().splitlines()
    return lines[0] if lines else type(error).__name__
