"""The tile: the one word that every floor of the house shares.

Notation (architecture.md): colour letter + number, ``R1 … O13``; jokers ``J`` (regular), ``JD`` (double),
``JC`` (colour-change), ``JM`` (mirror).  ``parse_tile(str(tile)) == tile``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from referee.told import ToldError

LOWEST_NUMBER = 1
HIGHEST_NUMBER = 13


class Colour(StrEnum):
    """The four inks of a box; ``ORANGE`` is also what a yellow box prints."""

    RED = "R"
    BLUE = "B"
    BLACK = "K"
    ORANGE = "O"


class Joker(StrEnum):
    """Kinds of joker; only ``REGULAR`` comes in a classic box."""

    REGULAR = "J"
    DOUBLE = "JD"
    COLOUR_CHANGE = "JC"
    MIRROR = "JM"


class NotationError(ToldError):
    """A text is not in the tile notation; the message holds the text."""


@dataclass(frozen=True, slots=True)
class Tile:
    """One tile face: either ``colour`` and ``number``, or ``joker``.

    Raises ``ValueError`` for any other combination or a number outside 1–13.
    """

    colour: Colour | None = None
    number: int | None = None
    joker: Joker | None = None
    _hash: int = field(init=False, repr=False, compare=False, default=0)

    def __post_init__(self) -> None:
        plain = self.colour is not None and self.number is not None
        if plain == (self.joker is not None) or (self.colour is None) != (self.number is None):
            raise ValueError("a tile is either a colour with a number, or a joker")
        if self.number is not None and not LOWEST_NUMBER <= self.number <= HIGHEST_NUMBER:
            raise ValueError(f"a tile's number is {LOWEST_NUMBER} to {HIGHEST_NUMBER}, not {self.number}")
        object.__setattr__(self, "_hash", int.from_bytes(str(self).encode(), "big"))  # the same in every process

    def __hash__(self) -> int:
        return self._hash  # tiles are counted all the time

    @property
    def is_joker(self) -> bool:
        return self.joker is not None

    @property
    def is_special(self) -> bool:
        """Whether this is a double, a colour-change or a mirror joker."""
        return self.joker is not None and self.joker is not Joker.REGULAR

    def __str__(self) -> str:
        return self.joker.value if self.joker is not None else f"{self.colour}{self.number}"


def parse_tile(text: str) -> Tile:
    """Read one tile code such as ``R5``, ``O13`` or ``JD``; case and outer blanks are ignored.

    Raises ``NotationError`` naming the text.
    """
    code = text.strip().upper()
    if code not in _FACES:
        raise NotationError("{code!r} is not a tile: expected R, B, K or O with 1 to 13, or J, JD, JC, JM", code=text)
    return _FACES[code]


_FACES = {
    str(tile): tile
    for tile in (
        *(Tile(colour=c, number=n) for c in Colour for n in range(LOWEST_NUMBER, HIGHEST_NUMBER + 1)),
        *(Tile(joker=kind) for kind in Joker),
    )
}
"""Every face by its code; equal tiles that were read are one object, which makes comparing them quick."""
