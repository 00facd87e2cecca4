"""Sets that hold a double, a colour-change or a mirror joker.

Such a set is read in the order in which it lies, up or down, for what its special jokers do hangs on their places:

* a **double** takes two consecutive numbers of a run, or two missing colours of a group;
* a **colour-change** takes one number of a run whose colour differs on its two sides, so never at an end;
* a **mirror** is the exact centre: what lies on its one side lies reversed on its other.  Each side is a piece of a
  run or of a group, however short; a double counts as its two tiles.  The mirror itself is worth nothing.

Regular jokers stand for single tiles as ever.  Only runs with no special joker but doubles are also read by content and
only where no order fits at all: a double before 2 or after 12 lies in order, and its numbers do not exist.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, permutations, product

from referee.findings import Finding, FindingCode, Severity
from referee.ruleset import RowOrder, RuleSet
from referee.set_ruling import JokerMeaning, SetKind, SetRuling
from referee.tiles import HIGHEST_NUMBER, LOWEST_NUMBER, Colour, Joker, Tile

NUMBERS = range(LOWEST_NUMBER, HIGHEST_NUMBER + 1)
Slot = tuple[Tile, ...]
"""The tiles that one place stands for: itself, a joker's tile, a double's two, a colour-change in both colours."""


@dataclass(frozen=True, slots=True)
class _Reading:
    """One way to read a whole set: what each place stands for (a mirror for nothing), and whether it lies in order."""

    kind: SetKind
    slots: tuple[Slot, ...]
    as_laid: bool = True

    def value(self, tiles: Sequence[Tile]) -> int:
        """The sum of the numbers; a colour-change is one tile."""
        total = 0
        for tile, slot in zip(tiles, self.slots, strict=True):
            counted = slot[:1] if tile.joker is Joker.COLOUR_CHANGE else slot
            total += sum(one.number or 0 for one in counted)
        return total


def judge_special_set(tiles: Sequence[Tile], ruleset: RuleSet, exhausted: frozenset[Tile]) -> SetRuling:
    """Rule on a set that holds at least one special joker; parameters as those of ``judge_set``."""
    findings = list(_house_rules(tiles, ruleset))
    readings = _readings(tiles, ruleset)
    if not readings:
        findings += _blame(tiles, ruleset)
    elif not ruleset.joker_for_exhausted_tile and exhausted:
        kept = [one for one in readings if not _uses(tiles, one, exhausted)]
        if not kept:
            gone = {str(tile) for one in readings for tile in _stood_for(tiles, one) if tile in exhausted}
            params = (("exhausted", tuple(sorted(gone))),)
            findings.append(Finding(FindingCode.JOKER_FOR_EXHAUSTED_TILE, _jokers(tiles), params))
        readings = kept
    if readings and not readings[0].as_laid:
        severity = Severity.FAULT if ruleset.row_order is RowOrder.ILLEGAL else Severity.NOTE
        findings.append(Finding(FindingCode.SCRAMBLED, tuple(range(len(tiles))), (), severity))
    if not readings or any(finding.severity is Severity.FAULT for finding in findings):
        return SetRuling(SetKind.NONE, False, None, (), tuple(findings))
    chosen = max(readings, key=lambda one: one.value(tiles))
    return SetRuling(chosen.kind, True, chosen.value(tiles), _meanings(tiles, chosen, readings), tuple(findings))


def _house_rules(tiles: Sequence[Tile], ruleset: RuleSet) -> Iterator[Finding]:
    everything, jokers = tuple(range(len(tiles))), _jokers(tiles)
    if len(tiles) < ruleset.min_set_length:
        params = (("length", len(tiles)), ("least", ruleset.min_set_length))
        yield Finding(FindingCode.TOO_SHORT, everything, params)
    if len(jokers) > ruleset.jokers_per_set_max:
        counts = (("count", len(jokers)), ("most", ruleset.jokers_per_set_max))
        yield Finding(FindingCode.TOO_MANY_JOKERS, jokers, counts)
    special = tuple(i for i in jokers if tiles[i].joker is not Joker.REGULAR)
    if len(special) > ruleset.special_jokers_per_set_max:
        counts = (("count", len(special)), ("most", ruleset.special_jokers_per_set_max))
        yield Finding(FindingCode.TOO_MANY_SPECIAL_JOKERS, special, counts)
    side_by_side = tuple(sorted({i for pair in pairwise(jokers) if pair[1] - pair[0] == 1 for i in pair}))
    if side_by_side and not ruleset.jokers_adjacent and not list(_groups(tiles, ruleset)):
        yield Finding(FindingCode.ADJACENT_JOKERS, side_by_side)


def _jokers(tiles: Sequence[Tile]) -> tuple[int, ...]:
    return tuple(i for i, tile in enumerate(tiles) if tile.is_joker)


def _stood_for(tiles: Sequence[Tile], reading: _Reading) -> Iterator[Tile]:
    for tile, slot in zip(tiles, reading.slots, strict=True):
        if tile.joker in {Joker.REGULAR, Joker.DOUBLE}:
            yield from slot


def _uses(tiles: Sequence[Tile], reading: _Reading, exhausted: frozenset[Tile]) -> bool:
    return any(tile in exhausted for tile in _stood_for(tiles, reading))


def _meanings(tiles: Sequence[Tile], chosen: _Reading, readings: Sequence[_Reading]) -> tuple[JokerMeaning, ...]:
    meanings = []
    for place in _jokers(tiles):
        if slot := chosen.slots[place]:
            possible = dict.fromkeys(tile for one in (chosen, *readings) for tile in one.slots[place])
            meanings.append(JokerMeaning(place, slot[0], tuple(possible), slot[1] if len(slot) > 1 else None))
    return tuple(meanings)


# --- every way to read a set ------------------------------------------------------------------------------------


def _readings(tiles: Sequence[Tile], ruleset: RuleSet) -> list[_Reading]:
    mirrors = [i for i, tile in enumerate(tiles) if tile.joker is Joker.MIRROR]
    if mirrors:
        return list(_mirrored(tiles, mirrors[0], ruleset)) if len(mirrors) == 1 else []
    laid = [_Reading(SetKind.RUN, slots) for slots in _runs(tiles, ruleset)]
    laid += [_Reading(SetKind.GROUP, slots) for slots in _groups(tiles, ruleset)]
    if laid or _numbers_beyond(tiles):
        return laid
    return [_Reading(SetKind.RUN, slots, as_laid=False) for slots in _scrambled_runs(tiles, ruleset)]


def _numbers_beyond(tiles: Sequence[Tile]) -> tuple[int, ...]:
    """The numbers below 1 or above 13 that the places of the jokers ask for, where the plain tiles lie in order."""
    widths = [2 if tile.joker is Joker.DOUBLE else 1 for tile in tiles]
    offsets = [sum(widths[:i]) for i in range(len(tiles))]
    for step in (1, -1):
        starts = {tile.number - step * at for tile, at in zip(tiles, offsets, strict=True) if tile.number is not None}
        if len(starts) == 1:
            start = starts.pop()
            return tuple(start + step * k for k in range(sum(widths)) if start + step * k not in NUMBERS)
    return ()


def _runs(tiles: Sequence[Tile], ruleset: RuleSet) -> Iterator[tuple[Slot, ...]]:
    """Every reading of tiles as a run or a piece of one, in their order, upwards or downwards."""
    widths = [2 if tile.joker is Joker.DOUBLE else 1 for tile in tiles]
    length = sum(widths)
    changes = [i for i, tile in enumerate(tiles) if tile.joker is Joker.COLOUR_CHANGE]
    if length > len(NUMBERS) or len(changes) > ruleset.colour_changes_per_run:
        return
    if any(place in {0, len(tiles) - 1} for place in changes):
        return
    if not ruleset.double_at_ends and any(tiles[end].joker is Joker.DOUBLE for end in (0, -1)):
        return
    offsets = [sum(widths[:i]) for i in range(len(tiles))]
    for step, colours in product((1, -1), _segment_colours(tiles, len(changes))):
        for start in NUMBERS:
            numbers = [start + step * k for k in range(length)]
            if ruleset.wrap_13_1:
                numbers = [(number - LOWEST_NUMBER) % len(NUMBERS) + LOWEST_NUMBER for number in numbers]
            elif not (numbers[0] in NUMBERS and numbers[-1] in NUMBERS):
                continue
            if all(tile.number in {None, numbers[at]} for tile, at in zip(tiles, offsets, strict=True)):
                yield _laid_slots(tiles, colours, numbers, offsets)


def _segment_colours(tiles: Sequence[Tile], changes: int) -> Iterator[tuple[Colour, ...]]:
    """Every choice of a colour for each stretch between colour changes, as the plain tiles permit."""
    segments: list[set[Colour]] = [set()]
    for tile in tiles:
        if tile.joker is Joker.COLOUR_CHANGE:
            segments.append(set())
        elif tile.colour is not None:
            segments[-1].add(tile.colour)
    if any(len(segment) > 1 for segment in segments):
        return
    options = [tuple(segment) or tuple(Colour) for segment in segments]
    for colours in product(*options):
        if all(colours[k] is not colours[k + 1] for k in range(changes)):
            yield colours


def _laid_slots(
    tiles: Sequence[Tile], colours: Sequence[Colour], numbers: Sequence[int], offsets: Sequence[int]
) -> tuple[Slot, ...]:
    slots: list[Slot] = []
    segment = 0
    for tile, at in zip(tiles, offsets, strict=True):
        here = Tile(colour=colours[segment], number=numbers[at])
        match tile.joker:
            case Joker.DOUBLE:
                slots.append((here, Tile(colour=colours[segment], number=numbers[at + 1])))
            case Joker.COLOUR_CHANGE:
                segment += 1
                slots.append((here, Tile(colour=colours[segment], number=numbers[at])))
            case _:
                slots.append((here,))
    return tuple(slots)


def _groups(tiles: Sequence[Tile], ruleset: RuleSet) -> Iterator[tuple[Slot, ...]]:
    """Every reading of tiles as a group or a piece of one."""
    kinds = Counter(tile.joker for tile in tiles)
    numbers = {tile.number for tile in tiles if tile.number is not None}
    used = [tile.colour for tile in tiles if tile.colour is not None]
    if kinds[Joker.COLOUR_CHANGE] or kinds[Joker.MIRROR] or len(numbers) > 1 or len(set(used)) < len(used):
        return
    if kinds[Joker.DOUBLE] and not ruleset.double_in_group:
        return
    free = [colour for colour in Colour if colour not in used]
    needed = kinds[Joker.REGULAR] + 2 * kinds[Joker.DOUBLE]
    for number in numbers or NUMBERS:
        for chosen in permutations(free, needed):
            waiting = [Tile(colour=colour, number=number) for colour in chosen]
            slots: list[Slot] = []
            for tile in tiles:
                taken = {Joker.DOUBLE: 2, Joker.REGULAR: 1}.get(tile.joker, 0) if tile.joker else 0
                slots.append(tuple(waiting[:taken]) if taken else (tile,))
                waiting = waiting[taken:]
            yield tuple(slots)


def _scrambled_runs(tiles: Sequence[Tile], ruleset: RuleSet) -> Iterator[tuple[Slot, ...]]:
    """Runs by content alone, where doubles are the only special jokers: some order of the tiles is a run."""
    doubles = [i for i, tile in enumerate(tiles) if tile.joker is Joker.DOUBLE]
    singles = [i for i, tile in enumerate(tiles) if tile.joker is Joker.REGULAR]
    plain = [i for i, tile in enumerate(tiles) if not tile.is_joker]
    colours = {tile.colour for tile in tiles if tile.colour is not None}
    present = [tile.number for tile in tiles if tile.number is not None]
    jokers = len(doubles) + len(singles)
    if len(plain) + jokers < len(tiles) or len(colours) != 1 or len(set(present)) < len(present):
        return
    colour, length = colours.pop(), len(tiles) + len(doubles)
    for start in range(LOWEST_NUMBER, HIGHEST_NUMBER - length + 2):
        window = range(start, start + length)
        missing = [number for number in window if number not in present]
        if len(missing) != length - len(present):
            continue
        for paired in _pairings(missing, len(doubles)):
            first_of_pair = {number for pair in paired for number in pair}
            if not ruleset.double_at_ends and first_of_pair & {window[0], window[-1]}:
                continue
            rest = [number for number in missing if number not in first_of_pair]
            slots: dict[int, Slot] = {i: (tiles[i],) for i in plain}
            slots |= {
                i: tuple(Tile(colour=colour, number=number) for number in pair)
                for i, pair in zip(doubles, paired, strict=True)
            }
            slots |= {i: (Tile(colour=colour, number=number),) for i, number in zip(singles, rest, strict=True)}
            yield tuple(slots[i] for i in range(len(tiles)))


def _pairings(numbers: Sequence[int], pairs: int) -> Iterator[tuple[tuple[int, int], ...]]:
    """Every choice of that many disjoint pairs of consecutive numbers."""
    if pairs == 0:
        yield ()
        return
    for i, (low, high) in enumerate(pairwise(numbers)):
        if high == low + 1:
            for others in _pairings(numbers[i + 2 :], pairs - 1):
                yield ((low, high), *others)


def _mirrored(tiles: Sequence[Tile], centre: int, ruleset: RuleSet) -> Iterator[_Reading]:
    left, right = tiles[:centre], tiles[centre + 1 :]
    if not left or not right or min(_breadth(left), _breadth(right)) < ruleset.mirror_side_least:
        return
    loose_ends = replace(ruleset, double_at_ends=True)
    for slots in _runs(left, loose_ends):
        for other in _runs(right, loose_ends):
            if _flat(slots) == _flat(other)[::-1]:
                yield _Reading(SetKind.RUN, (*slots, (), *other))
    if not ruleset.mirror_in_group:
        return
    for slots in _groups(left, ruleset):
        for other in _groups(right, ruleset):
            if set(_flat(slots)) == set(_flat(other)):
                yield _Reading(SetKind.GROUP, (*slots, (), *other))


def _breadth(side: Sequence[Tile]) -> int:
    return sum(2 if tile.joker is Joker.DOUBLE else 1 for tile in side)


def _flat(slots: Sequence[Slot]) -> list[frozenset[Tile]]:
    """The tiles of a side one by one, a two-coloured one as both."""
    flat: list[frozenset[Tile]] = []
    for slot in slots:
        if len(slot) == 2 and slot[0].number == slot[1].number and len(slots) > 1 and _two_coloured(slot, slots):
            flat.append(frozenset(slot))
        else:
            flat += [frozenset((tile,)) for tile in slot]
    return flat


def _two_coloured(slot: Slot, slots: Sequence[Slot]) -> bool:
    """Whether two tiles of one number are one colour-change of a run, and not a double of a group."""
    return len({tile.number for one in slots for tile in one}) > 1 and slot[0].number == slot[1].number


# --- what is wrong ----------------------------------------------------------------------------------------------


def _blame(tiles: Sequence[Tile], ruleset: RuleSet) -> Iterator[Finding]:
    """Why there is no reading: the house rules without which there is one, else what the special jokers lack."""
    beyond = _numbers_beyond(tiles)
    if beyond and len({tile.colour for tile in tiles if tile.colour is not None}) == 1:
        yield Finding(FindingCode.JOKER_OUT_OF_RANGE, _jokers(tiles), (("numbers", beyond),))
        return
    found = [*_blamed_rules(tiles, ruleset), *_mirror_faults(tiles, ruleset), *_colour_change_faults(tiles)]
    yield from found or [Finding(FindingCode.NEITHER_RUN_NOR_GROUP, tuple(range(len(tiles))))]


def _blamed_rules(tiles: Sequence[Tile], ruleset: RuleSet) -> Iterator[Finding]:
    def legal_with(**changes: bool | int) -> bool:
        return bool(_readings(tiles, replace(ruleset, **changes)))  # type: ignore[arg-type]  # ints and bools only

    def places(kind: Joker) -> tuple[int, ...]:
        return tuple(i for i, tile in enumerate(tiles) if tile.joker is kind)

    if legal_with(double_at_ends=True):
        yield Finding(FindingCode.DOUBLE_AT_END, tuple(i for i in places(Joker.DOUBLE) if i in {0, len(tiles) - 1}))
    elif legal_with(double_in_group=True):
        yield Finding(FindingCode.DOUBLE_IN_GROUP, places(Joker.DOUBLE))
    elif legal_with(colour_changes_per_run=8):
        changes = places(Joker.COLOUR_CHANGE)
        params = (("count", len(changes)), ("most", ruleset.colour_changes_per_run))
        yield Finding(FindingCode.TOO_MANY_COLOUR_CHANGES, changes, params)
    elif legal_with(mirror_side_least=1):
        yield Finding(FindingCode.MIRROR_SIDE_SHORT, places(Joker.MIRROR), (("least", ruleset.mirror_side_least),))
    elif legal_with(mirror_in_group=True):
        yield Finding(FindingCode.MIRROR_IN_GROUP, places(Joker.MIRROR))


def _mirror_faults(tiles: Sequence[Tile], ruleset: RuleSet) -> Iterator[Finding]:
    mirrors = tuple(i for i, tile in enumerate(tiles) if tile.joker is Joker.MIRROR)
    if len(mirrors) > 1:
        yield Finding(FindingCode.TOO_MANY_MIRRORS, mirrors, (("count", len(mirrors)),))
    elif mirrors:
        left, right = tiles[: mirrors[0]], tiles[mirrors[0] + 1 :]
        if _breadth(left) != _breadth(right):
            yield Finding(FindingCode.MIRROR_NOT_CENTRAL, mirrors, (("left", len(left)), ("right", len(right))))
        elif not _readings(tiles, replace(ruleset, mirror_side_least=1, mirror_in_group=True)):
            yield Finding(FindingCode.MIRROR_SIDES_DIFFER, (*range(mirrors[0]), *range(mirrors[0] + 1, len(tiles))))


def _colour_change_faults(tiles: Sequence[Tile]) -> Iterator[Finding]:
    for i, tile in enumerate(tiles):
        if tile.joker is Joker.COLOUR_CHANGE:
            if i in {0, len(tiles) - 1}:
                yield Finding(FindingCode.COLOUR_CHANGE_AT_END, (i,))
            elif tiles[i - 1].colour is not None and tiles[i - 1].colour is tiles[i + 1].colour:
                yield Finding(FindingCode.COLOUR_NOT_CHANGED, (i,))
