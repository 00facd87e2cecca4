"""One set that may hold jokers of any kind: an order in which given tiles are legal, and the sets that a rack holds.

A run is built upwards, number by number: each number is taken by its tile, by a joker, by half a double or by a
colour-change.  A mirrored run is two such rows that grow together.  Of a group only the tiles matter, not their order.
Everything that is found lies in order, so ``referee.sets.judge_set`` calls it legal and has nothing to note.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, pairwise, product

from referee.ruleset import RuleSet
from referee.solver.plays import Opening, best_opening, without_special
from referee.tiles import HIGHEST_NUMBER, LOWEST_NUMBER, Colour, Joker, Tile

REGULAR = Tile(joker=Joker.REGULAR)
DOUBLE = Tile(joker=Joker.DOUBLE)
COLOUR_CHANGE = Tile(joker=Joker.COLOUR_CHANGE)
MIRROR = Tile(joker=Joker.MIRROR)
NUMBERS = range(LOWEST_NUMBER, HIGHEST_NUMBER + 1)
PLAIN = {(colour, number): Tile(colour=colour, number=number) for colour in Colour for number in NUMBERS}
MOST_SPECIAL = 4
"""An opening is looked for in racks with up to this many special jokers: a Twist box holds three."""
Side = tuple[Tile, ...]


@dataclass(frozen=True, slots=True)
class LaidSet:
    """A legal set in reading order, and its value; a joker counts as what it stands for."""

    tiles: tuple[Tile, ...]
    value: int


def arrange_one_set(tiles: Sequence[Tile], ruleset: RuleSet) -> tuple[Tile, ...] | None:
    """The order of the highest value in which these tiles, jokers of any kind included, are one legal set."""
    laid = lay_one_set(tiles, ruleset)
    return None if laid is None else laid.tiles


def lay_one_set(tiles: Sequence[Tile], ruleset: RuleSet) -> LaidSet | None:
    """The same with its value; None where no order of these tiles is one legal set."""
    if len(tiles) < ruleset.min_set_length:
        return None
    search = _Search(Counter(tiles), ruleset, whole=True)
    return max(search.sets(), key=lambda one: one.value, default=None)


def sets_with_special_jokers(rack: Sequence[Tile], ruleset: RuleSet) -> list[LaidSet]:
    """Every set that these tiles hold with at least one special joker in it, the most valuable first.

    Of sets of the same tiles only the most valuable one is listed.
    """
    search = _Search(Counter(rack), ruleset, whole=False)
    best: dict[frozenset[tuple[Tile, int]], LaidSet] = {}
    for one in search.sets():
        if any(tile.is_special for tile in one.tiles):
            content = frozenset(Counter(one.tiles).items())
            if content not in best or best[content].value < one.value:
                best[content] = one
    return sorted(best.values(), key=lambda one: (-one.value, len(one.tiles), [str(tile) for tile in one.tiles]))


def best_opening_of_any(rack: Sequence[Tile], ruleset: RuleSet, enough: int | None = None) -> Opening | None:
    """The best opening of a rack that may hold special jokers; None where it holds more than ``MOST_SPECIAL``.

    With ``enough`` any opening of at least that value will do, also where there are more.
    """
    if not ruleset.open_joker_allowed:
        return best_opening([tile for tile in rack if not tile.is_joker], ruleset)
    special = sum(tile.is_special for tile in rack)
    if not special:
        return best_opening(rack, ruleset)
    if special > MOST_SPECIAL:
        plain = best_opening(without_special(rack), ruleset)
        return plain if enough is not None and plain.value >= enough else None
    return _Openings(sets_with_special_jokers(rack, ruleset), ruleset, enough).best(Counter(rack))


class _Openings:
    """The search for the best opening: some of the sets with special jokers, and the best of the tiles left."""

    def __init__(self, sets: Sequence[LaidSet], ruleset: RuleSet, enough: int | None) -> None:
        self._sets = [(one, Counter(one.tiles)) for one in sets]
        self._rules = ruleset
        self._enough = enough
        self._best = Opening((), 0)
        self._known: dict[frozenset[tuple[Tile, int]], Opening] = {}

    def best(self, rack: Counter[Tile]) -> Opening:
        self._search(rack, 0, Opening((), 0))
        return self._best

    def _search(self, left: Counter[Tile], first: int, laid: Opening) -> None:
        """Lay some of the sets from ``first`` on, which are worth no more than that one."""
        rest = self._without_specials(left)
        if laid.value + rest.value > self._best.value:
            self._best = Opening((*laid.sets, *rest.sets), laid.value + rest.value)
        specials = sum(count for tile, count in left.items() if tile.is_special)
        for k in range(first, len(self._sets)):
            one, content = self._sets[k]
            most = laid.value + rest.value + specials * one.value
            if most <= self._best.value or (self._enough is not None and self._best.value >= self._enough):
                return
            if not content - left:
                self._search(left - content, k, Opening((*laid.sets, one.tiles), laid.value + one.value))

    def _without_specials(self, left: Counter[Tile]) -> Opening:
        plain = without_special(left.elements())
        key = frozenset(Counter(plain).items())
        if key not in self._known:
            self._known[key] = best_opening(plain, self._rules)
        return self._known[key]


@dataclass(frozen=True, slots=True)
class _Row:
    """A run in the making: the rows of its sides, all of the same numbers (one side; two where a mirror parts them).

    ``colour`` is that of the stretch in the making, None as long as any will do but ``barred``, the one before the
    last colour-change.  ``doubled`` says of each side whether its last double takes the next number as well.
    """

    start: int
    breadth: int
    sides: tuple[Side, ...]
    doubled: tuple[bool, ...]
    colour: Colour | None = None
    barred: Colour | None = None
    changes: int = 0
    plain: int = 0


class _Search:
    """The sets that can be made of some tiles: of all of them (``whole``), or of any."""

    def __init__(self, held: Counter[Tile], ruleset: RuleSet, *, whole: bool) -> None:
        self._held = held
        self._rules = ruleset
        self._whole = whole
        self._size = held.total()
        self._numbers = Counter(dict.fromkeys(NUMBERS, 0))
        for tile, count in held.items():
            if tile.number is not None:
                self._numbers[tile.number] += count
        self._plain = self._numbers.total()

    def sets(self) -> Iterator[LaidSet]:
        """Every legal set, often several times."""
        if not self._whole or not self._held[MIRROR]:
            yield from self._groups()
            yield from self._runs(sides=1)
        if self._held[MIRROR] and (not self._whole or self._held[MIRROR] == 1):
            yield from self._mirrored_groups()
            yield from self._runs(sides=2)

    def _allowed(self, tiles: Sequence[Tile]) -> bool:
        """Whether a set is long enough, and does not hold too many jokers."""
        jokers = sum(tile.is_joker for tile in tiles)
        return (
            len(tiles) >= self._rules.min_set_length
            and (not self._whole or len(tiles) == self._size)
            and jokers <= self._rules.jokers_per_set_max
            and (
                jokers <= self._rules.special_jokers_per_set_max
                or sum(tile.is_special for tile in tiles) <= self._rules.special_jokers_per_set_max
            )
        )

    # --- groups -------------------------------------------------------------------------------------------------

    def _groups(self) -> Iterator[LaidSet]:
        for number in self._group_numbers():
            choices = [(0, 1) if self._held[PLAIN[colour, number]] else (0,) for colour in Colour]
            for taken in product(*choices):
                plain = _of_colours(taken, number)
                for jokers, width in self._jokers_of_group(self._rules.longest_group - len(plain)):
                    tiles = (*plain, *jokers)
                    if self._allowed(tiles):
                        yield LaidSet(tiles, number * (len(plain) + width))

    def _mirrored_groups(self) -> Iterator[LaidSet]:
        if not self._rules.mirror_in_group:
            return
        for number in self._group_numbers():
            counts = [self._held[PLAIN[colour, number]] for colour in Colour]
            for taken in product(*([pair for pair in product((0, 1), (0, 1)) if sum(pair) <= n] for n in counts)):
                left, right = (_of_colours([pair[side] for pair in taken], number) for side in (0, 1))
                colours = sum(1 for pair in taken if any(pair))
                yield from self._mirrored_group(left, right, colours, number)

    def _mirrored_group(self, left: Side, right: Side, colours: int, number: int) -> Iterator[LaidSet]:
        most = self._rules.longest_group
        for (ours, one), (theirs, other) in product(
            self._jokers_of_group(most - len(left)), self._jokers_of_group(most - len(right))
        ):
            breadth = len(left) + one
            same = breadth == len(right) + other and breadth >= max(colours, self._rules.mirror_side_least, 1)
            if not same or Counter((*ours, *theirs)) - self._held:
                continue
            tiles = (*_parted(ours, left), MIRROR, *reversed(_parted(theirs, right)))
            if self._allowed(tiles) and (self._rules.jokers_adjacent or not _neighbours(tiles)):
                yield LaidSet(tiles, 2 * number * breadth)

    def _group_numbers(self) -> Iterator[int]:
        """The numbers that a group may have; one of jokers alone has the highest."""
        numbers = [number for number in NUMBERS if self._numbers[number]]
        if not self._whole:
            yield from {*numbers, HIGHEST_NUMBER}
        elif len(numbers) <= 1:
            yield from numbers or [HIGHEST_NUMBER]

    def _jokers_of_group(self, room: int) -> Iterator[tuple[Side, int]]:
        """Every choice of jokers for that many colours, and how many colours they take."""
        doubles = self._held[DOUBLE] if self._rules.double_in_group else 0
        for double in range(min(doubles, room // 2) + 1):
            for regular in range(min(self._held[REGULAR], room - 2 * double) + 1):
                yield (DOUBLE,) * double + (REGULAR,) * regular, 2 * double + regular

    # --- runs ---------------------------------------------------------------------------------------------------

    def _runs(self, sides: int) -> Iterator[LaidSet]:
        for start in self._starts(sides):
            self._seen: set[object] = set()
            yield from self._grown(_Row(start, 0, ((),) * sides, (False,) * sides), dict(self._jokers()))

    def _jokers(self) -> Iterator[tuple[Tile, int]]:
        for joker in (REGULAR, DOUBLE, COLOUR_CHANGE):
            yield joker, self._held[joker]

    def _starts(self, sides: int) -> Sequence[int]:
        """The numbers that a run may start from, the highest first."""
        present = [number for number in NUMBERS if self._numbers[number]]
        if not self._whole:
            return tuple(reversed(NUMBERS))
        width, odd = divmod(
            self._plain + self._held[REGULAR] + 2 * self._held[DOUBLE] + self._held[COLOUR_CHANGE], sides
        )
        if odd or width > len(NUMBERS) or max(self._numbers.values()) > sides:
            return ()
        if self._rules.wrap_13_1:
            return tuple(reversed(NUMBERS))
        highest = min(HIGHEST_NUMBER - width + 1, present[0] if present else HIGHEST_NUMBER)
        lowest = max(LOWEST_NUMBER, present[-1] - width + 1 if present else LOWEST_NUMBER)
        return tuple(range(highest, lowest - 1, -1))

    def _grown(self, row: _Row, jokers: dict[Tile, int]) -> Iterator[LaidSet]:
        """Every run that the row is, or that it grows to."""
        if self._whole:
            # The same place, reached with the same tiles left: what can follow was looked at before.
            ends = tuple((side[0].joker, side[-1].joker) for side in row.sides if side)
            key = (row.breadth, row.doubled, row.colour, row.barred, row.changes, ends, *jokers.values())
            if key in self._seen:
                return
            self._seen.add(key)
        if row.breadth and not any(row.doubled):
            yield from self._finished(row)
        if row.breadth == len(NUMBERS):
            return
        number = row.start + row.breadth
        if number > HIGHEST_NUMBER:
            if not self._rules.wrap_13_1:
                return
            number -= len(NUMBERS)
        for longer, used in chain(self._next(row, number, jokers), self._changed(row, number, jokers)):
            left = {joker: count - used.count(joker) for joker, count in jokers.items()}
            if min(left.values()) >= 0:
                yield from self._grown(longer, left)

    def _next(self, row: _Row, number: int, jokers: dict[Tile, int]) -> Iterator[tuple[_Row, Side]]:
        """One more number: on each side its tile, a joker, or half a double."""
        for colour in self._colours(row, number):
            tile = None if colour is None else PLAIN[colour, number]
            options = [
                (None,)
                if doubled
                else (
                    *(() if tile is None else (tile,)),
                    *(joker for joker in (REGULAR, DOUBLE) if jokers[joker] and self._apart(side)),
                )
                for side, doubled in zip(row.sides, row.doubled, strict=True)
            ]
            for items in product(*options):
                plain = sum(item is tile for item in items) if tile is not None else 0
                if tile is not None and not (row.colour is colour or plain):
                    continue  # a colour is settled by a tile of it
                if (tile is not None and plain > self._held[tile]) or (self._whole and plain < self._numbers[number]):
                    continue
                longer = replace(
                    row,
                    breadth=row.breadth + 1,
                    sides=tuple(
                        side if item is None else (*side, item) for side, item in zip(row.sides, items, strict=True)
                    ),
                    doubled=tuple(item is DOUBLE for item in items),
                    colour=colour,
                    plain=row.plain + plain,
                )
                yield longer, tuple(item for item in items if item is REGULAR or item is DOUBLE)

    def _colours(self, row: _Row, number: int) -> Iterator[Colour | None]:
        """The colours of a stretch once this number is laid: its own, or any that a tile of the number settles."""
        if row.colour is not None:
            yield row.colour
            return
        for colour in Colour:
            if colour is not row.barred and self._held[PLAIN[colour, number]]:
                yield colour
        yield None

    def _changed(self, row: _Row, number: int, jokers: dict[Tile, int]) -> Iterator[tuple[_Row, Side]]:
        """One more number, taken by a colour-change on each side."""
        changes = (COLOUR_CHANGE,) * len(row.sides)
        possible = row.breadth and not any(row.doubled) and row.changes < self._rules.colour_changes_per_run
        if not possible or jokers[COLOUR_CHANGE] < len(changes) or not all(self._apart(side) for side in row.sides):
            return
        if self._whole and self._numbers[number]:
            return
        sides = tuple((*side, COLOUR_CHANGE) for side in row.sides)
        yield (
            replace(row, breadth=row.breadth + 1, sides=sides, colour=None, barred=row.colour, changes=row.changes + 1),
            changes,
        )

    def _apart(self, side: Side) -> bool:
        """Whether a joker may lie next."""
        return self._rules.jokers_adjacent or not side or not side[-1].is_joker

    def _finished(self, row: _Row) -> Iterator[LaidSet]:
        if any(side[-1] is COLOUR_CHANGE for side in row.sides) or (self._whole and row.plain < self._plain):
            return
        numbers = range(row.start, row.start + row.breadth)
        value = sum((n - LOWEST_NUMBER) % len(NUMBERS) + LOWEST_NUMBER for n in numbers) * len(row.sides)
        if len(row.sides) == 1:
            (tiles,) = row.sides
            ends = self._rules.double_at_ends or DOUBLE not in {tiles[0], tiles[-1]}
            if ends and self._allowed(tiles):
                yield LaidSet(tiles, value)
            return
        if row.breadth < self._rules.mirror_side_least:
            return
        one, other = row.sides
        for tiles in ((*one, MIRROR, *reversed(other)), (*reversed(one), MIRROR, *other)):
            if self._allowed(tiles) and (self._rules.jokers_adjacent or not _neighbours(tiles)):
                yield LaidSet(tiles, value)
                return


def _of_colours(taken: Sequence[int], number: int) -> Side:
    return tuple(PLAIN[colour, number] for colour, one in zip(Colour, taken, strict=True) if one)


def _parted(jokers: Side, plain: Side) -> Side:
    """One side of a mirrored group, from outside to inside: jokers and plain tiles in turn, a plain one innermost."""
    turns = list(zip(jokers, plain, strict=False))
    return (*jokers[len(turns) :], *chain.from_iterable(turns), *plain[len(turns) :])


def _neighbours(tiles: Sequence[Tile]) -> bool:
    return any(one.is_joker and other.is_joker for one, other in pairwise(tiles))
