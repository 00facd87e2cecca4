"""One set by itself: is it a run or a group, what do its jokers stand for, what is wrong with it.

A set is judged by its content, and its order decides what a joker means:

* Where the tiles fit a run in the order as laid (ascending or descending) or a group, the jokers mean what their
  places say, and of several such readings the one of the highest value counts (``J J R7`` is R9 R8 R7, 24).
* Where only the content fits, the set is legal with a note, and a joker takes any missing number.  So ``R12 R13 J``
  is legal: no 14 exists, the joker stands for R11, and the note says that its place would be beyond 13.  The
  switch ``row_order`` turns that note into a fault.

The faults of an illegal set point to the fewest tiles whose replacement would make it legal, seen as the run or the
group to which it is closer.  Sets with special jokers are ``referee.special_sets``'s.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from referee.findings import Finding, FindingCode, Severity
from referee.ruleset import RowOrder, RuleSet
from referee.set_ruling import JokerMeaning, SetKind, SetRuling
from referee.special_sets import judge_special_set
from referee.tiles import HIGHEST_NUMBER, LOWEST_NUMBER, Colour, Joker, Tile

__all__ = ["LONGEST_RUN", "NUMBERS", "JokerMeaning", "SetKind", "SetRuling", "can_be_completed", "judge_set"]

LONGEST_RUN = HIGHEST_NUMBER - LOWEST_NUMBER + 1
NUMBERS = range(LOWEST_NUMBER, HIGHEST_NUMBER + 1)
_FREEING = (Tile(joker=Joker.COLOUR_CHANGE), Tile(joker=Joker.MIRROR))
"""Jokers that let tiles share a set that could not without: of two colours, or twice the same."""


@dataclass(frozen=True, slots=True)
class _Shape:
    """One way to read a whole set.

    ``options`` holds, for each joker in turn, the tiles that it may stand for, its meaning in this shape first; the
    jokers of one shape stand for different tiles, ``standing`` in all.
    """

    kind: SetKind
    value: int
    options: tuple[tuple[Tile, ...], ...]
    as_laid: bool

    @property
    def standing(self) -> tuple[Tile, ...]:
        return tuple(choice[0] for choice in self.options)


@dataclass(frozen=True, slots=True)
class _Content:
    """The tiles of a set, sorted into plain tiles and jokers.

    ``plain`` holds (place, colour, number), ``jokers`` places; ``colours`` and ``numbers`` are those of the plain
    tiles, each once and in order.
    """

    length: int
    plain: tuple[tuple[int, Colour, int], ...]
    jokers: tuple[int, ...]
    colours: tuple[Colour, ...]
    numbers: tuple[int, ...]

    @property
    def everything(self) -> tuple[int, ...]:
        return tuple(range(self.length))

    @property
    def adjacent_jokers(self) -> tuple[int, ...]:
        pairs = [pair for pair in pairwise(self.jokers) if pair[1] - pair[0] == 1]
        return tuple(sorted({place for pair in pairs for place in pair}))


def judge_set(tiles: Sequence[Tile], ruleset: RuleSet, exhausted: frozenset[Tile] = frozenset()) -> SetRuling:
    """Rule on one set, its tiles given in reading order.

    ``exhausted`` are the tiles all copies of which are in sight; they matter only where the rules forbid a joker to
    stand for such a tile.  Every finding is reported, not only the first.

    Raises ``ValueError`` for a set without tiles.
    """
    if not tiles:
        raise ValueError("a set has at least one tile")
    quick = _plain_in_order(tiles, ruleset)
    if quick is not None:
        return quick
    if any(tile.joker not in (None, Joker.REGULAR) for tile in tiles):
        return judge_special_set(tiles, ruleset, exhausted)
    content = _sort(tiles)
    short = _too_short(content, ruleset)
    shapes = _shapes(content, ruleset)
    findings = [*short, *_too_many_jokers(content, ruleset)]
    if shapes:
        shapes, objections = _permitted(shapes, content, ruleset, exhausted)
        findings += objections
    else:
        findings += _blame(content, ruleset)
    if findings or not shapes:
        return SetRuling(SetKind.NONE, False, None, (), tuple(findings))

    chosen = max(shapes, key=lambda shape: shape.value)
    notes = () if chosen.as_laid else (_out_of_order(content, Severity.NOTE),)
    return SetRuling(chosen.kind, True, chosen.value, _meanings(content, chosen, shapes), notes)


def _plain_in_order(tiles: Sequence[Tile], ruleset: RuleSet) -> SetRuling | None:
    """The ruling on a group without jokers or a run without jokers that lies in order; None for any other set.

    Nearly every set on a table is one of these, and no switch but the shortest length speaks of them.
    """
    first = tiles[0]
    length = len(tiles)
    if first.number is None or length < ruleset.min_set_length or length > LONGEST_RUN:
        return None
    second = tiles[1]
    if second.number == first.number:
        if length > ruleset.longest_group or len({tile.colour for tile in tiles}) < length:
            return None
        if any(tile.number != first.number for tile in tiles):
            return None
        return SetRuling(SetKind.GROUP, True, first.number * length, (), ())
    if second.number is None:
        return None
    step = second.number - first.number
    if step not in (1, -1):
        return None
    expected, value = first.number, 0
    for tile in tiles:
        if tile.number != expected or tile.colour is not first.colour:
            return None
        value += expected
        expected += step
    return SetRuling(SetKind.RUN, True, value, (), ())


def can_be_completed(tiles: Sequence[Tile], ruleset: RuleSet, further: Collection[Tile] | None = None) -> bool:
    """Whether some legal set holds all these tiles, whatever further tiles it takes (None: any that the box holds).

    Generous where it is in doubt: special jokers may do anything, and the order of the tiles is not looked at.
    """
    if any(tile.joker not in (None, Joker.REGULAR) for tile in tiles):
        return True
    if any(ruleset.held(tile) if further is None else tile in further for tile in _FREEING):
        return True
    content = _sort(tiles)
    if len(content.jokers) > ruleset.jokers_per_set_max:
        return False
    distinct = len({(colour, number) for _, colour, number in content.plain}) == len(content.plain)
    run = len(content.colours) <= 1 and content.length <= LONGEST_RUN
    group = len(content.numbers) <= 1 and content.length <= ruleset.longest_group
    return distinct and (run or group)


def _sort(tiles: Sequence[Tile]) -> _Content:
    plain = tuple(
        (i, tile.colour, tile.number)
        for i, tile in enumerate(tiles)
        if tile.colour is not None and tile.number is not None
    )
    present = {colour for _, colour, _ in plain}
    return _Content(
        length=len(tiles),
        plain=plain,
        jokers=tuple(i for i, tile in enumerate(tiles) if tile.is_joker),
        colours=tuple(colour for colour in Colour if colour in present),
        numbers=tuple(sorted({number for _, _, number in plain})),
    )


# --- what a set may be ------------------------------------------------------------------------------------------


def _shapes(content: _Content, ruleset: RuleSet) -> list[_Shape]:
    """Every reading of the set: those in the order as laid, or, failing these, those by content alone."""
    laid = [*_runs_as_laid(content, ruleset), *_groups(content, ruleset)]
    return laid or list(_runs_by_content(content, ruleset))


def _run_colours(content: _Content) -> tuple[Colour, ...]:
    """The colours that a run of this content may have."""
    if not content.plain:
        return tuple(Colour)
    return content.colours if len(content.colours) == 1 else ()


def _runs_as_laid(content: _Content, ruleset: RuleSet) -> Iterator[_Shape]:
    if content.length > LONGEST_RUN:
        return
    for colour in _run_colours(content):
        for step in (1, -1):
            for start in _starts(content, step, ruleset):
                numbers = [_wrapped(start + step * i, ruleset) for i in range(content.length)]
                inside = min(numbers) >= LOWEST_NUMBER and max(numbers) <= HIGHEST_NUMBER
                if inside and all(numbers[i] == number for i, _, number in content.plain):
                    options = tuple((Tile(colour=colour, number=numbers[i]),) for i in content.jokers)
                    yield _Shape(SetKind.RUN, sum(numbers), options, as_laid=True)


def _starts(content: _Content, step: int, ruleset: RuleSet) -> Sequence[int]:
    """The numbers that the first place of a run may have: one, given by any plain tile, if there is one."""
    if not content.plain:
        return NUMBERS
    place, _, number = content.plain[0]
    return (_wrapped(number - step * place, ruleset),)


def _wrapped(number: int, ruleset: RuleSet) -> int:
    """The number itself, or where 1 follows 13 its place in the circle."""
    return (number - LOWEST_NUMBER) % LONGEST_RUN + LOWEST_NUMBER if ruleset.wrap_13_1 else number


def _groups(content: _Content, ruleset: RuleSet) -> Iterator[_Shape]:
    colours = {colour for _, colour, _ in content.plain}
    if content.length > ruleset.longest_group or len(content.numbers) > 1 or len(colours) < len(content.plain):
        return
    free = tuple(colour for colour in Colour if colour not in colours)
    for number in content.numbers or NUMBERS:
        missing = tuple(Tile(colour=colour, number=number) for colour in free)
        yield _Shape(SetKind.GROUP, number * content.length, _shared_out(missing, len(content.jokers)), as_laid=True)


def _runs_by_content(content: _Content, ruleset: RuleSet) -> Iterator[_Shape]:
    present = {number for _, _, number in content.plain}
    if content.length > LONGEST_RUN or len(present) < len(content.plain):
        return
    for colour in _run_colours(content):
        for window in _windows(content.length, ruleset):
            if present <= set(window):
                missing = tuple(Tile(colour=colour, number=number) for number in window if number not in present)
                options = _shared_out(missing, len(content.jokers))
                yield _Shape(SetKind.RUN, sum(window), options, as_laid=False)


def _windows(length: int, ruleset: RuleSet) -> list[tuple[int, ...]]:
    """The numbers of every run of this length, at most 13 long."""
    endless = (*NUMBERS, *NUMBERS)
    starts = LONGEST_RUN if ruleset.wrap_13_1 and length < LONGEST_RUN else LONGEST_RUN - length + 1
    return [endless[start : start + length] for start in range(starts)]


def _shared_out(missing: tuple[Tile, ...], jokers: int) -> tuple[tuple[Tile, ...], ...]:
    """Each of the jokers may stand for any missing tile; in turn they are taken to stand for the first ones."""
    return tuple((missing[k], *missing[:k], *missing[k + 1 :]) for k in range(jokers))


def _meanings(content: _Content, chosen: _Shape, shapes: Sequence[_Shape]) -> tuple[JokerMeaning, ...]:
    return tuple(
        JokerMeaning(
            place,
            chosen.options[k][0],
            tuple(dict.fromkeys(tile for shape in (chosen, *shapes) for tile in shape.options[k])),
        )
        for k, place in enumerate(content.jokers)
    )


# --- what a house rule may object to ----------------------------------------------------------------------------


def _too_short(content: _Content, ruleset: RuleSet) -> tuple[Finding, ...]:
    if content.length >= ruleset.min_set_length:
        return ()
    params = (("length", content.length), ("least", ruleset.min_set_length))
    return (Finding(FindingCode.TOO_SHORT, content.everything, params),)


def _too_many_jokers(content: _Content, ruleset: RuleSet) -> tuple[Finding, ...]:
    if len(content.jokers) <= ruleset.jokers_per_set_max:
        return ()
    params = (("count", len(content.jokers)), ("most", ruleset.jokers_per_set_max))
    return (Finding(FindingCode.TOO_MANY_JOKERS, content.jokers, params),)


def _permitted(
    shapes: list[_Shape], content: _Content, ruleset: RuleSet, exhausted: frozenset[Tile]
) -> tuple[list[_Shape], list[Finding]]:
    """The shapes that the house rules permit; when none is left, the findings that say why."""
    left, objections = shapes, []
    if not ruleset.jokers_adjacent and content.adjacent_jokers:
        apart = [shape for shape in shapes if shape.kind is SetKind.GROUP]
        objections.append((apart, Finding(FindingCode.ADJACENT_JOKERS, content.adjacent_jokers)))
        left = [shape for shape in left if shape in apart]
    if not ruleset.joker_for_exhausted_tile and exhausted:
        available = {shape: _without(shape, exhausted) for shape in shapes}
        meant = sorted({str(tile) for shape in shapes for tile in shape.standing if tile in exhausted})
        finding = Finding(FindingCode.JOKER_FOR_EXHAUSTED_TILE, content.jokers, (("exhausted", tuple(meant)),))
        objections.append(([shape for shape in shapes if available[shape] is not None], finding))
        left = [kept for shape in left if (kept := available[shape]) is not None]
    if ruleset.row_order is RowOrder.ILLEGAL and not all(shape.as_laid for shape in shapes):
        objections.append(([], _out_of_order(content, Severity.FAULT)))
        left = [shape for shape in left if shape.as_laid]
    if left:
        return left, []
    decisive = [finding for kept, finding in objections if not kept]
    partial = [finding for kept, finding in objections if len(kept) < len(shapes)]
    return [], decisive or partial


def _without(shape: _Shape, exhausted: frozenset[Tile]) -> _Shape | None:
    """The shape with no joker standing for an exhausted tile; None when too few tiles are left to stand for."""
    if shape.kind is SetKind.RUN:
        return None if any(tile in exhausted for tile in shape.standing) else shape
    jokers = len(shape.options)
    missing = tuple(tile for tile in (shape.options[0] if jokers else ()) if tile not in exhausted)
    if len(missing) < jokers:
        return None
    return _Shape(shape.kind, shape.value, _shared_out(missing, jokers), shape.as_laid)


def _out_of_order(content: _Content, severity: Severity) -> Finding:
    """Why a run that is legal by content does not fit the order as laid."""
    for step in (1, -1):
        starts = {number - step * place for place, _, number in content.plain}
        if len(starts) == 1:
            start = starts.pop()
            outside = tuple(place for place in content.jokers if start + step * place not in NUMBERS)
            numbers = tuple(start + step * place for place in outside)
            return Finding(FindingCode.JOKER_OUT_OF_RANGE, outside, (("numbers", numbers),), severity)
    return Finding(FindingCode.SCRAMBLED, content.everything, (), severity)


# --- what is wrong with a set that is neither -------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Case:
    """An illegal set seen as a run or as a group: how many tiles to replace, how alike it looks, what is wrong."""

    to_replace: int
    likeness: int
    findings: tuple[Finding, ...]


def _blame(content: _Content, ruleset: RuleSet) -> tuple[Finding, ...]:
    """The faults of a set that is neither run nor group, seen as the one to which it is closer."""
    run, group = _as_run(content, ruleset), _as_group(content, ruleset)
    if (run.to_replace, -run.likeness) < (group.to_replace, -group.likeness):
        return run.findings
    if (group.to_replace, -group.likeness) < (run.to_replace, -run.likeness):
        return group.findings
    return (Finding(FindingCode.NEITHER_RUN_NOR_GROUP, content.everything),)


def _as_run(content: _Content, ruleset: RuleSet) -> _Case:
    """The set seen as a run of the colour and the numbers that keep most of its tiles."""
    size = min(max(content.length, ruleset.min_set_length), LONGEST_RUN)
    windows = _windows(size, ruleset)
    best: list[tuple[Colour, tuple[int, ...]]] = []
    best_rank = (-1, 0)
    for colour in content.colours:
        own = {number for _, c, number in content.plain if c is colour}
        for window in windows:
            kept = [i for i, number in enumerate(window) if number in own]
            # Of windows that keep equally many tiles, the one that keeps them closest together is the run meant.
            rank = (len(kept), kept[0] - kept[-1] if kept else 0)
            if rank > best_rank:
                best, best_rank = [], rank
            if rank == best_rank:
                best.append((colour, window))
    kept_tiles = max(best_rank[0], 0)
    prevailing = {colour for colour, _ in best}
    findings: list[Finding] = []
    if content.length > LONGEST_RUN:
        whole = kept_tiles == len(content.plain) == LONGEST_RUN
        params = (("length", content.length), ("most", LONGEST_RUN))
        findings.append(Finding(FindingCode.TOO_LONG, content.jokers if whole else content.everything, params))
    if len(content.colours) > 1:
        colour_kept = next(iter(prevailing)) if len(prevailing) == 1 else None
        strangers = tuple(place for place, colour, _ in content.plain if colour is not colour_kept)
        params_colour = (("colour", colour_kept.value if colour_kept else ""),)
        findings.append(Finding(FindingCode.MIXED_COLOURS, strangers, params_colour))
    findings += _twins(content, FindingCode.REPEATED_NUMBER)
    if len(prevailing) == 1:
        findings += _beyond_the_gap(content, prevailing.pop(), [window for _, window in best], ruleset)
    if not ruleset.jokers_adjacent and content.adjacent_jokers:
        findings.append(Finding(FindingCode.ADJACENT_JOKERS, content.adjacent_jokers))
    to_replace = content.length - min(kept_tiles + len(content.jokers), LONGEST_RUN)
    own_colour = max((len({n for _, c, n in content.plain if c is colour}) for colour in content.colours), default=0)
    in_step = len(content.numbers) == len(content.plain) and any(set(content.numbers) <= set(w) for w in windows)
    return _Case(to_replace, max(own_colour, len(content.plain) if in_step else 0), tuple(findings))


def _beyond_the_gap(
    content: _Content, colour: Colour, windows: list[tuple[int, ...]], ruleset: RuleSet
) -> Iterator[Finding]:
    """The tiles of the run's own colour that its best windows leave outside."""
    own = {place: number for place, c, number in content.plain if c is colour}
    outside = tuple(place for place, number in own.items() if any(number not in window for window in windows))
    if not outside:
        return
    ends = {LOWEST_NUMBER, HIGHEST_NUMBER}
    seam = [(i, i + 1) for i in own if i + 1 in own and {own[i], own[i + 1]} == ends]
    if seam and not ruleset.wrap_13_1:
        yield Finding(FindingCode.WRAP, tuple(sorted({place for pair in seam for place in pair})))
        return
    numbers = set(own.values())
    missing = tuple(number for number in range(min(numbers), max(numbers)) if number not in numbers)
    yield Finding(FindingCode.GAP, outside, (("missing", missing),))


def _as_group(content: _Content, ruleset: RuleSet) -> _Case:
    """The set seen as a group of the number that keeps most of its tiles."""
    colours_of = {number: {c for _, c, n in content.plain if n == number} for number in content.numbers}
    kept_tiles = max((len(colours) for colours in colours_of.values()), default=0)
    prevailing = [number for number, colours in colours_of.items() if len(colours) == kept_tiles]
    findings: list[Finding] = []
    if content.length > ruleset.longest_group:
        whole = kept_tiles == len(content.plain) == ruleset.longest_group
        params = (("length", content.length), ("most", ruleset.longest_group))
        findings.append(Finding(FindingCode.TOO_LONG, content.jokers if whole else content.everything, params))
    if len(content.numbers) > 1:
        number_kept = prevailing[0] if len(prevailing) == 1 else 0
        strangers = tuple(place for place, _, number in content.plain if number != number_kept)
        findings.append(Finding(FindingCode.MIXED_NUMBERS, strangers, (("number", number_kept),)))
    findings += _twins(content, FindingCode.REPEATED_COLOUR)
    to_replace = content.length - min(kept_tiles + len(content.jokers), ruleset.longest_group)
    likeness = max(Counter(number for _, _, number in content.plain).values(), default=0)
    return _Case(to_replace, likeness, tuple(findings))


def _twins(content: _Content, code: FindingCode) -> Iterator[Finding]:
    """Each face that lies more than once in the set."""
    places: dict[Tile, list[int]] = {}
    for place, colour, number in content.plain:
        places.setdefault(Tile(colour=colour, number=number), []).append(place)
    for tile, twins in places.items():
        if len(twins) > 1:
            yield Finding(code, tuple(twins), (("tile", str(tile)),))
