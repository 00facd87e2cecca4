"""Hypothesis strategies for tiles, sets, tables and rule sets."""

from __future__ import annotations

from hypothesis import strategies as st

from referee.notation import Place, Places
from referee.preset_files import load_ruleset, preset_names
from referee.tiles import Colour, Joker, Tile

JOKER = Tile(joker=Joker.REGULAR)

plain_tiles = st.builds(Tile, colour=st.sampled_from(Colour), number=st.integers(1, 13))
regular_tiles = st.one_of(plain_tiles, plain_tiles, plain_tiles, st.just(JOKER))
any_tiles = st.one_of(plain_tiles, st.builds(Tile, joker=st.sampled_from(Joker)))

rulesets = st.sampled_from([load_ruleset(name) for name in preset_names()])


@st.composite
def runs(draw: st.DrawFn) -> list[Tile]:
    """A run as laid, ascending or descending, some tiles replaced by jokers."""
    length = draw(st.integers(3, 7))
    start = draw(st.integers(1, 14 - length))
    colour = draw(st.sampled_from(Colour))
    tiles = [Tile(colour=colour, number=number) for number in range(start, start + length)]
    if draw(st.booleans()):
        tiles.reverse()
    for place in draw(st.sets(st.integers(0, length - 1), max_size=2)):
        tiles[place] = JOKER
    return tiles


@st.composite
def groups(draw: st.DrawFn) -> list[Tile]:
    """A group in any order, some tiles replaced by jokers."""
    number = draw(st.integers(1, 13))
    colours = draw(st.lists(st.sampled_from(Colour), min_size=3, max_size=4, unique=True))
    tiles = [Tile(colour=colour, number=number) for colour in colours]
    for place in draw(st.sets(st.integers(0, len(tiles) - 1), max_size=2)):
        tiles[place] = JOKER
    return tiles


@st.composite
def near_sets(draw: st.DrawFn) -> list[Tile]:
    """A legal set, or one with a tile changed, added, taken or moved."""
    tiles = list(draw(st.one_of(runs(), groups())))
    match draw(st.sampled_from(["leave", "leave", "change", "add", "take", "shuffle"])):
        case "change":
            tiles[draw(st.integers(0, len(tiles) - 1))] = draw(regular_tiles)
        case "add":
            tiles.insert(draw(st.integers(0, len(tiles))), draw(regular_tiles))
        case "take":
            del tiles[draw(st.integers(0, len(tiles) - 1))]
        case "shuffle":
            tiles = draw(st.permutations(tiles))
        case _:
            pass
    return tiles


@st.composite
def places(draw: st.DrawFn) -> Place:
    """Anything that may stand at a place."""
    readings = draw(st.lists(any_tiles, max_size=3, unique=True))
    if len(readings) == 1 and readings[0].is_joker and draw(st.booleans()):
        return Place(tuple(readings), draw(plain_tiles))
    return Place(tuple(readings))


noted_sets = st.one_of(
    st.lists(places(), min_size=1, max_size=8).map(tuple),
    runs().map(lambda tiles: tuple(Place((tile,)) for tile in tiles)),
)
noted_tables: st.SearchStrategy[tuple[Places, ...]] = st.lists(noted_sets, max_size=5).map(tuple)
tables = st.lists(near_sets(), min_size=1, max_size=4)
