"""The rules once more, as plainly as they can be said: try every tile for every joker and look at the definition."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

from referee.tiles import Colour, Tile

EVERY_TILE = [Tile(colour=colour, number=number) for colour in Colour for number in range(1, 14)]
Face = tuple[Colour, int]


def faces(tiles: Sequence[Tile]) -> list[Face]:
    pairs = [(tile.colour, tile.number) for tile in tiles]
    return [(colour, number) for colour, number in pairs if colour is not None and number is not None]


def is_group(tiles: Sequence[Face]) -> bool:
    numbers = [number for _, number in tiles]
    colours = [colour for colour, _ in tiles]
    return len(tiles) in (3, 4) and numbers == numbers[:1] * len(numbers) and sorted(set(colours)) == sorted(colours)


def is_run_in_order(tiles: Sequence[Face]) -> bool:
    if len(tiles) < 3 or any(colour != tiles[0][0] for colour, _ in tiles):
        return False
    numbers = [number for _, number in tiles]
    upwards = list(range(numbers[0], numbers[0] + len(numbers)))
    downwards = list(range(numbers[0], numbers[0] - len(numbers), -1))
    return numbers in (upwards, downwards)


def is_run(tiles: Sequence[Face]) -> bool:
    return is_run_in_order(sorted(tiles))


def readings(tiles: Sequence[Tile]) -> Iterator[list[Face]]:
    """Every way to put a tile of the game in the place of each joker."""
    for stood_for in product(EVERY_TILE, repeat=sum(tile.is_joker for tile in tiles)):
        waiting = list(stood_for)
        yield faces([waiting.pop() if tile.is_joker else tile for tile in tiles])


def judged(tiles: Sequence[Tile]) -> tuple[bool, int | None]:
    """Whether the set is legal by content, and its highest value: as laid where that is possible."""
    legal = [reading for reading in readings(tiles) if is_group(reading) or is_run(reading)]
    as_laid = [reading for reading in legal if is_group(reading) or is_run_in_order(reading)]
    values = [sum(number for _, number in reading) for reading in as_laid or legal]
    return bool(legal), max(values, default=None)
