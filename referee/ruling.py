"""The ruling on a table: every set, every loose tile and the verdict on the whole.

Doubt never helps a player and never hurts one.  A set is legal or illegal only where every plausible reading of its
doubtful tiles says so; a set that a face-down or unread tile touches is never legal, and illegal only where no tiles
whatever could complete it.  The reading shown stays the pixels' first one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import product
from math import prod

from referee.findings import Finding, FindingCode, Severity
from referee.observation import Kind, Observation, Quad, Row, Scene
from referee.ruleset import RuleSet, box_faces
from referee.sets import JokerMeaning, SetKind, SetRuling, can_be_completed, judge_set
from referee.table import Plausible, first_reading, plausible, split_table
from referee.tiles import Tile

MOST_READINGS = 256
"""A set with more combinations of plausible readings than this is judged by its sure tiles alone."""

SUSPECT_P = 0.002
"""A reading from this probability on is looked at when it alone would make an illegal set legal."""

REACH = 1.2
"""An unread tile lies beside a loose one when their boxes are nearer than this many lengths of the loose tile.

More than a tile's width: a hand that half covers one tile of a set may hide the next one wholly."""

CURABLE = frozenset(
    {FindingCode.TOO_SHORT, FindingCode.GAP, FindingCode.SCRAMBLED, FindingCode.JOKER_OUT_OF_RANGE, FindingCode.WRAP}
)
"""Faults that hidden tiles might cure, so that they are no reason to call a set with hidden tiles illegal."""


class Verdict(StrEnum):
    """The three-valued verdict on a table."""

    LEGAL = "legal"
    ILLEGAL = "illegal"
    CANNOT_TELL = "cannot_tell"


@dataclass(frozen=True, slots=True)
class JudgedSet:
    """The ruling on one set as it was seen.

    ``tiles`` (in reading order), the meanings' places and the findings' tiles are indices into ``Observation.tiles``.
    ``legal`` is None for "cannot tell".  ``kind`` and ``meanings`` are those of the first readings; ``value`` is None
    unless the set is legal with one and the same value in every plausible reading.
    """

    tiles: tuple[int, ...]
    kind: SetKind
    value: int | None
    legal: bool | None
    meanings: tuple[JokerMeaning, ...]
    findings: tuple[Finding, ...]


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

    The first that applies: a rack or a picture without faces is "cannot tell"; one surely illegal set or loose tile
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
    if codes & {FindingCode.RACK, FindingCode.NO_TILES}:
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
    shown = judge_set([candidates[i].tiles[0] for i in faces], ruleset, exhausted.surely)
    if len(faces) < len(row.tiles) or row.unread_touching:
        legal, value, faults = _judge_hidden(row, candidates, ruleset)
    else:
        legal, value = _judge_readings([candidates[i] for i in faces], ruleset, exhausted, shown)
        faults = tuple(_placed(finding, faces) for finding in shown.findings)
        suspects = _suspects(observation, faces, ruleset, exhausted) if legal is False else ()
        if suspects:
            legal, value = None, None
        if legal is None:
            # The faults and notes of the first reading are not certain: only what keeps from telling is said.
            faults = (*(finding for finding in faults if finding.severity is Severity.DOUBT), *suspects)
    if legal is False and not any(finding.severity is Severity.FAULT for finding in faults):
        faults = (*faults, Finding(FindingCode.NEITHER_RUN_NOR_GROUP, faces))
    return JudgedSet(
        tiles=row.tiles,
        kind=shown.kind,
        value=value,
        legal=legal,
        meanings=tuple(replace(meaning, place=faces[meaning.place]) for meaning in shown.meanings),
        findings=(*faults, *_doubts(observation, row, legal)),
    )


def _judge_readings(
    candidates: Sequence[Plausible], ruleset: RuleSet, exhausted: _Exhausted, shown: SetRuling
) -> tuple[bool | None, int | None]:
    """Legality and value over every plausible reading of a set without hidden tiles."""
    options = [_options(candidate, ruleset) for candidate in candidates]
    combinations = prod(len(choice) for choice in options)
    if combinations == len(exhausted.cases) == 1:
        return shown.legal, shown.value
    if combinations > MOST_READINGS:
        sure = [candidate.tiles[0] for candidate in candidates if len(candidate.tiles) == 1 and not candidate.anything]
        further = {tile for choice in options for tile in choice}
        return (None if can_be_completed(sure, ruleset, further) else False), None
    legalities, values = {shown.legal}, {shown.value}
    for tiles, gone in product(product(*options), exhausted.cases):
        ruling = judge_set(tiles, ruleset, gone)
        legalities.add(ruling.legal)
        values.add(ruling.value)
        if len(legalities) > 1:
            return None, None
    return shown.legal, shown.value if len(values) == 1 else None


def _suspects(
    observation: Observation, faces: Sequence[int], ruleset: RuleSet, exhausted: _Exhausted
) -> tuple[Finding, ...]:
    """Sure tiles of an illegal set, one other reading of which would make it legal.

    Misreadings make sets illegal far more often than players do, so a set that hangs on one tile is worth a look even
    where that tile is sure.  The reading stays what it is: this adds doubt, it repairs nothing.
    """
    tiles = [first_reading(observation.tiles[i]) for i in faces]
    found = []
    for place, i in enumerate(faces):
        others = observation.tiles[i].readings[1:]
        for reading in others if not observation.tiles[i].doubtful else ():
            changed = [*tiles[:place], reading.tile, *tiles[place + 1 :]]
            if reading.p >= SUSPECT_P and judge_set(changed, ruleset, exhausted.surely).legal:
                params = (("read", str(tiles[place])), ("instead", str(reading.tile)))
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
            yield Finding(FindingCode.DOUBTFUL_TILE, (i,), (_readings(plausible(observation.tiles[i])),), severity)
    if hidden:
        yield Finding(FindingCode.HIDDEN_TILE_IN_SET, hidden, (), severity)
    if row.unread_touching:
        yield Finding(FindingCode.UNREAD_TILE_AT_SET, row.tiles, (("regions", row.unread_touching),), severity)


def _readings(candidate: Plausible) -> tuple[str, tuple[str, ...]]:
    return "readings", (*(str(tile) for tile in candidate.tiles), *(("?",) if candidate.anything else ()))


# --- the whole table --------------------------------------------------------------------------------------------


def _scene(observation: Observation) -> Iterator[Finding]:
    if observation.scene is Scene.RACK:
        yield Finding(FindingCode.RACK, severity=Severity.DOUBT)
    if not any(seen.kind is Kind.FACE for seen in observation.tiles):
        yield Finding(FindingCode.NO_TILES, severity=Severity.DOUBT)


def _loose_tiles(observation: Observation, loose: Sequence[int]) -> Iterator[Finding]:
    """Faces that lie alone.  On a rack a tile may stand alone.

    A doubtful one may be no tile at all, and one beside an unread tile may belong to a set that is covered.
    """
    if observation.scene is Scene.RACK:
        return
    for i in loose:
        seen = observation.tiles[i]
        if seen.kind is Kind.FACE:
            open_case = seen.doubtful or any(_beside(seen.quad, region) for region in observation.unread)
            severity = Severity.DOUBT if open_case else Severity.FAULT
            yield Finding(FindingCode.LOOSE_TILE, (i,), (("tile", str(first_reading(seen))),), severity)
            if seen.doubtful:
                yield Finding(FindingCode.DOUBTFUL_TILE, (i,), (_readings(plausible(seen)),), Severity.DOUBT)


def _copies(observation: Observation, ruleset: RuleSet) -> Iterator[Finding]:
    """Faces that the first readings show more often than the box holds: a misreading, or tiles of another box."""
    places: dict[Tile, list[int]] = {}
    for i, seen in enumerate(observation.tiles):
        if seen.kind is Kind.FACE:
            places.setdefault(first_reading(seen), []).append(i)
    for tile, copies in places.items():
        if len(copies) > ruleset.held(tile):
            doubtful = sum(observation.tiles[i].doubtful for i in copies)
            params = (
                ("tile", str(tile)),
                ("count", len(copies)),
                ("held", ruleset.held(tile)),
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
