"""The ruling on a table: every set, every loose tile and the verdict on the whole.

Doubt never helps a player and never hurts one.  A set is legal or illegal only where every plausible reading of its
doubtful tiles says so; a set that a face-down or unread tile touches is never legal, and illegal only where no tiles
whatever could complete it.  So is a set that ends at the picture's edge illegal only where none beyond it could
complete it.  A row that is illegal as one set and may be several in one line is neither (``cut``).  The reading shown
stays the pixels' first one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from itertools import product
from math import prod

from referee.cut import Cut, best_cut
from referee.findings import Finding, FindingCode, Severity
from referee.observation import DRAWN, UNLIKE_TILES, Kind, Observation, Quad, Row, Scene
from referee.ruleset import RuleSet, box_faces
from referee.sets import JokerMeaning, SetKind, SetRuling, can_be_completed, judge_set
from referee.table import Plausible, face_p, first_reading, plausible, split_table
from referee.tiles import Tile

MOST_READINGS = 256
"""A set with more combinations of plausible readings than this is judged by its sure tiles alone."""

SUSPECT_P = 0.002
"""A reading from this probability on is looked at when it alone would make an illegal set legal."""

REACH = 1.2
"""An unread tile lies beside a loose one when their boxes are nearer than this many lengths of the loose tile.

More than a tile's width: a hand that half covers one tile of a set may hide the next one wholly."""

EDGE_REACH = 0.7
"""A tile whose place beyond another begins at that one's side is in view when so many widths from that side are.

Of tiles that the edge cuts by half every other goes unseen; the rest allows for a gap between neighbours."""

CURABLE = frozenset(
    {FindingCode.TOO_SHORT, FindingCode.GAP, FindingCode.SCRAMBLED, FindingCode.JOKER_OUT_OF_RANGE, FindingCode.WRAP}
)
"""Faults that hidden tiles might cure, so that they are no reason to call a set with hidden tiles illegal."""


NO_TABLE = frozenset({FindingCode.RACK, FindingCode.NO_TILES, FindingCode.UNLIKE_TILES, FindingCode.DRAWN})
"""Pictures of something else than a table: nothing in them is ruled illegal."""


class Verdict(StrEnum):
    """The three-valued verdict on a table."""

    LEGAL = "legal"
    ILLEGAL = "illegal"
    CANNOT_TELL = "cannot_tell"


@dataclass(frozen=True, slots=True)
class JudgedSet:
    """The ruling on one set as it was seen.

    ``tiles`` (in reading order), the meanings' places and the findings' tiles are indices into ``Observation.tiles``.
    ``legal`` is None for "cannot tell".  ``kind`` and ``meanings`` are those of the first readings, and a joker whose
    kind is open has no meaning; ``value`` is None unless the set is legal with one and the same value in every
    plausible reading.  ``parts`` are the sets that a row which is none itself may be cut into (``legal`` is then None);
    empty where it is one set.
    """

    tiles: tuple[int, ...]
    kind: SetKind
    value: int | None
    legal: bool | None
    meanings: tuple[JokerMeaning, ...]
    findings: tuple[Finding, ...]
    parts: tuple[tuple[int, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class TableRuling:
    """The ruling on everything in one picture.

    ``sets`` are the observation's rows that show at least one face, in their order; ``loose`` are all other tiles
    (single tiles, and rows of face-down tiles: the pool).  ``findings`` speak of the table as a whole; those of a set
    stand with the set.  ``rules`` and ``fingerprint`` name the rule set.
    """

    verdict: Verdict
    sets: tuple[JudgedSet, ...]
    loose: tuple[int, ...]
    findings: tuple[Finding, ...]
    rules: str
    fingerprint: str

    @property
    def all_findings(self) -> tuple[Finding, ...]:
        """The table's findings, then those of each set in turn."""
        return self.findings + tuple(finding for judged in self.sets for finding in judged.findings)


@dataclass(frozen=True, slots=True)
class _Exhausted:
    """The tiles all copies of which are in sight: surely, and perhaps (a doubtful tile may be one of them)."""

    surely: frozenset[Tile]
    perhaps: frozenset[Tile]

    @property
    def cases(self) -> tuple[frozenset[Tile], ...]:
        return (self.surely,) if self.surely == self.perhaps else (self.surely, self.perhaps)


def judge_table(observation: Observation, ruleset: RuleSet) -> TableRuling:
    """Rule on everything in one picture.

    The first that applies: a rack, a picture without faces and one of something else than number tiles are "cannot
    tell"; one surely illegal set or loose tile
    makes the table illegal; one doubt (a set that cannot be told, an unread tile anywhere, more copies of a tile than
    the box holds, which proves a misreading or a second box) makes it "cannot tell"; else it is legal.
    Face-down tiles that touch no set are the pool and change nothing.
    """
    rows, loose = split_table(observation)
    exhausted = _exhausted(observation, ruleset)
    sets = tuple(_judge_row(observation, row, ruleset, exhausted) for row in rows)
    findings = (
        *_scene(observation),
        *_loose_tiles(observation, loose),
        *_copies(observation, ruleset),
        *_unseen(observation, loose),
    )
    return TableRuling(
        verdict=_verdict(sets, findings),
        sets=sets,
        loose=loose,
        findings=findings,
        rules=ruleset.name,
        fingerprint=ruleset.fingerprint,
    )


def _verdict(sets: Sequence[JudgedSet], findings: Sequence[Finding]) -> Verdict:
    codes = {finding.code for finding in findings}
    severities = {finding.severity for finding in findings}
    if codes & NO_TABLE:
        return Verdict.CANNOT_TELL
    if Severity.FAULT in severities or any(judged.legal is False for judged in sets):
        return Verdict.ILLEGAL
    if Severity.DOUBT in severities or any(judged.legal is None for judged in sets):
        return Verdict.CANNOT_TELL
    return Verdict.LEGAL


# --- one set ----------------------------------------------------------------------------------------------------


def _judge_row(observation: Observation, row: Row, ruleset: RuleSet, exhausted: _Exhausted) -> JudgedSet:
    faces = tuple(i for i in row.tiles if observation.tiles[i].kind is Kind.FACE)
    candidates = {i: plausible(observation.tiles[i]) for i in faces}
    shown = judge_set(_first_readings([candidates[i] for i in faces], ruleset), ruleset, exhausted.surely)
    if len(faces) < len(row.tiles) or row.unread_touching:
        legal, value, faults = _judge_hidden(row, candidates, ruleset)
    else:
        legal, value, found = _judge_readings([candidates[i] for i in faces], ruleset, exhausted, shown)
        faults = tuple(_placed(finding, faces) for finding in found)
        suspects = _suspects(observation, faces, ruleset, exhausted) if legal is False else ()
        beyond = _beyond_the_edge(observation, row, candidates, ruleset) if legal is False and not suspects else ()
        if suspects or beyond:
            legal, value = None, None
        if legal is None:
            # The faults and notes of the first reading are not certain: only what keeps from telling is said.
            faults = (*(finding for finding in faults if finding.severity is Severity.DOUBT), *suspects, *beyond)
    cut = _cut(row, candidates, ruleset, exhausted) if legal is False else None
    if cut is not None:
        legal, value, faults = None, None, (_several_sets(row, cut),)
    if legal is False and not any(finding.severity is Severity.FAULT for finding in faults):
        faults = (*faults, Finding(FindingCode.NEITHER_RUN_NOR_GROUP, faces))
    return JudgedSet(
        tiles=row.tiles,
        kind=shown.kind,
        value=value,
        legal=legal,
        meanings=tuple(
            replace(meaning, place=faces[meaning.place])
            for meaning in shown.meanings
            if not observation.tiles[faces[meaning.place]].joker_open
        ),
        findings=(*faults, *_doubts(observation, row, legal)),
        parts=cut.pieces(row.tiles) if cut is not None else (),
    )


def _judge_readings(
    candidates: Sequence[Plausible], ruleset: RuleSet, exhausted: _Exhausted, shown: SetRuling
) -> tuple[bool | None, int | None, tuple[Finding, ...]]:
    """Legality, value and findings over every plausible reading of a set without hidden tiles.

    The findings are those of the reading shown; where the kind of a joker is open, those that every reading has.
    """
    options = [_options(candidate, ruleset) for candidate in candidates]
    combinations = prod(len(choice) for choice in options)
    if combinations == len(exhausted.cases) == 1:
        return shown.legal, shown.value, shown.findings
    if combinations > MOST_READINGS:
        sure = [candidate.tiles[0] for candidate in candidates if len(candidate.tiles) == 1 and not candidate.anything]
        further = {tile for choice in options for tile in choice}
        return (None if can_be_completed(sure, ruleset, further) else False), None, shown.findings
    kinds_open = any(_kind_open(candidate) for candidate in candidates)
    values, findings = {shown.value}, shown.findings
    for tiles, gone in product(_within_box(candidates, options, ruleset), exhausted.cases):
        ruling = judge_set(tiles, ruleset, gone)
        if ruling.legal is not shown.legal:
            return None, None, shown.findings
        values.add(ruling.value)
        if kinds_open:
            findings = tuple(finding for finding in findings if finding in ruling.findings)
    return shown.legal, shown.value if len(values) == 1 else None, findings


def _kind_open(candidate: Plausible) -> bool:
    """Whether a tile is surely a joker, of a kind that the picture does not tell."""
    return candidate.is_joker and len(candidate.tiles) > 1


def _first_readings(candidates: Sequence[Plausible], ruleset: RuleSet) -> list[Tile]:
    """The first reading of each tile; jokers of open kinds are the first kinds of which the box holds enough."""
    shown: list[Tile] = []
    for candidate in candidates:
        left = [kind for kind in candidate.tiles if _kind_open(candidate) and shown.count(kind) < _most(kind, ruleset)]
        shown.append((left or candidate.tiles)[0])
    return shown


def _most(kind: Tile, ruleset: RuleSet) -> int:
    """How many jokers of a kind one set may hold; one that the box does not hold is still looked at."""
    return max(1, ruleset.held(kind))


def _within_box(
    candidates: Sequence[Plausible], options: Sequence[Sequence[Tile]], ruleset: RuleSet
) -> list[tuple[Tile, ...]]:
    """Every choice of one option for each tile in which the jokers of open kinds are no more than the box holds.

    All choices where that leaves none: then there are too many jokers, which is said of the whole table.
    """
    choices = list(product(*options))
    kinds = {kind for candidate in candidates if _kind_open(candidate) for kind in candidate.tiles}
    within = [tiles for tiles in choices if all(tiles.count(kind) <= _most(kind, ruleset) for kind in kinds)]
    return within or choices


def _suspects(
    observation: Observation, faces: Sequence[int], ruleset: RuleSet, exhausted: _Exhausted
) -> tuple[Finding, ...]:
    """Sure tiles of an illegal set, one other reading of which would make it legal.

    Misreadings make sets illegal far more often than players do, so a set that hangs on one tile is worth a look even
    where that tile is sure.  The reading stays what it is: this adds doubt, it repairs nothing.
    """
    candidates = [plausible(observation.tiles[i]) for i in faces]
    options = [one.tiles if _kind_open(one) else one.tiles[:1] for one in candidates]
    if prod(len(choice) for choice in options) > MOST_READINGS:
        return ()
    found = []
    for place, i in enumerate(faces):
        seen = observation.tiles[i]
        sure = not seen.doubtful or seen.joker_open
        others = [reading for reading in seen.readings if reading.tile not in options[place]] if sure else []
        for reading in others:
            changed = [*options[:place], (reading.tile,), *options[place + 1 :]]
            if face_p(seen, reading) >= SUSPECT_P and any(
                judge_set(tiles, ruleset, exhausted.surely).legal for tiles in _within_box(candidates, changed, ruleset)
            ):
                params = (("read", str(first_reading(seen))), ("instead", str(reading.tile)))
                found.append(Finding(FindingCode.SUSPECT_TILE, (i,), params, Severity.DOUBT))
                break
    return tuple(found)


def _judge_hidden(
    row: Row, candidates: dict[int, Plausible], ruleset: RuleSet
) -> tuple[bool | None, int | None, tuple[Finding, ...]]:
    """A set with hidden tiles: illegal only where some stretch of neighbouring faces fits into no legal set.

    A hidden tile may be any tile, may go on under the hand or beyond the picture, and a face-down one may lie
    between two sets, so every stretch between face-down tiles is looked at by itself.
    """
    for stretch in _stretches(row, candidates):
        options = [candidates[i].tiles for i in stretch if not candidates[i].anything]
        if prod(len(choice) for choice in options) > MOST_READINGS:
            options = [choice for choice in options if len(choice) == 1]
        if not any(can_be_completed(tiles, ruleset) for tiles in product(*options)):
            ruling = judge_set([candidates[i].tiles[0] for i in stretch], ruleset)
            faults = [finding for finding in ruling.findings if finding.code not in CURABLE]
            return False, None, tuple(_placed(finding, stretch) for finding in faults)
    return None, None, ()


def _beyond_the_edge(
    observation: Observation, row: Row, candidates: dict[int, Plausible], ruleset: RuleSet
) -> tuple[Finding, ...]:
    """That a set which is illegal as seen may go on beyond the picture's edge, where it may."""
    ends = ((row.tiles[0], row.tiles[1]), (row.tiles[-1], row.tiles[-2])) if row.gaps else ()
    if not any(_ends_at_edge(observation, end, before) for end, before in ends):
        return ()
    if _judge_hidden(row, candidates, ruleset)[0] is False:
        return ()
    return (Finding(FindingCode.SET_AT_EDGE, row.tiles, (), Severity.DOUBT),)


def _ends_at_edge(observation: Observation, end: int, before: int | None) -> bool:
    """Whether a tile's next place, on its side away from ``before`` (None: on either side), is not wholly in view.

    What was written down has no edge.
    """
    if not observation.width:
        return False
    a, b, c, d = observation.tiles[end].quad
    x, y = (a[0] + b[0] + c[0] + d[0]) / 4, (a[1] + b[1] + c[1] + d[1]) / 4
    wide, high = (b[0] - a[0] + c[0] - d[0]) / 2, (b[1] - a[1] + c[1] - d[1]) / 2
    ways: tuple[int, ...] = (-1, 1)
    if before is not None:
        other = observation.tiles[before].quad
        along = sum((px - x) * wide + (py - y) * high for px, py in other)
        ways = (-1,) if along > 0 else (1,)
    far = 0.5 + EDGE_REACH
    return not all(
        0 <= x + way * far * wide <= observation.width and 0 <= y + way * far * high <= observation.height
        for way in ways
    )


def _stretches(row: Row, faces: dict[int, Plausible]) -> Iterator[tuple[int, ...]]:
    """The stretches of neighbouring faces in a row, cut at its face-down tiles."""
    stretch: list[int] = []
    for i in row.tiles:
        if i in faces:
            stretch.append(i)
        elif stretch:
            yield tuple(stretch)
            stretch = []
    if stretch:
        yield tuple(stretch)


def _cut(row: Row, candidates: dict[int, Plausible], ruleset: RuleSet, exhausted: _Exhausted) -> Cut | None:
    """How an illegal row may be cut into sets that some plausible reading makes legal; None where it cannot be.

    A row that was written down is the one set that it was said to be.  A covered tile may go on with the first or with
    the last set, and a face-down one with the set in which it lies: that set need only be one which hidden tiles may
    complete.
    """
    count = len(row.tiles)
    if len(row.gaps) != count - 1:
        return None

    def may_be_set(open_ends: frozenset[int], start: int, end: int) -> bool:
        tiles = row.tiles[start:end]
        faces = [candidates[i] for i in tiles if i in candidates]
        if not faces:
            return False
        if len(faces) < len(tiles) or start in open_ends or end in open_ends:
            return _judge_hidden(replace(row, tiles=tiles), candidates, ruleset)[0] is not False
        shown = judge_set(_first_readings(faces, ruleset), ruleset, exhausted.surely)
        return _judge_readings(faces, ruleset, exhausted, shown)[0] is not False

    left, right = frozenset({0}), frozenset({count})
    covered = len(row.unread_touching)
    for open_ends in (right, left) if covered == 1 else (left | right,) if covered else (frozenset[int](),):
        cut = best_cut(row.gaps, partial(may_be_set, open_ends))
        if cut is not None:
            return cut
    return None


def _several_sets(row: Row, cut: Cut) -> Finding:
    params = (("starts", cut.starts), ("others", int(not cut.only)))
    return Finding(FindingCode.SETS_IN_ONE_LINE, row.tiles, params, Severity.DOUBT)


def _options(candidate: Plausible, ruleset: RuleSet) -> tuple[Tile, ...]:
    if not candidate.anything:
        return candidate.tiles
    others = (tile for tile in box_faces() if ruleset.held(tile) and tile not in candidate.tiles)
    return (*candidate.tiles, *others)


def _placed(finding: Finding, places: Sequence[int]) -> Finding:
    """A finding about a set, its tiles turned into indices of the observation."""
    return replace(finding, tiles=tuple(places[i] for i in finding.tiles))


def _doubts(observation: Observation, row: Row, legal: bool | None) -> Iterator[Finding]:
    """What is uncertain in this set: a note where the ruling is the same all the same."""
    severity = Severity.DOUBT if legal is None else Severity.NOTE
    hidden = tuple(i for i in row.tiles if observation.tiles[i].kind is Kind.BACK)
    for i in row.tiles:
        if i not in hidden and observation.tiles[i].doubtful:
            yield _doubt(observation, i, severity)
    if hidden:
        yield Finding(FindingCode.HIDDEN_TILE_IN_SET, hidden, (), severity)
    if row.unread_touching:
        yield Finding(FindingCode.UNREAD_TILE_AT_SET, row.tiles, (("regions", row.unread_touching),), severity)


def _doubt(observation: Observation, index: int, severity: Severity) -> Finding:
    """That one tile is doubtful, and what it may be."""
    seen = observation.tiles[index]
    code = FindingCode.JOKER_KIND if seen.joker_open else FindingCode.DOUBTFUL_TILE
    return Finding(code, (index,), (_readings(plausible(seen)),), severity)


def _readings(candidate: Plausible) -> tuple[str, tuple[str, ...]]:
    return "readings", (*(str(tile) for tile in candidate.tiles), *(("?",) if candidate.anything else ()))


# --- the whole table --------------------------------------------------------------------------------------------


def _scene(observation: Observation) -> Iterator[Finding]:
    if observation.scene is Scene.RACK:
        yield Finding(FindingCode.RACK, severity=Severity.DOUBT)
    if not any(seen.kind is Kind.FACE for seen in observation.tiles):
        yield Finding(FindingCode.NO_TILES, severity=Severity.DOUBT)
    for note, code in ((UNLIKE_TILES, FindingCode.UNLIKE_TILES), (DRAWN, FindingCode.DRAWN)):
        if note in observation.notes:
            yield Finding(code, severity=Severity.DOUBT)


def _loose_tiles(observation: Observation, loose: Sequence[int]) -> Iterator[Finding]:
    """Faces that lie alone.  On a rack a tile may stand alone.

    A doubtful one may be no tile at all, which a joker of an open kind surely is; one beside an unread tile or at the
    picture's edge may belong to a set that is covered or cut.
    """
    if observation.scene is Scene.RACK:
        return
    for i in loose:
        seen = observation.tiles[i]
        if seen.kind is Kind.FACE:
            uncertain = seen.doubtful and not seen.joker_open
            covered = any(_beside(seen.quad, region) for region in observation.unread)
            open_case = uncertain or covered or _ends_at_edge(observation, i, None)
            severity = Severity.DOUBT if open_case else Severity.FAULT
            yield Finding(FindingCode.LOOSE_TILE, (i,), (("tile", str(first_reading(seen))),), severity)
            if seen.doubtful:
                yield _doubt(observation, i, Severity.NOTE if seen.joker_open else Severity.DOUBT)


def _copies(observation: Observation, ruleset: RuleSet) -> Iterator[Finding]:
    """Faces that the first readings show more often than the box holds: a misreading, or tiles of another box.

    Jokers of open kinds count together, with those of a known kind among them.
    """
    places: dict[tuple[Tile, ...], list[int]] = {}
    for i, seen in enumerate(observation.tiles):
        if seen.kind is Kind.FACE:
            first, *others = plausible(seen).tiles
            kinds = [tile for tile in others if tile.is_joker] if first.is_joker else []
            places.setdefault((first, *kinds), []).append(i)
    for faces, alike in places.items():
        copies = alike
        if len(faces) > 1:
            copies = sorted(i for others, some in places.items() if set(others) <= set(faces) for i in some)
        held = sum(ruleset.held(tile) for tile in faces)
        if len(copies) > held:
            doubtful = sum(observation.tiles[i].doubtful for i in copies)
            params = (
                ("tile", "/".join(str(tile) for tile in faces)),
                ("count", len(copies)),
                ("held", held),
                ("doubtful", doubtful),
            )
            yield Finding(FindingCode.TOO_MANY_COPIES, tuple(copies), params, Severity.DOUBT)


def _unseen(observation: Observation, loose: Sequence[int]) -> Iterator[Finding]:
    """Face-down tiles of the pool, and covered or cut tiles anywhere."""
    pool = tuple(i for i in loose if observation.tiles[i].kind is Kind.BACK)
    if pool:
        yield Finding(FindingCode.FACE_DOWN, pool, (("count", len(pool)),), Severity.NOTE)
    if observation.unread:
        regions = tuple(range(len(observation.unread)))
        yield Finding(FindingCode.UNREAD, (), (("count", len(regions)), ("regions", regions)), Severity.DOUBT)


def _exhausted(observation: Observation, ruleset: RuleSet) -> _Exhausted:
    """The tiles all copies of which were seen, by the sure readings alone and by every plausible one."""
    faces = [plausible(seen) for seen in observation.tiles if seen.kind is Kind.FACE]
    sure = Counter(face.tiles[0] for face in faces if len(face.tiles) == 1 and not face.anything)
    maybe = Counter(tile for face in faces for tile in face.tiles)
    wild = sum(face.anything for face in faces)
    plain = [tile for tile in box_faces() if not tile.is_joker]
    return _Exhausted(
        surely=frozenset(tile for tile in plain if sure[tile] >= ruleset.held(tile)),
        perhaps=frozenset(tile for tile in plain if maybe[tile] + wild >= ruleset.held(tile)),
    )


def _beside(quad: Quad, region: Quad) -> bool:
    """Whether a region lies within ``REACH`` lengths of a tile."""
    left, top, right, bottom = _box(quad)
    other_left, other_top, other_right, other_bottom = _box(region)
    reach = REACH * max(right - left, bottom - top)
    across = other_left <= right + reach and left <= other_right + reach
    return across and other_top <= bottom + reach and top <= other_bottom + reach


def _box(quad: Quad) -> tuple[float, float, float, float]:
    xs, ys = [x for x, _ in quad], [y for _, y in quad]
    return min(xs), min(ys), max(xs), max(ys)
