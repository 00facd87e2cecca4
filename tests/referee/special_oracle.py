"""Special jokers once more, as plainly as rules.md 2 says it: put every tile in the place of every joker, and look."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

from referee.tiles import Colour, Joker, Tile
from tests.referee.oracle import Face, is_group, is_run_in_order

FACES: list[Face] = [(colour, number) for colour in Colour for number in range(1, 14)]
Item = tuple[str, tuple[Face, ...]]
"""What a place stands for: ("one", its tile), ("two", a double's tiles), ("both", a tile in two colours)."""


def options(tile: Tile) -> list[Item]:
    match tile.joker:
        case None:
            assert tile.colour is not None
            assert tile.number is not None
            return [("one", ((tile.colour, tile.number),))]
        case Joker.REGULAR:
            return [("one", (face,)) for face in FACES]
        case Joker.DOUBLE:
            return [("two", pair) for pair in product(FACES, FACES) if pair[0] != pair[1]]
        case Joker.COLOUR_CHANGE:
            return [("both", ((a, n), (b, n))) for a, b in product(Colour, Colour) if a != b for n in range(1, 14)]
        case Joker.MIRROR:
            return [("mirror", ())]


def is_changing_run(items: Sequence[Item]) -> bool:
    """Consecutive numbers; the colour stays but at a colour-change, which has another on each side."""
    if any(kind == "both" for kind, _ in (items[0], items[-1])):
        return False
    numbers: list[int] = []
    colour = items[0][1][0][0]
    for kind, faces in items:
        for own_colour, number in faces[:1] if kind == "both" else faces:
            if own_colour != colour:
                return False
            numbers.append(number)
        if kind == "both":
            colour = faces[1][0]
    upwards = list(range(numbers[0], numbers[0] + len(numbers)))
    return numbers in (upwards, [2 * numbers[0] - number for number in upwards])


def is_piece_of_group(items: Sequence[Item]) -> bool:
    faces = [face for _, own in items for face in own]
    return (
        all(kind != "both" for kind, _ in items) and len(set(faces)) == len(faces) and len({n for _, n in faces}) == 1
    )


def is_mirrored(items: Sequence[Item]) -> bool:
    centre = [kind for kind, _ in items].index("mirror")
    left, right = items[:centre], items[centre + 1 :]
    if not left or not right or any(kind == "mirror" for kind, _ in right):
        return False

    def laid(side: Sequence[Item]) -> list[Face]:
        return [face for _, own in side for face in own]

    if all(is_changing_run(side) for side in (left, right)) and laid(left) == laid(right)[::-1]:
        return True
    return all(is_piece_of_group(side) for side in (left, right)) and set(laid(left)) == set(laid(right))


def readings(tiles: Sequence[Tile]) -> Iterator[tuple[Item, ...]]:
    yield from product(*(options(tile) for tile in tiles))


def judged(tiles: Sequence[Tile]) -> tuple[bool, int | None]:
    """Whether a set of at least three places is legal as it lies, and its highest value."""
    if len(tiles) < 3:
        return False, None
    values = []
    for items in readings(tiles):
        kinds = [kind for kind, _ in items]
        faces = [face for _, own in items for face in own]
        if "mirror" in kinds:
            legal = is_mirrored(items)
        elif "both" in kinds:
            legal = is_changing_run(items)
        else:
            legal = is_group(faces) or is_run_in_order(faces)
        if legal:
            values.append(sum(n for kind, own in items for _, n in (own[:1] if kind == "both" else own)))
    return bool(values), max(values, default=None)
