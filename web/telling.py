"""Says what an error or a notice holds, in the language that is spoken (``web.tongue``)."""

from __future__ import annotations

from collections.abc import Callable

from referee.told import Seat, TellingError, Told, Value
from vision.saying import SeeingError
from web.tongue import say


def seat_by_number(seat: int) -> str:
    """A seat (from 0) of which nobody knows who has it."""
    return say("seat {number}", number=seat + 1)


def told_by(error: Exception) -> Told:
    """What an error says; where it has no template, its text as it stands."""
    if isinstance(error, TellingError):
        return error.told
    return Told(error.template, tuple(error.values.items())) if isinstance(error, SeeingError) else Told(str(error))


def say_told(told: Told, player: Callable[[int], str] = seat_by_number) -> str:
    """What was told before; ``player`` says who has a seat (from 0)."""
    return say(told.template, **{name: _value(one, player) for name, one in told.values})


def say_whole(told: Told, player: Callable[[int], str] = seat_by_number) -> str:
    """The same as a whole sentence, with a capital letter and a full stop; nothing where nothing was told."""
    said = say_told(told, player).rstrip(".")
    return f"{said[:1].upper()}{said[1:]}." if said else ""


def _value(value: Value, player: Callable[[int], str]) -> Value:
    if isinstance(value, Seat):
        return player(int(value))
    return say_told(value, player) if isinstance(value, Told) else value
