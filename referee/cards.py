"""The notation of two decks of playing cards: suits instead of colours, A to K as 1 to 13.

A card is its suit and its rank: ``H`` hearts, ``D`` diamonds, ``S`` spades, ``C`` clubs; ``A``, ``2`` to ``10``, ``J``,
``Q``, ``K``: ``H7``, ``SQ``, ``D10``.  A joker is ``J`` as on tiles.  The rules never see a difference: hearts are the
red tiles, diamonds the orange ones, spades the black ones, clubs the blue ones.
"""

from __future__ import annotations

from referee.switches import Faces
from referee.tiles import Colour, Joker, NotationError, Tile, parse_tile

SUITS = {"H": Colour.RED, "D": Colour.ORANGE, "S": Colour.BLACK, "C": Colour.BLUE}
RANKS = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
_LETTERS = {colour: suit for suit, colour in SUITS.items()}


def parse_card(text: str) -> Tile:
    """Read one card such as ``H7`` or ``SQ``; case and outer blanks are ignored.

    Raises ``NotationError`` naming the text.
    """
    code = text.strip().upper()
    if code in {kind.value for kind in Joker}:
        return parse_tile(code)
    suit, rank = code[:1], code[1:]
    if suit not in SUITS or rank not in RANKS:
        raise NotationError(
            "{code!r} is not a card: expected H, D, S or C with A, 2 to 10, J, Q, K, or the joker J", code=text
        )
    return parse_tile(f"{SUITS[suit]}{RANKS.index(rank) + 1}")


def card_code(tile: Tile) -> str:
    """The code of a card; ``parse_card(card_code(tile)) == tile``."""
    if tile.colour is None or tile.number is None:
        return str(tile)
    return _LETTERS[tile.colour] + RANKS[tile.number - 1]


def parse_face(text: str, faces: Faces) -> Tile:
    """Read one tile or card, as the box prints them; raises ``NotationError``."""
    return parse_card(text) if faces is Faces.CARDS else parse_tile(text)


def face_code(tile: Tile, faces: Faces) -> str:
    """Write one tile or card, as the box prints them."""
    return card_code(tile) if faces is Faces.CARDS else str(tile)
