"""Turns made by playing them: whatever lawful course led from one table to the next, the judge finds it lawful."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.findings import FindingCode
from referee.notation import sure
from referee.preset_files import load_ruleset
from referee.ruling import Verdict
from referee.sets import SetKind, judge_set
from referee.switches import TablePlay
from referee.tiles import Colour, Joker, Tile
from referee.turn import Player, TurnRuling, judge_turn
from tests.referee.strategies import JOKER, groups, runs

PRESETS = {name: load_ruleset(name) for name in ("international", "twist-pl", "classic-es", "us-2009", "sabra")}
ADD_ONLY = load_ruleset("logiczna-pl")


@dataclass
class Course:
    """A table being played on: the sets as lists, and what came from the rack."""

    sets: list[list[Tile]]
    played: list[Tile] = field(default_factory=list)

    def lay(self, *tiles: Tile) -> list[Tile]:
        self.played += tiles
        return list(tiles)

    def add_to_run(self, k: int) -> bool:
        """A rack tile at one end of a run."""
        one = self.sets[k]
        plain = [(i, tile) for i, tile in enumerate(one) if not tile.is_joker]
        if len(plain) < 2 or judge_set(one, PRESETS["international"]).kind is not SetKind.RUN:
            return False
        (i, first), (j, last) = plain[0], plain[-1]
        assert first.number is not None
        assert last.number is not None
        step = 1 if last.number > first.number else -1
        number = last.number + step * (len(one) - j)
        if not 1 <= number <= 13 or abs(last.number - first.number) != j - i:
            return False
        one.extend(self.lay(Tile(colour=first.colour, number=number)))
        return True

    def split(self, k: int) -> bool:
        """A long run in two."""
        one = self.sets[k]
        if len(one) < 6:
            return False
        self.sets[k] = one[:3]
        self.sets.append(one[3:])
        return True

    def to_a_new_group(self, k: int) -> bool:
        """The last tile of a run of four or more, with two rack tiles of its number."""
        one = self.sets[k]
        tile = one[-1]
        if len(one) < 4 or tile.is_joker or judge_set(one, PRESETS["international"]).kind is not SetKind.RUN:
            return False
        others = [colour for colour in Colour if colour is not tile.colour][:2]
        one.pop()
        self.sets.append([tile, *self.lay(*(Tile(colour=colour, number=tile.number) for colour in others))])
        return True

    def free_a_joker(self, k: int) -> bool:
        """The tile that a joker stands for from the rack, the joker with two more rack tiles in a new set."""
        one = self.sets[k]
        ruling = judge_set(one, PRESETS["international"])
        if len(ruling.meanings) != 1 or len(ruling.meanings[0].possible) != 1:
            return False
        meaning = ruling.meanings[0]
        one[meaning.place] = self.lay(meaning.stands_for)[0]
        self.sets.append([*self.lay(Tile(colour=Colour.BLACK, number=12), Tile(colour=Colour.BLUE, number=12)), JOKER])
        return True


def judged(before: list[list[Tile]], course: Course, preset: str) -> TurnRuling:
    earlier = tuple(sure(*one) for one in before)
    later = tuple(sure(*one) for one in course.sets)
    return judge_turn(earlier, later, Player(opened=True, rack=sure(*course.played)), PRESETS[preset])


table_strategy = st.lists(st.one_of(runs(), groups()), min_size=1, max_size=4)
STEPS = ("add_to_run", "split", "to_a_new_group", "free_a_joker")


def legal_start(sets: list[list[Tile]]) -> bool:
    return sum(tile.is_joker for one in sets for tile in one) <= 2


@pytest.mark.parametrize("preset", PRESETS)
@given(
    sets=table_strategy.filter(legal_start),
    steps=st.lists(st.tuples(st.sampled_from(STEPS), st.integers(0, 9)), min_size=1, max_size=5),
)
@settings(max_examples=150)
def test_a_course_of_lawful_steps_is_a_lawful_turn(
    preset: str, sets: list[list[Tile]], steps: list[tuple[str, int]]
) -> None:
    jokers_lie = any(tile.is_joker for one in sets for tile in one)
    before = [list(one) for one in sets]
    course = Course([list(one) for one in sets])
    for step, k in steps:
        if preset == "sabra" and jokers_lie and step in {"split", "to_a_new_group"}:
            continue  # sets with a joker are frozen there
        turn = len(course.sets)
        any(getattr(course, step)((k + i) % turn) for i in range(turn))  # the first set where it can be done
    ruling = judged(before, course, preset)
    if not course.played:
        assert ruling.faults == {FindingCode.NOTHING_LAID}
        return
    assert ruling.faults == set(), [str(finding) for finding in ruling.findings]
    assert Counter(ruling.played) == Counter(course.played)
    assert ruling.verdict in {Verdict.LEGAL, Verdict.CANNOT_TELL}, "more copies than the box holds"


@given(sets=table_strategy.filter(legal_start), adds=st.lists(st.integers(0, 9), min_size=1, max_size=4))
@settings(max_examples=60)
def test_adding_alone_is_lawful_where_only_adding_is(sets: list[list[Tile]], adds: list[int]) -> None:
    course = Course([list(one) for one in sets])
    for k in adds:
        course.add_to_run(k % len(course.sets))
    earlier, later = (tuple(sure(*one) for one in table) for table in (sets, course.sets))
    ruling = judge_turn(earlier, later, Player(opened=True), ADD_ONLY)
    assert ADD_ONLY.table_play is TablePlay.ADD_ONLY
    assert ruling.faults <= {FindingCode.NOTHING_LAID}


@given(sets=table_strategy.filter(legal_start), data=st.data())
@settings(max_examples=60)
def test_a_tile_that_goes_to_a_rack_is_always_found(sets: list[list[Tile]], data: st.DataObject) -> None:
    course = Course([list(one) for one in sets])
    for k in data.draw(st.lists(st.integers(0, 9), max_size=3)):
        course.add_to_run(k % len(course.sets))
    k = data.draw(st.integers(0, len(sets) - 1))
    gone = course.sets[k].pop(data.draw(st.integers(0, len(sets[k]) - 1)))
    if Counter(tile for one in course.sets for tile in one)[gone] >= Counter(t for one in sets for t in one)[gone]:
        return  # a twin from the rack took its place, and nobody can tell them apart
    later = tuple(sure(*one) for one in course.sets if one)
    ruling = judge_turn(tuple(sure(*one) for one in sets), later, Player(opened=True), PRESETS["international"])
    assert FindingCode.TABLE_TILE_TAKEN in ruling.faults
    assert gone in ruling.taken
    assert gone.joker in {None, Joker.REGULAR}
