"""The census of a box."""

from __future__ import annotations

from referee.census import BoxCount, count_box
from referee.notation import Place, Places, sure
from referee.observation import Observation
from referee.preset_files import load_ruleset
from referee.ruleset import RuleSet, box_faces
from referee.tiles import Tile, parse_tile
from tests.referee.builders import Covered, observe, table

RULES = load_ruleset()


def whole_box(rules: RuleSet) -> list[Tile]:
    return [tile for tile in box_faces() for _ in range(rules.held(tile))]


def picture(tiles: list[Tile], *extra: Place, far: int = 0) -> Observation:
    rows: list[Places] = [sure(*tiles)]
    return observe([*rows, *((place,) for place in extra)], covered=Covered(far=far))


def names(count: BoxCount) -> tuple[list[str], list[str]]:
    return (
        [f"{face.tile} {face.difference}" for face in count.missing],
        [f"{face.tile} {face.difference}" for face in count.surplus],
    )


def test_a_whole_box() -> None:
    for name in ("international", "twist-pl"):
        rules = load_ruleset(name)
        count = count_box(picture(whole_box(rules)), rules)
        assert names(count) == ([], [])
        assert (count.complete, count.certain, count.seen, count.held) == (True, True, rules.box_size, rules.box_size)


def test_missing_and_surplus_tiles() -> None:
    tiles = whole_box(RULES)
    for code in ("R5", "R5", "K13", "J"):
        tiles.remove(parse_tile(code))
    tiles += [parse_tile("B1"), parse_tile("JM")]
    count = count_box(picture(tiles), RULES)
    assert names(count) == (["R5 -2", "K13 -1", "J -1"], ["B1 1", "JM 1"])
    assert count.complete is False


def test_a_missing_tile_may_be_the_doubtful_hidden_or_unread_one() -> None:
    tiles = whole_box(RULES)
    tiles.remove(parse_tile("R6"))
    doubtful = Place((parse_tile("R6"), parse_tile("R9")))
    count = count_box(picture(tiles, doubtful), RULES)
    assert names(count) == (["R6 -1"], [])
    assert (count.doubtful, count.face_down, count.unread, count.complete) == ((105,), (), 0, None)
    count = count_box(picture(tiles, Place()), RULES)
    assert (count.doubtful, count.face_down, count.complete, count.certain) == ((), (105,), None, False)
    count = count_box(picture(tiles, far=1), RULES)
    assert (count.unread, count.complete) == (1, None)
    assert count_box(picture(tiles), RULES).complete is False
    tiles.remove(parse_tile("R7"))
    assert count_box(picture(tiles, Place()), RULES).complete is False


def test_more_than_the_box_is_not_a_whole_box() -> None:
    assert count_box(picture(whole_box(RULES), Place()), RULES).complete is None
    assert count_box(picture([*whole_box(RULES), parse_tile("R1")]), RULES).complete is False


def test_an_empty_picture() -> None:
    count = count_box(table(""), RULES)
    assert (count.seen, count.missing, count.complete, count.empty) == (0, (), None, True), "it shows no box"
    assert [str(face.tile) for face in count.faces[:2]] == ["R1", "R2"]
